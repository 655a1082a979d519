/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Sorting by depth, preparing marks and putting them into bins, on the GPU. */
#include "raster_cuda.h"

#include <cub/device/device_radix_sort.cuh>
#include <cub/device/device_scan.cuh>

#define THREADS 256

static guint
n_blocks (gsize n)
{
  return (guint) ((n + THREADS - 1) / THREADS);
}

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
find_heads (const CsMark * marks, guint32 n, guint32 cut, guint32 * heads)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;

  if (i >= n)
    return;
  heads[i] = i == 0 || i == cut || marks[i].group == 0 ||
      marks[i].group != marks[i - 1].group ? i : 0;
}

/* The bins that a mark's bounds touch. */
struct Range
{
  int x0, y0, x1, y1;
};

static __device__ Range
bin_range (const CsRasterMark & mark, int width, int height)
{
  const float reach = mark.radius + mark.half_width + .5f +
      cs_raster_slack (&mark);
  const float ex = mark.x + mark.bx, ey = mark.y + mark.by;
  const float right = (float) ((width - 1) / CS_RASTER_BIN);
  const float bottom = (float) ((height - 1) / CS_RASTER_BIN);
  const float scale = 1.f / CS_RASTER_BIN;
  Range range;

  range.x0 = (int) fminf (fmaxf ((fminf (mark.x, ex) - reach) * scale, 0),
      right);
  range.y0 = (int) fminf (fmaxf ((fminf (mark.y, ey) - reach) * scale, 0),
      bottom);
  range.x1 = (int) fminf (fmaxf ((fmaxf (mark.x, ex) + reach) * scale, 0),
      right);
  range.y1 = (int) fminf (fmaxf ((fmaxf (mark.y, ey) + reach) * scale, 0),
      bottom);
  return range;
}

static __device__ float4
reach_of (const CsRasterMark & mark)
{
  const float hx = .5f * mark.bx, hy = .5f * mark.by;
  const float reach = sqrtf (hx * hx + hy * hy) + mark.radius +
      mark.half_width + .5f + 2 * cs_raster_slack (&mark);

  return make_float4 (mark.x + hx, mark.y + hy, reach * 1.00001f, 0);
}

struct PrepareArgs
{
  CsRasterPrepare p;
  const guint32 *order, *heads;
  float4 *reach;
  CsRasterMark *marks;
  guint32 *entries;
  CsRasterCounters *counters;
};

static __global__ void __launch_bounds__ (THREADS)
prepare_marks (const __grid_constant__ PrepareArgs a)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;
  unsigned dropped = 0, entries = 0;
  float area = 0;

  if (i < a.p.n) {
    const guint32 ordinal = a.p.n - 1 - i;
    const guint32 head = a.heads ? a.heads[ordinal] : ordinal;
    const CsMark from = a.p.marks[a.order ? a.order[ordinal] : ordinal];
    CsRasterMark mark;

    mark.rgba = a.heads ? a.p.marks[head].rgba : from.rgba;
    mark.run = head;
    if (cs_raster_prepare (&from, a.p.width, a.p.height, &mark)) {
      const Range range = bin_range (mark, a.p.width, a.p.height);
      const float size = 2 * (mark.radius + mark.half_width) + 1;

      a.reach[i] = reach_of (mark);
      entries = (range.x1 - range.x0 + 1) * (range.y1 - range.y0 + 1);
      area = fminf (size + fabsf (mark.bx), (float) a.p.width) *
          fminf (size + fabsf (mark.by), (float) a.p.height);
    } else {
      a.reach[i] = make_float4 (0, 0, -1, 0);
      dropped = 1;
    }
    a.marks[i] = mark;
    a.entries[i] = entries;
  }
  dropped = __reduce_add_sync (~0u, dropped);
  entries = __reduce_add_sync (~0u, entries);
  for (int step = 16; step > 0; step /= 2)
    area += __shfl_xor_sync (~0u, area, step);

  __shared__ unsigned sums[2];
  __shared__ float areas;

  if (threadIdx.x == 0) {
    sums[0] = sums[1] = 0;
    areas = 0;
  }
  __syncthreads ();
  if (threadIdx.x % 32 == 0) {
    atomicAdd (&sums[0], dropped);
    atomicAdd (&sums[1], entries);
    atomicAdd (&areas, area);
  }
  __syncthreads ();
  if (threadIdx.x == 0) {
    if (sums[0])
      atomicAdd (&a.counters->dropped, (unsigned long long) sums[0]);
    atomicAdd (&a.counters->entries, (unsigned long long) sums[1]);
    atomicAdd (&a.counters->area, (double) areas);
  }
}

/* Writes an entry for each bin and mark, in the order of marks. */
static __global__ void
emit_entries (const CsRasterMark * marks, const guint32 * offsets, guint32 n,
    int width, int height, guint32 capacity, guint32 * keys, guint32 * values,
    CsRasterCounters * counters)
{
  const guint32 i = blockIdx.x * THREADS + threadIdx.x;
  const int bins_per_row = (width + CS_RASTER_BIN - 1) / CS_RASTER_BIN;
  guint32 at;

  /* offsets are 32 bits: beyond that they mean nothing */
  if (counters->entries > capacity) {
    if (i == 0)
      counters->overflow = 1;
    return;
  }
  if (i >= n || marks[i].radius < 0)
    return;
  at = offsets[i];
  const Range range = bin_range (marks[i], width, height);
  for (int y = range.y0; y <= range.y1; y++) {
    for (int x = range.x0; x <= range.x1; x++, at++) {
      keys[at] = y * bins_per_row + x;
      values[at] = i;
    }
  }
}

static __global__ void
find_starts (const guint32 * keys, guint32 n, guint32 n_bins, guint32 * starts)
{
  const guint32 bin = blockIdx.x * THREADS + threadIdx.x;
  guint32 low = 0, high = n;

  if (bin > n_bins)
    return;
  while (low < high) {
    const guint32 middle = low + (high - low) / 2;

    if (keys[middle] < bin)
      low = middle + 1;
    else
      high = middle;
  }
  starts[bin] = low;
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
  cub::DoubleBuffer < guint32 > keys, values;
  CsCudaCarver carver = { NULL, 0 };

  m->temp_size = 0;
  if (!cs_cuda_check (cub::DeviceRadixSort::SortPairs (NULL, m->temp_size,
              keys, values, (int) n, 0, bits, stream), "size up sorting",
          error))
    return FALSE;
  for (int pass = 0; pass < 2; pass++) {
    m->keys[0] = CS_CUDA_CARVE (&carver, guint32, n);
    m->keys[1] = CS_CUDA_CARVE (&carver, guint32, n);
    m->values[0] = CS_CUDA_CARVE (&carver, guint32, n);
    m->values[1] = CS_CUDA_CARVE (&carver, guint32, n);
    *extra_at = CS_CUDA_CARVE (&carver, guint32, extra);
    m->temp = CS_CUDA_CARVE (&carver, guint8, m->temp_size);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (scratch, carver.used,
          stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  return TRUE;
}

/* Sorts what is in the first buffers; tells where the result is. */
static gboolean
sort_pairs (SortMemory * m, gsize n, int bits, const guint32 ** keys,
    const guint32 ** values, cudaStream_t stream, GError ** error)
{
  cub::DoubleBuffer < guint32 > k (m->keys[0], m->keys[1]);
  cub::DoubleBuffer < guint32 > v (m->values[0], m->values[1]);

  if (!cs_cuda_check (cub::DeviceRadixSort::SortPairs (m->temp, m->temp_size,
              k, v, (int) n, 0, bits, stream), "sort marks", error))
    return FALSE;
  *keys = k.Current ();
  *values = v.Current ();
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
  make_keys <<< n_blocks (p->n), THREADS, 0, stream >>> (p->depths, p->n,
      m.keys[0], m.values[0]);
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

  if (!cs_cuda_check (cub::DeviceScan::InclusiveScan (NULL, size, from, to,
              cuda::maximum <> (), (int) p->n, stream), "size up a scan",
          error))
    return FALSE;
  for (int pass = 0; pass < 2; pass++) {
    from = CS_CUDA_CARVE (&carver, guint32, p->n);
    to = CS_CUDA_CARVE (&carver, guint32, p->n);
    temp = CS_CUDA_CARVE (&carver, guint8, size);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&order->sort,
          carver.used, stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  find_heads <<< n_blocks (p->n), THREADS, 0, stream >>> (p->marks, p->n,
      p->cut, from);
  *heads = to;
  return cs_cuda_check (cub::DeviceScan::InclusiveScan (temp, size, from, to,
          cuda::maximum <> (), (int) p->n, stream), "join groups", error);
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
  if (!cs_cuda_check (cub::DeviceScan::ExclusiveSum (NULL, size, entries,
              (guint32 *) NULL, (int) p->n, stream), "size up a scan", error))
    return FALSE;
  const gsize scan_words = (size + 255) / 256 * 64;
  const gsize offset_words = ((gsize) p->n + 63) / 64 * 64;
  if (!get_sort_memory (&order->binned, capacity, bits,
          offset_words + scan_words + n_bins + 1, &extra, &m, stream, error))
    return FALSE;
  guint32 *starts = extra + offset_words + scan_words;
  if (!cs_cuda_check (cub::DeviceScan::ExclusiveSum (extra + offset_words,
              size, entries, extra, (int) p->n, stream), "place marks",
          error) ||
      !cs_cuda_check (cudaMemsetAsync (m.keys[0], 0xff,
              capacity * sizeof (guint32), stream), "clear bins", error))
    return FALSE;
  emit_entries <<< n_blocks (p->n), THREADS, 0, stream >>> (
      order->sorted.marks, extra, p->n, p->width, p->height,
      (guint32) capacity, m.keys[0], m.values[0], counters);
  if (!sort_pairs (&m, capacity, bits, &keys, &values, stream, error))
    return FALSE;
  find_starts <<< n_blocks (n_bins + 1), THREADS, 0, stream >>> (keys,
      (guint32) capacity, n_bins, starts);
  order->sorted.bins = values;
  order->sorted.starts = starts;
  order->sorted.bins_per_row = per_row;
  return TRUE;
}

gboolean
cs_raster_cuda_order (CsRasterOrderCuda * order, const CsRasterPrepare * p,
    gboolean keep_order, gsize capacity, CsRasterCounters * counters,
    cudaStream_t stream, GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };
  PrepareArgs args;
  gint pass;

  memset (&order->sorted, 0, sizeof (order->sorted));
  order->sorted.counters = counters;
  order->sorted.n = p->n;
  if (!cs_cuda_check (cudaMemsetAsync (counters, 0, sizeof (*counters),
              stream), "clear counters", error))
    return FALSE;
  if (p->n == 0)
    return TRUE;
  args.p = *p;
  args.order = NULL;
  args.heads = NULL;
  args.counters = counters;
  if (p->depths) {
    if (!keep_order && !sort_by_depth (order, p, stream, error))
      return FALSE;
    args.order = order->order;
  } else if (p->has_runs) {
    if (!find_runs (order, p, &args.heads, stream, error))
      return FALSE;
  }
  for (pass = 0; pass < 2; pass++) {
    args.reach = CS_CUDA_CARVE (&carver, float4, p->n);
    args.marks = CS_CUDA_CARVE (&carver, CsRasterMark, p->n);
    args.entries = CS_CUDA_CARVE (&carver, guint32, p->n);
    if (pass == 0) {
      carver.base = (guint8 *) cs_cuda_scratch_ensure (&order->prepared,
          carver.used, stream, error);
      if (!carver.base)
        return FALSE;
      carver.used = 0;
    }
  }
  prepare_marks <<< n_blocks (p->n), THREADS, 0, stream >>> (args);
  order->sorted.reach = args.reach;
  order->sorted.marks = args.marks;
  if (capacity > 0 && !make_bins (order, p, args.entries, capacity, counters,
          stream, error))
    return FALSE;
  return cs_cuda_check (cudaGetLastError (), "order marks", error);
}

void
cs_raster_cuda_order_clear (CsRasterOrderCuda * order, cudaStream_t stream)
{
  cs_cuda_scratch_clear (&order->sort, stream);
  cs_cuda_scratch_clear (&order->prepared, stream);
  cs_cuda_scratch_clear (&order->binned, stream);
}
