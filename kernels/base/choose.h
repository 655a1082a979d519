/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Lanes of @a where @mask, a comparison of two vectors, is true, of @b elsewhere,
 * as @Type. Not a function: its vectors would be passed differently with AVX2. */
#define CS_CHOOSE(Type, mask, a, b) \
  ((Type) (((__typeof__ (mask)) (a) & (mask)) | \
      ((__typeof__ (mask)) (b) & ~(mask))))
