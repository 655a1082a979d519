/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_SCENE_MATH_H
#define LINE_SCENE_MATH_H

#include <math.h>

#include <glib.h>

/* Numbers and vectors that are the same on every machine: libm's sin() is not,
 * sqrt() is. */

typedef struct
{
  gdouble x, y, z;
} LineVec;

/* Rows: what a vector's coordinates become. */
typedef struct
{
  LineVec row[3];
} LineTurn;

static inline guint64
line_mix (guint64 x)
{
  x += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  x = (x ^ (x >> 30)) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  x = (x ^ (x >> 27)) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return x ^ (x >> 31);
}

/* The next of a stream. */
static inline guint64
line_random (guint64 * state)
{
  *state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  return line_mix (*state);
}

static inline gdouble
line_uniform (guint64 * state, gdouble from, gdouble to)
{
  return from + (to - from) * ((line_random (state) >> 11) * 0x1p-53);
}

static inline void
line_sincos (gdouble angle, gdouble * sine, gdouble * cosine)
{
  gdouble x = angle - 2 * G_PI * floor (angle / (2 * G_PI) + .5), xx, s, c;

  /* a quarter of the angle by the series, then twice the double angle */
  x /= 4;
  xx = x * x;
  s = x * (1 - xx / 6 * (1 - xx / 20 * (1 - xx / 42 * (1 - xx / 72 *
                  (1 - xx / 110 * (1 - xx / 156))))));
  c = 1 - xx / 2 * (1 - xx / 12 * (1 - xx / 30 * (1 - xx / 56 *
              (1 - xx / 90 * (1 - xx / 132 * (1 - xx / 182))))));
  for (guint i = 0; i < 2; i++) {
    gdouble twice = 2 * s * c;

    c = 1 - 2 * s * s;
    s = twice;
  }
  *sine = s;
  *cosine = c;
}

static inline gdouble
line_dot (LineVec a, LineVec b)
{
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

static inline LineVec
line_cross (LineVec a, LineVec b)
{
  return (LineVec) {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z,
    a.x * b.y - a.y * b.x};
}

/* a x + b y */
static inline LineVec
line_sum (gdouble a, LineVec x, gdouble b, LineVec y)
{
  return (LineVec) {a * x.x + b * y.x, a * x.y + b * y.y, a * x.z + b * y.z};
}

static inline LineVec
line_apply (const LineTurn * turn, LineVec v)
{
  return (LineVec) {line_dot (turn->row[0], v), line_dot (turn->row[1], v),
    line_dot (turn->row[2], v)};
}

static inline LineVec
line_apply_back (const LineTurn * turn, LineVec v)
{
  return line_sum (1, line_sum (v.x, turn->row[0], v.y, turn->row[1]),
      v.z, turn->row[2]);
}

/* A direction, all alike likely */
static inline LineVec
line_direction (guint64 * state)
{
  gdouble z = line_uniform (state, -1, 1), s, c, r = sqrt (1 - z * z);

  line_sincos (line_uniform (state, 0, 2 * G_PI), &s, &c);
  return (LineVec) {r * c, r * s, z};
}

/* A direction at right angles to @d */
static inline LineVec
line_across (LineVec d, guint64 * state)
{
  LineVec v, t;
  gdouble length;

  do {
    v = line_direction (state);
    t = line_sum (1, v, -line_dot (v, d), d);
    length = sqrt (line_dot (t, t));
  } while (length < .1);
  return line_sum (1 / length, t, 0, t);
}

#endif /* LINE_SCENE_MATH_H */
