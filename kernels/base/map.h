/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "memory.h"

G_BEGIN_DECLS

/* A place of a #CsMap. */
typedef struct
{
  gsize value;
  gint32 key;
  gint32 used;
} CsMapEntry;

/**
 * CsMap:
 * @entries: the places; %NULL as long as there is no key
 * @n: keys
 * @capacity: places, a power of two, or 0
 * @failed: whether memory has run out since the map was made
 *
 * Numbers by ids of shapes: what GHashTable is, for as many as data has. When
 * memory runs out, keys are left out and @failed is set, so that a loop may look
 * at it once, at its end.
 */
typedef struct
{
  CsMapEntry *entries;
  gsize n, capacity;
  gboolean failed;
} CsMap;

/* A CsMap on the stack begins as this. */
#define CS_MAP_INIT { NULL, 0, 0, FALSE }

/* Open addressing: a key is at its hash's place, or at the next free one. At
 * most half of the places are taken. */

/* Fewer places than this are never made. */
#define CS_MAP_MIN 16

/* Multiplication by 2^32 / golden ratio: ids mostly count up from 0. The upper
 * bits are the well mixed ones. */
static inline gsize
cs_map_first_place (const CsMap * map, gint32 key)
{
  const guint32 hash = (guint32) key * 2654435769u;

  return (hash ^ hash >> 16) & (map->capacity - 1);
}

/* The place of @key, or the free one where it belongs. */
static inline CsMapEntry *
cs_map_place (const CsMap * map, gint32 key)
{
  gsize i = cs_map_first_place (map, key);

  while (map->entries[i].used && map->entries[i].key != key)
    i = (i + 1) & (map->capacity - 1);
  return &map->entries[i];
}

static inline gboolean
cs_map_grow (CsMap * map)
{
  CsMap larger = {.capacity = MAX (2 * map->capacity, CS_MAP_MIN) };

  larger.entries = cs_try_new0 (CsMapEntry, larger.capacity);
  if (!larger.entries) {
    map->failed = TRUE;
    return FALSE;
  }
  for (gsize i = 0; i < map->capacity; i++)
    if (map->entries[i].used)
      *cs_map_place (&larger, map->entries[i].key) = map->entries[i];
  g_free (map->entries);
  map->entries = larger.entries;
  map->capacity = larger.capacity;
  return TRUE;
}

/* The place of the value of @key; %NULL if it has none. Valid until the next
 * key is added. */
static inline gsize *
cs_map_find (const CsMap * map, gint32 key)
{
  CsMapEntry *entry = map->entries ? cs_map_place (map, key) : NULL;

  return entry && entry->used ? &entry->value : NULL;
}

/* Frees the entries; the map is an empty one then. */
static inline void
cs_map_clear (CsMap * map)
{
  g_free (map->entries);
  *map = (CsMap) CS_MAP_INIT;
}

/* Sets the value of @key. Returns: FALSE without memory; the map is as it was,
 * except for @failed */
static inline gboolean
cs_map_set (CsMap * map, gint32 key, gsize value)
{
  gsize *found = cs_map_find (map, key);

  if (found) {
    *found = value;
    return TRUE;
  }
  if (2 * (map->n + 1) > map->capacity && !cs_map_grow (map))
    return FALSE;
  *cs_map_place (map, key) = (CsMapEntry) { value, key, TRUE };
  map->n++;
  return TRUE;
}

G_END_DECLS
