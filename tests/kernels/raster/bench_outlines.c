/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bench_outlines.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check_device.h"
#include "raster/raster_private.h"
#include "raster_baseline.h"

#define WIDTH 1920
#define HEIGHT 1080
#define N_CONTOURS 1400
#define N_POINTS 46
#define RADIUS 7.2
#define N_FRAMES 20

/* How the contours are painted: all in one colour, or each in one of its own;
 * and the alpha of it. */
typedef struct
{
  const char *name;
  gboolean is_nv12, in_colors;
  guint8 alpha;
} Row;

static const Row rows[] = {
  {"outlines-RGBx", FALSE, FALSE, 255},
  {"outlines-NV12", TRUE, FALSE, 255},
  {"outlines-RGBx-translucent", FALSE, FALSE, 128},
  {"outlines-RGBx-colors", FALSE, TRUE, 255},
};

static guint32
color_of (const Row * row, guint contour)
{
  return (row->in_colors ? (contour * 2654435761u) & 0xffffff00u :
      0xff402000u) | row->alpha;
}

/* Closed contours side by side, of points about a pixel apart, as lines two
 * pixels wide. */
static CsMark *
make_marks (const Row * row)
{
  const double cell = sqrt ((double) WIDTH * HEIGHT / N_CONTOURS);
  const guint columns = (guint) (WIDTH / cell);
  CsMark *marks = g_new (CsMark, N_CONTOURS * N_POINTS), *mark = marks;
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < N_CONTOURS; i++) {
    float points[N_POINTS + 1][2];

    for (guint j = 0; j < N_POINTS; j++) {
      const double angle = 2 * G_PI * j / N_POINTS;
      const double r = RADIUS + g_rand_double_range (rand, -.7, .7);

      points[j][0] = (i % columns + .5) * cell + r * cos (angle);
      points[j][1] = (i / columns + .5) * cell + r * sin (angle);
    }
    memcpy (points[N_POINTS], points[0], sizeof (points[0]));
    for (guint j = 0; j < N_POINTS; j++)
      *mark++ = (CsMark) { points[j][0], points[j][1], points[j + 1][0],
        points[j + 1][1], 1, 0, color_of (row, i),
        row->in_colors ? 1 + i : 1
      };
  }
  return marks;
}

static gsize
picture_size (const Row * row)
{
  return (gsize) WIDTH * HEIGHT * (row->is_nv12 ? 3 : 8) / 2;
}

static CsPicture
make_picture (const Row * row, guint8 * memory, CsMemory kind)
{
  CsPicture p = {.model = CS_PICTURE_RGB,.type = CS_SAMPLE_U8,.memory = kind,
    .width = WIDTH,.height = HEIGHT,.depth = 8
  };

  for (guint i = 0; i < 3; i++) {
    p.data[i] = memory + i;
    p.pixel_stride[i] = 4;
    p.row_stride[i] = 4 * WIDTH;
  }
  if (!row->is_nv12)
    return p;
  p.model = CS_PICTURE_YUV;
  p.sub_x = p.sub_y = 1;
  p.limited_range = TRUE;
  for (guint i = 0; i < 3; i++) {
    p.data[i] = i == 0 ? memory : memory + WIDTH * HEIGHT + i - 1;
    p.pixel_stride[i] = i == 0 ? 1 : 2;
    p.row_stride[i] = WIDTH;
  }
  return p;
}

/* Milliseconds of a frame's CPU, and what it looks like. */
static double
time_cpu (Runner * runner, const Row * row, const CsMarks * marks,
    const guint8 * frame, guint8 * expected)
{
  Job job = {.runner = runner,.marks = *marks };

  cs_raster_settings_init (&job.settings);
  memcpy (expected, frame, picture_size (row));
  job.picture = make_picture (row, expected, CS_MEMORY_HOST);
  double ms = baseline_cpu_time ();
  runner_run_job (&job);
  return baseline_cpu_time () - ms;
}

typedef struct
{
  double each, still;           /* marks are new, or as before */
  guint64 wrong;
} Times;

/* Device time of a frame; several frames so that the GPU has counted marks. */
static Times
time_cuda (Job * job, const Row * row, const guint8 * frame,
    const guint8 * expected, guint8 * result)
{
  static guint64 version;
  const gsize size = picture_size (row);
  guint8 *device = job->picture.data[0];
  Times times = { 0, 0, 0 };

  for (guint i = 0; i < 5; i++) {
    if (i == 3) {
      times.each = check_device_time (job->runner->device.stream, N_FRAMES,
          runner_run_job, job);
      job->marks.version = ++version;
    }
    check_device_copy (device, frame, size);
    runner_run_job (job);
    check_device_copy (result, device, size);
    for (gsize j = 0; j < size; j++)
      times.wrong += result[j] != expected[j];
  }
  times.still = check_device_time (job->runner->device.stream, N_FRAMES,
      runner_run_job, job);
  job->marks.version = 0;
  return times;
}

static void
print_times (const Times * times)
{
  printf (" %.3f | %.3f | %" G_GUINT64_FORMAT " |", times->each, times->still,
      times->wrong);
}

/* With the painter of all marks and with that of runs, in device memory. */
static void
bench_cuda (Runner * runner, const Row * row, const CsMarks * marks,
    const guint8 * frame, const guint8 * expected, guint8 * result)
{
  static const CsDirectChoice choices[] = { CS_DIRECT_NEVER, CS_DIRECT_AUTO };
  const gsize size = picture_size (row), marks_size = marks->n *
      sizeof (CsMark);
  const CsDirectChoice before = cs_raster_direct;
  guint8 *device = check_device_alloc (size);
  Job job = {.runner = runner,.marks = *marks };

  cs_raster_settings_init (&job.settings);
  job.picture = make_picture (row, device, CS_MEMORY_DEVICE);
  job.marks.memory = CS_MEMORY_DEVICE;
  job.marks.marks = check_device_alloc (marks_size);
  check_device_copy ((void *) job.marks.marks, marks->marks, marks_size);
  for (guint i = 0; i < G_N_ELEMENTS (choices); i++) {
    cs_raster_direct = choices[i];
    Times times = time_cuda (&job, row, frame, expected, result);
    print_times (&times);
  }
  cs_raster_direct = before;
  check_device_free ((void *) job.marks.marks);
  check_device_free (device);
}

static void
bench_row (Runner * cpu, Runner * cuda, const Row * row)
{
  const gsize size = picture_size (row);
  const CsMarks marks = {.marks = make_marks (row),
    .n = N_CONTOURS * N_POINTS,.memory = CS_MEMORY_HOST
  };
  g_autofree guint8 *frame = g_malloc (size);
  g_autofree guint8 *expected = g_malloc (size);
  g_autofree guint8 *result = g_malloc (size);
  g_autoptr (GRand) rand = g_rand_new_with_seed (2);

  for (gsize i = 0; i < size; i++)
    frame[i] = g_rand_int (rand);
  printf ("| %s | %.3f |", row->name, time_cpu (cpu, row, &marks, frame,
          expected));
  if (cuda)
    bench_cuda (cuda, row, &marks, frame, expected, result);
  printf ("\n");
  g_free ((void *) marks.marks);
}

void
bench_outlines (Runner * cpu, Runner * cuda, const char *name)
{
  guint i;

  printf ("\n| %u contours of %u lines, %ux%u | cpu | cuda, all marks | still | "
      "wrong | cuda | still | wrong |\n|---|---|---|---|---|---|---|---|\n",
      N_CONTOURS, N_POINTS, WIDTH, HEIGHT);
  for (i = 0; i < G_N_ELEMENTS (rows); i++)
    if (!name || strstr (rows[i].name, name))
      bench_row (cpu, cuda, &rows[i]);
}
