/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which regions and holes are filled. Along every row of pixels, from the top,
 * a stack has the polylines that the row is inside of. */
#include "gstshapeoverlayfill.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"

/* More are not sorted: long lines by the thousands are no contours. */
#define MAX_CROSSINGS (1u << 24)
#define MAX_ROWS (1u << 24)

/* Where a row crosses a polyline. */
typedef struct
{
  gdouble x;
  guint polyline;
} Crossing;

/* The polylines of one call. */
typedef struct
{
  const GstShapePoint *points;
  const guint32 *offsets;
  const GstShapePolyline *polylines;
  gsize n;
  gboolean *hollow;
  gboolean *decided;
  CsArray *stack;
} Selection;

void
overlay_selection_init (OverlaySelection * self)
{
  cs_array_init (&self->crossings, sizeof (Crossing));
  cs_array_init (&self->starts, sizeof (gsize));
  cs_array_init (&self->decided, sizeof (gboolean));
  cs_array_init (&self->stack, sizeof (guint));
}

void
overlay_selection_clear (OverlaySelection * self)
{
  cs_array_clear (&self->crossings);
  cs_array_clear (&self->starts);
  cs_array_clear (&self->decided);
  cs_array_clear (&self->stack);
}

gboolean
overlay_selection_fail (GError ** error)
{
  return cs_error (error, CS_ERROR_LIMIT, "its shapes are too many for the "
      "memory that is left to choose which of them are filled");
}

static gboolean
is_closed (const GstShapePoint * p, gsize n)
{
  return n > 3 && p[0].x == p[n - 1].x && p[0].y == p[n - 1].y;
}

static inline guint
round_up (gdouble v)
{
  const guint down = (guint) v;

  return down + (down < v);
}

/* The rows that cross a line, from @first up to @end: those at or below its
 * upper end, and above its lower one. */
static inline gboolean
find_rows (const GstShapePoint * a, const GstShapePoint * b, guint height,
    guint * first, guint * end)
{
  const gdouble top = MIN (a->y, b->y), bottom = MAX (a->y, b->y);

  if (!isfinite (top) || !isfinite (bottom) || !isfinite (a->x)
      || !isfinite (b->x) || top > height - 1. || bottom <= 0.)
    return FALSE;
  *first = round_up (MAX (top, 0.));
  *end = round_up (MIN (bottom, height));
  return *first < *end;
}

static inline gdouble
cross (const GstShapePoint * a, const GstShapePoint * b, guint row)
{
  return a->x + (row - (gdouble) a->y) / ((gdouble) b->y - a->y) *
      ((gdouble) b->x - a->x);
}

/* How often each row is crossed, two places ahead in @starts, and all together:
 * more than MAX_CROSSINGS are not counted. */
static gsize
count_crossings (const Selection * s, guint height, gsize * starts)
{
  gsize n_crossings = 0, i;
  guint row, end;

  for (i = 0; i < s->n; i++) {
    if (s->hollow[i])
      continue;
    for (guint32 k = s->offsets[i]; k + 1 < s->offsets[i + 1]; k++) {
      if (!find_rows (&s->points[k], &s->points[k + 1], height, &row, &end))
        continue;
      n_crossings += end - row;
      if (n_crossings > MAX_CROSSINGS)
        return n_crossings;
      for (; row < end; row++)
        starts[row + 2]++;
    }
  }
  return n_crossings;
}

/* @starts: one place ahead; moves on to each row's own. */
static void
list_crossings (const Selection * s, guint height, gsize * starts,
    Crossing * crossings)
{
  guint row, end;

  for (gsize i = 0; i < s->n; i++) {
    if (s->hollow[i])
      continue;
    for (guint32 k = s->offsets[i]; k + 1 < s->offsets[i + 1]; k++) {
      const GstShapePoint *a = &s->points[k], *b = &s->points[k + 1];

      if (!find_rows (a, b, height, &row, &end))
        continue;
      for (; row < end; row++)
        crossings[starts[row + 1]++] = (Crossing) {
        cross (a, b, row), (guint) i};
    }
  }
}

static gint
compare_crossings (gconstpointer a, gconstpointer b)
{
  const Crossing *p = a, *q = b;

  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  return p->polyline < q->polyline ? -1 : p->polyline > q->polyline;
}

/* Whether the next polyline lies, as far as is filled, directly in a region. */
static gboolean
is_in_region (const Selection * s)
{
  for (gsize i = s->stack->len; i > 0; i--) {
    const guint outer = cs_array_index (s->stack, guint, i - 1);

    if (!s->hollow[outer])
      return !(s->polylines[outer].flags & GST_SHAPE_FLAG_HOLE);
  }
  return FALSE;
}

/* Takes @polyline from the stack, where it is on top but for polylines that
 * touch it; whether it was there. */
static gboolean
leave (Selection * s, guint polyline)
{
  guint *stack = (guint *) (gpointer) s->stack->data;

  for (gsize i = s->stack->len; i > 0; i--) {
    if (stack[i - 1] != polyline)
      continue;
    memmove (&stack[i - 1], &stack[i], (s->stack->len - i) * sizeof (*stack));
    s->stack->len--;
    return TRUE;
  }
  return FALSE;
}

/* Two polylines that touch in a row tell nothing there: another row, or another
 * place in this one, is to decide. If there is none, the first guess stays. */
static gboolean
is_touched (const Crossing * crossings, gsize n, gsize i)
{
  const Crossing *c = &crossings[i];

  return (i > 0 && c[-1].x == c->x && c[-1].polyline != c->polyline)
      || (i + 1 < n && c[1].x == c->x && c[1].polyline != c->polyline);
}

static void
walk_row (Selection * s, const Crossing * crossings, gsize n)
{
  cs_array_set_size (s->stack, 0);
  for (gsize i = 0; i < n; i++) {
    const guint polyline = crossings[i].polyline;
    const gboolean hole =
        (s->polylines[polyline].flags & GST_SHAPE_FLAG_HOLE) != 0;

    if (leave (s, polyline))
      continue;
    if (!s->decided[polyline]) {
      s->hollow[polyline] = is_in_region (s) != hole;
      s->decided[polyline] = !is_touched (crossings, n, i);
    }
    cs_array_append_val (s->stack, polyline);
  }
}

static guint
count_rows (const Selection * s, guint height)
{
  gfloat bottom = 0.f;

  for (guint32 k = s->offsets[0]; k < s->offsets[s->n]; k++)
    bottom = s->points[k].y > bottom ? s->points[k].y : bottom;
  return round_up (MIN (bottom, (gdouble) height));
}

static gboolean
decide (OverlaySelection * self, Selection * s, guint n_rows)
{
  cs_array_empty (&self->starts);
  cs_array_empty (&self->crossings);
  cs_array_empty (&self->stack);
  cs_array_empty (&self->decided);
  if (!cs_array_set_size (&self->starts, n_rows + 2)
      || !cs_array_set_size (&self->decided, s->n))
    return FALSE;
  gsize *starts = (gsize *) (gpointer) self->starts.data;
  s->decided = (gboolean *) (gpointer) self->decided.data;
  s->stack = &self->stack;
  memset (starts, 0, (n_rows + 2) * sizeof (*starts));
  memset (s->decided, 0, s->n * sizeof (*s->decided));
  const gsize n_crossings = count_crossings (s, n_rows, starts);
  if (n_crossings > MAX_CROSSINGS)
    return TRUE;
  if (!cs_array_set_size (&self->crossings, n_crossings))
    return FALSE;
  Crossing *crossings = (Crossing *) (gpointer) self->crossings.data;
  for (guint row = 2; row < n_rows + 2; row++)
    starts[row] += starts[row - 1];
  list_crossings (s, n_rows, starts, crossings);
  for (guint row = 0; row < n_rows && !self->stack.failed; row++) {
    const gsize n = starts[row + 1] - starts[row];

    if (n == 0)
      continue;
    qsort (crossings + starts[row], n, sizeof (*crossings), compare_crossings);
    walk_row (s, crossings + starts[row], n);
  }
  return !self->stack.failed;
}

gboolean
overlay_select_filled (OverlaySelection * self, const GstShapePoint * points,
    const guint32 * offsets, const GstShapePolyline * polylines, gsize n,
    guint height, gboolean * hollow, GError ** error)
{
  Selection s = {.points = points,.offsets = offsets,.polylines = polylines,
    .n = n,.hollow = hollow
  };

  /* What is closed; what lies between two rows is not looked at, and filled. */
  for (gsize i = 0; i < s.n; i++)
    s.hollow[i] = !is_closed (s.points + s.offsets[i],
        s.offsets[i + 1] - s.offsets[i]);
  const guint n_rows = count_rows (&s, height);
  return n_rows == 0 || n_rows > MAX_ROWS || decide (self, &s, n_rows)
      || overlay_selection_fail (error);
}
