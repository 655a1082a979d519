/* SPDX-License-Identifier: LGPL-2.1-or-later */
#define _GNU_SOURCE
#include "fuzz_file.h"

#include <sys/mman.h>
#include <unistd.h>

const gchar *
fuzz_file_write (const uint8_t * data, size_t size)
{
  static gchar path[64];
  static int file = -1;

  if (file < 0) {
    file = memfd_create ("fuzz", 0);
    FUZZ_CHECK (file >= 0, "no file in memory");
    g_snprintf (path, sizeof (path), "/proc/self/fd/%d", file);
  }
  FUZZ_CHECK (ftruncate (file, (off_t) size) == 0, "%zu bytes", size);
  FUZZ_CHECK (size == 0 || pwrite (file, data, size, 0) == (ssize_t) size,
      "%zu bytes are not written", size);
  return path;
}
