/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_hull.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check_device.h"
#include "../lib/timing.h"
#include "hull_data.h"

#define MAX_REPEATS 100

/* For profilers: every plan runs a few times. */
static gboolean once;
/* No CPU. */
static gboolean alone;

typedef struct
{
  gboolean pinned;
  void *host, *device;
  gsize host_size, device_size;
} Block;

static void
free_host (Block * block)
{
  if (block->host && block->pinned)
    check_device_free_pinned (block->host);
  else
    g_free (block->host);
  block->host = NULL;
}

/* What an element does: memory that is already there. */
static void *
alloc_block (void *user_data, gsize size, gboolean host)
{
  Block *block = user_data;

  if (host && size > block->host_size) {
    free_host (block);
    block->host = block->pinned ? check_device_alloc_pinned (size) :
        g_malloc (size);
    block->host_size = size;
  } else if (!host && size > block->device_size) {
    if (block->device)
      check_device_free (block->device);
    block->device = check_device_alloc (size);
    block->device_size = size;
  }
  return host ? block->host : block->device;
}

/* Median milliseconds of a run. */
static double
time_hull (CsHull * plan, const CsHullInput * input, gboolean want_host,
    gsize * n_vertices)
{
  Block block = { .pinned = input->memory == CS_MEMORY_DEVICE };
  CsHullOutput out = { .alloc = alloc_block, .user_data = &block,
    .want_host = want_host
  };
  gint64 times[MAX_REPEATS], total = 0;
  GError *error = NULL;
  guint i;

  for (i = 0; i < 3; i++)
    if (!cs_hull_run (plan, input, &out, &error)) {
      printf ("%s\n", error->message);
      exit (1);
    }
  for (i = 0; i < MAX_REPEATS && (i < 5 || total < 300000) &&
      !(once && i > 0); i++) {
    const gint64 start = g_get_monotonic_time ();

    cs_hull_run (plan, input, &out, NULL);
    times[i] = g_get_monotonic_time () - start;
    total += times[i];
  }
  *n_vertices = out.n_points;
  free_host (&block);
  if (block.device)
    check_device_free (block.device);
  return median_time (times, i) / 1000.;
}

static float *
make_floats (DataKind kind, gsize n)
{
  g_autofree double *xy = g_new (double, 2 * n);
  float *points = g_new (float, 2 * n);

  data_fill (kind, 42, n, xy);
  for (gsize i = 0; i < 2 * n; i++)
    points[i] = xy[i];
  return points;
}

static void
bench_set (const Runner * runners, const CsExecutor * const *executors,
    guint n_executors, DataKind kind, gsize n)
{
  g_autofree float *points = make_floats (kind, n);
  CsHullParams params;
  CsHullStats stats = { 0 };
  gsize n_vertices = 0;

  cs_hull_params_init (&params);
  params.points = CS_HULL_POINTS_F32;
  printf ("%-9s %9zu", data_name (kind), n);
  for (guint i = 0; i < n_executors; i++) {
    CsHullInput input = { .points = points, .n_points = n };
    CsHull *plan = cs_hull_new (&params, (CsExecutor *) executors[i], NULL);
    void *device = NULL;

    if (cs_executor_get_backend (executors[i]) == CS_BACKEND_CUDA) {
      device = check_device_alloc (n * 8);
      check_device_copy (device, points, n * 8);
      input.points = device;
      input.memory = CS_MEMORY_DEVICE;
    }
    printf (" %9.3f", time_hull (plan, &input, TRUE, &n_vertices));
    if (device)
      printf (" %9.3f", time_hull (plan, &input, FALSE, &n_vertices));
    cs_hull_get_stats (plan, &stats);
    cs_hull_free (plan);
    if (device)
      check_device_free (device);
  }
  printf (" %8zu  ", n_vertices);
  for (guint i = 0; i < stats.n_passes; i++)
    printf (" %zu", stats.survivors[i]);
  printf (" (%zu sorted)\n", stats.sorted);
}

typedef struct
{
  const char *name;
  gsize n, n_points;
  guint32 *offsets;
  float *points;
} Polylines;

/* The contours of @image on @executor into @output; median milliseconds. */
static double
time_contours (CsExecutor * executor, const CsImage * image,
    CsContoursOutput * output)
{
  const CsContoursTarget target = { .level = .5 };
  CsContoursInput input = { .image = *image };
  CsContoursParams params;
  GError *error = NULL;
  gint64 times[20];

  cs_contours_params_init (&params);
  params.targets = &target;
  params.n_targets = 1;
  CsContours *plan = cs_contours_new (&params, executor, &error);
  for (guint i = 0; i < G_N_ELEMENTS (times); i++) {
    const gint64 start = g_get_monotonic_time ();

    if (!plan || !cs_contours_run (plan, &input, output, &error)) {
      printf ("%s\n", error->message);
      exit (1);
    }
    times[i] = g_get_monotonic_time () - start;
  }
  cs_contours_free (plan);
  return median_time (times, G_N_ELEMENTS (times)) / 1000.;
}

/* Noise of 1920 x 1080 samples, each replaced by the mean of four so many
 * times. */
static CsImage
blur_noise (float *samples, guint n_passes)
{
  const gsize width = 1920, height = 1080;
  guint64 state = 1;

  for (gsize i = 0; i < width * height; i++)
    samples[i] = data_uniform (&state);
  for (guint pass = 0; pass < n_passes; pass++)
    for (gsize i = 0; i + width + 1 < width * height; i++)
      samples[i] = .25f * (samples[i] + samples[i + 1] + samples[i + width] +
          samples[i + width + 1]);
  return cs_image_gray (samples, CS_SAMPLE_F32, width, height,
      width * sizeof (float));
}

static CsImage
make_noise (float *samples)
{
  return blur_noise (samples, 2);
}

static CsImage
make_blobs (float *samples)
{
  return blur_noise (samples, 60);
}

/* 138 discs with three waves along their rims, of about 1,040 points each. */
static CsImage
make_round (float *samples)
{
  const gsize columns = 12, n = 138, cell = 280, width = columns * cell;

  for (gsize i = 0; i < n * cell * cell; i++) {
    const gsize disc = i / (cell * cell), x = i % cell, y = i / cell % cell;
    const double dx = x - 139.5, dy = y - 139.3;
    const double r = 129 + 3 * sin (3 * atan2 (dy, dx) + disc);

    samples[(disc / columns * cell + y) * width + disc % columns * cell + x] =
        .5 + CLAMP (r - hypot (dx, dy), -.5, .5);
  }
  return cs_image_gray (samples, CS_SAMPLE_F32, width, width,
      width * sizeof (float));
}

/* The contours of @image, and the time that each executor takes for them. */
static Polylines
make_polylines (const CsExecutor * const *executors, guint n_executors,
    const char *name, const CsImage * image)
{
  const gsize size = image->row_stride * image->height;
  Polylines lines = { name };
  Block block = { FALSE };
  CsContoursOutput output = { .alloc = alloc_block, .user_data = &block };

  printf ("contours of %s:", name);
  for (guint i = 0; i < n_executors; i++) {
    const gboolean cuda =
        cs_executor_get_backend (executors[i]) == CS_BACKEND_CUDA;
    void *device = cuda ? check_device_alloc (size) : NULL;
    CsImage of = *image;

    if (cuda) {
      check_device_copy (device, image->data, size);
      of.data = device;
      of.memory = CS_MEMORY_DEVICE;
    }
    block.pinned = output.want_host = cuda;
    printf (" %9.3f", time_contours ((CsExecutor *) executors[i], &of,
            &output));
    if (i == 0) {
      lines.n = output.n_contours;
      lines.n_points = output.n_points;
      lines.offsets = g_memdup2 (output.offsets, (output.n_contours + 1) *
          sizeof (*output.offsets));
      lines.points = g_memdup2 (output.points, output.n_points * 2 *
          sizeof (float));
    }
    if (cuda)
      check_device_free (device);
    free_host (&block);
    block.host_size = 0;
  }
  if (block.device)
    check_device_free (block.device);
  printf ("\n");
  return lines;
}

static void
bench_polylines (const CsExecutor * const *executors, guint n_executors,
    const Polylines * lines, CsMeasures measures)
{
  const gsize n = lines->n, k = lines->n_points;
  CsHullParams params;
  gsize n_vertices = 0;

  cs_hull_params_init (&params);
  params.scope = CS_HULL_SCOPE_PER_CONTOUR;
  params.points = CS_HULL_POINTS_F32;
  params.closed = TRUE;
  params.measures = measures;
  printf ("%zu contours of %s, %zu points, %s measures:", n, lines->name, k,
      measures == CS_MEASURES_FULL ? "full" : "basic");
  for (guint i = 0; i < n_executors; i++) {
    CsHullInput input = { .points = lines->points, .n_points = k,
      .offsets = lines->offsets, .n_polylines = n
    };
    CsHull *plan = cs_hull_new (&params, (CsExecutor *) executors[i], NULL);
    void *device = NULL;

    if (cs_executor_get_backend (executors[i]) == CS_BACKEND_CUDA) {
      device = check_device_alloc (k * 8 + (n + 1) * 4);
      check_device_copy (device, lines->points, k * 8);
      check_device_copy ((guint8 *) device + k * 8, lines->offsets,
          (n + 1) * 4);
      input.points = device;
      input.offsets = (guint32 *) ((guint8 *) device + k * 8);
      input.memory = CS_MEMORY_DEVICE;
    }
    printf (" %9.3f", time_hull (plan, &input, TRUE, &n_vertices));
    if (device)
      printf (" %9.3f", time_hull (plan, &input, FALSE, &n_vertices));
    cs_hull_free (plan);
    if (device)
      check_device_free (device);
  }
  printf (" %8zu vertices\n", n_vertices);
}

/* Of the contours of three pictures. */
static void
bench_batches (const CsExecutor * const *executors, guint n_executors)
{
  static const struct
  {
    const char *name;
    CsImage (*make) (float *samples);
  } pictures[] = {
    {"noise", make_noise},
    {"blobs", make_blobs},
    {"round objects", make_round},
  };
  g_autofree float *samples = g_new0 (float, 3360 * 3360);

  for (guint i = 0; i < G_N_ELEMENTS (pictures); i++) {
    const CsImage image = pictures[i].make (samples);
    Polylines lines = make_polylines (executors, n_executors,
        pictures[i].name, &image);

    bench_polylines (executors, n_executors, &lines, CS_MEASURES_BASIC);
    bench_polylines (executors, n_executors, &lines, CS_MEASURES_FULL);
    g_free (lines.offsets);
    g_free (lines.points);
    memset (samples, 0, 3360 * 3360 * sizeof (float));
  }
}

int
bench_hull (Runner * runners, guint n_runners, gsize max_points, BenchKind kind)
{
  static const DataKind kinds[] = { DATA_SQUARE, DATA_DISK, DATA_GAUSSIAN,
    DATA_KUZMIN, DATA_CIRCLE, DATA_ANNULUS
  };
  static const gsize sizes[] = { 4000, 16384, 40000, 400000, 1000000, 4000000,
    10000000
  };
  CsExecutor *executors[3];
  guint n_executors = 0, i, k;

  once = kind == BENCH_PROFILE;
  alone = kind != BENCH_ALL;
  if (!alone) {
    executors[n_executors++] = cs_executor_new_cpu (1);
    executors[n_executors++] = cs_executor_new_cpu (0);
  }
  for (i = 0; i < n_runners; i++)
    if (cs_executor_get_backend (runners[i].executor) == CS_BACKEND_CUDA) {
      executors[n_executors++] = runners[i].executor;
      break;
    }
  if (n_executors == 0)
    return 1;
  printf ("milliseconds; single precision, basic measures\n");
  printf ("%-9s %9s", "points", "");
  if (!alone)
    printf (" %9s %6u thr.", "1 thread",
        cs_executor_get_n_threads (executors[1]));
  if (n_executors != 2)
    printf (" %9s %9s", "CUDA", "on device");
  printf (" %8s   survivors of each pass\n", "vertices");
  for (k = 0; k < G_N_ELEMENTS (kinds); k++)
    for (i = 0; i < G_N_ELEMENTS (sizes) && sizes[i] <= max_points; i++)
      bench_set (runners, (const CsExecutor * const *) executors, n_executors,
          kinds[k], sizes[i]);
  bench_batches ((const CsExecutor * const *) executors, n_executors);
  for (i = 0; i < n_executors; i++)
    if (cs_executor_get_backend (executors[i]) == CS_BACKEND_CPU)
      cs_executor_free (executors[i]);
  return 0;
}
