/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_HULL_SORT_H
#define CS_HULL_SORT_H

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsHullSortItem:
 * @key: what is sorted by
 * @at: what belongs to it
 */
typedef struct
{
  guint64 key;
  guint32 at;
} CsHullSortItem;

/* Sorts @n items by key, stably, with @other, as large, to help. Returns which
 * of the two holds the result. */
CsHullSortItem *cs_hull_sort (CsHullSortItem * items, CsHullSortItem * other,
    gsize n);

G_END_DECLS

#endif /* CS_HULL_SORT_H */
