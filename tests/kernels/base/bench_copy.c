/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The copy of frames in pageable memory to a GPU and back: the driver's, that
 * of base/cuda_copy.h with 1 to 4 threads, and that from page-locked memory,
 * which is the floor. Medians of a copy with the wait for its end, one after
 * another, and with a pause before each, as in a video. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "base/cuda_copy.h"
#include "../lib/check_device.h"
#include "../lib/device.h"
#include "../lib/timing.h"

#define N_RUNS 41
/* Frames that take turns, as those of a pool do. */
#define N_FRAMES 4
#define PAUSE_US 3000
#define MAX_THREADS 4
/* Of shapes: the first of half a megabyte, and the first whole frame. */
#define FIRST_LARGE 5
#define FIRST_FRAME 7

typedef struct
{
  const char *name;
  gsize row_size, rows, stride;
} Shape;

static const Shape shapes[] = {
  {"4 kB", 4 << 10, 1, 4 << 10},
  {"16 kB", 16 << 10, 1, 16 << 10},
  {"64 kB", 64 << 10, 1, 64 << 10},
  {"128 kB", 128 << 10, 1, 128 << 10},
  {"256 kB", 256 << 10, 1, 256 << 10},
  {"512 kB", 512 << 10, 1, 512 << 10},
  {"1 MB", 1 << 20, 1, 1 << 20},
  {"1080p gray", 1920, 1080, 1920},
  {"1080p gray, rows of 2048", 1920, 1080, 2048},
  {"1080p RGBA", 7680, 1080, 7680},
  {"4K gray", 3840, 2160, 3840},
  {"4K RGBA", 15360, 2160, 15360},
};

typedef struct
{
  const Shape *shape;
  guint8 *frames[N_FRAMES];
  guint8 *device;
  void *stream;
  gboolean down;
} Bench;

static gint64
now_ns (void)
{
  struct timespec time;

  clock_gettime (CLOCK_MONOTONIC, &time);
  return (gint64) time.tv_sec * 1000000000 + time.tv_nsec;
}

static void
copy_once (const Bench * bench, CsCudaCopier * copier, guint i)
{
  guint8 *frame = bench->frames[i % N_FRAMES];
  CsCudaRows rows = { frame, bench->shape->stride, bench->device,
    bench->shape->row_size, bench->shape->row_size, bench->shape->rows
  };
  GError *error = NULL;

  if (bench->down)
    rows = (CsCudaRows) {
    bench->device, bench->shape->row_size, frame, bench->shape->stride,
          bench->shape->row_size, bench->shape->rows};
  if (!cs_cuda_copy (copier, &rows, bench->stream, &error) ||
      cudaStreamSynchronize (bench->stream) != cudaSuccess) {
    fprintf (stderr, "copy: %s\n", error ? error->message : "failed");
    exit (1);
  }
}

/* In microseconds. */
static double
time_copy (const Bench * bench, guint n_threads, gsize chunk_size,
    guint pause_us)
{
  const CsCudaCopyPolicy policy = { n_threads, chunk_size, 0 };
  CsCudaCopier copier = { NULL, FALSE };
  gint64 times[N_RUNS];

  cs_cuda_copy_set_policy (&policy);
  for (guint i = 0; i < N_FRAMES; i++)
    copy_once (bench, &copier, i);
  for (guint i = 0; i < N_RUNS; i++) {
    if (pause_us)
      g_usleep (pause_us);
    gint64 begin = now_ns ();
    copy_once (bench, &copier, i);
    times[i] = now_ns () - begin;
  }
  cs_cuda_copier_clear (&copier);
  cs_cuda_copy_set_policy (NULL);
  return (double) median_time (times, N_RUNS) / 1000.;
}

static void
open_frames (Bench * bench, gboolean pinned)
{
  const gsize size = bench->shape->stride * bench->shape->rows;

  for (guint i = 0; i < N_FRAMES; i++) {
    bench->frames[i] = pinned ? check_device_alloc_pinned (size) :
        malloc (size);
    memset (bench->frames[i], (int) i, size);
  }
}

static void
close_frames (Bench * bench, gboolean pinned)
{
  for (guint i = 0; i < N_FRAMES; i++)
    if (pinned)
      check_device_free_pinned (bench->frames[i]);
    else
      free (bench->frames[i]);
}

static void
run_shape (Bench * bench, gsize chunk_size, guint pause_us)
{
  bench->device = check_device_alloc (bench->shape->row_size *
      bench->shape->rows);
  open_frames (bench, TRUE);
  double pinned = time_copy (bench, 0, chunk_size, pause_us);
  close_frames (bench, TRUE);
  open_frames (bench, FALSE);
  printf ("%-26s %5u %6u %9.1f", bench->shape->name,
      (guint) (chunk_size >> 10), pause_us, pinned);
  for (guint n = 0; n <= MAX_THREADS; n++)
    printf (" %9.1f", time_copy (bench, n, chunk_size, pause_us));
  printf ("\n");
  fflush (stdout);
  close_frames (bench, FALSE);
  check_device_free (bench->device);
}

static void
run_table (Bench * bench, const char *title, gsize first, const gsize * chunks,
    guint n_chunks, guint pause_us)
{
  printf ("%s\n%-26s %5s %6s %9s %9s", title, "us", "chunk", "pause", "pinned",
      "driver");
  for (guint k = 1; k <= MAX_THREADS; k++)
    printf (" %8u%c", k, 't');
  printf ("\n");
  for (gsize i = first; i < G_N_ELEMENTS (shapes); i++)
    for (guint k = 0; k < n_chunks; k++) {
      bench->shape = &shapes[i];
      run_shape (bench, chunks[k], pause_us);
    }
}

int
main (int argc, char **argv)
{
  static const gsize chunks[] = { 128 << 10, 256 << 10, 512 << 10 };
  const gboolean brief = argc > 1 && strcmp (argv[1], "--brief") == 0;
  Bench bench = { NULL, };
  Device device;

  if (!device_open (&device)) {
    printf ("skipped: no GPU\n");
    return EXIT_SKIPPED;
  }
  printf ("%s, %u processors\n", device.name, g_get_num_processors ());
  bench.stream = device.stream;
  run_table (&bench, "to the GPU", 0, &chunks[1], 1, 0);
  if (!brief)
    run_table (&bench, "to the GPU, other chunks", FIRST_FRAME, chunks, 3, 0);
  run_table (&bench, "to the GPU, with pauses", FIRST_LARGE, &chunks[1], 1,
      PAUSE_US);
  bench.down = TRUE;
  run_table (&bench, "from the GPU", brief ? FIRST_FRAME : 0, &chunks[1], 1, 0);
  if (!brief)
    run_table (&bench, "from the GPU, with pauses", FIRST_FRAME, &chunks[1], 1,
        PAUSE_US);
  device_close (&device);
  return 0;
}
