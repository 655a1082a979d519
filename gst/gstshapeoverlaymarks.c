/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeoverlaymarks.h"

#include <float.h>
#include <math.h>

/* How far beyond its border a mark can touch a pixel's centre, and a little
 * more. */
#define REACH 1.

/* The tile engine's. */
#define MAX_COORDINATE 1073741824.

/* Sides of an ellipse: about this many pixels long, within limits. */
#define SIDE_LENGTH 3.
#define MIN_SIDES 16
#define MAX_SIDES 1024

enum
{
  KIND_NONE,
  KIND_LINES,
  KIND_DOTS,
  KIND_RINGS,
  KIND_DISCS,
};

typedef struct
{
  gdouble x0, y0, x1, y1;
} Line;

void
gst_shape_marks_init (GstShapeMarks * self)
{
  *self = (GstShapeMarks) {
  .marks = cs_array_new (sizeof (CsMark))};
}

void
gst_shape_marks_clear (GstShapeMarks * self)
{
  g_clear_pointer (&self->marks, cs_array_free);
}

void
gst_shape_marks_begin (GstShapeMarks * self, guint width, guint height,
    guint set_width, guint set_height)
{
  cs_array_empty (self->marks);
  self->lacks_filling = FALSE;
  self->kind = KIND_NONE;
  self->group = 0;
  self->width = width;
  self->height = height;
  self->scale_x = set_width ? (gdouble) width / set_width : 1.;
  self->scale_y = set_height ? (gdouble) height / set_height : 1.;
  self->shift_x = .5 * self->scale_x - .5;
  self->shift_y = .5 * self->scale_y - .5;
}

/* Paint */

/* Thinner lines are painted as if they were one pixel wide, but fainter. */
static gdouble
line_radius (const GstShapePaint * paint)
{
  return .5 * MAX (paint->line_width, 1.f);
}

static guint32
to_rgba (guint32 argb, gdouble opacity)
{
  const gdouble alpha = (argb >> 24) * CLAMP (opacity, 0., 1.);

  return argb << 8 | (guint32) (alpha + .5);
}

static guint32
line_rgba (const GstShapePaint * paint)
{
  return to_rgba (paint->argb, paint->line_opacity *
      CLAMP (paint->line_width, 0.f, 1.f));
}

static guint32
fill_rgba (const GstShapePaint * paint)
{
  return to_rgba (paint->argb, paint->fill_opacity);
}

static gboolean
is_visible (guint32 rgba)
{
  return (rgba & 0xff) != 0;
}

/* Shapes of equal paint that follow each other are painted as one. */
static void
begin_group (GstShapeMarks * self, gint kind, const GstShapePaint * paint)
{
  const GstShapePaint *last = &self->paint;

  if (self->kind == kind && last->argb == paint->argb
      && last->line_opacity == paint->line_opacity
      && last->fill_opacity == paint->fill_opacity
      && last->line_width == paint->line_width
      && last->dashed == paint->dashed && last->group == paint->group)
    return;
  self->kind = kind;
  self->paint = *paint;
  self->group++;
}

/* Lines */

static gboolean
map_point (const GstShapeMarks * self, const GstShapePoint * point,
    gdouble * x, gdouble * y)
{
  *x = point->x * self->scale_x + self->shift_x;
  *y = point->y * self->scale_y + self->shift_y;
  return isfinite (point->x) && isfinite (point->y);
}

/* Cuts @line where it leaves the frame grown by @margin; FALSE if nothing is
 * left (Liang and Barsky). *@start becomes the length that was cut off before.
 * What rounding of huge coordinates does stays within the margins. */
static gboolean
clip (const GstShapeMarks * self, Line * line, gdouble margin, gdouble * start)
{
  const gdouble right = self->width - 1. + margin;
  const gdouble bottom = self->height - 1. + margin;
  const gdouble dx = line->x1 - line->x0, dy = line->y1 - line->y0;
  const gdouble towards[4] = { -dx, dx, -dy, dy };
  const gdouble room[4] = { line->x0 + margin, right - line->x0,
    line->y0 + margin, bottom - line->y0
  };
  gdouble enter = 0., leave = 1.;
  guint i;

  for (i = 0; i < 4; i++) {
    if (towards[i] < 0.)
      enter = MAX (enter, room[i] / towards[i]);
    else if (towards[i] > 0.)
      leave = MIN (leave, room[i] / towards[i]);
    else if (room[i] < 0.)
      return FALSE;
  }
  if (enter > leave)
    return FALSE;
  *start = enter * hypot (dx, dy);
  if (leave < 1.) {
    line->x1 = line->x0 + leave * dx;
    line->y1 = line->y0 + leave * dy;
  }
  if (enter > 0.) {
    line->x0 += enter * dx;
    line->y0 += enter * dy;
  }
  line->x0 = CLAMP (line->x0, -margin, right);
  line->y0 = CLAMP (line->y0, -margin, bottom);
  line->x1 = CLAMP (line->x1, -margin, right);
  line->y1 = CLAMP (line->y1, -margin, bottom);
  return TRUE;
}

static void
append_capsule (GstShapeMarks * self, gdouble x0, gdouble y0, gdouble x1,
    gdouble y1, gdouble radius, guint32 rgba)
{
  const CsMark mark = { (gfloat) x0, (gfloat) y0, (gfloat) x1, (gfloat) y1,
    (gfloat) radius, 0.f, rgba, self->group
  };

  cs_array_append_val (self->marks, mark);
}

/* The dashes of a line that begins @phase after the beginning of a dash; a line
 * without length is a dot. */
static void
append_dashes (GstShapeMarks * self, const Line * line, gdouble phase,
    const GstShapePaint * paint, guint32 rgba)
{
  const gdouble dx = line->x1 - line->x0, dy = line->y1 - line->y0;
  const gdouble length = hypot (dx, dy), radius = line_radius (paint);
  const gdouble on = gst_shape_paint_dash_length (paint);
  const gdouble period = gst_shape_paint_dash_period (paint);
  const guint n = (guint) (length / period) + 2;
  guint i;

  if (length < 1e-9) {
    if (phase < on)
      append_capsule (self, line->x0, line->y0, line->x0, line->y0, radius,
          rgba);
    return;
  }
  for (i = 0; i < n; i++) {
    const gdouble from = MAX (0., i * period - phase) / length;
    const gdouble to = MIN (length, i * period - phase + on) / length;

    if (from <= to)
      append_capsule (self, line->x0 + from * dx, line->y0 + from * dy,
          line->x0 + to * dx, line->y0 + to * dy, radius, rgba);
  }
}

/* @phase: less than a period */
static void
append_line (GstShapeMarks * self, Line line, gdouble phase,
    const GstShapePaint * paint, guint32 rgba)
{
  const gdouble radius = line_radius (paint);
  gdouble start;

  if (!clip (self, &line, radius + REACH, &start))
    return;
  if (paint->dashed)
    append_dashes (self, &line, fmod (phase + start,
            gst_shape_paint_dash_period (paint)), paint, rgba);
  else
    append_capsule (self, line.x0, line.y0, line.x1, line.y1, radius, rgba);
}

static void
append_lines (GstShapeMarks * self, const GstShapePoint * points, gsize n,
    const GstShapePaint * paint, guint32 rgba)
{
  Line line = { 0., 0., 0., 0. };
  gboolean before, finite;
  gdouble phase = 0.;
  gsize i;

  finite = map_point (self, &points[0], &line.x1, &line.y1);
  for (i = 1; i < n; i++) {
    before = finite;
    line.x0 = line.x1;
    line.y0 = line.y1;
    finite = map_point (self, &points[i], &line.x1, &line.y1);
    if (!before || !finite)
      continue;
    append_line (self, line, phase, paint, rgba);
    if (paint->dashed)
      phase = fmod (phase + hypot (line.x1 - line.x0, line.y1 - line.y0),
          gst_shape_paint_dash_period (paint));
  }
  if (n == 1 && finite) {
    line.x0 = line.x1;
    line.y0 = line.y1;
    append_line (self, line, 0., paint, rgba);
  }
}

void
gst_shape_marks_add_polyline (GstShapeMarks * self,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint)
{
  const guint32 rgba = line_rgba (paint);

  if (n == 0)
    return;
  self->lacks_filling |= is_visible (fill_rgba (paint)) && !paint->hollow
      && n > 3 && points[0].x == points[n - 1].x && points[0].y == points[n - 1].y;
  if (!is_visible (rgba))
    return;
  begin_group (self, KIND_LINES, paint);
  append_lines (self, points, n, paint, rgba);
}

void
gst_shape_marks_add_dots (GstShapeMarks * self, const GstShapePoint * points,
    gsize n, const GstShapePaint * paint)
{
  const guint32 rgba = line_rgba (paint);
  gsize i;

  if (!is_visible (rgba))
    return;
  begin_group (self, KIND_DOTS, paint);
  for (i = 0; i < n; i++) {
    gdouble start;
    Line line;

    if (!map_point (self, &points[i], &line.x0, &line.y0))
      continue;
    line.x1 = line.x0;
    line.y1 = line.y0;
    if (clip (self, &line, line_radius (paint) + REACH, &start))
      append_capsule (self, line.x0, line.y0, line.x0, line.y0,
          line_radius (paint), rgba);
  }
}

/* Circles */

static gboolean
is_stretched (const GstShapeMarks * self)
{
  return fabs (self->scale_x - self->scale_y) > 1e-6 * self->scale_x;
}

/* Whether a circle can be seen. Those whose middle or radius is beyond what
 * marks can have are not. */
static gboolean
circle_touches_frame (const GstShapeMarks * self, const GstShapeCircle * c,
    gdouble reach)
{
  const gdouble x = c->x * self->scale_x + self->shift_x;
  const gdouble y = c->y * self->scale_y + self->shift_y;
  const gdouble a = c->r * self->scale_x + reach;
  const gdouble b = c->r * self->scale_y + reach;

  return isfinite (c->x) && isfinite (c->y) && isfinite (c->r) && c->r > 0.f
      && fabs (x) < MAX_COORDINATE && fabs (y) < MAX_COORDINATE
      && a < MAX_COORDINATE && b < MAX_COORDINATE
      && c->r * self->scale_x > FLT_MIN && x + a >= 0.
      && x - a <= self->width - 1. && y + b >= 0.
      && y - b <= self->height - 1.;
}

static void
append_round (GstShapeMarks * self, const GstShapeCircle * c,
    gdouble half_width, guint32 rgba)
{
  const gfloat x = (gfloat) (c->x * self->scale_x + self->shift_x);
  const gfloat y = (gfloat) (c->y * self->scale_y + self->shift_y);
  const CsMark mark = { x, y, x, y, (gfloat) (c->r * self->scale_x),
    (gfloat) half_width, rgba, self->group
  };

  cs_array_append_val (self->marks, mark);
}

/* A polygon in place of an ellipse's outline. */
static void
append_ellipse (GstShapeMarks * self, const GstShapeCircle * c,
    const GstShapePaint * paint, guint32 rgba)
{
  const gdouble a = c->r * self->scale_x, b = c->r * self->scale_y;
  const guint n = (guint) CLAMP (2. * G_PI * MAX (a, b) / SIDE_LENGTH,
      MIN_SIDES, MAX_SIDES);
  const gdouble x = c->x * self->scale_x + self->shift_x;
  const gdouble y = c->y * self->scale_y + self->shift_y;
  GstShapePaint solid = *paint;
  Line line = { 0., 0., x + a, y };
  guint i;

  solid.dashed = FALSE;
  for (i = 1; i <= n; i++) {
    const gdouble angle = 2. * G_PI * i / n;

    line.x0 = line.x1;
    line.y0 = line.y1;
    line.x1 = x + a * cos (angle);
    line.y1 = y + b * sin (angle);
    append_line (self, line, 0., &solid, rgba);
  }
}

static void
append_outlines (GstShapeMarks * self, const GstShapeCircle * circles,
    gsize n, const GstShapePaint * paint, guint32 rgba)
{
  const gdouble radius = line_radius (paint);
  const gboolean stretched = is_stretched (self);
  gsize i;

  begin_group (self, KIND_RINGS, paint);
  for (i = 0; i < n; i++) {
    if (!circle_touches_frame (self, &circles[i], radius + REACH))
      continue;
    if (stretched)
      append_ellipse (self, &circles[i], paint, rgba);
    else
      append_round (self, &circles[i], radius, rgba);
  }
}

void
gst_shape_marks_add_circles (GstShapeMarks * self,
    const GstShapeCircle * circles, gsize n, const GstShapePaint * paint)
{
  const guint32 fill = fill_rgba (paint), line = line_rgba (paint);
  gsize i;

  if (is_visible (fill) && is_stretched (self)) {
    self->lacks_filling |= n > 0;
  } else if (is_visible (fill)) {
    begin_group (self, KIND_DISCS, paint);
    for (i = 0; i < n; i++)
      if (circle_touches_frame (self, &circles[i], REACH))
        append_round (self, &circles[i], 0., fill);
  }
  if (is_visible (line))
    append_outlines (self, circles, n, paint, line);
}
