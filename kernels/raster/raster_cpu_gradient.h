/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Gradients on 8 x 2 pixels; included once for each instruction set, with NAME()
 * for the names. Loops over pixels are without branches, so that compilers make
 * vectors of them. */

/* Working colours, and alpha. */
typedef struct
{
  CsLanes v[4][2];
} NAME (Colors);

/* Where on its gradient each pixel lies. */
static inline void
NAME (place_on_gradient) (const CsGroup * g, const CsStaged * s, float *t)
{
  const float x = s->mark.x, y = s->mark.y;
  gint i;

  if (s->gradient->kind == CS_GRADIENT_LINEAR) {
    for (i = 0; i < CS_GROUP_PIXELS; i++)
      t[i] = cs_gradient_linear (s->gradient, s->scale,
          (float) (g->x + i % CS_GROUP_WIDTH) - x,
          (float) (g->y + i / CS_GROUP_WIDTH) - y);
  } else {
    for (i = 0; i < CS_GROUP_PIXELS; i++)
      t[i] = cs_gradient_radial (s->scale,
          (float) (g->x + i % CS_GROUP_WIDTH) - x,
          (float) (g->y + i / CS_GROUP_WIDTH) - y);
  }
}

/* Colours of codes to working colours. */
static inline void
NAME (convert_colors) (const CsRasterFormat * f, float *r, float *g, float *b)
{
  gint i;

  if (!f->linear && f->model == CS_PICTURE_RGB)
    return;
  for (i = 0; i < CS_GROUP_PIXELS; i++) {
    float color[3] = { r[i], g[i], b[i] };

    cs_gradient_working (f, color);
    r[i] = color[0];
    g[i] = color[1];
    b[i] = color[2];
  }
}

static void
NAME (find_colors) (const CsGroupContext * context, const CsGroup * g,
    const CsStaged * s, NAME (Colors) * colors)
{
  const CsGradient *gradient = s->gradient;
  const CsGradientStop *stop = &context->stops[gradient->first_stop];
  const CsGradientStop *last = stop + gradient->n_stops - 1;
  float t[CS_GROUP_PIXELS], v[4][CS_GROUP_PIXELS];
  gint i, j;

  NAME (place_on_gradient) (g, s, t);
  for (j = 0; j < 4; j++) {
    for (i = 0; i < CS_GROUP_PIXELS; i++)
      v[j][i] = stop->color[j];
  }
  for (; stop < last; stop++) {
    const float slope = cs_gradient_slope (stop);
    float part[CS_GROUP_PIXELS];

    for (i = 0; i < CS_GROUP_PIXELS; i++)
      part[i] = cs_gradient_part (stop, slope, t[i]);
    for (j = 0; j < 4; j++) {
      const float change = stop[1].color[j] - stop[0].color[j];

      for (i = 0; i < CS_GROUP_PIXELS; i++)
        v[j][i] += part[i] * change;
    }
  }
  for (j = 0; j < 4; j++) {
    const float own = j < 3 ? s->rgb[j] : s->alpha;

    for (i = 0; i < CS_GROUP_PIXELS; i++)
      v[j][i] = cs_raster_unit (v[j][i]) * own;
  }
  if (gradient->falloff > 0) {
    for (i = 0; i < CS_GROUP_PIXELS; i++)
      v[3][i] *= cs_gradient_falloff (gradient->falloff, t[i]);
  }
  NAME (convert_colors) (context->format, v[0], v[1], v[2]);
  memcpy (colors->v, v, sizeof (v));
}

/* As blend(). */
static __attribute__ ((noinline))
void
NAME (blend_gradient) (const CsGroupContext * context, CsGroup * g,
    const CsStaged * s, const CsLanes cover[2])
{
  NAME (Colors) colors;
  guint row, i;

  NAME (find_colors) (context, g, s, &colors);
  for (row = 0; row < 2; row++) {
    const CsLanes a = cover[row] * colors.v[3][row];
    const CsLanes w = g->through[row] * a;

    g->error[row] += (CsLanes) (NAME (is_positive) (a) &
        (CsLanesInt) (3.f * g->through[row] + .5f));
    for (i = 0; i < 3; i++)
      g->color[i][row] += w * colors.v[i][row];
    g->through[row] -= w;
  }
}

/* The sequential algorithm, on both bounds, as blend_over(). */
static __attribute__ ((noinline))
void
NAME (blend_gradient_over) (const CsGroupContext * context,
    const CsGroup * g, CsGroupBounds * b, const CsStaged * s,
    const CsLanes cover[2])
{
  const guint n = context->format->has_alpha ? 4 : 3;
  NAME (Colors) colors;
  guint row, i;

  NAME (find_colors) (context, g, s, &colors);
  for (row = 0; row < 2; row++) {
    const CsLanes a = cover[row] * colors.v[3][row];
    const CsLanes t = 1.f - a;

    for (i = 0; i < n; i++) {
      CsLanes m = a;

      if (i < 3)
        m = a * colors.v[i][row];
      b->low[i][row] = m + t * b->low[i][row];
      b->high[i][row] = m + t * b->high[i][row];
    }
    b->touched[row] |= NAME (is_positive) (a);
  }
}
