/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "hull_oracle.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Unsigned integers of 32-bit limbs, lowest first: doubles times 2^1074 have
 * 2098 bits, products twice that. */
#define LIMBS 140

typedef struct
{
  gint sign;
  guint n;
  guint32 limb[LIMBS];
} Big;

static void
big_trim (Big * a)
{
  while (a->n > 0 && a->limb[a->n - 1] == 0)
    a->n--;
  if (a->n == 0)
    a->sign = 0;
}

/* value * 2^1074 */
static void
big_from_double (Big * a, double value)
{
  gint exponent;
  guint64 mantissa = ldexp (frexp (fabs (value), &exponent), 53);

  memset (a, 0, sizeof (*a));
  if (value == 0)
    return;
  a->sign = value < 0 ? -1 : 1;
  exponent += 1074 - 53;
  if (exponent < 0) {
    mantissa >>= -exponent;
    exponent = 0;
  }
  guint i = exponent / 32;
  guint shift = exponent % 32;
  a->limb[i] = mantissa << shift;
  a->limb[i + 1] = mantissa >> (32 - shift);
  a->limb[i + 2] = shift > 0 ? (mantissa >> 32) >> (32 - shift) : 0;
  a->n = i + 3;
  big_trim (a);
}

static gint
big_compare_sizes (const Big * a, const Big * b)
{
  if (a->n != b->n)
    return a->n < b->n ? -1 : 1;
  for (guint i = a->n; i-- > 0;)
    if (a->limb[i] != b->limb[i])
      return a->limb[i] < b->limb[i] ? -1 : 1;
  return 0;
}

static gint
big_compare (const Big * a, const Big * b)
{
  if (a->sign != b->sign)
    return a->sign < b->sign ? -1 : 1;
  return a->sign * big_compare_sizes (a, b);
}

static void
big_subtract (const Big * a, const Big * b, Big * to)
{
  Big result = { 0 };
  guint64 carry = 0;
  guint i, n = MAX (a->n, b->n);

  if (a->sign != b->sign) {
    result.sign = a->sign ? a->sign : -b->sign;
    for (i = 0; i < n; i++) {
      carry += (guint64) (i < a->n ? a->limb[i] : 0) +
          (i < b->n ? b->limb[i] : 0);
      result.limb[i] = carry;
      carry >>= 32;
    }
    result.limb[n] = carry;
    result.n = n + 1;
  } else {
    const gint order = big_compare_sizes (a, b);
    const Big *large = order >= 0 ? a : b, *small = order >= 0 ? b : a;
    gint64 borrow = 0;

    result.sign = order * a->sign;
    for (i = 0; i < n; i++) {
      borrow += (gint64) large->limb[i] - (i < small->n ? small->limb[i] : 0);
      result.limb[i] = borrow;
      borrow >>= 32;
    }
    result.n = n;
  }
  big_trim (&result);
  *to = result;
}

static void
big_multiply (const Big * a, const Big * b, Big * to)
{
  Big result = { 0 };

  result.sign = a->sign * b->sign;
  for (guint i = 0; i < a->n; i++) {
    guint64 carry = 0;

    for (guint j = 0; j < b->n || carry; j++) {
      carry += result.limb[i + j] +
          (guint64) a->limb[i] * (j < b->n ? b->limb[j] : 0);
      result.limb[i + j] = carry;
      carry >>= 32;
    }
  }
  result.n = MIN (a->n + b->n + 1, LIMBS);
  big_trim (&result);
  *to = result;
}

gint
oracle_orient (const OraclePoint * a, const OraclePoint * b,
    const OraclePoint * c)
{
  const long double l = ((long double) a->x - c->x) *
      ((long double) b->y - c->y);
  const long double r = ((long double) a->y - c->y) *
      ((long double) b->x - c->x);
  const long double bound = 8 * LDBL_EPSILON * (fabsl (l) + fabsl (r)) +
      8 * (long double) LDBL_MIN;
  Big p, q, u, v, w, z;

  if (isfinite (bound) && fabsl (l - r) > bound)
    return l > r ? 1 : -1;
  big_from_double (&p, a->x);
  big_from_double (&q, c->x);
  big_subtract (&p, &q, &u);
  big_from_double (&p, b->y);
  big_from_double (&q, c->y);
  big_subtract (&p, &q, &v);
  big_multiply (&u, &v, &w);
  big_from_double (&p, a->y);
  big_subtract (&p, &q, &u);
  big_from_double (&p, b->x);
  big_from_double (&q, c->x);
  big_subtract (&p, &q, &v);
  big_multiply (&u, &v, &z);
  return big_compare (&w, &z);
}

gint
oracle_compare (gconstpointer a, gconstpointer b)
{
  const OraclePoint *p = a, *q = b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  if (p->y != q->y)
    return p->y < q->y ? -1 : 1;
  return p->index < q->index ? -1 : p->index > q->index;
}

static gboolean
same (const OraclePoint * p, const OraclePoint * q)
{
  return p->x == q->x && p->y == q->y;
}

/* From @at the point that all others are on the left of; the farthest. */
static gsize
next_vertex (const OraclePoint * p, gsize n, gsize at)
{
  gsize next = at == 0 ? 1 : 0, i;

  for (i = 0; i < n; i++) {
    if (i == at || i == next)
      continue;
    gint turn = oracle_orient (&p[at], &p[next], &p[i]);
    /* sorted: further along is a larger or a smaller number */
    if (turn < 0 || (turn == 0 && (at < next ? i > next : i < next)))
      next = i;
  }
  return next;
}

/* The points on edge from - to, between them, in order. */
static gsize
add_edge (const OraclePoint * p, gsize from, gsize to, OraclePoint * hull,
    gsize n_hull)
{
  for (gsize i = from; from < to ? ++i < to : --i > to;)
    if (oracle_orient (&p[from], &p[to], &p[i]) == 0)
      hull[n_hull++] = p[i];
  return n_hull;
}

OraclePoint *
oracle_hull (const OraclePoint * points, gsize n, gboolean collinear,
    gsize * n_hull, gsize * n_ignored)
{
  g_autofree OraclePoint *p = g_new (OraclePoint, n + 1);
  gsize i, m = 0, at = 0, next, count = 0;

  for (i = 0; i < n; i++)
    if (isfinite (points[i].x) && isfinite (points[i].y))
      p[m++] = points[i];
  *n_ignored = n - m;
  qsort (p, m, sizeof (*p), oracle_compare);
  n = m;
  for (i = m = 0; i < n; i++)
    if (m == 0 || !same (&p[m - 1], &p[i]))
      p[m++] = p[i];

  OraclePoint *hull = g_new (OraclePoint, m + 1);
  if (m <= 1) {
    memcpy (hull, p, m * sizeof (*p));
    *n_hull = m;
    return hull;
  }
  do {
    hull[count++] = p[at];
    next = next_vertex (p, m, at);
    /* the second chain of a degenerate hull adds nothing */
    if (collinear && !(next == 0 && count >= m))
      count = add_edge (p, at, next, hull, count);
    at = next;
  } while (at != 0 && count < m);
  *n_hull = count;
  return hull;
}

/* --- Measures ------------------------------------------------------------- */

static long double
distance (const OraclePoint * p, const OraclePoint * q)
{
  return hypotl ((long double) p->x - q->x, (long double) p->y - q->y);
}

static gboolean
encloses (const OraclePoint * hull, gsize n, long double x, long double y,
    long double r)
{
  for (gsize i = 0; i < n; i++)
    if (hypotl (hull[i].x - x, hull[i].y - y) > r * (1 + 1e-13L))
      return FALSE;
  return TRUE;
}

/* The smallest of all circles through two or three vertices that encloses the
 * rest. */
static long double
smallest_circle (const OraclePoint * hull, gsize n)
{
  long double best = INFINITY;

  for (gsize i = 0; i < n; i++) {
    for (gsize j = i + 1; j < n; j++) {
      long double r = distance (&hull[i], &hull[j]) / 2;

      if (r < best && encloses (hull, n,
              ((long double) hull[i].x + hull[j].x) / 2,
              ((long double) hull[i].y + hull[j].y) / 2, r))
        best = r;
      for (gsize k = j + 1; k < n; k++) {
        const long double bx = (long double) hull[j].x - hull[i].x;
        const long double by = (long double) hull[j].y - hull[i].y;
        const long double cx = (long double) hull[k].x - hull[i].x;
        const long double cy = (long double) hull[k].y - hull[i].y;
        const long double d = 2 * (bx * cy - by * cx);
        const long double b2 = bx * bx + by * by, c2 = cx * cx + cy * cy;
        const long double x = (cy * b2 - by * c2) / d;
        const long double y = (bx * c2 - cx * b2) / d;

        r = hypotl (x, y);
        if (r < best && encloses (hull, n, hull[i].x + x, hull[i].y + y, r))
          best = r;
      }
    }
  }
  return n == 1 ? 0 : best;
}

static void
measure_edge (const OraclePoint * hull, gsize n, gsize i, OracleMeasures * m)
{
  const OraclePoint *p = &hull[i], *q = &hull[(i + 1) % n];
  const long double length = distance (p, q);
  const long double ux = ((long double) q->x - p->x) / length;
  const long double uy = ((long double) q->y - p->y) / length;
  long double height = 0, from = 0, to = 0;

  m->perimeter += length;
  m->area += (((long double) p->x - hull->x) * ((long double) q->y - hull->y) -
      ((long double) q->x - hull->x) * ((long double) p->y - hull->y)) / 2;
  for (gsize k = 0; k < n; k++) {
    const long double dx = (long double) hull[k].x - p->x;
    const long double dy = (long double) hull[k].y - p->y;

    m->feret_max = fmaxl (m->feret_max, hypotl (dx, dy));
    height = fmaxl (height, ux * dy - uy * dx);
    from = fminl (from, ux * dx + uy * dy);
    to = fmaxl (to, ux * dx + uy * dy);
  }
  m->feret_min = fminl (m->feret_min, height);
  m->rect_area = fminl (m->rect_area, height * (to - from));
}

OracleMeasures
oracle_measure (const OraclePoint * hull, gsize n)
{
  OracleMeasures m = { 0 };

  if (n >= 2) {
    m.feret_min = m.rect_area = INFINITY;
    for (gsize i = 0; i < n; i++)
      measure_edge (hull, n, i, &m);
  }
  m.circle_r = smallest_circle (hull, n);
  return m;
}
