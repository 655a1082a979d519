/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapezonescount.h"

#include <math.h>

#include "base/error.h"

typedef GstShapesZonePoint Point;

#define NONE G_MAXUINT32

/**
 * Track:
 * @seen: number of the frame; 0: there is no track here
 * @next: of those with the same hash, or NONE
 */
typedef struct
{
  gint64 id;
  gint32 class_id;
  Point at;
  guint64 seen;
  GstClockTime time;
  guint32 next;
} Track;

typedef enum
{
  STATE_UNKNOWN,
  STATE_OUTSIDE,
  STATE_INSIDE,
} State;

/**
 * Pair:
 * @counted: as the counts have it
 * @now: as it is
 * @is_free: was away from the border since the last change
 * @crossed: a line: crossings that are not counted yet, forward less backward
 * @since: when what is counted began; @now_since: likewise
 *
 * A track and a zone.
 */
typedef struct
{
  State counted, now;
  gboolean is_free;
  gint crossed;
  GstClockTime since, now_since;
} Pair;

/* Counts */

static void
init_count (ZoneCount * count)
{
  *count = (ZoneCount) { 0, };
  count->classes = g_array_new (FALSE, FALSE, sizeof (ZoneClass));
}

static void
clear_count (gpointer data)
{
  g_array_unref (((ZoneCount *) data)->classes);
}

/* Inserted if need be. */
static ZoneClass *
find_class (ZoneCount * count, gint32 class_id)
{
  guint low = 0, high = count->classes->len;

  while (low < high) {
    const guint middle = (low + high) / 2;

    if (g_array_index (count->classes, ZoneClass, middle).class_id < class_id)
      low = middle + 1;
    else
      high = middle;
  }
  if (low == count->classes->len || g_array_index (count->classes, ZoneClass,
          low).class_id != class_id) {
    const ZoneClass made = { class_id, {0}, 0 };

    g_array_insert_val (count->classes, low, made);
  }
  return &g_array_index (count->classes, ZoneClass, low);
}

static void
count_event (ZoneNumbers * numbers, ZoneEventType type)
{
  switch (type) {
    case ZONE_EVENT_ENTERED:
      numbers->entered++;
      numbers->inside++;
      break;
    case ZONE_EVENT_APPEARED:
      numbers->appeared++;
      numbers->inside++;
      break;
    case ZONE_EVENT_LEFT:
      numbers->left++;
      numbers->inside--;
      break;
    case ZONE_EVENT_LOST:
      numbers->lost++;
      numbers->inside--;
      break;
    case ZONE_EVENT_FORWARD:
      numbers->forward++;
      break;
    case ZONE_EVENT_BACKWARD:
      numbers->backward++;
      break;
  }
}

static GstClockTime
get_dwell (GstClockTime since, GstClockTime until)
{
  if (!GST_CLOCK_TIME_IS_VALID (since) || !GST_CLOCK_TIME_IS_VALID (until)
      || until < since)
    return GST_CLOCK_TIME_NONE;
  return until - since;
}

static void
add_event (ZonesCounter * self, guint zone, const Track * track,
    ZoneEventType type, GstClockTime dwell)
{
  ZoneCount *count = &g_array_index (self->counts, ZoneCount, zone);
  const ZoneEvent event = { type, zone, track->id, track->class_id, dwell };

  count_event (&count->all, type);
  count_event (&find_class (count, track->class_id)->numbers, type);
  if (GST_CLOCK_TIME_IS_VALID (dwell)) {
    count->dwell_sum += dwell;
    count->dwell_max = MAX (count->dwell_max, dwell);
    count->n_dwells++;
  }
  cs_array_append_val (&self->events, event);
}

/* A track and a zone */

static Pair *
get_pairs (const ZonesCounter * self, guint slot)
{
  return &cs_array_index (&self->pairs, Pair, (gsize) slot * self->zones->len);
}

/* What is counted becomes what is. */
static void
take_state (ZonesCounter * self, guint zone, const Track * track, Pair * pair)
{
  const gboolean enters = pair->now == STATE_INSIDE;

  if (pair->counted == pair->now)
    return;
  add_event (self, zone, track, enters ? ZONE_EVENT_ENTERED : ZONE_EVENT_LEFT,
      enters ? GST_CLOCK_TIME_NONE : get_dwell (pair->since, pair->now_since));
  pair->counted = pair->now;
  pair->since = pair->now_since;
}

static void
take_crossings (ZonesCounter * self, guint line, const Track * track,
    Pair * pair)
{
  for (; pair->crossed > 0; pair->crossed--)
    add_event (self, line, track, ZONE_EVENT_FORWARD, GST_CLOCK_TIME_NONE);
  for (; pair->crossed < 0; pair->crossed++)
    add_event (self, line, track, ZONE_EVENT_BACKWARD, GST_CLOCK_TIME_NONE);
}

static gboolean
is_away (const ZonesCounter * self, const ZonesObjects * objects,
    const ZoneObject * object, const Zone * zone)
{
  const gdouble distance = self->any_part && !zone->is_line ?
      zones_objects_get_depth (objects, object, zone) :
      zone_get_distance (zone, object->anchor.x, object->anchor.y);

  return distance >= self->hysteresis;
}

/* The first frame of both. */
static void
meet (ZonesCounter * self, guint zone, const Track * track, Pair * pair,
    State now)
{
  pair->counted = pair->now = now;
  pair->is_free = TRUE;
  pair->since = pair->now_since = self->time;
  if (now == STATE_INSIDE)
    add_event (self, zone, track, ZONE_EVENT_APPEARED, GST_CLOCK_TIME_NONE);
}

static void
follow (ZonesCounter * self, const ZoneObject * object, const Zone * zone,
    const Track * track, Pair * pair, State now)
{
  if (pair->now != now)
    pair->now_since = self->time;
  pair->now = now;
  if (zone->is_line)
    pair->crossed += zone_count_crossings (zone, &track->at, &object->anchor);
}

static void
update_pair (ZonesCounter * self, const ZonesObjects * objects,
    const ZoneObject * object, guint number, const Track * track, Pair * pair,
    gboolean inside)
{
  const Zone *zone = g_ptr_array_index (self->zones, number);
  const State now = inside ? STATE_INSIDE : STATE_OUTSIDE;

  if (pair->counted == STATE_UNKNOWN)
    meet (self, number, track, pair, now);
  else
    follow (self, object, zone, track, pair, now);
  if (!pair->is_free)
    pair->is_free = is_away (self, objects, object, zone);
  if (!pair->is_free || (pair->counted == pair->now && pair->crossed == 0))
    return;
  take_state (self, number, track, pair);
  take_crossings (self, number, track, pair);
  pair->is_free = is_away (self, objects, object, zone);
}

/* Tracks by their ids: chained hashing, whose chains are in the tracks. */

static guint32 *
get_bucket (const ZonesCounter * self, gint64 id)
{
  const guint64 hash = (guint64) id * G_GUINT64_CONSTANT (0x9e3779b97f4a7c15);

  return &cs_array_index (&self->buckets, guint32,
      (hash >> 32) & (self->buckets.len - 1));
}

static Track *
get_track (const ZonesCounter * self, guint slot)
{
  return &cs_array_index (&self->tracks, Track, slot);
}

static void
link_track (ZonesCounter * self, guint32 slot)
{
  Track *track = get_track (self, slot);
  guint32 *bucket = get_bucket (self, track->id);

  track->next = *bucket;
  *bucket = slot;
}

static void
unlink_track (ZonesCounter * self, guint32 slot)
{
  guint32 *at = get_bucket (self, get_track (self, slot)->id);

  while (*at != slot)
    at = &get_track (self, *at)->next;
  *at = get_track (self, slot)->next;
}

/* At least as many buckets as tracks. */
static gboolean
grow_buckets (ZonesCounter * self)
{
  const gsize n = MAX (self->buckets.len, 32) * 2;

  if (self->tracks.len < self->buckets.len)
    return TRUE;
  if (!cs_array_set_size (&self->buckets, n))
    return FALSE;
  memset (self->buckets.data, 0xff, n * sizeof (guint32));
  for (guint32 slot = 0; slot < self->tracks.len; slot++)
    if (get_track (self, slot)->seen > 0)
      link_track (self, slot);
  return TRUE;
}

static guint32
find_track (const ZonesCounter * self, gint64 id)
{
  guint32 slot = self->buckets.len > 0 ? *get_bucket (self, id) : NONE;

  while (slot != NONE && get_track (self, slot)->id != id)
    slot = get_track (self, slot)->next;
  return slot;
}

/* A free place, NONE without memory. */
static guint32
take_slot (ZonesCounter * self)
{
  const guint32 slot = (guint32) self->tracks.len;

  if (self->unused.len > 0)
    return cs_array_index (&self->unused, guint32, --self->unused.len);
  /* so that there is room when it is given back */
  if (!cs_array_reserve (&self->unused, slot + 1)
      || !cs_array_reserve (&self->pairs, self->zones->len)
      || !cs_array_set_size (&self->tracks, slot + 1))
    return NONE;
  self->pairs.len += self->zones->len;
  get_track (self, slot)->seen = 0;
  return slot;
}

static guint32
new_track (ZonesCounter * self, const ZoneObject * object)
{
  const guint32 slot = take_slot (self);

  if (slot == NONE || !grow_buckets (self))
    return NONE;
  *get_track (self, slot) = (Track) {
    .id = object->track,.class_id = object->class_id,.at = object->anchor,
    .seen = self->frame
  };
  if (self->zones->len > 0)
    memset (get_pairs (self, slot), 0, self->zones->len * sizeof (Pair));
  link_track (self, slot);
  return slot;
}

/* What has not been counted of it yet counts now. */
static void
lose_track (ZonesCounter * self, guint32 slot)
{
  Track *track = get_track (self, slot);

  for (guint i = 0; i < self->zones->len; i++) {
    Pair *pair = get_pairs (self, slot) + i;

    take_state (self, i, track, pair);
    take_crossings (self, i, track, pair);
    if (pair->counted == STATE_INSIDE)
      add_event (self, i, track, ZONE_EVENT_LOST, get_dwell (pair->since,
              track->time));
  }
  unlink_track (self, slot);
  track->seen = 0;
  cs_array_append_val (&self->unused, slot);
}

/* Classes */

const gchar *
zones_counter_get_class_name (const ZonesCounter * self, gint32 class_id)
{
  if (class_id == -1 && self->has_others)
    return "others";
  return g_hash_table_lookup (self->names, GINT_TO_POINTER (class_id));
}

/* The class under which @object is counted. */
static gint32
choose_class (ZonesCounter * self, const ZoneObject * object)
{
  const gpointer key = GINT_TO_POINTER (object->class_id);

  if (g_hash_table_contains (self->names, key))
    return object->class_id;
  if (g_hash_table_size (self->names) >= ZONES_MAX_CLASSES) {
    self->has_others = TRUE;
    return -1;
  }
  g_hash_table_insert (self->names, key, g_strdup (object->class_name));
  return object->class_id;
}

/* Frames */

static void
begin_frame (ZonesCounter * self, GstClockTime time)
{
  cs_array_empty (&self->events);
  self->frame++;
  self->time = time;
  for (guint i = 0; i < self->zones->len; i++) {
    ZoneCount *count = &g_array_index (self->counts, ZoneCount, i);

    count->untracked = count->unseen = 0;
    count->area = 0;
    for (guint k = 0; k < count->classes->len; k++)
      g_array_index (count->classes, ZoneClass, k).untracked = 0;
  }
}

static gboolean
is_inside (const ZonesCounter * self, const ZonesObjects * objects,
    const ZoneObject * object, const Zone * zone)
{
  if (zone->is_line)
    return FALSE;
  return self->any_part ? zones_objects_touch (objects, object, zone) :
      zone_contains (zone, object->anchor.x, object->anchor.y);
}

static void
count_untracked (ZonesCounter * self, const ZoneObject * object, guint zone)
{
  ZoneCount *count = &g_array_index (self->counts, ZoneCount, zone);

  count->untracked++;
  find_class (count, object->class_id)->untracked++;
}

/* @slot: NONE without a track */
static void
count_object (ZonesCounter * self, const ZonesObjects * objects,
    ZoneObject * object, guint32 slot)
{
  for (guint i = 0; i < self->zones->len; i++) {
    const gboolean inside = is_inside (self, objects, object,
        g_ptr_array_index (self->zones, i));

    if (inside)
      g_array_index (self->counts, ZoneCount, i).area += object->area;
    if (inside && object->zone < 0)
      object->zone = (gint32) i;
    if (slot != NONE)
      update_pair (self, objects, object, i, get_track (self, slot),
          get_pairs (self, slot) + i, inside);
    else if (inside)
      count_untracked (self, object, i);
  }
}

static gboolean
take_object (ZonesCounter * self, const ZonesObjects * objects,
    ZoneObject * object, gsize * repeated)
{
  guint32 slot = NONE;

  object->class_id = choose_class (self, object);
  if (object->track >= 0) {
    slot = find_track (self, object->track);
    if (slot != NONE && get_track (self, slot)->seen == self->frame) {
      (*repeated)++;
      return TRUE;
    }
    if (slot == NONE)
      slot = new_track (self, object);
    if (slot == NONE)
      return FALSE;
  }
  count_object (self, objects, object, slot);
  if (slot != NONE) {
    Track *track = get_track (self, slot);

    track->at = object->anchor;
    track->seen = self->frame;
    track->time = self->time;
  }
  return TRUE;
}

static void
count_unseen (ZonesCounter * self, guint32 slot)
{
  for (guint i = 0; i < self->zones->len; i++)
    g_array_index (self->counts, ZoneCount, i).unseen +=
        get_pairs (self, slot)[i].counted == STATE_INSIDE;
}

/* @most: frames that a track may be unseen */
static void
age_tracks (ZonesCounter * self, guint most)
{
  for (guint32 slot = 0; slot < self->tracks.len; slot++) {
    const guint64 seen = get_track (self, slot)->seen;

    if (seen == 0 || seen == self->frame)
      continue;
    if (self->frame - seen > most)
      lose_track (self, slot);
    else
      count_unseen (self, slot);
  }
}

gboolean
zones_counter_run (ZonesCounter * self, ZonesObjects * objects,
    GstClockTime time, gboolean forgets, gsize * repeated, GError ** error)
{
  gboolean ok = TRUE;

  *repeated = 0;
  begin_frame (self, time);
  if (forgets)
    for (guint32 slot = 0; slot < self->tracks.len; slot++)
      if (get_track (self, slot)->seen > 0)
        lose_track (self, slot);
  for (gsize i = 0; ok && i < objects->array.len; i++)
    ok = take_object (self, objects, &cs_array_index (&objects->array,
            ZoneObject, i), repeated);
  age_tracks (self, self->max_unseen);
  return (ok && !self->events.failed) || cs_fail_no_memory (error,
      "the tracks of objects");
}

/* Zones */

/* The number of the same zone, NONE if there is none. */
static guint
find_zone (const GPtrArray * zones, const Zone * zone)
{
  for (guint i = 0; i < zones->len; i++)
    if (zone_is_same (g_ptr_array_index (zones, i), zone))
      return i;
  return NONE;
}

static GArray *
new_counts (ZonesCounter * self, GPtrArray * zones, const guint * old)
{
  GArray *counts = g_array_new (FALSE, FALSE, sizeof (ZoneCount));

  g_array_set_clear_func (counts, clear_count);
  for (guint i = 0; i < zones->len; i++) {
    ZoneCount count;

    if (old[i] != NONE) {
      count = g_array_index (self->counts, ZoneCount, old[i]);
      g_array_ref (count.classes);
    } else {
      init_count (&count);
    }
    g_array_append_val (counts, count);
  }
  return counts;
}

/* What is new is not known yet of any track. */
static gboolean
new_pairs (ZonesCounter * self, GPtrArray * zones, const guint * old,
    CsArray * pairs)
{
  cs_array_init (pairs, sizeof (Pair));
  if (!cs_array_set_size (pairs, self->tracks.len * zones->len))
    return FALSE;
  if (pairs->len > 0)
    memset (pairs->data, 0, pairs->len * sizeof (Pair));
  for (guint slot = 0; slot < self->tracks.len; slot++)
    for (guint i = 0; i < zones->len; i++)
      if (old[i] != NONE)
        cs_array_index (pairs, Pair, (gsize) slot * zones->len + i) =
            get_pairs (self, slot)[old[i]];
  return TRUE;
}

gboolean
zones_counter_set_zones (ZonesCounter * self, GPtrArray * zones)
{
  g_autofree guint *old = g_new (guint, MAX (zones->len, 1));
  CsArray pairs;

  for (guint i = 0; i < zones->len; i++)
    old[i] = find_zone (self->zones, g_ptr_array_index (zones, i));
  if (!new_pairs (self, zones, old, &pairs))
    return FALSE;
  GArray *counts = new_counts (self, zones, old);
  g_array_unref (self->counts);
  self->counts = counts;
  cs_array_clear (&self->pairs);
  self->pairs = pairs;
  g_ptr_array_ref (zones);
  g_ptr_array_unref (self->zones);
  self->zones = zones;
  return TRUE;
}

/* Life */

void
zones_counter_init (ZonesCounter * self)
{
  *self = (ZonesCounter) { 0, };
  self->counts = g_array_new (FALSE, FALSE, sizeof (ZoneCount));
  g_array_set_clear_func (self->counts, clear_count);
  self->zones = g_ptr_array_new ();
  self->names = g_hash_table_new_full (NULL, NULL, NULL, g_free);
  cs_array_init (&self->events, sizeof (ZoneEvent));
  cs_array_init (&self->tracks, sizeof (Track));
  cs_array_init (&self->pairs, sizeof (Pair));
  cs_array_init (&self->buckets, sizeof (guint32));
  cs_array_init (&self->unused, sizeof (guint32));
}

void
zones_counter_clear (ZonesCounter * self)
{
  g_array_unref (self->counts);
  g_ptr_array_unref (self->zones);
  g_hash_table_unref (self->names);
  cs_array_clear (&self->events);
  cs_array_clear (&self->tracks);
  cs_array_clear (&self->pairs);
  cs_array_clear (&self->buckets);
  cs_array_clear (&self->unused);
}

void
zones_counter_reset (ZonesCounter * self)
{
  zones_counter_clear (self);
  zones_counter_init (self);
}
