/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_SVG_STYLE_H
#define GST_FOURIER_DRAW_SVG_STYLE_H

/* Properties of elements: attributes, attributes style, and the style sheets
 * in the document, as CSS 2.1, chapters 5 and 6, says. Selectors have types,
 * classes, ids, attributes, :first-child, and all combinators. Rules within
 * @media and others with an @ are left out. */

#include "gstfourierdrawsvgtree.h"

typedef enum
{
  GST_FOURIER_DRAW_SVG_CLIP,
  GST_FOURIER_DRAW_SVG_CLIP_RULE,
  GST_FOURIER_DRAW_SVG_CX,
  GST_FOURIER_DRAW_SVG_CY,
  GST_FOURIER_DRAW_SVG_DISPLAY,
  GST_FOURIER_DRAW_SVG_FILL,
  GST_FOURIER_DRAW_SVG_FILL_OPACITY,
  GST_FOURIER_DRAW_SVG_FILL_RULE,
  GST_FOURIER_DRAW_SVG_FONT_SIZE,
  GST_FOURIER_DRAW_SVG_HEIGHT,
  GST_FOURIER_DRAW_SVG_MASK,
  GST_FOURIER_DRAW_SVG_OPACITY,
  GST_FOURIER_DRAW_SVG_OVERFLOW,
  GST_FOURIER_DRAW_SVG_R,
  GST_FOURIER_DRAW_SVG_RX,
  GST_FOURIER_DRAW_SVG_RY,
  GST_FOURIER_DRAW_SVG_STROKE,
  GST_FOURIER_DRAW_SVG_STROKE_OPACITY,
  GST_FOURIER_DRAW_SVG_STROKE_WIDTH,
  GST_FOURIER_DRAW_SVG_TRANSFORM,
  GST_FOURIER_DRAW_SVG_VISIBILITY,
  GST_FOURIER_DRAW_SVG_WIDTH,
  GST_FOURIER_DRAW_SVG_X,
  GST_FOURIER_DRAW_SVG_Y,
} GstFourierDrawSvgProperty;

#define GST_FOURIER_DRAW_SVG_N_PROPERTIES (GST_FOURIER_DRAW_SVG_Y + 1)

/**
 * GstFourierDrawSvgStyle:
 * @values: (nullable): of an element's properties, %NULL where nothing says
 *     one; not inherited ones
 * @priorities: which of two values counts; 0 for one of an attribute of this
 *     name
 */
typedef struct
{
  const gchar *values[GST_FOURIER_DRAW_SVG_N_PROPERTIES];
  guint64 priorities[GST_FOURIER_DRAW_SVG_N_PROPERTIES];
} GstFourierDrawSvgStyle;

/* The rules of a document's style sheets. */
typedef struct _GstFourierDrawSvgSheet GstFourierDrawSvgSheet;

/* @tree: must live longer
 * Returns: (transfer full): %NULL with @error (CS_ERROR_LIMIT or
 *     CS_ERROR_NO_MEMORY) set; what is not understood is left out */
GstFourierDrawSvgSheet *gst_fourier_draw_svg_sheet_new (GstFourierDrawSvgTree *
    tree, GError ** error);
void gst_fourier_draw_svg_sheet_free (GstFourierDrawSvgSheet * sheet);

/* @work: grows by the steps that it takes
 * Returns: %FALSE if memory ran out (gst_fourier_draw_svg_tree_set_error()) */
gboolean gst_fourier_draw_svg_sheet_get (GstFourierDrawSvgSheet * sheet,
    GstFourierDrawSvgNode * node, GstFourierDrawSvgStyle * style,
    guint64 * work);

#endif /* GST_FOURIER_DRAW_SVG_STYLE_H */
