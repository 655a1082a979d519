/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The local Laplacian filter three times, in double precision and slowly.
 * Images are codes of 0 to n_codes - 1 in dense rows; results are in codes too,
 * neither rounded nor limited. */

#include "llf/llf.h"

G_BEGIN_DECLS

/* r of @i about @g, in units of black to white. */
double llf_oracle_remap (const CsLlfParams * params, double i, double g);

/* The paper to the letter: for each coefficient the whole image is remapped
 * and its Laplacian pyramid built. For tiny images. */
void llf_oracle_literal (const CsLlfParams * params, const guint16 * codes,
    guint width, guint height, guint n_codes, double *out);

/* Each coefficient as a weighted sum of d over its pixels. */
void llf_oracle_exact (const CsLlfParams * params, const guint16 * codes,
    guint width, guint height, guint n_codes, const CsLlfSettings * settings,
    double *out);

/* The result for a table's factors, in double precision. */
void llf_oracle_factors (const CsLlfTable * table, const guint16 * codes,
    guint width, guint height, double *out);

/* The pyramids' operators, on a row of @n values. */
void llf_oracle_down (const double *in, guint n, double *out);
void llf_oracle_up (const double *in, guint n, double *out);

G_END_DECLS
