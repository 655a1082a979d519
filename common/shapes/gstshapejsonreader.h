/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the files that read JSON lines share. */

#include "gstshapejson.h"
#include "gstshapes-private.h"
#include "jsontext.h"

G_BEGIN_DECLS

/* Keys of lines, shapes and what they consist of. */
typedef enum
{
  KEY_ANGLE,
  KEY_AREA,
  KEY_AXES,
  KEY_BBOX,
  KEY_CENTER,
  KEY_CENTROID,
  KEY_CLASS,
  KEY_CLASS_NAME,
  KEY_CLOSED,
  KEY_COLOR,
  KEY_CONFIDENCE,
  KEY_DEFECTS,
  KEY_DEPTH,
  KEY_DEVIATION,
  KEY_ENCLOSING_CIRCLE,
  KEY_ENCLOSING_ELLIPSE,
  KEY_END,
  KEY_FARTHEST,
  KEY_FERET,
  KEY_FRAME,
  KEY_HEIGHT,
  KEY_HOLE,
  KEY_ID,
  KEY_IMAGE,
  KEY_INDICES,
  KEY_KIND,
  KEY_LEVEL,
  KEY_MAX,
  KEY_MEAN,
  KEY_MIN,
  KEY_MIN_AREA_RECT,
  KEY_OFFSET,
  KEY_PARENT,
  KEY_PERIMETER,
  KEY_PIXELS,
  KEY_PIXEL_SIZE,
  KEY_POINTS,
  KEY_PTS,
  KEY_R,
  KEY_REFERENCE_TIMESTAMP,
  KEY_REGION_ID,
  KEY_SHAPES,
  KEY_SIZE,
  KEY_SOLIDITY,
  KEY_SOURCE,
  KEY_START,
  KEY_STATISTICS,
  KEY_TAGS,
  KEY_TRACK_ID,
  KEY_VERSION,
  KEY_WIDTH,
  KEY_X,
  KEY_Y,
  KEY_Z,
  N_KEYS
} GstShapeJsonKey;

/* The values of an object (jsontext.h), by their keys; %NULL: not there. Of
 * equal keys the last one counts. */
typedef struct
{
  const gchar *values[N_KEYS];
} GstShapeJsonObject;

/**
 * GstShapeJsonReader:
 * @at: index of the current shape
 * @n_names: names of classes of the layers that have been read
 * @budget: bytes that may yet be allocated
 */
typedef struct
{
  gsize at;
  GError **error;
  guint n_names;
  gsize budget;
} GstShapeJsonReader;

/* %NULL, or what is no object, has no values. */
G_GNUC_INTERNAL void gst_shape_json_index (const gchar * value,
    GstShapeJsonObject * object);

G_GNUC_INTERNAL const gchar *gst_shape_json_key_to_string (GstShapeJsonKey
    key);

/* Errors. All return %FALSE. */
G_GNUC_INTERNAL gboolean gst_shape_json_fail (GError ** error,
    const gchar * format, ...) G_GNUC_PRINTF (2, 3);
G_GNUC_INTERNAL gboolean gst_shape_json_fail_memory (GError ** error, gsize n,
    const gchar * what);
/* The current shape's @key is not @what. */
G_GNUC_INTERNAL gboolean gst_shape_json_fail_shape (const GstShapeJsonReader *
    reader, GstShapeJsonKey key, const gchar * what);

/* Takes @n times @size bytes from the budget. */
G_GNUC_INTERNAL gboolean gst_shape_json_spend (GstShapeJsonReader * reader,
    gsize n, gsize size);

/* Two numbers in single precision; null is NaN. */
G_GNUC_INTERNAL gboolean gst_shape_json_to_point (const gchar * value,
    GstShapePoint * point);
G_GNUC_INTERNAL gboolean gst_shape_json_is_closed (const GstShapeJsonObject *
    shape);
/* How many points of @shape to read: one more than are there if it is closed
 * and the last one does not repeat the first. */
G_GNUC_INTERNAL gsize gst_shape_json_count_points (const GstShapeJsonObject *
    shape);

/* The value of @key of @object, a part of the current shape; null is NaN.
 * Missing keys leave the output unchanged. */
G_GNUC_INTERNAL gboolean gst_shape_json_read_double (const GstShapeJsonReader *
    reader, const GstShapeJsonObject * object, GstShapeJsonKey key,
    gdouble * number);
G_GNUC_INTERNAL gboolean gst_shape_json_read_float (const GstShapeJsonReader *
    reader, const GstShapeJsonObject * object, GstShapeJsonKey key,
    gfloat * number);
/* @n: 2 or 4; null stands for as many that are not known */
G_GNUC_INTERNAL gboolean gst_shape_json_read_doubles (const GstShapeJsonReader *
    reader, const GstShapeJsonObject * object, GstShapeJsonKey key,
    gdouble * const numbers[], gsize n);
/* null: -1, for parents. */
G_GNUC_INTERNAL gboolean gst_shape_json_read_whole (const GstShapeJsonReader *
    reader, const GstShapeJsonObject * object, GstShapeJsonKey key,
    gint64 * number);
G_GNUC_INTERNAL gboolean gst_shape_json_read_id (const GstShapeJsonReader *
    reader, const GstShapeJsonObject * object, GstShapeJsonKey key,
    gint32 * id);
G_GNUC_INTERNAL gboolean gst_shape_json_read_flag (const GstShapeJsonReader *
    reader, const GstShapeJsonObject * object, GstShapeJsonKey key,
    guint32 flag, guint32 * flags);

/* Replaces @layer, of the @n shapes from @first on, by one that has the arrays
 * @has (#GstShapeHas), too. @begin: the index of the first one */
G_GNUC_INTERNAL gboolean gst_shape_json_read_extras (GstShapeJsonReader *
    reader, const gchar * first, gsize begin, gsize n, guint has,
    GstShapeLayer ** layer);

G_END_DECLS
