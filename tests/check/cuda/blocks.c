/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Device memory that is recycled. The GPU is a number of memory blocks, and a
 * set of events that are done. */

#include "../lib/suite.h"
#include "cuda/gstshapesdeviceblocks.h"

typedef struct
{
  gboolean is_done;
} Event;

static gchar gpu[256];
static gsize n_used, capacity;
static guint n_events, n_waits, n_asked;

void *
cs_cuda_heap_alloc (CsCudaHeap * heap, gsize size, void *stream,
    GError ** error)
{
  if (n_used == capacity)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY, "full");
  return &gpu[n_used++];
}

gboolean
cs_cuda_heap_release (CsCudaHeap * heap, void *data, void **events,
    guint n, GError ** error)
{
  n_used--;
  return TRUE;
}

void *
cs_cuda_event_new (GError ** error)
{
  n_events++;
  return g_new0 (Event, 1);
}

gboolean
cs_cuda_event_free (void *event, GError ** error)
{
  n_events--;
  g_free (event);
  return TRUE;
}

/* @stream: whether what has been queued there is done */
gboolean
cs_cuda_event_record (void *event, void *stream, GError ** error)
{
  ((Event *) event)->is_done = *(gboolean *) stream;
  return TRUE;
}

gboolean
cs_cuda_event_is_done (void *event)
{
  n_asked++;
  return ((Event *) event)->is_done;
}

gboolean
cs_cuda_event_wait (void *event, void *stream, GError ** error)
{
  n_waits++;
  return stream != NULL
      || cs_error (error, CS_ERROR_DEVICE, "the stream is broken");
}

/* Blocks on a GPU that has memory for @n of them. */
static GstShapesDeviceBlocks *
blocks_on_gpu_of (gsize n)
{
  n_used = n_waits = n_asked = 0;
  capacity = n;
  return gst_shapes_device_blocks_new (NULL);
}

static void
free_blocks (GstShapesDeviceBlocks * blocks)
{
  gst_shapes_device_blocks_free (blocks);
  fail_unless_equals_uint64 (n_used, 0);
  fail_unless_equals_int (n_events, 0);
}

static gboolean done = TRUE, busy = FALSE;

static GstShapesDeviceBlock *
take (GstShapesDeviceBlocks * blocks)
{
  return gst_shapes_device_blocks_take (blocks, 5000, &done, NULL);
}

/* @stream uses the block when it goes. */
static void
give (GstShapesDeviceBlocks * blocks, GstShapesDeviceBlock * block,
    gboolean * stream)
{
  if (stream)
    fail_unless (gst_shapes_device_blocks_mark (blocks, block, stream, NULL));
  fail_unless (gst_shapes_device_blocks_keep (blocks, block));
}

TEST (a_block_is_used_again_when_its_users_are_done)
{
  GstShapesDeviceBlocks *blocks = blocks_on_gpu_of (9);
  GstShapesDeviceBlock *block = take (blocks);

  give (blocks, block, NULL);
  fail_unless (take (blocks) == block);
  fail_unless_equals_int (n_asked, 0);
  give (blocks, block, &done);
  fail_unless (take (blocks) == block);
  fail_unless_equals_int (n_asked, 1);
  for (guint i = 0; i < 9; i++) {
    give (blocks, block, &done);
    fail_unless (take (blocks) == block);
  }
  fail_unless_equals_int (n_asked, 10);
  fail_unless_equals_int (n_events, 1);
  fail_unless_equals_int (n_waits, 0);
  give (blocks, block, NULL);
  free_blocks (blocks);
}

TEST (nobody_waits_for_users_while_there_is_memory)
{
  GstShapesDeviceBlocks *blocks = blocks_on_gpu_of (9);
  GstShapesDeviceBlock *block = take (blocks);

  give (blocks, block, &busy);
  GstShapesDeviceBlock *other = take (blocks);
  fail_unless (other != block && other->data != block->data);
  fail_unless_equals_int (n_waits, 0);
  /* one that is free comes before one that is used */
  give (blocks, other, NULL);
  n_asked = 0;
  fail_unless (take (blocks) == other);
  fail_unless_equals_int (n_asked, 0);
  give (blocks, other, NULL);
  free_blocks (blocks);
}

TEST (a_block_that_is_used_for_long_hides_no_other)
{
  GstShapesDeviceBlocks *blocks = blocks_on_gpu_of (99);
  GstShapesDeviceBlock *all[50];

  for (guint i = 0; i < 50; i++)
    all[i] = take (blocks);
  for (guint i = 0; i < 50; i++)
    give (blocks, all[i], i == 25 ? &done : &busy);
  /* a few are asked each time */
  GstShapesDeviceBlock *block = NULL;
  guint n_taken = 0;
  while (block != all[25] && n_taken++ < 50) {
    n_asked = 0;
    block = take (blocks);
    fail_unless (n_asked <= 3);
    if (block != all[25])
      gst_shapes_device_blocks_drop (blocks, block, NULL);
  }
  fail_unless (block == all[25]);
  give (blocks, block, NULL);
  free_blocks (blocks);
}

TEST (without_memory_users_are_waited_for)
{
  GstShapesDeviceBlocks *blocks = blocks_on_gpu_of (1);
  GstShapesDeviceBlock *block = take (blocks);
  g_autoptr (GError) error = NULL;

  fail_unless (gst_shapes_device_blocks_take (blocks, 5000, &done,
          &error) == NULL);
  fail_unless (g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY));
  give (blocks, block, &busy);
  g_clear_error (&error);
  fail_unless (gst_shapes_device_blocks_take (blocks, 5000, &done,
          &error) == block);
  fail_unless (error == NULL);
  fail_unless_equals_int (n_waits, 1);
  give (blocks, block, &busy);
  /* a stream that cannot wait gets nothing */
  fail_unless (gst_shapes_device_blocks_take (blocks, 5000, NULL,
          &error) == NULL);
  fail_unless (g_error_matches (error, CS_ERROR, CS_ERROR_NO_MEMORY));
  free_blocks (blocks);
}

TEST (so_much_is_kept_and_no_more)
{
  GstShapesDeviceBlocks *blocks = blocks_on_gpu_of (9);
  GstShapesDeviceBlock *all[3];

  for (guint i = 0; i < 3; i++)
    all[i] = gst_shapes_device_blocks_take (blocks, 100 << 20, &done, NULL);
  give (blocks, all[0], NULL);
  give (blocks, all[1], &busy);
  for (guint i = 0; i < 3; i++) {
    fail_if (gst_shapes_device_blocks_keep (blocks, all[2]));
    fail_unless (gst_shapes_device_blocks_take (blocks, 100 << 20, &done,
            NULL) == all[0]);
    give (blocks, all[0], NULL);
  }
  gst_shapes_device_blocks_drop (blocks, all[2], NULL);
  free_blocks (blocks);
}

SUITE (blocks) {}
