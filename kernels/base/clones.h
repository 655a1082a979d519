/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* CS_CLONES before a function's definition compiles it twice, for the baseline
 * and for AVX2, and the loader picks: distributions build for the baseline.
 * Sanitizers instrument the loader's resolver, which runs before they are
 * ready, so not with them. -DCS_BASELINE leaves AVX2 out, to test and time what
 * other machines run. */
#if !defined (CS_BASELINE) && defined (__x86_64__) && defined (__GLIBC__) && defined (__GNUC__) && \
    !defined (__clang__) && !defined (__SANITIZE_ADDRESS__) && \
    !defined (__SANITIZE_THREAD__)
#define CS_CLONES __attribute__ ((target_clones ("default", "avx2")))
#else
#define CS_CLONES
#endif
