/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: from samples to joined segments, one band at a time. */
#include "contours_cpu.h"

#include <string.h>

#include "base/clones.h"
#include "contours_math.h"

/* One copy of the conversion, not one for every edge of every case. */
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

static inline const guint8 *
pass_row (const CsContoursCpu * cpu, const CsPass * pass, guint row)
{
  const CsImage *image = &cpu->input->image;

  return (const guint8 *) image->data + pass->offset + row * image->row_stride;
}

double
cs_cpu_sample (const CsContoursCpu * cpu, const CsPass * pass, guint row,
    guint i)
{
  return load_sample (pass_row (cpu, pass, row) + i * pass->step,
      cpu->input->image.type);
}

/* Words of @row shifted so that bit i is the bit of the sample to the right. */
static inline guint64
shifted_word (const guint64 * row, guint w, guint slots)
{
  const guint q = slots / 64, r = slots % 64;

  return r ? row[w + q] >> r | row[w + q + 1] << (64 - r) : row[w + q];
}

/* The cells that begin in word @w: where corners differ and all are valid. */
typedef struct
{
  guint64 ul, ur, ll, lr, active;
} CellWord;

static inline CellWord
load_cells (const CsJob * job, guint row, guint w, guint n_cells)
{
  const guint slots = job->pass->slots;
  const guint64 *top = job->above + (gsize) (row - job->row0) * job->n_words;
  const guint64 *bottom = top + job->n_words;
  CellWord c;

  c.ul = top[w];
  c.ll = bottom[w];
  c.ur = shifted_word (top, w, slots);
  c.lr = shifted_word (bottom, w, slots);
  c.active = (c.ul | c.ur | c.ll | c.lr) & ~(c.ul & c.ur & c.ll & c.lr);
  if (job->has_invalid && c.active) {
    const guint64 *vt = job->valid + (gsize) (row - job->row0) * job->n_words;
    const guint64 *vb = vt + job->n_words;

    c.active &= vt[w] & vb[w] & shifted_word (vt, w, slots) &
        shifted_word (vb, w, slots);
  }
  if (n_cells - 64 * w < 64)
    c.active &= (G_GUINT64_CONSTANT (1) << (n_cells - 64 * w)) - 1;
  return c;
}

static inline guint
n_cells_of (const CsContoursCpu * cpu, const CsPass * pass)
{
  return (cpu->input->image.width - 1) * pass->slots;
}

CS_CLONES static gsize
count_row (const CsJob * job, guint row, guint n_cells)
{
  gsize n = 0;
  guint w;

  for (w = 0; w < CS_ROW_WORDS (n_cells); w++) {
    const CellWord c = load_cells (job, row, w, n_cells);

    if (c.active)
      n += (gsize) __builtin_popcountll (c.active) +
          (gsize) __builtin_popcountll (c.active & (c.ul ^ c.ur) &
          (c.ul ^ c.ll) & (c.ur ^ c.lr));
  }
  return n;
}

static const void *
compact_row (const CsContoursCpu * cpu, CsJob * job, guint row)
{
  const guint8 *samples = pass_row (cpu, job->pass, row);

  if (!job->pass->gather)
    return samples;
  cs_row_gather (cpu->input->image.type, samples, job->pass->step,
      job->pass->n, job->gathered);
  return job->gathered;
}

static void
find_valid (const CsContoursCpu * cpu, CsJob * job)
{
  const CsImage *mask = cpu->input->mask;
  guint row;

  for (row = job->row0; row <= job->row1; row++) {
    const guint8 *mask_row = mask ?
        (const guint8 *) mask->data + row * mask->row_stride : NULL;

    cs_row_valid (cpu->input->image.type, compact_row (cpu, job, row),
        job->pass->n, mask_row, mask ? mask->pixel_stride : 0,
        job->pass->slots, job->bytes,
        job->valid + (gsize) (row - job->row0) * job->n_words);
  }
}

void
cs_cpu_classify (CsContoursCpu * cpu, CsJob * job)
{
  const CsPass *pass = job->pass;
  const guint n_cells = n_cells_of (cpu, pass);
  gboolean nan = FALSE;
  guint row;

  for (row = job->row0; row <= job->row1; row++)
    nan |= cs_row_above (&pass->threshold, pass->thresholds,
        compact_row (cpu, job, row), pass->n, job->bytes,
        job->above + (gsize) (row - job->row0) * job->n_words);
  job->has_invalid = nan || cpu->input->mask;
  if (job->has_invalid)
    find_valid (cpu, job);
  job->max_segments = 0;
  for (row = job->row0; row < job->row1; row++)
    job->max_segments += count_row (job, row, n_cells);
}

static inline void
join (const CsSegments * segments, gint32 before, gint32 after)
{
  segments->next[before] = after;
  segments->prev[after] = before;
}

/* The tie rule at one pixel: what comes meets what is pending, or waits. */
static inline void
pixel_event (CsJob * job, const CsSegments * segments, guint row, guint i,
    gint32 segment, gboolean is_end)
{
  CsSlot *slot = &job->slots[row & 1][i];

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
defer (CsJob * job, CsDeferredKind kind, guint i, gint32 segment)
{
  job->deferred[job->n_deferred++] = (CsDeferred) {
  kind, i, segment};
}

/*
 * Edges that cross the level, by index: those between samples i and i + slots
 * of pixel row y at edge_row (y) + i, for the two rows that a row of cells
 * touches; those between a sample i and the one below it at edge_column + i.
 */
static inline gsize
edge_row (const CsJob * job, guint row)
{
  return (row & 1) * (gsize) job->pass->n;
}

static inline gsize
edge_column (const CsJob * job)
{
  return 2 * (gsize) job->pass->n;
}

#define HOT static inline __attribute__ ((always_inline))

/* The crossings of the edges whose bits differ in @a and @b, which join the
 * samples at @from and @to; edges 64 * @w on. Nothing is pending there yet. */
HOT void
cross_word (const CsPass * pass, CsSampleType type, guint slots,
    guint64 differ, guint w, const guint8 * from, const guint8 * to,
    gboolean horizontal, double origin, double *position, gint32 * pending)
{
  const gsize step = slots == 1 && !pass->gather ? cs_sample_size (type) :
      pass->step;

  for (; differ; differ &= differ - 1) {
    const guint i = 64 * w + (guint) __builtin_ctzll (differ);
    const guint column = slots == 1 ? i : pass->column[i];
    const guint slot = slots == 1 ? 0 : i - column * slots;

    position[i] = (horizontal ? origin + column : origin) +
        cs_crossing_fraction (load_sample (from + i * step, type),
        load_sample (to + i * step, type), pass->slot_level[slot]);
    pending[i] = -1;
  }
}

static inline guint64
low_bits (guint n)
{
  return n < 64 ? (G_GUINT64_CONSTANT (1) << n) - 1 :
      ~G_GUINT64_CONSTANT (0);
}

/* Crossings within pixel row @row. */
HOT void
cross_row (const CsContoursCpu * cpu, CsJob * job, CsSampleType type,
    guint slots, guint row)
{
  const CsPass *pass = job->pass;
  const guint n_cells = n_cells_of (cpu, pass);
  const guint64 *bits = job->above + (gsize) (row - job->row0) * job->n_words;
  const guint8 *samples = pass_row (cpu, pass, row);
  const gsize edges = edge_row (job, row);
  guint w;

  for (w = 0; w < CS_ROW_WORDS (n_cells); w++)
    cross_word (pass, type, slots, (bits[w] ^ shifted_word (bits, w, slots)) &
        low_bits (n_cells - 64 * w), w, samples,
        samples + slots * (slots == 1 && !pass->gather ?
            cs_sample_size (type) : pass->step), TRUE,
        cpu->input->origin_x, job->position + edges, job->pending + edges);
}

/* Crossings between pixel rows @row and @row + 1. */
HOT void
cross_columns (const CsContoursCpu * cpu, CsJob * job, CsSampleType type,
    guint slots, guint row)
{
  const CsPass *pass = job->pass;
  const guint64 *bits = job->above + (gsize) (row - job->row0) * job->n_words;
  const guint8 *samples = pass_row (cpu, pass, row);
  const gsize edges = edge_column (job);
  guint w;

  for (w = 0; w < CS_ROW_WORDS (pass->n); w++)
    cross_word (pass, type, slots, bits[w] ^ bits[job->n_words + w], w, samples,
        samples + cpu->input->image.row_stride, FALSE,
        (double) cpu->input->origin_y + row, job->position + edges,
        job->pending + edges);
}

typedef struct
{
  guint slots;                  /* a constant after inlining when it is 1 */
  guint row, i, column, slot;
} CellPlace;

/* What a row of cells needs to know. */
typedef struct
{
  CsContoursCpu *cpu;
  CsJob *job;
  const gsize *edges;           /* first edge by side: top, right, bottom, left */
  double origin_x, origin_y;
  gboolean top_is_deferred;
} CellRow;

/* Collapsed crossings are rare and stay out of the hot path. */
#define COLD static __attribute__ ((noinline, cold))

/* The pixel that a crossing on @edge has collapsed onto. */
static void
collapsed_pixel (const CellRow * cells, CellPlace at, gint edge,
    double position, guint * row, guint * i)
{
  if (edge == CS_EDGE_T || edge == CS_EDGE_B) {
    *row = at.row + (edge == CS_EDGE_B);
    *i = (guint) (position - cells->origin_x) * at.slots + at.slot;
  } else {
    *row = (guint) (position - cells->origin_y);
    *i = at.i + (edge == CS_EDGE_R ? at.slots : 0);
  }
}

COLD gboolean
same_pixel (const CellRow * cells, CellPlace at, gint edge_a, double a,
    gint edge_b, double b)
{
  guint row_a, i_a, row_b, i_b;

  collapsed_pixel (cells, at, edge_a, a, &row_a, &i_a);
  collapsed_pixel (cells, at, edge_b, b, &row_b, &i_b);
  return row_a == row_b && i_a == i_b;
}

COLD void
collapsed_event (const CellRow * cells, CellPlace at, gint edge,
    double position, gint32 segment, gboolean is_end)
{
  CsJob *job = cells->job;
  guint row, i;

  collapsed_pixel (cells, at, edge, position, &row, &i);
  if (job->row0 > 0 && row == job->row0)
    defer (job, is_end ? CS_DEFERRED_PIXEL_END : CS_DEFERRED_PIXEL_START, i,
        segment);
  else
    pixel_event (job, &cells->cpu->segments, row, i, segment, is_end);
}

/* One end of @segment lies on @edge: it meets what is pending there, and is
 * pending itself for the neighbour. Without branches: which edge it is cannot
 * be predicted. Sets the segment's own link, to -1 if there is none yet. */
HOT void
edge_event (const CellRow * cells, CellPlace at, gint edge, gint32 segment,
    gboolean is_end)
{
  const CsSegments *segments = &cells->cpu->segments;
  gint32 *pending = &cells->job->pending[cells->edges[edge] + at.i];
  const gint32 other = *pending;
  gint32 nobody, *others;

  if (is_end) {
    segments->next[segment] = other;
    others = other >= 0 ? &segments->prev[other] : &nobody;
  } else {
    segments->prev[segment] = other;
    others = other >= 0 ? &segments->next[other] : &nobody;
  }
  *others = segment;
  *pending = segment;
  if (G_UNLIKELY (cells->top_is_deferred) && edge == CS_EDGE_T)
    defer (cells->job, is_end ? CS_DEFERRED_EDGE_END : CS_DEFERRED_EDGE_START,
        at.i, segment);
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

static inline void
remember_left (CsJob * job, const CsSegments * segments, CellPlace at,
    gint32 segment)
{
  const gboolean same_row = job->last_row[at.slot] == at.row;

  segments->left[segment] = same_row ? job->last_segment[at.slot] : -1;
  job->last_row[at.slot] = at.row;
  job->last_segment[at.slot] = segment;
}

/* Adds the segment with index @segment, unless its ends coincide; returns the
 * index of the one to come. */
HOT gint32
add_segment (const CellRow * cells, CellPlace at, gboolean lower_right,
    gint from, gint to, gint32 segment)
{
  const CsSegments *segments = &cells->cpu->segments;
  const CsJob *job = cells->job;
  const double a = job->position[cells->edges[from] + at.i];
  const double b = job->position[cells->edges[to] + at.i];
  const gboolean from_collapsed = cs_crossing_is_collapsed (a);
  const gboolean to_collapsed = cs_crossing_is_collapsed (b);
  double x, y;

  if (G_UNLIKELY (from_collapsed | to_collapsed)) {
    if (from_collapsed && to_collapsed &&
        same_pixel (cells, at, from, a, to, b))
      return segment;
    segments->prev[segment] = -1;
    segments->next[segment] = -1;
  }
  segments->fragment[segment] = -1;
  segments->info[segment] = CS_INFO (at.i, lower_right, from);
  if (segments->left)
    remember_left (cells->job, segments, at, segment);
  edge_point (cells->origin_x, cells->origin_y, at.column, at.row, to, b, &x,
      &y);
  store_point (segments->to, cells->cpu->format, segment, x, y);
  if (G_UNLIKELY (from_collapsed))
    collapsed_event (cells, at, from, a, segment, FALSE);
  else
    edge_event (cells, at, from, segment, FALSE);
  if (G_UNLIKELY (to_collapsed))
    collapsed_event (cells, at, to, b, segment, TRUE);
  else
    edge_event (cells, at, to, segment, TRUE);
  return segment + 1;
}

HOT gint32
link_row (const CellRow * cells, guint slots, guint row, gint32 segment)
{
  const CsJob *job = cells->job;
  const CsPass *pass = job->pass;
  const gboolean high = cells->cpu->plan->params.fully_connected_high;
  const guint n_cells = n_cells_of (cells->cpu, pass);
  CellPlace at = {.slots = slots,.row = row };
  guint w;

  for (w = 0; w < CS_ROW_WORDS (n_cells); w++) {
    const CellWord c = load_cells (job, row, w, n_cells);
    guint64 active;

    for (active = c.active; active; active &= active - 1) {
      const guint bit = (guint) __builtin_ctzll (active);
      const gint cell_case = (gint) ((c.ul >> bit & 1) |
          (c.ur >> bit & 1) << 1 | (c.ll >> bit & 1) << 2 |
          (c.lr >> bit & 1) << 3);
      const gint code = cs_case_segments (cell_case, high);
      const gboolean lower_right = cell_case >> 3;

      at.i = 64 * w + bit;
      at.column = slots == 1 ? at.i : pass->column[at.i];
      at.slot = slots == 1 ? 0 : at.i - at.column * slots;
      segment = add_segment (cells, at, lower_right, code & 3, code >> 2 & 3,
          segment);
      if (cs_case_is_saddle (cell_case))
        segment = add_segment (cells, at, lower_right, code >> 4 & 3,
            code >> 6 & 3, segment);
    }
  }
  return segment;
}

/* The scan of a band. Inlined for each sample type, with @slots 1 and without. */
HOT void
link_rows (CsContoursCpu * cpu, CsJob * job, CsSampleType type, guint slots)
{
  gint32 segment = job->base;
  gsize edges[4];
  CellRow cells = {
    .cpu = cpu,
    .job = job,
    .edges = edges,
    .origin_x = cpu->input->origin_x,
    .origin_y = cpu->input->origin_y,
  };
  guint row;

  edges[CS_EDGE_L] = edge_column (job);
  edges[CS_EDGE_R] = edge_column (job) + slots;
  cross_row (cpu, job, type, slots, job->row0);
  for (row = job->row0; row < job->row1; row++) {
    job->row_first[row - job->row0] = (guint32) segment;
    cross_row (cpu, job, type, slots, row + 1);
    cross_columns (cpu, job, type, slots, row);
    edges[CS_EDGE_T] = edge_row (job, row);
    edges[CS_EDGE_B] = edge_row (job, row + 1);
    cells.top_is_deferred = row == job->row0 && row > 0;
    segment = link_row (&cells, slots, row, segment);
  }
  job->n_segments = segment - job->base;
}

static void
reset_scan (CsJob * job)
{
  guint i;

  job->n_overwritten = 0;
  job->n_deferred = 0;
  for (i = 0; i < job->pass->n; i++)
    job->slots[0][i].row = job->slots[1][i].row = -1;
  for (i = 0; i < job->pass->slots; i++)
    job->last_row[i] = -1;
}

void
cs_cpu_link (CsContoursCpu * cpu, CsJob * job)
{
  const CsSampleType type = cpu->input->image.type;

  reset_scan (job);
  switch (type) {
#define LINK_ROWS(type) \
    case type: \
      if (job->pass->slots == 1) \
        link_rows (cpu, job, type, 1); \
      else \
        link_rows (cpu, job, type, job->pass->slots); \
      break;
    LINK_ROWS (CS_SAMPLE_U8)
    LINK_ROWS (CS_SAMPLE_U16)
    LINK_ROWS (CS_SAMPLE_F16)
    LINK_ROWS (CS_SAMPLE_F32)
    LINK_ROWS (CS_SAMPLE_F64)
#undef LINK_ROWS
  }
}

void
cs_cpu_stitch (CsContoursCpu * cpu, CsJob * above, CsJob * job)
{
  const CsSegments *segments = &cpu->segments;
  const gint32 *pending = above->pending + edge_row (above, job->row0);
  guint k;

  for (k = 0; k < job->n_deferred; k++) {
    const CsDeferred *event = &job->deferred[k];

    if (event->kind == CS_DEFERRED_PIXEL_START ||
        event->kind == CS_DEFERRED_PIXEL_END) {
      pixel_event (above, segments, job->row0, event->i, event->segment,
          event->kind == CS_DEFERRED_PIXEL_END);
    } else if (pending[event->i] >= 0) {
      if (event->kind == CS_DEFERRED_EDGE_END)
        join (segments, event->segment, pending[event->i]);
      else
        join (segments, pending[event->i], event->segment);
    }
  }
}

static CsFragment *
add_fragment (CsJob * job)
{
  if (job->n_fragments == job->max_fragments) {
    const guint max = job->max_fragments ? 2 * job->max_fragments : 64;
    CsFragment *grown = g_try_realloc_n (job->fragments, max,
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

void
cs_cpu_fragments (CsContoursCpu * cpu, CsJob * job)
{
  const CsSegments *segments = &cpu->segments;
  gint32 s;

  job->n_fragments = 0;
  job->no_memory = FALSE;
  for (s = job->base; s < job->base + job->n_segments; s++) {
    const gint32 index = (gint32) job->n_fragments;
    CsFragment *fragment;
    gint32 at;

    if (segments->fragment[s] >= 0)
      continue;
    fragment = add_fragment (job);
    if (!fragment) {
      job->no_memory = TRUE;
      return;
    }
    *fragment = (CsFragment) {
    .first = s,.last = s,.min = s,.max = s,.contour = -1};
    at = s;
    do {
      segments->fragment[at] = index;
      fragment->length++;
      fragment->max = MAX (fragment->max, at);
      fragment->last = at;
      at = segments->next[at];
    } while (at != s && is_in_job (job, at));
    if (at == s) {
      fragment->closed = TRUE;
      continue;
    }
    for (at = segments->prev[s]; is_in_job (job, at); at = segments->prev[at]) {
      segments->fragment[at] = index;
      fragment->length++;
      fragment->max = MAX (fragment->max, at);
      fragment->first = at;
    }
  }
}

void
cs_cpu_start_point (const CsContoursCpu * cpu, const CsJob * job,
    gint32 segment, double *x, double *y)
{
  const CsPass *pass = job->pass;
  const guint32 info = cpu->segments.info[segment];
  const gint edge = (gint) CS_INFO_FROM (info);
  const guint i = CS_INFO_I (info), column = i / pass->slots;
  const gboolean horizontal = edge == CS_EDGE_T || edge == CS_EDGE_B;
  guint low = 0, high = job->row1 - job->row0, row, from_row, from_i;
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
  from_row = row + (edge == CS_EDGE_B);
  from_i = i + (edge == CS_EDGE_R ? pass->slots : 0);
  position = horizontal ? (double) cpu->input->origin_x + column :
      (double) cpu->input->origin_y + row;
  position += cs_crossing_fraction (cs_cpu_sample (cpu, pass, from_row, from_i),
      horizontal ? cs_cpu_sample (cpu, pass, from_row, from_i + pass->slots) :
      cs_cpu_sample (cpu, pass, from_row + 1, from_i),
      pass->slot_level[i % pass->slots]);
  edge_point (cpu->input->origin_x, cpu->input->origin_y, column, row, edge,
      position, x, y);
}
