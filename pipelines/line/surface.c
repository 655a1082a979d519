/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "surface.h"

#include <math.h>

/* Where a look sees less than this cosine it is not asked. */
#define LIMB 0.3

void
line_sight_init (LineSight * sight, const LineGeometry * geometry, guint cup,
    guint view)
{
  gdouble tilt = geometry->tilt[view] * G_PI / 180;
  gdouble turn = cup * geometry->turn * G_PI / 180;

  sight->st = sin (tilt);
  sight->ct = cos (tilt);
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
  gdouble above = cosine - LIMB, square = above * above;

  return cosine > LIMB ? square * square : 0;
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
  if (w <= LIMB)
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

gdouble
line_sight_surface (const LineSight * sights, guint n, guint own,
    const LineContour * contour, const LinePoint * points, gdouble mm_per_pixel)
{
  gdouble mx = (contour->x0 + contour->x1) / 2;
  gdouble my = (contour->y0 + contour->y1) / 2, sum = 0;
  const LinePoint *p = points + contour->first;

  for (gsize i = 0; i + 1 < contour->n_points; i++) {
    gdouble ax = p[i].x, ay = p[i].y, bx = p[i + 1].x, by = p[i + 1].y;
    gdouble area = ((ax - mx) * (by - my) - (bx - mx) * (ay - my)) / 2;
    /* the rule of the middles of a triangle's sides: exact for parabolas */
    gdouble fa = line_sight_factor (sights, n, own, (mx + ax) / 2,
        (my + ay) / 2);
    gdouble fb = line_sight_factor (sights, n, own, (mx + bx) / 2,
        (my + by) / 2);
    gdouble fc = line_sight_factor (sights, n, own, (ax + bx) / 2,
        (ay + by) / 2);

    sum += area * (fa + fb + fc) / 3;
  }
  sum *= mm_per_pixel * mm_per_pixel;
  return (contour->area < 0) != ! !contour->is_hole ? -sum : sum;
}
