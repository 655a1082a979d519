/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "gstshaperesult.h"

/* Takes over @payload (nullable), whose memory @arrays are in and which
 * @release frees. */
GstShapeResult *gst_shape_result_new (const GstShapeResultArrays * arrays,
    gpointer payload, GDestroyNotify release);
