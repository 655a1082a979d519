/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Functions of the runtime that only programs that check kernels call */

#include <string.h>

#include <cuda_runtime_api.h>

#include "objects.h"
#include "runtime.h"
#include "work.h"

cudaError_t
cudaMalloc (void **data, size_t size)
{
  if (!mock_has_room (size))
    return mock_fail (cudaErrorMemoryAllocation);
  *data = mock_new (MOCK_DEVICE_MEMORY, MAX (size, 1));
  return cudaSuccess;
}

cudaError_t
cudaFree (void *data)
{
  if (data)
    mock_free (MOCK_DEVICE_MEMORY, data, __func__);
  return cudaSuccess;
}

cudaError_t
cudaMallocHost (void **data, size_t size)
{
  *data = g_malloc0 (MAX (size, 1));
  mock_add (MOCK_HOST_MEMORY, *data, MAX (size, 1));
  return cudaSuccess;
}

cudaError_t
cudaFreeHost (void *data)
{
  if (data)
    mock_free (MOCK_HOST_MEMORY, data, __func__);
  g_free (data);
  return cudaSuccess;
}

cudaError_t
cudaMemcpy (void *to, const void *from, size_t size, enum cudaMemcpyKind kind)
{
  return cudaMemcpyAsync (to, from, size, kind, NULL);
}

cudaError_t
cudaMemcpy2D (void *to, size_t to_pitch, const void *from, size_t from_pitch,
    size_t width, size_t height, enum cudaMemcpyKind kind)
{
  return cudaMemcpy2DAsync (to, to_pitch, from, from_pitch, width, height,
      kind, NULL);
}

cudaError_t
cudaMemset (void *to, int value, size_t size)
{
  return cudaMemsetAsync (to, value, size, NULL);
}

cudaError_t
cudaDeviceSynchronize (void)
{
  return cudaSuccess;
}

cudaError_t
cudaStreamCreate (cudaStream_t * stream)
{
  return cudaStreamCreateWithFlags (stream, 0);
}

cudaError_t
cudaGetDeviceProperties (struct cudaDeviceProp *properties, int device)
{
  memset (properties, 0, sizeof (*properties));
  g_strlcpy (properties->name, "emulated", sizeof (properties->name));
  properties->major = 9;
  properties->multiProcessorCount = 4;
  properties->sharedMemPerBlockOptin = 227 << 10;
  properties->totalGlobalMem = (gsize) 1 << 32;
  return cudaSuccess;
}
