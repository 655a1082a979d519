/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeorient.h"

/* Adds @value to an expansion of @n numbers, each of which is less than the
 * last bit of the next one. Returns: how many it has then */
static guint
grow (gdouble * sum, guint n, gdouble value)
{
  guint kept = 0;

  for (guint i = 0; i < n; i++) {
    const gdouble total = value + sum[i], part = total - value;
    const gdouble rest = (value - (total - part)) + (sum[i] - part);

    if (rest != 0)
      sum[kept++] = rest;
    value = total;
  }
  if (value != 0)
    sum[kept++] = value;
  return kept;
}

gint
gst_shape_orient_exactly (gdouble ax, gdouble ay, gdouble bx, gdouble by,
    gdouble px, gdouble py)
{
  /* of the product that both sides have, nothing is left */
  const gdouble factors[6][2] = {
    {px, by}, {-px, ay}, {-ax, by}, {-bx, py}, {bx, ay}, {ax, py}
  };
  gdouble sum[2 * G_N_ELEMENTS (factors)];
  guint n = 0;

  for (guint i = 0; i < G_N_ELEMENTS (factors); i++) {
    const gdouble product = factors[i][0] * factors[i][1];

    n = grow (sum, n, fma (factors[i][0], factors[i][1], -product));
    n = grow (sum, n, product);
  }
  return n == 0 ? 0 : sum[n - 1] > 0 ? 1 : -1;
}
