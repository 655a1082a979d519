/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "settings.h"
#include "view.h"

/* The closed contours, at Otsu's threshold, of the picture in the file @path,
 * of any format that GStreamer decodes, whose size must be that of @geometry.
 * GStreamer must be initialised. @view: (out): to be cleared with
 * line_view_clear(). Returns: FALSE with @error set, and no view */
gboolean line_calibrate_picture (const LineGeometry * geometry,
    gint cuda_device_id, const char *path, LineView * view, GError ** error);
