/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The remapping curve, in double precision. */
#include "llf_private.h"

#include <math.h>

/* The noise guard of the power curve, unless another is asked for. */
#define POWER_GUARD .01

/* In this file because the program that makes tables has it, too. */
gint cs_llf_ways[CS_LLF_N_WAYS];

double
cs_llf_noise_guard (const CsLlfParams * params)
{
  if (params->alpha >= 1)
    return 0;
  if (params->noise_guard >= 0)
    return params->noise_guard;
  return params->curve == CS_LLF_POWER ? POWER_GUARD : 0;
}

/* How much of the change at distance @x is made: detail that is not louder than
 * noise is not amplified. */
static double
guard (const CsLlfParams * params, double x)
{
  const double noise = cs_llf_noise_guard (params);

  if (noise <= 0)
    return 1;
  const double y = CLAMP ((x - noise) / noise, 0, 1);
  return y * y * (y - 2) * (y - 2);
}

static double
power_fraction (const CsLlfParams * params, double x)
{
  const double sigma = params->sigma;
  const double curved = pow (x / sigma, params->alpha) * sigma;
  const double y = guard (params, x);

  return y < 1 ? y * curved + (1 - y) * x : curved;
}

/* d of @x, relative to black to white. */
static double
delta (const CsLlfParams * params, double x)
{
  const double size = fabs (x), sigma = params->sigma;
  double change;

  if (params->curve == CS_LLF_SMOOTH) {
    const double m = CLAMP (1 / params->alpha - 1, -1, 2.24);
    const double bell = exp (-x * x / (2 * sigma * sigma));

    return guard (params, size) *
        (x * (params->beta - 1 + (1 + m - params->beta) * bell));
  }
  if (size > sigma)
    change = (params->beta - 1) * (size - sigma);
  else
    change = power_fraction (params, size) - size;
  return x < 0 ? -change : change;
}

/* (White - black) / (last - first code). */
static double
unit (const CsLlfParams * params)
{
  const guint depth = MIN (params->depth, 10);

  if (!params->limited_range)
    return 1;
  return 219. * (1u << (depth - 8)) / ((1u << depth) - 1);
}

double
cs_llf_delta (const CsLlfParams * params, double x)
{
  const double scale = unit (params);

  return delta (params, x / scale) * scale;
}
