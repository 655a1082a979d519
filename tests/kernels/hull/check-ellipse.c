/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Enclosing ellipses of random convex polygons, without an oracle that computes
 * one: all vertices are inside, and, by John's theorem, the half of the smallest
 * ellipse, about its centre, is inside of the polygon, so it is not larger. */

#include <math.h>
#include <stdlib.h>

#include "../lib/check.h"
#include "../lib/random.h"
#include "hull/hull_ellipse.h"

#define MAX_POINTS 24
#define N_POLYGONS 50000
/* Of rounding, relative. */
#define ALMOST 1e-6

typedef struct
{
  gint x, y;
} Point;

static gint
compare (gconstpointer a, gconstpointer b)
{
  const Point *p = a, *q = b;

  return p->x != q->x ? p->x - q->x : p->y - q->y;
}

static gint
turn (Point a, Point b, Point c)
{
  return (b.x - a.x) * (c.y - a.y) - (b.y - a.y) * (c.x - a.x);
}

/* Appends the lower hull of sorted points to @hull; the last one is left out. */
static guint
append_chain (const Point * points, gint first, gint end, gint step,
    Point * hull, guint n)
{
  const guint begin = n;
  gint i;

  for (i = first; i != end; i += step) {
    while (n >= begin + 2 && turn (hull[n - 2], hull[n - 1], points[i]) <= 0)
      n--;
    hull[n++] = points[i];
  }
  return n - 1;
}

/* The vertices as floats. Returns: their number; 0 if all are on a line */
static guint
make_polygon (guint64 * state, float * vertices)
{
  const guint n = 3 + random_below (state, MAX_POINTS - 2);
  const guint range = 3 + random_below (state, 62);
  Point points[MAX_POINTS], hull[2 * MAX_POINTS];
  guint i, n_hull;

  for (i = 0; i < n; i++)
    points[i] = (Point) { (gint) random_below (state, range),
      (gint) random_below (state, range)
    };
  qsort (points, n, sizeof (*points), compare);
  n_hull = append_chain (points, 0, (gint) n, 1, hull, 0);
  n_hull = append_chain (points, (gint) n - 1, -1, -1, hull, n_hull);
  for (i = 0; i < n_hull; i++) {
    vertices[2 * i] = (float) hull[i].x;
    vertices[2 * i + 1] = (float) hull[i].y;
  }
  return n_hull < 3 ? 0 : n_hull;
}

static double
area_of (const float * v, guint n)
{
  double sum = 0;
  guint i, k;

  for (i = 0, k = n - 1; i < n; k = i++)
    sum += v[2 * k] * v[2 * i + 1] - v[2 * k + 1] * v[2 * i];
  return .5 * fabs (sum);
}

static void
check_polygon (guint number, const float * v, guint n)
{
  CsEllipse e;
  guint i;

  cs_hull_find_ellipse (v, n, &e);
  expect (e.major >= e.minor && e.minor > 0, "polygon %u: axes %g and %g",
      number, e.major, e.minor);
  for (i = 0; i < n; i++) {
    const double x = v[2 * i] - e.x, y = v[2 * i + 1] - e.y;
    const double far = hypot ((x * e.ux + y * e.uy) / e.major,
        (y * e.ux - x * e.uy) / e.minor);

    expect (far <= 1 + ALMOST, "polygon %u: vertex %u is at %g", number, i,
        far);
  }
  expect (G_PI * e.major * e.minor / 4 <= area_of (v, n) * (1 + ALMOST),
      "polygon %u: the ellipse is larger than the smallest", number);
}

int
main (void)
{
  /* two of whose vertices are the ends along all axes */
  static const float two_ends[] = { -10, 9, -7, -11, -4, -11, 16, -9, 15, 7,
    13, 14
  };
  float vertices[4 * MAX_POINTS];
  guint64 state = 1;
  guint i, n;

  begin ("a polygon of two ends");
  check_polygon (0, two_ends, G_N_ELEMENTS (two_ends) / 2);
  end ();
  begin ("random polygons");
  for (i = 0; i < N_POLYGONS; i++)
    if ((n = make_polygon (&state, vertices)) > 0)
      check_polygon (i, vertices, n);
  end ();
  return finish ();
}
