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
  MOCK_KERNEL,
  MOCK_COPY,
  MOCK_SET,
} MockWorkKind;

typedef struct
{
  MockWorkKind kind;
  /* a kernel */
  EmulatorLaunch launch;
  /* a copy, or memory that is set */
  gpointer to;
  gconstpointer from;
  gsize to_pitch, from_pitch, width, height;
  gint value;
} MockWork;

/* A kernel's launch; @args are copied if kernels are run. */
MockWork mock_kernel_work (const void *function, dim3 grid, dim3 block,
    void **args, gsize shared);
MockWork *mock_copy_work (const MockWork * work);
void mock_free_work (MockWork * work);
/* Runs @work, which stays the caller's. */
void mock_run_work (const MockWork * work, const gchar * caller);
/* Runs @work or adds it to what is captured, and takes what it holds. */
void mock_queue_work (cudaStream_t stream, MockWork work,
    const gchar * caller);

/* graph.c: adds @work if @stream is captured, and kernels are run. */
gboolean mock_capture_work (cudaStream_t stream, const MockWork * work);
