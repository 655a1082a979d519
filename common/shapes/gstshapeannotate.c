/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Layers with annotations. */

#include <math.h>
#include <string.h>

#include "gstshapeset.h"
#include "gstshapes-private.h"

GstShapeAnnotation
gst_shape_arrays_get_annotation (const GstShapeArrays * arrays, gsize i)
{
  GstShapeAnnotation annotation = GST_SHAPE_ANNOTATION_NONE;

  if (arrays->annotations)
    annotation = arrays->annotations[i];
  if (!isfinite (annotation.confidence) || annotation.confidence < 0)
    annotation.confidence = -1;
  return annotation;
}

/* @annotations may be unaligned. */
static GstShapeLayer *
annotate (GstShapeLayer * base, gconstpointer annotations, gsize n)
{
  GstShapeExtras extras;
  GstShapeLayer *layer = gst_shape_layer_extend_block (base,
      GST_SHAPE_HAS_ANNOTATIONS, 0, 0, &extras);

  if (layer && n > 0)
    memcpy (extras.annotations, annotations, n * sizeof (GstShapeAnnotation));
  return layer;
}

/**
 * gst_shape_layer_annotate: (skip)
 * @layer: a layer of polylines
 * @annotations: (nullable): an annotation for each of them
 * @n_annotations: how many there are: as many as polylines
 *
 * The same polylines with annotations, in place of those that they may have
 * had. Nothing but @annotations is copied, and a layer that is only on a device
 * stays there. An element that annotates the shapes of a buffer makes a new set
 * with such layers, and puts it in the place of the other one.
 *
 * Returns: (transfer full) (nullable): the new layer, or %NULL for invalid
 *     arguments or when out of memory
 *
 * Since: 1.0
 */
GstShapeLayer *
gst_shape_layer_annotate (GstShapeLayer * layer,
    const GstShapeAnnotation * annotations, gsize n_annotations)
{
  g_return_val_if_fail (layer != NULL, NULL);
  g_return_val_if_fail (gst_shape_layer_get_layer_type (layer) ==
      GST_SHAPE_LAYER_POLYLINES, NULL);
  g_return_val_if_fail (n_annotations == gst_shape_layer_get_n_shapes (layer),
      NULL);
  g_return_val_if_fail (annotations || n_annotations == 0, NULL);

  return annotate (layer, annotations, n_annotations);
}

/**
 * gst_shape_layer_annotate_bytes:
 * @layer: a layer of polylines
 * @annotations: #GstShapeAnnotation array, one for each of them
 * @error: return location for an error
 *
 * gst_shape_layer_annotate() with the bytes of an array in native byte order,
 * for language bindings.
 *
 * Returns: (transfer full): the new layer, or %NULL with @error set to a
 *     %GST_LIBRARY_ERROR
 *
 * Since: 1.0
 */
GstShapeLayer *
gst_shape_layer_annotate_bytes (GstShapeLayer * layer, GBytes * annotations,
    GError ** error)
{
  GstShapeLayer *annotated;

  g_return_val_if_fail (layer != NULL, NULL);
  g_return_val_if_fail (annotations != NULL, NULL);

  if (gst_shape_layer_get_layer_type (layer) != GST_SHAPE_LAYER_POLYLINES) {
    gst_shapes_fail (error, "circles have no annotations");
    return NULL;
  }
  const gsize n = gst_shape_layer_get_n_shapes (layer);
  const gsize size = g_bytes_get_size (annotations);
  if (size != n * sizeof (GstShapeAnnotation)) {
    gst_shapes_fail (error, "%" G_GSIZE_FORMAT
        " polylines need annotations of %" G_GSIZE_FORMAT " bytes, not %"
        G_GSIZE_FORMAT, n, n * sizeof (GstShapeAnnotation), size);
    return NULL;
  }
  annotated = annotate (layer, g_bytes_get_data (annotations, NULL), n);
  if (!annotated)
    gst_shapes_fail (error, "not enough memory to annotate %" G_GSIZE_FORMAT
        " shapes", n);
  return annotated;
}
