/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Masks of regions, which decoders of tensors attach to video frames:
 * GstAnalyticsSegmentationMtd, of GStreamer 1.26 and later. A pixel of a mask
 * is the id of its region. */

#include "gstcudacontoursprivate.h"

#include "element/gstshapesmessage.h"

#ifdef HAVE_ANALYTICS

#include <gst/analytics/analytics.h>

#include "base/memory.h"

#define BACKGROUND 0

/* The pixels of one id: columns x0 to x1, rows y0 to y1, if there are any. */
typedef struct
{
  gboolean any;
  guint x0, y0, x1, y1;
} Box;

/* A mask, mapped; @scale_x and @scale_y are the sizes of its pixels in the
 * picture. */
typedef struct
{
  GstAnalyticsSegmentationMtd mtd;
  GstBuffer *buffer;
  GstVideoInfo info;
  GstShapesFrame frame;
  CsImage image;
  gint x, y;
  gdouble scale_x, scale_y;
} Mask;

/* Masks */

static gboolean
describe_mask (Mask * mask, GError ** error)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (mask->buffer);

  if (!meta)
    return cs_error (error, CS_ERROR_INVALID, "a mask has no GstVideoMeta, and "
        "thus no size");
  if (meta->format != GST_VIDEO_FORMAT_GRAY8 &&
      meta->format != GST_VIDEO_FORMAT_GRAY16_LE &&
      meta->format != GST_VIDEO_FORMAT_GRAY16_BE)
    return cs_error (error, CS_ERROR_INVALID, "a mask has the format %s; only "
        "GRAY8 and GRAY16 can be read",
        gst_video_format_to_string (meta->format));
  if (!gst_video_info_set_format (&mask->info, meta->format, meta->width,
          meta->height))
    return cs_error (error, CS_ERROR_LIMIT, "a mask of %u x %u pixels is too "
        "large", meta->width, meta->height);
  return TRUE;
}

/* Covers no part of the picture, or has no pixel. */
static gboolean
is_empty (GstBuffer * buffer, guint width, guint height)
{
  const GstVideoMeta *meta = gst_buffer_get_video_meta (buffer);

  return width == 0 || height == 0 || (meta && (meta->width == 0 ||
          meta->height == 0));
}

/* @mask->buffer is %NULL if there is nothing in the mask; else unmap it. */
static gboolean
map_mask (const GstAnalyticsSegmentationMtd * mtd, Mask * mask, GError ** error)
{
  guint width = 0, height = 0;

  memset (mask, 0, sizeof (*mask));
  mask->mtd = *mtd;
  mask->buffer = gst_analytics_segmentation_mtd_get_mask (mtd, &mask->x,
      &mask->y, &width, &height);
  if (!mask->buffer || is_empty (mask->buffer, width, height)) {
    gst_clear_buffer (&mask->buffer);
    return TRUE;
  }
  if (!describe_mask (mask, error) ||
      !gst_shapes_frame_init (&mask->frame, &mask->info, mask->buffer, NULL,
          NULL, error)) {
    gst_clear_buffer (&mask->buffer);
    return FALSE;
  }
  if (!gst_shapes_frame_get_component (&mask->frame, 0, &mask->image, error)) {
    gst_shapes_frame_unmap (&mask->frame);
    gst_clear_buffer (&mask->buffer);
    return FALSE;
  }
  mask->scale_x = (gdouble) width / mask->image.width;
  mask->scale_y = (gdouble) height / mask->image.height;
  return TRUE;
}

static inline guint
read_id (const Mask * mask, const guint8 * row, guint x)
{
  if (mask->image.type == CS_SAMPLE_U8)
    return row[x];
  guint16 id = ((const guint16 *) (gpointer) row)[x];
  return contours_is_swapped (GST_VIDEO_INFO_FORMAT (&mask->info)) ?
      GUINT16_SWAP_LE_BE (id) : id;
}

/* The first pixel from @x on of another id, or the end of the row. */
static guint
find_end (const Mask * mask, const guint8 * row, guint x, guint id)
{
  while (x < mask->image.width && read_id (mask, row, x) == id)
    x++;
  return x;
}

static const guint8 *
get_row (const Mask * mask, guint y)
{
  return (const guint8 *) mask->image.data + y * mask->image.row_stride;
}

static void
extend (Box * box, guint first, guint last, guint y)
{
  box->x0 = box->any ? MIN (box->x0, first) : first;
  box->x1 = box->any ? MAX (box->x1, last) : last;
  box->y0 = box->any ? box->y0 : y;
  box->y1 = y;
  box->any = TRUE;
}

/* A box for each id that a pixel may have; valid until the next call. */
static Box *
find_boxes (GstCudaContours * self, const Mask * mask, guint * n_ids,
    GError ** error)
{
  *n_ids = mask->image.type == CS_SAMPLE_U8 ? 1 << 8 : 1 << 16;
  Box *boxes = cs_scratch_ensure (&self->boxes, *n_ids * sizeof (Box), error);
  if (!boxes)
    return NULL;
  memset (boxes, 0, *n_ids * sizeof (Box));
  for (guint y = 0; y < mask->image.height; y++) {
    const guint8 *row = get_row (mask, y);

    for (guint x = 0, end; x < mask->image.width; x = end) {
      const guint id = read_id (mask, row, x);

      end = find_end (mask, row, x, id);
      extend (&boxes[id], x, end - 1, y);
    }
  }
  return boxes;
}

/* Regions */

static gchar *
list_ids (const GstAnalyticsSegmentationMtd * mtd)
{
  const gsize n = gst_analytics_segmentation_mtd_get_region_count (mtd);
  GString *text = g_string_new (NULL);

  for (gsize i = 0; i < n; i++)
    g_string_append_printf (text, "%s%u", i == 0 ? "" : ", ",
        gst_analytics_segmentation_mtd_get_region_id (mtd, i));
  return g_string_free (text, FALSE);
}

/* The decoder of YOLO lists the background only: what else its masks have is
 * the object. */
static gboolean
lists_no_region (const GstAnalyticsSegmentationMtd * mtd)
{
  return gst_analytics_segmentation_mtd_get_region_count (mtd) == 1 &&
      gst_analytics_segmentation_mtd_get_region_id (mtd, 0) == BACKGROUND;
}

static gboolean
check_id (const GstAnalyticsSegmentationMtd * mtd, guint id, GError ** error)
{
  gsize index;

  if (id == BACKGROUND || lists_no_region (mtd) ||
      gst_analytics_segmentation_mtd_get_region_index (mtd, &index, id))
    return TRUE;
  g_autofree gchar *ids = list_ids (mtd);
  return cs_error (error, CS_ERROR_INVALID, "a mask has pixels of the "
      "region %u, which its GstAnalyticsSegmentationMtd does not list: it has "
      "%s", id, *ids ? ids : "no regions");
}

static gboolean
is_wanted (const GstCudaContours * self, guint id)
{
  for (guint i = 0; i < self->wanted->len; i++)
    if (g_array_index (self->wanted, guint, i) == id)
      return TRUE;
  return self->wanted->len == 0 &&
      (gint64) id != self->current.background_label;
}

static gboolean
find_related (const GstAnalyticsSegmentationMtd * mtd, GstAnalyticsMtdType type,
    GstAnalyticsMtd * related)
{
  gpointer state = NULL;

  return gst_analytics_relation_meta_get_direct_related (mtd->meta, mtd->id,
      GST_ANALYTICS_REL_TYPE_ANY, type, &state, related);
}

/* Label and confidence: of the classification whose classes are in the order of
 * regions, else of the detected object that the mask belongs to. */
static void
describe_region (const GstAnalyticsSegmentationMtd * mtd,
    ContoursRegion * region)
{
  GstAnalyticsMtd related;
  GQuark label = 0;
  gsize index;

  region->confidence = -1;
  if (gst_analytics_segmentation_mtd_get_region_index (mtd, &index,
          region->id) &&
      find_related (mtd, gst_analytics_cls_mtd_get_mtd_type (), &related) &&
      index < gst_analytics_cls_mtd_get_length (&related)) {
    label = gst_analytics_cls_mtd_get_quark (&related, index);
    region->confidence = gst_analytics_cls_mtd_get_level (&related, index);
  } else if (region->id != BACKGROUND &&
      find_related (mtd, gst_analytics_od_mtd_get_mtd_type (), &related)) {
    label = gst_analytics_od_mtd_get_obj_type (&related);
    gst_analytics_od_mtd_get_confidence_lvl (&related, &region->confidence);
  }
  region->label = label ? g_quark_to_string (label) : NULL;
}

/* The pixels of @id in @box as 1, all others and those around the box as 0: so
 * contours are closed. */
static gboolean
draw_region (GstCudaContours * self, const Mask * mask, guint id,
    const Box * box, CsImage * image, GError ** error)
{
  const gsize width = (gsize) box->x1 - box->x0 + 3;
  const gsize height = (gsize) box->y1 - box->y0 + 3;
  guint8 *out = cs_scratch_ensure (&self->rearranged, width * height, error);

  if (!out)
    return FALSE;
  memset (out, 0, width * height);
  for (guint y = box->y0; y <= box->y1; y++) {
    const guint8 *row = get_row (mask, y);
    guint8 *to = out + (y - box->y0 + 1) * width + 1;

    for (guint x = box->x0; x <= box->x1; x++)
      to[x - box->x0] = read_id (mask, row, x) == id;
  }
  *image = cs_image_gray (out, CS_SAMPLE_U8, width, height, width);
  return TRUE;
}

/**
 * Regions:
 * @boxes: for each id up to @n_ids
 * @first_id: of the first shape
 * @set: a layer for each region, in coordinates of the mask, counted from the
 *     pixel above it and to its left, so that there are none below 0
 * @infos: ContoursRegion, for each layer
 *
 * The regions of a mask.
 */
typedef struct
{
  GstCudaContours *self;
  const Mask *mask;
  const Box *boxes;
  guint n_ids;
  gint32 first_id;
  GstShapeSet *set;
  GArray *infos;
  ContoursTotals *totals;
} Regions;

static void
describe (const Regions * regions, guint id, gsize n_contours)
{
  ContoursRegion region = { .id = id,.n_contours = n_contours };

  describe_region (&regions->mask->mtd, &region);
  g_array_append_val (regions->infos, region);
}

static gint32
get_next_id (const Regions * regions)
{
  return MAX (regions->first_id, gst_shape_set_get_next_id (regions->set));
}

/* The next region in ascending order that is wanted and has pixels. */
static gboolean
find_next (const Regions * regions, guint * id)
{
  while (*id < regions->n_ids && !(regions->boxes[*id].any &&
          is_wanted (regions->self, *id)))
    ++*id;
  return *id < regions->n_ids;
}

/* One after the other. */
static gboolean
run_drawn (const Regions * regions, GError ** error)
{
  for (guint id = 0; find_next (regions, &id); id++) {
    const Box *box = &regions->boxes[id];
    const guint64 n_before = regions->totals->n_contours;
    ContoursTask task = {
      .class_id = id,
      .origin_x = box->x0,
      .origin_y = box->y0,
    };

    if (!draw_region (regions->self, regions->mask, id, box, &task.image,
            error) || !contours_run_tasks (regions->self, &task, 1,
            get_next_id (regions), TRUE, regions->set, regions->totals, error))
      return FALSE;
    describe (regions, id, regions->totals->n_contours - n_before);
  }
  return TRUE;
}

/* The rings @begin to @end of @all as the layer of region @id. */
static gboolean
keep_region (const Regions * regions, guint id, const CsContoursOutput * all,
    gsize begin, gsize end, GError ** error)
{
  GstCudaContours *self = regions->self;
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesSlab *slab = gst_shapes_slab_new (base->slabs, base->stream);
  const gint32 first_id = get_next_id (regions);
  CsContoursOutput kept;

  if (!contours_keep_rings (self, all, begin, end, first_id,
          self->current.hierarchy, slab, &kept, error)) {
    gst_shapes_slab_free (slab);
    return FALSE;
  }
  GstShapeLayer *layer = contours_get_layer (self, slab, &kept, FALSE,
      first_id, error);
  if (!layer)
    return FALSE;
  gst_shape_set_add_layer (regions->set, layer);
  regions->totals->n_contours += kept.n_contours;
  regions->totals->n_points += kept.n_points;
  describe (regions, id, kept.n_contours);
  return TRUE;
}

static gboolean
keep_regions (const Regions * regions, const CsContoursOutput * all,
    GError ** error)
{
  gsize end = 0;

  for (guint id = 0; find_next (regions, &id); id++) {
    const gsize begin = end;

    while (end < all->n_contours && all->contours[end].class_id == (gint32) id)
      end++;
    if (!keep_region (regions, id, all, begin, end, error))
      return FALSE;
  }
  regions->totals->n_segments += all->n_segments;
  return TRUE;
}

/* All at once. */
static gboolean
run_labels (const Regions * regions, GError ** error)
{
  GstCudaContours *self = regions->self;
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  const Mask *mask = regions->mask;
  GstShapesSlab *slab = gst_shapes_slab_new (base->slabs, base->stream);
  CsLabelsInput input = {
    .origin_x = 1,
    .origin_y = 1,
    .first_id = regions->first_id,
  };
  CsContoursOutput all;
  const gboolean ok = contours_get_label_picture (self,
      GST_VIDEO_INFO_FORMAT (&mask->info), mask->image, &input.picture, error)
      && contours_find_rings (self, &input, TRUE, slab, &all, error)
      && keep_regions (regions, &all, error);

  if (ok)
    gst_shapes_slab_finish (slab);
  gst_shapes_slab_free (slab);
  return ok;
}

/* The shapes of @regions, in coordinates of the mask, in those of the picture,
 * where its pixels begin at the mask's location. Each layer is of one of
 * @infos. */
static gboolean
add_regions (GstCudaContours * self, const Mask * mask, GstShapeSet * regions,
    const GArray * infos, GstShapeSet * set, GError ** error)
{
  const GstShapeAffine affine = {
    .xx = mask->scale_x,
    .x0 = mask->x - .5 * mask->scale_x - .5,
    .yy = mask->scale_y,
    .y0 = mask->y - .5 * mask->scale_y - .5,
  };
  g_autoptr (GstShapeSet) mapped = gst_shape_set_transform (regions, &affine,
      self->frame_width, self->frame_height, error);
  gboolean ok = mapped != NULL;

  for (guint i = 0; ok && i < infos->len; i++) {
    const ContoursRegion *region = &g_array_index (infos, ContoursRegion, i);
    GstShapeLayer *layer = contours_annotate (gst_shape_set_get_layer (mapped,
            i), region->confidence, region->id);

    ok = layer || cs_fail_no_memory (error, "annotations");
    if (ok)
      gst_shape_set_add_layer (set, layer);
  }
  return ok;
}

/* For the message, if there will be one. */
static void
report_regions (ContoursTotals * totals, const GArray * infos)
{
  if (!totals->n_of_target)
    return;
  if (!totals->n_of_region)
    totals->n_of_region = g_array_new (FALSE, FALSE, sizeof (ContoursRegion));
  g_array_append_vals (totals->n_of_region, infos->data, infos->len);
}

/* Limits of area are the picture's. */
static gboolean
follow_scale (GstCudaContours * self, const Mask * mask, GError ** error)
{
  const gdouble area = mask->scale_x * mask->scale_y;

  if (area == self->pixel_area)
    return TRUE;
  self->pixel_area = area;
  return contours_has_labels (self) || contours_make_plan (self, error);
}

static gboolean
run_mask (GstCudaContours * self, GstBuffer * buffer, const Mask * mask,
    GstShapeSet * set, ContoursTotals * totals, GError ** error)
{
  g_autoptr (GstShapeSet) shapes = gst_shape_set_new (0, 0);
  g_autoptr (GArray) infos = g_array_new (FALSE, FALSE,
      sizeof (ContoursRegion));
  Regions regions = {
    .self = self,
    .mask = mask,
    .first_id = contours_next_id (buffer, set),
    .set = shapes,
    .infos = infos,
    .totals = totals,
  };
  regions.boxes = find_boxes (self, mask, &regions.n_ids, error);
  gboolean ok = regions.boxes && follow_scale (self, mask, error);

  for (guint id = 0; ok && id < regions.n_ids; id++)
    ok = !regions.boxes[id].any || check_id (&mask->mtd, id, error);
  ok = ok && (contours_has_labels (self) ? run_labels : run_drawn) (&regions,
      error) && add_regions (self, mask, shapes, infos, set, error);
  report_regions (totals, infos);
  return ok;
}

gboolean
contours_run_masks (GstCudaContours * self, GstBuffer * buffer,
    GstShapeSet * set, ContoursTotals * totals, GError ** error)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsSegmentationMtd mtd;
  gpointer state = NULL;
  gboolean ok = TRUE;

  while (ok && gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_segmentation_mtd_get_mtd_type (), &mtd)) {
    Mask mask;

    if (!map_mask (&mtd, &mask, error))
      return FALSE;
    if (!mask.buffer)
      continue;
    ok = run_mask (self, buffer, &mask, set, totals, error);
    gst_shapes_frame_unmap (&mask.frame);
    gst_clear_buffer (&mask.buffer);
  }
  return ok;
}

/* Whether @buffer carries masks. */
static gboolean
contours_has_masks (GstBuffer * buffer)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstAnalyticsMtd mtd;
  gpointer state = NULL;

  return meta && gst_analytics_relation_meta_iterate (meta, &state,
      gst_analytics_segmentation_mtd_get_mtd_type (), &mtd);
}

#else

gboolean
contours_run_masks (GstCudaContours * self, GstBuffer * buffer,
    GstShapeSet * set, ContoursTotals * totals, GError ** error)
{
  return gst_shapes_check_analytics ("image-source=segmentation", error);
}

static gboolean
contours_has_masks (GstBuffer * buffer)
{
  return FALSE;
}

#endif

/* Metadata */

static void
warn_of_nothing (GstCudaContours * self)
{
  const gboolean masks = self->current.source == CONTOURS_SOURCE_SEGMENTATION;

  GST_SHAPES_WARN_ONCE (self, self->warned_about_meta, STREAM, FORMAT, "A "
      "frame carries no %s, which image-source=%s looks at: it has no "
      "contours. Is there an element upstream that attaches them, and nothing "
      "in between that drops them?",
      masks ? "masks (GstAnalyticsSegmentationMtd)" : "tensors (GstTensorMeta)",
      masks ? "segmentation" : "tensor-meta");
}

/* A tensor of another form than the last one's needs other targets. */
static gboolean
find_tensor (GstCudaContours * self, GstBuffer * buffer,
    ContoursContent * content, GError ** error)
{
  GstShapesMetaTensor tensor;

  if (!gst_shapes_meta_tensor_find (&tensor, buffer, self->current.tensor_id,
          self->current.layout, error))
    return FALSE;
  content->changed = !self->is_tensor ||
      !gst_shapes_tensor_info_equal (&tensor.info, &self->tensor);
  content->samples = tensor.data;
  content->tensor = tensor;
  self->is_tensor = TRUE;
  self->tensor = tensor.info;
  self->width = tensor.info.width;
  self->height = tensor.info.height;
  self->pixel_area = ((gdouble) self->frame_width * self->frame_height) /
      ((gdouble) self->width * self->height);
  return TRUE;
}

gboolean
contours_find_content (GstCudaContours * self, GstBuffer * buffer,
    ContoursContent * content, GError ** error)
{
  memset (content, 0, sizeof (*content));
  content->samples = buffer;
  if (!contours_looks_at_metadata (self))
    return TRUE;
  content->samples = NULL;
  if (!buffer || GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    return TRUE;
  if (self->current.source == CONTOURS_SOURCE_SEGMENTATION) {
    if (contours_has_masks (buffer))
      content->samples = buffer;
  } else if (gst_shapes_buffer_has_tensors (buffer)) {
    return find_tensor (self, buffer, content, error);
  }
  if (!content->samples)
    warn_of_nothing (self);
  return TRUE;
}

/* Inference elements leave video caps as they are and attach their output,
 * since GStreamer 1.26: contours of the picture are hardly what is wanted. */
void
contours_warn_about_tensors (GstCudaContours * self, GstBuffer * buffer)
{
  if (self->warned_about_meta || !gst_shapes_buffer_has_tensors (buffer))
    return;
  self->warned_about_meta = TRUE;
  GST_SHAPES_WARNING (self, STREAM, FORMAT, "The frames carry tensors "
      "(GstTensorMeta), but image-source=buffer finds the contours of the "
      "picture. Set image-source=tensor-meta to find those of a tensor.");
}

gboolean
contours_add_to_frame (GstCudaContours * self, GstBuffer * buffer,
    GstShapeSet * set, GError ** error)
{
  GstShapeSet *scaled = gst_shape_set_rescale (set, self->frame_width,
      self->frame_height, error);

  if (!scaled)
    return FALSE;
  gst_buffer_add_shape_meta (buffer, scaled);
  gst_shape_set_unref (scaled);
  return TRUE;
}
