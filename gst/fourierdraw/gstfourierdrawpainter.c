/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawpainter.h"

#include <math.h>
#include <string.h>

/* Marks of a group are painted once where they cross. */
enum
{
  GROUP_NONE,
  GROUP_ARM,
  /* the first of one group for each contour */
  GROUP_GHOST,
};

/* In pixels of the frame: shorter vectors are joined with the next ones. */
#define MIN_STEP .35f
/* In pixels of the frame: longer vectors have a disc at their joint. */
#define MIN_JOINT 6.f
/* Width of the ghost's lines, relative to the ink's. */
#define GHOST_WIDTH .75
/* In seconds, against rounding. */
#define INK_MARGIN .001
/* Of the rows of the base, in bytes. */
#define ROW_ALIGNMENT ((gsize) 256)

/* Life */

gboolean
gst_fourier_draw_painter_open (GstFourierDrawPainter * painter,
    const GstShapesCompute * compute, GError ** error)
{
  painter->executor = compute->executor;
  painter->slabs = gst_shapes_slab_pool_ref (compute->slabs);
  painter->stream = compute->stream;
  painter->marks = cs_array_new (sizeof (CsMark));
  painter->ghost = cs_array_new (sizeof (CsMark));
  painter->stamps = cs_array_new (sizeof (CsInkSegment));
  painter->joints = cs_array_new (sizeof (CsStrokePoint));
  painter->raster = cs_raster_new (painter->executor, error);
  if (painter->raster)
    painter->ghost_raster = cs_raster_new (painter->executor, error);
  return painter->ghost_raster != NULL;
}

void
gst_fourier_draw_painter_reset (GstFourierDrawPainter * painter)
{
  g_clear_pointer (&painter->ink, cs_ink_free);
  gst_fourier_draw_brush_ink_clear (&painter->brush_ink);
  g_clear_pointer (&painter->base_slab, gst_shapes_slab_free);
  cs_scratch_clear (&painter->base_host);
  painter->base_valid = painter->ink_valid = FALSE;
}

void
gst_fourier_draw_painter_close (GstFourierDrawPainter * painter)
{
  gst_fourier_draw_painter_reset (painter);
  g_clear_pointer (&painter->raster, cs_raster_free);
  g_clear_pointer (&painter->ghost_raster, cs_raster_free);
  g_clear_pointer (&painter->marks, cs_array_free);
  g_clear_pointer (&painter->ghost, cs_array_free);
  g_clear_pointer (&painter->stamps, cs_array_free);
  g_clear_pointer (&painter->joints, cs_array_free);
  g_clear_pointer (&painter->slabs, gst_shapes_slab_pool_unref);
}

/* View */

GstFourierDrawView
gst_fourier_draw_view_fit (guint picture_width, guint picture_height,
    guint width, guint height)
{
  GstFourierDrawView view;

  view.scale = MIN ((gdouble) width / picture_width,
      (gdouble) height / picture_height);
  view.dx = (width - picture_width * view.scale) / 2.;
  view.dy = (height - picture_height * view.scale) / 2.;
  return view;
}

static GstFourierDrawView
get_view (const GstFourierDrawPainter * painter,
    const GstFourierDrawFrame * frame, const CsPicture * output)
{
  GstFourierDrawView view = gst_fourier_draw_view_fit (frame->picture_width,
      frame->picture_height, output->width, output->height);

  if (frame->settings->camera == GST_FOURIER_DRAW_CAMERA_FOLLOW_TIP &&
      painter->joints->len > 0) {
    const CsStrokePoint tip = cs_array_index (painter->joints, CsStrokePoint,
        painter->joints->len - 1);

    view.scale *= frame->settings->zoom;
    view.dx = output->width / 2. - (tip.x + .5) * view.scale;
    view.dy = output->height / 2. - (tip.y + .5) * view.scale;
  }
  return view;
}

/* The joints of the arm, the mount first, in pixels of the picture. */
static void
get_joints (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame)
{
  const GstFourierDrawPart *part;
  gdouble fraction;
  guint64 step;
  guint n, all;

  cs_array_empty (painter->joints);
  if (!frame->drawing)
    return;
  part = gst_fourier_draw_drawing_locate (frame->drawing, frame->progress,
      &step, &fraction);
  if (!part)
    return;
  all = cs_fourier_get_n_vectors (part->fourier);
  n = frame->drawing->n_vectors;
  n = n == 0 ? all : MIN (n, all);
  if (!cs_array_set_size (painter->joints, n + 1))
    return;
  if (n > 0) {
    cs_fourier_get_arm (part->fourier, step, fraction, n,
        (CsStrokePoint *) (gpointer) painter->joints->data);
  } else {
    gdouble x, y;
    gint k;

    cs_fourier_get_vector (part->fourier, 0, &k, &x, &y);
    cs_array_index (painter->joints, CsStrokePoint, 0).x = x;
    cs_array_index (painter->joints, CsStrokePoint, 0).y = y;
  }
}

/* Marks */

/* From 0xAARRGGBB to 0xRRGGBBAA; alpha is multiplied by @opacity. */
static guint32
to_rgba (guint argb, gdouble opacity)
{
  const guint alpha = (guint) ((argb >> 24) * opacity + .5);

  return argb << 8 | alpha;
}

/* @width: in pixels of the frame */
static CsMark
make_line (const GstFourierDrawView * view, gdouble x0, gdouble y0, gdouble x1,
    gdouble y1, gdouble width, guint32 rgba, guint32 group)
{
  const CsMark mark = {
    .x0 = gst_fourier_draw_view_x (view, x0),
    .y0 = gst_fourier_draw_view_y (view, y0),
    .x1 = gst_fourier_draw_view_x (view, x1),
    .y1 = gst_fourier_draw_view_y (view, y1),
    .radius = width / 2.,
    .rgba = rgba,
    .group = group,
  };

  return mark;
}

static void
add_ghost (CsArray * marks, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view)
{
  const GstFourierDrawSettings *settings = frame->settings;
  const GstFourierDrawDrawing *drawing = frame->drawing;
  const guint32 rgba = to_rgba (settings->ghost_color,
      settings->ghost_opacity);
  const gdouble width = settings->trail_width * GHOST_WIDTH;
  guint32 p;
  gsize i;

  if (!drawing || (rgba & 0xff) == 0)
    return;
  for (i = 0; i < drawing->n_contours; i++) {
    for (p = drawing->offsets[i]; p < drawing->offsets[i + 1]; p++) {
      const CsStrokePoint a = drawing->points[p];
      const gboolean last = p + 1 == drawing->offsets[i + 1];
      const CsStrokePoint b = last ? a : drawing->points[p + 1];
      CsMark mark;

      /* a single point is a dot */
      if (last && p > drawing->offsets[i])
        continue;
      mark = make_line (view, a.x, a.y, b.x, b.y, width, rgba,
          GROUP_GHOST + i);
      cs_array_append_val (marks, mark);
    }
  }
}

static const CsStrokePoint *
get_joint (const GstFourierDrawPainter * painter, guint i)
{
  return &cs_array_index (painter->joints, CsStrokePoint, i);
}

static gfloat
get_vector_length (const GstFourierDrawPainter * painter, guint i)
{
  const CsStrokePoint *a = get_joint (painter, i - 1);
  const CsStrokePoint *b = get_joint (painter, i);

  return hypotf (b->x - a->x, b->y - a->y);
}

static void
add_circles (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view)
{
  const GstFourierDrawSettings *settings = frame->settings;
  const guint32 rgba = to_rgba (settings->circle_color,
      frame->arm_opacity);
  guint i;

  if (!settings->show_circles || frame->arm_opacity <= 0.)
    return;
  for (i = 1; i < painter->joints->len; i++) {
    const CsStrokePoint *centre = get_joint (painter, i - 1);
    const gfloat radius = get_vector_length (painter, i) * view->scale;
    CsMark mark;

    /* vectors are in order of length; equal ones differ by rounding */
    if (radius < settings->min_radius * .999)
      break;
    mark = make_line (view, centre->x, centre->y, centre->x, centre->y, 0.,
        rgba, GROUP_NONE);
    mark.radius = radius;
    mark.half_width = settings->circle_width / 2.;
    cs_array_append_val (painter->marks, mark);
  }
}

static void
add_arm (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view)
{
  const GstFourierDrawSettings *settings = frame->settings;
  const guint32 rgba = to_rgba (settings->arm_color, frame->arm_opacity);
  CsStrokePoint last;
  guint i;

  if (!settings->show_arm || frame->arm_opacity <= 0. ||
      painter->joints->len == 0)
    return;
  last = *get_joint (painter, 0);
  for (i = 1; i < painter->joints->len; i++) {
    const CsStrokePoint *joint = get_joint (painter, i);
    const gfloat length = hypotf (joint->x - last.x, joint->y - last.y) *
        view->scale;
    CsMark mark;

    if (length < MIN_STEP && i + 1 < painter->joints->len)
      continue;
    mark = make_line (view, last.x, last.y, joint->x, joint->y,
        settings->arm_width, rgba, GROUP_ARM);
    cs_array_append_val (painter->marks, mark);
    if (length >= MIN_JOINT) {
      mark.x1 = mark.x0;
      mark.y1 = mark.y0;
      mark.radius = settings->arm_width * 1.25;
      cs_array_append_val (painter->marks, mark);
    }
    last = *joint;
  }
}

static void
add_tip (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view)
{
  const GstFourierDrawSettings *settings = frame->settings;
  const CsStrokePoint *tip;
  CsMark mark;

  if (!settings->show_tip || frame->arm_opacity <= 0. ||
      painter->joints->len == 0)
    return;
  tip = get_joint (painter, painter->joints->len - 1);
  mark = make_line (view, tip->x, tip->y, tip->x, tip->y,
      2. * settings->tip_radius, to_rgba (settings->tip_color,
          frame->arm_opacity), GROUP_NONE);
  cs_array_append_val (painter->marks, mark);
}

/* Ink */

static gboolean
ensure_ink (GstFourierDrawPainter * painter, const CsPicture * output,
    GError ** error)
{
  if (painter->ink && painter->ink_width == output->width &&
      painter->ink_height == output->height)
    return TRUE;
  g_clear_pointer (&painter->ink, cs_ink_free);
  painter->ink_valid = FALSE;
  painter->ink_width = output->width;
  painter->ink_height = output->height;
  painter->ink = cs_ink_new (painter->executor, output->width, output->height,
      error);
  return painter->ink != NULL;
}

static gboolean
same_view (const GstFourierDrawView * a, const GstFourierDrawView * b)
{
  return a->scale == b->scale && a->dx == b->dx && a->dy == b->dy;
}

/* Clears the ink unless more can be added to it for this frame. */
static gboolean
check_ink (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view, GError ** error)
{
  const gdouble width = frame->settings->trail_width;

  if (painter->ink_valid && painter->ink_key.serial == frame->drawing->serial
      && painter->ink_key.width == width
      && painter->ink_key.span == frame->span
      && same_view (&painter->ink_key.view, view)
      && painter->inked <= frame->progress)
    return TRUE;
  painter->ink_key.serial = frame->drawing->serial;
  painter->ink_key.width = width;
  painter->ink_key.span = frame->span;
  painter->ink_key.view = *view;
  painter->inked = 0.;
  painter->n_inked = 0;
  painter->ink_valid = cs_ink_clear (painter->ink, error);
  return painter->ink_valid;
}

static void
add_stamp (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view, const GstFourierDrawSegment * segment)
{
  const gdouble margin = frame->settings->trail_width;
  const CsInkSegment stamp = {
    .x0 = gst_fourier_draw_view_x (view, segment->x0),
    .y0 = gst_fourier_draw_view_y (view, segment->y0),
    .x1 = gst_fourier_draw_view_x (view, segment->x1),
    .y1 = gst_fourier_draw_view_y (view, segment->y1),
    .time = segment->end * frame->span,
  };

  /* outside of the frame */
  if (MAX (stamp.x0, stamp.x1) < -margin || MAX (stamp.y0, stamp.y1) < -margin
      || MIN (stamp.x0, stamp.x1) > painter->ink_width + margin
      || MIN (stamp.y0, stamp.y1) > painter->ink_height + margin)
    return;
  cs_array_append_val (painter->stamps, stamp);
}

/* The drawn part of the present segment is a mark: ink takes whole segments, so
 * that a frame does not depend on those before it. */
static void
add_begun (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view)
{
  const CsArray *segments = frame->drawing->segments;
  const GstFourierDrawSegment *segment;
  gdouble part;
  CsMark mark;

  if (painter->n_inked >= segments->len)
    return;
  segment = &cs_array_index (segments, GstFourierDrawSegment, painter->n_inked);
  if (segment->begin >= frame->progress)
    return;
  part = (frame->progress - segment->begin) / (segment->end - segment->begin);
  mark = make_line (view, segment->x0, segment->y0,
      segment->x0 + (segment->x1 - segment->x0) * part,
      segment->y0 + (segment->y1 - segment->y0) * part,
      frame->settings->trail_width, to_rgba (frame->settings->trail_color, 1.),
      GROUP_NONE);
  cs_array_append_val (painter->marks, mark);
}

static gboolean
update_ink (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view, const CsPicture * output, GError ** error)
{
  const CsArray *segments = frame->drawing->segments;
  guint i;

  if (!ensure_ink (painter, output, error) ||
      !check_ink (painter, frame, view, error))
    return FALSE;
  cs_array_empty (painter->stamps);
  for (i = painter->n_inked; i < segments->len; i++) {
    const GstFourierDrawSegment *segment = &cs_array_index (segments,
        GstFourierDrawSegment, i);

    if (segment->end > frame->progress)
      break;
    add_stamp (painter, frame, view, segment);
  }
  painter->n_inked = i;
  painter->inked = frame->progress;
  /* until all stamps are in it */
  painter->ink_valid = FALSE;
  if (painter->stamps->failed || segments->failed)
    return cs_fail_no_memory (error, "the ink of a frame");
  painter->ink_valid = painter->stamps->len == 0 ||
      cs_ink_stamp (painter->ink,
      (const CsInkSegment *) (gpointer) painter->stamps->data,
      painter->stamps->len, frame->settings->trail_width / 2., error);
  return painter->ink_valid;
}

/* Background and ghost */

static gboolean
has_base (const GstFourierDrawFrame * frame)
{
  return frame->settings->camera == GST_FOURIER_DRAW_CAMERA_FIT &&
      (frame->background != CS_BACKGROUND_FRAME || frame->background_id != 0);
}

static gboolean
base_is_valid (const GstFourierDrawPainter * painter,
    const GstFourierDrawFrame * frame)
{
  const GstFourierDrawSettings *settings = frame->settings;

  return painter->base_valid &&
      painter->base_key.serial == (frame->drawing ? frame->drawing->serial : 0)
      && painter->base_key.background == frame->background
      && painter->base_key.background_id == frame->background_id
      && painter->base_key.ghost_color == settings->ghost_color
      && painter->base_key.ghost_opacity == settings->ghost_opacity
      && painter->base_key.width == settings->trail_width;
}

gboolean
gst_fourier_draw_painter_needs_background (const GstFourierDrawPainter *
    painter, const GstFourierDrawFrame * frame)
{
  return frame->background == CS_BACKGROUND_FRAME &&
      !(has_base (frame) && base_is_valid (painter, frame));
}

/* Memory for a picture of the format of @output, planar. */
static gboolean
make_base (GstFourierDrawPainter * painter, const CsPicture * output,
    GError ** error)
{
  const gsize sample = cs_sample_size (output->type);
  gsize offsets[CS_PICTURE_MAX_COMPONENTS], size = 0;
  guint8 *data;
  guint i;

  painter->base = *output;
  for (i = 0; i < CS_PICTURE_MAX_COMPONENTS; i++) {
    const gboolean chroma = output->model == CS_PICTURE_YUV && i > 0 &&
        i != CS_PICTURE_ALPHA;
    const guint sub_x = chroma ? output->sub_x : 0;
    const guint sub_y = chroma ? output->sub_y : 0;

    offsets[i] = size;
    if (!output->data[i])
      continue;
    painter->base.pixel_stride[i] = sample;
    painter->base.row_stride[i] = (((output->width + sub_x) >> sub_x) * sample +
        ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
    size += painter->base.row_stride[i] * ((output->height + sub_y) >> sub_y);
  }
  if (output->memory == CS_MEMORY_DEVICE) {
    if (!painter->base_slab)
      painter->base_slab = gst_shapes_slab_new (painter->slabs,
          painter->stream);
    data = gst_shapes_slab_alloc (painter->base_slab, size, FALSE);
    if (!data)
      g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
          "cannot allocate %" G_GSIZE_FORMAT " bytes on the GPU", size);
  } else {
    data = cs_scratch_ensure (&painter->base_host, size, error);
  }
  for (i = 0; data && i < CS_PICTURE_MAX_COMPONENTS; i++) {
    if (output->data[i])
      painter->base.data[i] = data + offsets[i];
  }
  return data != NULL;
}

static gboolean
paint_ghost (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const CsPicture * input, const CsPicture * output, GError ** error)
{
  const CsMarks marks = {
    .marks = (const CsMark *) (gpointer) painter->ghost->data,
    .n = painter->ghost->len,
    .memory = CS_MEMORY_HOST,
    .version = painter->ghost_version,
  };
  CsRasterSettings settings;

  cs_raster_settings_init (&settings);
  settings.background = frame->background;
  return cs_raster_run (painter->ghost_raster, &marks, &settings, input,
      output, error);
}

static void
set_base_key (GstFourierDrawPainter * painter,
    const GstFourierDrawFrame * frame)
{
  painter->base_key.serial = frame->drawing ? frame->drawing->serial : 0;
  painter->base_key.background = frame->background;
  painter->base_key.background_id = frame->background_id;
  painter->base_key.ghost_color = frame->settings->ghost_color;
  painter->base_key.ghost_opacity = frame->settings->ghost_opacity;
  painter->base_key.width = frame->settings->trail_width;
}

static gboolean
update_ghost (GstFourierDrawPainter * painter,
    const GstFourierDrawFrame * frame, const GstFourierDrawView * view,
    GError ** error)
{
  if (base_is_valid (painter, frame))
    return TRUE;
  set_base_key (painter, frame);
  painter->ghost_version++;
  cs_array_empty (painter->ghost);
  add_ghost (painter->ghost, frame, view);
  return !painter->ghost->failed ||
      cs_fail_no_memory (error, "the ghost of a drawing");
}

/* Paints the background and the ghost, once if they stay the same.
 *
 * @input: (out) (nullable): what the rest is painted on */
static gboolean
paint_base (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view, const CsPicture * background,
    const CsPicture * output, const CsPicture ** input, GError ** error)
{
  *input = background;
  if (frame->settings->camera != GST_FOURIER_DRAW_CAMERA_FIT) {
    painter->base_valid = FALSE;
    add_ghost (painter->marks, frame, view);
    return TRUE;
  }
  if (has_base (frame)) {
    *input = &painter->base;
    if (base_is_valid (painter, frame))
      return TRUE;
    painter->base_valid = FALSE;
    if (!update_ghost (painter, frame, view, error) ||
        !make_base (painter, output, error) ||
        !paint_ghost (painter, frame, background, &painter->base, error))
      return FALSE;
    painter->base_valid = TRUE;
    return TRUE;
  }
  painter->base_valid = update_ghost (painter, frame, view, error);
  if (!painter->base_valid)
    return FALSE;
  if (painter->ghost->len == 0)
    return TRUE;
  *input = output;
  return paint_ghost (painter, frame, background, output, error);
}

/* Adds the stroke so far. */
static gboolean
add_trail (GstFourierDrawPainter * painter, const GstFourierDrawFrame * frame,
    const GstFourierDrawView * view, const CsPicture * output,
    CsRasterSettings * settings, GError ** error)
{
  const GstFourierDrawSettings *look = frame->settings;

  settings->ink_after = painter->marks->len;
  if (!frame->drawing || look->trail == GST_FOURIER_DRAW_TRAIL_NONE)
    return TRUE;
  if (!update_ink (painter, frame, view, output, error))
    return FALSE;
  settings->ink = painter->ink;
  settings->ink_rgba = to_rgba (look->trail_color, 1.);
  settings->ink_now = MAX (frame->seconds, frame->progress * frame->span) +
      INK_MARGIN;
  if (look->trail == GST_FOURIER_DRAW_TRAIL_FADE)
    settings->ink_fade = look->fade_time;
  add_begun (painter, frame, view);
  return TRUE;
}

gboolean
gst_fourier_draw_painter_paint (GstFourierDrawPainter * painter,
    const GstFourierDrawFrame * frame, const CsPicture * background,
    const CsPicture * output, GstFourierDrawView * view, GError ** error)
{
  const CsPicture *input;
  CsRasterSettings settings;
  CsMarks marks = {.memory = CS_MEMORY_HOST };

  get_joints (painter, frame);
  *view = get_view (painter, frame, output);
  cs_array_empty (painter->marks);
  if (!paint_base (painter, frame, view, background, output, &input, error))
    return FALSE;

  cs_raster_settings_init (&settings);
  settings.background = input ? CS_BACKGROUND_FRAME : frame->background;
  add_circles (painter, frame, view);
  if (!add_trail (painter, frame, view, output, &settings, error))
    return FALSE;
  add_arm (painter, frame, view);
  add_tip (painter, frame, view);
  if (painter->marks->failed || painter->joints->failed)
    return cs_fail_no_memory (error, "the arm of a frame");
  marks.marks = (const CsMark *) (gpointer) painter->marks->data;
  marks.n = painter->marks->len;
  return cs_raster_run (painter->raster, &marks, &settings, input, output,
      error) && (!frame->pending ||
      gst_fourier_draw_brush_ink_paint (&painter->brush_ink, painter->executor,
          frame->pending, to_rgba (frame->settings->brush_color, 1.), view,
          output, error));
}
