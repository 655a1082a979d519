/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_BRUSH_H
#define GST_FOURIER_DRAW_BRUSH_H

/* What shall not be drawn: strokes of text, a mask from a file, and what the
 * mouse goes over in the video's window. */

#include <gst/gst.h>

#include "gstfourierdrawsettings.h"

G_BEGIN_DECLS

/**
 * GstFourierDrawView:
 * @scale: pixels of the film for a pixel of the picture
 * @dx: where the picture's upper left corner lies in the film
 * @dy: likewise
 *
 * How the picture lies in the film. Pixel centres are at integers in both:
 * X = (x + .5) * scale + dx - .5.
 */
typedef struct
{
  gdouble scale, dx, dy;
} GstFourierDrawView;

static inline gdouble
gst_fourier_draw_view_x (const GstFourierDrawView * view, gdouble x)
{
  return (x + .5) * view->scale + view->dx - .5;
}

static inline gdouble
gst_fourier_draw_view_y (const GstFourierDrawView * view, gdouble y)
{
  return (y + .5) * view->scale + view->dy - .5;
}

/**
 * GstFourierDrawDab:
 *
 * A straight move of the brush, in pixels of the picture.
 */
typedef struct
{
  gdouble x0, y0, x1, y1, radius;
} GstFourierDrawDab;

/* Reads strokes "x,y x,y ...; x,y ...".
 *
 * Returns: (transfer full): #GstFourierDrawDab, those of a stroke one after the
 *     other; %NULL with @error (CS_ERROR_INVALID) saying what is allowed */
GArray *gst_fourier_draw_parse_strokes (const gchar * text, gdouble radius,
    GError ** error);

/**
 * GstFourierDrawAction:
 * @GST_FOURIER_DRAW_ACTION_NONE: the event is for others
 * @GST_FOURIER_DRAW_ACTION_PAINTED: more may be erased
 * @GST_FOURIER_DRAW_ACTION_RADIUS: the brush has another size
 * @GST_FOURIER_DRAW_ACTION_REDRAW: the drawing shall begin again
 */
typedef enum
{
  GST_FOURIER_DRAW_ACTION_NONE,
  GST_FOURIER_DRAW_ACTION_PAINTED,
  GST_FOURIER_DRAW_ACTION_RADIUS,
  GST_FOURIER_DRAW_ACTION_REDRAW,
} GstFourierDrawAction;

/**
 * GstFourierDrawPending:
 * @dabs: #GstFourierDrawDab, what was painted since the last mask
 * @first: number of the first of them; they are numbered one after the other
 * @epoch: another number when those from before are not wanted any more
 *
 * What the brush has painted and no drawing lacks yet.
 */
typedef struct
{
  GArray *dabs;
  guint64 first, epoch;
} GstFourierDrawPending;

/**
 * GstFourierDrawBrush:
 *
 * What the mouse has gone over: a mask as large as the last picture, and the
 * moves that are not in a drawing's mask yet, the last 65536 of them. Safe from
 * any thread. Part of the element's structure.
 */
typedef struct
{
  /*< private >*/
  GMutex lock;
  CsBrushMask *mask;
  GstFourierDrawPending pending;
  /* how many of the pending dabs are in the mask already */
  guint n_stroked;
  gboolean pressed;
  gdouble x, y;
} GstFourierDrawBrush;

void gst_fourier_draw_brush_init (GstFourierDrawBrush * brush);
void gst_fourier_draw_brush_finalize (GstFourierDrawBrush * brush);

/* Nothing is erased by the mouse any more, and no button is held. */
void gst_fourier_draw_brush_clear (GstFourierDrawBrush * brush);

/* What @event of the window means; it is consumed unless that is NONE.
 *
 * @view: how the picture lies in the window's video
 * @radius: (inout): the brush's, in pixels of the picture */
GstFourierDrawAction gst_fourier_draw_brush_navigate (GstFourierDrawBrush *
    brush, GstEvent * event, const GstFourierDrawView * view,
    gdouble * radius);

/* Brings @pending, which the caller keeps and has set up with an array, up to
 * date; what it has already is not copied again. */
void gst_fourier_draw_brush_get_pending (GstFourierDrawBrush * brush,
    GstFourierDrawPending * pending);

/* Makes the mask of all that shall not be drawn of a picture.
 *
 * @mask: (out) (nullable): %NULL if that is nothing
 * Returns: %FALSE with @error set: CS_ERROR_INVALID, or a file's error */
gboolean gst_fourier_draw_brush_make_mask (GstFourierDrawBrush * brush,
    const GstFourierDrawSettings * settings, guint width, guint height,
    CsBrushMask ** mask, GError ** error);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_BRUSH_H */
