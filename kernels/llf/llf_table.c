/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Low-rank approximation of a curve's matrix, d (i - g) over codes i and
 * values g, by products u_k (i) v_k (g), plus f (g) + v0 (g) i, which are
 * free: the Laplacian removes the first, and the second only needs the image's
 * own pyramid. Initialised with singular vectors, refined by alternating least
 * squares, weighted towards i = g, where detail is.
 */
#include "llf_private.h"

#include <math.h>
#include <string.h>

#include "base/memory.h"
#include "llf_rgb_private.h"
#include "llf_solve.h"

#define N_NODES (CS_LLF_NODES + 1)
/* Codes of the factorisation; with more codes, the rest is fitted to these. */
#define MAX_FIT 256
/* Sweeps until convergence, for smooth curves and for the power curve. */
#define N_SMOOTH_SWEEPS 8
#define N_POWER_SWEEPS 40
#define N_POWER_STEPS 10
/* Unknowns of a column: v_k, f and v0. */
#define MAX_UNKNOWNS CS_LLF_MAX_UNKNOWNS
/* Error of single precision per level, in 8-bit codes. */
#define ROUNDING .002
/* Negligible error of a column, in 8-bit codes. */
#define TOLERANCE .05

/* --- Factorisation -------------------------------------------------------- */

/**
 * Weight:
 *
 * Weight of the error of code i in column g: @base + (@floor + |i - g|) ^
 * -@slope.
 */
typedef struct
{
  double floor, slope, base;
} Weight;

/* For the search, for v at nodes, and for v at codes: the finest level has
 * small windows. */
static const Weight smooth_weights[3] = {
  {.1, 1.5, 0}, {.1, 1.5, 0}, {.1, 1.5, 0},
};

/* Tuned for the smallest maximum error on noise and natural images. */
static const Weight power_weights[3] = {
  {.0294, 1.447, .07}, {.08, 1.9, .07}, {.0157, 1.2, .27},
};

enum
{
  WEIGHT_SEARCH,
  WEIGHT_NODES,
  WEIGHT_CODES,
};

/**
 * Factors:
 * @weights: by purpose
 * @w: weights of the search, as @m
 * @m: d of code i, column g at [g * n + i], n codes
 * @u: u_k of code i at [i * rank + k]
 * @v: of column g: f, v0, v_1 ... at [g * (rank + 2)]
 *
 * State of the factorisation.
 */
typedef struct
{
  guint n, rank;
  const Weight *weights;
  double *w, *m, *u, *v;
} Factors;

static double
column_value (guint g)
{
  return (double) g / CS_LLF_NODES;
}

static double
code_value (guint i, guint n)
{
  return (double) i / (n - 1);
}

static double
fit_weight (const Weight * weight, double i, double g)
{
  return weight->base + pow (weight->floor + fabs (i - g), -weight->slope);
}

/* Least squares: f, v0, v_k of a column @m with weights @w, into @v. */
static void
fit_column (const Factors * factors, const double *m, const double *w,
    double *v)
{
  const guint rank = factors->rank;
  double a[MAX_UNKNOWNS * MAX_UNKNOWNS] = { 0 }, row[MAX_UNKNOWNS];

  memset (v, 0, (rank + 2) * sizeof (double));
  for (guint i = 0; i < factors->n; i++) {
    row[0] = 1;
    row[1] = code_value (i, factors->n);
    memcpy (row + 2, factors->u + i * rank, rank * sizeof (double));
    cs_llf_add_equation (a, v, row, rank + 2, m[i], w[i]);
  }
  cs_llf_solve (a, v, rank + 2);
}

static void
fit_columns (Factors * factors)
{
  for (guint g = 0; g < N_NODES; g++)
    fit_column (factors, factors->m + g * factors->n,
        factors->w + g * factors->n, factors->v + g * (factors->rank + 2));
}

/* Least squares: u_k of every code, given all columns. */
static void
fit_codes (Factors * factors)
{
  const guint rank = factors->rank, n = factors->n;

  for (guint i = 0; i < n; i++) {
    double a[MAX_UNKNOWNS * MAX_UNKNOWNS] = { 0 };
    double *u = factors->u + i * rank;
    const double value = code_value (i, n);

    memset (u, 0, rank * sizeof (double));
    for (guint g = 0; g < N_NODES; g++) {
      const double *v = factors->v + g * (rank + 2);
      const double rest = factors->m[g * n + i] - v[0] - v[1] * value;

      cs_llf_add_equation (a, u, v + 2, rank, rest, factors->w[g * n + i]);
    }
    cs_llf_solve (a, u, rank);
  }
}

/* Scales every u_k to a maximum of 1, for 16-bit storage, and v_k inversely. */
static void
balance (Factors * factors)
{
  const guint rank = factors->rank;

  for (guint k = 0; k < rank; k++) {
    double max = 0;

    for (guint i = 0; i < factors->n; i++)
      max = MAX (max, fabs (factors->u[i * rank + k]));
    if (max < 1e-30)
      continue;
    for (guint i = 0; i < factors->n; i++)
      factors->u[i * rank + k] /= max;
    for (guint i = 0; i < N_NODES; i++)
      factors->v[i * (rank + 2) + 2 + k] *= max;
  }
}

static double
dot (const double *a, const double *b, guint n)
{
  double sum = 0;

  for (guint i = 0; i < n; i++)
    sum += a[i] * b[i];
  return sum;
}

/* Gram-Schmidt: makes vector @k of @q (n each) orthogonal to the previous
 * ones, and of length 1 or 0. */
static void
orthogonalise (double *q, guint k, guint n)
{
  double *own = q + k * n, length;

  for (guint pass = 0; pass < 2; pass++) {
    for (guint j = 0; j < k; j++) {
      const double part = dot (own, q + j * n, n);

      for (guint i = 0; i < n; i++)
        own[i] -= part * q[j * n + i];
    }
  }
  length = sqrt (dot (own, own, n));
  for (guint i = 0; i < n; i++)
    own[i] = length > 1e-13 ? own[i] / length : 0;
}

/* The matrix with its columns projected orthogonally to 1 and i. */
static void
remove_lines (const Factors * factors, double *x)
{
  const guint n = factors->n;

  for (guint g = 0; g < N_NODES; g++) {
    const double *m = factors->m + g * n;
    double mean = 0, slope = 0, squares = 0;

    for (guint i = 0; i < n; i++)
      mean += m[i] / n;
    for (guint i = 0; i < n; i++) {
      const double t = code_value (i, n) - .5;

      slope += t * (m[i] - mean);
      squares += t * t;
    }
    for (guint i = 0; i < n; i++)
      x[g * n + i] = m[i] - mean - slope / squares * (code_value (i, n) - .5);
  }
}

/* u from the leading singular vectors of remove_lines(), by block power
 * iteration with oversampling. Deterministic: the start is fixed. */
static gboolean
singular_vectors (Factors * factors, GError ** error)
{
  const guint n = factors->n, block = factors->rank + 4;
  g_autofree double *x = cs_try_new (double, N_NODES * n);
  g_autofree double *q = cs_try_new (double, block * n);
  g_autofree double *y = cs_try_new (double, N_NODES);
  guint32 seed = 1;

  if (!x || !q || !y)
    return cs_fail_no_memory (error, "the factors of a table");
  remove_lines (factors, x);
  for (guint i = 0; i < block * n; i++) {
    seed = seed * 1664525 + 1013904223;
    q[i] = (seed >> 8) / 16777216. - .5;
  }
  for (guint step = 0; step <= N_POWER_STEPS; step++) {
    for (guint k = 0; k < block; k++) {
      for (guint g = 0; g < N_NODES; g++)
        y[g] = dot (x + g * n, q + k * n, n);
      memset (q + k * n, 0, n * sizeof (double));
      for (guint g = 0; g < N_NODES; g++)
        for (guint i = 0; i < n; i++)
          q[k * n + i] += y[g] * x[g * n + i];
      orthogonalise (q, k, n);
    }
  }
  for (guint k = 0; k < factors->rank; k++)
    for (guint i = 0; i < n; i++)
      factors->u[i * factors->rank + k] = q[k * n + i];
  return TRUE;
}

static void
fill_weights (Factors * factors, guint purpose)
{
  for (guint g = 0; g < N_NODES; g++)
    for (guint i = 0; i < factors->n; i++)
      factors->w[g * factors->n + i] = fit_weight (&factors->weights[purpose],
          code_value (i, factors->n), column_value (g));
}

static void
factors_clear (Factors * factors)
{
  g_clear_pointer (&factors->w, g_free);
  g_clear_pointer (&factors->m, g_free);
  g_clear_pointer (&factors->u, g_free);
  g_clear_pointer (&factors->v, g_free);
}

static gboolean
factors_init (Factors * factors, const CsLlfParams * params, guint n,
    guint rank, GError ** error)
{
  *factors = (Factors) {
    .n = n,.rank = rank,
    .weights = params->curve == CS_LLF_SMOOTH ? smooth_weights : power_weights,
    .w = cs_try_new (double, N_NODES * n),
    .m = cs_try_new (double, N_NODES * n),
    .u = cs_try_new0 (double, n * rank),
    .v = cs_try_new0 (double, N_NODES * (rank + 2)),
  };
  if (factors->w && factors->m && factors->u && factors->v) {
    for (guint g = 0; g < N_NODES; g++)
      for (guint i = 0; i < factors->n; i++)
        factors->m[g * factors->n + i] = cs_llf_delta (params,
            code_value (i, factors->n) - column_value (g));
    fill_weights (factors, WEIGHT_SEARCH);
    return TRUE;
  }
  factors_clear (factors);
  return cs_fail_no_memory (error, "the factors of a table");
}

static gboolean
factorise (Factors * factors, guint n_sweeps, GError ** error)
{
  if (!singular_vectors (factors, error))
    return FALSE;
  balance (factors);
  for (guint sweep = 0; sweep < n_sweeps; sweep++) {
    fit_columns (factors);
    fit_codes (factors);
    balance (factors);
  }
  fill_weights (factors, WEIGHT_NODES);
  fit_columns (factors);
  return TRUE;
}

/* Extends factors from few codes to all. */
static gboolean
refine (Factors * factors, const CsLlfParams * params, guint n, GError ** error)
{
  Factors fine;

  if (n == factors->n)
    return TRUE;
  cs_llf_take (CS_LLF_TABLE_REFINED);
  if (!factors_init (&fine, params, n, factors->rank, error))
    return FALSE;
  memcpy (fine.v, factors->v, N_NODES * (factors->rank + 2) * sizeof (double));
  factors_clear (factors);
  *factors = fine;
  fit_codes (factors);
  balance (factors);
  fill_weights (factors, WEIGHT_NODES);
  fit_columns (factors);
  return TRUE;
}

/* --- Tables --------------------------------------------------------------- */

static gboolean
allocate (CsLlfTable * table, guint rank, GError ** error)
{
  const gsize n = table->n_codes, nodes = CS_LLF_NODES + 2;

  table->rank = rank;
  for (table->stride = 4; table->stride < rank; table->stride *= 2);
  table->u = cs_try_new0 (float, n * table->stride);
  table->v = cs_try_new0 (float, nodes * table->stride);
  table->v0 = cs_try_new0 (float, nodes);
  table->code_v = cs_try_new0 (float, n * table->stride);
  table->code_v0 = cs_try_new0 (float, n);
  table->code_d = cs_try_new0 (float, n);
  if (table->u && table->v && table->v0 && table->code_v && table->code_v0 &&
      table->code_d)
    return TRUE;
  return cs_fail_no_memory (error, "a table");
}

static void
release (CsLlfTable * table)
{
  g_clear_pointer (&table->u, g_free);
  g_clear_pointer (&table->v, g_free);
  g_clear_pointer (&table->v0, g_free);
  g_clear_pointer (&table->code_v, g_free);
  g_clear_pointer (&table->code_v0, g_free);
  g_clear_pointer (&table->code_d, g_free);
  g_clear_pointer (&table->fine, g_free);
  g_clear_pointer (&table->rgb, cs_llf_rgb_table_free);
}

/* Derived entries: the padding node, and code_d. */
static void
complete (CsLlfTable * table)
{
  const guint r = table->stride;

  memcpy (table->v + N_NODES * r, table->v + CS_LLF_NODES * r,
      r * sizeof (float));
  table->v0[N_NODES] = table->v0[CS_LLF_NODES];
  for (guint i = 0; i < table->n_codes; i++) {
    double sum = table->code_v0[i] * code_value (i, table->n_codes);

    for (guint k = 0; k < r; k++)
      sum += (double) table->u[i * r + k] * table->code_v[i * r + k];
    table->code_d[i] = sum;
  }
}

/* The range of the errors of column @g, whose factors are @v and @v0. */
static double
column_spread (const CsLlfTable * table, double g, const float *v, double v0)
{
  const guint r = table->stride;
  double max = -G_MAXDOUBLE, min = G_MAXDOUBLE;

  for (guint i = 0; i < table->n_codes; i++) {
    const double value = code_value (i, table->n_codes);
    double error = cs_llf_delta (&table->params, value - g) - v0 * value;

    for (guint k = 0; k < r; k++)
      error -= table->u[i * r + k] * v[k];
    max = MAX (max, error);
    min = MIN (min, error);
  }
  return max - min;
}

/* Over all nodes and midpoints. */
static double
nodes_spread (const CsLlfTable * table)
{
  const guint r = table->stride;
  double max = 0;

  for (guint g = 0; g < 2 * CS_LLF_NODES + 1; g++) {
    const float *v = table->v + g / 2 * r, f = g % 2 ? .5f : 0.f;
    float between[CS_LLF_MAX_RANK];

    for (guint k = 0; k < r; k++)
      between[k] = v[k] + f * (v[r + k] - v[k]);
    max = MAX (max, column_spread (table, g / (2. * CS_LLF_NODES), between,
            table->v0[g / 2] + f * (table->v0[g / 2 + 1] - table->v0[g / 2])));
  }
  return max;
}

static double
codes_spread (const CsLlfTable * table)
{
  double max = 0;

  for (guint i = 0; i < table->n_codes; i++)
    max = MAX (max, column_spread (table, code_value (i, table->n_codes),
            table->code_v + i * table->stride, table->code_v0[i]));
  return max;
}

static void
measure (CsLlfTable * table)
{
  table->spread = nodes_spread (table);
  table->code_spread = codes_spread (table);
}

/* Factors at codes, by least squares for each. */
static void
fill_codes (CsLlfTable * table, const Factors * factors)
{
  const guint n = factors->n, rank = factors->rank;
  double v[MAX_UNKNOWNS];
  /* reuses the memory of the nodes' columns */
  double *m = factors->m, *w = factors->w;

  for (guint i = 0; i < n; i++) {
    const double g = code_value (i, n);

    for (guint j = 0; j < n; j++) {
      m[j] = cs_llf_delta (&table->params, code_value (j, n) - g);
      w[j] = fit_weight (&factors->weights[WEIGHT_CODES], code_value (j, n), g);
    }
    fit_column (factors, m, w, v);
    table->code_v0[i] = v[1];
    for (guint k = 0; k < rank; k++) {
      table->code_v[i * table->stride + k] = v[2 + k];
      table->u[i * table->stride + k] = factors->u[i * rank + k];
    }
  }
}

static gboolean
fill_factors (CsLlfTable * table, guint rank, guint n_sweeps, GError ** error)
{
  Factors factors;

  if (!factors_init (&factors, &table->params, MIN (table->n_codes, MAX_FIT),
          rank, error))
    return FALSE;
  const gboolean ok = factorise (&factors, n_sweeps, error) &&
      refine (&factors, &table->params, table->n_codes, error) &&
      allocate (table, rank, error);
  if (ok) {
    for (guint g = 0; g < N_NODES; g++) {
      const double *v = factors.v + g * (rank + 2);

      table->v0[g] = v[1];
      for (guint k = 0; k < rank; k++)
        table->v[g * table->stride + k] = v[2 + k];
    }
    fill_codes (table, &factors);
    complete (table);
    measure (table);
  }
  factors_clear (&factors);
  return ok;
}

/* Hat function of sample @k of @n intensities. */
static double
hat (guint k, guint n, double g)
{
  return MAX (0, 1 - fabs (g * (n - 1) - k));
}

static gboolean
fill_samples (CsLlfTable * table, GError ** error)
{
  const guint n = table->params.intensity_levels;

  if (!allocate (table, n, error))
    return FALSE;
  for (guint k = 0; k < n; k++) {
    for (guint i = 0; i < N_NODES; i++)
      table->v[i * table->stride + k] = hat (k, n, column_value (i));
    for (guint i = 0; i < table->n_codes; i++) {
      const double value = code_value (i, table->n_codes);

      table->code_v[i * table->stride + k] = hat (k, n, value);
      table->u[i * table->stride + k] = cs_llf_delta (&table->params,
          value - code_value (k, n));
    }
  }
  complete (table);
  measure (table);
  return TRUE;
}

static gboolean
fill_exact (CsLlfTable * table, GError ** error)
{
  const gsize n = table->n_codes;

  table->fine = cs_try_new (float, (CS_LLF_PHASES + 1) * 2 * n);
  if (!table->fine)
    return cs_fail_no_memory (error, "a table");
  for (gsize p = 0; p <= CS_LLF_PHASES; p++)
    for (gsize j = 0; j < 2 * n; j++)
      table->fine[p * 2 * n + j] = cs_llf_delta (&table->params,
          ((double) j - n + (double) p / CS_LLF_PHASES) / (n - 1));
  return TRUE;
}

static guint
best_sweeps (const CsLlfTable * table)
{
  return table->params.curve == CS_LLF_SMOOTH ? N_SMOOTH_SWEEPS :
      N_POWER_SWEEPS;
}

static gboolean
fill_rgb (CsLlfTable * table, GError ** error)
{
  table->rgb = cs_llf_rgb_table_new (&table->params, error);
  if (!table->rgb)
    return FALSE;
  table->rank = table->rgb->v ? table->rgb->rank : 0;
  return TRUE;
}

/* The smallest rank within tolerance, up to the quality's. */
static gboolean
fill_automatic (CsLlfTable * table, GError ** error)
{
  const guint last = table->params.quality == CS_LLF_HIGH ? 16 :
      table->params.quality == CS_LLF_NORMAL ? 8 : 4;
  guint rank;

  for (rank = 4; rank <= last; rank *= 2) {
    release (table);
    /* a sufficient rank converges quickly */
    if (!fill_factors (table, rank, rank < last ? N_SMOOTH_SWEEPS :
            best_sweeps (table), error))
      return FALSE;
    if (MAX (table->spread, table->code_spread) * 255 <= TOLERANCE)
      break;
  }
  cs_llf_take (rank < last ? CS_LLF_TABLE_ENOUGH : CS_LLF_TABLE_LAST);
  return TRUE;
}

static gboolean
fill (CsLlfTable * table, GError ** error)
{
  if (table->identity) {
    cs_llf_take (CS_LLF_TABLE_IDENTITY);
    return TRUE;
  }
  if (table->params.color_remapping == CS_LLF_RGB_DISTANCE)
    return fill_rgb (table, error);
  switch (table->params.quality) {
    case CS_LLF_EXACT:
      cs_llf_take (CS_LLF_TABLE_EXACT);
      return fill_exact (table, error);
    case CS_LLF_SAMPLED:
      cs_llf_take (CS_LLF_TABLE_SAMPLED);
      return fill_samples (table, error);
    default:
      if (!table->params.rank)
        return fill_automatic (table, error);
      cs_llf_take (CS_LLF_TABLE_RANK);
      return fill_factors (table, table->params.rank, best_sweeps (table),
          error);
  }
}

static gboolean
check_range (const char *name, double value, double min, double max,
    GError ** error)
{
  if (value >= min && value <= max)
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID, "%s is %g: it must be %g to %g",
      name, value, min, max);
}

static gboolean
check_params (const CsLlfParams * params, GError ** error)
{
  if ((guint) params->quality > CS_LLF_SAMPLED ||
      (guint) params->curve > CS_LLF_SMOOTH)
    return cs_error (error, CS_ERROR_INVALID, "unknown quality %d or curve %d",
        params->quality, params->curve);
  if ((guint) params->color_remapping > CS_LLF_RGB_DISTANCE)
    return cs_error (error, CS_ERROR_INVALID, "unknown colour mode %d",
        params->color_remapping);
  if (params->color_remapping == CS_LLF_RGB_DISTANCE && (params->depth != 8 ||
          params->limited_range || params->quality == CS_LLF_SAMPLED))
    return cs_error (error, CS_ERROR_INVALID, "distances in RGB are of 8 bits "
        "and full range, and of any quality but \"sampled\"");
  return check_range ("sigma", params->sigma, .001, 4, error) &&
      check_range ("alpha", params->alpha, .05, 10, error) &&
      check_range ("beta", params->beta, 0, 4, error) &&
      check_range ("noise-guard", params->noise_guard, -1, .25, error) &&
      check_range ("depth", params->depth, 8, 16, error) &&
      check_range ("rank", params->rank, 0, CS_LLF_MAX_RANK, error) &&
      (params->quality != CS_LLF_SAMPLED ||
      check_range ("intensity-levels", params->intensity_levels, 2,
          CS_LLF_MAX_RANK, error));
}

void
cs_llf_params_init (CsLlfParams * params)
{
  *params = (CsLlfParams) {
    .quality = CS_LLF_DEFAULT_QUALITY,
    .curve = CS_LLF_DEFAULT_CURVE,
    .sigma = CS_LLF_DEFAULT_SIGMA,
    .alpha = CS_LLF_DEFAULT_ALPHA,
    .beta = CS_LLF_DEFAULT_BETA,
    .noise_guard = CS_LLF_DEFAULT_NOISE_GUARD,
    .rank = CS_LLF_DEFAULT_RANK,
    .intensity_levels = CS_LLF_DEFAULT_INTENSITY_LEVELS,
    .depth = 8,
  };
}

CsLlfTable *
cs_llf_table_new (const CsLlfParams * params, GError ** error)
{
  if (!check_params (params, error))
    return NULL;
  CsLlfTable *table = g_new0 (CsLlfTable, 1);
  table->ref_count = 1;
  table->params = *params;
  table->n_codes = 1u << MIN (params->depth, 10);
  table->identity = params->alpha == 1 && params->beta == 1;
  if (!fill (table, error))
    g_clear_pointer (&table, cs_llf_table_unref);
  return table;
}

CsLlfTable *
cs_llf_table_ref (CsLlfTable * table)
{
  g_atomic_int_inc (&table->ref_count);
  return table;
}

void
cs_llf_table_unref (CsLlfTable * table)
{
  if (!g_atomic_int_dec_and_test (&table->ref_count))
    return;
  release (table);
  g_free (table);
}

guint
cs_llf_table_get_rank (const CsLlfTable * table)
{
  return table->rank;
}

/* A coefficient is a difference of two Gaussians. Its positive weights have the
 * same sum as its negative ones, so that its error is at most this sum times
 * the range of the errors. The sum is largest at borders and in images of few
 * pixels: .9375 at the finest level, .7455 at the next, at most .7184 at
 * others. Collapsing the pyramid only averages errors. */
double
cs_llf_table_get_error_bound (const CsLlfTable * table, guint levels)
{
  if (table->identity || levels < 2)
    return 0;
  if (table->rgb)
    return -1;
  double spreads = .938 * table->code_spread;
  if (levels > 2)
    spreads += .746 * table->spread;
  if (levels > 3)
    spreads += (levels - 3) * .719 * table->spread;
  return spreads * 255 + (levels - 1) * ROUNDING;
}

gboolean
cs_llf_table_is_identity (const CsLlfTable * table)
{
  return table->identity;
}
