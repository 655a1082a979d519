/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: planes of what targets are contours of; see contours_planes.h. */
#include "contours_cuda.cuh"

#include "contours_cuda_samples.cuh"

#define MAX_GRID_ROWS 65535

/* Samples, and the planes to make of them. */
typedef struct
{
  const uint8_t *samples;
  size_t pixel_stride, row_stride, channel_stride;
  uint32_t n_channels;
  void *planes;
  uint32_t n_planes;
  uint32_t width, height;       /* of the planes */
  uint32_t border;
  const CsPlaneSource *sources;
  const uint32_t *members;
  int max, exclusive;
} Derive;

/* The greatest sample so far, the channel that had it first, and the second
 * greatest, which a NaN stays. */
struct Best
{
  double best, second;
  uint32_t first;

  __device__ __forceinline__ void clear ()
  {
    best = second = -INFINITY;
    first = CS_NONE;
  }

  __device__ __forceinline__ void add (uint32_t channel, double sample)
  {
    if (first == CS_NONE || sample > best) {
      if (second == second)
        second = best;
      best = sample;
      first = channel;
    } else {
      second = cs_plane_add (1, second, sample);
    }
  }
};

template <typename T, typename V> static __device__ __forceinline__ double
load_channel (const Derive & d, const uint8_t * pixel, uint32_t channel)
{
  return (double) cs_load_sample<T, V> (pixel + channel * d.channel_stride);
}

template <typename T, typename V> static __device__ __forceinline__ double
own_sample (const Derive & d, const uint8_t * pixel,
    const CsPlaneSource & source)
{
  double own = load_channel<T, V> (d, pixel, d.members[source.first]);

  for (uint32_t k = 1; k < source.n; k++)
    own = cs_plane_add (d.max, own, load_channel<T, V> (d, pixel,
            d.members[source.first + k]));
  return own;
}

static __device__ __forceinline__ bool
is_member (const Derive & d, const CsPlaneSource & source, uint32_t channel)
{
  for (uint32_t k = 0; k < source.n; k++) {
    if (d.members[source.first + k] == channel)
      return true;
  }
  return false;
}

/* @own less the best of other channels: @best is of these, or of all, with the
 * plane's only one. */
static __device__ __forceinline__ double
exclude (const CsPlaneSource & source, const Best & best, bool all_in_best,
    double own)
{
  const bool is_own = all_in_best && best.first == source.lowest;
  const bool wins = is_own || source.lowest < best.first;

  return best.second != best.second ? (double) NAN :
      cs_plane_exclusive (own, is_own ? best.second : best.best, wins);
}

template <typename T, typename V> static __device__ double
exclude_group (const Derive & d, const uint8_t * pixel,
    const CsPlaneSource & source, double own)
{
  Best others;

  others.clear ();
  for (uint32_t c = 0; c < d.n_channels; c++) {
    if (!is_member (d, source, c))
      others.add (c, load_channel<T, V> (d, pixel, c));
  }
  return exclude (source, others, false, own);
}

/* All planes of a pixel, or with a grid of planes one. */
template <typename T, typename V> static __device__ void
derive_pixel (const Derive & d, const uint8_t * pixel, size_t at)
{
  Best best;

  best.clear ();
  for (uint32_t c = 0; d.exclusive && c < d.n_channels; c++)
    best.add (c, load_channel<T, V> (d, pixel, c));
  for (uint32_t p = blockIdx.z; p < d.n_planes; p += gridDim.z) {
    const CsPlaneSource source = d.sources[p];
    double value = own_sample<T, V> (d, pixel, source);

    if (d.exclusive)
      value = source.n == 1 ? exclude (source, best, true, value) :
          exclude_group<T, V> (d, pixel, source, value);
    ((V *) d.planes)[(size_t) p * d.height * d.width + at] = (V) value;
  }
}

template <typename T, typename V> static __global__ void
__launch_bounds__ (CS_THREADS)
derive_planes (const __grid_constant__ Derive d)
{
  const uint32_t x = blockIdx.x * CS_THREADS + threadIdx.x;
  /* unsigned: negative ones are large */
  const uint32_t column = x - d.border;

  if (x >= d.width)
    return;
  for (uint32_t y = blockIdx.y; y < d.height; y += gridDim.y) {
    const uint32_t row = y - d.border;
    const size_t at = (size_t) y * d.width + x;

    if (row < d.height - 2 * d.border && column < d.width - 2 * d.border) {
      derive_pixel<T, V> (d, d.samples + row * d.row_stride +
          column * d.pixel_stride, at);
      continue;
    }
    for (uint32_t p = blockIdx.z; p < d.n_planes; p += gridDim.z)
      ((V *) d.planes)[(size_t) p * d.height * d.width + at] = (V) -INFINITY;
  }
}

/* Means of windows. A thread adds up a window of its own: the same sum as that
 * of the CPU, which shares parts of it. */

/* @at gives p[i], see contours_planes.h. */
template <typename F> static __device__ __forceinline__ double
sum_window (F at, uint32_t i, uint32_t size)
{
  const uint32_t cut = (i + size - 1) / size * size;
  double left, right;

  if (cut > i) {
    left = at (cut - 1);
    for (uint32_t k = cut - 1; k > i; k--)
      left = at (k - 1) + left;
  }
  right = at (cut);
  for (uint32_t k = cut + 1; k < i + size; k++)
    right = right + at (k);
  return cut > i ? left + right : right;
}

/* A plane to take the local mean from, without its border. */
template <typename V> struct Adaptive
{
  V *plane;
  uint32_t stride, width, height, window;
  double *sums;
  double offset;
};

template <typename V> static __global__ void
__launch_bounds__ (CS_THREADS)
sum_rows (const __grid_constant__ Adaptive<V> a)
{
  const uint32_t x = blockIdx.x * CS_THREADS + threadIdx.x;

  if (x >= a.width)
    return;
  for (uint32_t y = blockIdx.y; y < a.height; y += gridDim.y) {
    const V *row = a.plane + (size_t) y * a.stride;

    a.sums[(size_t) y * a.width + x] = sum_window ([&] (uint32_t i) {
          return (double) row[cs_plane_reflect ((int64_t) i - a.window / 2,
                  a.width)];
        }, x, a.window);
  }
}

template <typename V> static __global__ void
__launch_bounds__ (CS_THREADS)
subtract_means (const __grid_constant__ Adaptive<V> a)
{
  const uint32_t x = blockIdx.x * CS_THREADS + threadIdx.x;
  const double count = (double) a.window * a.window;

  if (x >= a.width)
    return;
  for (uint32_t y = blockIdx.y; y < a.height; y += gridDim.y) {
    V *sample = a.plane + (size_t) y * a.stride + x;
    const double sum = sum_window ([&] (uint32_t i) {
          return a.sums[(size_t) cs_plane_reflect ((int64_t) i - a.window / 2,
                  a.height) * a.width + x];
        }, y, a.window);

    *sample = (V) cs_plane_adaptive ((double) *sample, sum, count, a.offset);
  }
}

template <typename V> static gboolean
subtract_all (cudaStream_t stream, const CsContours * plan, guint border,
    double *sums, const CsImage * planes, GError ** error)
{
  Adaptive<V> a = { NULL, planes->width, planes->width - 2 * border,
    planes->height - 2 * border, plan->params.adaptive_window, sums,
    plan->params.adaptive_offset
  };
  const dim3 grid ((a.width + CS_THREADS - 1) / CS_THREADS,
      MIN (a.height, MAX_GRID_ROWS));

  for (guint p = 0; p < planes->channels; p++) {
    a.plane = (V *) ((guint8 *) planes->data + p * planes->channel_stride) +
        (gsize) border * planes->width + border;
    sum_rows<V> <<<grid, CS_THREADS, 0, stream>>> (a);
    subtract_means<V> <<<grid, CS_THREADS, 0, stream>>> (a);
  }
  return cs_cuda_check (cudaGetLastError (), "subtract means", error);
}

template <typename T, typename V> static void
launch (cudaStream_t stream, const Derive & d)
{
  const dim3 grid ((d.width + CS_THREADS - 1) / CS_THREADS,
      MIN (d.height, MAX_GRID_ROWS),
      d.exclusive ? 1 : MIN (d.n_planes, MAX_GRID_ROWS));

  derive_planes<T, V> <<<grid, CS_THREADS, 0, stream>>> (d);
}

gboolean
cs_contours_derive (cudaStream_t stream, const CsContours * plan,
    const CsImage * image, guint border, const CsPlaneSource * sources,
    const guint32 * members, double *sums, const CsImage * planes,
    GError ** error)
{
  const Derive d = { (const uint8_t *) image->data, image->pixel_stride,
    image->row_stride, image->channel_stride, image->channels,
    (void *) planes->data, planes->channels, planes->width, planes->height,
    border, sources, members, plan->params.group_mode == CS_GROUP_MAX,
    plan->params.exclusive
  };

  CS_FOR_TYPE (launch, image->type) (stream, d);
  if (!cs_cuda_check (cudaGetLastError (), "derive samples", error))
    return FALSE;
  if (!sums)
    return TRUE;
  return planes->type == CS_SAMPLE_F64 ?
      subtract_all<double> (stream, plan, border, sums, planes, error) :
      subtract_all<float> (stream, plan, border, sums, planes, error);
}
