/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: images to the GPU, and copies of them with a border. */
#include "contours_cuda.cuh"

#include "contours_cuda_samples.cuh"

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

/* Uploads rows of @extent bytes, together with the padding if it is small. */
static gboolean
upload_rows (cudaStream_t stream, guint8 * to, const void *from,
    const CsImage * image, gsize extent, gsize pitch, GError ** error)
{
  const cudaError_t status = pitch == image->row_stride ?
      cudaMemcpyAsync (to, from, (image->height - 1) * pitch + extent,
      cudaMemcpyHostToDevice, stream) :
      cudaMemcpy2DAsync (to, pitch, from, image->row_stride, extent,
      image->height, cudaMemcpyHostToDevice, stream);

  return cs_cuda_check (status, "upload an image", error);
}

/* Whether no target before target @i has its channel. */
static gboolean
is_new_channel (const CsContoursTarget * targets, guint i)
{
  guint k;

  for (k = 0; k < i && targets[k].channel != targets[i].channel; k++);
  return k == i;
}

gboolean
cs_contours_upload (cudaStream_t stream, const CsImage * image,
    const CsContoursTarget * targets, guint n_targets, CsCudaScratch * staging,
    CsImage * view, GError ** error)
{
  const gboolean planar = is_planar (image);
  const gsize extent = row_extent (image, planar ? 1 : image->channels);
  const gsize pitch = extent > image->row_stride / 2 ? image->row_stride :
      (extent + 15) / 16 * 16;
  const gsize plane = ((image->height - 1) * pitch + extent + 255) / 256 * 256;
  guint8 *to = (guint8 *) cs_cuda_scratch_ensure (staging,
      plane * (planar ? image->channels : 1), stream, error);
  guint i;

  if (!to)
    return FALSE;
  *view = *image;
  view->data = to;
  view->memory = CS_MEMORY_DEVICE;
  view->row_stride = pitch;
  if (!planar)
    return upload_rows (stream, to, image->data, image, extent, pitch, error);

  view->channel_stride = plane;
  for (i = 0; i < n_targets; i++) {
    const guint channel = targets[i].channel;

    if (is_new_channel (targets, i) && !upload_rows (stream,
            to + channel * plane, (const guint8 *) image->data +
            channel * image->channel_stride, image, extent, pitch, error))
      return FALSE;
  }
  return TRUE;
}

/* Border */

/* A channel of an image, and its copy. */
typedef struct
{
  const uint8_t *from;
  size_t pixel_stride, row_stride;
  uint32_t width, height;       /* of the copy */
  uint32_t border;
} Copy;

template <typename T, typename V>
static __global__ void
__launch_bounds__ (CS_THREADS)
copy_with_border (const Copy copy, V * to, V outside)
{
  const uint32_t x = blockIdx.x * CS_THREADS + threadIdx.x;
  /* unsigned: negative ones are large */
  const uint32_t column = x - copy.border;

  if (x >= copy.width)
    return;
  for (uint32_t y = blockIdx.y; y < copy.height; y += gridDim.y) {
    const uint32_t row = y - copy.border;
    const bool inside = row < copy.height - 2 * copy.border &&
        column < copy.width - 2 * copy.border;

    to[(size_t) y * copy.width + x] = inside ?
        cs_load_sample<T, V> (copy.from + row * copy.row_stride +
        column * copy.pixel_stride) : outside;
  }
}

#define MAX_GRID_ROWS 65535

template <typename T, typename V>
static void
launch_copy (cudaStream_t stream, const Copy & copy, void *to, V outside)
{
  const dim3 grid ((copy.width + CS_THREADS - 1) / CS_THREADS,
      MIN (copy.height, MAX_GRID_ROWS));

  copy_with_border<T, V> <<<grid, CS_THREADS, 0, stream>>> (copy, (V *) to,
      outside);
}

static gboolean
copy_plane (cudaStream_t stream, CsSampleType type, const Copy & copy,
    void *to, GError ** error)
{
  switch (type) {
    case CS_SAMPLE_U8:
      launch_copy<uint8_t, float> (stream, copy, to, -INFINITY);
      break;
    case CS_SAMPLE_U16:
      launch_copy<uint16_t, float> (stream, copy, to, -INFINITY);
      break;
    case CS_SAMPLE_F16:
      launch_copy<CsHalf, float> (stream, copy, to, -INFINITY);
      break;
    case CS_SAMPLE_F32:
      launch_copy<float, float> (stream, copy, to, -INFINITY);
      break;
    default:
      launch_copy<double, double> (stream, copy, to, -INFINITY);
      break;
  }
  return cs_cuda_check (cudaGetLastError (), "add a border", error);
}

gboolean
cs_contours_copy_with_border (cudaStream_t stream, const CsImage * image,
    const CsContoursTarget * targets, guint n_targets, guint border,
    const CsImage * bordered, GError ** error)
{
  guint i;

  for (i = 0; i < n_targets; i++) {
    const guint channel = targets[i].channel;
    const Copy copy = { (const uint8_t *) image->data +
          channel * image->channel_stride, image->pixel_stride,
      image->row_stride, bordered->width, bordered->height, border
    };

    if (is_new_channel (targets, i) && !copy_plane (stream, image->type, copy,
            (guint8 *) bordered->data + channel * bordered->channel_stride,
            error))
      return FALSE;
  }
  return TRUE;
}

gboolean
cs_contours_copy_mask (cudaStream_t stream, const CsImage * mask, guint border,
    const CsImage * bordered, GError ** error)
{
  const Copy copy = { (const uint8_t *) mask->data, mask->pixel_stride,
    mask->row_stride, bordered->width, bordered->height, border
  };

  launch_copy<uint8_t, uint8_t> (stream, copy, (void *) bordered->data, 1);
  return cs_cuda_check (cudaGetLastError (), "add a border to a mask", error);
}
