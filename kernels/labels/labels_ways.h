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

#define CS_LABELS_CUDA_WAYS(WAY)

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
