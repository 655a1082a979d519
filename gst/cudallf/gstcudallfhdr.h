/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* HDR frames, in video of 16 bits or tensors, to tone-mapped video: caps and
 * buffers. */

#include <gst/video/video.h>

#include "element/gstshapestensor.h"
#include "gstcudallfsettings.h"
#include "llf/llf_hdr.h"
#include "element/gstshapesframe.h"

/* As gst_shapes_frame_get_picture(); the byte of a pixel that belongs to no
 * colour is alpha, which is kept, or written. */
gboolean llf_get_picture (GstShapesFrame * frame,
    CsPicture * picture, GError ** error);

/* What is taken, for pad templates. The first is in native endianness. */
#define LLF_HDR_FORMAT "ARGB64"
#define LLF_HDR_CAPS \
    GST_VIDEO_CAPS_MAKE (LLF_HDR_FORMAT) "; " \
    "other/tensors, format = (string) static, num_tensors = (int) 1, " \
    "types = (string) float32, framerate = (fraction) [ 0, max ]"

/* What is given. */
#define LLF_SHOWN_CAPS GST_VIDEO_CAPS_MAKE ("{ RGBA, BGRA, ARGB, " \
    "ABGR, RGBx, BGRx, xRGB, xBGR, RGB, BGR, " LLF_HDR_FORMAT " }") \
    ", colorimetry = (string) " GST_VIDEO_COLORIMETRY_SRGB

/**
 * LlfHdrFormat:
 * @input: unless @has_tensor
 * @tensor: if @has_tensor
 * @primaries: of the input
 *
 * What buffers hold.
 */
typedef struct
{
  GstVideoInfo input, output;
  GstShapesTensorInfo tensor;
  gboolean has_tensor;
  CsLlfPrimaries primaries;
} LlfHdrFormat;

/* The caps of the other pad for those of the pad of @direction. */
GstCaps *llf_hdr_transform_caps (GstPadDirection direction, GstCaps * caps);

/* Fails with CS_ERROR_INVALID, or CS_ERROR_LIMIT for a tensor that is larger
 * than memory. */
gboolean llf_hdr_format_init (LlfHdrFormat * format, const GstCaps * input,
    const GstCaps * output, LlfHdr hdr, GError ** error);

/* Returns: (nullable): the coding that caps say video to have, where @hdr says
 *     another one */
const gchar *llf_hdr_find_contradiction (const LlfHdrFormat * format,
    LlfHdr hdr);

/* A segment in bytes, as tensors from a file have, becomes one in time, as
 * encoders of video need; other events stay.
 *
 * @event: (transfer full)
 * Returns: (transfer full) */
GstEvent *llf_hdr_convert_event (GstEvent * event);

/* Tone-maps @input into @output, which is writable, with cs_llf_hdr_run().
 * Fails as that, and with GST_SHAPES_FRAME_ERROR. */
gboolean llf_hdr_run (const LlfHdrFormat * format, const LlfSettings * now,
    CsLlfHdr * plan, CsLlfColour * filter, const CsLlfSettings * settings,
    GstBuffer * input, GstBuffer * output, GError ** error);
