/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudahull
 * @title: cudahull
 * @short_description: finds exact convex hulls
 *
 * Finds the convex hulls of contours (of each, of each class, or of all
 * together), of the pixels above a level, or of the points of a tensor. Hulls
 * are exact: they equal those computed in rational arithmetic, even for nearly
 * collinear points. Uses a GPU if there is one, else the CPU, with the same
 * results.
 *
 * Buffers pass through unchanged. A layer of closed polylines of kind hull is
 * added to their #GstShapeMeta, which #shapeoverlay draws, #shapejsonenc
 * writes as JSON, and applications read with gst_buffer_get_shape_set(). A
 * contour's hull has the contour's class, level and image, its id as the
 * parent, and the solidity, a measure of convexity: 1 for a convex contour,
 * less for a concave one.
 *
 * Hulls have no duplicate and no collinear vertices, begin at the leftmost
 * vertex (the one with the smallest y of several), and run clockwise as seen on
 * the screen: counter-clockwise where y points up.
 *
 * ## Input
 *
 * Contours, which #cudacontours finds, with video, with tensors, or without
 * either, as #shapejsondec reads them (`application/x-shapes`); video in system
 * memory or CUDA memory, of which the pixels above #cudahull:level are the
 * points; or a tensor of points, `other/tensors,format=static` of float32,
 * float64 or int32 with the dimensions 2:N:1:1, x before y, at most 2^28
 * points. #cudahull:source selects one of them.
 *
 * Points with a NaN or infinite coordinate are ignored and counted in
 * #cudahull:ignored. A buffer that is too short, as the last one of a file may
 * be, is dropped and counted in #cudahull:dropped.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=1 pattern=ball ! cudacontours ! cudahull measures=full ! shapejsonenc ! filesink location=shapes.jsonl
 * ]| Contours and hulls with all measures, as JSON.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacontours level=0.4 min-area=50 ! cudahull ! shapeoverlay ! videoconvert ! autovideosink
 * ]| Draws contours and, dashed, their hulls on the picture of a camera.
 * |[
 * gst-launch-1.0 filesrc location=points.raw blocksize=32000000 ! other/tensors,format=static,num_tensors=1,types=float32,dimensions=2:4000000:1:1,framerate=0/1 ! cudahull ! shapejsonenc ! filesink location=hull.jsonl
 * ]| The hull of four million points.
 *
 * Since: 1.0
 */

#include <math.h>

#include "gstcudahullprivate.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapespixelsize.h"
#include "element/gstshapestensor.h"

GST_DEBUG_CATEGORY_STATIC (hull_debug);
#define GST_CAT_DEFAULT hull_debug

/* Tensors other than points may carry contours, which may also come alone. */
#define ALL_CAPS GST_SHAPES_GRAY_CAPS "; " \
  "other/tensors, format = (string) static, num_tensors = (int) 1, " \
  "types = (string) { float32, float64, int32 }, " \
  "framerate = (fraction) [ 0, max ]; other/tensors; other/tensor; " \
  GST_SHAPES_ALONE_CAPS

#define gst_cuda_hull_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstCudaHull, gst_cuda_hull,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (hull_debug, "cudahull", 0,
        "convex hulls"));
GST_ELEMENT_REGISTER_DECLARE (cudahull);
GST_ELEMENT_REGISTER_DEFINE (cudahull, "cudahull", GST_RANK_NONE,
    GST_TYPE_CUDA_HULL);

/* Properties */

/* Whether contours need not be on the host: they are replaced, and a hull per
 * contour is computed from device memory alone. */
static gboolean
records_may_stay_on_device (const HullSettings * settings)
{
  return settings->replace && settings->scope == CS_HULL_SCOPE_PER_CONTOUR &&
      !hull_wants_extras (settings);
}

static void
hull_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstCudaHull *self = GST_CUDA_HULL (object);

  GST_OBJECT_LOCK (self);
  const gboolean were_enough = records_may_stay_on_device (&self->settings);
  gst_shapes_properties_set (&hull_properties, &self->settings, id, value);
  const gboolean are_enough = records_may_stay_on_device (&self->settings);
  GST_OBJECT_UNLOCK (self);
  /* the ALLOCATION answer depends on it: have upstream query again */
  if (were_enough != are_enough &&
      gst_shapes_transform_has_gpu (GST_SHAPES_TRANSFORM (self)))
    gst_base_transform_reconfigure_sink (GST_BASE_TRANSFORM (self));
}

static void
take_settings (GstCudaHull * self)
{
  GST_OBJECT_LOCK (self);
  gst_shapes_properties_copy (&hull_properties, &self->current,
      &self->settings);
  GST_OBJECT_UNLOCK (self);
}

/* Caps */

static gboolean
parse_caps (GstCudaHull * self)
{
  self->is_tensor = gst_shapes_caps_are_tensors (self->caps);
  self->is_video = !self->is_tensor && !gst_shapes_caps_are_alone (self->caps);
  self->checked_level = NAN;
  if (!self->is_video || gst_video_info_from_caps (&self->video, self->caps))
    return TRUE;
  GST_SHAPES_ERROR (self, STREAM, FORMAT,
      HULL_CANNOT ": these video caps are incomplete; they need "
          "format, width and height.");
  return FALSE;
}

static gboolean
hull_set_caps (GstBaseTransform * trans, GstCaps * incaps, GstCaps * outcaps)
{
  GstCudaHull *self = GST_CUDA_HULL (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
          outcaps))
    return FALSE;
  gst_caps_replace (&self->caps, incaps);
  if (!parse_caps (self) || !gst_shapes_transform_begin (base, NULL))
    return FALSE;
  take_settings (self);
  const gboolean ok = hull_warm_up (self);
  gst_shapes_transform_end (base);
  return ok;
}

/* Adds device-capable to the shape meta of @query, or adds the meta. */
static void
add_device_capable (GstQuery * query)
{
  GstStructure *params = gst_structure_new (GST_SHAPE_META_PARAMS_NAME,
      "device-capable", G_TYPE_BOOLEAN, TRUE, NULL);
  guint index;

  while (gst_query_find_allocation_meta (query, GST_SHAPE_META_API_TYPE,
          &index))
    gst_query_remove_nth_allocation_meta (query, index);
  gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, params);
  gst_structure_free (params);
}

/* Tells upstream whether shapes must be on the host. */
static gboolean
hull_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  GstCudaHull *self = GST_CUDA_HULL (trans);

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
          decide_query, query))
    return FALSE;
  GST_OBJECT_LOCK (self);
  const gboolean suffices = records_may_stay_on_device (&self->settings);
  GST_OBJECT_UNLOCK (self);
  if (suffices && gst_shapes_transform_has_gpu (GST_SHAPES_TRANSFORM (self)))
    add_device_capable (query);
  return TRUE;
}

/* Backend */

/* Creates a plan, to check that this backend has a kernel, and to load it. */
static gboolean
hull_open (GstShapesTransform * base, GError ** error)
{
  GstCudaHull *self = GST_CUDA_HULL (base);

  take_settings (self);
  const gchar *location = self->current.location;
  if (location && *location && !self->file_points)
    self->file_points = hull_read_points (location, error);
  if (location && *location && !self->file_points)
    return FALSE;
  gst_shapes_slab_pool_prefill (base->slabs);
  return hull_ensure_plan (self, CS_HULL_SCOPE_ALL, 0, error);
}

static void
hull_close (GstShapesTransform * base)
{
  GstCudaHull *self = GST_CUDA_HULL (base);

  hull_clear_plan (self);
  gst_shapes_gray_clear (&self->gray);
  cs_scratch_clear (&self->gathered.points);
  cs_scratch_clear (&self->gathered.offsets);
  cs_scratch_clear (&self->gathered.records);
  cs_scratch_clear (&self->gathered.annotations);
}

static gboolean
hull_stop (GstBaseTransform * trans)
{
  GstCudaHull *self = GST_CUDA_HULL (trans);
  const gboolean ok = GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);

  gst_caps_replace (&self->caps, NULL);
  self->warned_no_shapes = self->warned_no_points = FALSE;
  self->warned_not_finite = self->warned_no_defects = FALSE;
  g_clear_pointer (&self->file_points, cs_array_free);
  gst_shapes_aspect_reset (&self->aspect);
  return ok;
}

/* Buffers */

/* Whether an element upstream has searched for contours: an empty layer or set
 * means that none were found. */
static gboolean
was_searched (GstShapeSet * set)
{
  const guint n = gst_shape_set_get_n_layers (set);

  for (guint i = 0; i < n; i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_POLYLINES &&
        (gst_shape_layer_get_n_shapes (layer) == 0 ||
            gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR)))
      return TRUE;
  }
  return n == 0;
}

static HullSource
choose_source (GstCudaHull * self, GstShapeSet * found)
{
  if (self->current.source != HULL_SOURCE_AUTO)
    return self->current.source;
  if (self->file_points)
    return HULL_SOURCE_POINTS;
  if (found && was_searched (found))
    return HULL_SOURCE_CONTOURS;
  if (self->is_video)
    return HULL_SOURCE_MASK;
  return self->is_tensor ? HULL_SOURCE_POINTS : HULL_SOURCE_CONTOURS;
}

static gboolean
run_source (HullJob * job, GError ** error)
{
  if (job->totals.source == HULL_SOURCE_CONTOURS)
    return hull_run_contours (job, error);
  if (job->totals.source == HULL_SOURCE_POINTS && job->self->file_points)
    return hull_run_file (job, error);
  /* a gap has no points */
  if (GST_BUFFER_FLAG_IS_SET (job->buffer, GST_BUFFER_FLAG_GAP))
    return TRUE;
  if (job->totals.source == HULL_SOURCE_MASK) {
    gst_shapes_aspect_check (&job->self->aspect, GST_ELEMENT_CAST (job->self),
        job->found, &job->self->video);
    return hull_run_mask (job, error);
  }
  return hull_run_points (job, error);
}

/* Hulls of contours are in the coordinate space of the contours, even if the
 * frame was scaled since. Point sets have no size. Shapes that come without a
 * frame have their set's. */
static GstShapeSet *
new_set (const HullJob * job)
{
  const GstCudaHull *self = job->self;

  if (job->found && (job->totals.source == HULL_SOURCE_CONTOURS ||
          gst_shapes_caps_are_alone (self->caps)))
    return gst_shape_set_derive_empty (job->found);
  if (!self->is_video)
    return gst_shape_set_new (0, 0);
  return gst_shape_set_new (GST_VIDEO_INFO_WIDTH (&self->video),
      GST_VIDEO_INFO_FIELD_HEIGHT (&self->video));
}

/* Removes the contours from the buffer's set, and nothing else. */
static void
remove_contours (const HullJob * job)
{
  GstShapeMeta *meta = gst_buffer_get_shape_meta (job->buffer);

  if (!meta)
    return;
  g_autoptr (GstShapeSet) kept = gst_shape_set_derive_empty (job->found);
  for (guint i = 0; i < gst_shape_set_get_n_layers (job->found); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (job->found, i);

    if (gst_shape_layer_get_n_shapes (layer) > 0 &&
        !gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR))
      gst_shape_set_add_layer (kept, gst_shape_layer_ref (layer));
  }
  gst_buffer_remove_meta (job->buffer, (GstMeta *) meta);
  if (gst_shape_set_get_n_layers (kept) > 0)
    gst_buffer_add_shape_meta (job->buffer, kept);
}

static void
post_message (const HullJob * job)
{
  GstCudaHull *self = job->self;
  const HullTotals *totals = &job->totals;
  GstStructure *structure =
      gst_shapes_message_new_report (GST_BASE_TRANSFORM (self), "cudahull",
      job->buffer);

  gst_structure_set (structure,
      "source", G_TYPE_STRING, hull_source_to_string (totals->source),
      "n-hulls", G_TYPE_UINT64, totals->n_hulls,
      "n-points", G_TYPE_UINT64, totals->n_points,
      "n-ignored", G_TYPE_UINT64, totals->n_ignored, NULL);
  if (totals->n_solid > 0)
    gst_structure_set (structure,
        "solidity-mean", G_TYPE_DOUBLE, totals->solidity_sum / totals->n_solid,
        "solidity-min", G_TYPE_DOUBLE, totals->solidity_min, NULL);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self), structure));
}

/* What a layer that cannot be downloaded has is unknown, and not nothing. */
static gboolean
check_kinds (const HullJob * job, GError ** error)
{
  const HullSource source = job->self->current.source;

  if (!job->found || source == HULL_SOURCE_MASK || source == HULL_SOURCE_POINTS)
    return TRUE;
  for (guint i = 0; i < gst_shape_set_get_n_layers (job->found); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (job->found, i);

    if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_POLYLINES &&
        !gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR) &&
        !gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_HULL) &&
        gst_shape_layer_get_n_shapes (layer) > 0 &&
        !gst_shape_layer_map_host (layer, error))
      return FALSE;
  }
  return TRUE;
}

/* The context is current. */
static gboolean
process (GstShapesTransform * base, GstBuffer * buffer, GError ** error)
{
  GstCudaHull *self = GST_CUDA_HULL (base);
  HullJob job = { self, buffer, gst_buffer_get_shape_set (buffer) };
  gboolean ok;

  take_settings (self);
  if (job.found) {
    gst_shape_set_ref (job.found);
    job.next_id = gst_shape_set_get_next_id (job.found);
  }
  job.want_host = self->current.post_messages || self->current.replace ||
      !gst_shapes_transform_downstream_reads_device (base);
  job.totals.source = choose_source (self, job.found);
  job.set = new_set (&job);
  ok = gst_shapes_pixel_size_apply (self->current.pixel_size, job.set, error)
      && check_kinds (&job, error) && run_source (&job, error);
  if (ok) {
    if (gst_shape_set_get_n_layers (job.set) == 0)
      gst_shape_set_add_layer (job.set, gst_shapes_empty_layer_new ());
    if (job.self->current.replace)
      remove_contours (&job);
    gst_buffer_add_shape_meta (job.buffer, job.set);
    GST_OBJECT_LOCK (self);
    self->settings.n_ignored += job.totals.n_ignored;
    GST_OBJECT_UNLOCK (self);
    if (self->current.post_messages)
      post_message (&job);
  }
  gst_shape_set_unref (job.set);
  g_clear_pointer (&job.found, gst_shape_set_unref);
  return ok;
}

static GstFlowReturn
hull_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  if (!GST_CUDA_HULL (trans)->caps)
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (trans));
  return gst_shapes_transform_run (GST_SHAPES_TRANSFORM (trans),
      HULL_CANNOT, buffer, process);
}

/* Object */

static void
gst_cuda_hull_init (GstCudaHull * self)
{
  gst_shapes_properties_init (&hull_properties, &self->settings);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
hull_finalize (GObject * object)
{
  GstCudaHull *self = GST_CUDA_HULL (object);

  gst_caps_replace (&self->caps, NULL);
  g_clear_pointer (&self->file_points, cs_array_free);
  gst_shapes_properties_clear (&hull_properties, &self->settings);
  gst_shapes_properties_clear (&hull_properties, &self->current);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_cuda_hull_class_init (GstCudaHullClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  object_class->set_property = hull_set_property;
  object_class->finalize = hull_finalize;
  gst_shapes_properties_bind (&hull_properties, object_class,
      G_STRUCT_OFFSET (GstCudaHull, settings), NULL);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass), ALL_CAPS,
      ALL_CAPS, "Convex hull finder", "Filter/Analyzer/Video",
      "Finds exact convex hulls of contours, of bright pixels or of point "
      "tensors and attaches them to the buffers");

  trans_class->stop = hull_stop;
  trans_class->set_caps = hull_set_caps;
  trans_class->transform_ip = hull_transform_ip;
  trans_class->propose_allocation = hull_propose_allocation;
  shapes_class->open = hull_open;
  shapes_class->close = hull_close;
}
