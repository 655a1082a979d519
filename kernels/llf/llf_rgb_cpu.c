/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter with distances in RGB, on the CPU: pyramids of the u_k, fine to
 * coarse; coefficients of R, G and B and their sum, coarse to fine. Rows do not
 * depend on each other, so that any number of threads gives the same bits.
 */
#include "llf_rgb_private.h"

#include <string.h>

#include "base/clones.h"
#include "base/scratch.h"
#include "llf_cpu_rows.h"
#include "llf_math.h"

/* Parts of a level for threads. */
#define N_BANDS 16
/* Floats of a pixel's change: R, G, B and nothing. */
#define COLOUR 4
#define HALF (CHUNK / 2 + 2)

/**
 * Plane:
 * @p: pyramid of the u_k, [y][x][k]; not of level 0
 * @c: sum of the coefficients of this level and coarser ones, [y][x][COLOUR]
 */
typedef struct
{
  float *p, *c;
} Plane;

typedef struct
{
  CsExecutor *executor;
  CsScratch scratch;
  CsLlfWindows windows;

  /* of the current run */
  const CsLlfRgbTable *table;
  const CsLlfRgbJob *job;
  const CsLlfPyramid *pyramid;
  const CsLlfRows *loops;
  Plane planes[CS_LLF_MAX_LEVELS];
  /* five rows of u_k for each band */
  float *rings;
  /* of an exact filter: the picture, [y][x][COLOUR] */
  float *picture;
  guint level, band_rows;
} State;

/* --- Features ------------------------------------------------------------- */

/* u_k of @n pixels of @step bytes. */
static inline __attribute__ ((always_inline)) void
make_features (const float *u, const guint8 *r, const guint8 *g,
    const guint8 *b, guint step, guint n, guint rank, float *to)
{
  const float *green = u + 256 * rank, *blue = green + 256 * rank;

  for (guint x = 0; x < n; x++) {
    const float *ur = u + r[x * step] * rank, *ug = green + g[x * step] * rank;
    const float *ub = blue + b[x * step] * rank;

    for (guint k = 0; k < rank; k++)
      to[x * rank + k] = ur[k] * ug[k] * ub[k];
  }
}

#define DEFINE_FEATURES(rank) \
CS_CLONES \
static void \
features_ ## rank (const float *u, const guint8 *r, const guint8 *g, \
    const guint8 *b, guint step, guint n, float *to) \
{ \
  make_features (u, r, g, b, step, n, rank, to); \
}

DEFINE_FEATURES (8)
DEFINE_FEATURES (16)
DEFINE_FEATURES (32)

/* u_k of pixels @x0 to @x1 of row @y. */
static void
features (const State * state, guint y, guint x0, guint x1, float *to)
{
  const CsLlfRgbJob *job = state->job;
  const guint8 *row = job->input + y * job->input_stride +
      (gsize) x0 * job->pixel_stride;
  const guint rank = state->table->rank;

  (rank == 8 ? features_8 : rank == 16 ? features_16 : features_32)
      (state->table->u, row + job->red, row + job->green, row + job->blue,
      job->pixel_stride, x1 - x0, to);
}

/* --- Down ----------------------------------------------------------------- */

/* The rows of level 1 of band @index: each row of features is made once, and
 * kept in a ring as long as rows need it. */
static void
down_codes_band (void *user_data, guint index)
{
  State *state = user_data;
  const CsLlfLevel *fine = &state->pyramid->levels[0], *coarse = fine + 1;
  const gsize row = (gsize) fine->width * state->table->rank;
  const guint end = MIN ((index + 1) * state->band_rows, coarse->height);
  float *ring = state->rings + index * 5 * row;
  gint made = MAX ((gint) (2 * index * state->band_rows) - 2, 0);

  for (guint j = index * state->band_rows; j < end; j++) {
    const gint last = MIN (2 * j + 2, fine->height - 1);
    const float *rows[5];
    float w[5];

    for (; made <= last; made++)
      features (state, made, 0, fine->width, ring + made % 5 * row);
    cs_llf_down_weights (j, fine->height, w);
    for (guint i = 0; i < 5; i++)
      rows[i] = ring + CLAMP ((gint) (2 * j + i) - 2, 0, last) % 5 * row;
    state->loops->down_floats (rows, w, fine->width, state->planes[1].p +
        (gsize) j * coarse->width * state->table->rank, coarse->width);
  }
}

static void
down_row (void *user_data, guint j)
{
  State *state = user_data;
  const guint l = state->level, rank = state->table->rank;
  const CsLlfLevel *fine = &state->pyramid->levels[l], *coarse = fine + 1;
  const float *rows[5];
  float w[5];

  cs_llf_down_weights (j, fine->height, w);
  for (guint i = 0; i < 5; i++)
    rows[i] = state->planes[l].p + (gsize) fine->width * rank *
        CLAMP ((gint) (2 * j + i) - 2, 0, (gint) fine->height - 1);
  state->loops->down_floats (rows, w, fine->width, state->planes[l + 1].p +
      (gsize) j * coarse->width * rank, coarse->width);
}

/* --- Up ------------------------------------------------------------------- */

/**
 * Rows:
 * @row: three rows of coarse samples
 * @w: their weights
 * @m: samples of a row
 *
 * Where fine pixels are interpolated.
 */
typedef struct
{
  const float *row[3];
  float w[3];
  guint m;
} Rows;

static Rows
coarse_rows (const float *plane, guint y, guint m, guint n_rows, guint rank)
{
  Rows rows = {.m = m };

  cs_llf_up_weights (y, n_rows, rows.w);
  for (guint i = 0; i < 3; i++)
    rows.row[i] = plane + (gsize) m * rank *
        CLAMP ((gint) (y / 2 + i) - 1, 0, (gint) n_rows - 1);
  return rows;
}

/* Coarse samples @j0 - 1 to @j1 of the rows' weighted sum, at the borders 0. */
static inline __attribute__ ((always_inline)) void
sum_rows (const Rows * rows, guint j0, guint j1, guint rank, float *sums)
{
  const gsize first = j0 > 0 ? j0 - 1 : 0, last = MIN (j1 + 1, rows->m);
  const float *a = rows->row[0], *b = rows->row[1], *c = rows->row[2];
  float *to = sums + (j0 > 0 ? 0 : rank);
  const gsize n = (last - first) * rank;

  memset (sums, 0, (j1 - j0 + 2) * rank * sizeof (float));
  a += first * rank;
  b += first * rank;
  c += first * rank;
  for (gsize i = 0; i < n; i++)
    to[i] = rows->w[0] * a[i] + rows->w[1] * b[i] + rows->w[2] * c[i];
}

/* Pixel @x, of the sums that begin with coarse sample @x0 / 2 - 1. */
static inline __attribute__ ((always_inline)) void
interpolate (const float *sums, guint x, guint x0, guint m, guint rank,
    float *to)
{
  const float *s = sums + (gsize) (x / 2 - x0 / 2) * rank;
  float w[3] = { .125f, .75f, .125f };

  if (x % 2)
    w[0] = 0, w[1] = w[2] = .5f;
  if (x < 2 || x / 2 + 1 >= m)
    cs_llf_up_weights (x, m, w);
  for (guint k = 0; k < rank; k++)
    to[k] = (w[0] * s[k] + w[2] * s[k + 2 * rank]) + w[1] * s[k + rank];
}

/* @c = @weight * @d + coarser levels. */
CS_CLONES
static void
add_above (const Rows * rows, float weight, const float *d, guint x0, guint x1,
    float *c)
{
  float sums[HALF * COLOUR], above[COLOUR] = { 0 };

  if (rows->m > 0)
    sum_rows (rows, x0 / 2, (x1 + 1) / 2, COLOUR, sums);
  for (guint x = x0; x < x1; x++) {
    if (rows->m > 0)
      interpolate (sums, x, x0, rows->m, COLOUR, above);
    for (guint k = 0; k < 3; k++)
      c[(x - x0) * COLOUR + k] = weight * d[(x - x0) * COLOUR + k] + above[k];
  }
}

static void
store (const State * state, guint y, guint x0, guint x1, float *c)
{
  const CsLlfToneGuard guard = state->pyramid->guard;
  const CsLlfRgbJob *job = state->job;
  const guint at[3] = { job->red, job->green, job->blue };
  const gsize first = (gsize) x0 * job->pixel_stride;
  const guint8 *in = job->input + y * job->input_stride + first;
  guint8 *out = job->output + y * job->output_stride + first;

  if (in != out)
    memcpy (out, in, (x1 - x0) * job->pixel_stride);
  for (guint x = 0; guard.slope > 0 && x < x1 - x0; x++)
    for (guint k = 0; k < 3; k++)
      c[x * COLOUR + k] = cs_llf_guard_tone (&guard,
          in[x * job->pixel_stride + at[k]] * job->tone.unit,
          c[x * COLOUR + k]);
  for (guint x = 0; x < x1 - x0; x++)
    for (guint k = 0; k < 3; k++)
      out[x * job->pixel_stride + at[k]] = cs_llf_colour_round (&job->tone,
          in[x * job->pixel_stride + at[k]] +
          job->tone.max_code * c[x * COLOUR + k]);
}

/* --- Exact ---------------------------------------------------------------- */

static void
copy_row (void *user_data, guint y)
{
  State *state = user_data;
  const guint n = state->pyramid->levels[0].width;
  float *to = state->picture + (gsize) y * n * COLOUR;
  float own[CHUNK * 8];

  for (guint x0 = 0; x0 < n; x0 += CHUNK) {
    const guint x1 = MIN (x0 + CHUNK, n);

    features (state, y, x0, x1, own);
    for (guint x = x0; x < x1; x++)
      for (guint k = 0; k < COLOUR; k++)
        to[x * COLOUR + k] = k < 3 ? own[(x - x0) * 8 + k] : 0.f;
  }
}

/* The coefficient of pixel (@x, @y), whose colour is @g. */
static void
exact_coefficient (const State * state, guint x, guint y, const float *g,
    float *d)
{
  const CsLlfWeights *columns = &state->windows.columns[state->level];
  const CsLlfWeights *rows = &state->windows.rows[state->level];
  const gsize width = state->pyramid->levels[0].width;
  const float *a = columns->a + (gsize) x * columns->support;
  const float *b = columns->b + (gsize) x * columns->support;
  const float *ra = rows->a + (gsize) y * rows->support;
  const float *rb = rows->b + (gsize) y * rows->support;

  memset (d, 0, COLOUR * sizeof (float));
  for (gint i = 0; i < rows->count[y]; i++) {
    const float *p = state->picture + ((rows->start[y] + i) * width +
        columns->start[x]) * COLOUR;
    float sums[3] = { 0 };

    for (gint k = 0; k < columns->count[x]; k++, p += COLOUR) {
      const float w = (ra[i] * a[k] - rb[i] * b[k]) *
          cs_llf_rgb_gain (state->table->profile, p, g);

      for (guint c = 0; c < 3; c++)
        sums[c] += w * (p[c] - g[c]);
    }
    for (guint c = 0; c < 3; c++)
      d[c] += sums[c];
  }
}

/* --- Rows ----------------------------------------------------------------- */

/* Coefficients of pixels @x0 to @x1 of row @y, whose u_k are @own. */
static void
level_coefficients (const State * state, guint y, guint x0, guint x1,
    const float *own, float *d)
{
  const guint l = state->level, rank = state->table->rank;
  const CsLlfLevel *coarse = &state->pyramid->levels[l + 1];

  if (!state->table->v) {
    for (guint x = x0; x < x1; x++)
      exact_coefficient (state, x, y, own + (x - x0) * rank,
          d + (x - x0) * COLOUR);
    return;
  }
  Rows rows = coarse_rows (state->planes[l + 1].p, y, coarse->width,
      coarse->height, rank);
  state->loops->up_colours (state->table->v, own, rows.row, rows.w, rows.m, x0,
      x1, d);
}

static void
up_row (void *user_data, guint y)
{
  State *state = user_data;
  const guint l = state->level, rank = state->table->rank;
  const CsLlfLevel *level = &state->pyramid->levels[l], *coarse = level + 1;
  const gsize row = (gsize) y * level->width;
  float own[CHUNK * CS_LLF_MAX_RANK], d[CHUNK * COLOUR], c[CHUNK * COLOUR];
  Rows above = { {NULL}, };

  if (l + 2 < state->pyramid->n_levels)
    above = coarse_rows (state->planes[l + 1].c, y, coarse->width,
        coarse->height, COLOUR);
  memset (d, 0, sizeof (d));
  for (guint x0 = 0; x0 < level->width; x0 += CHUNK) {
    const guint x1 = MIN (x0 + CHUNK, level->width);
    const float *u = own;

    if (l == 0)
      features (state, y, x0, x1, own);
    else
      u = state->planes[l].p + (row + x0) * rank;
    if (level->weight != 0)
      level_coefficients (state, y, x0, x1, u, d);
    add_above (&above, level->weight, d, x0, x1,
        l == 0 ? c : state->planes[l].c + (row + x0) * COLOUR);
    if (l == 0)
      store (state, y, x0, x1, c);
  }
}

/* --- Runs ----------------------------------------------------------------- */

static void
for_rows (State * state, guint n_rows, CsParallelFunc func)
{
  cs_executor_for_rows (state->executor, n_rows,
      (n_rows + 4 * N_BANDS - 1) / (4 * N_BANDS), func, state);
}

/* A part of scratch memory of @n floats, at @base + @used if there is one. */
static float *
take (float *base, gsize * used, gsize n)
{
  float *part = base ? base + *used : NULL;

  *used += (n + 15) / 16 * 16;
  return part;
}

/* Returns: floats of all parts */
static gsize
place (State * state, const CsLlfRgbTable * table,
    const CsLlfPyramid * pyramid, float *base)
{
  const CsLlfLevel *levels = pyramid->levels;
  const gsize row = levels[0].width;
  gsize used = 0;

  state->rings = take (base, &used, N_BANDS * 5 * row * table->rank);
  state->picture = take (base, &used,
      table->v ? 0 : row * levels[0].height * COLOUR);
  for (guint l = 1; l < pyramid->n_levels; l++) {
    const gsize n = (gsize) levels[l].width * levels[l].height;

    state->planes[l].p = take (base, &used, n * table->rank);
    state->planes[l].c = take (base, &used, n * COLOUR);
  }
  return used;
}

static gboolean
warm_up (void *data, CsLlfTable * table, const CsLlfPyramid * pyramid,
    GError ** error)
{
  State *state = data;
  const gsize size = place (state, table->rgb, pyramid, NULL);
  float *base = cs_scratch_ensure (&state->scratch, size * sizeof (float),
      error);

  if (!base)
    return FALSE;
  place (state, table->rgb, pyramid, base);
  return table->rgb->v || cs_llf_windows_ensure (&state->windows,
      pyramid->levels[0].width, pyramid->levels[0].height, error);
}

static gboolean
run (void *data, CsLlfTable * table, const CsLlfRgbJob * job,
    const CsLlfPyramid * pyramid, GError ** error)
{
  const CsLlfLevel *levels = pyramid->levels;
  State *state = data;

  if (!warm_up (state, table, pyramid, error))
    return FALSE;
  state->table = table->rgb;
  state->job = job;
  state->pyramid = pyramid;
  state->loops = cs_llf_rows (table->rgb->rank);
  if (state->picture && !table->rgb->v)
    for_rows (state, levels[0].height, copy_row);
  state->band_rows = (levels[1].height + N_BANDS - 1) / N_BANDS;
  cs_executor_parallel_for (state->executor, (levels[1].height +
          state->band_rows - 1) / state->band_rows, down_codes_band, state);
  for (guint l = 1; l + 1 < pyramid->n_levels; l++) {
    state->level = l;
    for_rows (state, levels[l + 1].height, down_row);
  }
  for (guint l = pyramid->n_levels - 1; l-- > 0;) {
    state->level = l;
    for_rows (state, levels[l].height, up_row);
  }
  return TRUE;
}

static void *
create (CsExecutor * executor)
{
  State *state = g_new0 (State, 1);

  state->executor = executor;
  return state;
}

static void
destroy (void *data)
{
  State *state = data;

  cs_llf_windows_clear (&state->windows);
  cs_scratch_clear (&state->scratch);
  g_free (state);
}

const CsLlfRgbBackend cs_llf_rgb_cpu_backend = {
  create, warm_up, run, destroy
};
