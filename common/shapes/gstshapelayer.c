/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Layers: arrays of one producer, on the host, on a device, or both. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include <string.h>

#include "base/memory.h"
#include "gstshapeclassnames.h"
#include "gstshapeset.h"
#include "gstshapes-private.h"
#include "gstshapesversion.h"

#define GST_CAT_DEFAULT gst_shapes_debug_category ()

typedef enum
{
  HOST_PENDING,                 /* not downloaded yet */
  HOST_READY,
  HOST_FAILED,                  /* permanently; see error */
} HostState;

struct _GstShapeLayer
{
  gint ref_count;

  GstShapeLayerType type;
  gsize n_shapes;
  gsize n_points;

  GstShapePayloadOps ops;
  gpointer payload;

  /* host and error are written once, under the lock, before host_state changes;
   * readers that have seen the new state need no lock. */
  GMutex lock;
  gint host_state;
  GstShapeArrays host;
  GError *error;

  /* with lock */
  gboolean next_id_known;
  gint32 next_id;
  gboolean kinds_known;
  guint kinds;                  /* bitmap of the kinds present */
  GArray *class_names;          /* GstShapeClassName, or NULL */
};

G_DEFINE_BOXED_TYPE_WITH_CODE (GstShapeLayer, gst_shape_layer,
    gst_shape_layer_ref, gst_shape_layer_unref, gst_shapes_init ());

#ifndef GST_DISABLE_GST_DEBUG
GstDebugCategory *
gst_shapes_debug_category (void)
{
  static gsize category = 0;

  if (g_once_init_enter (&category)) {
    gsize made = (gsize) _gst_debug_category_new ("shapes", 0, "shape sets");

    g_once_init_leave (&category, made);
  }
  return (GstDebugCategory *) category;
}
#endif

/* The offsets of no polylines. */
static const guint32 no_polylines[1] = { 0 };

/* Valid offsets: readers use them without checks. */
static gboolean
offsets_are_valid (const guint32 * offsets, gsize n_polylines, gsize n_points)
{
  guint32 descents = 0;

  if (offsets[0] != 0 || offsets[n_polylines] != n_points)
    return FALSE;
  for (gsize i = 0; i < n_polylines; i++)
    descents |= offsets[i + 1] < offsets[i];
  return descents == 0;
}

static gboolean
counts_are_valid (GstShapeLayerType type, gsize n_shapes, gsize n_points)
{
  if (n_shapes > G_MAXINT32 || n_points > G_MAXUINT32)
    return FALSE;
  if (type == GST_SHAPE_LAYER_CIRCLES)
    return n_points == 0;
  return type == GST_SHAPE_LAYER_POLYLINES;
}

static gboolean
arrays_are_valid (const GstShapeArrays * arrays, GstShapeLayerType type,
    gsize n_shapes, gsize n_points)
{
  if (arrays->n_shapes != n_shapes || arrays->n_points != n_points)
    return FALSE;
  if (type == GST_SHAPE_LAYER_CIRCLES) {
    return (n_shapes == 0 || arrays->circles) && !arrays->points
        && !arrays->offsets && !arrays->polylines && !arrays->moments
        && !arrays->hull_measures && !arrays->annotations
        && !(gst_shape_arrays_have (arrays) & GST_SHAPE_HAS_EXTRAS);
  }
  if (arrays->circles)
    return FALSE;
  if (n_shapes == 0 && !arrays->offsets)
    return n_points == 0;
  return arrays->offsets && (n_shapes == 0 || arrays->polylines)
      && offsets_are_valid (arrays->offsets, n_shapes, n_points)
      && gst_shape_lists_are_valid (arrays, n_shapes);
}

static void
take_host_arrays (GstShapeLayer * layer, const GstShapeArrays * arrays)
{
  layer->host = *arrays;
  if (layer->type == GST_SHAPE_LAYER_POLYLINES && !layer->host.offsets)
    layer->host.offsets = no_polylines;
  g_atomic_int_set (&layer->host_state, HOST_READY);
}

static GstShapeLayer *
layer_alloc (GstShapeLayerType type, gsize n_shapes, gsize n_points)
{
  GstShapeLayer *layer = g_new0 (GstShapeLayer, 1);

  layer->ref_count = 1;
  layer->type = type;
  layer->n_shapes = n_shapes;
  layer->n_points = n_points;
  g_mutex_init (&layer->lock);
  return layer;
}

/**
 * gst_shape_layer_new: (skip)
 * @type: what the layer holds
 * @n_shapes: polylines or circles, at most 2^31 - 1
 * @n_points: points of all polylines, at most 2^32 - 1; 0 for circles
 * @host: (nullable): arrays on the host that stay valid until @payload is
 *     released, or %NULL when @ops can download them. Copied; what it points
 *     to is not.
 * @ops: (nullable): operations on @payload, copied. %NULL without a payload:
 *     then
 *     @host is static data.
 * @payload: (nullable): owner of the arrays
 *
 * Wraps external memory as a layer, which takes ownership of @payload: the last
 * unref releases it, exactly once, on any thread.
 *
 * The offsets of @host must start with 0, not decrease, and end with @n_points;
 * readers do not check them. The same holds for the arrays of
 * #GstShapePayloadOps.download(). Invalid arguments are a programming error;
 * @payload then remains the caller's.
 *
 * Returns: (transfer full) (nullable): the layer, or %NULL for invalid
 *     arguments
 *
 * Since: 0.1
 */
GstShapeLayer *
gst_shape_layer_new (GstShapeLayerType type, gsize n_shapes, gsize n_points,
    const GstShapeArrays * host, const GstShapePayloadOps * ops,
    gpointer payload)
{
  GstShapeLayer *layer;

  g_return_val_if_fail (counts_are_valid (type, n_shapes, n_points), NULL);
  g_return_val_if_fail (host || (ops && ops->download), NULL);
  g_return_val_if_fail (ops || !payload, NULL);
  g_return_val_if_fail (!host
      || arrays_are_valid (host, type, n_shapes, n_points), NULL);

  layer = layer_alloc (type, n_shapes, n_points);
  if (ops)
    layer->ops = *ops;
  layer->payload = payload;
  if (host)
    take_host_arrays (layer, host);
  return layer;
}

/* Size of a layer's arrays in bytes; 0 on overflow. */
static gsize
block_size (GstShapeLayerType type, gsize n_shapes, gsize n_points, guint has)
{
  /* No overflow in 64 bits: counts_are_valid () holds. */
  guint64 n = n_shapes;
  guint64 size = n * sizeof (GstShapeCircle);

  if (type == GST_SHAPE_LAYER_POLYLINES) {
    size = n * sizeof (GstShapePolyline) + (n + 1) * sizeof (guint32);
    if (has & GST_SHAPE_HAS_MOMENTS)
      size += n * sizeof (GstShapeMoments);
    if (has & GST_SHAPE_HAS_HULL_MEASURES)
      size += n * sizeof (GstShapeHullMeasures);
    if (has & GST_SHAPE_HAS_ANNOTATIONS)
      size += n * sizeof (GstShapeAnnotation);
    if (has & GST_SHAPE_HAS_POINTS)
      size += (guint64) n_points *sizeof (GstShapePoint);
  }
  return size > G_MAXSSIZE ? 0 : MAX ((gsize) size, 1);
}

GstShapeLayer *
gst_shape_layer_new_block (GstShapeLayerType type, gsize n_shapes,
    gsize n_points, guint has, GstShapeBlock * block)
{
  gsize size = block_size (type, n_shapes, n_points, has);
  GstShapeLayer *layer;
  guint8 *data;

  data = size ? cs_try_malloc (size) : NULL;
  if (!data)
    return NULL;

  memset (block, 0, sizeof (*block));
  layer = layer_alloc (type, n_shapes, n_points);
  layer->payload = data;
  layer->ops.release = g_free;
  if (type == GST_SHAPE_LAYER_CIRCLES) {
    block->circles = (GstShapeCircle *) data;
  } else {
    block->polylines = (GstShapePolyline *) data;
    data += n_shapes * sizeof (GstShapePolyline);
    if (has & GST_SHAPE_HAS_MOMENTS) {
      block->moments = (GstShapeMoments *) data;
      data += n_shapes * sizeof (GstShapeMoments);
    }
    if (has & GST_SHAPE_HAS_HULL_MEASURES) {
      block->hull_measures = (GstShapeHullMeasures *) data;
      data += n_shapes * sizeof (GstShapeHullMeasures);
    }
    if (has & GST_SHAPE_HAS_ANNOTATIONS) {
      block->annotations = (GstShapeAnnotation *) data;
      data += n_shapes * sizeof (GstShapeAnnotation);
    }
    if (has & GST_SHAPE_HAS_POINTS) {
      block->points = (GstShapePoint *) data;
      data += n_points * sizeof (GstShapePoint);
    }
    block->offsets = (guint32 *) data;
  }
  layer->host.n_shapes = n_shapes;
  layer->host.n_points = n_points;
  layer->host.points = block->points;
  layer->host.offsets = block->offsets;
  layer->host.polylines = block->polylines;
  layer->host.moments = block->moments;
  layer->host.circles = block->circles;
  layer->host.hull_measures = block->hull_measures;
  layer->host.annotations = block->annotations;
  return layer;
}

gboolean
gst_shape_layer_seal (GstShapeLayer * layer)
{
  if (!arrays_are_valid (&layer->host, layer->type, layer->n_shapes,
          layer->n_points)) {
    gst_shape_layer_unref (layer);
    return FALSE;
  }
  g_atomic_int_set (&layer->host_state, HOST_READY);
  return TRUE;
}

static void
copy_array (gpointer to, gconstpointer from, gsize n, gsize size)
{
  if (n > 0)
    memcpy (to, from, n * size);
}

static GstShapeLayer *
out_of_memory (gsize n_shapes, GError ** error)
{
  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
      "not enough memory for a copy of %" G_GSIZE_FORMAT " shapes", n_shapes);
  return NULL;
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
  if (gst_shape_layer_seal (layer))
    return layer;

  g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
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
 * Creates a layer of polylines with a copy of the arrays.
 *
 * Returns: (transfer full) (nullable): the layer, or %NULL for invalid
 *     arguments or when out of memory
 *
 * Since: 0.1
 */
GstShapeLayer *
gst_shape_layer_new_polylines_copy (const GstShapePoint * points,
    gsize n_points, const guint32 * offsets,
    const GstShapePolyline * polylines, gsize n_polylines,
    const GstShapeMoments * moments)
{
  g_return_val_if_fail (counts_are_valid (GST_SHAPE_LAYER_POLYLINES,
          n_polylines, n_points), NULL);
  g_return_val_if_fail (polylines || n_polylines == 0, NULL);
  g_return_val_if_fail (offsets || n_polylines == 0, NULL);
  if (!offsets)
    offsets = no_polylines;
  g_return_val_if_fail (offsets_are_valid (offsets, n_polylines, n_points),
      NULL);

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
 * Since: 0.1
 */
GstShapeLayer *
gst_shape_layer_new_circles_copy (const GstShapeCircle * circles,
    gsize n_circles)
{
  GstShapeBlock block;
  GstShapeLayer *layer;

  g_return_val_if_fail (counts_are_valid (GST_SHAPE_LAYER_CIRCLES, n_circles,
          0), NULL);
  g_return_val_if_fail (circles || n_circles == 0, NULL);

  layer = gst_shape_layer_new_block (GST_SHAPE_LAYER_CIRCLES, n_circles, 0,
      0, &block);
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

  if (n_bytes % size != 0) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "%s: %" G_GSIZE_FORMAT " bytes are not a multiple of the %"
        G_GSIZE_FORMAT " bytes of an element", name, n_bytes, size);
    return FALSE;
  }
  *n = n_bytes / size;
  return TRUE;
}

static gboolean
check_polyline_bytes (GBytes * points, GBytes * offsets, GBytes * polylines,
    GBytes * moments, gsize * n_points, gsize * n_polylines, GError ** error)
{
  gsize n_offsets, n_moments;
  guint32 last = 0;

  if (!count_elements (polylines, "polylines", sizeof (GstShapePolyline),
          n_polylines, error)
      || !count_elements (offsets, "offsets", sizeof (guint32), &n_offsets,
          error))
    return FALSE;
  if (n_offsets != *n_polylines + 1) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "%" G_GSIZE_FORMAT " polylines need %" G_GSIZE_FORMAT
        " offsets, not %" G_GSIZE_FORMAT, *n_polylines, *n_polylines + 1,
        n_offsets);
    return FALSE;
  }
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
    if (n_moments != *n_polylines) {
      g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
          "%" G_GSIZE_FORMAT " polylines need as many moments, not %"
          G_GSIZE_FORMAT, *n_polylines, n_moments);
      return FALSE;
    }
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
 * for language bindings. The bytes are copied.
 *
 * Returns: (transfer full): the layer, or %NULL with @error set to a
 *     %GST_LIBRARY_ERROR that names the inconsistent array
 *
 * Since: 0.1
 */
GstShapeLayer *
gst_shape_layer_new_polylines_bytes (GBytes * points, GBytes * offsets,
    GBytes * polylines, GBytes * moments, GError ** error)
{
  gsize n_points, n_polylines;

  g_return_val_if_fail (offsets != NULL, NULL);
  g_return_val_if_fail (polylines != NULL, NULL);

  if (!check_polyline_bytes (points, offsets, polylines, moments, &n_points,
          &n_polylines, error))
    return NULL;
  if (!counts_are_valid (GST_SHAPE_LAYER_POLYLINES, n_polylines, n_points)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "too many: %" G_GSIZE_FORMAT " polylines of %" G_GSIZE_FORMAT
        " points; offsets have 32 bits", n_polylines, n_points);
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
 * Since: 0.1
 */
GstShapeLayer *
gst_shape_layer_new_circles_bytes (GBytes * circles, GError ** error)
{
  GstShapeLayer *layer;
  gsize n;

  g_return_val_if_fail (circles != NULL, NULL);

  if (!count_elements (circles, "circles", sizeof (GstShapeCircle), &n, error))
    return NULL;
  if (!counts_are_valid (GST_SHAPE_LAYER_CIRCLES, n, 0)) {
    g_set_error (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "too many circles: %" G_GSIZE_FORMAT, n);
    return NULL;
  }
  layer = gst_shape_layer_new_circles_copy (bytes_data (circles), n);
  return layer ? layer : out_of_memory (n, error);
}

/**
 * gst_shape_layer_ref: (skip)
 * @layer: a layer
 *
 * Returns: (transfer full): @layer, with a new reference
 *
 * Since: 0.1
 */
GstShapeLayer *
gst_shape_layer_ref (GstShapeLayer * layer)
{
  g_return_val_if_fail (layer != NULL, NULL);

  g_atomic_int_inc (&layer->ref_count);
  return layer;
}

/**
 * gst_shape_layer_unref: (skip)
 * @layer: (transfer full): a layer
 *
 * Releases a reference. The last one releases the payload, on this thread.
 *
 * Since: 0.1
 */
void
gst_shape_layer_unref (GstShapeLayer * layer)
{
  g_return_if_fail (layer != NULL);

  if (!g_atomic_int_dec_and_test (&layer->ref_count))
    return;

  if (layer->ops.release)
    layer->ops.release (layer->payload);
  g_clear_error (&layer->error);
  g_clear_pointer (&layer->class_names, g_array_unref);
  g_mutex_clear (&layer->lock);
  g_free (layer);
}

/**
 * gst_shape_layer_set_id_range: (skip)
 * @layer: a layer of polylines that is not shared yet
 * @first_id: lower bound of the ids, at least 0
 * @next_id: exclusive upper bound of the ids, at least @first_id
 *
 * Sets the range of a layer's ids. A producer whose arrays are only on a device
 * calls this before it adds the layer, usually with first_id and first_id +
 * n_shapes; otherwise gst_shape_set_get_next_id() has to download the layer.
 *
 * Since: 0.1
 */
void
gst_shape_layer_set_id_range (GstShapeLayer * layer, gint32 first_id,
    gint32 next_id)
{
  g_return_if_fail (layer != NULL);
  g_return_if_fail (layer->type == GST_SHAPE_LAYER_POLYLINES);
  g_return_if_fail (g_atomic_int_get (&layer->ref_count) == 1);
  g_return_if_fail (first_id >= 0 && next_id >= first_id);

  layer->next_id = next_id;
  layer->next_id_known = TRUE;
}

static gint32
find_next_id (GstShapeLayer * layer)
{
  const GstShapeArrays *host;
  GError *error = NULL;
  gint32 last = -1;

  host = gst_shape_layer_map_host (layer, &error);
  if (!host) {
    GST_WARNING ("ids of a layer are unknown, counting from 0: %s",
        error->message);
    g_clear_error (&error);
    return (gint32) layer->n_shapes;
  }
  for (gsize i = 0; i < host->n_shapes; i++)
    last = MAX (last, host->polylines[i].id);
  return last == G_MAXINT32 ? last : last + 1;
}

/**
 * gst_shape_layer_get_next_id:
 * @layer: a layer
 *
 * Downloads the layer only if it has no arrays on the host and its producer
 * did not call gst_shape_layer_set_id_range().
 *
 * Returns: an id greater than those of all polylines of @layer; 0 if there are
 *     none
 *
 * Since: 0.1
 */
gint32
gst_shape_layer_get_next_id (GstShapeLayer * layer)
{
  gint32 next_id;
  gboolean known;

  g_return_val_if_fail (layer != NULL, 0);

  if (layer->type != GST_SHAPE_LAYER_POLYLINES || layer->n_shapes == 0)
    return 0;

  g_mutex_lock (&layer->lock);
  known = layer->next_id_known;
  next_id = layer->next_id;
  g_mutex_unlock (&layer->lock);
  if (known)
    return next_id;

  next_id = find_next_id (layer);
  g_mutex_lock (&layer->lock);
  layer->next_id = next_id;
  layer->next_id_known = TRUE;
  g_mutex_unlock (&layer->lock);
  return next_id;
}

/**
 * gst_shape_layer_set_kind: (skip)
 * @layer: a layer of polylines that is not shared yet
 * @kind: the kind of all its polylines
 *
 * Sets the kind of a layer's polylines. A producer whose arrays are only on a
 * device calls this before it adds the layer; otherwise
 * gst_shape_layer_has_kind() has to download the layer.
 *
 * Since: 0.1
 */
void
gst_shape_layer_set_kind (GstShapeLayer * layer, GstShapeKind kind)
{
  g_return_if_fail (layer != NULL);
  g_return_if_fail (layer->type == GST_SHAPE_LAYER_POLYLINES);
  g_return_if_fail (g_atomic_int_get (&layer->ref_count) == 1);
  g_return_if_fail (kind <= GST_SHAPE_KIND_HULL);

  layer->kinds = 1u << kind;
  layer->kinds_known = TRUE;
}

static guint
find_kinds (GstShapeLayer * layer)
{
  const GstShapeArrays *host;
  GError *error = NULL;
  guint kinds = 0;

  host = gst_shape_layer_map_host (layer, &error);
  if (!host) {
    GST_WARNING ("kinds of a layer are unknown: %s", error->message);
    g_clear_error (&error);
    return 0;
  }
  for (gsize i = 0; i < host->n_shapes; i++)
    kinds |= 1u << (host->polylines[i].kind & 31);
  return kinds;
}

/**
 * gst_shape_layer_has_kind:
 * @layer: a layer
 * @kind: a kind
 *
 * Downloads the layer only if it has no arrays on the host and its producer
 * did not call gst_shape_layer_set_kind().
 *
 * Returns: whether a polyline of @layer is of @kind
 *
 * Since: 0.1
 */
gboolean
gst_shape_layer_has_kind (GstShapeLayer * layer, GstShapeKind kind)
{
  gboolean known;
  guint kinds;

  g_return_val_if_fail (layer != NULL, FALSE);

  if (layer->type != GST_SHAPE_LAYER_POLYLINES || layer->n_shapes == 0)
    return FALSE;

  g_mutex_lock (&layer->lock);
  known = layer->kinds_known;
  kinds = layer->kinds;
  g_mutex_unlock (&layer->lock);
  if (!known) {
    kinds = find_kinds (layer);
    g_mutex_lock (&layer->lock);
    layer->kinds = kinds;
    layer->kinds_known = TRUE;
    g_mutex_unlock (&layer->lock);
  }
  return kinds >> kind & 1;
}

void
gst_shape_layer_copy_facts (GstShapeLayer * layer, GstShapeLayer * from)
{
  g_mutex_lock (&from->lock);
  layer->next_id = from->next_id;
  layer->next_id_known = from->next_id_known;
  layer->kinds = from->kinds;
  layer->kinds_known = from->kinds_known;
  g_mutex_unlock (&from->lock);
  gst_shape_layer_copy_class_names (layer, from);
}

void
gst_shape_layer_take_class_names (GstShapeLayer * layer, GArray * names)
{
  GArray *old;

  g_mutex_lock (&layer->lock);
  old = layer->class_names;
  layer->class_names = names;
  g_mutex_unlock (&layer->lock);
  g_clear_pointer (&old, g_array_unref);
}

GArray *
gst_shape_layer_ref_class_names (GstShapeLayer * layer)
{
  GArray *names;

  g_mutex_lock (&layer->lock);
  names = layer->class_names ? g_array_ref (layer->class_names) : NULL;
  g_mutex_unlock (&layer->lock);
  return names;
}

void
gst_shape_layer_copy_class_names (GstShapeLayer * layer, GstShapeLayer * from)
{
  gst_shape_layer_take_class_names (layer,
      gst_shape_layer_ref_class_names (from));
}

/**
 * gst_shape_layer_set_class_names:
 * @layer: a layer that nobody else holds
 * @names: (array length=n_names) (nullable): the names of the classes 0, 1, ...;
 *     an empty one for a class without a name
 * @n_names: how many there are
 *
 * Names the classes of the layer's polylines. Layers that are made of it, in
 * other coordinates, annotated or filtered, have the names, too; so have its
 * serialisation and its JSON.
 *
 * Since: 0.1
 */
void
gst_shape_layer_set_class_names (GstShapeLayer * layer,
    const gchar * const *names, guint n_names)
{
  GArray *table;

  g_return_if_fail (layer != NULL);
  g_return_if_fail (names != NULL || n_names == 0);

  table = gst_shape_class_names_new ();
  for (guint i = 0; i < n_names; i++)
    gst_shape_class_names_add (table, (gint32) i, names[i]);
  gst_shape_layer_take_class_names (layer, table);
}

/**
 * gst_shape_layer_get_class_name:
 * @layer: a layer
 * @class_id: a polyline's class
 *
 * Returns: (nullable): the name of the class, valid as long as @layer, or %NULL
 *     if it has none
 *
 * Since: 0.1
 */
const gchar *
gst_shape_layer_get_class_name (GstShapeLayer * layer, gint32 class_id)
{
  const gchar *name;

  g_return_val_if_fail (layer != NULL, NULL);

  g_mutex_lock (&layer->lock);
  name = gst_shape_class_names_find (layer->class_names, class_id);
  g_mutex_unlock (&layer->lock);
  return name;
}

/**
 * gst_shape_layer_get_layer_type:
 * @layer: a layer
 *
 * Returns: what the layer holds
 *
 * Since: 0.1
 */
GstShapeLayerType
gst_shape_layer_get_layer_type (const GstShapeLayer * layer)
{
  g_return_val_if_fail (layer != NULL, GST_SHAPE_LAYER_POLYLINES);

  return layer->type;
}

/**
 * gst_shape_layer_get_n_shapes:
 * @layer: a layer
 *
 * Returns: polylines or circles; known without a download
 *
 * Since: 0.1
 */
gsize
gst_shape_layer_get_n_shapes (const GstShapeLayer * layer)
{
  g_return_val_if_fail (layer != NULL, 0);

  return layer->n_shapes;
}

/**
 * gst_shape_layer_get_n_points:
 * @layer: a layer
 *
 * Returns: points of all polylines, also if they are not stored; known
 *     without a download
 *
 * Since: 0.1
 */
gsize
gst_shape_layer_get_n_points (const GstShapeLayer * layer)
{
  g_return_val_if_fail (layer != NULL, 0);

  return layer->n_points;
}

/* Called once, with the lock. */
static void
download (GstShapeLayer * layer)
{
  GstShapeArrays arrays = { 0, };

  if (!layer->ops.download (layer->payload, &arrays, &layer->error)) {
    if (!layer->error)
      g_set_error_literal (&layer->error, GST_RESOURCE_ERROR,
          GST_RESOURCE_ERROR_READ, "shapes could not be downloaded");
  } else if (!arrays_are_valid (&arrays, layer->type, layer->n_shapes,
          layer->n_points)) {
    g_set_error (&layer->error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "downloaded arrays do not fit a layer of %" G_GSIZE_FORMAT
        " shapes and %" G_GSIZE_FORMAT " points", layer->n_shapes,
        layer->n_points);
  } else {
    g_clear_error (&layer->error);
    take_host_arrays (layer, &arrays);
    return;
  }
  g_atomic_int_set (&layer->host_state, HOST_FAILED);
}

/**
 * gst_shape_layer_map_host: (skip)
 * @layer: a layer
 * @error: return location for an error
 *
 * Arrays in host memory. The first call downloads a layer that is only on a
 * device, and may block; later calls are free. Thread-safe: the download
 * happens once. A failed download is not retried; every call then reports its
 * error.
 *
 * Returns: (transfer none) (nullable): the arrays, valid as long as @layer, or
 *     %NULL with @error set
 *
 * Since: 0.1
 */
const GstShapeArrays *
gst_shape_layer_map_host (GstShapeLayer * layer, GError ** error)
{
  g_return_val_if_fail (layer != NULL, NULL);

  if (g_atomic_int_get (&layer->host_state) == HOST_PENDING) {
    g_mutex_lock (&layer->lock);
    if (g_atomic_int_get (&layer->host_state) == HOST_PENDING)
      download (layer);
    g_mutex_unlock (&layer->lock);
  }
  if (g_atomic_int_get (&layer->host_state) == HOST_READY)
    return &layer->host;

  if (error)
    *error = g_error_copy (layer->error);
  return NULL;
}

/**
 * gst_shape_layer_map_device: (skip)
 * @layer: a layer
 * @context: (nullable): the GstCudaContext that the reader uses
 * @stream: (nullable): the reader's CUDA stream in that context
 * @device: (out caller-allocates): device pointers
 *
 * Device pointers that @context may read on @stream, until
 * gst_shape_layer_unmap_device(). The reader keeps @layer alive until then.
 *
 * Returns: %FALSE when the layer is not on that context's device; read it with
 *     gst_shape_layer_map_host() then
 *
 * Since: 0.1
 */
gboolean
gst_shape_layer_map_device (GstShapeLayer * layer, gpointer context,
    gpointer stream, GstShapeArrays * device)
{
  g_return_val_if_fail (layer != NULL, FALSE);
  g_return_val_if_fail (device != NULL, FALSE);

  memset (device, 0, sizeof (*device));
  return layer->ops.map_device
      && layer->ops.map_device (layer->payload, context, stream, device);
}

/**
 * gst_shape_layer_unmap_device: (skip)
 * @layer: a layer that gst_shape_layer_map_device() mapped
 * @stream: (nullable): the stream given there
 *
 * Ends the mapping: the reader's last use has been queued on @stream.
 *
 * Since: 0.1
 */
void
gst_shape_layer_unmap_device (GstShapeLayer * layer, gpointer stream)
{
  g_return_if_fail (layer != NULL);

  if (layer->ops.unmap_device)
    layer->ops.unmap_device (layer->payload, stream);
}
