/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "ini.h"

/**
 * LineFolder:
 *
 * A folder that outputs are written to and read back from. It is opened once: a
 * name in it stays a name in it, whatever becomes of its path. What is behind a
 * name is a regular file or a folder, or it is refused: a symbolic link that
 * somebody has put there leads nowhere, a pipe stops nobody. Files can be read
 * by their owner and group, and written by their owner; nobody else sees
 * folders. References are counted, by any thread.
 *
 * All functions that fail set errno and @error, which may be NULL, and which
 * names the path.
 */
typedef struct _LineFolder LineFolder;

/* Opens @path. With @make it is made, and what is missing above it, if it is not
 * there. It may be a symbolic link: it is a person who names it. */
LineFolder *line_folder_open (const char *path, gboolean make,
    GError ** error);
/* The same of @name in @folder, which must be no link. */
LineFolder *line_folder_open_inside (const LineFolder * folder,
    const char *name, gboolean make, GError ** error);
LineFolder *line_folder_ref (LineFolder * folder);
void line_folder_unref (LineFolder * folder);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineFolder, line_folder_unref)

const char *line_folder_get_path (const LineFolder * folder);

/* The names of all that is in it, in no order; free with g_ptr_array_unref(). */
GPtrArray *line_folder_list (const LineFolder * folder);

/* Whether there is a regular file @name. @size, @written_at (microseconds since
 * 1970): of that; may be NULL */
gboolean line_folder_look (const LineFolder * folder, const char *name,
    guint64 * size, gint64 * written_at);

/* Begins a file. Returns: its descriptor, at whose end is written; -1 if there
 * is something of that name */
int line_folder_create (const LineFolder * folder, const char *name,
    GError ** error);
/* Begins a file, in place of what has had its name. */
int line_folder_create_anew (const LineFolder * folder, const char *name,
    GError ** error);
/* Opens a file that is written over, and makes it if it is not there. One that
 * has another name, too, is refused. */
int line_folder_write_over (const LineFolder * folder, const char *name,
    GError ** error);
/* Opens a file for reading. @size: in bytes; may be NULL */
int line_folder_read (const LineFolder * folder, const char *name,
    guint64 * size, GError ** error);

/* All of a file of at most @most bytes. @text: to be freed; ends with a 0 that
 * does not count */
gboolean line_folder_load (const LineFolder * folder, const char *name,
    gsize most, char **text, gsize * size, GError ** error);
/* Whoever reads @name sees all that was there before, or all of @data. */
gboolean line_folder_save (const LineFolder * folder, const char *name,
    const void *data, gsize size, GError ** error);

/* Writes to the beginning of a file. Returns: FALSE with errno */
gboolean line_folder_put (int fd, const void *data, gsize size);

/* Sees to it that the names in it are on the disk. */
void line_folder_sync (const LineFolder * folder);
/* The same of what was written into a file, and of its name. Returns: FALSE with
 * @error set if there is none */
gboolean line_folder_sync_file (const LineFolder * folder, const char *name,
    GError ** error);

/* The folder for openat() and its relatives */
int line_folder_get_fd (const LineFolder * folder);

/* Says that this process writes the file. It is so until the file is closed, or
 * the process has ended in whatever way. Returns: FALSE if another one does;
 * TRUE also where files have no locks */
gboolean line_folder_claim (int fd);

/* Whether some process has said so. Takes no lock, so that nobody waits. */
gboolean line_folder_is_claimed (int fd);
