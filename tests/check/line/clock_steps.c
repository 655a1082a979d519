/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* To be preloaded: the time of day that a program sees is stepped back and
 * forth by hours while it runs. The machine's clock is left alone, as is each
 * clock that does not tell the time of day. CLOCK_STEPS names a folder: steps
 * begin when it has a file "go", and at its end the program writes into "asked"
 * how often each step's time was asked for. */

#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#define VISIBLE __attribute__((visibility ("default")))

/* Milliseconds from one step to the next */
#define STEP 700

static const long hours[] = { 0, 3, -5, 30, -100, 1, -2 };

#define N_STEPS (sizeof (hours) / sizeof (hours[0]))

static atomic_ulong asked[N_STEPS];
/* in milliseconds; 0 before */
static atomic_long begin;

static long
read_milliseconds (void)
{
  struct timespec now;

  syscall (SYS_clock_gettime, CLOCK_MONOTONIC, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static FILE *
open_file (const char *name, const char *mode)
{
  const char *folder = getenv ("CLOCK_STEPS");
  char path[4096];

  if (!folder)
    return NULL;
  snprintf (path, sizeof (path), "%s/%s", folder, name);
  return fopen (path, mode);
}

__attribute__((destructor))
static void
end (void)
{
  FILE *file = open_file ("asked", "w");

  if (!file)
    return;
  for (size_t i = 0; i < N_STEPS; i++)
    fprintf (file, "%ld %lu\n", hours[i], atomic_load (&asked[i]));
  fclose (file);
}

static int
has_begun (void)
{
  FILE *file = atomic_load (&begin) ? NULL : open_file ("go", "r");

  if (file) {
    atomic_store (&begin, read_milliseconds ());
    fclose (file);
  }
  return atomic_load (&begin) != 0;
}

static long
find_seconds (void)
{
  if (!has_begun ())
    return 0;
  size_t step = (size_t) ((read_milliseconds () - atomic_load (&begin)) / STEP)
      % N_STEPS;
  atomic_fetch_add (&asked[step], 1);
  return hours[step] * 3600;
}

VISIBLE int
clock_gettime (clockid_t clock, struct timespec *now)
{
  const int result = (int) syscall (SYS_clock_gettime, clock, now);

  if (result == 0
      && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    now->tv_sec += find_seconds ();
  return result;
}

VISIBLE int
gettimeofday (struct timeval *restrict now, void *restrict zone)
{
  struct timespec time;

  clock_gettime (CLOCK_REALTIME, &time);
  *now = (struct timeval) {.tv_sec = time.tv_sec,
    .tv_usec = time.tv_nsec / 1000
  };
  return 0;
}

VISIBLE time_t
time (time_t * seconds)
{
  struct timespec now;

  clock_gettime (CLOCK_REALTIME, &now);
  if (seconds)
    *seconds = now.tv_sec;
  return now.tv_sec;
}
