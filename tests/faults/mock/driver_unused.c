/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What libgstcuda looks for in libcuda.so.1, and no element here uses. Names
 * only: nothing else of them is known here. */

#define UNUSED(name) \
    int name (void); \
    int name (void) { return 801;       /* CUDA_ERROR_NOT_SUPPORTED */ }

UNUSED (cuCtxEnablePeerAccess)
UNUSED (cuCtxDisablePeerAccess)
UNUSED (cuGraphicsMapResources)
UNUSED (cuGraphicsUnmapResources)
UNUSED (cuGraphicsUnregisterResource)
UNUSED (cuGraphicsSubResourceGetMappedArray)
UNUSED (cuGraphicsResourceGetMappedPointer_v2)
UNUSED (cuGraphicsResourceSetMapFlags_v2)
UNUSED (cuGraphicsGLRegisterImage)
UNUSED (cuGraphicsGLRegisterBuffer)
UNUSED (cuGLGetDevices_v2)

/* since GStreamer 1.24 or later */
UNUSED (cuCtxGetLimit)
UNUSED (cuCtxSetLimit)
UNUSED (cuDestroyExternalMemory)
UNUSED (cuDestroyExternalSemaphore)
UNUSED (cuDeviceGetUuid)
UNUSED (cuExternalMemoryGetMappedBuffer)
UNUSED (cuExternalMemoryGetMappedMipmappedArray)
UNUSED (cuImportExternalMemory)
UNUSED (cuImportExternalSemaphore)
UNUSED (cuIpcCloseMemHandle)
UNUSED (cuIpcGetEventHandle)
UNUSED (cuIpcGetMemHandle)
UNUSED (cuIpcOpenEventHandle)
UNUSED (cuIpcOpenMemHandle)
UNUSED (cuMemAddressFree)
UNUSED (cuMemAddressReserve)
UNUSED (cuMemAllocAsync)
UNUSED (cuMemAllocFromPoolAsync)
UNUSED (cuMemCreate)
UNUSED (cuMemExportToShareableHandle)
UNUSED (cuMemFreeAsync)
UNUSED (cuMemGetAccess)
UNUSED (cuMemGetAllocationGranularity)
UNUSED (cuMemGetAllocationPropertiesFromHandle)
UNUSED (cuMemImportFromShareableHandle)
UNUSED (cuMemMap)
UNUSED (cuMemPoolCreate)
UNUSED (cuMemPoolDestroy)
UNUSED (cuMemPoolGetAttribute)
UNUSED (cuMemPoolSetAttribute)
UNUSED (cuMemRelease)
UNUSED (cuMemRetainAllocationHandle)
UNUSED (cuMemSetAccess)
UNUSED (cuMemUnmap)
UNUSED (cuMemcpyDtoDAsync_v2)
UNUSED (cuMemcpyDtoD_v2)
UNUSED (cuMemcpyDtoHAsync_v2)
UNUSED (cuMemcpyDtoH_v2)
UNUSED (cuMemcpyHtoDAsync_v2)
UNUSED (cuMemcpyHtoD_v2)
UNUSED (cuSignalExternalSemaphoresAsync)
UNUSED (cuWaitExternalSemaphoresAsync)

/* what the Python package looks for */
UNUSED (cuDevicePrimaryCtxRetain)
