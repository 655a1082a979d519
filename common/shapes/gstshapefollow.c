/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A companion of GstShapeMeta. Elements that move the picture copy metas
 * without tags, such as GstShapeMeta, as they are, and ask those that are
 * tagged with orientation and size to follow. But a tagged meta is lost in
 * elements that do not know its tags, every CUDA element among them. So the
 * shapes stay in a meta without tags, and a second, empty one with tags is
 * asked to follow: it maps the shapes beside it. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapefollow.h"

#include <math.h>

#include <gst/video/gstvideometa.h>

#if GST_CHECK_VERSION (1, 28, 0)

#include "gstshapemeta.h"
#include "gstshapes-private.h"

#define GST_CAT_DEFAULT gst_shapes_debug_category ()

/* Whether the map takes a rectangle of the input's size to one of the output's,
 * each from 0 to its size less @less. */
static gboolean
takes_frame_to_frame (const GstVideoMetaTransformMatrix * data, gint less)
{
  const gint w = data->in_rectangle.w - less, h = data->in_rectangle.h - less;
  gdouble left = G_MAXDOUBLE, top = G_MAXDOUBLE;
  gdouble right = -G_MAXDOUBLE, bottom = -G_MAXDOUBLE;

  for (guint i = 0; i < 4; i++) {
    const gint x = i & 1 ? w : 0, y = i & 2 ? h : 0;
    const gdouble x_out = data->matrix[0][0] * x + data->matrix[0][1] * y +
        data->matrix[0][2];
    const gdouble y_out = data->matrix[1][0] * x + data->matrix[1][1] * y +
        data->matrix[1][2];

    left = MIN (left, x_out);
    right = MAX (right, x_out);
    top = MIN (top, y_out);
    bottom = MAX (bottom, y_out);
  }
  return left == 0 && top == 0 && right == data->out_rectangle.w - less
      && bottom == data->out_rectangle.h - less;
}

/* What the matrix does to coordinates of pixel centres. GStreamer's scalers
 * count from pixels' corners and its flips from their centres (a flip's offset
 * is width - 1); what takes the frame to the frame tells which. */
static GstShapeAffine
get_affine (const GstVideoMetaTransformMatrix * data)
{
  const gdouble half = takes_frame_to_frame (data, 1) ? 0 : .5;
  GstShapeAffine m = {
    .xx = data->matrix[0][0], .xy = data->matrix[0][1],
    .yx = data->matrix[1][0], .yy = data->matrix[1][1],
  };
  const gdouble x = half - data->in_rectangle.x;
  const gdouble y = half - data->in_rectangle.y;

  m.x0 = data->matrix[0][2] + m.xx * x + m.xy * y - half +
      data->out_rectangle.x;
  m.y0 = data->matrix[1][2] + m.yx * x + m.yy * y - half +
      data->out_rectangle.y;
  return m;
}

/* @set is of @width x @height pixels, or of another size that the input was
 * scaled from. */
static void
scale_before (GstShapeAffine * m, const GstShapeSet * set, guint width,
    guint height)
{
  const guint set_width = gst_shape_set_get_width (set);
  const guint set_height = gst_shape_set_get_height (set);
  gdouble sx, sy, x0, y0;

  if (set_width == 0 || set_height == 0)
    return;
  sx = (gdouble) width / set_width;
  sy = (gdouble) height / set_height;
  x0 = (sx - 1) / 2;
  y0 = (sy - 1) / 2;
  m->x0 += m->xx * x0 + m->xy * y0;
  m->y0 += m->yx * x0 + m->yy * y0;
  m->xx *= sx;
  m->yx *= sx;
  m->xy *= sy;
  m->yy *= sy;
}

/* Whether a frame of the set's size only becomes one of @width x @height: its
 * readers rescale such a set themselves, on the device if it is there. The
 * matrix is of single precision. */
static gboolean
is_scale (const GstShapeAffine * m, const GstShapeSet * set, guint width,
    guint height)
{
  const guint set_width = gst_shape_set_get_width (set);
  const guint set_height = gst_shape_set_get_height (set);

  return set_width > 0 && set_height > 0 && m->xy == 0 && m->yx == 0
      && fabs (m->xx * set_width - width) < 1e-3
      && fabs (m->yy * set_height - height) < 1e-3
      && fabs (m->x0 - (m->xx - 1) / 2) < 1e-3
      && fabs (m->y0 - (m->yy - 1) / 2) < 1e-3;
}

/* @set where @data puts it, with @first_id added to all ids; @set itself if its
 * readers can do the rest. %NULL if it is lost. */
static GstShapeSet *
map_set (GstShapeSet * set, const GstVideoMetaTransformMatrix * data,
    gint32 first_id)
{
  const guint width = GST_VIDEO_INFO_WIDTH (data->out_info);
  const guint height = GST_VIDEO_INFO_HEIGHT (data->out_info);
  GstShapeAffine m = get_affine (data);
  GError *error = NULL;
  GstShapeSet *mapped;

  scale_before (&m, set, GST_VIDEO_INFO_WIDTH (data->in_info),
      GST_VIDEO_INFO_HEIGHT (data->in_info));
  if (first_id == 0 && is_scale (&m, set, width, height))
    return gst_shape_set_ref (set);
  mapped = gst_shape_set_transform_ids (set, &m, width, height, first_id,
      &error);
  if (!mapped) {
    GST_WARNING ("shapes are dropped, they could not be mapped: %s",
        error->message);
    g_clear_error (&error);
  }
  return mapped;
}

static gboolean
is_projective (const GstVideoMetaTransformMatrix * data)
{
  return data->matrix[2][0] != 0 || data->matrix[2][1] != 0
      || data->matrix[2][2] != 1;
}

/* A set of its own, even if it shares its layers: what the source has shows
 * that it was copied. */
static void
add_set (GstBuffer * dest, GstShapeSet * set)
{
  GstShapeSet *own = gst_shape_set_derive (set);

  gst_buffer_add_shape_meta (dest, own);
  gst_shape_set_unref (own);
}

static void
follow (GstBuffer * dest, GstBuffer * buffer,
    const GstVideoMetaTransformMatrix * data)
{
  GstShapeMeta *source = gst_buffer_get_shape_meta (buffer);
  GstShapeMeta *meta = gst_buffer_get_shape_meta (dest);
  GstShapeSet *mapped;
  gboolean copied;
  gint32 first_id;

  if (!source || !source->set)
    return;
  if (is_projective (data)) {
    GST_WARNING ("shapes do not follow a projective map");
    return;
  }
  /* else it is the frame of somebody else, who is also on the picture */
  copied = meta && meta->set == source->set;
  first_id = meta && meta->set && !copied ?
      gst_shape_set_get_next_id (meta->set) : 0;
  mapped = map_set (source->set, data, first_id);
  if (copied && mapped != source->set)
    gst_buffer_remove_meta (dest, (GstMeta *) meta);
  if (mapped && !(copied && mapped == source->set))
    add_set (dest, mapped);
  g_clear_pointer (&mapped, gst_shape_set_unref);
}

/* A copy of the shapes gets a companion of its own. */
static gboolean
follow_meta_transform (GstBuffer * dest, GstMeta * meta, GstBuffer * buffer,
    GQuark type, gpointer data)
{
  if (GST_VIDEO_META_TRANSFORM_IS_MATRIX (type))
    follow (dest, buffer, data);
  return TRUE;
}

static gboolean
follow_meta_init (GstMeta * meta, gpointer params, GstBuffer * buffer)
{
  return TRUE;
}

static GType
follow_meta_api_get_type (void)
{
  static gsize type = 0;
  static const gchar *tags[] = { GST_META_TAG_VIDEO_STR,
    GST_META_TAG_VIDEO_SIZE_STR, GST_META_TAG_VIDEO_ORIENTATION_STR, NULL
  };

  if (g_once_init_enter (&type))
    g_once_init_leave (&type,
        gst_meta_api_type_register ("GstShapeFollowMetaAPI", tags));
  return type;
}

static const GstMetaInfo *
follow_meta_get_info (void)
{
  static gsize info = 0;

  if (g_once_init_enter (&info))
    g_once_init_leave (&info,
        (gsize) gst_meta_register (follow_meta_api_get_type (),
            "GstShapeFollowMeta", sizeof (GstMeta), follow_meta_init, NULL,
            follow_meta_transform));
  return (const GstMetaInfo *) info;
}

/* After the shapes in the list, so that it finds them copied. */
void
gst_shape_follow_attach (GstBuffer * buffer)
{
  GstMeta *old = gst_buffer_get_meta (buffer, follow_meta_api_get_type ());

  if (old)
    gst_buffer_remove_meta (buffer, old);
  gst_buffer_add_meta (buffer, follow_meta_get_info (), NULL);
}

#else

void
gst_shape_follow_attach (GstBuffer * buffer)
{
}

#endif
