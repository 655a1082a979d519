/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "../lib/suite.h"
#include "cuda/gstshapesslab.h"

/* A layer of one polyline of @n points in a slab's memory. */
static GstShapeLayer *
make_layer (GstShapesSlabPool * pool, guint n, gpointer * memory)
{
  GstShapesSlab *slab = gst_shapes_slab_new (pool, NULL);
  const gsize points_size = n * sizeof (GstShapePoint);
  guint8 *data = gst_shapes_slab_alloc (slab, points_size + 512, TRUE);
  GstShapeArrays host = {.n_shapes = 1,.n_points = n };
  GstShapePolyline *polyline;
  guint32 *offsets;
  GstShapeLayer *layer;

  fail_unless (data != NULL);
  memset (data, 0, points_size + 512);
  polyline = (GstShapePolyline *) (gpointer) data;
  offsets = (guint32 *) (gpointer) (data + 256);
  offsets[1] = n;
  host.points = (GstShapePoint *) (gpointer) (data + 512);
  host.offsets = offsets;
  host.polylines = polyline;
  layer = gst_shapes_slab_to_layer (slab, GST_SHAPE_LAYER_POLYLINES, &host,
      NULL);
  fail_unless (layer != NULL);
  if (memory)
    *memory = data;
  return layer;
}

TEST (blocks_are_aligned_and_hold_what_was_asked)
{
  GstShapesSlabPool *pool = gst_shapes_slab_pool_new (NULL, NULL);
  gsize size;

  for (size = 0; size < 3000000; size = size * 2 + 1) {
    GstShapesSlab *slab = gst_shapes_slab_new (pool, NULL);
    guint8 *data = gst_shapes_slab_alloc (slab, size, TRUE);

    fail_unless (data != NULL);
    fail_unless_equals_int ((guintptr) data % 256, 0);
    memset (data, 0xff, size);
    gst_shapes_slab_free (slab);
  }
  gst_shapes_slab_pool_unref (pool);
}

TEST (the_next_result_of_similar_size_uses_the_same_block)
{
  GstShapesSlabPool *pool = gst_shapes_slab_pool_new (NULL, NULL);
  gpointer first, memory;
  GstShapeLayer *layer = make_layer (pool, 1000, &first);
  gsize idle;
  guint i;

  fail_unless_equals_uint64 (gst_shapes_slab_pool_get_idle_size (pool), 0);
  gst_shape_layer_unref (layer);
  idle = gst_shapes_slab_pool_get_idle_size (pool);
  fail_unless (idle >= 8000);
  for (i = 0; i < 100; i++) {
    layer = make_layer (pool, 1000 + i, &memory);
    fail_unless (memory == first);
    fail_unless_equals_uint64 (gst_shapes_slab_pool_get_idle_size (pool), 0);
    gst_shape_layer_unref (layer);
    fail_unless_equals_uint64 (gst_shapes_slab_pool_get_idle_size (pool), idle);
  }
  gst_shapes_slab_pool_unref (pool);
}

TEST (a_second_allocation_replaces_the_first)
{
  GstShapesSlabPool *pool = gst_shapes_slab_pool_new (NULL, NULL);
  GstShapesSlab *slab = gst_shapes_slab_new (pool, NULL);

  fail_unless (gst_shapes_slab_alloc (slab, 100, TRUE) != NULL);
  fail_unless (gst_shapes_slab_alloc (slab, 100000, TRUE) != NULL);
  fail_unless (gst_shapes_slab_pool_get_idle_size (pool) >= 100);
  fail_unless (gst_shapes_slab_pool_get_idle_size (pool) < 100000);
  gst_shapes_slab_free (slab);
  gst_shapes_slab_pool_unref (pool);
}

TEST (idle_blocks_are_bounded)
{
  GstShapesSlabPool *pool = gst_shapes_slab_pool_new (NULL, NULL);
  GstShapesSlab *slabs[12];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (slabs); i++) {
    slabs[i] = gst_shapes_slab_new (pool, NULL);
    fail_unless (gst_shapes_slab_alloc (slabs[i], 60 << 20, TRUE) != NULL);
  }
  for (i = 0; i < G_N_ELEMENTS (slabs); i++)
    gst_shapes_slab_free (slabs[i]);
  fail_unless (gst_shapes_slab_pool_get_idle_size (pool) <= 256 << 20);
  gst_shapes_slab_pool_unref (pool);
}

TEST (more_than_memory_is_refused)
{
  GstShapesSlabPool *pool = gst_shapes_slab_pool_new (NULL, NULL);
  GstShapesSlab *slab = gst_shapes_slab_new (pool, NULL);

  fail_unless (gst_shapes_slab_alloc (slab, G_MAXSIZE, TRUE) == NULL);
  fail_unless (gst_shapes_slab_alloc (slab, G_MAXSIZE / 4, TRUE) == NULL);
  fail_unless (gst_shapes_slab_alloc (slab, 100, TRUE) != NULL);
  gst_shapes_slab_free (slab);
  gst_shapes_slab_pool_unref (pool);
}

TEST (without_a_gpu_there_is_no_device_memory)
{
  GstShapesSlabPool *pool = gst_shapes_slab_pool_new (NULL, NULL);
  GstShapesSlab *slab = gst_shapes_slab_new (pool, NULL);

  fail_unless (gst_shapes_slab_alloc (slab, 100, FALSE) == NULL);
  fail_unless (gst_shapes_slab_pool_get_context (pool) == NULL);
  fail_unless (gst_shapes_slab_pool_new_pinned_allocator (pool) == NULL);
  gst_shapes_slab_free (slab);
  gst_shapes_slab_pool_unref (pool);
}

static gpointer
release (gpointer layer)
{
  g_usleep (1000);
  gst_shape_layer_unref (layer);
  return NULL;
}

TEST (layers_outlive_the_pool_and_end_on_any_thread)
{
  GstShapesSlabPool *pool = gst_shapes_slab_pool_new (NULL, NULL);
  GThread *threads[8];
  guint i;

  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] =
        g_thread_new ("release", release, make_layer (pool, 100, NULL));
  gst_shapes_slab_pool_unref (pool);
  for (i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

SUITE (slab) {}
