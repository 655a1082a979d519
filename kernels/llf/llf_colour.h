/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * The local Laplacian filter on colour pictures: filters the luma, and scales
 * the colour accordingly.
 *
 * With Y and Y' the luma before and after, 0 black and 1 white, and
 *   s = (Y' + .01) / (Y + .01), clamped to .5 .. 2, faded to 1 for Y < 1/16,
 * differences from gray are multiplied by s: the chroma of YUV (optional; with
 * the mean luma of a chroma sample's pixels), and in RGB
 *   R' = Y' + s (R - Y), and so on,
 * which is about R Y' / Y where s is not clamped, and has exactly the luma Y'.
 * A gray picture gives the same result in all formats.
 */

#include "base/picture.h"
#include "llf.h"

G_BEGIN_DECLS

/**
 * CsLlfColour:
 *
 * A plan: a #CsLlf and scratch for colour. On CUDA it accepts pictures in host
 * memory, too; only the planes that change are transferred.
 */
typedef struct _CsLlfColour CsLlfColour;

/* As cs_llf_new(), cs_llf_set_table() and cs_llf_free(), which takes %NULL. */
CsLlfColour *cs_llf_colour_new (CsLlfTable * table, CsExecutor * executor,
    GError ** error);
void cs_llf_colour_set_table (CsLlfColour * plan, CsLlfTable * table);
void cs_llf_colour_free (CsLlfColour * plan);

/* As cs_llf_warm_up(), for pictures of the format of @picture, whose data is
 * not accessed. */
gboolean cs_llf_colour_warm_up (CsLlfColour * plan, const CsPicture * picture,
    const CsLlfSettings * settings, GError ** error);

/* Where the next pictures are filtered.
 *
 * @weights: (nullable): how much of the change each pixel gets, 0 to 255, in
 *     dense rows of the pictures' size and in host memory, which must stay until
 *     others are set; %NULL: all of it, at no cost
 * @version: another number whenever the weights are others
 * A sample becomes before + (after - before) * weight / 255, rounded; that of a
 * subsampled plane with the mean weight of its pixels. */
void cs_llf_colour_set_weights (CsLlfColour * plan, const guint8 * weights,
    guint64 version);

/* Filters a picture.
 *
 * @input: Y, Cb and Cr, or Y alone, where Y of 8 bits in host memory may be
 *     interleaved with Cb and Cr (YUY2); or R, G, B of 8 bits, interleaved with 3 or
 *     4 bytes per pixel, the fourth of which is unchanged. Depth and range are
 *     those of the table. RGB needs @kr and @kb, the weights in its luma.
 * @output: of the same format; the input's memory, with the same strides, to
 *     work in place
 * @scale_chroma: multiply Cb and Cr; RGB always scales
 * The result is complete on return, except on CUDA with both pictures on the
 * device: then in the order of the executor's stream. Fails as cs_llf_run(). */
gboolean cs_llf_colour_run (CsLlfColour * plan, const CsPicture * input,
    const CsPicture * output, gboolean scale_chroma,
    const CsLlfSettings * settings, GError ** error);

G_END_DECLS
