/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_ANALYTICS_H
#define GST_SHAPE_ANALYTICS_H

#include <gst/base/gstbasetransform.h>

G_BEGIN_DECLS

#define GST_TYPE_SHAPE_ANALYTICS (gst_shape_analytics_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeAnalytics, gst_shape_analytics, GST,
    SHAPE_ANALYTICS, GstBaseTransform)

GST_ELEMENT_REGISTER_DECLARE (shapeanalytics);

G_END_DECLS

#endif /* GST_SHAPE_ANALYTICS_H */
