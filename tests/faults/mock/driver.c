/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The functions of the driver that libgstcuda asks libcuda.so.1 for. Those that
 * allocate, copy or wait fail when the test program says so: libgstcuda does
 * not ask it. */

#include <cuda.h>
#include <cuda_runtime_api.h>

#include <string.h>

#include "base/fault.h"
#include "../../emulator/machine/emulator.h"
#include "objects.h"

#define FAIL_IF_ASKED(error) \
    G_STMT_START { \
      if (CS_FAULT (CS_FAULT_CUDA)) \
        return (error); \
    } G_STMT_END

/* Rows of memory begin at multiples of this. */
#define PITCH 512

CUresult
cuInit (unsigned flags)
{
  return CUDA_SUCCESS;
}

CUresult
cuDriverGetVersion (int *version)
{
  *version = CUDA_VERSION;
  return CUDA_SUCCESS;
}

CUresult
cuGetErrorName (CUresult error, const char **name)
{
  *name = "injected fault";
  return CUDA_SUCCESS;
}

CUresult
cuGetErrorString (CUresult error, const char **text)
{
  return cuGetErrorName (error, text);
}

/* The device */

CUresult
cuDeviceGetCount (int *n)
{
  *n = 1;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGet (CUdevice * device, int n)
{
  *device = 0;
  return n == 0 ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

CUresult
cuDeviceGetName (char *name, int size, CUdevice device)
{
  g_strlcpy (name, "stand-in", size);
  return CUDA_SUCCESS;
}

CUresult
cuDeviceGetAttribute (int *value, CUdevice_attribute attribute, CUdevice device)
{
  *value = attribute == CU_DEVICE_ATTRIBUTE_TEXTURE_ALIGNMENT ? PITCH : 9;
  return CUDA_SUCCESS;
}

CUresult
cuDeviceCanAccessPeer (int *can, CUdevice device, CUdevice peer)
{
  *can = 0;
  return CUDA_SUCCESS;
}

/* Contexts */

static _Thread_local GQueue stack = G_QUEUE_INIT;

CUresult
cuCtxPushCurrent (CUcontext context)
{
  mock_use (MOCK_CONTEXT, context, __func__);
  g_queue_push_head (&stack, context);
  mock_set_current (context);
  return CUDA_SUCCESS;
}

CUresult
cuCtxPopCurrent (CUcontext * context)
{
  CUcontext popped = g_queue_pop_head (&stack);

  if (!popped)
    g_error ("%s: no context is current", __func__);
  if (context)
    *context = popped;
  mock_set_current (g_queue_peek_head (&stack));
  return CUDA_SUCCESS;
}

/* The header's name is a newer one. */
CUresult cuCtxCreate_v2 (CUcontext * context, unsigned flags, CUdevice device);

CUresult
cuCtxCreate_v2 (CUcontext * context, unsigned flags, CUdevice device)
{
  *context = mock_new (MOCK_CONTEXT, 0);
  return cuCtxPushCurrent (*context);
}

CUresult
cuCtxDestroy (CUcontext context)
{
  mock_free_context (context);
  return CUDA_SUCCESS;
}

/* Streams */

CUresult
cuStreamCreate (CUstream * stream, unsigned flags)
{
  FAIL_IF_ASKED (CUDA_ERROR_OUT_OF_MEMORY);
  *stream = mock_new (MOCK_STREAM, 0);
  return CUDA_SUCCESS;
}

/* libgstcuda loads an older symbol version than the header's. */
#undef cuStreamDestroy
CUresult cuStreamDestroy (CUstream stream);

CUresult
cuStreamDestroy (CUstream stream)
{
  mock_free (MOCK_STREAM, stream, __func__);
  return CUDA_SUCCESS;
}

CUresult
cuStreamSynchronize (CUstream stream)
{
  FAIL_IF_ASKED (CUDA_ERROR_UNKNOWN);
  if (stream)
    mock_use (MOCK_STREAM, stream, __func__);
  return CUDA_SUCCESS;
}

/* GStreamer 1.24 asks for the newer one. */
CUresult cuStreamDestroy_v2 (CUstream stream);

CUresult
cuStreamDestroy_v2 (CUstream stream)
{
  return cuStreamDestroy (stream);
}

CUresult
cuCtxSynchronize (void)
{
  FAIL_IF_ASKED (CUDA_ERROR_UNKNOWN);
  return CUDA_SUCCESS;
}

/* Events */

CUresult
cuEventCreate (CUevent * event, unsigned flags)
{
  return (CUresult) cudaEventCreateWithFlags (event, flags);
}

CUresult cuEventDestroy_v2 (CUevent event);

CUresult
cuEventDestroy_v2 (CUevent event)
{
  return (CUresult) cudaEventDestroy (event);
}

CUresult
cuEventRecord (CUevent event, CUstream stream)
{
  return (CUresult) cudaEventRecord (event, stream);
}

CUresult
cuEventSynchronize (CUevent event)
{
  return (CUresult) cudaEventSynchronize (event);
}

/* Kernels of GStreamer's own elements, which compute nothing either */

CUresult
cuModuleLoadData (CUmodule * module, const void *image)
{
  FAIL_IF_ASKED (CUDA_ERROR_OUT_OF_MEMORY);
  *module = (CUmodule) image;
  return CUDA_SUCCESS;
}

CUresult
cuModuleUnload (CUmodule module)
{
  return CUDA_SUCCESS;
}

CUresult
cuModuleGetFunction (CUfunction * function, CUmodule module, const char *name)
{
  *function = (CUfunction) module;
  return CUDA_SUCCESS;
}

CUresult
cuTexObjectCreate (CUtexObject * texture, const CUDA_RESOURCE_DESC * resource,
    const CUDA_TEXTURE_DESC * description,
    const CUDA_RESOURCE_VIEW_DESC * view)
{
  FAIL_IF_ASKED (CUDA_ERROR_OUT_OF_MEMORY);
  *texture = 1;
  return CUDA_SUCCESS;
}

CUresult
cuTexObjectDestroy (CUtexObject texture)
{
  return CUDA_SUCCESS;
}

CUresult
cuLaunchKernel (CUfunction function, unsigned grid_x, unsigned grid_y,
    unsigned grid_z, unsigned block_x, unsigned block_y, unsigned block_z,
    unsigned shared, CUstream stream, void **args, void **extra)
{
  FAIL_IF_ASKED (CUDA_ERROR_LAUNCH_FAILED);
  return CUDA_SUCCESS;
}

/* Memory */

/* Sets rows to @value, of @size bytes, if kernels are run. */
static void
fill_rows (CUdeviceptr data, size_t pitch, const void *value, size_t size,
    size_t width, size_t height)
{
  size_t x, y;

  for (y = 0; y < height && emulator_is_enabled (); y++) {
    guint8 *row = emulator_reach ((void *) (data + y * pitch), width * size,
        TRUE);

    for (x = 0; x < width; x++)
      memcpy (row + x * size, value, size);
  }
}

#define MEMSET_2D(name, type, ...) \
    CUresult \
    name (CUdeviceptr data, size_t pitch, type value, size_t width, \
        __VA_ARGS__) \
    { \
      FAIL_IF_ASKED (CUDA_ERROR_UNKNOWN); \
      fill_rows (data, pitch, &value, sizeof (value), width, height); \
      return CUDA_SUCCESS; \
    }

MEMSET_2D (cuMemsetD2D8, unsigned char, size_t height)
MEMSET_2D (cuMemsetD2D16, unsigned short, size_t height)
MEMSET_2D (cuMemsetD2D32, unsigned int, size_t height)
MEMSET_2D (cuMemsetD2D8Async, unsigned char, size_t height, CUstream stream)
MEMSET_2D (cuMemsetD2D16Async, unsigned short, size_t height, CUstream stream)
MEMSET_2D (cuMemsetD2D32Async, unsigned int, size_t height, CUstream stream)

CUresult
cuMemAlloc (CUdeviceptr * data, size_t size)
{
  FAIL_IF_ASKED (CUDA_ERROR_OUT_OF_MEMORY);
  if (size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (!mock_has_room (size))
    return CUDA_ERROR_OUT_OF_MEMORY;
  *data = (CUdeviceptr) mock_new (MOCK_DEVICE_MEMORY, size);
  return CUDA_SUCCESS;
}

CUresult
cuMemAllocPitch (CUdeviceptr * data, size_t * pitch, size_t width,
    size_t height, unsigned element)
{
  *pitch = (width + PITCH - 1) / PITCH * PITCH;
  return cuMemAlloc (data, *pitch * height);
}

CUresult
cuMemFree (CUdeviceptr data)
{
  mock_free (MOCK_DEVICE_MEMORY, (gpointer) data, __func__);
  return CUDA_SUCCESS;
}

CUresult cuMemGetInfo_v2 (size_t * n_free, size_t * n_total);

CUresult
cuMemGetInfo_v2 (size_t * n_free, size_t * n_total)
{
  *n_total = MOCK_DEVICE_BYTES;
  *n_free = *n_total - mock_count_device_bytes ();
  return CUDA_SUCCESS;
}

CUresult
cuMemAllocHost (void **data, size_t size)
{
  FAIL_IF_ASKED (CUDA_ERROR_OUT_OF_MEMORY);
  *data = g_malloc0 (size);
  mock_add (MOCK_HOST_MEMORY, *data, size);
  return CUDA_SUCCESS;
}

CUresult
cuMemFreeHost (void *data)
{
  mock_free (MOCK_HOST_MEMORY, data, __func__);
  g_free (data);
  return CUDA_SUCCESS;
}

CUresult
cuMemcpy2D (const CUDA_MEMCPY2D * c)
{
  FAIL_IF_ASKED (CUDA_ERROR_UNKNOWN);
  const guint8 *from = c->srcMemoryType == CU_MEMORYTYPE_HOST ? c->srcHost :
      (gconstpointer) c->srcDevice;
  guint8 *to = c->dstMemoryType == CU_MEMORYTYPE_HOST ? c->dstHost :
      (gpointer) c->dstDevice;

  mock_copy (to + c->dstY * c->dstPitch + c->dstXInBytes, c->dstPitch,
      from + c->srcY * c->srcPitch + c->srcXInBytes, c->srcPitch,
      c->WidthInBytes, c->Height, __func__);
  return CUDA_SUCCESS;
}

CUresult
cuMemcpy2DAsync (const CUDA_MEMCPY2D * copy, CUstream stream)
{
  cuStreamSynchronize (stream);
  return cuMemcpy2D (copy);
}
