/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Values of attributes of SVG: lengths, view boxes, how these fit, and
 * conditions. */

#include "gstfourierdrawsvgpath.h"
#include "gstfourierdrawsvgstyle.h"

/* What lengths are relative to: the viewport and the font, in user units. */
typedef struct
{
  gdouble width, height, font_size;
} SvgUnits;

/* What percentages are of: the viewport's width, its height, its diagonal
 * divided by the root of two, or the size of the font. */
typedef enum
{
  SVG_OF_WIDTH,
  SVG_OF_HEIGHT,
  SVG_OF_DIAGONAL,
  SVG_OF_FONT,
} SvgOf;

/* Reads a length, with a unit or without one, as user units.
 *
 * @text: (nullable): what is not a length leaves @length as it is
 * Returns: whether it was one */
gboolean svg_read_length (const gchar * text,
    const SvgUnits * units, SvgOf of, gdouble * length);

/* Reads a number from 0 to 1, or a percentage of it; 1 without one. */
gdouble svg_read_opacity (const gchar * text);

/* Whether @text, without white space around it, is @word, in letters of either
 * case. @text: (nullable) */
gboolean svg_is_word (const gchar * text, const gchar * word);

/* @box: (array fixed-size=4): x, y, width, height
 * Returns: whether @text is a view box; its width or height may be 0 */
gboolean svg_read_view_box (const gchar * text, gdouble * box);

/* The matrix that lays @inner into @outer as preserveAspectRatio says; both are
 * x, y, width and height.
 *
 * @aspect: (nullable): its value */
FourierMatrix svg_fit (const gdouble * inner,
    const gdouble * outer, const gchar * aspect);

/* Whether requiredFeatures, requiredExtensions and systemLanguage, each
 * (nullable), let an element be drawn, for the user's languages. */
gboolean svg_conditions_hold (const gchar * features,
    const gchar * extensions, const gchar * languages);

/* The outline of a basic shape or a path, up to the first error in it, by a pen
 * that has begun. */
void svg_draw_shape (FourierPen * pen, const SvgNode * node,
    const SvgStyle * style, const SvgUnits * units);

/* The number of a property, or @other. */
gdouble svg_get_length (const SvgStyle * style, SvgProperty property,
    const SvgUnits * units, SvgOf of, gdouble other);
