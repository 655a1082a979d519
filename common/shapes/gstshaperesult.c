/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What was found in one array. */

#include "gstshaperesult-private.h"
#include "gstshapes-private.h"

struct _GstShapeResult
{
  gatomicrefcount ref_count;
  GstShapeResultArrays arrays;
  gpointer payload;
  GDestroyNotify release;
};

G_DEFINE_BOXED_TYPE (GstShapeResult, gst_shape_result, gst_shape_result_ref,
    gst_shape_result_unref);

GstShapeResult *
gst_shape_result_new (const GstShapeResultArrays * arrays, gpointer payload,
    GDestroyNotify release)
{
  GstShapeResult *result = g_new0 (GstShapeResult, 1);

  g_atomic_ref_count_init (&result->ref_count);
  result->arrays = *arrays;
  result->payload = payload;
  result->release = release;
  return result;
}

/**
 * gst_shape_result_ref: (skip)
 * @result: a result
 *
 * Adds a reference, from any thread.
 *
 * Returns: (transfer full): @result, with one reference more
 *
 * Since: 1.0
 */
GstShapeResult *
gst_shape_result_ref (GstShapeResult * result)
{
  g_return_val_if_fail (result != NULL, NULL);

  g_atomic_ref_count_inc (&result->ref_count);
  return result;
}

/**
 * gst_shape_result_unref: (skip)
 * @result: (transfer full): a result
 *
 * Drops a reference. The last one releases the arrays, on this thread.
 *
 * Since: 1.0
 */
void
gst_shape_result_unref (GstShapeResult * result)
{
  g_return_if_fail (result != NULL);

  if (!g_atomic_ref_count_dec (&result->ref_count))
    return;
  if (result->payload)
    result->release (result->payload);
  g_free (result);
}

/**
 * gst_shape_result_get_n_ignored:
 * @result: a result
 *
 * How much of the input did not count.
 *
 * Returns: how many of the given points were NaN or infinite, and did not count
 *
 * Since: 1.0
 */
gsize
gst_shape_result_get_n_ignored (const GstShapeResult * result)
{
  g_return_val_if_fail (result != NULL, 0);

  return result->arrays.n_ignored;
}

/**
 * gst_shape_result_get_arrays: (skip)
 * @result: a result
 *
 * Everything that was found, in place.
 *
 * Returns: (transfer none): its arrays, valid as long as @result
 *
 * Since: 1.0
 */
const GstShapeResultArrays *
gst_shape_result_get_arrays (const GstShapeResult * result)
{
  g_return_val_if_fail (result != NULL, NULL);

  return &result->arrays;
}

/**
 * gst_shape_result_get_address:
 * @result: a result
 * @array: which array
 * @n: (out): its elements
 *
 * For bindings that read arrays in place. A point is one element.
 *
 * Returns: where the array is, as long as @result; 0 when there is none
 *
 * Since: 1.0
 */
guintptr
gst_shape_result_get_address (const GstShapeResult * result,
    GstShapeArrayType array, gsize * n)
{
  g_return_val_if_fail (n != NULL, 0);
  *n = 0;
  g_return_val_if_fail (result != NULL, 0);

  const GstShapeResultArrays *from = &result->arrays;
  const GstShapeArrays arrays = {
    .n_shapes = from->n_shapes,.n_points = from->n_points,
    /* of doubles, but here it is their address that counts */
    .points = (gconstpointer) from->points,.offsets = from->offsets,
    .polylines = from->polylines,.moments = from->moments,
    .hull_measures = from->hull_measures,.indices = from->indices,
  };
  return (guintptr) gst_shape_arrays_select (&arrays, array, n);
}
