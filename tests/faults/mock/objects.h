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
  MOCK_DEVICE_MEMORY,
  MOCK_HOST_MEMORY,             /* page-locked: allocated or registered */
  MOCK_POOL,
  MOCK_STREAM,
  MOCK_EVENT,
  MOCK_GRAPH,
  MOCK_GRAPH_EXEC,
  MOCK_CONTEXT,
  N_MOCK_KINDS,
} MockKind;

/* Objects belong to the context that is current in the thread. */
void mock_set_current (gpointer context);
gpointer mock_get_current (void);

/* A new object; of memory on the device, @size bytes. */
gpointer mock_new (MockKind kind, gsize size);
/* @data, which is the caller's, becomes an object of @size bytes. */
void mock_add (MockKind kind, gpointer data, gsize size);
/* Ends an object; @caller is a function's name for the message. */
void mock_free (MockKind kind, gpointer object, const gchar * caller);
/* Destroys a context; mock_count_left() returns the objects leaked in it. */
void mock_free_context (gpointer context);
/* Checks that @object is there. */
void mock_use (MockKind kind, gpointer object, const gchar * caller);

/* Whether @data is in memory of this kind. */
gboolean mock_is_in (MockKind kind, gconstpointer data);

/* Checks that @stream is there, or the default one and kernels are run. */
void mock_use_stream (gpointer stream, const gchar * caller);

/* Memory of the device, where kernels are run, and the bytes of it that are
 * allocated */
#define MOCK_DEVICE_BYTES ((gsize) 4 << 30)
gsize mock_count_device_bytes (void);
/* Whether @size bytes can be allocated. */
gboolean mock_has_room (gsize size);

/* Copies @height rows; device memory reads as zeros unless kernels are run. */
void mock_copy (gpointer to, gsize to_pitch, gconstpointer from,
    gsize from_pitch, gsize width, gsize height, const gchar * caller);
/* Checks a write to memory of the device. */
void mock_set (gpointer to, gint value, gsize size, const gchar * caller);

G_END_DECLS
