/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_gamut.h"

#include <math.h>
#include <string.h>

typedef struct
{
  double at[3][3];
} Matrix;

static const CsLlfPrimaries bt709 = {
  {.64, .33}, {.30, .60}, {.15, .06}, {.3127, .3290}
};

/* Matrices */

static Matrix
multiply (const Matrix * a, const Matrix * b)
{
  Matrix product;

  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 3; k++)
      product.at[i][k] = a->at[i][0] * b->at[0][k] +
          a->at[i][1] * b->at[1][k] + a->at[i][2] * b->at[2][k];
  return product;
}

static void
apply (const Matrix * m, const double v[3], double result[3])
{
  for (guint i = 0; i < 3; i++)
    result[i] = m->at[i][0] * v[0] + m->at[i][1] * v[1] + m->at[i][2] * v[2];
}

/* By cofactors. Returns: FALSE if there is no inverse */
static gboolean
invert (const Matrix * m, Matrix * inverse)
{
  Matrix cofactor;

  for (guint i = 0; i < 3; i++) {
    const double *const a = m->at[(i + 1) % 3], *const b = m->at[(i + 2) % 3];

    for (guint k = 0; k < 3; k++)
      cofactor.at[i][k] = a[(k + 1) % 3] * b[(k + 2) % 3] -
          a[(k + 2) % 3] * b[(k + 1) % 3];
  }
  const double determinant = m->at[0][0] * cofactor.at[0][0] +
      m->at[0][1] * cofactor.at[0][1] + m->at[0][2] * cofactor.at[0][2];
  /* not <=, so that NaN fails */
  if (!(fabs (determinant) > 1e-9))
    return FALSE;
  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 3; k++)
      inverse->at[i][k] = cofactor.at[k][i] / determinant;
  return TRUE;
}

/* Primaries */

/* X, Y and Z of a chromaticity, with Y = 1 */
static void
get_xyz (const double xy[2], double xyz[3])
{
  xyz[0] = xy[0] / xy[1];
  xyz[1] = 1.;
  xyz[2] = (1. - xy[0] - xy[1]) / xy[1];
}

/* The matrix from R, G and B to X, Y and Z: R = G = B = 1 is white of Y = 1. */
static gboolean
get_matrix (const CsLlfPrimaries * primaries, Matrix * matrix)
{
  const double *const xy[] = { primaries->red, primaries->green,
    primaries->blue
  };
  double white[3], amount[3];
  Matrix inverse;

  if (!(primaries->white[1] > 0.))
    return FALSE;
  for (guint k = 0; k < 3; k++) {
    matrix->at[0][k] = xy[k][0];
    matrix->at[1][k] = xy[k][1];
    matrix->at[2][k] = 1. - xy[k][0] - xy[k][1];
  }
  if (!invert (matrix, &inverse))
    return FALSE;
  get_xyz (primaries->white, white);
  apply (&inverse, white, amount);
  for (guint k = 0; k < 3; k++) {
    if (!(amount[k] > 0.))
      return FALSE;
    for (guint i = 0; i < 3; i++)
      matrix->at[i][k] *= amount[k];
  }
  return TRUE;
}

/* To X, Y and Z as they look under another white. */
static Matrix
adapt (const double from[2], const double to[2])
{
  static const Matrix bradford = {
    {{.8951, .2664, -.1614}, {-.7502, 1.7135, .0367}, {.0389, -.0685, 1.0296}}
  };
  double xyz[3], before[3], after[3];
  Matrix scaled, inverse;

  get_xyz (from, xyz);
  apply (&bradford, xyz, before);
  get_xyz (to, xyz);
  apply (&bradford, xyz, after);
  for (guint i = 0; i < 3; i++)
    for (guint k = 0; k < 3; k++)
      scaled.at[i][k] = bradford.at[i][k] * after[i] / before[i];
  invert (&bradford, &inverse);
  return multiply (&inverse, &scaled);
}

gboolean
cs_llf_gamut_init (CsLlfGamut * gamut, const CsLlfPrimaries * primaries)
{
  const gboolean same = !primaries ||
      memcmp (primaries, &bt709, sizeof (bt709)) == 0;
  Matrix own, display, adapted, to_xyz, from_xyz, matrix;

  if (!primaries)
    primaries = &bt709;
  if (!get_matrix (primaries, &own) || !get_matrix (&bt709, &display) ||
      !invert (&display, &from_xyz))
    return FALSE;
  adapted = adapt (primaries->white, bt709.white);
  to_xyz = multiply (&adapted, &own);
  matrix = multiply (&from_xyz, &to_xyz);
  gamut->is_display = same;
  for (guint k = 0; k < 3; k++) {
    for (guint i = 0; i < 3; i++)
      gamut->matrix[i][k] = matrix.at[i][k];
    gamut->luminance[k] = to_xyz.at[1][k];
  }
  return TRUE;
}
