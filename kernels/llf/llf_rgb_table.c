/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Factors of the remapping by distance in RGB: Gaussian functions u_k about
 * colours near the gray axis, where pictures have most of theirs, and for each
 * node g a weighted least squares fit of d (i - g) over colours i by them, by i
 * itself and by 1, which a Laplacian removes.
 */
#include "llf_rgb_private.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "llf_solve.h"

/* Colours of the fit: a grid, and shells about g. */
#define GRID 10
#define N_GRID (GRID * GRID * GRID)
#define N_SHELLS 2
#define N_DIRECTIONS 26
#define N_SAMPLES (N_GRID + N_SHELLS * N_DIRECTIONS)
#define SHELL .025
/* Weight of a colour: (NEAR + |i - g|) ^ -3, and more near gray. */
#define NEAR .05
#define CHROMA .15
#define ANY_CHROMA .1
/* Relative to the equations. */
#define RIDGE 1e-8
#define STRIDE CS_LLF_MAX_UNKNOWNS

/**
 * Layout:
 * @n_steps: of lightness, each with three colours about gray at @ring
 * @n_gray: colours on the gray axis besides
 * @width: deviation of the Gaussians
 *
 * Where the functions are.
 */
typedef struct
{
  guint rank, n_steps, n_gray;
  double ring, width;
} Layout;

/* Found by search, for the smallest error on photographs. */
static const Layout layouts[] = {
  {8, 1, 2, .25, .3}, {16, 4, 1, .2, .35}, {32, 10, 0, .2, .3},
};

typedef struct
{
  const CsLlfParams *params;
  const Layout *layout;
  double centres[CS_LLF_MAX_RANK][3];
  double directions[N_DIRECTIONS][3];
  /* equations of the grid's colours: 1, r, g, b, u_k */
  double *grid;
} Fit;

static const Layout *
find_layout (const CsLlfParams * params)
{
  guint rank = params->rank, i;

  if (rank == 0)
    rank = params->quality == CS_LLF_FAST ? 8 :
        params->quality == CS_LLF_HIGH ? 32 : 16;
  for (i = 0; layouts[i].rank < rank; i++);
  return &layouts[i];
}

guint
cs_llf_rgb_get_rank (const CsLlfParams * params)
{
  return params->quality == CS_LLF_EXACT ? 8 : find_layout (params)->rank;
}

/* A colour of lightness 0 to 1, @chroma from gray, in a direction of three. */
static void
set_centre (double *centre, double lightness, double chroma, guint direction)
{
  const double angle = 2 * G_PI * direction / 3;
  const double a = chroma * cos (angle), b = chroma * sin (angle);

  centre[0] = lightness + a / sqrt (2) + b / sqrt (6);
  centre[1] = lightness - a / sqrt (2) + b / sqrt (6);
  centre[2] = lightness - 2 * b / sqrt (6);
}

static void
place_centres (Fit * fit)
{
  const Layout *layout = fit->layout;
  guint i, n = 3;

  for (i = 0; i < 3 * layout->n_steps && n < layout->rank; i++)
    set_centre (fit->centres[n++], (i / 3 + .5) / layout->n_steps,
        i / 3 % 2 ? layout->ring : -layout->ring, i % 3);
  for (i = 0; i < layout->n_gray; i++)
    set_centre (fit->centres[n++], (i + .5) / layout->n_gray, 0, 0);
  g_assert (n == layout->rank);
}

static void
place_directions (Fit * fit)
{
  guint i, c, n = 0;

  for (i = 0; i < 27; i++) {
    const double v[3] = { (gint) (i / 9) - 1, (gint) (i / 3 % 3) - 1,
      (gint) (i % 3) - 1
    };
    const double length = sqrt (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);

    for (c = 0; c < 3 && i != 13; c++)
      fit->directions[n][c] = v[c] / length;
    n += i != 13;
  }
}

static double
bell (const Fit * fit, guint k, guint c, double value)
{
  const double x = (value - fit->centres[k][c]) / fit->layout->width;

  return exp (-x * x / 2);
}

/* The equation's left side for colour @i. */
static void
fill_row (const Fit * fit, const double *i, double *row)
{
  row[0] = 1;
  memcpy (row + 1, i, 3 * sizeof (double));
  for (guint k = 3; k < fit->layout->rank; k++)
    row[k + 1] = bell (fit, k, 0, i[0]) * bell (fit, k, 1, i[1]) *
        bell (fit, k, 2, i[2]);
}

static void
fill_grid (Fit * fit)
{
  for (guint n = 0; n < N_GRID; n++) {
    const double i[3] = { n / (GRID * GRID) / (GRID - 1.),
      n / GRID % GRID / (GRID - 1.), n % GRID / (GRID - 1.)
    };

    fill_row (fit, i, fit->grid + n * STRIDE);
  }
}

/* The weight of colour @i at @distance, standing for @volume of them. */
static double
weigh (const double *i, double distance, double volume)
{
  const double mean = (i[0] + i[1] + i[2]) / 3;
  double chroma = 0;

  for (guint c = 0; c < 3; c++)
    chroma += (i[c] - mean) * (i[c] - mean);
  return volume * (ANY_CHROMA + exp (-chroma / (2 * CHROMA * CHROMA))) *
      pow (NEAR + distance, -3);
}

/* Adds the equations of a colour whose left side is @row. */
static void
add_colour (const Fit * fit, const double *g, const double *row,
    double volume, double *a, double b[3][STRIDE])
{
  const guint n = fit->layout->rank + 1;
  double distance = 0, scale, w;

  for (guint c = 0; c < 3; c++)
    distance += (row[1 + c] - g[c]) * (row[1 + c] - g[c]);
  distance = sqrt (distance);
  scale = distance > 0 ? cs_llf_delta (fit->params, distance) / distance : 0;
  w = weigh (row + 1, distance, volume);
  cs_llf_add_equation (a, b[0], row, n, scale * (row[1] - g[0]), w);
  for (guint c = 1; c < 3; c++) {
    const double value = w * scale * (row[1 + c] - g[c]);

    for (guint k = 0; k < n; k++)
      b[c][k] += value * row[k];
  }
}

static void
add_shells (const Fit * fit, const double *g, double *a, double b[3][STRIDE])
{
  for (guint s = 1; s <= N_SHELLS; s++) {
    const double radius = s * SHELL;
    const double volume = 4 * G_PI * radius * radius * SHELL / N_DIRECTIONS;

    for (guint n = 0; n < N_DIRECTIONS; n++) {
      double i[3], row[STRIDE];

      for (guint c = 0; c < 3; c++)
        i[c] = g[c] + radius * fit->directions[n][c];
      if (MIN (i[0], MIN (i[1], i[2])) < 0 || MAX (i[0], MAX (i[1], i[2])) > 1)
        continue;
      fill_row (fit, i, row);
      add_colour (fit, g, row, volume, a, b);
    }
  }
}

/* v of node @g, at [c * rank + k]. */
static void
fit_node (const Fit * fit, const double *g, float *v)
{
  const guint rank = fit->layout->rank, n = rank + 1;
  const double volume = 1. / ((GRID - 1) * (GRID - 1) * (GRID - 1));
  double a[STRIDE * STRIDE] = { 0 }, copy[STRIDE * STRIDE];
  double b[3][STRIDE] = { {0} }, trace = 0;

  for (guint i = 0; i < N_GRID; i++)
    add_colour (fit, g, fit->grid + i * STRIDE, volume, a, b);
  add_shells (fit, g, a, b);
  for (guint k = 0; k < n; k++)
    trace += a[k * STRIDE + k];
  for (guint k = 0; k < n; k++)
    a[k * STRIDE + k] += RIDGE * trace;
  for (guint c = 0; c < 3; c++) {
    memcpy (copy, a, sizeof (a));
    cs_llf_solve (copy, b[c], n);
    for (guint k = 0; k < rank; k++)
      v[c * rank + k] = b[c][k + 1];
  }
}

static void
fit_nodes (const Fit * fit, float *v)
{
  const double last = CS_LLF_RGB_NODES - 1;

  for (guint n = 0; n < CS_LLF_RGB_N_NODES; n++) {
    const double g[3] = { n / (CS_LLF_RGB_NODES * CS_LLF_RGB_NODES) / last,
      n / CS_LLF_RGB_NODES % CS_LLF_RGB_NODES / last,
      n % CS_LLF_RGB_NODES / last
    };

    fit_node (fit, g, v + (gsize) n * 3 * fit->layout->rank);
  }
}

/* R, G, B, and with @fit the functions of a channel. */
static void
fill_codes (const Fit * fit, CsLlfRgbTable * table)
{
  for (guint c = 0; c < 3; c++) {
    for (guint i = 0; i < 256; i++) {
      float *u = table->u + (c * 256 + i) * table->rank;

      for (guint k = 0; k < 3; k++)
        u[k] = k == c ? i / 255.f : 1.f;
      for (guint k = 3; fit && k < table->rank; k++)
        u[k] = bell (fit, k, c, i / 255.);
    }
  }
}

static gboolean
fill_factors (CsLlfRgbTable * table, const CsLlfParams * params)
{
  Fit fit = {.params = params,.layout = find_layout (params) };

  table->v = cs_try_new (float, (gsize) CS_LLF_RGB_N_NODES * 3 * table->rank);
  fit.grid = cs_try_new0 (double, N_GRID * STRIDE);
  if (table->v && fit.grid) {
    place_centres (&fit);
    place_directions (&fit);
    fill_grid (&fit);
    fit_nodes (&fit, table->v);
    fill_codes (&fit, table);
  }
  g_free (fit.grid);
  return table->v && fit.grid;
}

static gboolean
fill_profile (CsLlfRgbTable * table, const CsLlfParams * params)
{
  table->profile = cs_try_new (float, CS_LLF_RGB_PROFILE);
  if (!table->profile)
    return FALSE;
  for (guint i = 0; i < CS_LLF_RGB_PROFILE; i++)
    table->profile[i] = cs_llf_delta (params, i / (255. * CS_LLF_RGB_PHASES));
  fill_codes (NULL, table);
  return TRUE;
}

CsLlfRgbTable *
cs_llf_rgb_table_new (const CsLlfParams * params, GError ** error)
{
  CsLlfRgbTable *table = g_new0 (CsLlfRgbTable, 1);

  table->rank = cs_llf_rgb_get_rank (params);
  table->u = cs_try_new0 (float, 3 * 256 * table->rank);
  if (table->u && (params->quality == CS_LLF_EXACT ?
          fill_profile (table, params) : fill_factors (table, params)))
    return table;
  cs_llf_rgb_table_free (table);
  return cs_fail_null (error, CS_ERROR, CS_ERROR_NO_MEMORY,
      "no memory for a table");
}

void
cs_llf_rgb_table_free (CsLlfRgbTable * table)
{
  if (!table)
    return;
  g_free (table->u);
  g_free (table->v);
  g_free (table->profile);
  g_free (table);
}
