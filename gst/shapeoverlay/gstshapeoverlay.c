/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapeoverlay
 * @title: shapeoverlay
 * @short_description: draws shapes on video frames
 *
 * Draws the contours, hulls and circles that a #GstShapeMeta carries onto the
 * frame, with anti-aliased lines at sub-pixel positions. Contours are drawn
 * with solid lines, hulls with lighter, dashed ones; closed contours can be
 * filled (#GstShapeOverlay:fill-opacity), where holes stay empty.
 *
 * Shapes have the colour of their class, out of a palette that people with
 * colour-blindness can tell apart, or a fixed colour. Circles bring their own
 * colour, unless it is fixed. Colours of the properties are sRGB codes; on YUV
 * and gray frames they are converted with the matrix and range of the caps.
 *
 * When the frame's size is not that of the set's coordinate space, for instance
 * downstream of a scaler, the shapes are rescaled: (x + 0.5) * s - 0.5.
 *
 * Works in place, or from ordinary memory by way of the GPU into page-locked
 * memory; on the GPU or the CPU, with the same picture. Frames on which
 * nothing is drawn pass through as they are, without being mapped or made
 * writable. Other frames that are too short for the caps, whose GstVideoMeta is
 * wrong, or whose shapes go beyond a limit, are dropped and counted in
 * #GstShapesTransform:dropped.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! video/x-raw,format=NV12 ! cudacontours level=0.5 ! shapeoverlay line-width=3 ! videoconvert ! pngenc ! filesink location=contours.png
 * ]| Contours of a photograph, drawn on it.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacontours ! shapeoverlay color-mode=fixed color=0xffffff00 fill-opacity=0.3 ! videoconvert ! autovideosink
 * ]| Bright regions of a camera's picture, in yellow, and filled.
 * |[
 * gst-launch-1.0 videotestsrc ! cudacontours ! shapeoverlay colors="<0xffff0000, 0xff00ff00>" draw-points=true ! videoconvert ! autovideosink
 * ]| A palette of one's own, and the contours' points.
 *
 * Since: 1.0
 */

#include <gst/video/video.h>

#include "element/gstshapestransform.h"
#include "gstshapeoverlayzones.h"
#include "gstshapeoverlaysettings.h"
#include "element/gstshapesaspect.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesoutput.h"
#include "raster/raster.h"

#define GST_TYPE_SHAPE_OVERLAY (gst_shape_overlay_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeOverlay, gst_shape_overlay, GST, SHAPE_OVERLAY,
    GstShapesTransform)

GST_DEBUG_CATEGORY_STATIC (overlay_debug);
#define GST_CAT_DEFAULT overlay_debug

/* What errors begin with. */
#define CANNOT "Cannot draw on a frame"

struct _GstShapeOverlay
{
  GstShapesTransform parent;

  /* with the object lock */
  OverlaySettings settings;
  guint64 generation;           /* of settings */

  /* streaming thread */
  OverlaySettings current;
  guint64 current_generation;
  GstVideoInfo info;
  gboolean has_caps;
  OverlayCollection collection;
  GstShapeSet *collected;       /* what collection is of and can stay of */
  guint64 version;              /* of collection */
  GError *failure;              /* of collecting the frame's shapes */
  CsRaster *raster;
  GstShapesPictureStage stage;
  GstShapesOutput output;
  GstShapesAspect aspect;
  gboolean warned_no_shapes, warned_no_points, warned_no_measures;
};

#define gst_shape_overlay_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeOverlay, gst_shape_overlay,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (overlay_debug, "shapeoverlay", 0,
        "draws shapes on video frames"));
GST_ELEMENT_REGISTER_DECLARE (shapeoverlay);
GST_ELEMENT_REGISTER_DEFINE (shapeoverlay, "shapeoverlay", GST_RANK_NONE,
    GST_TYPE_SHAPE_OVERLAY);

/* Properties */

static void
overlay_settings_changed (gpointer self, guint affects)
{
  GST_SHAPE_OVERLAY (self)->generation++;
}

static void
forget_collection (GstShapeOverlay * self)
{
  g_clear_pointer (&self->collected, gst_shape_set_unref);
}

/* Collecting */

/* Warnings of pictures that stay as they are, each once. */

static void
check_layer (GstShapeOverlay * self, GstShapeLayer * layer,
    const GstShapeArrays * arrays)
{
  if (arrays->polylines && !arrays->points)
    GST_SHAPES_WARN_ONCE (self, self->warned_no_points, LIBRARY, SETTINGS,
        "There are contours without points, which cannot be drawn: set "
        "measures-only=false of cudacontours.");
  if (!(self->current.draw_rectangles && !arrays->hull_measures)
      && !(self->current.draw_ellipses && !arrays->ellipses))
    return;
  if (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_HULL))
    GST_SHAPES_WARN_ONCE (self, self->warned_no_measures, LIBRARY, SETTINGS,
        "There are hulls without what %s=true draws: set %s of cudahull.",
        arrays->hull_measures ? "draw-ellipses" : "draw-rectangles",
        arrays->hull_measures ? "ellipse=true" : "measures=full");
}

static gboolean
draws_regions (GstShapeOverlay * self, GstBuffer * buffer)
{
  return self->current.draw_roi && self->current.opacity > 0.
      && gst_buffer_get_meta (buffer,
      GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE);
}

static void
collect_regions (GstShapeOverlay * self, GstBuffer * buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  if (!draws_regions (self, buffer))
    return;
  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)))
    overlay_collection_add_region (&self->collection,
        (const GstVideoRegionOfInterestMeta *) meta);
}

/* NULL: there are none, or they are not drawn. */
static const GstStructure *
get_zones (GstShapeOverlay * self, GstBuffer * buffer)
{
  return self->current.draw_zones && self->current.opacity > 0. ?
      overlay_find_zones (buffer) : NULL;
}

static gboolean
draws_more_than_shapes (GstShapeOverlay * self, GstBuffer * buffer)
{
  return draws_regions (self, buffer) || get_zones (self, buffer);
}

/* Sets never change: as long as a stream repeats one, what was collected of it,
 * and what the painter has made of that, stays, unless the frame has regions or
 * zones of its own. */
static void
keep_collection (GstShapeOverlay * self, GstBuffer * buffer)
{
  if (!self->failure && !draws_more_than_shapes (self, buffer))
    self->collected = gst_shape_set_ref (gst_buffer_get_shape_set (buffer));
}

static void
warn_without_shapes (GstShapeOverlay * self, GstBuffer * buffer)
{
  if (!gst_buffer_get_shape_set (buffer) && !get_zones (self, buffer)
      && !self->current.draw_roi
      && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    GST_SHAPES_WARN_ONCE (self, self->warned_no_shapes, LIBRARY, SETTINGS,
        "The buffers carry no shapes, so there is nothing to draw: put "
        "cudacontours, cudahull or another element that finds shapes upstream "
        "of shapeoverlay.");
}

/* Returns: FALSE after posting an error */
static gboolean
collect_layers (GstShapeOverlay * self, GstShapeSet * set)
{
  g_autoptr (GError) error = NULL;

  gst_shapes_aspect_check (&self->aspect, GST_ELEMENT_CAST (self), set,
      &self->info);
  for (guint i = 0; i < gst_shape_set_get_n_layers (set) && !self->failure;
      i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (gst_shape_layer_get_n_shapes (layer) == 0)
      continue;
    const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, &error);
    if (!arrays) {
      GST_SHAPES_ERROR_FULL (self, RESOURCE, READ,
          ("The shapes of a frame cannot be read."),
          ("layer %u: %s", i, error ? error->message : "no reason given"));
      return FALSE;
    }
    check_layer (self, layer, arrays);
    overlay_collection_add (&self->collection, set, i, arrays, &self->failure);
  }
  return TRUE;
}

/* What to draw on @buffer's frame. What goes wrong with the frame alone is left
 * in failure. Returns: FALSE after posting an error */
static gboolean
collect (GstShapeOverlay * self, GstBuffer * buffer)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  const GstStructure *zones = get_zones (self, buffer);
  g_autoptr (GError) error = NULL;

  if (set && set == self->collected && !draws_more_than_shapes (self, buffer))
    return TRUE;
  forget_collection (self);
  self->version++;
  g_clear_error (&self->failure);
  warn_without_shapes (self, buffer);
  const gboolean has_more = overlay_collection_begin (&self->collection,
      &self->current, set, zones != NULL,
      (guint) GST_VIDEO_INFO_WIDTH (&self->info),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->info), &error);
  collect_regions (self, buffer);
  if (!has_more)
    return TRUE;
  if (error)
    GST_SHAPES_WARNING (self, LIBRARY, SETTINGS, "No labels are drawn: %s",
        error->message);
  if (set && !collect_layers (self, set))
    return FALSE;
  if (zones && !self->failure)
    overlay_collection_add_zones (&self->collection, zones);
  if (!self->failure)
    overlay_collection_end (&self->collection, &self->failure);
  keep_collection (self, buffer);
  return TRUE;
}

static gboolean
has_nothing_to_draw (GstShapeOverlay * self)
{
  return !self->failure && gst_shape_marks_is_empty (&self->collection.marks);
}

/* Whether a frame must be writable depends on what there is to draw, so that is
 * found out here, before the base class makes a copy. */
static GstFlowReturn
overlay_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * input, GstBuffer ** output)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (trans);

  if (!self->has_caps)
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (self));
  GST_BASE_TRANSFORM_CLASS (parent_class)->before_transform (trans, input);
  /* What the properties say now, for one frame. */
  GST_OBJECT_LOCK (self);
  if (self->current_generation != self->generation) {
    overlay_settings_copy (&self->settings, &self->current);
    self->current_generation = self->generation;
    forget_collection (self);
  }
  GST_OBJECT_UNLOCK (self);
  if (!collect (self, input))
    return GST_FLOW_ERROR;
  if (has_nothing_to_draw (self)) {
    *output = input;
    return GST_FLOW_OK;
  }
  return gst_shapes_output_prepare (&self->output,
      GST_SHAPES_TRANSFORM (trans), &self->info, input, output);
}

/* Drawing */

static gboolean
run_raster (gpointer user_data, const CsPicture * picture, GError ** error)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (user_data);
  CsMarks marks = gst_shape_marks_get (&self->collection.marks);
  CsRasterSettings settings;

  if (gst_shape_marks_have_failed (&self->collection.marks))
    return cs_fail_no_memory (error, "the shapes of a frame");
  marks.version = self->version;
  cs_raster_settings_init (&settings);
  settings.antialias = self->current.antialias;
  return cs_raster_run (self->raster, &marks, &settings, picture, picture,
      error);
}

static gboolean
draw (GstShapesTransform * base, GstBuffer * buffer, GError ** error)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (base);
  GstBuffer *input = self->output.input;

  if (self->failure) {
    g_propagate_error (error, g_steal_pointer (&self->failure));
    return FALSE;
  }
  if (!gst_shapes_picture_paint (&self->stage, &self->info,
          input ? input : buffer, input ? buffer : NULL,
          GST_MAP_READWRITE, run_raster, self, error))
    return FALSE;
  /* drawn on: no longer a gap */
  GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_GAP);
  return TRUE;
}

static GstFlowReturn
overlay_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  return has_nothing_to_draw (GST_SHAPE_OVERLAY (trans)) ? GST_FLOW_OK :
      gst_shapes_transform_run (GST_SHAPES_TRANSFORM (trans), CANNOT, buffer,
      draw);
}

/* Negotiation */

static gboolean
overlay_set_caps (GstBaseTransform * trans, GstCaps * incaps, GstCaps * outcaps)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (trans);

  if (!gst_video_info_from_caps (&self->info, incaps)) {
    GST_ERROR_OBJECT (self, "cannot make sense of caps %" GST_PTR_FORMAT,
        incaps);
    return FALSE;
  }
  self->has_caps = TRUE;
  gst_shapes_output_clear (&self->output);
  forget_collection (self);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
      outcaps);
}

/* Life */

static gboolean
overlay_stop (GstBaseTransform * trans)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (trans);

  self->has_caps = FALSE;
  forget_collection (self);
  self->warned_no_shapes = self->warned_no_points = FALSE;
  self->warned_no_measures = FALSE;
  gst_shapes_aspect_reset (&self->aspect);
  g_clear_error (&self->failure);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

static gboolean
overlay_open (GstShapesTransform * base, GError ** error)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (base);

  gst_shapes_picture_stage_init (&self->stage, base->slabs, base->context,
      base->stream);
  self->raster = cs_raster_new (base->executor, error);
  return self->raster != NULL;
}

static void
overlay_close (GstShapesTransform * base)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (base);

  g_clear_pointer (&self->raster, cs_raster_free);
  gst_shapes_picture_stage_clear (&self->stage);
  gst_shapes_output_clear (&self->output);
}

static void
overlay_finalize (GObject * object)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (object);

  g_clear_error (&self->failure);
  forget_collection (self);
  overlay_settings_clear (&self->settings);
  overlay_settings_clear (&self->current);
  overlay_collection_clear (&self->collection);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_overlay_class_init (GstShapeOverlayClass * klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = overlay_finalize;
  gst_shapes_properties_bind (&overlay_properties, G_OBJECT_CLASS (klass),
      G_STRUCT_OFFSET (GstShapeOverlay, settings), overlay_settings_changed);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass),
      GST_SHAPES_PICTURE_CAPS, GST_SHAPES_PICTURE_CAPS, "Shape overlay",
      "Filter/Editor/Video",
      "Draws the contours, hulls and circles found in a frame onto it");

  trans_class->set_caps = overlay_set_caps;
  trans_class->get_unit_size = gst_shapes_get_video_unit_size;
  trans_class->prepare_output_buffer = overlay_prepare_output_buffer;
  trans_class->transform_ip = overlay_transform_ip;
  trans_class->stop = overlay_stop;
  shapes_class->open = overlay_open;
  shapes_class->close = overlay_close;
  shapes_class->offers_video_meta = TRUE;
  shapes_class->passes_gaps = TRUE;
}

static void
gst_shape_overlay_init (GstShapeOverlay * self)
{
  overlay_settings_init (&self->settings);
  overlay_settings_init (&self->current);
  self->generation = 1;
  overlay_collection_init (&self->collection);
  gst_video_info_init (&self->info);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}
