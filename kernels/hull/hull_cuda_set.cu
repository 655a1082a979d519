/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One set of points: two passes of a filter; what is left is compared each
 * with each, which takes more comparisons than a sort and a chain, and no time
 * on that many processors. */
#include "hull_device.cuh"

#define SAMPLE 32768
#define SAMPLE_BLOCKS 128
#define SAMPLE_THREADS 1024
#define SAMPLE_POINTS (SAMPLE / SAMPLE_BLOCKS)
#define BINS 1024
#define BINS_BLOCKS 8           /* for each axis */
#define BINS_THREADS 256
#define FILTER_THREADS 1024
#define FILTER_BUFFER 1024
#define AGAIN_BLOCKS 128
#define AGAIN_THREADS 256
/* Survivors that are worth the second pass: more than these, and not most. */
#define AGAIN_MIN 256
#define AGAIN_MAX 65536
#define JUDGE_WARPS 8
#define FINISH_THREADS 512
/* The margins of hull_filter.c. */
#define BIN_MARGIN 0x1p-8
#define BOUND_MARGIN 0x1p-48
#define MIN_WIDTH 0x1p-30

/**
 * HullSet:
 * @job: what the kernels work on
 * @n_survivors: points after the first pass; they are in @xy and @index if
 *     they are CS_HULL_MAX_SURVIVORS at most
 * @n_second: points after the second pass; @second are their numbers
 * @n_ignored: points that were not finite
 * @n_judged: finite points of the last step
 * @judged, @verdict: their numbers in lexicographic order, and which chains of
 *     the hull they are on (1 below, 2 above)
 * @bins: bounds for the first pass along both axes
 * @extreme, @extreme_2: for each direction the farthest point of the sample
 *     (highest key, number), 0 if there is none
 * @lists: the hull, for one set
 *
 * State of a run on the device.
 */
struct HullSet
{
  HullJob job;
  guint32 n_survivors, n_second, n_ignored, n_judged;
  guint32 judged[CS_HULL_BLOCK_POINTS];
  guint8 verdict[CS_HULL_BLOCK_POINTS];
  struct
  {
    double origin, scale;
    double2 bounds[BINS + 2];
  } bins[2];
  guint32 capacity;
  double2 *xy;
  guint32 *index, *second;
  HullLists lists;
  unsigned long long extreme[CS_HULL_DIRECTIONS];
  unsigned long long extreme_2[CS_HULL_DIRECTIONS_2];
};

/* Whether the set goes to the last kernel as it is. */
static __device__ __forceinline__ bool
is_small (const HullSet * set)
{
  return set->job.n <= CS_HULL_BLOCK_POINTS;
}

/* Whether the second pass runs. */
static __device__ __forceinline__ bool
is_filtered_again (const HullSet * set)
{
  const guint32 n = set->n_survivors;

  return !is_small (set) && n > AGAIN_MIN && n <= set->capacity &&
      n <= max (set->job.n / 2, AGAIN_MAX);
}

/* Makes the state as every run leaves it. */
static __device__ void
reset_set (HullSet * set)
{
  if (threadIdx.x == 0)
    set->n_survivors = set->n_second = set->n_ignored = set->n_judged = 0;
  for (guint i = threadIdx.x; i < CS_HULL_DIRECTIONS; i += blockDim.x)
    set->extreme[i] = 0;
  for (guint i = threadIdx.x; i < CS_HULL_DIRECTIONS_2; i += blockDim.x)
    set->extreme_2[i] = 0;
}

/* Begins a run of a small set. */
static __global__ void
begin_kernel (HullJob job, HullSet * set)
{
  set->job = job;
}

/* --- Extreme points ------------------------------------------------------- */

/* Unsigned order of the finite numbers; never 0. */
static __device__ __forceinline__ guint32
float_key (float value)
{
  const guint32 bits = __float_as_uint (value);

  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* The farthest of @n points in each of @n_directions, into @extreme, by all
 * SAMPLE_THREADS of the block; @xy relative to some point, @number what they
 * are called. Selection only: single precision will do, since any polygon of
 * points is inside the hull. */
template < guint n_directions > static __device__ void
find_extremes (const float2 * xy, const guint32 * number, guint n,
    unsigned long long *extreme)
{
  __shared__ unsigned long long farthest[n_directions];
  const guint n_parts = SAMPLE_THREADS / n_directions;
  const guint d = threadIdx.x % n_directions, part = threadIdx.x /
      n_directions;
  float dx, dy, best = -INFINITY;
  guint at = 0;

  if (part == 0)
    farthest[d] = 0;
  sincospif (2.f * d / n_directions, &dy, &dx);
  for (guint i = part; i < n; i += n_parts) {
    const float along = xy[i].x * dx + xy[i].y * dy;

    if (along > best) {
      best = along;
      at = i;
    }
  }
  __syncthreads ();
  if (best > -INFINITY)
    atomicMax (&farthest[d], (unsigned long long) float_key (best) << 32 |
        number[at]);
  __syncthreads ();
  if (part == 0 && farthest[d])
    atomicMax (&extreme[d], farthest[d]);
}

/* Makes a point relative to the reference; NaN where that is not finite, which
 * no comparison prefers. */
static __device__ __forceinline__ float2
relative (double x, double y, double2 reference)
{
  const float dx = x - reference.x, dy = y - reference.y;

  if (!(isfinite (dx) && isfinite (dy)))
    return make_float2 (NAN, NAN);
  return make_float2 (dx, dy);
}

static __device__ double2
reference_point (double x, double y)
{
  return is_finite (x, y) ? make_double2 (x, y) : make_double2 (0, 0);
}

/* Begins a run, too: the last one has left everything else as it must be. */
static __global__ void __launch_bounds__ (SAMPLE_THREADS)
sample_kernel (HullJob job, HullSet * set)
{
  __shared__ float2 xy[SAMPLE_POINTS];
  __shared__ guint32 number[SAMPLE_POINTS];
  const HullSource source = job.source;
  const guint32 n = job.n, n_sample = min (n, SAMPLE);
  const guint32 step = n_sample ? n / n_sample : 0;
  const guint each = (n_sample + gridDim.x - 1) / gridDim.x;
  const guint32 first = blockIdx.x * each;
  guint count;

  if (blockIdx.x == gridDim.x - 1 && threadIdx.x == 0)
    set->job = job;
  if (first >= n_sample)
    return;
  count = min (n_sample - first, each);
  for (guint i = threadIdx.x; i < count; i += blockDim.x) {
    double x, y, x0, y0;

    number[i] = (first + i) * step;
    load_point (source, 0, &x0, &y0);
    load_point (source, number[i], &x, &y);
    xy[i] = relative (x, y, reference_point (x0, y0));
  }
  __syncthreads ();
  find_extremes < CS_HULL_DIRECTIONS > (xy, number, count, set->extreme);
}

/* The same for the survivors of the first pass. */
static __global__ void __launch_bounds__ (SAMPLE_THREADS)
sample_again_kernel (HullSet * set)
{
  __shared__ float2 xy[SAMPLE_POINTS];
  __shared__ guint32 number[SAMPLE_POINTS];
  const guint32 n = set->n_survivors, n_sample = min (n, SAMPLE);
  const guint each = (n_sample + gridDim.x - 1) / gridDim.x;
  const guint32 first = blockIdx.x * each;
  guint count;

  if (!is_filtered_again (set) || first >= n_sample)
    return;
  count = min (n_sample - first, each);
  const guint32 step = n / n_sample;
  const double2 reference = set->xy[0];

  for (guint i = threadIdx.x; i < count; i += blockDim.x) {
    number[i] = (first + i) * step;
    xy[i] = relative (set->xy[number[i]].x, set->xy[number[i]].y, reference);
  }
  __syncthreads ();
  find_extremes < CS_HULL_DIRECTIONS_2 > (xy, number, count, set->extreme_2);
}

/* --- Bounds from extreme points ------------------------------------------- */

/**
 * Polygon:
 * @x, @y: the extreme points, one for each of @n directions
 * @size_x, @size_y: largest magnitudes
 *
 * Not convex to the last bit, but that is not needed: every chord between two
 * of its points is inside the hull.
 */
struct Polygon
{
  const double *x, *y;
  guint n;
  double size_x, size_y;
};

/* v of the chain from direction @start on, half around, counter-clockwise or
 * clockwise (@step 1 or -1), at u. The invariant u[low] <= u <= u[high] holds
 * whatever the order of the points between. */
static __device__ double
polygon_value (const double *us, const double *vs, guint n, guint start,
    int step, double u)
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

/* Whether strips along u can be told apart, and values be trusted. */
static __device__ bool
polygon_serves (double u_min, double u_max, double u_size, double v_size)
{
  return u_size >= 0x1p-100 && u_size <= 0x1p500 && v_size >= 0x1p-500 &&
      v_size <= 0x1p500 && u_max - u_min > u_size * MIN_WIDTH;
}

/* Loads the extreme points that @extreme names, by all threads; FALSE if there
 * are none. */
static __device__ bool
load_polygon (const unsigned long long *extreme, guint n,
    const HullSource * source, const double2 * xy, double *px, double *py,
    double *size_x, double *size_y)
{
  Box box = { 0, 0, 0, 0 };
  bool found = true;

  for (guint i = threadIdx.x; i < n; i += blockDim.x) {
    const unsigned long long key = extreme[i];
    double x = 0, y = 0;

    if (key == 0)
      found = false;
    else if (source)
      load_point (*source, (guint32) key, &x, &y);
    else
      x = xy[(guint32) key].x, y = xy[(guint32) key].y;
    px[i] = x;
    py[i] = y;
    box.x1 = fmax (box.x1, fabs (x));
    box.y1 = fmax (box.y1, fabs (y));
  }
  box = BlockTeam ().reduce (box, GrowBox ());
  *size_x = box.x1;
  *size_y = box.y1;
  return __syncthreads_and (found);
}

/* The bounds of both axes' strips, in shares of BINS_BLOCKS blocks. */
static __global__ void __launch_bounds__ (BINS_THREADS)
bins_kernel (HullSet * set)
{
  /* of an edge between strips: the first is the one before the block's */
  __shared__ double low[BINS / BINS_BLOCKS + 3], high[BINS / BINS_BLOCKS + 3];
  __shared__ double px[CS_HULL_DIRECTIONS], py[CS_HULL_DIRECTIONS];
  const guint n = CS_HULL_DIRECTIONS, each = BINS / BINS_BLOCKS;
  const gint axis = blockIdx.x / BINS_BLOCKS;
  const gint first = blockIdx.x % BINS_BLOCKS * each;
  /* x from the left, below counter-clockwise; y from below, on the right
   * counter-clockwise */
  const guint start = axis == 0 ? n / 2 : 3 * n / 4;
  const int low_step = axis == 0 ? 1 : -1;
  double size_x, size_y, u_min, u_max, scale, margin;
  bool serves;

  if (is_small (set))
    return;
  serves = load_polygon (set->extreme, n, &set->job.source, NULL, px, py,
      &size_x, &size_y);
  const double *us = axis == 0 ? px : py, *vs = axis == 0 ? py : px;
  const double u_size = axis == 0 ? size_x : size_y;
  const double v_size = axis == 0 ? size_y : size_x;

  u_min = us[start];
  u_max = us[(start + n / 2) & (n - 1)];
  scale = BINS / (u_max - u_min);
  margin = v_size * BOUND_MARGIN;
  serves = serves && polygon_serves (u_min, u_max, u_size, v_size) &&
      scale > 1e-37 && scale < 1e37;
  for (gint i = threadIdx.x; serves && i < 2 * ((gint) each + 3);
      i += blockDim.x) {
    const gint edge = first - 1 + i / 2;
    const double u = edge == BINS ? u_max : u_min + edge / scale;

    if (edge < 0 || edge > BINS)
      continue;
    if (i % 2 == 0)
      low[i / 2] = polygon_value (us, vs, n, start, low_step, u) + margin;
    else
      high[i / 2] = polygon_value (us, vs, n, start, -low_step, u) - margin;
  }
  __syncthreads ();
  /* strip k + 1 from edge k to k + 1, and BIN_MARGIN further: there the bound
   * is below the chord to the next edge, the polygon being convex */
  for (gint i = threadIdx.x; i < (gint) each; i += blockDim.x) {
    const gint k = first + i;
    double2 bounds = make_double2 (INFINITY, -INFINITY);

    if (serves && k >= 1 && k + 2 <= BINS) {
      bounds.x = fmax (low[i + 1] + BIN_MARGIN * fmax (low[i] - low[i + 1],
              0.), low[i + 2] + BIN_MARGIN * fmax (low[i + 3] - low[i + 2],
              0.)) + margin;
      bounds.y = fmin (high[i + 1] - BIN_MARGIN * fmax (high[i + 1] - high[i],
              0.), high[i + 2] - BIN_MARGIN * fmax (high[i + 2] - high[i + 3],
              0.)) - margin;
    }
    set->bins[axis].bounds[k + 1] = bounds;
  }
  if (first == 0 && threadIdx.x == 0) {
    set->bins[axis].bounds[0] = set->bins[axis].bounds[BINS + 1] =
        make_double2 (INFINITY, -INFINITY);
    set->bins[axis].origin = serves ? u_min : 0;
    set->bins[axis].scale = serves ? scale : 0;
  }
}

template < typename Real > struct Pair;
template <> struct Pair < float > { typedef float2 type; };
template <> struct Pair < double > { typedef double2 type; };

static __device__ __forceinline__ void
round_bounds (double2 bounds, float2 * to)
{
  to->x = __double2float_ru (bounds.x);
  to->y = __double2float_rd (bounds.y);
}

static __device__ __forceinline__ void
round_bounds (double2 bounds, double2 * to)
{
  *to = bounds;
}

/**
 * Bins:
 * @origin, @scale: as CsHullBins
 * @bounds: low and high of bins 0 .. BINS + 1
 */
template < typename Real > struct Bins
{
  Real origin, scale;
  typename Pair < Real >::type bounds[BINS + 2];
};

/* Copies the bounds of @axis, rounded to the safe side, by all threads. */
template < typename Real > static __device__ void
load_bins (const HullSet * set, guint axis, Bins < Real > *bins)
{
  for (guint i = threadIdx.x; i < BINS + 2; i += blockDim.x)
    round_bounds (set->bins[axis].bounds[i], &bins->bounds[i]);
  if (threadIdx.x == 0) {
    bins->origin = set->bins[axis].origin;
    bins->scale = set->bins[axis].scale;
  }
}

/* NaN goes to bin 0. */
template < typename Real > static __device__ __forceinline__ bool
is_inside (const Bins < Real > &bins, Real u, Real v)
{
  Real t = (u - bins.origin) * bins.scale + 1;

  t = t > 0 ? t : 0;
  t = t < BINS + 1 ? t : BINS + 1;
  const auto bounds = bins.bounds[(int) t];

  return v > bounds.x && v < bounds.y;
}

/* --- First pass ----------------------------------------------------------- */

template < typename Real > struct FilterMemory
{
  Bins < Real > x, y;
  guint32 kept[FILTER_BUFFER];
  guint32 n_kept, n_ignored, base;
};

/* Keeps a survivor: the block's first ones in its buffer, the rest at once. */
template < typename Real > static __device__ __forceinline__ void
keep_point (HullSet * set, FilterMemory < Real > *m, bool keeps, double x,
    double y, guint32 i)
{
  if (!keeps)
    return;
  if (!is_finite (x, y)) {
    atomicAdd (&m->n_ignored, 1);
    return;
  }
  guint32 at = atomicAdd (&m->n_kept, 1);

  if (at < FILTER_BUFFER) {
    m->kept[at] = i;
    return;
  }
  at = atomicAdd (&set->n_survivors, 1);
  if (at < set->capacity) {
    set->xy[at] = make_double2 (x, y);
    set->index[at] = i;
  }
}

template < typename Real > static __device__ __forceinline__ bool
survives (const FilterMemory < Real > &m, Real x, Real y)
{
  return !is_inside (m.x, x, y) && !is_inside (m.y, y, x);
}

template < typename T > struct RealOf { typedef double type; };
template <> struct RealOf < float > { typedef float type; };

/* Two packed points, aligned to 16 bytes. */
static __device__ __forceinline__ void
load_pair (const float *p, float *value)
{
  const float4 v = __ldg ((const float4 *) p);

  value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
}

static __device__ __forceinline__ void
load_pair (const gint32 * p, gint32 * value)
{
  const int4 v = __ldg ((const int4 *) p);

  value[0] = v.x, value[1] = v.y, value[2] = v.z, value[3] = v.w;
}

static __device__ __forceinline__ void
load_pair (const double *p, double *value)
{
  const double2 v = __ldg ((const double2 *) p);
  const double2 w = __ldg ((const double2 *) p + 1);

  value[0] = v.x, value[1] = v.y, value[2] = w.x, value[3] = w.y;
}

/* Points in pairs, packed and aligned. */
template < typename T > static __device__ void
filter_packed (HullSet * set, FilterMemory < typename RealOf < T >::type > *m,
    const T * points, guint32 n)
{
  typedef typename RealOf < T >::type Real;
  const guint32 n_pairs = n / 2, stride = gridDim.x * blockDim.x;
  const guint32 rank = blockIdx.x * blockDim.x + threadIdx.x;

  for (guint32 first = rank; first < n_pairs; first += 4 * stride) {
    T value[4][4];

#pragma unroll
    for (int k = 0; k < 4; k++) {
      const guint32 pair = first + k * stride;

      if (pair < n_pairs)
        load_pair (points + 4 * (gsize) pair, value[k]);
    }
#pragma unroll
    for (int k = 0; k < 4; k++) {
      const guint32 pair = first + k * stride;

      if (pair < n_pairs) {
        keep_point (set, m, survives (*m, (Real) value[k][0],
                (Real) value[k][1]), value[k][0], value[k][1], 2 * pair);
        keep_point (set, m, survives (*m, (Real) value[k][2],
                (Real) value[k][3]), value[k][2], value[k][3], 2 * pair + 1);
      }
    }
  }
  if (rank == 0 && n % 2) {
    const T x = points[2 * (gsize) (n - 1)], y = points[2 * (gsize) n - 1];

    keep_point (set, m, survives (*m, (Real) x, (Real) y), x, y, n - 1);
  }
}

template < typename T > static __device__ void
filter_strided (HullSet * set, FilterMemory < typename RealOf < T >::type > *m,
    const HullSource & source, guint32 n)
{
  typedef typename RealOf < T >::type Real;
  const guint32 stride = gridDim.x * blockDim.x;

  for (guint32 i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
    const T *p = (const T *) (source.points + (gsize) i * source.stride);

    keep_point (set, m, survives (*m, (Real) p[0], (Real) p[1]), p[0], p[1],
        i);
  }
}

template < typename T > static __global__ void
__launch_bounds__ (FILTER_THREADS)
filter_kernel (HullSet * set)
{
  typedef typename RealOf < T >::type Real;
  __shared__ FilterMemory < Real > m;
  const HullSource source = set->job.source;
  const guint32 n = set->job.n;

  if (is_small (set))
    return;
  if (threadIdx.x == 0)
    m.n_kept = m.n_ignored = 0;
  load_bins (set, 0, &m.x);
  load_bins (set, 1, &m.y);
  __syncthreads ();
  if (source.stride == 2 * sizeof (T) && (gsize) source.points % 16 == 0)
    filter_packed (set, &m, (const T *) source.points, n);
  else
    filter_strided < T > (set, &m, source, n);

  __syncthreads ();
  const guint32 n_kept = min (m.n_kept, FILTER_BUFFER);

  if (threadIdx.x == 0) {
    m.base = n_kept ? atomicAdd (&set->n_survivors, n_kept) : 0;
    if (m.n_ignored)
      atomicAdd (&set->n_ignored, m.n_ignored);
  }
  __syncthreads ();
  for (guint i = threadIdx.x; i < n_kept; i += blockDim.x) {
    const guint32 at = m.base + i;

    if (at < set->capacity) {
      load_point (source, m.kept[i], &set->xy[at].x, &set->xy[at].y);
      set->index[at] = m.kept[i];
    }
  }
}

/* --- Second pass: no strips, the polygon itself --------------------------- */

static __device__ __forceinline__ bool
is_inside_polygon (const Polygon & p, double x, double y)
{
  const guint n = p.n;

  if (!(x > p.x[n / 2] && x < p.x[0]))
    return false;
  return y > polygon_value (p.x, p.y, n, n / 2, 1, x) +
      p.size_y * BOUND_MARGIN && y < polygon_value (p.x, p.y, n, n / 2, -1,
      x) - p.size_y * BOUND_MARGIN;
}

static __global__ void __launch_bounds__ (AGAIN_THREADS)
filter_again_kernel (HullSet * set)
{
  __shared__ double px[CS_HULL_DIRECTIONS_2], py[CS_HULL_DIRECTIONS_2];
  const guint32 n = set->n_survivors;
  Polygon polygon = { px, py, CS_HULL_DIRECTIONS_2, 0, 0 };
  bool serves;

  if (!is_filtered_again (set))
    return;
  serves = load_polygon (set->extreme_2, CS_HULL_DIRECTIONS_2, NULL, set->xy,
      px, py, &polygon.size_x, &polygon.size_y);
  __syncthreads ();
  serves = serves && polygon_serves (px[CS_HULL_DIRECTIONS_2 / 2], px[0],
      polygon.size_x, polygon.size_y);
  for (guint32 first = blockIdx.x * blockDim.x; first < n;
      first += gridDim.x * blockDim.x) {
    const guint32 i = first + threadIdx.x;
    const bool keeps = i < n && !(serves && is_inside_polygon (polygon,
            set->xy[i].x, set->xy[i].y));
    const guint32 all = __ballot_sync (0xffffffffu, keeps);
    const guint lane = threadIdx.x % 32;
    guint32 base = 0;

    if (lane == 0 && all)
      base = atomicAdd (&set->n_second, __popc (all));
    base = __shfl_sync (0xffffffffu, base, 0);
    if (keeps)
      set->second[base + __popc (all & ((1u << lane) - 1))] =
          set->index[i];
  }
}

/* --- Each with each ------------------------------------------------------- */

/* The points of the last step, at most CS_HULL_BLOCK_POINTS unless there are
 * too many: their numbers, or %NULL for 0 .. n - 1. */
static __device__ __forceinline__ const guint32 *
last_points (const HullSet * set, guint32 * n)
{
  if (is_small (set)) {
    *n = set->job.n;
    return NULL;
  }
  if (is_filtered_again (set)) {
    *n = set->n_second;
    return set->second;
  }
  *n = set->n_survivors;
  return set->index;
}

/**
 * Judgement:
 * @before_first, @before_last: of the points before the one in question those
 *     from which it is seen under the least and the largest angle
 * @after_first, @after_last: of those after it the ones that it sees so
 * @n_before: points before it
 * @duplicate: it is equal to one with a lower number
 *
 * Points are in lexicographic order, so all directions from a point to a later
 * one lie within half a turn: a point is on the lower chain if and only if all
 * that it sees after it lies to the left of all directions to it.
 */
struct Judgement
{
  gint before_first, before_last, after_first, after_last;
  guint32 n_before;
  bool duplicate;
};

/* Sign of the cross product of the directions between @i and @a, @i and @b. */
static __device__ __forceinline__ int
turn (const double2 * xy, gint i, gint a, gint b)
{
  return cs_hull_cross_sign (xy[a].x, xy[a].y, xy[i].x, xy[i].y, xy[b].x,
      xy[b].y, xy[i].x, xy[i].y);
}

/* Directions to @i come from @a and @b, so both are turned around: the sign of
 * their cross product stays. -1 is no point. */
static __device__ __forceinline__ void
take_first (const double2 * xy, gint i, gint * first, gint a)
{
  if (a >= 0 && (*first < 0 || turn (xy, i, *first, a) < 0))
    *first = a;
}

static __device__ __forceinline__ void
take_last (const double2 * xy, gint i, gint * last, gint a)
{
  if (a >= 0 && (*last < 0 || turn (xy, i, *last, a) > 0))
    *last = a;
}

static __device__ Judgement
look_around (const double2 * xy, const guint32 * number, guint n, gint i)
{
  Judgement j = { -1, -1, -1, -1, 0, false };
  const double2 p = xy[i];

  for (gint first = 0; first < (gint) n; first += 32) {
    const gint k = first + threadIdx.x % 32;
    const double2 q = k < (gint) n ? xy[k] : make_double2 (INFINITY, 0);

    /* stay together */
    __syncwarp ();
    if (!(q.x < INFINITY) || k == i)
      continue;
    if (q.x == p.x && q.y == p.y) {
      if (number[k] < number[i]) {
        j.duplicate = true;
        j.n_before++;
      }
    } else if (q.x < p.x || (q.x == p.x && q.y < p.y)) {
      j.n_before++;
      take_first (xy, i, &j.before_first, k);
      take_last (xy, i, &j.before_last, k);
    } else {
      take_first (xy, i, &j.after_first, k);
      take_last (xy, i, &j.after_last, k);
    }
  }
  for (int mask = 16; mask > 0; mask /= 2) {
    take_first (xy, i, &j.before_first, __shfl_xor_sync (0xffffffffu,
            j.before_first, mask));
    take_last (xy, i, &j.before_last, __shfl_xor_sync (0xffffffffu,
            j.before_last, mask));
    take_first (xy, i, &j.after_first, __shfl_xor_sync (0xffffffffu,
            j.after_first, mask));
    take_last (xy, i, &j.after_last, __shfl_xor_sync (0xffffffffu,
            j.after_last, mask));
    j.n_before += __shfl_xor_sync (0xffffffffu, j.n_before, mask);
  }
  j.duplicate = __any_sync (0xffffffffu, j.duplicate);
  return j;
}

/* A warp for each point that is left. */
static __global__ void __launch_bounds__ (32 * JUDGE_WARPS)
judge_kernel (HullSet * set)
{
  __shared__ double2 xy[CS_HULL_BLOCK_POINTS];
  __shared__ guint32 number[CS_HULL_BLOCK_POINTS];
  const HullSource source = set->job.source;
  const gint i = blockIdx.x * JUDGE_WARPS + threadIdx.x / 32;
  const int least = set->job.collinear ? 0 : 1;
  guint32 n;
  const guint32 *numbers = last_points (set, &n);

  if (n > CS_HULL_BLOCK_POINTS || blockIdx.x * JUDGE_WARPS >= n)
    return;
  for (guint k = threadIdx.x; k < n; k += blockDim.x) {
    double x, y;

    number[k] = numbers ? numbers[k] : k;
    load_point (source, number[k], &x, &y);
    if (!is_finite (x, y))
      x = y = INFINITY;
    xy[k] = make_double2 (x, y);
  }
  __syncthreads ();
  if (i >= (gint) n)
    return;
  if (!(xy[i].x < INFINITY)) {
    if (threadIdx.x % 32 == 0)
      atomicAdd (&set->n_ignored, 1);
    return;
  }
  const Judgement j = look_around (xy, number, n, i);

  if (threadIdx.x % 32 == 0) {
    const bool is_end = j.before_first < 0 || j.after_first < 0;
    guint8 verdict = 0;

    /* directions to i are from the others: turned around both ways */
    if (is_end || turn (xy, i, j.before_last, j.after_first) <= -least)
      verdict |= 1;
    if (is_end || turn (xy, i, j.before_first, j.after_last) >= least)
      verdict |= 2;
    atomicAdd (&set->n_judged, 1);
    set->judged[j.n_before] = number[i];
    set->verdict[j.n_before] = j.duplicate ? 0 : verdict;
  }
}

/* --- The hull ------------------------------------------------------------- */

static __device__ void
finish_header (const HullSet * set, guint32 n_hull, bool unfinished)
{
  HullHeader *header = set->job.header;
  const HullJob *job = &set->job;
  const guint32 n_points = n_hull > 0 ? n_hull + (job->closed ? 1 : 0) : 0;

  header->n_hulls = n_hull > 0;
  header->n_points = n_points;
  header->n_ignored = job->mask_width ? 0 : set->n_ignored;
  header->unfinished = unfinished;
  header->n_survivors = set->n_survivors;
  header->n_second = set->n_second;
  header->n_passes = is_small (set) ? 0 : is_filtered_again (set) ? 2 : 1;
  if (!unfinished)
    job->out_offsets[n_hull > 0] = n_points;
}

/* How many of the block's threads with a lower rank have @bit set, and how many
 * there are. */
static __device__ guint32
count_before (bool bit, guint32 * all)
{
  __shared__ guint32 of_warps[32];
  const guint lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  const guint32 ballot = __ballot_sync (0xffffffffu, bit);
  guint32 before = __popc (ballot & ((1u << lane) - 1));

  __syncthreads ();
  if (lane == 0)
    of_warps[warp] = __popc (ballot);
  __syncthreads ();
  *all = 0;
  for (guint i = 0; i < blockDim.x / 32; i++) {
    before += i < warp ? of_warps[i] : 0;
    *all += of_warps[i];
  }
  return before;
}

/* Orders the vertices, measures, and writes everything. */
static __global__ void __launch_bounds__ (FINISH_THREADS)
finish_kernel (HullSet * set)
{
  __shared__ guint32 hull[CS_HULL_BLOCK_POINTS];
  const BlockTeam team;
  const HullJob & job = set->job;
  guint32 n, n_lower = 0, n_upper = 0, n_hull;

  last_points (set, &n);
  if (n > CS_HULL_BLOCK_POINTS) {
    if (team.rank == 0)
      finish_header (set, 0, true);
    __syncthreads ();
    reset_set (set);
    return;
  }
  n = set->n_judged;
  for (guint32 first = 0; first < n; first += blockDim.x) {
    const guint32 i = first + team.rank;
    const guint8 verdict = i < n ? set->verdict[i] : 0;
    guint32 all, before = count_before (verdict & 1, &all);

    if (verdict & 1)
      hull[n_lower + before] = set->judged[i];
    n_lower += all;
    before = count_before (verdict == 2, &all);
    /* from the end, since it goes back to the first */
    if (verdict == 2)
      hull[CS_HULL_BLOCK_POINTS - 1 - n_upper - before] = set->judged[i];
    n_upper += all;
  }
  __syncthreads ();
  n_hull = n_lower + n_upper;
  for (guint32 i = team.rank; i < n_hull; i += blockDim.x)
    set->lists.hull[i] = hull[i < n_lower ? i : CS_HULL_BLOCK_POINTS -
        n_hull + i];
  __syncthreads ();
  if (n_hull > 0)
    emit_hull (team, job, 0, 0, set->lists.hull, n_hull, 0,
        set->lists.vertices, set->lists.strict);
  if (team.rank == 0)
    finish_header (set, n_hull, false);
  __syncthreads ();
  reset_set (set);
}

/* --- Host ----------------------------------------------------------------- */

static HullSet *
carve (CsCudaCarver * carver, guint32 capacity, HullSet * host)
{
  HullSet *set = CS_CUDA_CARVE (carver, HullSet, 1);

  host->capacity = capacity;
  host->xy = CS_CUDA_CARVE (carver, double2, capacity);
  host->index = CS_CUDA_CARVE (carver, guint32, capacity);
  host->second = CS_CUDA_CARVE (carver, guint32, capacity);
  host->lists.hull = CS_CUDA_CARVE (carver, guint32, CS_HULL_BLOCK_POINTS);
  host->lists.count = CS_CUDA_CARVE (carver, guint32, 1);
  host->lists.vertices = CS_CUDA_CARVE (carver, double2, CS_HULL_BLOCK_POINTS);
  host->lists.strict = CS_CUDA_CARVE (carver, double2, CS_HULL_BLOCK_POINTS);
  return set;
}

/* Scratch memory for sets of @n points, and the state in it. */
static gboolean
ensure_set (HullCuda * cuda, guint32 n, GError ** error)
{
  /* half a million for any set: graphs are made again when this grows */
  const guint32 capacity = n <= 1u << 19 ? 1u << 19 : CS_HULL_MAX_SURVIVORS;
  CsCudaCarver carver = { NULL, 0 };
  HullSet host;
  void *memory;

  memset (&host, 0, sizeof (host));
  carve (&carver, capacity, &host);
  if (cuda->state && capacity <= cuda->max_survivors)
    return TRUE;
  cuda->state = NULL;
  memory = cs_cuda_scratch_ensure (&cuda->set, carver.used, cuda->stream,
      error);
  if (!memory)
    return FALSE;
  carver.base = (guint8 *) memory;
  carver.used = 0;
  cuda->state = carve (&carver, capacity, &host);
  cuda->survivor_indices = host.index;
  cuda->second_indices = host.second;
  cuda->max_survivors = capacity;
  /* from pageable memory: read before the call returns */
  return cs_cuda_check (cudaMemcpyAsync (cuda->state, &host, sizeof (host),
          cudaMemcpyHostToDevice, cuda->stream), "set up a hull", error);
}

static const void *
filter_for (CsHullType type)
{
  switch (type) {
    case CS_HULL_F32:
      return (const void *) filter_kernel < float >;
    case CS_HULL_F64:
      return (const void *) filter_kernel < double >;
    default:
      return (const void *) filter_kernel < gint32 >;
  }
}

/* The kernel that gets the job. */
static const void *
first_kernel (gboolean small)
{
  return small ? (const void *) begin_kernel : (const void *) sample_kernel;
}

static guint
first_blocks (gboolean small)
{
  return small ? 1 : SAMPLE_BLOCKS;
}

static guint
first_threads (gboolean small)
{
  return small ? 1 : SAMPLE_THREADS;
}

static gboolean
build_graph (HullCuda * cuda, CsHullType type, gboolean small,
    const HullJob * job, GError ** error)
{
  CsCudaGraph *graph = &cuda->graphs[type][small];
  HullSet *set = cuda->state;
  void *begin_args[] = { (void *) job, &set }, *args[] = { &set };

  cs_cuda_graph_clear (graph);
  if (!cs_cuda_graph_begin (graph, error) ||
      !cs_cuda_graph_add_kernel (graph, first_kernel (small),
          first_blocks (small), first_threads (small), begin_args,
          &cuda->begin[type][small], error))
    return FALSE;
  if (!small && (!cs_cuda_graph_add_kernel (graph,
              (const void *) bins_kernel, 2 * BINS_BLOCKS, BINS_THREADS, args,
              NULL, error) ||
          !cs_cuda_graph_add_kernel (graph, filter_for (type),
              2 * cuda->n_multiprocessors, FILTER_THREADS, args, NULL,
              error) ||
          !cs_cuda_graph_add_kernel (graph,
              (const void *) sample_again_kernel, SAMPLE_BLOCKS,
              SAMPLE_THREADS, args, NULL, error) ||
          !cs_cuda_graph_add_kernel (graph,
              (const void *) filter_again_kernel, AGAIN_BLOCKS,
              AGAIN_THREADS, args, NULL, error)))
    return FALSE;
  if (!cs_cuda_graph_add_kernel (graph, (const void *) judge_kernel,
          CS_HULL_BLOCK_POINTS / JUDGE_WARPS, 32 * JUDGE_WARPS, args, NULL,
          error) ||
      !cs_cuda_graph_add_kernel (graph, (const void *) finish_kernel, 1,
          FINISH_THREADS, args, NULL, error) ||
      !cs_cuda_graph_end (graph, cuda->stream, error))
    return FALSE;
  cuda->graph_set[type][small] = set;
  return TRUE;
}

gboolean
cs_hull_cuda_set (HullCuda * cuda, const HullJob * job, GError ** error)
{
  const CsHullType type = job->source.type;
  const gboolean small = job->n <= CS_HULL_BLOCK_POINTS;
  void *args[] = { (void *) job, NULL };

  if (!ensure_set (cuda, job->n, error))
    return FALSE;
  if (cuda->graph_set[type][small] != cuda->state &&
      !build_graph (cuda, type, small, job, error))
    return FALSE;
  args[1] = &cuda->state;
  return cs_cuda_graph_set_args (&cuda->graphs[type][small],
      cuda->begin[type][small], first_kernel (small), first_blocks (small),
      first_threads (small), args, error) &&
      cs_cuda_graph_launch (&cuda->graphs[type][small], cuda->stream, error);
}
