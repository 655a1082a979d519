/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* CsMap against GHashTable. That memory may run out is the fault driver's. */

#include "../lib/check.h"
#include "../lib/random.h"
#include "base/map.h"

static void
compare (const CsMap * map, GHashTable * table, gint32 key)
{
  const gsize *found = cs_map_find (map, key);
  gpointer value;
  const gboolean has = g_hash_table_lookup_extended (table,
      GINT_TO_POINTER (key), NULL, &value);

  expect (has == (found != NULL), "key %d: %s", key, has ? "lost" : "invented");
  if (has && found)
    expect (*found == GPOINTER_TO_SIZE (value), "value of %d", key);
}

/* Keys of @range beside each other, times @step, from @first on. */
static void
check_keys (const char *name, guint n, guint range, gint32 first, gint32 step)
{
  g_autoptr (GHashTable) table = g_hash_table_new (NULL, NULL);
  GHashTableIter iter;
  guint64 state = n + range;
  CsMap map = CS_MAP_INIT;
  gpointer key;

  begin ("%s", name);
  for (guint i = 0; i < n; i++) {
    const gint32 at = (gint32) ((guint32) first +
        (guint32) step * random_below (&state, range));

    expect (cs_map_set (&map, at, i), "no room for %d", at);
    g_hash_table_insert (table, GINT_TO_POINTER (at), GSIZE_TO_POINTER (i));
  }
  expect (map.n == g_hash_table_size (table) && !map.failed, "%zu keys", map.n);
  expect (2 * map.n <= map.capacity, "%zu keys in %zu places", map.n,
      map.capacity);
  g_hash_table_iter_init (&iter, table);
  while (g_hash_table_iter_next (&iter, &key, NULL))
    compare (&map, table, GPOINTER_TO_INT (key));
  for (guint i = 0; i < 1000; i++)
    compare (&map, table, (gint32) ((guint32) first + i));
  cs_map_clear (&map);
  expect (!map.entries && !cs_map_find (&map, first), "cleared");
  end ();
}

int
main (void)
{
  check_keys ("no key", 0, 1, 0, 1);
  check_keys ("keys in order", 5000, 5000, 0, 1);
  check_keys ("negative and positive keys", 5000, 9000, -4500, 1);
  check_keys ("a key often", 5000, 3, -1, 1);
  check_keys ("keys that share their lower bits", 3000, 4000, 0, 65536);
  check_keys ("keys around the largest", 3000, 4000, G_MAXINT32 - 1000, 1);
  return finish ();
}
