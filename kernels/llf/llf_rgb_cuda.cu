/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The filter with distances in RGB on CUDA: as llf_rgb_cpu.c, in the order of
 * its sums. A group of lanes, as many as there are terms, has a pixel: each
 * lane its u_k. Pyramids of the u_k, fine to coarse; coefficients and their
 * sum, coarse to fine; a launch for each level.
 */

extern "C" {
#include "llf_rgb_private.h"
}
#include "base/cuda_base.h"
#include "base/cuda_warp.cuh"
#include "base/memory.h"

#include <string.h>

#define THREADS 256
/* Floats of a pixel's change: R, G, B and nothing. */
#define COLOUR 4
/* Lanes of the CPU's vectors, in which it sums up. */
#define LANES 8

/* A level in device memory; see Plane in llf_rgb_cpu.c. */
struct Level
{
  int width, height;
  float weight;
  float *p, *c;
};

/* CsLlfWeights in device memory. */
struct Window
{
  int support;
  const gint32 *start, *count;
  const float *a, *b;
};

/**
 * Args:
 * @coarse: the level above @fine
 * @is_first: @fine is the picture
 * @has_above: @coarse has sums of coefficients
 * @v: NULL with an exact filter, whose coefficients are at @exact
 * @picture: of an exact filter, R, G and B of 0 to 1
 */
struct Args
{
  CsLlfRgbJob job;
  CsLlfToneGuard guard;
  Level fine, coarse;
  bool is_first, has_above;
  const float *u, *v, *profile;
  float4 *picture;
  float *exact;
  Window columns, rows;
};

struct State
{
  cudaStream_t stream;
  CsCudaScratch tables, planes, weights;
  CsLlfTable *table;            /* in device memory */
  CsLlfWindows windows;
  guint width, height;          /* of those in device memory */
  Window columns[CS_LLF_MAX_LEVELS], rows[CS_LLF_MAX_LEVELS];
};

/* --- Kernels -------------------------------------------------------------- */

static __device__ __forceinline__ int
clamp (int i, int n)
{
  return i < 0 ? 0 : i < n ? i : n - 1;
}

/* u_k of the picture's pixel. */
template <int RANK> static __device__ __forceinline__ float
feature (const Args & a, int x, int y, int k)
{
  const guint8 *at = a.job.input + y * a.job.input_stride +
      (size_t) x * a.job.pixel_stride;
  const float *green = a.u + 256 * RANK, *blue = green + 256 * RANK;

  return a.u[at[a.job.red] * RANK + k] * green[at[a.job.green] * RANK + k] *
      blue[at[a.job.blue] * RANK + k];
}

template <int RANK> static __device__ __forceinline__ float
fine_value (const Args & a, int x, int y, int k)
{
  return a.is_first ? feature<RANK> (a, x, y, k) :
      a.fine.p[((size_t) y * a.fine.width + x) * RANK + k];
}

/* Of a coarser level, a thread for each u_k of a pixel. */
template <int RANK> static __global__ void __launch_bounds__ (THREADS)
down_kernel (const __grid_constant__ Args a)
{
  const size_t at = ((size_t) blockIdx.x * THREADS + threadIdx.x) / RANK;
  const int k = threadIdx.x % RANK, n = a.fine.width;
  const int x = at % a.coarse.width, y = at / a.coarse.width;
  float w[5], c[5], scale = 1 / 16.f;

  if (y >= a.coarse.height)
    return;
  cs_llf_down_weights (y, a.fine.height, w);
  for (int i = 0; i < 5; i++) {
    const int column = 2 * x + i - 2;
    float v[5];

    c[i] = 0;
    if (column < 0 || column >= n)
      continue;
    for (int r = 0; r < 5; r++)
      v[r] = fine_value<RANK> (a, column, clamp (2 * y + r - 2,
              a.fine.height), k);
    c[i] = w[0] * v[0] + w[1] * v[1] + w[2] * v[2] + w[3] * v[3] + w[4] * v[4];
  }
  if (x == 0 || 2 * x + 2 >= n) {
    cs_llf_down_weights (x, n, w);
    scale = w[2] / 6;
  }
  a.coarse.p[at * RANK + k] = scale * ((c[0] + c[4]) + 4.f * (c[1] + c[3]) +
      6.f * c[2]);
}

/* Weights of a fine pixel's three coarse columns. */
static __device__ __forceinline__ void
column_weights (int x, int m, float w[3])
{
  w[0] = x % 2 ? 0.f : .125f;
  w[1] = x % 2 ? .5f : .75f;
  w[2] = x % 2 ? .5f : .125f;
  if (x < 2 || x / 2 + 1 >= m)
    cs_llf_up_weights (x, m, w);
}

/* Element @k of @n of a pixel of @fine, interpolated from @plane of @coarse. */
static __device__ __forceinline__ float
interpolate (const Args & a, const float *plane, int x, int y, int k, int n)
{
  const int m = a.coarse.width;
  float w[3], at[3], c[3];

  cs_llf_up_weights (y, a.coarse.height, w);
  column_weights (x, m, at);
  for (int i = 0; i < 3; i++) {
    const size_t column = clamp (x / 2 + i - 1, m);
    float v[3];

    for (int r = 0; r < 3; r++)
      v[r] = plane[((size_t) clamp (y / 2 + r - 1, a.coarse.height) * m +
              column) * n + k];
    c[i] = w[0] * v[0] + w[1] * v[1] + w[2] * v[2];
  }
  return (at[0] * c[0] + at[2] * c[2]) + at[1] * c[1];
}

/* The sum over a group in the order of the CPU's vectors: lanes LANES apart one
 * after the other, then pairs. All lanes of the warp come here. */
template <int RANK> static __device__ __forceinline__ float
sum_terms (float term)
{
  float sum = term;

  for (int i = LANES; i < RANK; i += LANES)
    sum += __shfl_down_sync (CS_ALL_LANES, term, i, RANK);
  sum = __shfl_sync (CS_ALL_LANES, sum, threadIdx.x % LANES, RANK);
  for (int step = 1; step < LANES; step *= 2)
    sum += __shfl_xor_sync (CS_ALL_LANES, sum, step);
  return sum;
}

/* sum_k v_k (g) (u_k - up u_k) of R, G and B. All lanes come here. */
template <int RANK> static __device__ __forceinline__ void
find_coefficients (const Args & a, int x, int y, int k, float d[3])
{
  const float own = fine_value<RANK> (a, x, y, k);
  const float change = own - interpolate (a, a.coarse.p, x, y, k, RANK);
  float g[3], w[4];
  int nodes[4];

  for (int c = 0; c < 3; c++)
    g[c] = __shfl_sync (CS_ALL_LANES, own, c, RANK);
  cs_llf_rgb_find_nodes (g, nodes, w);
  for (int c = 0; c < 3; c++) {
    float v[4];

    for (int i = 0; i < 4; i++)
      v[i] = a.v[(nodes[i] * 3 + c) * RANK + k];
    d[c] = sum_terms<RANK> (change * ((w[0] * v[0] + w[1] * v[1]) +
            (w[2] * v[2] + w[3] * v[3])));
  }
}

/* Writes the result of a pixel: lanes 0 to 2 R, G and B, lane 3 what is beside
 * them. */
static __device__ __forceinline__ void
store_pixel (const CsLlfRgbJob & job, const CsLlfToneGuard & guard, int x,
    int y, int k, float change)
{
  const guint at[4] = { job.red, job.green, job.blue,
    6 - job.red - job.green - job.blue
  };
  const size_t first = (size_t) x * job.pixel_stride;
  const guint8 *in = job.input + y * job.input_stride + first;
  guint8 *out = job.output + y * job.output_stride + first;

  if (k < 3 && guard.slope > 0)
    change = cs_llf_guard_tone (&guard, in[at[k]] * job.tone.unit, change);
  if (k < 3)
    out[at[k]] = cs_llf_colour_round (&job.tone, in[at[k]] +
        job.tone.max_code * change);
  else if (job.pixel_stride == 4 && in != out)
    out[at[3]] = in[at[3]];
}

/* The sum of the coefficients of @fine and coarser levels. */
template <int RANK> static __global__ void __launch_bounds__ (THREADS)
up_kernel (const __grid_constant__ Args a)
{
  const size_t n = (size_t) a.fine.width * a.fine.height;
  const size_t at = ((size_t) blockIdx.x * THREADS + threadIdx.x) / RANK;
  /* lanes without a pixel take part in sums */
  const size_t pixel = at < n ? at : n - 1;
  const int k = threadIdx.x % RANK;
  const int x = pixel % a.fine.width, y = pixel / a.fine.width;
  float d[3] = { 0, 0, 0 }, c = 0;

  if (a.fine.weight != 0 && a.v)
    find_coefficients<RANK> (a, x, y, k, d);
  if (at >= n || k >= COLOUR)
    return;
  if (k < 3) {
    c = k == 0 ? d[0] : k == 1 ? d[1] : d[2];
    if (a.fine.weight != 0 && !a.v)
      c = a.exact[pixel * COLOUR + k];
    c = a.fine.weight * c + (a.has_above ? interpolate (a, a.coarse.c, x, y, k,
            COLOUR) : 0.f);
  }
  if (a.is_first)
    store_pixel (a.job, a.guard, x, y, k, c);
  else
    a.fine.c[pixel * COLOUR + k] = c;
}

/* --- Exact ---------------------------------------------------------------- */

static __global__ void __launch_bounds__ (THREADS)
picture_kernel (const __grid_constant__ Args a)
{
  const size_t at = (size_t) blockIdx.x * THREADS + threadIdx.x;
  const int x = at % a.fine.width, y = at / a.fine.width;

  if (y < a.fine.height)
    a.picture[at] = make_float4 (feature<8> (a, x, y, 0),
        feature<8> (a, x, y, 1), feature<8> (a, x, y, 2), 0);
}

/* The coefficient of each pixel of @fine, over the picture. */
static __global__ void __launch_bounds__ (THREADS)
exact_kernel (const __grid_constant__ Args a)
{
  const size_t at = (size_t) blockIdx.x * THREADS + threadIdx.x;
  const int x = at % a.fine.width, y = at / a.fine.width;
  float g[3], d[3] = { 0, 0, 0 };

  if (y >= a.fine.height)
    return;

  const float *wa = a.columns.a + (size_t) x * a.columns.support;
  const float *wb = a.columns.b + (size_t) x * a.columns.support;

  for (int c = 0; c < 3; c++)
    g[c] = fine_value<8> (a, x, y, c);
  for (int i = 0; i < a.rows.count[y]; i++) {
    const float ra = a.rows.a[(size_t) y * a.rows.support + i];
    const float rb = a.rows.b[(size_t) y * a.rows.support + i];
    const float4 *row = a.picture + (size_t) (a.rows.start[y] + i) *
        a.job.width + a.columns.start[x];
    float sums[3] = { 0, 0, 0 };

    for (int k = 0; k < a.columns.count[x]; k++) {
      const float p[3] = { row[k].x, row[k].y, row[k].z };
      const float w = (ra * wa[k] - rb * wb[k]) * cs_llf_rgb_gain (a.profile,
          p, g);

      for (int c = 0; c < 3; c++)
        sums[c] += w * (p[c] - g[c]);
    }
    for (int c = 0; c < 3; c++)
      d[c] += sums[c];
  }
  for (int c = 0; c < 3; c++)
    a.exact[at * COLOUR + c] = d[c];
}

/* --- Memory --------------------------------------------------------------- */

/* Cuts out the levels and what an exact filter has besides. */
static void
place (const CsLlfRgbTable *table, const CsLlfPyramid *pyramid,
    CsCudaCarver *carver, Level levels[CS_LLF_MAX_LEVELS], Args *args)
{
  const CsLlfLevel *first = pyramid->levels;
  const gsize n_exact = table->v ? 0 : (gsize) first->width * first->height;

  for (guint l = 0; l < pyramid->n_levels; l++) {
    const CsLlfLevel *level = first + l;
    const gsize n = l == 0 ? 0 : (gsize) level->width * level->height;

    levels[l] = { (int) level->width, (int) level->height, level->weight };
    levels[l].p = CS_CUDA_CARVE (carver, float, n * table->rank);
    levels[l].c = CS_CUDA_CARVE (carver, float, n * COLOUR);
  }
  args->picture = CS_CUDA_CARVE (carver, float4, n_exact);
  args->exact = CS_CUDA_CARVE (carver, float, n_exact * COLOUR);
}

/* Uploads in stream order, so that queued frames use the old table. */
static gboolean
adopt_table (State *state, CsLlfTable *table, GError **error)
{
  const CsLlfRgbTable *rgb = table->rgb;
  const gsize sizes[3] = { sizeof (float) * 3 * 256 * rgb->rank,
    rgb->v ? sizeof (float) * CS_LLF_RGB_N_NODES * 3 * rgb->rank : 0,
    rgb->profile ? sizeof (float) * CS_LLF_RGB_PROFILE : 0
  };
  const float *arrays[3] = { rgb->u, rgb->v, rgb->profile };

  if (table == state->table)
    return TRUE;
  g_clear_pointer (&state->table, cs_llf_table_unref);
  guint8 *to = (guint8 *) cs_cuda_scratch_ensure (&state->tables,
      sizes[0] + sizes[1] + sizes[2], state->stream, error);
  if (!to)
    return FALSE;
  for (int i = 0; i < 3; i++) {
    if (sizes[i] > 0 && !cs_cuda_check (cudaMemcpyAsync (to, arrays[i],
                sizes[i], cudaMemcpyHostToDevice, state->stream),
            "upload a table", error))
      return FALSE;
    to += sizes[i];
  }
  state->table = cs_llf_table_ref (table);
  return TRUE;
}

static void
place_table (const State *state, Args *args)
{
  const CsLlfRgbTable *rgb = state->table->rgb;

  args->u = (const float *) state->tables.data;
  args->v = rgb->v ? args->u + 3 * 256 * rgb->rank : NULL;
  args->profile = rgb->v ? NULL : args->u + 3 * 256 * rgb->rank;
}

/* Copies @from to @host, of which @device will be the copy that @to describes;
 * nothing if @host is NULL. Returns: the bytes */
static gsize
pack_window (const CsLlfWeights *from, guint8 *host, const guint8 *device,
    Window *to)
{
  const gsize n = from->n, weights = n * from->support;
  const gsize all = (2 * n + 2 * weights) * sizeof (float);
  gint32 *numbers = (gint32 *) host;

  if (!host)
    return all;
  memcpy (numbers, from->start, n * sizeof (gint32));
  memcpy (numbers + n, from->count, n * sizeof (gint32));
  memcpy (numbers + 2 * n, from->a, weights * sizeof (float));
  memcpy (numbers + 2 * n + weights, from->b, weights * sizeof (float));
  to->support = from->support;
  to->start = (const gint32 *) device;
  to->count = to->start + n;
  to->a = (const float *) (to->start + 2 * n);
  to->b = to->a + weights;
  return all;
}

/* Likewise, all levels. */
static gsize
pack_windows (State *state, guint8 *host, const guint8 *device)
{
  const CsLlfWindows *windows = &state->windows;
  gsize used = 0;

  for (guint l = 0; l < 2 * windows->n_levels; l++) {
    const bool is_row = l % 2;

    used += pack_window (is_row ? &windows->rows[l / 2] :
        &windows->columns[l / 2], host ? host + used : NULL,
        host ? device + used : NULL,
        is_row ? &state->rows[l / 2] : &state->columns[l / 2]);
  }
  return used;
}

/* The windows of an exact filter, in device memory. */
static gboolean
ensure_windows (State *state, const CsLlfPyramid *pyramid, GError **error)
{
  const CsLlfLevel *first = pyramid->levels;

  if (!cs_llf_windows_ensure (&state->windows, first->width, first->height,
          error))
    return FALSE;
  if (state->width == first->width && state->height == first->height)
    return TRUE;
  state->width = state->height = 0;
  const gsize size = pack_windows (state, NULL, NULL);
  guint8 *device = (guint8 *) cs_cuda_scratch_ensure (&state->weights, size,
      state->stream, error);
  if (!device)
    return FALSE;
  g_autofree guint8 *host = (guint8 *) cs_try_malloc (size);
  if (!host)
    return cs_fail_no_memory (error, "the weights of windows");
  pack_windows (state, host, device);
  if (!cs_cuda_check (cudaMemcpyAsync (device, host, size,
              cudaMemcpyHostToDevice, state->stream), "upload weights",
          error) ||
      !cs_cuda_check (cudaStreamSynchronize (state->stream), "upload weights",
          error))
    return FALSE;
  state->width = first->width;
  state->height = first->height;
  return TRUE;
}

/* --- Runs ----------------------------------------------------------------- */

static guint
n_blocks (const Level &level, guint each)
{
  return ((gsize) level.width * level.height * each + THREADS - 1) / THREADS;
}

template <int RANK> static void
launch_down (const Args &args, cudaStream_t stream)
{
  down_kernel<RANK> <<<n_blocks (args.coarse, RANK), THREADS, 0, stream>>> (
      args);
}

template <int RANK> static void
launch_up (const Args &args, cudaStream_t stream)
{
  up_kernel<RANK> <<<n_blocks (args.fine, RANK), THREADS, 0, stream>>> (args);
}

static void
launch_exact (const Args &args, cudaStream_t stream)
{
  exact_kernel <<<n_blocks (args.fine, 1), THREADS, 0, stream>>> (args);
}

static gboolean
run_levels (State *state, const CsLlfPyramid *pyramid,
    const Level levels[CS_LLF_MAX_LEVELS], Args *args, GError **error)
{
  const guint rank = state->table->rgb->rank, n = pyramid->n_levels;
  const auto down = rank == 8 ? launch_down<8> : rank == 16 ?
      launch_down<16> : launch_down<32>;
  const auto up = rank == 8 ? launch_up<8> : rank == 16 ? launch_up<16> :
      launch_up<32>;

  args->fine = levels[0];
  args->is_first = true;
  if (!args->v)
    picture_kernel <<<n_blocks (args->fine, 1), THREADS, 0,
        state->stream>>> (*args);
  for (guint l = 0; l + 1 < n; l++) {
    args->fine = levels[l];
    args->coarse = levels[l + 1];
    args->is_first = l == 0;
    down (*args, state->stream);
  }
  for (guint l = n - 1; l-- > 0;) {
    args->fine = levels[l];
    args->coarse = levels[l + 1];
    args->is_first = l == 0;
    args->has_above = l + 2 < n;
    args->columns = state->columns[l];
    args->rows = state->rows[l];
    if (!args->v && args->fine.weight != 0)
      launch_exact (*args, state->stream);
    up (*args, state->stream);
  }
  return cs_cuda_check (cudaGetLastError (), "filter a picture", error);
}

static gboolean
prepare (State *state, CsLlfTable *table, const CsLlfPyramid *pyramid,
    Level levels[CS_LLF_MAX_LEVELS], Args *args, GError **error)
{
  CsCudaCarver carver = { NULL, 0 };

  do
    place (table->rgb, pyramid, &carver, levels, args);
  while (cs_cuda_carve_again (&carver, &state->planes, state->stream, error));
  if (!carver.base || !adopt_table (state, table, error))
    return FALSE;
  place_table (state, args);
  return args->v || ensure_windows (state, pyramid, error);
}

static gboolean
warm_up (void *data, CsLlfTable *table, const CsLlfPyramid *pyramid,
    GError **error)
{
  Level levels[CS_LLF_MAX_LEVELS];
  Args args = Args ();

  return prepare ((State *) data, table, pyramid, levels, &args, error);
}

static gboolean
run (void *data, CsLlfTable *table, const CsLlfRgbJob *job,
    const CsLlfPyramid *pyramid, GError **error)
{
  State *state = (State *) data;
  Level levels[CS_LLF_MAX_LEVELS];
  Args args = Args ();

  args.job = *job;
  args.guard = pyramid->guard;
  return prepare (state, table, pyramid, levels, &args, error) &&
      run_levels (state, pyramid, levels, &args, error);
}

static void *
create (CsExecutor *executor)
{
  State *state = g_new0 (State, 1);

  state->stream = (cudaStream_t) cs_executor_get_stream (executor);
  return state;
}

static void
destroy (void *data)
{
  State *state = (State *) data;

  cs_cuda_scratch_clear (&state->tables, state->stream);
  cs_cuda_scratch_clear (&state->planes, state->stream);
  cs_cuda_scratch_clear (&state->weights, state->stream);
  cs_llf_windows_clear (&state->windows);
  g_clear_pointer (&state->table, cs_llf_table_unref);
  g_free (state);
}

extern "C" const CsLlfRgbBackend cs_llf_rgb_cuda_backend = {
  create, warm_up, run, destroy
};
