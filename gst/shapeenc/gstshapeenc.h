/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_ENC_H
#define GST_SHAPE_ENC_H

#include <gst/gst.h>

G_BEGIN_DECLS

GST_ELEMENT_REGISTER_DECLARE (shapecocoenc);
GST_ELEMENT_REGISTER_DECLARE (shapecsvenc);
GST_ELEMENT_REGISTER_DECLARE (shapegeojsonenc);
GST_ELEMENT_REGISTER_DECLARE (shapesvgenc);

G_END_DECLS

#endif /* GST_SHAPE_ENC_H */
