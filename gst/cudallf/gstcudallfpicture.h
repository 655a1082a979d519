/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef LLF_PICTURE_H
#define LLF_PICTURE_H

#include "element/gstshapesframe.h"

/* As gst_shapes_frame_get_picture(); the byte of a pixel that belongs to no
 * colour is alpha, which is kept, or written. */
gboolean llf_get_picture (GstShapesFrame * frame,
    CsPicture * picture, GError ** error);

#endif /* LLF_PICTURE_H */
