/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is queued on streams and kept in graphs. Kernels are run if the
 * emulator is enabled, at once; what is captured, when its graph is
 * launched. */

#include <cuda_runtime_api.h>
#include <glib.h>

#include "../../emulator/machine/emulator.h"

typedef enum
{
  STUB_KERNEL,
  STUB_COPY,
  STUB_SET,
} StubWorkKind;

typedef struct
{
  StubWorkKind kind;
  /* a kernel */
  EmulatorLaunch launch;
  /* a copy, or memory that is set */
  gpointer to;
  gconstpointer from;
  gsize to_pitch, from_pitch, width, height;
  gint value;
} StubWork;

/* A kernel's launch; @args are copied if kernels are run. */
StubWork stub_kernel_work (const void *function, dim3 grid, dim3 block,
    void **args, gsize shared);
StubWork *stub_copy_work (const StubWork * work);
void stub_free_work (StubWork * work);
/* Runs @work, which stays the caller's. */
void stub_run_work (const StubWork * work, const gchar * caller);
/* Runs @work or adds it to what is captured, and takes what it holds. */
void stub_queue_work (cudaStream_t stream, StubWork work,
    const gchar * caller);

/* graph.c: adds @work if @stream is captured, and kernels are run. */
gboolean stub_capture_work (cudaStream_t stream, const StubWork * work);
