/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The local Laplacian filter on the CPU, any parameters on any images: one
 * thread and three agree bit for bit, bytes between samples stay, and the exact
 * filter is the oracle's; likewise with distances in RGB. */

#include "fuzz.h"

#include <math.h>

#include "../kernels/llf/llf_oracle.h"
#include "../kernels/llf/llf_oracle_rgb.h"
#include "base/error.h"
#include "fuzz_images.h"
#include "llf/llf_colour.h"

#define MAX_SIDE 40
/* The oracle takes the square of the pixels. */
#define MAX_ORACLE_SIDE 12
#define MAX_WEIGHTS 4
#define MAX_RANK 8

/* Tables are slow to make. */
static const CsLlfParams kept_params[] = {
  {CS_LLF_NORMAL, CS_LLF_SMOOTH, .2, .5, 1., 0., 0, 8, 8, FALSE, 0},
  {CS_LLF_FAST, CS_LLF_POWER, .1, .4, .5, -1., 3, 8, 8, TRUE, 0},
  {CS_LLF_HIGH, CS_LLF_SMOOTH, 1., 2., 2., .02, 0, 8, 10, TRUE, 0},
  {CS_LLF_EXACT, CS_LLF_POWER, .2, .4, 1.2, .03, 0, 8, 8, FALSE, 0},
  {CS_LLF_SAMPLED, CS_LLF_SMOOTH, .3, .3, 0., 0., 0, 5, 8, FALSE, 0},
  {CS_LLF_NORMAL, CS_LLF_SMOOTH, .2, .5, 1., .01, 2, 8, 16, FALSE, 0},
  {CS_LLF_FAST, CS_LLF_SMOOTH, .3, .5, .6, 0., 0, 8, 8, FALSE,
        CS_LLF_RGB_DISTANCE},
  {CS_LLF_EXACT, CS_LLF_POWER, .3, .5, .6, .02, 0, 8, 8, FALSE,
        CS_LLF_RGB_DISTANCE},
};

typedef struct
{
  CsLlfTable *table;
  CsLlfParams params;
} Curve;

static Curve
feed_curve (Feed * feed)
{
  static CsLlfTable *kept[G_N_ELEMENTS (kept_params)];
  const guint which = feed_below (feed, 128);
  Curve curve = { NULL, };
  g_autoptr (GError) error = NULL;

  if (which > 0) {
    const guint i = which % G_N_ELEMENTS (kept_params);

    if (!kept[i])
      kept[i] = cs_llf_table_new (&kept_params[i], &error);
    FUZZ_CHECK (kept[i], "%s", error ? error->message : "no error");
    curve.table = cs_llf_table_ref (kept[i]);
    curve.params = kept_params[i];
    return curve;
  }
  curve.params.quality = feed_below (feed, 6);
  curve.params.curve = feed_below (feed, 3);
  curve.params.sigma = feed_double (feed);
  curve.params.alpha = feed_u8 (feed) / 32.;
  curve.params.beta = feed_u8 (feed) / 32.;
  curve.params.noise_guard = feed_u8 (feed) / 512.;
  /* the curve's own, which the oracle does not know */
  if (curve.params.quality != CS_LLF_EXACT && curve.params.noise_guard > .45)
    curve.params.noise_guard = -1.;
  /* more products, or more codes, are half a minute under sanitizers */
  curve.params.rank = 1 + feed_below (feed, MAX_RANK);
  if (curve.params.rank > MAX_RANK / 2)
    curve.params.rank += 64;
  curve.params.intensity_levels = feed_below (feed, 40);
  curve.params.depth = feed_below (feed, 20);
  if (curve.params.depth > 10 && curve.params.depth <= 16)
    curve.params.depth = 8;
  curve.params.limited_range = feed_below (feed, 2);
  curve.table = cs_llf_table_new (&curve.params, &error);
  FUZZ_CHECK_ERROR (curve.table != NULL, error);
  return curve;
}

static CsLlfSettings
feed_settings (Feed * feed, double *weights)
{
  const guint flags = feed_u8 (feed);
  CsLlfSettings settings = { 1., 0, weights, 0 };

  if (flags & 1)
    settings.amount = flags & 2 ? feed_double (feed) : feed_u8 (feed) / 64. - 2;
  if (flags & 4)
    settings.levels = feed_below (feed, 20);
  if (flags & 32)
    settings.tone_guard = feed_u8 (feed) / 255.;
  settings.n_weights = flags & 8 ? feed_below (feed, MAX_WEIGHTS + 1) : 0;
  for (guint i = 0; i < settings.n_weights; i++)
    weights[i] = flags & 16 ? feed_double (feed) : feed_u8 (feed) / 64.;
  return settings;
}

/* Whether the bytes that belong to no sample are those that were there. */
static gboolean
keeps_padding (const CsImage * image, const guint8 * before,
    const guint8 * after, gsize n)
{
  const gsize size = cs_sample_size (image->type);
  g_autofree guint8 *is_sample = g_malloc0 (n + 1);
  gboolean kept = TRUE;

  for (guint y = 0; y < image->height; y++)
    for (guint x = 0; x < image->width; x++)
      memset (is_sample + y * image->row_stride + x * image->pixel_stride, 1,
          size);
  for (gsize i = 0; i < n; i++)
    kept = kept && (is_sample[i] || before[i] == after[i]);
  return kept;
}

/* Of whole 8-bit codes. */
static void
check_exact (const CsLlfParams * params, const CsImage * image,
    const CsLlfSettings * settings, const guint8 * output)
{
  const guint width = image->width, height = image->height;
  guint16 codes[MAX_ORACLE_SIDE * MAX_ORACLE_SIDE];
  double want[MAX_ORACLE_SIDE * MAX_ORACLE_SIDE];
  guint x, y;

  for (y = 0; y < height; y++)
    for (x = 0; x < width; x++)
      codes[y * width + x] = ((const guint8 *) image->data)
          [y * image->row_stride + x * image->pixel_stride];
  llf_oracle_exact (params, codes, width, height, 256, settings, want);
  for (y = 0; y < height; y++)
    for (x = 0; x < width; x++) {
      const guint8 got = output[y * image->row_stride + x * image->pixel_stride];
      const double code = CLAMP (want[y * width + x], 0., 255.);

      FUZZ_CHECK (fabs (got - code) <= .52, "(%u, %u): %u, not %g", x, y, got,
          want[y * width + x]);
    }
}

static gsize
image_span (const CsImage * image)
{
  return (image->width - 1) * image->pixel_stride +
      (image->height - 1) * image->row_stride + cs_sample_size (image->type);
}

/* Each plan filters a copy of its own in place. */
static void
run_image (CsLlf * const plans[2], const Curve * curve, const CsImage * image,
    const CsLlfSettings * settings)
{
  const gboolean is_empty = image->width == 0 || image->height == 0;
  const gsize n = is_empty ? 0 : image_span (image);
  guint8 *copies[2];
  gboolean done[2];

  for (guint i = 0; i < 2; i++) {
    g_autoptr (GError) error = NULL;
    CsLlfFrame frame = { *image, 0, NULL, image->pixel_stride,
      image->row_stride
    };

    copies[i] = g_malloc (MAX (n, 1));
    memcpy (copies[i], image->data, n);
    frame.input.data = frame.output = copies[i];
    done[i] = cs_llf_run (plans[i], &frame, settings, &error);
    FUZZ_CHECK_ERROR (done[i], error);
    FUZZ_CHECK (done[i] || error->code == CS_ERROR_INVALID, "%s",
        error->message);
  }
  FUZZ_CHECK (done[0] == done[1], "threads do not agree");
  FUZZ_CHECK (memcmp (copies[0], copies[1], n) == 0, "threads differ");
  FUZZ_CHECK (is_empty || !done[0]
      || keeps_padding (image, image->data, copies[0], n),
      "bytes between samples");
  if (done[0] && curve->params.quality == CS_LLF_EXACT
      && !curve->params.limited_range && image->type == CS_SAMPLE_U8
      && image->width <= MAX_ORACLE_SIDE && image->height <= MAX_ORACLE_SIDE
      && fabs (settings->amount) <= 4. && settings->n_weights == 0)
    check_exact (&curve->params, image, settings, copies[0]);
  g_free (copies[0]);
  g_free (copies[1]);
}

/* --- Distances in RGB ----------------------------------------------------- */

/* Of @bytes a pixel and rows of @stride bytes; colours from byte @first. */
static CsPicture
describe_rgb (guint8 * data, guint width, guint height, guint bytes,
    gsize stride, guint first)
{
  CsPicture picture = {
    .model = CS_PICTURE_RGB,.type = CS_SAMPLE_U8,
    .width = width,.height = height,.depth = 8,
  };

  for (guint c = 0; c < bytes; c++) {
    picture.data[c] = data + (first + c) % bytes;
    picture.pixel_stride[c] = bytes;
    picture.row_stride[c] = stride;
  }
  return picture;
}

static void
check_distances (const CsLlfParams * params, const CsPicture * before,
    const CsPicture * after)
{
  double rgb[MAX_ORACLE_SIDE * MAX_ORACLE_SIDE * 3];
  double want[MAX_ORACLE_SIDE * MAX_ORACLE_SIDE * 3];
  const guint n = before->width * before->height;

  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < 3; c++)
      rgb[i * 3 + c] = ((const guint8 *) before->data[c])
          [i / before->width * before->row_stride[c] +
          i % before->width * before->pixel_stride[c]] / 255.;
  llf_oracle_rgb (params, rgb, before->width, before->height, want);
  for (guint i = 0; i < n; i++)
    for (guint c = 0; c < 3; c++) {
      const guint8 got = ((const guint8 *) after->data[c])
          [i / after->width * after->row_stride[c] +
          i % after->width * after->pixel_stride[c]];
      const double code = CLAMP (want[i * 3 + c], 0, 1) * 255;

      FUZZ_CHECK (fabs (got - code) <= .52, "%u of %u: %u, not %g", c, i, got,
          code);
    }
}

/* Bytes that are no colour's stay. */
static void
check_others (const CsPicture * picture, guint bytes, const guint8 * before,
    const guint8 * after, gsize n)
{
  for (gsize i = 0; i < n; i++) {
    const gsize x = i % picture->row_stride[0];
    const gboolean is_colour = x < picture->width * bytes && (bytes == 3 ||
        (guint8 *) picture->data[3] - before != (gssize) (x % bytes));

    FUZZ_CHECK (is_colour || before[i] == after[i], "byte %" G_GSIZE_FORMAT, i);
  }
}

static void
run_distances (Feed * feed, const Curve * curve)
{
  const guint width = 1 + feed_below (feed, MAX_SIDE);
  const guint height = 1 + feed_below (feed, MAX_SIDE);
  const guint bytes = 3 + feed_below (feed, 2);
  const guint first = bytes == 4 ? feed_below (feed, 2) : 0;
  const gsize stride = width * bytes + feed_below (feed, 9);
  const gsize n = stride * height;
  double weights[MAX_WEIGHTS];
  const CsLlfSettings settings = feed_settings (feed, weights);
  g_autofree guint8 *before = g_malloc (n);
  guint8 *copies[2];
  CsPicture pictures[2];
  gboolean done = FALSE;

  for (gsize k = 0; k < n; k++)
    before[k] = feed_u8 (feed);
  for (guint i = 0; i < 2; i++) {
    CsLlfColour *plan = cs_llf_colour_new (curve->table, fuzz_executor (i),
        NULL);
    g_autoptr (GError) error = NULL;

    copies[i] = g_memdup2 (before, n);
    pictures[i] = describe_rgb (copies[i], width, height, bytes, stride, first);
    done = cs_llf_colour_run (plan, &pictures[i], &pictures[i], FALSE,
        &settings, &error);
    FUZZ_CHECK_ERROR (done, error);
    cs_llf_colour_free (plan);
  }
  FUZZ_CHECK (memcmp (copies[0], copies[1], n) == 0, "threads differ");
  pictures[0] = describe_rgb (before, width, height, bytes, stride, first);
  check_others (&pictures[0], bytes, before, copies[1], n);
  if (done && curve->params.quality == CS_LLF_EXACT
      && width <= MAX_ORACLE_SIDE && height <= MAX_ORACLE_SIDE
      && settings.amount == 1. && settings.n_weights == 0
      && settings.levels == 0)
    check_distances (&curve->params, &pictures[0], &pictures[1]);
  g_free (copies[0]);
  g_free (copies[1]);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  const Curve curve = feed_curve (&feed);
  CsLlf *plans[2];

  for (guint i = 0; i < 2; i++) {
    plans[i] = curve.table ? cs_llf_new (curve.table, fuzz_executor (i), NULL) :
        NULL;
    FUZZ_CHECK (!plans[i] == !curve.table, "no plan");
  }
  if (curve.params.color_remapping == CS_LLF_RGB_DISTANCE)
    run_distances (&feed, &curve);
  for (guint n = 1 + feed_below (&feed, 3); plans[0] && n > 0; n--) {
    double weights[MAX_WEIGHTS];
    const CsLlfSettings settings = feed_settings (&feed, weights);
    FuzzImage picture = { NULL, {0,} };
    CsImage *image = &picture.image;

    image->type = feed_below (&feed, 16) == 0 ? feed_below (&feed, 5) :
        feed_below (&feed, 4) == 0 ? CS_SAMPLE_F32 :
        curve.params.depth == 8 ? CS_SAMPLE_U8 : CS_SAMPLE_U16;
    image->width = feed_below (&feed, MAX_SIDE + 1);
    image->height = feed_below (&feed, MAX_SIDE + 1);
    image->channels = 1;
    feed_strides (&feed, image);
    fuzz_image_fill (&picture, &feed);
    run_image (plans, &curve, image, &settings);
    g_free (picture.data);
  }
  cs_llf_free (plans[0]);
  cs_llf_free (plans[1]);
  if (curve.table)
    cs_llf_table_unref (curve.table);
  return 0;
}
