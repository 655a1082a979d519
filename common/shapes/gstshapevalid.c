/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * Polygons that touch themselves, as polygons that do not.
 *
 * The sides of all rings are lines of a graph, with the inside on the same hand
 * of each. Equal and opposite ones cancel. At a corner where several meet, a
 * walk takes the next one around the inside that it came along; so each walk
 * goes around a part of the inside that is in one piece. It is cut where it
 * comes to a corner again: what remains are loops without one, outlines around
 * the inside and holes the other way round.
 */

#include "base/memory.h"
#include "gstshapepoints.h"
#include "gstshaperings.h"

#define NONE G_MAXUINT32
/* Comparisons for each corner, on average; rings that need more are nothing
 * that anybody has drawn, and stay as they are. */
#define STEPS_PER_CORNER 1024

/* A loop's points in @points, and its walk. */
typedef struct
{
  gsize first, n;
  gsize walk;
  gdouble orient;
  GstShapePoint low, high;
  /* of a hole: its outline; of an outline: itself */
  gsize outline;
} Loop;

typedef struct
{
  const GstShapePoint *points;  /* corners are indices here */
  gsize n;
  guint32 *corner;              /* the first one at the same place */
  guint32 *head;                /* of the lines that leave a corner */
  guint32 *next, *to;           /* of a line, which is that of its begin */
  guint32 *place;               /* of a corner on the stack */
  CsArray stack, loop_points, loops;
  guint64 steps_left;
} Graph;

/* Corners at the same place */

static gboolean
is_same (GstShapePoint a, GstShapePoint b)
{
  return a.x == b.x && a.y == b.y;
}

static gsize
hash (GstShapePoint p)
{
  /* so that -0 is 0 */
  const gfloat xy[2] = { p.x + 0.f, p.y + 0.f };
  guint32 bits[2];

  memcpy (bits, xy, sizeof (bits));
  return (bits[0] * 0x9e3779b97f4a7c15u ^ bits[1] * 0xc2b2ae3d27d4eb4fu) >> 20;
}

/* The first corner where @i is, which is entered in @table if it is that. */
static guint32
find_corner (const GstShapePoint * points, guint32 * table, gsize mask,
    guint32 i)
{
  gsize at = hash (points[i]) & mask;

  for (; table[at] != NONE; at = (at + 1) & mask)
    if (is_same (points[table[at]], points[i]))
      return table[at];
  table[at] = i;
  return i;
}

/* An empty table for all points. */
static guint32 *
make_table (GstShapeRings * rings, gsize * mask)
{
  gsize size = 16;

  while (size < 2 * rings->points.len)
    size *= 2;
  *mask = size - 1;
  if (!cs_array_set_size (&rings->places, size))
    return NULL;
  memset (rings->places.data, 0xff, size * sizeof (guint32));
  return (guint32 *) (gpointer) rings->places.data;
}

/* Whether no ring has less than three corners or comes to a place again where
 * it, or another one, has been. */
static gboolean
is_simple (const GstShapeRings * rings, guint32 * table, gsize mask)
{
  const GstShapePoint *points = (const GstShapePoint *) (gconstpointer)
      rings->points.data;
  gsize at = 0;

  for (gsize i = 0; i < rings->ends.len; i++) {
    const gsize last = cs_array_index (&rings->ends, gsize, i) - 1;

    if (last < at + 3)
      return FALSE;
    for (; at < last; at++)
      if (find_corner (points, table, mask, (guint32) at) != at)
        return FALSE;
    at++;
  }
  return TRUE;
}

/* Lines */

/* Takes the line @to ends at out of the list of @from. */
static guint32
remove_line (Graph * graph, guint32 from, guint32 to)
{
  guint32 *link = &graph->head[from];

  for (; *link != NONE; link = &graph->next[*link], graph->steps_left--) {
    const guint32 line = *link;

    if (graph->to[line] == to) {
      *link = graph->next[line];
      return line;
    }
    if (graph->steps_left == 0)
      return NONE;
  }
  return NONE;
}

static void
add_line (Graph * graph, guint32 line, guint32 from, guint32 to)
{
  if (from == to || remove_line (graph, to, from) != NONE)
    return;
  graph->to[line] = to;
  graph->next[line] = graph->head[from];
  graph->head[from] = line;
}

/* With the inside on the same hand: outlines around a positive area. */
static void
add_ring (Graph * graph, gsize first, gsize last, gboolean hole)
{
  const gboolean backwards = hole != (gst_shape_ring_orient (graph->points +
          first, last - first + 1) < 0);

  for (gsize i = first; i < last && graph->steps_left > 0; i++) {
    const guint32 a = graph->corner[i];
    const guint32 b = graph->corner[i + 1 < last ? i + 1 : first];

    if (backwards)
      add_line (graph, (guint32) i, b, a);
    else
      add_line (graph, (guint32) i, a, b);
  }
}

/* Walks */

/* Where @p is, clockwise around @v from @u: before, at, after the opposite of
 * @u, or at @u itself. */
static gint
find_half (GstShapePoint v, GstShapePoint u, GstShapePoint p)
{
  const gint side = gst_shape_points_orient (v, u, p);
  gboolean same;

  if (side != 0)
    return side > 0 ? 0 : 2;
  same = u.x != v.x ? (u.x > v.x) == (p.x > v.x) : (u.y > v.y) == (p.y > v.y);
  return same ? 3 : 1;
}

/* Whether @a comes before @b, clockwise around @v from @u. */
static gboolean
comes_before (GstShapePoint v, GstShapePoint u, GstShapePoint a,
    GstShapePoint b)
{
  const gint half_a = find_half (v, u, a), half_b = find_half (v, u, b);

  return half_a != half_b ? half_a < half_b :
      gst_shape_points_orient (v, a, b) > 0;
}

/* The line that goes on from @v around the inside. */
static guint32
find_line (Graph * graph, guint32 u, guint32 v)
{
  const GstShapePoint *points = graph->points;
  guint32 best = graph->head[v];

  for (guint32 line = best == NONE ? NONE : graph->next[best]; line != NONE
      && graph->steps_left > 0; line = graph->next[line], graph->steps_left--)
    if (comes_before (points[v], points[u], points[graph->to[line]],
            points[graph->to[best]]))
      best = line;
  return best;
}

/* The corners of the stack from @place on are a loop. */
static void
cut_loop (Graph * graph, gsize place, gsize walk)
{
  const guint32 *stack = (const guint32 *) (gpointer) graph->stack.data;
  Loop loop = {.first = graph->loop_points.len,.walk = walk };

  loop.n = graph->stack.len - place + 1;
  loop.low = loop.high = graph->points[stack[place]];
  for (gsize i = place; i < graph->stack.len; i++) {
    const GstShapePoint p = graph->points[stack[i]];

    cs_array_append_val (&graph->loop_points, p);
    graph->place[stack[i]] = NONE;
    loop.low = (GstShapePoint) { MIN (loop.low.x, p.x), MIN (loop.low.y, p.y) };
    loop.high = (GstShapePoint) { MAX (loop.high.x, p.x),
      MAX (loop.high.y, p.y)
    };
  }
  cs_array_append (&graph->loop_points, &graph->points[stack[place]], 1);
  graph->stack.len = place;
  if (graph->loop_points.failed)
    return;
  loop.orient = gst_shape_ring_orient (&cs_array_index (&graph->loop_points,
          GstShapePoint, loop.first), loop.n);
  if (loop.n >= 4 && loop.orient != 0)
    cs_array_append_val (&graph->loops, loop);
  else
    graph->loop_points.len = loop.first;
}

/* From the line @start, which leaves @from, until it would be taken again. */
static void
walk_around (Graph * graph, guint32 from, guint32 start, gsize walk)
{
  guint32 u = from, line = start;

  do {
    const guint32 v = graph->to[line];

    if (cs_array_append_val (&graph->stack, u))
      graph->place[u] = (guint32) graph->stack.len - 1;
    if (graph->place[v] != NONE)
      cut_loop (graph, graph->place[v], walk);
    /* the first line stays in its list, for the walk to end there */
    if (line != start)
      remove_line (graph, u, v);
    line = find_line (graph, u, v);
    u = v;
  } while (line != start && line != NONE && graph->steps_left > 0
      && !graph->stack.failed);
  remove_line (graph, from, graph->to[start]);
  /* only lines that do not go around anything leave something */
  for (gsize i = 0; i < graph->stack.len; i++)
    graph->place[cs_array_index (&graph->stack, guint32, i)] = NONE;
  graph->stack.len = 0;
}

/* Holes and their outlines */

/* Whether @hole is in @outline: its first corner that is not on the line
 * tells. */
static gboolean
is_around (Graph * graph, const Loop * outline, const Loop * hole)
{
  const GstShapePoint *points = (const GstShapePoint *) (gconstpointer)
      graph->loop_points.data;
  gint where = 0;

  if (hole->low.x < outline->low.x || hole->low.y < outline->low.y
      || hole->high.x > outline->high.x || hole->high.y > outline->high.y)
    return FALSE;
  for (gsize i = 0; where == 0 && i < hole->n; i++) {
    if (graph->steps_left < outline->n) {
      graph->steps_left = 0;
      return FALSE;
    }
    graph->steps_left -= outline->n;
    where = gst_shape_points_locate (points + outline->first, outline->n,
        points[hole->first + i]);
  }
  return where > 0;
}

/* The outline around a hole: that of its own walk, or else the smallest one;
 * the hole itself without any. */
static gsize
find_outline (Graph * graph, gsize hole)
{
  const Loop *loops = &cs_array_index (&graph->loops, Loop, 0);
  gsize best = hole;

  for (gsize k = loops[hole].walk; k < graph->loops.len
      && loops[k].walk == loops[hole].walk && graph->steps_left > 0; k++)
    if (loops[k].orient > 0 && is_around (graph, &loops[k], &loops[hole]))
      return k;
  for (gsize k = 0; k < graph->loops.len && graph->steps_left > 0; k++) {
    graph->steps_left--;
    if (loops[k].orient > 0
        && (best == hole || loops[k].orient < loops[best].orient)
        && is_around (graph, &loops[k], &loops[hole]))
      best = k;
  }
  return best;
}

static void
find_outlines (Graph * graph)
{
  Loop *loops = &cs_array_index (&graph->loops, Loop, 0);

  for (gsize i = 0; i < graph->loops.len; i++)
    loops[i].outline = loops[i].orient < 0 ? find_outline (graph, i) : i;
}

/* Result */

static void
append_loop (const Graph * graph, const Loop * loop, GstShapeRings * rings)
{
  const GstShapePoint *points = &cs_array_index (&graph->loop_points,
      GstShapePoint, loop->first);

  cs_array_append (&rings->points, points, loop->n);
  cs_array_append_val (&rings->ends, rings->points.len);
}

static gint
compare_outlines (gconstpointer a, gconstpointer b)
{
  const Loop *first = a, *second = b;

  if (first->outline != second->outline)
    return first->outline < second->outline ? -1 : 1;
  if ((first->orient < 0) != (second->orient < 0))
    return first->orient < 0 ? 1 : -1;
  return first->first < second->first ? -1 : first->first > second->first;
}

static void
take_loops (Graph * graph, GstShapeRings * rings)
{
  Loop *loops = &cs_array_index (&graph->loops, Loop, 0);

  cs_array_empty (&rings->points);
  cs_array_empty (&rings->ends);
  cs_array_empty (&rings->parts);
  if (graph->loops.len > 1)
    qsort (loops, graph->loops.len, sizeof (*loops), compare_outlines);
  for (gsize i = 0; i < graph->loops.len; i++) {
    append_loop (graph, &loops[i], rings);
    if (i + 1 == graph->loops.len || loops[i + 1].outline != loops[i].outline)
      cs_array_append_val (&rings->parts, rings->ends.len);
  }
}

static gboolean
graph_init (Graph * graph, const GstShapeRings * rings, guint32 * table,
    gsize mask)
{
  const gsize n = rings->points.len;
  guint32 *memory = cs_try_new (guint32, 5 * n);

  *graph = (Graph) {
    .points = (const GstShapePoint *) (gconstpointer) rings->points.data,
    .n = n,.corner = memory,.steps_left = STEPS_PER_CORNER * (guint64) n };
  cs_array_init (&graph->stack, sizeof (guint32));
  cs_array_init (&graph->loop_points, sizeof (GstShapePoint));
  cs_array_init (&graph->loops, sizeof (Loop));
  if (!memory)
    return FALSE;
  graph->head = memory + n;
  graph->next = memory + 2 * n;
  graph->to = memory + 3 * n;
  graph->place = memory + 4 * n;
  memset (graph->head, 0xff, n * sizeof (guint32));
  memset (graph->place, 0xff, n * sizeof (guint32));
  for (gsize i = 0; i < n; i++)
    graph->corner[i] = find_corner (graph->points, table, mask, (guint32) i);
  return TRUE;
}

static gboolean
graph_clear (Graph * graph)
{
  const gboolean failed = graph->stack.failed | graph->loop_points.failed
      | graph->loops.failed;

  g_free (graph->corner);
  cs_array_clear (&graph->stack);
  cs_array_clear (&graph->loop_points);
  cs_array_clear (&graph->loops);
  return !failed;
}

gboolean
gst_shape_rings_make_valid (GstShapeRings * rings)
{
  gsize mask, at = 0;
  guint32 *table = make_table (rings, &mask);
  Graph graph;

  if (!table || is_simple (rings, table, mask))
    return table != NULL;
  memset (table, 0xff, (mask + 1) * sizeof (*table));
  if (!graph_init (&graph, rings, table, mask))
    return FALSE;
  for (gsize i = 0; i < rings->ends.len; i++) {
    const gsize end = cs_array_index (&rings->ends, gsize, i);

    if (end > at)
      add_ring (&graph, at, end - 1, i > 0);
    at = end;
  }
  for (guint32 i = 0; i < graph.n && graph.steps_left > 0; i++)
    while (graph.head[i] != NONE && graph.steps_left > 0
        && !graph.stack.failed)
      walk_around (&graph, i, graph.head[i], graph.loops.len);
  find_outlines (&graph);
  if (graph.steps_left > 0)
    take_loops (&graph, rings);
  return graph_clear (&graph) && !rings->points.failed && !rings->ends.failed
      && !rings->parts.failed;
}
