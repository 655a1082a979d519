/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <cuda_runtime_api.h>
#include <glib.h>

/* Makes @error the thread's last one, and returns it. */
cudaError_t mock_fail (cudaError_t error);
/* Ends the process if work that was captured would be lost or waited for. */
void mock_check_not_captured (cudaStream_t stream, const gchar * caller);
const gchar *mock_note_launch (const void *function);

/* What the compiler's output calls and no header declares. */
void **__cudaRegisterFatBinary (void *binary);
void __cudaRegisterFatBinaryEnd (void **handle);
void __cudaUnregisterFatBinary (void **handle);
char __cudaInitModule (void **handle);
void __cudaRegisterVar (void **handle, char *host, char *device,
    const char *name, int ext, size_t size, int constant, int global);
void __cudaRegisterFunction (void **handle, const char *host, char *device,
    const char *name, int limit, uint3 * tid, uint3 * bid, dim3 * block,
    dim3 * grid, int *warp_size);
unsigned __cudaPushCallConfiguration (dim3 grid, dim3 block, size_t shared,
    struct CUstream_st *stream);
cudaError_t __cudaPopCallConfiguration (dim3 * grid, dim3 * block,
    size_t * shared, void *stream);
cudaError_t __cudaGetKernel (cudaKernel_t * kernel, const void *function);
cudaError_t __cudaLaunchKernel (cudaKernel_t kernel, dim3 grid, dim3 block,
    void **args, size_t shared, cudaStream_t stream);
