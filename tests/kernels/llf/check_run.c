/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Plans, tables and runs of the filter for tests, and how results are compared. */
#include "check_llf.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../lib/check.h"
#include "../lib/check_device.h"

CsExecutor *executor, *device_executor;
gboolean small;

const CsLlfSettings all = {.amount = 1 };
const CsLlfSettings nothing = {.amount = 0 };

CsLlfParams
make_params (CsLlfQuality quality, CsLlfCurve curve, double sigma,
    double alpha, double beta)
{
  CsLlfParams params;

  cs_llf_params_init (&params);
  params.quality = quality;
  params.curve = curve;
  params.sigma = sigma;
  params.alpha = alpha;
  params.beta = beta;
  return params;
}

CsLlfTable *
make_new_table (const CsLlfParams * params)
{
  GError *error = NULL;
  CsLlfTable *table = cs_llf_table_new (params, &error);

  if (!table) {
    printf ("cannot make a table: %s\n", error->message);
    exit (1);
  }
  return table;
}

static GPtrArray *kept_tables;

CsLlfTable *
make_table (const CsLlfParams * params)
{
  CsLlfTable *table;

  if (!kept_tables)
    kept_tables = g_ptr_array_new_with_free_func (
        (GDestroyNotify) cs_llf_table_unref);
  for (guint i = 0; i < kept_tables->len; i++) {
    table = g_ptr_array_index (kept_tables, i);
    if (memcmp (&table->params, params, sizeof (*params)) == 0)
      return cs_llf_table_ref (table);
  }
  table = make_new_table (params);
  g_ptr_array_add (kept_tables, cs_llf_table_ref (table));
  return table;
}

void
tables_free (void)
{
  g_clear_pointer (&kept_tables, g_ptr_array_unref);
}

CsLlf *
make_plan (CsLlfTable * table, CsExecutor * on)
{
  GError *error = NULL;
  CsLlf *plan = cs_llf_new (table, on, &error);

  if (!plan) {
    printf ("cannot make a plan: %s\n", error->message);
    exit (1);
  }
  return plan;
}

void
run (CsLlf * plan, const CsLlfFrame * frame, const CsLlfSettings * settings)
{
  g_autoptr (GError) error = NULL;
  const gboolean ok = cs_llf_run (plan, frame, settings, &error);

  expect (ok, "run: %s", error ? error->message : "no error set");
}

void
run_on_device (CsLlf * plan, const CsLlfFrame * frame,
    const CsLlfSettings * settings, void *out)
{
  const gsize size = frame->input.row_stride * frame->input.height;
  void *device_in = check_device_alloc (size);
  void *device_out = check_device_alloc (size);
  CsLlfFrame on_device = *frame;

  check_device_copy (device_in, frame->input.data, size);
  check_device_fill (device_out, 99, size);
  on_device.input.data = device_in;
  on_device.input.memory = CS_MEMORY_DEVICE;
  on_device.output = device_out;
  run (plan, &on_device, settings);
  check_device_copy (out, device_out, size);
  check_device_free (device_in);
  check_device_free (device_out);
}

void
run_bytes (CsLlf * plan, gboolean on_device, const guint8 * in, guint width,
    guint height, guint8 * out)
{
  const CsLlfFrame frame = llf_frame (in, CS_SAMPLE_U8, width, height, out);

  if (on_device)
    run_on_device (plan, &frame, &all, out);
  else
    run (plan, &frame, &all);
}

void
filter_u8 (CsLlfTable * table, const guint8 * in, guint width, guint height,
    guint8 * out)
{
  g_autoptr (CsLlf) plan = make_plan (table, executor);

  run_bytes (plan, FALSE, in, width, height, out);
}

guint8 *
bytes_new (LlfFill fill, guint width, guint height)
{
  g_autofree guint16 *codes = llf_codes_new (fill, width, height, 255);
  guint8 *bytes = g_new (guint8, (gsize) width * height);

  for (gsize i = 0; i < (gsize) width * height; i++)
    bytes[i] = (guint8) codes[i];
  return bytes;
}

float *
filter_codes (CsLlfTable * table, const guint16 * codes, guint width,
    guint height, const CsLlfSettings * settings)
{
  const gsize n = (gsize) width * height;
  const float most = table->n_codes - 1;
  float *values = g_new (float, n);
  CsLlf *plan = make_plan (table, executor);

  for (gsize i = 0; i < n; i++)
    values[i] = codes[i] / most;
  CsLlfFrame frame = llf_frame (values, CS_SAMPLE_F32, width, height, values);
  run (plan, &frame, settings);
  cs_llf_free (plan);
  for (gsize i = 0; i < n; i++)
    values[i] *= most;
  return values;
}

/* Not fmax(), of which over fabs() in a loop GCC 12 for aarch64 makes an
 * internal error. */
double
keep_greater (double most, double value)
{
  return value > most || isnan (value) ? value : most;
}

double
largest_difference (const float *a, const double *b, gsize n)
{
  double most = 0;

  for (gsize i = 0; i < n; i++)
    most = keep_greater (most, fabs (a[i] - b[i]));
  return most;
}

double
psnr (const float *a, const double *b, gsize n)
{
  double sum = 0;

  for (gsize i = 0; i < n; i++)
    sum += (a[i] - b[i]) * (a[i] - b[i]);
  return 10 * log10 (255. * 255 / fmax (sum / n, 1e-20));
}
