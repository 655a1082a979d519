/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What JSON lines have of a shape besides its record: the enclosing ellipse,
 * convexity defects, statistics, the indices of a hull's points. */

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
read_ellipse (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, GstShapeEllipse * e)
{
  gdouble *const centre[] = { &e->x, &e->y };
  gdouble *const axes[] = { &e->major, &e->minor };
  GstShapeJsonObject object;
  gdouble angle = 0.;

  *e = (GstShapeEllipse) { 0 };
  gst_shape_json_index (shape->values[KEY_ENCLOSING_ELLIPSE], &object);
  if (!gst_shape_json_read_doubles (reader, &object, KEY_CENTER, centre, 2)
      || !gst_shape_json_read_doubles (reader, &object, KEY_AXES, axes, 2)
      || !gst_shape_json_read_double (reader, &object, KEY_ANGLE, &angle))
    return FALSE;
  e->ux = cos (angle * G_PI / 180.);
  e->uy = sin (angle * G_PI / 180.);
  return TRUE;
}

static gboolean
read_point (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key,
    GstShapePoint * point)
{
  gdouble x = 0, y = 0;
  gdouble *const numbers[] = { &x, &y };

  if (!gst_shape_json_read_doubles (reader, object, key, numbers, 2))
    return FALSE;
  *point = (GstShapePoint) { (gfloat) x, (gfloat) y };
  return (!isinf (point->x) && !isinf (point->y))
      || gst_shape_json_fail_shape (reader, key, "in single precision");
}

/* Records are in an array that grows, and then in the layer. */
static gboolean
add_record (GstShapeJsonReader * reader, gconstpointer record,
    CsArray * records, const gchar * what)
{
  return gst_shape_json_spend (reader, 3, records->size)
      && (cs_array_append (records, record, 1)
      || gst_shape_json_fail_memory (reader->error, records->len, what));
}

static gboolean
read_defects (GstShapeJsonReader * reader, const GstShapeJsonObject * shape,
    guint32 at, CsArray * defects)
{
  const gchar *item = shape->values[KEY_DEFECTS];

  if (json_text_get_type (item) != JSON_TEXT_ARRAY)
    return gst_shape_json_fail_shape (reader, KEY_DEFECTS, "an array");
  for (item = json_text_first (item); item; item = json_text_next (item)) {
    GstShapeDefect defect = {.shape = at };
    GstShapeJsonObject object;

    gst_shape_json_index (item, &object);
    if (!read_point (reader, &object, KEY_START, &defect.start)
        || !read_point (reader, &object, KEY_END, &defect.end)
        || !read_point (reader, &object, KEY_FARTHEST, &defect.farthest)
        || !gst_shape_json_read_double (reader, &object, KEY_DEPTH,
            &defect.depth)
        || !add_record (reader, &defect, defects, "defects"))
      return FALSE;
  }
  return TRUE;
}

/* Channels of other names are ignored. */
static gboolean
read_statistics (GstShapeJsonReader * reader, const GstShapeJsonObject * shape,
    guint32 at, CsArray * statistics)
{
  const gchar *all = shape->values[KEY_STATISTICS];
  const gchar *name;

  if (all && json_text_get_type (all) != JSON_TEXT_OBJECT)
    return gst_shape_json_fail_shape (reader, KEY_STATISTICS, "an object");
  for (guint i = 0; (name = gst_shape_channel_to_string (i)); i++) {
    const gchar *channel = json_text_get (all, name);
    GstShapeStatistic statistic = {.shape = at,.channel = i };
    GstShapeJsonObject object;
    gint64 n_pixels = 0;

    if (!channel)
      continue;
    gst_shape_json_index (channel, &object);
    if (!gst_shape_json_read_whole (reader, &object, KEY_PIXELS, &n_pixels)
        || !gst_shape_json_read_double (reader, &object, KEY_MEAN,
            &statistic.mean)
        || !gst_shape_json_read_double (reader, &object, KEY_DEVIATION,
            &statistic.deviation)
        || !gst_shape_json_read_double (reader, &object, KEY_MIN,
            &statistic.minimum)
        || !gst_shape_json_read_double (reader, &object, KEY_MAX,
            &statistic.maximum))
      return FALSE;
    statistic.n_pixels = (guint64) MAX (n_pixels, 0);
    if (!add_record (reader, &statistic, statistics, "statistics"))
      return FALSE;
  }
  return TRUE;
}

static gboolean
read_indices (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * shape, guint32 * indices)
{
  const gchar *array = shape->values[KEY_INDICES];
  const gsize n = json_text_count (shape->values[KEY_POINTS], NULL);
  const gchar *item = NULL;
  gint64 index;

  if (json_text_count (array, NULL) == n)
    item = json_text_first (array);
  for (gsize i = 0; i < n; i++, item = json_text_next (item)) {
    if (!json_text_get_integer (item, &index) || index < 0
        || index > G_MAXUINT32)
      return gst_shape_json_fail_shape (reader, KEY_INDICES,
          "an index for each point");
    indices[i] = (guint32) index;
  }
  if (gst_shape_json_count_points (shape) > n)
    indices[n] = indices[0];
  return TRUE;
}

static gboolean
read_lists (GstShapeJsonReader * reader, const gchar * value, gsize begin,
    gsize n, guint has, Lists * lists)
{
  for (gsize i = 0; i < n; i++, value = json_text_next (value)) {
    GstShapeJsonObject shape;

    reader->at = begin + i;
    gst_shape_json_index (value, &shape);
    if ((has & GST_SHAPE_HAS_DEFECTS
            && !read_defects (reader, &shape, i, &lists->defects))
        || (has & GST_SHAPE_HAS_STATISTICS
            && !read_statistics (reader, &shape, i, &lists->statistics)))
      return FALSE;
  }
  return TRUE;
}

static gboolean
fill_extras (GstShapeJsonReader * reader, const gchar * value, gsize begin,
    gsize n, const Lists * lists, const GstShapeExtras * extras)
{
  gsize n_points = 0;

  if (extras->defects && lists->defects.len > 0)
    memcpy (extras->defects, lists->defects.data,
        lists->defects.len * sizeof (GstShapeDefect));
  if (extras->statistics && lists->statistics.len > 0)
    memcpy (extras->statistics, lists->statistics.data,
        lists->statistics.len * sizeof (GstShapeStatistic));
  for (gsize i = 0; i < n; i++, value = json_text_next (value)) {
    GstShapeJsonObject shape;

    reader->at = begin + i;
    gst_shape_json_index (value, &shape);
    if ((extras->ellipses && !read_ellipse (reader, &shape,
                &extras->ellipses[i]))
        || (extras->indices && !read_indices (reader, &shape,
                extras->indices + n_points)))
      return FALSE;
    n_points += gst_shape_json_count_points (&shape);
  }
  return TRUE;
}

gboolean
gst_shape_json_read_extras (GstShapeJsonReader * reader, const gchar * first,
    gsize begin, gsize n, guint has, GstShapeLayer ** layer)
{
  GstShapeExtras extras;
  Lists lists;

  cs_array_init (&lists.defects, sizeof (GstShapeDefect));
  cs_array_init (&lists.statistics, sizeof (GstShapeStatistic));
  gboolean read = read_lists (reader, first, begin, n, has, &lists);
  if (read) {
    GstShapeLayer *extended = gst_shape_layer_extend_block (*layer, has,
        lists.defects.len, lists.statistics.len, &extras);

    read = extended ? fill_extras (reader, first, begin, n, &lists, &extras) :
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
