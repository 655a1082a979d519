/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * A path as the sum of rotating vectors:
 *   z_n = x_n + i y_n, n = 0 .. N - 1, equally spaced along the path,
 *   Z_k = 1 / N * sum_n z_n exp (-2 pi i k n / N), k in (-N / 2, N / 2],
 *   z (t) = sum_k Z_k exp (2 pi i k t), 0 <= t < 1,
 * with the term k = N / 2 split in halves between N / 2 and -N / 2, so that a
 * real path between samples stays one. c_0 is the centroid, where the arm is
 * mounted. Host only, double precision.
 */

#include <glib.h>

#include "base/error.h"
#include "base/executor.h"
#include "strokes/strokes.h"

G_BEGIN_DECLS

/**
 * CsRealTransform:
 * @user_data: the function's user data
 * @n: even, and a product of 2, 3 and 5
 * @samples: @n real numbers
 * @spectrum: (out): n / 2 + 1 complex numbers, interleaved:
 *     sum_j samples[j] exp (-2 pi i j k / n), not scaled
 *
 * A fast Fourier transform of real numbers, supplied by the caller (such as
 * GstFFTF64).
 */
typedef void (*CsRealTransform) (gpointer user_data, guint n,
    const double *samples, double *spectrum);

/**
 * CsPathParams:
 * @n_samples: N, at most 2^30; 0: about one for each @spacing of the path, 64 to
 *     2^20. Rounded up to the next even product of 2, 3 and 5.
 * @travel_speed: speed with the pen up relative to drawing, above 0 and finite;
 *     each travel gets at least one sample
 * @spacing: pixels, finite; 0: 1
 *
 * Travel between contours is a straight line with the pen up, with ease-in and
 * ease-out.
 */
typedef struct
{
  guint n_samples;
  double travel_speed;
  double spacing;
} CsPathParams;

/**
 * CsFourier:
 *
 * A drawing: a path's samples and its vectors. Immutable, thread-safe.
 */
typedef struct _CsFourier CsFourier;

/* Samples a closed path through all contours, in order, and transforms it.
 * Every contour gets at least one sample, so that N may exceed n_samples. A
 * single point, or equal points, give a drawing of one vector.
 * Fails with CS_ERROR_INVALID (no points, parameters, points not finite) or
 * CS_ERROR_NO_MEMORY. */
CsFourier *cs_fourier_new (const CsStrokesOutput * strokes,
    const CsPathParams * params, CsRealTransform transform, gpointer user_data,
    GError ** error);
void cs_fourier_free (CsFourier * fourier);

/* N. */
guint cs_fourier_get_n_samples (const CsFourier * fourier);

/* Number of vectors besides c_0: N (the one of N / 2 counts twice), without
 * those that are exactly 0. */
guint cs_fourier_get_n_vectors (const CsFourier * fourier);

/* RMS error of the drawing with the @n longest vectors, over the samples, in
 * pixels, by Parseval's theorem. An @n of 0 means all: 0. */
double cs_fourier_get_rms_error (const CsFourier * fourier, guint n);

/* Vector @i (0: c_0, the mount; then by length, ties to the smaller |k|, then
 * to the positive one). */
void cs_fourier_get_vector (const CsFourier * fourier, guint i, gint * k,
    double *re, double *im);

/* The joints of the arm at sample @step + @fraction (taken modulo N: exact
 * after any number of rounds; 0 <= @fraction < 1) with the @n longest vectors
 * (0: all):
 * joints[0] is the mount, joints[i] the end of vector i; the last is the pen.
 * Writes n + 1 points; those after the last vector repeat the pen. @executor: a
 * CPU's, whose threads share the work. @turned: room for two numbers for each
 * of the vectors. */
void cs_fourier_get_arm (const CsFourier * fourier, guint64 step,
    double fraction, guint n, CsExecutor * executor, double *turned,
    CsStrokePoint * joints);

/* The pen's trajectory with the @n longest vectors (0: all): N points, by one
 * inverse transform. @pen_down: (nullable): for each point, whether the pen
 * draws to the next. */
void cs_fourier_get_trail (const CsFourier * fourier, guint n,
    CsRealTransform transform, gpointer user_data, CsStrokePoint * points,
    guint8 * pen_down);

G_END_DECLS
