/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The factored filter, upsampling: two levels at a time, in tiles.
 */
#include "llf_cuda_rank.cuh"

/* A tile of level l, in cells of 2 x 2; a thread takes two vertically adjacent
 * ones. */
#define CELLS_X 32
#define CELLS_Y 16
#define UP_THREADS (CELLS_X * CELLS_Y / 2)
/* Resident blocks per multiprocessor. */
#define UP_BLOCKS 4
/* The tile's samples of level l + 1 with a halo of two, a whole number of
 * cells; and those of level l + 2. */
#define MID_X (CELLS_X + 4)
#define MID_Y (CELLS_Y + 4)
#define FAR_X (CELLS_X / 2 + 4)
#define FAR_Y (CELLS_Y / 2 + 4)
#define MID_CELLS_X (MID_X / 2)
#define MID_CELLS (MID_X * MID_Y / 4)

struct UpMemory
{
  float4 mid_p[MID_X * MID_Y], far_p[FAR_X * FAR_Y];
  float mid_g[MID_X * MID_Y], mid_c[MID_X * MID_Y];
  float far_g[FAR_X * FAR_Y], far_c[FAR_X * FAR_Y];
  float4 v[LLF_NODES + 2], code_v[1];
};

/* Indices of the samples that a thread loads into a tile of @NX x @NY from
 * (x0, y0) on; -1 outside. */
template <int NX, int NY, bool EDGE> struct Slots
{
  static const int N = (NX * NY + UP_THREADS - 1) / UP_THREADS;
  int from[N];

  static __device__ __forceinline__ bool is_used (int i)
  {
    return (i + 1) * UP_THREADS <= NX * NY ||
        threadIdx.x + i * UP_THREADS < NX * NY;
  }

  __device__ __forceinline__ Slots (int w, int h, int x0, int y0)
  {
#pragma unroll
    for (int i = 0; i < N; i++) {
      const int at = threadIdx.x + i * UP_THREADS, y = at / NX;
      const int px = x0 + at - y * NX, py = y0 + y;

      from[i] = is_used (i) && (!EDGE || ((unsigned) px < (unsigned) w &&
              (unsigned) py < (unsigned) h)) ? py * w + px : -1;
    }
  }

  template <typename S> __device__ __forceinline__ void
      fetch (const S *plane, S got[N]) const
  {
#pragma unroll
    for (int i = 0; i < N; i++) {
      llf_set_zero (&got[i]);
      if (EDGE ? from[i] >= 0 : is_used (i))
        got[i] = plane[from[i]];
    }
  }

  template <typename S, typename V> __device__ __forceinline__ void
      put (const S got[N], V *tile, V (*convert) (S)) const
  {
#pragma unroll
    for (int i = 0; i < N; i++)
      if (is_used (i))
        tile[threadIdx.x + i * UP_THREADS] = convert (got[i]);
  }
};

static __device__ __forceinline__ float
as_is (float v)
{
  return v;
}

/* Two samples from three coarse ones, with weights 1 6 1 and 1 1. */
static __device__ __forceinline__ float4
up_even (float4 a, float4 b, float4 c)
{
  return llf_mad (6.f, b, a + c);
}

static __device__ __forceinline__ float4
up_odd (float4 b, float4 c)
{
  return b + c;
}

/* Position of a coefficient's factors between nodes. */
struct Node
{
  int node;
  float f;
};

static __device__ __forceinline__ Node
node_of (const LlfDevicePyramid &pyramid, float g)
{
  const float at = g * pyramid.to_node;
  const int node = min ((int) at, LLF_NODES);

  return Node { node, at - node };
}

static __device__ __forceinline__ float
node_term (const float4 *v, Node node, float4 own, float4 up, float by,
    float sum)
{
  const float4 low = v[node.node], high = v[node.node + 1];
  const float4 d = make_float4 (fmaf (-by, up.x, own.x),
      fmaf (-by, up.y, own.y), fmaf (-by, up.z, own.z),
      fmaf (-by, up.w, own.w));
  const float4 factor = make_float4 (lerp (low.x, high.x, node.f),
      lerp (low.y, high.y, node.f), lerp (low.z, high.z, node.f),
      lerp (low.w, high.w, node.f));

  return llf_dot (factor, d, sum);
}

static __device__ __forceinline__ float
line_term (const LlfDevicePyramid &pyramid, float g, float up)
{
  const Node node = node_of (pyramid, g);

  return lerp (pyramid.tables.v0[node.node],
      pyramid.tables.v0[node.node + 1], node.f) * (g - up);
}

/* Normalisation of a cell's sums, for columns and rows. */
template <bool EDGE> struct Inverses
{
  float x[2], y[2];

  __device__ __forceinline__ Inverses (int px, int py,
      const LlfDeviceLevel &coarse):
      x { EDGE ? llf_up_inverse (px, coarse.w) : 1.f / 8,
        EDGE ? llf_up_inverse (px + 1, coarse.w) : 1.f / 2 },
      y { EDGE ? llf_up_inverse (py, coarse.h) : 1.f / 8,
        EDGE ? llf_up_inverse (py + 1, coarse.h) : 1.f / 2 }
  {
  }

  __device__ __forceinline__ float operator[] (int q) const
  {
    return x[q % 2] * y[q / 2];
  }
};

/* Adds a group's terms to a cell's coefficients; @own and @node are the
 * cell's. */
template <bool EDGE, typename Own, typename At> static __device__
    __forceinline__ void
cell_terms (const float4 *coarse, int stride, const float4 *v,
    const Inverses<EDGE> &by, Own own, At node, float sums[4])
{
  float4 even[3], odd[3];

#pragma unroll
  for (int r = 0; r < 3; r++) {
    const float4 *row = coarse + r * stride;
    const float4 middle = row[1], right = row[2];

    even[r] = up_even (row[0], middle, right);
    odd[r] = up_odd (middle, right);
  }
  sums[0] = node_term (v, node (0), own (0), up_even (even[0], even[1],
          even[2]), by[0], sums[0]);
  sums[1] = node_term (v, node (1), own (1), up_even (odd[0], odd[1], odd[2]),
      by[1], sums[1]);
  sums[2] = node_term (v, node (2), own (2), up_odd (even[1], even[2]), by[2],
      sums[2]);
  sums[3] = node_term (v, node (3), own (3), up_odd (odd[1], odd[2]), by[3],
      sums[3]);
}

/* A thread's two cells of level 0, not normalised: adds the terms of a group of
 * channels to @sums. */
static __device__ __forceinline__ void
first_terms (const float4 *mid, const float4 *code_v, const int codes[8],
    float sums[8])
{
  float4 even[3], odd[3];

#pragma unroll
  for (int r = 0; r < 4; r++) {
    const float4 *row = mid + r * MID_X;
    const float4 middle = row[1], right = row[2];

    even[r % 3] = up_even (row[0], middle, right);
    odd[r % 3] = up_odd (middle, right);
    if (r >= 2) {
      const int a = (r - 2) % 3, b = (r - 1) % 3, c = r % 3;
      float *s = sums + 4 * (r - 2);
      const int *code = codes + 4 * (r - 2);

      s[0] = llf_dot (code_v[code[0]], up_even (even[a], even[b], even[c]),
          s[0]);
      s[1] = llf_dot (code_v[code[1]], up_even (odd[a], odd[b], odd[c]), s[1]);
      s[2] = llf_dot (code_v[code[2]], up_odd (even[b], even[c]), s[2]);
      s[3] = llf_dot (code_v[code[3]], up_odd (odd[b], odd[c]), s[3]);
    }
  }
}

/* A tile whose first sample of level l + 1 is (x1, y1). If not @EDGE, it is
 * away from borders. */
template <bool FIXED, Source SOURCE, bool GUARDED, bool EDGE> static __device__
    __forceinline__ void
up_tile (const LlfDevicePyramid &pyramid, const LlfDeviceWeights &weights,
    const LlfDeviceFrame &frame, int l, int x1, int y1, bool wait_first,
    UpMemory &memory)
{
  typedef typename Stored<FIXED>::Type S;
  typedef Slots<MID_X, MID_Y, EDGE> MidSlots;
  typedef Slots<FAR_X, FAR_Y, EDGE> FarSlots;
  constexpr bool FIRST = SOURCE != LEVEL;
  const LlfDeviceLevel &level = pyramid.levels[l];
  const LlfDeviceLevel &mid = pyramid.levels[l + 1];
  const bool has_far = !EDGE || l + 2 < pyramid.n;
  const bool has_above = l + 3 < pyramid.n;
  const LlfDeviceLevel &far = pyramid.levels[has_far ? l + 2 : l + 1];
  const int cx = threadIdx.x % CELLS_X, cy = threadIdx.x / CELLS_X * 2;
  const int x = 2 * (x1 + cx), y = 2 * (y1 + cy);
  const int mid_at = (cy + 1) * MID_X + cx + 1;
  /* the cell of level l + 1 of this thread, if any */
  const int mx = threadIdx.x % MID_CELLS_X, my = threadIdx.x / MID_CELLS_X;
  const int own_at = 2 * my * MID_X + 2 * mx, far_at = my * FAR_X + mx;
  const bool has_mid = has_far && threadIdx.x < MID_CELLS;
  const MidSlots mid_slots (mid.w, mid.h, x1 - 2, y1 - 2);
  const FarSlots far_slots (far.w, has_far ? far.h : 0, x1 / 2 - 2, y1 / 2 - 2);
  const Inverses<EDGE> mid_by (x1 - 2 + 2 * mx, y1 - 2 + 2 * my, far);
  float sums[8] = { 0, 0, 0, 0, 0, 0, 0, 0 }, mid_sums[4] = { 0, 0, 0, 0 };
  uint32_t samples[8];

  if (wait_first)
    llf_dependency_sync ();
  llf_trigger_dependents ();
  {
    float mid_g[MidSlots::N], far_g[FarSlots::N];

    mid_slots.fetch (mid.g, mid_g);
    far_slots.fetch (far.g, far_g);
#pragma unroll
    for (int i = 0; i < 8; i++) {
      const int px = EDGE ? min (x + i % 2, level.w - 1) : x + i % 2;
      const int py = EDGE ? min (y + i / 2, level.h - 1) : y + i / 2;

      samples[i] = FIRST ? llf_load<SOURCE == BYTES> (frame, px, py) :
          __float_as_uint (level.g[py * level.w + px]);
    }
    mid_slots.put (mid_g, memory.mid_g, as_is);
    far_slots.put (far_g, memory.far_g, as_is);
  }
  for (int group = 0; group < pyramid.n_groups; group++) {
    const float4 *v = pyramid.tables.v + group * (LLF_NODES + 2);
    const float4 *code_v = pyramid.tables.code_v + group * pyramid.n_codes;
    S mid_p[MidSlots::N], far_p[FarSlots::N];

    mid_slots.fetch ((const S *) mid.p + (size_t) group * mid.w * mid.h, mid_p);
    far_slots.fetch ((const S *) far.p + (size_t) group * far.w * far.h, far_p);
    if (group)
      __syncthreads ();
#pragma unroll 1
    for (int i = threadIdx.x; i < LLF_NODES + 2; i += UP_THREADS)
      memory.v[i] = v[i];
    if (FIRST) {
#pragma unroll 1
      for (int i = threadIdx.x; i < pyramid.n_codes; i += UP_THREADS)
        memory.code_v[i] = code_v[i];
    }
    mid_slots.put (mid_p, memory.mid_p, llf_as_floats);
    far_slots.put (far_p, memory.far_p, llf_as_floats);
    __syncthreads ();
    if (FIRST) {
      int codes[8];

#pragma unroll
      for (int i = 0; i < 8; i++)
        codes[i] = llf_code<SOURCE == BYTES> (frame, pyramid.n_codes,
            samples[i]);
      first_terms (memory.mid_p + mid_at, memory.code_v, codes, sums);
    } else {
      const S *plane = (const S *) level.p + (size_t) group * level.w * level.h;

#pragma unroll
      for (int cell = 0; cell < 2; cell++)
        cell_terms (memory.mid_p + mid_at + cell * MID_X, MID_X, memory.v,
            Inverses<EDGE> (x, y + 2 * cell, mid), [&] (int q) {
              const int px = EDGE ? min (x + q % 2, level.w - 1) : x + q % 2;
              const int py = EDGE ? min (y + 2 * cell + q / 2, level.h - 1) :
                  y + 2 * cell + q / 2;

              return llf_as_floats (plane[py * level.w + px]);
            }, [&] (int q) {
              return node_of (pyramid, __uint_as_float (samples[4 * cell + q]));
            }, sums + 4 * cell);
    }
    if (has_mid)
      cell_terms (memory.far_p + far_at, FAR_X, memory.v, mid_by, [&] (int q) {
            return memory.mid_p[own_at + q / 2 * MID_X + q % 2];
          }, [&] (int q) {
            return node_of (pyramid,
                memory.mid_g[own_at + q / 2 * MID_X + q % 2]);
          }, mid_sums);
  }

  /* the coarser levels are read from here on */
  if (!wait_first)
    llf_dependency_sync ();
  if (has_above) {
    float far_c[FarSlots::N], next[FarSlots::N];

    far_slots.fetch (far.c, far_c);
    for (int k = 1; k < far.n_c; k++) {
      far_slots.fetch (far.c + (size_t) k * far.w * far.h, next);
#pragma unroll
      for (int i = 0; i < FarSlots::N; i++)
        far_c[i] += next[i];
    }
    far_slots.put (far_c, memory.far_c, as_is);
    __syncthreads ();
  }
  if (has_mid) {
    const float weight = weights.level[l + 1];
    float up_g[4], up_c[4] = { 0, 0, 0, 0 };

    llf_up_cell (memory.far_g + far_at, FAR_X, up_g);
    if (has_above)
      llf_up_cell (memory.far_c + far_at, FAR_X, up_c);
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const int at = own_at + q / 2 * MID_X + q % 2;
      const int px = x1 - 2 + 2 * mx + q % 2, py = y1 - 2 + 2 * my + q / 2;
      const float sum = mid_sums[q] + line_term (pyramid, memory.mid_g[at],
          mid_by[q] * up_g[q]);

      memory.mid_c[at] = !EDGE || ((unsigned) px < (unsigned) mid.w &&
          (unsigned) py < (unsigned) mid.h) ?
          fmaf (weight, sum, mid_by[q] * up_c[q]) : 0;
    }
  }
  __syncthreads ();
#pragma unroll
  for (int cell = 0; cell < 2; cell++) {
    const Inverses<EDGE> by (x, y + 2 * cell, mid);
    const int at = mid_at + cell * MID_X;
    const float weight = weights.level[l];
    float up_g[4], up_c[4] = { 0, 0, 0, 0 };

    llf_up_cell (memory.mid_g + at, MID_X, up_g);
    if (has_far)
      llf_up_cell (memory.mid_c + at, MID_X, up_c);
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const int i = 4 * cell + q, px = x + q % 2, py = y + i / 2;

      if (EDGE && (px >= level.w || py >= level.h))
        continue;
      if (FIRST) {
        const float2 own = pyramid.tables.code[llf_code<SOURCE == BYTES> (
                frame, pyramid.n_codes, samples[i])];

        llf_store<SOURCE == BYTES, GUARDED> (frame, px, py, samples[i],
            fmaf (weight, fmaf (-by[q], fmaf (own.y, up_g[q], sums[i]),
                    own.x), by[q] * up_c[q]));
      } else {
        const float g = __uint_as_float (samples[i]);

        level.c[py * level.w + px] = fmaf (weight, sums[i] +
            line_term (pyramid, g, by[q] * up_g[q]), by[q] * up_c[q]);
      }
    }
  }
}

template <bool FIXED, Source SOURCE, bool GUARDED> static __global__ void
    __launch_bounds__ (UP_THREADS, SOURCE != LEVEL ? UP_BLOCKS : 2)
up_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceWeights weights,
    const __grid_constant__ LlfDeviceFrame frame, int l, int wait_first)
{
  extern __shared__ float4 shared[];
  UpMemory &memory = *(UpMemory *) shared;
  const LlfDeviceLevel &mid = pyramid.levels[l + 1];
  const int n_x = (pyramid.levels[l].w + 2 * CELLS_X - 1) / (2 * CELLS_X);
  const int tile_y = blockIdx.x / n_x, tile_x = blockIdx.x - tile_y * n_x;
  const int x1 = tile_x * CELLS_X, y1 = tile_y * CELLS_Y;
  const bool inner = x1 > 0 && y1 > 0 && x1 + MID_X + 2 <= mid.w &&
      y1 + MID_Y + 2 <= mid.h;

  if (inner)
    up_tile<FIXED, SOURCE, GUARDED, false> (pyramid, weights, frame, l, x1, y1,
        wait_first, memory);
  else
    up_tile<FIXED, SOURCE, GUARDED, true> (pyramid, weights, frame, l, x1, y1,
        wait_first, memory);
}

template <bool GUARDED> static const void *
first_function (LlfKind kind)
{
  return kind.bytes ? (const void *) up_kernel<true, BYTES, GUARDED> :
      kind.fixed ? (const void *) up_kernel<true, ANY_SAMPLES, GUARDED> :
      (const void *) up_kernel<false, ANY_SAMPLES, GUARDED>;
}

LlfLaunch
llf_cuda_up (const LlfDevicePyramid *pyramid, LlfKind kind, int l)
{
  const LlfDeviceLevel *level = &pyramid->levels[l];
  const size_t n_x = (level->w + 2 * CELLS_X - 1) / (2 * CELLS_X);
  const size_t n_y = (level->h + 2 * CELLS_Y - 1) / (2 * CELLS_Y);
  const void *function = l == 0 ?
      (kind.guarded ? first_function<true> (kind) :
      first_function<false> (kind)) :
      kind.fixed ? (const void *) up_kernel<true, LEVEL, false> :
      (const void *) up_kernel<false, LEVEL, false>;

  return LlfLaunch { function, dim3 ((unsigned) (n_x * n_y)),
    dim3 (UP_THREADS), offsetof (UpMemory, code_v) +
        (l == 0 ? pyramid->n_codes * sizeof (float4) : 0) };
}
