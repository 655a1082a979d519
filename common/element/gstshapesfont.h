/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Text as outlines, which the painter fills like other polygons. By Pango, if
 * the build has it. */

#include <glib.h>

#include "base/array.h"

/**
 * GstShapesFontError:
 * @GST_SHAPES_FONT_ERROR_NOT_BUILT: this build has no Pango
 * @GST_SHAPES_FONT_ERROR_NO_FONT: fontconfig finds no font with digits
 */
typedef enum
{
  GST_SHAPES_FONT_ERROR_NOT_BUILT,
  GST_SHAPES_FONT_ERROR_NO_FONT,
} GstShapesFontError;

#define GST_SHAPES_FONT_ERROR (gst_shapes_font_error_quark ())
GQuark gst_shapes_font_error_quark (void);

/**
 * GstShapesFont:
 * @ascent: pixels from the baseline up to the top of a line
 * @descent: pixels from the baseline down to its bottom
 *
 * A font of one size. Words are shaped as a whole, digits one by one; outlines
 * are kept, so that numbers that change cost no shaping. For one thread at a
 * time.
 */
typedef struct
{
  gdouble ascent, descent;

  /*< private >*/
  GHashTable *pieces;
  /* texts to what they were cut to, for a width */
  GHashTable *cuts;
  gdouble cut_width;
  gpointer shaper;
} GstShapesFont;

/* @description: (nullable): as of pango_font_description_from_string(), such as
 *     "Sans Bold"; a size in it is ignored; %NULL: "Sans"
 * @size: pixels of an em
 * Returns: %NULL with @error (GST_SHAPES_FONT_ERROR) set */
GstShapesFont *gst_shapes_font_new (const gchar * description, gdouble size,
    GError ** error);
void gst_shapes_font_free (GstShapesFont * font);

/* Returns: the advance width of @text (UTF-8, a single line), in pixels */
gdouble gst_shapes_font_measure (GstShapesFont * font, const gchar * text);

/* Returns: @text, or, if it is wider than @width pixels, its begin and an
 * ellipsis, which are not; nothing if not even that fits. Valid until the next
 * call with this font. */
const gchar *gst_shapes_font_cut (GstShapesFont * font, const gchar * text,
    gdouble width);

/* Appends the outlines of @text to be filled by the nonzero rule.
 *
 * @x: left end of the baseline, in pixels
 * @y: likewise
 * @points: of pairs of gfloat; without memory it has failed
 * @rings: of guint32: where each ring begins in @points
 * Returns: number of rings appended */
guint gst_shapes_font_append (GstShapesFont * font, const gchar * text,
    gdouble x, gdouble y, CsArray * points, CsArray * rings);
