/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the two modes of fourierdraw have in common. */

#include "gstfourierdrawframes.h"
#include "gstfourierdrawinbox.h"
#include "gstfourierdrawworker.h"

typedef struct _FourierPlayer FourierPlayer;

/**
 * FourierPlayerFuncs:
 * @chain: plays @picture, without taking it. The sink pad's streaming thread.
 * @sink_event: handles a CAPS, SEGMENT, EOS, GAP or SEGMENT_DONE event;
 *     @segment is that of the pictures. The sink pad's streaming thread.
 * @src_event: (nullable): handles an event from downstream. Any thread.
 * @src_query: (nullable): answers a query from downstream. Any thread.
 * @reset: forgets the stream. No other thread uses the player.
 *
 * The events are not taken (transfer none). @sink_event, @src_event and
 * @src_query return %FALSE for what is not theirs, otherwise %TRUE with
 * @done, whether it succeeded.
 */
typedef struct
{
  GstFlowReturn (*chain) (FourierPlayer * player,
      const FourierPicture * picture);
  gboolean (*sink_event) (FourierPlayer * player, GstEvent * event,
      const GstSegment * segment, gboolean * done);
  gboolean (*src_event) (FourierPlayer * player, GstEvent * event,
      gboolean * done);
  gboolean (*src_query) (FourierPlayer * player, GstQuery * query,
      gboolean * done);
  void (*reset) (FourierPlayer * player);
} FourierPlayerFuncs;

/**
 * FourierPlayer:
 * @funcs: of the mode
 * @element: for messages, borrowed as all that follows
 * @sinkpad: of the element
 * @srcpad: of the element
 * @inbox: messages to the thread that makes frames
 * @worker: makes drawings
 * @frames: makes frames
 *
 * Makes a stream of frames of a stream of pictures.
 */
struct _FourierPlayer
{
  const FourierPlayerFuncs *funcs;
  GstElement *element;
  GstPad *sinkpad, *srcpad;
  FourierInbox *inbox;
  FourierWorker *worker;
  FourierFrames *frames;
};
