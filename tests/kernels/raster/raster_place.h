/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "raster_cases.h"

G_BEGIN_DECLS

/* No two samples of a picture's copy share a byte, all lie in its memory, and the
 * copy is a background like the picture. */
void check_place (const Layout * layout);

G_END_DECLS
