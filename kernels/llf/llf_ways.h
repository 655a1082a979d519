/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/ways.h"

G_BEGIN_DECLS

#define CS_LLF_CPU_WAYS(WAY) \
  WAY (CS_LLF_TABLE_IDENTITY, "tables that change nothing") \
  WAY (CS_LLF_TABLE_EXACT, "tables of the exact filter") \
  WAY (CS_LLF_TABLE_SAMPLED, "tables of sampled intensities") \
  WAY (CS_LLF_TABLE_RANK, "factors of a given rank") \
  WAY (CS_LLF_TABLE_ENOUGH, "factors of the rank that is enough") \
  WAY (CS_LLF_TABLE_LAST, "factors of the quality's last rank") \
  WAY (CS_LLF_TABLE_REFINED, "factors extended to more codes") \
  WAY (CS_LLF_ROWS_4, "rows of rank 4") \
  WAY (CS_LLF_ROWS_8, "rows of rank 8") \
  WAY (CS_LLF_ROWS_16, "rows of rank 16") \
  WAY (CS_LLF_ROWS_32, "rows of rank 32") \
  WAY (CS_LLF_ROWS_AVX2, "rows by AVX2") \
  WAY (CS_LLF_ROWS_BASELINE, "rows by the baseline's instructions") \
  WAY (CS_LLF_ROWS_EXACT, "rows by the definition") \
  WAY (CS_LLF_LEVEL_OFF, "exact levels without weight") \
  WAY (CS_LLF_ONE_BAND, "levels in one band of rows") \
  WAY (CS_LLF_BANDS, "levels in bands of rows") \
  WAY (CS_LLF_CODES_U8, "codes of bytes") \
  WAY (CS_LLF_CODES_U16, "codes of words") \
  WAY (CS_LLF_CODES_DROP, "codes of words, without their last bits") \
  WAY (CS_LLF_CODES_F32, "codes of floats") \
  WAY (CS_LLF_GUARDED, "tones guarded") \
  WAY (CS_LLF_COPY_ROWS, "rows copied") \
  WAY (CS_LLF_COPY_PIXELS, "pixels copied") \
  WAY (CS_LLF_COPY_IN_PLACE, "rows that stay")

#define CS_LLF_CUDA_WAYS(WAY) \
  WAY (CS_LLF_CUDA_TABLE, "a table after another") \
  WAY (CS_LLF_CUDA_SAME_GRAPH, "frames in the same graph") \
  WAY (CS_LLF_CUDA_BYTES, "graphs for bytes in rows of words") \
  WAY (CS_LLF_CUDA_FIXED, "graphs for other samples of 8 bits") \
  WAY (CS_LLF_CUDA_FLOATS, "graphs for more than 8 bits") \
  WAY (CS_LLF_CUDA_GUARDED, "graphs with guarded tones") \
  WAY (CS_LLF_CUDA_COARSE, "small levels in one launch") \
  WAY (CS_LLF_CUDA_COARSE_LATER, "small levels after others in one launch") \
  WAY (CS_LLF_CUDA_NO_COARSE, "no small levels") \
  WAY (CS_LLF_CUDA_EARLY, "kernels launched early") \
  WAY (CS_LLF_CUDA_NOT_EARLY, "kernels launched one after the other") \
  WAY (CS_LLF_CUDA_EXACT, "the exact filter, of many levels") \
  WAY (CS_LLF_CUDA_EXACT_TWO, "the exact filter, of two levels") \
  WAY (CS_LLF_CUDA_EXACT_SIZE, "weights of the same size once more") \
  WAY (CS_LLF_CUDA_COPY, "frames copied") \
  WAY (CS_LLF_CUDA_COPY_IN_PLACE, "frames that stay")

enum
{
  CS_LLF_CPU_WAYS (CS_WAY_ID)
  CS_LLF_CUDA_WAYS (CS_WAY_ID)
  CS_LLF_N_WAYS
};

extern gint cs_llf_ways[CS_LLF_N_WAYS];

static inline void
cs_llf_take (guint way)
{
  cs_way_take (&cs_llf_ways[way]);
}

G_END_DECLS
