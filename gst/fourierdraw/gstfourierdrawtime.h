/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_TIME_H
#define GST_FOURIER_DRAW_TIME_H

/* From the time of frames to the progress of the drawing. */

#include <gst/gst.h>

/**
 * GstFourierDrawTimes:
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
} GstFourierDrawTimes;

/**
 * GstFourierDrawClock:
 *
 * The clock of the animation. Its position is the animation time since the
 * first pass began, which is @speed times as fast as the time of frames, @now,
 * and stands still when paused. Zero-initialise it, then start it.
 */
typedef struct
{
  GstFourierDrawTimes times;
  GstClockTime frame;
  /*< private >*/
  GstClockTime anchor, at_anchor;
} GstFourierDrawClock;

/* Begins the first pass at @now. @frame: duration of a frame, 0 if unknown: the
 * last frame before the hold shows the finished drawing. */
void gst_fourier_draw_clock_start (GstFourierDrawClock * clock,
    const GstFourierDrawTimes * times, GstClockTime frame, GstClockTime now);

/* Changes the settings at @now; progress stays. */
void gst_fourier_draw_clock_set_times (GstFourierDrawClock * clock,
    const GstFourierDrawTimes * times, GstClockTime frame, GstClockTime now);

/* As if the first pass had begun at @begin, with the present settings and not
 * paused. */
void gst_fourier_draw_clock_seek (GstFourierDrawClock * clock,
    GstClockTime begin, GstClockTime now);

/* Sets the progress of the present pass, 0 to 1. */
void gst_fourier_draw_clock_jump (GstFourierDrawClock * clock,
    gdouble progress, GstClockTime now);

GstClockTime gst_fourier_draw_clock_get_position (const GstFourierDrawClock *
    clock, GstClockTime now);

/* The number of the present pass, from 0. */
guint64 gst_fourier_draw_clock_get_pass (const GstFourierDrawClock * clock,
    GstClockTime now);

/* The drawn fraction of the path, 0 to 1. */
gdouble gst_fourier_draw_clock_get_progress (const GstFourierDrawClock * clock,
    GstClockTime now);

/* Animation time since the pen of the present pass began, and from there to the
 * frame that shows the finished drawing, in nanoseconds. */
GstClockTime gst_fourier_draw_clock_get_drawn (const GstFourierDrawClock *
    clock, GstClockTime now);
GstClockTime gst_fourier_draw_clock_get_span (const GstFourierDrawClock *
    clock);

/* Whether all passes are over; progress then stays 1. */
gboolean gst_fourier_draw_clock_is_over (const GstFourierDrawClock * clock,
    GstClockTime now);

/* Duration of all passes, in the time of frames; GST_CLOCK_TIME_NONE if they do
 * not end. */
GstClockTime gst_fourier_draw_times_get_total (const GstFourierDrawTimes *
    times, GstClockTime frame);

/**
 * GstFourierDrawCounter:
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
} GstFourierDrawCounter;

void gst_fourier_draw_counter_init (GstFourierDrawCounter * counter, gint fps_n,
    gint fps_d);

/* Changes the rate from the next frame on. */
void gst_fourier_draw_counter_set_rate (GstFourierDrawCounter * counter,
    gint fps_n, gint fps_d);

/* The next frame is the one that is shown at @time; a still image begins
 * then. */
void gst_fourier_draw_counter_seek (GstFourierDrawCounter * counter,
    GstClockTime time);

/* Begin and end of the next frame. */
GstClockTime gst_fourier_draw_counter_get_time (const GstFourierDrawCounter *
    counter);
GstClockTime gst_fourier_draw_counter_get_end (const GstFourierDrawCounter *
    counter);

/* Duration of a frame, rounded up; 0 for a still image. */
GstClockTime gst_fourier_draw_counter_get_frame (const GstFourierDrawCounter *
    counter);

#endif /* GST_FOURIER_DRAW_TIME_H */
