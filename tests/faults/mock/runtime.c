/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The functions of the CUDA runtime that the host code calls, in builds with
 * -Dcuda-mock=true. All succeed; the code under test calls the fault hook
 * itself. */

#include "runtime.h"

#include <string.h>

#include "objects.h"
#include "work.h"

/* Compute capability 9.0 */
#define MAJOR 9
#define MULTIPROCESSORS 4
#define SHARED_MEMORY (227 << 10)

static _Thread_local cudaError_t last_error;

cudaError_t
mock_fail (cudaError_t error)
{
  last_error = error;
  return error;
}

cudaError_t
cudaGetLastError (void)
{
  const cudaError_t error = last_error;

  last_error = cudaSuccess;
  return error;
}

cudaError_t
cudaPeekAtLastError (void)
{
  return last_error;
}

const char *
cudaGetErrorString (cudaError_t error)
{
  return "injected fault";
}

const char *
cudaGetErrorName (cudaError_t error)
{
  return error == cudaErrorMemoryAllocation ? "cudaErrorMemoryAllocation" :
      "another error";
}

/* The device */

cudaError_t
cudaGetDevice (int *device)
{
  *device = 0;
  return cudaSuccess;
}

cudaError_t
cudaGetDeviceCount (int *n)
{
  *n = 1;
  return cudaSuccess;
}

cudaError_t
cudaSetDevice (int device)
{
  return cudaSuccess;
}

cudaError_t
cudaDeviceGetAttribute (int *value, enum cudaDeviceAttr attribute, int device)
{
  switch (attribute) {
    case cudaDevAttrComputeCapabilityMajor:
      *value = MAJOR;
      break;
    case cudaDevAttrMultiProcessorCount:
      *value = MULTIPROCESSORS;
      break;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = SHARED_MEMORY;
      break;
    case cudaDevAttrComputeCapabilityMinor:
      /* unless CUDASHAPES_MAP_FRAMES says so */
    case cudaDevAttrIntegrated:
      *value = 0;
      break;
    case cudaDevAttrPageableMemoryAccess:
      /* the emulator knows page-locked memory */
      *value = !emulator_is_enabled ();
      break;
    case cudaDevAttrMaxGridDimX:
      *value = G_MAXINT32;
      break;
    default:
      /* what there is or not */
      *value = 1;
  }
  return cudaSuccess;
}

cudaError_t
cudaFuncGetAttributes (struct cudaFuncAttributes *attributes,
    const void *function)
{
  memset (attributes, 0, sizeof (*attributes));
  attributes->ptxVersion = attributes->binaryVersion = 10 * MAJOR;
  attributes->maxThreadsPerBlock = 1024;
  attributes->numRegs = 32;
  attributes->maxDynamicSharedSizeBytes = SHARED_MEMORY;
  if (emulator_is_enabled ()) {
    EmulatorAttributes own;

    emulator_get_attributes (function, &own);
    attributes->sharedSizeBytes = own.static_shared;
    attributes->localSizeBytes = own.local;
    attributes->maxThreadsPerBlock = own.max_threads;
    attributes->maxDynamicSharedSizeBytes -= own.static_shared;
  }
  return cudaSuccess;
}

cudaError_t
cudaFuncSetAttribute (const void *function, enum cudaFuncAttribute attribute,
    int value)
{
  return cudaSuccess;
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessor (int *n, const void *function,
    int block, size_t shared)
{
  *n = 2;
  return cudaSuccess;
}

cudaError_t
cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags (int *n,
    const void *function, int block, size_t shared, unsigned flags)
{
  *n = 2;
  return cudaSuccess;
}

/* Streams and events */

cudaError_t
cudaStreamCreateWithFlags (cudaStream_t * stream, unsigned flags)
{
  *stream = mock_new (MOCK_STREAM, 0);
  return cudaSuccess;
}

/* Streams are made as the product makes its own. */
cudaError_t
cudaStreamGetFlags (cudaStream_t stream, unsigned *flags)
{
  mock_use_stream (stream, __func__);
  *flags = stream ? cudaStreamNonBlocking : cudaStreamDefault;
  return cudaSuccess;
}

cudaError_t
cudaStreamDestroy (cudaStream_t stream)
{
  mock_check_not_captured (stream, __func__);
  mock_free (MOCK_STREAM, stream, __func__);
  return cudaSuccess;
}

cudaError_t
cudaStreamSynchronize (cudaStream_t stream)
{
  mock_use_stream (stream, __func__);
  mock_check_not_captured (stream, __func__);
  return cudaSuccess;
}

cudaError_t
cudaStreamQuery (cudaStream_t stream)
{
  mock_use_stream (stream, __func__);
  mock_check_not_captured (stream, __func__);
  return cudaSuccess;
}

cudaError_t
cudaStreamWaitEvent (cudaStream_t stream, cudaEvent_t event, unsigned flags)
{
  mock_use_stream (stream, __func__);
  mock_use (MOCK_EVENT, event, __func__);
  return cudaSuccess;
}

cudaError_t
cudaEventCreateWithFlags (cudaEvent_t * event, unsigned flags)
{
  *event = mock_new (MOCK_EVENT, 0);
  return cudaSuccess;
}

cudaError_t
cudaEventCreate (cudaEvent_t * event)
{
  return cudaEventCreateWithFlags (event, 0);
}

cudaError_t
cudaEventDestroy (cudaEvent_t event)
{
  mock_free (MOCK_EVENT, event, __func__);
  return cudaSuccess;
}

cudaError_t
cudaEventRecord (cudaEvent_t event, cudaStream_t stream)
{
  mock_use (MOCK_EVENT, event, __func__);
  mock_use_stream (stream, __func__);
  return cudaSuccess;
}

cudaError_t
cudaEventSynchronize (cudaEvent_t event)
{
  mock_use (MOCK_EVENT, event, __func__);
  return cudaSuccess;
}

cudaError_t
cudaEventQuery (cudaEvent_t event)
{
  mock_use (MOCK_EVENT, event, __func__);
  return cudaSuccess;
}

cudaError_t
cudaEventElapsedTime (float *ms, cudaEvent_t begin, cudaEvent_t end)
{
  mock_use (MOCK_EVENT, begin, __func__);
  mock_use (MOCK_EVENT, end, __func__);
  *ms = 1;
  return cudaSuccess;
}

/* Memory */

cudaError_t
cudaMallocAsync (void **data, size_t size, cudaStream_t stream)
{
  mock_use_stream (stream, __func__);
  if (!mock_has_room (size))
    return mock_fail (cudaErrorMemoryAllocation);
  *data = mock_new (MOCK_DEVICE_MEMORY, size);
  return cudaSuccess;
}

cudaError_t
cudaMallocFromPoolAsync (void **data, size_t size, cudaMemPool_t pool,
    cudaStream_t stream)
{
  mock_use (MOCK_POOL, pool, __func__);
  return cudaMallocAsync (data, size, stream);
}

cudaError_t
cudaFreeAsync (void *data, cudaStream_t stream)
{
  mock_use_stream (stream, __func__);
  mock_free (MOCK_DEVICE_MEMORY, data, __func__);
  return cudaSuccess;
}

cudaError_t
cudaMemPoolCreate (cudaMemPool_t * pool, const struct cudaMemPoolProps *props)
{
  *pool = mock_new (MOCK_POOL, 0);
  return cudaSuccess;
}

cudaError_t
cudaMemPoolDestroy (cudaMemPool_t pool)
{
  mock_free (MOCK_POOL, pool, __func__);
  return cudaSuccess;
}

cudaError_t
cudaMemPoolSetAttribute (cudaMemPool_t pool, enum cudaMemPoolAttr attribute,
    void *value)
{
  mock_use (MOCK_POOL, pool, __func__);
  return cudaSuccess;
}

/* Kernels that count into page-locked memory have counted nothing. */
cudaError_t
cudaHostRegister (void *data, size_t size, unsigned flags)
{
  if (!emulator_is_enabled ())
    memset (data, 0, size);
  mock_add (MOCK_HOST_MEMORY, data, size);
  return cudaSuccess;
}

cudaError_t
cudaHostUnregister (void *data)
{
  mock_free (MOCK_HOST_MEMORY, data, __func__);
  return cudaSuccess;
}

cudaError_t
cudaHostGetDevicePointer (void **device, void *data, unsigned flags)
{
  if (!mock_is_in (MOCK_HOST_MEMORY, data))
    return cudaErrorInvalidValue;
  *device = data;
  return cudaSuccess;
}

cudaError_t
cudaPointerGetAttributes (struct cudaPointerAttributes *attributes,
    const void *data)
{
  memset (attributes, 0, sizeof (*attributes));
  attributes->type = mock_is_in (MOCK_DEVICE_MEMORY, data) ?
      cudaMemoryTypeDevice : mock_is_in (MOCK_HOST_MEMORY, data) ?
      cudaMemoryTypeHost : cudaMemoryTypeUnregistered;
  if (attributes->type != cudaMemoryTypeUnregistered)
    attributes->devicePointer = (void *) data;
  return cudaSuccess;
}

static MockWork
copy_work (void *to, size_t to_pitch, const void *from, size_t from_pitch,
    size_t width, size_t height)
{
  MockWork work = { MOCK_COPY };

  work.to = to;
  work.to_pitch = to_pitch;
  work.from = from;
  work.from_pitch = from_pitch;
  work.width = width;
  work.height = height;
  return work;
}

cudaError_t
cudaMemcpyAsync (void *to, const void *from, size_t size,
    enum cudaMemcpyKind kind, cudaStream_t stream)
{
  mock_use_stream (stream, __func__);
  mock_queue_work (stream, copy_work (to, size, from, size, size, 1), __func__);
  return cudaSuccess;
}

cudaError_t
cudaMemcpy2DAsync (void *to, size_t to_pitch, const void *from,
    size_t from_pitch, size_t width, size_t height, enum cudaMemcpyKind kind,
    cudaStream_t stream)
{
  mock_use_stream (stream, __func__);
  mock_queue_work (stream, copy_work (to, to_pitch, from, from_pitch, width,
          height), __func__);
  return cudaSuccess;
}

cudaError_t
cudaMemsetAsync (void *to, int value, size_t size, cudaStream_t stream)
{
  MockWork work = { MOCK_SET };

  mock_use_stream (stream, __func__);
  work.to = to;
  work.value = value;
  work.width = size;
  mock_queue_work (stream, work, __func__);
  return cudaSuccess;
}
