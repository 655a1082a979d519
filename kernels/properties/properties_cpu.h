/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between the files of the CPU backend:
 *
 *   properties_cpu.c --> properties_cpu_rows.c
 */

#include "base/array.h"
#include "base/scratch.h"
#include "properties_finish.h"
#include "properties_private.h"

G_BEGIN_DECLS

/**
 * CsPropertiesLane:
 * @rows: of labels, and of words
 * @pieces: CsPropertiesPiece, of all its bands
 * @items, @sorted: while a band is sorted
 * @chains: of a region
 *
 * What one thread has.
 */
typedef struct
{
  CsScratch rows, items, sorted, chains;
  CsArray pieces;
} CsPropertiesLane;

/* Adds the pieces of rows @first to @end of @picture, in raster order, to @lane,
 * with marks if @neighbours. */
gboolean cs_properties_cpu_rows (const CsLabelsPicture * picture, guint first,
    guint end, gboolean neighbours, CsPropertiesLane * lane, GError ** error);

G_END_DECLS
