/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_CONTEXT_H
#define GST_SHAPES_CONTEXT_H

/*
 * CUDA contexts that belong to the application, which may destroy them at any
 * time, as far as it is up to us without harm. Only in builds with HAVE_CUDA.
 */

#include <glib.h>

G_BEGIN_DECLS

/* Keeps the driver's side of @context, a GstCudaContext, usable until the
 * object is finalized, even if the application destroys it: what uses it then
 * reports an error. Any number of calls. Returns: FALSE with @error set when
 * the thread that this takes cannot be started */
gboolean gst_shapes_context_hold (gpointer context, GError ** error);

/* Makes @context current to free what belongs to it. When it is gone, what was
 * on the GPU went with it: then kernels and cs_cuda_...() free only what is on
 * the host until gst_shapes_context_leave(). Calls nest.
 *
 * Returns: what gst_shapes_context_leave() wants to know */
guint gst_shapes_context_enter_to_free (gpointer context);
void gst_shapes_context_leave (guint entered);

G_END_DECLS

#endif /* GST_SHAPES_CONTEXT_H */
