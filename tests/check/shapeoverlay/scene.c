/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "scene.h"

#include <gst/check/gstcheck.h>

#include <math.h>

GstShapePoint
scene_map (const Scene * scene, GstShapePoint point)
{
  const gdouble sx = scene->set_width ?
      (gdouble) scene->width / scene->set_width : 1.;
  const gdouble sy = scene->set_height ?
      (gdouble) scene->height / scene->set_height : 1.;

  return (GstShapePoint) {
    (gfloat) ((point.x + .5) * sx - .5), (gfloat) ((point.y + .5) * sy - .5)
  };
}

CsPicture
gray_picture (guint8 * data, guint width, guint height)
{
  return (CsPicture) {
    .model = CS_PICTURE_GRAY,.type = CS_SAMPLE_U8,.memory = CS_MEMORY_HOST,
    .width = width,.height = height,.depth = 8,.data = {data},
    .pixel_stride = {1},.row_stride = {width}
  };
}

void
painter_init (Painter * painter, guint n_threads)
{
  painter->executor = cs_executor_new_cpu (n_threads);
  painter->raster = cs_raster_new (painter->executor, NULL);
  gst_shape_marks_init (&painter->marks);
}

void
painter_clear (Painter * painter)
{
  gst_shape_marks_clear (&painter->marks);
  cs_raster_free (painter->raster);
  cs_executor_free (painter->executor);
}

void
painter_run (Painter * painter, const CsPicture * picture)
{
  const CsMarks marks = gst_shape_marks_get (&painter->marks);
  CsRasterSettings settings;

  cs_raster_settings_init (&settings);
  fail_if (gst_shape_marks_have_failed (&painter->marks));
  fail_unless (cs_raster_run (painter->raster, &marks, &settings, picture,
          picture, NULL));
}

static void
add_scene (GstShapeMarks * marks, const Scene * scene)
{
  for (guint i = 0; i < scene->n_lines; i++)
    gst_shape_marks_add_polyline (marks, scene->lines[i].points,
        scene->lines[i].n, &scene->paint);
  if (scene->dots)
    gst_shape_marks_add_dots (marks, scene->dots->points, scene->dots->n,
        &scene->paint);
  if (scene->n_circles > 0)
    gst_shape_marks_add_circles (marks, scene->circles, scene->n_circles,
        &scene->paint);
}

guint8 *
scene_render (const Scene * scene, guint n_threads)
{
  guint8 *data = g_malloc0 ((gsize) scene->width * scene->height);
  const CsPicture picture = gray_picture (data, scene->width, scene->height);
  Painter painter;

  painter_init (&painter, n_threads);
  gst_shape_marks_begin (&painter.marks, scene->width, scene->height,
      scene->set_width, scene->set_height);
  add_scene (&painter.marks, scene);
  painter_run (&painter, &picture);
  painter_clear (&painter);
  return data;
}

GstShapePaint
line_paint (gfloat width)
{
  GstShapePaint paint = { WHITE, 1.f, 0.f, width, FALSE, FALSE, 0 };

  return paint;
}

GstShapePaint
fill_paint (void)
{
  GstShapePaint paint = { WHITE, 0.f, 1.f, 0.f, FALSE, FALSE, 0 };

  return paint;
}

gsize
wobbly_ring (GstShapePoint * points, gsize n, gdouble x, gdouble y, gdouble r)
{
  for (gsize i = 0; i <= n; i++) {
    gdouble angle = 2. * G_PI * (i % n) / n;
    gdouble radius = r * (1. + .15 * sin (5. * angle));

    points[i].x = (gfloat) (x + radius * cos (angle));
    points[i].y = (gfloat) (y + radius * sin (angle));
  }
  return n + 1;
}
