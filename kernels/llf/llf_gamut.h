/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Colours of light of any primaries to those of a display, which are of ITU-R
 * BT.709 and sRGB.
 *
 * Light is converted by the matrix that follows from the chromaticities of
 * both (SMPTE RP 177), with the chromatic adaptation of Bradford if the whites
 * differ (ICC.1:2010, annex E). What cannot be shown then is moved in two
 * steps, which are continuous and keep the hue:
 * - a colour outside of BT.709 towards gray of its luminance, until no
 *   component is below 0;
 * - one whose largest component p is more than 1 is divided by p, and mixed
 *   with 1 - 1 / (.15 (p - 1) + 1) of white, as in Khronos PBR Neutral: the
 *   brighter it is, the paler.
 * All others stay as they are, and so does gray up to 1.
 */

#include <glib.h>

G_BEGIN_DECLS

/**
 * CsLlfPrimaries:
 *
 * Chromaticities x and y (CIE 1931).
 */
typedef struct
{
  double red[2], green[2], blue[2], white[2];
} CsLlfPrimaries;

/**
 * CsLlfGamut:
 * @matrix: from R, G, B of the primaries to those of BT.709, in rows
 * @luminance: Y of R, G and B of 1
 * @is_display: whether nothing is to be converted
 */
typedef struct
{
  gboolean is_display;
  float matrix[3][3], luminance[3];
} CsLlfGamut;

/* @primaries: (nullable): %NULL: those of BT.709
 * Returns: FALSE if they enclose no white */
gboolean cs_llf_gamut_init (CsLlfGamut * gamut,
    const CsLlfPrimaries * primaries);

static inline float
cs_llf_gamut_get_luminance (const CsLlfGamut * gamut, const float light[3])
{
  return light[0] * gamut->luminance[0] + light[1] * gamut->luminance[1] +
      light[2] * gamut->luminance[2];
}

/* As BT.709, with no component below 0. @rgb: of luminance 1 */
static inline void
cs_llf_gamut_convert (const CsLlfGamut * gamut, float rgb[3])
{
  const float (*m)[3] = gamut->matrix;
  const float r = rgb[0], g = rgb[1], b = rgb[2];

  for (guint i = 0; !gamut->is_display && i < 3; i++)
    rgb[i] = m[i][0] * r + m[i][1] * g + m[i][2] * b;
  const float least = MIN (MIN (rgb[0], rgb[1]), rgb[2]);
  if (least < 0.f) {
    const float share = 1.f / (1.f - least);

    for (guint i = 0; i < 3; i++)
      rgb[i] = MAX (1.f + share * (rgb[i] - 1.f), 0.f);
  }
}

/* What is shown of a colour.
 *
 * @rgb: light divided by its luminance; linear light of a display, 0 to 1
 * @luminance: to be shown, 1 is white; at least 0 */
static inline void
cs_llf_gamut_show (const CsLlfGamut * gamut, float rgb[3], float luminance)
{
  cs_llf_gamut_convert (gamut, rgb);
  const float most = MAX (MAX (rgb[0], rgb[1]), rgb[2]);
  const float peak = most * luminance;
  if (peak <= 1.f) {
    for (guint i = 0; i < 3; i++)
      rgb[i] *= luminance;
    return;
  }
  const float white = 1.f - 1.f / (.15f * (peak - 1.f) + 1.f);
  for (guint i = 0; i < 3; i++) {
    rgb[i] /= most;
    rgb[i] += white * (1.f - rgb[i]);
  }
}

G_END_DECLS
