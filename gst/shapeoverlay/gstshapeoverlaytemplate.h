/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Texts of labels, such as "{class} {area:.0f} px". */

#include <glib.h>

/**
 * OverlayFields:
 * @class_name: (nullable): of the class, if it has one
 * @id: of the shape
 * @class_id: its class
 * @parent: id of the shape that it lies in or was made of, or -1
 * @region: id of the region, or -1
 * @track: id of the track, or -1
 * @level: of the contour
 * @area: in square pixels
 * @length: of the outline, in pixels
 * @area_mm2: in square millimetres; NaN: unknown
 * @length_mm: in millimetres; NaN: unknown
 * @confidence: from 0 to 1; NaN: unknown
 *
 * What a label can say of a shape.
 */
typedef struct
{
  const gchar *class_name;
  gint64 id, class_id, parent, region, track;
  gdouble level, area, length, area_mm2, length_mm, confidence;
} OverlayFields;

/* A parsed text. */
typedef struct _OverlayTemplate OverlayTemplate;

/* Parses @text: fields are in braces, with an optional number of decimals
 * ("{area:.1f}"); "{{" and "}}" are braces.
 *
 * Returns: %NULL with @error (GST_LIBRARY_ERROR_SETTINGS) set, which says what
 *     is wrong and which fields there are */
OverlayTemplate *overlay_template_parse (const gchar * text, GError ** error);
void overlay_template_free (OverlayTemplate * self);

/* Appends the text for one shape to @string. What is unknown is a "?". */
void overlay_template_format (const OverlayTemplate * self,
    const OverlayFields * fields, GString * string);
