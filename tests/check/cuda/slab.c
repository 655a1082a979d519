/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <string.h>

#include "../lib/suite.h"
#include "cuda/gstshapesslab.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapesSlab, gst_shapes_slab_free)

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapesSlabPool, gst_shapes_slab_pool_unref)

/* A layer of one polyline of @n points in a slab's memory. */
static GstShapeLayer *
make_layer (GstShapesSlabPool * pool, guint n, gpointer * memory)
{
  GstShapesSlab *slab = gst_shapes_slab_new (pool, NULL);
  const gsize points_size = n * sizeof (GstShapePoint);
  guint8 *data = gst_shapes_slab_alloc (slab, points_size + 512, TRUE);
  GstShapeArrays host = {.n_shapes = 1,.n_points = n };

  fail_unless (data != NULL);
  memset (data, 0, points_size + 512);
  GstShapePolyline *polyline = (GstShapePolyline *) (gpointer) data;
  guint32 *offsets = (guint32 *) (gpointer) (data + 256);
  offsets[1] = n;
  host.points = (GstShapePoint *) (gpointer) (data + 512);
  host.offsets = offsets;
  host.polylines = polyline;
  GstShapeLayer *layer = gst_shapes_slab_to_layer (slab,
      GST_SHAPE_LAYER_POLYLINES, &host, NULL);
  fail_unless (layer != NULL);
  if (memory)
    *memory = data;
  return layer;
}

TEST (blocks_are_aligned_and_hold_what_was_asked)
{
  g_autoptr (GstShapesSlabPool) pool = gst_shapes_slab_pool_new (NULL, NULL);

  for (gsize size = 0; size < 3000000; size = size * 2 + 1) {
    g_autoptr (GstShapesSlab) slab = gst_shapes_slab_new (pool, NULL);
    guint8 *data = gst_shapes_slab_alloc (slab, size, TRUE);

    fail_unless (data != NULL);
    fail_unless_equals_int ((guintptr) data % 256, 0);
    memset (data, 0xff, size);
  }
}

TEST (the_next_result_of_similar_size_uses_the_same_block)
{
  g_autoptr (GstShapesSlabPool) pool = gst_shapes_slab_pool_new (NULL, NULL);
  gpointer first, memory;
  GstShapeLayer *layer = make_layer (pool, 1000, &first);

  fail_unless_equals_uint64 (gst_shapes_slab_pool_get_idle_size (pool), 0);
  gst_shape_layer_unref (layer);
  gsize idle = gst_shapes_slab_pool_get_idle_size (pool);
  fail_unless (idle >= 8000);
  for (guint i = 0; i < 100; i++) {
    layer = make_layer (pool, 1000 + i, &memory);
    fail_unless (memory == first);
    fail_unless_equals_uint64 (gst_shapes_slab_pool_get_idle_size (pool), 0);
    gst_shape_layer_unref (layer);
    fail_unless_equals_uint64 (gst_shapes_slab_pool_get_idle_size (pool), idle);
  }
}

TEST (a_second_allocation_replaces_the_first)
{
  g_autoptr (GstShapesSlabPool) pool = gst_shapes_slab_pool_new (NULL, NULL);
  g_autoptr (GstShapesSlab) slab = gst_shapes_slab_new (pool, NULL);

  fail_unless (gst_shapes_slab_alloc (slab, 100, TRUE) != NULL);
  fail_unless (gst_shapes_slab_alloc (slab, 100000, TRUE) != NULL);
  fail_unless (gst_shapes_slab_pool_get_idle_size (pool) >= 100);
  fail_unless (gst_shapes_slab_pool_get_idle_size (pool) < 100000);
}

TEST (idle_blocks_are_bounded)
{
  g_autoptr (GstShapesSlabPool) pool = gst_shapes_slab_pool_new (NULL, NULL);
  GstShapesSlab *slabs[12];

  for (guint i = 0; i < G_N_ELEMENTS (slabs); i++) {
    slabs[i] = gst_shapes_slab_new (pool, NULL);
    fail_unless (gst_shapes_slab_alloc (slabs[i], 60 << 20, TRUE) != NULL);
  }
  for (guint i = 0; i < G_N_ELEMENTS (slabs); i++)
    gst_shapes_slab_free (slabs[i]);
  fail_unless (gst_shapes_slab_pool_get_idle_size (pool) <= 256 << 20);
}

TEST (more_than_memory_is_refused)
{
  g_autoptr (GstShapesSlabPool) pool = gst_shapes_slab_pool_new (NULL, NULL);
  g_autoptr (GstShapesSlab) slab = gst_shapes_slab_new (pool, NULL);

  fail_unless (gst_shapes_slab_alloc (slab, G_MAXSIZE, TRUE) == NULL);
  fail_unless (gst_shapes_slab_alloc (slab, G_MAXSIZE / 4, TRUE) == NULL);
  fail_unless (gst_shapes_slab_alloc (slab, 100, TRUE) != NULL);
}

TEST (without_a_gpu_there_is_no_device_memory)
{
  g_autoptr (GstShapesSlabPool) pool = gst_shapes_slab_pool_new (NULL, NULL);
  g_autoptr (GstShapesSlab) slab = gst_shapes_slab_new (pool, NULL);

  fail_unless (gst_shapes_slab_alloc (slab, 100, FALSE) == NULL);
  fail_unless (gst_shapes_slab_pool_get_context (pool) == NULL);
  fail_unless (gst_shapes_slab_pool_new_pinned_allocator (pool) == NULL);
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

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] =
        g_thread_new ("release", release, make_layer (pool, 100, NULL));
  gst_shapes_slab_pool_unref (pool);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    g_thread_join (threads[i]);
}

SUITE (slab) {}
