/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_HULL_STEPS_CUH
#define CS_HULL_STEPS_CUH

/* The steps that blocks of CS_HULL_BLOCK threads take, alone for a long set of
 * a batch and together for a large one: the extreme points of a sample, strips
 * that tell what is inside them, the same for what is left, and what is left
 * then compared each with each, which takes more comparisons than a sort and a
 * chain, and less time on that many processors. */

#include "hull_device.cuh"

#define CS_HULL_BLOCK 1024
#define CS_HULL_STRIPS 1024
/* The first pass looks at the points turned by the angle of direction TURN: so
 * there are no common shapes whose sides run along its strips. */
#define CS_HULL_TURN 9
#define CS_HULL_TURN_COS 0.975702107f
#define CS_HULL_TURN_SIN 0.219101235f
/* What rounding moves a point by, and a bound, of the polygon's magnitude. */
#define CS_HULL_POINT_MARGIN 0x1p-20f
#define CS_HULL_STRIP_MARGIN 0x1p-19f
/* The same for the second pass, which is in double precision; and the least
 * width of its polygon. */
#define CS_HULL_AGAIN_MARGIN 0x1p-48
#define CS_HULL_MIN_WIDTH 0x1p-30

/* --- Extreme points ------------------------------------------------------- */

/* Unsigned order of the finite numbers; never 0. */
static __device__ __forceinline__ guint32
float_key (float value)
{
  const guint32 bits = __float_as_uint (value);

  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/**
 * SampleMemory:
 * @xy: points, relative to some point; NaN where that is not finite, which no
 *     comparison prefers
 * @number: what they are called
 * @best, @at: the farthest that each thread has found
 */
template < guint n > struct SampleMemory
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

/* The farthest of the @n points in each of @n_directions, into @extreme, by all
 * threads of the block. Selection only: single precision will do, since any
 * polygon of points is inside the hull. */
template < guint n_directions, guint size > static __device__ void
find_extremes (SampleMemory < size > &m, guint n, unsigned long long *extreme)
{
  const guint n_parts = CS_HULL_BLOCK / n_directions;
  const guint d = threadIdx.x % n_directions, part = threadIdx.x /
      n_directions;
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
middle_of (double a, double b, double c)
{
  return fmax (fmin (a, b), fmin (fmax (a, b), c));
}

/* What the points are taken relative to: amid three of them, since one could
 * be far away. */
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
  return make_double2 (middle_of (x[0], x[1], x[2]), middle_of (y[0], y[1],
          y[2]));
}

/* --- First pass: strips of the sample's polygon --------------------------- */

/* The polygon's points are extreme in their directions. It is not convex to
 * the last bit, but that is not needed: every chord between two of its points
 * is inside the hull. */

/* v of the chain from direction @start on, half around, counter-clockwise or
 * clockwise (@step 1 or -1), at u. The invariant u[low] <= u <= u[high] holds
 * whatever the order of the points between. */
template < typename Real > static __device__ Real
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
 * @strips: for each strip across u: v of the lower chain at its beginning, how
 *     much that grows to its end, and the same for the upper chain
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
 * Turned:
 * @reference: point (0, 0) of the turned system, in which the strips are
 * @origin, @scale: (u - origin) * scale is the strip's number and how far in it
 *     u is; @scale is 0 where the polygon cannot serve
 */
template < typename Real > struct Turned
{
  Real reference_x, reference_y;
  float origin, scale;
};

/* Loads the extreme points, turned; their largest magnitude, or NaN if there
 * are none. */
static __device__ float
load_turned (Strips & m, const HullSource & source,
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
      u = x * CS_HULL_TURN_COS + y * CS_HULL_TURN_SIN;
      v = y * CS_HULL_TURN_COS - x * CS_HULL_TURN_SIN;
      m.u[threadIdx.x] = u;
      m.v[threadIdx.x] = v;
      size = fabsf (u) + fabsf (v);
    }
  }
  size = BlockTeam ().reduce (size, MaxFloat ());
  return __syncthreads_and (found) ? size : NAN;
}

/* The strips of the polygon that the sample's extreme points are. */
template < typename Real > static __device__ Turned < Real >
make_strips (Strips & m, const HullSource & source,
    const unsigned long long *extreme, double2 reference)
{
  const guint n = CS_HULL_DIRECTIONS;
  const guint last = CS_HULL_TURN, first = CS_HULL_TURN + n / 2;
  const guint k = threadIdx.x;
  const float size = load_turned (m, source, extreme, reference);
  const float origin = m.u[first], width = m.u[last] - origin;
  const float scale = CS_HULL_STRIPS / width;
  /* how far rounding moves a point, in strips: less than one */
  const float margin = CS_HULL_POINT_MARGIN * size * scale + 0x1p-12f;
  const Turned < Real > turned = {
    (Real) reference.x, (Real) reference.y, origin,
    size >= 0x1p-100f && size <= 0x1p100f && width > 0 && margin < .25f ?
    scale : 0
  };

  if (turned.scale == 0)
    return turned;
  m.low[k] = polygon_value (m.u, m.v, n, first, 1, origin + k / scale);
  m.high[k] = polygon_value (m.u, m.v, n, first, -1, origin + k / scale);
  if (k == 0)
    m.low[CS_HULL_STRIPS] = m.high[CS_HULL_STRIPS] = m.v[last];
  __syncthreads ();

  /* a strip's bound is the chord, moved inwards by what a point moved by
   * @margin meets at most */
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
  return turned;
}

/* Whether the point is inside the hull for sure; NaN is not. */
template < typename Real > static __device__ __forceinline__ bool
is_inside (const Strips & m, const Turned < Real > &turned, Real x,
    Real y)
{
  const float dx = x - turned.reference_x, dy = y - turned.reference_y;
  const float u = fmaf (dx, CS_HULL_TURN_COS, dy * CS_HULL_TURN_SIN);
  const float v = fmaf (dy, CS_HULL_TURN_COS, -dx * CS_HULL_TURN_SIN);
  const float t = (u - turned.origin) * turned.scale;
  const int k = (int) fminf (fmaxf (t, 0), CS_HULL_STRIPS - 1);
  const float4 strip = m.strips[k];
  const float part = t - k;

  return t > 0 && t < CS_HULL_STRIPS && v > fmaf (part, strip.y, strip.x) &&
      v < fmaf (part, strip.w, strip.z);
}

/* --- Second pass: no strips, the polygon itself --------------------------- */

template < guint n > struct AgainMemory
{
  double x[n], y[n];
};

/* Loads the polygon; whether it serves, and the margin of its bounds. */
template < guint n > static __device__ bool
load_polygon (AgainMemory < n > &m, const HullSource & source,
    const unsigned long long *extreme, double *margin)
{
  Size size = { 0, 0 };
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
  size = BlockTeam ().reduce (size, GrowSize ());
  *margin = size.y * CS_HULL_AGAIN_MARGIN;
  return __syncthreads_and (found) && size.x >= 0x1p-100 &&
      size.x <= 0x1p500 && size.y >= 0x1p-500 && size.y <= 0x1p500 &&
      m.x[0] - m.x[n / 2] > size.x * CS_HULL_MIN_WIDTH;
}

template < guint n > static __device__ __forceinline__ bool
is_inside_polygon (const AgainMemory < n > &m, double margin, double x,
    double y)
{
  return x > m.x[n / 2] && x < m.x[0] &&
      y > polygon_value (m.x, m.y, n, n / 2, 1, x) + margin &&
      y < polygon_value (m.x, m.y, n, n / 2, -1, x) - margin;
}

/* --- Each with each ------------------------------------------------------- */

/* Points that a block judges at a time, @lanes threads for each of the four
 * that are looked for. */
#define CS_HULL_JUDGED(lanes) (CS_HULL_BLOCK / (4 * (lanes)))
#define CS_HULL_JUDGED_MAX CS_HULL_JUDGED (8)

/**
 * JudgeMemory:
 * @xy, @number: the points; infinite ones do not count
 * @seen: of each point that is judged: among the points before it the ones
 *     from which it is seen under the least and the largest angle, among those
 *     after it the ones that it sees so; before and after in turn, -1 if none
 * @place: how many are before it
 * @duplicate: it is equal to one with a lower number
 *
 * Before and after are meant in lexicographic order, so all directions from a
 * point to a later one lie within half a turn: a point is on the lower chain
 * if and only if all that it sees after it lies to the left of all directions
 * to it.
 */
struct JudgeMemory
{
  double2 xy[CS_HULL_BLOCK_POINTS];
  guint32 number[CS_HULL_BLOCK_POINTS];
  gint seen[CS_HULL_JUDGED_MAX][4];
  guint32 place[CS_HULL_JUDGED_MAX];
  bool duplicate[CS_HULL_JUDGED_MAX];
};

/* Sign of the cross product of the directions between @i and @a, @i and @b. */
static __device__ __forceinline__ int
turn (const double2 * xy, gint i, gint a, gint b)
{
  return cs_hull_cross_sign (xy[a].x, xy[a].y, xy[i].x, xy[i].y, xy[b].x,
      xy[b].y, xy[i].x, xy[i].y);
}

/* Looks from point @i for m.seen[slot][which], by @lanes threads of a warp, the
 * others of which call it, too; @i is -1 for none. */
template < guint lanes > static __device__ void
look_around (JudgeMemory & m, guint n, gint i, guint slot, guint which)
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
    const gint other = __shfl_xor_sync (0xffffffffu, found, mask);

    place += __shfl_xor_sync (0xffffffffu, place, mask);
    duplicate |= __shfl_xor_sync (0xffffffffu, duplicate, mask);
    if (other >= 0 && (found < 0 || sign * turn (m.xy, i, found, other) > 0))
      found = other;
    __syncwarp ();
  }
  if (i >= 0 && threadIdx.x % lanes == 0) {
    m.seen[slot][which] = found;
    if (which == 0) {
      m.place[slot] = place;
      m.duplicate[slot] = duplicate;
    }
  }
}

/* Which chains point @i is on, from what has been seen: 1 below, 2 above. */
static __device__ guint8
get_verdict (const JudgeMemory & m, gint i, guint slot, bool collinear)
{
  const gint *seen = m.seen[slot];
  const int least = collinear ? 0 : 1;
  guint8 verdict = 0;

  if (m.duplicate[slot])
    return 0;
  if (seen[0] < 0 || seen[1] < 0)
    return 3;
  /* directions to i are from the others: turned around both ways */
  if (turn (m.xy, i, seen[2], seen[1]) <= -least)
    verdict |= 1;
  if (turn (m.xy, i, seen[0], seen[3]) >= least)
    verdict |= 2;
  return verdict;
}

/* Judges points @first, @first + @stride ... of the @n: their numbers into
 * @judged, in lexicographic order, which chains they are on into @verdict, and
 * how many are finite is added to @n_judged, how many not to @n_ignored. */
template < guint lanes > static __device__ void
judge_points (JudgeMemory & m, guint n, guint first, guint stride,
    bool collinear, guint32 * judged, guint8 * verdict, guint32 * n_judged,
    guint32 * n_ignored)
{
  const guint slot = threadIdx.x / (4 * lanes), which = threadIdx.x / lanes % 4;

  for (; first < n; first += CS_HULL_JUDGED (lanes) * stride) {
    guint i = first + slot * stride;

    look_around < lanes > (m, n, i < n && m.xy[i].x < INFINITY ? (gint) i : -1,
        slot, which);
    __syncthreads ();
    i = first + threadIdx.x * stride;
    if (threadIdx.x < CS_HULL_JUDGED (lanes) && i < n) {
      if (m.xy[i].x < INFINITY) {
        judged[m.place[threadIdx.x]] = m.number[i];
        verdict[m.place[threadIdx.x]] = get_verdict (m, i, threadIdx.x,
            collinear);
        atomicAdd (n_judged, 1);
      } else {
        atomicAdd (n_ignored, 1);
      }
    }
    __syncthreads ();
  }
}

/* Sums of the ranks' @value before each thread's, and of all, by the block. */
static __device__ guint32
sum_before (guint32 value, guint32 * all)
{
  __shared__ guint32 of_warps[32];
  const guint lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  guint32 sum = value, sums;

  for (int step = 1; step < 32; step *= 2) {
    const guint32 other = __shfl_up_sync (0xffffffffu, sum, step);

    sum += lane >= step ? other : 0;
  }
  __syncthreads ();
  if (lane == 31)
    of_warps[warp] = sum;
  __syncthreads ();
  sums = of_warps[lane];
  for (int step = 1; step < 32; step *= 2) {
    const guint32 other = __shfl_up_sync (0xffffffffu, sums, step);

    sums += lane >= step ? other : 0;
  }
  *all = __shfl_sync (0xffffffffu, sums, 31);
  return sum - value + (warp > 0 ? __shfl_sync (0xffffffffu, sums, warp - 1) :
      0);
}

/* The vertices among the @n judged points, at most CS_HULL_BLOCK_POINTS, in
 * their order to @hull; how many there are. */
static __device__ guint32
order_vertices (guint32 * hull, const guint32 * judged, const guint8 * verdict,
    guint32 n)
{
  const guint n_rounds = CS_HULL_BLOCK_POINTS / CS_HULL_BLOCK;
  guint32 sum = 0, upper[n_rounds], n_all;

  /* the lower chain's in the low bits, those that are only above in the
   * high */
#pragma unroll
  for (guint round = 0; round < n_rounds; round++) {
    const guint32 i = round * CS_HULL_BLOCK + threadIdx.x;
    guint32 all = 0, before = 0;
    guint8 chains = 0;

    upper[round] = 0xffffffffu;
    if (round * CS_HULL_BLOCK >= n)
      continue;
    chains = i < n ? verdict[i] : 0;
    before = sum + sum_before (chains & 1 ? 1 : chains == 2 ? 1u << 16 : 0,
        &all);
    if (chains & 1)
      hull[before & 0xffff] = judged[i];
    else if (chains == 2)
      upper[round] = before >> 16;
    sum += all;
  }
  n_all = (sum & 0xffff) + (sum >> 16);
  /* from the end, since it goes back to the first */
#pragma unroll
  for (guint round = 0; round < n_rounds; round++) {
    if (upper[round] != 0xffffffffu)
      hull[n_all - 1 - upper[round]] =
          judged[round * CS_HULL_BLOCK + threadIdx.x];
  }
  __syncthreads ();
  return n_all;
}

#endif /* CS_HULL_STEPS_CUH */
