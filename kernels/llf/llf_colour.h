/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_LLF_COLOUR_H
#define CS_LLF_COLOUR_H

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

#include "llf.h"

G_BEGIN_DECLS

#define CS_LLF_MAX_PLANES 4

/**
 * CsLlfPlane:
 * @input: first byte, in @input_memory
 * @output: memory of the result; the input itself to work in place, if the
 *     strides are equal
 * @input_stride: bytes from a row to the next
 * @output_stride: likewise for the output
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
 * @plane: index of its plane
 * @offset: of its first sample in the plane, in bytes
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
 * @rgb: components are R, G, B of 8 bits, in one plane of 3 or 4 bytes per
 *     pixel, of which the fourth is unchanged; else Y, or Y, Cb, Cr
 * @scale_chroma: multiply Cb and Cr; ignored for RGB, which always scales
 * @depth: significant bits of a sample, 8 to 16, as in the table
 * @shift: unused low bits, as in CsLlfFrame
 * @limited_range: black is 16 and white 235, as in the table
 * @red_weight: weight of R in the luma of RGB
 * @blue_weight: weight of B
 * @sub_x: log2 of horizontal chroma subsampling, 0 or 1
 * @sub_y: likewise vertical
 * @n_planes: planes; unchanged ones are copied unless in place
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
 * A plan: a #CsLlf and scratch for colour. On CUDA it accepts pictures in host
 * memory, too; only the planes that change are transferred.
 */
typedef struct _CsLlfColour CsLlfColour;

/* As cs_llf_new(), cs_llf_set_table() and cs_llf_free(). */
CsLlfColour *cs_llf_colour_new (CsLlfTable * table, CsExecutor * executor,
    GError ** error);
void cs_llf_colour_set_table (CsLlfColour * plan, CsLlfTable * table);
void cs_llf_colour_free (CsLlfColour * plan);

/* As cs_llf_warm_up(), for pictures of the format of @picture, whose data is
 * not accessed. */
gboolean cs_llf_colour_warm_up (CsLlfColour * plan,
    const CsLlfPicture * picture, GError ** error);

/* Filters a picture. The result is complete on return, except on CUDA with all
 * planes on the device: then in the order of the executor's stream. Fails as
 * cs_llf_run(). */
gboolean cs_llf_colour_run (CsLlfColour * plan, const CsLlfPicture * picture,
    const CsLlfSettings * settings, GError ** error);

G_END_DECLS

#endif /* CS_LLF_COLOUR_H */
