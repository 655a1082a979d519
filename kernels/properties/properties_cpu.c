/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend: threads take bands of rows in turn, find their pieces and sort
 * them by label; of each label a band has a *segment*. Segments are sorted by
 * label; then threads take regions in turn, and measure the pieces of each. */
#include "properties_cpu.h"

#include "base/sort.h"

/* Pixels of a band: its pieces stay in a cache of a core */
#define BAND_PIXELS (1u << 19)
#define MIN_ROWS 32
/* Regions that are taken at once */
#define CHUNK 64

/**
 * Segment:
 * @lane: who has its pieces
 * @first, @n: there
 */
typedef struct
{
  guint32 label, lane;
  gsize first, n;
} Segment;

/* A band's segments. */
typedef struct
{
  CsArray segments;
} Band;

/**
 * PropertiesCpu:
 * @bands: as many as ever were needed
 * @segments, @items, @firsts: of all bands: Segment, CsSortItem32, the first item
 *     of each region
 */
typedef struct
{
  CsExecutor *executor;
  CsPropertiesLane *lanes;
  guint n_lanes;
  CsArray bands;
  CsScratch segments, items, firsts;
} PropertiesCpu;

/**
 * Run:
 * @band_rows: rows of a band
 * @next: the band, or chunk of regions, that is taken next
 * @error: the first one, under @lock
 * @segments: all, in the order of the bands
 * @order: in it their numbers are the values, in the order of the labels
 * @firsts: of each region the first in @order; and their end
 */
typedef struct
{
  PropertiesCpu *cpu;
  const CsPropertiesParams *params;
  const CsLabelsPicture *picture;
  guint band_rows, n_bands;
  gint next, failed;
  GMutex lock;
  GError *error;
  const Segment *segments;
  gsize n_segments;
  const CsSortItem32 *order;
  const guint32 *firsts;
  gsize n_regions;
  CsPropertiesTable table;
} Run;

static void
cpu_destroy (void *state)
{
  PropertiesCpu *cpu = state;

  for (guint i = 0; i < cpu->n_lanes; i++) {
    CsPropertiesLane *lane = &cpu->lanes[i];

    cs_scratch_clear (&lane->rows);
    cs_scratch_clear (&lane->items);
    cs_scratch_clear (&lane->sorted);
    cs_scratch_clear (&lane->chains);
    cs_array_clear (&lane->pieces);
  }
  for (gsize i = 0; i < cpu->bands.len; i++)
    cs_array_clear (&cs_array_index (&cpu->bands, Band, i).segments);
  g_free (cpu->lanes);
  cs_array_clear (&cpu->bands);
  cs_scratch_clear (&cpu->segments);
  cs_scratch_clear (&cpu->items);
  cs_scratch_clear (&cpu->firsts);
  g_free (cpu);
}

static void *
cpu_create (CsExecutor * executor, G_GNUC_UNUSED GError ** error)
{
  PropertiesCpu *cpu = g_new0 (PropertiesCpu, 1);

  cpu->executor = executor;
  cpu->n_lanes = cs_executor_get_n_threads (executor);
  cpu->lanes = g_new0 (CsPropertiesLane, cpu->n_lanes);
  cs_array_init (&cpu->bands, sizeof (Band));
  for (guint i = 0; i < cpu->n_lanes; i++)
    cs_array_init (&cpu->lanes[i].pieces, sizeof (CsPropertiesPiece));
  return cpu;
}

static void
fail (Run * run, GError * error)
{
  g_mutex_lock (&run->lock);
  if (!run->error)
    run->error = error;
  else
    g_error_free (error);
  g_mutex_unlock (&run->lock);
  g_atomic_int_set (&run->failed, TRUE);
}

/* Runs @func in as many lanes as have something to do. */
static gboolean
run_lanes (Run * run, gsize n_items, CsParallelFunc func, GError ** error)
{
  run->next = 0;
  cs_executor_parallel_for (run->cpu->executor, MIN (run->cpu->n_lanes,
          n_items), func, run);
  if (!run->error)
    return TRUE;
  g_propagate_error (error, g_steal_pointer (&run->error));
  return FALSE;
}

/* --- Bands ---------------------------------------------------------------- */

/* The pieces of @lane from @first on, sorted by label and else as they were; the
 * segments, whose lane is @index, into @segments. */
static gboolean
sort_pieces (CsPropertiesLane * lane, guint index, gsize first,
    CsArray * segments, GError ** error)
{
  const gsize n = lane->pieces.len - first;
  CsPropertiesPiece *pieces = &cs_array_index (&lane->pieces,
      CsPropertiesPiece, first);
  CsSortItem32 *items = cs_scratch_ensure (&lane->items,
      2 * MAX (n, 1) * sizeof (*items), error);
  CsPropertiesPiece *sorted = items ? cs_scratch_ensure (&lane->sorted,
      MAX (n, 1) * sizeof (*sorted), error) : NULL;
  gsize begin = 0;

  if (!sorted)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    items[i] = (CsSortItem32) { pieces[i].label, (guint32) i };
  const CsSortItem32 *order = cs_sort32 (items, items + n, n);
  for (gsize i = 0; i < n; i++) {
    sorted[i] = pieces[order[i].value];
    if (i + 1 < n && order[i + 1].key == order[i].key)
      continue;
    const Segment segment = { order[i].key, index, first + begin,
      i + 1 - begin
    };

    if (!cs_array_append_val (segments, segment))
      return cs_fail_no_memory (error, "segments of regions");
    begin = i + 1;
  }
  if (n > 0)
    memcpy (pieces, sorted, n * sizeof (*pieces));
  return TRUE;
}

static void
run_bands (gpointer data, guint index)
{
  Run *run = data;
  const gboolean neighbours = cs_properties_need_neighbours (run->params->
      wanted);
  CsPropertiesLane *lane = &run->cpu->lanes[index];
  GError *error = NULL;
  guint i;

  cs_array_empty (&lane->pieces);
  while (!g_atomic_int_get (&run->failed) &&
      (i = (guint) g_atomic_int_add (&run->next, 1)) < run->n_bands) {
    CsArray *segments = &cs_array_index (&run->cpu->bands, Band, i).segments;
    const guint begin = i * run->band_rows;
    const guint end = MIN (begin + run->band_rows, run->picture->height);
    const gsize first = lane->pieces.len;

    cs_array_empty (segments);
    if (!cs_properties_cpu_rows (run->picture, begin, end, neighbours, lane,
            &error) || !sort_pieces (lane, index, first, segments, &error)) {
      fail (run, error);
      return;
    }
  }
}

static gboolean
find_segments (Run * run, GError ** error)
{
  const CsLabelsPicture *picture = run->picture;
  CsArray *bands = &run->cpu->bands;

  run->band_rows = MAX (BAND_PIXELS / MAX (picture->width, 1), MIN_ROWS);
  run->n_bands = (picture->height + run->band_rows - 1) / run->band_rows;
  /* all threads have a band, unless it would be thin */
  if (run->n_bands < run->cpu->n_lanes) {
    run->band_rows = MAX (picture->height / run->cpu->n_lanes, MIN_ROWS);
    run->n_bands = (picture->height + run->band_rows - 1) / run->band_rows;
  }
  while (bands->len < run->n_bands) {
    Band band;

    cs_array_init (&band.segments, sizeof (Segment));
    if (!cs_array_append_val (bands, band))
      return cs_fail_no_memory (error, "bands of labels");
  }
  if (run->n_bands > 1)
    cs_properties_take (CS_PROPERTIES_SEVERAL);
  return run_lanes (run, run->n_bands, run_bands, error);
}

/* --- Regions -------------------------------------------------------------- */

/* All segments in one array, and their numbers in the order of the labels. */
static gboolean
sort_segments (Run * run, GError ** error)
{
  PropertiesCpu *cpu = run->cpu;
  gsize n = 0;

  for (guint i = 0; i < run->n_bands; i++)
    n += cs_array_index (&cpu->bands, Band, i).segments.len;
  Segment *segments = cs_scratch_ensure (&cpu->segments,
      MAX (n, 1) * sizeof (*segments), error);
  CsSortItem32 *items = segments ? cs_scratch_ensure (&cpu->items,
      2 * MAX (n, 1) * sizeof (*items), error) : NULL;

  if (!items)
    return FALSE;
  run->segments = segments;
  run->n_segments = 0;
  for (guint i = 0; i < run->n_bands; i++) {
    const CsArray *own = &cs_array_index (&cpu->bands, Band, i).segments;

    for (gsize k = 0; k < own->len; k++) {
      const Segment segment = cs_array_index (own, Segment, k);

      items[run->n_segments] = (CsSortItem32) { segment.label,
        (guint32) run->n_segments
      };
      segments[run->n_segments++] = segment;
    }
  }
  run->order = cs_sort32 (items, items + n, n);
  return TRUE;
}

static gboolean
find_regions (Run * run, GError ** error)
{
  const gsize n = run->n_segments;
  guint32 *firsts = cs_scratch_ensure (&run->cpu->firsts,
      (n + 1) * sizeof (*firsts), error);

  if (!firsts)
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (i == 0 || run->order[i].key != run->order[i - 1].key)
      firsts[run->n_regions++] = (guint32) i;
  firsts[run->n_regions] = (guint32) n;
  run->firsts = firsts;
  if (run->n_regions < n)
    cs_properties_take (CS_PROPERTIES_JOINED);
  return TRUE;
}

/**
 * Pieces:
 * @at, @n: of the segment
 * @segment, @end: in the order of the segments
 *
 * Those of a region.
 */
typedef struct
{
  const Run *run;
  const CsPropertiesPiece *at;
  gsize n;
  guint32 segment, end;
} Pieces;

static void
open_segment (Pieces * pieces)
{
  const Run *run = pieces->run;
  const Segment *segment = &run->segments[run->order[pieces->segment].value];

  pieces->at = &cs_array_index (&run->cpu->lanes[segment->lane].pieces,
      CsPropertiesPiece, segment->first);
  pieces->n = segment->n;
}

static Pieces
begin_pieces (const Run * run, gsize region)
{
  Pieces pieces = { run, NULL, 0, run->firsts[region], run->firsts[region + 1] };

  open_segment (&pieces);
  return pieces;
}

static inline const CsPropertiesPiece *
next_piece (Pieces * pieces)
{
  if (pieces->n == 0) {
    if (++pieces->segment == pieces->end)
      return NULL;
    open_segment (pieces);
  }
  pieces->n--;
  return pieces->at++;
}

static void
add_pieces (const Run * run, gsize i, CsPropertiesRegion * region)
{
  Pieces pieces = begin_pieces (run, i);
  const CsPropertiesPiece *piece;

  *region = (CsPropertiesRegion) {
    .label = pieces.at->label,
    .top = cs_properties_row (pieces.at),
  };
  while ((piece = next_piece (&pieces))) {
    cs_properties_add (&region->sums, piece);
    region->bottom = cs_properties_row (piece);
  }
}

static gboolean
find_hull (const Run * run, gsize i, CsPropertiesLane * lane,
    CsPropertiesRegion * region, GError ** error)
{
  const guint32 left = ~region->sums.not_left, right = region->sums.right;
  const gsize height = region->bottom + 1 - region->top;
  CsPropertiesPoint *chains[2], *sides[2];
  const CsPropertiesPiece *piece;
  guint32 n[2] = { 0, 0 };
  guint64 sum = 0;

  chains[0] = cs_scratch_ensure (&lane->chains, 4 * height *
      sizeof (**chains), error);
  if (!chains[0])
    return FALSE;
  chains[1] = chains[0] + height;
  for (Pieces pieces = begin_pieces (run, i); (piece = next_piece (&pieces));) {
    const guint32 x = cs_properties_column (piece);
    const guint32 y = cs_properties_row (piece) - region->top;

    n[0] = cs_properties_push (chains[0], n[0], x - left, y);
    n[1] = cs_properties_push (chains[1], n[1],
        right + 1 - x - cs_properties_n_pixels (piece), y);
  }
  for (guint k = 0; k < 2; k++) {
    sides[k] = chains[0] + (2 + k) * height;
    sum += cs_properties_widen (chains[k], n[k], sides[k], &n[k]);
  }
  region->convex = (guint64) (right + 1 - left) * height - sum;
  region->diameter2 = cs_properties_diameter (sides[0], n[0], sides[1], n[1],
      right + 1 - left, run->params->row_spacing,
      run->params->column_spacing);
  return TRUE;
}

static void
find_moments (const Run * run, gsize i, const CsPropertiesRegion * region,
    CsPropertiesMoments * moments)
{
  const guint32 left = ~region->sums.not_left;
  const CsPropertiesPiece *piece;

  memset (moments, 0, sizeof (*moments));
  for (Pieces pieces = begin_pieces (run, i); (piece = next_piece (&pieces));)
    cs_properties_add_moments (moments, piece, left, region->top);
}

static void
run_regions (gpointer data, guint index)
{
  Run *run = data;
  const guint32 wanted = run->params->wanted;
  const gboolean hulls = cs_properties_need_hulls (wanted);
  const gboolean wide = cs_properties_need_wide (wanted);
  CsPropertiesLane *lane = &run->cpu->lanes[index];
  GError *error = NULL;
  gsize begin;

  while (!g_atomic_int_get (&run->failed) && (begin =
          (gsize) (guint) g_atomic_int_add (&run->next, 1) * CHUNK) <
      run->n_regions)
    for (gsize i = begin; i < MIN (begin + CHUNK, run->n_regions); i++) {
      CsPropertiesRegion region;
      CsPropertiesMoments moments;

      add_pieces (run, i, &region);
      if (hulls && !find_hull (run, i, lane, &region, &error)) {
        fail (run, error);
        return;
      }
      if (wide)
        find_moments (run, i, &region, &moments);
      cs_properties_finish (&run->table, i, &region, wide ? &moments : NULL);
    }
}

static gboolean
measure (Run * run, CsPropertiesOutput * output, GError ** error)
{
  const guint32 wanted = run->params->wanted;

  output->columns = cs_properties_alloc (output, wanted, run->n_regions, TRUE,
      error);
  if (!output->columns)
    return FALSE;
  run->table = (CsPropertiesTable) {
    *run->params, output->columns, output->stride
  };
  if (cs_properties_need_hulls (wanted))
    cs_properties_take (CS_PROPERTIES_HULLS);
  if (cs_properties_need_wide (wanted))
    cs_properties_take (CS_PROPERTIES_WIDE);
  return run_lanes (run, (run->n_regions + CHUNK - 1) / CHUNK, run_regions,
      error);
}

/* --- Runs ----------------------------------------------------------------- */

static gboolean
check_memory (const CsLabelsPicture * picture, GError ** error)
{
  if (picture->memory == CS_MEMORY_DEVICE)
    return cs_error (error, CS_ERROR_INVALID,
        "labels are in GPU memory: download them first to use the CPU");
  return TRUE;
}

static gboolean
cpu_warm_up (G_GNUC_UNUSED void *state,
    G_GNUC_UNUSED const CsPropertiesParams * params,
    const CsLabelsPicture * picture, GError ** error)
{
  return check_memory (picture, error);
}

static gboolean
cpu_run (void *state, const CsPropertiesParams * params,
    const CsLabelsPicture * picture, CsPropertiesOutput * output,
    GError ** error)
{
  Run run = {.cpu = state,.params = params,.picture = picture };

  if (!check_memory (picture, error))
    return FALSE;
  g_mutex_init (&run.lock);
  const gboolean ok = find_segments (&run, error) &&
      sort_segments (&run, error) && find_regions (&run, error) &&
      measure (&run, output, error);
  g_mutex_clear (&run.lock);
  return ok;
}

const CsPropertiesBackend cs_properties_cpu_backend = {
  cpu_create,
  cpu_warm_up,
  cpu_run,
  cpu_destroy,
};
