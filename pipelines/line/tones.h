/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "surface.h"

/* What views say of the colour of skin, by cup: a record of floats for each.
 * Colours of the recipe follow the head: of each, pixels that are of it. */

typedef enum
{
  LINE_TONE_PIXELS,
  LINE_TONE_LIGHTNESS,
  LINE_TONE_A,
  LINE_TONE_B,
  LINE_TONE_HEAD,
} LineTonePart;

/* Floats of a view, at most */
#define LINE_MAX_TONES \
    (LINE_MAX_CUPS * (LINE_TONE_HEAD + LINE_MAX_COLOURS))

/**
 * LineTone:
 * @looks: that have been added
 * @pixels: of skin, in all of them
 * @lab: their mean L*, a*, b*
 * @shares: percent of them that are of each of the recipe's colours
 *
 * The colour of a piece.
 */
typedef struct
{
  guint looks;
  gdouble pixels, lab[3], shares[LINE_MAX_COLOURS];
} LineTone;

/* Takes the mean of what @views, looks as @sights say, show; each pixel counts
 * the same. Looks without skin, or whose records are damaged, do not count. */
LineTone line_tones_mean (const LineSight * sights,
    const LineView * const *views, guint n, guint cups, guint n_colours);
