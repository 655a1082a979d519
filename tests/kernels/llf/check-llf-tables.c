/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the tables that a process shares, and the noise guard:
 * check-llf-tables [shipped]    shipped: the build has made the presets' tables
 * check-llf-tables --noise      how much noise is amplified, for the manual */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "../lib/check.h"
#include "llf/llf_cache.h"
#include "llf/llf_private.h"
#include "llf_images.h"
#include "llf_oracle.h"

#define SIDE 192

/**
 * Preset:
 *
 * What gst/presets/GstCudaLlf.prs says; the defaults have no name.
 */
typedef struct
{
  const char *name;
  double sigma, alpha, beta, guard;
  CsLlfQuality quality;
} Preset;

static const Preset presets[] = {
  {"the defaults", .2, .5, 1, -1, CS_LLF_NORMAL},
  {"Detail", .15, .6, 1, -1, CS_LLF_NORMAL},
  {"Clarity", .35, .7, 1, -1, CS_LLF_NORMAL},
  {"Smooth", .08, 3, 1, -1, CS_LLF_NORMAL},
  {"Compress", .2, .7, .5, -1, CS_LLF_NORMAL},
  {"CleanDetail", .2, .5, 1, .03, CS_LLF_HIGH},
};

static CsLlfParams
preset_params (const Preset * preset, guint depth, gboolean limited)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.sigma = preset->sigma;
  params.alpha = preset->alpha;
  params.beta = preset->beta;
  params.noise_guard = preset->guard;
  params.quality = preset->quality;
  params.depth = depth;
  params.limited_range = limited;
  return params;
}

static gboolean
same_floats (const float *a, const float *b, gsize n)
{
  return memcmp (a, b, n * sizeof (float)) == 0;
}

static void
expect_same_table (const CsLlfTable * a, const CsLlfTable * b)
{
  const gsize r = b->stride, n = b->n_codes, nodes = CS_LLF_NODES + 2;

  expect (a->n_codes == n && a->rank == b->rank && a->stride == r &&
      a->params.depth == b->params.depth, "sizes %u %u %u, depth %u",
      a->n_codes, a->rank, a->stride, a->params.depth);
  if (case_has_failed ())
    return;
  expect (same_floats (a->u, b->u, n * r), "u");
  expect (same_floats (a->v, b->v, nodes * r), "v");
  expect (same_floats (a->v0, b->v0, nodes), "v0");
  expect (same_floats (a->code_v, b->code_v, n * r), "code_v");
  expect (same_floats (a->code_v0, b->code_v0, n), "code_v0");
  expect (same_floats (a->code_d, b->code_d, n), "code_d");
  expect (a->spread == b->spread && a->code_spread == b->code_spread,
      "spreads %g %g, not %g %g", a->spread, a->code_spread, b->spread,
      b->code_spread);
}

/* The tables that come with the build have the bits of computed ones, and cost
 * no computation. */
static void
test_shipped (void)
{
  static const guint depths[] = { 8, 10, 16 };

  for (guint i = 0; i < G_N_ELEMENTS (presets); i++) {
    for (guint d = 0; d < G_N_ELEMENTS (depths); d++) {
      for (guint limited = 0; limited < 2; limited++) {
        const CsLlfParams params = preset_params (&presets[i], depths[d],
            limited);
        const guint n = cs_llf_cache_get_n_computed ();
        CsLlfTable *table = cs_llf_cache_find (&params), *fresh;

        begin ("the table of %s, %u bits%s", presets[i].name, depths[d],
            limited ? ", limited range" : "");
        expect (table != NULL, "is not there");
        expect (cs_llf_cache_get_n_computed () == n, "was computed");
        if (table) {
          fresh = cs_llf_table_new (&params, NULL);
          expect_same_table (table, fresh);
          cs_llf_table_unref (fresh);
          cs_llf_table_unref (table);
        }
        end ();
      }
    }
  }
}

static CsLlfParams
cheap_params (void)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.quality = CS_LLF_SAMPLED;
  params.intensity_levels = 4;
  return params;
}

/* Whether both are the same object. */
static gboolean
is_shared (const CsLlfParams * a, const CsLlfParams * b)
{
  g_autoptr (CsLlfTable) x = cs_llf_cache_get (a, NULL);
  g_autoptr (CsLlfTable) y = cs_llf_cache_get (b, NULL);
  return x && x == y;
}

static void
test_sharing (void)
{
  const CsLlfParams base = cheap_params ();
  CsLlfParams other;

  begin ("the same table is shared, another one is not");
  expect (is_shared (&base, &base), "the same parameters");
#define CHECK_OTHER(field, value, shared) \
  other = base; \
  other.field = value; \
  expect (is_shared (&base, &other) == shared, #field " = " #value)
  /* the rank is of no matter for samples, 0 is the guard of the smooth curve */
  CHECK_OTHER (rank, 7, TRUE);
  CHECK_OTHER (noise_guard, 0, TRUE);
  CHECK_OTHER (noise_guard, .02, FALSE);
  CHECK_OTHER (sigma, .3, FALSE);
  CHECK_OTHER (alpha, .4, FALSE);
  CHECK_OTHER (beta, .9, FALSE);
  CHECK_OTHER (curve, CS_LLF_POWER, FALSE);
  CHECK_OTHER (depth, 9, FALSE);
  CHECK_OTHER (limited_range, TRUE, FALSE);
  CHECK_OTHER (intensity_levels, 5, FALSE);
  CHECK_OTHER (quality, CS_LLF_EXACT, FALSE);
  end ();
}

/* The one used last stays, the oldest goes. */
static void
test_bound (void)
{
  CsLlfParams params = cheap_params ();
  const CsLlfParams first = params;
  CsLlfTable *table;
  guint n;

  begin ("at most %u tables are kept", CS_LLF_MAX_KEPT);
  cs_llf_table_unref (cs_llf_cache_get (&first, NULL));
  for (guint i = 0; i < 3 * CS_LLF_MAX_KEPT; i++) {
    params.sigma = 1 + i / 128.;
    cs_llf_table_unref (cs_llf_cache_get (&params, NULL));
    table = i < 2 * CS_LLF_MAX_KEPT ? cs_llf_cache_find (&first) : NULL;
    expect (table || i >= 2 * CS_LLF_MAX_KEPT, "lost after %u others", i);
    g_clear_pointer (&table, cs_llf_table_unref);
  }
  expect (cs_llf_cache_find (&first) == NULL, "still there");
  for (guint i = n = 0; i < 3 * CS_LLF_MAX_KEPT; i++) {
    params.sigma = 1 + i / 128.;
    table = cs_llf_cache_find (&params);
    n += table != NULL;
    g_clear_pointer (&table, cs_llf_table_unref);
  }
  expect (n == CS_LLF_MAX_KEPT, "%u are there", n);
  end ();
}

/* Where nothing changes there is nothing to compute. */
static void
test_simple (void)
{
  static const double cases[][2] = { {1, 1}, {2, 1}, {1, 2}, {2, 2} };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    CsLlfParams params = cheap_params ();
    const guint n = cs_llf_cache_get_n_computed ();

    params.alpha = cases[i][0];
    params.beta = cases[i][1];
    begin ("alpha %g, beta %g", params.alpha, params.beta);
    CsLlfTable *table = cs_llf_cache_find (&params);
    expect ((table != NULL) == (i == 0), "%s", table ? "found" : "not found");
    g_clear_pointer (&table, cs_llf_table_unref);
    table = cs_llf_cache_get (&params, NULL);
    expect (table && cs_llf_cache_get_n_computed () - n == (i > 0),
        "computed %u times", cs_llf_cache_get_n_computed () - n);
    g_clear_pointer (&table, cs_llf_table_unref);
    end ();
  }
}

static gpointer
get_table (gpointer data)
{
  return cs_llf_cache_get (data, NULL);
}

/* Threads that want one table at the same time compute it once. */
static void
test_threads (void)
{
  CsLlfParams params;
  GThread *threads[8];
  CsLlfTable *tables[8];
  guint i, n = cs_llf_cache_get_n_computed ();

  cs_llf_params_init (&params);
  params.sigma = .1234;
  begin ("eight threads, one table");
  for (i = 0; i < 8; i++)
    threads[i] = g_thread_new ("get", get_table, &params);
  for (i = 0; i < 8; i++)
    tables[i] = g_thread_join (threads[i]);
  for (i = 0; i < 8; i++) {
    expect (tables[i] && tables[i] == tables[0], "thread %u has another", i);
    cs_llf_table_unref (tables[i]);
  }
  n = cs_llf_cache_get_n_computed () - n;
  expect (n == 1, "computed %u times", n);
  end ();
}

static void
test_errors (void)
{
  CsLlfParams params = cheap_params ();
  GError *error = NULL;

  begin ("a table that cannot be");
  params.sigma = -1;
  expect (!cs_llf_cache_find (&params), "found");
  expect (!cs_llf_cache_get (&params, &error) &&
      g_error_matches (error, CS_ERROR, CS_ERROR_INVALID), "no error");
  g_clear_error (&error);
  expect (!cs_llf_cache_get (&params, &error) && error, "no error again");
  g_clear_error (&error);
  params.sigma = .2;
  params.noise_guard = .3;
  expect (!cs_llf_cache_get (&params, &error) && error, "guard of .3");
  g_clear_error (&error);
  end ();
}

/* Noise guard */

static void
expect_near (const char *what, double got, double want)
{
  expect (fabs (got - want) < 1e-12, "%s: %.15g, not %.15g", what, got, want);
}

/* The oracle by hand: with y = .5 between guard and twice the guard the step is
 * .25 * 2.25. */
static void
test_guard_by_hand (void)
{
  CsLlfParams params;

  begin ("the guard by hand");
  cs_llf_params_init (&params);
  params.noise_guard = .04;
  expect_near ("below", llf_oracle_remap (&params, .53, .5), .53);
  double x = .06;
  double full = x * (1 + exp (-x * x / (2 * .2 * .2)));
  expect_near ("between", llf_oracle_remap (&params, .5 - x, .5),
      .5 - (.5625 * full + .4375 * x));
  x = .09;
  full = x * (1 + exp (-x * x / (2 * .2 * .2)));
  expect_near ("above", llf_oracle_remap (&params, .5 + x, .5), .5 + full);
  params.noise_guard = 0;
  params.curve = CS_LLF_POWER;
  expect_near ("power without", llf_oracle_remap (&params, .5 + .002, .5),
      .5 + .2 * sqrt (.01));
  params.noise_guard = -1;
  expect_near ("power's own", llf_oracle_remap (&params, .5 + .002, .5), .502);
  params.alpha = 2;
  params.noise_guard = .04;
  expect_near ("smoothing", llf_oracle_remap (&params, .5 + .02, .5),
      .5 + .2 * .01);
  end ();
}

static float *
run_codes (const CsLlfParams * params, const guint16 * codes, guint w, guint h)
{
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (2);
  g_autoptr (CsLlfTable) table = cs_llf_cache_get (params, NULL);
  g_autoptr (CsLlf) plan = cs_llf_new (table, executor, NULL);
  const CsLlfSettings settings = {.amount = 1 };
  g_autofree float *values = g_new (float, w * h);
  float *out = g_new (float, w * h);
  const CsLlfFrame frame = llf_frame (values, CS_SAMPLE_F32, w, h, out);

  for (guint i = 0; i < w * h; i++)
    values[i] = codes[i] / 255.f;
  expect (cs_llf_run (plan, &frame, &settings, NULL), "run");
  return out;
}

/* Both curves with guards, exactly, and close with factors. @least: PSNR */
static void
check_guard (CsLlfCurve curve, CsLlfQuality quality, double guard,
    gboolean limited, double least)
{
  const guint w = 96, h = 71;
  g_autofree guint16 *codes = llf_codes_new (LLF_NATURAL, w, h, 255);
  g_autofree double *want = g_new (double, w * h);
  double sum = 0, most = 0, psnr;
  const CsLlfSettings settings = {.amount = 1 };
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.curve = curve;
  params.quality = quality;
  params.noise_guard = guard;
  params.limited_range = limited;
  begin ("%s with a guard of %g, quality %d",
      curve == CS_LLF_SMOOTH ? "smooth" : "power", guard, quality);
  llf_oracle_exact (&params, codes, w, h, 256, &settings, want);
  g_autofree float *got = run_codes (&params, codes, w, h);
  for (guint i = 0; i < w * h; i++) {
    const double error = got[i] * 255. - want[i];

    sum += error * error;
    most = fmax (most, fabs (error));
  }
  psnr = 10 * log10 (255. * 255 * w * h / sum);
  printf ("  PSNR %.1f dB, most %.2f codes\n", psnr, most);
  expect (psnr >= least, "PSNR %.1f dB", psnr);
  end ();
}

/* Gray with noise of a normal distribution and deviation @sd, in codes. */
static guint16 *
noise_new (double sd)
{
  guint16 *codes = g_new (guint16, SIDE * SIDE);
  g_autoptr (GRand) rand = g_rand_new_with_seed (1);

  for (guint i = 0; i < SIDE * SIDE; i++) {
    const double u = 1 - g_rand_double (rand), v = g_rand_double (rand);

    codes[i] = CLAMP (128 + sd * sqrt (-2 * log (u)) * cos (2 * G_PI * v), 0,
        255) + .5;
  }
  return codes;
}

/* Deviation in codes, without the borders. */
static double
deviation (const float *values)
{
  double sum = 0, squares = 0;
  guint x, y, n = 0;

  for (y = 24; y < SIDE - 24; y++)
    for (x = 24; x < SIDE - 24; x++, n++) {
      const double value = values[y * SIDE + x] * 255.;

      sum += value;
      squares += value * value;
    }
  return sqrt (squares / n - sum / n * (sum / n));
}

static double
noise_after (CsLlfParams params, double guard, double sd)
{
  g_autofree guint16 *codes = noise_new (sd);

  params.noise_guard = guard;
  g_autofree float *out = run_codes (&params, codes, SIDE, SIDE);
  return deviation (out);
}

/* Without a guard noise doubles; with one of three times its deviation it is
 * nearly as it was, exactly and with factors. */
static void
test_noise (void)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.quality = CS_LLF_HIGH;
  begin ("noise of deviation 4");
  double before = noise_after (params, .25, 4);
  double none = noise_after (params, 0, 4);
  double high = noise_after (params, .047, 4);
  params.quality = CS_LLF_EXACT;
  double exact = noise_after (params, .047, 4);
  printf ("  %.2f becomes %.2f, guarded %.2f, exactly %.2f\n", before, none,
      high, exact);
  expect (none > 1.9 * before, "%.2f becomes %.2f without a guard", before,
      none);
  expect (exact < 1.08 * before, "%.2f becomes %.2f with one", before, exact);
  expect (high < 1.08 * before, "%.2f becomes %.2f with factors", before, high);
  end ();
}

static void
print_noise (void)
{
  static const double guards[] = { 0, .01, .02, .03, .04, .06 };
  static const double sds[] = { 1, 2, 4, 8 };

  for (guint curve = 0; curve < 2; curve++) {
    for (guint q = CS_LLF_NORMAL; q <= CS_LLF_EXACT; q++) {
      for (guint g = 0; g < G_N_ELEMENTS (guards); g++) {
        CsLlfParams params;

        cs_llf_params_init (&params);
        params.curve = curve;
        params.quality = q;
        printf ("curve %u quality %u guard %.2f:", curve, q, guards[g]);
        for (guint s = 0; s < G_N_ELEMENTS (sds); s++)
          printf (" %5.1f", noise_after (params, guards[g], sds[s]));
        printf ("\n");
      }
    }
  }
}

int
main (int argc, char **argv)
{
  if (argc > 1 && strcmp (argv[1], "--noise") == 0) {
    print_noise ();
    return 0;
  }
  if (argc > 1 && strcmp (argv[1], "shipped") == 0)
    test_shipped ();
  test_sharing ();
  test_bound ();
  test_simple ();
  test_threads ();
  test_errors ();
  test_guard_by_hand ();
  check_guard (CS_LLF_SMOOTH, CS_LLF_EXACT, .03, FALSE, 90);
  check_guard (CS_LLF_SMOOTH, CS_LLF_EXACT, .05, TRUE, 90);
  check_guard (CS_LLF_POWER, CS_LLF_EXACT, .03, FALSE, 90);
  check_guard (CS_LLF_POWER, CS_LLF_EXACT, 0, TRUE, 60);
  check_guard (CS_LLF_SMOOTH, CS_LLF_NORMAL, .03, FALSE, 44);
  check_guard (CS_LLF_SMOOTH, CS_LLF_HIGH, .03, FALSE, 55);
  check_guard (CS_LLF_POWER, CS_LLF_HIGH, .03, TRUE, 50);
  test_noise ();
  return finish () ? 1 : 0;
}
