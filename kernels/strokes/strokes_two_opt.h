/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "strokes_private.h"

G_BEGIN_DECLS

/* Shortens the way of the lifted pen along @steps, all contours of @list, which
 * changes their order, directions and, of closed ones, first points.
 *
 * Returns: %FALSE with @error (CS_ERROR_NO_MEMORY) set */
gboolean cs_strokes_two_opt (CsStrokesTourScratch * scratch,
    const CsStrokesList * list, CsStrokesStep * steps, GError ** error);

G_END_DECLS
