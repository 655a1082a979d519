/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapestats
 * @title: shapestats
 * @short_description: measures what a frame shows inside its shapes
 *
 * Mean, standard deviation, minimum and maximum of gray, of L*a*b* and of a
 * network's probabilities inside the contours and hulls that the frames carry.
 * Buffers pass through unchanged; the statistics are added to the shapes
 * (#GstShapeStatistic), #shapejsonenc and #shapecsvenc write them. The mean
 * probability becomes the confidence of a shape.
 *
 * A pixel belongs to a shape if its centre is inside by the even-odd rule;
 * those of a contour's holes do not.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=1 ! cudacontours hierarchy=true min-area=50 ! shapestats ! shapejsonenc points=none ! fdsink
 * ]| The gray of each contour.
 * |[
 * gst-launch-1.0 filesrc location=photo.jpg ! jpegdec ! videoconvert ! video/x-raw,format=RGBA ! cudacontours hierarchy=true ! shapestats lab=true ! shapecsvenc ! filesink location=colours.csv
 * ]| The colour of each contour, as a table.
 *
 * Since: 1.0
 */

#include <gst/video/video.h>

#include "element/gstshapestransform.h"
#include "base/error.h"
#include "base/memory.h"
#include "element/gstshapesaspect.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesproperties.h"
#include "element/gstshapestensor.h"
#include "gstshapestatsregions.h"

#define GST_TYPE_SHAPE_STATS (gst_shape_stats_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeStats, gst_shape_stats, GST, SHAPE_STATS,
    GstShapesTransform)

GST_DEBUG_CATEGORY_STATIC (stats_debug);
#define GST_CAT_DEFAULT stats_debug

#define CANNOT "Cannot measure inside of shapes"

/* What memory is made for at first. */
#define USUAL_SHAPES 256
#define USUAL_POINTS 128

#define ALL_CAPS GST_SHAPES_PICTURE_CAPS "; other/tensors"

typedef struct
{
  gboolean gray;
  gboolean lab;
  GstShapesTensorLayout layout;
} Settings;

struct _GstShapeStats
{
  GstShapesTransform parent;

  /* with the object lock */
  Settings settings;

  /* streaming thread */
  Settings current;
  GstCaps *caps;
  gboolean is_tensor;
  GstVideoInfo video;
  GstShapesTensorInfo tensor;
  CsStats *stats;               /* on the backend */
  CsStats *host_stats;          /* nullable: on the CPU, beside a GPU */
  gboolean warned_no_shapes, warned_no_points, warned_no_rgb, warned_nothing;
  GstShapesAspect aspect;
};

#define gst_shape_stats_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeStats, gst_shape_stats,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (stats_debug, "shapestats", 0,
        "statistics of samples inside shapes"));
GST_ELEMENT_REGISTER_DECLARE (shapestats);
GST_ELEMENT_REGISTER_DEFINE (shapestats, "shapestats", GST_RANK_NONE,
    GST_TYPE_SHAPE_STATS);

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_BOOLEAN (Settings, gray, "gray", "Gray", TRUE, LIVE,
      "Of video: measure gray, the luma of RGB, as code values."),
  GST_SHAPES_BOOLEAN (Settings, lab, "lab", "L*a*b*", FALSE, LIVE,
      "Of video: measure L*, a* and b* (CIE 1976, D65, sRGB); for RGB formats "
      "of 8 bits."),
  GST_SHAPES_TENSOR_LAYOUT_ROW (Settings, layout),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

/* Measuring */

static gboolean
run_stats (GstShapeStats * self, StatsRegions * regions,
    CsStatsInput * input, gboolean on_gpu, CsStatsSums * sums, GError ** error)
{
  input->rings = (const CsStatsRing *) (gconstpointer) regions->rings.data;
  input->regions =
      (const CsStatsRegion *) (gconstpointer) regions->regions.data;
  input->n_regions = regions->regions.len;
  return cs_stats_run (self->host_stats && !on_gpu ? self->host_stats :
      self->stats, input, sums, error);
}

/* The shapes of @set with the statistics of samples in @memory. */
static GstShapeSet *
measure_set (GstShapeStats * self, GstShapeSet * set, CsStatsInput * input,
    CsMemory memory, gdouble steps, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  /* Samples are measured where they are. The GPU copies those in page-locked
   * memory by itself; other ones, for which the CPU would be busy copying, are
   * uploaded only if backend=cuda asks for it. */
  const gboolean on_gpu = GST_SHAPES_TRANSFORM (self)->context &&
      (memory != CS_MEMORY_HOST || !self->host_stats);
  const StatsReader reader = { on_gpu ? base->context : NULL,
    base->stream
  };
  GstShapeSet *annotated = NULL;
  StatsRegions regions;

  if (!stats_regions_init (&regions, set, &reader, input->n_images,
          input->n_images > 0 ? input->images[0].channels : 0, error))
    return NULL;
  if (regions.lacks_points)
    GST_SHAPES_WARN_ONCE (self, self->warned_no_points, LIBRARY, SETTINGS,
        "There are shapes without points, whose inside is not known: set "
        "measures-only=false of cudacontours.");
  CsStatsSums *sums = cs_try_new (CsStatsSums, MAX (regions.regions.len *
          cs_stats_get_n_channels (input->kind), 1));
  if (!sums) {
    cs_fail_no_memory (error, "statistics");
  } else if (run_stats (self, &regions, input, on_gpu, sums, error)) {
    annotated = stats_regions_annotate (&regions, set, input->kind,
        sums, steps);
    if (!annotated)
      cs_fail_no_memory (error, "statistics");
  }
  g_free (sums);
  stats_regions_clear (&regions);
  return annotated;
}

/* Replaces the set of @buffer by one with the statistics. */
static gboolean
measure (GstShapeStats * self, GstBuffer * buffer, CsStatsInput * input,
    CsMemory memory, gdouble steps, GError ** error)
{
  GstShapeSet *annotated = measure_set (self, gst_buffer_get_shape_set (buffer),
      input, memory, steps, error);

  if (!annotated)
    return FALSE;
  gst_buffer_remove_meta (buffer,
      (GstMeta *) gst_buffer_get_shape_meta (buffer));
  gst_buffer_add_shape_meta (buffer, annotated);
  gst_shape_set_unref (annotated);
  return TRUE;
}

/* Shapes of another size than the frame's are scaled to it. */
static void
set_scale (CsStatsInput * input, GstShapeSet * set, guint width, guint height)
{
  const guint set_width = gst_shape_set_get_width (set);
  const guint set_height = gst_shape_set_get_height (set);

  input->scale_x = set_width > 0 ? (gdouble) width / set_width : 1;
  input->scale_y = set_height > 0 ? (gdouble) height / set_height : 1;
}

/* Codes of gray, or of the luma of RGB, which is in steps. */
static gdouble
steps_of (const CsPicture * picture)
{
  return picture->model == CS_PICTURE_RGB && picture->type == CS_SAMPLE_U8 ?
      CS_STATS_LUMA_STEPS : 1;
}

static gboolean
measure_picture (GstShapeStats * self, GstBuffer * buffer,
    const CsPicture * picture, GError ** error)
{
  CsStatsInput input = {.picture = picture };

  set_scale (&input, gst_buffer_get_shape_set (buffer), picture->width,
      picture->height);
  input.kind = CS_STATS_GRAY;
  if (self->current.gray
      && !measure (self, buffer, &input, picture->memory, steps_of (picture),
          error))
    return FALSE;
  if (!self->current.lab)
    return TRUE;
  if (picture->model != CS_PICTURE_RGB || picture->type != CS_SAMPLE_U8) {
    GST_SHAPES_WARN_ONCE (self, self->warned_no_rgb, LIBRARY, SETTINGS,
        "lab=true is for RGB of 8 bits, and this is %s: put videoconvert and "
        "video/x-raw,format=RGBA upstream.",
        gst_video_format_to_string (GST_VIDEO_INFO_FORMAT (&self->video)));
    return TRUE;
  }
  input.kind = CS_STATS_LAB;
  return measure (self, buffer, &input, picture->memory, CS_STATS_LAB_STEPS,
      error);
}

static gboolean
measure_video (GstShapeStats * self, GstBuffer * buffer, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesFrame frame;
  CsPicture picture;

  if (!self->current.gray && !self->current.lab)
    GST_SHAPES_WARN_ONCE (self, self->warned_nothing, LIBRARY, SETTINGS,
        "gray=false and lab=false: nothing is measured.");
  gst_shapes_aspect_check (&self->aspect, GST_ELEMENT_CAST (self),
      gst_buffer_get_shape_set (buffer), &self->video);
  if (!gst_shapes_frame_init (&frame, &self->video, buffer, base->context,
          base->stream, error))
    return FALSE;
  const gboolean ok = gst_shapes_frame_get_picture (&frame, &picture, error)
      && measure_picture (self, buffer, &picture, error);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

static gboolean
measure_tensor (GstShapeStats * self, GstBuffer * buffer, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  CsStatsInput input = {.kind = CS_STATS_PROBABILITY };
  GstShapesFrame frame;
  gconstpointer data;
  CsMemory memory;

  if (!gst_shapes_frame_map_bytes (&frame, buffer, self->tensor.size,
          cs_sample_size (self->tensor.type), base->context, base->stream,
          &data, &memory, error))
    return FALSE;
  CsImage *images = cs_try_new (CsImage, self->tensor.images);
  for (guint i = 0; images && i < self->tensor.images; i++)
    images[i] = gst_shapes_tensor_info_get_image (&self->tensor, data, memory,
        i);
  input.images = images;
  input.n_images = self->tensor.images;
  set_scale (&input, gst_buffer_get_shape_set (buffer), self->tensor.width,
      self->tensor.height);
  const gboolean ok = images ? measure (self, buffer, &input, memory,
      CS_STATS_PROBABILITY_STEPS, error) : cs_fail_no_memory (error,
      "the images of a tensor");
  g_free (images);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

static gboolean
process (GstShapesTransform * base, GstBuffer * buffer, GError ** error)
{
  GstShapeStats *self = GST_SHAPE_STATS (base);
  const GstShapesTensorLayout layout = self->current.layout;

  GST_OBJECT_LOCK (self);
  self->current = self->settings;
  GST_OBJECT_UNLOCK (self);
  if (self->is_tensor && self->current.layout != layout &&
      !gst_shapes_tensor_info_from_caps (&self->tensor, self->caps,
          self->current.layout, error))
    return FALSE;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    return TRUE;
  if (!gst_buffer_get_shape_set (buffer)) {
    GST_SHAPES_WARN_ONCE (self, self->warned_no_shapes, LIBRARY, SETTINGS,
        "The buffers carry no shapes, so there is nothing to measure: put "
        "cudacontours or cudahull upstream of shapestats.");
    return TRUE;
  }
  return self->is_tensor ? measure_tensor (self, buffer, error) :
      measure_video (self, buffer, error);
}

static GstFlowReturn
stats_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  if (!GST_SHAPE_STATS (trans)->caps)
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (trans));
  return gst_shapes_transform_run (GST_SHAPES_TRANSFORM (trans), CANNOT,
      buffer, process);
}

/* Life */

static gboolean
stats_set_caps (GstBaseTransform * trans, GstCaps * incaps, GstCaps * outcaps)
{
  GstShapeStats *self = GST_SHAPE_STATS (trans);
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  self->current = self->settings;
  GST_OBJECT_UNLOCK (self);
  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
          outcaps))
    return FALSE;
  gst_caps_replace (&self->caps, incaps);
  self->is_tensor = gst_shapes_caps_are_tensors (incaps);
  if (!self->is_tensor && gst_video_info_from_caps (&self->video, incaps))
    return TRUE;
  if (self->is_tensor && gst_shapes_tensor_info_from_caps (&self->tensor,
          incaps, self->current.layout, &error))
    return TRUE;
  GST_SHAPES_ERROR (self, STREAM, FORMAT, CANNOT ": %s.",
      error ? error->message : "these video caps are incomplete");
  return FALSE;
}

/* For the shapes of most frames, so that the first is not later than others. */
static gboolean
warm_up (GstShapeStats * self, GError ** error)
{
  GST_OBJECT_LOCK (self);
  const gboolean lab = self->settings.lab;
  GST_OBJECT_UNLOCK (self);
  return cs_stats_warm_up (self->stats, lab ? CS_STATS_LAB : CS_STATS_GRAY,
      USUAL_SHAPES, USUAL_POINTS, error);
}

static gboolean
stats_open (GstShapesTransform * base, GError ** error)
{
  GstShapeStats *self = GST_SHAPE_STATS (base);

  self->stats = cs_stats_new (base->executor, error);
  if (!self->stats || !warm_up (self, error))
    return FALSE;
  if (base->host_executor)
    self->host_stats = cs_stats_new (base->host_executor, error);
  return self->host_stats || !base->host_executor;
}

static void
stats_close (GstShapesTransform * base)
{
  GstShapeStats *self = GST_SHAPE_STATS (base);

  g_clear_pointer (&self->stats, cs_stats_free);
  g_clear_pointer (&self->host_stats, cs_stats_free);
}

static gboolean
stats_stop (GstBaseTransform * trans)
{
  GstShapeStats *self = GST_SHAPE_STATS (trans);
  const gboolean ok = GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);

  gst_caps_replace (&self->caps, NULL);
  self->warned_no_shapes = self->warned_no_points = FALSE;
  self->warned_no_rgb = self->warned_nothing = FALSE;
  gst_shapes_aspect_reset (&self->aspect);
  return ok;
}

static void
stats_finalize (GObject * object)
{
  gst_caps_replace (&GST_SHAPE_STATS (object)->caps, NULL);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_stats_init (GstShapeStats * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_shape_stats_class_init (GstShapeStatsClass * klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = stats_finalize;
  gst_shapes_properties_bind (&properties, G_OBJECT_CLASS (klass),
      G_STRUCT_OFFSET (GstShapeStats, settings), NULL);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass), ALL_CAPS,
      ALL_CAPS, "Shape statistics", "Filter/Analyzer/Video",
      "Measures gray, colour and probabilities inside contours and hulls");

  trans_class->stop = stats_stop;
  trans_class->set_caps = stats_set_caps;
  trans_class->transform_ip = stats_transform_ip;
  shapes_class->open = stats_open;
  shapes_class->close = stats_close;
  shapes_class->passes_gaps = TRUE;
}
