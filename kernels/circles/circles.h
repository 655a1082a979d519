/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Millions of circles: built-in scenes, scene files, and conversion of circles
 * to marks for the tile engine (raster/raster.h). Host only; deterministic.
 */

#include <glib.h>

#include "base/array.h"
#include "gradients.h"
#include "raster/raster.h"

G_BEGIN_DECLS

/**
 * CsCircle:
 * @x: centre, in pixels or 0 to 1
 * @y: likewise
 * @r: radius, in the same unit; normalised radii are fractions of the smaller
 *     side
 * @z: depth, larger is farther
 * @rgba: 0xRRGGBBAA
 * @vx: velocity, in that unit in each direction, a second
 * @vy: likewise
 * @gradient: its number in a #CsGradientSet, 0 for none of its own
 */
typedef struct
{
  float x, y, r, z;
  guint32 rgba;
  float vx, vy;
  guint32 gradient;
} CsCircle;

/**
 * CsScene:
 *
 * The static scenes of the usual circle renderer benchmarks (up to micro2m),
 * and animated ones.
 */
typedef enum
{
  CS_SCENE_NONE,
  CS_SCENE_RGB,
  CS_SCENE_RGBY,
  CS_SCENE_RAND10K,
  CS_SCENE_RAND100K,
  CS_SCENE_RAND1M,
  CS_SCENE_BIGLITTLE,
  CS_SCENE_LITTLEBIG,
  CS_SCENE_PATTERN,
  CS_SCENE_MICRO2M,
  CS_SCENE_SNOW,
  CS_SCENE_BOUNCINGBALLS,
  CS_SCENE_FIREWORKS,
  CS_SCENE_HYPNOSIS,
} CsScene;

#define CS_N_SCENES (CS_SCENE_HYPNOSIS + 1)

/* The name of a scene: "rand10k". */
const char *cs_scene_get_name (CsScene scene);
gboolean cs_scene_is_animated (CsScene scene);

/* Number of circles of a scene; constant over time. */
gsize cs_scene_get_n_circles (CsScene scene);

/* Writes a scene's circles in normalised coordinates.
 *
 * @seed: of the random numbers
 * @seconds: stream time, for animated scenes; any finite value. The same time
 *     gives the same bits.
 * @circles: room for cs_scene_get_n_circles() */
void cs_scene_make (CsScene scene, guint32 seed, double seconds,
    CsCircle * circles);

/**
 * CsMotion:
 * @gravity: acceleration downwards, or upwards below 0, in the circles' unit a
 *     second squared; finite
 * @bounce: whether the borders of the picture reflect circles without loss,
 *     instead of letting them leave
 *
 * How circles move. Where one is follows from the time alone:
 *   x = x0 + vx t,  y = y0 + vy t + gravity t^2 / 2,
 * and with @bounce from the line or parabola reflected at the borders, which the
 * circle touches with its own; one that is too large lies in the middle.
 */
typedef struct
{
  double gravity;
  gboolean bounce;
} CsMotion;

/* Whether the time matters. */
gboolean cs_circles_are_moving (const CsCircle * circles, gsize n,
    const CsMotion * motion);

/* Where circles are at a time, computed in double precision with operations
 * that IEEE 754 defines, and rounded once.
 *
 * @normalized: coordinates are 0 to 1, see #CsCircle
 * @seconds: finite
 * @moved: room for @n; may be @circles */
void cs_circles_move (const CsCircle * circles, gsize n,
    const CsMotion * motion, gboolean normalized, guint width, guint height,
    double seconds, CsCircle * moved);

/* Parses a scene of @length bytes, which may be malformed in any way: one
 * circle per line, "x y r z #rrggbbaa" (the colour may be #rrggbb, and a
 * gradient may follow, see gradients.h, and "vx vy"), empty lines and lines that
 * begin with # are skipped; or JSON lines of shapejsonenc, of which the circles
 * are used; they may have a member "gradient". Numbers are in the C locale.
 *
 * @gradients: gets the gradients
 * Returns: (transfer full): an array of CsCircle, or %NULL with @error
 *     (CS_ERROR_INVALID) set, which names the line, or CS_ERROR_NO_MEMORY */
CsArray *cs_scene_parse (const char *text, gsize length,
    CsGradientSet * gradients, GError ** error);

/**
 * CsCirclesStyle:
 * @fill: whether circles are filled
 * @stroke_width: pixels; above 0, each circle has an outline of this width,
 *     centred on the circle's border, painted right after it
 * @stroke_rgba: the outline's colour; alpha 0 means the circle's own colour,
 *     opaque
 * @normalized: coordinates are 0 to 1, see #CsCircle
 * @gradients: (nullable): what the numbers of gradients refer to
 * @gradient: of fills of circles without one of their own, 0 for none
 * @offset: what is added to circles' numbers of gradients
 */
typedef struct
{
  gboolean fill;
  float stroke_width;
  guint32 stroke_rgba;
  gboolean normalized;
  const CsGradientSet *gradients;
  guint32 gradient, offset;
} CsCirclesStyle;

/* Appends the marks of @n circles to @marks (an array of CsMark) and their
 * depths to @depths (an array of float), for a picture of @width x @height.
 * Allocation failures set the arrays' @failed.
 *
 * Returns: number of circles skipped, because they are not finite, have no
 *     radius, or lie outside of the picture */
gsize cs_circles_to_marks (const CsCircle * circles, gsize n,
    const CsCirclesStyle * style, guint width, guint height, CsArray * marks,
    CsArray * depths);

/* The smallest enclosing circle of @n points (x, y, x, y, ...), up to
 * rounding; no finite point lies outside. Points that are not finite are
 * ignored. Pivots on the point farthest outside, as Gärtner's "Fast and robust
 * smallest enclosing balls" (ESA 1999).
 *
 * Returns: %FALSE if there is no finite point */
gboolean cs_enclosing_circle (const float *xy, gsize n, double *x, double *y,
    double *r);

G_END_DECLS
