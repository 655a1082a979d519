/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapezoneslist.h"

#include <math.h>

#include "base/orient.h"

typedef GstShapesZonePoint Point;

static const Point *
get_points (const Zone * zone)
{
  return (const Point *) (gconstpointer) zone->points->data;
}

/* Where @p is as seen from @a to @b, y down: 1 on the right, -1 on the left. */
static gint
side (const Point * a, const Point * b, const Point * p)
{
  return cs_cross_sign (b->x, b->y, a->x, a->y, p->x, p->y, a->x, a->y);
}

gboolean
zone_edge_is_crossed (const Point * a, const Point * b, const Point * p)
{
  if ((a->y > p->y) == (b->y > p->y))
    return FALSE;
  return b->y > a->y ? side (a, b, p) > 0 : side (a, b, p) < 0;
}

gboolean
zone_contains (const Zone * zone, gdouble x, gdouble y)
{
  const Point *points = get_points (zone), p = { x, y };
  gboolean inside = FALSE;
  gsize first = 0;

  if (!(x >= zone->low.x && x <= zone->high.x && y >= zone->low.y
          && y <= zone->high.y))
    return FALSE;
  for (guint ring = 0; ring < zone->ends->len; ring++) {
    const gsize end = g_array_index (zone->ends, gsize, ring);

    for (gsize i = first, k = end - 1; i < end; k = i++)
      inside ^= zone_edge_is_crossed (&points[k], &points[i], &p);
    first = end;
  }
  return inside;
}

gdouble
zone_edge_get_distance (const Point * a, const Point * b, const Point * p)
{
  const gdouble ux = b->x - a->x, uy = b->y - a->y;
  const gdouble length = ux * ux + uy * uy;
  const gdouble along = length > 0 ? ((p->x - a->x) * ux + (p->y - a->y) * uy) /
      length : 0;
  const gdouble t = CLAMP (along, 0, 1);

  return hypot (p->x - a->x - t * ux, p->y - a->y - t * uy);
}

gdouble
zone_get_distance (const Zone * zone, gdouble x, gdouble y)
{
  const Point *points = get_points (zone), p = { x, y };
  gdouble least = G_MAXDOUBLE;
  gsize first = 0;

  for (guint ring = 0; ring < zone->ends->len; ring++) {
    const gsize end = g_array_index (zone->ends, gsize, ring);

    for (gsize i = zone->is_line ? first + 1 : first; i < end; i++)
      least = fmin (least, zone_edge_get_distance (&points[i > first ? i - 1 :
                  end - 1], &points[i], &p));
    first = end;
  }
  return least;
}

/* Places are taken as a little lower than they are, and less so to the right:
 * so none is on a line, and no way leads through a corner. */

/* Whether the place @p is right of a-b. */
static gboolean
is_place_right (const Point * a, const Point * b, const Point * p)
{
  const gint s = side (a, b, p);

  if (s != 0)
    return s > 0;
  return a->x != b->x ? a->x < b->x : a->y > b->y;
}

/* Whether the corner @a is right of the way from @p to @q. */
static gboolean
is_corner_right (const Point * p, const Point * q, const Point * a)
{
  const gint s = side (p, q, a);

  if (s != 0)
    return s > 0;
  return p->x != q->x ? p->x > q->x : p->y < q->y;
}

gint
zone_count_crossings (const Zone * line, const Point * from, const Point * to)
{
  const Point *points = get_points (line);
  gint n = 0;

  if (MAX (from->x, to->x) < line->low.x || MIN (from->x, to->x) > line->high.x
      || MAX (from->y, to->y) < line->low.y
      || MIN (from->y, to->y) > line->high.y)
    return 0;
  for (guint i = 1; i < line->points->len; i++) {
    const Point *a = &points[i - 1], *b = &points[i];
    const gboolean was_right = is_place_right (a, b, from);
    const gboolean is_right = is_place_right (a, b, to);

    if (was_right != is_right
        && is_corner_right (from, to, a) != is_corner_right (from, to, b))
      n += is_right ? 1 : -1;
  }
  return n;
}

/* Whether @p, in line with @a and @b, is between them. */
static gboolean
is_between (const Point * a, const Point * b, const Point * p)
{
  return p->x >= MIN (a->x, b->x) && p->x <= MAX (a->x, b->x)
      && p->y >= MIN (a->y, b->y) && p->y <= MAX (a->y, b->y);
}

gboolean
zone_lines_meet (const Point * a, const Point * b, const Point * c,
    const Point * d)
{
  const gint ca = side (c, d, a), cb = side (c, d, b);
  const gint ac = side (a, b, c), ad = side (a, b, d);

  if (ca * cb < 0 && ac * ad < 0)
    return TRUE;
  return (ca == 0 && is_between (c, d, a)) || (cb == 0 && is_between (c, d, b))
      || (ac == 0 && is_between (a, b, c)) || (ad == 0 && is_between (a, b, d));
}
