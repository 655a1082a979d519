/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_RESULT_H
#define GST_SHAPE_RESULT_H

#include "gstshapeset.h"

G_BEGIN_DECLS

/**
 * GstShapeResultArray:
 * @GST_SHAPE_RESULT_POINTS: two doubles for each point
 * @GST_SHAPE_RESULT_OFFSETS: guint32, one more than shapes: shape i has the
 *     points offsets[i] up to, not including, offsets[i + 1]
 * @GST_SHAPE_RESULT_POLYLINES: a #GstShapePolyline for each shape
 * @GST_SHAPE_RESULT_MOMENTS: a #GstShapeMoments for each shape
 * @GST_SHAPE_RESULT_HULL_MEASURES: a #GstShapeHullMeasures for each shape
 * @GST_SHAPE_RESULT_INDICES: guint32 for each point: which of the given points
 *     it is
 *
 * The arrays that a #GstShapeResult may have.
 *
 * Since: 0.1
 */
typedef enum
{
  GST_SHAPE_RESULT_POINTS,
  GST_SHAPE_RESULT_OFFSETS,
  GST_SHAPE_RESULT_POLYLINES,
  GST_SHAPE_RESULT_MOMENTS,
  GST_SHAPE_RESULT_HULL_MEASURES,
  GST_SHAPE_RESULT_INDICES,
} GstShapeResultArray;

/**
 * GstShapeResultArrays: (skip)
 * @n_shapes: contours or hulls
 * @n_points: points of all shapes
 * @n_ignored: points given that were NaN or infinite
 * @points: (nullable): 2 * @n_points coordinates, in pixels
 * @offsets: (nullable): @n_shapes + 1
 * @polylines: (nullable): @n_shapes records
 * @moments: (nullable): @n_shapes
 * @hull_measures: (nullable): @n_shapes
 * @indices: (nullable): @n_points
 *
 * The arrays of a #GstShapeResult, in host memory. The owner of the only
 * reference may write to them.
 *
 * Since: 0.1
 */
typedef struct
{
  gsize n_shapes;
  gsize n_points;
  gsize n_ignored;
  gdouble *points;
  guint32 *offsets;
  GstShapePolyline *polylines;
  GstShapeMoments *moments;
  GstShapeHullMeasures *hull_measures;
  guint32 *indices;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
} GstShapeResultArrays;

/**
 * GstShapeResult:
 *
 * What a #GstShapeEngine found in one array, in double precision. Boxed,
 * reference counted.
 *
 * Since: 0.1
 */
typedef struct _GstShapeResult GstShapeResult;

#define GST_TYPE_SHAPE_RESULT (gst_shape_result_get_type ())
GST_SHAPES_API GType gst_shape_result_get_type (void);

GST_SHAPES_API GstShapeResult *gst_shape_result_ref (GstShapeResult * result);
GST_SHAPES_API void gst_shape_result_unref (GstShapeResult * result);
GST_SHAPES_API gsize gst_shape_result_get_n_ignored (const GstShapeResult *
    result);
GST_SHAPES_API const GstShapeResultArrays *gst_shape_result_get_arrays (const
    GstShapeResult * result);
GST_SHAPES_API guintptr gst_shape_result_get_address (const GstShapeResult *
    result, GstShapeResultArray array, gsize * n);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapeResult, gst_shape_result_unref)

G_END_DECLS

#endif /* GST_SHAPE_RESULT_H */
