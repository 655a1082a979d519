/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>

/* Degrees from sample to sample */
#define LINE_TEXTURE_STEP 3
/* Degrees from the nominal turn that are looked at */
#define LINE_TEXTURE_RANGE 40

/* Circles of less than so many pixels' radius show no texture. */
#define LINE_TEXTURE_LEAST_RADIUS 8

/* Greatest number of samples of a grid: rows, each with some behind it */
#define LINE_TEXTURE_ROWS 24
#define LINE_TEXTURE_LANES 8
#define LINE_TEXTURE_SAMPLES (LINE_TEXTURE_ROWS * (120 + LINE_TEXTURE_LANES))

/**
 * LineTextureGrid:
 *
 * Directions that a view sees of a sphere: by longitude about the axis that it
 * rolls about, and latitude. Is not changed; for any threads.
 */
typedef struct _LineTextureGrid LineTextureGrid;

/* @tilt: of the view about the direction of travel, in degrees */
LineTextureGrid *line_texture_grid_new (gdouble tilt);
void line_texture_grid_free (LineTextureGrid * grid);

/**
 * LineTextureLight:
 * @n: pieces that it was learnt from
 * @values: of the grid's samples: how bright pieces are there, as a share of
 *     their brightness in the mean
 *
 * What stays where it is when pieces turn: light, shadows, lamps' reflections,
 * dirt on a lens. Of a view and a cup; begins with 0.
 */
typedef struct
{
  guint n;
  gfloat values[LINE_TEXTURE_SAMPLES];
} LineTextureLight;

/**
 * LineTexture:
 * @is_known: whether the rest is
 * @contrast: mean of the absolute @values
 * @values: of the grid's samples: how much brighter the skin is there than the
 *     light makes pieces, as a share; 0 where that is not known
 * @squares: sums of the squares of the row's values before
 *
 * The skin of a piece as one look shows it.
 */
typedef struct
{
  gboolean is_known;
  gfloat contrast, values[LINE_TEXTURE_SAMPLES];
  gfloat squares[LINE_TEXTURE_SAMPLES];
} LineTexture;

/**
 * LineTexturePicture:
 * @rgb: rows x columns x 3
 */
typedef struct
{
  const guint8 *rgb;
  guint rows, columns;
} LineTexturePicture;

/* Reads the skin within a circle, in pixels; anything may be given for one. Not
 * known if that is too small, too far outside of the picture, or black, nor
 * before the light is. @light: learns from it */
void line_texture_read (const LineTextureGrid * grid,
    LineTextureLight * light, const LineTexturePicture * picture, gdouble x,
    gdouble y, gdouble radius, LineTexture * texture);

/**
 * line_texture_find_turn:
 * @grid: of the view
 * @before: a piece
 * @after: the same piece, later
 * @nominal: degrees that it should have turned
 *
 * Returns: the degrees that it has turned: at most LINE_TEXTURE_RANGE from
 *     @nominal, or about 0 (or whole turns), if it stood still; NaN if the two do
 *     not say so clearly
 */
gdouble line_texture_find_turn (const LineTextureGrid * grid,
    const LineTexture * before, const LineTexture * after, gdouble nominal);
