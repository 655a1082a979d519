/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What contours are found in when it is not a channel, and Otsu's level, as
 * literally as C allows, without any of the product's code. */

#include "contours/contours.h"

/* Whether @params ask for more than the levels of channels. */
gboolean oracle_has_planes (const CsContoursParams * params);

/* The samples of target @t, of the image's size; freed by the caller. */
double *oracle_plane (const CsContoursParams * params, const CsImage * image,
    guint t);

/* The level of target @t, whose samples are @plane; infinite if there is
 * none. */
double oracle_otsu (const CsContoursParams * params,
    const CsContoursInput * input, guint t, const double *plane);

/* The class of target @t's shapes. */
gint32 oracle_class (const CsContoursParams * params, guint t);
