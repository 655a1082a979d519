/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "executor.h"
#include "image.h"

G_BEGIN_DECLS

/* Computes the luma of red, green and blue,
 *   Y' = g + red_weight * (r - g) + blue_weight * (b - g),
 * which is exactly the gray value where r = g = b, in single precision and not
 * rounded further.
 *
 * @rgb: three single-channel views of equal size, CS_SAMPLE_U8 or
 *     CS_SAMPLE_U16, all in the same memory
 * @luma: width * height floats in dense rows, in device memory when @rgb is,
 *     else on the host
 * Fails with CS_ERROR_INVALID (views that do not fit together), or
 * CS_ERROR_DEVICE. On a GPU the result is there in stream order. */
gboolean cs_luma_run (CsExecutor * executor, const CsImage rgb[3],
    float red_weight, float blue_weight, float *luma, GError ** error);

G_END_DECLS
