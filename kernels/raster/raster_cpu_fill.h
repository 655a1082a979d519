/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "base/executor.h"
#include "base/scratch.h"
#include "raster_fill.h"

G_BEGIN_DECLS

/**
 * CsFillCover:
 * @cells: what is known of each tile of each region
 * @blocks: CS_FILL_TILE_PIXELS packed values for each tile that is neither empty
 *     nor full
 *
 * The coverage of all fills of a picture.
 */
typedef struct
{
  guint32 *cells;
  guint16 *blocks;

  /*< private >*/
  CsScratch cells_memory, blocks_memory, lists_memory, rows_memory;
} CsFillCover;

/* Computes the coverage of @set, made for this size. Fails with
 * CS_ERROR_NO_MEMORY or CS_ERROR_LIMIT. */
gboolean cs_fill_cover_update (CsFillCover * cover, CsExecutor * executor,
    const CsFillSet * set, guint width, guint height, GError ** error);
void cs_fill_cover_clear (CsFillCover * cover);

G_END_DECLS
