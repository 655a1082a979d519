/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* YUV with luma and chroma in one plane (YUY2, UYVY), as planes of their own. */

#include "base/executor.h"
#include "base/picture.h"
#include "base/scratch.h"

G_BEGIN_DECLS

/* Whether @picture's luma is interleaved with its chroma. */
gboolean cs_llf_packed_is (const CsPicture * picture);

/* Copies the samples of @picture to planes in @memory, which grows. @output is
 * where they will be joined. Fails with CS_ERROR_INVALID (device memory, another
 * depth than 8, strides or an output that do not fit) or CS_ERROR_NO_MEMORY. */
gboolean cs_llf_packed_split (const CsPicture * picture,
    const CsPicture * output, CsExecutor * executor, CsScratch * memory,
    CsPicture * planes, GError ** error);

/* Writes the samples of @planes to @picture; other bytes stay. */
void cs_llf_packed_join (const CsPicture * planes, CsExecutor * executor,
    const CsPicture * picture);

G_END_DECLS
