/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "metrics.h"

#define N G_GUINT64_FORMAT

void
line_metrics_head (GString * text, const char *name, const char *type,
    const char *help)
{
  g_string_append_printf (text, "# HELP %s %s\n# TYPE %s %s\n", name, help,
      name, type);
}

void
line_metrics_number (GString * text, const char *name, const char *type,
    const char *help, const char *format, gdouble value)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  line_metrics_head (text, name, type, help);
  g_string_append_printf (text, "%s %s\n", name, g_ascii_formatd (number,
          sizeof (number), format, value));
}

void
line_metrics_histogram (GString * text, const char *name, const char *help,
    const gdouble * bounds, const guint64 * below, guint n, guint64 count,
    gdouble sum)
{
  char number[G_ASCII_DTOSTR_BUF_SIZE];

  line_metrics_head (text, name, "histogram", help);
  for (guint i = 0; i < n; i++)
    g_string_append_printf (text, "%s_bucket{le=\"%s\"} %" N "\n", name,
        g_ascii_formatd (number, sizeof (number), "%g", bounds[i] / 1e6),
        below[i]);
  g_string_append_printf (text, "%s_bucket{le=\"+Inf\"} %" N "\n%s_sum %s\n"
      "%s_count %" N "\n", name, count, name, g_ascii_formatd (number,
          sizeof (number), "%.6f", sum / 1e6), name, count);
}
