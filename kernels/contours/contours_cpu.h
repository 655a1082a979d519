/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CONTOURS_CPU_H
#define CS_CONTOURS_CPU_H

/*
 * Inside the CPU backend. A frame is cut into *passes* (a channel plane, or all
 * interleaved channels at once, against one level each) and every pass into
 * *bands* of rows, the unit of parallel work, called a job:
 *
 *   classify   samples to bits, and an upper bound of the segments
 *   link       bits to segments, joined to their successors; what happens on
 *              the pixel row shared with the band above is put off
 *   stitch     plays what was put off, band by band
 *   fragments  maximal chains inside a band
 *   assemble   fragments to contours, in order (contours_cpu.c)
 *   emit       points and measures (contours_cpu.c)
 *
 * Samples of a row are numbered as they are stored: sample i of an interleaved
 * row has channel slot i % slots and column i / slots, and the sample to its
 * right is i + slots.
 */

#include "base/scratch.h"
#include "contours_private.h"
#include "contours_rows.h"

G_BEGIN_DECLS

/* One level of each channel of some interleaved channels, or of one channel. */
typedef struct
{
  gsize offset;                 /* bytes from the image's data */
  guint slots;                  /* interleaved channels, wanted or not */
  guint n;                      /* samples of a row that are looked at */
  gsize step;                   /* bytes from sample to sample */
  gboolean gather;              /* samples are too far apart to compare as is */
  CsRowThreshold threshold;
  guint8 *thresholds;           /* n of the samples' type, %NULL if all equal */
  gint *slot_target;            /* slots: index of the target, -1 for none */
  double *slot_level;           /* slots */
  guint32 *column;              /* n: column of each sample, %NULL if the same */
  guint first_job, n_jobs;
} CsPass;

/* Pending ends at a pixel onto which crossings have collapsed. */
typedef struct
{
  gint32 start, end;            /* segments, -1 for none */
  gint32 row;                   /* pixel row these belong to */
} CsSlot;

typedef enum
{
  CS_DEFERRED_EDGE_START,       /* the segment starts on the top edge of i */
  CS_DEFERRED_EDGE_END,
  CS_DEFERRED_PIXEL_START,      /* the segment starts at pixel i */
  CS_DEFERRED_PIXEL_END,
} CsDeferredKind;

typedef struct
{
  CsDeferredKind kind;
  guint i;
  gint32 segment;
} CsDeferred;

/* A maximal chain of segments inside a band. */
typedef struct
{
  gint32 first, last;           /* segments; a closed one has no ends */
  gint32 min, max;              /* first and last in raster order */
  gint32 length;                /* segments */
  gint32 contour;               /* -1 until assembled */
  gboolean closed;
} CsFragment;

typedef struct
{
  const CsPass *pass;
  guint row0, row1;             /* rows of cells, row1 not included */
  guint n_words;                /* of a row of bits, with room to shift */
  guint64 *above;               /* row1 - row0 + 1 rows */
  guint64 *valid;               /* likewise, when has_invalid */
  gboolean has_invalid;
  guint8 *bytes;
  void *gathered;
  gsize max_segments;           /* bound from classification */
  gint32 base, n_segments;
  gsize n_overwritten;
  guint32 *row_first;           /* first segment of each row of cells */
  /* State of the scan: crossings of edges by index, see cs_cpu_edge_row(). */
  double *position;             /* column or row where the edge is crossed */
  gint32 *pending;              /* segment that starts or ends there, -1 none */
  CsSlot *slots[2];             /* by parity of the pixel row, by sample */
  gint32 *last_segment;         /* in this row of cells */
  gint64 *last_row;
  CsDeferred *deferred;
  guint n_deferred;
  CsFragment *fragments;        /* grows with g_try_realloc() */
  guint n_fragments, max_fragments;
  gboolean no_memory;
} CsJob;

/* A segment's place in its row and how it lies, in one word. */
#define CS_INFO(i, lower_right, from) \
    ((guint32) (i) << 3 | (guint32) (lower_right) << 2 | (guint32) (from))
#define CS_INFO_I(info) ((info) >> 3)
#define CS_INFO_LOWER_RIGHT(info) (((info) >> 2) & 1)
#define CS_INFO_FROM(info) ((info) & 3)

/* Of all jobs, by segment. */
typedef struct
{
  gint32 *next, *prev;          /* -1 for none */
  gint32 *fragment;             /* index in its job, -1 until known */
  gint32 *left;                 /* the target's segment before it in its row of
                                   cells, -1 for none; %NULL without hierarchy */
  guint32 *info;
  void *to;                     /* end points, in the format of the result */
} CsSegments;

typedef struct
{
  const CsContours *plan;
  /* geometry that passes and jobs are laid out for */
  CsImage shape;
  CsPass *passes;
  guint n_passes;
  CsJob *jobs;
  guint n_jobs;
  CsScratch job_memory, segment_memory, contour_memory, point_memory;
  CsSegments segments;
  CsPointFormat format;         /* of the points as computed */
  /* of this run */
  const CsContoursInput *input;
  CsContoursOutput *output;
} CsContoursCpu;

/* The sample @i of @row, in double. */
double cs_cpu_sample (const CsContoursCpu * cpu, const CsPass * pass, guint row,
    guint i);

/* The start point of a segment; for the first of an open contour. */
void cs_cpu_start_point (const CsContoursCpu * cpu, const CsJob * job,
    gint32 segment, double *x, double *y);

/* Lays out passes and jobs for images like @image, if they are not yet. */
gboolean cs_cpu_setup (CsContoursCpu * cpu, const CsImage * image,
    GError ** error);
void cs_cpu_clear_setup (CsContoursCpu * cpu);

/* Sets the levels to the midrange of this run's input. */
void cs_cpu_set_auto_levels (CsContoursCpu * cpu);

void cs_cpu_classify (CsContoursCpu * cpu, CsJob * job);
void cs_cpu_link (CsContoursCpu * cpu, CsJob * job);
void cs_cpu_stitch (CsContoursCpu * cpu, CsJob * above, CsJob * job);
void cs_cpu_fragments (CsContoursCpu * cpu, CsJob * job);

G_END_DECLS

#endif /* CS_CONTOURS_CPU_H */
