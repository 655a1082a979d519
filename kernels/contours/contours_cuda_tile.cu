/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: from samples to joined and ranked segments, tile by tile. */
#include "contours_cuda.h"

#include "contours_cuda_samples.h"
#include "contours_math.h"

/* A tile's cells, and one more on every side, whose corners' samples these
 * are. Local pixel (i, j) is image pixel (32 ty - 1 + i, 32 tx - 1 + j); the
 * tile's own cells are those at 1 .. 32. */
#define SIDE (CS_TILE + 3)
#define MAX_SEGMENTS (2 * CS_TILE * CS_TILE)
#define ITEMS (MAX_SEGMENTS / CS_TILE_THREADS)
#define N_WARPS (CS_TILE_THREADS / 32)

/* A segment that looks back, as CsJump, in a tile. */
typedef union
{
  struct
  {
    uint16_t p, distance, max, max_distance;
  };
  CsU64 word;
} LocalJump;

typedef struct
{
  uint32_t min[MAX_SEGMENTS], max[MAX_SEGMENTS];
} Extremes;

#define NOTHING 0xffff
/* tail[], of a segment: what comes after it is in another tile, or nothing
 * does; later, of a fragment's root: the fragment's length, and the latter. */
#define LEAVES 0x4000
#define ENDS_HERE 0x8000

/* Segment info in a tile: cell row and column, its index in the cell. */
#define LOCAL_INFO(r, c, k) ((uint16_t) ((r) << 6 | (c) << 1 | (k)))
#define LOCAL_ROW(info) ((info) >> 6)
#define LOCAL_COLUMN(info) ((info) >> 1 & 31)
#define LOCAL_K(info) ((info) & 1)

template < typename V > struct Tile
{
  V samples[SIDE][SIDE + 1];
  CsU64 high[SIDE], valid[SIDE];
  uint32_t first[CS_TILE], second[CS_TILE], row_base[CS_TILE];
  uint32_t contours_first[CS_TILE], contours_second[CS_TILE];
  uint32_t n_contours[CS_TILE], n_points[CS_TILE];
  uint32_t n, n_fragments, base, fragment_base, n_dropped, n_overwritten;
  int has_invalid;              /* or reaches beyond the image */
  uint16_t info[MAX_SEGMENTS];
  uint16_t previous[MAX_SEGMENTS];      /* then the fragment's number */
  uint16_t tail[MAX_SEGMENTS];
  union
  {
    LocalJump jumps[MAX_SEGMENTS];
    Extremes extremes;
  };
};

/* Where a thread is, and what its tile is of. */
struct Where
{
  uint32_t target, tx, ty;
  double level;
};

/* Cells */

template < typename V > static __device__ int
cell_case (const Tile < V > &t, int i, int j)
{
  const uint32_t valid = (uint32_t) ((t.valid[i] & t.valid[i + 1]) >> j);
  const uint32_t top = (uint32_t) (t.high[i] >> j) & 3;
  const uint32_t bottom = (uint32_t) (t.high[i + 1] >> j) & 3;

  return (valid & 3) == 3 ? (int) (top | bottom << 2) : -1;
}

/* Where the level crosses @edge, and between which pixels. */
struct Crossing
{
  int i, j;                     /* the left or upper pixel */
  int down;
  double position;
};

template < typename V > static __device__ void
find_edge (const Tile < V > &t, int i, int j, int edge, Crossing * c,
    double *from, double *to)
{
  c->i = i + (edge == CS_EDGE_B);
  c->j = j + (edge == CS_EDGE_R);
  c->down = edge == CS_EDGE_L || edge == CS_EDGE_R;
  *from = (double) t.samples[c->i][c->j];
  *to = (double) t.samples[c->i + c->down][c->j + !c->down];
}

/* The local pixel, 256 i + j, onto which the crossing of a cell's edge falls;
 * -1 if it lies between pixels. */
template < typename V > static __device__ int
end_vertex (const Tile < V > &t, const CsFrame & f, const Where & at, int i,
    int j, int edge)
{
  double from, to, base, position;
  Crossing c;

  find_edge (t, i, j, edge, &c, &from, &to);
  /* Far enough from both pixels for coordinates below 2^31; the comparison
   * fails for infinities. */
  if (fabs (at.level - from) > fabs (to - from) * 1e-6 &&
      fabs (to - at.level) > fabs (to - from) * 1e-6)
    return -1;
  base = c.down ? f.origin_y + ((int) (at.ty * CS_TILE) - 1 + c.i) :
      f.origin_x + ((int) (at.tx * CS_TILE) - 1 + c.j);
  position = base + cs_crossing_fraction (from, to, at.level);
  if (!cs_crossing_is_collapsed (position))
    return -1;
  if (position != base) {
    c.i += c.down;
    c.j += !c.down;
  }
  return c.i << 8 | c.j;
}

template < typename V > static __device__ bool
is_live (const Tile < V > &t, const CsFrame & f, const Where & at, int i,
    int j, int code)
{
  const int a = end_vertex (t, f, at, i, j, code & 3);

  return a < 0 || a != end_vertex (t, f, at, i, j, code >> 2 & 3);
}

/* Neighbours of a segment: cell and index, i << 16 | j << 8 | k, -1 for none */
#define NEIGHBOUR(i, j, k) ((i) << 16 | (j) << 8 | (k))

/* What became of an event at a pixel. */
struct Pairing
{
  int partner;
  bool overwrote;
};

/* Plays the tie rule at local pixel @v, and tells about the start or end of
 * segment @which. */
template < typename V > static __device__ Pairing
pair_at_vertex (const Tile < V > &t, const CsFrame & f, const Where & at,
    int v, int which, bool which_ends)
{
  int pending_start = -1, pending_end = -1;
  Pairing result = { -1, false };

  for (int n = 0; n < 4; n++) {
    const int i = (v >> 8) - 1 + (n >> 1), j = (v & 255) - 1 + (n & 1);
    const int cell = cell_case (t, i, j);

    if (cell <= 0 || cell == 15)
      continue;
    for (int k = 0; k < cs_case_n_segments (cell); k++) {
      const int code = cs_case_segments (cell, f.high) >> 4 * k;
      const bool starts = end_vertex (t, f, at, i, j, code & 3) == v;
      const bool ends = end_vertex (t, f, at, i, j, code >> 2 & 3) == v;
      const int id = NEIGHBOUR (i, j, k);

      if (starts == ends)
        continue;
      int *mine = starts ? &pending_start : &pending_end;
      int *other = starts ? &pending_end : &pending_start;
      const bool is_which = id == which && ends == which_ends;

      if (*other >= 0) {
        if (is_which)
          result.partner = *other;
        if (*other == which && starts == which_ends)
          result.partner = id;
        *other = -1;
      } else {
        if (is_which)
          result.overwrote = *mine >= 0;
        *mine = id;
      }
    }
  }
  return result;
}

/* The segment that a segment meets at its end (or start, without @at_end). */
template < typename V > static __device__ Pairing
find_partner (const Tile < V > &t, const CsFrame & f, const Where & at, int i,
    int j, int k, bool at_end)
{
  const int code = cs_case_segments (cell_case (t, i, j), f.high) >> 4 * k;
  const int edge = at_end ? code >> 2 & 3 : code & 3;
  const int v = end_vertex (t, f, at, i, j, edge);
  Pairing result = { -1, false };

  if (v >= 0)
    return pair_at_vertex (t, f, at, v, NEIGHBOUR (i, j, k), at_end);

  i += (edge == CS_EDGE_B) - (edge == CS_EDGE_T);
  j += (edge == CS_EDGE_R) - (edge == CS_EDGE_L);
  const int cell = cell_case (t, i, j);
  if (cell < 0)
    return result;
  const int other = cs_case_segments (cell, f.high) >> (at_end ? 0 : 2);
  result.partner = NEIGHBOUR (i, j, (other & 3) != (edge ^ 2));
  return result;
}

static __device__ bool
is_inside (int neighbour)
{
  const int i = neighbour >> 16, j = neighbour >> 8 & 255;

  return i >= 1 && i <= CS_TILE && j >= 1 && j <= CS_TILE;
}

template < typename V > static __device__ uint32_t
local_index (const Tile < V > &t, int neighbour)
{
  const int r = (neighbour >> 16) - 1, c = (neighbour >> 8 & 255) - 1;
  const uint32_t below = cs_bits_below (c);

  return t.row_base[r] + __popc (t.first[r] & below) +
      __popc (t.second[r] & below) +
      (neighbour & 1 ? t.first[r] >> c & 1 : 0);
}

static __device__ uint32_t
pixel_of (const CsFrame & f, const Where & at, int r, int c)
{
  return (at.ty * CS_TILE + r) * f.width + at.tx * CS_TILE + c;
}

static __device__ uint32_t
key_of (const CsFrame & f, const Where & at, int neighbour)
{
  return neighbour < 0 ? CS_NONE : 2 * pixel_of (f, at,
      (neighbour >> 16) - 1, (neighbour >> 8 & 255) - 1) + (neighbour & 1);
}

static __device__ int
neighbour_of_info (uint16_t info)
{
  return NEIGHBOUR (LOCAL_ROW (info) + 1, LOCAL_COLUMN (info) + 1,
      LOCAL_K (info));
}

/* Steps */

template < typename T, typename V > static __device__ void
load_tile (const CsFrame & f, const Where & at, Tile < V > &t)
{
  const V threshold = cs_round_down < V > (at.level);
  const uint8_t *plane = f.samples +
      f.targets[at.target].channel * f.channel_stride;
  const int lane = threadIdx.x % 32;

  for (int i = threadIdx.x / 32; i < SIDE; i += N_WARPS) {
    const int y = (int) (at.ty * CS_TILE) - 1 + i;
    CsU64 high = 0, valid = 0;

    for (int j = lane; j < 64; j += 32) {
      const int x = (int) (at.tx * CS_TILE) - 1 + j;
      const bool inside = j < SIDE && x >= 0 && x < (int) f.width &&
          y >= 0 && y < (int) f.height;
      V v = 0;

      if (inside) {
        v = cs_load_sample < T, V > (plane + (size_t) y * f.row_stride +
            (size_t) x * f.pixel_stride);
        t.samples[i][j] = v;
      }
      const bool good = inside && v == v && (!f.mask ||
          f.mask[(size_t) y * f.mask_row_stride +
              (size_t) x * f.mask_pixel_stride]);
      high |= (CsU64) __ballot_sync (~0u, good && v > threshold) <<
          (j - lane);
      valid |= (CsU64) __ballot_sync (~0u, good) << (j - lane);
      if (j < SIDE && !good)
        atomicOr (&t.has_invalid, 1);
    }
    if (lane == 0) {
      t.high[i] = high;
      t.valid[i] = valid;
    }
  }
}

/* Which cells have segments; whether any has. */
template < typename V > static __device__ bool
find_segments (const CsFrame & f, const Where & at, Tile < V > &t)
{
  const int c = threadIdx.x % 32;
  bool any = false;

  for (int r = threadIdx.x / 32; r < CS_TILE; r += N_WARPS) {
    const int cell = cell_case (t, r + 1, c + 1);
    bool first = cell > 0 && cell < 15, second = false;

    if (first) {
      const int code = cs_case_segments (cell, f.high);

      second = cs_case_is_saddle (cell) &&
          is_live (t, f, at, r + 1, c + 1, code >> 4);
      first = is_live (t, f, at, r + 1, c + 1, code);
    }
    const uint32_t firsts = __ballot_sync (~0u, first);
    const uint32_t seconds = __ballot_sync (~0u, second);
    any |= (firsts | seconds) != 0;
    if (c == 0) {
      t.first[r] = firsts;
      t.second[r] = seconds;
      t.contours_first[r] = t.contours_second[r] = 0;
      t.n_contours[r] = t.n_points[r] = 0;
    }
  }
  return __syncthreads_or (any);
}

/* Where the rows' segments begin, in the tile and among all. */
template < typename V > static __device__ void
place_rows (const CsFrame & f, const Where & at, Tile < V > &t)
{
  if (threadIdx.x < 32) {
    const int r = threadIdx.x;
    const uint32_t n = __popc (t.first[r]) + __popc (t.second[r]);
    uint32_t sum = n;

    for (int o = 1; o < 32; o *= 2) {
      const uint32_t up = __shfl_up_sync (~0u, sum, o);

      sum += r >= o ? up : 0;
    }
    t.row_base[r] = sum - n;
    if (r == 31) {
      t.n = sum;
      t.n_fragments = t.n_dropped = t.n_overwritten = 0;
      const CsU64 base = atomicAdd (&f.counters->n_segments, (CsU64) sum);
      /* beyond the end, nothing will be written */
      t.base = base + sum > f.max_segments ? CS_NONE : (uint32_t) base;
    }
  }
  __syncthreads ();
  if (threadIdx.x < 32) {
    const int r = threadIdx.x;
    const uint32_t row = at.ty * CS_TILE + r;

    if (row < f.height - 1 && t.base != CS_NONE) {
      CsWord word = { t.first[r], t.second[r], t.base + t.row_base[r], 0 };

      f.words[cs_word_index (&f, at.target, row, at.tx)] = word;
    }
  }
}

template < typename V > static __device__ void
list_segments (Tile < V > &t)
{
  const int c = threadIdx.x % 32;

  for (int r = threadIdx.x / 32; r < CS_TILE; r += N_WARPS) {
    for (int k = 0; k < 2; k++) {
      if ((k ? t.second[r] : t.first[r]) >> c & 1) {
        const uint32_t i = local_index (t, NEIGHBOUR (r + 1, c + 1, k));

        t.info[i] = LOCAL_INFO (r, c, k);
        t.previous[i] = NOTHING;
      }
    }
  }
  __syncthreads ();
}

template < typename V > static __device__ void
count_overwritten (const CsFrame & f, const Where & at, Tile < V > &t,
    int neighbour, bool end_overwrote)
{
  const Pairing start = find_partner (t, f, at, neighbour >> 16,
      neighbour >> 8 & 255, neighbour & 1, false);

  if (end_overwrote || start.overwrote)
    atomicAdd (&t.n_overwritten, (uint32_t) end_overwrote + start.overwrote);
}

/* Joins segments inside the tile. */
template < typename V > static __device__ void
link_segments (const CsFrame & f, const Where & at, Tile < V > &t)
{
  for (uint32_t i = threadIdx.x; i < t.n; i += CS_TILE_THREADS) {
    const int neighbour = neighbour_of_info (t.info[i]);
    const Pairing next = find_partner (t, f, at, neighbour >> 16,
        neighbour >> 8 & 255, neighbour & 1, true);

    t.tail[i] = next.partner < 0 ? ENDS_HERE :
        is_inside (next.partner) ? 0 : LEAVES;
    if (t.tail[i] == 0)
      t.previous[local_index (t, next.partner)] = (uint16_t) i;
    if (t.has_invalid)
      count_overwritten (f, at, t, neighbour, next.overwrote);
  }
  __syncthreads ();
}

/* Pointer jumping, until every segment has found its chain's head or come
 * round its cycle. Bits of active: this thread's segments. */
template < typename V > static __device__ void
rank_segments (Tile < V > &t)
{
  const uint32_t n = t.n;
  uint32_t active = 0;

#pragma unroll
  for (int s = 0; s < ITEMS; s++) {
    const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

    if (i < n) {
      const uint16_t previous = t.previous[i];
      const bool head = previous == NOTHING;
      LocalJump jump;

      jump.p = head ? (uint16_t) i : previous;
      jump.distance = !head;
      jump.max = (uint16_t) i;
      jump.max_distance = 0;
      t.jumps[i] = jump;
      active |= head ? 0 : 1u << s;
    }
  }
  while (__syncthreads_or (active)) {
    LocalJump jumps[ITEMS];

#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
      const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

      if (active >> s & 1) {
        LocalJump mine, other;

        mine.word = t.jumps[i].word;
        other.word = t.jumps[mine.p].word;
        if (other.distance == 0 || other.max == mine.max)
          active &= ~(1u << s);
        if (other.max > mine.max) {
          mine.max_distance = mine.distance + other.max_distance;
          mine.max = other.max;
        }
        mine.p = other.p;
        mine.distance += other.distance;
        jumps[s] = mine;
      }
    }
    __syncthreads ();
#pragma unroll
    for (int s = 0; s < ITEMS; s++) {
      if (active >> s & 1)
        t.jumps[threadIdx.x + s * CS_TILE_THREADS].word = jumps[s].word;
    }
  }
}

/* A contour that lies in the tile. */
template < typename V > static __device__ void
register_contour (const CsFrame & f, Tile < V > &t, uint32_t min,
    uint32_t length)
{
  const uint16_t info = t.info[min];
  const int r = LOCAL_ROW (info);
  const uint32_t bit = 1u << LOCAL_COLUMN (info);

  if (!cs_is_long_enough (&f, length)) {
    atomicAdd (&t.n_dropped, 1);
    return;
  }
  atomicOr (LOCAL_K (info) ? &t.contours_second[r] : &t.contours_first[r],
      bit);
  atomicAdd (&t.n_contours[r], 1);
  atomicAdd (&t.n_points[r], length + 1);
}

/* A thread's segments after ranking. */
struct Ranked
{
  uint16_t root[ITEMS], rank[ITEMS];
  uint32_t closed;              /* bits */
};

/* Takes the ranks into registers, and numbers the fragments. */
template < typename V > static __device__ void
collect_ranks (Tile < V > &t, Ranked & ranked, uint16_t * cycle_length)
{
  ranked.closed = 0;
#pragma unroll
  for (int s = 0; s < ITEMS; s++) {
    const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

    cycle_length[s] = 0;
    if (i < t.n) {
      const LocalJump jump = t.jumps[i];
      const bool head = jump.distance == 0;
      const LocalJump other = t.jumps[jump.p];

      if (head || other.distance == 0) {
        ranked.root[s] = jump.p;
        ranked.rank[s] = jump.distance;
      } else {
        ranked.closed |= 1u << s;
        ranked.root[s] = jump.max;
        ranked.rank[s] = jump.max_distance - 1;
        if (jump.max == i) {
          cycle_length[s] = t.jumps[t.previous[i]].max_distance + 1;
          ranked.rank[s] = cycle_length[s] - 1;
        }
      }
    }
  }
  __syncthreads ();
#pragma unroll
  for (int s = 0; s < ITEMS; s++) {
    const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

    if (i < t.n && ranked.root[s] == i) {
      t.extremes.min[i] = 0xffffffff;
      t.extremes.max[i] = 0;
      t.previous[i] = (uint16_t) atomicAdd (&t.n_fragments, 1);
    }
  }
  __syncthreads ();
}

/* Least and greatest segments of the fragments, and their lengths. */
template < typename V > static __device__ void
measure_fragments (const CsFrame & f, Tile < V > &t, const Ranked & ranked,
    const uint16_t * cycle_length)
{
  if (threadIdx.x == 0) {
    const CsU64 base = atomicAdd (&f.counters->n_fragments,
        (CsU64) t.n_fragments);

    t.fragment_base = base + t.n_fragments > f.max_fragments ? CS_NONE :
        (uint32_t) base;
    if (t.n_overwritten)
      atomicAdd (&f.counters->n_overwritten, (CsU64) t.n_overwritten);
  }
#pragma unroll
  for (int s = 0; s < ITEMS; s++) {
    const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

    if (i < t.n) {
      atomicMin (&t.extremes.min[ranked.root[s]], i);
      atomicMax (&t.extremes.max[ranked.root[s]], i);
    }
  }
  /* tail[] moves from the tails to the roots: read before it is written */
  uint32_t tails = 0, ends = 0;
#pragma unroll
  for (int s = 0; s < ITEMS; s++) {
    const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

    if (i < t.n && t.tail[i]) {
      tails |= 1u << s;
      ends |= (uint32_t) (t.tail[i] == ENDS_HERE) << s;
    }
  }
  __syncthreads ();
#pragma unroll
  for (int s = 0; s < ITEMS; s++) {
    const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

    if (tails >> s & 1)
      t.tail[ranked.root[s]] = (uint16_t) (ranked.rank[s] + 1) |
          (ends >> s & 1 ? ENDS_HERE : 0);
    if (cycle_length[s])
      t.tail[i] = cycle_length[s];
  }
  __syncthreads ();
}

/* The root segment's thread writes the fragment. */
template < typename V > static __device__ void
write_fragment (const CsFrame & f, const Where & at, Tile < V > &t,
    uint32_t i, bool closed)
{
  const uint32_t length = t.tail[i] & ~ENDS_HERE;
  const uint32_t min = t.extremes.min[i], max = t.extremes.max[i];
  const uint32_t index = t.fragment_base + t.previous[i];
  const int neighbour = neighbour_of_info (t.info[i]);
  CsFragment fragment = { CS_NONE, CS_NONE, length, 0, 0, 0, at.target, 1 };

  fragment.min = key_of (f, at, neighbour_of_info (t.info[min]));
  fragment.max = key_of (f, at, neighbour_of_info (t.info[max]));
  if (!closed) {
    fragment.previous = key_of (f, at, find_partner (t, f, at,
            neighbour >> 16, neighbour >> 8 & 255, neighbour & 1,
            false).partner);
    fragment.whole = fragment.previous == CS_NONE &&
        (t.tail[i] & ENDS_HERE) != 0;
  }
  if (fragment.whole)
    register_contour (f, t, min, length);
  if (t.fragment_base == CS_NONE)
    return;

  /* the threads of the tail and of the greatest segment write theirs */
  CsFragment *to = &f.fragments[index];
  to->previous = fragment.previous;
  to->length = length;
  to->min = fragment.min;
  to->max = fragment.max;
  to->target = at.target;
  to->whole = fragment.whole;
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

template < typename V > static __device__ void
write_segments (const CsFrame & f, const Where & at, Tile < V > &t,
    const Ranked & ranked)
{
#pragma unroll
  for (int s = 0; s < ITEMS; s++) {
    const uint32_t i = threadIdx.x + s * CS_TILE_THREADS;

    if (i < t.n) {
      const uint16_t info = t.info[i];
      const uint32_t root = ranked.root[s];
      const int r = LOCAL_ROW (info), c = LOCAL_COLUMN (info);
      const bool closed = ranked.closed >> s & 1;

      if (root == i)
        write_fragment (f, at, t, i, closed);
      if (t.base == CS_NONE || t.fragment_base == CS_NONE)
        continue;
      const uint32_t fragment = t.fragment_base + t.previous[root];
      const int code = cs_case_segments (cell_case (t, r + 1, c + 1),
          f.high) >> 4 * LOCAL_K (info);

      f.segment_pixel[t.base + i] = pixel_of (f, at, r, c);
      f.segment_info[t.base + i] = CS_SEGMENT_INFO (ranked.rank[s], code & 3,
          code >> 2 & 3);
      f.segment_fragment[t.base + i] = fragment;
      if (t.extremes.max[root] == i)
        f.fragments[fragment].max_rank = ranked.rank[s];
      if (!closed && ranked.rank[s] + 1 == (t.tail[root] & ~ENDS_HERE) &&
          !(t.tail[root] & ENDS_HERE)) {
        const int neighbour = neighbour_of_info (info);

        f.fragments[fragment].next = key_of (f, at, find_partner (t, f, at,
                neighbour >> 16, neighbour >> 8 & 255, neighbour & 1,
                true).partner);
      }
    }
  }
  __syncthreads ();
}

/* The words of the contours that begin here, and their sums. */
template < typename V > static __device__ void
write_starts (const CsFrame & f, const Where & at, Tile < V > &t, bool empty)
{
  const int r = threadIdx.x;
  const uint32_t row = at.ty * CS_TILE + r;
  CsStarts starts = { 0, 0 };

  if (r >= CS_TILE || row >= f.height - 1)
    return;
  const uint32_t w = cs_word_index (&f, at.target, row, at.tx);
  if (empty) {
    const CsWord none = { 0, 0, 0, 0 };

    if (f.zero_words)
      f.words[w] = none;
  } else {
    starts.first = t.contours_first[r];
    starts.second = t.contours_second[r];
    if (t.n_contours[r])
      atomicAdd (&f.chunks[w / CS_WORDS_A_CHUNK],
          cs_pack (t.n_contours[r], t.n_points[r]));
    if (r == 0 && t.n_dropped)
      atomicAdd (&f.counters->n_dropped, (CsU64) t.n_dropped);
  }
  f.starts[w] = starts;
}

template < typename T, typename V > static __global__ void
__launch_bounds__ (CS_TILE_THREADS)
find_in_tile (const __grid_constant__ CsFrame f)
{
  __shared__ Tile < V > t;
  const uint32_t tiles = f.tiles_x * f.tiles_y;
  Where at;
  Ranked ranked;
  uint16_t cycle_length[ITEMS];

  at.target = blockIdx.x / tiles;
  at.ty = (blockIdx.x - at.target * tiles) / f.tiles_x;
  at.tx = blockIdx.x - at.target * tiles - at.ty * f.tiles_x;
  at.level = cs_target_level (&f, at.target);
  if (blockIdx.x == 0) {
    /* word by word, for the kernels to come */
    const uint32_t *from = (const uint32_t *) &f;
    uint32_t *to = (uint32_t *) f.self;

    for (uint32_t i = threadIdx.x; i < sizeof (f) / 4; i += CS_TILE_THREADS)
      to[i] = from[i];
  }
  if (threadIdx.x == 0)
    t.has_invalid = 0;
  __syncthreads ();

  load_tile < T, V > (f, at, t);
  __syncthreads ();
  if (!find_segments (f, at, t)) {
    write_starts (f, at, t, true);
    return;
  }
  place_rows (f, at, t);
  list_segments (t);
  link_segments (f, at, t);
  rank_segments (t);
  collect_ranks (t, ranked, cycle_length);
  measure_fragments (f, t, ranked, cycle_length);
  write_segments (f, at, t, ranked);
  write_starts (f, at, t, false);
}

const void *
cs_contours_tile_kernel (CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return (const void *) find_in_tile < uint8_t, float >;
    case CS_SAMPLE_U16:
      return (const void *) find_in_tile < uint16_t, float >;
    case CS_SAMPLE_F16:
      return (const void *) find_in_tile < CsHalf, float >;
    case CS_SAMPLE_F32:
      return (const void *) find_in_tile < float, float >;
    default:
      return (const void *) find_in_tile < double, double >;
  }
}

/* Auto-level: the range of a target's valid samples. Blocks share the rows. */
template < typename T, typename V > static __global__ void
__launch_bounds__ (CS_THREADS)
find_range (const __grid_constant__ CsFrame f)
{
  const uint32_t target = blockIdx.x % f.n_targets;
  const uint32_t first = blockIdx.x / f.n_targets;
  const uint32_t step = gridDim.x / f.n_targets;
  const uint8_t *plane = f.samples +
      f.targets[target].channel * f.channel_stride;
  CsU64 low = 0, high = 0;

  for (uint32_t y = first; y < f.height; y += step) {
    for (uint32_t x = threadIdx.x; x < f.width; x += CS_THREADS) {
      const V v = cs_load_sample < T, V > (plane + (size_t) y * f.row_stride +
          (size_t) x * f.pixel_stride);

      if (v == v && (!f.mask || f.mask[(size_t) y * f.mask_row_stride +
                  (size_t) x * f.mask_pixel_stride])) {
        const CsU64 ordered = cs_ordered ((double) v);

        low = max (low, ~ordered);
        high = max (high, ordered);
      }
    }
  }
  for (int o = 16; o > 0; o /= 2) {
    low = max (low, __shfl_down_sync (~0u, low, o));
    high = max (high, __shfl_down_sync (~0u, high, o));
  }
  if (threadIdx.x % 32 == 0 && high) {
    atomicMax (&f.ranges[2 * target], low);
    atomicMax (&f.ranges[2 * target + 1], high);
  }
}

const void *
cs_contours_range_kernel (CsSampleType type)
{
  switch (type) {
    case CS_SAMPLE_U8:
      return (const void *) find_range < uint8_t, float >;
    case CS_SAMPLE_U16:
      return (const void *) find_range < uint16_t, float >;
    case CS_SAMPLE_F16:
      return (const void *) find_range < CsHalf, float >;
    case CS_SAMPLE_F32:
      return (const void *) find_range < float, float >;
    default:
      return (const void *) find_range < double, double >;
  }
}
