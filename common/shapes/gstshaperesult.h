/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_RESULT_H
#define GST_SHAPE_RESULT_H

#include "gstshapeset.h"

G_BEGIN_DECLS

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
 * Since: 1.0
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
 * Since: 1.0
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
    result, GstShapeArrayType array, gsize * n);
GST_SHAPES_API GBytes *gst_shape_result_get_bytes (GstShapeResult * result,
    GstShapeArrayType array);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapeResult, gst_shape_result_unref)

G_END_DECLS

#endif /* GST_SHAPE_RESULT_H */
