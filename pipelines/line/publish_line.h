/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "publish/ini.h"
#include "publish/kind.h"

/* The decisions of a line */
extern const LinePublishKind line_publish_decisions;

/* How far a line's decisions are acknowledged. @position: before all if there is
 * no such file. Returns: FALSE with @error set if it is damaged, or of another
 * line than @line */
gboolean line_publish_state_load (const char *path, const char *line,
    LineSpoolPosition * position, GError ** error);

/* On the disk when this returns. Fails without loss: the file is as it was. */
gboolean line_publish_state_save (const char *path, const char *line,
    const LineSpoolPosition * position, GError ** error);

/* Returns: NULL, or what is wrong with the @size bytes of @text, any ones: they
 * are no decision */
const char *line_publish_parse (const char *text, gsize size,
    const char *stream, LinePublishKey * key);
