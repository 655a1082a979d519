/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "strokes/strokes.h"

/**
 * Drawing:
 *
 * Contours that own their memory.
 */
typedef struct
{
  CsStrokePoint *points;
  guint32 *offsets, *sources;
  gsize n_contours, n_points;
  double travel;
} Drawing;

Drawing *drawing_new (gsize max_points, gsize max_contours);
void drawing_free (Drawing * drawing);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (Drawing, drawing_free)
/* Appends a point to the contour that drawing_end_contour() ends. */
void drawing_add (Drawing * drawing, double x, double y);
void drawing_end_contour (Drawing * drawing, guint32 source);
CsStrokesInput drawing_input (const Drawing * drawing,
    const CsBrushMask * mask);

/* The contract of strokes.h, word for word, every point with every other. */
Drawing *oracle_strokes (const CsStrokesParams * params,
    const CsStrokesInput * input);
