/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_LLF_H
#define GST_CUDA_LLF_H

#include "element/gstshapestransform.h"

G_BEGIN_DECLS

#define GST_TYPE_CUDA_LLF (gst_cuda_llf_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaLlf, gst_cuda_llf, GST, CUDA_LLF,
    GstShapesTransform)

GST_ELEMENT_REGISTER_DECLARE (cudallf);

G_END_DECLS

#endif /* GST_CUDA_LLF_H */
