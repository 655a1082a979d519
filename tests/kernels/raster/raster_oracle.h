/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the tile engine must give: the sequential algorithm, mark after mark,
 * pixel after pixel, in single precision. */

#include "raster/raster.h"

G_BEGIN_DECLS

/* A canvas: for each pixel how much is covered, and when it was touched last;
 * -INFINITY: never. */
typedef struct
{
  guint width, height;
  float *coverage, *time;
} OracleInk;

OracleInk *oracle_ink_new (guint width, guint height);
void oracle_ink_free (OracleInk * ink);
void oracle_ink_stamp (OracleInk * ink, const CsInkSegment * segments, gsize n,
    float half_width);

/* The order in which marks are painted. @order: room for n. */
void oracle_order (const CsMarks * marks, guint32 * order);

/* As cs_raster_run(), in host memory; @ink stands for the settings' ink;
 * @order: (nullable): paints in another order. */
void oracle_run (const CsMarks * marks, const CsRasterSettings * settings,
    const OracleInk * ink, const guint32 * order, const CsPicture * input,
    const CsPicture * output);

/* A sample of @component at its own column and row, without the shift. */
guint oracle_get (const CsPicture * picture, guint component, guint x, guint y);
guint oracle_columns (const CsPicture * picture, guint component);
guint oracle_rows (const CsPicture * picture, guint component);
gboolean oracle_has (const CsPicture * picture, guint component);

G_END_DECLS
