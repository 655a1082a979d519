/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeszonetext.h"

#include <gst/gst.h>
#include <math.h>
#include <string.h>

#include "base/error.h"

static gboolean
fail (GError ** error, const gchar * text, const gchar * what)
{
  return cs_fail (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "\"%.40s\" %s: corners are written as \"10,20 100,20 100,200\", x,y in "
      "pixels with spaces between, and \"/\" between rings", text, what);
}

static const gchar *
skip_spaces (const gchar * at, const gchar * end)
{
  while (at < end && g_ascii_isspace (*at))
    at++;
  return at;
}

/* Returns: behind the number, or NULL if there is none */
static const gchar *
parse_number (const gchar * at, const gchar * end, gdouble * number)
{
  gchar *rest = NULL;

  at = skip_spaces (at, end);
  *number = g_ascii_strtod (at, &rest);
  /* no "nan", "inf" or "0x1" */
  for (const gchar * c = at; c < MIN (rest, end); c++)
    if (!strchr ("0123456789+-.eE", *c))
      return NULL;
  return rest > at && rest <= end
      && fabs (*number) <= GST_SHAPES_ZONE_MAX_COORDINATE ? rest : NULL;
}

static gboolean
is_same (const GstShapesZonePoint * a, const GstShapesZonePoint * b)
{
  return a->x == b->x && a->y == b->y;
}

void
gst_shapes_zone_points_tidy (GArray * points, gsize first, gboolean is_line)
{
  GstShapesZonePoint *p = (GstShapesZonePoint *) (gpointer) points->data;
  gsize n = first;

  for (gsize i = first; i < points->len; i++)
    if (n == first || !is_same (&p[i], &p[n - 1]))
      p[n++] = p[i];
  if (!is_line && n > first + 1 && is_same (&p[n - 1], &p[first]))
    n--;
  g_array_set_size (points, n);
}

static void
end_ring (GArray * points, GArray * ends)
{
  const gsize end = points->len;

  g_array_append_val (ends, end);
}

gboolean
gst_shapes_zone_text_parse (const gchar * text, gsize size, GArray * points,
    GArray * ends, GError ** error)
{
  const gchar *end = text + size, *at = skip_spaces (text, end);

  while (at < end) {
    GstShapesZonePoint point;
    const gchar *from = at;

    if (*at == '/') {
      end_ring (points, ends);
      at = skip_spaces (at + 1, end);
      continue;
    }
    at = parse_number (at, end, &point.x);
    at = at ? skip_spaces (at, end) : NULL;
    if (!at || at == end || *at != ',')
      return fail (error, from, "is no point");
    at = parse_number (at + 1, end, &point.y);
    if (!at || (at < end && !g_ascii_isspace (*at) && *at != '/'))
      return fail (error, from, "is no point");
    g_array_append_val (points, point);
    /* one that is repeated at the end is left out later */
    if (points->len > 2 * GST_SHAPES_ZONE_MAX_POINTS)
      return fail (error, text, "has more than "
          G_STRINGIFY (GST_SHAPES_ZONE_MAX_POINTS) " corners");
    at = skip_spaces (at, end);
  }
  end_ring (points, ends);
  return points->len > 0 || fail (error, text, "has no corner");
}

gchar *
gst_shapes_zone_text_format (const GArray * points, const GArray * ends)
{
  GString *text = g_string_new (NULL);
  gchar x[G_ASCII_DTOSTR_BUF_SIZE], y[G_ASCII_DTOSTR_BUF_SIZE];
  guint ring = 0;

  for (gsize i = 0; i < points->len; i++) {
    const GstShapesZonePoint *p = &g_array_index (points, GstShapesZonePoint,
        i);

    for (; i == g_array_index (ends, gsize, ring); ring++)
      g_string_append (text, "/ ");
    g_string_append_printf (text, "%s,%s ",
        g_ascii_formatd (x, sizeof (x), "%.9g", p->x),
        g_ascii_formatd (y, sizeof (y), "%.9g", p->y));
  }
  if (text->len > 0)
    g_string_truncate (text, text->len - 1);
  return g_string_free (text, FALSE);
}
