/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Properties of elements: attributes, attributes style, and the style sheets
 * in the document, as CSS 2.1, chapters 5 and 6, says. Selectors have types,
 * classes, ids, attributes, :first-child, and all combinators. Rules within
 * @media and others with an @ are left out. */

#include "gstfourierdrawsvgtree.h"

typedef enum
{
  FOURIER_SVG_CLIP,
  FOURIER_SVG_CLIP_RULE,
  FOURIER_SVG_CX,
  FOURIER_SVG_CY,
  FOURIER_SVG_DISPLAY,
  FOURIER_SVG_FILL,
  FOURIER_SVG_FILL_OPACITY,
  FOURIER_SVG_FILL_RULE,
  FOURIER_SVG_FONT_SIZE,
  FOURIER_SVG_HEIGHT,
  FOURIER_SVG_MASK,
  FOURIER_SVG_OPACITY,
  FOURIER_SVG_OVERFLOW,
  FOURIER_SVG_R,
  FOURIER_SVG_RX,
  FOURIER_SVG_RY,
  FOURIER_SVG_STROKE,
  FOURIER_SVG_STROKE_OPACITY,
  FOURIER_SVG_STROKE_WIDTH,
  FOURIER_SVG_TRANSFORM,
  FOURIER_SVG_VISIBILITY,
  FOURIER_SVG_WIDTH,
  FOURIER_SVG_X,
  FOURIER_SVG_Y,
} FourierSvgProperty;

#define FOURIER_SVG_N_PROPERTIES (FOURIER_SVG_Y + 1)

/**
 * FourierSvgStyle:
 * @values: (nullable): of an element's properties, %NULL where nothing says
 *     one; not inherited ones
 * @priorities: which of two values counts; 0 for one of an attribute of this
 *     name
 */
typedef struct
{
  const gchar *values[FOURIER_SVG_N_PROPERTIES];
  guint64 priorities[FOURIER_SVG_N_PROPERTIES];
} FourierSvgStyle;

/* The rules of a document's style sheets. */
typedef struct _FourierSvgSheet FourierSvgSheet;

/* @tree: must live longer
 * Returns: (transfer full): %NULL with @error (CS_ERROR_LIMIT or
 *     CS_ERROR_NO_MEMORY) set; what is not understood is left out */
FourierSvgSheet *fourier_svg_sheet_new (FourierSvgTree * tree, GError ** error);
void fourier_svg_sheet_free (FourierSvgSheet * sheet);

/* @work: grows by the steps that it takes
 * Returns: %FALSE if memory ran out (fourier_svg_tree_set_error()) */
gboolean fourier_svg_sheet_get (FourierSvgSheet * sheet, FourierSvgNode * node,
    FourierSvgStyle * style, guint64 * work);
