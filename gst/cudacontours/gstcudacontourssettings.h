/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The properties of cudacontours. The element is in gstcudacontours.c. */

#include <gst/gst.h>

#include "contours/contours.h"
#include "labels/labels.h"
#include "element/gstshapesgray.h"
#include "element/gstshapesproperties.h"
#include "element/gstshapestensor.h"

/**
 * ContoursSide:
 * @CONTOURS_SIDE_LOW: the samples at or below the level
 * @CONTOURS_SIDE_HIGH: the samples above the level
 */
typedef enum
{
  CONTOURS_SIDE_LOW,
  CONTOURS_SIDE_HIGH,
} ContoursSide;

/**
 * ContoursSource:
 * @CONTOURS_SOURCE_BUFFER: the picture, or the tensor of other/tensors
 * @CONTOURS_SOURCE_TENSOR_META: a tensor that the picture carries
 * @CONTOURS_SOURCE_SEGMENTATION: masks that the picture carries
 * @CONTOURS_SOURCE_LABELS: as the first, but of values that are labels
 *
 * What of a buffer to look at.
 */
typedef enum
{
  CONTOURS_SOURCE_BUFFER,
  CONTOURS_SOURCE_TENSOR_META,
  CONTOURS_SOURCE_SEGMENTATION,
  CONTOURS_SOURCE_LABELS,
} ContoursSource;

/**
 * ContoursLevelMethod:
 * @CONTOURS_LEVEL_FIXED: the properties' levels
 * @CONTOURS_LEVEL_MIDRANGE: (min + max) / 2 of the samples
 * @CONTOURS_LEVEL_OTSU: Otsu's threshold
 * @CONTOURS_LEVEL_ADAPTIVE: the mean around each sample
 */
typedef enum
{
  CONTOURS_LEVEL_FIXED,
  CONTOURS_LEVEL_MIDRANGE,
  CONTOURS_LEVEL_OTSU,
  CONTOURS_LEVEL_ADAPTIVE,
} ContoursLevelMethod;

/**
 * ContoursRoiSource:
 * @CONTOURS_ROI_PROPERTY: the property roi
 * @CONTOURS_ROI_META: the frame's GstVideoRegionOfInterestMeta
 */
typedef enum
{
  CONTOURS_ROI_PROPERTY,
  CONTOURS_ROI_META,
} ContoursRoiSource;

/**
 * ContoursSettings:
 *
 * The values of all properties. Lists are kept as text, and parsed when used.
 */
typedef struct
{
  gdouble level;
  GstShapesLevelUnit level_unit;
  gchar *levels;
  gchar *classes;
  gboolean auto_level;
  ContoursLevelMethod level_method;
  guint adaptive_window;
  gdouble adaptive_offset;
  gchar *class_groups;
  CsGroupMode group_mode;
  gboolean exclusive;
  gchar *labels;
  ContoursSource source;
  gchar *tensor_id;
  gint background_label;
  CsLabelsOutline outline;
  GstShapesChannel channel;
  guint bit_depth;
  GstShapesTensorLayout layout;
  ContoursSide fully_connected;
  ContoursSide positive_orientation;
  gboolean close_at_border;
  gboolean bands;
  guint min_points;
  gdouble min_area, max_area;
  gchar *class_min_area, *class_max_area;
  gchar *mask;
  gboolean mask_alpha;
  gchar *roi;
  gchar *pixel_size;
  ContoursRoiSource roi_source;
  guint64 max_segments;
  guint64 max_memory;
  CsMeasures measures;
  gboolean measures_only;
  gboolean hierarchy;
  gboolean post_messages;
} ContoursSettings;

extern const GstShapesProperties contours_properties;

/* Parses a list such as "0.25, 0.5" of property @name. Returns: (transfer
 * full): an array of finite doubles, empty for an empty text or %NULL; %NULL
 * with @error set if it is malformed */
GArray *contours_parse_numbers (const gchar * name,
    const gchar * text, GError ** error);

/* The same for integers from 0 on, as guint. */
GArray *contours_parse_indices (const gchar * name,
    const gchar * text, GError ** error);
