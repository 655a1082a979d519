/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_data.h"

#include <math.h>
#include <stdlib.h>

static const char *const names[DATA_N_KINDS] = {
  "square", "disk", "circle", "gaussian", "kuzmin", "annulus", "needle",
  "grid", "parabola", "horizontal", "vertical", "diagonal", "all-equal",
  "two-points", "near-collinear", "huge-and-tiny", "outlier", "sorted",
  "reversed", "extremes", "denormals", "non-finite", "ring",
};

const char *
data_name (DataKind kind)
{
  return names[kind];
}

/* splitmix64 */
guint64
data_random (guint64 * state)
{
  guint64 z = *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

double
data_uniform (guint64 * state)
{
  return (data_random (state) >> 11) * 0x1p-53;
}

static void
polar (double r, double angle, double *xy)
{
  xy[0] = r * cos (angle);
  xy[1] = r * sin (angle);
}

static double
pick (guint64 * state, const double *from, guint n)
{
  return from[data_random (state) % n];
}

static void
fill_point (DataKind kind, guint64 * state, gsize i, gsize n, double *xy)
{
  static const double huge[] = { 1e300, -1e300, 1.7e308, -1.7e308, 1e-300,
    -3e-308, 1, -1, 0, 3e150, -7e-150
  };
  static const double extremes[] = { 2147483647., 2147483646., 2147483645.,
    -2147483648., -2147483647., 0, 1, -1, 1073741824.
  };
  static const double bad[] = { NAN, INFINITY, -INFINITY };
  const double u = data_uniform (state), v = data_uniform (state);
  const gint64 k = i;

  switch (kind) {
    case DATA_DISK:
      polar (sqrt (u), 2 * G_PI * v, xy);
      break;
    case DATA_CIRCLE:
      polar (1, 2 * G_PI * v, xy);
      break;
    case DATA_GAUSSIAN:
      polar (sqrt (-2 * log (u + 0x1p-60)), 2 * G_PI * v, xy);
      break;
    case DATA_KUZMIN:
      polar (sqrt (1 / ((1 - u) * (1 - u)) - 1), 2 * G_PI * v, xy);
      break;
    case DATA_ANNULUS:
      polar (1 + 1e-3 * u, 2 * G_PI * v, xy);
      break;
    case DATA_NEEDLE:
      xy[0] = u;
      xy[1] = 3 * u + 1e-9 * v;
      break;
    case DATA_GRID:
      xy[0] = k % (gint64) ceil (sqrt (n));
      xy[1] = k / (gint64) ceil (sqrt (n));
      break;
    case DATA_PARABOLA:
      xy[0] = k % 40000 - 20000;
      xy[1] = xy[0] * xy[0];
      break;
    case DATA_HORIZONTAL:
      xy[0] = floor (u * 1e6);
      xy[1] = 7;
      break;
    case DATA_VERTICAL:
      xy[0] = -3;
      xy[1] = floor (u * 1e6);
      break;
    case DATA_DIAGONAL:
      xy[0] = floor (u * 1e6);
      xy[1] = 3 * xy[0] - 11;
      break;
    case DATA_ALL_EQUAL:
      xy[0] = 1.25;
      xy[1] = -8;
      break;
    case DATA_TWO_POINTS:
      xy[0] = u < .5 ? 1 : 2;
      xy[1] = u < .5 ? 5 : -5;
      break;
    case DATA_NEAR_COLLINEAR:
      /* around (.5, .5) in steps of 2^-53, and points of that diagonal */
      xy[0] = .5 + (gint64) (u * 256) * 0x1p-53;
      xy[1] = .5 + (gint64) (v * 256) * 0x1p-53;
      if (i % 16 == 1)
        xy[0] = xy[1] = 12 + i % 3 * 6;
      break;
    case DATA_HUGE_AND_TINY:
      xy[0] = pick (state, huge, G_N_ELEMENTS (huge)) * (u < .5 ? 1 : v);
      xy[1] = pick (state, huge, G_N_ELEMENTS (huge)) * (u < .3 ? 1 : v);
      break;
    case DATA_OUTLIER:
      xy[0] = i == n / 2 ? 1e15 : u;
      xy[1] = i == n / 2 ? 1e14 : v;
      break;
    case DATA_EXTREMES:
      xy[0] = pick (state, extremes, G_N_ELEMENTS (extremes));
      xy[1] = pick (state, extremes, G_N_ELEMENTS (extremes));
      if (u < .5) {
        xy[0] = (gint32) data_random (state);
        xy[1] = (gint32) data_random (state);
      }
      break;
    case DATA_DENORMALS:
      xy[0] = ldexp (floor (u * 64) - 20, -1074);
      xy[1] = ldexp (floor (v * 64) - 40, -1074);
      break;
    case DATA_NON_FINITE:
      xy[0] = u;
      xy[1] = v;
      if (data_random (state) % 8 == 0)
        xy[data_random (state) % 2] = pick (state, bad, 3);
      break;
    default:
      xy[0] = u;
      xy[1] = v;
      break;
  }
}

/* Point @t, 0 to 1, of a ring. */
static void
ring_point (guint form, guint64 * state, double t, double *xy)
{
  const double angle = 2 * G_PI * t, u = data_uniform (state);

  switch (form) {
    case 0:                    /* waves, not everywhere around the origin */
      polar (100 + 99.9 * sin (5 * angle), angle, xy);
      break;
    case 1:                    /* a rough rim */
      polar (100 + 2 * u, angle, xy);
      break;
    case 2:                    /* a crescent, out and back */
      polar (t < .5 ? 100 : 80, (t < .5 ? t : 1 - t) * 9, xy);
      break;
    case 3:                    /* a spiral, in and out */
      polar (20 + 80 * fabs (2 * t - 1), 30 * fabs (2 * t - 1) + (t < .5), xy);
      break;
    case 4:                    /* pixels: points that repeat or are on a line */
      polar (40, angle, xy);
      xy[0] = rint (xy[0]);
      xy[1] = rint (xy[1]);
      break;
    case 5:                    /* an eight, which crosses itself */
      xy[0] = 100 * sin (2 * angle);
      xy[1] = 100 * sin (angle);
      break;
    case 6:                    /* around twice */
      polar (100, rint (24 * t) * G_PI / 6, xy);
      break;
    default:                   /* a thin one, far away */
      xy[0] = 1e6 + 100 * cos (angle);
      xy[1] = 1e6 + 100 * cos (angle) + 1e-3 * sin (angle);
      break;
  }
}

static void
fill_ring (guint64 seed, guint64 * state, gsize n, double *xy)
{
  const gboolean back = seed / 8 % 2;

  for (gsize i = 0; i < n; i++)
    ring_point (seed % 8, state, (back ? n - 1 - i : i) / (double) MAX (1,
            n - 1), xy + 2 * i);
  if (n > 0) {
    xy[2 * n - 2] = xy[0];
    xy[2 * n - 1] = xy[1];
  }
}

static int
ascending (const void *a, const void *b)
{
  const double *p = a, *q = b;

  if (p[0] != q[0])
    return p[0] < q[0] ? -1 : 1;
  return p[1] < q[1] ? -1 : p[1] > q[1];
}

static int
descending (const void *a, const void *b)
{
  return ascending (b, a);
}

void
data_fill (DataKind kind, guint64 seed, gsize n, double *xy)
{
  guint64 state = seed * 1000 + kind;

  if (kind == DATA_RING)
    fill_ring (seed, &state, n, xy);
  else
    for (gsize i = 0; i < n; i++)
      fill_point (kind, &state, i, n, xy + 2 * i);
  if (kind == DATA_SORTED || kind == DATA_REVERSED)
    qsort (xy, n, 2 * sizeof (double),
        kind == DATA_SORTED ? ascending : descending);
}
