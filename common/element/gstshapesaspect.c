/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesaspect.h"

#include <math.h>

#include "gstshapesmessage.h"

static gboolean
is_scaled (guint64 width, guint64 height, guint64 set_width, guint64 set_height)
{
  const gdouble ratio = ((gdouble) width * set_height) /
      ((gdouble) height * set_width);

  /* sizes are whole pixels */
  return fabs (ratio - 1) <= .01 + 2. / MIN (MIN (width, height),
      MIN (set_width, set_height));
}

static gboolean
fits (const GstShapeSet * set, const GstVideoInfo * info)
{
  const guint64 width = GST_VIDEO_INFO_WIDTH (info);
  const guint64 height = GST_VIDEO_INFO_HEIGHT (info);
  const guint set_width = gst_shape_set_get_width (set);
  const guint set_height = gst_shape_set_get_height (set);

  return set_width == 0 || set_height == 0
      || is_scaled (width, height, set_width, set_height)
      || is_scaled (width * GST_VIDEO_INFO_PAR_N (info),
      height * GST_VIDEO_INFO_PAR_D (info), set_width, set_height);
}

void
gst_shapes_aspect_check (GstShapesAspect * aspect, GstElement * element,
    const GstShapeSet * set, const GstVideoInfo * info)
{
  if (aspect->warned || !set || fits (set, info))
    return;
  aspect->warned = TRUE;
  GST_SHAPES_WARNING (element, STREAM, FORMAT,
      "The shapes are of %u x %u pixels and the frames of %d x %d, of another "
      "aspect ratio: the picture was cropped, turned or framed in between, and "
      "the shapes are not where it is now. Use them upstream of that.",
      gst_shape_set_get_width (set), gst_shape_set_get_height (set),
      GST_VIDEO_INFO_WIDTH (info), GST_VIDEO_INFO_HEIGHT (info));
}

void
gst_shapes_aspect_reset (GstShapesAspect * aspect)
{
  aspect->warned = FALSE;
}
