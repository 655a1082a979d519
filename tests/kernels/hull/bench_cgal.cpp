/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* bench-hull-cgal [MAX-POINTS]: times of CGAL's convex hull, which is exact,
 * too, on the data of check-hull --bench. A separate program: nothing
 * installed is linked to CGAL. */
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/convex_hull_2.h>

#include "hull_data.h"

typedef CGAL::Exact_predicates_inexact_constructions_kernel Kernel;
typedef std::vector < Kernel::Point_2 > Points;

/* The points in single precision, as check-hull makes them. */
static Points
make_points (DataKind kind, size_t n)
{
  std::vector < double >xy (2 * n);
  Points points;

  data_fill (kind, 42, n, xy.data ());
  points.reserve (n);
  for (size_t i = 0; i < n; i++) {
    /* in single precision for sure: without it, some were not */
    const volatile float x = xy[2 * i], y = xy[2 * i + 1];

    points.push_back (Kernel::Point_2 ((double) x, (double) y));
  }
  return points;
}

/* Median milliseconds of up to 9 runs. */
static double
time_hull (const Points & points, size_t *n_vertices)
{
  typedef std::chrono::steady_clock Clock;
  std::vector < double >times;
  double total = 0;

  while (times.size () < 9 && (times.empty () || total < 3000)) {
    Points hull;
    const Clock::time_point start = Clock::now ();

    CGAL::convex_hull_2 (points.begin (), points.end (),
        std::back_inserter (hull));
    times.push_back (std::chrono::duration < double,
        std::milli > (Clock::now () - start).count ());
    total += times.back ();
    *n_vertices = hull.size ();
  }
  std::sort (times.begin (), times.end ());
  return times[times.size () / 2];
}

int
main (int argc, char **argv)
{
  static const DataKind kinds[] = { DATA_SQUARE, DATA_DISK, DATA_GAUSSIAN,
    DATA_CIRCLE, DATA_ANNULUS
  };
  static const size_t sizes[] = { 4000, 40000, 400000, 1000000, 4000000,
    10000000
  };
  const size_t most = argc > 1 ? strtoul (argv[1], NULL, 10) : 4000000;

  printf ("milliseconds; CGAL %s, one thread\n", CGAL_VERSION_STR);
  for (DataKind kind : kinds) {
    for (size_t n : sizes) {
      size_t n_vertices = 0;

      if (n > most)
        continue;
      const double ms = time_hull (make_points (kind, n), &n_vertices);

      printf ("%-9s %9zu %9.3f %8zu vertices\n", data_name (kind), n, ms,
          n_vertices);
      fflush (stdout);
    }
  }
  return 0;
}
