/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_oracle.h"

#include <math.h>
#include <string.h>

#include "llf/llf_private.h"

/**
 * Plane:
 *
 * An image of doubles in dense rows.
 */
typedef struct
{
  guint w, h;
  double *v;
} Plane;

static Plane
plane_new (guint w, guint h)
{
  Plane plane = { w, h, g_new0 (double, (gsize) w * h) };

  return plane;
}

static guint
half (guint n)
{
  return (n + 1) / 2;
}

/* The curve without its guard. */
static double
plain_remap (const CsLlfParams * params, double x)
{
  const double sigma = params->sigma, size = fabs (x), sign = x < 0 ? -1 : 1;

  if (params->curve == CS_LLF_SMOOTH) {
    const double m = fmin (fmax (1 / params->alpha - 1, -1), 2.24);

    return x * (params->beta + (1 + m - params->beta) *
        exp (-x * x / (2 * sigma * sigma)));
  }
  if (size > sigma)
    return sign * (params->beta * (size - sigma) + sigma);
  return sign * sigma * pow (size / sigma, params->alpha);
}

/* The paper's smooth step, between the guard and twice the guard. */
static double
guard_step (const CsLlfParams * params, double size)
{
  double from = params->noise_guard, y;

  if (from < 0)
    from = params->curve == CS_LLF_POWER ? .01 : 0;
  if (params->alpha >= 1 || from == 0)
    return 1;
  /* the power curve is linear beyond sigma, with and without a guard */
  if (params->curve == CS_LLF_POWER && size > params->sigma)
    return 1;
  y = fmin (fmax ((size - from) / (2 * from - from), 0), 1);
  return y * y * (y - 2) * (y - 2);
}

double
llf_oracle_remap (const CsLlfParams * params, double i, double g)
{
  const double x = i - g, t = guard_step (params, fabs (x));

  return g + t * plain_remap (params, x) + (1 - t) * x;
}

/* The remapping's values, for codes. */
static double
code_remap (const CsLlfParams * params, double i, double g, guint n_codes)
{
  /* 219 of 256 levels lie between limited range's black and white */
  const double scale = params->limited_range ? 219 * n_codes / 256. :
      n_codes - 1;

  return scale * llf_oracle_remap (params, i / scale, g / scale);
}

void
llf_oracle_down (const double *in, guint n, double *out)
{
  static const double taps[] = { 1, 4, 6, 4, 1 };

  for (guint j = 0; j < half (n); j++) {
    double sum = 0, weight = 0;

    for (guint t = 0; t < 5; t++) {
      const gint at = (gint) (2 * j + t) - 2;

      if (at < 0 || at >= (gint) n)
        continue;
      sum += taps[t] * in[at];
      weight += taps[t];
    }
    out[j] = sum / weight;
  }
}

/* To @n values. */
void
llf_oracle_up (const double *in, guint n, double *out)
{
  const guint m = half (n);

  for (guint i = 0; i < n; i++) {
    const guint j = i / 2;

    if (i % 2) {
      out[i] = j + 1 < m ? (in[j] + in[j + 1]) / 2 : in[j];
    } else {
      double sum = 6 * in[j], weight = 6;

      if (j > 0) {
        sum += in[j - 1];
        weight++;
      }
      if (j + 1 < m) {
        sum += in[j + 1];
        weight++;
      }
      out[i] = sum / weight;
    }
  }
}

/* @operate along rows and columns, to @w x @h. */
static Plane
separable (const Plane * in, guint w, guint h, gboolean down)
{
  Plane wide = plane_new (w, in->h), out = plane_new (w, h);
  const guint longest = MAX (in->h, h);
  g_autofree double *column = g_new (double, longest);
  g_autofree double *result = g_new (double, longest);

  for (guint y = 0; y < in->h; y++)
    if (down)
      llf_oracle_down (in->v + y * in->w, in->w, wide.v + y * w);
    else
      llf_oracle_up (in->v + y * in->w, w, wide.v + y * w);
  for (guint x = 0; x < w; x++) {
    for (guint y = 0; y < in->h; y++)
      column[y] = wide.v[y * w + x];
    if (down)
      llf_oracle_down (column, in->h, result);
    else
      llf_oracle_up (column, h, result);
    for (guint y = 0; y < h; y++)
      out.v[y * w + x] = result[y];
  }
  g_free (wide.v);
  return out;
}

static Plane
down (const Plane * in)
{
  return separable (in, half (in->w), half (in->h), TRUE);
}

/* To the size of @like. */
static Plane
up (const Plane * in, const Plane * like)
{
  return separable (in, like->w, like->h, FALSE);
}

/* The Gaussian pyramid of @image, which becomes its first level. */
static guint
gaussian (Plane image, Plane * levels)
{
  guint n = 1;

  levels[0] = image;
  while (MIN (levels[n - 1].w, levels[n - 1].h) > 1) {
    levels[n] = down (&levels[n - 1]);
    n++;
  }
  return n;
}

static void
free_levels (Plane * levels, guint n)
{
  while (n-- > 0)
    g_free (levels[n].v);
}

static Plane
image_of (const guint16 * codes, guint w, guint h)
{
  Plane image = plane_new (w, h);

  for (gsize i = 0; i < (gsize) w * h; i++)
    image.v[i] = codes[i];
  return image;
}

/* levels[0] = sum of the levels, coarsest first. */
static void
collapse (Plane * levels, guint n)
{
  for (guint l = n - 1; l-- > 0;) {
    Plane more = up (&levels[l + 1], &levels[l]);

    for (gsize i = 0; i < (gsize) more.w * more.h; i++)
      levels[l].v[i] += more.v[i];
    g_free (more.v);
  }
}

/* Coefficient @at of level @l of the remapped image's Laplacian pyramid. */
static double
literal_coefficient (const CsLlfParams * params, const guint16 * codes,
    guint w, guint h, guint n_codes, double g, guint l, gsize at)
{
  Plane remapped = plane_new (w, h), levels[CS_LLF_MAX_LEVELS], coarse;

  for (gsize i = 0; i < (gsize) w * h; i++)
    remapped.v[i] = code_remap (params, codes[i], g, n_codes);
  guint n = gaussian (remapped, levels);
  coarse = up (&levels[l + 1], &levels[l]);
  double value = levels[l].v[at] - coarse.v[at];
  g_free (coarse.v);
  free_levels (levels, n);
  return value;
}

void
llf_oracle_literal (const CsLlfParams * params, const guint16 * codes,
    guint width, guint height, guint n_codes, double *out)
{
  Plane g[CS_LLF_MAX_LEVELS], laplacian[CS_LLF_MAX_LEVELS] = { 0 };
  const guint n = gaussian (image_of (codes, width, height), g);

  for (guint l = 0; l < n; l++) {
    laplacian[l] = plane_new (g[l].w, g[l].h);
    for (gsize i = 0; i < (gsize) g[l].w * g[l].h; i++)
      laplacian[l].v[i] = l + 1 == n ? g[l].v[i] :
          literal_coefficient (params, codes, width, height, n_codes,
          g[l].v[i], l, i);
  }
  collapse (laplacian, n);
  memcpy (out, laplacian[0].v, (gsize) width * height * sizeof (double));
  free_levels (g, n);
  free_levels (laplacian, n);
}

/**
 * Response:
 * @a: weight of sample i of a row of @n in G_l at p: [p * n + i]
 * @b: in up (G_{l + 1})
 * @first, @last: samples of p that are not 0
 */
typedef struct
{
  guint n;
  double *a, *b;
  guint *first, *last;
} Response;

/* The contribution of every single sample. */
static Response
response_new (guint n, guint l)
{
  guint m = n, i, p, k;
  Response response = {.n = n };
  g_autofree double *row = g_new (double, n);
  g_autofree double *next = g_new (double, n);
  g_autofree double *above = g_new (double, n);

  for (k = 0; k < l; k++)
    m = half (m);
  response.a = g_new (double, (gsize) m * n);
  response.b = g_new (double, (gsize) m * n);
  response.first = g_new (guint, m);
  response.last = g_new0 (guint, m);
  for (p = 0; p < m; p++)
    response.first[p] = n;
  for (i = 0; i < n; i++) {
    guint size = n;

    memset (row, 0, n * sizeof (double));
    row[i] = 1;
    for (k = 0; k < l; k++) {
      llf_oracle_down (row, size, next);
      size = half (size);
      memcpy (row, next, size * sizeof (double));
    }
    llf_oracle_down (row, m, next);
    llf_oracle_up (next, m, above);
    for (p = 0; p < m; p++) {
      response.a[p * n + i] = row[p];
      response.b[p * n + i] = above[p];
      if (row[p] == 0 && above[p] == 0)
        continue;
      response.first[p] = MIN (response.first[p], i);
      response.last[p] = i;
    }
  }
  return response;
}

static void
response_clear (Response * response)
{
  g_free (response->a);
  g_free (response->b);
  g_free (response->first);
  g_free (response->last);
}

static double
exact_coefficient (const Response * columns, const Response * rows,
    const guint16 * codes, guint x, guint y, const double *d)
{
  const double *ax = columns->a + (gsize) x * columns->n;
  const double *bx = columns->b + (gsize) x * columns->n;
  const double *ay = rows->a + (gsize) y * rows->n;
  const double *by = rows->b + (gsize) y * rows->n;
  double sum = 0;

  for (guint i = rows->first[y]; i <= rows->last[y]; i++)
    for (guint k = columns->first[x]; k <= columns->last[x]; k++)
      sum += (ay[i] * ax[k] - by[i] * bx[k]) *
          d[codes[(gsize) i * columns->n + k]];
  return sum;
}

static void
exact_level (const CsLlfParams * params, const guint16 * codes,
    const Plane * g, guint width, guint height, guint n_codes, guint l,
    double weight, Plane * to)
{
  Response columns = response_new (width, l), rows = response_new (height, l);
  g_autofree double *d = g_new (double, n_codes);

  for (guint y = 0; y < to->h; y++)
    for (guint x = 0; x < to->w; x++) {
      const double about = g->v[y * g->w + x];

      for (guint c = 0; c < n_codes; c++)
        d[c] = code_remap (params, c, about, n_codes) - c;
      to->v[y * to->w + x] = weight * exact_coefficient (&columns, &rows,
          codes, x, y, d);
    }
  response_clear (&columns);
  response_clear (&rows);
}

void
llf_oracle_exact (const CsLlfParams * params, const guint16 * codes,
    guint width, guint height, guint n_codes, const CsLlfSettings * settings,
    double *out)
{
  Plane g[CS_LLF_MAX_LEVELS], levels[CS_LLF_MAX_LEVELS];
  const guint n = gaussian (image_of (codes, width, height), g);
  const guint used = settings->levels ? MIN (settings->levels, n) : n;

  for (guint l = 0; l < n; l++) {
    levels[l] = plane_new (g[l].w, g[l].h);
    if (l + 1 < used)
      exact_level (params, codes, &g[l], width, height, n_codes, l,
          settings->amount * (l < settings->n_weights ?
              settings->weights[l] : 1), &levels[l]);
  }
  collapse (levels, n);
  for (gsize i = 0; i < (gsize) width * height; i++)
    out[i] = codes[i] + levels[0].v[i];
  free_levels (g, n);
  free_levels (levels, n);
}

/* v_k and v0 at @g: at a code of level 0, else between nodes. */
static void
factor_row (const CsLlfTable * table, double g, gint code, double *v,
    double *v0)
{
  const guint r = table->stride;
  const double at = g * CS_LLF_NODES;
  const guint node = (guint) at;
  const double f = at - node;

  if (code >= 0) {
    for (guint k = 0; k < r; k++)
      v[k] = table->code_v[code * r + k];
    *v0 = table->code_v0[code];
    return;
  }
  for (guint k = 0; k < r; k++)
    v[k] = table->v[node * r + k] * (1 - f) + table->v[(node + 1) * r + k] * f;
  *v0 = table->v0[node] * (1 - f) + table->v0[node + 1] * f;
}

/* Adds term @k of all coefficients, or v0's for a negative one. */
static void
add_term (const CsLlfTable * table, const guint16 * codes, const Plane * g,
    guint n, gint k, Plane image, Plane * sums)
{
  Plane levels[CS_LLF_MAX_LEVELS];
  double v[CS_LLF_MAX_RANK], v0;

  gaussian (image, levels);
  for (guint l = 0; l + 1 < n; l++) {
    Plane coarse = up (&levels[l + 1], &levels[l]);

    for (gsize i = 0; i < (gsize) coarse.w * coarse.h; i++) {
      factor_row (table, g[l].v[i], l ? -1 : codes[i], v, &v0);
      sums[l].v[i] += (k < 0 ? v0 : v[k]) * (levels[l].v[i] - coarse.v[i]);
    }
    g_free (coarse.v);
  }
  free_levels (levels, n);
}

/* u_k of the image, or the image itself for a negative @k. */
static Plane
term_image (const CsLlfTable * table, const guint16 * codes, guint w, guint h,
    gint k)
{
  Plane image = plane_new (w, h);

  for (gsize i = 0; i < (gsize) w * h; i++)
    image.v[i] = k < 0 ? codes[i] / (table->n_codes - 1.) :
        table->u[codes[i] * table->stride + k];
  return image;
}

void
llf_oracle_factors (const CsLlfTable * table, const guint16 * codes,
    guint width, guint height, double *out)
{
  const guint n_codes = table->n_codes;
  const gsize n_pixels = (gsize) width * height;
  Plane g[CS_LLF_MAX_LEVELS], sums[CS_LLF_MAX_LEVELS];

  guint n = gaussian (term_image (table, codes, width, height, -1), g);
  for (guint l = 0; l < n; l++)
    sums[l] = plane_new (g[l].w, g[l].h);
  for (gint k = -1; k < (gint) table->stride; k++) {
    Plane image = term_image (table, codes, width, height, k);

    add_term (table, codes, g, n, k, image, sums);
  }
  collapse (sums, n);
  for (gsize i = 0; i < n_pixels; i++)
    out[i] = codes[i] + (n_codes - 1) * sums[0].v[i];
  free_levels (g, n);
  free_levels (sums, n);
}
