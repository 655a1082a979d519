/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Sorts and prefix sums of a whole device, for .cu files: CUB's, compiled once.
 * With @temp NULL they only set @size, the size of @temp in bytes; otherwise
 * they run in the order of @stream. Sorts are stable, by the lowest @n_bits bits
 * of the keys.
 */

#include <glib.h>

#include <cuda_runtime.h>

G_BEGIN_DECLS

/* Two sums that are computed together. */
typedef struct
{
  guint32 first, second;
} CsCudaPair;

/* Sorts @keys[0] and @values[0]; [1] is scratch. Exchanges the two so that the
 * result is in [0]. */
cudaError_t cs_cuda_sort_pairs_u32 (void *temp, gsize * size, guint32 * keys[2],
    guint32 * values[2], guint32 n, int n_bits, cudaStream_t stream);
cudaError_t cs_cuda_sort_pairs_u64 (void *temp, gsize * size, guint64 * keys[2],
    guint32 * values[2], guint32 n, int n_bits, cudaStream_t stream);

/* Sorts @keys and @values into others. */
cudaError_t cs_cuda_sort_keys_u32 (void *temp, gsize * size,
    const guint32 * keys, guint32 * sorted_keys, guint32 n, int n_bits,
    cudaStream_t stream);
/* The greatest first. */
cudaError_t cs_cuda_sort_pairs_descending_u32 (void *temp, gsize * size,
    const guint32 * keys, guint32 * sorted_keys, const guint32 * values,
    guint32 * sorted_values, guint32 n, int n_bits, cudaStream_t stream);

/* Sums of the elements before each. */
cudaError_t cs_cuda_sum_u32 (void *temp, gsize * size, const guint32 * from,
    guint32 * to, guint32 n, cudaStream_t stream);
cudaError_t cs_cuda_sum_pairs (void *temp, gsize * size,
    const CsCudaPair * from, CsCudaPair * to, guint32 n, cudaStream_t stream);

/* The greatest of the elements up to each. */
cudaError_t cs_cuda_running_max_u32 (void *temp, gsize * size,
    const guint32 * from, guint32 * to, guint32 n, cudaStream_t stream);

G_END_DECLS
