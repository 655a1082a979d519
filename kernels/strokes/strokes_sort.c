/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strokes_private.h"

#include <string.h>

#define DIGIT_BITS 11
#define N_DIGITS (1u << DIGIT_BITS)

guint
cs_strokes_n_bits (guint64 value)
{
  guint n = 0;

  while (value) {
    n++;
    value >>= 1;
  }
  return n;
}

/* Exclusive prefix sum in place; FALSE if all keys have the same digit. */
static gboolean
exclusive_scan (gsize * count, gsize n)
{
  gsize at = 0, digit;

  for (digit = 0; digit < N_DIGITS; digit++) {
    const gsize c = count[digit];

    if (c == n)
      return FALSE;
    count[digit] = at;
    at += c;
  }
  return TRUE;
}

void
cs_strokes_sort (guint64 * keys, guint32 * values, guint64 * other_keys,
    guint32 * other_values, gsize n, guint n_bits)
{
  guint64 *from_k = keys, *to_k = other_keys;
  guint32 *from_v = values, *to_v = other_values;
  guint shift;
  gsize i;

  for (shift = 0; shift < n_bits; shift += DIGIT_BITS) {
    gsize count[N_DIGITS] = { 0 };
    guint64 *swap_k = from_k;
    guint32 *swap_v = from_v;

    for (i = 0; i < n; i++)
      count[from_k[i] >> shift & (N_DIGITS - 1)]++;
    if (!exclusive_scan (count, n))
      continue;
    for (i = 0; i < n; i++) {
      const gsize at = count[from_k[i] >> shift & (N_DIGITS - 1)]++;

      to_k[at] = from_k[i];
      to_v[at] = from_v[i];
    }
    from_k = to_k;
    from_v = to_v;
    to_k = swap_k;
    to_v = swap_v;
  }
  if (from_k != keys) {
    memcpy (keys, from_k, n * sizeof (*keys));
    memcpy (values, from_v, n * sizeof (*values));
  }
}
