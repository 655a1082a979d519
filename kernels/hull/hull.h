/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Exact convex hulls in two dimensions, of one point set or of many.
 *
 * The hull of a set is its strict one (no duplicate and no collinear vertices),
 * counter-clockwise with x to the right and y up, which is clockwise on a
 * screen, where y points down; its first vertex is the lexicographically
 * smallest (x, then y). No point gives no hull, one point or equal points give
 * one vertex, collinear points the two ends. NaN and infinite points are
 * ignored and counted. Every vertex has the index of its input point, the
 * lowest among equal points; 0 and -0 are equal.
 *
 * Vertices are exact: they equal those of the hull computed in rational
 * arithmetic, for any finite coordinates, on every backend and with any number
 * of threads.
 *
 * Method: points strictly inside the hull of a sample are discarded (Akl and
 * Toussaint, "A fast convex hull algorithm", 1978), then sort and monotone
 * chain (Andrew, "Another efficient algorithm for convex hulls in two
 * dimensions", 1979) on the survivors, with the predicates of hull_math.h. A
 * polyline that goes around its middle without turning back has its points in
 * order, and needs neither (hull_ring_math.h).
 */

#include <glib.h>

#include "base/executor.h"
#include "base/image.h"
#include "contours/contours.h"

G_BEGIN_DECLS

/* Maximum points of a run, over all sets. */
#define CS_HULL_MAX_POINTS (G_GUINT64_CONSTANT (1) << 28)

/* Maximum classes of CS_HULL_SCOPE_PER_CLASS. */
#define CS_HULL_MAX_CLASSES 65536

/* The kind in a hull's record, GST_SHAPE_KIND_HULL. */
#define CS_CONTOUR_KIND_HULL 1

/**
 * CsHullType:
 * @CS_HULL_F32: {float x, y}
 * @CS_HULL_F64: {double x, y}
 * @CS_HULL_I32: {gint32 x, y}
 */
typedef enum
{
  CS_HULL_F32,
  CS_HULL_F64,
  CS_HULL_I32,
} CsHullType;

/**
 * CsHullScope:
 * @CS_HULL_SCOPE_ALL: one hull of all points
 * @CS_HULL_SCOPE_PER_CONTOUR: one of each polyline
 * @CS_HULL_SCOPE_PER_CLASS: one of each class of polylines, in class order
 */
typedef enum
{
  CS_HULL_SCOPE_ALL,
  CS_HULL_SCOPE_PER_CONTOUR,
  CS_HULL_SCOPE_PER_CLASS,
} CsHullScope;

/**
 * CsHullPoints:
 * @CS_HULL_POINTS_NONE: no vertices, records only; offsets still count them
 * @CS_HULL_POINTS_F32: {float x, y}; other types are rounded once
 * @CS_HULL_POINTS_INPUT: the bits of the input's points, in the input's type
 *     (CS_HULL_I32 for a mask)
 */
typedef enum
{
  CS_HULL_POINTS_NONE,
  CS_HULL_POINTS_F32,
  CS_HULL_POINTS_INPUT,
} CsHullPoints;

/**
 * CsHullParams:
 * @scope: which points share a hull
 * @n_classes: with CS_HULL_SCOPE_PER_CLASS: only polylines of classes 0 ..
 *     n_classes - 1 are used
 * @include_collinear: also return the distinct points on the hull's edges, in
 *     their order along it. The points of a degenerate (collinear) set are then
 *     returned once, in lexicographic order.
 * @closed: repeat the first vertex after the last, as shape sets store closed
 *     polylines
 * @points: format of the returned vertices
 * @indices: return the vertices' indices
 * @measures: CS_MEASURES_NONE: the area only; CS_MEASURES_BASIC: area,
 *     perimeter, centroid, bounding box, solidity; CS_MEASURES_FULL: those and
 *     #CsHullFeatures
 */
typedef struct
{
  CsHullScope scope;
  guint n_classes;
  gboolean include_collinear;
  gboolean closed;
  CsHullPoints points;
  gboolean indices;
  CsMeasures measures;
} CsHullParams;

/* One hull of all points, strict, not closed, vertices in the input's type,
 * with indices, basic measures. */
void cs_hull_params_init (CsHullParams * params);

/**
 * CsHullFeatures:
 * @feret_max: maximum Feret diameter: the largest distance between vertices
 * @feret_max_ux, @feret_max_uy: unit vector along it
 * @feret_min: minimum Feret diameter: the width, the smallest distance between
 *     parallel lines that enclose the hull
 * @feret_min_ux, @feret_min_uy: unit normal of those lines
 * @rect_x, @rect_y: centre of the rectangle of minimum area around the hull
 * @rect_ux, @rect_uy: unit vector along its sides of length @rect_width
 * @rect_width, @rect_height: its sides
 * @circle_x, @circle_y, @circle_r: the smallest enclosing circle; the radius is
 *     the largest rounded distance of a vertex from the centre
 *
 * Lengths in the points' unit. Directions are vectors, not angles, because
 * square roots and quotients are the same on every processor and arc tangents
 * are not. Ties are resolved to the first extreme counter-clockwise from the
 * first vertex. All zero but the centres for a single point.
 */
typedef struct
{
  double feret_max, feret_max_ux, feret_max_uy;
  double feret_min, feret_min_ux, feret_min_uy;
  double rect_x, rect_y, rect_ux, rect_uy, rect_width, rect_height;
  double circle_x, circle_y, circle_r;
} CsHullFeatures;

/**
 * CsHullInput:
 * @points: the first point, aligned for its type; ignored when @mask is given
 * @type: type of the points
 * @memory: memory of @points, @offsets and @contours
 * @n_points: number of points, at most CS_HULL_MAX_POINTS
 * @stride: bytes from a point to the next, a multiple of the coordinate's size;
 *     0 for packed points
 * @offsets: %NULL for one set, or n_polylines + 1 ascending: polyline i is
 *     points[offsets[i]] up to, not including, points[offsets[i + 1]]. Not
 *     validated in device memory: invalid ones give wrong hulls, but no access
 *     beyond @n_points.
 * @n_polylines: number of polylines, if @offsets is given
 * @contours: %NULL, or the n_polylines records of the polylines: their class
 *     (required for CS_HULL_SCOPE_PER_CLASS), id, image, level and area
 * @mask: %NULL, or an image of one channel instead of points: the points are
 *     the centres of the pixels greater than @level, and a vertex's index is
 *     y * width + x. It has its own memory field.
 * @level: for @mask, in sample units; must not be NaN
 * @first_id: id of the first hull
 * @image_index: image of hulls that do not take it from a record
 */
typedef struct
{
  const void *points;
  CsHullType type;
  CsMemory memory;
  gsize n_points;
  gsize stride;
  const guint32 *offsets;
  gsize n_polylines;
  const CsContour *contours;
  const CsImage *mask;
  double level;
  gint32 first_id;
  gint32 image_index;
} CsHullInput;

/**
 * CsHullOutput:
 * @alloc: allocates the memory of the result: at least @size bytes, aligned to
 *     256. On CUDA it is called for device memory and, if @want_host, with
 *     @host %TRUE for pinned memory of the host. Called again if an estimate
 *     was too small; the later memory replaces the earlier. Returns %NULL on
 *     failure. The caller owns the memory.
 * @user_data: for @alloc
 * @want_host: CUDA only: also download the result. On the CPU the result is
 *     always on the host, and @alloc is called with @host %TRUE.
 *
 * Filled in by a successful run:
 * @n_hulls: number of hulls; sets without a finite point have none
 * @n_points: vertices of all hulls, repeated first ones included
 * @n_ignored: points with a NaN or infinite coordinate
 * @points: n_points in the requested format; %NULL with CS_HULL_POINTS_NONE
 * @indices: n_points indices into the input's points, or %NULL
 * @offsets: n_hulls + 1; hull i is points[offsets[i]] up to, not including,
 *     points[offsets[i + 1]]
 * @hulls: n_hulls records: id = first_id + index; kind = 1 (hull), flags =
 *     CS_CONTOUR_CLOSED; area (never negative: y down, as contours around high
 *     values), perimeter (twice the length of a segment), centroid, bounding
 *     box. Per contour: parent, class, image and level are the contour's (its
 *     number, 0, image_index and 0 without records), solidity = |area of the
 *     contour| / area of the hull, NaN if the hull's area is 0 or the
 *     contour's is not known. Per class: parent -1, the class; for all: parent
 *     -1, class 0. Measures not requested are NaN.
 * @features: n_hulls with CS_MEASURES_FULL, else %NULL
 * @device_points, @device_indices, @device_offsets, @device_hulls,
 *     @device_features: the same in the executor's GPU memory, CUDA only
 *
 * Measures are computed from the strict hull's vertices in double, by
 * hull_math.h, in an order that depends on their number only: all backends
 * return the same bits. They can overflow to infinity where coordinates exceed
 * 1e100.
 */
typedef struct
{
  void *(*alloc) (void *user_data, gsize size, gboolean host);
  void *user_data;
  gboolean want_host;

  gsize n_hulls, n_points, n_ignored;
  void *points;
  guint32 *indices;
  guint32 *offsets;
  CsContour *hulls;
  CsHullFeatures *features;
  void *device_points;
  guint32 *device_indices;
  guint32 *device_offsets;
  CsContour *device_hulls;
  CsHullFeatures *device_features;
} CsHullOutput;

#define CS_HULL_MAX_PASSES 4

/**
 * CsHullStats:
 * @n_passes: filter passes over a single set
 * @survivors: points left after each pass; on CUDA each later pass filters the
 *     survivors of the previous one
 * @sorted: points sorted after filtering
 *
 * Statistics of the last run over a single set, for benchmarks.
 */
typedef struct
{
  guint n_passes;
  gsize survivors[CS_HULL_MAX_PASSES];
  gsize sorted;
} CsHullStats;

/**
 * CsHull:
 *
 * A plan: parameters, an executor and scratch memory. Not thread-safe; use one
 * for each stream of point sets.
 */
typedef struct _CsHull CsHull;

/* Checks @params and makes a plan on @executor, which must outlive it. Fails
 * with CS_ERROR_INVALID (unknown enumeration values, no or too many classes),
 * or CS_ERROR_NOT_SUPPORTED (no such backend here). Scratch memory is made by
 * the first run, or cs_hull_warm_up(). */
CsHull *cs_hull_new (const CsHullParams * params, CsExecutor * executor,
    GError ** error);

/* Loads modules, builds graphs and allocates scratch for inputs of this form
 * (type, memory, n_points, n_polylines, size of the mask), so that the first
 * run takes no longer than the second. No data of @input is read. */
gboolean cs_hull_warm_up (CsHull * plan, const CsHullInput * input,
    GError ** error);

/* Computes the hulls of @input into @output. The result is complete on return;
 * on CUDA this costs one stream synchronisation, more where thousands of a
 * set's points survive filtering. Sizes and types may change from call to
 * call. Fails with CS_ERROR_INVALID (a stride or alignment that does not fit
 * the type, offsets that descend or exceed n_points, a mask of more than one
 * channel, no records for the scope per class), CS_ERROR_LIMIT (more than
 * CS_HULL_MAX_POINTS points or 2^31 mask pixels, ids beyond 2^31 - 2),
 * CS_ERROR_NO_MEMORY, CS_ERROR_DEVICE;
 * @output's counts are then 0, and the plan can be used again. */
gboolean cs_hull_run (CsHull * plan, const CsHullInput * input,
    CsHullOutput * output, GError ** error);

/* How many small inputs are computed at once. */
#define CS_HULL_AT_ONCE 8

/* As cs_hull_run(), for each of @n_inputs inputs, with its own output: ids go on
 * from one to the next; only the first one's first_id counts. On the CPU small
 * batches of polylines are computed at once, and memory is asked for as if all
 * points were vertices. Fails as cs_hull_run() does for the first input that it
 * fails for: then all outputs' counts are 0. */
gboolean cs_hull_run_batch (CsHull * plan, const CsHullInput * inputs,
    CsHullOutput * outputs, guint n_inputs, GError ** error);

/* A set in host memory of at most so many points is found by one thread of a
 * CPU as soon as by a GPU (docs/benchmarks-hull.md): */
#define CS_HULL_SMALL 16384     /* if few of them survive filtering */
#define CS_HULL_SMALL_DENSE 4096        /* otherwise */
/* Few survivors: those that one pass of a GPU compares pairwise. */
#define CS_HULL_SMALL_SORTED 2048

/* A batch of at most so many points, likewise: */
#define CS_HULL_SMALL_BATCH 2048

/* Whether @plan, on a CPU, finds the hulls of @input as soon as a GPU that also
 * could: @input is one small set, or a small batch, in host memory. Whether few
 * points of a set survive filtering is guessed from the last set of @plan. Reads
 * no data of @input. */
gboolean cs_hull_is_small (const CsHull * plan, const CsHullInput * input);

/* Statistics of the last successful run. */
void cs_hull_get_stats (const CsHull * plan, CsHullStats * stats);

void cs_hull_free (CsHull * plan);

G_END_DECLS
