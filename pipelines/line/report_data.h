/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "histogram.h"
#include "report.h"
#include "report_looks.h"

/* What report.c counts and report_json.c and report_text.c write. */

/* A piece is rotten if some look shows this many mm2 of rot, or more. */
#define LINE_ROTTEN_MM2 25

/* Areas of classes are compared if they have this many mm2, or more. */
#define LINE_COMPARED_MM2 25

typedef enum
{
  LINE_LATENCY_TENSOR,
  LINE_LATENCY_SHAPES,
  LINE_LATENCY_DECISION,
  LINE_LATENCY_AFTER_TENSOR,
  LINE_LATENCY_ALL,
  LINE_N_LATENCIES,
} LineLatency;

extern const char *const line_latency_names[LINE_N_LATENCIES];

/* Bounds of the histogram of LINE_LATENCY_ALL that is written, in
 * microseconds */
#define LINE_N_BOUNDS 11
extern const gdouble line_latency_bounds[LINE_N_BOUNDS];

/* A number of times that a pair of outlets came; @expected is 0 where there is
 * no pair. */
typedef struct
{
  guint expected, outlet;
  guint64 n;
} LineTally;

/* @outlets: array of #LineTally, in order of outlets
 * @weights: the same of tenths of grams, of @weighed pieces
 * @looks: what was seen */
typedef struct
{
  guint64 pieces, empty, statuses[LINE_STATUS_UNDECIDED + 1];
  GArray *outlets, *weights;
  guint64 weighed;
  LineCounts counts;
  LineLooksReport looks;
  guint queue;
  guint n_cameras;
  LineCameraHealth cameras[LINE_MAX_VIEWS];
} LineLaneReport;

/* @pairs: array of #LineTally: of each outlet that was right, those that pieces
 * got. Errors are in millionths. */
typedef struct
{
  guint64 pieces, right, rotten, missed, areas, near_areas;
  GArray *pairs;
  LineHistogram *diameters, *area_errors;
} LineTruthReport;

struct _LineReport
{
  GMutex lock;
  char *line;
  guint n_lanes, deadline_ms;
  gboolean is_simulated;
  /* of the clock, and of g_get_monotonic_time() */
  gint64 begin, started;
  GPtrArray *recipes;
  /* of the last decision; NULL before */
  LineRecipe *recipe;
  char **lane_names;
  LineLaneReport *lanes;
  LineHistogram *latencies[LINE_N_LATENCIES];
  LineTruthReport truth;
  LineWritten written;
  LinePlcCounts plc;
  LineSpoolKept kept;
  LineHealth health;
};

/* As it is now, to be written without keeping the thread that decides waiting.
 * Returns: a copy, to be freed with line_report_free() */
LineReport *line_report_copy (LineReport * report);

/* The rest is of a copy, or with the lock. */

/* The sum of all lanes, to be cleared. */
void line_report_sum (const LineReport * report, LineLaneReport * sum);
void line_lane_report_clear (LineLaneReport * lane);

/* Seconds since the last heartbeat, or since the start. */
gdouble line_report_get_beat_age (const LineReport * report);

/* Whether each frame of each lane has come, or is lost for some
 * reason, and is counted once. */
gboolean line_report_is_whole (const LineReport * report);
