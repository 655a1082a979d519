/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_fills.h"

#include <math.h>
#include <string.h>

#include "raster/raster_fill.h"

/* --- Making --------------------------------------------------------------- */

void
fills_free (Fills * fills)
{
  g_array_unref (fills->all);
  g_array_unref (fills->rings);
  g_array_unref (fills->points);
  g_free (fills);
}

/* A ring of the fill that is made */
static void
add_ring (Fills * fills, const float *points, guint n)
{
  g_array_append_vals (fills->points, points, 2 * n);
  guint32 end = fills->points->len / 2;
  g_array_append_val (fills->rings, end);
}

/* The fill of the rings before */
static void
add_fill (Fills * fills, CsFillRule rule)
{
  CsFill fill = {.rule = rule };

  if (fills->all->len > 0) {
    const CsFill *last = &g_array_index (fills->all, CsFill,
        fills->all->len - 1);

    fill.first_ring = last->first_ring + last->n_rings;
  }
  fill.n_rings = fills->rings->len - 1 - fill.first_ring;
  g_array_append_val (fills->all, fill);
  fills->fills = (CsFills) {
    (const CsFill *) (gpointer) fills->all->data,
    (const guint32 *) (gpointer) fills->rings->data,
    (const float *) (gpointer) fills->points->data, fills->all->len,
    fills->rings->len - 1
  };
}

static double
range (GRand * rand, double low, double high)
{
  return low + (high - low) * g_rand_double (rand);
}

#define MAX_POINTS 200

static guint
make_star (GRand * rand, double x, double y, double size, float *points)
{
  const guint n = 3 + g_rand_int (rand) % (MAX_POINTS - 3);
  const double turn = g_rand_boolean (rand) ? 1 : -1;
  guint i;

  for (i = 0; i < n; i++) {
    const double r = size * range (rand, .3, 1), angle = turn * 2 * G_PI * i / n;

    points[2 * i] = x + r * cos (angle);
    points[2 * i + 1] = y + r * sin (angle);
  }
  return n;
}

static guint
make_scribble (GRand * rand, double x, double y, double size, float *points)
{
  const guint n = g_rand_int (rand) % 12;

  for (guint i = 0; i < 2 * n; i++)
    points[i] = (i % 2 ? y : x) + range (rand, -size, size);
  return n;
}

/* Corners on borders and centres of pixels and tiles. */
static guint
make_box (GRand * rand, double x, double y, double size, float *points)
{
  const double grid = g_rand_boolean (rand) ? 16 : .5;
  const float x0 = floor (x / grid) * grid - .5, y0 = floor (y / grid) * grid;
  const float x1 = x0 + ceil (size / grid) * grid;
  const float y1 = y0 + ceil (size / grid) * grid;
  const float box[] = { x0, y0, x1, y0, x1, y1, x0, y1 };

  memcpy (points, box, sizeof (box));
  return 4;
}

static guint
make_sliver (GRand * rand, double x, double y, double size, float *points)
{
  const float p[] = {
    x - size, y + range (rand, -.1, .1), x + size, y + range (rand, -2, 2),
    x, y + range (rand, 0, 1)
  };

  memcpy (points, p, sizeof (p));
  return 3;
}

static void
add_random_ring (Fills * fills, GRand * rand, guint width, guint height,
    double max_size)
{
  static const double sizes[] = { .3, 2, 10, 40, 300, 1e5, 1e9, 1e30 };
  const double x = range (rand, -.3 * width, 1.3 * width);
  const double y = range (rand, -.3 * height, 1.3 * height);
  const double any = sizes[g_rand_int (rand) % G_N_ELEMENTS (sizes)];
  const double size = MIN (any, max_size);
  float points[2 * MAX_POINTS];
  guint n;

  switch (g_rand_int (rand) % 5) {
    case 0:
      n = make_scribble (rand, x, y, size, points);
      break;
    case 1:
      n = make_box (rand, x, y, MIN (size, 500), points);
      break;
    case 2:
      n = make_sliver (rand, x, y, size, points);
      break;
    default:
      n = make_star (rand, x, y, size, points);
  }
  if (n > 0 && g_rand_int (rand) % 20 == 0)
    points[g_rand_int (rand) % (2 * n)] = g_rand_boolean (rand) ? NAN :
        -INFINITY;
  add_ring (fills, points, n);
}

Fills *
fills_new (GRand * rand, guint n, guint width, guint height, double max_size)
{
  Fills *fills = g_new0 (Fills, 1);
  const guint32 zero = 0;

  fills->all = g_array_new (FALSE, FALSE, sizeof (CsFill));
  fills->rings = g_array_new (FALSE, FALSE, sizeof (guint32));
  fills->points = g_array_new (FALSE, FALSE, sizeof (float));
  g_array_append_val (fills->rings, zero);
  for (guint i = 0; i < n; i++) {
    const guint n_rings = g_rand_int (rand) % 6;

    for (guint j = 0; j < n_rings; j++)
      add_random_ring (fills, rand, width, height, max_size);
    add_fill (fills, g_rand_int (rand) % 3 ? CS_FILL_EVEN_ODD :
        CS_FILL_NONZERO);
  }
  return fills;
}

/* --- Coverage to the bit -------------------------------------------------- */

static void
add_edge (const CsFillEdge * e, guint width, gint64 * sums)
{
  for (gint row = cs_fill_first_row (e); row <= cs_fill_last_row (e); row++) {
    const CsFillSpan span = cs_fill_span (e, row);
    gint64 *at = sums + (gsize) row * (width + 2);

    for (gint column = cs_fill_first_column (&span);
        column <= cs_fill_last_column (&span); column++) {
      gint32 beyond;

      at[column] += cs_fill_areas (&span, column, &beyond);
      at[column + 1] += beyond;
    }
  }
}

void
fills_cover (const CsFills * fills, guint index, guint width, guint height,
    gboolean antialias, float *coverage)
{
  g_autofree gint64 *sums = g_new0 (gint64, (gsize) (width + 2) * height);
  CsFillSet set;

  cs_fill_set_init (&set);
  if (!cs_fill_set_update (&set, fills, width, height, antialias, NULL))
    g_error ("no edges");
  CsFillRegion *region = &cs_array_index (&set.regions, CsFillRegion, index);
  for (guint i = 0; i < region->n_edges; i++)
    add_edge (&cs_array_index (&set.edges, CsFillEdge, region->first_edge + i),
        width, sums);
  for (guint y = 0; y < height; y++) {
    gint64 sum = 0;

    for (guint x = 0; x < width; x++) {
      sum += sums[(gsize) y * (width + 2) + x];
      coverage[(gsize) y * width + x] = cs_fill_coverage (cs_fill_pack (
              cs_fill_inside ((guint32) sum, region->rule)), antialias);
    }
  }
  cs_fill_set_clear (&set);
}

/* --- Coverage in real numbers --------------------------------------------- */

typedef struct
{
  double x, y;
} Point;

/* Keeps what lies on one side: s (v - border) >= 0 of the axis. */
static guint
clip (const Point * from, guint n, gboolean by_y, double border, double s,
    Point * to)
{
  guint i, m = 0;

  for (i = 0; i < n; i++) {
    const Point a = from[i], b = from[(i + 1) % n];
    const double da = s * ((by_y ? a.y : a.x) - border);
    const double db = s * ((by_y ? b.y : b.x) - border);

    if (da >= 0)
      to[m++] = a;
    if ((da >= 0) != (db >= 0)) {
      const double t = da / (da - db);

      to[m++] = (Point) { a.x + t * (b.x - a.x), a.y + t * (b.y - a.y) };
    }
  }
  return m;
}

static double
signed_area (const Point * p, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++) {
    const Point a = p[i], b = p[(i + 1) % n];

    sum += (a.x - p[0].x) * (b.y - p[0].y) - (b.x - p[0].x) * (a.y - p[0].y);
  }
  return sum / 2;
}

static guint
count_edges (const Point * p, guint n, double x, double y)
{
  guint i, count = 0;

  for (i = 0; i < n; i++) {
    const Point a = p[i], b = p[(i + 1) % n];

    count += MIN (a.x, b.x) < x + 1 && MAX (a.x, b.x) > x - 1 &&
        MIN (a.y, b.y) < y + 1 && MAX (a.y, b.y) > y - 1;
  }
  return count;
}

gboolean
fills_has_center (const CsFills * fills, guint index, int x, int y,
    double *distance)
{
  const CsFill *fill = &fills->fills[index];
  gint winding = 0, crossings = 0;

  *distance = INFINITY;
  for (guint i = fill->first_ring; i < fill->first_ring + fill->n_rings; i++) {
    const guint n = fills->rings[i + 1] - fills->rings[i];
    const float *points = fills->points + 2 * fills->rings[i];
    gboolean is_finite = n >= 3;

    for (guint j = 0; j < 2 * n; j++)
      is_finite &= isfinite (points[j]);
    for (guint j = 0; is_finite && j < n; j++) {
      const float *a = points + 2 * j, *b = points + 2 * ((j + 1) % n);
      const double ux = (double) b[0] - a[0], uy = (double) b[1] - a[1];
      const double px = (double) x - a[0], py = (double) y - a[1];
      const double length = hypot (ux, uy);
      const double along = length > 0 ? CLAMP ((px * ux + py * uy) / length,
          0, length) / length : 0;

      *distance = MIN (*distance, hypot (px - along * ux, py - along * uy));
      if ((a[1] > y) == (b[1] > y) || py / uy * ux > px)
        continue;
      winding += b[1] > a[1] ? 1 : -1;
      crossings++;
    }
  }
  return fill->rule == CS_FILL_NONZERO ? winding != 0 : crossings % 2;
}

double
fills_area (const CsFills * fills, guint index, int x, int y, guint * n_edges)
{
  const CsFill *fill = &fills->fills[index];
  double sum = 0;

  *n_edges = 0;
  for (guint i = fill->first_ring; i < fill->first_ring + fill->n_rings; i++) {
    const guint n = fills->rings[i + 1] - fills->rings[i];
    const float *points = fills->points + 2 * fills->rings[i];
    g_autofree Point *a = g_new (Point, 16 * n + 16);
    g_autofree Point *b = g_new (Point, 16 * n + 16);
    gboolean is_finite = TRUE;
    guint m = n;

    for (guint j = 0; j < n; j++) {
      a[j] = (Point) { points[2 * j], points[2 * j + 1] };
      is_finite &= isfinite (a[j].x) && isfinite (a[j].y);
    }
    if (is_finite) {
      *n_edges += count_edges (a, n, x, y);
      m = clip (a, m, FALSE, x - .5, 1, b);
      m = clip (b, m, FALSE, x + .5, -1, a);
      m = clip (a, m, TRUE, y - .5, 1, b);
      m = clip (b, m, TRUE, y + .5, -1, a);
      sum += signed_area (a, m);
    }
  }
  sum = fabs (sum);
  if (fill->rule == CS_FILL_NONZERO)
    return MIN (sum, 1);
  sum = fmod (sum, 2);
  return sum <= 1 ? sum : 2 - sum;
}
