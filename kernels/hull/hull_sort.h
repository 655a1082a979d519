/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_HULL_SORT_H
#define CS_HULL_SORT_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsHullSortItem:
 * @key: sorting key
 * @at: payload
 */
typedef struct
{
  guint64 key;
  guint32 at;
} CsHullSortItem;

/* Stable sort of @n items by key; @other is scratch of the same size. Returns
 * the one of the two that holds the result. */
CsHullSortItem *cs_hull_sort (CsHullSortItem * items, CsHullSortItem * other,
    gsize n);

G_END_DECLS

#endif /* CS_HULL_SORT_H */
