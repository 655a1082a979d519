/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CIRCLES_H
#define CS_CIRCLES_H

/**
 * Circles by the million: built-in scenes, scene files, and what turns circles
 * into marks for the tile engine (raster/raster.h). Host only; deterministic.
 */

#include <glib.h>

#include "base/array.h"
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
 */
typedef struct
{
  float x, y, r, z;
  guint32 rgba;
} CsCircle;

/**
 * CsScene:
 *
 * The scenes of the field's benchmarks (those up to micro2m stand still), and
 * some that move.
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

/* How many circles a scene has; the same at every time. */
gsize cs_scene_get_n_circles (CsScene scene);

/* Writes a scene's circles in normalised coordinates.
 *
 * @seed: scenes with another seed have other random numbers
 * @seconds: stream time, for scenes that move; any finite value, the same gives
 *     the same bits
 * @circles: room for cs_scene_get_n_circles() */
void cs_scene_make (CsScene scene, guint32 seed, double seconds,
    CsCircle * circles);

/* Reads a scene from @text of @length bytes, which need not be text at all:
 * one circle a line, "x y r z #rrggbbaa" (the colour may be #rrggbb), empty
 * lines and lines that begin with # are skipped; or JSON lines as shapejsonenc
 * writes them, of which the circles are taken. Numbers are those of the C
 * locale.
 *
 * Returns: (transfer full): an array of CsCircle, or %NULL with @error
 *     (CS_ERROR_INVALID) set, which names the line, or CS_ERROR_NO_MEMORY */
CsArray *cs_scene_parse (const char *text, gsize length, GError ** error);

/**
 * CsCirclesStyle:
 * @fill: whether circles are filled
 * @stroke_width: pixels; above 0, each circle has an outline of this width,
 *     with the circle's border in its middle, painted right after it
 * @stroke_rgba: the outline's colour; alpha 0 means the circle's own colour,
 *     opaque
 * @normalized: coordinates are 0 to 1, see #CsCircle
 */
typedef struct
{
  gboolean fill;
  float stroke_width;
  guint32 stroke_rgba;
  gboolean normalized;
} CsCirclesStyle;

/* Appends the marks of @n circles to @marks (an array of CsMark) and their
 * depths to @depths (an array of float), for a picture of @width x @height. Look
 * at their @failed afterwards.
 *
 * Returns: how many circles were left out, because they are not finite, have no
 *     radius, or lie outside */
gsize cs_circles_to_marks (const CsCircle * circles, gsize n,
    const CsCirclesStyle * style, guint width, guint height, CsArray * marks,
    CsArray * depths);

/* The smallest circle around @n points (x, y, x, y, ...), up to rounding; no
 * finite point lies outside. What is not finite is left out. Grows a circle to
 * whatever point is farthest outside, as Gärtner's "Fast and robust smallest
 * enclosing balls" (ESA 1999) does.
 *
 * Returns: %FALSE if there is no finite point */
gboolean cs_enclosing_circle (const float *xy, gsize n, double *x, double *y,
    double *r);

G_END_DECLS

#endif /* CS_CIRCLES_H */
