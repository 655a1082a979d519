/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Checks tone mapping of HDR: check-llf-hdr [cuda|bench]
 *   without    the oracle below and llf_oracle_literal(), in double precision
 *              and from the paper; samples that are no light; layouts; errors
 *   cuda       the GPU gives what the CPU does
 *   bench      times */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "../lib/check.h"
#include "../lib/device.h"
#include "base/error.h"
#include "llf/llf_hdr.h"
#include "llf_images.h"
#include "llf_oracle.h"

#define RANGE 20.
#define CONTRAST 100.

static const CsLlfSettings all = {.amount = 1 };
static const CsLlfSettings none = {.amount = 0 };

/* --- Oracle --------------------------------------------------------------- */

static double
srgb_to_light (double v)
{
  return v > .04045 ? pow ((v + .055) / 1.055, 2.4) : v / 12.92;
}

/* Recommendation ITU-R BT.2100, table 4 */
static double
pq_to_light (double v)
{
  const double m1 = .1593017578125, m2 = 78.84375;
  const double c1 = .8359375, c2 = 18.8515625, c3 = 18.6875;
  const double e = pow (v, 1 / m2);

  return pow (fmax (e - c1, 0) / (c2 - c3 * e), 1 / m1);
}

/* Recommendation ITU-R BT.2100, table 5 */
static double
hlg_to_light (double v)
{
  const double a = .17883277, b = .28466892, c = .55991073;

  return v > .5 ? (exp ((v - c) / a) + b) / 12 : v * v / 3;
}

static double
to_light (CsLlfCoding coding, double v)
{
  return coding == CS_LLF_CODING_SRGB ? srgb_to_light (v) :
      coding == CS_LLF_CODING_PQ ? pq_to_light (v) :
      coding == CS_LLF_CODING_HLG ? hlg_to_light (v) : v;
}

static double
to_srgb (double v)
{
  return v > .0031308 ? 1.055 * pow (v, 1 / 2.4) - .055 : 12.92 * v;
}

static int
compare (const void *a, const void *b)
{
  const double x = *(const double *) a, y = *(const double *) b;

  return x < y ? -1 : x > y;
}

/* The least of those that are lit of which @thousandths are not above. */
static double
percentile (const double *x, const double *y, guint n, guint thousandths)
{
  g_autofree double *lit = g_new (double, n);
  guint i, m = 0;

  for (i = 0; i < n; i++)
    if (y[i] > 0)
      lit[m++] = x[i];
  qsort (lit, m, sizeof (double), compare);
  return lit[(m * thousandths + 999) / 1000 - 1];
}

/* What follows from the chromaticities of BT.709 and BT.2020, which
 * tests/check/cudallf/primaries.py computes: with four digits as the standards
 * and Recommendation ITU-R BT.2087 have them. */
static const CsLlfPrimaries bt2020 = {
  {.708, .292}, {.17, .797}, {.131, .046}, {.3127, .329}
};

static const double luminances[2][3] = {
  {.2126390059, .7151686788, .0721923154},
  {.2627002120, .6779980715, .0593017165},
};

static const double to_bt709[2][3][3] = {
  {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
  {{1.6604910021, -.5876411388, -.0728498633},
        {-.1245504745, 1.1328998971, -.0083494226},
      {-.0181507634, -.1005788980, 1.1187296614}},
};

/* What is shown, of 0 to 1, of a colour of luminance 1. */
static void
bring_in (const double matrix[3][3], const double rgb[3], double luminance,
    double out[3])
{
  double v[3], least, most;

  for (guint i = 0; i < 3; i++)
    v[i] = matrix[i][0] * rgb[0] + matrix[i][1] * rgb[1] + matrix[i][2] *
        rgb[2];
  least = fmin (fmin (v[0], v[1]), v[2]);
  for (guint i = 0; least < 0 && i < 3; i++)
    v[i] = (v[i] - least) / (1 - least);
  most = fmax (fmax (v[0], v[1]), v[2]) * luminance;
  for (guint i = 0; i < 3; i++) {
    out[i] = v[i] * luminance;
    if (most > 1)
      out[i] = 1 - (1 - out[i] / most) / (1 + .15 * (most - 1));
  }
}

/* @rgb: linear light, finite, three for each pixel; some of it is not 0.
 * @wide: of BT.2020, else of BT.709
 * @params: (nullable): %NULL: nothing is filtered
 * @out: sRGB of 0 to 1 */
static void
oracle (const double *rgb, gboolean wide, guint w, guint h,
    const CsLlfParams * params, double range, double contrast, double *out)
{
  const guint n = w * h;
  g_autofree double *y = g_new (double, n);
  g_autofree double *x = g_new (double, n);
  double most = 0;
  g_autofree double *z = g_new (double, n);
  double low, high, wanted, slope;
  g_autofree guint16 *codes = g_new (guint16, n);

  for (guint i = 0; i < n; i++) {
    y[i] = luminances[wide][0] * rgb[3 * i] + luminances[wide][1] *
        rgb[3 * i + 1] + luminances[wide][2] * rgb[3 * i + 2];
    most = fmax (most, y[i]);
  }
  for (guint i = 0; i < n; i++) {
    const double stops = y[i] > 0 ? log2 (y[i] / most) : -1e9;

    z[i] = x[i] = codes[i] = floor (65535 * fmax (1 + stops / range, 0) + .5);
  }
  if (params)
    llf_oracle_literal (params, codes, w, h, 65536, z);
  low = percentile (z, y, n, 5);
  high = percentile (z, y, n, 995);
  wanted = fmin (log2 (contrast), (percentile (x, y, n, 995) -
          percentile (x, y, n, 5)) * range / 65535);
  slope = wanted > 0 && high > low ? wanted / (high - low) : range / 65535;
  for (guint i = 0; i < n; i++) {
    double colour[3] = { 0 }, shown[3] = { 0 };

    for (guint c = 0; y[i] > 0 && c < 3; c++)
      colour[c] = rgb[3 * i + c] / y[i];
    if (y[i] > 0)
      bring_in (to_bt709[wide], colour, exp2 ((z[i] - high) * slope), shown);
    for (guint c = 0; c < 3; c++)
      out[3 * i + c] = to_srgb (shown[c]);
  }
}

/* --- Pictures ------------------------------------------------------------- */

/* A picture of about @stops, of colours, of any unit. Free with g_free(). */
static float *
scene_new (guint w, guint h, double stops, guint32 seed)
{
  g_autofree double *luma = llf_image_new (LLF_NATURAL, w, h, seed);
  g_autofree double *tint = llf_image_new (LLF_NOISE, w, h, seed + 1);
  float *rgb = g_new (float, 3 * w * h);

  for (guint i = 0; i < w * h; i++) {
    const double light = 37 * exp2 ((luma[i] - 1) * stops);

    rgb[3 * i] = light * (.7 + .6 * tint[i]);
    rgb[3 * i + 1] = light;
    rgb[3 * i + 2] = light * (1.5 - tint[i]);
  }
  return rgb;
}

static CsImage
float_image (const float *data, guint w, guint h, guint channels)
{
  const CsImage image = {
    .data = data,.type = CS_SAMPLE_F32,.width = w,.height = h,
    .channels = channels,.pixel_stride = sizeof (float) * channels,
    .row_stride = sizeof (float) * channels * w,
    .channel_stride = sizeof (float),
  };

  return image;
}

/* A, R, G, B of @bytes each, interleaved. */
static CsPicture
argb_picture (void *data, guint w, guint h, guint bytes)
{
  CsPicture picture = {
    .model = CS_PICTURE_RGB,.width = w,.height = h,.depth = 8 * bytes,
    .type = bytes == 1 ? CS_SAMPLE_U8 : CS_SAMPLE_U16,
  };

  for (guint c = 0; c < 4; c++) {
    picture.data[c] = (guint8 *) data + (c + 1) % 4 * bytes;
    picture.pixel_stride[c] = 4 * bytes;
    picture.row_stride[c] = (gsize) 4 * bytes * w;
  }
  return picture;
}

static CsLlfParams
hdr_params (CsLlfCurve curve, CsLlfQuality quality, double alpha, double beta)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.curve = curve;
  params.quality = quality;
  params.sigma = .066;
  params.alpha = alpha;
  params.beta = beta;
  params.noise_guard = 0;
  params.depth = 16;
  return params;
}

/* A plan with all that belongs to it. */
typedef struct
{
  CsExecutor *executor;
  CsLlfTable *table;
  CsLlfColour *filter;
  CsLlfHdr *plan;
} Mapper;

/* On @executor, which is taken. */
static Mapper
mapper_new_on (const CsLlfParams * params, CsExecutor * executor)
{
  Mapper mapper = { executor, };

  mapper.table = cs_llf_table_new (params, NULL);
  mapper.filter = cs_llf_colour_new (mapper.table, mapper.executor, NULL);
  mapper.plan = cs_llf_hdr_new (mapper.executor);
  return mapper;
}

static Mapper
mapper_new (const CsLlfParams * params, guint n_threads)
{
  return mapper_new_on (params, cs_executor_new_cpu (n_threads));
}

static void
mapper_clear (Mapper * mapper)
{
  cs_llf_hdr_free (mapper->plan);
  cs_llf_colour_free (mapper->filter);
  cs_llf_table_unref (mapper->table);
  cs_executor_free (mapper->executor);
}

static gboolean
map_image (Mapper * mapper, CsImage image, CsLlfCoding coding, double contrast,
    const CsLlfSettings * settings, CsPicture output)
{
  const CsLlfHdrFrame frame = { image, NULL, output, coding, RANGE, contrast };
  g_autoptr (GError) error = NULL;
  const gboolean ok = cs_llf_hdr_run (mapper->plan, mapper->filter, &frame,
      settings, &error);

  expect (ok, "%s", error ? error->message : "no error");
  return ok;
}

/* The largest difference from @want, in codes; @mean: of all, with its sign. */
static double
most_different (const CsPicture * picture, const double *want, double *mean)
{
  const gboolean deep = picture->type == CS_SAMPLE_U16;
  const guint n = picture->width * picture->height;
  double most = 0, sum = 0;

  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < 3; c++) {
      const guint8 *at = (const guint8 *) picture->data[c] +
          i * picture->pixel_stride[c];
      const double got = deep ? *(const guint16 *) at : *at;

      const double more = got - want[3 * i + c] * (deep ? 65535 : 255);

      most = fmax (most, fabs (more));
      sum += more;
    }
  *mean = sum / (3 * n);
  return most;
}

/* --- Tests ---------------------------------------------------------------- */

static void
test_codings (void)
{
  static const struct
  {
    CsLlfCoding coding;
    double value, light;
  } known[] = {
    {CS_LLF_CODING_LINEAR, .25, .25},
    {CS_LLF_CODING_SRGB, 0, 0}, {CS_LLF_CODING_SRGB, 1, 1},
    {CS_LLF_CODING_SRGB, .5, .21404114},
    {CS_LLF_CODING_PQ, 0, 0}, {CS_LLF_CODING_PQ, 1, 1},
    /* 100 cd/m2 of 10000 */
    {CS_LLF_CODING_PQ, .50807842, .01},
    {CS_LLF_CODING_HLG, 0, 0}, {CS_LLF_CODING_HLG, .5, 1. / 12},
    {CS_LLF_CODING_HLG, 1, 1},
  };

  begin ("codings");
  for (guint i = 0; i < G_N_ELEMENTS (known); i++) {
    const double light = cs_llf_coding_to_light (known[i].coding,
        known[i].value);

    expect (fabs (light - known[i].light) <= 1e-7, "%d of %g: %.9g, not %.9g",
        known[i].coding, known[i].value, light, known[i].light);
  }
  end ();
}

/* Floats against the oracle. @tolerance: in codes of 8 bits */
static void
check_floats (const CsLlfParams * params, gboolean filters, double stops,
    double contrast, guint w, guint h, guint channels, double tolerance)
{
  Mapper mapper = mapper_new (params, 2);
  g_autofree float *rgb = scene_new (w, h, stops, 5);
  g_autofree float *gray = g_new (float, w * h);
  g_autofree double *wide = g_new (double, 3 * w * h);
  g_autofree double *want = g_new (double, 3 * w * h);
  g_autofree guint8 *codes = g_new0 (guint8, 4 * w * h);
  const CsPicture output = argb_picture (codes, w, h, 1);
  double most, mean;
  guint i;

  for (i = 0; i < w * h; i++)
    gray[i] = rgb[3 * i];
  for (i = 0; i < 3 * w * h; i++)
    wide[i] = channels == 1 ? gray[i / 3] : rgb[i];
  oracle (wide, FALSE, w, h, filters ? params : NULL, RANGE, contrast, want);
  begin ("%ux%u, %u channels, %s, curve %d, quality %d, alpha %g, beta %g, %g "
      "stops to %g", w, h, channels, filters ? "filtered" : "not", params->curve,
      params->quality, params->alpha, params->beta, stops, contrast);
  map_image (&mapper, float_image (channels == 1 ? gray : rgb, w, h, channels),
      CS_LLF_CODING_LINEAR, contrast, filters ? &all : &none, output);
  most = most_different (&output, want, &mean);
  expect (most <= tolerance, "differs by %.3f codes", most);
  for (i = 0; i < w * h; i++)
    expect (codes[4 * i] == 255, "alpha of %u is %u", i, codes[4 * i]);
  end ();
  mapper_clear (&mapper);
}

/* What surrounds the filter, to a rounding of x of 1/65535 of 20 stops. */
static void
test_conversion (void)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_NORMAL, .5, .5);

  check_floats (&params, FALSE, 14, 100, 40, 31, 3, .52);
  check_floats (&params, FALSE, 14, 1000, 23, 44, 1, .52);
  /* is not enlarged to 100 */
  check_floats (&params, FALSE, 3, 100, 33, 17, 3, .52);
  /* dark ends are cut off */
  check_floats (&params, FALSE, 30, 1e5, 37, 20, 3, .52);
  check_floats (&params, FALSE, 5, 100, 1, 1, 3, .52);
  check_floats (&params, FALSE, 5, 100, 1, 9, 3, .52);
}

/* d is taken at 1024 codes of x, .02 stops: at most 1.9 codes measured */
static void
test_filter (void)
{
  static const struct
  {
    CsLlfCurve curve;
    CsLlfQuality quality;
    double alpha, beta, tolerance;
  } cases[] = {
    {CS_LLF_SMOOTH, CS_LLF_EXACT, .8, .2, 1.5},
    {CS_LLF_SMOOTH, CS_LLF_EXACT, .5, .5, 1.5},
    {CS_LLF_POWER, CS_LLF_EXACT, .75, 0, 1.5},
    {CS_LLF_SMOOTH, CS_LLF_HIGH, .8, .2, 2},
  };

  for (guint i = 0; i < G_N_ELEMENTS (cases); i++) {
    const CsLlfParams params = hdr_params (cases[i].curve, cases[i].quality,
        cases[i].alpha, cases[i].beta);

    check_floats (&params, TRUE, 14, 100, 26, 19, 3, cases[i].tolerance);
    check_floats (&params, TRUE, 12, 500, 21, 24, 1, cases[i].tolerance);
  }
}

/* Codes of 16 bits, with alpha, to 16 bits. */
static void
check_codes (CsLlfCoding coding, gboolean is_wide, guint w, guint h)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_NORMAL, .5, .5);
  Mapper mapper = mapper_new (&params, 1);
  g_autofree guint16 *in = g_new (guint16, 4 * w * h);
  g_autofree guint16 *out = g_new0 (guint16, 4 * w * h);
  g_autofree double *wide = g_new (double, 3 * w * h);
  g_autofree double *want = g_new (double, 3 * w * h);
  g_autoptr (GRand) rand = g_rand_new_with_seed (9);
  CsPicture input, output = argb_picture (out, w, h, 2);
  CsLlfHdrFrame frame = {.output = output,.coding = coding,.range = RANGE,
    .contrast = CONTRAST,.primaries = is_wide ? &bt2020 : NULL
  };
  double most, mean;

  for (guint i = 0; i < 4 * w * h; i++)
    in[i] = g_rand_int_range (rand, i % 16 ? 0 : 60000, 65536);
  for (guint i = 0; i < 3 * w * h; i++)
    wide[i] = to_light (coding, in[i / 3 * 4 + 1 + i % 3] / 65535.);
  oracle (wide, is_wide, w, h, NULL, RANGE, CONTRAST, want);
  input = argb_picture (in, w, h, 2);
  frame.input = cs_picture_get_component (&input, 0);
  frame.input.channels = 3;
  frame.input.channel_stride = 2;
  frame.alpha = input.data[CS_PICTURE_ALPHA];
  begin ("codes of coding %d, of %s", coding, is_wide ? "BT.2020" : "BT.709");
  /* a frame of another coding before it is of no matter */
  frame.coding = coding == CS_LLF_CODING_PQ ? CS_LLF_CODING_HLG :
      CS_LLF_CODING_PQ;
  expect (cs_llf_hdr_run (mapper.plan, mapper.filter, &frame, &none, NULL),
      "failed before");
  frame.coding = coding;
  expect (cs_llf_hdr_run (mapper.plan, mapper.filter, &frame, &none, NULL),
      "failed");
  most = most_different (&output, want, &mean);
  /* x and the percentiles have 16 bits, so that each is right to 1/9500 */
  expect (most <= 7, "differs by %.2f codes of 16 bits", most);
  /* rounded, not cut off */
  expect (fabs (mean) < .25, "differs by %.3f codes on average", mean);
  for (guint i = 0; i < w * h; i++)
    expect (out[4 * i] == in[4 * i], "alpha of %u: %u, not %u", i, out[4 * i],
        in[4 * i]);
  end ();
  mapper_clear (&mapper);
}

/* White is white, whatever its chromaticity; what is no triangle around it is
 * refused. */
static void
test_primaries (void)
{
  /* SMPTE RP 431-2, of cinemas; of film, whose white is C; CIE XYZ and its */
  static const CsLlfPrimaries good[] = {
    {{.68, .32}, {.265, .69}, {.15, .06}, {.314, .351}},
    {{.681, .319}, {.243, .692}, {.145, .049}, {.31, .316}},
    {{1, 0}, {0, 1}, {0, 0}, {1 / 3., 1 / 3.}},
  };
  static const CsLlfPrimaries bad[] = {
    {{.64, .33}, {.64, .33}, {.15, .06}, {.3127, .329}},
    {{.64, .33}, {.3, .6}, {.15, .06}, {.6, .6}},
    {{.64, .33}, {.3, .6}, {.15, .06}, {.3, 0}},
    {{NAN, .33}, {.3, .6}, {.15, .06}, {.3127, .329}},
    {{0, 0}, {0, 0}, {0, 0}, {0, 0}},
  };
  CsLlfGamut gamut;

  begin ("primaries");
  for (guint i = 0; i < G_N_ELEMENTS (good); i++) {
    float rgb[3] = { 1, 1, 1 };

    expect (cs_llf_gamut_init (&gamut, &good[i]), "%u is refused", i);
    expect (fabs (cs_llf_gamut_get_luminance (&gamut, rgb) - 1) < 1e-6,
        "%u: luminance", i);
    cs_llf_gamut_show (&gamut, rgb, .5f);
    for (guint c = 0; c < 3; c++)
      expect (fabs (rgb[c] - .5) < 1e-5, "%u: %u is %.6f", i, c, rgb[c]);
  }
  for (guint i = 0; i < G_N_ELEMENTS (bad); i++)
    expect (!cs_llf_gamut_init (&gamut, &bad[i]), "%u is taken", i);
  end ();
}

/* The unit is of no matter, and threads are of none. */
static void
test_units_and_threads (void)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_HIGH, .8, .2);
  const guint w = 61, h = 83, n = 4 * w * h;
  g_autofree float *rgb = scene_new (w, h, 13, 2);
  guint8 *codes[3];

  begin ("units and threads");
  for (guint k = 0; k < 3; k++) {
    Mapper mapper = mapper_new (&params, k == 2 ? 3 : 1);

    codes[k] = g_new0 (guint8, n);
    for (guint i = 0; k == 1 && i < 3 * w * h; i++)
      rgb[i] *= 0x1p-60f;
    map_image (&mapper, float_image (rgb, w, h, 3), CS_LLF_CODING_LINEAR,
        CONTRAST, &all, argb_picture (codes[k], w, h, 1));
    mapper_clear (&mapper);
  }
  expect (memcmp (codes[0], codes[1], n) == 0, "the unit matters");
  expect (memcmp (codes[0], codes[2], n) == 0, "threads matter");
  for (guint k = 0; k < 3; k++)
    g_free (codes[k]);
  end ();
}

/* Whether the bright ends are as far apart as asked for. */
static void
test_contrast (void)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_HIGH, .7, .3);
  Mapper mapper = mapper_new (&params, 0);
  const guint w = 90, h = 70, n = w * h;
  g_autofree float *rgb = scene_new (w, h, 13, 4);
  g_autofree guint16 *codes = g_new0 (guint16, 4 * n);
  g_autofree double *light = g_new (double, n);
  g_autofree double *ones = g_new (double, n);
  double ratio;

  for (guint i = 0; i < n; i++)
    rgb[3 * i] = rgb[3 * i + 2] = rgb[3 * i + 1];
  begin ("contrast");
  map_image (&mapper, float_image (rgb, w, h, 3), CS_LLF_CODING_LINEAR, 40,
      &all, argb_picture (codes, w, h, 2));
  for (guint i = 0; i < n; i++) {
    light[i] = srgb_to_light (codes[4 * i + 1] / 65535.);
    ones[i] = 1;
  }
  ratio = percentile (light, ones, n, 995) / percentile (light, ones, n, 5);
  expect (fabs (ratio - 40) < .1, "%.3f, not 40", ratio);
  end ();
  mapper_clear (&mapper);
}

/* Weights of 0 are an amount of 0. */
static void
test_weights (void)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_HIGH, .5, .2);
  const guint w = 40, h = 30, n = 4 * w * h;
  g_autofree float *rgb = scene_new (w, h, 12, 6);
  guint8 *codes[3];
  g_autofree guint8 *weights = g_new0 (guint8, w * h);

  begin ("weights");
  for (guint k = 0; k < 3; k++) {
    Mapper mapper = mapper_new (&params, 2);

    codes[k] = g_new0 (guint8, n);
    if (k == 0)
      cs_llf_colour_set_weights (mapper.filter, weights, 1);
    map_image (&mapper, float_image (rgb, w, h, 3), CS_LLF_CODING_LINEAR,
        CONTRAST, k == 1 ? &none : &all, argb_picture (codes[k], w, h, 1));
    mapper_clear (&mapper);
  }
  expect (memcmp (codes[0], codes[1], n) == 0, "weights of 0 filter");
  expect (memcmp (codes[0], codes[2], n) != 0, "nothing filters");
  for (guint k = 0; k < 3; k++)
    g_free (codes[k]);
  end ();
}

/* Of one row of gray: what each pixel becomes. */
static void
check_row (const char *name, const float *values, const guint8 * want, guint n)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_HIGH, .8, .2);
  Mapper mapper = mapper_new (&params, 1);
  g_autofree guint8 *codes = g_new0 (guint8, 4 * n);

  begin ("%s", name);
  map_image (&mapper, float_image (values, n, 1, 1), CS_LLF_CODING_LINEAR,
      CONTRAST, &none, argb_picture (codes, n, 1, 1));
  for (guint i = 0; i < n; i++)
    expect (codes[4 * i + 1] == want[i] && codes[4 * i + 3] == want[i],
        "%u: %u, not %u", i, codes[4 * i + 1], want[i]);
  end ();
  mapper_clear (&mapper);
}

/* 1/4 of white is 137 in sRGB, 1/2 188. */
static void
test_no_light (void)
{
  static const float odd[] = { NAN, -3, 0, -0.f, 2, 4, 8, INFINITY, -INFINITY };
  static const guint8 odd_codes[] = { 0, 0, 0, 0, 137, 188, 255, 255, 0 };
  static const float black[] = { 0, -1, NAN, 0 };
  static const float infinite[] = { INFINITY, 0, INFINITY };
  static const float same[] = { .3f, .3f, .3f, .3f, .3f };
  static const float least[] = { 0x1p-149f, 0x1p-148f, 0x1p-147f };
  static const float largest[] = { 0x1p125f, 0x1p126f, 0x1p127f };
  static const guint8 nothing[4], shades[] = { 137, 188, 255 };
  static const guint8 ends[] = { 255, 0, 255 };
  static const guint8 white[] = { 255, 255, 255, 255, 255 };

  check_row ("samples that are no light", odd, odd_codes, 9);
  check_row ("no light at all", black, nothing, 4);
  check_row ("infinite light only", infinite, ends, 3);
  check_row ("a constant picture", same, white, 5);
  check_row ("the least floats", least, shades, 3);
  check_row ("the largest floats", largest, shades, 3);
}

/* Percentiles that were the same and are no more: differences are as they
 * are, for 0 times any would make all white. */
static void
test_lone_light (void)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_HIGH, .5, .2);
  Mapper mapper = mapper_new (&params, 1);
  const guint w = 40, h = 30;
  g_autofree float *rgb = g_new (float, w * h);
  g_autofree guint8 *codes = g_new0 (guint8, 4 * w * h);
  guint i, n_white = 0;

  for (i = 0; i < w * h; i++)
    rgb[i] = i == 620 ? 300 : 1;
  begin ("a lone light");
  map_image (&mapper, float_image (rgb, w, h, 1), CS_LLF_CODING_LINEAR,
      CONTRAST, &all, argb_picture (codes, w, h, 1));
  for (i = 0; i < w * h; i++)
    n_white += codes[4 * i + 1] == 255;
  expect (n_white > 0 && n_white < w * h / 2, "%u of %u are white", n_white,
      w * h);
  end ();
  mapper_clear (&mapper);
}

static void
expect_invalid (Mapper * mapper, const CsLlfHdrFrame * frame, const char *what)
{
  g_autoptr (GError) error = NULL;

  expect (!cs_llf_hdr_run (mapper->plan, mapper->filter, frame, &all, &error) &&
      error->code == CS_ERROR_INVALID, "%s: no error", what);
}

static void
test_errors (void)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_FAST, .8, .2);
  Mapper mapper = mapper_new (&params, 1);
  const CsLlfPrimaries no_primaries = { {0} };
  float values[12] = { 1 };
  guint16 codes[16];
  const CsLlfHdrFrame good = { float_image (values, 2, 2, 3), NULL,
    argb_picture (codes, 2, 2, 1), CS_LLF_CODING_LINEAR, RANGE, CONTRAST
  };
  CsLlfHdrFrame bad;

  begin ("errors");
  expect (cs_llf_hdr_run (mapper.plan, mapper.filter, &good, &all, NULL),
      "good one");
#define BAD(field, value) \
  bad = good; \
  bad.field = value; \
  expect_invalid (&mapper, &bad, #field " = " #value)
  BAD (input.width, 0);
  BAD (input.height, 0);
  BAD (input.channels, 2);
  BAD (input.data, NULL);
  BAD (input.data, (guint8 *) values + 1);
  BAD (input.type, CS_SAMPLE_U8);
  BAD (input.memory, CS_MEMORY_DEVICE);
  BAD (coding, CS_LLF_CODING_PQ);
  BAD (output.width, 3);
  BAD (output.model, CS_PICTURE_YUV);
  BAD (output.depth, 10);
  BAD (output.data[1], NULL);
  BAD (range, 0);
  BAD (range, NAN);
  BAD (contrast, .5);
  BAD (contrast, INFINITY);
  BAD (primaries, &no_primaries);
  expect (cs_llf_hdr_run (mapper.plan, mapper.filter, &good, &all, NULL),
      "after errors");
  end ();
  mapper_clear (&mapper);
}

/* --- CUDA ----------------------------------------------------------------- */

static void
compare_backends (const CsLlfParams * params, CsExecutor * cuda, guint w,
    guint h, guint channels, gboolean has_weights)
{
  Mapper mappers[2] = { mapper_new (params, 0), mapper_new_on (params, cuda) };
  g_autofree float *rgb = scene_new (w, h, 14, 8);
  guint8 *codes[2];
  g_autofree guint8 *weights = g_new (guint8, w * h);
  guint i, k, most = 0;

  for (i = 0; i < w * h; i++)
    weights[i] = i % w * 255 / w;
  begin ("CUDA: %ux%u, %u channels, quality %d%s", w, h, channels,
      params->quality, has_weights ? ", weights" : "");
  for (k = 0; k < 2; k++) {
    codes[k] = g_new0 (guint8, 4 * w * h);
    if (has_weights)
      cs_llf_colour_set_weights (mappers[k].filter, weights, 1);
    map_image (&mappers[k], float_image (rgb, w, h, channels),
        CS_LLF_CODING_LINEAR, CONTRAST, &all, argb_picture (codes[k], w, h,
            1));
  }
  /* luma of 16 bits may differ by 32 codes: here 1/100 of a stop, less than a
   * code, and as much again by the percentiles */
  for (i = 0; i < 4 * w * h; i++)
    most = MAX (most, (guint) ABS (codes[0][i] - codes[1][i]));
  expect (most <= 2, "differ by up to %u", most);
  end ();
  for (k = 0; k < 2; k++) {
    g_free (codes[k]);
    mapper_clear (&mappers[k]);
  }
}

static int
run_cuda (void)
{
  static const guint sizes[][2] = { {640, 359}, {67, 130}, {1, 9}, {1, 1} };
  Device device;

  if (!device_open (&device)) {
    printf ("skipped: no CUDA device\n");
    return EXIT_SKIPPED;
  }
  for (guint quality = CS_LLF_FAST; quality <= CS_LLF_EXACT; quality++) {
    const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, quality, .8, .2);

    for (guint i = 0; i < G_N_ELEMENTS (sizes); i++)
      compare_backends (&params, device_executor_new (&device), sizes[i][0],
          sizes[i][1], i % 2 ? 1 : 3, i == 1);
  }
  device_close (&device);
  return finish ();
}

static void
bench (void)
{
  const CsLlfParams params = hdr_params (CS_LLF_SMOOTH, CS_LLF_HIGH, .8, .2);
  Mapper mapper = mapper_new (&params, 0);
  const guint w = 1920, h = 1080;
  g_autofree float *rgb = scene_new (w, h, 14, 1);
  g_autofree guint8 *codes = g_new (guint8, 4 * w * h);
  double least = HUGE_VAL;

  for (guint i = 0; i < 5; i++) {
    const clock_t start = clock ();

    map_image (&mapper, float_image (rgb, w, h, 3), CS_LLF_CODING_LINEAR,
        CONTRAST, &all, argb_picture (codes, w, h, 1));
    least = MIN (least, (clock () - start) * 1e3 / CLOCKS_PER_SEC);
  }
  printf ("1920x1080 float32 to RGB: %.0f ms of processor time\n", least);
  mapper_clear (&mapper);
}

int
main (int argc, char **argv)
{
  CsLlfCoding coding;
  gboolean is_wide;

  if (argc > 1 && strcmp (argv[1], "bench") == 0) {
    bench ();
    return 0;
  }
  if (argc > 1 && strcmp (argv[1], "cuda") == 0)
    return run_cuda ();
  test_codings ();
  test_conversion ();
  test_filter ();
  for (is_wide = FALSE; is_wide <= TRUE; is_wide++)
    for (coding = CS_LLF_CODING_LINEAR; coding <= CS_LLF_CODING_HLG; coding++)
      check_codes (coding, is_wide, 31, 22);
  test_primaries ();
  test_units_and_threads ();
  test_contrast ();
  test_weights ();
  test_no_light ();
  test_lone_light ();
  test_errors ();
  return finish ();
}
