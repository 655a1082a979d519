/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "surface.h"

#include <math.h>

void
line_sight_tilt (LineSight * sight, gdouble tilt)
{
  tilt = tilt * G_PI / 180;
  sight->st = sin (tilt);
  sight->ct = cos (tilt);
  line_sight_turn (sight, 0, 0);
}

void
line_sight_turn (LineSight * sight, guint cup, gdouble turn)
{
  turn = cup * turn * G_PI / 180;
  sight->cup = cup;
  sight->sc = sin (turn);
  sight->cc = cos (turn);
  sight->direction[0] = -(sight->ct * sight->sc);
  sight->direction[1] = sight->st;
  sight->direction[2] = sight->ct * sight->cc;
}

/* Steep, so that the best look counts most; smooth, so that a piece that turns
 * otherwise than it should costs little. */
static gdouble
get_weight (gdouble cosine)
{
  gdouble above = cosine - LINE_LIMB, square = above * above;

  return cosine > LINE_LIMB ? square * square : 0;
}

gdouble
line_sight_factor (const LineSight * sights, guint n, guint own, gdouble x,
    gdouble y)
{
  const LineSight *sight = &sights[own];
  gdouble u = (x - sight->x) / sight->radius;
  gdouble v = (y - sight->y) / sight->radius;
  gdouble q = 1 - u * u - v * v, w, ly, lz, bx, bz, sum = 0;

  if (!(q > 0))
    return 0;
  w = sqrt (q);
  if (w <= LINE_LIMB)
    return 0;
  ly = v * sight->ct + w * sight->st;
  lz = w * sight->ct - v * sight->st;
  bx = u * sight->cc - lz * sight->sc;
  bz = u * sight->sc + lz * sight->cc;
  for (guint i = 0; i < n; i++) {
    const gdouble *e = sights[i].direction;

    sum += get_weight (i == own ? w : bx * e[0] + ly * e[1] + bz * e[2]);
  }
  return get_weight (w) / (sum * w);
}

/* The factor at a point of the picture */
typedef gdouble (*Factor) (gconstpointer user, gdouble x, gdouble y);

/* The sum of the factor over a contour, in square pixels, with holes
 * negative. */
static gdouble
add_up (const LineContour * contour, const LinePoint * points, Factor factor,
    gconstpointer user)
{
  gdouble mx = (contour->x0 + contour->x1) / 2;
  gdouble my = (contour->y0 + contour->y1) / 2, sum = 0;
  const LinePoint *p = points + contour->first;

  for (gsize i = 0; i + 1 < contour->n_points; i++) {
    gdouble ax = p[i].x, ay = p[i].y, bx = p[i + 1].x, by = p[i + 1].y;
    gdouble area = ((ax - mx) * (by - my) - (bx - mx) * (ay - my)) / 2;
    /* the rule of the middles of a triangle's sides: exact for parabolas */
    gdouble fa = factor (user, (mx + ax) / 2, (my + ay) / 2);
    gdouble fb = factor (user, (mx + bx) / 2, (my + by) / 2);
    gdouble fc = factor (user, (ax + bx) / 2, (ay + by) / 2);

    sum += area * (fa + fb + fc) / 3;
  }
  return (contour->area < 0) != ! !contour->is_hole ? -sum : sum;
}

/* Of a contour without its holes, in square millimetres. */
static gdouble
add_up_whole (const LineSight * sight, const LineContour * contour,
    const LineView * view, Factor factor, gconstpointer user)
{
  const gdouble scale = sight->mm_per_pixel * sight->mm_per_pixel;
  gdouble sum = add_up (contour, view->points, factor, user) * scale;

  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *hole = &view->contours[i];

    if (hole->is_hole && hole->parent == contour->id)
      sum += add_up (hole, view->points, factor, user) * scale;
  }
  return MAX (sum, 0);
}

typedef struct
{
  const LineSight *sights;
  guint n, own;
} Sharing;

static gdouble
get_shared (gconstpointer user, gdouble x, gdouble y)
{
  const Sharing *sharing = user;

  return line_sight_factor (sharing->sights, sharing->n, sharing->own, x, y);
}

gdouble
line_sight_surface (const LineSight * sights, guint n, guint own,
    const LineContour * contour, const LinePoint * points)
{
  const Sharing sharing = { sights, n, own };
  const gdouble mm_per_pixel = sights[own].mm_per_pixel;

  return add_up (contour, points, get_shared, &sharing)
      * (mm_per_pixel * mm_per_pixel);
}

gdouble
line_sight_shared (const LineSight * sights, guint n, guint own,
    const LineContour * contour, const LineView * view)
{
  const Sharing sharing = { sights, n, own };

  return add_up_whole (&sights[own], contour, view, get_shared, &sharing);
}

typedef struct
{
  const LineSight *sight;
  gdouble limb;
} Showing;

static gdouble
get_shown (gconstpointer user, gdouble x, gdouble y)
{
  const Showing *showing = user;
  const LineSight *sight = showing->sight;
  gdouble u = (x - sight->x) / sight->radius;
  gdouble v = (y - sight->y) / sight->radius;
  gdouble q = 1 - u * u - v * v;

  return 1 / (q > showing->limb * showing->limb ? sqrt (q) : showing->limb);
}

gdouble
line_sight_shown (const LineSight * sight, const LineContour * contour,
    const LineView * view, gdouble limb)
{
  const Showing showing = { sight, limb };

  return add_up_whole (sight, contour, view, get_shown, &showing);
}

/* The direction in the lane of a point in pixels, of length 1. Returns: its
 * cosine to the camera; 0 on the limb and beyond it */
static gdouble
get_direction (const LineSight * sight, gdouble x, gdouble y, gdouble d[3])
{
  gdouble u = (x - sight->x) / sight->radius;
  gdouble v = (y - sight->y) / sight->radius;
  gdouble r = u * u + v * v, w;

  if (r > 1) {
    u /= sqrt (r);
    v /= sqrt (r);
  }
  w = r < 1 ? sqrt (1 - r) : 0;
  d[0] = u;
  d[1] = v * sight->ct + w * sight->st;
  d[2] = w * sight->ct - v * sight->st;
  return w;
}

/* Adds up directions, each by its surface, into @sum, and finds the least
 * cosine. */
static void
add_directions (const LineSight * sight, const LineContour * contour,
    const LinePoint * p, gdouble mx, gdouble my, gdouble sum[3],
    gdouble * least)
{
  for (gsize i = 0; i + 1 < contour->n_points; i++) {
    gdouble ax = p[i].x, ay = p[i].y, bx = p[i + 1].x, by = p[i + 1].y;
    gdouble area = (ax - mx) * (by - my) - (bx - mx) * (ay - my), d[3];
    gdouble w = get_direction (sight, ax, ay, d);

    *least = MIN (*least, w);
    w = get_direction (sight, (mx + ax + bx) / 3, (my + ay + by) / 3, d);
    for (guint k = 0; k < 3; k++)
      sum[k] += area / MAX (w, LINE_LIMB) * d[k];
  }
}

LinePlace
line_sight_place (const LineSight * sight, const LineContour * contour,
    const LinePoint * points)
{
  gdouble mx = (contour->x0 + contour->x1) / 2;
  gdouble my = (contour->y0 + contour->y1) / 2, length;
  const LinePoint *p = points + contour->first;
  LinePlace place = {.least = 1 };
  gdouble sum[3] = { 0, 0, 0 };

  add_directions (sight, contour, p, mx, my, sum, &place.least);
  get_direction (sight, mx, my, place.centre);
  length = sqrt (sum[0] * sum[0] + sum[1] * sum[1] + sum[2] * sum[2]);
  if (sum[0] * place.centre[0] + sum[1] * place.centre[1]
      + sum[2] * place.centre[2] < 0)
    length = -length;
  for (guint k = 0; k < 3 && length != 0; k++)
    place.centre[k] = sum[k] / length;
  place.longitude = atan2 (place.centre[0], place.centre[2]) * 180 / G_PI;
  gdouble least = 1, d[3];
  for (gsize i = 0; i + 1 < contour->n_points; i++) {
    get_direction (sight, p[i].x, p[i].y, d);
    least = MIN (least, d[0] * place.centre[0] + d[1] * place.centre[1]
        + d[2] * place.centre[2]);
  }
  place.radius = acos (MAX (least, -1));
  return place;
}

gboolean
line_sight_project (const LineSight * sight, const gdouble at[3], gdouble * x,
    gdouble * y)
{
  gdouble lx = at[0] * sight->cc + at[2] * sight->sc;
  gdouble lz = at[2] * sight->cc - at[0] * sight->sc;

  *x = sight->x + sight->radius * lx;
  *y = sight->y + sight->radius * (at[1] * sight->ct - lz * sight->st);
  return at[1] * sight->st + lz * sight->ct > 0;
}

static gdouble
get_distance2 (const LinePoint * a, const LinePoint * b, gdouble x, gdouble y)
{
  gdouble dx = (gdouble) b->x - a->x, dy = (gdouble) b->y - a->y;
  gdouble px = x - a->x, py = y - a->y, length2 = dx * dx + dy * dy;
  gdouble t = length2 > 0 ? (px * dx + py * dy) / length2 : 0;

  t = CLAMP (t, 0, 1);
  px -= t * dx;
  py -= t * dy;
  return px * px + py * py;
}

gboolean
line_contour_has (const LineContour * contour, const LinePoint * points,
    gdouble x, gdouble y)
{
  const LinePoint *p = points + contour->first;
  gboolean is_inside = FALSE;

  for (gsize i = 0; i + 1 < contour->n_points; i++)
    if ((p[i].y > y) != (p[i + 1].y > y) && x < p[i].x + (y - p[i].y)
        * ((gdouble) p[i + 1].x - p[i].x) / ((gdouble) p[i + 1].y - p[i].y))
      is_inside = !is_inside;
  return is_inside;
}

gboolean
line_contour_is_near (const LineContour * contour, const LinePoint * points,
    gdouble x, gdouble y, gdouble slack)
{
  const LinePoint *p = points + contour->first;

  if (x < contour->x0 - slack || x > contour->x1 + slack
      || y < contour->y0 - slack || y > contour->y1 + slack)
    return FALSE;
  if (line_contour_has (contour, points, x, y))
    return TRUE;
  for (gsize i = 0; i + 1 < contour->n_points; i++)
    if (get_distance2 (&p[i], &p[i + 1], x, y) <= slack * slack)
      return TRUE;
  return FALSE;
}
