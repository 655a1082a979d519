/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Hulls into the result: their points, records and features. */

#include "hull_device.cuh"

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

/* The greatest of a warp's extremes, in all lanes. */
static __device__ CsHullExtreme
warp_extreme_max (const CsHullExtreme & mine)
{
  const guint64 key = cs_hull_key (mine.value);
  const guint32 high = cs_warp_max ((guint32) (key >> 32));
  const guint32 low = cs_warp_max (key >> 32 == high ? (guint32) key : 0);
  const bool is_best = key == ((guint64) high << 32 | low);
  const guint32 a = cs_warp_min (is_best ? mine.a : 0xffffffffu);
  const int lane = __ffs (__ballot_sync (CS_ALL_LANES, is_best &&
          mine.a == a)) - 1;
  CsHullExtreme best;

  best.value = __shfl_sync (CS_ALL_LANES, mine.value, lane);
  best.a = best.b = a;
  return best;
}

/* The greatest of a team's extremes of one vertex each, in all threads. @round is
 * odd and even in turn. */
static __device__ CsHullExtreme
team_extreme_max (const SoloTeam & team, const CsHullExtreme & mine,
    guint round)
{
  return mine;
}

static __device__ CsHullExtreme
team_extreme_max (const WarpTeam & team, const CsHullExtreme & mine,
    guint round)
{
  return warp_extreme_max (mine);
}

static __device__ CsHullExtreme
team_extreme_max (const BlockTeam & team, const CsHullExtreme & mine,
    guint round)
{
  __shared__ CsHullExtreme of_warps[2][32];
  const CsHullExtreme best = warp_extreme_max (mine);

  if (team.rank % 32 == 0)
    of_warps[round % 2][team.rank / 32] = best;
  __syncthreads ();
  return warp_extreme_max (of_warps[round % 2][team.rank % 32 %
          (team.size () / 32)]);
}

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
  bool writes = team.rank == 0;

  memset (&f, 0, sizeof (f));
  cs_hull_features_degenerate (&f, v, n);
  if (n >= 3) {
    CsHullAntipodes steps, of_rect = { 1, 1, n };
    CsHullCaliper best = cs_hull_caliper_none ();

    for (guint i = team.rank; i < n; i += team.size ()) {
      steps = cs_hull_antipodes (v, n, i);
      cs_hull_caliper_edge (&best, v, n, i, &steps);
      /* of the first one, if rounding leaves none */
      if (best.rect.a == i || i == 0)
        of_rect = steps;
    }
    const guint32 edge = best.rect.a;

    best = team.reduce (best, JoinCalipers ());
    if (best.rect.a != 0xffffffffu)
      writes = edge == best.rect.a;
    if (writes)
      cs_hull_features_finish (&f, v, n, &best, &of_rect);
    guint a = cs_hull_extreme_index (&best.diameter);
    guint b = cs_hull_wrap (a + 1, n);
    for (guint step = 0; step < cs_hull_circle_max_steps (n); step++) {
      CsHullExtreme farthest = cs_hull_extreme_none (-INFINITY);

      for (guint k = team.rank; k < n; k += team.size ())
        cs_hull_circle_vertex (&farthest, v, a, b, k);
      farthest = team_extreme_max (team, farthest, step);
      if (cs_hull_circle_step (v, &a, &b, &farthest, &f.circle_x, &f.circle_y))
        break;
    }
  }
  for (guint i = team.rank; i < n; i += team.size ()) {
    const double r = cs_hull_distance_to (v, i, f.circle_x, f.circle_y);

    radius = r > radius ? r : radius;
  }
  f.circle_r = team.reduce (radius, MaxDouble ());
  if (writes)
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
 * @hull: up to CS_HULL_TINY if @team is a SoloTeam, and CS_HULL_LARGE unless it
 * is a LargeTeam. They go to @start of the output; @vertices and @strict are scratch
 * for as many. */
template <typename Team> static __device__ void
emit_hull (const Team & team, const HullJob & job, guint32 set,
    guint32 number, const guint32 * hull, guint n, guint32 start,
    double2 * vertices, double2 * strict)
{
  emit_vertices (team, job, hull, n, start, vertices);
  emit_record (team, job, set, number, n, start, vertices, strict);
}
