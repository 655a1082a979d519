/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Painting discs on codes of 8 bits in words: what is painted most, with as few
 * instructions as it needs. A block of threads paints 32 x 16 pixels, each of its
 * four warps 16 x 8 of them, each thread 2 x 2. The block finds the discs that
 * touch it, some at a time, nearest first, and puts them into one list, which its
 * warps paint until their pixels are proven. Pixels that are not are painted
 * again from the list, farthest first. A warp that cannot do so writes nothing
 * and leaves its pixels to the painter of all marks. */
#include "raster_cuda_lean.cuh"

#define WIDTH 32
#define HEIGHT 16

/* Sparse: fewer discs of a round are expected to touch a block. */
#define SPARSE_HITS 16.

/* Discs that a warp paints between looks at whether it is done. */
#define CHECK_EVERY(kind) ((kind) ? 4 : 3)

/* When so little is let through, pixels that are not proven are painted again;
 * once more when it is still less. */
#define DARK(kind) ((kind) & GRADIENTS ? 4e-6f : (kind) ? 1e-6f : 1e-7f)
#define DARKEST 1e-10f

/* While more is let through, hardly all of a warp's pixels are proven: of its
 * 384 colours some dozens are too near to another code. */
#define HOPELESS (1.f / (255 * 32))

/* Blocks that a multiprocessor has at work at least, with 80 or 128 registers for
 * each thread. */
#define BLOCKS(kind) ((kind) & GRADIENTS ? 4 : 6)

/* --- From the front ------------------------------------------------------- */

/* One layer. Contraction is welcome here: the bound holds. */
static __device__ __forceinline__ void
blend (Quad & q, int i, float alpha, const float4 paint)
{
  const float w = q.through[i] * alpha;

  q.color[0][i] = __fmaf_rn (w, paint.y, q.color[0][i]);
  q.color[1][i] = __fmaf_rn (w, paint.z, q.color[1][i]);
  q.color[2][i] = __fmaf_rn (w, paint.w, q.color[2][i]);
  q.through[i] -= w;
}

/* Distances of a thread's pixels from a centre, and their squares. */
template < int KIND > struct Distances
{
  float x0, y0, x1, y1, xx0, xx1, yy0, yy1;

  __device__ __forceinline__ Distances (const float4 place, const Warp & w)
  {
    x0 = w.x - place.x;
    y0 = w.y - place.y;
    x1 = w.x + 1.f - place.x;
    y1 = w.y + 1.f - place.y;
    xx0 = x0 * x0;
    xx1 = x1 * x1;
    yy0 = not_zero < KIND > (y0 * y0);
    yy1 = not_zero < KIND > (y1 * y1);
  }

  __device__ __forceinline__ float square (int i) const
  {
    return (i & 1 ? xx1 : xx0) + (i >> 1 ? yy1 : yy0);
  }
};

template < int KIND > static __device__ __forceinline__ void
paint_disc (const Disc & disc, bool is_full, const Warp & w, Quad & q)
{
  const float4 paint = disc.paint;

  if (is_full) {
#pragma unroll
    for (int i = 0; i < PIXELS; i++)
      blend (q, i, paint.x, paint);
    return;
  }
  const float4 place = disc.place;
  const Distances < KIND > d (place, w);

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    if (KIND & SMOOTH)
      blend (q, i, paint.x * __saturatef (place.z - exact_root (d.square (i))),
          paint);
    else if (d.square (i) <= place.z)
      blend (q, i, paint.x, paint);
  }
}

/* A disc with a gradient, number @i of the list. */
template < int KIND > static __device__ __forceinline__ void
paint_ramp (const CsRasterLean & a, const Shared < KIND > &shared, guint32 i,
    bool is_full, const Warp & w, Quad & q)
{
  const Disc & disc = shared.list[i];
  const unsigned kind = shared.kinds[i];
  const float4 place = disc.place, paint = disc.paint;
  const Distances < KIND > d (place, w);
  float squares[PIXELS], parts[PIXELS], alphas[PIXELS];

  if (kind & RAMP_EXACT) {
#pragma unroll
    for (int j = 0; j < PIXELS; j++) {
      const float c = cover_pixel < KIND > (disc, d.square (j), 1);

      if (c > 0) {
        const float4 exact = ramp_color (a.words, a.gradients,
            shared.ramps[i], j & 1 ? d.x1 : d.x0, j >> 1 ? d.y1 : d.y0);

        blend (q, j, exact.x * c, exact);
      }
    }
    return;
  }
  const Ramp & ramp = shared.ramps[i];
  const float change = ramp.change * ramp.alpha;

  q.color_error = fmaxf (q.color_error, ramp.color_error);
  q.alpha_error = fmaxf (q.alpha_error, ramp.alpha_error);
#pragma unroll
  for (int j = 0; j < PIXELS; j++)
    squares[j] = d.square (j);
  follow_ramp (ramp, kind, squares, d.x0, d.x1, d.y0, d.y1, parts);
#pragma unroll
  for (int j = 0; j < PIXELS; j++)
    alphas[j] = __saturatef (__fmaf_rn (parts[j], change, paint.x));
  if (kind & RAMP_FALLS)
    fall_off (ramp, squares, alphas);
  if (!is_full) {
#pragma unroll
    for (int j = 0; j < PIXELS; j++) {
      if (KIND & SMOOTH)
        alphas[j] *= __saturatef (place.z - exact_root (d.square (j)));
      else if (d.square (j) > place.z)
        alphas[j] = 0;
    }
  }
  if (kind & RAMP_COLORED) {
#pragma unroll
    for (int j = 0; j < PIXELS; j++)
      blend (q, j, alphas[j], make_float4 (0,
              __fmaf_rn (parts[j], ramp.color_change[0], paint.y),
              __fmaf_rn (parts[j], ramp.color_change[1], paint.z),
              __fmaf_rn (parts[j], ramp.color_change[2], paint.w)));
  } else {
#pragma unroll
    for (int j = 0; j < PIXELS; j++)
      blend (q, j, alphas[j], paint);
  }
}

/* Whether every pixel is proven, or lets so little through that it is painted
 * again. With gradients some of a warp's pixels nearly always are: then nothing
 * is proven before. */
template < int KIND > static __device__ __forceinline__ bool
is_enough (Quad & q, const Warp & w)
{
  const float most = fmaxf (fmaxf (q.through[0], q.through[1]),
      fmaxf (q.through[2], q.through[3]));
  bool ok = true;
  guint32 word;

  /* before each of the layers up to the next look */
  if (KIND)
    q.seen += CHECK_EVERY (KIND) * fmaxf (most, 0);
  if (KIND & GRADIENTS)
    return !__any_sync (CS_ALL_LANES, most >= w.dark);
  if (__any_sync (CS_ALL_LANES, most > HOPELESS))
    return false;
  const float e = bound_of < KIND > (w, q);

#pragma unroll
  for (int i = 0; i < PIXELS; i++)
    ok &= prove (q, i, e, NULL, &word) || q.through[i] < w.dark;
  return __all_sync (CS_ALL_LANES, ok);
}

/* Paints what of the list, up to @end, the warp has not painted, until it is
 * enough: then @w.next is where it has stopped. Returns whether it is. */
template < int KIND > static __device__ __forceinline__ bool
paint_list (const CsRasterLean & a, const Shared < KIND > &shared, guint32 end,
    Warp & w, Quad & q)
{
  while (w.next < end) {
    const guint32 first = w.next & ~31u;
    bool hit = false, full = false;

    if (first + w.lane >= w.next && first + w.lane < end) {
      const float4 g = shared.list[first + w.lane].place;
      const float x0 = w.left - g.x, x1 = g.x - (w.left + 15);
      const float y0 = w.top - g.y, y1 = g.y - (w.top + 7);
      const float dx = fmaxf (fmaxf (x0, x1), 0);
      const float dy = fmaxf (fmaxf (y0, y1), 0);
      /* to the corner that is farthest */
      const float ex = fmaxf (-x0, -x1), ey = fmaxf (-y0, -y1);
      const float inner = fmaxf (g.z - 1.f, 0);
      const float inner2 = KIND & SMOOTH ? inner * inner : g.z;

      hit = dx * dx + dy * dy <= g.w * g.w;
      full = ex * ex + ey * ey < inner2 * .99999f;
    }
    const unsigned fulls = __ballot_sync (CS_ALL_LANES, full);

    for (unsigned hits = __ballot_sync (CS_ALL_LANES, hit); hits;
        hits &= hits - 1) {
      const int bit = __ffs (hits) - 1;
      const Disc & disc = shared.list[first + bit];
      bool has_ramp = false;

      if constexpr (KIND & GRADIENTS) {
        has_ramp = shared.kinds[first + bit] != 0;
        if (has_ramp)
          paint_ramp < KIND > (a, shared, first + bit, fulls >> bit & 1, w, q);
      }
      if (!has_ramp)
        paint_disc < KIND > (disc, fulls >> bit & 1, w, q);
      if (!KIND)
        w.least_alpha = fminf (w.least_alpha, disc.paint.x);
      w.n_layers++;
      if (++w.since < CHECK_EVERY (KIND))
        continue;
      w.since = 0;
      if (is_enough < KIND > (q, w)) {
        w.next = first + bit + 1;
        return true;
      }
    }
    w.next = min (first + 32, end);
  }
  return false;
}

/* --- Writing -------------------------------------------------------------- */

/* The codes of the thread's pixels when enough discs are painted, or ALL there
 * are. Returns which are not proven. */
template < int KIND, bool ALL > static __device__ __forceinline__ unsigned
prove_all (const CsRasterLean & a, const Warp & w, const Quad & q,
    guint32 words[PIXELS])
{
  const float e = bound_of < KIND > (w, q);
  unsigned open = 0;

#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    const int x = w.x + (i & 1), y = w.y + (i >> 1);
    float behind[3] = { 0, 0, 0 };

    if (ALL && x < a.width && y < a.height)
      read_behind (a.words, x, y, behind);
    if (!prove (q, i, e, ALL ? behind : NULL, &words[i]))
      open |= 1u << i;
  }
  return open;
}

/* What a warp does when it has painted enough, or ALL there is: writes its
 * pixels. Returns whether it has. */
template < int KIND, bool ALL > static __device__ __forceinline__ bool
settle (const CsRasterLean & a, Shared < KIND > &shared, const Warp & w,
    const Quad & q)
{
  guint32 words[PIXELS];

  if (ALL && w.n_layers == 0 && a.in_place)
    return true;
  unsigned open = prove_all < KIND, ALL > (a, w, q, words);
  if (__any_sync (CS_ALL_LANES, open)) {
    if (!w.is_lost)
      open = settle_again < KIND > (a, shared, w, w.next, ALL, open, words);
    if (__any_sync (CS_ALL_LANES, open))
      return false;
  }
  write_words (a.words, w.x, w.y, a.width, a.height, words);
  return true;
}

/* --- A block -------------------------------------------------------------- */

/* Paints what is new in the list. */
template < int KIND > static __device__ __forceinline__ void
go_on (const CsRasterLean & a, Shared < KIND > &shared, guint32 end, Warp & w,
    Quad & q)
{
  while (!w.is_done && paint_list < KIND > (a, shared, end, w, q)) {
    w.is_done = settle < KIND, false > (a, shared, w, q);
    if (!w.is_done && (w.is_lost || w.dark <= DARKEST))
      w.is_done = w.is_left = true;
    w.dark = DARKEST;
  }
}

template < int KIND > static __device__ __forceinline__ void
begin (const CsRasterLean & a, int left, int top, Warp & w, Quad & q)
{
  const int x = left + (int) (threadIdx.x / 32 & 1) * 16;
  const int y = top + (int) (threadIdx.x / 64) * 8;

  w.lane = threadIdx.x % 32;
  w.warp = threadIdx.x / 32;
  w.left = x;
  w.top = y;
  w.x = x + (int) (w.lane & 7) * 2;
  w.y = y + (int) (w.lane >> 3) * 2;
  w.next = w.n_layers = w.since = 0;
  w.least_alpha = 1;
  w.dark = DARK (KIND);
  q.seen = CHECK_EVERY (KIND);
  q.alpha_error = q.color_error = 0;
  w.is_lost = w.is_left = false;
  w.is_done = x >= a.width || y >= a.height;
#pragma unroll
  for (int i = 0; i < PIXELS; i++) {
    q.color[0][i] = q.color[1][i] = q.color[2][i] = 0;
    q.through[i] = w.x + (i & 1) < a.width && w.y + (i >> 1) < a.height;
  }
}

/* What is not seen at all is put where it touches nothing. */
template < int KIND > static __device__ __forceinline__ Disc
disc_of (const CsRasterLean & a, const CsRasterMark & mark)
{
  const float edge = KIND & SMOOTH ? mark.radius + .5f : mark.radius;
  float color[3];
  const float alpha = word_color (a.words, mark.rgba, color);
  Disc disc;

  disc.place = make_float4 (alpha > 0 ? mark.x : 1e30f, mark.y,
      KIND & SMOOTH ? edge : edge * edge, edge + cs_raster_slack (&mark));
  disc.paint = make_float4 (alpha, color[0], color[1], color[2]);
  return disc;
}

/* Mark number @at, as number @i of the list. */
template < int KIND > static __device__ __forceinline__ void
put_disc (const CsRasterLean & a, guint32 at, Shared < KIND > &shared,
    guint32 i)
{
  const CsRasterMark mark = load_mark (a.sorted, at);
  Disc disc = disc_of < KIND > (a, mark);

  if constexpr (KIND & GRADIENTS) {
    unsigned kind = 0;

    if (mark.run & CS_GRADIENT_RUN) {
      shared.ramps[i].gradient = mark.run & ~CS_GRADIENT_RUN;
      shared.ramps[i].rgba = mark.rgba;
      kind = ramp_of (a.words, a.gradients, mark.radius, &disc.paint,
          &shared.ramps[i]);
    }
    shared.kinds[i] = (guint8) kind;
  }
  shared.list[i] = disc;
}

/* The discs of a round of a mask's words, of EACH words for each thread, 1 or
 * 4. Returns how many; where there is no room for them, there are none. */
template < int EACH, int KIND > static __device__ __forceinline__ guint32
find_candidates (const CsRasterLean & a, Shared < KIND > &shared,
    const guint32 * words, guint32 base)
{
  const guint32 at = base + threadIdx.x * EACH;
  guint32 word[EACH], total, slot, count = 0;

  if (EACH == 4) {
    const uint4 four = at < a.sorted.mask_words ? __ldg ((const uint4 *)
        (words + at)) : make_uint4 (0, 0, 0, 0);

    memcpy (word, &four, sizeof (word));
  } else {
    word[0] = at < a.sorted.mask_words ? __ldg (words + at) : 0;
  }
#pragma unroll
  for (int j = 0; j < EACH; j++)
    count += __popc (word[j]);
  slot = cs_warp_inclusive_sum (count);
  slot += cs_block_count_before < WARPS > (shared.counts,
      __shfl_sync (CS_ALL_LANES, slot, 31), &total) - count;
  if (EACH > 1 && total > CANDIDATES)
    return total;
#pragma unroll
  for (int j = 0; j < EACH; j++) {
    for (; word[j]; word[j] &= word[j] - 1)
      shared.candidates[slot++] = (guint16) (threadIdx.x * (EACH * 32) +
          j * 32 + __ffs (word[j]) - 1);
  }
  __syncthreads ();
  return total;
}

/* Discs that touch the block, of those that it has looked at. */
struct Found
{
  guint32 at[PER_LANE], before, total;
  unsigned masks[PER_LANE];
};

/* Looks at candidates from number @first on; all threads come here. */
template < int KIND > static __device__ __forceinline__ void
find (const CsRasterLean & a, Shared < KIND > &shared, guint32 base,
    guint32 first, guint32 n, int left, int top, Found & found)
{
  const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  unsigned count = 0;

#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    const guint32 i = first + warp * (32 * PER_LANE) + j * 32 + lane;

    found.at[j] = i < n ? base * 32 + shared.candidates[i] : ~0u;
  }
#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    const bool hit = found.at[j] != ~0u &&
        reaches (__ldg (&a.sorted.reach[found.at[j]]), left, top,
        left + WIDTH - 1, top + HEIGHT - 1);

    found.masks[j] = __ballot_sync (CS_ALL_LANES, hit);
    count += __popc (found.masks[j]);
  }
  found.before = cs_block_count_before < WARPS > (shared.counts, count,
      &found.total);
}

/* Puts those from number @first up to @end of what was found into the list, from
 * @to on. What takes longer than plain discs is put there by as few warps as it
 * takes: first only where it is, which a few threads of each warp know. */
template < int KIND > static __device__ __forceinline__ void
put_found (const CsRasterLean & a, const Found & found, guint32 first,
    guint32 end, Shared < KIND > &shared, guint32 to)
{
  Disc *list = shared.list + to;
  const unsigned lane = threadIdx.x % 32;
  guint32 before = found.before;

#pragma unroll
  for (int j = 0; j < PER_LANE; j++) {
    const guint32 slot = before + cs_lanes_before (found.masks[j], lane);

    if ((found.masks[j] >> lane & 1) && slot >= first && slot < end) {
      if (KIND)
        shared.list[to + slot - first].place.x =
            __uint_as_float (found.at[j]);
      else
        list[slot - first] = disc_of < KIND > (a, load_mark (a.sorted,
                found.at[j]));
    }
    before += __popc (found.masks[j]);
  }
  if (KIND) {
    __syncthreads ();
    for (guint32 i = to + threadIdx.x; i < to + end - first; i += THREADS)
      put_disc < KIND > (a, __float_as_uint (shared.list[i].place.x), shared,
          i);
  }
}

/* Paints what was found; @n_list: how many the list has. Returns whether all
 * warps are done. */
template < int KIND > static __device__ __forceinline__ bool
paint_found (const CsRasterLean & a, Shared < KIND > &shared,
    const Found & found, guint32 & n_list, Warp & w, Quad & q)
{
  guint32 done = 0;

  do {
    if (n_list == LIST (KIND) && done < found.total) {
      n_list = w.next = 0;
      w.is_lost = true;
    }
    const guint32 end = min (found.total, done + LIST (KIND) - n_list);
    put_found < KIND > (a, found, done, end, shared, n_list);
    n_list += end - done;
    done = end;
    __syncthreads ();
    go_on < KIND > (a, shared, n_list, w, q);
    if (__syncthreads_and (w.is_done))
      return true;
  } while (done < found.total);
  return false;
}

/* All discs, nearest first, until all warps are done. */
template < int EACH, int KIND > static __device__ __forceinline__ void
paint_all (const CsRasterLean & a, Shared < KIND > &shared, int left, int top,
    Warp & w, Quad & q)
{
  const guint32 *words = a.sorted.masks + (size_t) a.sorted.mask_words *
      (top / CS_RASTER_MASK * a.sorted.masks_per_row + left / CS_RASTER_MASK);
  guint32 n_list = 0;

  for (guint32 base = 0; base < a.sorted.mask_words;) {
    guint32 each = EACH;
    guint32 n = find_candidates < EACH, KIND > (a, shared, words, base);

    if (EACH > 1 && n > CANDIDATES) {
      each = 1;
      __syncthreads ();
      n = find_candidates < 1, KIND > (a, shared, words, base);
    }
    for (guint32 first = 0; first < n; first += THREADS * PER_LANE) {
      Found found;

      find < KIND > (a, shared, base, first, n, left, top, found);
      if (paint_found < KIND > (a, shared, found, n_list, w, q))
        return;
    }
    base += each * THREADS;
    /* candidates, and counts, are read no more */
    __syncthreads ();
  }
}

template < int EACH, int KIND > static __global__ void
__launch_bounds__ (THREADS, BLOCKS (KIND))
paint_discs (const __grid_constant__ CsRasterLean a)
{
  __shared__ Shared < KIND > shared;
  /* the upper and the lower border first: at borders discs are fewer, and take
   * longer to find */
  const int row = blockIdx.y & 1 ? gridDim.y - 1 - blockIdx.y / 2 :
      blockIdx.y / 2;
  const int left = blockIdx.x * WIDTH, top = row * HEIGHT;
  Warp w;
  Quad q;

  begin < KIND > (a, left, top, w, q);
  if (a.sorted.counters->mixed) {
    w.is_left = true;
  } else if (top < a.height) {
    paint_all < EACH, KIND > (a, shared, left, top, w, q);
    if (!w.is_done)
      w.is_left = !settle < KIND, true > (a, shared, w, q);
  }
  /* as the painter of all marks divides its blocks */
  if (w.is_left && w.lane == 0)
    atomicAdd (&a.sorted.counters->left_over, 1);
  if (w.lane == 0)
    a.left_over[((row / 2) * gridDim.x + blockIdx.x) * (2 * WARPS) +
        (row & 1) * WARPS + w.warp] = w.is_left;
}

gboolean
cs_raster_cuda_lean_fits (const CsRasterFormat * f)
{
  CsRasterWords words;

  return cs_raster_words_init (&words, f);
}

static gboolean
is_sparse (const CsRasterFormat * f, double area)
{
  const double side = sqrt (area);

  return 32. * ROUND_WORDS * (side + WIDTH) * (side + HEIGHT) <
      SPARSE_HITS * f->width * f->height;
}

template < int KIND > static void
launch (const CsRasterLean & lean, bool is_sparse, dim3 grid,
    cudaStream_t stream)
{
  if (is_sparse)
    paint_discs < 4, KIND > <<< grid, THREADS, 0, stream >>> (lean);
  else
    paint_discs < 1, KIND > <<< grid, THREADS, 0, stream >>> (lean);
}

gboolean
cs_raster_cuda_lean_paint (const CsRasterPaint * paint, double area,
    guint8 * left_over, cudaStream_t stream, GError ** error)
{
  const CsRasterFormat *f = &paint->format;
  const dim3 grid (cs_cuda_blocks (f->width, WIDTH),
      cs_cuda_blocks (f->height, CS_RASTER_BLOCK) * 2);
  CsRasterLean lean;

  memset (&lean, 0, sizeof (lean));
  cs_raster_words_init (&lean.words, f);
  lean.sorted = paint->sorted;
  lean.left_over = left_over;
  lean.width = f->width;
  lean.height = f->height;
  lean.parity = paint->parity;
  lean.in_place = paint->in_place;
  lean.gradients = paint->gradients;
  const int kind = (f->antialias ? SMOOTH : 0) |
      (lean.gradients.gradients ? GRADIENTS : 0);
  const bool sparse = is_sparse (f, area);
  if (kind == 0)
    launch < 0 > (lean, sparse, grid, stream);
  else if (kind == SMOOTH)
    launch < SMOOTH > (lean, sparse, grid, stream);
  else if (kind == GRADIENTS)
    launch < GRADIENTS > (lean, sparse, grid, stream);
  else
    launch < SMOOTH | GRADIENTS > (lean, sparse, grid, stream);
  return cs_cuda_check (cudaGetLastError (), "paint discs", error);
}
