/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between llf.c, which checks and dispatches, the table and the
 * backends.
 *
 * Internally, an image's value is code / (n_codes - 1), regardless of range:
 * limited range only makes the curve narrower. */

#include "llf.h"
#include "llf_math.h"
#include "llf_ways.h"

G_BEGIN_DECLS

/* Intervals of g between the table's nodes. */
#define CS_LLF_NODES 256
/* Subdivision of a code at which d of the exact filter is tabulated; linear
 * between. */
#define CS_LLF_PHASES 16

/* See llf_rgb_private.h. */
typedef struct _CsLlfRgbTable CsLlfRgbTable;

/**
 * CsLlfTable:
 * @n_codes: number of pixel values, 256 to 1024
 * @stride: @rank rounded up to 4, 8, 16 or 32; u and v are 0 beyond the rank
 * @u: u_k of code i at [i * stride + k]
 * @v: v_k of node n (g = n / CS_LLF_NODES) at [n * stride + k]; padded by one
 *     node, so that node n + 1 can always be read
 * @v0: factor of i, at the same nodes
 * @code_v, @code_v0: v and v0 at codes
 * @code_d: code_v0 * i + sum_k u_k code_v_k, of code i at itself
 * @fine: d of the exact filter: d ((j - n_codes + p / CS_LLF_PHASES) /
 *     (n_codes - 1)) at [p * 2 * n_codes + j], phases 0 to CS_LLF_PHASES
 *     included
 * @spread: maximum range of the factorisation's errors in a column g, which
 *     bounds the error of a level
 * @code_spread: likewise over columns at codes, for the finest level
 * @rgb: (nullable): with CS_LLF_RGB_DISTANCE, in place of all of these
 */
struct _CsLlfTable
{
  gint ref_count;
  CsLlfParams params;
  gboolean identity;
  guint n_codes, rank, stride;
  float *u, *v, *v0, *code_v, *code_v0, *code_d;
  float *fine;
  double spread, code_spread;
  CsLlfRgbTable *rgb;
};

/* d(x) = r - x of @params, for differences of codes over n_codes - 1. */
double cs_llf_delta (const CsLlfParams * params, double x);

/* The guard that holds: the curve's own, and 0 where nothing is enhanced. */
double cs_llf_noise_guard (const CsLlfParams * params);

/**
 * CsLlfShipped:
 * @params: what it is for; of these depths others have the same contents
 *     (10 stands for more)
 * @first: where its floats begin in #cs_llf_shipped_data: u, v, v0, code_v,
 *     code_v0, code_d
 *
 * A table made with the build, in the order and of the size of #CsLlfTable.
 */
typedef struct
{
  CsLlfParams params;
  guint rank, stride;
  double spread, code_spread;
  gsize first;
} CsLlfShipped;

extern const CsLlfShipped cs_llf_shipped[];
extern const guint cs_llf_n_shipped;
/* The bits of floats. */
extern const guint32 cs_llf_shipped_data[];

/**
 * CsLlfLevel:
 *
 * Size of a pyramid level, and the factor of its coefficients (including the
 * amount), 0 for the last.
 */
typedef struct
{
  guint width, height;
  float weight;
} CsLlfLevel;

/**
 * CsLlfPyramid:
 * @guard: of the change of the first level's pixels
 */
typedef struct
{
  CsLlfLevel levels[CS_LLF_MAX_LEVELS];
  guint n_levels;
  CsLlfToneGuard guard;
} CsLlfPyramid;

gboolean cs_llf_check_size (guint width, guint height, GError ** error);

void cs_llf_pyramid_init (CsLlfPyramid * pyramid, guint width, guint height);

/* The pyramid of a frame, with the factors of @settings, cut off after the last
 * level with a factor other than 0, without a guard. Fails with
 * CS_ERROR_INVALID (settings not finite or out of range) and CS_ERROR_LIMIT. */
gboolean cs_llf_pyramid_plan (CsLlfPyramid * pyramid, guint width,
    guint height, const CsLlfSettings * settings, GError ** error);

/* The guard of @settings, for values of codes of @params. */
CsLlfToneGuard cs_llf_get_tone_guard (const CsLlfParams * params,
    const CsLlfSettings * settings);

/* The table of the next frame. Returns: (transfer full) */
CsLlfTable *cs_llf_take_table (CsLlf * plan);

/**
 * CsLlfBackend:
 * @create: the backend's state
 * @warm_up: as cs_llf_warm_up(), for frames that use @table
 * @run: filters a valid frame; not an identity. The pyramid ends after the last
 *     level with a factor other than 0.
 * @copy: copies the input to the output
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (CsExecutor * executor, GError ** error);
  gboolean (*warm_up) (void *state, const CsLlfTable * table,
      const CsLlfPyramid * pyramid, GError ** error);
  gboolean (*run) (void *state, CsLlfTable * table, const CsLlfFrame * frame,
      const CsLlfPyramid * pyramid, GError ** error);
  gboolean (*copy) (void *state, const CsLlfFrame * frame, GError ** error);
  void (*destroy) (void *state);
} CsLlfBackend;

extern const CsLlfBackend cs_llf_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsLlfBackend cs_llf_cuda_backend;

/**
 * CsLlfWeights:
 * @support: maximum support of a coefficient; stride of the arrays
 * @start: first sample of coefficient p at [p]
 * @count: number of samples of coefficient p
 * @a: their weights in G_l, [p * support + k]
 * @b: their weights in up (G_{l + 1})
 *
 * Weights of the samples of a row, or a column, of the image in the
 * coefficients of a level.
 */
typedef struct
{
  guint n, support;
  gint32 *start, *count;
  float *a, *b;
} CsLlfWeights;

/**
 * CsLlfWindows:
 * @n_levels: number of levels with weights
 *
 * The weights of all levels of images of a size. Zero-initialise it.
 */
typedef struct
{
  guint width, height, n_levels;
  CsLlfWeights columns[CS_LLF_MAX_LEVELS], rows[CS_LLF_MAX_LEVELS];
} CsLlfWindows;

/* Computes them unless they are of this size. Fails with CS_ERROR_NO_MEMORY. */
gboolean cs_llf_windows_ensure (CsLlfWindows * windows, guint width,
    guint height, GError ** error);
void cs_llf_windows_clear (CsLlfWindows * windows);

G_END_DECLS
