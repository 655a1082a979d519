/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "area_private.h"

#include "clones.h"
#include "area_math.h"

/* Rows of one chunk of work. */
#define CHUNK_ROWS 8
/* Columns whose samples are added up at once. */
#define BLOCK 1024

typedef struct
{
  const CsImage *image;
  guint width, height;
  float *out;
} Job;

static const guint8 *
row_at (const CsImage * image, guint row)
{
  return (const guint8 *) image->data + row * image->row_stride;
}

/* Whole samples: @n columns from @first on, each the weighted sum of its rows,
 * which is less than 65536 times the greatest sample. The first row is that of
 * the span. */
#define DEFINE_COLUMNS(name, Sample) \
CS_CLONES \
static void \
name (const CsImage * image, const CsAreaSpan * rows, guint first, guint n, \
    guint32 * sums) \
{ \
  const gsize stride = image->pixel_stride / sizeof (Sample); \
\
  for (guint row = rows->first; row <= rows->last; row++) { \
    const guint32 weight = cs_area_weight (rows, row); \
    const guint32 keep = row == rows->first ? 0 : G_MAXUINT32; \
    const Sample *at = (const Sample *) (gconstpointer) \
        row_at (image, row) + first * stride; \
\
    if (stride == 1) { \
      for (guint i = 0; i < n; i++) \
        sums[i] = (sums[i] & keep) + at[i] * weight; \
    } else { \
      for (guint i = 0; i < n; i++) \
        sums[i] = (sums[i] & keep) + at[i * stride] * weight; \
    } \
  } \
}

DEFINE_COLUMNS (columns_u8, guint8);
DEFINE_COLUMNS (columns_u16, guint16);

/* A pixel's right edge is in column @at, which it covers by @rest; columns are
 * @to wide. */
typedef struct
{
  guint at, rest;
} Edge;

static Edge
next_edge (Edge edge, guint from, guint to)
{
  edge.at += from / to;
  edge.rest += from % to;
  if (edge.rest >= to) {
    edge.rest -= to;
    edge.at++;
  }
  return edge;
}

/* Sums of whole samples are exact in any order: whole columns, less what of the
 * first one is to the left, and what is covered of the last. */
static void
row_of_codes (void *user_data, guint y)
{
  const Job *job = user_data;
  const CsImage *image = job->image;
  const guint from = image->width, to = job->width;
  const CsAreaSpan rows = cs_area_span (y, image->height, job->height);
  const double area = (double) from * image->height;
  float *out = job->out + (gsize) y * to;
  Edge edge = next_edge ((Edge) { 0, 0 }, from, to);
  guint32 sums[BLOCK] = { 0 };
  guint64 whole = 0, left = 0;
  guint x = 0, column = 0;

  for (guint begin = 0; begin < from; begin += BLOCK) {
    const guint n = MIN (BLOCK, from - begin);

    (image->type == CS_SAMPLE_U8 ? columns_u8 : columns_u16) (image, &rows,
        begin, n, sums);
    while (x < to) {
      while (column < MIN (edge.at, begin + n))
        whole += sums[column++ - begin];
      if (edge.at >= begin + n && !(edge.at == begin + n && edge.rest == 0))
        break;
      const guint64 right = edge.rest > 0 ?
          (guint64) sums[column - begin] * edge.rest : 0;

      out[x++] = (whole * to + right - left) / area;
      whole = 0;
      left = right;
      edge = next_edge (edge, from, to);
    }
  }
}

CS_AREA_DEFINE_SUM (float, sum_floats);

static void
row_of_floats (void *user_data, guint y)
{
  const Job *job = user_data;
  const CsImage *image = job->image;
  const CsAreaSpan rows = cs_area_span (y, image->height, job->height);
  const double area = (double) image->width * image->height;
  float *out = job->out + (gsize) y * job->width;

  for (guint x = 0; x < job->width; x++) {
    const CsAreaSpan span = cs_area_span (x, image->width, job->width);
    double sum = 0.;

    for (guint row = rows.first; row <= rows.last; row++)
      sum += cs_area_weight (&rows, row) * sum_floats ((const float *)
          (gconstpointer) row_at (image, row),
          image->pixel_stride / sizeof (float), &span);
    out[x] = sum / area;
  }
}

gboolean
cs_area_average (CsExecutor * executor, const CsImage * image, guint width,
    guint height, float *out, GError ** error)
{
  Job job = { image, width, height, out };

  g_return_val_if_fail (image->type == CS_SAMPLE_U8 ||
      image->type == CS_SAMPLE_U16 || image->type == CS_SAMPLE_F32, FALSE);
  if (image->memory == CS_MEMORY_DEVICE) {
#ifdef HAVE_CUDA
    return cs_area_average_cuda (cs_executor_get_stream (executor), image,
        width, height, out, error);
#else
    return cs_error (error, CS_ERROR_NOT_SUPPORTED,
        "this build has no CUDA backend");
#endif
  }
  cs_executor_for_rows (executor, height, CHUNK_ROWS,
      image->type == CS_SAMPLE_F32 ? row_of_floats : row_of_codes, &job);
  return TRUE;
}
