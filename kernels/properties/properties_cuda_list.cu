/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: pieces of regions. */
#include "base/cuda_warp.cuh"
#include "properties_cuda.cuh"

#define THREADS CS_PROPERTIES_THREADS
#define WARPS (THREADS / 32)
/* Rows that a warp lists the pieces of */
#define ROWS 16

/* --- Labels --------------------------------------------------------------- */

static __device__ __forceinline__ int64_t
read_number (const CsPropertiesFrame & f, uint32_t x, uint32_t y)
{
  const uint8_t *at = f.data + y * f.row_stride + x * f.pixel_stride;

  switch (f.size << 1 | f.is_signed) {
    case 2:
      return *at;
    case 3:
      return *(const int8_t *) at;
    case 4:
      return *(const uint16_t *) at;
    case 5:
      return *(const int16_t *) at;
    case 8:
      return *(const uint32_t *) at;
    case 9:
      return *(const int32_t *) at;
    default:
      return *(const int64_t *) at;
  }
}

/* The label of a pixel; 0 without one and beyond the picture. */
static __device__ __forceinline__ uint32_t
label_at (const CsPropertiesFrame & f, int32_t x, int32_t y)
{
  if ((uint32_t) x >= f.width || (uint32_t) y >= f.height)
    return 0;
  const int64_t number = read_number (f, x, y);

  return number > 0 ? (uint32_t) number : 0;
}

/* --- Count ---------------------------------------------------------------- */

/* A warp per word. */
static __global__ void
count_pieces (CsPropertiesFrame f)
{
  const uint32_t n = f.n_words * f.height, lane = threadIdx.x % 32;
  const uint32_t step = gridDim.x * WARPS;
  uint32_t largest = 0;

  for (uint32_t w = blockIdx.x * WARPS + threadIdx.x / 32; w < n; w += step) {
    const uint32_t x = w % f.n_words * 32 + lane, y = w / f.n_words;
    int64_t number = x < f.width ? read_number (f, x, y) : 0;

    if (f.is_signed ? number > CS_LABELS_MAX :
        (uint64_t) number > CS_LABELS_MAX) {
      atomicMax (&f.counters->bad, CS_PROPERTIES_NONE - (y * f.width + x));
      number = 0;
    }
    const uint32_t label = number > 0 ? (uint32_t) number : 0;
    const uint32_t before = __shfl_up_sync (CS_ALL_LANES, label, 1);
    const uint32_t begins = __ballot_sync (CS_ALL_LANES, label > 0 &&
        (lane == 0 || label != before));

    largest = max (largest, label);
    if (lane == 0)
      f.counts[w] = __popc (begins);
  }
  for (uint32_t by = 16; by > 0; by /= 2)
    largest = max (largest, __shfl_xor_sync (CS_ALL_LANES, largest, by));
  if (lane == 0 && largest > 0)
    atomicMax (&f.counters->max_label, largest);
}

gboolean
cs_properties_cuda_count (const CsPropertiesFrame * frame, cudaStream_t stream,
    GError ** error)
{
  const guint n = frame->n_words * frame->height;

  count_pieces <<< MIN (cs_cuda_blocks (n, WARPS), 2048), THREADS, 0,
      stream >>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "count pieces", error);
}

/* --- Rows ----------------------------------------------------------------- */

/**
 * Labels:
 * @main: of the lane's pixel of the word
 * @halo: of lanes 0 to 3 those of the two pixels before the word, and of two
 *     behind it
 *
 * Of a row, or of its pixels to the left or to the right of these.
 */
struct Labels
{
  uint32_t main, halo;
};

/**
 * Row:
 * @own, @left, @right: labels of pixels and of those beside them
 * @same_left, @same_up, @same_up_left, @same_up_right: which are the same; a bit
 *     for each pixel, from two before the word on
 * @border: which are border pixels
 */
struct Row
{
  Labels own, left, right;
  uint64_t same_left, same_up, same_up_left, same_up_right, border;
};

static __device__ __forceinline__ uint64_t
find_equal (const Labels & a, const Labels & b)
{
  const uint32_t main = __ballot_sync (CS_ALL_LANES, a.main == b.main);
  const uint32_t halo = __ballot_sync (CS_ALL_LANES, a.halo == b.halo);

  return (uint64_t) main << 2 | (halo & 3) | (uint64_t) (halo & 12) << 32;
}

/* Those of row @y of word @w. */
static __device__ __forceinline__ Labels
load_labels (const CsPropertiesFrame & f, int32_t w, int32_t y)
{
  const int32_t lane = (int32_t) (threadIdx.x % 32), x = 32 * w + lane;
  Labels own;

  own.main = label_at (f, x, y);
  own.halo = lane < 4 ? label_at (f, x + (lane < 2 ? -2 : 30), y) : 0;
  return own;
}

/* The row of these labels, compared with the one above. */
static __device__ __forceinline__ void
compare_row (const Labels & own, const Row & above, Row & row)
{
  const uint32_t lane = threadIdx.x % 32;
  const uint32_t before = __shfl_up_sync (CS_ALL_LANES, own.main, 1);
  const uint32_t behind = __shfl_down_sync (CS_ALL_LANES, own.main, 1);
  const uint32_t first = __shfl_sync (CS_ALL_LANES, own.main, 0);
  const uint32_t last = __shfl_sync (CS_ALL_LANES, own.main, 31);
  const uint32_t halo_before = __shfl_up_sync (CS_ALL_LANES, own.halo, 1);
  const uint32_t halo_behind = __shfl_down_sync (CS_ALL_LANES, own.halo, 1);
  const uint32_t second = __shfl_sync (CS_ALL_LANES, own.halo, 1);
  const uint32_t third = __shfl_sync (CS_ALL_LANES, own.halo, 2);

  row.own = own;
  row.left.main = lane == 0 ? second : before;
  row.left.halo = lane == 2 ? last : halo_before;
  row.right.main = lane == 31 ? third : behind;
  row.right.halo = lane == 1 ? first : halo_behind;
  row.same_left = find_equal (own, row.left);
  row.same_up = find_equal (own, above.own);
  row.same_up_left = find_equal (own, above.left);
  row.same_up_right = find_equal (own, above.right);
}

static __device__ __forceinline__ uint64_t
border_of (const Row & row, const Row & below)
{
  return ~(row.same_left & row.same_left >> 1 & row.same_up & below.same_up);
}

/* The word of those bits, or of those @by to the left of them. */
static __device__ __forceinline__ uint32_t
word_of (uint64_t bits, int by)
{
  return (uint32_t) (bits >> (2 + by));
}

static __device__ __forceinline__ void
mark_row (const Row & above, const Row & row, const Row & below,
    CsPropertiesMarks & marks)
{
  CsPropertiesAround same, near;

  same.left = word_of (row.same_left, 0);
  same.right = word_of (row.same_left, 1);
  same.up = word_of (row.same_up, 0);
  same.down = word_of (below.same_up, 0);
  same.up_left = word_of (row.same_up_left, 0);
  same.up_right = word_of (row.same_up_right, 0);
  same.down_left = word_of (below.same_up_right, -1);
  same.down_right = word_of (below.same_up_left, 1);
  near.left = same.left & word_of (row.border, -1);
  near.right = same.right & word_of (row.border, 1);
  near.up = same.up & word_of (above.border, 0);
  near.down = same.down & word_of (below.border, 0);
  near.up_left = same.up_left & word_of (above.border, -1);
  near.up_right = same.up_right & word_of (above.border, 1);
  near.down_left = same.down_left & word_of (below.border, -1);
  near.down_right = same.down_right & word_of (below.border, 1);
  cs_properties_mark (&same, &near, word_of (row.border, 0), &marks);
}

/* --- Pieces --------------------------------------------------------------- */

/* @same_left: of the word; @label: of the lane's pixel */
static __device__ __forceinline__ void
list_word (const CsPropertiesFrame & f, uint32_t w, uint32_t y, uint32_t label,
    uint32_t same_left, const CsPropertiesMarks & marks)
{
  const uint32_t lane = threadIdx.x % 32, begins = ~same_left | 1;
  const bool is_first = begins >> lane & 1 && label > 0;
  const uint32_t listed = __ballot_sync (CS_ALL_LANES, is_first);

  if (!is_first)
    return;
  const uint32_t rest = begins >> lane >> 1;
  const uint32_t n = rest ? (uint32_t) __ffs ((int) rest) : 32 - lane;
  const uint32_t i = f.bases[y * f.n_words + w] + cs_lanes_before (listed, lane);
  const CsPropertiesPiece piece = cs_properties_piece (&marks, label, y, w, lane,
      n);

  *(uint4 *) &f.pieces[i] = make_uint4 (piece.label, piece.place, piece.first,
      piece.rest);
  f.keys[0][i] = label;
  f.values[0][i] = i;
}

/* A warp per ROWS words of a column. Rows' marks need those beside, and these
 * two more. */
static __global__ void
list_with_marks (CsPropertiesFrame f)
{
  const uint32_t n = f.n_words * ((f.height + ROWS - 1) / ROWS);
  const uint32_t i = blockIdx.x * WARPS + threadIdx.x / 32;

  if (i >= n)
    return;
  const uint32_t w = i % f.n_words;
  const int32_t first = (int32_t) (i / f.n_words * ROWS);
  const int32_t end = min (first + ROWS, (int32_t) f.height);
  /* of rows y - 3 to y */
  Row above = { }, row = { }, below = { }, next = { };

  compare_row (load_labels (f, (int32_t) w, first - 2), above, below);
  compare_row (load_labels (f, (int32_t) w, first - 1), below, next);
  Labels ahead = load_labels (f, (int32_t) w, first);
  for (int32_t y = first; y < end + 2; y++) {
    const Labels own = ahead;

    /* on their way while this row is compared */
    ahead = load_labels (f, (int32_t) w, y + 1);
    above = row;
    row = below;
    below = next;
    compare_row (own, below, next);
    below.border = border_of (below, next);
    if (y < first + 2)
      continue;
    CsPropertiesMarks marks;

    mark_row (above, row, below, marks);
    list_word (f, w, (uint32_t) y - 2, row.own.main,
        word_of (row.same_left, 0), marks);
  }
}

/* A warp per word. */
static __global__ void
list_without_marks (CsPropertiesFrame f)
{
  const uint32_t n = f.n_words * f.height;
  const uint32_t i = blockIdx.x * WARPS + threadIdx.x / 32;
  const CsPropertiesMarks none = { };

  if (i >= n)
    return;
  const uint32_t w = i % f.n_words, y = i / f.n_words;
  const uint32_t label = label_at (f, (int32_t) (32 * w + threadIdx.x % 32),
      (int32_t) y);
  const uint32_t before = __shfl_up_sync (CS_ALL_LANES, label, 1);

  list_word (f, w, y, label, __ballot_sync (CS_ALL_LANES, label == before),
      none);
}

gboolean
cs_properties_cuda_list (const CsPropertiesFrame * frame, gboolean neighbours,
    cudaStream_t stream, GError ** error)
{
  const guint rows = neighbours ? cs_cuda_blocks (frame->height, ROWS) :
      frame->height;
  const guint n_blocks = cs_cuda_blocks ((gsize) frame->n_words * rows, WARPS);

  if (neighbours)
    list_with_marks <<< n_blocks, THREADS, 0, stream >>> (*frame);
  else
    list_without_marks <<< n_blocks, THREADS, 0, stream >>> (*frame);
  return cs_cuda_check (cudaGetLastError (), "list pieces", error);
}
