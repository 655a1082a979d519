/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "contours.h"

G_BEGIN_DECLS

/**
 * CsContoursLayout:
 *
 * Byte offsets of a result's arrays in one block of memory, each aligned to
 * 256;
 * @moments equals @size without CS_MEASURES_FULL.
 */
typedef struct
{
  gsize points, offsets, contours, moments, size;
} CsContoursLayout;

void cs_contours_layout (CsPointFormat points, CsMeasures measures,
    gsize n_contours, gsize n_points, CsContoursLayout * layout);

G_END_DECLS
