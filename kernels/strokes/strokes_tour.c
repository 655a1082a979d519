/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strokes_tour.h"

static inline guint32
step_forward (const CsStrokesTour * tour, guint32 place)
{
  return place + 1 == tour->n ? 0 : place + 1;
}

static inline guint32
step_back (const CsStrokesTour * tour, guint32 place)
{
  return place == 0 ? tour->n - 1 : place - 1;
}

static inline void
put (CsStrokesTour * tour, guint32 place, guint32 stroke)
{
  tour->order[place] = stroke;
  tour->places[stroke] = place;
  tour->reversed[stroke] ^= 1;
}

/* @n places from @from to @to. */
static void
reverse_places (CsStrokesTour * tour, guint32 from, guint32 to, guint32 n)
{
  for (; n > 1; n -= 2) {
    const guint32 a = tour->order[from], b = tour->order[to];

    put (tour, from, b);
    put (tour, to, a);
    from = step_forward (tour, from);
    to = step_back (tour, to);
  }
  if (n == 1)
    put (tour, from, tour->order[from]);
}

void
cs_strokes_tour_reverse (CsStrokesTour * tour, guint32 first, guint32 last)
{
  const guint32 n = cs_strokes_tour_count (tour, first, last);
  const guint32 from = tour->places[tour->mirrored ? last : first];
  const guint32 to = tour->places[tour->mirrored ? first : last];

  if (n <= tour->n / 2) {
    reverse_places (tour, from, to, n);
    return;
  }
  /* the rest instead, and the ring is read the other way round */
  reverse_places (tour, step_forward (tour, to), step_back (tour, from),
      tour->n - n);
  tour->mirrored = !tour->mirrored;
}

void
cs_strokes_tour_move (const CsStrokesTour * tour, guint32 first, guint32 last,
    guint32 before, gboolean turn, CsStrokesReverse reverse, gpointer user_data)
{
  const guint32 after = cs_strokes_tour_next (tour, before);
  const guint32 next = cs_strokes_tour_next (tour, last);
  const guint32 previous = cs_strokes_tour_previous (tour, first);

  if (before == previous) {
    /* it stays */
    if (turn)
      reverse (user_data, first, last);
    return;
  }
  if (cs_strokes_tour_count (tour, next, before) <=
      cs_strokes_tour_count (tour, after, previous)) {
    reverse (user_data, first, before);
    reverse (user_data, before, next);
  } else {
    reverse (user_data, after, last);
    reverse (user_data, previous, after);
  }
  if (!turn)
    reverse (user_data, last, first);
}
