/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Painting on the GPU. A block of threads paints 32 x 32 pixels, each of its
 * eight warps 16 x 8 of them, each thread 2 x 2. The block finds the marks that
 * touch it, some at a time, nearest first; each warp takes of these what
 * touches its pixels, and leaves when all of them are proven. A warp remembers
 * which marks it has painted, and paints pixels that were not proven again from
 * the back. */
#include "base/cuda_warp.cuh"
#include "raster_cuda.h"
#include "raster_cuda_gradient.cuh"
#include "raster_cuda_settle.cuh"
#include "raster_cuda_source.cuh"

#define THREADS 256
#define WARPS (THREADS / 32)
#define PER_LANE 8
#define ROUND (THREADS * PER_LANE)
#define HISTORY 512

/* When so little is let through, pixels that are not proven are painted again.
 * Some, as near to the border between two codes as what is let through, need a
 * deeper look: they go on, and are painted again once more. */
#define DARK 1e-7f
#define DARKEST 1e-10f

/* Candidates that a warp which works alone looks at in one go, for each lane. */
#define ALONE 8

/* RUNS, of templates: what there may be beside marks that are by themselves. Code
 * of what there is not would cost registers. */
#define NO_RUNS 0
#define GROUPS_AND_FILLS 1      /* and ink */
#define GRADIENTS 2             /* and all these */

struct Shared
{
  guint32 list[ROUND];
  guint32 counts[WARPS];
  Staged staged[WARPS][32];
  guint32 history[WARPS][HISTORY];
};

enum State
{
  OPEN, DONE, REPLAY, REPLAY_ALL
};

/* --- A warp's marks ------------------------------------------------------- */

/* What a thread knows of where it is. */
struct Place
{
  float left, top, right, bottom;       /* the warp's pixels */
  int x, y;                             /* the first of the thread's four */
  unsigned lane, warp;
  bool is_outside;
};

static __device__ __forceinline__ void
stage (const CsRasterPaint & a, const CsRasterMark & mark, guint32 at,
    Staged * to)
{
  CsRasterShape shape;

  cs_raster_shape (&mark, a.format.antialias, &shape);
  to->x = mark.x;
  to->y = mark.y;
  to->inner = shape.inner;
  to->outer = shape.outer;
  to->alpha = cs_raster_color (&a.format, mark.rgba, to->color);
  to->bx = mark.bx;
  to->by = mark.by;
  to->inv = shape.inv;
  to->edge = shape.edge;
  to->radius = mark.radius;
  to->half_width = mark.half_width;
  to->at = at;
  to->run = mark.run;
}

/* The next mark of each lane, if it touches the warp's pixels, is staged in the
 * lane's place. Returns which do. */
static __device__ __forceinline__ unsigned
stage_lanes (const CsRasterPaint & a, const Place & p, bool valid, guint32 at,
    Staged * staged)
{
  bool touches = false;

  __syncwarp ();
  if (valid) {
    const CsRasterMark mark = load_mark (a.sorted, at);

    touches = cs_raster_touches (&mark, p.left, p.top, p.right, p.bottom);
    /* a warp's pixels are all of one tile */
    if (touches && (mark.run & CS_FILL_RUN))
      touches = cs_fill_cell (&a.fills.regions[mark.run & ~CS_FILL_RUN],
          a.fills.cells, (int) p.left / CS_FILL_TILE,
          (int) p.top / CS_FILL_TILE) != CS_FILL_EMPTY;
    if (touches)
      stage (a, mark, at, &staged[p.lane]);
  }
  const unsigned hits = __ballot_sync (CS_ALL_LANES, touches);

  __syncwarp ();
  return hits;
}

/* The coverage of a thread's four pixels by any mark. */
template < int RUNS > static __device__ __forceinline__ void
cover_any (const CsRasterPaint & a, const Place & p, const Staged * s,
    float c[PIXELS])
{
  if (RUNS && (s->run & CS_FILL_RUN))
    fill_cover (a, s->run, p.x, p.y, c);
  else
    cover (s, a.format.antialias, (float) p.x, (float) p.y, c);
}

/* Whether a staged mark does not belong to the run of those before it. Each fill
 * is by itself, also if it comes twice. */
static __device__ __forceinline__ bool
begins_run (guint32 last, guint32 run)
{
  return last != run || (run & CS_FILL_RUN);
}

/* --- From the back -------------------------------------------------------- */

/* The sequential algorithm on bounds, or from what is behind. */
struct Over
{
  Bounds b;
  float cover[PIXELS], alpha, color[3];
  guint32 run, end;
  bool pending, is_active, ink_pending;
};

template < typename Color > static __device__ __forceinline__ void
blend_over (Over & o, const float c[PIXELS], const Color & color)
{
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    const float a = color.at (3, i) * c[i], t = 1.f - a;

#pragma unroll
    for (int j = 0; j < 4; j++) {
      const float m = a * (j < 3 ? color.at (j, i) : 1.f);

      o.b.low[j][i] = m + t * o.b.low[j][i];
      o.b.high[j][i] = m + t * o.b.high[j][i];
    }
    if (a > 0)
      o.b.touched |= 1u << i;
  }
}

static __device__ __forceinline__ void
flush_over (Over & o)
{
  if (o.pending)
    blend_over (o, o.cover, OneColor { o.alpha, o.color });
  o.pending = false;
}

static __device__ __forceinline__ void
ink_over (const CsRasterPaint & a, const Place & p, Over & o)
{
  float c[PIXELS];

  flush_over (o);
  ink_cover (a, p.x, p.y, c);
  blend_over (o, c, OneColor { 1, a.ink.color });
  o.ink_pending = false;
}

/* Paints staged marks, farthest (the highest bit) first. */
template < int RUNS > static __device__ void
paint_over (const CsRasterPaint & a, const Place & p, unsigned hits,
    const Staged * staged, Over & o)
{
  while (hits) {
    const int bit = 31 - __clz (hits);
    const Staged *s = &staged[bit];
    float c[PIXELS];

    hits &= ~(1u << bit);
    if (!o.is_active || s->at >= o.end)
      continue;
    if (RUNS && o.ink_pending && s->at < a.ink_at)
      ink_over (a, p, o);
    cover_any < RUNS > (a, p, s, c);
    if (!RUNS) {
      blend_over (o, c, OneColor { s->alpha, s->color });
      continue;
    }
    if (o.pending && begins_run (o.run, s->run))
      flush_over (o);
    if (RUNS == GRADIENTS && has_gradient (a, s->run)) {
      GradientColors colors;

      find_colors (a, s->at, p.x, p.y, &colors);
      blend_over (o, c, colors);
      continue;
    }
    if (!o.pending) {
      for (int i = 0; i < PIXELS; i++)
        o.cover[i] = 0;
      o.pending = true;
      o.run = s->run;
      o.alpha = s->alpha;
      for (int j = 0; j < 3; j++)
        o.color[j] = s->color[j];
    }
    for (int i = 0; i < PIXELS; i++)
      o.cover[i] = fmaxf (o.cover[i], c[i]);
  }
}

/* Of the places from @first on, which marks may touch the warp's pixels: lane j
 * knows it of the j-th 32 of them. Loads are in flight together. */
static __device__ __forceinline__ unsigned
find_alone (const CsRasterPaint & a, const Place & p, const Source & source,
    guint32 first, guint32 end)
{
  guint32 at[ALONE];
  unsigned found = 0;

#pragma unroll
  for (int j = 0; j < ALONE; j++) {
    const guint32 i = first + j * 32 + p.lane;

    at[j] = i < end ? source_at (source, i) : ~0u;
  }
#pragma unroll
  for (int j = 0; j < ALONE; j++) {
    const unsigned hits = __ballot_sync (CS_ALL_LANES, at[j] != ~0u &&
        reaches (__ldg (&a.sorted.reach[at[j]]), p.left, p.top, p.right,
            p.bottom));

    if (p.lane == j)
      found = hits;
  }
  return found;
}

template < int RUNS > static __device__ void
replay_source (const CsRasterPaint & a, const Place & p, const Source & source,
    Staged * staged, Over & o)
{
  guint32 end = source.n;

  /* marks at or behind every lane's end need not be looked at */
  if (!source.bin)
    end = min (end, cs_warp_max (o.is_active ? o.end : 0));
  while (end > 0) {
    const guint32 first = end > 32 * ALONE ? end - 32 * ALONE : 0;
    const unsigned found = find_alone (a, p, source, first, end);

    /* rare: not worth code for each j */
#pragma unroll 1
    for (int j = ALONE - 1; j >= 0; j--) {
      const unsigned hits = __shfl_sync (CS_ALL_LANES, found, j);
      const bool valid = hits >> p.lane & 1;

      if (hits)
        paint_over < RUNS > (a, p, stage_lanes (a, p, valid, valid ?
                source_at (source, first + j * 32 + p.lane) : 0, staged),
            staged, o);
    }
    end = first;
  }
}

template < int RUNS > static __device__ void
replay_history (const CsRasterPaint & a, const Place & p,
    const guint32 * history, guint32 n, Staged * staged, Over & o)
{
  /* other lanes have written it */
  __syncwarp ();
  while (n > 0) {
    const guint32 first = n > 32 ? n - 32 : 0;
    const guint32 i = first + p.lane;
    const bool valid = i < n;

    paint_over < RUNS > (a, p, stage_lanes (a, p, valid,
            valid ? history[i] : 0, staged), staged, o);
    n = first;
  }
}

static __device__ void
begin_over (const CsRasterPaint & a, const Place & p, bool all, Over & o)
{
  o.b.touched = 0;
  o.pending = false;
  for (int i = 0; i < PIXELS; i++) {
    float behind[4] = { 0, 0, 0, 0 };

    if (all && is_inside (a.format, p.x + (i & 1), p.y + (i >> 1)))
      behind[3] = cs_raster_background (&a.format, p.x + (i & 1),
          p.y + (i >> 1), behind);
    for (int j = 0; j < 4; j++) {
      o.b.low[j][i] = all ? behind[j] : 0;
      o.b.high[j][i] = all ? behind[j] : 1;
    }
  }
}

/* Paints the lanes that are to be painted again, with all between 0 and 1
 * behind the marks before @end, or, with @all, with everything behind. Returns
 * whether the lane is proven now; all lanes come here. @n_history: how many
 * marks are remembered, all that are needed; ~0: not all. */
template < int RUNS > static __device__ __noinline__ bool
replay (const CsRasterPaint & a, const Place p, const Source source,
    bool is_active, bool all, guint32 end, bool with_ink,
    const guint32 * history, guint32 n_history, Staged * staged)
{
  const unsigned n = __popc (__ballot_sync (CS_ALL_LANES, is_active));
  Over o;

  if (p.lane == 0)
    atomicAdd (&a.sorted.counters->replayed[a.parity],
        (unsigned long long) n * PIXELS);
  o.is_active = is_active;
  o.end = all ? ~0u : end;
  o.ink_pending = RUNS && a.has_ink && (all || with_ink);
  begin_over (a, p, all, o);
  if (n_history != ~0u)
    replay_history < RUNS > (a, p, history, n_history, staged, o);
  else
    replay_source < RUNS > (a, p, source, staged, o);
  if (RUNS && o.is_active && o.ink_pending)
    ink_over (a, p, o);
  flush_over (o);
  Bounds copy = o.b;

  return o.is_active && settle (a.format, p.x, p.y, copy);
}

/* --- From the front ------------------------------------------------------- */

/* A run that is not painted yet; all but the coverage is the same for a warp. */
struct Pending
{
  float cover[PIXELS], alpha, color[3];
  guint32 run, at;
  bool is_there;
};

static __device__ __forceinline__ bool
lets_through (const Quad & q, float limit)
{
  return q.through[0] > limit || q.through[1] > limit ||
      q.through[2] > limit || q.through[3] > limit;
}

/* Whether the thread is done: proven and written, or to be painted again. */
static __device__ __forceinline__ State
check (const CsRasterPaint & a, const Place & p, const Quad & q, float dark)
{
  const CsRasterFormat & f = a.format;

  if (f.is_plain) {
    if (settle_plain < false > (f, p.x, p.y, q))
      return DONE;
  } else {
    /* what a call sees does not stay in registers: a copy */
    const Quad copy = q;

    if (settle_quad (f, p.x, p.y, copy, false))
      return DONE;
  }
  return lets_through (q, dark) ? OPEN : REPLAY;
}

/* How many marks a warp paints between looks at whether it is done. */
#define CHECK_EVERY 6

template < int RUNS > struct Painter
{
  Quad q;
  Pending pending;
  State state;
  guint32 end, n_history, since;
  bool ink_done, with_ink;
  float dark;

  __device__ __forceinline__ void flush ()
  {
    if (pending.is_there && state == OPEN && pending.at >= end) {
      blend (q, pending.cover, OneColor { pending.alpha, pending.color });
      end = pending.at + 1;
    }
    pending.is_there = false;
  }

  /* Between runs only: a part of one proves nothing. */
  __device__ __forceinline__ void look (const CsRasterPaint & a,
      const Place & p)
  {
    if (++since < CHECK_EVERY)
      return;
    since = 0;
    if (state == OPEN && !lets_through (q, 1.f / a.format.max))
      state = check (a, p, q, dark);
  }

  __device__ __forceinline__ void paint_ink (const CsRasterPaint & a,
      const Place & p)
  {
    float c[PIXELS];

    flush ();
    if (state == OPEN && !with_ink) {
      ink_cover (a, p.x, p.y, c);
      blend (q, c, OneColor { 1, a.ink.color });
      with_ink = true;
    }
    ink_done = true;
  }

  /* Nothing is pending: a mark with a gradient is a run by itself. */
  __device__ __forceinline__ void paint_gradient (const CsRasterPaint & a,
      const Place & p, guint32 at, const float c[PIXELS])
  {
    if (state == OPEN && at >= end) {
      GradientColors colors;

      find_colors (a, at, p.x, p.y, &colors);
      blend (q, c, colors);
      end = at + 1;
    }
    look (a, p);
  }
};

/* @DEEP: a lane may have seen the mark already. */
template < int RUNS, bool DEEP > static __device__ __forceinline__ void
paint_mark (const CsRasterPaint & a, const Place & p, const Staged * s,
    Painter < RUNS > &painter)
{
  float c[PIXELS];

  if (RUNS) {
    const guint32 at = s->at, run = s->run;

    if (a.has_ink && !painter.ink_done && at >= a.ink_at)
      painter.paint_ink (a, p);
    if (painter.pending.is_there && begins_run (painter.pending.run, run)) {
      painter.flush ();
      painter.look (a, p);
    }
    cover_any < RUNS > (a, p, s, c);
    if (RUNS == GRADIENTS && has_gradient (a, run)) {
      painter.paint_gradient (a, p, at, c);
      return;
    }
    if (!painter.pending.is_there) {
      painter.pending.is_there = true;
      painter.pending.run = run;
      painter.pending.alpha = s->alpha;
      painter.pending.color[0] = s->color[0];
      painter.pending.color[1] = s->color[1];
      painter.pending.color[2] = s->color[2];
#pragma unroll
      for (int i = 0; i < PIXELS; i++)
        painter.pending.cover[i] = 0;
    }
    painter.pending.at = at;
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
      painter.pending.cover[i] = fmaxf (painter.pending.cover[i],
          DEEP && at < painter.end ? 0 : c[i]);
  } else if (!DEEP || s->at >= painter.end) {
    const float4 color = *(const float4 *) &s->alpha;
    const float rgb[3] = { color.y, color.z, color.w };

    cover (s, a.format.antialias, (float) p.x, (float) p.y, c);
    blend (painter.q, c, OneColor { color.x, rgb });
  }
}

/* Paints the staged marks in @hits, nearest first, until no lane is open. */
template < int RUNS, bool DEEP > static __device__ __forceinline__ void
paint_hits (const CsRasterPaint & a, const Place & p, unsigned hits,
    const Staged * staged, Painter < RUNS > &painter)
{
  const float limit = 1.f / a.format.max;

  while (hits) {
    const Staged *s = staged;

    for (int i = 0; i < CHECK_EVERY && hits; i++) {
      s = &staged[__ffs (hits) - 1];
      hits &= hits - 1;
      if (RUNS || painter.state == OPEN)
        paint_mark < RUNS, DEEP > (a, p, s, painter);
    }
    if (!RUNS && painter.state == OPEN && !lets_through (painter.q, limit)) {
      painter.state = check (a, p, painter.q, painter.dark);
      if (painter.state == REPLAY)
        painter.end = max (painter.end, s->at + 1);
    }
    if (!__any_sync (CS_ALL_LANES, painter.state == OPEN))
      break;
  }
}

/* Remembers which marks the lanes in @hits have. */
static __device__ __forceinline__ void
remember (const Place & p, unsigned hits, guint32 at, guint32 * history,
    guint32 & n_history)
{
  const guint32 slot = n_history + cs_lanes_before (hits, p.lane);

  if ((hits >> p.lane & 1) && slot < HISTORY)
    history[slot] = at;
  n_history += __popc (hits);
}

template < int RUNS > static __device__ __forceinline__ void
paint_list (const CsRasterPaint & a, const Place & p, const guint32 * list,
    guint32 n, Staged * staged, guint32 * history, Painter < RUNS > &painter)
{
  for (guint32 first = 0; first < n; first += 32) {
    const bool valid = first + p.lane < n;
    const guint32 at = valid ? list[first + p.lane] : 0;
    const unsigned hits = stage_lanes (a, p, valid, at, staged);

    remember (p, hits, at, history, painter.n_history);
    paint_hits < RUNS, false > (a, p, hits, staged, painter);
    if (!__any_sync (CS_ALL_LANES, painter.state == OPEN))
      return;
  }
}

/* The first place in a source at or behind mark @at. */
static __device__ guint32
find_place (const Source & source, guint32 at)
{
  guint32 low = 0, high = source.n;

  if (!source.bin)
    return at;
  while (low < high) {
    const guint32 middle = low + (high - low) / 2;

    if (source.bin[middle] < at)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Forgets marks at or behind @end. */
static __device__ void
forget (const Place & p, const guint32 * history, guint32 end,
    guint32 & n_history)
{
  guint32 n = 0;

  if (n_history > HISTORY)
    return;
  __syncwarp ();
  for (guint32 i = p.lane; i < n_history; i += 32)
    n += history[i] < end;
  n_history = cs_warp_sum (n);
  /* what is forgotten may be written over now */
  __syncwarp ();
}

/* What a warp that has left its block does for lanes that are open again: goes
 * on alone, from the first mark that one of them has not seen, until less is
 * let through. Returns whether nothing is left. */
template < int RUNS > static __device__ __noinline__ bool
deepen (const CsRasterPaint & a, const Place p, const Source source,
    guint32 * history, Staged * staged, Painter < RUNS > &given)
{
  Painter < RUNS > painter = given;
  const guint32 end = cs_warp_min (painter.state == OPEN ? painter.end : ~0u);
  guint32 i = find_place (source, end);
  bool is_complete = true;

  painter.dark = DARKEST;
  painter.pending.is_there = false;
  painter.ink_done = false;
  forget (p, history, end, painter.n_history);
  for (; i < source.n && is_complete; i += 32 * ALONE) {
    const unsigned found = find_alone (a, p, source, i, source.n);

/* rare, too; with these factors ptxas spills no more registers of the kernel
 * that calls this than with code for each j */
#pragma unroll (RUNS == 1 ? 4 : 2)
    for (int j = 0; j < ALONE && is_complete; j++) {
      unsigned hits = __shfl_sync (CS_ALL_LANES, found, j);
      const bool valid = hits >> p.lane & 1;
      const guint32 at = valid ? source_at (source, i + j * 32 + p.lane) : 0;

      if (!hits)
        continue;
      hits = stage_lanes (a, p, valid, at, staged);
      remember (p, hits, at, history, painter.n_history);
      paint_hits < RUNS, true > (a, p, hits, staged, painter);
      is_complete = __any_sync (CS_ALL_LANES, painter.state == OPEN);
    }
  }
  given = painter;
  return is_complete;
}

/* All marks are painted. */
template < int RUNS > static __device__ void
finish (const CsRasterPaint & a, const Place & p, Painter < RUNS > &painter)
{
  if (RUNS && a.has_ink && !painter.ink_done)
    painter.paint_ink (a, p);
  if (RUNS)
    painter.flush ();
  if (painter.state == OPEN) {
    const bool untouched = painter.q.error[0] == 0 &&
        painter.q.error[1] == 0 && painter.q.error[2] == 0 &&
        painter.q.error[3] == 0;
    bool proven = untouched && a.in_place;

    if (!proven && a.format.is_plain) {
      proven = settle_plain < true > (a.format, p.x, p.y, painter.q);
    } else if (!proven) {
      const Quad copy = painter.q;

      proven = settle_quad (a.format, p.x, p.y, copy, true);
    }
    painter.state = proven ? DONE : REPLAY_ALL;
  }
}

/* Lanes that are not proven, after the block's work. */
template < int RUNS > static __device__ __noinline__ void
settle_rest (const CsRasterPaint & a, const Place p, const Source source,
    bool is_complete, guint32 * history, Staged * staged,
    Painter < RUNS > &given)
{
  Painter < RUNS > painter = given;

#pragma unroll 1
  for (int deep = 0; deep < 2; deep++) {
    const bool again = painter.state == REPLAY;

    if (!__any_sync (CS_ALL_LANES, again))
      break;
    const bool proven = replay < RUNS > (a, p, source, again, false,
        painter.end, painter.with_ink, history,
        painter.n_history <= HISTORY ? painter.n_history : ~0u, staged);

    if (again)
      painter.state = proven ? DONE : deep || is_complete ? REPLAY_ALL : OPEN;
    if (__any_sync (CS_ALL_LANES, painter.state == OPEN)) {
      Painter < RUNS > copy = painter;

      is_complete = deepen < RUNS > (a, p, source, history, staged, copy);
      painter = copy;
      if (is_complete)
        finish < RUNS > (a, p, painter);
    }
  }
  if (__any_sync (CS_ALL_LANES, painter.state == REPLAY_ALL))
    replay < RUNS > (a, p, source, painter.state == REPLAY_ALL, true, 0, true,
        history, is_complete && painter.n_history <= HISTORY ?
        painter.n_history : ~0u, staged);
}

/* The pixels of warp @warp of the block at (@left, @top). */
static __device__ __forceinline__ void
locate (const CsRasterPaint & a, int left, int top,
    const guint8 * left_over, Place & p)
{
  const int warp_x = left + (p.warp & 1) * 16, warp_y = top + (p.warp >> 1) * 8;

  p.left = warp_x;
  p.top = warp_y;
  p.right = warp_x + 15;
  p.bottom = warp_y + 7;
  p.x = warp_x + (p.lane & 7) * 2;
  p.y = warp_y + (p.lane >> 3) * 2;
  p.is_outside = !is_inside (a.format, p.x, p.y) ||
      (a.left_over && !left_over[p.warp]);
}

template < int RUNS > static __device__ __forceinline__ void
begin (const CsRasterFormat & f, const Place & p, Painter < RUNS > &painter)
{
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    painter.q.color[0][i] = painter.q.color[1][i] = painter.q.color[2][i] = 0;
    painter.q.through[i] = is_inside (f, p.x + (i & 1), p.y + (i >> 1));
    painter.q.error[i] = 0;
  }
  painter.state = p.is_outside ? DONE : OPEN;
  painter.end = painter.n_history = painter.since = 0;
  painter.pending.is_there = false;
  painter.ink_done = painter.with_ink = false;
  painter.dark = DARK;
}

/* The marks among those from @base on that touch the block's pixels, in order,
 * to shared.list; returns how many. All threads come here. */
static __device__ __forceinline__ unsigned
list_marks (const CsRasterPaint & a, const Place & p, const Source & source,
    guint32 base, int left, int top, Shared & shared)
{
  unsigned masks[PER_LANE], count = 0, before, total;
  guint32 at[PER_LANE];

#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    const guint32 i = base + p.warp * (32 * PER_LANE) + j * 32 + p.lane;

    at[j] = i < source.n ? source_at (source, i) : ~0u;
  }
#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    const bool hit = at[j] != ~0u && reaches (__ldg (&a.sorted.reach[at[j]]),
        left, top, left + CS_RASTER_BLOCK - 1, top + CS_RASTER_BLOCK - 1);

    masks[j] = __ballot_sync (CS_ALL_LANES, hit);
    count += __popc (masks[j]);
  }
  before = cs_block_count_before < WARPS > (shared.counts, count, &total);
#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    if (masks[j] >> p.lane & 1)
      shared.list[before + cs_lanes_before (masks[j], p.lane)] = at[j];
    before += __popc (masks[j]);
  }
  __syncthreads ();
  return total;
}

template < int RUNS > __global__ void __launch_bounds__ (THREADS, 3)
paint_marks (const __grid_constant__ CsRasterPaint a)
{
  __shared__ Shared shared;
  Painter < RUNS > painter;
  Place p;

  if (threadIdx.x == 0 && blockIdx.x == 0 && blockIdx.y == 0)
    a.sorted.counters->replayed[a.parity ^ 1] = 0;
  if (a.only_failed && !a.sorted.counters->direct_failed)
    return;
  p.lane = threadIdx.x % 32;
  p.warp = threadIdx.x / 32;
  /* the upper and the lower border first: at borders marks are fewer, and take
   * longer to find */
  const int row = blockIdx.y & 1 ? gridDim.y - 1 - blockIdx.y / 2 :
      blockIdx.y / 2;
  const int left = blockIdx.x * CS_RASTER_BLOCK, top = row * CS_RASTER_BLOCK;
  const guint8 *left_over = a.left_over +
      (size_t) (row * gridDim.x + blockIdx.x) * WARPS;

  if (a.left_over && *(const unsigned long long *) left_over == 0)
    return;
  locate (a, left, top, left_over, p);
  begin < RUNS > (a.format, p, painter);

  const Source source = source_of (a.sorted, left, top);
  bool is_done = false;

  for (guint32 base = 0; base < source.n; base += ROUND) {
    const unsigned total = list_marks (a, p, source, base, left, top, shared);

    if (!is_done) {
      paint_list < RUNS > (a, p, shared.list, total, shared.staged[p.warp],
          shared.history[p.warp], painter);
      is_done = !__any_sync (CS_ALL_LANES, painter.state == OPEN);
    }
    if (__syncthreads_and (is_done))
      break;
  }

  if (!is_done)
    finish < RUNS > (a, p, painter);
  if (__any_sync (CS_ALL_LANES, painter.state != DONE)) {
    /* what a call sees does not stay in registers: a copy */
    Painter < RUNS > copy = painter;

    settle_rest < RUNS > (a, p, source, !is_done, shared.history[p.warp],
        shared.staged[p.warp], copy);
  }
}

gboolean
cs_raster_cuda_paint (const CsRasterPaint * paint, gboolean has_runs,
    cudaStream_t stream, GError ** error)
{
  const dim3 grid (cs_cuda_blocks (paint->format.width, CS_RASTER_BLOCK),
      cs_cuda_blocks (paint->format.height, CS_RASTER_BLOCK));

  if (paint->gradients.gradients)
    paint_marks < GRADIENTS > <<< grid, THREADS, 0, stream >>> (*paint);
  else if (has_runs)
    paint_marks < GROUPS_AND_FILLS > <<< grid, THREADS, 0, stream >>> (*paint);
  else
    paint_marks < NO_RUNS > <<< grid, THREADS, 0, stream >>> (*paint);
  return cs_cuda_check (cudaGetLastError (), "paint marks", error);
}
