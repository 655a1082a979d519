/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stream_copy.h"

#include <string.h>

/* Sanitizers do not see such stores. */
#if defined (__SSE2__) && !defined (__SANITIZE_ADDRESS__) && \
    !defined (__SANITIZE_THREAD__)

#include <emmintrin.h>

#define LINE ((gsize) 64)
#define VECTOR ((gsize) 16)

/* Whole cache lines, to a line's begin. */
static void
copy_lines (guint8 * to, const guint8 * from, gsize n)
{
  for (; n > 0; n--, to += LINE, from += LINE) {
    const __m128i a = _mm_loadu_si128 ((const __m128i *) from);
    const __m128i b = _mm_loadu_si128 ((const __m128i *) (from + VECTOR));
    const __m128i c = _mm_loadu_si128 ((const __m128i *) (from + 2 * VECTOR));
    const __m128i d = _mm_loadu_si128 ((const __m128i *) (from + 3 * VECTOR));

    _mm_stream_si128 ((__m128i *) to, a);
    _mm_stream_si128 ((__m128i *) (to + VECTOR), b);
    _mm_stream_si128 ((__m128i *) (to + 2 * VECTOR), c);
    _mm_stream_si128 ((__m128i *) (to + 3 * VECTOR), d);
  }
}

static void
copy_row (guint8 * to, const guint8 * from, gsize size)
{
  const gsize head = MIN (-(guintptr) to % LINE, size);
  const gsize lines = (size - head) / LINE;
  const gsize tail = head + lines * LINE;

  memcpy (to, from, head);
  copy_lines (to + head, from + head, lines);
  memcpy (to + tail, from + tail, size - tail);
}

/* These stores are not ordered with others; waiting for them costs as much as a
 * row. */
static void
finish (void)
{
  _mm_sfence ();
}

#else

static void
copy_row (guint8 * to, const guint8 * from, gsize size)
{
  memcpy (to, from, size);
}

static void
finish (void)
{
}

#endif

void
cs_stream_copy (void *to, gsize to_stride, const void *from,
    gsize from_stride, gsize row_size, gsize rows)
{
  for (gsize y = 0; y < rows; y++)
    copy_row ((guint8 *) to + y * to_stride,
        (const guint8 *) from + y * from_stride, row_size);
  finish ();
}
