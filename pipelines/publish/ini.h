/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Files larger than this are refused, and those of more lines: names can be
 * chosen so that a hash table is no faster than a list. */
#define LINE_INI_MAX (1 << 20)
#define LINE_INI_LINES 20000

/* Problems that are told; of more than these, how many more there are */
#define LINE_INI_PROBLEMS 20

/* Parts between semicolons, at most */
#define LINE_INI_LIST 128

#define LINE_ERROR (line_error_quark ())
GQuark line_error_quark (void);

/**
 * LineError:
 * @LINE_ERROR_FILE: a file cannot be read or written
 * @LINE_ERROR_INVALID: what a file or the command line says is wrong
 * @LINE_ERROR_RUN: the line cannot run, or not go on
 * @LINE_ERROR_STOPPED: something is not waited for, for the line stops
 */
typedef enum
{
  LINE_ERROR_FILE,
  LINE_ERROR_INVALID,
  LINE_ERROR_RUN,
  LINE_ERROR_STOPPED,
} LineError;

/* Sets @error, if it is not NULL. Returns: FALSE */
gboolean line_fail (GError ** error, LineError code, const char *format, ...)
    G_GNUC_PRINTF (3, 4);

/**
 * LineIni:
 *
 * A key file (#GKeyFile) that knows the line of each key, and collects what is
 * wrong with it instead of stopping at the first. Takes a time that grows with
 * the file's size only. No value has control characters.
 */
typedef struct _LineIni LineIni;

/* What names of files that are part of the program begin with */
#define LINE_INI_RESOURCE "resource://"

/* Reads a file: a regular one of at most 1 MiB, or a part of the program.
 * @text: to be freed */
gboolean line_ini_load (const char *path, char **text, gsize * size,
    GError ** error);

/* @name: of the file, for messages. @text: its @size bytes, any. Never fails:
 * problems are in what line_ini_check() says. */
LineIni *line_ini_new (const char *name, const char *text, gsize size);
void line_ini_free (LineIni * ini);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (LineIni, line_ini_free)

/* Adds "NAME:LINE: TEXT" to the problems, TEXT by line_message_text(). The line is that of @key, without it
 * or where the file lacks it that of @group, else 1. What is there already is
 * not added again. */
void line_ini_problem (LineIni * ini, const char *group, const char *key,
    const char *format, ...) G_GNUC_PRINTF (4, 5);

/* Adds problems for groups and keys that nothing has asked for. Returns: FALSE
 * with @error set to all problems, a line each, if there are any */
gboolean line_ini_check (LineIni * ini, GError ** error);

/* The same of the problems that there are. */
gboolean line_ini_tell (LineIni * ini, GError ** error);

/* The groups in the order of the file. */
const char *const *line_ini_groups (LineIni * ini);

/* NAME if @group is "@kind NAME", after which @group counts as known, else
 * NULL. */
const char *line_ini_group_name (LineIni * ini, const char *group,
    const char *kind);

/* The keys of @group in the order of the file, to be freed by g_strfreev(). */
char **line_ini_keys (LineIni * ini, const char *group);

gboolean line_ini_has_group (LineIni * ini, const char *group);
gboolean line_ini_has (LineIni * ini, const char *group, const char *key);

/* @fallback: NULL if the key must be there. To be freed; never NULL. */
char *line_ini_string (LineIni * ini, const char *group, const char *key,
    const char *fallback);

/* Names between semicolons, at most LINE_INI_LIST; empty if the key is missing.
 * To be freed by g_strfreev(). */
char **line_ini_list (LineIni * ini, const char *group, const char *key);

/* A number from @min to @max; @fallback (NaN: the key must be there) also if it
 * is wrong, which is a problem. */
gdouble line_ini_number (LineIni * ini, const char *group, const char *key,
    gdouble min, gdouble max, gdouble fallback);
/* The same, whole; a negative @fallback below @min: the key must be there. */
gint64 line_ini_integer (LineIni * ini, const char *group, const char *key,
    gint64 min, gint64 max, gint64 fallback);

/* true or false */
gboolean line_ini_boolean (LineIni * ini, const char *group, const char *key,
    gboolean fallback);

/* The index of @word in @words, which ends with NULL; -1 if it is not there. */
gint line_ini_find (const char *const *words, const char *word);
