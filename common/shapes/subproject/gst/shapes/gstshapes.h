/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* <gst/shapes/gstshapes.h> for a project that has this one as a subproject */
#include "../../../gstshapes.h"
