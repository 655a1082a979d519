/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Memory for a GPU's results, for C callers that know nothing of the CUDA
 * runtime. Every function wants the same CUDA context current on the calling
 * thread. Only in builds with HAVE_CUDA.
 */

#include <glib.h>

#include "error.h"

G_BEGIN_DECLS

/* Between TRUE and FALSE the calling thread frees what was made in a context
 * that is gone, as when an application has destroyed its own: functions that
 * free then free what the host has, and leave the GPU, where nothing is left,
 * alone. Kernels' own functions that free do the same. Calls nest. */
void cs_cuda_set_context_lost (gboolean lost);
gboolean cs_cuda_context_is_lost (void);

/* Whether the current context has not been destroyed. */
gboolean cs_cuda_context_is_alive (void);

/* Page-locked memory that all contexts can copy from and to, and kernels can
 * reach; slow to make. Ordinary memory of the process: it can be read even when
 * the context is gone. Freeing always frees; an error says that it could not be
 * unlocked before. */
void *cs_cuda_pinned_alloc (gsize size, GError ** error);
gboolean cs_cuda_pinned_free (void *data, GError ** error);

/**
 * CsCudaPinned:
 *
 * Page-locked memory that only grows, by half again each time, as #CsScratch.
 * Zero-initialise it. Contents do not survive growth.
 */
typedef struct
{
  void *data;
  gsize size;
} CsCudaPinned;

/* At least @size bytes, or %NULL with @error set and @pinned empty. */
void *cs_cuda_pinned_ensure (CsCudaPinned * pinned, gsize size,
    GError ** error);
void cs_cuda_pinned_clear (CsCudaPinned * pinned);

/* The number of the GPU whose memory @data is; -1 if it is of none. */
int cs_cuda_device_of (const void *data);

/* A stream that does not wait for the default stream, and its end. */
void *cs_cuda_stream_new (GError ** error);
gboolean cs_cuda_stream_free (void *stream, GError ** error);

/* Whether @stream, somebody's, waits for the default stream, and that for it. */
gboolean cs_cuda_stream_is_blocking (void *stream);

/* Whether all that was queued on @stream is known to be done. */
gboolean cs_cuda_stream_is_idle (void *stream);

/* Returns when all that was queued on @stream is done. */
gboolean cs_cuda_stream_wait (void *stream, GError ** error);

/* An event, for streams to wait for, and its end. What waits for it goes on
 * doing so when it has been recorded again, or is gone. */
void *cs_cuda_event_new (GError ** error);
gboolean cs_cuda_event_free (void *event, GError ** error);

/* Queues @event on @stream: it completes when all that was queued before has. */
gboolean cs_cuda_event_record (void *event, void *stream, GError ** error);

/* Whether what @event was recorded after last is known to be done. */
gboolean cs_cuda_event_is_done (void *event);

/* What is queued on @stream from now on waits for @event, as it was recorded
 * last. */
gboolean cs_cuda_event_wait (void *event, void *stream, GError ** error);

/**
 * CsCudaHeap:
 *
 * Device memory in stream order, in a memory pool of its own that keeps up to
 * 256 MiB instead of giving it back to the driver at every synchronisation, and
 * the stream on which memory is released. Safe from any thread.
 */
typedef struct _CsCudaHeap CsCudaHeap;

CsCudaHeap *cs_cuda_heap_new (GError ** error);

/* Frees the heap, after everything was released; does not wait for releases
 * that are still queued. */
void cs_cuda_heap_free (CsCudaHeap * heap);

/* @size bytes, aligned to 256, for use on @stream from now on. */
void *cs_cuda_heap_alloc (CsCudaHeap * heap, gsize size, void *stream,
    GError ** error);

/* Gives @data back once @events (their number is @n_events) have come; does not
 * wait for them on the host. Goes on after an error, and reports the first. */
gboolean cs_cuda_heap_release (CsCudaHeap * heap, void *data, void **events,
    guint n_events, GError ** error);

/**
 * CsCudaCopy:
 *
 * @size bytes to copy between the host and the device.
 */
typedef struct
{
  void *host;
  const void *device;
  gsize size;
} CsCudaCopy;

/* Copies device memory to the host, and waits for all of it. */
gboolean cs_cuda_heap_download (CsCudaHeap * heap, const CsCudaCopy * copies,
    guint n_copies, GError ** error);

/* Copies host memory to the device, and waits for it. */
gboolean cs_cuda_heap_upload (CsCudaHeap * heap, void *device,
    const void *host, gsize size, GError ** error);

G_END_DECLS
