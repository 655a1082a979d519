/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the files that read JSON lines share. */

#include "gstshapejson.h"
#include "gstshapes-private.h"
#include "jsontext.h"

/* Keys of lines, shapes and what they consist of, and how they are written. */
#define GST_SHAPE_JSON_KEYS(KEY) \
  KEY (ANGLE, "angle") KEY (AREA, "area") KEY (AXES, "axes") \
  KEY (BBOX, "bbox") KEY (CENTER, "center") KEY (CENTROID, "centroid") \
  KEY (CLASS, "class") KEY (CLASS_NAME, "class-name") KEY (CLOSED, "closed") \
  KEY (COLOR, "color") KEY (CONFIDENCE, "confidence") \
  KEY (DEFECTS, "defects") KEY (DEPTH, "depth") KEY (DEVIATION, "deviation") \
  KEY (ENCLOSING_CIRCLE, "enclosing-circle") \
  KEY (ENCLOSING_ELLIPSE, "enclosing-ellipse") KEY (END, "end") \
  KEY (FARTHEST, "farthest") KEY (FERET, "feret") KEY (FRAME, "frame") \
  KEY (HEIGHT, "height") KEY (HOLE, "hole") KEY (ID, "id") \
  KEY (IMAGE, "image") KEY (INDICES, "indices") KEY (KIND, "kind") \
  KEY (LEVEL, "level") KEY (MAX, "max") KEY (MEAN, "mean") KEY (MIN, "min") \
  KEY (MIN_AREA_RECT, "min-area-rect") KEY (OFFSET, "offset") \
  KEY (PARENT, "parent") KEY (PERIMETER, "perimeter") KEY (PIXELS, "pixels") \
  KEY (PIXEL_SIZE, "pixel-size") KEY (POINTS, "points") KEY (PTS, "pts") \
  KEY (R, "r") KEY (REFERENCE_TIMESTAMP, "reference-timestamp") \
  KEY (REGION_ID, "region-id") KEY (SHAPES, "shapes") KEY (SIZE, "size") \
  KEY (SOLIDITY, "solidity") KEY (SOURCE, "source") KEY (START, "start") \
  KEY (STATISTICS, "statistics") KEY (TAGS, "tags") \
  KEY (TRACK_ID, "track-id") KEY (VERSION, "version") KEY (WIDTH, "width") \
  KEY (X, "x") KEY (Y, "y") KEY (Z, "z")

#define GST_SHAPE_JSON_KEY(key, name) KEY_##key,

typedef enum
{
  GST_SHAPE_JSON_KEYS (GST_SHAPE_JSON_KEY) N_KEYS
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
void gst_shape_json_index (const gchar * value, GstShapeJsonObject * object);

const gchar *gst_shape_json_key_to_string (GstShapeJsonKey key);

/* Errors. All return %FALSE. */
#define gst_shape_json_fail(error, ...) gst_shapes_fail_with (error, \
    GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE, __VA_ARGS__)
gboolean gst_shape_json_fail_memory (GError ** error, gsize n,
    const gchar * what);
/* The current shape's @key is not @what. */
gboolean gst_shape_json_fail_shape (const GstShapeJsonReader * reader,
    GstShapeJsonKey key, const gchar * what);

/* Takes @n times @size bytes from the budget. */
gboolean gst_shape_json_spend (GstShapeJsonReader * reader,
    gsize n, gsize size);

/* Two numbers in single precision; null is NaN. */
gboolean gst_shape_json_to_point (const gchar * value, GstShapePoint * point);
gboolean gst_shape_json_is_closed (const GstShapeJsonObject * shape);
/* How many points of @shape to read: one more than are there if it is closed
 * and the last one does not repeat the first. */
gsize gst_shape_json_count_points (const GstShapeJsonObject * shape);

/* The value of @key of @object, a part of the current shape; null is NaN.
 * Missing keys leave the output unchanged. */
gboolean gst_shape_json_read_double (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, gdouble * number);
gboolean gst_shape_json_read_float (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, gfloat * number);
/* @n: 2 or 4; null stands for as many that are not known */
gboolean gst_shape_json_read_doubles (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key,
    gdouble * const numbers[], gsize n);
/* null: -1, for parents. */
gboolean gst_shape_json_read_whole (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, gint64 * number);
gboolean gst_shape_json_read_id (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, gint32 * id);
gboolean gst_shape_json_read_flag (const GstShapeJsonReader * reader,
    const GstShapeJsonObject * object, GstShapeJsonKey key, guint32 flag,
    guint32 * flags);

/* Replaces @layer, of the @n shapes from @first on, by one that has the arrays
 * @has (#GstShapeHas), too. @begin: the index of the first one */
gboolean gst_shape_json_read_extras (GstShapeJsonReader * reader,
    const gchar * first, gsize begin, gsize n, guint has,
    GstShapeLayer ** layer);
