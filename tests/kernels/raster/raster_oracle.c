/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "raster_oracle.h"
#include "raster_fills.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static float
clamp (float v, float low, float high)
{
  if (!(v > low))
    return low;
  return v < high ? v : high;
}

/* --- Pictures ------------------------------------------------------------- */

gboolean
oracle_has (const CsPicture * picture, guint component)
{
  if (component == CS_PICTURE_ALPHA)
    return picture->data[CS_PICTURE_ALPHA] != NULL;
  return component == 0 || picture->model != CS_PICTURE_GRAY;
}

static gboolean
is_chroma (const CsPicture * picture, guint component)
{
  return picture->model == CS_PICTURE_YUV && (component == 1 || component == 2);
}

guint
oracle_columns (const CsPicture * picture, guint component)
{
  if (is_chroma (picture, component) && picture->sub_x)
    return (picture->width + 1) / 2;
  return picture->width;
}

guint
oracle_rows (const CsPicture * picture, guint component)
{
  if (is_chroma (picture, component) && picture->sub_y)
    return (picture->height + 1) / 2;
  return picture->height;
}

static guint8 *
sample_at (const CsPicture * picture, guint component, guint x, guint y)
{
  return (guint8 *) picture->data[component] +
      y * picture->row_stride[component] + x * picture->pixel_stride[component];
}

guint
oracle_get (const CsPicture * picture, guint component, guint x, guint y)
{
  const guint8 *at = sample_at (picture, component, x, y);

  if (picture->type == CS_SAMPLE_U8)
    return *at;
  return *(const guint16 *) at >> picture->shift;
}

static void
set (const CsPicture * picture, guint component, guint x, guint y, guint code)
{
  guint8 *at = sample_at (picture, component, x, y);

  if (picture->type == CS_SAMPLE_U8)
    *at = code;
  else
    *(guint16 *) at = code << picture->shift;
}

static float
max_code (const CsPicture * picture)
{
  return (1u << picture->depth) - 1;
}

/* --- Colours -------------------------------------------------------------- */

typedef struct
{
  const CsPicture *picture;
  gboolean linear;
  float kr, kg, kb, y_scale, y_offset, c_offset, cb_scale, cr_scale;
  guint light_max;
  float *light, *least;
} Space;

static double
srgb_to_light (double v)
{
  return v <= .04045 ? v / 12.92 : pow ((v + .055) / 1.055, 2.4);
}

static void
space_init (Space * space, const CsPicture * picture, gboolean linear)
{
  const gboolean limited = picture->limited_range &&
      picture->model != CS_PICTURE_RGB;
  const double max = (1 << picture->depth) - 1;
  const double unit = 1 << (picture->depth - 8);
  const double kr = picture->kr > 0 ? picture->kr : .299;
  const double kb = picture->kb > 0 ? picture->kb : .114;
  const double chroma = limited ? 224 * unit / max : 1;

  space->picture = picture;
  space->linear = linear;
  space->kr = kr;
  space->kb = kb;
  space->kg = 1 - kr - kb;
  space->y_scale = limited ? 219 * unit / max : 1;
  space->y_offset = limited ? 16 * unit / max : 0;
  space->c_offset = 128 * unit / max;
  space->cb_scale = chroma * .5 / (1 - kb);
  space->cr_scale = chroma * .5 / (1 - kr);
  space->light_max = picture->model == CS_PICTURE_RGB ?
      (1u << picture->depth) - 1 : 65535;
  space->light = g_new (float, space->light_max + 1);
  space->least = g_new (float, space->light_max + 1);
  for (guint i = 0; i <= space->light_max; i++) {
    space->light[i] = srgb_to_light ((double) i / space->light_max);
    space->least[i] = i ? srgb_to_light ((i - .5) / space->light_max) : 0;
  }
}

static void
space_clear (Space * space)
{
  g_free (space->light);
  g_free (space->least);
}

static guint
light_code (const Space * space, float light)
{
  guint step, code = 0;

  for (step = 32768; step > 0; step /= 2)
    if (code + step <= space->light_max && light >= space->least[code + step])
      code += step;
  return code;
}

static float
code_light (const Space * space, float v)
{
  return space->light[(guint) (space->light_max * v + .5f)];
}

static void
rgb_to_yuv (const Space * s, float r, float g, float b, float yuv[3])
{
  const float y = s->kr * r + s->kg * g + s->kb * b;

  yuv[0] = clamp (s->y_offset + s->y_scale * y, 0, 1);
  yuv[1] = clamp (s->c_offset + s->cb_scale * (b - y), 0, 1);
  yuv[2] = clamp (s->c_offset + s->cr_scale * (r - y), 0, 1);
}

static void
yuv_to_rgb (const Space * s, const float yuv[3], float rgb[3])
{
  const float y = (yuv[0] - s->y_offset) / s->y_scale;
  const float b = y + (yuv[1] - s->c_offset) / s->cb_scale;
  const float r = y + (yuv[2] - s->c_offset) / s->cr_scale;

  rgb[0] = clamp (r, 0, 1);
  rgb[1] = clamp ((y - s->kr * r - s->kb * b) / s->kg, 0, 1);
  rgb[2] = clamp (b, 0, 1);
}

/* A mark's colour as it is mixed. */
static void
mark_color (const Space * s, guint32 rgba, float color[3])
{
  const float r = (rgba >> 24) / 255.f, g = (rgba >> 16 & 255) / 255.f;
  const float b = (rgba >> 8 & 255) / 255.f;

  color[0] = r;
  color[1] = g;
  color[2] = b;
  if (s->picture->model == CS_PICTURE_GRAY) {
    const float y = clamp (s->kr * r + s->kg * g + s->kb * b, 0, 1);

    color[0] = s->linear ? code_light (s, y) :
        clamp (s->y_offset + s->y_scale * y, 0, 1);
  } else if (s->linear) {
    color[0] = srgb_to_light ((rgba >> 24) / 255.);
    color[1] = srgb_to_light ((rgba >> 16 & 255) / 255.);
    color[2] = srgb_to_light ((rgba >> 8 & 255) / 255.);
  } else if (s->picture->model == CS_PICTURE_YUV) {
    rgb_to_yuv (s, r, g, b, color);
  }
}

/* A pixel's components as they are in the picture, 0 to 1. */
static void
read_components (const CsPicture * p, guint x, guint y, float v[4])
{
  for (guint c = 0; c < 4; c++) {
    const guint sx = is_chroma (p, c) ? p->sub_x : 0;
    const guint sy = is_chroma (p, c) ? p->sub_y : 0;

    v[c] = c == 3;
    if (oracle_has (p, c))
      v[c] = clamp (oracle_get (p, c, x >> sx, y >> sy) / max_code (p), 0, 1);
  }
}

static guint
n_channels (const CsPicture * p)
{
  return p->model == CS_PICTURE_GRAY ? 1 : 3;
}

/* Components to what is mixed: multiplied by alpha. */
static void
components_to_working (const Space * s, float v[4])
{
  const CsPicture *p = s->picture;
  const gboolean alpha = oracle_has (p, 3);
  gboolean multiplied = alpha && p->premultiplied;

  if (s->linear) {
    float rgb[3];

    if (multiplied) {
      for (guint i = 0; i < n_channels (p); i++)
        v[i] = v[3] > 0 ? clamp (v[i] / v[3], 0, 1) : 0;
      multiplied = FALSE;
    }
    if (p->model == CS_PICTURE_GRAY) {
      v[0] = clamp ((v[0] - s->y_offset) / s->y_scale, 0, 1);
    } else if (p->model == CS_PICTURE_YUV) {
      yuv_to_rgb (s, v, rgb);
      memcpy (v, rgb, sizeof (rgb));
    }
    for (guint i = 0; i < n_channels (p); i++)
      v[i] = code_light (s, v[i]);
  }
  if (alpha && !multiplied)
    for (guint i = 0; i < n_channels (p); i++)
      v[i] *= v[3];
}

/* And back. */
static void
working_to_components (const Space * s, float v[4])
{
  const CsPicture *p = s->picture;
  const gboolean alpha = oracle_has (p, 3);

  if (alpha && (s->linear || !p->premultiplied)) {
    if (v[3] == 0) {
      v[0] = v[1] = v[2] = 0;
      if (!p->premultiplied && p->model == CS_PICTURE_YUV)
        rgb_to_yuv (s, 0, 0, 0, v);
      else if (!p->premultiplied && p->model == CS_PICTURE_GRAY)
        v[0] = s->y_offset;
      return;
    }
    for (guint i = 0; i < n_channels (p); i++)
      v[i] = clamp (v[i] / v[3], 0, 1);
  }
  if (s->linear) {
    for (guint i = 0; i < n_channels (p); i++)
      v[i] = light_code (s, v[i]) / (float) s->light_max;
    if (p->model == CS_PICTURE_GRAY) {
      v[0] = clamp (s->y_offset + s->y_scale * v[0], 0, 1);
    } else if (p->model == CS_PICTURE_YUV) {
      float yuv[3];

      rgb_to_yuv (s, v[0], v[1], v[2], yuv);
      memcpy (v, yuv, sizeof (yuv));
    }
    if (alpha && p->premultiplied)
      for (guint i = 0; i < n_channels (p); i++)
        v[i] *= v[3];
  }
}

/* --- Marks ---------------------------------------------------------------- */

typedef struct
{
  float x, y, bx, by, radius, half_width;
} Shape;

static float
snap (float v)
{
  return rintf (v * 256) / 256;
}

/* Whether there is anything to paint. */
static gboolean
shape_init (Shape * shape, const CsMark * mark)
{
  const float v[4] = { mark->x0, mark->y0, mark->x1, mark->y1 };

  for (guint i = 0; i < 4; i++)
    if (!(fabsf (v[i]) <= 1073741824.f))
      return FALSE;
  if (!isfinite (mark->radius) || !isfinite (mark->half_width) ||
      mark->radius < 0 || mark->half_width < 0)
    return FALSE;
  shape->x = snap (mark->x0);
  shape->y = snap (mark->y0);
  shape->bx = snap (mark->x1) - shape->x;
  shape->by = snap (mark->y1) - shape->y;
  shape->radius = snap (MIN (mark->radius, 1099511627776.f));
  shape->half_width = snap (MIN (mark->half_width, 1099511627776.f));
  return shape->radius > 0 || shape->half_width > 0;
}

static float
shape_coverage (const Shape * s, gboolean antialias, float x, float y)
{
  float dx = x - s->x, dy = y - s->y, d2, distance;

  if (s->bx != 0 || s->by != 0) {
    const float t = clamp ((dx * s->bx + dy * s->by) *
        (1 / (s->bx * s->bx + s->by * s->by)), 0, 1);

    dx -= t * s->bx;
    dy -= t * s->by;
  }
  d2 = dx * dx + dy * dy;
  if (s->half_width > 0) {
    distance = fabsf (sqrtf (d2) - s->radius);
    return antialias ? clamp ((s->half_width + .5f) - distance, 0, 1) :
        distance <= s->half_width;
  }
  if (!antialias)
    return d2 <= s->radius * s->radius;
  return clamp ((s->radius + .5f) - sqrtf (d2), 0, 1);
}

/* --- Ink ------------------------------------------------------------------ */

OracleInk *
oracle_ink_new (guint width, guint height)
{
  OracleInk *ink = g_new (OracleInk, 1);

  ink->width = width;
  ink->height = height;
  ink->coverage = g_new0 (float, width * height);
  ink->time = g_new (float, width * height);
  for (guint i = 0; i < width * height; i++)
    ink->time[i] = -INFINITY;
  return ink;
}

void
oracle_ink_free (OracleInk * ink)
{
  g_free (ink->coverage);
  g_free (ink->time);
  g_free (ink);
}

void
oracle_ink_stamp (OracleInk * ink, const CsInkSegment * segments, gsize n,
    float half_width)
{
  for (gsize i = 0; i < n; i++) {
    const CsInkSegment *s = &segments[i];
    const CsMark mark = { s->x0, s->y0, s->x1, s->y1, half_width, 0, 0, 0 };
    Shape shape;

    if (!isfinite (s->time) || !shape_init (&shape, &mark))
      continue;
    for (guint y = 0; y < ink->height; y++)
      for (guint x = 0; x < ink->width; x++) {
        const float coverage = shape_coverage (&shape, TRUE, x, y);
        const guint at = y * ink->width + x;

        if (coverage > 0) {
          ink->coverage[at] = MAX (ink->coverage[at], coverage);
          ink->time[at] = MAX (ink->time[at], s->time);
        }
      }
  }
}

static float
ink_alpha (const OracleInk * ink, const CsRasterSettings * settings,
    float alpha, guint at)
{
  float coverage = ink->coverage[at], left = 1;

  if (coverage == 0 || !(ink->time[at] <= settings->ink_now))
    return 0;
  if (!settings->antialias)
    coverage = coverage >= .5f;
  if (settings->ink_fade > 0)
    left = clamp (1 - (settings->ink_now - ink->time[at]) /
        settings->ink_fade, 0, 1);
  return alpha * (coverage * left);
}

/* --- Painting ------------------------------------------------------------- */

typedef struct
{
  guint width, height;
  float (*pixels)[4];
  guint8 *touched;
} Canvas;

static void
blend (Canvas * canvas, guint at, float a, const float color[3])
{
  float *p = canvas->pixels[at];

  if (a > 0)
    canvas->touched[at] = 1;
  for (guint i = 0; i < 4; i++)
    p[i] = a * (i < 3 ? color[i] : 1) + (1 - a) * p[i];
}

/* --- Gradients ------------------------------------------------------------ */

/* exp (-falloff t^2) as the 16th power of a polynomial. */
static float
falloff_at (float falloff, float t)
{
  const float x = t * t * falloff / 16;

  float v = 1 - x * (1.f / 5) * (1 - x * (1.f / 6));
  v = 1 - x * (1.f / 3) * (1 - x * (1.f / 4) * v);
  v = 1 - x * (1 - x * .5f * v);
  for (guint i = 0; i < 4; i++)
    v *= v;
  return v;
}

/* The gradient of @mark, or NULL. */
static const CsGradient *
find_gradient (const CsMarks * marks, const CsMark * mark)
{
  const guint32 index = mark->group & 0x7fffffff;

  if (!marks->gradients || mark->group >> 31 == 0 ||
      mark->half_width == CS_MARK_FILL)
    return NULL;
  return index < marks->gradients->n ? &marks->gradients->gradients[index] :
      NULL;
}

/* Whether @mark is to have a gradient that there is not. */
static gboolean
is_without_gradient (const CsMarks * marks, const CsMark * mark)
{
  return marks->gradients && mark->group >> 31 != 0 &&
      !find_gradient (marks, mark);
}

/* The working colour and alpha of a mark's gradient at a pixel. */
static float
gradient_color (const Space * s, const CsMarks * marks, const CsGradient * g,
    const CsMark * mark, float opacity, float x, float y, float color[3])
{
  const CsGradientStop *stops = marks->gradients->stops + g->first_stop;
  const float radius = snap (MIN (mark->radius, 1099511627776.f));
  const float unit = radius > 0 ? 1 / radius : 0;
  const float dx = x - snap (mark->x0), dy = y - snap (mark->y0);
  const float t = clamp (g->kind == CS_GRADIENT_RADIAL ?
      sqrtf (dx * dx + dy * dy) * unit :
      ((dx * g->x + dy * g->y) * unit + 1) / 2, 0, 1);
  float v[4];

  for (guint i = 0; i < 4; i++) {
    const float own = (mark->rgba >> (24 - 8 * i) & 255) / 255.f;

    v[i] = stops[0].color[i];
    for (guint k = 0; k + 1 < g->n_stops; k++) {
      const float length = MAX (stops[k + 1].at - stops[k].at, 1e-9f);

      v[i] += clamp ((t - stops[k].at) * (1 / length), 0, 1) *
          (stops[k + 1].color[i] - stops[k].color[i]);
    }
    v[i] = clamp (v[i], 0, 1) * (i < 3 ? own : own * opacity);
  }
  if (g->falloff > 0)
    v[3] *= falloff_at (g->falloff, t);
  memcpy (color, v, 3 * sizeof (float));
  if (s->picture->model == CS_PICTURE_GRAY) {
    const float luma = clamp (s->kr * v[0] + s->kg * v[1] + s->kb * v[2], 0, 1);

    color[0] = s->linear ? code_light (s, luma) :
        clamp (s->y_offset + s->y_scale * luma, 0, 1);
  } else if (s->linear) {
    for (guint i = 0; i < 3; i++)
      color[i] = code_light (s, v[i]);
  } else if (s->picture->model == CS_PICTURE_YUV) {
    rgb_to_yuv (s, v[0], v[1], v[2], color);
  }
  return v[3];
}

/* Marks order[first] to order[end - 1] as one, with the first one's colour. */
static void
paint_run (Canvas * canvas, const Space * space, const CsMarks * marks,
    const guint32 * order, gsize first, gsize end,
    const CsRasterSettings * settings)
{
  const CsMark *mark = &marks->marks[order[first]];
  const CsGradient *gradient = find_gradient (marks, mark);
  const guint32 rgba = mark->rgba;
  const float opacity = clamp (settings->opacity, 0, 1);
  float alpha = (rgba & 255) / 255.f * opacity;
  gint x0 = G_MAXINT, y0 = G_MAXINT, x1 = -1, y1 = -1, x, y;
  float color[3] = { 0 };
  g_autofree Shape *shapes = g_new (Shape, end - first);
  gsize n = 0, i;

  mark_color (space, rgba, color);
  for (i = first; i < end; i++) {
    Shape *s = &shapes[n];

    if (!shape_init (s, &marks->marks[order[i]]) ||
        (!gradient && is_without_gradient (marks, &marks->marks[order[i]])))
      continue;
    double reach = 2 + 1.001 * ((double) s->radius + s->half_width) +
        1e-4 * (fabs (s->x) + fabs (s->y) + fabs (s->bx) + fabs (s->by));
    x0 = MIN (x0, CLAMP (MIN (s->x, s->x + s->bx) - reach, 0, 1e6));
    y0 = MIN (y0, CLAMP (MIN (s->y, s->y + s->by) - reach, 0, 1e6));
    x1 = MAX (x1, CLAMP (MAX (s->x, s->x + s->bx) + reach, -1,
            canvas->width - 1.));
    y1 = MAX (y1, CLAMP (MAX (s->y, s->y + s->by) + reach, -1,
            canvas->height - 1.));
    n++;
  }
  for (y = y0; y <= y1; y++) {
    for (x = x0; x <= x1; x++) {
      float coverage = 0;

      for (i = 0; i < n; i++) {
        const float c = shape_coverage (&shapes[i], settings->antialias, x, y);

        coverage = MAX (coverage, c);
      }
      if (coverage > 0 && gradient)
        alpha = gradient_color (space, marks, gradient, mark, opacity, x, y,
            color);
      if (coverage > 0)
        blend (canvas, y * canvas->width + x, alpha * coverage, color);
    }
  }
}

static void
paint_fill (Canvas * canvas, const Space * space, const CsMarks * marks,
    const CsMark * mark, const CsRasterSettings * settings)
{
  const float alpha = (mark->rgba & 255) / 255.f *
      clamp (settings->opacity, 0, 1);
  const guint n = canvas->width * canvas->height;
  float color[3] = { 0 }, *coverage;

  if (!marks->fills || mark->group >= marks->fills->n)
    return;
  coverage = g_new (float, n);
  fills_cover (marks->fills, mark->group, canvas->width, canvas->height,
      settings->antialias, coverage);
  mark_color (space, mark->rgba, color);
  for (guint at = 0; at < n; at++)
    if (coverage[at] > 0)
      blend (canvas, at, alpha * coverage[at], color);
  g_free (coverage);
}

static void
paint_ink (Canvas * canvas, const Space * space, const OracleInk * ink,
    const CsRasterSettings * settings)
{
  const float alpha = (settings->ink_rgba & 255) / 255.f *
      clamp (settings->opacity, 0, 1);
  float color[3] = { 0 };

  mark_color (space, settings->ink_rgba, color);
  for (guint at = 0; at < canvas->width * canvas->height; at++)
    blend (canvas, at, ink_alpha (ink, settings, alpha, at), color);
}

static void
paint_all (Canvas * canvas, const Space * space, const CsMarks * marks,
    const CsRasterSettings * settings, const OracleInk * ink,
    const guint32 * order)
{
  const gsize cut = ink ? MIN (settings->ink_after, marks->n) : marks->n;
  gsize i = 0;

  while (i < marks->n) {
    gsize end = i + 1;

    if (ink && i == cut)
      paint_ink (canvas, space, ink, settings);
    if (marks->marks[i].half_width == CS_MARK_FILL && !marks->depths) {
      paint_fill (canvas, space, marks, &marks->marks[i], settings);
      i = end;
      continue;
    }
    while (!marks->depths && end < marks->n && end != cut &&
        marks->marks[end].half_width != CS_MARK_FILL &&
        marks->marks[i].group != 0 &&
        !(marks->gradients && marks->marks[i].group >> 31) &&
        marks->marks[end].group == marks->marks[i].group)
      end++;
    paint_run (canvas, space, marks, order, i, end, settings);
    i = end;
  }
  if (ink && cut == marks->n)
    paint_ink (canvas, space, ink, settings);
}

static const float *sort_depths;

/* Farther first; NaN is farthest. */
static int
compare_depths (const void *a, const void *b)
{
  const guint32 i = *(const guint32 *) a, j = *(const guint32 *) b;
  const float p = sort_depths[i], q = sort_depths[j];

  if (isnan (p) != isnan (q))
    return isnan (p) ? -1 : 1;
  if (p > q || p < q)
    return p > q ? -1 : 1;
  return i < j ? -1 : i > j;
}

void
oracle_order (const CsMarks * marks, guint32 * order)
{
  for (gsize i = 0; i < marks->n; i++)
    order[i] = i;
  sort_depths = marks->depths;
  if (marks->depths)
    qsort (order, marks->n, sizeof (guint32), compare_depths);
}

static void
begin_pixel (const Space * space, const CsRasterSettings * settings,
    const CsPicture * input, guint x, guint y, float v[4])
{
  const CsPicture *p = space->picture;
  const float c = settings->background == CS_BACKGROUND_WHITE;

  if (settings->background == CS_BACKGROUND_FRAME) {
    read_components (input, x, y, v);
    components_to_working (space, v);
    return;
  }
  v[0] = v[1] = v[2] = v[3] = 0;
  if (settings->background == CS_BACKGROUND_TRANSPARENT && oracle_has (p, 3))
    return;
  v[0] = v[1] = v[2] = c;
  v[3] = 1;
  if (!space->linear && p->model == CS_PICTURE_YUV)
    rgb_to_yuv (space, c, c, c, v);
  else if (!space->linear && p->model == CS_PICTURE_GRAY)
    v[0] = clamp (space->y_offset + c * space->y_scale, 0, 1);
}

/* The mean of a component over the pixels of a sample: rows, then their sum. */
static float
mean_of (const CsPicture * p, float (*pixels)[4], guint component, guint x,
    guint y)
{
  const guint sx = is_chroma (p, component) ? p->sub_x : 0;
  const guint sy = is_chroma (p, component) ? p->sub_y : 0;
  const guint x0 = x << sx, y0 = y << sy;
  const guint x1 = MIN (x0 + sx, p->width - 1), y1 = MIN (y0 + sy,
      p->height - 1);
  float sum = 0;
  guint i, j, n = 0;

  for (j = y0; j <= y1; j++) {
    float row = 0;

    for (i = x0; i <= x1; i++, n++)
      row += pixels[j * p->width + i][component];
    sum += row;
  }
  return sum / n;
}

static void
finish (const Space * space, const CsRasterSettings * settings,
    const Canvas * canvas, const CsPicture * input, const CsPicture * output)
{
  float (*result)[4] = g_malloc (sizeof (float[4]) * canvas->width *
      canvas->height);

  for (guint y = 0; y < canvas->height; y++) {
    for (guint x = 0; x < canvas->width; x++) {
      const guint at = y * canvas->width + x;

      memcpy (result[at], canvas->pixels[at], sizeof (float[4]));
      /* a pixel that nothing touches stays as it is */
      if (settings->background == CS_BACKGROUND_FRAME && !canvas->touched[at])
        read_components (input, x, y, result[at]);
      else
        working_to_components (space, result[at]);
    }
  }
  for (guint c = 0; c < 4; c++) {
    if (!oracle_has (output, c))
      continue;
    for (guint y = 0; y < oracle_rows (output, c); y++)
      for (guint x = 0; x < oracle_columns (output, c); x++)
        set (output, c, x, y, (int) (max_code (output) *
                mean_of (output, result, c, x, y) + .5f));
  }
  g_free (result);
}

void
oracle_run (const CsMarks * marks, const CsRasterSettings * settings,
    const OracleInk * ink, const guint32 * order, const CsPicture * input,
    const CsPicture * output)
{
  const gsize n = (gsize) output->width * output->height;
  Canvas canvas = { output->width, output->height };
  g_autofree guint32 *own = g_new (guint32, marks->n + 1);
  Space space;

  space_init (&space, output, settings->linear);
  canvas.pixels = g_malloc (n * sizeof (float[4]));
  canvas.touched = g_new0 (guint8, n);
  oracle_order (marks, own);
  for (guint y = 0; y < output->height; y++)
    for (guint x = 0; x < output->width; x++)
      begin_pixel (&space, settings, input, x, y,
          canvas.pixels[(gsize) y * output->width + x]);
  paint_all (&canvas, &space, marks, settings, ink, order ? order : own);
  finish (&space, settings, &canvas, input, output);
  space_clear (&space);
  g_free (canvas.pixels);
  g_free (canvas.touched);
}
