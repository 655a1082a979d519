/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawtrail.h"

#include <string.h>

/* Segments of each arm in a piece: what has one colour. */
#define PIECE 8
/* Groups of marks, apart from those of the painter. */
#define FIRST_GROUP 0x80000000u

gboolean
fourier_trail_get_look (const FourierSettings * settings,
    FourierTrailLook * look)
{
  memset (look, 0, sizeof (*look));
  look->source = settings->ink_source;
  look->color = settings->trail_color;
  look->end_color = settings->gradient_color;
  look->width = settings->trail_width;
  look->casing = settings->casing;
  return settings->trail != FOURIER_TRAIL_NONE &&
      (settings->ink_source != FOURIER_INK_SOURCE_COLOR ||
      settings->casing > 0.);
}

guint
fourier_get_contrast (guint argb)
{
  const guint luma = 2126 * (argb >> 16 & 0xff) + 7152 * (argb >> 8 & 0xff) +
      722 * (argb & 0xff);

  return (argb & 0xff000000) | (luma < 127 * 10000 ? 0xffffff : 0);
}

static guint
get_piece_size (const FourierDrawing * drawing)
{
  return PIECE * drawing->n_arms;
}

guint
fourier_trail_get_n_pieces (const FourierDrawing * drawing)
{
  const guint size = get_piece_size (drawing);

  return (drawing->segments->len + size - 1) / size;
}

static const FourierSegment *
get_segment (const FourierDrawing * drawing, guint i)
{
  return &cs_array_index (drawing->segments, FourierSegment, i);
}

/* The segments of a piece, to before @end. */
static guint
get_piece (const FourierDrawing * drawing, guint piece, guint * end)
{
  const guint size = get_piece_size (drawing);

  *end = MIN (drawing->segments->len, (gsize) (piece + 1) * size);
  return piece * size;
}

guint
fourier_trail_count (const FourierDrawing * drawing, gdouble progress)
{
  guint low = 0, high = fourier_trail_get_n_pieces (drawing), end;

  while (low < high) {
    const guint middle = low + (high - low) / 2;

    get_piece (drawing, middle, &end);
    if (get_segment (drawing, end - 1)->end <= progress)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static guint
mix (guint a, guint b, gdouble part)
{
  guint mixed = 0, shift;

  for (shift = 0; shift < 32; shift += 8) {
    const gdouble from = a >> shift & 0xff, to = b >> shift & 0xff;

    mixed |= (guint) (from + (to - from) * part + .5) << shift;
  }
  return mixed;
}

static guint
get_color (const FourierDrawing * drawing,
    const FourierTrailLook * look, const FourierSegment * at)
{
  switch (look->source) {
    case FOURIER_INK_SOURCE_PICTURE:
      return (look->color & 0xff000000) |
          fourier_contours_get_color (drawing->contours, at->x0,
          at->y0, look->color & 0xffffff);
    case FOURIER_INK_SOURCE_GRADIENT:
      return mix (look->color, look->end_color, CLAMP (at->begin, 0., 1.));
    default:
      return look->color;
  }
}

/* Appends what is drawn of an arm's segments of a piece, as one group. */
static void
append_lines (CsArray * marks, const FourierDrawing * drawing,
    const FourierView * view, guint piece, guint arm, CsMark mark,
    gdouble progress)
{
  guint end, i = get_piece (drawing, piece, &end);

  for (; i < end; i++) {
    const FourierSegment *s = get_segment (drawing, i);
    gdouble part = 1.;

    if (s->arm != arm || s->begin >= progress)
      continue;
    if (s->end > progress)
      part = (progress - s->begin) / (s->end - s->begin);
    mark.x0 = fourier_view_x (view, s->x0);
    mark.y0 = fourier_view_y (view, s->y0);
    mark.x1 = fourier_view_x (view, s->x0 + (s->x1 - s->x0) * part);
    mark.y1 = fourier_view_y (view, s->y0 + (s->y1 - s->y0) * part);
    cs_array_append_val (marks, mark);
  }
}

/* The ink of @arm, or the line around it, of a piece. */
static void
append_ink (CsArray * marks, const FourierDrawing * drawing,
    const FourierTrailLook * look, const FourierView * view,
    const FourierTrailTime * time, guint piece, guint arm, gboolean casing)
{
  guint end, i = get_piece (drawing, piece, &end), color;
  CsMark mark = {.group = FIRST_GROUP + (piece * drawing->n_arms + arm) * 2 +
        (casing ? 1 : 0)
  };
  gdouble opacity = 1.;

  while (i < end && get_segment (drawing, i)->arm != arm)
    i++;
  if (i == end)
    return;
  color = get_color (drawing, look, get_segment (drawing, i));
  if (time->fade > 0.)
    opacity = CLAMP (1. - (time->progress - get_segment (drawing, i)->end) /
        time->fade, 0., 1.);
  if (casing)
    color = fourier_get_contrast (color);
  mark.rgba = color << 8 | (guint) ((color >> 24) * opacity + .5);
  mark.radius = look->width / 2. + (casing ? look->casing : 0.);
  if (mark.rgba & 0xff)
    append_lines (marks, drawing, view, piece, arm, mark, time->progress);
}

void
fourier_trail_append (CsArray * marks, const FourierDrawing * drawing,
    const FourierTrailLook * look, const FourierView * view,
    const FourierTrailTime * time, guint first, guint last)
{
  for (guint piece = first; piece < last; piece++) {
    for (guint arm = 0; look->casing > 0. && arm < drawing->n_arms; arm++)
      append_ink (marks, drawing, look, view, time, piece, arm, TRUE);
    /* the casing must not cut off the ink that the piece continues */
    for (guint arm = 0; look->casing > 0. && piece > 0 && arm < drawing->n_arms;
        arm++)
      append_ink (marks, drawing, look, view, time, piece - 1, arm, FALSE);
    for (guint arm = 0; arm < drawing->n_arms; arm++)
      append_ink (marks, drawing, look, view, time, piece, arm, FALSE);
  }
}
