/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "strokes/strokes.h"

/* Prints the tables of the benchmark, up to @max_points; @backend is "cpu",
 * "cuda" or "both". Returns the exit status. */
int bench_strokes (const char *backend, gsize max_points);

/* Prints the contours that are measured, a line for each, "x y x y ...". */
int print_lines (gsize n_points);

/* What has no oracle; @n_rounds of each kind. */
void check_two_opt (guint n_rounds);
void check_simplify (guint n_rounds);
