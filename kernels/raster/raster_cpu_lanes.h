/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What touches every layer of every pixel, on 8 x 2 of them; included once for
 * each instruction set, with NAME() for the names. */

#include "raster_cpu_ops.h"

/* How far @at lies outside of from @low to @high, squared. */
static inline CsLanes
NAME (outside2) (CsLanes at, CsLanes low, CsLanes high)
{
  const CsLanes below = low - at, above = at - high;
  const CsLanes d = NAME (clip) (NAME (greater) (below, above));

  return d * d;
}

static guint64
NAME (look) (const CsRasterReaches * reaches, gsize first, gint x, gint y)
{
  typedef float Unaligned __attribute__ ((vector_size (32), aligned (4),
          may_alias));
  const CsLanes zero = { 0 };
  const CsLanes left = zero + (float) x, right = left + (CS_FIELD - 1);
  const CsLanes top = zero + (float) y, bottom = top + (CS_FIELD - 1);
  guint64 seen = 0;

  for (guint i = 0; i < CS_LOOK; i += 8) {
    const CsLanes at_x = *(const Unaligned *) &reaches->x[first + i];
    const CsLanes at_y = *(const Unaligned *) &reaches->y[first + i];
    const CsLanes reach2 = *(const Unaligned *) &reaches->reach2[first + i];
    const CsLanes d2 = NAME (outside2) (at_x, left, right) +
        NAME (outside2) (at_y, top, bottom);

    seen |= (guint64) NAME (bits) (NAME (at_most) (d2, reach2)) << i;
  }
  return seen;
}

/* Two rows of tiles at a time. */
static guint
NAME (look_tiles) (const CsRasterReach * disc, gint x, gint y)
{
  const CsLanes columns = { 0, 1, 2, 3, 0, 1, 2, 3 };
  const CsLanes rows = { 0, 0, 0, 0, 1, 1, 1, 1 };
  const CsLanes zero = { 0 }, reach2 = NAME (all) (disc->reach2);
  const CsLanes left = columns * CS_TILE + (float) x;
  const CsLanes top = rows * CS_TILE + (float) y;
  const CsLanes dx2 = NAME (outside2) (zero + disc->x, left,
      left + (CS_TILE - 1));
  guint seen = 0, i;

  for (i = 0; i < 2; i++) {
    const CsLanes above = top + (float) (i * 2 * CS_TILE);
    const CsLanes d2 = dx2 + NAME (outside2) (zero + disc->y, above,
        above + (CS_TILE - 1));

    seen |= NAME (bits) (NAME (at_most) (d2, reach2)) << 8 * i;
  }
  return seen;
}

/* Where coverage is neither 0 nor 1 for sure, by the root. */
static inline __attribute__ ((always_inline))
CsLanes
NAME (cover_edge) (const CsStaged * s, gboolean antialias, CsLanes d2)
{
  const CsLanes one = NAME (all) (1);
  CsLanes d = NAME (root) (d2), cover;

  if (s->mark.half_width > 0) {
    d -= s->mark.radius;
    d = (CsLanes) ((CsLanesInt) d & 0x7fffffff);
  }
  if (!antialias)
    return (CsLanes) (NAME (at_most) (d, NAME (all) (s->shape.edge)) &
        (CsLanesInt) one);
  cover = NAME (clip) (s->shape.edge - d);
  return NAME (lesser) (cover, one);
}

/* Squared distances of eight pixels of a row from a mark's line. */
static inline __attribute__ ((always_inline))
CsLanes
NAME (distance2) (const CsStaged * s, CsLanes x, float y)
{
  const float at_y = y - s->mark.y;
  CsLanes dx = x - s->mark.x;

  if (s->shape.inv != 0) {
    CsLanes dy = at_y + x * 0;
    CsLanes t = (dx * s->mark.bx + dy * s->mark.by) * s->shape.inv;

    t = NAME (lesser) (NAME (clip) (t), NAME (all) (1));
    dx -= t * s->mark.bx;
    dy -= t * s->mark.by;
    return dx * dx + dy * dy;
  }
  return dx * dx + at_y * at_y;
}

/* The coverage of both rows of the group at (x, y); x has eight columns. */
static inline gboolean
NAME (cover) (const CsStaged * s, gboolean antialias, CsLanes x, float y,
    CsLanes cover[2])
{
  const CsLanes one = NAME (all) (1);
  const CsLanes inner = NAME (all) (s->shape.inner);
  const CsLanes outer = NAME (all) (s->shape.outer);
  CsLanes d2[2];
  CsLanesInt edge[2];

  for (guint row = 0; row < 2; row++) {
    d2[row] = NAME (distance2) (s, x, y + row);
    cover[row] = (CsLanes) (NAME (at_most) (d2[row], inner) & (CsLanesInt) one);
    edge[row] = NAME (less) (inner, d2[row]) & NAME (at_most) (d2[row], outer);
  }
  if (NAME (any) (edge[0], edge[1])) {
    for (guint row = 0; row < 2; row++) {
      const CsLanes at_edge = NAME (cover_edge) (s, antialias, d2[row]);

      cover[row] = NAME (select) (edge[row], at_edge, cover[row]);
    }
  }
  return NAME (any) (NAME (is_positive) (cover[0]),
      NAME (is_positive) (cover[1]));
}

/* One layer on both rows, from the front. */
static inline void
NAME (blend) (CsGroup * g, const CsLanes cover[2], float alpha,
    const float color[3])
{
  for (guint row = 0; row < 2; row++) {
    const CsLanes a = cover[row] * alpha;
    const CsLanes w = g->through[row] * a;

    g->error[row] += (CsLanes) (NAME (is_positive) (a) &
        (CsLanesInt) (3.f * g->through[row] + .5f));
    for (guint i = 0; i < 3; i++)
      g->color[i][row] += w * color[i];
    g->through[row] -= w;
  }
}

#include "raster_cpu_gradient.h"

/* A pending run is painted like any other: it is the last. Returns whether
 * anything has been painted on the group. */
static gboolean
NAME (flush_front) (CsGroup * g)
{
  const CsLanes zero = { 0 };

  if (g->pending)
    NAME (blend) (g, g->cover, g->pending_alpha, g->pending_color);
  g->cover[0] = g->cover[1] = zero;
  g->pending = FALSE;
  return NAME (any) (NAME (is_positive) (g->error[0]),
      NAME (is_positive) (g->error[1]));
}

static inline gboolean
NAME (lets_through) (const CsGroup * g, float limit)
{
  const CsLanes limits = NAME (all) (limit);

  return NAME (any) (NAME (less) (limits, g->through[0]),
      NAME (less) (limits, g->through[1]));
}

static gboolean
NAME (is_dark) (const CsGroup * g)
{
  const CsLanes dark = NAME (all) (CS_RASTER_DARK);

  return !NAME (any) (NAME (at_most) (dark, g->through[0]),
      NAME (at_most) (dark, g->through[1]));
}

static void
NAME (init) (CsGroup * g, const CsRasterFormat * f)
{
  const CsLanes steps = { 0, 1, 2, 3, 4, 5, 6, 7 };
  const CsLanesInt inside = NAME (less) (steps + (float) g->x,
      NAME (all) (f->width));
  const CsLanes one = NAME (all) (1);

  for (gint row = 0; row < 2; row++) {
    if (g->y + row < f->height)
      g->through[row] = (CsLanes) ((CsLanesInt) one & inside);
  }
}

/* Proof of the whole group for codes without alpha, light or subsampling. */
static gboolean
NAME (prove_plain) (const CsRasterFormat * f, const CsGroup * g,
    CsLanesInt codes[4][2])
{
  const CsLanes one = NAME (all) (1);
  CsLanesInt bad = { 0 };

  for (gint row = 0; row < 2; row++) {
    CsLanes e = (g->error[row] + 4.f) * (1.02f * CS_RASTER_UNIT);
    CsLanesInt above = NAME (less) (one, g->color[0][row]);

    above |= NAME (less) (one, g->color[1][row]);
    above |= NAME (less) (one, g->color[2][row]);
    e += (CsLanes) ((CsLanesInt) e & above);
    for (gint i = 0; i < f->n_channels; i++) {
      const CsLanes low = g->color[i][row] - e;
      const CsLanes high = g->color[i][row] + g->through[row] + e;
      const CsLanes rounded = f->max * NAME (clip) (low) + .5f;

      codes[i][row] = NAME (to_ints) (rounded);
      bad |= NAME (unequal) (codes[i][row],
          NAME (to_ints) (f->max * high + .5f));
    }
  }
  return !NAME (any) (bad, bad);
}

#include "raster_cpu_codes.h"

/* --- From bounds to codes, without light ---------------------------------- */

/* Which pixels exist. */
static inline CsLanesInt
NAME (inside) (const CsRasterFormat * f, const CsGroup * g, guint row)
{
  const CsLanesInt steps = { 0, 1, 2, 3, 4, 5, 6, 7 };
  const gint width = g->y + (gint) row < f->height ? f->width - g->x : 0;

  return NAME (less_int) (steps, (CsLanesInt) { 0 } + width);
}

/* Bounds of a colour multiplied by alpha to bounds of components, as
 * cs_raster_finish() does. */
static inline void
NAME (divide) (const CsRasterFormat * f, guint row, CsLanes low[4][2],
    CsLanes high[4][2])
{
  const CsLanes zero = { 0 }, one = zero + 1.f;
  const CsLanesInt none = NAME (at_most) (high[3][row], zero);
  const CsLanesInt some = NAME (at_most) (low[3][row], zero);
  const CsLanes low_alpha = NAME (select) (some, one, low[3][row]);
  const CsLanes high_alpha = NAME (select) (none, one, high[3][row]);

  for (gint j = 0; j < 3; j++) {
    CsLanes least = NAME (lesser) (NAME (greater) (low[j][row], zero) /
        high_alpha, one);
    CsLanes most = NAME (lesser) (high[j][row] / low_alpha, one);

    least = NAME (select) (some, zero, least);
    most = NAME (select) (some, one, most);
    low[j][row] = NAME (select) (none, zero + f->black[j], least);
    high[j][row] = NAME (select) (none, zero + f->black[j], most);
  }
  low[3][row] = NAME (greater) (low[3][row], zero);
  high[3][row] = NAME (greater) (high[3][row], zero);
}

/* Codes of a component, with -1 for pixels whose bounds give two. */
static inline __attribute__ ((always_inline))
CsLanesInt
NAME (round) (const CsRasterFormat * f, CsLanes low, CsLanes high)
{
  const CsLanes zero = { 0 };
  const CsLanesInt a = NAME (to_ints) (f->max *
      NAME (greater) (low, zero) + .5f);
  const CsLanesInt b = NAME (to_ints) (f->max *
      NAME (greater) (high, zero) + .5f);

  return a | NAME (unequal) (a, b);
}

/* The sum of each pixel of an even column and the next one, twice. */
static inline CsLanes
NAME (add_pairs) (CsLanes a)
{
#ifdef __clang__
  return __builtin_shufflevector (a, a, 0, 0, 2, 2, 4, 4, 6, 6) +
      __builtin_shufflevector (a, a, 1, 1, 3, 3, 5, 5, 7, 7);
#else
  const CsLanesInt even = { 0, 0, 2, 2, 4, 4, 6, 6 };

  return __builtin_shuffle (a, even) + __builtin_shuffle (a, even + 1);
#endif
}

/* As settle_chroma(), of a group that lies in the picture as a whole, where
 * samples are of two columns. */
static gboolean
NAME (settle_pairs) (const CsRasterFormat * f, CsLanes low[4][2],
    CsLanes high[4][2], CsLanesInt codes[4][2])
{
  const float scale = f->sub_y ? .25f : .5f;
  CsLanesInt bad = { 0 };

  for (gint j = 1; j < 3; j++) {
    for (guint row = 0; row < CS_GROUP_HEIGHT; row += 1 + f->sub_y) {
      CsLanes least = NAME (add_pairs) (low[j][row]);
      CsLanes most = NAME (add_pairs) (high[j][row]);

      if (f->sub_y) {
        least += NAME (add_pairs) (low[j][1]);
        most += NAME (add_pairs) (high[j][1]);
      }
      codes[j][row] = NAME (round) (f, least * scale, most * scale);
      bad |= NAME (is_negative) (codes[j][row]);
    }
  }
  return !NAME (any) (bad, bad);
}

/* Writes all samples of the group, if both bounds give the same codes. */
static gboolean
NAME (settle_direct) (const CsRasterFormat * f, const CsGroup * g,
    CsGroupBounds * bounds)
{
  const gboolean divides = f->has_alpha && !f->premultiplied;
  CsLanes low[4][2], high[4][2];
  CsLanesInt codes[4][2], bad = { 0 };

  memcpy (low, bounds->low, sizeof (low));
  memcpy (high, bounds->high, sizeof (high));
  if (f->has_frame && !bounds->has_frame)
    NAME (read_frame) (f, g, bounds->frame);
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    if (divides)
      NAME (divide) (f, row, low, high);
    for (gint j = 0; f->has_frame && j < 4; j++) {
      low[j][row] = NAME (select) (bounds->touched[row], low[j][row],
          bounds->frame[j][row]);
      high[j][row] = NAME (select) (bounds->touched[row], high[j][row],
          bounds->frame[j][row]);
    }
  }
  for (gint j = 0; j < 4; j++) {
    if (!cs_raster_has_component (f, j))
      continue;
    if (cs_raster_is_subsampled (f, j))
      continue;
    for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
      codes[j][row] = NAME (round) (f, low[j][row], high[j][row]);
      bad |= NAME (inside) (f, g, row) & NAME (is_negative) (codes[j][row]);
    }
  }
  if (NAME (any) (bad, bad))
    return FALSE;
  if (cs_raster_is_subsampled (f, 1) && f->sub_x &&
      f->width - g->x >= CS_GROUP_WIDTH &&
      f->height - g->y >= CS_GROUP_HEIGHT) {
    if (!NAME (settle_pairs) (f, low, high, codes))
      return FALSE;
  } else if (!settle_chroma (f, g, low, high, codes)) {
    return FALSE;
  }
  NAME (write_codes) (f, g, codes);
  return TRUE;
}

/* A channel of the working colour, or the alpha, of what lies behind all marks.
 * @frame: the input's components, where there is an input */
static inline void
NAME (behind) (const CsRasterFormat * f, CsLanes frame[4][2], guint row,
    gint channel, CsLanes * to)
{
  const CsLanes zero = { 0 };

  if (!f->has_frame)
    *to = zero + (channel < 3 ? f->constant[channel] : f->constant_alpha);
  else if (channel < f->n_channels && f->has_alpha && !f->premultiplied)
    *to = frame[channel][row] * frame[3][row];
  else
    *to = frame[channel][row];
}

/* Bounds of the whole group with what lies behind all marks, as bound_pixel(). */
static void
NAME (bound_last) (const CsRasterFormat * f, const CsGroup * g,
    CsGroupBounds * bounds)
{
  const CsLanes zero = { 0 }, one = zero + 1.f;

  bounds->has_frame = f->has_frame;
  if (f->has_frame)
    NAME (read_frame) (f, g, bounds->frame);
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    const CsLanes t = g->through[row];
    const CsLanesInt touched = NAME (is_positive) (g->error[row]);
    CsLanes e = (g->error[row] + 4.f) * (1.02f * CS_RASTER_UNIT);
    CsLanesInt above = NAME (less) (one, g->color[0][row]);

    above |= NAME (less) (one, g->color[1][row]);
    above |= NAME (less) (one, g->color[2][row]);
    e = NAME (select) (above, e * 2.f, e);
    bounds->touched[row] = touched;
    for (gint j = 0; j < 4; j++) {
      CsLanes sum = 1.f - t, b;

      NAME (behind) (f, bounds->frame, row, j, &b);
      if (j < 3)
        sum = g->color[j][row];
      sum += t * b;
      bounds->low[j][row] = NAME (select) (touched,
          NAME (greater) (sum - e, zero), b);
      bounds->high[j][row] = NAME (select) (touched,
          NAME (lesser) (sum + e, one), b);
    }
  }
}

/* Whether a mark is beside a group, by its bounds. */
static inline gboolean
NAME (misses) (const CsStaged * s, float left, float y, float right)
{
  return s->y0 > y + 1 || s->y1 < y || s->x0 > right || s->x1 < left;
}

static void
NAME (paint) (const CsGroupContext * context, CsGroup * group,
    const CsStaged * staged, const guint16 * list, guint n)
{
  const CsRasterFormat *f = context->format;
  const float limit = 1.f / f->max;
  const CsLanes steps = { 0, 1, 2, 3, 4, 5, 6, 7 };
  const CsLanes x = steps + (float) group->x;
  const float y = group->y;
  const float left = group->x, right = group->x + (CS_GROUP_WIDTH - 1);
  guint i = 0, since = 0;

  while (i < n && NAME (misses) (&staged[list[i]], left, y, right))
    i++;
  if (i == n && !group->pending && NAME (lets_through) (group, limit))
    return;
  CsGroup g = *group;
  for (; i < n; i++) {
    const CsStaged *s = &staged[list[i]];
    CsLanes cover[2];

    if (NAME (misses) (s, left, y, right))
      continue;
    if (g.pending && g.pending_run != s->mark.run) {
      NAME (blend) (&g, g.cover, g.pending_alpha, g.pending_color);
      g.cover[0] = g.cover[1] = x * 0;
      g.pending = FALSE;
      g.end = g.pending_at + 1;
      since++;
    }
    if (!g.pending && since >= 4) {
      since = 0;
      if (!NAME (lets_through) (&g, limit)) {
        *group = g;
        if (cs_group_check (context, group))
          return;
      }
    }
    if (s->is_layer)
      cs_group_layer (context, &g, s, cover);
    else if (!NAME (cover) (s, f->antialias, x, y, cover))
      continue;
    if (context->has_runs && !s->is_layer && !s->gradient) {
      for (guint row = 0; row < 2; row++)
        g.cover[row] = NAME (greater) (cover[row], g.cover[row]);
      memcpy (g.pending_color, s->color, sizeof (g.pending_color));
      g.pending_alpha = s->alpha;
      g.pending_run = s->mark.run;
      g.pending_at = s->at;
      g.pending = TRUE;
    } else {
      if (s->gradient)
        NAME (blend_gradient) (context, &g, s, cover);
      else
        NAME (blend) (&g, cover, s->alpha, s->color);
      g.end = s->at + 1;
      since++;
    }
  }
  *group = g;
  if (!g.pending && !NAME (lets_through) (&g, limit))
    cs_group_check (context, group);
}

/* A run begins on a group: the one before it ends. Returns whether the group
 * still takes marks. */
static inline gboolean
NAME (begin_run) (const CsGroupContext * context, CsGroup * g, guint32 run)
{
  const float limit = 1.f / context->format->max;

  if (!g->pending || g->pending_run == run)
    return TRUE;
  NAME (flush_front) (g);
  g->end = g->pending_at + 1;
  return NAME (lets_through) (g, limit) || !cs_group_check (context, g);
}

/* The rows of the tile at (@left, @top) that a mark may cover, by its bounds,
 * which are wider than what it covers; and its columns of groups, a bit for
 * each. */
static inline guint
NAME (tile_range) (const CsStaged * s, float left, float top, gint rows[2])
{
  rows[0] = (gint) cs_raster_min (cs_raster_max (s->y0 - top + 1, 0), CS_TILE);
  rows[1] = (gint) cs_raster_min (cs_raster_max (s->y1 - top + 1, 0), CS_TILE);
  return (s->x0 <= left + 7 && s->x1 >= left ? 1 : 0) |
      (s->x0 <= left + 15 && s->x1 >= left + 8 ? 2 : 0);
}

/* The greater of what covers some rows of a column of groups already, and an
 * antialiased disc or capsule: as cover(), by the root everywhere, which gives
 * the same. */
static inline void
NAME (cover_rows) (const CsStaged * s, CsGroup * column, CsLanes dx, float top,
    gint row, gint end)
{
  const CsLanes zero = { 0 }, one = zero + 1.f;
  const CsLanes along = dx * s->mark.bx;

  for (; row < end; row++) {
    CsLanes *cover =
        &column[row / CS_GROUP_HEIGHT * 2].cover[row % CS_GROUP_HEIGHT];
    const float dy = top + (float) row - s->mark.y;
    CsLanes t = (along + dy * s->mark.by) * s->shape.inv;

    t = NAME (lesser) (NAME (greater) (t, zero), one);
    CsLanes at_x = dx - t * s->mark.bx, at_y = dy - t * s->mark.by;
    CsLanes d = at_x * at_x + at_y * at_y;
    d = NAME (root) (d);
    d = NAME (lesser) (NAME (greater) (s->shape.edge - d, zero), one);
    *cover = NAME (greater) (*cover, d);
  }
}

static void
NAME (paint_run) (const CsGroupContext * context, CsGroup * groups,
    const CsStaged * staged, const guint16 * list, guint n)
{
  const CsLanes steps = { 0, 1, 2, 3, 4, 5, 6, 7 };
  const float left = groups[0].x, top = groups[0].y;
  const CsStaged *last = &staged[list[n - 1]];

  for (guint i = 0; i < CS_TILE_GROUPS; i++) {
    if (groups[i].state == CS_GROUP_OPEN)
      NAME (begin_run) (context, &groups[i], last->mark.run);
  }
  for (guint i = 0; i < n; i++) {
    const CsStaged *s = &staged[list[i]];
    gint rows[2];
    const guint columns = NAME (tile_range) (s, left, top, rows);

    if (columns & 1)
      NAME (cover_rows) (s, groups, steps + left - s->mark.x, top, rows[0],
          rows[1]);
    if (columns & 2)
      NAME (cover_rows) (s, groups + 1, steps + (left + 8) - s->mark.x, top,
          rows[0], rows[1]);
  }
  for (guint i = 0; i < CS_TILE_GROUPS; i++) {
    CsGroup *g = &groups[i];

    if (g->state != CS_GROUP_OPEN ||
        !NAME (any) (NAME (is_positive) (g->cover[0]),
            NAME (is_positive) (g->cover[1])))
      continue;
    g->pending_alpha = last->alpha;
    memcpy (g->pending_color, last->color, sizeof (g->pending_color));
    g->pending_run = last->mark.run;
    g->pending_at = last->at;
    g->pending = TRUE;
  }
}

/* The sequential algorithm, on both bounds. */
static inline void
NAME (blend_over) (CsGroupBounds * b, gboolean has_alpha,
    const CsLanes cover[2], float alpha, const float color[3])
{
  const guint n = has_alpha ? 4 : 3;

  for (guint row = 0; row < 2; row++) {
    const CsLanes a = cover[row] * alpha;
    const CsLanes t = 1.f - a;

    for (guint i = 0; i < n; i++) {
      const CsLanes m = a * (i < 3 ? color[i] : 1.f);

      b->low[i][row] = m + t * b->low[i][row];
      b->high[i][row] = m + t * b->high[i][row];
    }
    b->touched[row] |= NAME (is_positive) (a);
  }
}

static void
NAME (replay) (const CsGroupContext * context, CsGroup * g,
    CsGroupBounds * bounds, const CsStaged * staged, const guint16 * list,
    guint n)
{
  const CsRasterFormat *f = context->format;
  const CsLanes steps = { 0, 1, 2, 3, 4, 5, 6, 7 };
  const CsLanes x = steps + (float) g->x;
  const float y = g->y;

  for (guint i = 0; i < n; i++) {
    const CsStaged *s = &staged[list[i]];
    CsLanes cover[2];

    if (s->at >= g->end || s->y0 > y + 1 || s->y1 < y || s->x0 > x[7] ||
        s->x1 < x[0])
      continue;
    if (s->is_layer)
      cs_group_layer (context, g, s, cover);
    else if (!NAME (cover) (s, f->antialias, x, y, cover))
      continue;
    if (g->pending && (s->is_layer || g->pending_run != s->mark.run)) {
      NAME (blend_over) (bounds, f->has_alpha, g->cover, g->pending_alpha,
          g->pending_color);
      g->cover[0] = g->cover[1] = x * 0;
      g->pending = FALSE;
    }
    if (s->gradient) {
      NAME (blend_gradient_over) (context, g, bounds, s, cover);
      continue;
    }
    for (guint row = 0; row < 2; row++)
      g->cover[row] = NAME (greater) (cover[row], g->cover[row]);
    memcpy (g->pending_color, s->color, sizeof (g->pending_color));
    g->pending_alpha = s->alpha;
    g->pending_run = s->mark.run;
    g->pending = TRUE;
  }
}

static void
NAME (flush_over) (const CsGroupContext * context, CsGroup * g,
    CsGroupBounds * bounds)
{
  if (g->pending)
    NAME (blend_over) (bounds, context->format->has_alpha, g->cover,
        g->pending_alpha, g->pending_color);
  g->pending = FALSE;
}

#include "raster_cpu_cells.h"
