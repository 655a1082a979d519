/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pixels of shapes, as pictures. */

#include <string.h>

#include "base/memory.h"
#include "gstshapepixels.h"
#include "gstshaperaster.h"
#include "gstshapes-private.h"

/* What a polygon's runs are written to. */
typedef struct
{
  guint8 *data;
  gsize width, n_pixels;
  gsize n;                      /* of the polygons drawn so far */
  gint32 label;                 /* of the polygon */
} Canvas;

typedef void (*Draw) (Canvas * canvas, const GstShapeRun * run);

static void
draw_mask (Canvas * canvas, const GstShapeRun * run)
{
  memset (canvas->data + canvas->n * canvas->n_pixels +
      run->row * canvas->width + run->first, 1, run->end - run->first);
}

static void
draw_label (Canvas * canvas, const GstShapeRun * run)
{
  gint32 *row = (gint32 *) (gpointer) canvas->data + run->row * canvas->width;

  for (gsize i = run->first; i < run->end; i++)
    row[i] = canvas->label;
}

static gboolean
is_object (const GstShapePolygon * polygon, GstShapeKind kind)
{
  const GstShapePolyline *line = gst_shape_polygon_get_record (polygon);

  return line->kind == kind && (line->flags & GST_SHAPE_FLAG_CLOSED)
      && !(line->flags & GST_SHAPE_FLAG_HOLE);
}

/* How many objects there are, or %FALSE if one has no points. */
static gboolean
count_objects (const CsArray * polygons, GstShapeKind kind, gsize * n,
    GError ** error)
{
  *n = 0;
  for (gsize i = 0; i < polygons->len; i++) {
    const GstShapePolygon *polygon = &cs_array_index (polygons,
        GstShapePolygon, i);

    if (!is_object (polygon, kind))
      continue;
    ++*n;
    if (!polygon->arrays->points)
      return gst_shapes_fail (error, "pixels need shapes with points");
  }
  return TRUE;
}

static gboolean
no_memory (gsize n, GError ** error)
{
  return gst_shapes_fail_memory (error, "no memory for the pixels of %"
      G_GSIZE_FORMAT " shapes", n);
}

static gboolean
draw_objects (GstShapeSet * set, const CsArray * polygons, GstShapeKind kind,
    Draw draw, Canvas * canvas, GError ** error)
{
  GstShapeRaster raster = { {0}, };
  gboolean drawn = TRUE;

  for (gsize i = 0; drawn && i < polygons->len; i++) {
    const GstShapePolygon *polygon = &cs_array_index (polygons,
        GstShapePolygon, i);

    if (!is_object (polygon, kind))
      continue;
    canvas->label = (gint32) ((guint32) gst_shape_polygon_get_record
        (polygon)->id + 1);
    drawn = gst_shape_raster_run (&raster, polygons, i,
        gst_shape_set_get_width (set), gst_shape_set_get_height (set), FALSE);
    for (gsize k = 0; drawn && k < raster.runs.len; k++)
      draw (canvas, &cs_array_index (&raster.runs, GstShapeRun, k));
    canvas->n++;
  }
  gst_shape_raster_clear (&raster);
  return drawn || no_memory (canvas->n, error);
}

/* Pictures of the set's size, each of @size bytes for a pixel; one for each
 * object, or one of all. */
static gboolean
make_pictures (GstShapeSet * set, const CsArray * polygons, GstShapeKind kind,
    Draw draw, gsize size, gboolean each, GBytes ** pictures, GError ** error)
{
  const guint64 width = gst_shape_set_get_width (set);
  const guint64 height = gst_shape_set_get_height (set);
  Canvas canvas = {.width = (gsize) width };
  gsize n;

  if (width == 0 || height == 0)
    return gst_shapes_fail (error,
        "a set of shapes without a size has no pixels");
  if (!count_objects (polygons, kind, &n, error))
    return FALSE;
  if (!each)
    n = 1;
  /* neither product overflows */
  if (width > G_MAXINT32 || height > G_MAXINT32
      || (n > 0 && width * height > G_MAXINT32 / size / n))
    return gst_shapes_fail_memory (error, "%" G_GSIZE_FORMAT " pictures of %"
        G_GUINT64_FORMAT " x %" G_GUINT64_FORMAT " pixels are more than 2 GiB",
        n, width, height);
  canvas.n_pixels = (gsize) (width * height);
  canvas.data = cs_try_malloc0_n (MAX (n * canvas.n_pixels, 1), size);
  if (!canvas.data)
    return no_memory (n, error);
  if (!draw_objects (set, polygons, kind, draw, &canvas, error)) {
    g_free (canvas.data);
    return FALSE;
  }
  *pictures = g_bytes_new_take (canvas.data, n * canvas.n_pixels * size);
  return TRUE;
}

static GBytes *
get_pictures (GstShapeSet * set, GstShapeKind kind, Draw draw, gsize size,
    gboolean each, GError ** error)
{
  GBytes *pictures = NULL;
  CsArray polygons;

  if (gst_shape_polygons_init (&polygons, set, error))
    make_pictures (set, &polygons, kind, draw, size, each, &pictures, error);
  cs_array_clear (&polygons);
  return pictures;
}

/**
 * gst_shape_set_get_masks_bytes:
 * @set: a set with a size
 * @kind: of the shapes
 * @error: return location for an error
 *
 * The pixels of each closed polyline of @kind that is no hole, in the order of
 * layers and shapes: pictures of the set's width x height bytes, row by row, 1
 * where a pixel belongs to the shape and 0 elsewhere. A pixel belongs to a
 * shape if its centre is inside its outline and inside none of its holes, and
 * on no line of these. The holes of a contour are the closed contours with
 * %GST_SHAPE_FLAG_HOLE whose parent it is. A shape with a point that is not
 * finite has no pixels.
 *
 * Returns: (transfer full): the pictures, one after the other; %NULL with
 *     @error set when @set has no size, shapes have no points, a layer could
 *     not be downloaded, or pictures would take more than 2 GiB or than there
 *     is memory
 *
 * Since: 1.0
 */
GBytes *
gst_shape_set_get_masks_bytes (GstShapeSet * set, GstShapeKind kind,
    GError ** error)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_pictures (set, kind, draw_mask, 1, TRUE, error);
}

/**
 * gst_shape_set_get_labels_bytes:
 * @set: a set with a size
 * @kind: of the shapes
 * @error: return location for an error
 *
 * The pixels of gst_shape_set_get_masks_bytes() as a picture of the set's width
 * x height gint32 in native byte order, row by row: 1 + the id of the shape
 * that a pixel belongs to, the last one if there are several, and 0 for none.
 *
 * Returns: (transfer full): the picture; %NULL with @error set as by
 *     gst_shape_set_get_masks_bytes()
 *
 * Since: 1.0
 */
GBytes *
gst_shape_set_get_labels_bytes (GstShapeSet * set, GstShapeKind kind,
    GError ** error)
{
  g_return_val_if_fail (set != NULL, NULL);

  return get_pictures (set, kind, draw_label, sizeof (gint32), FALSE, error);
}
