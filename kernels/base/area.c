/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "area.h"

/* Rows of one chunk of work. */
#define CHUNK_ROWS 8

typedef struct
{
  const CsImage *image;
  guint width, height;
  float *out;
} Job;

/**
 * Span:
 * @first: the first sample that is covered
 * @last: the last one
 * @begin: how much of the first one
 * @middle: how much of those between
 * @end: how much of the last one, if there is more than one
 *
 * What a pixel of the result covers along one axis. Weights are whole numbers,
 * whose sum is the number of samples along the axis.
 */
typedef struct
{
  guint first, last;
  double begin, middle, end;
} Span;

/* Of pixel @i of @to that share @from samples. */
static Span
find_span (guint i, guint from, guint to)
{
  const guint64 begin = (guint64) i * from, end = begin + from;
  Span span = {.first = begin / to,.last = (end - 1) / to,.middle = to };

  span.begin = MIN (end, ((guint64) span.first + 1) * to) - begin;
  span.end = end - (guint64) span.last * to;
  return span;
}

#define DEFINE_ROW(name, Sample) \
static double \
sum_##name (const guint8 * row, gsize step, const Span * span) \
{ \
  const Sample *at = (const Sample *) (gconstpointer) row; \
  const gsize stride = step / sizeof (Sample); \
  double sum = 0., middle = 0.; \
  gsize x; \
\
  sum = at[span->first * stride] * span->begin; \
  for (x = (gsize) span->first + 1; x < span->last; x++) \
    middle += at[x * stride]; \
  if (span->last > span->first) \
    sum += at[span->last * stride] * span->end; \
  return sum + middle * span->middle; \
} \
\
static void \
name (void *user_data, guint y) \
{ \
  const Job *job = user_data; \
  const CsImage *image = job->image; \
  const Span rows = find_span (y, image->height, job->height); \
  const double area = (double) image->width * image->height; \
  float *out = job->out + (gsize) y * job->width; \
  guint x, row; \
\
  for (x = 0; x < job->width; x++) { \
    const Span span = find_span (x, image->width, job->width); \
    double sum = 0.; \
\
    for (row = rows.first; row <= rows.last; row++) \
      sum += (row == rows.first ? rows.begin : row == rows.last ? rows.end : \
          rows.middle) * sum_##name ((const guint8 *) image->data + \
          row * image->row_stride, image->pixel_stride, &span); \
    out[x] = sum / area; \
  } \
}

DEFINE_ROW (row_u8, guint8);
DEFINE_ROW (row_u16, guint16);
DEFINE_ROW (row_f32, float);

void
cs_area_average (CsExecutor * executor, const CsImage * image, guint width,
    guint height, float *out)
{
  Job job = { image, width, height, out };

  g_return_if_fail (image->memory != CS_MEMORY_DEVICE);
  g_return_if_fail (image->type == CS_SAMPLE_U8 ||
      image->type == CS_SAMPLE_U16 || image->type == CS_SAMPLE_F32);
  cs_executor_for_rows (executor, height, CHUNK_ROWS,
      image->type == CS_SAMPLE_U8 ? row_u8 : image->type == CS_SAMPLE_U16 ?
      row_u16 : row_f32, &job);
}
