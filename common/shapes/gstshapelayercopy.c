/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Layers that own a copy of their arrays. */

#include <string.h>

#include "gstshapepoints.h"
#include "gstshapes-private.h"

static void
copy_array (gpointer to, gconstpointer from, gsize n, gsize size)
{
  if (n > 0)
    memcpy (to, from, n * size);
}

static GstShapeLayer *
out_of_memory (gsize n_shapes, GError ** error)
{
  gst_shapes_fail (error, "not enough memory for a copy of %" G_GSIZE_FORMAT
      " shapes", n_shapes);
  return NULL;
}

/* What nobody has measured, in the records of whoever knows nothing of
 * NaN. */
static gboolean
is_not_measured (const GstShapePolyline * p)
{
  return p->area == 0 && p->perimeter == 0 && p->centroid_x == 0
      && p->centroid_y == 0 && p->bbox_x0 == 0 && p->bbox_y0 == 0
      && p->bbox_x1 == 0 && p->bbox_y1 == 0;
}

static void
measure_polylines (const GstShapeBlock * block, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    GstShapePolyline *p = &block->polylines[i];
    const gsize n_points = block->offsets[i + 1] - block->offsets[i];

    if (n_points == 0 || !is_not_measured (p))
      continue;
    gst_shape_points_measure (block->points + block->offsets[i], n_points,
        p->flags & GST_SHAPE_FLAG_CLOSED, p);
    if (p->solidity == 0)
      p->solidity = NAN;
  }
}

static gboolean
is_open_ring (const GstShapeBlock * block, gsize i)
{
  const gsize first = block->offsets[i];

  return (block->polylines[i].flags & GST_SHAPE_FLAG_CLOSED)
      && !gst_shape_points_are_closed (block->points + first,
      block->offsets[i + 1] - first);
}

/* @layer with the first point of each ring at its end, too, or @layer itself;
 * %NULL without memory. Takes @layer. */
static GstShapeLayer *
close_rings (GstShapeLayer * layer, GstShapeBlock * block, gsize n)
{
  const gsize n_points = block->offsets[n];
  const GstShapeBlock from = *block;
  GstShapeLayer *closed;
  gsize n_open = 0;

  for (gsize i = 0; i < n; i++)
    n_open += is_open_ring (&from, i);
  if (n_open == 0)
    return layer;
  closed = gst_shape_counts_are_valid (GST_SHAPE_LAYER_POLYLINES, n,
      n_points + n_open) ?
      gst_shape_layer_new_block (GST_SHAPE_LAYER_POLYLINES, n,
      n_points + n_open, GST_SHAPE_HAS_POINTS |
      (from.moments ? GST_SHAPE_HAS_MOMENTS : 0), block) : NULL;
  if (closed) {
    GstShapePoint *to = block->points;

    copy_array (block->polylines, from.polylines, n, sizeof (*from.polylines));
    if (from.moments)
      copy_array (block->moments, from.moments, n, sizeof (*from.moments));
    for (gsize i = 0; i < n; i++) {
      const GstShapePoint *points = from.points + from.offsets[i];
      const gsize length = from.offsets[i + 1] - from.offsets[i];

      block->offsets[i] = to - block->points;
      copy_array (to, points, length, sizeof (*points));
      to += length;
      if (is_open_ring (&from, i))
        *to++ = points[0];
    }
    block->offsets[n] = n_points + n_open;
  }
  gst_shape_layer_unref (layer);
  return closed && gst_shape_layer_seal (closed) ? closed : NULL;
}

static GstShapeLayer *
polylines_copy (const GstShapePoint * points, gsize n_points,
    const guint32 * offsets, const GstShapePolyline * polylines,
    gsize n_polylines, const GstShapeMoments * moments, GError ** error)
{
  GstShapeBlock block;
  GstShapeLayer *layer;

  layer = gst_shape_layer_new_block (GST_SHAPE_LAYER_POLYLINES, n_polylines,
      n_points, (points ? GST_SHAPE_HAS_POINTS : 0) |
      (moments ? GST_SHAPE_HAS_MOMENTS : 0), &block);
  if (!layer)
    return out_of_memory (n_polylines, error);

  if (points)
    copy_array (block.points, points, n_points, sizeof (*points));
  if (moments)
    copy_array (block.moments, moments, n_polylines, sizeof (*moments));
  copy_array (block.polylines, polylines, n_polylines, sizeof (*polylines));
  copy_array (block.offsets, offsets, n_polylines + 1, sizeof (*offsets));
  if (gst_shape_layer_seal (layer)) {
    if (!points)
      return layer;
    layer = close_rings (layer, &block, n_polylines);
    if (!layer)
      return out_of_memory (n_polylines, error);
    measure_polylines (&block, n_polylines);
    return layer;
  }

  gst_shapes_fail (error,
      "offsets must start with 0, not decrease, and end with the number of "
      "points, %" G_GSIZE_FORMAT, n_points);
  return NULL;
}

/**
 * gst_shape_layer_new_polylines_copy: (skip)
 * @points: (nullable): @n_points points, or %NULL for measures only
 * @n_points: points of all polylines
 * @offsets: @n_polylines + 1 indices into @points: 0 first, @n_points last,
 *     not decreasing. May be %NULL when there are no polylines.
 * @polylines: (nullable): @n_polylines records
 * @n_polylines: polylines
 * @moments: (nullable): @n_polylines moments, or %NULL
 *
 * Creates a layer of polylines with a copy of the arrays. A closed polyline may
 * end with its first point or not; in the layer it does, which then has a point
 * more. A record whose area, perimeter, centroid and bounding box are all 0,
 * and which has points, gets them from these.
 *
 * Returns: (transfer full) (nullable): the layer, or %NULL for invalid
 *     arguments or when out of memory
 *
 * Since: 1.0
 */
GstShapeLayer *
gst_shape_layer_new_polylines_copy (const GstShapePoint * points,
    gsize n_points, const guint32 * offsets, const GstShapePolyline * polylines,
    gsize n_polylines, const GstShapeMoments * moments)
{
  /* the offsets of no polylines */
  static const guint32 no_polylines = 0;

  g_return_val_if_fail (gst_shape_counts_are_valid (GST_SHAPE_LAYER_POLYLINES,
          n_polylines, n_points), NULL);
  g_return_val_if_fail (polylines || n_polylines == 0, NULL);
  g_return_val_if_fail (offsets || n_polylines == 0, NULL);
  if (!offsets)
    offsets = &no_polylines;
  g_return_val_if_fail (gst_shape_offsets_are_valid (offsets, n_polylines,
          n_points), NULL);

  return polylines_copy (points, n_points, offsets, polylines, n_polylines,
      moments, NULL);
}

/**
 * gst_shape_layer_new_circles_copy: (skip)
 * @circles: (nullable): @n_circles circles
 * @n_circles: circles
 *
 * Creates a layer of circles with a copy of the array.
 *
 * Returns: (transfer full) (nullable): the layer, or %NULL for invalid
 *     arguments or when out of memory
 *
 * Since: 1.0
 */
GstShapeLayer *
gst_shape_layer_new_circles_copy (const GstShapeCircle * circles,
    gsize n_circles)
{
  GstShapeBlock block;

  g_return_val_if_fail (gst_shape_counts_are_valid (GST_SHAPE_LAYER_CIRCLES,
          n_circles, 0), NULL);
  g_return_val_if_fail (circles || n_circles == 0, NULL);

  GstShapeLayer *layer = gst_shape_layer_new_block (GST_SHAPE_LAYER_CIRCLES,
      n_circles, 0, 0, &block);
  if (!layer)
    return NULL;
  copy_array (block.circles, circles, n_circles, sizeof (*circles));
  return gst_shape_layer_seal (layer) ? layer : NULL;
}

/* The number of @size-byte elements of @bytes, or FALSE with @error. */
static gboolean
count_elements (GBytes * bytes, const gchar * name, gsize size, gsize * n,
    GError ** error)
{
  gsize n_bytes = g_bytes_get_size (bytes);

  if (n_bytes % size != 0)
    return gst_shapes_fail (error, "%s: %" G_GSIZE_FORMAT
        " bytes are not a multiple of the %" G_GSIZE_FORMAT
        " bytes of an element", name, n_bytes, size);
  *n = n_bytes / size;
  return TRUE;
}

static gboolean
check_polyline_bytes (GBytes * points, GBytes * offsets, GBytes * polylines,
    GBytes * moments, gsize * n_points, gsize * n_polylines, GError ** error)
{
  gsize n_offsets = 0, n_moments = 0;
  guint32 last = 0;

  if (!count_elements (polylines, "polylines", sizeof (GstShapePolyline),
          n_polylines, error)
      || !count_elements (offsets, "offsets", sizeof (guint32), &n_offsets,
          error))
    return FALSE;
  if (n_offsets != *n_polylines + 1)
    return gst_shapes_fail (error, "%" G_GSIZE_FORMAT " polylines need %"
        G_GSIZE_FORMAT " offsets, not %" G_GSIZE_FORMAT, *n_polylines,
        *n_polylines + 1, n_offsets);
  if (points) {
    if (!count_elements (points, "points", sizeof (GstShapePoint), n_points,
            error))
      return FALSE;
  } else {
    memcpy (&last, (const guint8 *) g_bytes_get_data (offsets, NULL)
        + *n_polylines * sizeof (guint32), sizeof (last));
    *n_points = last;
  }
  if (moments) {
    if (!count_elements (moments, "moments", sizeof (GstShapeMoments),
            &n_moments, error))
      return FALSE;
    if (n_moments != *n_polylines)
      return gst_shapes_fail (error, "%" G_GSIZE_FORMAT
          " polylines need as many moments, not %" G_GSIZE_FORMAT, *n_polylines,
          n_moments);
  }
  return TRUE;
}

static gconstpointer
bytes_data (GBytes * bytes)
{
  /* An empty array is not NULL. */
  static const guint8 empty[1];
  gconstpointer data = bytes ? g_bytes_get_data (bytes, NULL) : NULL;

  return bytes && !data ? empty : data;
}

/**
 * gst_shape_layer_new_polylines_bytes:
 * @points: (nullable): #GstShapePoint array, or %NULL for measures only
 * @offsets: guint32 array, one longer than @polylines: 0 first, the number of
 *     points last, not decreasing
 * @polylines: #GstShapePolyline array
 * @moments: (nullable): #GstShapeMoments array as long as @polylines, or %NULL
 * @error: return location for an error
 *
 * Creates a layer of polylines from the bytes of arrays in native byte order,
 * for language bindings. The bytes are copied. Closed polylines are closed, and
 * measures that are all 0 taken from the points, as by
 * gst_shape_layer_new_polylines_copy().
 *
 * Returns: (transfer full): the layer, or %NULL with @error set to a
 *     %GST_LIBRARY_ERROR that names the inconsistent array
 *
 * Since: 1.0
 */
GstShapeLayer *
gst_shape_layer_new_polylines_bytes (GBytes * points, GBytes * offsets,
    GBytes * polylines, GBytes * moments, GError ** error)
{
  gsize n_points = 0, n_polylines = 0;

  g_return_val_if_fail (offsets != NULL, NULL);
  g_return_val_if_fail (polylines != NULL, NULL);

  if (!check_polyline_bytes (points, offsets, polylines, moments, &n_points,
          &n_polylines, error))
    return NULL;
  if (!gst_shape_counts_are_valid (GST_SHAPE_LAYER_POLYLINES, n_polylines,
          n_points)) {
    gst_shapes_fail (error, "too many: %" G_GSIZE_FORMAT " polylines of %"
        G_GSIZE_FORMAT " points; offsets have 32 bits", n_polylines, n_points);
    return NULL;
  }
  /* The bytes may be unaligned and invalid; the copy is aligned and
   * validated. */
  return polylines_copy (bytes_data (points), n_points, bytes_data (offsets),
      bytes_data (polylines), n_polylines, bytes_data (moments), error);
}

/**
 * gst_shape_layer_new_circles_bytes:
 * @circles: #GstShapeCircle array
 * @error: return location for an error
 *
 * Creates a layer of circles from the bytes of an array in native byte order.
 * The bytes are copied.
 *
 * Returns: (transfer full): the layer, or %NULL with @error set
 *
 * Since: 1.0
 */
GstShapeLayer *
gst_shape_layer_new_circles_bytes (GBytes * circles, GError ** error)
{
  GstShapeLayer *layer;
  gsize n = 0;

  g_return_val_if_fail (circles != NULL, NULL);

  if (!count_elements (circles, "circles", sizeof (GstShapeCircle), &n, error))
    return NULL;
  if (!gst_shape_counts_are_valid (GST_SHAPE_LAYER_CIRCLES, n, 0)) {
    gst_shapes_fail (error, "too many circles: %" G_GSIZE_FORMAT, n);
    return NULL;
  }
  layer = gst_shape_layer_new_circles_copy (bytes_data (circles), n);
  return layer ? layer : out_of_memory (n, error);
}
