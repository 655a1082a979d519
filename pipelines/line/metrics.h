/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Prometheus' text format; names are in full. */

/* What stands before the samples of a metric. */
void line_metrics_head (GString * text, const char *name, const char *type,
    const char *help);

/* A metric of one sample. @format: of its value, as "%.3f" */
void line_metrics_number (GString * text, const char *name, const char *type,
    const char *help, const char *format, gdouble value);

/* A histogram of times, in microseconds, which are written as seconds. @below:
 * how many are not greater than each of the @n bounds. @count: of all */
void line_metrics_histogram (GString * text, const char *name,
    const char *help, const gdouble * bounds, const guint64 * below, guint n,
    guint64 count, gdouble sum);
