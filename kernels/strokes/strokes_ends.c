/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Merging of open contours by their ends. */
#include "strokes_private.h"

#include <string.h>

#include "strokes_math.h"

#define NONE G_MAXUINT32

/* A hash table of the ends of remaining contours, by cell. End 2 * i is the
 * start of contour i, 2 * i + 1 its end. */
typedef struct
{
  CsStrokesGrid grid;
  const CsStrokesList *list;
  guint32 *buckets;             /* first end of each bucket, or NONE */
  guint32 *next;                /* end in the same bucket */
  guint32 *taken;               /* contours: 0 or 1 */
  guint32 mask;                 /* number of buckets, a power of two, minus 1 */
} Ends;

static inline CsStrokePoint
end_point (const CsStrokesList * list, guint32 end)
{
  return list->points[end & 1 ? list->offsets[end / 2 + 1] - 1 :
      list->offsets[end / 2]];
}

static void
add_end (Ends * ends, guint32 end)
{
  const CsStrokePoint point = end_point (ends->list, end);
  const guint32 at = cs_strokes_hash (cs_strokes_cell (ends->grid, point.x),
      cs_strokes_cell (ends->grid, point.y)) & ends->mask;

  ends->next[end] = ends->buckets[at];
  ends->buckets[at] = end;
}

static gboolean
add_ends (Ends * ends, CsScratch * scratch, GError ** error)
{
  const gsize n = ends->list->n_contours;
  gsize size = 64, i;

  while (size < 2 * n)
    size *= 2;
  ends->buckets = cs_scratch_ensure (scratch, (size + 3 * n) *
      sizeof (guint32), error);
  if (!ends->buckets)
    return FALSE;
  ends->next = ends->buckets + size;
  ends->taken = ends->next + 2 * n;
  ends->mask = (guint32) (size - 1);
  memset (ends->buckets, 0xff, size * sizeof (guint32));
  for (i = 0; i < n; i++) {
    const guint32 from = ends->list->offsets[i];

    ends->taken[i] = cs_strokes_is_closed (ends->list->points + from,
        ends->list->offsets[i + 1] - from);
    if (ends->taken[i])
      continue;
    add_end (ends, (guint32) (2 * i));
    add_end (ends, (guint32) (2 * i + 1));
  }
  return TRUE;
}

/* The end in a bucket nearest to @point, if nearer than @best. Unlinks ends of
 * taken contours. */
static void
search_bucket (Ends * ends, guint32 * link, CsStrokePoint point,
    double *distance2, guint32 * best)
{
  while (*link != NONE) {
    const guint32 end = *link;

    if (ends->taken[end / 2]) {
      *link = ends->next[end];
      continue;
    }
    CsStrokePoint other = end_point (ends->list, end);
    const double d = cs_strokes_distance2 (point.x, point.y, other.x, other.y);
    if (d <= ends->grid.limit && (*best == NONE || d < *distance2 ||
            (d == *distance2 && end < *best))) {
      *best = end;
      *distance2 = d;
    }
    link = &ends->next[end];
  }
}

/* Takes the contour with the end nearest to @point; returns that end, or
 * NONE. */
static guint32
take_nearest (Ends * ends, CsStrokePoint point)
{
  const double column = cs_strokes_cell (ends->grid, point.x);
  const double row = cs_strokes_cell (ends->grid, point.y);
  const int radius = ends->grid.inverse > 0 ? CS_STROKES_CELL_RADIUS : 0;
  guint32 best = NONE;
  double distance2 = 0.;

  for (int dy = -radius; dy <= radius; dy++) {
    for (int dx = -radius; dx <= radius; dx++)
      search_bucket (ends, &ends->buckets[cs_strokes_hash (column + dx,
                  row + dy) & ends->mask], point, &distance2, &best);
  }
  if (best != NONE)
    ends->taken[best / 2] = TRUE;
  return best;
}

gboolean
cs_strokes_join_ends (CsScratch * scratch, const CsStrokesList * list,
    double distance, guint32 * entries, guint32 * chain_offsets,
    gsize * n_chains, GError ** error)
{
  Ends ends = {.grid = cs_strokes_grid (distance),.list = list };
  guint32 n = 0, begin, i, k, end;

  *n_chains = 0;
  chain_offsets[0] = 0;
  if (!add_ends (&ends, scratch, error))
    return FALSE;
  for (i = 0; i < list->n_contours; i++) {
    const guint32 from = list->offsets[i];
    const gboolean closed = cs_strokes_is_closed (list->points + from,
        list->offsets[i + 1] - from);

    if (ends.taken[i] && !closed)
      continue;
    ends.taken[i] = TRUE;
    begin = n;
    /* predecessors, in reverse */
    for (end = 2 * i; !closed && (end = take_nearest (&ends,
                end_point (list, end))) != NONE; end ^= 1)
      entries[n++] = end ^ 1;
    for (k = begin; k < begin + (n - begin) / 2; k++) {
      const guint32 other = entries[n - 1 - (k - begin)];

      entries[n - 1 - (k - begin)] = entries[k];
      entries[k] = other;
    }
    entries[n++] = 2 * i;
    for (end = 2 * i + 1; !closed && (end = take_nearest (&ends,
                end_point (list, end))) != NONE; end ^= 1)
      entries[n++] = end;
    chain_offsets[++*n_chains] = n;
  }
  return TRUE;
}
