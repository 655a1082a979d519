/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What applications and other elements have noted on a frame, as JSON: its
 * GstCustomMetas and GstVideoRegionOfInterestMetas.
 *
 *   {"metas":{"NAME":{"FIELD":VALUE,...},...},
 *    "regions":[{"id":1,"type":"lane","x":0,"y":0,"width":64,"height":48},...]}
 *
 * Either is left out if there is none. Numbers, booleans and strings are
 * written as they are, structures as objects, lists and arrays as arrays, other
 * values as GStreamer's strings. */

#include <gst/gst.h>

/* @json: (out) (transfer full) (nullable): the object, for g_free(); %NULL when
 *     there is nothing to say
 * Returns: %FALSE with @error set without memory */
gboolean gst_shapes_tags_from_buffer (GstBuffer * buffer, gchar ** json,
    GError ** error);

/* Attaches what @json says: regions, the metas in @metas (nullable, ends with
 * %NULL), which are registered, with whole numbers as gint64 and others as
 * gdouble, and all other metas together in a GstCustomMeta
 * GST_SHAPES_TAGS_META, as text: {"NAME":{"FIELD":VALUE,...},...} in its field
 * "json". What is not understood is left out: it is other people's text.
 * Returns: %FALSE with @error set without memory */
gboolean gst_shapes_tags_to_buffer (const gchar * json,
    const gchar * const *metas, GstBuffer * buffer, GError ** error);

#define GST_SHAPES_TAGS_META "shape-tags"

/* Registers @name as a GstCustomMeta, unless it is one.
 * Returns: %FALSE with @error set if @name is something else in this process,
 *     or might become it */
gboolean gst_shapes_tags_register (const gchar * name, GError ** error);
