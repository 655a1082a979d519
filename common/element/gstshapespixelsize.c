/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapespixelsize.h"

#include <math.h>

#include "base/error.h"
#include "shapes/gstshapesenum.h"

GST_SHAPES_DEFINE_ENUM_TYPE (, gst_shapes_measures_get_type,
    "GstShapesMeasures",
    {CS_MEASURES_NONE, "The area only", "none"},
    {CS_MEASURES_BASIC, "Also perimeter, centroid, bounding box; solidity of "
          "hulls", "basic"},
    {CS_MEASURES_FULL, "Also moments of contours; Feret diameters, "
          "minimum-area rectangle and smallest enclosing circle of hulls",
        "full"})

/* A positive number at *@text, which is moved past it. */
static gboolean
read_size (const gchar ** text, gdouble * size)
{
  gchar *end;

  *size = g_ascii_strtod (*text, &end);
  if (end == *text || !isfinite (*size) || *size <= 0)
    return FALSE;
  while (g_ascii_isspace (*end))
    end++;
  *text = end;
  return TRUE;
}

gboolean
gst_shapes_pixel_size_apply (const gchar * text, GstShapeSet * set,
    GError ** error)
{
  const gchar *at = text;
  gdouble x, y;

  if (!text || !*text)
    return TRUE;
  if (read_size (&at, &x)) {
    y = x;
    if (*at == ',') {
      at++;
      if (!read_size (&at, &y))
        at = "?";
    }
    if (!*at) {
      gst_shape_set_set_pixel_size (set, x, y);
      return TRUE;
    }
  }
  return cs_error (error, CS_ERROR_INVALID, "pixel-size=\"%s\" is not one or "
      "two positive numbers, millimetres of a pixel, such as \"0.25\" or "
      "\"0.25,0.3\"", text);
}
