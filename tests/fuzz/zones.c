/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Any text as zones, lines and file of shapezones: the first byte says which.
 * What is taken can be asked for, and is the same again when it is written and
 * read. */

#include "fuzz.h"

#include <math.h>
#include <string.h>

#include "shapezones/gstshapezoneslist.h"

static void
ask (const Zone * zone)
{
  const gdouble places[] = { zone->low.x, zone->low.y, zone->high.x,
    zone->high.y, 0, 1e6, -.5, (zone->low.x + zone->high.x) / 2
  };

  g_assert_true (zone->points->len >= (zone->is_line ? 2 : 3));
  for (guint i = 0; i < G_N_ELEMENTS (places); i++)
    for (guint k = 0; k < G_N_ELEMENTS (places); k++) {
      const GstShapesZonePoint p = { places[i], places[k] };
      const GstShapesZonePoint q = { places[k], places[i] };

      g_assert_true (isfinite (zone_get_distance (zone, p.x, p.y)));
      zone_contains (zone, p.x, p.y);
      /* there and back is no way */
      g_assert_cmpint (zone_count_crossings (zone, &p, &q), ==,
          -zone_count_crossings (zone, &q, &p));
    }
}

static void
read_again (const Zone * zone)
{
  g_autofree gchar *text = g_strdup_printf ("z:%s", zone->text);
  g_autoptr (GError) error = NULL;
  /* nine digits may make one point of two */
  g_autoptr (GPtrArray) list = zones_parse (zone->is_line ? NULL : text,
      zone->is_line ? text : NULL, NULL, 0, &error);

  if (list) {
    g_assert_cmpuint (list->len, ==, 1);
    g_assert_cmpstr (((Zone *) g_ptr_array_index (list, 0))->text, ==,
        zone->text);
  }
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  g_autofree gchar *text = g_strndup ((const gchar *) data + (size > 0),
      size - (size > 0));
  const guint way = size > 0 ? data[0] % 3 : 0;
  g_autoptr (GError) error = NULL;
  g_autoptr (GPtrArray) list = zones_parse (way == 0 ? text : NULL,
      way == 1 ? text : NULL, way == 2 ? text : NULL,
      way == 2 ? strlen (text) : 0, &error);

  g_assert_true ((list == NULL) == (error != NULL));
  if (!list)
    return 0;
  g_autoptr (GPtrArray) scaled = zones_scale (list, 640, 480);
  g_autoptr (GPtrArray) smaller = zones_scale (list, 64, 100);
  for (guint i = 0; i < list->len; i++) {
    ask (g_ptr_array_index (list, i));
    read_again (g_ptr_array_index (list, i));
    g_assert_true (zone_is_same (g_ptr_array_index (scaled, i),
            g_ptr_array_index (smaller, i)));
    /* in pixels the same numbers are another place */
    g_assert_false (zone_is_same (g_ptr_array_index (scaled, i),
            g_ptr_array_index (list, i)));
  }
  return 0;
}
