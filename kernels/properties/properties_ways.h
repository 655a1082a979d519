/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/ways.h"

G_BEGIN_DECLS

#define CS_PROPERTIES_CPU_WAYS(WAY) \
  WAY (CS_PROPERTIES_PLAIN, "without neighbours") \
  WAY (CS_PROPERTIES_NEIGHBOURS, "with neighbours") \
  WAY (CS_PROPERTIES_FLAT_WORD, "words of pixels without a border") \
  WAY (CS_PROPERTIES_SEVERAL, "several bands") \
  WAY (CS_PROPERTIES_JOINED, "regions of several bands") \
  WAY (CS_PROPERTIES_HULLS, "hulls") \
  WAY (CS_PROPERTIES_WIDE, "moments of third order")

#define CS_PROPERTIES_CUDA_WAYS(WAY) \
  WAY (CS_PROPERTIES_UPLOAD, "labels uploaded") \
  WAY (CS_PROPERTIES_UPLOAD_NOTHING, "labels on the GPU") \
  WAY (CS_PROPERTIES_NO_PIECES, "no regions") \
  WAY (CS_PROPERTIES_GPU_HULLS, "hulls on the GPU") \
  WAY (CS_PROPERTIES_GPU_WIDE, "moments of third order on the GPU")

enum
{
  CS_PROPERTIES_CPU_WAYS (CS_WAY_ID)
  CS_PROPERTIES_CUDA_WAYS (CS_WAY_ID)
  CS_PROPERTIES_N_WAYS
};

extern gint cs_properties_ways[CS_PROPERTIES_N_WAYS];

static inline void
cs_properties_take (guint way)
{
  cs_way_take (&cs_properties_ways[way]);
}

G_END_DECLS
