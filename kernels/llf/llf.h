/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * The local Laplacian filter: enhances or smooths detail, compresses or expands
 * tone, without halos.
 *
 * Paris, Hasinoff, Kautz, "Local Laplacian Filters" (SIGGRAPH 2011) is the
 * definition; Aubry et al., "Fast Local Laplacian Filters" (TOG 2014) is
 * CS_LLF_SAMPLED. With I the image in [0, 1], G its Gaussian pyramid, r the
 * remapping of I around g and d = r - I, the result is
 *   out = I + amount * collapse (weight[l] * D_l),
 *   D_l (p) = level l of the Laplacian pyramid of d (I - G_l (p)), at p,
 * which is the paper's filter, and exact where nothing changes: identities and
 * flat frames are reproduced bit for bit.
 *
 * With a tone guard t, the change c = out - I of a pixel y (0 is black, 1 is
 * white) becomes, with e = min (y, 1 - y, t) / t and 0 outside of black and
 * white,
 *   c e r / (r + |c e|), r = y if c < 0, else 1 - y:
 * it fades towards black and white, which stay, and reaches neither.
 *
 * A table holds the precomputed curve. Computing one takes up to some tenths
 * of a second, so it may be done on any thread; the plan uses it from its next
 * frame on.
 */

#include <glib.h>

#include "base/executor.h"
#include "base/image.h"

G_BEGIN_DECLS

/* Maximum pyramid levels. */
#define CS_LLF_MAX_LEVELS 17
#define CS_LLF_MAX_RANK 32

/**
 * CsLlfQuality:
 * @CS_LLF_FAST: rank 4
 * @CS_LLF_NORMAL: rank 4 if the error is negligible, else 8
 * @CS_LLF_HIGH: rank 4 or 8 if the error is negligible, else 16
 * @CS_LLF_EXACT: the definition, without factorisation; slow on a CPU
 * @CS_LLF_SAMPLED: Aubry's interpolation between equally spaced intensities,
 *     for comparison with other implementations
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
 * @CS_LLF_POWER: the paper's: a power curve within sigma, linear beyond
 * @CS_LLF_SMOOTH: slope 1 / alpha at the centre, with a smooth transition to
 *     beta. 1 / alpha - 1 is clamped to -1 .. 2.24, so that the curve is
 *     monotonic.
 */
typedef enum
{
  CS_LLF_POWER,
  CS_LLF_SMOOTH,
} CsLlfCurve;

/**
 * CsLlfColorRemapping:
 * @CS_LLF_LUMA: differences of one channel
 * @CS_LLF_RGB_DISTANCE: those of R, G and B at once: d = unit (i - g) times the
 *     curve's change of the Euclidean distance |i - g|, with R, G and B of 0 to
 *     1; of cs_llf_colour_run() with RGB of 8 bits
 */
typedef enum
{
  CS_LLF_LUMA,
  CS_LLF_RGB_DISTANCE,
} CsLlfColorRemapping;

/**
 * CsLlfParams:
 * @quality: how coefficients are computed
 * @curve: shape of the remapping curve
 * @sigma: intensity threshold between detail and edges, relative to black to
 *     white, .001 to 4
 * @alpha: below 1 enhances detail, above 1 smooths it; .05 to 10
 * @beta: below 1 compresses the range of edges, above 1 expands it; 0 to 4
 * @noise_guard: with an alpha below 1, detail of differences up to this is not
 *     enhanced, and that from twice this on in full; relative to black to
 *     white, 0 to .25. 0: none; below 0: the curve's own, .01 of CS_LLF_POWER
 *     and 0 of CS_LLF_SMOOTH
 * @rank: terms of the factorisation, 1 to %CS_LLF_MAX_RANK; 0: chosen from the
 *     quality and the error; only with the first three qualities
 * @intensity_levels: with CS_LLF_SAMPLED, 2 to %CS_LLF_MAX_RANK
 * @depth: significant bits of a sample, 8 to 16. Coefficients are computed from
 *     the upper 10 bits at most; the change of a sample is not quantised to
 *     them.
 * @limited_range: black is 16 and white 235 (at 8 bits, scaled for more)
 *     instead of 0 and the maximum
 * @color_remapping: what a difference is; CS_LLF_RGB_DISTANCE with 8 bits, full
 *     range, ranks 8, 16 and 32 (others are rounded up; by quality 8, 16 and
 *     32), and not with CS_LLF_SAMPLED
 */
typedef struct
{
  CsLlfQuality quality;
  CsLlfCurve curve;
  double sigma, alpha, beta, noise_guard;
  guint rank;
  guint intensity_levels;
  guint depth;
  gboolean limited_range;
  CsLlfColorRemapping color_remapping;
} CsLlfParams;

#define CS_LLF_DEFAULT_QUALITY CS_LLF_NORMAL
#define CS_LLF_DEFAULT_CURVE CS_LLF_SMOOTH
#define CS_LLF_DEFAULT_SIGMA .2
#define CS_LLF_DEFAULT_ALPHA .5
#define CS_LLF_DEFAULT_BETA 1.
#define CS_LLF_DEFAULT_NOISE_GUARD (-1.)
#define CS_LLF_DEFAULT_RANK 0
#define CS_LLF_DEFAULT_INTENSITY_LEVELS 8

/* The defaults above, 8 bits, full range. */
void cs_llf_params_init (CsLlfParams * params);

/**
 * CsLlfTable:
 *
 * The precomputed curve. Immutable, reference counted, thread-safe.
 */
typedef struct _CsLlfTable CsLlfTable;

/* Fails with CS_ERROR_INVALID (a parameter out of its range or not finite) or
 * CS_ERROR_NO_MEMORY. The same parameters give the same bits. */
CsLlfTable *cs_llf_table_new (const CsLlfParams * params, GError ** error);
CsLlfTable *cs_llf_table_ref (CsLlfTable * table);
void cs_llf_table_unref (CsLlfTable * table);

/* Terms of the factorisation; 0 if it is exact or the identity. */
guint cs_llf_table_get_rank (const CsLlfTable * table);

/* Upper bound, for any image, of a pixel's error relative to the exact filter,
 * in 8-bit codes before rounding, with amount and weights 1 and @levels
 * pyramid levels (at least 1). -1, unknown, with CS_LLF_RGB_DISTANCE. */
double cs_llf_table_get_error_bound (const CsLlfTable * table, guint levels);

/* Whether the curve is the identity. */
gboolean cs_llf_table_is_identity (const CsLlfTable * table);

/**
 * CsLlfSettings:
 * @amount: 0 is the identity, 1 the filter; any finite value
 * @levels: levels of the pyramid, 0 for all (down to a side of 1)
 * @weights: factors of the levels' coefficients, finest first, finite; 1 for
 *     levels beyond
 * @n_weights: length of @weights
 * @tone_guard: width of the guard of black and white, 0 (none) to 1, relative
 *     to black to white
 *
 * Parameters that may change with every frame at no cost.
 */
typedef struct
{
  double amount;
  guint levels;
  const double *weights;
  guint n_weights;
  double tone_guard;
} CsLlfSettings;

/**
 * CsLlfFrame:
 * @input: one channel of CS_SAMPLE_U8 (depth 8), CS_SAMPLE_U16 (more) or
 *     CS_SAMPLE_F32 (0 to 1 from the smallest to the largest code, any depth;
 *     NaN is 0). In host memory on the CPU, device memory on CUDA.
 * @shift: unused low bits of a CS_SAMPLE_U16: 6 for P010, else 0. Written as 0.
 * @output: memory of the result, of the type and size of @input; may be the
 *     input's if the strides are equal
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
 * A plan: an executor, a table and scratch memory. Not thread-safe except for
 * cs_llf_set_table(); use one for each stream of frames.
 */
typedef struct _CsLlf CsLlf;

/* A plan on @executor, which must outlive it, with a reference to @table. Fails
 * with CS_ERROR_NOT_SUPPORTED (no such backend here). */
CsLlf *cs_llf_new (CsLlfTable * table, CsExecutor * executor, GError ** error);

/* Uses @table, of which the plan takes a reference, from the next frame on.
 * Does not block or fail; thread-safe. */
void cs_llf_set_table (CsLlf * plan, CsLlfTable * table);

/* Allocates scratch and builds graphs for frames of this size, with or without
 * a tone guard as in @settings, so that the first takes no longer than the
 * second. Fails as cs_llf_run(). */
gboolean cs_llf_warm_up (CsLlf * plan, guint width, guint height,
    const CsLlfSettings * settings, GError ** error);

/* Filters a frame. On the CPU the result is complete on return, on CUDA in the
 * order of the executor's stream. Fails with CS_ERROR_INVALID (a frame that
 * does not fit the table's depth, strides that overlap, settings not finite),
 * CS_ERROR_LIMIT (a side above 65536 pixels), CS_ERROR_NO_MEMORY,
 * CS_ERROR_DEVICE; the plan can be used again. */
gboolean cs_llf_run (CsLlf * plan, const CsLlfFrame * frame,
    const CsLlfSettings * settings, GError ** error);

void cs_llf_free (CsLlf * plan);

G_END_DECLS
