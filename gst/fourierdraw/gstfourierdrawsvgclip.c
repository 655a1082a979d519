/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvgclip.h"

#include <math.h>
#include <string.h>

/* What is nearer to a border than this, in pixels, counts as on it. */
#define NEAR 1e-4
/* How far to either side of a line is looked whether it is a border. */
#define BESIDE 1e-3
/* Bands of a region, at most, and how often an edge is in one, on average. */
#define MAX_BANDS 1024
#define ENTRIES_PER_EDGE 8

/* In this order: of two areas' union it is the greater, of what is in both the
 * lesser. */
typedef enum
{
  OUTSIDE,
  ON_BORDER,
  INSIDE,
} Place;

typedef struct
{
  gdouble x0, y0, x1, y1;
  guint part;
} Edge;

typedef struct
{
  gboolean even_odd;
  FourierRegion *within;
} Part;

/**
 * FourierRegion:
 * @edges: of all parts, one part after the other
 * @bands: of @n_bands horizontal bands from @top on, @height each: where its
 *     edges begin in @entries; one more, for the end
 * @entries: edges of each band, in their order
 * @box: x0, y0, x1, y1 around it
 * @is_box: whether that is all of it
 */
struct _FourierRegion
{
  CsArray edges, parts;
  CsArray bands, entries;
  guint n_bands;
  gdouble height;
  gdouble box[4];
  gboolean is_box;
};

/* From one point of a border to another: the edge's number and how much of it
 * is before the point. */
typedef struct
{
  gdouble begin, end;
} Span;

/* Regions */

FourierRegion *
fourier_region_new (void)
{
  FourierRegion *region = g_new0 (FourierRegion, 1);

  cs_array_init (&region->edges, sizeof (Edge));
  cs_array_init (&region->parts, sizeof (Part));
  cs_array_init (&region->bands, sizeof (gsize));
  cs_array_init (&region->entries, sizeof (guint32));
  region->box[0] = region->box[1] = INFINITY;
  region->box[2] = region->box[3] = -INFINITY;
  return region;
}

void
fourier_region_free (FourierRegion * region)
{
  for (gsize i = 0; i < region->parts.len; i++)
    g_clear_pointer (&cs_array_index (&region->parts, Part, i).within,
        fourier_region_free);
  cs_array_clear (&region->edges);
  cs_array_clear (&region->parts);
  cs_array_clear (&region->bands);
  cs_array_clear (&region->entries);
  g_free (region);
}

void
fourier_region_add (FourierRegion * region, const FourierPen * pen,
    gboolean even_odd, FourierRegion * within)
{
  const gdouble (*p)[2] = (gconstpointer) pen->points.data;
  const Part part = { even_odd, within };

  if (!cs_array_append_val (&region->parts, part)) {
    g_clear_pointer (&within, fourier_region_free);
    return;
  }
  for (gsize line = 0; line < pen->starts.len; line++) {
    const gsize first = cs_array_index (&pen->starts, gsize, line);
    const gsize end = line + 1 < pen->starts.len ?
        cs_array_index (&pen->starts, gsize, line + 1) : pen->points.len;

    /* there is nothing in a line there and back */
    for (gsize i = first + 1; end - first > 2 && i < end; i++) {
      const Edge edge = { p[i - 1][0], p[i - 1][1], p[i][0], p[i][1],
        (guint) region->parts.len - 1
      };

      cs_array_append_val (&region->edges, edge);
      region->box[0] = MIN (region->box[0], MIN (edge.x0, edge.x1));
      region->box[1] = MIN (region->box[1], MIN (edge.y0, edge.y1));
      region->box[2] = MAX (region->box[2], MAX (edge.x0, edge.x1));
      region->box[3] = MAX (region->box[3], MAX (edge.y0, edge.y1));
    }
  }
}

static guint
find_band (const FourierRegion * region, gdouble y)
{
  const gdouble band = (y - region->box[1]) / region->height;

  return band > 0. ? (guint) MIN (band, region->n_bands - 1) : 0;
}

/* Bands that an edge, or a line, is in or near to. */
static void
find_bands (const FourierRegion * region, gdouble y0, gdouble y1,
    guint * first, guint * last)
{
  *first = find_band (region, MIN (y0, y1) - NEAR);
  *last = find_band (region, MAX (y0, y1) + NEAR);
}

static void
choose_bands (FourierRegion * region)
{
  const gdouble height = region->box[3] - region->box[1];
  gdouble sum = 0., n;

  for (gsize i = 0; i < region->edges.len; i++) {
    const Edge *edge = &cs_array_index (&region->edges, Edge, i);

    sum += fabs (edge->y1 - edge->y0);
  }
  n = ENTRIES_PER_EDGE * region->edges.len * height / MAX (sum, height);
  region->n_bands = n > 1. ? (guint) MIN (n, MAX_BANDS) : 1;
  /* bands are high enough that points near to a border are in few of them */
  region->n_bands = height / region->n_bands > 4. * NEAR ? region->n_bands : 1;
  region->height = MAX (height, 4. * NEAR) / region->n_bands;
}

/* Whether the region is its box, as most are. */
static gboolean
is_box (const FourierRegion * region)
{
  if (region->edges.len != 4 || region->parts.len != 1 ||
      cs_array_index (&region->parts, Part, 0).within)
    return FALSE;
  for (gsize i = 0; i < 4; i++) {
    const Edge *edge = &cs_array_index (&region->edges, Edge, i);
    const Edge *next = &cs_array_index (&region->edges, Edge, (i + 1) % 4);

    /* up and down in turn with left and right, in one line */
    if (edge->x1 != next->x0 || edge->y1 != next->y0 ||
        (edge->x0 == edge->x1) == (edge->y0 == edge->y1) ||
        (edge->x0 == edge->x1) == (next->x0 == next->x1))
      return FALSE;
  }
  return TRUE;
}

gboolean
fourier_region_end (FourierRegion * region)
{
  gsize i, n = 0, *bands;
  guint first, last;

  if (region->edges.failed || region->parts.failed)
    return FALSE;
  if (region->edges.len == 0)
    return TRUE;
  region->is_box = is_box (region);
  choose_bands (region);
  if (!cs_array_set_size (&region->bands, region->n_bands + 2))
    return FALSE;
  bands = &cs_array_index (&region->bands, gsize, 0);
  memset (bands, 0, (region->n_bands + 2) * sizeof (*bands));
  /* how many, then where they begin, one band later, then where they end */
  for (i = 0; i < region->edges.len; i++) {
    const Edge *edge = &cs_array_index (&region->edges, Edge, i);

    find_bands (region, edge->y0, edge->y1, &first, &last);
    for (guint band = first; band <= last; band++)
      bands[band + 2]++;
  }
  for (guint band = 0; band < region->n_bands + 2; band++)
    n = bands[band] += n;
  if (!cs_array_set_size (&region->entries, n))
    return FALSE;
  guint32 *entries = &cs_array_index (&region->entries, guint32, 0);
  for (i = 0; i < region->edges.len; i++) {
    const Edge *edge = &cs_array_index (&region->edges, Edge, i);

    find_bands (region, edge->y0, edge->y1, &first, &last);
    for (guint band = first; band <= last; band++)
      entries[bands[band + 1]++] = (guint32) i;
  }
  return TRUE;
}

/* Whether a point is at an edge. */
static gboolean
is_near (const Edge * edge, gdouble x, gdouble y)
{
  const gdouble dx = edge->x1 - edge->x0, dy = edge->y1 - edge->y0;
  const gdouble along = (x - edge->x0) * dx + (y - edge->y0) * dy;
  const gdouble square = dx * dx + dy * dy;

  /* as most are */
  if (x < MIN (edge->x0, edge->x1) - NEAR ||
      x > MAX (edge->x0, edge->x1) + NEAR ||
      y < MIN (edge->y0, edge->y1) - NEAR ||
      y > MAX (edge->y0, edge->y1) + NEAR)
    return FALSE;
  const gdouble t = square > 0. ? CLAMP (along / square, 0., 1.) : 0.;
  return hypot (edge->x0 + t * dx - x, edge->y0 + t * dy - y) <= NEAR;
}

/* How often an edge goes around a point, halfway: those to its left count. */
static gint
wind (const Edge * edge, gdouble x, gdouble y)
{
  gdouble side;

  if ((edge->y0 <= y) == (edge->y1 <= y))
    return 0;
  side =
      edge->x0 + (y - edge->y0) / (edge->y1 - edge->y0) * (edge->x1 - edge->x0);
  if (side > x)
    return 0;
  return edge->y0 <= y ? 1 : -1;
}

static Place
find_place (const FourierRegion * region, gdouble x, gdouble y, guint64 * work)
{
  Place place = OUTSIDE, in_part;

  if (region->edges.len == 0 || x < region->box[0] - NEAR ||
      x > region->box[2] + NEAR || y < region->box[1] - NEAR ||
      y > region->box[3] + NEAR)
    return OUTSIDE;
  const guint band = find_band (region, y);
  gsize i = cs_array_index (&region->bands, gsize, band);
  const gsize end = cs_array_index (&region->bands, gsize, band + 1);
  *work += (end - i) / 2;
  while (i < end && place != INSIDE) {
    const guint part = cs_array_index (&region->edges, Edge,
        cs_array_index (&region->entries, guint32, i)).part;
    const Part *p = &cs_array_index (&region->parts, Part, part);
    gboolean near = FALSE;
    gint winding = 0;

    for (; i < end; i++) {
      const Edge *edge = &cs_array_index (&region->edges, Edge,
          cs_array_index (&region->entries, guint32, i));

      if (edge->part != part)
        break;
      near = near || is_near (edge, x, y);
      winding += wind (edge, x, y);
    }
    in_part = near ? ON_BORDER : (p->even_odd ? winding & 1 : winding != 0) ?
        INSIDE : OUTSIDE;
    if (p->within && in_part != OUTSIDE)
      in_part = MIN (in_part, find_place (p->within, x, y, work));
    place = MAX (place, in_part);
  }
  return place;
}

/* Lines */

/* A line from (x, y) by (dx, dy). */
typedef struct
{
  gdouble x, y, dx, dy;
} Line;

static void
add_cut (CsArray * cuts, gdouble t)
{
  if (t > 0. && t < 1.)
    cs_array_append_val (cuts, t);
}

/* Where the line meets the edge, as a share of the line. */
static void
cut_at_edge (const Line * line, const Edge * edge, CsArray * cuts)
{
  const gdouble ex = edge->x1 - edge->x0, ey = edge->y1 - edge->y0;
  const gdouble ax = edge->x0 - line->x, ay = edge->y0 - line->y;
  const gdouble x1 = line->x + line->dx, y1 = line->y + line->dy;
  const gdouble cross = line->dx * ey - line->dy * ex;

  /* as most do not */
  if (MAX (line->x, x1) < MIN (edge->x0, edge->x1) - NEAR ||
      MIN (line->x, x1) > MAX (edge->x0, edge->x1) + NEAR ||
      MAX (line->y, y1) < MIN (edge->y0, edge->y1) - NEAR ||
      MIN (line->y, y1) > MAX (edge->y0, edge->y1) + NEAR)
    return;
  const gdouble length = hypot (line->dx, line->dy);
  const gdouble edge_length = hypot (ex, ey);
  if (!(length > 0.) || !(edge_length > 0.))
    return;
  if (fabs (cross) > 1e-9 * length * edge_length) {
    const gdouble u = (ax * line->dy - ay * line->dx) / cross;
    if (u >= -NEAR / edge_length && u <= 1. + NEAR / edge_length)
      add_cut (cuts, (ax * ey - ay * ex) / cross);
    return;
  }
  /* they lie along each other, or are apart */
  if (fabs (ax * line->dy - ay * line->dx) > 2. * NEAR * length)
    return;
  add_cut (cuts, (ax * line->dx + ay * line->dy) / (length * length));
  add_cut (cuts, ((ax + ex) * line->dx + (ay + ey) * line->dy) /
      (length * length));
}

static void
cut_at_region (const Line * line, const FourierRegion * region,
    CsArray * cuts, guint64 * work)
{
  const gdouble x1 = line->x + line->dx, y1 = line->y + line->dy;
  guint first, last;

  *work += 1;
  if (region->edges.len == 0 || MAX (line->x, x1) < region->box[0] - NEAR ||
      MIN (line->x, x1) > region->box[2] + NEAR ||
      MAX (line->y, y1) < region->box[1] - NEAR ||
      MIN (line->y, y1) > region->box[3] + NEAR)
    return;
  find_bands (region, line->y, y1, &first, &last);
  gsize i = cs_array_index (&region->bands, gsize, first);
  const gsize end = cs_array_index (&region->bands, gsize, last + 1);
  *work += (end - i) / 2;
  for (; i < end; i++)
    cut_at_edge (line, &cs_array_index (&region->edges, Edge,
            cs_array_index (&region->entries, guint32, i)), cuts);
  for (i = 0; i < region->parts.len; i++) {
    const Part *part = &cs_array_index (&region->parts, Part, i);

    if (part->within)
      cut_at_region (line, part->within, cuts, work);
  }
}

static gint
compare_numbers (gconstpointer a, gconstpointer b)
{
  const gdouble x = *(const gdouble *) a, y = *(const gdouble *) b;

  return x < y ? -1 : x > y;
}

/* Between two of these the line is in one place. The first is 0, the last 1. */
static void
sort_cuts (CsArray * cuts, guint64 * work)
{
  const gdouble ends[] = { 0., 1. };

  cs_array_append (cuts, ends, 2);
  *work += 4 * cuts->len;
  if (cuts->len > 2)
    qsort (cuts->data, cuts->len, cuts->size, compare_numbers);
}

/* Whether a point is in @clip and what it is in, or on a border of these. */
static gboolean
is_seen (const FourierClip * clip, gdouble x, gdouble y, guint64 * work)
{
  for (; clip; clip = clip->outer)
    if (find_place (clip->region, x, y, work) == OUTSIDE)
      return FALSE;
  return TRUE;
}

/* Whether all of a line is seen, found without any work. */
static gboolean
is_within_boxes (const FourierClip * clip, const Line * line)
{
  const gdouble x = line->x + line->dx, y = line->y + line->dy;

  for (; clip; clip = clip->outer) {
    const gdouble *box = clip->region->box;

    if (!clip->region->is_box || MIN (line->x, x) < box[0] ||
        MAX (line->x, x) > box[2] || MIN (line->y, y) < box[1] ||
        MAX (line->y, y) > box[3])
      return FALSE;
  }
  return TRUE;
}

static void
begin_line (FourierLines * lines, gdouble x, gdouble y)
{
  const gdouble point[2] = { x, y };
  const gsize start = lines->points.len;

  if (cs_array_append_val (&lines->points, point))
    cs_array_append_val (&lines->starts, start);
}

static void
go_on (FourierLines * lines, gdouble x, gdouble y)
{
  const gdouble point[2] = { x, y };

  cs_array_append_val (&lines->points, point);
}

/* @drawing: whether the line before ended within
 * Returns: whether this one does */
static gboolean
cut_line (const FourierClip * clip, const Line * line, gboolean drawing,
    CsArray * cuts, FourierLines * lines, guint64 * work)
{
  const FourierClip *at;

  if (is_within_boxes (clip, line)) {
    if (!drawing)
      begin_line (lines, line->x, line->y);
    go_on (lines, line->x + line->dx, line->y + line->dy);
    return TRUE;
  }
  cs_array_empty (cuts);
  for (at = clip; at; at = at->outer)
    cut_at_region (line, at->region, cuts, work);
  sort_cuts (cuts, work);
  lines->points.failed |= cuts->failed;
  for (gsize i = 0; i + 1 < cuts->len; i++) {
    const gdouble t = cs_array_index (cuts, gdouble, i);
    const gdouble middle = (t + cs_array_index (cuts, gdouble, i + 1)) / 2.;
    const gdouble x = line->x + t * line->dx, y = line->y + t * line->dy;

    if (middle <= t && cuts->len > 2)
      continue;
    const gboolean seen = is_seen (clip, line->x + middle * line->dx,
        line->y + middle * line->dy, work);
    if (seen && !drawing)
      begin_line (lines, x, y);
    else if (!seen && drawing && t > 0.)
      go_on (lines, x, y);
    drawing = seen;
  }
  if (drawing)
    go_on (lines, line->x + line->dx, line->y + line->dy);
  return drawing;
}

void
fourier_clip_cut (const FourierClip * clip, const FourierPen * pen,
    FourierLines * lines, guint64 * work, guint64 max_work)
{
  const gdouble (*p)[2] = (gconstpointer) pen->points.data;
  CsArray cuts;

  cs_array_init (&cuts, sizeof (gdouble));
  for (gsize line = 0; line < pen->starts.len; line++) {
    const gsize first = cs_array_index (&pen->starts, gsize, line);
    const gsize end = line + 1 < pen->starts.len ?
        cs_array_index (&pen->starts, gsize, line + 1) : pen->points.len;
    gboolean drawing = FALSE;

    for (gsize i = first + 1; i < end && *work < max_work; i++) {
      const Line part = { p[i - 1][0], p[i - 1][1], p[i][0] - p[i - 1][0],
        p[i][1] - p[i - 1][1]
      };

      drawing = cut_line (clip, &part, drawing, &cuts, lines, work);
    }
  }
  cs_array_clear (&cuts);
}

/* Borders */

void
fourier_clip_init (FourierClip * clip,
    FourierRegion * region, gboolean shows, FourierClip * outer)
{
  clip->outer = outer;
  clip->region = region;
  clip->shows = shows;
  cs_array_init (&clip->spans, sizeof (Span));
}

void
fourier_clip_clear (FourierClip * clip)
{
  g_clear_pointer (&clip->region, fourier_region_free);
  cs_array_clear (&clip->spans);
}

static void
add_span (CsArray * spans, gdouble begin, gdouble end)
{
  const Span span = { begin, end };
  Span *last = spans->len == 0 ? NULL :
      &cs_array_index (spans, Span, spans->len - 1);

  if (last && last->begin <= begin && last->end >= begin)
    last->end = MAX (last->end, end);
  else
    cs_array_append_val (spans, span);
}

/* Whether at a point of an edge of a region, one side is in it and the other
 * one is not. */
static gboolean
is_border (const FourierRegion * region, const Line * line, gdouble x,
    gdouble y, guint64 * work)
{
  const gdouble length = hypot (line->dx, line->dy);
  const gdouble dx = -line->dy / length * BESIDE;
  const gdouble dy = line->dx / length * BESIDE;

  return (find_place (region, x + dx, y + dy, work) == OUTSIDE) !=
      (find_place (region, x - dx, y - dy, work) == OUTSIDE);
}

/* The part of an edge of a clip's border that @region goes beyond. @all: the
 * clips among which it is seen */
static void
cover_edge (FourierClip * clip, gsize number, const FourierClip * all,
    const FourierRegion * region, CsArray * cuts, guint64 * work)
{
  const Edge *edge = &cs_array_index (&clip->region->edges, Edge, number);
  const Line line = { edge->x0, edge->y0, edge->x1 - edge->x0,
    edge->y1 - edge->y0
  };
  const FourierClip *at;

  *work += 1;
  if (MAX (edge->x0, edge->x1) < region->box[0] ||
      MIN (edge->x0, edge->x1) > region->box[2] ||
      MAX (edge->y0, edge->y1) < region->box[1] ||
      MIN (edge->y0, edge->y1) > region->box[3] ||
      (line.dx == 0. && line.dy == 0.))
    return;
  cs_array_empty (cuts);
  cut_at_region (&line, region, cuts, work);
  for (at = all; at; at = at->outer)
    cut_at_region (&line, at->region, cuts, work);
  sort_cuts (cuts, work);
  clip->spans.failed |= cuts->failed;
  for (gsize i = 0; i + 1 < cuts->len; i++) {
    const gdouble begin = cs_array_index (cuts, gdouble, i);
    const gdouble end = cs_array_index (cuts, gdouble, i + 1);
    const gdouble x = line.x + (begin + end) / 2. * line.dx;
    const gdouble y = line.y + (begin + end) / 2. * line.dy;

    if (end > begin && find_place (region, x, y, work) == INSIDE &&
        is_seen (all, x, y, work) &&
        is_border (clip->region, &line, x, y, work))
      add_span (&clip->spans, number + begin, number + end);
  }
}

void
fourier_clip_cover (FourierClip * clip,
    const FourierRegion * region, guint64 * work, guint64 max_work)
{
  FourierClip *at;
  CsArray cuts;
  gsize i;

  cs_array_init (&cuts, sizeof (gdouble));
  for (at = clip; at; at = at->outer)
    for (i = 0; at->shows && i < at->region->edges.len && *work < max_work; i++)
      cover_edge (at, i, clip, region, &cuts, work);
  cs_array_clear (&cuts);
}

/* Goes along the border from @begin to @end. */
static void
draw_span (const FourierRegion * region, gdouble begin, gdouble end,
    FourierLines * lines)
{
  gdouble number = floor (begin);
  const Edge *before = NULL;

  for (; number < end && number < region->edges.len; number++) {
    const Edge *edge = &cs_array_index (&region->edges, Edge, (gsize) number);
    const gdouble from = MAX (begin - number, 0.);
    const gdouble to = MIN (end - number, 1.);

    if (!before || before->x1 != edge->x0 || before->y1 != edge->y0)
      begin_line (lines, edge->x0 + from * (edge->x1 - edge->x0),
          edge->y0 + from * (edge->y1 - edge->y0));
    go_on (lines, edge->x0 + to * (edge->x1 - edge->x0),
        edge->y0 + to * (edge->y1 - edge->y0));
    before = edge;
  }
}

static gint
compare_spans (gconstpointer a, gconstpointer b)
{
  const Span *x = a, *y = b;

  return x->begin < y->begin ? -1 : x->begin > y->begin;
}

void
fourier_clip_draw (FourierClip * clip, FourierLines * lines)
{
  CsArray all;

  cs_array_init (&all, sizeof (Span));
  if (clip->spans.len > 0)
    qsort (clip->spans.data, clip->spans.len, clip->spans.size, compare_spans);
  for (gsize i = 0; i < clip->spans.len; i++) {
    const Span *span = &cs_array_index (&clip->spans, Span, i);

    add_span (&all, span->begin, span->end);
  }
  for (gsize i = 0; i < all.len; i++) {
    const Span *span = &cs_array_index (&all, Span, i);

    draw_span (clip->region, span->begin, span->end, lines);
  }
  lines->points.failed |= all.failed || clip->spans.failed;
  cs_array_clear (&all);
}
