/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsSortItem:
 * @key: sorting key, ascending
 * @value: payload
 */
typedef struct
{
  guint64 key;
  guint32 value;
} CsSortItem;

/* The same with a key of 32 bits. */
typedef struct
{
  guint32 key;
  guint32 value;
} CsSortItem32;

/* Stable sort of @n < 2^32 items by key; @other is scratch of the same size.
 * Returns the one of the two that holds the result. */
CsSortItem *cs_sort (CsSortItem * items, CsSortItem * other, gsize n);
CsSortItem32 *cs_sort32 (CsSortItem32 * items, CsSortItem32 * other, gsize n);

/* The first of @n ascending values that is not less than @value; @n without. */
guint32 cs_lower_bound (const guint32 * values, guint32 n, gsize value);

G_END_DECLS
