/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"
#include "view.h"

/**
 * LineSight:
 * @st: sine of the view's tilt
 * @ct: cosine
 * @sc: sine of the piece's turn since cup 0
 * @cc: cosine
 * @cup: that the piece is in
 * @view: that shows it
 * @mm_per_pixel: of the view
 * @direction: towards the camera, seen from the piece as it lay in cup 0
 * @x: the piece's centre in the picture, in pixels
 * @y: centre
 * @radius: in pixels
 *
 * A look that shows the fruit.
 */
typedef struct
{
  gdouble st, ct, sc, cc, direction[3];
  gdouble x, y, radius;
  gdouble mm_per_pixel;
  guint cup, view;
} LineSight;

/* Where a look sees less than this cosine it is not asked. */
#define LINE_LIMB 0.3

/* What is seen at less than this one is not measured well. */
#define LINE_SAFE_LIMB 0.5

/* Sets the view's tilt, in degrees; the piece lies as in cup 0. */
void line_sight_tilt (LineSight * sight, gdouble tilt);

/* Turns the piece to @cup, by @turn degrees from one to the next. */
void line_sight_turn (LineSight * sight, guint cup, gdouble turn);

/* The factor f of docs/fruit-line.md: square millimetres of surface for each of
 * picture, times the share of @own among all @n looks, at (x, y) in pixels. */
gdouble line_sight_factor (const LineSight * sights, guint n, guint own,
    gdouble x, gdouble y);

/* The surface of a contour of look @own in square millimetres, with holes
 * negative, as the looks share it. */
gdouble line_sight_surface (const LineSight * sights, guint n, guint own,
    const LineContour * contour, const LinePoint * points);

/* The same of a contour of @view without its holes; not less than 0. */
gdouble line_sight_shared (const LineSight * sights, guint n, guint own,
    const LineContour * contour, const LineView * view);

/* All of the surface that one look shows of a contour of @view without its holes;
 * not less than 0. Where it is seen at a cosine of less than @limb, it counts as
 * if it were seen at that. */
gdouble line_sight_shown (const LineSight * sight, const LineContour * contour,
    const LineView * view, gdouble limb);

/**
 * LinePlace:
 * @centre: middle of a contour's surface, a direction in the lane; of a contour
 *     without surface that of its box's middle
 * @longitude: of the middle about the axis across the lane, in degrees
 * @radius: angle from there to its farthest point, in radians
 * @least: least cosine of its points to the camera
 *
 * Where a look shows a contour.
 */
typedef struct
{
  gdouble centre[3], longitude, radius, least;
} LinePlace;

LinePlace line_sight_place (const LineSight * sight,
    const LineContour * contour, const LinePoint * points);

/* Where a direction in the piece is in the picture. Returns: FALSE if it is on
 * the other side */
gboolean line_sight_project (const LineSight * sight, const gdouble at[3],
    gdouble * x, gdouble * y);

/* Whether a point, in pixels, is within a contour. */
gboolean line_contour_has (const LineContour * contour,
    const LinePoint * points, gdouble x, gdouble y);

/* Whether a point, in pixels, is within a contour, on it, or at most @slack beside
 * it. */
gboolean line_contour_is_near (const LineContour * contour,
    const LinePoint * points, gdouble x, gdouble y, gdouble slack);
