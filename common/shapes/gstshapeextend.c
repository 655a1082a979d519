/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Layers that share their arrays with another one, and have more of them. */

#include <string.h>

#include "base/memory.h"
#include "gstshapeset.h"
#include "gstshapes-private.h"

#define take gst_shape_take_room

/* The payload of such a layer; its arrays follow. */
typedef struct
{
  GstShapeLayer *base;
  guint has;
  GstShapeExtras extras;
  gsize n_defects, n_statistics;
  gdouble data[];
} Extended;

static gboolean
extended_download (gpointer payload, GstShapeArrays * host, GError ** error)
{
  const Extended *extended = payload;
  const GstShapeArrays *base = gst_shape_layer_map_host (extended->base, error);

  if (!base)
    return FALSE;
  *host = *base;
  if (extended->has & GST_SHAPE_HAS_POLYLINES)
    host->polylines = extended->extras.polylines;
  if (extended->has & GST_SHAPE_HAS_ANNOTATIONS)
    host->annotations = extended->extras.annotations;
  if (extended->has & GST_SHAPE_HAS_ELLIPSES)
    host->ellipses = extended->extras.ellipses;
  if (extended->has & GST_SHAPE_HAS_INDICES)
    host->indices = extended->extras.indices;
  if (extended->has & GST_SHAPE_HAS_DEFECTS) {
    host->defects = extended->extras.defects;
    host->n_defects = extended->n_defects;
  }
  if (extended->has & GST_SHAPE_HAS_STATISTICS) {
    host->statistics = extended->extras.statistics;
    host->n_statistics = extended->n_statistics;
  }
  return TRUE;
}

static gboolean
extended_map_device (gpointer payload, gpointer context, gpointer stream,
    GstShapeArrays * device)
{
  const Extended *extended = payload;

  /* the device has other records */
  return !(extended->has & GST_SHAPE_HAS_POLYLINES)
      && gst_shape_layer_map_device (extended->base, context, stream, device);
}

static void
extended_unmap_device (gpointer payload, gpointer stream)
{
  gst_shape_layer_unmap_device (((Extended *) payload)->base, stream);
}

static void
extended_release (gpointer payload)
{
  gst_shape_layer_unref (((Extended *) payload)->base);
  g_free (payload);
}

static const GstShapePayloadOps extended_ops = {
  extended_download, extended_map_device, extended_unmap_device,
  extended_release
};

/* Lays the arrays out in @data. Returns: the room they need */
static guint64
lay_out (GstShapeExtras * extras, guint8 * data, guint has, gsize n_shapes,
    gsize n_points, gsize n_defects, gsize n_statistics)
{
  guint64 used = 0;

  extras->polylines = take (data, &used, has & GST_SHAPE_HAS_POLYLINES,
      n_shapes, sizeof (GstShapePolyline));
  extras->annotations = take (data, &used, has & GST_SHAPE_HAS_ANNOTATIONS,
      n_shapes, sizeof (GstShapeAnnotation));
  extras->ellipses = take (data, &used, has & GST_SHAPE_HAS_ELLIPSES,
      n_shapes, sizeof (GstShapeEllipse));
  extras->defects = take (data, &used, has & GST_SHAPE_HAS_DEFECTS, n_defects,
      sizeof (GstShapeDefect));
  extras->statistics = take (data, &used, has & GST_SHAPE_HAS_STATISTICS,
      n_statistics, sizeof (GstShapeStatistic));
  extras->indices = take (data, &used, has & GST_SHAPE_HAS_INDICES, n_points,
      sizeof (guint32));
  return used;
}

GstShapeLayer *
gst_shape_layer_extend_block (GstShapeLayer * base, guint has,
    gsize n_defects, gsize n_statistics, GstShapeExtras * extras)
{
  const gsize n_shapes = gst_shape_layer_get_n_shapes (base);
  const gsize n_points = gst_shape_layer_get_n_points (base);

  if (n_defects > G_MAXUINT32 || n_statistics > G_MAXUINT32)
    return NULL;
  /* no overflow in 64 bits: none of the counts has more than 32 */
  const guint64 size = lay_out (extras, NULL, has, n_shapes, n_points,
      n_defects, n_statistics);
  Extended *extended = cs_try_malloc (sizeof (Extended) + size);
  if (!extended)
    return NULL;
  extended->base = gst_shape_layer_ref (base);
  extended->has = has;
  extended->n_defects = n_defects;
  extended->n_statistics = n_statistics;
  lay_out (&extended->extras, (guint8 *) extended->data, has, n_shapes,
      n_points, n_defects, n_statistics);
  *extras = extended->extras;
  GstShapeLayer *layer = gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES,
      n_shapes, n_points, NULL, &extended_ops, extended);
  gst_shape_layer_copy_facts (layer, base);
  if ((has & GST_SHAPE_HAS_ANNOTATIONS) ||
      gst_shape_layer_has_annotations (base))
    gst_shape_layer_set_annotated (layer);
  return layer;
}

/* The first of @n records of @size bytes, each with its shape first, of a shape
 * at least @shape. */
static gsize
find_record (gconstpointer records, gsize n, gsize size, gsize shape)
{
  gsize low = 0, high = records ? n : 0;

  while (low < high) {
    const gsize middle = low + (high - low) / 2;

    if (*(const guint32 *) ((const guint8 *) records + middle * size) < shape)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

gsize
gst_shape_arrays_find_defect (const GstShapeArrays * arrays, gsize shape)
{
  return find_record (arrays->defects, arrays->n_defects,
      sizeof (GstShapeDefect), shape);
}

gsize
gst_shape_arrays_find_statistic (const GstShapeArrays * arrays, gsize shape)
{
  return find_record (arrays->statistics, arrays->n_statistics,
      sizeof (GstShapeStatistic), shape);
}

static void
copy (gpointer to, gconstpointer from, gsize n, gsize size)
{
  if (to && from && n > 0)
    memcpy (to, from, n * size);
}

/**
 * gst_shape_layer_extend: (skip)
 * @layer: a layer of polylines
 * @extras: annotations, ellipses, indices, defects, statistics: what is not
 *     %NULL; for n_shapes and n_points as @layer has
 *
 * The same polylines with the arrays of @extras, in place of those that they
 * may have had. Nothing but these is copied, and a layer that is only on a
 * device stays there. An element that measures the shapes of a buffer makes a
 * new set with such layers, and puts it in the place of the other one.
 *
 * Returns: (transfer full) (nullable): the new layer, or %NULL for invalid
 *     arguments or when out of memory
 *
 * Since: 1.0
 */
GstShapeLayer *
gst_shape_layer_extend (GstShapeLayer * layer, const GstShapeArrays * extras)
{
  GstShapeExtras to;

  g_return_val_if_fail (layer != NULL, NULL);
  g_return_val_if_fail (gst_shape_layer_get_layer_type (layer) ==
      GST_SHAPE_LAYER_POLYLINES, NULL);
  g_return_val_if_fail (extras != NULL, NULL);
  const gsize n = gst_shape_layer_get_n_shapes (layer);
  g_return_val_if_fail (gst_shape_lists_are_valid (extras, n), NULL);

  GstShapeLayer *extended = gst_shape_layer_extend_block (layer,
      gst_shape_arrays_have (extras) & (GST_SHAPE_HAS_EXTRAS |
          GST_SHAPE_HAS_ANNOTATIONS), extras->n_defects, extras->n_statistics,
      &to);
  if (!extended)
    return NULL;
  copy (to.annotations, extras->annotations, n, sizeof (*to.annotations));
  copy (to.ellipses, extras->ellipses, n, sizeof (*to.ellipses));
  copy (to.indices, extras->indices, gst_shape_layer_get_n_points (layer),
      sizeof (*to.indices));
  copy (to.defects, extras->defects, extras->n_defects, sizeof (*to.defects));
  copy (to.statistics, extras->statistics, extras->n_statistics,
      sizeof (*to.statistics));
  return extended;
}
