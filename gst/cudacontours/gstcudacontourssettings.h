/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_CONTOURS_SETTINGS_H
#define GST_CUDA_CONTOURS_SETTINGS_H

/* The properties of cudacontours: what they are called, what they may be, and
 * what they are now. The element and its negotiation are in gstcudacontours.c. */

#include <gst/gst.h>

#include "contours/contours.h"
#include "element/gstshapesgray.h"
#include "element/gstshapesproperties.h"
#include "element/gstshapestensor.h"

G_BEGIN_DECLS

/**
 * GstCudaContoursSide:
 * @GST_CUDA_CONTOURS_SIDE_LOW: the samples at or below the level
 * @GST_CUDA_CONTOURS_SIDE_HIGH: the samples above the level
 */
typedef enum
{
  GST_CUDA_CONTOURS_SIDE_LOW,
  GST_CUDA_CONTOURS_SIDE_HIGH,
} GstCudaContoursSide;

/**
 * GstCudaContoursSettings:
 *
 * The values of all properties. Lists keep the text that they were given, and
 * numbers that were read from it when it is used.
 */
typedef struct
{
  gdouble level;
  GstShapesLevelUnit level_unit;
  gchar *levels;
  gchar *classes;
  gboolean auto_level;
  GstShapesChannel channel;
  guint bit_depth;
  GstShapesTensorLayout layout;
  GstCudaContoursSide fully_connected;
  GstCudaContoursSide positive_orientation;
  guint min_points;
  gdouble min_area, max_area;
  gchar *mask;
  gboolean mask_alpha;
  gchar *roi;
  guint64 max_segments;
  guint64 max_memory;
  CsMeasures measures;
  gboolean measures_only;
  gboolean hierarchy;
  gboolean post_messages;
} GstCudaContoursSettings;

extern const GstShapesProperties gst_cuda_contours_properties;

/* Reads "0.25, 0.5" into an array of finite doubles, empty for an empty text
 * or %NULL. Returns: %NULL with @error saying what is wrong in property @name */
GArray *gst_cuda_contours_parse_numbers (const gchar * name,
    const gchar * text, GError ** error);

/* The same for whole numbers from 0. The elements are guint. */
GArray *gst_cuda_contours_parse_indices (const gchar * name,
    const gchar * text, GError ** error);

G_END_DECLS

#endif /* GST_CUDA_CONTOURS_SETTINGS_H */
