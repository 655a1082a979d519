/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_STROKES_H
#define CS_STROKES_H

/**
 * Makes of many contours what a pen can draw well: erases what a brush went
 * over, joins what is close, drops what is small and what is drawn twice, and
 * puts the rest into an order with little way between.
 *
 * The stages, in this order, each of which can be switched off:
 *  1. exclude: points under brush strokes go; a contour is split there. A
 *     closed one is cut open there, nowhere else: its first part is the one
 *     behind the last point that goes.
 *  2. merge: see #CsStrokesMerge
 *  3. small: contours of fewer than min_points points, or shorter than
 *     min_length pixels (in 65536ths of a pixel, rounded down for each
 *     segment), go
 *  4. duplicates: of points closer than or equal to duplicate_distance to each
 *     other, over the whole picture, the first that is kept wins, in the order
 *     of points; distance 0 means equal points. A closed contour's last point,
 *     which is its first again, stays if that does.
 *  5. biggest first: by number of points, ties to the lower index
 *  6. order: see #CsStrokesOrder
 * Both backends give the same points in the same order. Everything is linear in
 * the number of points, but for the order, in which contours are visited.
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
 * @CS_STROKES_ORDER_MIN_DISTANCE: from the biggest on, always the unvisited
 *     contour with the smallest distance between any two points, ties to the
 *     lowest index
 * @CS_STROKES_ORDER_ENDPOINTS: from the biggest on, always the contour whose
 *     nearest end (if it is closed: nearest point) is nearest to the pen, ties
 *     to the lowest index, then to the lowest point; it is reversed if the pen
 *     comes to its end, and turned if it is closed
 */
typedef enum
{
  CS_STROKES_ORDER_NONE,
  CS_STROKES_ORDER_MIN_DISTANCE,
  CS_STROKES_ORDER_ENDPOINTS,
} CsStrokesOrder;

/**
 * CsStrokesMerge:
 * @CS_STROKES_MERGE_ENDS: open contours are joined by their ends. In the order
 *     of their indices, each that is not joined yet begins a chain. Its
 *     beginning, as long as there is one at most merge_distance away, is joined
 *     to the nearest end of the others, ties to the lowest index, then to the
 *     beginning; then its end likewise. The chain is one contour, drawn in the
 *     direction of its first, the others reversed where they have to be. Closed
 *     contours stay as they are.
 * @CS_STROKES_MERGE_LIFT: contours whose least distance between points is at
 *     most merge_distance belong together, transitively; they stay contours
 *     each, with the pen lifted in between, but are small only together: by the
 *     sums of their points and lengths.
 */
typedef enum
{
  CS_STROKES_MERGE_ENDS,
  CS_STROKES_MERGE_LIFT,
} CsStrokesMerge;

/**
 * CsStrokesExclude:
 * @CS_STROKES_EXCLUDE_POINTS: points under the brush go
 * @CS_STROKES_EXCLUDE_CONTOURS: contours with a point under the brush go
 */
typedef enum
{
  CS_STROKES_EXCLUDE_POINTS,
  CS_STROKES_EXCLUDE_CONTOURS,
} CsStrokesExclude;

/**
 * CsStrokesParams:
 * @merge_distance: pixels; 0: equal points join; below 0: no merging
 * @merge: see there
 * @min_points: 0 or 1: none is too small
 * @min_length: pixels; 0: none is too short
 * @duplicate_distance: pixels; 0: equal points; below 0: duplicates stay
 * @biggest_first: whether to sort by size; the orders want it and do it anyway
 * @order: see there
 * @exclude: see there
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
  CsStrokesExclude exclude;
} CsStrokesParams;

/* No merging (ends, if there were), 10 points, any length, equal points are duplicates, biggest
 * first, endpoints, points. */
void cs_strokes_params_init (CsStrokesParams * params);

/**
 * CsBrushMask:
 *
 * A bit for each pixel: what the brush has gone over. Host memory; the plan
 * takes a copy to where it computes when the mask has changed.
 */
typedef struct _CsBrushMask CsBrushMask;

/* An empty mask; sides up to 65536. */
CsBrushMask *cs_brush_mask_new (guint width, guint height, GError ** error);
void cs_brush_mask_free (CsBrushMask * mask);
void cs_brush_mask_clear (CsBrushMask * mask);

/* Sets the pixels at most @radius pixels from the line between two points,
 * which may be the same. Anything finite is allowed; else nothing happens. */
void cs_brush_mask_stroke (CsBrushMask * mask, double x0, double y0, double x1,
    double y1, double radius);

/* Sets the pixels whose sample in @image (one channel, CS_SAMPLE_U8, the
 * mask's size, host memory) is not 0. */
gboolean cs_brush_mask_add_image (CsBrushMask * mask, const CsImage * image,
    GError ** error);

/* Adds what is set in @other, which may have another size: pixels that are in
 * both. */
void cs_brush_mask_add (CsBrushMask * mask, const CsBrushMask * other);

/* Whether (x, y), rounded to the nearest pixel, is set; FALSE outside. */
gboolean cs_brush_mask_contains (const CsBrushMask * mask, double x, double y);
gboolean cs_brush_mask_is_empty (const CsBrushMask * mask);
gboolean cs_brush_mask_has_size (const CsBrushMask * mask, guint width,
    guint height);

/**
 * CsStrokesInput:
 * @points: all contours' points one after the other
 * @offsets: @n_contours + 1: where each begins, the last is the number of
 *     points
 * @n_contours: how many
 * @memory: where both arrays lie
 * @mask: (nullable): the brush
 *
 * A contour is closed if it has more than two points and its last equals its
 * first. Points that are not finite, or beyond 2^24 pixels from the origin
 * along either axis, are left out, as if under the brush. -0 becomes 0.
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
 * @sources: for each contour the (lowest) index of the input contour it is of
 * @n_contours: how many, may be 0
 * @n_points: how many
 * @travel: pixels from each contour's end to the next one's beginning, together
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

/* Runs all stages; on CUDA it synchronises once, or twice for points in device
 * memory, and once more when the result is much larger than the last. Order,
 * what follows the merging of ends, and duplicates at a distance above 0, are
 * the host's part. Fails with
 * CS_ERROR_INVALID (offsets that decrease or do not begin with 0),
 * CS_ERROR_LIMIT (2^31 points), CS_ERROR_NO_MEMORY, CS_ERROR_DEVICE; the plan
 * can be used again. */
gboolean cs_strokes_run (CsStrokes * strokes, const CsStrokesInput * input,
    CsStrokesOutput * output, GError ** error);
void cs_strokes_free (CsStrokes * strokes);

G_END_DECLS

#endif /* CS_STROKES_H */
