/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "llf/llf.h"

G_BEGIN_DECLS

/**
 * LlfFill:
 * @LLF_NATURAL: slopes, edges, discs and noise whose power falls with
 *     frequency, as photographs have
 * @LLF_NOISE: every value as likely as another
 * @LLF_TEXTURE: fine stripes and checks over a slope
 * @LLF_EDGE: two surfaces with a faint grain, and the edge between them: few
 *     differences, all of them where curves bend most
 */
typedef enum
{
  LLF_NATURAL,
  LLF_NOISE,
  LLF_TEXTURE,
  LLF_EDGE,
  LLF_N_FILLS,
} LlfFill;

const char *llf_fill_name (LlfFill fill);

/* Values of 0 to 1 in dense rows; the same for the same seed. Free with
 * g_free(). */
double *llf_image_new (LlfFill fill, guint width, guint height, guint32 seed);

/* Rounded to codes of 0 to @most. */
guint16 *llf_codes_new (LlfFill fill, guint width, guint height, guint most);

/* From @in to @out, both of dense rows in host memory. */
CsLlfFrame llf_frame (const void *in, CsSampleType type, guint width,
    guint height, void *out);

G_END_DECLS
