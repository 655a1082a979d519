/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* fruit-line COMMAND: see docs/fruit-line.md */

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __GLIBC__
#include <malloc.h>
#endif

#include <gst/gst.h>

#include "calibrate_main.h"
#include "publish/message.h"
#include "publish_main.h"
#include "replay_main.h"
#include "run_main.h"

static const char usage[] =
    "fruit-line --simulate          a simulated line for a minute, and how "
    "often it was right\n"
    "fruit-line run CONFIG          a line, until its sources end or SIGTERM "
    "comes\n"
    "fruit-line check CONFIG        look for errors in CONFIG and its recipe\n"
    "fruit-line replay FOLDER       decide a recorded run again, and compare\n"
    "fruit-line calibrate CONFIG LANE PICTURE\n"
    "                               scale and cups from a picture of balls of "
    "known size\n"
    "fruit-line publish CONFIG      send decisions to a broker, until SIGTERM "
    "comes\n"
    "fruit-line --version           the version\n"
    "CONFIG is a file such as line1.ini (installed in "
    "share/cudashapes/fruit-line);\nfruit-line.md explains it. "
    "fruit-line COMMAND --help tells a command's options.\n";

typedef struct
{
  const char *name;
  int (*run) (int argc, char **argv);
} Command;

static const Command commands[] = {
  {"--simulate", line_simulate_main},
  {"run", line_run_main},
  {"check", line_check_main},
  {"replay", line_replay_main},
  {"calibrate", line_calibrate_main},
  {"publish", line_publish_main},
};

/* Bytes from which on memory is the system's own, and is given back */
#define LARGE (128 << 10)

/* Threads allocate what others free, for months. Of many arenas each keeps what
 * is left in between, and a threshold that grows keeps large blocks, too. */
static void
limit_memory (void)
{
#ifdef __GLIBC__
  mallopt (M_ARENA_MAX, 2);
  mallopt (M_MMAP_THRESHOLD, LARGE);
  mallopt (M_TRIM_THRESHOLD, LARGE);
#endif
}

int
main (int argc, char **argv)
{
  gboolean is_help = argc == 2 && strcmp (argv[1], "--help") == 0;

  limit_memory ();
  line_message_guard ();
  /* a child that has gone and a full disk are errors, no reasons to end */
  signal (SIGPIPE, SIG_IGN);
  signal (SIGXFSZ, SIG_IGN);
  for (guint i = 0; argc > 1 && i < G_N_ELEMENTS (commands); i++)
    if (strcmp (argv[1], commands[i].name) == 0) {
      /* What its help calls it */
      g_autofree char *name = g_strconcat ("fruit-line ", argv[1], NULL);

      g_set_prgname (name);
      return commands[i].run (argc - 1, argv + 1);
    }
  if (argc == 2 && strcmp (argv[1], "--version") == 0) {
    puts ("fruit-line " PACKAGE_VERSION);
    return EXIT_SUCCESS;
  }
  fputs (usage, is_help ? stdout : stderr);
  return is_help ? EXIT_SUCCESS : 2;
}
