/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_CONTOURS_SETTINGS_H
#define GST_CUDA_CONTOURS_SETTINGS_H

/* The properties of cudacontours. The element is in gstcudacontours.c. */

#include <gst/gst.h>

#include "contours/contours.h"
#include "element/gstshapesgray.h"
#include "element/gstshapesproperties.h"
#include "element/gstshapestensor.h"

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
 * GstCudaContoursSource:
 * @GST_CUDA_CONTOURS_SOURCE_BUFFER: the picture, or the tensor of other/tensors
 * @GST_CUDA_CONTOURS_SOURCE_TENSOR_META: a tensor that the picture carries
 * @GST_CUDA_CONTOURS_SOURCE_SEGMENTATION: masks that the picture carries
 *
 * What of a buffer to look at.
 */
typedef enum
{
  GST_CUDA_CONTOURS_SOURCE_BUFFER,
  GST_CUDA_CONTOURS_SOURCE_TENSOR_META,
  GST_CUDA_CONTOURS_SOURCE_SEGMENTATION,
} GstCudaContoursSource;

/**
 * GstCudaContoursLevelMethod:
 * @GST_CUDA_CONTOURS_LEVEL_FIXED: the properties' levels
 * @GST_CUDA_CONTOURS_LEVEL_MIDRANGE: (min + max) / 2 of the samples
 * @GST_CUDA_CONTOURS_LEVEL_OTSU: Otsu's threshold
 * @GST_CUDA_CONTOURS_LEVEL_ADAPTIVE: the mean around each sample
 */
typedef enum
{
  GST_CUDA_CONTOURS_LEVEL_FIXED,
  GST_CUDA_CONTOURS_LEVEL_MIDRANGE,
  GST_CUDA_CONTOURS_LEVEL_OTSU,
  GST_CUDA_CONTOURS_LEVEL_ADAPTIVE,
} GstCudaContoursLevelMethod;

/**
 * GstCudaContoursRoiSource:
 * @GST_CUDA_CONTOURS_ROI_PROPERTY: the property roi
 * @GST_CUDA_CONTOURS_ROI_META: the frame's GstVideoRegionOfInterestMeta
 */
typedef enum
{
  GST_CUDA_CONTOURS_ROI_PROPERTY,
  GST_CUDA_CONTOURS_ROI_META,
} GstCudaContoursRoiSource;

/**
 * GstCudaContoursSettings:
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
  GstCudaContoursLevelMethod level_method;
  guint adaptive_window;
  gdouble adaptive_offset;
  gchar *class_groups;
  CsGroupMode group_mode;
  gboolean exclusive;
  gchar *labels;
  GstCudaContoursSource source;
  gchar *tensor_id;
  GstShapesChannel channel;
  guint bit_depth;
  GstShapesTensorLayout layout;
  GstCudaContoursSide fully_connected;
  GstCudaContoursSide positive_orientation;
  gboolean close_at_border;
  gboolean bands;
  guint min_points;
  gdouble min_area, max_area;
  gchar *class_min_area, *class_max_area;
  gchar *mask;
  gboolean mask_alpha;
  gchar *roi;
  gchar *pixel_size;
  GstCudaContoursRoiSource roi_source;
  guint64 max_segments;
  guint64 max_memory;
  CsMeasures measures;
  gboolean measures_only;
  gboolean hierarchy;
  gboolean post_messages;
} GstCudaContoursSettings;

extern const GstShapesProperties gst_cuda_contours_properties;

/* Parses a list such as "0.25, 0.5" of property @name. Returns: (transfer
 * full): an array of finite doubles, empty for an empty text or %NULL; %NULL
 * with @error set if it is malformed */
GArray *gst_cuda_contours_parse_numbers (const gchar * name,
    const gchar * text, GError ** error);

/* The same for integers from 0 on, as guint. */
GArray *gst_cuda_contours_parse_indices (const gchar * name,
    const gchar * text, GError ** error);

#endif /* GST_CUDA_CONTOURS_SETTINGS_H */
