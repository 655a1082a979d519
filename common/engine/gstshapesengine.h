/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_ENGINE_H
#define GST_SHAPES_ENGINE_H

#include <glib.h>

G_BEGIN_DECLS

/* Makes libgstshapes's GstShapeEngine compute with this. */
void gst_shapes_engine_register (void);

G_END_DECLS

#endif /* GST_SHAPES_ENGINE_H */
