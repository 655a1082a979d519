/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What both backends ask of a job. */
#include "raster_private.h"

#include <math.h>
#include <string.h>

CsDirectChoice cs_raster_direct = CS_DIRECT_AUTO;
CsRasterPaths cs_raster_cuda_paths;

static double
to_light (double v)
{
  return v <= .04045 ? v / 12.92 : pow ((v + .055) / 1.055, 2.4);
}

void
cs_raster_make_tables (gint table_max, float *decode, float *encode,
    float *bytes)
{
  for (gint i = 0; i <= table_max; i++) {
    decode[i] = to_light ((double) i / table_max);
    encode[i] = i > 0 ? to_light ((i - .5) / table_max) : 0;
  }
  for (gint i = 0; i < 256; i++)
    bytes[i] = to_light (i / 255.);
}

void
cs_raster_job_key (const CsRasterJob * job, CsRasterKey * key)
{
  memset (key, 0, sizeof (*key));
  key->version = job->marks->version;
  key->n = job->marks->n;
  key->cut = job->cut;
  key->width = job->format.width;
  key->height = job->format.height;
  key->antialias = job->format.antialias;
  key->has_depths = job->marks->depths != NULL;
  key->marks = job->marks->marks;
  key->depths = job->marks->depths;
  key->fills = job->marks->fills;
  key->gradients = job->marks->gradients;
}

gboolean
cs_raster_key_equal (const CsRasterKey * a, const CsRasterKey * b)
{
  return a->version != 0 && memcmp (a, b, sizeof (*a)) == 0;
}

gboolean
cs_raster_key_same_marks (const CsRasterKey * a, const CsRasterKey * b)
{
  return a->version != 0 && a->version == b->version && a->n == b->n &&
      a->marks == b->marks && a->depths == b->depths &&
      a->fills == b->fills && a->gradients == b->gradients;
}
