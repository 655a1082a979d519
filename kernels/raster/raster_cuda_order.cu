/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting by depth, preparing marks and putting them into bins, on the GPU. */
#include "base/cuda_sort.h"
#include "raster_cuda.h"
#include "raster_cuda_put.cuh"

#define THREADS 256

static __global__ void
make_keys (const float *depths, guint32 n, guint32 * keys, guint32 * indices)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i >= n)
    return;
  keys[i] = cs_raster_depth_key (depths[i]);
  indices[i] = i;
}

/* The place of each mark that begins a run, 0 for the others. */
static __global__ void
find_heads (const CsMark * marks, guint32 n, guint32 cut, int has_gradients,
    guint32 * heads)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i >= n)
    return;
  heads[i] = i == 0 || i == cut || marks[i].group == 0 ||
      marks[i].group != marks[i - 1].group || is_fill (marks[i]) ||
      is_fill (marks[i - 1]) || has_gradient (marks[i], has_gradients) ? i : 0;
}

/* Marks for each thread: fewer blocks add to the counters. */
#define PREPARE_EACH 4

static __global__ void __launch_bounds__ (THREADS)
prepare_marks (const __grid_constant__ PrepareArgs a)
{
  Tally tally = { 0, 0, 0, false };

#pragma unroll
  for (int j = 0; j < PREPARE_EACH; j++) {
    const guint32 i = (blockIdx.x * PREPARE_EACH + j) * THREADS + threadIdx.x;

    if (i < a.p.n)
      prepare_mark (a, i, tally);
  }
  add_tally (tally, a.counters);
}

/* Writes an entry for each bin and mark, in the order of marks. */
static __global__ void
emit_entries (const CsRasterMark * marks, const guint32 * offsets, guint32 n,
    int width, int height, guint32 capacity, guint32 * keys, guint32 * values,
    CsRasterCounters * counters)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;
  const int bins_per_row = (width + CS_RASTER_BIN - 1) / CS_RASTER_BIN;

  /* offsets are 32 bits: beyond that they mean nothing */
  if (counters->entries > capacity) {
    if (i == 0)
      counters->overflow = 1;
    return;
  }
  if (i >= n || marks[i].radius < 0)
    return;
  guint32 at = offsets[i];
  const Range range = cell_range (marks[i], width, height, CS_RASTER_BIN);
  for (int y = range.y0; y <= range.y1; y++) {
    for (int x = range.x0; x <= range.x1; x++, at++) {
      keys[at] = y * bins_per_row + x;
      values[at] = i;
    }
  }
}

/* Each entry that differs from the one before begins its bin, and the empty
 * ones between; what is not used, all ones, is behind the last. */
static __global__ void
find_starts (const guint32 * keys, guint32 n, guint32 n_bins, guint32 * starts)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i > n)
    return;
  const guint32 last = i < n ? min (keys[i], n_bins) : n_bins;

  for (guint32 bin = i > 0 ? min (keys[i - 1], n_bins) + 1 : 0; bin <= last;
      bin++)
    starts[bin] = i;
}

/* The memory of sorting: keys and values twice, and CUB's own. */
struct SortMemory
{
  guint32 *keys[2], *values[2];
  void *temp;
  size_t temp_size;
};

static gboolean
get_sort_memory (CsCudaScratch * scratch, gsize n, int bits, gsize extra,
    guint32 ** extra_at, SortMemory * m, cudaStream_t stream, GError ** error)
{
  guint32 *keys[2] = { NULL, NULL }, *values[2] = { NULL, NULL };
  CsCudaCarver carver = { NULL, 0 };

  m->temp_size = 0;
  if (!cs_cuda_check (cs_cuda_sort_pairs_u32 (NULL, &m->temp_size, keys, values,
              (guint32) n, bits, stream), "size up sorting", error))
    return FALSE;
  do {
    m->keys[0] = CS_CUDA_CARVE (&carver, guint32, n);
    m->keys[1] = CS_CUDA_CARVE (&carver, guint32, n);
    m->values[0] = CS_CUDA_CARVE (&carver, guint32, n);
    m->values[1] = CS_CUDA_CARVE (&carver, guint32, n);
    *extra_at = CS_CUDA_CARVE (&carver, guint32, extra);
    m->temp = CS_CUDA_CARVE (&carver, guint8, m->temp_size);
  } while (cs_cuda_carve_again (&carver, scratch, stream, error));
  return carver.base != NULL;
}

/* Sorts what is in the first buffers; tells where the result is. */
static gboolean
sort_pairs (SortMemory * m, gsize n, int bits, const guint32 ** keys,
    const guint32 ** values, cudaStream_t stream, GError ** error)
{
  if (!cs_cuda_check (cs_cuda_sort_pairs_u32 (m->temp, &m->temp_size, m->keys,
              m->values, (guint32) n, bits, stream), "sort marks", error))
    return FALSE;
  *keys = m->keys[0];
  *values = m->values[0];
  return TRUE;
}

static gboolean
sort_by_depth (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    cudaStream_t stream, GError ** error)
{
  const guint32 *keys;
  guint32 *none;
  SortMemory m;

  if (!get_sort_memory (&order->sort, p->n, 32, 0, &none, &m, stream, error))
    return FALSE;
  make_keys <<< cs_cuda_blocks (p->n, THREADS), THREADS, 0, stream >>> (
      p->depths, p->n, m.keys[0], m.values[0]);
  return sort_pairs (&m, p->n, 32, &keys, &order->order, stream, error);
}

/* For each mark the first of its run. */
static gboolean
find_runs (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    const guint32 ** heads, cudaStream_t stream, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };
  guint32 *from = NULL, *to = NULL;
  void *temp = NULL;
  size_t size = 0;

  if (!cs_cuda_check (cs_cuda_running_max_u32 (NULL, &size, from, to, p->n,
              stream), "size up a scan", error))
    return FALSE;
  do {
    from = CS_CUDA_CARVE (&carver, guint32, p->n);
    to = CS_CUDA_CARVE (&carver, guint32, p->n);
    temp = CS_CUDA_CARVE (&carver, guint8, size);
  } while (cs_cuda_carve_again (&carver, &order->sort, stream, error));
  if (!carver.base)
    return FALSE;
  find_heads <<< cs_cuda_blocks (p->n, THREADS), THREADS, 0, stream >>> (
      p->marks, p->n, p->cut, p->has_gradients, from);
  *heads = to;
  return cs_cuda_check (cs_cuda_running_max_u32 (temp, &size, from, to, p->n,
          stream), "join groups", error);
}

static gboolean
make_bins (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    const guint32 * entries, gsize capacity, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error)
{
  const guint32 per_row = (p->width + CS_RASTER_BIN - 1) / CS_RASTER_BIN;
  const guint32 n_bins = per_row *
      ((p->height + CS_RASTER_BIN - 1) / CS_RASTER_BIN);
  const guint32 *keys, *values;
  guint32 *extra;
  size_t size = 0;
  SortMemory m;
  int bits = 1;

  /* so that all ones, of what is not used, is no bin */
  while (((guint64) 1 << bits) <= n_bins)
    bits++;
  if (!cs_cuda_check (cs_cuda_sum_u32 (NULL, &size, entries, NULL, p->n, stream),
          "size up a scan", error))
    return FALSE;
  const gsize scan_words = (size + 255) / 256 * 64;
  const gsize offset_words = ((gsize) p->n + 63) / 64 * 64;
  if (!get_sort_memory (&order->binned, capacity, bits,
          offset_words + scan_words + n_bins + 1, &extra, &m, stream, error))
    return FALSE;
  guint32 *starts = extra + offset_words + scan_words;
  if (!cs_cuda_check (cs_cuda_sum_u32 (extra + offset_words, &size, entries,
              extra, p->n, stream), "place marks", error) ||
      !cs_cuda_check (cudaMemsetAsync (m.keys[0], 0xff,
              capacity * sizeof (guint32), stream), "clear bins", error))
    return FALSE;
  emit_entries <<< cs_cuda_blocks (p->n, THREADS), THREADS, 0, stream >>> (
      order->sorted.marks, extra, p->n, p->width, p->height,
      (guint32) capacity, m.keys[0], m.values[0], counters);
  if (!sort_pairs (&m, capacity, bits, &keys, &values, stream, error))
    return FALSE;
  find_starts <<< cs_cuda_blocks (capacity + 1, THREADS), THREADS, 0,
      stream >>> (keys, (guint32) capacity, n_bins, starts);
  order->sorted.bins = values;
  order->sorted.starts = starts;
  order->sorted.bins_per_row = per_row;
  return TRUE;
}

/* Memory of masks. */
static gboolean
begin_masks (CsRasterOrderCuda * order, PrepareArgs * args,
    cudaStream_t stream, GError ** error)
{
  args->masks = (guint32 *) cs_cuda_scratch_ensure (&order->masks,
      cs_raster_cuda_mask_words (&args->p) * sizeof (guint32), stream, error);
  args->mask_words = cs_raster_cuda_words_of_mask (&args->p);
  args->masks_per_row = cs_cuda_blocks (args->p.width, args->p.mask_side);
  order->sorted.masks = args->masks;
  order->sorted.mask_words = args->mask_words;
  order->sorted.masks_per_row = args->masks_per_row;
  return args->masks != NULL;
}

/* Memory of prepared marks, where @args and @order->sorted then point. */
static gboolean
begin_order (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    CsRasterCounters * counters, PrepareArgs * args, cudaStream_t stream,
    GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };

  memset (&order->sorted, 0, sizeof (order->sorted));
  order->sorted.counters = counters;
  order->sorted.n = p->n;
  memset (args, 0, sizeof (*args));
  args->p = *p;
  args->counters = counters;
  do {
    args->reach = CS_CUDA_CARVE (&carver, float4, p->n);
    args->marks = CS_CUDA_CARVE (&carver, CsRasterMark, p->n);
    args->entries = CS_CUDA_CARVE (&carver, guint32, p->n);
  } while (p->n > 0 && cs_cuda_carve_again (&carver, &order->prepared, stream,
          error));
  order->sorted.reach = args->reach;
  order->sorted.marks = args->marks;
  return p->n == 0 || carver.base;
}

/* Clears what is counted in, sorts otherwise than in buckets, and prepares. */
static gboolean
prepare_otherwise (CsRasterOrderCuda * order, PrepareArgs * args,
    gboolean keep_order, cudaStream_t stream, GError ** error)
{
  const CsRasterPrepare *p = &args->p;

  if (!cs_cuda_check (cudaMemsetAsync (args->counters, 0,
              sizeof (*args->counters), stream), "clear counters", error) ||
      (args->masks && !cs_cuda_check (cudaMemsetAsync (args->masks, 0,
                  cs_raster_cuda_mask_words (p) * sizeof (guint32), stream),
              "clear masks", error)))
    return FALSE;
  if (p->depths && !keep_order && !sort_by_depth (order, p, stream, error))
    return FALSE;
  if (!p->depths && p->has_runs && !find_runs (order, p, &args->heads, stream,
          error))
    return FALSE;
  args->order = p->depths ? order->order : NULL;
  prepare_marks <<< cs_cuda_blocks (p->n, PREPARE_EACH * THREADS), THREADS, 0,
      stream >>> (*args);
  return TRUE;
}

gboolean
cs_raster_cuda_order (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    gboolean keep_order, gsize capacity, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error)
{
  PrepareArgs args;

  if (!begin_order (order, p, counters, &args, stream, error))
    return FALSE;
  if (p->n == 0)
    return cs_cuda_check (cudaMemsetAsync (counters, 0, sizeof (*counters),
            stream), "clear counters", error);
  if (p->mask_side > 0 && !begin_masks (order, &args, stream, error))
    return FALSE;
  if (!keep_order && cs_raster_cuda_has_buckets (p)) {
    if (!cs_raster_cuda_prepare_in_buckets (order, &args, stream, error))
      return FALSE;
  } else if (!prepare_otherwise (order, &args, keep_order, stream, error)) {
    return FALSE;
  }
  if (capacity > 0 && !make_bins (order, p, args.entries, capacity, counters,
          stream, error))
    return FALSE;
  return cs_cuda_check (cudaGetLastError (), "order marks", error);
}

gboolean
cs_raster_cuda_order_failed (CsRasterOrderCuda * order,
    const CsRasterPrepare * p, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error)
{
  PrepareArgs args;

  return begin_order (order, p, counters, &args, stream, error) &&
      cs_raster_cuda_prepare_alone (order, &args, stream, error);
}

void
cs_raster_cuda_order_clear (CsRasterOrderCuda * order, cudaStream_t stream)
{
  cs_cuda_scratch_clear (&order->sort, stream);
  cs_cuda_scratch_clear (&order->prepared, stream);
  cs_cuda_scratch_clear (&order->binned, stream);
  cs_cuda_scratch_clear (&order->masks, stream);
}
