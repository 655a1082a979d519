/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Between stats_cuda.cu, which runs plans, stats_cuda_pack.c, which describes
 * regions for the GPU, and stats_cuda_sum.cu, which has the kernels:
 *
 *   make_tiles  the rows and columns that sides of regions cross, and the
 *               tiles that cover them
 *   sum_tiles   of each tile a bit for each pixel; a crossing turns the bit of
 *               the first pixel on its right over. The parity of bits from the
 *               left on is the even-odd rule: nothing is sorted. Then the samples
 *               inside are summed up, in integers, so that the order does not
 *               matter.
 */

#include "stats_lab.h"
#include "stats_private.h"

G_BEGIN_DECLS

/* Sides of a chunk, at most. */
#define CS_STATS_CUDA_SIDES 64

/**
 * CsStatsCudaRegion:
 * @top, @bottom, @left, @right: of the pixels from crossing to crossing; an
 *     empty range until they are found
 * @is_open: a side was left out because it is not finite, so that rows may be
 *     crossed an odd number of times
 * @first_chunk, @n_chunks: its sides
 * @n_done: chunks whose bounds are known
 * @channel, @image: of the samples
 */
typedef struct
{
  gint32 top, bottom, left, right;
  guint32 is_open;
  guint32 first_chunk, n_chunks, n_done;
  guint32 channel, image;
} CsStatsCudaRegion;

/**
 * CsStatsCudaChunk:
 * @points: of its ring, on the device
 * @n_points: how many
 * @first, @n: sides, by the points where they begin
 * @region: what it belongs to
 */
typedef struct
{
  const float *points;
  guint32 n_points, first, n, region;
} CsStatsCudaChunk;

/**
 * CsStatsCudaImage:
 *
 * A CsImage on the device.
 */
typedef struct
{
  const guint8 *data;
  gsize pixel_stride, row_stride, channel_stride;
  gint32 width, height;
  CsSampleType type;
} CsStatsCudaImage;

typedef struct
{
  guint32 region;
  gint32 x, y;
} CsStatsCudaTile;

/**
 * CsStatsCudaJob:
 * @n_tiles: counts the tiles of all regions, also those that have no room
 * @capacity: tiles that have room
 * @chunk_rows: the first row that sides of each chunk cross, and the end
 * @n_found: @n_tiles, beside the result
 * @components: of a picture
 * @weights: of luma
 * @images: what regions lie in; of a picture only its size is read
 *
 * Arguments of the kernels; all on the device.
 */
typedef struct
{
  CsStatsKind kind;
  guint32 n_regions, n_chunks, n_channels;
  double scale_x, scale_y;
  CsStatsCudaRegion *regions;
  const CsStatsCudaChunk *chunks;
  const CsStatsCudaImage *images;
  gint32 *chunk_rows;
  CsStatsCudaTile *tiles;
  guint64 capacity, *n_tiles, *n_found;
  CsStatsSums *sums;
  CsStatsCudaImage components[3];
  gint32 weights[3];
  guint32 shift, is_rgb;
  const CsLabTable *lab;
} CsStatsCudaJob;

/**
 * CsStatsCudaLayout:
 * @n_chunks: of all regions
 * @n_points: of rings that are not on the device
 * @n_images: 1 for a picture
 * @regions, @chunks, @images, @points: where arrays begin, in bytes; a counter
 *     of tiles comes first
 * @size: of all
 *
 * A block of memory that is made on the host and copied to the device.
 */
typedef struct
{
  gsize n_chunks, n_points, n_images;
  gsize regions, chunks, images, points, size;
} CsStatsCudaLayout;

/* Counts what @input needs. Fails with CS_ERROR_LIMIT. */
gboolean cs_stats_cuda_count (const CsStatsInput * input,
    CsStatsCudaLayout * layout, GError ** error);

/* Where arrays of these numbers lie. */
void cs_stats_cuda_lay_out (CsStatsCudaLayout * layout, gsize n_regions);

/* Fills @block, which will be copied to @device, but for its images. */
void cs_stats_cuda_pack (const CsStatsInput * input,
    const CsStatsCudaLayout * layout, guint8 * block, const guint8 * device);

/* Queues the kernels on @stream, a cudaStream_t: the last one in @n_blocks
 * blocks. */
gboolean cs_stats_cuda_launch (const CsStatsCudaJob * job, guint n_blocks,
    void *stream, GError ** error);

/* Loads the kernels. */
gboolean cs_stats_cuda_load (GError ** error);

G_END_DECLS
