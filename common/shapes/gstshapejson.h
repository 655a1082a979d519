/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_JSON_H
#define GST_SHAPE_JSON_H

#include "gstshapeset.h"

G_BEGIN_DECLS

/**
 * GstShapeJsonPoints:
 * @GST_SHAPE_JSON_POINTS_FULL: every point
 * @GST_SHAPE_JSON_POINTS_SIMPLIFIED: Douglas-Peucker with a tolerance
 * @GST_SHAPE_JSON_POINTS_NONE: no points, records only
 *
 * Which points of polylines are written.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_JSON_POINTS_FULL,
  GST_SHAPE_JSON_POINTS_SIMPLIFIED,
  GST_SHAPE_JSON_POINTS_NONE,
} GstShapeJsonPoints;

#define GST_TYPE_SHAPE_JSON_POINTS (gst_shape_json_points_get_type ())
GST_SHAPES_API GType gst_shape_json_points_get_type (void);

/**
 * GstShapeJsonOptions: (skip)
 * @points: which points to write
 * @simplify: tolerance in pixels for %GST_SHAPE_JSON_POINTS_SIMPLIFIED
 * @max_shapes: write at most the first so many shapes; 0 for all
 * @formulas: in CSV, leave texts as they are that spreadsheets would compute
 *
 * What of the shapes is written.
 *
 * Since: 1.0
 */
typedef struct
{
  GstShapeJsonPoints points;
  gdouble simplify;
  guint max_shapes;
  gboolean formulas;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING];
} GstShapeJsonOptions;

/**
 * GstShapeJsonFrame: (skip)
 * @frame: running number
 * @source: name of the source, or %NULL to omit it
 * @pts: in nanoseconds, %GST_CLOCK_TIME_NONE for null
 * @offset: the buffer's offset, %GST_BUFFER_OFFSET_NONE for null
 * @reference: reference timestamp, %GST_CLOCK_TIME_NONE to omit it
 * @width: used without a set; 0 for null
 * @height: used without a set; 0 for null
 * @tags: what others have noted on the frame, a JSON object, or %NULL to omit
 *     it
 *
 * What a line of JSON says of the frame, beside its shapes.
 *
 * Since: 1.0
 */
typedef struct
{
  guint64 frame;
  const gchar *source;
  GstClockTime pts;
  guint64 offset;
  GstClockTime reference;
  guint width, height;
  const gchar *tags;

  /*< private >*/
  gpointer _gst_reserved[GST_PADDING - 1];
} GstShapeJsonFrame;

/* Appends one line, including the newline, for @frame with the shapes of @set
 * (nullable) to @out. @options may be NULL for the defaults. */
GST_SHAPES_API gboolean gst_shape_json_append_line (GString * out,
    const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, GError ** error);
/* The line, of at most @max_size bytes (0: no limit). */
GST_SHAPES_API GBytes *gst_shape_json_make_line (
    const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error);
/* The shapes of such a line. */
GST_SHAPES_API GstShapeSet *gst_shape_json_read_line (const gchar * line,
    gsize size, GstShapeJsonFrame * frame, GError ** error);
GST_SHAPES_API void gst_shape_json_frame_clear (GstShapeJsonFrame * frame);
GST_SHAPES_API gchar *gst_shape_set_to_json (GstShapeSet * set,
    GError ** error);
GST_SHAPES_API GstShapeSet *gst_shape_set_from_json (const gchar * json,
    GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_JSON_H */
