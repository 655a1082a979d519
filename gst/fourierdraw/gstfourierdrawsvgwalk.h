/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstfourierdrawsvgclip.h"
#include "gstfourierdrawsvgtree.h"

/**
 * SvgDrawing:
 * @lines: in pixels; a pixel's centre is at a half
 * @has_text: whether there is a text, which is not drawn
 * @has_image: whether there is an image, which is not drawn
 * @has_mask: whether there is a mask, and what it hides is drawn
 */
typedef struct
{
  FourierLines lines;
  gboolean has_text, has_image, has_mask;
} SvgDrawing;

/* Draws what is seen of a document: its page centred in a picture of
 * @width x @height, as large as possible, or, if it has no size, all that it
 * draws.
 *
 * Returns: %FALSE with @error (CS_ERROR_LIMIT or CS_ERROR_NO_MEMORY) set */
gboolean svg_walk (SvgTree * tree, guint width,
    guint height, SvgDrawing * drawing, GError ** error);
void svg_drawing_clear (SvgDrawing * drawing);
