/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Colours as text. As numbers they are 0xAARRGGBB, as elsewhere in GStreamer;
 * as text they have their alpha last, as in CSS. */

#include <gst/gst.h>

/* Parses a name of CSS, in any case, or "#rrggbb", or "#rrggbbaa".
 *
 * @text: (nullable): what to parse
 * @argb: set to 0xAARRGGBB; left as it is if @text is no colour
 * Returns: whether @text is a colour */
gboolean gst_shapes_color_parse (const gchar * text, guint32 * argb);

/* Returns: (transfer full): "#rrggbb", or "#rrggbbaa" if not opaque */
gchar *gst_shapes_color_to_string (guint32 argb);

/* The same of a list, with commas between. An empty one is no colours.
 *
 * @colors: of guint32, 0xAARRGGBB; left as it is if one is no colour */
gboolean gst_shapes_colors_parse (const gchar * text, GArray * colors);
gchar *gst_shapes_colors_to_string (const GArray * colors);

/* Says that what a property was set to is no colour. Not by a message: while a
 * pipeline is parsed there is no bus. */
void gst_shapes_color_warn (const gchar * property, const gchar * text);
