/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "lot_counts.h"

#include <string.h>

/* Microseconds after which a lot that has ended is written */
#define WRITTEN (20 * G_USEC_PER_SEC)

/* @counts: by what is counted
 * @touched_at: when it was asked for, or has got a piece
 * @is_excused: its report may say that it is not whole */
typedef struct
{
  char *name;
  GHashTable *counts;
  gint64 touched_at;
  gboolean is_excused;
} Lot;

static struct
{
  char *folder;
  GPtrArray *lots;
  Lot run;
  guint latest;
} my;

static Lot *
get_lot (guint lot)
{
  return my.lots->pdata[lot - 1];
}

static GHashTable *
make_counts (void)
{
  return g_hash_table_new_full (g_str_hash, g_str_equal, g_free, NULL);
}

static void
free_lot (gpointer data)
{
  Lot *lot = data;

  g_hash_table_unref (lot->counts);
  g_free (lot->name);
  g_free (lot);
}

const char *
lot_counts_add (void)
{
  Lot *lot = g_new0 (Lot, 1);

  lot->name = g_strdup_printf ("lot%u", my.lots->len + 1);
  lot->counts = make_counts ();
  lot->touched_at = world_now ();
  g_ptr_array_add (my.lots, lot);
  return lot->name;
}

guint
lot_counts_get_last (void)
{
  return my.lots->len;
}

const char *
lot_counts_get_name (guint lot)
{
  return get_lot (lot)->name;
}

gint
lot_counts_find (const char *name)
{
  for (guint i = my.lots->len; name && i > 0; i--)
    if (strcmp (get_lot (i)->name, name) == 0)
      return (gint) i;
  return name ? -1 : 0;
}

/* Counting */

static guint64
get_count (GHashTable * counts, const char *what)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (counts, what));
}

static void
count (GHashTable * counts, const char *kind, const char *what, guint64 n)
{
  g_autofree char *key = g_strconcat (kind, what, NULL);
  const guint64 sum = get_count (counts, key) + n;

  if (n > 0)
    g_hash_table_insert (counts, g_steal_pointer (&key),
        GSIZE_TO_POINTER (sum));
}

static const char *
get_text (const json_t * object, const char *name)
{
  const char *text = json_string_value (json_object_get (object, name));

  return text ? text : "";
}

static void
count_looks (GHashTable * counts, const json_t * views)
{
  const json_t *view;
  gsize i;

  json_array_foreach (views, i, view) {
    const char *lost = json_string_value (json_object_get (view, "lost"));

    count (counts, "looks", "", 1);
    if (!json_is_true (json_object_get (view, "ok")))
      count (counts, "lost ", lost ? lost : "late", 1);
  }
}

static void
take (GHashTable * counts, const json_t * decision)
{
  const gint64 outlet = json_integer_value (json_object_get (decision,
          "outlet"));
  g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT, outlet);
  const json_t *doubt;
  gsize i;

  count (counts, "pieces", "", 1);
  count (counts, "outlet ", name, 1);
  count (counts, "status ", get_text (decision, "status"), 1);
  json_array_foreach (json_object_get (decision, "doubts"), i, doubt)
      count (counts, "doubt ", json_string_value (doubt), 1);
  count_looks (counts, json_object_get (decision, "views"));
}

void
lot_counts_take (guint number, const json_t * decision)
{
  my.latest = MAX (my.latest, number);
  get_lot (number)->touched_at = world_now ();
  take (get_lot (number)->counts, decision);
}

void
lot_counts_begin_run (void)
{
  g_hash_table_remove_all (my.run.counts);
}

void
lot_counts_take_of_run (const json_t * decision)
{
  take (my.run.counts, decision);
}

/* One has pieces, and one more may be about to begin; what has ended just now may
 * not be written yet. */
void
lot_counts_excuse (void)
{
  for (guint i = my.lots->len; i > 0; i--)
    if (i >= my.latest || get_lot (i)->touched_at > world_now () - WRITTEN)
      get_lot (i)->is_excused = TRUE;
}

/* Reports */

static void
read_counts (GHashTable * counts, const char *kind, json_t * object)
{
  const char *name;
  json_t *value;

  json_object_foreach (object, name, value)
      count (counts, kind, name, (guint64) json_integer_value (value));
}

static GHashTable *
read_report (const json_t * report)
{
  GHashTable *counts = make_counts ();
  const json_t *cell;
  gsize i;

  count (counts, "pieces", "", (guint64) json_integer_value (json_object_get
          (report, "pieces")));
  count (counts, "looks", "", (guint64) json_integer_value (json_object_get
          (report, "looks")));
  read_counts (counts, "status ", json_object_get (report, "statuses"));
  read_counts (counts, "doubt ", json_object_get (report, "doubts"));
  read_counts (counts, "lost ", json_object_get (report, "looks_lost"));
  json_array_foreach (json_object_get (report, "outlets"), i, cell) {
    g_autofree char *name = g_strdup_printf ("%" G_GINT64_FORMAT,
        (gint64) json_integer_value (json_object_get (cell, "outlet")));

    count (counts, "outlet ", name, (guint64) json_integer_value
        (json_object_get (cell, "pieces")));
  }
  return counts;
}

/* Whatever is in one of them */
static void
compare (const Lot * lot, GHashTable * told, gboolean is_whole)
{
  GHashTable *const both[] = { lot->counts, told };
  GHashTableIter iter;
  gpointer key;

  for (guint i = 0; i < 2; i++) {
    g_hash_table_iter_init (&iter, both[i]);
    while (g_hash_table_iter_next (&iter, &key, NULL)) {
      const guint64 is = get_count (lot->counts, key);
      const guint64 says = get_count (told, key);

      if (says > is || (is_whole && says < is))
        world_fail ("the report of %s%s says %s: %" G_GUINT64_FORMAT ", and "
            "there were %" G_GUINT64_FORMAT, lot->name, is_whole ?
            ", which is whole," : "", (const char *) key, says, is);
    }
  }
}

static gboolean
check_report (const Lot * lot)
{
  g_autofree char *path = g_strdup_printf ("%s/lots/%s.json", my.folder,
      lot->name);
  json_error_t error;
  json_auto_t *report = json_load_file (path, 0, &error);
  const gboolean is_whole = json_is_true (json_object_get (report, "whole"));

  if (!report) {
    if (!lot->is_excused && g_hash_table_size (lot->counts) > 0)
      world_fail ("there is no report of %s: %s", lot->name, error.text);
    return FALSE;
  }
  if (json_is_true (json_object_get (report, "running")))
    world_fail ("the report of %s says that it runs, in the end", lot->name);
  if (!is_whole && !lot->is_excused)
    world_fail ("the report of %s says that it is not whole, and nothing has "
        "failed", lot->name);
  g_autoptr (GHashTable) told = read_report (report);
  compare (lot, told, is_whole);
  return is_whole;
}

void
lot_counts_check_run (const char *folder)
{
  g_autofree char *path = g_build_filename (folder, "run.json", NULL);
  json_auto_t *report = json_load_file (path, 0, NULL);
  g_autoptr (GHashTable) told = read_report (report);

  /* a disk that fails keeps it from being written */
  if (report && json_is_false (json_object_get (report, "running")))
    compare (&my.run, told, TRUE);
}

guint
lot_counts_check (void)
{
  guint n = 0;

  for (guint i = 1; i <= my.lots->len; i++)
    n += check_report (get_lot (i));
  return n;
}

void
lot_counts_begin (const char *folder)
{
  memset (&my, 0, sizeof (my));
  my.folder = g_strdup (folder);
  my.run = (Lot) {.name = (char *) "the run",.counts = make_counts ()};
  my.lots = g_ptr_array_new_with_free_func (free_lot);
}

void
lot_counts_end (void)
{
  g_clear_pointer (&my.lots, g_ptr_array_unref);
  g_clear_pointer (&my.run.counts, g_hash_table_unref);
  g_clear_pointer (&my.folder, g_free);
}
