/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Serialised sets, little endian:
 *
 *   set:   magic "GSHS", version, width, height, number of layers (u32 each;
 *          with bit 31 of the last the size of pixels follows, two doubles),
 *          then the layers
 *   layer: type, flags (bit 0: points, bit 1: moments, bit 2: measures of
 *          hulls, bit 3: annotations, bit 4: ellipses, bit 5: indices, bit 6:
 *          defects, bit 7: statistics, bit 8: names of classes), n_shapes,
 *          n_points (u32 each); with bit 6 or 7 n_defects, n_statistics (u32
 *          each); then its arrays, as in memory and without gaps: polylines,
 *          moments, measures of hulls, annotations, points, offsets, ellipses,
 *          indices, defects, statistics; then with bit 8 the number of names
 *          (u32), and for each, by ascending class, the class and the number of
 *          bytes (u32 each) and the bytes, in UTF-8; or circles
 *
 * Input is untrusted: every count is checked against the remaining bytes before
 * memory is allocated for it. The numbers of layers and names are limited,
 * since an empty layer and a short name take more memory than their bytes.
 */

#include <math.h>
#include <string.h>

#include "gstshapeclassnames.h"
#include "gstshapeset.h"
#include "base/array.h"
#include "gstshapes-private.h"

#define MAGIC GST_MAKE_FOURCC ('G', 'S', 'H', 'S')
#define VERSION 1

/* A layer's flags are those of GstShapeHas, and another one. */
G_STATIC_ASSERT (GST_SHAPE_HAS_ALL == 255);
#define HAS_CLASS_NAMES (1u << 8)

#define SET_HEADER_WORDS 5
#define LAYER_HEADER_WORDS 4
/* numbers of defects and statistics */
#define LISTS_WORDS 2

/* With the number of layers: the size of pixels is there. */
#define HAS_PIXEL_SIZE (1u << 31)

/* A polyline starts with so many 32-bit words; the rest are doubles. */
#define POLYLINE_WORDS32 6

/* An annotation, too. */
#define ANNOTATION_WORDS32 2

/* A defect and a statistic, too. */
#define DEFECT_WORDS32 8
#define STATISTIC_WORDS32 2

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

/* What a layer's header says. */
typedef struct
{
  guint32 type, has, n, n_points, n_defects, n_statistics;
} Header;

G_STATIC_ASSERT (sizeof (Header) == (LAYER_HEADER_WORDS + LISTS_WORDS) * 4);

static guint
header_words (const Header * header)
{
  return LAYER_HEADER_WORDS + (header->has & (GST_SHAPE_HAS_DEFECTS |
          GST_SHAPE_HAS_STATISTICS) ? LISTS_WORDS : 0);
}

static Header
describe (const GstShapeArrays * host, GstShapeLayerType type,
    const GArray * names)
{
  const guint named = names && names->len > 0 ? HAS_CLASS_NAMES : 0;

  return (Header) {
    type, gst_shape_arrays_have (host) | named, host->n_shapes, host->n_points,
        host->defects ? host->n_defects : 0,
        host->statistics ? host->n_statistics : 0
  };
}

/* Names of classes */

static guint64
names_size (const GArray * names)
{
  guint64 size = sizeof (guint32);

  for (guint i = 0; i < names->len; i++)
    size += 2 * sizeof (guint32) +
        strlen (g_array_index (names, GstShapeClassName, i).name);
  return size;
}

static void
append_names (CsArray * out, const GArray * names)
{
  const guint32 n = names->len;

  append_words (out, &n, 1);
  for (guint i = 0; i < n; i++) {
    const GstShapeClassName *entry =
        &g_array_index (names, GstShapeClassName, i);
    const guint32 words[] = { (guint32) entry->class_id, strlen (entry->name) };

    append_words (out, words, G_N_ELEMENTS (words));
    cs_array_append (out, entry->name, words[1]);
  }
}

static gboolean
names_fit (const GArray * names, guint * n_names, GError ** error)
{
  *n_names += names->len;
  if (*n_names > GST_SHAPE_CLASS_NAMES_MAX) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_ENCODE,
        "more than %d names of classes are too many to serialise",
        GST_SHAPE_CLASS_NAMES_MAX);
    return FALSE;
  }
  for (guint i = 0; i < names->len; i++) {
    const GstShapeClassName *entry =
        &g_array_index (names, GstShapeClassName, i);

    if (strlen (entry->name) <= GST_SHAPE_CLASS_NAME_MAX_BYTES
        && g_utf8_validate (entry->name, -1, NULL))
      continue;
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_ENCODE,
        "the name of class %d is not UTF-8 of at most %d bytes",
        entry->class_id, GST_SHAPE_CLASS_NAME_MAX_BYTES);
    return FALSE;
  }
  return TRUE;
}

static guint64
layer_size (const Header * header)
{
  const guint64 n = header->n, n_points = header->n_points;
  const guint has = header->has;
  guint64 size = header_words (header) * 4;

  if (header->type == GST_SHAPE_LAYER_CIRCLES)
    return size + n * sizeof (GstShapeCircle);
  return size + n * sizeof (GstShapePolyline) + (n + 1) * sizeof (guint32)
      + (has & GST_SHAPE_HAS_MOMENTS ? n * sizeof (GstShapeMoments) : 0)
      + (has & GST_SHAPE_HAS_HULL_MEASURES ?
      n * sizeof (GstShapeHullMeasures) : 0)
      + (has & GST_SHAPE_HAS_ANNOTATIONS ? n * sizeof (GstShapeAnnotation) : 0)
      + (has & GST_SHAPE_HAS_POINTS ? n_points * sizeof (GstShapePoint) : 0)
      + (has & GST_SHAPE_HAS_ELLIPSES ? n * sizeof (GstShapeEllipse) : 0)
      + (has & GST_SHAPE_HAS_INDICES ? n_points * sizeof (guint32) : 0)
      + (guint64) header->n_defects * sizeof (GstShapeDefect)
      + (guint64) header->n_statistics * sizeof (GstShapeStatistic);
}

/* Circles have no class. */
static GArray *
get_names (GstShapeLayer * layer)
{
  return gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_POLYLINES ?
      gst_shape_layer_ref_class_names (layer) : NULL;
}

static void
append_polylines (CsArray * out, const GstShapeArrays * host)
{
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
  append_elements (out, host->ellipses, host->n_shapes,
      sizeof (GstShapeEllipse), 0);
  append_elements (out, host->indices, host->n_points, sizeof (guint32), 1);
  append_elements (out, host->defects, host->n_defects,
      sizeof (GstShapeDefect), DEFECT_WORDS32);
  append_elements (out, host->statistics, host->n_statistics,
      sizeof (GstShapeStatistic), STATISTIC_WORDS32);
}

static void
append_layer (CsArray * out, GstShapeLayer * layer)
{
  const GstShapeLayerType type = gst_shape_layer_get_layer_type (layer);
  const GstShapeArrays *host = gst_shape_layer_map_host (layer, NULL);
  g_autoptr (GArray) names = get_names (layer);
  const Header header = describe (host, type, names);

  append_words (out, (const guint32 *) &header, header_words (&header));
  if (type == GST_SHAPE_LAYER_CIRCLES)
    append_elements (out, host->circles, host->n_shapes,
        sizeof (GstShapeCircle), sizeof (GstShapeCircle) / 4);
  else
    append_polylines (out, host);
  if (header.has & HAS_CLASS_NAMES)
    append_names (out, names);
}

/* Adds what @layer will take to @size, and its names to @n_names. */
static gboolean
measure_layer (GstShapeLayer * layer, guint64 * size, guint * n_names,
    GError ** error)
{
  const GstShapeArrays *host = gst_shape_layer_map_host (layer, error);
  Header header;

  if (!host)
    return FALSE;
  g_autoptr (GArray) names = get_names (layer);
  header = describe (host, gst_shape_layer_get_layer_type (layer), names);
  const gboolean fit = !names || names_fit (names, n_names, error);
  *size += layer_size (&header);
  if (header.has & HAS_CLASS_NAMES)
    *size += names_size (names);
  return fit;
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
 *     could not be downloaded, there are more than %GST_SHAPE_SET_MAX_LAYERS or
 *     65,536 names of classes, they exceed 2 GiB, or when out of memory
 *
 * Since: 1.0
 */
GBytes *
gst_shape_set_serialize (GstShapeSet * set, GError ** error)
{
  guint32 header[SET_HEADER_WORDS];
  gdouble pixel[2];
  CsArray out;
  guint64 size = sizeof (header) + sizeof (pixel);
  guint n_layers, n_names = 0;

  g_return_val_if_fail (set != NULL, NULL);

  n_layers = gst_shape_set_get_n_layers (set);
  if (n_layers > GST_SHAPE_SET_MAX_LAYERS) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_ENCODE,
        "%u layers are too many to serialise; put their shapes into at most %d",
        n_layers, GST_SHAPE_SET_MAX_LAYERS);
    return NULL;
  }
  for (guint i = 0; i < n_layers; i++)
    if (!measure_layer (gst_shape_set_get_layer (set, i), &size, &n_names,
            error))
      return NULL;
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
  if (gst_shape_set_get_pixel_size (set, &pixel[0], &pixel[1]))
    header[4] |= HAS_PIXEL_SIZE;
  cs_array_init (&out, 1);
  if (!cs_array_reserve (&out, size)) {
    gst_shapes_fail_memory (error, "there is no memory for %" G_GUINT64_FORMAT
        " bytes of shapes", size);
    return NULL;
  }
  append_words (&out, header, SET_HEADER_WORDS);
  if (header[4] & HAS_PIXEL_SIZE)
    append_elements (&out, pixel, 2, sizeof (gdouble), 0);
  for (guint i = 0; i < n_layers; i++)
    append_layer (&out, gst_shape_set_get_layer (set, i));
  return g_bytes_new_take (out.data, out.len);
}

/* Reading */

typedef struct
{
  const guint8 *data;
  gsize size;                   /* bytes left */
  guint n_names;                /* of classes, so far */
} Cursor;

static gboolean
read_words (Cursor * cursor, guint32 * words, guint n)
{
  if (cursor->size < n * 4)
    return FALSE;
  memcpy (words, cursor->data, n * sizeof *words);      /* at any address */
  for (guint i = 0; i < n; i++)
    words[i] = GUINT32_FROM_LE (words[i]);
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

/* @layer with the arrays that its header says are next, or @layer itself. */
static GstShapeLayer *
read_extras (Cursor * cursor, GstShapeLayer * layer, const Header * header)
{
  const guint has = header->has & GST_SHAPE_HAS_EXTRAS;
  GstShapeExtras extras;

  if (!has)
    return layer;
  GstShapeLayer *extended = gst_shape_layer_extend_block (layer, has,
      header->n_defects, header->n_statistics, &extras);
  gst_shape_layer_unref (layer);
  if (!extended)
    return NULL;
  read_elements (cursor, extras.ellipses, header->n, sizeof (GstShapeEllipse),
      0);
  read_elements (cursor, extras.indices, header->n_points, sizeof (guint32), 1);
  read_elements (cursor, extras.defects, header->n_defects,
      sizeof (GstShapeDefect), DEFECT_WORDS32);
  read_elements (cursor, extras.statistics, header->n_statistics,
      sizeof (GstShapeStatistic), STATISTIC_WORDS32);
  return extended;
}

static gboolean
header_is_valid (const Header * header)
{
  return header->type <= GST_SHAPE_LAYER_CIRCLES && header->n <= G_MAXINT32
      && !(header->has & ~(GST_SHAPE_HAS_ALL | HAS_CLASS_NAMES))
      && (header->type != GST_SHAPE_LAYER_CIRCLES
      || (header->n_points == 0 && header->has == 0))
      && (header->has & GST_SHAPE_HAS_DEFECTS || header->n_defects == 0)
      && (header->has & GST_SHAPE_HAS_STATISTICS || header->n_statistics == 0);
}

static gboolean
read_name (Cursor * cursor, GArray * names, gint64 * last)
{
  guint32 words[2];

  if (!read_words (cursor, words, 2) || words[0] > G_MAXINT32
      || words[0] <= *last || words[1] > cursor->size || words[1] == 0
      || words[1] > GST_SHAPE_CLASS_NAME_MAX_BYTES
      || !g_utf8_validate_len ((const gchar *) cursor->data, words[1], NULL))
    return FALSE;
  g_autofree gchar *name = g_strndup ((const gchar *) cursor->data, words[1]);
  gst_shape_class_names_add (names, (gint32) words[0], name);
  *last = words[0];
  cursor->data += words[1];
  cursor->size -= words[1];
  return TRUE;
}

static gboolean
read_names (Cursor * cursor, GstShapeLayer * layer)
{
  GArray *names = gst_shape_class_names_new ();
  guint32 n = 0;
  gint64 last = -1;

  gboolean read = read_words (cursor, &n, 1) && n > 0
      && n <= GST_SHAPE_CLASS_NAMES_MAX - cursor->n_names;
  cursor->n_names += read ? n : 0;
  for (guint32 i = 0; read && i < n; i++)
    read = read_name (cursor, names, &last);
  gst_shape_layer_take_class_names (layer, names);
  return read;
}

/* %NULL if the bytes are not a valid layer; @problem is the reason. */
static GstShapeLayer *
read_layer (Cursor * cursor, const gchar ** problem)
{
  GstShapeBlock block;
  Header header = { 0, };

  *problem = "a layer is truncated";
  if (!read_words (cursor, (guint32 *) &header, LAYER_HEADER_WORDS)
      || !read_words (cursor, &header.n_defects,
          header_words (&header) - LAYER_HEADER_WORDS))
    return NULL;
  if (!header_is_valid (&header)) {
    *problem = "a layer's header is invalid";
    return NULL;
  }
  if (layer_size (&header) - header_words (&header) * 4 > cursor->size)
    return NULL;

  *problem = "not enough memory";
  GstShapeLayer *layer = gst_shape_layer_new_block (header.type, header.n,
      header.n_points, header.has & ~HAS_CLASS_NAMES, &block);
  if (!layer)
    return NULL;
  read_arrays (cursor, &block, header.n, header.n_points);
  if (!gst_shape_layer_seal (layer)) {
    *problem = "a layer's offsets are invalid";
    return NULL;
  }
  if (block.polylines && !kinds_are_known (block.polylines, header.n)) {
    *problem = "a polyline is of an unknown kind";
    gst_shape_layer_unref (layer);
    return NULL;
  }
  layer = read_extras (cursor, layer, &header);
  if (layer && !gst_shape_layer_download (layer, NULL)) {
    *problem = "a layer's defects or statistics are of no shape";
    g_clear_pointer (&layer, gst_shape_layer_unref);
  }
  if (layer && header.has & HAS_CLASS_NAMES && !read_names (cursor, layer)) {
    *problem = "a layer's names of classes are invalid, or too many";
    g_clear_pointer (&layer, gst_shape_layer_unref);
  }
  return layer;
}

static gboolean
read_pixel_size (Cursor * cursor, gdouble pixel[2])
{
  if (cursor->size < 2 * sizeof (gdouble))
    return FALSE;
  read_elements (cursor, pixel, 2, sizeof (gdouble), 0);
  return isfinite (pixel[0]) && isfinite (pixel[1]) && pixel[0] > 0
      && pixel[1] > 0;
}

static GstShapeSet *
read_set (Cursor * cursor, const gchar ** problem)
{
  guint32 header[SET_HEADER_WORDS];
  gdouble pixel[2] = { 0, 0 };

  *problem = "no shapes";
  if (!read_words (cursor, header, SET_HEADER_WORDS) || header[0] != MAGIC)
    return NULL;
  *problem = "shapes of an unknown version";
  if (header[1] != VERSION)
    return NULL;
  const gboolean has_pixel_size = header[4] & HAS_PIXEL_SIZE;
  header[4] &= ~HAS_PIXEL_SIZE;
  *problem = "more than " G_STRINGIFY (GST_SHAPE_SET_MAX_LAYERS) " layers";
  if (header[4] > GST_SHAPE_SET_MAX_LAYERS)
    return NULL;

  *problem = "the size of pixels is truncated or invalid";
  if (has_pixel_size && !read_pixel_size (cursor, pixel))
    return NULL;

  GstShapeSet *set = gst_shape_set_new (header[2], header[3]);
  gst_shape_set_set_pixel_size (set, pixel[0], pixel[1]);
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
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_deserialize (const guint8 * data, gsize size, GError ** error)
{
  Cursor cursor = { data, size, 0 };
  const gchar *problem;

  g_return_val_if_fail (data != NULL || size == 0, NULL);

  GstShapeSet *set = read_set (&cursor, &problem);
  if (!set)
    g_set_error (error, GST_STREAM_ERROR, GST_STREAM_ERROR_DECODE,
        "%s (%" G_GSIZE_FORMAT " bytes of %" G_GSIZE_FORMAT " were read)",
        problem, size - cursor.size, size);
  return set;
}
