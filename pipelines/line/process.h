/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/**
 * LineProcess:
 * @resident: bytes of its memory that are in RAM
 * @size: bytes of its address space
 * @cpu_s: seconds of processors' time that it has had, all threads together
 * @start_s: when it was started, in seconds since 1970, by the clock that the
 *     machine has now
 * @descriptors: that are open
 * @most_descriptors: that may be
 * @threads: of it
 *
 * What the system says of this process. What it does not say is 0.
 */
typedef struct
{
  guint64 resident, size;
  gdouble cpu_s, start_s;
  guint descriptors, most_descriptors, threads;
} LineProcess;

void line_process_read (LineProcess * process);

/* Appends it in Prometheus' text format, by the names that Prometheus' client
 * libraries use. */
void line_process_append_metrics (GString * text);
