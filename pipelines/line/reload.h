/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"

/**
 * LineReloader:
 *
 * Reads a recipe again while a line runs, in a thread of its own: whatever is in
 * the file, and however slow its disk is, nothing waits for it. For the thread
 * that has the context.
 */
typedef struct _LineReloader LineReloader;

/* In the context. @recipe: a good one, to be referenced, or NULL: @error says
 * what is wrong */
typedef void (*LineReloaded) (LineRecipe * recipe, const GError * error,
    gpointer user);

/* @geometries: of the lanes. @folder: that good ones are copied to; NULL for
 * none. @context: that @done is called in */
LineReloader *line_reloader_new (const char *path,
    GPtrArray * geometries, LineFolder * folder, GMainContext * context,
    LineReloaded done, gpointer user);

/* Waits for nothing; @done is not called any more. */
void line_reloader_free (LineReloader * reloader);

/* Reads the file. @in_use: the recipe that shapes are found for. If it is being
 * read already, it is read once more after that: what was changed meanwhile
 * counts. */
void line_reloader_ask (LineReloader * reloader, LineRecipe * in_use);
