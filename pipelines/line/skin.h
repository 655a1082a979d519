/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"
#include "view.h"

/**
 * LineSkin:
 *
 * Measures the colour of skin in a lane's pictures: of the pixels inside of a
 * fruit's outline and outside of its blemishes. For one thread.
 */
typedef struct _LineSkin LineSkin;

/* @geometry, @recipe: outlive it */
LineSkin *line_skin_new (const LineGeometry * geometry,
    const LineRecipe * recipe);
void line_skin_free (LineSkin * skin);

/* Sets the tones of the views. @pictures: of the trigger, views x rows x columns
 * x 3. @lost: bits of the views that are not there */
void line_skin_measure (LineSkin * skin, const guint8 * pictures,
    guint32 lost, LineView * views);
