/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "folder.h"
#include "kind.h"

/* How far streams have been acknowledged: a small file of JSON in the
 * publisher's folder. */

/* The file in @folder that one publisher at a time has locked */
#define LINE_PUBLISH_LOCK "publisher.state.lock"

/* The paths in @folder of that file, and of what the publisher says of itself;
 * to be freed. */
char *line_publish_state_path (const char *folder);
char *line_publish_status_path (const char *folder);

/* Returns: a #LineSpoolPosition for each stream's name, none if there is no such
 * file; NULL with @error set if it is damaged. To be freed by
 * g_hash_table_unref(). */
GHashTable *line_publish_state_read (const LinePublishKind * kind,
    const char *path, GError ** error);

/* The position of the only stream, which must be @name; before all without one.
 * Returns: FALSE with @error set if it is another one's */
gboolean line_publish_state_find (GHashTable * positions, const char *path,
    const char *name, LineSpoolPosition * position, GError ** error);

/* Adds a stream to what will be written. */
void line_publish_state_add (const LinePublishKind * kind, GString * text,
    const char *name, const LineSpoolPosition * position);

/* On the disk when this returns. Fails without loss: the file is as it was.
 * @text: is filled up */
gboolean line_publish_state_write (const char *path, GString * text,
    GError ** error);

/* All of the file at @path, which is no link. @most, @text, @size: as
 * line_folder_load() has them */
gboolean line_publish_load (const char *path, gsize most, char **text,
    gsize * size, GError ** error);

/* Replaces a file at once. The old one stays as "PATH.new", which the next one
 * is written over, so that a full disk has room for it. @is_durable: it is on
 * the disk when this returns */
gboolean line_publish_replace (const char *path, const char *text,
    gsize size, gboolean is_durable, GError ** error);
