/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The definitions, read literally: region by region, pixel by pixel. */
#include "properties_cases.h"

#include <math.h>
#include <stdlib.h>

/**
 * Region:
 * @image: its bounding box's pixels, with a border of two around
 * @convex: likewise
 * @at: where its next number goes
 */
typedef struct
{
  const CsPropertiesParams *params;
  gint64 label;
  gint top, left, bottom, right;
  gint width, height;
  guint8 *image, *convex;
  double *at;
} Region;

#define PAD 2

static inline guint8
get (const Region * region, const guint8 * image, gint y, gint x)
{
  return image[(y + PAD) * (region->width + 2 * PAD) + x + PAD];
}

static void
put (Region * region, double value)
{
  *region->at++ = value;
}

/* --- Convex image --------------------------------------------------------- */

/* Coordinates are doubled. */
typedef struct
{
  gint64 x, y;
} Point;

static gint64
turn (Point a, Point b, Point c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* The middles of the sides of all pixels of @image that others do not cover. */
static Point *
find_middles (const Region * region, const guint8 * image, gsize * n)
{
  Point *points = g_new (Point, 4 * (gsize) region->width * region->height);

  *n = 0;
  for (gint y = 0; y < region->height; y++)
    for (gint x = 0; x < region->width; x++)
      for (gint side = 0; side < 4; side++) {
        const gint dx = side == 0 ? -1 : side == 1, dy = side == 2 ? -1 : side == 3;

        if (get (region, image, y, x) && !get (region, image, y + dy, x + dx))
          points[(*n)++] = (Point) { 2 * x + dx, 2 * y + dy };
      }
  return points;
}

/* Gift wrapping: a line around the points at a time. A pixel is in the hull if
 * it is to the right of no line. */
static void
find_convex (Region * region)
{
  const gint stride = region->width + 2 * PAD;
  gsize n, first = 0, at;
  Point *points = find_middles (region, region->image, &n);

  for (gint y = 0; y < region->height; y++)
    for (gint x = 0; x < region->width; x++)
      region->convex[(y + PAD) * stride + x + PAD] = TRUE;
  for (gsize i = 1; i < n; i++)
    if (points[i].y < points[first].y || (points[i].y == points[first].y
            && points[i].x < points[first].x))
      first = i;
  at = first;
  do {
    gsize next = at == 0 ? 1 : 0;

    for (gsize i = 0; i < n; i++) {
      const gint64 side = turn (points[at], points[next], points[i]);
      const gint64 dx = points[i].x - points[at].x;
      const gint64 dy = points[i].y - points[at].y;
      const gint64 ex = points[next].x - points[at].x;
      const gint64 ey = points[next].y - points[at].y;

      if (side < 0 || (side == 0 && dx * dx + dy * dy > ex * ex + ey * ey))
        next = i;
    }
    for (gint y = 0; y < region->height; y++)
      for (gint x = 0; x < region->width; x++)
        if (turn (points[at], points[next], (Point) { 2 * x, 2 * y }) < 0)
          region->convex[(y + PAD) * stride + x + PAD] = FALSE;
    at = next;
  } while (at != first);
  g_free (points);
}

static double
find_feret (const Region * region)
{
  gsize n;
  Point *points = find_middles (region, region->convex, &n);
  double best = 0.;

  for (gsize i = 0; i < n; i++)
    for (gsize j = 0; j < i; j++) {
      const double dx = (points[i].x - points[j].x) / 2. *
          region->params->column_spacing;
      const double dy = (points[i].y - points[j].y) / 2. *
          region->params->row_spacing;

      best = MAX (best, dx * dx + dy * dy);
    }
  g_free (points);
  return sqrt (best);
}

/* --- Neighbourhoods ------------------------------------------------------- */

/* Sums of @weights over all squares of four pixels: 8 and 2 above, 4 and 1
 * below. */
static double
sum_squares (const Region * region, const double weights[16])
{
  double sum = 0.;

  for (gint y = 0; y <= region->height; y++)
    for (gint x = 0; x <= region->width; x++)
      sum += weights[8 * get (region, region->image, y - 1, x - 1) +
          2 * get (region, region->image, y - 1, x) +
          4 * get (region, region->image, y, x - 1) +
          get (region, region->image, y, x)];
  return sum;
}

static double
find_crofton (const Region * region)
{
  const double a = G_PI / 4., b = G_PI / (4. * G_SQRT2);
  const double weights[16] = { 0., a + b, b, 2. * b, 0., a + b, 0., b, a, 2. * a,
    b, b, a, 2. * a, 0., 0.
  };

  return sum_squares (region, weights) * region->params->row_spacing;
}

static gboolean
is_border (const Region * region, gint y, gint x)
{
  const guint8 *image = region->image;

  return x >= 0 && y >= 0 && x < region->width && y < region->height
      && get (region, image, y, x) && !(get (region, image, y - 1, x)
      && get (region, image, y + 1, x) && get (region, image, y, x - 1)
      && get (region, image, y, x + 1));
}

static double
find_perimeter (const Region * region)
{
  double sum = 0.;

  for (gint y = 0; y < region->height; y++)
    for (gint x = 0; x < region->width; x++) {
      guint code = 0;

      for (gint dy = -1; dy <= 1; dy++)
        for (gint dx = -1; dx <= 1; dx++)
          code += is_border (region, y + dy, x + dx) * (dx == 0 && dy == 0 ? 1 :
              dx == 0 || dy == 0 ? 2 : 10);
      switch (code) {
        case 5: case 7: case 15: case 17: case 25: case 27:
          sum += 1.;
          break;
        case 21: case 33:
          sum += G_SQRT2;
          break;
        case 13: case 23:
          sum += (1. + G_SQRT2) / 2.;
          break;
        default:
          break;
      }
    }
  return sum * region->params->row_spacing;
}

/* --- Moments -------------------------------------------------------------- */

static long double
power (long double x, guint n)
{
  return n == 0 ? 1.L : x * power (x, n - 1);
}

/* Around (@y, @x), with the spacing. */
static void
find_moments (const Region * region, long double y, long double x,
    long double m[16])
{
  for (guint k = 0; k < 16; k++) {
    m[k] = 0.L;
    for (gint r = 0; r < region->height; r++)
      for (gint c = 0; c < region->width; c++)
        if (get (region, region->image, r, c))
          m[k] += power ((r - y) * region->params->row_spacing, k / 4) *
              power ((c - x) * region->params->column_spacing, k % 4);
  }
}

static void
put_hu (Region * region, const long double n[16])
{
  const long double s = n[8] + n[2], d = n[8] - n[2], m = n[5];
  const long double p = n[12] - 3 * n[6], q = 3 * n[9] - n[3];
  const long double t = n[12] + n[6], u = n[9] + n[3];

  put (region, s);
  put (region, d * d + 4 * m * m);
  put (region, p * p + q * q);
  put (region, t * t + u * u);
  put (region, p * t * (t * t - 3 * u * u) + q * u * (3 * t * t - u * u));
  put (region, d * (t * t - u * u) + 4 * m * t * u);
  put (region, q * t * (t * t - 3 * u * u) - p * u * (3 * t * t - u * u));
}

/* --- Regions -------------------------------------------------------------- */

static void
find_images (Region * region, const Case * test)
{
  const gint stride = region->width + 2 * PAD;

  region->image = g_malloc0 ((gsize) stride * (region->height + 2 * PAD));
  region->convex = g_malloc0 ((gsize) stride * (region->height + 2 * PAD));
  for (gint y = 0; y < region->height; y++)
    for (gint x = 0; x < region->width; x++)
      region->image[(y + PAD) * stride + x + PAD] = region->label ==
          test->labels[(gsize) (region->top + y) * test->width + region->left +
          x];
  find_convex (region);
}

static gsize
count_pixels (const Region * region, const guint8 * image)
{
  gsize n = 0;

  for (gint y = 0; y < region->height; y++)
    for (gint x = 0; x < region->width; x++)
      n += get (region, image, y, x);
  return n;
}

static void
put_integers (Region * region, gsize n)
{
  const double weights[16] = {[6] = -1.,[8] = 1.,[14] = -1. };

  put (region, region->label);
  put (region, region->top);
  put (region, region->left);
  put (region, region->bottom + 1);
  put (region, region->right + 1);
  put (region, n);
  put (region, sum_squares (region, weights));
}

static void
put_region (Region * region)
{
  const CsPropertiesParams *params = region->params;
  const double pixel = params->row_spacing * params->column_spacing;
  const gsize n = count_pixels (region, region->image);
  const double area = n * pixel;
  const double box = (double) region->width * region->height * pixel;
  const double convex = count_pixels (region, region->convex) * pixel;
  long double m[16], mu[16], nu[16];

  find_moments (region, 0.L, 0.L, m);
  const long double y = m[4] / m[0], x = m[1] / m[0];
  find_moments (region, y / params->row_spacing, x / params->column_spacing, mu);
  const long double scale = MIN (params->row_spacing, params->column_spacing);
  for (guint k = 0; k < 16; k++) {
    const guint order = k / 4 + k % 4;

    nu[k] = order < 2 ? (long double) NAN : mu[k] / power (scale, order) /
        powl (mu[0], order / 2.L + 1.L);
  }
  const long double a = mu[2] / n, b = -mu[5] / n, c = mu[8] / n;
  const long double root = sqrtl ((a - c) * (a - c) / 4 + b * b);
  const long double large = (a + c) / 2 + root;
  const long double small = MAX ((a + c) / 2 - root, 0.L);

  put_integers (region, n);
  put (region, area);
  put (region, box);
  put (region, convex);
  put (region, 4 * sqrtl (large));
  put (region, 4 * sqrtl (small));
  put (region, y + region->top * params->row_spacing);
  put (region, x + region->left * params->column_spacing);
  put (region, y);
  put (region, x);
  put (region, large == 0 ? 0 : sqrtl (1 - small / large));
  put (region, sqrtl (4 * area / G_PI));
  put (region, area / box);
  put (region, find_feret (region));
  put (region, a);
  put (region, b);
  put (region, b);
  put (region, c);
  put (region, large);
  put (region, small);
  for (guint k = 0; k < 16; k++)
    put (region, m[k]);
  for (guint k = 0; k < 16; k++)
    put (region, mu[k]);
  for (guint k = 0; k < 16; k++)
    put (region, nu[k]);
  put_hu (region, nu);
  put (region, .5L * atan2l (-2 * b, c - a));
  put (region, find_perimeter (region));
  put (region, find_crofton (region));
  put (region, area / convex);
}

static int
compare_regions (gconstpointer a, gconstpointer b)
{
  const gint64 x = ((const Region *) a)->label, y = ((const Region *) b)->label;

  return (x > y) - (x < y);
}

void
expected_init (Expected * expected, const Case * test)
{
  GArray *regions = g_array_new (FALSE, TRUE, sizeof (Region));
  GHashTable *known = g_hash_table_new (g_int64_hash, g_int64_equal);

  for (gsize i = 0; i < (gsize) test->width * test->height; i++) {
    gint64 *label = &test->labels[i];
    const gint y = i / test->width, x = i % test->width;

    if (*label < 1)
      continue;
    if (!g_hash_table_contains (known, label)) {
      const Region region = {.params = &test->params,.label = *label,.top = y,
        .left = x,.bottom = y,.right = x
      };

      g_hash_table_insert (known, label, GUINT_TO_POINTER (regions->len));
      g_array_append_val (regions, region);
    }
    Region *region = &g_array_index (regions, Region,
        GPOINTER_TO_UINT (g_hash_table_lookup (known, label)));

    region->bottom = y;
    region->left = MIN (region->left, x);
    region->right = MAX (region->right, x);
  }
  g_array_sort (regions, compare_regions);
  expected->n_regions = regions->len;
  expected->n_columns = 0;
  for (guint i = 0; i < CS_N_PROPERTIES; i++)
    expected->n_columns += cs_property_get_n_columns (i);
  expected->values = g_new0 (double, regions->len * expected->n_columns + 1);
  for (gsize i = 0; i < regions->len; i++) {
    Region *region = &g_array_index (regions, Region, i);

    region->width = region->right + 1 - region->left;
    region->height = region->bottom + 1 - region->top;
    region->at = expected->values + i * expected->n_columns;
    find_images (region, test);
    put_region (region);
    g_free (region->image);
    g_free (region->convex);
  }
  g_hash_table_destroy (known);
  g_array_unref (regions);
}

void
expected_clear (Expected * expected)
{
  g_free (expected->values);
}
