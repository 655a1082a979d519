/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Iso-contours by marching squares, assembled into ordered polylines.
 *
 * The definition is that of scikit-image's measure.find_contours(), bit for bit
 * in double precision: Lorensen and Cline's algorithm in two dimensions, linear
 * interpolation along pixel edges, low values to the left of every segment,
 * contours in the raster order of their first segment. docs/cudacontours.md
 * states it in full, with the few deliberate differences.
 *
 * Coordinates: x to the right, y down, pixel centres at integers.
 */

#include <glib.h>

#include "base/executor.h"
#include "base/image.h"
#include "base/measures.h"

G_BEGIN_DECLS

/**
 * CsContoursTarget:
 * @channel: channel of the input, also the shapes' class; or
 *     CS_CONTOURS_GROUP (g)
 * @level: the value whose iso-lines are wanted, in sample units; ignored with
 *     auto_level. Must be finite.
 */
typedef struct
{
  guint channel;
  double level;
} CsContoursTarget;

/**
 * CsContoursGroup:
 * @channels: channels of the input, in the order in which they are added
 * @n_channels: at least 1
 *
 * Several channels as one. Its sample is their sum in double precision, from
 * the first to the last, or their maximum, rounded once to single precision, or
 * for doubles not at all; NaN where one of them is.
 */
typedef struct
{
  const guint *channels;
  guint n_channels;
} CsContoursGroup;

typedef enum
{
  CS_GROUP_SUM,
  CS_GROUP_MAX,
} CsGroupMode;

/* As a target's channel: group @g of the parameters. No image has as many
 * channels. */
#define CS_CONTOURS_GROUP(g) ((1u << 28) + (g))

/**
 * CsAutoLevel:
 * @CS_AUTO_LEVEL_MIDRANGE: (min + max) / 2 of the valid samples of each target's
 *     channel, in double, infinities included
 * @CS_AUTO_LEVEL_OTSU: Otsu's threshold of the valid samples: of the thresholds
 *     between two bins of their histogram that with the greatest variance
 *     between the samples below and above, the lowest if there are several; the
 *     level is the centre of the bin below it. There is a bin for each code of
 *     channels of 8 and 16 bits, from the code to the next one, else
 *     CS_OTSU_BINS of equal width from the least to the greatest sample. No
 *     contours if these are infinite.
 */
typedef enum
{
  CS_AUTO_LEVEL_MIDRANGE,
  CS_AUTO_LEVEL_OTSU,
} CsAutoLevel;

#define CS_OTSU_BINS 256

/**
 * CsAreaLimits:
 * @min_area, @max_area: as those of #CsContoursParams, of a target
 */
typedef struct
{
  double min_area, max_area;
} CsAreaLimits;

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
 * @targets: channels and levels to extract; the result is ordered by target,
 *     then in raster order. Copied.
 * @n_targets: length of @targets, at least 1
 * @auto_level: find the level of each target by @auto_method
 * @fully_connected_high: connect the high pixels at saddles, not the low ones
 * @positive_orientation_high: reverse every contour
 * @close_at_border: contours are those of the image with one more row or column
 *     of samples of minus infinity at each side: contours that would end at the
 *     image's edge follow it, half a pixel outside of its outermost pixels'
 *     centres, and are closed. Contours that end beside invalid samples remain
 *     open.
 * @bands: find iso-bands instead: for each channel and each two levels of it
 *     that follow one another, the polygons that the values above the lower
 *     level and not above the upper one fill, as closed contours. See
 *     #CsContour and below
 * @hierarchy: find the parent of every closed contour; holes of iso-bands always
 *     have one
 * @measures: measures to compute
 * @points: precision of the points
 * @min_points: drop contours with fewer points (a closed contour's repeated
 *     last point counts); 0 or 1 keeps all
 * @min_area, @max_area: drop contours whose |area| lies outside; 0 and
 *     INFINITY keep all
 * @level_scale: factor applied to the levels in the records, for samples that
 *     are a multiple of the user's unit; usually 1
 * @max_segments: expected segments per frame, over all targets; initial size of
 *     scratch memory. 0: estimated from the image. Never a limit on the result:
 *     scratch grows on overflow.
 * @max_memory: memory budget of a frame in bytes, 0 for no limit. The estimate
 *     is the same on all backends: CS_CONTOURS_CELL_COST for each cell (2 x 2
 *     samples) of each target, with rows and columns of at least
 *     CS_CONTOURS_MIN_CELLS, CS_CONTOURS_SEGMENT_COST for each segment, and
 *     the planes: 4 bytes (8 for doubles) for each sample of a group, and of all
 *     targets with @exclusive, @adaptive_window or @close_at_border, 16 more of
 *     one with @adaptive_window, and 4 for each bin of Otsu's method
 * @auto_method: what @auto_level means
 * @groups: %NULL, or @n_groups groups of channels that targets can name. Copied.
 * @group_mode: how channels of groups become one
 * @first_group_class: the class of group 0's shapes; that of group g is g more
 * @exclusive: a target's sample is its own less the greatest of all channels
 *     that are not its own, and its level is 0; where the two are equal, that
 *     with the lower channel (a group's lowest) wins: its sample is 2^-126 then.
 *     NaN where any channel is. Not with auto_level or adaptive_window.
 * @adaptive_window: 0, or an odd number from 3 to CS_ADAPTIVE_MAX_WINDOW: a
 *     target's sample is its own less the mean of the square of so many rows and
 *     columns around it, less @adaptive_offset, in double precision, rounded
 *     once as a group's, and its level is 0. The image is continued by
 *     reflection about its edges; NaN where one of the samples is, masks do not
 *     matter. contours_planes.h has the order of the sum. Not with auto_level.
 * @adaptive_offset: see @adaptive_window
 * @area_limits: %NULL, or the limits of each of @n_targets, besides @min_area
 *     and @max_area. Copied.
 *     With @bands a segment counts as CS_CONTOURS_BAND_SEGMENTS, and an edge
 *     between two samples at the border as CS_CONTOURS_BORDER_SEGMENTS
 *
 * Iso-bands fill the cells that contours are found in, between the outermost
 * pixels' centres and where no corner is invalid, completely; with
 * @close_at_border also the half pixel between the outermost centres and the
 * image's edge, where the values are those of the outermost samples: what is not above the
 * lowest or above the highest level is in none, and no point is in two. They
 * are polygons: rings that neither cross nor touch themselves, holes that meet
 * their outer ring and other holes in single points at most. Their corners are
 * the points of the contours, where these meet the border, and the border's
 * corners. @auto_level must be off. The targets
 * of a channel follow one another, at least two of ascending levels.
 */
typedef struct
{
  const CsContoursTarget *targets;
  guint n_targets;
  gboolean auto_level;
  gboolean fully_connected_high;
  gboolean positive_orientation_high;
  gboolean close_at_border;
  gboolean bands;
  gboolean hierarchy;
  CsMeasures measures;
  CsPointFormat points;
  guint min_points;
  double min_area, max_area;
  double level_scale;
  gsize max_segments;
  gsize max_memory;
  CsAutoLevel auto_method;
  const CsContoursGroup *groups;
  guint n_groups;
  CsGroupMode group_mode;
  gint32 first_group_class;
  gboolean exclusive;
  guint adaptive_window;
  double adaptive_offset;
  const CsAreaLimits *area_limits;
} CsContoursParams;

#define CS_ADAPTIVE_MAX_WINDOW 1023

#define CS_CONTOURS_CELL_COST 1
#define CS_CONTOURS_MIN_CELLS 64
#define CS_CONTOURS_SEGMENT_COST 64
#define CS_CONTOURS_BAND_SEGMENTS 4
#define CS_CONTOURS_BORDER_SEGMENTS 3

/* The defaults of find_contours(), with one target: channel 0 at .5. */
void cs_contours_params_init (CsContoursParams * params);

#define CS_CONTOUR_CLOSED (1u << 0)
#define CS_CONTOUR_HOLE   (1u << 1)

/**
 * CsContour:
 * @id: first_id + index in the result
 * @parent: id of the innermost closed contour that encloses this one, as a
 *     polygon; -1 if there is none, it was dropped, this one is open, or
 *     hierarchy is off
 * @class_id: the target's channel; of a group see first_group_class
 * @image: the input's image index
 * @kind: 0
 * @flags: CS_CONTOUR_CLOSED: first and last point are the same;
 *     CS_CONTOUR_HOLE: closed around low values, that is, of negative area in
 *     the default orientation
 * @level: the target's level, in sample units, times level_scale
 * @area: signed shoelace area about the first point, y down: positive around
 *     high values under the default orientation; an open contour is closed by
 *     its chord. Pixels squared.
 * @perimeter: arc length in pixels
 * @centroid_x, @centroid_y: of the enclosed region; of the curve, weighted by
 *     length, when the contour is open or its area is 0
 * @bbox_x0, @bbox_y0, @bbox_x1, @bbox_y1: extremes of the points
 * @solidity: NaN
 *
 * Measures are computed from the single-precision points (the double ones with
 * CS_POINTS_F64), with double sums in the fixed order that contours_math.h
 * defines: all backends return the same bits. Measures not requested are NaN.
 *
 * Iso-bands: the polygons of a band one after the other, in the order of the
 * targets' channels and levels. Each is its outer ring, of positive area by
 * default and with @parent -1, and then its holes, flagged and of negative
 * area, with the outer ring as @parent. A ring begins at its topmost corner, of
 * several at the leftmost; polygons are ordered by where they begin, from top
 * to bottom and then from left to right, holes of a polygon, too. @level is the
 * lower level. min_points, min_area and max_area are those of rings; holes go
 * with their outer ring, and a polygon without a hole is filled there.
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
 * @mask: %NULL, or width * height bytes, one channel of CS_SAMPLE_U8; a pixel
 *     is invalid where it is 0, and cells with an invalid corner have no
 *     segments. On CUDA in any memory, otherwise on the host.
 * @origin_x, @origin_y: coordinates of the image's first pixel, for regions of
 *     interest; from -1 to 2^31 less the image's size
 * @first_id: id of the first contour
 * @image_index: copied to every contour
 */
typedef struct
{
  CsImage image;
  const CsImage *mask;
  gint64 origin_x, origin_y;
  gint32 first_id;
  gint32 image_index;
} CsContoursInput;

/**
 * CsContoursOutput:
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
 * @n_contours: number of contours
 * @n_points: points of all contours, also with CS_POINTS_NONE
 * @n_segments: line segments before filtering
 * @n_dropped: contours removed by min_points, min_area and max_area
 * @n_overwritten: pending ends lost at collapsed pixels; only at the border and
 *     beside masked or NaN cells
 * @points: n_points in the requested format; %NULL with CS_POINTS_NONE
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

/* Changes the parameters of later runs. Levels, min_points, min_area, max_area,
 * connectivity and orientation can be animated: on the CPU nothing is
 * reallocated for them. Fails as cs_contours_new(); the plan then keeps its
 * parameters. */
gboolean cs_contours_set_params (CsContours * plan,
    const CsContoursParams * params, GError ** error);

/* Loads modules, builds graphs and allocates scratch for frames of this shape,
 * so that the first takes no longer than the second; for batches of @n_images,
 * or with 1 for cs_contours_run(). @image's data is not read. Does nothing if the
 * cells alone exceed max_memory. */
gboolean cs_contours_warm_up (CsContours * plan, const CsImage * image,
    guint n_images, GError ** error);

/* Extracts the contours of @input into @output. The result is complete on
 * return; on CUDA this costs one stream synchronisation. The size may change
 * from call to call. Images of less than 2 x 2 pixels have no contours.
 * Fails with CS_ERROR_INVALID (a channel out of range, a mask of another size,
 * strides that overlap), CS_ERROR_LIMIT (2^31 samples or more a channel plane,
 * 2^31 segments or more, ids beyond 2^31 - 2, an estimate beyond max_memory:
 * checked before memory is allocated), CS_ERROR_NO_MEMORY, CS_ERROR_DEVICE;
 * @output's counts are then 0, and the plan can be used again. */
gboolean cs_contours_run (CsContours * plan, const CsContoursInput * input,
    CsContoursOutput * output, GError ** error);

/* Images that a batch computes at once; more take turns. */
#define CS_CONTOURS_AT_ONCE 8

/* Extracts the contours of @n_images images, each into an output with memory of
 * its own, as cs_contours_run() for one after the other would: the same results
 * and errors. Of the inputs only the first one's first_id is taken; the ids of
 * each other go on after those of the one before it.
 *
 * On CUDA images of the first one's shape are uploaded by one copy and computed
 * while later ones are still on their way, and the stream is synchronised once
 * for CS_CONTOURS_AT_ONCE of them; fewer if they are so large that nothing would
 * be gained. Images of other shapes, and after one for which scratch has to grow,
 * take turns. Iso-bands and images on the CPU always do.
 * On failure, of the first image that fails, all outputs' counts are 0. */
gboolean cs_contours_run_batch (CsContours * plan,
    const CsContoursInput * inputs, CsContoursOutput * outputs,
    guint n_images, GError ** error);

void cs_contours_free (CsContours * plan);

G_END_DECLS
