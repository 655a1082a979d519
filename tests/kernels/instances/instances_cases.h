/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Inputs for tests and benchmarks of polygons of instances. */

#include "instances/instances.h"

G_BEGIN_DECLS

/**
 * Case:
 * @samples, @factors: what the input's fields and coefficients are of
 *
 * Owns what @input points to.
 */
typedef struct
{
  CsInstancesParams params;
  CsInstancesInput input;
  CsImage coefficients;
  gpointer samples, factors;
  gsize samples_size, factors_size;
  CsInstance *instances;
} Case;

/* Any input: noise, ties, infinities, boxes at borders, half precision, products,
 * resized fields. */
void case_init (Case * test, guint64 * state);

/* What a network finds in a picture of 4032 x 3024: @n objects of 32 prototypes
 * of 160 x 120 samples, and how many pixels their boxes have in @area. */
void case_init_photograph (Case * test, guint n, double *area);

/* @n fields of @width x @height samples from @values, one after the other, that
 * cover the picture; one object of each. */
void case_init_given (Case * test, const float *values, guint n, guint width,
    guint height, guint picture_width, guint picture_height);

void case_clear (Case * test);

G_END_DECLS
