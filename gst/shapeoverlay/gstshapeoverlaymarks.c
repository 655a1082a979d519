/* SPDX-License-Identifier: LGPL-2.1-or-later */
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
    .marks = cs_array_new (sizeof (CsMark)),
    .fills = cs_array_new (sizeof (CsFill)),
    .rings = cs_array_new (sizeof (guint32)),
    .points = cs_array_new (2 * sizeof (gfloat)),
  };
}

void
gst_shape_marks_clear (GstShapeMarks * self)
{
  g_clear_pointer (&self->marks, cs_array_free);
  g_clear_pointer (&self->fills, cs_array_free);
  g_clear_pointer (&self->rings, cs_array_free);
  g_clear_pointer (&self->points, cs_array_free);
}

void
gst_shape_marks_begin (GstShapeMarks * self, guint width, guint height,
    guint set_width, guint set_height)
{
  cs_array_empty (self->marks);
  cs_array_empty (self->fills);
  cs_array_empty (self->rings);
  cs_array_empty (self->points);
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
  return to_rgba (paint->argb, paint->line_opacity * CLAMP (paint->line_width,
          0.f, 1.f));
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

/* A fill below what follows, without rings yet. */
static void
begin_fill (GstShapeMarks * self, CsFillRule rule, guint32 rgba)
{
  const CsFill fill = {.first_ring = (guint32) self->rings->len,.rule = rule };
  const CsMark mark = {.half_width = CS_MARK_FILL,.rgba = rgba,
    .group = (guint32) self->fills->len
  };

  cs_array_append_val (self->fills, fill);
  cs_array_append_val (self->marks, mark);
}

/* Shapes of equal paint that follow each other are painted as one. Returns:
 * whether this is the first one of them */
static gboolean
begin_group (GstShapeMarks * self, gint kind, const GstShapePaint * paint)
{
  const GstShapePaint *last = &self->paint;

  if (self->kind == kind && last->argb == paint->argb
      && last->line_opacity == paint->line_opacity
      && last->fill_opacity == paint->fill_opacity
      && last->line_width == paint->line_width
      && last->dashed == paint->dashed && last->group == paint->group)
    return FALSE;
  self->kind = kind;
  self->paint = *paint;
  self->group++;
  return TRUE;
}

/* Dashes */

/* Length of a dash, and of a dash and the gap after it, in pixels. */
static gdouble
dash_length (const GstShapePaint * paint)
{
  return MAX (3. * paint->line_width, 4.);
}

static gdouble
dash_period (const GstShapePaint * paint)
{
  return dash_length (paint) + MAX (3.5 * paint->line_width, 5.);
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
 * A cut end lies on the border itself, and what rounding of huge coordinates
 * does to the other coordinate stays within the margins. */
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
  const gdouble borders[4] = { -margin, right, -margin, bottom };
  gdouble enter = 0., leave = 1.;
  guint first = 0, last = 0, i;

  *start = 0.;
  if (room[0] >= 0. && room[1] >= 0. && room[2] >= 0. && room[3] >= 0.
      && room[1] >= dx && room[0] >= -dx && room[3] >= dy && room[2] >= -dy)
    return TRUE;
  for (i = 0; i < 4; i++) {
    const gdouble at = room[i] / towards[i];

    if (towards[i] < 0. && at > enter) {
      enter = at;
      first = i;
    } else if (towards[i] > 0. && at < leave) {
      leave = at;
      last = i;
    } else if (towards[i] == 0. && room[i] < 0.) {
      return FALSE;
    }
  }
  if (enter > leave)
    return FALSE;
  if (enter > 0.)
    *start = enter * hypot (dx, dy);
  if (leave < 1.) {
    line->x1 = last < 2 ? borders[last] : line->x0 + leave * dx;
    line->y1 = last < 2 ? line->y0 + leave * dy : borders[last];
  }
  if (enter > 0.) {
    line->x0 = first < 2 ? borders[first] : line->x0 + enter * dx;
    line->y0 = first < 2 ? line->y0 + enter * dy : borders[first];
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
  const gdouble on = dash_length (paint);
  const gdouble period = dash_period (paint);
  const guint n = (guint) (length / period) + 2;

  if (length < 1e-9) {
    if (phase < on)
      append_capsule (self, line->x0, line->y0, line->x0, line->y0, radius,
          rgba);
    return;
  }
  for (guint i = 0; i < n; i++) {
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
    append_dashes (self, &line, fmod (phase + start, dash_period (paint)),
        paint, rgba);
  else
    append_capsule (self, line.x0, line.y0, line.x1, line.y1, radius, rgba);
}

/* The extent of finite points in the frame's space; FALSE if there are
 * others. */
static gboolean
find_extent (const GstShapeMarks * self, const GstShapePoint * points, gsize n,
    Line * box)
{
  gfloat x0 = FLT_MAX, y0 = FLT_MAX, x1 = -FLT_MAX, y1 = -FLT_MAX;
  gboolean finite = TRUE;

  for (gsize i = 0; i < n; i++) {
    const gfloat x = points[i].x, y = points[i].y;

    finite &= fabsf (x) <= FLT_MAX && fabsf (y) <= FLT_MAX;
    x0 = MIN (x0, x);
    y0 = MIN (y0, y);
    x1 = MAX (x1, x);
    y1 = MAX (y1, y);
  }
  *box = (Line) {
    x0 * self->scale_x + self->shift_x, y0 * self->scale_y + self->shift_y,
    x1 * self->scale_x + self->shift_x, y1 * self->scale_y + self->shift_y
  };
  return finite;
}

/* Whether a line between two points of the box need not be cut. */
static gboolean
is_inside (const GstShapeMarks * self, const Line * box, gdouble margin)
{
  return box->x0 >= -margin && box->x1 <= self->width - 1. + margin
      && box->y0 >= -margin && box->y1 <= self->height - 1. + margin;
}

/* Lines from point to point that need not be cut; @n is at least 2. */
static void
append_inner_lines (GstShapeMarks * self, const GstShapePoint * points, gsize n,
    const GstShapePaint * paint, guint32 rgba)
{
  const gdouble scale_x = self->scale_x, scale_y = self->scale_y;
  const gdouble shift_x = self->shift_x, shift_y = self->shift_y;
  const gsize first = self->marks->len;
  CsMark mark = {.x1 = (gfloat) (points[0].x * scale_x + shift_x),
    .y1 = (gfloat) (points[0].y * scale_y + shift_y),
    .radius = (gfloat) line_radius (paint),.rgba = rgba,.group = self->group
  };

  if (!cs_array_set_size (self->marks, first + n - 1))
    return;
  CsMark *to = &cs_array_index (self->marks, CsMark, first);
  for (gsize i = 0; i + 1 < n; i++) {
    mark.x0 = mark.x1;
    mark.y0 = mark.y1;
    mark.x1 = (gfloat) (points[i + 1].x * scale_x + shift_x);
    mark.y1 = (gfloat) (points[i + 1].y * scale_y + shift_y);
    to[i] = mark;
  }
}

/* Lines that are dashed, or have to be cut, or have an end that is nowhere. */
static void
append_any_lines (GstShapeMarks * self, const GstShapePoint * points, gsize n,
    const GstShapePaint * paint, guint32 rgba)
{
  Line line = { 0., 0., 0., 0. };
  gdouble phase = 0.;

  gboolean finite = map_point (self, &points[0], &line.x1, &line.y1);
  for (gsize i = 1; i < n; i++) {
    const gboolean before = finite;
    line.x0 = line.x1;
    line.y0 = line.y1;
    finite = map_point (self, &points[i], &line.x1, &line.y1);
    if (!before || !finite)
      continue;
    append_line (self, line, phase, paint, rgba);
    if (paint->dashed)
      phase = fmod (phase + hypot (line.x1 - line.x0, line.y1 - line.y0),
          dash_period (paint));
  }
  if (n == 1 && finite) {
    line.x0 = line.x1;
    line.y0 = line.y1;
    append_line (self, line, 0., paint, rgba);
  }
}

static void
append_lines (GstShapeMarks * self, const GstShapePoint * points, gsize n,
    const GstShapePaint * paint, guint32 rgba)
{
  Line box;

  if (n > 1 && !paint->dashed && find_extent (self, points, n, &box)
      && is_inside (self, &box, line_radius (paint) + REACH))
    append_inner_lines (self, points, n, paint, rgba);
  else
    append_any_lines (self, points, n, paint, rgba);
}

/* Rings */

static gboolean
touches_frame (const GstShapeMarks * self, const Line * box)
{
  return box->x1 >= -REACH && box->y1 >= -REACH
      && box->x0 <= self->width - 1. + REACH
      && box->y0 <= self->height - 1. + REACH;
}

/* Rings begin in @rings; their end is that of the next one, or of all
 * points. */
static void
begin_ring (GstShapeMarks * self)
{
  const guint32 start = (guint32) self->points->len;

  cs_array_append_val (self->rings, start);
  if (self->fills->len > 0)
    cs_array_index (self->fills, CsFill, self->fills->len - 1).n_rings++;
}

/* A closed polyline, whose last point is not needed. */
static void
append_ring (GstShapeMarks * self, const GstShapePoint * points, gsize n)
{
  const gsize first = self->points->len;
  Line box;

  if (!find_extent (self, points, n, &box) || !touches_frame (self, &box))
    return;
  begin_ring (self);
  if (first + n > G_MAXUINT32) {
    self->points->failed = TRUE;
    return;
  }
  if (!cs_array_set_size (self->points, first + n - 1))
    return;
  gfloat *to = &cs_array_index (self->points, gfloat, 2 * first);
  for (gsize i = 0; i + 1 < n; i++) {
    to[2 * i] = (gfloat) (points[i].x * self->scale_x + self->shift_x);
    to[2 * i + 1] = (gfloat) (points[i].y * self->scale_y + self->shift_y);
  }
}

static gboolean
is_ring (const GstShapePoint * points, gsize n)
{
  return n > 3 && points[0].x == points[n - 1].x
      && points[0].y == points[n - 1].y;
}

void
gst_shape_marks_add_polyline (GstShapeMarks * self,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint)
{
  const guint32 fill = fill_rgba (paint), rgba = line_rgba (paint);

  if (n == 0 || (!is_visible (fill) && !is_visible (rgba)))
    return;
  if (begin_group (self, KIND_LINES, paint) && is_visible (fill))
    begin_fill (self, CS_FILL_EVEN_ODD, fill);
  if (is_visible (fill) && !paint->hollow && is_ring (points, n))
    append_ring (self, points, n);
  if (is_visible (rgba))
    append_lines (self, points, n, paint, rgba);
}

void
gst_shape_marks_add_dots (GstShapeMarks * self, const GstShapePoint * points,
    gsize n, const GstShapePaint * paint)
{
  const guint32 rgba = line_rgba (paint);

  if (!is_visible (rgba))
    return;
  begin_group (self, KIND_DOTS, paint);
  for (gsize i = 0; i < n; i++) {
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

/* Of the polygon in place of an ellipse. */
static guint
count_sides (const GstShapeMarks * self, const GstShapeCircle * c)
{
  return (guint) CLAMP (2. * G_PI * c->r * MAX (self->scale_x, self->scale_y)
      / SIDE_LENGTH, MIN_SIDES, MAX_SIDES);
}

static void
append_ellipse_ring (GstShapeMarks * self, const GstShapeCircle * c)
{
  const guint n = count_sides (self, c);

  begin_ring (self);
  for (guint i = 0; i < n; i++) {
    const gdouble angle = 2. * G_PI * i / n;
    const gfloat point[2] = {
      (gfloat) ((c->x + c->r * cos (angle)) * self->scale_x + self->shift_x),
      (gfloat) ((c->y + c->r * sin (angle)) * self->scale_y + self->shift_y)
    };

    cs_array_append (self->points, point, 1);
  }
}

static void
append_ellipse (GstShapeMarks * self, const GstShapeCircle * c,
    const GstShapePaint * paint, guint32 rgba)
{
  const gdouble a = c->r * self->scale_x, b = c->r * self->scale_y;
  const guint n = count_sides (self, c);
  const gdouble x = c->x * self->scale_x + self->shift_x;
  const gdouble y = c->y * self->scale_y + self->shift_y;
  GstShapePaint solid = *paint;
  Line line = { 0., 0., x + a, y };

  solid.dashed = FALSE;
  for (guint i = 1; i <= n; i++) {
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

  begin_group (self, KIND_RINGS, paint);
  for (gsize i = 0; i < n; i++) {
    if (!circle_touches_frame (self, &circles[i], radius + REACH))
      continue;
    if (stretched)
      append_ellipse (self, &circles[i], paint, rgba);
    else
      append_round (self, &circles[i], radius, rgba);
  }
}

/* Overlapping circles are one region. */
static void
append_insides (GstShapeMarks * self, const GstShapeCircle * circles,
    gsize n, const GstShapePaint * paint, guint32 rgba)
{
  const gboolean stretched = is_stretched (self);

  if (begin_group (self, KIND_DISCS, paint) && stretched)
    begin_fill (self, CS_FILL_NONZERO, rgba);
  for (gsize i = 0; i < n; i++) {
    if (!circle_touches_frame (self, &circles[i], REACH))
      continue;
    if (stretched)
      append_ellipse_ring (self, &circles[i]);
    else
      append_round (self, &circles[i], 0., rgba);
  }
}

void
gst_shape_marks_add_circles (GstShapeMarks * self,
    const GstShapeCircle * circles, gsize n, const GstShapePaint * paint)
{
  const guint32 fill = fill_rgba (paint), line = line_rgba (paint);

  if (is_visible (fill))
    append_insides (self, circles, n, paint, fill);
  if (is_visible (line))
    append_outlines (self, circles, n, paint, line);
}

/* In the frame's space */

void
gst_shape_marks_map (const GstShapeMarks * self, gdouble * x, gdouble * y)
{
  *x = *x * self->scale_x + self->shift_x;
  *y = *y * self->scale_y + self->shift_y;
}

void
gst_shape_marks_begin_region (GstShapeMarks * self, guint32 argb,
    gdouble opacity)
{
  self->kind = KIND_NONE;
  begin_fill (self, CS_FILL_NONZERO, to_rgba (argb, opacity));
}

void
gst_shape_marks_add_rings (GstShapeMarks * self, guint n)
{
  if (self->fills->len > 0)
    cs_array_index (self->fills, CsFill, self->fills->len - 1).n_rings += n;
}

void
gst_shape_marks_add_box (GstShapeMarks * self, gdouble x0, gdouble y0,
    gdouble x1, gdouble y1, guint32 argb, gdouble opacity)
{
  const gfloat corners[] = { (gfloat) x0, (gfloat) y0, (gfloat) x1,
    (gfloat) y0, (gfloat) x1, (gfloat) y1, (gfloat) x0, (gfloat) y1
  };

  gst_shape_marks_begin_region (self, argb, opacity);
  begin_ring (self);
  cs_array_append (self->points, corners, 4);
}

/* The result */

gboolean
gst_shape_marks_is_empty (const GstShapeMarks * self)
{
  return self->marks->len == self->fills->len && self->rings->len == 0
      && !gst_shape_marks_have_failed (self);
}

gboolean
gst_shape_marks_have_failed (const GstShapeMarks * self)
{
  return self->marks->failed || self->fills->failed || self->rings->failed
      || self->points->failed;
}

CsMarks
gst_shape_marks_get (GstShapeMarks * self)
{
  const guint32 end = (guint32) self->points->len;
  const gsize n_rings = self->rings->len;

  /* not one more ring */
  cs_array_append_val (self->rings, end);
  self->all_fills = (CsFills) {
    .fills = (const CsFill *) (gpointer) self->fills->data,
    .rings = (const guint32 *) (gpointer) self->rings->data,
    .points = (const gfloat *) (gpointer) self->points->data,
    .n = self->fills->len,
    .n_rings = n_rings,
  };
  cs_array_set_size (self->rings, n_rings);
  return (CsMarks) {
    .marks = (const CsMark *) (gpointer) self->marks->data,
    .n = self->marks->len,
    .memory = CS_MEMORY_HOST,
    .fills = self->all_fills.n > 0 ? &self->all_fills : NULL,
  };
}
