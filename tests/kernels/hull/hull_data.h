/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Point sets that are hard on hull programs. */

#include <glib.h>

G_BEGIN_DECLS

typedef enum
{
  DATA_SQUARE,
  DATA_DISK,
  DATA_CIRCLE,
  DATA_GAUSSIAN,
  DATA_KUZMIN,
  DATA_ANNULUS,
  DATA_NEEDLE,
  DATA_GRID,
  DATA_PARABOLA,
  DATA_HORIZONTAL,
  DATA_VERTICAL,
  DATA_DIAGONAL,
  DATA_ALL_EQUAL,
  DATA_TWO_POINTS,
  DATA_NEAR_COLLINEAR,
  DATA_HUGE_AND_TINY,
  DATA_OUTLIER,
  DATA_SORTED,
  DATA_REVERSED,
  DATA_EXTREMES,
  DATA_DENORMALS,
  DATA_NON_FINITE,
  DATA_RING,
  DATA_N_KINDS,
} DataKind;

const char *data_name (DataKind kind);

/* @n points {double x, y} of @kind; the same for the same @seed. Those of
 * DATA_RING follow a line that ends where it begins, of one of eight forms. */
void data_fill (DataKind kind, guint64 seed, gsize n, double *xy);

/* 0 .. 2^64 - 1, uniform. */
guint64 data_random (guint64 * state);
/* 0 .. 1, uniform. */
double data_uniform (guint64 * state);

G_END_DECLS
