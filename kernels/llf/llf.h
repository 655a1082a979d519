/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_LLF_H
#define CS_LLF_H

/**
 * The local Laplacian filter: brings out or smooths detail, compresses or
 * expands tone, without halos.
 *
 * Paris, Hasinoff, Kautz, "Local Laplacian Filters" (SIGGRAPH 2011) is the
 * definition; Aubry et al., "Fast Local Laplacian Filters" (TOG 2014) is
 * CS_LLF_SAMPLED. With I the image in [0, 1], G its Gaussian pyramid, r the
 * remapping of I around g and d = r - I, computed is
 *   out = I + amount * collapse (weight[l] * D_l),
 *   D_l (p) = level l of the Laplacian pyramid of d (I - G_l (p)), at p,
 * which is the paper's filter, and exact where nothing changes: identities and
 * flat frames come out bit for bit.
 *
 * A table holds what the curve's parameters say; making one takes up to some
 * tenths of a second, so it is made on any thread and then given to the plan,
 * which takes it with its next frame.
 */

#include <glib.h>

#include "base/executor.h"
#include "base/image.h"

G_BEGIN_DECLS

/* Pyramid levels of the largest image. */
#define CS_LLF_MAX_LEVELS 17
#define CS_LLF_MAX_RANK 32

/**
 * CsLlfQuality:
 * @CS_LLF_FAST: rank 4
 * @CS_LLF_NORMAL: rank 4 where that is as good, else 8
 * @CS_LLF_HIGH: rank 4 or 8 where that is as good, else 16
 * @CS_LLF_EXACT: every coefficient from all of its pixels; slow on a CPU
 * @CS_LLF_SAMPLED: Aubry's interpolation between equally spaced intensities,
 *     for comparison with other programs
 */
typedef enum
{
  CS_LLF_FAST,
  CS_LLF_NORMAL,
  CS_LLF_HIGH,
  CS_LLF_EXACT,
  CS_LLF_SAMPLED,
} CsLlfQuality;

/**
 * CsLlfCurve:
 * @CS_LLF_POWER: the paper's: within sigma a power curve, with a guard that
 *     does not bring out noise below .02; beyond it a straight line
 * @CS_LLF_SMOOTH: slope 1 / alpha at the middle, which goes over to beta
 *     without a bend. 1 / alpha - 1 is limited to -1 .. 2.24, so that the curve
 *     rises everywhere.
 */
typedef enum
{
  CS_LLF_POWER,
  CS_LLF_SMOOTH,
} CsLlfCurve;

/**
 * CsLlfParams:
 * @quality: how coefficients are computed
 * @curve: shape of the remapping curve
 * @sigma: what differs less is detail, what differs more an edge; in units of
 *     black to white, .001 to 4
 * @alpha: below 1 brings out detail, above 1 smooths it; .05 to 10
 * @beta: below 1 compresses the range of edges, above 1 expands it; 0 to 4
 * @rank: terms of the factorisation, 1 to %CS_LLF_MAX_RANK; 0 lets the quality
 *     and the error choose; only with the first three qualities
 * @intensity_levels: with CS_LLF_SAMPLED, 2 to %CS_LLF_MAX_RANK
 * @depth: significant bits of a sample, 8 to 16. Coefficients are computed from
 *     the first 10 at most; what is added to the sample is not rounded to them.
 * @limited_range: black is 16 and white 235 (in 8 bits; more bits accordingly)
 *     instead of 0 and the largest value
 */
typedef struct
{
  CsLlfQuality quality;
  CsLlfCurve curve;
  double sigma, alpha, beta;
  guint rank;
  guint intensity_levels;
  guint depth;
  gboolean limited_range;
} CsLlfParams;

#define CS_LLF_DEFAULT_QUALITY CS_LLF_NORMAL
#define CS_LLF_DEFAULT_CURVE CS_LLF_SMOOTH
#define CS_LLF_DEFAULT_SIGMA .2
#define CS_LLF_DEFAULT_ALPHA .5
#define CS_LLF_DEFAULT_BETA 1.
#define CS_LLF_DEFAULT_RANK 0
#define CS_LLF_DEFAULT_INTENSITY_LEVELS 8

/* These defaults, 8 bits, full range. */
void cs_llf_params_init (CsLlfParams * params);

/**
 * CsLlfTable:
 *
 * What the curve's parameters come to. Immutable, reference counted, safe from
 * any thread.
 */
typedef struct _CsLlfTable CsLlfTable;

/* Fails with CS_ERROR_INVALID (a parameter out of its range or not finite) or
 * CS_ERROR_NO_MEMORY. The same parameters give the same bits. */
CsLlfTable *cs_llf_table_new (const CsLlfParams * params, GError ** error);
CsLlfTable *cs_llf_table_ref (CsLlfTable * table);
void cs_llf_table_unref (CsLlfTable * table);

/* Terms of the factorisation; 0 if it is exact or the identity. */
guint cs_llf_table_get_rank (const CsLlfTable * table);

/* How far a pixel of any image can at most lie from the exact filter's, in
 * 8-bit codes and before rounding, with amount and weights 1, in a pyramid of
 * @levels levels (at least 1). */
double cs_llf_table_get_error_bound (const CsLlfTable * table, guint levels);

/* Whether the curve changes nothing at all. */
gboolean cs_llf_table_is_identity (const CsLlfTable * table);

/**
 * CsLlfSettings:
 * @amount: 0 leaves the image as it is, 1 is the filter; may be negative or
 *     greater, must be finite
 * @levels: levels of the pyramid, 0 for all (down to a side of 1)
 * @weights: factors for the levels' coefficients, finest first, finite; levels
 *     without one have 1
 * @n_weights: length of @weights
 *
 * What may change with every frame at no cost.
 */
typedef struct
{
  double amount;
  guint levels;
  const double *weights;
  guint n_weights;
} CsLlfSettings;

/**
 * CsLlfFrame:
 * @input: one channel of CS_SAMPLE_U8 (depth 8), CS_SAMPLE_U16 (more) or
 *     CS_SAMPLE_F32 (0 to 1 between the smallest and the largest code, any
 *     depth; NaN is as 0). In host memory on the CPU, device memory on CUDA.
 * @shift: bits of nothing below a CS_SAMPLE_U16's significant ones: 6 for
 *     P010, else 0. Written as 0.
 * @output: where the result goes, as @input in type and size; may be the
 *     input's memory if the strides are equal too
 * @output_pixel_stride: bytes from a sample to the one a column to the right
 * @output_row_stride: bytes from a sample to the one a row below
 */
typedef struct
{
  CsImage input;
  guint shift;
  void *output;
  gsize output_pixel_stride, output_row_stride;
} CsLlfFrame;

/* Pyramid levels of an image of this size: halved, rounding up, until its
 * smaller side is 1. */
guint cs_llf_n_levels (guint width, guint height);

/**
 * CsLlf:
 *
 * A plan: an executor, a table and scratch memory. Not thread-safe but for
 * cs_llf_set_table(); use one for each stream of frames.
 */
typedef struct _CsLlf CsLlf;

/* A plan on @executor, which must outlive it, that begins with @table (which
 * it references). Fails with CS_ERROR_NOT_SUPPORTED (no such backend here). */
CsLlf *cs_llf_new (CsLlfTable * table, CsExecutor * executor, GError ** error);

/* Frames from the next one on use @table, which the plan references. Neither
 * waits nor fails; from any thread. */
void cs_llf_set_table (CsLlf * plan, CsLlfTable * table);

/* Makes what the first frame of this size would make, so that it takes no
 * longer than the second. Fails as cs_llf_run(). */
gboolean cs_llf_warm_up (CsLlf * plan, guint width, guint height,
    GError ** error);

/* Filters a frame. On the CPU the result is there on return, on CUDA in the
 * order of the executor's stream. Fails with CS_ERROR_INVALID (a frame that
 * does not fit the table's depth, strides that overlap, settings not finite),
 * CS_ERROR_LIMIT (a side above 65536 pixels), CS_ERROR_NO_MEMORY,
 * CS_ERROR_DEVICE; the plan can be used again. */
gboolean cs_llf_run (CsLlf * plan, const CsLlfFrame * frame,
    const CsLlfSettings * settings, GError ** error);

void cs_llf_free (CsLlf * plan);

G_END_DECLS

#endif /* CS_LLF_H */
