/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapestags.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <gst/video/gstvideometa.h>

#include "base/error.h"
#include "base/memory.h"

#define MAX_NAME 64
#define MAX_REGISTERED 64
/* of structures in structures */
#define MAX_DEPTH 8

/* To JSON */

static json_t *structure_to_json (const GstStructure * structure, guint depth);

static json_t *
integer_to_json (const GValue * value)
{
  GValue wide = G_VALUE_INIT;
  json_t *number;

  if (G_VALUE_HOLDS_UINT64 (value)
      && g_value_get_uint64 (value) > G_MAXINT64)
    return NULL;
  g_value_init (&wide, G_TYPE_INT64);
  g_value_transform (value, &wide);
  number = json_integer (g_value_get_int64 (&wide));
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
  guint i;

  for (i = 0; i < n; i++) {
    json_t *item = value_to_json (is_list ? gst_value_list_get_value (value,
            i) : gst_value_array_get_value (value, i), depth + 1);

    json_array_append_new (array, item ? item : json_null ());
  }
  return array;
}

static json_t *
text_to_json (const GValue * value)
{
  gchar *text = gst_value_serialize (value);
  json_t *string = text ? json_string (text) : NULL;

  g_free (text);
  return string;
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
  gint i;

  for (i = 0; structure && i < gst_structure_n_fields (structure); i++) {
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

static gboolean
add_meta (GstBuffer * buffer, GstMeta ** meta, gpointer data)
{
  Tags *tags = data;

  if ((*meta)->info->api == GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE)
    add_region (tags, (const GstVideoRegionOfInterestMeta *) * meta);
  else if (gst_meta_info_is_custom ((*meta)->info))
    json_object_set_new (tags->metas, g_type_name ((*meta)->info->type),
        structure_to_json (gst_custom_meta_get_structure ((GstCustomMeta *)
                * meta), 0));
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
  gsize i;

  if (n == 0 || n > MAX_NAME || !g_ascii_isalpha (name[0]))
    return FALSE;
  for (i = 0; i < n; i++)
    if (!g_ascii_isalnum (name[i]) && name[i] != '-' && name[i] != '_')
      return FALSE;
  return TRUE;
}

/* Whether @name is a custom meta, registered here if it is new. */
static gboolean
ensure_registered (const gchar * name)
{
  static GMutex lock;
  static guint n_registered = 0;
  static const gchar *no_tags[] = { NULL };
  const GstMetaInfo *info;

  if (!is_name (name))
    return FALSE;
  g_mutex_lock (&lock);
  info = gst_meta_get_info (name);
  if (!info && g_type_from_name (name) == 0 && n_registered < MAX_REGISTERED) {
    info = gst_meta_register_custom (name, no_tags, NULL, NULL, NULL);
    n_registered++;
  }
  g_mutex_unlock (&lock);
  return info && gst_meta_info_is_custom (info);
}

static void
set_field (GstStructure * structure, const gchar * name, const json_t * value)
{
  if (!is_name (name))
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

static void
attach_meta (GstBuffer * buffer, const gchar * name, json_t * fields)
{
  GstCustomMeta *meta;
  const gchar *field;
  json_t *value;

  if (!json_is_object (fields) || !ensure_registered (name))
    return;
  meta = gst_buffer_add_custom_meta (buffer, name);
  if (!meta)
    return;
  json_object_foreach (fields, field, value)
      set_field (gst_custom_meta_get_structure (meta), field, value);
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
  GstVideoRegionOfInterestMeta *meta;

  if (!json_is_object (region))
    return;
  /* types become quarks, which are never freed */
  if (!type || !(g_quark_try_string (type) || is_name (type)))
    type = "region";
  meta = gst_buffer_add_video_region_of_interest_meta (buffer, type,
      get_count (region, "x"), get_count (region, "y"),
      get_count (region, "width"), get_count (region, "height"));
  if (meta)
    meta->id = (gint) get_count (region, "id");
}

void
gst_shapes_tags_to_buffer (const gchar * json, GstBuffer * buffer)
{
  json_t *object = json_loads (json, 0, NULL);
  json_t *regions = json_object_get (object, "regions"), *fields;
  const gchar *name;
  gsize i;

  json_object_foreach (json_object_get (object, "metas"), name, fields)
      attach_meta (buffer, name, fields);
  for (i = 0; i < json_array_size (regions); i++)
    attach_region (buffer, json_array_get (regions, i));
  json_decref (object);
}
