/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: fragments to ordered contours, and their points; the numbers of those
 * that filters keep. */
#include <cub/block/block_reduce.cuh>
#include <cub/block/block_scan.cuh>

#include "contours_cuda_points.cuh"
#include "contours_math.h"

static __device__ __forceinline__ CsMinJump
load_min_jump (const CsMinJump * at)
{
  CsMinJump jump;
  CsU64 word;

  asm volatile ("ld.relaxed.gpu.global.b64 %0, [%1];":"=l" (word):"l" (at)
      :"memory");
  jump.p = (uint32_t) word;
  jump.min = (uint32_t) (word >> 32);
  return jump;
}

static __device__ __forceinline__ void
store_min_jump (CsMinJump * at, const CsMinJump & jump)
{
  const CsU64 word = jump.p | (CsU64) jump.min << 32;

  asm volatile ("st.relaxed.gpu.global.b64 [%0], %1;"::"l" (at), "l" (word)
      :"memory");
}

static __device__ uint32_t
resolve (const CsFrame * f, uint32_t fragment)
{
  const CsFragment *at = &f->fragments[fragment];

  return cs_fragment_of_key (f, at->target, at->previous);
}

/* One step of pointer jumping for fragment @i: appends the span of @other. Done
 * when p is a head, or when the spans wrap around a cycle, that is, the maximum
 * (minimum) of two adjacent spans is the same. */

static __device__ bool
step_jump (const CsFrame * f, uint32_t i, CsJump & mine, CsJump other)
{
  if (other.p == CS_NONE || other.max == mine.max)
    return true;
  if (other.p == CS_UNRESOLVED)
    other.p = resolve (f, mine.p);
  if (other.max > mine.max) {
    mine.max = other.max;
    mine.max_distance = mine.distance + other.max_distance;
  }
  mine.p = other.p;
  mine.distance += other.distance;
  cs_jump_store (&f->jumps[i], mine);
  return false;
}

static __device__ bool
step_min_jump (const CsFrame * f, uint32_t i, CsMinJump & mine, CsMinJump other)
{
  if (other.p == CS_NONE || other.min == mine.min) {
    mine.min = min (mine.min, other.min);
    return true;
  }
  if (other.p == CS_UNRESOLVED)
    other.p = resolve (f, mine.p);
  mine.min = min (mine.min, other.min);
  mine.p = other.p;
  store_min_jump (&f->min_jumps[i], mine);
  return false;
}

static __device__ void
register_contour (const CsFrame * f, uint32_t target, uint32_t root,
    uint32_t length, bool closed, int32_t shift, uint32_t min)
{
  const bool keep = cs_is_long_enough (f, length);
  const CsRoot made = { length | (closed ? CS_CLOSED : 0), shift, 0,
    keep ? 0 : CS_DROPPED
  };
  const uint32_t pixel = min >> 1, row = pixel / f->width;
  const uint32_t column = pixel - row * f->width;
  const uint32_t w = cs_word_index (f, target, row, column / CS_TILE);

  f->roots[root] = made;
  if (!keep) {
    atomicAdd (&f->counters->n_dropped, 1ull);
    return;
  }
  atomicOr (min & 1 ? &f->starts[w].second : &f->starts[w].first,
      1u << column % CS_TILE);
  atomicAdd (&f->chunks[w / CS_WORDS_PER_CHUNK], cs_pack (1, length + 1));
}

/* Root and rank of fragment @i once its jumps are complete; the last of a
 * contour's fragments registers the contour. */
static __device__ void
place_fragment (const CsFrame * f, uint32_t i, const CsFragment & fragment,
    const CsJump & jump, bool closed, uint32_t min)
{
  CsPlace place = { 0, 0, fragment.target, 0 };

  if (closed) {
    const uint32_t root = cs_fragment_of_key (f, fragment.target, jump.max);
    const uint32_t next = cs_fragment_of_key (f, fragment.target,
        fragment.next);

    place.root = root;
    place.rank = (int32_t) (jump.max_distance - fragment.length);
    if (next == root) {
      const CsFragment *first = &f->fragments[root];

      register_contour (f, fragment.target, root,
          jump.max_distance + first->length, true,
          (int32_t) (first->length - first->max_rank - 1), min);
    }
  } else {
    place.root = jump.p;
    place.rank = (int32_t) (jump.distance + f->fragments[jump.p].length -
        fragment.length);
    if (fragment.next == CS_NONE)
      register_contour (f, fragment.target, place.root,
          (uint32_t) place.rank + fragment.length, false, 0, min);
  }
  f->places[i] = place;
}

static __global__ void
__launch_bounds__ (CS_THREADS)
join_fragments (const CsFrame * f)
{
  const uint32_t stride = gridDim.x * CS_THREADS;
  const uint32_t first = blockIdx.x * CS_THREADS + threadIdx.x;

  cs_clear_next (f, first, stride);
  if (cs_segments_overflow (f))
    return;

  for (uint32_t i = first; i < f->counters->n_fragments; i += stride) {
    const CsFragment fragment = f->fragments[i];

    if (fragment.whole)
      continue;
    if (fragment.previous == CS_NONE) {
      const CsPlace place = { i, 0, fragment.target, 0 };

      f->places[i] = place;
      continue;
    }
    CsJump jump = { resolve (f, i), fragment.length, fragment.max, 0 };
    CsMinJump min_jump = { jump.p, fragment.min };
    bool ranked = false, has_min = false, closed = false;

    cs_jump_store (&f->jumps[i], jump);
    store_min_jump (&f->min_jumps[i], min_jump);
    while (!ranked || !has_min) {
      /* issue both loads before using either */
      const CsJump other = cs_jump_load (&f->jumps[jump.p]);
      const CsMinJump other_min = load_min_jump (&f->min_jumps[min_jump.p]);

      closed = ranked ? closed : other.p != CS_NONE;
      ranked = ranked || step_jump (f, i, jump, other);
      has_min = has_min || step_min_jump (f, i, min_jump, other_min);
    }
    place_fragment (f, i, fragment, jump, closed, min_jump.min);
  }
}

const void *const cs_contours_join_kernel = (const void *) join_fragments;

/* Order */

#define WORDS_PER_THREAD (CS_WORDS_PER_CHUNK / CS_CHUNK_THREADS)

/* Sets a contour's place in all arrays. */
static __device__ void
place_contour (const CsFrame * f, uint32_t root, uint32_t kind,
    uint32_t length, CsU64 before, uint32_t w, uint32_t start)
{
  const uint32_t index = CS_PACKED_CONTOURS (before);
  const uint32_t offset = CS_PACKED_POINTS (before);

  if (index >= f->max_contours)
    return;
  f->roots[root].offset = offset;
  f->roots[root].index = index;
  f->raw.offsets[index] = offset;
  f->contour_kind[index] = kind;
  f->contour_word[index] = w;
  f->contour_bit[index] = start & 63;
  if (length > f->max_short) {
    const uint32_t n = (length + CS_SUM_BLOCK - 1) / CS_SUM_BLOCK;

    f->contour_done[index] = 0;
    f->contour_items[index] =
        (uint32_t) atomicAdd (&f->counters->n_items, (CsU64) n);
  }
}

/* Lists starts @begin .. @begin + CS_CHUNK_THREADS - 1 of a chunk as word << 6
 * | bit << 1 | k, from the words of each thread; @number is the index of the
 * thread's first start. */
static __device__ void
list_starts (const CsStarts * starts, uint32_t number, uint32_t begin,
    uint32_t * list)
{
#pragma unroll
  for (uint32_t s = 0; s < WORDS_PER_THREAD; s++) {
    uint32_t cells = starts[s].first | starts[s].second;

    for (; cells; cells &= cells - 1) {
      const uint32_t bit = __ffs (cells) - 1;

      for (uint32_t k = 0; k < 2; k++) {
        if ((k ? starts[s].second : starts[s].first) >> bit & 1) {
          if (number - begin < CS_CHUNK_THREADS)
            list[number - begin] = (threadIdx.x * WORDS_PER_THREAD + s) << 6 |
                bit << 1 | k;
          number++;
        }
      }
    }
  }
}

static __device__ void
finish_order (const CsFrame * f, CsU64 total)
{
  const uint32_t n = CS_PACKED_CONTOURS (total);

  f->counters->n_raw_contours = n;
  f->counters->n_raw_points = CS_PACKED_POINTS (total);
  if (n <= f->max_contours)
    f->raw.offsets[n] = CS_PACKED_POINTS (total);
  if (!f->late_filter) {
    f->counters->n_contours = n;
    f->counters->n_points = CS_PACKED_POINTS (total);
  }
}

/* Prefix sums by blocks of CS_CHUNK_THREADS, one per chunk. */
typedef cub::BlockReduce<CsU64, CS_CHUNK_THREADS> Reduce;
typedef cub::BlockScan<CsU64, CS_CHUNK_THREADS> Scan;

typedef union
{
  Reduce::TempStorage reduce;
  Scan::TempStorage scan;
} ChunkStorage;

/* Exclusive prefix sum at chunk @chunk, in all threads. */
static __device__ __forceinline__ CsU64
sum_before (const CsU64 * chunks, uint32_t chunk, ChunkStorage & storage,
    CsU64 & shared)
{
  CsU64 sum = 0;

  for (uint32_t i = threadIdx.x; i < chunk; i += CS_CHUNK_THREADS)
    sum += chunks[i];
  sum = Reduce (storage.reduce).Sum (sum);
  if (threadIdx.x == 0)
    shared = sum;
  __syncthreads ();
  return shared;
}

/* One block per chunk of words; a thread takes some words, then a contour. */
static __global__ void
__launch_bounds__ (CS_CHUNK_THREADS)
order_contours (const CsFrame * f)
{
  __shared__ ChunkStorage storage;
  __shared__ CsU64 shared;
  __shared__ uint32_t list[CS_CHUNK_THREADS];
  const bool last = blockIdx.x == f->n_chunks - 1;
  const uint32_t first_word = blockIdx.x * CS_WORDS_PER_CHUNK;
  const uint32_t n = CS_PACKED_CONTOURS (f->chunks[blockIdx.x]);
  CsStarts starts[WORDS_PER_THREAD];
  CsU64 before, number = 0;

  if (cs_segments_overflow (f) || (n == 0 && !last))
    return;
#pragma unroll
  for (uint32_t s = 0; s < WORDS_PER_THREAD; s++) {
    const uint32_t w = first_word + threadIdx.x * WORDS_PER_THREAD + s;

    starts[s].first = starts[s].second = 0;
    if (w < f->n_words)
      starts[s] = f->starts[w];
    number += __popc (starts[s].first) + __popc (starts[s].second);
  }
  before = sum_before (f->chunks, blockIdx.x, storage, shared);
  Scan (storage.scan).ExclusiveSum (number, number);

  for (uint32_t begin = 0; begin < n; begin += CS_CHUNK_THREADS) {
    const bool mine = begin + threadIdx.x < n;
    uint32_t root = 0, kind = 0, length = 0, w = 0, start = 0;
    CsU64 offset, sum;

    __syncthreads ();
    list_starts (starts, (uint32_t) number, begin, list);
    __syncthreads ();
    if (mine) {
      start = list[threadIdx.x];
      w = first_word + (start >> 6);
      root = f->places[f->segment_fragment[cs_word_segment (f->words[w],
                  start >> 1 & 31, start & 1)]].root;
      length = f->roots[root].length;
      kind = f->places[root].target | (length & CS_CLOSED);
      length &= ~CS_CLOSED;
    }
    Scan (storage.scan).ExclusiveSum (mine ? cs_pack (1, length + 1) : 0,
        offset, sum);
    if (mine)
      place_contour (f, root, kind, length, before + offset, w, start);
    before += sum;
  }
  if (last && threadIdx.x == 0)
    finish_order (f, before);
}

const void *const cs_contours_order_kernel = (const void *) order_contours;

/* Emit */

static __device__ __forceinline__ void
store_point (const CsFrame * f, uint32_t at, double2 point)
{
  if (f->points_are_double)
    ((double2 *) f->raw.points)[at] = point;
  else
    ((float2 *) f->raw.points)[at] = make_float2 ((float) point.x,
        (float) point.y);
}

template <typename T, typename V> static __global__ void
__launch_bounds__ (CS_THREADS)
emit_points (const CsFrame * f)
{
  const uint32_t stride = gridDim.x * CS_THREADS;

  if (cs_contours_overflow (f))
    return;
  for (uint32_t s = blockIdx.x * CS_THREADS + threadIdx.x;
      s < f->counters->n_segments; s += stride) {
    const uint32_t info = f->segment_info[s], pixel = f->segment_pixel[s];
    const CsPlace place = f->places[f->segment_fragment[s]];
    const CsRoot root = f->roots[place.root];

    if (root.index == CS_DROPPED)
      continue;
    const bool closed = (root.length & CS_CLOSED) != 0;
    const int32_t length = (int32_t) (root.length & ~CS_CLOSED);
    int32_t rank = place.rank + (int32_t) CS_SEGMENT_RANK (info) + root.shift;

    if (closed)
      rank += rank < 0 ? length : rank >= length ? -length : 0;
    const double2 end = find_crossing<T, V> (f, place.target, pixel,
        CS_SEGMENT_TO (info)).point (f, cs_target_level (f, place.target));
    const uint32_t first = root.offset + (f->reversed ? length : 0);

    store_point (f, root.offset + (f->reversed ? length - rank - 1 : rank + 1),
        end);
    if (closed && rank == length - 1)
      store_point (f, first, end);
    if (!closed && rank == 0)
      store_point (f, first, find_crossing<T, V> (f, place.target, pixel,
              CS_SEGMENT_FROM (info)).point (f, cs_target_level (f,
                  place.target)));
    if (length > (int32_t) f->max_short && rank % CS_SUM_BLOCK == 0)
      f->items[f->contour_items[root.index] + rank / CS_SUM_BLOCK] = root.index;
  }
}

const void *
cs_contours_emit_kernel (CsSampleType type)
{
  return (const void *) CS_FOR_TYPE (emit_points, type);
}

/* Filters */

#define CONTOURS_PER_THREAD (CS_CONTOURS_PER_CHUNK / CS_CHUNK_THREADS)

/* One block per chunk of contours. */
static __global__ void
__launch_bounds__ (CS_CHUNK_THREADS)
select_contours (const CsFrame * f)
{
  __shared__ ChunkStorage storage;
  __shared__ CsU64 shared;
  const uint32_t n = (uint32_t) f->counters->n_raw_contours;
  const uint32_t begin = blockIdx.x * CS_CONTOURS_PER_CHUNK +
      threadIdx.x * CONTOURS_PER_THREAD;
  CsU64 sum = 0, before;

  if (cs_contours_overflow (f) || (blockIdx.x &&
          blockIdx.x * CS_CONTOURS_PER_CHUNK >= n))
    return;
  before = sum_before (f->selected, blockIdx.x, storage, shared);
  for (uint32_t c = begin; c < min (begin + CONTOURS_PER_THREAD, n); c++) {
    if (f->new_index[c])
      sum += cs_pack (1, f->raw.offsets[c + 1] - f->raw.offsets[c]);
  }
  Scan (storage.scan).ExclusiveSum (sum, sum);
  before += sum;
  for (uint32_t c = begin; c < min (begin + CONTOURS_PER_THREAD, n); c++) {
    if (f->new_index[c]) {
      f->new_index[c] = CS_PACKED_CONTOURS (before);
      f->out.offsets[CS_PACKED_CONTOURS (before)] = CS_PACKED_POINTS (before);
      before += cs_pack (1, f->raw.offsets[c + 1] - f->raw.offsets[c]);
    } else {
      f->new_index[c] = CS_DROPPED;
    }
  }
  /* the thread of the last contour, or the first one if there is none */
  if (begin + CONTOURS_PER_THREAD >= n && (begin < n || begin == 0)) {
    f->out.offsets[CS_PACKED_CONTOURS (before)] = CS_PACKED_POINTS (before);
    f->counters->n_contours = CS_PACKED_CONTOURS (before);
    f->counters->n_points = CS_PACKED_POINTS (before);
    f->counters->n_dropped = n - CS_PACKED_CONTOURS (before);
  }
}

const void *const cs_contours_select_kernel = (const void *) select_contours;
