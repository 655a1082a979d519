/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudacontoursprivate.h"

#include "element/gstshapesmask.h"

/* The part of the rectangle @n that lies in a frame; may be empty. */
static GstShapesRegion
clip (const guint n[4], guint width, guint height)
{
  GstShapesRegion roi;

  roi.x = MIN (n[0], width);
  roi.y = MIN (n[1], height);
  roi.width = width - roi.x;
  roi.height = height - roi.y;
  if (n[2] > 0)
    roi.width = MIN (roi.width, n[2]);
  if (n[3] > 0)
    roi.height = MIN (roi.height, n[3]);
  return roi;
}

/* Replaces an interval of @from pixels by that of @to pixels which it
 * touches. */
static void
scale_interval (guint * first, guint * n, guint from, guint to)
{
  const guint64 start = (guint64) * first * to / from;
  const guint64 end = (((guint64) * first + *n) * to + from - 1) / from;

  *n = *n > 0 ? end - start : 0;
  *first = start;
}

gboolean
gst_cuda_contours_parse_roi (GstCudaContours * self, GError ** error)
{
  const guint width = self->frame_width, height = self->frame_height;
  GArray *numbers = gst_cuda_contours_parse_indices ("roi", self->current.roi,
      error);
  GstShapesRegion roi = { 0, 0, width, height };

  if (!numbers)
    return FALSE;
  if (numbers->len != 0 && numbers->len != 4) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "roi=\"%s\" is not four "
        "numbers \"x,y,width,height\", such as \"100,50,640,480\"",
        self->current.roi);
    g_array_unref (numbers);
    return FALSE;
  }
  if (numbers->len == 4)
    roi = clip ((const guint *) (gpointer) numbers->data, width, height);
  g_array_unref (numbers);
  if (roi.width == 0 || roi.height == 0)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("roi=\"%s\" lies outside the frame of %u x %u pixels: there will be "
            "no contours.", self->current.roi, width, height), (NULL));
  scale_interval (&roi.x, &roi.width, width, self->width);
  scale_interval (&roi.y, &roi.height, height, self->height);
  self->roi = roi;
  return TRUE;
}

void
gst_cuda_contours_clear_mask (GstCudaContoursMask * mask)
{
  g_clear_pointer (&mask->slab, gst_shapes_slab_free);
  g_clear_pointer (&mask->data, g_free);
  g_clear_pointer (&mask->path, g_free);
  mask->device = NULL;
}

static gboolean
read_mask (GstCudaContoursMask * mask, const gchar * path, guint width,
    guint height, GError ** error)
{
  if (g_strcmp0 (path, mask->path) == 0 && mask->width == width &&
      mask->height == height)
    return TRUE;
  gst_cuda_contours_clear_mask (mask);
  mask->data = gst_shapes_mask_load (path, width, height, error);
  if (!mask->data) {
    g_prefix_error (error, "no mask: ");
    return FALSE;
  }
  mask->path = g_strdup (path);
  mask->width = width;
  mask->height = height;
  return TRUE;
}

gboolean
gst_cuda_contours_load_mask (GstCudaContours * self, GError ** error)
{
  GstCudaContoursMask *mask = &self->mask;
  const gchar *path = self->current.mask;

  if (!path || !*path) {
    gst_cuda_contours_clear_mask (mask);
    return TRUE;
  }
  if (self->current.mask_alpha) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "mask and mask-alpha "
        "cannot be used together; clear one of them");
    return FALSE;
  }
  return read_mask (mask, path, self->width, self->height, error);
}

/* The file's mask in the memory that the image is in. The context is
 * current. */
gboolean
gst_cuda_contours_get_mask (GstCudaContours * self, CsMemory memory,
    CsImage * image, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstCudaContoursMask *mask = &self->mask;
  const void *data = mask->data;

  if (memory == CS_MEMORY_DEVICE) {
    if (!mask->slab) {
      mask->slab = gst_shapes_slab_new (base->slabs, base->stream);
      if (!gst_shapes_slab_upload (mask->slab, mask->data,
              (gsize) mask->width * mask->height, &mask->device, error)) {
        g_clear_pointer (&mask->slab, gst_shapes_slab_free);
        return FALSE;
      }
    }
    data = mask->device;
  }
  *image = cs_image_gray (data, CS_SAMPLE_U8, mask->width, mask->height,
      mask->width);
  image->memory = memory == CS_MEMORY_DEVICE ? CS_MEMORY_DEVICE :
      CS_MEMORY_HOST;
  return TRUE;
}
