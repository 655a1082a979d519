/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/ways.h"

G_BEGIN_DECLS

#define CS_INSTANCES_CPU_WAYS(WAY) \
  WAY (CS_INSTANCES_GIVEN, "fields given") \
  WAY (CS_INSTANCES_PRODUCTS, "products of planar prototypes") \
  WAY (CS_INSTANCES_INTERLEAVED, "products of interleaved prototypes") \
  WAY (CS_INSTANCES_RESIZED, "fields resized first") \
  WAY (CS_INSTANCES_SEVERAL, "several threads") \
  WAY (CS_INSTANCES_SADDLE, "saddles") \
  WAY (CS_INSTANCES_CURVED, "hyperbolas of several chords") \
  WAY (CS_INSTANCES_HOLE, "holes") \
  WAY (CS_INSTANCES_HOLE_BESIDE_HOLE, "holes to the right of another") \
  WAY (CS_INSTANCES_SMALL, "rings dropped for their area")

#define CS_INSTANCES_CUDA_WAYS(WAY) \
  WAY (CS_INSTANCES_UPLOAD, "fields uploaded") \
  WAY (CS_INSTANCES_UPLOAD_NOTHING, "fields on the GPU") \
  WAY (CS_INSTANCES_SMALL_GRIDS, "nodes computed by their object's block") \
  WAY (CS_INSTANCES_LARGE_GRIDS, "nodes computed by all blocks") \
  WAY (CS_INSTANCES_GROW_SEGMENTS, "again with more segments") \
  WAY (CS_INSTANCES_GROW_POINTS, "again with more points") \
  WAY (CS_INSTANCES_GROW_RINGS, "again with more rings") \
  WAY (CS_INSTANCES_GROW_RESULT, "again with a larger result")

enum
{
  CS_INSTANCES_CPU_WAYS (CS_WAY_ID)
  CS_INSTANCES_CUDA_WAYS (CS_WAY_ID)
  CS_INSTANCES_N_WAYS
};

extern gint cs_instances_ways[CS_INSTANCES_N_WAYS];

static inline void
cs_instances_take (guint way)
{
  cs_way_take (&cs_instances_ways[way]);
}

G_END_DECLS
