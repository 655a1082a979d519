/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "luma.h"

#include "clones.h"
#include "luma_math.h"
#include "luma_private.h"

/* Rows of one chunk of work. */
#define CHUNK_ROWS 32

typedef struct
{
  const CsImage *rgb;
  float red_weight, blue_weight;
  float *luma;
} Job;

#define DEFINE_ROW(name, Sample) \
CS_CLONES \
static void \
name (void *user_data, guint y) \
{ \
  const Job *job = user_data; \
  const CsImage *rgb = job->rgb; \
  const gsize width = rgb[0].width; \
  const gsize rs = rgb[0].pixel_stride / sizeof (Sample); \
  const gsize gs = rgb[1].pixel_stride / sizeof (Sample); \
  const gsize bs = rgb[2].pixel_stride / sizeof (Sample); \
  const Sample *r = (const Sample *) ((const guint8 *) rgb[0].data + \
      y * rgb[0].row_stride); \
  const Sample *g = (const Sample *) ((const guint8 *) rgb[1].data + \
      y * rgb[1].row_stride); \
  const Sample *b = (const Sample *) ((const guint8 *) rgb[2].data + \
      y * rgb[2].row_stride); \
  float *out = job->luma + y * width; \
  gsize x; \
\
  for (x = 0; x < width; x++) \
    out[x] = cs_luma (r[x * rs], g[x * gs], b[x * bs], job->red_weight, \
        job->blue_weight); \
}

DEFINE_ROW (luma_row_u8, guint8);
DEFINE_ROW (luma_row_u16, guint16);

static gboolean
check (const CsImage rgb[3], GError ** error)
{
  for (guint i = 0; i < 3; i++) {
    if (rgb[i].width != rgb[0].width || rgb[i].height != rgb[0].height ||
        rgb[i].type != rgb[0].type || (rgb[i].memory == CS_MEMORY_DEVICE) !=
        (rgb[0].memory == CS_MEMORY_DEVICE) || rgb[i].type > CS_SAMPLE_U16 ||
        rgb[i].pixel_stride % cs_sample_size (rgb[i].type) != 0)
      return cs_error (error, CS_ERROR_INVALID,
          "red, green and blue are not of one size and type");
  }
  return TRUE;
}

gboolean
cs_luma_run (CsExecutor * executor, const CsImage rgb[3], float red_weight,
    float blue_weight, float *luma, GError ** error)
{
  Job job = { rgb, red_weight, blue_weight, luma };

  if (!check (rgb, error))
    return FALSE;
  if (rgb[0].memory == CS_MEMORY_DEVICE) {
#ifdef HAVE_CUDA
    return cs_luma_run_cuda (cs_executor_get_stream (executor), rgb,
        red_weight, blue_weight, luma, error);
#else
    return cs_error (error, CS_ERROR_NOT_SUPPORTED,
        "this build has no CUDA backend");
#endif
  }
  cs_executor_for_rows (executor, rgb[0].height, CHUNK_ROWS,
      rgb[0].type == CS_SAMPLE_U8 ? luma_row_u8 : luma_row_u16, &job);
  return TRUE;
}
