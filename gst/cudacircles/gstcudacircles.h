/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_CIRCLES_H
#define GST_CUDA_CIRCLES_H

#include "element/gstshapestransform.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CIRCLES (gst_cuda_circles_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaCircles, gst_cuda_circles, GST, CUDA_CIRCLES,
    GstShapesTransform)

GST_ELEMENT_REGISTER_DECLARE (cudacircles);

G_END_DECLS

#endif /* GST_CUDA_CIRCLES_H */
