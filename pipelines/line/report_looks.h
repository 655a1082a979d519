/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <jansson.h>

#include "decide.h"

/* Successive pieces that other views show, after which a view that does not show
 * them is dark */
#define LINE_DARK_PIECES 5

/* Bounds of the histogram of coverage, as shares of what the lane reaches */
#define LINE_N_SHARES 7
extern const gdouble line_share_bounds[LINE_N_SHARES];

/**
 * LineViewReport:
 * @fruit: looks that show the fruit
 * @none: looks that do not, of pieces that other looks show
 * @lost: looks that are not there, of all pieces
 * @unseen: pieces since it last showed one that other views show
 * @has_looks: whether it had a look of one of these
 * @unseen_since: time of the trigger of the first of these
 * @dark_since: the same, while the view is dark; else 0
 */
typedef struct
{
  guint64 fruit, none, lost;
  guint unseen;
  gboolean has_looks;
  gint64 unseen_since, dark_since;
} LineViewReport;

/**
 * LineLooksReport:
 * @n_views: of the lane; of several, the greatest number
 * @doubts: pieces by #LineDoubt
 * @shown: pieces by the number of looks that show the fruit
 * @shares: pieces by coverage, up to each of line_share_bounds and above the one
 *     before, and all others
 * @share_sum: of the shares
 * @diameters: pieces with a diameter
 * @diameter_sum: of these, in mm
 * @class_pieces: by the recipe's defects, pieces that have it
 * @class_mm2: of these, on all pieces
 * @inconsistent: pieces whose looks contradict their rotation
 * @turned: pieces whose rotation was measured
 *
 * What was seen of a lane's pieces: figures by which a dark view, a network
 * that fails or other fruit is noticed.
 */
typedef struct
{
  guint n_views;
  LineViewReport views[LINE_MAX_VIEWS];
  guint64 doubts[LINE_N_DOUBTS];
  guint64 shown[LINE_MAX_LOOKS + 1];
  guint64 shares[LINE_N_SHARES + 1];
  gdouble share_sum;
  guint64 diameters;
  gdouble diameter_sum;
  guint64 class_pieces[LINE_MAX_CLASSES];
  gdouble class_mm2[LINE_MAX_CLASSES];
  guint64 inconsistent, turned;
} LineLooksReport;

/* Views by bits: those that are dark now and were not, those that are not any
 * more, and of the former those without any look. */
typedef struct
{
  guint begun, ended, lost;
} LineDarkness;

/* Counts a piece. @darkness: (out) */
void line_looks_report_add (LineLooksReport * looks,
    const LineDecision * decision, LineDarkness * darkness);

/* On standard error, which may wait. */
void line_darkness_print (const LineDarkness * darkness, const char *lane);

/* @sum: a view of it is dark since the first lane's is. */
void line_looks_report_sum (LineLooksReport * sum,
    const LineLooksReport * looks);

guint64 line_looks_report_count_shares (const LineLooksReport * looks);
