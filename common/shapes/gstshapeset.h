/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_SET_H
#define GST_SHAPE_SET_H

#include <gst/gst.h>

#include "gstshapes-prelude.h"

G_BEGIN_DECLS

/**
 * GstShapePoint:
 * @x: to the right, in pixels
 * @y: down, in pixels
 *
 * Pixel centres are at integer coordinates, as in scikit-image and OpenCV.
 *
 * Since: 1.0
 */
typedef struct
{
  gfloat x, y;
} GstShapePoint;

/**
 * GstShapeKind:
 * @GST_SHAPE_KIND_CONTOUR: an iso-contour
 * @GST_SHAPE_KIND_HULL: a convex hull
 *
 * The kind of a polyline.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_KIND_CONTOUR,
  GST_SHAPE_KIND_HULL,
} GstShapeKind;

/**
 * GstShapeFlags:
 * @GST_SHAPE_FLAG_CLOSED: the last point repeats the first
 * @GST_SHAPE_FLAG_HOLE: closed around low values
 *
 * What else a polyline is.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_FLAG_CLOSED = (1 << 0),
  GST_SHAPE_FLAG_HOLE = (1 << 1),
} GstShapeFlags;

/**
 * GstShapePolyline:
 * @id: unique across the set's layers
 * @parent: for a contour the id of the enclosing contour, for a hull the id of
 *     its contour; -1 if there is none or it was dropped
 * @class_id: class (channel) it belongs to
 * @image: index of its image in a batch
 * @kind: a #GstShapeKind
 * @flags: #GstShapeFlags
 * @level: iso-level, in sample units; of iso-bands the lower one
 * @area: signed shoelace area in pixels squared (y down)
 * @perimeter: arc length in pixels
 * @centroid_x: centroid
 * @centroid_y: centroid
 * @bbox_x0: left
 * @bbox_y0: top
 * @bbox_x1: right
 * @bbox_y1: bottom
 * @solidity: hulls: |area of the contour| / |area of the hull|; else NaN
 *
 * The fixed-size record of a polyline. Measures that were not computed are NaN:
 * gst_shape_arrays_get_measures() and gst_shape_set_compute_measures() take
 * them from the points.
 *
 * Since: 1.0
 */
typedef struct
{
  gint32 id;
  gint32 parent;
  gint32 class_id;
  gint32 image;
  guint32 kind;
  guint32 flags;
  gdouble level;
  gdouble area;
  gdouble perimeter;
  gdouble centroid_x, centroid_y;
  gdouble bbox_x0, bbox_y0, bbox_x1, bbox_y1;
  gdouble solidity;
} GstShapePolyline;

/**
 * GstShapeMoments:
 * @m: integrals of dx^p dy^q over the region, relative to the polyline's first
 *     point: m00 m10 m01 m20 m11 m02 m30 m21 m12 m03
 *
 * What #GstShapeFeatures are derived from.
 *
 * Since: 1.0
 */
typedef struct
{
  gdouble m[10];
} GstShapeMoments;

/**
 * GstShapeHullMeasures:
 * @feret_max: maximum Feret diameter: the largest distance between vertices
 * @feret_max_ux: unit vector along it, x
 * @feret_max_uy: y
 * @feret_min: minimum Feret diameter: the smallest distance between parallel
 *     lines that enclose the hull
 * @feret_min_ux: unit normal of those lines, x
 * @feret_min_uy: y
 * @rect_x: centre of the minimum-area rectangle
 * @rect_y: centre
 * @rect_ux: unit vector along its sides of length @rect_width, x
 * @rect_uy: y
 * @rect_width: one side of it
 * @rect_height: the other side
 * @circle_x: centre of the smallest enclosing circle
 * @circle_y: centre
 * @circle_r: its radius
 *
 * Measures of a convex hull beyond its #GstShapePolyline. Lengths in pixels.
 * All but the centres are 0 for a single point.
 *
 * Since: 1.0
 */
typedef struct
{
  gdouble feret_max, feret_max_ux, feret_max_uy;
  gdouble feret_min, feret_min_ux, feret_min_uy;
  gdouble rect_x, rect_y, rect_ux, rect_uy, rect_width, rect_height;
  gdouble circle_x, circle_y, circle_r;
} GstShapeHullMeasures;

/**
 * GstShapeAnnotation:
 * @confidence: of whoever recognised the shape, 0 to 1; -1 if it is unknown
 * @region_id: of the part of the frame that it was found in; -1 for none
 * @track_id: the same for the same object in all frames of a stream; -1 for
 *     none
 *
 * What is known of a polyline beyond its outline, mostly from others than its
 * producer: a classifier, a tracker. A confidence that is negative or not
 * finite counts as unknown.
 *
 * Since: 1.0
 */
typedef struct
{
  gfloat confidence;
  gint32 region_id;
  gint64 track_id;
} GstShapeAnnotation;

/**
 * GST_SHAPE_ANNOTATION_NONE: (skip)
 *
 * Initialises a #GstShapeAnnotation of which nothing is known.
 *
 * Since: 1.0
 */
#define GST_SHAPE_ANNOTATION_NONE { -1, -1, -1 }

/**
 * GstShapeEllipse:
 * @x: centre, in pixels
 * @y: centre, in pixels
 * @ux: unit vector along the major axis, x
 * @uy: y
 * @major: the longer semi-axis, in pixels
 * @minor: the shorter semi-axis, in pixels
 *
 * The ellipse of minimum area around a hull (Loewner and John). All but the
 * centre and the direction are 0 for a single point, and @minor is 0 for
 * collinear points.
 *
 * Since: 1.0
 */
typedef struct
{
  gdouble x, y, ux, uy, major, minor;
} GstShapeEllipse;

/**
 * GstShapeDefect:
 * @shape: index of its hull in the layer; records are in this order
 * @reserved: 0
 * @start: where the contour leaves the hull
 * @end: where it meets the hull again, following the contour's points
 * @farthest: the contour's point between them that is farthest from the line
 *     through both
 * @depth: its distance from that line, in pixels
 *
 * A convexity defect: a part of a contour between two neighbouring vertices of
 * its hull that the hull is deeper than, as OpenCV's convexityDefects() defines
 * it.
 *
 * Since: 1.0
 */
typedef struct
{
  guint32 shape, reserved;
  GstShapePoint start, end, farthest;
  gdouble depth;
} GstShapeDefect;

/**
 * GstShapeChannel:
 * @GST_SHAPE_CHANNEL_GRAY: luma, as code values
 * @GST_SHAPE_CHANNEL_LIGHTNESS: L* of CIE L*a*b*, 0 to 100
 * @GST_SHAPE_CHANNEL_A: a* of CIE L*a*b*
 * @GST_SHAPE_CHANNEL_B: b* of CIE L*a*b*
 * @GST_SHAPE_CHANNEL_PROBABILITY: of the shape's class, as samples of a tensor
 *
 * What a #GstShapeStatistic is of.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_CHANNEL_GRAY,
  GST_SHAPE_CHANNEL_LIGHTNESS,
  GST_SHAPE_CHANNEL_A,
  GST_SHAPE_CHANNEL_B,
  GST_SHAPE_CHANNEL_PROBABILITY,
} GstShapeChannel;

/**
 * GstShapeStatistic:
 * @shape: index of its polyline in the layer; records are in this order
 * @channel: a #GstShapeChannel; a shape has at most one record of each
 * @n_pixels: pixels whose centres are inside
 * @mean: of the samples there; like the others NaN if there are none
 * @deviation: standard deviation, of the population
 * @minimum: the lowest
 * @maximum: the highest
 *
 * What a frame's samples are inside a shape.
 *
 * Since: 1.0
 */
typedef struct
{
  guint32 shape, channel;
  guint64 n_pixels;
  gdouble mean, deviation, minimum, maximum;
} GstShapeStatistic;

/**
 * GstShapeMetric:
 * @area: in square millimetres, of the sign of the shape's
 * @perimeter: in millimetres, like those below
 * @equivalent_diameter: of the circle of equal area
 * @feret_min: smallest Feret diameter of a hull
 * @feret_max: largest Feret diameter of a hull
 *
 * Measures of a polyline by its set's pixel size. NaN is unknown.
 *
 * Since: 1.0
 */
typedef struct
{
  gdouble area, perimeter, equivalent_diameter, feret_min, feret_max;
} GstShapeMetric;

/**
 * GstShapeFeatures:
 * @equivalent_diameter: of the circle of equal area, in pixels
 * @eccentricity: of the ellipse with the same second moments, 0 .. 1
 * @orientation: angle in radians between the vertical axis and the ellipse's
 *     major axis, -pi/2 .. pi/2, as scikit-image's regionprops
 * @major_axis_length: of that ellipse, in pixels
 * @minor_axis_length: of that ellipse, in pixels
 *
 * Shape descriptors derived from #GstShapeMoments.
 *
 * Since: 1.0
 */
typedef struct
{
  gdouble equivalent_diameter;
  gdouble eccentricity;
  gdouble orientation;
  gdouble major_axis_length;
  gdouble minor_axis_length;
} GstShapeFeatures;

/**
 * GstShapeCircle:
 * @x: centre, in pixels
 * @y: centre, in pixels
 * @r: radius, in pixels
 * @z: depth; larger is farther
 * @rgba: 0xRRGGBBAA
 * @parent: id of the shape it marks, or -1
 *
 * A circle that marks a place.
 *
 * Since: 1.0
 */
typedef struct
{
  gfloat x, y, r, z;
  guint32 rgba;
  gint32 parent;
} GstShapeCircle;

/**
 * GstShapeLayerType:
 * @GST_SHAPE_LAYER_POLYLINES: contours or hulls
 * @GST_SHAPE_LAYER_CIRCLES: circles
 *
 * What a layer holds.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_LAYER_POLYLINES,
  GST_SHAPE_LAYER_CIRCLES,
} GstShapeLayerType;

/**
 * GstShapeArrayType:
 * @GST_SHAPE_ARRAY_POINTS: all points, one after the other; #GstShapePoint in a
 *     layer, two doubles for each in a #GstShapeResult
 * @GST_SHAPE_ARRAY_OFFSETS: guint32, one more than shapes: shape i has the
 *     points offsets[i] up to, not including, offsets[i + 1]
 * @GST_SHAPE_ARRAY_POLYLINES: a #GstShapePolyline for each shape
 * @GST_SHAPE_ARRAY_MOMENTS: a #GstShapeMoments for each shape
 * @GST_SHAPE_ARRAY_CIRCLES: a #GstShapeCircle for each shape
 * @GST_SHAPE_ARRAY_HULL_MEASURES: a #GstShapeHullMeasures for each shape
 * @GST_SHAPE_ARRAY_INDICES: guint32 for each point: which of the points given
 *     it is, as those that a hull was found of
 * @GST_SHAPE_ARRAY_ANNOTATIONS: a #GstShapeAnnotation for each shape
 * @GST_SHAPE_ARRAY_ELLIPSES: a #GstShapeEllipse for each shape
 * @GST_SHAPE_ARRAY_DEFECTS: #GstShapeDefect of all shapes
 * @GST_SHAPE_ARRAY_STATISTICS: #GstShapeStatistic of all shapes
 *
 * The arrays that a layer or a result may have.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_ARRAY_POINTS,
  GST_SHAPE_ARRAY_OFFSETS,
  GST_SHAPE_ARRAY_POLYLINES,
  GST_SHAPE_ARRAY_MOMENTS,
  GST_SHAPE_ARRAY_CIRCLES,
  GST_SHAPE_ARRAY_HULL_MEASURES,
  GST_SHAPE_ARRAY_INDICES,
  GST_SHAPE_ARRAY_ANNOTATIONS,
  GST_SHAPE_ARRAY_ELLIPSES,
  GST_SHAPE_ARRAY_DEFECTS,
  GST_SHAPE_ARRAY_STATISTICS,
} GstShapeArrayType;

/**
 * GstShapeArrays: (skip)
 * @n_shapes: polylines or circles
 * @n_points: points of all polylines; counted even when @points is %NULL
 * @points: @n_points points, or %NULL (measures only)
 * @offsets: @n_shapes + 1; polyline i is points[offsets[i]] up to, not
 *     including, points[offsets[i + 1]]
 * @polylines: @n_shapes records
 * @moments: @n_shapes moments, or %NULL
 * @circles: @n_shapes circles
 * @hull_measures: @n_shapes measures of hulls, or %NULL
 * @annotations: @n_shapes annotations of polylines, or %NULL; like the members
 *     below always %NULL on a device
 * @ellipses: @n_shapes ellipses around hulls, or %NULL
 * @indices: @n_points indices into the points that a hull was found of, or
 *     %NULL
 * @defects: @n_defects convexity defects, or %NULL
 * @n_defects: of all hulls
 * @statistics: @n_statistics records, or %NULL
 * @n_statistics: of all polylines
 *
 * The arrays of one layer, all on the host or all on one device. A layer of
 * polylines has no circles, and a layer of circles nothing else.
 *
 * Records keep their size for ever; what is added to shapes gets arrays of its
 * own, in the place of the private members. Set these to 0 (or initialise by
 * name).
 *
 * Since: 1.0
 */
typedef struct
{
  gsize n_shapes, n_points;
  const GstShapePoint *points;
  const guint32 *offsets;
  const GstShapePolyline *polylines;
  const GstShapeMoments *moments;
  const GstShapeCircle *circles;
  const GstShapeHullMeasures *hull_measures;
  const GstShapeAnnotation *annotations;
  const GstShapeEllipse *ellipses;
  const guint32 *indices;
  const GstShapeDefect *defects;
  gsize n_defects;
  const GstShapeStatistic *statistics;
  gsize n_statistics;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
} GstShapeArrays;

/**
 * GstShapePayloadOps: (skip)
 * @download: fills @host with arrays that stay valid until @release; called at
 *     most once for a layer, under its lock; %NULL if the layer has host arrays
 * @map_device: fills @device with device pointers that @context (a
 *     GstCudaContext, the same object) may read on @stream; %FALSE for another
 *     context. %NULL if the payload is never on a device.
 * @unmap_device: the reader's last use has been queued on @stream
 * @release: frees everything, on whatever thread holds the last reference
 *
 * Operations on a layer's memory, supplied by the elements: libgstshapes does
 * not depend on CUDA.
 *
 * Since: 1.0
 */
typedef struct
{
  gboolean (*download) (gpointer payload, GstShapeArrays * host,
      GError ** error);
  gboolean (*map_device) (gpointer payload, gpointer context, gpointer stream,
      GstShapeArrays * device);
  void (*unmap_device) (gpointer payload, gpointer stream);
  void (*release) (gpointer payload);

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
} GstShapePayloadOps;

/**
 * GstShapeLayer:
 *
 * Polylines or circles of one producer. Immutable, shared by reference between
 * sets.
 *
 * Since: 1.0
 */
typedef struct _GstShapeLayer GstShapeLayer;

/**
 * GstShapeSet:
 *
 * The shapes of one frame: layers over one coordinate space of width x height
 * pixels. Boxed, reference counted, and immutable once it is published in a
 * #GstShapeMeta.
 *
 * Since: 1.0
 */
typedef struct _GstShapeSet GstShapeSet;

#define GST_TYPE_SHAPE_SET (gst_shape_set_get_type ())
GST_SHAPES_API GType gst_shape_set_get_type (void);
#define GST_TYPE_SHAPE_LAYER (gst_shape_layer_get_type ())
GST_SHAPES_API GType gst_shape_layer_get_type (void);

/* Layers (for producers). Every function is documented in gstshapelayer.c or
 * gstshapelayercopy.c. */

/* Takes over @payload, which the last unref releases. */
GST_SHAPES_API GstShapeLayer *gst_shape_layer_new (GstShapeLayerType type,
    gsize n_shapes, gsize n_points, const GstShapeArrays * host,
    const GstShapePayloadOps * ops, gpointer payload);
GST_SHAPES_API GstShapeLayer *gst_shape_layer_new_polylines_copy (const
    GstShapePoint * points, gsize n_points, const guint32 * offsets,
    const GstShapePolyline * polylines, gsize n_polylines,
    const GstShapeMoments * moments);
GST_SHAPES_API GstShapeLayer *gst_shape_layer_new_circles_copy (const
    GstShapeCircle * circles, gsize n_circles);
GST_SHAPES_API GstShapeLayer *gst_shape_layer_new_polylines_bytes (GBytes *
    points, GBytes * offsets, GBytes * polylines, GBytes * moments,
    GError ** error);
GST_SHAPES_API GstShapeLayer *gst_shape_layer_new_circles_bytes (GBytes *
    circles, GError ** error);
GST_SHAPES_API GstShapeLayer *gst_shape_layer_annotate (GstShapeLayer * layer,
    const GstShapeAnnotation * annotations, gsize n_annotations);
GST_SHAPES_API GstShapeLayer *gst_shape_layer_annotate_bytes (GstShapeLayer *
    layer, GBytes * annotations, GError ** error);
GST_SHAPES_API GstShapeLayer *gst_shape_layer_extend (GstShapeLayer * layer,
    const GstShapeArrays * extras);
GST_SHAPES_API void gst_shape_layer_set_class_names (GstShapeLayer * layer,
    const gchar * const *names, guint n_names);
GST_SHAPES_API const gchar *gst_shape_layer_get_class_name (GstShapeLayer *
    layer, gint32 class_id);
GST_SHAPES_API void gst_shape_layer_copy_class_names (GstShapeLayer * layer,
    GstShapeLayer * from);
GST_SHAPES_API gboolean gst_shape_layer_has_annotations (GstShapeLayer * layer);
GST_SHAPES_API GstShapeLayer *gst_shape_layer_ref (GstShapeLayer * layer);
GST_SHAPES_API void gst_shape_layer_unref (GstShapeLayer * layer);
/* States first_id <= id < next_id of a layer that is only on a device, so that
 * gst_shape_set_get_next_id() need not download it. */
GST_SHAPES_API void gst_shape_layer_set_id_range (GstShapeLayer * layer,
    gint32 first_id, gint32 next_id);
GST_SHAPES_API gint32 gst_shape_layer_get_next_id (GstShapeLayer * layer);
/* States that every polyline of a layer is of one kind, so that
 * gst_shape_layer_has_kind() need not download it. */
GST_SHAPES_API void gst_shape_layer_set_kind (GstShapeLayer * layer,
    GstShapeKind kind);
GST_SHAPES_API gboolean gst_shape_layer_has_kind (GstShapeLayer * layer,
    GstShapeKind kind);
GST_SHAPES_API GstShapeLayerType gst_shape_layer_get_layer_type (const
    GstShapeLayer * layer);
GST_SHAPES_API gsize gst_shape_layer_get_n_shapes (const GstShapeLayer * layer);
GST_SHAPES_API gsize gst_shape_layer_get_n_points (const GstShapeLayer * layer);
GST_SHAPES_API const GstShapeArrays *gst_shape_layer_map_host (GstShapeLayer *
    layer, GError ** error);
GST_SHAPES_API gboolean gst_shape_layer_download (GstShapeLayer * layer,
    GError ** error);
GST_SHAPES_API guintptr gst_shape_layer_get_address (GstShapeLayer * layer,
    GstShapeArrayType array, gsize * n, GError ** error);
GST_SHAPES_API gboolean gst_shape_layer_map_device (GstShapeLayer * layer,
    gpointer context, gpointer stream, GstShapeArrays * device);
GST_SHAPES_API void gst_shape_layer_unmap_device (GstShapeLayer * layer,
    gpointer stream);

/* Sets. A width or height of 0 means that there is no frame (a point set). */

/**
 * GST_SHAPE_SET_MAX_LAYERS:
 *
 * Maximum layers of a set that is serialised or parsed.
 *
 * Since: 1.0
 */
#define GST_SHAPE_SET_MAX_LAYERS 65536

GST_SHAPES_API GstShapeSet *gst_shape_set_new (guint width, guint height);
GST_SHAPES_API GstShapeSet *gst_shape_set_derive (const GstShapeSet * set);
GST_SHAPES_API GstShapeSet *gst_shape_set_derive_empty (const GstShapeSet *
    set);
/* Takes ownership of @layer, as gst_buffer_append_memory() does. */
GST_SHAPES_API void gst_shape_set_add_layer (GstShapeSet * set,
    GstShapeLayer * layer);
GST_SHAPES_API gboolean gst_shape_set_is_writable (const GstShapeSet * set);
GST_SHAPES_API GstShapeSet *gst_shape_set_ref (GstShapeSet * set);
GST_SHAPES_API void gst_shape_set_unref (GstShapeSet * set);
GST_SHAPES_API guint gst_shape_set_get_width (const GstShapeSet * set);
GST_SHAPES_API guint gst_shape_set_get_height (const GstShapeSet * set);
/* Millimetres for each pixel. */
GST_SHAPES_API void gst_shape_set_set_pixel_size (GstShapeSet * set,
    gdouble x, gdouble y);
GST_SHAPES_API gboolean gst_shape_set_get_pixel_size (const GstShapeSet * set,
    gdouble * x, gdouble * y);
GST_SHAPES_API gint32 gst_shape_set_get_next_id (const GstShapeSet * set);
GST_SHAPES_API guint gst_shape_set_get_n_layers (const GstShapeSet * set);
/* Borrowed from @set; %NULL when there is no such layer. */
GST_SHAPES_API GstShapeLayer *gst_shape_set_get_layer (const GstShapeSet * set,
    guint layer);
GST_SHAPES_API GstShapeLayerType gst_shape_set_get_layer_type (const
    GstShapeSet * set, guint layer);
GST_SHAPES_API GstShapeSet *gst_shape_set_rescale (GstShapeSet * set,
    guint width, guint height, GError ** error);
GST_SHAPES_API GstShapeSet *gst_shape_set_compute_measures (GstShapeSet * set,
    GError ** error);

/* Serialisation for other processes: see gstshapeserialize.c. */

GST_SHAPES_API GBytes *gst_shape_set_serialize (GstShapeSet * set,
    GError ** error);
GST_SHAPES_API GstShapeSet *gst_shape_set_deserialize (const guint8 * data,
    gsize size, GError ** error);

/* Reading a layer: C */

GST_SHAPES_API const GstShapePoint *gst_shape_set_get_points (GstShapeSet * set,
    guint layer, gsize * n_points);
GST_SHAPES_API const guint32 *gst_shape_set_get_offsets (GstShapeSet * set,
    guint layer, gsize * n_offsets);
GST_SHAPES_API const GstShapePolyline *gst_shape_set_get_polylines (GstShapeSet
    * set, guint layer, gsize * n_polylines);
GST_SHAPES_API const GstShapeMoments *gst_shape_set_get_moments (GstShapeSet *
    set, guint layer, gsize * n_moments);
GST_SHAPES_API const GstShapeCircle *gst_shape_set_get_circles (GstShapeSet *
    set, guint layer, gsize * n_circles);
GST_SHAPES_API const GstShapeHullMeasures
    *gst_shape_set_get_hull_measures (GstShapeSet * set, guint layer,
    gsize * n_hulls);
GST_SHAPES_API const GstShapeAnnotation
    *gst_shape_set_get_annotations (GstShapeSet * set, guint layer,
    gsize * n_annotations);
GST_SHAPES_API gboolean gst_shape_arrays_get_measures (const GstShapeArrays *
    arrays, gsize index, GstShapePolyline * record);
GST_SHAPES_API gdouble gst_shape_hull_measures_get_rect_angle (const
    GstShapeHullMeasures * measures);
GST_SHAPES_API gboolean gst_shape_moments_get_features (const GstShapeMoments *
    moments, GstShapeFeatures * features);
GST_SHAPES_API gboolean gst_shape_set_get_metric (GstShapeSet * set,
    guint layer, gsize index, GstShapeMetric * metric);
GST_SHAPES_API gdouble gst_shape_ellipse_get_angle (const GstShapeEllipse *
    ellipse);
GST_SHAPES_API const gchar *gst_shape_channel_to_string (GstShapeChannel
    channel);
GST_SHAPES_API gboolean gst_shape_set_get_features (GstShapeSet * set,
    guint layer, gsize index, GstShapeFeatures * features);

/* Reading a layer: bindings. GBytes that hold a reference to the set, and
 * addresses for the zero-copy overrides. */

GST_SHAPES_API GBytes *gst_shape_set_get_points_bytes (GstShapeSet * set,
    guint layer);
GST_SHAPES_API GBytes *gst_shape_set_get_offsets_bytes (GstShapeSet * set,
    guint layer);
GST_SHAPES_API GBytes *gst_shape_set_get_polylines_bytes (GstShapeSet * set,
    guint layer);
GST_SHAPES_API GBytes *gst_shape_set_get_moments_bytes (GstShapeSet * set,
    guint layer);
GST_SHAPES_API GBytes *gst_shape_set_get_circles_bytes (GstShapeSet * set,
    guint layer);
GST_SHAPES_API GBytes *gst_shape_set_get_hull_measures_bytes (GstShapeSet *
    set, guint layer);
GST_SHAPES_API GBytes *gst_shape_set_get_annotations_bytes (GstShapeSet * set,
    guint layer);
GST_SHAPES_API guintptr gst_shape_set_get_points_address (GstShapeSet * set,
    guint layer, gsize * n_points);
GST_SHAPES_API guintptr gst_shape_set_get_offsets_address (GstShapeSet * set,
    guint layer, gsize * n_offsets);
GST_SHAPES_API guintptr gst_shape_set_get_polylines_address (GstShapeSet * set,
    guint layer, gsize * n_polylines);
GST_SHAPES_API guintptr gst_shape_set_get_moments_address (GstShapeSet * set,
    guint layer, gsize * n_moments);
GST_SHAPES_API guintptr gst_shape_set_get_circles_address (GstShapeSet * set,
    guint layer, gsize * n_circles);
GST_SHAPES_API guintptr gst_shape_set_get_hull_measures_address (GstShapeSet *
    set, guint layer, gsize * n_hulls);
GST_SHAPES_API guintptr gst_shape_set_get_annotations_address (GstShapeSet *
    set, guint layer, gsize * n_annotations);

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapeSet, gst_shape_set_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapeLayer, gst_shape_layer_unref)

G_END_DECLS

#endif /* GST_SHAPE_SET_H */
