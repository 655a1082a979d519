/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Local search on a tour of strokes: 2-opt (Croes, 1958) and Or-opt (1976)
 * moves with lists of near ports and a queue of ports to look at, then kicks:
 * two neighbouring pieces of the tour are swapped, the search repairs it, and
 * what has not become shorter is undone (iterated local search).
 *
 * Everything is sequential and deterministic.
 */
#include "strokes_private.h"

#include <math.h>
#include <string.h>

#include "strokes_math.h"
#include "strokes_tour.h"

/* Longest piece that Or-opt moves, in strokes. */
#define MAX_PIECE 3
/* Longest piece that a kick swaps. */
#define MAX_KICK 50
/* Kicks for each stroke, and at most: they are most of the time. */
#define KICKS 30
#define MAX_KICKS 4000
/* Smaller gains are rounding, in pixels. */
#define MIN_GAIN 1e-6
/* Reversals after a kick that can be undone. */
#define LOG_SIZE 4096
/* Of one move. */
#define MAX_REVERSALS 3
/* How often closed contours are turned and the search repeated. */
#define N_ROUNDS 3

/* A reversal that was done. */
typedef struct
{
  guint32 first, last;
} Reversal;

/**
 * Search:
 * @queue: ring of ports to look at
 * @head: place of the first one
 * @n_queued: their number
 * @is_queued: whether each port is one
 * @log: reversals since the last kick
 * @log_size: how many fit
 * @gain: by how much the tour has become shorter since the last kick
 * @state: of random numbers
 */
typedef struct
{
  CsStrokesTour tour;
  guint32 *queue;
  guint32 head, n_queued;
  guint8 *is_queued;
  Reversal *log;
  guint32 n_logged, log_size;
  double gain;
  guint64 state;
} Search;

static void
enqueue (Search * search, guint32 port)
{
  const guint32 size = 2 * search->tour.n;

  if (search->is_queued[port] || port / 2 == search->tour.n - 1)
    return;
  search->is_queued[port] = TRUE;
  search->queue[(search->head + (guint64) search->n_queued++) % size] = port;
}

static guint32
dequeue (Search * search)
{
  const guint32 port = search->queue[search->head];

  search->head = (search->head + 1) % (2 * search->tour.n);
  search->n_queued--;
  search->is_queued[port] = FALSE;
  return port;
}

static void
reverse (gpointer user_data, guint32 first, guint32 last)
{
  Search *search = user_data;

  search->log[search->n_logged++] = (Reversal) { first, last };
  cs_strokes_tour_reverse (&search->tour, first, last);
}

static void
undo (Search * search)
{
  while (search->n_logged > 0) {
    const Reversal *last = &search->log[--search->n_logged];

    cs_strokes_tour_reverse (&search->tour, last->last, last->first);
  }
}

/* Travels between @p and @q, @c and @d become @p to @c, @q to @d. */
static gboolean
try_two_opt (Search * search, guint32 p, guint32 q, guint32 c, guint32 d,
    double saved)
{
  const CsStrokesTour *tour = &search->tour;
  const double gain = saved + cs_strokes_tour_distance (tour, c, d) -
      cs_strokes_tour_distance (tour, q, d);

  if (gain < MIN_GAIN)
    return FALSE;
  if (cs_strokes_tour_is_exit (tour, p))
    reverse (search, q / 2, c / 2);
  else
    reverse (search, p / 2, d / 2);
  search->gain += gain;
  return TRUE;
}

/**
 * Piece:
 * @inner: the port at its other end, if @outer is at the one that moves
 * @beyond: the partner of @inner
 *
 * A piece of the tour for Or-opt: strokes from @first to @last.
 */
typedef struct
{
  guint32 first, last, outer, inner, beyond;
} Piece;

static gboolean
has_stroke (const CsStrokesTour * tour, const Piece * piece, guint32 stroke)
{
  return cs_strokes_tour_count (tour, piece->first, stroke) <=
      cs_strokes_tour_count (tour, piece->first, piece->last);
}

/* Moves @piece, with its outer port next to @c, between @c and @d. */
static gboolean
try_or_opt (Search * search, const Piece * piece, guint32 c, guint32 d,
    double saved)
{
  const CsStrokesTour *tour = &search->tour;
  const gboolean behind = cs_strokes_tour_is_exit (tour, c);
  const gboolean begins = cs_strokes_tour_entry (tour, piece->first) ==
      piece->outer;
  const double gain = saved + cs_strokes_tour_distance (tour, c, d) -
      cs_strokes_tour_distance (tour, piece->inner, d);

  if (gain < MIN_GAIN || has_stroke (tour, piece, c / 2) ||
      has_stroke (tour, piece, d / 2))
    return FALSE;
  cs_strokes_tour_move (tour, piece->first, piece->last,
      behind ? c / 2 : d / 2, behind != begins, reverse, search);
  search->gain += gain;
  return TRUE;
}

static gboolean
find_piece (const CsStrokesTour * tour, guint32 port, guint n, Piece * piece)
{
  const guint32 nowhere = tour->n - 1;
  const gboolean begins = !cs_strokes_tour_is_exit (tour, port);
  guint32 stroke = port / 2;

  for (; n > 1; n--) {
    stroke = begins ? cs_strokes_tour_next (tour, stroke) :
        cs_strokes_tour_previous (tour, stroke);
    if (stroke == nowhere)
      return FALSE;
  }
  piece->first = begins ? port / 2 : stroke;
  piece->last = begins ? stroke : port / 2;
  piece->outer = port;
  piece->inner = begins ? cs_strokes_tour_exit (tour, stroke) :
      cs_strokes_tour_entry (tour, stroke);
  piece->beyond = cs_strokes_tour_partner (tour, piece->inner);
  return TRUE;
}

static void
enqueue_edge (Search * search, guint32 a, guint32 b)
{
  enqueue (search, a);
  enqueue (search, b);
}

static gboolean
improve_by_pieces (Search * search, guint32 p, guint32 q, double travel)
{
  const CsStrokesTour *tour = &search->tour;
  const guint32 *near = tour->near + (gsize) p * CS_STROKES_N_NEAR;
  Piece piece;
  guint n, i;

  for (n = 1; n <= MAX_PIECE && n + 2 < tour->n; n++) {
    if (!find_piece (tour, p, n, &piece))
      return FALSE;
    const double saved = travel + cs_strokes_tour_distance (tour, piece.inner,
        piece.beyond) - cs_strokes_tour_distance (tour, q, piece.beyond);
    for (i = 0; i < CS_STROKES_N_NEAR && near[i] != CS_STROKES_NO_PORT; i++) {
      const guint32 c = near[i], d = cs_strokes_tour_partner (tour, c);
      const double added = cs_strokes_tour_distance (tour, p, c);

      if (added >= saved)
        break;
      if (c == q || !try_or_opt (search, &piece, c, d, saved - added))
        continue;
      enqueue_edge (search, p, c);
      enqueue_edge (search, piece.inner, d);
      enqueue_edge (search, q, piece.beyond);
      return TRUE;
    }
  }
  return FALSE;
}

/* Looks for a better partner of port @p. */
static gboolean
improve (Search * search, guint32 p)
{
  const CsStrokesTour *tour = &search->tour;
  const guint32 *near = tour->near + (gsize) p * CS_STROKES_N_NEAR;
  const guint32 q = cs_strokes_tour_partner (tour, p);
  const double travel = cs_strokes_tour_distance (tour, p, q);
  const gboolean is_exit = cs_strokes_tour_is_exit (tour, p);
  guint i;

  for (i = 0; i < CS_STROKES_N_NEAR && near[i] != CS_STROKES_NO_PORT; i++) {
    const guint32 c = near[i];
    const double added = cs_strokes_tour_distance (tour, p, c);

    if (added >= travel)
      break;
    if (cs_strokes_tour_is_exit (tour, c) != is_exit)
      continue;
    const guint32 d = cs_strokes_tour_partner (tour, c);
    if (try_two_opt (search, p, q, c, d, travel - added)) {
      enqueue_edge (search, p, c);
      enqueue_edge (search, q, d);
      return TRUE;
    }
  }
  return improve_by_pieces (search, p, q, travel);
}

/* Until nothing gets shorter, or, to be able to undo it, the log is full. */
static void
descend (Search * search, gboolean can_undo)
{
  while (search->n_queued > 0) {
    const guint32 port = dequeue (search);

    do {
      if (!can_undo)
        search->n_logged = 0;
    } while (search->n_logged + MAX_REVERSALS <= search->log_size &&
        improve (search, port));
  }
}

/* SplitMix64 (Steele, Lea, Flood, 2014). */
static guint32
get_random (Search * search, guint32 below)
{
  guint64 z = search->state += G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  z = (z ^ z >> 30) * G_GUINT64_CONSTANT (0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * G_GUINT64_CONSTANT (0x94d049bb133111eb);
  return (guint32) ((z ^ z >> 31) >> 32) % below;
}

static guint32
walk (const CsStrokesTour * tour, guint32 stroke, guint32 n)
{
  while (n-- > 0)
    stroke = cs_strokes_tour_next (tour, stroke);
  return stroke;
}

/* Swaps two neighbouring pieces. */
static void
kick (Search * search)
{
  const CsStrokesTour *tour = &search->tour;
  const guint32 longest = MIN (MAX_KICK, (tour->n - 1) / 2);
  const guint32 first = get_random (search, tour->n);
  const guint32 last = walk (tour, first, get_random (search, longest));
  const guint32 next = cs_strokes_tour_next (tour, last);
  const guint32 end = walk (tour, next, get_random (search, longest));
  const guint32 previous = cs_strokes_tour_previous (tour, first);
  const guint32 after = cs_strokes_tour_next (tour, end);
  const guint32 ports[6] = {
    cs_strokes_tour_exit (tour, previous), cs_strokes_tour_entry (tour, first),
    cs_strokes_tour_exit (tour, last), cs_strokes_tour_entry (tour, next),
    cs_strokes_tour_exit (tour, end), cs_strokes_tour_entry (tour, after)
  };

  search->gain = cs_strokes_tour_distance (tour, ports[0], ports[1]) +
      cs_strokes_tour_distance (tour, ports[2], ports[3]) +
      cs_strokes_tour_distance (tour, ports[4], ports[5]) -
      cs_strokes_tour_distance (tour, ports[0], ports[3]) -
      cs_strokes_tour_distance (tour, ports[4], ports[1]) -
      cs_strokes_tour_distance (tour, ports[2], ports[5]);
  search->n_logged = 0;
  reverse (search, first, end);
  reverse (search, end, next);
  reverse (search, last, first);
  for (guint i = 0; i < G_N_ELEMENTS (ports); i++)
    enqueue (search, ports[i]);
}

static void
perturb (Search * search, guint64 max_kicks)
{
  const guint32 n_strokes = search->tour.n - 1;
  const guint64 n_kicks = MIN ((guint64) KICKS * n_strokes, max_kicks);

  /* nothing to swap */
  if (n_strokes < 2)
    return;
  for (guint64 i = 0; i < n_kicks; i++) {
    kick (search);
    descend (search, TRUE);
    /* of the same length: from there another way may be shorter */
    if (search->gain < 0.)
      undo (search);
  }
}

/* --- Contours ------------------------------------------------------------- */

static const CsStrokePoint *
get_contour (const CsStrokesList * list, guint32 contour, guint32 * n)
{
  *n = list->offsets[contour + 1] - list->offsets[contour];
  return list->points + list->offsets[contour];
}

static gboolean
is_closed (const CsStrokesList * list, guint32 contour)
{
  guint32 n;
  const CsStrokePoint *points = get_contour (list, contour, &n);

  return cs_strokes_is_closed (points, n);
}

static void
set_ports (Search * search, const CsStrokesList * list,
    const CsStrokesStep * steps)
{
  CsStrokePoint *ports = search->tour.ports;
  guint32 i, n;

  for (i = 0; i + 1 < search->tour.n; i++) {
    const CsStrokePoint *points = get_contour (list, steps[i].contour, &n);
    const guint32 stroke = steps[i].contour;

    if (cs_strokes_is_closed (points, n)) {
      ports[2 * stroke] = ports[2 * stroke + 1] = points[steps[i].first];
    } else {
      ports[2 * stroke] = points[0];
      ports[2 * stroke + 1] = points[n - 1];
    }
  }
  ports[2 * i] = ports[2 * i + 1] = (CsStrokePoint) { 0.f, 0.f };
}

static void
begin_tour (Search * search, const CsStrokesStep * steps)
{
  CsStrokesTour *tour = &search->tour;

  tour->mirrored = FALSE;
  for (guint32 i = 0; i < tour->n; i++) {
    const guint32 stroke = i + 1 < tour->n ? steps[i].contour : i;

    tour->order[i] = stroke;
    tour->places[stroke] = i;
    tour->reversed[stroke] = i + 1 < tour->n && steps[i].reversed;
  }
  search->head = search->n_queued = 0;
  for (guint32 i = 0; i < 2 * tour->n; i++)
    search->is_queued[i] = FALSE;
  for (guint32 i = 0; i + 1 < tour->n; i++)
    enqueue_edge (search, cs_strokes_tour_entry (tour, steps[i].contour),
        cs_strokes_tour_exit (tour, steps[i].contour));
}

/* Directions of closed contours mean nothing. */
static void
end_tour (const Search * search, const CsStrokesList * list,
    const guint32 * firsts, CsStrokesStep * steps)
{
  const CsStrokesTour *tour = &search->tour;
  guint32 stroke = tour->n - 1, i;

  for (i = 0; i + 1 < tour->n; i++) {
    stroke = cs_strokes_tour_next (tour, stroke);
    steps[i].contour = stroke;
    steps[i].first = firsts[stroke];
    steps[i].reversed = cs_strokes_tour_entry (tour, stroke) & 1 &&
        !is_closed (list, stroke);
  }
}

static CsStrokePoint
get_end (const CsStrokesList * list, const CsStrokesStep * step, gboolean entry)
{
  guint32 n;
  const CsStrokePoint *points = get_contour (list, step->contour, &n);

  if (cs_strokes_is_closed (points, n))
    return points[step->first];
  return points[step->reversed == entry ? n - 1 : 0];
}

static double
get_distance (CsStrokePoint a, CsStrokePoint b)
{
  return sqrt (cs_strokes_distance2 (a.x, a.y, b.x, b.y));
}

/* Where to begin a closed contour, on the way between its neighbours. */
static void
turn_closed (const CsStrokesList * list, CsStrokesStep * steps, guint32 n_steps)
{
  guint32 i, k, n;

  for (i = 0; i < n_steps; i++) {
    CsStrokesStep *step = &steps[i];
    const CsStrokePoint *points = get_contour (list, step->contour, &n);
    double best = INFINITY;

    if (!cs_strokes_is_closed (points, n) || n_steps < 2)
      continue;
    CsStrokePoint from = get_end (list, &steps[i > 0 ? i - 1 : 1], i == 0);
    CsStrokePoint to = get_end (list, &steps[i + 1 < n_steps ? i + 1 : i - 1],
        i + 1 < n_steps);
    for (k = 0; k + 1 < n; k++) {
      const double way = get_distance (from, points[k]) +
          get_distance (points[k], to);

      if (way < best) {
        best = way;
        step->first = k;
      }
    }
  }
}

static gboolean
has_closed (const CsStrokesList * list)
{
  for (gsize i = 0; i < list->n_contours; i++) {
    if (is_closed (list, i))
      return TRUE;
  }
  return FALSE;
}

/* --- Memory --------------------------------------------------------------- */

/* @firsts: (out): an array for each contour */
static gboolean
search_init (Search * search, CsStrokesTourScratch * scratch, guint32 n,
    guint32 ** firsts, GError ** error)
{
  const gsize size = (gsize) n * (2 * sizeof (CsStrokePoint) +
      (5 + 2 * CS_STROKES_N_NEAR) * sizeof (guint32) + 3);
  CsStrokePoint *ports = cs_scratch_ensure (&scratch->tour, size, error);

  memset (search, 0, sizeof (*search));
  search->log = cs_scratch_ensure (&scratch->log,
      LOG_SIZE * sizeof (Reversal), error);
  if (!ports || !search->log)
    return FALSE;
  search->log_size = LOG_SIZE;
  search->tour.n = n;
  search->tour.ports = ports;
  search->tour.near = (guint32 *) (ports + 2 * (gsize) n);
  search->tour.order = search->tour.near + 2 * (gsize) n * CS_STROKES_N_NEAR;
  search->tour.places = search->tour.order + n;
  search->queue = search->tour.places + n;
  *firsts = search->queue + 2 * (gsize) n;
  search->tour.reversed = (guint8 *) (*firsts + n);
  search->is_queued = search->tour.reversed + n;
  return TRUE;
}

gboolean
cs_strokes_two_opt (CsStrokesTourScratch * scratch, const CsStrokesList * list,
    CsStrokesStep * steps, GError ** error)
{
  const guint32 n = (guint32) list->n_contours;
  const guint n_rounds = has_closed (list) ? N_ROUNDS : 1;
  guint32 *firsts, i;
  Search search;

  if (!search_init (&search, scratch, n + 1, &firsts, error))
    return FALSE;
  for (guint round = 0; round < n_rounds; round++) {
    for (i = 0; i < n; i++)
      firsts[steps[i].contour] = steps[i].first;
    set_ports (&search, list, steps);
    if (!cs_strokes_find_near (&scratch->near, search.tour.ports, 2 * n,
            search.tour.near, error))
      return FALSE;
    begin_tour (&search, steps);
    descend (&search, FALSE);
    if (round + 2 >= n_rounds)
      perturb (&search, n_rounds > 1 ? MAX_KICKS / 2 : MAX_KICKS);
    end_tour (&search, list, firsts, steps);
    turn_closed (list, steps, n);
  }
  return TRUE;
}
