/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstshapeset.h"
#include "gstshapetransform.h"

/* The library's debug category, "shapes", registered on first use: there is no
 * initialisation function. */
#ifndef GST_DISABLE_GST_DEBUG
GstDebugCategory *gst_shapes_debug_category (void);
#endif

/* Whatever may be a program's first use of the library calls gst_shapes_use(),
 * which calls @init. */
void gst_shapes_use (void);
void gst_shapes_set_first_use (gboolean (*init) (void));

/* Sets @error, and returns %FALSE. */
gboolean gst_shapes_fail_with (GError ** error, GQuark domain,
    gint code, const gchar * format, ...) G_GNUC_PRINTF (4, 5);

#define gst_shapes_fail(error, ...) gst_shapes_fail_with (error, \
    GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED, __VA_ARGS__)
#define gst_shapes_fail_memory(error, ...) gst_shapes_fail_with (error, \
    GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT, __VA_ARGS__)

/* Part of the ABI: arrays are exposed as bytes. */
G_STATIC_ASSERT (sizeof (GstShapePoint) == 8);
G_STATIC_ASSERT (sizeof (GstShapePolyline) == 104);
G_STATIC_ASSERT (sizeof (GstShapeMoments) == 80);
G_STATIC_ASSERT (sizeof (GstShapeHullMeasures) == 120);
G_STATIC_ASSERT (sizeof (GstShapeAnnotation) == 16);
G_STATIC_ASSERT (sizeof (GstShapeCircle) == 24);
G_STATIC_ASSERT (sizeof (GstShapeEllipse) == 48);
G_STATIC_ASSERT (sizeof (GstShapeDefect) == 40);
G_STATIC_ASSERT (sizeof (GstShapeStatistic) == 48);
/* What is added to these takes the place of private members. */
G_STATIC_ASSERT (sizeof (GstShapeArrays) == 19 * sizeof (gpointer));
G_STATIC_ASSERT (sizeof (GstShapePayloadOps) == 8 * sizeof (gpointer));

/* Host memory for one layer's arrays, all in one block. */
typedef struct
{
  GstShapePoint *points;
  guint32 *offsets;
  GstShapePolyline *polylines;
  GstShapeMoments *moments;
  GstShapeCircle *circles;
  GstShapeHullMeasures *hull_measures;
  GstShapeAnnotation *annotations;
} GstShapeBlock;

/* The optional arrays of a layer of polylines. */
typedef enum
{
  GST_SHAPE_HAS_POINTS = (1 << 0),
  GST_SHAPE_HAS_MOMENTS = (1 << 1),
  GST_SHAPE_HAS_HULL_MEASURES = (1 << 2),
  GST_SHAPE_HAS_ANNOTATIONS = (1 << 3),
  /* only of extended layers */
  GST_SHAPE_HAS_ELLIPSES = (1 << 4),
  GST_SHAPE_HAS_INDICES = (1 << 5),
  GST_SHAPE_HAS_DEFECTS = (1 << 6),
  GST_SHAPE_HAS_STATISTICS = (1 << 7),
  /* records in place of others, only of extended layers */
  GST_SHAPE_HAS_POLYLINES = (1 << 8),
} GstShapeHas;

#define GST_SHAPE_HAS_EXTRAS \
  (GST_SHAPE_HAS_ELLIPSES | GST_SHAPE_HAS_INDICES | GST_SHAPE_HAS_DEFECTS | \
      GST_SHAPE_HAS_STATISTICS)
#define GST_SHAPE_HAS_ALL \
  (GST_SHAPE_HAS_POINTS | GST_SHAPE_HAS_MOMENTS | \
      GST_SHAPE_HAS_HULL_MEASURES | GST_SHAPE_HAS_ANNOTATIONS | \
      GST_SHAPE_HAS_EXTRAS)

static inline guint
gst_shape_arrays_have (const GstShapeArrays * arrays)
{
  return (arrays->points ? GST_SHAPE_HAS_POINTS : 0) |
      (arrays->moments ? GST_SHAPE_HAS_MOMENTS : 0) |
      (arrays->hull_measures ? GST_SHAPE_HAS_HULL_MEASURES : 0) |
      (arrays->annotations ? GST_SHAPE_HAS_ANNOTATIONS : 0) |
      (arrays->ellipses ? GST_SHAPE_HAS_ELLIPSES : 0) |
      (arrays->indices ? GST_SHAPE_HAS_INDICES : 0) |
      (arrays->defects ? GST_SHAPE_HAS_DEFECTS : 0) |
      (arrays->statistics ? GST_SHAPE_HAS_STATISTICS : 0);
}

/* The arrays of an extended layer that are its own, to be filled. */
typedef struct
{
  GstShapePolyline *polylines;
  GstShapeAnnotation *annotations;
  GstShapeEllipse *ellipses;
  guint32 *indices;
  GstShapeDefect *defects;
  GstShapeStatistic *statistics;
} GstShapeExtras;

/* The place of an array in @data after what is @used of it, whose elements are
 * of a size divisible by that of indices and offsets; all but those, the last
 * ones, are of whole doubles. Without @data only the room is counted. */
static inline gpointer
gst_shape_take_room (guint8 * data, guint64 * used, gboolean has, guint64 n,
    gsize size)
{
  const gsize at = *used;

  if (!has)
    return NULL;
  *used += n * size;
  return data ? data + at : NULL;
}

/* A layer with the arrays of @base and, in place of those that it may have,
 * uninitialised ones: those in @has (#GstShapeHas). The caller fills them
 * before anybody reads the layer. %NULL when out of memory. */
GstShapeLayer *gst_shape_layer_extend_block (GstShapeLayer * base, guint has,
    gsize n_defects, gsize n_statistics, GstShapeExtras * extras);

/* Whether each record's shape is one of @n_shapes, and not before that of the
 * record before it. */
gboolean gst_shape_lists_are_valid (const GstShapeArrays * arrays,
    gsize n_shapes);

/* The first defect of a shape at least @shape, or how many there are. */
gsize gst_shape_arrays_find_defect (const GstShapeArrays * arrays, gsize shape);
gsize gst_shape_arrays_find_statistic (const GstShapeArrays * arrays,
    gsize shape);

/* Measures of polyline @i for pixels of @x by @y millimetres. */
void gst_shape_arrays_get_metric (const GstShapeArrays * arrays, gsize i,
    gdouble x, gdouble y, GstShapeMetric * metric);

/* Of polyline @i; nothing is known without annotations. A confidence that is no
 * number of at least 0 becomes -1. */
GstShapeAnnotation gst_shape_arrays_get_annotation (
    const GstShapeArrays * arrays, gsize i);

/* A layer that nobody else holds has annotations, though perhaps no arrays on
 * the host yet. */
void gst_shape_layer_set_annotated (GstShapeLayer * layer);

/* What is known of the ids, kinds and classes of @from holds for @layer. */
void gst_shape_layer_copy_facts (GstShapeLayer * layer, GstShapeLayer * from);

/* The array @array of @arrays, and its elements. NULL and 0 when there is
 * none. */
gconstpointer gst_shape_arrays_select (const GstShapeArrays * arrays,
    GstShapeArrayType array, gsize * n);

/* Allocates a layer with uninitialised arrays, which it owns, in @block; only
 * those in @has (#GstShapeHas) are not %NULL. The caller fills them, including
 * offsets, and calls gst_shape_layer_seal() before publishing the layer. %NULL
 * when out of memory. */
GstShapeLayer *gst_shape_layer_new_block (GstShapeLayerType
    type, gsize n_shapes, gsize n_points, guint has, GstShapeBlock * block);

/* Whether a layer may have as many shapes and points. */
gboolean gst_shape_counts_are_valid (GstShapeLayerType type,
    gsize n_shapes, gsize n_points);

/* Whether @offsets start with 0, do not decrease and end with @n_points:
 * readers use them without checks. */
gboolean gst_shape_offsets_are_valid (const guint32 * offsets,
    gsize n_polylines, gsize n_points);

/* Whether the arrays filled in are valid; otherwise releases @layer. */
gboolean gst_shape_layer_seal (GstShapeLayer * layer);

/* gst_shape_set_transform() that adds @first_id to all ids. */
GstShapeSet *gst_shape_set_transform_ids (GstShapeSet * set,
    const GstShapeAffine * affine, guint width, guint height, gint32 first_id,
    GError ** error);
