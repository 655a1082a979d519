/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* A belt with a piece in each cup, in virtual time: the truth. Times are
 * nanoseconds. Cup j is below the first camera, and cuts the light barrier, when
 * the belt is at j. */

#define MS G_GINT64_CONSTANT (1000000)
#define SECOND (1000 * MS)

/* What may go wrong */
typedef enum
{
  /* of the line's triggers: one that is none, one that is not seen, one that is
   * two, many that are not seen, a restart */
  FAULT_SPIKE,
  FAULT_MISSED,
  FAULT_DOUBLE,
  FAULT_BLIND,
  FAULT_RESTART,
  /* of the PLC */
  FAULT_PLC_MISSED,
  FAULT_PLC_DOUBLE,
  FAULT_PLC_COLD,
  FAULT_PLC_RETAINED,
  /* between them */
  FAULT_SLOW,
  FAULT_SILENT,
  FAULT_GARBAGE,
  FAULT_LATE,
  /* of clocks: the PLC's is set, or stands still; and other cameras, that are
   * quicker or slower */
  FAULT_CLOCK,
  FAULT_STANDS,
  FAULT_DELAY,
  /* no fault, but as hard */
  FAULT_STOP,
  /* of cameras: one is gone */
  FAULT_CAMERA,
  N_FAULTS,
} FaultKind;

/* @amount: by which a clock is set, or a delay is another one; of which camera */
typedef struct
{
  FaultKind kind;
  gint64 from, to, amount;
} Fault;

#define MAX_FAULTS 8

/**
 * Script:
 * @length: time that it takes
 * @rate: cups a second, of the fastest belt
 * @scan: of the PLC, at least
 * @latency: from a trigger to the line's time of it, at least
 * @jitter: by how much it is more, at most
 * @slow: how much slower than the fastest the belt is, at most
 * @answer: that a request takes, and its answer, at most
 * @is_known: the line is told what the latency is, about
 * @is_uneven: all requests are quick, and all answers take as long
 * @is_even: the belt is as fast as it can, and scans are as long as the others
 * @drift: by how much the PLC's clock is fast
 * @tick, @position, @next: its clock, encoder and count at the begin
 * @pitch: what its program knows of the encoder
 * @views: cameras that trigger themselves; 0: the line's triggers come to it as
 *     they are
 * @min_cameras: that must agree
 */
typedef struct
{
  guint32 seed;
  gint64 length;
  gdouble rate;
  guint cups, distance;
  gint64 scan, latency, jitter, answer;
  gboolean is_known, is_uneven, is_even;
  gdouble drift, slow;
  guint32 tick, position, next, pitch;
  guint views, min_cameras;
  guint n_faults;
  Fault faults[MAX_FAULTS];
} Script;

/* @kind: of all its faults, @n_faults of them; N_FAULTS: any */
void script_init (Script * script, guint32 seed, FaultKind kind,
    guint n_faults);

/* Returns: the fault of @kind that is on at @time, or NULL */
const Fault *script_find (const Script * script, FaultKind kind, gint64 time);

/* A trigger of the line: when it says, when that was known, and when the first and
 * the last of its pictures were taken, if it has any */
typedef struct
{
  gint64 time, known, taken, last;
  gboolean is_blind;
} Trigger;

/**
 * Belt:
 * @at: position at each millisecond
 * @triggers: of the line, in order
 * @is_seen: of each cup, whether one of them is its; and what the PLC does:
 * @is_missed: it has not noted it
 * @is_double: it has noted two
 */
typedef struct
{
  gdouble *at;
  guint n_at;
  GArray *triggers;
  gboolean *is_seen, *is_missed, *is_double;
} Belt;

void belt_init (Belt * belt, const Script * script);
void belt_clear (Belt * belt);

/* Returns: whether faults of @kind are at @cup */
gboolean belt_has_fault (const Belt * belt, const Script * script,
    FaultKind kind, guint cup);

/* Of a script with cameras */
void belt_add_cameras (Belt * belt, const Script * script);

gdouble belt_get (const Belt * belt, gint64 time);

/* Cup that is nearest to the first camera */
gint64 belt_find_cup (const Belt * belt, gint64 time);

/* Returns: when the belt was at @position first; -1 if it never is */
gint64 belt_find_time (const Belt * belt, gdouble position);

/* Returns: whether the PLC sees the light barrier cut */
gboolean belt_is_cut (const Belt * belt, gint64 time);
