/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_HULL_H
#define GST_CUDA_HULL_H

#include "element/gstshapestransform.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_HULL (gst_cuda_hull_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHull, gst_cuda_hull, GST, CUDA_HULL,
    GstShapesTransform)

GST_ELEMENT_REGISTER_DECLARE (cudahull);

G_END_DECLS

#endif /* GST_CUDA_HULL_H */
