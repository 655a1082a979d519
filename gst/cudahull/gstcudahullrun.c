/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Processing of a buffer: plans, layers of results, and the hulls of pixels and
 * points. */

#include <math.h>
#include <stddef.h>

#include "gstcudahullprivate.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesmessage.h"
#include "element/gstshapestensor.h"

/* Contours and points to warm up for. */
#define CONTOURS 256
#define CONTOURS_POINTS 16384

/* The kernel's structures are published as they are. gstcudacontours.c asserts
 * the same for CsContour and GstShapePolyline. */
#define ASSERT_SAME(field) \
  G_STATIC_ASSERT (offsetof (CsHullFeatures, field) == \
      offsetof (GstShapeHullMeasures, field))

ASSERT_SAME (feret_max);
ASSERT_SAME (feret_max_ux);
ASSERT_SAME (feret_max_uy);
ASSERT_SAME (feret_min);
ASSERT_SAME (feret_min_ux);
ASSERT_SAME (feret_min_uy);
ASSERT_SAME (rect_x);
ASSERT_SAME (rect_y);
ASSERT_SAME (rect_ux);
ASSERT_SAME (rect_uy);
ASSERT_SAME (rect_width);
ASSERT_SAME (rect_height);
ASSERT_SAME (circle_x);
ASSERT_SAME (circle_y);
ASSERT_SAME (circle_r);
G_STATIC_ASSERT (sizeof (CsHullFeatures) == sizeof (GstShapeHullMeasures));
G_STATIC_ASSERT ((int) CS_CONTOUR_KIND_HULL == (int) GST_SHAPE_KIND_HULL);
G_STATIC_ASSERT ((int) GST_SHAPES_POINT_F32 == (int) CS_HULL_F32);
G_STATIC_ASSERT ((int) GST_SHAPES_POINT_F64 == (int) CS_HULL_F64);
G_STATIC_ASSERT ((int) GST_SHAPES_POINT_I32 == (int) CS_HULL_I32);

/* Plan */

void
hull_clear_plan (GstCudaHull * self)
{
  g_clear_pointer (&self->plan, cs_hull_free);
  g_clear_pointer (&self->host_plan, cs_hull_free);
}

gboolean
hull_ensure_plan (GstCudaHull * self, CsHullScope scope,
    guint n_classes, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  CsHullParams params;

  cs_hull_params_init (&params);
  params.scope = scope;
  /* rounded up to a power of two, so that plans are rarely recreated */
  if (scope == CS_HULL_SCOPE_PER_CLASS)
    params.n_classes = MAX (16, 1u << g_bit_storage (n_classes - 1));
  params.include_collinear = self->current.include_collinear;
  params.closed = TRUE;
  params.points = CS_HULL_POINTS_F32;
  params.indices = self->current.indices || self->current.defects;
  params.measures = self->current.measures;
  if (self->plan && params.scope == self->params.scope &&
      params.n_classes == self->params.n_classes &&
      params.include_collinear == self->params.include_collinear &&
      params.indices == self->params.indices &&
      params.measures == self->params.measures)
    return TRUE;

  hull_clear_plan (self);
  self->plan = cs_hull_new (&params, base->executor, error);
  self->params = params;
  if (!self->plan || !base->host_executor)
    return self->plan != NULL;
  self->host_plan = cs_hull_new (&params, base->host_executor, error);
  return self->host_plan != NULL;
}

/* The plan for @input: beside a GPU the CPU's for a small set or batch. */
static CsHull *
choose_plan (GstCudaHull * self, const CsHullInput * input)
{
  return self->host_plan && cs_hull_is_small (self->host_plan, input) ?
      self->host_plan : self->plan;
}

/* Results */

static void
count (HullJob * job, const CsHullOutput * output)
{
  HullTotals *totals = &job->totals;

  totals->n_hulls += output->n_hulls;
  totals->n_points += output->n_points;
  totals->n_ignored += output->n_ignored;
  for (gsize i = 0; output->hulls && i < output->n_hulls; i++) {
    const gdouble solidity = output->hulls[i].solidity;

    if (isnan (solidity))
      continue;
    totals->solidity_min = totals->n_solid == 0 ? solidity :
        MIN (totals->solidity_min, solidity);
    totals->solidity_sum += solidity;
    totals->n_solid++;
  }
  if (output->n_ignored > 0)
    GST_SHAPES_WARN_ONCE (job->self, job->self->warned_not_finite, STREAM,
        FORMAT, "%" G_GSIZE_FORMAT " points with a coordinate that is NaN or "
        "infinite are ignored. The property \"ignored\" goes on counting.",
        output->n_ignored);
}

static GstShapeLayer *
make_layer (GstShapesSlab * slab, const CsHullOutput * output)
{
  const GstShapeArrays host = {
    .n_shapes = output->n_hulls,
    .n_points = output->n_points,
    .points = output->points,
    .offsets = output->offsets,
    .polylines = (const GstShapePolyline *) output->hulls,
    .hull_measures = (const GstShapeHullMeasures *) output->features,
  };
  const GstShapeArrays device = {
    .n_shapes = output->n_hulls,
    .n_points = output->n_points,
    .points = output->device_points,
    .offsets = output->device_offsets,
    .polylines = (const GstShapePolyline *) output->device_hulls,
    .hull_measures = (const GstShapeHullMeasures *) output->device_features,
  };

  return gst_shapes_slab_to_layer (slab, GST_SHAPE_LAYER_POLYLINES,
      host.offsets ? &host : NULL, device.offsets ? &device : NULL);
}

/* Whether hulls are of contours that lack their areas. */
static gboolean
lacks_areas (const HullJob * job, const HullTask * task)
{
  const GstShapeArrays *contours = task->contours;

  if (!contours || !contours->points ||
      job->self->current.scope != CS_HULL_SCOPE_PER_CONTOUR ||
      job->self->current.measures == CS_MEASURES_NONE)
    return FALSE;
  for (gsize i = 0; i < contours->n_shapes; i++)
    if (isnan (contours->polylines[i].area))
      return TRUE;
  return FALSE;
}

/* Solidities that the kernel does not know, for the contours lack their areas:
 * these are taken from the points. Hulls are in the order of their contours. */
static void
find_solidities (const GstShapeArrays * contours, CsHullOutput * output)
{
  GstShapePolyline contour;
  gsize i, k = 0;

  for (i = 0; i < output->n_hulls; i++) {
    CsContour *hull = &output->hulls[i];

    while (k < contours->n_shapes && contours->polylines[k].id != hull->parent)
      k++;
    if (k == contours->n_shapes)
      return;
    if (!isnan (contours->polylines[k].area) || !(hull->area > 0))
      continue;
    gst_shape_arrays_get_measures (contours, k, &contour);
    hull->solidity = fabs (contour.area) / hull->area;
  }
}

/* Adjusts the records on the host; the caller then drops the device copy. */
static void
change_records (const HullJob * job, const HullTask * task,
    CsHullOutput * output)
{
  const gboolean lacks = lacks_areas (job, task);

  if (!task->input.mask && !job->self->current.replace && !lacks)
    return;
  if (lacks)
    find_solidities (task->contours, output);
  for (gsize i = 0; i < output->n_hulls; i++) {
    if (task->input.mask)
      output->hulls[i].level = task->level;
    if (job->self->current.replace)
      output->hulls[i].parent = -1;
  }
  output->device_offsets = NULL;
}

/* What is known of hulls before they are a layer. */
static void
set_facts (HullJob * job, const HullTask * task,
    const CsHullOutput * output, GstShapeLayer * layer)
{
  gst_shape_layer_set_kind (layer, GST_SHAPE_KIND_HULL);
  gst_shape_layer_set_id_range (layer, job->next_id,
      job->next_id + (gint32) output->n_hulls);
  job->next_id += output->n_hulls;
  if (job->self->current.scope == CS_HULL_SCOPE_ALL)
    return;
  for (guint i = 0; i < task->n_layers; i++)
    gst_shape_layer_copy_class_names (layer, task->layers[i]);
}

/* Takes @slab.
 *
 * @annotations: (nullable): those of the hulls */
static gboolean
add_layer (HullJob * job, const HullTask * task,
    const GstShapeAnnotation * annotations, GstShapesSlab * slab,
    CsHullOutput * output, GError ** error)
{
  GstShapeLayer *layer = NULL;

  change_records (job, task, output);
  count (job, output);
  if (output->n_hulls > 0)
    layer = make_layer (slab, output);
  else
    gst_shapes_slab_finish (slab);
  if (!layer)
    gst_shapes_slab_free (slab);
  if (output->n_hulls == 0)
    return TRUE;
  if (!layer)
    return cs_error (error, CS_ERROR_LIMIT, "the hulls exceed the limit of a "
        "layer");
  set_facts (job, task, output, layer);
  if (annotations || hull_wants_extras (&job->self->current))
    layer = hull_add_extras (job, layer, output, task->contours,
        annotations, error);
  if (!layer)
    return FALSE;
  gst_shape_set_add_layer (job->set, layer);
  return TRUE;
}

/* Takes @slab. */
static gboolean
add_hulls (HullJob * job, const HullTask * task,
    GstShapesSlab * slab, CsHullOutput * output, GError ** error)
{
  GstShapeAnnotation *annotations = NULL;

  /* before the parents are changed */
  if (hull_has_annotations (job, task)) {
    annotations = hull_find_annotations (task, output);
    if (!annotations) {
      gst_shapes_slab_free (slab);
      return cs_fail_no_memory (error, "annotations of hulls");
    }
  }
  const gboolean ok = add_layer (job, task, annotations, slab, output, error);
  g_free (annotations);
  return ok;
}

/* Runs @n tasks, all of them for @plan. */
static gboolean
run_tasks (HullJob * job, CsHull * plan, const HullTask * tasks,
    guint n, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (job->self);
  CsHullInput inputs[CS_HULL_AT_ONCE] = { 0, };
  CsHullOutput outputs[CS_HULL_AT_ONCE] = { 0, };
  GstShapesSlab *slabs[CS_HULL_AT_ONCE];
  guint n_added = 0, i;

  for (i = 0; i < n; i++) {
    slabs[i] = gst_shapes_slab_new (base->slabs, base->stream);
    inputs[i] = tasks[i].input;
    inputs[i].first_id = job->next_id;
    outputs[i] = (CsHullOutput) {
      .alloc = gst_shapes_slab_alloc,
      .user_data = slabs[i],
      .want_host = job->want_host || inputs[i].mask ||
          lacks_areas (job, &tasks[i]) ||
          hull_has_annotations (job, &tasks[i]) ||
          hull_wants_extras (&job->self->current),
    };
  }
  gboolean ok = cs_hull_run_batch (plan, inputs, outputs, n, error);
  while (ok && n_added < n) {
    i = n_added++;
    ok = add_hulls (job, &tasks[i], slabs[i], &outputs[i], error);
  }
  for (i = n_added; i < n; i++)
    gst_shapes_slab_free (slabs[i]);
  return ok;
}

gboolean
hull_flush (HullJob * job, GError ** error)
{
  const guint n = job->n_tasks;
  gboolean ok = TRUE;
  guint end;

  job->n_tasks = 0;
  for (guint i = 0; ok && i < n; i = end) {
    CsHull *plan = choose_plan (job->self, &job->tasks[i].input);

    end = i + 1;
    while (end < n && choose_plan (job->self, &job->tasks[end].input) == plan)
      end++;
    ok = run_tasks (job, plan, job->tasks + i, end - i, error);
  }
  return ok;
}

gboolean
hull_queue (HullJob * job, const HullTask * task, GError ** error)
{
  job->tasks[job->n_tasks++] = *task;
  return job->n_tasks < CS_HULL_AT_ONCE || hull_flush (job, error);
}

gboolean
hull_run (HullJob * job, const HullTask * task, GError ** error)
{
  return hull_queue (job, task, error) && hull_flush (job, error);
}

/* Pixels */

/* Warns, once per level, if all or no pixels are above it. */
static void
check_level (GstCudaHull * self, gdouble level)
{
  if (level == self->checked_level)
    return;
  self->checked_level = level;
  if (level < 0 || level >= self->gray.range)
    GST_SHAPES_WARNING (self, LIBRARY, SETTINGS, "The level %g is outside the "
        "samples' range of 0 to %g: %s pixel is above it. Is level-unit what "
        "you mean?", level, self->gray.range, level < 0 ? "every" : "no");
}

gboolean
hull_run_mask (HullJob * job, GError ** error)
{
  GstCudaHull *self = job->self;
  const HullSettings *current = &self->current;
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  const GstShapesRegion region = { 0, 0, GST_VIDEO_INFO_WIDTH (&self->video),
    GST_VIDEO_INFO_FIELD_HEIGHT (&self->video)
  };
  GstShapesFrame frame;
  CsImage image;
  HullTask task = {.input.mask = &image };

  if (!self->is_video)
    return cs_error (error, CS_ERROR_INVALID, "source=mask is for "
        "video, and %s", self->is_tensor ? "this is a tensor; set "
        "source=points for a tensor of 2:N points, or put cudacontours upstream"
        : "these are shapes without a frame; set source=contours, or bring "
        "frames with shapecombiner");
  if (!gst_shapes_gray_set_format (&self->gray, &self->video, current->channel,
          current->bit_depth, error) ||
      !hull_ensure_plan (self, CS_HULL_SCOPE_ALL, 0, error) ||
      !gst_shapes_frame_init (&frame, &self->video, job->buffer, base->context,
          base->stream, error))
    return FALSE;
  task.level = gst_shapes_gray_get_code (&self->gray, current->level,
      current->level_unit);
  check_level (self, task.level);
  task.input.level = task.level * self->gray.code_factor;
  const gboolean ok = gst_shapes_gray_get_image (&self->gray, base, &frame,
      &region, &image, error) && hull_run (job, &task, error);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

/* Points */

static gboolean
get_points_info (GstCudaHull * self, GstShapesPointsInfo * info,
    GError ** error)
{
  if (!self->is_tensor)
    return cs_error (error, CS_ERROR_INVALID, "source=points is for "
        "tensors of 2:N points, and %s", self->is_video ? "this is video; set "
        "source=mask for the hull of its bright pixels, or put cudacontours "
        "upstream and set source=contours" : "these are shapes without a "
        "frame; set source=contours");
  if (!gst_shapes_points_info_from_caps (info, self->caps, error))
    return FALSE;
  if (info->n_points > CS_HULL_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
        " points are too many: the limit is 2^28 (%" G_GUINT64_FORMAT
        ") a buffer; send the hulls of parts through a second cudahull",
        info->n_points, CS_HULL_MAX_POINTS);
  return TRUE;
}

static gboolean
check_points_size (GstBuffer * buffer, const GstShapesPointsInfo * info,
    GError ** error)
{
  const gsize size = gst_buffer_get_size (buffer);

  if (size <= info->size)
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID, "a buffer has %"
      G_GSIZE_FORMAT " bytes, but the caps' %" G_GSIZE_FORMAT " points have %"
      G_GSIZE_FORMAT ": correct the dimensions, or set filesrc's blocksize=%"
      G_GSIZE_FORMAT, size, info->n_points, info->size, info->size);
}

gboolean
hull_run_points (HullJob * job, GError ** error)
{
  GstCudaHull *self = job->self;
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  HullTask task = { {0,}, };
  GstShapesPointsInfo info;
  GstShapesFrame frame;
  gconstpointer data;

  if (!get_points_info (self, &info, error)) {
    /* an error of the caps, not of this buffer */
    if (error && g_error_matches (*error, CS_ERROR, CS_ERROR_LIMIT))
      (*error)->code = CS_ERROR_INVALID;
    if (self->current.source == HULL_SOURCE_AUTO)
      g_prefix_error (error, "the buffers carry no contours, and ");
    return FALSE;
  }
  if (!check_points_size (job->buffer, &info, error) ||
      !hull_ensure_plan (self, CS_HULL_SCOPE_ALL, 0, error) ||
      !gst_shapes_frame_map_bytes (&frame, job->buffer, info.size,
          info.alignment, base->context, base->stream, &data,
          &task.input.memory, error))
    return FALSE;
  task.input.points = data;
  task.input.type = (CsHullType) info.type;
  task.input.n_points = info.n_points;
  const gboolean ok = hull_run (job, &task, error);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

gboolean
hull_run_file (HullJob * job, GError ** error)
{
  GstCudaHull *self = job->self;
  const HullTask task = {
    .input.points = self->file_points->data,
    .input.type = CS_HULL_F64,
    .input.n_points = self->file_points->len / 2,
  };

  return hull_ensure_plan (self, CS_HULL_SCOPE_ALL, 0, error) &&
      hull_run (job, &task, error);
}

/* Warming up */

/* A mask of the caps' size. Unsuitable caps are reported when a mask is
 * used. */
static gboolean
expect_mask (GstCudaHull * self, CsHullInput * input, CsImage * mask)
{
  const guint width = GST_VIDEO_INFO_WIDTH (&self->video);

  if (!self->is_video || !gst_shapes_gray_set_format (&self->gray,
          &self->video, self->current.channel, self->current.bit_depth, NULL))
    return FALSE;
  *mask = cs_image_gray (NULL, GST_VIDEO_INFO_COMP_DEPTH (&self->video, 0) > 8 ?
      CS_SAMPLE_U16 : CS_SAMPLE_U8, width,
      GST_VIDEO_INFO_FIELD_HEIGHT (&self->video), 0);
  mask->row_stride = width * cs_sample_size (mask->type);
  input->mask = mask;
  return TRUE;
}

static gboolean
expect_points (GstCudaHull * self, CsHullInput * input)
{
  GstShapesPointsInfo info;

  if (!get_points_info (self, &info, NULL))
    return FALSE;
  input->type = (CsHullType) info.type;
  input->n_points = info.n_points;
  return TRUE;
}

/* Contours; their number is a guess. */
static void
expect_contours (CsHullInput * input)
{
  static const guint32 offsets[] = { 0, 0 };
  static const CsContour none;

  input->type = CS_HULL_F32;
  input->n_points = CONTOURS_POINTS;
  input->n_polylines = CONTOURS;
  /* only their presence matters */
  input->offsets = offsets;
  input->contours = &none;
}

gboolean
hull_warm_up (GstCudaHull * self)
{
  HullSource source = self->current.source;
  CsHullScope scope = CS_HULL_SCOPE_ALL;
  CsHullInput input = { 0, };
  g_autoptr (GError) error = NULL;
  CsImage mask;

  /* source=mask is usually set explicitly: expect contours */
  if (source == HULL_SOURCE_AUTO)
    source = self->is_tensor ? HULL_SOURCE_POINTS : HULL_SOURCE_CONTOURS;
  if (source == HULL_SOURCE_CONTOURS) {
    scope = self->current.scope;
    expect_contours (&input);
  } else if (source == HULL_SOURCE_MASK ? !expect_mask (self, &input,
          &mask) : !expect_points (self, &input)) {
    return TRUE;
  }
  if (hull_ensure_plan (self, scope, 1, &error) &&
      cs_hull_warm_up (self->plan, &input, &error))
    return TRUE;
  gst_shapes_transform_post_error (GST_SHAPES_TRANSFORM (self),
      HULL_CANNOT, error);
  return FALSE;
}
