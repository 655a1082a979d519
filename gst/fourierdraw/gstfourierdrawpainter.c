/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawpainter.h"

#include <math.h>
#include <string.h>

/* The strokes of the mouse */

static void
fourier_brush_ink_clear (FourierBrushInk * self)
{
  g_clear_pointer (&self->raster, cs_raster_free);
  g_clear_pointer (&self->ink, cs_ink_free);
  g_clear_pointer (&self->stamps, g_array_unref);
  self->valid = FALSE;
}

static gboolean
ensure_brush_ink (FourierBrushInk * self, CsExecutor * executor,
    const CsPicture * picture, GError ** error)
{
  if (!self->stamps)
    self->stamps = g_array_new (FALSE, FALSE, sizeof (CsInkSegment));
  if (!self->raster)
    self->raster = cs_raster_new (executor, error);
  if (!self->raster)
    return FALSE;
  if (self->ink && self->width == picture->width &&
      self->height == picture->height)
    return TRUE;
  g_clear_pointer (&self->ink, cs_ink_free);
  self->valid = FALSE;
  self->width = picture->width;
  self->height = picture->height;
  self->ink = cs_ink_new (executor, self->width, self->height, error);
  return self->ink != NULL;
}

static gboolean
same_view (const FourierView * a, const FourierView * b)
{
  return a->scale == b->scale && a->dx == b->dx && a->dy == b->dy;
}

/* Clears the ink unless @pending only adds to it. */
static gboolean
check_brush_ink (FourierBrushInk * self, const FourierPending * pending,
    const FourierView * view, GError ** error)
{
  if (self->valid && self->epoch == pending->epoch &&
      self->next >= pending->first && same_view (&self->view, view))
    return TRUE;
  self->epoch = pending->epoch;
  self->view = *view;
  self->next = pending->first;
  self->valid = cs_ink_clear (self->ink, error);
  return self->valid;
}

static CsInkSegment
make_stamp (const FourierView * view, const FourierDab * dab)
{
  return (CsInkSegment) {
    .x0 = fourier_view_x (view, dab->x0),
    .y0 = fourier_view_y (view, dab->y0),
    .x1 = fourier_view_x (view, dab->x1),
    .y1 = fourier_view_y (view, dab->y1),
  };
}

static gboolean
stamp_pending (FourierBrushInk * self,
    const FourierPending * pending, GError ** error)
{
  const FourierDab *dabs = (const FourierDab *) (gpointer) pending->dabs->data;
  const guint n = pending->dabs->len;
  guint i = self->next - pending->first, end;

  for (; i < n; i = end) {
    /* all of one radius */
    g_array_set_size (self->stamps, 0);
    for (end = i; end < n && dabs[end].radius == dabs[i].radius; end++) {
      const CsInkSegment stamp = make_stamp (&self->view, &dabs[end]);

      g_array_append_val (self->stamps, stamp);
    }
    if (!cs_ink_stamp (self->ink,
            (const CsInkSegment *) (gpointer) self->stamps->data,
            self->stamps->len, dabs[i].radius * self->view.scale, error)) {
      self->valid = FALSE;
      return FALSE;
    }
  }
  self->next = pending->first + n;
  return TRUE;
}

/* Paints @pending over @picture in @rgba (0xRRGGBBAA), once where dabs overlap.
 *
 * @executor: the same one until fourier_brush_ink_clear()
 * Returns: %FALSE with @error (CS_ERROR) set */
static gboolean
fourier_brush_ink_paint (FourierBrushInk * self, CsExecutor * executor,
    const FourierPending * pending, guint32 rgba, const FourierView * view,
    const CsPicture * picture, GError ** error)
{
  const CsMarks none = {.memory = CS_MEMORY_HOST };
  CsRasterSettings settings;

  if (pending->dabs->len == 0 || (rgba & 0xff) == 0)
    return TRUE;
  if (!ensure_brush_ink (self, executor, picture, error) ||
      !check_brush_ink (self, pending, view, error) ||
      !stamp_pending (self, pending, error))
    return FALSE;
  cs_raster_settings_init (&settings);
  settings.ink = self->ink;
  settings.ink_rgba = rgba;
  return cs_raster_run (self->raster, &none, &settings, picture, picture,
      error);
}

/* Marks of a group are painted once where they cross. */
enum
{
  GROUP_NONE,
  GROUP_ARM,
  GROUP_CASING,
  /* the first of one group for each contour */
  GROUP_GHOST,
};

/* In pixels of the frame: shorter vectors are joined with the next ones. */
#define MIN_STEP .35f
/* In pixels of the frame: longer vectors have a disc at their joint. */
#define MIN_JOINT 6.f
/* Width of the ghost's lines, relative to the ink's. */
#define GHOST_WIDTH .75
/* Seconds beyond the present, so that rounding hides no ink of just now. */
#define INK_MARGIN .001

/* Life */

gboolean
fourier_painter_open (FourierPainter * painter,
    const GstShapesCompute * compute, GError ** error)
{
  painter->executor = compute->executor;
  if (cs_executor_get_backend (painter->executor) == CS_BACKEND_CUDA)
    painter->own_executor = cs_executor_new_cpu (0);
  painter->slabs = gst_shapes_slab_pool_ref (compute->slabs);
  painter->stream = compute->stream;
  painter->marks = cs_array_new (sizeof (CsMark));
  painter->ghost = cs_array_new (sizeof (CsMark));
  painter->stamps = cs_array_new (sizeof (CsInkSegment));
  painter->joints = cs_array_new (sizeof (CsStrokePoint));
  painter->turned = cs_array_new (sizeof (double));
  painter->pieces = cs_array_new (sizeof (CsMark));
  painter->raster = cs_raster_new (painter->executor, error);
  if (painter->raster)
    painter->ghost_raster = cs_raster_new (painter->executor, error);
  return painter->ghost_raster != NULL;
}

void
fourier_painter_reset (FourierPainter * painter)
{
  g_clear_pointer (&painter->ink, cs_ink_free);
  fourier_brush_ink_clear (&painter->brush_ink);
  g_clear_pointer (&painter->base_slab, gst_shapes_slab_free);
  cs_scratch_clear (&painter->base_host);
  painter->base_valid = painter->ink_valid = FALSE;
}

void
fourier_painter_close (FourierPainter * painter)
{
  fourier_painter_reset (painter);
  g_clear_pointer (&painter->raster, cs_raster_free);
  g_clear_pointer (&painter->ghost_raster, cs_raster_free);
  g_clear_pointer (&painter->marks, cs_array_free);
  g_clear_pointer (&painter->ghost, cs_array_free);
  g_clear_pointer (&painter->stamps, cs_array_free);
  g_clear_pointer (&painter->joints, cs_array_free);
  g_clear_pointer (&painter->turned, cs_array_free);
  g_clear_pointer (&painter->pieces, cs_array_free);
  g_clear_pointer (&painter->slabs, gst_shapes_slab_pool_unref);
  g_clear_pointer (&painter->own_executor, cs_executor_free);
}

/* View */

FourierView
fourier_view_fit (guint picture_width, guint picture_height,
    guint width, guint height)
{
  FourierView view;

  view.scale = MIN ((gdouble) width / picture_width,
      (gdouble) height / picture_height);
  view.dx = (width - picture_width * view.scale) / 2.;
  view.dy = (height - picture_height * view.scale) / 2.;
  return view;
}

static FourierView
get_view (const FourierPainter * painter,
    const FourierFrame * frame, const CsPicture * output)
{
  FourierView view = fourier_view_fit (frame->picture_width,
      frame->picture_height, output->width, output->height);

  if (frame->settings->camera == FOURIER_CAMERA_FOLLOW_TIP &&
      painter->joints->len > 0) {
    /* the first arm's */
    const CsStrokePoint tip = cs_array_index (painter->joints, CsStrokePoint,
        painter->arm_ends[0] - 1);

    view.scale *= frame->settings->zoom;
    view.dx = output->width / 2. - (tip.x + .5) * view.scale;
    view.dy = output->height / 2. - (tip.y + .5) * view.scale;
  }
  return view;
}

/* Appends the joints of an arm, the mount first, in pixels of the picture. */
static void
append_joints (FourierPainter * painter, const FourierFrame * frame, guint arm)
{
  const gsize first = painter->joints->len;
  CsStrokePoint *joints;
  gdouble fraction, x, y;
  guint64 step;
  gint k;
  const FourierPart *part = fourier_drawing_locate (frame->drawing, arm,
      frame->progress, &step, &fraction);

  if (!part)
    return;
  const guint n = fourier_drawing_get_n_vectors (frame->drawing, part);
  if (!cs_array_set_size (painter->turned, 2 * n) ||
      !cs_array_set_size (painter->joints, first + n + 1))
    return;
  joints = &cs_array_index (painter->joints, CsStrokePoint, first);
  if (n > 0) {
    cs_fourier_get_arm (part->fourier, step, fraction, n,
        painter->own_executor ? painter->own_executor : painter->executor,
        (double *) painter->turned->data, joints);
  } else {
    cs_fourier_get_vector (part->fourier, 0, &k, &x, &y);
    joints->x = x;
    joints->y = y;
  }
}

/* The joints of @arm, to before @end. */
static guint
get_arm (const FourierPainter * painter, guint arm, guint * end)
{
  *end = painter->arm_ends[arm];
  return arm > 0 ? painter->arm_ends[arm - 1] : 0;
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
make_line (const FourierView * view, gdouble x0, gdouble y0, gdouble x1,
    gdouble y1, gdouble width, guint32 rgba, guint32 group)
{
  const CsMark mark = {
    .x0 = fourier_view_x (view, x0),
    .y0 = fourier_view_y (view, y0),
    .x1 = fourier_view_x (view, x1),
    .y1 = fourier_view_y (view, y1),
    .radius = width / 2.,
    .rgba = rgba,
    .group = group,
  };

  return mark;
}

static void
add_ghost (CsArray * marks, const FourierFrame * frame,
    const FourierView * view)
{
  const FourierSettings *settings = frame->settings;
  const FourierDrawing *drawing = frame->drawing;
  const guint32 rgba = to_rgba (settings->ghost_color, settings->ghost_opacity);
  const gdouble width = settings->trail_width * GHOST_WIDTH;

  if (!drawing || (rgba & 0xff) == 0)
    return;
  for (gsize i = 0; i < drawing->n_contours; i++) {
    for (guint32 p = drawing->offsets[i]; p < drawing->offsets[i + 1]; p++) {
      const CsStrokePoint a = drawing->points[p];
      const gboolean last = p + 1 == drawing->offsets[i + 1];
      const CsStrokePoint b = last ? a : drawing->points[p + 1];
      CsMark mark;

      /* a single point is a dot */
      if (last && p > drawing->offsets[i])
        continue;
      mark = make_line (view, a.x, a.y, b.x, b.y, width, rgba, GROUP_GHOST + i);
      cs_array_append_val (marks, mark);
    }
  }
}

static const CsStrokePoint *
get_joint (const FourierPainter * painter, guint i)
{
  return &cs_array_index (painter->joints, CsStrokePoint, i);
}

static gfloat
get_vector_length (const FourierPainter * painter, guint i)
{
  const CsStrokePoint *a = get_joint (painter, i - 1);
  const CsStrokePoint *b = get_joint (painter, i);

  return hypotf (b->x - a->x, b->y - a->y);
}

/* The line around marks of @rgba. */
static guint32
get_casing (guint32 rgba)
{
  const guint argb = rgba >> 8 | rgba << 24;
  const guint contrast = fourier_get_contrast (argb);

  return contrast << 8 | contrast >> 24;
}

static void
add_circles (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, guint arm, gboolean casing)
{
  const FourierSettings *settings = frame->settings;
  const guint32 rgba = to_rgba (settings->circle_color, frame->arm_opacity);
  guint end, i = get_arm (painter, arm, &end);

  for (i++; i < end; i++) {
    const CsStrokePoint *centre = get_joint (painter, i - 1);
    const gfloat radius = get_vector_length (painter, i) * view->scale;

    /* vectors are in order of length; equal ones differ by rounding */
    if (radius < settings->min_radius * .999)
      break;
    CsMark mark = make_line (view, centre->x, centre->y, centre->x, centre->y,
        0., casing ? get_casing (rgba) : rgba, GROUP_NONE);
    mark.radius = radius;
    mark.half_width = settings->circle_width / 2. +
        (casing ? settings->casing : 0.);
    cs_array_append_val (painter->marks, mark);
  }
}

static void
add_arm (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, guint arm, gboolean casing)
{
  const FourierSettings *settings = frame->settings;
  const guint32 rgba = to_rgba (settings->arm_color, frame->arm_opacity);
  const guint32 color = casing ? get_casing (rgba) : rgba;
  const gdouble extra = casing ? settings->casing : 0.;
  guint end, i = get_arm (painter, arm, &end);

  if (i == end)
    return;
  CsStrokePoint last = *get_joint (painter, i);
  for (i++; i < end; i++) {
    const CsStrokePoint *joint = get_joint (painter, i);
    const gfloat length = hypotf (joint->x - last.x, joint->y - last.y) *
        view->scale;

    if (length < MIN_STEP && i + 1 < end)
      continue;
    CsMark mark = make_line (view, last.x, last.y, joint->x, joint->y,
        settings->arm_width + 2. * extra, color,
        casing ? GROUP_CASING : GROUP_ARM);
    cs_array_append_val (painter->marks, mark);
    if (length >= MIN_JOINT) {
      mark.x1 = mark.x0;
      mark.y1 = mark.y0;
      mark.radius = settings->arm_width * 1.25 + extra;
      cs_array_append_val (painter->marks, mark);
    }
    last = *joint;
  }
}

static void
add_tip (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, guint arm, gboolean casing)
{
  const FourierSettings *settings = frame->settings;
  const guint32 rgba = to_rgba (settings->tip_color, frame->arm_opacity);
  guint end;

  if (get_arm (painter, arm, &end) == end)
    return;
  const CsStrokePoint *tip = get_joint (painter, end - 1);
  CsMark mark = make_line (view, tip->x, tip->y, tip->x, tip->y,
      2. * settings->tip_radius + (casing ? 2. * settings->casing : 0.),
      casing ? get_casing (rgba) : rgba, GROUP_NONE);
  cs_array_append_val (painter->marks, mark);
}

typedef void (*AddMarks) (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, guint arm, gboolean casing);

/* Of all arms, each with the line around it. */
static void
add_of_arms (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, gboolean show, AddMarks add)
{
  if (!show || frame->arm_opacity <= 0. || painter->joints->len == 0)
    return;
  for (guint arm = 0; arm < painter->n_arms; arm++) {
    if (frame->settings->casing > 0.)
      add (painter, frame, view, arm, TRUE);
    add (painter, frame, view, arm, FALSE);
  }
}

/* Ink */

static gboolean
ensure_ink (FourierPainter * painter, const CsPicture * output, GError ** error)
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

/* Clears the ink unless more can be added to it for this frame. */
static gboolean
check_ink (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, GError ** error)
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
add_stamp (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, const FourierSegment * segment)
{
  const gdouble margin = frame->settings->trail_width;
  const CsInkSegment stamp = {
    .x0 = fourier_view_x (view, segment->x0),
    .y0 = fourier_view_y (view, segment->y0),
    .x1 = fourier_view_x (view, segment->x1),
    .y1 = fourier_view_y (view, segment->y1),
    .time = segment->end * frame->span,
  };

  /* outside of the frame */
  if (MAX (stamp.x0, stamp.x1) < -margin || MAX (stamp.y0, stamp.y1) < -margin
      || MIN (stamp.x0, stamp.x1) > painter->ink_width + margin
      || MIN (stamp.y0, stamp.y1) > painter->ink_height + margin)
    return;
  cs_array_append_val (painter->stamps, stamp);
}

/* The drawn part of each arm's present segment is a mark: ink takes whole
 * segments, so that a frame does not depend on those before it. */
static void
add_begun (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view)
{
  const CsArray *segments = frame->drawing->segments;
  gdouble part;

  for (guint i = painter->n_inked; i < segments->len; i++) {
    const FourierSegment *segment = &cs_array_index (segments,
        FourierSegment, i);

    if (segment->end > frame->progress + frame->drawing->longest)
      break;
    if (segment->begin >= frame->progress)
      continue;
    part = (frame->progress - segment->begin) / (segment->end - segment->begin);
    CsMark mark = make_line (view, segment->x0, segment->y0,
        segment->x0 + (segment->x1 - segment->x0) * part,
        segment->y0 + (segment->y1 - segment->y0) * part,
        frame->settings->trail_width, to_rgba (frame->settings->trail_color,
            1.), GROUP_NONE);
    cs_array_append_val (painter->marks, mark);
  }
}

static gboolean
update_ink (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, const CsPicture * output, GError ** error)
{
  const CsArray *segments = frame->drawing->segments;
  guint i;

  if (!ensure_ink (painter, output, error) ||
      !check_ink (painter, frame, view, error))
    return FALSE;
  cs_array_empty (painter->stamps);
  for (i = painter->n_inked; i < segments->len; i++) {
    const FourierSegment *segment = &cs_array_index (segments,
        FourierSegment, i);

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
has_base (const FourierFrame * frame)
{
  return frame->settings->camera == FOURIER_CAMERA_FIT &&
      (frame->background != CS_BACKGROUND_FRAME || frame->background_id != 0);
}

static gboolean
base_is_valid (const FourierPainter * painter, const FourierFrame * frame)
{
  const FourierSettings *settings = frame->settings;

  return painter->base_valid &&
      painter->base_key.serial == (frame->drawing ? frame->drawing->serial : 0)
      && painter->base_key.background == frame->background
      && painter->base_key.background_id == frame->background_id
      && painter->base_key.ghost_color == settings->ghost_color
      && painter->base_key.ghost_opacity == settings->ghost_opacity
      && painter->base_key.width == settings->trail_width;
}

gboolean
fourier_painter_needs_background (const FourierPainter * painter,
    const FourierFrame * frame)
{
  return frame->background == CS_BACKGROUND_FRAME &&
      !(has_base (frame) && base_is_valid (painter, frame));
}

/* Memory for a picture like @output. */
static gboolean
make_base (FourierPainter * painter, const CsPicture * output, GError ** error)
{
  const gsize size = cs_picture_place (output, NULL, NULL);
  void *data;

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
  if (data)
    cs_picture_place (output, data, &painter->base);
  return data != NULL;
}

static gboolean
paint_ghost (FourierPainter * painter, const FourierFrame * frame,
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

static gboolean
update_ghost (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, GError ** error)
{
  if (base_is_valid (painter, frame))
    return TRUE;
  painter->base_key.serial = frame->drawing ? frame->drawing->serial : 0;
  painter->base_key.background = frame->background;
  painter->base_key.background_id = frame->background_id;
  painter->base_key.ghost_color = frame->settings->ghost_color;
  painter->base_key.ghost_opacity = frame->settings->ghost_opacity;
  painter->base_key.width = frame->settings->trail_width;
  painter->ghost_version++;
  cs_array_empty (painter->ghost);
  add_ghost (painter->ghost, frame, view);
  return !painter->ghost->failed ||
      cs_fail_no_memory (error, "the ghost of a drawing");
}

/* Whether complete pieces of the trail are kept in the base. */
static gboolean
keeps_pieces (const FourierFrame * frame, FourierTrailLook * look)
{
  return frame->drawing && has_base (frame) &&
      fourier_trail_get_look (frame->settings, look) &&
      frame->settings->trail == FOURIER_TRAIL_FULL;
}

/* The base is painted again if it has pieces that the frame must not show. */
static void
check_pieces (FourierPainter * painter, const FourierFrame * frame)
{
  FourierTrailLook look;
  const guint n = keeps_pieces (frame, &look) ?
      fourier_trail_count (frame->drawing, frame->progress) : 0;

  if (painter->n_pieces > n || (painter->n_pieces > 0 &&
          memcmp (&painter->pieces_look, &look, sizeof (look)) != 0))
    painter->base_valid = FALSE;
}

/* Adds the pieces that are complete now to the base. */
static gboolean
paint_pieces (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, GError ** error)
{
  const FourierTrailTime time = {.progress = frame->progress };
  FourierTrailLook look;
  CsMarks marks = {.memory = CS_MEMORY_HOST };
  CsRasterSettings settings;

  if (!keeps_pieces (frame, &look))
    return TRUE;
  const guint n = fourier_trail_count (frame->drawing, frame->progress);
  if (n <= painter->n_pieces)
    return TRUE;
  cs_array_empty (painter->pieces);
  fourier_trail_append (painter->pieces, frame->drawing, &look, view,
      &time, painter->n_pieces, n);
  /* until all are in it */
  painter->base_valid = FALSE;
  if (painter->pieces->failed)
    return cs_fail_no_memory (error, "the ink of a frame");
  marks.marks = (const CsMark *) (gpointer) painter->pieces->data;
  marks.n = painter->pieces->len;
  cs_raster_settings_init (&settings);
  if (marks.n > 0 && !cs_raster_run (painter->raster, &marks, &settings,
          &painter->base, &painter->base, error))
    return FALSE;
  painter->n_pieces = n;
  painter->pieces_look = look;
  painter->base_valid = TRUE;
  return TRUE;
}

/* The pieces that the base does not have. */
static void
add_pieces (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, const FourierTrailLook * look)
{
  const FourierSettings *settings = frame->settings;
  const guint n = fourier_trail_get_n_pieces (frame->drawing);
  FourierTrailTime time = {.progress = frame->progress };
  guint first = painter->base_valid ? painter->n_pieces : 0, last;

  if (settings->trail == FOURIER_TRAIL_FADE) {
    time.fade = settings->fade_time / MAX (frame->span, 1e-9);
    time.progress = MAX (frame->progress, frame->seconds / MAX (frame->span,
            1e-9));
    first = fourier_trail_count (frame->drawing, time.progress - time.fade);
  }
  last = fourier_trail_count (frame->drawing, frame->progress);
  /* those that have begun */
  last = MIN (n, last + 2);
  fourier_trail_append (painter->marks, frame->drawing, look, view,
      &time, first, last);
}

/* Paints the background and the ghost, once if they stay the same.
 *
 * @input: (out) (nullable): what the rest is painted on */
static gboolean
paint_base (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, const CsPicture * background,
    const CsPicture * output, const CsPicture ** input, GError ** error)
{
  *input = background;
  if (frame->settings->camera != FOURIER_CAMERA_FIT) {
    painter->base_valid = FALSE;
    painter->n_pieces = 0;
    add_ghost (painter->marks, frame, view);
    return TRUE;
  }
  if (has_base (frame)) {
    *input = &painter->base;
    check_pieces (painter, frame);
    if (base_is_valid (painter, frame))
      return paint_pieces (painter, frame, view, error);
    painter->base_valid = FALSE;
    painter->n_pieces = 0;
    if (!update_ghost (painter, frame, view, error) ||
        !make_base (painter, output, error) ||
        !paint_ghost (painter, frame, background, &painter->base, error))
      return FALSE;
    painter->base_valid = TRUE;
    return paint_pieces (painter, frame, view, error);
  }
  painter->n_pieces = 0;
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
add_trail (FourierPainter * painter, const FourierFrame * frame,
    const FourierView * view, const CsPicture * output,
    CsRasterSettings * settings, GError ** error)
{
  const FourierSettings *look = frame->settings;

  settings->ink_after = painter->marks->len;
  if (!frame->drawing || look->trail == FOURIER_TRAIL_NONE ||
      fourier_trail_get_look (look, &(FourierTrailLook) { 0 }))
    return TRUE;
  if (!update_ink (painter, frame, view, output, error))
    return FALSE;
  settings->ink = painter->ink;
  settings->ink_rgba = to_rgba (look->trail_color, 1.);
  settings->ink_now = MAX (frame->seconds, frame->progress * frame->span) +
      INK_MARGIN;
  if (look->trail == FOURIER_TRAIL_FADE)
    settings->ink_fade = look->fade_time;
  add_begun (painter, frame, view);
  return TRUE;
}

gboolean
fourier_painter_paint (FourierPainter * painter,
    const FourierFrame * frame, const CsPicture * background,
    const CsPicture * output, FourierView * view, GError ** error)
{
  const CsPicture *input;
  FourierTrailLook look;
  CsRasterSettings settings;
  CsMarks marks = {.memory = CS_MEMORY_HOST };

  /* The joints of all arms. */
  cs_array_empty (painter->joints);
  cs_array_empty (painter->turned);
  painter->n_arms = frame->drawing ? frame->drawing->n_arms : 0;
  for (guint arm = 0; arm < painter->n_arms; arm++) {
    append_joints (painter, frame, arm);
    painter->arm_ends[arm] = painter->joints->len;
  }
  *view = get_view (painter, frame, output);
  cs_array_empty (painter->marks);
  if (!paint_base (painter, frame, view, background, output, &input, error))
    return FALSE;

  cs_raster_settings_init (&settings);
  settings.background = input ? CS_BACKGROUND_FRAME : frame->background;
  if (frame->drawing && fourier_trail_get_look (frame->settings, &look))
    add_pieces (painter, frame, view, &look);
  add_of_arms (painter, frame, view, frame->settings->draw_circles,
      add_circles);
  if (!add_trail (painter, frame, view, output, &settings, error))
    return FALSE;
  add_of_arms (painter, frame, view, frame->settings->draw_arm, add_arm);
  add_of_arms (painter, frame, view, frame->settings->draw_tip, add_tip);
  if (painter->marks->failed || painter->joints->failed ||
      painter->turned->failed)
    return cs_fail_no_memory (error, "the arm of a frame");
  marks.marks = (const CsMark *) (gpointer) painter->marks->data;
  marks.n = painter->marks->len;
  return cs_raster_run (painter->raster, &marks, &settings, input, output,
      error) && (!frame->pending ||
      fourier_brush_ink_paint (&painter->brush_ink, painter->executor,
          frame->pending, to_rgba (frame->settings->brush_color, 1.), view,
          output, error));
}
