/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* White shapes and a painter, for tests of what is made of them. */

#include "shapeoverlay/gstshapeoverlaymarks.h"

#define WHITE 0xffffffffu

typedef struct
{
  const GstShapePoint *points;
  gsize n;
} Line;

/* What is drawn, and how large the picture is. */
typedef struct
{
  guint width, height;
  const Line *lines;
  guint n_lines;
  const GstShapeCircle *circles;
  guint n_circles;
  GstShapePaint paint;
  const Line *dots;
  guint set_width, set_height;
} Scene;

/* Where the scene's points are in the picture. */
GstShapePoint scene_map (const Scene * scene, GstShapePoint point);

/* A fresh gray picture of the scene, white on black. */
guint8 *scene_render (const Scene * scene, guint n_threads);

/* Lines of @width, not filled; fillings without lines. */
GstShapePaint line_paint (gfloat width);
GstShapePaint fill_paint (void);

/* Makes a closed polyline of @n points and the first again; returns their
 * number. */
gsize wobbly_ring (GstShapePoint * points, gsize n, gdouble x, gdouble y,
    gdouble r);

CsPicture gray_picture (guint8 * data, guint width, guint height);

/* Marks and a painter. */
typedef struct
{
  CsExecutor *executor;
  CsRaster *raster;
  GstShapeMarks marks;
} Painter;

void painter_init (Painter * painter, guint n_threads);
void painter_clear (Painter * painter);

/* Paints what has been added to the marks. */
void painter_run (Painter * painter, const CsPicture * picture);
