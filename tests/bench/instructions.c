/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* instructions circles|outlines|contours|filter RUNS [time]: does the same work
 * RUNS times in one thread, and prints its pixels, or the milliseconds of CPU
 * time of the fastest run. tests/instructions counts the instructions of two
 * numbers of runs; the difference is the work's alone. */

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../kernels/lib/cleanup.h"
#include "circles/circles.h"
#include "contours/contours.h"
#include "llf/llf.h"
#include "raster/raster.h"

#define SIZE 256
#define N_CIRCLES 3000
#define N_SEGMENTS 600

static void
fail (GError * error)
{
  fprintf (stderr, "%s\n", error ? error->message : "no reason given");
  exit (1);
}

/* CPU time of this thread, so far. */
static double
milliseconds (void)
{
  struct timespec now;

  clock_gettime (CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * 1e3 + now.tv_nsec * 1e-6;
}

/* Without their depths: in painting order. */
static void
make_circles (CsArray * marks)
{
  const gsize n = cs_scene_get_n_circles (CS_SCENE_RAND10K);
  const CsCirclesStyle style = { TRUE, 0.f, 0, TRUE };
  g_autofree CsCircle *circles = g_new (CsCircle, n + 1);
  g_autoptr (CsArray) depths = cs_array_new (sizeof (float));

  cs_scene_make (CS_SCENE_RAND10K, 1, 0., circles);
  cs_circles_to_marks (circles, N_CIRCLES, &style, SIZE, SIZE, marks, depths);
}

/* One outline, 3 pixels wide: a spiral of capsules, painted as one. */
static void
make_outlines (CsArray * marks)
{
  for (guint i = 0; i < N_SEGMENTS; i++) {
    CsMark mark = {.radius = 1.5f,.rgba = 0xff8000c0,.group = 1 };
    float *const ends[2][2] = { {&mark.x0, &mark.y0}, {&mark.x1, &mark.y1} };

    for (guint k = 0; k < 2; k++) {
      const double t = (i + k) * .1, r = 2 * t;

      *ends[k][0] = (float) (SIZE / 2 + r * cos (t));
      *ends[k][1] = (float) (SIZE / 2 + r * sin (t));
    }
    cs_array_append (marks, &mark, 1);
  }
}

static void
paint (gboolean outlines, CsExecutor * executor, guint runs, double *fastest)
{
  g_autoptr (CsArray) array = cs_array_new (sizeof (CsMark));
  g_autofree guint8 *data = g_malloc0 (4 * SIZE * SIZE);
  CsPicture picture = { CS_PICTURE_RGB, CS_SAMPLE_U8, CS_MEMORY_HOST, SIZE,
    SIZE, 8, 0,
  };
  CsRasterSettings settings;
  GError *error = NULL;

  if (outlines)
    make_outlines (array);
  else
    make_circles (array);
  CsMarks marks = (CsMarks) {
  (const CsMark *) array->data, NULL, array->len, CS_MEMORY_HOST};
  for (guint i = 0; i < 4; i++) {
    picture.data[i] = data + i;
    picture.pixel_stride[i] = 4;
    picture.row_stride[i] = 4 * SIZE;
  }
  cs_raster_settings_init (&settings);
  g_autoptr (CsRaster) raster = cs_raster_new (executor, &error);
  if (!raster)
    fail (error);
  for (guint i = 0; i < runs; i++) {
    const double begin = milliseconds ();

    memset (data, 80, 4 * SIZE * SIZE);
    if (!cs_raster_run (raster, &marks, &settings, &picture, &picture, &error))
      fail (error);
    *fastest = MIN (*fastest, milliseconds () - begin);
  }
}

static void *
alloc (void *user_data, gsize size, gboolean host)
{
  void **block = user_data;

  g_free (*block);
  return *block = g_malloc (size + 1);
}

/* Waves, in each direction, at three levels. */
static void
trace (CsExecutor * executor, guint runs, double *fastest)
{
  const CsContoursTarget targets[3] = { {0, .25}, {0, .5}, {0, .75} };
  g_autofree float *data = g_new (float, SIZE * SIZE);
  g_autofree void *block = NULL;
  CsContoursParams params;
  CsContoursInput input = { 0, };
  CsContoursOutput output = {.alloc = alloc,.user_data = &block };
  GError *error = NULL;

  for (guint i = 0; i < SIZE * SIZE; i++)
    data[i] = (float) (.5 + .25 * sin (i % SIZE * .1) +
        .25 * cos (i / SIZE * .13));
  cs_contours_params_init (&params);
  params.targets = targets;
  params.n_targets = 3;
  input.image = cs_image_gray (data, CS_SAMPLE_F32, SIZE, SIZE,
      SIZE * sizeof (float));
  g_autoptr (CsContours) plan = cs_contours_new (&params, executor, &error);
  if (!plan)
    fail (error);
  for (guint i = 0; i < runs; i++) {
    const double begin = milliseconds ();

    if (!cs_contours_run (plan, &input, &output, &error))
      fail (error);
    *fastest = MIN (*fastest, milliseconds () - begin);
  }
}

/* The factorisation of this quality is made in no time. */
static void
filter (CsExecutor * executor, guint runs, double *fastest)
{
  const CsLlfSettings settings = { 1., 0, NULL, 0 };
  g_autofree guint8 *data = g_malloc (SIZE * SIZE);
  g_autofree guint8 *out = g_malloc (SIZE * SIZE);
  CsLlfFrame frame = {.output = out,.output_pixel_stride = 1,
    .output_row_stride = SIZE
  };
  CsLlfParams params;
  GError *error = NULL;

  for (guint i = 0; i < SIZE * SIZE; i++)
    data[i] = (guint8) (128 + 60 * sin (i % SIZE * .1) +
        60 * cos (i / SIZE * .13));
  frame.input = cs_image_gray (data, CS_SAMPLE_U8, SIZE, SIZE, SIZE);
  cs_llf_params_init (&params);
  params.quality = CS_LLF_SAMPLED;
  g_autoptr (CsLlfTable) table = cs_llf_table_new (&params, &error);
  g_autoptr (CsLlf) plan = table ? cs_llf_new (table, executor, &error) : NULL;
  if (!plan)
    fail (error);
  for (guint i = 0; i < runs; i++) {
    const double begin = milliseconds ();

    if (!cs_llf_run (plan, &frame, &settings, &error))
      fail (error);
    *fastest = MIN (*fastest, milliseconds () - begin);
  }
}

int
main (int argc, char **argv)
{
  const guint runs = argc > 2 ? (guint) strtoul (argv[2], NULL, 10) : 0;
  const char *what = argc > 1 ? argv[1] : "";
  CsExecutor *executor = cs_executor_new_cpu (1);
  double fastest = G_MAXDOUBLE;

  if (runs == 0) {
    fprintf (stderr,
        "usage: instructions circles|outlines|contours|filter RUNS [time]\n");
    return 1;
  }
  if (strcmp (what, "contours") == 0)
    trace (executor, runs, &fastest);
  else if (strcmp (what, "filter") == 0)
    filter (executor, runs, &fastest);
  else
    paint (strcmp (what, "outlines") == 0, executor, runs, &fastest);
  if (argc > 3)
    printf ("%.3f\n", fastest);
  else
    printf ("%d\n", SIZE * SIZE);
  cs_executor_free (executor);
  return 0;
}
