/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Polygons of labels: of pictures whose samples are classes, and of masks. The
 * kernel finds those of all labels at once; what else the properties ask for is
 * done to its result here. */

#include "gstcudacontoursprivate.h"

#include "base/ids.h"
#include "contours/contours_layout.h"
#include "contours/contours_measure.h"

/* Plans */

static void
fill_params (const GstCudaContours * self, CsLabelsParams * params)
{
  const ContoursSettings *current = &self->current;

  cs_labels_params_init (params);
  params->outline = current->outline;
  params->background = self->wanted->len > 0 ? -1 : current->background_label;
  params->hierarchy = current->hierarchy;
  params->min_area = current->min_area / self->pixel_area;
  params->measures = current->measures;
}

/* Masks are of any size. */
static gboolean
warm_up (GstCudaContours * self, GError ** error)
{
  const guint size = self->is_tensor ? self->label_info.size :
      (guint) GST_VIDEO_INFO_COMP_PSTRIDE (&self->video, 0);
  const CsLabelsPicture picture = {
    .size = size,
    .is_signed = self->is_tensor && self->label_info.is_signed,
    .width = self->width,
    .height = self->height,
    .pixel_stride = size,
    .row_stride = (gsize) size * self->width,
  };

  return self->current.source != CONTOURS_SOURCE_LABELS ||
      cs_labels_warm_up (self->label_plan, &picture, error);
}

gboolean
contours_make_label_plan (GstCudaContours * self, GError ** error)
{
  CsLabelsParams params;

  if (self->label_plan)
    return TRUE;
  contours_clear_plans (self);
  fill_params (self, &params);
  self->label_plan = cs_labels_new (&params,
      GST_SHAPES_TRANSFORM (self)->executor, error);
  return self->label_plan && warm_up (self, error);
}

/* Pictures */

/* Copies samples of 16 bits, in native endianness. */
static gboolean
swap (GstCudaContours * self, CsImage * image, GError ** error)
{
  guint16 *out = cs_scratch_ensure (&self->rearranged,
      (gsize) image->width * image->height * sizeof (guint16), error);

  if (!out)
    return FALSE;
  for (guint y = 0; y < image->height; y++) {
    const guint16 *row = (const guint16 *) (gpointer) ((const guint8 *)
        image->data + y * image->row_stride);

    for (guint x = 0; x < image->width; x++)
      out[(gsize) y * image->width + x] = GUINT16_SWAP_LE_BE (row[x]);
  }
  *image = cs_image_gray (out, CS_SAMPLE_U16, image->width, image->height,
      image->width * sizeof (guint16));
  return TRUE;
}

gboolean
contours_is_swapped (GstVideoFormat format)
{
  return format == (G_BYTE_ORDER == G_LITTLE_ENDIAN ?
      GST_VIDEO_FORMAT_GRAY16_BE : GST_VIDEO_FORMAT_GRAY16_LE);
}

gboolean
contours_get_label_picture (GstCudaContours * self, GstVideoFormat format,
    CsImage image, CsLabelsPicture * picture, GError ** error)
{
  if (contours_is_swapped (format) && !swap (self, &image, error))
    return FALSE;
  *picture = (CsLabelsPicture) {
    .data = image.data,
    .memory = image.memory,
    .size = cs_sample_size (image.type),
    .width = image.width,
    .height = image.height,
    .pixel_stride = image.pixel_stride,
    .row_stride = image.row_stride,
  };
  return TRUE;
}

/* Rings */

/**
 * Budget:
 * @slab: what the memory is of
 * @left: bytes that it may have
 * @exceeded: bytes that it would have had, if these are more
 */
typedef struct
{
  GstShapesSlab *slab;
  guint64 left;
  gsize exceeded;
} Budget;

static void *
alloc_within (void *data, gsize size, gboolean host)
{
  Budget *budget = data;

  if (size > budget->left) {
    budget->exceeded = size;
    return NULL;
  }
  return gst_shapes_slab_alloc (budget->slab, size, host);
}

static guint64
estimate_cells (const CsLabelsPicture * picture)
{
  return (guint64) MAX (picture->width, CS_CONTOURS_MIN_CELLS) *
      MAX (picture->height, CS_CONTOURS_MIN_CELLS) * CS_CONTOURS_CELL_COST;
}

static gboolean
fail_budget (const GstCudaContours * self, const CsLabelsPicture * picture,
    gsize size, GError ** error)
{
  return cs_error (error, CS_ERROR_LIMIT, "the polygons of %u x %u labels "
      "would take more than %.1f MiB of memory, and max-memory allows %.1f "
      "MiB; find those of fewer labels or less of the picture, or raise "
      "max-memory",
      picture->width, picture->height, (estimate_cells (picture) +
          (gdouble) size) / 1048576., self->current.max_memory / 1048576.);
}

gboolean
contours_find_rings (GstCudaContours * self, const CsLabelsInput * input,
    gboolean want_host, GstShapesSlab * slab, CsContoursOutput * output,
    GError ** error)
{
  const guint64 limit = self->current.max_memory ? self->current.max_memory :
      G_MAXUINT64;
  const guint64 cells = estimate_cells (&input->picture);
  Budget budget = { slab, limit - cells, 0 };
  CsLabelsInput all = *input;
  GError *failed = NULL;
  CsLabelsParams params;

  if (cells > limit)
    return fail_budget (self, &input->picture, 0, error);
  if (self->wanted->len > 0) {
    all.wanted = (const guint32 *) (gpointer) self->wanted->data;
    all.n_wanted = self->wanted->len;
  }
  *output = (CsContoursOutput) {
    .alloc = alloc_within,
    .user_data = &budget,
    .want_host = want_host,
  };
  fill_params (self, &params);
  if (cs_labels_set_params (self->label_plan, &params, &failed) &&
      cs_labels_run (self->label_plan, &all, output, &failed))
    return TRUE;
  if (!budget.exceeded) {
    g_propagate_error (error, failed);
    return FALSE;
  }
  g_error_free (failed);
  return fail_budget (self, &input->picture, budget.exceeded, error);
}

/* What the kernel does not do */

static gboolean
reverses (const GstCudaContours * self)
{
  return self->current.positive_orientation == CONTOURS_SIDE_HIGH;
}

/* Whether the result is not what the properties ask for. */
static gboolean
needs_more (const GstCudaContours * self)
{
  const ContoursSettings *current = &self->current;

  return current->min_points > 1 || current->max_area < G_MAXDOUBLE ||
      current->measures_only || reverses (self);
}

static gsize
count_points (const CsContoursOutput * output, gsize i)
{
  return output->offsets[i + 1] - output->offsets[i];
}

static gboolean
is_kept (const GstCudaContours * self, const CsContoursOutput * output, gsize i)
{
  const ContoursSettings *current = &self->current;

  return count_points (output, i) >= current->min_points &&
      fabs (output->contours[i].area) * self->pixel_area <= current->max_area;
}

/* Ring @i the other way around; measures are those of the points in order. */
static void
reverse (const GstCudaContours * self, const CsContoursOutput * output, gsize i)
{
  const gsize n = count_points (output, i);
  GstShapePoint *points = (GstShapePoint *) output->points + output->offsets[i];

  for (gsize a = 0, b = n - 1; a < b; a++, b--) {
    const GstShapePoint point = points[a];

    points[a] = points[b];
    points[b] = point;
  }
  cs_contours_measure (points, CS_POINTS_F32, n, self->current.measures,
      &output->contours[i], output->moments ? &output->moments[i] : NULL);
}

/* Numbers those of the rings @begin to @end of @from that are kept, others are
 * -1; counts them in @kept. */
static void
number_rings (const GstCudaContours * self, const CsContoursOutput * from,
    gsize begin, gsize end, gint32 * numbers, CsContoursOutput * kept)
{
  for (gsize i = begin; i < end; i++) {
    numbers[i - begin] = -1;
    if (!is_kept (self, from, i))
      continue;
    numbers[i - begin] = (gint32) kept->n_contours++;
    kept->n_points += count_points (from, i);
  }
}

static gboolean
alloc_rings (const GstCudaContours * self, GstShapesSlab * slab,
    CsContoursOutput * kept, GError ** error)
{
  const CsPointFormat format = self->current.measures_only ? CS_POINTS_NONE :
      CS_POINTS_F32;
  CsContoursLayout layout;

  cs_contours_layout (format, self->current.measures, kept->n_contours,
      kept->n_points, &layout);
  guint8 *memory = gst_shapes_slab_alloc (slab, layout.size, TRUE);
  if (!memory)
    return cs_fail_no_memory (error, "polygons of labels");
  kept->points = format == CS_POINTS_NONE ? NULL : memory + layout.points;
  kept->offsets = (guint32 *) (gpointer) (memory + layout.offsets);
  kept->contours = (CsContour *) (gpointer) (memory + layout.contours);
  if (self->current.measures == CS_MEASURES_FULL)
    kept->moments = (CsContourMoments *) (gpointer) (memory + layout.moments);
  return TRUE;
}

/* Writes ring @i of @from as @to's @number, at @point. */
static void
copy_ring (const CsContoursOutput * from, gsize i, CsContoursOutput * to,
    gint32 number, gsize point)
{
  to->contours[number] = from->contours[i];
  to->offsets[number] = (guint32) point;
  if (to->moments)
    to->moments[number] = from->moments[i];
  if (to->points)
    memcpy ((GstShapePoint *) to->points + point,
        (const GstShapePoint *) from->points + from->offsets[i],
        count_points (from, i) * sizeof (GstShapePoint));
}

/* The id of ring @index of @n, if it is one of them and kept. */
static gint32
find_id (gint64 index, gsize n, const gint32 * numbers, gint32 first_id)
{
  return index < 0 || index >= (gint64) n || numbers[index] < 0 ? -1 :
      cs_ids_get (first_id, numbers[index]);
}

gboolean
contours_keep_rings (GstCudaContours * self, const CsContoursOutput * from,
    gsize begin, gsize end, gint32 first_id, gboolean with_parents,
    GstShapesSlab * slab, CsContoursOutput * kept, GError ** error)
{
  const gsize n = end - begin;
  gint32 *numbers = cs_scratch_ensure (&self->kept, (n + 1) * sizeof (gint32),
      error);
  gsize point = 0;

  *kept = (CsContoursOutput) { 0 };
  if (!numbers)
    return FALSE;
  number_rings (self, from, begin, end, numbers, kept);
  if (kept->n_contours == 0)
    return TRUE;
  if (!alloc_rings (self, slab, kept, error))
    return FALSE;
  for (gsize i = begin; i < end; i++) {
    const gint32 number = numbers[i - begin];

    if (number < 0)
      continue;
    if (reverses (self))
      reverse (self, from, i);
    copy_ring (from, i, kept, number, point);
    point += count_points (from, i);
    CsContour *record = &kept->contours[number];
    record->parent = !with_parents || record->parent < 0 ? -1 :
        find_id ((gint64) record->parent - from->contours[begin].id, n, numbers,
        first_id);
    record->id = cs_ids_get (first_id, number);
  }
  kept->offsets[kept->n_contours] = (guint32) point;
  return TRUE;
}

/* Frames */

/* The numbers of rings by label, for the message, if there will be one. */
static void
report_labels (const GstCudaContours * self, const CsContoursOutput * output,
    ContoursTotals * totals)
{
  if (!self->current.post_messages)
    return;
  if (!totals->n_of_region)
    totals->n_of_region = g_array_new (FALSE, FALSE, sizeof (ContoursRegion));
  for (gsize begin = 0, end; begin < output->n_contours; begin = end) {
    const gint32 label = output->contours[begin].class_id;

    for (end = begin + 1; end < output->n_contours &&
        output->contours[end].class_id == label; end++);
    const ContoursRegion region = {
      .id = label,
      .n_contours = end - begin,
      .label = contours_get_class_name (self, label),
      .confidence = -1,
    };
    g_array_append_val (totals->n_of_region, region);
  }
}

/* The rings of @input's labels, in memory of @slab, and with @more what the
 * properties leave of them, in memory of that on the host. */
static gboolean
find_kept (GstCudaContours * self, const CsLabelsInput * input,
    gboolean want_host, GstShapesSlab * slab, GstShapesSlab * more,
    CsContoursOutput * output, ContoursTotals * totals, GError ** error)
{
  CsContoursOutput all;

  if (!contours_find_rings (self, input, want_host || more, slab, &all, error))
    return FALSE;
  if (more)
    gst_shapes_slab_finish (slab);
  totals->n_segments += all.n_segments;
  *output = all;
  return !more || contours_keep_rings (self, &all, 0, all.n_contours,
      input->first_id, TRUE, more, output, error);
}

/* Adds a layer with the rings of @picture, which is in the current region of
 * interest. */
static gboolean
add_picture (GstCudaContours * self, GstBuffer * buffer,
    const CsLabelsPicture * picture, guint index, gboolean want_host,
    GstShapeSet * set, ContoursTotals * totals, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesSlab *slab = gst_shapes_slab_new (base->slabs, base->stream);
  GstShapesSlab *more = needs_more (self) ?
      gst_shapes_slab_new (base->slabs, base->stream) : NULL;
  const CsLabelsInput input = {
    .picture = *picture,
    .origin_x = self->roi.x,
    .origin_y = self->roi.y,
    .first_id = contours_next_id (buffer, set),
    .image_index = (gint32) index,
  };
  CsContoursOutput output;
  GstShapeLayer *layer = NULL;

  if (find_kept (self, &input, want_host, slab, more, &output, totals, error)) {
    totals->n_contours += output.n_contours;
    totals->n_points += output.n_points;
    report_labels (self, &output, totals);
    layer = contours_get_layer (self, more ? more : slab, &output, !more,
        input.first_id, error);
    *(more ? &more : &slab) = NULL;
  }
  if (layer)
    gst_shape_set_add_layer (set, layer);
  g_clear_pointer (&slab, gst_shapes_slab_free);
  g_clear_pointer (&more, gst_shapes_slab_free);
  return layer != NULL;
}

static gboolean
run_video (GstCudaContours * self, GstBuffer * buffer, gboolean want_host,
    GstShapeSet * set, ContoursTotals * totals, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  const GstVideoFormat format = GST_VIDEO_INFO_FORMAT (&self->video);
  GstShapesFrame frame;
  CsLabelsPicture picture;
  CsImage image;

  /* what is swapped is read on the host */
  if (!gst_shapes_frame_init (&frame, &self->video, buffer,
          contours_is_swapped (format) ? NULL : base->context, base->stream,
          error))
    return FALSE;
  gst_shapes_aspect_check (&self->aspect, GST_ELEMENT_CAST (self),
      gst_buffer_get_shape_set (buffer), &self->video);
  const gboolean ok =
      gst_shapes_frame_get_component (&frame, 0, &image, error) &&
      contours_get_label_picture (self, format,
      gst_shapes_region_crop (&self->roi, image), &picture, error) &&
      add_picture (self, buffer, &picture, 0, want_host, set, totals, error);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

static gboolean
run_tensor (GstCudaContours * self, GstBuffer * buffer,
    const ContoursContent * content, gboolean want_host, GstShapeSet * set,
    ContoursTotals * totals, GError ** error)
{
  const guint size = self->label_info.size;
  const gsize row_stride = (gsize) size * self->tensor.width;
  GstShapesFrame frame;
  gboolean ok = TRUE;
  CsMemory memory;

  const guint8 *data = contours_map_tensor (self, content, size, &frame,
      &memory, error);
  if (!data)
    return FALSE;
  for (guint i = 0; ok && i < self->tensor.images; i++) {
    const CsLabelsPicture picture = {
      .data = data + i * self->tensor.image_size + self->roi.y * row_stride +
          (gsize) self->roi.x * size,
      .memory = memory,
      .size = size,
      .is_signed = self->label_info.is_signed,
      .width = self->roi.width,
      .height = self->roi.height,
      .pixel_stride = size,
      .row_stride = row_stride,
    };

    ok = add_picture (self, buffer, &picture, i, want_host, set, totals, error);
  }
  gst_shapes_frame_unmap (&frame);
  return ok;
}

gboolean
contours_run_labels (GstCudaContours * self, GstBuffer * buffer,
    const ContoursContent * content, gboolean want_host, GstShapeSet * set,
    ContoursTotals * totals, GError ** error)
{
  return self->is_tensor ? run_tensor (self, buffer, content, want_host, set,
      totals, error) : run_video (self, buffer, want_host, set, totals, error);
}
