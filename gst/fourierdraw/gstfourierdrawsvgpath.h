/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Path data and transforms of SVG 1.1, chapters 7.6 and 8.3. */

#include <gst/gst.h>

#include "base/array.h"

/* x' = a x + c y + e, y' = b x + d y + f */
typedef struct
{
  gdouble a, b, c, d, e, f;
} FourierMatrix;

/**
 * FourierPen:
 * @points: x, y in double, of all lines
 * @starts: of each line, its first point (gsize)
 * @matrix: applied to all that is drawn
 * @closes: whether lines of three points or more end where they began
 * @stopped: whether a point was too far away to go on
 * @full: whether there were more points than %FOURIER_PEN_MAX
 *
 * Draws lines.
 */
typedef struct
{
  CsArray points, starts;
  FourierMatrix matrix;
  gdouble x, y;
  gboolean closes, stopped, full;
} FourierPen;

/* Most points that a pen draws. */
#define FOURIER_PEN_MAX (1u << 22)

void fourier_pen_init (FourierPen * pen);
void fourier_pen_clear (FourierPen * pen);

/* Begins other lines, without those before; @matrix makes pixels: curves are
 * as fine as these need. */
void fourier_pen_begin (FourierPen * pen,
    const FourierMatrix * matrix, gboolean closes);

/* Ends the last line. */
void fourier_pen_end (FourierPen * pen);

/* Begins a line. */
void fourier_pen_move (FourierPen * pen, gdouble x, gdouble y);
void fourier_pen_line (FourierPen * pen, gdouble x, gdouble y);

/* The points inside an elliptic arc around (@cx, @cy), from @angle on by
 * @sweep, in radians, without its two ends. */
void fourier_pen_ellipse (FourierPen * pen, gdouble cx, gdouble cy, gdouble rx,
    gdouble ry, gdouble turn, gdouble angle, gdouble sweep);

/* Reads a number, after white space and a comma.
 *
 * Returns: whether there was one, finite */
gboolean fourier_read_number (const gchar ** text, gdouble * number);

/* Draws path data, up to the first error (SVG 2, chapter 9.5.4). */
void fourier_pen_path (FourierPen * pen, const gchar * data);

/* Applies the transforms in @text before @matrix: those of SVG 1.1, and those
 * of CSS in two dimensions, with units px, deg, grad, rad and turn.
 *
 * Returns: whether all of it is one; else @matrix is as it was */
gboolean fourier_matrix_parse (FourierMatrix * matrix, const gchar * text);

/* First @inner, then @outer. */
FourierMatrix fourier_matrix_multiply (const FourierMatrix * outer,
    const FourierMatrix * inner);
