/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef RASTER_BASELINE_H
#define RASTER_BASELINE_H

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

/* Likewise for sorting marks by depth and making discs of them. */
double baseline_sort_time (const CsMarks * marks);

/* Cairo without antialiasing, if it is installed; below 0 if not. */
double baseline_cairo (const Disc * discs, gsize n, guint width, guint height);

/* On a GPU; only where there is one. The straightforward way: each block of
 * threads takes the discs that touch its tile, all of them, in order. */
double baseline_tiles (const Disc * discs, gsize n, guint width, guint height,
    guint32 * pixels);

/* A thread for each disc, and no order at all. */
double baseline_racy (const Disc * discs, gsize n, guint width, guint height,
    guint32 * pixels);

/* Milliseconds of device time for each of @n calls of @func, queued back to
 * back on @stream. */
double baseline_device_time (void *stream, guint n, void (*func) (void *),
    void *user_data);

G_END_DECLS

#endif /* RASTER_BASELINE_H */
