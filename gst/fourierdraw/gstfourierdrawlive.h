/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstfourierdrawplayer.h"

/**
 * FourierLive:
 *
 * mode=live: a frame for each picture, made by the sink pad's streaming thread,
 * which owns all members.
 */
typedef struct
{
  /*< private >*/
  FourierPlayer player;
  /* the time of pictures without timestamps */
  FourierCounter counter;
} FourierLive;

/* @player: without funcs */
void fourier_live_init (FourierLive * live, const FourierPlayer * player);

/* The element starts. */
void fourier_live_start (FourierLive * live);
