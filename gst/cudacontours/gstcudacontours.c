/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudacontours
 * @title: cudacontours
 * @short_description: finds iso-contours in video and tensors
 *
 * Finds the lines along which video, or a channel of a tensor, crosses a level:
 * sub-pixel polylines, assembled and ordered, exactly those of scikit-image's
 * `measure.find_contours()`. Works on the GPU when there is one, else on the
 * CPU, with the same results.
 *
 * The buffers pass through unchanged and get a #GstShapeMeta with the contours
 * and their measures, which #shapeoverlay draws, #shapejsonenc writes as JSON,
 * and applications read with gst_buffer_get_shape_set(). Shapes that a buffer
 * has already stay; ids go on counting.
 *
 * ## Input
 *
 * Video in system memory (gray, YUV, RGB) or in CUDA memory, and tensors
 * (`other/tensors,format=static`, one tensor of float32, float16, uint8 or
 * uint16) whose dimensions are channels:width:height:images or
 * width:height:channels:images, see #cudacontours:layout. A batch of several
 * images gives a layer for each, whose shapes carry the image's index.
 *
 * With #cudacontours:source=tensor-meta, a tensor that an inference element has
 * attached to the video (#GstTensorMeta) is looked at instead of the picture;
 * its shapes are in the picture's coordinates. With
 * #cudacontours:source=segmentation each region of the masks that a tensor's
 * decoder has attached (#GstAnalyticsSegmentationMtd) becomes polygons.
 *
 * Of YUV and gray video the luma plane is looked at. The luma of RGB video is
 * computed in single precision without rounding, with the weights of the
 * caps' colorimetry (the matrix if it is one of YUV, else by the primaries:
 * BT.2020, BT.601, otherwise BT.709).
 *
 * A buffer that is too short, as the last one of a file may be, or whose
 * GstVideoMeta is wrong, is dropped and counted in #cudacontours:dropped.
 *
 * After a `tee` every element that adds metadata works on a copy of the buffer
 * (of its description, not of its memory); put cudacontours before the tee.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=1 pattern=circular ! video/x-raw,format=GRAY8 ! cudacontours level=0.5 min-area=20 ! shapejsonenc ! filesink location=shapes.jsonl
 * ]| Writes the contours of a picture as JSON.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacontours level=0.4 ! shapeoverlay ! videoconvert ! autovideosink
 * ]| Draws contours on the picture of a camera.
 * |[
 * gst-launch-1.0 -m filesrc location=probabilities.raw blocksize=2330160 ! other/tensors,format=static,num_tensors=1,types=float32,dimensions=12:511:95:1,framerate=0/1 ! cudacontours classes=1,2,3 post-messages=true ! fakesink
 * ]| Three classes of a network's 95 x 511 x 12 probabilities.
 *
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudacontoursprivate.h"

#include <math.h>

#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapespixelsize.h"

GST_DEBUG_CATEGORY (gst_cuda_contours_debug);
#define GST_CAT_DEFAULT gst_cuda_contours_debug

/* The last two are refused, with an explanation that a failed link lacks. They
 * are listed last so that fixation never picks them. */
#define TENSOR_CAPS \
  "other/tensors, format = (string) static, num_tensors = (int) 1, " \
  "types = (string) { float32, float16, uint8, uint16 }, " \
  "framerate = (fraction) [ 0, max ]"
#define REFUSED_CAPS "other/tensors; other/tensor"

#define ALL_CAPS GST_SHAPES_GRAY_CAPS "; " TENSOR_CAPS "; " REFUSED_CAPS

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (ALL_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (ALL_CAPS));

#define gst_cuda_contours_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstCudaContours, gst_cuda_contours,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_contours_debug, "cudacontours", 0,
        "iso-contours"));
GST_ELEMENT_REGISTER_DEFINE (cudacontours, "cudacontours", GST_RANK_NONE,
    GST_TYPE_CUDA_CONTOURS);

/* Properties */

static void
gst_cuda_contours_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (object);

  GST_OBJECT_LOCK (self);
  if (gst_shapes_properties_set (&gst_cuda_contours_properties,
          &self->settings, id, value))
    self->settings_changed = TRUE;
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_contours_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (object);

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_get (&gst_cuda_contours_properties, &self->settings,
      id, value);
  GST_OBJECT_UNLOCK (self);
}

/* Plan */

/* Regions of more sizes take turns. */
#define MAX_PLANS 16

static void
clear_plan (GstCudaContours * self)
{
  for (guint i = 0; i < self->plans->len; i++)
    cs_contours_free (g_array_index (self->plans, GstCudaContoursPlan, i).plan);
  g_array_set_size (self->plans, 0);
  self->next_plan = 0;
}

static gboolean
looks_at_video (const GstCudaContours * self)
{
  return self->current.source == GST_CUDA_CONTOURS_SOURCE_BUFFER &&
      !self->is_tensor;
}

/* Whether class @class_id is called @name. */
static gboolean
is_class (const GstCudaContours * self, gint32 class_id, const gchar * name)
{
  const gchar *own = gst_cuda_contours_get_class_name (self, class_id);
  gchar *number = g_strdup_printf ("%d", class_id);
  const gboolean is = g_strcmp0 (own, name) == 0 || strcmp (number, name) == 0;

  g_free (number);
  return is;
}

/* Sets the limits of targets that @areas names: their least areas, or the
 * largest. */
static gboolean
set_limits (const GstCudaContours * self, const GArray * areas,
    const gchar * property, gboolean least, CsAreaLimits * limits,
    GError ** error)
{
  for (guint i = 0; i < areas->len; i++) {
    const GstCudaContoursClassArea *area =
        &g_array_index (areas, GstCudaContoursClassArea, i);
    gboolean found = FALSE;

    for (guint t = 0; t < self->n_targets; t++) {
      if (!is_class (self, gst_cuda_contours_get_class (self, t), area->name))
        continue;
      *(least ? &limits[t].min_area : &limits[t].max_area) =
          area->area / self->pixel_area;
      found = TRUE;
    }
    if (found)
      continue;
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "%s: there is no class "
        "\"%s\" among those that are looked at", property, area->name);
    return FALSE;
  }
  return TRUE;
}

/* %NULL if there are none, or with @error set. */
static CsAreaLimits *
make_limits (const GstCudaContours * self, GError ** error)
{
  CsAreaLimits *limits;

  if (self->min_areas->len + self->max_areas->len == 0)
    return NULL;
  limits = g_new (CsAreaLimits, self->n_targets);
  for (guint t = 0; t < self->n_targets; t++)
    limits[t] = (CsAreaLimits) {0., INFINITY};
  if (set_limits (self, self->min_areas, "class-min-area", TRUE, limits, error)
      && set_limits (self, self->max_areas, "class-max-area", FALSE, limits,
          error))
    return limits;
  g_free (limits);
  return NULL;
}

static CsContoursGroup *
make_groups (const GstCudaContours * self)
{
  CsContoursGroup *groups = g_new (CsContoursGroup, self->groups->len + 1);

  for (guint g = 0; g < self->groups->len; g++) {
    const GArray *channels =
        g_array_index (self->groups, GstCudaContoursGroup, g).channels;

    groups[g] = (CsContoursGroup) {
    (const guint *) (gpointer) channels->data, channels->len};
  }
  return groups;
}

/* What is not a level of a channel. */
static void
add_plane_params (const GstCudaContours * self, CsContoursParams * params)
{
  const GstCudaContoursSettings *current = &self->current;
  const GstCudaContoursLevelMethod method = gst_cuda_contours_get_method (self);

  params->auto_level = method == GST_CUDA_CONTOURS_LEVEL_MIDRANGE ||
      method == GST_CUDA_CONTOURS_LEVEL_OTSU;
  if (method == GST_CUDA_CONTOURS_LEVEL_OTSU)
    params->auto_method = CS_AUTO_LEVEL_OTSU;
  params->n_groups = self->groups->len;
  params->group_mode = current->group_mode;
  params->first_group_class = (gint32) self->tensor.channels;
  params->exclusive = current->exclusive;
  if (method != GST_CUDA_CONTOURS_LEVEL_ADAPTIVE)
    return;
  params->adaptive_window = current->adaptive_window;
  params->adaptive_offset = current->adaptive_offset;
  if (looks_at_video (self))
    params->adaptive_offset = gst_shapes_gray_get_code (&self->gray,
        current->adaptive_offset, current->level_unit) *
        self->gray.code_factor;
}

static void
fill_params (const GstCudaContours * self, CsContoursParams * params)
{
  const GstCudaContoursSettings *current = &self->current;

  cs_contours_params_init (params);
  params->targets = self->targets;
  params->n_targets = self->n_targets;
  add_plane_params (self, params);
  params->fully_connected_high =
      current->fully_connected == GST_CUDA_CONTOURS_SIDE_HIGH;
  params->positive_orientation_high =
      current->positive_orientation == GST_CUDA_CONTOURS_SIDE_HIGH;
  params->close_at_border = current->close_at_border;
  params->bands = current->bands;
  params->hierarchy = current->hierarchy;
  params->measures = current->measures;
  params->points = current->measures_only ? CS_POINTS_NONE : CS_POINTS_F32;
  params->min_points = current->min_points;
  params->min_area = current->min_area / self->pixel_area;
  params->max_area = current->max_area == G_MAXDOUBLE ? INFINITY :
      current->max_area / self->pixel_area;
  /* where samples are shifted codes, the records get codes */
  if (looks_at_video (self))
    params->level_scale = 1. / self->gray.code_factor;
  params->max_segments = current->max_segments;
  params->max_memory = MIN (current->max_memory, G_MAXSIZE);
}

/* All plans, or a new one of a size that is not known yet. */
static gboolean
apply_params (GstCudaContours * self, const CsContoursParams * params,
    GError ** error)
{
  GstCudaContoursPlan first = { 0, 0, NULL };

  for (guint i = 0; i < self->plans->len; i++) {
    if (!cs_contours_set_params (g_array_index (self->plans,
                GstCudaContoursPlan, i).plan, params, error))
      return FALSE;
  }
  if (self->plans->len > 0)
    return TRUE;
  first.plan = cs_contours_new (params, GST_SHAPES_TRANSFORM (self)->executor,
      error);
  if (!first.plan)
    return FALSE;
  g_array_append_val (self->plans, first);
  return TRUE;
}

/* Calls @apply with the parameters as they are now. */
static gboolean
with_params (GstCudaContours * self, gboolean (*apply) (GstCudaContours * self,
        const CsContoursParams * params, GError ** error), GError ** error)
{
  CsContoursGroup *groups = make_groups (self);
  GError *failed = NULL;
  CsAreaLimits *limits = make_limits (self, &failed);
  CsContoursParams params;
  gboolean ok = FALSE;

  fill_params (self, &params);
  params.groups = groups;
  params.area_limits = limits;
  if (failed)
    g_propagate_error (error, failed);
  else
    ok = apply (self, &params, error);
  g_free (limits);
  g_free (groups);
  return ok;
}

gboolean
gst_cuda_contours_make_plan (GstCudaContours * self, GError ** error)
{
  return with_params (self, apply_params, error);
}

static gboolean
add_plan (GstCudaContours * self, const CsContoursParams * params,
    GError ** error)
{
  GstCudaContoursPlan added = { 0, 0, NULL };

  added.plan = cs_contours_new (params, GST_SHAPES_TRANSFORM (self)->executor,
      error);
  if (added.plan)
    g_array_append_val (self->plans, added);
  return added.plan != NULL;
}

CsContours *
gst_cuda_contours_get_plan (GstCudaContours * self, guint width, guint height,
    GError ** error)
{
  /* a stream of one region or mask after the other keeps its plan */
  const guint max = self->rois->len > 1 ? MAX_PLANS : 1;
  GstCudaContoursPlan *plan;
  guint i;

  for (i = 0; i < self->plans->len; i++) {
    plan = &g_array_index (self->plans, GstCudaContoursPlan, i);
    if (plan->width == width && plan->height == height)
      return plan->plan;
    if (plan->width == 0)
      break;
  }
  if (i == self->plans->len && i < max && !with_params (self, add_plan, error))
    return NULL;
  if (i == self->plans->len)
    i = self->next_plan++ % self->plans->len;
  plan = &g_array_index (self->plans, GstCudaContoursPlan, i);
  plan->width = width;
  plan->height = height;
  return plan->plan;
}

/* The shape of the images to come in @roi, without data. */
static CsImage
describe_image (const GstCudaContours * self, const GstShapesRegion * roi)
{
  if (self->is_tensor)
    return gst_shapes_region_crop (roi, gst_shapes_tensor_info_get_image
        (&self->tensor, NULL, CS_MEMORY_HOST, 0));
  return gst_shapes_gray_describe (&self->gray, roi);
}

/* What is certain before the first buffer is there. */
static CsMemory
expected_memory (GstCudaContours * self)
{
  if (!GST_SHAPES_TRANSFORM (self)->context ||
      self->current.source != GST_CUDA_CONTOURS_SOURCE_BUFFER)
    return CS_MEMORY_HOST;
  return (!self->is_tensor && self->gray.computed) ||
      gst_caps_features_contains (gst_caps_get_features (self->caps, 0),
      "memory:CUDAMemory") ? CS_MEMORY_DEVICE : CS_MEMORY_HOST;
}

static gboolean
warm_up_region (GstCudaContours * self, const GstShapesRegion * roi,
    GError ** error)
{
  CsImage image = describe_image (self, roi);
  CsContours *plan;

  if (image.width == 0 || image.height == 0)
    return TRUE;
  image.memory = expected_memory (self);
  plan = gst_cuda_contours_get_plan (self, image.width, image.height, error);
  return plan && cs_contours_warm_up (plan, &image,
      self->is_tensor ? self->tensor.images : 1, error);
}

static gboolean
warm_up (GstCudaContours * self, GError ** error)
{
  gboolean ok = TRUE;

  /* regions are of any size */
  if (self->current.source == GST_CUDA_CONTOURS_SOURCE_SEGMENTATION)
    return TRUE;
  for (guint i = 0; ok && i < MIN (self->rois->len, MAX_PLANS); i++)
    ok = warm_up_region (self, &g_array_index (self->rois, GstCudaContoursRoi,
            i).region, error);
  return ok;
}

static gboolean
parse_tensor_caps (GstCudaContours * self, GError ** error)
{
  if (self->current.source != GST_CUDA_CONTOURS_SOURCE_BUFFER) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "source=tensor-meta and "
        "source=segmentation are for video that carries tensors or masks; for "
        "other/tensors set source=buffer");
    return FALSE;
  }
  if (!gst_shapes_tensor_info_from_caps (&self->tensor, self->caps,
          self->current.layout, error))
    return FALSE;
  self->frame_width = self->tensor.width;
  self->frame_height = self->tensor.height;
  return TRUE;
}

static gboolean
parse_video_caps (GstCudaContours * self, GError ** error)
{
  if (self->current.source != GST_CUDA_CONTOURS_SOURCE_BUFFER &&
      !gst_shapes_check_analytics ("to read what frames carry", error))
    return FALSE;
  if (!gst_video_info_from_caps (&self->video, self->caps)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "these video caps are "
        "incomplete; they need format, width and height");
    return FALSE;
  }
  self->frame_width = GST_VIDEO_INFO_WIDTH (&self->video);
  self->frame_height = GST_VIDEO_INFO_FIELD_HEIGHT (&self->video);
  return TRUE;
}

static gboolean
parse_caps (GstCudaContours * self, GError ** error)
{
  self->is_tensor = gst_shapes_caps_are_tensors (self->caps);
  if (!(self->is_tensor ? parse_tensor_caps : parse_video_caps) (self, error))
    return FALSE;
  self->width = self->frame_width;
  self->height = self->frame_height;
  self->pixel_area = 1;
  return TRUE;
}

static gboolean
make_targets (GstCudaContours * self, GError ** error)
{
  if (self->current.source == GST_CUDA_CONTOURS_SOURCE_SEGMENTATION)
    return gst_cuda_contours_make_mask_targets (self, error);
  return self->is_tensor ? gst_cuda_contours_make_tensor_targets (self, error) :
      gst_cuda_contours_make_video_targets (self, error);
}

/* Works out what depends on the settings, too. The context is current. */
static gboolean
configure (GstCudaContours * self, GError ** error)
{
  const gboolean has_plan = self->plans->len > 0;

  /* a plan that only follows a property needs no warming up */
  return gst_cuda_contours_parse_classes (self, error) &&
      gst_cuda_contours_parse_roi (self, error) &&
      gst_cuda_contours_load_mask (self, error) &&
      make_targets (self, error) && gst_cuda_contours_name_classes (self) &&
      gst_cuda_contours_make_plan (self, error) &&
      (has_plan || warm_up (self, error));
}

/* Nothing is known of a tensor that a frame will carry. */
static gboolean
can_configure (const GstCudaContours * self,
    const GstCudaContoursContent * content)
{
  return self->current.source == GST_CUDA_CONTOURS_SOURCE_BUFFER ||
      content->samples;
}

/* Upstream tries again and again, with caps and with buffers. */
static gboolean
is_posted (GstCudaContours * self, const GError * error)
{
  if (g_strcmp0 (self->posted, error->message) == 0)
    return TRUE;
  g_free (self->posted);
  self->posted = g_strdup (error->message);
  return FALSE;
}

static void
post_settings_error (GstCudaContours * self, const GError * error)
{
  if (is_posted (self, error))
    return;
  gst_shapes_transform_post_error (GST_SHAPES_TRANSFORM (self),
      GST_CUDA_CONTOURS_CANNOT, error);
}

/* Takes over the properties as they are now. Whether they had changed. */
static gboolean
take_settings (GstCudaContours * self)
{
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->settings_changed || self->plans->len == 0;
  if (changed) {
    gst_shapes_properties_copy (&gst_cuda_contours_properties, &self->current,
        &self->settings);
    self->settings_changed = FALSE;
  }
  GST_OBJECT_UNLOCK (self);
  return changed;
}

/* Before each frame: follows properties and metadata that have changed. There
 * is a plan then, if there is something to look at. */
static gboolean
ensure_configured (GstCudaContours * self, GstBuffer * buffer,
    GstCudaContoursContent * content)
{
  const gboolean changed = take_settings (self);
  GError *error = NULL;

  if ((changed && !parse_caps (self, &error)) ||
      !gst_cuda_contours_find_content (self, buffer, content, &error)) {
    if (!is_posted (self, error))
      GST_SHAPES_ERROR (self, STREAM, FORMAT,
          (GST_CUDA_CONTOURS_CANNOT ": %s.", error->message), (NULL));
  } else if (can_configure (self, content) && (changed || content->changed) &&
      !configure (self, &error)) {
    post_settings_error (self, error);
  } else {
    return TRUE;
  }
  clear_plan (self);
  g_clear_error (&error);
  return FALSE;
}

static gboolean
gst_cuda_contours_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  GstCudaContoursContent content;
  gboolean ok;

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
          outcaps))
    return FALSE;
  gst_caps_replace (&self->caps, incaps);
  clear_plan (self);
  if (!gst_shapes_transform_begin (base, NULL))
    return FALSE;
  ok = ensure_configured (self, NULL, &content);
  gst_shapes_transform_end (base);
  return ok;
}

/* Backend */

/* A plan of its own, to see whether there is a kernel for this backend, and to
 * load it. */
static gboolean
gst_cuda_contours_open (GstShapesTransform * base, GError ** error)
{
  CsContoursParams params;
  CsContours *plan;

  cs_contours_params_init (&params);
  plan = cs_contours_new (&params, base->executor, error);
  if (!plan)
    return FALSE;
  cs_contours_free (plan);
  gst_shapes_slab_pool_prefill (base->slabs);
  return TRUE;
}

static void
gst_cuda_contours_close (GstShapesTransform * base)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (base);

  clear_plan (self);
  gst_cuda_contours_clear_mask (&self->mask);
  gst_shapes_gray_clear (&self->gray);
  cs_scratch_clear (&self->rearranged);
  cs_scratch_clear (&self->boxes);
  /* read again, as the mask is */
  g_clear_pointer (&self->labels, g_free);
  g_clear_pointer (&self->labels_path, g_free);
}

static gboolean
gst_cuda_contours_stop (GstBaseTransform * trans)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  const gboolean ok = GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);

  gst_caps_replace (&self->caps, NULL);
  self->warned_about_meta = self->warned_about_rois = FALSE;
  g_clear_pointer (&self->posted, g_free);
  gst_shapes_aspect_reset (&self->aspect);
  return ok;
}

/* Frames */

/* A buffer without content has no contours. */
static gboolean
has_nothing (const GstCudaContours * self, GstBuffer * buffer,
    const GstCudaContoursContent * content)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) ||
      !content->samples;
}

/* Shapes that are scaled are on the host. */
static gboolean
is_wanted_on_host (GstCudaContours * self)
{
  return self->current.post_messages || self->width != self->frame_width ||
      self->height != self->frame_height ||
      !gst_shapes_transform_downstream_reads_device (GST_SHAPES_TRANSFORM
      (self));
}

static gboolean
find_in_region (GstCudaContours * self, GstBuffer * buffer,
    const GstCudaContoursContent * content, const GstCudaContoursRoi * roi,
    GstShapeSet * set, GstCudaContoursTotals * totals, GError ** error)
{
  const gboolean want_host = is_wanted_on_host (self);

  self->roi = roi->region;
  self->region_id = roi->id;
  if (self->roi.width == 0 || self->roi.height == 0)
    return TRUE;
  if (self->is_tensor)
    return gst_cuda_contours_run_tensor (self, buffer, content, want_host, set,
        totals, error);
  return gst_cuda_contours_run_video (self, buffer, want_host, set, totals,
      error);
}

static gboolean
find_contours (GstCudaContours * self, GstBuffer * buffer,
    const GstCudaContoursContent * content, GstShapeSet * set,
    GstCudaContoursTotals * totals, GError ** error)
{
  gboolean ok = TRUE;

  self->region_id = -1;
  if (has_nothing (self, buffer, content))
    return TRUE;
  if (self->current.source == GST_CUDA_CONTOURS_SOURCE_SEGMENTATION)
    return gst_cuda_contours_run_masks (self, buffer, set, totals, error);
  if (!self->is_tensor)
    gst_cuda_contours_warn_about_tensors (self, buffer);
  gst_cuda_contours_read_rois (self, buffer);
  for (guint i = 0; ok && i < self->rois->len; i++)
    ok = find_in_region (self, buffer, content, &g_array_index (self->rois,
            GstCudaContoursRoi, i), set, totals, error);
  return ok;
}

/* The context is current; the plan is made if there is content. */
static GstFlowReturn
process (GstCudaContours * self, GstBuffer * buffer,
    const GstCudaContoursContent * content)
{
  GstShapeSet *set = gst_shape_set_new (self->width, self->height);
  GstCudaContoursTotals totals = { 0, };
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;

  if (self->current.post_messages)
    totals.n_of_target = g_new0 (guint, self->n_targets);
  if (gst_shapes_pixel_size_apply (self->current.pixel_size, set, &error) &&
      find_contours (self, buffer, content, set, &totals, &error) &&
      gst_cuda_contours_add_to_frame (self, buffer, set, &error)) {
    if (self->current.post_messages)
      gst_cuda_contours_post_totals (self, buffer, &totals);
  } else {
    flow = gst_shapes_transform_fail_buffer (GST_SHAPES_TRANSFORM (self),
        GST_CUDA_CONTOURS_CANNOT, buffer, error);
    g_clear_error (&error);
  }
  g_free (totals.n_of_target);
  g_clear_pointer (&totals.n_of_region, g_array_unref);
  gst_shape_set_unref (set);
  return flow;
}

static GstFlowReturn
gst_cuda_contours_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  GstFlowReturn flow = GST_FLOW_ERROR;
  GstCudaContoursContent content;

  if (!self->caps)
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (self));
  if (!gst_shapes_transform_begin (base, buffer))
    return GST_FLOW_ERROR;
  if (ensure_configured (self, buffer, &content))
    flow = process (self, buffer, &content);
  gst_shapes_transform_end (base);
  return flow;
}

/* Object */

static void
gst_cuda_contours_init (GstCudaContours * self)
{
  gst_shapes_properties_init (&gst_cuda_contours_properties, &self->settings);
  self->class_names = g_ptr_array_new ();
  self->rois = g_array_new (FALSE, FALSE, sizeof (GstCudaContoursRoi));
  self->plans = g_array_new (FALSE, FALSE, sizeof (GstCudaContoursPlan));
  self->groups = g_array_new (FALSE, FALSE, sizeof (GstCudaContoursGroup));
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_cuda_contours_finalize (GObject * object)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (object);

  gst_shapes_properties_clear (&gst_cuda_contours_properties, &self->settings);
  gst_shapes_properties_clear (&gst_cuda_contours_properties, &self->current);
  gst_caps_replace (&self->caps, NULL);
  gst_cuda_contours_clear_mask (&self->mask);
  g_free (self->targets);
  g_free (self->posted);
  g_array_unref (self->rois);
  g_ptr_array_unref (self->class_names);
  g_array_unref (self->plans);
  gst_cuda_contours_clear_classes (self);
  g_clear_pointer (&self->regions, g_array_unref);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_cuda_contours_class_init (GstCudaContoursClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_cuda_contours_set_property;
  object_class->get_property = gst_cuda_contours_get_property;
  object_class->finalize = gst_cuda_contours_finalize;
  gst_shapes_properties_install (&gst_cuda_contours_properties, object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Contour finder",
      "Filter/Analyzer/Video",
      "Finds iso-contours (marching squares, as scikit-image's find_contours) "
      "in video or tensors and attaches them to the buffers",
      "The gst-cudashapes authors");

  trans_class->stop = gst_cuda_contours_stop;
  trans_class->set_caps = gst_cuda_contours_set_caps;
  trans_class->transform_ip = gst_cuda_contours_transform_ip;
  shapes_class->open = gst_cuda_contours_open;
  shapes_class->close = gst_cuda_contours_close;
}
