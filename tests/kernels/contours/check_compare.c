/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Results compared with the oracle's, byte for byte. */
#include "check_contours.h"

#include <stdio.h>
#include <string.h>

#include "../lib/check_device.h"

static gboolean
same_bytes (const char *name, const char *what, const void *got,
    const void *expected, gsize n, gsize size)
{
  const guint8 *a = got, *b = expected;
  gsize i;

  if (n == 0)
    return TRUE;
  if (!a || !b) {
    fprintf (stderr, "%s: %s are %smissing\n", name, what, a ? "not " : "");
    return !a && !b;
  }
  if (memcmp (a, b, n * size) == 0)
    return TRUE;
  for (i = 0; memcmp (a + i * size, b + i * size, size) == 0; i++);
  fprintf (stderr, "%s: %s differ, first at %" G_GSIZE_FORMAT " of %"
      G_GSIZE_FORMAT ":\n", name, what, i, n);
  for (gsize k = 0; k + 4 <= size; k += 4) {
    guint32 u, v;

    memcpy (&u, a + i * size + k, 4);
    memcpy (&v, b + i * size + k, 4);
    fprintf (stderr, "  byte %3" G_GSIZE_FORMAT ": %08x %08x%s\n", k, u, v,
        u == v ? "" : " *");
  }
  return FALSE;
}

static gboolean
same_count (const char *name, const char *what, gsize got, gsize expected)
{
  if (got != expected)
    fprintf (stderr, "%s: %s: %" G_GSIZE_FORMAT ", expected %" G_GSIZE_FORMAT
        "\n", name, what, got, expected);
  return got == expected;
}

static gboolean
same_arrays (const char *name, const CsContoursParams * params,
    const OracleResult * expected, const void *points, const void *offsets,
    const void *contours, const void *moments)
{
  const gsize point_size = params->points == CS_POINTS_F64 ? 16 : 8;

  return same_bytes (name, "offsets", offsets, expected->offsets,
      expected->n_contours + 1, sizeof (guint32)) &&
      (params->points == CS_POINTS_NONE ? points == NULL :
      same_bytes (name, "points", points, expected->points,
          expected->n_points, point_size)) &&
      same_bytes (name, "contours", contours, expected->contours,
      expected->n_contours, sizeof (CsContour)) &&
      (params->measures != CS_MEASURES_FULL ? moments == NULL :
      same_bytes (name, "moments", moments, expected->moments,
          expected->n_contours, sizeof (CsContourMoments)));
}

/* A device array's copy on the host; freed by the caller. */
static void *
download (const void *device, gsize n, gsize size)
{
  if (!device)
    return NULL;
  void *host = g_malloc (n * size + 1);
  check_device_copy (host, device, n * size);
  return host;
}

static gboolean
same_device_arrays (const char *name, const CsContoursParams * params,
    const OracleResult * expected, const CsContoursOutput * output)
{
  g_autofree void *points = download (output->device_points, output->n_points,
      params->points == CS_POINTS_F64 ? 16 : 8);
  g_autofree void *offsets = download (output->device_offsets,
      output->n_contours + 1, 4);
  g_autofree void *contours = download (output->device_contours,
      output->n_contours, sizeof (CsContour));
  g_autofree void *moments = download (output->device_moments,
      output->n_contours, sizeof (CsContourMoments));

  /* a result without contours may have no arrays on the device */
  return (expected->n_contours == 0 && !offsets) || same_arrays (name,
      params, expected, points, offsets, contours, moments);
}

gboolean
same_result (const char *name, const CsContoursParams * params,
    const OracleResult * expected, const CsContoursOutput * output,
    gboolean cuda)
{
  if (!same_count (name, "contours", output->n_contours, expected->n_contours)
      || !same_count (name, "points", output->n_points, expected->n_points)
      || !same_count (name, "segments", output->n_segments,
          expected->n_segments)
      || !same_count (name, "dropped", output->n_dropped, expected->n_dropped)
      || !same_count (name, "overwritten", output->n_overwritten,
          expected->n_overwritten))
    return FALSE;
  if ((!cuda || output->want_host) && !same_arrays (name, params, expected,
          output->points, output->offsets, output->contours, output->moments))
    return FALSE;
  return !cuda || same_device_arrays (name, params, expected, output);
}

gboolean
runner_open (Runner * runner, const Backend * backend,
    const CsContoursParams * params, const char *name)
{
  GError *error = NULL;

  memset (runner, 0, sizeof (*runner));
  runner->pool.cuda = is_cuda (backend);
  runner->plan = cs_contours_new (params, backend->executor, &error);
  if (!runner->plan) {
    fprintf (stderr, "%s: %s: %s\n", name, backend->name, error->message);
    g_error_free (error);
  }
  return runner->plan != NULL;
}

void
runner_close (Runner * runner)
{
  cs_contours_free (runner->plan);
  memory_pool_clear (&runner->pool);
}

void
move_input (const CsContoursInput * input, CsMemory memory, OwnImage * image,
    OwnImage * mask, CsContoursInput * moved)
{
  const CsImage *views[2] = { &input->image, input->mask };
  OwnImage *owned[2] = { image, mask };

  *moved = *input;
  for (guint i = 0; i < 2 && views[i]; i++) {
    const CsImage *v = views[i];
    OwnImage from = {.image = *v,.block = (void *) v->data };

    from.size = (v->channels - 1) * v->channel_stride +
        (v->height - 1) * v->row_stride + (v->width - 1) * v->pixel_stride +
        cs_sample_size (v->type);
    own_image_copy (&from, memory, owned[i]);
  }
  moved->image = image->image;
  moved->mask = input->mask ? &mask->image : NULL;
}

gboolean
run_and_compare (const char *name, const Backend * backend, Runner * runner,
    const CsContoursParams * params, const CsContoursInput * input,
    CsMemory memory, gboolean want_host, const OracleResult * expected)
{
  CsContoursOutput output = {
    .alloc = memory_pool_alloc,
    .user_data = &runner->pool,
    .want_host = want_host,
  };
  g_autofree char *full_name = g_strdup_printf ("%s\n  %s (memory %d, host %d)",
      name, backend->name, memory, want_host);
  OwnImage image = { 0, }, mask = { 0, };
  CsContoursInput moved;
  GError *error = NULL;

  move_input (input, memory, &image, &mask, &moved);
  memory_pool_poison (&runner->pool);
  gboolean ok = cs_contours_run (runner->plan, &moved, &output, &error);
  if (!ok) {
    fprintf (stderr, "%s: %s\n", full_name, error->message);
    g_error_free (error);
  } else {
    ok = same_result (full_name, params, expected, &output, is_cuda (backend));
  }
  own_image_clear (&image);
  own_image_clear (&mask);
  return ok;
}

struct _Checker
{
  const CsContoursParams *params;
  Backend **backends;
  guint n_backends;
  Runner *runners;
};

Checker *
checker_new (const char *name, const CsContoursParams * params,
    Backend ** backends, guint n_backends)
{
  Checker *checker = g_new0 (Checker, 1);
  gboolean ok = TRUE;

  *checker = (Checker) {
    params, backends, n_backends, g_new0 (Runner, n_backends)
  };
  for (guint b = 0; b < n_backends; b++)
    ok &= runner_open (&checker->runners[b], backends[b], params, name);
  if (ok)
    return checker;
  checker_free (checker);
  return NULL;
}

gboolean
checker_check (Checker * checker, const char *name,
    const CsContoursInput * input)
{
  OracleResult expected;
  gboolean ok = TRUE;

  oracle_run (checker->params, input, &expected);
  for (guint b = 0; b < checker->n_backends; b++)
    ok &= run_and_compare (name, checker->backends[b], &checker->runners[b],
        checker->params, input, CS_MEMORY_HOST, TRUE, &expected);
  oracle_clear (&expected);
  return ok;
}

void
checker_free (Checker * checker)
{
  for (guint b = 0; b < checker->n_backends; b++)
    runner_close (&checker->runners[b]);
  g_free (checker->runners);
  g_free (checker);
}
