/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The factored filter. Two levels down at a time, each warp on its own strip of
 * columns; the small levels down and up again, each channel in a block of its
 * own; two levels up at a time, in tiles.
 *
 * For 8 bits P is rounded to 16 bits, so that all sums of it are exact, in any
 * order: a turned image gives the turned result, bit for bit.
 */
#include "llf_cuda.cuh"

#define WARP 32
#define ALL 0xffffffffu

/* --- Down ----------------------------------------------------------------- */

#define DOWN_WARPS 8
/* Columns of level l + 1 that a warp owns; 3 more on either side. */
#define DOWN_COLUMNS 26
#define DOWN_HALO 3
/* Adding this rounds a float to an integer, in its low bits. */
#define ROUNDER 12582912.f

/* The sums of rows, two at a time, with weights 1 4 6 4 1. */
template <typename V> struct Column
{
  V a, b;

  __device__ __forceinline__ void begin (V r0, V r1, V r2)
  {
    a = llf_mad (6.f, r2, llf_mad (4.f, r1, r0));
    b = r2;
  }

  __device__ __forceinline__ V next (V r3, V r4)
  {
    const V sum = llf_mad (4.f, r3, a) + r4;

    a = llf_mad (6.f, r4, llf_mad (4.f, r3, b));
    b = r4;
    return sum;
  }
};

static __device__ __forceinline__ float
from_lane (float v, int by)
{
  return by < 0 ? __shfl_up_sync (ALL, v, -by) : __shfl_down_sync (ALL, v, by);
}

static __device__ __forceinline__ double
from_lane (double v, int by)
{
  return by < 0 ? __shfl_up_sync (ALL, v, -by) : __shfl_down_sync (ALL, v, by);
}

static __device__ __forceinline__ float4
from_lane (float4 v, int by)
{
  return make_float4 (from_lane (v.x, by), from_lane (v.y, by),
      from_lane (v.z, by), from_lane (v.w, by));
}

static __device__ __forceinline__ float4
finish (float4 sum, float by, bool, short4 *)
{
  return make_float4 (fmaf (sum.x, by, ROUNDER) - ROUNDER,
      fmaf (sum.y, by, ROUNDER) - ROUNDER, fmaf (sum.z, by, ROUNDER) - ROUNDER,
      fmaf (sum.w, by, ROUNDER) - ROUNDER);
}

static __device__ __forceinline__ float4
finish (float4 sum, float by, bool, float4 *)
{
  return by * sum;
}

/* Of codes, the first level to multiples of 2^-8, which changes it at borders
 * only; so the second one's sums are exact too. */
static __device__ __forceinline__ float
finish (float sum, float by, bool second, float *)
{
  return second ? sum * by : rintf (sum * (by * 256)) * (1.f / 256);
}

static __device__ __forceinline__ double
finish (double sum, float by, bool, float *)
{
  return (float) (sum * by);
}

static __device__ __forceinline__ void
put (float4 v, short4 *to)
{
  const uint32_t x = __float_as_uint (v.x + ROUNDER);
  const uint32_t y = __float_as_uint (v.y + ROUNDER);
  const uint32_t z = __float_as_uint (v.z + ROUNDER);
  const uint32_t w = __float_as_uint (v.w + ROUNDER);

  *(uint2 *) to = make_uint2 (__byte_perm (x, y, 0x5410),
      __byte_perm (z, w, 0x5410));
}

static __device__ __forceinline__ void
put (float4 v, float4 *to)
{
  *to = v;
}

static __device__ __forceinline__ void
put (float v, float *to)
{
  *to = v;
}

static __device__ __forceinline__ void
put (double v, float *to)
{
  *to = (float) v;
}

/* Two samples of a row of the frame, as codes; n_codes where there is none. */
struct FrameSource
{
  const LlfDeviceFrame &frame;
  int w, h, n_codes;

  typedef uint32_t Raw;

  __device__ __forceinline__ Raw fetch (int x, int y) const
  {
    uint32_t a = n_codes, b = n_codes;

    if ((unsigned) y < (unsigned) h) {
      if ((unsigned) x < (unsigned) w)
        a = llf_code (frame, n_codes, llf_load (frame, x, y));
      if ((unsigned) (x + 1) < (unsigned) w)
        b = llf_code (frame, n_codes, llf_load (frame, x + 1, y));
    }
    return a | b << 16;
  }
};

/* Channels of codes, from a table that has 0 for no code. */
struct ChannelSource : FrameSource
{
  const float4 *table;

  __device__ __forceinline__ ChannelSource (const LlfDeviceFrame &frame, int w,
      int h, int n_codes, const float4 *table):
      FrameSource { frame, w, h, n_codes }, table (table)
  {
  }

  __device__ __forceinline__ void expand (Raw raw, float4 *even,
      float4 *odd) const
  {
    *even = table[raw & 0xffff];
    *odd = table[raw >> 16];
  }
};

struct CodeSource : FrameSource
{
  __device__ __forceinline__ void expand (Raw raw, float *even,
      float *odd) const
  {
    const int a = raw & 0xffff, b = raw >> 16;

    *even = a == n_codes ? 0 : a;
    *odd = b == n_codes ? 0 : b;
  }
};

/* A level in memory. */
template <typename S> struct Pair
{
  S even, odd;
};

template <typename S> struct PlaneSource
{
  const S *plane;
  int w, h;

  typedef Pair<S> Raw;

  __device__ __forceinline__ Raw fetch (int x, int y) const
  {
    Raw raw = { S (), S () };

    if ((unsigned) y < (unsigned) h) {
      const S *at = plane + (size_t) y * w + x;

      if ((unsigned) x < (unsigned) w)
        raw.even = at[0];
      if ((unsigned) (x + 1) < (unsigned) w)
        raw.odd = at[1];
    }
    return raw;
  }

  __device__ __forceinline__ void expand (Raw raw, float4 *even,
      float4 *odd) const
  {
    *even = llf_as_floats (raw.even);
    *odd = llf_as_floats (raw.odd);
  }

  __device__ __forceinline__ void expand (Raw raw, double *even,
      double *odd) const
  {
    *even = raw.even;
    *odd = raw.odd;
  }
};

/* A warp's strip: rows @m0 to @m1 of the second level down. */
template <typename V, typename S, typename Source> static __device__
    __forceinline__ void
down_strip (const Source &source, int w, int h, S *first, S *second,
    int j0, int m0, int m1)
{
  typedef typename Source::Raw Raw;
  const int lane = threadIdx.x % WARP;
  const int w1 = (w + 1) / 2, h1 = (h + 1) / 2;
  const int w2 = (w1 + 1) / 2, h2 = (h1 + 1) / 2;
  const int j = j0 - DOWN_HALO + lane, x = 2 * j;
  const int across1 = llf_down_sum (j, w);
  const int across2 = j & 1 ? 0 : llf_down_sum (j / 2, w1);
  const bool owned = lane >= DOWN_HALO && lane < DOWN_HALO + DOWN_COLUMNS &&
      j < w1;
  Column<V> even, odd, column;
  int i = 2 * m0 - 2, y = 2 * i - 2;
  Raw ahead[4];
  V e[3], o[3];

  auto next_row = [&] (Raw r3, Raw r4) {
    const int down = llf_down_sum (i, h);
    V e3, o3, e4, o4;

    source.expand (r3, &e3, &o3);
    source.expand (r4, &e4, &o4);

    const V te = even.next (e3, e4), to = odd.next (o3, o4);
    const V left = from_lane (llf_mad (4.f, to, te), -1);
    const V sum = llf_mad (6.f, te, llf_mad (4.f, to, left)) +
        from_lane (te, 1);
    V z = finish (sum, llf_inverse (across1 * down, 256), false,
        (S *) nullptr);

    if (across1 == 0 || down == 0)
      z = V ();
    if (owned && i >= 2 * m0 && i < 2 * m1 && i < h1)
      put (z, first + (size_t) i * w1 + j);
    i++;
    return z;
  };

#pragma unroll
  for (int r = 0; r < 3; r++)
    source.expand (source.fetch (x, y + r), &e[r], &o[r]);
  even.begin (e[0], e[1], e[2]);
  odd.begin (o[0], o[1], o[2]);
  y += 3;
#pragma unroll
  for (int r = 0; r < 3; r++, y += 2)
    e[r] = next_row (source.fetch (x, y), source.fetch (x, y + 1));
  column.begin (e[0], e[1], e[2]);
#pragma unroll
  for (int r = 0; r < 4; r++)
    ahead[r] = source.fetch (x, y + r);
  for (int m = m0; m < m1; m++) {
    Raw now[4];

#pragma unroll
    for (int r = 0; r < 4; r++)
      now[r] = ahead[r];
    y += 4;
    if (m + 1 < m1) {
#pragma unroll
      for (int r = 0; r < 4; r++)
        ahead[r] = source.fetch (x, y + r);
    }

    const V r3 = next_row (now[0], now[1]), r4 = next_row (now[2], now[3]);
    const V t = column.next (r3, r4);
    const V left = from_lane (t, -1), right = from_lane (t, 1);
    const V sum = llf_mad (4.f, left + right, llf_mad (6.f, t,
            from_lane (left, -1) + from_lane (right, 1)));
    const int down = llf_down_sum (m, h1);

    if (second && owned && across2 && j / 2 < w2 && m < h2)
      put (finish (sum, llf_inverse (across2 * down, 256), true,
              (S *) nullptr), second + (size_t) m * w2 + j / 2);
  }
}

template <bool FIXED> struct Stored
{
  typedef float4 Type;
};

template <> struct Stored<true>
{
  typedef short4 Type;
};

/* One group of channels, or G, for each y of the grid. */
template <bool FIXED, bool FIRST> static __global__ void
    __launch_bounds__ (DOWN_WARPS * WARP, FIRST ? 3 : 2)
down_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceFrame frame, int l, int rows)
{
  typedef typename Stored<FIXED>::Type S;
  extern __shared__ float4 table[];
  const LlfDeviceLevel &from = pyramid.levels[l], &to = pyramid.levels[l + 1];
  const bool two = l + 2 < pyramid.n;
  const LlfDeviceLevel &last = pyramid.levels[two ? l + 2 : l + 1];
  const int group = blockIdx.y, w = from.w, h = from.h;
  const int n_columns = (to.w + DOWN_COLUMNS - 1) / DOWN_COLUMNS;
  const int strip = blockIdx.x * DOWN_WARPS + threadIdx.x / WARP;
  const int j0 = strip % n_columns * DOWN_COLUMNS;
  const int m0 = strip / n_columns * rows;
  const int m1 = min (m0 + rows, (to.h + 1) / 2);
  const bool channels = group < pyramid.n_groups;

  llf_let_next_start ();
  if (FIRST && channels) {
    for (int i = threadIdx.x; i <= pyramid.n_codes; i += blockDim.x)
      table[i] = i < pyramid.n_codes ?
          pyramid.tables.u[group * pyramid.n_codes + i] : float4 ();
    __syncthreads ();
  }
  if (!FIRST)
    llf_wait ();
  if (m0 >= m1)
    return;
  if (channels) {
    S *first = (S *) to.p + (size_t) group * to.w * to.h;
    S *second = two ? (S *) last.p + (size_t) group * last.w * last.h :
        nullptr;

    if constexpr (FIRST) {
      const ChannelSource source (frame, w, h, pyramid.n_codes, table);

      down_strip<float4, S> (source, w, h, first, second, j0, m0, m1);
    } else {
      const PlaneSource<S> source = {
        (const S *) from.p + (size_t) group * w * h, w, h
      };

      down_strip<float4, S> (source, w, h, first, second, j0, m0, m1);
    }
  } else {
    float *second = two ? last.g : nullptr;

    if constexpr (FIRST) {
      const CodeSource source = { frame, w, h, pyramid.n_codes };

      down_strip<float, float> (source, w, h, to.g, second, j0, m0, m1);
    } else {
      const PlaneSource<float> source = { from.g, w, h };

      down_strip<double, float> (source, w, h, to.g, second, j0, m0, m1);
    }
  }
}

LlfLaunch
llf_cuda_down (const LlfDevicePyramid *pyramid, bool fixed, int l, int *rows)
{
  const LlfDeviceLevel *to = &pyramid->levels[l + 1];
  const int n_columns = (to->w + DOWN_COLUMNS - 1) / DOWN_COLUMNS;
  const int n_rows = (to->h + 1) / 2;
  const size_t table = l == 0 && pyramid->n_groups ?
      (pyramid->n_codes + 1) * sizeof (float4) : 0;
  const void *function = l == 0 ?
      fixed ? (const void *) down_kernel<true, true> :
      (const void *) down_kernel<false, true> :
      fixed ? (const void *) down_kernel<true, false> :
      (const void *) down_kernel<false, false>;
  /* few long strips waste least on their ends, but all multiprocessors are to
   * have some */
  long strips;

  *rows = 16;
  do {
    strips = (long) n_columns * ((n_rows + *rows - 1) / *rows);
    if (strips * (pyramid->n_groups + 1) >= 2048)
      break;
    *rows /= 2;
  } while (*rows > 1);
  strips = (long) n_columns * ((n_rows + *rows - 1) / *rows);
  return LlfLaunch { function,
    dim3 ((unsigned) ((strips + DOWN_WARPS - 1) / DOWN_WARPS),
        pyramid->n_groups + 1), dim3 (DOWN_WARPS * WARP), table };
}

/* --- Small levels --------------------------------------------------------- */

#define COARSE_THREADS 1024

/* Where levels of the pyramids begin in shared memory. */
static __device__ __forceinline__ int
level_size (const LlfDevicePyramid &pyramid, int l)
{
  return pyramid.levels[l].w * pyramid.levels[l].h;
}

/* Coarse sample (j, i) of @fine; in double precision, in which it is exact. */
static __device__ __forceinline__ double
down_sample (const float *fine, int w, int h, int j, int i)
{
  const float taps[] = { 1, 4, 6, 4, 1 };
  double sum = 0;

#pragma unroll
  for (int dy = 0; dy < 5; dy++) {
    const int y = 2 * i - 2 + dy;

    if ((unsigned) y >= (unsigned) h)
      continue;
#pragma unroll
    for (int dx = 0; dx < 5; dx++) {
      const int x = 2 * j - 2 + dx;

      if ((unsigned) x < (unsigned) w)
        sum = llf_mad (taps[dy] * taps[dx], (double) fine[y * w + x], sum);
    }
  }
  return sum;
}

/* The 3 x 3 samples about coarse (j, i), 0 where there is none. */
static __device__ __forceinline__ void
gather (const float *coarse, int w, int h, int j, int i, float c[9])
{
#pragma unroll
  for (int dy = 0; dy < 3; dy++)
#pragma unroll
    for (int dx = 0; dx < 3; dx++) {
      const int x = j - 1 + dx, y = i - 1 + dy;

      c[dy * 3 + dx] = (unsigned) x < (unsigned) w &&
          (unsigned) y < (unsigned) h ? coarse[y * w + x] : 0;
    }
}

static __device__ __forceinline__ float
between (float a, float b, float f)
{
  return fmaf (f, b - a, a);
}

/* The factor of channel @k where G is @g. */
static __device__ __forceinline__ float
factor (const LlfDevicePyramid &pyramid, int k, float g)
{
  const float at = g * ((float) LLF_NODES / (pyramid.n_codes - 1));
  const int node = min ((int) at, LLF_NODES);
  const float f = at - node;

  if (k == pyramid.n_groups * LLF_GROUP)
    return between (pyramid.tables.v0[node], pyramid.tables.v0[node + 1], f);

  const float *v = (const float *) (pyramid.tables.v +
      k / LLF_GROUP * (LLF_NODES + 2) + node) + k % LLF_GROUP;

  return between (v[0], v[LLF_GROUP], f);
}

/* Channel blockIdx.x; the last is G itself. */
template <bool FIXED> static __global__ void
    __launch_bounds__ (COARSE_THREADS, 1)
coarse_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceWeights weights, int first)
{
  typedef typename Stored<FIXED>::Type S;
  extern __shared__ float memory[];
  const int k = blockIdx.x, n = pyramid.n;
  const bool is_g = k == pyramid.n_groups * LLF_GROUP;
  const LlfDeviceLevel &base = pyramid.levels[first];
  const int size = base.w * base.h;
  int total = 0;

  for (int l = first; l < n; l++)
    total += level_size (pyramid, l);

  float *g = memory, *c = memory + total;
  float *p = is_g ? g : memory + 2 * total;

  llf_wait ();
  llf_let_next_start ();
  for (int at = threadIdx.x; at < size; at += COARSE_THREADS) {
    g[at] = base.g[at];
    if (!is_g) {
      const S *group = (const S *) base.p + (size_t) (k / LLF_GROUP) * size;
      const float4 v = llf_as_floats (group[at]);

      p[at] = k & 2 ? k & 1 ? v.w : v.z : k & 1 ? v.y : v.x;
    }
  }
  __syncthreads ();
  for (int l = first, from = 0; l + 1 < n; l++) {
    const int w = pyramid.levels[l].w, h = pyramid.levels[l].h;
    const int w1 = pyramid.levels[l + 1].w;
    const int to = from + w * h, n_items = level_size (pyramid, l + 1);

    for (int at = threadIdx.x; at < n_items * (is_g ? 1 : 2);
        at += COARSE_THREADS) {
      const bool of_p = at >= n_items;
      const int pixel = of_p ? at - n_items : at;
      const int i = pixel / w1, j = pixel - i * w1;
      float *plane = of_p ? p : g;
      const float value = down_sample (plane + from, w, h, j, i) *
          (double) llf_inverse (llf_down_sum (j, w) * llf_down_sum (i, h),
          256);

      plane[to + pixel] = of_p && FIXED ? rintf (value) : value;
    }
    from = to;
    __syncthreads ();
  }
  for (int l = n - 2, above = total - level_size (pyramid, n - 1); l >= first;
      l--) {
    const int w = pyramid.levels[l].w, h = pyramid.levels[l].h;
    const int w1 = pyramid.levels[l + 1].w, h1 = pyramid.levels[l + 1].h;
    const int from = above - w * h;
    const float weight = weights.level[l];

    for (int at = threadIdx.x; at < w1 * h1; at += COARSE_THREADS) {
      const int i = at / w1, j = at - i * w1;
      float around[9], up_p[4], up_c[4] = { 0, 0, 0, 0 };

      gather (p + above, w1, h1, j, i, around);
      llf_up_cell (around, 3, up_p);
      if (l + 2 < n) {
        gather (c + above, w1, h1, j, i, around);
        llf_up_cell (around, 3, up_c);
      }
#pragma unroll
      for (int q = 0; q < 4; q++) {
        const int x = 2 * j + q % 2, y = 2 * i + q / 2;

        if (x < w && y < h) {
          const float by = llf_inverse (llf_up_sum (x, w1) *
              llf_up_sum (y, h1), 64);
          const int pixel = from + y * w + x;
          const float change = weight * factor (pyramid, k, g[pixel]) *
              (p[pixel] - by * up_p[q]) + by * up_c[q];

          c[pixel] = change;
          if (l == first)
            base.c[(size_t) k * size + y * w + x] = change;
        }
      }
    }
    above = from;
    __syncthreads ();
  }
}

LlfLaunch
llf_cuda_coarse (const LlfDevicePyramid *pyramid, bool fixed, int l)
{
  size_t total = 0;

  for (int i = l; i < pyramid->n; i++)
    total += (size_t) pyramid->levels[i].w * pyramid->levels[i].h;
  return LlfLaunch {
    fixed ? (const void *) coarse_kernel<true> :
        (const void *) coarse_kernel<false>,
    dim3 (pyramid->n_groups * LLF_GROUP + 1), dim3 (COARSE_THREADS),
    3 * total * sizeof (float) };
}

/* --- Up ------------------------------------------------------------------- */

/* A tile of level l, in cells of 2 x 2; a thread has two of them, one above the
 * other. */
#define CELLS_X 32
#define CELLS_Y 16
#define UP_THREADS (CELLS_X * CELLS_Y / 2)
/* The samples of level l + 1 that it needs, with two about them, which is cells
 * again; and those of level l + 2. */
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
  float4 code_v[1];
};

/* A tile from sample (x0, y0) of a level on, 0 where there is none. */
template <int NX, int NY, typename S, typename V> static __device__
    __forceinline__ void
load_tile (const S *plane, int w, int h, int x0, int y0, V *tile)
{
  for (int at = threadIdx.x; at < NX * NY; at += UP_THREADS) {
    const int y = at / NX, x = at - y * NX;
    const int px = x0 + x, py = y0 + y;
    V v = V ();

    if ((unsigned) px < (unsigned) w && (unsigned) py < (unsigned) h) {
      if constexpr (sizeof (V) == sizeof (float))
        v = plane[(size_t) py * w + px];
      else
        v = llf_as_floats (plane[(size_t) py * w + px]);
    }
    tile[at] = v;
  }
}

/* The 2 x 2 sums of 3 x 3 samples, of weights that sum to 64. */
static __device__ __forceinline__ void
up_across (const float4 *row, float4 *even, float4 *odd)
{
  const float4 middle = row[1], right = row[2];

  *even = llf_mad (6.f, middle, row[0] + right);
  *odd = 4.f * (middle + right);
}

static __device__ __forceinline__ float4
up_even (float4 top, float4 middle, float4 bottom)
{
  return llf_mad (6.f, middle, top + bottom);
}

static __device__ __forceinline__ float4
up_odd (float4 middle, float4 bottom)
{
  return 4.f * (middle + bottom);
}

/* Where a coefficient's factors are. */
struct Node
{
  int node;
  float f;
};

static __device__ __forceinline__ Node
node_of (const LlfDevicePyramid &pyramid, float g)
{
  const float at = g * ((float) LLF_NODES / (pyramid.n_codes - 1));
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
  const float4 between4 = make_float4 (between (low.x, high.x, node.f),
      between (low.y, high.y, node.f), between (low.z, high.z, node.f),
      between (low.w, high.w, node.f));

  return llf_dot (between4, d, sum);
}

static __device__ __forceinline__ void
cell_weights (int x, int y, int w1, int h1, float by[4])
{
#pragma unroll
  for (int q = 0; q < 4; q++)
    by[q] = llf_inverse (llf_up_sum (x + q % 2, w1) *
        llf_up_sum (y + q / 2, h1), 64);
}

/* Adds a group's terms to the coefficients of the cell at (@x, @y); @own and
 * @node are the cell's. */
template <typename Own, typename At> static __device__ __forceinline__ void
cell_terms (const float4 *coarse, int stride, const float4 *v, int x, int y,
    const LlfDeviceLevel &above, Own own, At node, float sums[4])
{
  float4 even[3], odd[3];
  float by[4];

  cell_weights (x, y, above.w, above.h, by);

#pragma unroll
  for (int r = 0; r < 3; r++)
    up_across (coarse + r * stride, &even[r], &odd[r]);
  sums[0] = node_term (v, node (0), own (0), up_even (even[0], even[1],
          even[2]), by[0], sums[0]);
  sums[1] = node_term (v, node (1), own (1), up_even (odd[0], odd[1], odd[2]),
      by[1], sums[1]);
  sums[2] = node_term (v, node (2), own (2), up_odd (even[1], even[2]), by[2],
      sums[2]);
  sums[3] = node_term (v, node (3), own (3), up_odd (odd[1], odd[2]), by[3],
      sums[3]);
}

static __device__ __forceinline__ float
line_term (const LlfDevicePyramid &pyramid, float g, float up)
{
  const Node node = node_of (pyramid, g);

  return between (pyramid.tables.v0[node.node],
      pyramid.tables.v0[node.node + 1], node.f) * (g - up);
}

/* A thread's two cells of level 0, without scale: adds to @sums what a group of
 * channels has. */
static __device__ __forceinline__ void
first_terms (const float4 *mid, const float4 *code_v, const int codes[8],
    float sums[8])
{
  float4 even[3], odd[3];

  up_across (mid, &even[0], &odd[0]);
  up_across (mid + MID_X, &even[1], &odd[1]);
#pragma unroll
  for (int cell = 0; cell < 2; cell++) {
    float *s = sums + 4 * cell;
    const int *code = codes + 4 * cell;
    const int a = cell, b = (cell + 1) % 3, c = (cell + 2) % 3;

    up_across (mid + (cell + 2) * MID_X, &even[c], &odd[c]);
    s[0] = llf_dot (code_v[code[0]], up_even (even[a], even[b], even[c]),
        s[0]);
    s[1] = llf_dot (code_v[code[1]], up_even (odd[a], odd[b], odd[c]), s[1]);
    s[2] = llf_dot (code_v[code[2]], up_odd (even[b], even[c]), s[2]);
    s[3] = llf_dot (code_v[code[3]], up_odd (odd[b], odd[c]), s[3]);
  }
}

/* All groups' terms: of the tile's own coefficients into @sums, and of the cell
 * of level l + 1 that a thread has into @mid_sums. */
template <bool FIXED, bool FIRST> static __device__ __forceinline__ void
sum_groups (const LlfDevicePyramid &pyramid, UpMemory &memory, int l, int x1,
    int y1, const uint32_t samples[8], const LlfDeviceFrame &frame,
    float sums[8], float mid_sums[4])
{
  typedef typename Stored<FIXED>::Type S;
  const LlfDeviceLevel &level = pyramid.levels[l];
  const LlfDeviceLevel &mid = pyramid.levels[l + 1];
  const bool has_far = l + 2 < pyramid.n;
  const LlfDeviceLevel &far = pyramid.levels[has_far ? l + 2 : l + 1];
  const int cx = threadIdx.x % CELLS_X, cy = threadIdx.x / CELLS_X * 2;
  const int mx = threadIdx.x % MID_CELLS_X, my = threadIdx.x / MID_CELLS_X;

  for (int group = 0; group < pyramid.n_groups; group++) {
    const float4 *v = pyramid.tables.v + group * (LLF_NODES + 2);

    __syncthreads ();
    load_tile<MID_X, MID_Y> ((const S *) mid.p + (size_t) group * mid.w *
        mid.h, mid.w, mid.h, x1 - 2, y1 - 2, memory.mid_p);
    if (has_far)
      load_tile<FAR_X, FAR_Y> ((const S *) far.p + (size_t) group * far.w *
          far.h, far.w, far.h, x1 / 2 - 2, y1 / 2 - 2, memory.far_p);
    if (FIRST)
      for (int i = threadIdx.x; i < pyramid.n_codes; i += UP_THREADS)
        memory.code_v[i] = pyramid.tables.code_v[group * pyramid.n_codes + i];
    __syncthreads ();
    if (FIRST) {
      int codes[8];

#pragma unroll
      for (int i = 0; i < 8; i++)
        codes[i] = llf_code (frame, pyramid.n_codes, samples[i]);
      first_terms (memory.mid_p + (cy + 1) * MID_X + cx + 1, memory.code_v,
          codes, sums);
    } else {
      const S *plane = (const S *) level.p + (size_t) group * level.w *
          level.h;

#pragma unroll
      for (int cell = 0; cell < 2; cell++)
        cell_terms (memory.mid_p + (cy + cell + 1) * MID_X + cx + 1, MID_X, v,
            2 * (x1 + cx), 2 * (y1 + cy + cell), mid, [&] (int q) {
              const int x = min (2 * (x1 + cx) + q % 2, level.w - 1);
              const int y = min (2 * (y1 + cy + cell) + q / 2, level.h - 1);

              return llf_as_floats (plane[(size_t) y * level.w + x]);
            }, [&] (int q) {
              return node_of (pyramid,
                  __uint_as_float (samples[4 * cell + q]));
            }, sums + 4 * cell);
    }
    if (has_far && threadIdx.x < MID_CELLS)
      cell_terms (memory.far_p + my * FAR_X + mx, FAR_X, v, x1 - 2 + 2 * mx,
          y1 - 2 + 2 * my, far, [&] (int q) {
            return memory.mid_p[(2 * my + q / 2) * MID_X + 2 * mx + q % 2];
          }, [&] (int q) {
            return node_of (pyramid,
                memory.mid_g[(2 * my + q / 2) * MID_X + 2 * mx + q % 2]);
          }, mid_sums);
  }
}

template <bool FIXED, bool FIRST> static __global__ void
    __launch_bounds__ (UP_THREADS, FIRST ? 3 : 2)
up_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceWeights weights,
    const __grid_constant__ LlfDeviceFrame frame, int l, int wait_first)
{
  extern __shared__ float4 shared[];
  UpMemory &memory = *(UpMemory *) shared;
  const LlfDeviceLevel &level = pyramid.levels[l];
  const LlfDeviceLevel &mid = pyramid.levels[l + 1];
  const bool has_far = l + 2 < pyramid.n, has_above = l + 3 < pyramid.n;
  const LlfDeviceLevel &far = pyramid.levels[has_far ? l + 2 : l + 1];
  const int n_x = (level.w + 2 * CELLS_X - 1) / (2 * CELLS_X);
  const int tile_y = blockIdx.x / n_x, tile_x = blockIdx.x - tile_y * n_x;
  /* the tile's first sample of level l + 1 */
  const int x1 = tile_x * CELLS_X, y1 = tile_y * CELLS_Y;
  const int cx = threadIdx.x % CELLS_X, cy = threadIdx.x / CELLS_X * 2;
  const int mx = threadIdx.x % MID_CELLS_X, my = threadIdx.x / MID_CELLS_X;
  const bool has_mid = has_far && threadIdx.x < MID_CELLS;
  float sums[8] = { 0, 0, 0, 0, 0, 0, 0, 0 }, mid_sums[4] = { 0, 0, 0, 0 };
  uint32_t samples[8];
  float by[4], up[4];

  if (wait_first)
    llf_wait ();
  llf_let_next_start ();
  load_tile<MID_X, MID_Y> (mid.g, mid.w, mid.h, x1 - 2, y1 - 2, memory.mid_g);
  if (has_far)
    load_tile<FAR_X, FAR_Y> (far.g, far.w, far.h, x1 / 2 - 2, y1 / 2 - 2,
        memory.far_g);
#pragma unroll
  for (int i = 0; i < 8; i++) {
    const int x = min (2 * (x1 + cx) + i % 2, level.w - 1);
    const int y = min (2 * (y1 + cy) + i / 2, level.h - 1);

    samples[i] = FIRST ? llf_load (frame, x, y) :
        __float_as_uint (level.g[(size_t) y * level.w + x]);
  }
  __syncthreads ();
  if (has_mid) {
    cell_weights (x1 - 2 + 2 * mx, y1 - 2 + 2 * my, far.w, far.h, by);
    llf_up_cell (memory.far_g + my * FAR_X + mx, FAR_X, up);
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const float g = memory.mid_g[(2 * my + q / 2) * MID_X + 2 * mx + q % 2];

      mid_sums[q] = line_term (pyramid, g, by[q] * up[q]);
    }
  }
  sum_groups<FIXED, FIRST> (pyramid, memory, l, x1, y1, samples, frame, sums,
      mid_sums);

  /* here what the levels above have must be there */
  if (!wait_first)
    llf_wait ();
  if (has_above) {
    for (int at = threadIdx.x; at < FAR_X * FAR_Y; at += UP_THREADS) {
      const int y = y1 / 2 - 2 + at / FAR_X, x = x1 / 2 - 2 + at % FAR_X;
      float sum = 0;

      if ((unsigned) x < (unsigned) far.w && (unsigned) y < (unsigned) far.h)
        for (int k = 0; k < far.n_c; k++)
          sum += far.c[((size_t) k * far.h + y) * far.w + x];
      memory.far_c[at] = sum;
    }
    __syncthreads ();
  }
  if (has_mid) {
    const float weight = weights.level[l + 1];

    cell_weights (x1 - 2 + 2 * mx, y1 - 2 + 2 * my, far.w, far.h, by);
    if (has_above)
      llf_up_cell (memory.far_c + my * FAR_X + mx, FAR_X, up);
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const int x = x1 - 2 + 2 * mx + q % 2, y = y1 - 2 + 2 * my + q / 2;
      const float above = has_above ? by[q] * up[q] : 0;

      memory.mid_c[(2 * my + q / 2) * MID_X + 2 * mx + q % 2] =
          (unsigned) x < (unsigned) mid.w && (unsigned) y <
          (unsigned) mid.h ? fmaf (weight, mid_sums[q], above) : 0;
    }
  }
  __syncthreads ();
#pragma unroll
  for (int cell = 0; cell < 2; cell++) {
    const int at = (cy + cell + 1) * MID_X + cx + 1;
    const float weight = weights.level[l];
    float above[4] = { 0, 0, 0, 0 };

    llf_up_cell (memory.mid_g + at, MID_X, up);
    if (has_far)
      llf_up_cell (memory.mid_c + at, MID_X, above);
    cell_weights (2 * (x1 + cx), 2 * (y1 + cy + cell), mid.w, mid.h, by);
#pragma unroll
    for (int q = 0; q < 4; q++) {
      const int i = 4 * cell + q;
      const int x = 2 * (x1 + cx) + q % 2, y = 2 * (y1 + cy + cell) + q / 2;
      float change;

      if (x >= level.w || y >= level.h)
        continue;
      if (FIRST) {
        const float2 own = pyramid.tables.code[llf_code (frame,
                pyramid.n_codes, samples[i])];

        change = fmaf (weight, fmaf (-by[q], fmaf (own.y, up[q], sums[i]),
                own.x), by[q] * above[q]);
        llf_store (frame, x, y, samples[i], change);
      } else {
        change = fmaf (weight, sums[i] + line_term (pyramid,
                __uint_as_float (samples[i]), by[q] * up[q]),
            by[q] * above[q]);
        level.c[(size_t) y * level.w + x] = change;
      }
    }
  }
}

LlfLaunch
llf_cuda_up (const LlfDevicePyramid *pyramid, bool fixed, int l)
{
  const LlfDeviceLevel *level = &pyramid->levels[l];
  const size_t n_x = (level->w + 2 * CELLS_X - 1) / (2 * CELLS_X);
  const size_t n_y = (level->h + 2 * CELLS_Y - 1) / (2 * CELLS_Y);
  const void *function = l == 0 ?
      fixed ? (const void *) up_kernel<true, true> :
      (const void *) up_kernel<false, true> :
      fixed ? (const void *) up_kernel<true, false> :
      (const void *) up_kernel<false, false>;

  return LlfLaunch { function, dim3 ((unsigned) (n_x * n_y)),
    dim3 (UP_THREADS), offsetof (UpMemory, code_v) +
        (l == 0 ? pyramid->n_codes * sizeof (float4) : 0) };
}
