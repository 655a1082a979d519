/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Vectors, angles without libm, whose last bits differ between machines, and
 * random numbers. */

#include <glib.h>
#include <math.h>

#define LINE_PI 3.14159265358979323846

typedef struct
{
  double x, y, z;
} Vec;

static inline double
vec_dot (Vec a, Vec b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline Vec
vec_mix (double s, Vec a, double t, Vec b)
{
  return (Vec) {s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}

static inline Vec
vec_cross (Vec a, Vec b)
{
  return (Vec) {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
    a.x * b.y - a.y * b.x};
}

static inline Vec
vec_unit (Vec a)
{
  return vec_mix (1 / sqrt (vec_dot (a, a)), a, 0, a);
}

/* The sine and cosine of |angle| <= 2 pi: Taylor's series of an eighth, then
 * doubled three times. */
static inline void
sin_cos (double angle, double *sine, double *cosine)
{
  double a = angle / 8, q = a * a;
  double s = a * (1 - q / 6 * (1 - q / 20 * (1 - q / 42 * (1 - q / 72 *
                  (1 - q / 110 * (1 - q / 156 * (1 - q / 210)))))));
  double c = 1 - q / 2 * (1 - q / 12 * (1 - q / 30 * (1 - q / 56 *
                  (1 - q / 90 * (1 - q / 132 * (1 - q / 182))))));

  for (int i = 0; i < 3; i++) {
    double t = 2 * s * c;

    c = c * c - s * s;
    s = t;
  }
  *sine = s;
  *cosine = c;
}

static inline void
sin_cos_degrees (double degrees, double *sine, double *cosine)
{
  /* whole turns off: sin_cos() takes two at most */
  degrees -= 360 * (double) (gint64) (degrees / 360);
  sin_cos (degrees / 180 * LINE_PI, sine, cosine);
}

/* splitmix64's finaliser */
static inline guint64
mix_bits (guint64 z)
{
  z += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return z ^ z >> 31;
}

/* The next random number, from @low to @high. */
static inline double
draw (guint64 * state, double low, double high)
{
  *state = mix_bits (*state);
  return low + (high - low) * ((*state >> 11) * 0x1p-53);
}

/* A direction, all equally likely. */
static inline Vec
draw_direction (guint64 * state)
{
  double z = draw (state, -1, 1), s, c, r = sqrt (1 - z * z);

  sin_cos (draw (state, 0, 2 * LINE_PI), &s, &c);
  return (Vec) {r * c, r * s, z};
}
