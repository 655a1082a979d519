/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Between the parts of check-llf: plans, tables and runs of the filter, how
 * results are compared, and tests on a GPU. */

#include "llf/llf_private.h"
#include "llf_images.h"

G_BEGIN_DECLS

/* Set by the program. @small: small images only */
extern CsExecutor *executor, *device_executor;
extern gboolean small;

/* The filter, and the image as it is. */
extern const CsLlfSettings all, nothing;

CsLlfParams make_params (CsLlfQuality quality, CsLlfCurve curve, double sigma,
    double alpha, double beta);

/* Tables take most of the time: those of make_table() are kept, one per set of
 * parameters. */
CsLlfTable *make_table (const CsLlfParams * params);
CsLlfTable *make_new_table (const CsLlfParams * params);
void tables_free (void);

CsLlf *make_plan (CsLlfTable * table, CsExecutor * on);
void run (CsLlf * plan, const CsLlfFrame * frame,
    const CsLlfSettings * settings);

/* @plan's result of a frame in host memory, whose rows are dense. */
void run_on_device (CsLlf * plan, const CsLlfFrame * frame,
    const CsLlfSettings * settings, void *out);

/* @plan on bytes */
void run_bytes (CsLlf * plan, gboolean on_device, const guint8 * in,
    guint width, guint height, guint8 * out);

/* The filter on bytes, with a new plan. */
void filter_u8 (CsLlfTable * table, const guint8 * in, guint width,
    guint height, guint8 * out);

guint8 *bytes_new (LlfFill fill, guint width, guint height);

/* The filter's result in codes, not rounded. */
float *filter_codes (CsLlfTable * table, const guint16 * codes, guint width,
    guint height, const CsLlfSettings * settings);

/* As fmax(), but a NaN stays. */
double keep_greater (double most, double value);
double largest_difference (const float *a, const double *b, gsize n);
double psnr (const float *a, const double *b, gsize n);

/* The GPU beside the CPU: one way, all sizes. */
void check_device_way (CsLlfQuality quality, CsLlfCurve curve, guint rank,
    guint depth, CsSampleType type, guint shift);
void test_device_random (void);
void test_device_strides (void);
void test_device_changes (void);

/* Prints microseconds a frame. */
void time_device (CsLlfQuality quality, guint rank, guint w, guint h);

G_END_DECLS
