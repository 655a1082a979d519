/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What elements that look at brightness make of video: which formats, which
 * channel, what a level means, and the gray image of a frame. */

#include <gst/video/video.h>

#include "base/cuda_copy.h"
#include "base/scratch.h"
#include "cuda/gstshapescudacaps.h"
#include "gstshapesframe.h"
#include "gstshapestransform.h"

/* Samples of more than 8 bits are read in native endianness. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define GST_SHAPES_GRAY_DEEP_FORMATS \
  ", GRAY16_LE, P010_10LE, P012_LE, P016_LE, I420_10LE, I422_10LE, " \
  "Y444_10LE, I420_12LE, I422_12LE, Y444_12LE, Y444_16LE, RGBA64_LE, " \
  "BGRA64_LE"
#define GST_SHAPES_GRAY_DEEP_CUDA_FORMATS ", P010_10LE"
#else
#define GST_SHAPES_GRAY_DEEP_FORMATS ""
#define GST_SHAPES_GRAY_DEEP_CUDA_FORMATS ""
#endif

#define GST_SHAPES_GRAY_FORMATS \
  "{ GRAY8, NV12, NV21, NV16, NV24, I420, YV12, Y41B, Y42B, Y444, A420, " \
  "YUY2, UYVY, YVYU, AYUV, RGB, BGR, RGBA, BGRA, ARGB, ABGR, RGBx, BGRx, " \
  "xRGB, xBGR, GBR, GBRA, RGBP, BGRP" GST_SHAPES_GRAY_DEEP_FORMATS " }"
/* What every version of libgstcuda can hold. */
#define GST_SHAPES_GRAY_CUDA_FORMATS \
  "{ NV12, I420, Y444, RGBA, BGRA, RGBx, BGRx" \
  GST_SHAPES_GRAY_DEEP_CUDA_FORMATS " }"

/* Pad template caps: the video that can be looked at. */
#define GST_SHAPES_GRAY_CAPS \
  GST_SHAPES_CUDA_CAPS (GST_SHAPES_GRAY_CUDA_FORMATS) \
  GST_VIDEO_CAPS_MAKE (GST_SHAPES_GRAY_FORMATS)

/**
 * GstShapesLevelUnit:
 * @GST_SHAPES_LEVEL_UNIT_NORMALIZED: 0 to 1 of the full range of codes
 * @GST_SHAPES_LEVEL_UNIT_SAMPLE: the code value itself
 *
 * What a level of video counts.
 */
typedef enum
{
  GST_SHAPES_LEVEL_UNIT_NORMALIZED,
  GST_SHAPES_LEVEL_UNIT_SAMPLE,
} GstShapesLevelUnit;

#define GST_TYPE_SHAPES_LEVEL_UNIT (gst_shapes_level_unit_get_type ())
GType gst_shapes_level_unit_get_type (void);

/**
 * GstShapesChannel:
 * @GST_SHAPES_CHANNEL_LUMA: brightness
 * @GST_SHAPES_CHANNEL_R: red, of RGB formats
 * @GST_SHAPES_CHANNEL_G: green
 * @GST_SHAPES_CHANNEL_B: blue
 * @GST_SHAPES_CHANNEL_A: alpha, of formats that have it
 *
 * What of video to look at.
 */
typedef enum
{
  GST_SHAPES_CHANNEL_LUMA,
  GST_SHAPES_CHANNEL_R,
  GST_SHAPES_CHANNEL_G,
  GST_SHAPES_CHANNEL_B,
  GST_SHAPES_CHANNEL_A,
} GstShapesChannel;

#define GST_TYPE_SHAPES_CHANNEL (gst_shapes_channel_get_type ())
GType gst_shapes_channel_get_type (void);

/**
 * GstShapesRegion:
 *
 * A rectangle of a frame, in pixels.
 */
typedef struct
{
  guint x, y, width, height;
} GstShapesRegion;

/* A view of the part of @image in @region, which lies inside. */
CsImage gst_shapes_region_crop (const GstShapesRegion * region, CsImage image);

/**
 * GstShapesGray:
 * @info: the video's
 * @range: the largest code value of the channel
 * @code_factor: what a code value is multiplied with in a sample: formats like
 *     P010 have their bits on top
 *
 * Makes gray images of video frames. Zero-initialise it. The fields are
 * read-only to others, and those named here known from
 * gst_shapes_gray_set_format() on.
 */
typedef struct
{
  GstVideoInfo info;
  gdouble range;
  gdouble code_factor;

  /*< private >*/
  gint component;
  gboolean computed;
  gfloat red_weight, blue_weight;
  CsScratch luma;
  GstShapesSlab *slab, *rgb_slab;
  gpointer device, rgb_device;
  gsize device_size, rgb_size;
  CsCudaCopier copier;
} GstShapesGray;

/* Which component of the format, counted as GstVideoFormatInfo does, @channel
 * is; -1 if it has none such. */
gint gst_shapes_gray_find_component (const GstVideoFormatInfo * finfo,
    GstShapesChannel channel);

/* What frames of @info shall be looked at for.
 *
 * @bit_depth: how many of the bits of GRAY16_LE count, 0 for all
 * Returns: %FALSE with @error (CS_ERROR_INVALID) when the format has no such
 *     channel */
gboolean gst_shapes_gray_set_format (GstShapesGray * gray,
    const GstVideoInfo * info, GstShapesChannel channel, guint bit_depth,
    GError ** error);

/* @level as a code value; multiply with @code_factor for samples. */
gdouble gst_shapes_gray_get_code (const GstShapesGray * gray, gdouble level,
    GstShapesLevelUnit unit);

/* The form of the images of @region, without data, on the host. */
CsImage gst_shapes_gray_describe (const GstShapesGray * gray,
    const GstShapesRegion * region);

/* The gray image of @region of @frame, where the frame is; valid until the
 * frame is unmapped and the next call. The luma of RGB is computed without
 * rounding. Between gst_shapes_transform_begin() and _end() of @transform. */
gboolean gst_shapes_gray_get_image (GstShapesGray * gray,
    GstShapesTransform * transform, GstShapesFrame * frame,
    const GstShapesRegion * region, CsImage * image, GError ** error);

/* Frees the memory of images; for GstShapesTransformClass.close(). */
void gst_shapes_gray_clear (GstShapesGray * gray);
