/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Properties of elements that make shapes: "measures" and "pixel-size". */

#include "base/measures.h"
#include "element/gstshapesproperties.h"
#include "shapes/gstshapes.h"

/* CsMeasures */
GType gst_shapes_measures_get_type (void);

/* A row of a table of properties; the field is a gchar *. */
#define GST_SHAPES_PIXEL_SIZE(Struct, field) \
  GST_SHAPES_STRING (Struct, field, "pixel-size", "Pixel size", NULL, LIVE, \
      "Size of a pixel in millimetres where the shapes are, such as " \
      "\"0.25\", or \"0.25,0.3\" for width and height: shapes then have " \
      "measures in millimetres, too. Unset if it is not known.")

/* Gives @set the size that @text says, if it says one.
 *
 * @text: (nullable): the property's value
 * Returns: %FALSE with @error (CS_ERROR_INVALID) set if it is not understood */
gboolean gst_shapes_pixel_size_apply (const gchar * text, GstShapeSet * set,
    GError ** error);
