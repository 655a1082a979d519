/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the classes of a layer are called. A table is shared by the layers that
 * are made of one another, and does not change then. */

#include "gstshapeset.h"

/* Limits of what is read and serialised: names of a set, bytes of a name. Names
 * take more memory than their bytes. */
#define GST_SHAPE_CLASS_NAMES_MAX 65536
#define GST_SHAPE_CLASS_NAME_MAX_BYTES 4096

/* @name is never empty. It is no interned GRefString: in GLib 2.74 a
 * name that one thread interns while another one releases it may be freed. */
typedef struct
{
  gint32 class_id;
  gchar *name;
} GstShapeClassName;

/* A table of #GstShapeClassName, by ascending class. */
GArray *gst_shape_class_names_new (void);

/* Names a class that has no name yet, whose number is at least 0. An empty
 * @name is none. */
void gst_shape_class_names_add (GArray * names,
    gint32 class_id, const gchar * name);

/* A new table of both; @names' name of a class that has two. */
GArray *gst_shape_class_names_join (GArray * names, GArray * others);

/* %NULL: a class without a name, or no table. */
const gchar *gst_shape_class_names_find (GArray * names, gint32 class_id);

/* Gives the table to a layer without other references; %NULL: none. */
void gst_shape_layer_take_class_names (GstShapeLayer * layer, GArray * names);

/* A reference to the layer's table, or %NULL. */
GArray *gst_shape_layer_ref_class_names (GstShapeLayer * layer);
