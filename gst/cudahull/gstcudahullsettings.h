/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The properties of cudahull. The element is in gstcudahull.c. */

#include <gst/gst.h>

#include "element/gstshapesgray.h"
#include "element/gstshapesproperties.h"
#include "hull/hull.h"

/**
 * HullSource:
 * @HULL_SOURCE_AUTO: depends on the buffer
 * @HULL_SOURCE_CONTOURS: the contours of the shape meta
 * @HULL_SOURCE_MASK: the pixels of video above a level
 * @HULL_SOURCE_POINTS: the points of a tensor
 */
typedef enum
{
  HULL_SOURCE_AUTO,
  HULL_SOURCE_CONTOURS,
  HULL_SOURCE_MASK,
  HULL_SOURCE_POINTS,
} HullSource;

/* The nick of @source. */
const gchar *hull_source_to_string (HullSource source);

/**
 * HullSettings:
 *
 * The values of all properties.
 */
typedef struct
{
  HullSource source;
  CsHullScope scope;
  gdouble level;
  GstShapesLevelUnit level_unit;
  GstShapesChannel channel;
  guint bit_depth;
  gboolean include_collinear;
  CsMeasures measures;
  gboolean ellipse;
  gboolean defects;
  gdouble defect_min_depth;
  gboolean indices;
  gchar *pixel_size;
  gchar *location;
  gboolean replace;
  gboolean post_messages;
  guint64 n_ignored;
} HullSettings;

extern const GstShapesProperties hull_properties;
