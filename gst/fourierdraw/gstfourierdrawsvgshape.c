/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawsvgshape.h"

#include <math.h>

#define OF_WIDTH FOURIER_SVG_OF_WIDTH
#define OF_HEIGHT FOURIER_SVG_OF_HEIGHT
#define OF_DIAGONAL FOURIER_SVG_OF_DIAGONAL

gdouble
fourier_svg_get_length (const FourierSvgStyle * style,
    FourierSvgProperty property, const FourierSvgUnits * units,
    FourierSvgOf of, gdouble other)
{
  fourier_svg_read_length (style->values[property], units, of, &other);
  return other;
}

#define get_length fourier_svg_get_length

static void
draw_points (FourierPen * pen, const gchar * text, gboolean closed)
{
  gdouble x, y, x0 = 0., y0 = 0.;
  guint n = 0;

  while (text && fourier_read_number (&text, &x) &&
      fourier_read_number (&text, &y)) {
    if (n++ == 0)
      fourier_pen_move (pen, x0 = x, y0 = y);
    else
      fourier_pen_line (pen, x, y);
  }
  if (closed && n > 1)
    fourier_pen_line (pen, x0, y0);
}

static void
draw_rect (FourierPen * pen, const FourierSvgStyle * style,
    const FourierSvgUnits * units)
{
  const gdouble x = get_length (style, FOURIER_SVG_X, units, OF_WIDTH, 0.);
  const gdouble y = get_length (style, FOURIER_SVG_Y, units, OF_HEIGHT, 0.);
  const gdouble w = get_length (style, FOURIER_SVG_WIDTH, units, OF_WIDTH, 0.);
  const gdouble h = get_length (style, FOURIER_SVG_HEIGHT, units,
      OF_HEIGHT, 0.);
  const gdouble round_x = get_length (style, FOURIER_SVG_RX, units,
      OF_WIDTH, -1.);
  const gdouble round_y = get_length (style, FOURIER_SVG_RY, units,
      OF_HEIGHT, -1.);
  gdouble rx = round_x < 0. ? round_y : round_x;
  gdouble ry = round_y < 0. ? round_x : round_y;

  if (!(w > 0.) || !(h > 0.))
    return;
  rx = CLAMP (rx, 0., w / 2.);
  ry = CLAMP (ry, 0., h / 2.);
  fourier_pen_move (pen, x + rx, y);
  fourier_pen_line (pen, x + w - rx, y);
  fourier_pen_ellipse (pen, x + w - rx, y + ry, rx, ry, 0.,
      -G_PI / 2., G_PI / 2.);
  fourier_pen_line (pen, x + w, y + ry);
  fourier_pen_line (pen, x + w, y + h - ry);
  fourier_pen_ellipse (pen, x + w - rx, y + h - ry, rx, ry, 0., 0., G_PI / 2.);
  fourier_pen_line (pen, x + w - rx, y + h);
  fourier_pen_line (pen, x + rx, y + h);
  fourier_pen_ellipse (pen, x + rx, y + h - ry, rx, ry, 0.,
      G_PI / 2., G_PI / 2.);
  fourier_pen_line (pen, x, y + h - ry);
  fourier_pen_line (pen, x, y + ry);
  fourier_pen_ellipse (pen, x + rx, y + ry, rx, ry, 0., G_PI, G_PI / 2.);
  fourier_pen_line (pen, x + rx, y);
}

static void
draw_ellipse (FourierPen * pen, const FourierSvgStyle * style,
    const FourierSvgUnits * units, gboolean circle)
{
  const gdouble x = get_length (style, FOURIER_SVG_CX, units, OF_WIDTH, 0.);
  const gdouble y = get_length (style, FOURIER_SVG_CY, units, OF_HEIGHT, 0.);
  gdouble rx, ry;

  if (circle) {
    rx = ry = get_length (style, FOURIER_SVG_R, units, OF_DIAGONAL, 0.);
  } else {
    rx = get_length (style, FOURIER_SVG_RX, units, OF_WIDTH, -1.);
    ry = get_length (style, FOURIER_SVG_RY, units, OF_HEIGHT, rx);
    rx = rx < 0. ? ry : rx;
  }
  if (!(rx > 0.) || !(ry > 0.))
    return;
  fourier_pen_move (pen, x + rx, y);
  fourier_pen_ellipse (pen, x, y, rx, ry, 0., 0., 2. * G_PI);
  fourier_pen_line (pen, x + rx, y);
}

static void
draw_line (FourierPen * pen, const FourierSvgNode * node,
    const FourierSvgUnits * units)
{
  gdouble x1 = 0., y1 = 0., x2 = 0., y2 = 0.;

  fourier_svg_read_length (fourier_svg_node_get (node,
          "x1"), units, OF_WIDTH, &x1);
  fourier_svg_read_length (fourier_svg_node_get (node,
          "y1"), units, OF_HEIGHT, &y1);
  fourier_svg_read_length (fourier_svg_node_get (node,
          "x2"), units, OF_WIDTH, &x2);
  fourier_svg_read_length (fourier_svg_node_get (node,
          "y2"), units, OF_HEIGHT, &y2);
  fourier_pen_move (pen, x1, y1);
  fourier_pen_line (pen, x2, y2);
}

void
fourier_svg_draw_shape (FourierPen * pen, const FourierSvgNode * node,
    const FourierSvgStyle * style, const FourierSvgUnits * units)
{
  const gchar *text;

  switch (node->kind) {
    case FOURIER_SVG_PATH:
      text = fourier_svg_node_get (node, "d");
      if (text)
        fourier_pen_path (pen, text);
      break;
    case FOURIER_SVG_RECT:
      draw_rect (pen, style, units);
      break;
    case FOURIER_SVG_CIRCLE:
    case FOURIER_SVG_ELLIPSE:
      draw_ellipse (pen, style, units, node->kind == FOURIER_SVG_CIRCLE);
      break;
    case FOURIER_SVG_POLYLINE:
    case FOURIER_SVG_POLYGON:
      draw_points (pen, fourier_svg_node_get (node, "points"),
          node->kind == FOURIER_SVG_POLYGON);
      break;
    case FOURIER_SVG_LINE:
      draw_line (pen, node, units);
      break;
    default:
      break;
  }
  fourier_pen_end (pen);
}
