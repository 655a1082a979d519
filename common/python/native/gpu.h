/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* GPUs with their primary contexts, which other libraries use, too. */

#include "arrays/workers.h"

G_BEGIN_DECLS

typedef struct _CsCudaHeap CsCudaHeap;
typedef struct _GstShapesDeviceBlocks GstShapesDeviceBlocks;

/**
 * CsGpu:
 * @id: its number
 * @context: the CUcontext
 * @heap, @blocks: memory of results, and what of it waits for the next one
 */
typedef struct
{
  guint id;
  gpointer context;
  CsCudaHeap *heap;
  GstShapesDeviceBlocks *blocks;
} CsGpu;

/* GPU number @id, which stays open until the process ends. Any thread.
 *
 * Returns: (transfer none): or %NULL with @error set: CS_ERROR_NOT_SUPPORTED
 *     without such a GPU or a driver for it, CS_ERROR_NO_MEMORY,
 *     CS_ERROR_DEVICE */
CsGpu *cs_gpu_open (guint id, GError ** error);

/* Of a CsGpu. */
extern const CsContextOps cs_gpu_ops;

/* FALSE with @error set in a child of fork(), where what was made before cannot
 * be used. */
gboolean cs_gpu_is_usable (GError ** error);

G_END_DECLS
