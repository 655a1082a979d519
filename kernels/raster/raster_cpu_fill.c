/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The coverage of fills on the CPU, a row of tiles (a band) at a time. */
#include "raster_cpu_fill.h"

#include <string.h>

#include "base/clones.h"

#define TILE CS_FILL_TILE

/* Fewer edges than this are done sooner than another thread wakes up. */
#define SERIAL_EDGES 500

/**
 * Band:
 * @sums: TILE rows of @stride differences, zero between regions; modulo 2^32
 * @touched: for each column of tiles whether there are any
 * @row: first row of pixels
 * @n_rows: how many rows there are
 *
 * What one thread works with.
 */
typedef struct
{
  guint32 *sums;
  guint8 *touched;
  gsize stride;
  gint row;
  guint n_rows;
} Band;

typedef struct
{
  CsFillCover *cover;
  const CsFillSet *set;
  guint n_bands, height;
  gsize stride, slot_size;
  const guint32 *starts, *entries;
  gint next_band;
  gint n_blocks;
} Job;

static inline guint
first_band (const CsFillEdge * e)
{
  return (guint) cs_fill_first_row (e) / TILE;
}

static inline guint
last_band (const CsFillEdge * e)
{
  return (guint) cs_fill_last_row (e) / TILE;
}

/* Which edges each band has, in their order. */
static gboolean
list_edges (Job * job, GError ** error)
{
  const CsFillEdge *edges = (const CsFillEdge *) (gpointer)
      job->set->edges.data;
  const gsize n = job->set->edges.len;
  guint64 n_entries = 0;
  guint band;

  for (gsize i = 0; i < n; i++)
    n_entries += last_band (&edges[i]) - first_band (&edges[i]) + 1;
  if (n_entries >= G_MAXUINT32)
    return cs_error (error, CS_ERROR_LIMIT,
        "the edges of filled regions cross too many rows");
  guint32 *starts = cs_scratch_ensure (&job->cover->lists_memory,
      (job->n_bands + 2 + n_entries) * sizeof (guint32), error);
  if (!starts)
    return FALSE;
  guint32 *entries = starts + job->n_bands + 2;
  /* one place ahead, so that filling in moves each start to its place */
  memset (starts, 0, (job->n_bands + 2) * sizeof (guint32));
  for (gsize i = 0; i < n; i++)
    for (band = first_band (&edges[i]); band <= last_band (&edges[i]); band++)
      starts[band + 2]++;
  for (band = 2; band < job->n_bands + 2; band++)
    starts[band] += starts[band - 1];
  for (gsize i = 0; i < n; i++)
    for (band = first_band (&edges[i]); band <= last_band (&edges[i]); band++)
      entries[starts[band + 1]++] = (guint32) i;
  job->starts = starts;
  job->entries = entries;
  return TRUE;
}

/* Adds the part of an edge within the band. */
static inline void
accumulate (Band * band, const CsFillEdge * e)
{
  const gint first = MAX (cs_fill_first_row (e), band->row);
  const gint last = MIN (cs_fill_last_row (e), band->row + TILE - 1);

  for (gint row = first; row <= last; row++) {
    const CsFillSpan span = cs_fill_span (e, row);
    guint32 *sums = band->sums + (gsize) (row - band->row) * band->stride;
    const gint end = cs_fill_last_column (&span);

    for (gint column = cs_fill_first_column (&span); column <= end; column++) {
      gint32 beyond;

      sums[column] += (guint32) cs_fill_areas (&span, column, &beyond);
      sums[column + 1] += (guint32) beyond;
      band->touched[column / TILE] = TRUE;
    }
  }
}

/* One tile's differences, which are cleared, to its coverage; @carry: the sums
 * at its left border, and afterwards at its right. */
static inline void
resolve_tile (Band * band, gint x, guint32 rule, gint32 carry[TILE],
    guint16 * packed)
{
  for (guint row = 0; row < TILE; row++) {
    guint32 *sums = band->sums + row * band->stride + x;
    guint32 sum = (guint32) carry[row];
    guint32 inside[TILE];

    for (guint i = 0; i < TILE; i++) {
      sum += sums[i];
      inside[i] = sum;
    }
    for (guint i = 0; i < TILE; i++)
      packed[row * TILE + i] = cs_fill_pack (cs_fill_inside (inside[i], rule));
    carry[row] = (gint32) (sum + sums[TILE]);
    memset (sums, 0, (TILE + 1) * sizeof (*sums));
  }
}

static inline guint32
store_tile (Job * job, const guint16 * packed)
{
  guint16 any = 0, all = G_MAXUINT16;

  for (guint i = 0; i < CS_FILL_TILE_PIXELS; i++) {
    any |= packed[i];
    all &= packed[i];
  }
  if (any == 0)
    return CS_FILL_EMPTY;
  if (all == G_MAXUINT16)
    return CS_FILL_FULL;
  const guint block = (guint) g_atomic_int_add (&job->n_blocks, 1);
  memcpy (job->cover->blocks + (gsize) block * CS_FILL_TILE_PIXELS, packed,
      CS_FILL_TILE_PIXELS * sizeof (*packed));
  return CS_FILL_BLOCK + block;
}

/* Whether all rows are inside, or all are outside, with these sums. */
static inline gboolean
is_uniform (const Band * band, const gint32 carry[TILE], guint32 rule)
{
  for (guint row = 1; row < band->n_rows; row++) {
    if (carry[row] != carry[0])
      return FALSE;
  }
  return cs_fill_inside ((guint32) carry[0], rule) % CS_FILL_AREA == 0;
}

/* One region's row of tiles. What no edge passes through is inside or outside
 * as a whole, or has horizontal borders only. */
static inline void
resolve (Job * job, Band * band, const CsFillRegion * region)
{
  guint32 *cells = job->cover->cells + region->first_cell +
      (guint32) (band->row / TILE - region->tile_y) *
      (guint32) region->n_columns;
  gint32 carry[TILE] = { 0 };
  guint16 packed[CS_FILL_TILE_PIXELS];

  for (gint i = 0; i < region->n_columns; i++) {
    const gint column = region->tile_x + i;

    if (band->touched[column] || !is_uniform (band, carry, region->rule)) {
      band->touched[column] = FALSE;
      resolve_tile (band, column * TILE, region->rule, carry, packed);
      cells[i] = store_tile (job, packed);
    } else {
      cells[i] = cs_fill_inside ((guint32) carry[0], region->rule) > 0 ?
          CS_FILL_FULL : CS_FILL_EMPTY;
    }
  }
}

static CS_CLONES void
cover_band (Job * job, Band * band, const guint32 * entries, gsize n)
{
  const CsFillEdge *edges = (const CsFillEdge *) (gpointer)
      job->set->edges.data;
  const CsFillRegion *region = (const CsFillRegion *) (gpointer)
      job->set->regions.data;
  gsize i = 0;

  while (i < n) {
    while (entries[i] - region->first_edge >= region->n_edges)
      region++;
    for (; i < n && entries[i] - region->first_edge < region->n_edges; i++)
      accumulate (band, &edges[entries[i]]);
    resolve (job, band, region);
  }
}

static void
work (void *user_data, guint index)
{
  Job *job = user_data;
  guint8 *slot = (guint8 *) job->cover->rows_memory.data +
      index * job->slot_size;
  Band band = {.sums = (guint32 *) (gpointer) slot,.stride = job->stride };
  gint i;

  band.touched = slot + TILE * job->stride * sizeof (gint32);
  memset (slot, 0, job->slot_size);
  while ((i = g_atomic_int_add (&job->next_band, 1)) < (gint) job->n_bands) {
    band.row = i * TILE;
    band.n_rows = MIN (TILE, job->height - (guint) band.row);
    cover_band (job, &band, job->entries + job->starts[i],
        job->starts[i + 1] - job->starts[i]);
  }
}

/* Rows are written one tile beyond the picture at most. */
static gboolean
ensure_memory (Job * job, guint n_threads, guint width, GError ** error)
{
  CsFillCover *cover = job->cover;
  const CsFillSet *set = job->set;

  job->stride = (width + TILE - 1) / TILE * TILE + TILE;
  job->slot_size = (TILE * job->stride * sizeof (gint32) +
      job->stride / TILE + 127) / 128 * 128;
  cover->cells = cs_scratch_ensure (&cover->cells_memory,
      set->n_cells * sizeof (guint32), error);
  cover->blocks = cover->cells ? cs_scratch_ensure (&cover->blocks_memory,
      (gsize) set->n_blocks * CS_FILL_TILE_PIXELS * sizeof (guint16), error) :
      NULL;
  return cover->blocks && cs_scratch_ensure (&cover->rows_memory,
      n_threads * job->slot_size, error);
}

gboolean
cs_fill_cover_update (CsFillCover * cover, CsExecutor * executor,
    const CsFillSet * set, guint width, guint height, GError ** error)
{
  Job job = {.cover = cover,.set = set,.n_bands = (height + TILE - 1) / TILE,
    .height = height
  };
  guint n_threads = MIN (cs_executor_get_n_threads (executor), job.n_bands);

  if (set->edges.len < SERIAL_EDGES)
    n_threads = 1;
  if (set->n_cells == 0)
    return TRUE;
  if (!ensure_memory (&job, n_threads, width, error) ||
      !list_edges (&job, error))
    return FALSE;
  memset (cover->cells, 0, set->n_cells * sizeof (guint32));
  cs_executor_parallel_for (executor, n_threads, work, &job);
  return TRUE;
}

void
cs_fill_cover_clear (CsFillCover * cover)
{
  cs_scratch_clear (&cover->cells_memory);
  cs_scratch_clear (&cover->blocks_memory);
  cs_scratch_clear (&cover->lists_memory);
  cs_scratch_clear (&cover->rows_memory);
}
