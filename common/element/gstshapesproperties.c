/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesproperties.h"

#include <string.h>

#include "gstshapescolor.h"

/* Installation */

static GParamSpec *
new_color_name_spec (const GstShapesProperty * row)
{
  gchar *value = gst_shapes_color_to_string (row->default_value.number);
  GParamSpec *spec = g_param_spec_string (row->name, row->nick, row->blurb,
      value, row->flags);

  g_free (value);
  return spec;
}

static GParamSpec *
new_spec (const GstShapesProperty * row)
{
  const gchar *name = row->name, *nick = row->nick, *blurb = row->blurb;
  const GstShapesPropertyValue min = row->minimum, max = row->maximum;
  const GstShapesPropertyValue value = row->default_value;
  const GParamFlags flags = row->flags;

  switch (row->type) {
    case GST_SHAPES_PROPERTY_BOOLEAN:
      return g_param_spec_boolean (name, nick, blurb, (gboolean) value.number,
          flags);
    case GST_SHAPES_PROPERTY_INT:
      return g_param_spec_int (name, nick, blurb, (gint) min.number,
          (gint) max.number, (gint) value.number, flags);
    case GST_SHAPES_PROPERTY_UINT:
      return g_param_spec_uint (name, nick, blurb, min.number, max.number,
          value.number, flags);
    case GST_SHAPES_PROPERTY_UINT64:
      return g_param_spec_uint64 (name, nick, blurb, min.wide, max.wide,
          value.wide, flags);
    case GST_SHAPES_PROPERTY_DOUBLE:
      return g_param_spec_double (name, nick, blurb, min.real, max.real,
          value.real, flags);
    case GST_SHAPES_PROPERTY_ENUM:
      return g_param_spec_enum (name, nick, blurb, row->get_type (),
          (gint) value.number, flags);
    case GST_SHAPES_PROPERTY_STRING:
      return g_param_spec_string (name, nick, blurb, value.text, flags);
    case GST_SHAPES_PROPERTY_ARRAY:
      return gst_param_spec_array (name, nick, blurb, row->new_item (), flags);
    case GST_SHAPES_PROPERTY_COLOR_NAME:
      return new_color_name_spec (row);
  }
  g_return_val_if_reached (NULL);
}

void
gst_shapes_properties_install (const GstShapesProperties * properties,
    GObjectClass * klass)
{
  for (guint i = 0; i < properties->n_rows; i++) {
    const GstShapesProperty *row = &properties->rows[i];

    g_object_class_install_property (klass, properties->first_id + i,
        new_spec (row));
    if (row->get_type)
      gst_type_mark_as_plugin_api (row->get_type (), 0);
  }
}

/* Fields */

#define FIELD(type, values, row) \
  G_STRUCT_MEMBER (type, values, (row)->offset)

static gboolean
is_string (const GstShapesProperty * row)
{
  return row->type == GST_SHAPES_PROPERTY_STRING && !row->get;
}

/* What the field holds. Strings stay the field's. */
static GstShapesPropertyValue
load (const GstShapesProperty * row, gconstpointer values)
{
  GstShapesPropertyValue value;

  switch (row->type) {
    case GST_SHAPES_PROPERTY_DOUBLE:
      value.real = FIELD (gdouble, values, row);
      break;
    case GST_SHAPES_PROPERTY_UINT64:
      value.wide = FIELD (guint64, values, row);
      break;
    case GST_SHAPES_PROPERTY_STRING:
      value.text = FIELD (gchar *, values, row);
      break;
    default:
      value.number = FIELD (guint, values, row);
      break;
  }
  return value;
}

/* Strings are copied; the one before is freed. */
static void
store (const GstShapesProperty * row, gpointer values,
    GstShapesPropertyValue value)
{
  switch (row->type) {
    case GST_SHAPES_PROPERTY_DOUBLE:
      FIELD (gdouble, values, row) = value.real;
      break;
    case GST_SHAPES_PROPERTY_UINT64:
      FIELD (guint64, values, row) = value.wide;
      break;
    case GST_SHAPES_PROPERTY_STRING:
      g_free (FIELD (gchar *, values, row));
      FIELD (gchar *, values, row) = g_strdup (value.text);
      break;
    default:
      FIELD (guint, values, row) = value.number;
      break;
  }
}

static gboolean
is_same (const GstShapesProperty * row, GstShapesPropertyValue a,
    GstShapesPropertyValue b)
{
  switch (row->type) {
    case GST_SHAPES_PROPERTY_DOUBLE:
      return a.real == b.real;
    case GST_SHAPES_PROPERTY_UINT64:
      return a.wide == b.wide;
    case GST_SHAPES_PROPERTY_STRING:
      return g_strcmp0 (a.text, b.text) == 0;
    default:
      return a.number == b.number;
  }
}

void
gst_shapes_properties_init (const GstShapesProperties * properties,
    gpointer values)
{
  for (guint i = 0; i < properties->n_rows; i++) {
    const GstShapesProperty *row = &properties->rows[i];

    if (!row->get)
      store (row, values, row->default_value);
  }
}

void
gst_shapes_properties_clear (const GstShapesProperties * properties,
    gpointer values)
{
  for (guint i = 0; i < properties->n_rows; i++) {
    const GstShapesProperty *row = &properties->rows[i];

    if (is_string (row))
      g_clear_pointer (&FIELD (gchar *, values, row), g_free);
  }
}

void
gst_shapes_properties_copy (const GstShapesProperties * properties, gpointer to,
    gconstpointer from)
{
  gst_shapes_properties_clear (properties, to);
  memcpy (to, from, properties->size);
  for (guint i = 0; i < properties->n_rows; i++) {
    const GstShapesProperty *row = &properties->rows[i];

    if (is_string (row))
      FIELD (gchar *, to, row) = g_strdup (load (row, from).text);
  }
}

gboolean
gst_shapes_properties_same (const GstShapesProperties * properties,
    gconstpointer a, gconstpointer b, guint affects)
{
  for (guint i = 0; i < properties->n_rows; i++) {
    const GstShapesProperty *row = &properties->rows[i];

    if (row->affects & affects && !row->get &&
        !is_same (row, load (row, a), load (row, b)))
      return FALSE;
  }
  return TRUE;
}

/* Values of GObject */

static GstShapesPropertyValue
from_gvalue (const GValue * value)
{
  GstShapesPropertyValue result;

  if (G_VALUE_HOLDS_BOOLEAN (value))
    result.number = (guint) g_value_get_boolean (value);
  else if (G_VALUE_HOLDS_INT (value))
    result.number = (guint) g_value_get_int (value);
  else if (G_VALUE_HOLDS_UINT (value))
    result.number = g_value_get_uint (value);
  else if (G_VALUE_HOLDS_UINT64 (value))
    result.wide = g_value_get_uint64 (value);
  else if (G_VALUE_HOLDS_DOUBLE (value))
    result.real = g_value_get_double (value);
  else if (G_VALUE_HOLDS_ENUM (value))
    result.number = (guint) g_value_get_enum (value);
  else
    result.text = g_value_get_string (value);
  return result;
}

static void
to_gvalue (GstShapesPropertyValue from, GValue * value)
{
  if (G_VALUE_HOLDS_BOOLEAN (value))
    g_value_set_boolean (value, (gboolean) from.number);
  else if (G_VALUE_HOLDS_INT (value))
    g_value_set_int (value, (gint) from.number);
  else if (G_VALUE_HOLDS_UINT (value))
    g_value_set_uint (value, from.number);
  else if (G_VALUE_HOLDS_UINT64 (value))
    g_value_set_uint64 (value, from.wide);
  else if (G_VALUE_HOLDS_DOUBLE (value))
    g_value_set_double (value, from.real);
  else if (G_VALUE_HOLDS_ENUM (value))
    g_value_set_enum (value, (gint) from.number);
  else
    g_value_set_string (value, from.text);
}

static const GstShapesProperty *
find_row (const GstShapesProperties * properties, guint id)
{
  const guint index = id - properties->first_id;

  return index < properties->n_rows ? &properties->rows[index] : NULL;
}

/* A text that is no colour changes nothing. */
static GstShapesPropertyValue
parse_color (const GstShapesProperty * row, gconstpointer values,
    const gchar * text)
{
  GstShapesPropertyValue value = load (row, values);

  if (!gst_shapes_color_parse (text, &value.number))
    gst_shapes_color_warn (row->name, text);
  return value;
}

static gboolean
take_gvalue (const GstShapesProperty * row, gpointer values,
    const GValue * gvalue)
{
  const GstShapesPropertyValue value =
      row->type == GST_SHAPES_PROPERTY_COLOR_NAME ?
      parse_color (row, values, g_value_get_string (gvalue)) :
      from_gvalue (gvalue);

  if (is_same (row, load (row, values), value))
    return FALSE;
  store (row, values, value);
  return TRUE;
}

guint
gst_shapes_properties_set (const GstShapesProperties * properties,
    gpointer values, guint id, const GValue * value)
{
  const GstShapesProperty *row = find_row (properties, id);

  if (!row)
    return 0;
  const gboolean changed = row->set ? row->set (values, value) :
      take_gvalue (row, values, value);
  return changed ? row->affects | GST_SHAPES_PROPERTY_CHANGED : 0;
}

void
gst_shapes_properties_get (const GstShapesProperties * properties,
    gconstpointer values, guint id, GValue * value)
{
  const GstShapesProperty *row = find_row (properties, id);

  if (row && row->get)
    row->get (values, value);
  else if (row && row->type == GST_SHAPES_PROPERTY_COLOR_NAME)
    g_value_take_string (value,
        gst_shapes_color_to_string (load (row, values).number));
  else if (row)
    to_gvalue (load (row, values), value);
}

/* Classes */

/* A table of a class, and where its objects have the values. */
typedef struct _Binding Binding;
struct _Binding
{
  const GstShapesProperties *properties;
  gssize offset;
  GstShapesChangedFunc changed;
  Binding *next;
};

static G_DEFINE_QUARK (shapes-properties, binding);

static const Binding *
find_binding (const GParamSpec * pspec, guint id)
{
  const Binding *binding = g_type_get_qdata (pspec->owner_type,
      binding_quark ());

  while (binding && !find_row (binding->properties, id))
    binding = binding->next;
  return binding;
}

static void
set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  const Binding *binding = find_binding (pspec, id);

  GST_OBJECT_LOCK (object);
  const guint affects = gst_shapes_properties_set (binding->properties,
      G_STRUCT_MEMBER_P (object, binding->offset), id, value);
  if (affects && binding->changed)
    binding->changed (object, affects);
  GST_OBJECT_UNLOCK (object);
}

static void
get_property (GObject * object, guint id, GValue * value, GParamSpec * pspec)
{
  const Binding *binding = find_binding (pspec, id);

  GST_OBJECT_LOCK (object);
  gst_shapes_properties_get (binding->properties,
      G_STRUCT_MEMBER_P (object, binding->offset), id, value);
  GST_OBJECT_UNLOCK (object);
}

void
gst_shapes_properties_bind (const GstShapesProperties * properties,
    GObjectClass * klass, gssize offset, GstShapesChangedFunc changed)
{
  const GType type = G_OBJECT_CLASS_TYPE (klass);
  Binding *binding = g_new (Binding, 1);

  *binding = (Binding) { properties, offset, changed,
    g_type_get_qdata (type, binding_quark ())
  };
  g_type_set_qdata (type, binding_quark (), binding);
  /* a class does not inherit these */
  if (!klass->set_property)
    klass->set_property = set_property;
  if (!klass->get_property)
    klass->get_property = get_property;
  gst_shapes_properties_install (properties, klass);
}
