/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Tone mapping: the local Laplacian filter on the logarithm of the intensity of
 * pictures of a wide range, and from there to the range of a display, as in
 * Paris, Hasinoff, Kautz, "Local Laplacian Filters" (SIGGRAPH 2011), section
 * 5.2.
 *
 * R, G and B are linear light, in any unit, after the coding is undone. NaN and
 * -infinity are 0. A pixel with an infinite sample is as bright as the
 * brightest of the others, and becomes white. With
 *   Y the luminance, by the primaries (of one channel, the sample), and 0 if it
 *   is less; M its maximum,
 *   x = 1 + log2 (Y / M) / range, limited to 0 .. 1, in 65536 codes,
 * x is filtered: 0 is the table's black, 1 its white, of 16 bits and full
 * range. With x' the result, in codes, lo and hi the .5 and 99.5 percentiles of
 * x' of the pixels with Y > 0 (the smallest code of which at least this share
 * is not above), and
 *   T = min (log2 contrast, range (hi - lo of x) / 65535),
 *   Y' = 2 ^ (T (x' - hi) / (hi - lo)), and 2 ^ (range (x' - hi) / 65535) if
 *   T or hi - lo is 0,
 * the output is what is shown of the colour R / Y, G / Y, B / Y with the
 * luminance Y' (llf_gamut.h: Y' R / Y and so on if that is a colour of a
 * display), coded as sRGB (IEC 61966-2-1), rounded. Pixels of Y = 0 are black.
 * So a picture has at most @contrast between dark and bright, and never more
 * than it had.
 */

#include "llf_colour.h"
#include "llf_gamut.h"

G_BEGIN_DECLS

/**
 * CsLlfCoding:
 * @CS_LLF_CODING_LINEAR: proportional to light
 * @CS_LLF_CODING_SRGB: IEC 61966-2-1
 * @CS_LLF_CODING_PQ: SMPTE ST 2084, the light of the display
 * @CS_LLF_CODING_HLG: ARIB STD-B67, the light of the scene
 *
 * What codes mean.
 */
typedef enum
{
  CS_LLF_CODING_LINEAR,
  CS_LLF_CODING_SRGB,
  CS_LLF_CODING_PQ,
  CS_LLF_CODING_HLG,
} CsLlfCoding;

/* Linear light of @value, which is 0 to 1. */
double cs_llf_coding_to_light (CsLlfCoding coding, double value);

/**
 * CsLlfHdrFrame:
 * @input: 1 or 3 channels (R, G, B) in host memory, of CS_SAMPLE_F32, which are
 *     linear, or CS_SAMPLE_U16
 * @alpha: (nullable): alpha of the first pixel, a CS_SAMPLE_U16 with the
 *     strides of @input; %NULL: opaque
 * @output: R, G, B of 8 or 16 bits in host memory, of the input's size, and not
 *     its memory; alpha, or the byte that is nothing's, if it has one
 * @coding: of the input
 * @range: binary orders of magnitude (stops) from black to white of the filter,
 *     1 to 100
 * @contrast: of the output, 1 to 1e9
 * @primaries: (nullable): of the input; %NULL: those of BT.709
 */
typedef struct
{
  CsImage input;
  const void *alpha;
  CsPicture output;
  CsLlfCoding coding;
  double range, contrast;
  const CsLlfPrimaries *primaries;
} CsLlfHdrFrame;

/**
 * CsLlfHdr:
 *
 * A plan: scratch memory. On CUDA x is filtered on the device, all else is
 * computed by the CPU, with all of its cores.
 */
typedef struct _CsLlfHdr CsLlfHdr;

CsLlfHdr *cs_llf_hdr_new (CsExecutor * executor);
void cs_llf_hdr_free (CsLlfHdr * plan);

/* The picture that @filter gets, for cs_llf_colour_warm_up(); without data. */
CsPicture cs_llf_hdr_get_plane (guint width, guint height);

/* Tone-maps a picture. The result is complete on return.
 *
 * @filter: with a table of 16 bits, on the same executor; its weights are of x
 * Fails as cs_llf_colour_run(), and with CS_ERROR_INVALID for a frame that is
 * not as above. */
gboolean cs_llf_hdr_run (CsLlfHdr * plan, CsLlfColour * filter,
    const CsLlfHdrFrame * frame, const CsLlfSettings * settings,
    GError ** error);

G_END_DECLS
