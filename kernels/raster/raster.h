/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * The tile engine: paints semi-transparent marks (discs, rings, capsules) and
 * fills on a picture in exact order, by the million.
 *
 * What it means is the sequential algorithm: marks one after the other, the
 * first is the farthest; for each pixel that a mark covers,
 *   colour = a * rgb + (1 - a) * colour, a = alpha * opacity * coverage,
 * in single precision, and at the very end code = (int) (max * colour + .5).
 * The result is that, code for code, on both backends and whatever the number
 * of threads: tiles are worked on from the nearest mark backwards and left as
 * soon as it is proven that nothing behind can change a code; a pixel that
 * cannot be proven is painted again in full.
 *
 * Pixel centres are at integer coordinates, x to the right, y down. Geometry is
 * snapped to 1/256 pixel. A mark that is not finite, has no size, begins or ends
 * more than 2^30 pixels away or misses the picture is not painted and counted.
 *
 * Colours are mixed multiplied by alpha where the picture has alpha, and divided
 * by it in the end unless it is premultiplied; without any alpha they are black.
 * YUV is mixed as YUV (linear: as red, green and blue of 16 bits); a subsampled
 * chroma sample is the mean over its pixels, each painted on that sample. A
 * pixel that no mark touches keeps its codes.
 */

#include "base/executor.h"
#include "base/picture.h"

G_BEGIN_DECLS

/**
 * CsMark:
 * @x0: where the mark begins, in pixels
 * @y0: likewise
 * @x1: where it ends; a disc or ring ends where it begins
 * @y1: likewise
 * @radius: what lies at most so far from the line between both ends is inside:
 *     the radius of a disc, half the width of a capsule
 * @half_width: 0: the inside is painted; above 0: instead what is at most so
 *     far from its border (a ring); %CS_MARK_FILL: the mark is a fill. Other
 *     numbers below 0 are reserved for other sources of coverage, such as
 *     bitmaps.
 * @rgba: 0xRRGGBBAA, not premultiplied
 * @group: marks that follow each other with the same number other than 0 are
 *     painted as one: their coverage is the greatest of them, and the colour
 *     the first one's, so that joints and crossings are not painted twice. Of
 *     a fill: its index in CsFills, and the fill belongs to no group; the
 *     geometry above is ignored. %CS_MARK_GRADIENT and an index in CsGradients,
 *     where marks come with gradients: the mark has that gradient, and belongs
 *     to no group.
 *
 * 32 bytes; the same on the host and the device.
 */
typedef struct
{
  float x0, y0, x1, y1;
  float radius, half_width;
  guint32 rgba;
  guint32 group;
} CsMark;

/* Values of half_width that say where the coverage comes from. */
#define CS_MARK_FILL (-1.f)

/* The bit of group that says that a mark has a gradient. */
#define CS_MARK_GRADIENT 0x80000000u

/**
 * CsFillRule:
 * @CS_FILL_EVEN_ODD: inside is what an odd number of edges surrounds
 * @CS_FILL_NONZERO: inside is where the winding number is not 0
 */
typedef enum
{
  CS_FILL_EVEN_ODD,
  CS_FILL_NONZERO,
} CsFillRule;

/**
 * CsFill:
 * @first_ring: index of its first ring
 * @n_rings: how many rings bound it together
 * @rule: what is inside
 *
 * A region bounded by polygons. A pixel's coverage is the area of the pixel
 * that lies inside, by accumulation of signed areas: exact (to 1/65536, of
 * geometry snapped to 1/256 pixel) unless edges of different regions cross
 * within the pixel. Without antialiasing it is 1 if the pixel's centre is
 * inside, decided exactly, else 0. A centre on an edge is outside, unless the
 * edge is horizontal, or rings go the wrong way: the outline comes first, and
 * holes go the other way round.
 */
typedef struct
{
  guint32 first_ring, n_rings;
  CsFillRule rule;
} CsFill;

/**
 * CsFills:
 * @fills: @n fills
 * @rings: where each of @n_rings rings begins in @points, and the end of the
 *     last
 * @points: x, y in pixels. A ring is closed by itself. One with a coordinate
 *     that is not finite is left out and counted.
 * @n: how many
 * @n_rings: how many
 *
 * In host memory on both backends.
 */
typedef struct
{
  const CsFill *fills;
  const guint32 *rings;
  const float *points;
  gsize n, n_rings;
} CsFills;

/**
 * CsGradientKind:
 * @CS_GRADIENT_RADIAL: t is the distance from the mark's beginning
 * @CS_GRADIENT_LINEAR: t grows along a direction, and is 0 and 1 where a disc
 *     has its border
 */
typedef enum
{
  CS_GRADIENT_RADIAL,
  CS_GRADIENT_LINEAR,
} CsGradientKind;

/**
 * CsGradientStop:
 * @at: where, 0 to 1
 * @color: red, green, blue and alpha, 0 to 1; sRGB, not premultiplied
 */
typedef struct
{
  float at, color[4];
} CsGradientStop;

/* The greatest falloff. */
#define CS_GRADIENT_MAX_FALLOFF 16.f

/**
 * CsGradient:
 * @kind: what t is
 * @x: of %CS_GRADIENT_LINEAR: the direction, of length 1
 * @y: likewise
 * @falloff: 0 to %CS_GRADIENT_MAX_FALLOFF: alpha is multiplied by
 *     exp (-falloff t^2)
 * @first_stop: index of its first stop
 * @n_stops: how many it has, at least 1
 *
 * What a mark's colour is multiplied by, and its alpha, at each pixel. With
 * (u, v) from the mark's snapped beginning to the pixel's centre, divided by
 * the mark's radius (0 if that is 0),
 *   radial: t = sqrt (u^2 + v^2),  linear: t = (x u + y v + 1) / 2,
 * limited to 0 to 1. Between two stops red, green, blue and alpha change
 * linearly; before the first and behind the last they stay. The product is
 * converted like the colour of any mark.
 */
typedef struct
{
  CsGradientKind kind;
  float x, y, falloff;
  guint32 first_stop, n_stops;
} CsGradient;

/**
 * CsGradients:
 * @gradients: @n gradients; any number of marks may share one
 * @stops: @n_stops of them; a gradient's do not decrease
 * @n: how many
 * @n_stops: how many
 *
 * In host memory on both backends.
 */
typedef struct
{
  const CsGradient *gradients;
  const CsGradientStop *stops;
  gsize n, n_stops;
} CsGradients;

/**
 * CsMarks:
 * @marks: @n marks, in painting order unless @depths says otherwise
 * @depths: (nullable): a depth for each mark; larger is farther and painted
 *     first, equal depths (and NaN, which is farthest) in the order of @marks.
 *     Groups are not allowed together with depths; in device memory, where they
 *     are not looked for, they are ignored then.
 * @n: how many
 * @memory: where both arrays lie
 * @version: 0, or a number that is the same only as long as the arrays'
 *     contents, and those of @fills and @gradients, are: what has been uploaded,
 *     sorted and binned for it is used again
 * @fills: (nullable): what marks that are fills refer to
 * @gradients: (nullable): what marks with gradients refer to, at most 2^30 of
 *     them, all in host memory. A mark whose gradient there is not is not
 *     painted.
 */
typedef struct
{
  const CsMark *marks;
  const float *depths;
  gsize n;
  CsMemory memory;
  guint64 version;
  const CsFills *fills;
  const CsGradients *gradients;
} CsMarks;

/**
 * CsRasterSettings:
 * @background: what lies behind all marks
 * @antialias: coverage of a mark is clamp (.5 - distance to its border, 0, 1)
 *     instead of 0 or 1 by the pixel's centre (inside if d^2 <= r^2)
 * @linear: colours are mixed in linear light (sRGB curve) instead of codes
 * @opacity: 0 to 1, multiplies every alpha
 * @ink: (nullable): what a pen has left, painted between two marks
 * @ink_after: how many of the marks lie under the ink
 * @ink_rgba: its colour, 0xRRGGBBAA
 * @ink_now: the time now, in the unit in which it was stamped
 * @ink_fade: how long ink takes to fade to nothing, linearly; 0: it stays.
 *     Ink stamped after @ink_now is not painted.
 */
typedef struct
{
  CsBackground background;
  gboolean antialias;
  gboolean linear;
  float opacity;
  const struct _CsInk *ink;
  gsize ink_after;
  guint32 ink_rgba;
  float ink_now, ink_fade;
} CsRasterSettings;

/* Frame, antialiased, gamma, opacity 1, no ink. */
void cs_raster_settings_init (CsRasterSettings * settings);

/**
 * CsRasterStats:
 * @dropped: marks that could not be painted: not finite, no size, or outside;
 *     and rings of fills that are not finite
 * @replayed: pixels that had to be painted again in full; 0 on backends that do
 *     not count them
 */
typedef struct
{
  guint64 dropped;
  guint64 replayed;
} CsRasterStats;

/**
 * CsRaster:
 *
 * A plan: an executor and scratch memory. Not thread-safe.
 */
typedef struct _CsRaster CsRaster;

/* Fails with CS_ERROR_NOT_SUPPORTED (no such backend here). */
CsRaster *cs_raster_new (CsExecutor * executor, GError ** error);
void cs_raster_free (CsRaster * raster);

/* Paints @marks on @input and writes @output.
 *
 * @input: (nullable): the picture behind the marks, with CS_BACKGROUND_FRAME;
 *     of the same layout as @output, and it may be the same picture
 * @output: written in full; in host memory on the CPU, device memory on CUDA
 * On the CPU the result is there on return, on CUDA in the order of the
 * executor's stream; host marks have been copied on return. Nothing is drawn
 * when it fails: CS_ERROR_INVALID (pictures that do not fit together, depths
 * with groups, host memory on CUDA or the other way round), CS_ERROR_LIMIT (a
 * side above 65536 pixels, 2^31 marks), CS_ERROR_NO_MEMORY, CS_ERROR_DEVICE. */
gboolean cs_raster_run (CsRaster * raster, const CsMarks * marks,
    const CsRasterSettings * settings, const CsPicture * input,
    const CsPicture * output, GError ** error);

/* What the last run counted. Waits for it on CUDA. */
gboolean cs_raster_get_stats (CsRaster * raster, CsRasterStats * stats,
    GError ** error);

/**
 * CsInk:
 *
 * What a pen has left on a canvas: for each pixel how much of it is covered,
 * and when it was last touched. On CUDA in device memory. Bound to its
 * executor; not thread-safe.
 */
typedef struct _CsInk CsInk;

/**
 * CsInkSegment:
 * @x0: where the pen came from, in pixels
 * @y0: likewise
 * @x1: where it went
 * @y1: likewise
 * @time: when it arrived; increases
 */
typedef struct
{
  float x0, y0, x1, y1;
  float time;
} CsInkSegment;

/* A clean canvas. Fails with CS_ERROR_LIMIT, CS_ERROR_NO_MEMORY,
 * CS_ERROR_DEVICE or CS_ERROR_NOT_SUPPORTED. */
CsInk *cs_ink_new (CsExecutor * executor, guint width, guint height,
    GError ** error);
void cs_ink_free (CsInk * ink);

/* Takes all ink away. */
gboolean cs_ink_clear (CsInk * ink, GError ** error);

/* Draws @n segments (host memory, copied) with a round pen of @half_width
 * pixels: a pixel's coverage is the greatest of all segments since the last
 * clear, its time the latest of those that touched it. The result depends
 * neither on the order of segments nor on how they are divided into calls. The
 * time depends on what the segments cover, not on the size of the canvas. */
gboolean cs_ink_stamp (CsInk * ink, const CsInkSegment * segments, gsize n,
    float half_width, GError ** error);

G_END_DECLS
