/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check-labels [--backend cpu|cuda|both] [--brief] [--bench] [CASES [SEED]]
 *
 * Polygons of label pictures: against an oracle, by hand, errors, strips, and
 * that every backend and number of threads gives the same bits.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/check_device.h"
#include "../lib/random.h"
#include "../lib/results.h"
#include "../lib/options.h"
#include "../lib/runners.h"
#include "labels/labels_private.h"
#include "labels_bench.h"
#include "labels_cases.h"
#include "labels_oracle.h"

static Runner runners[8];
static guint n_runners;

static const RunnerKind kinds[] = {
  {"1 thread", 1, CS_MEMORY_HOST},
  {"2 threads", 2, CS_MEMORY_HOST},
  {"5 threads", 5, CS_MEMORY_HOST},
  {"CUDA, host", 0, CS_MEMORY_HOST},
  {"CUDA, page-locked", 0, CS_MEMORY_PINNED},
  {"CUDA, device", 0, CS_MEMORY_DEVICE},
};

static gboolean
is_cuda (const Runner * runner)
{
  return cs_executor_get_backend (runner->executor) == CS_BACKEND_CUDA;
}

/* Its plan, with the parameters of @test. */
static gboolean
prepare (Runner * runner, const Case * test, GError ** error)
{
  if (runner->plan)
    return cs_labels_set_params (runner->plan, &test->params, error);
  runner->plan = cs_labels_new (&test->params, runner->executor, error);
  return runner->plan != NULL;
}

/* Runs @test where @runner is, by its plan. */
static gboolean
run (Runner * runner, const Case * test, Result * result, GError ** error)
{
  CsLabelsInput input = test->input;

  if (!prepare (runner, test, error))
    return FALSE;
  input.picture.data = device_place (runner->memory, test->samples,
      test->samples_size);
  input.picture.memory = runner->memory;
  const gboolean ok = cs_labels_run (runner->plan, &input, &result->output,
      error);

  device_displace (runner->memory, input.picture.data);
  return ok;
}

/* The result of @test on one thread of a new plan. */
static void
run_first (const Case * test, Result * result)
{
  Runner runner = {"first", cs_executor_new_cpu (1), CS_MEMORY_HOST, NULL };
  GError *error = NULL;

  result_init (result, FALSE);
  if (!run (&runner, test, result, &error))
    g_error ("%s: %s", case_name (), error->message);
  cs_labels_free (runner.plan);
  cs_executor_free (runner.executor);
}

static void
expect_same (const char *what, const Result * result, const Result * first,
    GError * error)
{
  if (error)
    expect (FALSE, "%s: %s", what, error->message);
  else
    expect (result_equals (first, result), "%s: %" G_GSIZE_FORMAT
        " rings of %" G_GSIZE_FORMAT " points, not %" G_GSIZE_FORMAT " of %"
        G_GSIZE_FORMAT ", or other bits", what, result->output.n_contours,
        result->output.n_points, first->output.n_contours,
        first->output.n_points);
  g_clear_error (&error);
}

/* --- Strips --------------------------------------------------------------- */

/* Rows of @test from @y on: their memory is gone when the strip is added. */
static gboolean
add_strip (CsLabels * plan, const Case * test, guint y, guint n_rows,
    GError ** error)
{
  CsLabelsInput strip = test->input;
  const gsize stride = strip.picture.row_stride;
  g_autofree guint8 *rows = g_malloc (MAX (n_rows * stride, 1));
  const gsize begin = y * stride;

  if (test->samples_size > begin)
    memcpy (rows, (guint8 *) test->samples + begin, MIN (n_rows * stride,
            test->samples_size - begin));
  strip.picture.data = rows;
  strip.picture.height = n_rows;
  if (y > 0)
    strip.origin_y = 0;
  return cs_labels_add_strip (plan, &strip, error);
}

static gboolean
run_strips (Runner * runner, const Case * test, guint64 * state,
    Result * result, GError ** error)
{
  const guint most = 1 + random_below (state, 60);
  const guint height = test->input.picture.height;

  if (!prepare (runner, test, error))
    return FALSE;
  cs_labels_begin (runner->plan);
  for (guint y = 0, n; y < height; y += n) {
    const guint any = random_below (state, most + 1);

    n = MIN (any, height - y);
    if (!add_strip (runner->plan, test, y, n, error))
      return FALSE;
  }
  return cs_labels_finish (runner->plan, &result->output, error);
}

static void
compare_strips (Runner * runner, const Case * test, guint64 * state,
    const Result * first)
{
  GError *error = NULL;
  Result result;

  result_init (&result, FALSE);
  run_strips (runner, test, state, &result, &error);
  if (test->input.picture.height > 0)
    expect_same ("strips", &result, first, error);
  result_clear (&result);
}

/* --- Comparisons ---------------------------------------------------------- */

/* What @runner has on the device only, in the memory of the host. */
static void
download (Result * result)
{
  CsContoursOutput *output = &result->output;
  const gsize n = output->n_contours;

#define DOWNLOAD(array, bytes) \
  output->array = g_malloc (MAX (bytes, 1)); \
  check_device_copy (output->array, output->device_##array, bytes)
  DOWNLOAD (points, output->n_points * 2 * sizeof (float));
  DOWNLOAD (offsets, (n + 1) * sizeof (guint32));
  DOWNLOAD (contours, n * sizeof (CsContour));
  if (output->device_moments) {
    DOWNLOAD (moments, n * sizeof (CsContourMoments));
  }
#undef DOWNLOAD
}

static void
free_downloaded (Result * result)
{
  g_free (result->output.points);
  g_free (result->output.offsets);
  g_free (result->output.contours);
  g_free (result->output.moments);
}

/* Without a result on the host. */
static void
compare_device_only (Runner * runner, const Case * test, const Result * first)
{
  GError *error = NULL;
  Result result;

  result_init (&result, TRUE);
  result.output.want_host = FALSE;
  if (run (runner, test, &result, &error)) {
    expect (!result.output.points && !result.output.offsets,
        "nothing on the host");
    download (&result);
    expect_same ("device only", &result, first, NULL);
    free_downloaded (&result);
  } else {
    expect_same ("device only", &result, first, error);
  }
  result_clear (&result);
}

/* All runners give what one thread gives. */
static void
compare_with (const Case * test, guint64 * state, const Result * first)
{
  for (guint i = 0; i < n_runners; i++) {
    GError *error = NULL;
    Result result;

    result_init (&result, is_cuda (&runners[i]));
    run (&runners[i], test, &result, &error);
    expect_same (runners[i].name, &result, first, error);
    result_clear (&result);
    if (is_cuda (&runners[i]))
      compare_device_only (&runners[i], test, first);
    else
      compare_strips (&runners[i], test, state, first);
  }
}

static void
compare (const Case * test)
{
  guint64 state = 1;
  Result first;

  run_first (test, &first);
  compare_with (test, &state, &first);
  result_clear (&first);
}

/* What the oracle says, too. */
static void
compare_exactly (const Case * test)
{
  guint64 state = 2;
  Result first;

  run_first (test, &first);
  oracle_expect (test, &first);
  compare_with (test, &state, &first);
  result_clear (&first);
}

static void
check_random (guint n_cases, guint64 seed)
{
  for (guint i = 0; i < n_cases; i++) {
    guint64 state = seed * 1000003 + i;
    Case test;

    begin ("random case %u of seed %" G_GUINT64_FORMAT, i, seed);
    case_init (&test, &state);
    compare_exactly (&test);
    case_clear (&test);
    end ();
  }
}

/* --- By hand -------------------------------------------------------------- */

/* @points: x and y of @n points. */
static void
expect_ring (const Result * result, guint i, const float *points, guint n)
{
  const CsContoursOutput *output = &result->output;

  expect (output->n_contours > i &&
      output->offsets[i + 1] - output->offsets[i] == n &&
      memcmp ((const float *) output->points + 2 * output->offsets[i], points,
          2 * n * sizeof (float)) == 0, "ring %u is another", i);
}

/* A pixel, both ways. */
static void
check_pixel (void)
{
  const gint64 label[] = { CS_LABELS_MAX };
  const float contour[] = { 10.f, 20.5f, 9.5f, 20.f, 10.f, 19.5f, 10.5f, 20.f,
    10.f, 20.5f
  };
  const float outline[] = { 10.5f, 20.5f, 9.5f, 20.5f, 9.5f, 19.5f, 10.5f, 19.5f,
    10.5f, 20.5f
  };
  Result result;
  Case test;

  begin ("a pixel");
  case_init_given (&test, label, 1, 1, 8, TRUE);
  test.input.origin_x = 10;
  test.input.origin_y = 20;
  run_first (&test, &result);
  expect_ring (&result, 0, contour, 5);
  expect (result.output.contours[0].class_id == CS_LABELS_MAX &&
      result.output.contours[0].area == .5 && result.output.n_segments == 4,
      "the label, half a pixel, four steps");
  result_clear (&result);
  compare_exactly (&test);
  test.params.outline = CS_LABELS_PIXELS;
  run_first (&test, &result);
  expect_ring (&result, 0, outline, 5);
  expect (result.output.contours[0].area == 1. &&
      result.output.n_segments == 4, "a pixel, four steps");
  result_clear (&result);
  compare_exactly (&test);
  case_clear (&test);
  end ();
}

/* Two holes of label 5, the second to the right of the first, with an island. */
static void
check_holes (void)
{
  enum
  {
    W = 9, H = 7
  };
  gint64 labels[W * H];
  Result result;
  Case test;

  begin ("holes");
  for (guint i = 0; i < W * H; i++)
    labels[i] = 5;
  labels[3 * W + 1] = 2;
  for (guint y = 2; y < 5; y++)
    for (guint x = 4; x < 7; x++)
      labels[y * W + x] = 0;
  labels[3 * W + 5] = 5;
  case_init_given (&test, labels, W, H, 2, FALSE);
  test.input.first_id = 100;
  test.params.hierarchy = TRUE;
  run_first (&test, &result);
  const CsContour *rings = result.output.contours;

  expect (result.output.n_contours == 5, "five rings");
  expect (rings[0].class_id == 2 && rings[0].parent == -1, "label 2");
  expect (rings[1].class_id == 5 && rings[1].parent == -1, "label 5");
  /* the larger hole begins in the row above */
  for (guint i = 2; i < 5; i++)
    expect (rings[i].parent == (rings[i].area > 0. ? 102 : 101) &&
        rings[i].flags == (CS_CONTOUR_CLOSED | (rings[i].area > 0. ? 0 :
                CS_CONTOUR_HOLE)), "ring %u", i);
  expect (rings[2].area == -8.5 && rings[3].area == -.5 && rings[4].area == .5,
      "holes, and an island");
  result_clear (&result);
  compare_exactly (&test);
  test.params.background = 5;
  compare_exactly (&test);
  test.params.background = -1;
  compare_exactly (&test);
  test.params.min_area = 5.;
  compare_exactly (&test);
  test.params.min_area = 1e6;
  compare_exactly (&test);
  case_clear (&test);
  end ();
}

/* Every size, with the largest label that it can have. */
static void
check_sizes (void)
{
  begin ("sizes of labels");
  for (guint size = 1; size <= 8; size *= 2)
    for (guint is_signed = 0; is_signed < 2; is_signed++) {
      const guint bits = MIN (8 * size - is_signed, 31);
      const gint64 most = (G_GINT64_CONSTANT (1) << bits) - 1;
      const gint64 labels[] = { 0, 1, most, is_signed ? -1 : 2, most - 1, 0 };
      Case test;

      case_init_given (&test, labels, 3, 2, size, (gboolean) is_signed);
      compare_exactly (&test);
      test.params.background = most;
      compare_exactly (&test);
      case_clear (&test);
    }
  end ();
}

/* No labels at all; none that are wanted. */
static void
check_nothing (void)
{
  const guint sides[][2] = { {0, 0}, {5, 0}, {0, 5}, {1, 1}, {3, 2} };
  const gint64 zeros[6] = { 0 };
  const guint32 none[1] = { 3 };

  begin ("nothing");
  for (guint i = 0; i < G_N_ELEMENTS (sides); i++) {
    Case test;

    case_init_given (&test, zeros, sides[i][0], sides[i][1], 4, TRUE);
    compare_exactly (&test);
    test.params.background = -1;
    test.params.measures = CS_MEASURES_FULL;
    compare_exactly (&test);
    test.input.wanted = none;
    compare_exactly (&test);
    test.input.n_wanted = 1;
    compare_exactly (&test);
    case_clear (&test);
  }
  end ();
}

/* Rings of one label that pass most tiles and bands of a picture. */
static void
check_long (gboolean brief)
{
  const guint side = brief ? 150 : 700;
  Case test;

  begin ("long rings");
  for (guint i = 0; i < 4; i++) {
    if (i % 2)
      case_init_comb (&test, side + 3, side, side);
    else
      case_init_spiral (&test, side, side - 7);
    test.params.background = i < 2 ? 0 : -1;
    test.params.measures = CS_MEASURES_FULL;
    test.params.hierarchy = TRUE;
    compare (&test);
    test.params.outline = CS_LABELS_PIXELS;
    test.params.min_area = side;
    compare (&test);
    case_clear (&test);
  }
  end ();
}

static void
check_large (gboolean brief)
{
  const guint side = brief ? 100 : 500;
  Case test;

  begin ("large pictures");
  case_init_voronoi (&test, 2 * side, side, side * side / 500, 4);
  compare (&test);
  case_clear (&test);
  for (guint n = 2; n <= 2000; n *= 10) {
    case_init_noise (&test, side, side, n, n == 2 ? .5 : .9, 4);
    compare (&test);
    test.params.hierarchy = TRUE;
    test.params.min_area = 1.;
    compare (&test);
    test.params.outline = CS_LABELS_PIXELS;
    compare (&test);
    case_clear (&test);
  }
  end ();
}

/* A single row or column. */
static void
check_lines (void)
{
  begin ("lines");
  for (guint i = 0; i < 2; i++) {
    const guint n = 3000;
    Case test;

    case_init_noise (&test, i ? 1 : n, i ? n : 1, 4, .7, 1);
    test.params.hierarchy = TRUE;
    compare_exactly (&test);
    case_clear (&test);
  }
  end ();
}

/* Holes of a pixel in every column of a wide row, and a ring in each. */
static void
check_columns (void)
{
  enum
  {
    W = 1100, H = 7
  };
  gint64 labels[W * H];
  Case test;

  begin ("holes in all columns");
  for (guint y = 0; y < H; y++)
    for (guint x = 0; x < W; x++)
      labels[y * W + x] = y % 2 == 0 || x % 3 != y / 2;
  case_init_given (&test, labels, W, H, 1, FALSE);
  test.params.background = -1;
  compare_exactly (&test);
  test.params.outline = CS_LABELS_PIXELS;
  compare (&test);
  case_clear (&test);
  end ();
}

/* --- Errors --------------------------------------------------------------- */

static void
expect_refused (const Case * test, gint code, const gchar * what)
{
  for (guint i = 0; i < n_runners; i++) {
    GError *error = NULL;
    Result result;

    result_init (&result, is_cuda (&runners[i]));
    result.output.n_contours = 7;
    expect (!run (&runners[i], test, &result, &error) &&
        g_error_matches (error, CS_ERROR, code), "%s: %s: %s",
        runners[i].name, what, error ? error->message : "no error");
    expect (result.output.n_contours == 0, "%s: no contours", what);
    g_clear_error (&error);
    result_clear (&result);
  }
}

static void
check_errors (void)
{
  const gint64 labels[] = { 1, 1, 2, 2 };
  const guint32 falling[] = { 5, 5 }, large[] = { 1u << 31 };
  Case test, valid;

  begin ("errors");
  case_init_given (&valid, labels, 2, 2, 4, FALSE);
  compare_exactly (&valid);
  /* as far to the right as can be */
  valid.input.origin_x = CS_LABELS_MAX_SIDE - 2;
  compare_exactly (&valid);
#define REFUSED(code, what) \
  expect_refused (&test, code, what); \
  test = valid
  test = valid;
  test.input.picture.size = 3;
  REFUSED (CS_ERROR_INVALID, "three bytes");
  test.input.picture.row_stride = 7;
  REFUSED (CS_ERROR_INVALID, "a stride of half labels");
  test.input.picture.pixel_stride = 5;
  REFUSED (CS_ERROR_INVALID, "a stride of half labels");
  test.input.picture.width = CS_LABELS_MAX_SIDE + 1;
  REFUSED (CS_ERROR_LIMIT, "a side that is too long");
  test.input.origin_y = CS_LABELS_MAX_SIDE - 1;
  REFUSED (CS_ERROR_LIMIT, "a place that is too far");
  test.input.wanted = falling;
  test.input.n_wanted = 2;
  REFUSED (CS_ERROR_INVALID, "wanted labels that do not ascend");
  test.input.wanted = large;
  test.input.n_wanted = 1;
  REFUSED (CS_ERROR_INVALID, "a wanted label that is too large");
  test.input.first_id = G_MAXINT32;
  REFUSED (CS_ERROR_LIMIT, "ids beyond the last");
#undef REFUSED
  compare_exactly (&valid);
  case_clear (&valid);
  end ();
}

/* Labels that are too large: the first one is told of. */
static void
check_too_large (void)
{
  const gint64 most = CS_LABELS_MAX;

  begin ("labels that are too large");
  for (guint size = 4; size <= 8; size += 4)
    for (guint is_signed = size == 4 ? 0 : 0; is_signed < size / 4;
        is_signed++) {
      enum
      {
        W = 70, H = 50
      };
      gint64 labels[W * H] = { 0 };
      Case test;

      labels[40 * W + 3] = most + 1;
      labels[40 * W + 60] = most + 2;
      labels[41 * W] = most + 3;
      case_init_given (&test, labels, W, H, size, (gboolean) is_signed);
      for (guint i = 0; i < n_runners; i++) {
        GError *error = NULL;
        Result result;

        result_init (&result, is_cuda (&runners[i]));
        expect (!run (&runners[i], &test, &result, &error) &&
            g_error_matches (error, CS_ERROR, CS_ERROR_LIMIT) &&
            strstr (error->message, "(3, 40)") &&
            strstr (error->message, "2147483648"), "%s: %s", runners[i].name,
            error ? error->message : "no error");
        g_clear_error (&error);
        result_clear (&result);
      }
      case_clear (&test);
    }
  end ();
}

static void
check_params (void)
{
  CsLabelsParams params;

  for (guint i = 0; i < 6; i++) {
    CsExecutor *executor = cs_executor_new_cpu (1);
    GError *error = NULL;

    cs_labels_params_init (&params);
    if (i == 0)
      params.outline = 2;
    else if (i == 1)
      params.background = -2;
    else if (i == 2)
      params.background = G_GINT64_CONSTANT (1) << 31;
    else if (i == 3)
      params.min_area = -1.;
    else if (i == 4)
      params.min_area = NAN;
    else
      params.measures = 7;
    check_that (!cs_labels_new (&params, executor, &error) && error,
        "parameters %u are refused", i);
    g_clear_error (&error);
    cs_executor_free (executor);
  }
}

/* Strips that do not fit each other, and what comes after them. */
static void
check_strip_errors (void)
{
  const gint64 labels[] = { 1, 1, 2, 2 };
  CsExecutor *executor = cs_executor_new_cpu (2);
  Case test, other;
  Result result;

  begin ("strips that fail");
  case_init_given (&test, labels, 2, 2, 4, FALSE);
  case_init_given (&other, labels, 1, 4, 4, FALSE);
  result_init (&result, FALSE);
  CsLabels *plan = cs_labels_new (&test.params, executor, NULL);

  cs_labels_begin (plan);
  expect (cs_labels_finish (plan, &result.output, NULL) &&
      result.output.n_contours == 0, "no strips");
  cs_labels_begin (plan);
  expect (cs_labels_add_strip (plan, &test.input, NULL), "a strip");
  expect (!cs_labels_add_strip (plan, &other.input, NULL), "of another width");
  expect (!cs_labels_add_strip (plan, &test.input, NULL), "after that");
  expect (!cs_labels_finish (plan, &result.output, NULL) &&
      result.output.n_contours == 0, "no result");
  cs_labels_begin (plan);
  expect (cs_labels_add_strip (plan, &test.input, NULL) &&
      cs_labels_add_strip (plan, &test.input, NULL) &&
      cs_labels_finish (plan, &result.output, NULL) &&
      result.output.n_contours == 4, "the same again");
  cs_labels_free (plan);
  result_clear (&result);
  case_clear (&test);
  case_clear (&other);
  cs_executor_free (executor);
  end ();
}

/* On a GPU there are no strips. */
static void
check_device_strips (void)
{
  for (guint i = 0; i < n_runners; i++) {
    CsLabels *plan = runners[i].plan;
    CsLabelsInput strip = {.picture = {.size = 1,.width = 1,.height = 0 } };
    GError *error = NULL;

    if (!is_cuda (&runners[i]))
      continue;
    cs_labels_begin (plan);
    check_that (!cs_labels_add_strip (plan, &strip, &error) &&
        g_error_matches (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED),
        "%s: no strips", runners[i].name);
    g_clear_error (&error);
  }
}

/* After a warm-up. */
static void
check_warm (void)
{
  Case test;

  begin ("a plan that is warm");
  case_init_voronoi (&test, 200, 130, 80, 2);
  for (guint i = 0; i < n_runners; i++) {
    CsLabelsPicture picture = test.input.picture;
    GError *error = NULL;

    picture.memory = runners[i].memory;
    expect (prepare (&runners[i], &test, &error) &&
        cs_labels_warm_up (runners[i].plan, &picture, &error), "%s",
        runners[i].name);
  }
  compare (&test);
  case_clear (&test);
  end ();
}

/* --- All ------------------------------------------------------------------ */

static int
check_all (gboolean brief, guint n_cases, guint64 seed)
{
  const gint *way_flags = cs_labels_ways;

  check_warm ();
  check_pixel ();
  check_holes ();
  check_sizes ();
  check_nothing ();
  check_lines ();
  check_columns ();
  check_errors ();
  check_too_large ();
  check_params ();
  check_strip_errors ();
  check_device_strips ();
  check_random (n_cases, seed);
  check_long (brief);
  check_large (brief);
  const gboolean on_cpu = !is_cuda (&runners[0]);
  const gboolean on_cuda = is_cuda (&runners[n_runners - 1]);
  CheckWay cpu[] = { CS_LABELS_CPU_WAYS (CHECK_WAY) };

  if (on_cpu)
    check_ways ("the CPU", cpu, G_N_ELEMENTS (cpu));
  if (on_cuda && n_runners > 1) {
    CheckWay cuda[] = { CS_LABELS_CUDA_WAYS (CHECK_WAY) };

    check_ways ("the GPU", cuda, G_N_ELEMENTS (cuda));
  }
  for (guint i = 0; i < n_runners; i++)
    cs_labels_free (runners[i].plan);
  return finish ();
}

int
main (int argc, char **argv)
{
  Device device = { "", NULL };
  CheckOptions options;
  int status;

  if (!check_options_parse (argc, argv, 60, 500, &options))
    return EXIT_USAGE;
  if (!runners_open (runners, &n_runners, kinds, G_N_ELEMENTS (kinds),
          options.backend, options.brief, &device))
    return EXIT_SKIPPED;
  if (options.measure)
    status = labels_bench (&device);
  else
    status = check_all (options.brief, options.n_cases, options.seed);
  runners_close (runners, n_runners, &device);
  return status;
}
