/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Areas, and lines cut at their borders. All in pixels. */

#include "gstfourierdrawsvgpath.h"

/**
 * FourierRegion:
 *
 * An area: the union of parts, each of them what closed lines are around, by
 * the even-odd or the nonzero rule.
 */
typedef struct _FourierRegion FourierRegion;

/* Returns: (transfer full): without a part, so without a point */
FourierRegion *fourier_region_new (void);
void fourier_region_free (FourierRegion * region);

/* Adds what the lines of @pen are around. Lines must be closed.
 *
 * @within: (transfer full) (nullable): what is outside of it is left out */
void fourier_region_add (FourierRegion * region, const FourierPen * pen,
    gboolean even_odd, FourierRegion * within);

/* Of the parts that were added last. Returns: FALSE if memory ran out */
gboolean fourier_region_end (FourierRegion * region);

/* Lines: x, y in double, and of each line its first point (gsize). */
typedef struct
{
  CsArray points, starts;
} FourierLines;

/**
 * FourierClip:
 * @outer: (nullable): what it is in
 * @region: outside of it nothing is seen
 * @shows: whether its border is seen where areas go beyond it
 * @spans: of its border, where areas were seen to do so
 */
typedef struct _FourierClip FourierClip;
struct _FourierClip
{
  FourierClip *outer;
  FourierRegion *region;
  gboolean shows;
  CsArray spans;
};

/* @region: (transfer full) */
void fourier_clip_init (FourierClip * clip,
    FourierRegion * region, gboolean shows, FourierClip * outer);
void fourier_clip_clear (FourierClip * clip);

/* Appends what is seen of the lines of @pen within @clip and what it is in.
 *
 * @clip: (nullable)
 * @work: grows by the steps that it takes; ends beyond @max_work */
void fourier_clip_cut (const FourierClip * clip, const FourierPen * pen,
    FourierLines * lines, guint64 * work, guint64 max_work);

/* The area @region is seen within @clip and what it is in: notes the borders
 * that it goes beyond. */
void fourier_clip_cover (FourierClip * clip,
    const FourierRegion * region, guint64 * work, guint64 max_work);

/* Appends the parts of its border that areas were seen to go beyond. */
void fourier_clip_draw (FourierClip * clip, FourierLines * lines);
