/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapespixelsize.h"

#include <math.h>

#include "base/error.h"

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
  return cs_fail (error, CS_ERROR, CS_ERROR_INVALID, "pixel-size=\"%s\" is not "
      "one or two positive numbers, millimetres of a pixel, such as \"0.25\" "
      "or \"0.25,0.3\"", text);
}
