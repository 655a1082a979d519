/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <stdint.h>

extern "C" {
#include "llf_colour_private.h"
}
#include "base/cuda_base.h"
#include "base/cuda_copy.h"
#include "base/luma_math.h"

#define BLOCK_WIDTH 64
#define BLOCK_HEIGHT 4
/* Limit of the grid in y; kernels stride over taller pictures. */
#define MAX_GRID_HEIGHT 32768u

struct State
{
  cudaStream_t stream;
  CsCudaScratch scratch[CS_LLF_COLOUR_N_SCRATCH];
  CsCudaCopier copier;
};

static void *
create (CsExecutor *executor)
{
  State *state = g_new0 (State, 1);

  state->stream = (cudaStream_t) cs_executor_get_stream (executor);
  return state;
}

static void *
scratch (void *data, guint slot, gsize size, GError **error)
{
  State *state = (State *) data;

  return cs_cuda_scratch_ensure (&state->scratch[slot], size, state->stream,
      error);
}

static void
destroy (void *data)
{
  State *state = (State *) data;

  for (CsCudaScratch &one : state->scratch)
    cs_cuda_scratch_clear (&one, state->stream);
  cs_cuda_copier_clear (&state->copier);
  g_free (state);
}

static gboolean
wait_for_all (void *data, GError **error)
{
  return cs_cuda_check (cudaStreamSynchronize (((State *) data)->stream),
      "filter a picture", error);
}

static gboolean
copy (void *data, guint8 *to, gsize to_stride, const guint8 *from,
    gsize from_stride, gsize row_size, guint rows, GError **error)
{
  State *state = (State *) data;
  const CsCudaRows all = { from, from_stride, to, to_stride, row_size, rows };

  return cs_cuda_copy (&state->copier, &all, state->stream, error);
}

static dim3
grid_for (unsigned width, unsigned height)
{
  const unsigned rows = (height + BLOCK_HEIGHT - 1) / BLOCK_HEIGHT;

  return dim3 ((width + BLOCK_WIDTH - 1) / BLOCK_WIDTH,
      rows < MAX_GRID_HEIGHT ? rows : MAX_GRID_HEIGHT);
}

static __global__ void
luma_kernel (CsLlfRgbJob job)
{
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;

  if (x >= job.width)
    return;
  for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < job.height;
      y += gridDim.y * blockDim.y) {
    const uint8_t *pixel = job.input + y * job.input_stride +
        (size_t) x * job.pixel_stride;

    job.luma[(size_t) y * job.width + x] = cs_luma (pixel[job.red],
        pixel[job.green], pixel[job.blue], job.red_weight, job.blue_weight) *
        job.tone.unit;
  }
}

static __global__ void
rgb_kernel (CsLlfRgbJob job)
{
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;

  if (x >= job.width)
    return;
  for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < job.height;
      y += gridDim.y * blockDim.y) {
    const uint8_t *in = job.input + y * job.input_stride +
        (size_t) x * job.pixel_stride;
    uint8_t *out = job.output + y * job.output_stride +
        (size_t) x * job.pixel_stride;
    const float before = job.luma[(size_t) y * job.width + x];
    const float after = job.filtered[(size_t) y * job.width + x];
    const float ratio = cs_llf_colour_ratio (&job.tone, before, after);
    const unsigned weight = job.weights ?
        job.weights[(size_t) y * job.width + x] : 255;

    for (unsigned c = 0; c < job.pixel_stride; c++) {
      const bool colour = c == job.red || c == job.green || c == job.blue;

      out[c] = colour ? cs_llf_colour_blend_8 (in[c],
          cs_llf_colour_rgb (&job.tone, in[c], before, after, ratio),
          weight) : in[c];
    }
  }
}

template <typename Sample>
static __device__ float
mean (const CsLlfChromaJob & job, const uint8_t *plane, size_t stride,
    unsigned x, unsigned y)
{
  const size_t left = (size_t) x << job.sub_x, top = (size_t) y << job.sub_y;
  const size_t right = left + job.sub_x < job.last_x ? left + job.sub_x :
      job.last_x;
  const size_t bottom = top + job.sub_y < job.last_y ? top + job.sub_y :
      job.last_y;
  const Sample *a = (const Sample *) (plane + top * stride);
  const Sample *b = (const Sample *) (plane + bottom * stride);

  return cs_llf_colour_mean (&job.tone, a[left] >> job.shift,
      a[right] >> job.shift, b[left] >> job.shift, b[right] >> job.shift);
}

template <typename Sample>
static __global__ void
chroma_kernel (CsLlfChromaJob job)
{
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;

  if (x >= job.width)
    return;
  for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < job.height;
      y += gridDim.y * blockDim.y) {
    const float ratio = cs_llf_colour_ratio (&job.tone,
        mean<Sample> (job, job.luma, job.luma_stride, x, y),
        mean<Sample> (job, job.filtered, job.filtered_stride, x, y));

    for (unsigned part = 0; part < 2; part++) {
      const Sample in = *(const Sample *) (job.input[part] +
          y * job.input_stride[part] + x * job.pixel_stride);

      *(Sample *) (job.output[part] + y * job.output_stride[part] +
          x * job.pixel_stride) = cs_llf_colour_chroma (&job.tone,
          in >> job.shift, ratio) << job.shift;
    }
  }
}

/* The mean weight of the pixels of a subsampled one. */
static __device__ unsigned
weight_at (const CsLlfBlendJob & job, unsigned x, unsigned y)
{
  const size_t left = (size_t) x << job.sub_x, top = (size_t) y << job.sub_y;
  const size_t right = left + job.sub_x < job.width ? left + job.sub_x :
      job.width - 1;
  const size_t bottom = top + job.sub_y < job.height ? top + job.sub_y :
      job.height - 1;
  const uint8_t *a = job.weights + top * job.width;
  const uint8_t *b = job.weights + bottom * job.width;

  return (a[left] + a[right] + b[left] + b[right] + 2u) >> 2;
}

static __global__ void
blend_kernel (CsLlfBlendJob job)
{
  const unsigned x = blockIdx.x * blockDim.x + threadIdx.x;

  if (x >= job.n_samples)
    return;
  for (unsigned y = blockIdx.y * blockDim.y + threadIdx.y; y < job.n_rows;
      y += gridDim.y * blockDim.y) {
    const unsigned weight = weight_at (job, x / job.per_pixel, y);
    const uint8_t *before = job.before + y * job.before_stride;
    uint8_t *after = job.after + y * job.after_stride;

    if (job.bytes == 1) {
      after[x] = cs_llf_colour_blend_8 (before[x], after[x], weight);
    } else {
      const unsigned a = ((const uint16_t *) before)[x] >> job.shift;
      const unsigned b = ((const uint16_t *) after)[x] >> job.shift;

      ((uint16_t *) after)[x] =
          cs_llf_colour_blend_16 (a, b, weight) << job.shift;
    }
  }
}

static gboolean
luma (void *data, const CsLlfRgbJob *job, GError **error)
{
  luma_kernel <<<grid_for (job->width, job->height),
      dim3 (BLOCK_WIDTH, BLOCK_HEIGHT), 0, ((State *) data)->stream>>> (*job);
  return cs_cuda_check (cudaGetLastError (), "compute luma", error);
}

static gboolean
rgb (void *data, const CsLlfRgbJob *job, GError **error)
{
  rgb_kernel <<<grid_for (job->width, job->height),
      dim3 (BLOCK_WIDTH, BLOCK_HEIGHT), 0, ((State *) data)->stream>>> (*job);
  return cs_cuda_check (cudaGetLastError (), "scale colours", error);
}

static gboolean
chroma (void *data, const CsLlfChromaJob *job, GError **error)
{
  const dim3 grid = grid_for (job->width, job->height);
  const dim3 block (BLOCK_WIDTH, BLOCK_HEIGHT);
  const cudaStream_t stream = ((State *) data)->stream;

  if (job->bytes == 1)
    chroma_kernel<uint8_t> <<<grid, block, 0, stream>>> (*job);
  else
    chroma_kernel<uint16_t> <<<grid, block, 0, stream>>> (*job);
  return cs_cuda_check (cudaGetLastError (), "scale chroma", error);
}

static gboolean
blend (void *data, const CsLlfBlendJob *job, GError **error)
{
  blend_kernel <<<grid_for (job->n_samples, job->n_rows),
      dim3 (BLOCK_WIDTH, BLOCK_HEIGHT), 0, ((State *) data)->stream>>> (*job);
  return cs_cuda_check (cudaGetLastError (), "blend a picture", error);
}

extern "C" const CsLlfColourBackend cs_llf_colour_cuda_backend = {
  create, scratch, copy, luma, rgb, chroma, blend, wait_for_all, destroy,
};
