/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: measures, hierarchy and filters of contours whose points are in place,
 * and the way to the host. */
#include "contours_cuda.h"

#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "contours_cuda_samples.h"
#include "contours_math.h"

#define ALL 0xffffffffu
#define RECORD_WORDS (sizeof (CsContour) / 8)
#define SUMS_WORDS (sizeof (CsSums) / 8)
/* index of x0 among the fields of CsSums */
#define BOX_WORD 6

static_assert (sizeof (CsContour) == 13 * 8, "a record has 13 words");
static_assert (SUMS_WORDS <= 32, "a lane for every sum");
static_assert (CS_SUM_LANES == 32, "a lane for every partial sum");

/* To the host */

/* Block @block of @n_blocks copies its share of an array. */
static __device__ void
copy_array (void *to, const void *from, size_t size, uint32_t block,
    uint32_t n_blocks)
{
  const size_t stride = (size_t) n_blocks * CS_THREADS;
  const size_t first = (size_t) block * CS_THREADS + threadIdx.x;

  if (!to || !from)
    return;
  for (size_t i = first; i < size / 16; i += stride)
    ((uint4 *) to)[i] = ((const uint4 *) from)[i];
  for (size_t i = size / 16 * 4 + first; i < size / 4; i += stride)
    ((uint32_t *) to)[i] = ((const uint32_t *) from)[i];
}

/* What is known when the points are in place. */
static __device__ void
publish_points (const CsFrame * f, uint32_t block, uint32_t n_blocks)
{
  copy_array (f->host.points, f->out.points,
      f->counters->n_points * f->point_size, block, n_blocks);
  copy_array (f->host.offsets, f->out.offsets,
      (f->counters->n_contours + 1) * sizeof (uint32_t), block, n_blocks);
}

/* Measures */

static __device__ __forceinline__ double2
load_point (const CsFrame * f, uint32_t i)
{
  if (f->points_are_double)
    return ((const double2 *) f->raw.points)[i];
  const float2 p = ((const float2 *) f->raw.points)[i];

  return make_double2 (p.x, p.y);
}

/* The sum of the lanes, in all of them, in the order of contours_math.h. */
static __device__ __forceinline__ double
fold (double lane)
{
  for (int o = CS_SUM_LANES / 2; o > 0; o /= 2)
    lane += __shfl_down_sync (ALL, lane, o);
  return __shfl_sync (ALL, lane, 0);
}

static __device__ __forceinline__ double
least (double value)
{
  for (int o = 16; o > 0; o /= 2)
    value = fmin (value, __shfl_xor_sync (ALL, value, o));
  return value;
}

static __device__ __forceinline__ double
greatest (double value)
{
  for (int o = 16; o > 0; o /= 2)
    value = fmax (value, __shfl_xor_sync (ALL, value, o));
  return value;
}

/* A warp sums the @n_terms terms that begin at point @start, up to CS_SUM_BLOCK
 * of them, of a contour that begins at point @first. */
template < int M > static __device__ __forceinline__ void
sum_block (const CsFrame * f, uint32_t first, uint32_t start,
    uint32_t n_terms, CsSums & sums)
{
  const int lane = threadIdx.x % 32;
  const double2 origin = load_point (f, first);

  sums = CsSums ();
  sums.x0 = sums.y0 = INFINITY;
  sums.x1 = sums.y1 = -INFINITY;
  for (uint32_t i = lane; i < n_terms; i += CS_SUM_LANES) {
    const double2 p = load_point (f, start + i);
    const double2 q = load_point (f, start + i + 1);
    const double ax = p.x - origin.x, ay = p.y - origin.y;
    const double bx = q.x - origin.x, by = q.y - origin.y;
    const double cross = cs_term_cross (ax, ay, bx, by);

    sums.cross += cross;
    if (M >= CS_MEASURES_BASIC) {
      const double length = cs_term_length (ax, ay, bx, by);

      sums.length += length;
      sums.cross_x += cross * (ax + bx);
      sums.cross_y += cross * (ay + by);
      sums.length_x += length * (ax + bx);
      sums.length_y += length * (ay + by);
      sums.x0 = fmin (sums.x0, fmin (p.x, q.x));
      sums.y0 = fmin (sums.y0, fmin (p.y, q.y));
      sums.x1 = fmax (sums.x1, fmax (p.x, q.x));
      sums.y1 = fmax (sums.y1, fmax (p.y, q.y));
    }
    if (M >= CS_MEASURES_FULL) {
#pragma unroll
      for (int m = 0; m < CS_N_MOMENTS; m++)
        sums.moments[m] += cs_term_moment (m, cross, ax, ay, bx, by);
    }
  }
  sums.cross = fold (sums.cross);
  if (M >= CS_MEASURES_BASIC) {
    sums.length = fold (sums.length);
    sums.cross_x = fold (sums.cross_x);
    sums.cross_y = fold (sums.cross_y);
    sums.length_x = fold (sums.length_x);
    sums.length_y = fold (sums.length_y);
    sums.x0 = least (sums.x0);
    sums.y0 = least (sums.y0);
    sums.x1 = greatest (sums.x1);
    sums.y1 = greatest (sums.y1);
  }
  if (M >= CS_MEASURES_FULL) {
#pragma unroll
    for (int m = 0; m < CS_N_MOMENTS; m++)
      sums.moments[m] = fold (sums.moments[m]);
  }
}

static __device__ __forceinline__ CsU64
pair (uint32_t low, uint32_t high)
{
  return low | (CsU64) high << 32;
}

static __device__ __forceinline__ CsU64
bits (double value)
{
  return (CsU64) __double_as_longlong (value);
}

/* Marks whether the contour stays, for select_contours(). */
static __device__ void
judge (const CsFrame * f, uint32_t index, uint32_t n_points, double area)
{
  const bool keep = n_points >= f->min_points && fabs (area) >= f->min_area &&
      fabs (area) <= f->max_area;

  f->new_index[index] = keep;
  if (keep)
    atomicAdd (&f->selected[index / CS_CONTOURS_A_CHUNK],
        cs_pack (1, n_points));
}

/* The word number @n of a contour's record. */
template < int M > static __device__ __forceinline__ CsU64
record_word (const CsFrame * f, uint32_t n, uint32_t index, uint32_t target,
    bool closed, double2 origin, const CsSums & sums)
{
  const double area = .5 * sums.cross;
  const bool hole = closed && (f->reversed ? area > 0. : area < 0.);

  if (n == 0)
    return pair (f->first_id + index, (uint32_t) -1);
  if (n == 1)
    return pair (cs_target_channel (f, target), f->image_index);
  if (n == 2)
    return pair (0, (closed ? CS_CONTOUR_CLOSED : 0) |
        (hole ? CS_CONTOUR_HOLE : 0));
  if (n == 3)
    return bits (cs_target_level (f, target));
  if (n == 4)
    return bits (area);
  if (M < CS_MEASURES_BASIC || n > 11)
    return 0;
  if (n == 6)
    return bits (cs_centroid (closed, origin.x, sums.cross, sums.length,
            sums.cross_x, sums.length_x, sums.x0, sums.x1));
  if (n == 7)
    return bits (cs_centroid (closed, origin.y, sums.cross, sums.length,
            sums.cross_y, sums.length_y, sums.y0, sums.y1));
  return bits (n == 5 ? sums.length : n == 8 ? sums.x0 : n == 9 ? sums.y0 :
      n == 10 ? sums.x1 : sums.y1);
}

/* @LANES lanes write the record of contour @index from all its sums. */
template < int M, int LANES > static __device__ __forceinline__ void
write_record (const CsFrame * f, uint32_t index, uint32_t first,
    uint32_t length, uint32_t kind, const CsSums & sums)
{
  const uint32_t lane = threadIdx.x % LANES;
  const bool closed = (kind & CS_CLOSED) != 0;
  const uint32_t target = kind & ~CS_CLOSED;
  const double2 origin = load_point (f, first);

#pragma unroll
  for (uint32_t n = 0; n < RECORD_WORDS; n += LANES) {
    if (n + lane < RECORD_WORDS)
      ((CsU64 *) &f->raw.contours[index])[n + lane] = record_word < M > (f,
          n + lane, index, target, closed, origin, sums);
  }
  if (M >= CS_MEASURES_FULL) {
#pragma unroll
    for (int m = 0; m < CS_N_MOMENTS; m++) {
      if (lane == m)
        f->raw.moments[index].m[m] = sums.moments[m] / cs_moment_divisor (m);
    }
  }
  if (f->late_filter && lane == 0)
    judge (f, index, length + 1, .5 * sums.cross);
}

/* Blocks whose sums are loaded at a time */
#define BATCH 16

/* A lane for each field goes through the blocks in order. */
static __device__ void
sum_items (const CsFrame * f, uint32_t begin, uint32_t n, CsSums & sums)
{
  const int lane = threadIdx.x % 32;
  const int field = lane < (int) SUMS_WORDS ? lane : 0;
  const double *values = (const double *) &f->sums[begin];
  double sum = field < BOX_WORD || field >= BOX_WORD + 4 ? 0. :
      field < BOX_WORD + 2 ? INFINITY : -INFINITY;

  for (uint32_t b = 0; b < n; b += BATCH) {
    double batch[BATCH];

#pragma unroll
    for (uint32_t k = 0; k < BATCH; k++)
      batch[k] = __ldcg (&values[min (b + k, n - 1) * SUMS_WORDS + field]);
#pragma unroll
    for (uint32_t k = 0; k < BATCH; k++) {
      if (b + k < n)
        sum = field < BOX_WORD || field >= BOX_WORD + 4 ? sum + batch[k] :
            field < BOX_WORD + 2 ? fmin (sum, batch[k]) : fmax (sum, batch[k]);
    }
  }
#pragma unroll
  for (int k = 0; k < (int) SUMS_WORDS; k++)
    ((double *) &sums)[k] = __shfl_sync (ALL, sum, k);
}

/* One block of a contour that is not short; the warp that finishes the last one
 * writes the record. */
template < int M > static __device__ void
measure_item (const CsFrame * f, uint32_t item)
{
  const int lane = threadIdx.x % 32;
  const uint32_t index = f->items[item], begin = f->contour_items[index];
  const uint32_t first = f->raw.offsets[index];
  const uint32_t length = f->raw.offsets[index + 1] - first - 1;
  const uint32_t n = (length + CS_SUM_BLOCK - 1) / CS_SUM_BLOCK;
  const uint32_t start = (item - begin) * CS_SUM_BLOCK;
  const uint32_t kind = f->contour_kind[index];
  uint32_t n_done = 0;
  CsSums sums;

  sum_block < M > (f, first, first + start, min (length - start, CS_SUM_BLOCK),
      sums);
  if (n == 1) {
    write_record < M, 32 > (f, index, first, length, kind, sums);
    return;
  }
  if (lane == 0) {
    f->sums[item] = sums;
    __threadfence ();
    n_done = atomicAdd (&f->contour_done[index], 1) + 1;
    __threadfence ();
  }
  if (__shfl_sync (ALL, n_done, 0) != n)
    return;
  sum_items (f, begin, n, sums);
  write_record < M, 32 > (f, index, first, length, kind, sums);
}

/* Short contours, up to CS_SUM_LANES terms, several to a warp: GROUP lanes
 * each, every one of which holds the partial sums of lanes l, l + GROUP, ... */
#define GROUP 8
#define ROWS (CS_SUM_LANES / GROUP)

static __device__ __forceinline__ double
fold_group (const double * lane)
{
  static_assert (ROWS == 4, "the first two folds are within a lane");
  double sum = (lane[0] + lane[2]) + (lane[1] + lane[3]);

  for (int o = GROUP / 2; o > 0; o /= 2)
    sum += __shfl_down_sync (ALL, sum, o, GROUP);
  return __shfl_sync (ALL, sum, 0, GROUP);
}

static __device__ __forceinline__ double
least_of_group (double value)
{
  for (int o = GROUP / 2; o > 0; o /= 2)
    value = fmin (value, __shfl_xor_sync (ALL, value, o, GROUP));
  return value;
}

static __device__ __forceinline__ double
greatest_of_group (double value)
{
  for (int o = GROUP / 2; o > 0; o /= 2)
    value = fmax (value, __shfl_xor_sync (ALL, value, o, GROUP));
  return value;
}

/* As sum_block(), for no more terms than there are lanes. */
template < int M > static __device__ __forceinline__ void
sum_group (const CsFrame * f, uint32_t first, uint32_t n_terms, CsSums & sums)
{
  const uint32_t lane = threadIdx.x % GROUP;
  double cross[ROWS] = { 0. }, length[ROWS] = { 0. };
  double cross_x[ROWS] = { 0. }, cross_y[ROWS] = { 0. };
  double length_x[ROWS] = { 0. }, length_y[ROWS] = { 0. };
  double2 origin = { 0., 0. };

  sums.x0 = sums.y0 = INFINITY;
  sums.x1 = sums.y1 = -INFINITY;
  if (n_terms)
    origin = load_point (f, first);
#pragma unroll
  for (int r = 0; r < ROWS; r++) {
    const uint32_t i = r * GROUP + lane;

    if (i >= n_terms)
      continue;
    const double2 p = load_point (f, first + i);
    const double2 q = load_point (f, first + i + 1);
    const double ax = p.x - origin.x, ay = p.y - origin.y;
    const double bx = q.x - origin.x, by = q.y - origin.y;

    cross[r] = 0. + cs_term_cross (ax, ay, bx, by);
    if (M >= CS_MEASURES_BASIC) {
      const double l = cs_term_length (ax, ay, bx, by);

      length[r] = l;
      cross_x[r] = 0. + cross[r] * (ax + bx);
      cross_y[r] = 0. + cross[r] * (ay + by);
      length_x[r] = 0. + l * (ax + bx);
      length_y[r] = 0. + l * (ay + by);
      sums.x0 = fmin (sums.x0, fmin (p.x, q.x));
      sums.y0 = fmin (sums.y0, fmin (p.y, q.y));
      sums.x1 = fmax (sums.x1, fmax (p.x, q.x));
      sums.y1 = fmax (sums.y1, fmax (p.y, q.y));
    }
  }
  sums.cross = fold_group (cross);
  if (M >= CS_MEASURES_BASIC) {
    sums.length = fold_group (length);
    sums.cross_x = fold_group (cross_x);
    sums.cross_y = fold_group (cross_y);
    sums.length_x = fold_group (length_x);
    sums.length_y = fold_group (length_y);
    sums.x0 = least_of_group (sums.x0);
    sums.y0 = least_of_group (sums.y0);
    sums.x1 = greatest_of_group (sums.x1);
    sums.y1 = greatest_of_group (sums.y1);
  }
}

/* Warp @warp of @n_warps measures its share of the short contours. */
template < int M > static __device__ __forceinline__ void
measure_short (const CsFrame * f, uint32_t warp, uint32_t n_warps)
{
  const uint32_t group = threadIdx.x % 32 / GROUP;
  const uint32_t n_contours = (uint32_t) f->counters->n_raw_contours;

  /* from the other end, so that no warp gets the most of both */
  for (uint32_t begin = (n_warps - 1 - warp) * (32 / GROUP);
      begin < n_contours; begin += n_warps * (32 / GROUP)) {
    const uint32_t index = begin + group;
    uint32_t first = 0, length = 0, kind = 0;
    CsSums sums;

    if (index < n_contours) {
      first = f->raw.offsets[index];
      length = f->raw.offsets[index + 1] - first - 1;
      kind = f->contour_kind[index];
    }
    length = length > f->max_short ? 0 : length;
    if (!__any_sync (ALL, length))
      continue;
    sum_group < M > (f, first, length, sums);
    if (length)
      write_record < M, GROUP > (f, index, first, length, kind, sums);
  }
}

template < int M > static __global__ void
__launch_bounds__ (CS_THREADS, M >= CS_MEASURES_FULL ? 2 : 3)
measure_contours (const CsFrame * f)
{
  const uint32_t n_warps = f->measure_blocks * (CS_THREADS / 32);
  const uint32_t n_copiers = gridDim.x - f->measure_blocks;
  const uint32_t warp = (blockIdx.x - n_copiers) * (CS_THREADS / 32) +
      threadIdx.x / 32;
  const uint32_t n_items = (uint32_t) f->counters->n_items;

  if (cs_contours_overflow (f))
    return;
  if (blockIdx.x < n_copiers) {
    if (!f->late_filter)
      publish_points (f, blockIdx.x, n_copiers);
    return;
  }
  for (uint32_t item = warp; item < n_items; item += n_warps)
    measure_item < M > (f, item);
  if constexpr (M < CS_MEASURES_FULL)
    measure_short < M > (f, warp, n_warps);
}

const void *
cs_contours_measure_kernel (CsMeasures measures)
{
  switch (measures) {
    case CS_MEASURES_NONE:
      return (const void *) measure_contours < CS_MEASURES_NONE >;
    case CS_MEASURES_BASIC:
      return (const void *) measure_contours < CS_MEASURES_BASIC >;
    default:
      return (const void *) measure_contours < CS_MEASURES_FULL >;
  }
}

/* Hierarchy */

/* around[c]: CS_NONE, or a contour: the one around c with CS_CLOSED, else one
 * that what is around c is around too. */

/* The segment before (@bit, @k) of word @w in its row; whether there is one. */
static __device__ bool
find_segment_before (const CsFrame * f, uint32_t & w, uint32_t & bit,
    uint32_t & k)
{
  const uint32_t row_begin = w - w % f->tiles_x;
  CsWord word = f->words[w];
  uint32_t cells;

  if (k && word.first >> bit & 1) {
    k = 0;
    return true;
  }
  cells = (word.first | word.second) & cs_bits_below (bit);
  while (cells == 0) {
    if (w == row_begin)
      return false;
    word = f->words[--w];
    cells = word.first | word.second;
  }
  bit = 31 - __clz (cells);
  k = word.second >> bit & 1;
  return true;
}

/* Whether the lower right pixel of a cell is above the level. */
template < typename T, typename V > static __device__ bool
lower_right_is_high (const CsFrame * f, uint32_t target, uint32_t w,
    uint32_t bit)
{
  const uint32_t row = w / f->tiles_x % (f->height - 1) + 1;
  const uint32_t column = w % f->tiles_x * CS_TILE + bit + 1;

  return (double) cs_load_sample < T, V > (f->samples +
      cs_target_channel (f, target) * f->channel_stride + row * f->row_stride +
      column * f->pixel_stride) > cs_target_level (f, target);
}

template < typename T, typename V > static __global__ void
__launch_bounds__ (CS_THREADS)
look_around (const CsFrame * f)
{
  const uint32_t stride = gridDim.x * CS_THREADS;

  if (cs_contours_overflow (f))
    return;
  for (uint32_t c = blockIdx.x * CS_THREADS + threadIdx.x;
      c < f->counters->n_raw_contours; c += stride) {
    const uint32_t at = f->contour_word[c], at_bit = f->contour_bit[c] >> 1;
    uint32_t w = at, bit = at_bit, k = f->contour_bit[c] & 1;

    if (!find_segment_before (f, w, bit, k)) {
      f->around[c] = CS_NONE;
      continue;
    }
    const uint32_t segment = cs_word_segment (f->words[w], bit, k);
    const CsPlace place = f->places[f->segment_fragment[segment]];
    const CsRoot root = f->roots[place.root];
    const bool same_cell = w == at && bit == at_bit;
    const bool high = lower_right_is_high < T, V > (f, place.target, w, bit);
    const bool hole =
        (f->raw.contours[root.index].flags & CS_CONTOUR_HOLE) != 0;
    const bool inside = (root.length & CS_CLOSED) &&
        cs_comes_from_inside (high != same_cell, hole);

    f->around[c] = root.index | (inside ? CS_CLOSED : 0);
  }
}

const void *
cs_contours_around_kernel (CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return (const void *) look_around < uint8_t, float >;
    case CS_SAMPLE_U16:
      return (const void *) look_around < uint16_t, float >;
    case CS_SAMPLE_F16:
      return (const void *) look_around < CsHalf, float >;
    case CS_SAMPLE_F32:
      return (const void *) look_around < float, float >;
    default:
      return (const void *) look_around < double, double >;
  }
}

static __device__ __forceinline__ uint32_t
load_relaxed (const uint32_t * at)
{
  uint32_t value;

  asm volatile ("ld.relaxed.gpu.global.b32 %0, [%1];":"=r" (value):"l" (at)
      :"memory");
  return value;
}

static __device__ __forceinline__ void
store_relaxed (uint32_t * at, uint32_t value)
{
  asm volatile ("st.relaxed.gpu.global.b32 [%0], %1;"::"l" (at), "r" (value)
      :"memory");
}

static __global__ void
__launch_bounds__ (CS_THREADS)
find_parents (const CsFrame * f)
{
  const uint32_t stride = gridDim.x * CS_THREADS;

  if (cs_contours_overflow (f))
    return;
  for (uint32_t c = blockIdx.x * CS_THREADS + threadIdx.x;
      c < f->counters->n_raw_contours; c += stride) {
    uint32_t at = load_relaxed (&f->around[c]);

    while (at != CS_NONE && !(at & CS_CLOSED)) {
      at = load_relaxed (&f->around[at]);
      store_relaxed (&f->around[c], at);
    }
    if (at == CS_NONE || !(f->raw.contours[c].flags & CS_CONTOUR_CLOSED))
      continue;
    at &= ~CS_CLOSED;
    if (f->late_filter)
      at = f->new_index[at];
    if (at != CS_DROPPED)
      f->raw.contours[c].parent = f->first_id + (int32_t) at;
  }
}

const void *
cs_contours_parents_kernel (void)
{
  return (const void *) find_parents;
}

/* Filters */

typedef cub::BlockReduce < CsU64, CS_CHUNK_THREADS > Reduce;
typedef cub::BlockScan < CsU64, CS_CHUNK_THREADS > Scan;

typedef union
{
  Reduce::TempStorage reduce;
  Scan::TempStorage scan;
} ChunkStorage;

#define CONTOURS_A_THREAD (CS_CONTOURS_A_CHUNK / CS_CHUNK_THREADS)

/* One block a chunk of contours. */
static __global__ void
__launch_bounds__ (CS_CHUNK_THREADS)
select_contours (const CsFrame * f)
{
  __shared__ ChunkStorage storage;
  __shared__ CsU64 shared;
  const uint32_t n = (uint32_t) f->counters->n_raw_contours;
  const uint32_t begin = blockIdx.x * CS_CONTOURS_A_CHUNK +
      threadIdx.x * CONTOURS_A_THREAD;
  CsU64 sum = 0, before;

  if (cs_contours_overflow (f) || (blockIdx.x &&
          blockIdx.x * CS_CONTOURS_A_CHUNK >= n))
    return;
  for (uint32_t i = threadIdx.x; i < blockIdx.x; i += CS_CHUNK_THREADS)
    sum += f->selected[i];
  sum = Reduce (storage.reduce).Sum (sum);
  if (threadIdx.x == 0)
    shared = sum;
  __syncthreads ();
  before = shared;

  sum = 0;
  for (uint32_t c = begin; c < min (begin + CONTOURS_A_THREAD, n); c++) {
    if (f->new_index[c])
      sum += cs_pack (1, f->raw.offsets[c + 1] - f->raw.offsets[c]);
  }
  Scan (storage.scan).ExclusiveSum (sum, sum);
  before += sum;
  for (uint32_t c = begin; c < min (begin + CONTOURS_A_THREAD, n); c++) {
    if (f->new_index[c]) {
      f->new_index[c] = CS_PACKED_CONTOURS (before);
      f->out.offsets[CS_PACKED_CONTOURS (before)] = CS_PACKED_POINTS (before);
      before += cs_pack (1, f->raw.offsets[c + 1] - f->raw.offsets[c]);
    } else {
      f->new_index[c] = CS_DROPPED;
    }
  }
  /* the thread that has the last contour, or would have it */
  if (begin + CONTOURS_A_THREAD >= n && (begin < n || begin == 0)) {
    f->out.offsets[CS_PACKED_CONTOURS (before)] = CS_PACKED_POINTS (before);
    f->counters->n_contours = CS_PACKED_CONTOURS (before);
    f->counters->n_points = CS_PACKED_POINTS (before);
    f->counters->n_dropped = n - CS_PACKED_CONTOURS (before);
  }
}

const void *
cs_contours_select_kernel (void)
{
  return (const void *) select_contours;
}

static __device__ void
move_points (const CsFrame * f, uint32_t from, uint32_t to, uint32_t n)
{
  for (uint32_t i = threadIdx.x % 32; i < n; i += 32) {
    if (f->points_are_double)
      ((double2 *) f->out.points)[to + i] =
          ((const double2 *) f->raw.points)[from + i];
    else
      ((float2 *) f->out.points)[to + i] =
          ((const float2 *) f->raw.points)[from + i];
  }
}

/* One warp a contour. */
static __global__ void
__launch_bounds__ (CS_THREADS)
move_contours (const CsFrame * f)
{
  const uint32_t n_warps = gridDim.x * (CS_THREADS / 32);
  const int lane = threadIdx.x % 32;

  if (cs_contours_overflow (f))
    return;
  for (uint32_t c = blockIdx.x * (CS_THREADS / 32) + threadIdx.x / 32;
      c < f->counters->n_raw_contours; c += n_warps) {
    const uint32_t to = f->new_index[c], first = f->raw.offsets[c];

    if (to == CS_DROPPED)
      continue;
    if (f->point_size)
      move_points (f, first, f->out.offsets[to], f->raw.offsets[c + 1] - first);
    if (lane < RECORD_WORDS) {
      CsU64 word = ((const CsU64 *) &f->raw.contours[c])[lane];

      if (lane == 0)
        word = pair (f->first_id + to, (uint32_t) (word >> 32));
      ((CsU64 *) &f->out.contours[to])[lane] = word;
    }
    if (f->measures == CS_MEASURES_FULL && lane < CS_N_MOMENTS)
      f->out.moments[to].m[lane] = f->raw.moments[c].m[lane];
  }
}

const void *
cs_contours_move_kernel (void)
{
  return (const void *) move_contours;
}

static __global__ void
__launch_bounds__ (CS_THREADS)
publish (const CsFrame * f)
{
  const bool overflow = cs_contours_overflow (f);

  if (!overflow) {
    const size_t n = f->counters->n_contours;

    if (f->late_filter)
      publish_points (f, blockIdx.x, gridDim.x);
    copy_array (f->host.contours, f->out.contours, n * sizeof (CsContour),
        blockIdx.x, gridDim.x);
    if (f->measures == CS_MEASURES_FULL)
      copy_array (f->host.moments, f->out.moments,
          n * sizeof (CsContourMoments), blockIdx.x, gridDim.x);
  }
  if (blockIdx.x == 0 && threadIdx.x == 0) {
    f->published->counters = *f->counters;
    f->published->overflow = overflow;
  }
}

const void *
cs_contours_publish_kernel (void)
{
  return (const void *) publish;
}
