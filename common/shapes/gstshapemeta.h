/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPE_META_H
#define GST_SHAPE_META_H

#include "gstshapeset.h"

G_BEGIN_DECLS

typedef struct _GstShapeMeta GstShapeMeta;

/**
 * GstShapeMeta:
 * @meta: parent
 * @set: the frame's shapes; the meta owns a reference
 *
 * The shapes of a buffer's frame. A buffer has at most one. It has no tags, so
 * that it survives every element that copies metadata, including cudaupload,
 * cudadownload and scalers. Consumers compare the set's size with the frame's
 * and rescale: (x + .5) * s - .5.
 *
 * Since: 1.0
 */
struct _GstShapeMeta
{
  GstMeta meta;

  GstShapeSet *set;
};

#define GST_SHAPE_META_API_TYPE (gst_shape_meta_api_get_type ())
#define GST_SHAPE_META_INFO (gst_shape_meta_get_info ())

/**
 * GST_SHAPE_META_PARAMS_NAME:
 *
 * Name of the parameter structure in an ALLOCATION answer; its boolean field
 * "device-capable" says that downstream reads layers on the GPU.
 *
 * Since: 1.0
 */
#define GST_SHAPE_META_PARAMS_NAME "GstShapeMetaParams"

GST_SHAPES_API GType gst_shape_meta_api_get_type (void);
GST_SHAPES_API const GstMetaInfo *gst_shape_meta_get_info (void);
/* Takes a reference to @set; merges into the meta that @buffer may have. */
GST_SHAPES_API GstShapeMeta *gst_buffer_add_shape_meta (GstBuffer * buffer,
    GstShapeSet * set);
GST_SHAPES_API GstShapeMeta *gst_buffer_try_add_shape_meta (GstBuffer * buffer,
    GstShapeSet * set, GError ** error);
GST_SHAPES_API GstShapeMeta *gst_buffer_get_shape_meta (GstBuffer * buffer);
/* Borrowed from @buffer; %NULL when it has no shapes. */
GST_SHAPES_API GstShapeSet *gst_buffer_get_shape_set (GstBuffer * buffer);

G_END_DECLS

#endif /* GST_SHAPE_META_H */
