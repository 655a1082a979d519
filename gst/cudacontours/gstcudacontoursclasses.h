/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the properties of cudacontours that are about classes say. */

#include <gst/gst.h>

/**
 * ContoursGroup:
 * @name: of the class that the group is
 * @channels: guint: its channels, each once
 */
typedef struct
{
  gchar *name;
  GArray *channels;
} ContoursGroup;

/* Parses "defect=5+6+7, skin=1..11". Returns: (transfer full): an array of
 * #ContoursGroup, empty for an empty text or %NULL; %NULL with @error
 * set if it is malformed, or a name or a channel of a group is there twice */
GArray *contours_parse_groups (const gchar * text, GError ** error);

/**
 * ContoursClassArea:
 * @name: name or number of a class
 * @area: square pixels
 */
typedef struct
{
  gchar *name;
  gdouble area;
} ContoursClassArea;

/* Parses "5:20, stem:40" of property @property. Returns: (transfer full): an
 * array of #ContoursClassArea, empty for an empty text or %NULL; %NULL
 * with @error set if it is malformed */
GArray *contours_parse_class_areas (const gchar * property,
    const gchar * text, GError ** error);
