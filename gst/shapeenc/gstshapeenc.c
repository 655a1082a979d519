/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapegeojsonenc
 * @title: shapegeojsonenc
 * @short_description: turns shapes into GeoJSON
 *
 * Writes one line for every buffer: a FeatureCollection of GeoJSON (RFC 7946)
 * with its contours, hulls and circles, in pixels. A hole is part of its
 * contour's polygon if cudacontours finds the hierarchy.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! cudacontours hierarchy=true ! shapegeojsonenc ! filesink location=fruits.geojson
 * ]| Every contour of a photograph.
 *
 * Since: 1.0
 */

/**
 * SECTION:element-shapecocoenc
 * @title: shapecocoenc
 * @short_description: turns shapes into annotations of the COCO format
 *
 * Writes one document for a stream: an annotation for each closed contour and
 * hull, with its polygon or its pixels, and an image for each buffer. The
 * document is complete when the stream has ended (EOS).
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 multifilesrc location=fruit-%04d.jpg caps=image/jpeg,framerate=1/1 ! jpegdec ! videoconvert ! cudacontours hierarchy=true ! shapecocoenc file-name=fruit-%04d.jpg ! filesink location=fruits.json
 * ]| Annotations of photographs.
 *
 * Since: 1.0
 */

/**
 * SECTION:element-shapesvgenc
 * @title: shapesvgenc
 * @short_description: turns shapes into drawings in SVG
 *
 * Writes one SVG document for every buffer, of its size in pixels.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! cudacontours hierarchy=true ! shapesvgenc points=simplified ! filesink location=fruits.svg
 * ]| Outlines of a photograph, for a plotter.
 *
 * Since: 1.0
 */

/**
 * SECTION:element-shapecsvenc
 * @title: shapecsvenc
 * @short_description: turns measures of shapes into rows of CSV
 *
 * Writes a row for each contour, hull and circle, below the names of the
 * columns.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=fruits.jpg ! jpegdec ! videoconvert ! cudacontours measures=full ! shapecsvenc ! filesink location=fruits.csv
 * ]| Measures for a spreadsheet.
 *
 * Since: 1.0
 */

#include <gst/gst.h>

#include "element/gstshapesencoder.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesproperties.h"

GST_DEBUG_CATEGORY_STATIC (gst_shape_enc_debug);
#define GST_CAT_DEFAULT gst_shape_enc_debug

typedef struct
{
  gchar *source_id, *file_name;
  GstShapeJsonOptions options;
  GstShapeCocoSegmentation segmentation;
  GstShapeCocoGroup group_by;
  guint64 max_size;
} Settings;

typedef struct
{
  GstShapesEncoder parent;

  /* properties, with the object lock */
  Settings settings;

  /* streaming thread */
  GstShapeCoco *coco;
} GstShapeEnc;

/* What is different from format to format. */
typedef struct
{
  const gchar *type_name, *caps, *long_name, *description;
  const GstShapesProperties *properties;
  GBytes *(*encode) (GstShapeEnc * self, const Settings * now,
      const GstShapeJsonFrame * frame, GstShapeSet * set, GError ** error);
  GBytes *(*finish) (GstShapeEnc * self, GError ** error);
} Format;

typedef struct
{
  GstShapesEncoderClass parent_class;

  const Format *format;
} GstShapeEncClass;

static gpointer parent_class;

#define GET_FORMAT(self) \
    (G_TYPE_INSTANCE_GET_CLASS ((self), 0, GstShapeEncClass)->format)

/* Properties */

#define SOURCE_ID \
  GST_SHAPES_STRING (Settings, source_id, "source-id", "Source ID", NULL, \
      LIVE, \
      "Name of the camera or file, written as \"source\"; left out when it " \
      "is not set.")
#define POINTS \
  GST_SHAPES_ENUM (Settings, options.points, "points", "Points", \
      gst_shape_json_points_get_type, GST_SHAPE_JSON_POINTS_FULL, LIVE, \
      "How much of the points of contours and hulls to write.")
#define SIMPLIFY \
  GST_SHAPES_DOUBLE (Settings, options.simplify, "simplify", "Simplify", 0., \
      1e6, 0.5, LIVE, \
      "With points=simplified, how far a simplified line may lie from a " \
      "point that was left out, in pixels (Douglas and Peucker's algorithm).")
#define MAX_SHAPES \
  GST_SHAPES_UINT (Settings, options.max_shapes, "max-shapes", \
      "Maximum shapes", 0, G_MAXUINT, 0, LIVE, \
      "Write at most this many shapes of each buffer, the first ones, or all " \
      "of them if 0.")
#define MAX_SIZE \
  GST_SHAPES_UINT64 (Settings, max_size, "max-size", "Maximum size", 0, \
      G_MAXUINT64, 64 * 1024 * 1024, LIVE, \
      "Leave out buffers that would take more than this many bytes of text; " \
      "0 leaves out none.")

static const GstShapesProperty coco_rows[] = {
  GST_SHAPES_STRING (Settings, file_name, "file-name", "File name",
      "frame-%06d.png", LIVE, "Name of the image that belongs to a buffer. %d "
      "becomes the buffer's number, from 0 since the element was started, and "
      "%06d the same with six digits."),
  GST_SHAPES_ENUM (Settings, segmentation, "segmentation", "Segmentation",
      gst_shape_coco_segmentation_get_type,
      GST_SHAPE_COCO_SEGMENTATION_POLYGONS, LIVE,
      "Write outlines, or pixels as run lengths (RLE), for which \"points\" "
      "has no effect."),
  GST_SHAPES_ENUM (Settings, group_by, "group-by", "Group by",
      gst_shape_coco_group_get_type, GST_SHAPE_COCO_GROUP_NONE, LIVE,
      "Which shapes of a buffer, of the same kind and class, are parts of the "
      "same object and become one annotation."),
  POINTS, SIMPLIFY, MAX_SHAPES, MAX_SIZE,
};

static const GstShapesProperty csv_rows[] = {
  SOURCE_ID, MAX_SHAPES, MAX_SIZE,
  GST_SHAPES_BOOLEAN (Settings, options.formulas, "formulas", "Formulas", FALSE,
      LIVE,
      "Leave texts that begin with =, +, - or @, which spreadsheets would "
      "compute, as they are. Without it they get an apostrophe."),
};

static const GstShapesProperty geojson_rows[] = {
  SOURCE_ID, POINTS, SIMPLIFY, MAX_SHAPES, MAX_SIZE,
};

static const GstShapesProperty svg_rows[] = {
  POINTS, SIMPLIFY, MAX_SHAPES, MAX_SIZE,
};

static const GstShapesProperties coco_properties =
    GST_SHAPES_PROPERTIES (coco_rows, Settings, 1);
static const GstShapesProperties csv_properties =
    GST_SHAPES_PROPERTIES (csv_rows, Settings, 1);
static const GstShapesProperties geojson_properties =
    GST_SHAPES_PROPERTIES (geojson_rows, Settings, 1);
static const GstShapesProperties svg_properties =
    GST_SHAPES_PROPERTIES (svg_rows, Settings, 1);

/* Formats */

/* @pattern with %d, or %0Nd, replaced by @number; nothing else is special. */
static gchar *
make_file_name (const gchar * pattern, guint64 number)
{
  GString *name = g_string_new (NULL);

  while (*pattern) {
    const gchar *end = pattern + 1;
    guint width = 0;

    if (*pattern == '%' && *end == '0' && g_ascii_isdigit (end[1])) {
      width = end[1] - '0';
      end += 2;
    }
    if (*pattern == '%' && *end == 'd') {
      g_string_append_printf (name, "%0*" G_GUINT64_FORMAT, (gint) width,
          number);
      pattern = end + 1;
    } else {
      g_string_append_c (name, *pattern++);
    }
  }
  return g_string_free (name, FALSE);
}

static GBytes *
encode_coco (GstShapeEnc * self, const Settings * now,
    const GstShapeJsonFrame * frame, GstShapeSet * set, GError ** error)
{
  g_autofree gchar *name = make_file_name (now->file_name ? now->file_name : "",
      frame->frame);

  if (!self->coco)
    self->coco = gst_shape_coco_new ();
  gst_shape_coco_set_options (self->coco, now->segmentation, now->group_by);
  return gst_shape_coco_make_annotations (self->coco, frame, set, name,
      &now->options, (gsize) MIN (now->max_size, G_MAXSIZE), error);
}

static GBytes *
finish_coco (GstShapeEnc * self, GError ** error)
{
  if (!self->coco)
    self->coco = gst_shape_coco_new ();
  GBytes *text = gst_shape_coco_finish (self->coco, error);
  g_clear_pointer (&self->coco, gst_shape_coco_free);
  return text;
}

static GBytes *
encode_csv (GstShapeEnc * self, const Settings * now,
    const GstShapeJsonFrame * frame, GstShapeSet * set, GError ** error)
{
  return gst_shape_csv_make_rows (frame, set, &now->options,
      (gsize) MIN (now->max_size, G_MAXSIZE), error);
}

static GBytes *
encode_geojson (GstShapeEnc * self, const Settings * now,
    const GstShapeJsonFrame * frame, GstShapeSet * set, GError ** error)
{
  return gst_shape_geojson_make_line (frame, set, &now->options,
      (gsize) MIN (now->max_size, G_MAXSIZE), error);
}

static GBytes *
encode_svg (GstShapeEnc * self, const Settings * now,
    const GstShapeJsonFrame * frame, GstShapeSet * set, GError ** error)
{
  return gst_shape_svg_make_document (frame, set, &now->options,
      (gsize) MIN (now->max_size, G_MAXSIZE), error);
}

static const Format coco = {
  "GstShapeCocoEnc", "application/json", "Shape COCO encoder",
  "Turns the contours and hulls found in frames into a document of the COCO "
      "format, which annotation tools and trainers read",
  &coco_properties, encode_coco, finish_coco
};

static const Format csv = {
  "GstShapeCsvEnc", "text/csv", "Shape CSV encoder",
  "Turns the measures of contours, hulls and circles found in frames into "
      "rows of a table", &csv_properties, encode_csv
};

static const Format geojson = {
  "GstShapeGeojsonEnc", "application/geo+json", "Shape GeoJSON encoder",
  "Turns the contours, hulls and circles found in a frame into a line of "
      "GeoJSON", &geojson_properties, encode_geojson
};

static const Format svg = {
  "GstShapeSvgEnc", "image/svg+xml", "Shape SVG encoder",
  "Turns the contours, hulls and circles found in a frame into an SVG drawing",
  &svg_properties, encode_svg
};

/* Frames */

static GBytes *
encode (GstShapesEncoder * encoder, const GstShapeJsonFrame * frame,
    GstShapeSet * set, GError ** error)
{
  GstShapeEnc *self = (GstShapeEnc *) encoder;
  const Format *format = GET_FORMAT (self);
  GstShapeJsonFrame named = *frame;
  Settings now = { 0, };

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_copy (format->properties, &now, &self->settings);
  GST_OBJECT_UNLOCK (self);
  named.source = now.source_id;
  GBytes *text = format->encode (self, &now, &named, set, error);
  gst_shapes_properties_clear (format->properties, &now);
  return text;
}

static GBytes *
finish (GstShapesEncoder * encoder, GError ** error)
{
  GstShapeEnc *self = (GstShapeEnc *) encoder;
  const Format *format = GET_FORMAT (self);

  return format->finish ? format->finish (self, error) : NULL;
}

static void
reset (GstShapesEncoder * encoder)
{
  g_clear_pointer (&((GstShapeEnc *) encoder)->coco, gst_shape_coco_free);
}

/* Life */

static void
finalize (GObject * object)
{
  GstShapeEnc *self = (GstShapeEnc *) object;

  gst_shapes_properties_clear (GET_FORMAT (self)->properties, &self->settings);
  gst_shape_coco_free (self->coco);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
class_init (gpointer g_class, gpointer data)
{
  const Format *format = data;
  GObjectClass *object_class = G_OBJECT_CLASS (g_class);
  GstShapesEncoderClass *encoder_class = GST_SHAPES_ENCODER_CLASS (g_class);

  parent_class = g_type_class_peek_parent (g_class);
  ((GstShapeEncClass *) g_class)->format = format;
  object_class->finalize = finalize;
  gst_shapes_properties_bind (format->properties, object_class,
      G_STRUCT_OFFSET (GstShapeEnc, settings), NULL);
  gst_shapes_properties_bind (&gst_shapes_drops_properties, object_class,
      G_STRUCT_OFFSET (GstShapesEncoder, drops), NULL);

  encoder_class->encode = encode;
  encoder_class->finish = finish;
  encoder_class->reset = reset;
  encoder_class->left_out_hint = "Raise max-size, or write less with "
      "max-shapes";
  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (g_class), "ANY",
      format->caps, format->long_name, "Codec/Encoder/Metadata",
      format->description);
}

static void
instance_init (GTypeInstance * instance, gpointer g_class)
{
  gst_shapes_properties_init (((GstShapeEncClass *) g_class)->format->
      properties, &((GstShapeEnc *) instance)->settings);
}

static gboolean
register_format (GstPlugin * plugin, const gchar * name, const Format * format)
{
  GType type = g_type_from_name (format->type_name);

  if (type == 0) {
    const GTypeInfo info = {
      .class_size = sizeof (GstShapeEncClass),
      .class_init = class_init,
      .class_data = format,
      .instance_size = sizeof (GstShapeEnc),
      .instance_init = instance_init,
    };

    GST_DEBUG_CATEGORY_INIT (gst_shape_enc_debug, "shapeenc", 0,
        "turns shapes into other people's formats");
    type = g_type_register_static (GST_TYPE_SHAPES_ENCODER, format->type_name,
        &info, 0);
  }
  return gst_element_register (plugin, name, GST_RANK_NONE, type);
}

#define DEFINE_REGISTER(name, format) \
GST_ELEMENT_REGISTER_DECLARE (name); \
GST_ELEMENT_REGISTER_DEFINE_CUSTOM (name, name ## _register) \
static gboolean \
name ## _register (GstPlugin * plugin) \
{ \
  return register_format (plugin, #name, &format); \
}

static gboolean shapecocoenc_register (GstPlugin * plugin);
static gboolean shapecsvenc_register (GstPlugin * plugin);
static gboolean shapegeojsonenc_register (GstPlugin * plugin);
static gboolean shapesvgenc_register (GstPlugin * plugin);

DEFINE_REGISTER (shapecocoenc, coco)
DEFINE_REGISTER (shapecsvenc, csv)
DEFINE_REGISTER (shapegeojsonenc, geojson)
DEFINE_REGISTER (shapesvgenc, svg)
