/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publisher.h"

/* Lines of shapejsonenc: each folder in a folder is a stream */
extern const LinePublishKind line_publish_shapes;

/* A configuration of cudashapes-publish. Relative paths in it are relative to the
 * folder of @file. Returns: NULL with @error set to all that is wrong, a line
 * "FILE:LINE: ..." each */
LinePublishSource *line_shapes_config_parse (const char *file,
    const char *text, gsize size, GError ** error);
LinePublishSource *line_shapes_config_load (const char *path, GError ** error);
void line_shapes_config_free (LinePublishSource * source);
