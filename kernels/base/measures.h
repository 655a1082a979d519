/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * CsMeasures:
 * @CS_MEASURES_NONE: the signed area only
 * @CS_MEASURES_BASIC: also perimeter, centroid and bounding box; of a hull also
 *     its solidity
 * @CS_MEASURES_FULL: also, of a contour, the moments to third order; of a hull
 *     its Feret diameters, minimum-area rectangle and smallest enclosing circle
 *
 * What is measured of contours and hulls.
 */
typedef enum
{
  CS_MEASURES_NONE,
  CS_MEASURES_BASIC,
  CS_MEASURES_FULL,
} CsMeasures;
