/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Values of JSON, and errors that name them. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapejsonreader.h"

#include <math.h>

gboolean
gst_shape_json_fail (GError ** error, const gchar * format, ...)
{
  gchar *text;
  va_list args;

  va_start (args, format);
  text = g_strdup_vprintf (format, args);
  va_end (args);
  g_set_error_literal (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, text);
  g_free (text);
  return FALSE;
}

gboolean
gst_shape_json_fail_memory (GError ** error, gsize n, const gchar * what)
{
  g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
      "there is not enough memory for %" G_GSIZE_FORMAT " %s", n, what);
  return FALSE;
}

gboolean
gst_shape_json_fail_shape (const GstShapeJsonReader * reader, const gchar * key,
    const gchar * what)
{
  return gst_shape_json_fail (reader->error,
      "shapes[%" G_GSIZE_FORMAT "].%s is not %s", reader->at, key, what);
}

gboolean
gst_shape_json_to_number (const json_t * value, gdouble * number)
{
  if (json_is_null (value))
    *number = NAN;
  else if (json_is_number (value))
    *number = json_number_value (value);
  else
    return FALSE;
  return TRUE;
}

gboolean
gst_shape_json_read_double (const GstShapeJsonReader * reader,
    const json_t * object, const gchar * key, gdouble * number)
{
  const json_t *value = json_object_get (object, key);

  return !value || gst_shape_json_to_number (value, number)
      || gst_shape_json_fail_shape (reader, key, "a number");
}

gboolean
gst_shape_json_read_float (const GstShapeJsonReader * reader,
    const json_t * object, const gchar * key, gfloat * number)
{
  gdouble wide = *number;
  const gboolean read = gst_shape_json_read_double (reader, object, key, &wide);

  *number = (gfloat) wide;
  return read;
}

gboolean
gst_shape_json_read_doubles (const GstShapeJsonReader * reader,
    const json_t * object, const gchar * key, gdouble * const numbers[],
    gsize n)
{
  const json_t *array = json_object_get (object, key);
  gsize i;

  if (!array)
    return TRUE;
  if (json_is_null (array)) {
    for (i = 0; i < n; i++)
      *numbers[i] = NAN;
    return TRUE;
  }
  for (i = 0; i < n; i++)
    if (json_array_size (array) != n
        || !gst_shape_json_to_number (json_array_get (array, i), numbers[i]))
      return gst_shape_json_fail_shape (reader, key,
          n == 2 ? "two numbers" : "four numbers");
  return TRUE;
}

gboolean
gst_shape_json_read_whole (const GstShapeJsonReader * reader,
    const json_t * object, const gchar * key, gint64 * number)
{
  const json_t *value = json_object_get (object, key);

  if (!value)
    return TRUE;
  if (!json_is_integer (value) && !json_is_null (value))
    return gst_shape_json_fail_shape (reader, key, "a whole number");
  *number = json_is_null (value) ? -1 : json_integer_value (value);
  return TRUE;
}

gboolean
gst_shape_json_read_id (const GstShapeJsonReader * reader,
    const json_t * object, const gchar * key, gint32 * id)
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
    const json_t * object, const gchar * key, guint32 flag, guint32 * flags)
{
  const json_t *value = json_object_get (object, key);

  if (value && !json_is_boolean (value))
    return gst_shape_json_fail_shape (reader, key, "true or false");
  if (value && json_is_true (value))
    *flags |= flag;
  return TRUE;
}
