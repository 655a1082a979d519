/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"
#include "view.h"

/**
 * LineTurns:
 *
 * How far the pieces of a lane turn from cup to cup, as the texture of their
 * skin shows to each view: keeps what the trigger before showed. For one thread.
 */
typedef struct _LineTurns LineTurns;

/* @geometry, @recipe: outlive it */
LineTurns *line_turns_new (const LineGeometry * geometry,
    const LineRecipe * recipe);
void line_turns_free (LineTurns * turns);

/* Sets the turns of the views. @pictures: of the trigger, views x rows x columns
 * x 3. @lost: bits of the views that are not there */
void line_turns_find (LineTurns * turns, guint64 trigger,
    const guint8 * pictures, guint32 lost, LineView * views);
