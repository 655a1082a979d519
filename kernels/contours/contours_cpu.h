/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Inside the CPU backend. Every target is a *plane* of bits, set where a sample
 * is above the target's level. Planes are cut into *jobs*, the units of parallel
 * work, and these into *bands* of rows, whose segments fit a cache. The steps of
 * a frame:
 *
 *   classify   samples to bits (contours_cpu_classify.c); interleaved channels
 *              are compared together, by *groups* of planes
 *   count      an upper bound on the segments of every job
 *   link       bits to segments, linked to their successors; events on the
 *              pixel row shared with the job above are deferred
 *   fragments  chains inside a band, as soon as it is linked
 *   stitch     replays the deferred events, job by job: links the ends of
 *              fragments (contours_cpu_link.c)
 *   assemble   fragments to contours, in order
 *   emit       points and measures (contours_cpu.c)
 */

#include "base/scratch.h"
#include "contours_private.h"
#include "contours_rows.h"

G_BEGIN_DECLS

/* One target. */
typedef struct
{
  gboolean derived;             /* of the view's planes, not the input's image */
  gsize offset;                 /* bytes from the image's data */
  double level;
  guint64 *above;               /* height rows of n_words */
  guint64 *valid;               /* likewise, where row_has_invalid */
  guint8 *row_has_invalid;
  guint first_job, n_jobs;
} CsPlane;

/* A plane, or planes of interleaved samples, which are compared together. */
typedef struct
{
  gboolean derived;
  gsize offset;                 /* bytes from the image's data */
  guint slots;                  /* interleaved channels, used or not */
  guint n;                      /* samples compared in a row */
  gboolean gather;              /* samples are strided: gather them first */
  CsRowThreshold threshold;
  guint8 *thresholds;           /* n of the samples' type, %NULL if all equal */
  gint *slot_plane;             /* slots: index of the plane, -1 for none */
} CsGroup;

/* Rows of a group to classify. */
typedef struct
{
  const CsGroup *group;
  guint row0, row1;             /* row1 not included */
  guint8 *bytes;
  void *gathered;
} CsClassifyJob;

/* Pending ends at a pixel onto which crossings collapsed. */
typedef struct
{
  gint32 start, end;            /* segments, -1 for none */
  gint32 row;                   /* pixel row these belong to */
} CsSlot;

typedef enum
{
  CS_DEFERRED_EDGE_START,       /* a segment starts on a cell's top edge */
  CS_DEFERRED_EDGE_END,
  CS_DEFERRED_PIXEL_START,      /* a segment starts at a pixel */
  CS_DEFERRED_PIXEL_END,
} CsDeferredKind;

typedef struct
{
  CsDeferredKind kind;
  guint column;
  gint32 segment;
} CsDeferred;

/* A chain of segments inside a band, which only stitch can make longer. */
typedef struct
{
  gint32 first, last;           /* segments; a closed one has no ends */
  gint32 min, max;              /* first and last in raster order */
  gint32 length;                /* segments */
  gint32 contour;               /* -1 until assembled */
  gboolean closed;
  /* where its end points are in order: those up to the segment before min, the
   * others, and how many segments are before max */
  gint32 back, n_back, front, max_at;
} CsFragment;

/* The segments of some rows of a job. */
typedef struct
{
  gint32 first, end;
  CsFragment *fragments;        /* grows with cs_try_realloc_n() */
  guint n_fragments, max_fragments;
} CsBand;

typedef struct
{
  const CsPlane *plane;
  guint row0, row1;             /* rows of cells, row1 not included */
  CsBand *bands;
  guint n_bands;
  gsize max_segments;           /* bound from the count */
  gint32 base, n_segments;
  gsize n_overwritten;
  guint32 *row_first;           /* first segment of each row of cells */
  /* State of the scan: crossings of edges by index, see edge_row(). */
  double *position;             /* column or row where the edge is crossed */
  gint32 *pending;              /* segment that starts or ends there */
  CsSlot *slots[2];             /* by parity of the pixel row, by column */
  CsDeferred *deferred;
  guint n_deferred;
  gboolean no_memory;           /* for fragments */
} CsJob;

/* A segment's column, whether rays to its left and right are on the high side
 * (see contours_math.h), and the edge where it starts, packed into one word. */
#define CS_INFO(column, left_high, right_high, from) \
    ((guint32) (column) << 4 | (guint32) (left_high) << 3 | \
        (guint32) (right_high) << 2 | (guint32) (from))
#define CS_INFO_COLUMN(info) ((info) >> 4)
#define CS_INFO_LEFT_HIGH(info) (((info) >> 3) & 1)
#define CS_INFO_RIGHT_HIGH(info) (((info) >> 2) & 1)
#define CS_INFO_FROM(info) ((info) & 3)

/* Structure of arrays over the segments of all jobs: few bytes per segment, so
 * that traversing a contour hits the cache. That is done once: the end points
 * are put in order on the way, and only copied afterwards. */
typedef struct
{
  gint32 *next, *prev;          /* negative for none */
  void *to;                     /* end points, in the format of the result */
  void *ordered;                /* the same, in the order of the fragments */
  guint64 *visited;             /* bits */
  guint32 *info;
  gint32 *fragment;             /* index in its job: of the fragments' first and
                                   last segments; of all with hierarchy */
  gint32 *left;                 /* the segment hit by a ray to the left, -1 for
                                   none; %NULL without hierarchy */
} CsSegments;

/* No two jobs share a word of visited. */
#define CS_SEGMENTS_ROUND_UP(n) (((n) + 63) / 64 * 64)

typedef struct
{
  const CsContours *plan;
  /* geometry of the current layout */
  CsImage shape, planes_shape;
  guint n_words;                /* of a row of bits, with padding to shift */
  guint64 *all_valid;           /* n_words */
  CsPlane *planes;              /* one for each target */
  CsGroup *groups;
  guint n_groups;
  CsClassifyJob *classify_jobs;
  guint n_classify_jobs;
  CsJob *jobs;                  /* by plane, then by band */
  guint n_jobs;
  CsScratch job_memory, segment_memory, contour_memory, point_memory;
  CsScratch plane_memory, mean_memory, bin_memory;
  CsSegments segments;
  CsPointFormat format;         /* of the points as computed */
  /* of this run */
  const CsContoursView *view;
  const CsContoursInput *input; /* of the view */
  CsContoursOutput *output;
} CsContoursCpu;

/* Minimum samples per job: some hundred microseconds of work; rows of a band.
 * Variables so that tests can split small images. */
extern gsize cs_cpu_samples_per_job;
extern guint cs_cpu_band_rows;

/* Of this run, with data. */
static inline const CsImage *
cs_cpu_image (const CsContoursCpu * cpu, gboolean derived)
{
  return derived ? &cpu->view->planes : &cpu->input->image;
}

static inline const guint8 *
cs_cpu_row (const CsImage * image, gsize offset, guint row)
{
  return (const guint8 *) image->data + offset + row * image->row_stride;
}

/* As CsContoursBackend.derive. */
gboolean cs_cpu_derive (CsContoursCpu * cpu, CsContoursView * view,
    GError ** error);

/* Lays out planes, groups and jobs for images of the shape of @view; no-op if
 * the layout is current. */
gboolean cs_cpu_setup (CsContoursCpu * cpu, const CsContoursView * view,
    GError ** error);
void cs_cpu_clear_setup (CsContoursCpu * cpu);

/* Sets @group's thresholds from the planes' levels. */
void cs_cpu_set_thresholds (CsContoursCpu * cpu, CsGroup * group);

/* Finds the levels of this run's input. */
gboolean cs_cpu_set_auto_levels (CsContoursCpu * cpu, GError ** error);

void cs_cpu_classify (CsContoursCpu * cpu, CsClassifyJob * job);
void cs_cpu_count (CsContoursCpu * cpu, CsJob * job);
/* Also finds the fragments, unless @only_count. */
void cs_cpu_link (CsContoursCpu * cpu, CsJob * job, gboolean only_count);
void cs_cpu_stitch (CsContoursCpu * cpu, CsJob * above, CsJob * job);

/* Writes the start point of a segment, in the format of the result: needed for
 * the first one of open contours. */
void cs_cpu_store_start (const CsContoursCpu * cpu, const CsJob * job,
    gint32 segment, void *point);

G_END_DECLS
