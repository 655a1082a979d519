/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "recipe.h"
#include "settings.h"

#include <jansson.h>

/**
 * What is in force, as JSON, which answers and the log have in them:
 *
 * {"lanes":{"LANE":{"recipe":"NAME","hash":"...","from":N,"next":null}},
 *  "lot":{"lot":"NAME","from":N,"next":null}}
 *
 * A lane, and the lot, is a place: what holds there, from which piece on (null: that
 * which was next then), and what comes next, from which piece on: like it, less
 * its own "next". There is one next: who says another one takes its place.
 * "plc", if there is one, is the last command of a PLC: its "words", and the
 * "answer". "recipe" is null for the configuration's, "lot" is null without one.
 */

/* Each lane has the configuration's recipe, and there is no lot. */
json_t *line_in_force_new (const LineConfig * config,
    const LineRecipe * recipe);

/* (nullable): the place of a lane; with @lane NULL that of the lot. Not to be
 * freed */
json_t *line_in_force_get (const json_t * in_force, const char *lane);

/* To be put in a place, and freed by json_decref(). @name: NULL for the
 * configuration's */
json_t *line_in_force_make_recipe (const char *name,
    const LineRecipe * recipe);

/* From piece @from on there is @what at @place; -1: at once. */
void line_in_force_put (json_t * place, const json_t * what, gint64 from);

/* @piece is decided next: what is next from then or earlier is there now. */
void line_in_force_settle (json_t * place, guint64 piece);
