/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Between raster_cuda.cu, which decides what runs, raster_cuda_order.cu, which
 * sorts, prepares and bins marks, with raster_cuda_buckets.cu,
 * raster_cuda_fill.cu, which computes coverage of fills, raster_cuda_paint.cu,
 * which paints, raster_cuda_lean.cu, which paints discs on some formats,
 * raster_cuda_runs.cu, which paints small marks and fills in few layers,
 * raster_cuda_direct.cu, which does both where few marks lie on a pixel, and
 * raster_cuda_ink.cu. */

#include "base/cuda_base.h"
#include "base/cuda_memory.h"
#include "raster_private.h"

G_BEGIN_DECLS

/* Sides of a bin, of what a block of threads paints, and of what one paints
 * directly. */
#define CS_RASTER_BIN 64
#define CS_RASTER_BLOCK 32
#define CS_RASTER_TILE 16

/* Side of the pixels that have a mask of the discs which touch them; of runs it
 * is that of a bin. */
#define CS_RASTER_MASK 128

/**
 * CsRasterCounters:
 * @dropped: marks that are not painted
 * @entries: how often marks touch bins, by their bounds
 * @area: of all painted marks' bounds within the picture, in pixels
 * @replayed: pixels painted again, in pictures of each parity
 * @overflow: whether the bins had no room
 * @skewed: whether depths are so uneven that buckets do not sort them well
 * @mixed: whether marks are not all discs
 * @left_over: warps' worth of pixels that cs_raster_cuda_lean_paint() has left
 * @direct_failed: whether they cannot be painted directly: a tile has no room
 *
 * What the device counts.
 */
typedef struct
{
  unsigned long long dropped, entries, replayed[2];
  double area;
  unsigned int overflow, skewed, mixed, left_over, direct_failed;
} CsRasterCounters;

/**
 * CsRasterSorted:
 * @reach: for each mark, nearest first, a disc around all that it may cover;
 *     below 0: not painted
 * @marks: likewise, as prepared
 * @n: how many
 * @bins: (nullable): indices of marks, bin by bin, each nearest first
 * @starts: where each bin begins, and the end of the last
 * @bins_per_row: how many
 * @masks: (nullable): for each @mask_side x @mask_side pixels, as
 *     CsRasterPrepare has it, row by row, @mask_words, a multiple of 4, with a
 *     bit for each mark, the nearest first, of those that may touch them
 * @masks_per_row: how many
 */
typedef struct
{
  const float4 *reach;
  const CsRasterMark *marks;
  guint32 n;
  const guint32 *bins, *starts;
  guint32 bins_per_row;
  const guint32 *masks;
  guint32 mask_words, masks_per_row;
  CsRasterCounters *counters;
} CsRasterSorted;

/**
 * CsRasterPrepare:
 * @marks: as given, device memory
 * @depths: (nullable): likewise
 * @has_runs: whether there may be groups
 * @is_skewed: whether depths like these were skewed before
 * @regions: @n_regions, what marks that are fills refer to
 * @has_gradients: whether marks may have gradients
 * @n_gradients: how many there are
 * @mask_side: of masks, which are made; 0: none
 *
 * What the order of marks is computed from.
 */
typedef struct
{
  const CsMark *marks;
  const float *depths;
  guint32 n, cut;
  gint32 width, height;
  gboolean has_runs, is_skewed;
  const CsFillRegion *regions;
  guint32 n_regions;
  gboolean has_gradients;
  guint32 n_gradients;
  gint32 mask_side;
} CsRasterPrepare;

/* Words of one mask, which are read by fours, and of all. */
static inline guint32
cs_raster_cuda_words_of_mask (const CsRasterPrepare * p)
{
  return (p->n + 127) / 128 * 4;
}

static inline gsize
cs_raster_cuda_mask_words (const CsRasterPrepare * p)
{
  const gsize n = cs_cuda_blocks (p->width, p->mask_side);

  return n * cs_cuda_blocks (p->height, p->mask_side) *
      cs_raster_cuda_words_of_mask (p);
}

/**
 * CsRasterOrderCuda:
 *
 * Scratch memory of ordering.
 */
typedef struct
{
  CsCudaScratch sort, prepared, binned, masks;
  gboolean is_sorted, has_order;
  const guint32 *order;
  CsRasterSorted sorted;
} CsRasterOrderCuda;

/* Sorts (unless @keep_order says that the order of before still holds),
 * prepares, and, with @capacity above 0, puts marks into bins with so much
 * room. Counters are zeroed before. */
gboolean cs_raster_cuda_order (CsRasterOrderCuda * order,
    const CsRasterPrepare * prepare, gboolean keep_order, gsize capacity,
    CsRasterCounters * counters, cudaStream_t stream, GError ** error);

void cs_raster_cuda_order_clear (CsRasterOrderCuda * order,
    cudaStream_t stream);

/* Sorts and prepares on the device, slowly, if the counters say then that
 * marks cannot be painted directly. No groups. */
gboolean cs_raster_cuda_order_failed (CsRasterOrderCuda * order,
    const CsRasterPrepare * prepare, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error);

/* --- Fills ---------------------------------------------------------------- */

/**
 * CsFillCuda:
 * @regions: in device memory
 * @n_regions: how many
 * @cells: what is known of each tile of each region
 * @packed: CS_FILL_TILE_PIXELS values for each tile that is neither empty nor
 *     full
 *
 * The coverage of all fills of a picture.
 */
typedef struct
{
  const CsFillRegion *regions;
  guint32 n_regions;
  const guint32 *cells;
  const guint16 *packed;
} CsFillCuda;

/* Computes the coverage of @set, whose regions are at @fills->regions and edges
 * at @edges, for a picture of @height pixels; the rest of @fills is set, in
 * memory of @scratch. */
gboolean cs_raster_cuda_fill (CsCudaScratch * scratch, const CsFillSet * set,
    const CsFillEdge * edges, guint height, CsFillCuda * fills,
    cudaStream_t stream, GError ** error);

/* --- Painting ------------------------------------------------------------- */

typedef struct
{
  CsRasterFormat format;
  CsFillCuda fills;
  CsGradients gradients;        /* in device memory */
  CsRasterInk ink;
  gint32 has_ink, in_place;
  gint32 parity;                /* of the picture */
  gint32 only_failed;           /* only what was not painted directly */
  /* (nullable): only these: for each block of CS_RASTER_BLOCK x CS_RASTER_BLOCK
   * pixels a byte for each 16 x 8 of them, row by row */
  const guint8 *left_over;
  guint32 ink_at;
  CsRasterSorted sorted;
} CsRasterPaint;

/* @has_runs: whether there are groups, ink, fills or gradients. */
gboolean cs_raster_cuda_paint (const CsRasterPaint * paint, gboolean has_runs,
    cudaStream_t stream, GError ** error);

/* --- Painting runs -------------------------------------------------------- */

/* Paints everything, from the back: what is meant for small marks and fills in
 * few layers. With masks of CS_RASTER_BIN; no ink or gradients. */
gboolean cs_raster_cuda_runs_paint (const CsRasterPaint * paint,
    cudaStream_t stream, GError ** error);

/* --- Painting discs ------------------------------------------------------- */

/* Whether discs can be painted so on pictures of @format. */
gboolean cs_raster_cuda_lean_fits (const CsRasterFormat * format);

/* Paints what it can, nothing if the marks turn out not to be discs, and tells
 * in @left_over, as CsRasterPaint has it, what is left for
 * cs_raster_cuda_paint(). No groups, ink or fills.
 *
 * @area: pixels of a disc's bounds, on an average */
gboolean cs_raster_cuda_lean_paint (const CsRasterPaint * paint, double area,
    guint8 * left_over, cudaStream_t stream, GError ** error);

/* --- Painting directly ---------------------------------------------------- */

/**
 * CsRasterDirectCuda:
 * @room: how many marks a tile may have: 256, 512 or 1024
 * @antialias: whether pixels are covered in part
 * @counts: for each tile how many marks touch it
 * @entries: @room for each tile: its marks' depth keys, or indices where there
 *     are no depths, times 2^32, and their indices; in no order
 *
 * Marks in tiles. @room and @antialias are the caller's.
 */
typedef struct
{
  CsCudaScratch memory;
  guint32 room;
  gint32 antialias;
  guint32 tiles_per_row, tile_rows;
  guint32 *counts;
  guint64 *entries;
} CsRasterDirectCuda;

#define CS_RASTER_DIRECT_MAX_ROOM 1024

/* Puts marks, none of them of a group or a fill, into tiles. Clears and sets the
 * counters, @direct_failed among them. At least one mark. */
gboolean cs_raster_cuda_direct_scatter (CsRasterDirectCuda * tiles,
    const CsRasterPrepare * prepare, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error);

/* Paints the tiles' marks, unless @direct_failed. */
gboolean cs_raster_cuda_direct_paint (const CsRasterDirectCuda * tiles,
    const CsRasterPrepare * prepare, const CsRasterPaint * paint,
    cudaStream_t stream, GError ** error);
void cs_raster_cuda_direct_clear (CsRasterDirectCuda * tiles,
    cudaStream_t stream);

/* --- Ink ------------------------------------------------------------------ */

typedef struct
{
  cudaStream_t stream;
  guint32 width, height, blocks_per_row, block_rows;
  CsInkPixel *pixels;
  guint8 *blocks;
  CsCudaScratch segments;
  CsCudaStaging staging;
} CsInkCuda;

void *cs_ink_cuda_create (CsExecutor * executor, guint width, guint height,
    GError ** error);
gboolean cs_ink_cuda_clear (void *state, GError ** error);
gboolean cs_ink_cuda_stamp (void *state, const CsInkSegment * segments,
    gsize n, float half_width, GError ** error);
void cs_ink_cuda_destroy (void *state);

G_END_DECLS
