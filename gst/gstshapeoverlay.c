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
 * behind a scaler, the shapes are rescaled: (x + 0.5) * s - 0.5.
 *
 * Works in place, in system memory on the CPU and in CUDA memory on the GPU.
 * Frames on which nothing is drawn pass through as they are, without being
 * mapped or made writable. Other frames that are too short for the caps, or
 * whose GstVideoMeta is wrong, are dropped and counted in
 * #GstShapeOverlay:dropped. Contours are filled on the CPU: with
 * #GstShapeOverlay:fill-opacity frames in CUDA memory make the way to the host
 * and back.
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
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeoverlay.h"

#include <math.h>
#include <stdlib.h>

#include <gst/video/video.h>

#include "base/memory.h"
#include "gstshapeoverlaydevice.h"
#include "gstshapeoverlayfill.h"
#include "gstshapeoverlayhost.h"
#include "gstshapeoverlaymarks.h"
#include "gstshaperaster.h"
#include "element/gstshapescompute.h"
#include "element/gstshapesdrops.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesproperties.h"
#include "shapes/gstshapes.h"
#include "shapes/gstshapesenum.h"

GST_DEBUG_CATEGORY_STATIC (gst_shape_overlay_debug);
#define GST_CAT_DEFAULT gst_shape_overlay_debug

#define FORMATS "{ RGBA, BGRA, ARGB, ABGR, RGBx, BGRx, xRGB, xBGR, RGB, BGR, " \
    "NV12, NV21, I420, YV12, Y42B, Y444, GRAY8 }"

#ifdef HAVE_CUDA
#define TEMPLATE_CAPS GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("memory:CUDAMemory", \
    GST_SHAPES_PICTURE_CUDA_FORMATS) "; " GST_VIDEO_CAPS_MAKE (FORMATS)
#else
#define TEMPLATE_CAPS GST_VIDEO_CAPS_MAKE (FORMATS)
#endif

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (TEMPLATE_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (TEMPLATE_CAPS));

/* Categorical colours that stay apart with the common kinds of colour vision:
 * those of Okabe and Ito, "Color Universal Design" (2008), without black, in an
 * order that suits photographs. */
static const guint32 default_colors[] = {
  0xff56b4e9,                   /* sky blue */
  0xffe69f00,                   /* orange */
  0xff009e73,                   /* bluish green */
  0xfff0e442,                   /* yellow */
  0xffcc79a7,                   /* reddish purple */
  0xffd55e00,                   /* vermillion */
  0xff0072b2,                   /* blue */
};

/* What errors begin with. */
#define CANNOT "Cannot draw on a frame"

/* How much white hulls are mixed with, out of 256. */
#define HULL_LIGHTEN 96

typedef struct
{
  gdouble line_width;
  GstShapeOverlayColorMode color_mode;
  guint32 color;
  gdouble opacity, fill_opacity;
  gboolean draw_contours, draw_hulls, draw_circles, draw_points;
  guint n_threads;
  GArray *colors;
} Settings;

struct _GstShapeOverlay
{
  GstBaseTransform parent;

  /* properties, with the object lock */
  Settings settings;

  GstShapesDrops drops;

  /* streaming thread */
  GstVideoInfo info;
  CsExecutor *executor;
  guint executor_threads;
  GstShapeRaster *raster;
  Settings now;                 /* without colors */
  GArray *palette;
  /* circles of the frame that had to be sorted */
  GPtrArray *sorted;
  gboolean out_of_memory;
  /* of frames in CUDA memory, the last context's */
  GstShapeOverlayDevice *device;
  GstShapeMarks marks;
  gboolean on_device;
  gboolean warned_filling;
};

#define gst_shape_overlay_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeOverlay, gst_shape_overlay,
    GST_TYPE_BASE_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_shape_overlay_debug, "shapeoverlay", 0,
        "draws shapes on video frames"));
GST_ELEMENT_REGISTER_DEFINE (shapeoverlay, "shapeoverlay", GST_RANK_NONE,
    GST_TYPE_SHAPE_OVERLAY);

GST_SHAPES_DEFINE_ENUM_TYPE (static, gst_shape_overlay_color_mode_get_type,
    "GstShapeOverlayColorMode",
    {GST_SHAPE_OVERLAY_COLOR_MODE_CLASS,
        "The colour of the shape's class in colors", "class"},
    {GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE,
        "Another one of colors for each shape, by its id", "shape"},
    {GST_SHAPE_OVERLAY_COLOR_MODE_FIXED, "The colour given by color", "fixed"})

/* Properties */

static gboolean
set_colors (gpointer values, const GValue * array)
{
  GArray *colors = ((Settings *) values)->colors;
  guint i, n = gst_value_array_get_size (array);

  g_array_set_size (colors, 0);
  for (i = 0; i < n; i++) {
    guint32 color = g_value_get_uint (gst_value_array_get_value (array, i));

    g_array_append_val (colors, color);
  }
  if (n == 0)
    g_array_append_vals (colors, default_colors, G_N_ELEMENTS (default_colors));
  return TRUE;
}

static void
get_colors (gconstpointer values, GValue * array)
{
  const GArray *colors = ((const Settings *) values)->colors;
  GValue value = G_VALUE_INIT;
  guint i;

  g_value_init (&value, G_TYPE_UINT);
  for (i = 0; i < colors->len; i++) {
    g_value_set_uint (&value, g_array_index (colors, guint32, i));
    gst_value_array_append_value (array, &value);
  }
  g_value_unset (&value);
}

static GParamSpec *
new_color (void)
{
  return g_param_spec_uint ("color", "Color", "A colour as 0xAARRGGBB.", 0,
      G_MAXUINT32, 0, G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
}

static const GstShapesProperty rows[] = {
  GST_SHAPES_DOUBLE (Settings, line_width, "line-width", "Line width", 0.,
      256., 2.0, ANIMATED,
      "Width of lines, in pixels of the frame. Lines thinner than a pixel "
      "are drawn fainter; 0 draws no lines, which leaves the filling."),
  GST_SHAPES_ENUM (Settings, color_mode, "color-mode", "Color mode",
      gst_shape_overlay_color_mode_get_type, GST_SHAPE_OVERLAY_COLOR_MODE_CLASS,
      ANIMATED,
      "What the colour of a contour or hull says: its class, which shape it "
      "is, or nothing. Circles have their own colour unless it is fixed."),
  GST_SHAPES_UINT (Settings, color, "color", "Color", 0, G_MAXUINT32,
      0xffd55e00, ANIMATED,
      "Colour of everything with color-mode=fixed, as 0xAARRGGBB."),
  GST_SHAPES_ARRAY ("colors", "Colors", new_color, LIVE,
      "Colours of class 0, 1, and so on with color-mode=class, or of shapes "
      "with color-mode=shape, each as 0xAARRGGBB; repeated when there are "
      "more classes. Empty means seven colours that people with "
      "colour-blindness can tell apart (Okabe and Ito's, without black).",
      .set = set_colors, .get = get_colors),
  GST_SHAPES_DOUBLE (Settings, opacity, "opacity", "Opacity", 0., 1., 1.0,
      ANIMATED,
      "How much everything drawn hides the frame, from 0 (nothing is drawn "
      "and frames pass through untouched) to 1 (hides it). Multiplies the "
      "alpha of colours."),
  GST_SHAPES_DOUBLE (Settings, fill_opacity, "fill-opacity", "Fill opacity", 0.,
      1., 0.0, ANIMATED,
      "How much the filling of closed contours and of circles hides the "
      "frame, from 0 (they are not filled) to 1. Holes stay empty, but with "
      "color-mode=shape they have a filling of their own. Multiplied by "
      "opacity."),
  GST_SHAPES_BOOLEAN (Settings, draw_contours, "draw-contours", "Draw contours",
      TRUE, ANIMATED, "Draw contours, with solid lines."),
  GST_SHAPES_BOOLEAN (Settings, draw_hulls, "draw-hulls", "Draw hulls", TRUE,
      ANIMATED, "Draw convex hulls, with dashed lines in a lighter shade."),
  GST_SHAPES_BOOLEAN (Settings, draw_circles, "draw-circles", "Draw circles",
      TRUE, ANIMATED, "Draw circles, with solid lines, from far to near."),
  GST_SHAPES_BOOLEAN (Settings, draw_points, "draw-points", "Draw points",
      FALSE, ANIMATED,
      "Also draw a dot, two line widths across, on each point of the "
      "contours and hulls that are drawn."),
  GST_SHAPES_UINT (Settings, n_threads, "n-threads", "Number of threads", 0,
      1024, 0, LIVE,
      "Use at most this many threads for a frame, or one for each processor "
      "core if 0. The picture does not depend on it."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

static void
gst_shape_overlay_set_property (GObject * object, guint id,
    const GValue * value, GParamSpec * pspec)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (object);

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_set (&properties, &self->settings, id, value);
  GST_OBJECT_UNLOCK (self);
}

static void
gst_shape_overlay_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (object);

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_get (&properties, &self->settings, id, value);
  gst_shapes_properties_get (&gst_shapes_drops_properties, &self->drops, id,
      value);
  GST_OBJECT_UNLOCK (self);
}

/* What the properties say now, for one frame. */
static void
gst_shape_overlay_take_settings (GstShapeOverlay * self)
{
  GST_OBJECT_LOCK (self);
  self->now = self->settings;
  g_array_set_size (self->palette, 0);
  g_array_append_vals (self->palette, self->settings.colors->data,
      self->settings.colors->len);
  self->now.colors = NULL;
  GST_OBJECT_UNLOCK (self);
}

/* Collecting a frame's shapes */

static guint32
palette_color (GstShapeOverlay * self, gint32 index)
{
  return g_array_index (self->palette, guint32,
      (guint32) index % self->palette->len);
}

static guint32
lighten (guint32 argb)
{
  guint32 light = argb & 0xff000000u;
  gint shift;

  for (shift = 0; shift < 24; shift += 8) {
    guint32 code = (argb >> shift) & 0xff;

    light |= (code + (255 - code) * HULL_LIGHTEN / 256) << shift;
  }
  return light;
}

static guint32
polyline_color (GstShapeOverlay * self, const GstShapePolyline * polyline)
{
  switch (self->now.color_mode) {
    case GST_SHAPE_OVERLAY_COLOR_MODE_CLASS:
      return palette_color (self, polyline->class_id);
    case GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE:
      /* a hull looks like its contour */
      if (polyline->kind == GST_SHAPE_KIND_HULL && polyline->parent >= 0)
        return palette_color (self, polyline->parent);
      return palette_color (self, polyline->id);
    case GST_SHAPE_OVERLAY_COLOR_MODE_FIXED:
      break;
  }
  return self->now.color;
}

static GstShapePaint
polyline_paint (GstShapeOverlay * self, const GstShapePolyline * polyline)
{
  GstShapePaint paint = { 0, };

  paint.argb = polyline_color (self, polyline);
  paint.line_width = (gfloat) self->now.line_width;
  paint.line_opacity = (gfloat) self->now.opacity;
  if (polyline->kind == GST_SHAPE_KIND_HULL) {
    paint.argb = lighten (paint.argb);
    paint.dashed = TRUE;
  } else {
    paint.fill_opacity = (gfloat) (self->now.opacity * self->now.fill_opacity);
  }
  return paint;
}

static gboolean
draws_polyline (GstShapeOverlay * self, const GstShapePolyline * polyline)
{
  return polyline->kind == GST_SHAPE_KIND_HULL ? self->now.draw_hulls :
      self->now.draw_contours;
}

/* The regions of one class, level and image are filled together, so that the
 * holes in them stay empty. */
static gboolean
is_same_region (const GstShapePolyline * a, const GstShapePolyline * b)
{
  return a->class_id == b->class_id && a->level == b->level
      && a->image == b->image && a->kind == b->kind;
}

static void
add_polyline (GstShapeOverlay * self, const GstShapePoint * points, gsize n,
    const GstShapePaint * paint)
{
  if (self->on_device)
    gst_shape_marks_add_polyline (&self->marks, points, n, paint);
  else
    gst_shape_raster_add_polyline (self->raster, points, n, paint);
}

static void
add_dots (GstShapeOverlay * self, const GstShapePoint * points, gsize n,
    const GstShapePaint * paint)
{
  if (self->on_device)
    gst_shape_marks_add_dots (&self->marks, points, n, paint);
  else
    gst_shape_raster_add_dots (self->raster, points, n, paint);
}

static void
add_circles (GstShapeOverlay * self, const GstShapeCircle * circles, gsize n,
    const GstShapePaint * paint)
{
  if (self->on_device)
    gst_shape_marks_add_circles (&self->marks, circles, n, paint);
  else
    gst_shape_raster_add_circles (self->raster, circles, n, paint);
}

/* Sets which polylines are hollow; where each has a filling of its own, or there
 * is none, that is not asked. */
static gboolean *
select_filled (GstShapeOverlay * self, const GstShapeArrays * arrays,
    guint height)
{
  gboolean *hollow;
  gsize first = 0, i;

  if (self->now.color_mode == GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE
      || !self->now.draw_contours
      || self->now.opacity * self->now.fill_opacity <= 0.)
    return NULL;
  hollow = g_new0 (gboolean, arrays->n_shapes);
  for (i = 1; i <= arrays->n_shapes; i++) {
    const GstShapePolyline *begin = &arrays->polylines[first];

    if (i < arrays->n_shapes && is_same_region (&arrays->polylines[i], begin))
      continue;
    gst_shape_overlay_select_filled (arrays->points, arrays->offsets + first,
        begin, i - first, height, hollow + first);
    first = i;
  }
  return hollow;
}

static void
gst_shape_overlay_add_polylines (GstShapeOverlay * self,
    const GstShapeArrays * arrays, guint height)
{
  gboolean *hollow = select_filled (self, arrays, height);
  guint group = 0;
  gsize i;

  for (i = 0; i < arrays->n_shapes; i++) {
    const GstShapePolyline *polyline = &arrays->polylines[i];
    GstShapePaint paint;

    if (i > 0 && !is_same_region (polyline, polyline - 1))
      group++;
    if (!draws_polyline (self, polyline))
      continue;
    paint = polyline_paint (self, polyline);
    paint.group = group;
    paint.hollow = hollow && hollow[i];
    add_polyline (self, arrays->points + arrays->offsets[i],
        arrays->offsets[i + 1] - arrays->offsets[i], &paint);
  }
  g_free (hollow);
}

static void
gst_shape_overlay_add_dots (GstShapeOverlay * self,
    const GstShapeArrays * arrays)
{
  gsize i;

  for (i = 0; i < arrays->n_shapes; i++) {
    GstShapePaint paint;

    if (!draws_polyline (self, &arrays->polylines[i]))
      continue;
    paint = polyline_paint (self, &arrays->polylines[i]);
    paint.line_width *= 2.f;
    add_dots (self, arrays->points + arrays->offsets[i],
        arrays->offsets[i + 1] - arrays->offsets[i], &paint);
  }
}

/* Whether @a is drawn after @b: nearer is later, what has no depth comes
 * first. */
static gboolean
is_nearer (const GstShapeCircle * a, const GstShapeCircle * b)
{
  return a->z < b->z || (isnan (b->z) && !isnan (a->z));
}

typedef struct
{
  GstShapeCircle circle;
  gsize index;
} Indexed;

static gint
compare_depths (gconstpointer a, gconstpointer b)
{
  const Indexed *x = a, *y = b;

  if (is_nearer (&x->circle, &y->circle))
    return 1;
  if (is_nearer (&y->circle, &x->circle))
    return -1;
  return x->index < y->index ? -1 : 1;
}

/* The layer's circles from far to near, those of one depth in the order in
 * which they come; valid until the next frame. %NULL without memory. */
static const GstShapeCircle *
sort_circles (GstShapeOverlay * self, const GstShapeArrays * arrays)
{
  const gsize n = arrays->n_shapes;
  GstShapeCircle *sorted;
  Indexed *indexed;
  gsize i;

  for (i = 1; i < n; i++)
    if (is_nearer (&arrays->circles[i - 1], &arrays->circles[i]))
      break;
  if (i >= n)
    return arrays->circles;
  indexed = cs_try_new (Indexed, n);
  sorted = cs_try_new (GstShapeCircle, n);
  if (!indexed || !sorted) {
    g_free (indexed);
    g_free (sorted);
    return NULL;
  }
  for (i = 0; i < n; i++)
    indexed[i] = (Indexed) {
    arrays->circles[i], i};
  qsort (indexed, n, sizeof (*indexed), compare_depths);
  for (i = 0; i < n; i++)
    sorted[i] = indexed[i].circle;
  g_free (indexed);
  g_ptr_array_add (self->sorted, sorted);
  return sorted;
}

static void
gst_shape_overlay_add_circles (GstShapeOverlay * self,
    const GstShapeArrays * arrays)
{
  gboolean fixed = self->now.color_mode == GST_SHAPE_OVERLAY_COLOR_MODE_FIXED;
  const GstShapeCircle *circles = sort_circles (self, arrays);
  GstShapePaint paint = { 0, };
  gsize start = 0, i;

  if (!circles) {
    self->out_of_memory = TRUE;
    return;
  }
  paint.line_width = (gfloat) self->now.line_width;
  paint.line_opacity = (gfloat) self->now.opacity;
  paint.fill_opacity = (gfloat) (self->now.opacity * self->now.fill_opacity);
  for (i = 1; i <= arrays->n_shapes; i++) {
    guint32 rgba = circles[start].rgba;

    if (i < arrays->n_shapes && (fixed || circles[i].rgba == rgba))
      continue;
    paint.argb = fixed ? self->now.color : (rgba >> 8 | rgba << 24);
    add_circles (self, circles + start, i - start, &paint);
    start = i;
  }
}

static void
gst_shape_overlay_add_layer (GstShapeOverlay * self, GstShapeLayer * layer,
    const GstShapeArrays * arrays, guint height)
{
  if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_CIRCLES) {
    if (self->now.draw_circles)
      gst_shape_overlay_add_circles (self, arrays);
    return;
  }
  if (!arrays->points)
    return;
  gst_shape_overlay_add_polylines (self, arrays, height);
  if (self->now.draw_points)
    gst_shape_overlay_add_dots (self, arrays);
}

static void
gst_shape_overlay_begin (GstShapeOverlay * self, GstShapeSet * set)
{
  const guint width = (guint) GST_VIDEO_INFO_WIDTH (&self->info);
  const guint height = (guint) GST_VIDEO_INFO_HEIGHT (&self->info);
  const guint set_width = set ? gst_shape_set_get_width (set) : 0;
  const guint set_height = set ? gst_shape_set_get_height (set) : 0;

  g_ptr_array_set_size (self->sorted, 0);
  self->out_of_memory = FALSE;
  if (self->on_device)
    gst_shape_marks_begin (&self->marks, width, height, set_width, set_height);
  else
    gst_shape_raster_begin (self->raster, width, height, set_width,
        set_height);
}

/* Puts what @buffer's meta says into the raster or the marks. */
static gboolean
gst_shape_overlay_collect_shapes (GstShapeOverlay * self, GstBuffer * buffer)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  GError *error = NULL;
  guint height, i;

  gst_shape_overlay_begin (self, set);
  if (!set || self->now.opacity <= 0.)
    return TRUE;

  height = gst_shape_set_get_height (set);
  if (height == 0)
    height = (guint) GST_VIDEO_INFO_HEIGHT (&self->info);

  for (i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);
    const GstShapeArrays *arrays;

    if (gst_shape_layer_get_n_shapes (layer) == 0)
      continue;
    arrays = gst_shape_layer_map_host (layer, &error);
    if (!arrays) {
      GST_ELEMENT_ERROR (self, RESOURCE, READ,
          ("The shapes of a frame cannot be read."),
          ("layer %u: %s", i, error ? error->message : "no reason given"));
      g_clear_error (&error);
      return FALSE;
    }
    gst_shape_overlay_add_layer (self, layer, arrays, height);
  }
  if (self->out_of_memory)
    GST_ELEMENT_ERROR (self, RESOURCE, NO_SPACE_LEFT, ("Out of memory."),
        ("the circles of a frame cannot be sorted"));
  return !self->out_of_memory;
}

/* Whether the CPU's raster knows the format: it has 8 bits only. */
static gboolean
can_draw_on_host (GstShapeOverlay * self)
{
  return GST_VIDEO_INFO_COMP_DEPTH (&self->info, 0) == 8;
}

static void
warn_filling (GstShapeOverlay * self)
{
  if (self->warned_filling)
    return;
  self->warned_filling = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, NOT_IMPLEMENTED,
      ("Contours are not filled on %s frames in CUDA memory: put "
          "cudaconvert before shapeoverlay, or set fill-opacity=0.",
          GST_VIDEO_INFO_NAME (&self->info)), (NULL));
}

/* What to draw on @buffer's frame, and where: the engine of the GPU fills no
 * contours. */
static gboolean
gst_shape_overlay_collect (GstShapeOverlay * self, GstBuffer * buffer)
{
#ifdef HAVE_CUDA
  self->on_device = gst_shape_overlay_device_find_context (buffer) != NULL;
#endif
  if (!gst_shape_overlay_collect_shapes (self, buffer))
    return FALSE;
  if (!self->on_device || !self->marks.lacks_filling)
    return TRUE;
  if (!can_draw_on_host (self)) {
    warn_filling (self);
    return TRUE;
  }
  self->on_device = FALSE;
  return gst_shape_overlay_collect_shapes (self, buffer);
}

static gboolean
has_nothing_to_draw (GstShapeOverlay * self)
{
  return self->on_device ?
      self->marks.marks->len == 0 && !self->marks.marks->failed :
      gst_shape_raster_is_empty (self->raster);
}

/* Drawing */

#ifdef HAVE_CUDA

static gboolean
ensure_device (GstShapeOverlay * self, GstBuffer * buffer, GError ** error)
{
  const gpointer context = gst_shape_overlay_device_find_context (buffer);

  if (self->device
      && gst_shape_overlay_device_get_context (self->device) == context)
    return TRUE;
  g_clear_pointer (&self->device, gst_shape_overlay_device_free);
  self->device = gst_shape_overlay_device_new (context, error);
  return self->device != NULL;
}

static void
clear_device (GstShapeOverlay * self)
{
  g_clear_pointer (&self->device, gst_shape_overlay_device_free);
}

static gboolean
gst_shape_overlay_draw_on_device (GstShapeOverlay * self, GstBuffer * buffer,
    GError ** error)
{
  return ensure_device (self, buffer, error)
      && gst_shape_overlay_device_draw (self->device, &self->info, buffer,
      self->marks.marks, error);
}

#else

static void
clear_device (GstShapeOverlay * self)
{
}

static gboolean
gst_shape_overlay_draw_on_device (GstShapeOverlay * self, GstBuffer * buffer,
    GError ** error)
{
  return FALSE;
}

#endif

static GstFlowReturn
gst_shape_overlay_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (trans);
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;

  if (has_nothing_to_draw (self))
    return GST_FLOW_OK;
  if (self->on_device ? gst_shape_overlay_draw_on_device (self, buffer, &error)
      : gst_shape_overlay_host_draw (self->raster, &self->info, buffer, &error))
    return GST_FLOW_OK;
  if (gst_shapes_drops_take (&self->drops, buffer, &trans->segment, error)) {
    flow = GST_BASE_TRANSFORM_FLOW_DROPPED;
  } else {
    gst_shapes_compute_post_error (GST_ELEMENT_CAST (self), CANNOT, error);
    flow = GST_FLOW_ERROR;
  }
  g_clear_error (&error);
  return flow;
}

/* The threads follow the property from frame to frame. */
static void
gst_shape_overlay_ensure_raster (GstShapeOverlay * self)
{
  if (self->raster && self->executor_threads == self->now.n_threads)
    return;
  g_clear_pointer (&self->raster, gst_shape_raster_free);
  g_clear_pointer (&self->executor, cs_executor_free);
  self->executor_threads = self->now.n_threads;
  self->executor = cs_executor_new_cpu (self->executor_threads);
  self->raster = gst_shape_raster_new (self->executor);
}

static void
gst_shape_overlay_sync_values (GstShapeOverlay * self, GstBuffer * buffer)
{
  GstBaseTransform *trans = GST_BASE_TRANSFORM (self);
  GstClockTime time = GST_CLOCK_TIME_NONE;

  if (trans->segment.format == GST_FORMAT_TIME
      && GST_BUFFER_PTS_IS_VALID (buffer))
    time = gst_segment_to_stream_time (&trans->segment, GST_FORMAT_TIME,
        GST_BUFFER_PTS (buffer));
  if (GST_CLOCK_TIME_IS_VALID (time))
    gst_object_sync_values (GST_OBJECT (self), time);
}

/* Whether a frame must be writable depends on what there is to draw, so that is
 * found out here, before the base class makes a copy. */
static GstFlowReturn
gst_shape_overlay_prepare_output_buffer (GstBaseTransform * trans,
    GstBuffer * input, GstBuffer ** output)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (trans);

  gst_shape_overlay_sync_values (self, input);
  gst_shape_overlay_take_settings (self);
  gst_shape_overlay_ensure_raster (self);
  if (!gst_shape_overlay_collect (self, input))
    return GST_FLOW_ERROR;
  if (has_nothing_to_draw (self)) {
    *output = input;
    return GST_FLOW_OK;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->prepare_output_buffer (trans,
      input, output);
}

/* Negotiation */

static gboolean
gst_shape_overlay_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (trans);

  if (!gst_video_info_from_caps (&self->info, incaps)) {
    GST_ERROR_OBJECT (self, "cannot make sense of caps %" GST_PTR_FORMAT,
        incaps);
    return FALSE;
  }
  return TRUE;
}

static gboolean
gst_shape_overlay_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
          decide_query, query))
    return FALSE;
  gst_shapes_propose_meta (query, GST_VIDEO_META_API_TYPE);
  gst_shapes_propose_meta (query, GST_SHAPE_META_API_TYPE);
  return TRUE;
}

/* Life */

static gboolean
gst_shape_overlay_stop (GstBaseTransform * trans)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (trans);

  g_clear_pointer (&self->raster, gst_shape_raster_free);
  g_clear_pointer (&self->executor, cs_executor_free);
  clear_device (self);
  g_ptr_array_set_size (self->sorted, 0);
  self->warned_filling = FALSE;
  gst_shapes_drops_reset (&self->drops);
  return TRUE;
}

static void
gst_shape_overlay_finalize (GObject * object)
{
  GstShapeOverlay *self = GST_SHAPE_OVERLAY (object);

  g_array_unref (self->settings.colors);
  g_array_unref (self->palette);
  g_ptr_array_unref (self->sorted);
  gst_shape_marks_clear (&self->marks);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_overlay_class_init (GstShapeOverlayClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_shape_overlay_set_property;
  object_class->get_property = gst_shape_overlay_get_property;
  object_class->finalize = gst_shape_overlay_finalize;
  gst_shapes_properties_install (&properties, object_class);
  gst_shapes_properties_install (&gst_shapes_drops_properties, object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Shape overlay",
      "Filter/Editor/Video",
      "Draws the contours, hulls and circles found in a frame onto it",
      "The gst-cudashapes authors");

  trans_class->set_caps = gst_shape_overlay_set_caps;
  trans_class->get_unit_size = gst_shapes_get_video_unit_size;
  trans_class->propose_allocation = gst_shape_overlay_propose_allocation;
  trans_class->prepare_output_buffer = gst_shape_overlay_prepare_output_buffer;
  trans_class->transform_ip = gst_shape_overlay_transform_ip;
  trans_class->stop = gst_shape_overlay_stop;
}

static void
gst_shape_overlay_init (GstShapeOverlay * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
  self->settings.colors = g_array_new (FALSE, FALSE, sizeof (guint32));
  g_array_append_vals (self->settings.colors, default_colors,
      G_N_ELEMENTS (default_colors));
  self->palette = g_array_new (FALSE, FALSE, sizeof (guint32));
  self->sorted = g_ptr_array_new_with_free_func (g_free);
  gst_shape_marks_init (&self->marks);
  gst_shapes_drops_init (&self->drops, GST_ELEMENT_CAST (self));
  gst_video_info_init (&self->info);
}
