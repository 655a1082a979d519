/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: images to the GPU, and a copy of masks with a border. */
#include "contours_cuda.cuh"

/* Bytes from the first sample of a row to the end of the last, over all
 * channels interleaved in the row. */
static gsize
row_extent (const CsImage * image, guint n_channels)
{
  return (gsize) (image->width - 1) * image->pixel_stride +
      (gsize) (n_channels - 1) * image->channel_stride +
      cs_sample_size (image->type);
}

static gboolean
is_planar (const CsImage * image)
{
  return image->channels == 1 || image->channel_stride >=
      (gsize) (image->height - 1) * image->row_stride + row_extent (image, 1);
}

static gboolean
add_bytes (CsArray * parts, guint8 * to, const void *from, gsize size)
{
  const CsCudaPart part = { {from, size, to, size, size, 1}, };

  return cs_array_append_val (parts, part);
}

/* Rows of @extent bytes, together with the padding if it is small. */
static gboolean
add_rows (CsArray * parts, guint8 * to, const void *from,
    const CsImage * image, gsize extent, gsize pitch)
{
  const CsCudaPart part = { {from, image->row_stride, to, pitch, extent,
      image->height}, };

  return pitch == image->row_stride ? add_bytes (parts, to, from,
      (image->height - 1) * pitch + extent) :
      cs_array_append_val (parts, part);
}

static gboolean
is_used (const CsContours * plan, guint channel)
{
  return !plan || cs_contours_planes_use (&plan->planes, &plan->params,
      channel);
}

/* Whether all planes of @size bytes are used, with little between them. */
static gboolean
is_dense (const CsImage * image, const CsContours * plan, gsize size)
{
  for (guint i = 0; i < image->channels; i++)
    if (!is_used (plan, i))
      return FALSE;
  return image->channels > 1 && image->channel_stride - size < 256;
}

gboolean
cs_contours_describe_upload (cudaStream_t stream, const CsImage * image,
    const CsContours * plan, CsCudaScratch * staging, CsArray * parts,
    CsImage * view, GError ** error)
{
  const gboolean planar = is_planar (image);
  const gsize extent = row_extent (image, planar ? 1 : image->channels);
  const gsize pitch = extent > image->row_stride / 2 ? image->row_stride :
      (extent + 15) / 16 * 16;
  const gsize size = (image->height - 1) * pitch + extent;
  const gboolean dense = planar && pitch == image->row_stride &&
      is_dense (image, plan, size);
  const gsize plane = dense ? image->channel_stride : (size + 255) / 256 * 256;
  guint8 *to = (guint8 *) cs_cuda_scratch_ensure (staging,
      plane * (planar ? image->channels : 1), stream, error);

  if (!to)
    return FALSE;
  *view = *image;
  view->data = to;
  view->memory = CS_MEMORY_DEVICE;
  view->row_stride = pitch;
  if (planar)
    view->channel_stride = plane;
  if (dense)
    add_bytes (parts, to, image->data, (image->channels - 1) * plane + size);
  for (guint i = 0; !dense && i < (planar ? image->channels : 1); i++) {
    if (!planar || is_used (plan, i))
      add_rows (parts, to + i * plane, (const guint8 *) image->data +
          i * image->channel_stride, image, extent, pitch);
  }
  return !parts->failed || cs_fail_no_memory (error, "the parts of a copy");
}

#define MAX_GRID_ROWS 65535

/* Ones around a mask. */
static __global__ void
__launch_bounds__ (CS_THREADS)
copy_mask (const uint8_t * from, size_t pixel_stride, size_t row_stride,
    uint32_t width, uint32_t height, uint32_t border, uint8_t * to)
{
  const uint32_t x = blockIdx.x * CS_THREADS + threadIdx.x;
  /* unsigned: negative ones are large */
  const uint32_t column = x - border;

  if (x >= width)
    return;
  for (uint32_t y = blockIdx.y; y < height; y += gridDim.y) {
    const uint32_t row = y - border;
    const bool inside = row < height - 2 * border &&
        column < width - 2 * border;

    to[(size_t) y * width + x] = inside ? from[row * row_stride +
        column * pixel_stride] : 1;
  }
}

gboolean
cs_contours_copy_mask (cudaStream_t stream, const CsImage * mask, guint border,
    const CsImage * bordered, GError ** error)
{
  const dim3 grid ((bordered->width + CS_THREADS - 1) / CS_THREADS,
      MIN (bordered->height, MAX_GRID_ROWS));

  copy_mask <<<grid, CS_THREADS, 0, stream>>> ((const uint8_t *) mask->data,
      mask->pixel_stride, mask->row_stride, bordered->width, bordered->height,
      border, (uint8_t *) bordered->data);
  return cs_cuda_check (cudaGetLastError (), "add a border to a mask", error);
}
