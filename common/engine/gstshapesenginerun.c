/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One call: arrays to kernels, results to arrays. */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapesengine.h"

/* A result is kept on the host; on a device only until it has come. */
typedef struct
{
  GstShapesSlab *host, *device;
} Slabs;

static void
slabs_init (Slabs * slabs, GstShapesEngine * engine,
    const GstShapesWorker * worker)
{
  GstShapesSlabPool *pool = gst_shapes_engine_get_slabs (engine);

  slabs->host = gst_shapes_slab_new (pool, worker->stream);
  slabs->device = gst_shapes_slab_new (pool, worker->stream);
}

static void *
slabs_alloc (void *data, gsize size, gboolean host)
{
  Slabs *slabs = data;

  return gst_shapes_slab_alloc (host ? slabs->host : slabs->device, size,
      host);
}

/* Returns: the result's memory, %NULL without one */
static gpointer
slabs_finish (Slabs * slabs, gboolean ok)
{
  if (ok) {
    gst_shapes_slab_finish (slabs->device);
    gst_shapes_slab_finish (slabs->host);
  }
  gst_shapes_slab_free (slabs->device);
  if (ok)
    return slabs->host;
  gst_shapes_slab_free (slabs->host);
  return NULL;
}

static CsSampleType
sample_type (GstShapeNumber type)
{
  switch (type) {
    case GST_SHAPE_NUMBER_U8:
      return CS_SAMPLE_U8;
    case GST_SHAPE_NUMBER_U16:
      return CS_SAMPLE_U16;
    case GST_SHAPE_NUMBER_F16:
      return CS_SAMPLE_F16;
    case GST_SHAPE_NUMBER_F32:
      return CS_SAMPLE_F32;
    default:
      return CS_SAMPLE_F64;
  }
}

static CsImage
view (const GstShapeImage * image)
{
  const CsImage result = {
    .data = image->data,
    .type = sample_type (image->type),
    .memory = CS_MEMORY_HOST,
    .width = image->width,
    .height = image->height,
    .channels = image->channels,
    .pixel_stride = image->pixel_stride,
    .row_stride = image->row_stride,
    .channel_stride = image->channel_stride,
  };

  return result;
}

static gboolean
prepare_contours (GstShapesWorker * worker, const CsContoursParams * params,
    GError ** error)
{
  if (worker->contours)
    return cs_contours_set_params (worker->contours, params, error);
  worker->contours = cs_contours_new (params, worker->executor, error);
  return worker->contours != NULL;
}

static void
set_params (CsContoursParams * params, const gdouble * levels, guint n_levels,
    GstShapeContoursFlags flags, CsContoursTarget * targets, guint n_targets)
{
  const gboolean bands = (flags & GST_SHAPE_CONTOURS_BANDS) != 0;

  for (guint i = 0; i < n_targets; i++) {
    targets[i].channel = bands ? i / n_levels : i;
    targets[i].level = n_levels == 0 ? 0. :
        levels[bands ? i % n_levels : n_levels > 1 ? i : 0];
  }
  cs_contours_params_init (params);
  params->targets = targets;
  params->n_targets = n_targets;
  params->auto_level = n_levels == 0;
  params->bands = bands;
  params->fully_connected_high =
      (flags & GST_SHAPE_CONTOURS_FULLY_CONNECTED_HIGH) != 0;
  params->positive_orientation_high =
      (flags & GST_SHAPE_CONTOURS_POSITIVE_ORIENTATION_HIGH) != 0;
  params->hierarchy = (flags & GST_SHAPE_CONTOURS_HIERARCHY) != 0;
  params->points = CS_POINTS_F64;
  params->measures = flags & GST_SHAPE_CONTOURS_MOMENTS ? CS_MEASURES_FULL :
      flags & GST_SHAPE_CONTOURS_MEASURES ? CS_MEASURES_BASIC :
      CS_MEASURES_NONE;
}

static void
swap_coordinates (gdouble * points, gsize n_points)
{
  for (gsize i = 0; i < n_points; i++) {
    const gdouble x = points[2 * i];

    points[2 * i] = points[2 * i + 1];
    points[2 * i + 1] = x;
  }
}

static void
take_contours (const CsContoursOutput * output, GstShapeContoursFlags flags,
    GstShapeResultArrays * arrays)
{
  arrays->n_shapes = output->n_contours;
  arrays->n_points = output->n_points;
  arrays->points = output->points;
  arrays->offsets = output->offsets;
  arrays->polylines = (GstShapePolyline *) output->contours;
  arrays->moments = (GstShapeMoments *) output->moments;
  if (flags & GST_SHAPE_CONTOURS_ROWS_FIRST)
    swap_coordinates (arrays->points, arrays->n_points);
}

gboolean
gst_shapes_engine_find_contours (GstShapesEngine * engine,
    const GstShapeImage * image, const GstShapeImage * mask,
    const gdouble * levels, guint n_levels, GstShapeContoursFlags flags,
    GstShapeResultArrays * arrays, gpointer * payload, GError ** error)
{
  const CsImage mask_view = mask ? view (mask) : (CsImage) { NULL };
  const CsContoursInput input = {
    .image = view (image),
    .mask = mask ? &mask_view : NULL,
  };
  GstShapesWorker *worker =
      gst_shapes_engine_begin (engine, &input.image, error);
  const guint n_targets = image->channels *
      (flags & GST_SHAPE_CONTOURS_BANDS ? n_levels : 1);
  CsContoursTarget *targets;
  CsContoursParams params;
  Slabs slabs;
  CsContoursOutput output = {
    .alloc = slabs_alloc,
    .user_data = &slabs,
    .want_host = TRUE,
  };
  gboolean ok;

  if (!worker)
    return FALSE;
  targets = g_new (CsContoursTarget, n_targets);
  set_params (&params, levels, n_levels, flags, targets, n_targets);
  slabs_init (&slabs, engine, worker);
  ok = prepare_contours (worker, &params, error)
      && cs_contours_run (worker->contours, &input, &output, error);
  if (ok)
    take_contours (&output, flags, arrays);
  *payload = slabs_finish (&slabs, ok);
  gst_shapes_engine_end (engine, worker);
  g_free (targets);
  return ok;
}

static gboolean
prepare_hull (GstShapesWorker * worker, gboolean collinear, GError ** error)
{
  CsHullParams params;

  if (worker->hull && worker->collinear == collinear)
    return TRUE;
  g_clear_pointer (&worker->hull, cs_hull_free);
  g_clear_pointer (&worker->host_hull, cs_hull_free);
  cs_hull_params_init (&params);
  params.include_collinear = collinear;
  params.points = CS_HULL_POINTS_NONE;
  params.measures = CS_MEASURES_FULL;
  worker->collinear = collinear;
  worker->hull = cs_hull_new (&params, worker->executor, error);
  if (!worker->hull || !worker->host_executor)
    return worker->hull != NULL;
  worker->host_hull = cs_hull_new (&params, worker->host_executor, error);
  return worker->host_hull != NULL;
}

/* The plan for @input: beside a GPU the CPU's for a small set or batch. */
static CsHull *
choose_hull (GstShapesWorker * worker, const CsHullInput * input)
{
  return worker->host_hull && cs_hull_is_small (worker->host_hull, input) ?
      worker->host_hull : worker->hull;
}

static void
take_hull (const CsHullOutput * output, GstShapeResultArrays * arrays)
{
  arrays->n_shapes = output->n_hulls;
  arrays->n_points = output->n_points;
  arrays->n_ignored = output->n_ignored;
  arrays->offsets = output->offsets;
  arrays->indices = output->indices;
  arrays->polylines = (GstShapePolyline *) output->hulls;
  arrays->hull_measures = (GstShapeHullMeasures *) output->features;
}

gboolean
gst_shapes_engine_convex_hull (GstShapesEngine * engine,
    gconstpointer points, GstShapeNumber type, gsize n_points, gsize stride,
    GstShapeHullFlags flags, GstShapeResultArrays * arrays,
    gpointer * payload, GError ** error)
{
  const CsHullInput input = {
    .points = points,
    .type = type == GST_SHAPE_NUMBER_F64 ? CS_HULL_F64 :
        type == GST_SHAPE_NUMBER_F32 ? CS_HULL_F32 : CS_HULL_I32,
    .memory = CS_MEMORY_HOST,
    .n_points = n_points,
    .stride = stride,
  };
  GstShapesWorker *worker = gst_shapes_engine_begin (engine, NULL, error);
  Slabs slabs;
  CsHullOutput output = {
    .alloc = slabs_alloc,
    .user_data = &slabs,
    .want_host = TRUE,
  };
  gboolean ok;

  if (!worker)
    return FALSE;
  slabs_init (&slabs, engine, worker);
  ok = prepare_hull (worker, (flags & GST_SHAPE_HULL_INCLUDE_COLLINEAR) != 0,
      error) && cs_hull_run (choose_hull (worker, &input), &input, &output,
      error);
  if (ok)
    take_hull (&output, arrays);
  *payload = slabs_finish (&slabs, ok);
  gst_shapes_engine_end (engine, worker);
  return ok;
}
