/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_RASTER_H
#define GST_SHAPE_RASTER_H

/*
 * Draws anti-aliased polylines and circles on 8-bit pictures.
 *
 * A raster collects what is to be drawn on one frame (begin, add, add, ...) and
 * then draws it (draw). Everything is painted in the order in which it was
 * added. Consecutive shapes with equal paint make up one *group*: the group's
 * coverage is the greatest of its parts, so that joints, crossings and doubled
 * lines are not blended twice, and its closed polylines are filled together by
 * the even-odd rule, so that holes stay empty.
 *
 * Coverage is that of a pixel-sized square by the half plane that touches the
 * line's edge where it is nearest: exact along straight lines in every
 * direction, within .05 at round ends of lines two pixels wide. Pixel centres
 * are at integer coordinates.
 *
 * The picture is worked on in bands of rows, by as many threads as the executor
 * has; the result does not depend on their number. Memory grows to what a frame
 * needs and is kept.
 */

#include <glib.h>

#include "base/executor.h"
#include "shapes/gstshapes.h"

G_BEGIN_DECLS

/**
 * GstShapeSurface:
 * @width: columns
 * @height: rows
 * @pixel_bytes: 3 or 4: interleaved RGB in plane 0; 0: planes of luma and
 *     chroma
 * @offsets: interleaved RGB: the byte of R, G, B and A in a pixel; A is -1 if
 *     the picture has none
 * @premultiplied: colours have been multiplied by alpha
 * @n_planes: planes: 1 (luma) or 3
 * @data: first sample of each plane
 * @row_stride: bytes from a sample to the one below
 * @pixel_stride: planes: bytes from a sample to the one on its right, 1 or 2
 * @sub_x: planes: log2 of the horizontal chroma subsampling, 0 or 1
 * @sub_y: planes: log2 of the vertical chroma subsampling, 0 or 1
 * @kr: planes: weight of red in luma
 * @kb: planes: weight of blue in luma
 * @full_range: planes: codes are 0 .. 255, not 16 .. 235
 *
 * Somebody else's picture.
 */
typedef struct
{
  guint width, height;
  guint pixel_bytes;
  gint offsets[4];
  gboolean premultiplied;
  guint n_planes;
  guint8 *data[3];
  gssize row_stride[3];
  guint pixel_stride[3];
  guint sub_x, sub_y;
  gdouble kr, kb;
  gboolean full_range;
} GstShapeSurface;

/**
 * GstShapePaint:
 * @argb: 0xAARRGGBB
 * @line_opacity: 0 .. 1, multiplies the colour's alpha; 0: no outlines
 * @fill_opacity: 0 .. 1, likewise for what closed polylines and circles
 *     enclose; 0: nothing is filled
 * @line_width: width of outlines in pixels
 * @dashed: outlines of polylines are dashed
 * @hollow: closed polylines are not filled; those of one group can differ
 * @group: shapes with different numbers are not grouped
 */
typedef struct
{
  guint32 argb;
  gfloat line_opacity;
  gfloat fill_opacity;
  gfloat line_width;
  gboolean dashed;
  gboolean hollow;
  guint group;
} GstShapePaint;

/* Length of a dash, and of a dash and the gap after it, in pixels. */
static inline gdouble
gst_shape_paint_dash_length (const GstShapePaint * paint)
{
  return MAX (3. * paint->line_width, 4.);
}

static inline gdouble
gst_shape_paint_dash_period (const GstShapePaint * paint)
{
  return gst_shape_paint_dash_length (paint)
      + MAX (3.5 * paint->line_width, 5.);
}

typedef struct _GstShapeRaster GstShapeRaster;

/* A raster whose threads are those of @executor, which is borrowed. */
GstShapeRaster *gst_shape_raster_new (CsExecutor * executor);
void gst_shape_raster_free (GstShapeRaster * raster);

/* Forgets everything added. What is added next lies in a space of @set_width x
 * @set_height pixels and is rescaled to @width x @height, the size of the
 * surface that will be drawn on; a @set_width or @set_height of 0 means the
 * surface's own. */
void gst_shape_raster_begin (GstShapeRaster * raster, guint width, guint height,
    guint set_width, guint set_height);

/* Adds a polyline of @n points, which must stay valid until the frame is drawn.
 * It is filled if it is closed (its last point equals its first). Segments with
 * a non-finite end are left out, and polylines with one are not filled. A
 * single point makes a dot. */
void gst_shape_raster_add_polyline (GstShapeRaster * raster,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint);

/* Adds a dot of @paint's line width on each of @n points. */
void gst_shape_raster_add_dots (GstShapeRaster * raster,
    const GstShapePoint * points, gsize n, const GstShapePaint * paint);

/* Adds @n circles, all in @paint's colour whatever theirs; their radius is the
 * middle of the outline. Circles that are not finite or have no radius are left
 * out. Anisotropic rescaling makes them ellipses. */
void gst_shape_raster_add_circles (GstShapeRaster * raster,
    const GstShapeCircle * circles, gsize n, const GstShapePaint * paint);

/* Whether nothing that was added can touch the frame. */
gboolean gst_shape_raster_is_empty (const GstShapeRaster * raster);

/* Draws on @surface, whose size is the one given to gst_shape_raster_begin().
 * Fails only if memory runs out; then nothing has been drawn. */
gboolean gst_shape_raster_draw (GstShapeRaster * raster,
    const GstShapeSurface * surface, GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_RASTER_H */
