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

/* --- Reductions ----------------------------------------------------------- */

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
