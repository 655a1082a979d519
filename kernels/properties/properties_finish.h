/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The properties of a region from its sums, compiled as C and as device code
 * without contraction. Here alone numbers are rounded. */

#include <math.h>

#include "properties_math.h"

#define CS_PROPERTIES_PI 3.14159265358979323846
#define CS_PROPERTIES_SQRT2 1.41421356237309504880

/**
 * CsPropertiesRegion:
 * @top, @bottom: first and last row
 * @convex: pixels of the convex image
 * @diameter2: the squared Feret diameter
 */
typedef struct
{
  uint32_t label, top, bottom;
  uint64_t convex;
  double diameter2;
  CsPropertiesSums sums;
} CsPropertiesRegion;

/**
 * CsPropertiesTable:
 * @columns: the first item of the first column
 * @stride: bytes from a column to the next
 */
typedef struct
{
  CsPropertiesParams params;
  uint8_t *columns;
  size_t stride;
} CsPropertiesTable;

/**
 * CsPropertiesShape:
 * @top, @left: of the bounding box
 * @n: pixels
 * @x, @y: sums of coordinates from the bounding box on
 * @m: moments from there on, [row][column]; without those of third order only
 *     those with i + j < 3
 * @mu: second central moments, mu20, mu11, mu02
 *
 * Of a region, without spacing.
 */
typedef struct
{
  uint64_t top, left, n, x, y;
  CsWide m[16];
  double mu[3];
} CsPropertiesShape;

/* @moments: (nullable) */
CS_PROPERTIES_FN void
cs_properties_shape (const CsPropertiesRegion * region,
    const CsPropertiesMoments * moments, CsPropertiesShape * shape)
{
  const CsPropertiesSums *sums = &region->sums;
  const uint64_t n = sums->pixels >> 32, left = (uint32_t) ~sums->not_left;
  const uint64_t top = region->top;
  /* exact, for they are less than 2^64 */
  const uint64_t x = sums->x - n * left, y = sums->y - n * top;
  const uint64_t xx = sums->xx - left * (sums->x + x);
  const uint64_t yy = sums->yy - top * (sums->y + y);
  const uint64_t xy = sums->xy - left * sums->y - top * x;

  shape->top = top;
  shape->left = left;
  shape->n = n;
  shape->x = x;
  shape->y = y;
  for (uint32_t k = 0; k < 16; k++)
    shape->m[k] = moments && cs_properties_is_wide (k) ? moments->m[k] :
        cs_wide (0);
  shape->m[0] = cs_wide (n);
  shape->m[1] = cs_wide (x);
  shape->m[2] = cs_wide (xx);
  shape->m[4] = cs_wide (y);
  shape->m[5] = cs_wide (xy);
  shape->m[8] = cs_wide (yy);
  shape->mu[0] = cs_wide_determinant (n, yy, y, y) / (double) n;
  shape->mu[1] = cs_wide_determinant (n, xy, x, y) / (double) n;
  shape->mu[2] = cs_wide_determinant (n, xx, x, x) / (double) n;
}

/* --- Central moments ------------------------------------------------------ */

/* Of four moments, @stride apart, those from @by on. */
CS_PROPERTIES_FN void
cs_properties_shift (CsWide * m, uint32_t stride, uint64_t by)
{
  for (uint32_t first = 1; first < 4; first++)
    for (uint32_t k = 3; k >= first; k--)
      m[k * stride] = cs_wide_subtract_times (m[k * stride],
          m[(k - 1) * stride], by);
}

CS_PROPERTIES_FN void
cs_properties_shift_little (double *m, uint32_t stride, double by)
{
  for (uint32_t first = 1; first < 4; first++)
    for (uint32_t k = 3; k >= first; k--)
      m[k * stride] -= m[(k - 1) * stride] * by;
}

/* Exact to the pixel nearest to the centroid, and less than one from there. */
CS_PROPERTIES_FN void
cs_properties_central (const CsPropertiesShape * shape, double mu[16])
{
  const uint64_t n = shape->n;
  const uint64_t y = (2 * shape->y + n) / (2 * n);
  const uint64_t x = (2 * shape->x + n) / (2 * n);
  const double dy = (double) (int64_t) (shape->y - y * n) / (double) n;
  const double dx = (double) (int64_t) (shape->x - x * n) / (double) n;
  CsWide m[16];

  for (uint32_t k = 0; k < 16; k++)
    m[k] = shape->m[k];
  for (uint32_t k = 0; k < 4; k++)
    cs_properties_shift (m + k, 4, y);
  for (uint32_t k = 0; k < 4; k++)
    cs_properties_shift (m + 4 * k, 1, x);
  for (uint32_t k = 0; k < 16; k++)
    mu[k] = cs_wide_to_double (m[k]);
  for (uint32_t k = 0; k < 4; k++)
    cs_properties_shift_little (mu + k, 4, dy);
  for (uint32_t k = 0; k < 4; k++)
    cs_properties_shift_little (mu + 4 * k, 1, dx);
  mu[1] = mu[4] = 0.;
  mu[2] = shape->mu[2];
  mu[5] = shape->mu[1];
  mu[8] = shape->mu[0];
}

/* Moments times the spacing's powers. */
CS_PROPERTIES_FN void
cs_properties_scale (double m[16], const CsPropertiesParams * params)
{
  double row = 1.;

  for (uint32_t i = 0; i < 4; i++) {
    double both = row;

    for (uint32_t j = 0; j < 4; j++) {
      m[4 * i + j] *= both;
      both *= params->column_spacing;
    }
    row *= params->row_spacing;
  }
}

CS_PROPERTIES_FN void
cs_properties_normalize (double mu[16], const CsPropertiesParams * params)
{
  const double n = mu[0], root = sqrt (n);
  const double scale = params->row_spacing < params->column_spacing ?
      params->row_spacing : params->column_spacing;

  for (uint32_t k = 0; k < 16; k++) {
    const uint32_t order = k / 4 + k % 4;
    double whole = order % 2 ? n * root : n, unit = 1.;

    for (uint32_t step = 0; step < order / 2; step++)
      whole *= n;
    for (uint32_t step = 0; step < order; step++)
      unit *= scale;
    mu[k] = order < 2 ? (double) NAN : mu[k] / unit / whole;
  }
}

/* Hu's seven of normalized moments. */
CS_PROPERTIES_FN void
cs_properties_hu (const double nu[16], double hu[7])
{
  const double sum = nu[8] + nu[2], difference = nu[8] - nu[2];
  const double a = nu[12] - 3. * nu[6], b = 3. * nu[9] - nu[3];
  const double c = nu[12] + nu[6], d = nu[9] + nu[3];
  const double cc = c * c, dd = d * d, mixed = 4. * nu[5];
  const double e = c * (cc - 3. * dd), f = d * (3. * cc - dd);

  hu[0] = sum;
  hu[1] = difference * difference + mixed * nu[5];
  hu[2] = a * a + b * b;
  hu[3] = cc + dd;
  hu[4] = a * e + b * f;
  hu[5] = difference * (cc - dd) + mixed * c * d;
  hu[6] = b * e - a * f;
}

/* --- Inertia -------------------------------------------------------------- */

/* The arc tangent of @t, 0 to 1: that of one of five points, and a series of the
 * rest, which is less than a tenth. */
CS_PROPERTIES_FN double
cs_properties_atan (double t)
{
  const double tangents[] = { 0., 0.19891236737965800691,
    0.41421356237309504880, 0.66817863791929891999, 1.
  };
  const double middles[] = { 0.09849140335716425308, 0.30334668360734239168,
    0.53451113595079164340, 0.82067879082866024200
  };
  uint32_t k = 0;

  while (k < 4 && t > middles[k])
    k++;
  const double u = (t - tangents[k]) / (1. + t * tangents[k]), uu = u * u;
  double series = 1. / 15.;

  for (int i = 13; i > 0; i -= 2)
    series = 1. / i - uu * series;
  return k * (CS_PROPERTIES_PI / 16.) + u * series;
}

/* The direction of (@x, @y), -pi to pi. */
CS_PROPERTIES_FN double
cs_properties_direction (double y, double x)
{
  const double height = fabs (y), width = fabs (x);
  double angle = height <= width ? cs_properties_atan (height / width) :
      CS_PROPERTIES_PI / 2. - cs_properties_atan (width / height);

  if (x < 0.)
    angle = CS_PROPERTIES_PI - angle;
  return y < 0. ? -angle : angle;
}

/**
 * CsPropertiesInertia:
 * @a, @b, @c: the tensor, [[a, b], [b, c]]
 * @large, @small: its eigenvalues
 */
typedef struct
{
  double a, b, c, large, small;
} CsPropertiesInertia;

/* @mu: mu20, mu11, mu02 of @n pixels. */
CS_PROPERTIES_FN CsPropertiesInertia
cs_properties_inertia (const double mu[3], double n,
    const CsPropertiesParams * params)
{
  const double row = params->row_spacing, column = params->column_spacing;
  CsPropertiesInertia inertia;

  inertia.a = mu[2] * column * column / n;
  inertia.b = -(mu[1] * row * column) / n;
  inertia.c = mu[0] * row * row / n;
  const double mean = (inertia.a + inertia.c) / 2.;
  const double half = (inertia.a - inertia.c) / 2.;
  const double radius = sqrt (half * half + inertia.b * inertia.b);

  inertia.large = mean + radius;
  inertia.small = mean > radius ? mean - radius : 0.;
  return inertia;
}

CS_PROPERTIES_FN double
cs_properties_orientation (const CsPropertiesInertia * inertia)
{
  if (inertia->a == inertia->c)
    return inertia->b < 0. ? CS_PROPERTIES_PI / 4. : -CS_PROPERTIES_PI / 4.;
  return .5 * cs_properties_direction (-2. * inertia->b,
      inertia->c - inertia->a);
}

/* --- Columns -------------------------------------------------------------- */

/**
 * CsPropertiesCursor:
 *
 * Where the next number of a region goes.
 */
typedef struct
{
  uint8_t *at;
  size_t stride;
} CsPropertiesCursor;

CS_PROPERTIES_FN void
cs_properties_put (CsPropertiesCursor * cursor, double value)
{
  *(double *) (void *) cursor->at = value;
  cursor->at += cursor->stride;
}

CS_PROPERTIES_FN void
cs_properties_put_integer (CsPropertiesCursor * cursor, int64_t value)
{
  *(int64_t *) (void *) cursor->at = value;
  cursor->at += cursor->stride;
}

CS_PROPERTIES_FN void
cs_properties_put_all (CsPropertiesCursor * cursor, const double *values,
    uint32_t n)
{
  for (uint32_t i = 0; i < n; i++)
    cs_properties_put (cursor, values[i]);
}

#define CS_PROPERTIES_WANTED(property) \
    (params->wanted & CS_PROPERTY_BIT (CS_PROPERTY_##property))

/* From the label to the Euler number. */
CS_PROPERTIES_FN void
cs_properties_put_integers (CsPropertiesCursor * cursor,
    const CsPropertiesParams * params, const CsPropertiesRegion * region,
    const CsPropertiesShape * shape)
{
  if (CS_PROPERTIES_WANTED (LABEL))
    cs_properties_put_integer (cursor, region->label);
  if (CS_PROPERTIES_WANTED (BBOX)) {
    cs_properties_put_integer (cursor, region->top);
    cs_properties_put_integer (cursor, (int64_t) shape->left);
    cs_properties_put_integer (cursor, (int64_t) region->bottom + 1);
    cs_properties_put_integer (cursor, (int64_t) region->sums.right + 1);
  }
  if (CS_PROPERTIES_WANTED (NUM_PIXELS))
    cs_properties_put_integer (cursor, (int64_t) shape->n);
  if (CS_PROPERTIES_WANTED (EULER_NUMBER))
    cs_properties_put_integer (cursor, (int32_t) region->sums.euler);
}

/* From the area to the Feret diameter. */
CS_PROPERTIES_FN void
cs_properties_put_sizes (CsPropertiesCursor * cursor,
    const CsPropertiesParams * params, const CsPropertiesRegion * region,
    const CsPropertiesShape * shape, const CsPropertiesInertia * inertia)
{
  const double n = (double) shape->n;
  const double pixel = params->row_spacing * params->column_spacing;
  const double area = n * pixel;
  const double box = (double) ((uint64_t) (region->bottom + 1 - region->top) *
      (region->sums.right + 1 - shape->left)) * pixel;

  if (CS_PROPERTIES_WANTED (AREA))
    cs_properties_put (cursor, area);
  if (CS_PROPERTIES_WANTED (AREA_BBOX))
    cs_properties_put (cursor, box);
  if (CS_PROPERTIES_WANTED (AREA_CONVEX))
    cs_properties_put (cursor, (double) region->convex * pixel);
  if (CS_PROPERTIES_WANTED (AXIS_MAJOR_LENGTH))
    cs_properties_put (cursor, 4. * sqrt (inertia->large));
  if (CS_PROPERTIES_WANTED (AXIS_MINOR_LENGTH))
    cs_properties_put (cursor, 4. * sqrt (inertia->small));
  if (CS_PROPERTIES_WANTED (CENTROID)) {
    cs_properties_put (cursor, (double) (shape->y + shape->n * shape->top) / n
        * params->row_spacing);
    cs_properties_put (cursor, (double) (shape->x + shape->n * shape->left) / n
        * params->column_spacing);
  }
  if (CS_PROPERTIES_WANTED (CENTROID_LOCAL)) {
    cs_properties_put (cursor, (double) shape->y / n * params->row_spacing);
    cs_properties_put (cursor, (double) shape->x / n * params->column_spacing);
  }
  if (CS_PROPERTIES_WANTED (ECCENTRICITY))
    cs_properties_put (cursor, inertia->large == 0. ? 0. :
        sqrt (1. - inertia->small / inertia->large));
  if (CS_PROPERTIES_WANTED (EQUIVALENT_DIAMETER_AREA))
    cs_properties_put (cursor, sqrt (4. * area / CS_PROPERTIES_PI));
  if (CS_PROPERTIES_WANTED (EXTENT))
    cs_properties_put (cursor, area / box);
  if (CS_PROPERTIES_WANTED (FERET_DIAMETER_MAX))
    cs_properties_put (cursor, sqrt (region->diameter2));
}

/* From the tensor to Hu's moments. */
CS_PROPERTIES_FN void
cs_properties_put_moments (CsPropertiesCursor * cursor,
    const CsPropertiesParams * params, const CsPropertiesShape * shape,
    const CsPropertiesInertia * inertia)
{
  double m[16], hu[7];

  if (CS_PROPERTIES_WANTED (INERTIA_TENSOR)) {
    cs_properties_put (cursor, inertia->a);
    cs_properties_put (cursor, inertia->b);
    cs_properties_put (cursor, inertia->b);
    cs_properties_put (cursor, inertia->c);
  }
  if (CS_PROPERTIES_WANTED (INERTIA_TENSOR_EIGVALS)) {
    cs_properties_put (cursor, inertia->large);
    cs_properties_put (cursor, inertia->small);
  }
  if (CS_PROPERTIES_WANTED (MOMENTS)) {
    for (uint32_t k = 0; k < 16; k++)
      m[k] = cs_wide_to_double (shape->m[k]);
    cs_properties_scale (m, params);
    cs_properties_put_all (cursor, m, 16);
  }
  if (!(CS_PROPERTIES_WANTED (MOMENTS_CENTRAL) |
          CS_PROPERTIES_WANTED (MOMENTS_NORMALIZED) |
          CS_PROPERTIES_WANTED (MOMENTS_HU)))
    return;
  cs_properties_central (shape, m);
  cs_properties_scale (m, params);
  if (CS_PROPERTIES_WANTED (MOMENTS_CENTRAL))
    cs_properties_put_all (cursor, m, 16);
  cs_properties_normalize (m, params);
  if (CS_PROPERTIES_WANTED (MOMENTS_NORMALIZED))
    cs_properties_put_all (cursor, m, 16);
  if (CS_PROPERTIES_WANTED (MOMENTS_HU)) {
    cs_properties_hu (m, hu);
    cs_properties_put_all (cursor, hu, 7);
  }
}

/* Writes item @i of all columns. @moments: (nullable) */
CS_PROPERTIES_FN void
cs_properties_finish (const CsPropertiesTable * table, size_t i,
    const CsPropertiesRegion * region, const CsPropertiesMoments * moments)
{
  const CsPropertiesParams *params = &table->params;
  const CsPropertiesSums *sums = &region->sums;
  CsPropertiesCursor cursor = { table->columns + 8 * i, table->stride };
  CsPropertiesShape shape;

  cs_properties_shape (region, moments, &shape);
  const CsPropertiesInertia inertia = cs_properties_inertia (shape.mu,
      (double) shape.n, params);

  cs_properties_put_integers (&cursor, params, region, &shape);
  cs_properties_put_sizes (&cursor, params, region, &shape, &inertia);
  cs_properties_put_moments (&cursor, params, &shape, &inertia);
  if (CS_PROPERTIES_WANTED (ORIENTATION))
    cs_properties_put (&cursor, cs_properties_orientation (&inertia));
  if (CS_PROPERTIES_WANTED (PERIMETER))
    cs_properties_put (&cursor, ((double) (uint32_t) sums->turns +
            (double) (sums->turns >> 32) * CS_PROPERTIES_SQRT2 +
            (double) (uint32_t) sums->pixels * ((1. + CS_PROPERTIES_SQRT2) / 2.))
        * params->row_spacing);
  if (CS_PROPERTIES_WANTED (PERIMETER_CROFTON))
    cs_properties_put (&cursor, CS_PROPERTIES_PI / 4. *
        ((double) (uint32_t) sums->lines +
            (double) (sums->lines >> 32) / CS_PROPERTIES_SQRT2)
        * params->row_spacing);
  if (CS_PROPERTIES_WANTED (SOLIDITY)) {
    const double pixel = params->row_spacing * params->column_spacing;

    cs_properties_put (&cursor, (double) shape.n * pixel /
        ((double) region->convex * pixel));
  }
}
