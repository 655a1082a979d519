/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "blocks.h"
#include "recipe.h"
#include "settings.h"
#include "view.h"

/**
 * LineFinder:
 *
 * Contours and hulls of a trigger's tensors: cudacontours and cudahull in a
 * pipeline of their own. For one thread.
 */
typedef struct _LineFinder LineFinder;

/* @geometry: of the lane */
LineFinder *line_finder_new (const LineConfig * config,
    const LineGeometry * geometry, const LineRecipe * recipe, GError ** error);
void line_finder_free (LineFinder * finder);

/* (transfer full) (nullable): the CUDA context in use, of the type
 * "gst.cuda.context", which all finders share; NULL without a GPU, or without
 * libgstcuda, where elements share one by themselves. */
GstContext *line_finder_get_context (LineFinder * finder);

/* Bytes of the tensors of a trigger: views x rows x columns x classes
 * floats. */
gsize line_finder_get_size (const LineFinder * finder);

/* Blocks for line_finder_run(), @most at a time: after the first run of memory
 * that the GPU, if there is one, reads without a copy. */
LineBlocks *line_finder_make_blocks (LineFinder * finder, guint most);

/**
 * line_finder_run:
 * @finder: a finder
 * @tensors: (transfer full): a block of line_finder_get_size() bytes, given
 *     back as soon as it is not needed
 * @views: (out): as many as the geometry has; their contours, to be cleared
 *     with line_view_clear()
 *
 * Finds the shapes of a trigger, and waits for them, for at most 5 seconds. A
 * finder that has failed is good for nothing more.
 *
 * Returns: FALSE with @error set, and no view
 */
gboolean line_finder_run (LineFinder * finder, gpointer tensors,
    LineView * views, GError ** error);
