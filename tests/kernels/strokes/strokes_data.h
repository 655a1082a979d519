/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "strokes_oracle.h"

typedef enum
{
  DATA_WALKS,                   /* open and closed contours of a picture */
  DATA_GRID,                    /* the same on whole numbers: ties */
  DATA_DOTS,                    /* contours of one point, on a grid */
  DATA_EQUAL,                   /* all points are one */
  DATA_CHAIN,                   /* a row of dashes, in any order */
  DATA_STRANGE,                 /* not finite, -0, far out, tiny, empty */
  DATA_SQUARES,                 /* closed, and some of them twice */
  DATA_PAIRS,                   /* two or three points each */
  DATA_FIELD,                   /* sizes of a real picture's, not clustered */
  DATA_N_KINDS
} DataKind;

const char *data_name (DataKind kind);

/* About @n points. */
Drawing *data_new (DataKind kind, guint64 seed, gsize n);

/* A picture's outlines: @n points in contours of some 50, a third of them
 * closed, on the quarter-pixel grid that interpolation does not have: about one
 * point in 200 is there twice. Side of the picture in @side. */
Drawing *data_picture (gsize n, double *side);
