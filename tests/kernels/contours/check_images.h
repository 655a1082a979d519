/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Test images, all from a seed. */

#include "base/image.h"

G_BEGIN_DECLS

typedef struct
{
  guint64 state;
} Random;

guint64 random_bits (Random * random);
/* 0 .. n - 1 */
guint random_below (Random * random, guint n);
/* 0 <= value < 1 */
double random_unit (Random * random);

typedef enum
{
  FILL_ZERO, FILL_MAX, FILL_LEVEL, FILL_BINARY, FILL_TERNARY, FILL_NOISE,
  FILL_SMOOTH, FILL_BLURRED, FILL_CHECKERBOARD, FILL_SPIRAL, FILL_ROWS,
  FILL_COLUMNS, FILL_DIAGONAL, FILL_PLATEAU, FILL_NAN, FILL_INFINITE,
  FILL_NEAR_LEVEL, FILL_DOTS, FILL_FRAME, FILL_SPARSE, FILL_BUBBLES,
  N_FILLS
} Fill;

extern const char *const fill_names[N_FILLS];

/* Writes one plane of width * height values; @level is the iso-level they will
 * be looked at, about which the adversarial fills gather. @top is the largest
 * value of integer types, 1 for others. */
void fill_plane (Fill fill, Random * random, guint width, guint height,
    double level, double top, double *plane);

/* Stores @value in sample type @type, clamped and rounded. */
void store_sample (CsSampleType type, double value, void *at);

/* A gray picture of 0 .. 255 with structure at every scale; @noise in gray
 * levels. */
void fill_picture (Random * random, guint width, guint height, double noise,
    double *plane);

G_END_DECLS
