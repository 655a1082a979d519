/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "circles.h"

#include <math.h>

/* Margin of a circle's bounding box: half a pixel for anti-aliasing, the rest
 * for snapping. */
#define MARGIN 1.f

static CsCircle
to_pixels (const CsCircle * circle, guint width, guint height)
{
  CsCircle c = *circle;

  c.x = c.x * (float) width - .5f;
  c.y = c.y * (float) height - .5f;
  c.r = c.r * (float) MIN (width, height);
  return c;
}

static gboolean
is_visible (const CsCircle * c, float half_stroke, guint width, guint height)
{
  const float extent = c->r + half_stroke + MARGIN;

  return isfinite (c->x) && isfinite (c->y) && isfinite (c->r) && c->r > 0.f
      && c->x + extent >= 0.f && c->x - extent <= (float) width
      && c->y + extent >= 0.f && c->y - extent <= (float) height;
}

static void
append_mark (const CsCircle * c, float half_width, guint32 rgba,
    guint32 group, CsArray * marks, CsArray * depths)
{
  const CsMark mark = { c->x, c->y, c->x, c->y, c->r, half_width, rgba, group };

  cs_array_append_val (marks, mark);
  cs_array_append_val (depths, c->z);
}

static void
append_fill (const CsCircle * c, const CsCirclesStyle * style,
    CsArray * marks, CsArray * depths)
{
  const guint32 number = !style->gradients ? 0 : c->gradient > 0 ?
      c->gradient + style->offset : style->gradient;

  if (number == 0)
    append_mark (c, 0.f, c->rgba, 0, marks, depths);
  else
    append_mark (c, 0.f, cs_gradient_set_color (style->gradients, number,
            c->rgba, c->z), CS_MARK_GRADIENT | (number - 1), marks, depths);
}

gsize
cs_circles_to_marks (const CsCircle * circles, gsize n,
    const CsCirclesStyle * style, guint width, guint height, CsArray * marks,
    CsArray * depths)
{
  const float half_stroke = style->stroke_width > 0.f ?
      .5f * style->stroke_width : 0.f;
  gsize i, n_dropped = 0;

  for (i = 0; i < n; i++) {
    const CsCircle c = style->normalized ?
        to_pixels (&circles[i], width, height) : circles[i];

    if (!is_visible (&c, half_stroke, width, height)) {
      n_dropped++;
      continue;
    }
    if (style->fill)
      append_fill (&c, style, marks, depths);
    if (half_stroke > 0.f)
      append_mark (&c, half_stroke, style->stroke_rgba & 0xff ?
          style->stroke_rgba : c.rgba | 0xff, 0, marks, depths);
  }
  return n_dropped;
}
