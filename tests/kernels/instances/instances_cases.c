/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "instances_cases.h"

#include <math.h>
#include <string.h>

#include "../lib/check_device.h"
#include "../lib/random.h"

#define MAX_SIDE 150

static double
between (guint64 * state, double low, double high)
{
  return low + (high - low) * random_unit (state);
}

/* --- Samples -------------------------------------------------------------- */

static guint16
to_half (double value)
{
  const gint exponent = value == 0. ? 0 : ilogb (fabs (value));

  if (value == 0. || exponent < -14)
    return 0;
  if (isnan (value))
    return 0x7e00;
  if (exponent > 15)
    return value < 0. ? 0xfc00 : 0x7c00;
  return (guint16) ((value < 0. ? 0x8000 : 0) | (exponent + 15) << 10 |
      (gint) (ldexp (fabs (value), 10 - exponent) - 1024));
}

static double
sample_of_kind (guint kind, guint64 * state)
{
  switch (kind) {
    case 0:
      return between (state, -1., 1.);
    case 1:
      return (double) random_below (state, 3) - 1.;
    case 2:
      return ldexp (between (state, -1., 1.), (gint) random_below (state, 180) -
          90);
    default:
      return random_below (state, 8) > 0 ? between (state, -1., 1.) :
          random_below (state, 3) == 0 ? NAN : random_below (state, 2) == 0 ?
          INFINITY : -INFINITY;
  }
}

static void
fill_disc (double *samples, guint width, guint height, guint64 * state)
{
  const double x0 = between (state, 0., width), y0 = between (state, 0., height);
  const double r = between (state, .5, 8.), hole = between (state, -2., r);

  for (guint y = 0; y < height; y++)
    for (guint x = 0; x < width; x++) {
      const double d = hypot (x - x0, y - y0);

      samples[y * width + x] = MIN (r - d, d - hole);
    }
}

static gpointer
store (const double *samples, gsize n, CsSampleType type)
{
  guint16 *half = g_new (guint16, n);
  float *single = g_new (float, n);

  for (gsize i = 0; i < n; i++) {
    half[i] = to_half (samples[i]);
    single[i] = (float) samples[i];
  }
  g_free (type == CS_SAMPLE_F16 ? (gpointer) single : (gpointer) half);
  return type == CS_SAMPLE_F16 ? (gpointer) half : (gpointer) single;
}

static CsImage
image_of (gpointer data, CsSampleType type, guint width, guint height,
    guint channels, gboolean interleaved)
{
  const gsize size = cs_sample_size (type);
  CsImage image = cs_image_gray (data, type, width, height, width * size);

  image.channels = channels;
  image.channel_stride = width * height * size;
  if (interleaved) {
    image.channel_stride = size;
    image.pixel_stride = channels * size;
    image.row_stride = width * channels * size;
  }
  return image;
}

static void
make_fields (Case * test, guint width, guint height, guint channels,
    guint64 * state)
{
  const gsize plane = (gsize) width * height, n = plane * channels;
  const CsSampleType type = random_below (state, 3) == 0 ? CS_SAMPLE_F16 :
      CS_SAMPLE_F32;
  g_autofree double *samples = g_new (double, n);

  for (guint k = 0; k < channels; k++) {
    const guint kind = random_below (state, 6);

    if (kind >= 4)
      fill_disc (samples + k * plane, width, height, state);
    for (gsize i = 0; kind < 4 && i < plane; i++)
      samples[k * plane + i] = sample_of_kind (kind, state);
  }
  test->samples = store (samples, n, type);
  test->samples_size = n * cs_sample_size (type);
  test->input.fields = image_of (test->samples, type, width, height, channels,
      random_below (state, 3) == 0);
}

static void
make_coefficients (Case * test, guint n, guint64 * state)
{
  const guint k = test->input.fields.channels;
  const CsSampleType type = test->input.fields.type;
  g_autofree double *factors = g_new (double, n * k);

  for (guint i = 0; i < n * k; i++)
    factors[i] = random_below (state, 40) > 0 ? between (state, -1., 1.) :
        INFINITY;
  test->factors = store (factors, n * k, type);
  test->factors_size = n * k * cs_sample_size (type);
  test->coefficients = image_of (test->factors, type, k, n, 1, FALSE);
  /* as in detectors' tensors, a column for each object */
  if (random_below (state, 2) == 0) {
    test->coefficients.pixel_stride = n * cs_sample_size (type);
    test->coefficients.row_stride = cs_sample_size (type);
  }
  test->input.coefficients = &test->coefficients;
}

/* --- Objects -------------------------------------------------------------- */

static void
make_box (CsInstance * one, guint width, guint height, guint64 * state)
{
  const guint kind = random_below (state, 5);

  one->x0 = one->y0 = -INFINITY;
  one->x1 = one->y1 = INFINITY;
  if (kind == 0)
    return;
  one->x0 = between (state, -5., width);
  one->y0 = between (state, -5., height);
  one->x1 = between (state, one->x0, width + 5.);
  one->y1 = between (state, one->y0, height + 5.);
  if (kind == 1) {
    one->x0 = floor (one->x0) - .5;
    one->y1 = ceil (one->y1);
  } else if (kind == 2) {
    /* at a sample, or as good as that */
    one->x0 = one->origin_x + one->step_x * random_below (state, 5) +
        random_below (state, 2) * 1e-5;
  } else if (kind == 3 && random_below (state, 4) == 0) {
    one->x1 = one->x0 + random_below (state, 2) * 1e-6;
  }
}

static void
make_objects (Case * test, guint n_fields, guint width, guint height,
    guint64 * state)
{
  CsInstancesInput *input = &test->input;
  const guint n = random_below (state, 9) == 0 ? 0 : 1 + random_below (state,
      8);

  test->instances = g_new0 (CsInstance, MAX (n, 1));
  for (guint i = 0; i < n; i++) {
    CsInstance *one = &test->instances[i];

    one->field = random_below (state, n_fields);
    one->class_id = (gint32) random_below (state, 5);
    one->step_x = (double) input->width / width;
    one->step_y = (double) input->height / height;
    one->origin_x = (one->step_x - 1.) / 2.;
    one->origin_y = (one->step_y - 1.) / 2.;
    if (random_below (state, 2) == 0) {
      one->step_x = between (state, .3, 9.);
      one->origin_x = between (state, -9., input->width);
    }
    make_box (one, input->width, input->height, state);
  }
  input->instances = test->instances;
  input->n_instances = n;
}

void
case_init (Case * test, guint64 * state)
{
  static const double tolerances[] = { .1, .1, .01, .001, 1. };
  CsInstancesInput *input = &test->input;
  guint width = 1 + random_below (state, 40), height = 1 + random_below (state,
      40);
  guint n_fields = 1 + random_below (state, 5);

  *test = (Case) { {0}, };
  cs_instances_params_init (&test->params);
  test->params.level = random_below (state, 3) * .25;
  test->params.tolerance = tolerances[random_below (state, 5)];
  test->params.min_area = random_below (state, 3) == 0 ? between (state, 0.,
      200.) : 0.;
  test->params.measures = random_below (state, 3);
  make_fields (test, width, height, n_fields, state);
  if (random_below (state, 2) == 0) {
    n_fields = 1 + random_below (state, 6);
    make_coefficients (test, n_fields, state);
  }
  if (random_below (state, 5) == 0) {
    width = input->resized_width = 1 + random_below (state, 60);
    height = input->resized_height = 1 + random_below (state, 60);
  }
  if (random_below (state, 4) == 0) {
    input->grid_x = random_below (state, width);
    input->grid_y = random_below (state, height);
    width -= input->grid_x;
    height = input->grid_height = 1 + random_below (state, height -
        input->grid_y);
  }
  input->outside = random_below (state, 2);
  input->width = 1 + random_below (state, MAX_SIDE);
  input->height = 1 + random_below (state, MAX_SIDE);
  input->first_id = (gint32) random_below (state, 1000);
  make_objects (test, n_fields, width, height, state);
}

/* --- Known ones ----------------------------------------------------------- */

#define PROTOTYPES 32
#define COLUMNS 160
#define ROWS 120
#define PHOTOGRAPH_WIDTH 4032
#define PHOTOGRAPH_HEIGHT 3024

/* Waves whose sum with random coefficients looks as objects do: a few blobs to
 * a box, some with holes. */
static void
fill_prototypes (float *to, guint64 * state)
{
  for (guint k = 0; k < PROTOTYPES; k++) {
    const double fx = between (state, -.5, .5), fy = between (state, -.5, .5);
    const double phase = between (state, 0., 2. * G_PI);

    for (guint y = 0; y < ROWS; y++)
      for (guint x = 0; x < COLUMNS; x++)
        *to++ = (float) cos (fx * x + fy * y + phase);
  }
}

void
case_init_photograph (Case * test, guint n, double *area)
{
  guint64 state = 1;
  float *samples = g_new (float, PROTOTYPES * COLUMNS * ROWS);
  float *factors = g_new (float, n * PROTOTYPES);

  *test = (Case) { {0}, };
  cs_instances_params_init (&test->params);
  fill_prototypes (samples, &state);
  test->samples = samples;
  test->samples_size = sizeof (float) * PROTOTYPES * COLUMNS * ROWS;
  test->factors = factors;
  test->factors_size = sizeof (float) * n * PROTOTYPES;
  test->instances = g_new0 (CsInstance, n);
  *area = 0.;
  for (guint i = 0; i < n; i++) {
    const double width = between (&state, 150., 900.);
    const double height = between (&state, 150., 900.);
    CsInstance *one = &test->instances[i];

    for (guint k = 0; k < PROTOTYPES; k++)
      factors[i * PROTOTYPES + k] = (float) between (&state, -1., 1.);
    one->field = i;
    one->step_x = one->step_y = (double) PHOTOGRAPH_WIDTH / COLUMNS;
    one->origin_x = one->origin_y = (one->step_x - 1.) / 2.;
    one->x0 = between (&state, 0., PHOTOGRAPH_WIDTH - width);
    one->y0 = between (&state, 0., PHOTOGRAPH_HEIGHT - height);
    one->x1 = one->x0 + width;
    one->y1 = one->y0 + height;
    *area += width * height;
  }
  test->coefficients = image_of (factors, CS_SAMPLE_F32, PROTOTYPES, n, 1,
      FALSE);
  test->input = (CsInstancesInput) {
    .fields = image_of (samples, CS_SAMPLE_F32, COLUMNS, ROWS, PROTOTYPES,
        FALSE),
    .coefficients = &test->coefficients,
    .width = PHOTOGRAPH_WIDTH,.height = PHOTOGRAPH_HEIGHT,
    .instances = test->instances,.n_instances = n,
  };
}

void
case_init_given (Case * test, const float *values, guint n, guint width,
    guint height, guint picture_width, guint picture_height)
{
  const gsize size = sizeof (float) * width * height * n;

  *test = (Case) { {0}, };
  cs_instances_params_init (&test->params);
  test->samples = g_memdup2 (values, size);
  test->samples_size = size;
  test->instances = g_new0 (CsInstance, n);
  for (guint i = 0; i < n; i++) {
    const double sx = (double) picture_width / width;
    const double sy = (double) picture_height / height;

    test->instances[i] = (CsInstance) { i, (gint32) i, -INFINITY, -INFINITY,
      INFINITY, INFINITY, (sx - 1.) / 2., (sy - 1.) / 2., sx, sy
    };
  }
  test->input = (CsInstancesInput) {
    .fields = image_of (test->samples, CS_SAMPLE_F32, width, height, n, FALSE),
    .width = picture_width,.height = picture_height,
    .instances = test->instances,.n_instances = n,
  };
}

void
case_clear (Case * test)
{
  g_free (test->samples);
  g_free (test->factors);
  g_free (test->instances);
}
