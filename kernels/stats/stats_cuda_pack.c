/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_cuda.h"

#include <string.h>

#define POINT_SIZE (2 * sizeof (float))
#define MAX_CHUNKS G_MAXINT32

/* A single point has no side. */
static gsize
count_chunks (const CsStatsRing * ring)
{
  return ring->n < 2 ? 0 :
      (ring->n + CS_STATS_CUDA_SIDES - 1) / CS_STATS_CUDA_SIDES;
}

/* @n elements of @size bytes, after what is there. */
static gsize
place (CsStatsCudaLayout * layout, gsize n, gsize size)
{
  const gsize at = layout->size;

  layout->size += (n * size + 255) / 256 * 256;
  return at;
}

void
cs_stats_cuda_lay_out (CsStatsCudaLayout * layout, gsize n_regions)
{
  layout->size = 0;
  place (layout, 1, sizeof (guint64));
  layout->regions = place (layout, n_regions, sizeof (CsStatsCudaRegion));
  layout->chunks = place (layout, layout->n_chunks, sizeof (CsStatsCudaChunk));
  layout->images = place (layout, layout->n_images, sizeof (CsStatsCudaImage));
  layout->points = place (layout, layout->n_points, POINT_SIZE);
}

gboolean
cs_stats_cuda_count (const CsStatsInput * input, CsStatsCudaLayout * layout,
    GError ** error)
{
  *layout = (CsStatsCudaLayout) {
    .n_images = input->kind == CS_STATS_PROBABILITY ? input->n_images : 1,
  };
  for (gsize i = 0; i < input->n_regions; i++) {
    const CsStatsRegion *region = &input->regions[i];

    for (gsize r = 0; r < region->n_rings; r++) {
      const CsStatsRing *ring = &input->rings[region->first_ring + r];

      layout->n_chunks += count_chunks (ring);
      if (ring->memory != CS_MEMORY_DEVICE && ring->n >= 2)
        layout->n_points += ring->n;
    }
  }
  cs_stats_cuda_lay_out (layout, input->n_regions);
  if (layout->n_chunks < MAX_CHUNKS)
    return TRUE;
  return cs_error (error, CS_ERROR_LIMIT,
      "there are too many points: at most 2^37 can be measured on a GPU");
}

/* Returns: how many chunks were added */
static gsize
pack_ring (const CsStatsRing * ring, guint32 region, const float *points,
    CsStatsCudaChunk * chunks)
{
  const gsize n = count_chunks (ring);

  for (gsize i = 0; i < n; i++) {
    const gsize first = i * CS_STATS_CUDA_SIDES;

    chunks[i] = (CsStatsCudaChunk) {
      .points = points,
      .n_points = (guint32) ring->n,
      .first = (guint32) first,
      .n = (guint32) MIN (ring->n - first, CS_STATS_CUDA_SIDES),
      .region = region,
    };
  }
  return n;
}

void
cs_stats_cuda_pack (const CsStatsInput * input,
    const CsStatsCudaLayout * layout, guint8 * block, const guint8 * device)
{
  CsStatsCudaRegion *regions =
      (CsStatsCudaRegion *) (gpointer) (block + layout->regions);
  CsStatsCudaChunk *chunks =
      (CsStatsCudaChunk *) (gpointer) (block + layout->chunks);
  gsize i, r, n_chunks = 0, at = layout->points;

  /* no tiles yet */
  memset (block, 0, sizeof (guint64));
  for (i = 0; i < input->n_regions; i++) {
    const CsStatsRegion *region = &input->regions[i];
    const gboolean has_channel = input->kind == CS_STATS_PROBABILITY;
    const gsize first = n_chunks;

    for (r = 0; r < region->n_rings; r++) {
      const CsStatsRing *ring = &input->rings[region->first_ring + r];
      const float *points = ring->points;

      if (ring->n < 2)
        continue;
      if (ring->memory != CS_MEMORY_DEVICE) {
        memcpy (block + at, points, ring->n * POINT_SIZE);
        points = (const float *) (gconstpointer) (device + at);
        at += ring->n * POINT_SIZE;
      }
      n_chunks += pack_ring (ring, (guint32) i, points, chunks + n_chunks);
    }
    regions[i] = (CsStatsCudaRegion) {
      .top = G_MAXINT32,.left = G_MAXINT32,
      .first_chunk = (guint32) first,
      .n_chunks = (guint32) (n_chunks - first),
      .channel = has_channel ? region->channel : 0,
      .image = has_channel ? region->image : 0,
    };
  }
}
