/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Serialised sets, little endian:
 *
 *   set:   magic "GSHS", version, width, height, number of layers (u32 each),
 *          then the layers
 *   layer: type, flags (bit 0: points, bit 1: moments, bit 2: measures of
 *          hulls, bit 3: annotations), n_shapes, n_points (u32 each), then its
 *          arrays, as in memory and without gaps: polylines, moments, measures
 *          of hulls, annotations, points, offsets; or circles
 *
 * Input is untrusted: every count is checked against the remaining bytes before
 * memory is allocated for it. The number of layers is limited, since an empty
 * one takes more memory than its header.
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "gstshapeset.h"
#include "base/array.h"
#include "gstshapes-private.h"

#define MAGIC GST_MAKE_FOURCC ('G', 'S', 'H', 'S')
#define VERSION 1

/* A layer's flags are those of GstShapeHas. */
G_STATIC_ASSERT (GST_SHAPE_HAS_ALL == 15);

#define SET_HEADER_WORDS 5
#define LAYER_HEADER_WORDS 4

/* A polyline starts with so many 32-bit words; the rest are doubles. */
#define POLYLINE_WORDS32 6

/* An annotation, too. */
#define ANNOTATION_WORDS32 2

/* Converts elements to little endian or back: each has @n32 words of 32 bits,
 * then words of 64 bits. */
static void
swap_elements (guint8 * data, gsize n, gsize size, guint n32)
{
#if G_BYTE_ORDER == G_BIG_ENDIAN
  for (gsize i = 0; i < n; i++, data += size) {
    for (gsize k = 0; k < n32 * 4; k += 4)
      GST_WRITE_UINT32_LE (data + k, GST_READ_UINT32_BE (data + k));
    for (gsize k = n32 * 4; k < size; k += 8)
      GST_WRITE_UINT64_LE (data + k, GST_READ_UINT64_BE (data + k));
  }
#endif
}

/* Writing */

static void
append_words (CsArray * out, const guint32 * words, guint n)
{
  guint8 data[4];

  for (guint i = 0; i < n; i++) {
    GST_WRITE_UINT32_LE (data, words[i]);
    cs_array_append (out, data, sizeof (data));
  }
}

static void
append_elements (CsArray * out, gconstpointer from, gsize n, gsize size,
    guint n32)
{
  gsize start = out->len;

  if (!from || n == 0)
    return;
  cs_array_append (out, from, n * size);
  swap_elements ((guint8 *) out->data + start, n, size, n32);
}

static guint64
layer_size (GstShapeLayerType type, guint64 n, guint64 n_points, guint has)
{
  guint64 size = LAYER_HEADER_WORDS * 4;

  if (type == GST_SHAPE_LAYER_CIRCLES)
    return size + n * sizeof (GstShapeCircle);
  return size + n * sizeof (GstShapePolyline) + (n + 1) * sizeof (guint32)
      + (has & GST_SHAPE_HAS_MOMENTS ? n * sizeof (GstShapeMoments) : 0)
      + (has & GST_SHAPE_HAS_HULL_MEASURES ?
      n * sizeof (GstShapeHullMeasures) : 0)
      + (has & GST_SHAPE_HAS_ANNOTATIONS ? n * sizeof (GstShapeAnnotation) : 0)
      + (has & GST_SHAPE_HAS_POINTS ? n_points * sizeof (GstShapePoint) : 0);
}

static void
append_layer (CsArray * out, const GstShapeArrays * host,
    GstShapeLayerType type)
{
  const guint32 header[LAYER_HEADER_WORDS] = { type,
    gst_shape_arrays_have (host), host->n_shapes, host->n_points
  };

  append_words (out, header, LAYER_HEADER_WORDS);
  if (type == GST_SHAPE_LAYER_CIRCLES) {
    append_elements (out, host->circles, host->n_shapes,
        sizeof (GstShapeCircle), sizeof (GstShapeCircle) / 4);
    return;
  }
  append_elements (out, host->polylines, host->n_shapes,
      sizeof (GstShapePolyline), POLYLINE_WORDS32);
  append_elements (out, host->moments, host->n_shapes,
      sizeof (GstShapeMoments), 0);
  append_elements (out, host->hull_measures, host->n_shapes,
      sizeof (GstShapeHullMeasures), 0);
  append_elements (out, host->annotations, host->n_shapes,
      sizeof (GstShapeAnnotation), ANNOTATION_WORDS32);
  append_elements (out, host->points, host->n_points, sizeof (GstShapePoint),
      sizeof (GstShapePoint) / 4);
  append_elements (out, host->offsets, host->n_shapes + 1, sizeof (guint32), 1);
}

/**
 * gst_shape_set_serialize:
 * @set: a set
 * @error: return location for an error
 *
 * Serialises the set for gst_shape_set_deserialize(), portable between byte
 * orders. Layers that are only on a device are downloaded.
 *
 * Returns: (transfer full): the bytes, or %NULL with @error set if a layer
 *     could not be downloaded, there are more than %GST_SHAPE_SET_MAX_LAYERS,
 *     they exceed 2 GiB, or when out of memory
 *
 * Since: 0.1
 */
GBytes *
gst_shape_set_serialize (GstShapeSet * set, GError ** error)
{
  guint32 header[SET_HEADER_WORDS];
  CsArray out;
  guint64 size = sizeof (header);
  guint n_layers;

  g_return_val_if_fail (set != NULL, NULL);

  n_layers = gst_shape_set_get_n_layers (set);
  if (n_layers > GST_SHAPE_SET_MAX_LAYERS) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_ENCODE,
        "%u layers are too many to serialise; put their shapes into at most %d",
        n_layers, GST_SHAPE_SET_MAX_LAYERS);
    return NULL;
  }
  for (guint i = 0; i < n_layers; i++) {
    const GstShapeArrays *host =
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), error);

    if (!host)
      return NULL;
    size += layer_size (gst_shape_set_get_layer_type (set, i), host->n_shapes,
        host->n_points, gst_shape_arrays_have (host));
  }
  if (size > (1u << 31)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_ENCODE,
        "%" G_GUINT64_FORMAT " bytes of shapes are too many to serialise",
        size);
    return NULL;
  }

  header[0] = MAGIC;
  header[1] = VERSION;
  header[2] = gst_shape_set_get_width (set);
  header[3] = gst_shape_set_get_height (set);
  header[4] = n_layers;
  cs_array_init (&out, 1);
  if (!cs_array_reserve (&out, size)) {
    g_set_error (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "there is no memory for %" G_GUINT64_FORMAT " bytes of shapes", size);
    return NULL;
  }
  append_words (&out, header, SET_HEADER_WORDS);
  for (guint i = 0; i < n_layers; i++)
    append_layer (&out,
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), NULL),
        gst_shape_set_get_layer_type (set, i));
  return g_bytes_new_take (out.data, out.len);
}

/* Reading */

typedef struct
{
  const guint8 *data;
  gsize size;                   /* bytes left */
} Cursor;

static gboolean
read_words (Cursor * cursor, guint32 * words, guint n)
{
  if (cursor->size < n * 4)
    return FALSE;
  for (guint i = 0; i < n; i++)
    words[i] = GST_READ_UINT32_LE (cursor->data + i * 4);
  cursor->data += n * 4;
  cursor->size -= n * 4;
  return TRUE;
}

/* The caller has checked that the bytes are there. */
static void
read_elements (Cursor * cursor, gpointer to, gsize n, gsize size, guint n32)
{
  if (!to || n == 0)
    return;
  memcpy (to, cursor->data, n * size);
  swap_elements (to, n, size, n32);
  cursor->data += n * size;
  cursor->size -= n * size;
}

static gboolean
kinds_are_known (const GstShapePolyline * polylines, gsize n)
{
  for (gsize i = 0; i < n; i++)
    if (polylines[i].kind > GST_SHAPE_KIND_HULL)
      return FALSE;
  return TRUE;
}

static void
read_arrays (Cursor * cursor, GstShapeBlock * block, gsize n_shapes,
    gsize n_points)
{
  read_elements (cursor, block->circles, n_shapes, sizeof (GstShapeCircle),
      sizeof (GstShapeCircle) / 4);
  read_elements (cursor, block->polylines, n_shapes, sizeof (GstShapePolyline),
      POLYLINE_WORDS32);
  read_elements (cursor, block->moments, n_shapes, sizeof (GstShapeMoments), 0);
  read_elements (cursor, block->hull_measures, n_shapes,
      sizeof (GstShapeHullMeasures), 0);
  read_elements (cursor, block->annotations, n_shapes,
      sizeof (GstShapeAnnotation), ANNOTATION_WORDS32);
  read_elements (cursor, block->points, n_points, sizeof (GstShapePoint),
      sizeof (GstShapePoint) / 4);
  read_elements (cursor, block->offsets, n_shapes + 1, sizeof (guint32), 1);
}

/* %NULL if the bytes are not a valid layer; @problem is the reason. */
static GstShapeLayer *
read_layer (Cursor * cursor, const gchar ** problem)
{
  guint32 header[LAYER_HEADER_WORDS];
  GstShapeBlock block;
  GstShapeLayer *layer;
  GstShapeLayerType type;
  guint32 has, n_shapes, n_points;

  *problem = "a layer is truncated";
  if (!read_words (cursor, header, LAYER_HEADER_WORDS))
    return NULL;

  type = header[0];
  has = header[1];
  n_shapes = header[2];
  n_points = header[3];
  if (type > GST_SHAPE_LAYER_CIRCLES || n_shapes > G_MAXINT32
      || has & ~GST_SHAPE_HAS_ALL
      || (type == GST_SHAPE_LAYER_CIRCLES && (n_points || has))) {
    *problem = "a layer's header is invalid";
    return NULL;
  }
  if (layer_size (type, n_shapes, n_points, has) - LAYER_HEADER_WORDS * 4
      > cursor->size)
    return NULL;

  *problem = "not enough memory";
  layer = gst_shape_layer_new_block (type, n_shapes, n_points, has, &block);
  if (!layer)
    return NULL;
  read_arrays (cursor, &block, n_shapes, n_points);
  if (!gst_shape_layer_seal (layer)) {
    *problem = "a layer's offsets are invalid";
    return NULL;
  }
  if (block.polylines && !kinds_are_known (block.polylines, n_shapes)) {
    *problem = "a polyline is of an unknown kind";
    gst_shape_layer_unref (layer);
    return NULL;
  }
  return layer;
}

static GstShapeSet *
read_set (Cursor * cursor, const gchar ** problem)
{
  guint32 header[SET_HEADER_WORDS];
  GstShapeSet *set;

  *problem = "no shapes";
  if (!read_words (cursor, header, SET_HEADER_WORDS) || header[0] != MAGIC)
    return NULL;
  *problem = "shapes of an unknown version";
  if (header[1] != VERSION)
    return NULL;
  *problem = "more than " G_STRINGIFY (GST_SHAPE_SET_MAX_LAYERS) " layers";
  if (header[4] > GST_SHAPE_SET_MAX_LAYERS)
    return NULL;

  set = gst_shape_set_new (header[2], header[3]);
  for (guint32 i = 0; i < header[4]; i++) {
    GstShapeLayer *layer = read_layer (cursor, problem);

    if (!layer) {
      gst_shape_set_unref (set);
      return NULL;
    }
    gst_shape_set_add_layer (set, layer);
  }
  if (cursor->size > 0) {
    *problem = "bytes are left over after the last layer";
    gst_shape_set_unref (set);
    return NULL;
  }
  return set;
}

/**
 * gst_shape_set_deserialize:
 * @data: (array length=size) (nullable): bytes
 * @size: their number
 * @error: return location for an error
 *
 * Deserialises a set of gst_shape_set_serialize(). Untrusted input is safe: the
 * result is valid, and takes at most some MiB more memory than the bytes.
 * Coordinates and measures are not validated; they may be infinite or NaN.
 *
 * Returns: (transfer full): the set, or %NULL with @error set to a
 *     %GST_STREAM_ERROR_DECODE
 *
 * Since: 0.1
 */
GstShapeSet *
gst_shape_set_deserialize (const guint8 * data, gsize size, GError ** error)
{
  Cursor cursor = { data, size };
  const gchar *problem;
  GstShapeSet *set;

  g_return_val_if_fail (data != NULL || size == 0, NULL);

  set = read_set (&cursor, &problem);
  if (!set)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
        "%s (%" G_GSIZE_FORMAT " bytes of %" G_GSIZE_FORMAT " were read)",
        problem, size - cursor.size, size);
  return set;
}
