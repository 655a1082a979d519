/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_JSON_ENC_H
#define GST_SHAPE_JSON_ENC_H

#include "element/gstshapesencoder.h"

G_BEGIN_DECLS

#define GST_TYPE_SHAPE_JSON_ENC (gst_shape_json_enc_get_type ())
G_DECLARE_FINAL_TYPE (GstShapeJsonEnc, gst_shape_json_enc, GST,
    SHAPE_JSON_ENC, GstShapesEncoder)

GST_ELEMENT_REGISTER_DECLARE (shapejsonenc);

G_END_DECLS

#endif /* GST_SHAPE_JSON_ENC_H */
