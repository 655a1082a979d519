/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Properties of elements as rows of a table: a row says what a property is
 * called, what it may be and which field of a structure holds its value. Rows
 * are written with the macros below, one for each type:
 *
 *   static const GstShapesProperty rows[] = {
 *     GST_SHAPES_DOUBLE (Settings, level, "level", "Level", 0., 1., .5, LIVE,
 *         "The value whose iso-lines are found."),
 *     GST_SHAPES_BOOLEAN (Settings, fill, "fill", "Fill", TRUE, LIVE,
 *         "Fill circles with their colour.", .affects = AFFECTS_PICTURE),
 *   };
 *   const GstShapesProperties properties =
 *       GST_SHAPES_PROPERTIES (rows, Settings, 1);
 *
 * A field of another type than the row's does not compile. */

#include <gst/gst.h>

typedef enum
{
  GST_SHAPES_PROPERTY_BOOLEAN,
  GST_SHAPES_PROPERTY_INT,
  GST_SHAPES_PROPERTY_UINT,
  GST_SHAPES_PROPERTY_UINT64,
  GST_SHAPES_PROPERTY_DOUBLE,
  GST_SHAPES_PROPERTY_ENUM,
  GST_SHAPES_PROPERTY_STRING,
  GST_SHAPES_PROPERTY_ARRAY,
  GST_SHAPES_PROPERTY_COLOR_NAME,
} GstShapesPropertyType;

/**
 * GstShapesPropertyValue:
 * @number: BOOLEAN, INT, UINT, ENUM and COLOR_NAME
 * @wide: UINT64
 * @real: DOUBLE
 * @text: (nullable): STRING
 *
 * As it is in the field.
 */
typedef union
{
  guint number;
  guint64 wide;
  gdouble real;
  const gchar *text;
} GstShapesPropertyValue;

/**
 * GstShapesProperty:
 * @offset: of the field
 * @affects: bits that say what of the element depends on it; not
 *     %GST_SHAPES_PROPERTY_CHANGED
 * @get_type: of ENUM
 * @new_item: of ARRAY: what the elements are
 * @set: (nullable): takes a value that is not simply a field's.
 *     Returns: whether it may have changed
 * @get: (nullable): sets a value that is not simply a field's. An ARRAY's is
 *     empty before.
 *
 * A property. One with @get has no field: it is neither initialised nor copied,
 * compared or cleared here.
 */
typedef struct
{
  const gchar *name, *nick, *blurb;
  GstShapesPropertyType type;
  GParamFlags flags;
  gsize offset;
  GstShapesPropertyValue minimum, maximum, default_value;
  guint affects;
  GType (*get_type) (void);
  GParamSpec *(*new_item) (void);
  gboolean (*set) (gpointer values, const GValue * value);
  void (*get) (gconstpointer values, GValue * value);
} GstShapesProperty;

/**
 * GstShapesProperties:
 * @first_id: GObject's identifier of the first row; the others follow. Tables
 *     of one class have no identifier in common.
 * @size: of the structure with the fields
 */
typedef struct
{
  const GstShapesProperty *rows;
  guint n_rows;
  guint first_id;
  gsize size;
} GstShapesProperties;

#define GST_SHAPES_PROPERTIES(rows, Struct, first_id) \
  { rows, G_N_ELEMENTS (rows), first_id, sizeof (Struct) }

/* What a row's flags are called there: when a property may change. ANIMATED is
 * LIVE, and for controllers. */
#define GST_SHAPES_PROPERTY_READ_ONLY \
  (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)
#define GST_SHAPES_PROPERTY_READY \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_READY)
#define GST_SHAPES_PROPERTY_LIVE \
  (G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS | GST_PARAM_MUTABLE_PLAYING)
#define GST_SHAPES_PROPERTY_ANIMATED \
  (GST_SHAPES_PROPERTY_LIVE | GST_PARAM_CONTROLLABLE)

/* Rows. What follows the flags is the blurb, and if wanted further members of
 * GstShapesProperty. */

#define GST_SHAPES_BOOLEAN(Struct, field, name, nick, value, flags, ...) \
  GST_SHAPES_ROW (BOOLEAN, GST_SHAPES_FIELD (Struct, field, gint), number, \
      name, nick, 0, 0, value, flags, __VA_ARGS__)
#define GST_SHAPES_INT(Struct, field, name, nick, min, max, value, flags, ...) \
  GST_SHAPES_ROW (INT, GST_SHAPES_FIELD (Struct, field, gint), number, \
      name, nick, (guint) (min), (guint) (max), (guint) (value), flags, \
      __VA_ARGS__)
#define GST_SHAPES_UINT(Struct, field, name, nick, min, max, value, flags, \
    ...) \
  GST_SHAPES_ROW (UINT, GST_SHAPES_FIELD (Struct, field, guint), number, \
      name, nick, min, max, value, flags, __VA_ARGS__)
#define GST_SHAPES_UINT64(Struct, field, name, nick, min, max, value, flags, \
    ...) \
  GST_SHAPES_ROW (UINT64, GST_SHAPES_FIELD (Struct, field, guint64), wide, \
      name, nick, min, max, value, flags, __VA_ARGS__)
#define GST_SHAPES_DOUBLE(Struct, field, name, nick, min, max, value, flags, \
    ...) \
  GST_SHAPES_ROW (DOUBLE, GST_SHAPES_FIELD (Struct, field, gdouble), real, \
      name, nick, min, max, value, flags, __VA_ARGS__)
/* @function returns the GType. The field may be a gint, too. */
#define GST_SHAPES_ENUM(Struct, field, name, nick, function, value, flags, \
    ...) \
  GST_SHAPES_ROW (ENUM, G_STRUCT_OFFSET (Struct, field) + \
      _Generic (((Struct *) 0)->field, gint: 0, guint: 0), number, \
      name, nick, 0, 0, value, flags, __VA_ARGS__, .get_type = function)
#define GST_SHAPES_STRING(Struct, field, name, nick, value, flags, ...) \
  GST_SHAPES_ROW (STRING, GST_SHAPES_FIELD (Struct, field, gchar *), text, \
      name, nick, NULL, NULL, value, flags, __VA_ARGS__)
/* A GST_TYPE_ARRAY of what @item makes. Needs @set and @get. */
#define GST_SHAPES_ARRAY(name_, nick_, item, when, ...) \
  { .name = name_, .nick = nick_, .type = GST_SHAPES_PROPERTY_ARRAY, \
    .flags = GST_SHAPES_PROPERTY_##when, .new_item = item, \
    .blurb = __VA_ARGS__ }

/* A colour is two properties with one field: a number, 0xAARRGGBB, which
 * controllers animate, and a text named NAME-name, because GStreamer takes no
 * text for a number. @when_changed are the bits of .affects. */
#define GST_SHAPES_COLOR(Struct, field, name_, nick_, value, flags, \
    blurb_, when_changed) \
  GST_SHAPES_UINT (Struct, field, name_, nick_, 0, G_MAXUINT32, value, flags, \
      blurb_, .affects = when_changed), \
  GST_SHAPES_ROW (COLOR_NAME, GST_SHAPES_FIELD (Struct, field, guint), \
      number, name_ "-name", nick_ " name", 0, G_MAXUINT32, value, LIVE, \
      GST_SHAPES_COLOR_NAME_BLURB (name_), .affects = when_changed)
#define GST_SHAPES_COLOR_NAME_BLURB(name_) \
  "The same as \"" name_ "\", as a name of CSS (\"red\"), or \"#rrggbb\", or " \
      "\"#rrggbbaa\"."

#define GST_SHAPES_FIELD(Struct, field, ctype) \
  G_STRUCT_OFFSET (Struct, field) + \
      _Generic (((Struct *) 0)->field, ctype: 0)
#define GST_SHAPES_ROW(TYPE, place, member, name_, nick_, min, max, value, \
    when, ...) \
  { .name = name_, .nick = nick_, .type = GST_SHAPES_PROPERTY_##TYPE, \
    .flags = GST_SHAPES_PROPERTY_##when, .offset = place, \
    .minimum.member = min, .maximum.member = max, \
    .default_value.member = value, .blurb = __VA_ARGS__ }

/* Installs the properties of all rows, and marks their enumerations as the
 * plugin's API. */
void gst_shapes_properties_install (const GstShapesProperties * properties,
    GObjectClass * klass);

/* Called with the object lock when a property has changed. @affects: the
 * row's */
typedef void (*GstShapesChangedFunc) (gpointer object, guint affects);

/* Installs the properties of @klass, whose objects have the values @offset
 * bytes from their begin, and sets and gets them there with the object lock;
 * unless the class has functions of its own for that.
 *
 * @changed: (nullable) */
void gst_shapes_properties_bind (const GstShapesProperties * properties,
    GObjectClass * klass, gssize offset, GstShapesChangedFunc changed);

/* Sets all fields to their defaults. Strings are %NULL before. */
void gst_shapes_properties_init (const GstShapesProperties * properties,
    gpointer values);

/* For GObjectClass.set_property() and get_property(), which take the lock that
 * @values need. Identifiers that are not @properties' change nothing, so that
 * several tables are asked one after the other.
 *
 * Returns: 0 if the value was the same before, as when a controller sets it for
 *     each frame; else the row's @affects and %GST_SHAPES_PROPERTY_CHANGED */
guint gst_shapes_properties_set (const GstShapesProperties * properties,
    gpointer values, guint id, const GValue * value);
void gst_shapes_properties_get (const GstShapesProperties * properties,
    gconstpointer values, guint id, GValue * value);

#define GST_SHAPES_PROPERTY_CHANGED 1u

/* Copies the whole structure, whose strings are copied for @to. @to: zeroed, or
 * another copy, whose strings are freed. */
void gst_shapes_properties_copy (const GstShapesProperties * properties,
    gpointer to, gconstpointer from);

/* Frees the strings and sets them to %NULL. */
void gst_shapes_properties_clear (const GstShapesProperties * properties,
    gpointer values);

/* Whether all properties with one of the bits of @affects have the same value
 * in both. */
gboolean gst_shapes_properties_same (const GstShapesProperties * properties,
    gconstpointer a, gconstpointer b, guint affects);
