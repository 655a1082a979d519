/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: from samples to joined segments, one band at a time. */
#include "contours_cpu.h"

#include <string.h>

#include "base/clones.h"
#include "contours_math.h"

static inline double
load_sample (const guint8 * data, CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return *data;
    case CS_SAMPLE_U16:
      return *(const guint16 *) data;
    case CS_SAMPLE_F16:
      return cs_half_to_double (*(const guint16 *) data);
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

/* A crossing on one of the cell's edges. */
typedef struct
{
  double position;              /* column on T and B, row on R and L */
  gboolean collapsed;
  guint row, i;                 /* the pixel it collapsed onto */
  gint32 pending;               /* segment of the neighbour that ends or starts
                                   here, -1 for none */
} Crossing;

typedef struct
{
  CsContoursCpu *cpu;
  CsJob *job;
  CsSampleType type;            /* a constant after inlining */
  guint slots;                  /* likewise when it is 1 */
  guint row, i, column, slot;
  const guint8 *top, *bottom;   /* rows of samples */
  gsize step;
  double level, origin_x, origin_y;
  gboolean top_is_deferred;
  gboolean above_is_valid;
} Cell;

static inline double
cell_crossing (const Cell * cell, gint edge)
{
  const guint8 *ul = cell->top + cell->i * cell->step;
  const guint8 *ll = cell->bottom + cell->i * cell->step;
  const gsize right = cell->slots * cell->step;
  const guint8 *from = edge == CS_EDGE_B ? ll : edge == CS_EDGE_R ? ul + right :
      ul;
  const guint8 *to = edge == CS_EDGE_T ? ul + right : edge == CS_EDGE_L ? ll :
      ll + right;
  const double base = edge == CS_EDGE_T || edge == CS_EDGE_B ?
      cell->origin_x + cell->column :
      cell->origin_y + cell->row;

  return base + cs_crossing_fraction (load_sample (from, cell->type),
      load_sample (to, cell->type), cell->level);
}

static inline void
set_crossing (const Cell * cell, gint edge, double position, gint32 pending,
    Crossing * crossing)
{
  crossing->position = position;
  crossing->pending = pending;
  crossing->collapsed = cs_crossing_is_collapsed (position);
  if (G_UNLIKELY (crossing->collapsed)) {
    if (edge == CS_EDGE_T || edge == CS_EDGE_B) {
      const guint column = (guint) (position - cell->origin_x);

      crossing->row = cell->row + (edge == CS_EDGE_B);
      crossing->i = column * cell->slots + cell->slot;
    } else {
      crossing->row = (guint) (position - cell->origin_y);
      crossing->i = cell->i + (edge == CS_EDGE_R ? cell->slots : 0);
    }
  }
}

/* The crossings of the cell's edges: those on the top and the left are known
 * from the neighbours if these were looked at. */
static inline void
find_crossings (const Cell * cell, guint cell_case, Crossing * crossings)
{
  CsJob *job = cell->job;
  const gint64 index = (gint64) cell->row << 32 | cell->i;

  if ((cell_case ^ cell_case >> 1) & 1) {
    if (cell->above_is_valid && !cell->top_is_deferred)
      set_crossing (cell, CS_EDGE_T, job->bottom_position[cell->i],
          job->bottom_segment[cell->i], &crossings[CS_EDGE_T]);
    else
      set_crossing (cell, CS_EDGE_T, cell_crossing (cell, CS_EDGE_T), -1,
          &crossings[CS_EDGE_T]);
  }
  if ((cell_case ^ cell_case >> 2) & 1) {
    if (job->left_cell[cell->slot] == index - cell->slots)
      set_crossing (cell, CS_EDGE_L, job->left_position[cell->slot],
          job->left_segment[cell->slot], &crossings[CS_EDGE_L]);
    else
      set_crossing (cell, CS_EDGE_L, cell_crossing (cell, CS_EDGE_L), -1,
          &crossings[CS_EDGE_L]);
  }
  if ((cell_case >> 1 ^ cell_case >> 3) & 1) {
    set_crossing (cell, CS_EDGE_R, cell_crossing (cell, CS_EDGE_R), -1,
        &crossings[CS_EDGE_R]);
    job->left_cell[cell->slot] = index;
    job->left_position[cell->slot] = crossings[CS_EDGE_R].position;
    job->left_segment[cell->slot] = -1;
  }
  if ((cell_case >> 2 ^ cell_case >> 3) & 1) {
    set_crossing (cell, CS_EDGE_B, cell_crossing (cell, CS_EDGE_B), -1,
        &crossings[CS_EDGE_B]);
    job->bottom_position[cell->i] = crossings[CS_EDGE_B].position;
    job->bottom_segment[cell->i] = -1;
  }
}

/* One end of @segment lies on @edge. */
static inline void
end_event (const Cell * cell, const Crossing * crossing, gint edge,
    gint32 segment, gboolean is_end)
{
  const CsSegments *segments = &cell->cpu->segments;
  CsJob *job = cell->job;

  if (G_UNLIKELY (crossing->collapsed)) {
    if (job->row0 > 0 && crossing->row == job->row0)
      defer (job, is_end ? CS_DEFERRED_PIXEL_END : CS_DEFERRED_PIXEL_START,
          crossing->i, segment);
    else
      pixel_event (job, segments, crossing->row, crossing->i, segment, is_end);
  } else if (edge == CS_EDGE_R) {
    job->left_segment[cell->slot] = segment;
  } else if (edge == CS_EDGE_B) {
    job->bottom_segment[cell->i] = segment;
  } else if (crossing->pending >= 0) {
    if (is_end)
      join (segments, segment, crossing->pending);
    else
      join (segments, crossing->pending, segment);
  } else if (edge == CS_EDGE_T && cell->top_is_deferred) {
    defer (job, is_end ? CS_DEFERRED_EDGE_END : CS_DEFERRED_EDGE_START,
        cell->i, segment);
  }
}

static inline void
crossing_point (const Cell * cell, const Crossing * crossing, gint edge,
    double *x, double *y)
{
  const gboolean horizontal = edge == CS_EDGE_T || edge == CS_EDGE_B;

  *x = horizontal ? crossing->position :
      cell->origin_x + cell->column + (edge == CS_EDGE_R);
  *y = horizontal ? cell->origin_y + cell->row + (edge == CS_EDGE_B) :
      crossing->position;
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
add_segment (const Cell * cell, guint cell_case, const Crossing * crossings,
    gint from, gint to)
{
  const CsSegments *segments = &cell->cpu->segments;
  CsJob *job = cell->job;
  const Crossing *a = &crossings[from], *b = &crossings[to];
  gint32 segment;
  double x, y;

  if (G_UNLIKELY (a->collapsed && b->collapsed && a->row == b->row &&
          a->i == b->i))
    return;

  segment = job->base + job->n_segments++;
  segments->next[segment] = -1;
  segments->prev[segment] = -1;
  segments->fragment[segment] = -1;
  segments->info[segment] =
      CS_INFO (cell->i, (cell_case & CS_CASE_LR) != 0, from);
  if (segments->left) {
    const gboolean same_row = job->last_row[cell->slot] == cell->row;

    segments->left[segment] = same_row ? job->last_segment[cell->slot] : -1;
    job->last_row[cell->slot] = cell->row;
    job->last_segment[cell->slot] = segment;
  }
  crossing_point (cell, b, to, &x, &y);
  store_point (segments->to, cell->cpu->format, segment, x, y);
  end_event (cell, a, from, segment, FALSE);
  end_event (cell, b, to, segment, TRUE);
}

static inline gboolean
bit_is_set (const guint64 * bits, guint i)
{
  return bits[i / 64] >> (i % 64) & 1;
}

static inline void
link_cell (Cell * cell, guint cell_case, gboolean high)
{
  const CsJob *job = cell->job;
  const guint i = cell->i;
  gint code = cs_case_segments ((gint) cell_case, high);
  Crossing crossings[4];

  cell->above_is_valid = cell->row > 0;
  if (job->has_invalid && cell->row > job->row0) {
    const guint64 *above = job->valid +
        (gsize) (cell->row - 1 - job->row0) * job->n_words;

    cell->above_is_valid = bit_is_set (above, i) &&
        bit_is_set (above, i + cell->slots);
  }
  cell->top_is_deferred = cell->row == job->row0 && job->row0 > 0;
  find_crossings (cell, cell_case, crossings);
  add_segment (cell, cell_case, crossings, code & 3, code >> 2 & 3);
  if (cs_case_is_saddle ((gint) cell_case)) {
    code >>= 4;
    add_segment (cell, cell_case, crossings, code & 3, code >> 2 & 3);
  }
}

/* The scan of a band. Inlined for each sample type, and for @slots 1. */
static inline __attribute__ ((always_inline))
void
link_rows (CsContoursCpu * cpu, CsJob * job, CsSampleType type, guint slots)
{
  const CsPass *pass = job->pass;
  const gboolean high = cpu->plan->params.fully_connected_high;
  const guint n_cells = n_cells_of (cpu, pass);
  const gsize step = slots == 1 && !pass->gather ? cs_sample_size (type) :
      pass->step;
  Cell cell = {
    .cpu = cpu,
    .job = job,
    .type = type,
    .slots = slots,
    .step = step,
    .level = pass->slot_level[0],
    .origin_x = cpu->input->origin_x,
    .origin_y = cpu->input->origin_y,
  };
  guint row, w;

  for (row = job->row0; row < job->row1; row++) {
    job->row_first[row - job->row0] = (guint32) (job->base + job->n_segments);
    cell.row = row;
    cell.top = pass_row (cpu, pass, row);
    cell.bottom = pass_row (cpu, pass, row + 1);
    for (w = 0; w < CS_ROW_WORDS (n_cells); w++) {
      const CellWord c = load_cells (job, row, w, n_cells);
      guint64 active;

      for (active = c.active; active; active &= active - 1) {
        const guint bit = (guint) __builtin_ctzll (active);

        cell.i = 64 * w + bit;
        if (slots == 1) {
          cell.column = cell.i;
        } else {
          cell.column = cell.i / slots;
          cell.slot = cell.i % slots;
          cell.level = pass->slot_level[cell.slot];
        }
        link_cell (&cell, (guint) ((c.ul >> bit & 1) | (c.ur >> bit & 1) << 1 |
                (c.ll >> bit & 1) << 2 | (c.lr >> bit & 1) << 3), high);
      }
    }
  }
}

static void
reset_scan (CsJob * job)
{
  guint i;

  job->n_segments = 0;
  job->n_overwritten = 0;
  job->n_deferred = 0;
  for (i = 0; i < job->pass->n; i++)
    job->slots[0][i].row = job->slots[1][i].row = -1;
  for (i = 0; i < job->pass->slots; i++) {
    job->left_cell[i] = G_MININT64;
    job->last_row[i] = -1;
  }
}

#define LINK_ROWS(type) \
    G_STMT_START { \
      if (job->pass->slots == 1) \
        link_rows (cpu, job, type, 1); \
      else \
        link_rows (cpu, job, type, job->pass->slots); \
    } G_STMT_END

void
cs_cpu_link (CsContoursCpu * cpu, CsJob * job)
{
  reset_scan (job);
  switch (cpu->input->image.type) {
    case CS_SAMPLE_U8:
      LINK_ROWS (CS_SAMPLE_U8);
      break;
    case CS_SAMPLE_U16:
      LINK_ROWS (CS_SAMPLE_U16);
      break;
    case CS_SAMPLE_F16:
      LINK_ROWS (CS_SAMPLE_F16);
      break;
    case CS_SAMPLE_F32:
      LINK_ROWS (CS_SAMPLE_F32);
      break;
    case CS_SAMPLE_F64:
      LINK_ROWS (CS_SAMPLE_F64);
      break;
  }
}

/* The band above has looked at the cell over sample @i iff it is valid. */
static gboolean
cell_was_linked (const CsJob * above, guint i)
{
  const guint64 *top, *bottom;

  if (!above->has_invalid)
    return TRUE;
  top = above->valid + (gsize) (above->row1 - 1 - above->row0) * above->n_words;
  bottom = top + above->n_words;
  return bit_is_set (top, i) && bit_is_set (top, i + above->pass->slots) &&
      bit_is_set (bottom, i) && bit_is_set (bottom, i + above->pass->slots);
}

void
cs_cpu_stitch (CsContoursCpu * cpu, CsJob * above, CsJob * job)
{
  const CsSegments *segments = &cpu->segments;
  guint k;

  for (k = 0; k < job->n_deferred; k++) {
    const CsDeferred *event = &job->deferred[k];

    if (event->kind == CS_DEFERRED_PIXEL_START ||
        event->kind == CS_DEFERRED_PIXEL_END) {
      pixel_event (above, segments, job->row0, event->i, event->segment,
          event->kind == CS_DEFERRED_PIXEL_END);
    } else if (cell_was_linked (above, event->i) &&
        above->bottom_segment[event->i] >= 0) {
      if (event->kind == CS_DEFERRED_EDGE_END)
        join (segments, event->segment, above->bottom_segment[event->i]);
      else
        join (segments, above->bottom_segment[event->i], event->segment);
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
  guint low = 0, high = job->row1 - job->row0;
  Crossing crossing;
  Cell cell = {
    .type = cpu->input->image.type,
    .slots = pass->slots,
    .step = pass->step,
    .i = CS_INFO_I (info),
    .origin_x = cpu->input->origin_x,
    .origin_y = cpu->input->origin_y,
  };

  /* the last row that begins at or before the segment */
  while (high - low > 1) {
    const guint middle = (low + high) / 2;

    if (job->row_first[middle] <= (guint32) segment)
      low = middle;
    else
      high = middle;
  }
  cell.row = job->row0 + low;
  cell.column = cell.i / pass->slots;
  cell.slot = cell.i % pass->slots;
  cell.level = pass->slot_level[cell.slot];
  cell.top = pass_row (cpu, pass, cell.row);
  cell.bottom = pass_row (cpu, pass, cell.row + 1);
  crossing.position = cell_crossing (&cell, edge);
  crossing_point (&cell, &crossing, edge, x, y);
}
