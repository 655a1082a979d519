/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "bands_oracle.h"

#include <math.h>

#include "contours_oracle.h"

typedef struct
{
  double x[8], y[8];
  guint n;
} Piece;

static const double corner_x[4] = { 0., 1., 1., 0. };
static const double corner_y[4] = { 0., 0., 1., 1. };

/* From @a, at the left or above, to @b. */
static double
crossing (double a, double b, double level)
{
  if (isinf (a) || isinf (b))
    return .5;
  if (isinf (b - a))
    return (level / 2. - a / 2.) / (b / 2. - a / 2.);
  return (level - a) / (b - a);
}

static void
add_point (Piece * piece, double x, double y)
{
  piece->x[piece->n] = x;
  piece->y[piece->n++] = y;
}

/* Where the side from corner @i to the next one, clockwise, crosses @level. */
static void
add_crossing (Piece * piece, const double *v, guint i, double level)
{
  const guint k = (i + 1) % 4;
  const gboolean backward = i >= 2;
  const double t = backward ? crossing (v[k], v[i], level) :
      crossing (v[i], v[k], level);

  if (i % 2 == 0)
    add_point (piece, t, corner_y[i]);
  else
    add_point (piece, corner_x[i], t);
}

/* @v: corners clockwise from the upper left. Returns the number of pieces. */
static guint
cut_cell (const double *v, double level, gboolean connect_high, Piece * pieces)
{
  const gboolean saddle = (v[0] > level) == (v[2] > level) &&
      (v[1] > level) == (v[3] > level) && (v[0] > level) != (v[1] > level);
  guint i, n = 1;

  pieces[0].n = 0;
  if (saddle && !connect_high) {
    for (n = 0, i = v[0] > level ? 0 : 1; n < 2; n++, i += 2) {
      pieces[n].n = 0;
      add_crossing (&pieces[n], v, (i + 3) % 4, level);
      add_point (&pieces[n], corner_x[i], corner_y[i]);
      add_crossing (&pieces[n], v, i, level);
    }
    return 2;
  }
  for (i = 0; i < 4; i++) {
    if (v[i] > level)
      add_point (&pieces[0], corner_x[i], corner_y[i]);
    if ((v[i] > level) != (v[(i + 1) % 4] > level))
      add_crossing (&pieces[0], v, i, level);
  }
  return n;
}

/* The area above @level */
static double
bands_oracle_area (const double *v, double level, gboolean connect_high)
{
  Piece pieces[2];
  const guint n = cut_cell (v, level, connect_high, pieces);
  double area = 0.;

  for (guint p = 0; p < n; p++)
    for (guint i = 0; i < pieces[p].n; i++) {
      const guint k = (i + 1) % pieces[p].n;

      area += .5 * (pieces[p].x[i] * pieces[p].y[k] -
          pieces[p].x[k] * pieces[p].y[i]);
    }
  return area;
}

gboolean
bands_oracle_is_left (double x, double y, double x0, double y0, double x1, double y1)
{
  return (y0 <= y) != (y1 <= y) && x0 + (y - y0) / (y1 - y0) * (x1 - x0) < x;
}

gboolean
bands_oracle_is_above (const double *v, double level, gboolean connect_high, double x,
    double y)
{
  Piece pieces[2];
  const guint n = cut_cell (v, level, connect_high, pieces);
  gboolean inside = FALSE;
  guint p, i;

  for (p = 0; p < n; p++)
    for (i = 0; i < pieces[p].n; i++) {
      const guint k = (i + 1) % pieces[p].n;

      inside ^= bands_oracle_is_left (x, y, pieces[p].x[i], pieces[p].y[i], pieces[p].x[k],
          pieces[p].y[k]);
    }
  return inside;
}

gboolean
bands_oracle_get_cell (const CsContoursInput * input, guint channel, guint row, guint column,
    double *v)
{
  for (guint i = 0; i < 4; i++) {
    const guint y = row + (i >= 2), x = column + (i == 1 || i == 2);

    v[i] = oracle_sample (&input->image, channel, y, x);
    if (isnan (v[i]) || (input->mask && oracle_sample (input->mask, 0, y,
                x) == 0.))
      return FALSE;
  }
  return TRUE;
}

double
bands_oracle_total (const CsContoursInput * input, guint channel, double low,
    double high, gboolean connect_high)
{
  double area = 0., v[4];

  for (guint row = 0; row + 1 < input->image.height; row++)
    for (guint column = 0; column + 1 < input->image.width; column++)
      if (bands_oracle_get_cell (input, channel, row, column, v))
        area += bands_oracle_area (v, low, connect_high) -
            bands_oracle_area (v, high, connect_high);
  return area;
}
