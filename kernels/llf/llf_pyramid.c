/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The levels of a picture, and their weights. */
#include "llf_private.h"

#include <math.h>

#define MAX_SIDE 65536u

static guint
halve (guint n)
{
  return n / 2 + n % 2;
}

guint
cs_llf_n_levels (guint width, guint height)
{
  guint side, n = 1;

  for (side = MIN (width, height); side > 1; side = halve (side))
    n++;
  return n;
}

void
cs_llf_pyramid_init (CsLlfPyramid * pyramid, guint width, guint height)
{
  pyramid->guard = (CsLlfToneGuard) { 0 };
  pyramid->n_levels = cs_llf_n_levels (width, height);
  for (guint l = 0; l < pyramid->n_levels; l++) {
    pyramid->levels[l] = (CsLlfLevel) { width, height, 1 };
    width = halve (width);
    height = halve (height);
  }
  pyramid->levels[pyramid->n_levels - 1].weight = 0;
}

static gboolean
check_settings (const CsLlfSettings * settings, GError ** error)
{
  if (!isfinite (settings->amount) || fabs (settings->amount) > 1e6)
    return cs_error (error, CS_ERROR_INVALID,
        "amount is %g: it must be finite, such as 1", settings->amount);
  /* not <, so that NaN fails */
  if (!(settings->tone_guard >= 0 && settings->tone_guard <= 1))
    return cs_error (error, CS_ERROR_INVALID,
        "the tone guard is %g: it must be 0 to 1", settings->tone_guard);
  for (guint i = 0; i < settings->n_weights; i++) {
    if (!isfinite (settings->weights[i]) || fabs (settings->weights[i]) > 1e6)
      return cs_error (error, CS_ERROR_INVALID, "the weight of level %u is %g: "
          "it must be finite, such as 1", i, settings->weights[i]);
  }
  return TRUE;
}

/* The pyramid of a frame, cut off after the last level with a weight. */
static void
set_weights (CsLlfPyramid * pyramid, const CsLlfSettings * settings)
{
  const guint n = settings->levels ?
      MIN (settings->levels, pyramid->n_levels) : pyramid->n_levels;
  guint l, used = 0;

  for (l = 0; l < pyramid->n_levels; l++) {
    const double weight = l < settings->n_weights ? settings->weights[l] : 1;

    pyramid->levels[l].weight = l + 1 < n ? weight * settings->amount : 0;
    if (pyramid->levels[l].weight != 0)
      used = l + 1;
  }
  pyramid->n_levels = used + 1;
}

gboolean
cs_llf_check_size (guint width, guint height, GError ** error)
{
  if (width == 0 || height == 0)
    return cs_error (error, CS_ERROR_INVALID, "an image without pixels");
  if (width > MAX_SIDE || height > MAX_SIDE)
    return cs_error (error, CS_ERROR_LIMIT, "an image of %u x %u pixels: a "
        "side must be at most %u", width, height, MAX_SIDE);
  return TRUE;
}

gboolean
cs_llf_pyramid_plan (CsLlfPyramid * pyramid, guint width, guint height,
    const CsLlfSettings * settings, GError ** error)
{
  if (!check_settings (settings, error) ||
      !cs_llf_check_size (width, height, error))
    return FALSE;
  cs_llf_pyramid_init (pyramid, width, height);
  set_weights (pyramid, settings);
  return TRUE;
}
