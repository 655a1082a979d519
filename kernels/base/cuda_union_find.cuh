/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Union-find with path halving, without locks: links[i] is an ancestor of i,
 * or i itself at a root, and never greater. Sets keep their lowest root, so the
 * result does not depend on the order of unions. */

#include <stdint.h>

/* Whatever other threads do at the same time, only ancestors are written. */
static __device__ uint32_t
cs_find_root (uint32_t *links, uint32_t i)
{
  volatile uint32_t *shared = links;
  uint32_t parent = shared[i];

  while (parent != i) {
    const uint32_t next = shared[parent];

    if (next == parent)
      return parent;
    shared[i] = next;
    i = next;
    parent = shared[i];
  }
  return i;
}

static __device__ void
cs_unite (uint32_t *links, uint32_t a, uint32_t b)
{
  while (true) {
    a = cs_find_root (links, a);
    b = cs_find_root (links, b);
    if (a == b)
      return;

    const uint32_t high = max (a, b), low = min (a, b);

    if (atomicCAS (&links[high], high, low) == high)
      return;
  }
}
