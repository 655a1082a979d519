/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "llf/llf.h"

G_BEGIN_DECLS

/* Prints a table of times; returns the exit status. */
int bench_llf (void);

/* Milliseconds for each of @n_runs frames that are on the GPU, one after
 * another; -1 if one fails. */
double bench_llf_on_device (CsLlfTable * table, CsExecutor * executor,
    const guint8 * in, guint w, guint h, guint n_runs);

G_END_DECLS
