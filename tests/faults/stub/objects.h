/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Live objects of the CUDA mock. Use of an invalid or destroyed handle, and a
 * copy beyond a block of memory end the process with a message.
 *
 * Device memory is inaccessible address space: copies from it are zeros, and
 * host code that accesses it crashes.
 */

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  STUB_DEVICE_MEMORY,
  STUB_HOST_MEMORY,             /* page-locked: allocated or registered */
  STUB_POOL,
  STUB_STREAM,
  STUB_EVENT,
  STUB_GRAPH,
  STUB_GRAPH_EXEC,
  STUB_CONTEXT,
  N_STUB_KINDS,
} StubKind;

/* Objects belong to the context that is current in the thread. */
void stub_set_current (gpointer context);
gpointer stub_get_current (void);

/* A new object; of memory on the device, @size bytes. */
gpointer stub_new (StubKind kind, gsize size);
/* @data, which is the caller's, becomes an object of @size bytes. */
void stub_add (StubKind kind, gpointer data, gsize size);
/* Ends an object; @caller is a function's name for the message. */
void stub_free (StubKind kind, gpointer object, const gchar * caller);
/* Destroys a context; stub_count_left() returns the objects leaked in it. */
void stub_free_context (gpointer context);
/* Checks that @object is there. */
void stub_use (StubKind kind, gpointer object, const gchar * caller);

/* Whether @data is in memory of this kind. */
gboolean stub_is_in (StubKind kind, gconstpointer data);

/* Checks that @stream is there, or the default one and kernels are run. */
void stub_use_stream (gpointer stream, const gchar * caller);

/* Memory of the device, where kernels are run, and the bytes of it that are
 * allocated */
#define STUB_DEVICE_BYTES ((gsize) 4 << 30)
gsize stub_count_device_bytes (void);
/* Whether @size bytes can be allocated. */
gboolean stub_has_room (gsize size);

/* Copies @height rows; device memory reads as zeros unless kernels are run. */
void stub_copy (gpointer to, gsize to_pitch, gconstpointer from,
    gsize from_pitch, gsize width, gsize height, const gchar * caller);
/* Checks a write to memory of the device. */
void stub_set (gpointer to, gint value, gsize size, const gchar * caller);

G_END_DECLS
