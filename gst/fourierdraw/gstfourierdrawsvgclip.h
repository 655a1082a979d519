/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_SVG_CLIP_H
#define GST_FOURIER_DRAW_SVG_CLIP_H

/* Areas, and lines cut at their borders. All in pixels. */

#include "gstfourierdrawsvgpath.h"

/**
 * GstFourierDrawRegion:
 *
 * An area: the union of parts, each of them what closed lines are around, by
 * the even-odd or the nonzero rule.
 */
typedef struct _GstFourierDrawRegion GstFourierDrawRegion;

/* Returns: (transfer full): without a part, so without a point */
GstFourierDrawRegion *gst_fourier_draw_region_new (void);
void gst_fourier_draw_region_free (GstFourierDrawRegion * region);

/* Adds what the lines of @pen are around. Lines must be closed.
 *
 * @within: (transfer full) (nullable): what is outside of it is left out */
void gst_fourier_draw_region_add (GstFourierDrawRegion * region,
    const GstFourierDrawPen * pen, gboolean even_odd,
    GstFourierDrawRegion * within);

/* Of the parts that were added last. Returns: FALSE if memory ran out */
gboolean gst_fourier_draw_region_end (GstFourierDrawRegion * region);

/* Lines: x, y in double, and of each line its first point (gsize). */
typedef struct
{
  CsArray points, starts;
} GstFourierDrawLines;

/**
 * GstFourierDrawClip:
 * @outer: (nullable): what it is in
 * @region: outside of it nothing is seen
 * @shows: whether its border is seen where areas go beyond it
 * @spans: of its border, where areas were seen to do so
 */
typedef struct _GstFourierDrawClip GstFourierDrawClip;
struct _GstFourierDrawClip
{
  GstFourierDrawClip *outer;
  GstFourierDrawRegion *region;
  gboolean shows;
  CsArray spans;
};

/* @region: (transfer full) */
void gst_fourier_draw_clip_init (GstFourierDrawClip * clip,
    GstFourierDrawRegion * region, gboolean shows, GstFourierDrawClip * outer);
void gst_fourier_draw_clip_clear (GstFourierDrawClip * clip);

/* Appends what is seen of the lines of @pen within @clip and what it is in.
 *
 * @clip: (nullable)
 * @work: grows by the steps that it takes; ends beyond @max_work */
void gst_fourier_draw_clip_cut (const GstFourierDrawClip * clip,
    const GstFourierDrawPen * pen, GstFourierDrawLines * lines,
    guint64 * work, guint64 max_work);

/* The area @region is seen within @clip and what it is in: notes the borders
 * that it goes beyond. */
void gst_fourier_draw_clip_cover (GstFourierDrawClip * clip,
    const GstFourierDrawRegion * region, guint64 * work, guint64 max_work);

/* Appends the parts of its border that areas were seen to go beyond. */
void gst_fourier_draw_clip_draw (GstFourierDrawClip * clip,
    GstFourierDrawLines * lines);

#endif /* GST_FOURIER_DRAW_SVG_CLIP_H */
