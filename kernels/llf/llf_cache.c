/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_cache.h"

#include <string.h>

#include "base/memory.h"
#include "llf_rgb_private.h"

/**
 * Entry:
 * @table: (nullable): %NULL while a thread computes it
 * @used: when it was asked for last
 */
typedef struct
{
  CsLlfParams params;
  CsLlfTable *table;
  guint64 used;
} Entry;

/* With the lock. */
static GMutex lock;
static GCond computed;
static Entry entries[CS_LLF_MAX_KEPT];
static guint n_entries;
static guint64 n_uses;
static guint n_computed;

/* The same for parameters that give the same table. */
static CsLlfParams
normalise (const CsLlfParams * params)
{
  const gboolean factorised = params->quality != CS_LLF_EXACT &&
      params->quality != CS_LLF_SAMPLED;
  CsLlfParams same = *params;

  same.noise_guard = cs_llf_noise_guard (params);
  if (params->quality != CS_LLF_SAMPLED)
    same.intensity_levels = 0;
  if (!factorised)
    same.rank = 0;
  else if (params->color_remapping == CS_LLF_RGB_DISTANCE)
    same.rank = cs_llf_rgb_get_rank (params);
  if (same.rank != 0)
    same.quality = CS_LLF_NORMAL;
  same.limited_range = params->limited_range != FALSE;
  return same;
}

static gboolean
is_same (const CsLlfParams * a, const CsLlfParams * b)
{
  return a->quality == b->quality && a->curve == b->curve &&
      a->sigma == b->sigma && a->alpha == b->alpha && a->beta == b->beta &&
      a->noise_guard == b->noise_guard && a->rank == b->rank &&
      a->intensity_levels == b->intensity_levels && a->depth == b->depth &&
      a->limited_range == b->limited_range &&
      a->color_remapping == b->color_remapping;
}

/* Tables made with the build */

static const CsLlfShipped *
find_shipped (const CsLlfParams * same)
{
  CsLlfParams wanted = *same;

  wanted.depth = wanted.depth > 10 ? 10 : wanted.depth;
  for (guint i = 0; i < cs_llf_n_shipped; i++) {
    const CsLlfParams shipped = normalise (&cs_llf_shipped[i].params);

    if (is_same (&shipped, &wanted))
      return &cs_llf_shipped[i];
  }
  return NULL;
}

static gboolean
copy_floats (float **to, gsize n, const guint32 ** from)
{
  *to = cs_try_new (float, n);
  if (!*to)
    return FALSE;
  memcpy (*to, *from, n * sizeof (float));
  *from += n;
  return TRUE;
}

/* Returns: (nullable): %NULL without memory */
static CsLlfTable *
copy_shipped (const CsLlfShipped * shipped, const CsLlfParams * params)
{
  const guint32 *from = cs_llf_shipped_data + shipped->first;
  const gsize r = shipped->stride, nodes = CS_LLF_NODES + 2;
  CsLlfTable *table = g_new0 (CsLlfTable, 1);
  const gsize n = 1u << MIN (params->depth, 10);

  table->ref_count = 1;
  table->params = *params;
  table->n_codes = n;
  table->rank = shipped->rank;
  table->stride = r;
  table->spread = shipped->spread;
  table->code_spread = shipped->code_spread;
  if (!copy_floats (&table->u, n * r, &from) ||
      !copy_floats (&table->v, nodes * r, &from) ||
      !copy_floats (&table->v0, nodes, &from) ||
      !copy_floats (&table->code_v, n * r, &from) ||
      !copy_floats (&table->code_v0, n, &from) ||
      !copy_floats (&table->code_d, n, &from))
    g_clear_pointer (&table, cs_llf_table_unref);
  return table;
}

/* Entries, with the lock */

static Entry *
find_entry (const CsLlfParams * same)
{
  for (guint i = 0; i < n_entries; i++)
    if (is_same (&entries[i].params, same))
      return &entries[i];
  return NULL;
}

static CsLlfTable *
use_entry (Entry * entry)
{
  entry->used = ++n_uses;
  return cs_llf_table_ref (entry->table);
}

static void
remove_entry (Entry * entry)
{
  g_clear_pointer (&entry->table, cs_llf_table_unref);
  *entry = entries[--n_entries];
}

/* Makes room for one, if need be of the table not used for longest.
 *
 * Returns: (nullable): %NULL if all are being computed */
static Entry *
add_entry (const CsLlfParams * same)
{
  Entry *oldest = NULL;

  if (n_entries == CS_LLF_MAX_KEPT) {
    for (guint i = 0; i < n_entries; i++)
      if (entries[i].table && (!oldest || entries[i].used < oldest->used))
        oldest = &entries[i];
    if (!oldest)
      return NULL;
    remove_entry (oldest);
  }
  entries[n_entries] = (Entry) {.params = *same,.used = ++n_uses };
  return &entries[n_entries++];
}

static CsLlfTable *
take_shipped (const CsLlfParams * same)
{
  const CsLlfShipped *shipped = find_shipped (same);
  CsLlfTable *table = shipped ? copy_shipped (shipped, same) : NULL;
  Entry *entry = table ? add_entry (same) : NULL;

  if (entry)
    entry->table = cs_llf_table_ref (table);
  return table;
}

/* @entry: (nullable): set to the one that another thread computes */
static CsLlfTable *
find (const CsLlfParams * same, Entry ** entry)
{
  *entry = find_entry (same);
  if (!*entry)
    return take_shipped (same);
  return (*entry)->table ? use_entry (*entry) : NULL;
}

/* Computes a table, without the lock. */
static CsLlfTable *
compute (const CsLlfParams * same, GError ** error)
{
  const gboolean is_kept = add_entry (same) != NULL;

  g_mutex_unlock (&lock);
  CsLlfTable *table = cs_llf_table_new (same, error);
  g_mutex_lock (&lock);
  n_computed++;
  /* entries have moved */
  Entry *entry = is_kept ? find_entry (same) : NULL;
  if (entry && table)
    entry->table = cs_llf_table_ref (table);
  else if (entry)
    remove_entry (entry);
  g_cond_broadcast (&computed);
  return table;
}

/* Whether the table is the identity, which takes no time. */
static gboolean
is_simple (const CsLlfParams * params)
{
  return params->alpha == 1 && params->beta == 1;
}

CsLlfTable *
cs_llf_cache_find (const CsLlfParams * params)
{
  const CsLlfParams same = normalise (params);
  Entry *entry;

  if (is_simple (params))
    return cs_llf_table_new (params, NULL);
  g_mutex_lock (&lock);
  CsLlfTable *table = find (&same, &entry);
  g_mutex_unlock (&lock);
  return table;
}

CsLlfTable *
cs_llf_cache_get (const CsLlfParams * params, GError ** error)
{
  const CsLlfParams same = normalise (params);
  CsLlfTable *table;
  Entry *entry;

  if (is_simple (params))
    return cs_llf_table_new (params, error);
  g_mutex_lock (&lock);
  while (!(table = find (&same, &entry)) && entry)
    g_cond_wait (&computed, &lock);
  if (!table)
    table = compute (&same, error);
  g_mutex_unlock (&lock);
  return table;
}

guint
cs_llf_cache_get_n_computed (void)
{
  g_mutex_lock (&lock);
  const guint n = n_computed;
  g_mutex_unlock (&lock);
  return n;
}
