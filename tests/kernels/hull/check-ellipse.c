/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Enclosing ellipses of random convex polygons, without an oracle that computes
 * one: all vertices are inside, and, by John's theorem, the half of the smallest
 * ellipse, about its centre, is inside of the polygon, so it is not larger. Of
 * round polygons, whose vertices are nearly on an ellipse: any weights of the
 * vertices give a bound, as the smallest area is the greatest 2 pi sqrt (det S)
 * of their covariances S (Titterington 1975, whose iteration finds the weights
 * here). */

#include <math.h>
#include <stdlib.h>

#include "../lib/check.h"
#include "../lib/random.h"
#include "hull/hull_ellipse.h"

#define MAX_POINTS 24
#define N_POLYGONS 50000
#define N_ROUND 60
#define MAX_ROUND 256
#define N_ITERATIONS 5000
/* The bound's, after so many iterations. */
#define ALMOST_BOUND 1e-4
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

  for (gint i = first; i != end; i += step) {
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

  for (guint i = 0; i < n; i++)
    points[i] = (Point) { (gint) random_below (state, range),
      (gint) random_below (state, range)
    };
  qsort (points, n, sizeof (*points), compare);
  guint n_hull = append_chain (points, 0, (gint) n, 1, hull, 0);
  n_hull = append_chain (points, (gint) n - 1, -1, -1, hull, n_hull);
  for (guint i = 0; i < n_hull; i++) {
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

  cs_hull_find_ellipse (v, n, &e);
  expect (e.major >= e.minor && e.minor > 0, "polygon %u: axes %g and %g",
      number, e.major, e.minor);
  for (guint i = 0; i < n; i++) {
    const double x = v[2 * i] - e.x, y = v[2 * i + 1] - e.y;
    const double far = hypot ((x * e.ux + y * e.uy) / e.major,
        (y * e.ux - x * e.uy) / e.minor);

    expect (far <= 1 + ALMOST, "polygon %u: vertex %u is at %g", number, i,
        far);
  }
  expect (G_PI * e.major * e.minor / 4 <= area_of (v, n) * (1 + ALMOST),
      "polygon %u: the ellipse is larger than the smallest", number);
}

/* det M, M the sum of u q q^T, q = (x, y, 1); its adjugate divided by it. */
static double
find_moments (const float * v, const double * u, guint n, double inverse[3][3])
{
  double m[3][3] = { {0} };
  double det = 0;

  for (guint i = 0; i < n; i++) {
    const double q[3] = { v[2 * i], v[2 * i + 1], 1 };

    for (guint j = 0; j < 3; j++)
      for (guint k = 0; k < 3; k++)
        m[j][k] += u[i] * q[j] * q[k];
  }
  for (guint j = 0; j < 3; j++)
    for (guint k = 0; k < 3; k++)
      inverse[k][j] = m[(j + 1) % 3][(k + 1) % 3] * m[(j + 2) % 3][(k + 2) % 3]
          - m[(j + 1) % 3][(k + 2) % 3] * m[(j + 2) % 3][(k + 1) % 3];
  for (guint k = 0; k < 3; k++)
    det += m[0][k] * inverse[k][0];
  for (guint j = 0; j < 3; j++)
    for (guint k = 0; k < 3; k++)
      inverse[j][k] /= det;
  return det;
}

/* What no enclosing ellipse's area is below. */
static double
bound_area (const float * v, guint n)
{
  double u[MAX_ROUND], inverse[3][3];

  for (guint i = 0; i < n; i++)
    u[i] = 1. / n;
  for (guint step = 0; step < N_ITERATIONS; step++) {
    double all = 0;

    find_moments (v, u, n, inverse);
    for (guint i = 0; i < n; i++) {
      const double q[3] = { v[2 * i], v[2 * i + 1], 1 };
      double sum = 0;

      for (guint j = 0; j < 3; j++)
        for (guint k = 0; k < 3; k++)
          sum += inverse[j][k] * q[j] * q[k];
      /* the square goes twice as fast; any weights will do */
      u[i] *= sum / 3 * (sum / 3);
      all += u[i];
    }
    for (guint i = 0; i < n; i++)
      u[i] /= all;
  }
  return 2 * G_PI * sqrt (find_moments (v, u, n, inverse));
}

/* Vertices on an ellipse, or on circles as pixels give them: in eighths. */
static guint
make_round (guint64 * state, float * v)
{
  const guint n = 5 + random_below (state, MAX_ROUND - 4);
  const double a = 20 + random_below (state, 400);
  const double b = random_below (state, 2) ? a : 20 + random_below (state, 400);
  const gboolean rounded = random_below (state, 2);

  for (guint i = 0; i < n; i++) {
    const double x = a * cos (2 * G_PI * i / n) / 10;
    const double y = b * sin (2 * G_PI * i / n) / 10;

    v[2 * i] = (float) (rounded ? rint (x * 8) / 8 : x);
    v[2 * i + 1] = (float) (rounded ? rint (y * 8) / 8 : y);
  }
  return n;
}

static void
check_round (guint number, const float * v, guint n)
{
  const double bound = bound_area (v, n);
  CsEllipse e;

  check_polygon (number, v, n);
  cs_hull_find_ellipse (v, n, &e);
  expect (G_PI * e.major * e.minor <= bound * (1 + ALMOST_BOUND),
      "polygon %u of %u vertices: the area is %.9g, the smallest %.9g", number,
      n, G_PI * e.major * e.minor, bound);
}

int
main (void)
{
  /* two of whose vertices are the ends along all axes */
  static const float two_ends[] = { -10, 9, -7, -11, -4, -11, 16, -9, 15, 7,
    13, 14
  };
  float vertices[2 * MAX_ROUND];
  guint64 state = 1;
  guint n;

  begin ("a polygon of two ends");
  check_polygon (0, two_ends, G_N_ELEMENTS (two_ends) / 2);
  end ();
  begin ("random polygons");
  for (guint i = 0; i < N_POLYGONS; i++)
    if ((n = make_polygon (&state, vertices)) > 0)
      check_polygon (i, vertices, n);
  end ();
  begin ("round polygons");
  for (guint i = 0; i < N_ROUND; i++) {
    n = make_round (&state, vertices);
    check_round (i, vertices, n);
  }
  end ();
  return finish ();
}
