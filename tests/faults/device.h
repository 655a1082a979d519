/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef FAULTS_DEVICE_H
#define FAULTS_DEVICE_H

/* The GPU as an application has it: a context that outlives the pipelines, and
 * what is used of its memory. */

#include <gst/gst.h>

G_BEGIN_DECLS

/* Makes the context. Returns: FALSE, with a message, if there is no GPU */
gboolean device_open (void);
void device_close (void);

/* Lets @pipeline use the context; otherwise it makes one of its own. */
void device_share (GstElement * pipeline);

/* What is in use: bytes of the GPU's memory, or, of the stand-in for CUDA,
 * objects. 0 without device_open(). */
guint64 device_get_used (void);

/* How much more may be in use after a case than before. */
guint64 device_get_allowance (void);

/* Objects that were not freed before their context; only the stand-in knows. */
guint device_count_left (void);

/* Prints which kernels were launched; only the stand-in knows. */
void device_print_kernels (gboolean verbose);

G_END_DECLS

#endif /* FAULTS_DEVICE_H */
