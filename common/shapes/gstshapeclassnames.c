/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "gstshapeclassnames.h"

static void
clear (gpointer element)
{
  GstShapeClassName *entry = element;

  g_clear_pointer (&entry->name, g_free);
}

GArray *
gst_shape_class_names_new (void)
{
  GArray *names = g_array_new (FALSE, FALSE, sizeof (GstShapeClassName));

  g_array_set_clear_func (names, clear);
  return names;
}

/* The first entry of a class at least @class_id. */
static guint
find_index (GArray * names, gint32 class_id)
{
  guint low = 0, high = names->len;

  /* mostly they come in order */
  if (high > 0 && g_array_index (names, GstShapeClassName,
          high - 1).class_id < class_id)
    return high;
  while (low < high) {
    const guint middle = low + (high - low) / 2;

    if (g_array_index (names, GstShapeClassName, middle).class_id < class_id)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

void
gst_shape_class_names_add (GArray * names, gint32 class_id, const gchar * name)
{
  if (name && *name) {
    const GstShapeClassName entry = {
      class_id, g_strdup (name)
    };

    g_array_insert_val (names, find_index (names, class_id), entry);
  }
}

const gchar *
gst_shape_class_names_find (GArray * names, gint32 class_id)
{
  if (!names)
    return NULL;
  const guint i = find_index (names, class_id);
  if (i == names->len)
    return NULL;
  const GstShapeClassName *entry = &g_array_index (names, GstShapeClassName, i);
  return entry->class_id == class_id ? entry->name : NULL;
}

GArray *
gst_shape_class_names_join (GArray * names, GArray * others)
{
  GArray *joined = gst_shape_class_names_new ();
  guint i = 0, k = 0;

  while (i < names->len || k < others->len) {
    const GstShapeClassName *own = i < names->len ?
        &g_array_index (names, GstShapeClassName, i) : NULL;
    const GstShapeClassName *other = k < others->len ?
        &g_array_index (others, GstShapeClassName, k) : NULL;
    const GstShapeClassName *next = own && (!other
        || own->class_id <= other->class_id) ? own : other;

    i += next == own;
    k += other && other->class_id == next->class_id;
    gst_shape_class_names_add (joined, next->class_id, next->name);
  }
  return joined;
}
