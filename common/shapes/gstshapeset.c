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
 * |[<!-- language="plain" -->
 *   shape_set = GstShapes.buffer_get_shape_set(buffer)
 *   for contour in shape_set.contours():
 *       print(contour.id, contour.area, contour.points)   # n x 2 floats
 * ]|
 *
 * There, gst_buffer_get_shape_set() is called as
 * GstShapes.buffer_get_shape_set(): it is a function of this library, not a
 * method of Gst.Buffer.
 */

#include <math.h>

#include "gstshapeset.h"
#include "gstshapes-private.h"

struct _GstShapeSet
{
  gint ref_count;
  guint width;
  guint height;
  gdouble pixel_x, pixel_y;     /* mm; 0: unknown */
  GPtrArray *layers;
};

G_DEFINE_BOXED_TYPE_WITH_CODE (GstShapeSet, gst_shape_set, gst_shape_set_ref,
    gst_shape_set_unref, gst_shapes_use ());

/**
 * gst_shape_set_new:
 * @width: of the frame in pixels; 0 when there is no frame
 * @height: of the frame in pixels; 0 when there is no frame
 *
 * Makes a set to which its only owner adds layers with
 * gst_shape_set_add_layer(), before it is published.
 *
 * Returns: (transfer full): a set without shapes
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_new (guint width, guint height)
{
  GstShapeSet *set = g_new (GstShapeSet, 1);

  gst_shapes_use ();
  set->ref_count = 1;
  set->width = width;
  set->height = height;
  set->pixel_x = set->pixel_y = 0;
  set->layers =
      g_ptr_array_new_with_free_func ((GDestroyNotify) gst_shape_layer_unref);
  return set;
}

/**
 * gst_shape_set_derive:
 * @set: a set
 *
 * A new set with the size, pixel size and layers of @set, to which more can be
 * added. The layers are shared, not copied.
 *
 * Returns: (transfer full): the new set
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_derive (const GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, NULL);

  GstShapeSet *derived = gst_shape_set_derive_empty (set);
  for (guint i = 0; i < set->layers->len; i++)
    g_ptr_array_add (derived->layers,
        gst_shape_layer_ref (g_ptr_array_index (set->layers, i)));
  return derived;
}

/**
 * gst_shape_set_derive_empty:
 * @set: a set
 *
 * A new set with the size and pixel size of @set, and without layers: for those
 * that take the place of the layers of @set.
 *
 * Returns: (transfer full): the new set
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_derive_empty (const GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, NULL);

  GstShapeSet *derived = gst_shape_set_new (set->width, set->height);
  derived->pixel_x = set->pixel_x;
  derived->pixel_y = set->pixel_y;
  return derived;
}

/**
 * gst_shape_set_add_layer:
 * @set: a set without other references
 * @layer: (transfer full): the layer
 *
 * Adds a layer after the others. Its polylines' ids must not occur in @set:
 * number them from gst_shape_set_get_next_id(). A set that others hold too, in
 * a #GstShapeMeta for example, cannot be changed; derive one. The layer is
 * taken over even then.
 *
 * Since: 1.0
 */
void
gst_shape_set_add_layer (GstShapeSet * set, GstShapeLayer * layer)
{
  g_return_if_fail (set != NULL);
  g_return_if_fail (layer != NULL);

  const gboolean is_exclusive = gst_shape_set_is_writable (set);
  if (!is_exclusive)
    gst_shape_layer_unref (layer);
  g_return_if_fail (is_exclusive);

  g_ptr_array_add (set->layers, layer);
}

/**
 * gst_shape_set_is_writable:
 * @set: a set
 *
 * Whether the caller holds the only reference.
 *
 * Returns: whether there are no other references to @set, so that
 *     gst_shape_set_add_layer() may change it
 *
 * Since: 1.0
 */
gboolean
gst_shape_set_is_writable (const GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, FALSE);

  return g_atomic_int_get (&set->ref_count) == 1;
}

/**
 * gst_shape_set_ref: (skip)
 * @set: a set
 *
 * Adds a reference, from any thread. Nobody may add layers while there is more
 * than one.
 *
 * Returns: (transfer full): @set, with one reference more
 *
 * Since: 1.0
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
 *
 * Since: 1.0
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
 * The width that x is in.
 *
 * Returns: width of the coordinate space in pixels; 0 when there is no frame
 *
 * Since: 1.0
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
 * The height that y is in.
 *
 * Returns: height of the coordinate space in pixels; 0 when there is no frame
 *
 * Since: 1.0
 */
guint
gst_shape_set_get_height (const GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, 0);

  return set->height;
}

/**
 * gst_shape_set_set_pixel_size:
 * @set: a set without other references
 * @x: millimetres from a pixel to the next to the right; 0 if they are unknown
 * @y: millimetres to the next below; 0 if they are unknown
 *
 * Says how large the pixels are where the shapes are, so that these can be
 * measured in millimetres (gst_shape_set_get_metric()). Sizes are positive.
 *
 * Since: 1.0
 */
void
gst_shape_set_set_pixel_size (GstShapeSet * set, gdouble x, gdouble y)
{
  g_return_if_fail (set != NULL);
  g_return_if_fail (gst_shape_set_is_writable (set));
  g_return_if_fail (isfinite (x) && isfinite (y) && x >= 0 && y >= 0);

  set->pixel_x = x > 0 && y > 0 ? x : 0;
  set->pixel_y = x > 0 && y > 0 ? y : 0;
}

/**
 * gst_shape_set_get_pixel_size:
 * @set: a set
 * @x: (out) (optional): millimetres from a pixel to the next to the right
 * @y: (out) (optional): millimetres to the next below
 *
 * The size of a pixel that gst_shape_set_set_pixel_size() has set.
 *
 * Returns: %FALSE, and zeros, if they are unknown
 *
 * Since: 1.0
 */
gboolean
gst_shape_set_get_pixel_size (const GstShapeSet * set, gdouble * x, gdouble * y)
{
  if (x)
    *x = 0;
  if (y)
    *y = 0;
  g_return_val_if_fail (set != NULL, FALSE);

  if (x)
    *x = set->pixel_x;
  if (y)
    *y = set->pixel_y;
  return set->pixel_x > 0;
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
 *
 * Since: 1.0
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
 * How many layers there are: one for each producer, and for each kind of
 * shapes that it made.
 *
 * Returns: the number of layers
 *
 * Since: 1.0
 */
guint
gst_shape_set_get_n_layers (const GstShapeSet * set)
{
  g_return_val_if_fail (set != NULL, 0);

  return set->layers->len;
}

/**
 * gst_shape_set_get_layer:
 * @set: a set
 * @layer: index of the layer
 *
 * A layer by its number, which producers give in the order of
 * gst_shape_set_add_layer().
 *
 * Returns: (transfer none) (nullable): the layer, borrowed from @set, or %NULL
 *     when there is no such layer
 *
 * Since: 1.0
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
 * Whether a layer has polylines or circles.
 *
 * Returns: what the layer holds; %GST_SHAPE_LAYER_POLYLINES when there is no
 *     such layer
 *
 * Since: 1.0
 */
GstShapeLayerType
gst_shape_set_get_layer_type (const GstShapeSet * set, guint layer)
{
  GstShapeLayer *l = gst_shape_set_get_layer (set, layer);

  return l ? gst_shape_layer_get_layer_type (l) : GST_SHAPE_LAYER_POLYLINES;
}
