/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The pixels of polygons.
 *
 * A row of pixels crosses each side of a ring that begins above it, or at its
 * height, and ends below it, or the other way round. Pixels to the right of an
 * odd number of these crossings are inside the ring. What has to be decided is
 * on which side of a crossing a pixel's centre is, or whether it is on it.
 *
 * Centres are whole numbers and points are floats, of which cs_orient()
 * decides exactly. So nothing is ever rounded to the wrong side.
 */

#include <float.h>
#include <stdlib.h>

#include "gstshapepoints.h"
#include "gstshaperaster.h"

/* A side that is not level: a is above b. */
typedef struct
{
  gdouble ax, ay, bx, by;
} Side;

/* What a row meets: a side of @ring, from which pixels after @last are on the
 * other side; pixels from @first to @last are on it. */
typedef struct
{
  gint32 ring, first, last;
} Event;

/* The ring of a level side, which no pixel is to the right of. */
#define LEVEL -1

typedef struct
{
  gint32 first, last;
} Interval;

/* The rows of a polygon. */
typedef struct
{
  GstShapeRaster *raster;
  gint32 width, top, bottom;
  gboolean by_columns, counts;
} Sweep;

/* Positive if pixel (@x, @y) is to the right of the line, 0 on it. */
static gint
side_of (const Side * s, gdouble x, gdouble y)
{
  return cs_orient (s->ax, s->ay, x, y, s->bx, s->by);
}

/* The event of a row that meets a side: @first is the first pixel that is not
 * to the left of it. */
static Event
meet (const Side * s, gint32 y, gint32 width, gint32 ring)
{
  const gdouble x = s->ax + (y - s->ay) / (s->by - s->ay) * (s->bx - s->ax);
  /* more than the rounding of x */
  const gdouble doubt = 8 * DBL_EPSILON * (fabs (s->ax) + fabs (s->bx));
  const gdouble from = ceil (x - doubt), to = floor (x + doubt) + 1;
  gint32 low = (gint32) CLAMP (from, 0, width);
  gint32 high = (gint32) CLAMP (to, 0, width);

  if (from > x + doubt)
    return (Event) {ring, low, low - 1};
  while (low < high) {
    const gint32 middle = low + (high - low) / 2;

    if (side_of (s, middle, y) >= 0)
      high = middle;
    else
      low = middle + 1;
  }
  return (Event) {ring, low, low < width && side_of (s, low, y) == 0 ? low :
        low - 1};
}

static void
note_event (Sweep * sweep, gint32 y, Event event)
{
  gsize *start = &cs_array_index (&sweep->raster->starts, gsize,
      y - sweep->top);

  if (!sweep->counts)
    cs_array_index (&sweep->raster->events, Event, start[0]) = event;
  start[0]++;
}

/* All pixels of its row that are on it. */
static void
sweep_level_side (Sweep * sweep, gdouble x0, gdouble x1, gdouble y)
{
  const gdouble first = MAX (ceil (MIN (x0, x1)), 0);
  const gdouble last = MIN (floor (MAX (x0, x1)), sweep->width - 1);

  if (y != floor (y) || y < sweep->top || y > sweep->bottom || first > last)
    return;
  note_event (sweep, (gint32) y, (Event) {LEVEL, (gint32) first,
          (gint32) last});
}

/* Rows from a's, included, to b's, left out; there the next side begins, or
 * another one ends. At its end only the pixel on it counts. */
static void
sweep_side (Sweep * sweep, const Side * s, gint32 ring)
{
  const gdouble end = (gdouble) sweep->bottom + 1;
  const gint32 from = (gint32) CLAMP (ceil (s->ay), sweep->top, end);
  const gint32 to = (gint32) CLAMP (ceil (s->by), sweep->top, end);

  for (gint32 y = from; y < to; y++)
    note_event (sweep, y, sweep->counts ? (Event) {0} :
        meet (s, y, sweep->width, ring));
  sweep_level_side (sweep, s->bx, s->bx, s->by);
}

static gint
compare_events (gconstpointer a, gconstpointer b)
{
  const Event *first = a, *second = b;

  if (first->ring != second->ring)
    return first->ring < second->ring ? -1 : 1;
  return first->last < second->last ? -1 : first->last > second->last;
}

static gint
compare_intervals (gconstpointer a, gconstpointer b)
{
  const Interval *first = a, *second = b;

  return first->first < second->first ? -1 : first->first > second->first;
}

static void
append_run (CsArray * runs, gint32 y, gint32 first, gint32 end)
{
  const GstShapeRun run = { (guint32) y, (guint32) first, (guint32) end };
  GstShapeRun *last = runs->len > 0 ?
      &cs_array_index (runs, GstShapeRun, runs->len - 1) : NULL;

  if (first >= end)
    return;
  if (last && last->row == run.row && last->end == run.first)
    last->end = run.end;
  else
    cs_array_append_val (runs, run);
}

/* What is inside the outline but for what is not the polygon's. */
static void
append_row (GstShapeRaster * raster, gint32 y)
{
  gint32 reached = 0;
  gsize k = 0;

  for (gsize i = 0; i < raster->solid.len; i++) {
    const Interval solid = cs_array_index (&raster->solid, Interval, i);

    reached = MAX (reached, solid.first);
    for (; k < raster->blocked.len; k++) {
      const Interval blocked = cs_array_index (&raster->blocked, Interval, k);

      if (blocked.first > solid.last)
        break;
      append_run (&raster->runs, y, reached, blocked.first);
      reached = MAX (reached, blocked.last + 1);
    }
    append_run (&raster->runs, y, reached, solid.last + 1);
    reached = MAX (reached, solid.last + 1);
  }
}

/* The events of a row, of which those of a ring come in pairs. */
static void
finish_row (GstShapeRaster * raster, gint32 y, Event * events, gsize n)
{
  cs_array_empty (&raster->solid);
  cs_array_empty (&raster->blocked);
  qsort (events, n, sizeof (*events), compare_events);
  for (gsize i = 0; i < n; i++) {
    const Interval on = { events[i].first, events[i].last };

    if (on.first <= on.last)
      cs_array_append_val (&raster->blocked, on);
  }
  for (gsize i = 0; i + 1 < n; i++) {
    const Interval inside = { events[i].last + 1, events[i + 1].last };

    if (events[i].ring == LEVEL)
      continue;
    if (inside.first <= inside.last)
      cs_array_append_val (events[i].ring == 0 ? &raster->solid :
          &raster->blocked, inside);
    i++;
  }
  if (raster->blocked.len > 1)
    qsort (raster->blocked.data, raster->blocked.len, sizeof (Interval),
        compare_intervals);
  raster->runs.failed |= raster->solid.failed | raster->blocked.failed;
  append_row (raster, y);
}

static void
sweep_ring (Sweep * sweep, const GstShapePoint * points, gsize n, gint32 ring)
{
  for (gsize i = 0; i < n; i++) {
    const GstShapePoint p = points[i], q = points[i + 1 < n ? i + 1 : 0];
    const gdouble px = sweep->by_columns ? p.y : p.x;
    const gdouble py = sweep->by_columns ? p.x : p.y;
    const gdouble qx = sweep->by_columns ? q.y : q.x;
    const gdouble qy = sweep->by_columns ? q.x : q.y;

    if (py == qy)
      sweep_level_side (sweep, px, qx, py);
    else if (py < qy)
      sweep_side (sweep, &(Side) {px, py, qx, qy}, ring);
    else
      sweep_side (sweep, &(Side) {qx, qy, px, py}, ring);
  }
}

static void
sweep_polygon (Sweep * sweep, const CsArray * polygons, gsize index)
{
  const GstShapePolygon *polygon = &cs_array_index (polygons, GstShapePolygon,
      index);
  gint32 ring = 0;

  do {
    gsize n;
    const GstShapePoint *points = gst_shape_polygon_get_points (polygon, &n);

    const gssize at = ring == 0 ? polygon->first_hole : polygon->next_hole;
    if (points)
      sweep_ring (sweep, points, n, ring);
    polygon = at < 0 ? NULL : &cs_array_index (polygons, GstShapePolygon, at);
    ring++;
  } while (polygon);
}

/* The rows of the outline that are in the picture. */
static gboolean
find_rows (Sweep * sweep, const GstShapePolygon * polygon, gint32 height)
{
  gdouble top = INFINITY, bottom = -INFINITY;
  gsize n;
  const GstShapePoint *points = gst_shape_polygon_get_points (polygon, &n);

  if (!points)
    return FALSE;
  for (gsize i = 0; i < n; i++) {
    const gdouble y = sweep->by_columns ? points[i].x : points[i].y;

    top = MIN (top, y);
    bottom = MAX (bottom, y);
  }
  top = MAX (ceil (top), 0);
  bottom = MIN (floor (bottom), (gdouble) height - 1);
  if (!(top <= bottom))
    return FALSE;
  sweep->top = (gint32) top;
  sweep->bottom = (gint32) bottom;
  return TRUE;
}

gboolean
gst_shape_raster_run (GstShapeRaster * raster, const CsArray * polygons,
    gsize index, guint width, guint height, gboolean by_columns)
{
  Sweep sweep = {.raster = raster,.by_columns = by_columns,.counts = TRUE };
  gsize n_rows, total = 0, *starts;

  if (raster->runs.size == 0) {
    cs_array_init (&raster->runs, sizeof (GstShapeRun));
    cs_array_init (&raster->events, sizeof (Event));
    cs_array_init (&raster->starts, sizeof (gsize));
    cs_array_init (&raster->solid, sizeof (Interval));
    cs_array_init (&raster->blocked, sizeof (Interval));
  }
  cs_array_empty (&raster->runs);
  sweep.width = (gint32) (by_columns ? height : width);
  if (!gst_shape_polygon_is_known (polygons, index)
      || !find_rows (&sweep, &cs_array_index (polygons, GstShapePolygon, index),
          (gint32) (by_columns ? width : height)))
    return TRUE;

  n_rows = (gsize) (sweep.bottom - sweep.top) + 1;
  if (!cs_array_set_size (&raster->starts, n_rows))
    return FALSE;
  starts = (gsize *) (gpointer) raster->starts.data;
  memset (starts, 0, n_rows * sizeof (*starts));
  sweep_polygon (&sweep, polygons, index);
  for (gsize i = 0; i < n_rows; i++) {
    const gsize n = starts[i];

    starts[i] = total;
    total += n;
  }
  if (!cs_array_set_size (&raster->events, total))
    return FALSE;
  sweep.counts = FALSE;
  sweep_polygon (&sweep, polygons, index);
  /* each has become where the next one starts */
  for (gsize i = 0, first = 0; i < n_rows; first = starts[i++])
    if (starts[i] > first)
      finish_row (raster, sweep.top + (gint32) i,
          &cs_array_index (&raster->events, Event, first), starts[i] - first);
  return !raster->runs.failed;
}

void
gst_shape_raster_clear (GstShapeRaster * raster)
{
  cs_array_clear (&raster->runs);
  cs_array_clear (&raster->events);
  cs_array_clear (&raster->starts);
  cs_array_clear (&raster->solid);
  cs_array_clear (&raster->blocked);
}
