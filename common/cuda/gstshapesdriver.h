/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * The driver's functions that this code calls, from libcuda.so.1, which is
 * loaded when it is asked for: CuInit() is the driver's cuInit(), as in
 * libgstcuda, whose part this is in builds without it, and in the Python
 * package. Only in builds with HAVE_CUDA, and never beside libgstcuda.
 *
 * None may be called before gst_shapes_cuda_load() has returned %NULL.
 */

#include <cuda.h>
#include <glib.h>

/* Loads the functions, once per process. Thread-safe.
 *
 * Returns: (nullable): why they cannot be called, static; %NULL if they can */
const gchar *gst_shapes_cuda_load (void);

CUresult CuInit (unsigned flags);
CUresult CuGetErrorName (CUresult error, const char **name);
CUresult CuDriverGetVersion (int *version);
CUresult CuDeviceGetCount (int *n);
CUresult CuDeviceGet (CUdevice * device, int index);
CUresult CuDevicePrimaryCtxRetain (CUcontext * context, CUdevice device);
/* Flags and a device, as the driver's functions of every version take them. */
CUresult CuCtxCreate (CUcontext * context, unsigned flags, CUdevice device);
CUresult CuCtxDestroy (CUcontext context);
CUresult CuCtxPushCurrent (CUcontext context);
CUresult CuCtxPopCurrent (CUcontext * context);
CUresult CuStreamSynchronize (CUstream stream);
