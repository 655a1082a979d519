/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "sort.h"

#include <string.h>

#define RUN 16                  /* sorted by insertion */
#define MIN_RADIX 1024          /* fewer are merged */
#define MAX_DIGIT_BITS 11

#define Item CsSortItem
#define NAME(name) name
#define MAX_DIGITS 6            /* 64 bits by 11 */
#include "sort_template.h"

#define Item CsSortItem32
#define NAME(name) name##32
#define MAX_DIGITS 3            /* 32 bits by 11 */
#include "sort_template.h"

guint32
cs_lower_bound (const guint32 * values, guint32 n, gsize value)
{
  guint32 low = 0, high = n;

  while (low < high) {
    const guint32 middle = low + (high - low) / 2;

    if (values[middle] < value)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}
