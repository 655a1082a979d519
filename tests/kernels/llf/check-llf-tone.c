/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks the guard of black and white of the local Laplacian filter: the
 * definition in double precision, on what the filter without one changes; what
 * stays black, white and between them; samples of all kinds. */
#include <math.h>
#include <string.h>

#include "../lib/check.h"
#include "base/error.h"
#include "llf/llf_colour.h"
#include "llf_images.h"
#include "llf_oracle.h"

#define W 61
#define H 38
#define N (W * H)

static const double guards[] = { .02, .1, .25, .5, 1 };

/* As the page has it. @y: 0 is black, 1 is white */
static double
guarded (double y, double change, double guard)
{
  const double e = fmin (fmin (y, 1 - y), guard) / guard;
  const double c = change * e, room = c < 0 ? y : 1 - y;

  return y <= 0 || y >= 1 ? 0 : c * room / (room + fabs (c));
}

static CsLlfParams
make_params (CsLlfQuality quality, double alpha, double beta, guint depth,
    gboolean limited)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.quality = quality;
  params.alpha = alpha;
  params.beta = beta;
  params.depth = depth;
  params.limited_range = limited;
  return params;
}

/* A plan with all that belongs to it. */
typedef struct
{
  CsExecutor *executor;
  CsLlfTable *table;
  CsLlf *filter;
} Plan;

static Plan
plan_new (const CsLlfParams * params)
{
  Plan plan = { cs_executor_new_cpu (2), cs_llf_table_new (params, NULL), };

  plan.filter = cs_llf_new (plan.table, plan.executor, NULL);
  return plan;
}

static void
plan_clear (Plan * plan)
{
  cs_llf_free (plan->filter);
  cs_llf_table_unref (plan->table);
  cs_executor_free (plan->executor);
}

/* @shift: of samples of 16 bits */
static void
run (Plan * plan, const void *in, CsSampleType type, guint shift,
    const CsLlfSettings * settings, void *out)
{
  CsLlfFrame frame = llf_frame (in, type, W, H, out);
  g_autoptr (GError) error = NULL;

  frame.shift = shift;
  expect (cs_llf_run (plan->filter, &frame, settings, &error), "%s",
      error ? error->message : "no error");
}

/* --- Definition ----------------------------------------------------------- */

/* Floats against the oracle's change of each pixel, guarded. @tolerance: codes
 * of 8 bits */
static void
check_definition (CsLlfQuality quality, gboolean limited, double amount,
    double tolerance)
{
  const CsLlfParams params = make_params (quality, .4, 1.5, 8, limited);
  const double black = limited ? 16 : 0, range = limited ? 219 : 255;
  const CsLlfSettings plain = {.amount = amount };
  g_autofree guint16 *codes = llf_codes_new (LLF_NATURAL, W, H, 255);
  g_autofree float *in = g_new (float, N);
  g_autofree float *out = g_new (float, N);
  g_autofree double *want = g_new (double, N);
  Plan plan = plan_new (&params);

  for (guint i = 0; i < N; i++)
    in[i] = codes[i] / 255.f;
  llf_oracle_exact (&params, codes, W, H, 256, &plain, want);
  for (guint k = 0; k < G_N_ELEMENTS (guards); k++) {
    const CsLlfSettings settings = {.amount = amount,.tone_guard = guards[k] };
    double most = 0;

    begin ("guard %g, quality %d, %s range, amount %g", guards[k], quality,
        limited ? "limited" : "full", amount);
    run (&plan, in, CS_SAMPLE_F32, 0, &settings, out);
    for (guint i = 0; i < N; i++) {
      const double y = (codes[i] - black) / range;
      const double change = range * guarded (y, (want[i] - codes[i]) / range,
          guards[k]);

      most = fmax (most, fabs (out[i] * 255 - codes[i] - change));
    }
    expect (most <= tolerance, "differs by %.3f codes", most);
    end ();
  }
  plan_clear (&plan);
}

/* --- Black and white ------------------------------------------------------ */

/* However strong the effect: black and white, and what is beyond them, stay,
 * and nothing else becomes either. */
static void
test_black_and_white (void)
{
  static const double amounts[] = { 1, 30, -30, 1e6 };
  const CsLlfParams params = make_params (CS_LLF_FAST, .3, 1.5, 8, TRUE);
  Plan plan = plan_new (&params);
  g_autofree double *image = llf_image_new (LLF_NATURAL, W, H, 3);
  g_autofree float *in = g_new (float, N);
  g_autofree float *out = g_new (float, N);
  guint i, k, moved = 0;

  /* some are beyond 16 and 235 of 255 */
  for (i = 0; i < N; i++)
    in[i] = 16 / 255.f + (1.2 * image[i] - .1) * (219 / 255.f);
  for (k = 0; k < G_N_ELEMENTS (amounts); k++) {
    const CsLlfSettings settings = {.amount = amounts[k],.tone_guard = .2 };

    begin ("black and white, amount %g", amounts[k]);
    run (&plan, in, CS_SAMPLE_F32, 0, &settings, out);
    for (i = 0; i < N; i++) {
      const double y = (in[i] * 255. - 16) / 219, z = (out[i] * 255. - 16) / 219;

      if (y <= 0 || y >= 1)
        expect (in[i] == out[i], "%g becomes %g", y, z);
      else
        expect (z > -1e-6 && z < 1 + 1e-6, "%g becomes %g", y, z);
      moved += fabs (z - y) > .01;
    }
    end ();
  }
  begin ("what is between them changes");
  expect (moved > N, "%u of %u", moved, 4 * N);
  end ();
  plan_clear (&plan);
}

/* --- Samples -------------------------------------------------------------- */

/* Codes are what the floats are, rounded. */
static void
check_samples (CsSampleType type, guint depth, guint shift, gboolean limited)
{
  const CsLlfParams params = make_params (CS_LLF_NORMAL, .4, 1.2, depth,
      limited);
  const CsLlfSettings settings = {.amount = 1,.tone_guard = .25 };
  const CsLlfSettings plain = {.amount = 1 };
  const guint most = (1u << depth) - 1;
  g_autofree guint16 *codes = llf_codes_new (LLF_NATURAL, W, H, most);
  g_autofree float *in = g_new (float, N);
  g_autofree float *want = g_new (float, N);
  g_autofree guint8 *bytes = g_new (guint8, N);
  g_autofree guint8 *plain_bytes = g_new (guint8, N);
  g_autofree guint16 *words = g_new (guint16, N);
  g_autofree guint16 *plain_words = g_new (guint16, N);
  Plan plan = plan_new (&params);
  double worst = 0;

  for (guint i = 0; i < N; i++) {
    in[i] = codes[i] / (float) most;
    bytes[i] = codes[i];
    words[i] = codes[i] << shift;
  }
  begin ("samples of type %d, %u bits, %s range", type, depth,
      limited ? "limited" : "full");
  run (&plan, in, CS_SAMPLE_F32, 0, &settings, want);
  if (type == CS_SAMPLE_U8) {
    run (&plan, bytes, type, 0, &plain, plain_bytes);
    run (&plan, bytes, type, 0, &settings, bytes);
  } else {
    run (&plan, words, type, shift, &plain, plain_words);
    run (&plan, words, type, shift, &settings, words);
  }
  for (guint i = 0; i < N; i++)
    worst = fmax (worst, fabs (want[i] * most - (type == CS_SAMPLE_U8 ?
                bytes[i] : words[i] >> shift)));
  /* floats have the change of the nearest code of 10 bits */
  expect (worst <= (depth > 10 ? 1.6 : .51) * (depth > 10 ? 1u << (depth -
              10) : 1), "differs by %.3f codes", worst);
  expect (type == CS_SAMPLE_U8 ? memcmp (bytes, plain_bytes, N) :
      memcmp (words, plain_words, 2 * N), "the guard does nothing");
  end ();
  plan_clear (&plan);
}

/* --- Distances in RGB ----------------------------------------------------- */

static void
filter_rgb (CsLlfColour * plan, const CsLlfSettings * settings, guint8 * codes)
{
  CsPicture picture = {
    .model = CS_PICTURE_RGB,.type = CS_SAMPLE_U8,.width = W,.height = H,
    .depth = 8,
  };

  for (guint c = 0; c < 3; c++) {
    picture.data[c] = codes + c;
    picture.pixel_stride[c] = 3;
    picture.row_stride[c] = 3 * W;
  }
  expect (cs_llf_colour_run (plan, &picture, &picture, FALSE, settings, NULL),
      "failed");
}

/* Each of R, G and B is guarded. */
static void
test_distances (void)
{
  CsLlfParams params = make_params (CS_LLF_NORMAL, .5, 1, 8, FALSE);
  const CsLlfSettings plain = {.amount = 1 };
  const CsLlfSettings settings = {.amount = 1,.tone_guard = .25 };
  g_autofree guint8 *in = g_new (guint8, 3 * N);
  g_autofree guint8 *a = g_new (guint8, 3 * N);
  g_autofree guint8 *b = g_new (guint8, 3 * N);
  g_autoptr (CsExecutor) executor = cs_executor_new_cpu (2);
  guint i, c, n_compared = 0;

  params.color_remapping = CS_LLF_RGB_DISTANCE;
  params.sigma = .4;
  for (c = 0; c < 3; c++) {
    g_autofree guint16 *codes =
        llf_codes_new (c ? LLF_NATURAL : LLF_TEXTURE, W, H, 255);

    for (i = 0; i < N; i++)
      in[3 * i + c] = c == 2 ? 255 - codes[i] : codes[i];
  }
  memcpy (a, in, 3 * N);
  memcpy (b, in, 3 * N);
  g_autoptr (CsLlfTable) table = cs_llf_table_new (&params, NULL);
  g_autoptr (CsLlfColour) plan = cs_llf_colour_new (table, executor, NULL);
  begin ("distances in RGB");
  filter_rgb (plan, &plain, a);
  filter_rgb (plan, &settings, b);
  for (i = 0; i < 3 * N; i++) {
    const double y = in[i] / 255.;
    const double change = 255 * guarded (y, (a[i] - in[i]) / 255., .25);

    if (in[i] == 0 || in[i] == 255)
      expect (b[i] == in[i], "%u becomes %u", in[i], b[i]);
    /* the change of codes at the ends is not known */
    if (a[i] == 0 || a[i] == 255)
      continue;
    expect (fabs (b[i] - in[i] - change) < 1.01, "%u: %u, not %.2f", in[i],
        b[i], in[i] + change);
    n_compared += abs (a[i] - in[i]) > 2;
  }
  expect (n_compared > N, "%u change", n_compared);
  end ();
}

static void
test_errors (void)
{
  static const double bad[] = { -.1, 1.1, NAN, INFINITY };
  const CsLlfParams params = make_params (CS_LLF_FAST, .5, 1, 8, FALSE);
  g_autofree guint8 *bytes = g_new0 (guint8, N);
  const CsLlfFrame frame = llf_frame (bytes, CS_SAMPLE_U8, W, H, bytes);
  Plan plan = plan_new (&params);

  begin ("errors");
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++) {
    const CsLlfSettings settings = {.amount = 1,.tone_guard = bad[i] };
    g_autoptr (GError) error = NULL;

    expect (!cs_llf_run (plan.filter, &frame, &settings, &error) &&
        g_error_matches (error, CS_ERROR, CS_ERROR_INVALID), "%g is taken",
        bad[i]);
  }
  end ();
  plan_clear (&plan);
}

int
main (void)
{
  check_definition (CS_LLF_EXACT, FALSE, 1, .01);
  check_definition (CS_LLF_EXACT, TRUE, 1, .01);
  check_definition (CS_LLF_EXACT, FALSE, -4, .04);
  check_definition (CS_LLF_NORMAL, TRUE, 1, .3);
  test_black_and_white ();
  check_samples (CS_SAMPLE_U8, 8, 0, FALSE);
  check_samples (CS_SAMPLE_U8, 8, 0, TRUE);
  check_samples (CS_SAMPLE_U16, 10, 6, TRUE);
  check_samples (CS_SAMPLE_U16, 10, 0, FALSE);
  check_samples (CS_SAMPLE_U16, 16, 0, FALSE);
  test_distances ();
  test_errors ();
  return finish ();
}
