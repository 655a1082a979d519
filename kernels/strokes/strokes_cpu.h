/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "strokes_private.h"

G_BEGIN_DECLS

/* Runs the last stages, duplicates and biggest first, or all from the merge on
 * if ends are joined, with a state of #cs_strokes_cpu_backend. Replaces @list,
 * which is owned by the caller, by a list owned by the state. */
gboolean cs_strokes_cpu_finish (void *state, CsStrokesList * list,
    GError ** error);

G_END_DECLS
