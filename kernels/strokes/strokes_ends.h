/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_STROKES_ENDS_H
#define CS_STROKES_ENDS_H

#include "strokes_private.h"

G_BEGIN_DECLS

/* Joins open contours by their ends, as #CsStrokesMerge says. Chain c is
 * @entries[@chain_offsets[c]] up to, not including, @chain_offsets[c + 1]: the
 * ends that its contours are drawn from, in order; end 2 * i is where contour i
 * begins, 2 * i + 1 where it ends. A closed contour is a chain by itself. Both
 * arrays are the caller's: a number for each contour, and one more. Chains are
 * in the order of their lowest contours. */
gboolean cs_strokes_join_ends (CsScratch * scratch, const CsStrokesList * list,
    double distance, guint32 * entries, guint32 * chain_offsets,
    gsize * n_chains, GError ** error);

G_END_DECLS

#endif /* CS_STROKES_ENDS_H */
