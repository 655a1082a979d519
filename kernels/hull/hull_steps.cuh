/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The steps of blocks of CS_HULL_BLOCK threads, one block for a long set of a
 * batch, all blocks for a single set: extreme points of a sample; a filter by
 * strips of their polygon; a second pass of both over the survivors; then an
 * all-pairs comparison of the remaining ones. This takes more comparisons than
 * sort and chain, but less time on so many processors. */

#include "hull_device.cuh"

#define CS_HULL_BLOCK 1024
#define CS_HULL_STRIPS 1024
/* The first pass rotates the points by the angle of this direction, so that
 * sides of common shapes are not parallel to its strips. */
#define CS_HULL_ROTATION 9
#define CS_HULL_ROTATION_COS 0.975702107f
#define CS_HULL_ROTATION_SIN 0.219101235f
/* Rounding errors of a point and of a bound, relative to the polygon's
 * magnitude. */
#define CS_HULL_POINT_MARGIN 0x1p-20f
#define CS_HULL_STRIP_MARGIN 0x1p-19f
/* The same for the second pass, in double precision; and the minimum width of
 * its polygon. */
#define CS_HULL_SECOND_MARGIN 0x1p-48
#define CS_HULL_MIN_WIDTH 0x1p-30

/* --- Extreme points ------------------------------------------------------- */

/* A key whose unsigned order is that of finite numbers; never 0. */
static __device__ __forceinline__ guint32
float_key (float value)
{
  const guint32 bits = __float_as_uint (value);

  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/**
 * SampleMemory:
 * @xy: points relative to the reference; NaN if not finite: comparisons with it
 *     are false
 * @number: their indices
 * @best, @at: the farthest point found by each thread
 */
template <guint n> struct SampleMemory
{
  float2 xy[n];
  guint32 number[n];
  float best[CS_HULL_BLOCK];
  guint32 at[CS_HULL_BLOCK];
};

static __device__ __forceinline__ float2
relative (double x, double y, double2 reference)
{
  const float dx = x - reference.x, dy = y - reference.y;

  if (!(isfinite (dx) && isfinite (dy)))
    return make_float2 (NAN, NAN);
  return make_float2 (dx, dy);
}

/* The extreme one of the @n points in each of @n_directions, into @extreme, by
 * all threads of the block. Single precision suffices for the selection, since
 * any polygon of points is inside the hull. */
template <guint n_directions, guint size> static __device__ void
find_extremes (SampleMemory<size> &m, guint n, unsigned long long *extreme)
{
  const guint n_parts = CS_HULL_BLOCK / n_directions;
  const guint d = threadIdx.x % n_directions, part = threadIdx.x / n_directions;
  float dx, dy, best = -INFINITY;
  guint at = 0;

  sincospif (2.f * d / n_directions, &dy, &dx);
#pragma unroll 4
  for (guint i = part; i < n; i += n_parts) {
    const float2 p = m.xy[i];
    const float along = fmaf (p.x, dx, p.y * dy);

    if (along > best) {
      best = along;
      at = i;
    }
  }
  m.best[threadIdx.x] = best;
  m.at[threadIdx.x] = at;
  __syncthreads ();
  if (part > 0)
    return;
  for (guint i = 1; i < n_parts; i++) {
    const guint other = d + i * n_directions;

    if (m.best[other] > best) {
      best = m.best[other];
      at = m.at[other];
    }
  }
  if (best > -INFINITY)
    atomicMax (&extreme[d], (unsigned long long) float_key (best) << 32 |
        m.number[at]);
}

static __device__ __forceinline__ double
median (double a, double b, double c)
{
  return fmax (fmin (a, b), fmin (fmax (a, b), c));
}

/* The reference point: the median of three, since one may be an outlier. */
static __device__ double2
find_reference (const HullSource & source, guint32 first, guint32 n)
{
  double x[3], y[3];

#pragma unroll
  for (guint i = 0; i < 3; i++) {
    load_point (source, point_number (source, first + i * ((n - 1) / 2)), &x[i],
        &y[i]);
    if (!is_finite (x[i], y[i]))
      x[i] = y[i] = 0;
  }
  return make_double2 (median (x[0], x[1], x[2]), median (y[0], y[1], y[2]));
}

/* --- First pass: strips of the sample's polygon --------------------------- */

/* The polygon's points are extreme in their directions. Rounding may make it
 * slightly concave, which does not matter: every chord between two of its
 * points is inside the hull. */

/* v at u of the half chain from direction @start on, counter-clockwise or
 * clockwise (@step 1 or -1), by bisection. Invariant: u[low] <= u <= u[high],
 * for any order of the points between. */
template <typename Real> static __device__ Real
polygon_value (const Real * us, const Real * vs, guint n, guint start,
    int step, Real u)
{
  guint low = 0, high = n / 2, a, b;

  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (us[(start + step * middle) & (n - 1)] <= u)
      low = middle;
    else
      high = middle;
  }
  a = (start + step * low) & (n - 1);
  b = (start + step * high) & (n - 1);
  if (!(us[b] > us[a]))
    return vs[a];
  return vs[a] + (u - us[a]) * ((vs[b] - vs[a]) / (us[b] - us[a]));
}

/**
 * Strips:
 * @strips: for each strip across u: v of the lower chain at its start, its
 *     increase to the end, and the same for the upper chain
 * @u, @v: the polygon
 * @low, @high: the chains at the strips' borders
 */
struct Strips
{
  float4 strips[CS_HULL_STRIPS];
  float u[CS_HULL_DIRECTIONS], v[CS_HULL_DIRECTIONS];
  float low[CS_HULL_STRIPS + 1], high[CS_HULL_STRIPS + 1];
};

/**
 * Rotated:
 * @reference: origin of the rotated coordinate system of the strips
 * @origin, @scale: (u - origin) * scale is the strip's index plus the fraction
 *     of u in the strip; @scale is 0 if the polygon cannot be used
 */
template <typename Real> struct Rotated
{
  Real reference_x, reference_y;
  float origin, scale;
};

/* Loads the extreme points, rotated; their largest magnitude, or NaN if there
 * are none. */
static __device__ float
load_rotated (Strips & m, const HullSource & source,
    const unsigned long long *extreme, double2 reference)
{
  float size = 0;
  bool found = true;

  if (threadIdx.x < CS_HULL_DIRECTIONS) {
    const unsigned long long key = extreme[threadIdx.x];

    found = key != 0;
    if (found) {
      double x, y, u, v;

      load_point (source, (guint32) key, &x, &y);
      x -= reference.x;
      y -= reference.y;
      u = x * CS_HULL_ROTATION_COS + y * CS_HULL_ROTATION_SIN;
      v = y * CS_HULL_ROTATION_COS - x * CS_HULL_ROTATION_SIN;
      m.u[threadIdx.x] = u;
      m.v[threadIdx.x] = v;
      size = fabsf (u) + fabsf (v);
    }
  }
  size = BlockTeam ().reduce (size, MaxFloat ());
  return __syncthreads_and (found) ? size : NAN;
}

/* The strips of the polygon of the sample's extreme points. */
template <typename Real> static __device__ Rotated<Real>
make_strips (Strips & m, const HullSource & source,
    const unsigned long long *extreme, double2 reference)
{
  const guint n = CS_HULL_DIRECTIONS;
  const guint last = CS_HULL_ROTATION, first = CS_HULL_ROTATION + n / 2;
  const guint k = threadIdx.x;
  const float size = load_rotated (m, source, extreme, reference);
  const float origin = m.u[first], width = m.u[last] - origin;
  const float scale = CS_HULL_STRIPS / width;
  /* rounding error of a point in strips: less than one */
  const float margin = CS_HULL_POINT_MARGIN * size * scale + 0x1p-12f;
  const Rotated<Real> rotated = {
    (Real) reference.x, (Real) reference.y, origin,
    size >= 0x1p-100f && size <= 0x1p100f && width > 0 && margin < .25f ?
    scale : 0
  };

  if (rotated.scale == 0)
    return rotated;
  m.low[k] = polygon_value (m.u, m.v, n, first, 1, origin + k / scale);
  m.high[k] = polygon_value (m.u, m.v, n, first, -1, origin + k / scale);
  if (k == 0)
    m.low[CS_HULL_STRIPS] = m.high[CS_HULL_STRIPS] = m.v[last];
  __syncthreads ();

  /* a strip's bound is the chord, moved inwards by its maximum change within
   * @margin */
  const guint before = k > 0 ? k - 1 : 0, after = min (k + 2, CS_HULL_STRIPS);
  const float low = m.low[k + 1] - m.low[k], high = m.high[k + 1] - m.high[k];
  const float steepest = fmaxf (fmaxf (fmaxf (fabsf (m.low[k] -
                  m.low[before]), fabsf (m.low[after] - m.low[k + 1])),
          fmaxf (fabsf (m.high[k] - m.high[before]), fabsf (m.high[after] -
                  m.high[k + 1]))), fmaxf (fabsf (low), fabsf (high)));
  const float inwards = margin * steepest + CS_HULL_STRIP_MARGIN * size;

  m.strips[k] = make_float4 (m.low[k] + inwards, low, m.high[k] - inwards,
      high);
  __syncthreads ();
  return rotated;
}

/* Whether the point is certainly inside the hull; false for NaN. */
template <typename Real> static __device__ __forceinline__ bool
is_inside (const Strips & m, const Rotated<Real> &rotated, Real x, Real y)
{
  const float dx = x - rotated.reference_x, dy = y - rotated.reference_y;
  const float u = fmaf (dx, CS_HULL_ROTATION_COS, dy * CS_HULL_ROTATION_SIN);
  const float v = fmaf (dy, CS_HULL_ROTATION_COS, -dx * CS_HULL_ROTATION_SIN);
  const float t = (u - rotated.origin) * rotated.scale;
  const int k = (int) fminf (fmaxf (t, 0), CS_HULL_STRIPS - 1);
  const float4 strip = m.strips[k];
  const float part = t - k;

  return t > 0 && t < CS_HULL_STRIPS && v > fmaf (part, strip.y, strip.x) &&
      v < fmaf (part, strip.w, strip.z);
}

/* --- Second pass: bisection of the polygon
 * --------------------------------- */

template <guint n> struct SecondPass
{
  double x[n], y[n];
};

/* Loads the polygon; whether it can be used, and the margin of its bounds. */
template <guint n> static __device__ bool
load_polygon (SecondPass<n> &m, const HullSource & source,
    const unsigned long long *extreme, double *margin)
{
  Magnitude size = { 0, 0 };
  bool found = true;

  if (threadIdx.x < n) {
    const unsigned long long key = extreme[threadIdx.x];

    found = key != 0;
    if (found) {
      double x, y;

      load_point (source, (guint32) key, &x, &y);
      m.x[threadIdx.x] = x;
      m.y[threadIdx.x] = y;
      size.x = fabs (x);
      size.y = fabs (y);
    }
  }
  size = BlockTeam ().reduce (size, GrowMagnitude ());
  *margin = size.y * CS_HULL_SECOND_MARGIN;
  return __syncthreads_and (found) && size.x >= 0x1p-100 &&
      size.x <= 0x1p500 && size.y >= 0x1p-500 && size.y <= 0x1p500 &&
      m.x[0] - m.x[n / 2] > size.x * CS_HULL_MIN_WIDTH;
}

template <guint n> static __device__ __forceinline__ bool
is_inside_polygon (const SecondPass<n> &m, double margin, double x, double y)
{
  return x > m.x[n / 2] && x < m.x[0] &&
      y > polygon_value (m.x, m.y, n, n / 2, 1, x) + margin &&
      y < polygon_value (m.x, m.y, n, n / 2, -1, x) - margin;
}

/* --- All pairs ------------------------------------------------------------ */

/* Points classified by a block at a time, with @lanes threads for each of the
 * four tangents. */
#define CS_HULL_BATCH(lanes) (CS_HULL_BLOCK / (4 * (lanes)))
#define CS_HULL_BATCH_MAX CS_HULL_BATCH (8)

/**
 * ClassifyMemory:
 * @xy, @number: the points; infinite ones are ignored
 * @tangents: of each point classified: the points of extreme angle among its
 *     predecessors and among its successors, alternating, -1 if none
 * @place: number of its predecessors
 * @duplicate: it is equal to one with a lower index
 *
 * Predecessors and successors in lexicographic order, so that all directions
 * from a point to its successors lie within 180 degrees: a point is on the
 * lower chain if and only if all its successors lie to the left of all
 * directions from its predecessors.
 */
struct ClassifyMemory
{
  double2 xy[CS_HULL_BLOCK_POINTS];
  guint32 number[CS_HULL_BLOCK_POINTS];
  gint tangents[CS_HULL_BATCH_MAX][4];
  guint32 place[CS_HULL_BATCH_MAX];
  bool duplicate[CS_HULL_BATCH_MAX];
};

/* Sign of the cross product of the directions between @i and @a, @i and @b. */
static __device__ __forceinline__ int
turn (const double2 * xy, gint i, gint a, gint b)
{
  return cs_cross_sign (xy[a].x, xy[a].y, xy[i].x, xy[i].y, xy[b].x,
      xy[b].y, xy[i].x, xy[i].y);
}

/* Finds m.tangents[slot][which] of point @i, -1 for none, by @lanes threads of
 * a warp; called by all lanes of the warp. */
template <guint lanes> static __device__ void
find_tangents (ClassifyMemory & m, guint n, gint i, guint slot, guint which)
{
  const double2 p = i >= 0 ? m.xy[i] : make_double2 (0, 0);
  const bool after = which % 2 == 1;
  const int sign = which < 2 ? -1 : 1;
  gint found = -1;
  guint32 place = 0, duplicate = 0;

  for (gint k = threadIdx.x % lanes; i >= 0 && k < (gint) n; k += lanes) {
    const double2 q = m.xy[k];
    const bool equal = q.x == p.x && q.y == p.y;
    const bool is_before = equal ? m.number[k] < m.number[i] : q.x < p.x ||
        (q.x == p.x && q.y < p.y);

    if (k == i || !(q.x < INFINITY))
      continue;
    place += is_before;
    duplicate |= equal && is_before;
    if (!equal && is_before != after && (found < 0 || sign * turn (m.xy, i,
                found, k) > 0))
      found = k;
  }
  __syncwarp ();
  for (int mask = lanes / 2; mask > 0; mask /= 2) {
    const gint other = __shfl_xor_sync (CS_ALL_LANES, found, mask);

    place += __shfl_xor_sync (CS_ALL_LANES, place, mask);
    duplicate |= __shfl_xor_sync (CS_ALL_LANES, duplicate, mask);
    if (other >= 0 && (found < 0 || sign * turn (m.xy, i, found, other) > 0))
      found = other;
    __syncwarp ();
  }
  if (i >= 0 && threadIdx.x % lanes == 0) {
    m.tangents[slot][which] = found;
    if (which == 0) {
      m.place[slot] = place;
      m.duplicate[slot] = duplicate;
    }
  }
}

/* The chains of point @i from its tangents: 1 lower, 2 upper. */
static __device__ guint8
find_chains (const ClassifyMemory & m, gint i, guint slot, bool collinear)
{
  const gint *tangent = m.tangents[slot];
  const int min_sign = collinear ? 0 : 1;
  guint8 chain_bits = 0;

  if (m.duplicate[slot])
    return 0;
  if (tangent[0] < 0 || tangent[1] < 0)
    return 3;
  /* both directions are taken from i, hence the signs */
  if (turn (m.xy, i, tangent[2], tangent[1]) <= -min_sign)
    chain_bits |= 1;
  if (turn (m.xy, i, tangent[0], tangent[3]) >= min_sign)
    chain_bits |= 2;
  return chain_bits;
}

/* Classifies points @first, @first + @stride ... of the @n: their indices into
 * @ordered, in lexicographic order, their chains into @chain_bits; adds the
 * number of finite ones to @n_ordered, of others to @n_ignored. */
template <guint lanes> static __device__ void
classify_points (ClassifyMemory & m, guint n, guint first, guint stride,
    bool collinear, guint32 * ordered, guint8 * chain_bits, guint32 * n_ordered,
    guint32 * n_ignored)
{
  const guint slot = threadIdx.x / (4 * lanes), which = threadIdx.x / lanes % 4;

  for (; first < n; first += CS_HULL_BATCH (lanes) * stride) {
    guint i = first + slot * stride;

    find_tangents<lanes> (m, n, i < n && m.xy[i].x < INFINITY ? (gint) i : -1,
        slot, which);
    __syncthreads ();
    i = first + threadIdx.x * stride;
    if (threadIdx.x < CS_HULL_BATCH (lanes) && i < n) {
      if (m.xy[i].x < INFINITY) {
        ordered[m.place[threadIdx.x]] = m.number[i];
        chain_bits[m.place[threadIdx.x]] = find_chains (m, i, threadIdx.x,
            collinear);
        atomicAdd (n_ordered, 1);
      } else {
        atomicAdd (n_ignored, 1);
      }
    }
    __syncthreads ();
  }
}

/* Exclusive prefix sum of @value over the block; @all is the total. */
static __device__ guint32
exclusive_sum (guint32 value, guint32 * all)
{
  __shared__ guint32 warp_scratch[32];
  const guint lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const guint32 sum = cs_warp_inclusive_sum (value);

  __syncthreads ();
  if (lane == 31)
    warp_scratch[warp] = sum;
  __syncthreads ();
  const guint32 sums = cs_warp_inclusive_sum (lane < blockDim.x / 32 ?
      warp_scratch[lane] : 0);
  *all = __shfl_sync (CS_ALL_LANES, sums, 31);
  return sum - value + (warp > 0 ? __shfl_sync (CS_ALL_LANES, sums, warp - 1) :
      0);
}

/* The vertices among the @n ordered points, at most CS_HULL_BLOCK_POINTS, into
 * @hull, in the order of the hull; returns their number. */
static __device__ guint32
order_vertices (guint32 * hull, const guint32 * ordered,
    const guint8 * chain_bits, guint32 n)
{
  const guint n_rounds = CS_HULL_BLOCK_POINTS / CS_HULL_BLOCK;
  guint32 sum = 0, upper[n_rounds], n_all;

  /* packed counts: lower chain in the low half, upper only in the high half */
#pragma unroll
  for (guint round = 0; round < n_rounds; round++) {
    const guint32 i = round * CS_HULL_BLOCK + threadIdx.x;
    guint32 all = 0, before = 0;
    guint8 chains = 0;

    upper[round] = 0xffffffffu;
    if (round * CS_HULL_BLOCK >= n)
      continue;
    chains = i < n ? chain_bits[i] : 0;
    before = sum + exclusive_sum (chains & 1 ? 1 : chains == 2 ? 1u << 16 : 0,
        &all);
    if (chains & 1)
      hull[before & 0xffff] = ordered[i];
    else if (chains == 2)
      upper[round] = before >> 16;
    sum += all;
  }
  n_all = (sum & 0xffff) + (sum >> 16);
  /* reversed: the upper chain leads back to the first vertex */
#pragma unroll
  for (guint round = 0; round < n_rounds; round++) {
    if (upper[round] != 0xffffffffu)
      hull[n_all - 1 - upper[round]] =
          ordered[round * CS_HULL_BLOCK + threadIdx.x];
  }
  __syncthreads ();
  return n_all;
}
