/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapeset
 * @title: GstShapeSet
 * @short_description: the shapes of a frame
 *
 * A #GstShapeSet is a list of immutable layers over one coordinate space: x to
 * the right, y down, pixel centres at integer coordinates. A producer makes a
 * set, adds its layers, and attaches it to a buffer:
 *
 * |[<!-- language="C" -->
 *   GstShapeSet *set = gst_shape_set_new (width, height);
 *
 *   gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (circles,
 *           n_circles));
 *   gst_buffer_add_shape_meta (buffer, set);
 *   gst_shape_set_unref (set);
 * ]|
 *
 * From then on nobody changes it. An element that adds shapes to those it found
 * derives a set with gst_shape_set_derive(), which shares the layers, and
 * numbers its polylines from gst_shape_set_get_next_id().
 *
 * Readers ask for arrays:
 *
 * |[<!-- language="C" -->
 *   GstShapeSet *set = gst_buffer_get_shape_set (buffer);
 *   gsize n;
 *   const GstShapePolyline *polylines;
 *
 *   for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++) {
 *     polylines = gst_shape_set_get_polylines (set, i, &n);
 *     for (gsize k = 0; k < n; k++)
 *       g_print ("%d: %g\n", polylines[k].id, polylines[k].area);
 *   }
 * ]|
 *
 * In Python the installed overrides give the same arrays without a copy:
 *
 * |[<!-- language="python" -->
 *   shape_set = GstShapes.buffer_get_shape_set(buffer)
 *   for contour in shape_set.contours():
 *       print(contour.id, contour.area, contour.points)   # n x 2 floats
 * ]|
 *
 * There, gst_buffer_get_shape_set() is called as
 * GstShapes.buffer_get_shape_set(): it is a function of this library, not a
 * method of Gst.Buffer.
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <math.h>
#include <string.h>

#include "gstshapeset.h"
#include "gstshapes-private.h"

#define GST_CAT_DEFAULT gst_shapes_debug_category ()

struct _GstShapeSet
{
  gint ref_count;
  guint width;
  guint height;
  GPtrArray *layers;
};

G_DEFINE_BOXED_TYPE (GstShapeSet, gst_shape_set, gst_shape_set_ref,
    gst_shape_set_unref);

/**
 * gst_shape_set_new:
 * @width: of the frame in pixels; 0 when there is no frame
 * @height: of the frame in pixels; 0 when there is no frame
 *
 * Returns: (transfer full): a set without shapes
 */
GstShapeSet *
gst_shape_set_new (guint width, guint height)
{
  GstShapeSet *set = g_new (GstShapeSet, 1);

  set->ref_count = 1;
  set->width = width;
  set->height = height;
  set->layers =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_shape_layer_unref);
  return set;
}

/**
 * gst_shape_set_derive:
 * @set: a set
 *
 * A new set with the size and the layers of @set, to which more can be added.
 * The layers are shared, not copied.
 *
 * Returns: (transfer full): the new set
 */
GstShapeSet *
gst_shape_set_derive (const GstShapeSet * set)
{
  GstShapeSet *derived;

  g_return_val_if_fail (set != NULL, NULL);

  derived = gst_shape_set_new (set->width, set->height);
  for (guint i = 0; i < set->layers->len; i++)
    g_ptr_array_add (derived->layers,
        gst_shape_layer_ref (g_ptr_array_index (set->layers, i)));
  return derived;
}

/**
 * gst_shape_set_add_layer:
 * @set: a set that nobody else holds
 * @layer: (transfer full): the layer
 *
 * Adds a layer after the others. Its polylines' ids must not occur in @set:
 * number them from gst_shape_set_get_next_id(). A set that others hold too, in
 * a #GstShapeMeta for example, cannot be changed; derive one. The layer is
 * taken over even then.
 */
void
gst_shape_set_add_layer (GstShapeSet * set, GstShapeLayer * layer)
{
  gboolean is_exclusive;

  g_return_if_fail (set != NULL);
  g_return_if_fail (layer != NULL);

  is_exclusive = g_atomic_int_get (&set->ref_count) == 1;
  if (!is_exclusive)
    gst_shape_layer_unref (layer);
  g_return_if_fail (is_exclusive);

  g_ptr_array_add (set->layers, layer);
}

/**
 * gst_shape_set_ref: (skip)
 * @set: a set
 *
 * Returns: (transfer full): @set, with one reference more
 */
GstShapeSet *
gst_shape_set_ref (GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, NULL);

  g_atomic_int_inc (&set->ref_count);
  return set;
}

/**
 * gst_shape_set_unref: (skip)
 * @set: (transfer full): a set
 *
 * Drops a reference; the last one drops the layers.
 */
void
gst_shape_set_unref (GstShapeSet * set)
{
  g_return_if_fail (set != NULL);

  if (g_atomic_int_dec_and_test (&set->ref_count)) {
    g_ptr_array_unref (set->layers);
    g_free (set);
  }
}

/**
 * gst_shape_set_get_width:
 * @set: a set
 *
 * Returns: width of the coordinate space in pixels; 0 when there is no frame
 */
guint
gst_shape_set_get_width (const GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, 0);

  return set->width;
}

/**
 * gst_shape_set_get_height:
 * @set: a set
 *
 * Returns: height of the coordinate space in pixels; 0 when there is no frame
 */
guint
gst_shape_set_get_height (const GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, 0);

  return set->height;
}

/**
 * gst_shape_set_get_next_id:
 * @set: a set
 *
 * Where a producer that adds polylines starts to number them. Layers whose
 * producer stated their ids (gst_shape_layer_set_id_range()) are not downloaded
 * for this.
 *
 * Returns: 1 + the highest id of any polyline; 0 when there is none
 */
gint32
gst_shape_set_get_next_id (const GstShapeSet * set)
{
  gint32 next_id = 0;

  g_return_val_if_fail (set != NULL, 0);

  for (guint i = 0; i < set->layers->len; i++)
    next_id = MAX (next_id,
        gst_shape_layer_get_next_id (g_ptr_array_index (set->layers, i)));
  return next_id;
}

/**
 * gst_shape_set_get_n_layers:
 * @set: a set
 *
 * Returns: the number of layers
 */
guint
gst_shape_set_get_n_layers (const GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, 0);

  return set->layers->len;
}

/**
 * gst_shape_set_get_layer: (skip)
 * @set: a set
 * @layer: index of the layer
 *
 * Returns: (transfer none) (nullable): the layer, borrowed from @set, or %NULL
 *     when there is no such layer
 */
GstShapeLayer *
gst_shape_set_get_layer (const GstShapeSet * set, guint layer)
{
  g_return_val_if_fail (set != NULL, NULL);

  if (layer >= set->layers->len)
    return NULL;
  return g_ptr_array_index (set->layers, layer);
}

/**
 * gst_shape_set_get_layer_type:
 * @set: a set
 * @layer: index of the layer
 *
 * Returns: what the layer holds; %GST_SHAPE_LAYER_POLYLINES when there is no
 *     such layer
 */
GstShapeLayerType
gst_shape_set_get_layer_type (const GstShapeSet * set, guint layer)
{
  GstShapeLayer *l = gst_shape_set_get_layer (set, layer);

  return l ? gst_shape_layer_get_layer_type (l) : GST_SHAPE_LAYER_POLYLINES;
}

/* Reading */

typedef enum
{
  ARRAY_POINTS,
  ARRAY_OFFSETS,
  ARRAY_POLYLINES,
  ARRAY_MOMENTS,
  ARRAY_CIRCLES,
  ARRAY_HULL_MEASURES,
} Array;

static const gsize element_sizes[] = {
  [ARRAY_POINTS] = sizeof (GstShapePoint),
  [ARRAY_OFFSETS] = sizeof (guint32),
  [ARRAY_POLYLINES] = sizeof (GstShapePolyline),
  [ARRAY_MOMENTS] = sizeof (GstShapeMoments),
  [ARRAY_CIRCLES] = sizeof (GstShapeCircle),
  [ARRAY_HULL_MEASURES] = sizeof (GstShapeHullMeasures),
};

static gconstpointer
select_array (const GstShapeArrays * arrays, GstShapeLayerType type,
    Array array, gsize * n)
{
  *n = arrays->n_shapes;
  switch (array) {
    case ARRAY_POINTS:
      *n = arrays->n_points;
      return arrays->points;
    case ARRAY_OFFSETS:
      *n = arrays->n_shapes + 1;
      return arrays->offsets;
    case ARRAY_POLYLINES:
      return arrays->polylines;
    case ARRAY_MOMENTS:
      return arrays->moments;
    case ARRAY_CIRCLES:
      return arrays->circles;
    case ARRAY_HULL_MEASURES:
      return arrays->hull_measures;
  }
  return NULL;
}

/* An array of a layer on the host. %NULL and 0 when there is no such layer or
 * array; a download that failed is also logged. */
static gconstpointer
get_array (GstShapeSet * set, guint layer, Array array, gsize * n)
{
  GstShapeLayer *l = gst_shape_set_get_layer (set, layer);
  const GstShapeArrays *arrays;
  gconstpointer data;
  GError *error = NULL;
  gsize count = 0;

  if (n)
    *n = 0;
  if (!l)
    return NULL;

  arrays = gst_shape_layer_map_host (l, &error);
  if (!arrays) {
    GST_WARNING ("layer %u cannot be read: %s", layer, error->message);
    g_clear_error (&error);
    return NULL;
  }
  data = select_array (arrays, gst_shape_layer_get_layer_type (l), array,
      &count);
  if (data && n)
    *n = count;
  return data;
}

static GBytes *
get_bytes (GstShapeSet * set, guint layer, Array array)
{
  gsize n;
  gconstpointer data = get_array (set, layer, array, &n);

  if (!data)
    return NULL;
  return g_bytes_new_with_free_func (data, n * element_sizes[array],
      (GDestroyNotify) gst_shape_set_unref, gst_shape_set_ref (set));
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
 */
const GstShapePoint *
gst_shape_set_get_points (GstShapeSet * set, guint layer, gsize * n_points)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_array (set, layer, ARRAY_POINTS, n_points);
}

/**
 * gst_shape_set_get_points_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_points() for bindings, in native byte order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 */
GBytes *
gst_shape_set_get_points_bytes (GstShapeSet * set, guint layer)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_bytes (set, layer, ARRAY_POINTS);
}

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
 */
guintptr
gst_shape_set_get_points_address (GstShapeSet * set, guint layer,
    gsize * n_points)
{
  g_return_val_if_fail (set != NULL, 0);

  return (guintptr) get_array (set, layer, ARRAY_POINTS, n_points);
}

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
 */
const guint32 *
gst_shape_set_get_offsets (GstShapeSet * set, guint layer, gsize * n_offsets)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_array (set, layer, ARRAY_OFFSETS, n_offsets);
}

/**
 * gst_shape_set_get_offsets_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_offsets() for bindings, in native byte order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 */
GBytes *
gst_shape_set_get_offsets_bytes (GstShapeSet * set, guint layer)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_bytes (set, layer, ARRAY_OFFSETS);
}

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
 */
guintptr
gst_shape_set_get_offsets_address (GstShapeSet * set, guint layer,
    gsize * n_offsets)
{
  g_return_val_if_fail (set != NULL, 0);

  return (guintptr) get_array (set, layer, ARRAY_OFFSETS, n_offsets);
}

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
 */
const GstShapePolyline *
gst_shape_set_get_polylines (GstShapeSet * set, guint layer,
    gsize * n_polylines)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_array (set, layer, ARRAY_POLYLINES, n_polylines);
}

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
 */
GBytes *
gst_shape_set_get_polylines_bytes (GstShapeSet * set, guint layer)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_bytes (set, layer, ARRAY_POLYLINES);
}

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
 */
guintptr
gst_shape_set_get_polylines_address (GstShapeSet * set, guint layer,
    gsize * n_polylines)
{
  g_return_val_if_fail (set != NULL, 0);

  return (guintptr) get_array (set, layer, ARRAY_POLYLINES, n_polylines);
}

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
 */
const GstShapeMoments *
gst_shape_set_get_moments (GstShapeSet * set, guint layer, gsize * n_moments)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_array (set, layer, ARRAY_MOMENTS, n_moments);
}

/**
 * gst_shape_set_get_moments_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_moments() for bindings, in native byte order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 */
GBytes *
gst_shape_set_get_moments_bytes (GstShapeSet * set, guint layer)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_bytes (set, layer, ARRAY_MOMENTS);
}

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
 */
guintptr
gst_shape_set_get_moments_address (GstShapeSet * set, guint layer,
    gsize * n_moments)
{
  g_return_val_if_fail (set != NULL, 0);

  return (guintptr) get_array (set, layer, ARRAY_MOMENTS, n_moments);
}

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
 */
const GstShapeCircle *
gst_shape_set_get_circles (GstShapeSet * set, guint layer, gsize * n_circles)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_array (set, layer, ARRAY_CIRCLES, n_circles);
}

/**
 * gst_shape_set_get_circles_bytes:
 * @set: a set
 * @layer: index of the layer
 *
 * The array of gst_shape_set_get_circles() for bindings, in native byte order.
 *
 * Returns: (transfer full) (nullable): the array, which holds a reference to
 *     @set; %NULL when there is no such layer or array, or the download failed
 */
GBytes *
gst_shape_set_get_circles_bytes (GstShapeSet * set, guint layer)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_bytes (set, layer, ARRAY_CIRCLES);
}

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
 */
guintptr
gst_shape_set_get_circles_address (GstShapeSet * set, guint layer,
    gsize * n_circles)
{
  g_return_val_if_fail (set != NULL, 0);

  return (guintptr) get_array (set, layer, ARRAY_CIRCLES, n_circles);
}

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
 */
const GstShapeHullMeasures *
gst_shape_set_get_hull_measures (GstShapeSet * set, guint layer,
    gsize * n_hulls)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_array (set, layer, ARRAY_HULL_MEASURES, n_hulls);
}

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
 */
GBytes *
gst_shape_set_get_hull_measures_bytes (GstShapeSet * set, guint layer)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_bytes (set, layer, ARRAY_HULL_MEASURES);
}

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
 */
guintptr
gst_shape_set_get_hull_measures_address (GstShapeSet * set, guint layer,
    gsize * n_hulls)
{
  g_return_val_if_fail (set != NULL, 0);

  return (guintptr) get_array (set, layer, ARRAY_HULL_MEASURES, n_hulls);
}

/* Descriptors */

/**
 * gst_shape_hull_measures_get_rect_angle:
 * @measures: the measures of a hull
 *
 * Returns: by how much the rectangle of minimum area is turned, in degrees,
 *     -90 to 90 with -90 left out: from the x axis to its sides of length
 *     @rect_width, clockwise on the screen
 */
gdouble
gst_shape_hull_measures_get_rect_angle (const GstShapeHullMeasures * measures)
{
  gdouble x, y;

  g_return_val_if_fail (measures != NULL, 0);

  /* A side's direction and its opposite are the same. */
  x = fabs (measures->rect_ux);
  y = measures->rect_ux < 0 ? -measures->rect_uy : measures->rect_uy;
  if (x == 0)
    y = fabs (y);
  return atan2 (y, x) * (180 / G_PI) + 0.;
}

/**
 * gst_shape_moments_get_features:
 * @moments: the moments of a region
 * @features: (out caller-allocates): the descriptors
 *
 * The descriptors that scikit-image's regionprops() defines, of the region with
 * these moments. It measures sets of points, one a pixel, #GstShapeMoments the
 * inside of a polyline, where a pixel has an extent; its own second moment of
 * 1/12 an axis is the difference. A region without a longest axis has
 * orientation 0.
 *
 * Returns: %FALSE, and zeros, when the area is 0 or a moment is not finite
 */
gboolean
gst_shape_moments_get_features (const GstShapeMoments * moments,
    GstShapeFeatures * features)
{
  const gdouble *m;
  gdouble x, y, xx, xy, yy, mean, half, major, minor;

  g_return_val_if_fail (moments != NULL, FALSE);
  g_return_val_if_fail (features != NULL, FALSE);

  memset (features, 0, sizeof (*features));
  m = moments->m;
  for (guint i = 0; i < 6; i++)
    if (!isfinite (m[i]))
      return FALSE;
  if (m[0] == 0)
    return FALSE;

  /* Covariance: a region around low values has all signs reversed, which
   * cancels here. */
  x = m[1] / m[0];
  y = m[2] / m[0];
  xx = m[3] / m[0] - x * x;
  xy = m[4] / m[0] - x * y;
  yy = m[5] / m[0] - y * y;
  mean = (xx + yy) / 2;
  half = hypot ((xx - yy) / 2, xy);
  major = MAX (mean + half, 0);
  minor = MAX (mean - half, 0);

  features->equivalent_diameter = sqrt (4 * fabs (m[0]) / G_PI);
  features->major_axis_length = 4 * sqrt (major);
  features->minor_axis_length = 4 * sqrt (minor);
  features->eccentricity = major > 0 ? sqrt (1 - minor / major) : 0;
  features->orientation = atan2 (2 * xy, yy - xx) / 2;
  return TRUE;
}

/**
 * gst_shape_set_get_features:
 * @set: a set
 * @layer: index of the layer
 * @index: index of the polyline in its layer
 * @features: (out caller-allocates): the descriptors
 *
 * What gst_shape_moments_get_features() makes of a polyline's moments.
 *
 * Returns: %FALSE, and zeros, when there is no such polyline, its moments were
 *     not taken, or they have no descriptors
 */
gboolean
gst_shape_set_get_features (GstShapeSet * set, guint layer, gsize index,
    GstShapeFeatures * features)
{
  const GstShapeMoments *moments;
  gsize n;

  g_return_val_if_fail (set != NULL, FALSE);
  g_return_val_if_fail (features != NULL, FALSE);

  memset (features, 0, sizeof (*features));
  moments = gst_shape_set_get_moments (set, layer, &n);
  return index < n && gst_shape_moments_get_features (&moments[index],
      features);
}

/* Rescaling */

typedef struct
{
  gdouble x, y;
} Scale;

static gdouble
scale_coordinate (gdouble v, gdouble scale)
{
  return (v + .5) * scale - .5;
}

static gdouble
polyline_length (const GstShapePoint * points, gsize n)
{
  gdouble length = 0;

  for (gsize i = 1; i < n; i++)
    length += hypot ((gdouble) points[i].x - points[i - 1].x,
        (gdouble) points[i].y - points[i - 1].y);
  return length;
}

/* Measures that were not taken are 0, and stay so. */
static gboolean
has_position (const GstShapePolyline * polyline)
{
  return polyline->centroid_x != 0 || polyline->centroid_y != 0
      || polyline->bbox_x0 != 0 || polyline->bbox_y0 != 0
      || polyline->bbox_x1 != 0 || polyline->bbox_y1 != 0;
}

static void
scale_polyline (GstShapePolyline * polyline, Scale s)
{
  polyline->area *= s.x * s.y;
  polyline->perimeter *= sqrt (s.x * s.y);
  if (!has_position (polyline))
    return;

  polyline->centroid_x = scale_coordinate (polyline->centroid_x, s.x);
  polyline->centroid_y = scale_coordinate (polyline->centroid_y, s.y);
  polyline->bbox_x0 = scale_coordinate (polyline->bbox_x0, s.x);
  polyline->bbox_y0 = scale_coordinate (polyline->bbox_y0, s.y);
  polyline->bbox_x1 = scale_coordinate (polyline->bbox_x1, s.x);
  polyline->bbox_y1 = scale_coordinate (polyline->bbox_y1, s.y);
}

static void
scale_moments (GstShapeMoments * moments, Scale s)
{
  static const guint8 powers[10][2] = { {0, 0}, {1, 0}, {0, 1}, {2, 0}, {1, 1},
  {0, 2}, {3, 0}, {2, 1}, {1, 2}, {0, 3}
  };

  for (guint i = 0; i < 10; i++)
    moments->m[i] *= pow (s.x, powers[i][0] + 1) * pow (s.y, powers[i][1] + 1);
}

/* Of a uniform scale; another one turns everything to another angle. */
static void
scale_hull_measures (GstShapeHullMeasures * measures, gdouble scale)
{
  measures->feret_max *= scale;
  measures->feret_min *= scale;
  measures->rect_x = scale_coordinate (measures->rect_x, scale);
  measures->rect_y = scale_coordinate (measures->rect_y, scale);
  measures->rect_width *= scale;
  measures->rect_height *= scale;
  measures->circle_x = scale_coordinate (measures->circle_x, scale);
  measures->circle_y = scale_coordinate (measures->circle_y, scale);
  measures->circle_r *= scale;
}

static void
scale_polylines (const GstShapeArrays * from, GstShapeBlock * to, Scale s)
{
  for (gsize i = 0; to->points && i < from->n_points; i++) {
    to->points[i].x = scale_coordinate (from->points[i].x, s.x);
    to->points[i].y = scale_coordinate (from->points[i].y, s.y);
  }
  for (gsize i = 0; i <= from->n_shapes; i++)
    to->offsets[i] = from->offsets[i];
  for (gsize i = 0; i < from->n_shapes; i++) {
    to->polylines[i] = from->polylines[i];
    scale_polyline (&to->polylines[i], s);
    if (to->points && s.x != s.y && from->polylines[i].perimeter != 0)
      to->polylines[i].perimeter = polyline_length (to->points
          + to->offsets[i], to->offsets[i + 1] - to->offsets[i]);
    if (to->moments) {
      to->moments[i] = from->moments[i];
      scale_moments (&to->moments[i], s);
    }
    if (to->hull_measures) {
      to->hull_measures[i] = from->hull_measures[i];
      scale_hull_measures (&to->hull_measures[i], s.x);
    }
  }
}

static void
scale_circles (const GstShapeArrays * from, GstShapeBlock * to, Scale s)
{
  for (gsize i = 0; i < from->n_shapes; i++) {
    to->circles[i] = from->circles[i];
    to->circles[i].x = scale_coordinate (from->circles[i].x, s.x);
    to->circles[i].y = scale_coordinate (from->circles[i].y, s.y);
    to->circles[i].r = from->circles[i].r * sqrt (s.x * s.y);
  }
}

static GstShapeLayer *
scale_layer (GstShapeLayer * layer, Scale s, GError ** error)
{
  const GstShapeArrays *from = gst_shape_layer_map_host (layer, error);
  GstShapeBlock to;
  GstShapeLayer *scaled;
  guint has;

  if (!from)
    return NULL;
  has = gst_shape_arrays_have (from);
  if (s.x != s.y)
    has &= ~GST_SHAPE_HAS_HULL_MEASURES;
  scaled =
      gst_shape_layer_new_block (gst_shape_layer_get_layer_type (layer),
      from->n_shapes, from->n_points, has, &to);
  if (!scaled) {
    g_set_error_literal (error, GST_RESOURCE_ERROR,
        GST_RESOURCE_ERROR_NO_SPACE_LEFT, "no memory for rescaled shapes");
    return NULL;
  }
  if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_CIRCLES)
    scale_circles (from, &to, s);
  else
    scale_polylines (from, &to, s);
  return gst_shape_layer_seal (scaled) ? scaled : NULL;
}

/**
 * gst_shape_set_rescale:
 * @set: a set
 * @width: the width wanted, in pixels
 * @height: the height wanted, in pixels
 * @error: return location for an error
 *
 * The same shapes in the coordinates of a frame of another size: x becomes
 * (x + .5) * s - .5, so that pixel borders stay pixel borders. Measures and
 * moments follow exactly, except where they cannot: when the axes are scaled
 * differently, perimeters are taken again from the points or, without points,
 * scaled by the geometric mean, and so are the radii of circles; the measures
 * of hulls (#GstShapeHullMeasures) are left out.
 *
 * Returns: (transfer full): the rescaled set; @set itself, with one reference
 *     more, when there is nothing to do or either size has a 0; %NULL with
 *     @error set when a layer could not be downloaded or memory ran out
 */
GstShapeSet *
gst_shape_set_rescale (GstShapeSet * set, guint width, guint height,
    GError ** error)
{
  GstShapeSet *scaled;
  Scale s;

  g_return_val_if_fail (set != NULL, NULL);

  if ((set->width == width && set->height == height) || set->width == 0
      || set->height == 0 || width == 0 || height == 0)
    return gst_shape_set_ref (set);

  s.x = (gdouble) width / set->width;
  s.y = (gdouble) height / set->height;
  scaled = gst_shape_set_new (width, height);
  for (guint i = 0; i < set->layers->len; i++) {
    GstShapeLayer *layer = scale_layer (g_ptr_array_index (set->layers, i), s,
        error);

    if (!layer) {
      gst_shape_set_unref (scaled);
      return NULL;
    }
    gst_shape_set_add_layer (scaled, layer);
  }
  return scaled;
}
