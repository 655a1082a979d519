/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reading a layer, for bindings. */

#include "gstshapeset.h"
#include "gstshapes-private.h"

/**
 * gst_shape_layer_download:
 * @layer: a layer
 * @error: return location for an error
 *
 * Makes sure that the arrays are in host memory, as gst_shape_layer_map_host().
 *
 * Returns: %TRUE, or %FALSE with @error set
 *
 * Since: 0.1
 */
gboolean
gst_shape_layer_download (GstShapeLayer * layer, GError ** error)
{
  g_return_val_if_fail (layer != NULL, FALSE);

  return gst_shape_layer_map_host (layer, error) != NULL;
}

gconstpointer
gst_shape_arrays_select (const GstShapeArrays * arrays,
    GstShapeArrayType array, gsize * n)
{
  *n = arrays->n_shapes;
  switch (array) {
    case GST_SHAPE_ARRAY_POINTS:
      *n = arrays->n_points;
      return arrays->points;
    case GST_SHAPE_ARRAY_OFFSETS:
      *n = arrays->n_shapes + 1;
      return arrays->offsets;
    case GST_SHAPE_ARRAY_POLYLINES:
      return arrays->polylines;
    case GST_SHAPE_ARRAY_MOMENTS:
      return arrays->moments;
    case GST_SHAPE_ARRAY_CIRCLES:
      return arrays->circles;
    case GST_SHAPE_ARRAY_HULL_MEASURES:
      return arrays->hull_measures;
    case GST_SHAPE_ARRAY_ANNOTATIONS:
      return arrays->annotations;
    case GST_SHAPE_ARRAY_INDICES:
      *n = arrays->n_points;
      return arrays->indices;
    case GST_SHAPE_ARRAY_ELLIPSES:
      return arrays->ellipses;
    case GST_SHAPE_ARRAY_DEFECTS:
      *n = arrays->n_defects;
      return arrays->defects;
    case GST_SHAPE_ARRAY_STATISTICS:
      *n = arrays->n_statistics;
      return arrays->statistics;
  }
  return NULL;
}

/**
 * gst_shape_layer_get_address:
 * @layer: a layer
 * @array: which array
 * @n: (out): its elements
 * @error: return location for an error
 *
 * For bindings that read arrays in place; nobody may write there. Downloads a
 * layer that is only on a device.
 *
 * Returns: where the array is, as long as @layer; 0 when there is no such
 *     array, and with @error set when the download failed
 *
 * Since: 0.1
 */
guintptr
gst_shape_layer_get_address (GstShapeLayer * layer, GstShapeArrayType array,
    gsize * n, GError ** error)
{
  g_return_val_if_fail (n != NULL, 0);
  *n = 0;
  g_return_val_if_fail (layer != NULL, 0);

  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);
  if (!arrays)
    return 0;
  gconstpointer data = gst_shape_arrays_select (arrays, array, n);
  if (!data)
    *n = 0;
  return (guintptr) data;
}
