/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

/* Video of @formats, a literal, in CUDA memory, before the caps of system
 * memory that follow; nothing in builds with a CUDA context of their own. */
#if defined HAVE_CUDA && !defined HAVE_GSTCUDA
#define GST_SHAPES_CUDA_CAPS(formats) ""
#else
#define GST_SHAPES_CUDA_CAPS(formats) \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("memory:CUDAMemory", formats) "; "
#endif
