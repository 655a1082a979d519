/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: fragments of bands to rings. */
#include "labels_cpu.h"

#define NONE G_MAXSIZE

/**
 * Join:
 * @fragments: of all bands, in their order
 * @next: of each the one that follows it; NONE once that has been joined
 * @at: of each column the fragment that begins there
 */
typedef struct
{
  const CsArray *bands;
  const CsLabelsLane *lanes;
  guint32 n_lanes;
  const CsLabelsFragment **fragments;
  gsize *next, *at;
  CsArray *rings, *points;
} Join;

static const CsLabelsBand *
band_at (const Join * join, gsize i)
{
  return &cs_array_index (join->bands, const CsLabelsBand, i);
}

/* Whether @from goes on in fragment @i, which is one of @n_to from @first_to
 * on. */
static gboolean
goes_on (const Join * join, const CsLabelsFragment * from, gsize i,
    gsize first_to, gsize n_to)
{
  const CsLabelsFragment *to = i - first_to < n_to ? join->fragments[i] : NULL;

  return to && to->from == from->to && to->begins_above == from->ends_below &&
      to->ring.label == from->ring.label;
}

/* Links the @n_from fragments from @first_from on, of a band, to those of the
 * band below it, or above. Each of these follows one, unless somebody writes
 * into the picture: both bands read the row between them. */
static gboolean
link_side (const Join * join, gsize first_from, gsize n_from,
    gsize first_to, gsize n_to, gboolean down)
{
  gsize n_left = 0;

  for (gsize i = first_to; i < first_to + n_to; i++) {
    if (join->fragments[i]->begins_above != down)
      continue;
    join->at[join->fragments[i]->from] = i;
    n_left++;
  }
  for (gsize i = first_from; i < first_from + n_from; i++) {
    const CsLabelsFragment *from = join->fragments[i];

    if (from->ends_below != down)
      continue;
    join->next[i] = join->at[from->to];
    if (!goes_on (join, from, join->next[i], first_to, n_to))
      return FALSE;
    n_left--;
  }
  return n_left == 0;
}

static gboolean
link_fragments (const Join * join)
{
  gsize first = 0;

  for (gsize i = 0; i + 1 < join->bands->len; i++) {
    const gsize n = band_at (join, i)->n_fragments;
    const gsize n_below = band_at (join, i + 1)->n_fragments;

    if (!link_side (join, first, n, first + n, n_below, TRUE) ||
        !link_side (join, first + n, n_below, first, n, FALSE))
      return FALSE;
    first += n;
  }
  return TRUE;
}

/* The ring of fragment @i: all but its points. Returns: the fragment that it
 * ends in */
static gsize
find_ring (const Join * join, gsize i, CsLabelsRing * ring)
{
  gsize last = i, n_points = 0;

  *ring = join->fragments[i]->ring;
  for (gsize at = i;;) {
    const CsLabelsFragment *fragment = join->fragments[at];

    n_points += fragment->ring.n_points;
    if (fragment->ring.first_cell < ring->first_cell) {
      ring->first_cell = fragment->ring.first_cell;
      ring->ray = fragment->ring.ray;
    }
    if (fragment->last_cell > join->fragments[last]->last_cell)
      last = at;
    at = join->next[at];
    if (at == i)
      break;
  }
  ring->is_hole = join->fragments[last]->ring.is_hole;
  ring->lane = join->n_lanes;
  ring->first_point = join->points->len;
  ring->n_points = n_points + 1;
  return last;
}

/* Points @begin to @end of a fragment. */
static void
copy_points (const Join * join, const CsLabelsFragment * fragment, gsize begin,
    gsize end)
{
  const CsArray *from = &join->lanes[fragment->ring.lane].points;
  CsArray *to = join->points;

  memcpy (to->data + to->len * to->size, from->data +
      (fragment->ring.first_point + begin) * from->size,
      (end - begin) * from->size);
  to->len += end - begin;
}

/* Its points are those after its last cell in raster order, up to that. */
static gboolean
add_ring (const Join * join, gsize i)
{
  CsArray *points = join->points;
  CsLabelsRing ring;
  const gsize last = find_ring (join, i, &ring);
  const CsLabelsFragment *end = join->fragments[last];
  gsize at = join->next[last];

  if (!cs_array_reserve (points, ring.n_points) ||
      !cs_array_append_val (join->rings, ring))
    return FALSE;
  points->len++;
  copy_points (join, end, end->n_last, end->ring.n_points);
  join->next[last] = NONE;
  while (at != last) {
    const gsize next = join->next[at];

    copy_points (join, join->fragments[at], 0,
        join->fragments[at]->ring.n_points);
    join->next[at] = NONE;
    at = next;
  }
  copy_points (join, end, 0, end->n_last);
  memcpy (points->data + ring.first_point * points->size,
      points->data + (points->len - 1) * points->size, points->size);
  return TRUE;
}

static void
list_fragments (const Join * join)
{
  gsize n = 0;

  for (gsize i = 0; i < join->bands->len; i++) {
    const CsLabelsBand *band = band_at (join, i);
    const CsArray *from = &join->lanes[band->lane].fragments;

    for (gsize j = 0; j < band->n_fragments; j++)
      join->fragments[n++] = &cs_array_index (from, CsLabelsFragment,
          band->first_fragment + j);
  }
}

static gboolean
join_all (const Join * join, gsize n, GError ** error)
{
  list_fragments (join);
  if (!link_fragments (join))
    return cs_labels_fail_changed (error);
  for (gsize i = 0; i < n; i++)
    if (join->next[i] != NONE && !add_ring (join, i))
      return cs_fail_no_memory (error, "polygons of labels");
  return TRUE;
}

gboolean
cs_labels_cpu_join (const CsArray * bands, const CsLabelsLane * lanes,
    guint n_lanes, gsize stride, CsScratch * scratch, CsArray * rings,
    CsArray * points, GError ** error)
{
  gsize n = 0;

  for (gsize i = 0; i < bands->len; i++)
    n += cs_array_index (bands, const CsLabelsBand, i).n_fragments;
  if (n == 0)
    return TRUE;
  cs_labels_take (CS_LABELS_ACROSS);
  gsize *memory = cs_scratch_ensure (scratch, (2 * n + stride) *
      sizeof (gsize), error);

  if (!memory)
    return FALSE;
  const Join join = {
    .bands = bands,
    .lanes = lanes,
    .n_lanes = n_lanes,
    .fragments = (const CsLabelsFragment **) (gpointer) (memory + n + stride),
    .next = memory,
    .at = memory + n,
    .rings = rings,
    .points = points,
  };

  return join_all (&join, n, error);
}
