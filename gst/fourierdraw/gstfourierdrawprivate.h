/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_PRIVATE_H
#define GST_FOURIER_DRAW_PRIVATE_H

#include "gstfourierdraw.h"
#include "gstfourierdrawfilm.h"
#include "gstfourierdrawlive.h"
#include "element/gstshapesaspect.h"

G_BEGIN_DECLS

struct _GstFourierDraw
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;
  GstShapesCompute compute;

  /* guarded by the object lock */
  GstFourierDrawControls controls;
  GstShapesDrops drops;

  /* used by several threads, each with a lock of its own; the object lock may
   * be taken inside, not outside */
  GstFourierDrawBrush brush;
  GstFourierDrawInbox inbox;
  GstFourierDrawWorker worker;

  /* the mode, %NULL until the first picture; atomic */
  GstFourierDrawPlayer *player;

  /* the sink pad's streaming thread */
  GstVideoInfo info;
  gboolean have_info;
  GstShapesAspect aspect;
  GstSegment segment;

  /* the thread that makes frames: the source pad's task, or, with mode=live,
   * the sink pad's streaming thread */
  GstFourierDrawFrames frames;
  GstFourierDrawFilm film;
  GstFourierDrawLive live;
};

/* Whether the element makes a stream of its own: then the pipeline sends it
 * what it sends to sources, such as EOS. */
static inline void
gst_fourier_draw_set_source (GstFourierDraw * self, gboolean source)
{
  GST_OBJECT_LOCK (self);
  if (source)
    GST_OBJECT_FLAG_SET (self, GST_ELEMENT_FLAG_SOURCE);
  else
    GST_OBJECT_FLAG_UNSET (self, GST_ELEMENT_FLAG_SOURCE);
  GST_OBJECT_UNLOCK (self);
}

/* Forgets the stream; no other thread uses it. */
static inline void
gst_fourier_draw_reset (GstFourierDraw * self)
{
  gst_fourier_draw_inbox_reset (&self->inbox);
  gst_fourier_draw_frames_reset (&self->frames);
  self->film.player.funcs->reset (&self->film.player);
  self->live.player.funcs->reset (&self->live.player);
  gst_segment_init (&self->segment, GST_FORMAT_TIME);
}

G_END_DECLS

#endif /* GST_FOURIER_DRAW_PRIVATE_H */
