/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Convex hulls by definition, in integers of any length. */

#include <glib.h>

G_BEGIN_DECLS

typedef struct
{
  double x, y;
  guint32 index;
} OraclePoint;

/* Sign of the turn a, b, c, exactly. */
gint oracle_orient (const OraclePoint * a, const OraclePoint * b,
    const OraclePoint * c);

/* Order by x, then y, then index. */
gint oracle_compare (gconstpointer a, gconstpointer b);

/* Hull of the finite ones of @n points by gift wrapping, counter-clockwise from
 * the lexicographically smallest; with @collinear also the distinct points on
 * its edges. To free with g_free(). */
OraclePoint *oracle_hull (const OraclePoint * points, gsize n,
    gboolean collinear, gsize * n_hull, gsize * n_ignored);

/* The measures of a hull by trying everything, in long double. */
typedef struct
{
  long double area, perimeter, feret_max, feret_min, rect_area, circle_r;
} OracleMeasures;

OracleMeasures oracle_measure (const OraclePoint * hull, gsize n);

G_END_DECLS
