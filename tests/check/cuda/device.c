/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Machines whose driver is missing, broken, without devices, or fails to start
 * are imitated for a child process by a libcuda.so.1 on LD_LIBRARY_PATH. */

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gio/gio.h>
#include <glib/gstdio.h>

#include "../lib/suite.h"

#define CHILD_TIMEOUT (60 * G_USEC_PER_SEC)

typedef struct
{
  GSubprocess *process;
  gint done;
} Watch;

/* Ends the child when it hangs; the test then sees a signal. */
static gpointer
watch_child (gpointer data)
{
  Watch *watch = data;
  const gint64 end = g_get_monotonic_time () + CHILD_TIMEOUT;

  while (!g_atomic_int_get (&watch->done)) {
    if (g_get_monotonic_time () > end) {
      g_subprocess_force_exit (watch->process);
      break;
    }
    g_usleep (20000);
  }
  return NULL;
}

/* What the probe program prints with @library as the driver, in a folder of its
 * own; %NULL for an ordinary machine. */
static gchar *
run_probe (const gchar * library, const gchar * argument)
{
  GSubprocessLauncher *launcher =
      g_subprocess_launcher_new (G_SUBPROCESS_FLAGS_STDOUT_PIPE);
  gchar *folder = NULL, *link = NULL, *output = NULL;
  Watch watch = { NULL, 0 };
  GError *error = NULL;

  if (library) {
    const gchar *old = g_getenv ("LD_LIBRARY_PATH");

    folder = g_dir_make_tmp ("fakecuda-XXXXXX", &error);
    g_assert_no_error (error);
    link = g_build_filename (folder, "libcuda.so.1", NULL);
    fail_unless (symlink (library, link) == 0);
    g_autofree gchar *path = old ? g_strconcat (folder, ":", old, NULL)
        : g_strdup (folder);
    g_subprocess_launcher_setenv (launcher, "LD_LIBRARY_PATH", path, TRUE);
  }
  watch.process = g_subprocess_launcher_spawn (launcher, &error,
      g_getenv ("PROBE"), argument, NULL);
  g_assert_no_error (error);
  GThread *thread = g_thread_new ("watch", watch_child, &watch);
  fail_unless (g_subprocess_communicate_utf8 (watch.process, NULL, NULL,
          &output, NULL, &error));
  g_atomic_int_set (&watch.done, 1);
  g_thread_join (thread);
  fail_unless (g_subprocess_get_if_exited (watch.process),
      "the child was ended by signal %d: %s",
      g_subprocess_get_term_sig (watch.process), output);
  fail_unless_equals_int (g_subprocess_get_exit_status (watch.process), 0);

  g_object_unref (watch.process);
  g_object_unref (launcher);
  if (folder) {
    g_unlink (link);
    g_rmdir (folder);
  }
  g_free (link);
  g_free (folder);
  return output;
}

static void
assert_no_gpu (const gchar * library, const gchar * reason)
{
  g_autofree gchar *output = run_probe (library, "probe");

  fail_unless (g_str_has_prefix (output, "devices=0 reason="), "%s", output);
#ifdef HAVE_CUDA
  fail_unless (strstr (output, reason) != NULL, "%s", output);
#endif
}

/* With an element: auto runs on the CPU (2), cuda is a clear error, and
 * nothing hangs or aborts. */
static void
assert_fallback (const gchar * library)
{
  g_autofree gchar *output = run_probe (library, "element");
  g_autofree gchar *not_found = g_strdup_printf ("backend=cuda fails: "
      "gst-resource-error-quark %d", GST_RESOURCE_ERROR_NOT_FOUND);

  fail_unless (strstr (output, "backend=auto runs on 2") != NULL, "%s", output);
  fail_unless (strstr (output, not_found) != NULL, "%s", output);
  fail_unless (strstr (output, "backend=cpu runs on 2") != NULL, "%s", output);
}

TEST (a_driver_that_fails_to_start_is_no_gpu)
{
  assert_no_gpu (g_getenv ("FAKE_FAILS"), "does not start");
  assert_no_gpu (g_getenv ("FAKE_FAILS"), "error 999");
}

TEST (a_driver_without_devices_is_no_gpu)
{
  assert_no_gpu (g_getenv ("FAKE_EMPTY"), "lists no GPU");
}

TEST (a_driver_that_lacks_functions_is_no_gpu)
{
  assert_no_gpu (g_getenv ("FAKE_BROKEN"), "cannot be loaded");
#ifndef HAVE_GSTCUDA
  assert_no_gpu (g_getenv ("FAKE_BROKEN"), "it lacks cuGetErrorName()");
#endif
}

TEST (a_driver_older_than_the_runtime_is_no_gpu)
{
  assert_no_gpu (g_getenv ("FAKE_OLD"), g_getenv ("OLD_DRIVER"));
  assert_no_gpu (g_getenv ("FAKE_OLD"), "install a driver for CUDA ");
}

TEST (a_driver_that_is_no_library_is_no_gpu)
{
  assert_no_gpu ("/dev/null", "cannot be loaded");
}

TEST (this_machine_answers)
{
  g_autofree gchar *output = run_probe (NULL, "probe");

  fail_unless (g_str_has_prefix (output, "devices="), "%s", output);
}

TEST_IF (g_getenv ("PROBE_ELEMENTS"), elements_fall_back_when_the_driver_fails_to_start)
{
  assert_fallback (g_getenv ("FAKE_FAILS"));
}

TEST_IF (g_getenv ("PROBE_ELEMENTS"), elements_fall_back_when_there_are_no_devices)
{
  assert_fallback (g_getenv ("FAKE_EMPTY"));
}

TEST_IF (g_getenv ("PROBE_ELEMENTS"), elements_name_a_driver_older_than_the_runtime)
{
  assert_fallback (g_getenv ("FAKE_OLD"));
#ifdef HAVE_CUDA
  g_autofree gchar *output = run_probe (g_getenv ("FAKE_OLD"), "element");
  const gchar *failure = strstr (output, "backend=cuda fails: ");

  fail_unless (failure && strstr (failure, g_getenv ("OLD_DRIVER")), "%s",
      output);
#endif
}

TEST_IF (g_getenv ("PROBE_ELEMENTS"), elements_fall_back_when_there_is_no_driver)
{
  assert_fallback ("/dev/null");
}

SUITE (device)
{
  tcase_set_timeout (tcase, 120);
}
