/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <math.h>
#include <stddef.h>

#include "gstcudacontoursprivate.h"
#include "base/memory.h"

GST_DEBUG_CATEGORY (contours_debug);
#define GST_CAT_DEFAULT contours_debug

/* The kernel writes the records that the library publishes. */
#define ASSERT_SAME(field) \
  G_STATIC_ASSERT (offsetof (CsContour, field) == \
      offsetof (GstShapePolyline, field) && \
      sizeof (((CsContour *) 0)->field) == \
      sizeof (((GstShapePolyline *) 0)->field))

ASSERT_SAME (id);
ASSERT_SAME (parent);
ASSERT_SAME (class_id);
ASSERT_SAME (image);
ASSERT_SAME (kind);
ASSERT_SAME (flags);
ASSERT_SAME (level);
ASSERT_SAME (area);
ASSERT_SAME (perimeter);
ASSERT_SAME (centroid_x);
ASSERT_SAME (centroid_y);
ASSERT_SAME (bbox_x0);
ASSERT_SAME (bbox_y0);
ASSERT_SAME (bbox_x1);
ASSERT_SAME (bbox_y1);
ASSERT_SAME (solidity);
G_STATIC_ASSERT (sizeof (CsContour) == sizeof (GstShapePolyline));
G_STATIC_ASSERT (sizeof (CsContourMoments) == sizeof (GstShapeMoments));
G_STATIC_ASSERT ((int) CS_CONTOUR_CLOSED == (int) GST_SHAPE_FLAG_CLOSED);
G_STATIC_ASSERT ((int) CS_CONTOUR_HOLE == (int) GST_SHAPE_FLAG_HOLE);
G_STATIC_ASSERT ((int) GST_SHAPE_KIND_CONTOUR == 0);

/* Plans */

/* Regions of more sizes take turns. */
#define MAX_PLANS 16

void
contours_clear_plans (GstCudaContours * self)
{
  for (guint i = 0; i < self->plans->len; i++)
    cs_contours_free (g_array_index (self->plans, ContoursPlan, i).plan);
  g_array_set_size (self->plans, 0);
  self->next_plan = 0;
  g_clear_pointer (&self->label_plan, cs_labels_free);
}

static gboolean
looks_at_video (const GstCudaContours * self)
{
  return self->current.source == CONTOURS_SOURCE_BUFFER && !self->is_tensor;
}

/* Whether class @class_id is called @name. */
static gboolean
is_class (const GstCudaContours * self, gint32 class_id, const gchar * name)
{
  const gchar *own = contours_get_class_name (self, class_id);
  g_autofree gchar *number = g_strdup_printf ("%d", class_id);
  return g_strcmp0 (own, name) == 0 || strcmp (number, name) == 0;
}

/* Sets the limits of targets that @areas names: their least areas, or the
 * largest. */
static gboolean
set_limits (const GstCudaContours * self, const GArray * areas,
    const gchar * property, gboolean least, CsAreaLimits * limits,
    GError ** error)
{
  for (guint i = 0; i < areas->len; i++) {
    const ContoursClassArea *area =
        &g_array_index (areas, ContoursClassArea, i);
    gboolean found = FALSE;

    for (guint t = 0; t < self->n_targets; t++) {
      if (!is_class (self, contours_get_class (self, t), area->name))
        continue;
      *(least ? &limits[t].min_area : &limits[t].max_area) =
          area->area / self->pixel_area;
      found = TRUE;
    }
    if (found)
      continue;
    return cs_error (error, CS_ERROR_INVALID, "%s: there is no class \"%s\" "
        "among those that are looked at", property, area->name);
  }
  return TRUE;
}

/* %NULL if there are none, or with @error set. */
static CsAreaLimits *
make_limits (const GstCudaContours * self, GError ** error)
{
  if (self->min_areas->len + self->max_areas->len == 0)
    return NULL;
  CsAreaLimits *limits = g_new (CsAreaLimits, self->n_targets);
  for (guint t = 0; t < self->n_targets; t++)
    limits[t] = (CsAreaLimits) {0., INFINITY};
  if (set_limits (self, self->min_areas, "class-min-area", TRUE, limits, error)
      && set_limits (self, self->max_areas, "class-max-area", FALSE, limits,
          error))
    return limits;
  g_free (limits);
  return NULL;
}

static CsContoursGroup *
make_groups (const GstCudaContours * self)
{
  CsContoursGroup *groups = g_new (CsContoursGroup, self->groups->len + 1);

  for (guint g = 0; g < self->groups->len; g++) {
    const GArray *channels =
        g_array_index (self->groups, ContoursGroup, g).channels;

    groups[g] = (CsContoursGroup) {
    (const guint *) (gpointer) channels->data, channels->len};
  }
  return groups;
}

/* What is not a level of a channel. */
static void
add_plane_params (const GstCudaContours * self, CsContoursParams * params)
{
  const ContoursSettings *current = &self->current;
  const ContoursLevelMethod method = contours_get_method (self);

  params->auto_level = method == CONTOURS_LEVEL_MIDRANGE ||
      method == CONTOURS_LEVEL_OTSU;
  if (method == CONTOURS_LEVEL_OTSU)
    params->auto_method = CS_AUTO_LEVEL_OTSU;
  params->n_groups = self->groups->len;
  params->group_mode = current->group_mode;
  params->first_group_class = (gint32) self->tensor.channels;
  params->exclusive = current->exclusive;
  if (method != CONTOURS_LEVEL_ADAPTIVE)
    return;
  params->adaptive_window = current->adaptive_window;
  params->adaptive_offset = current->adaptive_offset;
  if (looks_at_video (self))
    params->adaptive_offset = gst_shapes_gray_get_code (&self->gray,
        current->adaptive_offset, current->level_unit) * self->gray.code_factor;
}

static void
fill_params (const GstCudaContours * self, CsContoursParams * params)
{
  const ContoursSettings *current = &self->current;

  cs_contours_params_init (params);
  params->targets = self->targets;
  params->n_targets = self->n_targets;
  add_plane_params (self, params);
  params->fully_connected_high = current->fully_connected == CONTOURS_SIDE_HIGH;
  params->positive_orientation_high =
      current->positive_orientation == CONTOURS_SIDE_HIGH;
  params->close_at_border = current->close_at_border;
  params->bands = current->bands;
  params->hierarchy = current->hierarchy;
  params->measures = current->measures;
  params->points = current->measures_only ? CS_POINTS_NONE : CS_POINTS_F32;
  params->min_points = current->min_points;
  params->min_area = current->min_area / self->pixel_area;
  params->max_area = current->max_area == G_MAXDOUBLE ? INFINITY :
      current->max_area / self->pixel_area;
  /* where samples are shifted codes, the records get codes */
  if (looks_at_video (self))
    params->level_scale = 1. / self->gray.code_factor;
  params->max_segments = current->max_segments;
  params->max_memory = MIN (current->max_memory, G_MAXSIZE);
}

/* All plans, or a new one of a size that is not known yet. */
static gboolean
apply_params (GstCudaContours * self, const CsContoursParams * params,
    GError ** error)
{
  ContoursPlan first = { 0, 0, NULL };

  for (guint i = 0; i < self->plans->len; i++) {
    if (!cs_contours_set_params (g_array_index (self->plans,
                ContoursPlan, i).plan, params, error))
      return FALSE;
  }
  if (self->plans->len > 0)
    return TRUE;
  first.plan = cs_contours_new (params, GST_SHAPES_TRANSFORM (self)->executor,
      error);
  if (!first.plan)
    return FALSE;
  g_array_append_val (self->plans, first);
  return TRUE;
}

/* Calls @apply with the parameters as they are now. */
static gboolean
with_params (GstCudaContours * self, gboolean (*apply) (GstCudaContours * self,
        const CsContoursParams * params, GError ** error), GError ** error)
{
  CsContoursGroup *groups = make_groups (self);
  GError *failed = NULL;
  CsAreaLimits *limits = make_limits (self, &failed);
  CsContoursParams params;
  gboolean ok = FALSE;

  fill_params (self, &params);
  params.groups = groups;
  params.area_limits = limits;
  if (failed)
    g_propagate_error (error, failed);
  else
    ok = apply (self, &params, error);
  g_free (limits);
  g_free (groups);
  return ok;
}

gboolean
contours_make_plan (GstCudaContours * self, GError ** error)
{
  g_clear_pointer (&self->label_plan, cs_labels_free);
  return with_params (self, apply_params, error);
}

static gboolean
add_plan (GstCudaContours * self, const CsContoursParams * params,
    GError ** error)
{
  ContoursPlan added = { 0, 0, NULL };

  added.plan = cs_contours_new (params, GST_SHAPES_TRANSFORM (self)->executor,
      error);
  if (added.plan)
    g_array_append_val (self->plans, added);
  return added.plan != NULL;
}

/* The plan for images of a size. */
static CsContours *
get_plan (GstCudaContours * self, guint width, guint height, GError ** error)
{
  /* a stream of one region or mask after the other keeps its plan */
  const guint max = self->rois->len > 1 ? MAX_PLANS : 1;
  ContoursPlan *plan;
  guint i;

  for (i = 0; i < self->plans->len; i++) {
    plan = &g_array_index (self->plans, ContoursPlan, i);
    if (plan->width == width && plan->height == height)
      return plan->plan;
    if (plan->width == 0)
      break;
  }
  if (i == self->plans->len && i < max && !with_params (self, add_plan, error))
    return NULL;
  if (i == self->plans->len)
    i = self->next_plan++ % self->plans->len;
  plan = &g_array_index (self->plans, ContoursPlan, i);
  plan->width = width;
  plan->height = height;
  return plan->plan;
}

/* The shape of the images to come in @roi, without data. */
static CsImage
describe_image (const GstCudaContours * self, const GstShapesRegion * roi)
{
  if (self->is_tensor)
    return gst_shapes_region_crop (roi, gst_shapes_tensor_info_get_image
        (&self->tensor, NULL, CS_MEMORY_HOST, 0));
  return gst_shapes_gray_describe (&self->gray, roi);
}

/* What is certain before the first buffer is there. */
static CsMemory
expected_memory (GstCudaContours * self)
{
  if (!GST_SHAPES_TRANSFORM (self)->context ||
      contours_looks_at_metadata (self))
    return CS_MEMORY_HOST;
  return (!self->is_tensor && self->gray.computed) ||
      gst_caps_features_contains (gst_caps_get_features (self->caps, 0),
      "memory:CUDAMemory") ? CS_MEMORY_DEVICE : CS_MEMORY_HOST;
}

static gboolean
warm_up_region (GstCudaContours * self, const GstShapesRegion * roi,
    GError ** error)
{
  CsImage image = describe_image (self, roi);

  if (image.width == 0 || image.height == 0)
    return TRUE;
  image.memory = expected_memory (self);
  CsContours *plan = get_plan (self, image.width, image.height, error);
  return plan && cs_contours_warm_up (plan, &image,
      self->is_tensor ? self->tensor.images : 1, error);
}

gboolean
contours_warm_up (GstCudaContours * self, GError ** error)
{
  gboolean ok = TRUE;

  /* regions are of any size */
  if (self->current.source == CONTOURS_SOURCE_SEGMENTATION)
    return TRUE;
  for (guint i = 0; ok && i < MIN (self->rois->len, MAX_PLANS); i++)
    ok = warm_up_region (self, &g_array_index (self->rois, ContoursRoi,
            i).region, error);
  return ok;
}

/* Images */

static ContoursTask
new_task (const GstCudaContours * self)
{
  const ContoursTask task = {
    .class_id = -1,
    .origin_x = self->roi.x,
    .origin_y = self->roi.y,
  };

  return task;
}

static gboolean
add_mask (GstCudaContours * self, GstShapesFrame * frame,
    ContoursTask * task, GError ** error)
{
  const gint alpha = self->is_tensor ? -1 :
      gst_shapes_gray_find_component (self->video.finfo, GST_SHAPES_CHANNEL_A);

  task->has_mask = TRUE;
  if (self->mask.data) {
    if (!contours_get_mask (self, task->image.memory, &task->mask, error))
      return FALSE;
  } else if (self->current.mask_alpha && alpha >= 0) {
    if (!gst_shapes_frame_get_component (frame, alpha, &task->mask, error))
      return FALSE;
  } else {
    task->has_mask = FALSE;
    return TRUE;
  }
  task->mask = gst_shapes_region_crop (&self->roi, task->mask);
  return TRUE;
}

/* Results */

static void
count (const GstCudaContours * self, const CsContoursOutput * output,
    ContoursTotals * totals)
{
  gsize i;
  guint t;

  totals->n_contours += output->n_contours;
  totals->n_points += output->n_points;
  totals->n_segments += output->n_segments;
  if (!totals->n_of_target || !output->contours)
    return;
  for (i = 0, t = 0; i < output->n_contours; i++) {
    /* results are ordered by target */
    while (t + 1 < self->n_targets && contours_get_class (self, t) !=
        output->contours[i].class_id)
      t++;
    totals->n_of_target[t]++;
  }
}

static GstShapeLayer *
make_layer (GstShapesSlab * slab, const CsContoursOutput * output,
    gboolean want_device, gint32 first_id)
{
  const GstShapeArrays host = {
    .n_shapes = output->n_contours,
    .n_points = output->n_points,
    .points = output->points,
    .offsets = output->offsets,
    .polylines = (const GstShapePolyline *) output->contours,
    .moments = (const GstShapeMoments *) output->moments,
  };
  const GstShapeArrays device = {
    .n_shapes = output->n_contours,
    .n_points = output->n_points,
    .points = output->device_points,
    .offsets = output->device_offsets,
    .polylines = (const GstShapePolyline *) output->device_contours,
    .moments = (const GstShapeMoments *) output->device_moments,
  };
  GstShapeLayer *layer = gst_shapes_slab_to_layer (slab,
      GST_SHAPE_LAYER_POLYLINES, host.offsets ? &host : NULL,
      device.offsets && want_device ? &device : NULL);

  if (!layer) {
    gst_shapes_slab_free (slab);
    return NULL;
  }
  /* no one need download it to know */
  gst_shape_layer_set_id_range (layer, first_id,
      first_id + (gint32) output->n_contours);
  gst_shape_layer_set_kind (layer, GST_SHAPE_KIND_CONTOUR);
  return layer;
}

GstShapeLayer *
contours_annotate (GstShapeLayer * layer, gfloat confidence, gint32 region_id)
{
  const gsize n = gst_shape_layer_get_n_shapes (layer);
  GstShapeAnnotation *annotations = cs_try_new (GstShapeAnnotation, n + 1);

  if (!annotations)
    return NULL;
  for (gsize i = 0; i < n; i++)
    annotations[i] = (GstShapeAnnotation) {confidence, region_id, -1};
  GstShapeLayer *annotated = gst_shape_layer_annotate (layer, annotations, n);
  g_free (annotations);
  return annotated;
}

/* Takes @layer, and returns it with the current region; %NULL when out
 * of memory. */
static GstShapeLayer *
add_region (const GstCudaContours * self, GstShapeLayer * layer)
{
  if (self->region_id < 0 || gst_shape_layer_get_n_shapes (layer) == 0)
    return layer;
  GstShapeLayer *annotated = contours_annotate (layer, -1, self->region_id);
  gst_shape_layer_unref (layer);
  return annotated;
}

/* Finds the contours of the tasks, each into a slab and an output. */
static gboolean
run_plan (GstCudaContours * self, const ContoursTask * tasks, guint n,
    gint32 first_id, gboolean want_host, GstShapesSlab ** slabs,
    CsContoursOutput * outputs, GError ** error)
{
  CsContours *plan = get_plan (self, tasks->image.width, tasks->image.height,
      error);
  CsContoursInput inputs[CS_CONTOURS_AT_ONCE];

  for (guint i = 0; i < n; i++) {
    const ContoursTask *task = &tasks[i];

    inputs[i] = (CsContoursInput) {
      .image = task->image,
      .mask = task->has_mask ? &task->mask : NULL,
      .origin_x = task->origin_x,
      .origin_y = task->origin_y,
      .first_id = first_id,
      .image_index = task->index,
    };
    outputs[i] = (CsContoursOutput) {
      .alloc = gst_shapes_slab_alloc,
      .user_data = slabs[i],
      .want_host = want_host || task->class_id >= 0,
    };
  }
  return plan && cs_contours_run_batch (plan, inputs, outputs, n, error);
}

GstShapeLayer *
contours_get_layer (GstCudaContours * self, GstShapesSlab * slab,
    const CsContoursOutput * output, gboolean want_device, gint32 first_id,
    GError ** error)
{
  GstShapeLayer *layer;

  if (output->n_contours == 0) {
    gst_shapes_slab_finish (slab);
    gst_shapes_slab_free (slab);
    layer = gst_shapes_empty_layer_new ();
  } else {
    layer = make_layer (slab, output, want_device, first_id);
  }
  if (!layer)
    return cs_fail_null (error, CS_ERROR, CS_ERROR_LIMIT, "the contours are "
        "more than a layer holds");
  if (self->class_names->len > 0)
    gst_shape_layer_set_class_names (layer,
        (const gchar * const *) self->class_names->pdata,
        self->class_names->len);
  layer = add_region (self, layer);
  if (!layer)
    cs_fail_no_memory (error, "annotations");
  return layer;
}

/* Takes @slab. */
static gboolean
add_layer (GstCudaContours * self, const ContoursTask * task,
    GstShapesSlab * slab, const CsContoursOutput * output, gint32 first_id,
    GstShapeSet * set, ContoursTotals * totals, GError ** error)
{
  /* a class is the channel of an image, but for regions */
  for (gsize i = 0; task->class_id >= 0 && i < output->n_contours; i++)
    output->contours[i].class_id = task->class_id;
  count (self, output, totals);
  if (output->n_overwritten > 0)
    GST_DEBUG_OBJECT (self, "%" G_GSIZE_FORMAT " ends stayed open beside "
        "invalid pixels", output->n_overwritten);
  GstShapeLayer *layer = contours_get_layer (self, slab, output,
      task->class_id < 0, first_id, error);
  if (layer)
    gst_shape_set_add_layer (set, layer);
  return layer != NULL;
}

gboolean
contours_run_tasks (GstCudaContours * self, const ContoursTask * tasks, guint n,
    gint32 first_id, gboolean want_host, GstShapeSet * set,
    ContoursTotals * totals, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesSlab *slabs[CS_CONTOURS_AT_ONCE];
  CsContoursOutput outputs[CS_CONTOURS_AT_ONCE];
  guint n_added = 0, i;
  gboolean ok;

  for (i = 0; i < n; i++)
    slabs[i] = gst_shapes_slab_new (base->slabs, base->stream);
  ok = run_plan (self, tasks, n, first_id, want_host, slabs, outputs, error);
  while (ok && n_added < n) {
    i = n_added++;
    ok = add_layer (self, &tasks[i], slabs[i], &outputs[i], first_id, set,
        totals, error);
    first_id += (gint32) outputs[i].n_contours;
  }
  for (i = n_added; i < n; i++)
    gst_shapes_slab_free (slabs[i]);
  return ok;
}

gint32
contours_next_id (GstBuffer * buffer, const GstShapeSet * set)
{
  GstShapeSet *earlier = gst_buffer_get_shape_set (buffer);

  return MAX (earlier ? gst_shape_set_get_next_id (earlier) : 0,
      gst_shape_set_get_next_id (set));
}

gboolean
contours_run_video (GstCudaContours * self, GstBuffer * buffer,
    gboolean want_host, GstShapeSet * set, ContoursTotals * totals,
    GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesFrame frame;
  ContoursTask task = new_task (self);
  gboolean ok;

  if (!gst_shapes_frame_init (&frame, &self->video, buffer, base->context,
          base->stream, error))
    return FALSE;
  gst_shapes_aspect_check (&self->aspect, GST_ELEMENT_CAST (self),
      gst_buffer_get_shape_set (buffer), &self->video);
  ok = gst_shapes_gray_get_image (&self->gray, base, &frame, &self->roi,
      &task.image, error) && add_mask (self, &frame, &task, error) &&
      contours_run_tasks (self, &task, 1,
      contours_next_id (buffer, set), want_host, set, totals, error);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

static gboolean
check_tensor_size (const GstCudaContours * self,
    const ContoursContent * content, GError ** error)
{
  const gsize size = gst_buffer_get_size (content->samples);

  if (size <= self->tensor.size)
    return TRUE;
  if (content->tensor.data)
    return cs_error (error, CS_ERROR_INVALID, "the tensor that a "
        "frame carries has %" G_GSIZE_FORMAT " bytes, but its dimensions and "
        "its type need %" G_GSIZE_FORMAT, size, self->tensor.size);
  return cs_error (error, CS_ERROR_INVALID, "a buffer has %"
      G_GSIZE_FORMAT " bytes, but the caps' tensor %" G_GSIZE_FORMAT
      ": correct the dimensions, or set filesrc's blocksize=%" G_GSIZE_FORMAT,
      size, self->tensor.size, self->tensor.size);
}

/* Samples in another order are read on the host. */
gconstpointer
contours_map_tensor (GstCudaContours * self, const ContoursContent * content,
    gsize alignment, GstShapesFrame * frame, CsMemory * memory, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  const gboolean rearrange = content->tensor.column_major;
  gconstpointer data;

  if (!check_tensor_size (self, content, error) ||
      !gst_shapes_frame_map_bytes (frame, content->samples, self->tensor.size,
          alignment, rearrange ? NULL : base->context, base->stream, &data,
          memory, error))
    return NULL;
  if (rearrange)
    data = gst_shapes_meta_tensor_rearrange (&content->tensor, data,
        &self->rearranged, error);
  if (!data)
    gst_shapes_frame_unmap (frame);
  return data;
}

/* Image @index of the tensor at @data. */
static gboolean
prepare_image (GstCudaContours * self, GstShapesFrame * frame,
    gconstpointer data, CsMemory memory, guint index,
    ContoursTask * task, GError ** error)
{
  *task = new_task (self);
  task->index = (gint32) index;
  task->image = gst_shapes_region_crop (&self->roi,
      gst_shapes_tensor_info_get_image (&self->tensor, data, memory, index));
  return add_mask (self, frame, task, error);
}

gboolean
contours_run_tensor (GstCudaContours * self, GstBuffer * buffer,
    const ContoursContent * content, gboolean want_host,
    GstShapeSet * set, ContoursTotals * totals, GError ** error)
{
  const guint n_images = self->tensor.images;
  ContoursTask tasks[CS_CONTOURS_AT_ONCE];
  GstShapesFrame frame;
  guint n;
  CsMemory memory;
  gboolean ok = TRUE;

  gconstpointer data = contours_map_tensor (self, content,
      cs_sample_size (self->tensor.type), &frame, &memory, error);
  if (!data)
    return FALSE;
  for (guint first = 0; ok && first < n_images; first += n) {
    n = MIN (n_images - first, CS_CONTOURS_AT_ONCE);
    for (guint i = 0; ok && i < n; i++)
      ok = prepare_image (self, &frame, data, memory, first + i, &tasks[i],
          error);
    ok = ok && contours_run_tasks (self, tasks, n,
        contours_next_id (buffer, set), want_host, set, totals, error);
  }
  gst_shapes_frame_unmap (&frame);
  return ok;
}
