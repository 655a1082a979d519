/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_H
#define GST_FOURIER_DRAW_H

#include <gst/gst.h>

G_BEGIN_DECLS

#define GST_TYPE_FOURIER_DRAW (gst_fourier_draw_get_type ())
G_DECLARE_FINAL_TYPE (GstFourierDraw, gst_fourier_draw, GST, FOURIER_DRAW,
    GstElement)

GST_ELEMENT_REGISTER_DECLARE (fourierdraw);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_H */
