/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gpu.h"

#include "cuda/gstshapesdevice.h"

#ifdef HAVE_CUDA

#include <unistd.h>

#include "base/cuda_memory.h"
#include "cuda/gstshapesdeviceblocks.h"
#include "cuda/gstshapesdriver.h"

#define MAX_GPUS 64

static GMutex lock;
static CsGpu *gpus[MAX_GPUS];   /* with lock */
static gint opened_by;          /* process that has used CUDA; 0: none */

static gboolean
enter (gpointer gpu, GError ** error)
{
  if (CuCtxPushCurrent (((CsGpu *) gpu)->context) == CUDA_SUCCESS)
    return TRUE;
  return cs_error (error, CS_ERROR_DEVICE,
      "cannot make the CUDA context current");
}

static void
leave (gpointer gpu)
{
  CUcontext context;

  CuCtxPopCurrent (&context);
}

static guint
enter_to_free (gpointer gpu)
{
  return enter (gpu, NULL);
}

static void
leave_freed (gpointer gpu, guint entered)
{
  if (entered)
    leave (gpu);
}

const CsContextOps cs_gpu_ops = {
  .enter = enter,
  .leave = leave,
  .enter_to_free = enter_to_free,
  .leave_freed = leave_freed,
};

gboolean
cs_gpu_is_usable (GError ** error)
{
  const gint by = g_atomic_int_get (&opened_by);

  if (by == 0 || by == (gint) getpid ())
    return TRUE;
  return cs_error (error, CS_ERROR_NOT_SUPPORTED, "CUDA was used before this "
      "process was forked, and cannot be used after: start processes by "
      "multiprocessing's \"spawn\" or \"forkserver\"");
}

static CsGpu *
open_gpu (guint id, GError ** error)
{
  const gchar *reason;
  const guint n = gst_shapes_device_probe (&reason);
  CsGpu gpu = {.id = id };
  CUdevice device;
  CUcontext context;

  if (n == 0)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s",
        reason);
  if (id >= MIN (n, MAX_GPUS))
    return cs_fail_null (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED,
        "there is no GPU %u: %s", id, reason);
  if (CuDeviceGet (&device, id) != CUDA_SUCCESS
      || CuDevicePrimaryCtxRetain (&context, device) != CUDA_SUCCESS)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_DEVICE,
        "GPU %u gave no CUDA context (is its memory full?)", id);
  gpu.context = context;
  if (!enter (&gpu, error))
    return NULL;
  gpu.heap = cs_cuda_heap_new (error);
  leave (&gpu);
  if (!gpu.heap)
    return NULL;
  gpu.blocks = gst_shapes_device_blocks_new (gpu.heap);
  return g_memdup2 (&gpu, sizeof (gpu));
}

CsGpu *
cs_gpu_open (guint id, GError ** error)
{
  if (!cs_gpu_is_usable (error))
    return NULL;
  g_mutex_lock (&lock);
  CsGpu *gpu = id < MAX_GPUS ? gpus[id] : NULL;
  if (!gpu) {
    gpu = open_gpu (id, error);
    if (gpu) {
      gpus[id] = gpu;
      g_atomic_int_set (&opened_by, (gint) getpid ());
    }
  }
  g_mutex_unlock (&lock);
  return gpu;
}

#else

const CsContextOps cs_gpu_ops;

gboolean
cs_gpu_is_usable (GError ** error)
{
  return TRUE;
}

CsGpu *
cs_gpu_open (guint id, GError ** error)
{
  const gchar *reason;

  gst_shapes_device_probe (&reason);
  return cs_fail_null (error, CS_ERROR, CS_ERROR_NOT_SUPPORTED, "%s", reason);
}

#endif
