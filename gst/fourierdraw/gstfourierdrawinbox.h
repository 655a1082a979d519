/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstfourierdrawpicture.h"

/**
 * FourierRequests:
 * @FOURIER_REQUEST_CAPTURE: draw the next picture now
 * @FOURIER_REQUEST_RESTART: draw the present picture again
 */
typedef enum
{
  FOURIER_REQUEST_CAPTURE = 1 << 0,
  FOURIER_REQUEST_RESTART = 1 << 1,
} FourierRequests;

/**
 * FourierShown:
 * @FOURIER_SHOWN_NOTHING: there is no picture
 * @FOURIER_SHOWN_PART: more frames of the picture follow
 * @FOURIER_SHOWN_ALL: its film is complete
 */
typedef enum
{
  FOURIER_SHOWN_NOTHING,
  FOURIER_SHOWN_PART,
  FOURIER_SHOWN_ALL,
} FourierShown;

/**
 * FourierWork:
 * @FOURIER_WORK_NONE: pause
 * @FOURIER_WORK_TAKE: take the queued picture
 * @FOURIER_WORK_FRAME: make a frame of the present picture
 * @FOURIER_WORK_EOS: end the stream
 */
typedef enum
{
  FOURIER_WORK_NONE,
  FOURIER_WORK_TAKE,
  FOURIER_WORK_FRAME,
  FOURIER_WORK_EOS,
} FourierWork;

/**
 * FourierEnding:
 * @FOURIER_ENDING_NONE: the film goes on
 * @FOURIER_ENDING_PASS: it ends with the present pass
 * @FOURIER_ENDING_NOW: it ends with the next frame
 */
typedef enum
{
  FOURIER_ENDING_NONE,
  FOURIER_ENDING_PASS,
  FOURIER_ENDING_NOW,
} FourierEnding;

/**
 * FourierInbox:
 *
 * The messages to the thread that makes frames: a queue of one picture, the end
 * of the stream, and requests. It has a lock of its own; all functions may be
 * called from any thread.
 */
typedef struct
{
  /*< private >*/
  GMutex lock;
  GCond changed;
  FourierPicture picture;
  gboolean leaky;
  gboolean eos;
  guint32 eos_seqnum;
  FourierEnding ending;
  FourierRequests requests;
  GstFlowReturn flow;
  gboolean flushing, interrupted;
  /* recursive: starting the task posts a message */
  GRecMutex task_lock;
  gboolean active;
} FourierInbox;

void fourier_inbox_init (FourierInbox * inbox);
void fourier_inbox_finalize (FourierInbox * inbox);

/* Drops all messages. */
void fourier_inbox_reset (FourierInbox * inbox);

/* @leaky: whether a new picture replaces the queued one instead of waiting for
 *     its place */
void fourier_inbox_set_leaky (FourierInbox * inbox, gboolean leaky);

/* While flushing or interrupted, nobody waits. */
void fourier_inbox_set_flushing (FourierInbox * inbox, gboolean flushing);
void fourier_inbox_set_interrupted (FourierInbox * inbox, gboolean interrupted);

/* Whether the thread may be started: once it may not, nobody does, so that the
 * caller can stop it for good. */
void fourier_inbox_set_active (FourierInbox * inbox, gboolean active);

/* Starts the thread, or resumes it, if it may be: the task of @pad, which calls
 * @func again and again. */
void fourier_inbox_start (FourierInbox * inbox, GstPad * pad,
    GstTaskFunction func, gpointer user_data);

/* What _put() returns from now on. */
void fourier_inbox_set_flow (FourierInbox * inbox, GstFlowReturn flow);

/* Queues @picture; takes a reference unless it fails. Waits until the queue is
 * empty. */
GstFlowReturn fourier_inbox_put (FourierInbox * inbox,
    const FourierPicture * picture);
void fourier_inbox_put_eos (FourierInbox * inbox, guint32 seqnum);
void fourier_inbox_request (FourierInbox * inbox, FourierRequests requests);

/* Ends the stream, whatever upstream does; a second time at once. Without an
 * effect on a stream that has ended.
 *
 * @seqnum: of the end */
void fourier_inbox_request_end (FourierInbox * inbox,
    FourierEnding ending, guint32 seqnum);
gboolean fourier_inbox_is_ending (FourierInbox * inbox);

/* The stream goes on after a seek. */
void fourier_inbox_resume (FourierInbox * inbox);

/* Waits for work.
 *
 * @shown: what downstream has of the present picture */
FourierWork fourier_inbox_wait (FourierInbox * inbox, FourierShown shown);

/* Takes the queued picture; requests were about the one before.
 *
 * @picture: (out) (transfer full)
 * Returns: %FALSE if there is none */
gboolean fourier_inbox_take (FourierInbox * inbox, FourierPicture * picture);

/* Returns: those of @requests that were made */
FourierRequests fourier_inbox_take_requests
    (FourierInbox * inbox, FourierRequests requests);

/* Whether no picture follows the present one.
 *
 * @seqnum: (out) (optional): of the end of the stream, or GST_SEQNUM_INVALID */
gboolean fourier_inbox_is_last (FourierInbox * inbox, guint32 * seqnum);
