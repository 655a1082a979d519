/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "replay_moves.h"

/* From one outlet to another one, both in 16 bits */
#define KEY(from, to) GUINT_TO_POINTER ((from) << 16 | (to))

/* @counts: of keys */
struct _LineReplayMoves
{
  GHashTable *counts;
};

LineReplayMoves *
line_replay_moves_new (void)
{
  LineReplayMoves *moves = g_new (LineReplayMoves, 1);

  moves->counts = g_hash_table_new (NULL, NULL);
  return moves;
}

void
line_replay_moves_free (LineReplayMoves * moves)
{
  g_hash_table_unref (moves->counts);
  g_free (moves);
}

static gsize
get_count (LineReplayMoves * moves, guint from, guint to)
{
  return GPOINTER_TO_SIZE (g_hash_table_lookup (moves->counts, KEY (from,
              to)));
}

void
line_replay_moves_add (LineReplayMoves * moves, guint from, guint to)
{
  g_hash_table_insert (moves->counts, KEY (from, to),
      GSIZE_TO_POINTER (get_count (moves, from, to) + 1));
}

static gint
compare (gconstpointer a, gconstpointer b)
{
  const guint x = *(const guint *) a, y = *(const guint *) b;

  return (x > y) - (x < y);
}

static void
add_outlet (GArray * outlets, guint outlet)
{
  for (guint i = 0; i < outlets->len; i++)
    if (g_array_index (outlets, guint, i) == outlet)
      return;
  g_array_append_val (outlets, outlet);
}

/* Those that a piece has left or come to, sorted. */
static GArray *
find_outlets (LineReplayMoves * moves)
{
  GArray *outlets = g_array_new (FALSE, FALSE, sizeof (guint));
  GHashTableIter iter;
  gpointer key;

  g_hash_table_iter_init (&iter, moves->counts);
  while (g_hash_table_iter_next (&iter, &key, NULL)) {
    const guint from = GPOINTER_TO_UINT (key) >> 16;
    const guint to = GPOINTER_TO_UINT (key) & 0xffff;

    if (from != to) {
      add_outlet (outlets, from);
      add_outlet (outlets, to);
    }
  }
  g_array_sort (outlets, compare);
  return outlets;
}

void
line_replay_moves_print (LineReplayMoves * moves, FILE * out)
{
  GArray *outlets = find_outlets (moves);

  if (outlets->len > 0)
    fprintf (out, "pieces by outlet: recorded in rows, now in columns\n%8s",
        "");
  for (guint i = 0; i < outlets->len; i++)
    fprintf (out, "%8u", g_array_index (outlets, guint, i));
  for (guint i = 0; i < outlets->len; i++) {
    const guint from = g_array_index (outlets, guint, i);

    fprintf (out, "\n%8u", from);
    for (guint j = 0; j < outlets->len; j++)
      fprintf (out, "%8" G_GSIZE_FORMAT, get_count (moves, from,
              g_array_index (outlets, guint, j)));
  }
  if (outlets->len > 0)
    fputc ('\n', out);
  g_array_free (outlets, TRUE);
}
