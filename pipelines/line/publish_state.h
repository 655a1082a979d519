/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "folder.h"
#include "spool_reader.h"

/* How far a line's decisions have been acknowledged: a small file of JSON in the
 * output folder. */

/* The file in @output that one publisher at a time has locked */
#define LINE_PUBLISH_LOCK "publisher.state.lock"

/* The paths in @output of that file, and of what the publisher says of itself;
 * to be freed. */
char *line_publish_state_path (const char *output);
char *line_publish_status_path (const char *output);

/* @position: before all if there is no such file. Returns: FALSE with @error set
 * if it is damaged, or of another line than @line */
gboolean line_publish_state_load (const char *path, const char *line,
    LineSpoolPosition * position, GError ** error);

/* On the disk when this returns. Fails without loss: the file is as it was. */
gboolean line_publish_state_save (const char *path, const char *line,
    const LineSpoolPosition * position, GError ** error);

/* All of the file at @path, which is no link. @most, @text, @size: as
 * line_folder_load() has them */
gboolean line_publish_load (const char *path, gsize most, char **text,
    gsize * size, GError ** error);

/* Replaces a file at once. The old one stays as "PATH.new", which the next one
 * is written over, so that a full disk has room for it. @is_durable: it is on
 * the disk when this returns */
gboolean line_publish_replace (const char *path, const char *text,
    gsize size, gboolean is_durable, GError ** error);
