/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FOURIER_DEBUG_H
#define FOURIER_DEBUG_H

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN (fourier_debug);
#define GST_CAT_DEFAULT fourier_debug

#endif /* FOURIER_DEBUG_H */
