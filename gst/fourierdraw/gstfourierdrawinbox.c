/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawinbox.h"

#define CAPTURE FOURIER_REQUEST_CAPTURE
#define RESTART FOURIER_REQUEST_RESTART

void
fourier_inbox_init (FourierInbox * inbox)
{
  g_mutex_init (&inbox->lock);
  g_cond_init (&inbox->changed);
  g_rec_mutex_init (&inbox->task_lock);
}

void
fourier_inbox_finalize (FourierInbox * inbox)
{
  g_mutex_clear (&inbox->lock);
  g_cond_clear (&inbox->changed);
  g_rec_mutex_clear (&inbox->task_lock);
}

void
fourier_inbox_reset (FourierInbox * inbox)
{
  g_mutex_lock (&inbox->lock);
  fourier_picture_clear (&inbox->picture);
  inbox->eos = FALSE;
  inbox->eos_seqnum = GST_SEQNUM_INVALID;
  inbox->requests = 0;
  inbox->ending = FOURIER_ENDING_NONE;
  inbox->flow = GST_FLOW_OK;
  g_mutex_unlock (&inbox->lock);
}

static void
unlock_changed (FourierInbox * inbox)
{
  g_cond_broadcast (&inbox->changed);
  g_mutex_unlock (&inbox->lock);
}

void
fourier_inbox_set_leaky (FourierInbox * inbox, gboolean leaky)
{
  g_mutex_lock (&inbox->lock);
  inbox->leaky = leaky;
  unlock_changed (inbox);
}

void
fourier_inbox_set_flushing (FourierInbox * inbox, gboolean flushing)
{
  g_mutex_lock (&inbox->lock);
  inbox->flushing = flushing;
  unlock_changed (inbox);
}

void
fourier_inbox_set_active (FourierInbox * inbox, gboolean active)
{
  g_rec_mutex_lock (&inbox->task_lock);
  inbox->active = active;
  g_rec_mutex_unlock (&inbox->task_lock);
}

void
fourier_inbox_start (FourierInbox * inbox, GstPad * pad,
    GstTaskFunction func, gpointer user_data)
{
  g_rec_mutex_lock (&inbox->task_lock);
  if (inbox->active)
    gst_pad_start_task (pad, func, user_data, NULL);
  g_rec_mutex_unlock (&inbox->task_lock);
}

void
fourier_inbox_set_interrupted (FourierInbox * inbox, gboolean interrupted)
{
  g_mutex_lock (&inbox->lock);
  inbox->interrupted = interrupted;
  unlock_changed (inbox);
}

void
fourier_inbox_set_flow (FourierInbox * inbox, GstFlowReturn flow)
{
  g_mutex_lock (&inbox->lock);
  inbox->flow = flow;
  unlock_changed (inbox);
}

GstFlowReturn
fourier_inbox_put (FourierInbox * inbox, const FourierPicture * picture)
{
  g_mutex_lock (&inbox->lock);
  while (inbox->picture.buffer && !inbox->leaky && !inbox->flushing &&
      inbox->flow == GST_FLOW_OK)
    g_cond_wait (&inbox->changed, &inbox->lock);
  GstFlowReturn flow = inbox->flushing ? GST_FLOW_FLUSHING : inbox->flow;
  if (flow == GST_FLOW_OK)
    fourier_picture_copy (&inbox->picture, picture);
  unlock_changed (inbox);
  return flow;
}

void
fourier_inbox_put_eos (FourierInbox * inbox, guint32 seqnum)
{
  g_mutex_lock (&inbox->lock);
  inbox->eos = TRUE;
  inbox->eos_seqnum = seqnum;
  unlock_changed (inbox);
}

void
fourier_inbox_request (FourierInbox * inbox, FourierRequests requests)
{
  g_mutex_lock (&inbox->lock);
  inbox->requests |= requests;
  unlock_changed (inbox);
}

void
fourier_inbox_request_end (FourierInbox * inbox,
    FourierEnding ending, guint32 seqnum)
{
  g_mutex_lock (&inbox->lock);
  if (inbox->flow == GST_FLOW_OK) {
    if (inbox->ending != FOURIER_ENDING_NONE)
      ending = FOURIER_ENDING_NOW;
    inbox->ending = ending;
    inbox->eos_seqnum = seqnum;
  }
  unlock_changed (inbox);
}

gboolean
fourier_inbox_is_ending (FourierInbox * inbox)
{
  g_mutex_lock (&inbox->lock);
  const gboolean ending = inbox->ending != FOURIER_ENDING_NONE;
  g_mutex_unlock (&inbox->lock);
  return ending;
}

void
fourier_inbox_resume (FourierInbox * inbox)
{
  g_mutex_lock (&inbox->lock);
  inbox->ending = FOURIER_ENDING_NONE;
  inbox->flow = GST_FLOW_OK;
  unlock_changed (inbox);
}

/* With the lock held. */
static FourierWork
find_work (FourierInbox * inbox, FourierShown shown)
{
  const gboolean queued = inbox->picture.buffer != NULL;
  const gboolean active = shown != FOURIER_SHOWN_NOTHING;
  const gboolean over = shown == FOURIER_SHOWN_ALL;

  if (inbox->flushing || inbox->interrupted)
    return FOURIER_WORK_NONE;
  if (inbox->ending == FOURIER_ENDING_NOW ||
      (inbox->ending == FOURIER_ENDING_PASS && (!active || over)))
    return FOURIER_WORK_EOS;
  if (inbox->ending == FOURIER_ENDING_PASS)
    return FOURIER_WORK_FRAME;
  if ((inbox->requests & CAPTURE) && !queued && inbox->eos && active)
    /* no other picture follows */
    inbox->requests = RESTART;
  if (queued && (!active || (inbox->requests & CAPTURE) ||
          (over && !(inbox->requests & RESTART))))
    return FOURIER_WORK_TAKE;
  if (active && (!over || (inbox->requests & RESTART)))
    return FOURIER_WORK_FRAME;
  return inbox->eos ? FOURIER_WORK_EOS : FOURIER_WORK_NONE;
}

FourierWork
fourier_inbox_wait (FourierInbox * inbox, FourierShown shown)
{
  FourierWork work;

  g_mutex_lock (&inbox->lock);
  while ((work = find_work (inbox, shown)) == FOURIER_WORK_NONE &&
      !inbox->flushing && !inbox->interrupted)
    g_cond_wait (&inbox->changed, &inbox->lock);
  g_mutex_unlock (&inbox->lock);
  return work;
}

gboolean
fourier_inbox_take (FourierInbox * inbox, FourierPicture * picture)
{
  g_mutex_lock (&inbox->lock);
  *picture = inbox->picture;
  inbox->picture.buffer = NULL;
  if (picture->buffer)
    inbox->requests = 0;
  unlock_changed (inbox);
  return picture->buffer != NULL;
}

FourierRequests
fourier_inbox_take_requests (FourierInbox * inbox, FourierRequests requests)
{
  g_mutex_lock (&inbox->lock);
  FourierRequests taken = inbox->requests & requests;
  inbox->requests &= ~requests;
  g_mutex_unlock (&inbox->lock);
  return taken;
}

gboolean
fourier_inbox_is_last (FourierInbox * inbox, guint32 * seqnum)
{
  g_mutex_lock (&inbox->lock);
  const gboolean last = inbox->eos && !inbox->picture.buffer;
  if (seqnum)
    *seqnum = inbox->eos_seqnum;
  g_mutex_unlock (&inbox->lock);
  return last;
}
