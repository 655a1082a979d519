/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CONTOURS_H
#define CS_CONTOURS_H

/**
 * Iso-contours by marching squares, assembled into ordered polylines.
 *
 * The meaning is that of scikit-image's measure.find_contours(), bit for bit in
 * double precision: Lorensen and Cline's algorithm in two dimensions, linear
 * interpolation along pixel edges, low values to the left of every segment,
 * contours in the raster order of their first segment. docs/cudacontours.md
 * states it in full, with the few deliberate differences.
 *
 * Coordinates: x to the right, y down, pixel centres at integers.
 */

#include <glib.h>

#include "base/executor.h"
#include "base/image.h"

G_BEGIN_DECLS

/**
 * CsContoursTarget:
 * @channel: channel of the input, also the shapes' class
 * @level: the value whose iso-lines are wanted, in sample units; ignored with
 *     auto_level. Must be finite.
 */
typedef struct
{
  guint channel;
  double level;
} CsContoursTarget;

/**
 * CsMeasures:
 * @CS_MEASURES_NONE: the signed area only
 * @CS_MEASURES_BASIC: area, perimeter, centroid, bounding box
 * @CS_MEASURES_FULL: those and the moments to third order
 */
typedef enum
{
  CS_MEASURES_NONE,
  CS_MEASURES_BASIC,
  CS_MEASURES_FULL,
} CsMeasures;

/**
 * CsPointFormat:
 * @CS_POINTS_NONE: no points, measures only; offsets still count them
 * @CS_POINTS_F32: {float x, y}, the double result rounded once
 * @CS_POINTS_F64: {double x, y}
 */
typedef enum
{
  CS_POINTS_NONE,
  CS_POINTS_F32,
  CS_POINTS_F64,
} CsPointFormat;

/**
 * CsContoursParams:
 * @targets: what to extract; the result is ordered by target, then in raster
 *     order. Copied.
 * @n_targets: length of @targets, at least 1
 * @auto_level: use the midrange (min + max) / 2 of the valid samples of each
 *     target's channel, in double, infinities included, instead of its level
 * @fully_connected_high: at saddles connect the high pixels, not the low
 * @positive_orientation_high: reverse every contour
 * @hierarchy: find the parent of every closed contour
 * @measures: what to measure
 * @points: precision of the points
 * @min_points: drop contours with fewer points (a closed contour's repeated
 *     last point counts); 0 or 1 keeps all
 * @min_area, @max_area: drop contours whose |area| lies outside; 0 and
 *     INFINITY keep all
 * @level_scale: what levels are multiplied with in the records, for samples
 *     that are multiples of what users count in; 1 as a rule
 * @max_segments: expected segments a frame, over all targets, to size scratch
 *     memory for; 0 for a guess from the image. Never a limit on the result:
 *     scratch grows when a frame needs more.
 * @max_memory: bytes that a frame may cost, counted alike on all backends:
 *     CS_CONTOURS_CELL_COST for each cell (2 x 2 samples) of each target, of
 *     at least CS_CONTOURS_LEAST_CELLS in a row and in a column, and
 *     CS_CONTOURS_SEGMENT_COST for each segment, of which neither much more is
 *     taken nor much less; 0 for no limit
 */
typedef struct
{
  const CsContoursTarget *targets;
  guint n_targets;
  gboolean auto_level;
  gboolean fully_connected_high;
  gboolean positive_orientation_high;
  gboolean hierarchy;
  CsMeasures measures;
  CsPointFormat points;
  guint min_points;
  double min_area, max_area;
  double level_scale;
  gsize max_segments;
  gsize max_memory;
} CsContoursParams;

#define CS_CONTOURS_CELL_COST 1
#define CS_CONTOURS_LEAST_CELLS 64
#define CS_CONTOURS_SEGMENT_COST 64

/* The parameters find_contours() has by default, one target: channel 0 at .5. */
void cs_contours_params_init (CsContoursParams * params);

#define CS_CONTOUR_CLOSED (1u << 0)
#define CS_CONTOUR_HOLE   (1u << 1)

/**
 * CsContour:
 * @id: first_id + index in the result
 * @parent: id of the innermost closed contour that encloses this one, as a
 *     polygon; -1 if there is none, it was dropped, this one is open, or
 *     hierarchy was not asked for
 * @class_id: the target's channel
 * @image: the input's image index
 * @kind: 0
 * @flags: CS_CONTOUR_CLOSED: first and last point are the same;
 *     CS_CONTOUR_HOLE: closed around low values, which is what the sign of the
 *     area says under the default orientation
 * @level: the target's level, in sample units, times level_scale
 * @area: signed shoelace area about the first point, y down: positive around
 *     high values under the default orientation; an open contour is closed by
 *     its chord. Pixels squared.
 * @perimeter: arc length in pixels
 * @centroid_x, @centroid_y: of the enclosed region; of the curve, weighted by
 *     length, when the contour is open or its area is 0
 * @bbox_x0, @bbox_y0, @bbox_x1, @bbox_y1: extremes of the points
 * @solidity: 0
 *
 * Measures are taken on the single-precision points (the double ones with
 * CS_POINTS_F64), with double sums in the fixed order that contours_math.h
 * defines: all backends return the same bits. What was not asked for is 0.
 */
typedef struct
{
  gint32 id;
  gint32 parent;
  gint32 class_id;
  gint32 image;
  guint32 kind;
  guint32 flags;
  double level;
  double area;
  double perimeter;
  double centroid_x, centroid_y;
  double bbox_x0, bbox_y0, bbox_x1, bbox_y1;
  double solidity;
} CsContour;

/**
 * CsContourMoments:
 * @m: integrals over the enclosed region of dx^p dy^q, (dx, dy) relative to the
 *     contour's first point, in the order m00 m10 m01 m20 m11 m02 m30 m21 m12
 *     m03, by Green's theorem; sign as the area's
 */
typedef struct
{
  double m[10];
} CsContourMoments;

/**
 * CsContoursInput:
 * @image: the samples
 * @mask: %NULL, or width * height bytes, one channel of CS_SAMPLE_U8; where it
 *     is 0 the pixel is invalid, and cells that touch it yield nothing. On CUDA
 *     in any memory, otherwise on the host.
 * @origin_x, @origin_y: coordinates of the image's first pixel, for regions of
 *     interest; below 2^31 less the image's size
 * @first_id: id of the first contour
 * @image_index: copied to every contour
 */
typedef struct
{
  CsImage image;
  const CsImage *mask;
  guint origin_x, origin_y;
  gint32 first_id;
  gint32 image_index;
} CsContoursInput;

/**
 * CsContoursOutput:
 * @alloc: called once or more (when a guess was too small) for the memory that
 *     the result is written to: at least @size bytes, aligned to 256, device
 *     memory on CUDA, where the copy on the host is asked for with @host %TRUE
 *     (pinned) if @want_host. Returns %NULL when it cannot. The plan never
 *     keeps or frees it; a second call for the same side replaces the first.
 * @user_data: for @alloc
 * @want_host: CUDA only: also download the result; on the CPU the result is on
 *     the host anyway, and @alloc is called with @host %TRUE
 *
 * Filled in by a successful run:
 * @n_contours: contours
 * @n_points: points of all of them, also counted with CS_POINTS_NONE
 * @n_segments: line segments found, before any was filtered out
 * @n_dropped: contours that min_points, min_area and max_area removed
 * @n_overwritten: pending ends that were lost at collapsed pixels; only at the
 *     border and beside masked or NaN cells
 * @points: n_points of the format asked for; %NULL with CS_POINTS_NONE
 * @offsets: n_contours + 1; contour i is points[offsets[i]] up to, not
 *     including, points[offsets[i + 1]]
 * @contours: n_contours records
 * @moments: n_contours with CS_MEASURES_FULL, else %NULL
 * @device_points, @device_offsets, @device_contours, @device_moments: the same
 *     in the executor's GPU memory, CUDA only
 */
typedef struct
{
  void *(*alloc) (void *user_data, gsize size, gboolean host);
  void *user_data;
  gboolean want_host;

  gsize n_contours, n_points, n_segments, n_dropped, n_overwritten;
  void *points;
  guint32 *offsets;
  CsContour *contours;
  CsContourMoments *moments;
  void *device_points;
  guint32 *device_offsets;
  CsContour *device_contours;
  CsContourMoments *device_moments;
} CsContoursOutput;

/**
 * CsContours:
 *
 * A plan: parameters, an executor and scratch memory. Not thread-safe; use one
 * for each stream of frames.
 */
typedef struct _CsContours CsContours;

/* Checks @params and makes a plan on @executor, which must outlive it. Fails
 * with CS_ERROR_INVALID (no targets, a level that is not finite), or
 * CS_ERROR_NOT_SUPPORTED (no such backend here). Scratch memory is made by the
 * first run, or cs_contours_warm_up(). */
CsContours *cs_contours_new (const CsContoursParams * params,
    CsExecutor * executor, GError ** error);

/* Changes the parameters for the runs to come. When only numbers differ (levels,
 * min_points, min_area, max_area) or connectivity and orientation, nothing is
 * made anew on the CPU, so that these can be animated. Fails as
 * cs_contours_new(); the plan then keeps the parameters that it has. */
gboolean cs_contours_set_params (CsContours * plan,
    const CsContoursParams * params, GError ** error);

/* Makes everything that the first frame of this shape would make (modules,
 * graphs, scratch), so that it takes no longer than the second; @image's data
 * is not read. Makes nothing if its cells alone cost more than max_memory. */
gboolean cs_contours_warm_up (CsContours * plan, const CsImage * image,
    GError ** error);

/* Extracts the contours of @input into @output. On return the result is
 * complete; on CUDA that is one synchronisation of the stream. Sizes may change
 * from call to call. Images of less than 2 x 2 pixels have no contours.
 * Fails with CS_ERROR_INVALID (a channel out of range, a mask of another size,
 * strides that overlap), CS_ERROR_LIMIT (2^31 samples or more a channel plane,
 * 2^31 segments or more, ids beyond 2^31 - 2, a cost beyond max_memory: found
 * out before memory is made for it), CS_ERROR_NO_MEMORY, CS_ERROR_DEVICE;
 * @output's counts are then 0, and the plan can be used again. */
gboolean cs_contours_run (CsContours * plan, const CsContoursInput * input,
    CsContoursOutput * output, GError ** error);

void cs_contours_free (CsContours * plan);

G_END_DECLS

#endif /* CS_CONTOURS_H */
