/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "file.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "ini.h"

int
line_file_open (const char *path, struct stat *status, GError ** error)
{
  /* without a wait for a pipe's other end, and not as our terminal */
  int fd = open (path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

  if (fd < 0 || fstat (fd, status) != 0) {
    line_fail (error, LINE_ERROR_FILE, "%s: %s", path, g_strerror (errno));
  } else if (!S_ISREG (status->st_mode)) {
    line_fail (error, LINE_ERROR_FILE, "%s: this is a device, a pipe or a "
        "folder; only regular files are read: copy it to one", path);
  } else {
    return fd;
  }
  if (fd >= 0)
    close (fd);
  return -1;
}

FILE *
line_file_open_stream (const char *path, GError ** error)
{
  struct stat status;
  const int fd = line_file_open (path, &status, error);
  FILE *file = fd >= 0 ? fdopen (fd, "rb") : NULL;

  if (fd >= 0 && !file) {
    line_fail (error, LINE_ERROR_FILE, "%s: %s", path, g_strerror (errno));
    close (fd);
  }
  return file;
}

gboolean
line_file_read_line (FILE * file, gsize longest, GString * line)
{
  int c;

  g_string_truncate (line, 0);
  do {
    c = getc_unlocked (file);
    if (c != EOF)
      g_string_append_c (line, (char) c);
  } while (c != EOF && c != '\n' && line->len <= longest);
  return line->len > 0 && !ferror (file);
}
