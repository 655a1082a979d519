/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include <string.h>
#include <unistd.h>

#include "shapes_test.h"

/* Mock of page-locking: counts allocations in use. */
typedef struct
{
  gint allocated, freed, notified;      /* atomic */
  gboolean fails;
} Lock;

static gpointer
lock_alloc (gpointer user_data, gsize size)
{
  Lock *lock = user_data;

  if (lock->fails)
    return NULL;
  g_atomic_int_inc (&lock->allocated);
  return g_malloc (size);
}

static void
lock_free (gpointer user_data, gpointer data)
{
  g_atomic_int_inc (&((Lock *) user_data)->freed);
  g_free (data);
}

static void
lock_notify (gpointer user_data)
{
  g_atomic_int_inc (&((Lock *) user_data)->notified);
}

static const GstShapesPinnedOps lock_ops = { lock_alloc, lock_free };

static GstMemory *
alloc (GstAllocator * allocator, gsize size, gsize align, gsize prefix,
    gsize padding)
{
  GstAllocationParams params = {
    GST_MEMORY_FLAG_ZERO_PREFIXED | GST_MEMORY_FLAG_ZERO_PADDED, align, prefix,
    padding,
  };

  return gst_allocator_alloc (allocator, size, &params);
}

TEST (test_memory_is_aligned_and_zeroed_where_asked)
{
  GstAllocator *allocator = gst_shapes_pinned_allocator_new (NULL, NULL, NULL);
  const gsize aligns[] = { 0, 15, 63, 255, 4095, 65535 };

  for (guint i = 0; i < G_N_ELEMENTS (aligns); i++) {
    g_autoptr (GstMemory) memory = alloc (allocator, 1000, aligns[i], 256, 24);
    GstMapInfo map;
    gsize offset, maxsize;

    fail_unless_equals_uint64 (gst_memory_get_sizes (memory, &offset,
            &maxsize), 1000);
    fail_unless_equals_uint64 (offset, 256);
    fail_unless_equals_uint64 (maxsize, 1280);
    fail_unless (gst_memory_map (memory, &map, GST_MAP_READWRITE));
    fail_unless_equals_uint64 (((guintptr) map.data - 256) & aligns[i], 0);
    fail_unless_equals_uint64 (((guintptr) map.data - 256) & 63, 0);
    memset (map.data, 0xaa, map.size);
    for (guint k = 0; k < 256; k++)
      fail_unless (map.data[-256 + (gint) k] == 0);
    for (guint k = 0; k < 24; k++)
      fail_unless (map.data[1000 + k] == 0);
    gst_memory_unmap (memory, &map);
    fail_if (gst_is_shapes_pinned_memory (memory));
    fail_unless (gst_memory_is_type (memory, GST_SHAPES_PINNED_MEMORY_TYPE));
  }
  gst_object_unref (allocator);
}

static gpointer
drop_memory (gpointer memory)
{
  gst_memory_unref (memory);
  return NULL;
}

TEST (test_pinned_memory_is_given_back_on_any_thread)
{
  Lock lock = { 0, };
  GstAllocator *allocator = gst_shapes_pinned_allocator_new (&lock_ops, &lock,
      lock_notify);
  GstMemory *memory = alloc (allocator, 100, 0, 0, 0);

  fail_unless (gst_is_shapes_pinned_memory (memory));
  fail_unless_equals_int (lock.allocated, 1);
  gst_object_unref (allocator);
  /* Memory keeps its allocator. */
  fail_unless_equals_int (lock.notified, 0);
  g_thread_join (g_thread_new ("dropper", drop_memory, memory));
  fail_unless_equals_int (lock.freed, 1);
  fail_unless_equals_int (lock.notified, 1);
}

TEST (test_ordinary_memory_when_page_locking_fails)
{
  Lock lock = {.fails = TRUE };
  GstAllocator *allocator = gst_shapes_pinned_allocator_new (&lock_ops, &lock,
      lock_notify);
  GstMemory *memory = alloc (allocator, 100, 0, 0, 0);

  fail_unless (memory != NULL);
  fail_if (gst_is_shapes_pinned_memory (memory));
  gst_memory_unref (memory);
  gst_object_unref (allocator);
  fail_unless_equals_int (lock.freed, 0);
  fail_unless_equals_int (lock.notified, 1);
}

/* Of three blocks that are each half of what may be locked, one is ordinary. */
TEST (test_no_more_than_a_part_of_the_memory_is_locked)
{
  const gsize size = (gsize) sysconf (_SC_PHYS_PAGES) *
      (gsize) sysconf (_SC_PAGESIZE) / 16 - 100000;
  Lock lock = { 0, };
  g_autoptr (GstAllocator) allocator =
      gst_shapes_pinned_allocator_new (&lock_ops, &lock, lock_notify);
  GstMemory *memory[3];

  for (guint i = 0; i < 3; i++) {
    memory[i] = alloc (allocator, size, 0, 0, 0);
    fail_unless (memory[i] != NULL);
    fail_unless_equals_int (gst_is_shapes_pinned_memory (memory[i]), i < 2);
  }
  gst_memory_unref (memory[2]);
  gst_memory_unref (memory[0]);
  memory[0] = alloc (allocator, size, 0, 0, 0);
  fail_unless (gst_is_shapes_pinned_memory (memory[0]));
  gst_memory_unref (memory[0]);
  gst_memory_unref (memory[1]);
  fail_unless_equals_int (lock.allocated, lock.freed);
}

TEST (test_parts_share_the_block_and_copies_do_not)
{
  Lock lock = { 0, };
  g_autoptr (GstAllocator) allocator =
      gst_shapes_pinned_allocator_new (&lock_ops, &lock, lock_notify);
  GstMemory *memory = alloc (allocator, 100, 0, 0, 0);
  GstMapInfo map, part;
  gsize offset;

  gst_memory_map (memory, &map, GST_MAP_WRITE);
  for (guint i = 0; i < 100; i++)
    map.data[i] = i;
  const guint8 *data = map.data;
  gst_memory_unmap (memory, &map);

  GstMemory *head = gst_memory_share (memory, 10, 20);
  GstMemory *tail = gst_memory_share (memory, 30, -1);
  g_autoptr (GstMemory) copy = gst_memory_copy (memory, 30, -1);
  fail_unless (gst_is_shapes_pinned_memory (tail));
  fail_if (gst_is_shapes_pinned_memory (copy));
  fail_unless (gst_memory_is_span (head, tail, &offset));
  fail_unless_equals_uint64 (offset, 10);
  gst_memory_map (tail, &part, GST_MAP_READ);
  fail_unless_equals_uint64 (part.size, 70);
  fail_unless_equals_int (part.data[0], 30);
  fail_unless (part.data == data + 30);
  gst_memory_unmap (tail, &part);
  gst_memory_map (copy, &part, GST_MAP_READ);
  fail_unless_equals_int (part.data[69], 99);
  gst_memory_unmap (copy, &part);

  gst_memory_unref (memory);
  gst_memory_unref (head);
  fail_unless_equals_int (lock.freed, 0);
  gst_memory_unref (tail);
  fail_unless_equals_int (lock.freed, 1);
}

TEST (test_more_than_there_is_gives_no_memory)
{
  GstAllocator *allocator = gst_shapes_pinned_allocator_new (NULL, NULL, NULL);

  fail_unless (alloc (allocator, G_MAXSIZE, 0, 1, 0) == NULL);
  fail_unless (alloc (allocator, G_MAXSIZE - 1, 0, 0, 0) == NULL);
  fail_unless (alloc (allocator, 1, 0, 0, G_MAXSSIZE) == NULL);
  gst_object_unref (allocator);
}

TEST (test_other_memory_is_not_pinned)
{
  g_autoptr (GstMemory) memory = gst_allocator_alloc (NULL, 10, NULL);

  fail_if (gst_is_shapes_pinned_memory (memory));
  fail_if (gst_is_shapes_pinned_memory (NULL));
}

TEST (test_half_the_ops_are_refused)
{
  const GstShapesPinnedOps half = { lock_alloc, NULL };

  ASSERT_CRITICAL (gst_shapes_pinned_allocator_new (&half, NULL, NULL));
}

TEST (test_buffer_pool_uses_it)
{
  Lock lock = { 0, };
  GstAllocator *allocator = gst_shapes_pinned_allocator_new (&lock_ops, &lock,
      lock_notify);
  GstBufferPool *pool = gst_buffer_pool_new ();
  GstStructure *config = gst_buffer_pool_get_config (pool);
  GstBuffer *buffer = NULL;

  gst_buffer_pool_config_set_params (config, NULL, 1000, 2, 0);
  gst_buffer_pool_config_set_allocator (config, allocator, NULL);
  fail_unless (gst_buffer_pool_set_config (pool, config));
  fail_unless (gst_buffer_pool_set_active (pool, TRUE));
  fail_unless_equals_int (gst_buffer_pool_acquire_buffer (pool, &buffer, NULL),
      GST_FLOW_OK);
  fail_unless (gst_is_shapes_pinned_memory (gst_buffer_peek_memory (buffer,
              0)));
  gst_buffer_unref (buffer);
  gst_buffer_pool_set_active (pool, FALSE);
  gst_object_unref (pool);
  gst_object_unref (allocator);
  fail_unless_equals_int (lock.freed, lock.allocated);
  fail_unless_equals_int (lock.notified, 1);
}

SUITE (shapesallocator)
{
  shapes_note_criticals ();
}
