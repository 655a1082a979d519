/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Which regions and holes are filled. Along every row of pixels, from the top,
 * a stack has the polylines that the row is inside of. */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeoverlayfill.h"

#include <math.h>

/* More are not sorted: long lines by the thousands are no contours. */
#define MAX_CROSSINGS (1u << 24)

/* Where a row crosses a polyline. */
typedef struct
{
  gint row;
  guint polyline;
  gdouble x;
} Crossing;

typedef struct
{
  const GstShapePolyline *polylines;
  gboolean *hollow;
  gboolean *decided;
  GArray *crossings;            /* Crossing */
  GArray *stack;                /* guint: polylines */
} Selection;

static gboolean
is_closed (const GstShapePoint * p, gsize n)
{
  return n > 3 && p[0].x == p[n - 1].x && p[0].y == p[n - 1].y;
}

/* A row crosses a line when it lies at or below the upper end, and above the
 * lower one. */
static void
add_line (Selection * s, guint polyline, const GstShapePoint * a,
    const GstShapePoint * b, guint height)
{
  const gdouble top = MIN (a->y, b->y), bottom = MAX (a->y, b->y);
  gint row;

  if (!isfinite (top) || !isfinite (bottom) || !isfinite (a->x)
      || !isfinite (b->x) || top >= height || bottom < 0.)
    return;
  for (row = (gint) ceil (MAX (top, 0.)); row < MIN (bottom, height) &&
      s->crossings->len <= MAX_CROSSINGS; row++) {
    const Crossing crossing = { row, polyline, a->x + (row - (gdouble) a->y) /
          ((gdouble) b->y - a->y) * ((gdouble) b->x - a->x)
    };

    g_array_append_val (s->crossings, crossing);
  }
}

static gint
compare_crossings (gconstpointer a, gconstpointer b)
{
  const Crossing *p = a, *q = b;

  if (p->row != q->row)
    return p->row < q->row ? -1 : 1;
  if (p->x != q->x)
    return p->x < q->x ? -1 : 1;
  return p->polyline < q->polyline ? -1 : p->polyline > q->polyline;
}

/* Whether @polyline lies, as far as is filled, directly in a region. */
static gboolean
is_in_region (const Selection * s)
{
  guint i;

  for (i = s->stack->len; i > 0; i--) {
    const guint outer = g_array_index (s->stack, guint, i - 1);

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
  guint i;

  for (i = s->stack->len; i > 0; i--) {
    if (g_array_index (s->stack, guint, i - 1) != polyline)
      continue;
    g_array_remove_index (s->stack, i - 1);
    return TRUE;
  }
  return FALSE;
}

/* Two polylines that touch in a row tell nothing there: another row, or another
 * place in this one, is to decide. If there is none, the first guess stays. */
static gboolean
is_touched (const Selection * s, guint i)
{
  const Crossing *c = &g_array_index (s->crossings, Crossing, i);

  return (i > 0 && c[-1].row == c->row && c[-1].x == c->x
      && c[-1].polyline != c->polyline)
      || (i + 1 < s->crossings->len && c[1].row == c->row && c[1].x == c->x
      && c[1].polyline != c->polyline);
}

static void
walk (Selection * s)
{
  gint row = -1;
  guint i;

  for (i = 0; i < s->crossings->len; i++) {
    const Crossing *c = &g_array_index (s->crossings, Crossing, i);
    const gboolean hole =
        (s->polylines[c->polyline].flags & GST_SHAPE_FLAG_HOLE) != 0;

    if (c->row != row)
      g_array_set_size (s->stack, 0);
    row = c->row;
    if (leave (s, c->polyline))
      continue;
    if (!s->decided[c->polyline]) {
      s->hollow[c->polyline] = is_in_region (s) != hole;
      s->decided[c->polyline] = !is_touched (s, i);
    }
    g_array_append_val (s->stack, c->polyline);
  }
}

void
gst_shape_overlay_select_filled (const GstShapePoint * points,
    const guint32 * offsets, const GstShapePolyline * polylines, gsize n,
    guint height, gboolean * hollow)
{
  Selection s = { polylines, hollow, g_new0 (gboolean, n),
    g_array_new (FALSE, FALSE, sizeof (Crossing)),
    g_array_new (FALSE, FALSE, sizeof (guint))
  };
  guint32 k;
  gsize i;

  for (i = 0; i < n; i++) {
    hollow[i] = TRUE;
    if (!is_closed (points + offsets[i], offsets[i + 1] - offsets[i]))
      continue;
    /* what lies between two rows is not looked at */
    hollow[i] = FALSE;
    for (k = offsets[i]; k + 1 < offsets[i + 1]; k++)
      add_line (&s, (guint) i, &points[k], &points[k + 1], height);
  }
  if (s.crossings->len <= MAX_CROSSINGS) {
    g_array_sort (s.crossings, compare_crossings);
    walk (&s);
  }
  g_array_unref (s.crossings);
  g_array_unref (s.stack);
  g_free (s.decided);
}
