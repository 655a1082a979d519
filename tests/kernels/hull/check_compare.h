/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Points of the three types, hulls of them by all runners, and what these must
 * be. */

#include "check_hull.h"
#include "hull_data.h"
#include "hull_oracle.h"

G_BEGIN_DECLS

#define MAX_RUNNERS 8

/* Set by the program. */
extern Runner runners[MAX_RUNNERS];
extern guint n_runners;

typedef struct
{
  CsHullType type;
  gsize n;
  void *data;
} Points;

const char *type_name (CsHullType type);

/* Points to free with g_free() of their data: of @xy, times @scale for
 * integers; or of @kind. */
Points points_from (CsHullType type, const double *xy, gsize n, double scale);
Points points_new (CsHullType type, DataKind kind, guint64 seed, gsize n);
OraclePoint point_at (const Points * p, gsize i);
OraclePoint *oracle_points (const Points * p);

CsHullInput input_of (const Points * p);
/* With full measures */
CsHullParams params_all (gboolean collinear);

/* %NULL is told as a failure. */
Result *run_or_fail (const Runner * runner, const CsHullParams * params,
    const CsHullInput * input);
/* Runs all runners, which must agree; the first one's result. */
Result *run_all (const CsHullParams * params, const CsHullInput * input);

/* That the hull has the vertices @want. */
void expect_hull (const CsHullOutput * out, guint hull,
    const OraclePoint * want, gsize n);
/* All of it, as the oracle has it. */
void check_against_oracle (const Points * p, gboolean collinear);
/* Of many points: a convex polygon of them, which has all of them. */
void expect_properties (const Points * p, const CsHullOutput * out);

G_END_DECLS
