/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Layers: arrays of one producer, on the host, on a device, or both. */

#include <string.h>

#include "base/memory.h"
#include "gstshapeclassnames.h"
#include "gstshapeset.h"
#include "gstshapes-private.h"

#define take gst_shape_take_room
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
  gboolean annotated;           /* without arrays on the host */
};

G_DEFINE_BOXED_TYPE_WITH_CODE (GstShapeLayer, gst_shape_layer,
    gst_shape_layer_ref, gst_shape_layer_unref, gst_shapes_use ());

/* The offsets of no polylines. */
static const guint32 no_polylines[1] = { 0 };

gboolean
gst_shape_offsets_are_valid (const guint32 * offsets, gsize n_polylines,
    gsize n_points)
{
  guint32 descents = 0;

  if (offsets[0] != 0 || offsets[n_polylines] != n_points)
    return FALSE;
  for (gsize i = 0; i < n_polylines; i++)
    descents |= offsets[i + 1] < offsets[i];
  return descents == 0;
}

gboolean
gst_shape_counts_are_valid (GstShapeLayerType type, gsize n_shapes,
    gsize n_points)
{
  if (n_shapes > G_MAXINT32 || n_points > G_MAXUINT32)
    return FALSE;
  if (type == GST_SHAPE_LAYER_CIRCLES)
    return n_points == 0;
  return type == GST_SHAPE_LAYER_POLYLINES;
}

gboolean
gst_shape_lists_are_valid (const GstShapeArrays * arrays, gsize n_shapes)
{
  guint32 last = 0;

  for (gsize i = 0; arrays->defects && i < arrays->n_defects; i++) {
    if (arrays->defects[i].shape < last || arrays->defects[i].shape >= n_shapes)
      return FALSE;
    last = arrays->defects[i].shape;
  }
  last = 0;
  for (gsize i = 0; arrays->statistics && i < arrays->n_statistics; i++) {
    if (arrays->statistics[i].shape < last
        || arrays->statistics[i].shape >= n_shapes)
      return FALSE;
    last = arrays->statistics[i].shape;
  }
  return TRUE;
}

static gboolean
arrays_are_valid (const GstShapeArrays * arrays, GstShapeLayerType type,
    gsize n_shapes, gsize n_points)
{
  if (arrays->n_shapes != n_shapes || arrays->n_points != n_points)
    return FALSE;
  if (type == GST_SHAPE_LAYER_CIRCLES)
    return (n_shapes == 0 || arrays->circles) && !arrays->points
        && !arrays->offsets && !arrays->polylines && !arrays->moments
        && !arrays->hull_measures && !arrays->annotations
        && !(gst_shape_arrays_have (arrays) & GST_SHAPE_HAS_EXTRAS);
  if (arrays->circles)
    return FALSE;
  if (n_shapes == 0 && !arrays->offsets)
    return n_points == 0;
  return arrays->offsets && (n_shapes == 0 || arrays->polylines)
      && gst_shape_offsets_are_valid (arrays->offsets, n_shapes, n_points)
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
 * Since: 1.0
 */
GstShapeLayer *
gst_shape_layer_new (GstShapeLayerType type, gsize n_shapes, gsize n_points,
    const GstShapeArrays * host, const GstShapePayloadOps * ops,
    gpointer payload)
{
  g_return_val_if_fail (gst_shape_counts_are_valid (type, n_shapes, n_points),
      NULL);
  g_return_val_if_fail (host || (ops && ops->download), NULL);
  g_return_val_if_fail (ops || !payload, NULL);
  g_return_val_if_fail (!host
      || arrays_are_valid (host, type, n_shapes, n_points), NULL);

  GstShapeLayer *layer = layer_alloc (type, n_shapes, n_points);
  if (ops)
    layer->ops = *ops;
  layer->payload = payload;
  if (host)
    take_host_arrays (layer, host);
  return layer;
}

/* Lays the arrays out in @data. Returns: the room they need, which does not
 * overflow: gst_shape_counts_are_valid () holds */
static guint64
lay_out (GstShapeBlock * block, guint8 * data, GstShapeLayerType type,
    gsize n_shapes, gsize n_points, guint has)
{
  const gboolean lines = type == GST_SHAPE_LAYER_POLYLINES;
  guint64 used = 0;

  if (!lines)
    has = 0;
  block->circles = take (data, &used, !lines, n_shapes,
      sizeof (GstShapeCircle));
  block->polylines = take (data, &used, lines, n_shapes,
      sizeof (GstShapePolyline));
  block->moments = take (data, &used, has & GST_SHAPE_HAS_MOMENTS, n_shapes,
      sizeof (GstShapeMoments));
  block->hull_measures = take (data, &used, has & GST_SHAPE_HAS_HULL_MEASURES,
      n_shapes, sizeof (GstShapeHullMeasures));
  block->annotations = take (data, &used, has & GST_SHAPE_HAS_ANNOTATIONS,
      n_shapes, sizeof (GstShapeAnnotation));
  block->points = take (data, &used, has & GST_SHAPE_HAS_POINTS, n_points,
      sizeof (GstShapePoint));
  block->offsets = take (data, &used, lines, (guint64) n_shapes + 1,
      sizeof (guint32));
  return used;
}

GstShapeLayer *
gst_shape_layer_new_block (GstShapeLayerType type, gsize n_shapes,
    gsize n_points, guint has, GstShapeBlock * block)
{
  const guint64 size = lay_out (block, NULL, type, n_shapes, n_points, has);
  guint8 *data = size > G_MAXSSIZE ? NULL :
      cs_try_malloc (MAX ((gsize) size, 1));

  if (!data)
    return NULL;
  lay_out (block, data, type, n_shapes, n_points, has);
  GstShapeLayer *layer = layer_alloc (type, n_shapes, n_points);
  layer->payload = data;
  layer->ops.release = g_free;
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

/**
 * gst_shape_layer_ref: (skip)
 * @layer: a layer
 *
 * Adds a reference, from any thread.
 *
 * Returns: (transfer full): @layer, with a new reference
 *
 * Since: 1.0
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
 * Since: 1.0
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
 * Since: 1.0
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
  g_autoptr (GError) error = NULL;
  gint32 last = -1;

  const GstShapeArrays *host = gst_shape_layer_map_host (layer, &error);
  if (!host) {
    GST_WARNING ("ids of a layer are unknown, counting from 0: %s",
        error->message);
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
 * Since: 1.0
 */
gint32
gst_shape_layer_get_next_id (GstShapeLayer * layer)
{
  g_return_val_if_fail (layer != NULL, 0);

  if (layer->type != GST_SHAPE_LAYER_POLYLINES || layer->n_shapes == 0)
    return 0;

  g_mutex_lock (&layer->lock);
  const gboolean known = layer->next_id_known;
  gint32 next_id = layer->next_id;
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
 * Since: 1.0
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
  g_autoptr (GError) error = NULL;
  guint kinds = 0;

  const GstShapeArrays *host = gst_shape_layer_map_host (layer, &error);
  if (!host) {
    GST_WARNING ("kinds of a layer are unknown: %s", error->message);
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
 * Since: 1.0
 */
gboolean
gst_shape_layer_has_kind (GstShapeLayer * layer, GstShapeKind kind)
{
  g_return_val_if_fail (layer != NULL, FALSE);

  if (layer->type != GST_SHAPE_LAYER_POLYLINES || layer->n_shapes == 0)
    return FALSE;

  g_mutex_lock (&layer->lock);
  const gboolean known = layer->kinds_known;
  guint kinds = layer->kinds;
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

/**
 * gst_shape_layer_has_annotations: (skip)
 * @layer: a layer
 *
 * Downloads nothing: a layer whose arrays are only on a device has annotations
 * if gst_shape_layer_annotate() or gst_shape_layer_extend() have made it.
 *
 * Returns: whether the polylines of @layer have annotations
 *
 * Since: 1.0
 */
gboolean
gst_shape_layer_has_annotations (GstShapeLayer * layer)
{
  g_return_val_if_fail (layer != NULL, FALSE);

  if (g_atomic_int_get (&layer->host_state) == HOST_READY)
    return layer->host.annotations != NULL;
  g_mutex_lock (&layer->lock);
  const gboolean annotated = layer->annotated;
  g_mutex_unlock (&layer->lock);
  return annotated;
}

void
gst_shape_layer_set_annotated (GstShapeLayer * layer)
{
  layer->annotated = TRUE;
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
  g_mutex_lock (&layer->lock);
  GArray *old = layer->class_names;
  layer->class_names = names;
  g_mutex_unlock (&layer->lock);
  g_clear_pointer (&old, g_array_unref);
}

GArray *
gst_shape_layer_ref_class_names (GstShapeLayer * layer)
{
  g_mutex_lock (&layer->lock);
  GArray *names = layer->class_names ? g_array_ref (layer->class_names) : NULL;
  g_mutex_unlock (&layer->lock);
  return names;
}

/**
 * gst_shape_layer_copy_class_names: (skip)
 * @layer: a layer without other references
 * @from: a layer
 *
 * Names the classes of @layer as those of @from, but for those that have a name
 * already. An element that makes shapes of others' shapes, of the same classes,
 * calls this.
 *
 * Since: 1.0
 */
void
gst_shape_layer_copy_class_names (GstShapeLayer * layer, GstShapeLayer * from)
{
  g_return_if_fail (layer != NULL);
  g_return_if_fail (from != NULL);

  g_autoptr (GArray) own = gst_shape_layer_ref_class_names (layer);
  g_autoptr (GArray) others = gst_shape_layer_ref_class_names (from);
  if (own && others && own != others)
    gst_shape_layer_take_class_names (layer,
        gst_shape_class_names_join (own, others));
  else if (others)
    gst_shape_layer_take_class_names (layer, g_array_ref (others));
}

/**
 * gst_shape_layer_set_class_names:
 * @layer: a layer without other references
 * @names: (array length=n_names) (nullable): the names of the classes 0, 1,
 *     ...; an empty one for a class without a name
 * @n_names: how many there are
 *
 * Names the classes of the layer's polylines. Layers that are made of it, in
 * other coordinates, annotated or filtered, have the names, too; so have its
 * serialisation and its JSON.
 *
 * Since: 1.0
 */
void
gst_shape_layer_set_class_names (GstShapeLayer * layer,
    const gchar * const *names, guint n_names)
{
  g_return_if_fail (layer != NULL);
  g_return_if_fail (names != NULL || n_names == 0);

  GArray *table = gst_shape_class_names_new ();
  for (guint i = 0; i < n_names; i++)
    gst_shape_class_names_add (table, (gint32) i, names[i]);
  gst_shape_layer_take_class_names (layer, table);
}

/**
 * gst_shape_layer_get_class_name:
 * @layer: a layer
 * @class_id: a polyline's class
 *
 * What gst_shape_layer_set_class_names() has set for a class.
 *
 * Returns: (nullable): the name of the class, valid as long as @layer, or %NULL
 *     if it has none
 *
 * Since: 1.0
 */
const gchar *
gst_shape_layer_get_class_name (GstShapeLayer * layer, gint32 class_id)
{
  g_return_val_if_fail (layer != NULL, NULL);

  g_mutex_lock (&layer->lock);
  const gchar *name = gst_shape_class_names_find (layer->class_names, class_id);
  g_mutex_unlock (&layer->lock);
  return name;
}

/**
 * gst_shape_layer_get_layer_type:
 * @layer: a layer
 *
 * Whether the layer has polylines or circles. A layer never has both.
 *
 * Returns: what the layer holds
 *
 * Since: 1.0
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
 * How many shapes there are.
 *
 * Returns: polylines or circles; known without a download
 *
 * Since: 1.0
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
 * How many points there are.
 *
 * Returns: points of all polylines, also if they are not stored; known
 *     without a download
 *
 * Since: 1.0
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
 * Since: 1.0
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
 * Since: 1.0
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
 * Since: 1.0
 */
void
gst_shape_layer_unmap_device (GstShapeLayer * layer, gpointer stream)
{
  g_return_if_fail (layer != NULL);

  if (layer->ops.unmap_device)
    layer->ops.unmap_device (layer->payload, stream);
}
