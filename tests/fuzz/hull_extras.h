/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Ellipses and convexity defects of hulls that have been checked. */

#include "hull/hull.h"

G_BEGIN_DECLS

/* Of each hull of @output, of float points with indices. The ellipse has all
 * vertices in it and half of it, about its centre, is not larger than the hull
 * (John's theorem). Defects, where hulls are of polylines: start and end are
 * neighbouring vertices, and no point between them is farther off than that
 * named.
 *
 * @is_small: whether coordinates are small numbers, so that this holds up to
 *     rounding; else there is no more than no crash */
void check_extras (const CsHullParams * params, const CsHullInput * input,
    const CsHullOutput * output, gboolean is_small);

G_END_DECLS
