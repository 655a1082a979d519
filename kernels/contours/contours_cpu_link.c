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
  return n < 64 ? (G_GUINT64_CONSTANT (1) << n) - 1 : ~G_GUINT64_CONSTANT (0);
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

  for (guint w = 0; w < CS_ROW_WORDS (bits->n_cells); w++) {
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
  job->max_segments = 0;
  for (guint row = job->row0; row < job->row1; row++) {
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
  job->deferred[job->n_deferred++] = (CsDeferred) { kind, column, segment };
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

  for (guint w = 0; w < CS_ROW_WORDS (n); w++)
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

  for (guint w = 0; w < CS_ROW_WORDS (cpu->shape.width); w++)
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
      CS_INFO_COLUMN (segments->info[segment - 1]) == at.column) {
    segments->left[segment - 1] = segment;
    cs_contours_take (CS_CONTOURS_RAY_AT_TOP);
  }
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

  if (!begins_right && segment > first)
    at->before = first;
  gint32 end = add_segment (cells, *at, code >> 4 & 3, code >> 6 & 3, segment);
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

  for (guint w = 0; w < CS_ROW_WORDS (bits.n_cells); w++) {
    const CellWord c = load_cells (&bits, w);

    for (guint64 active = c.active; active; active &= active - 1) {
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

/* Fragments */

static CsFragment *
add_fragment (CsBand * band)
{
  if (band->n_fragments == band->max_fragments) {
    const guint max = band->max_fragments ? 2 * band->max_fragments : 64;
    CsFragment *grown = cs_try_realloc_n (band->fragments, max,
        sizeof (*grown));

    if (!grown)
      return NULL;
    band->fragments = grown;
    band->max_fragments = max;
  }
  return &band->fragments[band->n_fragments++];
}

static inline gboolean
is_in_band (const CsBand * band, gint32 segment)
{
  return segment >= band->first && segment < band->end;
}

/* Marks @segment as visited, and records its fragment with hierarchy. */
static inline void
visit (const CsSegments * segments, gint32 segment, gint32 fragment)
{
  segments->visited[segment / 64] |= G_GUINT64_CONSTANT (1) << (segment % 64);
  if (segments->left)
    segments->fragment[segment] = fragment;
}

/* Where the next end points of a band's fragments go: forward from the first in
 * raster order from one end, backward from the other. */
typedef struct
{
  gint32 front, back;
} Places;

HOT void
put_point (const CsSegments * segments, gsize size, gint32 place,
    gint32 segment)
{
  memcpy ((guint8 *) segments->ordered + (gsize) place * size,
      (const guint8 *) segments->to + (gsize) segment * size, size);
}

/* The maximal chain of @band through @start, its first in raster order; @size:
 * of a point. */
HOT CsFragment
follow (const CsSegments * segments, const CsBand * band, gsize size,
    gint32 start, gint32 index, Places * places)
{
  CsFragment fragment = {
    .first = start,.last = start,.min = start,.max = start,.contour = -1,
    .front = places->front
  };
  gint32 at = start, max_place = 0;

  do {
    visit (segments, at, index);
    put_point (segments, size, places->front, at);
    max_place = at >= fragment.max ? places->front : max_place;
    fragment.max = MAX (fragment.max, at);
    places->front++;
    fragment.last = at;
    at = segments->next[at];
  } while (at != start && is_in_band (band, at));
  fragment.length = places->front - fragment.front;
  fragment.max_at = max_place - fragment.front;
  fragment.closed = at == start;
  if (fragment.closed)
    return fragment;
  fragment.n_back = places->back;
  for (at = segments->prev[start]; is_in_band (band, at);
      at = segments->prev[at]) {
    visit (segments, at, index);
    put_point (segments, size, --places->back, at);
    max_place = at > fragment.max ? places->back : max_place;
    fragment.max = MAX (fragment.max, at);
    fragment.first = at;
  }
  fragment.back = places->back;
  fragment.n_back -= places->back;
  fragment.length += fragment.n_back;
  fragment.max_at = max_place >= fragment.back ? max_place - fragment.back :
      max_place - fragment.front + fragment.n_back;
  return fragment;
}

/* Returns: %FALSE without memory for them */
HOT gboolean
find_fragments (const CsSegments * segments, CsBand * band, gsize size)
{
  Places places = { band->first, band->end };
  guint64 exist = ~low_bits ((guint) band->first % 64);

  for (gint32 s = band->first / 64 * 64; s < band->end; s += 64) {
    guint64 left;

    exist &= low_bits ((guint) (band->end - s));
    /* a chain may visit others of this word */
    while ((left = exist & ~segments->visited[s / 64]) != 0) {
      const gint32 start = s + __builtin_ctzll (left);
      const gint32 index = (gint32) band->n_fragments;
      CsFragment *fragment = add_fragment (band);

      if (!fragment)
        return FALSE;
      *fragment = follow (segments, band, size, start, index, &places);
      segments->fragment[fragment->first] = index;
      segments->fragment[fragment->last] = index;
    }
    exist = ~G_GUINT64_CONSTANT (0);
  }
  return TRUE;
}

static void
find_all_fragments (CsContoursCpu * cpu, CsJob * job, CsBand * band)
{
  if (cpu->format == CS_POINTS_F32)
    job->no_memory |= !find_fragments (&cpu->segments, band,
        2 * sizeof (float));
  else
    job->no_memory |= !find_fragments (&cpu->segments, band,
        2 * sizeof (double));
}

/* Rows to bands */

/* Ends the job's band of @row, whose segments end before @end. They are linked to
 * each other by now: a later link has a segment of a later row, or is stitch's,
 * between ends of fragments. */
static void
end_band (CsContoursCpu * cpu, CsJob * job, guint row, gint32 end,
    gboolean only_count)
{
  CsBand *band = &job->bands[(row - job->row0) / cs_cpu_band_rows];

  band->first = band == job->bands ? job->base : band[-1].end;
  band->end = end;
  band->n_fragments = 0;
  if (!only_count)
    find_all_fragments (cpu, job, band);
}

/* The scan of a job, inlined for each sample type. */
HOT void
link_rows (CsContoursCpu * cpu, CsJob * job, CsSampleType type,
    gboolean only_count)
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

  edges[CS_EDGE_L] = edge_column (cpu);
  edges[CS_EDGE_R] = edge_column (cpu) + 1;
  cross_row (cpu, job, type, job->row0);
  for (guint row = job->row0; row < job->row1; row++) {
    job->row_first[row - job->row0] = (guint32) cells.first;
    cross_row (cpu, job, type, row + 1);
    cross_columns (cpu, job, type, row);
    edges[CS_EDGE_T] = edge_row (cpu, row);
    edges[CS_EDGE_B] = edge_row (cpu, row + 1);
    cells.top_is_deferred = row == job->row0 && row > 0;
    cells.first = link_row (&cells, row, cells.first);
    if (row + 1 == job->row1 || (row + 1 - job->row0) % cs_cpu_band_rows == 0)
      end_band (cpu, job, row, cells.first, only_count);
  }
  job->n_segments = cells.first - job->base;
}

void
cs_cpu_link (CsContoursCpu * cpu, CsJob * job, gboolean only_count)
{
  job->n_overwritten = 0;
  job->n_deferred = 0;
  job->no_memory = FALSE;
  for (guint i = 0; i < cpu->shape.width; i++)
    job->slots[0][i].row = job->slots[1][i].row = -1;
  if (!only_count)
    memset (cpu->segments.visited + job->base / 64, 0,
        CS_SEGMENTS_ROUND_UP (job->max_segments) / 8);
  switch (cs_cpu_image (cpu, job->plane->derived)->type) {
    case CS_SAMPLE_U8:
      link_rows (cpu, job, CS_SAMPLE_U8, only_count);
      break;
    case CS_SAMPLE_U16:
      link_rows (cpu, job, CS_SAMPLE_U16, only_count);
      break;
    case CS_SAMPLE_F16:
      link_rows (cpu, job, CS_SAMPLE_F16, only_count);
      break;
    case CS_SAMPLE_F32:
      link_rows (cpu, job, CS_SAMPLE_F32, only_count);
      break;
    case CS_SAMPLE_F64:
      link_rows (cpu, job, CS_SAMPLE_F64, only_count);
      break;
  }
}

void
cs_cpu_stitch (CsContoursCpu * cpu, CsJob * above, CsJob * job)
{
  const CsSegments *segments = &cpu->segments;
  const gint32 *pending = above->pending + edge_row (cpu, job->row0);

  for (guint k = 0; k < job->n_deferred; k++) {
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

void
cs_cpu_store_start (const CsContoursCpu * cpu, const CsJob * job,
    gint32 segment, void *point)
{
  const CsImage *image = cs_cpu_image (cpu, job->plane->derived);
  const guint32 info = cpu->segments.info[segment];
  const guint column = CS_INFO_COLUMN (info);
  const gint edge = (gint) CS_INFO_FROM (info);
  const gboolean horizontal = edge == CS_EDGE_T || edge == CS_EDGE_B;
  guint low = 0, high = job->row1 - job->row0, row;
  const guint8 *from, *to;
  double position, x, y;

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
      position, &x, &y);
  store_point (point, cpu->format, 0, x, y);
}
