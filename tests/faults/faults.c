/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Fault injection, as SQLite's: a short pipeline of each element runs with the
 * first fallible operation failing, then the second one, and so on, until a run
 * ends before the failure is reached; then again with all operations failing
 * from there on. Each run must end with an error message, or output the frames
 * of a run without a fault, except for those counted as dropped. The next run
 * in the same process, without a fault, must output all of them.
 *
 * With CUDA, pipelines with a single failure share a persistent context: the
 * GPU's memory use must not grow over a case. With repeated failures, each
 * pipeline has a context of its own.
 *
 *   faults [--backend NAME] [--kernels] [--beside] [--once] [CASE...]
 *
 * --beside: other programs use the GPU, so its memory is not compared.
 * --once: single failures only, which on a GPU need no context each.
 * FAULTS_PART=I/N in the environment: every Nth fault, from number I on, 1 to N,
 * so that N runs have them all.
 * --kernels lists the kernels that were never launched, with the CUDA mock. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "device.h"
#include "run.h"

/* AddressSanitizer's, where it is there. */
extern int __lsan_do_recoverable_leak_check (void) __attribute__ ((weak));
extern void __lsan_disable (void) __attribute__ ((weak));
extern void __lsan_enable (void) __attribute__ ((weak));

/* More operations than any case has, to detect cases that never end. */
#define MAX_FAULTS 20000
/* Problems are told so often. */
#define MAX_TOLD 20

typedef struct
{
  guint n_injected, n_errors, n_dropped, n_same;
} Counts;

static guint n_problems;
static gboolean is_beside, is_once;
static guint part = 1, n_parts = 1;

static void
problem (const Case * c, FaultMode mode, guint n, const gchar * what)
{
  if (n_problems++ < MAX_TOLD)
    g_printerr ("FAILED: %s, fault %u%s at %s: %s\n", c->name, n,
        mode == FAULT_FROM ? " and after" : "", fault_place (), what);
}

/* Whether @out is @all without those of @dropped frames. */
static gboolean
is_part (const Case * c, const GPtrArray * out, const GPtrArray * all,
    guint64 dropped)
{
  guint i, k = 0;

  if (out->len + dropped * MAX (1, c->n_frames) != all->len)
    return FALSE;
  if (c->is_document && dropped > 0)
    return TRUE;
  for (i = 0; i < all->len && k < out->len; i++)
    k += g_strcmp0 (g_ptr_array_index (out, k),
        g_ptr_array_index (all, i)) == 0;
  return k == out->len;
}

static void
judge (const Case * c, FaultMode mode, guint n, const Outcome * outcome,
    const Outcome * all, Counts * counts)
{
  if (!outcome->ended) {
    problem (c, mode, n, "the pipeline hangs");
  } else if (outcome->error) {
    counts->n_errors++;
    if (outcome->error[0] == '\0')
      problem (c, mode, n, "the error message is empty");
  } else if (!is_part (c, outcome->out, all->out, outcome->dropped)) {
    problem (c, mode, n, "frames are missing, or other ones");
  } else if (outcome->dropped > 0) {
    counts->n_dropped++;
  } else {
    counts->n_same++;
  }
}

static void
check_next (const Case * c, FaultMode mode, guint n, const Outcome * all)
{
  g_autofree gchar *place = g_strdup (fault_place ());

  fault_set (FAULT_ONCE, 0);
  Outcome next = run_case (c, mode == FAULT_ONCE);
  if (!next.ended || next.error || !is_part (c, next.out, all->out, 0)) {
    g_autofree gchar *what =
        g_strdup_printf ("after %s the next pipeline fails: %s",
        place, next.error ? next.error : "other frames, or none");

    problem (c, mode, n, what);
  }
  outcome_clear (&next);
}

static void
inject (const Case * c, FaultMode mode, const Outcome * all, Counts * counts)
{
  guint n;

  for (n = part; n < MAX_FAULTS && n_problems < MAX_TOLD; n += n_parts) {
    fault_set (mode, n);
    Outcome outcome = run_case (c, mode == FAULT_ONCE);
    gboolean hit = fault_count_failed () > 0;
    judge (c, mode, n, &outcome, all, counts);
    outcome_clear (&outcome);
    if (!hit) {
      /* that was none */
      counts->n_same--;
      return;
    }
    counts->n_injected++;
    check_next (c, mode, n, all);
  }
  problem (c, mode, n, "there is no end of faults");
}

/* Of the GPU's memory; what another thread still has is waited for. */
static void
check_used (const Case * c, guint64 before)
{
  const gint64 end = g_get_monotonic_time () + 5 * G_TIME_SPAN_SECOND;
  guint64 after;

  if (is_beside)
    return;
  while ((after = device_get_used ()) > before + device_get_allowance () &&
      g_get_monotonic_time () < end)
    g_usleep (10000);
  if (after <= before + device_get_allowance ())
    return;
  gchar *what = g_strdup_printf ("memory of the GPU leaks: %" G_GUINT64_FORMAT
      " in use, before it was %" G_GUINT64_FORMAT, after, before);
  problem (c, FAULT_ONCE, 0, what);
  g_free (what);
}

static void
check_case (const Case * c)
{
  const gint64 begin = g_get_monotonic_time ();
  const guint n_left = device_count_left ();
  Counts counts = { 0, };
  guint mode;

  fault_set (FAULT_ONCE, 0);
  Outcome all = run_case (c, TRUE);
  guint64 used = device_get_used ();
  if (!all.ended || all.error || all.out->len == 0 || fault_count () == 0)
    problem (c, FAULT_ONCE, 0, all.error ? all.error : "the case does not run");
  for (mode = 0; mode < (is_once ? 1 : N_FAULT_MODES) && n_problems < MAX_TOLD; mode++)
    inject (c, mode, &all, &counts);
  outcome_clear (&all);
  check_used (c, used);
  if (device_count_left () > n_left)
    problem (c, FAULT_ONCE, 0, "objects are left in contexts that end");
  if (__lsan_do_recoverable_leak_check && __lsan_do_recoverable_leak_check ())
    problem (c, FAULT_ONCE, 0, "memory leaks");
  g_print ("%-22s %5u faults: %u errors, %u dropped frames, %u as if nothing "
      "had been; %.1f s\n", c->name, counts.n_injected, counts.n_errors,
      counts.n_dropped, counts.n_same,
      (g_get_monotonic_time () - begin) / 1e6);
}

static gboolean
read_part (void)
{
  const gchar *text = g_getenv ("FAULTS_PART");

  return !text || (sscanf (text, "%u/%u", &part, &n_parts) == 2
      && part >= 1 && part <= n_parts);
}

static gboolean
is_wanted (const Case * c, char **names)
{
  if (!names[0])
    return TRUE;
  for (; *names; names++)
    if (strcmp (c->name, *names) == 0)
      return TRUE;
  return FALSE;
}

int
main (int argc, char **argv)
{
  const gchar *backend = "cpu";
  gboolean kernels = FALSE;
  char **names = argv + 1;

  /* loads every plugin, and some leak */
  if (__lsan_disable)
    __lsan_disable ();
  gst_init (NULL, NULL);
  if (__lsan_enable)
    __lsan_enable ();
  if (names[0] && names[1] && strcmp (names[0], "--backend") == 0) {
    backend = names[1];
    names += 2;
  }
  for (; names[0] && g_str_has_prefix (names[0], "--"); names++) {
    kernels |= strcmp (names[0], "--kernels") == 0;
    is_beside |= strcmp (names[0], "--beside") == 0;
    is_once |= strcmp (names[0], "--once") == 0;
  }
  if (!read_part ()) {
    g_printerr ("FAULTS_PART is I/N, I from 1 to N\n");
    return 1;
  }
  if (strcmp (backend, "cuda") == 0 && !device_open ())
    return 77;
  guint n = cases_init (backend);
  for (guint i = 0; i < n; i++)
    if (is_wanted (cases_get (i), names))
      check_case (cases_get (i));
  cases_clear ();
  if (strcmp (backend, "cuda") == 0)
    device_print_kernels (kernels);
  device_close ();
  g_print ("%u places of the code have failed, %u problems\n",
      fault_count_places (), n_problems);
  return n_problems > 0;
}
