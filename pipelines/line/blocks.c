/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "blocks.h"

#include <stdlib.h>

#define ALIGNMENT 64

struct _LineBlocks
{
  GMutex lock;
  gsize size;
  guint most, n_blocks, n_used;
  gboolean is_freed;
  GSList *idle;
};

/* In front of a block. */
typedef struct
{
  LineBlocks *owner;
} Head;

G_STATIC_ASSERT (sizeof (Head) <= ALIGNMENT);

static gpointer
get_base (gpointer block)
{
  return (guint8 *) block - ALIGNMENT;
}

static void
free_block (gpointer block)
{
  free (get_base (block));
}

LineBlocks *
line_blocks_new (gsize size, guint most)
{
  LineBlocks *blocks = g_new0 (LineBlocks, 1);

  g_mutex_init (&blocks->lock);
  blocks->size = size;
  blocks->most = most;
  return blocks;
}

static void
dispose (LineBlocks * blocks)
{
  g_slist_free_full (blocks->idle, free_block);
  g_mutex_clear (&blocks->lock);
  g_free (blocks);
}

void
line_blocks_free (LineBlocks * blocks)
{
  gboolean is_last;

  g_mutex_lock (&blocks->lock);
  blocks->is_freed = TRUE;
  is_last = blocks->n_used == 0;
  g_mutex_unlock (&blocks->lock);
  if (is_last)
    dispose (blocks);
}

gsize
line_blocks_get_size (const LineBlocks * blocks)
{
  return blocks->size;
}

static gpointer
make_block (LineBlocks * blocks)
{
  void *base;

  if (blocks->n_blocks == blocks->most
      || posix_memalign (&base, ALIGNMENT, blocks->size + ALIGNMENT) != 0)
    return NULL;
  blocks->n_blocks++;
  ((Head *) base)->owner = blocks;
  return (guint8 *) base + ALIGNMENT;
}

gpointer
line_blocks_take (LineBlocks * blocks)
{
  gpointer block;

  g_mutex_lock (&blocks->lock);
  if (blocks->idle) {
    block = blocks->idle->data;
    blocks->idle = g_slist_delete_link (blocks->idle, blocks->idle);
  } else {
    block = make_block (blocks);
  }
  blocks->n_used += block != NULL;
  g_mutex_unlock (&blocks->lock);
  return block;
}

void
line_block_give (gpointer block)
{
  LineBlocks *blocks = ((Head *) get_base (block))->owner;
  gboolean is_last;

  g_mutex_lock (&blocks->lock);
  blocks->idle = g_slist_prepend (blocks->idle, block);
  is_last = --blocks->n_used == 0 && blocks->is_freed;
  g_mutex_unlock (&blocks->lock);
  if (is_last)
    dispose (blocks);
}
