/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Small linear least squares, for tables. */

#include "llf.h"

G_BEGIN_DECLS

/* The largest number of unknowns, and the stride of a matrix. */
#define CS_LLF_MAX_UNKNOWNS (CS_LLF_MAX_RANK + 2)

/* Adds equation @row . x = @value with weight @w to the normal equations @a x =
 * @b, of which @a holds the lower triangle. */
void cs_llf_add_equation (double *a, double *b, const double *row, guint n,
    double value, double w);

/* Solves a x = b for symmetric a, given by its lower triangle; overwrites a,
 * and b with x. */
void cs_llf_solve (double *a, double *b, guint n);

G_END_DECLS
