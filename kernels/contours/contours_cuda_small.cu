/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA, small path: one cluster of blocks assembles, orders, emits and measures
 * all contours of a target, and publishes them to the host. The first block,
 * the leader, joins the fragments in its shared memory while the others load
 * the segments; then all blocks emit and measure, reading the leader's
 * distributed shared memory. */
#include "base/cuda_cluster.cuh"
#include "contours_cuda.cuh"
#include "contours_cuda_points.cuh"
#include "contours_cuda_sums.cuh"

/* Blocks per cluster; the host uses the same number */
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
#define N_PARTS 8
#define CLUSTERED __cluster_dims__ (N_PARTS, 1, 1)
#else
#define N_PARTS 1
#define CLUSTERED
#endif
/* All threads of a target */
#define N_THREADS (N_PARTS * CS_SMALL_THREADS)
/* Threads that emit: not the leader's, if there are other blocks */
#define N_EMITTERS (N_PARTS > 1 ? N_THREADS - CS_SMALL_THREADS : N_THREADS)
/* All warps but the leader's last, which updates the counters meanwhile */
#define N_WARPS (CS_SMALL_THREADS / 32)
#define N_MEASURING_WARPS (N_PARTS * N_WARPS - 1)
#define ITEMS (CS_SMALL_FRAGMENTS / CS_SMALL_THREADS)
/* Segments of a thread with loads in flight */
#define BATCH_SEGMENTS 1

static_assert (CS_SMALL_ITEMS >= CS_SMALL_SEGMENTS / (CS_SUM_LANES + 1),
    "an item for every block of every long contour");

/* Contours before ordering. */
typedef struct
{
  uint32_t min[CS_SMALL_FRAGMENTS];     /* keys of their first segments */
  uint16_t root[CS_SMALL_FRAGMENTS];
  uint16_t n_points[CS_SMALL_FRAGMENTS];
} Registered;

/* A block of terms of a long contour. */
typedef struct
{
  uint32_t first, length;       /* of the contour; and CS_CLOSED */
  uint16_t index, block;
} Item;

/* The leader's state; fragments by their index in the target. */
struct Assembly
{
  union
  {
    CsJump jumps[CS_SMALL_FRAGMENTS];
    CsRoot roots[CS_SMALL_FRAGMENTS];
  };
  union
  {
    CsMinJump min_jumps[CS_SMALL_FRAGMENTS];
    Registered registered;
  };
  uint32_t length[CS_SMALL_FRAGMENTS];
  int32_t shift[CS_SMALL_FRAGMENTS];    /* as root of a closed contour */
  int32_t rank[CS_SMALL_FRAGMENTS];
  uint16_t root[CS_SMALL_FRAGMENTS];
  uint16_t previous[CS_SMALL_FRAGMENTS];
  uint16_t max_index[CS_SMALL_FRAGMENTS];       /* of jumps: argmax */
  uint16_t by_index[CS_SMALL_FRAGMENTS];        /* root of each contour */
  Item items[CS_SMALL_ITEMS];
  uint32_t n_contours, n_points, n_items;
  CsU64 before;                 /* of the targets before this one */
  bool fits;                    /* the result, into its memory */
};

/* The blocks of a cluster */

static __device__ __forceinline__ uint32_t
part_of_target (void)
{
  return blockIdx.x % N_PARTS;
}

/* The thread's index among those that emit. */
static __device__ __forceinline__ uint32_t
emitter_index (void)
{
  return (part_of_target () - (N_PARTS > 1)) * CS_SMALL_THREADS + threadIdx.x;
}

/* Cluster barrier: earlier writes are visible to all blocks. */
static __device__ __forceinline__ void
synchronize_parts (void)
{
#if N_PARTS > 1
  cs_cluster_arrive ();
  cs_cluster_wait ();
#else
  __syncthreads ();
#endif
}

static __device__ __forceinline__ const Assembly &
leader_assembly (Assembly & own)
{
#if N_PARTS > 1
  return *cs_cluster_map (&own, 0);
#else
  return own;
#endif
}

/* A thread's fragment and its jump. */
struct Fragment
{
  CsFragment made;
  CsJump jump;
  CsMinJump min_jump;
  uint32_t max_index;
  bool ranked, has_min, closed;
};

/* Fragments */

static __device__ __forceinline__ uint32_t
fragment_number (uint32_t s)
{
  return threadIdx.x + s * CS_SMALL_THREADS;
}

static __device__ __forceinline__ bool
is_joined (const Fragment & fragment)
{
  return fragment.made.whole || fragment.made.previous == CS_NONE;
}

static __device__ __forceinline__ void
load_fragments (const CsFrame & f, Assembly & t, uint32_t target, uint32_t n,
    Fragment * fragments)
{
  const uint32_t base = target * CS_SMALL_FRAGMENTS;

#pragma unroll
  for (uint32_t s = 0; s < ITEMS; s++) {
    if (fragment_number (s) < n)
      fragments[s].made = f.fragments[base + fragment_number (s)];
  }
#pragma unroll
  for (uint32_t s = 0; s < ITEMS; s++) {
    const uint32_t i = fragment_number (s);
    Fragment & at = fragments[s];

    if (i >= n)
      continue;
    const bool joined = is_joined (at);
    const uint32_t previous = joined ? CS_NONE :
        cs_fragment_of_key (&f, target, at.made.previous) - base;

    at.jump.p = previous;
    at.jump.distance = at.made.length;
    at.jump.max = at.made.max;
    at.jump.max_distance = 0;
    at.min_jump.p = previous;
    at.min_jump.min = at.made.min;
    at.max_index = i;
    at.ranked = at.has_min = joined;
    at.closed = false;
    t.jumps[i] = at.jump;
    t.min_jumps[i] = at.min_jump;
    t.max_index[i] = (uint16_t) i;
    t.previous[i] = (uint16_t) previous;
    t.length[i] = at.made.length;
    t.shift[i] = (int32_t) (at.made.length - at.made.max_rank - 1);
  }
}

/* One step of pointer jumping, as step_jump() and step_min_jump() of the
 * general path. */
static __device__ __forceinline__ void
step_back (const Assembly & t, Fragment & at)
{
  const CsJump other = t.jumps[at.jump.p];
  const CsMinJump other_min = t.min_jumps[at.min_jump.p];
  const uint32_t other_index = t.max_index[at.jump.p];

  if (!at.ranked) {
    at.closed = other.p != CS_NONE;
    at.ranked = other.p == CS_NONE || other.max == at.jump.max;
    if (!at.ranked) {
      if (other.max > at.jump.max) {
        at.jump.max = other.max;
        at.jump.max_distance = at.jump.distance + other.max_distance;
        at.max_index = other_index;
      }
      at.jump.p = other.p;
      at.jump.distance += other.distance;
    }
  }
  if (!at.has_min) {
    at.has_min = other_min.p == CS_NONE || other_min.min == at.min_jump.min;
    at.min_jump.min = min (at.min_jump.min, other_min.min);
    if (!at.has_min)
      at.min_jump.p = other_min.p;
  }
}

static __device__ __forceinline__ void
join_fragments (Assembly & t, uint32_t n, Fragment * fragments)
{
  for (;;) {
    bool active = false;

#pragma unroll
    for (uint32_t s = 0; s < ITEMS; s++)
      active |= fragment_number (s) < n &&
          !(fragments[s].ranked && fragments[s].has_min);
    /* also the barrier before reading */
    if (!__syncthreads_or (active))
      return;
#pragma unroll
    for (uint32_t s = 0; s < ITEMS; s++) {
      if (fragment_number (s) < n &&
          !(fragments[s].ranked && fragments[s].has_min))
        step_back (t, fragments[s]);
    }
    __syncthreads ();
#pragma unroll
    for (uint32_t s = 0; s < ITEMS; s++) {
      const uint32_t i = fragment_number (s);

      if (i < n && !fragments[s].ranked) {
        t.jumps[i] = fragments[s].jump;
        t.max_index[i] = (uint16_t) fragments[s].max_index;
      }
      if (i < n && !fragments[s].has_min)
        t.min_jumps[i] = fragments[s].min_jump;
    }
  }
}

static __device__ __forceinline__ void
register_contour (const CsFrame & f, Assembly & t, uint32_t root,
    uint32_t length, bool closed, int32_t shift, uint32_t min)
{
  const bool keep = cs_is_long_enough (&f, length);
  const CsRoot made = { length | (closed ? CS_CLOSED : 0), shift, 0,
    keep ? 0 : CS_DROPPED
  };

  t.roots[root] = made;
  if (keep) {
    const uint32_t at = atomicAdd (&t.n_contours, 1);

    t.registered.min[at] = min;
    t.registered.root[at] = (uint16_t) root;
    t.registered.n_points[at] = (uint16_t) (length + 1);
  }
}

/* As place_fragment() of the general path. */
static __device__ __forceinline__ void
place_fragment (const CsFrame & f, Assembly & t, uint32_t i,
    const Fragment & at)
{
  const CsFragment & made = at.made;
  uint32_t root = i;
  int32_t rank = 0;

  if (made.whole) {
    /* if dropped, the tile kernel has counted it */
    register_contour (f, t, i, made.length, made.whole == CS_WHOLE_CLOSED, 0,
        made.min);
  } else if (at.closed) {
    root = at.max_index;
    rank = (int32_t) (at.jump.max_distance - made.length);
    if (t.previous[root] == i) {
      const uint32_t length = at.jump.max_distance + t.length[root];

      register_contour (f, t, root, length, true, t.shift[root],
          at.min_jump.min);
      if (!cs_is_long_enough (&f, length))
        atomicAdd (&f.counters->n_dropped, 1ull);
    }
  } else if (made.previous != CS_NONE) {
    root = at.jump.p;
    rank = (int32_t) (at.jump.distance + t.length[root] - made.length);
    if (made.next == CS_NONE) {
      const uint32_t length = (uint32_t) rank + made.length;

      register_contour (f, t, root, length, false, 0, at.min_jump.min);
      if (!cs_is_long_enough (&f, length))
        atomicAdd (&f.counters->n_dropped, 1ull);
    }
  }
  t.root[i] = (uint16_t) root;
  t.rank[i] = rank;
}

/* Order */

/* Rank by counting, some lanes per contour: the contours with a smaller first
 * key precede it. The last one sets the number of points. */
#define ORDER_LANES 4

static __device__ __forceinline__ void
order_contours (Assembly & t)
{
  const uint32_t lane = threadIdx.x % ORDER_LANES, n = t.n_contours;

#pragma unroll 1
  for (uint32_t begin = threadIdx.x / 32 * (32 / ORDER_LANES); begin < n;
      begin += N_WARPS * (32 / ORDER_LANES)) {
    const uint32_t c = begin + threadIdx.x % 32 / ORDER_LANES;
    const uint32_t mine = c < n ? t.registered.min[c] : 0;
    uint32_t index = 0, offset = 0;

#pragma unroll 4
    for (uint32_t j = lane; j < n; j += ORDER_LANES) {
      const bool before = t.registered.min[j] < mine;

      index += before;
      offset += before ? t.registered.n_points[j] : 0;
    }
    index = cs_group_sum<ORDER_LANES> (index);
    offset = cs_group_sum<ORDER_LANES> (offset);
    if (lane == 0 && c < n) {
      const uint32_t root = t.registered.root[c];

      t.roots[root].index = index;
      t.roots[root].offset = offset;
      t.by_index[index] = (uint16_t) root;
      if (index == n - 1)
        t.n_points = offset + t.registered.n_points[c];
    }
  }
}

/* Lists the blocks of long contours. */
static __device__ __forceinline__ void
list_items (const CsFrame & f, Assembly & t)
{
#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < t.n_contours; i += CS_SMALL_THREADS) {
    const CsRoot root = t.roots[t.by_index[i]];
    const uint32_t length = root.length & ~CS_CLOSED;

    if (length > f.max_short) {
      const uint32_t n = (length + CS_SUM_BLOCK - 1) / CS_SUM_BLOCK;
      const uint32_t begin = atomicAdd (&t.n_items, n);

#pragma unroll 1
      for (uint32_t b = 0; b < n; b++) {
        const Item item = { CS_PACKED_POINTS (t.before) + root.offset,
          root.length, (uint16_t) i, (uint16_t) b
        };

        t.items[begin + b] = item;
      }
    }
  }
}

/* Targets among each other */

static __device__ __forceinline__ CsU64
load_relaxed (const CsU64 * at)
{
  CsU64 value;

  asm volatile ("ld.relaxed.gpu.global.b64 %0, [%1];":"=l" (value):"l" (at)
      :"memory");
  return value;
}

/* The first warp spins until the preceding targets are counted. No deadlock:
 * their blocks started earlier and wait only for their predecessors. */
static __device__ __forceinline__ void
sum_before (const CsFrame & f, Assembly & t, uint32_t target)
{
  CsU64 sum = 0;

  if (threadIdx.x >= 32)
    return;
  for (uint32_t i = threadIdx.x; i < target; i += 32) {
    CsU64 total;

    do
      total = load_relaxed (&f.target_counts[i].total);
    while (!(total & CS_KNOWN));
    sum += total & ~CS_KNOWN;
  }
  sum = cs_warp_sum (sum);
  if (threadIdx.x == 0)
    t.before = sum;
}

static __device__ __forceinline__ void
publish_counters (const CsFrame & f, const CsCounters & counters)
{
  CsCounters *to = &f.published->counters;
  const bool too_large = counters.n_too_large != 0;

  *to = counters;
  to->n_contours = counters.n_raw_contours;
  to->n_points = counters.n_raw_points;
  f.published->too_large = too_large;
  f.published->overflow = too_large ||
      counters.n_raw_contours > f.max_contours ||
      counters.n_raw_points > f.max_points;
}

/* Publishes the target's contours and points to the following targets. */
static __device__ __forceinline__ void
publish_total (const CsFrame & f, uint32_t target, CsU64 total)
{
  atomicExch (&f.target_counts[target].total, total | CS_KNOWN);
}

/* Adds a target to the frame's counters; the last one publishes them. */
static __device__ __forceinline__ void
count_target (const CsFrame & f, uint32_t target, CsU64 total,
    bool too_large)
{
  const CsTargetCounts & own = f.target_counts[target];
  CsCounters *counters = f.counters;

  atomicAdd (&counters->n_segments, own.n_segments);
  atomicAdd (&counters->n_fragments, own.n_fragments);
  atomicAdd (&counters->n_raw_contours, (CsU64) CS_PACKED_CONTOURS (total));
  atomicAdd (&counters->n_raw_points, (CsU64) CS_PACKED_POINTS (total));
  if (too_large)
    atomicAdd (&counters->n_too_large, 1ull);
  __threadfence ();
  if (atomicAdd (&counters->n_finished, 1ull) + 1 < f.n_targets)
    return;
  __threadfence ();

  CsCounters all;

  for (uint32_t i = 0; i < sizeof (all) / sizeof (CsU64); i++)
    ((CsU64 *) &all)[i] = load_relaxed ((const CsU64 *) counters + i);
  publish_counters (f, all);
}

/* Points */

static __device__ __forceinline__ void
store_point (const Points & points, uint32_t at, double2 point)
{
  if (points.are_double)
    ((double2 *) points.data)[at] = point;
  else
    ((float2 *) points.data)[at] = make_float2 ((float) point.x,
        (float) point.y);
}

/* A segment and the edge of its end point. */
struct Segment
{
  uint32_t info, pixel, fragment;
  double2 end;
};

/* Loads what does not depend on ranks, of the thread's segments from @begin
 * on. */
template <typename T, typename V> static __device__ __forceinline__ void
load_segments (const CsFrame & f, uint32_t target, uint32_t begin,
    uint32_t n, Segment * segments)
{
  CrossedEdge<V> ends[BATCH_SEGMENTS];

  const uint32_t base = target * f.region_segments;
  const uint32_t fragments = target * CS_SMALL_FRAGMENTS;

#pragma unroll
  for (uint32_t k = 0; k < BATCH_SEGMENTS; k++) {
    const uint32_t i = begin + k * N_EMITTERS;

    if (i < n) {
      segments[k].info = f.segment_info[base + i];
      segments[k].pixel = f.segment_pixel[base + i];
      segments[k].fragment = f.segment_fragment[base + i] - fragments;
    }
  }
#pragma unroll
  for (uint32_t k = 0; k < BATCH_SEGMENTS; k++) {
    if (begin + k * N_EMITTERS < n)
      ends[k] = find_crossing<T, V> (&f, target, segments[k].pixel,
          CS_SEGMENT_TO (segments[k].info));
  }
#pragma unroll
  for (uint32_t k = 0; k < BATCH_SEGMENTS; k++) {
    if (begin + k * N_EMITTERS < n)
      segments[k].end = ends[k].point (&f, cs_target_level (&f, target));
  }
}

/* As emit_points(), for one segment. */
template <typename T, typename V> static __device__ __forceinline__ void
emit_segment (const CsFrame & f, const Assembly & t, uint32_t target,
    const Segment & segment)
{
  const Points points = points_of (&f);
  const CsRoot root = t.roots[t.root[segment.fragment]];
  const bool closed = (root.length & CS_CLOSED) != 0;
  const int32_t length = (int32_t) (root.length & ~CS_CLOSED);
  int32_t rank = t.rank[segment.fragment] +
      (int32_t) CS_SEGMENT_RANK (segment.info) + root.shift;

  if (root.index == CS_DROPPED)
    return;
  if (closed)
    rank += rank < 0 ? length : rank >= length ? -length : 0;
  const uint32_t offset = CS_PACKED_POINTS (t.before) + root.offset;
  const uint32_t first = offset + (f.reversed ? length : 0);

  store_point (points, offset + (f.reversed ? length - rank - 1 :
          rank + 1), segment.end);
  if (closed && rank == length - 1)
    store_point (points, first, segment.end);
  if (!closed && rank == 0)
    store_point (points, first, find_crossing<T, V> (&f, target,
            segment.pixel, CS_SEGMENT_FROM (segment.info)).point (&f,
            cs_target_level (&f, target)));
}

/* Copies the block's share of the target's points to the host. */
template <typename P> static __device__ __forceinline__ void
copy_points (const CsFrame & f, uint32_t offset, uint32_t n)
{
  const P *from = (const P *) f.out.points + offset;
  P *to = (P *) f.host.points + offset;

  for (uint32_t i = part_of_target () * CS_SMALL_THREADS + threadIdx.x; i < n;
      i += N_THREADS)
    to[i] = from[i];
}

static __device__ __forceinline__ void
publish_points (const CsFrame & f, const Assembly & t)
{
  const uint32_t offset = CS_PACKED_POINTS (t.before);

  if (!f.host.points || !f.out.points)
    return;
  if (f.points_are_double)
    copy_points<double2> (f, offset, t.n_points);
  else
    copy_points<float2> (f, offset, t.n_points);
}

static __device__ __forceinline__ void
publish_offset (const CsFrame & f, uint32_t index, uint32_t offset)
{
  f.raw.offsets[index] = offset;
  if (f.host.offsets)
    f.host.offsets[index] = offset;
}

/* Offsets of the target's contours; the last target also writes the end. */
static __device__ __forceinline__ void
publish_offsets (const CsFrame & f, const Assembly & t, uint32_t target)
{
  const uint32_t index = CS_PACKED_CONTOURS (t.before);
  const uint32_t offset = CS_PACKED_POINTS (t.before);

#pragma unroll 1
  for (uint32_t i = threadIdx.x; i < t.n_contours; i += CS_SMALL_THREADS)
    publish_offset (f, index + i, offset + t.roots[t.by_index[i]].offset);
  if (target == f.n_targets - 1 && threadIdx.x == 0)
    publish_offset (f, index + t.n_contours, offset + t.n_points);
}

/* Measures */

static __device__ __forceinline__ Subject
subject_at (const Assembly & t, uint32_t target, uint32_t i)
{
  const CsRoot root = t.roots[t.by_index[i]];
  const Subject subject = { CS_PACKED_CONTOURS (t.before) + i,
    CS_PACKED_POINTS (t.before) + root.offset, root.length & ~CS_CLOSED,
    target | (root.length & CS_CLOSED)
  };

  return subject;
}

static __device__ __forceinline__ Subject
subject_of_item (const Assembly & t, uint32_t target, const Item & item)
{
  const Subject subject = { CS_PACKED_CONTOURS (t.before) + item.index,
    item.first, item.length & ~CS_CLOSED, target | (item.length & CS_CLOSED)
  };

  return subject;
}

/* Short contours, and blocks of terms of long ones; contours of several blocks
 * are completed by measure_long(). */
template <int M> static __device__ __forceinline__ void
measure_contours (const CsFrame & f, const Assembly & t, uint32_t target)
{
  /* interleaved over the blocks: first warps first */
  const uint32_t warp = threadIdx.x / 32 * N_PARTS + N_PARTS - 1 -
      part_of_target ();
  const uint32_t group = threadIdx.x % 32 / GROUP;
  const Points points = points_of (&f);

#pragma unroll 1
  for (uint32_t i = warp; i < t.n_items; i += N_MEASURING_WARPS) {
    const Item item = t.items[i];
    const Subject subject = subject_of_item (t, target, item);
    const uint32_t start = item.block * CS_SUM_BLOCK;
    CsSums sums;

    sum_block<M, 2> (points, subject.first, subject.first + start,
        min (subject.length - start, CS_SUM_BLOCK), sums);
    if (subject.length <= CS_SUM_BLOCK)
      write_record<M, 32> (&f, points, subject, sums);
    else if (threadIdx.x % 32 == 0)
      f.sums[target * CS_SMALL_ITEMS + i] = sums;
  }
#pragma unroll 1
  for (uint32_t begin = (N_MEASURING_WARPS - 1 - warp) * (32 / GROUP);
      begin < t.n_contours; begin += N_MEASURING_WARPS * (32 / GROUP)) {
    Subject subject = { 0, 0, 0, 0 };

    if (begin + group < t.n_contours)
      subject = subject_at (t, target, begin + group);
    measure_group<M> (&f, points, subject);
  }
}

/* The leader's warps add up the sums of contours of several blocks of terms. */
template <int M> static __device__ __forceinline__ void
measure_long (const CsFrame & f, const Assembly & t, uint32_t target)
{
#pragma unroll 1
  for (uint32_t i = threadIdx.x / 32; i < t.n_items; i += N_WARPS) {
    const Item item = t.items[i];
    const Subject subject = subject_of_item (t, target, item);
    CsSums sums;

    if (item.block != 0 || subject.length <= CS_SUM_BLOCK)
      continue;
    sum_items (&f, target * CS_SMALL_ITEMS + i,
        (subject.length + CS_SUM_BLOCK - 1) / CS_SUM_BLOCK, sums);
    write_record<M, 32> (&f, points_of (&f), subject, sums);
  }
}

/* The leader's work before the other blocks can emit. */
static __device__ __forceinline__ void
run_leader (const CsFrame & f, Assembly & t, uint32_t target,
    uint32_t n_fragments)
{
  Fragment fragments[ITEMS];

  if (threadIdx.x == 0)
    t.n_contours = t.n_points = t.n_items = 0;
  load_fragments (f, t, target, n_fragments, fragments);
  join_fragments (t, n_fragments, fragments);
#pragma unroll
  for (uint32_t s = 0; s < ITEMS; s++) {
    if (fragment_number (s) < n_fragments)
      place_fragment (f, t, fragment_number (s), fragments[s]);
  }
  __syncthreads ();
  order_contours (t);
  __syncthreads ();
  if (threadIdx.x == 0)
    publish_total (f, target, cs_pack (t.n_contours, t.n_points));
  sum_before (f, t, target);
  if (threadIdx.x == 0)
    t.fits = CS_PACKED_CONTOURS (t.before) + t.n_contours <= f.max_contours &&
        CS_PACKED_POINTS (t.before) + t.n_points <= f.max_points;
}

template <typename T, typename V, int M> static __global__ void CLUSTERED
__launch_bounds__ (CS_SMALL_THREADS)
assemble_target (const __grid_constant__ CsFrame f)
{
  __shared__ Assembly own;
  const uint32_t target = blockIdx.x / N_PARTS;
  const uint32_t n_segments = (uint32_t) f.target_counts[target].n_segments;
  const uint32_t n_fragments = (uint32_t) f.target_counts[target].n_fragments;
  const bool leads = part_of_target () == 0, emits = N_PARTS == 1 || !leads;
  const bool counts = leads && threadIdx.x / 32 == N_WARPS - 1;
  const Assembly & t = leader_assembly (own);
  Segment segments[BATCH_SEGMENTS];
  uint32_t begin = emitter_index ();

  if (emits)
    cs_clear_next (&f, target * N_EMITTERS + begin, f.n_targets * N_EMITTERS);
  if (n_segments > f.region_segments || n_fragments > CS_SMALL_FRAGMENTS) {
    if (leads && threadIdx.x == 0) {
      publish_total (f, target, 0);
      count_target (f, target, 0, true);
    }
    return;
  }
  if (emits)
    load_segments<T, V> (f, target, begin, n_segments, segments);
  if (leads)
    run_leader (f, own, target, n_fragments);
  synchronize_parts ();

  if (t.fits) {
    while (emits && begin < n_segments) {
#pragma unroll
      for (uint32_t k = 0; k < BATCH_SEGMENTS; k++) {
        if (begin + k * N_EMITTERS < n_segments)
          emit_segment<T, V> (f, t, target, segments[k]);
      }
      begin += BATCH_SEGMENTS * N_EMITTERS;
      load_segments<T, V> (f, target, begin, n_segments, segments);
    }
    if (leads) {
      list_items (f, own);
      publish_offsets (f, own, target);
    }
    synchronize_parts ();
    publish_points (f, t);
    if (!counts)
      measure_contours<M> (f, t, target);
  }
  if (counts && threadIdx.x % 32 == 0)
    count_target (f, target, cs_pack (t.n_contours, t.n_points), false);
  /* the leader's shared memory must outlive its readers */
  synchronize_parts ();
  if (leads && t.fits)
    measure_long<M> (f, own, target);
}

template <int M> static const void *
kernel_for_type (CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return (const void *) assemble_target<uint8_t, float, M>;
    case CS_SAMPLE_U16:
      return (const void *) assemble_target<uint16_t, float, M>;
    case CS_SAMPLE_F16:
      return (const void *) assemble_target<CsHalf, float, M>;
    case CS_SAMPLE_F32:
      return (const void *) assemble_target<float, float, M>;
    default:
      return (const void *) assemble_target<double, double, M>;
  }
}

const void *
cs_contours_small_kernel (CsSampleType type, CsMeasures measures)
{
  return measures == CS_MEASURES_NONE ?
      kernel_for_type<CS_MEASURES_NONE> (type) :
      kernel_for_type<CS_MEASURES_BASIC> (type);
}
