/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circles.h"

#include <math.h>

/* Sums, products, quotients, sqrt() and fmod() are exactly defined: the same
 * time gives the same bits on every machine. */

gboolean
cs_circles_are_moving (const CsCircle * circles, gsize n,
    const CsMotion * motion)
{
  if (n > 0 && motion->gravity != 0)
    return TRUE;
  for (gsize i = 0; i < n; i++)
    if (circles[i].vx != 0 || circles[i].vy != 0)
      return TRUE;
  return FALSE;
}

/* @value modulo @period, 0 to it. */
static double
wrap (double value, double period)
{
  const double rest = fmod (value, period);

  return rest < 0 ? rest + period : rest;
}

/* Uniform motion, reflected at @low and @high. */
static double
reflect (double at, double velocity, double low, double high, double seconds)
{
  const double length = high - low;
  double way;

  if (!(length > 0))
    return .5 * (low + high);
  way = wrap (CLAMP (at, low, high) - low + velocity * seconds, 2 * length);
  return low + (way <= length ? way : 2 * length - way);
}

/* The height above a floor, with initial velocity @up at @height, between
 * lossless reflections at the floor and at a ceiling at @room. @gravity is above
 * 0.
 *
 * The period is from floor to floor: twice the time of the rise to the apex, or
 * to the ceiling. */
static double
fly (double height, double up, double gravity, double room, double seconds)
{
  const double at_floor = sqrt (up * up + 2 * gravity * height);
  const double rest = at_floor * at_floor - 2 * gravity * room;
  const double rise = rest > 0 ? 2 * room / (at_floor + sqrt (rest)) :
      at_floor / gravity;
  double flown, result;

  if (!(rise > 0))
    return 0;
  flown = up >= 0 ? (at_floor + up > 0 ? 2 * height / (at_floor + up) : 0) :
      2 * rise - 2 * height / (at_floor - up);
  flown = wrap (flown + seconds, 2 * rise);
  if (flown > rise)
    flown = 2 * rise - flown;
  result = flown * (at_floor - .5 * gravity * flown);
  return CLAMP (result, 0, room);
}

/* The same with a gravity of any sign: the floor is where it pulls to. */
static double
fall (double at, double velocity, double gravity, double low, double high,
    double seconds)
{
  const double inside = CLAMP (at, low, high);

  if (gravity == 0)
    return reflect (at, velocity, low, high, seconds);
  if (!(high - low > 0))
    return .5 * (low + high);
  if (gravity > 0)
    return high - fly (high - inside, -velocity, gravity, high - low, seconds);
  return low + fly (inside - low, velocity, -gravity, high - low, seconds);
}

static CsCircle
move (const CsCircle * c, const CsMotion * motion, gboolean normalized,
    double width, double height, double seconds)
{
  const double side = MIN (width, height), low = normalized ? 0 : -.5;
  const double rx = normalized ? c->r * side / width : c->r;
  const double ry = normalized ? c->r * side / height : c->r;
  CsCircle to = *c;

  if (!isfinite (c->x) || !isfinite (c->y) || !isfinite (c->r) ||
      !isfinite (c->vx) || !isfinite (c->vy))
    return to;
  if (!motion->bounce) {
    to.x = (float) (c->x + c->vx * seconds);
    to.y = (float) (c->y + c->vy * seconds +
        .5 * motion->gravity * seconds * seconds);
    return to;
  }
  to.x = (float) reflect (c->x, c->vx, low + rx,
      low + (normalized ? 1 : width) - rx, seconds);
  to.y = (float) fall (c->y, c->vy, motion->gravity, low + ry,
      low + (normalized ? 1 : height) - ry, seconds);
  return to;
}

void
cs_circles_move (const CsCircle * circles, gsize n, const CsMotion * motion,
    gboolean normalized, guint width, guint height, double seconds,
    CsCircle * moved)
{
  for (gsize i = 0; i < n; i++)
    moved[i] = move (&circles[i], motion, normalized, width, height, seconds);
}
