/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * check-properties [--backend cpu|cuda|both] [--brief] [--bench] [CASES [SEED]]
 *
 * Properties of regions: by hand, errors, and random pictures, against the
 * definitions; every backend and number of threads must give the same bits.
 */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/check_device.h"
#include "../lib/random.h"
#include "../lib/options.h"
#include "../lib/runners.h"
#include "properties/properties_private.h"
#include "properties_bench.h"
#include "properties_cases.h"

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

/* --- Results -------------------------------------------------------------- */

/**
 * Result:
 * @host, @device: what alloc() was asked for
 */
typedef struct
{
  CsPropertiesOutput output;
  void *host, *device;
} Result;

static void *
alloc (void *user_data, gsize size, gboolean host)
{
  Result *result = user_data;

  if (!host)
    return result->device = check_device_alloc (size);
  result->host = g_malloc (size);
  memset (result->host, 0xa5, size);
  return result->host;
}

static void
result_init (Result * result)
{
  *result = (Result) {.output = {.alloc = alloc,.want_host = TRUE} };
  result->output.user_data = result;
}

static void
result_clear (Result * result)
{
  g_free (result->host);
  if (result->device)
    check_device_free (result->device);
}

/* What is on the device is what has been downloaded. */
static gboolean
device_equals (const Result * result)
{
  const CsPropertiesOutput *output = &result->output;
  const gsize size = output->n_regions * 8;

  for (gsize c = 0; output->device_columns && c < output->n_columns; c++) {
    g_autofree guint8 *column = g_malloc (size + 1);

    check_device_copy (column, (const guint8 *) output->device_columns +
        c * output->stride, size);
    if (memcmp (column, (const guint8 *) output->columns + c * output->stride,
            size) != 0)
      return FALSE;
  }
  return TRUE;
}

/* The first column that differs, or the number of columns. */
static gsize
find_difference (const Result * a, const Result * b)
{
  gsize c = 0;

  while (c < a->output.n_columns && memcmp ((const guint8 *) a->output.columns +
          c * a->output.stride, (const guint8 *) b->output.columns +
          c * b->output.stride, a->output.n_regions * 8) == 0)
    c++;
  return c;
}

/* Runs @test where @runner is, by its plan. */
static gboolean
run (Runner * runner, const Case * test, Result * result, GError ** error)
{
  CsLabelsPicture picture = test->picture;

  if (!runner->plan)
    runner->plan = cs_properties_new (&test->params, runner->executor, error);
  else if (!cs_properties_set_params (runner->plan, &test->params, error))
    return FALSE;
  if (!runner->plan)
    return FALSE;
  picture.data = device_place (runner->memory, test->memory, test->size);
  picture.memory = runner->memory;
  const gboolean ok = cs_properties_run (runner->plan, &picture,
      &result->output, error);

  device_displace (runner->memory, picture.data);
  return ok;
}

/* The result of @test on one thread of a new plan. */
static void
run_first (const Case * test, Result * result)
{
  Runner runner = {"first", cs_executor_new_cpu (1), CS_MEMORY_HOST, NULL };
  GError *error = NULL;

  result_init (result);
  if (!run (&runner, test, result, &error))
    g_error ("%s: %s", case_name (), error->message);
  cs_properties_free (runner.plan);
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

    result_init (&result);
    if (!run (&runners[i], test, &result, &error)) {
      expect (FALSE, "%s: %s", runners[i].name, error->message);
      g_error_free (error);
    } else if (result.output.n_regions != first.output.n_regions) {
      expect (FALSE, "%s: %" G_GSIZE_FORMAT " regions, not %" G_GSIZE_FORMAT,
          runners[i].name, result.output.n_regions, first.output.n_regions);
    } else {
      const gsize c = find_difference (&first, &result);

      expect (c == first.output.n_columns, "%s: column %" G_GSIZE_FORMAT
          " of other bits", runners[i].name, c);
      expect (device_equals (&result), "%s: others on the GPU",
          runners[i].name);
    }
    result_clear (&result);
  }
  result_clear (&first);
}

/* --- Definitions ---------------------------------------------------------- */

static double
value_of (const Result * result, gsize column, gsize region, gboolean integer)
{
  const guint8 *at = (const guint8 *) result->output.columns +
      column * result->output.stride + 8 * region;

  return integer ? (double) *(const gint64 *) (gconstpointer) at :
      *(const double *) (gconstpointer) at;
}

/* Sizes of what is subtracted to make a number, for how much of it is rounded. */
static double
size_of (guint property, guint k, const double *expected, const guint *firsts)
{
  const double *m = expected + firsts[CS_PROPERTY_MOMENTS_CENTRAL];
  const double large = expected[firsts[CS_PROPERTY_INERTIA_TENSOR_EIGVALS]];
  const double *nu = expected + firsts[CS_PROPERTY_MOMENTS_NORMALIZED];
  const guint i = k / 4, j = k % 4;
  const double scale = sqrt (large) + 1.;

  switch (property) {
    case CS_PROPERTY_AXIS_MINOR_LENGTH:
      /* the root of what is rounded */
      return 1e7 * sqrt (large);
    case CS_PROPERTY_ECCENTRICITY:
      return 1e7;
    case CS_PROPERTY_INERTIA_TENSOR:
    case CS_PROPERTY_INERTIA_TENSOR_EIGVALS:
      return large;
    case CS_PROPERTY_MOMENTS_CENTRAL:
      return m[0] * pow (scale * 4., i + j);
    case CS_PROPERTY_MOMENTS_NORMALIZED:
      return pow (4. * scale, i + j) / pow (m[0], (i + j) / 2.);
    case CS_PROPERTY_MOMENTS_HU:
      return pow (1. + fabs (nu[8] + nu[2]), 8.) * 10.;
    default:
      return 0.;
  }
}

/* The angle is undefined where the ellipse is nearly a circle, and its sign
 * where it lies along an axis. */
static gboolean
is_near (guint property, guint k, double got, const double *expected,
    const guint *firsts)
{
  const double want = expected[firsts[property] + k];
  const double *tensor = expected + firsts[CS_PROPERTY_INERTIA_TENSOR];
  const double *eigenvalues = expected +
      firsts[CS_PROPERTY_INERTIA_TENSOR_EIGVALS];

  if (isnan (want))
    return isnan (got);
  if (property == CS_PROPERTY_ORIENTATION) {
    if (eigenvalues[0] - eigenvalues[1] <= 1e-9 * eigenvalues[0])
      return fabs (fabs (got) - G_PI / 4.) < 1e-9;
    if (fabs (tensor[1]) < 1e-9 * eigenvalues[0])
      return fabs (fabs (got) - fabs (want)) < 1e-7;
  }
  if (cs_property_is_integer (property))
    return got == want;
  return fabs (got - want) <= 1e-12 * (fabs (want) + size_of (property, k,
          expected, firsts));
}

/* The result is what the definitions say. */
static void
compare_with_definitions (const Case * test)
{
  Expected expected;
  Result result;
  guint firsts[CS_N_PROPERTIES];
  gsize column = 0;

  run_first (test, &result);
  expected_init (&expected, test);
  expect (result.output.n_regions == expected.n_regions, "%" G_GSIZE_FORMAT
      " regions, not %" G_GSIZE_FORMAT, result.output.n_regions,
      expected.n_regions);
  for (guint p = 0, at = 0; p < CS_N_PROPERTIES; p++) {
    firsts[p] = at;
    at += cs_property_get_n_columns (p);
  }
  for (guint p = 0; p < CS_N_PROPERTIES &&
      result.output.n_regions == expected.n_regions; p++) {
    if (!(test->params.wanted & CS_PROPERTY_BIT (p)))
      continue;
    for (guint k = 0; k < cs_property_get_n_columns (p); k++, column++)
      for (gsize i = 0; i < expected.n_regions; i++) {
        const double *want = expected.values + i * expected.n_columns;
        const double got = value_of (&result, column, i,
            cs_property_is_integer (p));

        expect (is_near (p, k, got, want, firsts), "property %u.%u of label %g is "
            "%.17g, not %.17g", p, k, want[0], got, want[firsts[p] + k]);
      }
  }
  expected_clear (&expected);
  result_clear (&result);
}

static void
check_random (guint n_cases, guint64 seed, gboolean definitions)
{
  for (guint i = 0; i < n_cases; i++) {
    guint64 state = seed * 1000003 + i;
    Case test;

    begin ("random case %u of seed %" G_GUINT64_FORMAT, i, seed);
    case_init_random (&test, &state);
    compare (&test);
    if (definitions)
      compare_with_definitions (&test);
    case_clear (&test);
    end ();
  }
}

/* --- By hand -------------------------------------------------------------- */

static void
expect_number (const Result * result, guint property, guint k, double want)
{
  const guint8 *columns = result->output.columns;
  gsize column = k;

  for (guint p = 0; p < property; p++)
    column += cs_property_get_n_columns (p);
  const double got = value_of (result, column, 0, cs_property_is_integer
      (property));

  expect (columns && fabs (got - want) < 1e-12, "property %u.%u is %.17g, not "
      "%.17g", property, k, got, want);
}

/* An L of five pixels. */
static void
check_corner (void)
{
  const gsize pixels[] = { 11, 21, 31, 32, 33 };
  Result result;
  Case test;

  begin ("an L");
  case_init (&test, 10, 6, 2, FALSE);
  for (guint i = 0; i < G_N_ELEMENTS (pixels); i++)
    test.labels[pixels[i]] = 700;
  case_pack (&test);
  run_first (&test, &result);
  expect (result.output.n_regions == 1, "one region");
  expect_number (&result, CS_PROPERTY_LABEL, 0, 700.);
  expect_number (&result, CS_PROPERTY_BBOX, 0, 1.);
  expect_number (&result, CS_PROPERTY_BBOX, 1, 1.);
  expect_number (&result, CS_PROPERTY_BBOX, 2, 4.);
  expect_number (&result, CS_PROPERTY_BBOX, 3, 4.);
  expect_number (&result, CS_PROPERTY_NUM_PIXELS, 0, 5.);
  expect_number (&result, CS_PROPERTY_EULER_NUMBER, 0, 1.);
  expect_number (&result, CS_PROPERTY_AREA_CONVEX, 0, 6.);
  expect_number (&result, CS_PROPERTY_CENTROID, 0, 12. / 5.);
  expect_number (&result, CS_PROPERTY_CENTROID, 1, 8. / 5.);
  /* from (1, .5) to (3, 3.5), row and column */
  expect_number (&result, CS_PROPERTY_FERET_DIAMETER_MAX, 0, sqrt (13.));
  expect_number (&result, CS_PROPERTY_ORIENTATION, 0, G_PI / 4.);
  expect_number (&result, CS_PROPERTY_MOMENTS, 4, 7.);
  compare (&test);
  result_clear (&result);
  case_clear (&test);
  end ();
}

/* A ring of pixels, and one in it that touches at corners. */
static void
check_ring (void)
{
  Result result;
  Case test;

  begin ("a ring");
  case_init (&test, 5, 5, 1, TRUE);
  for (guint i = 0; i < 25; i++)
    test.labels[i] = i % 5 == 0 || i % 5 == 4 || i / 5 == 0 || i / 5 == 4;
  case_pack (&test);
  run_first (&test, &result);
  expect_number (&result, CS_PROPERTY_EULER_NUMBER, 0, 0.);
  expect_number (&result, CS_PROPERTY_PERIMETER, 0, 16.);
  expect_number (&result, CS_PROPERTY_AREA_CONVEX, 0, 25.);
  expect_number (&result, CS_PROPERTY_FERET_DIAMETER_MAX, 0, sqrt (41.));
  expect_number (&result, CS_PROPERTY_SOLIDITY, 0, 16. / 25.);
  expect_number (&result, CS_PROPERTY_ECCENTRICITY, 0, 0.);
  result_clear (&result);
  test.labels[6] = 1;
  case_pack (&test);
  run_first (&test, &result);
  expect_number (&result, CS_PROPERTY_EULER_NUMBER, 0, 0.);
  compare (&test);
  result_clear (&result);
  case_clear (&test);
  end ();
}

/* One label everywhere, many bands, words without a border. */
static void
check_full (gboolean brief)
{
  const guint side = brief ? 200 : 1000;
  Result result;
  Case test;

  begin ("one label everywhere");
  case_init (&test, side, side, 4, TRUE);
  for (guint i = 0; i < side * side; i++)
    test.labels[i] = CS_LABELS_MAX;
  case_pack (&test);
  run_first (&test, &result);
  expect_number (&result, CS_PROPERTY_LABEL, 0, CS_LABELS_MAX);
  expect_number (&result, CS_PROPERTY_AREA_CONVEX, 0, (double) side * side);
  expect_number (&result, CS_PROPERTY_PERIMETER, 0, 4. * (side - 1));
  expect_number (&result, CS_PROPERTY_CENTROID, 0, (side - 1) / 2.);
  expect_number (&result, CS_PROPERTY_FERET_DIAMETER_MAX, 0,
      hypot (side, side - 1));
  compare (&test);
  result_clear (&result);
  case_clear (&test);
  end ();
}

/* A large disk, with a bite taken. */
static void
check_disk (gboolean brief)
{
  const gint side = brief ? 150 : 700;
  Case test;

  begin ("a disk");
  case_init (&test, side, side, 1, FALSE);
  for (gint y = 0; y < side; y++)
    for (gint x = 0; x < side; x++) {
      const gint dx = 2 * x - side, dy = 2 * y - side;

      test.labels[y * side + x] = dx * dx + dy * dy < side * side && !(dy > 0 &&
          abs (dx) < dy / 3) ? 3 : (x * y) % 7 == 0;
    }
  case_pack (&test);
  compare (&test);
  case_clear (&test);
  end ();
}

/* Nothing, and no pixels. */
static void
check_nothing (void)
{
  begin ("no regions");
  for (guint i = 0; i < 3; i++) {
    Result result;
    Case test;

    case_init (&test, i == 1 ? 0 : 70, i == 2 ? 0 : 3, 8, TRUE);
    if (i == 0)
      test.labels[5] = -1;
    case_pack (&test);
    run_first (&test, &result);
    expect (result.output.n_regions == 0, "none");
    compare (&test);
    result_clear (&result);
    case_clear (&test);
  }
  end ();
}

/* A picture as wide or as high as it may be. */
static void
check_long (void)
{
  for (guint i = 0; i < 2; i++) {
    const guint width = i ? 2 : CS_PROPERTIES_MAX_SIDE;
    const guint height = i ? CS_PROPERTIES_MAX_SIDE : 2;
    Case test;

    begin ("%u x %u labels", width, height);
    case_init (&test, width, height, 1, FALSE);
    for (guint k = 0; k < width * height; k++)
      test.labels[k] = k % 1001 ? 1 : 2;
    case_pack (&test);
    compare (&test);
    case_clear (&test);
    end ();
  }
}

/* --- Errors --------------------------------------------------------------- */

static void
expect_refused (const Case * test, CsError code, const gchar * what)
{
  for (guint i = 0; i < n_runners; i++) {
    GError *error = NULL;
    Result result;

    result_init (&result);
    result.output.n_regions = 7;
    expect (!run (&runners[i], test, &result, &error) &&
        g_error_matches (error, CS_ERROR, code), "%s: %s", runners[i].name,
        what);
    /* a plan that refuses parameters has not run */
    expect (result.output.n_regions == (test->params.wanted == CASE_ALL &&
            test->params.row_spacing == 1. ? 0 : 7),
        "%s: no regions", what);
    g_clear_error (&error);
    result_clear (&result);
  }
}

static void
check_errors (void)
{
  const gint64 large[] = { (gint64) CS_LABELS_MAX + 1, G_MAXUINT32, G_MAXINT64 };
  Case test, valid;

  begin ("errors");
  case_init (&valid, 70, 9, 8, TRUE);
  valid.labels[123] = 5;
  for (guint i = 0; i < G_N_ELEMENTS (large); i++) {
    valid.labels[200] = large[i];
    case_pack (&valid);
    expect_refused (&valid, CS_ERROR_LIMIT, "a large label");
  }
  valid.labels[200] = 0;
  case_pack (&valid);
  test = valid;
#define REFUSED(code, what) \
  expect_refused (&test, code, what); \
  test = valid
  test.picture.size = 3;
  REFUSED (CS_ERROR_INVALID, "labels of 3 bytes");
  test.picture.row_stride = 7;
  REFUSED (CS_ERROR_INVALID, "a stride of half labels");
  test.picture.width = CS_PROPERTIES_MAX_SIDE + 1;
  REFUSED (CS_ERROR_LIMIT, "a side that is too long");
  test.picture.width = test.picture.height = 1u << 16;
  REFUSED (CS_ERROR_LIMIT, "too many labels");
  test.params.wanted = 0;
  REFUSED (CS_ERROR_INVALID, "no property");
  test.params.wanted = CS_PROPERTY_BIT (CS_N_PROPERTIES);
  REFUSED (CS_ERROR_INVALID, "an unknown property");
  test.params.row_spacing = 0.;
  REFUSED (CS_ERROR_INVALID, "no spacing");
  test.params.column_spacing = test.params.row_spacing = NAN;
  REFUSED (CS_ERROR_INVALID, "spacing that is not a number");
  test.params.wanted = CS_PROPERTY_BIT (CS_PROPERTY_PERIMETER);
  test.params.row_spacing = 2.;
  REFUSED (CS_ERROR_INVALID, "a perimeter with different spacing");
  test.params.wanted = CS_PROPERTY_BIT (CS_PROPERTY_MOMENTS_HU);
  test.params.row_spacing = test.params.column_spacing = 2.;
  REFUSED (CS_ERROR_INVALID, "Hu's moments with spacing");
#undef REFUSED
  compare (&valid);
  case_clear (&valid);
  end ();
}

/* A plan that is warm. */
static void
check_warm (void)
{
  guint64 state = 77;
  Case test;

  begin ("a plan that is warm");
  case_init_random (&test, &state);
  for (guint i = 0; i < n_runners; i++) {
    CsLabelsPicture picture = test.picture;
    GError *error = NULL;

    picture.memory = runners[i].memory;
    expect (cs_properties_warm_up (runners[i].plan, &picture, &error), "%s",
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
  const gint *way_flags = cs_properties_ways;
  const gboolean on_cpu = !is_cuda (&runners[0]);
  const gboolean on_cuda = is_cuda (&runners[n_runners - 1]);

  check_corner ();
  check_ring ();
  check_nothing ();
  check_errors ();
  check_warm ();
  check_random (n_cases, seed, on_cpu);
  check_full (brief);
  check_disk (brief);
  if (!brief)
    check_long ();
  CheckWay cpu[] = { CS_PROPERTIES_CPU_WAYS (CHECK_WAY) };
  CheckWay cuda[] = { CS_PROPERTIES_CUDA_WAYS (CHECK_WAY) };

  if (on_cpu)
    check_ways ("the CPU", cpu, G_N_ELEMENTS (cpu));
  if (on_cuda && !brief)
    check_ways ("the GPU", cuda, G_N_ELEMENTS (cuda));
  for (guint i = 0; i < n_runners; i++)
    cs_properties_free (runners[i].plan);
  return finish ();
}

int
main (int argc, char **argv)
{
  Device device = { "", NULL };
  CheckOptions options;
  int status;

  if (!check_options_parse (argc, argv, 60, 1000, &options))
    return EXIT_USAGE;
  if (!runners_open (runners, &n_runners, kinds, G_N_ELEMENTS (kinds),
          options.backend, options.brief, &device))
    return EXIT_SKIPPED;
  if (options.measure)
    status = properties_bench (&device);
  else
    status = check_all (options.brief, options.n_cases, options.seed);
  runners_close (runners, n_runners, &device);
  return status;
}
