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
  /* these stores are not ordered with others */
  _mm_sfence ();
}

void
cs_stream_copy (void *to, const void *from, gsize size)
{
  const gsize head = MIN (-(guintptr) to % LINE, size);
  const gsize lines = (size - head) / LINE;
  const gsize tail = head + lines * LINE;

  memcpy (to, from, head);
  copy_lines ((guint8 *) to + head, (const guint8 *) from + head, lines);
  memcpy ((guint8 *) to + tail, (const guint8 *) from + tail, size - tail);
}

#else

void
cs_stream_copy (void *to, const void *from, gsize size)
{
  memcpy (to, from, size);
}

#endif
