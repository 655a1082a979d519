/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What is excluded from drawings: strokes of a text, a mask of a file, and
 * strokes of the mouse in the video's window. */

#include <gst/gst.h>

#include "gstfourierdrawcontours.h"
#include "gstfourierdrawsettings.h"

/**
 * FourierView:
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
} FourierView;

static inline gdouble
fourier_view_x (const FourierView * view, gdouble x)
{
  return (x + .5) * view->scale + view->dx - .5;
}

static inline gdouble
fourier_view_y (const FourierView * view, gdouble y)
{
  return (y + .5) * view->scale + view->dy - .5;
}

/**
 * FourierDab:
 *
 * A straight segment of a brush stroke, in pixels of the picture: it erases, or
 * draws. Those of a stroke of the mouse have the same number.
 */
typedef struct
{
  gdouble x0, y0, x1, y1, radius;
  gboolean draws;
  guint64 stroke;
} FourierDab;

/* Parses strokes "x,y x,y ...; x,y ...".
 *
 * Returns: (transfer full): #FourierDab, in order; %NULL with @error
 *     (CS_ERROR_INVALID) saying what is allowed */
GArray *fourier_parse_strokes (const gchar * text, gdouble radius,
    GError ** error);

/**
 * FourierAction:
 * @FOURIER_ACTION_NONE: not for the brush
 * @FOURIER_ACTION_PAINTED: painted, or moved while pressed
 * @FOURIER_ACTION_RADIUS: the radius has changed
 * @FOURIER_ACTION_REDRAW: draw again
 */
typedef enum
{
  FOURIER_ACTION_NONE,
  FOURIER_ACTION_PAINTED,
  FOURIER_ACTION_RADIUS,
  FOURIER_ACTION_REDRAW,
} FourierAction;

/**
 * FourierPending:
 * @dabs: #FourierDab, those since the last mask
 * @first: number of the first one; numbers are consecutive
 * @epoch: changes when all earlier dabs are dropped
 *
 * Dabs of the mouse that the present drawing does not exclude yet.
 */
typedef struct
{
  GArray *dabs;
  guint64 first, epoch;
} FourierPending;

/**
 * FourierBrush:
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
  FourierPending pending;
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
} FourierBrush;

void fourier_brush_init (FourierBrush * brush);
void fourier_brush_finalize (FourierBrush * brush);

/* Forgets the strokes of the mouse, and that its button is pressed. */
void fourier_brush_clear (FourierBrush * brush);

/* Handles a navigation event; it is consumed unless the action is NONE.
 *
 * @draws: whether the first button draws and the third erases; otherwise it is
 *     the other way round
 * @view: from the picture to the window's video
 * @radius: (inout): of the brush, in pixels of the picture */
FourierAction fourier_brush_navigate (FourierBrush * brush, GstEvent * event,
    gboolean draws, const FourierView * view, gdouble * radius);

/* Updates @pending, the caller's copy; only new dabs are copied.
 *
 * @pending: initialised with an array, otherwise zero */
void fourier_brush_get_pending (FourierBrush * brush, FourierPending * pending);

/* Makes the mask of all that is excluded from a picture's drawing; no dabs are
 * pending then.
 *
 * @mask: (out) (nullable): %NULL if it is empty
 * Returns: %FALSE with @error set: CS_ERROR_INVALID, or a file's error */
gboolean fourier_brush_make_mask (FourierBrush * brush,
    const FourierSettings * settings, guint width, guint height,
    CsBrushMask ** mask, GError ** error);

/* @contours, followed by the strokes that the mouse has drawn, with a point for
 * each pixel.
 *
 * Returns: (transfer full): @contours if there are none, or %NULL with @error
 *     (CS_ERROR_NO_MEMORY) set */
FourierContours *fourier_brush_add_strokes (FourierBrush * brush,
    FourierContours * contours, GError ** error);
