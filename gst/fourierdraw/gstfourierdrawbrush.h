/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_BRUSH_H
#define GST_FOURIER_DRAW_BRUSH_H

/* What is excluded from drawings: strokes of a text, a mask of a file, and
 * strokes of the mouse in the video's window. */

#include <gst/gst.h>

#include "gstfourierdrawcontours.h"
#include "gstfourierdrawsettings.h"

/**
 * GstFourierDrawView:
 * @scale: pixels of the frame for each pixel of the picture
 * @dx: upper left corner of the picture, in pixels of the frame
 * @dy: of the same corner
 *
 * The transformation from the picture to the frame. Pixel centres are at
 * integers in both: X = (x + .5) * scale + dx - .5.
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
 * A straight segment of a brush stroke, in pixels of the picture: it erases, or
 * draws. Those of a stroke of the mouse have the same number.
 */
typedef struct
{
  gdouble x0, y0, x1, y1, radius;
  gboolean draws;
  guint64 stroke;
} GstFourierDrawDab;

/* Parses strokes "x,y x,y ...; x,y ...".
 *
 * Returns: (transfer full): #GstFourierDrawDab, in order; %NULL with @error
 *     (CS_ERROR_INVALID) saying what is allowed */
GArray *gst_fourier_draw_parse_strokes (const gchar * text, gdouble radius,
    GError ** error);

/**
 * GstFourierDrawAction:
 * @GST_FOURIER_DRAW_ACTION_NONE: not for the brush
 * @GST_FOURIER_DRAW_ACTION_PAINTED: painted, or moved while pressed
 * @GST_FOURIER_DRAW_ACTION_RADIUS: the radius has changed
 * @GST_FOURIER_DRAW_ACTION_REDRAW: draw again
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
 * @dabs: #GstFourierDrawDab, those since the last mask
 * @first: number of the first one; numbers are consecutive
 * @epoch: changes when all earlier dabs are dropped
 *
 * Dabs of the mouse that the present drawing does not exclude yet.
 */
typedef struct
{
  GArray *dabs;
  guint64 first, epoch;
} GstFourierDrawPending;

/**
 * GstFourierDrawBrush:
 *
 * The strokes of the mouse: those that erase as a mask of the size of the last
 * picture, and the dabs that no drawing has yet, the last 65536 of them. It has
 * a lock of its own; all functions may be called from any thread.
 */
typedef struct
{
  /*< private >*/
  GMutex lock;
  CsBrushMask *mask;
  GstFourierDrawPending pending;
  /* pending dabs that the mask has */
  guint n_stroked;
  /* dabs that can be undone, those that erase and those that draw; the mask is
   * made of the former and those committed before */
  GArray *erased, *drawn;
  CsBrushMask *committed;
  guint64 n_strokes;
  /* the button, or 0, and what it does */
  gint pressed;
  gboolean draws;
  gdouble x, y;
} GstFourierDrawBrush;

void gst_fourier_draw_brush_init (GstFourierDrawBrush * brush);
void gst_fourier_draw_brush_finalize (GstFourierDrawBrush * brush);

/* Forgets the strokes of the mouse, and that its button is pressed. */
void gst_fourier_draw_brush_clear (GstFourierDrawBrush * brush);

/* Handles a navigation event; it is consumed unless the action is NONE.
 *
 * @draws: whether the first button draws and the third erases; otherwise it is
 *     the other way round
 * @view: from the picture to the window's video
 * @radius: (inout): of the brush, in pixels of the picture */
GstFourierDrawAction gst_fourier_draw_brush_navigate (GstFourierDrawBrush *
    brush, GstEvent * event, gboolean draws, const GstFourierDrawView * view,
    gdouble * radius);

/* Updates @pending, the caller's copy; only new dabs are copied.
 *
 * @pending: initialised with an array, otherwise zero */
void gst_fourier_draw_brush_get_pending (GstFourierDrawBrush * brush,
    GstFourierDrawPending * pending);

/* Makes the mask of all that is excluded from a picture's drawing; no dabs are
 * pending then.
 *
 * @mask: (out) (nullable): %NULL if it is empty
 * Returns: %FALSE with @error set: CS_ERROR_INVALID, or a file's error */
gboolean gst_fourier_draw_brush_make_mask (GstFourierDrawBrush * brush,
    const GstFourierDrawSettings * settings, guint width, guint height,
    CsBrushMask ** mask, GError ** error);

/* @contours, followed by the strokes that the mouse has drawn, with a point for
 * each pixel.
 *
 * Returns: (transfer full): @contours if there are none, or %NULL with @error
 *     (CS_ERROR_NO_MEMORY) set */
GstFourierDrawContours *gst_fourier_draw_brush_add_strokes
    (GstFourierDrawBrush * brush, GstFourierDrawContours * contours,
    GError ** error);

#endif /* GST_FOURIER_DRAW_BRUSH_H */
