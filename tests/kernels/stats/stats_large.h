/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Many shapes on a large picture. */

#include "stats_placed.h"

/**
 * LargeFormat:
 * @LARGE_GRAY: gray of 8 bits
 * @LARGE_GRAY16: of 16 bits
 * @LARGE_RGBA: red, green, blue and alpha of 8 bits, interleaved
 * @LARGE_FLOATS: an image of probabilities
 */
typedef enum
{
  LARGE_GRAY,
  LARGE_GRAY16,
  LARGE_RGBA,
  LARGE_FLOATS,
} LargeFormat;

/**
 * Large:
 * @input: its rings and regions; what they are measured in
 * @memory: of it
 */
typedef struct
{
  CsStatsInput input;
  Memory memory;

  /*< private >*/
  CsPicture picture;
  CsImage image;
  guint8 *pixels;
  GArray *points, *rings, *regions;
} Large;

/* A picture or image of noise; without shapes. */
void large_init (Large * large, LargeFormat format, CsStatsKind kind,
    guint width, guint height);
void large_clear (Large * large);

/* @columns * @rows wobbly discs with points about a pixel apart, which enclose
 * @share of the picture. */
void large_add_discs (Large * large, guint columns, guint rows, double share,
    guint64 * state);

/* @n triangles from corner to corner of the picture, thinner than a pixel or
 * two. */
void large_add_slivers (Large * large, guint n, guint64 * state);

/* A comb of @n teeth as high as the picture, in one ring: rows are crossed 2 n
 * times. */
void large_add_comb (Large * large, guint n, guint64 * state);

/* After shapes were added. */
void large_finish (Large * large);
