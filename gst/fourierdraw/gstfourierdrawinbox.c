/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawinbox.h"

#define CAPTURE GST_FOURIER_DRAW_REQUEST_CAPTURE
#define RESTART GST_FOURIER_DRAW_REQUEST_RESTART

void
gst_fourier_draw_inbox_init (GstFourierDrawInbox * inbox)
{
  g_mutex_init (&inbox->lock);
  g_cond_init (&inbox->changed);
  g_rec_mutex_init (&inbox->task_lock);
}

void
gst_fourier_draw_inbox_finalize (GstFourierDrawInbox * inbox)
{
  g_mutex_clear (&inbox->lock);
  g_cond_clear (&inbox->changed);
  g_rec_mutex_clear (&inbox->task_lock);
}

void
gst_fourier_draw_inbox_reset (GstFourierDrawInbox * inbox)
{
  g_mutex_lock (&inbox->lock);
  gst_fourier_draw_picture_clear (&inbox->picture);
  inbox->eos = FALSE;
  inbox->eos_seqnum = GST_SEQNUM_INVALID;
  inbox->requests = 0;
  inbox->ending = GST_FOURIER_DRAW_ENDING_NONE;
  inbox->flow = GST_FLOW_OK;
  g_mutex_unlock (&inbox->lock);
}

static void
unlock_changed (GstFourierDrawInbox * inbox)
{
  g_cond_broadcast (&inbox->changed);
  g_mutex_unlock (&inbox->lock);
}

void
gst_fourier_draw_inbox_set_leaky (GstFourierDrawInbox * inbox, gboolean leaky)
{
  g_mutex_lock (&inbox->lock);
  inbox->leaky = leaky;
  unlock_changed (inbox);
}

void
gst_fourier_draw_inbox_set_flushing (GstFourierDrawInbox * inbox,
    gboolean flushing)
{
  g_mutex_lock (&inbox->lock);
  inbox->flushing = flushing;
  unlock_changed (inbox);
}

void
gst_fourier_draw_inbox_set_active (GstFourierDrawInbox * inbox,
    gboolean active)
{
  g_rec_mutex_lock (&inbox->task_lock);
  inbox->active = active;
  g_rec_mutex_unlock (&inbox->task_lock);
}

void
gst_fourier_draw_inbox_start (GstFourierDrawInbox * inbox, GstPad * pad,
    GstTaskFunction func, gpointer user_data)
{
  g_rec_mutex_lock (&inbox->task_lock);
  if (inbox->active)
    gst_pad_start_task (pad, func, user_data, NULL);
  g_rec_mutex_unlock (&inbox->task_lock);
}

void
gst_fourier_draw_inbox_set_interrupted (GstFourierDrawInbox * inbox,
    gboolean interrupted)
{
  g_mutex_lock (&inbox->lock);
  inbox->interrupted = interrupted;
  unlock_changed (inbox);
}

void
gst_fourier_draw_inbox_set_flow (GstFourierDrawInbox * inbox,
    GstFlowReturn flow)
{
  g_mutex_lock (&inbox->lock);
  inbox->flow = flow;
  unlock_changed (inbox);
}

GstFlowReturn
gst_fourier_draw_inbox_put (GstFourierDrawInbox * inbox,
    const GstFourierDrawPicture * picture)
{
  GstFlowReturn flow;

  g_mutex_lock (&inbox->lock);
  while (inbox->picture.buffer && !inbox->leaky && !inbox->flushing &&
      inbox->flow == GST_FLOW_OK)
    g_cond_wait (&inbox->changed, &inbox->lock);
  flow = inbox->flushing ? GST_FLOW_FLUSHING : inbox->flow;
  if (flow == GST_FLOW_OK)
    gst_fourier_draw_picture_copy (&inbox->picture, picture);
  unlock_changed (inbox);
  return flow;
}

void
gst_fourier_draw_inbox_put_eos (GstFourierDrawInbox * inbox, guint32 seqnum)
{
  g_mutex_lock (&inbox->lock);
  inbox->eos = TRUE;
  inbox->eos_seqnum = seqnum;
  unlock_changed (inbox);
}

void
gst_fourier_draw_inbox_request (GstFourierDrawInbox * inbox,
    GstFourierDrawRequests requests)
{
  g_mutex_lock (&inbox->lock);
  inbox->requests |= requests;
  unlock_changed (inbox);
}

void
gst_fourier_draw_inbox_request_end (GstFourierDrawInbox * inbox,
    GstFourierDrawEnding ending, guint32 seqnum)
{
  g_mutex_lock (&inbox->lock);
  if (inbox->flow == GST_FLOW_OK) {
    if (inbox->ending != GST_FOURIER_DRAW_ENDING_NONE)
      ending = GST_FOURIER_DRAW_ENDING_NOW;
    inbox->ending = ending;
    inbox->eos_seqnum = seqnum;
  }
  unlock_changed (inbox);
}

gboolean
gst_fourier_draw_inbox_is_ending (GstFourierDrawInbox * inbox)
{
  gboolean ending;

  g_mutex_lock (&inbox->lock);
  ending = inbox->ending != GST_FOURIER_DRAW_ENDING_NONE;
  g_mutex_unlock (&inbox->lock);
  return ending;
}

void
gst_fourier_draw_inbox_resume (GstFourierDrawInbox * inbox)
{
  g_mutex_lock (&inbox->lock);
  inbox->ending = GST_FOURIER_DRAW_ENDING_NONE;
  inbox->flow = GST_FLOW_OK;
  unlock_changed (inbox);
}

/* With the lock held. */
static GstFourierDrawWork
find_work (GstFourierDrawInbox * inbox, GstFourierDrawShown shown)
{
  const gboolean queued = inbox->picture.buffer != NULL;
  const gboolean active = shown != GST_FOURIER_DRAW_SHOWN_NOTHING;
  const gboolean over = shown == GST_FOURIER_DRAW_SHOWN_ALL;

  if (inbox->flushing || inbox->interrupted)
    return GST_FOURIER_DRAW_WORK_NONE;
  if (inbox->ending == GST_FOURIER_DRAW_ENDING_NOW ||
      (inbox->ending == GST_FOURIER_DRAW_ENDING_PASS && (!active || over)))
    return GST_FOURIER_DRAW_WORK_EOS;
  if (inbox->ending == GST_FOURIER_DRAW_ENDING_PASS)
    return GST_FOURIER_DRAW_WORK_FRAME;
  if ((inbox->requests & CAPTURE) && !queued && inbox->eos && active)
    /* no other picture follows */
    inbox->requests = RESTART;
  if (queued && (!active || (inbox->requests & CAPTURE) ||
          (over && !(inbox->requests & RESTART))))
    return GST_FOURIER_DRAW_WORK_TAKE;
  if (active && (!over || (inbox->requests & RESTART)))
    return GST_FOURIER_DRAW_WORK_FRAME;
  return inbox->eos ? GST_FOURIER_DRAW_WORK_EOS : GST_FOURIER_DRAW_WORK_NONE;
}

GstFourierDrawWork
gst_fourier_draw_inbox_wait (GstFourierDrawInbox * inbox,
    GstFourierDrawShown shown)
{
  GstFourierDrawWork work;

  g_mutex_lock (&inbox->lock);
  while ((work = find_work (inbox, shown)) == GST_FOURIER_DRAW_WORK_NONE &&
      !inbox->flushing && !inbox->interrupted)
    g_cond_wait (&inbox->changed, &inbox->lock);
  g_mutex_unlock (&inbox->lock);
  return work;
}

gboolean
gst_fourier_draw_inbox_take (GstFourierDrawInbox * inbox,
    GstFourierDrawPicture * picture)
{
  g_mutex_lock (&inbox->lock);
  *picture = inbox->picture;
  inbox->picture.buffer = NULL;
  if (picture->buffer)
    inbox->requests = 0;
  unlock_changed (inbox);
  return picture->buffer != NULL;
}

GstFourierDrawRequests
gst_fourier_draw_inbox_take_requests (GstFourierDrawInbox * inbox,
    GstFourierDrawRequests requests)
{
  GstFourierDrawRequests taken;

  g_mutex_lock (&inbox->lock);
  taken = inbox->requests & requests;
  inbox->requests &= ~requests;
  g_mutex_unlock (&inbox->lock);
  return taken;
}

gboolean
gst_fourier_draw_inbox_is_last (GstFourierDrawInbox * inbox, guint32 * seqnum)
{
  gboolean last;

  g_mutex_lock (&inbox->lock);
  last = inbox->eos && !inbox->picture.buffer;
  if (seqnum)
    *seqnum = inbox->eos_seqnum;
  g_mutex_unlock (&inbox->lock);
  return last;
}
