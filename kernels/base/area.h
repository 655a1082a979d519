/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "executor.h"
#include "image.h"

G_BEGIN_DECLS

/* Scales @image to @width x @height: each pixel of the result is the mean of
 * the rectangle of @image that it covers, where a pixel that is covered in part
 * counts with that part. Sums are exact for samples of 8 and 16 bits, so that a
 * flat area stays exactly flat. The same bits on the CPU and on a GPU.
 *
 * @executor: its threads share the work on an image on the host; of one on a
 *     GPU the calling thread does it
 * @image: one channel, CS_SAMPLE_U8, CS_SAMPLE_U16 or CS_SAMPLE_F32; at most
 *     65536 columns and rows
 * @out: @width * @height floats in dense rows, in device memory when @image is,
 *     else on the host
 * Fails with CS_ERROR_DEVICE; never on the host. On a GPU the result is there in
 * stream order. */
gboolean cs_area_average (CsExecutor * executor, const CsImage * image,
    guint width, guint height, float *out, GError ** error);

G_END_DECLS
