/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CPU: which ring another one lies in. A ray from its first cell to the left meets
 * a ring of its label at a side between two pixels: which one that is is found
 * by a table of those sides, that all points are looked up in. */
#include "labels_cpu.h"

/* Rings that are looked at in turn. */
#define CHUNK 64

/* A side, and the ring whose ray ends there. */
typedef struct
{
  gint64 ray;
  guint32 label, ring;
} Entry;

/**
 * Search:
 * @entries: a table of @mask + 1; an entry's ray is CS_LABELS_NO_RAY without one
 * @is_met: of each ring whether it may be met
 * @met: of each ring the one that its ray meets, or -1
 */
typedef struct
{
  const CsLabelsRings *all;
  CsLabelsOutline outline;
  Entry *entries;
  guint64 mask;
  guint8 *is_met;
  gint32 *met;
} Search;

static guint64
place_of (const Search * search, gint64 ray)
{
  return ((guint64) ray * 0x9E3779B97F4A7C15u >> 20) & search->mask;
}

static void
fill_table (const Search * search)
{
  for (guint64 i = 0; i <= search->mask; i++)
    search->entries[i].ray = CS_LABELS_NO_RAY;
  for (gsize i = 0; i < search->all->n; i++) {
    const CsLabelsRing *ring = search->all->rings[i];

    if (ring->ray == CS_LABELS_NO_RAY)
      continue;
    guint64 at = place_of (search, ring->ray);

    while (search->entries[at].ray != CS_LABELS_NO_RAY)
      at = (at + 1) & search->mask;
    search->entries[at] = (Entry) { ring->ray, ring->label, (guint32) i };
  }
}

/* Ring @i passes the lower side of cell @cell. */
static void
look_up (const Search * search, gsize i, gint64 cell)
{
  const guint32 label = search->all->rings[i]->label;
  guint64 at = place_of (search, cell);

  for (; search->entries[at].ray != CS_LABELS_NO_RAY; at = (at + 1) & search->mask) {
    const Entry *entry = &search->entries[at];

    if (entry->ray == cell && entry->label == label)
      search->met[entry->ring] = (gint32) i;
  }
}

static gint64
cell_at (const Search * search, double x, double y)
{
  const CsLabelsRings *all = search->all;

  return (gint64) (y - all->origin_y) * (gint64) all->stride +
      (gint64) (x - all->origin_x + .5);
}

/* All sides between two pixels of a row that ring @i passes. */
static void
look_up_ring (const Search * search, gsize i)
{
  const CsLabelsRing *ring = search->all->rings[i];
  const float *at = cs_labels_cpu_points (search->all, ring);

  for (gsize j = 0; j + 1 < ring->n_points; j++, at += 2) {
    if (search->outline == CS_LABELS_CONTOURS) {
      if (at[1] == floorf (at[1]))
        look_up (search, i, cell_at (search, at[0], at[1]));
    } else if (at[0] == at[2]) {
      for (float y = MIN (at[1], at[3]) + .5f; y < MAX (at[1], at[3]); y++)
        look_up (search, i, cell_at (search, at[0], y));
    }
  }
}

static void
look_up_chunk (gpointer data, guint chunk)
{
  const Search *search = data;
  const gsize begin = (gsize) chunk * CHUNK;

  for (gsize i = begin; i < MIN (begin + CHUNK, search->all->n); i++) {
    if (!search->is_met[i])
      continue;
    cs_labels_cpu_fetch (search->all, i);
    look_up_ring (search, i);
  }
}

/* Which rings a ray may meet: all of a label that has one. Returns: how many
 * rays there are */
static gsize
find_labels (const Search * search)
{
  const CsLabelsRings *all = search->all;
  gsize n_rays = 0;

  for (gsize begin = 0, end; begin < all->n; begin = end) {
    const gsize n_before = n_rays;

    for (end = begin; end < all->n &&
        all->rings[end]->label == all->rings[begin]->label; end++)
      n_rays += all->rings[end]->ray != CS_LABELS_NO_RAY;
    memset (search->is_met + begin, n_rays > n_before, end - begin);
  }
  return n_rays;
}

/* In the order of rings: what a ray meets comes before. */
static void
resolve (const Search * search, gint32 * parents)
{
  for (gsize i = 0; i < search->all->n; i++) {
    const CsLabelsRing *ring = search->all->rings[i];
    const gint32 met = search->met[i];

    parents[i] = -1;
    if (met < 0)
      continue;
    const gboolean met_hole = search->all->rings[met]->is_hole;

    cs_labels_take (ring->is_hole ? met_hole ? CS_LABELS_HOLE_BESIDE_HOLE :
        CS_LABELS_HOLE : met_hole ? CS_LABELS_ISLAND : CS_LABELS_BESIDE);
    parents[i] = ring->is_hole == met_hole ? parents[met] : met;
  }
}

gboolean
cs_labels_cpu_parents (CsExecutor * executor, const CsLabelsRings * all,
    CsLabelsOutline outline, CsScratch * scratch, gint32 * parents,
    GError ** error)
{
  Search search = {.all = all,.outline = outline };
  gsize n_entries = 16;

  search.is_met = cs_scratch_ensure (&scratch[0], all->n + 1, error);
  search.met = search.is_met ? cs_scratch_ensure (&scratch[1],
      (all->n + 1) * sizeof (gint32), error) : NULL;
  if (!search.met)
    return FALSE;
  for (gsize i = 0; i < all->n; i++)
    parents[i] = search.met[i] = -1;
  const gsize n_rays = find_labels (&search);

  if (n_rays == 0)
    return TRUE;
  while (n_entries < 2 * n_rays)
    n_entries *= 2;
  search.entries = cs_scratch_ensure (&scratch[2], n_entries * sizeof (Entry),
      error);
  if (!search.entries)
    return FALSE;
  search.mask = n_entries - 1;
  fill_table (&search);
  cs_executor_parallel_for (executor, (guint) ((all->n + CHUNK - 1) / CHUNK),
      look_up_chunk, &search);
  resolve (&search, parents);
  return TRUE;
}
