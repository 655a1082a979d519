/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdint.h>

extern "C" {
#include "area_private.h"
#include "cuda_base.h"
}
#include "area_math.h"

#define BLOCK 128
/* The grid's limit in y; taller results are walked through. */
#define MAX_GRID_HEIGHT 32768u
#define WARP 32
/* Rows that one thread sums. */
#define FEW_ROWS 16

namespace
{

struct Area
{
  const uint8_t *data;
  size_t stride, row_stride;
  uint32_t from_width, from_height, width, height;
  float *out;
};

CS_AREA_DEFINE_SUM (uint8_t, sum_row);
CS_AREA_DEFINE_SUM (uint16_t, sum_row);
CS_AREA_DEFINE_SUM (float, sum_row);

}                               /* namespace */

/* @lanes threads a pixel take rows in turn, whose sums are added in order. */
template <typename Sample, int lanes>
static __global__ void
average (Area area)
{
  const uint32_t thread = blockIdx.x * BLOCK + threadIdx.x;
  const uint32_t x = thread / lanes, lane = thread % lanes;

  if (x >= area.width)
    return;
  const CsAreaSpan span = cs_area_span (x, area.from_width, area.width);
  for (uint32_t y = blockIdx.y; y < area.height; y += gridDim.y) {
    const CsAreaSpan rows = cs_area_span (y, area.from_height, area.height);
    double sum = 0.;

    for (uint32_t first = rows.first; first <= rows.last; first += lanes) {
      const uint32_t row = first + lane;
      const double part = row > rows.last ? 0. : cs_area_weight (&rows, row) *
          sum_row ((const Sample *) (area.data + row * area.row_stride),
          area.stride, &span);

      if (lanes == 1)
        sum += part;
      for (int i = 0; lanes > 1 && i < lanes; i++)
        sum += __shfl_sync (~0u, part, i);
    }
    if (lane == 0)
      area.out[(size_t) y * area.width + x] =
          (float) (sum / ((double) area.from_width * area.from_height));
  }
}

template <typename Sample>
static void
launch (Area area, cudaStream_t stream)
{
  const uint32_t rows = MIN (area.height, MAX_GRID_HEIGHT);
  const bool few = area.from_height / area.height < FEW_ROWS;
  const dim3 grid ((area.width + BLOCK - 1) / BLOCK, rows);
  const dim3 wide ((area.width + BLOCK / WARP - 1) / (BLOCK / WARP), rows);

  area.stride /= sizeof (Sample);
  if (few)
    average<Sample, 1> <<<grid, BLOCK, 0, stream>>> (area);
  else
    average<Sample, WARP> <<<wide, BLOCK, 0, stream>>> (area);
}

extern "C" gboolean
cs_area_average_cuda (void *stream, const CsImage *image, guint width,
    guint height, float *out, GError **error)
{
  const Area area = { (const uint8_t *) image->data, image->pixel_stride,
    image->row_stride, image->width, image->height, width, height, out
  };

  if (image->type == CS_SAMPLE_U8)
    launch<uint8_t> (area, (cudaStream_t) stream);
  else if (image->type == CS_SAMPLE_U16)
    launch<uint16_t> (area, (cudaStream_t) stream);
  else
    launch<float> (area, (cudaStream_t) stream);
  return cs_cuda_check (cudaGetLastError (), "scale an image", error);
}
