/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Candidate points of a mask. */
#include "hull_device.cuh"

#include <cuda_fp16.h>

#define WARPS 8

typedef struct
{
  CsImage image;
  double level;
  float2 *points;               /* two per row; then those of the end rows */
  guint32 *rows;                /* first and last row with any */
} MaskJob;

static __device__ bool
is_on (const MaskJob & job, guint32 x, guint32 y)
{
  const guint8 *p = (const guint8 *) job.image.data +
      (gsize) y * job.image.row_stride + (gsize) x * job.image.pixel_stride;

  switch (job.image.type) {
    case CS_SAMPLE_U8:
      return *p > job.level;
    case CS_SAMPLE_U16:
      return *(const guint16 *) p > job.level;
    case CS_SAMPLE_F16:
      return __half2float (*(const __half *) p) > job.level;
    case CS_SAMPLE_F32:
      return *(const float *) p > job.level;
    default:
      return *(const double *) p > job.level;
  }
}

/* The end pixels of each row, one warp per row; NaN if there are none. */
static __global__ void __launch_bounds__ (32 * WARPS)
rows_kernel (MaskJob job)
{
  const guint32 y = blockIdx.x * WARPS + threadIdx.x / 32;
  const guint32 lane = threadIdx.x % 32, width = job.image.width;
  float2 first = make_float2 (NAN, NAN), last = first;

  if (y >= job.image.height)
    return;
  for (guint32 x = 0; x < width; x += 32) {
    const guint32 on = __ballot_sync (CS_ALL_LANES, x + lane < width &&
        is_on (job, x + lane, y));

    if (on) {
      first = make_float2 (x + __ffs (on) - 1, y);
      break;
    }
  }
  for (guint32 x = width; x > 0 && first.x == first.x;) {
    const guint32 from = x > 32 ? x - 32 : 0;
    const guint32 on = __ballot_sync (CS_ALL_LANES, from + lane < x &&
        is_on (job, from + lane, y));

    if (on) {
      last = make_float2 (from + 31 - __clz (on), y);
      break;
    }
    x = from;
  }
  if (lane == 0) {
    job.points[2 * y] = first;
    job.points[2 * y + 1] = last;
    if (first.x == first.x) {
      atomicMin (&job.rows[0], y);
      atomicMax (&job.rows[1], y);
    }
  }
}

/* All pixels of the outermost rows, for collinear points. */
static __global__ void
end_rows_kernel (MaskJob job)
{
  const guint32 x = blockIdx.x * blockDim.x + threadIdx.x;
  const guint32 y = job.rows[blockIdx.y];
  float2 point = make_float2 (NAN, NAN);

  if (x >= job.image.width)
    return;
  if (y < job.image.height && is_on (job, x, y))
    point = make_float2 (x, y);
  job.points[2 * job.image.height + blockIdx.y * job.image.width + x] = point;
}

gboolean
cs_hull_cuda_mask (HullCuda * cuda, const CsImage * mask, double level,
    HullSource * source, guint32 * n, GError ** error)
{
  static const guint32 no_rows[2] = { 0xffffffffu, 0 };
  const gsize row_size = mask->width * mask->pixel_stride;
  const gsize ends = cuda->params->include_collinear ? 2 * mask->width : 0;
  CsCudaCarver carver = { NULL, 0 };
  MaskJob job = { *mask, level };
  guint8 *pixels;

  memset (source, 0, sizeof (*source));
  *n = 0;
  source->type = CS_HULL_F32;
  source->stride = sizeof (float2);
  if (mask->width == 0 || mask->height == 0)
    return TRUE;
  do {
    job.points = CS_CUDA_CARVE (&carver, float2, 2 * mask->height + ends);
    job.rows = CS_CUDA_CARVE (&carver, guint32, 2);
    pixels = (guint8 *) cs_cuda_carve (&carver,
        mask->memory == CS_MEMORY_DEVICE ? 0 : mask->height, row_size);
  } while (cs_cuda_carve_again (&carver, &cuda->mask, cuda->stream, error));
  if (!carver.base)
    return FALSE;
  cs_hull_take (mask->memory == CS_MEMORY_DEVICE ? CS_HULL_MASK_THERE :
      CS_HULL_MASK_UPLOADED);
  if (ends > 0)
    cs_hull_take (CS_HULL_MASK_END_ROWS);
  if (mask->memory != CS_MEMORY_DEVICE) {
    const gsize used = (mask->width - 1) * mask->pixel_stride +
        cs_sample_size (mask->type);
    const CsCudaRows rows = { mask->data, mask->row_stride, pixels, row_size,
      used, mask->height
    };

    if (!cs_cuda_copy (&cuda->copier, &rows, cuda->stream, error))
      return FALSE;
    job.image.data = pixels;
    job.image.row_stride = row_size;
  }
  if (!cs_cuda_check (cudaMemcpyAsync (job.rows, no_rows, sizeof (no_rows),
              cudaMemcpyHostToDevice, cuda->stream), "set up a mask", error))
    return FALSE;
  rows_kernel <<< (mask->height + WARPS - 1) / WARPS, 32 * WARPS, 0,
      cuda->stream >>> (job);
  if (ends > 0)
    end_rows_kernel <<< dim3 ((mask->width + 255) / 256, 2), 256, 0,
        cuda->stream >>> (job);
  source->points = (const guint8 *) job.points;
  *n = 2 * mask->height + ends;
  return cs_cuda_check (cudaGetLastError (), "launch a mask's rows", error);
}
