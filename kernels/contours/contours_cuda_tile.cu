/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: samples to linked and ranked segments, tile by tile. */
#include "contours_cuda_tile.cuh"

#include "contours_cuda_tile_load.cuh"

/* Threads of a block, and blocks per multiprocessor, for a type of samples:
 * bytes are loaded without samples in registers. */
#define THREADS_FOR(T) 128
#define BLOCKS_PER_SM(T) (sizeof (T) == 1 ? 10 : 7)

/* Finds the cells with segments: those with corners above and below the level.
 * A segment around a corner that is equal to the level has no length.
 * Returns whether there are any. */
static __device__ bool
classify (const CsFrame & f, const TileRef & at, Tile & t)
{
  const int r = threadIdx.x;
  uint32_t first = 0, second = 0;

  if (r < CS_TILE) {
    const Row &top = t.rows[r + 1], &bottom = t.rows[r + 2];
    const uint32_t ul = top.high.from (1), ur = top.high.from (2);
    const uint32_t ll = bottom.high.from (1), lr = bottom.high.from (2);

    first = (ul | ur | ll | lr) & ~(ul & ur & ll & lr);
    if (!at.all_valid)
      first &= top.valid.from (1) & top.valid.from (2) &
          bottom.valid.from (1) & bottom.valid.from (2);
    second = first & (ul ^ ur) & (ul ^ ll) & (ur ^ lr);
    if (at.ties && at.exact) {
      /* such a corner is low; saddles have two of them, if low ones are cut
       * off */
      const uint32_t rises = f.high ? second & ur : 0;
      const uint32_t falls = f.high ? second & ul : 0;

      first &= ~((top.near.from (1) & ((ur & ll & lr) | rises)) |
          (top.near.from (2) & ((ul & ll & lr) | falls)) |
          (bottom.near.from (1) & ul & ur & lr) |
          (bottom.near.from (2) & ul & ur & ll));
      second &= ~((bottom.near.from (2) & rises) |
          (bottom.near.from (1) & falls));
    }
    t.first[r] = first;
    t.second[r] = second;
    t.contours_first[r] = t.contours_second[r] = 0;
    t.n_contours[r] = t.n_points[r] = 0;
  }
  return __syncthreads_or (first | second);
}

/* Removes segments whose ends coincide. */
template <int THREADS> static __device__ void
drop_degenerate (const CsFrame & f, const TileRef & at, Tile & t)
{
  const int c = threadIdx.x % 32;

  for (int r = threadIdx.x / 32; r < CS_TILE; r += THREADS / 32) {
    const uint32_t firsts = t.first[r], seconds = t.second[r];
    bool first = firsts >> c & 1, second = seconds >> c & 1;

    if (firsts == 0)
      continue;
    if (first) {
      const int code = cs_case_segments (cell_case (t, at, r + 1, c + 1), f.high);

      second = second && has_length (t, f, at, r + 1, c + 1, code >> 4);
      first = has_length (t, f, at, r + 1, c + 1, code);
    }
    const uint32_t first_left = __ballot_sync (CS_ALL_LANES, first);
    const uint32_t second_left = __ballot_sync (CS_ALL_LANES, second);

    /* reads before writes */
    __syncwarp ();
    if (c == 0) {
      t.first[r] = first_left;
      t.second[r] = second_left;
    }
  }
  __syncthreads ();
}

/* Prefix sum of the rows' segments in the tile, and an atomic reservation of
 * their range. Only one thread receives the result of the atomic, so that the
 * others do not wait for it. */
static __device__ CsU64
place_rows (const CsFrame & f, Tile & t)
{
  CsU64 base = 0;

  if (threadIdx.x < CS_TILE) {
    const int r = threadIdx.x;
    const uint32_t n = __popc (t.first[r]) + __popc (t.second[r]);
    const uint32_t sum = cs_warp_inclusive_sum (n);

    t.row_base[r] = sum - n;
    if (r == CS_TILE - 1) {
      t.row_base[CS_TILE] = sum;
      t.n_dropped = t.n_overwritten = 0;
      base = atomicAdd (&f.counters->n_segments, (CsU64) sum);
    }
  }
  __syncthreads ();
  return base;
}

/* Some threads per row. */
template <int THREADS> static __device__ void
list_segments (Tile & t, const Strip & strip)
{
  constexpr int PER_ROW = THREADS / CS_TILE, CELLS = CS_TILE / PER_ROW;
  const int r = strip.begin + threadIdx.x / PER_ROW;
  const int first = threadIdx.x % PER_ROW * CELLS;

  static_assert (PER_ROW >= 1, "a thread per row");
  if (r < strip.end) {
    const uint32_t firsts = t.first[r], seconds = t.second[r];
    const uint32_t below = cs_bits_below (first);
    uint32_t cells = (firsts | seconds) & CS_ALL_LANES >> (32 - CELLS) << first;
    uint32_t i = t.row_base[r] - strip.first + __popc (firsts & below) +
        __popc (seconds & below);

    for (; cells; cells &= cells - 1) {
      const int c = __ffs (cells) - 1;

      if (firsts >> c & 1) {
        t.info[i] = LOCAL_INFO (r, c, 0);
        t.previous[i++] = NOTHING;
      }
      if (seconds >> c & 1) {
        t.info[i] = LOCAL_INFO (r, c, 1);
        t.previous[i++] = NOTHING;
      }
    }
  }
  if (threadIdx.x == 0)
    t.n_fragments = 0;
  __syncthreads ();
}

static __device__ void
count_overwritten (const CsFrame & f, const TileRef & at, Tile & t,
    int neighbour, bool end_overwrote)
{
  const Pairing start = find_partner (t, f, at, neighbour >> 16,
      neighbour >> 8 & 255, neighbour & 1, false);

  if (end_overwrote || start.overwrote)
    atomicAdd (&t.n_overwritten, (uint32_t) end_overwrote + start.overwrote);
}

/* Links segments inside the strip. */
template <int THREADS> static __device__ void
link_segments (const CsFrame & f, const TileRef & at, Tile & t,
    const Strip & strip)
{
  for (uint32_t i = threadIdx.x; i < strip.n; i += THREADS) {
    const int neighbour = neighbour_of_info (t.info[i]);
    const Pairing next = find_partner (t, f, at, neighbour >> 16,
        neighbour >> 8 & 255, neighbour & 1, true);

    t.tail[i] = next.partner < 0 ? ENDS_HERE :
        is_inside (strip, next.partner) ? 0 : LEAVES;
    if (t.tail[i] == 0)
      t.previous[local_index (t, strip, next.partner)] = (uint16_t) i;
    if (!at.all_valid && at.ties)
      count_overwritten (f, at, t, neighbour, next.overwrote);
  }
  __syncthreads ();
}

/* Pointer jumping, until every segment has reached its chain's head or wrapped
 * around its cycle; then both halves of jumps[] are the same. */
template <int THREADS> static __device__ void
rank_segments (Tile & t, uint32_t n)
{
  bool active = false;
  int now = 0;

  for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
    const uint16_t previous = t.previous[i];
    const bool head = previous == NOTHING;
    LocalJump jump;

    jump.p = head ? (uint16_t) i : previous;
    jump.distance = !head;
    jump.max = (uint16_t) i;
    jump.max_distance = 0;
    t.jumps[0][i] = jump;
    active |= !head;
  }
  while (__syncthreads_or (active)) {
    active = false;
    for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
      LocalJump mine, other;

      mine.word = t.jumps[now][i].word;
      other.word = t.jumps[now][mine.p].word;
      if (other.distance != 0 && other.max != mine.max) {
        if (other.max > mine.max) {
          mine.max_distance = mine.distance + other.max_distance;
          mine.max = other.max;
        }
        mine.p = other.p;
        mine.distance += other.distance;
        active = true;
      }
      t.jumps[!now][i].word = mine.word;
    }
    now = !now;
  }
}

/* Registers a contour that lies in the strip. */
static __device__ void
register_contour (const CsFrame & f, Tile & t, uint32_t min, uint32_t length)
{
  const uint16_t info = t.info[min];
  const int r = LOCAL_ROW (info);
  const uint32_t bit = 1u << LOCAL_COLUMN (info);

  if (!cs_is_long_enough (&f, length)) {
    atomicAdd (&t.n_dropped, 1);
    return;
  }
  atomicOr (LOCAL_K (info) ? &t.contours_second[r] : &t.contours_first[r], bit);
  atomicAdd (&t.n_contours[r], 1);
  atomicAdd (&t.n_points[r], length + 1);
}

/* Jumps to ranks; numbers the fragments. */
template <int THREADS> static __device__ void
collect_ranks (Tile & t, uint32_t n)
{
  for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
    const LocalJump jump = t.jumps[0][i];

    if (jump.distance == 0 || t.jumps[0][jump.p].distance == 0) {
      t.ranked[i] = RANKED (jump.p, jump.distance, 0);
    } else if (jump.max == i) {
      const uint32_t length = t.jumps[0][t.previous[i]].max_distance + 1u;

      t.ranked[i] = RANKED (i, length - 1, 1);
      t.tail[i] = (uint16_t) length;
    } else {
      t.ranked[i] = RANKED (jump.max, jump.max_distance - 1, 1);
    }
  }
  __syncthreads ();
  for (uint32_t i = threadIdx.x; i < n; i += THREADS) {
    if (RANKED_ROOT (t.ranked[i]) == i) {
      t.min[i] = 0xffffffff;
      t.max[i] = 0;
      t.previous[i] = (uint16_t) atomicAdd (&t.n_fragments, 1);
    }
  }
  __syncthreads ();
}

/* Minimum and maximum segments of the fragments, and their lengths. */
template <int THREADS> static __device__ void
measure_fragments (const CsFrame & f, Tile & t, uint32_t n)
{
  uint32_t tails = 0, ends = 0, bit = 1;
  CsU64 base = 0;

  if (threadIdx.x == 0)
    base = atomicAdd (&f.counters->n_fragments, (CsU64) t.n_fragments);
  /* tail[] moves from the tails to the roots: read before it is written */
  for (uint32_t i = threadIdx.x; i < n; i += THREADS, bit *= 2) {
    const uint32_t root = RANKED_ROOT (t.ranked[i]);

    atomicMin (&t.min[root], i);
    atomicMax (&t.max[root], i);
    tails |= t.tail[i] & (LEAVES | ENDS_HERE) ? bit : 0;
    ends |= t.tail[i] & ENDS_HERE ? bit : 0;
  }
  __syncthreads ();
  bit = 1;
  for (uint32_t i = threadIdx.x; i < n; i += THREADS, bit *= 2) {
    if (tails & bit)
      t.tail[RANKED_ROOT (t.ranked[i])] =
          (uint16_t) (RANKED_RANK (t.ranked[i]) + 1) |
          (ends & bit ? ENDS_HERE : 0);
  }
  /* as late as possible, to hide the latency of the atomic */
  if (threadIdx.x == 0)
    t.fragment_base = base + t.n_fragments > f.max_fragments ? CS_NONE :
        (uint32_t) base;
  __syncthreads ();
}

/* The root segment's thread writes the fragment. */
static __device__ void
write_fragment (const CsFrame & f, const TileRef & at, Tile & t,
    uint32_t i, bool closed)
{
  const uint32_t length = t.tail[i] & ~ENDS_HERE;
  const uint32_t min = t.min[i], max = t.max[i];
  const uint32_t index = t.fragment_base + t.previous[i];
  const int neighbour = neighbour_of_info (t.info[i]);
  CsFragment fragment = { CS_NONE, CS_NONE, length, 0, 0, 0, at.target, 1 };

  fragment.min = key_of (f, at, neighbour_of_info (t.info[min]));
  fragment.max = key_of (f, at, neighbour_of_info (t.info[max]));
  if (!closed) {
    fragment.previous = key_of (f, at, find_partner (t, f, at, neighbour >> 16,
            neighbour >> 8 & 255, neighbour & 1, false).partner);
    fragment.whole = fragment.previous == CS_NONE &&
        (t.tail[i] & ENDS_HERE) != 0;
  }
  if (fragment.whole)
    register_contour (f, t, min, length);
  if (t.fragment_base == CS_NONE)
    return;

  /* the threads of the tail and of the maximum write their fields */
  CsFragment *to = &f.fragments[index];
  to->previous = fragment.previous;
  to->length = length;
  to->min = fragment.min;
  to->max = fragment.max;
  to->target = at.target;
  to->whole = fragment.whole ? closed ? CS_WHOLE_CLOSED : CS_WHOLE_OPEN : 0;
  if (closed || t.tail[i] & ENDS_HERE)
    to->next = CS_NONE;
  if (fragment.whole) {
    const CsRoot root = { length | (closed ? CS_CLOSED : 0), 0, 0,
      cs_is_long_enough (&f, length) ? 0 : CS_DROPPED
    };
    const CsPlace place = { index, 0, at.target, 0 };

    f.roots[index] = root;
    f.places[index] = place;
  } else {
    const bool head = fragment.previous == CS_NONE;
    const CsJump jump = { head ? CS_NONE : CS_UNRESOLVED, length,
      fragment.max, 0
    };
    const CsMinJump min_jump = { jump.p, fragment.min };

    f.jumps[index] = jump;
    f.min_jumps[index] = min_jump;
  }
}

template <int THREADS> static __device__ void
write_segments (const CsFrame & f, const TileRef & at, Tile & t,
    const Strip & strip)
{
  const uint32_t base = t.base + strip.first;

  for (uint32_t i = threadIdx.x; i < strip.n; i += THREADS) {
    const uint16_t info = t.info[i];
    const uint32_t root = RANKED_ROOT (t.ranked[i]);
    const uint32_t rank = RANKED_RANK (t.ranked[i]);
    const bool closed = RANKED_CLOSED (t.ranked[i]);
    const int r = LOCAL_ROW (info), c = LOCAL_COLUMN (info);

    if (root == i)
      write_fragment (f, at, t, i, closed);
    if (t.base == CS_NONE || t.fragment_base == CS_NONE)
      continue;
    const uint32_t fragment = t.fragment_base + t.previous[root];
    const int code = cs_case_segments (cell_case (t, at, r + 1, c + 1),
        f.high) >> 4 * LOCAL_K (info);

    f.segment_pixel[base + i] = pixel_of (f, at, r, c);
    f.segment_info[base + i] = CS_SEGMENT_INFO (rank, code & 3, code >> 2 & 3);
    f.segment_fragment[base + i] = fragment;
    if (t.max[root] == i)
      f.fragments[fragment].max_rank = rank;
    if (!closed && rank + 1 == t.tail[root])
      f.fragments[fragment].next = key_of (f, at, find_partner (t, f, at,
              r + 1, c + 1, LOCAL_K (info), true).partner);
  }
  __syncthreads ();
}

/* Writes the words of a tile, and of the contours that start there, and their
 * sums. */
static __device__ void
write_words (const CsFrame & f, const TileRef & at, Tile & t, bool empty)
{
  const int r = threadIdx.x;
  const uint32_t row = at.ty * CS_TILE + r;
  CsWord word = { 0, 0, 0, 0 };
  CsStarts starts = { 0, 0 };

  if (r >= CS_TILE || row >= f.height - 1)
    return;
  const uint32_t w = cs_word_index (&f, at.target, row, at.tx);
  if (!empty) {
    word.first = t.first[r];
    word.second = t.second[r];
    word.base = t.base + t.row_base[r];
    starts.first = t.contours_first[r];
    starts.second = t.contours_second[r];
    if (t.n_contours[r])
      atomicAdd (&f.chunks[w / CS_WORDS_PER_CHUNK],
          cs_pack (t.n_contours[r], t.n_points[r]));
    if (r == 0 && t.n_dropped)
      atomicAdd (&f.counters->n_dropped, (CsU64) t.n_dropped);
    if (r == 0 && t.n_overwritten)
      atomicAdd (&f.counters->n_overwritten, (CsU64) t.n_overwritten);
  }
  if (!empty || f.zero_words)
    f.words[w] = word;
  f.starts[w] = starts;
}

/* Links the strip's segments into fragments. */
template <int THREADS> static __device__ void
join_strip (const CsFrame & f, const TileRef & at, Tile & t,
    const Strip & strip, CsU64 base)
{
  list_segments<THREADS> (t, strip);
  link_segments<THREADS> (f, at, t, strip);
  rank_segments<THREADS> (t, strip.n);
  /* nothing is written past the capacity */
  if (threadIdx.x == CS_TILE - 1)
    t.base = base + t.row_base[CS_TILE] > f.max_segments ? CS_NONE :
        (uint32_t) base;
  collect_ranks<THREADS> (t, strip.n);
  measure_fragments<THREADS> (f, t, strip.n);
  write_segments<THREADS> (f, at, t, strip);
}

template <typename T, typename V> static __global__ void
__launch_bounds__ (THREADS_FOR (T), BLOCKS_PER_SM (T))
find_in_tile (const __grid_constant__ CsFrame f)
{
  constexpr int THREADS = THREADS_FOR (T);
  __shared__ Tile t;
  const uint32_t tiles = f.tiles_x * f.tiles_y;
  Strip strip;
  TileRef at;

  at.target = blockIdx.x / tiles;
  at.ty = (blockIdx.x - at.target * tiles) / f.tiles_x;
  at.tx = blockIdx.x - at.target * tiles - at.ty * f.tiles_x;
  at.level = cs_target_level (&f, at.target);
  if (blockIdx.x == 0) {
    /* word by word, for the later kernels */
    const uint32_t *from = (const uint32_t *) &f;
    uint32_t *to = (uint32_t *) f.self;

    for (uint32_t i = threadIdx.x; i < sizeof (f) / 4; i += THREADS)
      to[i] = from[i];
  }
  load_tile<T, V, THREADS> (f, at, t);
  if (!classify (f, at, t)) {
    write_words (f, at, t, true);
    return;
  }
  if (at.ties && !at.exact)
    drop_degenerate<THREADS> (f, at, t);
  const CsU64 base = place_rows (f, t);
  const int rows = t.row_base[CS_TILE] <= MAX_SEGMENTS ? CS_TILE : STRIP_ROWS;

#pragma unroll 1
  for (strip.begin = 0; strip.begin < CS_TILE; strip.begin += rows) {
    strip.end = strip.begin + rows;
    strip.first = t.row_base[strip.begin];
    strip.n = t.row_base[strip.end] - strip.first;
    join_strip<THREADS> (f, at, t, strip, base);
  }
  write_words (f, at, t, false);
}

const void *
cs_contours_tile_kernel (CsSampleType type)
{
  return (const void *) CS_FOR_TYPE (find_in_tile, type);
}

unsigned int
cs_contours_tile_threads (CsSampleType type)
{
  return type == CS_SAMPLE_U8 ? THREADS_FOR (uint8_t) : THREADS_FOR (float);
}
