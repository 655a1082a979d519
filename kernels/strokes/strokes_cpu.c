/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The CPU backend: every stage reads one set of arrays and writes another. */
#include "strokes_cpu.h"

#include <string.h>

#include "base/sort.h"
#include "strokes_math.h"

#define NONE G_MAXUINT32

/**
 * Stage:
 * @points, @offsets, @sources: as in #CsStrokesList, but writable
 */
typedef struct
{
  CsStrokePoint *points;
  guint32 *offsets;
  guint32 *sources;
  gsize n_contours;
} Stage;

/* Double buffering: a stage reads one set and writes the other. */
typedef struct
{
  CsScratch points, offsets, sources;
} StageScratch;

typedef struct
{
  const CsStrokes *plan;
  StageScratch stages[2];
  CsScratch slots, next, owners, roots, chain, items, flags, heads, occupied;
  CsScratch sums;
} Cpu;

static void *
cpu_create (const CsStrokes * plan, GError ** error)
{
  Cpu *cpu = g_new0 (Cpu, 1);

  cpu->plan = plan;
  return cpu;
}

static void
cpu_destroy (void *state)
{
  Cpu *cpu = state;

  for (guint i = 0; i < 2; i++) {
    cs_scratch_clear (&cpu->stages[i].points);
    cs_scratch_clear (&cpu->stages[i].offsets);
    cs_scratch_clear (&cpu->stages[i].sources);
  }
  cs_scratch_clear (&cpu->slots);
  cs_scratch_clear (&cpu->next);
  cs_scratch_clear (&cpu->owners);
  cs_scratch_clear (&cpu->roots);
  cs_scratch_clear (&cpu->chain);
  cs_scratch_clear (&cpu->items);
  cs_scratch_clear (&cpu->flags);
  cs_scratch_clear (&cpu->heads);
  cs_scratch_clear (&cpu->occupied);
  cs_scratch_clear (&cpu->sums);
  g_free (cpu);
}

/* The buffer other than @used, for @n_contours of @n_points points. */
static gboolean
other_stage (Cpu * cpu, const Stage * used, gsize n_contours, gsize n_points,
    Stage * stage, GError ** error)
{
  StageScratch *scratch = &cpu->stages[used &&
      used->points == cpu->stages[0].points.data];

  stage->points = cs_scratch_ensure (&scratch->points,
      n_points * sizeof (CsStrokePoint), error);
  stage->offsets = stage->points ? cs_scratch_ensure (&scratch->offsets,
      (n_contours + 1) * sizeof (guint32), error) : NULL;
  stage->sources = stage->offsets ? cs_scratch_ensure (&scratch->sources,
      n_contours * sizeof (guint32), error) : NULL;
  if (!stage->sources)
    return FALSE;
  stage->offsets[0] = 0;
  stage->n_contours = 0;
  return TRUE;
}

static inline CsStrokePoint
without_negative_zero (CsStrokePoint point)
{
  return (CsStrokePoint) { point.x + 0.f, point.y + 0.f };
}

static void
close_contour (Stage * stage, guint32 end, guint32 source)
{
  stage->sources[stage->n_contours++] = source;
  stage->offsets[stage->n_contours] = end;
}

/* --- Exclude -------------------------------------------------------------- */

static inline gboolean
is_excluded (const CsBrushMask * mask, CsStrokePoint point)
{
  return !cs_strokes_is_near (point.x) || !cs_strokes_is_near (point.y) ||
      (mask && cs_strokes_is_masked (mask->bits, mask->width, mask->height,
          mask->stride, point.x, point.y));
}

/* Flags the excluded points, and counts them. */
static gsize
flag_excluded (const CsBrushMask * mask, const CsStrokePoint * points, gsize n,
    guint8 * flags)
{
  gsize i, count = 0;

  for (i = 0; i < n; i++) {
    flags[i] = is_excluded (mask, points[i]);
    count += flags[i];
  }
  return count;
}

/* Writes the parts of a contour between excluded points. A closed one is
 * rotated to start after the last of those, so that it is not cut at its
 * seam. */
static void
write_parts (const CsStrokePoint * points, gsize n, const guint8 * flags,
    guint32 source, Stage * out)
{
  const gboolean closed = cs_strokes_is_closed (points, n);
  const gsize ring = closed ? n - 1 : n;
  guint32 at = out->offsets[out->n_contours];
  gsize first = 0, i;

  if (closed) {
    for (first = ring; first > 0 && !flags[first - 1];)
      first--;
  }
  for (i = 0; i < ring; i++) {
    const gsize from = first + i < ring ? first + i : first + i - ring;

    if (!flags[from])
      out->points[at++] = without_negative_zero (points[from]);
    else if (at > out->offsets[out->n_contours])
      close_contour (out, at, source);
  }
  if (at > out->offsets[out->n_contours])
    close_contour (out, at, source);
}

static gboolean
exclude (Cpu * cpu, const CsStrokesInput * input, Stage * out, GError ** error)
{
  const gsize n = input->offsets[input->n_contours];
  const CsBrushMask *mask = input->mask && !input->mask->is_empty ?
      input->mask : NULL;
  guint8 *flags = cs_scratch_ensure (&cpu->flags, n, error);

  if (!flags || !other_stage (cpu, NULL, n, n, out, error))
    return FALSE;
  for (gsize i = 0; i < input->n_contours; i++) {
    const CsStrokePoint *points = input->points + input->offsets[i];
    const gsize size = input->offsets[i + 1] - input->offsets[i];
    const guint32 at = out->offsets[out->n_contours];

    if (size == 0)
      continue;
    if (flag_excluded (mask, points, size, flags) == 0) {
      for (gsize k = 0; k < size; k++)
        out->points[at + k] = without_negative_zero (points[k]);
      close_contour (out, at + size, i);
    } else if (cpu->plan->params.exclude == CS_STROKES_EXCLUDE_POINTS) {
      write_parts (points, size, flags, i, out);
    }
  }
  return TRUE;
}

/* --- A hash table of cells ------------------------------------------------ */

/**
 * Table:
 * @grid: its cells
 * @points: its points
 * @slots: index of a cell's first point, or %NONE
 * @mask: number of slots, a power of two, minus 1
 */
typedef struct
{
  CsStrokesGrid grid;
  const CsStrokePoint *points;
  guint32 *slots;
  guint32 mask;
} Table;

static gboolean
table_init (Cpu * cpu, Table * table, double distance,
    const CsStrokePoint * points, gsize n, GError ** error)
{
  gsize size = 64;

  while (size < 2 * n)
    size *= 2;
  table->grid = cs_strokes_grid (distance);
  table->points = points;
  table->mask = size - 1;
  table->slots = cs_scratch_ensure (&cpu->slots, size * sizeof (guint32),
      error);
  if (!table->slots)
    return FALSE;
  memset (table->slots, 0xff, size * sizeof (guint32));
  return TRUE;
}

/* The slot of a cell, or the empty one for it. */
static inline guint32 *
table_find (const Table * table, double column, double row)
{
  guint32 at = cs_strokes_hash (column, row) & table->mask;

  while (table->slots[at] != NONE) {
    const CsStrokePoint *point = &table->points[table->slots[at]];

    if (cs_strokes_cell (table->grid, point->x) == column &&
        cs_strokes_cell (table->grid, point->y) == row)
      break;
    at = (at + 1) & table->mask;
  }
  return &table->slots[at];
}

/* --- Merge ---------------------------------------------------------------- */

/**
 * Merger:
 * @owners: contour of each point
 * @next: the next point in the same cell, or %NONE
 * @roots: union-find: a contour of the same set with a lower index, or itself
 * @heads: the first point of each cell, @n_heads of them, ascending for
 *     locality
 * @occupied: a bit per slot, whether it has a cell: small enough for the L1
 *     cache
 */
typedef struct
{
  Table table;
  guint32 *owners, *next, *roots;
  guint32 *heads, *occupied;
  gsize n_heads;
} Merger;

static guint32
find_root (guint32 * roots, guint32 i)
{
  while (roots[i] != i) {
    roots[i] = roots[roots[i]];
    i = roots[i];
  }
  return i;
}

static void
unite (Merger * merger, guint32 a, guint32 b)
{
  const guint32 p = find_root (merger->roots, a);
  const guint32 q = find_root (merger->roots, b);

  if (p == q)
    return;
  merger->roots[MAX (p, q)] = MIN (p, q);
}

/* Inserts all points into their cells. Points of one cell are close. */
static void
merge_within_cells (Merger * merger, gsize n)
{
  for (guint32 i = 0; i < n; i++) {
    guint32 *slot = table_find (&merger->table,
        cs_strokes_cell (merger->table.grid, merger->table.points[i].x),
        cs_strokes_cell (merger->table.grid, merger->table.points[i].y));

    if (*slot == NONE) {
      const guint32 at = slot - merger->table.slots;

      *slot = i;
      merger->occupied[at / 32] |= 1u << at % 32;
      merger->heads[merger->n_heads++] = i;
      merger->next[i] = NONE;
      continue;
    }
    merger->next[i] = merger->next[*slot];
    merger->next[*slot] = i;
    if (merger->owners[i] != merger->owners[*slot])
      unite (merger, merger->owners[i], merger->owners[*slot]);
  }
}

/* Whether a point of one cell is close to one of another. */
static gboolean
cells_are_close (const Merger * merger, guint32 a, guint32 b)
{
  const CsStrokePoint *points = merger->table.points;

  for (guint32 i = a; i != NONE; i = merger->next[i]) {
    for (guint32 k = b; k != NONE; k = merger->next[k]) {
      if (cs_strokes_distance2 (points[i].x, points[i].y, points[k].x,
              points[k].y) <= merger->table.grid.limit)
        return TRUE;
    }
  }
  return FALSE;
}

/* Bitmap of a cell's neighbours that may exist; branchless, since branches
 * would be unpredictable. */
static inline guint
find_neighbours (const Merger * merger, double column, double row)
{
  guint found = 0;
  int i, dx, dy;

  for (i = 0; i < CS_STROKES_HALF_RING; i++) {
    cs_strokes_neighbour (i, &dx, &dy);
    guint32 at = cs_strokes_hash (column + dx, row + dy) & merger->table.mask;
    found |= (merger->occupied[at / 32] >> at % 32 & 1) << i;
  }
  return found;
}

static void
merge_cell (Merger * merger, guint32 head)
{
  const Table *table = &merger->table;
  const double column = cs_strokes_cell (table->grid, table->points[head].x);
  const double row = cs_strokes_cell (table->grid, table->points[head].y);
  guint found;
  int i, dx, dy;

  for (found = find_neighbours (merger, column, row), i = 0; found;
      found >>= 1, i++) {
    if (!(found & 1))
      continue;
    cs_strokes_neighbour (i, &dx, &dy);
    const guint32 other = *table_find (table, column + dx, row + dy);
    if (other == NONE || merger->owners[other] == merger->owners[head] ||
        find_root (merger->roots, merger->owners[other]) ==
        find_root (merger->roots, merger->owners[head]))
      continue;
    if (cells_are_close (merger, head, other))
      unite (merger, merger->owners[head], merger->owners[other]);
  }
}

static void
merge_between_cells (Merger * merger)
{
  if (merger->table.grid.inverse == 0)
    return;
  for (gsize i = 0; i < merger->n_heads; i++)
    merge_cell (merger, merger->heads[i]);
}

/* Finds groups of close contours: each root is a contour of the same set with a
 * lower index, or the contour itself. */
static gboolean
find_sets (Cpu * cpu, const Stage * in, guint32 ** roots, GError ** error)
{
  const gsize n = in->offsets[in->n_contours];
  Merger merger = { .n_heads = 0 };

  if (!table_init (cpu, &merger.table, cpu->plan->params.merge_distance,
          in->points, n, error))
    return FALSE;
  const gsize n_bytes = ((gsize) merger.table.mask + 1) / 8;
  if (!(merger.occupied = cs_scratch_ensure (&cpu->occupied, n_bytes, error)) ||
      !(merger.heads = cs_scratch_ensure (&cpu->heads, n * sizeof (guint32),
              error)) ||
      !(merger.owners = cs_scratch_ensure (&cpu->owners, n * sizeof (guint32),
              error)) ||
      !(merger.next = cs_scratch_ensure (&cpu->next, n * sizeof (guint32),
              error)) ||
      !(merger.roots = cs_scratch_ensure (&cpu->roots,
              in->n_contours * sizeof (guint32), error)))
    return FALSE;
  memset (merger.occupied, 0, n_bytes);
  for (guint32 i = 0; i < in->n_contours; i++) {
    merger.roots[i] = i;
    for (guint32 k = in->offsets[i]; k < in->offsets[i + 1]; k++)
      merger.owners[k] = i;
  }
  merge_within_cells (&merger, n);
  merge_between_cells (&merger);
  *roots = merger.roots;
  return TRUE;
}

/* Appends a contour, entered at @end, to the stage's last one. */
static guint32
append_contour (const Stage * in, guint32 end, Stage * out, guint32 at)
{
  const guint32 from = in->offsets[end / 2];
  const guint32 n = in->offsets[end / 2 + 1] - from;

  if (end & 1) {
    for (guint32 k = 0; k < n; k++)
      out->points[at + k] = in->points[from + n - 1 - k];
  } else {
    memcpy (out->points + at, in->points + from, n * sizeof (CsStrokePoint));
  }
  return at + n;
}

static gboolean
merge_ends (Cpu * cpu, const Stage * in, Stage * out, GError ** error)
{
  const CsStrokesList list = { in->points, in->offsets, in->sources,
    in->n_contours, in->offsets[in->n_contours]
  };
  guint32 *entries = cs_scratch_ensure (&cpu->chain,
      (2 * in->n_contours + 1) * sizeof (guint32), error);
  gsize n_chains, i;
  guint32 k, at = 0, lowest;

  if (!entries)
    return FALSE;
  guint32 *chains = entries + in->n_contours;

  if (!cs_strokes_join_ends (&cpu->slots, &list,
          cpu->plan->params.merge_distance, entries, chains, &n_chains, error)
      || !other_stage (cpu, in, n_chains, list.n_points, out, error))
    return FALSE;
  for (i = 0; i < n_chains; i++) {
    lowest = NONE;
    for (k = chains[i]; k < chains[i + 1]; k++) {
      at = append_contour (in, entries[k], out, at);
      lowest = MIN (lowest, in->sources[entries[k] / 2]);
    }
    close_contour (out, at, lowest);
  }
  return TRUE;
}

/* --- Small and duplicate -------------------------------------------------- */

static guint64
length_of (const CsStrokePoint * points, gsize n)
{
  guint64 length = 0;

  for (gsize i = 1; i < n; i++)
    length += cs_strokes_length (points[i - 1].x, points[i - 1].y,
        points[i].x, points[i].y);
  return length;
}

/* Number of points and, if needed, length of a contour or a set. */
typedef struct
{
  guint64 n_points, length;
} Size;

/* The sizes of all sets, at their roots. */
static Size *
sum_sets (Cpu * cpu, const Stage * stage, guint32 * roots, GError ** error)
{
  Size *sums = cs_scratch_ensure (&cpu->sums, stage->n_contours * sizeof (Size),
      error);

  if (!sums)
    return NULL;
  memset (sums, 0, stage->n_contours * sizeof (Size));
  for (gsize i = 0; i < stage->n_contours; i++) {
    const guint32 from = stage->offsets[i], n = stage->offsets[i + 1] - from;
    Size *sum = &sums[find_root (roots, (guint32) i)];

    sum->n_points += n;
    if (cpu->plan->params.min_length > 0)
      sum->length += length_of (stage->points + from, n);
  }
  return sums;
}

/* Removes small contours in place; by set, unless @roots is NULL. */
static gboolean
drop_small (Cpu * cpu, Stage * stage, guint32 * roots, GError ** error)
{
  const CsStrokesParams *params = &cpu->plan->params;
  const guint64 min_length =
      cs_strokes_min_length (MAX (params->min_length, 0));
  const Size *sums = roots ? sum_sets (cpu, stage, roots, error) : NULL;
  guint32 at = 0, begin = 0;
  gsize i, n = 0;

  if (roots && !sums)
    return FALSE;
  for (i = 0; i < stage->n_contours; i++) {
    const guint32 end = stage->offsets[i + 1], n_points = end - begin;
    Size size = { n_points, 0 };

    if (sums)
      size = sums[find_root (roots, (guint32) i)];
    else if (params->min_length > 0)
      size.length = length_of (stage->points + begin, n_points);
    if (size.n_points >= params->min_points && size.length >= min_length) {
      if (at != begin)
        memmove (stage->points + at, stage->points + begin,
            n_points * sizeof (CsStrokePoint));
      at += n_points;
      stage->sources[n++] = stage->sources[i];
      stage->offsets[n] = at;
    }
    begin = end;
  }
  stage->n_contours = n;
  return TRUE;
}

/* Whether a kept point in the neighbouring cells is close. */
static gboolean
has_close (const Table * table, CsStrokePoint point, double column, double row)
{
  for (int dy = -CS_STROKES_CELL_RADIUS; dy <= CS_STROKES_CELL_RADIUS; dy++) {
    for (int dx = -CS_STROKES_CELL_RADIUS; dx <= CS_STROKES_CELL_RADIUS; dx++) {
      const guint32 other = *table_find (table, column + dx, row + dy);

      if (other != NONE && cs_strokes_distance2 (point.x, point.y,
              table->points[other].x, table->points[other].y) <=
          table->grid.limit)
        return TRUE;
    }
  }
  return FALSE;
}

/* Whether point @i is kept; inserts it into the table then. A cell has at most
 * one kept point. */
static inline gboolean
keep_point (const Table * table, guint32 i)
{
  const CsStrokePoint point = table->points[i];
  const double column = cs_strokes_cell (table->grid, point.x);
  const double row = cs_strokes_cell (table->grid, point.y);
  guint32 *slot = table_find (table, column, row);

  if (*slot != NONE || (table->grid.inverse > 0 &&
          has_close (table, point, column, row)))
    return FALSE;
  *slot = i;
  return TRUE;
}

/* Compacts the kept points of a contour to @at, in place: @at never overtakes
 * the points read, and the table refers to points already moved. */
static guint32
keep_points (const Table * table, CsStrokePoint * points, guint32 begin,
    guint32 end, guint32 at)
{
  const gboolean closed = cs_strokes_is_closed (points + begin, end - begin);
  const guint32 last = closed ? end - 1 : end;
  gboolean keeps_first = FALSE;

  for (guint32 i = begin; i < last; i++) {
    points[at] = points[i];
    if (keep_point (table, at)) {
      at++;
      keeps_first |= i == begin;
    }
  }
  /* the closing point is kept with the first */
  if (closed && keeps_first)
    points[at++] = points[last];
  return at;
}

static gboolean
drop_duplicates (Cpu * cpu, Stage * stage, GError ** error)
{
  guint32 at = 0, begin = 0, start;
  gsize i, n = 0;
  Table table;

  if (!table_init (cpu, &table, cpu->plan->params.duplicate_distance,
          stage->points, stage->offsets[stage->n_contours], error))
    return FALSE;
  for (i = 0; i < stage->n_contours; i++) {
    const guint32 end = stage->offsets[i + 1];

    start = at;
    at = keep_points (&table, stage->points, begin, end, at);
    begin = end;
    if (at == start)
      continue;
    stage->sources[n++] = stage->sources[i];
    stage->offsets[n] = at;
  }
  stage->n_contours = n;
  return TRUE;
}

/* --- Biggest first -------------------------------------------------------- */

static gboolean
sort_by_size (Cpu * cpu, const Stage * in, Stage * out, GError ** error)
{
  const gsize n = in->n_contours;
  CsSortItem *items = cs_scratch_ensure (&cpu->items,
      2 * n * sizeof (CsSortItem), error);
  guint64 max_size = 0;

  if (!items || !other_stage (cpu, in, n, in->offsets[n], out, error))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    max_size = MAX (max_size, in->offsets[i + 1] - in->offsets[i]);
  for (gsize i = 0; i < n; i++) {
    items[i].key = max_size - (in->offsets[i + 1] - in->offsets[i]);
    items[i].value = i;
  }
  items = cs_sort (items, items + n, n);
  for (gsize i = 0; i < n; i++) {
    const guint32 number = items[i].value;
    const guint32 from = in->offsets[number], at = out->offsets[i];
    const guint32 size = in->offsets[number + 1] - from;

    memcpy (out->points + at, in->points + from, size * sizeof (CsStrokePoint));
    close_contour (out, at + size, in->sources[number]);
  }
  return TRUE;
}

/* -------------------------------------------------------------------------- */

/* Merges, and drops small contours. */
static gboolean
merge_and_drop (Cpu * cpu, Stage * stage, GError ** error)
{
  const CsStrokesParams *params = &cpu->plan->params;
  const gboolean drops = params->min_points > 1 || params->min_length > 0;
  guint32 *roots = NULL;
  Stage merged;

  if (stage->n_contours > 1 && cs_strokes_joins_ends (params)) {
    if (!merge_ends (cpu, stage, &merged, error))
      return FALSE;
    *stage = merged;
  } else if (stage->n_contours > 1 && params->merge_distance >= 0 && drops) {
    if (!find_sets (cpu, stage, &roots, error))
      return FALSE;
  }
  return !drops || drop_small (cpu, stage, roots, error);
}

/* Duplicates and biggest first. */
static gboolean
finish (Cpu * cpu, Stage * stage, CsStrokesList * list, GError ** error)
{
  const CsStrokesParams *params = &cpu->plan->params;
  Stage sorted;

  if (params->duplicate_distance >= 0 && stage->n_contours > 0 &&
      !drop_duplicates (cpu, stage, error))
    return FALSE;
  if ((params->biggest_first || params->order != CS_STROKES_ORDER_NONE) &&
      stage->n_contours > 1) {
    if (!sort_by_size (cpu, stage, &sorted, error))
      return FALSE;
    *stage = sorted;
  }
  list->points = stage->points;
  list->offsets = stage->offsets;
  list->sources = stage->sources;
  list->n_contours = stage->n_contours;
  list->n_points = stage->offsets[stage->n_contours];
  return TRUE;
}

gboolean
cs_strokes_cpu_finish (void *state, CsStrokesList * list, GError ** error)
{
  Cpu *cpu = state;
  Stage stage;

  if (!other_stage (cpu, NULL, list->n_contours, list->n_points, &stage, error))
    return FALSE;
  memcpy (stage.points, list->points, list->n_points * sizeof (CsStrokePoint));
  memcpy (stage.offsets, list->offsets, (list->n_contours + 1) *
      sizeof (guint32));
  memcpy (stage.sources, list->sources, list->n_contours * sizeof (guint32));
  stage.n_contours = list->n_contours;
  if (cs_strokes_joins_ends (&cpu->plan->params) &&
      !merge_and_drop (cpu, &stage, error))
    return FALSE;
  return finish (cpu, &stage, list, error);
}

static gboolean
cpu_run (void *state, const CsStrokesInput * input, CsStrokesList * list,
    GError ** error)
{
  Cpu *cpu = state;
  Stage stage;

  return exclude (cpu, input, &stage, error) &&
      merge_and_drop (cpu, &stage, error) &&
      finish (cpu, &stage, list, error);
}

const CsStrokesBackend cs_strokes_cpu_backend = {
  .create = cpu_create,
  .run = cpu_run,
  .destroy = cpu_destroy,
};
