/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the kernels' test programs need of a GPU, in C. Without CUDA in the
 * build, or without a device, check_device_open() fails and nothing else may be
 * called. */

#include <glib.h>

G_BEGIN_DECLS

/* Makes device 0 current on this thread. */
gboolean check_device_open (char *name, gsize name_size);

/* A new stream, a cudaStream_t. */
void *check_device_stream_new (void);
void check_device_stream_free (void *stream);

/* Fail by printing and exiting: tests need no more. */
void *check_device_alloc (gsize size);
void check_device_free (void *data);
void *check_device_alloc_pinned (gsize size);
void check_device_free_pinned (void *data);

/* Any direction, after all that was queued, complete on return. */
void check_device_copy (void *to, const void *from, gsize size);
void check_device_fill (void *to, guint8 byte, gsize size);

/* Milliseconds of device time for each of @n calls of @func, queued back to
 * back on @stream. */
double check_device_time (void *stream, guint n, void (*func) (void *),
    void *user_data);

G_END_DECLS
