/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_REPORT_METRICS_H
#define LINE_REPORT_METRICS_H

#include <glib.h>

G_BEGIN_DECLS

/* In Prometheus' text format: fruit_line_NAME, of @type. */
void line_metrics_head (GString * text, const char *name,
    const char *type, const char *help);

/* @label: with @value; NULL for none. Values need no escapes, as lanes' names do
 * not. */
void line_metrics_count (GString * text, const char *name,
    const char *lane, const char *label, const char *value, guint64 n);
/* With three decimals */
void line_metrics_number (GString * text, const char *name,
    const char *lane, const char *label, const char *value, gdouble number);

G_END_DECLS

#endif /* LINE_REPORT_METRICS_H */
