/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_PICTURE_H
#define GST_SHAPES_PICTURE_H

/* Video frames as the pictures that kernels paint on. */

#include <gst/gst.h>
#include <gst/video/video.h>

#include "base/picture.h"
#include "gstshapesframe.h"
#include "cuda/gstshapesslab.h"

G_BEGIN_DECLS

/* Samples of more than 8 bits are in native endianness. */
#if G_BYTE_ORDER == G_LITTLE_ENDIAN
#define GST_SHAPES_PICTURE_DEEP_FORMATS ", GRAY16_LE, P010_10LE, I420_10LE"
#define GST_SHAPES_PICTURE_DEEP_CUDA_FORMATS ", P010_10LE"
#else
#define GST_SHAPES_PICTURE_DEEP_FORMATS ""
#define GST_SHAPES_PICTURE_DEEP_CUDA_FORMATS ""
#endif

#define GST_SHAPES_PICTURE_FORMATS \
  "{ RGBA, BGRA, ARGB, ABGR, RGBx, BGRx, xRGB, xBGR, RGB, BGR, NV12, NV21, " \
  "I420, YV12, Y42B, Y444, GRAY8" GST_SHAPES_PICTURE_DEEP_FORMATS " }"
/* What every version of libgstcuda can hold. */
#define GST_SHAPES_PICTURE_CUDA_FORMATS \
  "{ NV12, I420, Y444, RGBA, BGRA, RGBx, BGRx" \
  GST_SHAPES_PICTURE_DEEP_CUDA_FORMATS " }"

/* Pad template caps: the video that can be painted on. */
#define GST_SHAPES_PICTURE_CAPS \
  GST_VIDEO_CAPS_MAKE_WITH_FEATURES ("memory:CUDAMemory", \
      GST_SHAPES_PICTURE_CUDA_FORMATS) "; " \
  GST_VIDEO_CAPS_MAKE (GST_SHAPES_PICTURE_FORMATS)

/**
 * GstShapesPictureStage:
 *
 * Where the executor is that paints, and, on a GPU, room there for frames in
 * the host's memory. Serves one mapped picture at a time.
 */
typedef struct
{
  /*< private >*/
  GstShapesSlabPool *slabs;
  gpointer context;
  gpointer stream;
  GstShapesSlab *slab;
  guint8 *device;
  gsize size;
} GstShapesPictureStage;

/* @slabs, @context and @stream: of the element, borrowed until
 * gst_shapes_picture_stage_clear(); @context is %NULL on the CPU */
void gst_shapes_picture_stage_init (GstShapesPictureStage * stage,
    GstShapesSlabPool * slabs, gpointer context, gpointer stream);
void gst_shapes_picture_stage_clear (GstShapesPictureStage * stage);

/**
 * GstShapesPicture:
 * @picture: the frame, valid until gst_shapes_picture_unmap()
 *
 * A mapped frame.
 */
typedef struct
{
  CsPicture picture;

  /*< private >*/
  GstShapesPictureStage *stage;
  GstShapesFrame frame;
  GstShapesFramePlane planes[GST_VIDEO_MAX_PLANES];
  guint8 *staged[GST_VIDEO_MAX_PLANES];
  gsize staged_stride[GST_VIDEO_MAX_PLANES];
  gboolean writable;
} GstShapesPicture;

/* What of a picture the caps say: model, size, depth, subsampling, matrix and
 * range; no data. A matrix that caps do not know is BT.709 from 720 rows on,
 * else BT.601.
 *
 * Returns: %FALSE for formats that are not in GST_SHAPES_PICTURE_FORMATS */
gboolean gst_shapes_picture_describe (const GstVideoInfo * info,
    CsPicture * picture);

/* Maps @buffer for painting: on the CPU in the host's memory; on a GPU where it
 * is, or, when it is not in the memory of the stage's context, as a copy there.
 * The context is current from here until gst_shapes_picture_unmap().
 *
 * @info: of the caps; stays valid until gst_shapes_picture_unmap()
 * @flags: GST_MAP_READ, GST_MAP_WRITE (all of it will be written) or both;
 *     @buffer is writable if it shall be written
 * Returns: %FALSE with @error set (GST_SHAPES_FRAME_ERROR or CS_ERROR), and
 *     nothing to unmap */
gboolean gst_shapes_picture_map (GstShapesPicture * picture,
    GstShapesPictureStage * stage, const GstVideoInfo * info,
    GstBuffer * buffer, GstMapFlags flags, GError ** error);

/* What was painted gets to the buffer: work that is queued on the stage's
 * stream has ended when it is read.
 *
 * @painted: %FALSE if painting failed: the buffer stays as it is
 * Returns: %FALSE with @error set (CS_ERROR); the picture is unmapped in any
 *     case */
gboolean gst_shapes_picture_unmap (GstShapesPicture * picture,
    gboolean painted, GError ** error);

G_END_DECLS

#endif /* GST_SHAPES_PICTURE_H */
