/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-shapezones
 * @title: shapezones
 * @short_description: counts shapes and detected objects in zones and at lines
 *
 * Zones are polygons, lines are polylines, in pixels of the frame. Of objects
 * with a track (contours and hulls with a track_id, or GStreamer's detected
 * objects) it counts who entered, left and crossed, and for how long they
 * stayed; of others what is inside. What is not known is told: who appeared
 * inside, who was lost there, how many frames are missing.
 *
 * Buffers pass through. Each gets a #GstCustomMeta "shapezones" with the counts
 * and the frame's events, which #shapejsonenc writes among its tags and
 * #shapeoverlay draws, and shapes get the number of their zone as region_id.
 *
 * ## Example launch lines
 * |[
 * gst-launch-1.0 -m v4l2src ! videoconvert ! cudacontours min-area=100 ! shapezones tracks=overlap lines="belt: 320,0 320,480" post-messages=true ! shapeoverlay ! videoconvert ! autovideosink
 * ]| Counts bright objects that cross the middle.
 * |[
 * gst-launch-1.0 filesrc location=tracks.jsonl ! shapejsondec ! shapezones zones-location=zones.geojson anchor=bottom ! shapejsonenc points=none ! filesink location=counts.jsonl
 * ]| Counts what has been tracked before, in the zones of a file.
 *
 * Since: 1.0
 */

#include <gst/base/gstbasetransform.h>
#include <gst/video/video.h>
#include <glib/gstdio.h>

#include "base/error.h"
#include "element/gstshapesfile.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapesnegotiation.h"
#include "element/gstshapesproperties.h"
#include "element/gstshapestags.h"
#include "gstshapezonescount.h"
#include "gstshapezonesreport.h"
#include "gstshapezonestracker.h"
#include "shapes/gstshapesenum.h"

#define GST_TYPE_SHAPE_ZONES (gst_shape_zones_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeZones, gst_shape_zones, GST, SHAPE_ZONES,
    GstBaseTransform)

GST_DEBUG_CATEGORY_STATIC (zones_debug);
#define GST_CAT_DEFAULT zones_debug

/* Microseconds from one look at the file's time to the next. */
#define LOOK_AGAIN (G_USEC_PER_SEC / 2)

typedef enum
{
  OBJECTS_AUTO,
  OBJECTS_SHAPES,
  OBJECTS_ANALYTICS,
} Objects;

typedef enum
{
  TRACKS_GIVEN,
  TRACKS_OVERLAP,
} Tracks;

GST_SHAPES_DEFINE_ENUM_TYPE (static, objects_get_type, "GstShapeZonesObjects",
    {OBJECTS_AUTO, "Shapes if a frame has any, else detected objects", "auto"},
    {OBJECTS_SHAPES, "Contours or hulls", "shapes"},
    {OBJECTS_ANALYTICS, "Detected objects (GstAnalyticsODMtd)", "analytics"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, tracks_get_type, "GstShapeZonesTracks",
    {TRACKS_GIVEN, "Those that objects have", "given"},
    {TRACKS_OVERLAP, "Of objects that overlap from frame to frame", "overlap"})

GST_SHAPES_DEFINE_ENUM_TYPE (static, anchor_get_type, "GstShapeZonesAnchor",
    {ZONES_ANCHOR_CENTROID, "The centroid; of a box its centre", "centroid"},
    {ZONES_ANCHOR_CENTER, "The bounding box's centre", "center"},
    {ZONES_ANCHOR_BOTTOM, "The middle of the bounding box's lower side",
        "bottom"},
    {ZONES_ANCHOR_ANY, "Any part is in a zone; lines are crossed by the "
        "bounding box's centre", "any"})

#define AFFECTS_ZONES 2u

typedef struct
{
  gchar *zones, *lines, *location;
  gboolean relative;
  ZonesAnchor anchor;
  Objects objects;
  GstShapesObjectKind kind;
  Tracks tracks;
  gdouble hysteresis;
  guint max_unseen;
  gboolean post_messages;
} Settings;

/**
 * GstShapeZones:
 * @given: Zone, as they are given, @is_relative to the frame or not; @zones: in
 * pixels of the frame
 * @stamp: of the file: when and how it was changed last
 * @looked_at: when that was seen
 * @frame_time: nanoseconds from frame to frame; 0: unknown
 * @forgets: objects of earlier frames are not those of later ones
 */
struct _GstShapeZones
{
  GstBaseTransform parent;

  /* with the object lock */
  Settings settings;
  guint changes;

  /* streaming thread */
  Settings current;
  GPtrArray *given, *zones;
  gint64 stamp[3], looked_at;
  guint width, height, zones_width, zones_height;
  GstClockTime frame_time, last_pts;
  guint64 frames_missing;
  gboolean is_relative, forgets, has_complained;
  ZonesObjects found;
  ZonesTracker tracker;
  ZonesCounter counter;
  gboolean warned_no_objects, warned_no_tracks, warned_repeated;
  gboolean warned_no_zones, warned_no_size;
};

#define gst_shape_zones_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstShapeZones, gst_shape_zones,
    GST_TYPE_BASE_TRANSFORM, G_IMPLEMENT_INTERFACE (GST_TYPE_PRESET, NULL);
    GST_DEBUG_CATEGORY_INIT (zones_debug, "shapezones", 0,
        "counts objects in zones"));
GST_ELEMENT_REGISTER_DECLARE (shapezones);
GST_ELEMENT_REGISTER_DEFINE (shapezones, "shapezones", GST_RANK_NONE,
    GST_TYPE_SHAPE_ZONES);

/* Properties */

static const GstShapesProperty rows[] = {
  GST_SHAPES_STRING (Settings, zones, "zones", "Zones", NULL, LIVE,
      "Polygons, as \"door: 10,20 100,20 100,200; hall: ...\": names, and "
      "corners in order; a \"/\" between the rings of one with holes. Or "
      "GeoJSON.", .affects = AFFECTS_ZONES),
  GST_SHAPES_STRING (Settings, lines, "lines", "Lines", NULL, LIVE,
      "Lines, as \"gate: 0,100 640,100\". Forward is from the left to the "
      "right of who walks from the first corner to the last.",
      .affects = AFFECTS_ZONES),
  GST_SHAPES_STRING (Settings, location, "zones-location", "Zones location",
      NULL, LIVE, "A file of GeoJSON with more of them: Polygon and "
      "MultiPolygon are zones, LineString are lines, \"name\" of their "
      "properties is the name. Read again when it changes. Empty: none.",
      .affects = AFFECTS_ZONES),
  GST_SHAPES_BOOLEAN (Settings, relative, "relative", "Relative", FALSE, LIVE,
      "Coordinates are fractions of the frame's width and height, 0 to 1, "
      "instead of pixels.", .affects = AFFECTS_ZONES),
  GST_SHAPES_ENUM (Settings, anchor, "anchor", "Anchor", anchor_get_type,
      ZONES_ANCHOR_CENTROID, LIVE,
      "Which point of an object is in zones and crosses lines."),
  GST_SHAPES_ENUM (Settings, objects, "objects", "Objects", objects_get_type,
      OBJECTS_AUTO, LIVE, "What is counted."),
  GST_SHAPES_ENUM (Settings, kind, "kind", "Kind",
      gst_shapes_object_kind_get_type, GST_SHAPES_OBJECT_AUTO, LIVE,
      "Which shapes are objects: \"contour\", \"hull\" (both without holes), "
      "or \"auto\", hulls if a frame has any and else contours."),
  GST_SHAPES_ENUM (Settings, tracks, "tracks", "Tracks", tracks_get_type,
      TRACKS_GIVEN, LIVE,
      "How it is known that objects of two frames are the same: \"given\", by "
      "their track ids, or \"overlap\", because their boxes overlap; shapes "
      "then get that track id."),
  GST_SHAPES_DOUBLE (Settings, hysteresis, "hysteresis", "Hysteresis", 0., 1e4,
      4., LIVE, "How far, in pixels, an object has to be from a border or line "
      "after a change there before another one counts."),
  GST_SHAPES_UINT (Settings, max_unseen, "max-unseen", "Most unseen frames", 0,
      100000, 30, LIVE, "Frames that an object may be missing from. Then it is "
      "lost: another one of that track is a new one."),
  GST_SHAPES_BOOLEAN (Settings, post_messages, "post-messages", "Post messages",
      FALSE, LIVE, "Post an element message \"shapezones\" with the counts of "
      "each frame in which something happened, and at the end of the stream."),
};

static const GstShapesProperties properties =
    GST_SHAPES_PROPERTIES (rows, Settings, 1);

static void
zones_settings_changed (gpointer self, guint affects)
{
  GST_SHAPE_ZONES (self)->changes |= affects;
}

/* Zones */

/* @stamp: zeros if there is no such file */
static void
look_at_file (const gchar * path, gint64 stamp[3])
{
  GStatBuf status;

  stamp[0] = stamp[1] = stamp[2] = 0;
  if (!path || g_stat (path, &status) != 0)
    return;
  stamp[0] = status.st_mtim.tv_sec * G_GINT64_CONSTANT (1000000000)
      + status.st_mtim.tv_nsec;
  stamp[1] = (gint64) status.st_size;
  stamp[2] = (gint64) status.st_ino;
}

static gboolean
has_file (const Settings * settings)
{
  return settings->location && *settings->location;
}

/* Returns: (transfer full): NULL with @error set */
static GPtrArray *
read_zones (GstShapeZones * self, GError ** error)
{
  const Settings *current = &self->current;
  g_autofree gchar *data = NULL;
  gsize size = 0;

  look_at_file (current->location, self->stamp);
  self->looked_at = g_get_monotonic_time ();
  if (has_file (current) && !gst_shapes_file_load (current->location,
          ZONES_MAX_FILE, &data, &size, error))
    return NULL;
  GPtrArray *zones = zones_parse (current->zones, current->lines, data, size,
      error);
  if (!zones && data)
    g_prefix_error (error, "%s: ", current->location);
  return zones;
}

static void
take_zones (GstShapeZones * self, GPtrArray * given)
{
  g_clear_pointer (&self->given, g_ptr_array_unref);
  g_clear_pointer (&self->zones, g_ptr_array_unref);
  self->given = given;
  self->is_relative = self->current.relative;
  self->has_complained = FALSE;
}

/* While it runs, what was there stays if what is new cannot be. */
static void
reload_zones (GstShapeZones * self)
{
  g_autoptr (GError) error = NULL;
  GPtrArray *given = read_zones (self, &error);

  if (given)
    take_zones (self, given);
  else
    GST_SHAPES_WARNING (self, LIBRARY, SETTINGS,
        "The zones stay as they were: %s.", error->message);
}

static gboolean
has_file_changed (GstShapeZones * self)
{
  const gint64 now = g_get_monotonic_time ();
  gint64 stamp[3];

  if (!has_file (&self->current) || now - self->looked_at < LOOK_AGAIN)
    return FALSE;
  self->looked_at = now;
  look_at_file (self->current.location, stamp);
  return memcmp (stamp, self->stamp, sizeof (stamp)) != 0;
}

static void
complain_about_places (GstShapeZones * self)
{
  if (self->has_complained || self->zones_width == 0)
    return;
  self->has_complained = TRUE;
  for (guint i = 0; i < self->zones->len; i++) {
    const Zone *zone = g_ptr_array_index (self->zones, i);

    if (zone->high.x < -.5 || zone->low.x > self->zones_width - .5
        || zone->high.y < -.5 || zone->low.y > self->zones_height - .5)
      GST_SHAPES_WARNING (self, LIBRARY, SETTINGS, "\"%s\" lies outside of "
          "the frame of %u x %u pixels: nothing is ever there.%s", zone->name,
          self->zones_width, self->zones_height, self->is_relative ?
          " With relative=true corners are from 0 to 1." : "");
  }
}

/* The zones for a frame, in its pixels; none without its size if they are
 * relative. Returns: FALSE with @error set without memory */
static gboolean
prepare_zones (GstShapeZones * self, GstShapeSet * set, GError ** error)
{
  const guint width = self->width ? self->width :
      set ? gst_shape_set_get_width (set) : self->zones_width;
  const guint height = self->height ? self->height :
      set ? gst_shape_set_get_height (set) : self->zones_height;
  const gboolean has_size = width > 0 && height > 0;

  if (self->zones && width == self->zones_width
      && height == self->zones_height)
    return TRUE;
  self->forgets |= self->zones_width > 0 && (width != self->zones_width
      || height != self->zones_height);
  self->has_complained &= width == self->zones_width
      && height == self->zones_height;
  self->zones_width = width;
  self->zones_height = height;
  g_clear_pointer (&self->zones, g_ptr_array_unref);
  if (self->is_relative && !has_size)
    GST_SHAPES_WARN_ONCE (self, self->warned_no_size, LIBRARY, SETTINGS,
        "The size of the frames is not known, so relative=true has no zones: "
        "give them in pixels.");
  if (!self->given || (self->is_relative && !has_size))
    self->zones = g_ptr_array_new ();
  else if (self->is_relative)
    self->zones = zones_scale (self->given, width, height);
  else
    self->zones = g_ptr_array_ref (self->given);
  complain_about_places (self);
  return zones_counter_set_zones (&self->counter, self->zones)
      || cs_fail_no_memory (error, "zones");
}

/* Whether objects are where they were, and the same. */
static gboolean
is_comparable (const Settings * a, const Settings * b)
{
  return a->anchor == b->anchor && a->objects == b->objects
      && a->kind == b->kind && a->tracks == b->tracks;
}

/* What the properties say now, for one frame. */
static void
take_settings (GstShapeZones * self)
{
  guint changes;

  GST_OBJECT_LOCK (self);
  changes = self->changes;
  self->changes = 0;
  if (changes) {
    self->forgets |= !is_comparable (&self->current, &self->settings);
    gst_shapes_properties_copy (&properties, &self->current, &self->settings);
  }
  GST_OBJECT_UNLOCK (self);
  if ((changes & AFFECTS_ZONES) || has_file_changed (self))
    reload_zones (self);
  if (self->given && self->given->len == 0)
    GST_SHAPES_WARN_ONCE (self, self->warned_no_zones, LIBRARY, SETTINGS,
        "There are no zones, so nothing is counted: set zones, lines or "
        "zones-location.");
  self->counter.hysteresis = self->current.hysteresis;
  self->counter.max_unseen = self->current.max_unseen;
  self->counter.any_part = self->current.anchor == ZONES_ANCHOR_ANY;
}

/* Frames */

/* By their timestamps. One that comes later than it should was missing
 * before. */
static void
count_missing (GstShapeZones * self, GstBuffer * buffer)
{
  const GstClockTime pts = GST_BUFFER_PTS (buffer);

  if (self->frame_time == 0 || !GST_CLOCK_TIME_IS_VALID (pts))
    return;
  if (GST_CLOCK_TIME_IS_VALID (self->last_pts) && pts < self->last_pts) {
    self->frames_missing -= self->frames_missing > 0;
    return;
  }
  if (GST_CLOCK_TIME_IS_VALID (self->last_pts)) {
    const guint64 frames = (pts - self->last_pts + self->frame_time / 2) /
        self->frame_time;

    self->frames_missing += frames > 1 ? frames - 1 : 0;
  }
  self->last_pts = pts;
}

static gboolean
collect (GstShapeZones * self, GstBuffer * buffer, GstShapeSet * set,
    GError ** error)
{
  const Settings *current = &self->current;
  const gboolean takes_shapes = current->objects == OBJECTS_SHAPES
      || (current->objects == OBJECTS_AUTO && set);

  if (!set && takes_shapes)
    set = gst_shape_set_new (0, 0);
  else if (takes_shapes)
    gst_shape_set_ref (set);
  if (!takes_shapes)
    return zones_objects_take_analytics (&self->found, buffer, current->anchor,
        error);
  const gboolean ok = zones_objects_take_shapes (&self->found, set,
      current->kind, current->anchor, self->width, self->height, error);
  gst_shape_set_unref (set);
  return ok;
}

static void
warn_about_objects (GstShapeZones * self, gsize repeated)
{
  if (self->found.n_without_track > 0 && self->zones->len > 0)
    GST_SHAPES_WARN_ONCE (self, self->warned_no_tracks, LIBRARY, SETTINGS,
        "There are objects without a track: it is counted what is inside of "
        "zones, but not what enters, leaves and crosses. Set tracks=overlap, "
        "or put a tracker upstream.");
  if (repeated > 0)
    GST_SHAPES_WARN_ONCE (self, self->warned_repeated, STREAM, FAILED,
        "There are several objects with the same track in a frame: the first "
        "one counts.");
}

static gboolean
run_counter (GstShapeZones * self, GstBuffer * buffer, GError ** error)
{
  gsize repeated;

  if (self->forgets)
    zones_tracker_forget (&self->tracker);
  if (self->current.tracks == TRACKS_OVERLAP
      && !zones_tracker_run (&self->tracker, &self->found,
          self->current.max_unseen, error))
    return FALSE;
  if (!zones_counter_run (&self->counter, &self->found,
          GST_BUFFER_PTS (buffer), self->forgets, &repeated, error))
    return FALSE;
  self->forgets = FALSE;
  warn_about_objects (self, repeated);
  return TRUE;
}

static void
fill_report (GstShapeZones * self, GstStructure * structure)
{
  zones_report_fill (structure, &self->counter, self->zones,
      self->zones_width, self->zones_height, self->frames_missing,
      self->found.has_shapes);
}

static void
post_report (GstShapeZones * self, GstStructure * structure)
{
  fill_report (self, structure);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self), structure));
}

/* Of an element upstream. */
static guint
count_other_zones (GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      GST_SHAPES_ZONES_META);
  const GValue *zones = meta ?
      gst_structure_get_value (gst_custom_meta_get_structure (meta), "zones") :
      NULL;

  return zones && GST_VALUE_HOLDS_ARRAY (zones) ?
      gst_value_array_get_size (zones) : 0;
}

/* Replaces the set of @buffer by one with the zones of its shapes. */
static gboolean
attach_shapes (GstShapeZones * self, GstBuffer * buffer, GError ** error)
{
  if (self->found.array.len == 0 || !self->found.has_shapes)
    return TRUE;
  g_autoptr (GstShapeSet) annotated = zones_objects_annotate (&self->found,
      self->current.tracks == TRACKS_OVERLAP, count_other_zones (buffer),
      error);
  if (!annotated)
    return FALSE;
  gst_buffer_remove_meta (buffer,
      (GstMeta *) gst_buffer_get_shape_meta (buffer));
  gst_buffer_add_shape_meta (buffer, annotated);
  return TRUE;
}

static void
attach_report (GstShapeZones * self, GstBuffer * buffer)
{
  GstCustomMeta *meta = gst_buffer_get_custom_meta (buffer,
      GST_SHAPES_ZONES_META);

  if (!meta)
    meta = gst_buffer_add_custom_meta (buffer, GST_SHAPES_ZONES_META);
  if (meta)
    fill_report (self, gst_custom_meta_get_structure (meta));
}

static gboolean
count (GstShapeZones * self, GstBuffer * buffer, GError ** error)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);

  if (!prepare_zones (self, set, error) || !collect (self, buffer, set, error)
      || !run_counter (self, buffer, error)
      || !attach_shapes (self, buffer, error))
    return FALSE;
  if (!set && self->found.array.len == 0)
    GST_SHAPES_WARN_ONCE (self, self->warned_no_objects, LIBRARY, SETTINGS,
        "The buffers carry neither shapes nor detected objects, so there is "
        "nothing to count: put cudacontours, shapejsondec or a detector "
        "upstream of shapezones.");
  if (self->current.post_messages && self->counter.events.len > 0)
    post_report (self,
        gst_shapes_message_new_report (GST_BASE_TRANSFORM (self), "shapezones",
            buffer));
  attach_report (self, buffer);
  return TRUE;
}

static GstFlowReturn
zones_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstShapeZones *self = GST_SHAPE_ZONES (trans);
  g_autoptr (GError) error = NULL;

  take_settings (self);
  count_missing (self, buffer);
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    return GST_FLOW_OK;
  if (count (self, buffer, &error))
    return GST_FLOW_OK;
  GST_SHAPES_ERROR_FULL (self, RESOURCE, READ,
      ("The objects of a frame cannot be counted."), ("%s", error->message));
  return GST_FLOW_ERROR;
}

/* Events and negotiation */

static gboolean
zones_sink_event (GstBaseTransform * trans, GstEvent * event)
{
  GstShapeZones *self = GST_SHAPE_ZONES (trans);

  switch (GST_EVENT_TYPE (event)) {
    case GST_EVENT_FLUSH_STOP:
      self->forgets = TRUE;
      self->last_pts = GST_CLOCK_TIME_NONE;
      break;
    case GST_EVENT_EOS:
      if (self->current.post_messages && self->zones) {
        cs_array_empty (&self->counter.events);
        post_report (self, gst_structure_new_empty ("shapezones"));
      }
      break;
    default:
      break;
  }
  return GST_BASE_TRANSFORM_CLASS (parent_class)->sink_event (trans, event);
}

static gboolean
zones_set_caps (GstBaseTransform * trans, GstCaps * incaps, GstCaps * outcaps)
{
  GstShapeZones *self = GST_SHAPE_ZONES (trans);
  const GstStructure *structure = gst_caps_get_structure (incaps, 0);
  gint width = 0, height = 0, n = 0, d = 1;

  if (g_str_has_prefix (gst_structure_get_name (structure), "video/")) {
    gst_structure_get_int (structure, "width", &width);
    gst_structure_get_int (structure, "height", &height);
  }
  self->width = MAX (width, 0);
  self->height = MAX (height, 0);
  gst_structure_get_fraction (structure, "framerate", &n, &d);
  self->frame_time = n > 0 && d > 0 ? gst_util_uint64_scale (GST_SECOND, d,
      n) : 0;
  return TRUE;
}

static gboolean
zones_propose_allocation (GstBaseTransform * trans, GstQuery * decide_query,
    GstQuery * query)
{
  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
          decide_query, query))
    return FALSE;
  gst_shapes_propose_meta (query, GST_SHAPE_META_API_TYPE);
  return TRUE;
}

/* Life */

static gboolean
zones_start (GstBaseTransform * trans)
{
  GstShapeZones *self = GST_SHAPE_ZONES (trans);
  g_autoptr (GError) error = NULL;
  GPtrArray *given;

  GST_OBJECT_LOCK (self);
  gst_shapes_properties_copy (&properties, &self->current, &self->settings);
  self->changes = 0;
  GST_OBJECT_UNLOCK (self);
  if (!gst_shapes_tags_register (GST_SHAPES_ZONES_META, &error)) {
    GST_SHAPES_ERROR (self, LIBRARY, INIT, "%s", error->message);
    return FALSE;
  }
  given = read_zones (self, &error);
  if (!given) {
    GST_SHAPES_ERROR (self, LIBRARY, SETTINGS, "There can be no such zones: "
        "%s.", error->message);
    return FALSE;
  }
  take_zones (self, given);
  self->last_pts = GST_CLOCK_TIME_NONE;
  return TRUE;
}

static gboolean
zones_stop (GstBaseTransform * trans)
{
  GstShapeZones *self = GST_SHAPE_ZONES (trans);

  take_zones (self, NULL);
  zones_counter_reset (&self->counter);
  zones_tracker_clear (&self->tracker);
  zones_tracker_init (&self->tracker);
  zones_objects_clear (&self->found);
  self->width = self->height = self->zones_width = self->zones_height = 0;
  self->frame_time = self->frames_missing = 0;
  self->forgets = FALSE;
  self->warned_no_objects = self->warned_no_tracks = FALSE;
  self->warned_repeated = self->warned_no_zones = FALSE;
  self->warned_no_size = FALSE;
  return TRUE;
}

static void
zones_finalize (GObject * object)
{
  GstShapeZones *self = GST_SHAPE_ZONES (object);

  gst_shapes_properties_clear (&properties, &self->settings);
  gst_shapes_properties_clear (&properties, &self->current);
  zones_objects_clear (&self->found);
  zones_tracker_clear (&self->tracker);
  zones_counter_clear (&self->counter);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

static void
gst_shape_zones_class_init (GstShapeZonesClass * klass)
{
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);

  G_OBJECT_CLASS (klass)->finalize = zones_finalize;
  gst_shapes_properties_bind (&properties, G_OBJECT_CLASS (klass),
      G_STRUCT_OFFSET (GstShapeZones, settings), zones_settings_changed);

  gst_shapes_element_class_describe (GST_ELEMENT_CLASS (klass), "ANY", "ANY",
      "Shape zones", "Filter/Analyzer/Video",
      "Counts shapes and detected objects in zones and at lines");

  trans_class->start = zones_start;
  trans_class->stop = zones_stop;
  trans_class->set_caps = zones_set_caps;
  trans_class->propose_allocation = zones_propose_allocation;
  trans_class->sink_event = zones_sink_event;
  trans_class->transform_ip = zones_transform_ip;
}

static void
gst_shape_zones_init (GstShapeZones * self)
{
  gst_shapes_properties_init (&properties, &self->settings);
  zones_objects_init (&self->found);
  zones_tracker_init (&self->tracker);
  zones_counter_init (&self->counter);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}
