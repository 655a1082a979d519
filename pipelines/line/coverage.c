/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "coverage.h"

#include <math.h>

/* Points that share the sphere evenly, and the angle from one to the next: the
 * golden one */
#define N_POINTS 512
#define GOLDEN 2.399963229728653

/* The cosine of 60 degrees */
#define NEAR 0.5

typedef struct
{
  gdouble x[N_POINTS], y[N_POINTS], z[N_POINTS];
} Sphere;

static const Sphere *
get_sphere (void)
{
  static gsize is_made;
  static Sphere sphere;

  if (g_once_init_enter (&is_made)) {
    for (guint i = 0; i < N_POINTS; i++) {
      const gdouble z = 1 - (2 * i + 1.0) / N_POINTS, r = sqrt (1 - z * z);

      sphere.x[i] = r * cos (i * GOLDEN);
      sphere.y[i] = r * sin (i * GOLDEN);
      sphere.z[i] = z;
    }
    g_once_init_leave (&is_made, 1);
  }
  return &sphere;
}

gdouble
line_coverage (const LineSight * sights, guint n)
{
  const Sphere *sphere = get_sphere ();
  guint8 is_seen[N_POINTS] = { 0 };
  guint seen = 0;

  for (guint k = 0; k < n; k++) {
    const gdouble *e = sights[k].direction;

    for (guint i = 0; i < N_POINTS; i++)
      is_seen[i] |= sphere->x[i] * e[0] + sphere->y[i] * e[1]
          + sphere->z[i] * e[2] >= NEAR;
  }
  for (guint i = 0; i < N_POINTS; i++)
    seen += is_seen[i];
  return (gdouble) seen / N_POINTS;
}

gdouble
line_coverage_reach (const LineGeometry * geometry, gdouble diameter)
{
  const gdouble turn = line_geometry_get_turn (geometry, diameter);
  LineSight sights[LINE_MAX_LOOKS];
  guint n = 0;

  for (guint c = 0; c < geometry->cups; c++)
    for (guint v = 0; v < geometry->views; v++) {
      line_sight_tilt (&sights[n], geometry->tilt[v]);
      line_sight_turn (&sights[n++], c, turn);
    }
  return line_coverage (sights, n);
}
