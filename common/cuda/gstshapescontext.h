/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Robustness against applications that destroy their CUDA context while it is
 * in use. Only in builds with HAVE_CUDA.
 */

#include <glib.h>

/* Keeps the driver's handle of @context, a GstCudaContext, valid until the
 * object is finalized, even if the application destroys it: calls then return
 * errors. Idempotent. Returns: FALSE with @error set if the thread needed for
 * this cannot be started */
gboolean gst_shapes_context_hold (gpointer context, GError ** error);

/* Makes @context current to free its resources. If it has been destroyed, so
 * have its GPU resources: until gst_shapes_context_leave(), kernels and
 * cs_cuda_...() free only host resources. Calls nest.
 *
 * Returns: the argument of gst_shapes_context_leave() */
guint gst_shapes_context_enter_to_free (gpointer context);
void gst_shapes_context_leave (guint entered);
