/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A world whose truth is known: a table of pulses, and cameras that spike, miss
 * pulses, lose pictures, come late, wrap their ids, leave and come back. */

#include "camera_votes.h"

G_BEGIN_DECLS

#define MS G_GINT64_CONSTANT (1000000)
#define SECOND (1000 * MS)
#define PERIOD (100 * MS)
#define TOLERANCE (25 * MS)
#define TIMEOUT (35 * MS)
#define START (1000 * SECOND)
#define CUPS 5
#define MOST_VIEWS 4
#define MOST_PULSES 1500
#define MOST_EVENTS 10000
#define NO_PULSE G_MAXUINT

typedef enum
{
  PICTURE,
  /* one whose head was lost */
  REMAINS,
  LOST,
  UNPLUG,
  /* it is seen that the camera is gone */
  LEAVE,
  JOIN,
} Kind;

/* Something at a camera. Pictures: when they were taken, and of which pulse */
typedef struct
{
  Kind kind;
  guint view, pulse;
  gint64 time, camera_time, arrival;
  guint64 id;
  gboolean is_stalled;
} Event;

typedef struct
{
  gint64 ahead, ppm, takes;
  guint64 id;
  gboolean is_wide, is_plugged;
  /* pictures without a verdict: their events */
  guint waiting[LINE_MOST_VERDICTS], n_waiting;
  guint n_used, n_refused, spikes, missed, n_lost;
  LineCameraSync sync;
} Device;

/* A trigger: its time, when it was known, and its pictures */
typedef struct
{
  gint64 time, known, first, last;
  guint n_pictures;
  gboolean is_alone;
  guint32 awaited;
} Fired;

typedef struct
{
  guint views, n_pulses, n_events, n_triggers;
  gint64 pulses[MOST_PULSES];
  guint32 takers[MOST_PULSES], receivers[MOST_PULSES];
  /* as they are handled, and pictures as they are taken */
  Event events[MOST_EVENTS], taken[MOST_EVENTS];
  guint n_taken;
  Device devices[MOST_VIEWS];
  LineCameraVotes votes;
  /* when the event came that is handled */
  gint64 now;
  Fired triggers[MOST_EVENTS];
} World;

extern World world;
extern guint64 world_random;

/* Below @n. */
guint throw (guint n);
guint count_bits (guint32 bits);

/* Making */

void make_world (guint views, guint min_cameras);
Event *add_event (Kind kind, guint view, gint64 time);
/* @seers: views that take a picture; @lost: those whose picture is lost */
void add_pulse (gint64 time, guint32 seers, guint32 lost);
/* A pulse at one camera alone */
void add_spike (guint view, gint64 time);
/* At the start */
void join_all (void);

/* Cameras count and stamp what they take, in order; it arrives a little later,
 * in order; pictures of one that is not there are not taken. */
void take_pictures (guint jitter_ms);
/* For so long the host handles nothing. */
void stall (gint64 time, gint64 length);

void run_world (void);

/* Truth */

/* Triggers are the pulses that enough cameras took pictures of, each of them,
 * in order, and nothing else. */
void expect_pulses (guint enough);

/* Whatever happens: triggers' pictures are those of one pulse, of later ones each
 * time, which enough cameras saw; of one camera alone nobody knows. Returns: the
 * first trigger that is wrong, or how many there are */
guint find_wrong (guint enough);

G_END_DECLS
