/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The factored filter. Downsampling by two levels at a time, each warp on its
 * own strip of columns; all small levels down and up again, one block per
 * channel; upsampling by two levels at a time, in tiles.
 *
 * For 8 bits P is rounded to 16 bits, so that its sums are exact in any order:
 * filtering commutes with rotation and reflection, bit for bit.
 */
#include "base/cuda_warp.cuh"
#include "llf_cuda.cuh"

#define WARP 32

/* --- Down ----------------------------------------------------------------- */

#define DOWN_WARPS 4
/* A lane has four columns of level l, two of level l + 1 and one of level l +
 * 2; the outer lanes of a warp are a halo. */
#define DOWN_LEFT 2
#define DOWN_LANES 29
/* Resident warps of a large GPU. */
#define RESIDENT_WARPS 2112
/* Adding this rounds a float to an integer in its low bits: 1.5 * 2^23. */
#define ROUND_MAGIC 12582912.f

/* Vertical sums with weights 1 4 6 4 1, fed two rows at a time; valid from the
 * third call on. */
template <typename V> struct Column
{
  V a, b;

  __device__ __forceinline__ Column (): a (), b ()
  {
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
  return by < 0 ? __shfl_up_sync (CS_ALL_LANES, v, -by) :
      __shfl_down_sync (CS_ALL_LANES, v, by);
}

static __device__ __forceinline__ uint32_t
from_lane (uint32_t v, int by)
{
  return by < 0 ? __shfl_up_sync (CS_ALL_LANES, v, -by) :
      __shfl_down_sync (CS_ALL_LANES, v, by);
}

static __device__ __forceinline__ float4
from_lane (float4 v, int by)
{
  return make_float4 (from_lane (v.x, by), from_lane (v.y, by),
      from_lane (v.z, by), from_lane (v.w, by));
}

static __device__ __forceinline__ float4
finish (float4 sum, float by, bool, uint2 *)
{
  return make_float4 (fmaf (sum.x, by, ROUND_MAGIC) - ROUND_MAGIC,
      fmaf (sum.y, by, ROUND_MAGIC) - ROUND_MAGIC,
      fmaf (sum.z, by, ROUND_MAGIC) - ROUND_MAGIC,
      fmaf (sum.w, by, ROUND_MAGIC) - ROUND_MAGIC);
}

static __device__ __forceinline__ float4
finish (float4 sum, float by, bool, float4 *)
{
  return by * sum;
}

/* Of codes: the first level is rounded to multiples of 2^-8, which matters at
 * borders only, so that the second one's sums are exact, too. */
static __device__ __forceinline__ float
finish (float sum, float by, bool second, float *)
{
  return second ? sum * by : rintf (sum * (by * 256)) * (1.f / 256);
}

/* Of integers; exact. */
static __device__ __forceinline__ uint32_t
finish (uint32_t sum, float by, bool, float *)
{
  return by == 1.f / 256 ? (sum >> 8) + (sum >> 7 & 1) :
      (uint32_t) fmaf ((float) sum, by, .5f);
}

static __device__ __forceinline__ void
put (float4 v, uint2 *to, float)
{
  const float by = ROUND_MAGIC + LLF_BIAS;

  *to = make_uint2 (__byte_perm (__float_as_uint (v.x + by),
          __float_as_uint (v.y + by), 0x5410),
      __byte_perm (__float_as_uint (v.z + by), __float_as_uint (v.w + by),
          0x5410));
}

static __device__ __forceinline__ void
put (float4 v, float4 *to, float)
{
  *to = v;
}

static __device__ __forceinline__ void
put (float v, float *to, float)
{
  *to = v;
}

static __device__ __forceinline__ void
put (uint32_t v, float *to, float unit)
{
  *to = (float) v * unit;
}

/* Four samples of a row of the frame, from column x on, as codes; n_codes
 * outside. If not @EDGE, all of them are inside. Loads are issued by fetch and
 * used a step later, when expanded. */
template <bool BYTES, bool EDGE> struct FrameSource
{
  const LlfDeviceFrame &frame;
  int w, h, n_codes, x;

  struct Raw
  {
    uint32_t low, high;
    bool has_row;
  };

  __device__ __forceinline__ uint32_t code (int px, int py) const
  {
    return llf_code<BYTES> (frame, n_codes, llf_load<BYTES> (frame,
            EDGE ? min (max (px, 0), w - 1) : px, py));
  }

  __device__ __forceinline__ Raw fetch (int y) const
  {
    const int row = EDGE ? min (max (y, 0), h - 1) : y;
    Raw raw = { 0, 0, y == row };

    if (BYTES && EDGE && x < w && x + 4 > w && row == h - 1) {
      /* a word may extend beyond the frame */
#pragma unroll 1
      for (int k = 0; k < 4; k++)
        raw.low |= code (x + k, row) << 8 * k;
    } else if (BYTES) {
      if (!EDGE || (unsigned) x < (unsigned) w)
        raw.low = *(const uint32_t *) (frame.in + (uint32_t) row *
            (uint32_t) frame.in_row + x);
    } else {
      raw.low = code (x, row) | code (x + 1, row) << 16;
      raw.high = code (x + 2, row) | code (x + 3, row) << 16;
    }
    return raw;
  }

  __device__ __forceinline__ uint32_t pick (const Raw &raw, int k) const
  {
    const uint32_t code = BYTES ? raw.low >> 8 * k & 0xff :
        (k < 2 ? raw.low : raw.high) >> k % 2 * 16 & 0xffff;

    return !EDGE || (raw.has_row & ((unsigned) (x + k) < (unsigned) w)) ?
        code : n_codes;
  }
};

/* Channels of codes, from a table with 0 for missing samples. */
template <bool BYTES, bool EDGE> struct ChannelSource :
    FrameSource<BYTES, EDGE>
{
  typedef typename FrameSource<BYTES, EDGE>::Raw Raw;
  const float4 *table;

  __device__ __forceinline__ ChannelSource (const LlfDeviceFrame &frame, int w,
      int h, int n_codes, int x, const float4 *table):
      FrameSource<BYTES, EDGE> { frame, w, h, n_codes, x }, table (table)
  {
  }

  __device__ __forceinline__ float4 expand (const Raw &raw, int k) const
  {
    return table[this->pick (raw, k)];
  }
};

template <bool BYTES, bool EDGE> struct CodeSource : FrameSource<BYTES, EDGE>
{
  typedef typename FrameSource<BYTES, EDGE>::Raw Raw;

  __device__ __forceinline__ float expand (const Raw &raw, int k) const
  {
    const int code = this->pick (raw, k);

    return EDGE && code == this->n_codes ? 0 : code;
  }
};

/* A level in memory: channels, or G. */
template <typename S, bool EDGE> struct PlaneSource
{
  const S *plane;
  int w, h, x;
  float units;

  struct Raw
  {
    S v[4];
  };

  __device__ __forceinline__ Raw fetch (int y) const
  {
    const S *at = plane + (ptrdiff_t) y * w + x;
    const bool has_row = (unsigned) y < (unsigned) h;
    Raw raw;

#pragma unroll
    for (int k = 0; k < 4; k++) {
      llf_set_zero (&raw.v[k]);
      if (!EDGE || (has_row && (unsigned) (x + k) < (unsigned) w))
        raw.v[k] = at[k];
    }
    return raw;
  }

  __device__ __forceinline__ auto expand (const Raw &raw, int k) const
  {
    if constexpr (sizeof (S) == sizeof (float))
      return (uint32_t) (raw.v[k] * units);
    else
      return llf_as_floats (raw.v[k]);
  }
};

/* A warp's strip: columns from @j0 on of level l + 2, rows @m0 to @m1. */
struct Strip
{
  int j0, m0, m1;

  /* Whether no sample is at a border. */
  __device__ __forceinline__ bool is_inner (int w, int h) const
  {
    return j0 > DOWN_LEFT && m0 > 2 && 4 * (j0 + WARP) + 4 < w &&
        4 * m1 + 12 < h;
  }
};

template <typename V, bool EDGE, typename S, typename From> static __device__
    __forceinline__ void
down_strip (const From &source, int w, int h, S *first, S *second,
    const Strip &strip, float unit = 1)
{
  typedef typename From::Raw Raw;
  const int lane = threadIdx.x % WARP, m0 = strip.m0, m1 = strip.m1;
  const int w1 = (w + 1) / 2, h1 = (h + 1) / 2;
  const int w2 = (w1 + 1) / 2, h2 = (h1 + 1) / 2;
  /* columns of level l + 2, and of level l + 1 */
  const int c = strip.j0 - DOWN_LEFT + lane, j = 2 * c;
  const bool owned = lane >= DOWN_LEFT && lane < DOWN_LEFT + DOWN_LANES;
  const bool has[2] = { !EDGE || (j >= 0 && j < w1),
    !EDGE || (j >= 0 && j + 1 < w1)
  };
  const bool has_second = second && owned && has[0];
  float across[2] = { 1.f / 16, 1.f / 16 }, across2 = 1.f / 16;
  Column<V> columns[4], seconds[2];
  Raw ahead[4];
  /* last rows completed by the next step */
  int i = 2 * (m0 - 2) - 1, y = 2 * i + 1;

  if (EDGE) {
    across[0] = llf_inverse (llf_down_sum (j, w), 16);
    across[1] = llf_inverse (llf_down_sum (j + 1, w), 16);
    across2 = llf_inverse (llf_down_sum (c, w1), 16);
  }

  auto next_row = [&] (const Raw &r3, const Raw &r4, V out[2]) {
    const int down_sum = EDGE ? llf_down_sum (i, h) : 16;
    const float down = EDGE ? llf_inverse (down_sum, 16) : 1.f / 16;
    V t[4];

#pragma unroll
    for (int k = 0; k < 4; k++)
      t[k] = columns[k].next (source.expand (r3, k), source.expand (r4, k));

    const V left = from_lane (llf_mad (4.f, t[3], t[2]), -1);
    const V right = from_lane (t[0], 1);

    out[0] = llf_mad (6.f, t[0], llf_mad (4.f, t[1], t[2] + left));
    out[1] = llf_mad (6.f, t[2], llf_mad (4.f, t[1] + t[3], t[0] + right));
#pragma unroll
    for (int k = 0; k < 2; k++) {
      out[k] = finish (out[k], across[k] * down, false, (S *) nullptr);
      if (EDGE && (!has[k] || !down_sum))
        out[k] = V ();
      if (owned && has[k] && i >= 2 * m0 && i < 2 * m1 && (!EDGE || i < h1))
        put (out[k], first + (size_t) i * w1 + j + k, unit);
    }
    i++;
  };

#pragma unroll
  for (int r = 0; r < 4; r++)
    ahead[r] = source.fetch (y + r);
#pragma unroll 1
  for (int m = m0 - 3; m < m1; m++) {
    Raw now[4];
    V z[2][2];

#pragma unroll
    for (int r = 0; r < 4; r++)
      now[r] = ahead[r];
    y += 4;
    if (m + 1 < m1) {
#pragma unroll
      for (int r = 0; r < 4; r++)
        ahead[r] = source.fetch (y + r);
    }
    next_row (now[0], now[1], z[0]);
    next_row (now[2], now[3], z[1]);

    const V t0 = seconds[0].next (z[0][0], z[1][0]);
    const V t1 = seconds[1].next (z[0][1], z[1][1]);
    const V left = from_lane (llf_mad (4.f, t1, t0), -1);
    const V sum = llf_mad (6.f, t0, llf_mad (4.f, t1, left)) +
        from_lane (t0, 1);

    if (has_second && m >= m0 && (!EDGE || m < h2))
      put (finish (sum, across2 * (EDGE ? llf_inverse (llf_down_sum (m, h1),
                      16) : 1.f / 16), true, (S *) nullptr),
          second + (size_t) m * w2 + c, unit);
  }
}

/* Source of samples. */
enum Source
{
  LEVEL,
  BYTES,
  ANY_SAMPLES,
};

template <bool FIXED> struct Stored
{
  typedef float4 Type;
};

template <> struct Stored<true>
{
  typedef uint2 Type;
};

template <bool FIXED, Source SOURCE, bool EDGE> static __device__
    __forceinline__ void
down_any (const LlfDevicePyramid &pyramid, const LlfDeviceFrame &frame, int l,
    const Strip &strip, const float4 *table)
{
  typedef typename Stored<FIXED>::Type S;
  const LlfDeviceLevel &from = pyramid.levels[l], &to = pyramid.levels[l + 1];
  const bool two = l + 2 < pyramid.n;
  const LlfDeviceLevel &last = pyramid.levels[two ? l + 2 : l + 1];
  const int group = blockIdx.y, w = from.w, h = from.h;
  const int x = 4 * (strip.j0 - DOWN_LEFT + (int) (threadIdx.x % WARP));

  if (group < pyramid.n_groups) {
    S *first = (S *) to.p + (size_t) group * to.w * to.h;
    S *second = two ? (S *) last.p + (size_t) group * last.w * last.h :
        nullptr;

    if constexpr (SOURCE != LEVEL) {
      const ChannelSource<SOURCE == BYTES, EDGE> source (frame, w, h,
          pyramid.n_codes, x, table);

      down_strip<float4, EDGE, S> (source, w, h, first, second, strip);
    } else {
      const PlaneSource<S, EDGE> source = {
        (const S *) from.p + (size_t) group * w * h, w, h, x, 0
      };

      down_strip<float4, EDGE, S> (source, w, h, first, second, strip);
    }
  } else {
    float *second = two ? last.g : nullptr;

    if constexpr (SOURCE != LEVEL) {
      const CodeSource<SOURCE == BYTES, EDGE> source = {
        { frame, w, h, pyramid.n_codes, x }
      };

      down_strip<float, EDGE, float> (source, w, h, to.g, second, strip);
    } else {
      /* the sum of weights is 256: no overflow of 32 bits */
      const float units = pyramid.n_codes <= 256 ? 65536 : 16384;
      const PlaneSource<float, EDGE> source = { from.g, w, h, x, units };

      down_strip<uint32_t, EDGE, float> (source, w, h, to.g, second, strip,
          1 / units);
    }
  }
}

/* One group of channels, or G, per y of the grid. */
template <bool FIXED, Source SOURCE> static __global__ void
    __launch_bounds__ (DOWN_WARPS * WARP, SOURCE != LEVEL ? 4 : 2)
down_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceFrame frame, int l, int rows)
{
  extern __shared__ float4 table[];
  const LlfDeviceLevel &from = pyramid.levels[l], &to = pyramid.levels[l + 1];
  const int n_columns = ((to.w + 1) / 2 + DOWN_LANES - 1) / DOWN_LANES;
  const int index = blockIdx.x * DOWN_WARPS + threadIdx.x / WARP;
  const int row = index / n_columns;
  const Strip strip = {
    (index - row * n_columns) * DOWN_LANES, row * rows,
    min ((row + 1) * rows, (to.h + 1) / 2)
  };

  llf_trigger_dependents ();
  if (SOURCE != LEVEL && (int) blockIdx.y < pyramid.n_groups) {
    const float4 *u = pyramid.tables.u + blockIdx.y * pyramid.n_codes;

    for (int i = threadIdx.x; i <= pyramid.n_codes; i += blockDim.x)
      table[i] = i < pyramid.n_codes ? u[i] : float4 ();
    __syncthreads ();
  }
  if (SOURCE == LEVEL)
    llf_dependency_sync ();
  if (strip.m0 >= strip.m1)
    return;
  if (strip.is_inner (from.w, from.h))
    down_any<FIXED, SOURCE, false> (pyramid, frame, l, strip, table);
  else
    down_any<FIXED, SOURCE, true> (pyramid, frame, l, strip, table);
}

LlfLaunch
llf_cuda_down (const LlfDevicePyramid *pyramid, LlfKind kind, int l, int *rows)
{
  const LlfDeviceLevel *to = &pyramid->levels[l + 1];
  const int n_columns = ((to->w + 1) / 2 + DOWN_LANES - 1) / DOWN_LANES;
  const int n_rows = (to->h + 1) / 2;
  const size_t table = l == 0 && pyramid->n_groups ?
      (pyramid->n_codes + 1) * sizeof (float4) : 0;
  const void *function = l == 0 ?
      kind.bytes ? (const void *) down_kernel<true, BYTES> :
      kind.fixed ? (const void *) down_kernel<true, ANY_SAMPLES> :
      (const void *) down_kernel<false, ANY_SAMPLES> :
      kind.fixed ? (const void *) down_kernel<true, LEVEL> :
      (const void *) down_kernel<false, LEVEL>;
  /* longer strips have less overhead at their ends, but all resident warps
   * should have one */
  long strips;

  for (*rows = 2; *rows < 16; (*rows)++) {
    strips = (long) n_columns * ((n_rows + *rows - 1) / *rows);
    if (strips * (pyramid->n_groups + 1) <= RESIDENT_WARPS)
      break;
  }
  strips = (long) n_columns * ((n_rows + *rows - 1) / *rows);
  return LlfLaunch { function,
    dim3 ((unsigned) ((strips + DOWN_WARPS - 1) / DOWN_WARPS),
        pyramid->n_groups + 1), dim3 (DOWN_WARPS * WARP), table };
}

/* --- Small levels --------------------------------------------------------- */

#define COARSE_THREADS 1024
/* Zero padding around a level in shared memory. */
#define PADDING 2

/* A level in shared memory: its row stride, and its first sample's offset. */
static __device__ __forceinline__ int
padded_stride (int w)
{
  return w + 2 * PADDING;
}

static __host__ __device__ __forceinline__ int
padded_size (int w, int h)
{
  return (w + 2 * PADDING) * (h + 2 * PADDING);
}

static __device__ __forceinline__ int
padded_origin (int w)
{
  return PADDING * padded_stride (w) + PADDING;
}

/* Weighted sum of 5 x 5 samples around @c; the weights sum to 256. Bitwise
 * invariant under rotation and reflection. */
static __device__ __forceinline__ float
sum_25 (const float *c, int stride)
{
  const float *n = c - stride, *nn = n - stride, *s = c + stride;
  const float *ss = s + stride;
  const float corners = (nn[-2] + ss[2]) + (nn[2] + ss[-2]);
  const float ends = (nn[0] + c[-2]) + (ss[0] + c[2]);
  const float knights = ((nn[-1] + n[-2]) + (nn[1] + s[-2])) +
      ((n[2] + ss[-1]) + (s[2] + ss[1]));
  const float diagonals = (n[-1] + s[1]) + (n[1] + s[-1]);
  const float sides = (n[0] + c[-1]) + (s[0] + c[1]);

  return fmaf (36.f, c[0], fmaf (24.f, sides, fmaf (16.f, diagonals,
              fmaf (6.f, ends, fmaf (4.f, knights, corners)))));
}

static __device__ __forceinline__ float
lerp (float a, float b, float f)
{
  return fmaf (f, b - a, a);
}

/**
 * CoarseLevel:
 * @at: offset of its first sample in each of the pyramids
 * @by_width: 1 / w
 */
struct CoarseLevel
{
  int w, h, stride, at;
  float by_width;

  /* Row and column of sample @item; floats are exact for so few. */
  __device__ __forceinline__ int2 place (int item) const
  {
    const int y = (int) ((item + .5f) * by_width);

    return make_int2 (item - y * w, y);
  }
};

/* Downsamples @fine by all threads: G, then the channel. */
template <bool FIXED> static __device__ __forceinline__ void
coarse_down (const CoarseLevel fine, const CoarseLevel coarse, float *g,
    float *p, bool is_g)
{
  const int n = coarse.w * coarse.h;

#pragma unroll 1
  for (int item = threadIdx.x; item < (is_g ? n : 2 * n);
      item += COARSE_THREADS) {
    const bool of_p = item >= n;
    const int2 at = coarse.place (of_p ? item - n : item);
    float *plane = of_p ? p : g;
    const float by = llf_inverse (llf_down_sum (at.x, fine.w), 16) *
        llf_inverse (llf_down_sum (at.y, fine.h), 16);
    const float value = by * sum_25 (plane + fine.at + 2 * (at.y *
            fine.stride + at.x), fine.stride);

    plane[coarse.at + at.y * coarse.stride + at.x] =
        of_p && FIXED ? rintf (value) : value;
  }
  __syncthreads ();
}

/* The coefficients of @fine plus the coarser levels; also into @out, if any. */
static __device__ __forceinline__ void
coarse_up (const CoarseLevel fine, const CoarseLevel coarse, const float *g,
    const float *p, float *c, const float *v, float to_node, float weight,
    float *out)
{
#pragma unroll 1
  for (int item = threadIdx.x; item < fine.w * fine.h;
      item += COARSE_THREADS) {
    const int2 at = fine.place (item);
    const int corner = coarse.at + ((at.y >> 1) - 1) * coarse.stride +
        (at.x >> 1) - 1;
    const int pixel = fine.at + at.y * fine.stride + at.x;
    const int q = (at.y & 1) * 2 + (at.x & 1);
    const float node_at = g[pixel] * to_node;
    const int node = min ((int) node_at, LLF_NODES);
    const float by = llf_up_inverse (at.x, coarse.w) *
        llf_up_inverse (at.y, coarse.h);
    float up_p[4], up_c[4];

    llf_up_cell (p + corner, coarse.stride, up_p);
    llf_up_cell (c + corner, coarse.stride, up_c);

    const float sum_p = q & 2 ? q & 1 ? up_p[3] : up_p[2] : q & 1 ? up_p[1] :
        up_p[0];
    const float sum_c = q & 2 ? q & 1 ? up_c[3] : up_c[2] : q & 1 ? up_c[1] :
        up_c[0];
    const float change = fmaf (weight * lerp (v[node], v[node + 1],
            node_at - node), fmaf (-by, sum_p, p[pixel]), by * sum_c);

    c[pixel] = change;
    if (out)
      out[item] = change;
  }
  __syncthreads ();
}

/* Channel blockIdx.x; the last is G itself. */
template <bool FIXED> static __global__ void
    __launch_bounds__ (COARSE_THREADS, 1)
coarse_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceWeights weights, int first)
{
  typedef typename Stored<FIXED>::Type S;
  extern __shared__ float4 memory4[];
  float *memory = (float *) memory4;
  __shared__ float v[LLF_NODES + 2];
  __shared__ CoarseLevel levels[LLF_MAX_LEVELS];
  const int k = blockIdx.x, n = pyramid.n;
  const bool is_g = k == pyramid.n_groups * LLF_GROUP;
  const LlfDeviceLevel &base = pyramid.levels[first];
  const int size = base.w * base.h;
  int total = 0;

#pragma unroll 1
  for (int l = first; l < n; l++) {
    const int w = pyramid.levels[l].w, h = pyramid.levels[l].h;

    if (threadIdx.x == 0)
      levels[l] = CoarseLevel { w, h, padded_stride (w),
        total + padded_origin (w), 1.f / w };
    total += padded_size (w, h);
  }

  float *g = memory, *c = memory + total;
  float *p = is_g ? g : memory + 2 * total;

#pragma unroll 4
  for (int at = threadIdx.x; at < (3 * total + 3) / 4; at += COARSE_THREADS)
    memory4[at] = make_float4 (0, 0, 0, 0);
  for (int at = threadIdx.x; at < LLF_NODES + 2; at += COARSE_THREADS)
    v[at] = is_g ? pyramid.tables.v0[at] :
        ((const float *) (pyramid.tables.v + k / LLF_GROUP * (LLF_NODES + 2) +
            at))[k % LLF_GROUP];
  llf_dependency_sync ();
  llf_trigger_dependents ();
  __syncthreads ();
#pragma unroll 4
  for (int item = threadIdx.x; item < size; item += COARSE_THREADS) {
    const int2 at = levels[first].place (item);
    const int to = levels[first].at + at.y * levels[first].stride + at.x;

    g[to] = base.g[item];
    if (!is_g) {
      const S *group = (const S *) base.p + (size_t) (k / LLF_GROUP) * size;
      const float4 all = llf_as_floats (group[item]);

      p[to] = k & 2 ? k & 1 ? all.w : all.z : k & 1 ? all.y : all.x;
    }
  }
  __syncthreads ();
#pragma unroll 1
  for (int l = first; l + 1 < n; l++)
    coarse_down<FIXED> (levels[l], levels[l + 1], g, p, is_g);
#pragma unroll 1
  for (int l = n - 2; l >= first; l--)
    coarse_up (levels[l], levels[l + 1], g, p, c, v, pyramid.to_node,
        weights.level[l], l == first ? base.c + (size_t) k * size : nullptr);
}

LlfLaunch
llf_cuda_coarse (const LlfDevicePyramid *pyramid, LlfKind kind, int l)
{
  size_t total = 0;

  for (int i = l; i < pyramid->n; i++)
    total += padded_size (pyramid->levels[i].w, pyramid->levels[i].h);
  return LlfLaunch {
    kind.fixed ? (const void *) coarse_kernel<true> :
        (const void *) coarse_kernel<false>,
    dim3 (pyramid->n_groups * LLF_GROUP + 1), dim3 (COARSE_THREADS),
    (3 * total + 3) / 4 * sizeof (float4) };
}

/* --- Up ------------------------------------------------------------------- */

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
template <bool FIXED, Source SOURCE, bool EDGE> static __device__
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
  const FarSlots far_slots (far.w, has_far ? far.h : 0, x1 / 2 - 2,
      y1 / 2 - 2);
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

    mid_slots.fetch ((const S *) mid.p + (size_t) group * mid.w * mid.h,
        mid_p);
    far_slots.fetch ((const S *) far.p + (size_t) group * far.w * far.h,
        far_p);
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
      const S *plane = (const S *) level.p + (size_t) group * level.w *
          level.h;

#pragma unroll
      for (int cell = 0; cell < 2; cell++)
        cell_terms (memory.mid_p + mid_at + cell * MID_X, MID_X, memory.v,
            Inverses<EDGE> (x, y + 2 * cell, mid), [&] (int q) {
              const int px = EDGE ? min (x + q % 2, level.w - 1) : x + q % 2;
              const int py = EDGE ? min (y + 2 * cell + q / 2, level.h - 1) :
                  y + 2 * cell + q / 2;

              return llf_as_floats (plane[py * level.w + px]);
            }, [&] (int q) {
              return node_of (pyramid,
                  __uint_as_float (samples[4 * cell + q]));
            }, sums + 4 * cell);
    }
    if (has_mid)
      cell_terms (memory.far_p + far_at, FAR_X, memory.v, mid_by,
          [&] (int q) {
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

        llf_store<SOURCE == BYTES> (frame, px, py, samples[i],
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

template <bool FIXED, Source SOURCE> static __global__ void
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
    up_tile<FIXED, SOURCE, false> (pyramid, weights, frame, l, x1, y1,
        wait_first, memory);
  else
    up_tile<FIXED, SOURCE, true> (pyramid, weights, frame, l, x1, y1,
        wait_first, memory);
}

LlfLaunch
llf_cuda_up (const LlfDevicePyramid *pyramid, LlfKind kind, int l)
{
  const LlfDeviceLevel *level = &pyramid->levels[l];
  const size_t n_x = (level->w + 2 * CELLS_X - 1) / (2 * CELLS_X);
  const size_t n_y = (level->h + 2 * CELLS_Y - 1) / (2 * CELLS_Y);
  const void *function = l == 0 ?
      kind.bytes ? (const void *) up_kernel<true, BYTES> :
      kind.fixed ? (const void *) up_kernel<true, ANY_SAMPLES> :
      (const void *) up_kernel<false, ANY_SAMPLES> :
      kind.fixed ? (const void *) up_kernel<true, LEVEL> :
      (const void *) up_kernel<false, LEVEL>;

  return LlfLaunch { function, dim3 ((unsigned) (n_x * n_y)),
    dim3 (UP_THREADS), offsetof (UpMemory, code_v) +
        (l == 0 ? pyramid->n_codes * sizeof (float4) : 0) };
}
