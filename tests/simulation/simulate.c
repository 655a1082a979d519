/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* simulate: worlds of some hours each in virtual time, each in a process of its own.
 * A world that fails is told with its seed, and again with as few faults as still
 * fail; so it is the same byte for byte whenever it is run. */

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "plant.h"

/* Seconds for runs of a failed world with less faults, at most */
#define PATIENCE 60

/* More than an hour can have: several a second */
#define MOST_FAULTS 100000

/**
 * Outcome:
 *
 * What a world's process tells.
 */
typedef struct
{
  gboolean is_good;
  PlantCounts counts;
  guint64 sum, n_events;
  guint n_faults;
  char failure[512], folder[64];
} Outcome;

static gint hours = 1, length = 1, jobs, minutes;
static gint64 first_seed = -1;
static gboolean is_traced;
static char *only_list;
static const char *world_folder;

static const GOptionEntry options[] = {
  {"seed", 0, 0, G_OPTION_ARG_INT64, &first_seed,
      "Of the first world; the others follow. Else one by the clock", "N"},
  {"hours", 0, 0, G_OPTION_ARG_INT, &hours, "Hours of all worlds together", "H"},
  {"length", 0, 0, G_OPTION_ARG_INT, &length,
      "Hours of a world; in longer ones less goes wrong in an hour (1)", "H"},
  {"minutes", 0, 0, G_OPTION_ARG_INT, &minutes,
      "Instead: as many as can be run in this time", "M"},
  {"jobs", 0, 0, G_OPTION_ARG_INT, &jobs, "At a time; else one a core", "N"},
  {"trace", 0, 0, G_OPTION_ARG_NONE, &is_traced,
      "Print all that happens in the first world", NULL},
  {"only", 0, 0, G_OPTION_ARG_STRING, &only_list,
      "Numbers of the faults that happen in the first world", "A-B,C,..."},
  {NULL}
};

/* GLib's clocks are the world's here. */
static gdouble
get_seconds (clockid_t clock)
{
  struct timespec now;

  clock_gettime (clock, &now);
  return now.tv_sec + now.tv_nsec / 1e9;
}

/* What the product prints is told; the folder has another name each time. */
static void
take_print (const char *text)
{
  const char *at = strstr (text, world_folder);

  world_tell ("prints: %.*s%.*s", (int) (at ? at - text : 0), text,
      (int) strcspn (at ? at + strlen (world_folder) : text, "\n"),
      at ? at + strlen (world_folder) : text);
}

static void
remove_all (const char *folder)
{
  g_autofree char *quoted = g_shell_quote (folder);
  g_autofree char *command = g_strdup_printf ("rm -rf -- %s %s.backups "
      "%s.recipes", quoted, quoted, quoted);

  (void) !system (command);
}

/* A world; in a process of its own */
static void
run_here (guint64 seed, GHashTable * without, gboolean traced, int out)
{
  Outcome outcome = { 0, };
  const char *memory = access ("/dev/shm", W_OK) == 0 ? "/dev/shm" :
      g_get_tmp_dir ();

  /* of one length, whatever the number */
  g_snprintf (outcome.folder, sizeof (outcome.folder), "%s/simulate-%010u",
      memory, (guint) getpid ());
  /* of a process of that number that was killed */
  remove_all (outcome.folder);
  world_folder = outcome.folder;
  g_set_printerr_handler (take_print);
  g_set_print_handler (take_print);
  world_set_traced (traced);
  outcome.is_good = plant_run (seed, (guint) length, outcome.folder, without,
      &outcome.counts);
  if (!outcome.is_good)
    g_strlcpy (outcome.failure, world_get_failure (),
        sizeof (outcome.failure));
  outcome.sum = world_get_sum ();
  outcome.n_events = world_count_events ();
  outcome.n_faults = faults_count ();
  if (traced)
    for (guint i = 0; i < outcome.n_faults; i++) {
      g_autofree char *text = faults_describe (i);

      printf ("fault %u%s: %s\n", i, without && g_hash_table_contains (without,
              GUINT_TO_POINTER (i)) ? " (left out)" : "", text);
    }
  fflush (stdout);
  plant_end ();
  remove_all (outcome.folder);
  (void) !write (out, &outcome, sizeof (outcome));
}

typedef struct
{
  guint64 seed;
  pid_t process;
  int in;
} Job;

static Job
start (guint64 seed, GHashTable * without, gboolean traced)
{
  int ends[2];
  Job job = { seed, -1, -1 };

  if (pipe (ends) != 0)
    g_error ("pipe: %s", g_strerror (errno));
  fflush (stdout);
  job.process = fork ();
  if (job.process == 0) {
    close (ends[0]);
    run_here (seed, without, traced, ends[1]);
    _exit (0);
  }
  close (ends[1]);
  job.in = ends[0];
  return job;
}

/* Waits for it. */
static Outcome
finish (const Job * job)
{
  Outcome outcome = { 0, };
  int status = 0;

  if (read (job->in, &outcome, sizeof (outcome)) != sizeof (outcome)) {
    outcome.is_good = FALSE;
    g_strlcpy (outcome.failure, "the program ended", sizeof (outcome.failure));
  }
  close (job->in);
  while (waitpid (job->process, &status, 0) < 0 && errno == EINTR);
  if (WIFSIGNALED (status)) {
    g_autofree char *folder = g_strdup_printf ("/dev/shm/simulate-%010u",
        (guint) job->process);

    outcome.is_good = FALSE;
    g_snprintf (outcome.failure, sizeof (outcome.failure),
        "the program was ended by signal %d", WTERMSIG (status));
    remove_all (folder);
  }
  return outcome;
}

static Outcome
run_one (guint64 seed, GHashTable * without)
{
  const Job job = start (seed, without, FALSE);

  return finish (&job);
}

/* Leaves out what the failure does not need: halves, quarters, and so on down to
 * single faults. */
static GHashTable *
shrink (guint64 seed, guint n_faults)
{
  GHashTable *without = g_hash_table_new (NULL, NULL);
  const gdouble end = get_seconds (CLOCK_MONOTONIC) + PATIENCE;

  for (guint part = MAX (n_faults / 2, 1); part > 0; part /= 2) {
    for (guint from = 0; from < n_faults
        && get_seconds (CLOCK_MONOTONIC) < end; from += part) {
      g_autoptr (GArray) added = g_array_new (FALSE, FALSE, sizeof (guint));

      for (guint i = from; i < MIN (from + part, n_faults); i++)
        if (g_hash_table_add (without, GUINT_TO_POINTER (i)))
          g_array_append_val (added, i);
      if (added->len == 0)
        continue;
      if (!run_one (seed, without).is_good)
        continue;
      for (guint i = 0; i < added->len; i++)
        g_hash_table_remove (without, GUINT_TO_POINTER (g_array_index (added,
                    guint, i)));
    }
  }
  return without;
}

static char *
list_others (GHashTable * without, guint n_faults)
{
  GString *text = g_string_new (NULL);

  for (guint i = 0, first; i < n_faults; i++) {
    if (g_hash_table_contains (without, GUINT_TO_POINTER (i)))
      continue;
    first = i;
    while (i + 1 < n_faults
        && !g_hash_table_contains (without, GUINT_TO_POINTER (i + 1)))
      i++;
    g_string_append_printf (text, "%s%u", text->len ? "," : "", first);
    if (i > first)
      g_string_append_printf (text, "-%u", i);
  }
  return g_string_free (text, FALSE);
}

static void
report_failure (guint64 seed, const Outcome * outcome)
{
  printf ("seed %" G_GUINT64_FORMAT " fails: %s\n", seed, outcome->failure);
  fflush (stdout);
  g_autoptr (GHashTable) without = shrink (seed, outcome->n_faults);
  g_autofree char *numbers = list_others (without, outcome->n_faults);
  const Outcome least = run_one (seed, without);
  printf ("with %u of its %u faults: %s\n  again: simulate --seed %"
      G_GUINT64_FORMAT " --trace --only '%s'\n", outcome->n_faults -
      g_hash_table_size (without), outcome->n_faults, least.failure, seed,
      numbers);
}

static void
add_counts (PlantCounts * all, const PlantCounts * one)
{
  guint64 *to = (guint64 *) all;
  const guint64 *from = (const guint64 *) one;

  for (guint i = 0; i < sizeof (*all) / sizeof (guint64); i++)
    to[i] += from[i];
}

static void
print_counts (const PlantCounts * all, guint64 n_events)
{
  const struct
  {
    guint64 n;
    const char *what;
  } counts[] = { {all->pieces.decisions, "decisions"},
    {all->pieces.good, "ok"},
    {all->good_slots, "told to the PLC as ok"},
    {all->pieces.looks, "looks"},
    {all->results.arrivals, "lines arrived"},
    {all->results.repetitions, "arrived again"},
    {all->results.lost, "dropped"},
    {all->faults.faults, "faults"},
    {all->faults.power_cuts, "power cuts"},
    {all->processes.kills, "kills"},
    {all->processes.runs, "runs"},
    {all->office.done, "commands done"},
    {all->office.refused, "refused"},
    {all->office.unanswered, "not answered"},
    {all->office.lots, "lots reported whole"},
    {n_events, "events"}
  };

  for (guint i = 0; i < G_N_ELEMENTS (counts); i++)
    printf ("%s%" G_GUINT64_FORMAT " %s", i ? ", " : "", counts[i].n,
        counts[i].what);
  printf ("\n");
}

/* Returns: how many worlds have failed */
static guint
run_all (void)
{
  g_autofree Job *running = g_new0 (Job, jobs);
  PlantCounts all = { 0, };
  guint n_started = 0, n_finished = 0, n_failed = 0;
  guint64 n_events = 0;
  const gdouble begin = get_seconds (CLOCK_MONOTONIC);

  for (;;) {
    const gboolean more = minutes > 0 ? get_seconds (CLOCK_MONOTONIC) - begin <
        60 * minutes : n_started * (guint) length < (guint) hours;

    if (more && n_started - n_finished < (guint) jobs) {
      running[n_started % jobs] = start (first_seed + n_started, NULL, FALSE);
      n_started++;
      continue;
    }
    if (n_finished == n_started)
      break;
    const Job job = running[n_finished++ % jobs];
    const Outcome outcome = finish (&job);
    add_counts (&all, &outcome.counts);
    n_events += outcome.n_events;
    if (!outcome.is_good && ++n_failed <= 3)
      report_failure (job.seed, &outcome);
    if (isatty (STDOUT_FILENO))
      printf ("\r%u hours, %u failed ", n_finished * (guint) length, n_failed);
    fflush (stdout);
  }
  const gdouble seconds = get_seconds (CLOCK_MONOTONIC) - begin;
  printf ("%s%u line hours in %.0f s (%.0f an hour), seeds %" G_GINT64_FORMAT
      " to %" G_GINT64_FORMAT ": %u failed\n", isatty (STDOUT_FILENO) ? "\r" :
      "", n_finished * (guint) length, seconds, n_finished * length * 3600 / seconds,
      first_seed,
      first_seed + n_finished - 1, n_failed);
  print_counts (&all, n_events);
  return n_failed;
}

/* Faults that do not happen, or NULL */
static GHashTable *
find_left_out (void)
{
  GHashTable *without = only_list ? g_hash_table_new (NULL, NULL) : NULL;
  g_auto (GStrv) numbers = g_strsplit (only_list ? only_list : "", ",", -1);

  for (guint i = 0; only_list && i < MOST_FAULTS; i++)
    g_hash_table_add (without, GUINT_TO_POINTER (i));
  for (guint i = 0; numbers[i]; i++) {
    guint first, last;
    const int n = sscanf (numbers[i], "%u-%u", &first, &last);

    for (guint k = first; n > 0 && k <= (n == 2 ? last : first); k++)
      g_hash_table_remove (without, GUINT_TO_POINTER (k));
  }
  return without;
}

static int
run_traced (void)
{
  GHashTable *without = find_left_out ();
  const Job job = start (first_seed, without, is_traced);
  const Outcome outcome = finish (&job);

  printf ("seed %" G_GINT64_FORMAT ": %s%s; sum %016" G_GINT64_MODIFIER "x of %"
      G_GUINT64_FORMAT " events\n", first_seed, outcome.is_good ? "good" :
      "fails: ", outcome.failure, outcome.sum, outcome.n_events);
  g_clear_pointer (&without, g_hash_table_unref);
  return !outcome.is_good;
}

int
main (int argc, char **argv)
{
  g_autoptr (GOptionContext) context = g_option_context_new ("");
  g_autoptr (GError) error = NULL;

  /* addresses are the same each time */
  if (personality (ADDR_NO_RANDOMIZE) >= 0 && !g_getenv ("SIMULATE_AGAIN")) {
    g_setenv ("SIMULATE_AGAIN", "1", TRUE);
    execv ("/proc/self/exe", argv);
  }
  g_option_context_add_main_entries (context, options, NULL);
  if (!g_option_context_parse (context, &argc, &argv, &error)) {
    fprintf (stderr, "simulate: %s\n", error->message);
    return 2;
  }
  if (first_seed < 0)
    first_seed = (gint64) get_seconds (CLOCK_REALTIME) * 1000;
  length = CLAMP (length, 1, 24);
  jobs = jobs > 0 ? jobs : (gint) g_get_num_processors ();
  return is_traced || only_list ? run_traced () : run_all () > 0;
}
