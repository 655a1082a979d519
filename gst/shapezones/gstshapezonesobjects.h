/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The objects of a frame that may be in zones: shapes, or detected objects. */

#include <gst/gst.h>

#include "base/array.h"
#include "element/gstshapesobjects.h"
#include "gstshapezoneslist.h"

/**
 * ZonesAnchor:
 * @ZONES_ANCHOR_CENTROID: of a shape; of a box its centre
 * @ZONES_ANCHOR_CENTER: of the bounding box
 * @ZONES_ANCHOR_BOTTOM: the middle of the bounding box's lower side
 * @ZONES_ANCHOR_ANY: in a zone with any part; lines are crossed by the centre
 *     of the bounding box
 *
 * Which point of an object is in zones and crosses lines.
 */
typedef enum
{
  ZONES_ANCHOR_CENTROID,
  ZONES_ANCHOR_CENTER,
  ZONES_ANCHOR_BOTTOM,
  ZONES_ANCHOR_ANY,
} ZonesAnchor;

/**
 * ZoneObject:
 * @track: id of the track; -1 for none
 * @class_id: of a shape; of a detected object the quark of its type
 * @class_name: (nullable): valid as long as the buffer
 * @anchor: in pixels of the frame
 * @low, @high: bounding box, likewise
 * @area: in pixels of the frame; NaN: unknown
 * @points: (nullable): of the shape, in pixels of its set
 * @is_closed: whether the points have an inside
 * @layer: of the set; the polyline has the number @index there
 * @zone: set by who counts: number of the first zone around it; -1 for none
 */
typedef struct
{
  gint64 track;
  gint32 class_id;
  const gchar *class_name;
  GstShapesZonePoint anchor, low, high;
  gdouble area;
  const GstShapePoint *points;
  gsize n_points;
  gboolean is_closed;
  guint layer;
  gsize index;
  gint32 zone;
} ZoneObject;

/**
 * ZonesObjects:
 * @array: ZoneObject
 * @scale_x, @scale_y: from pixels of the set to those of the frame
 * @has_shapes: whether they are of the buffer's shapes, else detected objects
 * @n_without_track: of them
 *
 * Those of one frame. Memory is kept from frame to frame.
 */
typedef struct
{
  CsArray array;
  gdouble scale_x, scale_y;
  gboolean has_shapes;
  gsize n_without_track;

  /*< private > */
  GstShapeSet *set;
  ZonesAnchor anchor;
} ZonesObjects;

void zones_objects_init (ZonesObjects * self);
void zones_objects_clear (ZonesObjects * self);

/* Collects the shapes of @set. @width, @height: of the frame; 0: as the set's.
 * Polylines without points and bounding box are left out.
 *
 * Returns: %FALSE with @error set if shapes cannot be read or without memory */
gboolean zones_objects_take_shapes (ZonesObjects * self, GstShapeSet * set,
    GstShapesObjectKind kind, ZonesAnchor anchor, guint width, guint height,
    GError ** error);

/* Collects the detected objects of @buffer; none in builds without GStreamer's
 * analytics library. */
gboolean zones_objects_take_analytics (ZonesObjects * self,
    GstBuffer * buffer, ZonesAnchor anchor, GError ** error);

/* Whether any part of @object is in @zone. */
gboolean zones_objects_touch (const ZonesObjects * self,
    const ZoneObject * object, const Zone * zone);

/* How far the object is in @zone with any part: the largest distance of a
 * corner of one that is in the other one from its border, 0 if there is none;
 * or how far it is from the zone, if it is outside with all. */
gdouble zones_objects_get_depth (const ZonesObjects * self,
    const ZoneObject * object, const Zone * zone);

/* The set with the objects' tracks, if @tracks, and zones in its annotations:
 * region_id is @first_zone and the zone's number. What is in none has none, or
 * with @first_zone keeps what it has.
 *
 * Returns: (transfer full): %NULL with @error set without memory */
GstShapeSet *zones_objects_annotate (const ZonesObjects * self,
    gboolean tracks, guint first_zone, GError ** error);
