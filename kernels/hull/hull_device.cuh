/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Device code shared by several kernels. */

#include "base/cuda_warp.cuh"
#include "hull_cuda.cuh"
#include "hull_math.h"

/* --- Teams: cooperating threads of one set
 * --------------------------------- */

template <typename T> static __device__ __forceinline__ T
shuffle_xor (T value, int mask)
{
  union
  {
    T value;
    guint32 words[sizeof (T) / 4];
  } u;

  u.value = value;
#pragma unroll
  for (int i = 0; i < (int) (sizeof (T) / 4); i++)
    u.words[i] = __shfl_xor_sync (CS_ALL_LANES, u.words[i], mask);
  return u.value;
}

struct WarpTeam
{
  guint rank;

  __device__ WarpTeam () : rank (threadIdx.x % 32) {}
  __device__ guint size () const { return 32; }
  __device__ void sync () const { __syncwarp (); }

  /* All-reduce; @combine must be commutative, associative and idempotent. */
  template <typename T, typename Combine>
  __device__ T reduce (T value, Combine combine) const
  {
    for (int mask = 16; mask > 0; mask /= 2) {
      const T other = shuffle_xor (value, mask);

      combine (value, other);
    }
    return value;
  }
};

/* Shared scratch: up to 48 bytes per warp. */
static __device__ double *
warp_scratch (void)
{
  __shared__ double buffer[32 * 6];

  return buffer;
}

struct BlockTeam
{
  guint rank;

  __device__ BlockTeam () : rank (threadIdx.x) {}
  __device__ guint size () const { return blockDim.x; }
  __device__ void sync () const { __syncthreads (); }

  template <typename T, typename Combine>
  __device__ T reduce (T value, Combine combine) const
  {
    T *values = (T *) warp_scratch ();
    const guint n_warps = blockDim.x / 32;

    value = WarpTeam ().reduce (value, combine);
    __syncthreads ();
    if (rank % 32 == 0)
      values[rank / 32] = value;
    __syncthreads ();
    return WarpTeam ().reduce (values[rank % 32 % n_warps], combine);
  }
};

/* One thread. */
struct SoloTeam
{
  guint rank;

  __device__ SoloTeam () : rank (0) {}
  __device__ guint size () const { return 1; }
  __device__ void sync () const {}

  template <typename T, typename Combine>
  __device__ T reduce (T value, Combine combine) const
  {
    return value;
  }
};

/* A block of CS_HULL_LANES_LARGE threads, for hulls of any size. */
struct LargeTeam : BlockTeam
{
};

/* The sum over a block, in all threads. */
static __device__ guint32
block_sum (guint32 value)
{
  guint32 *values = (guint32 *) warp_scratch ();
  guint32 sum = 0;

  value = cs_warp_sum (value);
  __syncthreads ();
  if (threadIdx.x % 32 == 0)
    values[threadIdx.x / 32] = value;
  __syncthreads ();
  for (guint i = 0; i < blockDim.x / 32; i++)
    sum += values[i];
  return sum;
}

static __device__ guint32
team_sum (const BlockTeam & team, guint32 value)
{
  return block_sum (value);
}

static __device__ guint32
team_sum (const WarpTeam & team, guint32 value)
{
  return cs_warp_sum (value);
}

static __device__ guint32
team_sum (const SoloTeam & team, guint32 value)
{
  return value;
}

/* --- Points --------------------------------------------------------------- */

static __device__ __forceinline__ void
load_point (const HullSource & source, guint32 i, double *x, double *y)
{
  cs_hull_load_point (source.points, source.stride, source.type, i, x, y);
}

static __device__ __forceinline__ guint32
point_number (const HullSource & source, guint32 i)
{
  return source.via ? source.via[i] : i;
}

static __device__ __forceinline__ bool
is_finite (double x, double y)
{
  return isfinite (x) && isfinite (y);
}

/* --- Sort and monotone chain of a team ------------------------------------ */

/* Slots chained by one thread, before chains are joined. */
#define CHAIN_RUN 8
/* Maximum slots per thread of a team. */
#define SLOTS_PER_THREAD 8

/**
 * ChainSpace:
 * @x, @y, @index: the points; unused ones are at infinity
 * @chain: slots of the points on the chain, a node's from its first slot on
 * @length: of each node's chain
 * @kept, @from: of each pair of nodes: number of points kept of the left one,
 *     and the first kept of the right one
 *
 * A team's shared memory for @capacity points, a power of two.
 */
struct ChainSpace
{
  double *x, *y;
  guint32 *index, *kept, *from;
  guint16 *chain, *length;
  bool first_is_point;          /* the first slot is no duplicate */

  __host__ __device__ static gsize size (guint capacity)
  {
    return (gsize) capacity * 22 + capacity / CHAIN_RUN * 2 +
        capacity / (2 * CHAIN_RUN) * 8;
  }

  __device__ ChainSpace (void *memory, guint capacity)
  {
    x = (double *) memory;
    y = x + capacity;
    index = (guint32 *) (y + capacity);
    kept = index + capacity;
    from = kept + capacity / (2 * CHAIN_RUN);
    chain = (guint16 *) (from + capacity / (2 * CHAIN_RUN));
    length = chain + capacity;
    first_is_point = true;
  }

  __device__ bool before (guint a, guint b) const
  {
    if (x[a] != x[b])
      return x[a] < x[b];
    if (y[a] != y[b])
      return y[a] < y[b];
    return index[a] < index[b];
  }

  __device__ void swap (guint a, guint b)
  {
    const double ax = x[a], ay = y[a];
    const guint32 ai = index[a];

    x[a] = x[b];
    y[a] = y[b];
    index[a] = index[b];
    x[b] = ax;
    y[b] = ay;
    index[b] = ai;
  }

  __device__ void put (guint slot, double px, double py, guint32 i)
  {
    x[slot] = px;
    y[slot] = py;
    index[slot] = i;
  }

  __device__ void clear (guint slot)
  {
    put (slot, INFINITY, INFINITY, 0xffffffffu);
  }

  /* Whether the slot is used and no duplicate. */
  __device__ bool is_point (guint slot) const
  {
    if (slot == 0)
      return x[0] < INFINITY && first_is_point;
    return x[slot] < INFINITY && (x[slot] != x[slot - 1] ||
        y[slot] != y[slot - 1]);
  }

  __device__ int orient (guint a, guint b, guint c) const
  {
    return cs_orient (x[a], y[a], x[b], y[b], x[c], y[c]);
  }
};

/* Slots for @n points: a power of two. */
static __device__ guint
slots_for (guint n)
{
  guint slots = CHAIN_RUN;

  while (slots < n)
    slots *= 2;
  return slots;
}

/* Bitonic sort of the slots; ends with a barrier. */
template <typename Team> static __device__ void
sort_slots (const Team & team, ChainSpace & s, guint slots)
{
  for (guint block = 2; block <= slots; block *= 2) {
    for (guint step = block / 2; step > 0; step /= 2) {
      team.sync ();
      for (guint i = team.rank; i < slots / 2; i += team.size ()) {
        const guint a = 2 * i - (i & (step - 1)), b = a + step;

        if (s.before (b, a) == ((a & block) == 0))
          s.swap (a, b);
      }
    }
  }
  team.sync ();
}

/* The tangent point of the right node's chain as seen from point u, by
 * bisection.
 * @above is 1 for upper chains, -1 for lower. */
static __device__ guint
tangent (const ChainSpace & s, guint u, guint start, guint n, int above,
    int min_sign)
{
  guint low = 0, high = n - 1;

  while (low < high) {
    const guint middle = (low + high) / 2;

    if (above * s.orient (u, s.chain[start + middle],
            s.chain[start + middle + 1]) >= min_sign)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Whether the bridge to the right node starts to the right of left point
 * @number, whose tangent point is @t. */
static __device__ bool
bridge_is_right (const ChainSpace & s, guint left, guint number, guint n_left,
    guint t, int above, int min_sign)
{
  return number + 1 < n_left && above * s.orient (s.chain[left + number], t,
      s.chain[left + number + 1]) >= 1 - min_sign;
}

/* The upper (above 1) or lower (-1) chain of the sorted slots, without
 * collinear points if @min_sign is 1: into s.chain; returns its length to all.
 * One thread each computes chains of CHAIN_RUN slots, then adjacent chains are
 * joined by their bridge (Preparata and Hong 1977), tested by all points of
 * the left chain in parallel instead of walking along both. */
template <typename Team> static __device__ guint
make_chain (const Team & team, ChainSpace & s, guint slots, int above,
    int min_sign)
{
  for (guint node = team.rank; node < slots / CHAIN_RUN;
      node += team.size ()) {
    guint16 *stack = s.chain + node * CHAIN_RUN;
    guint n = 0;

    for (guint slot = node * CHAIN_RUN; slot < (node + 1) * CHAIN_RUN; slot++) {
      if (!s.is_point (slot))
        continue;
      while (n >= 2 && above * s.orient (stack[n - 2], stack[n - 1], slot) >=
          min_sign)
        n--;
      stack[n++] = slot;
    }
    s.length[node] = n;
  }

  for (guint run = CHAIN_RUN; run < slots; run *= 2) {
    const guint n_pairs = slots / (2 * run);
    guint16 moved[SLOTS_PER_THREAD / 2];
    guint to[SLOTS_PER_THREAD / 2], tangents[SLOTS_PER_THREAD / 2], length = 0;

    for (guint pair = team.rank; pair < n_pairs; pair += team.size ())
      s.kept[pair] = 0xffffffffu;
    team.sync ();
    for (guint i = team.rank, k = 0; i < slots / 2; i += team.size (), k++) {
      const guint pair = i / run, number = i % run, left = 2 * pair * run;
      const guint n_left = s.length[2 * pair], n_right = s.length[2 * pair + 1];

      if (number < n_left && n_right > 0) {
        tangents[k] = tangent (s, s.chain[left + number], left + run, n_right,
            above, min_sign);
        if (!bridge_is_right (s, left, number, n_left,
                s.chain[left + run + tangents[k]], above, min_sign))
          atomicMin (&s.kept[pair], number);
      }
    }
    team.sync ();
    for (guint i = team.rank, k = 0; i < slots / 2; i += team.size (), k++) {
      const guint pair = i / run, number = i % run;

      if (s.kept[pair] == number)
        s.from[pair] = tangents[k];
    }
    team.sync ();
    for (guint pair = team.rank; pair < n_pairs; pair += team.size ()) {
      const guint n_left = s.length[2 * pair], n_right = s.length[2 * pair + 1];

      if (n_left == 0 || n_right == 0) {
        s.kept[pair] = n_left;
        s.from[pair] = 0;
      } else {
        s.kept[pair]++;
      }
      length = s.kept[pair] + n_right - s.from[pair];
    }
    team.sync ();
    for (guint i = team.rank, k = 0; i < slots / 2; i += team.size (), k++) {
      const guint pair = i / run, number = i % run, left = 2 * pair * run;

      to[k] = 0xffffffffu;
      if (number >= s.from[pair] && number < s.length[2 * pair + 1]) {
        moved[k] = s.chain[left + run + number];
        to[k] = left + s.kept[pair] + number - s.from[pair];
      }
    }
    team.sync ();
    for (guint i = team.rank, k = 0; i < slots / 2; i += team.size (), k++) {
      if (to[k] != 0xffffffffu)
        s.chain[to[k]] = moved[k];
    }
    /* there are at most as many pairs as threads */
    if (team.rank < n_pairs)
      s.length[team.rank] = length;
    team.sync ();
  }
  if (slots == CHAIN_RUN)
    team.sync ();
  return s.length[0];
}

/* The hull of the points in the slots, which are sorted, into @hull: indices of
 * its vertices; returns their number to all. */
template <typename Team> static __device__ guint
make_hull (const Team & team, ChainSpace & s, guint slots, gboolean collinear,
    guint32 * hull)
{
  const int min_sign = collinear ? 1 : 0;
  guint32 n_points = 0;

  sort_slots (team, s, slots);
  for (guint i = team.rank; i < slots; i += team.size ())
    n_points += s.is_point (i);
  n_points = team_sum (team, n_points);
  const guint n_lower = make_chain (team, s, slots, -1, min_sign);
  for (guint i = team.rank; i < n_lower; i += team.size ())
    hull[i] = s.index[s.chain[i]];
  team.sync ();
  if (n_points < 2)
    return n_lower;
  const guint n_upper = make_chain (team, s, slots, 1, min_sign);
  /* all points are collinear: both chains have all of them */
  if (n_lower == n_points && n_upper == n_points) {
    team.sync ();
    return n_points;
  }
  for (guint i = team.rank + 1; i + 1 < n_upper; i += team.size ())
    hull[n_lower + n_upper - 2 - i] = s.index[s.chain[i]];
  team.sync ();
  return n_lower + n_upper - 2;
}

/* --- Output --------------------------------------------------------------- */

static __device__ void
write_point (const HullJob & job, guint32 i, double x, double y, guint32 at)
{
  if (at >= job.capacity)
    return;
  if (job.with_indices)
    job.out_indices[at] = job.mask_width ?
        (guint32) y * job.mask_width + (guint32) x : i;
  if (job.points_form == CS_HULL_POINTS_NONE)
    return;
  if (job.points_form == CS_HULL_POINTS_F32) {
    ((float *) job.out_points)[2 * at] = x;
    ((float *) job.out_points)[2 * at + 1] = y;
  } else if (job.mask_width) {
    ((gint32 *) job.out_points)[2 * at] = x;
    ((gint32 *) job.out_points)[2 * at + 1] = y;
  } else if (job.source.type == CS_HULL_F64) {
    const double *p = (const double *) (job.source.points +
        (gsize) i * job.source.stride);

    ((double *) job.out_points)[2 * at] = p[0];
    ((double *) job.out_points)[2 * at + 1] = p[1];
  } else {
    const guint32 *p = (const guint32 *) (job.source.points +
        (gsize) i * job.source.stride);

    ((guint32 *) job.out_points)[2 * at] = p[0];
    ((guint32 *) job.out_points)[2 * at + 1] = p[1];
  }
}

static __device__ void
init_record (const HullJob & job, guint32 set, guint32 number,
    CsContour * hull, double *area)
{
  memset (hull, 0, sizeof (*hull));
  hull->id = (gint32) ((guint32) job.first_id + number);
  hull->parent = -1;
  hull->image = job.image_index;
  hull->kind = CS_CONTOUR_KIND_HULL;
  hull->flags = CS_CONTOUR_CLOSED;
  *area = NAN;
  if (job.scope == CS_HULL_SCOPE_PER_CLASS) {
    hull->class_id = set;
  } else if (job.scope == CS_HULL_SCOPE_PER_CONTOUR && job.contours) {
    const CsContour *contour = &job.contours[set];

    hull->parent = contour->id;
    hull->class_id = contour->class_id;
    hull->image = contour->image;
    hull->level = contour->level;
    *area = contour->area;
  } else if (job.scope == CS_HULL_SCOPE_PER_CONTOUR && job.offsets) {
    hull->parent = set;
  }
}

/* The strict vertices of @v into @strict, by the team's first warp; returns
 * their number to that warp only. */
static __device__ guint
find_strict (const double *v, guint n, double *strict)
{
  const guint lane = threadIdx.x % 32;
  guint n_strict = 0;

  for (guint first = 0; first < n; first += 32) {
    const guint i = first + lane;
    bool keeps = false;

    if (i < n && n >= 3) {
      const double *p = v + 2 * (i > 0 ? i - 1 : n - 1);
      const double *q = v + 2 * cs_hull_wrap (i + 1, n);

      keeps = cs_orient (p[0], p[1], v[2 * i], v[2 * i + 1], q[0], q[1]) != 0;
    }
    const guint32 all = __ballot_sync (CS_ALL_LANES, keeps);

    if (keeps) {
      const guint at = n_strict + cs_lanes_before (all, lane);

      strict[2 * at] = v[2 * i];
      strict[2 * at + 1] = v[2 * i + 1];
    }
    n_strict += __popc (all);
  }
  if (n_strict == 0) {
    n_strict = n < 2 ? n : 2;
    if (lane < n_strict) {
      strict[2 * lane] = v[2 * (lane * (n - 1))];
      strict[2 * lane + 1] = v[2 * (lane * (n - 1)) + 1];
    }
  }
  return n_strict;
}

/* The same by one thread; no barrier. */
static __device__ guint
find_strict_serial (const double *v, guint n, double *strict)
{
  guint n_strict = 0;

  for (guint i = 0; i < n && n >= 3; i++) {
    const double *p = v + 2 * (i > 0 ? i - 1 : n - 1);
    const double *q = v + 2 * cs_hull_wrap (i + 1, n);

    if (cs_orient (p[0], p[1], v[2 * i], v[2 * i + 1], q[0], q[1]) != 0) {
      strict[2 * n_strict] = v[2 * i];
      strict[2 * n_strict++ + 1] = v[2 * i + 1];
    }
  }
  if (n_strict == 0) {
    n_strict = n < 2 ? n : 2;
    for (guint i = 0; i < n_strict; i++) {
      strict[2 * i] = v[2 * (i * (n - 1))];
      strict[2 * i + 1] = v[2 * (i * (n - 1)) + 1];
    }
  }
  return n_strict;
}

/* Returns the number of strict vertices to all of the team. */
template <typename Team> static __device__ guint
team_strict (const Team & team, const double *v, guint n, double *strict)
{
  guint32 found = 0;

  if (team.rank < 32)
    found = find_strict (v, n, strict);
  found = team_sum (team, team.rank == 0 ? found : 0);
  team.sync ();
  return found;
}

static __device__ guint
team_strict (const SoloTeam & team, const double *v, guint n, double *strict)
{
  return find_strict_serial (v, n, strict);
}

static __device__ CsHullSums
sum_tiny (const double *v, guint n)
{
  CsHullSums sums = { 0, 0, 0, 0 };

  for (guint i = 0; i < n; i++) {
    const CsHullSums edge = cs_hull_edge_sums (v, n, i);

    cs_hull_sums_add (&sums, &edge);
  }
  return sums;
}

/* Sums over the edges by a warp, in the order of hull_math.h. */
static __device__ CsHullSums
sum_small (const double *v, guint n)
{
  CsHullSums sums = { 0, 0, 0, 0 };

  if (n <= CS_HULL_TINY) {
    /* one edge per lane, added in order */
    const guint lane = threadIdx.x % 32;
    CsHullSums mine = sums;

    if (lane < n)
      mine = cs_hull_edge_sums (v, n, lane);
    for (guint i = 0; i < n; i++) {
      sums.cross += __shfl_sync (CS_ALL_LANES, mine.cross, i);
      sums.mx += __shfl_sync (CS_ALL_LANES, mine.mx, i);
      sums.my += __shfl_sync (CS_ALL_LANES, mine.my, i);
      sums.length += __shfl_sync (CS_ALL_LANES, mine.length, i);
    }
    return sums;
  }
  for (guint i = threadIdx.x % 32; i < n; i += 32) {
    const CsHullSums edge = cs_hull_edge_sums (v, n, i);

    cs_hull_sums_add (&sums, &edge);
  }
  for (guint half = 16; half > 0; half /= 2) {
    const CsHullSums other = shuffle_xor (sums, half);

    cs_hull_sums_add (&sums, &other);
  }
  return sums;
}

/* The same by the CS_HULL_LANES_LARGE threads of a block. */
static __device__ CsHullSums
sum_large (const double *v, guint n)
{
  __shared__ CsHullSums upper[CS_HULL_LANES_LARGE / 2];
  CsHullSums sums = { 0, 0, 0, 0 };
  const guint rank = threadIdx.x;

  for (guint i = rank; i < n; i += CS_HULL_LANES_LARGE) {
    const CsHullSums edge = cs_hull_edge_sums (v, n, i);

    cs_hull_sums_add (&sums, &edge);
  }
  for (guint half = CS_HULL_LANES_LARGE / 2; half > 0; half /= 2) {
    __syncthreads ();
    if (rank >= half && rank < 2 * half)
      upper[rank - half] = sums;
    __syncthreads ();
    if (rank < half)
      cs_hull_sums_add (&sums, &upper[rank]);
  }
  return sums;
}

/* The result is valid in thread 0. */
static __device__ CsHullSums
sum_edges (const WarpTeam & team, const double *v, guint n)
{
  return sum_small (v, n);
}

static __device__ CsHullSums
sum_edges (const SoloTeam & team, const double *v, guint n)
{
  return sum_tiny (v, n);
}

static __device__ CsHullSums
sum_edges (const BlockTeam & team, const double *v, guint n)
{
  const CsHullSums none = { 0, 0, 0, 0 };

  return team.rank < 32 ? sum_small (v, n) : none;
}

static __device__ CsHullSums
sum_edges (const LargeTeam & team, const double *v, guint n)
{
  return n <= CS_HULL_LARGE ? sum_small (v, n) : sum_large (v, n);
}

struct Box
{
  double x0, y0, x1, y1;
};

struct GrowBox
{
  __device__ void operator() (Box & a, const Box & b) const
  {
    a.x0 = b.x0 < a.x0 ? b.x0 : a.x0;
    a.y0 = b.y0 < a.y0 ? b.y0 : a.y0;
    a.x1 = b.x1 > a.x1 ? b.x1 : a.x1;
    a.y1 = b.y1 > a.y1 ? b.y1 : a.y1;
  }
};

/* Magnitudes. */
struct Magnitude
{
  double x, y;
};

struct GrowMagnitude
{
  __device__ void operator() (Magnitude & a, const Magnitude & b) const
  {
    a.x = b.x > a.x ? b.x : a.x;
    a.y = b.y > a.y ? b.y : a.y;
  }
};

struct MaxFloat
{
  __device__ void operator() (float &a, const float &b) const
  {
    a = b > a ? b : a;
  }
};

/* The bounding box of the @n vertices at @v, to all of the team. */
template <typename Team> static __device__ Box
find_box (const Team & team, const double *v, guint n)
{
  Box box = { INFINITY, INFINITY, -INFINITY, -INFINITY };

  for (guint i = team.rank; i < n; i += team.size ()) {
    const Box point = { v[2 * i] + 0., v[2 * i + 1] + 0., v[2 * i] + 0.,
      v[2 * i + 1] + 0.
    };

    GrowBox () (box, point);
  }
  return team.reduce (box, GrowBox ());
}

/* The same, to the first thread: by the second warp, while the first one sums
 * edges. */
static __device__ Box
find_box (const BlockTeam & team, const double *v, guint n)
{
  __shared__ Box found;

  if (team.rank / 32 == 1)
    found = find_box (WarpTeam (), v, n);
  team.sync ();
  return found;
}

struct JoinCalipers
{
  __device__ void operator() (CsHullCaliper & a, const CsHullCaliper & b) const
  {
    cs_hull_caliper_add (&a, &b);
  }
};

struct JoinMax
{
  __device__ void operator() (CsHullExtreme & a, const CsHullExtreme & b) const
  {
    cs_hull_extreme_max (&a, &b);
  }
};

struct MaxDouble
{
  __device__ void operator() (double &a, const double &b) const
  {
    a = b > a ? b : a;
  }
};

template <typename Team> static __device__ void
measure_features (const Team & team, const double *v, guint n,
    CsHullFeatures * to)
{
  CsHullFeatures f;
  double radius = 0;

  memset (&f, 0, sizeof (f));
  cs_hull_features_degenerate (&f, v, n);
  if (n >= 3) {
    CsHullCaliper best = cs_hull_caliper_none ();

    for (guint i = team.rank; i < n; i += team.size ()) {
      const CsHullAntipodes steps = cs_hull_antipodes (v, n, i);

      cs_hull_caliper_edge (&best, v, n, i, &steps);
    }
    best = team.reduce (best, JoinCalipers ());
    cs_hull_features_finish (&f, v, n, &best);
    guint a = cs_hull_extreme_index (&best.diameter);
    guint b = cs_hull_wrap (a + 1, n);
    for (guint step = 0; step < cs_hull_circle_max_steps (n); step++) {
      CsHullExtreme farthest = cs_hull_extreme_none (-INFINITY);

      for (guint k = team.rank; k < n; k += team.size ())
        cs_hull_circle_vertex (&farthest, v, a, b, k);
      farthest = team.reduce (farthest, JoinMax ());
      if (cs_hull_circle_step (v, &a, &b, &farthest, &f.circle_x, &f.circle_y))
        break;
    }
  }
  for (guint i = team.rank; i < n; i += team.size ()) {
    const double r = cs_hull_distance_to (v, i, f.circle_x, f.circle_y);

    radius = r > radius ? r : radius;
  }
  f.circle_r = team.reduce (radius, MaxDouble ());
  if (team.rank == 0)
    *to = f;
}

/* Of hulls of thousands of vertices, which are rare, by a call: inline it costs
 * registers, and seconds of ptxas for 8.0 and 8.6. */
static __device__ __noinline__ void
measure_features (const LargeTeam & team, const double *v, guint n,
    CsHullFeatures * to)
{
  measure_features<LargeTeam> (team, v, n, to);
}

/* Measures the strict hull of @n vertices at @v. */
template <typename Team> static __device__ void
measure_hull (const Team & team, const HullJob & job, const double *v, guint n,
    double contour_area, CsContour * record, CsHullFeatures * features)
{
  const CsHullSums sums = sum_edges (team, v, n);
  const Box box = find_box (team, v, n);

  if (team.rank == 0) {
    record->bbox_x0 = box.x0;
    record->bbox_y0 = box.y0;
    record->bbox_x1 = box.x1;
    record->bbox_y1 = box.y1;
    cs_hull_record_finish (record, v, n, &sums, job.measures, contour_area);
  }
  if (features)
    measure_features (team, v, n, features);
}

/* Writes vertex k of the @n of @hull to the output from @start on and to
 * @vertices. */
static __device__ __forceinline__ void
emit_vertex (const HullJob & job, const guint32 * hull, guint n, guint k,
    guint32 start, double2 * vertices)
{
  double x, y;

  load_point (job.source, hull[k], &x, &y);
  vertices[k] = make_double2 (x, y);
  write_point (job, hull[k], x, y, start + k);
  if (k == 0 && job.closed)
    write_point (job, hull[0], x, y, start + n);
}

template <typename Team> static __device__ void
emit_vertices (const Team & team, const HullJob & job, const guint32 * hull,
    guint n, guint32 start, double2 * vertices)
{
  for (guint k = team.rank; k < n; k += team.size ())
    emit_vertex (job, hull, n, k, start, vertices);
  team.sync ();
}

/* Writes the record and features of set @set's hull, index @number in the
 * result, from its @n @vertices; @strict is scratch for as many. */
template <typename Team> static __device__ void
emit_record (const Team & team, const HullJob & job, guint32 set,
    guint32 number, guint n, guint32 start, const double2 * vertices,
    double2 * strict)
{
  const double *v = (const double *) vertices;
  CsContour record;
  double area = 0;

  if (job.collinear) {
    n = team_strict (team, v, n, (double *) strict);
    v = (const double *) strict;
  }
  if (team.rank == 0) {
    init_record (job, set, number, &record, &area);
    job.out_offsets[number] = start;
  }
  measure_hull (team, job, v, n, area, &record,
      job.out_features ? &job.out_features[number] : NULL);
  if (team.rank == 0)
    job.out_hulls[number] = record;
  team.sync ();
}

/* Writes the hull of set @set, index @number in the result, of @n vertices
 * @hull: up to CS_HULL_TINY if @team is a SoloTeam, and CS_HULL_LARGE unless
 *     it is a
 * LargeTeam. They go to @start of the output; @vertices and @strict are scratch
 * for as many. */
template <typename Team> static __device__ void
emit_hull (const Team & team, const HullJob & job, guint32 set,
    guint32 number, const guint32 * hull, guint n, guint32 start,
    double2 * vertices, double2 * strict)
{
  emit_vertices (team, job, hull, n, start, vertices);
  emit_record (team, job, set, number, n, start, vertices, strict);
}
