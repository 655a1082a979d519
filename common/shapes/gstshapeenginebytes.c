/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arrays to an engine and from its results as bytes, for language bindings
 * that have no pointers. */

#include "gstshapeengine.h"
#include "gstshaperesult.h"
#include "gstshapes-private.h"

#define refuse(error, ...) gst_shapes_fail_with (error, GST_LIBRARY_ERROR, \
    GST_LIBRARY_ERROR_SETTINGS, __VA_ARGS__)

static gsize
get_number_size (GstShapeNumber type)
{
  static const gsize sizes[] = {
    [GST_SHAPE_NUMBER_U8] = 1,
    [GST_SHAPE_NUMBER_U16] = 2,
    [GST_SHAPE_NUMBER_I32] = 4,
    [GST_SHAPE_NUMBER_F16] = 2,
    [GST_SHAPE_NUMBER_F32] = 4,
    [GST_SHAPE_NUMBER_F64] = 8,
  };

  return (guint) type < G_N_ELEMENTS (sizes) ? sizes[type] : 0;
}

static gboolean
view_bytes (GstShapeImage * image, GBytes * bytes, GstShapeNumber type,
    guint width, guint height, guint channels, GError ** error)
{
  const gsize size = get_number_size (type);
  gsize n_bytes, row, all;
  gconstpointer data = g_bytes_get_data (bytes, &n_bytes);

  if (size == 0)
    return refuse (error, "%d is no type of numbers", (gint) type);
  if (!g_size_checked_mul (&row, size * channels, width)
      || !g_size_checked_mul (&all, row, height) || all != n_bytes)
    return refuse (error, "%" G_GSIZE_FORMAT " bytes are not %u rows of %u "
        "pixels with %u samples of %" G_GSIZE_FORMAT " bytes", n_bytes, height,
        width, channels, size);
  if ((guintptr) data % size != 0)
    return refuse (error, "the samples are not aligned");
  *image = (GstShapeImage) {
    .data = data,.type = type,.width = width,.height = height,
    .channels = channels,.pixel_stride = size * channels,.row_stride = row,
    .channel_stride = size,
  };
  return TRUE;
}

/**
 * gst_shape_engine_find_contours_bytes:
 * @engine: an engine
 * @samples: @height rows of @width pixels of @channels samples, without gaps,
 *     in native byte order; only read until this returns
 * @type: of the samples, not %GST_SHAPE_NUMBER_I32
 * @width: columns
 * @height: rows
 * @channels: samples of a pixel, at least 1
 * @levels: (array length=n_levels) (nullable): as those of
 *     gst_shape_engine_find_contours()
 * @n_levels: their number
 * @flags: what else to do
 * @error: return location for an error
 *
 * gst_shape_engine_find_contours() of bytes, without a mask, for language
 * bindings.
 *
 * Returns: (transfer full): the contours, or %NULL with @error set as by that
 *     function, and to %GST_LIBRARY_ERROR_SETTINGS if @samples have another
 *     size
 *
 * Since: 1.0
 */
GstShapeResult *
gst_shape_engine_find_contours_bytes (GstShapeEngine * engine, GBytes * samples,
    GstShapeNumber type, guint width, guint height, guint channels,
    const gdouble * levels, guint n_levels, GstShapeContoursFlags flags,
    GError ** error)
{
  GstShapeImage image;

  g_return_val_if_fail (engine != NULL, NULL);
  g_return_val_if_fail (samples != NULL, NULL);
  g_return_val_if_fail (levels != NULL || n_levels == 0, NULL);

  if (!view_bytes (&image, samples, type, width, height, channels, error))
    return NULL;
  return gst_shape_engine_find_contours (engine, &image, NULL, levels, n_levels,
      flags, error);
}

/**
 * gst_shape_engine_convex_hull_bytes:
 * @engine: an engine
 * @points: x and y of each point, packed, in native byte order; only read until
 *     this returns
 * @type: of the coordinates: %GST_SHAPE_NUMBER_F64, %GST_SHAPE_NUMBER_F32 or
 *     %GST_SHAPE_NUMBER_I32
 * @flags: what else to do
 * @error: return location for an error
 *
 * gst_shape_engine_convex_hull() of bytes, for language bindings.
 *
 * Returns: (transfer full): the hull, or %NULL with @error set as by that
 *     function, and to %GST_LIBRARY_ERROR_SETTINGS if @points are no whole
 *     number of points
 *
 * Since: 1.0
 */
GstShapeResult *
gst_shape_engine_convex_hull_bytes (GstShapeEngine * engine, GBytes * points,
    GstShapeNumber type, GstShapeHullFlags flags, GError ** error)
{
  const gsize size = get_number_size (type);
  gsize n_bytes;

  g_return_val_if_fail (engine != NULL, NULL);
  g_return_val_if_fail (points != NULL, NULL);

  gconstpointer data = g_bytes_get_data (points, &n_bytes);
  if (size > 0 && (n_bytes % (2 * size) != 0 || (guintptr) data % size != 0)) {
    refuse (error, "%" G_GSIZE_FORMAT " bytes are no points of twice %"
        G_GSIZE_FORMAT " bytes", n_bytes, size);
    return NULL;
  }
  return gst_shape_engine_convex_hull (engine, data, type,
      size > 0 ? n_bytes / (2 * size) : 0, 0, flags, error);
}

/**
 * gst_shape_result_get_bytes:
 * @result: a result
 * @array: which array; %GST_SHAPE_ARRAY_POINTS are two doubles each
 *
 * An array of @result for language bindings, in native byte order, without a
 * copy.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @result; %NULL when there is no such array
 *
 * Since: 1.0
 */
GBytes *
gst_shape_result_get_bytes (GstShapeResult * result, GstShapeArrayType array)
{
  static const gsize sizes[] = {
    [GST_SHAPE_ARRAY_POINTS] = 2 * sizeof (gdouble),
    [GST_SHAPE_ARRAY_OFFSETS] = sizeof (guint32),
    [GST_SHAPE_ARRAY_POLYLINES] = sizeof (GstShapePolyline),
    [GST_SHAPE_ARRAY_MOMENTS] = sizeof (GstShapeMoments),
    [GST_SHAPE_ARRAY_CIRCLES] = 0,
    [GST_SHAPE_ARRAY_HULL_MEASURES] = sizeof (GstShapeHullMeasures),
    [GST_SHAPE_ARRAY_INDICES] = sizeof (guint32),
  };
  gsize n = 0;

  g_return_val_if_fail (result != NULL, NULL);

  const guintptr at = gst_shape_result_get_address (result, array, &n);
  if (at == 0)
    return NULL;
  return g_bytes_new_with_free_func ((gconstpointer) at, n * sizes[array],
      (GDestroyNotify) gst_shape_result_unref, gst_shape_result_ref (result));
}
