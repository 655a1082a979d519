/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <math.h>

#include "strokes_near.h"
#include "strokes_private.h"

G_BEGIN_DECLS

/**
 * CsStrokesTour:
 * @n: number of strokes, and one that is nowhere: it closes the tour to a ring,
 *     at no cost; the last index
 * @order: stroke at each place of the ring
 * @places: place of each stroke
 * @reversed: whether each stroke is drawn from its port 2 i + 1 to 2 i
 * @mirrored: whether the ring is read backwards
 * @ports: where strokes begin and end, two for each
 * @near: nearest ports, see cs_strokes_find_near()
 *
 * A ring of strokes with directions.
 */
typedef struct
{
  guint32 n;
  guint32 *order, *places;
  guint8 *reversed;
  gboolean mirrored;
  CsStrokePoint *ports;
  guint32 *near;
} CsStrokesTour;

/* Ports of a stroke as it is drawn. */
static inline guint32
cs_strokes_tour_entry (const CsStrokesTour * tour, guint32 stroke)
{
  return 2 * stroke + (tour->reversed[stroke] ^ (tour->mirrored ? 1 : 0));
}

static inline guint32
cs_strokes_tour_exit (const CsStrokesTour * tour, guint32 stroke)
{
  return cs_strokes_tour_entry (tour, stroke) ^ 1;
}

static inline gboolean
cs_strokes_tour_is_exit (const CsStrokesTour * tour, guint32 port)
{
  return cs_strokes_tour_exit (tour, port / 2) == port;
}

static inline guint32
cs_strokes_tour_next (const CsStrokesTour * tour, guint32 stroke)
{
  const guint32 place = tour->places[stroke];

  if (tour->mirrored)
    return tour->order[place == 0 ? tour->n - 1 : place - 1];
  return tour->order[place + 1 == tour->n ? 0 : place + 1];
}

static inline guint32
cs_strokes_tour_previous (const CsStrokesTour * tour, guint32 stroke)
{
  const guint32 place = tour->places[stroke];

  if (!tour->mirrored)
    return tour->order[place == 0 ? tour->n - 1 : place - 1];
  return tour->order[place + 1 == tour->n ? 0 : place + 1];
}

/* The port to or from which the pen travels. */
static inline guint32
cs_strokes_tour_partner (const CsStrokesTour * tour, guint32 port)
{
  if (cs_strokes_tour_is_exit (tour, port))
    return cs_strokes_tour_entry (tour, cs_strokes_tour_next (tour, port / 2));
  return cs_strokes_tour_exit (tour, cs_strokes_tour_previous (tour, port / 2));
}

static inline double
cs_strokes_tour_distance (const CsStrokesTour * tour, guint32 a, guint32 b)
{
  const double dx = (double) tour->ports[a].x - tour->ports[b].x;
  const double dy = (double) tour->ports[a].y - tour->ports[b].y;

  if (a / 2 == tour->n - 1 || b / 2 == tour->n - 1)
    return 0.;
  return sqrt (dx * dx + dy * dy);
}

/* How many strokes there are from @first to @last, both included. */
static inline guint32
cs_strokes_tour_count (const CsStrokesTour * tour, guint32 first, guint32 last)
{
  const guint32 from = tour->places[tour->mirrored ? last : first];
  const guint32 to = tour->places[tour->mirrored ? first : last];

  return (to >= from ? to - from : to + tour->n - from) + 1;
}

/* Reverses the strokes from @first to @last: their order and directions. Costs
 * what the shorter part of the ring has. */
void cs_strokes_tour_reverse (CsStrokesTour * tour, guint32 first,
    guint32 last);

/* Moves the strokes from @first to @last behind @before, which is not one of
 * them, and reverses them if @turn. Made of at most three reversals, which
 * @reverse does. */
typedef void (*CsStrokesReverse) (gpointer user_data, guint32 first,
    guint32 last);
void cs_strokes_tour_move (const CsStrokesTour * tour, guint32 first,
    guint32 last, guint32 before, gboolean turn, CsStrokesReverse reverse,
    gpointer user_data);

G_END_DECLS
