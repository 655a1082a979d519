/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The predicate of orientation against integers of any length, on points that
 * are nearly collinear, of every size and of sizes far from each other. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "base/orient.h"
#include "hull_oracle.h"
#include "../lib/check.h"
#include "../lib/random.h"

#define N_RANDOM 200000

static void
check_points (const OraclePoint p[3])
{
  static const guint8 orders[6][3] = {
    {0, 1, 2}, {1, 2, 0}, {2, 0, 1}, {0, 2, 1}, {2, 1, 0}, {1, 0, 2}
  };
  const gint want = oracle_orient (&p[0], &p[1], &p[2]);

  for (guint i = 0; i < 6; i++) {
    const OraclePoint *a = &p[orders[i][0]], *b = &p[orders[i][1]];
    const OraclePoint *c = &p[orders[i][2]];
    const gint got = cs_orient (a->x, a->y, b->x, b->y, c->x, c->y);

    expect (got == (i < 3 ? want : -want), "(%a, %a), (%a, %a), (%a, %a): %d, "
        "not %d", a->x, a->y, b->x, b->y, c->x, c->y, got,
        i < 3 ? want : -want);
  }
}

/* By hand: which turn it is is plain */
static void
check_known (void)
{
  static const struct
  {
    OraclePoint p[3];
    gint want;
  } known[] = {
    {{{0, 0}, {4, 1}, {8, 2}}, 0}, {{{0, 0}, {4, 1}, {8, 3}}, 1},
    {{{0, 0}, {4, 1}, {8, 1}}, -1},
    /* an ulp beside a line; with halves and with tenths, which are none */
    {{{.5, .5}, {12, 12}, {24, 24 + 0x1p-48}}, 1},
    {{{.1, .1}, {.3, .3}, {.7, .7}}, 0},
    {{{.1, .1}, {.3, .3}, {.7, .7 - 0x1p-53}}, -1},
    /* the least and the greatest of numbers */
    {{{0, 0}, {0x1p-1074, 0}, {0, 0x1p-1074}}, 1},
    {{{0, 0}, {0x1p-1074, 0x1p-1074}, {0x3p-1074, 0x3p-1074}}, 0},
    {{{-DBL_MAX, -DBL_MAX}, {DBL_MAX, -DBL_MAX}, {0, DBL_MAX}}, 1},
    {{{-DBL_MAX, -DBL_MAX}, {0, 0}, {DBL_MAX, DBL_MAX}}, 0},
    {{{-DBL_MAX, -DBL_MAX}, {0x1p-1074, 0}, {DBL_MAX, DBL_MAX}}, 1},
    {{{-DBL_MAX, -DBL_MAX}, {0, 0x1p-1074}, {DBL_MAX, DBL_MAX}}, -1},
    /* one product is nothing, or both are */
    {{{3, 7}, {3, 9}, {3, 8}}, 0}, {{{3, 7}, {5, 7}, {4, 7}}, 0},
    {{{3, 7}, {3, 7}, {4, 1}}, 0}, {{{3, 7}, {3, 9}, {0x1p-1074, 8}}, 1},
  };

  begin ("turns that are known");
  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    expect (oracle_orient (&known[i].p[0], &known[i].p[1], &known[i].p[2]) ==
        known[i].want, "the oracle: %u", i);
    check_points (known[i].p);
  }
  end ();
}

/* A number of few or of all bits, of a size that is near to @exponent or not */
static double
make_number (guint64 * state, gint exponent)
{
  const guint kind = random_below (state, 8);
  double value = (gint) random_below (state, 9) - 4;

  if (kind == 0)
    return 0;
  if (kind < 4)
    value += ldexp ((double) random_below (state, 1u << 30), -30);
  if (kind == 7)
    exponent = (gint) random_below (state, 2096) - 1074;
  return ldexp (value, exponent);
}

/* Beside the line through the other two by some of the last bits, or on it */
static double
beside (guint64 * state, double value)
{
  const guint n = random_below (state, 4);
  double other = value;

  for (guint i = 0; i < n; i++)
    other = nextafter (other, random_below (state, 2) ? DBL_MAX : -DBL_MAX);
  return other;
}

static void
check_random (void)
{
  static const gint exponents[] = {
    -1074, -1060, -1022, -970, -540, -500, -480, -30, 0, 40, 480, 500, 511,
    960, 990, 1000, 1019
  };
  guint64 state = 1;

  for (guint e = 0; e < G_N_ELEMENTS (exponents); e++) {
    begin ("near lines, at 2^%d", exponents[e]);
    for (guint i = 0; i < N_RANDOM / G_N_ELEMENTS (exponents); i++) {
      const double t = (gint) random_below (&state, 7) - 3;
      OraclePoint p[3];

      for (guint k = 0; k < 2; k++) {
        p[k].x = make_number (&state, exponents[e]);
        p[k].y = make_number (&state, exponents[e]);
      }
      p[2].x = beside (&state, p[0].x + t / 4 * (p[1].x - p[0].x));
      p[2].y = beside (&state, p[0].y + t / 4 * (p[1].y - p[0].y));
      if (isfinite (p[2].x) && isfinite (p[2].y))
        check_points (p);
    }
    end ();
  }
}

int
main (void)
{
  check_known ();
  check_random ();
  return finish ();
}
