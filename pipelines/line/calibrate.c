/* SPDX-License-Identifier: LGPL-2.1-or-later */

#include "calibrate.h"

#include <math.h>
#include <stdlib.h>

#include "base/array.h"

/* A disc has at least this diameter in pixels: smaller ones are measured too
 * roughly, and noise may look like them. */
#define MIN_DIAMETER 10

/* Greatest Feret diameter by smallest of what is round */
#define ROUND 1.05

/* Greatest difference of a disc's diameter from that of the others */
#define ALIKE 0.1

/* With as many discs a picture is no target. */
#define MANY 100

typedef struct
{
  LineDisc disc;
  gdouble ratio;
  gboolean is_round;
} Candidate;

static LineDisc
measure_disc (const LineContour * contour, const LinePoint * points)
{
  const gdouble x0 = points[0].x, y0 = points[0].y;
  gdouble area = 0, x = 0, y = 0;

  for (gsize i = 0; i + 1 < contour->n_points; i++) {
    const gdouble ax = points[i].x - x0, ay = points[i].y - y0;
    const gdouble bx = points[i + 1].x - x0, by = points[i + 1].y - y0;
    const gdouble cross = ax * by - bx * ay;

    area += cross / 2;
    x += (ax + bx) * cross / 6;
    y += (ay + by) * cross / 6;
  }
  return (LineDisc) {x0 + x / area, y0 + y / area,
    2 * sqrt (fabs (area) / G_PI)};
}

static Candidate
make_candidate (const LineContour * contour, const LinePoint * points)
{
  Candidate candidate = { measure_disc (contour, points) };
  gdouble hull = (contour->feret_min + contour->feret_max) / 2;

  candidate.ratio = contour->feret_max / contour->feret_min;
  /* the hull of a disc with a notch is round, too */
  candidate.is_round = candidate.ratio < ROUND
      && candidate.disc.diameter > hull / ROUND;
  return candidate;
}

/* The largest first */
static int
compare_candidates (gconstpointer a, gconstpointer b)
{
  gdouble x = ((const Candidate *) a)->disc.diameter;
  gdouble y = ((const Candidate *) b)->disc.diameter;

  return (x < y) - (x > y);
}

static gboolean
find_candidates (const LineView * view, CsArray * candidates)
{
  cs_array_init (candidates, sizeof (Candidate));
  for (gsize i = 0; i < view->n_contours; i++) {
    const LineContour *contour = &view->contours[i];

    if (contour->feret_min >= MIN_DIAMETER && contour->area != 0) {
      Candidate candidate =
          make_candidate (contour, view->points + contour->first);

      cs_array_append_val (candidates, candidate);
    }
  }
  if (!candidates->failed && candidates->len > 0)
    qsort (candidates->data, candidates->len, sizeof (Candidate),
        compare_candidates);
  return !candidates->failed;
}

/* The median diameter of the @cups largest round ones: what is larger than the
 * target's discs, and what is in them, are fewer. 0 without any */
static gdouble
find_diameter (CsArray * candidates, guint cups)
{
  gdouble diameters[LINE_MAX_CUPS];
  guint n = 0;

  for (gsize i = 0; i < candidates->len && n < cups; i++) {
    Candidate *candidate = &cs_array_index (candidates, Candidate, i);

    if (candidate->is_round)
      diameters[n++] = candidate->disc.diameter;
  }
  return n > 0 ? diameters[n / 2] : 0;
}

/* Moves the round ones of about @diameter to the front, one of each place.
 * Returns: how many there are */
static gsize
select_discs (CsArray * candidates, gdouble diameter)
{
  gsize n = 0;

  for (gsize i = 0; i < candidates->len && n < MANY; i++) {
    Candidate candidate = cs_array_index (candidates, Candidate, i);
    gboolean is_new = candidate.is_round
        && fabs (candidate.disc.diameter / diameter - 1) <= ALIKE;

    /* a ring has two contours: the outer one comes first */
    for (gsize j = 0; j < n && is_new; j++) {
      const LineDisc *disc = &cs_array_index (candidates, Candidate, j).disc;

      is_new = hypot (candidate.disc.x - disc->x, candidate.disc.y - disc->y)
          > disc->diameter / 2;
    }
    if (is_new) {
      cs_array_index (candidates, Candidate, i) =
          cs_array_index (candidates, Candidate, n);
      cs_array_index (candidates, Candidate, n++) = candidate;
    }
  }
  return n;
}

/* Of discs, and of candidates, which begin with one */
static int
compare_columns (gconstpointer a, gconstpointer b)
{
  gdouble x = ((const LineDisc *) a)->x, y = ((const LineDisc *) b)->x;

  return (x > y) - (x < y);
}

/* Shapes that the message lists, at most */
#define MOST 16

static void
describe_discs (CsArray * candidates, gsize n, guint cups, GError ** error)
{
  g_autoptr (GString) text = g_string_new (NULL);
  char number[G_ASCII_DTOSTR_BUF_SIZE];
  gsize told = 0;

  if (n > 0)
    qsort (candidates->data, n, sizeof (Candidate), compare_columns);
  g_string_append_printf (text, "%s%" G_GSIZE_FORMAT " round discs of one size "
      "for %u cups", n == MANY ? "more than " : "", n, cups);
  for (gsize i = 0; i < MIN (n, MOST); i++)
    g_string_append_printf (text, "%s%s", i ? ", " : ", at columns ",
        g_ascii_formatd (number, sizeof (number), "%.1f",
            cs_array_index (candidates, Candidate, i).disc.x));
  for (gsize i = n; i < candidates->len && told < MOST; i++, told++) {
    Candidate *other = &cs_array_index (candidates, Candidate, i);

    g_string_append_printf (text, "%sat column %s", told ? ", " :
        "; besides them ", g_ascii_formatd (number, sizeof (number), "%.1f",
            other->disc.x));
    g_string_append_printf (text, " a %s %s pixels wide",
        other->is_round ? "disc" : "shape that is not round,",
        g_ascii_formatd (number, sizeof (number), "%.1f",
            other->disc.diameter));
  }
  g_string_append (text, ". Put a ball or disc of the same size into each cup, "
      "on a ground of one brightness that all of them differ from");
  g_set_error_literal (error, LINE_ERROR, LINE_ERROR_INVALID, text->str);
}

static void
fit (LineCalibration * c)
{
  gdouble middle = (c->n - 1) / 2.0, x = 0, y = 0, slope = 0, squares = 0;

  c->diameter = 0;
  for (guint i = 0; i < c->n; i++) {
    x += c->discs[i].x / c->n;
    y += c->discs[i].y / c->n;
    c->diameter += c->discs[i].diameter / c->n;
    squares += (i - middle) * (i - middle);
    slope += (i - middle) * c->discs[i].x;
  }
  c->cup_pitch = c->n > 1 ? slope / squares : (gdouble) NAN;
  slope = c->n > 1 ? c->cup_pitch : 0;
  c->cup_first = x - middle * slope;
  c->off_column = c->off_row = c->off_diameter = 0;
  for (guint i = 0; i < c->n; i++) {
    const LineDisc *disc = &c->discs[i];

    c->off_column = MAX (c->off_column,
        fabs (disc->x - c->cup_first - i * slope));
    c->off_row = MAX (c->off_row, fabs (disc->y - y));
    c->off_diameter = MAX (c->off_diameter,
        fabs (disc->diameter / c->diameter - 1));
  }
}

gboolean
line_calibrate (const LineView * view, guint cups,
    LineCalibration * calibration, GError ** error)
{
  CsArray candidates;
  gboolean good = find_candidates (view, &candidates);
  gsize n = 0;

  if (!good) {
    line_fail (error, LINE_ERROR_RUN, "there is not enough memory for the "
        "picture's contours");
  } else {
    n = select_discs (&candidates, find_diameter (&candidates, cups));
    good = n == cups;
    if (!good)
      describe_discs (&candidates, n, cups, error);
  }
  if (good) {
    calibration->n = cups;
    for (guint i = 0; i < cups; i++)
      calibration->discs[i] = cs_array_index (&candidates, Candidate, i).disc;
    qsort (calibration->discs, cups, sizeof (LineDisc), compare_columns);
    fit (calibration);
  }
  cs_array_clear (&candidates);
  return good;
}
