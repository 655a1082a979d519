/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstfourierdrawcontours.h"

/* Most characters of a text. */
#define FOURIER_TEXT_MAX 1000

/* The outlines of @text, as large as @width x @height allow with a margin of a
 * twentieth, its lines centred, in the order of letters. Outlines have a point
 * for each two pixels at least, and end where they begin.
 *
 * @text: UTF-8, lines between newlines
 * @font: (nullable): as of pango_font_description_from_string(), such as "Sans
 *     Bold"; %NULL: "Sans"
 * Returns: (transfer full): %NULL with @error set: CS_ERROR_INVALID if @text is
 *     no UTF-8, CS_ERROR_LIMIT, CS_ERROR_NO_MEMORY, or GST_SHAPES_FONT_ERROR */
FourierContours *fourier_text_outline (const gchar * text,
    const gchar * font, guint width, guint height, GError ** error);
