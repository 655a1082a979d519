/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The meaning of cudacontours, written down as literally as C allows: slow,
 * serial, in double, and without any of the product's code. Only the types of
 * the contract are shared. */

#include "contours/contours.h"

/**
 * OracleResult:
 *
 * What cs_contours_run() has to return for the same parameters and input; the
 * arrays are owned by the result. @points has the parameters' format, and with
 * CS_POINTS_NONE it is %NULL.
 */
typedef struct
{
  gsize n_contours, n_points, n_segments, n_dropped, n_overwritten;
  void *points;
  guint32 *offsets;
  CsContour *contours;
  CsContourMoments *moments;
} OracleResult;

void oracle_run (const CsContoursParams * params, const CsContoursInput * input,
    OracleResult * result);
void oracle_clear (OracleResult * result);

/* A sample in double. */
double oracle_sample (const CsImage * image, guint channel, guint row,
    guint column);

/* Compares the oracle with results computed by hand. Returns the number of
 * failed cases, and prints them on stderr. */
guint oracle_self_test (void);
