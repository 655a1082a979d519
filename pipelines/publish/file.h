/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <stdio.h>

#include <sys/stat.h>

#include <glib.h>

/* Files that are read from the beginning on. What is none is refused: a pipe
 * could block for ever, a device never end. For files that are read at once
 * there is gst_shapes_file_load(). */

/* @status: (out): of the open file. Returns: its descriptor, or -1 with @error
 * set (LINE_ERROR_FILE) that names @path */
int line_file_open (const char *path, struct stat *status, GError ** error);

/* Returns: NULL with @error set as before */
FILE *line_file_open_stream (const char *path, GError ** error);

/* Reads a line into @line, with its newline, if it has one. Reads no more than
 * @longest + 1 bytes: a line of so many is too long. Returns: FALSE at the end,
 * or after an error of @file */
gboolean line_file_read_line (FILE * file, gsize longest, GString * line);
