/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between the files of the CPU backend:
 *
 *   labels_cpu.c --> labels_cpu_band.c --> labels_cpu_rows.c
 *        |                  |
 *        |                  +----------> labels_cpu_walk.c
 *        +---------> labels_cpu_join.c
 *        +---------> labels_cpu_parents.c
 *
 * A cell is the square between four pixels' centres; a cell of row r and column
 * c has pixel (c - 1, r - 1) at its upper left, so that the first and last ones
 * reach beyond the picture, where there is no label. Its number is
 * r * (width + 1) + c. Rings pass cells with their label on the right hand. */

#include "base/array.h"
#include "base/scratch.h"
#include "labels_math.h"
#include "labels_private.h"

G_BEGIN_DECLS

/* Of a cell the bits of labels_math.h, and whether a ring may end there, that
 * is, have its last segment in raster order: around its upper left corner,
 * or a hole at that corner; also where there is no label. */
#define CS_LABELS_EQUAL 0x3f
#define CS_LABELS_END_OUTER 0x40
#define CS_LABELS_END_HOLE 0x80

/* CsLabelsRing.ray */
#define CS_LABELS_NO_RAY -1

/**
 * CsLabelsRing:
 * @label: its label
 * @lane: who has its points, or the number of lanes if it has been joined
 * @first_point, @n_points: there, the first one again at the end
 * @first_cell: its first cell in raster order
 * @ray: where a ray to the left, along the pixels below its first cell, meets a
 *     ring of its label: the cell at whose lower side that is, or
 *     CS_LABELS_NO_RAY
 * @is_hole: whether it is one
 */
typedef struct
{
  guint32 label;
  guint32 lane;
  gsize first_point, n_points;
  gint64 first_cell, ray;
  gboolean is_hole;
} CsLabelsRing;

/**
 * CsLabelsFragment:
 * @ring: as that of a ring, but first_cell is of the fragment only, and is_hole
 *     of the ring that has its last cell there
 * @last_cell: in raster order
 * @n_last: how many of its points there are up to that cell's
 * @from, @to: the columns in which it begins and ends
 * @begins_above, @ends_below: at which side of its band
 *
 * A piece of a ring that crosses the border of a band.
 */
typedef struct
{
  CsLabelsRing ring;
  gint64 last_cell;
  gsize n_last;
  guint32 from, to;
  gboolean begins_above, ends_below;
} CsLabelsFragment;

/* Where a ring may end: twice the cell of the band, 1 more for a hole; and its
 * label. */
typedef struct
{
  guint32 place;
  guint32 label;
} CsLabelsEnd;

/* A point, or the way from one to another. */
typedef float CsLabelsPoint __attribute__ ((vector_size (8)));

/**
 * CsLabelsStep:
 * @move: to the next cell
 * @direction: in which that is entered
 * @kept: of this cell: not that a ring may end there, if it is this one
 * @turns: 1 if the ring does, else 0
 * @way: to the next point: its number
 *
 * What a ring does in a cell. 8 bytes: the address of one is a single operand.
 */
typedef struct
{
  gint32 move;
  guint8 direction, kept, turns, way;
} CsLabelsStep;

/**
 * CsLabelsWalker:
 * @cells: of a band, @n of them, in rows of @stride
 * @x, @y: the middle of the first one
 * @outline: what points are
 * @points: what they are added to
 * @steps: for each direction and each cell
 * @ways: for each direction, and each that follows it
 *
 * Walks along rings in a band.
 */
typedef struct
{
  guint8 *cells;
  gssize n, stride;
  float x, y;
  CsLabelsOutline outline;
  CsArray *points;
  CsLabelsStep steps[4][G_MAXUINT8 + 1];
  CsLabelsPoint ways[16];
} CsLabelsWalker;

/**
 * CsLabelsLane:
 * @rows: labels of pixels, as CsLabelsBand
 * @cells: of each cell of a band the above
 * @ends: CsLabelsEnd
 * @points: {float x, y}
 * @rings, @fragments: of all bands
 * @n_steps: of all of these, from a cell to the next
 * @walker: of the band
 *
 * What one thread has.
 */
typedef struct
{
  CsScratch rows, cells;
  CsArray ends, points, rings, fragments;
  gsize n_steps;
  CsLabelsWalker walker;
} CsLabelsLane;

/**
 * CsLabelsJob:
 * @params: the plan's
 * @input: of which the bands are
 * @first_row: the picture's row of @input's first one
 * @above: the row of labels above that, or %NULL
 */
typedef struct
{
  const CsLabelsParams *params;
  const CsLabelsInput *input;
  gsize first_row;
  const guint32 *above;
} CsLabelsJob;

/**
 * CsLabelsBand:
 * @first, @n: rows of cells, the first one in the picture
 * @lane: who has its fragments
 * @first_fragment, @n_fragments: there; those that begin above come first, both
 *     from left to right
 */
typedef struct
{
  gsize first;
  guint n;
  guint lane;
  gsize first_fragment, n_fragments;
} CsLabelsBand;

/* The labels of row @y of @job's input, with one that is outside at either end:
 * width + 2 numbers in @row. Fails if one is too large. */
gboolean cs_labels_cpu_load (const CsLabelsJob * job, gsize y, guint32 * row,
    GError ** error);

/* The @n cells between rows @top and @bottom of a label more. @previous: those
 * above them, or %NULL */
void cs_labels_cpu_compare (const guint32 * top, const guint32 * bottom,
    gsize n, const guint8 * previous, guint8 * cells);

/* The greatest place up to @c at which @row has @label, or -1. */
gssize cs_labels_cpu_find_left (const guint32 * row, gssize c, guint32 label);

/* The rings and fragments of @band, added to @lane. */
gboolean cs_labels_cpu_band (const CsLabelsJob * job, CsLabelsBand * band,
    CsLabelsLane * lane, GError ** error);

/**
 * CsLabelsWalk:
 * @n_steps: how many cells it has passed
 * @first, @last: in raster order, and how they were entered
 * @n_last: points up to the last one's
 * @to: of a fragment where it has left the band
 */
typedef struct
{
  gsize n_steps;
  gssize first, last;
  guint first_direction, last_direction;
  gsize n_last;
  gssize to;
} CsLabelsWalk;

/* Makes the steps; all else is there. */
void cs_labels_cpu_walker_init (CsLabelsWalker * walker);

/* The ring whose last segment is in @cell, and whether it is a hole's. Its first
 * point is its last one, too. Sets n_steps and first. Returns: FALSE without
 * memory */
gboolean cs_labels_cpu_walk_ring (const CsLabelsWalker * walker, gssize cell,
    gboolean is_hole, CsLabelsWalk * walk);

/* From @cell, entered in @direction, until the ring leaves the band. */
gboolean cs_labels_cpu_walk_fragment (const CsLabelsWalker * walker,
    gssize cell, guint direction, CsLabelsWalk * walk);

/* The rings of @bands' fragments, added to @rings and their points to @points:
 * those of lane @n_lanes. @stride: cells of a row */
gboolean cs_labels_cpu_join (const CsArray * bands, const CsLabelsLane * lanes,
    guint n_lanes, gsize stride, CsScratch * scratch, CsArray * rings,
    CsArray * points, GError ** error);

/**
 * CsLabelsRings:
 * @rings: @n of them, in the order of the result
 * @points: of each lane, and those that have been joined
 * @stride: cells of a row
 * @origin_x, @origin_y: coordinates of the first pixel
 *
 * What is found.
 */
typedef struct
{
  const CsLabelsRing **rings;
  gsize n;
  const float **points;
  gsize stride;
  double origin_x, origin_y;
} CsLabelsRings;

static inline const float *
cs_labels_cpu_points (const CsLabelsRings * all, const CsLabelsRing * ring)
{
  return all->points[ring->lane] + 2 * ring->first_point;
}

/* How many rings ahead points are fetched, and how many of them; processors
 * fetch more by themselves. */
#define CS_LABELS_AHEAD 2
#define CS_LABELS_FETCHED 256

/* Fetches what rings after @i have: the order of labels is not that in which they
 * were found. GCC takes a function that only fetches for one that does nothing,
 * and leaves out calls of it. */
static inline __attribute__ ((always_inline)) void
cs_labels_cpu_fetch (const CsLabelsRings * all, gsize i)
{
  if (i + 2 * CS_LABELS_AHEAD < all->n)
    __builtin_prefetch (all->rings[i + 2 * CS_LABELS_AHEAD]);
  if (i + CS_LABELS_AHEAD >= all->n)
    return;
  const CsLabelsRing *ring = all->rings[i + CS_LABELS_AHEAD];
  const float *points = cs_labels_cpu_points (all, ring);

  for (gsize k = 0; k < MIN (ring->n_points, CS_LABELS_FETCHED); k += 8)
    __builtin_prefetch (points + 2 * k);
}

/* The parent of each ring, or -1, in @parents; @scratch: three. */
gboolean cs_labels_cpu_parents (CsExecutor * executor,
    const CsLabelsRings * all, CsLabelsOutline outline, CsScratch * scratch,
    gint32 * parents, GError ** error);

G_END_DECLS
