/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_CONTOURS_H
#define GST_CUDA_CONTOURS_H

#include "element/gstshapestransform.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_CONTOURS (gst_cuda_contours_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaContours, gst_cuda_contours, GST, CUDA_CONTOURS,
    GstShapesTransform)

GST_ELEMENT_REGISTER_DECLARE (cudacontours);

G_END_DECLS

#endif /* GST_CUDA_CONTOURS_H */
