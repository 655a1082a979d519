/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* How far a piece turns from cup to cup, by marks that several cups show. */

#include "marks.h"

#include <math.h>

/* Degrees from the nominal turn that are looked at, and of a bin of votes */
#define RANGE 120
#define N_BINS (2 * RANGE)

/* Bins to either side of a peak; degrees from there that count as the same turn */
#define NEAR 4
#define SAME_TURN 6

/* Without large marks of two pairs of cups that agree, a turn is believed up to as
 * many degrees from the nominal one: a reflection stays where it is, too. */
#define PLAUSIBLE 30

/* Two looks show the same mark if it is as far from the axis, within this part
 * of the radius, and as large, within this part of the greater one. */
#define SAME_PLACE 0.08
#define SAME_SIZE 0.6

/* The longitude of marks is known up to as far from the middle of the axis */
#define POLE 0.95
#define CUT_POLE 0.85

/* What a mark weighs that goes on behind the limb */
#define CUT 0.02

/* What a texture's turn weighs, where marks weigh up to .7: it is known several
 * times better than theirs. */
#define TEXTURE 2

typedef struct
{
  gdouble nominal;
  gdouble bins[N_BINS];
  /* of the votes near @centre */
  gdouble centre, weight, sum;
  /* bits of the pairs of cups of large marks, by the first and by the second */
  guint32 from, to;
  gdouble large_mm2;
} Votes;

/* Cups, and whether both marks are large */
typedef struct
{
  guint from, to;
  gboolean is_large;
} Pair;

typedef void (*Vote) (Votes * votes, gdouble turn, gdouble weight,
    const Pair * pair);

static void
fill_bin (Votes * votes, gdouble turn, gdouble weight, const Pair * pair)
{
  votes->bins[(guint) (turn - votes->nominal + RANGE)] += weight;
}

static void
add_near (Votes * votes, gdouble turn, gdouble weight, const Pair * pair)
{
  const guint span = pair->to - pair->from;
  /* how well a turn is known grows with the cups between */
  const gdouble known = weight * span * span;

  if (fabs (turn - votes->centre) > SAME_TURN)
    return;
  votes->weight += known;
  votes->sum += known * turn;
  if (!pair->is_large)
    return;
  votes->from |= 1u << pair->from;
  votes->to |= 1u << pair->to;
}

/* The nearer to the nominal turn the likelier. */
static void
vote (Votes * votes, Vote function, gdouble turn, gdouble weight,
    const Pair * pair)
{
  const gdouble off = turn - votes->nominal;

  if (off >= -RANGE && off + RANGE < N_BINS)
    function (votes, turn, weight / (1 + off * off / 900), pair);
}

/* At the ends of the axis a mark has no longitude; nor has one near them of
 * which the middle is not known well. */
static gboolean
has_longitude (const LineMark * mark)
{
  return fabs (mark->place.centre[1]) <=
      (mark->place.least > LINE_LIMB ? POLE : CUT_POLE);
}

static gboolean
may_be_same (const LineMark * a, const LineMark * b)
{
  /* Of marks that both go on behind the limb the looks show the same part only
   * at the same side. */
  return a->cup != b->cup && a->main == b->main && has_longitude (a)
      && has_longitude (b) && (MAX (a->place.least, b->place.least) > LINE_LIMB
      || a->place.centre[0] * b->place.centre[0] > 0)
      && fabs (a->place.centre[1] - b->place.centre[1]) <= SAME_PLACE
      && a->surface >= SAME_SIZE * b->surface
      && b->surface >= SAME_SIZE * a->surface;
}

/* Each number of whole turns between the cups is a vote of its own. */
static void
vote_pair (Votes * votes, Vote function, const LineMark * a, const LineMark * b)
{
  const LineMark *first = a->cup < b->cup ? a : b;
  const LineMark *second = a->cup < b->cup ? b : a;
  const gint span = second->cup - first->cup;
  const gdouble by = second->place.longitude - first->place.longitude;
  /* Where the middle of a mark is that goes on behind the limb is not known as
   * well. */
  const gdouble least = MIN (a->place.least, b->place.least);
  const gdouble weight = MAX (least - LINE_LIMB, CUT);
  const Pair pair = { first->cup, second->cup,
    MIN (a->surface, b->surface) >= votes->large_mm2
  };

  for (gint whole = -span; whole <= span; whole++)
    vote (votes, function, (by + 360 * whole) / span, weight, &pair);
}

static void
vote_marks (Votes * votes, Vote function, const LineMark * marks, gsize n)
{
  for (gsize i = 0; i < n; i++)
    for (gsize j = i + 1; j < n; j++)
      if (may_be_same (&marks[i], &marks[j]))
        vote_pair (votes, function, &marks[i], &marks[j]);
}

static void
vote_textures (Votes * votes, Vote function, const LineView * const *views,
    const LineSight * sights, guint n)
{
  for (guint i = 0; i < n; i++) {
    const guint cup = sights[i].cup;
    const Pair pair = { cup - 1, cup, TRUE };

    if (cup > 0 && cup < views[i]->n_turns && isfinite (views[i]->turns[cup]))
      vote (votes, function, views[i]->turns[cup], TEXTURE, &pair);
  }
}

/* Of equal ones the first. */
static void
find_peak (Votes * votes)
{
  gdouble most = 0;

  votes->centre = votes->nominal;
  for (gint i = 0; i < N_BINS; i++) {
    gdouble score = 0;

    for (gint k = MAX (i - NEAR + 1, 0); k < MIN (i + NEAR, N_BINS); k++)
      score += (NEAR - ABS (i - k)) * votes->bins[k];
    if (score <= most)
      continue;
    most = score;
    votes->centre = votes->nominal - RANGE + i + 0.5;
  }
}

gboolean
line_marks_find_turn (const LineMark * marks, gsize n, gdouble nominal,
    const LineView * const *views, const LineSight * sights, guint n_sights,
    gdouble large_mm2, gdouble * turn)
{
  Votes votes = {.nominal = nominal,.large_mm2 = large_mm2 };
  gboolean is_found = FALSE;

  *turn = nominal;
  vote_marks (&votes, fill_bin, marks, n);
  vote_textures (&votes, fill_bin, views, sights, n_sights);
  find_peak (&votes);
  for (guint i = 0; i < 3; i++) {
    votes.weight = votes.sum = 0;
    votes.from = votes.to = 0;
    vote_marks (&votes, add_near, marks, n);
    vote_textures (&votes, add_near, views, sights, n_sights);
    if (!(votes.weight > 0))
      return FALSE;
    votes.centre = votes.sum / votes.weight;
  }
  is_found = fabs (votes.centre - nominal) <= PLAUSIBLE
      || (votes.from & (votes.from - 1)) || (votes.to & (votes.to - 1));
  if (is_found)
    *turn = votes.centre;
  return is_found;
}
