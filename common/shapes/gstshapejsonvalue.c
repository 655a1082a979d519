/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values of a line of JSON, and errors that name them. */

#include "gstshapejsonreader.h"
#include "gstshapepoints.h"

#include <math.h>
#include <string.h>

#define KEY_NAME(key, name) name,

static const gchar *const names[N_KEYS] = { GST_SHAPE_JSON_KEYS (KEY_NAME) };

const gchar *
gst_shape_json_key_to_string (GstShapeJsonKey key)
{
  return names[key];
}

void
gst_shape_json_index (const gchar * value, GstShapeJsonObject * object)
{
  const gchar *key = NULL;

  memset (object, 0, sizeof (*object));
  if (json_text_get_type (value) == JSON_TEXT_OBJECT)
    key = json_text_first (value);
  for (; key; key = json_text_next (value)) {
    const gchar first = key[1];

    value = json_text_value_of (key);
    for (guint i = 0; i < N_KEYS; i++)
      if ((*names[i] == first || first == '\\')
          && json_text_is_string (key, names[i]))
        object->values[i] = value;
  }
}

gboolean
gst_shape_json_fail_memory (GError ** error, gsize n, const gchar * what)
{
  return gst_shapes_fail_memory (error, "there is not enough memory for %"
      G_GSIZE_FORMAT " %s", n, what);
}

gboolean
gst_shape_json_fail_shape (const GstShapeJsonReader * reader,
    GstShapeJsonKey key, const gchar * what)
{
  return gst_shape_json_fail (reader->error,
      "shapes[%" G_GSIZE_FORMAT "].%s is not %s", reader->at, names[key], what);
}

gboolean
gst_shape_json_spend (GstShapeJsonReader * reader, gsize n, gsize size)
{
  if (n > reader->budget / size)
    return gst_shape_json_fail (reader->error, "from shapes[%" G_GSIZE_FORMAT
        "] on its shapes take more memory than a line of its size may",
        reader->at);
  reader->budget -= n * size;
  return TRUE;
}

/* null stands for a value that is not finite. */
static gboolean
to_number (const gchar * value, gdouble * number)
{
  *number = NAN;
  return json_text_get_type (value) == JSON_TEXT_NULL
      || json_text_get_number (value, number);
}

static gboolean
to_numbers (const gchar * value, gdouble * const numbers[], gsize n)
{
  const gchar *item = NULL;
  gsize i;

  if (json_text_get_type (value) == JSON_TEXT_ARRAY)
    item = json_text_first (value);
  for (i = 0; i < n && item; i++, item = json_text_next (item))
    if (!to_number (item, numbers[i]))
      return FALSE;
  return i == n && !item;
}

gboolean
gst_shape_json_to_point (const gchar * value, GstShapePoint * point)
{
  gdouble x, y;
  gdouble *const numbers[] = { &x, &y };

  if (!to_numbers (value, numbers, 2))
    return FALSE;
  *point = (GstShapePoint) { (gfloat) x, (gfloat) y };
  return !isinf (point->x) && !isinf (point->y);
}

gboolean
gst_shape_json_is_closed (const GstShapeJsonObject * shape)
{
  gboolean is_closed;

  return json_text_get_boolean (shape->values[KEY_CLOSED], &is_closed)
      && is_closed;
}

gsize
gst_shape_json_count_points (const GstShapeJsonObject * shape)
{
  const gchar *points = shape->values[KEY_POINTS], *last;
  const gsize n = json_text_count (points, &last);
  GstShapePoint ends[2];

  if (n == 0 || !gst_shape_json_is_closed (shape)
      || !gst_shape_json_to_point (json_text_first (points), &ends[0])
      || !gst_shape_json_to_point (last, &ends[1]))
    return n;
  return gst_shape_points_are_closed (ends, 2) ? n : n + 1;
}

gboolean
gst_shape_json_read_double (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, gdouble * number)
{
  const gchar *value = object->values[key];

  return !value || to_number (value, number)
      || gst_shape_json_fail_shape (reader, key, "a number");
}

gboolean
gst_shape_json_read_float (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, gfloat * number)
{
  gdouble wide = *number;

  if (!gst_shape_json_read_double (reader, object, key, &wide))
    return FALSE;
  *number = (gfloat) wide;
  return !isinf (*number)
      || gst_shape_json_fail_shape (reader, key, "in single precision");
}

gboolean
gst_shape_json_read_doubles (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key,
    gdouble * const numbers[], gsize n)
{
  const gchar *value = object->values[key];

  if (!value)
    return TRUE;
  if (json_text_get_type (value) == JSON_TEXT_NULL) {
    for (gsize i = 0; i < n; i++)
      *numbers[i] = NAN;
    return TRUE;
  }
  return to_numbers (value, numbers, n)
      || gst_shape_json_fail_shape (reader, key,
      n == 2 ? "two numbers" : "four numbers");
}

gboolean
gst_shape_json_read_whole (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, gint64 * number)
{
  const gchar *value = object->values[key];

  if (!value)
    return TRUE;
  if (json_text_get_type (value) == JSON_TEXT_NULL) {
    *number = -1;
    return TRUE;
  }
  return json_text_get_integer (value, number)
      || gst_shape_json_fail_shape (reader, key, "a whole number");
}

gboolean
gst_shape_json_read_id (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, gint32 * id)
{
  gint64 number = *id;

  if (!gst_shape_json_read_whole (reader, object, key, &number))
    return FALSE;
  if (number < G_MININT32 || number > G_MAXINT32)
    return gst_shape_json_fail_shape (reader, key, "a whole number of 32 bits");
  *id = (gint32) number;
  return TRUE;
}

gboolean
gst_shape_json_read_flag (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, guint32 flag,
    guint32 * flags)
{
  const gchar *value = object->values[key];
  gboolean is_true;

  if (!value)
    return TRUE;
  if (!json_text_get_boolean (value, &is_true))
    return gst_shape_json_fail_shape (reader, key, "true or false");
  if (is_true)
    *flags |= flag;
  return TRUE;
}
