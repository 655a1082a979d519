/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check-instances [--backend cpu|cuda|both] [--brief] [--bench] [CASES [SEED]]
 *
 * Polygons of instances: by hand, errors, and random inputs that every backend
 * and number of threads must give the same bits for. That these are the masks'
 * polygons tests/conformance/instances.py shows.
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
#include "instances/instances_private.h"
#include "instances_bench.h"
#include "instances_cases.h"

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

/* Runs @test where @runner is, by its plan. */
static gboolean
run (Runner * runner, const Case * test, Result * result, GError ** error)
{
  CsInstancesInput input = test->input;
  CsImage coefficients = test->coefficients;
  const CsMemory memory = runner->memory;

  if (!runner->plan)
    runner->plan = cs_instances_new (&test->params, runner->executor, error);
  else if (!cs_instances_set_params (runner->plan, &test->params, error))
    return FALSE;
  if (!runner->plan)
    return FALSE;
  input.fields.data = device_place (memory, test->samples, test->samples_size);
  input.fields.memory = coefficients.memory = memory;
  if (test->input.coefficients) {
    coefficients.data = device_place (memory, test->factors,
        test->factors_size);
    input.coefficients = &coefficients;
  }
  const gboolean ok = cs_instances_run (runner->plan, &input, &result->output,
      error);

  device_displace (memory, input.fields.data);
  if (test->input.coefficients)
    device_displace (memory, coefficients.data);
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
  cs_instances_free (runner.plan);
  cs_executor_free (runner.executor);
}

/* All runners give what one thread gives. */
static void
compare (const Case * test)
{
  Result first;

  run_first (test, &first);
  for (guint i = 0; i < n_runners; i++) {
    GError *error = NULL;
    Result result;

    result_init (&result, is_cuda (&runners[i]));
    if (!run (&runners[i], test, &result, &error)) {
      expect (FALSE, "%s: %s", runners[i].name, error->message);
      g_error_free (error);
    } else {
      expect (result_equals (&first, &result), "%s: %" G_GSIZE_FORMAT
          " rings of %" G_GSIZE_FORMAT " points, not %" G_GSIZE_FORMAT " of %"
          G_GSIZE_FORMAT ", or other bits", runners[i].name,
          result.output.n_contours, result.output.n_points,
          first.output.n_contours, first.output.n_points);
    }
    result_clear (&result);
  }
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
    compare (&test);
    case_clear (&test);
    end ();
  }
}

/* --- By hand -------------------------------------------------------------- */

/* @points: x and y of @n points, the first one again at the end. */
static void
expect_ring (const Result * result, guint i, const float *points, guint n)
{
  const CsContoursOutput *output = &result->output;
  const float *got = (const float *) output->points + 2 * output->offsets[i];
  gboolean same = output->n_contours > i &&
      output->offsets[i + 1] - output->offsets[i] == n;

  for (guint k = 0; same && k < 2 * n; k++)
    same = fabsf (got[k] - points[k]) < 1e-3f;
  expect (same, "ring %u is another", i);
}

/* Two columns: half of the picture, up to where 1 and -1 meet. */
static void
check_half (void)
{
  const float values[] = { 1.f, -1.f };
  const float ring[] = { -.5f, -.5f, 4.5f, -.5f, 4.5f, 2.5f, 4.5f, 5.5f, -.5f,
    5.5f, -.5f, -.5f
  };
  Result result;
  Case test;

  begin ("the left half of a picture");
  case_init_given (&test, values, 1, 2, 1, 10, 6);
  run_first (&test, &result);
  expect (result.output.n_contours == 1, "one ring");
  expect_ring (&result, 0, ring, 6);
  expect (result.output.contours[0].area == 30., "an area of 5 x 6");
  expect (result.output.contours[0].flags == CS_CONTOUR_CLOSED, "no hole");
  result_clear (&result);
  compare (&test);
  case_clear (&test);
  end ();
}

/* A box cuts a field that is above the level everywhere. */
static void
check_box (void)
{
  const float values[] = { 1.f, 1.f, 1.f, 1.f };
  const float ring[] = { 2.25f, 3.f, 7.5f, 3.f, 7.5f, 9.5f, 2.25f, 9.5f, 2.25f,
    3.f
  };
  Result result;
  Case test;

  begin ("a box");
  case_init_given (&test, values, 1, 2, 2, 20, 10);
  test.instances[0].x0 = 2.25;
  test.instances[0].x1 = 7.5;
  test.instances[0].y0 = 3.;
  run_first (&test, &result);
  expect_ring (&result, 0, ring, 5);
  result_clear (&result);
  /* no width */
  test.instances[0].x1 = 2.25;
  run_first (&test, &result);
  expect (result.output.n_contours == 0 && result.output.n_dropped == 1 &&
      result.output.offsets[0] == 0, "a box without an inside");
  result_clear (&result);
  compare (&test);
  case_clear (&test);
  end ();
}

/* Beyond its samples a field is 0: its ring is half a step outside. */
static void
check_zeros (void)
{
  const float values[] = { 1.f };
  const float ring[] = { 2.5f, 5.f, 5.f, 2.5f, 7.5f, 5.f, 5.f, 7.5f, 2.5f, 5.f };
  Result result;
  Case test;

  begin ("zeros around a sample");
  case_init_given (&test, values, 1, 1, 1, 11, 11);
  test.params.level = .5;
  test.params.tolerance = 100.;
  test.input.outside = CS_INSTANCES_ZEROS;
  test.instances[0].origin_x = test.instances[0].origin_y = 5.;
  test.instances[0].step_x = test.instances[0].step_y = 5.;
  run_first (&test, &result);
  expect (result.output.n_contours == 1, "one ring");
  expect_ring (&result, 0, ring, 5);
  result_clear (&result);
  compare (&test);
  case_clear (&test);
  end ();
}

/* Two holes, the second to the right of the first, in a ring; one with an
 * island. */
static void
check_holes (void)
{
  float values[9 * 7];
  Result result;
  Case test;

  begin ("holes");
  for (guint i = 0; i < 9 * 7; i++)
    values[i] = 1.f;
  values[3 * 9 + 1] = -1.f;
  for (guint y = 2; y < 5; y++)
    for (guint x = 4; x < 7; x++)
      values[y * 9 + x] = -1.f;
  values[3 * 9 + 5] = 1.f;
  case_init_given (&test, values, 1, 9, 7, 90, 70);
  test.input.first_id = 100;
  run_first (&test, &result);
  const CsContour *rings = result.output.contours;

  expect (result.output.n_contours == 4, "outer ring, two holes, an island");
  expect (rings[0].id == 100 && rings[0].parent == -1, "outer ring");
  for (guint i = 1; i < 3; i++)
    expect (rings[i].parent == 100 && rings[i].area < 0. &&
        rings[i].flags == (CS_CONTOUR_CLOSED | CS_CONTOUR_HOLE), "hole %u", i);
  expect (rings[3].parent == -1 && rings[3].area > 0., "island");
  result_clear (&result);
  compare (&test);
  /* without what is small */
  test.params.min_area = 100.;
  run_first (&test, &result);
  expect (result.output.n_contours == 2 && result.output.n_dropped == 2,
      "small rings are dropped");
  result_clear (&result);
  compare (&test);
  test.params.min_area = 1e6;
  run_first (&test, &result);
  expect (result.output.n_contours == 0 && result.output.n_dropped == 4,
      "all rings are dropped");
  result_clear (&result);
  compare (&test);
  case_clear (&test);
  end ();
}

/* A saddle between corners of 3 and -1 is above 0, of 1 and -3 below: one ring
 * or two. */
static void
check_saddle (void)
{
  const float high[] = { 3.f, -1.f, -1.f, 3.f }, low[] = { 1.f, -3.f, -3.f, 1.f };
  const float ties[] = { 1.f, -1.f, -1.f, 1.f };
  const float *all[] = { high, low, ties };

  begin ("saddles");
  for (guint i = 0; i < 3; i++) {
    Result result;
    Case test;

    case_init_given (&test, all[i], 1, 2, 2, 40, 40);
    run_first (&test, &result);
    expect (result.output.n_contours == (i == 0 ? 1 : 2), "saddle %u", i);
    result_clear (&result);
    compare (&test);
    case_clear (&test);
  }
  end ();
}

/* More segments than fit shared memory, and than plans begin with. */
static void
check_large (void)
{
  const guint n = 3, side = 120;
  g_autofree float *values = g_new (float, n * side * side);
  guint64 state = 5;
  Case test;

  begin ("noise");
  for (guint i = 0; i < n * side * side; i++)
    values[i] = (float) random_unit (&state) - .5f;
  case_init_given (&test, values, n, side, side, 1000, 1000);
  compare (&test);
  test.params.tolerance = .001;
  test.params.measures = CS_MEASURES_FULL;
  compare (&test);
  case_clear (&test);
  end ();
}

static void
check_photograph (void)
{
  double area;
  Case test;

  begin ("a photograph");
  case_init_photograph (&test, 92, &area);
  compare (&test);
  case_clear (&test);
  end ();
}

/* --- Errors --------------------------------------------------------------- */

static void
expect_refused (const Case * test, const gchar * what)
{
  for (guint i = 0; i < n_runners; i++) {
    GError *error = NULL;
    Result result;

    result_init (&result, is_cuda (&runners[i]));
    result.output.n_contours = 7;
    expect (!run (&runners[i], test, &result, &error) && error,
        "%s: %s", runners[i].name, what);
    expect (result.output.n_contours == 0, "%s: no contours", what);
    g_clear_error (&error);
    result_clear (&result);
  }
}

static void
check_errors (void)
{
  const float values[] = { 1.f, 1.f, 1.f, 1.f };
  Case test, valid;
  CsInstance one;

  begin ("errors");
  case_init_given (&valid, values, 1, 2, 2, 10, 10);
  one = valid.instances[0];
  compare (&valid);
#define REFUSED(what) \
  expect_refused (&test, what); \
  valid.instances[0] = one; \
  test = valid
  test = valid;
  test.input.fields.type = CS_SAMPLE_F64;
  REFUSED ("doubles");
  test.input.fields.row_stride = 7;
  REFUSED ("a stride of half samples");
  test.input.fields.width = 0;
  REFUSED ("no columns");
  test.input.width = 0;
  REFUSED ("no picture");
  test.input.resized_width = 5;
  REFUSED ("a size of 5 x 0");
  test.input.grid_width = 3;
  REFUSED ("more samples than there are");
  test.input.resized_width = test.input.resized_height = 40000;
  REFUSED ("a side of 40000");
  valid.instances[0].field = 1;
  REFUSED ("a field that is not there");
  valid.instances[0].x0 = NAN;
  REFUSED ("a box of NaN");
  valid.instances[0].step_x = 0.;
  REFUSED ("a step of 0");
  valid.instances[0].origin_y = INFINITY;
  REFUSED ("an infinite origin");
  test.input.first_id = G_MAXINT32;
  REFUSED ("ids beyond the last");
#undef REFUSED
  compare (&valid);
  case_clear (&valid);
  end ();
}

static void
check_params (void)
{
  CsInstancesParams params;

  for (guint i = 0; i < 4; i++) {
    CsExecutor *executor = cs_executor_new_cpu (1);
    GError *error = NULL;

    cs_instances_params_init (&params);
    if (i == 0)
      params.level = NAN;
    else if (i == 1)
      params.tolerance = 0.;
    else if (i == 2)
      params.min_area = -1.;
    else
      params.measures = 7;
    check_that (!cs_instances_new (&params, executor, &error) && error,
        "parameters %u are refused", i);
    g_clear_error (&error);
    cs_executor_free (executor);
  }
}

/* More objects than a warp has lanes, each the sum of many prototypes. */
static void
check_many (void)
{
  enum
  {
    N_OBJECTS = 100, N_PROTOTYPES = 80, SIDE = 5
  };
  float values[N_PROTOTYPES * SIDE * SIDE], factors[N_OBJECTS * N_PROTOTYPES];
  guint64 state = 5;
  Case test;

  begin ("many objects of many prototypes");
  for (guint i = 0; i < G_N_ELEMENTS (values); i++)
    values[i] = (float) (random_unit (&state) - .5);
  for (guint i = 0; i < G_N_ELEMENTS (factors); i++)
    factors[i] = (float) (random_unit (&state) - .5);
  case_init_given (&test, values, N_PROTOTYPES, SIDE, SIDE, 50, 40);
  g_free (test.instances);
  test.instances = g_new (CsInstance, N_OBJECTS);
  for (guint i = 0; i < N_OBJECTS; i++)
    test.instances[i] = (CsInstance) { i, (gint32) i, random_unit (&state) * 20.,
      random_unit (&state) * 20., 30. + random_unit (&state) * 20., 40.,
      4.5, 3.5, 10., 8.
    };
  test.input.instances = test.instances;
  test.input.n_instances = N_OBJECTS;
  test.factors = g_memdup2 (factors, sizeof (factors));
  test.factors_size = sizeof (factors);
  test.coefficients = cs_image_gray (test.factors, CS_SAMPLE_F32, N_PROTOTYPES,
      N_OBJECTS, N_PROTOTYPES * sizeof (float));
  test.input.coefficients = &test.coefficients;
  compare (&test);
  test.params.min_area = 100.;
  compare (&test);
  case_clear (&test);
  end ();
}

/* After a warm-up frames of that size allocate nothing more. */
static void
check_warm (void)
{
  double area;
  Case test;

  begin ("a plan that is warm");
  case_init_photograph (&test, 20, &area);
  for (guint i = 0; i < n_runners; i++) {
    GError *error = NULL;

    expect (cs_instances_warm_up (runners[i].plan, &test.input, &error),
        "%s", runners[i].name);
  }
  compare (&test);
  case_clear (&test);
  end ();
}

/* --- All ------------------------------------------------------------------ */

static int
check_all (gboolean brief, guint n_cases, guint64 seed)
{
  const gint *way_flags = cs_instances_ways;

  check_half ();
  check_box ();
  check_zeros ();
  check_holes ();
  check_saddle ();
  check_errors ();
  check_params ();
  check_warm ();
  check_random (n_cases, seed);
  check_large ();
  /* has room for as many segments as check_large() needs */
  check_many ();
  if (!brief)
    check_photograph ();
  const gboolean on_cpu = !is_cuda (&runners[0]);
  const gboolean on_cuda = is_cuda (&runners[n_runners - 1]);
  CheckWay cpu[] = { CS_INSTANCES_CPU_WAYS (CHECK_WAY) };
  CheckWay cuda[] = { CS_INSTANCES_CUDA_WAYS (CHECK_WAY) };

  if (on_cpu)
    check_ways ("the CPU", cpu, G_N_ELEMENTS (cpu));
  if (on_cuda && n_runners > 1)
    check_ways ("the GPU", cuda, G_N_ELEMENTS (cuda));
  for (guint i = 0; i < n_runners; i++)
    cs_instances_free (runners[i].plan);
  return finish ();
}

int
main (int argc, char **argv)
{
  Device device = { "", NULL };
  CheckOptions options;
  int status;

  if (!check_options_parse (argc, argv, 60, 2000, &options))
    return EXIT_USAGE;
  if (!runners_open (runners, &n_runners, kinds, G_N_ELEMENTS (kinds),
          options.backend, options.brief, &device))
    return EXIT_SKIPPED;
  if (options.measure)
    status = instances_bench (&device);
  else
    status = check_all (options.brief, options.n_cases, options.seed);
  runners_close (runners, n_runners, &device);
  return status;
}
