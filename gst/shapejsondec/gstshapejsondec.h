/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_JSON_DEC_H
#define GST_SHAPE_JSON_DEC_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_SHAPE_JSON_DEC (gst_shape_json_dec_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeJsonDec, gst_shape_json_dec, GST, SHAPE_JSON_DEC,
    GstElement)

GST_ELEMENT_REGISTER_DECLARE (shapejsondec);

G_END_DECLS

#endif /* GST_SHAPE_JSON_DEC_H */
