/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Levels 1 and 2 from the frame, each warp on its own strip of columns.
 */
#include "base/cuda_warp.cuh"
#include "llf_cuda_down.cuh"

#define DOWN_WARPS 4
/* A lane has four columns of level 0, two of level 1 and one of level 2; the
 * outer lanes of a warp are a halo. */
#define DOWN_LEFT 2
#define DOWN_LANES 29
/* Resident warps of a large GPU. */
#define RESIDENT_WARPS 2112
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

static __device__ __forceinline__ float4
from_lane (float4 v, int by)
{
  return make_float4 (from_lane (v.x, by), from_lane (v.y, by),
      from_lane (v.z, by), from_lane (v.w, by));
}

/* Four bytes of a row of the frame, from column @x on, as codes; n_codes
 * outside. If not @EDGE, all of them are inside. Loads are issued by fetch and
 * used a step later, when expanded. */
template <bool EDGE> struct ByteRows
{
  const LlfDeviceFrame &frame;
  int w, h, n_codes, x;
  /* bits of the columns that are inside; the last row's bytes where a word
   * would extend beyond the frame, and that row, or -1 */
  uint32_t columns, last_bytes;
  int last_row;

  struct Raw
  {
    uint32_t bytes, inside;
  };

  __device__ __forceinline__ ByteRows (const LlfDeviceFrame &frame, int w,
      int h, int n_codes, int x):
      frame (frame), w (w), h (h), n_codes (n_codes), x (x),
      columns (0xffffffff), last_bytes (0), last_row (-1)
  {
    if (!EDGE)
      return;
    if (x < 0 || x >= w) {
      columns = 0;
      this->x = x < 0 ? 0 : (w - 1) & ~3;
    } else if (x + 4 > w) {
      columns = (1u << 8 * (w - x)) - 1;
    }
    if (this->x + 4 > w) {
      last_row = h - 1;
#pragma unroll 1
      for (int k = 0; x + k < w; k++)
        last_bytes |= llf_load<true> (frame, x + k, h - 1) << 8 * k;
    }
  }

  __device__ __forceinline__ Raw fetch (int y) const
  {
    const int row = EDGE ? min (max (y, 0), h - 1) : y;
    Raw raw = { last_bytes, y == row ? columns : 0 };

    if (!EDGE || row != last_row)
      raw.bytes = *(const uint32_t *) (frame.in + (uint32_t) row *
          (uint32_t) frame.in_row + x);
    return raw;
  }

  /* Bytes that are not inside become 0, with 1 as the next higher byte: 256 is
   * n_codes. */
  __device__ __forceinline__ uint32_t index (const Raw &raw, int k) const
  {
    uint32_t index;

    if (!EDGE)
      return raw.bytes >> 8 * k & 0xff;
    /* 8 selects the sign of a byte, here 0 */
    asm ("prmt.b32 %0, %1, %2, %3;":"=r" (index):"r" (raw.bytes & raw.inside),
        "r" (~raw.inside & 0x01010101), "r" (0xcc40 + 0x1111 * k));
    return index;
  }

  __device__ __forceinline__ uint32_t code (const Raw &raw, int k) const
  {
    return (EDGE ? raw.bytes & raw.inside : raw.bytes) >> 8 * k & 0xff;
  }
};

/* The same of samples of any type. */
template <bool EDGE> struct SampleRows
{
  const LlfDeviceFrame &frame;
  int w, h, n_codes, x;

  struct Raw
  {
    uint32_t low, high;
    bool has_row;
  };

  __device__ __forceinline__ SampleRows (const LlfDeviceFrame &frame, int w,
      int h, int n_codes, int x):
      frame (frame), w (w), h (h), n_codes (n_codes), x (x)
  {
  }

  __device__ __forceinline__ uint32_t load (int px, int py) const
  {
    return llf_code (frame, n_codes, llf_load (frame,
            EDGE ? min (max (px, 0), w - 1) : px, py));
  }

  __device__ __forceinline__ Raw fetch (int y) const
  {
    const int row = EDGE ? min (max (y, 0), h - 1) : y;

    return Raw { load (x, row) | load (x + 1, row) << 16,
      load (x + 2, row) | load (x + 3, row) << 16, y == row };
  }

  __device__ __forceinline__ uint32_t index (const Raw &raw, int k) const
  {
    const uint32_t code = (k < 2 ? raw.low : raw.high) >> k % 2 * 16 & 0xffff;

    return !EDGE || (raw.has_row & ((unsigned) (x + k) < (unsigned) w)) ?
        code : n_codes;
  }

  __device__ __forceinline__ uint32_t code (const Raw &raw, int k) const
  {
    const uint32_t code = index (raw, k);

    return EDGE && code == (uint32_t) n_codes ? 0 : code;
  }
};

template <Source SOURCE, bool EDGE> struct FrameRows
{
  typedef SampleRows<EDGE> Type;
};

template <bool EDGE> struct FrameRows<BYTES, EDGE>
{
  typedef ByteRows<EDGE> Type;
};

/* Channels of codes, from a table with 0 for missing samples. */
template <typename Rows> struct ChannelSource
{
  typedef typename Rows::Raw Raw;
  const Rows rows;
  const float4 *table;

  __device__ __forceinline__ Raw fetch (int y) const
  {
    return rows.fetch (y);
  }

  __device__ __forceinline__ float4 expand (const Raw &raw, int k) const
  {
    return table[rows.index (raw, k)];
  }
};

/* Codes; missing ones are 0. */
template <typename Rows> struct CodeSource
{
  typedef typename Rows::Raw Raw;
  const Rows rows;

  __device__ __forceinline__ Raw fetch (int y) const
  {
    return rows.fetch (y);
  }

  __device__ __forceinline__ float expand (const Raw &raw, int k) const
  {
    return rows.code (raw, k);
  }
};

/* A warp's strip: columns from @j0 on of level 2, rows @m0 to @m1. */
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
    const Strip &strip)
{
  typedef typename From::Raw Raw;
  const int lane = threadIdx.x % WARP, m0 = strip.m0, m1 = strip.m1;
  const int w1 = (w + 1) / 2, h1 = (h + 1) / 2;
  const int w2 = (w1 + 1) / 2;
  /* columns of level 2, and of level 1 */
  const int c = strip.j0 - DOWN_LEFT + lane, j = 2 * c;
  const bool owned = lane >= DOWN_LEFT && lane < DOWN_LEFT + DOWN_LANES;
  const bool has[2] = { !EDGE || (j >= 0 && j < w1),
    !EDGE || (j >= 0 && j + 1 < w1)
  };
  const bool has_second = second && owned && has[0];
  const DownInverse<EDGE> columns1 (w), columns2 (w1), rows1 (h), rows2 (h1);
  const float across[2] = { columns1 (j), columns1 (j + 1) };
  const float across2 = columns2 (c);
  Column<V> columns[4], seconds[2];
  Raw ahead[4];
  /* sums of rows above the frame are 0 */
  const int begin = EDGE ? max (m0 - 3, -1) : m0 - 3;
  /* last rows completed by the next step */
  int i = 2 * begin + 1, y = 2 * i + 1;

  auto next_row = [&] (const Raw &r3, const Raw &r4, V out[2]) {
    /* 0 makes missing samples 0 */
    const float down = rows1 (i);
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
      if (owned && has[k] && i >= 2 * m0 && i < 2 * m1 && (!EDGE || i < h1))
        put (out[k], first + (size_t) i * w1 + j + k);
    }
    i++;
  };

#pragma unroll
  for (int r = 0; r < 4; r++)
    ahead[r] = source.fetch (y + r);
#pragma unroll 1
  for (int m = begin; m < m1; m++) {
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

    if (has_second && m >= m0)
      put (finish (sum, across2 * rows2 (m), true, (S *) nullptr),
          second + (size_t) m * w2 + c);
  }
}

template <bool FIXED, Source SOURCE, bool EDGE> static __device__
    __forceinline__ void
down_any (const LlfDevicePyramid &pyramid, const LlfDeviceFrame &frame,
    const Strip &strip, const float4 *table)
{
  typedef typename Stored<FIXED>::Type S;
  typedef typename FrameRows<SOURCE, EDGE>::Type Rows;
  const LlfDeviceLevel &from = pyramid.levels[0], &to = pyramid.levels[1];
  const bool two = pyramid.n > 2;
  const LlfDeviceLevel &last = pyramid.levels[two ? 2 : 1];
  const int group = blockIdx.y, w = from.w, h = from.h;
  const Rows rows (frame, w, h, pyramid.n_codes,
      4 * (strip.j0 - DOWN_LEFT + (int) (threadIdx.x % WARP)));

  if (group < pyramid.n_groups) {
    const ChannelSource<Rows> source = { rows, table };

    down_strip<float4, EDGE> (source, w, h,
        (S *) to.p + (size_t) group * to.w * to.h,
        two ? (S *) last.p + (size_t) group * last.w * last.h : nullptr, strip);
  } else {
    const CodeSource<Rows> source = { rows };

    down_strip<float, EDGE> (source, w, h, to.g, two ? last.g : nullptr, strip);
  }
}

/* One group of channels, or G, per y of the grid. */
template <bool FIXED, Source SOURCE> static __global__ void
    __launch_bounds__ (DOWN_WARPS * WARP, 4)
down_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceFrame frame, int rows)
{
  extern __shared__ float4 table[];
  const LlfDeviceLevel &from = pyramid.levels[0], &to = pyramid.levels[1];
  const int n_columns = ((to.w + 1) / 2 + DOWN_LANES - 1) / DOWN_LANES;
  const int index = blockIdx.x * DOWN_WARPS + threadIdx.x / WARP;
  const int row = index / n_columns;
  const Strip strip = {
    (index - row * n_columns) * DOWN_LANES, row * rows,
    min ((row + 1) * rows, (to.h + 1) / 2)
  };

  llf_trigger_dependents ();
  if ((int) blockIdx.y < pyramid.n_groups) {
    const float4 *u = pyramid.tables.u + blockIdx.y * pyramid.n_codes;

    for (int i = threadIdx.x; i <= pyramid.n_codes; i += blockDim.x)
      table[i] = i < pyramid.n_codes ? u[i] : float4 ();
    __syncthreads ();
  }
  if (strip.m0 >= strip.m1)
    return;
  if (strip.is_inner (from.w, from.h))
    down_any<FIXED, SOURCE, false> (pyramid, frame, strip, table);
  else
    down_any<FIXED, SOURCE, true> (pyramid, frame, strip, table);
}

LlfLaunch
llf_cuda_down (const LlfDevicePyramid *pyramid, LlfKind kind, int *rows)
{
  const LlfDeviceLevel *to = &pyramid->levels[1];
  const int n_columns = ((to->w + 1) / 2 + DOWN_LANES - 1) / DOWN_LANES;
  const int n_rows = (to->h + 1) / 2;
  const size_t table = pyramid->n_groups ?
      (pyramid->n_codes + 1) * sizeof (float4) : 0;
  const void *function =
      kind.bytes ? (const void *) down_kernel<true, BYTES> :
      kind.fixed ? (const void *) down_kernel<true, ANY_SAMPLES> :
      (const void *) down_kernel<false, ANY_SAMPLES>;
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
