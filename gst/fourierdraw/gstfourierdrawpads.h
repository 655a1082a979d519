/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_PADS_H
#define GST_FOURIER_DRAW_PADS_H

#include <gst/gst.h>

G_BEGIN_DECLS

/* The functions of the pads of a GstFourierDraw, @parent. */

GstFlowReturn gst_fourier_draw_chain (GstPad * pad, GstObject * parent,
    GstBuffer * buffer);
gboolean gst_fourier_draw_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event);
gboolean gst_fourier_draw_sink_query (GstPad * pad, GstObject * parent,
    GstQuery * query);
gboolean gst_fourier_draw_src_event (GstPad * pad, GstObject * parent,
    GstEvent * event);
gboolean gst_fourier_draw_src_query (GstPad * pad, GstObject * parent,
    GstQuery * query);
gboolean gst_fourier_draw_activate_src (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_PADS_H */
