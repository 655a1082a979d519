/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* One set of which few points survive, by one cluster of blocks, which wait for
 * each other in a fifth of the time of a grid: extreme points of a sample in a
 * few directions, a filter by the edges of their polygon, refinement of the
 * polygon if many points survive, and an all-pairs comparison. */
#include "base/cuda_cluster.cuh"
#include "hull_set.cuh"

#define THREADS CS_HULL_BLOCK
#if defined (__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define PARTS 1
#define CLUSTERED
#else
#define PARTS CS_HULL_CLUSTER
#define CLUSTERED __cluster_dims__ (PARTS, 1, 1)
#endif
/* Edges of the first polygon, one per lane, and after refinement. */
#define EDGES 32
#define MAX_EDGES 256
/* Points of the sample, per thread. */
#define SAMPLE_EACH 2
#define SAMPLE (PARTS * THREADS * SAMPLE_EACH)
/* Points of a thread whose loads are in flight together. */
#define FILTER_EACH 2
/* Survivors: minimum for refinement, maximum before and after it. */
#define MIN_REFINED 192
#define MAX_LISTED 2048
#define MAX_COMPARED 1024
/* Threads for each tangent. */
#define LANES 16
#define NONE 0xffffffffu
/* Edges of a survivor: none that it is beyond; inside of all. */
#define NO_EDGE 0xfffeu
#define INSIDE 0xffffu

/**
 * Candidate:
 * @key: float_key() of the point's extent in the direction, 0 for none
 * @x, @y: the point, relative to the reference
 * @position: its number in the input of the kernel
 *
 * A part's extreme point in a direction.
 */
struct __align__ (16) Candidate
{
  guint32 key;
  float x, y;
  guint32 position;
};

/**
 * Refinement:
 * @xy, @position: the survivors
 * @edge: the edge each is beyond
 * @corner: the polygon; the first corner again at the end
 */
struct Refinement
{
  double2 xy[MAX_LISTED];
  guint32 position[MAX_LISTED];
  guint16 edge[MAX_LISTED];
  double2 corner[MAX_EDGES + 1];
};

/* Of the leader: all parts write to @ordered and @chain_bits. */
struct Comparison
{
  union
  {
    ClassifyMemory memory;
    double2 vertices[MAX_COMPARED];
  };
  guint32 ordered[MAX_COMPARED], hull[MAX_COMPARED];
  guint8 chain_bits[MAX_COMPARED];
};

/**
 * Part:
 * @best, @owner: for each direction, later edge: key and number of the farthest
 *     point
 * @candidate: of each part
 * @edge: inside of an edge {x, y} * point > z, beyond it < w
 * @size: maximum magnitude of the polygon's coordinates; negative if it cannot
 *     be used
 * @corner: positions of its corners
 * @list, @n_listed: positions of the part's survivors; @n_refined: those of all
 *     parts after refinement, in the leader's list
 * @start: first number of each part's survivors among all
 * @n_ignored, @all_ignored: points that are not finite, of the part and of all
 * @n_counted: counters of the comparison
 *
 * Shared memory of a block, readable by the others.
 */
struct Part
{
  guint32 best[MAX_EDGES], owner[MAX_EDGES];
  Candidate candidate[PARTS][EDGES];
  float4 edge[EDGES];
  float size;
  guint32 corner[EDGES];
  guint32 n_listed, n_refined, n_ignored, all_ignored, n_counted[2];
  guint32 start[PARTS + 1];
  guint32 list[MAX_LISTED];
  union
  {
    Refinement refinement;
    Comparison comparison;
  };
};

/**
 * ClusterJob:
 * @job: the set
 * @from: its points
 * @set: scratch memory
 */
typedef struct
{
  HullJob job;
  HullSource from;
  HullSet *set;
} ClusterJob;

/* --- The cluster ---------------------------------------------------------- */

static __device__ __forceinline__ Part &
part_memory (Part & own, guint part)
{
#if PARTS > 1
  return *cs_cluster_map (&own, part);
#else
  return own;
#endif
}

/* First half of a barrier over the cluster. */
static __device__ __forceinline__ void
arrive_at_parts (void)
{
#if PARTS > 1
  cs_cluster_arrive ();
#endif
}

/* The second half: earlier writes are visible to all parts. */
static __device__ __forceinline__ void
wait_for_parts (void)
{
#if PARTS > 1
  cs_cluster_wait ();
#else
  __syncthreads ();
#endif
}

static __device__ __forceinline__ void
synchronize_parts (void)
{
  arrive_at_parts ();
  wait_for_parts ();
}

/* --- Points --------------------------------------------------------------- */

/**
 * Points:
 * @first, @stride, @n: the points
 * @x, @y: the reference
 * @part, @width: this block, and the threads in each that load points
 */
template <typename T> struct Points
{
  typedef typename RealOf<T>::type Real;
  const guint8 *first;
  gsize stride;
  guint32 n;
  Real x, y;
  guint part, width;

  __device__ Points (const HullSource & source, guint32 n, guint part)
    : first (source.points), stride (source.stride), n (n), x (0), y (0),
      part (part)
  {
    const guint each = PARTS * SAMPLE_EACH * 32;

    width = 32 * min ((n + each - 1) / each, THREADS / 32);
    if (n > 0) {
      const double2 reference = find_reference (source, 0, n);

      x = reference.x;
      y = reference.y;
    }
  }

  __device__ void get (guint32 i, Real * to_x, Real * to_y) const
  {
    const T *p = (const T *) (first + (gsize) i * stride);

    *to_x = __ldg (p);
    *to_y = __ldg (p + 1);
  }

  /* Point @i relative to the reference, NaN if that overflows; whether it is
   * finite. */
  __device__ bool get_relative (guint32 i, float2 * to) const
  {
    Real px, py;

    get (i, &px, &py);
    const float dx = px - x, dy = py - y;

    *to = isfinite (dx) && isfinite (dy) ? make_float2 (dx, dy) :
        make_float2 (NAN, NAN);
    return isfinite (px) && isfinite (py);
  }

  __device__ double2 get_double (guint32 i) const
  {
    Real px, py;

    get (i, &px, &py);
    return make_double2 (px, py);
  }
};

/* --- Polygon of the sample ------------------------------------------------ */

/* Directions 0 .. EDGES / 2 - 1; the others are opposite. */
static __device__ __constant__ float2 directions[EDGES / 2] = {
  {1.f, 0.f}, {.98078528f, .19509032f}, {.92387953f, .38268343f},
  {.83146961f, .55557023f}, {.70710678f, .70710678f},
  {.55557023f, .83146961f}, {.38268343f, .92387953f},
  {.19509032f, .98078528f}, {0.f, 1.f}, {-.19509032f, .98078528f},
  {-.38268343f, .92387953f}, {-.55557023f, .83146961f},
  {-.70710678f, .70710678f}, {-.83146961f, .55557023f},
  {-.92387953f, .38268343f}, {-.98078528f, .19509032f},
};

/* Extent along direction @d, or the opposite one: the same bits for equal
 * extents. */
static __device__ __forceinline__ float
extent (float2 p, guint d, bool opposite)
{
  const float along = fmaf (p.x, directions[d].x, p.y * directions[d].y);

  return opposite ? 0.f - along : along + 0.f;
}

/* Keys of the warp's extreme points, direction d in lane d. */
static __device__ guint32
find_extents (const float2 (&p)[SAMPLE_EACH])
{
  const guint lane = threadIdx.x % 32;
  guint32 mine = 0;

#pragma unroll 2
  for (guint d = 0; d < EDGES / 2; d++) {
    float most = -INFINITY, opposite = -INFINITY;

#pragma unroll
    for (guint k = 0; k < SAMPLE_EACH; k++) {
      most = fmaxf (most, extent (p[k], d, false));
      opposite = fmaxf (opposite, extent (p[k], d, true));
    }
    const guint32 key = cs_warp_max (float_key (most));
    const guint32 other = cs_warp_max (float_key (opposite));

    if (lane % (EDGES / 2) == d)
      mine = lane == d ? key : other;
  }
  return mine;
}

/* Of the points whose extents are the block's greatest the first ones: into
 * m.owner. @mine is the result of find_extents(). */
static __device__ void
find_owners (Part & m, const float2 (&p)[SAMPLE_EACH],
    const guint32 (&position)[SAMPLE_EACH], guint32 mine)
{
  const guint32 best = m.best[threadIdx.x % 32];
  guint32 has = __ballot_sync (CS_ALL_LANES, best == mine &&
      mine > float_key (-INFINITY));

  for (; has; has &= has - 1) {
    const guint d = __ffs (has) - 1;
    const guint32 key = __shfl_sync (CS_ALL_LANES, best, d);

#pragma unroll
    for (guint k = 0; k < SAMPLE_EACH; k++) {
      if (float_key (extent (p[k], d % (EDGES / 2), d >= EDGES / 2)) == key)
        atomicMin (&m.owner[d], position[k]);
    }
  }
}

/* The extreme points of this block's share of the sample, to all blocks. */
template <typename T> static __device__ void
send_candidates (Part & m, const Points<T> &points)
{
  const guint32 step = max (points.n / SAMPLE, 1);
  const guint lane = threadIdx.x % 32;
  const bool takes_part = threadIdx.x < points.width;
  guint32 position[SAMPLE_EACH], mine = 0;
  float2 p[SAMPLE_EACH];

#pragma unroll
  for (guint k = 0; k < SAMPLE_EACH; k++) {
    position[k] = ((k * PARTS + points.part) * points.width + threadIdx.x) *
        step;
    p[k] = make_float2 (NAN, NAN);
    if (takes_part && position[k] < points.n)
      points.get_relative (position[k], &p[k]);
  }
  if (takes_part)
    mine = find_extents (p);
  __syncthreads ();
  if (takes_part)
    atomicMax (&m.best[lane], mine);
  __syncthreads ();
  if (takes_part)
    find_owners (m, p, position, mine);
  __syncthreads ();
  wait_for_parts ();
  if (threadIdx.x < 32 * PARTS) {
    Candidate candidate = { 0, 0, 0, m.owner[lane] };

    if (candidate.position != NONE) {
      points.get_relative (candidate.position, &p[0]);
      candidate.key = m.best[lane];
      candidate.x = p[0].x;
      candidate.y = p[0].y;
    }
    part_memory (m, threadIdx.x / 32).candidate[points.part][lane] = candidate;
  }
}

/* The edges of the polygon of the candidates, by a warp. A point strictly to
 * the left of all edges of a closed polygon is inside the hull of its corners.
 *
 * With u = 2^-24, S the polygon's size and coordinates of the point up to S: a
 * corner and a point are off by u S, the normal by 4 u S; sums of two products
 * are off by 20 u S^2, the difference of two by 40 u S^2 < 2^-18 S^2. */
static __device__ void
make_edges (Part & m)
{
  const guint lane = threadIdx.x % 32, next = (lane + 1) % EDGES;
  Candidate best = m.candidate[0][lane];

  for (guint part = 1; part < PARTS; part++) {
    const Candidate other = m.candidate[part][lane];

    if (other.key > best.key)
      best = other;
  }
  const float next_x = __shfl_sync (CS_ALL_LANES, best.x, next);
  const float next_y = __shfl_sync (CS_ALL_LANES, best.y, next);
  const float size = __uint_as_float (cs_warp_max (__float_as_uint (fmaxf (
                  fabsf (best.x), fabsf (best.y)))));
  const float margin = 0x1p-18f * size * size;
  const bool has_length = best.x != next_x || best.y != next_y;
  const bool serves = __all_sync (CS_ALL_LANES, best.key > 0) &&
      __any_sync (CS_ALL_LANES, has_length) && size > 0x1p-60f &&
      size < 0x1p60f;
  /* an edge without length has all points on its left */
  float4 edge = make_float4 (0, 0, -1, -1);

  if (has_length) {
    edge.x = best.y - next_y;
    edge.y = next_x - best.x;
    const float along = edge.x * best.x + edge.y * best.y;

    edge.z = along + margin;
    edge.w = along - margin;
  }
  m.edge[lane] = edge;
  m.corner[lane] = best.position;
  if (lane == 0)
    m.size = serves ? size : -1;
}

/* --- Filter --------------------------------------------------------------- */

/* Appends those of a warp's points that @keeps says to @list. */
static __device__ __forceinline__ void
append (guint32 * list, guint32 * n_listed,
    const guint32 (&position)[FILTER_EACH], const bool (&keeps)[FILTER_EACH])
{
  const guint lane = threadIdx.x % 32;
  guint32 all[FILTER_EACH], n = 0, at = 0;

#pragma unroll
  for (guint k = 0; k < FILTER_EACH; k++) {
    all[k] = __ballot_sync (CS_ALL_LANES, keeps[k]);
    n += __popc (all[k]);
  }
  if (n == 0)
    return;
  if (lane == 0)
    at = atomicAdd (n_listed, n);
  at = __shfl_sync (CS_ALL_LANES, at, 0);
#pragma unroll
  for (guint k = 0; k < FILTER_EACH; k++) {
    const guint32 to = at + cs_lanes_before (all[k], lane);

    if (keeps[k] && to < MAX_LISTED)
      list[to] = position[k];
    at += __popc (all[k]);
  }
}

/* Lists this block's points that may be outside the polygon. */
template <typename T> static __device__ void
filter_part (Part & m, const Points<T> &points)
{
  const guint32 stride = PARTS * points.width;
  const float size = m.size;
  guint32 n_ignored = 0;

  for (guint32 first = points.part * points.width + threadIdx.x;
      first - threadIdx.x % 32 < points.n; first += FILTER_EACH * stride) {
    guint32 position[FILTER_EACH];
    bool exists[FILTER_EACH], keeps[FILTER_EACH];
    float2 p[FILTER_EACH];

#pragma unroll
    for (guint k = 0; k < FILTER_EACH; k++) {
      position[k] = first + k * stride;
      p[k] = make_float2 (NAN, NAN);
      exists[k] = position[k] < points.n;
      if (exists[k] && !points.get_relative (position[k], &p[k])) {
        n_ignored++;
        exists[k] = false;
      }
      /* not within its bounding box, or NaN */
      keeps[k] = !(fmaxf (fabsf (p[k].x), fabsf (p[k].y)) <= size);
    }
#pragma unroll 4
    for (guint d = 0; d < EDGES; d++) {
      const float4 edge = m.edge[d];

#pragma unroll
      for (guint k = 0; k < FILTER_EACH; k++)
        keeps[k] |= !(fmaf (p[k].x, edge.x, p[k].y * edge.y) > edge.z);
    }
#pragma unroll
    for (guint k = 0; k < FILTER_EACH; k++)
      keeps[k] &= exists[k];
    append (m.list, &m.n_listed, position, keeps);
  }
  if (n_ignored)
    atomicAdd (&m.n_ignored, n_ignored);
}

/* Fills in m.start; returns the number of survivors of all parts. */
static __device__ guint32
count_listed (Part & m)
{
  if (threadIdx.x < 32) {
    guint32 n = 0, n_ignored = 0;

    if (threadIdx.x < PARTS) {
      n = part_memory (m, threadIdx.x).n_listed;
      n_ignored = part_memory (m, threadIdx.x).n_ignored;
    }
    n = cs_warp_inclusive_sum (n);
    n_ignored = cs_warp_sum (n_ignored);
    if (threadIdx.x < PARTS)
      m.start[threadIdx.x + 1] = n;
    if (threadIdx.x == 0) {
      m.start[0] = 0;
      m.all_ignored = n_ignored;
    }
  }
  __syncthreads ();
  return m.start[PARTS];
}

/* Position of survivor @i of all parts. */
static __device__ guint32
listed_position (Part & m, guint32 i)
{
  guint part = 0;

  while (i >= m.start[part + 1])
    part++;
  return part_memory (m, part).list[i - m.start[part]];
}

/* --- Refinement ----------------------------------------------------------- */

/* Twice the area of the triangle, positive if it is counter-clockwise; 0 if
 * its sign is not certain. */
static __device__ double
triangle_area (double2 a, double2 b, double2 c)
{
  const double l = (b.x - a.x) * (c.y - a.y), r = (b.y - a.y) * (c.x - a.x);
  const double area = l - r;
  const double bound = CS_ORIENT_ERROR_BOUND * (fabs (l) + fabs (r)) +
      CS_ORIENT_UNDERFLOW_BOUND;

  return fabs (area) > bound ? area : 0;
}

/* Loads survivors and corners; each survivor's edge is a guess. */
template <typename T> static __device__ void
load_refinement (Part & m, const Points<T> &points, guint32 n)
{
  Refinement & r = m.refinement;

  for (guint32 i = threadIdx.x; i < n; i += THREADS) {
    const guint32 position = listed_position (m, i);
    guint32 beyond = NO_EDGE;
    float2 p;

    points.get_relative (position, &p);
    r.xy[i] = points.get_double (position);
    r.position[i] = position;
#pragma unroll 4
    for (guint d = 0; d < EDGES; d++) {
      const float4 edge = m.edge[d];

      if (fmaf (p.x, edge.x, p.y * edge.y) < edge.w)
        beyond = d;
    }
    r.edge[i] = beyond;
  }
  if (threadIdx.x <= EDGES)
    r.corner[threadIdx.x] = points.get_double (m.corner[threadIdx.x % EDGES]);
}

/* The key of survivor @i's distance from its edge; 0 if it is not certainly
 * beyond any. */
static __device__ __forceinline__ guint32
distance_key (const Refinement & r, guint32 i, guint n_edges)
{
  const guint edge = r.edge[i];

  if (edge >= n_edges)
    return 0;
  const double area = -triangle_area (r.corner[edge], r.corner[edge + 1],
      r.xy[i]);

  return area > 0 ? float_key (area) : 0;
}

/* A step of quickhull: the farthest survivor beyond each edge becomes a corner.
 * Drops survivors inside the triangle of an edge and its new corner. */
static __device__ void
refine_polygon (Part & m, guint32 n, guint n_edges)
{
  Refinement & r = m.refinement;
  const guint k = threadIdx.x;
  double2 left = { 0, 0 }, middle = left;

  if (k < n_edges) {
    m.best[k] = 0;
    m.owner[k] = NONE;
  }
  __syncthreads ();
  for (guint32 i = k; i < n; i += THREADS) {
    const guint32 key = distance_key (r, i, n_edges);

    if (key > 0)
      atomicMax (&m.best[r.edge[i]], key);
    else if (r.edge[i] < n_edges)
      r.edge[i] = NO_EDGE;
  }
  __syncthreads ();
  for (guint32 i = k; i < n; i += THREADS) {
    const guint32 key = distance_key (r, i, n_edges);

    if (key > 0 && key == m.best[r.edge[i]])
      atomicMin (&m.owner[r.edge[i]], i);
  }
  __syncthreads ();
  if (k <= n_edges)
    left = middle = r.corner[k];
  if (k < n_edges && m.owner[k] != NONE)
    middle = r.xy[m.owner[k]];
  __syncthreads ();
  if (k <= n_edges)
    r.corner[2 * k] = left;
  if (k < n_edges)
    r.corner[2 * k + 1] = middle;
  __syncthreads ();
  for (guint32 i = k; i < n; i += THREADS) {
    const guint edge = 2 * r.edge[i];

    if (edge >= 2 * n_edges)
      continue;
    const double before = triangle_area (r.corner[edge], r.corner[edge + 1],
        r.xy[i]);
    const double after = triangle_area (r.corner[edge + 1],
        r.corner[edge + 2], r.xy[i]);

    if (before < 0)
      r.edge[i] = edge;
    else if (after < 0)
      r.edge[i] = edge + 1;
    else
      r.edge[i] = before > 0 && after > 0 ? INSIDE : NO_EDGE;
  }
}

/* Filters the @n survivors of all parts again, into the leader's list. */
template <typename T> static __device__ void
refine_list (Part & m, const Points<T> &points, guint32 n)
{
  const Refinement & r = m.refinement;

  load_refinement (m, points, n);
  __syncthreads ();
  for (guint n_edges = EDGES; n_edges < MAX_EDGES; n_edges *= 2)
    refine_polygon (m, n, n_edges);
  for (guint32 first = threadIdx.x; first - threadIdx.x % 32 < n;
      first += FILTER_EACH * THREADS) {
    guint32 position[FILTER_EACH];
    bool keeps[FILTER_EACH];

#pragma unroll
    for (guint k = 0; k < FILTER_EACH; k++) {
      const guint32 i = first + k * THREADS;

      keeps[k] = i < n && r.edge[i] != INSIDE;
      position[k] = keeps[k] ? r.position[i] : 0;
    }
    append (m.list, &m.n_refined, position, keeps);
  }
}

/* --- The hull ------------------------------------------------------------- */

/* Compares this block's share of the @n survivors with all; the results go to
 * the leader. */
template <typename T> static __device__ void
compare_part (Part & m, const ClusterJob & c, const Points<T> &points,
    guint32 n)
{
  ClassifyMemory & memory = m.comparison.memory;
  Comparison & leader = part_memory (m, 0).comparison;

  for (guint32 i = threadIdx.x; i < n; i += THREADS) {
    memory.number[i] = listed_position (m, i);
    memory.xy[i] = points.get_double (memory.number[i]);
  }
  __syncthreads ();
  classify_points<LANES> (memory, n, points.part, PARTS, c.job.collinear,
      leader.ordered, leader.chain_bits, &m.n_counted[0], &m.n_counted[1]);
}

/* Orders the vertices among the @n survivors, measures, and writes everything;
 * nothing but the header if there are too many. @n_listed survived the first
 * pass. */
static __device__ void
finish_cluster (Part & m, const ClusterJob & c, guint32 n_listed, guint32 n,
    bool refined)
{
  const bool fits = n <= MAX_COMPARED;
  const guint32 n_hull = fits ? order_vertices (m.comparison.hull,
      m.comparison.ordered, m.comparison.chain_bits, n) : 0;
  const guint32 n_points = n_hull > 0 ? n_hull + (c.job.closed ? 1 : 0) : 0;
  HullHeader *header = c.job.header;

  if (n_hull > 0)
    emit_hull (BlockTeam (), c.job, 0, 0, m.comparison.hull, n_hull, 0,
        m.comparison.vertices, c.set->strict);
  if (threadIdx.x > 0)
    return;
  header->n_hulls = n_hull > 0;
  header->n_points = n_points;
  header->n_ignored = c.job.mask_width ? 0 : m.all_ignored;
  header->unfinished = !fits;
  header->n_survivors = n_listed;
  header->n_second = n;
  header->n_passes = refined ? 2 : 1;
  if (fits)
    c.job.out_offsets[n_hull > 0] = n_points;
}

template <typename T> static __global__ void CLUSTERED
__launch_bounds__ (THREADS, 1)
cluster_kernel (const __grid_constant__ ClusterJob c)
{
  extern __shared__ __align__ (16) guint8 shared[];
  Part & m = *(Part *) shared;

  arrive_at_parts ();
  if (threadIdx.x < EDGES) {
    m.best[threadIdx.x] = 0;
    m.owner[threadIdx.x] = NONE;
  }
  if (threadIdx.x == 0) {
    m.n_listed = m.n_refined = m.n_ignored = 0;
    m.n_counted[0] = m.n_counted[1] = 0;
  }
  const Points<T> points (c.from, c.job.n, blockIdx.x);

  send_candidates (m, points);
  synchronize_parts ();
  if (threadIdx.x < 32)
    make_edges (m);
  __syncthreads ();
  if (threadIdx.x < points.width)
    filter_part (m, points);
  synchronize_parts ();
  const guint32 n_listed = count_listed (m);
  const bool refines = n_listed > MIN_REFINED && n_listed <= MAX_LISTED &&
      m.size > 0;
  guint32 n = n_listed;

  if (refines) {
    if (points.part == 0)
      refine_list (m, points, n_listed);
    synchronize_parts ();
    n = part_memory (m, 0).n_refined;
    if (threadIdx.x > 0 && threadIdx.x <= PARTS)
      m.start[threadIdx.x] = n;
    __syncthreads ();
  }
  if (n <= MAX_COMPARED)
    compare_part (m, c, points, n);
  synchronize_parts ();
  if (points.part == 0)
    finish_cluster (m, c, n_listed, n, refines);
}

/* --- Host ----------------------------------------------------------------- */

static const void *
kernel_for (CsHullType type)
{
  switch (type) {
    case CS_HULL_F32:
      return (const void *) cluster_kernel<float>;
    case CS_HULL_F64:
      return (const void *) cluster_kernel<double>;
    default:
      return (const void *) cluster_kernel<gint32>;
  }
}

gboolean
cs_hull_cuda_cluster_init (HullCuda * cuda, GError ** error)
{
  static const CsHullType types[] = { CS_HULL_F32, CS_HULL_F64, CS_HULL_I32 };
  int device, has_clusters, max_shared;
  guint i;

  if (!cs_cuda_check (cudaGetDevice (&device), "find the GPU", error) ||
      !cs_cuda_check (cudaDeviceGetAttribute (&has_clusters,
              cudaDevAttrClusterLaunch, device), "query the GPU", error) ||
      !cs_cuda_check (cudaDeviceGetAttribute (&max_shared,
              cudaDevAttrMaxSharedMemoryPerBlockOptin, device),
          "query the GPU's shared memory", error))
    return FALSE;
  cuda->has_clusters = has_clusters && sizeof (Part) <= (gsize) max_shared;
  for (i = 0; cuda->has_clusters && i < G_N_ELEMENTS (types); i++) {
    if (!cs_cuda_check (cudaFuncSetAttribute (kernel_for (types[i]),
                cudaFuncAttributeMaxDynamicSharedMemorySize, sizeof (Part)),
            "set a kernel's shared memory", error))
      return FALSE;
  }
  return TRUE;
}

gboolean
cs_hull_cuda_cluster (HullCuda * cuda, const HullJob * job, GError ** error)
{
  ClusterJob cluster = { *job, job->source };
  void *args[] = { &cluster };

  if (!cs_hull_cuda_ensure_set (cuda, job->n, error))
    return FALSE;
  cluster.set = cuda->state;
  return cs_cuda_check (cudaLaunchKernel (kernel_for (job->source.type),
          CS_HULL_CLUSTER, THREADS, args, sizeof (Part), cuda->stream),
      "launch a hull", error);
}
