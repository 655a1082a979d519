/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The local Laplacian filter with the paper's remapping by distance in RGB, in
 * double precision. */

#include "llf/llf.h"

G_BEGIN_DECLS

/* To the letter: for each coefficient the whole picture is remapped,
 *   r (i) = g + unit (i - g) * f (|i - g|),
 * its Laplacian pyramid built, and the coefficient taken; @rgb and @out are of
 * 0 to 1, R, G and B of each pixel, @out not limited. Without a noise guard of
 * -1. For small pictures. */
void llf_oracle_rgb (const CsLlfParams * params, const double *rgb,
    guint width, guint height, double *out);

G_END_DECLS
