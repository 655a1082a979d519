/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_STATS_H
#define GST_SHAPE_STATS_H

#include "element/gstshapestransform.h"

G_BEGIN_DECLS

#define GST_TYPE_SHAPE_STATS (gst_shape_stats_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeStats, gst_shape_stats, GST, SHAPE_STATS,
    GstShapesTransform)

GST_ELEMENT_REGISTER_DECLARE (shapestats);

G_END_DECLS

#endif /* GST_SHAPE_STATS_H */
