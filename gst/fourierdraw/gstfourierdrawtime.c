/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawtime.h"

/* From the time of frames to animation time. */
static GstClockTime
go (const FourierTimes * times, GstClockTime time)
{
  if (times->paused)
    return 0;
  /* exact, also after hours */
  return times->speed == 1. ? time : (GstClockTime) (time * times->speed + .5);
}

/* Animation time of a pass; at least that of a frame, which shows a drawing of
 * no duration. */
static GstClockTime
get_length (const FourierTimes * times, GstClockTime frame)
{
  const GstClockTime length =
      times->start_delay + times->duration + times->hold;

  if (length > 0)
    return length;
  /* frames are rounded up */
  return frame > 1 ? MAX (1, (GstClockTime) ((frame - 1) * times->speed)) : 1;
}

/* Animation time from the pen's start to the last frame of the duration, which
 * shows the finished drawing. */
static GstClockTime
get_span (const FourierTimes * times, GstClockTime frame)
{
  const GstClockTime step = (GstClockTime) (frame * times->speed);

  return times->duration > step ? times->duration - step : 0;
}

void
fourier_clock_start (FourierClock * clock,
    const FourierTimes * times, GstClockTime frame, GstClockTime now)
{
  clock->times = *times;
  clock->frame = frame;
  clock->anchor = now;
  clock->at_anchor = 0;
}

GstClockTime
fourier_clock_get_position (const FourierClock * clock, GstClockTime now)
{
  /* time does not run backwards */
  return clock->at_anchor + go (&clock->times,
      now > clock->anchor ? now - clock->anchor : 0);
}

static GstClockTime
rescale (GstClockTime part, GstClockTime from, GstClockTime to)
{
  return from > 0 ? gst_util_uint64_scale_round (part, to, from) : to;
}

/* From a position in a pass of @from to that of @to with the same progress. */
static GstClockTime
convert (GstClockTime within, const FourierTimes * from,
    const FourierTimes * to)
{
  if (within < from->start_delay)
    return rescale (within, from->start_delay, to->start_delay);
  within -= from->start_delay;
  if (within < from->duration)
    return to->start_delay + rescale (within, from->duration, to->duration);
  within -= from->duration;
  return to->start_delay + to->duration + rescale (within, from->hold,
      to->hold);
}

static gboolean
same_lengths (const FourierTimes * a, const FourierTimes * b)
{
  return a->start_delay == b->start_delay && a->duration == b->duration &&
      a->hold == b->hold;
}

void
fourier_clock_set_times (FourierClock * clock,
    const FourierTimes * times, GstClockTime frame, GstClockTime now)
{
  const FourierTimes old = clock->times;
  const GstClockTime length = get_length (&old, clock->frame);

  if (same_lengths (&old, times) && old.speed == times->speed &&
      old.paused == times->paused && clock->frame == frame) {
    clock->times.loop = times->loop;
    return;
  }
  GstClockTime position = fourier_clock_get_position (clock, now);
  clock->times = *times;
  clock->frame = frame;
  if (!same_lengths (&old, times))
    position = position / length * get_length (times, frame) +
        convert (position % length, &old, times);
  clock->anchor = now;
  clock->at_anchor = position;
}

void
fourier_clock_seek (FourierClock * clock, GstClockTime begin, GstClockTime now)
{
  FourierTimes times = clock->times;

  times.paused = FALSE;
  clock->anchor = now;
  clock->at_anchor = go (&times, now > begin ? now - begin : 0);
}

void
fourier_clock_jump (FourierClock * clock, gdouble progress, GstClockTime now)
{
  const FourierTimes *times = &clock->times;
  const GstClockTime position = fourier_clock_get_position (clock, now);
  const GstClockTime length = get_length (times, clock->frame);

  clock->anchor = now;
  clock->at_anchor = position / length * length + times->start_delay +
      (GstClockTime) (CLAMP (progress, 0., 1.) * get_span (times,
          clock->frame) + .5);
}

guint64
fourier_clock_get_pass (const FourierClock * clock, GstClockTime now)
{
  return fourier_clock_get_position (clock, now) /
      get_length (&clock->times, clock->frame);
}

/* Position in the present pass; beyond the end of the last one when all are
 * over. */
static GstClockTime
get_within (const FourierClock * clock, GstClockTime now)
{
  const GstClockTime length = get_length (&clock->times, clock->frame);
  const GstClockTime position = fourier_clock_get_position (clock, now);
  const guint loop = clock->times.loop;

  if (loop > 0 && position / length >= loop)
    return length + position - length * loop;
  return position % length;
}

GstClockTime
fourier_clock_get_drawn (const FourierClock * clock, GstClockTime now)
{
  const GstClockTime within = get_within (clock, now);

  return within > clock->times.start_delay ?
      within - clock->times.start_delay : 0;
}

GstClockTime
fourier_clock_get_span (const FourierClock * clock)
{
  return get_span (&clock->times, clock->frame);
}

gdouble
fourier_clock_get_progress (const FourierClock * clock, GstClockTime now)
{
  const GstClockTime within = get_within (clock, now);
  const GstClockTime begin = clock->times.start_delay;
  const GstClockTime span = get_span (&clock->times, clock->frame);

  if (within < begin)
    return 0.;
  if (within - begin >= span)
    return 1.;
  return (gdouble) (within - begin) / span;
}

gboolean
fourier_clock_is_over (const FourierClock * clock, GstClockTime now)
{
  return clock->times.loop > 0 &&
      fourier_clock_get_pass (clock, now) >= clock->times.loop;
}

GstClockTime
fourier_times_get_total (const FourierTimes * times, GstClockTime frame)
{
  if (times->loop == 0 || times->paused)
    return GST_CLOCK_TIME_NONE;
  return (GstClockTime) ((gdouble) get_length (times, frame) * times->loop /
      times->speed + .5);
}

/* Counters */

void
fourier_counter_init (FourierCounter * counter, gint fps_n, gint fps_d)
{
  counter->fps_n = fps_n;
  counter->fps_d = fps_d;
  counter->base = 0;
  counter->n = 0;
}

void
fourier_counter_set_rate (FourierCounter * counter, gint fps_n, gint fps_d)
{
  if (counter->fps_n == fps_n && counter->fps_d == fps_d)
    return;
  counter->base = fourier_counter_get_time (counter);
  counter->n = 0;
  counter->fps_n = fps_n;
  counter->fps_d = fps_d;
}

void
fourier_counter_seek (FourierCounter * counter, GstClockTime time)
{
  if (counter->fps_n == 0) {
    counter->base = time;
    counter->n = 0;
    return;
  }
  if (time < counter->base)
    counter->base = 0;
  counter->n = gst_util_uint64_scale (time - counter->base, counter->fps_n,
      counter->fps_d * GST_SECOND);
  /* the division rounds down */
  if (fourier_counter_get_end (counter) <= time)
    counter->n++;
}

static GstClockTime
get_time_of (const FourierCounter * counter, guint64 n)
{
  if (counter->fps_n == 0)
    return counter->base;
  return counter->base + gst_util_uint64_scale (n,
      counter->fps_d * GST_SECOND, counter->fps_n);
}

GstClockTime
fourier_counter_get_time (const FourierCounter * counter)
{
  return get_time_of (counter, counter->n);
}

GstClockTime
fourier_counter_get_end (const FourierCounter * counter)
{
  return get_time_of (counter, counter->n + 1);
}

GstClockTime
fourier_counter_get_frame (const FourierCounter * counter)
{
  if (counter->fps_n == 0)
    return 0;
  return gst_util_uint64_scale_ceil (1, counter->fps_d * GST_SECOND,
      counter->fps_n);
}
