/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include "image.h"

G_BEGIN_DECLS

/* Components of a picture, as indices. */
#define CS_PICTURE_ALPHA 3
#define CS_PICTURE_MAX_COMPONENTS 4

/**
 * CsPictureModel:
 * @CS_PICTURE_GRAY: component 0 is luma
 * @CS_PICTURE_YUV: components 0 to 2 are luma, Cb and Cr
 * @CS_PICTURE_RGB: components 0 to 2 are red, green and blue
 */
typedef enum
{
  CS_PICTURE_GRAY,
  CS_PICTURE_YUV,
  CS_PICTURE_RGB,
} CsPictureModel;

/**
 * CsBackground:
 * @CS_BACKGROUND_FRAME: what is painted lies on the picture itself
 * @CS_BACKGROUND_BLACK: on opaque black
 * @CS_BACKGROUND_WHITE: on opaque white
 * @CS_BACKGROUND_TRANSPARENT: on nothing, if the output has alpha, else black
 */
typedef enum
{
  CS_BACKGROUND_FRAME,
  CS_BACKGROUND_BLACK,
  CS_BACKGROUND_WHITE,
  CS_BACKGROUND_TRANSPARENT,
} CsBackground;

/**
 * CsPicture:
 * @model: what the components are
 * @type: type of every sample, CS_SAMPLE_U8 or CS_SAMPLE_U16 (native
 *     endianness)
 * @memory: where all components lie
 * @width: columns of luma or RGB
 * @height: rows of luma or RGB
 * @depth: significant bits of a sample, 8 to 16
 * @shift: bits of nothing below them: 6 for P010, else 0; written as 0
 * @data: first sample of each component; %NULL where there is none. Component
 *     %CS_PICTURE_ALPHA is there only if the picture has alpha.
 * @pixel_stride: for each component, bytes from a sample to the one a column to
 *     the right
 * @row_stride: for each component, bytes from a sample to the one a row below
 * @sub_x: log2 of the horizontal chroma subsampling, 0 or 1: chroma has
 *     (width + 1) >> 1 columns when 1
 * @sub_y: log2 of the vertical chroma subsampling, 0 or 1
 * @kr: weight of red in luma, of RGB in the luma computed from it; 0 and 0 are
 *     those of BT.601
 * @kb: likewise, of blue
 * @limited_range: black is 16 and white 235, in 8 bits; painters take RGB as
 *     full range in any case
 * @premultiplied: colours have been multiplied by alpha
 *
 * A view of somebody else's picture that is read, written, or both. It owns
 * nothing.
 */
typedef struct
{
  CsPictureModel model;
  CsSampleType type;
  CsMemory memory;
  guint width, height;
  guint depth, shift;
  void *data[CS_PICTURE_MAX_COMPONENTS];
  gsize pixel_stride[CS_PICTURE_MAX_COMPONENTS];
  gsize row_stride[CS_PICTURE_MAX_COMPONENTS];
  guint sub_x, sub_y;
  double kr, kb;
  gboolean limited_range;
  gboolean premultiplied;
} CsPicture;

/* 1 or 3; alpha does not count. */
guint cs_picture_get_n_components (const CsPicture * picture);

/* A view of component @c, in its own size. */
CsImage cs_picture_get_component (const CsPicture * picture, guint c);

/* A picture like @picture in other memory, interleaved as it is, with rows of
 * their own.
 *
 * @memory: (nullable): where it begins; not touched
 * @copy: becomes that picture, if there is memory
 *
 * Returns: how many bytes it takes */
gsize cs_picture_place (const CsPicture * picture, void *memory,
    CsPicture * copy);

G_END_DECLS
