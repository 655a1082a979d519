/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Iso-bands: from directed lines to polygons.
 *
 * Lines are edges of a planar graph. Edges in opposite directions between the
 * same vertices have nothing between them and are taken out. Where more than
 * two edges meet, an incoming one continues with the outgoing one at the other
 * side of the wedge on its right: walks then go around what is connected
 * without passing through a vertex. A walk that passes a vertex twice is cut
 * there. So no ring touches itself, and no hole divides its polygon. */
#include "contours_bands.h"

#include <math.h>

#include "base/orient.h"
#include "base/sort.h"
#include "contours_math.h"

#define NONE (-1)

typedef struct
{
  double x, y;
  gint32 first_out, first_in;   /* edges */
  gint32 position;              /* in the stack of a walk */
  guint32 degree;               /* edges that leave it and are left */
} Vertex;

typedef struct
{
  guint32 from, to;             /* vertices */
  gint32 next_out, next_in;     /* edges that leave, enter the same vertex */
  gint32 next;                  /* of the ring */
  gint32 ring;
  gboolean border, removed, visited;
} Edge;

/* An edge seen from one of its ends. */
typedef struct
{
  const Vertex *from, *to;      /* to: the other end */
  gint32 edge;
  gboolean enters;
} Spoke;

/* Where a ring begins, and the next vertex. */
typedef struct
{
  double x, y, to_x, to_y;
  guint32 ring;
} Place;

typedef struct
{
  Place shell, own;
} Item;

void
cs_band_rings_init (CsBandRings * rings, CsPointFormat format)
{
  *rings = (CsBandRings) {.format = format };
  cs_array_init (&rings->vertices, sizeof (Vertex));
  cs_array_init (&rings->edges, sizeof (Edge));
  cs_array_init (&rings->table, sizeof (guint32));
  cs_array_init (&rings->rings, sizeof (CsBandRing));
  cs_array_init (&rings->corners, sizeof (guint32));
  cs_array_init (&rings->stack, sizeof (gint32));
  cs_array_init (&rings->around, sizeof (Spoke));
  cs_array_init (&rings->items, sizeof (CsSortItem));
  cs_array_init (&rings->sorted, sizeof (Item));
  cs_array_init (&rings->ordered, sizeof (CsBandRing));
}

void
cs_band_rings_clear (CsBandRings * rings)
{
  cs_array_clear (&rings->vertices);
  cs_array_clear (&rings->edges);
  cs_array_clear (&rings->table);
  cs_array_clear (&rings->rings);
  cs_array_clear (&rings->corners);
  cs_array_clear (&rings->stack);
  cs_array_clear (&rings->around);
  cs_array_clear (&rings->items);
  cs_array_clear (&rings->sorted);
  cs_array_clear (&rings->ordered);
}

static inline Vertex *
get_vertex (const CsBandRings * rings, guint32 i)
{
  return &cs_array_index (&rings->vertices, Vertex, i);
}

static inline Edge *
get_edge (const CsBandRings * rings, guint32 i)
{
  return &cs_array_index (&rings->edges, Edge, i);
}

static inline const Vertex *
get_from (const CsBandRings * rings, const Edge * edge)
{
  return get_vertex (rings, edge->from);
}

static inline const Vertex *
get_to (const CsBandRings * rings, const Edge * edge)
{
  return get_vertex (rings, edge->to);
}

static inline CsBandRing *
get_ring (const CsBandRings * rings, gsize i)
{
  return &cs_array_index (&rings->rings, CsBandRing, i);
}

gboolean
cs_band_rings_begin (CsBandRings * rings, gsize n_edges, GError ** error)
{
  gsize size = 64;

  cs_array_empty (&rings->vertices);
  cs_array_empty (&rings->edges);
  cs_array_empty (&rings->table);
  cs_array_empty (&rings->rings);
  cs_array_empty (&rings->corners);
  if (n_edges > G_MAXINT32 / 2)
    return cs_error (error, CS_ERROR_LIMIT,
        "an iso-band has more than 2^30 edges");
  /* an edge has two ends, of which mostly one is that of another edge, too */
  while (size < 4 * n_edges)
    size *= 2;
  if (!cs_array_reserve (&rings->vertices, 2 * n_edges) ||
      !cs_array_reserve (&rings->edges, n_edges) ||
      !cs_array_set_size (&rings->table, size))
    return cs_fail_no_memory (error, "an iso-band");
  memset (rings->table.data, 0, size * sizeof (guint32));
  return TRUE;
}

/* Lines */

/* Tiles of 8 x 8 pixels are anywhere in the table, what is in one is side by
 * side: lines go from one pixel to the next. */
static gsize
hash (double x, double y)
{
  const guint64 column = (guint64) (gint64) x, row = (guint64) (gint64) y;
  guint64 tile = (row >> 3 << 32) ^ (column >> 3);

  tile *= G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);
  tile ^= tile >> 32;
  tile *= G_GUINT64_CONSTANT (0xd6e8feb86659fd93);
  tile ^= tile >> 32;
  return (gsize) (tile << 7 | (row & 7) << 4 | (column & 7) << 1 |
      (x == (double) column));
}

/* The vertex at (@x, @y), one for all lines. */
static guint32
find_vertex (CsBandRings * rings, double x, double y)
{
  const Vertex vertex = {.x = x,.y = y,.first_out = NONE,.first_in = NONE,
    .position = NONE
  };
  const gsize mask = rings->table.len - 1;
  gsize slot = hash (x, y) & mask;
  guint32 found;

  while ((found = cs_array_index (&rings->table, guint32, slot)) != 0) {
    const Vertex *other = get_vertex (rings, found - 1);

    if (other->x == x && other->y == y)
      return found - 1;
    slot = (slot + 1) & mask;
  }
  cs_array_append_val (&rings->vertices, vertex);
  cs_array_index (&rings->table, guint32, slot) = (guint32) rings->vertices.len;
  return (guint32) rings->vertices.len - 1;
}

static void
add_edge (CsBandRings * rings, guint32 from, guint32 to, gboolean border)
{
  Vertex *start = get_vertex (rings, from), *end = get_vertex (rings, to);
  const gint32 index = (gint32) rings->edges.len;
  const Edge edge = {.from = from,.to = to,.next_out = start->first_out,
    .next_in = end->first_in,.next = NONE,.ring = NONE,.border = border
  };

  if (from == to)
    return;
  start->first_out = end->first_in = index;
  start->degree++;
  cs_array_append_val (&rings->edges, edge);
}

/* Zeros are positive, so that equal ones have equal bits. */
static guint32
load_vertex (CsBandRings * rings, const void *points, gsize i)
{
  const float *f32 = points;
  const double *f64 = points;

  if (rings->format == CS_POINTS_F32)
    return find_vertex (rings, f32[2 * i] + 0., f32[2 * i + 1] + 0.);
  return find_vertex (rings, f64[2 * i] + 0., f64[2 * i + 1] + 0.);
}

void
cs_band_rings_add_line (CsBandRings * rings, const void *points, gsize n,
    gboolean reversed)
{
  guint32 last = load_vertex (rings, points, 0);

  for (gsize i = 1; i < n; i++) {
    const guint32 next = load_vertex (rings, points, i);

    add_edge (rings, reversed ? next : last, reversed ? last : next, FALSE);
    last = next;
  }
}

static double
round_to_format (const CsBandRings * rings, double value)
{
  return (rings->format == CS_POINTS_F32 ? (float) value : value) + 0.;
}

void
cs_band_rings_add_border (CsBandRings * rings, double x0, double y0, double x1,
    double y1)
{
  const guint32 from = find_vertex (rings, round_to_format (rings, x0),
      round_to_format (rings, y0));

  add_edge (rings, from, find_vertex (rings, round_to_format (rings, x1),
          round_to_format (rings, y1)), TRUE);
}

/* Collinear edges. By rounding a contour runs along the edge between two pixels
 * for a part of it, where those of other levels or cells run, too. Such edges are
 * split where others end. */

static gboolean
is_integral (double value)
{
  return floor (value) == value;
}

/* Whether @a and @b are on one edge between two pixels. */
static gboolean
is_along (const Vertex * a, const Vertex * b)
{
  return (a->x == b->x && is_integral (a->x) && fabs (a->y - b->y) <= 1. &&
      floor (MIN (a->y, b->y)) + 1. >= MAX (a->y, b->y)) ||
      (a->y == b->y && is_integral (a->y) && fabs (a->x - b->x) <= 1. &&
      floor (MIN (a->x, b->x)) + 1. >= MAX (a->x, b->x));
}

static gboolean
is_pixel (const Vertex * vertex)
{
  return is_integral (vertex->x) && is_integral (vertex->y);
}

/* Orders cells by rows and then columns; negative ones come first. */
static guint64
get_key (double x, double y)
{
  const gint64 row = (gint64) floor (y), column = (gint64) floor (x);

  return (guint64) (row + 1) << 32 | (guint64) (column + 1);
}

/* Of the edge between two pixels that (@x, @y) is on, at its left or upper
 * end if it is a pixel. */
static guint64
get_line_key (double x, double y, gboolean vertical)
{
  return get_key (x, y) << 1 | (guint64) vertical;
}

/* Sorts what has been appended to @items. Returns: where it is then, or %NULL
 * without memory */
static CsSortItem *
sort_items (CsArray * items)
{
  if (items->failed || !cs_array_reserve (items, items->len))
    return NULL;
  return cs_sort ((CsSortItem *) (gpointer) items->data,
      (CsSortItem *) (gpointer) items->data + items->len, items->len);
}

static gboolean
has_parts (const CsBandRings * rings)
{
  for (gsize i = 0; i < rings->edges.len; i++) {
    const Edge *edge = get_edge (rings, i);
    const Vertex *from = get_from (rings, edge), *to = get_to (rings, edge);

    if (!edge->border && is_along (from, to) && !(is_pixel (from) &&
            is_pixel (to)))
      return TRUE;
  }
  return FALSE;
}

/* Edges along those between pixels, and vertices on these, which come after
 * the edges: their values are not below the number of edges. */
static void
list_collinear (CsBandRings * rings)
{
  const guint32 n = (guint32) rings->edges.len;

  cs_array_empty (&rings->items);
  for (guint32 i = 0; i < n; i++) {
    const Vertex *a = get_vertex (rings, get_edge (rings, i)->from);
    const Vertex *b = get_vertex (rings, get_edge (rings, i)->to);
    const CsSortItem item = { get_line_key (MIN (a->x, b->x), MIN (a->y, b->y),
          a->x == b->x), i
    };

    if (is_along (a, b))
      cs_array_append_val (&rings->items, item);
  }
  for (guint32 i = 0; i < rings->vertices.len; i++) {
    const Vertex *vertex = get_vertex (rings, i);
    const CsSortItem item = { get_line_key (vertex->x, vertex->y,
          is_integral (vertex->x)), n + i
    };

    if (!is_pixel (vertex))
      cs_array_append_val (&rings->items, item);
  }
}

/* Whether @at is on a line between two others, but not one of them. */
static gboolean
is_between (const Vertex * at, const Vertex * a, const Vertex * b)
{
  return a->x == b->x ?
      at->y > MIN (a->y, b->y) && at->y < MAX (a->y, b->y) :
      at->x > MIN (a->x, b->x) && at->x < MAX (a->x, b->x);
}

/* Splits an edge at @vertex if that is inside of it; @parts, the edges of one
 * line, grow by its parts. Returns: FALSE without memory */
static gboolean
split_edge (CsBandRings * rings, guint32 index, guint32 vertex, CsArray * parts)
{
  const Edge edge = *get_edge (rings, index);
  const gint32 first = (gint32) rings->edges.len, second = first + 1;

  if (edge.removed || !is_between (get_vertex (rings, vertex),
          get_vertex (rings, edge.from), get_vertex (rings, edge.to)))
    return TRUE;
  if (!cs_array_reserve (&rings->edges, 2) || !cs_array_reserve (parts, 2))
    return FALSE;
  get_edge (rings, index)->removed = TRUE;
  get_vertex (rings, edge.from)->degree--;
  add_edge (rings, edge.from, vertex, edge.border);
  add_edge (rings, vertex, edge.to, edge.border);
  return cs_array_append_val (parts, first) &&
      cs_array_append_val (parts, second);
}

/* The edges and vertices of one line. */
static gboolean
split_line (CsBandRings * rings, const CsSortItem * items, gsize n,
    guint32 n_edges)
{
  CsArray *parts = &rings->stack;
  gsize i, k;

  cs_array_empty (parts);
  for (i = 0; i < n && items[i].value < n_edges; i++)
    cs_array_append_val (parts, items[i].value);
  for (; i < n && parts->len > 0; i++) {
    /* grows, but what is added is not to be split here */
    const gsize n_parts = parts->len;

    for (k = 0; k < n_parts; k++) {
      if (!split_edge (rings, cs_array_index (parts, guint32, k),
              items[i].value - n_edges, parts))
        return FALSE;
    }
  }
  return !parts->failed;
}

static gboolean
split_collinear (CsBandRings * rings, GError ** error)
{
  const guint32 n_edges = (guint32) rings->edges.len;
  gsize start, end, n;

  if (!has_parts (rings))
    return TRUE;
  list_collinear (rings);
  n = rings->items.len;
  const CsSortItem *items = sort_items (&rings->items);
  for (start = 0; items && start < n; start = end) {
    for (end = start + 1; end < n && items[end].key == items[start].key; end++);
    if (!split_line (rings, items + start, end - start, n_edges))
      items = NULL;
  }
  return items || cs_fail_no_memory (error, "an iso-band");
}

/* Rings */

static gint32
find_opposite (const CsBandRings * rings, const Edge * edge)
{
  gint32 i = get_vertex (rings, edge->to)->first_out;

  while (i != NONE && (get_edge (rings, i)->to != edge->from ||
          get_edge (rings, i)->removed))
    i = get_edge (rings, i)->next_out;
  return i;
}

static void
remove_opposites (CsBandRings * rings)
{
  for (gsize i = 0; i < rings->edges.len; i++) {
    Edge *edge = get_edge (rings, i);
    const gint32 opposite = edge->removed ? NONE : find_opposite (rings, edge);

    if (opposite == NONE)
      continue;
    edge->removed = get_edge (rings, opposite)->removed = TRUE;
    get_vertex (rings, edge->from)->degree--;
    get_vertex (rings, edge->to)->degree--;
  }
}

static gboolean
is_before (const Vertex * a, const Vertex * b)
{
  return a->y < b->y || (a->y == b->y && a->x < b->x);
}

/* 1 if @c is on the right of the line from @a to @b, as seen on the screen, -1
 * on its left, 0 on it. Exact. */
static gint
orient (const Vertex * a, const Vertex * b, const Vertex * c)
{
  return cs_orient (a->x, a->y, b->x, b->y, c->x, c->y);
}

/* By angle from the x axis towards the y axis, 0 included and 2 pi not. */
static gint
compare_spokes (gconstpointer a, gconstpointer b)
{
  const Spoke *first = a, *second = b;
  const gboolean first_back = is_before (first->to, first->from);
  const gboolean second_back = is_before (second->to, second->from);

  if (first_back != second_back)
    return first_back ? 1 : -1;
  const gint turn = orient (first->from, first->to, second->to);
  if (turn != 0)
    return -turn;
  /* nothing is between one that enters and one that leaves */
  if (first->enters != second->enters)
    return first->enters ? -1 : 1;
  return first->edge < second->edge ? -1 : first->edge > second->edge;
}

static void
add_spokes (CsBandRings * rings, const Vertex * vertex, gboolean enters)
{
  gint32 i = enters ? vertex->first_in : vertex->first_out;

  while (i != NONE) {
    const Edge *edge = get_edge (rings, i);
    const Spoke spoke = { vertex, enters ? get_from (rings, edge) :
          get_to (rings, edge), i, enters
    };

    if (!edge->removed)
      cs_array_append_val (&rings->around, spoke);
    i = enters ? edge->next_in : edge->next_out;
  }
}

/* Wedges inside of the band begin with an edge that leaves and end with one
 * that enters, as parentheses around the vertex. */
static void
join_spokes (CsBandRings * rings)
{
  const gsize n = rings->around.len;

  rings->stack.len = 0;
  for (gsize i = 0; i < 2 * n; i++) {
    const Spoke *spoke = &cs_array_index (&rings->around, Spoke, i % n);
    Edge *edge = get_edge (rings, spoke->edge);

    if (!spoke->enters && i < n)
      cs_array_append_val (&rings->stack, spoke->edge);
    else if (spoke->enters && edge->next == NONE && rings->stack.len > 0)
      edge->next = cs_array_index (&rings->stack, gint32, --rings->stack.len);
  }
}

/* Gives every edge the next one. */
static void
join_edges (CsBandRings * rings)
{
  for (gsize i = 0; i < rings->edges.len; i++) {
    Edge *edge = get_edge (rings, i);
    const Vertex *vertex = get_vertex (rings, edge->to);

    if (edge->removed || edge->next != NONE)
      continue;
    if (vertex->degree == 1) {
      edge->next = vertex->first_out;
      while (get_edge (rings, edge->next)->removed)
        edge->next = get_edge (rings, edge->next)->next_out;
      continue;
    }
    rings->around.len = 0;
    add_spokes (rings, vertex, FALSE);
    add_spokes (rings, vertex, TRUE);
    if (rings->around.failed || rings->around.len == 0)
      return;
    qsort (rings->around.data, rings->around.len, sizeof (Spoke),
        compare_spokes);
    join_spokes (rings);
  }
}

/* A pixel in the middle of a straight piece of the border. */
static gboolean
is_straight (const CsBandRings * rings, const Edge * edge, const Edge * next)
{
  const Vertex *from = get_from (rings, edge), *at = get_to (rings, edge);
  const Vertex *to = get_to (rings, next);

  return edge->border && next->border && at->degree == 1 &&
      ((from->x == at->x && at->x == to->x) || (from->y == at->y &&
          at->y == to->y));
}

/* The edges in the stack from @start on, unless they enclose nothing. */
static void
add_ring (CsBandRings * rings, gsize start)
{
  const gint32 *edges = &cs_array_index (&rings->stack, gint32, start);
  const gsize n = rings->stack.len - start;
  CsBandRing ring = {.first = rings->corners.len };
  gsize i, top = 0;
  double area = 0.;
  gint turn;

  for (i = 1; i < n; i++) {
    if (is_before (get_vertex (rings, get_edge (rings, edges[i])->from),
            get_vertex (rings, get_edge (rings, edges[top])->from)))
      top = i;
  }
  ring.edge = (guint32) edges[top];
  const Vertex *origin = get_vertex (rings, get_edge (rings, ring.edge)->from);
  for (i = 0; i < n; i++) {
    Edge *edge = get_edge (rings, edges[(top + i) % n]);
    const Edge *before = get_edge (rings, edges[(top + i + n - 1) % n]);
    const Vertex *from = get_from (rings, edge), *to = get_to (rings, edge);

    area += cs_term_cross (from->x - origin->x, from->y - origin->y,
        to->x - origin->x, to->y - origin->y);
    edge->ring = (gint32) rings->rings.len;
    if (!is_straight (rings, before, edge))
      cs_array_append_val (&rings->corners, edge->from);
  }
  if (area == 0.) {
    for (i = 0; i < n; i++)
      get_edge (rings, edges[i])->ring = NONE;
    rings->corners.len = ring.first;
    return;
  }
  ring.n = rings->corners.len - ring.first;
  /* the area of a sliver may have any sign */
  turn = orient (get_from (rings, get_edge (rings, edges[(top + n - 1) % n])),
      origin, get_to (rings, get_edge (rings, edges[top])));
  ring.hole = turn != 0 ? turn < 0 : area < 0.;
  ring.shell = (guint32) rings->rings.len;
  cs_array_append_val (&rings->rings, ring);
}

/* Takes the edges from @start on out of the walk, as a ring. */
static void
cut_walk (CsBandRings * rings, gsize start)
{
  add_ring (rings, start);
  for (gsize i = start; i < rings->stack.len; i++)
    get_vertex (rings, get_edge (rings, cs_array_index (&rings->stack, gint32,
                i))->from)->position = NONE;
  rings->stack.len = start;
}

static gboolean
walk (CsBandRings * rings, gint32 first)
{
  gint32 at = first;

  rings->stack.len = 0;
  do {
    Edge *edge = get_edge (rings, at);
    Vertex *vertex = get_vertex (rings, edge->from);

    if (vertex->position != NONE)
      cut_walk (rings, (gsize) vertex->position);
    vertex->position = (gint32) rings->stack.len;
    cs_array_append_val (&rings->stack, at);
    edge->visited = TRUE;
    at = edge->next;
  } while (at != NONE && at != first && !rings->stack.failed);
  if (at != first)
    return FALSE;
  cut_walk (rings, 0);
  return TRUE;
}

static gboolean
find_rings (CsBandRings * rings, GError ** error)
{
  for (gsize i = 0; i < rings->edges.len; i++) {
    if (get_edge (rings, i)->removed || get_edge (rings, i)->visited ||
        walk (rings, (gint32) i))
      continue;
    if (rings->stack.failed)
      return cs_fail_no_memory (error, "an iso-band");
    return cs_error (error, CS_ERROR_DEVICE,
        "contours do not end where iso-bands begin");
  }
  return TRUE;
}

/* Holes. A ray from a hole's first corner to the left, a little below it, hits
 * the same polygon: its outer ring or another hole. */

/* Edges upwards, whose right is on the right. */
static CsSortItem *
sort_edges (CsBandRings * rings, gsize * n)
{
  cs_array_empty (&rings->items);
  for (gsize i = 0; i < rings->edges.len; i++) {
    const Edge *edge = get_edge (rings, i);
    const Vertex *from = get_from (rings, edge), *to = get_to (rings, edge);
    const CsSortItem item = { get_key (MIN (from->x, to->x), to->y),
      (guint32) i
    };

    if (!edge->removed && from->y > to->y)
      cs_array_append_val (&rings->items, item);
  }
  *n = rings->items.len;
  return sort_items (&rings->items);
}

/* Whether a ray from @ring's first corner, @at, meets @edge: left of it, or from
 * it on left of the ring's first edge. */
static gboolean
meets (const CsBandRings * rings, gsize ring, const Vertex * at,
    const Edge * edge)
{
  const Vertex *from = get_from (rings, edge), *to = get_to (rings, edge);
  const Vertex *below = get_to (rings, get_edge (rings,
          get_ring (rings, ring)->edge));

  if (edge->ring == NONE || edge->ring == (gint32) ring || to->y > at->y ||
      from->y <= at->y)
    return FALSE;
  const gint side = orient (from, to, at);
  return side > 0 || (side == 0 && (below->y <= at->y ||
          orient (from, to, below) > 0));
}

/* Whether of two edges upwards that a ray meets, and that do not cross, @a is
 * on the right. */
static gboolean
is_nearer (const CsBandRings * rings, const Edge * a, const Edge * b)
{
  const Vertex *a_from = get_from (rings, a), *a_to = get_to (rings, a);
  const Vertex *b_from = get_from (rings, b), *b_to = get_to (rings, b);
  gint side = a_to->y >= b_to->y ? orient (b_from, b_to, a_to) :
      -orient (a_from, a_to, b_to);

  if (side == 0)
    side = a_from->y <= b_from->y ? orient (b_from, b_to, a_from) :
        -orient (a_from, a_to, b_from);
  return side > 0;
}

/* The ring that the ray from @ring, a hole, meets first; itself if none. */
static guint32
cast_ray (const CsBandRings * rings, gsize ring, const CsSortItem * items,
    gsize n)
{
  const Vertex *at = get_vertex (rings, get_edge (rings,
          get_ring (rings, ring)->edge)->from);
  const guint64 key = get_key (at->x, at->y);
  const Edge *nearest = NULL;
  gsize low = 0, high = n;

  while (low < high) {
    const gsize middle = low + (high - low) / 2;

    if (items[middle].key <= key)
      low = middle + 1;
    else
      high = middle;
  }
  while (low-- > 0 && items[low].key >> 32 == key >> 32) {
    const Edge *edge = get_edge (rings, items[low].value);

    /* others are farther to the left */
    if (nearest && items[low].key != items[low + 1].key)
      break;
    if (meets (rings, ring, at, edge) &&
        (!nearest || is_nearer (rings, edge, nearest)))
      nearest = edge;
  }
  return nearest ? (guint32) nearest->ring : (guint32) ring;
}

/* A hole may hit another one, but never, but for rounding, in a circle. All on
 * the way get the same outer ring. */
static void
follow_hits (CsBandRings * rings, guint32 ring)
{
  guint32 shell = ring, next;
  gsize steps;

  for (steps = 0; get_ring (rings, shell)->shell != shell &&
      steps < rings->rings.len; steps++)
    shell = get_ring (rings, shell)->shell;
  const gboolean lost = get_ring (rings, shell)->hole;
  for (; steps > 0; steps--, ring = next) {
    next = get_ring (rings, ring)->shell;
    get_ring (rings, ring)->shell = lost ? ring : shell;
  }
}

static gboolean
find_shells (CsBandRings * rings, GError ** error)
{
  const CsSortItem *items = NULL;
  gsize i, n = 0;

  for (i = 0; i < rings->rings.len; i++) {
    CsBandRing *ring = get_ring (rings, i);

    if (!ring->hole)
      continue;
    if (!items && !(items = sort_edges (rings, &n)))
      return cs_fail_no_memory (error, "an iso-band");
    ring->shell = cast_ray (rings, i, items, n);
  }
  for (i = 0; i < rings->rings.len; i++)
    follow_hits (rings, (guint32) i);
  return TRUE;
}

/* Order */

static Place
get_place (const CsBandRings * rings, guint32 ring)
{
  const Edge *edge = get_edge (rings, get_ring (rings, ring)->edge);
  const Vertex *from = get_from (rings, edge), *to = get_to (rings, edge);
  const Place place = { from->x, from->y, to->x, to->y, ring };

  return place;
}

static gint
compare_places (const Place * a, const Place * b)
{
  const double differences[] = { a->y - b->y, a->x - b->x, a->to_y - b->to_y,
    a->to_x - b->to_x
  };

  /* of finite numbers, 0 if they are equal */
  for (gsize i = 0; i < G_N_ELEMENTS (differences); i++)
    if (differences[i] != 0.)
      return differences[i] < 0. ? -1 : 1;
  return a->ring < b->ring ? -1 : a->ring > b->ring;
}

static gint
compare_items (gconstpointer a, gconstpointer b)
{
  const Item *first = a, *second = b;
  const gboolean first_is_hole = first->own.ring != first->shell.ring;
  const gboolean second_is_hole = second->own.ring != second->shell.ring;
  const gint order = compare_places (&first->shell, &second->shell);

  if (order != 0)
    return order;
  if (first_is_hole != second_is_hole)
    return first_is_hole ? 1 : -1;
  return compare_places (&first->own, &second->own);
}

static gboolean
sort_rings (CsBandRings * rings, GError ** error)
{
  gsize i;
  guint32 shell = 0;

  cs_array_empty (&rings->sorted);
  for (i = 0; i < rings->rings.len; i++) {
    const Item item = { get_place (rings, get_ring (rings, i)->shell),
      get_place (rings, (guint32) i)
    };

    cs_array_append_val (&rings->sorted, item);
  }
  if (rings->sorted.failed)
    return cs_fail_no_memory (error, "an iso-band");
  if (i > 1)
    qsort (rings->sorted.data, i, sizeof (Item), compare_items);
  cs_array_empty (&rings->ordered);
  for (i = 0; i < rings->sorted.len; i++) {
    const Item *item = &cs_array_index (&rings->sorted, Item, i);
    CsBandRing ring = *get_ring (rings, item->own.ring);

    if (item->own.ring == item->shell.ring)
      shell = (guint32) i;
    ring.shell = shell;
    cs_array_append_val (&rings->ordered, ring);
  }
  if (rings->ordered.failed)
    return cs_fail_no_memory (error, "an iso-band");
  return TRUE;
}

gboolean
cs_band_rings_finish (CsBandRings * rings, GError ** error)
{
  cs_array_empty (&rings->around);
  cs_array_empty (&rings->stack);
  if (!split_collinear (rings, error))
    return FALSE;
  remove_opposites (rings);
  join_edges (rings);
  if (rings->around.failed || rings->stack.failed)
    return cs_fail_no_memory (error, "an iso-band");
  if (!find_rings (rings, error))
    return FALSE;
  if (rings->rings.failed || rings->corners.failed)
    return cs_fail_no_memory (error, "an iso-band");
  return find_shells (rings, error) && sort_rings (rings, error);
}

void
cs_band_rings_get_corner (const CsBandRings * rings, gsize i, void *point)
{
  const Vertex *vertex =
      get_vertex (rings, cs_array_index (&rings->corners, guint32, i));

  if (rings->format == CS_POINTS_F32) {
    ((float *) point)[0] = (float) vertex->x;
    ((float *) point)[1] = (float) vertex->y;
  } else {
    ((double *) point)[0] = vertex->x;
    ((double *) point)[1] = vertex->y;
  }
}
