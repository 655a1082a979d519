/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/ways.h"

G_BEGIN_DECLS

#define CS_HULL_CPU_WAYS(WAY) \
  WAY (CS_HULL_WHOLE, "sets sorted as they are") \
  WAY (CS_HULL_FILTERED, "sets filtered by a sample") \
  WAY (CS_HULL_NO_FILTER, "sets that no sample filters") \
  WAY (CS_HULL_ROWS_ONLY, "samples that filter by x only") \
  WAY (CS_HULL_NOT_ROUNDED, "samples out of single precision's range") \
  WAY (CS_HULL_BY_CORE, "blocks of points by the core of a sample's hull") \
  WAY (CS_HULL_CORE_IN_VAIN, "blocks with half of their points out of it") \
  WAY (CS_HULL_PACKED, "points apart, packed for the filter") \
  WAY (CS_HULL_BY_THREADS, "sets shared by threads") \
  WAY (CS_HULL_REDUCED, "points replaced by their hull on the way") \
  WAY (CS_HULL_MOST_KEPT, "another pass of the filter left out") \
  WAY (CS_HULL_AGAIN, "another pass of the filter") \
  WAY (CS_HULL_AGAIN_IN_VAIN, "another pass that is the last") \
  WAY (CS_HULL_RING, "rings by their order") \
  WAY (CS_HULL_RING_PART, "rings by their order, then sorted") \
  WAY (CS_HULL_ONE_POINT, "chains of one point") \
  WAY (CS_HULL_STRICT, "chains of vertices") \
  WAY (CS_HULL_COLLINEAR, "chains with collinear points") \
  WAY (CS_HULL_ON_A_LINE, "chains of nothing but collinear points") \
  WAY (CS_HULL_DIFFERENCE_OF_0, "signs by differences of 0") \
  WAY (CS_HULL_PRODUCTS, "signs by exact products") \
  WAY (CS_HULL_EXACT, "signs by 128 bits") \
  WAY (CS_HULL_POLYLINES, "polylines by a thread each") \
  WAY (CS_HULL_POLYLINE_BY_THREADS, "polylines shared by threads") \
  WAY (CS_HULL_CLASSES, "hulls of classes") \
  WAY (CS_HULL_MASK_ROWS, "rows of masks by their ends") \
  WAY (CS_HULL_MASK_PIXELS, "rows of masks by all pixels") \
  WAY (CS_HULL_ONE_BY_ONE, "inputs one by one") \
  WAY (CS_HULL_LANES, "small inputs at once")

#define CS_HULL_CUDA_WAYS(WAY) \
  WAY (CS_HULL_SET_WHOLE, "sets by all blocks, without a filter") \
  WAY (CS_HULL_SET, "sets by all blocks in one pass") \
  WAY (CS_HULL_SET_TWICE, "sets by all blocks in two passes") \
  WAY (CS_HULL_SET_ALONE, "sets by one block") \
  WAY (CS_HULL_MORE_SURVIVORS, "room for more survivors") \
  WAY (CS_HULL_SORT_SECOND, "what two passes leave, sorted") \
  WAY (CS_HULL_SORT_ALL, "all points sorted") \
  WAY (CS_HULL_SORT_BOTH, "points sorted by both coordinates apart") \
  WAY (CS_HULL_ODD_CHUNKS, "chains of chunks, one of them left over") \
  WAY (CS_HULL_TINY_SETS, "polylines by a thread for each point") \
  WAY (CS_HULL_MEDIUM_SETS, "polylines by a warp") \
  WAY (CS_HULL_RING_SETS, "rings by a block") \
  WAY (CS_HULL_LONG_SETS, "polylines by a block") \
  WAY (CS_HULL_SETS_LEFT, "polylines too long for a block") \
  WAY (CS_HULL_CLASS_SETS_LEFT, "the same, of classes") \
  WAY (CS_HULL_CLASSES_LEFT, "classes too large for a block") \
  WAY (CS_HULL_EMIT_AGAIN, "results again with more room") \
  WAY (CS_HULL_DOWNLOAD_ALL, "small results downloaded at once") \
  WAY (CS_HULL_DOWNLOAD_PARTS, "results downloaded by array") \
  WAY (CS_HULL_DOWNLOAD_REST, "points downloaded later") \
  WAY (CS_HULL_MASK_UPLOADED, "masks of the host") \
  WAY (CS_HULL_MASK_THERE, "masks on the GPU") \
  WAY (CS_HULL_MASK_END_ROWS, "masks' outermost rows by all pixels")

enum
{
  CS_HULL_CPU_WAYS (CS_WAY_ID)
  CS_HULL_CUDA_WAYS (CS_WAY_ID)
  CS_HULL_N_WAYS
};

extern gint cs_hull_ways[CS_HULL_N_WAYS];

static inline void
cs_hull_take (guint way)
{
  cs_way_take (&cs_hull_ways[way]);
}

G_END_DECLS
