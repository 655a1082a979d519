/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interpolation between colours, for C and for device code. */

#include <math.h>

#include "llf_math.h"

/* Nodes of each channel. */
#define CS_LLF_RGB_NODES 9
#define CS_LLF_RGB_N_NODES \
    (CS_LLF_RGB_NODES * CS_LLF_RGB_NODES * CS_LLF_RGB_NODES)

/* Subdivision of an 8-bit code at which delta of the exact filter is tabulated;
 * linear between. */
#define CS_LLF_RGB_PHASES 16
/* Entries of it: the distance from black to white is 441.7 codes. */
#define CS_LLF_RGB_PROFILE (442 * CS_LLF_RGB_PHASES + 2)

#define CS_LLF_MOST(a, b) ((a) > (b) ? (a) : (b))
#define CS_LLF_LEAST(a, b) ((a) < (b) ? (a) : (b))

/* The nodes of the tetrahedron around @g, and their weights. */
CS_LLF_FN void
cs_llf_rgb_find_nodes (const float *g, int nodes[4], float w[4])
{
  const int step[3] = { CS_LLF_RGB_NODES * CS_LLF_RGB_NODES, CS_LLF_RGB_NODES,
    1
  };
  float f[3], most, least, middle;
  int base = 0, c, upper, lower, a, b, d;

  for (c = 0; c < 3; c++) {
    const float at = (g[c] > 0.f ? (g[c] < 1.f ? g[c] : 1.f) : 0.f) *
        (CS_LLF_RGB_NODES - 1);
    const int node = (int) at < CS_LLF_RGB_NODES - 2 ? (int) at :
        CS_LLF_RGB_NODES - 2;

    f[c] = at - node;
    base += node * step[c];
  }
  /* without branches, which would be taken at random */
  a = f[0] >= f[1];
  b = f[1] >= f[2];
  d = f[0] >= f[2];
  upper = a && d ? step[0] : b && !a ? step[1] : step[2];
  lower = !a && !d ? step[0] : a && !b ? step[1] : step[2];
  most = CS_LLF_MOST (f[0], CS_LLF_MOST (f[1], f[2]));
  least = CS_LLF_LEAST (f[0], CS_LLF_LEAST (f[1], f[2]));
  middle = CS_LLF_MOST (CS_LLF_LEAST (f[0], f[1]),
      CS_LLF_LEAST (CS_LLF_MOST (f[0], f[1]), f[2]));
  nodes[0] = base;
  nodes[1] = base + upper;
  nodes[3] = base + step[0] + step[1] + step[2];
  nodes[2] = nodes[3] - lower;
  w[0] = 1.f - most;
  w[1] = most - middle;
  w[2] = middle - least;
  w[3] = least;
}

/* delta (|i - g|) / |i - g| of the exact filter. */
CS_LLF_FN float
cs_llf_rgb_gain (const float *profile, const float *i, const float *g)
{
  const float r = i[0] - g[0], s = i[1] - g[1], t = i[2] - g[2];
  const float distance = sqrtf (r * r + s * s + t * t);
  const float at = distance * (255 * CS_LLF_RGB_PHASES);
  const int entry = CS_LLF_LEAST ((int) at, CS_LLF_RGB_PROFILE - 2);
  const float low = profile[entry];

  if (distance == 0.f)
    return 0.f;
  return (low + (at - entry) * (profile[entry + 1] - low)) / distance;
}

#undef CS_LLF_MOST
#undef CS_LLF_LEAST
