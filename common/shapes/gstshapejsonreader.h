/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_JSON_READER_H
#define GST_SHAPE_JSON_READER_H

/* What the files that parse JSON lines share. */

#include <jansson.h>

#include "gstshapejson.h"
#include "gstshapes-private.h"

G_BEGIN_DECLS

/**
 * GstShapeJsonReader:
 * @array: the array "shapes"
 * @at: index of the current shape
 * @n_names: names of classes of the layers that have been read
 */
typedef struct
{
  json_t *array;
  gsize at;
  GError **error;
  guint n_names;
} GstShapeJsonReader;

/* Errors. All return %FALSE. */
G_GNUC_INTERNAL gboolean gst_shape_json_fail (GError ** error,
    const gchar * format, ...) G_GNUC_PRINTF (2, 3);
G_GNUC_INTERNAL gboolean gst_shape_json_fail_memory (GError ** error, gsize n,
    const gchar * what);
/* The current shape's @key is not @what. */
G_GNUC_INTERNAL gboolean gst_shape_json_fail_shape (const GstShapeJsonReader *
    reader, const gchar * key, const gchar * what);

/* null stands for a value that is not finite. */
G_GNUC_INTERNAL gboolean gst_shape_json_to_number (const json_t * value,
    gdouble * number);

/* The value of @key of @object, a part of the current shape. Missing keys leave
 * the output unchanged. */
G_GNUC_INTERNAL gboolean gst_shape_json_read_double (const GstShapeJsonReader *
    reader, const json_t * object, const gchar * key, gdouble * number);
G_GNUC_INTERNAL gboolean gst_shape_json_read_float (const GstShapeJsonReader *
    reader, const json_t * object, const gchar * key, gfloat * number);
/* @n: 2 or 4; null stands for as many that are not known */
G_GNUC_INTERNAL gboolean gst_shape_json_read_doubles (const GstShapeJsonReader *
    reader, const json_t * object, const gchar * key,
    gdouble * const numbers[], gsize n);
/* null: -1, for parents. */
G_GNUC_INTERNAL gboolean gst_shape_json_read_whole (const GstShapeJsonReader *
    reader, const json_t * object, const gchar * key, gint64 * number);
G_GNUC_INTERNAL gboolean gst_shape_json_read_id (const GstShapeJsonReader *
    reader, const json_t * object, const gchar * key, gint32 * id);
G_GNUC_INTERNAL gboolean gst_shape_json_read_flag (const GstShapeJsonReader *
    reader, const json_t * object, const gchar * key, guint32 flag,
    guint32 * flags);

/* Replaces @layer, of the @n shapes from @begin on, by one that has the arrays
 * @has (#GstShapeHas), too. */
G_GNUC_INTERNAL gboolean gst_shape_json_read_extras (GstShapeJsonReader *
    reader, gsize begin, gsize n, guint has, GstShapeLayer ** layer);

G_END_DECLS

#endif /* GST_SHAPE_JSON_READER_H */
