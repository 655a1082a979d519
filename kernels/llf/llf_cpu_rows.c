/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_cpu_rows.h"

#include <string.h>

#include "llf_math.h"
#include "llf_rgb_math.h"

#if defined (__clang__) || (defined (__GNUC__) && __GNUC__ >= 12)
#define HAVE_SHUFFLE
#endif

/* Not CS_CLONES: it clones functions after wide vectors have been lowered. */
#define RANK 4
#define LANES 4
#define NAME(name) name ## _4
#include "llf_cpu_rank.h"
#undef RANK
#undef NAME

#define RANK 8
#define NAME(name) name ## _8
#include "llf_cpu_rank.h"
#undef RANK
#undef NAME

#define RANK 16
#define NAME(name) name ## _16
#include "llf_cpu_rank.h"
#undef RANK
#undef NAME

#define RANK 32
#define NAME(name) name ## _32
#include "llf_cpu_rank.h"
#undef RANK
#undef NAME
#undef LANES

#if defined (__x86_64__) && defined (__GNUC__) && !defined (__clang__)
#define HAVE_AVX2
#pragma GCC push_options
#pragma GCC target ("avx2")

#define RANK 4
#define LANES 4
#define NAME(name) name ## _4_avx2
#include "llf_cpu_rank.h"
#undef RANK
#undef NAME
#undef LANES

#define RANK 8
#define LANES 8
#define NAME(name) name ## _8_avx2
#include "llf_cpu_rank.h"
#undef RANK
#undef NAME

#define RANK 16
#define NAME(name) name ## _16_avx2
#include "llf_cpu_rank.h"
#undef RANK
#undef NAME

#define RANK 32
#define NAME(name) name ## _32_avx2
#include "llf_cpu_rank.h"
#undef RANK
#undef NAME
#undef LANES

#pragma GCC pop_options
#endif

const CsLlfRows *
cs_llf_rows (guint stride)
{
  cs_llf_take (stride == 4 ? CS_LLF_ROWS_4 : stride == 8 ? CS_LLF_ROWS_8 :
      stride == 16 ? CS_LLF_ROWS_16 : CS_LLF_ROWS_32);
#ifdef HAVE_AVX2
  if (__builtin_cpu_supports ("avx2")) {
    cs_llf_take (CS_LLF_ROWS_AVX2);
    return stride == 4 ? &rows_4_avx2 : stride == 8 ? &rows_8_avx2 :
        stride == 16 ? &rows_16_avx2 : &rows_32_avx2;
  }
#endif
  cs_llf_take (CS_LLF_ROWS_BASELINE);
  return stride == 4 ? &rows_4 : stride == 8 ? &rows_8 :
      stride == 16 ? &rows_16 : &rows_32;
}
