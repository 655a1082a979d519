/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_ENGINE_H
#define GST_SHAPE_ENGINE_H

#include "gstshaperesult.h"

G_BEGIN_DECLS

/**
 * GstShapeNumber:
 * @GST_SHAPE_NUMBER_U8: unsigned, 8 bits
 * @GST_SHAPE_NUMBER_U16: unsigned, 16 bits
 * @GST_SHAPE_NUMBER_I32: signed, 32 bits
 * @GST_SHAPE_NUMBER_F16: IEEE 754 half precision
 * @GST_SHAPE_NUMBER_F32: IEEE 754 single precision
 * @GST_SHAPE_NUMBER_F64: IEEE 754 double precision
 *
 * Type of an array's elements, in native byte order.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_NUMBER_U8,
  GST_SHAPE_NUMBER_U16,
  GST_SHAPE_NUMBER_I32,
  GST_SHAPE_NUMBER_F16,
  GST_SHAPE_NUMBER_F32,
  GST_SHAPE_NUMBER_F64,
} GstShapeNumber;

/**
 * GstShapeImage:
 * @data: sample (row 0, column 0, channel 0)
 * @type: type of every sample
 * @width: columns
 * @height: rows
 * @channels: samples of a pixel, at least 1
 * @pixel_stride: bytes from a sample to the one a column to the right
 * @row_stride: bytes from a sample to the one a row below
 * @channel_stride: bytes from a sample to the one in the next channel
 *
 * A view of samples in host memory: it owns nothing. Set every member that is
 * not named to 0.
 *
 * Since: 1.0
 */
typedef struct
{
  gconstpointer data;
  GstShapeNumber type;
  guint width;
  guint height;
  guint channels;
  gsize pixel_stride;
  gsize row_stride;
  gsize channel_stride;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
} GstShapeImage;

/**
 * GstShapeContoursFlags:
 * @GST_SHAPE_CONTOURS_NONE: what scikit-image does by default
 * @GST_SHAPE_CONTOURS_FULLY_CONNECTED_HIGH: at saddles connect the high
 *     samples, not the low ones
 * @GST_SHAPE_CONTOURS_POSITIVE_ORIENTATION_HIGH: reverse every contour
 * @GST_SHAPE_CONTOURS_ROWS_FIRST: points are y, x and not x, y
 * @GST_SHAPE_CONTOURS_MEASURES: perimeter, centroid and bounding box; the area
 *     is always there
 * @GST_SHAPE_CONTOURS_MOMENTS: those and the moments to third order
 * @GST_SHAPE_CONTOURS_HIERARCHY: the parent of every closed contour
 * @GST_SHAPE_CONTOURS_BANDS: iso-bands: the polygons between each two
 *     neighbours of the levels, instead of contours
 *
 * What gst_shape_engine_find_contours() does beyond its defaults.
 *
 * Since: 1.0
 */
typedef enum /*< flags >*/
{
  GST_SHAPE_CONTOURS_NONE = 0,
  GST_SHAPE_CONTOURS_FULLY_CONNECTED_HIGH = (1 << 0),
  GST_SHAPE_CONTOURS_POSITIVE_ORIENTATION_HIGH = (1 << 1),
  GST_SHAPE_CONTOURS_ROWS_FIRST = (1 << 2),
  GST_SHAPE_CONTOURS_MEASURES = (1 << 3),
  GST_SHAPE_CONTOURS_MOMENTS = (1 << 4),
  GST_SHAPE_CONTOURS_HIERARCHY = (1 << 5),
  GST_SHAPE_CONTOURS_BANDS = (1 << 6),
} GstShapeContoursFlags;

/**
 * GstShapeHullFlags:
 * @GST_SHAPE_HULL_NONE: the vertices only
 * @GST_SHAPE_HULL_INCLUDE_COLLINEAR: also the points on the hull's edges
 *
 * What gst_shape_engine_convex_hull() does beyond its defaults.
 *
 * Since: 1.0
 */
typedef enum /*< flags >*/
{
  GST_SHAPE_HULL_NONE = 0,
  GST_SHAPE_HULL_INCLUDE_COLLINEAR = (1 << 0),
} GstShapeHullFlags;

/**
 * GstShapeEngine:
 *
 * Finds the shapes of arrays, without a pipeline, on a GPU or the CPU. What a
 * call needs (threads, memory, graphs) is kept for the next one. Boxed,
 * reference counted; any number of threads may use one at the same time.
 *
 * Since: 1.0
 */
typedef struct _GstShapeEngine GstShapeEngine;

#define GST_TYPE_SHAPE_ENGINE (gst_shape_engine_get_type ())
GST_SHAPES_API GType gst_shape_engine_get_type (void);

GST_SHAPES_API GstShapeEngine *gst_shape_engine_new (const gchar * backend,
    gint device_id, GError ** error);
GST_SHAPES_API GstShapeEngine *gst_shape_engine_ref (GstShapeEngine * engine);
GST_SHAPES_API void gst_shape_engine_unref (GstShapeEngine * engine);
GST_SHAPES_API const gchar *gst_shape_engine_get_active_backend (GstShapeEngine
    * engine);
GST_SHAPES_API GstShapeResult *gst_shape_engine_find_contours (GstShapeEngine *
    engine, const GstShapeImage * image, const GstShapeImage * mask,
    const gdouble * levels, guint n_levels, GstShapeContoursFlags flags,
    GError ** error);
GST_SHAPES_API GstShapeResult *gst_shape_engine_convex_hull (GstShapeEngine *
    engine, gconstpointer points, GstShapeNumber type, gsize n_points,
    gsize stride, GstShapeHullFlags flags, GError ** error);
GST_SHAPES_API GstShapeResult *gst_shape_engine_find_contours_bytes (
    GstShapeEngine * engine, GBytes * samples, GstShapeNumber type, guint width,
    guint height, guint channels, const gdouble * levels, guint n_levels,
    GstShapeContoursFlags flags, GError ** error);
GST_SHAPES_API GstShapeResult *gst_shape_engine_convex_hull_bytes (
    GstShapeEngine * engine, GBytes * points, GstShapeNumber type,
    GstShapeHullFlags flags, GError ** error);

/**
 * GstShapeEngineOps: (skip)
 * @open: makes an engine on @backend, "auto", "cuda" or "cpu"
 * @get_active_backend: "cuda" or "cpu"
 * @close: frees it; results may outlive it
 * @find_contours: fills @arrays and @payload
 * @convex_hull: fills @arrays and @payload
 * @release: frees the @payload of a result, on whatever thread
 *
 * How to compute; the plugin cudashapes supplies it. libgstshapes knows nothing
 * of the algorithms. Arguments are checked as far as the functions of
 * #GstShapeEngine say.
 *
 * Since: 1.0
 */
typedef struct
{
  gpointer (*open) (const gchar * backend, gint device_id, GError ** error);
  const gchar *(*get_active_backend) (gpointer engine);
  void (*close) (gpointer engine);
  gboolean (*find_contours) (gpointer engine, const GstShapeImage * image,
      const GstShapeImage * mask, const gdouble * levels, guint n_levels,
      GstShapeContoursFlags flags, GstShapeResultArrays * arrays,
      gpointer * payload, GError ** error);
  gboolean (*convex_hull) (gpointer engine, gconstpointer points,
      GstShapeNumber type, gsize n_points, gsize stride,
      GstShapeHullFlags flags, GstShapeResultArrays * arrays,
      gpointer * payload, GError ** error);
  void (*release) (gpointer payload);

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
} GstShapeEngineOps;

GST_SHAPES_API void gst_shape_engine_set_ops (const GstShapeEngineOps * ops);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapeEngine, gst_shape_engine_unref)

G_END_DECLS

#endif /* GST_SHAPE_ENGINE_H */
