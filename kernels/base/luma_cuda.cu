/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdint.h>

extern "C" {
#include "cuda_base.h"
#include "luma_private.h"
}
#include "luma_math.h"

#define BLOCK_WIDTH 64
#define BLOCK_HEIGHT 4
/* The grid's limit in y; taller images are walked through. */
#define MAX_GRID_HEIGHT 32768u

/* A CsImage, as a kernel's argument. */
struct View
{
  const uint8_t *data;
  size_t pixel_stride, row_stride;

  explicit View (const CsImage & image)
    : data ((const uint8_t *) image.data), pixel_stride (image.pixel_stride),
      row_stride (image.row_stride)
  {
  }

  template <typename Sample> __device__ float at (unsigned x, unsigned y) const
  {
    return (float) *(const Sample *) (data + y * row_stride + x * pixel_stride);
  }
};

template <typename Sample>
static __global__ void
luma_kernel (View r, View g, View b, unsigned width, unsigned height,
    float red_weight, float blue_weight, float *luma)
{
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;

  if (x >= width)
    return;
  for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < height;
      y += gridDim.y * blockDim.y)
    luma[(size_t) y * width + x] = cs_luma (r.at<Sample> (x, y),
        g.at<Sample> (x, y), b.at<Sample> (x, y), red_weight, blue_weight);
}

extern "C" gboolean
cs_luma_run_cuda (void *stream, const CsImage rgb[3], float red_weight,
    float blue_weight, float *luma, GError **error)
{
  const unsigned width = rgb[0].width, height = rgb[0].height;
  const dim3 block (BLOCK_WIDTH, BLOCK_HEIGHT);
  const unsigned rows = (height + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT;
  const dim3 grid ((width + BLOCK_WIDTH - 1) / BLOCK_WIDTH,
      rows < MAX_GRID_HEIGHT ? rows : MAX_GRID_HEIGHT);
  const View r (rgb[0]), g (rgb[1]), b (rgb[2]);

  if (rgb[0].type == CS_SAMPLE_U8)
    luma_kernel<uint8_t> <<<grid, block, 0, (cudaStream_t) stream>>> (r, g, b,
        width, height, red_weight, blue_weight, luma);
  else
    luma_kernel<uint16_t> <<<grid, block, 0, (cudaStream_t) stream>>> (r, g, b,
        width, height, red_weight, blue_weight, luma);

  return cs_cuda_check (cudaGetLastError (), "compute luma", error);
}
