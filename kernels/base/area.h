/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "executor.h"
#include "image.h"

G_BEGIN_DECLS

/* Scales @image to @width x @height: each pixel of the result is the mean of
 * the rectangle of @image that it covers, where a pixel that is covered in part
 * counts with that part. Sums are exact for samples of 8 and 16 bits, so that a
 * flat area stays exactly flat.
 *
 * @executor: its threads share the work; on a GPU the calling thread does it
 * @image: one channel, CS_SAMPLE_U8, CS_SAMPLE_U16 or CS_SAMPLE_F32, on the
 *     host; at most 65536 columns and rows
 * @out: @width * @height floats in dense rows */
void cs_area_average (CsExecutor * executor, const CsImage * image,
    guint width, guint height, float *out);

G_END_DECLS
