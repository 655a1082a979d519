/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gradients on 8 x 2 pixels, the arithmetic of raster_gradient_math.h; included
 * once for each instruction set, with NAME() for the names. */

/* Working colours, and alpha. */
typedef struct
{
  CsLanes v[4][2];
} NAME (Colors);

/* Between 0 and 1. */
static inline CsLanes
NAME (unit) (CsLanes v)
{
  return NAME (lesser) (NAME (clip) (v), NAME (all) (1));
}

/* Where on its gradient each pixel of a row lies, as cs_gradient_radial() and
 * cs_gradient_linear(). */
static inline CsLanes
NAME (place_on_gradient) (const CsStaged * s, CsLanes x, float y)
{
  const CsGradient *gradient = s->gradient;
  const CsLanes dx = x - s->mark.x;
  const float dy = y - s->mark.y;

  if (gradient->kind == CS_GRADIENT_LINEAR)
    return NAME (unit) (((dx * gradient->x + dy * gradient->y) * s->scale +
            1.f) * .5f);
  return NAME (lesser) (NAME (root) (dx * dx + dy * dy) * s->scale,
      NAME (all) (1));
}

/* As cs_gradient_falloff(). */
static inline CsLanes
NAME (fall_off) (float falloff, CsLanes t)
{
  const CsLanes x = t * t * falloff * (1.f / 16.f);
  CsLanes v = 1.f - x * (1.f / 5.f) * (1.f - x * (1.f / 6.f));

  v = 1.f - x * (1.f / 3.f) * (1.f - x * (1.f / 4.f) * v);
  v = 1.f - x * (1.f - x * (1.f / 2.f) * v);
  v = v * v;
  v = v * v;
  v = v * v;
  return v * v;
}

/* As cs_gradient_working(). */
static inline void
NAME (convert_colors) (const CsRasterFormat * f, NAME (Colors) * colors)
{
  if (!f->linear && f->model == CS_PICTURE_RGB)
    return;
  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    if (!f->linear && f->model == CS_PICTURE_YUV) {
      const CsLanes r = colors->v[0][row], g = colors->v[1][row];
      const CsLanes b = colors->v[2][row];
      const CsLanes y = f->kr * r + f->kg * g + f->kb * b;

      colors->v[0][row] = NAME (unit) (f->y_offset + f->y_scale * y);
      colors->v[1][row] = NAME (unit) (f->c_offset + f->cb_scale * (b - y));
      colors->v[2][row] = NAME (unit) (f->c_offset + f->cr_scale * (r - y));
      continue;
    }
    for (guint i = 0; i < CS_GROUP_WIDTH; i++) {
      float color[3] = { colors->v[0][row][i], colors->v[1][row][i],
        colors->v[2][row][i]
      };

      cs_gradient_working (f, color);
      colors->v[0][row][i] = color[0];
      colors->v[1][row][i] = color[1];
      colors->v[2][row][i] = color[2];
    }
  }
}

static void
NAME (find_colors) (const CsGroupContext * context, const CsGroup * g,
    const CsStaged * s, NAME (Colors) * colors)
{
  const CsGradient *gradient = s->gradient;
  const CsGradientStop *first = &context->stops[gradient->first_stop];
  const CsGradientStop *last = first + gradient->n_stops - 1, *stop;
  const CsLanes steps = { 0, 1, 2, 3, 4, 5, 6, 7 };

  for (guint row = 0; row < CS_GROUP_HEIGHT; row++) {
    const CsLanes t = NAME (place_on_gradient) (s, steps + (float) g->x,
        (float) (g->y + (gint) row));
    CsLanes v[4];

    for (guint j = 0; j < 4; j++)
      v[j] = NAME (all) (first->color[j]);
    for (stop = first; stop < last; stop++) {
      const CsLanes part = NAME (unit) ((t - stop[0].at) *
          cs_gradient_slope (stop));

      for (guint j = 0; j < 4; j++)
        v[j] += part * (stop[1].color[j] - stop[0].color[j]);
    }
    for (guint j = 0; j < 4; j++)
      colors->v[j][row] = NAME (unit) (v[j]) * (j < 3 ? s->rgb[j] : s->alpha);
    if (gradient->falloff > 0)
      colors->v[3][row] *= NAME (fall_off) (gradient->falloff, t);
  }
  NAME (convert_colors) (context->format, colors);
}

/* As blend(). */
static __attribute__ ((noinline))
void
NAME (blend_gradient) (const CsGroupContext * context, CsGroup * g,
    const CsStaged * s, const CsLanes cover[2])
{
  NAME (Colors) colors;

  NAME (find_colors) (context, g, s, &colors);
  for (guint row = 0; row < 2; row++) {
    const CsLanes a = cover[row] * colors.v[3][row];
    const CsLanes w = g->through[row] * a;

    g->error[row] += (CsLanes) (NAME (is_positive) (a) &
        (CsLanesInt) (3.f * g->through[row] + .5f));
    for (guint i = 0; i < 3; i++)
      g->color[i][row] += w * colors.v[i][row];
    g->through[row] -= w;
  }
}

/* The sequential algorithm, on both bounds, as blend_over(). */
static __attribute__ ((noinline))
void
NAME (blend_gradient_over) (const CsGroupContext * context, const CsGroup * g,
    CsGroupBounds * b, const CsStaged * s, const CsLanes cover[2])
{
  const guint n = context->format->has_alpha ? 4 : 3;

  NAME (Colors) colors;

  NAME (find_colors) (context, g, s, &colors);
  for (guint row = 0; row < 2; row++) {
    const CsLanes a = cover[row] * colors.v[3][row];
    const CsLanes t = 1.f - a;

    for (guint i = 0; i < n; i++) {
      CsLanes m = a;

      if (i < 3)
        m = a * colors.v[i][row];
      b->low[i][row] = m + t * b->low[i][row];
      b->high[i][row] = m + t * b->high[i][row];
    }
    b->touched[row] |= NAME (is_positive) (a);
  }
}
