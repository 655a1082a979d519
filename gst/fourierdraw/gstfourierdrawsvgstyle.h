/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Properties of elements: attributes, attributes style, and the style sheets
 * in the document, as CSS 2.1, chapters 5 and 6, says. Selectors have types,
 * classes, ids, attributes, :first-child, and all combinators. Rules within
 * @media and others with an @ are left out. */

#include "gstfourierdrawsvgtree.h"

typedef enum
{
  SVG_CLIP,
  SVG_CLIP_RULE,
  SVG_CX,
  SVG_CY,
  SVG_DISPLAY,
  SVG_FILL,
  SVG_FILL_OPACITY,
  SVG_FILL_RULE,
  SVG_FONT_SIZE,
  SVG_HEIGHT,
  SVG_MASK,
  SVG_OPACITY,
  SVG_OVERFLOW,
  SVG_R,
  SVG_RX,
  SVG_RY,
  SVG_STROKE,
  SVG_STROKE_OPACITY,
  SVG_STROKE_WIDTH,
  SVG_TRANSFORM,
  SVG_VISIBILITY,
  SVG_WIDTH,
  SVG_X,
  SVG_Y,
} SvgProperty;

#define SVG_N_PROPERTIES (SVG_Y + 1)

/**
 * SvgStyle:
 * @values: (nullable): of an element's properties, %NULL where nothing says
 *     one; not inherited ones
 * @priorities: which of two values counts; 0 for one of an attribute of this
 *     name
 */
typedef struct
{
  const gchar *values[SVG_N_PROPERTIES];
  guint64 priorities[SVG_N_PROPERTIES];
} SvgStyle;

/* The rules of a document's style sheets. */
typedef struct _SvgSheet SvgSheet;

/* @tree: must live longer
 * Returns: (transfer full): %NULL with @error (CS_ERROR_LIMIT or
 *     CS_ERROR_NO_MEMORY) set; what is not understood is left out */
SvgSheet *svg_sheet_new (SvgTree * tree, GError ** error);
void svg_sheet_free (SvgSheet * sheet);

/* @work: grows by the steps that it takes
 * Returns: %FALSE if memory ran out (svg_tree_set_error()) */
gboolean svg_sheet_get (SvgSheet * sheet, SvgNode * node,
    SvgStyle * style, guint64 * work);
