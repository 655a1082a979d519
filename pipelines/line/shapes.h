/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "shapes/gstshapes.h"
#include "view.h"

/* The next sample that comes to @sink, the appsink of @pipeline; waits for at
 * most 5 seconds. Returns: (transfer full): the sample; NULL with @error set to
 * what an element says, also if that is a warning: a frame that cannot be
 * computed is dropped with one */
GstSample *line_shapes_wait (GstElement * pipeline, GstElement * sink,
    GError ** error);

/* The closed contours of @set, each with what its hull says, into the
 * @n_views of @views, by image; to be cleared with line_view_clear(). Returns:
 * FALSE, and no view, if memory runs out */
gboolean line_shapes_read (GstShapeSet * set, guint n_views, LineView * views);
