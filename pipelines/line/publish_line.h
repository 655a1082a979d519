/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "names.h"

/* Bytes of a name with the 0 behind it, at most */
#define LINE_PUBLISH_NAME (4 * LINE_NAME_LONGEST + 1)

/* Whose decision a line is. */
typedef struct
{
  char line[LINE_PUBLISH_NAME], lane[LINE_PUBLISH_NAME];
  guint64 piece;
} LinePublishKey;

/* Returns: NULL, or what is wrong with the @size bytes of @text, any ones: they
 * are no decision */
const char *line_publish_parse (const char *text, gsize size,
    LinePublishKey * key);
