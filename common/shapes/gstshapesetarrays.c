/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The arrays of a set's layers. */
#include "gstshapeset.h"
#include "gstshapes-private.h"

#define GST_CAT_DEFAULT gst_shapes_debug_category ()

static const gsize element_sizes[] = {
  [GST_SHAPE_ARRAY_POINTS] = sizeof (GstShapePoint),
  [GST_SHAPE_ARRAY_OFFSETS] = sizeof (guint32),
  [GST_SHAPE_ARRAY_POLYLINES] = sizeof (GstShapePolyline),
  [GST_SHAPE_ARRAY_MOMENTS] = sizeof (GstShapeMoments),
  [GST_SHAPE_ARRAY_CIRCLES] = sizeof (GstShapeCircle),
  [GST_SHAPE_ARRAY_HULL_MEASURES] = sizeof (GstShapeHullMeasures),
  [GST_SHAPE_ARRAY_ANNOTATIONS] = sizeof (GstShapeAnnotation),
};

/* An array of a layer on the host. %NULL and 0 when there is no such layer or
 * array; a download that failed is also logged. */
static gconstpointer
get_array (GstShapeSet * set, guint layer, GstShapeArrayType array, gsize * n)
{
  GstShapeLayer *l = gst_shape_set_get_layer (set, layer);
  g_autoptr (GError) error = NULL;
  gsize count = 0;

  if (n)
    *n = 0;
  if (!l)
    return NULL;

  const GstShapeArrays *arrays = gst_shape_layer_map_host (l, &error);
  if (!arrays) {
    GST_WARNING ("layer %u cannot be read: %s", layer, error->message);
    return NULL;
  }
  gconstpointer data = gst_shape_arrays_select (arrays, array, &count);
  if (data && n)
    *n = count;
  return data;
}

static GBytes *
get_bytes (GstShapeSet * set, guint layer, GstShapeArrayType array)
{
  gsize n;
  gconstpointer data = get_array (set, layer, array, &n);

  if (!data)
    return NULL;
  return g_bytes_new_with_free_func (data, n * element_sizes[array],
      (GDestroyNotify) gst_shape_set_unref, gst_shape_set_ref (set));
}

/* An array's three getters, which are documented where they are defined. */
#define DEFINE_GETTERS(name, Element, ARRAY) \
    const Element * \
    gst_shape_set_get_##name (GstShapeSet * set, guint layer, gsize * n) \
    { \
      g_return_val_if_fail (set != NULL, NULL); \
      return get_array (set, layer, GST_SHAPE_ARRAY_##ARRAY, n); \
    } \
 \
    GBytes * \
    gst_shape_set_get_##name##_bytes (GstShapeSet * set, guint layer) \
    { \
      g_return_val_if_fail (set != NULL, NULL); \
      return get_bytes (set, layer, GST_SHAPE_ARRAY_##ARRAY); \
    } \
 \
    guintptr \
    gst_shape_set_get_##name##_address (GstShapeSet * set, guint layer, \
        gsize * n) \
    { \
      g_return_val_if_fail (set != NULL, 0); \
      return (guintptr) get_array (set, layer, GST_SHAPE_ARRAY_##ARRAY, n); \
    }

/**
 * gst_shape_set_get_points: (skip)
 * @set: a set
 * @layer: index of the layer
 * @n_points: (out) (optional): how many there are
 *
 * All polylines' points, one after the other.
 * Downloads a layer that is only on a device.
 *
 * Returns: (transfer none) (nullable): the array, valid as long as @set; %NULL
 *     when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_points_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_points() for bindings, in native byte order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_points_address:
 * @set: a set
 * @layer: index of the layer
 * @n_points: (out) (optional): how many there are
 *
 * The array of gst_shape_set_get_points() for bindings that read memory in
 * place. Nobody may write there.
 *
 * Returns: the array's address, valid as long as @set; 0 when there is no such
 *     layer or array, or the download failed
 *
 * Since: 1.0
 */
DEFINE_GETTERS (points, GstShapePoint, POINTS)

/**
 * gst_shape_set_get_offsets: (skip)
 * @set: a set
 * @layer: index of the layer
 * @n_offsets: (out) (optional): how many there are
 *
 * Where each polyline's points begin, and their end.
 * Downloads a layer that is only on a device.
 *
 * Returns: (transfer none) (nullable): the array, valid as long as @set; %NULL
 *     when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_offsets_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_offsets() for bindings, in native byte order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_offsets_address:
 * @set: a set
 * @layer: index of the layer
 * @n_offsets: (out) (optional): how many there are
 *
 * The array of gst_shape_set_get_offsets() for bindings that read memory in
 * place. Nobody may write there.
 *
 * Returns: the array's address, valid as long as @set; 0 when there is no such
 *     layer or array, or the download failed
 *
 * Since: 1.0
 */
DEFINE_GETTERS (offsets, guint32, OFFSETS)

/**
 * gst_shape_set_get_polylines: (skip)
 * @set: a set
 * @layer: index of the layer
 * @n_polylines: (out) (optional): how many there are
 *
 * One record for each polyline.
 * Downloads a layer that is only on a device.
 *
 * Returns: (transfer none) (nullable): the array, valid as long as @set; %NULL
 *     when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_polylines_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_polylines() for bindings, in native byte
 * order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_polylines_address:
 * @set: a set
 * @layer: index of the layer
 * @n_polylines: (out) (optional): how many there are
 *
 * The array of gst_shape_set_get_polylines() for bindings that read memory in
 * place. Nobody may write there.
 *
 * Returns: the array's address, valid as long as @set; 0 when there is no such
 *     layer or array, or the download failed
 *
 * Since: 1.0
 */
DEFINE_GETTERS (polylines, GstShapePolyline, POLYLINES)

/**
 * gst_shape_set_get_moments: (skip)
 * @set: a set
 * @layer: index of the layer
 * @n_moments: (out) (optional): how many there are
 *
 * One for each polyline, if they were taken.
 * Downloads a layer that is only on a device.
 *
 * Returns: (transfer none) (nullable): the array, valid as long as @set; %NULL
 *     when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_moments_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_moments() for bindings, in native byte order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_moments_address:
 * @set: a set
 * @layer: index of the layer
 * @n_moments: (out) (optional): how many there are
 *
 * The array of gst_shape_set_get_moments() for bindings that read memory in
 * place. Nobody may write there.
 *
 * Returns: the array's address, valid as long as @set; 0 when there is no such
 *     layer or array, or the download failed
 *
 * Since: 1.0
 */
DEFINE_GETTERS (moments, GstShapeMoments, MOMENTS)

/**
 * gst_shape_set_get_circles: (skip)
 * @set: a set
 * @layer: index of the layer
 * @n_circles: (out) (optional): how many there are
 *
 * One record for each circle.
 * Downloads a layer that is only on a device.
 *
 * Returns: (transfer none) (nullable): the array, valid as long as @set; %NULL
 *     when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_circles_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_circles() for bindings, in native byte order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_circles_address:
 * @set: a set
 * @layer: index of the layer
 * @n_circles: (out) (optional): how many there are
 *
 * The array of gst_shape_set_get_circles() for bindings that read memory in
 * place. Nobody may write there.
 *
 * Returns: the array's address, valid as long as @set; 0 when there is no such
 *     layer or array, or the download failed
 *
 * Since: 1.0
 */
DEFINE_GETTERS (circles, GstShapeCircle, CIRCLES)

/**
 * gst_shape_set_get_hull_measures: (skip)
 * @set: a set
 * @layer: index of the layer
 * @n_hulls: (out) (optional): how many there are
 *
 * One for each hull, if they were taken.
 * Downloads a layer that is only on a device.
 *
 * Returns: (transfer none) (nullable): the array, valid as long as @set; %NULL
 *     when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_hull_measures_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_hull_measures() for bindings, in native byte
 * order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_hull_measures_address:
 * @set: a set
 * @layer: index of the layer
 * @n_hulls: (out) (optional): how many there are
 *
 * The array of gst_shape_set_get_hull_measures() for bindings that read memory
 * in place. Nobody may write there.
 *
 * Returns: the array's address, valid as long as @set; 0 when there is no such
 *     layer or array, or the download failed
 *
 * Since: 1.0
 */
DEFINE_GETTERS (hull_measures, GstShapeHullMeasures, HULL_MEASURES)

/**
 * gst_shape_set_get_annotations: (skip)
 * @set: a set
 * @layer: index of the layer
 * @n_annotations: (out) (optional): how many there are
 *
 * One for each polyline, if the layer is annotated.
 * Downloads a layer that is only on a device.
 *
 * Returns: (transfer none) (nullable): the array, valid as long as @set; %NULL
 *     when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_annotations_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_annotations() for bindings, in native byte
 * order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 *
 * Since: 1.0
 */

/**
 * gst_shape_set_get_annotations_address:
 * @set: a set
 * @layer: index of the layer
 * @n_annotations: (out) (optional): how many there are
 *
 * The array of gst_shape_set_get_annotations() for bindings that read memory
 * in place. Nobody may write there.
 *
 * Returns: the array's address, valid as long as @set; 0 when there is no such
 *     layer or array, or the download failed
 *
 * Since: 1.0
 */
DEFINE_GETTERS (annotations, GstShapeAnnotation, ANNOTATIONS)
