/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "fuzz.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <gst/gst.h>

void
fuzz_fail (const char *file, int line, const char *condition,
    const char *format, ...)
{
  va_list args;

  fprintf (stderr, "%s:%d: %s does not hold: ", file, line, condition);
  va_start (args, format);
  vfprintf (stderr, format, args);
  va_end (args);
  fputc ('\n', stderr);
  abort ();
}

void
fuzz_write_file (const char *path, const void *data, size_t size)
{
  FILE *file = fopen (path, "wb");

  FUZZ_CHECK (file && fwrite (data, 1, size, file) == size
      && fclose (file) == 0, "%s", path);
}

/* GLib's own handling of fatal messages ends in a signal that libFuzzer takes
 * no notice of. */
static void
handle_log (const gchar * domain, GLogLevelFlags level, const gchar * message,
    gpointer user_data)
{
  fprintf (stderr, "%s: %s\n", domain ? domain : "log", message);
  if (level & (G_LOG_LEVEL_ERROR | G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING))
    abort ();
}

int
LLVMFuzzerInitialize (int *argc, char ***argv)
{
  g_log_set_default_handler (handle_log, NULL);
  /* no plugins: they take long to load, and are not wanted */
  g_setenv ("GST_REGISTRY_DISABLE", "yes", TRUE);
  g_setenv ("GST_PLUGIN_SYSTEM_PATH_1_0", "", TRUE);
  gst_init (NULL, NULL);
  return 0;
}
