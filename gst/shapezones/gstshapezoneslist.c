/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapezoneslist.h"

#include <gst/gst.h>
#include <jansson.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

typedef GstShapesZonePoint Point;

#define fail(error, ...) cs_fail (error, GST_LIBRARY_ERROR, \
    GST_LIBRARY_ERROR_SETTINGS, __VA_ARGS__)

/* Life */

static void
zone_free (gpointer data)
{
  Zone *zone = data;

  g_free (zone->name);
  g_free (zone->text);
  g_free (zone->source);
  g_array_unref (zone->points);
  g_array_unref (zone->ends);
  g_free (zone);
}

static Zone *
zone_new (const gchar * name, gboolean is_line)
{
  Zone *zone = g_new0 (Zone, 1);

  zone->name = g_strdup (name);
  zone->is_line = is_line;
  zone->points = g_array_new (FALSE, FALSE, sizeof (Point));
  zone->ends = g_array_new (FALSE, FALSE, sizeof (gsize));
  return zone;
}

/* What follows from the points. */
static void
zone_finish (Zone * zone)
{
  const Point *points = (const Point *) (gconstpointer) zone->points->data;

  zone->low = zone->high = points[0];
  for (guint i = 1; i < zone->points->len; i++) {
    zone->low.x = MIN (zone->low.x, points[i].x);
    zone->low.y = MIN (zone->low.y, points[i].y);
    zone->high.x = MAX (zone->high.x, points[i].x);
    zone->high.y = MAX (zone->high.y, points[i].y);
  }
  zone->text = gst_shapes_zone_text_format (zone->points, zone->ends);
}

gboolean
zone_is_same (const Zone * a, const Zone * b)
{
  return a->is_line == b->is_line && strcmp (a->name, b->name) == 0
      && strcmp (a->source, b->source) == 0;
}

GPtrArray *
zones_scale (const GPtrArray * list, guint width, guint height)
{
  GPtrArray *scaled = g_ptr_array_new_with_free_func (zone_free);

  for (guint i = 0; i < list->len; i++) {
    const Zone *from = g_ptr_array_index (list, i);
    Zone *to = zone_new (from->name, from->is_line);

    g_array_append_vals (to->ends, from->ends->data, from->ends->len);
    for (guint k = 0; k < from->points->len; k++) {
      const Point *p = &g_array_index (from->points, Point, k);
      /* the picture's edges are half a pixel from the centres */
      const Point pixel = { p->x * width - .5, p->y * height - .5 };

      g_array_append_val (to->points, pixel);
    }
    zone_finish (to);
    to->source = g_strconcat ("of the frame: ", from->source, NULL);
    g_ptr_array_add (scaled, to);
  }
  return scaled;
}

/* What can be a zone */

static gdouble
get_area (const Point * points, gsize n)
{
  gdouble area = 0;

  for (gsize i = 0, k = n - 1; i < n; k = i++)
    area += (points[k].x - points[0].x) * (points[i].y - points[0].y) -
        (points[i].x - points[0].x) * (points[k].y - points[0].y);
  return area / 2;
}

static gboolean
check_ring (const Zone * zone, const Point * points, gsize n, GError ** error)
{
  if (n < 3)
    return fail (error, "zone \"%s\" has %u different corners; a zone needs "
        "at least 3, and what is to be crossed is a line", zone->name,
        (guint) n);
  for (gsize i = 0; i + 2 < n; i++)
    for (gsize k = i + 2; k < n - (i == 0); k++)
      if (zone_lines_meet (&points[i], &points[i + 1], &points[k],
              &points[(k + 1) % n]))
        return fail (error, "zone \"%s\" crosses or touches itself: its side "
            "from corner %u and that from corner %u meet. List the corners in "
            "order, once around", zone->name, (guint) i + 1, (guint) k + 1);
  return get_area (points, n) != 0
      || fail (error, "zone \"%s\" has no area", zone->name);
}

/* Takes the rings as they were read, without repetitions. */
static gboolean
check_shape (Zone * zone, GError ** error)
{
  const Point *points = (const Point *) (gconstpointer) zone->points->data;
  gsize first = 0;

  if (zone->ends->len == 0)
    return check_ring (zone, points, 0, error);
  if (zone->is_line && zone->ends->len > 1)
    return fail (error, "line \"%s\" has a \"/\": a line has no rings",
        zone->name);
  if (zone->is_line)
    return zone->points->len >= 2
        || fail (error, "line \"%s\" needs at least 2 different corners",
        zone->name);
  for (guint i = 0; i < zone->ends->len; i++) {
    const gsize end = g_array_index (zone->ends, gsize, i);

    if (!check_ring (zone, points + first, end - first, error))
      return FALSE;
    first = end;
  }
  return TRUE;
}

static void
tidy (Zone * zone)
{
  GArray *points = g_array_new (FALSE, FALSE, sizeof (Point));
  gsize first = 0;

  for (guint i = 0; i < zone->ends->len; i++) {
    gsize *end = &g_array_index (zone->ends, gsize, i);
    const gsize begin = points->len;

    for (gsize k = first; k < *end; k++)
      g_array_append_val (points, g_array_index (zone->points, Point, k));
    gst_shapes_zone_points_tidy (points, begin, zone->is_line);
    first = *end;
    *end = points->len;
  }
  g_array_unref (zone->points);
  zone->points = points;
}

static gboolean
has_name (const GPtrArray * list, const gchar * name)
{
  for (guint i = 0; i < list->len; i++)
    if (strcmp (((const Zone *) g_ptr_array_index (list, i))->name, name) == 0)
      return TRUE;
  return FALSE;
}

static gboolean
check_name (const GPtrArray * list, const Zone * zone, GError ** error)
{
  if (!cs_text_is_all_plain (zone->name) || !*zone->name
      || strlen (zone->name) > ZONE_MAX_NAME)
    return fail (error, "a zone's name has 1 to %u bytes of UTF-8, without "
        "control characters", ZONE_MAX_NAME);
  return !has_name (list, zone->name) || fail (error, "there are two zones or "
      "lines \"%s\": names must differ", zone->name);
}

static gsize
count_points (const GPtrArray * list)
{
  gsize n = 0;

  for (guint i = 0; i < list->len; i++)
    n += ((const Zone *) g_ptr_array_index (list, i))->points->len;
  return n;
}

/* Takes @zone. */
static gboolean
add (GPtrArray * list, Zone * zone, GError ** error)
{
  gboolean ok;

  tidy (zone);
  ok = check_name (list, zone, error);
  if (ok && zone->points->len > GST_SHAPES_ZONE_MAX_POINTS)
    ok = fail (error, "\"%s\" has more than %u corners", zone->name,
        GST_SHAPES_ZONE_MAX_POINTS);
  ok = ok && check_shape (zone, error);
  if (ok && (list->len == ZONES_MAX
          || count_points (list) + zone->points->len > ZONES_MAX_POINTS))
    ok = fail (error, "there are more than %u zones and lines, or they have "
        "more than %u corners together", ZONES_MAX, ZONES_MAX_POINTS);
  if (!ok) {
    zone_free (zone);
    return FALSE;
  }
  zone_finish (zone);
  zone->source = g_strdup (zone->text);
  g_ptr_array_add (list, zone);
  return TRUE;
}

static gchar *
make_name (const GPtrArray * list, gboolean is_line)
{
  gchar *name = NULL;
  guint number = list->len;

  do {
    g_free (name);
    name = g_strdup_printf ("%s-%u", is_line ? "line" : "zone", ++number);
  } while (has_name (list, name));
  return name;
}

/* Text: "NAME: x,y x,y x,y; NAME: ..." */

static gboolean
parse_entry (GPtrArray * list, const gchar * text, gsize size,
    gboolean is_line, GError ** error)
{
  const gchar *colon = memchr (text, ':', size);
  const gchar *corners = colon ? colon + 1 : text;
  g_autofree gchar *name = colon ? g_strstrip (g_strndup (text,
          (gsize) (colon - text))) : make_name (list, is_line);
  Zone *zone = zone_new (name, is_line);

  if (!gst_shapes_zone_text_parse (corners, size - (gsize) (corners - text),
          zone->points, zone->ends, error)) {
    zone_free (zone);
    g_prefix_error (error, "%s \"%s\": ", is_line ? "line" : "zone", name);
    return FALSE;
  }
  return add (list, zone, error);
}

static gboolean
is_blank (const gchar * text, gsize size)
{
  for (gsize i = 0; i < size; i++)
    if (!g_ascii_isspace (text[i]))
      return FALSE;
  return TRUE;
}

static gboolean
parse_text (GPtrArray * list, const gchar * text, gboolean is_line,
    GError ** error)
{
  while (*text) {
    const gsize size = strcspn (text, ";");

    if (!is_blank (text, size)
        && !parse_entry (list, text, size, is_line, error))
      return FALSE;
    text += size + (text[size] == ';');
  }
  return TRUE;
}

/* GeoJSON (RFC 7946), whose coordinates are pixels */

static gboolean
add_position (Zone * zone, const json_t * position, GError ** error)
{
  const json_t *x = json_array_get (position, 0);
  const json_t *y = json_array_get (position, 1);
  const Point point = { json_number_value (x), json_number_value (y) };

  if (!json_is_number (x) || !json_is_number (y)
      || !(fabs (point.x) <= GST_SHAPES_ZONE_MAX_COORDINATE)
      || !(fabs (point.y) <= GST_SHAPES_ZONE_MAX_COORDINATE))
    return fail (error, "\"%s\" has a position that is not [x, y] in pixels",
        zone->name);
  g_array_append_val (zone->points, point);
  return TRUE;
}

static gboolean
add_ring (Zone * zone, const json_t * ring, GError ** error)
{
  for (gsize i = 0; i < json_array_size (ring); i++)
    if (!add_position (zone, json_array_get (ring, i), error))
      return FALSE;
  const gsize end = zone->points->len;
  g_array_append_val (zone->ends, end);
  return TRUE;
}

static gboolean
add_rings (Zone * zone, const json_t * rings, GError ** error)
{
  for (gsize i = 0; i < json_array_size (rings); i++)
    if (!add_ring (zone, json_array_get (rings, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
read_geometry (Zone * zone, const gchar * type, const json_t * coordinates,
    GError ** error)
{
  gboolean ok = TRUE;

  if (zone->is_line)
    return add_ring (zone, coordinates, error);
  if (strcmp (type, "Polygon") == 0)
    return add_rings (zone, coordinates, error);
  for (gsize i = 0; ok && i < json_array_size (coordinates); i++)
    ok = add_rings (zone, json_array_get (coordinates, i), error);
  return ok;
}

/* "name" of the properties, else the feature's id. */
static gchar *
name_feature (const GPtrArray * list, const json_t * feature, gboolean is_line)
{
  const json_t *name = json_object_get (json_object_get (feature, "properties"),
      "name");
  const json_t *id = json_object_get (feature, "id");

  if (!json_is_string (name) && !json_is_integer (name))
    name = id;
  if (json_is_string (name))
    return g_strdup (json_string_value (name));
  if (json_is_integer (name))
    return g_strdup_printf ("%" JSON_INTEGER_FORMAT, json_integer_value (name));
  return make_name (list, is_line);
}

/* A Feature, or a geometry alone. */
static gboolean
read_feature (GPtrArray * list, const json_t * object, GError ** error)
{
  const json_t *geometry = json_object_get (object, "geometry");
  const json_t *of = json_is_object (geometry) ? geometry : object;
  const gchar *type = json_string_value (json_object_get (of, "type"));
  const gboolean is_line = g_strcmp0 (type, "LineString") == 0;

  if (!is_line && g_strcmp0 (type, "Polygon") != 0
      && g_strcmp0 (type, "MultiPolygon") != 0)
    return fail (error, "feature %u of the GeoJSON has the geometry \"%.20s\": "
        "zones are Polygon or MultiPolygon, lines are LineString",
        list->len + 1, type && strcmp (type, "Feature") != 0 ? type : "none");
  g_autofree gchar *name = name_feature (list, object, is_line);
  Zone *zone = zone_new (name, is_line);
  if (read_geometry (zone, type, json_object_get (of, "coordinates"), error))
    return add (list, zone, error);
  zone_free (zone);
  return FALSE;
}

static gboolean
read_collection (GPtrArray * list, const json_t * root, GError ** error)
{
  const json_t *features = json_object_get (root, "features");

  if (!features)
    return read_feature (list, root, error);
  for (gsize i = 0; i < json_array_size (features); i++)
    if (!read_feature (list, json_array_get (features, i), error))
      return FALSE;
  return TRUE;
}

static gboolean
parse_geojson (GPtrArray * list, const gchar * text, gsize size,
    GError ** error)
{
  json_error_t problem;
  json_t *root = json_loadb (text, size, JSON_REJECT_DUPLICATES, &problem);

  if (!root)
    return fail (error, "this is no GeoJSON: line %d: %s", problem.line,
        problem.text);
  const gboolean ok = json_is_object (root) ?
      read_collection (list, root, error) :
      fail (error, "this is no GeoJSON: an object is expected");
  json_decref (root);
  return ok;
}

/* So that the number of a zone is that among zones. */
static gint
compare_kinds (gconstpointer a, gconstpointer b)
{
  const Zone *const *p = a, *const *q = b;

  return ((*p)->is_line != FALSE) - ((*q)->is_line != FALSE);
}

GPtrArray *
zones_parse (const gchar * zones, const gchar * lines, const gchar * file,
    gsize file_size, GError ** error)
{
  GPtrArray *list = g_ptr_array_new_with_free_func (zone_free);
  gboolean ok = TRUE;

  if (zones && g_str_has_prefix (zones, "{"))
    ok = parse_geojson (list, zones, strlen (zones), error);
  else if (zones)
    ok = parse_text (list, zones, FALSE, error);
  if (ok && lines)
    ok = parse_text (list, lines, TRUE, error);
  if (ok && file)
    ok = parse_geojson (list, file, file_size, error);
  if (ok)
    g_ptr_array_sort (list, compare_kinds);
  else
    g_clear_pointer (&list, g_ptr_array_unref);
  return list;
}
