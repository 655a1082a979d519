/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The filter on the CPU: codes; the pyramids of G and of the table's u_k, fine
 * to coarse; coefficients and their sum, coarse to fine. Every level is split
 * into independent bands of rows. The result does not depend on the bands, so
 * that any number of threads gives the same bits.
 */
#include "llf_private.h"

#include <math.h>
#include <string.h>

#include "base/clones.h"
#include "base/scratch.h"
#include "llf_cpu_rows.h"
#include "llf_math.h"

/* Minimum work of a band, in floats read. */
#define BAND_WORK (1u << 17)
#define EXACT_BAND_WORK (1u << 11)
#define MAX_CODES 1024

/**
 * Plane:
 * @p: pyramid of the u_k, [y][x][k]; not of level 0
 * @g: the image's pyramid; not of level 0
 * @c: sum of the coefficients of this level and coarser ones
 */
typedef struct
{
  float *p, *g, *c;
} Plane;

typedef struct
{
  CsExecutor *executor;
  CsScratch scratch;
  /* of the exact filter */
  CsLlfWindows windows;

  /* of the current run */
  const CsLlfTable *table;
  const CsLlfFrame *frame;
  const CsLlfPyramid *pyramid;
  const CsLlfRows *loops;
  guint16 *codes;
  Plane planes[CS_LLF_MAX_LEVELS];
  guint level;
} State;

/* --- Samples -------------------------------------------------------------- */

static guint
largest (const CsLlfTable * table)
{
  return (1u << table->params.depth) - 1;
}

CS_CLONES
static void
codes_from_u8 (const guint8 *in, gsize step, guint n, guint16 *out)
{
  for (guint x = 0; x < n; x++)
    out[x] = in[x * step];
}

CS_CLONES
static void
codes_from_u16 (const guint16 *in, gsize step, guint shift, guint max_code,
    guint drop, guint n, guint16 *out)
{
  for (guint x = 0; x < n; x++)
    out[x] = MIN ((guint) in[x * step] >> shift, max_code) >> drop;
}

CS_CLONES
static void
codes_from_f32 (const float *in, gsize step, float max_code, guint n,
    guint16 *out)
{
  for (guint x = 0; x < n; x++) {
    const float value = in[x * step];

    /* NaN compares as false */
    out[x] =
        (gint) ((value > 0 ? (value < 1 ? value : 1) : 0) * max_code + .5f);
  }
}

static void
make_codes (void *user_data, guint y)
{
  const State *state = user_data;
  const CsImage *image = &state->frame->input;
  const gsize step = image->pixel_stride / cs_sample_size (image->type);
  const void *in = (const guint8 *) image->data + y * image->row_stride;
  guint16 *out = state->codes + (gsize) y * image->width;
  const guint depth = state->table->params.depth;

  switch (image->type) {
    case CS_SAMPLE_U8:
      codes_from_u8 (in, step, image->width, out);
      break;
    case CS_SAMPLE_U16:
      codes_from_u16 (in, step, state->frame->shift, largest (state->table),
          depth > 10 ? depth - 10 : 0, image->width, out);
      break;
    default:
      codes_from_f32 (in, step, state->table->n_codes - 1, image->width, out);
      break;
  }
}

CS_CLONES
static void
add_u8 (const guint8 *in, gsize step, const float *change, guint n,
    guint8 *out, gsize out_step)
{
  for (guint x = 0; x < n; x++) {
    const float value = in[x * step] + 255 * change[x];

    out[x * out_step] = (gint) (CLAMP (value, 0, 255) + .5f);
  }
}

CS_CLONES
static void
add_u16 (const guint16 *in, gsize step, guint shift, guint max_code,
    const float *change, guint n, guint16 *out, gsize out_step)
{
  const float scale = max_code;

  for (guint x = 0; x < n; x++) {
    const guint own = MIN ((guint) in[x * step] >> shift, max_code);
    const float value = own + scale * change[x];

    out[x * out_step] = (gint) (CLAMP (value, 0, scale) + .5f) << shift;
  }
}

CS_CLONES
static void
add_f32 (const float *in, gsize step, const float *change, guint n, float *out,
    gsize out_step)
{
  for (guint x = 0; x < n; x++) {
    const float value = in[x * step];

    out[x * out_step] = (value == value ? value : 0) + change[x];
  }
}

/* Values of @n samples, 0 to 1 from the smallest to the largest code. */
static void
get_values (const State * state, const guint8 *in, guint n, float *values)
{
  const CsImage *image = &state->frame->input;
  const guint max_code = largest (state->table);
  const float unit = 1.f / max_code;

  for (guint x = 0; x < n; x++, in += image->pixel_stride) {
    if (image->type == CS_SAMPLE_U8)
      values[x] = *in * unit;
    else if (image->type == CS_SAMPLE_U16)
      values[x] = MIN ((guint) *(const guint16 *) in >> state->frame->shift,
          max_code) * unit;
    else
      values[x] = *(const float *) in;
  }
}

CS_CLONES
static void
guard_changes (const CsLlfToneGuard *guard, const float *values, guint n,
    float *change)
{
  const CsLlfToneGuard own = *guard;

  for (guint x = 0; x < n; x++)
    change[x] = cs_llf_guard_tone (&own, values[x], change[x]);
}

/* Adds @change to the pixels @x0 to @x1 of row @y, and stores them; a guard
 * changes @change before. */
static void
store (const State * state, guint y, guint x0, guint x1, float *change)
{
  const CsLlfFrame *frame = state->frame;
  const CsImage *image = &frame->input;
  const gsize size = cs_sample_size (image->type);
  const gsize step = image->pixel_stride / size;
  const gsize out_step = frame->output_pixel_stride / size;
  const guint8 *in = (const guint8 *) image->data + y * image->row_stride +
      x0 * image->pixel_stride;
  guint8 *out = (guint8 *) frame->output + y * frame->output_row_stride +
      x0 * frame->output_pixel_stride;

  if (state->pyramid->guard.slope > 0) {
    float values[CHUNK];

    get_values (state, in, x1 - x0, values);
    guard_changes (&state->pyramid->guard, values, x1 - x0, change);
  }
  switch (image->type) {
    case CS_SAMPLE_U8:
      add_u8 (in, step, change, x1 - x0, out, out_step);
      break;
    case CS_SAMPLE_U16:
      add_u16 ((const guint16 *) in, step, frame->shift,
          largest (state->table), change, x1 - x0, (guint16 *) out, out_step);
      break;
    default:
      add_f32 ((const float *) in, step, change, x1 - x0, (float *) out,
          out_step);
      break;
  }
}

/* --- Pyramids of single values -------------------------------------------- */

/* Coarse samples @j0 to @j1 from the column sums @sums, which start at sample
 * 2 * j0 - 2; 0 outside. */
CS_CLONES
static void
down_plane_columns (const float *sums, guint j0, guint j1, guint n, float *out)
{
  for (guint j = j0; j < j1; j++) {
    const float *s = sums + 2 * (j - j0);

    out[j] = ((s[0] + s[4]) + 4 * (s[1] + s[3]) + 6 * s[2]) * (1 / 16.f);
  }
  for (guint j = j0; j < j1; j++) {
    float w[5];

    if (j > 0 && 2 * j + 2 < n)
      continue;
    cs_llf_down_weights (j, n, w);
    out[j] *= w[2] * (16 / 6.f);
  }
}

#define DEFINE_DOWN_PLANE(function, Sample) \
CS_CLONES \
static void \
function (const Sample *const rows[5], const float w[5], guint n, float *out, \
    guint m) \
{ \
  float sums[2 * CHUNK + 4]; \
  guint j0; \
\
  for (j0 = 0; j0 < m; j0 += CHUNK) { \
    const guint j1 = MIN (j0 + CHUNK, m); \
    const guint first = j0 > 0 ? 2 * j0 - 2 : 0, skip = j0 > 0 ? 0 : 2; \
    const guint last = MIN (2 * j1 + 1, n); \
    guint x; \
\
    memset (sums, 0, sizeof (sums)); \
    for (x = first; x < last; x++) \
      sums[x - first + skip] = w[0] * rows[0][x] + w[1] * rows[1][x] + \
          w[2] * rows[2][x] + w[3] * rows[3][x] + w[4] * rows[4][x]; \
    down_plane_columns (sums, j0, j1, n, out); \
  } \
}

DEFINE_DOWN_PLANE (down_plane_codes, guint16);
DEFINE_DOWN_PLANE (down_plane_floats, float);

/* The five rows around coarse row @j of @n, and their weights; rows outside
 * have weight 0. */
static void
down_rows (guint j, guint n, gint rows[5], float w[5])
{
  cs_llf_down_weights (j, n, w);
  for (gint i = 0; i < 5; i++)
    rows[i] = CLAMP ((gint) (2 * j) - 2 + i, 0, (gint) n - 1);
}

static void
up_rows (guint y, guint m, gint rows[3], float w[3])
{
  cs_llf_up_weights (y, m, w);
  for (gint i = 0; i < 3; i++)
    rows[i] = CLAMP ((gint) (y / 2) - 1 + i, 0, (gint) m - 1);
}

/* Pixels @x0 (even) to @x1, a CHUNK at most, from three coarse rows of @m. */
CS_CLONES
static void
up_plane (const float *const rows[3], const float w[3], guint m, guint x0,
    guint x1, float *out)
{
  float sums[CHUNK / 2 + 2];
  const guint j0 = x0 / 2, j1 = (x1 + 1) / 2, n = x1 - x0;
  const guint first = j0 > 0 ? j0 - 1 : 0, last = MIN (j1 + 1, m);
  float *s = sums + (j0 > 0 ? 0 : 1);
  float even[CHUNK / 2], odd[CHUNK / 2];

  memset (sums, 0, sizeof (sums));
  for (guint j = first; j < last; j++)
    s[j - first] = w[0] * rows[0][j] + w[1] * rows[1][j] + w[2] * rows[2][j];
  for (guint j = 0; j < j1 - j0; j++) {
    even[j] = (.125f * sums[j] + .125f * sums[j + 2]) + .75f * sums[j + 1];
    odd[j] = .5f * (sums[j + 1] + sums[j + 2]);
  }
  if (j0 == 0 || j1 == m) {
    for (guint j = 0; j < j1 - j0; j += MAX (j1 - j0 - 1, 1)) {
      float at[3];

      cs_llf_up_weights (2 * (j0 + j), m, at);
      even[j] = (at[0] * sums[j] + at[2] * sums[j + 2]) + at[1] * sums[j + 1];
      if (j0 + j + 1 == m)
        odd[j] = sums[j + 1];
    }
  }
  for (guint x = 0; x < n; x++)
    out[x] = x % 2 ? odd[x / 2] : even[x / 2];
}

static void
up_plane_or_zero (const float *plane, guint width, const gint rows[3],
    const float w[3], guint x0, guint x1, float *out)
{
  const float *p[3];

  if (!plane) {
    memset (out, 0, (x1 - x0) * sizeof (float));
    return;
  }
  for (guint i = 0; i < 3; i++)
    p[i] = plane + (gsize) rows[i] * width;
  up_plane (p, w, width, x0, x1, out);
}

/* --- Bands ---------------------------------------------------------------- */

/* Row @j of level + 1. */
static void
down_row (void *user_data, guint j)
{
  const State *state = user_data;
  const guint l = state->level, stride = state->table->stride;
  const CsLlfLevel *fine = &state->pyramid->levels[l], *coarse = fine + 1;
  const Plane *from = &state->planes[l], *to = from + 1;
  float *g = to->g + (gsize) j * coarse->width, *p = NULL;
  gint rows[5], i;
  float w[5];

  if (stride)
    p = to->p + (gsize) j * coarse->width * stride;
  down_rows (j, fine->height, rows, w);
  if (l == 0) {
    const float scale = 1.f / (state->table->n_codes - 1);
    const guint16 *codes[5];
    float scaled[5];

    for (i = 0; i < 5; i++) {
      codes[i] = state->codes + (gsize) rows[i] * fine->width;
      scaled[i] = w[i] * scale;
    }
    down_plane_codes (codes, scaled, fine->width, g, coarse->width);
    if (p)
      state->loops->down_codes (state->table->u, codes, w, fine->width, p,
          coarse->width);
  } else {
    const float *gs[5], *ps[5];

    for (i = 0; i < 5; i++) {
      gs[i] = from->g + (gsize) rows[i] * fine->width;
      ps[i] = from->p + (gsize) rows[i] * fine->width * stride;
    }
    down_plane_floats (gs, w, fine->width, g, coarse->width);
    if (p)
      state->loops->down_floats (ps, w, fine->width, p, coarse->width);
  }
}

/* c = weight * (v0 (g) * (g - up) + terms) + coarser levels. */
static void
add_nodes (const CsLlfTable * table, float weight, const float *g,
    const float *up, const float *terms, const float *above, guint n, float *c)
{
  for (guint x = 0; x < n; x++) {
    const float at = g[x] * CS_LLF_NODES;
    const gint node = (gint) at;
    const float *v0 = table->v0 + node;
    const float slope = v0[0] + (at - node) * (v0[1] - v0[0]);

    c[x] = weight * (slope * (g[x] - up[x]) + terms[x]) + above[x];
  }
}

static void
add_codes (const CsLlfTable * table, float weight, const guint16 *codes,
    const float *up, const float *terms, const float *above, guint n, float *c)
{
  for (guint x = 0; x < n; x++) {
    const guint code = codes[x];

    c[x] = weight * (table->code_d[code] - table->code_v0[code] * up[x] -
        terms[x]) + above[x];
  }
}

/* Row @y of the current level, from the factors. */
static void
up_row (void *user_data, guint y)
{
  const State *state = user_data;
  const guint l = state->level, stride = state->table->stride;
  const CsLlfLevel *level = &state->pyramid->levels[l];
  const guint m = level[1].width, n = level->width;
  const Plane *own = &state->planes[l], *coarse = own + 1;
  float up[CHUNK], above[CHUNK], terms[CHUNK + 4], c[CHUNK], w[3];
  const float *p[3];
  gint rows[3], i;

  up_rows (y, level[1].height, rows, w);
  for (i = 0; i < 3; i++)
    p[i] = coarse->p + (gsize) rows[i] * m * stride;
  for (guint x0 = 0; x0 < n; x0 += CHUNK) {
    const guint x1 = MIN (x0 + CHUNK, n);

    up_plane_or_zero (coarse->g, m, rows, w, x0, x1, up);
    up_plane_or_zero (l + 2 < state->pyramid->n_levels ? coarse->c : NULL, m,
        rows, w, x0, x1, above);
    if (l == 0) {
      const guint16 *codes = state->codes + (gsize) y * n;

      state->loops->up_codes (state->table->code_v, codes, p, w, m, x0, x1,
          terms);
      add_codes (state->table, level->weight, codes + x0, up, terms, above,
          x1 - x0, c);
      store (state, y, x0, x1, c);
    } else {
      const float *g = own->g + (gsize) y * n;

      state->loops->up_nodes (state->table->v, g,
          own->p + (gsize) y * n * stride, p, w, m, x0, x1, terms);
      add_nodes (state->table, level->weight, g + x0, up, terms, above,
          x1 - x0, own->c + (gsize) y * n + x0);
    }
  }
}

/* --- Exact ---------------------------------------------------------------- */

/* d of every code for reference value @g. */
CS_CLONES
static void
deltas_about (const CsLlfTable * table, float g, float *d)
{
  const guint n = table->n_codes;
  const float at = g * (n - 1);
  const gint above = MIN ((gint) ceilf (at), (gint) n - 1);
  const float phase = (above - at) * CS_LLF_PHASES;
  const gint p = CLAMP ((gint) phase, 0, CS_LLF_PHASES - 1);
  const float f = phase - p;
  const float *low = table->fine + (gsize) p * 2 * n + n - above;
  const float *high = low + 2 * n;

  for (guint c = 0; c < n; c++)
    d[c] = low[c] + f * (high[c] - low[c]);
}

/* The coefficient at (@x, @y), from the deltas @d. */
static float
coefficient (const State * state, guint x, guint y, const float *d)
{
  const CsLlfWeights *columns = &state->windows.columns[state->level];
  const CsLlfWeights *rows = &state->windows.rows[state->level];
  const gsize width = state->pyramid->levels[0].width;
  const float *a = columns->a + (gsize) x * columns->support;
  const float *b = columns->b + (gsize) x * columns->support;
  const float *ra = rows->a + (gsize) y * rows->support;
  const float *rb = rows->b + (gsize) y * rows->support;
  const gint n = columns->count[x];
  float sum = 0;
  gint i, k;

  for (i = 0; i < rows->count[y]; i++) {
    const guint16 *codes = state->codes + (rows->start[y] + i) * width +
        columns->start[x];
    float sa = 0, sb = 0, ta = 0, tb = 0;

    /* two independent sums, for instruction-level parallelism */
    for (k = 0; k + 1 < n; k += 2) {
      const float d0 = d[codes[k]], d1 = d[codes[k + 1]];

      sa += a[k] * d0;
      sb += b[k] * d0;
      ta += a[k + 1] * d1;
      tb += b[k + 1] * d1;
    }
    if (k < n) {
      sa += a[k] * d[codes[k]];
      sb += b[k] * d[codes[k]];
    }
    sum += ra[i] * (sa + ta) - rb[i] * (sb + tb);
  }
  return sum;
}

/* Row @y of the current level, by the definition. */
static void
exact_row (void *user_data, guint y)
{
  const State *state = user_data;
  const guint l = state->level, n_codes = state->table->n_codes;
  const CsLlfLevel *level = &state->pyramid->levels[l];
  const guint m = level[1].width, n = level->width;
  const Plane *own = &state->planes[l], *coarse = own + 1;
  float above[CHUNK], c[CHUNK], d[MAX_CODES], w[3];
  gint rows[3];

  up_rows (y, level[1].height, rows, w);
  for (guint x0 = 0; x0 < n; x0 += CHUNK) {
    const guint x1 = MIN (x0 + CHUNK, n);

    up_plane_or_zero (l + 2 < state->pyramid->n_levels ? coarse->c : NULL, m,
        rows, w, x0, x1, above);
    for (guint x = x0; x < x1; x++) {
      const float *about = d;

      if (level->weight == 0) {
        c[x - x0] = above[x - x0];
        continue;
      }
      if (l == 0)
        about = state->table->fine + n_codes - state->codes[(gsize) y * n + x];
      else
        deltas_about (state->table, own->g[(gsize) y * n + x], d);
      c[x - x0] = level->weight * coefficient (state, x, y, about) +
          above[x - x0];
    }
    if (l == 0)
      store (state, y, x0, x1, c);
    else
      memcpy (own->c + (gsize) y * n + x0, c, (x1 - x0) * sizeof (float));
  }
}

/* --- Runs ----------------------------------------------------------------- */

/* What a frame is made of. */
static void
take_frame (const State * state)
{
  const guint depth = state->table->params.depth;

  switch (state->frame->input.type) {
    case CS_SAMPLE_U8:
      cs_llf_take (CS_LLF_CODES_U8);
      break;
    case CS_SAMPLE_U16:
      cs_llf_take (depth > 10 ? CS_LLF_CODES_DROP : CS_LLF_CODES_U16);
      break;
    default:
      cs_llf_take (CS_LLF_CODES_F32);
      break;
  }
  if (state->pyramid->guard.slope > 0)
    cs_llf_take (CS_LLF_GUARDED);
}

/* Calls @func for every row in parallel; @row_work is the cost of a row. */
static void
for_rows (State * state, guint n_rows, gsize row_work, gsize band_work,
    CsParallelFunc func)
{
  const gsize band_rows = band_work / MAX (row_work, 1) + 1;

  cs_llf_take (band_rows < n_rows ? CS_LLF_BANDS : CS_LLF_ONE_BAND);
  cs_executor_for_rows (state->executor, n_rows, MIN (band_rows, n_rows),
      func, state);
}

static gsize
align (gsize n)
{
  return (n + 15) / 16 * 16;
}

/* Carves scratch memory into planes; only returns its size in floats if @base
 * is NULL. */
static gsize
place (State * state, const CsLlfPyramid * pyramid, guint stride, float *base)
{
  gsize used = align (((gsize) pyramid->levels[0].width *
          pyramid->levels[0].height + 1) / 2);

  state->codes = (guint16 *) base;
  for (guint l = 1; l < pyramid->n_levels; l++) {
    const gsize n = (gsize) pyramid->levels[l].width *
        pyramid->levels[l].height;

    if (base)
      state->planes[l] = (Plane) { base + used + 2 * align (n), base + used,
        base + used + align (n)
      };
    used += 2 * align (n) + align (n * stride);
  }
  return used;
}

static gboolean
llf_cpu_warm_up (void *user_data, const CsLlfTable * table,
    const CsLlfPyramid * pyramid, GError ** error)
{
  State *state = user_data;
  const gsize size = place (state, pyramid, table->stride, NULL);
  float *base = cs_scratch_ensure (&state->scratch, size * sizeof (float),
      error);

  if (!base)
    return FALSE;
  place (state, pyramid, table->stride, base);
  return !table->fine || cs_llf_windows_ensure (&state->windows,
      pyramid->levels[0].width, pyramid->levels[0].height, error);
}

static gboolean
llf_cpu_run (void *user_data, CsLlfTable * table, const CsLlfFrame * frame,
    const CsLlfPyramid * pyramid, GError ** error)
{
  State *state = user_data;
  const CsLlfLevel *levels = pyramid->levels;
  const gsize terms = table->stride + 2;

  if (!llf_cpu_warm_up (state, table, pyramid, error))
    return FALSE;
  state->table = table;
  state->frame = frame;
  state->pyramid = pyramid;
  take_frame (state);
  if (table->stride)
    state->loops = cs_llf_rows (table->stride);
  for_rows (state, levels[0].height, levels[0].width, BAND_WORK, make_codes);
  for (guint l = 0; l + 1 < pyramid->n_levels; l++) {
    state->level = l;
    for_rows (state, levels[l + 1].height, levels[l].width * 2 * terms,
        BAND_WORK, down_row);
  }
  for (guint l = pyramid->n_levels - 1; l-- > 0;) {
    state->level = l;
    if (table->fine)
      cs_llf_take (levels[l].weight == 0 ? CS_LLF_LEVEL_OFF :
          CS_LLF_ROWS_EXACT);
    if (table->fine)
      for_rows (state, levels[l].height, (gsize) levels[l].width << (2 * l),
          EXACT_BAND_WORK, exact_row);
    else
      for_rows (state, levels[l].height, levels[l].width * terms, BAND_WORK,
          up_row);
  }
  return TRUE;
}

static gboolean
llf_cpu_copy (void *user_data, const CsLlfFrame * frame, GError ** error)
{
  const CsImage *image = &frame->input;
  const gsize size = cs_sample_size (image->type);

  for (guint y = 0; y < image->height; y++) {
    const guint8 *in = (const guint8 *) image->data + y * image->row_stride;
    guint8 *out = (guint8 *) frame->output + y * frame->output_row_stride;

    if (in == out) {
      cs_llf_take (CS_LLF_COPY_IN_PLACE);
      continue;
    }
    if (image->pixel_stride == size && frame->output_pixel_stride == size) {
      memcpy (out, in, image->width * size);
      cs_llf_take (CS_LLF_COPY_ROWS);
      continue;
    }
    cs_llf_take (CS_LLF_COPY_PIXELS);
    for (guint x = 0; x < image->width; x++)
      memcpy (out + x * frame->output_pixel_stride,
          in + x * image->pixel_stride, size);
  }
  return TRUE;
}

static void *
llf_cpu_create (CsExecutor * executor, GError ** error)
{
  State *state = g_new0 (State, 1);

  state->executor = executor;
  return state;
}

static void
llf_cpu_destroy (void *user_data)
{
  State *state = user_data;

  cs_llf_windows_clear (&state->windows);
  cs_scratch_clear (&state->scratch);
  g_free (state);
}

const CsLlfBackend cs_llf_cpu_backend = {
  llf_cpu_create, llf_cpu_warm_up, llf_cpu_run, llf_cpu_copy, llf_cpu_destroy,
};
