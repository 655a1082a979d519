/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapemeta
 * @title: GstShapeMeta
 * @short_description: shapes attached to a buffer
 *
 * A buffer has at most one #GstShapeMeta, and it holds one #GstShapeSet. When a
 * second producer adds shapes, gst_buffer_add_shape_meta() merges them into it.
 *
 * The meta has no tags, because only metas without tags survive elements that
 * upload, download, convert and scale. These do not change the set: a consumer
 * compares the set's size with the frame's and rescales
 * (gst_shape_set_rescale()).
 *
 * Since GStreamer 1.28 shapes follow the picture through elements that crop,
 * flip, add borders or compose frames, and say so to metas (videoflip,
 * videocrop, videobox, aspectratiocrop, videoscale, compositor). Earlier ones,
 * and those that say nothing, move the picture under the shapes: consume shapes
 * upstream of them, or map them with gst_shape_set_transform().
 *
 * GStreamer 1.24 or later transfers the meta between processes, with elements
 * that serialise metas, such as unixfdsink.
 */

#include <math.h>

#include <gst/video/gstvideometa.h>

#include "gstshapemeta.h"
#include "gstshapes-private.h"
#include "gstshapesversion.h"

#define GST_CAT_DEFAULT gst_shapes_debug_category ()

/* Version of the serialised form; others are rejected. */
#define META_VERSION 0

/**
 * gst_shape_meta_api_get_type:
 *
 * The type of #GstShapeMeta, for gst_buffer_get_meta() and answers to
 * ALLOCATION queries.
 *
 * Returns: the meta's API type, registered on first use
 *
 * Since: 1.0
 */
GType
gst_shape_meta_api_get_type (void)
{
  static gsize type = 0;
  static const gchar *no_tags[] = { NULL };

  if (g_once_init_enter (&type)) {
    GType made = gst_meta_api_type_register ("GstShapeMetaAPI", no_tags);

    g_once_init_leave (&type, made);
  }
  return type;
}

static gboolean
shape_meta_init (GstMeta * meta, gpointer params, GstBuffer * buffer)
{
  ((GstShapeMeta *) meta)->set = NULL;
  return TRUE;
}

static void
shape_meta_free (GstMeta * meta, GstBuffer * buffer)
{
  g_clear_pointer (&((GstShapeMeta *) meta)->set, gst_shape_set_unref);
}

static gboolean
shape_meta_transform (GstBuffer * dest, GstMeta * meta, GstBuffer * buffer,
    GQuark type, gpointer data)
{
  GstShapeMeta *shape_meta = (GstShapeMeta *) meta;

  if (!GST_META_TRANSFORM_IS_COPY (type)
      && !GST_VIDEO_META_TRANSFORM_IS_SCALE (type))
    return FALSE;

  return !shape_meta->set
      || gst_buffer_add_shape_meta (dest, shape_meta->set) != NULL;
}

#if GST_CHECK_VERSION (1, 24, 0)
static gboolean
shape_meta_serialize (const GstMeta * meta, GstByteArrayInterface * data,
    guint8 * version)
{
  const GstShapeMeta *shape_meta = (const GstShapeMeta *) meta;
  g_autoptr (GError) error = NULL;

  if (!shape_meta->set)
    return FALSE;
  g_autoptr (GBytes) bytes = gst_shape_set_serialize (shape_meta->set, &error);
  if (!bytes) {
    GST_WARNING ("shapes are not serialised: %s", error->message);
    return FALSE;
  }
  *version = META_VERSION;
  return gst_byte_array_interface_append_data (data, g_bytes_get_data (bytes,
          NULL), g_bytes_get_size (bytes));
}

static GstMeta *
shape_meta_deserialize (const GstMetaInfo * info, GstBuffer * buffer,
    const guint8 * data, gsize size, guint8 version)
{
  g_autoptr (GError) error = NULL;

  if (version != META_VERSION) {
    GST_WARNING ("cannot deserialise shapes of version %u", version);
    return NULL;
  }
  g_autoptr (GstShapeSet) set = gst_shape_set_deserialize (data, size, &error);
  if (!set) {
    GST_WARNING ("cannot deserialise shapes: %s", error->message);
    return NULL;
  }
  GstShapeMeta *meta = gst_buffer_add_shape_meta (buffer, set);
  return (GstMeta *) meta;
}

static const GstMetaInfo *
register_meta (void)
{
  GstMetaInfo *info = gst_meta_info_new (GST_SHAPE_META_API_TYPE,
      "GstShapeMeta", sizeof (GstShapeMeta));

  info->init_func = shape_meta_init;
  info->free_func = shape_meta_free;
  info->transform_func = shape_meta_transform;
  info->serialize_func = shape_meta_serialize;
  info->deserialize_func = shape_meta_deserialize;
  return gst_meta_info_register (info);
}
#else
static const GstMetaInfo *
register_meta (void)
{
  return gst_meta_register (GST_SHAPE_META_API_TYPE, "GstShapeMeta",
      sizeof (GstShapeMeta), shape_meta_init, shape_meta_free,
      shape_meta_transform);
}
#endif

/**
 * gst_shape_meta_get_info: (skip)
 *
 * For gst_buffer_add_meta() and GStreamer itself; others call
 * gst_buffer_add_shape_meta().
 *
 * Returns: the meta's implementation, registered on first use
 *
 * Since: 1.0
 */
const GstMetaInfo *
gst_shape_meta_get_info (void)
{
  static gsize info = 0;

  if (g_once_init_enter (&info)) {
    const GstMetaInfo *made = register_meta ();

    g_once_init_leave (&info, (gsize) made);
  }
  return (const GstMetaInfo *) info;
}

/**
 * gst_shapes_init:
 *
 * Registers #GstShapeMeta, so that shapes that come from another process (by
 * unixfdsrc, for example) are not lost. Call this after gst_init() in a program
 * that only receives shapes. Elsewhere there is no need: every first use of the
 * library after gst_init() does it, and so do its plugin and the import in
 * Python. Any number of calls, from any thread.
 *
 * Returns: %FALSE before gst_init(), when nothing can be registered
 *
 * Since: 1.0
 */
gboolean
gst_shapes_init (void)
{
  return gst_is_initialized () && gst_shape_meta_get_info () != NULL;
}

/* The meta holds sets; sets and layers know nothing of it. */
static void __attribute__ ((constructor))
register_at_first_use (void)
{
  gst_shapes_set_first_use (gst_shapes_init);
}

/* Appends the layers of @set that are not in @merged yet, in order. */
static void
add_new_layers (GstShapeSet * merged, GstShapeSet * set)
{
  g_autoptr (GHashTable) known = g_hash_table_new (NULL, NULL);

  for (guint i = 0; i < gst_shape_set_get_n_layers (merged); i++)
    g_hash_table_add (known, gst_shape_set_get_layer (merged, i));
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (g_hash_table_add (known, layer))
      gst_shape_set_add_layer (merged, gst_shape_layer_ref (layer));
  }
}

/* The layers of @old, then those of @set that @old does not share. */
static GstShapeSet *
merge (GstShapeSet * old, GstShapeSet * set)
{
  g_autoptr (GError) error = NULL;
  gdouble x, y;

  g_autoptr (GstShapeSet) rescaled = gst_shape_set_rescale (old,
      gst_shape_set_get_width (set), gst_shape_set_get_height (set), &error);
  if (!rescaled) {
    GST_WARNING ("earlier shapes are dropped: they could not be rescaled: %s",
        error->message);
    return gst_shape_set_ref (set);
  }

  GstShapeSet *merged = gst_shape_set_derive (rescaled);
  if (gst_shape_set_get_pixel_size (set, &x, &y))
    gst_shape_set_set_pixel_size (merged, x, y);
  add_new_layers (merged, set);
  return merged;
}

/* Since 1.28 shapes follow the picture, by a companion of GstShapeMeta. What
 * moves the picture copies metas without tags, such as GstShapeMeta, as they
 * are, and asks those that are tagged with orientation and size to follow. But
 * a tagged meta is lost in elements that do not know its tags, every CUDA
 * element among them. So the shapes stay in a meta without tags, and a second,
 * empty one with tags is asked to follow: it maps the shapes beside it. */
#if GST_CHECK_VERSION (1, 28, 0)

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

  if (set_width == 0 || set_height == 0)
    return;
  const gdouble sx = (gdouble) width / set_width;
  const gdouble sy = (gdouble) height / set_height;
  const gdouble x0 = (sx - 1) / 2;
  const gdouble y0 = (sy - 1) / 2;
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

  scale_before (&m, set, GST_VIDEO_INFO_WIDTH (data->in_info),
      GST_VIDEO_INFO_HEIGHT (data->in_info));
  if (first_id == 0 && is_scale (&m, set, width, height))
    return gst_shape_set_ref (set);
  GstShapeSet *mapped = gst_shape_set_transform_ids (set, &m, width, height,
      first_id, &error);
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
  g_autoptr (GstShapeSet) own = gst_shape_set_derive (set);

  gst_buffer_add_shape_meta (dest, own);
}

static void
follow (GstBuffer * dest, GstBuffer * buffer,
    const GstVideoMetaTransformMatrix * data)
{
  GstShapeMeta *source = gst_buffer_get_shape_meta (buffer);
  GstShapeMeta *meta = gst_buffer_get_shape_meta (dest);

  if (!source || !source->set)
    return;
  if (is_projective (data)) {
    GST_WARNING ("shapes do not follow a projective map");
    return;
  }
  /* else it is the frame of somebody else, who is also on the picture */
  const gboolean copied = meta && meta->set == source->set;
  const gint32 first_id = meta && meta->set && !copied ?
      gst_shape_set_get_next_id (meta->set) : 0;
  g_autoptr (GstShapeSet) mapped = map_set (source->set, data, first_id);
  if (copied && mapped != source->set)
    gst_buffer_remove_meta (dest, (GstMeta *) meta);
  if (mapped && !(copied && mapped == source->set))
    add_set (dest, mapped);
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
static void
attach_follower (GstBuffer * buffer)
{
  GstMeta *old = gst_buffer_get_meta (buffer, follow_meta_api_get_type ());

  if (old)
    gst_buffer_remove_meta (buffer, old);
  gst_buffer_add_meta (buffer, follow_meta_get_info (), NULL);
}

#else

static void
attach_follower (GstBuffer * buffer)
{
}

#endif

/**
 * gst_buffer_add_shape_meta:
 * @buffer: a writable buffer
 * @set: (transfer none): the shapes of @buffer's frame; immutable from now on
 *
 * Attaches @set to @buffer. If @buffer has shapes already, the sets are
 * merged: the meta gets a new set with the earlier layers, followed by those
 * of @set that are not among them. If the sizes differ, because the frame was
 * scaled in between, the earlier layers are rescaled to that of @set. The size
 * of pixels is that of @set, if it has one, else the earlier one. So the
 * result is the same whether a producer derived @set from the buffer's set or
 * started with an empty one. In both cases ids of polylines must start at
 * gst_shape_set_get_next_id() of the buffer's set, so that they are unique.
 *
 * To replace shapes, remove the meta first, with gst_buffer_remove_meta().
 *
 * Returns: (transfer none) (nullable): the buffer's #GstShapeMeta, or %NULL for
 *     invalid arguments
 *
 * Since: 1.0
 */
GstShapeMeta *
gst_buffer_add_shape_meta (GstBuffer * buffer, GstShapeSet * set)
{
  GstShapeSet *merged;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (gst_buffer_is_writable (buffer), NULL);
  g_return_val_if_fail (set != NULL, NULL);

  GstShapeMeta *meta = gst_buffer_get_shape_meta (buffer);
  if (!meta) {
    meta = (GstShapeMeta *) gst_buffer_add_meta (buffer, GST_SHAPE_META_INFO,
        NULL);
    if (!meta)
      return NULL;
    meta->set = gst_shape_set_ref (set);
    attach_follower (buffer);
    return meta;
  }

  merged = meta->set ? merge (meta->set, set) : gst_shape_set_ref (set);
  g_clear_pointer (&meta->set, gst_shape_set_unref);
  meta->set = merged;
  return meta;
}

/**
 * gst_buffer_try_add_shape_meta: (rename-to gst_buffer_add_shape_meta)
 * @buffer: a buffer
 * @set: (transfer none): the shapes of @buffer's frame
 * @error: return location for an error
 *
 * gst_buffer_add_shape_meta() for bindings, where a buffer that cannot be
 * written to is an exception.
 *
 * Returns: (transfer none): the buffer's only #GstShapeMeta, or %NULL with
 *     @error set
 *
 * Since: 1.0
 */
GstShapeMeta *
gst_buffer_try_add_shape_meta (GstBuffer * buffer, GstShapeSet * set,
    GError ** error)
{
  GstShapeMeta *meta = NULL;

  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);
  g_return_val_if_fail (set != NULL, NULL);

  if (gst_buffer_is_writable (buffer))
    meta = gst_buffer_add_shape_meta (buffer, set);
  if (!meta)
    g_set_error_literal (error, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_FAILED,
        "somebody else holds the buffer, too, and it cannot be changed: copy "
        "it");
  return meta;
}

/**
 * gst_buffer_get_shape_meta:
 * @buffer: a buffer
 *
 * The meta itself, which holds the set that gst_buffer_get_shape_set()
 * returns.
 *
 * Returns: (transfer none) (nullable): the buffer's #GstShapeMeta, or %NULL
 *
 * Since: 1.0
 */
GstShapeMeta *
gst_buffer_get_shape_meta (GstBuffer * buffer)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);

  gst_shapes_init ();
  return (GstShapeMeta *) gst_buffer_get_meta (buffer, GST_SHAPE_META_API_TYPE);
}

/**
 * gst_buffer_get_shape_set:
 * @buffer: a buffer
 *
 * The shapes of @buffer's frame. C code must take a reference to keep them
 * beyond the buffer; in Python, GstShapes.buffer_get_shape_set(buffer) does so.
 *
 * Returns: (transfer none) (nullable): the set, valid as long as @buffer and
 *     its meta, or %NULL when it has no shapes
 *
 * Since: 1.0
 */
GstShapeSet *
gst_buffer_get_shape_set (GstBuffer * buffer)
{
  g_return_val_if_fail (GST_IS_BUFFER (buffer), NULL);

  GstShapeMeta *meta = gst_buffer_get_shape_meta (buffer);
  return meta ? meta->set : NULL;
}
