/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Characters of a name, at most */
#define LINE_NAME_LONGEST 64

/* For messages */
#define LINE_NAME_RULE "a name has 1 to 64 letters, digits, spaces, \"_\", " \
    "\"-\" and \".\", and begins with a letter or a digit"
#define LINE_LANE_NAME_RULE "a lane's name has 1 to 64 of a-z, A-Z, 0-9, " \
    "\"_\" and \"-\""
#define LINE_FILE_NAME_RULE "a name has 1 to 64 of a-z, A-Z, 0-9, \"_\", " \
    "\"-\" and \".\", and begins with a letter or a digit"
/* of a key; its value may have a password in it */
#define LINE_HOST_RULE "\"%s\" must be a host's name or its address, and " \
    "nothing else"

/* Of lines, recipes, sizes, limits and rules. Letters and digits are those of
 * any script. Nothing of it means something to a shell, in a spreadsheet, in
 * HTML or in a topic. */
gboolean line_name_is_good (const char *name);

/* Files and topics are named for lanes. */
gboolean line_name_is_lane (const char *name);

/* Of a file in a folder, less its suffix: it leads nowhere else. */
gboolean line_name_is_file (const char *name);

/* Returns: (nullable): NAME of the file NAME@suffix, if it is one by
 * line_name_is_file() */
char *line_name_of_file (const char *file, const char *suffix);

/* Of a host: its name or its address. */
gboolean line_name_is_host (const char *name);
