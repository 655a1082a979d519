/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapestags.h"

#include <gst/video/gstvideometa.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gstshapesnames.h"

#define MAX_NAME 64
#define MAX_TEXT (256 * 1024)
/* of structures in structures */
#define MAX_DEPTH 8

/* To JSON */

static json_t *structure_to_json (const GstStructure * structure, guint depth);

static json_t *
integer_to_json (const GValue * value)
{
  GValue wide = G_VALUE_INIT;

  if (G_VALUE_HOLDS_UINT64 (value) && g_value_get_uint64 (value) > G_MAXINT64)
    return NULL;
  g_value_init (&wide, G_TYPE_INT64);
  g_value_transform (value, &wide);
  json_t *number = json_integer (g_value_get_int64 (&wide));
  g_value_unset (&wide);
  return number;
}

static json_t *value_to_json (const GValue * value, guint depth);

static json_t *
list_to_json (const GValue * value, guint depth)
{
  const gboolean is_list = GST_VALUE_HOLDS_LIST (value);
  const guint n = is_list ? gst_value_list_get_size (value) :
      gst_value_array_get_size (value);
  json_t *array = json_array ();

  for (guint i = 0; i < n; i++) {
    json_t *item = value_to_json (is_list ? gst_value_list_get_value (value,
            i) : gst_value_array_get_value (value, i), depth + 1);

    json_array_append_new (array, item ? item : json_null ());
  }
  return array;
}

static json_t *
text_to_json (const GValue * value)
{
  g_autofree gchar *text = gst_value_serialize (value);
  return text ? json_string (text) : NULL;
}

static json_t *
value_to_json (const GValue * value, guint depth)
{
  json_t *number = NULL;

  if (depth > MAX_DEPTH)
    return NULL;
  if (G_VALUE_HOLDS_BOOLEAN (value))
    return json_boolean (g_value_get_boolean (value));
  if (G_VALUE_HOLDS_INT (value) || G_VALUE_HOLDS_UINT (value)
      || G_VALUE_HOLDS_INT64 (value) || G_VALUE_HOLDS_UINT64 (value)
      || G_VALUE_HOLDS_LONG (value) || G_VALUE_HOLDS_ULONG (value))
    number = integer_to_json (value);
  else if (G_VALUE_HOLDS_DOUBLE (value) && isfinite (g_value_get_double
          (value)))
    number = json_real (g_value_get_double (value));
  else if (G_VALUE_HOLDS_FLOAT (value) && isfinite (g_value_get_float (value)))
    number = json_real (g_value_get_float (value));
  else if (G_VALUE_HOLDS_STRING (value))
    return g_value_get_string (value) ?
        json_string (g_value_get_string (value)) : json_null ();
  else if (GST_VALUE_HOLDS_STRUCTURE (value))
    return structure_to_json (gst_value_get_structure (value), depth + 1);
  else if (GST_VALUE_HOLDS_LIST (value) || GST_VALUE_HOLDS_ARRAY (value))
    return list_to_json (value, depth);
  return number ? number : text_to_json (value);
}

static json_t *
structure_to_json (const GstStructure * structure, guint depth)
{
  json_t *object = json_object ();

  for (gint i = 0; structure && i < gst_structure_n_fields (structure); i++) {
    const gchar *name = gst_structure_nth_field_name (structure, i);
    json_t *value = value_to_json (gst_structure_get_value (structure, name),
        depth);

    /* fails for names that are not UTF-8, and frees the value */
    if (value)
      json_object_set_new (object, name, value);
  }
  return object;
}

typedef struct
{
  json_t *metas, *regions;
} Tags;

static void
add_region (Tags * tags, const GstVideoRegionOfInterestMeta * roi)
{
  const gchar *type = g_quark_to_string (roi->roi_type);
  json_t *object = json_object ();

  json_object_set_new (object, "id", json_integer (roi->id));
  if (type)
    json_object_set_new (object, "type", json_string (type));
  json_object_set_new (object, "x", json_integer (roi->x));
  json_object_set_new (object, "y", json_integer (roi->y));
  json_object_set_new (object, "width", json_integer (roi->w));
  json_object_set_new (object, "height", json_integer (roi->h));
  json_array_append_new (tags->regions, object);
}

/* Those of a GST_SHAPES_TAGS_META; others have precedence. */
static void
add_texts (Tags * tags, const GstStructure * structure)
{
  const gchar *text = gst_structure_get_string (structure, "json");
  json_t *object = text && strlen (text) <= MAX_TEXT ?
      json_loads (text, 0, NULL) : NULL;

  json_object_update_missing (tags->metas, object);
  json_decref (object);
}

static gboolean
add_meta (GstBuffer * buffer, GstMeta ** meta, gpointer data)
{
  const GstMetaInfo *info = (*meta)->info;
  const GstStructure *structure;
  Tags *tags = data;

  if (info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)
    add_region (tags, (const GstVideoRegionOfInterestMeta *) * meta);
  if (!gst_meta_info_is_custom (info))
    return TRUE;
  structure = gst_custom_meta_get_structure ((GstCustomMeta *) * meta);
  if (strcmp (g_type_name (info->type), GST_SHAPES_TAGS_META) == 0)
    add_texts (tags, structure);
  else
    json_object_set_new (tags->metas, g_type_name (info->type),
        structure_to_json (structure, 0));
  return TRUE;
}

/* @object as text, for g_free(); jansson's memory is not GLib's. */
static gchar *
write_object (const json_t * object)
{
  char *text = json_dumps (object, JSON_COMPACT);
  const gsize size = text ? strlen (text) + 1 : 0;
  gchar *copy = text ? cs_try_malloc (size) : NULL;

  if (copy)
    memcpy (copy, text, size);
  free (text);
  return copy;
}

gboolean
gst_shapes_tags_from_buffer (GstBuffer * buffer, gchar ** json, GError ** error)
{
  Tags tags = { json_object (), json_array () };
  json_t *object = json_object ();
  gboolean ok = TRUE;

  *json = NULL;
  gst_buffer_foreach_meta (buffer, add_meta, &tags);
  if (json_object_size (tags.metas) > 0)
    json_object_set (object, "metas", tags.metas);
  if (json_array_size (tags.regions) > 0)
    json_object_set (object, "regions", tags.regions);
  if (json_object_size (object) > 0)
    ok = (*json = write_object (object)) != NULL;
  json_decref (object);
  json_decref (tags.metas);
  json_decref (tags.regions);
  return ok || cs_fail_no_memory (error, "the tags of a frame");
}

/* From JSON */

static gboolean
is_name (const gchar * name)
{
  const gsize n = strlen (name);

  if (n == 0 || n > MAX_NAME || !g_ascii_isalpha (name[0]))
    return FALSE;
  for (gsize i = 0; i < n; i++)
    if (!g_ascii_isalnum (name[i]) && name[i] != '-' && name[i] != '_')
      return FALSE;
  return TRUE;
}

static gboolean
fail_name (const gchar * name, const gchar * why, GError ** error)
{
  return cs_fail (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "\"%s\" cannot be the name of a GstCustomMeta: %s.", name, why);
}

gboolean
gst_shapes_tags_register (const gchar * name, GError ** error)
{
  static GMutex lock;
  static const gchar *no_tags[] = { NULL };

  /* as GObject's types */
  if (!is_name (name) || strlen (name) < 3)
    return fail_name (name, "it consists of 3 to 64 letters, digits, - and _ "
        "and begins with a letter", error);
  g_mutex_lock (&lock);
  const GstMetaInfo *info = gst_meta_get_info (name);
  /* names of types that plugins register later are theirs */
  if (!info && g_type_from_name (name) == 0 && !g_str_has_prefix (name, "Gst"))
    info = gst_meta_register_custom (name, no_tags, NULL, NULL, NULL);
  g_mutex_unlock (&lock);
  return (info && gst_meta_info_is_custom (info))
      || fail_name (name, "it is another type's, or begins with Gst, as those "
      "of GStreamer do", error);
}

static void
set_field (GstStructure * structure, const gchar * name, const json_t * value)
{
  if (!is_name (name) || gst_shapes_name_to_quark (name) == 0)
    return;
  if (json_is_integer (value))
    gst_structure_set (structure, name, G_TYPE_INT64,
        (gint64) json_integer_value (value), NULL);
  else if (json_is_real (value))
    gst_structure_set (structure, name, G_TYPE_DOUBLE, json_real_value (value),
        NULL);
  else if (json_is_boolean (value))
    gst_structure_set (structure, name, G_TYPE_BOOLEAN, json_is_true (value),
        NULL);
  else if (json_is_string (value))
    gst_structure_set (structure, name, G_TYPE_STRING,
        json_string_value (value), NULL);
}

/* A meta of the registered @name, or none. */
static GstStructure *
attach_structure (GstBuffer * buffer, const gchar * name)
{
  GstCustomMeta *meta = NULL;

  if (gst_shapes_tags_register (name, NULL))
    meta = gst_buffer_add_custom_meta (buffer, name);
  return meta ? gst_custom_meta_get_structure (meta) : NULL;
}

static void
attach_meta (GstBuffer * buffer, const gchar * name, json_t * fields)
{
  GstStructure *structure = attach_structure (buffer, name);
  const gchar *field;
  json_t *value;

  if (structure)
    json_object_foreach (fields, field, value)
        set_field (structure, field, value);
}

static gboolean
attach_texts (GstBuffer * buffer, const json_t * metas, GError ** error)
{
  gchar *text = write_object (metas);
  GstStructure *structure = text ? attach_structure (buffer,
      GST_SHAPES_TAGS_META) : NULL;

  if (structure)
    gst_structure_set (structure, "json", G_TYPE_STRING, text, NULL);
  g_free (text);
  return text || cs_fail_no_memory (error, "the tags of a line");
}

static gboolean
attach_metas (GstBuffer * buffer, json_t * metas, const gchar * const *listed,
    GError ** error)
{
  json_t *others = json_object ();
  const gchar *name;
  json_t *fields;
  gboolean ok = TRUE;

  json_object_foreach (metas, name, fields) {
    if (!json_is_object (fields))
      continue;
    if (listed && g_strv_contains (listed, name))
      attach_meta (buffer, name, fields);
    else
      json_object_set (others, name, fields);
  }
  if (json_object_size (others) > 0)
    ok = attach_texts (buffer, others, error);
  json_decref (others);
  return ok;
}

static guint
get_count (const json_t * object, const gchar * key)
{
  const json_int_t value = json_integer_value (json_object_get (object, key));

  return (guint) CLAMP (value, 0, G_MAXINT32);
}

static void
attach_region (GstBuffer * buffer, const json_t * region)
{
  const gchar *type = json_string_value (json_object_get (region, "type"));
  const GQuark quark = type ? gst_shapes_name_to_quark (type) : 0;
  GstVideoRegionOfInterestMeta *meta;

  if (!json_is_object (region))
    return;
  meta = gst_buffer_add_video_region_of_interest_meta_id (buffer,
      quark ? quark : g_quark_from_static_string ("region"),
      get_count (region, "x"), get_count (region, "y"),
      get_count (region, "width"), get_count (region, "height"));
  if (meta)
    meta->id = (gint) get_count (region, "id");
}

gboolean
gst_shapes_tags_to_buffer (const gchar * json, const gchar * const *metas,
    GstBuffer * buffer, GError ** error)
{
  json_t *object = strlen (json) <= MAX_TEXT ? json_loads (json, 0, NULL) :
      NULL;
  json_t *regions = json_object_get (object, "regions");
  gboolean ok = attach_metas (buffer, json_object_get (object, "metas"), metas,
      error);

  for (gsize i = 0; i < json_array_size (regions); i++)
    attach_region (buffer, json_array_get (regions, i));
  json_decref (object);
  return ok;
}
