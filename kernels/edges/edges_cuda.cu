/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The CUDA backend: the GPU finds edge pixels, compacted in ascending order;
 * hysteresis is a union-find. The host synchronises twice, for the numbers of
 * ridge and of edge pixels, and links the latter, which are few.
 */
#include "base/cuda_base.h"
#include "base/cuda_copy.h"
#include "base/cuda_select.cuh"
#include "base/cuda_union_find.cuh"

extern "C" {
#include "base/cuda_memory.h"
#include "edges_private.h"
}
#include "edges_math.h"

#define BLOCK 256
#define N_BINS 256

namespace
{

/* Values of marks: none, a ridge, the root of a component with a ridge above
 * the high threshold. */
enum
{ NOTHING, RIDGE, HIGH_ROOT };

/* A CsImage in device memory. */
struct View
{
  const uint8_t *data;
  CsSampleType type;
  size_t pixel_stride, row_stride;
};

/* Thresholds, and the state of the radix select for automatic ones. */
struct Thresholds
{
  float low2, high2;
  uint32_t prefix, rank;
};

/* Counts read by the host, in mapped memory. */
struct Result
{
  uint32_t n_ridges, n_edges;
};

struct Job
{
  View image;
  uint32_t width, height;
  CsEdgesKernel kernel;
  float *rows, *blurred, *magnitudes;
  uint8_t *directions, *marks;
  uint32_t *parents, *ridges, *edges;
  float2 *points;
  Thresholds *thresholds;
  uint32_t *bins;
  Result *result;
};

struct EdgesCuda
{
  const CsEdges *plan;
  cudaStream_t stream;
  CsCudaScratch input, planes, temp;
  CsCudaCopier copier;
  Result *result;
  CsCudaPinned host;
};

}                               /* namespace */

/* --- Blur ----------------------------------------------------------------- */

static __device__ float
load (const Job &job, uint32_t x, uint32_t y)
{
  const View &image = job.image;
  const uint8_t *at = image.data + y * image.row_stride +
      x * image.pixel_stride;

  switch (image.type) {
    case CS_SAMPLE_U8:
      return *at;
    case CS_SAMPLE_U16:
      return cs_edges_from_u16 (*(const uint16_t *) at);
    default:
      return cs_edges_from_float (*(const float *) at, job.kernel.scale);
  }
}

static __global__ void
blur_along_rows (Job job)
{
  __shared__ float line[BLOCK + 2 * CS_EDGES_MAX_RADIUS];
  const int radius = job.kernel.radius, last = job.width - 1;
  const int first = blockIdx.x * BLOCK - radius;
  const int x = blockIdx.x * BLOCK + threadIdx.x;

  for (uint32_t y = blockIdx.y; y < job.height; y += gridDim.y) {
    for (int i = threadIdx.x; i < BLOCK + 2 * radius; i += BLOCK)
      line[i] = load (job, min (max (first + i, 0), last), y);
    __syncthreads ();
    if (x <= last) {
      const float *middle = line + radius + threadIdx.x;
      float sum = middle[0] * job.kernel.weights[0];

      for (int i = 1; i <= radius; i++)
        sum += job.kernel.weights[i] * (middle[-i] + middle[i]);
      job.rows[(size_t) y * job.width + x] = sum;
    }
    __syncthreads ();
  }
}

static __device__ const float *
row_at (const Job &job, const float *plane, int y)
{
  return plane + (size_t) min (max (y, 0), (int) job.height - 1) * job.width;
}

static __global__ void
blur_across_rows (Job job)
{
  const uint32_t x = blockIdx.x * BLOCK + threadIdx.x;
  const int radius = job.kernel.radius;

  if (x >= job.width)
    return;
  for (int y = blockIdx.y; y < (int) job.height; y += gridDim.y) {
    float sum = row_at (job, job.rows, y)[x] * job.kernel.weights[0];

    for (int i = 1; i <= radius; i++)
      sum += job.kernel.weights[i] * (row_at (job, job.rows, y - i)[x] +
          row_at (job, job.rows, y + i)[x]);
    job.blurred[(size_t) y * job.width + x] = sum;
  }
}

/* --- Gradient and ridges -------------------------------------------------- */

static __global__ void
find_gradients (Job job)
{
  const uint32_t x = blockIdx.x * BLOCK + threadIdx.x;
  const uint32_t left = x > 0 ? x - 1 : 0, right = min (x + 1, job.width - 1);

  if (x >= job.width)
    return;
  for (int y = blockIdx.y; y < (int) job.height; y += gridDim.y) {
    const float *a = row_at (job, job.blurred, y - 1);
    const float *b = row_at (job, job.blurred, y);
    const float *c = row_at (job, job.blurred, y + 1);
    const size_t at = (size_t) y * job.width + x;
    float gx, gy;

    cs_edges_gradient (a[left], a[x], a[right], b[left], b[right], c[left],
        c[x], c[right], &gx, &gy);
    job.magnitudes[at] = gx * gx + gy * gy;
    job.directions[at] = cs_edges_direction (gx, gy);
  }
}

static __device__ float
magnitude_at (const Job &job, int x, int y)
{
  return x < 0 || y < 0 || x >= (int) job.width || y >= (int) job.height ? 0 :
      job.magnitudes[(size_t) y * job.width + x];
}

static __device__ void
neighbours_across (const Job &job, uint32_t pixel, float *before, float *after)
{
  const int x = pixel % job.width, y = pixel / job.width;
  const uint8_t direction = job.directions[pixel];
  const int dx = cs_edges_step_x (direction), dy = cs_edges_step_y (direction);

  *before = magnitude_at (job, x - dx, y - dy);
  *after = magnitude_at (job, x + dx, y + dy);
}

static __global__ void
find_ridges (Job job)
{
  const uint32_t x = blockIdx.x * BLOCK + threadIdx.x;

  if (x >= job.width)
    return;
  for (uint32_t y = blockIdx.y; y < job.height; y += gridDim.y) {
    const uint32_t at = y * job.width + x;
    const float here = job.magnitudes[at];
    uint8_t mark = NOTHING;

    if (here > 0 && here >= job.kernel.low2) {
      float before, after;

      neighbours_across (job, at, &before, &after);
      mark = cs_edges_is_ridge (before, here, after) ? RIDGE : NOTHING;
    }
    job.marks[at] = mark;
    job.parents[at] = at;
  }
}

namespace
{

struct IsRidge
{
  const uint8_t *marks;

  __device__ bool operator() (uint32_t pixel) const
  {
    return marks[pixel] == RIDGE;
  }
};

}                               /* namespace */

/* --- Automatic thresholds ------------------------------------------------- */

static __global__ void
init_thresholds (Job job, float low2, float high2, uint32_t rank)
{
  job.thresholds->low2 = low2;
  job.thresholds->high2 = high2;
  job.thresholds->prefix = 0;
  job.thresholds->rank = rank;
}

/* Radix select: histogram of the eight bits at @shift over the ridges that
 * match the higher bits. */
static __global__ void
count_bins (Job job, uint32_t n, int shift)
{
  __shared__ uint32_t bins[N_BINS];
  const uint32_t prefix = job.thresholds->prefix;

  bins[threadIdx.x] = 0;
  __syncthreads ();
  for (uint32_t i = blockIdx.x * BLOCK + threadIdx.x; i < n;
      i += gridDim.x * BLOCK) {
    const uint32_t bits = __float_as_uint (job.magnitudes[job.ridges[i]]);

    if (shift == 24 || bits >> (shift + 8) == prefix)
      atomicAdd (&bins[bits >> shift & 255], 1);
  }
  __syncthreads ();
  if (bins[threadIdx.x])
    atomicAdd (&job.bins[threadIdx.x], bins[threadIdx.x]);
}

/* Radix select: the next eight bits of the magnitude of rank @rank. */
static __global__ void
choose_bin (Job job, int shift)
{
  uint32_t rank = job.thresholds->rank, bin = 0;

  while (rank >= job.bins[bin])
    rank -= job.bins[bin++];
  job.thresholds->rank = rank;
  job.thresholds->prefix = job.thresholds->prefix << 8 | bin;
  if (shift == 0) {
    job.thresholds->high2 = fmaxf (job.thresholds->high2,
        __uint_as_float (job.thresholds->prefix));
    job.thresholds->low2 = CS_EDGES_LOW2 * job.thresholds->high2;
  }
}

/* --- Hysteresis ----------------------------------------------------------- */

static __device__ bool
is_low (const Job &job, uint32_t pixel)
{
  return job.marks[pixel] != NOTHING &&
      job.magnitudes[pixel] >= job.thresholds->low2;
}

/* Unites a ridge pixel with its neighbours to the right and below. */
static __global__ void
join_ridges (Job job, uint32_t n)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= n)
    return;

  const uint32_t pixel = job.ridges[i], x = pixel % job.width;
  const bool has_right = x + 1 < job.width;
  const bool has_below = pixel / job.width + 1 < job.height;

  if (!is_low (job, pixel))
    return;
  if (has_right && is_low (job, pixel + 1))
    cs_unite (job.parents, pixel, pixel + 1);
  if (!has_below)
    return;
  for (int dx = x > 0 ? -1 : 0; dx <= (has_right ? 1 : 0); dx++) {
    if (is_low (job, pixel + job.width + dx))
      cs_unite (job.parents, pixel, pixel + job.width + dx);
  }
}

static __global__ void
mark_roots (Job job, uint32_t n)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i < n && job.magnitudes[job.ridges[i]] >= job.thresholds->high2)
    job.marks[cs_find_root (job.parents, job.ridges[i])] = HIGH_ROOT;
}

namespace
{

struct IsEdge
{
  Job job;

  __device__ bool operator() (uint32_t pixel) const
  {
    return is_low (job, pixel) &&
        job.marks[cs_find_root (job.parents, pixel)] == HIGH_ROOT;
  }
};

}                               /* namespace */

static __global__ void
refine_edges (Job job, uint32_t n)
{
  const uint32_t i = blockIdx.x * BLOCK + threadIdx.x;

  if (i >= n || i >= job.result->n_edges)
    return;

  const uint32_t pixel = job.edges[i];
  const uint8_t direction = job.directions[pixel];
  float before, after;

  neighbours_across (job, pixel, &before, &after);

  const float offset = cs_edges_offset (before, job.magnitudes[pixel], after);

  job.points[i] = make_float2 (pixel % job.width +
      offset * cs_edges_step_x (direction),
      pixel / job.width + offset * cs_edges_step_y (direction));
}

/* --- Runs ----------------------------------------------------------------- */

static void
cuda_destroy (void *state)
{
  EdgesCuda *cuda = (EdgesCuda *) state;

  cs_cuda_scratch_clear (&cuda->input, cuda->stream);
  cs_cuda_copier_clear (&cuda->copier);
  cs_cuda_scratch_clear (&cuda->planes, cuda->stream);
  cs_cuda_scratch_clear (&cuda->temp, cuda->stream);
  if (cuda->result)
    cs_cuda_pinned_free (cuda->result, NULL);
  cs_cuda_pinned_clear (&cuda->host);
  g_free (cuda);
}

static void *
cuda_create (const CsEdges * plan, GError ** error)
{
  EdgesCuda *cuda = g_new0 (EdgesCuda, 1);

  cuda->plan = plan;
  cuda->stream = (cudaStream_t) cs_executor_get_stream (plan->executor);
  cuda->result = (Result *) cs_cuda_pinned_alloc (sizeof (Result), error);
  if (!cuda->result) {
    cuda_destroy (cuda);
    return NULL;
  }
  return cuda;
}

static gboolean
synchronise (EdgesCuda * cuda, GError ** error)
{
  return cs_cuda_check (cudaGetLastError (), "find edges", error) &&
      cs_cuda_check (cudaStreamSynchronize (cuda->stream), "find edges", error);
}

static gboolean
copy (EdgesCuda * cuda, void *to, const void *from, gsize size, GError ** error)
{
  return size == 0 || cs_cuda_check (cudaMemcpyAsync (to, from, size,
          cudaMemcpyDefault, cuda->stream), "copy edges", error);
}

static gboolean
prepare_image (EdgesCuda * cuda, const CsImage * image, View * view,
    GError ** error)
{
  const gsize size = (image->height - 1) * image->row_stride +
      (image->width - 1) * image->pixel_stride + cs_sample_size (image->type);

  view->data = (const uint8_t *) image->data;
  view->type = image->type;
  view->pixel_stride = image->pixel_stride;
  view->row_stride = image->row_stride;
  if (image->memory == CS_MEMORY_DEVICE)
    return TRUE;
  view->data = (const uint8_t *) cs_cuda_scratch_ensure (&cuda->input, size,
      cuda->stream, error);
  return view->data && cs_cuda_copy_bytes (&cuda->copier,
      (void *) view->data, image->data, size, cuda->stream, error);
}

static gboolean
prepare (EdgesCuda * cuda, const CsImage * image, Job * job, GError ** error)
{
  const gsize n = (gsize) image->width * image->height;
  CsCudaCarver carver = { NULL, 0 };

  job->width = image->width;
  job->height = image->height;
  job->kernel = cuda->plan->kernel;
  job->result = cuda->result;
  do {
    job->thresholds = CS_CUDA_CARVE (&carver, Thresholds, 1);
    job->bins = CS_CUDA_CARVE (&carver, uint32_t, N_BINS);
    job->rows = job->magnitudes = CS_CUDA_CARVE (&carver, float, n);
    /* reused once edges are found */
    job->blurred = CS_CUDA_CARVE (&carver, float, 2 * n);
    job->points = (float2 *) job->blurred;
    job->directions = CS_CUDA_CARVE (&carver, uint8_t, n);
    job->marks = CS_CUDA_CARVE (&carver, uint8_t, n);
    job->parents = CS_CUDA_CARVE (&carver, uint32_t, n);
    job->ridges = CS_CUDA_CARVE (&carver, uint32_t, n);
    job->edges = CS_CUDA_CARVE (&carver, uint32_t, n);
  } while (cs_cuda_carve_again (&carver, &cuda->planes, cuda->stream, error));
  return carver.base && prepare_image (cuda, image, &job->image, error);
}

static guint
n_blocks (gsize n)
{
  return (n + BLOCK - 1) / BLOCK;
}

static gboolean
find_all_ridges (EdgesCuda * cuda, const Job * job, GError ** error)
{
  const dim3 grid (n_blocks (job->width), MIN (job->height, 32768));
  const IsRidge test = { job->marks };

  blur_along_rows <<<grid, BLOCK, 0, cuda->stream>>> (*job);
  blur_across_rows <<<grid, BLOCK, 0, cuda->stream>>> (*job);
  find_gradients <<<grid, BLOCK, 0, cuda->stream>>> (*job);
  find_ridges <<<grid, BLOCK, 0, cuda->stream>>> (*job);
  return cs_cuda_select_numbers (&cuda->temp, job->ridges,
      &job->result->n_ridges, (gsize) job->width * job->height, test,
      cuda->stream, error) && synchronise (cuda, error);
}

static gboolean
find_thresholds (EdgesCuda * cuda, const Job * job, guint32 n, GError ** error)
{
  const gboolean automatic = cuda->plan->params.automatic;

  init_thresholds <<<1, 1, 0, cuda->stream>>> (*job, job->kernel.low2,
      job->kernel.high2, automatic ? cs_edges_percentile (n) : 0);
  for (int shift = 24; automatic && shift >= 0; shift -= 8) {
    if (!cs_cuda_check (cudaMemsetAsync (job->bins, 0, N_BINS *
                sizeof (uint32_t), cuda->stream), "clear a histogram", error))
      return FALSE;
    count_bins <<<MIN (n_blocks (n), 512), BLOCK, 0, cuda->stream>>> (*job, n,
        shift);
    choose_bin <<<1, 1, 0, cuda->stream>>> (*job, shift);
  }
  return TRUE;
}

/* Downloads all at once with the count: most ridges are edges. */
static gboolean
find_edges (EdgesCuda * cuda, const Job * job, guint32 n,
    CsEdgesPixels * pixels, GError ** error)
{
  const IsEdge test = { *job };

  if (!cs_cuda_pinned_ensure (&cuda->host, n * (gsize) 12, error))
    return FALSE;
  CsStrokePoint *points = (CsStrokePoint *) cuda->host.data;
  guint32 *numbers = (guint32 *) (points + n);
  join_ridges <<<n_blocks (n), BLOCK, 0, cuda->stream>>> (*job, n);
  mark_roots <<<n_blocks (n), BLOCK, 0, cuda->stream>>> (*job, n);
  if (!cs_cuda_select (&cuda->temp, job->ridges, job->edges,
          &job->result->n_edges, n, test, cuda->stream, error))
    return FALSE;
  refine_edges <<<n_blocks (n), BLOCK, 0, cuda->stream>>> (*job, n);
  if (!copy (cuda, points, job->points, n * sizeof (*points), error) ||
      !copy (cuda, numbers, job->edges, n * sizeof (*numbers), error) ||
      !synchronise (cuda, error))
    return FALSE;
  pixels->points = points;
  pixels->pixels = numbers;
  pixels->n = cuda->result->n_edges;
  return TRUE;
}

static gboolean
cuda_run (void *state, const CsImage * image, CsEdgesPixels * pixels,
    GError ** error)
{
  EdgesCuda *cuda = (EdgesCuda *) state;
  Job job = Job ();

  if (!prepare (cuda, image, &job, error) ||
      !find_all_ridges (cuda, &job, error))
    return FALSE;
  const guint32 n = cuda->result->n_ridges;
  pixels->n = 0;
  return n == 0 || (find_thresholds (cuda, &job, n, error) &&
      find_edges (cuda, &job, n, pixels, error));
}

extern "C" const CsEdgesBackend cs_edges_cuda_backend = {
  cuda_create,
  cuda_run,
  cuda_destroy,
};
