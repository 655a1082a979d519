/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "strokes_private.h"

G_BEGIN_DECLS

/* Joins open contours by their end points, see #CsStrokesMerge. Chain c is
 * @entries[@chain_offsets[c]] up to, not including, @chain_offsets[c + 1]: the
 * entry ends of its contours, in order; end 2 * i is the start of contour i,
 * 2 * i + 1 its end. A closed contour is a chain of its own. Both arrays are
 * the caller's, of one entry more than there are contours. Chains are in the
 * order of their lowest contours. */
gboolean cs_strokes_join_ends (CsScratch * scratch, const CsStrokesList * list,
    double distance, guint32 * entries, guint32 * chain_offsets,
    gsize * n_chains, GError ** error);

G_END_DECLS
