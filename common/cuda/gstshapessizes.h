/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Sizes of blocks that are recycled: 4096 bytes, and from there alternately 1.5
 * and 2 times a power of two, so that results of similar size share blocks.
 */

#include <glib.h>

#define GST_SHAPES_N_SIZES 96

/* Idle blocks of one kind beyond this are freed. */
#define GST_SHAPES_MAX_IDLE_SIZE ((gsize) 256 << 20)

static inline gsize
gst_shapes_block_size (guint size_class)
{
  const gsize size = (gsize) 4096 << (size_class / 2);

  return size_class % 2 ? size + size / 2 : size;
}

/* The smallest class that holds @size bytes, or GST_SHAPES_N_SIZES. */
static inline guint
gst_shapes_size_class (gsize size)
{
  guint i;

  for (i = 0; i < GST_SHAPES_N_SIZES; i++) {
    if (gst_shapes_block_size (i) >= size)
      return i;
  }
  return GST_SHAPES_N_SIZES;
}
