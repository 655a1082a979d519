/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "base/image.h"
#include "element/gstshapesproperties.h"

/**
 * GstShapesTensorLayout:
 * @GST_SHAPES_TENSOR_LAYOUT_AUTO: by the dimensions
 * @GST_SHAPES_TENSOR_LAYOUT_HWC: the channels of a pixel lie together
 * @GST_SHAPES_TENSOR_LAYOUT_CHW: the pixels of a channel lie together
 *
 * Which dimension of a tensor is what.
 */
typedef enum
{
  GST_SHAPES_TENSOR_LAYOUT_AUTO,
  GST_SHAPES_TENSOR_LAYOUT_HWC,
  GST_SHAPES_TENSOR_LAYOUT_CHW,
} GstShapesTensorLayout;

#define GST_TYPE_SHAPES_TENSOR_LAYOUT (gst_shapes_tensor_layout_get_type ())
GType gst_shapes_tensor_layout_get_type (void);

/* A row of a table of properties; the field is a GstShapesTensorLayout. */
#define GST_SHAPES_TENSOR_LAYOUT_ROW(Struct, field) \
  GST_SHAPES_ENUM (Struct, field, "layout", "Tensor layout", \
      gst_shapes_tensor_layout_get_type, GST_SHAPES_TENSOR_LAYOUT_AUTO, LIVE, \
      "Order of a tensor's dimensions, innermost first: \"hwc\" is " \
      "channels:width:height:images, \"chw\" is " \
      "width:height:channels:images. \"auto\" takes the smaller of the first " \
      "and third dimension as the channels, and fails when they differ by " \
      "less than a factor of two.")

/**
 * GstShapesTensorInfo:
 * @type: type of the samples
 * @layout: HWC or CHW, never AUTO
 * @channels: channels of an image
 * @width: columns of an image
 * @height: rows of an image
 * @images: images in the batch
 * @image_size: bytes of an image
 * @size: bytes of all
 *
 * A batch of images in a tensor. The innermost dimension is the first in
 * memory.
 */
typedef struct
{
  CsSampleType type;
  GstShapesTensorLayout layout;
  guint channels, width, height, images;
  gsize image_size, size;
} GstShapesTensorInfo;

/* Images have three dimensions, a batch has four. */
#define GST_SHAPES_TENSOR_RANK 4

/* Whether @caps are tensors of any sort, also of those that
 * gst_shapes_tensor_info_from_caps() refuses. */
gboolean gst_shapes_caps_are_tensors (const GstCaps * caps);

/* Reads the caps "other/tensors, format=static, num_tensors=1, types=...,
 * dimensions=...". Dimensions count from the innermost: C:W:H:N is HWC, W:H:C:N
 * is CHW, missing ones are 1.
 *
 * With AUTO the channels are what there is less of: HWC when the first
 * dimension is at most half of the third, CHW the other way round.
 *
 * Returns: %FALSE with @error (CS_ERROR_INVALID, or CS_ERROR_LIMIT for more
 * bytes than memory has) saying what to change */
gboolean gst_shapes_tensor_info_from_caps (GstShapesTensorInfo * info,
    const GstCaps * caps, GstShapesTensorLayout layout, GError ** error);

/* The same for @dimensions that count from the innermost: C:W:H:N or
 * W:H:C:N. */
gboolean gst_shapes_tensor_info_init (GstShapesTensorInfo * info,
    CsSampleType type, const guint dimensions[GST_SHAPES_TENSOR_RANK],
    GstShapesTensorLayout layout, GError ** error);

/**
 * GstShapesLabelsInfo:
 * @size: bytes of a label
 * @is_signed: whether it has a sign
 *
 * What the labels of a tensor are.
 */
typedef struct
{
  guint size;
  gboolean is_signed;
} GstShapesLabelsInfo;

/* The same for labels: int8 to int64, uint8 to uint64, of one channel. @info's
 * type is undefined then. */
gboolean gst_shapes_labels_info_from_caps (GstShapesLabelsInfo * labels,
    GstShapesTensorInfo * info, const GstCaps * caps,
    GstShapesTensorLayout layout, GError ** error);

gboolean gst_shapes_tensor_info_equal (const GstShapesTensorInfo * a,
    const GstShapesTensorInfo * b);

/* A view of image @index; @data is that of the whole tensor. */
CsImage gst_shapes_tensor_info_get_image (const GstShapesTensorInfo * info,
    gconstpointer data, CsMemory memory, guint index);

/**
 * GstShapesPointType:
 * @GST_SHAPES_POINT_F32: {float x, y}
 * @GST_SHAPES_POINT_F64: {double x, y}
 * @GST_SHAPES_POINT_I32: {gint32 x, y}
 */
typedef enum
{
  GST_SHAPES_POINT_F32,
  GST_SHAPES_POINT_F64,
  GST_SHAPES_POINT_I32,
} GstShapesPointType;

/**
 * GstShapesPointsInfo:
 * @type: type of the points
 * @n_points: their number
 * @size: bytes of all
 * @alignment: bytes of a coordinate
 *
 * Points in a tensor.
 */
typedef struct
{
  GstShapesPointType type;
  gsize n_points, size, alignment;
} GstShapesPointsInfo;

/* Reads the caps "other/tensors, format=static, num_tensors=1, types=...,
 * dimensions=2:N:1:1": N points of float32, float64 or int32, x before y.
 *
 * Returns: %FALSE with @error (CS_ERROR_INVALID, or CS_ERROR_LIMIT for more
 *     bytes than memory has) saying what to change */
gboolean gst_shapes_points_info_from_caps (GstShapesPointsInfo * info,
    const GstCaps * caps, GError ** error);
