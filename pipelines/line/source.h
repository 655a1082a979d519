/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LINE_SOURCE_H
#define LINE_SOURCE_H

#include "recipe.h"
#include "scene.h"
#include "settings.h"

G_BEGIN_DECLS

/**
 * LineTensors:
 *
 * Where a lane's tensors come from: a simulated lane or a file. For one thread.
 */
typedef struct _LineTensors LineTensors;

LineTensors *line_tensors_new (const LineConfig * config,
    const LineLaneConfig * lane, const LineRecipe * recipe, GError ** error);
void line_tensors_free (LineTensors * tensors);

/* The tensors of the next trigger. @size: of @data, views x rows x columns x
 * classes floats. Returns: FALSE at the end, or with @error set; half a trigger
 * at the end of a file is an error */
gboolean line_tensors_next (LineTensors * tensors, gpointer data, gsize size,
    GError ** error);

/* The simulated lane; NULL without one. */
LineScene *line_tensors_get_scene (LineTensors * tensors);

G_END_DECLS

#endif /* LINE_SOURCE_H */
