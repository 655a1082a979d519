/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: from samples to linked segments, one band at a time. */
#include "contours_cpu.h"

#include <string.h>

#include "base/clones.h"
#include "base/memory.h"
#include "contours_math.h"

/* Out of line: a copy for every edge of every case would be too much code. */
static __attribute__ ((noinline, const))
double
half_value (guint16 half)
{
  return cs_half_to_double (half);
}

static inline double
load_sample (const guint8 * data, CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return *data;
    case CS_SAMPLE_U16:
      return *(const guint16 *) data;
    case CS_SAMPLE_F16:
      return half_value (*(const guint16 *) data);
    case CS_SAMPLE_F32:
      return *(const gfloat *) data;
    default:
      return *(const gdouble *) data;
  }
}

double
cs_cpu_load_sample (const guint8 * data, CsSampleType type)
{
  return load_sample (data, type);
}

/* Word @w of @row shifted by one pixel: bit i is that of the right
 * neighbour. */
static inline guint64
shifted_word (const guint64 * row, guint w)
{
  return row[w] >> 1 | row[w + 1] << 63;
}

static inline guint64
low_bits (guint n)
{
  return n < 64 ? (G_GUINT64_CONSTANT (1) << n) - 1 :
      ~G_GUINT64_CONSTANT (0);
}

static inline const guint64 *
above_row (const CsContoursCpu * cpu, const CsPlane * plane, guint row)
{
  return plane->above + (gsize) row * cpu->n_words;
}

static inline const guint64 *
valid_row (const CsContoursCpu * cpu, const CsPlane * plane, guint row)
{
  return plane->row_has_invalid[row] ?
      plane->valid + (gsize) row * cpu->n_words : cpu->all_valid;
}

/* Corner bits of a row of cells: above the level, and valid. */
typedef struct
{
  const guint64 *top, *bottom, *valid_top, *valid_bottom;
  gboolean has_invalid;
  guint n_cells;
} CellBits;

static CellBits
cell_bits (const CsContoursCpu * cpu, const CsPlane * plane, guint row)
{
  return (CellBits) {
    .top = above_row (cpu, plane, row),
    .bottom = above_row (cpu, plane, row + 1),
    .valid_top = valid_row (cpu, plane, row),
    .valid_bottom = valid_row (cpu, plane, row + 1),
    .has_invalid = plane->row_has_invalid[row] ||
        plane->row_has_invalid[row + 1],
    .n_cells = cpu->shape.width - 1,
  };
}

/* The cells of a word: active are those whose corners differ and are valid. */
typedef struct
{
  guint64 ul, ur, ll, lr, active;
} CellWord;

static inline CellWord
load_cells (const CellBits * bits, guint w)
{
  CellWord c;

  c.ul = bits->top[w];
  c.ll = bits->bottom[w];
  c.ur = shifted_word (bits->top, w);
  c.lr = shifted_word (bits->bottom, w);
  c.active = (c.ul | c.ur | c.ll | c.lr) & ~(c.ul & c.ur & c.ll & c.lr) &
      low_bits (bits->n_cells - 64 * w);
  if (bits->has_invalid)
    c.active &= bits->valid_top[w] & bits->valid_bottom[w] &
        shifted_word (bits->valid_top, w) &
        shifted_word (bits->valid_bottom, w);
  return c;
}

CS_CLONES static gsize
count_row (const CellBits * bits)
{
  gsize n = 0;
  guint w;

  for (w = 0; w < CS_ROW_WORDS (bits->n_cells); w++) {
    const CellWord c = load_cells (bits, w);

    if (c.active)
      n += (gsize) __builtin_popcountll (c.active) +
          (gsize) __builtin_popcountll (c.active & (c.ul ^ c.ur) &
          (c.ul ^ c.ll) & (c.ur ^ c.lr));
  }
  return n;
}

void
cs_cpu_count (CsContoursCpu * cpu, CsJob * job)
{
  guint row;

  job->max_segments = 0;
  for (row = job->row0; row < job->row1; row++) {
    const CellBits bits = cell_bits (cpu, job->plane, row);

    job->max_segments += count_row (&bits);
  }
}

static inline void
join (const CsSegments * segments, gint32 before, gint32 after)
{
  segments->next[before] = after;
  segments->prev[after] = before;
}

/* The tie rule at a pixel: links to the pending end, or becomes pending. */
static inline void
pixel_event (CsJob * job, const CsSegments * segments, guint row,
    guint column, gint32 segment, gboolean is_end)
{
  CsSlot *slot = &job->slots[row & 1][column];

  if (slot->row != (gint32) row) {
    slot->row = (gint32) row;
    slot->start = slot->end = -1;
  }
  if (is_end) {
    if (slot->start >= 0) {
      join (segments, segment, slot->start);
      slot->start = -1;
    } else {
      job->n_overwritten += slot->end >= 0;
      slot->end = segment;
    }
  } else {
    if (slot->end >= 0) {
      join (segments, slot->end, segment);
      slot->end = -1;
    } else {
      job->n_overwritten += slot->start >= 0;
      slot->start = segment;
    }
  }
}

static void
defer (CsJob * job, CsDeferredKind kind, guint column, gint32 segment)
{
  job->deferred[job->n_deferred++] = (CsDeferred) {
  kind, column, segment};
}

/*
 * Edges that cross the level, by index: those from pixel to pixel of row y at
 * edge_row (y) + column, for the two rows that a row of cells touches; those to
 * the pixel below at edge_column () + column.
 */
static inline gsize
edge_row (const CsContoursCpu * cpu, guint row)
{
  return (row & 1) * (gsize) cpu->shape.width;
}

static inline gsize
edge_column (const CsContoursCpu * cpu)
{
  return 2 * (gsize) cpu->shape.width;
}

/* Values of pending[] besides segments. */
#define NO_SEGMENT -1
#define COLLAPSED -2            /* the crossing fell onto a pixel */

#define HOT static inline __attribute__ ((always_inline))

/* Computes the crossings of word @w of edges, those set in @differ, between the
 * samples at @from and @to, and resets what is pending there. */
HOT void
cross_word (CsSampleType type, gsize step, guint64 differ, guint w,
    const guint8 * from, const guint8 * to, double level, gboolean horizontal,
    double origin, double *position, gint32 * pending)
{
  for (; differ; differ &= differ - 1) {
    const guint i = 64 * w + (guint) __builtin_ctzll (differ);

    position[i] = (horizontal ? origin + i : origin) +
        cs_crossing_fraction (load_sample (from + i * step, type),
        load_sample (to + i * step, type), level);
    pending[i] =
        cs_crossing_is_collapsed (position[i]) ? COLLAPSED : NO_SEGMENT;
  }
}

/* Crossings within pixel row @row. */
HOT void
cross_row (const CsContoursCpu * cpu, CsJob * job, CsSampleType type, guint row)
{
  const CsImage *image = cs_cpu_image (cpu, job->plane->derived);
  const guint n = cpu->shape.width - 1;
  const gsize step = image->pixel_stride;
  const guint64 *bits = above_row (cpu, job->plane, row);
  const guint8 *samples = cs_cpu_row (image, job->plane->offset, row);
  const gsize edges = edge_row (cpu, row);
  guint w;

  for (w = 0; w < CS_ROW_WORDS (n); w++)
    cross_word (type, step, (bits[w] ^ shifted_word (bits, w)) &
        low_bits (n - 64 * w), w, samples, samples + step, job->plane->level,
        TRUE, cpu->input->origin_x, job->position + edges,
        job->pending + edges);
}

/* Crossings between pixel rows @row and @row + 1. */
HOT void
cross_columns (const CsContoursCpu * cpu, CsJob * job, CsSampleType type,
    guint row)
{
  const CsImage *image = cs_cpu_image (cpu, job->plane->derived);
  const guint64 *top = above_row (cpu, job->plane, row);
  const guint64 *bottom = above_row (cpu, job->plane, row + 1);
  const guint8 *samples = cs_cpu_row (image, job->plane->offset, row);
  const gsize edges = edge_column (cpu);
  guint w;

  for (w = 0; w < CS_ROW_WORDS (cpu->shape.width); w++)
    cross_word (type, image->pixel_stride, top[w] ^ bottom[w], w, samples,
        samples + image->row_stride, job->plane->level, FALSE,
        (double) cpu->input->origin_y + row, job->position + edges,
        job->pending + edges);
}

typedef struct
{
  guint row, column;
  gint32 before;                /* segment hit by a ray to the left */
} CellPlace;

/* Context of a row of cells. */
typedef struct
{
  CsContoursCpu *cpu;
  CsJob *job;
  const gsize *edges;           /* first edge of top, right, bottom, left */
  double origin_x, origin_y;
  gboolean top_is_deferred;
  gint32 first;                 /* segment of this row */
} CellRow;

/* The pixel onto which the crossing on @edge collapsed. */
static void
collapsed_pixel (const CellRow * cells, CellPlace at, gint edge,
    double position, guint * row, guint * column)
{
  if (edge == CS_EDGE_T || edge == CS_EDGE_B) {
    *row = at.row + (edge == CS_EDGE_B);
    *column = (guint) (position - cells->origin_x);
  } else {
    *row = (guint) (position - cells->origin_y);
    *column = at.column + (edge == CS_EDGE_R);
  }
}

static gboolean
same_pixel (const CellRow * cells, CellPlace at, gint edge_a, double a,
    gint edge_b, double b)
{
  guint row_a, column_a, row_b, column_b;

  collapsed_pixel (cells, at, edge_a, a, &row_a, &column_a);
  collapsed_pixel (cells, at, edge_b, b, &row_b, &column_b);
  return row_a == row_b && column_a == column_b;
}

static void
collapsed_event (const CellRow * cells, CellPlace at, gint edge,
    double position, gint32 segment, gboolean is_end)
{
  CsJob *job = cells->job;
  guint row, column;

  collapsed_pixel (cells, at, edge, position, &row, &column);
  if (job->row0 > 0 && row == job->row0)
    defer (job, is_end ? CS_DEFERRED_PIXEL_END : CS_DEFERRED_PIXEL_START,
        column, segment);
  else
    pixel_event (job, &cells->cpu->segments, row, column, segment, is_end);
}

/* An end of @segment on @edge: links it to what is pending there, and leaves it
 * pending for the neighbour. Branchless: the edge is unpredictable. Sets the
 * segment's own link, -1 if there is none yet. */
HOT void
edge_event (const CellRow * cells, CellPlace at, gint edge, gint32 segment,
    gboolean is_end)
{
  const CsSegments *segments = &cells->cpu->segments;
  gint32 *pending = &cells->job->pending[cells->edges[edge] + at.column];
  const gint32 other = *pending;
  gint32 unused, *others;

  if (is_end) {
    segments->next[segment] = other;
    others = other >= 0 ? &segments->prev[other] : &unused;
  } else {
    segments->prev[segment] = other;
    others = other >= 0 ? &segments->next[other] : &unused;
  }
  *others = segment;
  *pending = segment;
  if (G_UNLIKELY (cells->top_is_deferred) && edge == CS_EDGE_T)
    defer (cells->job, is_end ? CS_DEFERRED_EDGE_END : CS_DEFERRED_EDGE_START,
        at.column, segment);
}

static inline void
edge_point (double origin_x, double origin_y, guint column, guint row,
    gint edge, double position, double *x, double *y)
{
  const gboolean horizontal = edge == CS_EDGE_T || edge == CS_EDGE_B;

  *x = horizontal ? position : origin_x + column + (edge == CS_EDGE_R);
  *y = horizontal ? origin_y + row + (edge == CS_EDGE_B) : position;
}

static inline void
store_point (void *points, CsPointFormat format, gsize i, double x, double y)
{
  if (format == CS_POINTS_F32) {
    ((float *) points)[2 * i] = (float) x;
    ((float *) points)[2 * i + 1] = (float) y;
  } else {
    ((double *) points)[2 * i] = x;
    ((double *) points)[2 * i + 1] = y;
  }
}

/* Everything about a segment but its links. */
HOT void
store_segment (const CellRow * cells, CellPlace at, gint from, gint to,
    gint32 segment)
{
  const CsSegments *segments = &cells->cpu->segments;
  double x, y;

  segments->info[segment] =
      CS_INFO (at.column, cs_left_ray_is_high (from, to, 0),
      cs_right_ray_is_high (from, to, 0), from);
  if (segments->left)
    segments->left[segment] = at.before;
  edge_point (cells->origin_x, cells->origin_y, at.column, at.row, to,
      cells->job->position[cells->edges[to] + at.column], &x, &y);
  store_point (segments->to, cells->cpu->format, segment, x, y);
}

/* Whether the crossing on a segment's edge @edge, left or right, is the upper
 * pixel of that edge. */
static gboolean
is_at_top (const CellRow * cells, CellPlace at, gint from, gint to, gint edge)
{
  return (from == edge || to == edge) &&
      cells->job->position[cells->edges[edge] + at.column] ==
      cells->origin_y + at.row;
}

/* Hierarchy, where crossings collapsed: what a ray to the left hits. */
static void
resolve_collapsed_ray (const CellRow * cells, CellPlace at, gint from, gint to,
    gint32 segment)
{
  const CsSegments *segments = &cells->cpu->segments;
  const gboolean left_at_top = is_at_top (cells, at, from, to, CS_EDGE_L);

  segments->info[segment] = CS_INFO (at.column,
      cs_left_ray_is_high (from, to, left_at_top),
      cs_right_ray_is_high (from, to,
          is_at_top (cells, at, from, to, CS_EDGE_R)), from);
  /* this one lies between the cell's first segment and the corner */
  if (segments->left && left_at_top && segment > cells->first &&
      (from == CS_EDGE_B || to == CS_EDGE_B) &&
      CS_INFO_COLUMN (segments->info[segment - 1]) == at.column)
    segments->left[segment - 1] = segment;
}

/* A segment with collapsed ends. Rare, hence out of line. */
static __attribute__ ((noinline, cold))
gint32
add_collapsed_segment (const CellRow * cells, CellPlace at, gint from, gint to,
    gint32 segment)
{
  const CsSegments *segments = &cells->cpu->segments;
  const CsJob *job = cells->job;
  const gsize a = cells->edges[from] + at.column;
  const gsize b = cells->edges[to] + at.column;
  const gboolean a_collapsed = job->pending[a] == COLLAPSED;
  const gboolean b_collapsed = job->pending[b] == COLLAPSED;

  if (a_collapsed && b_collapsed &&
      same_pixel (cells, at, from, job->position[a], to, job->position[b]))
    return segment;
  store_segment (cells, at, from, to, segment);
  resolve_collapsed_ray (cells, at, from, to, segment);
  segments->prev[segment] = -1;
  segments->next[segment] = -1;
  if (a_collapsed)
    collapsed_event (cells, at, from, job->position[a], segment, FALSE);
  else
    edge_event (cells, at, from, segment, FALSE);
  if (b_collapsed)
    collapsed_event (cells, at, to, job->position[b], segment, TRUE);
  else
    edge_event (cells, at, to, segment, TRUE);
  return segment + 1;
}

/* Adds the segment with index @segment, unless its ends coincide; returns the
 * next free index. */
HOT gint32
add_segment (const CellRow * cells, CellPlace at, gint from, gint to,
    gint32 segment)
{
  const gint32 *pending = cells->job->pending + at.column;

  if (G_UNLIKELY (pending[cells->edges[from]] == COLLAPSED ||
          pending[cells->edges[to]] == COLLAPSED))
    return add_collapsed_segment (cells, at, from, to, segment);
  store_segment (cells, at, from, to, segment);
  edge_event (cells, at, from, segment, FALSE);
  edge_event (cells, at, to, segment, TRUE);
  return segment + 1;
}

/* Adds the second segment of a saddle, whose first is @first unless it was
 * degenerate (then @first is @segment). Returns the next free index. */
HOT gint32
add_second_segment (const CellRow * cells, CellPlace * at, gint cell_case,
    gint code, gint32 first, gint32 segment)
{
  const gboolean begins_right = cs_saddle_begins_right (cell_case,
      cells->cpu->plan->params.fully_connected_high);
  const gint32 before = at->before;
  gint32 end;

  if (!begins_right && segment > first)
    at->before = first;
  end = add_segment (cells, *at, code >> 4 & 3, code >> 6 & 3, segment);
  if (begins_right && segment > first)
    at->before = first;
  else if (end > first)
    at->before = end - 1;
  else
    at->before = before;
  return end;
}

static gint32
link_row (const CellRow * cells, guint row, gint32 segment)
{
  const CellBits bits = cell_bits (cells->cpu, cells->job->plane, row);
  const gboolean high = cells->cpu->plan->params.fully_connected_high;
  CellPlace at = {.row = row,.before = -1 };
  guint w;

  for (w = 0; w < CS_ROW_WORDS (bits.n_cells); w++) {
    const CellWord c = load_cells (&bits, w);
    guint64 active;

    for (active = c.active; active; active &= active - 1) {
      const guint bit = (guint) __builtin_ctzll (active);
      const gint cell_case = (gint) ((c.ul >> bit & 1) |
          (c.ur >> bit & 1) << 1 | (c.ll >> bit & 1) << 2 |
          (c.lr >> bit & 1) << 3);
      const gint code = cs_case_segments (cell_case, high);
      const gint32 first = segment;

      at.column = 64 * w + bit;
      segment = add_segment (cells, at, code & 3, code >> 2 & 3, segment);
      if (cs_case_is_saddle (cell_case))
        segment = add_second_segment (cells, &at, cell_case, code, first,
            segment);
      else if (segment > first)
        at.before = first;
    }
  }
  return segment;
}

/* The scan of a band, inlined for each sample type. */
HOT void
link_rows (CsContoursCpu * cpu, CsJob * job, CsSampleType type)
{
  gsize edges[4];
  CellRow cells = {
    .cpu = cpu,
    .job = job,
    .edges = edges,
    .origin_x = cpu->input->origin_x,
    .origin_y = cpu->input->origin_y,
    .first = job->base,
  };
  guint row;

  edges[CS_EDGE_L] = edge_column (cpu);
  edges[CS_EDGE_R] = edge_column (cpu) + 1;
  cross_row (cpu, job, type, job->row0);
  for (row = job->row0; row < job->row1; row++) {
    job->row_first[row - job->row0] = (guint32) cells.first;
    cross_row (cpu, job, type, row + 1);
    cross_columns (cpu, job, type, row);
    edges[CS_EDGE_T] = edge_row (cpu, row);
    edges[CS_EDGE_B] = edge_row (cpu, row + 1);
    cells.top_is_deferred = row == job->row0 && row > 0;
    cells.first = link_row (&cells, row, cells.first);
  }
  job->n_segments = cells.first - job->base;
}

static void
reset_scan (const CsContoursCpu * cpu, CsJob * job)
{
  guint i;

  job->n_overwritten = 0;
  job->n_deferred = 0;
  for (i = 0; i < cpu->shape.width; i++)
    job->slots[0][i].row = job->slots[1][i].row = -1;
}

void
cs_cpu_link (CsContoursCpu * cpu, CsJob * job)
{
  reset_scan (cpu, job);
  switch (cs_cpu_image (cpu, job->plane->derived)->type) {
    case CS_SAMPLE_U8:
      link_rows (cpu, job, CS_SAMPLE_U8);
      break;
    case CS_SAMPLE_U16:
      link_rows (cpu, job, CS_SAMPLE_U16);
      break;
    case CS_SAMPLE_F16:
      link_rows (cpu, job, CS_SAMPLE_F16);
      break;
    case CS_SAMPLE_F32:
      link_rows (cpu, job, CS_SAMPLE_F32);
      break;
    case CS_SAMPLE_F64:
      link_rows (cpu, job, CS_SAMPLE_F64);
      break;
  }
}

void
cs_cpu_stitch (CsContoursCpu * cpu, CsJob * above, CsJob * job)
{
  const CsSegments *segments = &cpu->segments;
  const gint32 *pending = above->pending + edge_row (cpu, job->row0);
  guint k;

  for (k = 0; k < job->n_deferred; k++) {
    const CsDeferred *event = &job->deferred[k];

    if (event->kind == CS_DEFERRED_PIXEL_START ||
        event->kind == CS_DEFERRED_PIXEL_END) {
      pixel_event (above, segments, job->row0, event->column, event->segment,
          event->kind == CS_DEFERRED_PIXEL_END);
    } else if (pending[event->column] >= 0) {
      if (event->kind == CS_DEFERRED_EDGE_END)
        join (segments, event->segment, pending[event->column]);
      else
        join (segments, pending[event->column], event->segment);
    }
  }
}

static CsFragment *
add_fragment (CsJob * job)
{
  if (job->n_fragments == job->max_fragments) {
    const guint max = job->max_fragments ? 2 * job->max_fragments : 64;
    CsFragment *grown = cs_try_realloc_n (job->fragments, max,
        sizeof (*grown));

    if (!grown)
      return NULL;
    job->fragments = grown;
    job->max_fragments = max;
  }
  return &job->fragments[job->n_fragments++];
}

static inline gboolean
is_in_job (const CsJob * job, gint32 segment)
{
  return segment >= job->base && segment < job->base + job->n_segments;
}

/* Marks @segment as visited, and records its fragment with hierarchy. */
static inline void
visit (const CsSegments * segments, gint32 segment, gint32 fragment)
{
  segments->visited[segment / 64] |= G_GUINT64_CONSTANT (1) << (segment % 64);
  if (segments->left)
    segments->fragment[segment] = fragment;
}

/* The maximal chain of @job through @start, its first in raster order. */
static CsFragment
follow (const CsSegments * segments, const CsJob * job, gint32 start,
    gint32 index)
{
  CsFragment fragment = {
    .first = start,.last = start,.min = start,.max = start,.contour = -1
  };
  gint32 at = start;

  do {
    visit (segments, at, index);
    fragment.length++;
    fragment.max = MAX (fragment.max, at);
    fragment.last = at;
    at = segments->next[at];
  } while (at != start && is_in_job (job, at));
  fragment.closed = at == start;
  if (fragment.closed)
    return fragment;
  for (at = segments->prev[start]; is_in_job (job, at);
      at = segments->prev[at]) {
    visit (segments, at, index);
    fragment.length++;
    fragment.max = MAX (fragment.max, at);
    fragment.first = at;
  }
  return fragment;
}

void
cs_cpu_fragments (CsContoursCpu * cpu, CsJob * job)
{
  const CsSegments *segments = &cpu->segments;
  const gint32 end = job->base + job->n_segments;
  gint32 s;

  job->n_fragments = 0;
  job->no_memory = FALSE;
  memset (segments->visited + job->base / 64, 0,
      CS_SEGMENTS_ROUND_UP (job->n_segments) / 8);
  for (s = job->base; s < end; s += 64) {
    const guint64 exist = low_bits ((guint) (end - s));
    guint64 left;

    /* a chain may visit others of this word */
    while ((left = exist & ~segments->visited[s / 64]) != 0) {
      const gint32 start = s + __builtin_ctzll (left);
      const gint32 index = (gint32) job->n_fragments;
      CsFragment *fragment = add_fragment (job);

      if (!fragment) {
        job->no_memory = TRUE;
        return;
      }
      *fragment = follow (segments, job, start, index);
      segments->fragment[fragment->first] = index;
      segments->fragment[fragment->last] = index;
    }
  }
}

void
cs_cpu_start_point (const CsContoursCpu * cpu, const CsJob * job,
    gint32 segment, double *x, double *y)
{
  const CsImage *image = cs_cpu_image (cpu, job->plane->derived);
  const guint32 info = cpu->segments.info[segment];
  const guint column = CS_INFO_COLUMN (info);
  const gint edge = (gint) CS_INFO_FROM (info);
  const gboolean horizontal = edge == CS_EDGE_T || edge == CS_EDGE_B;
  guint low = 0, high = job->row1 - job->row0, row;
  const guint8 *from, *to;
  double position;

  /* the last row that begins at or before the segment */
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (job->row_first[middle] <= (guint32) segment)
      low = middle;
    else
      high = middle;
  }
  row = job->row0 + low;
  from = cs_cpu_row (image, job->plane->offset, row + (edge == CS_EDGE_B)) +
      (column + (edge == CS_EDGE_R)) * image->pixel_stride;
  to = from + (horizontal ? image->pixel_stride : image->row_stride);
  position = horizontal ? (double) cpu->input->origin_x + column :
      (double) cpu->input->origin_y + row;
  position += cs_crossing_fraction (load_sample (from, image->type),
      load_sample (to, image->type), job->plane->level);
  edge_point (cpu->input->origin_x, cpu->input->origin_y, column, row, edge,
      position, x, y);
}
