/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: measures and hierarchy of emitted contours, the move of those that
 * filters keep, and the copy to the host. */
#include "contours_cuda_points.cuh"
#include "contours_cuda_sums.cuh"

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

/* Publishes what no filter changes. */
static __device__ void
publish_points (const CsFrame * f, uint32_t block, uint32_t n_blocks)
{
  copy_array (f->host.points, f->out.points,
      f->counters->n_points * f->point_size, block, n_blocks);
  copy_array (f->host.offsets, f->out.offsets,
      (f->counters->n_contours + 1) * sizeof (uint32_t), block, n_blocks);
}

/* Thread 0 of block 0 publishes the counts. */
static __device__ void
publish_counts (const CsFrame * f, bool overflow)
{
  if (blockIdx.x > 0 || threadIdx.x > 0)
    return;
  f->published->counters = *f->counters;
  f->published->overflow = overflow;
}

/* Measures */

static __device__ __forceinline__ Subject
subject_at (const CsFrame * f, uint32_t index)
{
  Subject subject = { index, 0, 0, 0 };

  subject.first = f->raw.offsets[index];
  subject.length = f->raw.offsets[index + 1] - subject.first - 1;
  subject.kind = f->contour_kind[index];
  return subject;
}

/* Warp @warp of @n_warps measures its share of the short contours. */
template <int M> static __device__ __forceinline__ void
measure_short (const CsFrame * f, uint32_t warp, uint32_t n_warps)
{
  const uint32_t group = threadIdx.x % 32 / GROUP;
  const uint32_t n_contours = (uint32_t) f->counters->n_raw_contours;

  /* reversed order of warps, to balance with measure_long() */
  for (uint32_t begin = (n_warps - 1 - warp) * (32 / GROUP);
      begin < n_contours; begin += n_warps * (32 / GROUP)) {
    Subject subject = { 0, 0, 0, 0 };

    if (begin + group < n_contours)
      subject = subject_at (f, begin + group);
    measure_group<M> (f, points_of (f), subject);
  }
}

/* Warp @warp of @n_warps measures its share of the others. */
template <int M> static __device__ __forceinline__ void
measure_long (const CsFrame * f, uint32_t warp, uint32_t n_warps)
{
  const uint32_t n_items = (uint32_t) f->counters->n_items;

  for (uint32_t item = warp; item < n_items; item += n_warps) {
    const uint32_t index = f->items[item];

    measure_item<M> (f, points_of (f), subject_at (f, index), item,
        item - f->contour_items[index]);
  }
}

template <int M> static __global__ void
__launch_bounds__ (CS_THREADS, M >= CS_MEASURES_FULL ? 2 : 3)
measure_contours (const CsFrame * f)
{
  const uint32_t n_warps = f->measure_blocks * (CS_THREADS / 32);
  const uint32_t n_copiers = gridDim.x - f->measure_blocks;
  const uint32_t warp = (blockIdx.x - n_copiers) * (CS_THREADS / 32) +
      threadIdx.x / 32;

  const bool overflow = cs_contours_overflow (f);

  if (f->direct)
    publish_counts (f, overflow);
  if (overflow)
    return;
  if (blockIdx.x < n_copiers) {
    if (!f->late_filter)
      publish_points (f, blockIdx.x, n_copiers);
    return;
  }
  measure_long<M> (f, warp, n_warps);
  if constexpr (M < CS_MEASURES_FULL)
    measure_short<M> (f, warp, n_warps);
}

const void *
cs_contours_measure_kernel (CsMeasures measures)
{
  return (const void *) (measures == CS_MEASURES_NONE ?
      measure_contours<CS_MEASURES_NONE> : measures == CS_MEASURES_BASIC ?
      measure_contours<CS_MEASURES_BASIC> : measure_contours<CS_MEASURES_FULL>);
}

/* Hierarchy */

/* enclosing[c]: CS_NONE, or a contour: with CS_CLOSED it encloses c, otherwise
 * it has the same enclosing contour as c. */

/* A segment: its word, and its position in the word. */
struct At
{
  uint32_t w, bit, k;
};

static __device__ __forceinline__ uint32_t
segment_at (const CsFrame * f, const At & at)
{
  return cs_word_segment (f->words[at.w], at.bit, at.k);
}

static __device__ __forceinline__ bool
touches (uint32_t info, int edge)
{
  return CS_SEGMENT_FROM (info) == edge || CS_SEGMENT_TO (info) == edge;
}

/* Whether the segment's end on edge @edge, left or right, collapsed onto the
 * upper pixel. */
template <typename T, typename V> static __device__ bool
is_at_top (const CsFrame * f, const At & at, uint32_t info, int edge)
{
  const uint32_t rows = f->height - 1, row_word = at.w / f->tiles_x;
  const uint32_t target = row_word / rows, row = row_word % rows;
  const uint32_t column = at.w % f->tiles_x * CS_TILE + at.bit;

  return touches (info, edge) && find_crossing<T, V> (f, target,
      row * f->width + column, edge).point (f, cs_target_level (f, target)).y ==
      f->origin_y + row;
}

/* Moves @at to the right segment of the nearest cell to the left with any;
 * whether there is one. */
static __device__ bool
find_left_cell (const CsFrame * f, At & at)
{
  const uint32_t row_begin = at.w - at.w % f->tiles_x;
  CsWord word = f->words[at.w];
  uint32_t cells = (word.first | word.second) & cs_bits_below (at.bit);

  while (cells == 0) {
    if (at.w == row_begin)
      return false;
    word = f->words[--at.w];
    cells = word.first | word.second;
  }
  at.bit = 31 - __clz (cells);
  at.k = word.second >> at.bit & 1;
  if (at.k && word.first >> at.bit & 1)
    at.k = touches (f->segment_info[segment_at (f, at)], CS_EDGE_R);
  return true;
}

/* Moves @at to the segment hit by a ray to the left; whether there is one. */
template <typename T, typename V> static __device__ bool
find_left (const CsFrame * f, At & at)
{
  const CsWord word = f->words[at.w];
  const bool both = (word.first & word.second) >> at.bit & 1;

  if (both && at.k == 0) {
    const At second = { at.w, at.bit, 1 };
    const uint32_t info = f->segment_info[segment_at (f, second)];

    if (is_at_top<T, V> (f, second, info, CS_EDGE_L)) {
      at = second;
      return true;
    }
  } else if (both && !touches (f->segment_info[segment_at (f, at)],
          CS_EDGE_L)) {
    at.k = 0;
    return true;
  }
  return find_left_cell (f, at);
}

static __device__ __forceinline__ CsRoot
root_at (const CsFrame * f, const At & at)
{
  return f->roots[f->places[f->segment_fragment[segment_at (f, at)]].root];
}

/* The segment of contour @c that is farthest to the left in its first row. */
template <typename T, typename V> static __device__ At
leftmost_segment (const CsFrame * f, uint32_t c)
{
  const At first = { f->contour_word[c], f->contour_bit[c] >> 1,
    f->contour_bit[c] & 1
  };
  At left = first;

  return find_left<T, V> (f, left) && left.w == first.w &&
      left.bit == first.bit && left.k > first.k &&
      root_at (f, left).index == c ? left : first;
}

template <typename T, typename V> static __global__ void
__launch_bounds__ (CS_THREADS)
find_enclosing (const CsFrame * f)
{
  const uint32_t stride = gridDim.x * CS_THREADS;

  if (cs_contours_overflow (f))
    return;
  for (uint32_t c = blockIdx.x * CS_THREADS + threadIdx.x;
      c < f->counters->n_raw_contours; c += stride) {
    At met = leftmost_segment<T, V> (f, c);

    if (!find_left<T, V> (f, met)) {
      f->enclosing[c] = CS_NONE;
      continue;
    }
    const CsRoot root = root_at (f, met);
    bool inside = (root.length & CS_CLOSED) != 0;

    if (inside) {
      const At own = leftmost_segment<T, V> (f, root.index);
      const uint32_t a = f->segment_info[segment_at (f, met)];
      const uint32_t b = f->segment_info[segment_at (f, own)];

      inside = cs_right_ray_is_high (CS_SEGMENT_FROM (a), CS_SEGMENT_TO (a),
          is_at_top<T, V> (f, met, a, CS_EDGE_R)) !=
          cs_left_ray_is_high (CS_SEGMENT_FROM (b), CS_SEGMENT_TO (b),
          is_at_top<T, V> (f, own, b, CS_EDGE_L));
    }
    f->enclosing[c] = root.index | (inside ? CS_CLOSED : 0);
  }
}

const void *
cs_contours_enclosing_kernel (CsSampleType type)
{
  return (const void *) CS_FOR_TYPE (find_enclosing, type);
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
    uint32_t at = cs_load_relaxed (&f->enclosing[c]);

    while (at != CS_NONE && !(at & CS_CLOSED)) {
      at = cs_load_relaxed (&f->enclosing[at]);
      cs_store_relaxed (&f->enclosing[c], at);
    }
    if (at == CS_NONE || !(f->raw.contours[c].flags & CS_CONTOUR_CLOSED))
      continue;
    at &= ~CS_CLOSED;
    if (f->late_filter)
      at = f->new_index[at];
    if (at != CS_DROPPED)
      f->raw.contours[c].parent = (int32_t) ((uint32_t) f->first_id + at);
  }
}

const void *const cs_contours_parents_kernel = (const void *) find_parents;

/* Filters */

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

/* One warp per contour. */
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
        word = pair ((uint32_t) f->first_id + to, (uint32_t) (word >> 32));
      ((CsU64 *) &f->out.contours[to])[lane] = word;
    }
    if (f->measures == CS_MEASURES_FULL && lane < CS_N_MOMENTS)
      f->out.moments[to].m[lane] = f->raw.moments[c].m[lane];
  }
}

const void *const cs_contours_move_kernel = (const void *) move_contours;

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
  publish_counts (f, overflow);
}

const void *const cs_contours_publish_kernel = (const void *) publish;
