/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One set of points: two passes of a filter, then one block. */
#include "hull_device.cuh"

#define SAMPLE 32768
#define SAMPLE_BLOCKS 128
#define SAMPLE_POINTS (SAMPLE / SAMPLE_BLOCKS)
#define BINS 1024
#define FILTER_THREADS 1024
#define FILTER_BUFFER 1024
#define AGAIN_BLOCKS 128
#define AGAIN_THREADS 256
/* The margins of hull_filter.c. */
#define BIN_MARGIN 0x1p-8
#define BOUND_MARGIN 0x1p-48
#define MIN_WIDTH 0x1p-30

/**
 * HullSet:
 * @job: what the kernels work on
 * @n_survivors: points after the first pass; they are in @xy and @index if
 *     they are CS_HULL_MAX_SURVIVORS at most
 * @n_second: points after the second pass, entries of @second
 * @n_ignored: points that were not finite
 * @extreme, @extreme_2: for each direction the farthest point of the sample
 *     (highest key, number), 0 if there is none
 * @lists: the hull, for one set
 *
 * State of a run on the device.
 */
struct HullSet
{
  HullJob job;
  guint32 n_survivors, n_second, n_ignored;
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

static __global__ void
begin_kernel (HullJob job, HullSet * set)
{
  if (threadIdx.x == 0) {
    set->job = job;
    set->n_survivors = set->n_second = set->n_ignored = 0;
  }
  if (threadIdx.x < CS_HULL_DIRECTIONS)
    set->extreme[threadIdx.x] = 0;
  set->extreme_2[threadIdx.x] = 0;
}

/* --- Extreme points ------------------------------------------------------- */

/* Unsigned order of the finite numbers; never 0. */
static __device__ __forceinline__ guint32
float_key (float value)
{
  const guint32 bits = __float_as_uint (value);

  return bits >> 31 ? ~bits : bits | 0x80000000u;
}

/* The farthest of @n points in the thread's direction, into @extreme; @xy
 * relative to some point, @number what they are called. Selection only: single
 * precision will do, since any polygon of points is inside the hull. */
static __device__ void
find_extreme (const float2 * xy, const guint32 * number, guint n, guint d,
    guint n_directions, unsigned long long *extreme)
{
  float dx, dy, best = -INFINITY;
  guint at = 0;

  sincospif (2.f * d / n_directions, &dy, &dx);
  for (guint i = 0; i < n; i++) {
    const float along = xy[i].x * dx + xy[i].y * dy;

    if (along > best) {
      best = along;
      at = i;
    }
  }
  if (best > -INFINITY)
    atomicMax (&extreme[d], (unsigned long long) float_key (best) << 32 |
        number[at]);
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

static __global__ void __launch_bounds__ (CS_HULL_DIRECTIONS)
sample_kernel (HullSet * set)
{
  __shared__ float2 xy[SAMPLE_POINTS];
  __shared__ guint32 number[SAMPLE_POINTS];
  const HullSource source = set->job.source;
  const guint32 n = set->job.n, n_sample = min (n, SAMPLE);
  const guint32 step = n_sample ? n / n_sample : 0;
  const guint32 first = blockIdx.x * SAMPLE_POINTS;
  guint count;
  double x, y;

  if (is_small (set) || first >= n_sample)
    return;
  count = min (n_sample - first, SAMPLE_POINTS);
  load_point (source, 0, &x, &y);
  const double2 reference = reference_point (x, y);

  for (guint i = threadIdx.x; i < count; i += blockDim.x) {
    number[i] = (first + i) * step;
    load_point (source, number[i], &x, &y);
    xy[i] = relative (x, y, reference);
  }
  __syncthreads ();
  find_extreme (xy, number, count, threadIdx.x, CS_HULL_DIRECTIONS,
      set->extreme);
}

/* The same for the survivors of the first pass. */
static __global__ void __launch_bounds__ (CS_HULL_DIRECTIONS_2)
sample_again_kernel (HullSet * set)
{
  __shared__ float2 xy[SAMPLE_POINTS];
  __shared__ guint32 number[SAMPLE_POINTS];
  const guint32 n = set->n_survivors, n_sample = min (n, SAMPLE);
  const guint32 first = blockIdx.x * SAMPLE_POINTS;
  guint count;

  if (is_small (set) || n <= CS_HULL_BLOCK_POINTS || n > set->capacity ||
      first >= n_sample)
    return;
  count = min (n_sample - first, SAMPLE_POINTS);
  const guint32 step = n / n_sample;
  const double2 reference = set->xy[0];

  for (guint i = threadIdx.x; i < count; i += blockDim.x) {
    number[i] = (first + i) * step;
    xy[i] = relative (set->xy[number[i]].x, set->xy[number[i]].y, reference);
  }
  __syncthreads ();
  find_extreme (xy, number, count, threadIdx.x, CS_HULL_DIRECTIONS_2,
      set->extreme_2);
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

template < typename Real > struct Pair;
template <> struct Pair < float > { typedef float2 type; };
template <> struct Pair < double > { typedef double2 type; };

static __device__ __forceinline__ void
round_bounds (double low, double high, float2 * to)
{
  to->x = __double2float_ru (low);
  to->y = __double2float_rd (high);
}

static __device__ __forceinline__ void
round_bounds (double low, double high, double2 * to)
{
  to->x = low;
  to->y = high;
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

/* Fills in @bins by all BINS threads of the block: @start is the direction of
 * the least u, @low_step the way to the lower v. */
template < typename Real > static __device__ void
make_bins (Bins < Real > *bins, const double *us, const double *vs, guint n,
    guint start, int low_step, double u_size, double v_size)
{
  typedef typename Pair < Real >::type Bounds;
  const double u_min = us[start], u_max = us[(start + n / 2) & (n - 1)];
  const double scale = BINS / (u_max - u_min);
  const Real rounded = scale;
  const guint k = threadIdx.x;
  const bool serves = polygon_serves (u_min, u_max, u_size, v_size) &&
      rounded > (Real) 1e-37 && rounded < (Real) 1e37;
  Bounds before, here, next, after, mine;
  double low, high, end_low, end_high;

  if (k == 0) {
    bins->origin = u_min;
    bins->scale = serves ? rounded : 0;
  }
  /* at the ends of the strips first */
  for (guint edge = k; serves && edge <= BINS; edge += BINS) {
    const double u = edge == BINS ? u_max : u_min + edge / scale;

    round_bounds (polygon_value (us, vs, n, start, low_step, u) +
        v_size * BOUND_MARGIN, polygon_value (us, vs, n, start, -low_step,
            u) - v_size * BOUND_MARGIN, &bins->bounds[edge]);
  }
  __syncthreads ();
  /* strip k + 1 from edge k to k + 1, and BIN_MARGIN further: there the bound
   * is below the chord to the next edge, the polygon being convex */
  mine.x = INFINITY;
  mine.y = -INFINITY;
  if (serves && k >= 1 && k + 2 <= BINS) {
    before = bins->bounds[k - 1];
    here = bins->bounds[k];
    next = bins->bounds[k + 1];
    after = bins->bounds[k + 2];
    low = here.x + BIN_MARGIN * fmax ((double) before.x - here.x, 0.);
    end_low = next.x + BIN_MARGIN * fmax ((double) after.x - next.x, 0.);
    high = here.y - BIN_MARGIN * fmax ((double) here.y - before.y, 0.);
    end_high = next.y - BIN_MARGIN * fmax ((double) next.y - after.y, 0.);
    round_bounds (fmax (low, end_low) + v_size * BOUND_MARGIN,
        fmin (high, end_high) - v_size * BOUND_MARGIN, &mine);
  }
  __syncthreads ();
  bins->bounds[k + 1] = mine;
  if (k == 0) {
    mine.x = INFINITY;
    mine.y = -INFINITY;
    bins->bounds[0] = bins->bounds[BINS + 1] = mine;
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

/* --- First pass ----------------------------------------------------------- */

template < typename Real > struct FilterMemory
{
  Bins < Real > x, y;
  double px[CS_HULL_DIRECTIONS], py[CS_HULL_DIRECTIONS];
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
  const guint D = CS_HULL_DIRECTIONS;
  double size_x, size_y;

  if (is_small (set))
    return;
  if (threadIdx.x == 0)
    m.n_kept = m.n_ignored = 0;
  if (load_polygon (set->extreme, D, &source, NULL, m.px, m.py, &size_x,
          &size_y)) {
    /* x from the left, below counter-clockwise; y from below, on the right
     * counter-clockwise */
    make_bins (&m.x, m.px, m.py, D, D / 2, 1, size_x, size_y);
    make_bins (&m.y, m.py, m.px, D, 3 * D / 4, -1, size_y, size_x);
  } else {
    /* a set without finite sample: nothing is inside */
    m.x.bounds[threadIdx.x].x = m.y.bounds[threadIdx.x].x = INFINITY;
    m.x.bounds[threadIdx.x].y = m.y.bounds[threadIdx.x].y = -INFINITY;
    if (threadIdx.x == 0)
      m.x.origin = m.x.scale = m.y.origin = m.y.scale = 0;
  }
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

  if (is_small (set) || n <= CS_HULL_BLOCK_POINTS || n > set->capacity)
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
      set->second[base + __popc (all & ((1u << lane) - 1))] = i;
  }
}

/* --- The rest ------------------------------------------------------------- */

static __device__ void
finish_header (const HullSet * set, guint32 n_hull, guint32 n_ignored,
    bool unfinished)
{
  HullHeader *header = set->job.header;
  const HullJob *job = &set->job;
  const guint32 n_points = n_hull > 0 ? n_hull + (job->closed ? 1 : 0) : 0;

  header->n_hulls = n_hull > 0;
  header->n_points = n_points;
  header->n_ignored = job->mask_width ? 0 : n_ignored;
  header->unfinished = unfinished;
  header->n_survivors = set->n_survivors;
  header->n_second = set->n_second;
  if (!unfinished)
    job->out_offsets[n_hull > 0] = n_points;
}

static __global__ void __launch_bounds__ (1024)
finish_kernel (HullSet * set)
{
  __shared__ double memory[(CS_HULL_BLOCK_POINTS * 22 +
          CS_HULL_BLOCK_POINTS / CHAIN_RUN * 2 +
          CS_HULL_BLOCK_POINTS / (2 * CHAIN_RUN) * 8) / sizeof (double)];
  ChainSpace s (memory, CS_HULL_BLOCK_POINTS);
  const BlockTeam team;
  const HullJob & job = set->job;
  const bool small = is_small (set);
  const bool once = set->n_survivors <= CS_HULL_BLOCK_POINTS;
  const guint32 n = small ? job.n : once ? set->n_survivors : set->n_second;
  guint32 n_ignored = 0;
  guint slots, n_hull;

  if (!small && !once && (set->n_survivors > set->capacity ||
          n > CS_HULL_BLOCK_POINTS)) {
    if (team.rank == 0)
      finish_header (set, 0, set->n_ignored, true);
    return;
  }
  slots = slots_for (n);
  for (guint i = team.rank; i < slots; i += team.size ()) {
    if (i >= n) {
      s.clear (i);
    } else if (small) {
      double x, y;

      load_point (job.source, i, &x, &y);
      if (is_finite (x, y)) {
        s.put (i, x, y, i);
      } else {
        s.clear (i);
        n_ignored++;
      }
    } else {
      const guint32 at = once ? i : set->second[i];

      s.put (i, set->xy[at].x, set->xy[at].y, set->index[at]);
    }
  }
  n_ignored = team.reduce (n_ignored, AddUint ());
  n_hull = make_hull (team, s, slots, job.collinear, set->lists.hull);
  if (n_hull > 0)
    emit_hull (team, job, 0, 0, set->lists.hull, n_hull, 0,
        set->lists.vertices, set->lists.strict);
  if (team.rank == 0)
    finish_header (set, n_hull, small ? n_ignored : set->n_ignored, false);
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
  cuda->survivors = host.xy;
  cuda->survivor_indices = host.index;
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

static gboolean
build_graph (HullCuda * cuda, CsHullType type, gboolean small,
    const HullJob * job, GError ** error)
{
  CsCudaGraph *graph = &cuda->graphs[type][small];
  HullSet *set = cuda->state;
  void *begin_args[] = { (void *) job, &set }, *args[] = { &set };

  cs_cuda_graph_clear (graph);
  if (!cs_cuda_graph_begin (graph, error) ||
      !cs_cuda_graph_add_kernel (graph, (const void *) begin_kernel, 1,
          CS_HULL_DIRECTIONS_2, begin_args, &cuda->begin[type][small], error))
    return FALSE;
  if (!small && (!cs_cuda_graph_add_kernel (graph,
              (const void *) sample_kernel, SAMPLE_BLOCKS, CS_HULL_DIRECTIONS,
              args, NULL, error) ||
          !cs_cuda_graph_add_kernel (graph, filter_for (type),
              2 * cuda->n_multiprocessors, FILTER_THREADS, args, NULL,
              error) ||
          !cs_cuda_graph_add_kernel (graph,
              (const void *) sample_again_kernel, SAMPLE_BLOCKS,
              CS_HULL_DIRECTIONS_2, args, NULL, error) ||
          !cs_cuda_graph_add_kernel (graph,
              (const void *) filter_again_kernel, AGAIN_BLOCKS,
              AGAIN_THREADS, args, NULL, error)))
    return FALSE;
  if (!cs_cuda_graph_add_kernel (graph, (const void *) finish_kernel, 1, 1024,
          args, NULL, error) ||
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
      cuda->begin[type][small], (const void *) begin_kernel, 1,
      CS_HULL_DIRECTIONS_2, args, error) &&
      cs_cuda_graph_launch (&cuda->graphs[type][small], cuda->stream, error);
}
