/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: sums, hulls and columns of regions. */
#include "base/cuda_warp.cuh"
#include "properties_cuda.cuh"

#define THREADS CS_PROPERTIES_THREADS
/* Pieces that a thread adds up */
#define PIECES 8
/* Rows of a region that one thread finds the hull of */
#define SMALL 32
/* Threads of a region that is larger */
#define LARGE_THREADS 512

static __device__ __forceinline__ CsPropertiesPiece
piece_at (const CsPropertiesFrame & f, uint32_t i)
{
  const uint4 four = *(const uint4 *) &f.pieces[f.values[0][i]];
  const CsPropertiesPiece piece = { four.x, four.y, four.z, four.w };

  return piece;
}

static __device__ __forceinline__ uint32_t
end_of (const CsPropertiesFrame & f, uint32_t region)
{
  return region + 1 < f.n_regions ? f.firsts[region + 1] : f.n_pieces;
}

/* The region that has piece @i. */
static __device__ uint32_t
region_of (const CsPropertiesFrame & f, uint32_t i)
{
  uint32_t low = 0, high = f.n_regions - 1;

  while (low < high) {
    const uint32_t middle = (low + high + 1) / 2;

    if (f.firsts[middle] <= i)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static __device__ __forceinline__ void
add_to (uint64_t * sum, uint64_t value)
{
  if (value != 0)
    atomicAdd ((CsPropertiesU64 *) sum, (CsPropertiesU64) value);
}

/* --- Sums ----------------------------------------------------------------- */

static __device__ void
add_sums (CsPropertiesSums * to, const CsPropertiesSums & sums)
{
  add_to (&to->x, sums.x);
  add_to (&to->y, sums.y);
  add_to (&to->xx, sums.xx);
  add_to (&to->xy, sums.xy);
  add_to (&to->yy, sums.yy);
  add_to (&to->lines, sums.lines);
  add_to (&to->turns, sums.turns);
  add_to (&to->pixels, sums.pixels);
  if (sums.euler != 0)
    atomicAdd (&to->euler, sums.euler);
  atomicMax (&to->not_left, sums.not_left);
  atomicMax (&to->right, sums.right);
}

/* Those of a warp's lanes, in all of them. */
static __device__ void
add_lanes (CsPropertiesSums & sums)
{
  sums.x = cs_warp_sum (sums.x);
  sums.y = cs_warp_sum (sums.y);
  sums.xx = cs_warp_sum (sums.xx);
  sums.xy = cs_warp_sum (sums.xy);
  sums.yy = cs_warp_sum (sums.yy);
  sums.lines = cs_warp_sum (sums.lines);
  sums.turns = cs_warp_sum (sums.turns);
  sums.pixels = cs_warp_sum (sums.pixels);
  sums.euler = cs_group_sum<32> (sums.euler);
  for (int by = 16; by > 0; by /= 2) {
    sums.not_left = max (sums.not_left, __shfl_xor_sync (CS_ALL_LANES,
            sums.not_left, by));
    sums.right = max (sums.right, __shfl_xor_sync (CS_ALL_LANES, sums.right,
            by));
  }
}

/* A thread per PIECES pieces; warps that have one region only add it up first. */
static __global__ void
add_pieces (CsPropertiesFrame f)
{
  const uint32_t i = (blockIdx.x * THREADS + threadIdx.x) * PIECES;
  const uint32_t end = min (i + PIECES, f.n_pieces);
  const bool has_any = i < f.n_pieces;
  uint32_t region = has_any ? region_of (f, i) : 0;
  const uint32_t first = __shfl_sync (CS_ALL_LANES, region, 0);
  CsPropertiesSums sums = { };
  uint32_t until = has_any ? end_of (f, region) : 0;
  const bool is_one = __all_sync (CS_ALL_LANES, !has_any || (region == first &&
          end <= until));

  for (uint32_t k = i; k < end; k++) {
    if (k == until) {
      const CsPropertiesSums none = { };

      add_sums (&f.sums[region], sums);
      sums = none;
      until = end_of (f, ++region);
    }
    const CsPropertiesPiece piece = piece_at (f, k);

    cs_properties_add (&sums, &piece);
  }
  if (is_one)
    add_lanes (sums);
  if (has_any && (!is_one || threadIdx.x % 32 == 0))
    add_sums (&f.sums[region], sums);
}

/* --- Moments of third order ----------------------------------------------- */

static __device__ void
add_wide (CsWide * to, CsWide value)
{
  const uint64_t before = atomicAdd ((CsPropertiesU64 *) &to->low,
      (CsPropertiesU64) value.low);

  add_to (&to->high, value.high + (before + value.low < before));
}

static __global__ void
add_moments (CsPropertiesFrame f)
{
  const uint32_t i = (blockIdx.x * THREADS + threadIdx.x) * PIECES;

  if (i >= f.n_pieces)
    return;
  uint32_t region = region_of (f, i), until = end_of (f, region), k = i;
  const uint32_t end = min (i + PIECES, f.n_pieces);

  while (k < end) {
    const uint32_t stop = min (until, end);
    const uint32_t left = ~f.sums[region].not_left;
    const CsPropertiesPiece top = piece_at (f, f.firsts[region]);

    CsPropertiesMoments moments = { };

    for (; k < stop; k++) {
      const CsPropertiesPiece piece = piece_at (f, k);

      cs_properties_add_moments (&moments, &piece, left,
          cs_properties_row (&top));
    }
#pragma unroll
    for (uint32_t m = 0; m < 16; m++)
      if (cs_properties_is_wide (m))
        add_wide (&f.moments[region].m[m], moments.m[m]);
    if (k < end)
      until = end_of (f, ++region);
  }
}

/* --- Hulls ---------------------------------------------------------------- */

/* A region's side: @right of its bounding box, or left. */
struct Side
{
  uint32_t begin, end, top, left, right;
  bool is_right;
};

static __device__ Side
side_of (const CsPropertiesFrame & f, uint32_t region, bool is_right)
{
  const uint32_t begin = f.firsts[region];
  const CsPropertiesPiece first = piece_at (f, begin);
  const Side side = { begin, end_of (f, region), cs_properties_row (&first),
    ~f.sums[region].not_left, f.sums[region].right, is_right
  };

  return side;
}

static __device__ uint32_t
height_of (const CsPropertiesFrame & f, const Side & side)
{
  const CsPropertiesPiece last = piece_at (f, side.end - 1);

  return cs_properties_row (&last) + 1 - side.top;
}

/* The side of the convex image into @out. Returns: the sum of its x */
static __device__ uint64_t
find_side (const CsPropertiesFrame & f, const Side & side,
    CsPropertiesPoint * chain, CsPropertiesPoint * out, uint32_t * n_out)
{
  uint32_t n = 0;

  for (uint32_t i = side.begin; i < side.end; i++) {
    const CsPropertiesPiece piece = piece_at (f, i);
    const uint32_t x = cs_properties_column (&piece);

    n = cs_properties_push (chain, n, side.is_right ?
        side.right + 1 - x - cs_properties_n_pixels (&piece) : x - side.left,
        cs_properties_row (&piece) - side.top);
  }
  return cs_properties_widen (chain, n, out, n_out);
}

static __device__ double
diameter_of (const CsPropertiesFrame & f, const Side & side,
    const CsPropertiesPoint * left, uint32_t n_left,
    const CsPropertiesPoint * right, uint32_t n_right)
{
  return cs_properties_diameter (left, n_left, right, n_right,
      side.right + 1 - side.left, f.table.params.row_spacing,
      f.table.params.column_spacing);
}

/* A thread per region, if it is small. */
static __global__ void
find_small_hulls (CsPropertiesFrame f)
{
  const uint32_t region = blockIdx.x * THREADS + threadIdx.x;
  CsPropertiesPoint chain[SMALL], sides[2][SMALL];
  uint32_t n[2];
  uint64_t sum = 0;

  if (region >= f.n_regions)
    return;
  Side side = side_of (f, region, false);
  const uint32_t height = height_of (f, side);
  if (height > SMALL || side.end - side.begin > 4 * SMALL) {
    f.large[atomicAdd (&f.counters->n_large, 1)] = region;
    return;
  }
  for (uint32_t k = 0; k < 2; k++) {
    side.is_right = k;
    sum += find_side (f, side, chain, sides[k], &n[k]);
  }
  f.convex[region] = (uint64_t) (side.right + 1 - side.left) * height - sum;
  f.diameter2[region] = diameter_of (f, side, sides[0], n[0], sides[1], n[1]);
}

/* Rows, or parts of rows, of as many pieces as a block has threads. */
struct Rows
{
  uint32_t counts[LARGE_THREADS / 32], total;
  uint32_t y[LARGE_THREADS], left[LARGE_THREADS], right[LARGE_THREADS];
};

/* Pieces from @begin on to the end of the side's: their rows. */
static __device__ void
collect_rows (const CsPropertiesFrame & f, const Side & side, uint32_t begin,
    Rows & rows)
{
  const uint32_t t = threadIdx.x, i = begin + t, lane = t % 32;
  const uint32_t end = min (side.end, begin + LARGE_THREADS);
  uint32_t y = 0, x = 0, n = 0, total;
  bool is_first = false, is_last = false;

  if (i < end) {
    const CsPropertiesPiece piece = piece_at (f, i);

    y = cs_properties_row (&piece);
    x = cs_properties_column (&piece);
    n = cs_properties_n_pixels (&piece);
    rows.y[t] = y;
  }
  __syncthreads ();
  if (i < end) {
    is_first = t == 0 || rows.y[t - 1] != y;
    is_last = i + 1 == end || rows.y[t + 1] != y;
  }
  const uint32_t firsts = __ballot_sync (CS_ALL_LANES, is_first);
  const uint32_t before = cs_block_count_before<LARGE_THREADS / 32>
      (rows.counts, (uint32_t) __popc (firsts), &total);
  const uint32_t row = before + cs_lanes_before (firsts, lane) + is_first - 1;

  __syncthreads ();
  if (is_first) {
    rows.y[row] = y - side.top;
    rows.left[row] = x - side.left;
  }
  if (is_last)
    rows.right[row] = side.right + 1 - x - n;
  if (t == 0)
    rows.total = total;
  __syncthreads ();
}

/* A block per large region; a thread of its first two warps has a side each. */
static __global__ void __launch_bounds__ (LARGE_THREADS)
find_large_hulls (CsPropertiesFrame f)
{
  __shared__ Rows rows;
  __shared__ uint32_t next, n_side[2];
  __shared__ uint64_t sums[2];
  const uint32_t t = threadIdx.x, stride = f.max_chain, k = t / 32;
  const bool has_side = t == 0 || t == 32;
  CsPropertiesPoint *chains = f.chains + (size_t) blockIdx.x * 4 * stride;

  for (;;) {
    if (t == 0)
      next = atomicAdd (&f.counters->next, 1);
    __syncthreads ();
    if (next >= f.counters->n_large)
      return;
    const uint32_t region = f.large[next];
    const Side side = side_of (f, region, false);
    uint32_t n = 0;

    for (uint32_t i = side.begin; i < side.end; i += LARGE_THREADS) {
      collect_rows (f, side, i, rows);
      if (has_side)
        for (uint32_t row = 0; row < rows.total; row++)
          n = cs_properties_push (chains + k * stride, n, k == 0 ?
              rows.left[row] : rows.right[row], rows.y[row]);
      __syncthreads ();
    }
    if (has_side)
      sums[k] = cs_properties_widen (chains + k * stride, n,
          chains + (2 + k) * stride, &n_side[k]);
    __syncthreads ();
    if (t == 0) {
      f.convex[region] = (uint64_t) (side.right + 1 - side.left) *
          height_of (f, side) - sums[0] - sums[1];
      f.diameter2[region] = diameter_of (f, side, chains + 2 * stride,
          n_side[0], chains + 3 * stride, n_side[1]);
    }
    __syncthreads ();
  }
}

/* --- Columns -------------------------------------------------------------- */

static __global__ void
finish_regions (CsPropertiesFrame f)
{
  const uint32_t i = blockIdx.x * THREADS + threadIdx.x;

  if (i >= f.n_regions)
    return;
  const CsPropertiesPiece first = piece_at (f, f.firsts[i]);
  const CsPropertiesPiece last = piece_at (f, end_of (f, i) - 1);
  CsPropertiesRegion region = { first.label, cs_properties_row (&first),
    cs_properties_row (&last), 0, 0., f.sums[i]
  };

  if (f.convex) {
    region.convex = f.convex[i];
    region.diameter2 = f.diameter2[i];
  }
  cs_properties_finish (&f.table, i, &region, f.moments ? &f.moments[i] : NULL);
}

gboolean
cs_properties_cuda_measure (const CsPropertiesFrame * frame,
    cudaStream_t stream, GError ** error)
{
  const guint per_piece = cs_cuda_blocks (frame->n_pieces, THREADS * PIECES);
  const guint per_region = cs_cuda_blocks (frame->n_regions, THREADS);

  add_pieces <<< per_piece, THREADS, 0, stream >>> (*frame);
  if (frame->convex) {
    find_small_hulls <<< per_region, THREADS, 0, stream >>> (*frame);
    find_large_hulls <<< MIN (frame->n_regions, CS_PROPERTIES_LARGE_BLOCKS),
        LARGE_THREADS, 0, stream >>> (*frame);
  }
  if (frame->moments)
    add_moments <<< per_piece, THREADS, 0, stream >>> (*frame);
  finish_regions <<< per_region, THREADS, 0, stream >>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "measure regions", error);
}
