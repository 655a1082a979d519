/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A libcuda.so.1 of machines without a usable GPU: it exports what libgstcuda
 * loads. FAKE_INIT is the result of cuInit(), FAKE_DEVICES the number of GPUs,
 * and FAKE_VERSION the version of CUDA that the driver is for. Every other
 * function fails with a message, because none may be called. */

#include <stdio.h>
#include <stdlib.h>

#define EXPORT __attribute__ ((visibility ("default")))

#define UNEXPECTED(name) \
EXPORT int name (void); \
int \
name (void) \
{ \
  fprintf (stderr, "fakecuda: unexpected call of %s\n", #name); \
  abort (); \
}

EXPORT int cuInit (unsigned flags);
EXPORT int cuDeviceGetCount (int *count);
EXPORT int cuDriverGetVersion (int *version);
EXPORT int cuGetErrorName (int error, const char **name);
EXPORT int cuGetErrorString (int error, const char **string);

int
cuInit (unsigned flags)
{
  return FAKE_INIT;
}

int
cuDeviceGetCount (int *count)
{
  *count = FAKE_DEVICES;
  return 0;
}

int
cuDriverGetVersion (int *version)
{
  *version = FAKE_VERSION;
  return 0;
}

int
cuGetErrorName (int error, const char **name)
{
  *name = "CUDA_ERROR_FAKE";
  return 0;
}

int
cuGetErrorString (int error, const char **string)
{
  *string = "a fake error";
  return 0;
}

UNEXPECTED (cuCtxCreate_v2)
UNEXPECTED (cuCtxDestroy_v2)
UNEXPECTED (cuCtxPopCurrent_v2)
UNEXPECTED (cuCtxPushCurrent_v2)
UNEXPECTED (cuCtxEnablePeerAccess)
UNEXPECTED (cuCtxDisablePeerAccess)
UNEXPECTED (cuGraphicsMapResources)
UNEXPECTED (cuGraphicsUnmapResources)
UNEXPECTED (cuGraphicsSubResourceGetMappedArray)
UNEXPECTED (cuGraphicsResourceGetMappedPointer)
UNEXPECTED (cuGraphicsResourceGetMappedPointer_v2)
UNEXPECTED (cuGraphicsResourceSetMapFlags_v2)
UNEXPECTED (cuGraphicsUnregisterResource)
UNEXPECTED (cuGraphicsGLRegisterImage)
UNEXPECTED (cuGraphicsGLRegisterBuffer)
UNEXPECTED (cuGLGetDevices_v2)
UNEXPECTED (cuMemAlloc_v2)
UNEXPECTED (cuMemAllocPitch_v2)
UNEXPECTED (cuMemAllocHost_v2)
UNEXPECTED (cuMemcpy2D_v2)
UNEXPECTED (cuMemcpy2DAsync_v2)
UNEXPECTED (cuMemFree_v2)
UNEXPECTED (cuMemFreeHost)
UNEXPECTED (cuStreamCreate)
UNEXPECTED (cuStreamDestroy_v2)
UNEXPECTED (cuStreamDestroy)
UNEXPECTED (cuStreamSynchronize)
UNEXPECTED (cuDeviceGet)
UNEXPECTED (cuDeviceGetName)
UNEXPECTED (cuDeviceGetAttribute)
UNEXPECTED (cuDeviceCanAccessPeer)
UNEXPECTED (cuDevicePrimaryCtxRetain)
UNEXPECTED (cuModuleLoadData)
UNEXPECTED (cuModuleUnload)
UNEXPECTED (cuModuleGetFunction)
UNEXPECTED (cuTexObjectCreate)
UNEXPECTED (cuTexObjectDestroy)
UNEXPECTED (cuLaunchKernel)
/* since 1.24 */
UNEXPECTED (cuMemcpy2DUnaligned_v2)
UNEXPECTED (cuEventCreate)
UNEXPECTED (cuEventDestroy_v2)
UNEXPECTED (cuEventRecord)
UNEXPECTED (cuEventSynchronize)
UNEXPECTED (cuEventQuery)
UNEXPECTED (cuIpcGetEventHandle)
UNEXPECTED (cuIpcOpenEventHandle)
UNEXPECTED (cuIpcGetMemHandle)
UNEXPECTED (cuIpcOpenMemHandle_v2)
UNEXPECTED (cuIpcCloseMemHandle)
UNEXPECTED (cuMemsetD2D8Async)
UNEXPECTED (cuMemsetD2D16Async)
UNEXPECTED (cuMemsetD2D32Async)
