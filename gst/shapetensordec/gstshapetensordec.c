/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapetensordec
 * @title: shapetensordec
 * @short_description: polygons of instance networks' tensors
 *
 * Finds the objects in the tensors of YOLO-seg (YOLOv8, YOLO11, and end to end
 * as YOLO26), RF-DETR-seg, Mask R-CNN and Segment Anything, and their outlines
 * as polygons, without making masks: these are traced where the network's own
 * small grid crosses the level. The polygons are those of the masks that the
 * network's package makes, with its non-maximum suppression, borders, boxes and
 * resizing.
 *
 * Tensors are attached to video frames (GstTensorMeta, GStreamer 1.26 and
 * later), as by onnxinference, or are the stream itself (other/tensors, of
 * NNStreamer or an application). Which network they are of is told by their
 * dimensions.
 *
 * Each object is one or more closed contours, with holes, of its class and
 * confidence; parts of one object have one region id (#shapecocoenc:group-by).
 *
 * It has no rank, and is chosen by name: tensordecodebin would put it beside
 * the decoders of other networks.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 filesrc location=street.jpg ! jpegdec ! videoconvert ! videoscale ! video/x-raw,format=RGB,width=640,height=640,pixel-aspect-ratio=1/1 ! onnxinference model-file=yolo11n-seg.onnx ! shapetensordec labels-location=coco.txt ! videoconvert ! shapeoverlay label={class} ! autovideosink
 * ]| Outlines of what YOLO11 recognises (GStreamer 1.28).
 *
 * Since: 1.0
 */

#include <gst/video/video.h>

#include <string.h>

#include "element/gstshapestransform.h"
#include "base/error.h"
#include "element/gstshapeslabels.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapespixelsize.h"
#include "element/gstshapestensor.h"
#include "element/gstshapestensormeta.h"
#include "gstshapetensordecmodel.h"
#include "shapes/gstshapesenum.h"

#define GST_TYPE_SHAPE_TENSOR_DEC (gst_shape_tensor_dec_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeTensorDec, gst_shape_tensor_dec, GST,
    SHAPE_TENSOR_DEC, GstShapesTransform)

GST_DEBUG_CATEGORY_STATIC (tensor_dec_debug);
#define GST_CAT_DEFAULT tensor_dec_debug

#define CANNOT "Cannot decode tensors"

/* Classes that are named in a layer. */
#define MAX_LABELS 65536

GST_SHAPES_DEFINE_ENUM_TYPE (static, model_get_type, "GstShapeTensorDecModel",
    {DEC_MODEL_AUTO, "By dimensions and types of the tensors", "auto"},
    {DEC_MODEL_YOLO, "YOLOv8-seg, YOLO11-seg, with non-maximum suppression",
        "yolo"},
    {DEC_MODEL_YOLO_END2END, "YOLO26-seg and other YOLOs end to end",
        "yolo-end2end"},
    {DEC_MODEL_RF_DETR, "RF-DETR-seg", "rf-detr"},
    {DEC_MODEL_MASK_RCNN, "Mask R-CNN, masks placed as by Detectron2",
        "mask-rcnn"},
    {DEC_MODEL_MASK_RCNN_TORCHVISION,
        "Mask R-CNN, masks placed as by torchvision",
        "mask-rcnn-torchvision"},
    {DEC_MODEL_SAM, "Segment Anything, low-resolution masks", "sam"},
    {DEC_MODEL_SAM2, "Segment Anything 2, low-resolution masks", "sam2"})

typedef struct
{
  DecModel model;
  gdouble score, iou;
  gboolean agnostic;
  guint max_objects;
  guint width, height, input_width, input_height;
  gboolean stretched;
  gchar *labels;
  gdouble tolerance, min_area;
  CsMeasures measures;
  gboolean boxes;
} Settings;

struct _GstShapeTensorDec
{
  GstShapesTransform parent;

  /* with the object lock */
  Settings settings;
  gboolean settings_changed;

  /* streaming thread */
  Settings current;
  gchar **labels;
  gboolean wants_labels;        /* they could not be read: again next time */
  GstCaps *caps;
  gboolean is_tensor;
  GstVideoInfo video;
  DecTensors caps_tensors;
  DecResult result;
  CsInstances *plan;
  gboolean on_host;
  gboolean warned_no_tensors, warned_half_a_size;
};

#define gst_shape_tensor_dec_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeTensorDec, gst_shape_tensor_dec,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (tensor_dec_debug, "shapetensordec", 0,
        "polygons of instance networks' tensors"));
GST_ELEMENT_REGISTER_DECLARE (shapetensordec);
GST_ELEMENT_REGISTER_DEFINE (shapetensordec, "shapetensordec", GST_RANK_NONE,
    GST_TYPE_SHAPE_TENSOR_DEC);

/* --- Properties ----------------------------------------------------------- */

static const GstShapesProperty rows[] = {
  GST_SHAPES_ENUM (Settings, model, "model", "Model", model_get_type,
      DEC_MODEL_AUTO, LIVE,
      "The network whose tensors these are. \"auto\" tells it by their "
      "dimensions and types; Mask R-CNN as placed by torchvision, and SAM 2, "
      "have to be named."),
  GST_SHAPES_DOUBLE (Settings, score, "score", "Score", -1., 1., -1., ANIMATED,
      "Objects have a higher score than this. Negative: what the network's "
      "package uses, .25 for YOLO, .5 for RF-DETR and Mask R-CNN, 0 for "
      "Segment Anything, whose score is the predicted IoU."),
  GST_SHAPES_DOUBLE (Settings, iou, "iou", "IoU", 0., 1., .7, ANIMATED,
      "YOLO: of two objects of a class whose boxes have a greater "
      "intersection over union than this, the one with the lower score is "
      "left out."),
  GST_SHAPES_BOOLEAN (Settings, agnostic, "class-agnostic", "Class-agnostic",
      FALSE, LIVE,
      "YOLO: objects are also left out for those of other classes, see "
      "\"iou\"."),
  GST_SHAPES_UINT (Settings, max_objects, "max-objects", "Most objects", 1,
      100000, 300, LIVE,
      "Most objects of a frame: those of the highest scores."),
  GST_SHAPES_UINT (Settings, width, "width", "Width", 0, 1 << 20, 0, LIVE,
      "Width of the picture that the network's input was made of, which "
      "shapes are placed in. 0: they are placed in the frame that carries the "
      "tensors, or without one in the network's input."),
  GST_SHAPES_UINT (Settings, height, "height", "Height", 0, 1 << 20, 0, LIVE,
      "Height of the picture that the network's input was made of, see "
      "\"width\"."),
  GST_SHAPES_UINT (Settings, input_width, "input-width", "Input width", 0,
      1 << 20, 0, LIVE,
      "Mask R-CNN: width of the network's input, in whose pixels boxes are. 0: "
      "that of the frame, or else of the picture. Other networks tell it."),
  GST_SHAPES_UINT (Settings, input_height, "input-height", "Input height", 0,
      1 << 20, 0, LIVE,
      "Mask R-CNN: height of the network's input, see \"input-width\"."),
  GST_SHAPES_BOOLEAN (Settings, stretched, "stretched", "Stretched", FALSE,
      LIVE,
      "The picture was stretched to the network's input, without borders "
      "(videoscale add-borders=false). False: it was scaled and put where the "
      "network's package puts it: in the middle for YOLO, in the upper left "
      "for Segment Anything; RF-DETR's is always stretched."),
  GST_SHAPES_STRING (Settings, labels, "labels-location", "Labels file", NULL,
      LIVE,
      "Text file with the names of the classes 0, 1 and so on, one a line. "
      "Empty: none."),
  GST_SHAPES_DOUBLE (Settings, tolerance, "outline-tolerance",
      "Outline tolerance", CS_INSTANCES_MIN_TOLERANCE, 1000., .1, LIVE,
      "How far polygons may be from the exact outline, in pixels, between the "
      "lines of the network's samples, where they always have a point."),
  GST_SHAPES_DOUBLE (Settings, min_area, "min-area", "Least area", 0.,
      G_MAXDOUBLE, 0., ANIMATED,
      "Parts and holes of a smaller area are left out, in pixels squared."),
  GST_SHAPES_ENUM (Settings, measures, "measures", "Measures",
      gst_shapes_measures_get_type, CS_MEASURES_BASIC, LIVE,
      "What is measured of each polygon: \"none\" its area, \"basic\" also "
      "perimeter, centroid and bounding box, \"full\" also moments."),
  GST_SHAPES_BOOLEAN (Settings, boxes, "boxes", "Boxes", FALSE, LIVE,
      "Also make the networks' boxes of the objects polygons, in a layer of "
      "their own after that of the outlines, in the objects' order and without "
      "a region."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

static void
tensor_dec_settings_changed (gpointer self, guint affects)
{
  GST_SHAPE_TENSOR_DEC (self)->settings_changed = TRUE;
}

/* Takes over the settings; labels are read when their file has another name. */
static gboolean
update_settings (GstShapeTensorDec * self, GError ** error)
{
  g_autofree gchar *path = NULL;
  gboolean changed;

  GST_OBJECT_LOCK (self);
  changed = self->settings_changed || self->wants_labels;
  if (changed) {
    path = g_strdup (self->current.labels);
    gst_shapes_properties_copy (&properties, &self->current, &self->settings);
  }
  self->settings_changed = FALSE;
  GST_OBJECT_UNLOCK (self);
  if (!changed || (self->labels && g_strcmp0 (path, self->current.labels) == 0))
    return TRUE;
  g_clear_pointer (&self->labels, g_free);
  self->wants_labels = FALSE;
  if (!self->current.labels || !*self->current.labels)
    return TRUE;
  self->labels = gst_shapes_load_labels (self->current.labels, error);
  self->wants_labels = !self->labels;
  return self->labels != NULL;
}

/* --- Layers --------------------------------------------------------------- */

static gboolean
run_plan (GstShapeTensorDec * self, gint32 first_id, GstShapesSlab * slab,
    CsContoursOutput * output, GError ** error)
{
  DecResult *result = &self->result;
  CsInstancesParams params;

  cs_instances_params_init (&params);
  params.level = result->level;
  params.tolerance = self->current.tolerance;
  params.min_area = self->current.min_area;
  params.measures = self->current.measures;
  result->input.first_id = first_id;
  *output = (CsContoursOutput) {
    .alloc = gst_shapes_slab_alloc,.user_data = slab,.want_host = TRUE};
  return cs_instances_set_params (self->plan, &params, error) &&
      cs_instances_run (self->plan, &result->input, output, error);
}

/* Confidences, and which polygons are of one object. Records no longer have
 * that then. @first_region: the number of the first object */
static GstShapeAnnotation *
annotate (const GstShapeTensorDec * self, CsContoursOutput * output,
    gint32 first_region)
{
  const DecObject *objects = (const DecObject *) (gpointer)
      self->result.objects.data;
  GstShapeAnnotation *annotations = cs_try_new (GstShapeAnnotation,
      output->n_contours + 1);

  for (gsize i = 0; annotations && i < output->n_contours; i++) {
    const gint32 object = output->contours[i].image;

    annotations[i] = (GstShapeAnnotation) {
      CLAMP (objects[object].score, 0.f, 1.f), first_region + object, -1};
    output->contours[i].image = 0;
  }
  return annotations;
}

/* Takes @slab. */
static GstShapeLayer *
make_layer (const GstShapeTensorDec * self, GstShapesSlab * slab,
    CsContoursOutput * output, gint32 first_region)
{
  g_autofree GstShapeAnnotation *annotations = annotate (self, output,
      first_region);
  const GstShapeArrays host = {
    .n_shapes = output->n_contours,
    .n_points = output->n_points,
    .points = output->points,
    .offsets = output->offsets,
    .polylines = (const GstShapePolyline *) output->contours,
    .moments = (const GstShapeMoments *) output->moments,
  };
  GstShapeLayer *layer, *annotated = NULL;

  if (output->n_contours == 0) {
    gst_shapes_slab_finish (slab);
    gst_shapes_slab_free (slab);
    return gst_shapes_empty_layer_new ();
  }
  layer = gst_shapes_slab_to_layer (slab, GST_SHAPE_LAYER_POLYLINES, &host,
      NULL);
  if (!layer) {
    gst_shapes_slab_free (slab);
    return NULL;
  }
  gst_shape_layer_set_kind (layer, GST_SHAPE_KIND_CONTOUR);
  if (annotations)
    annotated = gst_shape_layer_annotate (layer, annotations,
        output->n_contours);
  gst_shape_layer_unref (layer);
  return annotated;
}

static GstShapeLayer *
find_outlines (GstShapeTensorDec * self, gint32 first_id, gint32 first_region,
    gsize * n, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  CsContoursOutput output;
  GstShapesSlab *slab;
  GstShapeLayer *layer;

  *n = 0;
  if (self->result.instances.len == 0)
    return gst_shapes_empty_layer_new ();
  slab = gst_shapes_slab_new (base->slabs, self->on_host ? NULL : base->stream);
  if (!run_plan (self, first_id, slab, &output, error)) {
    gst_shapes_slab_free (slab);
    return NULL;
  }
  *n = output.n_contours;
  layer = make_layer (self, slab, &output, first_region);
  if (!layer)
    cs_fail_no_memory (error, "the outlines of objects");
  return layer;
}

/* The corner of a pixel is half a pixel from its centre. */
static void
set_box (const DecObject * object, gint32 id, gsize i, GstShapePoint * points,
    guint32 * offsets, GstShapePolyline * polyline)
{
  const gfloat x0 = object->x0 - .5f, y0 = object->y0 - .5f;
  const gfloat x1 = object->x1 - .5f, y1 = object->y1 - .5f;
  const GstShapePoint corners[5] = { {x0, y0}, {x1, y0}, {x1, y1}, {x0, y1},
  {x0, y0}
  };

  memcpy (points + 5 * i, corners, sizeof (corners));
  offsets[i] = (guint32) (5 * i);
  *polyline = (GstShapePolyline) {
    .id = id,.parent = -1,.class_id = object->class_id,
    .kind = GST_SHAPE_KIND_CONTOUR,.flags = GST_SHAPE_FLAG_CLOSED};
}

static GstShapeLayer *
make_boxes (const GstShapeTensorDec * self, gint32 first_id)
{
  const gsize n = self->result.objects.len;
  g_autofree GstShapePoint *points = cs_try_new (GstShapePoint, 5 * n + 1);
  g_autofree guint32 *offsets = cs_try_new (guint32, n + 1);
  g_autofree GstShapePolyline *polylines = cs_try_new (GstShapePolyline, n + 1);
  g_autofree GstShapeAnnotation *annotations = cs_try_new (GstShapeAnnotation,
      n + 1);
  GstShapeLayer *layer, *annotated;

  if (!points || !offsets || !polylines || !annotations)
    return NULL;
  for (gsize i = 0; i < n; i++) {
    const DecObject *object = &cs_array_index (&self->result.objects, DecObject,
        i);

    set_box (object, first_id + (gint32) i, i, points, offsets, &polylines[i]);
    annotations[i] = (GstShapeAnnotation) {
      CLAMP (object->score, 0.f, 1.f), -1, -1};
  }
  offsets[n] = (guint32) (5 * n);
  layer = gst_shape_layer_new_polylines_copy (points, 5 * n, offsets, polylines,
      n, NULL);
  if (!layer)
    return NULL;
  annotated = gst_shape_layer_annotate (layer, annotations, n);
  gst_shape_layer_unref (layer);
  return annotated;
}

static void
name_classes (const GstShapeTensorDec * self, GstShapeLayer * layer)
{
  if (self->labels)
    gst_shape_layer_set_class_names (layer,
        (const gchar * const *) self->labels,
        MIN (g_strv_length (self->labels), MAX_LABELS));
}

/* --- Frames --------------------------------------------------------------- */

static void
set_sizes (GstShapeTensorDec * self)
{
  const Settings *current = &self->current;
  DecResult *result = &self->result;
  const gboolean has_size = current->width > 0 && current->height > 0;
  const gboolean has_input = current->input_width > 0 &&
      current->input_height > 0;
  const guint width = self->is_tensor ? 0 : GST_VIDEO_INFO_WIDTH (&self->video);
  const guint height = self->is_tensor ? 0 :
      GST_VIDEO_INFO_HEIGHT (&self->video);

  if (!current->width != !current->height ||
      !current->input_width != !current->input_height)
    GST_SHAPES_WARN_ONCE (self, self->warned_half_a_size, LIBRARY, SETTINGS,
        "width=%u height=%u input-width=%u input-height=%u: a size of which "
        "one side is 0 is none; set both.", current->width, current->height,
        current->input_width, current->input_height);
  result->width = has_size ? current->width : width;
  result->height = has_size ? current->height : height;
  result->input_width = has_input ? current->input_width : width;
  result->input_height = has_input ? current->input_height : height;
}

static gboolean
decode (GstShapeTensorDec * self, const DecTensors * tensors, GError ** error)
{
  const Settings *current = &self->current;
  const DecSettings settings = { current->model, current->score, current->iou,
    current->agnostic, current->max_objects, current->stretched
  };

  set_sizes (self);
  return dec_decode (tensors, &settings, &self->result, error);
}

/* The number after those of the regions of @set. */
static gint32
find_next_region (GstShapeSet * set)
{
  gint32 next = 0;

  for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);
    const GstShapeArrays *arrays = gst_shape_layer_has_annotations (layer) ?
        gst_shape_layer_map_host (layer, NULL) : NULL;

    for (gsize k = 0; arrays && arrays->annotations && k < arrays->n_shapes;
        k++)
      if (arrays->annotations[k].region_id < G_MAXINT32 / 2)
        next = MAX (next, arrays->annotations[k].region_id + 1);
  }
  return next;
}

static gboolean
add_shapes (GstShapeTensorDec * self, GstBuffer * buffer, GError ** error)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (self->result.width,
      self->result.height);
  GstShapeSet *earlier = gst_buffer_get_shape_set (buffer);
  const gint32 first_id = earlier ? gst_shape_set_get_next_id (earlier) : 0;
  gsize n;
  GstShapeLayer *layer = find_outlines (self, first_id, find_next_region
      (earlier), &n, error);

  if (!layer)
    return FALSE;
  name_classes (self, layer);
  gst_shape_set_add_layer (set, layer);
  if (self->current.boxes) {
    layer = make_boxes (self, first_id + (gint32) n);
    if (!layer)
      return cs_fail_no_memory (error, "the boxes of objects");
    name_classes (self, layer);
    gst_shape_set_add_layer (set, layer);
  }
  GST_LOG_OBJECT (self, "%" G_GSIZE_FORMAT " objects, %" G_GSIZE_FORMAT
      " polygons", self->result.objects.len, n);
  gst_buffer_add_shape_meta (buffer, set);
  return TRUE;
}

static gboolean
process (GstShapesTransform * base, GstBuffer * buffer, GError ** error)
{
  GstShapeTensorDec *self = GST_SHAPE_TENSOR_DEC (base);
  DecTensors tensors = {.n = 0 };

  if (!update_settings (self, error))
    return FALSE;
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    return TRUE;
  gboolean ok = self->is_tensor ? dec_tensors_map (&tensors,
      &self->caps_tensors, buffer, error) : dec_tensors_map_meta (&tensors,
      buffer, error);
  if (ok && tensors.n == 0)
    GST_SHAPES_WARN_ONCE (self, self->warned_no_tensors, STREAM, DECODE,
        "The frames carry no tensors of floats: put an inference element, such "
        "as onnxinference of GStreamer 1.26 and later, upstream%s.",
        gst_shapes_check_analytics ("", NULL) ? "" : "; this build, without "
        "GStreamer's analytics library, would not see them, and takes "
        "other/tensors");
  else if (ok)
    ok = decode (self, &tensors, error) && add_shapes (self, buffer, error);
  dec_tensors_unmap (&tensors);
  return ok;
}

static GstFlowReturn
tensor_dec_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  if (!GST_SHAPE_TENSOR_DEC (trans)->caps)
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (trans));
  return gst_shapes_transform_run (GST_SHAPES_TRANSFORM (trans), CANNOT,
      buffer, process);
}

/* --- Life ----------------------------------------------------------------- */

static gboolean
tensor_dec_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstShapeTensorDec *self = GST_SHAPE_TENSOR_DEC (trans);
  g_autoptr (GError) error = NULL;

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
          outcaps))
    return FALSE;
  gst_caps_replace (&self->caps, incaps);
  self->is_tensor = gst_shapes_caps_are_tensors (incaps);
  if (self->is_tensor ? dec_tensors_from_caps (&self->caps_tensors, incaps,
          &error) : gst_video_info_from_caps (&self->video, incaps))
    return TRUE;
  GST_SHAPES_ERROR (self, STREAM, FORMAT, CANNOT ": %s.",
      error ? error->message : "these video caps are incomplete");
  return FALSE;
}

/* Tensors are in the host's memory, where the CPU is sooner done with them. */
static gboolean
tensor_dec_open (GstShapesTransform * base, GError ** error)
{
  GstShapeTensorDec *self = GST_SHAPE_TENSOR_DEC (base);
  CsInstancesParams params;

  cs_instances_params_init (&params);
  self->on_host = base->host_executor != NULL;
  self->plan = cs_instances_new (&params, self->on_host ? base->host_executor :
      base->executor, error);
  return self->plan != NULL;
}

static void
tensor_dec_close (GstShapesTransform * base)
{
  g_clear_pointer (&GST_SHAPE_TENSOR_DEC (base)->plan, cs_instances_free);
}

static gboolean
tensor_dec_stop (GstBaseTransform * trans)
{
  GstShapeTensorDec *self = GST_SHAPE_TENSOR_DEC (trans);
  const gboolean ok = GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);

  gst_caps_replace (&self->caps, NULL);
  self->warned_no_tensors = self->warned_half_a_size = FALSE;
  return ok;
}

static void
tensor_dec_finalize (GObject * object)
{
  GstShapeTensorDec *self = GST_SHAPE_TENSOR_DEC (object);

  gst_caps_replace (&self->caps, NULL);
  gst_shapes_properties_clear (&properties, &self->settings);
  gst_shapes_properties_clear (&properties, &self->current);
  g_free (self->labels);
  cs_array_clear (&self->result.objects);
  cs_array_clear (&self->result.instances);
  cs_array_clear (&self->result.candidates);
  cs_array_clear (&self->result.scratch);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_tensor_dec_init (GstShapeTensorDec * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
  self->settings_changed = TRUE;
  cs_array_init (&self->result.objects, sizeof (DecObject));
  cs_array_init (&self->result.instances, sizeof (CsInstance));
  cs_array_init (&self->result.candidates, sizeof (DecObject));
  cs_array_init (&self->result.scratch, 1);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

#define ALL_CAPS "video/x-raw(ANY); other/tensors"

static void
gst_shape_tensor_dec_class_init (GstShapeTensorDecClass * klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = tensor_dec_finalize;
  gst_shapes_properties_bind (&properties, G_OBJECT_CLASS (klass),
      G_STRUCT_OFFSET (GstShapeTensorDec, settings),
      tensor_dec_settings_changed);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass), ALL_CAPS,
      ALL_CAPS, "Shapes of tensors", "Filter/Analyzer/Video",
      "Finds the polygons of objects in the tensors of YOLO-seg, RF-DETR-seg, "
      "Mask R-CNN and Segment Anything");

  trans_class->stop = tensor_dec_stop;
  trans_class->set_caps = tensor_dec_set_caps;
  trans_class->transform_ip = tensor_dec_transform_ip;
  shapes_class->open = tensor_dec_open;
  shapes_class->close = tensor_dec_close;
  shapes_class->passes_gaps = TRUE;
}
