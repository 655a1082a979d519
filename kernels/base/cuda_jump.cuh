/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Pointer jumping along chains and cycles, without rounds: a jump is consistent at
 * any time, so that other threads may read it while it grows. */

#include <stdint.h>

/* A jump spans an element and its predecessors up to, but not including, @p;
 * @max is the greatest of the span. Distances are between the elements' ends. */
typedef struct __align__ (16)
{
  uint32_t p;
  uint32_t distance;            /* to p */
  uint32_t max;
  uint32_t max_distance;        /* to the element of max */
} CsJump;

/* CsJump.p: the predecessor is not known yet */
#define CS_UNRESOLVED 0xfffffffeu

static __device__ __forceinline__ CsJump
cs_jump_load (const CsJump * at)
{
  unsigned long long low, high;
  CsJump jump;

  asm volatile ("{ .reg .b128 t; ld.relaxed.gpu.global.b128 t, [%2];"
      " mov.b128 {%0, %1}, t; }":"=l" (low), "=l" (high):"l" (at):"memory");
  jump.p = (uint32_t) low;
  jump.distance = (uint32_t) (low >> 32);
  jump.max = (uint32_t) high;
  jump.max_distance = (uint32_t) (high >> 32);
  return jump;
}

static __device__ __forceinline__ void
cs_jump_store (CsJump * at, const CsJump & jump)
{
  const unsigned long long low = jump.p |
      (unsigned long long) jump.distance << 32;
  const unsigned long long high = jump.max |
      (unsigned long long) jump.max_distance << 32;

  asm volatile ("{ .reg .b128 t; mov.b128 t, {%1, %2};"
      " st.relaxed.gpu.global.b128 [%0], t; }"::"l" (at), "l" (low),
      "l" (high):"memory");
}

/* Links of which others may be shortened meanwhile. */

static __device__ __forceinline__ uint32_t
cs_load_relaxed (const uint32_t * at)
{
  uint32_t value;

  asm volatile ("ld.relaxed.gpu.global.b32 %0, [%1];":"=r" (value):"l" (at)
      :"memory");
  return value;
}

static __device__ __forceinline__ void
cs_store_relaxed (uint32_t * at, uint32_t value)
{
  asm volatile ("st.relaxed.gpu.global.b32 [%0], %1;"::"l" (at), "r" (value)
      :"memory");
}
