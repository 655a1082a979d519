/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/ways.h"

G_BEGIN_DECLS

#define CS_LABELS_CPU_WAYS(WAY) \
  WAY (CS_LABELS_DENSE, "rows without gaps") \
  WAY (CS_LABELS_STRIDED, "pixels with gaps") \
  WAY (CS_LABELS_SELECTED, "some labels only") \
  WAY (CS_LABELS_SEVERAL, "several bands") \
  WAY (CS_LABELS_ACROSS, "rings across bands") \
  WAY (CS_LABELS_STRIPS, "strips") \
  WAY (CS_LABELS_HOLE, "holes") \
  WAY (CS_LABELS_HOLE_BESIDE_HOLE, "holes to the right of another") \
  WAY (CS_LABELS_ISLAND, "rings in a hole of their label") \
  WAY (CS_LABELS_BESIDE, "rings to the right of another of their label") \
  WAY (CS_LABELS_SMALL, "rings dropped for their area")

#define CS_LABELS_CUDA_WAYS(WAY) \
  WAY (CS_LABELS_UPLOAD, "labels uploaded") \
  WAY (CS_LABELS_UPLOAD_NOTHING, "labels on the GPU") \
  WAY (CS_LABELS_GROW_FRAGMENTS, "again with more fragments") \
  WAY (CS_LABELS_GROW_RINGS, "again with more rings") \
  WAY (CS_LABELS_GROW_POINTS, "again with more points") \
  WAY (CS_LABELS_GROW_LABELS, "again with larger labels")

enum
{
  CS_LABELS_CPU_WAYS (CS_WAY_ID)
  CS_LABELS_CUDA_WAYS (CS_WAY_ID)
  CS_LABELS_N_WAYS
};

extern gint cs_labels_ways[CS_LABELS_N_WAYS];

static inline void
cs_labels_take (guint way)
{
  cs_way_take (&cs_labels_ways[way]);
}

G_END_DECLS
