/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudacontoursprivate.h"

#include "element/gstshapesmask.h"
#include "element/gstshapesmessage.h"

#ifdef HAVE_ANALYTICS
#include <math.h>

#include <gst/analytics/analytics.h>

/* Of a pixel: boxes turn by an angle in single precision. */
#define ROUNDING 1e-3
#define NEEDED ""
#else
#define NEEDED ", which needs a build with GStreamer's analytics library, " \
  "1.26 or later"
#endif

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

/* Adds a rectangle of the frame as one of the images. */
static void
add_roi (GstCudaContours * self, GstShapesRegion roi, gint32 id)
{
  ContoursRoi added = { roi, id };

  scale_interval (&added.region.x, &added.region.width, self->frame_width,
      self->width);
  scale_interval (&added.region.y, &added.region.height, self->frame_height,
      self->height);
  g_array_append_val (self->rois, added);
}

/* The rectangle "x,y,width,height". */
static gboolean
parse_rectangle (GstCudaContours * self, const gchar * text, gint32 id,
    GError ** error)
{
  const guint width = self->frame_width, height = self->frame_height;
  g_autoptr (GArray) numbers = contours_parse_indices ("roi", text, NULL);
  const gboolean ok = numbers && numbers->len == 4;

  if (ok) {
    const GstShapesRegion roi =
        clip ((const guint *) (gpointer) numbers->data, width, height);

    if (roi.width == 0 || roi.height == 0)
      GST_SHAPES_WARNING (self, LIBRARY, SETTINGS,
          "roi=\"%s\" lies outside the frame of %u x %u pixels: there will be "
          "no contours.", text, width, height);
    add_roi (self, roi, id);
  } else {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "roi=\"%s\" is not four "
        "numbers from 0 on, \"x,y,width,height\", such as \"100,50,640,480\", "
        "or several such regions with \";\" between them", self->current.roi);
  }
  return ok;
}

static gboolean
parse_rectangles (GstCudaContours * self, const gchar * text, GError ** error)
{
  gchar **parts = g_strsplit (text, ";", -1);
  const gboolean several = parts[0] && parts[1];
  gboolean ok = TRUE;

  for (guint i = 0; ok && parts[i]; i++)
    ok = parse_rectangle (self, g_strstrip (parts[i]),
        several ? (gint32) i : -1, error);
  g_strfreev (parts);
  return ok;
}

gboolean
contours_parse_roi (GstCudaContours * self, GError ** error)
{
  const GstShapesRegion all = { 0, 0, self->frame_width, self->frame_height };
  gchar *text = g_strstrip (g_strdup (self->current.roi ? self->current.roi :
          ""));
  gboolean ok = TRUE;

  g_array_set_size (self->rois, 0);
  if (self->current.roi_source == CONTOURS_ROI_META) {
    ok = !*text;
    if (!ok)
      g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "roi=\"%s\" is not used "
          "with roi-source=meta; unset one of them", text);
  } else if (*text) {
    ok = parse_rectangles (self, text, error);
  } else {
    add_roi (self, all, -1);
  }
  g_free (text);
  return ok;
}

#ifdef HAVE_ANALYTICS
/* The pixels from @begin to @end, of @n in the frame. */
static void
cut (gdouble begin, gdouble end, guint n, guint * first, guint * size)
{
  begin = CLAMP (floor (begin + ROUNDING), 0, n);
  end = CLAMP (ceil (end - ROUNDING), begin, n);
  *first = (guint) begin;
  *size = (guint) (end - begin);
}

/* The part in the frame of the box around @object, which may be turned about
 * its centre. */
static gboolean
find_box (const GstCudaContours * self, const GstAnalyticsODMtd * object,
    GstShapesRegion * box)
{
  gint x, y, width, height;
  gdouble half_width, half_height, middle_x, middle_y;
  gfloat angle, confidence;

  if (!gst_analytics_od_mtd_get_oriented_location (object, &x, &y, &width,
          &height, &angle, &confidence) || width <= 0 || height <= 0 ||
      !isfinite (angle))
    return FALSE;
  half_width = .5 * (fabs (cos (angle)) * width + fabs (sin (angle)) * height);
  half_height = .5 * (fabs (sin (angle)) * width + fabs (cos (angle)) * height);
  middle_x = x + .5 * width;
  middle_y = y + .5 * height;
  cut (middle_x - half_width, middle_x + half_width, self->frame_width,
      &box->x, &box->width);
  cut (middle_y - half_height, middle_y + half_height, self->frame_height,
      &box->y, &box->height);
  return TRUE;
}

static void
read_objects (GstCudaContours * self, GstBuffer * buffer)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsODMtd object;
  gpointer state = NULL;
  GstShapesRegion box;

  while (meta && gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_od_mtd_get_mtd_type (), &object)) {
    if (find_box (self, &object, &box))
      add_roi (self, box, (gint32) object.id);
  }
}
#endif

static void
read_regions (GstCudaContours * self, GstBuffer * buffer)
{
  gpointer state = NULL;
  GstMeta *meta;

  while ((meta = gst_buffer_iterate_meta_filtered (buffer, &state,
              GST_VIDEO_REGION_OF_INTEREST_META_API_TYPE))) {
    const GstVideoRegionOfInterestMeta *region =
        (const GstVideoRegionOfInterestMeta *) meta;
    const guint n[4] = { region->x, region->y, region->w, region->h };

    /* a size of 0 does not mean all of the rest here */
    if (region->w > 0 && region->h > 0)
      add_roi (self, clip (n, self->frame_width, self->frame_height),
          region->id);
  }
}

void
contours_read_rois (GstCudaContours * self, GstBuffer * buffer)
{
  if (self->current.roi_source != CONTOURS_ROI_META)
    return;
  g_array_set_size (self->rois, 0);
  read_regions (self, buffer);
#ifdef HAVE_ANALYTICS
  read_objects (self, buffer);
#endif
  if (self->rois->len == 0)
    GST_SHAPES_WARN_ONCE (self, self->warned_about_rois, STREAM, FORMAT, "A "
        "frame carries no regions of interest (GstVideoRegionOfInterestMeta) "
        "and no boxes of detected objects (GstAnalyticsODMtd" NEEDED "), which "
        "roi-source=meta looks at: it has no contours. Is there an element "
        "upstream that attaches them, and nothing in between that drops "
        "them?");
}

void
contours_clear_mask (ContoursMask * mask)
{
  g_clear_pointer (&mask->slab, gst_shapes_slab_free);
  g_clear_pointer (&mask->data, g_free);
  g_clear_pointer (&mask->path, g_free);
  mask->device = NULL;
}

static gboolean
read_mask (ContoursMask * mask, const gchar * path, guint width,
    guint height, GError ** error)
{
  if (g_strcmp0 (path, mask->path) == 0 && mask->width == width &&
      mask->height == height)
    return TRUE;
  contours_clear_mask (mask);
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
contours_load_mask (GstCudaContours * self, GError ** error)
{
  ContoursMask *mask = &self->mask;
  const gchar *path = self->current.mask;

  if (!path || !*path) {
    contours_clear_mask (mask);
    return TRUE;
  }
  if (self->current.mask_alpha)
    return cs_error (error, CS_ERROR_INVALID, "mask-location and mask-alpha "
        "cannot be used together; clear one of them");
  return read_mask (mask, path, self->width, self->height, error);
}

/* The file's mask in the memory that the image is in. The context is
 * current. */
gboolean
contours_get_mask (GstCudaContours * self, CsMemory memory,
    CsImage * image, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  ContoursMask *mask = &self->mask;
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
