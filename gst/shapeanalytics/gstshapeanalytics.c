/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapeanalytics
 * @title: shapeanalytics
 * @short_description: shapes to and from GStreamer's analytics metadata
 *
 * Makes detected objects (#GstAnalyticsODMtd) of the contours or hulls of each
 * frame, for elements that know nothing of shapes: trackers, overlays,
 * applications. Each object has the box of its shape (with measures of hulls
 * the minimum-area rectangle), is related to a classification
 * (#GstAnalyticsClsMtd) of its class, and, with #shapeanalytics:ids, to a
 * metadata "gst-shapes-shape" with the id of the shape.
 *
 * With #shapeanalytics:transfer=tracks, downstream of a tracker, it copies the
 * tracks (#GstAnalyticsTrackingMtd) of these objects into the annotations of
 * the shapes, which #shapejsonenc writes.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacontours min-area=50 ! shapeanalytics ! videoconvert ! objectdetectionoverlay ! videoconvert ! autovideosink
 * ]| Draws boxes around bright objects.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacontours min-area=50 ! shapeanalytics ids=true ! ioutracker ! shapeanalytics transfer=tracks ! shapejsonenc ! filesink location=tracks.jsonl
 * ]| Tracks bright objects (GStreamer 1.28).
 *
 * Since: 1.0
 */

#include <gst/base/gstbasetransform.h>

#include <gst/video/video.h>

#include "gstshapeanalyticsboxes.h"
#include "gstshapeanalyticsmask.h"
#include "gstshapeanalyticstracks.h"
#include "base/error.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesproperties.h"
#include "shapes/gstshapesenum.h"

#define GST_TYPE_SHAPE_ANALYTICS (gst_shape_analytics_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeAnalytics, gst_shape_analytics, GST,
    SHAPE_ANALYTICS, GstBaseTransform)

GST_DEBUG_CATEGORY_STATIC (analytics_debug);
#define GST_CAT_DEFAULT analytics_debug

typedef enum
{
  TRANSFER_BOXES,
  TRANSFER_TRACKS,
} Transfer;

GST_SHAPES_DEFINE_ENUM_TYPE (static, transfer_get_type,
    "GstShapeAnalyticsTransfer",
    {TRANSFER_BOXES, "Shapes to detected objects", "boxes"},
    {TRANSFER_TRACKS, "Tracks of these objects back to the shapes", "tracks"})

typedef struct
{
  Transfer transfer;
  GstShapesObjectKind kind;
  gboolean oriented;
  gchar *labels;
  guint max_boxes;
  gboolean mask;
  gboolean ids;
} Settings;

struct _GstShapeAnalytics
{
  GstBaseTransform parent;

  /* with the object lock */
  Settings settings;
  gboolean settings_changed;

  /* streaming thread */
  Settings current;
  gchar **labels;
  guint width, height;
  gboolean warned_about_number, warned_about_ids;
};

#define gst_shape_analytics_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeAnalytics, gst_shape_analytics,
    GST_TYPE_BASE_TRANSFORM, G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, NULL);
    GST_DEBUG_CATEGORY_INIT (analytics_debug, "shapeanalytics", 0,
        "shapes to and from analytics metadata"));
GST_ELEMENT_REGISTER_DECLARE (shapeanalytics);
GST_ELEMENT_REGISTER_DEFINE (shapeanalytics, "shapeanalytics", GST_RANK_NONE,
    GST_TYPE_SHAPE_ANALYTICS);

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (Settings, transfer, "transfer", "Transfer",
      transfer_get_type, TRANSFER_BOXES, LIVE,
      "\"boxes\": make detected objects (GstAnalyticsODMtd) of shapes. "
      "\"tracks\": copy the tracks that a tracker has found for these objects "
      "(GstAnalyticsTrackingMtd) into the annotations of the shapes."),
  GST_SHAPES_ENUM (Settings, kind, "kind", "Kind",
      gst_shapes_object_kind_get_type, GST_SHAPES_OBJECT_AUTO, LIVE,
      "Which shapes get boxes: \"contour\", \"hull\" (both without holes), or "
      "\"auto\", hulls if a frame has any and else contours."),
  GST_SHAPES_BOOLEAN (Settings, oriented, "oriented", "Oriented", TRUE, LIVE,
      "Boxes of hulls that have measures are their rectangles of minimum area, "
      "with an angle. False: all boxes are parallel to the axes."),
  GST_SHAPES_STRING (Settings, labels, "labels", "Labels", NULL, LIVE,
      "Comma-separated names of the classes 0, 1 and so on, such as \"apple,"
      "pear\". Others are called \"class 7\" by their number."),
  GST_SHAPES_UINT (Settings, max_boxes, "max-boxes", "Most boxes", 1, 10000,
      1000, LIVE, "Most boxes of a frame; if there are more shapes, the "
      "largest ones get them. The memory of GStreamer's relations grows with "
      "the square of their number: 1 byte times it, with ids 4."),
  GST_SHAPES_BOOLEAN (Settings, mask, "mask", "Mask", FALSE, LIVE,
      "Also attach a mask (GstAnalyticsSegmentationMtd) whose pixels say which "
      "of the boxes' shapes they belong to: 1 for the first one, 0 for none."),
  GST_SHAPES_BOOLEAN (Settings, ids, "ids", "Ids", FALSE, LIVE,
      "Also attach the ids of the boxes' shapes, which transfer=tracks needs "
      "downstream of a tracker. They are metadata of a type of their own "
      "(\"gst-shapes-shape\"), which gst-python does not know up to 1.28: "
      "iterating over all metadata of a frame raises KeyError there."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

static void
analytics_settings_changed (gpointer self, guint affects)
{
  GST_SHAPE_ANALYTICS (self)->settings_changed = TRUE;
}

static gchar **
split_labels (const gchar * text)
{
  gchar **labels = g_strsplit (text ? text : "", ",", -1);

  for (guint i = 0; labels[i]; i++)
    g_strstrip (labels[i]);
  return labels;
}

/* Frames */

/* Shapes of another size than the frame's are scaled to it. */
static GstShapeSet *
scale_to_frame (GstShapeAnalytics * self, GstShapeSet * set, GError ** error)
{
  if (self->width == 0 || gst_shape_set_get_width (set) == 0)
    return gst_shape_set_ref (set);
  return gst_shape_set_rescale (set, self->width, self->height, error);
}

static void
warn_about_number (GstShapeAnalytics * self, guint n_left_out)
{
  if (n_left_out == 0 || self->warned_about_number)
    return;
  self->warned_about_number = TRUE;
  GST_SHAPES_WARNING (self, STREAM, FAILED,
      "A frame has %u more shapes than max-boxes=%u; the largest ones get "
      "boxes. Leave small ones out with cudacontours' min-area, or increase "
      "max-boxes.", n_left_out, self->current.max_boxes);
}

static gboolean
attach (GstShapeAnalytics * self, GstBuffer * buffer, GstShapeSet * set,
    const CsArray * boxes, GError ** error)
{
  if (!analytics_attach_boxes (buffer, boxes, self->labels, self->current.ids))
    return cs_fail (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NO_SPACE_LEFT,
        "they cannot be attached as GstAnalyticsRelationMeta");
  return !self->current.mask || analytics_attach_mask (buffer, set,
      boxes, self->labels, error);
}

static gboolean
add_boxes (GstShapeAnalytics * self, GstBuffer * buffer, GstShapeSet * set,
    GError ** error)
{
  g_autoptr (GstShapeSet) scaled = scale_to_frame (self, set, error);
  guint n_left_out;
  gboolean ok = FALSE;

  if (!scaled)
    return FALSE;
  CsArray *boxes = analytics_collect_boxes (scaled, self->current.kind,
      self->current.oriented, self->current.max_boxes, &n_left_out, error);
  if (boxes) {
    warn_about_number (self, n_left_out);
    ok = boxes->len == 0 || attach (self, buffer, scaled, boxes, error);
    cs_array_free (boxes);
  }
  return ok;
}

static gboolean
add_tracks (GstShapeAnalytics * self, GstBuffer * buffer, GstShapeSet * set,
    GError ** error)
{
  gboolean lacks_ids;
  g_autoptr (GstShapeSet) annotated = analytics_annotate_tracks (buffer, set,
      &lacks_ids, error);

  if (!annotated)
    return FALSE;
  if (lacks_ids)
    GST_SHAPES_WARN_ONCE (self, self->warned_about_ids, STREAM, FAILED, "A "
        "frame has shapes, and objects with tracks, but these do not say which "
        "shapes they are: set ids=true of the shapeanalytics that is upstream "
        "of the tracker.");
  if (annotated != set) {
    gst_buffer_remove_meta (buffer,
        (GstMeta *) gst_buffer_get_shape_meta (buffer));
    gst_buffer_add_shape_meta (buffer, annotated);
  }
  return TRUE;
}

static GstFlowReturn
analytics_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstShapeAnalytics *self = GST_SHAPE_ANALYTICS (trans);
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  g_autoptr (GError) error = NULL;

  GST_OBJECT_LOCK (self);
  if (self->settings_changed) {
    gst_shapes_properties_copy (&properties, &self->current, &self->settings);
    self->settings_changed = FALSE;
    g_strfreev (self->labels);
    self->labels = split_labels (self->current.labels);
  }
  GST_OBJECT_UNLOCK (self);
  if (!set || (self->current.transfer == TRANSFER_TRACKS ?
          add_tracks (self, buffer, set, &error) :
          add_boxes (self, buffer, set, &error)))
    return GST_FLOW_OK;
  GST_SHAPES_ERROR_FULL (self, RESOURCE, READ,
      ("The shapes of a frame cannot be passed on."), ("%s", error->message));
  return GST_FLOW_ERROR;
}

/* Negotiation */

static gboolean
analytics_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstShapeAnalytics *self = GST_SHAPE_ANALYTICS (trans);
  const GstStructure *structure = gst_caps_get_structure (incaps, 0);
  GstVideoInfo info;

  self->width = self->height = 0;
  if (gst_structure_has_name (structure, "video/x-raw") &&
      gst_video_info_from_caps (&info, incaps)) {
    self->width = GST_VIDEO_INFO_WIDTH (&info);
    self->height = GST_VIDEO_INFO_FIELD_HEIGHT (&info);
  }
  return TRUE;
}

static gboolean
analytics_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
          decide_query, query))
    return FALSE;
  gst_shapes_propose_meta (query, GST_SHAPE_META_API_TYPE);
  return TRUE;
}

static gboolean
analytics_stop (GstBaseTransform * trans)
{
  GstShapeAnalytics *self = GST_SHAPE_ANALYTICS (trans);

  self->warned_about_number = self->warned_about_ids = FALSE;
  return TRUE;
}

/* Object */

static void
analytics_finalize (GObject * object)
{
  GstShapeAnalytics *self = GST_SHAPE_ANALYTICS (object);

  gst_shapes_properties_clear (&properties, &self->settings);
  gst_shapes_properties_clear (&properties, &self->current);
  g_strfreev (self->labels);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_analytics_class_init (GstShapeAnalyticsClass * klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = analytics_finalize;
  gst_shapes_properties_bind (&properties, G_OBJECT_CLASS (klass),
      G_STRUCT_OFFSET (GstShapeAnalytics, settings),
      analytics_settings_changed);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass), "ANY", "ANY",
      "Shapes to and from analytics", "Filter/Analyzer/Video",
      "Makes detected objects of contours and hulls, and copies their tracks "
      "back");

  trans_class->stop = analytics_stop;
  trans_class->set_caps = analytics_set_caps;
  trans_class->propose_allocation = analytics_propose_allocation;
  trans_class->transform_ip = analytics_transform_ip;
}

static void
gst_shape_analytics_init (GstShapeAnalytics * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
  self->settings_changed = TRUE;
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}
