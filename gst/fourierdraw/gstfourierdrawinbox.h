/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_INBOX_H
#define GST_FOURIER_DRAW_INBOX_H

#include "gstfourierdrawpicture.h"

/**
 * GstFourierDrawRequests:
 * @GST_FOURIER_DRAW_REQUEST_CAPTURE: draw the next picture now
 * @GST_FOURIER_DRAW_REQUEST_RESTART: draw the present picture again
 */
typedef enum
{
  GST_FOURIER_DRAW_REQUEST_CAPTURE = 1 << 0,
  GST_FOURIER_DRAW_REQUEST_RESTART = 1 << 1,
} GstFourierDrawRequests;

/**
 * GstFourierDrawShown:
 * @GST_FOURIER_DRAW_SHOWN_NOTHING: there is no picture
 * @GST_FOURIER_DRAW_SHOWN_PART: more frames of the picture follow
 * @GST_FOURIER_DRAW_SHOWN_ALL: its film is complete
 */
typedef enum
{
  GST_FOURIER_DRAW_SHOWN_NOTHING,
  GST_FOURIER_DRAW_SHOWN_PART,
  GST_FOURIER_DRAW_SHOWN_ALL,
} GstFourierDrawShown;

/**
 * GstFourierDrawWork:
 * @GST_FOURIER_DRAW_WORK_NONE: pause
 * @GST_FOURIER_DRAW_WORK_TAKE: take the queued picture
 * @GST_FOURIER_DRAW_WORK_FRAME: make a frame of the present picture
 * @GST_FOURIER_DRAW_WORK_EOS: end the stream
 */
typedef enum
{
  GST_FOURIER_DRAW_WORK_NONE,
  GST_FOURIER_DRAW_WORK_TAKE,
  GST_FOURIER_DRAW_WORK_FRAME,
  GST_FOURIER_DRAW_WORK_EOS,
} GstFourierDrawWork;

/**
 * GstFourierDrawEnding:
 * @GST_FOURIER_DRAW_ENDING_NONE: the film goes on
 * @GST_FOURIER_DRAW_ENDING_PASS: it ends with the present pass
 * @GST_FOURIER_DRAW_ENDING_NOW: it ends with the next frame
 */
typedef enum
{
  GST_FOURIER_DRAW_ENDING_NONE,
  GST_FOURIER_DRAW_ENDING_PASS,
  GST_FOURIER_DRAW_ENDING_NOW,
} GstFourierDrawEnding;

/**
 * GstFourierDrawInbox:
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
  GstFourierDrawPicture picture;
  gboolean leaky;
  gboolean eos;
  guint32 eos_seqnum;
  GstFourierDrawEnding ending;
  GstFourierDrawRequests requests;
  GstFlowReturn flow;
  gboolean flushing, interrupted;
  /* recursive: starting the task posts a message */
  GRecMutex task_lock;
  gboolean active;
} GstFourierDrawInbox;

void gst_fourier_draw_inbox_init (GstFourierDrawInbox * inbox);
void gst_fourier_draw_inbox_finalize (GstFourierDrawInbox * inbox);

/* Drops all messages. */
void gst_fourier_draw_inbox_reset (GstFourierDrawInbox * inbox);

/* @leaky: whether a new picture replaces the queued one instead of waiting for
 *     its place */
void gst_fourier_draw_inbox_set_leaky (GstFourierDrawInbox * inbox,
    gboolean leaky);

/* While flushing or interrupted, nobody waits. */
void gst_fourier_draw_inbox_set_flushing (GstFourierDrawInbox * inbox,
    gboolean flushing);
void gst_fourier_draw_inbox_set_interrupted (GstFourierDrawInbox * inbox,
    gboolean interrupted);

/* Whether the thread may be started: once it may not, nobody does, so that the
 * caller can stop it for good. */
void gst_fourier_draw_inbox_set_active (GstFourierDrawInbox * inbox,
    gboolean active);

/* Starts the thread, or resumes it, if it may be: the task of @pad, which calls
 * @func again and again. */
void gst_fourier_draw_inbox_start (GstFourierDrawInbox * inbox, GstPad * pad,
    GstTaskFunction func, gpointer user_data);

/* What _put() returns from now on. */
void gst_fourier_draw_inbox_set_flow (GstFourierDrawInbox * inbox,
    GstFlowReturn flow);

/* Queues @picture; takes a reference unless it fails. Waits until the queue is
 * empty. */
GstFlowReturn gst_fourier_draw_inbox_put (GstFourierDrawInbox * inbox,
    const GstFourierDrawPicture * picture);
void gst_fourier_draw_inbox_put_eos (GstFourierDrawInbox * inbox,
    guint32 seqnum);
void gst_fourier_draw_inbox_request (GstFourierDrawInbox * inbox,
    GstFourierDrawRequests requests);

/* Ends the stream, whatever upstream does; a second time at once. Without an
 * effect on a stream that has ended.
 *
 * @seqnum: of the end */
void gst_fourier_draw_inbox_request_end (GstFourierDrawInbox * inbox,
    GstFourierDrawEnding ending, guint32 seqnum);
gboolean gst_fourier_draw_inbox_is_ending (GstFourierDrawInbox * inbox);

/* The stream goes on after a seek. */
void gst_fourier_draw_inbox_resume (GstFourierDrawInbox * inbox);

/* Waits for work.
 *
 * @shown: what downstream has of the present picture */
GstFourierDrawWork gst_fourier_draw_inbox_wait (GstFourierDrawInbox * inbox,
    GstFourierDrawShown shown);

/* Takes the queued picture; requests were about the one before.
 *
 * @picture: (out) (transfer full)
 * Returns: %FALSE if there is none */
gboolean gst_fourier_draw_inbox_take (GstFourierDrawInbox * inbox,
    GstFourierDrawPicture * picture);

/* Returns: those of @requests that were made */
GstFourierDrawRequests gst_fourier_draw_inbox_take_requests
    (GstFourierDrawInbox * inbox, GstFourierDrawRequests requests);

/* Whether no picture follows the present one.
 *
 * @seqnum: (out) (optional): of the end of the stream, or GST_SEQNUM_INVALID */
gboolean gst_fourier_draw_inbox_is_last (GstFourierDrawInbox * inbox,
    guint32 * seqnum);

#endif /* GST_FOURIER_DRAW_INBOX_H */
