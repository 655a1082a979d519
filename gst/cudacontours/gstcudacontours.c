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
 * With #cudacontours:image-source=tensor-meta, a tensor that an inference
 * element has attached to the video (#GstTensorMeta) is looked at instead of
 * the picture; its shapes are in the picture's coordinates. With
 * #cudacontours:image-source=segmentation each region of the masks that a
 * tensor's decoder has attached (#GstAnalyticsSegmentationMtd) becomes
 * polygons. With #cudacontours:image-source=labels the values of GRAY8, GRAY16,
 * or a tensor of integers, are labels, each of which becomes polygons.
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
 * Since: 1.0
 */
#include "gstcudacontoursprivate.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapespixelsize.h"

static void
add_to_array (GValue * array, guint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, number);
  gst_value_array_append_and_take_value (array, &value);
}

static void
add_label (GValue * array, const gchar * label)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_STRING);
  g_value_set_string (&value, label ? label : "");
  gst_value_array_append_and_take_value (array, &value);
}

/* The numbers of contours by class, as arrays of equal length. */
static void
add_targets (const GstCudaContours * self, const ContoursTotals * totals,
    GstStructure * structure)
{
  GValue classes = G_VALUE_INIT, numbers = G_VALUE_INIT, labels = G_VALUE_INIT;
  guint i, n = 0;

  gst_value_array_init (&classes, self->n_targets);
  gst_value_array_init (&numbers, self->n_targets);
  gst_value_array_init (&labels, self->n_targets);
  for (i = 0; i < self->n_targets; i++) {
    n += totals->n_of_target[i];
    if (i + 1 < self->n_targets &&
        self->targets[i].channel == self->targets[i + 1].channel)
      continue;
    add_to_array (&classes, contours_get_class (self, i));
    add_to_array (&numbers, n);
    add_label (&labels, contours_get_class_name (self,
            contours_get_class (self, i)));
    n = 0;
  }
  gst_structure_take_value (structure, "classes", &classes);
  gst_structure_take_value (structure, "n-contours-by-class", &numbers);
  if (self->labels || self->groups->len > 0)
    gst_structure_take_value (structure, "labels", &labels);
  else
    g_value_unset (&labels);
}

static gint
compare_regions (gconstpointer a, gconstpointer b)
{
  const guint first = ((const ContoursRegion *) a)->id;
  const guint second = ((const ContoursRegion *) b)->id;

  return first < second ? -1 : first > second;
}

/* Labels of several images, each of them once. */
static void
merge_labels (GArray * regions)
{
  guint n = 0;

  g_array_sort (regions, compare_regions);
  for (guint i = 0; i < regions->len; i++) {
    const ContoursRegion region = g_array_index (regions, ContoursRegion, i);

    if (n > 0 && g_array_index (regions, ContoursRegion, n - 1).id == region.id)
      g_array_index (regions, ContoursRegion, n - 1).n_contours +=
          region.n_contours;
    else
      g_array_index (regions, ContoursRegion, n++) = region;
  }
  g_array_set_size (regions, n);
}

/* The same of regions, and their labels if @has_labels. */
static void
add_regions (const GArray * regions, gboolean has_labels,
    GstStructure * structure)
{
  GValue classes = G_VALUE_INIT, numbers = G_VALUE_INIT, labels = G_VALUE_INIT;

  gst_value_array_init (&classes, regions->len);
  gst_value_array_init (&numbers, regions->len);
  gst_value_array_init (&labels, regions->len);
  for (guint i = 0; i < regions->len; i++) {
    const ContoursRegion *region = &g_array_index (regions, ContoursRegion, i);

    add_to_array (&classes, region->id);
    add_to_array (&numbers, region->n_contours);
    add_label (&labels, region->label);
  }
  gst_structure_take_value (structure, "classes", &classes);
  gst_structure_take_value (structure, "n-contours-by-class", &numbers);
  if (has_labels)
    gst_structure_take_value (structure, "labels", &labels);
  else
    g_value_unset (&labels);
}

/* Posts the element message of @buffer. */
static void
contours_post_totals (GstCudaContours * self, GstBuffer * buffer,
    const ContoursTotals * totals)
{
  GstStructure *structure =
      gst_shapes_message_new_report (GST_BASE_TRANSFORM (self),
      "cudacontours", buffer);

  gst_structure_set (structure,
      "n-contours", G_TYPE_UINT64, totals->n_contours,
      "n-points", G_TYPE_UINT64, totals->n_points,
      "n-segments", G_TYPE_UINT64, totals->n_segments, NULL);
  if (totals->n_of_region && self->current.source == CONTOURS_SOURCE_LABELS)
    merge_labels (totals->n_of_region);
  if (totals->n_of_region)
    add_regions (totals->n_of_region, self->labels ||
        self->current.source == CONTOURS_SOURCE_SEGMENTATION, structure);
  else
    add_targets (self, totals, structure);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self), structure));
}

/* The last two are refused, with an explanation that a failed link lacks. They
 * are listed last so that fixation never picks them. */
#define TENSOR_CAPS \
  "other/tensors, format = (string) static, num_tensors = (int) 1, " \
  "types = (string) { float32, float16, uint8, uint16, int8, int16, int32, " \
  "int64, uint32, uint64 }, framerate = (fraction) [ 0, max ]"
#define REFUSED_CAPS "other/tensors; other/tensor"

/* Where labels may be that levels are not looked for in. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define LABEL_CAPS GST_VIDEO_CAPS_MAKE ("{ GRAY16_BE }")
#else
#define LABEL_CAPS GST_VIDEO_CAPS_MAKE ("{ GRAY16_LE, GRAY16_BE }")
#endif

#define LEVEL_CAPS GST_SHAPES_GRAY_CAPS "; " TENSOR_CAPS "; " REFUSED_CAPS
#define ALL_CAPS GST_SHAPES_GRAY_CAPS "; " LABEL_CAPS "; " TENSOR_CAPS "; " \
  REFUSED_CAPS

#define gst_cuda_contours_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstCudaContours, gst_cuda_contours,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (contours_debug, "cudacontours", 0,
        "iso-contours"));
GST_ELEMENT_REGISTER_DECLARE (cudacontours);
GST_ELEMENT_REGISTER_DEFINE (cudacontours, "cudacontours", GST_RANK_NONE,
    GST_TYPE_CUDA_CONTOURS);

/* Properties */

static void
contours_settings_changed (gpointer self, guint affects)
{
  GST_CUDA_CONTOURS (self)->settings_changed = TRUE;
}

/* Caps and settings */

static gboolean
parse_tensor_caps (GstCudaContours * self, GError ** error)
{
  const GstShapesTensorLayout layout = self->current.layout;
  const gboolean is_labels = self->current.source == CONTOURS_SOURCE_LABELS;

  if (contours_looks_at_metadata (self))
    return cs_error (error, CS_ERROR_INVALID, "image-source=tensor-meta and "
        "image-source=segmentation are for video that carries tensors or "
        "masks; for other/tensors set image-source=buffer");
  const gboolean of_labels =
      gst_shapes_labels_info_from_caps (&self->label_info, &self->tensor,
      self->caps, layout, is_labels ? error : NULL);

  if (is_labels) {
    if (!of_labels)
      return FALSE;
  } else if (!gst_shapes_tensor_info_from_caps (&self->tensor, self->caps,
          layout, error)) {
    if (of_labels)
      g_prefix_error (error, "for polygons of labels set image-source=labels; "
          "as samples, ");
    return FALSE;
  }
  self->frame_width = self->tensor.width;
  self->frame_height = self->tensor.height;
  return TRUE;
}

static gboolean
parse_video_caps (GstCudaContours * self, GError ** error)
{
  if (contours_looks_at_metadata (self) &&
      !gst_shapes_check_analytics ("to read what frames carry", error))
    return FALSE;
  if (!gst_video_info_from_caps (&self->video, self->caps))
    return cs_error (error, CS_ERROR_INVALID, "these video caps are "
        "incomplete; they need format, width and height");
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
  if (self->current.source == CONTOURS_SOURCE_SEGMENTATION)
    return contours_make_mask_targets (self, error);
  if (self->current.source == CONTOURS_SOURCE_LABELS)
    return contours_make_label_targets (self, error);
  return self->is_tensor ? contours_make_tensor_targets (self, error) :
      contours_make_video_targets (self, error);
}

/* A plan that only follows a property needs no warming up. */
static gboolean
make_plan (GstCudaContours * self, GError ** error)
{
  const gboolean has_plan = self->plans->len > 0;

  if (contours_has_labels (self))
    return contours_make_label_plan (self, error);
  return contours_make_plan (self, error) && (has_plan ||
      contours_warm_up (self, error));
}

/* Works out what depends on the settings, too. The context is current. */
static gboolean
configure (GstCudaContours * self, GError ** error)
{
  return contours_parse_classes (self, error) &&
      contours_parse_roi (self, error) &&
      contours_load_mask (self, error) &&
      make_targets (self, error) && contours_name_classes (self) &&
      make_plan (self, error);
}

/* What only labels may be in is no caps of others: a converter upstream then
 * makes something else of it. */
static GstCaps *
contours_transform_caps (GstBaseTransform * trans,
    GstPadDirection direction, GstCaps * caps, GstCaps * filter)
{
  static GstStaticCaps level_caps = GST_STATIC_CAPS (LEVEL_CAPS);
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  g_autoptr (GstCaps) others = GST_BASE_TRANSFORM_CLASS (parent_class)->
      transform_caps (trans, direction, caps, filter);

  GST_OBJECT_LOCK (self);
  const ContoursSource source = self->settings.source;
  GST_OBJECT_UNLOCK (self);
  if (source == CONTOURS_SOURCE_LABELS)
    return g_steal_pointer (&others);
  g_autoptr (GstCaps) known = gst_static_caps_get (&level_caps);
  return gst_caps_intersect_full (others, known, GST_CAPS_INTERSECT_FIRST);
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

/* Takes over the properties as they are now. Whether they had changed. */
static gboolean
take_settings (GstCudaContours * self)
{
  GST_OBJECT_LOCK (self);
  const gboolean changed = self->settings_changed || !contours_has_plan (self);
  if (changed) {
    gst_shapes_properties_copy (&contours_properties, &self->current,
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
    ContoursContent * content)
{
  const gboolean changed = take_settings (self);
  g_autoptr (GError) error = NULL;

  if ((changed && !parse_caps (self, &error)) ||
      !contours_find_content (self, buffer, content, &error)) {
    if (!is_posted (self, error))
      GST_SHAPES_ERROR (self, STREAM, FORMAT, CONTOURS_CANNOT ": %s.",
          error->message);
  } else if ((!contours_looks_at_metadata (self) || content->samples) &&
      (changed || content->changed) &&
      !configure (self, &error)) {
    if (!is_posted (self, error))
      gst_shapes_transform_post_error (GST_SHAPES_TRANSFORM (self),
          CONTOURS_CANNOT, error);
  } else {
    return TRUE;
  }
  contours_clear_plans (self);
  return FALSE;
}

static gboolean
contours_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  ContoursContent content;

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
          outcaps))
    return FALSE;
  gst_caps_replace (&self->caps, incaps);
  contours_clear_plans (self);
  if (!gst_shapes_transform_begin (base, NULL))
    return FALSE;
  const gboolean ok = ensure_configured (self, NULL, &content);
  gst_shapes_transform_end (base);
  return ok;
}

/* Backend */

/* A plan of its own, to see whether there is a kernel for this backend, and to
 * load it. */
static gboolean
contours_open (GstShapesTransform * base, GError ** error)
{
  CsContoursParams params;

  cs_contours_params_init (&params);
  CsContours *plan = cs_contours_new (&params, base->executor, error);
  if (!plan)
    return FALSE;
  cs_contours_free (plan);
  gst_shapes_slab_pool_prefill (base->slabs);
  return TRUE;
}

static void
contours_close (GstShapesTransform * base)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (base);

  contours_clear_plans (self);
  contours_clear_mask (&self->mask);
  gst_shapes_gray_clear (&self->gray);
  cs_scratch_clear (&self->rearranged);
  cs_scratch_clear (&self->boxes);
  cs_scratch_clear (&self->kept);
  /* read again, as the mask is */
  g_clear_pointer (&self->labels, g_free);
  g_clear_pointer (&self->labels_path, g_free);
}

static gboolean
contours_stop (GstBaseTransform * trans)
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

static gboolean
find_in_region (GstCudaContours * self, GstBuffer * buffer,
    const ContoursContent * content, const ContoursRoi * roi,
    GstShapeSet * set, ContoursTotals * totals, GError ** error)
{
  /* shapes that are scaled are on the host */
  const gboolean want_host = self->current.post_messages ||
      self->width != self->frame_width || self->height != self->frame_height ||
      !gst_shapes_transform_downstream_reads_device (GST_SHAPES_TRANSFORM
      (self));

  self->roi = roi->region;
  self->region_id = roi->id;
  if (self->roi.width == 0 || self->roi.height == 0)
    return TRUE;
  if (self->current.source == CONTOURS_SOURCE_LABELS)
    return contours_run_labels (self, buffer, content, want_host, set, totals,
        error);
  if (self->is_tensor)
    return contours_run_tensor (self, buffer, content, want_host, set,
        totals, error);
  return contours_run_video (self, buffer, want_host, set, totals, error);
}

static gboolean
find_contours (GstCudaContours * self, GstBuffer * buffer,
    const ContoursContent * content, GstShapeSet * set,
    ContoursTotals * totals, GError ** error)
{
  gboolean ok = TRUE;

  self->region_id = -1;
  /* A buffer without content has no contours. */
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) || !content->samples)
    return TRUE;
  if (self->current.source == CONTOURS_SOURCE_SEGMENTATION)
    return contours_run_masks (self, buffer, set, totals, error);
  if (!self->is_tensor && self->current.source == CONTOURS_SOURCE_BUFFER)
    contours_warn_about_tensors (self, buffer);
  contours_read_rois (self, buffer);
  for (guint i = 0; ok && i < self->rois->len; i++)
    ok = find_in_region (self, buffer, content, &g_array_index (self->rois,
            ContoursRoi, i), set, totals, error);
  return ok;
}

/* The context is current; the plan is made if there is content. */
static GstFlowReturn
process (GstCudaContours * self, GstBuffer * buffer,
    const ContoursContent * content)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (self->width, self->height);
  ContoursTotals totals = { 0, };
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;

  if (self->current.post_messages)
    totals.n_of_target = g_new0 (guint, self->n_targets);
  if (gst_shapes_pixel_size_apply (self->current.pixel_size, set, &error) &&
      find_contours (self, buffer, content, set, &totals, &error) &&
      contours_add_to_frame (self, buffer, set, &error)) {
    if (self->current.post_messages)
      contours_post_totals (self, buffer, &totals);
  } else {
    flow = gst_shapes_transform_fail_buffer (GST_SHAPES_TRANSFORM (self),
        CONTOURS_CANNOT, buffer, error);
    g_clear_error (&error);
  }
  g_free (totals.n_of_target);
  g_clear_pointer (&totals.n_of_region, g_array_unref);
  return flow;
}

static GstFlowReturn
contours_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  GstFlowReturn flow = GST_FLOW_ERROR;
  ContoursContent content;

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
  gst_shapes_properties_init (&contours_properties, &self->settings);
  self->class_names = g_ptr_array_new ();
  self->rois = g_array_new (FALSE, FALSE, sizeof (ContoursRoi));
  self->plans = g_array_new (FALSE, FALSE, sizeof (ContoursPlan));
  self->groups = g_array_new (FALSE, FALSE, sizeof (ContoursGroup));
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
contours_finalize (GObject * object)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (object);

  gst_shapes_properties_clear (&contours_properties, &self->settings);
  gst_shapes_properties_clear (&contours_properties, &self->current);
  gst_caps_replace (&self->caps, NULL);
  contours_clear_mask (&self->mask);
  g_free (self->targets);
  g_free (self->posted);
  g_array_unref (self->rois);
  g_ptr_array_unref (self->class_names);
  g_array_unref (self->plans);
  contours_clear_classes (self);
  g_clear_pointer (&self->wanted, g_array_unref);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_cuda_contours_class_init (GstCudaContoursClass * klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = contours_finalize;
  gst_shapes_properties_bind (&contours_properties, G_OBJECT_CLASS (klass),
      G_STRUCT_OFFSET (GstCudaContours, settings), contours_settings_changed);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass), ALL_CAPS,
      ALL_CAPS, "Contour finder", "Filter/Analyzer/Video",
      "Finds iso-contours (marching squares, as scikit-image's find_contours) "
      "in video or tensors and attaches them to the buffers");

  trans_class->stop = contours_stop;
  trans_class->set_caps = contours_set_caps;
  trans_class->transform_caps = contours_transform_caps;
  trans_class->transform_ip = contours_transform_ip;
  shapes_class->open = contours_open;
  shapes_class->close = contours_close;
}
