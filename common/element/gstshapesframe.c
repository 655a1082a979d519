/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesframe.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "cuda/gstshapescompat.h"
#include "shapes/gstshapes.h"

/* Rows of staged planes begin at multiples of this. */
#define ROW_ALIGNMENT ((gsize) 256)

G_DEFINE_QUARK (gst-shapes-frame-error-quark, gst_shapes_frame_error);

static gboolean
use_meta_layout (GstShapesFrame * frame, const GstVideoMeta * meta,
    GError ** error)
{
  const GstVideoInfo *info = frame->info;

  if (meta->format != GST_VIDEO_INFO_FORMAT (info) ||
      meta->n_planes != GST_VIDEO_INFO_N_PLANES (info) ||
      meta->width < (guint) GST_VIDEO_INFO_WIDTH (info) ||
      meta->height < (guint) GST_VIDEO_INFO_HEIGHT (info))
    return cs_fail (error, GST_SHAPES_FRAME_ERROR,
        GST_SHAPES_FRAME_ERROR_LAYOUT, "the buffer's GstVideoMeta (%s, %u x "
        "%u) contradicts the caps (%s, %d x %d)",
        gst_video_format_to_string (meta->format), meta->width, meta->height,
        GST_VIDEO_INFO_NAME (info), GST_VIDEO_INFO_WIDTH (info),
        GST_VIDEO_INFO_HEIGHT (info));
  for (guint i = 0; i < meta->n_planes; i++) {
    frame->offset[i] = meta->offset[i];
    frame->stride[i] = meta->stride[i];
  }
  return TRUE;
}

#ifdef HAVE_GSTCUDA

/* CUDA memory without a GstVideoMeta still knows its pitch. */
static gboolean
use_cuda_layout (GstShapesFrame * frame)
{
  GstMemory *memory = gst_buffer_n_memory (frame->buffer) > 0 ?
      gst_buffer_peek_memory (frame->buffer, 0) : NULL;

  if (!frame->context || !memory || !gst_is_cuda_memory (memory))
    return FALSE;
  const GstVideoInfo *info = &GST_CUDA_MEMORY_CAST (memory)->info;
  if (GST_VIDEO_INFO_FORMAT (info) != GST_VIDEO_INFO_FORMAT (frame->info))
    return FALSE;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    frame->offset[i] = GST_VIDEO_INFO_PLANE_OFFSET (info, i);
    frame->stride[i] = GST_VIDEO_INFO_PLANE_STRIDE (info, i);
  }
  return TRUE;
}

#define is_cuda_memory gst_is_cuda_memory

/* Whether the memory can be read where it is. */
static gboolean
is_on_device (const GstShapesFrame * frame, GstMemory * memory)
{
  return frame->context && gst_is_cuda_memory (memory) &&
      (gpointer) GST_CUDA_MEMORY_CAST (memory)->context == frame->context;
}

static gboolean
wait_for_device (GstShapesFrame * frame, GstMemory * memory)
{
  return gst_shapes_cuda_memory_wait (memory, frame->stream, frame->writable);
}

/* Makes what was queued on @memory visible to its next reader. */
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
is_on_device (const GstShapesFrame * frame, GstMemory * memory)
{
  return FALSE;
}

static gboolean
wait_for_device (GstShapesFrame * frame, GstMemory * memory)
{
  return TRUE;
}

static gboolean
finish_device (GstShapesFrame * frame, GstMemory * memory)
{
  return TRUE;
}

#define MAP_DEVICE 0
#define is_cuda_memory(memory) FALSE

#endif

/* The memories that hold bytes [offset, offset + size) of the buffer. */
static gboolean
find_range (const GstShapesFrame * frame, gsize offset, gsize size,
    guint * index, guint * length, gsize * skip, GError ** error)
{
  if (gst_buffer_find_memory (frame->buffer, offset, size, index, length, skip))
    return TRUE;
  return cs_fail (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_SHORT,
      "the buffer has %" G_GSIZE_FORMAT " bytes, the frame needs %"
      G_GSIZE_FORMAT " from byte %" G_GSIZE_FORMAT " on",
      gst_buffer_get_size (frame->buffer), size, offset);
}

/* Not the frame's fault. */
static gboolean
fail_device (GError ** error)
{
  return cs_error (error, CS_ERROR_DEVICE, "what was queued for the buffer's "
      "CUDA memory failed");
}

/* Maps the memories that hold bytes [offset, offset + size) of the buffer. */
static gboolean
map_range (GstShapesFrame * frame, guint plane, gsize offset, gsize size,
    GError ** error)
{
  GstBuffer *buffer = frame->buffer;
  GstMapFlags flags = frame->writable ? GST_MAP_READWRITE : GST_MAP_READ;
  GstMapInfo *map = &frame->plane[plane].map;
  guint index, length;
  gsize skip;

  if (!find_range (frame, offset, size, &index, &length, &skip, error))
    return FALSE;
  GstMemory *memory = gst_buffer_peek_memory (buffer, index);
  frame->plane[plane].memory = gst_is_shapes_pinned_memory (memory) &&
      length == 1 ? CS_MEMORY_PINNED : CS_MEMORY_HOST;
  if (length == 1 && is_on_device (frame, memory)) {
    if (!wait_for_device (frame, memory))
      return fail_device (error);
    frame->plane[plane].memory = CS_MEMORY_DEVICE;
    flags = (GstMapFlags) (flags | MAP_DEVICE);
  }
  if (!gst_buffer_map_range (buffer, index, length, map, flags)) {
    if (is_cuda_memory (memory))
      return fail_device (error);
    return cs_fail (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_MAP,
        "the buffer's memory cannot be mapped for %s", frame->writable ?
        "writing" : "reading");
  }
  frame->plane[plane].mapped = TRUE;
  if (map->size < skip || map->size - skip < size)
    return cs_fail (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_SHORT,
        "the buffer's memory ends before the frame does");
  frame->plane[plane].data = map->data + skip;
  frame->plane[plane].size = size;
  return TRUE;
}

/* Bytes of a sample of component @c. */
static guint
sample_bytes (const GstVideoFormatInfo * finfo, guint c)
{
  return GST_VIDEO_FORMAT_INFO_DEPTH (finfo, c) > 8 ? 2 : 1;
}

/* Where component @c begins in a pixel of its plane. GStreamer says that the V
 * of P010 is at byte 1, which is half of U. */
static gsize
component_offset (const GstVideoFormatInfo * finfo, guint c)
{
  const gsize offset = GST_VIDEO_FORMAT_INFO_POFFSET (finfo, c);

  return sample_bytes (finfo, c) == 2 && offset % 2 != 0 ? 2 * offset : offset;
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

  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    if (GST_VIDEO_FORMAT_INFO_PLANE (finfo, i) != plane)
      continue;
    row_size = MAX (row_size, component_offset (finfo, i) +
        (gsize) GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i) *
        (GST_VIDEO_INFO_COMP_WIDTH (info, i) - 1) + sample_bytes (finfo, i));
    /* a writer may touch all of a pixel */
    if (frame->writable || frame->whole_pixels)
      row_size = MAX (row_size, (gsize) GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo,
              i) * GST_VIDEO_INFO_COMP_WIDTH (info, i));
    rows = MAX (rows, (gsize) GST_VIDEO_INFO_COMP_HEIGHT (info, i));
  }
  if (stride < 0 || (gsize) stride < row_size)
    return cs_fail (error, GST_SHAPES_FRAME_ERROR,
        GST_SHAPES_FRAME_ERROR_LAYOUT, "the stride %d of plane %u is less than "
        "its row of %" G_GSIZE_FORMAT " bytes", stride, plane, row_size);
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
    for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (frame->info); i++) {
      frame->offset[i] = GST_VIDEO_INFO_PLANE_OFFSET (frame->info, i);
      frame->stride[i] = GST_VIDEO_INFO_PLANE_STRIDE (frame->info, i);
    }
  }
  return check_planes (frame, error);
}

/* Mapping a plane that lies in several memories makes one of these, which must
 * not happen while another plane is mapped to be written. */
static gboolean
join_memories (GstShapesFrame * frame, GError ** error)
{
  GstBuffer *buffer = frame->buffer;
  guint index, length;
  gsize size, skip;

  for (guint plane = 0; gst_buffer_n_memory (buffer) > 1 &&
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
  if (frame->plane[plane].memory == CS_MEMORY_DEVICE)
    return cs_fail (error, GST_SHAPES_FRAME_ERROR,
        GST_SHAPES_FRAME_ERROR_LAYOUT, "the samples in the GPU's memory are "
        "not aligned to %" G_GSIZE_FORMAT " bytes", alignment);
  frame->plane[plane].copy = cs_try_malloc (frame->plane[plane].size);
  if (!frame->plane[plane].copy)
    return cs_fail (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_MAP,
        "no memory to align %" G_GSIZE_FORMAT " bytes",
        frame->plane[plane].size);
  memcpy (frame->plane[plane].copy, frame->plane[plane].data,
      frame->plane[plane].size);
  frame->plane[plane].original = frame->plane[plane].data;
  frame->plane[plane].data = frame->plane[plane].copy;
  frame->plane[plane].memory = CS_MEMORY_HOST;
  return TRUE;
}

#ifdef HAVE_CUDA

/* A GPU that shares the host's memory reads and writes a plane where it is. */
static void
reach (GstShapesFrame * frame, guint plane)
{
  if (!frame->context || frame->plane[plane].copy ||
      frame->plane[plane].memory == CS_MEMORY_DEVICE)
    return;
  gpointer there = cs_cuda_reach (frame->plane[plane].data);
  if (!there)
    return;
  frame->plane[plane].data = there;
  frame->plane[plane].memory = CS_MEMORY_DEVICE;
  frame->plane[plane].reached = TRUE;
}

/* What is queued has done with a plane of the host. */
static gboolean
leave (GstShapesFrame * frame, guint plane)
{
  return !frame->plane[plane].reached ||
      CuStreamSynchronize (frame->stream) == CUDA_SUCCESS;
}

#else

static void
reach (GstShapesFrame * frame, guint plane)
{
}

static gboolean
leave (GstShapesFrame * frame, guint plane)
{
  return TRUE;
}

#endif

/* The first component in @plane. */
static guint
find_component (const GstVideoFormatInfo * finfo, guint plane)
{
  guint c = 0;

  while (GST_VIDEO_FORMAT_INFO_PLANE (finfo, c) != plane)
    c++;
  return c;
}

/* Maps plane @plane unless it is mapped, its samples aligned to their size. */
static gboolean
map_plane (GstShapesFrame * frame, guint plane, GError ** error)
{
  const GstVideoFormatInfo *finfo = frame->info->finfo;
  const guint bytes = sample_bytes (finfo, find_component (finfo, plane));
  gsize size;

  if (!frame->plane[plane].mapped) {
    if (!plane_size (frame, plane, &size, error) ||
        !map_range (frame, plane, frame->offset[plane], size, error) ||
        !align (frame, plane, bytes, error))
      return FALSE;
    reach (frame, plane);
  }
  if (frame->stride[plane] % bytes == 0)
    return TRUE;
  return cs_fail (error, GST_SHAPES_FRAME_ERROR, GST_SHAPES_FRAME_ERROR_LAYOUT,
      "the 16-bit samples of plane %u lie at odd addresses (stride %d)", plane,
      frame->stride[plane]);
}

gboolean
gst_shapes_frame_get_component (GstShapesFrame * frame, guint component,
    CsImage * image, GError ** error)
{
  const GstVideoInfo *info = frame->info;
  const GstVideoFormatInfo *finfo = info->finfo;
  const guint plane = GST_VIDEO_FORMAT_INFO_PLANE (finfo, component);

  if (!map_plane (frame, plane, error))
    return FALSE;
  *image = cs_image_gray (frame->plane[plane].data +
      component_offset (finfo, component),
      sample_bytes (finfo, component) == 2 ? CS_SAMPLE_U16 : CS_SAMPLE_U8,
      GST_VIDEO_INFO_COMP_WIDTH (info, component),
      GST_VIDEO_INFO_COMP_HEIGHT (info, component), frame->stride[plane]);
  image->pixel_stride = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, component);
  image->memory = frame->plane[plane].memory;
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
  reach (frame, 0);
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
      frame->plane[plane].reached ||
      finish_device (frame, frame->plane[plane].map.memory);
}

gboolean
gst_shapes_frame_unmap (GstShapesFrame * frame)
{
  gboolean ok = TRUE;

  for (guint i = 0; i < GST_VIDEO_MAX_PLANES; i++) {
    if (frame->plane[i].mapped) {
      ok = leave (frame, i) && ok;
      ok = (!frame->writable || finish_plane (frame, i)) && ok;
      gst_buffer_unmap (frame->buffer, &frame->plane[i].map);
    }
    g_free (frame->plane[i].copy);
  }
  memset (frame, 0, sizeof (*frame));
  return ok;
}

/* Pictures */

static gboolean
describe (const GstVideoInfo * info, CsPicture * picture, GError ** error)
{
  if (gst_shapes_picture_describe (info, picture))
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID, "frames of the format %s cannot be "
      "painted on", GST_VIDEO_INFO_NAME (info));
}

/* Bytes of a row of @plane, with whole pixels: of YUY2, with whole pairs. */
static gsize
row_size (const GstVideoInfo * info, guint plane)
{
  const GstVideoFormatInfo *finfo = info->finfo;
  gsize size = 0;

  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    if (GST_VIDEO_FORMAT_INFO_PLANE (finfo, i) == plane)
      size = MAX (size, (gsize) GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i) *
          GST_VIDEO_INFO_COMP_WIDTH (info, i));
  }
  return size;
}

/* Maps all planes, with whole pixels. */
static gboolean
map_planes (GstShapesFrame * frame, GstShapesPlane * planes, GError ** error)
{
  const GstVideoInfo *info = frame->info;

  frame->whole_pixels = TRUE;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    const guint c = find_component (info->finfo, i);

    if (!map_plane (frame, i, error))
      return FALSE;
    planes[i] = (GstShapesPlane) {
      .data = frame->plane[i].data,
      .stride = frame->stride[i],
      .row_size = row_size (info, i),
      .rows = GST_VIDEO_INFO_COMP_HEIGHT (info, c),
      .memory = frame->plane[i].memory,
    };
  }
  return TRUE;
}

/* The components of plane @index are in @plane. */
static void
set_plane (CsPicture * picture, const GstVideoFormatInfo * finfo, guint index,
    const GstShapesPlane * plane)
{
  for (guint c = 0; c < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); c++) {
    if (GST_VIDEO_FORMAT_INFO_PLANE (finfo, c) != index)
      continue;
    picture->data[c] = plane->data + component_offset (finfo, c);
    picture->row_stride[c] = plane->stride;
    picture->pixel_stride[c] = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, c);
  }
  picture->memory = plane->memory == CS_MEMORY_DEVICE ? CS_MEMORY_DEVICE :
      CS_MEMORY_HOST;
}

gboolean
gst_shapes_frame_get_picture (GstShapesFrame * frame, CsPicture * picture,
    GError ** error)
{
  const GstVideoInfo *info = frame->info;
  GstShapesPlane planes[GST_VIDEO_MAX_PLANES];

  if (!describe (info, picture, error) || !map_planes (frame, planes, error))
    return FALSE;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    if ((planes[i].memory == CS_MEMORY_DEVICE) !=
        (planes[0].memory == CS_MEMORY_DEVICE))
      return cs_fail (error, GST_SHAPES_FRAME_ERROR,
          GST_SHAPES_FRAME_ERROR_LAYOUT, "some planes are on the GPU and "
          "others are not");
    set_plane (picture, info->finfo, i, &planes[i]);
  }
  return TRUE;
}

/* The stage */

void
gst_shapes_picture_stage_init (GstShapesPictureStage * stage,
    GstShapesSlabPool * slabs, gpointer context, gpointer stream)
{
  memset (stage, 0, sizeof (*stage));
  stage->slabs = slabs;
  stage->context = context;
  stage->stream = stream;
}

void
gst_shapes_picture_stage_clear (GstShapesPictureStage * stage)
{
#ifdef HAVE_CUDA
  cs_cuda_copier_clear (&stage->copier);
#endif
  g_clear_pointer (&stage->slab, gst_shapes_slab_free);
  memset (stage, 0, sizeof (*stage));
}

#ifdef HAVE_CUDA

static gsize
staged_stride (const GstShapesPlane * plane)
{
  return (plane->row_size + ROW_ALIGNMENT - 1) / ROW_ALIGNMENT * ROW_ALIGNMENT;
}

static gboolean
stage_ensure (GstShapesPictureStage * stage, gsize size, GError ** error)
{
  if (stage->size >= size)
    return TRUE;
  if (!stage->slab)
    stage->slab = gst_shapes_slab_new (stage->slabs, stage->stream);
  stage->device = gst_shapes_slab_alloc (stage->slab, size, FALSE);
  stage->is_filled = FALSE;
  stage->size = stage->device ? size : 0;
  if (!stage->device)
    g_set_error (error, CS_ERROR, CS_ERROR_NO_MEMORY,
        "the GPU has no memory for a frame of %" G_GSIZE_FORMAT " bytes",
        size);
  return stage->device != NULL;
}

/* Queues the copy of a plane to its place on the GPU, or back. */
static gboolean
copy_plane (GstShapesPicture * self, guint index, gboolean back,
    GError ** error)
{
  const GstShapesPlane *from = &self->planes[index];
  const GstShapesPlane *to = &self->staged[index];
  CsCudaRows rows = { from->data, from->stride, to->data, to->stride,
    from->row_size, from->rows
  };

  if (back)
    rows = (CsCudaRows) { to->data, to->stride, from->data, from->stride,
      from->row_size, from->rows
    };
  return cs_cuda_copy (&self->stage->copier, &rows, self->stage->stream, error);
}

static gboolean
wait_for_stream (GstShapesPicture * self, GError ** error)
{
  if (CuStreamSynchronize (self->stage->stream) == CUDA_SUCCESS)
    return TRUE;
  return cs_error (error, CS_ERROR_DEVICE, "the GPU reported an error while it "
      "painted");
}

/* Whether every byte of a plane's pixels belongs to a component: then one who
 * writes all components leaves nothing that was there before. */
static gboolean
is_written_in_full (const GstVideoFormatInfo * finfo, guint plane)
{
  gsize bytes = 0, pixel = 0;

  for (guint i = 0; i < GST_VIDEO_FORMAT_INFO_N_COMPONENTS (finfo); i++) {
    if (GST_VIDEO_FORMAT_INFO_PLANE (finfo, i) != plane)
      continue;
    bytes += sample_bytes (finfo, i);
    pixel = GST_VIDEO_FORMAT_INFO_PSTRIDE (finfo, i);
  }
  return bytes == pixel;
}

/* Whether what is in a plane has to be on the GPU. Bytes that belong to no
 * component may be any, but not what other memory of the GPU had. */
static gboolean
is_needed (const GstShapesPicture * self, guint plane, GstMapFlags flags)
{
  if (flags & GST_MAP_READ)
    return TRUE;
  return !(self->is_blank && self->stage->is_filled) &&
      !is_written_in_full (self->frame.info->finfo, plane);
}

/* Gives planes on the host a place on the GPU, and copies them there unless
 * they are to be written in full. */
static gboolean
stage_planes (GstShapesPicture * self, GstMapFlags flags, GError ** error)
{
  const GstVideoInfo *info = self->frame.info;
  gsize offsets[GST_VIDEO_MAX_PLANES], size = 0;

  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    offsets[i] = size;
    if (self->planes[i].memory != CS_MEMORY_DEVICE)
      size += staged_stride (&self->planes[i]) * self->planes[i].rows;
  }
  if (size == 0)
    return TRUE;
  if (!stage_ensure (self->stage, size, error))
    return FALSE;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++) {
    if (self->planes[i].memory == CS_MEMORY_DEVICE)
      continue;
    self->staged[i] = self->planes[i];
    self->staged[i].data = self->stage->device + offsets[i];
    self->staged[i].stride = staged_stride (&self->planes[i]);
    self->staged[i].memory = CS_MEMORY_DEVICE;
    if (is_needed (self, i, flags) && !copy_plane (self, i, FALSE, error))
      return FALSE;
  }
  self->stage->is_filled = TRUE;
  return TRUE;
}

/* What is painted goes to the planes of another frame. */
static gboolean
redirect (GstShapesPicture * self, GError ** error)
{
  const GstVideoInfo *info = self->frame.info;
  GstBuffer *target = self->target;

  if (!target)
    return TRUE;
  gst_shapes_frame_unmap (&self->frame);
  return gst_shapes_frame_init_writable (&self->frame, info, target,
      self->stage->context, self->stage->stream, error)
      && map_planes (&self->frame, self->planes, error);
}

static gboolean
unstage_planes (GstShapesPicture * self, GError ** error)
{
  gboolean any = FALSE;

  if (!redirect (self, error))
    return FALSE;
  for (guint i = 0; i < GST_VIDEO_MAX_PLANES; i++) {
    if (!self->staged[i].data)
      continue;
    any = TRUE;
    if (!copy_plane (self, i, TRUE, error))
      return FALSE;
  }
  return !any || wait_for_stream (self, error);
}

/* The host's memory is not to be touched any more by what is queued. */
static void
give_up_staging (GstShapesPicture * self)
{
  for (guint i = 0; i < GST_VIDEO_MAX_PLANES; i++) {
    if (self->staged[i].data) {
      wait_for_stream (self, NULL);
      return;
    }
  }
}

#else

static gboolean
stage_planes (GstShapesPicture * self, GstMapFlags flags, GError ** error)
{
  return TRUE;
}

static gboolean
unstage_planes (GstShapesPicture * self, GError ** error)
{
  return TRUE;
}

static void
give_up_staging (GstShapesPicture * self)
{
}

#endif

static gboolean
map_picture (GstShapesPicture * self, GstMapFlags flags, GError ** error)
{
  const GstVideoInfo *info = self->frame.info;

  if (!map_planes (&self->frame, self->planes, error) ||
      (self->stage->context && !stage_planes (self, flags, error)))
    return FALSE;
  for (guint i = 0; i < GST_VIDEO_INFO_N_PLANES (info); i++)
    set_plane (&self->picture, info->finfo, i, self->staged[i].data ?
        &self->staged[i] : &self->planes[i]);
  return TRUE;
}

gboolean
gst_shapes_picture_map (GstShapesPicture * self, GstShapesPictureStage * stage,
    const GstVideoInfo * info, GstBuffer * buffer, GstBuffer * target,
    GstMapFlags flags, GError ** error)
{
  memset (self, 0, sizeof (*self));
  self->stage = stage;
  self->target = buffer ? target : NULL;
  self->is_blank = !buffer;
  self->writable = (flags & GST_MAP_WRITE) != 0;
  if (!describe (info, &self->picture, error))
    return FALSE;
  const gboolean ok = self->writable && !self->target ?
      gst_shapes_frame_init_writable (&self->frame, info,
      buffer ? buffer : target, stage->context, stage->stream, error) :
      gst_shapes_frame_init (&self->frame, info, buffer, stage->context,
      stage->stream, error);
  if (!ok)
    return FALSE;
  if (map_picture (self, flags, error))
    return TRUE;
  give_up_staging (self);
  gst_shapes_frame_unmap (&self->frame);
  return FALSE;
}

gboolean
gst_shapes_picture_unmap (GstShapesPicture * self, gboolean painted,
    GError ** error)
{
  gboolean ok = TRUE;

  if (self->writable && painted)
    ok = unstage_planes (self, error);
  if (!ok || !self->writable || !painted)
    give_up_staging (self);
  if (!gst_shapes_frame_unmap (&self->frame) && ok) {
    g_set_error (error, CS_ERROR, CS_ERROR_DEVICE,
        "the GPU reported an error while it painted");
    ok = FALSE;
  }
  return ok;
}

gboolean
gst_shapes_picture_paint (GstShapesPictureStage * stage,
    const GstVideoInfo * info, GstBuffer * buffer, GstBuffer * target,
    GstMapFlags flags, GstShapesPaintFunc paint, gpointer user_data,
    GError ** error)
{
  GstShapesPicture picture;

  if (!gst_shapes_picture_map (&picture, stage, info, buffer, target, flags,
          error))
    return FALSE;
  const gboolean painted = paint (user_data, &picture.picture, error);
  return gst_shapes_picture_unmap (&picture, painted, painted ? error : NULL)
      && painted;
}
