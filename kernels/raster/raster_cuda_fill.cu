/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coverage of fills on the GPU: tiles that edges pass through get a block of
 * sums each, every edge is added to those of its tiles, and rows of tiles are
 * summed up from the left. */
#include "base/cuda_warp.cuh"
#include "raster_cuda.h"

#define THREADS 256
#define TILE CS_FILL_TILE

/* Differences of a tile: a column more than it has, for the tile on its right. */
#define SUM_COLUMNS (TILE + 1)
#define SUMS (TILE * SUM_COLUMNS)

/* A cell whose block is being numbered. */
#define CLAIMED (~0u)

struct Fills
{
  const CsFillRegion *regions;
  const CsFillEdge *edges;
  guint32 n_regions, n_edges;
  guint32 *cells, *n_used;
  guint32 capacity;
  gint32 *sums;
  guint16 *packed;
  gint32 height;
};

/* The last region whose @first is at most @i; empty ones come before it. */
template < typename First > static __device__ __forceinline__ guint32
find_region (const Fills & f, guint32 i, First first)
{
  guint32 low = 0, high = f.n_regions - 1;

  while (low < high) {
    const guint32 middle = low + (high - low + 1) / 2;

    if (first (f.regions[middle]) <= i)
      low = middle;
    else
      high = middle - 1;
  }
  return low;
}

static __device__ __forceinline__ guint32
find_region_of_edge (const Fills & f, guint32 edge)
{
  return find_region (f, edge,
      [] (const CsFillRegion & r) { return r.first_edge; });
}

/* Where the cell of a tile is; ~0 beyond the region's bounds. */
static __device__ __forceinline__ guint32
cell_at (const CsFillRegion & region, int x, int y)
{
  const int column = x - region.tile_x, row = y - region.tile_y;

  if (column < 0 || row < 0 || column >= region.n_columns ||
      row >= region.n_rows)
    return ~0u;
  return region.first_cell + (guint32) row * region.n_columns + column;
}

static __device__ __forceinline__ void
claim (const Fills & f, guint32 cell)
{
  if (f.cells[cell] != CS_FILL_EMPTY ||
      atomicCAS (&f.cells[cell], CS_FILL_EMPTY, CLAIMED) != CS_FILL_EMPTY)
    return;
  const guint32 block = atomicAdd (f.n_used, 1);

  f.cells[cell] = block < f.capacity ? CS_FILL_BLOCK + block : CS_FILL_EMPTY;
}

static __global__ void __launch_bounds__ (THREADS)
claim_blocks (const Fills f)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i >= f.n_edges)
    return;
  const CsFillEdge edge = f.edges[i];
  const CsFillRegion region = f.regions[find_region_of_edge (f, i)];

  for (int row = cs_fill_first_row (&edge); row <= cs_fill_last_row (&edge);
      row++) {
    const CsFillSpan span = cs_fill_span (&edge, row);
    const int last = cs_fill_last_column (&span) / TILE;

    for (int x = cs_fill_first_column (&span) / TILE; x <= last; x++) {
      const guint32 cell = cell_at (region, x, row / TILE);

      if (cell != ~0u)
        claim (f, cell);
    }
  }
}

static __global__ void __launch_bounds__ (THREADS)
accumulate (const Fills f)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i >= f.n_edges)
    return;
  const CsFillEdge edge = f.edges[i];
  const CsFillRegion region = f.regions[find_region_of_edge (f, i)];

  for (int row = cs_fill_first_row (&edge); row <= cs_fill_last_row (&edge);
      row++) {
    const CsFillSpan span = cs_fill_span (&edge, row);
    const int last = cs_fill_last_column (&span);

    for (int x = cs_fill_first_column (&span); x <= last; x++) {
      const guint32 at = cell_at (region, x / TILE, row / TILE);
      const guint32 cell = at != ~0u ? f.cells[at] : CS_FILL_EMPTY;
      gint32 beyond;
      const gint32 area = cs_fill_areas (&span, x, &beyond);

      if (cell < CS_FILL_BLOCK)
        continue;
      gint32 *sums = f.sums + (size_t) (cell - CS_FILL_BLOCK) * SUMS +
          row % TILE * SUM_COLUMNS + x % TILE;

      atomicAdd (&sums[0], area);
      if (beyond != 0)
        atomicAdd (&sums[1], beyond);
    }
  }
}

/* What a tile becomes whose pixels have these areas inside, one for each thread
 * of the block; rows below the picture do not count. @cell: it has a block. */
static __device__ __forceinline__ guint32
store (const Fills & f, guint32 cell, guint32 inside, bool counts)
{
  __shared__ guint32 block;

  if (cell < CS_FILL_BLOCK) {
    if (__syncthreads_and (!counts || inside == 0))
      return CS_FILL_EMPTY;
    if (__syncthreads_and (!counts || inside == CS_FILL_AREA))
      return CS_FILL_FULL;
    if (threadIdx.x == 0)
      block = atomicAdd (f.n_used, 1);
    __syncthreads ();
    cell = block < f.capacity ? CS_FILL_BLOCK + block : CS_FILL_EMPTY;
    /* before the next one is written */
    __syncthreads ();
    if (cell == CS_FILL_EMPTY)
      return cell;
  }
  f.packed[(size_t) (cell - CS_FILL_BLOCK) * CS_FILL_TILE_PIXELS +
      threadIdx.x] = cs_fill_pack (inside);
  return cell;
}

/* A block of threads for each region's row of tiles, from the left to the
 * right, a thread for each pixel of a tile. */
static __global__ void __launch_bounds__ (CS_FILL_TILE_PIXELS)
resolve (const Fills f)
{
  const CsFillRegion region = f.regions[find_region (f, blockIdx.x,
          [] (const CsFillRegion & r) { return r.first_row; })];
  const guint32 tile_row = blockIdx.x - region.first_row;
  guint32 *cells = f.cells + region.first_cell + tile_row * region.n_columns;
  const int row = threadIdx.x / TILE, column = threadIdx.x % TILE;
  const bool counts = (region.tile_y + (int) tile_row) * TILE + row < f.height;
  guint32 carry = 0;

  for (int i = 0; i < region.n_columns; i++) {
    const guint32 cell = cells[i];
    guint32 sum = 0, beyond = 0;

    if (cell >= CS_FILL_BLOCK) {
      const gint32 *sums = f.sums + (size_t) (cell - CS_FILL_BLOCK) * SUMS +
          row * SUM_COLUMNS;

      sum = (guint32) sums[column];
      beyond = (guint32) sums[TILE];
      sum = cs_group_inclusive_sum<TILE> (sum);
    }
    sum += carry;
    carry = __shfl_sync (CS_ALL_LANES, sum, TILE - 1, TILE) + beyond;

    const guint32 now = store (f, cell, cs_fill_inside (sum, region.rule),
        counts);

    /* all threads have read it */
    __syncthreads ();
    if (threadIdx.x == 0)
      cells[i] = now;
  }
}

static gboolean
carve (CsCudaScratch * scratch, const CsFillSet * set, Fills * f,
    cudaStream_t stream, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };

  do {
    /* the number that are used follows the cells, so that both are cleared */
    f->cells = CS_CUDA_CARVE (&carver, guint32, (gsize) set->n_cells + 1);
    f->sums = CS_CUDA_CARVE (&carver, gint32, (gsize) set->n_blocks * SUMS);
    f->packed = CS_CUDA_CARVE (&carver, guint16,
        (gsize) set->n_blocks * CS_FILL_TILE_PIXELS);
  } while (cs_cuda_carve_again (&carver, scratch, stream, error));
  if (!carver.base)
    return FALSE;
  f->n_used = f->cells + set->n_cells;
  return TRUE;
}

gboolean
cs_raster_cuda_fill (CsCudaScratch * scratch, const CsFillSet * set,
    const CsFillEdge * edges, guint height, CsFillCuda * fills,
    cudaStream_t stream, GError ** error)
{
  Fills f;

  memset (&f, 0, sizeof (f));
  f.regions = fills->regions;
  f.n_regions = fills->n_regions;
  f.edges = edges;
  f.n_edges = (guint32) set->edges.len;
  f.capacity = set->n_blocks;
  f.height = (gint32) height;
  if (!carve (scratch, set, &f, stream, error))
    return FALSE;
  fills->cells = f.cells;
  fills->packed = f.packed;
  if (set->n_cells == 0)
    return TRUE;
  if (!cs_cuda_check (cudaMemsetAsync (f.cells, 0,
              ((gsize) set->n_cells + 1) * sizeof (guint32), stream),
          "clear tiles", error) ||
      !cs_cuda_check (cudaMemsetAsync (f.sums, 0,
              (gsize) set->n_blocks * SUMS * sizeof (gint32), stream),
          "clear sums", error))
    return FALSE;
  const guint n_blocks = cs_cuda_blocks (f.n_edges, THREADS);

  claim_blocks <<< n_blocks, THREADS, 0, stream >>> (f);
  accumulate <<< n_blocks, THREADS, 0, stream >>> (f);
  resolve <<< set->n_rows, CS_FILL_TILE_PIXELS, 0, stream >>> (f);
  return cs_cuda_check (cudaGetLastError (), "cover fills", error);
}
