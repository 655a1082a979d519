/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapezonestracker.h"

#include <stdlib.h>

#include "base/error.h"

typedef GstShapesZonePoint Point;

/**
 * Track:
 * @low, @high: box as it was seen last
 * @step: how far its centre went from frame to frame
 * @unseen: frames since
 */
typedef struct
{
  gint64 id;
  gint32 class_id;
  Point low, high, step;
  guint unseen;
} Track;

/* Objects that may belong to a track, at most */
#define MOST_PAIRS 64

/* A track and an object that may belong together. */
typedef struct
{
  gdouble overlap;
  guint32 track, object;
} Pair;

/* Objects from left to right. */
typedef struct
{
  gdouble left;
  guint32 object;
} Place;

void
zones_tracker_init (ZonesTracker * self)
{
  *self = (ZonesTracker) { 0, };
  cs_array_init (&self->tracks, sizeof (Track));
  cs_array_init (&self->pairs, sizeof (Pair));
  cs_array_init (&self->order, sizeof (Place));
}

void
zones_tracker_clear (ZonesTracker * self)
{
  cs_array_clear (&self->tracks);
  cs_array_clear (&self->pairs);
  cs_array_clear (&self->order);
}

void
zones_tracker_forget (ZonesTracker * self)
{
  cs_array_empty (&self->tracks);
}

static gint
compare_places (gconstpointer a, gconstpointer b)
{
  const Place *p = a, *q = b;

  if (p->left != q->left)
    return p->left < q->left ? -1 : 1;
  return p->object < q->object ? -1 : 1;
}

/* @width: (out): of the widest */
static gboolean
sort_objects (ZonesTracker * self, const ZonesObjects * objects,
    gdouble * width)
{
  *width = 0;
  cs_array_empty (&self->order);
  for (guint32 i = 0; i < objects->array.len; i++) {
    const ZoneObject *object = &cs_array_index (&objects->array, ZoneObject, i);
    const Place place = { object->low.x, i };

    *width = MAX (*width, object->high.x - object->low.x);
    cs_array_append_val (&self->order, place);
  }
  if (self->order.failed)
    return FALSE;
  if (self->order.len > 0)
    qsort (self->order.data, self->order.len, sizeof (Place), compare_places);
  return TRUE;
}

/* The number of the first object whose left side is at least at @x. */
static gsize
find_first (const ZonesTracker * self, gdouble x)
{
  gsize low = 0, high = self->order.len;

  while (low < high) {
    const gsize middle = (low + high) / 2;

    if (cs_array_index (&self->order, Place, middle).left < x)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/* Boxes without an area, as those of points, are a pixel wide and high. */
static gdouble
get_area (Point low, Point high)
{
  return (high.x - low.x + 1) * (high.y - low.y + 1);
}

static gdouble
get_overlap (Point low, Point high, const ZoneObject * object)
{
  const Point a = { MAX (low.x, object->low.x), MAX (low.y, object->low.y) };
  const Point b = { MIN (high.x, object->high.x), MIN (high.y,
        object->high.y)
  };

  if (b.x + 1 <= a.x || b.y + 1 <= a.y)
    return 0;
  const gdouble common = get_area (a, b);
  return common / (get_area (low, high) + get_area (object->low,
          object->high) - common);
}

static void
add_pairs (ZonesTracker * self, const ZonesObjects * objects, guint32 number,
    gdouble width)
{
  const Track *track = &cs_array_index (&self->tracks, Track, number);
  const gdouble x = track->step.x * (track->unseen + 1);
  const gdouble y = track->step.y * (track->unseen + 1);
  const Point low = { track->low.x + x, track->low.y + y };
  const Point high = { track->high.x + x, track->high.y + y };
  const gsize most = self->pairs.len + MOST_PAIRS;

  for (gsize i = find_first (self, low.x - width - 1); i < self->order.len;
      i++) {
    const Place *place = &cs_array_index (&self->order, Place, i);
    const ZoneObject *object = &cs_array_index (&objects->array, ZoneObject,
        place->object);
    Pair pair = { 0, number, place->object };

    if (place->left > high.x + 1 || self->pairs.len == most)
      break;
    if (object->class_id != track->class_id)
      continue;
    pair.overlap = get_overlap (low, high, object);
    if (pair.overlap >= ZONES_TRACKER_LEAST_OVERLAP)
      cs_array_append_val (&self->pairs, pair);
  }
}

/* Tracks are in the order of their ids. */
static gint
compare_pairs (gconstpointer a, gconstpointer b)
{
  const Pair *p = a, *q = b;

  if (p->overlap != q->overlap)
    return p->overlap > q->overlap ? -1 : 1;
  if (p->track != q->track)
    return p->track < q->track ? -1 : 1;
  return p->object < q->object ? -1 : 1;
}

static void
move_track (Track * track, const ZoneObject * object)
{
  const gdouble n = 2. * (track->unseen + 1);

  track->step.x = (object->low.x + object->high.x - track->low.x -
      track->high.x) / n;
  track->step.y = (object->low.y + object->high.y - track->low.y -
      track->high.y) / n;
  track->low = object->low;
  track->high = object->high;
  track->unseen = 0;
}

static void
match (ZonesTracker * self, ZonesObjects * objects)
{
  if (self->pairs.len > 0)
    qsort (self->pairs.data, self->pairs.len, sizeof (Pair), compare_pairs);
  for (gsize i = 0; i < self->tracks.len; i++)
    cs_array_index (&self->tracks, Track, i).unseen++;
  for (gsize i = 0; i < self->pairs.len; i++) {
    const Pair *pair = &cs_array_index (&self->pairs, Pair, i);
    Track *track = &cs_array_index (&self->tracks, Track, pair->track);
    ZoneObject *object = &cs_array_index (&objects->array, ZoneObject,
        pair->object);

    if (track->unseen == 0 || object->track >= 0)
      continue;
    track->unseen--;
    move_track (track, object);
    object->track = track->id;
  }
}

static void
end_tracks (ZonesTracker * self, guint max_unseen)
{
  gsize n = 0;

  for (gsize i = 0; i < self->tracks.len; i++) {
    const Track track = cs_array_index (&self->tracks, Track, i);

    if (track.unseen <= max_unseen)
      cs_array_index (&self->tracks, Track, n++) = track;
  }
  self->tracks.len = n;
}

static void
begin_tracks (ZonesTracker * self, ZonesObjects * objects)
{
  for (gsize i = 0; i < objects->array.len; i++) {
    ZoneObject *object = &cs_array_index (&objects->array, ZoneObject, i);

    if (object->track >= 0)
      continue;
    object->track = self->next_id++;
    const Track track = { object->track, object->class_id, object->low,
      object->high, {0, 0}, 0
    };
    cs_array_append_val (&self->tracks, track);
  }
}

gboolean
zones_tracker_run (ZonesTracker * self, ZonesObjects * objects,
    guint max_unseen, GError ** error)
{
  gdouble width;
  gboolean ok = sort_objects (self, objects, &width);

  for (gsize i = 0; i < objects->array.len; i++)
    cs_array_index (&objects->array, ZoneObject, i).track = -1;
  objects->n_without_track = 0;
  cs_array_empty (&self->pairs);
  for (guint32 i = 0; ok && i < self->tracks.len; i++)
    add_pairs (self, objects, i, width);
  ok = ok && !self->pairs.failed;
  if (ok) {
    match (self, objects);
    end_tracks (self, max_unseen);
    begin_tracks (self, objects);
  }
  return (ok && !self->tracks.failed) || cs_fail_no_memory (error,
      "the tracks of objects");
}
