/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

G_BEGIN_DECLS

/* Prints a table of times; returns the exit status. */
int bench_llf (void);

G_END_DECLS
