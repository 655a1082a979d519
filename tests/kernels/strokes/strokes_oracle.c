/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "strokes_oracle.h"

#include <math.h>
#include <string.h>

Drawing *
drawing_new (gsize max_points, gsize max_contours)
{
  Drawing *drawing = g_new0 (Drawing, 1);

  drawing->points = g_new (CsStrokePoint, max_points + 1);
  drawing->offsets = g_new0 (guint32, max_contours + 2);
  drawing->sources = g_new (guint32, max_contours + 1);
  return drawing;
}

void
drawing_free (Drawing * drawing)
{
  if (!drawing)
    return;
  g_free (drawing->points);
  g_free (drawing->offsets);
  g_free (drawing->sources);
  g_free (drawing);
}

void
drawing_add (Drawing * drawing, double x, double y)
{
  drawing->points[drawing->n_points++] = (CsStrokePoint) { x, y };
}

void
drawing_end_contour (Drawing * drawing, guint32 source)
{
  drawing->sources[drawing->n_contours++] = source;
  drawing->offsets[drawing->n_contours] = drawing->n_points;
}

CsStrokesInput
drawing_input (const Drawing * drawing, const CsBrushMask * mask)
{
  return (CsStrokesInput) {
    .points = drawing->points,
    .offsets = drawing->offsets,
    .n_contours = drawing->n_contours,
    .mask = mask,
  };
}

static gsize
size_of (const Drawing * d, gsize contour)
{
  return d->offsets[contour + 1] - d->offsets[contour];
}

static const CsStrokePoint *
points_of (const Drawing * d, gsize contour)
{
  return d->points + d->offsets[contour];
}

static gboolean
is_closed (const CsStrokePoint * p, gsize n)
{
  return n > 2 && p[0].x == p[n - 1].x && p[0].y == p[n - 1].y;
}

static double
distance2 (CsStrokePoint a, CsStrokePoint b)
{
  const double dx = (double) a.x - b.x, dy = (double) a.y - b.y;

  return dx * dx + dy * dy;
}

static void
add_contour (Drawing * out, const CsStrokePoint * p, gsize n)
{
  for (gsize i = 0; i < n; i++)
    drawing_add (out, p[i].x, p[i].y);
}

/* --- Stages --------------------------------------------------------------- */

static gboolean
is_excluded (CsStrokePoint p, const CsBrushMask * mask)
{
  return !isfinite (p.x) || !isfinite (p.y) || fabsf (p.x) > 0x1p24f ||
      fabsf (p.y) > 0x1p24f || (mask && cs_brush_mask_contains (mask, p.x,
          p.y));
}

static void
exclude_contour (const CsStrokesParams * params, const CsStrokePoint * p,
    gsize n, const CsBrushMask * mask, guint32 source, Drawing * out)
{
  const gboolean closed = is_closed (p, n);
  const gsize ring = closed ? n - 1 : n;
  gsize last = ring, i, before = out->n_points;

  for (i = 0; i < ring; i++)
    if (is_excluded (p[i], mask))
      last = i;
  if (last == ring) {
    add_contour (out, p, n);
    drawing_end_contour (out, source);
    return;
  }
  if (params->exclude == CS_STROKES_EXCLUDE_CONTOURS)
    return;
  for (i = 0; i < ring; i++) {
    const CsStrokePoint q = p[closed ? (last + 1 + i) % ring : i];

    if (!is_excluded (q, mask)) {
      drawing_add (out, q.x, q.y);
    } else if (out->n_points > before) {
      drawing_end_contour (out, source);
      before = out->n_points;
    }
  }
  if (out->n_points > before)
    drawing_end_contour (out, source);
}

static Drawing *
exclude (const CsStrokesParams * params, const CsStrokesInput * input)
{
  const gsize n = input->offsets[input->n_contours];
  Drawing *out = drawing_new (n, n);

  for (gsize i = 0; i < input->n_contours; i++) {
    const gsize size = input->offsets[i + 1] - input->offsets[i];

    if (size > 0)
      exclude_contour (params, input->points + input->offsets[i], size,
          input->mask, i, out);
  }
  for (gsize i = 0; i < out->n_points; i++) {
    if (out->points[i].x == 0)
      out->points[i].x = 0;
    if (out->points[i].y == 0)
      out->points[i].y = 0;
  }
  return out;
}

static double
contour_distance2 (const Drawing * d, gsize a, gsize b)
{
  double least = INFINITY;

  for (gsize i = 0; i < size_of (d, a); i++)
    for (gsize k = 0; k < size_of (d, b); k++)
      least = MIN (least, distance2 (points_of (d, a)[i], points_of (d, b)[k]));
  return least;
}

/* The set of each contour: the lowest index in it. */
static guint32 *
find_sets (const CsStrokesParams * params, const Drawing * in)
{
  const gsize n = in->n_contours;
  const double limit = params->merge_distance * params->merge_distance;
  guint32 *group = g_new (guint32, n + 1);
  gboolean changed = TRUE;

  for (gsize i = 0; i < n; i++)
    group[i] = i;
  while (changed) {
    changed = FALSE;
    for (gsize i = 0; i < n; i++)
      for (gsize k = 0; k < n; k++)
        if (group[k] < group[i] && contour_distance2 (in, i, k) <= limit) {
          group[i] = group[k];
          changed = TRUE;
        }
  }
  return group;
}

/* The free contour with the nearest end to @pen, at most @limit away; and
 * whether it is the contour's last point. */
static gboolean
find_nearest_end (const Drawing * in, const gboolean * done,
    CsStrokePoint pen, double limit, gsize * contour, gboolean * at_last)
{
  double least = INFINITY;
  gboolean found = FALSE;

  for (gsize i = 0; i < in->n_contours; i++) {
    if (done[i])
      continue;
    for (gsize last = 0; last < 2; last++) {
      const CsStrokePoint p = points_of (in, i)[last ? size_of (in, i) - 1 : 0];
      const double d = distance2 (pen, p);

      if (d > limit || (found && d >= least))
        continue;
      found = TRUE;
      least = d;
      *contour = i;
      *at_last = last;
    }
  }
  return found;
}

static void
add_directed (Drawing * out, const Drawing * in, gsize contour,
    gboolean reversed)
{
  const CsStrokePoint *p = points_of (in, contour);
  const gsize n = size_of (in, contour);

  for (gsize i = 0; i < n; i++)
    drawing_add (out, p[reversed ? n - 1 - i : i].x,
        p[reversed ? n - 1 - i : i].y);
}

/* The chain that contour @first begins, its contours by their numbers, those
 * that are reversed less than 0: ~number. */
static GArray *
find_chain (const Drawing * in, gboolean * done, gsize first, double limit)
{
  GArray *chain = g_array_new (FALSE, FALSE, sizeof (gint));
  CsStrokePoint head = points_of (in, first)[0];
  CsStrokePoint tail = points_of (in, first)[size_of (in, first) - 1];
  gint number = first;
  gboolean at_last;
  gsize i;

  done[first] = TRUE;
  g_array_append_val (chain, number);
  while (find_nearest_end (in, done, head, limit, &i, &at_last)) {
    number = at_last ? (gint) i : ~(gint) i;
    g_array_prepend_val (chain, number);
    head = points_of (in, i)[at_last ? 0 : size_of (in, i) - 1];
    done[i] = TRUE;
  }
  while (find_nearest_end (in, done, tail, limit, &i, &at_last)) {
    number = at_last ? ~(gint) i : (gint) i;
    g_array_append_val (chain, number);
    tail = points_of (in, i)[at_last ? 0 : size_of (in, i) - 1];
    done[i] = TRUE;
  }
  return chain;
}

static Drawing *
join_ends (const CsStrokesParams * params, Drawing * in)
{
  const double limit = params->merge_distance * params->merge_distance;
  g_autofree gboolean *done = g_new0 (gboolean, in->n_contours + 1);
  Drawing *out = drawing_new (in->n_points, in->n_contours);

  for (gsize i = 0; i < in->n_contours; i++)
    done[i] = is_closed (points_of (in, i), size_of (in, i));
  for (gsize i = 0; i < in->n_contours; i++) {
    if (is_closed (points_of (in, i), size_of (in, i))) {
      add_directed (out, in, i, FALSE);
      drawing_end_contour (out, in->sources[i]);
    } else if (!done[i]) {
      g_autoptr (GArray) chain = find_chain (in, done, i, limit);
      guint32 source = in->sources[i];

      for (gsize k = 0; k < chain->len; k++) {
        const gint number = g_array_index (chain, gint, k);
        const gsize contour = number < 0 ? ~number : number;

        add_directed (out, in, contour, number < 0);
        source = MIN (source, in->sources[contour]);
      }
      drawing_end_contour (out, source);
    }
  }
  drawing_free (in);
  return out;
}

static guint64
length_of (const CsStrokePoint * p, gsize n)
{
  guint64 length = 0;

  for (gsize i = 1; i < n; i++)
    length += MIN (sqrt (distance2 (p[i - 1], p[i])), 65536) * 65536;
  return length;
}

/* Drops those whose set, of all that @group says are in it, is small. */
static Drawing *
drop_small (const CsStrokesParams * params, const guint32 * group, Drawing * in)
{
  Drawing *out = drawing_new (in->n_points, in->n_contours);

  for (gsize i = 0; i < in->n_contours; i++) {
    guint64 n_points = 0, length = 0;

    for (gsize k = 0; k < in->n_contours; k++) {
      if (group ? group[k] != group[i] : k != i)
        continue;
      n_points += size_of (in, k);
      length += length_of (points_of (in, k), size_of (in, k));
    }
    if (n_points < params->min_points || (params->min_length > 0 &&
            length < params->min_length * 65536))
      continue;
    add_contour (out, points_of (in, i), size_of (in, i));
    drawing_end_contour (out, in->sources[i]);
  }
  drawing_free (in);
  return out;
}

static gboolean
is_duplicate (const Drawing * kept, CsStrokePoint p, double limit)
{
  for (gsize i = 0; i < kept->n_points; i++)
    if (distance2 (kept->points[i], p) <= limit)
      return TRUE;
  return FALSE;
}

static Drawing *
drop_duplicates (const CsStrokesParams * params, Drawing * in)
{
  const double limit = params->duplicate_distance * params->duplicate_distance;
  Drawing *out = drawing_new (in->n_points, in->n_contours);

  for (gsize i = 0; i < in->n_contours; i++) {
    const CsStrokePoint *p = points_of (in, i);
    const gsize n = size_of (in, i), before = out->n_points;
    gboolean first = FALSE;

    for (gsize k = 0; k < n; k++) {
      const gboolean closing = k == n - 1 && is_closed (p, n);

      if (closing ? first : !is_duplicate (out, p[k], limit)) {
        drawing_add (out, p[k].x, p[k].y);
        first |= k == 0;
      }
    }
    if (out->n_points > before)
      drawing_end_contour (out, in->sources[i]);
  }
  drawing_free (in);
  return out;
}

static Drawing *
sort_by_size (Drawing * in)
{
  Drawing *out = drawing_new (in->n_points, in->n_contours);
  g_autofree gboolean *done = g_new0 (gboolean, in->n_contours + 1);

  for (gsize round = 0; round < in->n_contours; round++) {
    gsize best = in->n_contours;

    for (gsize i = 0; i < in->n_contours; i++)
      if (!done[i] && (best == in->n_contours ||
              size_of (in, i) > size_of (in, best)))
        best = i;
    done[best] = TRUE;
    add_contour (out, points_of (in, best), size_of (in, best));
    drawing_end_contour (out, in->sources[best]);
  }
  drawing_free (in);
  return out;
}

/* --- Order ---------------------------------------------------------------- */

typedef struct
{
  gsize contour, point;
  double distance2;
} Best;

/* Contour @contour's nearest point to begin at. */
static void
try_ends (const Drawing * in, gsize contour, CsStrokePoint pen, Best * best)
{
  const CsStrokePoint *p = points_of (in, contour);
  const gsize n = size_of (in, contour);
  const gboolean closed = is_closed (p, n);

  for (gsize i = 0; i < (closed ? n - 1 : n); i++) {
    if (!closed && i > 0 && i < n - 1)
      continue;
    if (distance2 (p[i], pen) < best->distance2)
      *best = (Best) { contour, i, distance2 (p[i], pen) };
  }
}

static void
draw (const Drawing * in, const Best * step, Drawing * out)
{
  const CsStrokePoint *p = points_of (in, step->contour);
  const gsize n = size_of (in, step->contour);

  if (is_closed (p, n)) {
    for (gsize i = 0; i < n; i++) {
      const CsStrokePoint q = p[(step->point + i) % (n - 1)];

      drawing_add (out, q.x, q.y);
    }
  } else {
    for (gsize i = 0; i < n; i++) {
      const CsStrokePoint q = p[step->point > 0 ? n - 1 - i : i];

      drawing_add (out, q.x, q.y);
    }
  }
  drawing_end_contour (out, in->sources[step->contour]);
}

static Drawing *
put_in_order (const CsStrokesParams * params, Drawing * in)
{
  Drawing *out = drawing_new (in->n_points, in->n_contours);
  g_autofree gboolean *done = g_new0 (gboolean, in->n_contours + 1);
  Best step = { 0, 0, 0 };

  for (gsize round = 0; round < in->n_contours; round++) {
    Best best = { 0, 0, INFINITY };

    for (gsize i = 0; i < in->n_contours && round > 0; i++) {
      if (done[i])
        continue;
      if (params->order == CS_STROKES_ORDER_ENDPOINTS) {
        try_ends (in, i, out->points[out->n_points - 1], &best);
      } else {
        const double d = contour_distance2 (in, step.contour, i);

        if (d < best.distance2)
          best = (Best) { i, 0, d };
      }
    }
    step = best;
    done[step.contour] = TRUE;
    draw (in, &step, out);
  }
  drawing_free (in);
  return out;
}

Drawing *
oracle_strokes (const CsStrokesParams * params, const CsStrokesInput * input)
{
  Drawing *d = exclude (params, input);
  g_autofree guint32 *group = NULL;

  if (params->merge_distance >= 0 && params->merge == CS_STROKES_MERGE_ENDS)
    d = join_ends (params, d);
  else if (params->merge_distance >= 0)
    group = find_sets (params, d);
  d = drop_small (params, group, d);
  if (params->duplicate_distance >= 0)
    d = drop_duplicates (params, d);
  if (params->biggest_first || params->order != CS_STROKES_ORDER_NONE)
    d = sort_by_size (d);
  if (params->order != CS_STROKES_ORDER_NONE)
    d = put_in_order (params, d);
  for (gsize i = 1; i < d->n_contours; i++)
    d->travel += sqrt (distance2 (d->points[d->offsets[i] - 1],
            d->points[d->offsets[i]]));
  return d;
}
