/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapejsonenc
 * @title: shapejsonenc
 * @short_description: turns shapes into lines of JSON
 *
 * Writes one line of JSON for every buffer, with the contours, hulls and
 * circles of its #GstShapeMeta, regardless of the buffer's content:
 *
 * |[
 * {"version":1,"frame":0,"source":"cam1","pts":0,"offset":0,"width":640,
 *  "height":480,"shapes":[...]}
 * ]|
 *
 * A buffer without shapes gives `"shapes":[]`; then the size is that of the
 * caps, or null if they have none. A #GstReferenceTimestampMeta gives
 * `"reference-timestamp"`. `frame` counts the buffers from 0 since the element
 * was started. Numbers never depend on the locale.
 *
 * The output has a TIME segment: that of the input, or one from 0 if the input
 * has a BYTES segment, as from filesrc. Timestamps, duration and offset are
 * those of the input buffers.
 *
 * #GstShapeJsonEnc:points, #GstShapeJsonEnc:simplify and
 * #GstShapeJsonEnc:max-shapes reduce the size. A line longer than
 * #GstShapeJsonEnc:max-size, or for which there is no memory, is dropped,
 * counted in #GstShapeJsonEnc:dropped and reported in a QoS message, the first
 * one of a stream also in a warning; `frame` counts dropped lines, too.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! video/x-raw,format=GRAY8 ! cudacontours level=0.5 ! shapejsonenc ! filesink location=fruits.jsonl
 * ]| Every contour of a photograph.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacontours ! shapejsonenc source-id=cam1 points=none ! tcpserversink port=5000
 * ]| Measures only, over the network.
 * |[
 * gst-launch-1.0 videotestsrc ! cudacontours ! tee name=t ! queue ! shapeoverlay ! videoconvert ! autovideosink t. ! queue ! shapejsonenc points=simplified simplify=0.5 ! filesink location=shapes.jsonl
 * ]| Displays contours and writes simplified ones to a file.
 *
 * Since: 1.0
 */

#include "element/gstshapesencoder.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesproperties.h"

#define GST_TYPE_SHAPE_JSON_ENC (gst_shape_json_enc_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeJsonEnc, gst_shape_json_enc, GST,
    SHAPE_JSON_ENC, GstShapesEncoder)

GST_DEBUG_CATEGORY_STATIC (json_enc_debug);
#define GST_CAT_DEFAULT json_enc_debug

typedef struct
{
  gchar *source_id;
  GstShapeJsonOptions options;
  guint64 max_size;
} Settings;

struct _GstShapeJsonEnc
{
  GstShapesEncoder parent;

  /* properties, with the object lock */
  Settings settings;
};

#define gst_shape_json_enc_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeJsonEnc, gst_shape_json_enc,
    GST_TYPE_SHAPES_ENCODER,
    GST_DEBUG_CATEGORY_INIT (json_enc_debug, "shapejsonenc", 0,
        "turns shapes into lines of JSON"));
GST_ELEMENT_REGISTER_DECLARE (shapejsonenc);
GST_ELEMENT_REGISTER_DEFINE (shapejsonenc, "shapejsonenc", GST_RANK_NONE,
    GST_TYPE_SHAPE_JSON_ENC);

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_STRING (Settings, source_id, "source-id", "Source ID", NULL, LIVE,
      "Name of the camera or file, written as \"source\"; left out when it is "
      "not set."),
  GST_SHAPES_ENUM (Settings, options.points, "points", "Points",
      gst_shape_json_points_get_type, GST_SHAPE_JSON_POINTS_FULL, LIVE,
      "How much of the points of contours and hulls to write."),
  GST_SHAPES_DOUBLE (Settings, options.simplify, "simplify", "Simplify", 0.,
      1e6, 0.5, LIVE,
      "With points=simplified, how far a simplified line may lie from a point "
      "that was left out, in pixels (Douglas and Peucker's algorithm)."),
  GST_SHAPES_UINT (Settings, options.max_shapes, "max-shapes", "Maximum shapes",
      0, G_MAXUINT, 0, LIVE, "Write at most this many shapes of each buffer, "
      "the first ones, or all of them if 0."),
  GST_SHAPES_UINT64 (Settings, max_size, "max-size", "Maximum size", 0,
      G_MAXUINT64, 64 * 1024 * 1024, LIVE,
      "Leave out buffers whose lines would take more than this many bytes, "
      "including the newline; 0 leaves out none."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

/* Frames */

static GBytes *
json_enc_encode (GstShapesEncoder * encoder,
    const GstShapeJsonFrame * frame, GstShapeSet * set, GError ** error)
{
  GstShapeJsonEnc *self = GST_SHAPE_JSON_ENC (encoder);
  GstShapeJsonFrame named = *frame;
  Settings now = { 0, };
  GBytes *line;

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_copy (&properties, &now, &self->settings);
  GST_OBJECT_UNLOCK (self);
  named.source = now.source_id;
  line = gst_shape_json_make_line (&named, set, &now.options,
      (gsize) MIN (now.max_size, G_MAXSIZE), error);
  gst_shapes_properties_clear (&properties, &now);
  return line;
}

/* Life */

static void
json_enc_finalize (GObject * object)
{
  GstShapeJsonEnc *self = GST_SHAPE_JSON_ENC (object);

  gst_shapes_properties_clear (&properties, &self->settings);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_json_enc_class_init (GstShapeJsonEncClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstShapesEncoderClass *encoder_class = GST_SHAPES_ENCODER_CLASS (klass);

  object_class->finalize = json_enc_finalize;
  gst_shapes_properties_bind (&properties, object_class,
      G_STRUCT_OFFSET (GstShapeJsonEnc, settings), NULL);
  gst_shapes_properties_bind (&gst_shapes_drops_properties, object_class,
      G_STRUCT_OFFSET (GstShapesEncoder, drops), NULL);

  encoder_class->encode = json_enc_encode;
  encoder_class->left_out_hint = "Raise max-size, or write less with "
      "points=simplified, points=none or max-shapes";
  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass), "ANY",
      "application/x-ndjson", "Shape JSON encoder", "Codec/Encoder/Metadata",
      "Turns the contours, hulls and circles found in a frame into a line of "
      "JSON");
}

static void
gst_shape_json_enc_init (GstShapeJsonEnc * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
}
