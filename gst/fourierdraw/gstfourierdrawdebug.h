/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

GST_DEBUG_CATEGORY_EXTERN (fourier_debug);
#define GST_CAT_DEFAULT fourier_debug
