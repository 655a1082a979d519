/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/scratch.h"
#include "strokes.h"

G_BEGIN_DECLS

/* How many neighbours are listed. */
#define CS_STROKES_N_NEAR 10

/* Entry of a list that is shorter. */
#define CS_STROKES_NO_PORT G_MAXUINT32

/* Lists the nearest ports of each of @n ports (@points), the nearest first;
 * of ports at the same distance any. Ports 2 i and 2 i + 1 are the ends of a
 * stroke and do not list each other.
 *
 * @near: (out): @n x CS_STROKES_N_NEAR indices
 * Returns: %FALSE with @error (CS_ERROR_NO_MEMORY) set */
gboolean cs_strokes_find_near (CsScratch * scratch,
    const CsStrokePoint * points, guint32 n, guint32 * near, GError ** error);

G_END_DECLS
