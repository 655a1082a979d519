/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <gst/shapes/gstshapes.h>, where nothing is installed */
#include "../../../gstshapes.h"
