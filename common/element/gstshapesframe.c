/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapesframe.h"

#include <string.h>

#include "base/memory.h"
#include "cuda/gstshapescompat.h"
#include "shapes/gstshapes.h"

G_DEFINE_QUARK (gst-shapes-frame-error-quark, gst_shapes_frame_error);

static void
use_caps_layout (GstShapesFrame * frame)
{
  guint i;

  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (frame->info); i++) {
    frame->offset[i] = GST_VIDEO_INFO_PLANE_OFFSET (frame->info, i);
    frame->stride[i] = GST_VIDEO_INFO_PLANE_STRIDE (frame->info, i);
  }
}

static gboolean
use_meta_layout (GstShapesFrame * frame, const GstVideoMeta * meta,
    GError ** error)
{
  const GstVideoInfo *info = frame->info;
  guint i;

  if (meta->format != GST_VIDEO_INFO_FORMAT (info) ||
      meta->n_planes != GST_VIDEO_INFO_N_PLANES (info) ||
      meta->width < (guint) GST_VIDEO_INFO_WIDTH (info) ||
      meta->height < (guint) GST_VIDEO_INFO_HEIGHT (info)) {
    g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_LAYOUT,
        "the buffer's GstVideoMeta (%s, %u x %u) contradicts the caps (%s, "
        "%d x %d)", gst_video_format_to_string (meta->format), meta->width,
        meta->height, GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
        GST_VIDEO_INFO_HEIGHT (info));
    return FALSE;
  }
  for (i = 0; i < meta->n_planes; i++) {
    frame->offset[i] = meta->offset[i];
    frame->stride[i] = meta->stride[i];
  }
  return TRUE;
}

#ifdef HAVE_CUDA

/* CUDA memory without a GstVideoMeta still knows its pitch. */
static gboolean
use_cuda_layout (GstShapesFrame * frame)
{
  GstMemory *memory = gst_buffer_n_memory (frame->buffer) > 0 ?
      gst_buffer_peek_memory (frame->buffer, 0) : NULL;
  const GstVideoInfo *info;
  guint i;

  if (!frame->context || !memory || !gst_is_cuda_memory (memory))
    return FALSE;
  info = &GST_CUDA_MEMORY_CAST (memory)->info;
  if (GST_VIDEO_INFO_FORMAT (info) != GST_VIDEO_INFO_FORMAT (frame->info))
    return FALSE;
  for (i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    frame->offset[i] = GST_VIDEO_INFO_PLANE_OFFSET (info, i);
    frame->stride[i] = GST_VIDEO_INFO_PLANE_STRIDE (info, i);
  }
  return TRUE;
}

/* Whether the memory can be read where it is. */
static gboolean
prepare_device (GstShapesFrame * frame, GstMemory * memory)
{
  if (!frame->context || !gst_is_cuda_memory (memory) ||
      (gpointer) GST_CUDA_MEMORY_CAST (memory)->context != frame->context)
    return FALSE;
  return gst_shapes_cuda_memory_wait (memory, frame->stream, frame->writable);
}

/* What was queued for @memory is its contents, for whoever reads it next. */
static gboolean
finish_device (GstShapesFrame * frame, GstMemory * memory)
{
  return gst_shapes_cuda_memory_written (memory, frame->stream);
}

#define MAP_DEVICE GST_MAP_CUDA

#else

static gboolean
use_cuda_layout (GstShapesFrame * frame)
{
  return FALSE;
}

static gboolean
prepare_device (GstShapesFrame * frame, GstMemory * memory)
{
  return FALSE;
}

static gboolean
finish_device (GstShapesFrame * frame, GstMemory * memory)
{
  return TRUE;
}

#define MAP_DEVICE 0

#endif

/* The memories that hold bytes [offset, offset + size) of the buffer. */
static gboolean
find_range (const GstShapesFrame * frame, gsize offset, gsize size,
    guint * index, guint * length, gsize * skip, GError ** error)
{
  if (gst_buffer_find_memory (frame->buffer, offset, size, index, length,
          skip))
    return TRUE;
  g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_SHORT,
      "the buffer has %" G_GSIZE_FORMAT " bytes, the frame needs %"
      G_GSIZE_FORMAT " from byte %" G_GSIZE_FORMAT " on",
      gst_buffer_get_size (frame->buffer), size, offset);
  return FALSE;
}

/* Maps the memories that hold bytes [offset, offset + size) of the buffer. */
static gboolean
map_range (GstShapesFrame * frame, guint plane, gsize offset, gsize size,
    GError ** error)
{
  GstBuffer *buffer = frame->buffer;
  GstMapFlags flags = frame->writable ? GST_MAP_READWRITE : GST_MAP_READ;
  GstMapInfo *map = &frame->plane[plane].map;
  GstMemory *memory;
  guint index, length;
  gsize skip;

  if (!find_range (frame, offset, size, &index, &length, &skip, error))
    return FALSE;
  memory = gst_buffer_peek_memory (buffer, index);
  frame->plane[plane].memory = gst_is_shapes_pinned_memory (memory) &&
      length == 1 ? CS_MEMORY_PINNED : CS_MEMORY_HOST;
  if (length == 1 && prepare_device (frame, memory)) {
    frame->plane[plane].memory = CS_MEMORY_DEVICE;
    flags = (GstMapFlags) (flags | MAP_DEVICE);
  }
  if (!gst_buffer_map_range (buffer, index, length, map, flags)) {
    g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_MAP,
        "the buffer's memory cannot be mapped for %s",
        frame->writable ? "writing" : "reading");
    return FALSE;
  }
  frame->plane[plane].mapped = TRUE;
  if (map->size < skip || map->size - skip < size) {
    g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_SHORT,
        "the buffer's memory ends before the frame does");
    return FALSE;
  }
  frame->plane[plane].data = map->data + skip;
  frame->plane[plane].size = size;
  return TRUE;
}

/* Bytes from a plane's first to the end of its last row: the last row may lack
 * its padding. */
static gboolean
plane_size (const GstShapesFrame * frame, guint plane, gsize * size,
    GError ** error)
{
  const GstVideoInfo *info = frame->info;
  const GstVideoFormatInfo *finfo = info->finfo;
  const gint stride = frame->stride[plane];
  gsize row_size = 0, rows = 0;
  guint i;

  for (i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    const guint bytes = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, i) > 8 ? 2 : 1;
    gsize offset;

    if (GST_VIDEO_FORMAT_INFO_PLANE (finfo, i) != plane)
      continue;
    /* GStreamer says that the V of P010 is at byte 1 */
    offset = (GST_VIDEO_FORMAT_INFO_POFFSET (finfo, i) + bytes - 1) / bytes *
        bytes;
    row_size = MAX (row_size, offset +
        (gsize) GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i) *
        (GST_VIDEO_INFO_COMP_WIDTH (info, i) - 1) + bytes);
    /* a writer may touch all of a pixel */
    if (frame->writable)
      row_size = MAX (row_size, (gsize)
          GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i) *
          GST_VIDEO_INFO_COMP_WIDTH (info, i));
    rows = MAX (rows, (gsize) GST_VIDEO_INFO_COMP_HEIGHT (info, i));
  }
  if (stride < 0 || (gsize) stride < row_size) {
    g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_LAYOUT,
        "the stride %d of plane %u is less than its row of %" G_GSIZE_FORMAT
        " bytes", stride, plane, row_size);
    return FALSE;
  }
  *size = (rows - 1) * (gsize) stride + row_size;
  return TRUE;
}

/* Whether all planes lie in the buffer's memory. */
static gboolean
check_planes (const GstShapesFrame * frame, GError ** error)
{
  guint plane, index, length;
  gsize size, skip;

  for (plane = 0; plane < GST_VIDEO_INFO_N_PLANES (frame->info); plane++) {
    if (!plane_size (frame, plane, &size, error) ||
        !find_range (frame, frame->offset[plane], size, &index, &length, &skip,
            error))
      return FALSE;
  }
  return TRUE;
}

gboolean
gst_shapes_frame_init (GstShapesFrame * frame, const GstVideoInfo * info,
    GstBuffer * buffer, gpointer context, gpointer stream, GError ** error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  memset (frame, 0, sizeof (*frame));
  frame->buffer = buffer;
  frame->info = info;
  frame->context = context;
  frame->stream = stream;
  if (meta) {
    if (!use_meta_layout (frame, meta, error))
      return FALSE;
  } else if (!use_cuda_layout (frame)) {
    use_caps_layout (frame);
  }
  return check_planes (frame, error);
}

/* Mapping a plane that lies in several memories makes one of these, which must
 * not happen while another plane is mapped to be written. */
static gboolean
join_memories (GstShapesFrame * frame, GError ** error)
{
  GstBuffer *buffer = frame->buffer;
  guint plane, index, length;
  gsize size, skip;

  for (plane = 0; gst_buffer_n_memory (buffer) > 1 &&
      plane < GST_VIDEO_INFO_N_PLANES (frame->info); plane++) {
    if (!plane_size (frame, plane, &size, error))
      return FALSE;
    if (gst_buffer_find_memory (buffer, frame->offset[plane], size, &index,
            &length, &skip) && length > 1)
      gst_buffer_replace_all_memory (buffer,
          gst_buffer_get_all_memory (buffer));
  }
  return TRUE;
}

gboolean
gst_shapes_frame_init_writable (GstShapesFrame * frame,
    const GstVideoInfo * info, GstBuffer * buffer, gpointer context,
    gpointer stream, GError ** error)
{
  if (!gst_shapes_frame_init (frame, info, buffer, context, stream, error))
    return FALSE;
  frame->writable = TRUE;
  return join_memories (frame, error);
}

/* Kernels read whole samples: move those on the host that lie across. */
static gboolean
align (GstShapesFrame * frame, guint plane, gsize alignment, GError ** error)
{
  if ((guintptr) frame->plane[plane].data % alignment == 0)
    return TRUE;
  if (frame->plane[plane].memory == CS_MEMORY_DEVICE) {
    g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_LAYOUT,
        "the samples in the GPU's memory are not aligned to %" G_GSIZE_FORMAT
        " bytes", alignment);
    return FALSE;
  }
  frame->plane[plane].copy = cs_try_malloc (frame->plane[plane].size);
  if (!frame->plane[plane].copy) {
    g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_MAP,
        "no memory to align %" G_GSIZE_FORMAT " bytes",
        frame->plane[plane].size);
    return FALSE;
  }
  memcpy (frame->plane[plane].copy, frame->plane[plane].data,
      frame->plane[plane].size);
  frame->plane[plane].original = frame->plane[plane].data;
  frame->plane[plane].data = frame->plane[plane].copy;
  frame->plane[plane].memory = CS_MEMORY_HOST;
  return TRUE;
}

/* Maps plane @plane unless it is mapped, its samples aligned to their size. */
static gboolean
map_plane (GstShapesFrame * frame, guint plane, gsize alignment,
    GError ** error)
{
  gsize size;

  return frame->plane[plane].mapped ||
      (plane_size (frame, plane, &size, error) &&
      map_range (frame, plane, frame->offset[plane], size, error) &&
      align (frame, plane, alignment, error));
}

gboolean
gst_shapes_frame_get_component (GstShapesFrame * frame, guint component,
    CsImage * image, GError ** error)
{
  const GstVideoInfo *info = frame->info;
  const GstVideoFormatInfo *finfo = info->finfo;
  const guint plane = GST_VIDEO_FORMAT_INFO_PLANE (finfo, component);
  const CsSampleType type =
      GST_VIDEO_FORMAT_INFO_DEPTH (finfo, component) > 8 ? CS_SAMPLE_U16 :
      CS_SAMPLE_U8;

  if (!map_plane (frame, plane, cs_sample_size (type), error))
    return FALSE;
  /* GStreamer says that the V of P010 is at byte 1 */
  if (type == CS_SAMPLE_U16 && (frame->stride[plane] % 2 != 0 ||
          GST_VIDEO_FORMAT_INFO_POFFSET (finfo, component) % 2 != 0)) {
    g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_LAYOUT,
        "the 16-bit samples of plane %u lie at odd addresses (stride %d)",
        plane, frame->stride[plane]);
    return FALSE;
  }
  *image = cs_image_gray (frame->plane[plane].data +
      GST_VIDEO_FORMAT_INFO_POFFSET (finfo, component), type,
      GST_VIDEO_INFO_COMP_WIDTH (info, component),
      GST_VIDEO_INFO_COMP_HEIGHT (info, component), frame->stride[plane]);
  image->pixel_stride = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, component);
  image->memory = frame->plane[plane].memory;
  return TRUE;
}

/* The first component in @plane. */
static guint
find_component (const GstVideoFormatInfo * finfo, guint plane)
{
  guint c = 0;

  while (GST_VIDEO_FORMAT_INFO_PLANE (finfo, c) != plane)
    c++;
  return c;
}

gboolean
gst_shapes_frame_get_plane (GstShapesFrame * frame, guint plane,
    GstShapesFramePlane * view, GError ** error)
{
  const GstVideoInfo *info = frame->info;
  const GstVideoFormatInfo *finfo = info->finfo;
  const guint c = find_component (finfo, plane);
  const gsize alignment = GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c) > 8 ? 2 : 1;

  if (!map_plane (frame, plane, alignment, error))
    return FALSE;
  if (frame->stride[plane] % alignment != 0) {
    g_set_error (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_LAYOUT,
        "the 16-bit samples of plane %u lie at odd addresses (stride %d)",
        plane, frame->stride[plane]);
    return FALSE;
  }
  *view = (GstShapesFramePlane) {
    .data = frame->plane[plane].data,
    .stride = frame->stride[plane],
    .row_size = (gsize) GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, c) *
        GST_VIDEO_INFO_COMP_WIDTH (info, c),
    .rows = GST_VIDEO_INFO_COMP_HEIGHT (info, c),
    .memory = frame->plane[plane].memory,
  };
  return TRUE;
}

gboolean
gst_shapes_frame_map_bytes (GstShapesFrame * frame, GstBuffer * buffer,
    gsize size, gsize alignment, gpointer context, gpointer stream,
    gconstpointer * data, CsMemory * memory, GError ** error)
{
  memset (frame, 0, sizeof (*frame));
  frame->buffer = buffer;
  frame->context = context;
  frame->stream = stream;
  if (!map_range (frame, 0, 0, size, error) ||
      !align (frame, 0, alignment, error)) {
    gst_shapes_frame_unmap (frame);
    return FALSE;
  }
  *data = frame->plane[0].data;
  *memory = frame->plane[0].memory;
  return TRUE;
}

/* What was written to a mapped plane gets to the buffer. */
static gboolean
finish_plane (GstShapesFrame * frame, guint plane)
{
  if (frame->plane[plane].copy)
    memcpy (frame->plane[plane].original, frame->plane[plane].copy,
        frame->plane[plane].size);
  return frame->plane[plane].memory != CS_MEMORY_DEVICE ||
      finish_device (frame, frame->plane[plane].map.memory);
}

gboolean
gst_shapes_frame_unmap (GstShapesFrame * frame)
{
  gboolean ok = TRUE;
  guint i;

  for (i = 0; i < GST_VIDEO_MAX_PLANES; i++) {
    if (frame->plane[i].mapped) {
      ok = (!frame->writable || finish_plane (frame, i)) && ok;
      gst_buffer_unmap (frame->buffer, &frame->plane[i].map);
    }
    g_free (frame->plane[i].copy);
  }
  memset (frame, 0, sizeof (*frame));
  return ok;
}
