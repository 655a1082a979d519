/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudacircles
 * @title: cudacircles
 * @short_description: paints semi-transparent circles in exact depth order
 *
 * Paints circles on video, up to millions of them: of built-in scenes, of a
 * file, added by the application, in the #GstShapeMeta of frames, and markers
 * around contours and regions of interest. Uses a GPU if there is one, else
 * the CPU.
 *
 * The picture is the one that painting circle by circle would give, from the
 * farthest (largest z) to the nearest, circles of equal depth in their given
 * order: each pixel becomes a * colour + (1 - a) * pixel, in single precision,
 * and is rounded once, at the end. It is the same, bit for bit, on the GPU, on
 * the CPU, and with any number of threads.
 *
 * Coordinates are pixels, whose centres are at integers; with
 * #GstCudaCircles:units normalized they are 0 to 1 across the frame and radii
 * fractions of its smaller side, as those of scenes always are. Circles that
 * are not finite, have no radius, or lie outside are skipped and counted in
 * #GstCudaCircles:circles-left-out.
 *
 * Accepts system memory and CUDA memory and paints in place; a shared frame is
 * copied first. Frames on which nothing is painted pass through untouched.
 * Shapes are rescaled if they were found at another frame size.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc pattern=black num-buffers=1 ! video/x-raw,format=RGBA,width=1024,height=1024 ! cudacircles scene=rand10k ! pngenc ! filesink location=rand10k.png
 * ]| Ten thousand circles as a picture.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacircles scene=snow ! videoconvert ! autovideosink
 * ]| Snow in the room.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! video/x-raw,format=NV12 ! cudacontours level=0.4 min-area=50 ! cudacircles from-contours=enclosing fill=false stroke-width=3 marker-color=0xffd55e00 ! videoconvert ! autovideosink
 * ]| A ring around each bright region of a camera's picture.
 * |[
 * gst-launch-1.0 videotestsrc ! cudacircles location=circles.txt background=white ! videoconvert ! autovideosink
 * ]| The circles of a file; a line of it is `320 240 50 0 #ff000080`.
 *
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudacircles.h"

#include <float.h>
#include <math.h>

#include <string.h>

#include <gst/video/video.h>

#include "circles/circles.h"
#include "gstcudacirclessettings.h"
#include "element/gstshapesaspect.h"
#include "element/gstshapesfile.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesframe.h"
#include "raster/raster.h"

GST_DEBUG_CATEGORY_STATIC (gst_cuda_circles_debug);
#define GST_CAT_DEFAULT gst_cuda_circles_debug

/* Prefix of errors. */
#define CANNOT "Cannot paint circles"

/* Some millions of circles, in bytes. */
#define MAX_FILE_SIZE ((gsize) 256 << 20)

/* In front of all circles of finite depth. */
#define MARKER_DEPTH (-FLT_MAX)

/* The farthest of scenes. */
#define SCENE_DEPTH 1.f

/* Frame rate if neither timestamps nor caps give one. */
#define DEFAULT_FRAME_RATE 30.

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_SHAPES_PICTURE_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (GST_SHAPES_PICTURE_CAPS));

enum
{
  SIGNAL_ADD_CIRCLE,
  SIGNAL_CLEAR_CIRCLES,
  N_SIGNALS,
};

static guint signals[N_SIGNALS];

/**
 * Painting:
 * @marks: primitives to paint (CsMark): first the static ones, then the rest
 * @depths: a float for each
 * @n_static: number of static ones
 * @static_skipped: circles that were left out of those
 * @moves_file: whether the circles of the file move
 * @moves_given: whether those of the property do
 * @version: changes whenever the static ones do
 * @is_current: whether it is valid for the current settings and size
 * @generation: of the settings that it was made for
 */
typedef struct
{
  CsArray *marks, *depths;
  guint n_static;
  gsize static_skipped;
  gboolean moves_file, moves_given;
  guint64 version;
  gboolean is_current;
  guint generation;
} Painting;

struct _GstCudaCircles
{
  GstShapesTransform parent;

  /* with the object lock */
  GstCudaCirclesSettings settings;

  /* streaming thread */
  GstCudaCirclesSettings current;       /* without location and circles */
  CsArray *file_circles;         /* of CsCircle; nullable */
  GstVideoInfo info;
  gboolean has_caps;
  guint64 n_frames;
  gboolean warned_no_points, warned_no_circles;
  GstShapesAspect aspect;

  CsArray *given;                /* of CsCircle: a copy of the settings' */
  CsArray *scratch;              /* of CsCircle */
  Painting painting;

  CsRaster *raster;
  GstShapesPictureStage stage;
};

#define gst_cuda_circles_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstCudaCircles, gst_cuda_circles,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_circles_debug, "cudacircles", 0,
        "paints circles"));
GST_ELEMENT_REGISTER_DEFINE (cudacircles, "cudacircles", GST_RANK_NONE,
    GST_TYPE_CUDA_CIRCLES);

/* Properties and signals */

static void
gst_cuda_circles_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (object);
  gchar problem[sizeof (self->settings.problem)];
  guint n_wrong;

  GST_OBJECT_LOCK (self);
  if (gst_shapes_properties_set (&gst_cuda_circles_properties, &self->settings,
          id, value) & GST_CUDA_CIRCLES_STATIC)
    self->settings.generation++;
  n_wrong = self->settings.n_wrong;
  self->settings.n_wrong = 0;
  memcpy (problem, self->settings.problem, sizeof (problem));
  GST_OBJECT_UNLOCK (self);
  if (n_wrong > 0)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("%u of the circles are left out; %s. A circle is a structure with the "
            "numbers x, y and r, and if wanted z, vx, vy and color, for "
            "instance [circle,x=320,y=240,r=50,color=(uint)0x80ff0000]; the "
            "first is circle 0.", n_wrong, problem), (NULL));
}

static void
gst_cuda_circles_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (object);

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_get (&gst_cuda_circles_properties, &self->settings, id,
      value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_cuda_circles_add_circle (GstCudaCircles * self, gdouble x, gdouble y,
    gdouble r, gdouble z, guint color)
{
  const CsCircle circle = { (gfloat) x, (gfloat) y, (gfloat) r, (gfloat) z,
    gst_cuda_circles_color_to_rgba (color)
  };
  gboolean added;

  GST_OBJECT_LOCK (self);
  added = cs_array_append_val (self->settings.circles, circle);
  self->settings.generation++;
  GST_OBJECT_UNLOCK (self);
  if (!added)
    GST_ELEMENT_WARNING (self, RESOURCE, NO_SPACE_LEFT,
        ("A circle is left out: there is no memory for more."), (NULL));
}

static void
gst_cuda_circles_clear_circles (GstCudaCircles * self)
{
  GST_OBJECT_LOCK (self);
  cs_array_empty (self->settings.circles);
  self->settings.generation++;
  GST_OBJECT_UNLOCK (self);
}

/* Snapshot of the properties for a frame. */
static void
take_settings (GstCudaCircles * self)
{
  Painting *painting = &self->painting;

  GST_OBJECT_LOCK (self);
  self->current = self->settings;
  if (!painting->is_current
      || painting->generation != self->settings.generation) {
    painting->is_current = FALSE;
    painting->generation = self->settings.generation;
    cs_array_empty (self->given);
    cs_array_append (self->given, self->settings.circles->data,
        self->settings.circles->len);
  }
  GST_OBJECT_UNLOCK (self);
  self->current.location = NULL;
  self->current.circles = NULL;
}

/* Sources of circles */

static gdouble
stream_seconds (GstCudaCircles * self, GstBuffer * buffer)
{
  const GstSegment *segment = &GST_BASE_TRANSFORM (self)->segment;
  const GstVideoInfo *info = &self->info;
  GstClockTime time = GST_CLOCK_TIME_NONE;
  gdouble rate = DEFAULT_FRAME_RATE;

  if (segment->format == GST_FORMAT_TIME && GST_BUFFER_PTS_IS_VALID (buffer))
    time = gst_segment_to_stream_time (segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (time))
    return (gdouble) time / GST_SECOND;
  if (GST_VIDEO_INFO_FPS_N (info) > 0 && GST_VIDEO_INFO_FPS_D (info) > 0)
    rate = (gdouble) GST_VIDEO_INFO_FPS_N (info) / GST_VIDEO_INFO_FPS_D (info);
  return self->n_frames / rate;
}

static CsCirclesStyle
make_style (GstCudaCircles * self, gboolean normalized)
{
  return (CsCirclesStyle) {
  .fill = self->current.fill,.stroke_width =
        (gfloat) self->current.stroke_width,.stroke_rgba =
        gst_cuda_circles_color_to_rgba (self->current.stroke_color),
        .normalized = normalized};
}

/* Returns: number of circles skipped */
static gsize
append_circles (GstCudaCircles * self, const CsCircle * circles, gsize n,
    gboolean normalized)
{
  const CsCirclesStyle style = make_style (self, normalized);

  return cs_circles_to_marks (circles, n, &style,
      (guint) GST_VIDEO_INFO_WIDTH (&self->info),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->info), self->painting.marks,
      self->painting.depths);
}

static gsize
append_array (GstCudaCircles * self, const CsArray * circles,
    gboolean normalized)
{
  return append_circles (self, (const CsCircle *) circles->data, circles->len,
      normalized);
}

/* Returns: number of circles skipped */
static gsize
append_scene (GstCudaCircles * self, gdouble seconds)
{
  const CsScene scene = self->current.scene;
  gsize i;

  cs_array_empty (self->scratch);
  if (!cs_array_set_size (self->scratch, cs_scene_get_n_circles (scene))) {
    self->painting.marks->failed = TRUE;
    return 0;
  }
  cs_scene_make (scene, self->current.seed, seconds,
      (CsCircle *) self->scratch->data);
  /* equal depths keep the order of the array */
  if (self->current.scene_order == GST_CUDA_CIRCLES_ORDER_ARRAY)
    for (i = 0; i < self->scratch->len; i++)
      cs_array_index (self->scratch, CsCircle, i).z = SCENE_DEPTH;
  return append_array (self, self->scratch, TRUE);
}

/* Of the file and the property. */
static gboolean
is_moving (GstCudaCircles * self, const CsArray * circles)
{
  const CsMotion motion = { self->current.gravity, self->current.bounce };

  return cs_circles_are_moving ((const CsCircle *) circles->data, circles->len,
      &motion);
}

/* Circles where they are at a time. Returns: number of circles skipped */
static gsize
append_moved (GstCudaCircles * self, const CsArray * circles, gdouble seconds)
{
  const CsMotion motion = { self->current.gravity, self->current.bounce };
  const gboolean normalized =
      self->current.units == GST_CUDA_CIRCLES_UNITS_NORMALIZED;

  cs_array_empty (self->scratch);
  if (!cs_array_set_size (self->scratch, circles->len)) {
    self->painting.marks->failed = TRUE;
    return 0;
  }
  cs_circles_move ((const CsCircle *) circles->data, circles->len, &motion,
      normalized, (guint) GST_VIDEO_INFO_WIDTH (&self->info),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->info), seconds,
      (CsCircle *) self->scratch->data);
  return append_array (self, self->scratch, normalized);
}

/* Returns: number of circles skipped */
static gsize
append_moving (GstCudaCircles * self, gdouble seconds)
{
  gsize n = 0;

  if (self->painting.moves_file)
    n += append_moved (self, self->file_circles, seconds);
  if (self->painting.moves_given)
    n += append_moved (self, self->given, seconds);
  return n;
}

/* Static circles, valid until a property or the size changes. */
static void
collect_static (GstCudaCircles * self)
{
  const gboolean normalized =
      self->current.units == GST_CUDA_CIRCLES_UNITS_NORMALIZED;
  Painting *painting = &self->painting;

  cs_array_empty (painting->marks);
  cs_array_empty (painting->depths);
  painting->static_skipped = 0;
  if (!cs_scene_is_animated (self->current.scene))
    painting->static_skipped += append_scene (self, 0.);
  painting->moves_file = self->file_circles && is_moving (self,
      self->file_circles);
  painting->moves_given = is_moving (self, self->given);
  if (self->file_circles && !painting->moves_file)
    painting->static_skipped += append_array (self, self->file_circles,
        normalized);
  if (!painting->moves_given)
    painting->static_skipped += append_array (self, self->given, normalized);
  painting->n_static = painting->marks->len;
  painting->version++;
  painting->is_current = TRUE;
}

/* Mapping from the coordinate space of a shape set to the frame. */
typedef struct
{
  gfloat scale_x, scale_y, scale_r;
} Mapping;

static Mapping
make_mapping (GstCudaCircles * self, const GstShapeSet * set)
{
  const guint width = gst_shape_set_get_width (set);
  const guint height = gst_shape_set_get_height (set);
  Mapping mapping = { 1.f, 1.f, 1.f };

  if (width > 0 && height > 0) {
    mapping.scale_x = (gfloat) GST_VIDEO_INFO_WIDTH (&self->info) / width;
    mapping.scale_y = (gfloat) GST_VIDEO_INFO_HEIGHT (&self->info) / height;
    mapping.scale_r = sqrtf (mapping.scale_x * mapping.scale_y);
  }
  return mapping;
}

static void
take_circle (GstCudaCircles * self, const Mapping * mapping, CsCircle circle)
{
  circle.x = (circle.x + .5f) * mapping->scale_x - .5f;
  circle.y = (circle.y + .5f) * mapping->scale_y - .5f;
  circle.r *= mapping->scale_r;
  cs_array_append_val (self->scratch, circle);
}

static void
take_circles (GstCudaCircles * self, const Mapping * mapping,
    const GstShapeArrays * arrays)
{
  gsize i;

  for (i = 0; i < arrays->n_shapes; i++) {
    const GstShapeCircle *c = &arrays->circles[i];

    take_circle (self, mapping, (CsCircle) {
        c->x, c->y, c->r, c->z, c->rgba});
  }
}

static void
warn_no_points (GstCudaCircles * self)
{
  if (self->warned_no_points)
    return;
  self->warned_no_points = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("The contours come without points, so there are no circles around them: "
          "set measures-only=false of cudacontours, or "
          "from-contours=equivalent."), (NULL));
}

/* The marker of polyline @i; of radius 0 for none. */
static CsCircle
make_marker (GstCudaCircles * self, const GstShapeArrays * arrays, gsize i)
{
  const GstShapePolyline *polyline = &arrays->polylines[i];
  gdouble x = polyline->centroid_x, y = polyline->centroid_y;
  gdouble r = sqrt (fabs (polyline->area) / G_PI);

  if (self->current.from_contours == GST_CUDA_CIRCLES_MARKERS_ENCLOSING
      && !cs_enclosing_circle (&arrays->points[arrays->offsets[i]].x,
          arrays->offsets[i + 1] - arrays->offsets[i], &x, &y, &r))
    r = 0.;
  return (CsCircle) {
  (gfloat) x, (gfloat) y, (gfloat) r, MARKER_DEPTH,
        gst_cuda_circles_color_to_rgba (self->current.marker_color)};
}

/* Markers of the polylines of one kind. Returns: whether there are any */
static gboolean
take_markers (GstCudaCircles * self, const Mapping * mapping,
    const GstShapeArrays * arrays, GstShapeKind kind)
{
  gboolean any = FALSE;
  gsize i;

  if (!arrays->points
      && self->current.from_contours == GST_CUDA_CIRCLES_MARKERS_ENCLOSING) {
    if (arrays->n_shapes > 0)
      warn_no_points (self);
    return FALSE;
  }
  for (i = 0; i < arrays->n_shapes; i++) {
    const GstShapePolyline *polyline = &arrays->polylines[i];

    if (polyline->kind != kind)
      continue;
    any = TRUE;
    if (!(polyline->flags & GST_SHAPE_FLAG_HOLE))
      take_circle (self, mapping, make_marker (self, arrays, i));
  }
  return any;
}

static const GstShapeArrays *
map_layer (GstCudaCircles * self, GstShapeLayer * layer)
{
  GError *error = NULL;
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, &error);

  if (!arrays) {
    GST_ELEMENT_ERROR (self, RESOURCE, READ,
        ("The shapes of a frame cannot be read."),
        ("%s", error ? error->message : "no reason given"));
    g_clear_error (&error);
  }
  return arrays;
}

/* Markers of all polylines of one kind in @set. Returns: FALSE after posting an
 * error */
static gboolean
mark_kind (GstCudaCircles * self, GstShapeSet * set, GstShapeKind kind,
    gboolean * any)
{
  const Mapping mapping = make_mapping (self, set);
  guint i;

  for (i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);
    const GstShapeArrays *arrays;

    if (gst_shape_layer_get_layer_type (layer) != GST_SHAPE_LAYER_POLYLINES
        || gst_shape_layer_get_n_shapes (layer) == 0)
      continue;
    arrays = map_layer (self, layer);
    if (!arrays)
      return FALSE;
    *any |= take_markers (self, &mapping, arrays, kind);
  }
  return TRUE;
}

static void
check_aspect (GstCudaCircles * self, const GstShapeSet * set)
{
  gst_shapes_aspect_check (&self->aspect, GST_ELEMENT_CAST (self), set,
      &self->info);
}

static gboolean
mark_contours (GstCudaCircles * self, GstShapeSet * set)
{
  gboolean any = FALSE;

  if (!mark_kind (self, set, GST_SHAPE_KIND_CONTOUR, &any)
      || (!any && !mark_kind (self, set, GST_SHAPE_KIND_HULL, &any)))
    return FALSE;
  if (any)
    check_aspect (self, set);
  return TRUE;
}

static gboolean
take_set (GstCudaCircles * self, GstShapeSet * set)
{
  const Mapping mapping = make_mapping (self, set);
  guint i;

  for (i = 0; self->current.from_circles
      && i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);
    const GstShapeArrays *arrays;

    if (gst_shape_layer_get_layer_type (layer) != GST_SHAPE_LAYER_CIRCLES
        || gst_shape_layer_get_n_shapes (layer) == 0)
      continue;
    arrays = map_layer (self, layer);
    if (!arrays)
      return FALSE;
    check_aspect (self, set);
    take_circles (self, &mapping, arrays);
  }
  return self->current.from_contours == GST_CUDA_CIRCLES_MARKERS_NONE
      || mark_contours (self, set);
}

/* The circle through the corners of each region. */
static void
take_regions (GstCudaCircles * self, GstBuffer * buffer)
{
  const guint32 rgba = gst_cuda_circles_color_to_rgba
      (self->current.marker_color);
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *roi =
        (GstVideoRegionOfInterestMeta *) meta;
    const CsCircle circle = {
      (gfloat) (roi->x + .5 * roi->w - .5),
      (gfloat) (roi->y + .5 * roi->h - .5),
      (gfloat) (.5 * hypot (roi->w, roi->h)), MARKER_DEPTH, rgba
    };

    cs_array_append_val (self->scratch, circle);
  }
}

/* Whether no allocation failed. */
static gboolean
collected_all (GstCudaCircles * self)
{
  const Painting *painting = &self->painting;

  return !self->given->failed && !self->scratch->failed
      && !painting->marks->failed && !painting->depths->failed;
}

static gboolean
fail_collecting (GstCudaCircles * self)
{
  /* collect static circles again for the next frame */
  self->painting.is_current = FALSE;
  GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT,
      ("There is not enough memory for the circles of a frame: paint fewer."),
      ("after %" G_GSIZE_FORMAT " marks", self->painting.marks->len));
  return FALSE;
}

/* Whether the properties say what to paint. */
static gboolean
has_own_circles (const GstCudaCircles * self)
{
  return self->current.scene != CS_SCENE_NONE || self->file_circles
      || self->given->len > 0 || self->current.from_roi;
}

/* Neither properties nor the frame say what to paint. */
static void
warn_no_circles (GstCudaCircles * self)
{
  if (self->warned_no_circles || has_own_circles (self))
    return;
  self->warned_no_circles = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("There are no circles to paint: set scene, location or circles, or put "
          "an element that finds shapes upstream, such as cudacontours with "
          "from-contours=enclosing of cudacircles."), (NULL));
}

/* The frame has contours or hulls, which nothing asks for, and no circles. */
static void
warn_unmarked (GstCudaCircles * self, GstShapeSet * set)
{
  guint i;

  if (self->warned_no_circles || has_own_circles (self)
      || self->current.from_contours != GST_CUDA_CIRCLES_MARKERS_NONE
      || self->scratch->len > 0)
    return;
  for (i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_POLYLINES
        && gst_shape_layer_get_n_shapes (layer) > 0)
      break;
  }
  if (i == gst_shape_set_get_n_layers (set))
    return;
  self->warned_no_circles = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("There are no circles to paint, and the contours of the frames are not "
          "marked: set from-contours=enclosing or from-contours=equivalent."),
      (NULL));
}

/* Collects the circles of @buffer. Returns: FALSE after posting an error */
static gboolean
collect (GstCudaCircles * self, GstBuffer * buffer)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  Painting *painting = &self->painting;
  gsize n_left_out;

  if (!painting->is_current)
    collect_static (self);
  cs_array_set_size (painting->marks, painting->n_static);
  cs_array_set_size (painting->depths, painting->n_static);
  n_left_out = painting->static_skipped;
  if (!collected_all (self))
    return fail_collecting (self);
  n_left_out += append_moving (self, stream_seconds (self, buffer));
  if (cs_scene_is_animated (self->current.scene))
    n_left_out += append_scene (self, stream_seconds (self, buffer));

  cs_array_empty (self->scratch);
  if (!set)
    warn_no_circles (self);
  if (set && !take_set (self, set))
    return FALSE;
  if (set)
    warn_unmarked (self, set);
  if (self->current.from_roi)
    take_regions (self, buffer);
  n_left_out += append_array (self, self->scratch, FALSE);
  if (!collected_all (self))
    return fail_collecting (self);

  GST_OBJECT_LOCK (self);
  self->settings.n_left_out = n_left_out;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}

/* Painting */

static gboolean
changes_frame (GstCudaCircles * self)
{
  return self->current.background != CS_BACKGROUND_FRAME
      || (self->painting.marks->len > 0 && self->current.opacity > 0.);
}

/* A frame must be writable only if there is something to paint: collect the
 * circles here, before the base class makes a copy. */
static GstFlowReturn
gst_cuda_circles_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * input, GstBuffer ** output)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);

  if (!self->has_caps)
    return gst_shapes_post_no_caps (GST_ELEMENT_CAST (self));
  GST_BASE_TRANSFORM_CLASS (parent_class)->before_transform (trans, input);
  take_settings (self);
  if (!collect (self, input))
    return GST_FLOW_ERROR;
  self->n_frames++;
  if (!changes_frame (self)) {
    *output = input;
    return GST_FLOW_OK;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->prepare_output_buffer (trans,
      input, output);
}

static gboolean
run_raster (GstCudaCircles * self, const CsPicture * picture, GError ** error)
{
  const Painting *painting = &self->painting;
  const gboolean over_frame =
      self->current.background == CS_BACKGROUND_FRAME;
  const gboolean still = painting->marks->len == painting->n_static;
  const CsMarks marks = {
    .marks = (const CsMark *) painting->marks->data,
    .depths = (const gfloat *) painting->depths->data,
    .n = painting->marks->len,
    .memory = CS_MEMORY_HOST,
    .version = still ? painting->version : 0,
  };
  CsRasterSettings settings;

  cs_raster_settings_init (&settings);
  settings.background = self->current.background;
  settings.antialias = self->current.antialias;
  settings.linear = self->current.linear;
  settings.opacity = (gfloat) self->current.opacity;
  return cs_raster_run (self->raster, &marks, &settings,
      over_frame ? picture : NULL, picture, error);
}

/* The context is current. */
static gboolean
paint (GstCudaCircles * self, GstBuffer * buffer, GError ** error)
{
  const GstMapFlags flags = self->current.background == CS_BACKGROUND_FRAME ?
      GST_MAP_READWRITE : GST_MAP_WRITE;
  GstShapesPicture picture;
  gboolean painted;

  if (!gst_shapes_picture_map (&picture, &self->stage, &self->info, buffer,
          flags, error))
    return FALSE;
  painted = run_raster (self, &picture.picture, error);
  return gst_shapes_picture_unmap (&picture, painted, painted ? error : NULL)
      && painted;
}

static GstFlowReturn
gst_cuda_circles_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;

  if (!changes_frame (self))
    return GST_FLOW_OK;
  if (!gst_shapes_transform_begin (base, buffer))
    return GST_FLOW_ERROR;
  if (paint (self, buffer, &error)) {
    /* painted: no longer a gap */
    GST_BUFFER_FLAG_UNSET (buffer, GST_BUFFER_FLAG_GAP);
  } else {
    flow = gst_shapes_transform_fail_buffer (base, CANNOT, buffer, error);
    g_clear_error (&error);
  }
  gst_shapes_transform_end (base);
  return flow;
}

/* Negotiation */

static gboolean
gst_cuda_circles_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);

  if (!gst_video_info_from_caps (&self->info, incaps)) {
    GST_ERROR_OBJECT (self, "invalid caps %" GST_PTR_FORMAT,
        incaps);
    return FALSE;
  }
  self->has_caps = TRUE;
  self->painting.is_current = FALSE;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
      outcaps);
}

static gboolean
gst_cuda_circles_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
          decide_query, query))
    return FALSE;
  gst_shapes_propose_meta (query, GST_VIDEO_META_API_TYPE);
  return TRUE;
}

/* A new segment or flush resets the frame counter. */
static gboolean
gst_cuda_circles_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  if (GST_EVENT_TYPE (event) == GST_EVENT_FLUSH_STOP)
    GST_CUDA_CIRCLES (trans)->n_frames = 0;
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

/* Life cycle */

static gboolean
parse_file (GstCudaCircles * self, const gchar * location, const gchar * text,
    gsize length)
{
  GError *error = NULL;

  self->file_circles = cs_scene_parse (text, length, &error);
  if (!self->file_circles) {
    GST_ELEMENT_ERROR (self, STREAM, DECODE,
        ("The scene file \"%s\" has an error in %s.", location,
            error->message), (NULL));
    g_clear_error (&error);
  }
  return self->file_circles != NULL;
}

static gboolean
load_file (GstCudaCircles * self, const gchar * location)
{
  GError *error = NULL;
  gchar *text;
  gsize length;
  gboolean ok;

  if (!gst_shapes_file_load (location, MAX_FILE_SIZE, &text, &length,
          &error)) {
    GST_ELEMENT_ERROR (self, RESOURCE, OPEN_READ,
        ("The scene file cannot be read: %s.", error->message), (NULL));
    g_clear_error (&error);
    return FALSE;
  }
  ok = parse_file (self, location, text, length);
  g_free (text);
  return ok;
}

static gboolean
gst_cuda_circles_start (GstBaseTransform * trans)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);
  gchar *location;
  gboolean ok;

  GST_OBJECT_LOCK (self);
  location = g_strdup (self->settings.location);
  self->settings.n_left_out = 0;
  GST_OBJECT_UNLOCK (self);
  self->n_frames = 0;
  self->painting.is_current = FALSE;
  ok = (!location || load_file (self, location))
      && GST_BASE_TRANSFORM_CLASS (parent_class)->start (trans);
  if (!ok)
    g_clear_pointer (&self->file_circles, cs_array_free);
  g_free (location);
  return ok;
}

static gboolean
gst_cuda_circles_stop (GstBaseTransform * trans)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (trans);

  g_clear_pointer (&self->file_circles, cs_array_free);
  self->has_caps = FALSE;
  self->warned_no_points = self->warned_no_circles = FALSE;
  gst_shapes_aspect_reset (&self->aspect);
  return GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);
}

static gboolean
gst_cuda_circles_open (GstShapesTransform * base, GError ** error)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (base);

  gst_shapes_picture_stage_init (&self->stage, base->slabs, base->context,
      base->stream);
  self->raster = cs_raster_new (base->executor, error);
  return self->raster != NULL;
}

static void
gst_cuda_circles_close (GstShapesTransform * base)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (base);

  g_clear_pointer (&self->raster, cs_raster_free);
  gst_shapes_picture_stage_clear (&self->stage);
}

static void
gst_cuda_circles_init (GstCudaCircles * self)
{
  gst_shapes_properties_init (&gst_cuda_circles_properties, &self->settings);
  self->settings.circles = cs_array_new (sizeof (CsCircle));
  self->given = cs_array_new (sizeof (CsCircle));
  self->scratch = cs_array_new (sizeof (CsCircle));
  self->painting.marks = cs_array_new (sizeof (CsMark));
  self->painting.depths = cs_array_new (sizeof (gfloat));
  gst_video_info_init (&self->info);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_cuda_circles_finalize (GObject * object)
{
  GstCudaCircles *self = GST_CUDA_CIRCLES (object);

  gst_shapes_properties_clear (&gst_cuda_circles_properties, &self->settings);
  cs_array_free (self->settings.circles);
  cs_array_free (self->given);
  cs_array_free (self->scratch);
  cs_array_free (self->painting.marks);
  cs_array_free (self->painting.depths);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
install_signals (GstCudaCirclesClass * klass)
{
  const GSignalFlags flags = G_SIGNAL_RUN_LAST | G_SIGNAL_ACTION;

  /**
   * GstCudaCircles::add-circle:
   * @circles: the element
   * @x: centre
   * @y: centre
   * @r: radius
   * @z: depth; larger is farther
   * @color: 0xAARRGGBB
   *
   * Adds a circle to #GstCudaCircles:circles, from the next frame on.
   * Thread-safe.
   */
  signals[SIGNAL_ADD_CIRCLE] =
      g_signal_new_class_handler ("add-circle", G_TYPE_FROM_CLASS (klass),
      flags, G_CALLBACK (gst_cuda_circles_add_circle), NULL, NULL, NULL,
      G_TYPE_NONE, 5, G_TYPE_DOUBLE, G_TYPE_DOUBLE, G_TYPE_DOUBLE,
      G_TYPE_DOUBLE, G_TYPE_UINT);

  /**
   * GstCudaCircles::clear-circles:
   * @circles: the element
   *
   * Removes all circles from #GstCudaCircles:circles. Thread-safe.
   */
  signals[SIGNAL_CLEAR_CIRCLES] =
      g_signal_new_class_handler ("clear-circles", G_TYPE_FROM_CLASS (klass),
      flags, G_CALLBACK (gst_cuda_circles_clear_circles), NULL, NULL, NULL,
      G_TYPE_NONE, 0);
}

static void
gst_cuda_circles_class_init (GstCudaCirclesClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_cuda_circles_set_property;
  object_class->get_property = gst_cuda_circles_get_property;
  object_class->finalize = gst_cuda_circles_finalize;
  gst_shapes_properties_install (&gst_cuda_circles_properties, object_class);
  install_signals (klass);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Circle painter",
      "Filter/Effect/Video",
      "Paints semi-transparent circles in exact depth order: scenes, files, "
      "shapes and regions of interest",
      "The gst-cudashapes authors");

  trans_class->start = gst_cuda_circles_start;
  trans_class->stop = gst_cuda_circles_stop;
  trans_class->set_caps = gst_cuda_circles_set_caps;
  trans_class->get_unit_size = gst_shapes_get_video_unit_size;
  trans_class->sink_event = gst_cuda_circles_sink_event;
  trans_class->propose_allocation = gst_cuda_circles_propose_allocation;
  trans_class->prepare_output_buffer = gst_cuda_circles_prepare_output_buffer;
  trans_class->transform_ip = gst_cuda_circles_transform_ip;
  shapes_class->open = gst_cuda_circles_open;
  shapes_class->close = gst_cuda_circles_close;
}
