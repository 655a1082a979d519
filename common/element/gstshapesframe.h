/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "base/cuda_copy.h"
#include "base/picture.h"
#include "cuda/gstshapescudacaps.h"
#include "cuda/gstshapesslab.h"

/**
 * GstShapesFrameError:
 * @GST_SHAPES_FRAME_ERROR_SHORT: the buffer ends before the frame does
 * @GST_SHAPES_FRAME_ERROR_LAYOUT: the buffer's GstVideoMeta contradicts the
 *     caps, or its strides cannot be read
 * @GST_SHAPES_FRAME_ERROR_MAP: the memory cannot be mapped
 */
typedef enum
{
  GST_SHAPES_FRAME_ERROR_SHORT,
  GST_SHAPES_FRAME_ERROR_LAYOUT,
  GST_SHAPES_FRAME_ERROR_MAP,
} GstShapesFrameError;

/* Whether @buffer stands for a frame that is not there, as GstAggregator makes
 * them of GAP events. It goes on as it is. */
static inline gboolean
gst_shapes_is_empty_gap (GstBuffer * buffer)
{
  return GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) &&
      gst_buffer_get_size (buffer) == 0;
}

#define GST_SHAPES_FRAME_ERROR (gst_shapes_frame_error_quark ())
GQuark gst_shapes_frame_error_quark (void);

/**
 * GstShapesFrame:
 *
 * The samples of one buffer, mapped for reading, or for reading and writing: in
 * the memory of the GPU when they are there and the context is the same, or
 * when the GPU shares the host's; else on the host. Strides and offsets come
 * from the buffer's GstVideoMeta, or else from its CUDA memory, or else from
 * the caps; they are checked against the size of the memory. Holds nothing
 * after gst_shapes_frame_unmap().
 */
typedef struct
{
  /*< private >*/
  GstBuffer *buffer;
  const GstVideoInfo *info;
  gpointer context;
  gpointer stream;
  gboolean writable, whole_pixels;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  struct
  {
    GstMapInfo map;
    gboolean mapped, reached;
    CsMemory memory;
    guint8 *data;
    gsize size;
    gpointer copy;
    guint8 *original;
  } plane[GST_VIDEO_MAX_PLANES];
} GstShapesFrame;

/* Begins reading @buffer as video: all of its planes are there, also those that
 * are not wanted; none is mapped yet, so nothing need be unmapped.
 *
 * @info: of the caps; stays valid until gst_shapes_frame_unmap()
 * @context: (nullable): the GstCudaContext that is current, %NULL to read on
 *     the host in any case
 * @stream: (nullable): the CUDA stream that will read
 * Returns: %FALSE with @error (GST_SHAPES_FRAME_ERROR) set, and nothing to
 *     unmap */
gboolean gst_shapes_frame_init (GstShapesFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer, gpointer context,
    gpointer stream, GError ** error);

/* The same for reading and writing; @buffer is writable. What is queued on
 * @stream when the frame is unmapped belongs to the writing: unmapping waits
 * for it, or leaves that to the memory's next reader where the version of
 * libgstcuda allows it. */
gboolean gst_shapes_frame_init_writable (GstShapesFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer, gpointer context,
    gpointer stream, GError ** error);

/* A view of component @component (as GST_VIDEO_INFO_COMP_WIDTH counts: Y or R
 * is 0, alpha is 3), in native endianness; maps its plane. Samples of more than
 * 8 bits have 16, in the bits where the format has them. */
gboolean gst_shapes_frame_get_component (GstShapesFrame * frame,
    guint component, CsImage * image, GError ** error);

/* What red and blue count in the luma of @info's RGB: by the caps' colour
 * matrix, or else by their primaries. */
void gst_shapes_choose_luma_weights (const GstVideoInfo * info,
    gfloat * red_weight, gfloat * blue_weight);

/* CsBackground */
GType gst_shapes_background_get_type (void);

/* What of a picture the caps say: model, size, depth, subsampling, range, and
 * the weights of luma; no data. A matrix that caps of YUV and gray do not know
 * is BT.709 from 720 rows on, else BT.601; the weights of RGB are those of
 * gst_shapes_choose_luma_weights(). Where caps do not say, YUV is of limited
 * range, gray and RGB are not.
 *
 * Returns: %FALSE for formats that no CsPicture describes; it does all of
 *     GST_SHAPES_PICTURE_FORMATS */
gboolean gst_shapes_picture_describe (const GstVideoInfo * info,
    CsPicture * picture);

/* The whole frame: every component, in the memory of the GPU if all planes are
 * there, else on the host; maps all planes. To be written only in a writable
 * frame. Fails with CS_ERROR_INVALID for formats that
 * gst_shapes_picture_describe() does not know. */
gboolean gst_shapes_frame_get_picture (GstShapesFrame * frame,
    CsPicture * picture, GError ** error);

/* Maps @size bytes of @buffer, wherever they lie, aligned to @alignment. */
gboolean gst_shapes_frame_map_bytes (GstShapesFrame * frame,
    GstBuffer * buffer, gsize size, gsize alignment, gpointer context,
    gpointer stream, gconstpointer * data, CsMemory * memory, GError ** error);

/* Returns: whether everything that was written is there, which can only fail on
 * a GPU */
gboolean gst_shapes_frame_unmap (GstShapesFrame * frame);

/* Frames that are painted on */

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
  "I420, YV12, Y42B, Y444, YUY2, UYVY, GRAY8" \
  GST_SHAPES_PICTURE_DEEP_FORMATS " }"
/* What every version of libgstcuda can hold. */
#define GST_SHAPES_PICTURE_CUDA_FORMATS \
  "{ NV12, I420, Y444, RGBA, BGRA, RGBx, BGRx" \
  GST_SHAPES_PICTURE_DEEP_CUDA_FORMATS " }"

/* Pad template caps: the video that can be painted on. */
#define GST_SHAPES_PICTURE_CAPS \
  GST_SHAPES_CUDA_CAPS (GST_SHAPES_PICTURE_CUDA_FORMATS) \
  GST_VIDEO_CAPS_MAKE (GST_SHAPES_PICTURE_FORMATS)

/* Bytes of a plane. */
typedef struct
{
  guint8 *data;
  gsize stride, row_size;
  guint rows;
  CsMemory memory;
} GstShapesPlane;

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
  gboolean is_filled;
  CsCudaCopier copier;
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
  GstBuffer *target;
  gboolean is_blank;
  GstShapesPlane planes[GST_VIDEO_MAX_PLANES];
  GstShapesPlane staged[GST_VIDEO_MAX_PLANES];
  gboolean writable;
} GstShapesPicture;

/* Maps @buffer for painting: on the CPU in the host's memory; on a GPU where it
 * is, or, when it is not in the memory of the stage's context, as a copy there.
 * The context is current from here until gst_shapes_picture_unmap().
 *
 * @info: of the caps; stays valid until gst_shapes_picture_unmap()
 * @buffer: (nullable): %NULL if nothing is read, and bytes of @target that
 *     belong to no component need not stay
 * @target: (nullable): a writable buffer that gets what is painted instead of
 *     @buffer, until gst_shapes_picture_unmap(); with @buffer on a GPU only,
 *     and if @buffer is in the host's memory
 * @flags: GST_MAP_READ, GST_MAP_WRITE (all of it will be written) or both;
 *     @buffer is writable if it shall be written
 * Returns: %FALSE with @error set (GST_SHAPES_FRAME_ERROR or CS_ERROR), and
 *     nothing to unmap */
gboolean gst_shapes_picture_map (GstShapesPicture * picture,
    GstShapesPictureStage * stage, const GstVideoInfo * info,
    GstBuffer * buffer, GstBuffer * target, GstMapFlags flags, GError ** error);

/* What was painted gets to the buffer: work that is queued on the stage's
 * stream has ended when it is read.
 *
 * @painted: %FALSE if painting failed: the buffer stays as it is
 * Returns: %FALSE with @error set (CS_ERROR); the picture is unmapped in any
 *     case */
gboolean gst_shapes_picture_unmap (GstShapesPicture * picture,
    gboolean painted, GError ** error);

/* Paints on @picture, of the element @user_data. */
typedef gboolean (*GstShapesPaintFunc) (gpointer user_data,
    const CsPicture * picture, GError ** error);

/* Maps @buffer as gst_shapes_picture_map() does, calls @paint, and unmaps. */
gboolean gst_shapes_picture_paint (GstShapesPictureStage * stage,
    const GstVideoInfo * info, GstBuffer * buffer, GstBuffer * target,
    GstMapFlags flags, GstShapesPaintFunc paint, gpointer user_data,
    GError ** error);
