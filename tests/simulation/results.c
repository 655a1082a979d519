/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "results.h"

#include <stdio.h>
#include <string.h>

#include "disk.h"

#define SECOND G_GINT64_CONSTANT (1000000)

/* What is written is on the disk after so long, if disk and writer are well. */
#define DURABLE (3 * SECOND)

/* After this without a disturbance nothing arrives again. */
#define UNDISTURBED (120 * SECOND)

/* @must: it has to arrive: its bytes were seen in a file
 * @sure_at: when they are on the disk for sure */
typedef struct
{
  gint64 sure_at;
  gboolean is_dropped, must, has_arrived;
} Line;

/* @numbers: of lines, by their hashes
 * @next: the line that is written next, as far as is known; @n_written: of the
 * run, before it
 * @unsure: lines before it are on the disk for sure
 * @repeated: arrivals since @disturbed_at that had arrived before
 * @n_at_cut: lines when power was cut: their files may be shorter since than what
 *     was acknowledged of them, and are then read again */
static struct
{
  guint in_flight;
  GArray *lines;
  GHashTable *numbers;
  guint64 next, n_written, unsure, last_arrived, n_arrived, n_at_cut;
  guint64 highest_piece;
  guint repeated;
  gint64 disturbed_at;
  ResultsCounts counts;
} my;

/* Lines */

static Line *
get_line (guint64 number)
{
  return &g_array_index (my.lines, Line, number);
}

/* FNV-1a, of 64 bits: no two lines of a world have the same. */
static guint64
find_hash (const char *text, gsize size)
{
  guint64 hash = 0xcbf29ce484222325;

  for (gsize i = 0; i < size; i++)
    hash = (hash ^ (guint8) text[i]) * 0x100000001b3;
  return hash;
}

static gboolean
find_number (const char *text, gsize size, guint64 * number)
{
  gpointer found;

  if (!g_hash_table_lookup_extended (my.numbers,
          GSIZE_TO_POINTER (find_hash (text, size)), NULL, &found))
    return FALSE;
  *number = GPOINTER_TO_SIZE (found);
  return TRUE;
}

/* The broker's side */

static void
check_order (guint64 number)
{
  for (guint64 i = my.last_arrived; i < number; i++)
    if (get_line (i)->must && !get_line (i)->has_arrived)
      world_fail ("line %" G_GUINT64_FORMAT " arrives before line %"
          G_GUINT64_FORMAT ", which was written before", number, i);
}

static void
check_repetition (guint64 number)
{
  if (number < my.n_at_cut)
    return;
  if (++my.repeated > my.in_flight)
    world_fail ("%u lines arrive again, and %u are on their way at most",
        my.repeated, my.in_flight);
  if (world_now () - my.disturbed_at > UNDISTURBED)
    world_fail ("line %" G_GUINT64_FORMAT " arrives again for no reason",
        number);
}

void
results_arrived (const char *text, gsize size)
{
  guint64 number;

  my.counts.arrivals++;
  if (!find_number (text, size, &number)) {
    world_fail ("what arrives was never written: %.*s", (int) MIN (size, 60), text);
    return;
  }
  Line *line = get_line (number);
  world_tell ("arrives %" G_GUINT64_FORMAT, number);
  if (line->has_arrived) {
    my.counts.repetitions++;
    check_repetition (number);
    return;
  }
  if (my.n_arrived > 0 && number < my.last_arrived)
    world_fail ("line %" G_GUINT64_FORMAT " arrives first after line %"
        G_GUINT64_FORMAT, number, my.last_arrived);
  check_order (number);
  line->has_arrived = TRUE;
  my.last_arrived = number;
  my.n_arrived++;
}

void
results_disturb (void)
{
  my.disturbed_at = world_now ();
  my.repeated = 0;
}

/* What is on the disk */

static gint64
get_sure_time (void)
{
  return disk_get_faults () ? G_MAXINT64 : world_now () + DURABLE;
}

static void
skip_sure (void)
{
  while (my.unsure < my.lines->len && get_line (my.unsure)->sure_at
      <= world_now ())
    my.unsure++;
}

void
results_put_off (gint64 time)
{
  if (disk_get_faults ())
    time = G_MAXINT64;
  skip_sure ();
  for (guint64 i = my.unsure; i < my.lines->len; i++)
    if (get_line (i)->sure_at > world_now ())
      get_line (i)->sure_at = time;
}

void
results_hold (gint64 time)
{
  skip_sure ();
  for (guint64 i = my.unsure; i < my.lines->len; i++)
    get_line (i)->sure_at = MAX (get_line (i)->sure_at, time);
}

void
results_forget_unsure (gboolean numbers_too)
{
  if (numbers_too)
    my.highest_piece = 0;
  my.n_at_cut = my.lines->len;
  results_put_off (G_MAXINT64);
  for (guint64 i = my.unsure; i < my.lines->len; i++)
    if (get_line (i)->sure_at == G_MAXINT64) {
      get_line (i)->must = FALSE;
      get_line (i)->sure_at = 0;
    }
}

/* The writer writes in order. */
void
results_note_written (guint64 written)
{
  for (; my.n_written < written && my.next < my.lines->len; my.next++) {
    Line *line = get_line (my.next);

    if (line->is_dropped)
      continue;
    line->must = TRUE;
    line->sure_at = get_sure_time ();
    my.n_written++;
  }
}

void
results_append (guint64 piece, const char *text, gsize size)
{
  const guint64 number = my.lines->len;
  const Line line = {.sure_at = G_MAXINT64 };

  g_hash_table_insert (my.numbers, GSIZE_TO_POINTER (find_hash (text, size)),
      GSIZE_TO_POINTER (number));
  if (piece <= my.highest_piece && my.highest_piece > 0)
    world_fail ("piece %" G_GUINT64_FORMAT " has the number of another one",
        piece);
  my.highest_piece = MAX (my.highest_piece, piece);
  my.counts.lines++;
  g_array_append_val (my.lines, line);
}

void
results_drop_last (void)
{
  get_line (my.lines->len - 1)->is_dropped = TRUE;
  my.counts.lost++;
}

void
results_begin_run (void)
{
  my.next = my.lines->len;
  my.n_written = 0;
}

void
results_check_all (void)
{
  for (guint64 i = 0; i < my.lines->len; i++)
    if (get_line (i)->must && !get_line (i)->has_arrived) {
      world_fail ("line %" G_GUINT64_FORMAT " of %u was written and has not "
          "arrived", i, my.lines->len);
      return;
    }
}

ResultsCounts
results_get_counts (void)
{
  return my.counts;
}

void
results_begin (guint in_flight)
{
  memset (&my, 0, sizeof (my));
  my.in_flight = in_flight;
  my.lines = g_array_new (FALSE, TRUE, sizeof (Line));
  my.numbers = g_hash_table_new (NULL, NULL);
}

void
results_end (void)
{
  g_clear_pointer (&my.lines, g_array_unref);
  g_clear_pointer (&my.numbers, g_hash_table_unref);
}
