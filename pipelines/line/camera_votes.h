/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "camera_sync.h"
#include "settings.h"

/* Triggers of cameras that trigger themselves, by agreement. A picture at a new
 * time makes a candidate; when enough cameras have a picture of that time, it is
 * a trigger; when enough cannot have one any more, it was a spike at the trigger
 * input of those that have. A camera that shows a later picture has none if its
 * frame ids leave no room for one; if they do, it has taken one, and it was lost
 * on its way. So nothing is decided by waiting: a spike while the belt stands is
 * a candidate until the belt moves.
 *
 * Nothing here waits, knows a device, or reads a clock. Times are nanoseconds.
 * Not thread-safe; no memory is allocated. */

/* Candidates at a time; a further one has the oldest decided as a spike. */
#define LINE_MOST_CANDIDATES 32

/* Pictures of a view that wait for a verdict, or for somebody to take it */
#define LINE_MOST_VERDICTS 64

/**
 * LineCameraVerdict:
 * @trigger: that the picture is of; LINE_NO_TRIGGER: of none, it is of no use
 * @spikes: pictures of spikes that the camera had since its last trigger, as
 *     this one shows
 * @missed: triggers that it did not see since then
 * @is_lost: the camera is out of step, and learns its triggers again; its other
 *     pictures that waited are of none
 *
 * What a picture is of.
 */
typedef struct
{
  guint64 trigger;
  guint spikes, missed;
  gboolean is_lost;
} LineCameraVerdict;

/* A picture: its count, its time, how much too late that may be */
typedef struct
{
  guint64 count;
  gint64 time, doubt;
} LineVote;

/* A time at which there may have been a trigger: whether it is merged of two;
 * views that have seen it; those whose pictures of it wait; those that were there,
 * and had none in time */
typedef struct
{
  gint64 time, doubt;
  gboolean is_merged;
  guint32 seen, waiting, denied;
  LineVote votes[LINE_MAX_VIEWS];
} LineCandidate;

/* A camera: when it joined, and was heard last. Of one that votes: trigger less
 * count, if it is known; its last trigger (or the one before it could see any)
 * and the count of that, and that of its last picture; pictures of none since
 * then; the trigger that was next when one was refused last, and of how many
 * triggers one was; verdicts, from the one that is taken next on. */
typedef struct
{
  gboolean is_there, has_offset;
  gint64 joined, heard, offset, last;
  guint64 count, shown, refused_at;
  guint n_refused, n_untimely;
  guint64 counts[LINE_MOST_VERDICTS];
  gboolean is_decided[LINE_MOST_VERDICTS];
  LineCameraVerdict verdicts[LINE_MOST_VERDICTS];
  guint64 n_pictures, n_taken;
} LineVoter;

/**
 * LineCameraVotes:
 * @views: of the lane
 * @min_cameras: that must agree
 * @cups: so many triggers are lost when all cameras were gone
 * @tolerance: of times; less than half the time between triggers
 * @fired: is called for each trigger, in order. @awaited: bits of views whose
 *     pictures may come
 * @user: of that
 * @log: triggers
 * @voters: bits of views that vote: their triggers are known, or their next
 *     picture is of the next trigger
 * @is_alone: whether at the last trigger fewer than @min_cameras voted
 *
 * Set the first six, the rest to zero. Members after @is_alone are private.
 */
typedef struct
{
  guint views, min_cameras, cups;
  gint64 tolerance;
  void (*fired) (guint64 trigger, gint64 time, guint32 awaited,
      gpointer user);
  gpointer user;

  LineTriggerLog log;
  guint32 voters;
  gboolean is_alone;

  gint64 doubts[LINE_TRIGGER_LOG], last_time;
  guint32 seen[LINE_TRIGGER_LOG];
  LineCandidate candidates[LINE_MOST_CANDIDATES];
  guint n_candidates;
  /* whether a lost picture may have been of a candidate that is decided */
  gboolean is_unsure;
  /* the last candidate that was none: when, and who had seen it */
  gint64 none_time;
  guint32 none_seen;
  LineVoter of[LINE_MAX_VIEWS];
} LineCameraVotes;

/* The camera's pictures may come, from @time on: it has joined, or was heard
 * before triggers counted. */
void line_camera_votes_join (LineCameraVotes * votes, guint view,
    gint64 time);

/* No more pictures come. Those that wait get no verdict. */
void line_camera_votes_leave (LineCameraVotes * votes, guint view);

/* A picture has come, the one that @sync has seen last; @sync is of this view,
 * zeroed when it joins. Returns: whether line_camera_votes_take() will have a
 * verdict; FALSE: the camera does not know its triggers yet, or nobody takes
 * verdicts; the picture is of no use */
gboolean line_camera_votes_see (LineCameraVotes * votes, guint view,
    LineCameraSync * sync);

/* A picture has come of which neither id nor time is known, at @arrival.
 * @timeout: so long before its trigger was, at most */
void line_camera_votes_see_remains (LineCameraVotes * votes, guint view,
    gint64 arrival, gint64 timeout);

/* The verdict of the view's oldest picture that has had none. Returns: FALSE if
 * it waits, or there is none */
gboolean line_camera_votes_take (LineCameraVotes * votes, guint view,
    LineCameraVerdict * verdict);

/* Whether it would return TRUE. */
gboolean line_camera_votes_has (const LineCameraVotes * votes, guint view);

/* Candidates up to @until that wait for this camera. @is_new: whether
 * line_camera_votes_deny() has not been said of all of them */
guint line_camera_votes_get_silence (const LineCameraVotes * votes, guint view,
    gint64 until, gboolean * is_new);

/* The camera was there when its pictures of candidates up to @until were
 * overdue: if it leaves before it shows another picture, it had none. */
void line_camera_votes_deny (LineCameraVotes * votes, guint view,
    gint64 until);

/* A candidate before one up to @until that enough cameras have seen waits no
 * longer: it is a spike. */
void line_camera_votes_expire (LineCameraVotes * votes, gint64 until);
