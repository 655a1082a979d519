/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* From polygons to edges: snapped, cut off at the picture's borders. What lies
 * left of the picture moves to its border, which surrounds the same pixels, and
 * what lies right of it is left out.
 *
 * Without antialiasing pixels are inside or not by their centres. Edges go along
 * the borders of pixels then, so that their areas are all or nothing. */
#include "raster_fill.h"

#include <math.h>

#include "base/orient.h"

#define MAX_CELLS (1u << 30)
#define MAX_EDGES (1u << 30)

typedef struct
{
  double x, y;
} Point;

/**
 * Builder:
 * @width: of the picture, in 1/256 pixel
 * @height: likewise
 * @x0: bounds of the region's edges
 * @n_visited: tiles that its edges pass through, each counted when it is entered
 */
typedef struct
{
  CsFillSet *set;
  gint32 width, height;
  gint32 x0, y0, x1, y1;
  guint64 n_visited;
  gboolean antialias;
} Builder;

void
cs_fill_set_init (CsFillSet * set)
{
  memset (set, 0, sizeof (*set));
  cs_array_init (&set->edges, sizeof (CsFillEdge));
  cs_array_init (&set->regions, sizeof (CsFillRegion));
}

void
cs_fill_set_clear (CsFillSet * set)
{
  cs_array_clear (&set->edges);
  cs_array_clear (&set->regions);
}

/* An edge that is monotone enters at most as many tiles as it changes columns
 * and rows. A horizontal one bounds a region, too, but changes no sums. */
static inline void
add_edge (Builder * b, gint32 x0, gint32 y0, gint32 x1, gint32 y1)
{
  const CsFillEdge edge = { x0, y0, x1, y1 };

  b->n_visited += (guint) ABS ((x1 >> CS_FILL_TILE_SHIFT) -
      (x0 >> CS_FILL_TILE_SHIFT)) + (guint) ABS ((y1 >> CS_FILL_TILE_SHIFT) -
      (y0 >> CS_FILL_TILE_SHIFT));
  if (y0 == y1)
    return;
  if (x0 >= b->width && x1 >= b->width) {
    /* what lies left of it extends to the border */
    b->x1 = b->width;
    return;
  }
  b->x0 = MIN (b->x0, MIN (x0, x1));
  b->y0 = MIN (b->y0, MIN (y0, y1));
  b->x1 = MAX (b->x1, MAX (x0, x1));
  b->y1 = MAX (b->y1, MAX (y0, y1));
  cs_array_append_val (&b->set->edges, edge);
}

static inline gint32
round_off (double v)
{
  return (gint32) floor (v + .5);
}

/* Where the line from @a to @b has this y, and no farther than them. */
static Point
cut_at_y (Point a, Point b, double y)
{
  const double t = (y - a.y) / (b.y - a.y);
  const double x = a.x + t * (b.x - a.x);

  return (Point) { CLAMP (x, MIN (a.x, b.x), MAX (a.x, b.x)), y };
}

static Point
cut_at_x (Point a, Point b, double x)
{
  const double t = (x - a.x) / (b.x - a.x);
  const double y = a.y + t * (b.y - a.y);

  return (Point) { x, CLAMP (y, MIN (a.y, b.y), MAX (a.y, b.y)) };
}

static void
add_piece (Builder * b, Point from, Point to)
{
  /* each piece begins where the last one ended: a tile for each */
  b->n_visited++;
  add_edge (b, round_off (CLAMP (from.x, 0, b->width)), round_off (from.y),
      round_off (CLAMP (to.x, 0, b->width)), round_off (to.y));
}

/* An edge that leaves the picture. */
static void
add_far_edge (Builder * b, Point from, Point to)
{
  const double height = b->height, width = b->width;
  const gboolean down = to.y > from.y;
  Point upper = down ? from : to, lower = down ? to : from;
  Point cuts[4];
  guint n = 0, i;

  b->n_visited++;
  if (lower.y <= 0 || upper.y >= height)
    return;
  if (lower.y == upper.y) {
    add_piece (b, from, to);
    return;
  }
  if (upper.y < 0)
    upper = cut_at_y (upper, lower, 0);
  if (lower.y > height)
    lower = cut_at_y (upper, lower, height);
  cuts[n++] = upper;
  if ((upper.x < 0) != (lower.x < 0))
    cuts[n++] = cut_at_x (upper, lower, 0);
  if ((upper.x > width) != (lower.x > width))
    cuts[n++] = cut_at_x (upper, lower, width);
  if (n == 3 && cuts[1].y > cuts[2].y) {
    const Point swap = cuts[1];

    cuts[1] = cuts[2];
    cuts[2] = swap;
  }
  cuts[n++] = lower;
  for (i = 0; i + 1 < n; i++) {
    if (down)
      add_piece (b, cuts[i], cuts[i + 1]);
    else
      add_piece (b, cuts[i + 1], cuts[i]);
  }
}

static gboolean
is_finite_ring (const float *points, gsize n)
{
  gboolean ok = TRUE;

  for (gsize i = 0; i < 2 * n; i++)
    ok &= fabsf (points[i]) <= 3.4028234e38f;
  return ok;
}

/* Snapped; pixel centres are at half of a pixel here. Adding 1.5 * 2^52 rounds
 * to an integer, and to the nearest double where there are no others. */
static inline double
snap (float v)
{
  const double big = 6755399441055744.;

  return ((double) v * CS_FILL_ONE + big - big) + CS_FILL_ONE / 2;
}

static void
add_ring (Builder * b, const float *points, gsize n)
{
  const double width = b->width, height = b->height;
  gboolean was_inside, is_inside;

  if (n < 3)
    return;
  Point to = { snap (points[2 * n - 2]), snap (points[2 * n - 1]) };
  is_inside = to.x >= 0 && to.x <= width && to.y >= 0 && to.y <= height;
  b->n_visited++;
  for (gsize i = 0; i < n; i++) {
    Point from = to;

    was_inside = is_inside;
    to = (Point) { snap (points[2 * i]), snap (points[2 * i + 1]) };
    is_inside = to.x >= 0 && to.x <= width && to.y >= 0 && to.y <= height;
    if (was_inside && is_inside)
      add_edge (b, (gint32) from.x, (gint32) from.y, (gint32) to.x,
          (gint32) to.y);
    else
      add_far_edge (b, from, to);
  }
}

/* Of row @y, the first pixel whose centre is to the right of the line from @a
 * to @b; one on the line is, unless it is @entered there. */
static gint32
find_column (const Builder * b, Point from, Point to, gint32 y,
    gboolean entered)
{
  const gint32 width = b->width >> CS_FILL_SHIFT;
  const double x = cut_at_y (from, to, y).x, nearest = rint (x);

  if (x < 0 || x > width)
    return x < 0 ? 0 : width;
  if (fabs (x - nearest) > 1e-3)
    return (gint32) ceil (x);
  /* rounding decides nothing */
  gint side = cs_orient (from.x, from.y, to.x, to.y, nearest, y);
  if (to.y > from.y)
    side = -side;
  return (gint32) nearest + (side < 0 || (side == 0 && entered));
}

/* The tiles along a horizontal border between two columns. */
static void
visit (Builder * b, gint32 x0, gint32 x1)
{
  b->n_visited += 1 + (guint) ABS ((x1 >> CS_FILL_TILE_SHIFT) -
      (x0 >> CS_FILL_TILE_SHIFT));
}

/* Along the borders of pixels, where the rows' centres cross the side. @end_x:
 * where the ring's last stair was, and then where this side's last one is */
static void
add_stairs (Builder * b, Point from, Point to, gboolean entered, gint32 * end_x)
{
  const gboolean down = to.y > from.y;
  const double height = b->height >> CS_FILL_SHIFT;
  const gint32 end = (gint32) CLAMP (ceil (MAX (from.y, to.y)), 0, height);
  const gint32 begin = (gint32) CLAMP (ceil (MIN (from.y, to.y)), 0, height);
  gint32 upper = *end_x, lower = *end_x, y = begin;

  while (y < end) {
    const gint32 first = y, column = find_column (b, from, to, y, entered);
    const gint32 x = column << CS_FILL_SHIFT;

    while (++y < end && find_column (b, from, to, y, entered) == column);
    if (first == begin)
      upper = x;
    else
      visit (b, lower, x);
    lower = x;
    if (down)
      add_edge (b, x, first << CS_FILL_SHIFT, x, y << CS_FILL_SHIFT);
    else
      add_edge (b, x, y << CS_FILL_SHIFT, x, first << CS_FILL_SHIFT);
  }
  visit (b, *end_x, down ? upper : lower);
  *end_x = down ? lower : upper;
}

/* @turned: the inside is on the left. */
static void
add_centers_ring (Builder * b, const float *points, gsize n, gboolean turned)
{
  /* stairs begin and end at the left border: that way is not longer than from
   * the last stair to the first */
  gint32 end_x = 0;
  gsize i, last = n - 1;

  for (i = 0; n >= 3 && i < n; last = i++) {
    const Point from = { points[2 * last], points[2 * last + 1] };
    const Point to = { points[2 * i], points[2 * i + 1] };

    if (from.y != to.y)
      add_stairs (b, from, to, (to.y < from.y) != turned, &end_x);
  }
  visit (b, end_x, 0);
}

static gboolean
finish_region (Builder * b, CsFillRegion * region, GError ** error)
{
  CsFillSet *set = b->set;

  region->n_edges = (guint32) set->edges.len - region->first_edge;
  region->first_cell = set->n_cells;
  region->first_row = set->n_rows;
  if (region->n_edges == 0)
    return TRUE;
  region->tile_x = b->x0 >> CS_FILL_TILE_SHIFT;
  region->tile_y = b->y0 >> CS_FILL_TILE_SHIFT;
  region->n_columns = ((MIN (b->x1 + 1, b->width) - 1) >> CS_FILL_TILE_SHIFT)
      - region->tile_x + 1;
  region->n_rows = ((b->y1 - 1) >> CS_FILL_TILE_SHIFT) - region->tile_y + 1;
  guint64 n_cells = (guint64) region->n_columns * (guint64) region->n_rows;
  if (set->n_cells + n_cells > MAX_CELLS)
    return cs_error (error, CS_ERROR_LIMIT, "the filled regions extend over "
        "too many tiles: there may be %u", MAX_CELLS);
  set->n_cells += (guint32) n_cells;
  set->n_rows += (guint32) region->n_rows;
  set->n_blocks += (guint32) MIN (n_cells, b->n_visited);
  return TRUE;
}

static gboolean
add_region (Builder * b, const CsFills * fills, const CsFill * fill,
    GError ** error)
{
  CsFillSet *set = b->set;
  CsFillRegion region = {.first_edge = (guint32) set->edges.len,.rule =
        fill->rule
  };
  double area = 0;
  guint32 i;

  if ((gsize) fill->first_ring + fill->n_rings > fills->n_rings)
    return cs_error (error, CS_ERROR_INVALID, "a fill has rings %u to %u of %"
        G_GSIZE_FORMAT, fill->first_ring, fill->first_ring + fill->n_rings,
        fills->n_rings);
  b->x0 = b->y0 = G_MAXINT32;
  b->x1 = b->y1 = 0;
  b->n_visited = 0;
  for (i = fill->first_ring; i < fill->first_ring + fill->n_rings; i++) {
    const float *points = fills->points + 2 * (gsize) fills->rings[i];
    const gsize n = fills->rings[i + 1] - fills->rings[i];

    if (!is_finite_ring (points, n)) {
      set->dropped++;
    } else if (b->antialias) {
      add_ring (b, points, n);
    } else {
      /* the outline comes first, and holes go the other way round */
      area = area != 0 || n == 0 ? area : cs_ring_area2 (points, n);
      add_centers_ring (b, points, n, area < 0);
    }
  }
  if (set->edges.len > MAX_EDGES)
    return cs_error (error, CS_ERROR_LIMIT,
        "the filled regions have more than %u edges", MAX_EDGES);
  return finish_region (b, &region, error)
      && (cs_array_append_val (&set->regions, region)
      || cs_fail_no_memory (error, "filled regions"));
}

gboolean
cs_fill_set_update (CsFillSet * set, const CsFills * fills, guint width,
    guint height, gboolean antialias, GError ** error)
{
  Builder builder = {.set = set,.width = (gint32) width << CS_FILL_SHIFT,
    .height = (gint32) height << CS_FILL_SHIFT,.antialias = antialias
  };

  cs_array_empty (&set->edges);
  cs_array_empty (&set->regions);
  set->n_cells = set->n_rows = set->n_blocks = 0;
  set->dropped = 0;
  for (gsize i = 0; i < fills->n; i++) {
    if (!add_region (&builder, fills, &fills->fills[i], error))
      return FALSE;
  }
  return !set->edges.failed
      || cs_fail_no_memory (error, "the edges of filled regions");
}
