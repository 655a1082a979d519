/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/**
 * LineBlocks:
 *
 * Blocks of memory of one size, used again and again: tensors of a trigger are
 * megabytes, and new pages for each cost milliseconds. Thread-safe.
 */
typedef struct _LineBlocks LineBlocks;

/**
 * LineBlockMemory:
 * @take: makes @size bytes of memory, at @data; a handle, or NULL
 * @drop: frees it
 * @user_data: for @take
 * @free: (nullable): frees @user_data when no blocks are left
 *
 * Where blocks come from if not from ordinary memory.
 */
typedef struct
{
  gpointer (*take) (gpointer user_data, gsize size, gpointer * data);
  void (*drop) (gpointer handle);
  gpointer user_data;
  GDestroyNotify free;
} LineBlockMemory;

/* @most: blocks at a time
 * @memory: (nullable): copied */
LineBlocks *line_blocks_new (gsize size, guint most,
    const LineBlockMemory * memory);
/* Blocks that are in use stay good, and are freed when they are given back. */
void line_blocks_free (LineBlocks * blocks);

gsize line_blocks_get_size (const LineBlocks * blocks);

/* Returns: a block, aligned to 64 bytes, its contents any; NULL if all are in
 * use, or memory runs out */
gpointer line_blocks_take (LineBlocks * blocks);
void line_block_give (gpointer block);

/* (nullable): that of its memory, in which it begins at *@offset and ends with
 * it; NULL for ordinary memory */
gpointer line_block_get_handle (gpointer block, gsize * offset);
