/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_LIVE_H
#define GST_FOURIER_DRAW_LIVE_H

#include "gstfourierdrawplayer.h"

/**
 * GstFourierDrawLive:
 *
 * mode=live: a frame for each picture, made by the sink pad's streaming thread,
 * which owns all members.
 */
typedef struct
{
  /*< private >*/
  GstFourierDrawPlayer player;
  /* the time of pictures without timestamps */
  GstFourierDrawCounter counter;
} GstFourierDrawLive;

/* @player: without funcs */
void gst_fourier_draw_live_init (GstFourierDrawLive * live,
    const GstFourierDrawPlayer * player);

/* The element starts. */
void gst_fourier_draw_live_start (GstFourierDrawLive * live);

#endif /* GST_FOURIER_DRAW_LIVE_H */
