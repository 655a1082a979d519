/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "shapes/gstshapes.h"

/**
 * LinePainter:
 *
 * Shapes and a line of text onto a picture, and that to JPEG, by shapeoverlay and
 * GStreamer's elements. For one thread.
 */
typedef struct _LinePainter LinePainter;

/* @width, @height: of pictures. Returns: NULL with @error set, which says what
 * to install */
LinePainter *line_painter_new (guint width, guint height, GError ** error);
void line_painter_free (LinePainter * painter);

/* @recipe: whose classes the shapes have: each defect has a colour of its own.
 * @rgb: (transfer full): width x height x 3, freed with g_free(). Returns: the
 * JPEG; NULL with @error set: the painter is good for nothing more */
GBytes *line_painter_paint (LinePainter * painter, const LineRecipe * recipe,
    GstShapeSet * shapes, const char *text, guint8 * rgb, GError ** error);

/* The colour of a class, 0xRRGGBB; of the number of classes that of fruit. */
guint32 line_painter_get_color (const LineRecipe * recipe, guint class_id);
