/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "area.h"

G_BEGIN_DECLS

/* The part on the GPU. Only in builds with HAVE_CUDA. */
gboolean cs_area_average_cuda (void *stream, const CsImage * image,
    guint width, guint height, float *out, GError ** error);

G_END_DECLS
