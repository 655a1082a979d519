/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_LLF_COLOUR_H
#define CS_LLF_COLOUR_H

/**
 * The local Laplacian filter on pictures of colour: filters the luma, and lets
 * the colour follow it.
 *
 * With Y and Y' the luma before and after, 0 black and 1 white, and
 *   s = (Y' + .01) / (Y + .01), limited to .5 .. 2, faded to 1 over Y < 1/16,
 * differences from gray are multiplied by s: of YUV the chroma (if asked for;
 * a chroma sample counts with the mean luma of its pixels), of RGB
 *   R' = Y' + s (R - Y), and so on,
 * which is R Y' / Y wherever s is not limited, and gives exactly the luma Y'
 * wherever it is. A gray picture comes out the same in all formats.
 */

#include "llf.h"

G_BEGIN_DECLS

#define CS_LLF_MAX_PLANES 4

/**
 * CsLlfPlane:
 * @input: first byte; where it lies says @input_memory
 * @output: where the result goes; the input itself to work in place, if the
 *     strides are equal too
 * @input_stride: bytes from a row to the next
 * @output_stride: the same of the output
 * @row_size: bytes of a row's pixels
 * @rows: number of rows
 */
typedef struct
{
  const guint8 *input;
  guint8 *output;
  gsize input_stride, output_stride, row_size;
  guint rows;
  CsMemory input_memory, output_memory;
} CsLlfPlane;

/**
 * CsLlfComponent:
 * @plane: the plane it is in
 * @offset: bytes of its first sample from the plane's first byte
 * @pixel_stride: bytes from a sample to the one a column to the right
 */
typedef struct
{
  guint plane;
  gsize offset, pixel_stride;
} CsLlfComponent;

/**
 * CsLlfPicture:
 * @width: pixels
 * @height: pixels
 * @rgb: components are R, G, B of 8 bits, in one plane of 3 or 4 bytes a pixel,
 *     of which the fourth is left as it is; else Y, or Y, Cb, Cr
 * @scale_chroma: multiply Cb and Cr; not for RGB, which always is
 * @depth: significant bits of a sample, 8 to 16, those of the table
 * @shift: bits of nothing below them, as CsLlfFrame's
 * @limited_range: black is 16 and white 235, as the table's
 * @red_weight: what R counts in the luma of RGB
 * @blue_weight: what B does
 * @sub_x: binary logarithm of luma columns for one of chroma, 0 or 1
 * @sub_y: the same for rows
 * @n_planes: planes; those that nothing is done in are copied if they have
 *     another place for output
 * @n_components: 1 or 3
 */
typedef struct
{
  guint width, height;
  gboolean rgb, scale_chroma;
  guint depth, shift;
  gboolean limited_range;
  float red_weight, blue_weight;
  guint sub_x, sub_y;
  guint n_planes, n_components;
  CsLlfPlane planes[CS_LLF_MAX_PLANES];
  CsLlfComponent components[3];
} CsLlfPicture;

/**
 * CsLlfColour:
 *
 * A plan: a #CsLlf and what colour needs. On CUDA it takes pictures on the host
 * too, in whose case only planes in which something is done travel.
 */
typedef struct _CsLlfColour CsLlfColour;

/* As cs_llf_new(), cs_llf_set_table() and cs_llf_free(). */
CsLlfColour *cs_llf_colour_new (CsLlfTable * table, CsExecutor * executor,
    GError ** error);
void cs_llf_colour_set_table (CsLlfColour * plan, CsLlfTable * table);
void cs_llf_colour_free (CsLlfColour * plan);

/* As cs_llf_warm_up(), for pictures like @picture, of which only the numbers
 * count that say what it is. */
gboolean cs_llf_colour_warm_up (CsLlfColour * plan,
    const CsLlfPicture * picture, GError ** error);

/* Filters a picture. The result is there on return, but on CUDA, when all
 * planes are on the device, in the order of the executor's stream. Fails as
 * cs_llf_run(). */
gboolean cs_llf_colour_run (CsLlfColour * plan, const CsLlfPicture * picture,
    const CsLlfSettings * settings, GError ** error);

G_END_DECLS

#endif /* CS_LLF_COLOUR_H */
