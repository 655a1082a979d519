/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The filter on a GPU: codes, large levels down, all small levels down and up
 * again in one block, large levels up; one graph. In single precision and in
 * the CPU's order of sums, so that results differ from the CPU's only where
 * half a code decides.
 *
 * A table is copied into device memory that stays where it is: the graph is
 * made again only for another size, rank class or type of samples.
 */
#include <stdint.h>
#include <string.h>

#include "base/cuda_base.h"
extern "C" {
#include "llf_private.h"
}
#include "llf_math.h"

#define THREADS 256
#define SMALL_THREADS 1024
#define WARP 32
/* Levels of fewer pixels are worked on by one block. */
#define SMALL_PIXELS 4096
#define MAX_CODES 1024
/* So that the number of a level's items is an unsigned int. */
#define MAX_PIXELS (1u << 30)
#define N_NODES (CS_LLF_NODES + 2)
#define N_FINE ((CS_LLF_PHASES + 1) * 2 * MAX_CODES)

/* A table in device memory, with room for the largest. */
struct DeviceTable
{
  float u[MAX_CODES * CS_LLF_MAX_RANK], code_v[MAX_CODES * CS_LLF_MAX_RANK];
  float v[N_NODES * CS_LLF_MAX_RANK], v0[N_NODES];
  float code_v0[MAX_CODES], code_d[MAX_CODES];
  float fine[N_FINE];
};

struct Level
{
  int w, h;
  float *p, *g, *c;
};

/* What all kernels know; fixed for a graph. */
struct Pyramid
{
  Level levels[CS_LLF_MAX_LEVELS];
  int n, n_codes;
  uint16_t *codes;
  const DeviceTable *table;
};

/* What may change with a frame. */
struct Frame
{
  const uint8_t *in;
  uint8_t *out;
  size_t in_pixel, in_row, out_pixel, out_row;
  int type, shift, depth;
  float weights[CS_LLF_MAX_LEVELS];
};

/* The exact filter's weights of one direction, in device memory. */
struct DeviceWeights
{
  const int32_t *start, *count;
  const float *a, *b;
  int support;
};

static __device__ __forceinline__ int
clamp_int (int v, int low, int high)
{
  return v < low ? low : v > high ? high : v;
}

static __device__ __forceinline__ float4
operator+ (float4 a, float4 b)
{
  return make_float4 (a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w);
}

static __device__ __forceinline__ float4
operator- (float4 a, float4 b)
{
  return make_float4 (a.x - b.x, a.y - b.y, a.z - b.z, a.w - b.w);
}

static __device__ __forceinline__ float4
operator* (float a, float4 b)
{
  return make_float4 (a * b.x, a * b.y, a * b.z, a * b.w);
}

static __device__ __forceinline__ float4
operator* (float4 a, float4 b)
{
  return make_float4 (a.x * b.x, a.y * b.y, a.z * b.z, a.w * b.w);
}

/* --- Codes ---------------------------------------------------------------- */

static __device__ unsigned
sample_code (const Frame &frame, int n_codes, const uint8_t *in)
{
  if (frame.type == CS_SAMPLE_U8)
    return *in;
  if (frame.type == CS_SAMPLE_U16) {
    const unsigned value = *(const uint16_t *) in >> frame.shift;
    const unsigned most = (1u << frame.depth) - 1;

    return (value < most ? value : most) >>
        (frame.depth > 10 ? frame.depth - 10 : 0);
  }

  const float value = *(const float *) in;

  return (unsigned) ((value > 0 ? (value < 1 ? value : 1) : 0) *
      (n_codes - 1) + .5f);
}

static __global__ void __launch_bounds__ (THREADS)
codes_kernel (const __grid_constant__ Pyramid pyramid,
    const __grid_constant__ Frame frame)
{
  const Level &level = pyramid.levels[0];
  const size_t at = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (at >= (size_t) level.w * level.h)
    return;

  const int y = at / level.w, x = at - (size_t) y * level.w;

  pyramid.codes[at] = sample_code (frame, pyramid.n_codes,
      frame.in + y * frame.in_row + x * frame.in_pixel);
}

/* Adds @change to a pixel, as the CPU does. */
static __device__ void
store (const Frame &frame, int x, int y, float change)
{
  const uint8_t *in = frame.in + y * frame.in_row + x * frame.in_pixel;
  uint8_t *out = frame.out + y * frame.out_row + x * frame.out_pixel;

  if (frame.type == CS_SAMPLE_F32) {
    const float value = *(const float *) in;

    *(float *) out = (value == value ? value : 0) + change;
    return;
  }

  const unsigned most = (1u << frame.depth) - 1;
  const unsigned raw = frame.type == CS_SAMPLE_U8 ? *in :
      *(const uint16_t *) in >> frame.shift;
  const float value = (raw < most ? raw : most) + (float) most * change;
  const int rounded = (int) ((value < 0 ? 0 : value > most ? most : value) +
      .5f);

  if (frame.type == CS_SAMPLE_U8)
    *out = rounded;
  else
    *(uint16_t *) out = rounded << frame.shift;
}

/* --- Down ----------------------------------------------------------------- */

/* Sample (x, y) of level L: group @k of four terms of @R, or the image's own
 * value, weighted. */
template <int R, bool FIRST> static __device__ __forceinline__ float4
terms_at (const Pyramid &pyramid, const Level &level, int x, int y, int k)
{
  const size_t at = (size_t) y * level.w + x;

  if (FIRST)
    return ((const float4 *) pyramid.table->u)[pyramid.codes[at] * (R / 4) + k];
  return ((const float4 *) level.p)[at * (R / 4) + k];
}

/* The sum of 5 x 5 samples about coarse sample (j, i). */
template <typename Value, typename At> static __device__ __forceinline__ Value
sum_25 (const Level &fine, int j, int i, Value zero, float inside, At at)
{
  float wx[5], wy[5];
  Value c[5];

  cs_llf_down_weights (j, fine.w, wx);
  cs_llf_down_weights (i, fine.h, wy);
#pragma unroll
  for (int dx = 0; dx < 5; dx++) {
    const int x = 2 * j - 2 + dx;

    c[dx] = zero;
    if (x < 0 || x >= fine.w)
      continue;
#pragma unroll
    for (int dy = 0; dy < 5; dy++) {
      const Value part = (wy[dy] * inside) *
          at (x, clamp_int (2 * i - 2 + dy, 0, fine.h - 1));

      c[dx] = dy == 0 ? part : c[dx] + part;
    }
  }
  return (wx[2] / 6) * ((c[0] + c[4]) + 4.f * (c[1] + c[3]) + 6.f * c[2]);
}

/* Item @item of level @l + 1: a pixel's four terms, or its G. */
template <int R, bool FIRST> static __device__ void
down_item (const Pyramid &pyramid, int l, unsigned item)
{
  const Level &fine = pyramid.levels[l], &coarse = pyramid.levels[l + 1];
  const unsigned groups = R / 4 + 1, pixel = item / groups;
  const int k = item - pixel * groups;
  const int i = pixel / coarse.w, j = pixel - i * coarse.w;

  if (k == R / 4) {
    coarse.g[pixel] = sum_25<float> (fine, j, i, 0.f,
        FIRST ? 1.f / (pyramid.n_codes - 1) : 1.f,
        [&] (int x, int y) -> float {
          const size_t at = (size_t) y * fine.w + x;

          return FIRST ? (float) pyramid.codes[at] : fine.g[at];
        });
    return;
  }
  if constexpr (R > 0)
    ((float4 *) coarse.p)[(size_t) pixel * (R / 4) + k] =
        sum_25<float4> (fine, j, i, make_float4 (0, 0, 0, 0), 1.f,
        [&] (int x, int y) {
          return terms_at<R, FIRST> (pyramid, fine, x, y, k);
        });
}

template <int R, bool FIRST> static __global__ void __launch_bounds__ (THREADS)
down_kernel (const __grid_constant__ Pyramid pyramid, int l)
{
  const Level &coarse = pyramid.levels[l + 1];
  const unsigned item = blockIdx.x * blockDim.x + threadIdx.x;

  if (item < (unsigned) coarse.w * coarse.h * (R / 4 + 1))
    down_item<R, FIRST> (pyramid, l, item);
}

/* --- Up ------------------------------------------------------------------- */

/* Sample (x, y) of a level, interpolated from 3 x 3 coarse ones. */
template <typename Value, typename At> static __device__ __forceinline__ Value
sum_9 (const Level &coarse, int x, int y, At at)
{
  float wx[3], wy[3];
  Value c[3];

  cs_llf_up_weights (x, coarse.w, wx);
  cs_llf_up_weights (y, coarse.h, wy);
#pragma unroll
  for (int dx = 0; dx < 3; dx++) {
    const int j = clamp_int (x / 2 - 1 + dx, 0, coarse.w - 1);

#pragma unroll
    for (int dy = 0; dy < 3; dy++) {
      const Value part = wy[dy] *
          at ((size_t) clamp_int (y / 2 - 1 + dy, 0, coarse.h - 1) *
          coarse.w + j);

      c[dx] = dy == 0 ? part : c[dx] + part;
    }
  }
  return (wx[0] * c[0] + wx[2] * c[2]) + wx[1] * c[1];
}

/* What the levels above add at (x, y) of level @l. */
static __device__ float
above_at (const Pyramid &pyramid, int l, int x, int y)
{
  const Level &coarse = pyramid.levels[l + 1];

  if (l + 2 >= pyramid.n)
    return 0;
  return sum_9<float> (coarse, x, y, [&] (size_t at) { return coarse.c[at]; });
}

/* The coefficient of level @l at (x, y), with all above. */
template <int R> static __device__ float
up_item (const Pyramid &pyramid, float weight, int l, int x, int y)
{
  const Level &level = pyramid.levels[l], &coarse = pyramid.levels[l + 1];
  const DeviceTable *table = pyramid.table;
  const size_t at = (size_t) y * level.w + x;
  const float up = sum_9<float> (coarse, x, y,
      [&] (size_t from) { return coarse.g[from]; });
  const float above = above_at (pyramid, l, x, y);
  const float g = l ? level.g[at] : 0;
  const int row = l ? (int) (g * CS_LLF_NODES) : pyramid.codes[at];
  const float f = g * CS_LLF_NODES - row;
  float4 sum = make_float4 (0, 0, 0, 0);

#pragma unroll
  for (int k = 0; k < R / 4; k++) {
    const float4 mean = sum_9<float4> (coarse, x, y, [&] (size_t from) {
          return ((const float4 *) coarse.p)[from * (R / 4) + k];
        });

    if (l == 0) {
      sum = sum + ((const float4 *) table->code_v)[row * (R / 4) + k] * mean;
    } else {
      const float4 *v = (const float4 *) table->v + row * (R / 4) + k;
      const float4 own = ((const float4 *) level.p)[at * (R / 4) + k];

      sum = sum + (v[0] + f * (v[R / 4] - v[0])) * (own - mean);
    }
  }

  const float terms = (sum.x + sum.y) + (sum.z + sum.w);

  if (l == 0)
    return weight * (table->code_d[row] - table->code_v0[row] * up - terms) +
        above;

  const float slope = table->v0[row] +
      f * (table->v0[row + 1] - table->v0[row]);

  return weight * (slope * (g - up) + terms) + above;
}

template <int R> static __global__ void __launch_bounds__ (THREADS)
up_kernel (const __grid_constant__ Pyramid pyramid,
    const __grid_constant__ Frame frame, int l)
{
  const Level &level = pyramid.levels[l];
  const size_t at = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (at >= (size_t) level.w * level.h)
    return;

  const int y = at / level.w, x = at - (size_t) y * level.w;
  const float c = up_item<R> (pyramid, frame.weights[l], l, x, y);

  if (l == 0)
    store (frame, x, y, c);
  else
    level.c[at] = c;
}

/* Levels @first and further, down and up, in one block. */
template <int R> static __global__ void __launch_bounds__ (SMALL_THREADS)
small_kernel (const __grid_constant__ Pyramid pyramid,
    const __grid_constant__ Frame frame, int first)
{
  for (int l = first; l + 1 < pyramid.n; l++) {
    const Level &coarse = pyramid.levels[l + 1];
    const unsigned n = coarse.w * coarse.h * (R / 4 + 1);

    for (unsigned item = threadIdx.x; item < n; item += blockDim.x)
      down_item<R, false> (pyramid, l, item);
    __syncthreads ();
  }
  if constexpr (R > 0) {
    for (int l = pyramid.n - 2; l >= first; l--) {
      const Level &level = pyramid.levels[l];

      for (int at = threadIdx.x; at < level.w * level.h; at += blockDim.x)
        level.c[at] = up_item<R> (pyramid, frame.weights[l], l,
            at % level.w, at / level.w);
      __syncthreads ();
    }
  }
}

/* --- Exact ---------------------------------------------------------------- */

/* One coefficient for each group of @LANES threads. */
template <int LANES> static __global__ void __launch_bounds__ (THREADS)
exact_kernel (const __grid_constant__ Pyramid pyramid,
    const __grid_constant__ Frame frame, int l,
    const __grid_constant__ DeviceWeights columns,
    const __grid_constant__ DeviceWeights rows)
{
  const Level &level = pyramid.levels[l];
  const size_t thread = (size_t) blockIdx.x * blockDim.x + threadIdx.x;
  const size_t at = thread / LANES;
  const int lane = thread % LANES, n_codes = pyramid.n_codes;

  if (at >= (size_t) level.w * level.h)
    return;

  const int y = at / level.w, x = at - (size_t) y * level.w;
  float sum = 0;

  if (frame.weights[l] != 0) {
    const float g = l ? level.g[at] * (n_codes - 1) : pyramid.codes[at];
    const int above = min ((int) ceilf (g), n_codes - 1);
    const float phase = (above - g) * CS_LLF_PHASES;
    const int p = clamp_int ((int) phase, 0, CS_LLF_PHASES - 1);
    const float f = phase - p;
    const float *low = pyramid.table->fine + (size_t) p * 2 * n_codes +
        n_codes - above;
    const float *high = low + 2 * n_codes;
    const int n = columns.count[x], m = rows.count[y];
    const float *a = columns.a + (size_t) x * columns.support;
    const float *b = columns.b + (size_t) x * columns.support;
    const float *ra = rows.a + (size_t) y * rows.support;
    const float *rb = rows.b + (size_t) y * rows.support;
    const uint16_t *codes = pyramid.codes +
        (size_t) rows.start[y] * pyramid.levels[0].w + columns.start[x];

    for (int i = 0; i < m; i++, codes += pyramid.levels[0].w) {
      float sa = 0, sb = 0;

      for (int k = lane; k < n; k += LANES) {
        const int code = codes[k];
        const float d = l ? low[code] + f * (high[code] - low[code]) :
            low[code];

        sa += a[k] * d;
        sb += b[k] * d;
      }
      sum += ra[i] * sa - rb[i] * sb;
    }
  }
#pragma unroll
  for (int step = LANES / 2; step > 0; step /= 2)
    sum += __shfl_down_sync (0xffffffffu, sum, step, LANES);
  if (lane != 0)
    return;

  const float c = frame.weights[l] * sum + above_at (pyramid, l, x, y);

  if (l == 0)
    store (frame, x, y, c);
  else
    level.c[at] = c;
}

/* --- Host ----------------------------------------------------------------- */

/* Most nodes: codes, levels down and up. */
#define MAX_KERNELS (2 * CS_LLF_MAX_LEVELS + 2)

struct Kernel
{
  cudaGraphNode_t node;
  const void *function;
  unsigned n_blocks, n_threads;
  int level;
  bool takes_frame;
};

struct State
{
  CsExecutor *executor;
  cudaStream_t stream;
  CsCudaScratch scratch, weights_memory;
  DeviceTable *device_table;
  CsLlfTable *table;            /* what the device has */
  CsCudaGraph graph;
  Kernel kernels[MAX_KERNELS];
  int n_kernels;
  /* what the graph is for */
  guint width, height, stride;
  bool exact;
  Pyramid pyramid;
  Frame frame;
  guint exact_width, exact_height;
  DeviceWeights columns[CS_LLF_MAX_LEVELS], rows[CS_LLF_MAX_LEVELS];
};

static bool
upload (State *state, float *to, const float *from, gsize n, GError **error)
{
  return cs_cuda_check (cudaMemcpyAsync (to, from, n * sizeof (float),
          cudaMemcpyHostToDevice, state->stream), "upload a table", error);
}

/* In stream order, so that frames that are still queued keep the old one. */
static bool
adopt_table (State *state, CsLlfTable *table, GError **error)
{
  DeviceTable *to = state->device_table;
  const gsize n = table->n_codes, stride = table->stride;

  if (table == state->table)
    return true;
  g_clear_pointer (&state->table, cs_llf_table_unref);
  if (table->fine) {
    if (!upload (state, to->fine, table->fine,
            (CS_LLF_PHASES + 1) * 2 * n, error))
      return false;
  } else if (!upload (state, to->u, table->u, n * stride, error) ||
      !upload (state, to->code_v, table->code_v, n * stride, error) ||
      !upload (state, to->v, table->v, N_NODES * stride, error) ||
      !upload (state, to->v0, table->v0, N_NODES, error) ||
      !upload (state, to->code_v0, table->code_v0, n, error) ||
      !upload (state, to->code_d, table->code_d, n, error)) {
    return false;
  }
  state->table = cs_llf_table_ref (table);
  return true;
}

static void
place (Pyramid *pyramid, guint stride, CsCudaCarver *carver)
{
  pyramid->codes = CS_CUDA_CARVE (carver, uint16_t,
      (gsize) pyramid->levels[0].w * pyramid->levels[0].h);
  for (int l = 1; l < pyramid->n; l++) {
    Level *level = &pyramid->levels[l];
    const gsize n = (gsize) level->w * level->h;

    level->p = CS_CUDA_CARVE (carver, float, n * stride);
    level->g = CS_CUDA_CARVE (carver, float, n);
    level->c = CS_CUDA_CARVE (carver, float, n);
  }
}

/* Copies @n numbers of 4 bytes, and goes on behind them. */
static bool
upload_array (State *state, CsCudaCarver *carver, const void *from, gsize n,
    const void **to, GError **error)
{
  float *data = CS_CUDA_CARVE (carver, float, n);

  *to = data;
  return !data || upload (state, data, (const float *) from, n, error);
}

static bool
upload_weights (State *state, CsCudaCarver *carver, const CsLlfWeights *from,
    DeviceWeights *to, GError **error)
{
  const gsize n = (gsize) from->n * from->support;

  to->support = from->support;
  return upload_array (state, carver, from->start, from->n,
      (const void **) &to->start, error) &&
      upload_array (state, carver, from->count, from->n,
      (const void **) &to->count, error) &&
      upload_array (state, carver, from->a, n, (const void **) &to->a,
      error) &&
      upload_array (state, carver, from->b, n, (const void **) &to->b, error);
}

/* All weights of the exact filter at this size. */
static bool
prepare_exact (State *state, guint width, guint height, GError **error)
{
  CsLlfWeights weights[2 * CS_LLF_MAX_LEVELS];
  const int n = state->pyramid.n - 1;
  CsCudaCarver carver = { NULL, 0 };
  bool ok = true;
  int l;

  if (state->exact_width == width && state->exact_height == height)
    return true;
  memset (weights, 0, sizeof (weights));
  state->exact_width = 0;
  for (l = 0; ok && l < n; l++)
    ok = cs_llf_weights_init (&weights[2 * l], width, l, error) &&
        cs_llf_weights_init (&weights[2 * l + 1], height, l, error);
  for (int pass = 0; ok && pass < 2; pass++) {
    for (l = 0; ok && l < n; l++)
      ok = upload_weights (state, &carver, &weights[2 * l],
          &state->columns[l], error) &&
          upload_weights (state, &carver, &weights[2 * l + 1],
          &state->rows[l], error);
    if (pass == 0 && ok) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&state->weights_memory,
          carver.used, state->stream, error);
      carver.used = 0;
      ok = carver.base != NULL;
    }
  }
  if (ok) {
    state->exact_width = width;
    state->exact_height = height;
  }
  for (l = 0; l < n; l++) {
    cs_llf_weights_clear (&weights[2 * l]);
    cs_llf_weights_clear (&weights[2 * l + 1]);
  }
  return ok;
}

/* Arguments of @kernel, in the order of its kind's. */
static void
fill_args (State *state, const Kernel *kernel, void **args)
{
  int n = 0;

  args[n++] = &state->pyramid;
  if (kernel->takes_frame)
    args[n++] = &state->frame;
  args[n++] = (void *) &kernel->level;
  if (state->exact && kernel->takes_frame) {
    args[n++] = &state->columns[kernel->level];
    args[n++] = &state->rows[kernel->level];
  }
}

static bool
add_kernel (State *state, const void *function, gsize n_items,
    unsigned n_threads, int level, bool takes_frame, GError **error)
{
  Kernel *kernel = &state->kernels[state->n_kernels++];
  void *args[8];

  *kernel = Kernel { NULL, function,
    (unsigned) ((n_items + n_threads - 1) / n_threads), n_threads, level,
    takes_frame };
  fill_args (state, kernel, args);
  return cs_cuda_graph_add_kernel (&state->graph, function, kernel->n_blocks,
      n_threads, args, &kernel->node, error);
}

template <int R> static bool
add_kernels (State *state, GError **error)
{
  const Pyramid *pyramid = &state->pyramid;
  const Level *levels = pyramid->levels;
  const gsize n = (gsize) levels[0].w * levels[0].h;
  const int groups = R / 4 + 1;
  int small = 1, l;

  while (small < pyramid->n &&
      levels[small].w * (gsize) levels[small].h > SMALL_PIXELS)
    small++;
  if (!add_kernel (state, (const void *) codes_kernel, n, THREADS, 0, true,
          error))
    return false;
  for (l = 0; l < small && l + 1 < pyramid->n; l++)
    if (!add_kernel (state, l == 0 ? (const void *) down_kernel<R, true> :
            (const void *) down_kernel<R, false>, (gsize) levels[l + 1].w *
            levels[l + 1].h * groups, THREADS, l, false, error))
      return false;
  if (small + 1 < pyramid->n &&
      !add_kernel (state, (const void *) small_kernel<R>, SMALL_THREADS,
          SMALL_THREADS, small, true, error))
    return false;
  if constexpr (R == 0) {
    for (l = pyramid->n - 1; l-- > 0;) {
      const gsize pixels = (gsize) levels[l].w * levels[l].h;

      if (!(l == 0 ? add_kernel (state, (const void *) exact_kernel<1>,
                  pixels, THREADS, l, true, error) :
              add_kernel (state, (const void *) exact_kernel<WARP>,
                  pixels * WARP, THREADS, l, true, error)))
        return false;
    }
  } else {
    for (l = MIN (small, pyramid->n - 1); l-- > 0;)
      if (!add_kernel (state, (const void *) up_kernel<R>,
              (gsize) levels[l].w * levels[l].h, THREADS, l, true, error))
        return false;
  }
  return true;
}

static bool
make_graph (State *state, const CsLlfTable *table, GError **error)
{
  bool ok;

  state->n_kernels = 0;
  if (!cs_cuda_graph_begin (&state->graph, error))
    return false;
  switch (table->fine ? 0 : table->stride) {
    case 0:
      ok = add_kernels<0> (state, error);
      break;
    case 4:
      ok = add_kernels<4> (state, error);
      break;
    case 8:
      ok = add_kernels<8> (state, error);
      break;
    case 16:
      ok = add_kernels<16> (state, error);
      break;
    default:
      ok = add_kernels<32> (state, error);
      break;
  }
  return ok && cs_cuda_graph_end (&state->graph, state->stream, error);
}

/* Everything that depends on the size and the rank. */
static bool
prepare (State *state, const CsLlfTable *table, guint width, guint height,
    GError **error)
{
  Pyramid *pyramid = &state->pyramid;
  CsLlfPyramid sizes;
  CsCudaCarver carver = { NULL, 0 };

  if (state->graph.exec && state->width == width && state->height == height &&
      state->stride == table->stride && state->exact == !!table->fine &&
      pyramid->n_codes == (int) table->n_codes)
    return true;
  if ((guint64) width * height > MAX_PIXELS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT,
        "an image of %u x %u pixels; the GPU filters up to 2^30", width,
        height);
    return false;
  }
  cs_cuda_graph_clear (&state->graph);
  cs_llf_pyramid_init (&sizes, width, height);
  pyramid->n = sizes.n_levels;
  pyramid->n_codes = table->n_codes;
  pyramid->table = state->device_table;
  for (guint l = 0; l < sizes.n_levels; l++)
    pyramid->levels[l] = Level { (int) sizes.levels[l].width,
      (int) sizes.levels[l].height, NULL, NULL, NULL };
  place (pyramid, table->stride, &carver);
  carver.base = (guint8 *) cs_cuda_scratch_ensure (&state->scratch,
      carver.used, state->stream, error);
  if (!carver.base)
    return false;
  carver.used = 0;
  place (pyramid, table->stride, &carver);
  state->width = width;
  state->height = height;
  state->stride = table->stride;
  state->exact = table->fine != NULL;
  return (!state->exact || prepare_exact (state, width, height, error)) &&
      make_graph (state, table, error);
}

static void
fill_frame (const CsLlfTable *table, const CsLlfFrame *frame,
    const CsLlfPyramid *pyramid, Frame *to)
{
  memset (to, 0, sizeof (*to));
  to->in = (const uint8_t *) frame->input.data;
  to->out = (uint8_t *) frame->output;
  to->in_pixel = frame->input.pixel_stride;
  to->in_row = frame->input.row_stride;
  to->out_pixel = frame->output_pixel_stride;
  to->out_row = frame->output_row_stride;
  to->type = frame->input.type;
  to->shift = frame->shift;
  to->depth = table->params.depth;
  for (guint l = 0; l < pyramid->n_levels; l++)
    to->weights[l] = pyramid->levels[l].weight;
}

/* Gives the graph this frame's pointers and weights. */
static bool
set_frame (State *state, const Frame *frame, GError **error)
{
  if (memcmp (&state->frame, frame, sizeof (*frame)) == 0)
    return true;
  state->frame = *frame;
  for (int i = 0; i < state->n_kernels; i++) {
    const Kernel *kernel = &state->kernels[i];
    void *args[8];

    if (!kernel->takes_frame)
      continue;
    fill_args (state, kernel, args);
    if (!cs_cuda_graph_set_args (&state->graph, kernel->node,
            kernel->function, kernel->n_blocks, kernel->n_threads, args,
            error)) {
      /* some nodes have the new frame, others the old */
      memset (&state->frame, 0, sizeof (state->frame));
      return false;
    }
  }
  return true;
}

static gboolean
llf_cuda_warm_up (void *user_data, const CsLlfTable *table,
    const CsLlfPyramid *pyramid, GError **error)
{
  State *state = (State *) user_data;

  if (table->identity)
    return TRUE;
  return adopt_table (state, (CsLlfTable *) table, error) &&
      prepare (state, table, pyramid->levels[0].width,
      pyramid->levels[0].height, error);
}

static gboolean
llf_cuda_run (void *user_data, CsLlfTable *table, const CsLlfFrame *frame,
    const CsLlfPyramid *pyramid, GError **error)
{
  State *state = (State *) user_data;
  Frame next;

  fill_frame (table, frame, pyramid, &next);
  return adopt_table (state, table, error) &&
      prepare (state, table, frame->input.width, frame->input.height, error) &&
      set_frame (state, &next, error) &&
      cs_cuda_graph_launch (&state->graph, state->stream, error);
}

static __global__ void __launch_bounds__ (THREADS)
copy_kernel (const __grid_constant__ Frame frame, int width, int height,
    int size)
{
  const size_t at = (size_t) blockIdx.x * blockDim.x + threadIdx.x;

  if (at >= (size_t) width * height)
    return;

  const int y = at / width, x = at - (size_t) y * width;

  for (int i = 0; i < size; i++)
    frame.out[y * frame.out_row + x * frame.out_pixel + i] =
        frame.in[y * frame.in_row + x * frame.in_pixel + i];
}

static gboolean
llf_cuda_copy (void *user_data, const CsLlfFrame *frame, GError **error)
{
  const State *state = (const State *) user_data;
  const CsImage *image = &frame->input;
  const int size = cs_sample_size (image->type);
  const gsize n = (gsize) image->width * image->height;
  Frame args = { };

  if (image->data == frame->output)
    return TRUE;
  args.in = (const uint8_t *) image->data;
  args.out = (uint8_t *) frame->output;
  args.in_pixel = image->pixel_stride;
  args.in_row = image->row_stride;
  args.out_pixel = frame->output_pixel_stride;
  args.out_row = frame->output_row_stride;
  copy_kernel <<<(unsigned) ((n + THREADS - 1) / THREADS), THREADS, 0,
      state->stream>>> (args, image->width, image->height, size);
  return cs_cuda_check (cudaGetLastError (), "copy a frame", error);
}

static void
llf_cuda_destroy (void *user_data)
{
  State *state = (State *) user_data;

  cs_cuda_graph_clear (&state->graph);
  cs_cuda_scratch_clear (&state->scratch, state->stream);
  cs_cuda_scratch_clear (&state->weights_memory, state->stream);
  if (state->device_table &&
      cudaFreeAsync (state->device_table, state->stream) != cudaSuccess)
    cudaGetLastError ();
  g_clear_pointer (&state->table, cs_llf_table_unref);
  g_free (state);
}

static void *
llf_cuda_create (CsExecutor *executor, GError **error)
{
  State *state = g_new0 (State, 1);

  state->executor = executor;
  state->stream = (cudaStream_t) cs_executor_get_stream (executor);
  if (cs_cuda_check (cudaMallocAsync ((void **) &state->device_table,
              sizeof (DeviceTable), state->stream), "allocate a table",
          error))
    return state;
  g_free (state);
  return NULL;
}

extern "C" const CsLlfBackend cs_llf_cuda_backend = {
  llf_cuda_create, llf_cuda_warm_up, llf_cuda_run, llf_cuda_copy,
  llf_cuda_destroy,
};
