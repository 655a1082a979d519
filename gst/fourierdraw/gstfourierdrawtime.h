/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_TIME_H
#define GST_FOURIER_DRAW_TIME_H

/* When fourierdraw draws what: pure arithmetic, without pads and threads. */

#include <gst/gst.h>

G_BEGIN_DECLS

/**
 * GstFourierDrawTimes:
 * @start_delay: before the pen begins, in nanoseconds
 * @duration: what drawing takes
 * @hold: how long the finished drawing stays
 * @speed: how much faster than that everything goes, above 0
 * @loop: how many times a picture is drawn; 0 for ever
 * @paused: whether time stands still
 *
 * One pass is start_delay, duration and hold, in this order.
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
 * Turns the time of frames into the place of the pen. Its position is the time
 * that has passed in the animation since the first pass began: it goes
 * @speed times as fast as the time that it is told, @now, and stands still
 * when paused. Zero-initialise it, then start it.
 */
typedef struct
{
  GstFourierDrawTimes times;
  GstClockTime frame;
  /*< private >*/
  GstClockTime anchor, at_anchor;
} GstFourierDrawClock;

/* Begins the first pass at @now. @frame: what a frame lasts, 0 if not known:
 * the last frame before the hold shows the finished drawing. */
void gst_fourier_draw_clock_start (GstFourierDrawClock * clock,
    const GstFourierDrawTimes * times, GstClockTime frame, GstClockTime now);

/* Other settings from @now on; the pen stays where it is. */
void gst_fourier_draw_clock_set_times (GstFourierDrawClock * clock,
    const GstFourierDrawTimes * times, GstClockTime frame, GstClockTime now);

/* As if the first pass had begun at @begin, with the present settings. */
void gst_fourier_draw_clock_seek (GstFourierDrawClock * clock,
    GstClockTime begin, GstClockTime now);

/* Puts the pen of the present pass to @progress, 0 to 1. */
void gst_fourier_draw_clock_jump (GstFourierDrawClock * clock,
    gdouble progress, GstClockTime now);

GstClockTime gst_fourier_draw_clock_get_position (const GstFourierDrawClock *
    clock, GstClockTime now);

/* Which pass it is, from 0. */
guint64 gst_fourier_draw_clock_get_pass (const GstFourierDrawClock * clock,
    GstClockTime now);

/* How much of the way the pen has gone, 0 to 1. */
gdouble gst_fourier_draw_clock_get_progress (const GstFourierDrawClock * clock,
    GstClockTime now);

/* How long the pen of the present pass has been drawing or held, in nanoseconds
 * of the animation; and how long its way takes until it is seen at its end. */
GstClockTime gst_fourier_draw_clock_get_drawn (const GstFourierDrawClock *
    clock, GstClockTime now);
GstClockTime gst_fourier_draw_clock_get_span (const GstFourierDrawClock *
    clock);

/* Whether all passes are over; the pen then stays at its end. */
gboolean gst_fourier_draw_clock_is_over (const GstFourierDrawClock * clock,
    GstClockTime now);

/* How long all passes take, as @now counts; GST_CLOCK_TIME_NONE if for ever. */
GstClockTime gst_fourier_draw_times_get_total (const GstFourierDrawTimes *
    times, GstClockTime frame);

/**
 * GstFourierDrawCounter:
 * @fps_n: frames in @fps_d seconds; 0 for pictures that do not move
 * @fps_d: see there
 * @base: the time of frame 0
 * @n: the number of the next frame
 *
 * Counts frames without adding up rounding errors.
 */
typedef struct
{
  gint fps_n, fps_d;
  GstClockTime base;
  guint64 n;
} GstFourierDrawCounter;

void gst_fourier_draw_counter_init (GstFourierDrawCounter * counter, gint fps_n,
    gint fps_d);

/* Another rate from the next frame on. */
void gst_fourier_draw_counter_set_rate (GstFourierDrawCounter * counter,
    gint fps_n, gint fps_d);

/* The next frame becomes the one that is shown at @time; a picture that does
 * not move begins then. */
void gst_fourier_draw_counter_seek (GstFourierDrawCounter * counter,
    GstClockTime time);

/* When the next frame begins, and the one after it. */
GstClockTime gst_fourier_draw_counter_get_time (const GstFourierDrawCounter *
    counter);
GstClockTime gst_fourier_draw_counter_get_end (const GstFourierDrawCounter *
    counter);

/* What a frame lasts, rounded up; 0 for pictures that do not move. */
GstClockTime gst_fourier_draw_counter_get_frame (const GstFourierDrawCounter *
    counter);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_TIME_H */
