/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "process.h"

#include <string.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

#include "metrics.h"

/* Fields of /proc/self/stat behind the name, counted from 0; proc(5) */
#define STAT_THREADS 17
#define STAT_START 19

static void
read_stat (LineProcess * process)
{
  g_autofree char *text = NULL;

  if (!g_file_get_contents ("/proc/self/stat", &text, NULL, NULL))
    return;
  /* the name may have blanks and parentheses */
  const char *end = strrchr (text, ')');
  g_auto (GStrv) fields = g_strsplit (end && end[1] ? end + 2 : "", " ", -1);
  if (g_strv_length (fields) > STAT_START) {
    const gdouble start = g_ascii_strtod (fields[STAT_START], NULL)
        / sysconf (_SC_CLK_TCK);
    struct timespec now;

    /* since the machine started, as the kernel counts it */
    clock_gettime (CLOCK_BOOTTIME, &now);
    process->threads = g_ascii_strtoull (fields[STAT_THREADS], NULL, 10);
    process->start_s = g_get_real_time () / 1e6
        - (now.tv_sec + now.tv_nsec / 1e9 - start);
  }
}

static void
read_memory (LineProcess * process)
{
  const guint64 page = sysconf (_SC_PAGESIZE);
  g_autofree char *text = NULL;
  char *end;

  if (!g_file_get_contents ("/proc/self/statm", &text, NULL, NULL))
    return;
  process->size = g_ascii_strtoull (text, &end, 10) * page;
  process->resident = g_ascii_strtoull (end, NULL, 10) * page;
}

static guint
count_descriptors (void)
{
  g_autoptr (GDir) folder = g_dir_open ("/proc/self/fd", 0, NULL);
  guint n = 0;

  if (!folder)
    return 0;
  while (g_dir_read_name (folder))
    n++;
  /* one was the folder's */
  return n - 1;
}

void
line_process_read (LineProcess * process)
{
  struct timespec cpu;
  struct rlimit limit;

  memset (process, 0, sizeof (*process));
  read_stat (process);
  read_memory (process);
  process->descriptors = count_descriptors ();
  if (getrlimit (RLIMIT_NOFILE, &limit) == 0)
    process->most_descriptors = MIN (limit.rlim_cur, G_MAXUINT);
  if (clock_gettime (CLOCK_PROCESS_CPUTIME_ID, &cpu) == 0)
    process->cpu_s = cpu.tv_sec + cpu.tv_nsec / 1e9;
}

void
line_process_append_metrics (GString * text)
{
  LineProcess process;

  line_process_read (&process);
  line_metrics_number (text, "process_cpu_seconds_total", "counter",
      "Processors' time that it has had, of user and system, in seconds.",
      "%.3f", process.cpu_s);
  line_metrics_number (text, "process_open_fds", "gauge", "Open file "
      "descriptors.", "%.0f", process.descriptors);
  line_metrics_number (text, "process_max_fds", "gauge", "File descriptors "
      "that may be open.", "%.0f", process.most_descriptors);
  line_metrics_number (text, "process_resident_memory_bytes", "gauge", "Memory "
      "in RAM, in bytes.", "%.0f", process.resident);
  line_metrics_number (text, "process_virtual_memory_bytes", "gauge", "Address "
      "space, in bytes.", "%.0f", process.size);
  line_metrics_number (text, "process_start_time_seconds", "gauge", "When it "
      "was started, in seconds since 1970.", "%.2f", process.start_s);
  line_metrics_number (text, "process_threads", "gauge", "Threads.", "%.0f",
      process.threads);
}
