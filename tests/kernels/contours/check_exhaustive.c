/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Every 3 x 3 image of the values -1, 0 and 1 at level 0, against the digest of
 * what scikit-image finds in them. */
#include <stdio.h>
#include <string.h>

#include "check_contours.h"
#include "../lib/check.h"

#define N_IMAGES 19683          /* 3^9 */

static const char *const digests[2] = {
  "5502b7305d072ec8ef3e98eda182fc9dc78ef3079828fd6506f22e94f8b01e3a",
  "e4996863430a6b1bce22aeb444979e462ceb09dd3b1b9fff0d8cb9106e205498",
};

/* The number of contours, then each one's points: their number, rows and
 * columns. */
static void
digest_output (GChecksum * checksum, const CsContoursOutput * output)
{
  const guint32 n = (guint32) output->n_contours;
  const double *points = output->points;
  guint32 length;

  g_checksum_update (checksum, (const guchar *) &n, sizeof (n));
  for (guint32 i = 0; i < n; i++) {
    length = output->offsets[i + 1] - output->offsets[i];
    g_checksum_update (checksum, (const guchar *) &length, sizeof (length));
    for (guint32 p = output->offsets[i]; p < output->offsets[i + 1]; p++) {
      const double row_column[2] = { points[2 * p + 1], points[2 * p] };

      g_checksum_update (checksum, (const guchar *) row_column,
          sizeof (row_column));
    }
  }
}

static gboolean
run_image (CsContours * plan, MemoryPool * pool, guint number,
    GChecksum * checksum)
{
  CsContoursOutput output = {.alloc = memory_pool_alloc,.user_data = pool,
    .want_host = TRUE
  };
  CsContoursInput input = { 0, };
  GError *error = NULL;
  float samples[9];

  for (gint i = 8; i >= 0; i--, number /= 3)
    samples[i] = (float) (number % 3) - 1.f;
  input.image = cs_image_gray (samples, CS_SAMPLE_F32, 3, 3,
      3 * sizeof (float));
  if (!cs_contours_run (plan, &input, &output, &error)) {
    fprintf (stderr, "exhaustive: %s\n", error->message);
    g_error_free (error);
    return FALSE;
  }
  digest_output (checksum, &output);
  return TRUE;
}

static gboolean
check_connectivity (const Backend * backend, gboolean high)
{
  const CsContoursTarget target = { 0, 0. };
  MemoryPool pool = {.cuda = is_cuda (backend) };
  GChecksum *checksum = g_checksum_new (G_CHECKSUM_SHA256);
  GError *error = NULL;
  CsContoursParams params;
  gboolean ok;
  guint i;

  cs_contours_params_init (&params);
  params.targets = &target;
  params.fully_connected_high = high;
  params.points = CS_POINTS_F64;
  CsContours *plan = cs_contours_new (&params, backend->executor, &error);
  if (!plan)
    g_error ("exhaustive: %s", error->message);
  for (i = 0, ok = TRUE; i < N_IMAGES && ok; i++)
    ok = run_image (plan, &pool, i, checksum);
  if (ok && strcmp (g_checksum_get_string (checksum), digests[high]) != 0) {
    fprintf (stderr, "exhaustive: %s, %s connected: digest %s, expected %s\n",
        backend->name, high ? "high" : "low",
        g_checksum_get_string (checksum), digests[high]);
    ok = FALSE;
  }
  cs_contours_free (plan);
  memory_pool_clear (&pool);
  g_checksum_free (checksum);
  return ok;
}

void
check_exhaustive (Backend ** backends, guint n_backends)
{
  for (guint b = 0; b < n_backends; b++)
    for (guint high = 0; high < 2; high++)
      count (check_connectivity (backends[b], high));
}
