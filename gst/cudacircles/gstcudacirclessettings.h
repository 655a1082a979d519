/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The properties of cudacircles. The element is in gstcudacircles.c. */

#include <gst/gst.h>

#include "circles/circles.h"
#include "element/gstshapesproperties.h"

/**
 * CirclesUnits:
 * @CIRCLES_UNITS_PIXELS: pixels, whose centres are at integers
 * @CIRCLES_UNITS_NORMALIZED: 0 to 1 across the frame
 */
typedef enum
{
  CIRCLES_UNITS_PIXELS,
  CIRCLES_UNITS_NORMALIZED,
} CirclesUnits;

/**
 * CirclesOrder:
 * @CIRCLES_ORDER_DEPTH: a scene's circles are painted by depth
 * @CIRCLES_ORDER_ARRAY: in their own order
 */
typedef enum
{
  CIRCLES_ORDER_DEPTH,
  CIRCLES_ORDER_ARRAY,
} CirclesOrder;

/**
 * CirclesMarkers:
 * @CIRCLES_MARKERS_NONE: contours are not marked
 * @CIRCLES_MARKERS_ENCLOSING: by their smallest enclosing circle
 * @CIRCLES_MARKERS_EQUIVALENT: by the circle of the same area
 */
typedef enum
{
  CIRCLES_MARKERS_NONE,
  CIRCLES_MARKERS_ENCLOSING,
  CIRCLES_MARKERS_EQUIVALENT,
} CirclesMarkers;

/**
 * CirclesSettings:
 * @location: (nullable): the scene file
 * @circles: array of CsCircle: those of the property and of add-circle
 * @gradients: of those circles
 * @gradient: (nullable): the text of that of all other circles
 * @generation: changes whenever static circles do
 * @n_wrong: number of malformed structures in "circles" not reported yet
 * @problem: what is wrong with the first of them
 *
 * The values of all properties. Colours are 0xAARRGGBB.
 */
typedef struct
{
  CsScene scene;
  guint32 seed;
  CirclesOrder scene_order;
  gdouble gravity;
  gboolean bounce;
  gchar *location;
  CsArray *circles;
  CsGradientSet *gradients;
  gchar *gradient;
  CirclesUnits units;
  gboolean from_circles;
  CirclesMarkers from_contours;
  gboolean from_roi;
  guint32 marker_color;
  gboolean fill;
  gdouble stroke_width;
  guint32 stroke_color;
  gboolean antialias, linear;
  gdouble opacity;
  CsBackground background;
  guint generation;
  guint n_wrong;
  gchar problem[400];
  guint64 n_left_out;
} CirclesSettings;

/* 0xAARRGGBB to 0xRRGGBBAA */
static inline guint32
circles_color_to_rgba (guint32 argb)
{
  return argb << 8 | argb >> 24;
}

/* Reads a colour of a gradient: a CsColorFunc. */
gboolean circles_read_color (const char *text, guint32 * rgba);

/* .affects of properties that change static circles, see @generation. */
#define CIRCLES_STATIC (1u << 1)

extern const GstShapesProperties circles_properties;
