/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "llf_solve.h"

#include <math.h>

#include "base/clones.h"

#define RIDGE 1e-10

void
cs_llf_solve (double *a, double *b, guint n)
{
  for (guint j = 0; j < n; j++) {
    double pivot = a[j * CS_LLF_MAX_UNKNOWNS + j] + RIDGE;

    for (guint k = 0; k < j; k++)
      pivot -= a[j * CS_LLF_MAX_UNKNOWNS + k] * a[j * CS_LLF_MAX_UNKNOWNS + k];
    pivot = sqrt (MAX (pivot, RIDGE));
    a[j * CS_LLF_MAX_UNKNOWNS + j] = pivot;
    for (guint i = j + 1; i < n; i++) {
      double sum = a[i * CS_LLF_MAX_UNKNOWNS + j];

      for (guint k = 0; k < j; k++)
        sum -= a[i * CS_LLF_MAX_UNKNOWNS + k] * a[j * CS_LLF_MAX_UNKNOWNS + k];
      a[i * CS_LLF_MAX_UNKNOWNS + j] = sum / pivot;
    }
  }
  for (guint i = 0; i < n; i++) {
    for (guint k = 0; k < i; k++)
      b[i] -= a[i * CS_LLF_MAX_UNKNOWNS + k] * b[k];
    b[i] /= a[i * CS_LLF_MAX_UNKNOWNS + i];
  }
  for (guint i = n; i-- > 0;) {
    for (guint k = i + 1; k < n; k++)
      b[i] -= a[k * CS_LLF_MAX_UNKNOWNS + i] * b[k];
    b[i] /= a[i * CS_LLF_MAX_UNKNOWNS + i];
  }
}

CS_CLONES
void
cs_llf_add_equation (double *a, double *b, const double *row, guint n,
    double value, double w)
{
  for (guint i = 0; i < n; i++) {
    const double scaled = w * row[i];
    double *to = a + i * CS_LLF_MAX_UNKNOWNS;

    b[i] += scaled * value;
    for (guint j = 0; j <= i; j++)
      to[j] += scaled * row[j];
  }
}
