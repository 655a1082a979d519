/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstfourierdrawplayer.h"

/**
 * FourierFilm:
 *
 * mode=redraw: the source pad's task makes a film of each picture, in a segment
 * of its own. The task owns all members, except where stated; seeks hold the
 * stream lock of the source pad instead.
 */
typedef struct
{
  /*< private >*/
  FourierPlayer player;
  gboolean upstream_live;
  /* of the sink pad's streaming thread */
  gboolean expects_one;
  guint n_arrived;
  FourierPicture picture;
  /* counts from 1; 0 before the first picture */
  guint64 picture_id;
  GstClockTime picture_start;
  gboolean active, still_done;
  guint64 pass;
  /* the last one, if the film is ending */
  guint64 last_pass;
  /* frames of the stream, and of the picture */
  FourierCounter counter, local;
  GstSegment segment;
  gboolean need_discont;
  /* of queries, with the object lock */
  GstClockTime position, end;
} FourierFilm;

/* @player: without funcs */
void fourier_film_init (FourierFilm * film, const FourierPlayer * player);

/* The element starts. */
void fourier_film_start (FourierFilm * film);

/* @live: whether upstream is live: a film begins at the running time of its
 * picture, and pictures that come meanwhile replace each other.
 * @one: whether one picture is expected, and a second one worth a warning
 * Before the first picture. */
void fourier_film_set_upstream (FourierFilm * film,
    gboolean live, gboolean one);

/* Ends the film. From any thread. */
void fourier_film_end (FourierFilm * film,
    FourierEnding ending, guint32 seqnum);
