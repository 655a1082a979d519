/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The application's GPU: a context that outlives the pipelines, and its memory
 * use. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* Makes the context. Returns: FALSE, with a message, if there is no GPU */
gboolean device_open (void);
void device_close (void);

/* Shares the context with @pipeline, which otherwise creates its own. */
void device_share (GstElement * pipeline);

/* Memory in use: bytes of the GPU's memory, or objects of the CUDA mock. 0
 * without device_open(). */
guint64 device_get_used (void);

/* How much more may be in use after a case than before. */
guint64 device_get_allowance (void);

/* Objects not freed before their context; only with the CUDA mock. */
guint device_count_left (void);

/* Prints the kernels launched; only with the CUDA mock. */
void device_print_kernels (gboolean verbose);

G_END_DECLS
