/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Makes libgstshapes's GstShapeEngine compute with this. */
void gst_shapes_engine_register (void);
