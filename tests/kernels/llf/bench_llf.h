/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef BENCH_LLF_H
#define BENCH_LLF_H

#include <glib.h>

G_BEGIN_DECLS

/* Prints a table of times; returns the exit status. */
int bench_llf (void);

G_END_DECLS

#endif /* BENCH_LLF_H */
