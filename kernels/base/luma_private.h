/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "luma.h"

G_BEGIN_DECLS

/* The part on the GPU, inputs checked. Only in builds with HAVE_CUDA. */
gboolean cs_luma_run_cuda (void *stream, const CsImage rgb[3],
    float red_weight, float blue_weight, float *luma, GError ** error);

G_END_DECLS
