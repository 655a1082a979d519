/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_FORMATS_H
#define GST_SHAPE_FORMATS_H

#include "gstshapejson.h"

G_BEGIN_DECLS

/* Shapes in other people's formats. Each takes what
 * gst_shape_json_make_line() takes and fails as that does. */

GST_SHAPES_API GBytes *gst_shape_geojson_make_line (
    const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error);
GST_SHAPES_API GBytes *gst_shape_svg_make_document (
    const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error);
GST_SHAPES_API GBytes *gst_shape_csv_make_rows (
    const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error);

/**
 * GstShapeCocoSegmentation:
 * @GST_SHAPE_COCO_SEGMENTATION_POLYGONS: outlines
 * @GST_SHAPE_COCO_SEGMENTATION_RLE: pixels, as run lengths
 *
 * What an annotation of the COCO format has.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_COCO_SEGMENTATION_POLYGONS,
  GST_SHAPE_COCO_SEGMENTATION_RLE,
} GstShapeCocoSegmentation;

/**
 * GstShapeCocoGroup:
 * @GST_SHAPE_COCO_GROUP_NONE: each shape is an object
 * @GST_SHAPE_COCO_GROUP_TRACK: those of the same track are one
 * @GST_SHAPE_COCO_GROUP_REGION: those that were found in the same region are
 *     one
 * @GST_SHAPE_COCO_GROUP_CLASS: all of a class are one
 *
 * Which shapes of an image are parts of the same object. They always have the
 * same kind and class.
 *
 * Since: 1.0
 */
typedef enum
{
  GST_SHAPE_COCO_GROUP_NONE,
  GST_SHAPE_COCO_GROUP_TRACK,
  GST_SHAPE_COCO_GROUP_REGION,
  GST_SHAPE_COCO_GROUP_CLASS,
} GstShapeCocoGroup;

#define GST_TYPE_SHAPE_COCO_SEGMENTATION \
    (gst_shape_coco_segmentation_get_type ())
GST_SHAPES_API GType gst_shape_coco_segmentation_get_type (void);
#define GST_TYPE_SHAPE_COCO_GROUP (gst_shape_coco_group_get_type ())
GST_SHAPES_API GType gst_shape_coco_group_get_type (void);

/**
 * GstShapeCoco: (skip)
 *
 * A COCO document in the making: the list of its images and the classes seen so
 * far, which are written at its end.
 *
 * Since: 1.0
 */
typedef struct _GstShapeCoco GstShapeCoco;

GST_SHAPES_API GstShapeCoco *gst_shape_coco_new (void);
GST_SHAPES_API void gst_shape_coco_free (GstShapeCoco * coco);
GST_SHAPES_API void gst_shape_coco_set_options (GstShapeCoco * coco,
    GstShapeCocoSegmentation segmentation, GstShapeCocoGroup group_by);
GST_SHAPES_API GBytes *gst_shape_coco_make_annotations (GstShapeCoco * coco,
    const GstShapeJsonFrame * frame, GstShapeSet * set,
    const gchar * file_name, const GstShapeJsonOptions * options,
    gsize max_size, GError ** error);
GST_SHAPES_API GBytes *gst_shape_coco_finish (GstShapeCoco * coco,
    GError ** error);

GST_SHAPES_API gchar *gst_shape_set_to_geojson (GstShapeSet * set,
    GError ** error);
GST_SHAPES_API gchar *gst_shape_set_to_svg (GstShapeSet * set,
    GError ** error);
GST_SHAPES_API gchar *gst_shape_set_to_csv (GstShapeSet * set,
    GError ** error);
GST_SHAPES_API gchar *gst_shape_set_to_coco (GstShapeSet * set,
    const gchar * file_name, GError ** error);
GST_SHAPES_API gchar *gst_shape_set_to_coco_full (GstShapeSet * set,
    const gchar * file_name, GstShapeCocoSegmentation segmentation,
    GstShapeCocoGroup group_by, GError ** error);

G_END_DECLS

#endif /* GST_SHAPE_FORMATS_H */
