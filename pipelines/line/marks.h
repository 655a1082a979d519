/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "surface.h"

/* Of a piece. With more than these, of all its looks, marks are not found again
 * in other looks. */
#define LINE_MAX_MARKS 512

/**
 * LineMark:
 * @contour: its outline
 * @look: that shows it, index of a sight
 * @cup: of the look
 * @main: the defect that it has most of; -1 for none
 * @surface: that the look shows, in mm2
 * @least_surface: the same, if what is near the limb is not believed
 * @parts: of the recipe's defects, in mm2
 * @place: where; a mark whose least cosine is LINE_LIMB or less may go on behind
 *     the limb, and is not whole
 * @overlaps: the contour that is being shared out
 * @share: of it that counts; 0 to 1, and greater where the looks contradict each
 *     other
 *
 * A blemish as one look shows it.
 */
typedef struct
{
  const LineContour *contour;
  guint look, cup;
  gint main;
  gdouble surface, least_surface, parts[LINE_MAX_CLASSES];
  LinePlace place;
  gdouble share;
  gboolean overlaps;
} LineMark;

/**
 * line_marks_find_turn:
 * @marks: of all looks of a piece
 * @n: their number
 * @nominal: the degrees that it should turn from cup to cup
 * @views: of the sights, whose textures may know turns
 * @sights: of the looks
 * @n_sights: their number
 * @large_mm2: a turn that is far from the nominal one is believed of marks from
 *     this size on
 * @turn: (out): the degrees that it turns, by marks that several cups show;
 *     @nominal without
 *
 * Returns: whether it was found
 */
gboolean line_marks_find_turn (const LineMark * marks, gsize n,
    gdouble nominal, const LineView * const *views, const LineSight * sights,
    guint n_sights, gdouble large_mm2, gdouble * turn);

/**
 * line_marks_share:
 * @marks: of all looks of a piece, at most LINE_MAX_MARKS; their shares are set
 * @n: their number
 * @views: of the sights
 * @sights: of the looks, turned
 * @n_sights: their number
 * @large_mm2: marks from this size on must be where they should, and half as large
 *     ones that go on behind the limb
 *
 * Says how much of each mark's surface counts, so that one that several looks
 * show counts once.
 *
 * Returns: whether a mark is not shown where it should be
 */
gboolean line_marks_share (LineMark * marks, gsize n,
    const LineView * const *views, const LineSight * sights, guint n_sights,
    gdouble large_mm2);
