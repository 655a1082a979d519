/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshaperaster.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "base/array.h"
#include "base/clones.h"
#include "base/scratch.h"
#include "gstshapeblend.h"

/* Rows a thread works on at a time; even, so that rows which share chroma stay
 * together. A band's coverage of a wide picture fits the second-level cache. */
#define BAND_ROWS 32

/* Segments (or circles) whose extent is looked at together. */
#define BLOCK_SEGMENTS 32

/* Fewer points than this are drawn sooner than another thread wakes up. */
#define SERIAL_POINTS 256

/* Pixels computed together. */
#define LANES 8

/* Half a pixel's diagonal: how far from its centre a pixel can be touched. */
#define HALF_DIAGONAL .7072

#define ALWAYS_INLINE inline __attribute__ ((always_inline))

typedef enum
{
  KIND_LINES,
  KIND_DOTS,
  KIND_CIRCLES,
} Kind;

/**
 * Block:
 * @points: (of lines and dots)
 * @circles: (of circles)
 * @n: length of the array
 * @group: index of its group
 * @filled: belongs to a closed polyline of finite points
 * @outlined: its outline can touch the frame
 * @y0: first row that it can touch
 * @y1: row after the last one
 * @phase: length of the polyline before it, modulo the period of dashes
 *
 * A few consecutive points of one polyline (the last one of a block is the
 * first one of the next), dots or circles: what a band skips as a whole.
 */
typedef struct
{
  const GstShapePoint *points;
  const GstShapeCircle *circles;
  guint n;
  guint group;
  gboolean filled, outlined;
  gint y0, y1;
  gdouble phase;
} Block;

/* Blocks that are painted as one. */
typedef struct
{
  GstShapePaint paint;
  Kind kind;
} Group;

struct _GstShapeRaster
{
  CsExecutor *executor;
  guint width, height;
  gdouble scale_x, scale_y, shift_x, shift_y;
  CsArray *blocks;
  CsArray *groups;
  gsize n_points;
  gboolean any_filled;

  /* what a thread needs, for each thread; all zero between frames */
  CsScratch scratch;
  /* the blocks of each band, in the order in which they were added: blocks
   * band_blocks[band_offsets[i]] up to band_offsets[i + 1] of band i */
  CsScratch lists;
  guint *band_offsets, *band_blocks;
};

/* One thread's share of a frame. */
typedef struct
{
  const GstShapeRaster *raster;
  GstShapeCoverage coverage;
  /* signed areas to the left of edges, for filling; a column more than the
   * coverage has */
  gfloat *areas;
  gint width, y0, y1;
} Band;

/* Some consecutive blocks of a band's list, all of one group. */
typedef struct
{
  const Group *group;
  const guint *blocks;
  guint n;
} Run;

typedef struct
{
  const GstShapeRaster *raster;
  const GstShapeSurface *surface;
  gint n_bands;
  gint next_band;
  gsize slot_size;
} Job;

typedef struct
{
  gdouble x0, y0, x1, y1;
} Box;

GstShapeRaster *
gst_shape_raster_new (CsExecutor * executor)
{
  GstShapeRaster *raster = g_new0 (GstShapeRaster, 1);

  raster->executor = executor;
  raster->blocks = cs_array_new (sizeof (Block));
  raster->groups = cs_array_new (sizeof (Group));
  return raster;
}

void
gst_shape_raster_free (GstShapeRaster * raster)
{
  cs_array_free (raster->blocks);
  cs_array_free (raster->groups);
  cs_scratch_clear (&raster->scratch);
  cs_scratch_clear (&raster->lists);
  g_free (raster);
}

void
gst_shape_raster_begin (GstShapeRaster * raster, guint width, guint height,
    guint set_width, guint set_height)
{
  cs_array_empty (raster->blocks);
  cs_array_empty (raster->groups);
  raster->n_points = 0;
  raster->any_filled = FALSE;
  raster->width = width;
  raster->height = height;
  raster->scale_x = set_width ? (gdouble) width / set_width : 1.;
  raster->scale_y = set_height ? (gdouble) height / set_height : 1.;
  raster->shift_x = .5 * raster->scale_x - .5;
  raster->shift_y = .5 * raster->scale_y - .5;
}

gboolean
gst_shape_raster_is_empty (const GstShapeRaster * raster)
{
  return raster->blocks->len == 0 && !raster->blocks->failed;
}

/* Collecting */

static ALWAYS_INLINE gboolean
is_finite (gfloat value)
{
  return fabsf (value) <= FLT_MAX;
}

/* Coordinates are floats: products and sums of a few stay finite in double. */
static ALWAYS_INLINE gdouble
map_x (const GstShapeRaster * raster, gfloat x)
{
  return x * raster->scale_x + raster->shift_x;
}

static ALWAYS_INLINE gdouble
map_y (const GstShapeRaster * raster, gfloat y)
{
  return y * raster->scale_y + raster->shift_y;
}

static gfloat
line_alpha (const GstShapePaint * paint)
{
  return paint->line_opacity * (gfloat) (paint->argb >> 24) / 255.f;
}

static gfloat
fill_alpha (const GstShapePaint * paint)
{
  return paint->fill_opacity * (gfloat) (paint->argb >> 24) / 255.f;
}

static gboolean
draws_lines (const GstShapePaint * paint)
{
  return line_alpha (paint) > 0.f && paint->line_width > 0.f;
}

static gboolean
draws_fill (const GstShapePaint * paint)
{
  return fill_alpha (paint) > 0.f;
}

/* How far from a line's middle it can touch a pixel's centre. */
static gdouble
line_reach (const GstShapePaint * paint)
{
  return .5 * paint->line_width + HALF_DIAGONAL;
}

static gboolean
paint_equal (const GstShapePaint * a, const GstShapePaint * b)
{
  return a->argb == b->argb && a->line_opacity == b->line_opacity
      && a->fill_opacity == b->fill_opacity && a->line_width == b->line_width
      && a->dashed == b->dashed && a->group == b->group;
}

static void
box_add (Box * box, const Box * other)
{
  box->x0 = MIN (box->x0, other->x0);
  box->y0 = MIN (box->y0, other->y0);
  box->x1 = MAX (box->x1, other->x1);
  box->y1 = MAX (box->y1, other->y1);
}

/* The extent of the finite points, grown by @reach, in the frame's space.
 * Returns whether all of them are finite. */
static gboolean
box_of_points (const GstShapeRaster * raster, const GstShapePoint * points,
    guint n, gdouble reach, Box * box)
{
  gfloat x0 = FLT_MAX, y0 = FLT_MAX, x1 = -FLT_MAX, y1 = -FLT_MAX;
  gboolean finite = TRUE;
  guint i;

  for (i = 0; i < n; i++) {
    gfloat x = points[i].x, y = points[i].y;
    gboolean good = is_finite (x) & is_finite (y);

    finite &= good;
    x0 = (good & (x < x0)) ? x : x0;
    y0 = (good & (y < y0)) ? y : y0;
    x1 = (good & (x > x1)) ? x : x1;
    y1 = (good & (y > y1)) ? y : y1;
  }
  box->x0 = map_x (raster, x0) - reach;
  box->y0 = map_y (raster, y0) - reach;
  box->x1 = map_x (raster, x1) + reach;
  box->y1 = map_y (raster, y1) + reach;
  return finite;
}

static gboolean
box_touches_frame (const GstShapeRaster * raster, const Box * box)
{
  return box->x1 >= 0. && box->y1 >= 0. && box->x0 <= raster->width - 1.
      && box->y0 <= raster->height - 1.;
}

static void
block_set_rows (const GstShapeRaster * raster, Block * block, const Box * box)
{
  gdouble last = raster->height;

  block->y0 = (gint) CLAMP (floor (box->y0), 0., last);
  block->y1 = (gint) CLAMP (ceil (box->y1) + 1., 0., last);
}

static gdouble
polyline_length (const GstShapeRaster * raster, const GstShapePoint * points,
    guint n)
{
  gdouble length = 0.;
  guint i;

  for (i = 1; i < n; i++) {
    gdouble dx = (points[i].x - (gdouble) points[i - 1].x) * raster->scale_x;
    gdouble dy = (points[i].y - (gdouble) points[i - 1].y) * raster->scale_y;
    gdouble step = sqrt (dx * dx + dy * dy);

    if (isfinite (step))
      length += step;
  }
  return length;
}

/* Puts the blocks from @first on into the last group, or a new one. */
static void
raster_add_blocks (GstShapeRaster * raster, Kind kind, guint first,
    const GstShapePaint * paint)
{
  const Group *group = NULL;
  guint i;

  if (raster->groups->len > 0)
    group = &cs_array_index (raster->groups, Group, raster->groups->len - 1);
  if (!group || group->kind != kind || !paint_equal (&group->paint, paint)) {
    Group fresh = { *paint, kind };

    cs_array_append_val (raster->groups, fresh);
  }
  for (i = first; i < raster->blocks->len; i++) {
    Block *block = &cs_array_index (raster->blocks, Block, i);

    block->group = raster->groups->len - 1;
    raster->any_filled |= block->filled;
    raster->n_points += block->n;
  }
}

void
gst_shape_raster_add_polyline (GstShapeRaster * raster,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint)
{
  guint first = raster->blocks->len, i;
  gboolean lines = draws_lines (paint);
  gboolean filled, finite = TRUE;
  gdouble phase = 0.;
  Box extent = { DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX };
  gsize start = 0;

  if (n == 0)
    return;
  filled = draws_fill (paint) && !paint->hollow && n > 3 && points[0].x == points[n - 1].x
      && points[0].y == points[n - 1].y;
  if (!lines && !filled)
    return;

  do {
    Block block = { points + start, NULL, (guint) MIN (n - start,
          BLOCK_SEGMENTS + 1), 0, FALSE, FALSE, 0, 0, phase
    };
    Box box;

    finite &= box_of_points (raster, block.points, block.n,
        lines ? line_reach (paint) : 1., &box);
    box_add (&extent, &box);
    block_set_rows (raster, &block, &box);
    block.outlined = lines && box_touches_frame (raster, &box);
    if (paint->dashed)
      phase = fmod (phase + polyline_length (raster, block.points, block.n),
          gst_shape_paint_dash_period (paint));
    cs_array_append_val (raster->blocks, block);
    start += BLOCK_SEGMENTS;
  } while (start + 1 < n);

  if (!box_touches_frame (raster, &extent) || (!lines && !finite)) {
    cs_array_set_size (raster->blocks, first);
    return;
  }
  for (i = first; i < raster->blocks->len; i++)
    cs_array_index (raster->blocks, Block, i).filled = filled && finite;
  raster_add_blocks (raster, KIND_LINES, first, paint);
}

void
gst_shape_raster_add_dots (GstShapeRaster * raster,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint)
{
  guint first = raster->blocks->len;
  gsize start;

  if (!draws_lines (paint))
    return;
  for (start = 0; start < n; start += BLOCK_SEGMENTS) {
    Block block = { points + start, NULL, (guint) MIN (n - start,
          BLOCK_SEGMENTS), 0, FALSE, TRUE, 0, 0, 0.
    };
    Box box;

    box_of_points (raster, block.points, block.n, line_reach (paint), &box);
    if (!box_touches_frame (raster, &box))
      continue;
    block_set_rows (raster, &block, &box);
    cs_array_append_val (raster->blocks, block);
  }
  if (raster->blocks->len > first)
    raster_add_blocks (raster, KIND_DOTS, first, paint);
}

static ALWAYS_INLINE gboolean
circle_is_valid (const GstShapeCircle * circle)
{
  return is_finite (circle->x) && is_finite (circle->y)
      && is_finite (circle->r) && circle->r > 0.f;
}

static gboolean
box_of_circles (const GstShapeRaster * raster, const GstShapeCircle * circles,
    guint n, gdouble reach, Box * box)
{
  gboolean any = FALSE;
  guint i;

  *box = (Box) {
  DBL_MAX, DBL_MAX, -DBL_MAX, -DBL_MAX};
  for (i = 0; i < n; i++) {
    const GstShapeCircle *c = &circles[i];
    gdouble x, y, a, b;
    Box one;

    if (!circle_is_valid (c))
      continue;
    x = map_x (raster, c->x);
    y = map_y (raster, c->y);
    a = c->r * raster->scale_x + reach;
    b = c->r * raster->scale_y + reach;
    one = (Box) {
    x - a, y - b, x + a, y + b};
    if (!box_touches_frame (raster, &one))
      continue;
    box_add (box, &one);
    any = TRUE;
  }
  return any;
}

void
gst_shape_raster_add_circles (GstShapeRaster * raster,
    const GstShapeCircle * circles, gsize n, const GstShapePaint * paint)
{
  guint first = raster->blocks->len;
  gboolean lines = draws_lines (paint), filled = draws_fill (paint);
  gsize start;

  if (!lines && !filled)
    return;
  for (start = 0; start < n; start += BLOCK_SEGMENTS) {
    Block block = { NULL, circles + start, (guint) MIN (n - start,
          BLOCK_SEGMENTS), 0, filled, lines, 0, 0, 0.
    };
    Box box;

    if (!box_of_circles (raster, block.circles, block.n,
            line_reach (paint), &box))
      continue;
    block_set_rows (raster, &block, &box);
    cs_array_append_val (raster->blocks, block);
  }
  if (raster->blocks->len > first)
    raster_add_blocks (raster, KIND_CIRCLES, first, paint);
}

/* Coverage */

/* The part of a unit square about the origin on the near side of the line
 * n . x = @s. @major and @minor are the greater and the smaller absolute
 * component of the normal n, which need not be a unit vector: @s and both may
 * be multiples of what they are for one. What lies beyond the line is a
 * triangle or a trapezoid. Without branches, so that compilers compute many at once. */
static ALWAYS_INLINE gfloat
half_plane (gfloat s, gfloat major, gfloat minor)
{
  gfloat rest = .5f * (major + minor) - fabsf (s);
  gfloat depth = .5f * (rest + fabsf (rest));
  gfloat slope = depth < minor ? depth : minor;
  gfloat beyond = slope * (slope - 2.f * minor) + 2.f * minor * depth;

  return .5f + copysignf (.5f - beyond / (2.f * minor * major), s);
}

/**
 * Capsule:
 * @nx: unit normal of the middle line
 * @ny: its other component
 * @ux: unit direction of the middle line
 * @uy: its other component
 * @length: of the middle line
 * @radius: half the line's width
 *
 * All points within @radius of a segment.
 */
typedef struct
{
  gfloat nx, ny, ux, uy, length, radius;
} Capsule;

/* Where the distance vanishes its direction does not matter, but there must be
 * one; and half_plane() divides by both components of the normal. */
#define NUDGE 1e-6f
#define TILT 1e-3f

/* Distances to huge ellipses, which half_plane() does not want to be infinite,
 * end here, beyond any frame. */
#define FAR 1e9

/* Raises the coverage of LANES pixels to that of @capsule; the first one's
 * centre is @s to the side of the middle line and @u along it. A thin line's
 * far edge counts too. */
static ALWAYS_INLINE void
cover_lanes (gfloat * values, const Capsule * capsule, gfloat s, gfloat u,
    gboolean thin)
{
  const Capsule k = *capsule;
  guint i;

  for (i = 0; i < LANES; i++) {
    gfloat side = s + NUDGE + (gfloat) (gint) i * k.nx;
    gfloat along = u + (gfloat) (gint) i * k.ux;
    gfloat inside = along > 0.f ? along : 0.f;
    gfloat past, distance, gx, gy, major, minor, covered;

    inside = inside < k.length ? inside : k.length;
    past = along - inside;
    distance = sqrtf (side * side + past * past + NUDGE * NUDGE);
    /* the normal at the nearest point of the edge, times the distance */
    gx = fabsf (side * k.nx + past * k.ux);
    gy = fabsf (side * k.ny + past * k.uy);
    major = (gx > gy ? gx : gy) + NUDGE * NUDGE;
    minor = (gx > gy ? gy : gx) + TILT * distance;
    covered = half_plane ((k.radius - distance) * distance, major, minor);
    if (thin)
      covered -= half_plane ((-k.radius - distance) * distance, major, minor);
    values[i] = values[i] > covered ? values[i] : covered;
  }
}

static ALWAYS_INLINE void
mark_blocks (const Band * band, gint row, gint x0, gint x1)
{
  guint64 *blocks = band->coverage.blocks + row * band->coverage.n_words;
  gint first = x0 / GST_SHAPE_BLOCK, last = x1 / GST_SHAPE_BLOCK;

  for (; first <= last; first++)
    blocks[first / 64] |= G_GUINT64_CONSTANT (1) << (first % 64);
}

/* Narrows the columns from *lo to *hi to those x where a * (x - x0) is between
 * @from and @to. */
static ALWAYS_INLINE void
narrow (gint * lo, gint * hi, gdouble x0, gdouble a, gdouble from, gdouble to)
{
  gdouble left, right;

  if (fabs (a) < 1e-6)
    return;
  left = x0 + (a > 0. ? from : to) / a;
  right = x0 + (a > 0. ? to : from) / a;
  if (left > *lo)
    *lo = left > *hi ? *hi + 1 : (gint) ceil (left);
  if (right < *hi)
    *hi = right < *lo ? *lo - 1 : (gint) floor (right);
}

/* Adds the segment's capsule, whose ends are near the frame, to the band. What
 * a pixel gets depends on the segment and the pixel only, not on the band. */
static ALWAYS_INLINE void
cover_capsule (const Band * band, const Box * line, gdouble radius,
    gboolean thin)
{
  gdouble dx = line->x1 - line->x0, dy = line->y1 - line->y0;
  gdouble length = sqrt (dx * dx + dy * dy);
  gdouble ux = 1., uy = 0.;
  gdouble reach = radius + HALF_DIAGONAL;
  gdouble left = MIN (line->x0, line->x1) - reach;
  gdouble right = MAX (line->x0, line->x1) + reach;
  gdouble top = MIN (line->y0, line->y1) - reach;
  gdouble bottom = MAX (line->y0, line->y1) + reach;
  gint first = MAX (band->y0, (gint) ceil (top));
  gint last = MIN (band->y1 - 1, (gint) floor (bottom));
  gint from = MAX (0, (gint) ceil (left));
  gint to = MIN (band->width - 1, (gint) floor (right));
  Capsule capsule;
  gint x, y;

  if (length > 1e-9) {
    ux = dx / length;
    uy = dy / length;
  }
  capsule = (Capsule) {
  (gfloat) - uy, (gfloat) ux, (gfloat) ux, (gfloat) uy, (gfloat) length,
        (gfloat) radius};

  for (y = first; y <= last; y++) {
    gfloat *values = band->coverage.values
        + (y - band->y0) * band->coverage.stride;
    gdouble below = y - line->y0;
    gint lo = from, hi = to;

    if (hi - lo >= LANES) {
      narrow (&lo, &hi, line->x0, -uy, -reach - ux * below, reach - ux * below);
      narrow (&lo, &hi, line->x0, ux, -reach - uy * below,
          length + reach - uy * below);
    }
    if (lo > hi)
      continue;
    for (x = lo; x <= hi; x += LANES) {
      gdouble beside = x - line->x0;

      cover_lanes (values + x, &capsule, (gfloat) (ux * below - uy * beside),
          (gfloat) (ux * beside + uy * below), thin);
    }
    mark_blocks (band, y - band->y0, lo, x - 1);
  }
}

/* Moves an end of @line to where the line crosses side @side of @limits, at
 * @t; a negative @side: it is inside. That side's coordinate is exact, and
 * rounding of huge ones does not leave or lead outside of the others. */
static void
cut_line (const Box * line, const Box * limits, gint side, gdouble t,
    gdouble * x, gdouble * y)
{
  if (side >= 0) {
    *x = line->x0 + t * (line->x1 - line->x0);
    *y = line->y0 + t * (line->y1 - line->y0);
  }
  *x = CLAMP (*x, limits->x0, limits->x1);
  *y = CLAMP (*y, limits->y0, limits->y1);
  if (side == 0 || side == 1)
    *x = side == 0 ? limits->x0 : limits->x1;
  else if (side > 1)
    *y = side == 2 ? limits->y0 : limits->y1;
}

/* Cuts @line where it leaves the frame grown by @margin; FALSE if nothing is
 * left (Liang and Barsky). *@start becomes the length of what was cut off
 * before. A line that is inside stays as it is. */
static gboolean
clip_line (const Band * band, Box * line, gdouble margin, gdouble * start)
{
  const Box all = *line;
  const Box limits = { -margin, -margin, band->width - 1. + margin,
    band->raster->height - 1. + margin
  };
  gdouble dx = all.x1 - all.x0, dy = all.y1 - all.y0;
  gdouble towards[4] = { -dx, dx, -dy, dy };
  gdouble room[4] = { all.x0 - limits.x0, limits.x1 - all.x0,
    all.y0 - limits.y0, limits.y1 - all.y0
  };
  gdouble enter = 0., leave = 1.;
  gint first = -1, last = -1, i;

  for (i = 0; i < 4; i++) {
    gdouble t = towards[i] != 0. ? room[i] / towards[i] : 0.;

    if (towards[i] == 0.) {
      if (room[i] < 0.)
        return FALSE;
    } else if (towards[i] < 0. && t > enter) {
      enter = t;
      first = i;
    } else if (towards[i] > 0. && t < leave) {
      leave = t;
      last = i;
    }
  }
  if (enter > leave)
    return FALSE;
  cut_line (&all, &limits, first, enter, &line->x0, &line->y0);
  cut_line (&all, &limits, last, leave, &line->x1, &line->y1);
  *start = enter * sqrt (dx * dx + dy * dy);
  return TRUE;
}

/* Adds the dashes of a line which begins @phase after the start of a dash; a
 * line without length is a dot. */
static void
cover_dashes (const Band * band, const Box * line, gdouble phase,
    const GstShapePaint * paint, gboolean thin)
{
  gdouble dx = line->x1 - line->x0, dy = line->y1 - line->y0;
  gdouble length = sqrt (dx * dx + dy * dy);
  gdouble period = gst_shape_paint_dash_period (paint);
  gdouble on = gst_shape_paint_dash_length (paint);
  gdouble first = floor (phase / period);
  guint i, n = (guint) (length / period) + 2;

  if (length < 1e-9) {
    if (phase < on)
      cover_capsule (band, line, .5 * paint->line_width, thin);
    return;
  }
  for (i = 0; i < n; i++) {
    gdouble from = MAX (0., (first + i) * period - phase);
    gdouble to = MIN (length, (first + i) * period - phase + on);
    Box dash;

    if (from > to)
      continue;
    dash = (Box) {
    line->x0 + dx * (from / length), line->y0 + dy * (from / length),
          line->x0 + dx * (to / length), line->y0 + dy * (to / length)};
    cover_capsule (band, &dash, .5 * paint->line_width, thin);
  }
}

static ALWAYS_INLINE gboolean
line_misses_band (const Band * band, const Box * line, gdouble reach)
{
  return (line->y0 + reach < band->y0 && line->y1 + reach < band->y0)
      || (line->y0 - reach > band->y1 - 1 && line->y1 - reach > band->y1 - 1);
}

static ALWAYS_INLINE gboolean
line_is_near (const Band * band, const Box * line, gdouble margin)
{
  gdouble right = band->width - 1. + margin;
  gdouble bottom = band->raster->height - 1. + margin;

  return MIN (line->x0, line->x1) >= -margin
      && MIN (line->y0, line->y1) >= -margin
      && MAX (line->x0, line->x1) <= right
      && MAX (line->y0, line->y1) <= bottom;
}

/* A line whose coordinates are finite; @phase is its distance from the start
 * of a dash. */
static ALWAYS_INLINE void
cover_line (const Band * band, Box line, const GstShapePaint * paint,
    gdouble phase, gboolean thin)
{
  gdouble radius = .5 * paint->line_width;
  gdouble margin = radius + HALF_DIAGONAL + 1.;
  gdouble start = 0.;

  if (line_misses_band (band, &line, radius + HALF_DIAGONAL))
    return;
  if (!line_is_near (band, &line, margin)
      && !clip_line (band, &line, margin, &start))
    return;
  if (paint->dashed)
    cover_dashes (band, &line, fmod (phase + start,
            gst_shape_paint_dash_period (paint)), paint, thin);
  else
    cover_capsule (band, &line, radius, thin);
}

static ALWAYS_INLINE void
cover_lines (const Band * band, const Block * block,
    const GstShapePaint * paint, gboolean thin)
{
  const GstShapeRaster *raster = band->raster;
  const GstShapePoint *p = block->points;
  gdouble phase = block->phase;
  gboolean finite = is_finite (p[0].x) && is_finite (p[0].y);
  Box line = { 0., 0., map_x (raster, p[0].x), map_y (raster, p[0].y) };
  guint i;

  for (i = 1; i < block->n; i++) {
    gboolean before = finite;

    finite = is_finite (p[i].x) && is_finite (p[i].y);
    line.x0 = line.x1;
    line.y0 = line.y1;
    line.x1 = map_x (raster, p[i].x);
    line.y1 = map_y (raster, p[i].y);
    if (!before || !finite)
      continue;
    cover_line (band, line, paint, phase, thin);
    if (paint->dashed)
      phase += polyline_length (raster, p + i - 1, 2);
  }
  if (block->n == 1 && finite) {
    line.x0 = line.x1;
    line.y0 = line.y1;
    cover_line (band, line, paint, phase, thin);
  }
}

static ALWAYS_INLINE void
cover_dots (const Band * band, const Block * block,
    const GstShapePaint * paint, gboolean thin)
{
  gdouble radius = .5 * paint->line_width;
  guint i;

  for (i = 0; i < block->n; i++) {
    const GstShapePoint *p = block->points + i;
    Box line;

    if (!is_finite (p->x) || !is_finite (p->y))
      continue;
    line.x0 = line.x1 = map_x (band->raster, p->x);
    line.y0 = line.y1 = map_y (band->raster, p->y);
    if (line_is_near (band, &line, radius + HALF_DIAGONAL + 1.))
      cover_capsule (band, &line, radius, thin);
  }
}

/* Circles, which become ellipses where the frame is stretched. */

typedef struct
{
  gdouble x, y, a, b;
} Ellipse;

/* The coverage of a pixel whose centre is (@dx, @dy) from the middle by a ring
 * of half width @radius, or by the inside if that is 0. The distance to an
 * ellipse is taken to first order; to a circle it is exact. */
static ALWAYS_INLINE gfloat
ellipse_coverage (const Ellipse * e, gdouble dx, gdouble dy, gdouble radius)
{
  /* any direction will do in the middle, but there must be one */
  gdouble qx = dx == 0. && dy == 0. ? NUDGE : dx / e->a, qy = dy / e->b;
  gdouble f = sqrt (qx * qx + qy * qy) + DBL_MIN;
  gdouble gx = fabs (qx / e->a) / f, gy = fabs (qy / e->b) / f;
  gdouble g = sqrt (gx * gx + gy * gy) + DBL_MIN;
  gfloat distance = (gfloat) CLAMP ((f - 1.) / g, -FAR, FAR);
  gfloat major = (gfloat) (MAX (gx, gy) / g) + NUDGE;
  gfloat minor = (gfloat) (MIN (gx, gy) / g) + TILT;

  if (radius == 0.)
    return half_plane (-distance, major, minor);
  return half_plane ((gfloat) radius - distance, major, minor)
      - half_plane ((gfloat) - radius - distance, major, minor);
}

/* The columns from @left to @right that the frame has; FALSE if none. */
static gboolean
clip_span (const Band * band, gdouble left, gdouble right, gint * from,
    gint * to)
{
  *from = (gint) CLAMP (ceil (left), 0., (gdouble) band->width);
  *to = (gint) CLAMP (floor (right), -1., band->width - 1.);
  return *from <= *to;
}

static void
cover_ellipse_span (const Band * band, const Ellipse * e, gint y, gdouble left,
    gdouble right, gdouble radius)
{
  gint row = y - band->y0;
  gfloat *values = band->coverage.values + row * band->coverage.stride;
  gint from, to, x;

  if (!clip_span (band, left, right, &from, &to))
    return;
  for (x = from; x <= to; x++) {
    gfloat covered = ellipse_coverage (e, x - e->x, y - e->y, radius);

    values[x] = MAX (values[x], covered);
  }
  mark_blocks (band, row, from, to);
}

static void
cover_whole_span (const Band * band, gint y, gdouble left, gdouble right)
{
  gint row = y - band->y0;
  gfloat *values = band->coverage.values + row * band->coverage.stride;
  gint from, to, x;

  if (!clip_span (band, left, right, &from, &to))
    return;
  for (x = from; x <= to; x++)
    values[x] = 1.f;
  mark_blocks (band, row, from, to);
}

/* Half the width of the ellipse, @scale times as large, at @dy from its middle;
 * negative where it has none. */
static gdouble
ellipse_half_width (const Ellipse * e, gdouble scale, gdouble dy)
{
  gdouble q = dy / (e->b * scale);

  if (!(scale > 0.) || fabs (q) > 1.)
    return -1.;
  return e->a * scale * sqrt ((1. - q) * (1. + q));
}

/* A point as far from the ellipse as @reach lies between the ellipses that are
 * smaller and larger by reach / min (a, b). */
static void
cover_ellipse (const Band * band, const Ellipse * e, gdouble radius)
{
  gdouble grow = (radius + HALF_DIAGONAL) / MIN (e->a, e->b);
  gdouble height = e->b * (1. + grow);
  gint first = (gint) CLAMP (ceil (e->y - height), band->y0, band->y1);
  gint last = (gint) CLAMP (floor (e->y + height), -1., band->y1 - 1.);
  gint y;

  for (y = first; y <= last; y++) {
    gdouble half = ellipse_half_width (e, 1. + grow, y - e->y);
    gdouble inner = ellipse_half_width (e, 1. - grow, y - e->y) - 1.;

    if (inner <= 0.) {
      cover_ellipse_span (band, e, y, e->x - half, e->x + half, radius);
      continue;
    }
    cover_ellipse_span (band, e, y, e->x - half, e->x - inner, radius);
    cover_ellipse_span (band, e, y, e->x + inner, e->x + half, radius);
    /* the inside of a ring is empty */
    if (radius == 0.)
      cover_whole_span (band, y, e->x - inner, e->x + inner);
  }
}

static void
cover_circles (const Band * band, const Block * block, gdouble radius)
{
  const GstShapeRaster *raster = band->raster;
  guint i;

  for (i = 0; i < block->n; i++) {
    const GstShapeCircle *c = &block->circles[i];
    Ellipse e;

    if (!circle_is_valid (c))
      continue;
    e = (Ellipse) {
    map_x (raster, c->x), map_y (raster, c->y), c->r * raster->scale_x,
          c->r * raster->scale_y};
    cover_ellipse (band, &e, radius);
  }
}

/* Filling: each edge adds, to every pixel right of it in its rows, the signed
 * area between them; a row's running sum is then the winding number, weighted
 * by area where edges cross a pixel. Only the change from pixel to pixel is
 * written. */

/* The part of an edge within one row: from @xa to @xb, columns, and going down
 * by @drop rows. */
static ALWAYS_INLINE void
add_edge (gfloat * areas, gint width, gdouble xa, gdouble xb, gdouble drop)
{
  gdouble left = MIN (xa, xb), right = MAX (xa, xb);
  gdouble span, past, density;
  gint first, last, x;

  if (left >= width)
    return;
  if (right <= 0.) {
    areas[0] += (gfloat) drop;
    return;
  }
  span = right - left;
  if (left < 0.) {
    areas[0] += (gfloat) (drop * (-left / span));
    drop *= right / span;
    left = 0.;
    span = right;
  }
  if (right > width) {
    drop *= (width - left) / span;
    right = width;
    span = right - left;
  }

  first = (gint) left;
  last = MIN ((gint) right, width - 1);
  if (first >= last) {
    past = .5 * (left + right) - first;
    areas[first] += (gfloat) (drop * (1. - past));
    areas[first + 1] += (gfloat) (drop * past);
    return;
  }
  /* area right of the edge within column x is a quadratic of how much of the
   * edge lies in the columns up to x */
  density = drop / span;
  past = 0.;
  for (x = first; x <= last; x++) {
    gdouble a = MAX (left, x) - x, b = MIN (right, x + 1.) - x;
    gdouble part = density * (b - a);
    gdouble covered = part * (1. - .5 * (a + b));

    areas[x] += (gfloat) (past + covered);
    past = part - covered;
  }
  areas[x] += (gfloat) past;
}

static ALWAYS_INLINE void
add_edge_rows (const Band * band, const Box * edge)
{
  gint width = band->width;
  gsize stride = band->coverage.stride + GST_SHAPE_BLOCK;
  /* pixels reach half a pixel around their centres */
  gdouble x0 = edge->x0 + .5, y0 = edge->y0 + .5;
  gdouble y1 = edge->y1 + .5;
  gdouble top = MIN (y0, y1), bottom = MAX (y0, y1);
  gdouble slope = (edge->x1 - edge->x0) / (y1 - y0);
  gdouble sign = y1 > y0 ? 1. : -1.;
  gint first = (gint) CLAMP (floor (top), band->y0, band->y1);
  gint last = (gint) CLAMP (ceil (bottom) - 1., -1., band->y1 - 1.);
  gint y;

  /* has no area, and no slope; its own ends can still differ, by less than
   * they do when half a pixel is added */
  if (y0 == y1)
    return;
  for (y = first; y <= last; y++) {
    gdouble from = MAX (top, y), to = MIN (bottom, y + 1.);

    add_edge (band->areas + (y - band->y0) * stride, width,
        x0 + (from - y0) * slope, x0 + (to - y0) * slope, sign * (to - from));
  }
}

static void
add_edges (const Band * band, const Block * block)
{
  const GstShapeRaster *raster = band->raster;
  const GstShapePoint *p = block->points;
  guint i;

  for (i = 0; i + 1 < block->n; i++) {
    Box edge = { map_x (raster, p[i].x), map_y (raster, p[i].y),
      map_x (raster, p[i + 1].x), map_y (raster, p[i + 1].y)
    };

    add_edge_rows (band, &edge);
  }
}

/* Winding numbers to coverage by the even-odd rule. */
static void
resolve_areas (const Band * band)
{
  gsize stride = band->coverage.stride + GST_SHAPE_BLOCK;
  gint y, x, i;

  for (y = 0; y < band->y1 - band->y0; y++) {
    gfloat *areas = band->areas + y * stride;
    gfloat *values = band->coverage.values + y * band->coverage.stride;
    gfloat sum = 0.f;

    for (x = 0; x < band->width; x += GST_SHAPE_BLOCK) {
      gfloat most = 0.f;

      for (i = x; i < x + GST_SHAPE_BLOCK; i++) {
        gfloat turns, covered;

        sum += areas[i];
        areas[i] = 0.f;
        turns = fabsf (sum) * .5f;
        turns -= floorf (turns);
        covered = 1.f - fabsf (1.f - 2.f * turns);
        /* what rounding leaves where the edges cancel is nothing */
        covered = covered > 1e-3f ? covered : 0.f;
        values[i] = covered;
        most = MAX (most, covered);
      }
      if (most > 0.f)
        mark_blocks (band, y, x, x);
    }
    memset (areas + x, 0, GST_SHAPE_BLOCK * sizeof (*areas));
  }
}

/* Drawing */

static ALWAYS_INLINE const Block *
run_block (const Band * band, const Run * run, guint i)
{
  return &cs_array_index (band->raster->blocks, Block, run->blocks[i]);
}

static gboolean
band_fill (const Band * band, const Run * run)
{
  gboolean any = FALSE;
  guint i;

  for (i = 0; i < run->n; i++) {
    const Block *block = run_block (band, run, i);

    if (!block->filled)
      continue;
    any = TRUE;
    if (run->group->kind == KIND_CIRCLES)
      cover_circles (band, block, 0.);
    else
      add_edges (band, block);
  }
  if (any && run->group->kind == KIND_LINES)
    resolve_areas (band);
  return any;
}

static ALWAYS_INLINE gboolean
band_outline_width (const Band * band, const Run * run, gboolean thin)
{
  const GstShapePaint *paint = &run->group->paint;
  gboolean any = FALSE;
  guint i;

  for (i = 0; i < run->n; i++) {
    const Block *block = run_block (band, run, i);

    if (!block->outlined)
      continue;
    any = TRUE;
    if (run->group->kind == KIND_CIRCLES)
      cover_circles (band, block, .5 * paint->line_width);
    else if (run->group->kind == KIND_DOTS)
      cover_dots (band, block, paint, thin);
    else
      cover_lines (band, block, paint, thin);
  }
  return any;
}

/* Only a line thinner than a pixel's diagonal lets a pixel reach beyond both of
 * its edges. */
static CS_CLONES gboolean
band_outline (const Band * band, const Run * run)
{
  if (.5 * run->group->paint.line_width < HALF_DIAGONAL)
    return band_outline_width (band, run, TRUE);
  return band_outline_width (band, run, FALSE);
}

static void
band_draw_run (const Band * band, const Run * run,
    const GstShapeSurface * surface)
{
  const GstShapePaint *paint = &run->group->paint;
  guint n_rows = (guint) (band->y1 - band->y0);
  GstShapeInk ink;

  gst_shape_ink_init (&ink, surface, paint->argb);
  if (band_fill (band, run))
    gst_shape_blend (surface, &ink, fill_alpha (paint), (guint) band->y0,
        n_rows, &band->coverage);
  if (band_outline (band, run))
    gst_shape_blend (surface, &ink, line_alpha (paint), (guint) band->y0,
        n_rows, &band->coverage);
}

static void
band_draw (const Band * band, const guint * blocks, guint n,
    const GstShapeSurface * surface)
{
  const GstShapeRaster *raster = band->raster;
  guint i;

  for (i = 0; i < n;) {
    guint group = cs_array_index (raster->blocks, Block, blocks[i]).group;
    Run run = { &cs_array_index (raster->groups, Group, group), blocks + i, 0 };

    while (i < n
        && cs_array_index (raster->blocks, Block, blocks[i]).group == group) {
      run.n++;
      i++;
    }
    band_draw_run (band, &run, surface);
  }
}

/* Spans are written in whole lanes and may run over the right edge. */
static gsize
coverage_stride (const GstShapeRaster * raster)
{
  return (raster->width + LANES + GST_SHAPE_BLOCK - 1) / GST_SHAPE_BLOCK
      * GST_SHAPE_BLOCK;
}

static gsize
coverage_words (const GstShapeRaster * raster)
{
  return (coverage_stride (raster) / GST_SHAPE_BLOCK + 63) / 64;
}

static gsize
slot_size (const GstShapeRaster * raster)
{
  gsize stride = coverage_stride (raster);
  gsize size = BAND_ROWS * (stride * sizeof (gfloat)
      + coverage_words (raster) * sizeof (guint64));

  if (raster->any_filled)
    size += BAND_ROWS * (stride + GST_SHAPE_BLOCK) * sizeof (gfloat);
  /* threads stay off each other's cache lines */
  return (size + 127) / 128 * 128;
}

/* What one thread does: bands, as long as there are any. */
static void
job_work (gpointer user_data, guint index)
{
  Job *job = user_data;
  const GstShapeRaster *raster = job->raster;
  guint8 *slot = (guint8 *) raster->scratch.data + index * job->slot_size;
  Band band;
  gint i;

  band.raster = raster;
  band.width = (gint) raster->width;
  band.coverage.stride = coverage_stride (raster);
  band.coverage.n_words = coverage_words (raster);
  band.coverage.values = (gfloat *) slot;
  slot += BAND_ROWS * band.coverage.stride * sizeof (gfloat);
  band.coverage.blocks = (guint64 *) slot;
  slot += BAND_ROWS * band.coverage.n_words * sizeof (guint64);
  band.areas = (gfloat *) slot;

  while ((i = g_atomic_int_add (&job->next_band, 1)) < job->n_bands) {
    guint first = raster->band_offsets[i];

    band.y0 = i * BAND_ROWS;
    band.y1 = MIN (band.y0 + BAND_ROWS, (gint) raster->height);
    band_draw (&band, raster->band_blocks + first,
        raster->band_offsets[i + 1] - first, job->surface);
  }
}

static gboolean
raster_ensure_scratch (GstShapeRaster * raster, gsize size, GError ** error)
{
  gsize before = raster->scratch.size;

  if (!cs_scratch_ensure (&raster->scratch, size, error))
    return FALSE;
  if (raster->scratch.size != before)
    memset (raster->scratch.data, 0, raster->scratch.size);
  return TRUE;
}

static ALWAYS_INLINE gboolean
block_is_drawn (const Block * block)
{
  return block->y0 < block->y1 && (block->filled || block->outlined);
}

/* Finds out which blocks each of @n_bands has to draw. */
static gboolean
raster_list_blocks (GstShapeRaster * raster, guint n_bands, GError ** error)
{
  gsize n_entries = 0;
  guint *offsets, i, band;

  for (i = 0; i < raster->blocks->len; i++) {
    const Block *block = &cs_array_index (raster->blocks, Block, i);

    if (block_is_drawn (block))
      n_entries += (guint) ((block->y1 - 1) / BAND_ROWS - block->y0 / BAND_ROWS
          + 1);
  }
  offsets = cs_scratch_ensure (&raster->lists,
      (n_bands + 2 + n_entries) * sizeof (guint), error);
  if (!offsets)
    return FALSE;
  raster->band_offsets = offsets;
  raster->band_blocks = offsets + n_bands + 2;

  /* offsets[band + 2] counts, then is where the next block of band + 1 goes,
   * and ends up as that band's end */
  memset (offsets, 0, (n_bands + 2) * sizeof (guint));
  for (i = 0; i < raster->blocks->len; i++) {
    const Block *block = &cs_array_index (raster->blocks, Block, i);

    if (block_is_drawn (block))
      for (band = (guint) block->y0 / BAND_ROWS;
          band <= (guint) (block->y1 - 1) / BAND_ROWS; band++)
        offsets[band + 2]++;
  }
  for (band = 2; band < n_bands + 2; band++)
    offsets[band] += offsets[band - 1];
  for (i = 0; i < raster->blocks->len; i++) {
    const Block *block = &cs_array_index (raster->blocks, Block, i);

    if (block_is_drawn (block))
      for (band = (guint) block->y0 / BAND_ROWS;
          band <= (guint) (block->y1 - 1) / BAND_ROWS; band++)
        raster->band_blocks[offsets[band + 1]++] = i;
  }
  return TRUE;
}

gboolean
gst_shape_raster_draw (GstShapeRaster * raster,
    const GstShapeSurface * surface, GError ** error)
{
  Job job = { raster, surface, 0, 0, 0 };
  guint n_threads;

  g_return_val_if_fail (surface->width == raster->width
      && surface->height == raster->height, FALSE);

  if (raster->blocks->failed || raster->groups->failed)
    return cs_fail_no_memory (error, "the shapes of a frame");
  job.n_bands = (gint) ((raster->height + BAND_ROWS - 1) / BAND_ROWS);
  if (!raster_list_blocks (raster, (guint) job.n_bands, error))
    return FALSE;
  n_threads = MIN (cs_executor_get_n_threads (raster->executor),
      (guint) job.n_bands);
  if (raster->n_points < SERIAL_POINTS && !raster->any_filled)
    n_threads = 1;
  job.slot_size = slot_size (raster);
  if (!raster_ensure_scratch (raster, n_threads * job.slot_size, error))
    return FALSE;
  cs_executor_parallel_for (raster->executor, n_threads, job_work, &job);
  return TRUE;
}
