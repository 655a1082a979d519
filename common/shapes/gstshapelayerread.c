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
 * Since: 1.0
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
  const struct
  {
    gconstpointer data;
    gsize n;
  } all[] = {
    [GST_SHAPE_ARRAY_POINTS] = {arrays->points, arrays->n_points},
    [GST_SHAPE_ARRAY_OFFSETS] = {arrays->offsets, arrays->n_shapes + 1},
    [GST_SHAPE_ARRAY_POLYLINES] = {arrays->polylines, arrays->n_shapes},
    [GST_SHAPE_ARRAY_MOMENTS] = {arrays->moments, arrays->n_shapes},
    [GST_SHAPE_ARRAY_CIRCLES] = {arrays->circles, arrays->n_shapes},
    [GST_SHAPE_ARRAY_HULL_MEASURES] = {arrays->hull_measures, arrays->n_shapes},
    [GST_SHAPE_ARRAY_ANNOTATIONS] = {arrays->annotations, arrays->n_shapes},
    [GST_SHAPE_ARRAY_INDICES] = {arrays->indices, arrays->n_points},
    [GST_SHAPE_ARRAY_ELLIPSES] = {arrays->ellipses, arrays->n_shapes},
    [GST_SHAPE_ARRAY_DEFECTS] = {arrays->defects, arrays->n_defects},
    [GST_SHAPE_ARRAY_STATISTICS] = {arrays->statistics, arrays->n_statistics},
  };
  gconstpointer data =
      (guint) array < G_N_ELEMENTS (all) ? all[array].data : NULL;

  *n = data ? all[array].n : 0;
  return data;
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
 * Since: 1.0
 */
guintptr
gst_shape_layer_get_address (GstShapeLayer * layer, GstShapeArrayType array,
    gsize * n, GError ** error)
{
  g_return_val_if_fail (n != NULL, 0);
  *n = 0;
  g_return_val_if_fail (layer != NULL, 0);

  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);
  return arrays ? (guintptr) gst_shape_arrays_select (arrays, array, n) : 0;
}
