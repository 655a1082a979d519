/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Prepares contours for drawing with a pen: removes what a brush has erased,
 * merges close contours, drops small ones and duplicates, and orders the rest
 * for little pen travel.
 *
 * The stages, in this order; each can be disabled:
 *  1. exclude: removes points under brush strokes and splits contours there. A
 *     closed one is cut open only there: its first part starts after the last
 *     removed point.
 *  2. merge: see #CsStrokesMerge
 *  3. small: removes contours of fewer than min_points points, or shorter than
 *     min_length pixels (in 65536ths of a pixel, rounded down for each segment)
 *  4. duplicates: removes every point within duplicate_distance of an earlier
 *     point that is kept, over the whole picture; distance 0 means equal
 *     points. A closed contour's repeated last point is kept with its first.
 *  5. biggest first: by number of points, ties to the lower index
 *  6. order: see #CsStrokesOrder; with two_opt, endpoints is improved by
 *     reversing and moving parts of the tour, so that the pen's travel becomes
 *     shorter: a local optimum, the same on every run, which may begin with any
 *     contour. If contours are merged by ends, those that then follow each
 *     other within merge_distance are joined, closed ones too.
 *  7. simplify: leaves out points (Ramer, Douglas, Peucker), none of which is
 *     more than simplify pixels from the line that remains. The first and last
 *     points of contours stay, and so do order and travel.
 * Both backends give the same points in the same order. All stages except the
 * last two are linear in the number of points.
 */

#include "base/executor.h"
#include "base/image.h"

G_BEGIN_DECLS

/* 8 bytes: x to the right, y down, in pixels, pixel centres at integers. */
typedef struct
{
  float x, y;
} CsStrokePoint;

/**
 * CsStrokesOrder:
 * @CS_STROKES_ORDER_NONE: biggest first
 * @CS_STROKES_ORDER_MIN_DISTANCE: greedy, from the biggest on: the unvisited
 *     contour with the smallest distance between any two points, ties to the
 *     lowest index
 * @CS_STROKES_ORDER_ENDPOINTS: greedy, from the biggest on: the contour with
 *     the end point (any point, if it is closed) nearest to the pen, ties to
 *     the lowest index, then to the lowest point; reversed if that is its last
 *     point, rotated if it is closed
 */
typedef enum
{
  CS_STROKES_ORDER_NONE,
  CS_STROKES_ORDER_MIN_DISTANCE,
  CS_STROKES_ORDER_ENDPOINTS,
} CsStrokesOrder;

/**
 * CsStrokesMerge:
 * @CS_STROKES_MERGE_ENDS: open contours are joined by their end points. In the
 *     order of indices, each contour that is not joined yet starts a chain. Its
 *     start is repeatedly joined to the nearest end point of the others within
 *     merge_distance, ties to the lowest index, then to the start; then its end
 *     likewise. The chain becomes one contour in the direction of its first
 *     one; the others are reversed as needed. Closed contours do not change.
 * @CS_STROKES_MERGE_LIFT: contours with points within merge_distance of each
 *     other form a group, transitively. They remain separate contours, with the
 *     pen lifted in between, but the small stage uses the group's number of
 *     points and length.
 */
typedef enum
{
  CS_STROKES_MERGE_ENDS,
  CS_STROKES_MERGE_LIFT,
} CsStrokesMerge;

/**
 * CsStrokesExclude:
 * @CS_STROKES_EXCLUDE_POINTS: removes points under the brush
 * @CS_STROKES_EXCLUDE_CONTOURS: removes contours with a point under the brush
 */
typedef enum
{
  CS_STROKES_EXCLUDE_POINTS,
  CS_STROKES_EXCLUDE_CONTOURS,
} CsStrokesExclude;

/**
 * CsStrokesParams:
 * @merge_distance: pixels; 0: equal points only; negative: no merging
 * @merge: how contours are merged
 * @min_points: minimum points; 0 or 1 keeps all
 * @min_length: minimum length in pixels; 0 keeps all
 * @duplicate_distance: pixels; 0: equal points; negative: keep duplicates
 * @biggest_first: sort by size; implied by @order
 * @order: drawing order
 * @two_opt: improve the order of endpoints
 * @simplify: pixels; 0 or less keeps all points
 * @exclude: what the brush removes
 *
 * Distances are finite.
 */
typedef struct
{
  double merge_distance;
  CsStrokesMerge merge;
  guint min_points;
  double min_length;
  double duplicate_distance;
  gboolean biggest_first;
  CsStrokesOrder order;
  gboolean two_opt;
  double simplify;
  CsStrokesExclude exclude;
} CsStrokesParams;

/* Defaults: no merging (by ends, if enabled), at least 10 points, any length,
 * equal points are duplicates, biggest first, order by endpoints without
 * two-opt, all points, points under the brush are excluded. */
void cs_strokes_params_init (CsStrokesParams * params);

/**
 * CsBrushMask:
 *
 * A bitmap of the pixels under the brush. Host memory; a plan on CUDA uploads
 * it when it has changed.
 */
typedef struct _CsBrushMask CsBrushMask;

/* An empty mask; sides up to 65536. */
CsBrushMask *cs_brush_mask_new (guint width, guint height, GError ** error);
void cs_brush_mask_free (CsBrushMask * mask);

/* Sets the pixels at most @radius pixels from the line between two points,
 * which may be equal. Coordinates that are not finite are ignored. */
void cs_brush_mask_stroke (CsBrushMask * mask, double x0, double y0, double x1,
    double y1, double radius);

/* Sets the pixels whose sample in @image (one channel, CS_SAMPLE_U8, the
 * mask's size, host memory) is not 0. */
gboolean cs_brush_mask_add_image (CsBrushMask * mask, const CsImage * image,
    GError ** error);

/* Adds the pixels set in @other; of another size only the common pixels. */
void cs_brush_mask_add (CsBrushMask * mask, const CsBrushMask * other);

/* Whether (x, y), rounded to the nearest pixel, is set; FALSE outside. */
gboolean cs_brush_mask_contains (const CsBrushMask * mask, double x, double y);
gboolean cs_brush_mask_is_empty (const CsBrushMask * mask);
gboolean cs_brush_mask_has_size (const CsBrushMask * mask, guint width,
    guint height);

/**
 * CsStrokesInput:
 * @points: the points of all contours, concatenated
 * @offsets: @n_contours + 1: first point of each contour; the last is the
 *     number of points
 * @n_contours: number of contours
 * @memory: memory of both arrays
 * @mask: (nullable): the brush
 *
 * A contour is closed if it has more than two points and its last equals its
 * first. Points that are not finite, or beyond 2^24 pixels from the origin
 * along either axis, are excluded like those under the brush. -0 becomes 0.
 */
typedef struct
{
  const CsStrokePoint *points;
  const guint32 *offsets;
  gsize n_contours;
  CsMemory memory;
  const CsBrushMask *mask;
} CsStrokesInput;

/**
 * CsStrokesOutput:
 * @points: in drawing order, host memory of the plan, until its next run
 * @offsets: @n_contours + 1
 * @sources: for each contour the (lowest) index of its input contours
 * @n_contours: number of contours, may be 0
 * @n_points: number of points
 * @travel: total pen travel between contours, in pixels
 */
typedef struct
{
  const CsStrokePoint *points;
  const guint32 *offsets;
  const guint32 *sources;
  gsize n_contours, n_points;
  double travel;
} CsStrokesOutput;

/**
 * CsStrokes:
 *
 * A plan: parameters, an executor and scratch memory. Not thread-safe.
 */
typedef struct _CsStrokes CsStrokes;

/* Fails with CS_ERROR_INVALID or CS_ERROR_NOT_SUPPORTED. */
CsStrokes *cs_strokes_new (const CsStrokesParams * params,
    CsExecutor * executor, GError ** error);
gboolean cs_strokes_set_params (CsStrokes * strokes,
    const CsStrokesParams * params, GError ** error);

/* Runs all stages; on CUDA with one synchronisation, two for points in device
 * memory, and one more if the result is much larger than the last. The order,
 * the stages after merging by ends, and duplicates at a distance above 0 run
 * on the host. Fails with CS_ERROR_INVALID (offsets that decrease or do not
 * begin with 0), CS_ERROR_LIMIT (2^31 points), CS_ERROR_NO_MEMORY,
 * CS_ERROR_DEVICE; the plan can be used again. */
gboolean cs_strokes_run (CsStrokes * strokes, const CsStrokesInput * input,
    CsStrokesOutput * output, GError ** error);
void cs_strokes_free (CsStrokes * strokes);

G_END_DECLS
