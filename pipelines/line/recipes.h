/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/folder.h"

/* A folder of recipes, each of which is called as its file NAME.ini. */

/* Returns: the path of the recipe @name, which is one by line_name_is_file(). To
 * be freed */
char *line_recipes_find (const char *folder, const char *name);

/* Names of all in the folder, as an array of JSON, in their order; to be freed.
 * What is in the files is not looked at. @folder: NULL: there are none */
char *line_recipes_list (const char *folder);
