/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "watchdog.h"

#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

/* Seconds without a beat that are a hang: if all threads wait, and if they
 * work, under a sanitizer, too. */
#define MAX_WAIT 20
#define MAX_SILENCE 120
/* Seconds of the processor that threads which poll take in a tenth of a second,
 * while the others wait. */
#define MAX_POLLING .005

static GThread *thread;
static GMutex lock;
static guint32 current_seed;
static gchar *current_line;
static guint beat;
static gboolean is_over;

static gdouble
get_work (void)
{
  struct timespec time = { 0, };

  clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &time);
  return (gdouble) time.tv_sec + (gdouble) time.tv_nsec / 1e9;
}

/* One line: name and what the kernel waits for. */
static void
print_thread (const gchar * id)
{
  static const gchar *const files[] = { "comm", "wchan" };

  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_autofree gchar *path = g_build_filename ("/proc/self/task", id, files[i],
        NULL);
    g_autofree gchar *text = NULL;

    if (g_file_get_contents (path, &text, NULL, NULL))
      g_printerr (" %s", g_strstrip (text));
  }
  g_printerr ("\n");
}

/* Their names are those of pads; with gdb their stacks, too. */
static void
print_threads (void)
{
  g_autofree gchar *pid = g_strdup_printf ("%d", (gint) getpid ());
  gchar *gdb[] = { (gchar *) "gdb", (gchar *) "-batch", (gchar *) "-p", pid,
    (gchar *) "-ex", (gchar *) "thread apply all backtrace", NULL
  };
  GDir *folder = g_dir_open ("/proc/self/task", 0, NULL);
  const gchar *id;

  while (folder && (id = g_dir_read_name (folder)))
    print_thread (id);
  if (folder)
    g_dir_close (folder);
  prctl (PR_SET_PTRACER, PR_SET_PTRACER_ANY, 0, 0, 0);
  g_spawn_sync (NULL, gdb, NULL, G_SPAWN_SEARCH_PATH |
      G_SPAWN_CHILD_INHERITS_STDIN, NULL, NULL, NULL, NULL, NULL, NULL);
}

static void
give_up (void)
{
  g_mutex_lock (&lock);
  g_printerr ("HANGS: seed %u: %s\n", current_seed, current_line);
  print_threads ();
  abort ();
}

guint
watchdog_get_beat (void)
{
  return (guint) g_atomic_int_get ((gint *) &beat);
}

static gpointer
watch (gpointer unused)
{
  gint64 last_beat = g_get_monotonic_time (), last_work = last_beat;
  gdouble work = 0.;
  guint n = 0;

  while (!g_atomic_int_get (&is_over)) {
    const gint64 now = g_get_monotonic_time ();

    if (watchdog_get_beat () != n)
      last_beat = last_work = now;
    if (get_work () - work > MAX_POLLING)
      last_work = now;
    n = watchdog_get_beat ();
    work = get_work ();
    if (now - last_beat > MAX_SILENCE * G_USEC_PER_SEC
        || now - last_work > MAX_WAIT * G_USEC_PER_SEC)
      give_up ();
    g_usleep (G_USEC_PER_SEC / 10);
  }
  return NULL;
}

void
watchdog_start (void)
{
  thread = g_thread_new ("watchdog", watch, NULL);
}

void
watchdog_stop (void)
{
  g_atomic_int_set (&is_over, TRUE);
  g_thread_join (thread);
  g_free (current_line);
}

void
watchdog_begin (guint32 seed, const gchar * line)
{
  g_mutex_lock (&lock);
  current_seed = seed;
  g_free (current_line);
  current_line = g_strdup (line);
  g_mutex_unlock (&lock);
  watchdog_beat ();
}

const gchar *
watchdog_get_line (void)
{
  return current_line;
}

void
watchdog_beat (void)
{
  g_atomic_int_inc ((gint *) &beat);
}
