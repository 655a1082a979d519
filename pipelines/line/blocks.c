/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "blocks.h"

#include <stdlib.h>

#include "publish/lock.h"

#define ALIGNMENT 64

struct _LineBlocks
{
  GMutex lock;
  gsize size;
  guint most, n_blocks, n_used;
  gboolean is_freed;
  GSList *idle;
  LineBlockMemory memory;
};

/* In front of a block. */
typedef struct
{
  LineBlocks *owner;
  gpointer handle;              /* NULL: ordinary memory */
} Head;

G_STATIC_ASSERT (sizeof (Head) <= ALIGNMENT);

static Head *
get_head (gpointer block)
{
  return (Head *) (gpointer) ((guint8 *) block - ALIGNMENT);
}

static void
free_block (gpointer block)
{
  Head *head = get_head (block);

  if (head->handle)
    head->owner->memory.drop (head->handle);
  else
    free (head);
}

LineBlocks *
line_blocks_new (gsize size, guint most, const LineBlockMemory * memory)
{
  LineBlocks *blocks = g_new0 (LineBlocks, 1);

  g_mutex_init (&blocks->lock);
  blocks->size = size;
  blocks->most = most;
  if (memory)
    blocks->memory = *memory;
  return blocks;
}

static void
dispose (LineBlocks * blocks)
{
  g_slist_free_full (blocks->idle, free_block);
  if (blocks->memory.free)
    blocks->memory.free (blocks->memory.user_data);
  g_mutex_clear (&blocks->lock);
  g_free (blocks);
}

void
line_blocks_free (LineBlocks * blocks)
{
  g_mutex_lock (&blocks->lock);
  blocks->is_freed = TRUE;
  gboolean is_last = blocks->n_used == 0;
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
  const gsize size = blocks->size + ALIGNMENT;
  gpointer handle = NULL;
  void *base;

  if (blocks->n_blocks == blocks->most)
    return NULL;
  if (blocks->memory.take) {
    handle = blocks->memory.take (blocks->memory.user_data, size, &base);
    if (!handle)
      return NULL;
  } else if (posix_memalign (&base, ALIGNMENT, size) != 0) {
    return NULL;
  }
  blocks->n_blocks++;
  *(Head *) base = (Head) { blocks, handle };
  return (guint8 *) base + ALIGNMENT;
}

gpointer
line_blocks_take (LineBlocks * blocks)
{
  gpointer block;
  LINE_LOCK (&blocks->lock);

  if (blocks->idle) {
    block = blocks->idle->data;
    blocks->idle = g_slist_delete_link (blocks->idle, blocks->idle);
  } else {
    block = make_block (blocks);
  }
  blocks->n_used += block != NULL;
  return block;
}

void
line_block_give (gpointer block)
{
  LineBlocks *blocks = get_head (block)->owner;

  g_mutex_lock (&blocks->lock);
  blocks->idle = g_slist_prepend (blocks->idle, block);
  gboolean is_last = --blocks->n_used == 0 && blocks->is_freed;
  g_mutex_unlock (&blocks->lock);
  if (is_last)
    dispose (blocks);
}

gpointer
line_block_get_handle (gpointer block, gsize * offset)
{
  *offset = ALIGNMENT;
  return get_head (block)->handle;
}
