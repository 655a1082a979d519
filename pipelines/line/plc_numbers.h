/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "plc_clock.h"
#include "plc_ring.h"

/* Which of the PLC's triggers each of a lane's is: that of the same time, but for
 * a delay. If that may be as long as the time between triggers, only a pause tells
 * which are the same. Nothing here waits, or knows a clock or a PLC. Times are
 * nanoseconds of the line's clock. Not thread-safe. */

/* Triggers of the lane that are remembered */
#define LINE_PLC_NUMBERS 64

typedef enum
{
  LINE_PLC_WAITS,
  LINE_PLC_PAIRED,
  /* the PLC has had no such trigger; or it will not be known whether it has */
  LINE_PLC_ALONE,
  LINE_PLC_UNREAD,
} LinePlcPairing;

/**
 * LinePlcNumbered:
 * @pairing: whether it has its number
 * @time: when it came, by the line
 * @number: as the PLC counts, beyond 2^32 too, in @epoch
 * @encoder: that the PLC has noted with it
 * @plc_time: the same
 *
 * A trigger of the lane.
 */
typedef struct
{
  LinePlcPairing pairing;
  gint64 time;
  guint64 number;
  guint16 epoch;
  guint32 encoder, plc_time;
} LinePlcNumbered;

/* A trigger of the PLC: when, by its clock, and by the line's */
typedef struct
{
  gboolean is_there;
  guint64 number;
  guint32 plc_time;
  LinePlcBounds time;
} LinePlcSeen;

/**
 * LinePlcNumbers:
 *
 * A lane's triggers, and the PLC's, as far as it has been read. See
 * line_plc_numbers_init().
 */
typedef struct
{
  gint64 period, latest;
  gdouble expected;
  /* of the lane: how many there were, the first that waits, the one after the last
   * that is paired, and the same when the PLC or its clock began anew */
  guint64 n_triggers, first_waiting, after_pair, before_pairs;
  LinePlcNumbered triggers[LINE_PLC_NUMBERS];
  /* the PLC's clock, and how many readings in succession were not of it */
  LinePlcClock clock;
  guint n_odd;
  LinePlcSeen seen[LINE_PLC_RING_TRIGGERS];
  /* the PLC's numbers: those before @begun say nothing, @next has not been looked
   * at; @shift: less the lane's, from the lane's trigger @since on */
  gboolean has_epoch, is_agreed;
  guint16 epoch;
  guint64 begun, next;
  gboolean has_shift;
  gint64 shift;
  guint64 since;
  /* from the PLC's time of a trigger to the line's, of the last pairs; triggers
   * that say that it is not as expected, until there were so many of the lane */
  gdouble delay;
  guint n_doubts;
  guint64 doubted_at;
} LinePlcNumbers;

/**
 * LinePlcNews:
 * @n_paired: triggers of the lane that have got their numbers
 * @n_extra: triggers of the lane that the PLC has not had
 * @n_missed: triggers of the PLC that the lane has not had
 * @is_restarted: the PLC has begun to count anew
 * @is_found: which are the same has become known
 * @is_lost: it is not known any more
 * @is_set: since the PLC's clock was set, or stood still
 * @is_wrong: since the PLC says other things of triggers than before
 * @is_unexpected: it is not @expected, the delay, and that is forgotten
 * @is_shifted: the lane's triggers are others of the PLC's than they were:
 * @shift: so many more; if not @is_restarted
 *
 * What a reading has told.
 */
typedef struct
{
  guint n_paired, n_extra, n_missed;
  gboolean is_restarted, is_found, is_lost, is_set, is_wrong, is_unexpected;
  gboolean is_shifted;
  gdouble expected;
  gint64 shift;
} LinePlcNews;

/* @period: between triggers, of the fastest belt. @latest: at most so long after
 * the PLC's time of a trigger is the lane's. @expected: the delay, to a quarter of
 * @period, until a pause shows another one; NaN if it is not known: it is found if
 * @latest allows for one only, or a pause does */
void line_plc_numbers_init (LinePlcNumbers * numbers, gint64 period,
    gint64 latest, gdouble expected);

/* The lane's next trigger came at @time, later than the one before. */
void line_plc_numbers_add (LinePlcNumbers * numbers, gint64 time);

/* The PLC's triggers have been read: asked for at @asked, there at @answered. */
void line_plc_numbers_see (LinePlcNumbers * numbers, const LinePlcRing * ring,
    gint64 asked, gint64 answered, LinePlcNews * news);

/* Returns: whether it is known which triggers are the same */
gboolean line_plc_numbers_are_agreed (const LinePlcNumbers * numbers);

/* Returns: whether the PLC's clock is known well enough to tell its triggers
 * apart */
gboolean line_plc_numbers_know_clock (const LinePlcNumbers * numbers);

/* Returns: whether a trigger waits that the PLC could have noted at @time */
gboolean line_plc_numbers_are_awaited (const LinePlcNumbers * numbers,
    gint64 time);

/* The number of the lane's trigger @first, which is counted from 0, and of
 * the next @n - 1. Returns: LINE_PLC_PAIRED if each is the next one of the PLC's,
 * @number and @last are set then; LINE_PLC_ALONE if they are not; LINE_PLC_UNREAD if
 * it will not be known any more */
LinePlcPairing line_plc_numbers_find (const LinePlcNumbers * numbers,
    guint64 first, guint n, guint64 * number, LinePlcNumbered * last);
