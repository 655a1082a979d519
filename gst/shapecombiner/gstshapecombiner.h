/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_COMBINER_H
#define GST_SHAPE_COMBINER_H

#include <gst/base/gstaggregator.h>

G_BEGIN_DECLS

#define GST_TYPE_SHAPE_COMBINER (gst_shape_combiner_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeCombiner, gst_shape_combiner, GST,
    SHAPE_COMBINER, GstAggregator)

GST_ELEMENT_REGISTER_DECLARE (shapecombiner);

G_END_DECLS

#endif /* GST_SHAPE_COMBINER_H */
