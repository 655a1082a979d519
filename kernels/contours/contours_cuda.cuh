/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/*
 * Inside the CUDA backend. All targets of a frame go through the same kernels:
 *
 *   range      (auto-level only) minimum and maximum sample of every target
 *   count      (Otsu's method) histograms
 *   choose     (Otsu's method) levels from them
 *   tile       one block per tile of 32 x 32 cells: segments, linked and ranked
 *              inside the tile into *fragments*; contours that lie wholly in
 *              it are *registered*
 *   join       fragments ranked across tiles by pointer jumping; contours
 *              registered
 *   order      index and point offset of registered contours, in raster order
 *              of their first segment
 *   emit       every segment computes and scatters its end point
 *   measure    a few lanes per short contour, one warp per 256 terms of a
 *   longer
 *              one (an *item*); meanwhile points are copied to the host
 *   enclosing  (hierarchy) casts a ray to the left from each contour
 *   select     (filters that need measures, or hierarchy) new indices
 *   parents    (hierarchy) resolves enclosing contours to parents
 *   move       (with select) compacts the remaining contours
 *   publish    counts and the rest of the result to the host; not for few
 *              contours, when measure does it
 *
 * Cells, segments and contours are indexed by bitmaps: a *word* stands for 32
 * cells of a row of a target's tile. A segment's *key*, 2 * (row * width +
 * column) + its index in the cell, orders a target's segments.
 */

#include <cuda_runtime.h>
#include <stdint.h>

#include "base/array.h"
#include "base/cuda_base.h"
#include "base/cuda_copy.h"
#include "base/cuda_jump.cuh"
#include "contours.h"
#include "contours_cuda_block.cuh"
#include "contours_private.h"

#define CS_TILE 32
#define CS_WORDS_PER_CHUNK 1024
#define CS_CONTOURS_PER_CHUNK 1024
#define CS_CHUNK_THREADS 256
#define CS_THREADS 256
/* Targets stored in the frame itself */
#define CS_INLINE_TARGETS 16

#define CS_NONE 0xffffffffu
/* CsRoot.index: filtered out */
#define CS_DROPPED 0xffffffffu
#define CS_CLOSED 0x80000000u

typedef unsigned long long CsU64;

/* Counts of a frame; zeroed by the previous frame. */
typedef struct
{
  CsU64 n_segments, n_fragments, n_overwritten, n_dropped;
  CsU64 n_raw_contours, n_raw_points;   /* before late filters */
  CsU64 n_contours, n_points;
  CsU64 n_items;
} CsCounters;

/* CsFragment.whole */
#define CS_WHOLE_OPEN 1
#define CS_WHOLE_CLOSED 2

/* A word of cells: which have a first and a second segment, and the index of
 * the word's first segment. */
typedef struct __align__ (16)
{
  uint32_t first, second, base, unused;
} CsWord;

/* Which segments of a word are the first of a contour. */
typedef struct __align__ (8)
{
  uint32_t first, second;
} CsStarts;

/* A chain of segments in one tile, or a whole contour. */
typedef struct __align__ (16)
{
  /* keys of the adjacent segments in other fragments, or CS_NONE */
  uint32_t previous, next;
  uint32_t length;
  uint32_t min, max;            /* minimum and maximum key */
  uint32_t max_rank;            /* rank of the latter in the fragment */
  uint32_t target;
  uint32_t whole;               /* not 0: a complete contour */
} CsFragment;

/* As CsJump, of keys, for the minimum one. */
typedef struct __align__ (8)
{
  uint32_t p, min;
} CsMinJump;

/* A fragment's place in its contour. */
typedef struct __align__ (16)
{
  uint32_t root;                /* representative fragment of the contour */
  int32_t rank;                 /* of its first segment, before the shift */
  uint32_t target;
  uint32_t unused;
} CsPlace;

/* A contour, kept with its root fragment. */
typedef struct __align__ (16)
{
  uint32_t length;              /* segments, and CS_CLOSED */
  int32_t shift;                /* first rank of a closed one */
  uint32_t offset;              /* of its points */
  uint32_t index;               /* or CS_DROPPED */
} CsRoot;

/* The result as the host sees it, in page-locked memory. */
typedef struct
{
  CsCounters counters;
  unsigned int overflow;
} CsPublished;

typedef struct
{
  void *points;
  uint32_t *offsets;
  CsContour *contours;
  CsContourMoments *moments;
} CsArrays;

/* A target, as the kernels see it. */
typedef struct
{
  int32_t class_id;
  uint32_t index;               /* of the channel, or of the plane if derived */
  uint32_t derived;             /* a plane, not a channel of the samples */
  uint32_t codes;               /* a bin of Otsu's method for each code */
  double level;
  double min_area, max_area;
} CsTarget;

/* CsFrame.auto_level */
#define CS_LEVELS_MIDRANGE 1
#define CS_LEVELS_OTSU 2

/* Arguments of a frame's kernels. Passed by value to the first kernel, which
 * stores it for the others. */
typedef struct _CsFrame CsFrame;
struct _CsFrame
{
  CsFrame *self;
  /* input */
  const uint8_t *samples;
  size_t pixel_stride, row_stride, channel_stride;
  const uint8_t *planes;        /* of derived targets, densely packed */
  const uint8_t *mask;
  size_t mask_pixel_stride, mask_row_stride;
  uint32_t width, height;
  uint32_t border;              /* rows and columns outside of the samples */
  uint32_t tiles_x, tiles_y, n_targets, n_words, n_chunks;
  double origin_x, origin_y;
  int32_t first_id, image_index;
  /* parameters */
  const CsTarget *targets;      /* all of them; the first also in */
  CsTarget inline_targets[CS_INLINE_TARGETS];
  int type, high, reversed, auto_level, hierarchy, late_filter, zero_words;
  int direct;                   /* records go to the host as they are measured */
  CsMeasures measures;
  int points_are_double;
  size_t point_size;            /* of the published points, 0 for none */
  uint32_t max_short;           /* maximum segments of short contours */
  uint32_t measure_blocks;      /* blocks before them copy points */
  uint32_t min_points;
  double level_scale;
  /* scratch; the next_ ones are zeroed for the next frame */
  CsCounters *counters, *next_counters;
  CsU64 *chunks, *next_chunks;          /* contours << 32 | points */
  CsU64 *ranges, *next_ranges;          /* ordered low and high of targets */
  uint32_t *bins;                       /* n_bins of each target, zeroed again */
  uint32_t n_bins;
  double *levels;                       /* of targets, by Otsu's method */
  CsU64 *selected, *next_selected;      /* as chunks */
  uint32_t n_selected_chunks;
  CsWord *words;
  CsStarts *starts;
  uint32_t *segment_pixel, *segment_info, *segment_fragment;
  CsFragment *fragments;
  CsJump *jumps;
  CsMinJump *min_jumps;
  CsPlace *places;
  CsRoot *roots;
  uint32_t *contour_kind;       /* target, and CS_CLOSED */
  uint32_t *contour_word, *contour_bit;
  uint32_t *contour_items, *contour_done;
  uint32_t *enclosing, *new_index;
  uint32_t *items;
  CsSums *sums;
  uint32_t max_segments, max_fragments, max_contours, max_points, max_items;
  /* unfiltered contours, and the result */
  CsArrays raw, out, host;
  CsPublished *published;
};

/* On overflow a frame is abandoned; its counts tell the memory required. */
static __device__ __forceinline__ bool
cs_segments_overflow (const CsFrame * f)
{
  return f->counters->n_segments > f->max_segments ||
      f->counters->n_fragments > f->max_fragments;
}

static __device__ __forceinline__ bool
cs_contours_overflow (const CsFrame * f)
{
  return cs_segments_overflow (f) ||
      f->counters->n_raw_contours > f->max_contours ||
      f->counters->n_raw_points > f->max_points;
}

/* Thread @first of @stride zeroes the next frame's counters. Frames do not
 * overlap. */
static __device__ __forceinline__ void
cs_clear_next (const CsFrame * f, uint32_t first, uint32_t stride)
{
#pragma unroll 1
  for (uint32_t i = first; i < f->n_chunks; i += stride)
    f->next_chunks[i] = 0;
#pragma unroll 1
  for (uint32_t i = first; i < f->n_selected_chunks; i += stride)
    f->next_selected[i] = 0;
#pragma unroll 1
  for (uint32_t i = first; i < 2 * f->n_targets; i += stride)
    f->next_ranges[i] = 0;
#pragma unroll 1
  for (uint32_t i = first; i < sizeof (CsCounters) / sizeof (CsU64);
      i += stride)
    ((CsU64 *) f->next_counters)[i] = 0;
}

/* Segment info: rank in the fragment, and the edges of its ends. */
#define CS_SEGMENT_INFO(rank, from, to) \
    ((uint32_t) (rank) << 4 | (uint32_t) (from) << 2 | (uint32_t) (to))
#define CS_SEGMENT_RANK(info) ((info) >> 4)
#define CS_SEGMENT_FROM(info) ((int) ((info) >> 2 & 3))
#define CS_SEGMENT_TO(info) ((int) ((info) & 3))

static __device__ __forceinline__ uint32_t
cs_bits_below (uint32_t bit)
{
  return (1u << bit) - 1;
}

static __device__ __forceinline__ uint32_t
cs_word_index (const CsFrame * f, uint32_t target, uint32_t row,
    uint32_t tile_column)
{
  return (target * (f->height - 1) + row) * f->tiles_x + tile_column;
}

/* Index of segment @k of the cell at @bit. */
static __device__ __forceinline__ uint32_t
cs_word_segment (const CsWord & word, uint32_t bit, uint32_t k)
{
  const uint32_t below = cs_bits_below (bit);

  return word.base + __popc (word.first & below) +
      __popc (word.second & below) + (k ? word.first >> bit & 1 : 0);
}

/* The fragment of the segment with this key. */
static __device__ __forceinline__ uint32_t
cs_fragment_of_key (const CsFrame * f, uint32_t target, uint32_t key)
{
  const uint32_t pixel = key >> 1, row = pixel / f->width;
  const uint32_t column = pixel - row * f->width;
  const CsWord word =
      f->words[cs_word_index (f, target, row, column / CS_TILE)];

  return f->segment_fragment[cs_word_segment (word, column % CS_TILE, key & 1)];
}

/* Whether a complete contour is registered: without late filters short ones are
 * dropped here. */
static __device__ __forceinline__ bool
cs_is_long_enough (const CsFrame * f, uint32_t length)
{
  return f->late_filter || length + 1 >= f->min_points;
}

static __device__ __forceinline__ CsU64
cs_pack (CsU64 n_contours, CsU64 n_points)
{
  return n_contours << 32 | n_points;
}

#define CS_PACKED_CONTOURS(packed) ((uint32_t) ((packed) >> 32))
#define CS_PACKED_POINTS(packed) ((uint32_t) (packed))

/* Samples */

static __device__ __forceinline__ CsU64
cs_ordered (double value)
{
  const CsU64 bits = (CsU64) __double_as_longlong (value);

  return bits >> 63 ? ~bits : bits | 1ull << 63;
}

static __device__ __forceinline__ double
cs_unordered (CsU64 ordered)
{
  return __longlong_as_double ((long long) (ordered >> 63 ?
          ordered & ~(1ull << 63) : ~ordered));
}

static __device__ __forceinline__ int32_t
cs_target_class (const CsFrame * f, uint32_t target)
{
  return target < CS_INLINE_TARGETS ? f->inline_targets[target].class_id :
      f->targets[target].class_id;
}

/* Whether an area is within a target's limits. */
static __device__ __forceinline__ bool
cs_target_takes (const CsFrame * f, uint32_t target, double area)
{
  const bool is_inline = target < CS_INLINE_TARGETS;

  return area >= (is_inline ? f->inline_targets[target].min_area :
      f->targets[target].min_area) && area <= (is_inline ?
      f->inline_targets[target].max_area : f->targets[target].max_area);
}

/* Where a target's samples are. */
typedef struct
{
  const uint8_t *data;
  size_t pixel_stride, row_stride;
  bool derived;
} CsSource;

/* Derived samples are of type V. */
template <typename V> static __device__ __forceinline__ CsSource
cs_target_source (const CsFrame * f, uint32_t target)
{
  const bool is_inline = target < CS_INLINE_TARGETS;
  const uint32_t index = is_inline ? f->inline_targets[target].index :
      f->targets[target].index;
  const size_t row_size = f->width * sizeof (V);
  CsSource source;

  source.derived = (is_inline ? f->inline_targets[target].derived :
      f->targets[target].derived) != 0;
  source.data = source.derived ? f->planes + index * f->height * row_size :
      f->samples + index * f->channel_stride;
  source.pixel_stride = source.derived ? sizeof (V) : f->pixel_stride;
  source.row_stride = source.derived ? row_size : f->row_stride;
  return source;
}

/* The level of a target. Ranges are encoded so that 0 means no sample. */
static __device__ __forceinline__ double
cs_target_level (const CsFrame * f, uint32_t target)
{
  if (f->auto_level == CS_LEVELS_OTSU)
    return f->levels[target];
  if (!f->auto_level)
    return target < CS_INLINE_TARGETS ? f->inline_targets[target].level :
        f->targets[target].level;
  CsU64 low = f->ranges[2 * target];
  CsU64 high = f->ranges[2 * target + 1];
  return high ? (cs_unordered (~low) + cs_unordered (high)) / 2. : 0.;
}

/* Makes room in @staging for a copy of @image, of which @view, distinct from
 * @image, becomes a view, and appends to @parts, of CsCudaPart, what is to be
 * copied: of planar images only the channels that @plan uses, if it is not
 * %NULL. */
gboolean cs_contours_describe_upload (cudaStream_t stream,
    const CsImage * image, const CsContours * plan, CsCudaScratch * staging,
    CsArray * parts, CsImage * view, GError ** error);

/* Copies a mask, on the GPU, with ones around. */
gboolean cs_contours_copy_mask (cudaStream_t stream, const CsImage * mask,
    guint border, const CsImage * bordered, GError ** error);

/* Computes the planes of @plan from @image, both on the GPU. @sources and
 * @members are the plan's; @sums, unless it is %NULL, has room for a plane of
 * doubles without border. */
gboolean cs_contours_derive (cudaStream_t stream, const CsContours * plan,
    const CsImage * image, guint border, const CsPlaneSource * sources,
    const guint32 * members, double *sums, const CsImage * planes,
    GError ** error);

/* Kernels for graphs. All but the first four take a const CsFrame *. */
const void *cs_contours_range_kernel (CsSampleType type);
const void *cs_contours_count_kernel (CsSampleType type);
extern const void *const cs_contours_choose_kernel;
const void *cs_contours_tile_kernel (CsSampleType type);
unsigned int cs_contours_tile_threads (CsSampleType type);
extern const void *const cs_contours_join_kernel;
extern const void *const cs_contours_order_kernel;
const void *cs_contours_emit_kernel (CsSampleType type);
const void *cs_contours_measure_kernel (CsMeasures measures);
const void *cs_contours_enclosing_kernel (CsSampleType type);
extern const void *const cs_contours_select_kernel;
extern const void *const cs_contours_parents_kernel;
extern const void *const cs_contours_move_kernel;
extern const void *const cs_contours_publish_kernel;
