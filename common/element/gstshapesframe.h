/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_FRAME_H
#define GST_SHAPES_FRAME_H

#include <gst/gst.h>
#include <gst/video/video.h>

#include "base/image.h"

G_BEGIN_DECLS

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

#define GST_SHAPES_FRAME_ERROR (gst_shapes_frame_error_quark ())
GQuark gst_shapes_frame_error_quark (void);

/**
 * GstShapesFrame:
 *
 * The samples of one buffer, mapped for reading, or for reading and writing: in
 * the memory of the GPU when they are there and the context is the same, else
 * on the host. Strides and offsets come from the buffer's GstVideoMeta, or else
 * from its CUDA memory, or else from the caps; they are checked against the
 * size of the memory. Holds nothing after gst_shapes_frame_unmap().
 */
typedef struct
{
  /*< private >*/
  GstBuffer *buffer;
  const GstVideoInfo *info;
  gpointer context;
  gpointer stream;
  gboolean writable;
  gsize offset[GST_VIDEO_MAX_PLANES];
  gint stride[GST_VIDEO_MAX_PLANES];
  struct
  {
    GstMapInfo map;
    gboolean mapped;
    CsMemory memory;
    guint8 *data;
    gsize size;
    gpointer copy;
    guint8 *original;
  } plane[GST_VIDEO_MAX_PLANES];
} GstShapesFrame;

/**
 * GstShapesFramePlane:
 * @data: first byte
 * @stride: bytes from a row to the next
 * @row_size: bytes of a row's pixels
 * @rows: number of rows
 * @memory: where @data lies
 */
typedef struct
{
  guint8 *data;
  gsize stride, row_size;
  guint rows;
  CsMemory memory;
} GstShapesFramePlane;

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

/* Plane @plane as bytes; maps it. To be written only in a writable frame. */
gboolean gst_shapes_frame_get_plane (GstShapesFrame * frame, guint plane,
    GstShapesFramePlane * view, GError ** error);

/* Maps @size bytes of @buffer, wherever they lie, aligned to @alignment. */
gboolean gst_shapes_frame_map_bytes (GstShapesFrame * frame,
    GstBuffer * buffer, gsize size, gsize alignment, gpointer context,
    gpointer stream, gconstpointer * data, CsMemory * memory, GError ** error);

/* Returns: whether everything that was written is there, which can only fail on
 * a GPU */
gboolean gst_shapes_frame_unmap (GstShapesFrame * frame);

G_END_DECLS

#endif /* GST_SHAPES_FRAME_H */
