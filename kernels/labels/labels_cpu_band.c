/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: a band: its cells, where rings may end, fragments, rings. */
#include "labels_cpu.h"

/**
 * Scan:
 * @stride: cells of a row
 * @rows: of labels, of one more each: all of the band with a hierarchy, else the
 *     first and the last two
 */
typedef struct
{
  const CsLabelsJob *job;
  CsLabelsBand *band;
  CsLabelsLane *lane;
  gsize stride;
  guint32 *rows;
  guint8 *cells;
  CsLabelsWalker *walker;
} Scan;

/* The row of labels above the band's row @i of cells. */
static guint32 *
row_of (const Scan * scan, guint i)
{
  const guint slot = scan->job->params->hierarchy || i == 0 ? i : 1 + i % 2;

  return scan->rows + slot * (scan->stride + 1);
}

/* Loads the row of labels above the picture's row @y of cells. */
static gboolean
load_row (const Scan * scan, gsize y, guint32 * row, GError ** error)
{
  const CsLabelsJob *job = scan->job;
  const gsize size = (scan->stride + 1) * sizeof (guint32);

  if (y > job->first_row && y - job->first_row <= job->input->picture.height)
    return cs_labels_cpu_load (job, y - job->first_row - 1, row, error);
  if (y == job->first_row && job->above)
    memcpy (row, job->above, size);
  else
    memset (row, 0, size);
  return TRUE;
}

/* Lists where rings may end in row @i. */
static gboolean
list_ends (const Scan * scan, guint i, const guint32 * top,
    const guint32 * bottom)
{
  const guint64 any = 0x0101010101010101u *
      (CS_LABELS_END_OUTER | CS_LABELS_END_HOLE);
  const guint8 *cells = scan->cells + i * scan->stride;
  const guint32 first = 2 * i * (guint32) scan->stride;
  CsArray *ends = &scan->lane->ends;

  if (!cs_array_reserve (ends, 2 * scan->stride))
    return FALSE;
  CsLabelsEnd *next = &cs_array_index (ends, CsLabelsEnd, ends->len);

  for (gsize c = 0; c < scan->stride; c += 8) {
    guint64 word = 0;

    if (c + 8 <= scan->stride)
      memcpy (&word, cells + c, 8);
    else
      memcpy (&word, cells + c, scan->stride - c);
    /* a cell's byte is at its bits 8 n to 8 n + 7 */
    for (word = GUINT64_FROM_LE (word) & any; word; word &= word - 1) {
      const guint bit = (guint) __builtin_ctzll (word);
      const gsize at = c + bit / 8;
      const guint is_hole = bit & 1;

      const guint32 label = is_hole ? bottom[at + 1] : top[at];

      *next = (CsLabelsEnd) { first + 2 * (guint32) at + is_hole, label };
      next += label != CS_LABELS_OUTSIDE;
    }
  }
  ends->len = next - (CsLabelsEnd *) (gpointer) ends->data;
  return TRUE;
}

/* --- Rays ----------------------------------------------------------------- */

/* The number of a cell in the picture. */
static gint64
number_of (const Scan * scan, gssize cell)
{
  return (gint64) scan->band->first * (gint64) scan->stride + cell;
}

/* From the first cell of a hole: its lower left pixel is of its label, and to
 * the left of that, after some of it, another one. */
static gint64
ray_of_hole (const Scan * scan, gssize cell)
{
  do
    cell--;
  while (scan->cells[cell] & CS_LABELS_BOTTOM);
  return number_of (scan, cell);
}

/* From the first cell of an outer ring, whose lower right pixel is of its label:
 * the first pixel of that to the left. */
static gint64
ray_of_outer (const Scan * scan, gssize cell)
{
  const guint i = (guint) (cell / (gssize) scan->stride);
  const guint32 *row = row_of (scan, i + 1);
  gssize c = cell % (gssize) scan->stride;

  c = cs_labels_cpu_find_left (row, c, row[c + 1]);
  return c < 0 ? CS_LABELS_NO_RAY : number_of (scan, i * scan->stride + c);
}

static gint64
ray_of (const Scan * scan, gssize cell, gboolean is_hole)
{
  if (is_hole)
    return ray_of_hole (scan, cell);
  return scan->job->params->hierarchy ? ray_of_outer (scan, cell) :
      CS_LABELS_NO_RAY;
}

/* --- Fragments ------------------------------------------------------------ */

/* Of a cell that is the first one of a fragment, but not of its ring, there is
 * no ray. */
static gint64
ray_of_first (const Scan * scan, const CsLabelsWalk * walk)
{
  const guint cell = scan->cells[walk->first];
  const gboolean is_hole = walk->first_direction == CS_LABELS_WEST &&
      (cell & CS_LABELS_TOP) && (cell & CS_LABELS_RISING);

  if (!is_hole && (walk->first_direction != CS_LABELS_NORTH ||
          (cell & CS_LABELS_RIGHT)))
    return CS_LABELS_NO_RAY;
  return ray_of (scan, walk->first, is_hole);
}

static gboolean
add_fragment (const Scan * scan, guint32 column, gboolean begins_above,
    guint32 label)
{
  CsLabelsLane *lane = scan->lane;
  const gssize last_row = (gssize) ((scan->band->n - 1) * scan->stride);
  const gsize first_point = lane->points.len;
  CsLabelsWalk walk;

  if (!cs_labels_cpu_walk_fragment (scan->walker,
          begins_above ? column : last_row + column,
          begins_above ? CS_LABELS_SOUTH : CS_LABELS_NORTH, &walk))
    return FALSE;
  const CsLabelsFragment fragment = {
    .ring = {
          .label = label - 1,
          .lane = scan->band->lane,
          .first_point = first_point,
          .n_points = lane->points.len - first_point,
          .is_hole = walk.last_direction == CS_LABELS_EAST,
          .first_cell = number_of (scan, walk.first),
          .ray = ray_of_first (scan, &walk),
        },
    .last_cell = number_of (scan, walk.last),
    .n_last = walk.n_last,
    .from = column,
    .to = (guint32) (walk.to < 0 ? walk.to + (gssize) scan->stride :
        walk.to - scan->walker->n),
    .begins_above = begins_above,
    .ends_below = walk.to >= 0,
  };

  lane->n_steps += walk.n_steps;
  return cs_array_append_val (&lane->fragments, fragment);
}

/* Those that begin at a side of the band, between two labels of @row. */
static gboolean
find_fragments (const Scan * scan, const guint32 * row, gboolean above)
{
  for (guint32 c = 0; c < scan->stride; c++) {
    const guint32 label = row[c + !above];

    if (row[c] != row[c + 1] && label != CS_LABELS_OUTSIDE &&
        !add_fragment (scan, c, above, label))
      return FALSE;
  }
  return TRUE;
}

/* --- Rings ---------------------------------------------------------------- */

static gboolean
add_ring (const Scan * scan, const CsLabelsEnd * end)
{
  CsLabelsLane *lane = scan->lane;
  const gsize first_point = lane->points.len;
  const gboolean is_hole = end->place & 1;
  CsLabelsWalk walk;

  if (!cs_labels_cpu_walk_ring (scan->walker, end->place / 2, is_hole, &walk))
    return FALSE;
  const CsLabelsRing ring = {
    .label = end->label - 1,
    .lane = scan->band->lane,
    .first_point = first_point,
    .n_points = lane->points.len - first_point,
    .is_hole = is_hole,
    .first_cell = number_of (scan, walk.first),
    .ray = ray_of (scan, walk.first, is_hole),
  };

  lane->n_steps += walk.n_steps;
  return cs_array_append_val (&lane->rings, ring);
}

/* The rings that no fragment is of, from the last cell on: each begins where it
 * ends. */
static gboolean
find_rings (const Scan * scan)
{
  const CsArray *ends = &scan->lane->ends;

  for (gsize i = ends->len; i-- > 0;) {
    const CsLabelsEnd *end = &cs_array_index (ends, CsLabelsEnd, i);
    const guint8 kind = end->place & 1 ? CS_LABELS_END_HOLE :
        CS_LABELS_END_OUTER;

    if ((scan->cells[end->place / 2] & kind) && !add_ring (scan, end))
      return FALSE;
  }
  return TRUE;
}

/* --- Bands ---------------------------------------------------------------- */

static gboolean
fill (const Scan * scan, GError ** error)
{
  const CsLabelsBand *band = scan->band;

  cs_array_empty (&scan->lane->ends);
  if (!load_row (scan, band->first, row_of (scan, 0), error))
    return FALSE;
  for (guint i = 0; i < band->n; i++) {
    const guint32 *top = row_of (scan, i);
    guint32 *bottom = row_of (scan, i + 1);

    if (!load_row (scan, band->first + i + 1, bottom, error))
      return FALSE;
    cs_labels_cpu_compare (top, bottom, scan->stride,
        i > 0 ? scan->cells + (i - 1) * scan->stride : NULL,
        scan->cells + i * scan->stride);
    if (!list_ends (scan, i, top, bottom))
      return cs_fail_no_memory (error, "polygons of labels");
  }
  return TRUE;
}

static gboolean
trace (const Scan * scan, GError ** error)
{
  CsLabelsBand *band = scan->band;
  CsLabelsLane *lane = scan->lane;
  gboolean ok;

  band->first_fragment = lane->fragments.len;
  ok = cs_array_reserve (&lane->points, 1) &&
      find_fragments (scan, row_of (scan, 0), TRUE) &&
      find_fragments (scan, row_of (scan, band->n), FALSE) && find_rings (scan);
  band->n_fragments = lane->fragments.len - band->first_fragment;
  return ok || cs_fail_no_memory (error, "polygons of labels");
}

gboolean
cs_labels_cpu_band (const CsLabelsJob * job, CsLabelsBand * band,
    CsLabelsLane * lane, GError ** error)
{
  const CsLabelsInput *input = job->input;
  const gsize stride = (gsize) input->picture.width + 1;
  const guint n_rows = job->params->hierarchy ? band->n + 1 : 3;
  Scan scan = {
    .job = job,
    .band = band,
    .lane = lane,
    .stride = stride,
    .rows = cs_scratch_ensure (&lane->rows,
        n_rows * (stride + 1) * sizeof (guint32), error),
    .walker = &lane->walker,
  };

  scan.cells = scan.rows ? cs_scratch_ensure (&lane->cells, band->n * stride,
      error) : NULL;
  if (!scan.cells || !fill (&scan, error))
    return FALSE;
  *scan.walker = (CsLabelsWalker) {
    .cells = scan.cells,
    .n = (gssize) (band->n * stride),
    .stride = (gssize) stride,
    .x = input->origin_x - .5f,
    .y = input->origin_y + (float) band->first - .5f,
    .outline = job->params->outline,
    .points = &lane->points,
  };
  cs_labels_cpu_walker_init (scan.walker);
  return trace (&scan, error);
}
