/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Fills made ready on the host, for both backends. */

#include "base/array.h"
#include "base/error.h"
#include "raster_fill_math.h"

G_BEGIN_DECLS

/**
 * CsFillSet:
 * @edges: of CsFillEdge, fill by fill
 * @regions: of CsFillRegion, one for each fill
 * @n_cells: tiles of all regions' bounds
 * @n_rows: rows of them
 * @n_blocks: no more tiles than this are passed through by edges
 * @dropped: rings that were left out
 */
typedef struct
{
  CsArray edges, regions;
  guint32 n_cells, n_rows, n_blocks;
  guint64 dropped;
} CsFillSet;

void cs_fill_set_init (CsFillSet * set);
void cs_fill_set_clear (CsFillSet * set);

/* Takes the edges of @fills, cut off at the borders of a picture of @width x
 * @height pixels. Without @antialias they surround the pixels whose centres are
 * inside. Fails with CS_ERROR_INVALID, CS_ERROR_LIMIT or CS_ERROR_NO_MEMORY. */
gboolean cs_fill_set_update (CsFillSet * set, const CsFills * fills,
    guint width, guint height, gboolean antialias, GError ** error);

G_END_DECLS
