/* SPDX-License-Identifier: LGPL-2.1-or-later */

/*
 * The exact filter. d (I - g) at a pixel is a lookup in shared memory: at
 * level 0, where g is a code, in a common table of differences; at other
 * levels a warp computes a table for four adjacent coefficients, so that one
 * 16-byte load serves all four. Large windows are split into strips of rows,
 * summed by different warps; then levels are collapsed, coarsest first.
 */
#include "base/cuda_warp.cuh"
#include "llf_cuda.cuh"

#define WARP 32
#define THREADS 256
/* Coefficients that share lookups. */
#define SIDE 4
/* Maximum rows of a strip. */
#define STRIP 96

/* --- Codes ---------------------------------------------------------------- */

template <typename Code> static __global__ void __launch_bounds__ (THREADS)
codes_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceFrame frame,
    const __grid_constant__ LlfExact exact)
{
  const LlfDeviceLevel &level = pyramid.levels[0];
  const int y = blockIdx.x, x = blockIdx.y * THREADS + threadIdx.x;

  if (x < exact.pitch)
    ((Code *) exact.codes)[(size_t) y * exact.pitch + x] = x < level.w ?
        llf_code (frame, pyramid.n_codes, llf_load (frame, x, y)) : 0;
}

LlfLaunch
llf_cuda_exact_codes (const LlfDevicePyramid *pyramid, const LlfExact *exact)
{
  return LlfLaunch {
    pyramid->n_codes <= 256 ? (const void *) codes_kernel<uint8_t> :
        (const void *) codes_kernel<uint16_t>,
    dim3 (pyramid->levels[0].h, (exact->pitch + THREADS - 1) / THREADS),
    dim3 (THREADS), 0 };
}

/* --- Sums ----------------------------------------------------------------- */

/* Approximate window of a coefficient of level @l, in rows or columns. */
static int
window (int l, int n)
{
  const int size = (21 << l) / 2 + 1;

  return size < n ? size : n;
}

void
llf_cuda_exact_items (const LlfDevicePyramid *pyramid, LlfExact *exact)
{
  const LlfDeviceLevel *levels = pyramid->levels;

  exact->n_items = 0;
  for (int l = pyramid->n - 2; l > 0; l--) {
    const int passes = (window (l, levels[0].w) + 4 * WARP - 1) / (4 * WARP);
    const int rows = passes < STRIP / 8 ? STRIP / passes : 8;

    exact->n_strips[l] = (window (l, levels[0].h) + rows - 1) / rows;
    exact->first[l] = exact->n_items;
    exact->n_items += (levels[l].w + SIDE - 1) / SIDE * levels[l].h *
        exact->n_strips[l];
  }
}

/**
 * Item:
 * @x: first of four coefficients of row @y
 * @begin, @end: rows of the window, from its first on
 */
struct Item
{
  int l, x, y, begin, end;
};

static __device__ __forceinline__ Item
find_item (const LlfDevicePyramid &pyramid, const LlfExact &exact, int index)
{
  Item item;

  item.l = pyramid.n - 2;
  while (item.l > 1 && index >= exact.first[item.l - 1])
    item.l--;
  index -= exact.first[item.l];

  const int strips = exact.n_strips[item.l];
  const int n_x = (pyramid.levels[item.l].w + SIDE - 1) / SIDE;
  const int group = index / strips, strip = index - group * strips;

  item.y = group / n_x;
  item.x = (group - item.y * n_x) * SIDE;

  const int count = exact.rows[item.l].count[item.y];

  item.begin = (int) ((int64_t) count * strip / strips);
  item.end = (int) ((int64_t) count * (strip + 1) / strips);
  return item;
}

/* d of every code for the G of four coefficients. */
static __device__ __forceinline__ void
fill_table (const LlfDevicePyramid &pyramid, const Item &item, float4 *table)
{
  const int lane = threadIdx.x % WARP, n = pyramid.n_codes;
  const LlfDeviceLevel &level = pyramid.levels[item.l];
  const float *low[SIDE];
  float f[SIDE];

#pragma unroll
  for (int q = 0; q < SIDE; q++) {
    const int x = min (item.x + q, level.w - 1);
    const float g = level.g[(size_t) item.y * level.w + x];
    const int above = min ((int) ceilf (g), n - 1);
    const float phase = (above - g) * LLF_PHASES;
    const int p = min (max ((int) phase, 0), LLF_PHASES - 1);

    f[q] = phase - p;
    low[q] = pyramid.tables.fine + p * 2 * n + n - above;
  }
  for (int c = lane; c < n; c += WARP) {
    float d[SIDE];

#pragma unroll
    for (int q = 0; q < SIDE; q++) {
      const float a = low[q][c], b = low[q][c + 2 * n];

      d[q] = fmaf (f[q], b - a, a);
    }
    table[c] = make_float4 (d[0], d[1], d[2], d[3]);
  }
  __syncwarp ();
}

static __device__ __forceinline__ void
add (float w, float4 d, float sums[SIDE])
{
  sums[0] = fmaf (w, d.x, sums[0]);
  sums[1] = fmaf (w, d.y, sums[1]);
  sums[2] = fmaf (w, d.z, sums[2]);
  sums[3] = fmaf (w, d.w, sums[3]);
}

/* Codes in a word. */
template <typename Code> struct Word
{
  static const int N = 4 / sizeof (Code);
};

/* Sums an item's four coefficients by a warp. A lane takes a word of columns;
 * narrow windows are processed several rows at a time. */
template <typename Code> static __device__ __forceinline__ void
sum_item (const LlfDevicePyramid &pyramid, const LlfExact &exact,
    const Item &item, const float4 *table, float out[SIDE])
{
  constexpr int N = Word<Code>::N;
  const int lane = threadIdx.x % WARP;
  const LlfDeviceLevel &level = pyramid.levels[item.l];
  const LlfExactWeights &columns = exact.columns[item.l];
  const LlfExactWeights &rows = exact.rows[item.l];
  const float *row_a = rows.a + (size_t) item.y * rows.support;
  const float *row_b = rows.b + (size_t) item.y * rows.support;
  const int pitch = exact.pitch / N;
  const uint32_t *codes = (const uint32_t *) exact.codes +
      (size_t) rows.start[item.y] * pitch;
  int start[SIDE], count[SIDE], end = 0;

#pragma unroll
  for (int q = 0; q < SIDE; q++) {
    const int x = min (item.x + q, level.w - 1);

    start[q] = columns.start[x];
    count[q] = columns.count[x];
    end = max (end, start[q] + count[q]);
    out[q] = 0;
  }

  const int n_words = (end + N - 1) / N;
  int word = start[0] / N;

  while (word < n_words) {
    const int left = n_words - word;
    const int lanes = left > 16 ? 32 : left > 8 ? 16 : left > 4 ? 8 : 4;
    const int own = word + lane % lanes, step = WARP / lanes;
    float a[N][SIDE], b[N][SIDE];

#pragma unroll
    for (int k = 0; k < N; k++)
#pragma unroll
      for (int q = 0; q < SIDE; q++)
        a[k][q] = b[k][q] = 0;
    for (int i = own < n_words ? item.begin + lane / lanes : item.end;
        i < item.end; i += step) {
      const uint32_t packed = codes[(size_t) i * pitch + own];
      const float ra = row_a[i], rb = row_b[i];
      float4 d[N];

#pragma unroll
      for (int k = 0; k < N; k++) {
        d[k] = table[(packed >> (k * 32 / N)) & (sizeof (Code) == 1 ? 0xff :
                0xffff)];
        add (rb, d[k], b[k]);
      }
      if (ra != 0) {
#pragma unroll
        for (int k = 0; k < N; k++)
          add (ra, d[k], a[k]);
      }
    }
    if (own < n_words) {
#pragma unroll
      for (int q = 0; q < SIDE; q++) {
        const size_t at = (size_t) min (item.x + q, level.w - 1) *
            columns.support;

#pragma unroll
        for (int k = 0; k < N; k++) {
          const int x = own * N + k - start[q];

          if ((unsigned) x < (unsigned) count[q])
            out[q] = fmaf (columns.a[at + x], a[k][q],
                fmaf (-columns.b[at + x], b[k][q], out[q]));
        }
      }
    }
    word += lanes;
  }
}

template <typename Code> static __global__ void __launch_bounds__ (THREADS, 3)
sums_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceWeights weights,
    const __grid_constant__ LlfExact exact)
{
  extern __shared__ float4 tables[];
  const int warp = threadIdx.x / WARP, lane = threadIdx.x % WARP;
  const int index = blockIdx.x * (blockDim.x / WARP) + warp;
  float4 *table = tables + warp * pyramid.n_codes;
  float sums[SIDE];

  if (index >= exact.n_items)
    return;

  const Item item = find_item (pyramid, exact, index);

  if (weights.level[item.l] == 0)
    return;
  fill_table (pyramid, item, table);
  sum_item<Code> (pyramid, exact, item, table, sums);
#pragma unroll
  for (int q = 0; q < SIDE; q++)
    sums[q] = cs_warp_sum (sums[q]);
  if (lane == 0)
    exact.partials[index] = make_float4 (sums[0], sums[1], sums[2], sums[3]);
}

LlfLaunch
llf_cuda_exact_sums (const LlfDevicePyramid *pyramid, const LlfExact *exact)
{
  const bool bytes = pyramid->n_codes <= 256;
  const int warps = bytes ? THREADS / WARP : THREADS / WARP / 2;

  return LlfLaunch {
    bytes ? (const void *) sums_kernel<uint8_t> :
        (const void *) sums_kernel<uint16_t>,
    dim3 ((exact->n_items + warps - 1) / warps), dim3 (warps * WARP),
    warps * pyramid->n_codes * sizeof (float4) };
}

/* --- Collapse ------------------------------------------------------------- */

/* The sum of levels coarser than @l at (x, y). */
static __device__ __forceinline__ float
above_at (const LlfDevicePyramid &pyramid, int l, int x, int y)
{
  const LlfDeviceLevel &coarse = pyramid.levels[l + 1];
  const int j = x >> 1, i = y >> 1;
  float c[9], up[4];

  if (l + 2 >= pyramid.n)
    return 0;
#pragma unroll
  for (int dy = 0; dy < 3; dy++)
#pragma unroll
    for (int dx = 0; dx < 3; dx++) {
      const int cx = j - 1 + dx, cy = i - 1 + dy;

      c[dy * 3 + dx] = (unsigned) cx < (unsigned) coarse.w &&
          (unsigned) cy < (unsigned) coarse.h ?
          coarse.c[(size_t) cy * coarse.w + cx] : 0;
    }
  llf_up_cell (c, 3, up);
  return llf_up_inverse (x, coarse.w) * llf_up_inverse (y, coarse.h) *
      (y & 1 ? x & 1 ? up[3] : up[2] : x & 1 ? up[1] : up[0]);
}

static __global__ void __launch_bounds__ (THREADS)
collapse_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceWeights weights,
    const __grid_constant__ LlfExact exact, int l)
{
  const LlfDeviceLevel &level = pyramid.levels[l];
  const int at = blockIdx.x * THREADS + threadIdx.x;
  const int y = at / level.w, x = at - y * level.w;
  const int strips = exact.n_strips[l];
  float sum = 0;

  if (y >= level.h)
    return;
  if (weights.level[l] != 0) {
    const size_t group = (size_t) y * ((level.w + SIDE - 1) / SIDE) + x / SIDE;
    const float *partials = (const float *) (exact.partials +
        exact.first[l] + group * strips) + x % SIDE;

#pragma unroll 8
    for (int strip = 0; strip < strips; strip++)
      sum += partials[strip * SIDE];
  }
  level.c[at] = fmaf (weights.level[l], sum, above_at (pyramid, l, x, y));
}

LlfLaunch
llf_cuda_exact_collapse (const LlfDevicePyramid *pyramid, int l)
{
  const size_t n = (size_t) pyramid->levels[l].w * pyramid->levels[l].h;

  return LlfLaunch { (const void *) collapse_kernel,
    dim3 ((unsigned) ((n + THREADS - 1) / THREADS)), dim3 (THREADS), 0 };
}

/* --- First level ---------------------------------------------------------- */

/* A warp takes a row of a tile, a lane four pixels of it. */
#define QUAD 4
#define TILE_X (WARP * QUAD)
#define TILE_Y (THREADS / WARP * 4)
/* Radius of the window. */
#define RADIUS 4
#define HALO_X (TILE_X + 2 * RADIUS)
#define HALO_Y (TILE_Y + 2 * RADIUS)

/* Weights of up (G_1) away from borders, for even and odd samples. */
static __device__ __forceinline__ float
inner_weight (int odd, int k)
{
  const float even_weights[] = { 1, 4, 12, 28, 38, 28, 12, 4, 1 };
  const float odd_weights[] = { 0, 4, 16, 28, 32, 28, 16, 4, 0 };

  return (odd ? odd_weights[k] : even_weights[k]) * (1.f / 128);
}

/* The sum over a pixel's window, near a border. */
template <typename Code> static __device__ float
border_sum (const LlfExact &exact, const Code *tile, int x, int y, int x0,
    int y0, const float *d)
{
  const LlfExactWeights &columns = exact.columns[0], &rows = exact.rows[0];
  const float *column = columns.b + (size_t) x * columns.support;
  const float *row = rows.b + (size_t) y * rows.support;
  const Code *codes = tile + (rows.start[y] - y0 + RADIUS) * HALO_X +
      columns.start[x] - x0 + RADIUS;
  float sum = 0;

  for (int i = 0; i < rows.count[y]; i++, codes += HALO_X) {
    float line = 0;

    for (int k = 0; k < columns.count[x]; k++)
      line = fmaf (column[k], d[codes[k]], line);
    sum = fmaf (row[i], line, sum);
  }
  return sum;
}

/* The same for four adjacent pixels whose windows lie within the image; @d are
 * their tables of differences. */
template <typename Code> static __device__ __forceinline__ void
inner_sums (const Code *tile, int odd_row, const float *const d[QUAD],
    float sums[QUAD])
{
#pragma unroll
  for (int q = 0; q < QUAD; q++)
    sums[q] = 0;
#pragma unroll
  for (int i = 0; i < 2 * RADIUS + 1; i++) {
    const Code *row = tile + i * HALO_X;
    const float weight = inner_weight (odd_row, i);
    int codes[QUAD + 2 * RADIUS];

    if (odd_row && (i == 0 || i == 2 * RADIUS))
      continue;
#pragma unroll
    for (int k = 0; k < QUAD + 2 * RADIUS; k += Word<Code>::N) {
      const uint32_t word = *(const uint32_t *) (row + k);

#pragma unroll
      for (int n = 0; n < Word<Code>::N; n++)
        codes[k + n] = (word >> (n * 32 / Word<Code>::N)) &
            (sizeof (Code) == 1 ? 0xff : 0xffff);
    }
#pragma unroll
    for (int q = 0; q < QUAD; q++) {
      float line = 0;

#pragma unroll
      for (int k = q % 2; k < 2 * RADIUS + 1 - q % 2; k++)
        line = fmaf (inner_weight (q % 2, k), d[q][codes[q + k]], line);
      sums[q] = fmaf (weight, line, sums[q]);
    }
  }
}

template <typename Code> static __global__ void __launch_bounds__ (THREADS)
first_kernel (const __grid_constant__ LlfDevicePyramid pyramid,
    const __grid_constant__ LlfDeviceWeights weights,
    const __grid_constant__ LlfDeviceFrame frame,
    const __grid_constant__ LlfExact exact)
{
  extern __shared__ float deltas[];
  const int n = pyramid.n_codes;
  const LlfDeviceLevel &level = pyramid.levels[0];
  Code *tile = (Code *) (deltas + 2 * n);
  const int n_x = (level.w + TILE_X - 1) / TILE_X;
  const int x0 = blockIdx.x % n_x * TILE_X, y0 = blockIdx.x / n_x * TILE_Y;
  const int lane = threadIdx.x % WARP, warp = threadIdx.x / WARP;
  const int x = x0 + lane * QUAD;

  for (int i = threadIdx.x; i < 2 * n; i += THREADS)
    deltas[i] = pyramid.tables.fine[i];
  for (int at = threadIdx.x; at < HALO_X * HALO_Y; at += THREADS) {
    const int px = x0 - RADIUS + at % HALO_X, py = y0 - RADIUS + at / HALO_X;

    tile[at] = (unsigned) px < (unsigned) level.w &&
        (unsigned) py < (unsigned) level.h ?
        ((const Code *) exact.codes)[(size_t) py * exact.pitch + px] : 0;
  }
  __syncthreads ();
  for (int row = warp; row < TILE_Y; row += THREADS / WARP) {
    const int y = y0 + row;
    const Code *own = tile + (row + RADIUS) * HALO_X + RADIUS + lane * QUAD;
    const float *d[QUAD];
    float sums[QUAD] = { 0, 0, 0, 0 };

    if (y >= level.h || x >= level.w)
      continue;
#pragma unroll
    for (int q = 0; q < QUAD; q++)
      d[q] = deltas + n - own[q];
    if (weights.level[0] != 0) {
      if (x >= RADIUS && x + QUAD - 1 + RADIUS < level.w && y >= RADIUS &&
          y + RADIUS < level.h) {
        const Code *from = own - RADIUS * HALO_X - RADIUS;

        if (y & 1)
          inner_sums (from, 1, d, sums);
        else
          inner_sums (from, 0, d, sums);
      } else {
        for (int q = 0; q < QUAD && x + q < level.w; q++)
          sums[q] = border_sum (exact, tile, x + q, y, x0, y0, d[q]);
      }
    }
    for (int q = 0; q < QUAD && x + q < level.w; q++) {
      const uint32_t sample = llf_load (frame, x + q, y);
      const float change = fmaf (-weights.level[0], sums[q],
          above_at (pyramid, 0, x + q, y));

      if (frame.guard.slope > 0)
        llf_store<false, true> (frame, x + q, y, sample, change);
      else
        llf_store<false, false> (frame, x + q, y, sample, change);
    }
  }
}

LlfLaunch
llf_cuda_exact_first (const LlfDevicePyramid *pyramid)
{
  const LlfDeviceLevel *level = &pyramid->levels[0];
  const bool bytes = pyramid->n_codes <= 256;

  return LlfLaunch {
    bytes ? (const void *) first_kernel<uint8_t> :
        (const void *) first_kernel<uint16_t>,
    dim3 ((level->w + TILE_X - 1) / TILE_X *
        ((level->h + TILE_Y - 1) / TILE_Y)), dim3 (THREADS),
    2 * pyramid->n_codes * sizeof (float) + HALO_X * HALO_Y *
        (bytes ? 1 : 2) };
}
