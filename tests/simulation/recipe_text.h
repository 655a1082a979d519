/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Writes a recipe of the world's, whose outlets begin with @base, in tens. @more:
 * text that is added */
void recipe_text_write (const char *path, guint base, const char *more);
