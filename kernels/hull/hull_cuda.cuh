/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between the parts of the CUDA backend, for .cu files only. */

#include "base/cuda_base.h"
#include "base/cuda_copy.h"
#include "hull_private.h"

/* Points that a block sorts and chains in 48 KiB of shared memory. */
#define CS_HULL_BLOCK_POINTS 2048
/* Sets up to this size are processed by one thread per point. */
#define CS_HULL_THREAD_POINTS 32
/* Maximum survivors of the first filter pass; with more the whole set is
 * sorted. */
#define CS_HULL_MAX_SURVIVORS (1u << 22)
/* Count of a set that did not fit a block. */
#define CS_HULL_UNFINISHED 0xffffffffu
#define CS_HULL_DIRECTIONS 256
#define CS_HULL_DIRECTIONS_2 512

/**
 * HullSource:
 * @points: first point, on the device
 * @stride: bytes from one to the next
 * @type: CsHullType
 * @via: %NULL, or an index map: point i is number via[i]
 */
typedef struct
{
  const guint8 *points;
  gsize stride;
  CsHullType type;
  const guint32 *via;
} HullSource;

/* Counts read by the host after the synchronisation, in page-locked memory. */
typedef struct
{
  guint32 n_hulls, n_points, n_ignored;
  guint32 unfinished;           /* sets that did not fit a block */
  guint32 n_survivors, n_second, n_passes;
  /* sets as rings, by blocks, and by warps */
  guint32 n_rings, n_long, n_medium;
} HullHeader;

/**
 * HullJob:
 * @source: all points
 * @n: their number
 * @offsets, @n_sets: the sets; %NULL for one
 * @collinear, @closed, @points_form, @with_indices, @measures: parameters
 * @scope: meaning of a set
 * @contours: records of the sets, or %NULL
 * @first_id, @image_index: as CsHullInput
 * @mask_width: width of the mask of the points, or 0
 * @out_*: the result
 * @capacity: points of out_points and out_indices
 * @header: page-locked memory of the host
 */
typedef struct
{
  HullSource source;
  guint32 n;
  const guint32 *offsets;
  guint32 n_sets;
  gboolean collinear, closed, with_indices;
  CsHullPoints points_form;
  CsMeasures measures;
  CsHullScope scope;
  const CsContour *contours;
  gint32 first_id, image_index;
  guint32 mask_width;
  void *out_points;
  guint32 *out_indices, *out_offsets;
  CsContour *out_hulls;
  CsHullFeatures *out_features;
  guint32 capacity;
  HullHeader *header;
} HullJob;

/**
 * HullLists:
 * @hull: indices of the vertices of the sets, a set's from its offset on
 * @count: vertices of each set
 * @vertices: the same vertices {x, y}
 * @strict: the strict ones of them, if collinear points are included
 *
 * Hulls before the output.
 */
typedef struct
{
  guint32 *hull, *count;
  double2 *vertices, *strict;
} HullLists;

/**
 * HullCuda:
 *
 * The backend's state.
 */
typedef struct
{
  const CsHullParams *params;
  cudaStream_t stream, side;    /* side forks from stream and joins it */
  cudaEvent_t fork, join;
  guint n_multiprocessors;
  guint n_resident;             /* co-resident blocks of a cooperative launch */
  guint block_points;           /* points that fit a block's shared memory */
  HullHeader *header;
  gsize last_points;            /* vertices of the last run */
  CsCudaScratch input, set, lists, batch, places, classes, large, mask;
  struct HullSet *state;
  guint32 *second_indices;      /* of a set's second pass */
  guint32 max_survivors;
  CsHullStats stats;
  CsCudaCopier copier;
} HullCuda;

/* Allocates scratch for a set of @n points, and the state in it. */
gboolean cs_hull_cuda_ensure_set (HullCuda * cuda, guint32 n, GError ** error);

/* One set: the hull of @job's points. Fills in the header; unfinished if the
 * set must be sorted as a whole. */
gboolean cs_hull_cuda_set (HullCuda * cuda, const HullJob * job,
    GError ** error);

/* Queries the GPU, and creates what cs_hull_cuda_batch() needs. */
gboolean cs_hull_cuda_batch_init (HullCuda * cuda, GError ** error);
void cs_hull_cuda_batch_clear (HullCuda * cuda);

/* Many sets: their hulls into @lists; @header gets the number of ignored points
 * and of sets that do not fit a block. Those have the count CS_HULL_UNFINISHED
 * and are left to cs_hull_cuda_large(). Asynchronous. */
gboolean cs_hull_cuda_batch (HullCuda * cuda, const HullJob * job,
    const HullLists * lists, HullHeader * header, GError ** error);

/* A set of any size, by sorting all points: those in @numbers of @source, or
 * first .. first + n - 1 if that is %NULL, into lists->hull[first] on, and
 * lists->count[set]. Adds ignored points to @header unless that is %NULL. */
gboolean cs_hull_cuda_large (HullCuda * cuda, const HullSource * source,
    const guint32 * numbers, guint32 first, guint32 n, const HullLists * lists,
    guint32 set, HullHeader * header, GError ** error);

/* Writes the hulls of @lists to the output of @job, and the header. */
gboolean cs_hull_cuda_emit (HullCuda * cuda, const HullJob * job,
    const HullLists * lists, GError ** error);

/* Points of the mask into scratch memory; their number in @n. */
gboolean cs_hull_cuda_mask (HullCuda * cuda, const CsImage * mask,
    double level, HullSource * source, guint32 * n, GError ** error);

/* Gathers the hulls of @lists by the class of their polyline: new sets. */
gboolean cs_hull_cuda_classes (HullCuda * cuda, const HullJob * job,
    const HullLists * lists, HullJob * classes, GError ** error);
