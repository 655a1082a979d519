/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_HULL_SETTINGS_H
#define GST_CUDA_HULL_SETTINGS_H

/* The properties of cudahull. The element is in gstcudahull.c. */

#include <gst/gst.h>

#include "element/gstshapesgray.h"
#include "element/gstshapesproperties.h"
#include "hull/hull.h"

/**
 * GstCudaHullSource:
 * @GST_CUDA_HULL_SOURCE_AUTO: depends on the buffer
 * @GST_CUDA_HULL_SOURCE_CONTOURS: the contours of the shape meta
 * @GST_CUDA_HULL_SOURCE_MASK: the pixels of video above a level
 * @GST_CUDA_HULL_SOURCE_POINTS: the points of a tensor
 */
typedef enum
{
  GST_CUDA_HULL_SOURCE_AUTO,
  GST_CUDA_HULL_SOURCE_CONTOURS,
  GST_CUDA_HULL_SOURCE_MASK,
  GST_CUDA_HULL_SOURCE_POINTS,
} GstCudaHullSource;

/* The nick of @source. */
const gchar *gst_cuda_hull_source_to_string (GstCudaHullSource source);

/**
 * GstCudaHullSettings:
 *
 * The values of all properties.
 */
typedef struct
{
  GstCudaHullSource source;
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
} GstCudaHullSettings;

extern const GstShapesProperties gst_cuda_hull_properties;

#endif /* GST_CUDA_HULL_SETTINGS_H */
