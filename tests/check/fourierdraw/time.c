/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* When fourierdraw draws what: frames counted, passes, speed, seeks. */

#include "../lib/suite.h"
#include "fourierdraw/gstfourierdrawtime.h"

#define MS(n) ((n) * GST_MSECOND)

static FourierTimes
times_of (guint delay_ms, guint duration_ms, guint hold_ms, guint loop)
{
  const FourierTimes times = {
    .start_delay = MS (delay_ms),
    .duration = MS (duration_ms),
    .hold = MS (hold_ms),
    .speed = 1.,
    .loop = loop,
  };

  return times;
}

/* A clock and a counter that begin. */
static void
begin (FourierClock * clock, FourierCounter * counter,
    const FourierTimes * times, gint fps_n, gint fps_d)
{
  fourier_counter_init (counter, fps_n, fps_d);
  fourier_clock_start (clock, times,
      fourier_counter_get_frame (counter), 0);
}

static guint
count_frames (const FourierTimes * times, gint fps_n, gint fps_d)
{
  FourierClock clock;
  FourierCounter counter;

  begin (&clock, &counter, times, fps_n, fps_d);
  while (!fourier_clock_is_over (&clock,
          fourier_counter_get_time (&counter)))
    counter.n++;
  return counter.n;
}

static gdouble
progress_at (const FourierClock * clock, GstClockTime now)
{
  return fourier_clock_get_progress (clock, now);
}

TEST (frames_are_duration_times_rate)
{
  static const struct
  {
    guint delay, duration, hold, loop;
    gint fps_n, fps_d;
    guint n;
  } cases[] = {
    {0, 10000, 0, 1, 30, 1, 300},
    {0, 10000, 0, 1, 30000, 1001, 300},
    {0, 10000, 2000, 1, 25, 1, 300},
    {500, 1000, 500, 1, 10, 1, 20},
    {0, 1000, 0, 3, 10, 1, 30},
    {0, 100, 0, 1, 60, 1, 6},
    {0, 0, 0, 1, 30, 1, 1},
    {0, 1, 0, 1, 30, 1, 1},
    {0, 0, 1000, 2, 24, 1, 48},
    {0, 3600000, 0, 1, 60000, 1001, 215785},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const FourierTimes times = times_of (cases[i].delay,
        cases[i].duration, cases[i].hold, cases[i].loop);

    fail_unless (count_frames (&times, cases[i].fps_n,
            cases[i].fps_d) == cases[i].n, "case %u: %u frames, not %u", i,
        count_frames (&times, cases[i].fps_n, cases[i].fps_d), cases[i].n);
  }
}

/* Of every rate the first frame is empty, and the last one complete. */
TEST (drawing_begins_and_ends_within_its_frames)
{
  static const gint rates[][2] = { {30, 1}, {30000, 1001}, {25, 1}, {7, 3},
  {24000, 1001}, {60, 1}, {1, 1}
  };
  const FourierTimes times = times_of (0, 10000, 0, 1);

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    FourierCounter counter;
    FourierClock clock;
    gdouble last = -1.;

    begin (&clock, &counter, &times, rates[i][0], rates[i][1]);
    for (;;) {
      const GstClockTime now = fourier_counter_get_time (&counter);

      if (fourier_clock_is_over (&clock, now))
        break;
      if (counter.n == 0)
        fail_unless (progress_at (&clock, now) == 0.);
      fail_unless (progress_at (&clock, now) > last);
      last = progress_at (&clock, now);
      counter.n++;
    }
    fail_unless (last == 1., "%d/%d ends at %.17g", rates[i][0], rates[i][1],
        last);
  }
}

TEST (a_pass_is_delay_drawing_hold)
{
  const FourierTimes times = times_of (1000, 2000, 1000, 2);
  FourierClock clock;

  fourier_clock_start (&clock, &times, 0, MS (500));
  fail_unless (progress_at (&clock, MS (500)) == 0.);
  fail_unless (progress_at (&clock, MS (1499)) == 0.);
  fail_unless (progress_at (&clock, MS (2500)) == .5);
  fail_unless (progress_at (&clock, MS (3500)) == 1.);
  fail_unless (progress_at (&clock, MS (4499)) == 1.);
  fail_unless_equals_uint64 (fourier_clock_get_pass (&clock,
          MS (4499)), 0);
  fail_unless_equals_uint64 (fourier_clock_get_pass (&clock,
          MS (4500)), 1);
  fail_unless (progress_at (&clock, MS (4500)) == 0.);
  fail_unless (progress_at (&clock, MS (6500)) == .5);
  fail_if (fourier_clock_is_over (&clock, MS (8499)));
  fail_unless (fourier_clock_is_over (&clock, MS (8500)));
  /* and then it stays */
  fail_unless (progress_at (&clock, MS (8500)) == 1.);
  fail_unless (progress_at (&clock, MS (99999)) == 1.);
}

TEST (drawn_time_counts_from_the_pen_on)
{
  const FourierTimes times = times_of (1000, 2000, 1000, 0);
  FourierClock clock;

  fourier_clock_start (&clock, &times, MS (100), 0);
  fail_unless_equals_uint64 (fourier_clock_get_drawn (&clock,
          MS (900)), 0);
  fail_unless_equals_uint64 (fourier_clock_get_drawn (&clock,
          MS (3900)), MS (2900));
  fail_unless_equals_uint64 (fourier_clock_get_drawn (&clock,
          MS (4000)), 0);
  fail_unless_equals_uint64 (fourier_clock_get_span (&clock),
      MS (1900));
}

TEST (loop_0_is_for_ever)
{
  const FourierTimes times = times_of (0, 1000, 0, 0);
  const GstClockTime hours = 1000 * 3600 * GST_SECOND;
  FourierClock clock;

  fourier_clock_start (&clock, &times, 0, 0);
  fail_if (fourier_clock_is_over (&clock, hours));
  fail_unless (progress_at (&clock, hours) == 0.);
  /* to the nanosecond after 1000 hours */
  fail_unless (progress_at (&clock, hours + MS (250)) == .25);
  fail_unless (fourier_times_get_total (&times,
          0) == GST_CLOCK_TIME_NONE);
}

TEST (speed_changes_how_long_and_not_where)
{
  FourierTimes times = times_of (0, 2000, 0, 1);
  FourierClock clock;

  times.speed = 2.;
  fail_unless_equals_int (count_frames (&times, 30, 1), 30);
  fail_unless_equals_uint64 (fourier_times_get_total (&times, 0),
      MS (1000));
  times.speed = .5;
  fail_unless_equals_int (count_frames (&times, 30, 1), 120);

  /* rounded to the nearest nanosecond */
  times.speed = .3;
  fourier_clock_start (&clock, &times, 0, 0);
  fail_unless_equals_uint64 (fourier_clock_get_drawn (&clock, 5), 2);

  times.speed = 1.;
  fourier_clock_start (&clock, &times, 0, 0);
  times.speed = 4.;
  fourier_clock_set_times (&clock, &times, 0, MS (1000));
  fail_unless (progress_at (&clock, MS (1000)) == .5);
  fail_unless (progress_at (&clock, MS (1125)) == .75);
}

TEST (paused_time_stands_still)
{
  FourierTimes times = times_of (0, 2000, 0, 1);
  FourierClock clock;

  fourier_clock_start (&clock, &times, 0, 0);
  times.paused = TRUE;
  fourier_clock_set_times (&clock, &times, 0, MS (500));
  fail_unless (progress_at (&clock, MS (99000)) == .25);
  fail_unless (fourier_times_get_total (&times,
          0) == GST_CLOCK_TIME_NONE);
  times.paused = FALSE;
  fourier_clock_set_times (&clock, &times, 0, MS (99000));
  fail_unless (progress_at (&clock, MS (99500)) == .5);
}

TEST (other_lengths_leave_the_pen_where_it_is)
{
  FourierTimes times = times_of (1000, 2000, 1000, 0);
  FourierClock clock;

  fourier_clock_start (&clock, &times, 0, 0);
  times.duration = MS (8000);
  /* second pass, a quarter of the way */
  fourier_clock_set_times (&clock, &times, 0, MS (5500));
  fail_unless (progress_at (&clock, MS (5500)) == .25);
  fail_unless_equals_uint64 (fourier_clock_get_pass (&clock,
          MS (5500)), 1);
  fail_unless (progress_at (&clock, MS (7500)) == .5);
  times.hold = 0;
  fourier_clock_set_times (&clock, &times, 0, MS (7500));
  fail_unless (progress_at (&clock, MS (7500)) == .5);
}

TEST (a_jump_goes_on_from_there)
{
  const FourierTimes times = times_of (1000, 2000, 1000, 1);
  FourierClock clock;

  fourier_clock_start (&clock, &times, 0, 0);
  fourier_clock_jump (&clock, .5, MS (100));
  fail_unless (progress_at (&clock, MS (100)) == .5);
  fail_unless (progress_at (&clock, MS (600)) == .75);
  fourier_clock_jump (&clock, 1., MS (600));
  fail_unless (progress_at (&clock, MS (600)) == 1.);
  fail_unless (fourier_clock_is_over (&clock, MS (1600)));
  fourier_clock_jump (&clock, 0., MS (700));
  fail_unless (progress_at (&clock, MS (700)) == 0.);
}

/* Whether one plays to a frame or seeks to it. */
TEST (a_seek_is_where_playing_comes_to)
{
  const FourierTimes times = times_of (300, 2000, 700, 3);
  FourierCounter counter;
  FourierClock played;

  begin (&played, &counter, &times, 30000, 1001);
  for (; counter.n < 300; counter.n++) {
    const GstClockTime now = fourier_counter_get_time (&counter);
    FourierClock sought = played;

    fourier_clock_seek (&sought, 0, now);
    fail_unless (progress_at (&sought, now) == progress_at (&played, now));
    fail_unless_equals_uint64 (fourier_clock_get_pass (&sought, now),
        fourier_clock_get_pass (&played, now));
    fail_unless (fourier_clock_is_over (&sought, now) ==
        fourier_clock_is_over (&played, now));
  }
}

TEST (the_counter_finds_the_frame_of_a_time)
{
  static const gint rates[][2] = { {30, 1}, {30000, 1001}, {25, 1}, {7, 3} };

  for (guint i = 0; i < G_N_ELEMENTS (rates); i++) {
    FourierCounter counter;

    fourier_counter_init (&counter, rates[i][0], rates[i][1]);
    for (counter.n = 0; counter.n < 100000; counter.n += 97) {
      FourierCounter found = counter;

      fourier_counter_seek (&found,
          fourier_counter_get_time (&counter));
      fail_unless_equals_uint64 (found.n, counter.n);
      fourier_counter_seek (&found,
          fourier_counter_get_end (&counter) - 1);
      fail_unless_equals_uint64 (found.n, counter.n);
    }
  }
}

TEST (another_rate_goes_on_from_the_same_time)
{
  FourierCounter counter;

  fourier_counter_init (&counter, 10, 1);
  counter.n = 15;
  fourier_counter_set_rate (&counter, 25, 1);
  fail_unless_equals_uint64 (fourier_counter_get_time (&counter),
      MS (1500));
  fail_unless_equals_uint64 (fourier_counter_get_end (&counter),
      MS (1540));
  fourier_counter_seek (&counter, MS (400));
  fail_unless_equals_uint64 (fourier_counter_get_time (&counter),
      MS (400));
}

TEST (a_still_has_no_frames_after_it)
{
  FourierCounter counter;

  fourier_counter_init (&counter, 0, 1);
  fail_unless_equals_uint64 (fourier_counter_get_frame (&counter), 0);
  counter.n = 3;
  fail_unless_equals_uint64 (fourier_counter_get_time (&counter), 0);
  fourier_counter_seek (&counter, MS (400));
  fail_unless_equals_uint64 (fourier_counter_get_time (&counter),
      MS (400));
}

SUITE (fourierdraw_time) {}
