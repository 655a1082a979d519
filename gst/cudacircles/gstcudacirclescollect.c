/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From scenes, files, properties, shapes and regions of interest to marks. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "circles/circles.h"
#include "gstcudacirclesprivate.h"
#include "element/gstshapesmessage.h"

/* In front of all circles of finite depth. */
#define MARKER_DEPTH (-FLT_MAX)

/* The farthest of scenes. */
#define SCENE_DEPTH 1.f

/* Frame rate if neither timestamps nor caps give one. */
#define DEFAULT_FRAME_RATE 30.

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
        circles_color_to_rgba (self->current.stroke_color),
        .normalized = normalized,.gradients = self->painting.gradients,
        .gradient = self->painting.gradient};
}

/* @offset: of circles' gradients. Returns: number of circles skipped */
static gsize
append_array (GstCudaCircles * self, const CsArray * circles,
    gboolean normalized, guint32 offset)
{
  CsCirclesStyle style = make_style (self, normalized);

  style.offset = offset;
  return cs_circles_to_marks ((const CsCircle *) circles->data, circles->len,
      &style, (guint) GST_VIDEO_INFO_WIDTH (&self->info),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->info), self->painting.marks,
      self->painting.depths);
}

/* Returns: number of circles skipped */
static gsize
append_scene (GstCudaCircles * self, gdouble seconds)
{
  const CsScene scene = self->current.scene;

  cs_array_empty (self->scratch);
  if (!cs_array_set_size (self->scratch, cs_scene_get_n_circles (scene))) {
    self->painting.marks->failed = TRUE;
    return 0;
  }
  cs_scene_make (scene, self->current.seed, seconds,
      (CsCircle *) self->scratch->data);
  /* equal depths keep the order of the array */
  if (self->current.scene_order == CIRCLES_ORDER_ARRAY)
    for (gsize i = 0; i < self->scratch->len; i++)
      cs_array_index (self->scratch, CsCircle, i).z = SCENE_DEPTH;
  return append_array (self, self->scratch, TRUE, 0);
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
append_moved (GstCudaCircles * self, const CsArray * circles, gdouble seconds,
    guint32 offset)
{
  const CsMotion motion = { self->current.gravity, self->current.bounce };
  const gboolean normalized = self->current.units == CIRCLES_UNITS_NORMALIZED;

  cs_array_empty (self->scratch);
  if (!cs_array_set_size (self->scratch, circles->len)) {
    self->painting.marks->failed = TRUE;
    return 0;
  }
  cs_circles_move ((const CsCircle *) circles->data, circles->len, &motion,
      normalized, (guint) GST_VIDEO_INFO_WIDTH (&self->info),
      (guint) GST_VIDEO_INFO_HEIGHT (&self->info), seconds,
      (CsCircle *) self->scratch->data);
  return append_array (self, self->scratch, normalized, offset);
}

/* Returns: number of circles skipped */
static gsize
append_moving (GstCudaCircles * self, gdouble seconds)
{
  gsize n = 0;

  if (self->painting.moves_file)
    n += append_moved (self, self->file_circles, seconds,
        self->painting.file_offset);
  if (self->painting.moves_given)
    n += append_moved (self, self->given, seconds, self->painting.given_offset);
  return n;
}

static void
take_gradient (GstCudaCircles * self, const gchar * text)
{
  g_autoptr (GError) error = NULL;

  if (cs_gradient_set_add (self->painting.gradients, text, strlen (text),
          circles_read_color, &self->painting.gradient, &error))
    return;
  self->painting.gradient = 0;
  GST_SHAPES_WARNING (self, LIBRARY, SETTINGS,
      "Circles are painted without gradient=\"%s\": %s.", text, error->message);
}

static void
collect_gradients (GstCudaCircles * self)
{
  CirclesPainting *painting = &self->painting;

  cs_gradient_set_empty (painting->gradients);
  painting->gradient = 0;
  if (self->gradient && *self->gradient)
    take_gradient (self, self->gradient);
  painting->file_offset = cs_gradient_set_append (painting->gradients,
      self->file_gradients);
  painting->given_offset = cs_gradient_set_append (painting->gradients,
      self->given_gradients);
  painting->gradients_view = cs_gradient_set_get (painting->gradients);
}

/* Static circles, valid until a property or the size changes. */
static void
collect_static (GstCudaCircles * self)
{
  const gboolean normalized = self->current.units == CIRCLES_UNITS_NORMALIZED;
  CirclesPainting *painting = &self->painting;

  cs_array_empty (painting->marks);
  cs_array_empty (painting->depths);
  painting->static_skipped = 0;
  collect_gradients (self);
  if (!cs_scene_is_animated (self->current.scene))
    painting->static_skipped += append_scene (self, 0.);
  painting->moves_file = self->file_circles && is_moving (self,
      self->file_circles);
  painting->moves_given = is_moving (self, self->given);
  if (self->file_circles && !painting->moves_file)
    painting->static_skipped += append_array (self, self->file_circles,
        normalized, painting->file_offset);
  if (!painting->moves_given)
    painting->static_skipped += append_array (self, self->given, normalized,
        painting->given_offset);
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

/* The marker of polyline @i; of radius 0 for none. */
static CsCircle
make_marker (GstCudaCircles * self, const GstShapeArrays * arrays, gsize i)
{
  GstShapePolyline measured;
  gdouble x, y, r;

  if (self->current.from_contours == CIRCLES_MARKERS_ENCLOSING) {
    if (!cs_enclosing_circle (&arrays->points[arrays->offsets[i]].x,
            arrays->offsets[i + 1] - arrays->offsets[i], &x, &y, &r))
      x = y = r = 0.;
  } else {
    gst_shape_arrays_get_measures (arrays, i, &measured);
    x = measured.centroid_x;
    y = measured.centroid_y;
    r = sqrt (fabs (measured.area) / G_PI);
    if (isnan (x) && !arrays->points)
      GST_SHAPES_WARN_ONCE (self, self->warned_no_measures, LIBRARY, SETTINGS,
          "The contours come without points and without a centroid, so there "
          "are no circles for them: set measures-only=false or measures=basic "
          "of cudacontours.");
    if (isnan (x) || isnan (y) || isnan (r))
      x = y = r = 0.;
  }
  return (CsCircle) {
  (gfloat) x, (gfloat) y, (gfloat) r, MARKER_DEPTH,
        circles_color_to_rgba (self->current.marker_color)};
}

/* Markers of the polylines of one kind. Returns: whether there are any */
static gboolean
take_markers (GstCudaCircles * self, const Mapping * mapping,
    const GstShapeArrays * arrays, GstShapeKind kind)
{
  gboolean any = FALSE;

  if (!arrays->points
      && self->current.from_contours == CIRCLES_MARKERS_ENCLOSING) {
    if (arrays->n_shapes > 0)
      GST_SHAPES_WARN_ONCE (self, self->warned_no_points, LIBRARY, SETTINGS,
          "The contours come without points, so there are no circles around "
          "them: set measures-only=false of cudacontours, or "
          "from-contours=equivalent.");
    return FALSE;
  }
  for (gsize i = 0; i < arrays->n_shapes; i++) {
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
    GST_SHAPES_ERROR_FULL (self, RESOURCE, READ,
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

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (gst_shape_layer_get_layer_type (layer) != GST_SHAPE_LAYER_POLYLINES
        || gst_shape_layer_get_n_shapes (layer) == 0)
      continue;
    const GstShapeArrays *arrays = map_layer (self, layer);
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

  for (guint i = 0; self->current.from_circles
      && i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (gst_shape_layer_get_layer_type (layer) != GST_SHAPE_LAYER_CIRCLES
        || gst_shape_layer_get_n_shapes (layer) == 0)
      continue;
    const GstShapeArrays *arrays = map_layer (self, layer);
    if (!arrays)
      return FALSE;
    check_aspect (self, set);
    for (gsize k = 0; k < arrays->n_shapes; k++) {
      const GstShapeCircle *c = &arrays->circles[k];

      take_circle (self, &mapping, (CsCircle) {
          c->x, c->y, c->r, c->z, c->rgba});
    }
  }
  return self->current.from_contours == CIRCLES_MARKERS_NONE
      || mark_contours (self, set);
}

/* The circle through the corners of each region. */
static void
take_regions (GstCudaCircles * self, GstBuffer * buffer)
{
  const guint32 rgba = circles_color_to_rgba (self->current.marker_color);
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
  const CirclesPainting *painting = &self->painting;

  return !self->given->failed && !self->scratch->failed
      && !cs_gradient_set_has_failed (self->given_gradients)
      && !cs_gradient_set_has_failed (painting->gradients)
      && !painting->marks->failed && !painting->depths->failed;
}

static gboolean
fail_collecting (GstCudaCircles * self)
{
  /* collect static circles again for the next frame */
  self->painting.is_current = FALSE;
  GST_SHAPES_ERROR_FULL (self, RESOURCE, NO_SPACE_LEFT,
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

/* The frame has contours or hulls, which nothing asks for, and no circles. */
static void
warn_unmarked (GstCudaCircles * self, GstShapeSet * set)
{
  guint i;

  if (self->warned_no_circles || has_own_circles (self)
      || self->current.from_contours != CIRCLES_MARKERS_NONE
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
  GST_SHAPES_WARNING (self, LIBRARY, SETTINGS,
      "There are no circles to paint, and the contours of the frames are not "
      "marked: set from-contours=enclosing or from-contours=equivalent.");
}

gboolean
circles_collect (GstCudaCircles * self, GstBuffer * buffer)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  CirclesPainting *painting = &self->painting;

  if (!painting->is_current)
    collect_static (self);
  cs_array_set_size (painting->marks, painting->n_static);
  cs_array_set_size (painting->depths, painting->n_static);
  gsize n_left_out = painting->static_skipped;
  if (!collected_all (self))
    return fail_collecting (self);
  n_left_out += append_moving (self, stream_seconds (self, buffer));
  if (cs_scene_is_animated (self->current.scene))
    n_left_out += append_scene (self, stream_seconds (self, buffer));

  cs_array_empty (self->scratch);
  if (!set && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) &&
      !has_own_circles (self))
    GST_SHAPES_WARN_ONCE (self, self->warned_no_circles, LIBRARY, SETTINGS,
        "There are no circles to paint: set scene, location or circles, or put "
        "an element that finds shapes upstream, such as cudacontours with "
        "from-contours=enclosing of cudacircles.");
  if (set && !take_set (self, set))
    return FALSE;
  if (set)
    warn_unmarked (self, set);
  if (self->current.from_roi)
    take_regions (self, buffer);
  n_left_out += append_array (self, self->scratch, FALSE, 0);
  if (!collected_all (self))
    return fail_collecting (self);

  GST_OBJECT_LOCK (self);
  self->settings.n_left_out = n_left_out;
  GST_OBJECT_UNLOCK (self);
  return TRUE;
}
