/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_DEBUG_H
#define GST_FOURIER_DRAW_DEBUG_H

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN (gst_fourier_draw_debug);
#define GST_CAT_DEFAULT gst_fourier_draw_debug

#endif /* GST_FOURIER_DRAW_DEBUG_H */
