/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvgshape.h"

#include <math.h>

#define OF_WIDTH GST_FOURIER_DRAW_SVG_OF_WIDTH
#define OF_HEIGHT GST_FOURIER_DRAW_SVG_OF_HEIGHT
#define OF_DIAGONAL GST_FOURIER_DRAW_SVG_OF_DIAGONAL

gdouble
gst_fourier_draw_svg_get_length (const GstFourierDrawSvgStyle * style,
    GstFourierDrawSvgProperty property, const GstFourierDrawSvgUnits * units,
    GstFourierDrawSvgOf of, gdouble other)
{
  gst_fourier_draw_svg_read_length (style->values[property], units, of,
      &other);
  return other;
}

#define get_length gst_fourier_draw_svg_get_length

static void
draw_points (GstFourierDrawPen * pen, const gchar * text, gboolean closed)
{
  gdouble x, y, x0 = 0., y0 = 0.;
  guint n = 0;

  while (text && gst_fourier_draw_read_number (&text, &x) &&
      gst_fourier_draw_read_number (&text, &y)) {
    if (n++ == 0)
      gst_fourier_draw_pen_move (pen, x0 = x, y0 = y);
    else
      gst_fourier_draw_pen_line (pen, x, y);
  }
  if (closed && n > 1)
    gst_fourier_draw_pen_line (pen, x0, y0);
}

static void
draw_rect (GstFourierDrawPen * pen, const GstFourierDrawSvgStyle * style,
    const GstFourierDrawSvgUnits * units)
{
  const gdouble x = get_length (style, GST_FOURIER_DRAW_SVG_X, units,
      OF_WIDTH, 0.);
  const gdouble y = get_length (style, GST_FOURIER_DRAW_SVG_Y, units,
      OF_HEIGHT, 0.);
  const gdouble w = get_length (style, GST_FOURIER_DRAW_SVG_WIDTH, units,
      OF_WIDTH, 0.);
  const gdouble h = get_length (style, GST_FOURIER_DRAW_SVG_HEIGHT, units,
      OF_HEIGHT, 0.);
  const gdouble round_x = get_length (style, GST_FOURIER_DRAW_SVG_RX, units,
      OF_WIDTH, -1.);
  const gdouble round_y = get_length (style, GST_FOURIER_DRAW_SVG_RY, units,
      OF_HEIGHT, -1.);
  gdouble rx = round_x < 0. ? round_y : round_x;
  gdouble ry = round_y < 0. ? round_x : round_y;

  if (!(w > 0.) || !(h > 0.))
    return;
  rx = CLAMP (rx, 0., w / 2.);
  ry = CLAMP (ry, 0., h / 2.);
  gst_fourier_draw_pen_move (pen, x + rx, y);
  gst_fourier_draw_pen_line (pen, x + w - rx, y);
  gst_fourier_draw_pen_ellipse (pen, x + w - rx, y + ry, rx, ry, 0.,
      -G_PI / 2., G_PI / 2.);
  gst_fourier_draw_pen_line (pen, x + w, y + ry);
  gst_fourier_draw_pen_line (pen, x + w, y + h - ry);
  gst_fourier_draw_pen_ellipse (pen, x + w - rx, y + h - ry, rx, ry, 0., 0.,
      G_PI / 2.);
  gst_fourier_draw_pen_line (pen, x + w - rx, y + h);
  gst_fourier_draw_pen_line (pen, x + rx, y + h);
  gst_fourier_draw_pen_ellipse (pen, x + rx, y + h - ry, rx, ry, 0.,
      G_PI / 2., G_PI / 2.);
  gst_fourier_draw_pen_line (pen, x, y + h - ry);
  gst_fourier_draw_pen_line (pen, x, y + ry);
  gst_fourier_draw_pen_ellipse (pen, x + rx, y + ry, rx, ry, 0., G_PI,
      G_PI / 2.);
  gst_fourier_draw_pen_line (pen, x + rx, y);
}

static void
draw_ellipse (GstFourierDrawPen * pen, const GstFourierDrawSvgStyle * style,
    const GstFourierDrawSvgUnits * units, gboolean circle)
{
  const gdouble x = get_length (style, GST_FOURIER_DRAW_SVG_CX, units,
      OF_WIDTH, 0.);
  const gdouble y = get_length (style, GST_FOURIER_DRAW_SVG_CY, units,
      OF_HEIGHT, 0.);
  gdouble rx, ry;

  if (circle) {
    rx = ry = get_length (style, GST_FOURIER_DRAW_SVG_R, units, OF_DIAGONAL,
        0.);
  } else {
    rx = get_length (style, GST_FOURIER_DRAW_SVG_RX, units, OF_WIDTH, -1.);
    ry = get_length (style, GST_FOURIER_DRAW_SVG_RY, units, OF_HEIGHT, rx);
    rx = rx < 0. ? ry : rx;
  }
  if (!(rx > 0.) || !(ry > 0.))
    return;
  gst_fourier_draw_pen_move (pen, x + rx, y);
  gst_fourier_draw_pen_ellipse (pen, x, y, rx, ry, 0., 0., 2. * G_PI);
  gst_fourier_draw_pen_line (pen, x + rx, y);
}

static void
draw_line (GstFourierDrawPen * pen, const GstFourierDrawSvgNode * node,
    const GstFourierDrawSvgUnits * units)
{
  gdouble x1 = 0., y1 = 0., x2 = 0., y2 = 0.;

  gst_fourier_draw_svg_read_length (gst_fourier_draw_svg_node_get (node,
          "x1"), units, OF_WIDTH, &x1);
  gst_fourier_draw_svg_read_length (gst_fourier_draw_svg_node_get (node,
          "y1"), units, OF_HEIGHT, &y1);
  gst_fourier_draw_svg_read_length (gst_fourier_draw_svg_node_get (node,
          "x2"), units, OF_WIDTH, &x2);
  gst_fourier_draw_svg_read_length (gst_fourier_draw_svg_node_get (node,
          "y2"), units, OF_HEIGHT, &y2);
  gst_fourier_draw_pen_move (pen, x1, y1);
  gst_fourier_draw_pen_line (pen, x2, y2);
}

void
gst_fourier_draw_svg_draw_shape (GstFourierDrawPen * pen,
    const GstFourierDrawSvgNode * node, const GstFourierDrawSvgStyle * style,
    const GstFourierDrawSvgUnits * units)
{
  const gchar *text;

  switch (node->kind) {
    case GST_FOURIER_DRAW_SVG_PATH:
      text = gst_fourier_draw_svg_node_get (node, "d");
      if (text)
        gst_fourier_draw_pen_path (pen, text);
      break;
    case GST_FOURIER_DRAW_SVG_RECT:
      draw_rect (pen, style, units);
      break;
    case GST_FOURIER_DRAW_SVG_CIRCLE:
    case GST_FOURIER_DRAW_SVG_ELLIPSE:
      draw_ellipse (pen, style, units,
          node->kind == GST_FOURIER_DRAW_SVG_CIRCLE);
      break;
    case GST_FOURIER_DRAW_SVG_POLYLINE:
    case GST_FOURIER_DRAW_SVG_POLYGON:
      draw_points (pen, gst_fourier_draw_svg_node_get (node, "points"),
          node->kind == GST_FOURIER_DRAW_SVG_POLYGON);
      break;
    case GST_FOURIER_DRAW_SVG_LINE:
      draw_line (pen, node, units);
      break;
    default:
      break;
  }
  gst_fourier_draw_pen_end (pen);
}
