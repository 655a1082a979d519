/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "camera_health.h"
#include "decide.h"
#include "plc_report.h"
#include "scene.h"
#include "spool_keep.h"

/**
 * LineReport:
 *
 * What a run has decided, how fast, what was lost, and, of a simulated line, how
 * often it was right. Its memory does not grow with the run. Thread-safe.
 */
typedef struct _LineReport LineReport;

/* What was written and what was not. */
typedef struct
{
  guint64 lines, lines_unwritten, pictures, pictures_dropped;
} LineWritten;

/* How it is now; events and bytes as they were a second ago at most.
 * @beat_at: when the last heartbeat was, of g_get_monotonic_time(); 0: there was
 *     none
 * @events: that wait to be decided on
 * @unsaved: bytes of decisions that wait for the disk */
typedef struct
{
  gint64 beat_at;
  guint events;
  gsize unsaved;
} LineHealth;

LineReport *line_report_new (const LineConfig * config);
void line_report_free (LineReport * report);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineReport, line_report_free)

/* A piece that went to @outlet weighs so many tenths of a gram. */
void line_report_weigh (LineReport * report, guint lane, guint outlet,
    guint tenths);
/* @truth: of the piece; NULL if it is not known */
void line_report_decision (LineReport * report, guint lane,
    const LineDecision * decision, const LineTruth * truth);
void line_report_lane (LineReport * report, guint lane,
    const LineCounts * counts);
/* @cameras: of a lane's views */
void line_report_cameras (LineReport * report, guint lane,
    const LineCameraHealth * cameras, guint n_cameras);
void line_report_written (LineReport * report, const LineWritten * written);
void line_report_plc (LineReport * report, const LinePlcCounts * counts);

void line_report_kept (LineReport * report, const LineSpoolKept * kept);

void line_report_health (LineReport * report, const LineHealth * health);
/* @frames: that have waited for their shapes at most in the last second */
void line_report_queue (LineReport * report, guint lane, guint frames);

/* Pieces that are decided. */
guint64 line_report_get_pieces (LineReport * report);
/* Of a lane. */
guint64 line_report_get_lane_pieces (LineReport * report, guint lane);

/* Returns: pieces, outlets and what matters most, in a line without a newline,
 * to be freed with g_free() */
char *line_report_to_line (LineReport * report);

/* Whether each frame of each lane is accounted for: it has come, or the reason
 * why it has not is counted. */
gboolean line_report_adds_up (LineReport * report);

/* Of any time in a run. Returns: text to be freed with g_free() */
char *line_report_to_json (LineReport * report);
char *line_report_to_text (LineReport * report);
/* In Prometheus' text format */
char *line_report_to_metrics (LineReport * report);
