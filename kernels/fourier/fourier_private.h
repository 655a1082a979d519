/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "fourier.h"

G_BEGIN_DECLS

/**
 * CsPath:
 * @x, @y: @n samples, in one block owned by @x
 * @pen_down: for each sample, whether the pen draws to the next
 */
typedef struct
{
  guint n;
  double *x, *y;
  guint8 *pen_down;
} CsPath;

/* Samples a closed path through all contours of @strokes. */
gboolean cs_path_sample (const CsStrokesOutput * strokes,
    const CsPathParams * params, CsPath * path, GError ** error);
void cs_path_clear (CsPath * path);

G_END_DECLS
