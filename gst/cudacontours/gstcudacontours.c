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

#include "gstcudacontours.h"

#include <math.h>
#include <stddef.h>

#include <gst/video/video.h>

#include "contours/contours.h"
#include "gstcudacontourssettings.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesgray.h"
#include "element/gstshapesmask.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapestensor.h"

GST_DEBUG_CATEGORY_STATIC (gst_cuda_contours_debug);
#define GST_CAT_DEFAULT gst_cuda_contours_debug

/* The kernel writes the records that the library publishes. */
#define ASSERT_SAME(field) \
  G_STATIC_ASSERT (offsetof (CsContour, field) == \
      offsetof (GstShapePolyline, field) && \
      sizeof (((CsContour *) 0)->field) == \
      sizeof (((GstShapePolyline *) 0)->field))

ASSERT_SAME (id);
ASSERT_SAME (parent);
ASSERT_SAME (class_id);
ASSERT_SAME (image);
ASSERT_SAME (kind);
ASSERT_SAME (flags);
ASSERT_SAME (level);
ASSERT_SAME (area);
ASSERT_SAME (perimeter);
ASSERT_SAME (centroid_x);
ASSERT_SAME (centroid_y);
ASSERT_SAME (bbox_x0);
ASSERT_SAME (bbox_y0);
ASSERT_SAME (bbox_x1);
ASSERT_SAME (bbox_y1);
ASSERT_SAME (solidity);
G_STATIC_ASSERT (sizeof (CsContour) == sizeof (GstShapePolyline));
G_STATIC_ASSERT (sizeof (CsContourMoments) == sizeof (GstShapeMoments));
G_STATIC_ASSERT ((int) CS_CONTOUR_CLOSED == (int) GST_SHAPE_FLAG_CLOSED);
G_STATIC_ASSERT ((int) CS_CONTOUR_HOLE == (int) GST_SHAPE_FLAG_HOLE);
G_STATIC_ASSERT ((int) GST_SHAPE_KIND_CONTOUR == 0);

/* The last two are refused, with an explanation that a failed link lacks. They
 * stand last, so that whoever can choose does not choose them. */
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

/* What errors begin with. */
#define CANNOT "Cannot find contours"

/* The mask of a file, and its copy on the GPU, made when first used. */
typedef struct
{
  gchar *path;
  guint8 *data;
  guint width, height;
  GstShapesSlab *slab;
  gpointer device;
} Mask;

struct _GstCudaContours
{
  GstShapesTransform parent;

  /* with the object lock */
  GstCudaContoursSettings settings;
  gboolean settings_changed;

  /* streaming thread: what caps and settings come to */
  GstCudaContoursSettings current;
  GstCaps *caps;
  gboolean is_tensor;
  GstVideoInfo video;
  GstShapesTensorInfo tensor;
  guint width, height;
  GstShapesRegion roi;
  Mask mask;
  GstShapesGray gray;
  CsContoursTarget *targets;
  guint n_targets;

  CsContours *plan;
};

/* One image, ready for the kernel. */
typedef struct
{
  CsImage image;
  CsImage mask;
  gboolean has_mask;
  gint32 index;
} Task;

/* What a frame's contours come to, for messages. */
typedef struct
{
  guint64 n_contours, n_points, n_segments;
  guint *n_of_target;
} Totals;

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

/* Region of interest and mask */

/* The part of the rectangle that lies in the frame; may be empty. */
static gboolean
parse_roi (GstCudaContours * self, GError ** error)
{
  GArray *numbers = gst_cuda_contours_parse_indices ("roi", self->current.roi,
      error);
  GstShapesRegion roi = { 0, 0, self->width, self->height };

  if (!numbers)
    return FALSE;
  if (numbers->len != 0 && numbers->len != 4) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "roi=\"%s\" is not four "
        "numbers \"x,y,width,height\", such as \"100,50,640,480\"",
        self->current.roi);
    g_array_unref (numbers);
    return FALSE;
  }
  if (numbers->len == 4) {
    const guint *n = (const guint *) (gpointer) numbers->data;

    roi.x = MIN (n[0], self->width);
    roi.y = MIN (n[1], self->height);
    roi.width = self->width - roi.x;
    roi.height = self->height - roi.y;
    if (n[2] > 0)
      roi.width = MIN (roi.width, n[2]);
    if (n[3] > 0)
      roi.height = MIN (roi.height, n[3]);
  }
  g_array_unref (numbers);
  self->roi = roi;
  if (roi.width == 0 || roi.height == 0)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("roi=\"%s\" lies outside the frame of %u x %u pixels: there will be "
            "no contours.", self->current.roi, self->width, self->height),
        (NULL));
  return TRUE;
}

static void
clear_mask (Mask * mask)
{
  g_clear_pointer (&mask->slab, gst_shapes_slab_free);
  g_clear_pointer (&mask->data, g_free);
  g_clear_pointer (&mask->path, g_free);
  mask->device = NULL;
}

static gboolean
read_mask (Mask * mask, const gchar * path, guint width, guint height,
    GError ** error)
{
  if (g_strcmp0 (path, mask->path) == 0 && mask->width == width &&
      mask->height == height)
    return TRUE;
  clear_mask (mask);
  mask->data = gst_shapes_mask_load (path, width, height, error);
  if (!mask->data) {
    g_prefix_error (error, "no mask: ");
    return FALSE;
  }
  mask->path = g_strdup (path);
  mask->width = width;
  mask->height = height;
  return TRUE;
}

static gboolean
load_mask (GstCudaContours * self, GError ** error)
{
  Mask *mask = &self->mask;
  const gchar *path = self->current.mask;

  if (!path || !*path) {
    clear_mask (mask);
    return TRUE;
  }
  if (self->current.mask_alpha) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "mask and mask-alpha "
        "cannot be used together; clear one of them");
    return FALSE;
  }
  return read_mask (mask, path, self->width, self->height, error);
}

/* The file's mask in the memory that the image is in. The context is
 * current. */
static gboolean
get_file_mask (GstCudaContours * self, CsMemory memory, CsImage * image,
    GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  Mask *mask = &self->mask;
  const void *data = mask->data;

  if (memory == CS_MEMORY_DEVICE) {
    if (!mask->slab) {
      mask->slab = gst_shapes_slab_new (base->slabs, base->stream);
      if (!gst_shapes_slab_upload (mask->slab, mask->data,
              (gsize) mask->width * mask->height, &mask->device, error)) {
        g_clear_pointer (&mask->slab, gst_shapes_slab_free);
        return FALSE;
      }
    }
    data = mask->device;
  }
  *image = cs_image_gray (data, CS_SAMPLE_U8, mask->width, mask->height,
      mask->width);
  image->memory = memory == CS_MEMORY_DEVICE ? CS_MEMORY_DEVICE :
      CS_MEMORY_HOST;
  return TRUE;
}

/* Channels and levels */

static gboolean
check_channel (GstCudaContours * self, GError ** error)
{
  const GstVideoFormatInfo *finfo = self->video.finfo;
  const gchar *format = GST_VIDEO_FORMAT_INFO_NAME (finfo);
  const gint alpha = gst_shapes_gray_find_component (finfo,
      GST_SHAPES_CHANNEL_A);

  if (!gst_shapes_gray_set_format (&self->gray, &self->video,
          self->current.channel, self->current.bit_depth, error))
    return FALSE;
  if (self->current.mask_alpha && (alpha < 0 ||
          GST_VIDEO_FORMAT_INFO_DEPTH (finfo, alpha) != 8)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "mask-alpha needs a "
        "format with 8 bits of alpha, such as RGBA, not %s", format);
    return FALSE;
  }
  if (self->current.classes && *self->current.classes) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "classes=\"%s\" is for "
        "tensors; video has a channel instead", self->current.classes);
    return FALSE;
  }
  return TRUE;
}

/* Warns of a level that samples of @low to @high never cross. */
static void
check_level_range (GstCudaContours * self, gdouble level, gdouble low,
    gdouble high)
{
  if (level >= low && level < high)
    return;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("The level %g is outside the samples' range of %g to %g: there will be "
          "no contours. Is level-unit what you mean?", level, low, high),
      (NULL));
}

/* With auto-level there is one, whatever it is. */
static GArray *
get_levels (GstCudaContours * self, GError ** error)
{
  GArray *levels = gst_cuda_contours_parse_numbers ("levels",
      self->current.levels, error);

  if (levels && self->current.auto_level)
    g_array_set_size (levels, 0);
  if (levels && levels->len == 0)
    g_array_append_val (levels, self->current.level);
  return levels;
}

static void
set_targets (GstCudaContours * self, guint n_targets)
{
  g_free (self->targets);
  self->targets = g_new0 (CsContoursTarget, n_targets);
  self->n_targets = n_targets;
}

static gboolean
make_video_targets (GstCudaContours * self, GError ** error)
{
  const GstCudaContoursSettings *current = &self->current;
  GArray *levels;
  guint i;

  if (!check_channel (self, error))
    return FALSE;
  levels = get_levels (self, error);
  if (!levels)
    return FALSE;
  set_targets (self, levels->len);
  for (i = 0; i < levels->len; i++) {
    const gdouble level = gst_shapes_gray_get_code (&self->gray,
        g_array_index (levels, gdouble, i), current->level_unit);

    if (!current->auto_level)
      check_level_range (self, level, 0, self->gray.range);
    self->targets[i].level = level * self->gray.code_factor;
  }
  g_array_unref (levels);
  return TRUE;
}

/* Targets for @classes and @levels: one level for all classes, one for each,
 * or several for one. */
static gboolean
combine (GstCudaContours * self, const GArray * classes, const GArray * levels,
    GError ** error)
{
  const guint n = MAX (classes->len, levels->len);
  guint i;

  if (classes->len != levels->len && classes->len != 1 && levels->len != 1) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "there are %u levels for "
        "%u classes; give one level, or as many as classes, or choose one "
        "class", levels->len, classes->len);
    return FALSE;
  }
  set_targets (self, n);
  for (i = 0; i < n; i++) {
    CsContoursTarget *target = &self->targets[i];

    target->channel = g_array_index (classes, guint, classes->len == 1 ? 0 : i);
    target->level = g_array_index (levels, gdouble, levels->len == 1 ? 0 : i);
    if (target->channel >= self->tensor.channels) {
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "there is no class %u: "
          "the tensor has %u channels, counted from 0 (is layout right?)",
          target->channel, self->tensor.channels);
      return FALSE;
    }
    if (!self->current.auto_level && self->tensor.type == CS_SAMPLE_U8)
      check_level_range (self, target->level, 0, G_MAXUINT8);
    if (!self->current.auto_level && self->tensor.type == CS_SAMPLE_U16)
      check_level_range (self, target->level, 0, G_MAXUINT16);
  }
  return TRUE;
}

static gboolean
make_tensor_targets (GstCudaContours * self, GError ** error)
{
  GArray *classes = gst_cuda_contours_parse_indices ("classes",
      self->current.classes, error);
  GArray *levels = classes ? get_levels (self, error) : NULL;
  gboolean ok = FALSE;
  const gboolean all = !self->current.classes || !*self->current.classes;
  guint i;

  if (levels && self->current.mask_alpha) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "tensors have no alpha; "
        "unset mask-alpha");
  } else if (levels && all && self->tensor.channels > GST_SHAPE_SET_MAX_LAYERS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "the tensor has %u "
        "channels and a set of shapes at most %d layers; choose channels with "
        "classes (is layout right?)", self->tensor.channels,
        GST_SHAPE_SET_MAX_LAYERS);
  } else if (levels) {
    for (i = 0; all && i < self->tensor.channels; i++)
      g_array_append_val (classes, i);
    ok = combine (self, classes, levels, error);
  }
  g_clear_pointer (&levels, g_array_unref);
  g_clear_pointer (&classes, g_array_unref);
  return ok;
}

/* Plan */

static void
clear_plan (GstCudaContours * self)
{
  g_clear_pointer (&self->plan, cs_contours_free);
}

/* A plan that is there follows the properties, so that they can be animated. */
static gboolean
make_plan (GstCudaContours * self, GError ** error)
{
  const GstCudaContoursSettings *current = &self->current;
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  CsContoursParams params;

  cs_contours_params_init (&params);
  params.targets = self->targets;
  params.n_targets = self->n_targets;
  params.auto_level = current->auto_level;
  params.fully_connected_high =
      current->fully_connected == GST_CUDA_CONTOURS_SIDE_HIGH;
  params.positive_orientation_high =
      current->positive_orientation == GST_CUDA_CONTOURS_SIDE_HIGH;
  params.hierarchy = current->hierarchy;
  params.measures = current->measures;
  params.points = current->measures_only ? CS_POINTS_NONE : CS_POINTS_F32;
  params.min_points = current->min_points;
  params.min_area = current->min_area;
  params.max_area = current->max_area == G_MAXDOUBLE ? INFINITY :
      current->max_area;
  /* where samples are shifted codes, the records get codes */
  if (!self->is_tensor)
    params.level_scale = 1. / self->gray.code_factor;
  params.max_segments = current->max_segments;
  params.max_memory = MIN (current->max_memory, G_MAXSIZE);

  if (self->plan)
    return cs_contours_set_params (self->plan, &params, error);
  self->plan = cs_contours_new (&params, base->executor, error);
  return self->plan != NULL;
}

/* The shape of the images to come, without data. */
static CsImage
describe_image (const GstCudaContours * self)
{
  if (self->is_tensor)
    return gst_shapes_region_crop (&self->roi, gst_shapes_tensor_info_get_image
        (&self->tensor, NULL, CS_MEMORY_HOST, 0));
  return gst_shapes_gray_describe (&self->gray, &self->roi);
}

/* What is certain before the first buffer is there. */
static CsMemory
expected_memory (GstCudaContours * self)
{
  return GST_SHAPES_TRANSFORM (self)->context && ((!self->is_tensor &&
          self->gray.computed) || gst_caps_features_contains
      (gst_caps_get_features (self->caps, 0), "memory:CUDAMemory")) ?
      CS_MEMORY_DEVICE : CS_MEMORY_HOST;
}

static gboolean
warm_up (GstCudaContours * self, GError ** error)
{
  CsImage image = describe_image (self);

  if (image.width == 0 || image.height == 0)
    return TRUE;
  image.memory = expected_memory (self);
  return cs_contours_warm_up (self->plan, &image, error);
}

static gboolean
parse_caps (GstCudaContours * self, GError ** error)
{
  self->is_tensor = gst_shapes_caps_are_tensors (self->caps);
  if (self->is_tensor) {
    if (!gst_shapes_tensor_info_from_caps (&self->tensor, self->caps,
            self->current.layout, error))
      return FALSE;
    self->width = self->tensor.width;
    self->height = self->tensor.height;
    return TRUE;
  }
  if (!gst_video_info_from_caps (&self->video, self->caps)) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "these video caps are "
        "incomplete; they need format, width and height");
    return FALSE;
  }
  self->width = GST_VIDEO_INFO_WIDTH (&self->video);
  self->height = GST_VIDEO_INFO_FIELD_HEIGHT (&self->video);
  return TRUE;
}

/* Works out what depends on the settings, too. The context is current. */
static gboolean
configure (GstCudaContours * self, GError ** error)
{
  const gboolean has_plan = self->plan != NULL;

  /* a plan that only follows a property needs no warming up */
  return parse_roi (self, error) && load_mask (self, error) &&
      (self->is_tensor ? make_tensor_targets (self, error) :
      make_video_targets (self, error)) && make_plan (self, error) &&
      (has_plan || warm_up (self, error));
}

static void
post_settings_error (GstCudaContours * self, const GError * error)
{
  gst_shapes_transform_post_error (GST_SHAPES_TRANSFORM (self), CANNOT, error);
}

/* Takes over the properties as they are now. Whether they had changed. */
static gboolean
take_settings (GstCudaContours * self)
{
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->settings_changed || !self->plan;
  if (changed) {
    gst_shapes_properties_copy (&gst_cuda_contours_properties, &self->current,
        &self->settings);
    self->settings_changed = FALSE;
  }
  GST_OBJECT_UNLOCK (self);
  return changed;
}

/* Before each frame: follows properties that have changed. */
static gboolean
ensure_configured (GstCudaContours * self)
{
  GError *error = NULL;

  if (!take_settings (self))
    return TRUE;
  if (!parse_caps (self, &error)) {
    GST_ELEMENT_ERROR (self, STREAM, FORMAT,
        (CANNOT ": %s.", error->message), (NULL));
    clear_plan (self);
  } else if (!configure (self, &error)) {
    post_settings_error (self, error);
    clear_plan (self);
  }
  g_clear_error (&error);
  return self->plan != NULL;
}

static gboolean
gst_cuda_contours_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  gboolean ok;

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
          outcaps))
    return FALSE;
  gst_caps_replace (&self->caps, incaps);
  clear_plan (self);
  if (!gst_shapes_transform_begin (base, NULL))
    return FALSE;
  ok = ensure_configured (self);
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
  return TRUE;
}

static void
gst_cuda_contours_close (GstShapesTransform * base)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (base);

  clear_plan (self);
  clear_mask (&self->mask);
  gst_shapes_gray_clear (&self->gray);
}

static gboolean
gst_cuda_contours_stop (GstBaseTransform * trans)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  const gboolean ok = GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);

  gst_caps_replace (&self->caps, NULL);
  return ok;
}

/* Images */

static gboolean
add_mask (GstCudaContours * self, GstShapesFrame * frame, Task * task,
    GError ** error)
{
  const gint alpha = self->is_tensor ? -1 :
      gst_shapes_gray_find_component (self->video.finfo, GST_SHAPES_CHANNEL_A);

  task->has_mask = TRUE;
  if (self->mask.data) {
    if (!get_file_mask (self, task->image.memory, &task->mask, error))
      return FALSE;
  } else if (self->current.mask_alpha && alpha >= 0) {
    if (!gst_shapes_frame_get_component (frame, alpha, &task->mask, error))
      return FALSE;
  } else {
    task->has_mask = FALSE;
    return TRUE;
  }
  task->mask = gst_shapes_region_crop (&self->roi, task->mask);
  return TRUE;
}

static gboolean
prepare_video (GstCudaContours * self, GstShapesFrame * frame, Task * task,
    GError ** error)
{
  if (!gst_shapes_gray_get_image (&self->gray, GST_SHAPES_TRANSFORM (self),
          frame, &self->roi, &task->image, error))
    return FALSE;
  return add_mask (self, frame, task, error);
}

/* Results */

static void
count (const GstCudaContours * self, const CsContoursOutput * output,
    Totals * totals)
{
  gsize i;
  guint t;

  totals->n_contours += output->n_contours;
  totals->n_points += output->n_points;
  totals->n_segments += output->n_segments;
  if (!totals->n_of_target || !output->contours)
    return;
  for (i = 0, t = 0; i < output->n_contours; i++) {
    /* results are ordered by target */
    while (t + 1 < self->n_targets && self->targets[t].channel !=
        (guint) output->contours[i].class_id)
      t++;
    totals->n_of_target[t]++;
  }
}

static GstShapeLayer *
make_layer (GstShapesSlab * slab, const CsContoursOutput * output,
    gint32 first_id)
{
  const GstShapeArrays host = {
    .n_shapes = output->n_contours,
    .n_points = output->n_points,
    .points = output->points,
    .offsets = output->offsets,
    .polylines = (const GstShapePolyline *) output->contours,
    .moments = (const GstShapeMoments *) output->moments,
  };
  const GstShapeArrays device = {
    .n_shapes = output->n_contours,
    .n_points = output->n_points,
    .points = output->device_points,
    .offsets = output->device_offsets,
    .polylines = (const GstShapePolyline *) output->device_contours,
    .moments = (const GstShapeMoments *) output->device_moments,
  };
  GstShapeLayer *layer = gst_shapes_slab_to_layer (slab,
      GST_SHAPE_LAYER_POLYLINES, host.offsets ? &host : NULL,
      device.offsets ? &device : NULL);

  if (!layer) {
    gst_shapes_slab_free (slab);
    return NULL;
  }
  /* no one need download it to know */
  gst_shape_layer_set_id_range (layer, first_id,
      first_id + (gint32) output->n_contours);
  gst_shape_layer_set_kind (layer, GST_SHAPE_KIND_CONTOUR);
  return layer;
}

/* The contours of one image, as a layer of @set. */
static gboolean
run_task (GstCudaContours * self, const Task * task, gint32 first_id,
    gboolean want_host, GstShapeSet * set, Totals * totals, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesSlab *slab = gst_shapes_slab_new (base->slabs, base->stream);
  const CsContoursInput input = {
    .image = task->image,
    .mask = task->has_mask ? &task->mask : NULL,
    .origin_x = self->roi.x,
    .origin_y = self->roi.y,
    .first_id = first_id,
    .image_index = task->index,
  };
  CsContoursOutput output = {
    .alloc = gst_shapes_slab_alloc,
    .user_data = slab,
    .want_host = want_host,
  };
  GstShapeLayer *layer;

  if (!cs_contours_run (self->plan, &input, &output, error)) {
    gst_shapes_slab_free (slab);
    return FALSE;
  }
  count (self, &output, totals);
  if (output.n_overwritten > 0)
    GST_DEBUG_OBJECT (self, "%" G_GSIZE_FORMAT " ends stayed open beside "
        "invalid pixels", output.n_overwritten);
  if (output.n_contours == 0) {
    gst_shapes_slab_free (slab);
    layer = gst_shapes_empty_layer_new ();
  } else {
    layer = make_layer (slab, &output, first_id);
  }
  if (!layer) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "the contours are more than "
        "a layer holds");
    return FALSE;
  }
  gst_shape_set_add_layer (set, layer);
  return TRUE;
}

static gint32
next_id (GstBuffer * buffer, const GstShapeSet * set)
{
  GstShapeSet *earlier = gst_buffer_get_shape_set (buffer);

  return MAX (earlier ? gst_shape_set_get_next_id (earlier) : 0,
      gst_shape_set_get_next_id (set));
}

static gboolean
run_video (GstCudaContours * self, GstBuffer * buffer, gboolean want_host,
    GstShapeSet * set, Totals * totals, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesFrame frame;
  Task task = { 0, };
  gboolean ok;

  if (!gst_shapes_frame_init (&frame, &self->video, buffer, base->context,
          base->stream, error))
    return FALSE;
  ok = prepare_video (self, &frame, &task, error) &&
      run_task (self, &task, next_id (buffer, set), want_host, set, totals,
      error);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

static gboolean
check_tensor_size (const GstCudaContours * self, GstBuffer * buffer,
    GError ** error)
{
  const gsize size = gst_buffer_get_size (buffer);

  if (size <= self->tensor.size)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "a buffer has %"
      G_GSIZE_FORMAT " bytes, but the caps' tensor %" G_GSIZE_FORMAT
      "; do the dimensions fit (filesrc needs blocksize=%" G_GSIZE_FORMAT ")?",
      size, self->tensor.size, self->tensor.size);
  return FALSE;
}

static gboolean
run_tensor (GstCudaContours * self, GstBuffer * buffer, gboolean want_host,
    GstShapeSet * set, Totals * totals, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesFrame frame;
  Task task = { 0, };
  gconstpointer data;
  CsMemory memory;
  gboolean ok;

  if (!check_tensor_size (self, buffer, error) ||
      !gst_shapes_frame_map_bytes (&frame, buffer, self->tensor.size,
          cs_sample_size (self->tensor.type), base->context, base->stream,
          &data, &memory, error))
    return FALSE;
  ok = TRUE;
  for (task.index = 0; ok && task.index < (gint32) self->tensor.images;
      task.index++) {
    task.image = gst_shapes_region_crop (&self->roi,
        gst_shapes_tensor_info_get_image (&self->tensor, data, memory,
            task.index));
    ok = add_mask (self, &frame, &task, error) &&
        run_task (self, &task, next_id (buffer, set), want_host, set, totals,
        error);
  }
  gst_shapes_frame_unmap (&frame);
  return ok;
}

/* Messages */

static void
add_to_array (GValue * array, guint number)
{
  GValue value = G_VALUE_INIT;

  g_value_init (&value, G_TYPE_UINT);
  g_value_set_uint (&value, number);
  gst_value_array_append_and_take_value (array, &value);
}

/* The numbers of contours by class, as arrays of equal length. */
static void
add_classes (const GstCudaContours * self, const Totals * totals,
    GstStructure * structure)
{
  GValue classes = G_VALUE_INIT, numbers = G_VALUE_INIT;
  guint i, n = 0;

  gst_value_array_init (&classes, self->n_targets);
  gst_value_array_init (&numbers, self->n_targets);
  for (i = 0; i < self->n_targets; i++) {
    n += totals->n_of_target[i];
    if (i + 1 < self->n_targets &&
        self->targets[i].channel == self->targets[i + 1].channel)
      continue;
    add_to_array (&classes, self->targets[i].channel);
    add_to_array (&numbers, n);
    n = 0;
  }
  gst_structure_take_value (structure, "classes", &classes);
  gst_structure_take_value (structure, "n-contours-by-class", &numbers);
}

static void
post_message (GstCudaContours * self, GstBuffer * buffer, const Totals * totals)
{
  GstStructure *structure =
      gst_shapes_transform_new_report (GST_SHAPES_TRANSFORM (self),
      "cudacontours", buffer);

  gst_structure_set (structure,
      "n-contours", G_TYPE_UINT64, totals->n_contours,
      "n-points", G_TYPE_UINT64, totals->n_points,
      "n-segments", G_TYPE_UINT64, totals->n_segments, NULL);
  add_classes (self, totals, structure);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self), structure));
}

/* Frames */

/* A buffer without content has no contours; an empty region of interest
 * neither. */
static gboolean
has_nothing (const GstCudaContours * self, GstBuffer * buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) ||
      self->roi.width == 0 || self->roi.height == 0;
}

/* The context is current, the plan is made. */
static GstFlowReturn
process (GstCudaContours * self, GstBuffer * buffer)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  const gboolean want_host = self->current.post_messages ||
      !gst_shapes_transform_downstream_reads_device (base);
  GstShapeSet *set = gst_shape_set_new (self->width, self->height);
  Totals totals = { 0, };
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;
  gboolean ok;

  if (self->current.post_messages)
    totals.n_of_target = g_new0 (guint, self->n_targets);
  if (has_nothing (self, buffer))
    ok = TRUE;
  else if (self->is_tensor)
    ok = run_tensor (self, buffer, want_host, set, &totals, &error);
  else
    ok = run_video (self, buffer, want_host, set, &totals, &error);
  if (ok) {
    gst_buffer_add_shape_meta (buffer, set);
    if (self->current.post_messages)
      post_message (self, buffer, &totals);
  } else {
    flow = gst_shapes_transform_fail_buffer (base, CANNOT, buffer, error);
    g_clear_error (&error);
  }
  g_free (totals.n_of_target);
  gst_shape_set_unref (set);
  return flow;
}

static GstFlowReturn
gst_cuda_contours_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  GstFlowReturn flow = GST_FLOW_ERROR;

  if (!self->caps)
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (self));
  if (!gst_shapes_transform_begin (base, buffer))
    return GST_FLOW_ERROR;
  if (ensure_configured (self))
    flow = process (self, buffer);
  gst_shapes_transform_end (base);
  return flow;
}

/* Object */

static void
gst_cuda_contours_init (GstCudaContours * self)
{
  gst_shapes_properties_init (&gst_cuda_contours_properties, &self->settings);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_cuda_contours_finalize (GObject * object)
{
  GstCudaContours *self = GST_CUDA_CONTOURS (object);

  gst_shapes_properties_clear (&gst_cuda_contours_properties, &self->settings);
  gst_shapes_properties_clear (&gst_cuda_contours_properties, &self->current);
  gst_caps_replace (&self->caps, NULL);
  clear_mask (&self->mask);
  g_free (self->targets);
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
