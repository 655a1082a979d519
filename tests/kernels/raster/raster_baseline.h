/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What the tile engine is compared with: discs by the centre of pixels, on
 * black, to one word a pixel, 0xAABBGGRR with A of 255. */

#include "raster/raster.h"

G_BEGIN_DECLS

/* Far to near. */
typedef struct
{
  float x, y, r;
  guint32 rgba;
} Disc;

/* Milliseconds that the process has computed. */
double baseline_cpu_time (void);

/* Disc after disc, pixel after pixel, on one thread. Returns milliseconds of
 * processor time. */
double baseline_sequential (const Disc * discs, gsize n, guint width,
    guint height, guint32 * pixels);

/* Cairo without antialiasing, if it is installed; below 0 if not. */
double baseline_cairo (const Disc * discs, gsize n, guint width, guint height);

G_END_DECLS
