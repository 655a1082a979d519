/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* From the time of frames to the progress of the drawing. */

#include <gst/gst.h>

/**
 * FourierTimes:
 * @start_delay: time before the pen begins, in nanoseconds
 * @duration: of drawing, in nanoseconds
 * @hold: time for which the finished drawing stays, in nanoseconds
 * @speed: factor on the speed of all three, above 0
 * @loop: number of passes; 0 for ever
 * @paused: whether the animation stands still
 *
 * A pass is start_delay, duration and hold, in this order.
 */
typedef struct
{
  GstClockTime start_delay, duration, hold;
  gdouble speed;
  guint loop;
  gboolean paused;
} FourierTimes;

/**
 * FourierClock:
 *
 * The clock of the animation. Its position is the animation time since the
 * first pass began, which is @speed times as fast as the time of frames, @now,
 * and stands still when paused. Zero-initialise it, then start it.
 */
typedef struct
{
  FourierTimes times;
  GstClockTime frame;
  /*< private >*/
  GstClockTime anchor, at_anchor;
} FourierClock;

/* Begins the first pass at @now. @frame: duration of a frame, 0 if unknown: the
 * last frame before the hold shows the finished drawing. */
void fourier_clock_start (FourierClock * clock,
    const FourierTimes * times, GstClockTime frame, GstClockTime now);

/* Changes the settings at @now; progress stays. */
void fourier_clock_set_times (FourierClock * clock,
    const FourierTimes * times, GstClockTime frame, GstClockTime now);

/* As if the first pass had begun at @begin, with the present settings and not
 * paused. */
void fourier_clock_seek (FourierClock * clock,
    GstClockTime begin, GstClockTime now);

/* Sets the progress of the present pass, 0 to 1. */
void fourier_clock_jump (FourierClock * clock,
    gdouble progress, GstClockTime now);

GstClockTime fourier_clock_get_position (const FourierClock * clock,
    GstClockTime now);

/* The number of the present pass, from 0. */
guint64 fourier_clock_get_pass (const FourierClock * clock, GstClockTime now);

/* The drawn fraction of the path, 0 to 1. */
gdouble fourier_clock_get_progress (const FourierClock * clock,
    GstClockTime now);

/* Animation time since the pen of the present pass began, and from there to the
 * frame that shows the finished drawing, in nanoseconds. */
GstClockTime fourier_clock_get_drawn (const FourierClock * clock,
    GstClockTime now);
GstClockTime fourier_clock_get_span (const FourierClock * clock);

/* Whether all passes are over; progress then stays 1. */
gboolean fourier_clock_is_over (const FourierClock * clock, GstClockTime now);

/* Duration of all passes, in the time of frames; GST_CLOCK_TIME_NONE if they do
 * not end. */
GstClockTime fourier_times_get_total (const FourierTimes * times,
    GstClockTime frame);

/**
 * FourierCounter:
 * @fps_n: frames per @fps_d seconds; 0 for a still image
 * @fps_d: see @fps_n
 * @base: time of frame 0
 * @n: number of the next frame
 *
 * Timestamps of frames, without accumulated rounding errors.
 */
typedef struct
{
  gint fps_n, fps_d;
  GstClockTime base;
  guint64 n;
} FourierCounter;

void fourier_counter_init (FourierCounter * counter, gint fps_n, gint fps_d);

/* Changes the rate from the next frame on. */
void fourier_counter_set_rate (FourierCounter * counter,
    gint fps_n, gint fps_d);

/* The next frame is the one that is shown at @time; a still image begins
 * then. */
void fourier_counter_seek (FourierCounter * counter, GstClockTime time);

/* Begin and end of the next frame. */
GstClockTime fourier_counter_get_time (const FourierCounter * counter);
GstClockTime fourier_counter_get_end (const FourierCounter * counter);

/* Duration of a frame, rounded up; 0 for a still image. */
GstClockTime fourier_counter_get_frame (const FourierCounter * counter);
