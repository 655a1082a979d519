/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_SVG_PATH_H
#define GST_FOURIER_DRAW_SVG_PATH_H

/* Path data and transforms of SVG 1.1, chapters 7.6 and 8.3. */

#include <gst/gst.h>

#include "base/array.h"
#include "base/error.h"

/* x' = a x + c y + e, y' = b x + d y + f */
typedef struct
{
  gdouble a, b, c, d, e, f;
} GstFourierDrawMatrix;

/**
 * GstFourierDrawPen:
 * @points: x, y in double, of all lines
 * @starts: of each line, its first point (gsize)
 * @matrix: applied to all that is drawn
 * @closes: whether lines of three points or more end where they began
 * @stopped: whether a point was too far away to go on
 * @full: whether there were more points than %GST_FOURIER_DRAW_PEN_MAX
 *
 * Draws lines.
 */
typedef struct
{
  CsArray points, starts;
  GstFourierDrawMatrix matrix;
  gdouble x, y;
  gboolean closes, stopped, full;
} GstFourierDrawPen;

/* Most points that a pen draws. */
#define GST_FOURIER_DRAW_PEN_MAX (1u << 22)

void gst_fourier_draw_pen_init (GstFourierDrawPen * pen);
void gst_fourier_draw_pen_clear (GstFourierDrawPen * pen);

/* Begins other lines, without those before; @matrix makes pixels: curves are
 * as fine as these need. */
void gst_fourier_draw_pen_begin (GstFourierDrawPen * pen,
    const GstFourierDrawMatrix * matrix, gboolean closes);

/* Ends the last line. */
void gst_fourier_draw_pen_end (GstFourierDrawPen * pen);

/* Begins a line. */
void gst_fourier_draw_pen_move (GstFourierDrawPen * pen, gdouble x, gdouble y);
void gst_fourier_draw_pen_line (GstFourierDrawPen * pen, gdouble x, gdouble y);

/* The points inside an elliptic arc around (@cx, @cy), from @angle on by
 * @sweep, in radians, without its two ends. */
void gst_fourier_draw_pen_ellipse (GstFourierDrawPen * pen, gdouble cx,
    gdouble cy, gdouble rx, gdouble ry, gdouble turn, gdouble angle,
    gdouble sweep);

/* Reads a number, after white space and a comma.
 *
 * Returns: whether there was one, finite */
gboolean gst_fourier_draw_read_number (const gchar ** text, gdouble * number);

/* Draws path data, up to the first error (SVG 2, chapter 9.5.4). */
void gst_fourier_draw_pen_path (GstFourierDrawPen * pen, const gchar * data);

/* Applies the transforms in @text before @matrix: those of SVG 1.1, and those
 * of CSS in two dimensions, with units px, deg, grad, rad and turn.
 *
 * Returns: whether all of it is one; else @matrix is as it was */
gboolean gst_fourier_draw_matrix_parse (GstFourierDrawMatrix * matrix,
    const gchar * text);

/* First @inner, then @outer. */
GstFourierDrawMatrix gst_fourier_draw_matrix_multiply (const
    GstFourierDrawMatrix * outer, const GstFourierDrawMatrix * inner);

#endif /* GST_FOURIER_DRAW_SVG_PATH_H */
