/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Copies of an input in other memory. */

#include "stats/stats.h"

/**
 * Memory:
 * @pixels: all samples of the input, @size bytes
 * @points: all points, @n_points
 * @n_rings: all rings
 */
typedef struct
{
  const guint8 *pixels;
  gsize size;
  const float *points;
  gsize n_points, n_rings;
} Memory;

/**
 * Places:
 * @PLACES_HOST: where they are
 * @PLACES_PINNED: in page-locked memory
 * @PLACES_DEVICE: on the GPU
 * @PLACES_MIXED: of points, every other ring on the GPU
 */
typedef enum
{
  PLACES_HOST,
  PLACES_PINNED,
  PLACES_DEVICE,
  PLACES_MIXED,
} Places;

/**
 * Placed:
 * @input: of the copies
 */
typedef struct
{
  CsStatsInput input;

  /*< private >*/
  CsPicture picture;
  CsImage image;
  CsStatsRing *rings;
  void *device_pixels, *pinned_pixels, *device_points;
} Placed;

/* @input has a picture, or one image; it and @memory stay as they are. */
void placed_init (Placed * placed, const CsStatsInput * input,
    const Memory * memory, Places samples, Places points);
void placed_clear (Placed * placed);
