/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstshaperesult.h"

G_BEGIN_DECLS

/* Takes over @payload (nullable), whose memory @arrays are in and which
 * @release frees. */
G_GNUC_INTERNAL GstShapeResult *gst_shape_result_new (const
    GstShapeResultArrays * arrays, gpointer payload, GDestroyNotify release);

G_END_DECLS
