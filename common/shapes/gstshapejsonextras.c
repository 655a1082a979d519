/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What JSON lines have of a shape besides its record: the enclosing ellipse,
 * convexity defects, statistics, the indices of a hull's points. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapejsonreader.h"

#include <math.h>
#include <string.h>

#include "base/array.h"

/* What of a layer is of any number. */
typedef struct
{
  CsArray defects, statistics;
} Lists;

static gboolean
read_ellipse (const GstShapeJsonReader * reader, const json_t * shape,
    GstShapeEllipse * e)
{
  const json_t *object = json_object_get (shape, "enclosing-ellipse");
  gdouble *const centre[] = { &e->x, &e->y };
  gdouble *const axes[] = { &e->major, &e->minor };
  gdouble angle = 0.;

  *e = (GstShapeEllipse) { 0 };
  if (!gst_shape_json_read_doubles (reader, object, "center", centre, 2)
      || !gst_shape_json_read_doubles (reader, object, "axes", axes, 2)
      || !gst_shape_json_read_double (reader, object, "angle", &angle))
    return FALSE;
  e->ux = cos (angle * G_PI / 180.);
  e->uy = sin (angle * G_PI / 180.);
  return TRUE;
}

static gboolean
read_point (const GstShapeJsonReader * reader, const json_t * object,
    const gchar * key, GstShapePoint * point)
{
  gdouble x = 0, y = 0;
  gdouble *const numbers[] = { &x, &y };
  const gboolean read =
      gst_shape_json_read_doubles (reader, object, key, numbers, 2);

  *point = (GstShapePoint) { (gfloat) x, (gfloat) y };
  return read;
}

static gboolean
read_defects (const GstShapeJsonReader * reader, const json_t * shape,
    guint32 at, CsArray * defects)
{
  const json_t *array = json_object_get (shape, "defects");

  if (!json_is_array (array))
    return gst_shape_json_fail_shape (reader, "defects", "an array");
  for (gsize i = 0; i < json_array_size (array); i++) {
    const json_t *object = json_array_get (array, i);
    GstShapeDefect defect = {.shape = at };

    if (!read_point (reader, object, "start", &defect.start)
        || !read_point (reader, object, "end", &defect.end)
        || !read_point (reader, object, "farthest", &defect.farthest)
        || !gst_shape_json_read_double (reader, object, "depth", &defect.depth))
      return FALSE;
    cs_array_append_val (defects, defect);
  }
  return !defects->failed
      || gst_shape_json_fail_memory (reader->error, defects->len, "defects");
}

/* Channels of other names are ignored. */
static gboolean
read_statistics (const GstShapeJsonReader * reader, const json_t * shape,
    guint32 at, CsArray * statistics)
{
  const json_t *all = json_object_get (shape, "statistics");
  const gchar *name;

  if (all && !json_is_object (all))
    return gst_shape_json_fail_shape (reader, "statistics", "an object");
  for (guint i = 0; (name = gst_shape_channel_to_string (i)); i++) {
    const json_t *object = json_object_get (all, name);
    GstShapeStatistic statistic = {.shape = at,.channel = i };
    gint64 n_pixels = 0;

    if (!object)
      continue;
    if (!gst_shape_json_read_whole (reader, object, "pixels", &n_pixels)
        || !gst_shape_json_read_double (reader, object, "mean", &statistic.mean)
        || !gst_shape_json_read_double (reader, object, "deviation",
            &statistic.deviation)
        || !gst_shape_json_read_double (reader, object, "min",
            &statistic.minimum)
        || !gst_shape_json_read_double (reader, object, "max",
            &statistic.maximum))
      return FALSE;
    statistic.n_pixels = (guint64) MAX (n_pixels, 0);
    cs_array_append_val (statistics, statistic);
  }
  return !statistics->failed
      || gst_shape_json_fail_memory (reader->error, statistics->len,
      "statistics");
}

static gboolean
read_indices (const GstShapeJsonReader * reader, const json_t * shape,
    guint32 * indices)
{
  const json_t *array = json_object_get (shape, "indices");
  const gsize n = json_array_size (json_object_get (shape, "points"));

  for (gsize i = 0; i < n; i++) {
    const json_t *value = json_array_get (array, i);

    if (json_array_size (array) != n || !json_is_integer (value)
        || json_integer_value (value) < 0
        || json_integer_value (value) > G_MAXUINT32)
      return gst_shape_json_fail_shape (reader, "indices",
          "an index for each point");
    indices[i] = (guint32) json_integer_value (value);
  }
  if (gst_shape_json_count_points (shape) > n)
    indices[n] = indices[0];
  return TRUE;
}

static gboolean
read_lists (GstShapeJsonReader * reader, gsize begin, gsize n, guint has,
    Lists * lists)
{
  for (gsize i = 0; i < n; i++) {
    const json_t *shape = json_array_get (reader->array, begin + i);

    reader->at = begin + i;
    if ((has & GST_SHAPE_HAS_DEFECTS
            && !read_defects (reader, shape, i, &lists->defects))
        || (has & GST_SHAPE_HAS_STATISTICS
            && !read_statistics (reader, shape, i, &lists->statistics)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
fill_extras (GstShapeJsonReader * reader, gsize begin, gsize n,
    const Lists * lists, const GstShapeExtras * extras)
{
  gsize n_points = 0;

  if (extras->defects && lists->defects.len > 0)
    memcpy (extras->defects, lists->defects.data,
        lists->defects.len * sizeof (GstShapeDefect));
  if (extras->statistics && lists->statistics.len > 0)
    memcpy (extras->statistics, lists->statistics.data,
        lists->statistics.len * sizeof (GstShapeStatistic));
  for (gsize i = 0; i < n; i++) {
    const json_t *shape = json_array_get (reader->array, begin + i);

    reader->at = begin + i;
    if ((extras->ellipses && !read_ellipse (reader, shape,
                &extras->ellipses[i]))
        || (extras->indices && !read_indices (reader, shape,
                extras->indices + n_points)))
      return FALSE;
    n_points += gst_shape_json_count_points (shape);
  }
  return TRUE;
}

gboolean
gst_shape_json_read_extras (GstShapeJsonReader * reader, gsize begin, gsize n,
    guint has, GstShapeLayer ** layer)
{
  GstShapeExtras extras;
  gboolean read;
  Lists lists;

  cs_array_init (&lists.defects, sizeof (GstShapeDefect));
  cs_array_init (&lists.statistics, sizeof (GstShapeStatistic));
  read = read_lists (reader, begin, n, has, &lists);
  if (read) {
    GstShapeLayer *extended = gst_shape_layer_extend_block (*layer, has,
        lists.defects.len, lists.statistics.len, &extras);

    read = extended ? fill_extras (reader, begin, n, &lists, &extras) :
        gst_shape_json_fail_memory (reader->error, n, "shapes");
    if (extended) {
      gst_shape_layer_unref (*layer);
      *layer = extended;
    }
  }
  cs_array_clear (&lists.defects);
  cs_array_clear (&lists.statistics);
  return read;
}
