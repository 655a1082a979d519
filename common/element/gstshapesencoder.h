/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/gst.h>

#include "element/gstshapesdrops.h"
#include "shapes/gstshapes.h"

#define GST_TYPE_SHAPES_ENCODER (gst_shapes_encoder_get_type ())
#define GST_SHAPES_ENCODER(object) (G_TYPE_CHECK_INSTANCE_CAST ((object), \
    GST_TYPE_SHAPES_ENCODER, GstShapesEncoder))
#define GST_SHAPES_ENCODER_CLASS(klass) (G_TYPE_CHECK_CLASS_CAST ((klass), \
    GST_TYPE_SHAPES_ENCODER, GstShapesEncoderClass))
#define GST_SHAPES_ENCODER_GET_CLASS(object) (G_TYPE_INSTANCE_GET_CLASS ( \
    (object), GST_TYPE_SHAPES_ENCODER, GstShapesEncoderClass))
typedef struct _GstShapesEncoder GstShapesEncoder;
typedef struct _GstShapesEncoderClass GstShapesEncoderClass;

/**
 * GstShapesEncoder:
 * @drops: what gst_shapes_drops_properties read
 */
struct _GstShapesEncoder
{
  GstElement parent;

  GstShapesDrops drops;

  /*< private >*/
  GstPad *sinkpad, *srcpad;
  /* streaming thread */
  guint64 n_frames;
  guint width, height;
  GstSegment segment;
  gboolean warned_no_shapes;
};

/**
 * GstShapesEncoderClass:
 * @encode: the bytes of one frame: @set may be %NULL. Returns %NULL with @error
 *     set. %GST_STREAM_ERROR_ENCODE and %GST_RESOURCE_ERROR_NO_SPACE_LEFT leave
 *     out the frame; any other error ends the stream
 * @finish: what is written at the end of a stream, %NULL for nothing; %NULL
 *     with @error set is an error message
 * @reset: before a stream
 * @left_out_hint: what a user does about a frame that was left out
 *
 * Elements that turn the shapes of each buffer, whatever else it holds, into a
 * buffer of text with the same timestamps: one always source pad "src", whose
 * template has fixed caps, and one always sink pad "sink" for any caps. A
 * buffer without a GstShapeMeta is warned about once. A subclass installs
 * gst_shapes_drops_properties.
 */
struct _GstShapesEncoderClass
{
  GstElementClass parent_class;

  GBytes *(*encode) (GstShapesEncoder * self, const GstShapeJsonFrame * frame,
      GstShapeSet * set, GError ** error);
  GBytes *(*finish) (GstShapesEncoder * self, GError ** error);
  void (*reset) (GstShapesEncoder * self);
  const gchar *left_out_hint;
};

GType gst_shapes_encoder_get_type (void);
G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstShapesEncoder, gst_object_unref)
