/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ink on the GPU. */
#include "raster_cuda.h"

/* A thread for each pixel of a block of ink. */
#define THREADS (CS_INK_BLOCK * CS_INK_BLOCK)

typedef struct
{
  CsInkPixel *pixels;
  guint8 *blocks;
  int width, height, blocks_per_row;
  float half_width;
} Canvas;

/* A block of threads for each segment, block by block of what it touches: a
 * long slanting line costs its length. Maxima do not depend on the order. */
static __global__ void __launch_bounds__ (THREADS)
stamp (const Canvas canvas, const CsInkSegment * segments)
{
  const CsInkSegment s = segments[blockIdx.x];
  const CsMark from = { s.x0, s.y0, s.x1, s.y1, canvas.half_width, 0, 0, 0 };
  const float right = (float) (canvas.width - 1);
  const float bottom = (float) (canvas.height - 1);
  CsRasterMark mark;
  CsRasterShape shape;

  if (!isfinite (s.time) ||
      !cs_raster_prepare (&from, canvas.width, canvas.height, &mark))
    return;
  cs_raster_shape (&mark, 1, &shape);

  const float reach = mark.radius + .5f + cs_raster_slack (&mark);
  const float ex = mark.x + mark.bx, ey = mark.y + mark.by;
  const int x0 = (int) fminf (fmaxf (fminf (mark.x, ex) - reach, 0), right);
  const int y0 = (int) fminf (fmaxf (fminf (mark.y, ey) - reach, 0), bottom);
  const int x1 = (int) fminf (fmaxf (fmaxf (mark.x, ex) + reach, 0), right);
  const int y1 = (int) fminf (fmaxf (fmaxf (mark.y, ey) + reach, 0), bottom);
  const guint32 time = cs_raster_time_key (s.time);

  for (int by = y0 / CS_INK_BLOCK; by <= y1 / CS_INK_BLOCK; by++) {
    for (int bx = x0 / CS_INK_BLOCK; bx <= x1 / CS_INK_BLOCK; bx++) {
      const int left = bx * CS_INK_BLOCK, top = by * CS_INK_BLOCK;
      const int x = left + threadIdx.x % CS_INK_BLOCK;
      const int y = top + threadIdx.x / CS_INK_BLOCK;

      if (!cs_raster_touches (&mark, left, top, left + CS_INK_BLOCK - 1,
              top + CS_INK_BLOCK - 1) || x >= canvas.width ||
          y >= canvas.height)
        continue;
      const float coverage = cs_raster_coverage (&shape, mark.radius, 0, 1,
          cs_raster_distance2 (mark.x, mark.y, mark.bx, mark.by, shape.inv, x,
              y));

      if (!(coverage > 0))
        continue;
      CsInkPixel *pixel = &canvas.pixels[(size_t) y * canvas.width + x];

      atomicMax (&pixel->coverage, __float_as_uint (coverage));
      atomicMax (&pixel->time, time);
      canvas.blocks[(size_t) by * canvas.blocks_per_row + bx] = 1;
    }
  }
}

void
cs_ink_cuda_destroy (void *state)
{
  CsInkCuda *ink = (CsInkCuda *) state;

  cs_cuda_scratch_clear (&ink->segments, ink->stream);
  if (!cs_cuda_context_is_lost ()) {
    if (ink->pixels && cudaFreeAsync (ink->pixels, ink->stream) != cudaSuccess)
      cudaGetLastError ();
    if (ink->blocks && cudaFreeAsync (ink->blocks, ink->stream) != cudaSuccess)
      cudaGetLastError ();
  }
  cs_cuda_staging_clear (&ink->staging);
  g_free (ink);
}

void *
cs_ink_cuda_create (CsExecutor * executor, guint width, guint height,
    GError ** error)
{
  CsInkCuda *ink = g_new0 (CsInkCuda, 1);

  ink->stream = (cudaStream_t) cs_executor_get_stream (executor);
  ink->width = width;
  ink->height = height;
  ink->blocks_per_row = cs_cuda_blocks (width, CS_INK_BLOCK);
  ink->block_rows = cs_cuda_blocks (height, CS_INK_BLOCK);
  if (cs_cuda_check (cudaMallocAsync (&ink->pixels,
              (gsize) width * height * sizeof (CsInkPixel), ink->stream),
          "allocate ink", error) &&
      cs_cuda_check (cudaMallocAsync (&ink->blocks,
              (gsize) ink->blocks_per_row * ink->block_rows, ink->stream),
          "allocate ink", error) &&
      cs_cuda_staging_init (&ink->staging, error))
    return ink;
  cs_ink_cuda_destroy (ink);
  return NULL;
}

gboolean
cs_ink_cuda_clear (void *state, GError ** error)
{
  CsInkCuda *ink = (CsInkCuda *) state;

  return cs_cuda_check (cudaMemsetAsync (ink->pixels, 0,
          (gsize) ink->width * ink->height * sizeof (CsInkPixel),
          ink->stream), "clear ink", error) &&
      cs_cuda_check (cudaMemsetAsync (ink->blocks, 0,
          (gsize) ink->blocks_per_row * ink->block_rows, ink->stream),
      "clear ink", error);
}

gboolean
cs_ink_cuda_stamp (void *state, const CsInkSegment * segments, gsize n,
    float half_width, GError ** error)
{
  CsInkCuda *ink = (CsInkCuda *) state;
  const gsize size = n * sizeof (CsInkSegment);
  const Canvas canvas = {
    ink->pixels, ink->blocks, (int) ink->width, (int) ink->height,
    (int) ink->blocks_per_row, half_width
  };

  if (n > G_MAXINT32)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
        " segments of ink at once: there may be %d", n, G_MAXINT32);
  CsInkSegment *there = (CsInkSegment *) cs_cuda_scratch_ensure (&ink->segments,
      size, ink->stream, error);
  void *from = there ? cs_cuda_staging_get (&ink->staging, size, error) : NULL;
  if (!from)
    return FALSE;
  memcpy (from, segments, size);
  if (!cs_cuda_staging_upload (&ink->staging, there, size, ink->stream, error))
    return FALSE;
  stamp <<< (guint) n, THREADS, 0, ink->stream >>> (canvas, there);
  return cs_cuda_check (cudaGetLastError (), "draw ink", error);
}
