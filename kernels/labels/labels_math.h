/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How a ring goes on in a cell, for the CPU and the GPU. */

#include <stdbool.h>

#include "contours/contours_math.h"

/* What a label is of a pixel without one; others are one more than in the
 * picture. */
#define CS_LABELS_OUTSIDE 0u

/* Of a cell which of its corners are equal. */
#define CS_LABELS_TOP 0x01
#define CS_LABELS_LEFT 0x02
#define CS_LABELS_RIGHT 0x04
#define CS_LABELS_BOTTOM 0x08
#define CS_LABELS_FALLING 0x10  /* upper left and lower right */
#define CS_LABELS_RISING 0x20

/* In which direction a cell is entered, or left. */
#define CS_LABELS_EAST 0
#define CS_LABELS_SOUTH 1
#define CS_LABELS_WEST 2
#define CS_LABELS_NORTH 3

/* In which direction a ring leaves the cell that it enters in direction @d: its
 * label is on the right hand, and connected by the sides of pixels. */
CS_MATH_FN uint32_t
cs_labels_turn (uint32_t cell, uint32_t d)
{
  /* bit numbers of CS_LABELS_BOTTOM, LEFT, TOP and RIGHT; RISING or FALLING */
  const bool right = cell >> (0x2013 >> 4 * d & 3) & 1;
  const bool left = cell >> (5 - (d & 1)) & 1;

  return (d + (!right ? 1 : !left ? 0 : 3)) & 3;
}
