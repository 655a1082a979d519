/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapeengine
 * @title: GstShapeEngine
 * @short_description: contours and hulls of arrays, without a pipeline
 *
 * The algorithms are those of the elements cudacontours and cudahull, and are
 * in their plugin, cudashapes, which the first engine loads.
 */

#include <math.h>

#include "gstshapeengine.h"
#include "gstshaperesult-private.h"
#include "gstshapes-private.h"

#define PLUGIN "cudashapes"

struct _GstShapeEngine
{
  gatomicrefcount ref_count;
  const GstShapeEngineOps *ops;
  gpointer engine;
};

static const GstShapeEngineOps *plugin_ops;

G_DEFINE_BOXED_TYPE (GstShapeEngine, gst_shape_engine, gst_shape_engine_ref,
    gst_shape_engine_unref);

/**
 * gst_shape_engine_set_ops: (skip)
 * @ops: functions that stay valid until the process ends
 *
 * For the plugin that has the algorithms.
 *
 * Since: 1.0
 */
void
gst_shape_engine_set_ops (const GstShapeEngineOps * ops)
{
  g_return_if_fail (ops != NULL);

  g_atomic_pointer_set (&plugin_ops, (gpointer) ops);
}

static const GstShapeEngineOps *
load_ops (GError ** error)
{
  const GstShapeEngineOps *ops = g_atomic_pointer_get (&plugin_ops);

  if (ops)
    return ops;
  if (!gst_init_check (NULL, NULL, error))
    return NULL;
  GstPlugin *plugin = gst_plugin_load_by_name (PLUGIN);
  if (plugin)
    gst_object_unref (plugin);
  ops = g_atomic_pointer_get (&plugin_ops);
  if (!ops)
    g_set_error (error, GST_CORE_ERROR, GST_CORE_ERROR_MISSING_PLUGIN,
        "the GStreamer plugin \"" PLUGIN "\", which computes, %s",
        plugin ? "is older than this library" :
        "is not installed, or not in GST_PLUGIN_PATH");
  return ops;
}

/**
 * gst_shape_engine_new:
 * @backend: (nullable): "cuda", "cpu", or "auto", which %NULL means, too: a GPU
 *     when there is one, else the CPU; beside a GPU the CPU computes what is
 *     sooner done there, as hulls of few points, with the same bits
 * @device_id: the GPU, counted from 0; -1 for the first
 * @error: return location for an error
 *
 * Makes an engine. GStreamer is initialised if it was not yet.
 *
 * Returns: (transfer full): the engine, or %NULL with @error set:
 *     %GST_CORE_ERROR_MISSING_PLUGIN without the plugin cudashapes,
 *     %GST_RESOURCE_ERROR_NOT_FOUND when no GPU can be used and one must be,
 *     %GST_LIBRARY_ERROR_SETTINGS for an unknown backend
 *
 * Since: 1.0
 */
GstShapeEngine *
gst_shape_engine_new (const gchar * backend, gint device_id, GError ** error)
{
  const GstShapeEngineOps *ops = load_ops (error);

  if (!ops)
    return NULL;
  gpointer opened = ops->open (backend ? backend : "auto", device_id, error);
  if (!opened)
    return NULL;
  GstShapeEngine *engine = g_new0 (GstShapeEngine, 1);
  g_atomic_ref_count_init (&engine->ref_count);
  engine->ops = ops;
  engine->engine = opened;
  return engine;
}

/**
 * gst_shape_engine_ref: (skip)
 * @engine: an engine
 *
 * Adds a reference, from any thread.
 *
 * Returns: (transfer full): @engine, with one reference more
 *
 * Since: 1.0
 */
GstShapeEngine *
gst_shape_engine_ref (GstShapeEngine * engine)
{
  g_return_val_if_fail (engine != NULL, NULL);

  g_atomic_ref_count_inc (&engine->ref_count);
  return engine;
}

/**
 * gst_shape_engine_unref: (skip)
 * @engine: (transfer full): an engine
 *
 * Drops a reference. Results stay valid after the last one.
 *
 * Since: 1.0
 */
void
gst_shape_engine_unref (GstShapeEngine * engine)
{
  g_return_if_fail (engine != NULL);

  if (!g_atomic_ref_count_dec (&engine->ref_count))
    return;
  engine->ops->close (engine->engine);
  g_free (engine);
}

/**
 * gst_shape_engine_get_active_backend:
 * @engine: an engine
 *
 * The backend that "auto" has chosen, or the one asked for.
 *
 * Returns: (transfer none): where it computes, "cuda" or "cpu"
 *
 * Since: 1.0
 */
const gchar *
gst_shape_engine_get_active_backend (GstShapeEngine * engine)
{
  g_return_val_if_fail (engine != NULL, NULL);

  return engine->ops->get_active_backend (engine->engine);
}

#define refuse(error, ...) gst_shapes_fail_with (error, GST_LIBRARY_ERROR, \
    GST_LIBRARY_ERROR_SETTINGS, __VA_ARGS__)

static gboolean
check_image (const GstShapeImage * image, const gchar * name, GError ** error)
{
  if (image->channels == 0)
    return refuse (error, "the %s has no channels", name);
  if (!image->data && image->width > 0 && image->height > 0)
    return refuse (error, "the %s has no data", name);
  if (image->type == GST_SHAPE_NUMBER_I32 || image->type > GST_SHAPE_NUMBER_F64)
    return refuse (error, "the %s has samples of a type that contours are not "
        "found in", name);
  return TRUE;
}

static gboolean
check_mask (const GstShapeImage * mask, const GstShapeImage * image,
    GError ** error)
{
  if (!check_image (mask, "mask", error))
    return FALSE;
  if (mask->type != GST_SHAPE_NUMBER_U8 || mask->channels != 1)
    return refuse (error, "a mask has one channel of bytes");
  if (mask->width != image->width || mask->height != image->height)
    return refuse (error, "the mask has %u x %u pixels and the image %u x %u",
        mask->width, mask->height, image->width, image->height);
  return TRUE;
}

static gboolean
check_levels (const gdouble * levels, guint n_levels, guint channels,
    GstShapeContoursFlags flags, GError ** error)
{
  const gboolean bands = (flags & GST_SHAPE_CONTOURS_BANDS) != 0;

  if (bands && n_levels < 2)
    return refuse (error, "a band is between two levels");
  if (bands && n_levels > G_MAXUINT / channels)
    return refuse (error, "%u levels of %u channels are too many", n_levels,
        channels);
  if (!bands && n_levels > 1 && n_levels != channels)
    return refuse (error, "%u levels for %u channels", n_levels, channels);
  for (guint i = 0; i < n_levels; i++) {
    if (!isfinite (levels[i]))
      return refuse (error, "a level must be a finite number");
    if (bands && i > 0 && levels[i] <= levels[i - 1])
      return refuse (error, "the levels of bands must ascend");
  }
  return TRUE;
}

/**
 * gst_shape_engine_find_contours:
 * @engine: an engine
 * @image: samples of any type but %GST_SHAPE_NUMBER_I32, which are only read
 *     until this returns
 * @mask: (nullable): as many bytes as @image has pixels; where they are 0 there
 *     are no contours
 * @levels: (array length=n_levels) (nullable): the level, or one for each
 *     channel; finite. Of bands all levels for each channel, ascending
 * @n_levels: 1, @image's channels, or 0 for the midrange of each channel's
 *     samples outside of @mask and not NaN; of bands at least 2
 * @flags: what else to do
 * @error: return location for an error
 *
 * Finds the iso-contours of every channel, as scikit-image's find_contours() in
 * double precision, ordered by channel. x is to the right, y down; pixel
 * centres are at integer coordinates. In the records "class_id" is the channel.
 * Of bands "level" is the lower one; an outer ring is followed by its holes,
 * whose "parent" it is.
 * An image of less than 2 x 2 pixels has none.
 *
 * Returns: (transfer full): the contours, or %NULL with @error set:
 *     %GST_LIBRARY_ERROR_SETTINGS for wrong arguments or more than the
 *     algorithm's limits, %GST_RESOURCE_ERROR_NO_SPACE_LEFT,
 *     %GST_RESOURCE_ERROR_FAILED (GPU)
 *
 * Since: 1.0
 */
GstShapeResult *
gst_shape_engine_find_contours (GstShapeEngine * engine,
    const GstShapeImage * image, const GstShapeImage * mask,
    const gdouble * levels, guint n_levels, GstShapeContoursFlags flags,
    GError ** error)
{
  GstShapeResultArrays arrays = { 0, };
  gpointer payload = NULL;

  g_return_val_if_fail (engine != NULL, NULL);
  g_return_val_if_fail (image != NULL, NULL);
  g_return_val_if_fail (levels != NULL || n_levels == 0, NULL);

  if (!check_image (image, "image", error)
      || (mask && !check_mask (mask, image, error))
      || !check_levels (levels, n_levels, image->channels, flags, error)
      || !engine->ops->find_contours (engine->engine, image, mask, levels,
          n_levels, flags, &arrays, &payload, error))
    return NULL;
  return gst_shape_result_new (&arrays, payload, engine->ops->release);
}

/**
 * gst_shape_engine_convex_hull:
 * @engine: an engine
 * @points: (nullable): the first point, x and y of @type; only read until this
 *     returns
 * @type: %GST_SHAPE_NUMBER_F64, %GST_SHAPE_NUMBER_F32 or %GST_SHAPE_NUMBER_I32
 * @n_points: points, at most 2^28
 * @stride: bytes from a point to the next; 0 when they are packed
 * @flags: what else to do
 * @error: return location for an error
 *
 * Finds the convex hull of points, exactly. The result has one shape, or none
 * if there is no finite point; its indices are the vertices, counter-clockwise
 * with y up, from the lexicographically smallest one. It has measures, and no
 * points.
 *
 * Returns: (transfer full): the hull, or %NULL with @error set as by
 *     gst_shape_engine_find_contours()
 *
 * Since: 1.0
 */
GstShapeResult *
gst_shape_engine_convex_hull (GstShapeEngine * engine, gconstpointer points,
    GstShapeNumber type, gsize n_points, gsize stride,
    GstShapeHullFlags flags, GError ** error)
{
  GstShapeResultArrays arrays = { 0, };
  gpointer payload = NULL;

  g_return_val_if_fail (engine != NULL, NULL);
  g_return_val_if_fail (points != NULL || n_points == 0, NULL);

  if (type != GST_SHAPE_NUMBER_F64 && type != GST_SHAPE_NUMBER_F32
      && type != GST_SHAPE_NUMBER_I32) {
    refuse (error, "points are of type F64, F32 or I32");
    return NULL;
  }
  if (!engine->ops->convex_hull (engine->engine, points, type, n_points,
          stride, flags, &arrays, &payload, error))
    return NULL;
  return gst_shape_result_new (&arrays, payload, engine->ops->release);
}
