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
UNUSED (cuModuleLoadData)
UNUSED (cuModuleUnload)
UNUSED (cuModuleGetFunction)
UNUSED (cuTexObjectCreate)
UNUSED (cuTexObjectDestroy)
UNUSED (cuLaunchKernel)
