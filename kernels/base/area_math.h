/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What a pixel of a scaled image covers, and its sum, on the CPU and the GPU:
 * compile without contraction. */

#include <stdint.h>

#ifdef __CUDACC__
#define CS_AREA_FN static __host__ __device__ __forceinline__
#else
#define CS_AREA_FN static inline
#endif

/**
 * CsAreaSpan:
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
  uint32_t first, last;
  uint32_t begin, middle, end;
} CsAreaSpan;

/* Of pixel @i of @to that share @from samples. */
CS_AREA_FN CsAreaSpan
cs_area_span (uint32_t i, uint32_t from, uint32_t to)
{
  const uint64_t begin = (uint64_t) i * from, end = begin + from;
  const uint64_t until = (begin / to + 1) * to;
  CsAreaSpan span;

  span.first = (uint32_t) (begin / to);
  span.last = (uint32_t) ((end - 1) / to);
  span.begin = (uint32_t) ((end < until ? end : until) - begin);
  span.middle = to;
  span.end = (uint32_t) (end - (uint64_t) span.last * to);
  return span;
}

/* The weight of sample @at, which is covered. */
CS_AREA_FN uint32_t
cs_area_weight (const CsAreaSpan * span, uint32_t at)
{
  return at == span->first ? span->begin : at == span->last ? span->end :
      span->middle;
}

/* The weighted sum along a row of @Sample, @stride samples apart. */
#define CS_AREA_DEFINE_SUM(Sample, name) \
CS_AREA_FN double \
name (const Sample * at, size_t stride, const CsAreaSpan * span) \
{ \
  double sum = at[span->first * stride] * (double) span->begin; \
  double middle = 0.; \
\
  for (size_t x = (size_t) span->first + 1; x < span->last; x++) \
    middle += at[x * stride]; \
  if (span->last > span->first) \
    sum += at[span->last * stride] * (double) span->end; \
  return sum + middle * span->middle; \
}
