/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef BENCH_LLF_H
#define BENCH_LLF_H

#include <glib.h>

G_BEGIN_DECLS

/* Prints a table of times and baselines; returns the exit status. */
int bench_llf (void);

/* Only in builds with CUDA. Milliseconds that the exact filter takes on the GPU
 * with a block for each coefficient; power curve, 256 codes; extrapolated from
 * some coefficients of the finest levels. Negative if it fails. */
double bench_llf_original_cuda (const guint16 * codes, guint w, guint h,
    double sigma, double alpha, double beta);

G_END_DECLS

#endif /* BENCH_LLF_H */
