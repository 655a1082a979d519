/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Frames of many contours and of one in turn, many levels and automatic ones, and
 * results in memory that the GPU does not reach. */
#include <math.h>
#include <string.h>

#include "check_contours.h"
#include "../lib/check.h"

/* So many contours, one around each dot, that CUDA does not publish those of the
 * next frame as they are measured */
#define SIDE 192
#define FRAMES 6
#define LEVELS 20

static void
fill_dots (guint8 * samples)
{
  memset (samples, 0, SIDE * SIDE);
  for (guint y = 0; y < SIDE; y += 2)
    for (guint x = 0; x < SIDE; x += 2)
      samples[y * SIDE + x] = 255;
}

/* One plan: many contours twice, then one a frame. */
static void
check_turns (Backend ** backends, guint n_backends)
{
  g_autofree guint8 *samples = g_malloc (SIDE * SIDE);
  const CsContoursTarget target = { 0, 127.5 };
  CsContoursInput input = { 0, };
  CsContoursParams params;

  cs_contours_params_init (&params);
  params.targets = &target;
  input.image = cs_image_gray (samples, CS_SAMPLE_U8, SIDE, SIDE, SIDE);
  Checker *checker = checker_new ("turns", &params, backends, n_backends);
  for (guint i = 0; checker && i < FRAMES; i++) {
    g_autofree char *name = g_strdup_printf ("many contours in turn, frame %u",
        i);

    if (i < 2) {
      fill_dots (samples);
    } else {
      memset (samples, 0, SIDE * SIDE);
      samples[(i + 1) * (SIDE + 1)] = 200;
    }
    count (checker_check (checker, name, &input));
  }
  if (checker)
    checker_free (checker);
}

static void
check_levels (Backend ** backends, guint n_backends)
{
  enum { WIDTH = 45, HEIGHT = 37 };
  float samples[WIDTH * HEIGHT];
  CsContoursTarget targets[LEVELS];
  CsContoursInput input = { 0, };
  Random random = { 23 };
  CsContoursParams params;

  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    samples[i] = (float) random_unit (&random);
  for (guint i = 0; i < LEVELS; i++)
    targets[i] = (CsContoursTarget) { 0, (i + .5) / LEVELS };
  cs_contours_params_init (&params);
  params.targets = targets;
  params.n_targets = LEVELS;
  input.image = cs_image_gray (samples, CS_SAMPLE_F32, WIDTH, HEIGHT,
      WIDTH * sizeof (float));
  Checker *checker = checker_new ("levels", &params, backends, n_backends);
  count (checker && checker_check (checker, "many levels", &input));
  if (checker)
    checker_free (checker);
}

/* Levels found from samples: that differ, that are equal, and that have no middle
 * or are not there. */
static void
check_automatic (CsSampleType type, CsAutoLevel method,
    Backend ** backends, guint n_backends)
{
  enum { SIDE_OF_FEW = 12, N = SIDE_OF_FEW * SIDE_OF_FEW };
  const gsize size = cs_sample_size (type);
  const double top = type == CS_SAMPLE_U8 ? 255. : 1.;
  const CsContoursTarget target = { 0, 0. };
  guint8 samples[N * sizeof (double)], mask_data[N] = { 0, };
  const CsImage mask = cs_image_gray (mask_data, CS_SAMPLE_U8, SIDE_OF_FEW,
      SIDE_OF_FEW, SIDE_OF_FEW);
  CsContoursInput input = { 0, };
  Random random = { 31 };
  CsContoursParams params;

  cs_contours_params_init (&params);
  params.targets = &target;
  params.auto_level = TRUE;
  params.auto_method = method;
  input.image = cs_image_gray (samples, type, SIDE_OF_FEW, SIDE_OF_FEW,
      SIDE_OF_FEW * size);
  Checker *checker = checker_new ("automatic", &params, backends, n_backends);
  for (guint kind = 0; checker && kind < 3; kind++) {
    for (guint i = 0; i < N; i++)
      store_sample (type, kind == 1 ? top : top * random_unit (&random),
          samples + i * size);
    if (kind == 2 && type != CS_SAMPLE_U8) {
      store_sample (type, -INFINITY, samples);
      store_sample (type, INFINITY, samples + size);
    }
    input.mask = kind == 2 && type == CS_SAMPLE_U8 ? &mask : NULL;
    count (checker_check (checker, "automatic level", &input));
  }
  if (checker)
    checker_free (checker);
}

static void
check_pageable (Backend * backend)
{
  enum { WIDTH = 50, HEIGHT = 30 };
  guint8 samples[WIDTH * HEIGHT];
  MemoryPool pool = {.cuda = TRUE,.pageable = TRUE };
  CsContoursOutput output = {
    .alloc = memory_pool_alloc,.user_data = &pool,.want_host = TRUE
  };
  const CsContoursTarget target = { 0, 127.5 };
  CsContoursInput input = { 0, };
  CsContoursParams params;
  Random random = { 29 };
  OracleResult expected;

  for (guint i = 0; i < WIDTH * HEIGHT; i++)
    samples[i] = (guint8) random_below (&random, 256);
  cs_contours_params_init (&params);
  params.targets = &target;
  params.measures = CS_MEASURES_FULL;
  input.image = cs_image_gray (samples, CS_SAMPLE_U8, WIDTH, HEIGHT, WIDTH);
  oracle_run (&params, &input, &expected);
  CsContours *plan = cs_contours_new (&params, backend->executor, NULL);
  count (plan && cs_contours_run (plan, &input, &output, NULL) &&
      same_result ("a result in pageable memory", &params, &expected, &output,
          TRUE));
  cs_contours_free (plan);
  oracle_clear (&expected);
  memory_pool_clear (&pool);
}

void
check_many (Backend ** backends, guint n_backends, gboolean pageable)
{
  check_turns (backends, n_backends);
  check_levels (backends, n_backends);
  for (guint b = 0; b < 4; b++)
    check_automatic (b & 1 ? CS_SAMPLE_F32 : CS_SAMPLE_U8, b & 2 ?
        CS_AUTO_LEVEL_OTSU : CS_AUTO_LEVEL_MIDRANGE, backends, n_backends);
  for (guint b = 0; b < n_backends; b++)
    if (pageable && is_cuda (backends[b]))
      check_pageable (backends[b]);
}
