/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:element-cudahull
 * @title: cudahull
 * @short_description: finds exact convex hulls
 *
 * Finds the convex hull of every contour of a frame, of all contours of a class
 * or of all together, of the pixels above a level, or of the points of a
 * tensor. Hulls are exact: they equal those computed in rational arithmetic on
 * the given numbers, also where points nearly lie on a line. Works on the GPU
 * when there is one, else on the CPU, with the same results.
 *
 * The buffers pass through unchanged. Their #GstShapeMeta gets a layer of
 * closed polylines of kind hull, which #shapeoverlay draws, #shapejsonenc
 * writes as JSON, and applications read with gst_buffer_get_shape_set(). A
 * contour's hull has the contour's class, level and image, its id as the
 * parent, and the solidity, which says how convex the contour is: 1 for a
 * convex one, less the deeper its dents are.
 *
 * Hulls have no duplicate and no collinear vertices, begin at the leftmost
 * vertex (the one with the smallest y of several), and run clockwise as seen on
 * the screen: counter-clockwise where y points up.
 *
 * ## Input
 *
 * Any buffer with contours, which #cudacontours finds; video in system memory
 * or CUDA memory, of which the pixels above #cudahull:level are the points; or
 * a tensor of points, `other/tensors,format=static` of float32, float64 or
 * int32 with the dimensions 2:N:1:1, x before y, 2^28 points at most.
 * #cudahull:source says which of them to take.
 *
 * Points with a NaN or infinite coordinate are left out and counted in
 * #cudahull:ignored. A buffer that is too short, as the last one of a file may
 * be, is dropped and counted in #cudahull:dropped.
 *
 * ## Example launch lines
 *
 * |[
 * gst-launch-1.0 videotestsrc num-buffers=1 pattern=ball ! cudacontours ! cudahull measures=full ! shapejsonenc ! filesink location=shapes.jsonl
 * ]| Contours and hulls with all measures, as JSON.
 * |[
 * gst-launch-1.0 v4l2src ! videoconvert ! cudacontours level=0.4 min-area=50 ! cudahull ! shapeoverlay ! videoconvert ! autovideosink
 * ]| Draws contours and, dashed, their hulls on the picture of a camera.
 * |[
 * gst-launch-1.0 filesrc location=points.raw blocksize=32000000 ! other/tensors,format=static,num_tensors=1,types=float32,dimensions=2:4000000:1:1,framerate=0/1 ! cudahull ! shapejsonenc ! filesink location=hull.jsonl
 * ]| The hull of four million points.
 *
 * Since: 0.1
 */

#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstcudahull.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#include <gst/video/video.h>

#include "base/scratch.h"
#include "gstcudahullsettings.h"
#include "gstshapesframe.h"
#include "gstshapesgray.h"
#include "gstshapestensor.h"
#include "hull/hull.h"

GST_DEBUG_CATEGORY_STATIC (gst_cuda_hull_debug);
#define GST_CAT_DEFAULT gst_cuda_hull_debug

/* The kernel writes what the library publishes. That a CsContour is a
 * GstShapePolyline, gstcudacontours.c makes sure of. */
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

/* Tensors that are no points can still have contours. */
#define ALL_CAPS GST_SHAPES_GRAY_CAPS "; " \
  "other/tensors, format = (string) static, num_tensors = (int) 1, " \
  "types = (string) { float32, float64, int32 }, " \
  "framerate = (fraction) [ 0, max ]; other/tensors; other/tensor"

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS (ALL_CAPS));
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS (ALL_CAPS));

/* What errors begin with. */
#define CANNOT "Cannot find hulls"

enum
{
  /* after those of the settings */
  PROP_DROPPED = 1000,
  PROP_IGNORED,
};

/* Contours that share hulls, as the kernel reads them. */
typedef struct
{
  CsScratch points, offsets, records;
} Gathered;

struct _GstCudaHull
{
  GstShapesTransform parent;

  /* with the object lock */
  GstCudaHullSettings settings;
  guint64 n_ignored;

  /* streaming thread */
  GstCudaHullSettings current;
  GstCaps *caps;
  gboolean is_tensor;
  GstVideoInfo video;
  GstShapesGray gray;
  gdouble checked_level;
  gboolean warned_no_shapes, warned_no_points, warned_not_finite;

  CsHull *plan;
  CsHullParams params;
  Gathered gathered;
};

/* What the hulls of a buffer come to. */
typedef struct
{
  GstCudaHullSource source;
  guint64 n_hulls, n_points, n_ignored;
  guint64 n_solid;
  gdouble solidity_sum, solidity_min;
} Totals;

/* The work on one buffer. */
typedef struct
{
  GstCudaHull *self;
  GstBuffer *buffer;
  GstShapeSet *found;           /* nullable */
  GstShapeSet *set;             /* hulls are added to */
  gint32 next_id;
  gboolean want_host;
  Totals totals;
} Job;

#define gst_cuda_hull_parent_class parent_class
G_DEFINE_TYPE_WITH_CODE (GstCudaHull, gst_cuda_hull,
    GST_TYPE_SHAPES_TRANSFORM,
    GST_DEBUG_CATEGORY_INIT (gst_cuda_hull_debug, "cudahull", 0,
        "convex hulls"));
GST_ELEMENT_REGISTER_DEFINE (cudahull, "cudahull", GST_RANK_NONE,
    GST_TYPE_CUDA_HULL);

/* Properties */

/* Whether nobody behind reads contours on the host: because they are replaced,
 * and hulls of each contour need no more than the device has. */
static gboolean
records_may_stay_on_device (const GstCudaHullSettings * settings)
{
  return settings->replace && settings->scope == CS_HULL_SCOPE_PER_CONTOUR;
}

/* On a GPU, upstream has asked whether contours need be on the host. */
static void
ask_upstream_again (GstCudaHull * self)
{
  GstShapesBackend active;

  g_object_get (self, "active-backend", &active, NULL);
  if (active == GST_SHAPES_BACKEND_CUDA)
    gst_base_transform_reconfigure_sink (GST_BASE_TRANSFORM (self));
}

static void
gst_cuda_hull_set_property (GObject * object, guint id, const GValue * value,
    GParamSpec * pspec)
{
  GstCudaHull *self = GST_CUDA_HULL (object);
  gboolean were_enough, are_enough;

  GST_OBJECT_LOCK (self);
  were_enough = records_may_stay_on_device (&self->settings);
  gst_cuda_hull_settings_set (&self->settings, object, id, value, pspec);
  are_enough = records_may_stay_on_device (&self->settings);
  GST_OBJECT_UNLOCK (self);
  if (were_enough != are_enough)
    ask_upstream_again (self);
}

static void
gst_cuda_hull_get_property (GObject * object, guint id, GValue * value,
    GParamSpec * pspec)
{
  GstCudaHull *self = GST_CUDA_HULL (object);

  GST_OBJECT_LOCK (self);
  if (id == PROP_DROPPED)
    g_value_set_uint64 (value,
        gst_shapes_transform_get_n_dropped (GST_SHAPES_TRANSFORM (self)));
  else if (id == PROP_IGNORED)
    g_value_set_uint64 (value, self->n_ignored);
  else
    gst_cuda_hull_settings_get (&self->settings, object, id, value, pspec);
  GST_OBJECT_UNLOCK (self);
}

static void
take_settings (GstCudaHull * self)
{
  GST_OBJECT_LOCK (self);
  self->current = self->settings;
  GST_OBJECT_UNLOCK (self);
}

/* Plan */

static void
clear_plan (GstCudaHull * self)
{
  g_clear_pointer (&self->plan, cs_hull_free);
}

/* A plan for @scope and the properties as they are, made again only when one
 * of them has changed. */
static gboolean
ensure_plan (GstCudaHull * self, CsHullScope scope, guint n_classes,
    GError ** error)
{
  CsHullParams params;

  cs_hull_params_init (&params);
  params.scope = scope;
  /* a power of two, so that a few classes more need no new plan */
  if (scope == CS_HULL_SCOPE_PER_CLASS)
    params.n_classes = MAX (16, 1u << g_bit_storage (n_classes - 1));
  params.include_collinear = self->current.include_collinear;
  params.closed = TRUE;
  params.points = CS_HULL_POINTS_F32;
  params.indices = FALSE;
  params.measures = self->current.measures;
  if (self->plan && params.scope == self->params.scope &&
      params.n_classes == self->params.n_classes &&
      params.include_collinear == self->params.include_collinear &&
      params.measures == self->params.measures)
    return TRUE;

  clear_plan (self);
  self->plan = cs_hull_new (&params, GST_SHAPES_TRANSFORM (self)->executor,
      error);
  self->params = params;
  return self->plan != NULL;
}

/* Results */

static void
warn_not_finite (GstCudaHull * self, gsize n)
{
  if (self->warned_not_finite)
    return;
  self->warned_not_finite = TRUE;
  GST_ELEMENT_WARNING (self, STREAM, FORMAT,
      ("%" G_GSIZE_FORMAT " points with a coordinate that is NaN or infinite "
          "are left out of the hulls. The property \"ignored\" goes on "
          "counting.", n), (NULL));
}

static void
count (Job * job, const CsHullOutput * output)
{
  Totals *totals = &job->totals;
  gsize i;

  totals->n_hulls += output->n_hulls;
  totals->n_points += output->n_points;
  totals->n_ignored += output->n_ignored;
  for (i = 0; output->hulls && i < output->n_hulls; i++) {
    const gdouble solidity = output->hulls[i].solidity;

    if (solidity <= 0)
      continue;
    totals->solidity_min = totals->n_solid == 0 ? solidity :
        MIN (totals->solidity_min, solidity);
    totals->solidity_sum += solidity;
    totals->n_solid++;
  }
  if (output->n_ignored > 0)
    warn_not_finite (job->self, output->n_ignored);
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

/* Where the records have to say something else than the kernel does, which the
 * copy on the device would not know. */
static void
change_records (const Job * job, const CsHullInput * input,
    CsHullOutput * output, gdouble level)
{
  gsize i;

  if (!input->mask && !job->self->current.replace)
    return;
  for (i = 0; i < output->n_hulls; i++) {
    if (input->mask)
      output->hulls[i].level = level;
    if (job->self->current.replace)
      output->hulls[i].parent = -1;
  }
  output->device_offsets = NULL;
}

/* The hulls of @input as a layer of the job's set. @level: of a mask, as a code
 * value. */
static gboolean
run (Job * job, CsHullInput * input, gdouble level, GError ** error)
{
  GstCudaHull *self = job->self;
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstShapesSlab *slab = gst_shapes_slab_new (base->slabs, base->stream);
  CsHullOutput output = {
    .alloc = gst_shapes_slab_alloc,
    .user_data = slab,
    .want_host = job->want_host || input->mask,
  };
  GstShapeLayer *layer = NULL;

  input->first_id = job->next_id;
  if (!cs_hull_run (self->plan, input, &output, error)) {
    gst_shapes_slab_free (slab);
    return FALSE;
  }
  change_records (job, input, &output, level);
  count (job, &output);
  if (output.n_hulls > 0)
    layer = make_layer (slab, &output);
  if (!layer)
    gst_shapes_slab_free (slab);
  if (output.n_hulls == 0)
    return TRUE;
  if (!layer) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "the hulls are more than a "
        "layer holds");
    return FALSE;
  }
  gst_shape_layer_set_kind (layer, GST_SHAPE_KIND_HULL);
  gst_shape_layer_set_id_range (layer, job->next_id,
      job->next_id + (gint32) output.n_hulls);
  job->next_id += output.n_hulls;
  gst_shape_set_add_layer (job->set, layer);
  return TRUE;
}

/* Contours */

static void
warn_no_shapes (GstCudaHull * self)
{
  if (self->warned_no_shapes)
    return;
  self->warned_no_shapes = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("The buffers carry no shapes, so there are no hulls: put cudacontours "
          "before cudahull, or set source=mask or source=points."), (NULL));
}

static void
warn_no_points (GstCudaHull * self)
{
  if (self->warned_no_points)
    return;
  self->warned_no_points = TRUE;
  GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
      ("The contours come without points, so there are no hulls: set "
          "measures-only=false of cudacontours."), (NULL));
}

static gboolean
is_contour (const GstShapePolyline * polyline)
{
  return polyline->kind == GST_SHAPE_KIND_CONTOUR;
}

/* The class after the highest of @n records, at least 1. */
static gboolean
count_classes (const GstShapePolyline * records, gsize n, guint * n_classes,
    GError ** error)
{
  gint32 highest = 0;
  gsize i;

  for (i = 0; i < n; i++)
    highest = MAX (highest, records[i].class_id);
  if (highest >= CS_HULL_MAX_CLASSES) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "there is a contour of "
        "class %d; scope=per-class counts up to %d", highest,
        CS_HULL_MAX_CLASSES - 1);
    return FALSE;
  }
  *n_classes = highest + 1;
  return TRUE;
}

static gboolean
run_arrays (Job * job, const GstShapeArrays * arrays, CsMemory memory,
    guint n_classes, gint32 image, GError ** error)
{
  CsHullInput input = {
    .points = arrays->points,
    .type = CS_HULL_F32,
    .memory = memory,
    .n_points = arrays->n_points,
    .offsets = arrays->offsets,
    .n_polylines = arrays->n_shapes,
    .contours = (const CsContour *) arrays->polylines,
    .image_index = image,
  };

  if (!ensure_plan (job->self, job->self->current.scope, n_classes, error))
    return FALSE;
  return run (job, &input, 0, error);
}

/* The hulls of a layer of nothing but contours of one image, where it is. Only
 * hulls of each contour do not need the records on the host. */
static gboolean
run_layer (Job * job, GstShapeLayer * layer, GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (job->self);
  const GstShapeArrays *host = NULL;
  GstShapeArrays device;
  guint n_classes = 1;
  gint32 image = 0;
  gboolean ok;

  if (job->self->current.scope != CS_HULL_SCOPE_PER_CONTOUR) {
    host = gst_shape_layer_map_host (layer, error);
    if (!host || !count_classes (host->polylines, host->n_shapes, &n_classes,
            error))
      return FALSE;
    image = host->polylines[0].image;
  }
  if (base->context && gst_shape_layer_map_device (layer, base->context,
          base->stream, &device)) {
    ok = TRUE;
    if (device.points)
      ok = run_arrays (job, &device, CS_MEMORY_DEVICE, n_classes, image, error);
    else
      warn_no_points (job->self);
    gst_shape_layer_unmap_device (layer, base->stream);
    return ok;
  }
  if (!host)
    host = gst_shape_layer_map_host (layer, error);
  if (!host)
    return FALSE;
  if (host->points)
    return run_arrays (job, host, CS_MEMORY_HOST, n_classes, image, error);
  warn_no_points (job->self);
  return TRUE;
}

/* Adds the contours among @from that are of @image (of all, if NULL) to @to,
 * whose arrays have room, or only counts them. */
static void
gather_arrays (const GstShapeArrays * from, const gint32 * image,
    gboolean only_count, GstShapeArrays * to)
{
  GstShapePoint *points = (GstShapePoint *) to->points;
  guint32 *offsets = (guint32 *) to->offsets;
  GstShapePolyline *polylines = (GstShapePolyline *) to->polylines;
  gsize i;

  for (i = 0; from->points && i < from->n_shapes; i++) {
    const guint32 first = from->offsets[i];
    const guint32 n = from->offsets[i + 1] - first;

    if (!is_contour (&from->polylines[i]) ||
        (image && from->polylines[i].image != *image))
      continue;
    if (!only_count) {
      memcpy (points + to->n_points, from->points + first,
          n * sizeof (*points));
      polylines[to->n_shapes] = from->polylines[i];
      offsets[to->n_shapes + 1] = to->n_points + n;
    }
    to->n_points += n;
    to->n_shapes++;
  }
}

static gboolean
gather_layers (Job * job, GPtrArray * layers, const gint32 * image,
    gboolean only_count, GstShapeArrays * to, GError ** error)
{
  guint i;

  to->n_shapes = to->n_points = 0;
  for (i = 0; i < layers->len; i++) {
    const GstShapeArrays *from = gst_shape_layer_map_host (g_ptr_array_index
        (layers, i), error);

    if (!from)
      return FALSE;
    if (!from->points)
      warn_no_points (job->self);
    gather_arrays (from, image, only_count, to);
  }
  return TRUE;
}

/* The hulls of the contours of @image (of all, if NULL) in @layers, brought
 * together on the host. */
static gboolean
run_gathered (Job * job, GPtrArray * layers, const gint32 * image,
    GError ** error)
{
  Gathered *gathered = &job->self->gathered;
  GstShapeArrays all = { 0, };
  guint n_classes;

  if (!gather_layers (job, layers, image, TRUE, &all, error))
    return FALSE;
  if (all.n_points > CS_HULL_MAX_POINTS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT " points "
        "of contours are too many: the limit is 2^28", all.n_points);
    return FALSE;
  }
  all.points = cs_scratch_ensure (&gathered->points,
      MAX (all.n_points, 1) * sizeof (*all.points), error);
  all.offsets = cs_scratch_ensure (&gathered->offsets,
      (all.n_shapes + 1) * sizeof (*all.offsets), error);
  all.polylines = cs_scratch_ensure (&gathered->records,
      MAX (all.n_shapes, 1) * sizeof (*all.polylines), error);
  if (!all.points || !all.offsets || !all.polylines)
    return FALSE;
  *(guint32 *) all.offsets = 0;
  if (!gather_layers (job, layers, image, FALSE, &all, error) ||
      !count_classes (all.polylines, all.n_shapes, &n_classes, error))
    return FALSE;
  return run_arrays (job, &all, CS_MEMORY_HOST, n_classes, image ? *image : 0,
      error);
}

/* Whether @layer's contours can be given to the kernel as they are: nothing but
 * contours and, where they share hulls, of one image. */
static gboolean
is_uniform (Job * job, GstShapeLayer * layer)
{
  const GstShapeArrays *host;
  gsize i;

  if (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_HULL))
    return FALSE;
  if (job->self->current.scope == CS_HULL_SCOPE_PER_CONTOUR)
    return TRUE;
  host = gst_shape_layer_map_host (layer, NULL);
  for (i = 1; host && i < host->n_shapes; i++) {
    if (host->polylines[i].image != host->polylines[0].image)
      return FALSE;
  }
  return TRUE;
}

/* One hull layer for each layer of contours. */
static gboolean
run_each_layer (Job * job, GPtrArray * layers, GError ** error)
{
  gboolean ok = TRUE;
  guint i;

  for (i = 0; ok && i < layers->len; i++) {
    GPtrArray one = { layers->pdata + i, 1 };
    GstShapeLayer *layer = g_ptr_array_index (layers, i);

    ok = is_uniform (job, layer) ? run_layer (job, layer, error) :
        run_gathered (job, &one, NULL, error);
  }
  return ok;
}

static gint
compare_images (gconstpointer a, gconstpointer b)
{
  const gint32 x = *(const gint32 *) a, y = *(const gint32 *) b;

  return (x > y) - (x < y);
}

/* The images that the contours of @layers are of, ascending. */
static GArray *
list_images (GPtrArray * layers, GError ** error)
{
  GArray *images = g_array_new (FALSE, FALSE, sizeof (gint32));
  guint i, n = 0;
  gsize k;

  for (i = 0; i < layers->len; i++) {
    const GstShapeArrays *host = gst_shape_layer_map_host (g_ptr_array_index
        (layers, i), error);

    if (!host) {
      g_array_unref (images);
      return NULL;
    }
    for (k = 0; k < host->n_shapes; k++) {
      const gint32 image = host->polylines[k].image;

      /* they come in runs */
      if (is_contour (&host->polylines[k]) && (images->len == 0 ||
              g_array_index (images, gint32, images->len - 1) != image))
        g_array_append_val (images, image);
    }
  }
  g_array_sort (images, compare_images);
  for (i = 0; i < images->len; i++) {
    if (n == 0 || g_array_index (images, gint32, n - 1) !=
        g_array_index (images, gint32, i))
      g_array_index (images, gint32, n++) = g_array_index (images, gint32, i);
  }
  g_array_set_size (images, n);
  return images;
}

/* One hull layer for each image, of contours of all layers. */
static gboolean
run_each_image (Job * job, GPtrArray * layers, GError ** error)
{
  GArray *images;
  gboolean ok;
  guint i;

  if (layers->len == 1 && is_uniform (job, g_ptr_array_index (layers, 0)))
    return run_layer (job, g_ptr_array_index (layers, 0), error);
  images = list_images (layers, error);
  ok = images != NULL;
  for (i = 0; ok && i < images->len; i++)
    ok = run_gathered (job, layers, &g_array_index (images, gint32, i), error);
  g_clear_pointer (&images, g_array_unref);
  return ok;
}

static gboolean
run_contours (Job * job, GError ** error)
{
  GPtrArray *layers;
  gboolean ok;
  guint i;

  if (!job->found) {
    warn_no_shapes (job->self);
    return TRUE;
  }
  layers = g_ptr_array_new ();
  for (i = 0; i < gst_shape_set_get_n_layers (job->found); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (job->found, i);

    if (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR))
      g_ptr_array_add (layers, layer);
  }
  if (job->self->current.scope == CS_HULL_SCOPE_PER_CONTOUR)
    ok = run_each_layer (job, layers, error);
  else
    ok = run_each_image (job, layers, error);
  g_ptr_array_unref (layers);
  return ok;
}

/* Pixels */

/* Warns, once for a level, of one that all or no pixels are above. */
static void
check_level (GstCudaHull * self, gdouble level)
{
  if (level == self->checked_level)
    return;
  self->checked_level = level;
  if (level < 0 || level >= self->gray.range)
    GST_ELEMENT_WARNING (self, LIBRARY, SETTINGS,
        ("The level %g is outside the samples' range of 0 to %g: %s pixel is "
            "above it. Is level-unit what you mean?", level, self->gray.range,
            level < 0 ? "every" : "no"), (NULL));
}

static gboolean
run_mask (Job * job, GError ** error)
{
  GstCudaHull *self = job->self;
  const GstCudaHullSettings *current = &self->current;
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  const GstShapesRegion region = { 0, 0, GST_VIDEO_INFO_WIDTH (&self->video),
    GST_VIDEO_INFO_FIELD_HEIGHT (&self->video)
  };
  GstShapesFrame frame;
  CsHullInput input = { 0, };
  CsImage image;
  gdouble level;
  gboolean ok;

  if (self->is_tensor) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "source=mask is for video, "
        "and this is a tensor; set source=points for a tensor of 2:N points, "
        "or put cudacontours before");
    return FALSE;
  }
  if (!gst_shapes_gray_set_format (&self->gray, &self->video, current->channel,
          current->bit_depth, error) ||
      !ensure_plan (self, CS_HULL_SCOPE_ALL, 0, error) ||
      !gst_shapes_frame_init (&frame, &self->video, job->buffer, base->context,
          base->stream, error))
    return FALSE;
  level = gst_shapes_gray_get_code (&self->gray, current->level,
      current->level_unit);
  check_level (self, level);
  input.level = level * self->gray.code_factor;
  input.mask = &image;
  ok = gst_shapes_gray_get_image (&self->gray, base, &frame, &region, &image,
      error) && run (job, &input, level, error);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

/* Points */

static gboolean
get_points_info (GstCudaHull * self, GstShapesPointsInfo * info,
    GError ** error)
{
  if (!self->is_tensor) {
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "source=points is for "
        "tensors of 2:N points, and this is video; set source=mask for the "
        "hull of its bright pixels, or put cudacontours before and set "
        "source=contours");
    return FALSE;
  }
  if (!gst_shapes_points_info_from_caps (info, self->caps, error))
    return FALSE;
  if (info->n_points > CS_HULL_MAX_POINTS) {
    g_set_error (error, CS_ERROR, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT " points "
        "are too many: the limit is 2^28 (%" G_GUINT64_FORMAT ") a buffer; "
        "send the hulls of parts through a second cudahull", info->n_points,
        CS_HULL_MAX_POINTS);
    return FALSE;
  }
  return TRUE;
}

static gboolean
check_points_size (GstBuffer * buffer, const GstShapesPointsInfo * info,
    GError ** error)
{
  const gsize size = gst_buffer_get_size (buffer);

  if (size <= info->size)
    return TRUE;
  g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "a buffer has %"
      G_GSIZE_FORMAT " bytes, but the caps' %" G_GSIZE_FORMAT " points have %"
      G_GSIZE_FORMAT "; do the dimensions fit (filesrc needs blocksize=%"
      G_GSIZE_FORMAT ")?", size, info->n_points, info->size, info->size);
  return FALSE;
}

static gboolean
run_points (Job * job, GError ** error)
{
  GstCudaHull *self = job->self;
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  CsHullInput input = { 0, };
  GstShapesPointsInfo info;
  GstShapesFrame frame;
  gconstpointer data;
  gboolean ok;

  if (!get_points_info (self, &info, error)) {
    if (self->current.source == GST_CUDA_HULL_SOURCE_AUTO)
      g_prefix_error (error, "the buffers carry no contours, and ");
    return FALSE;
  }
  if (!check_points_size (job->buffer, &info, error) ||
      !ensure_plan (self, CS_HULL_SCOPE_ALL, 0, error) ||
      !gst_shapes_frame_map_bytes (&frame, job->buffer, info.size,
          info.alignment, base->context, base->stream, &data, &input.memory,
          error))
    return FALSE;
  input.points = data;
  input.type = (CsHullType) info.type;
  input.n_points = info.n_points;
  ok = run (job, &input, 0, error);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

/* Caps */

static gboolean
parse_caps (GstCudaHull * self)
{
  self->is_tensor = gst_shapes_caps_are_tensors (self->caps);
  self->checked_level = NAN;
  if (self->is_tensor || gst_video_info_from_caps (&self->video, self->caps))
    return TRUE;
  GST_ELEMENT_ERROR (self, STREAM, FORMAT,
      (CANNOT ": these video caps are incomplete; they need format, width and "
          "height."), (NULL));
  return FALSE;
}

/* Makes what the first buffer of points needs, when it is sure to be one. What
 * is wrong with the caps is said when points are wanted. */
static gboolean
warm_up (GstCudaHull * self)
{
  CsHullInput input = { 0, };
  GstShapesPointsInfo info;
  GError *error = NULL;

  if ((self->current.source != GST_CUDA_HULL_SOURCE_AUTO &&
          self->current.source != GST_CUDA_HULL_SOURCE_POINTS) ||
      !get_points_info (self, &info, NULL))
    return TRUE;
  input.type = (CsHullType) info.type;
  input.n_points = info.n_points;
  if (ensure_plan (self, CS_HULL_SCOPE_ALL, 0, &error) &&
      cs_hull_warm_up (self->plan, &input, &error))
    return TRUE;
  gst_shapes_transform_post_error (GST_SHAPES_TRANSFORM (self), CANNOT, error);
  g_clear_error (&error);
  return FALSE;
}

static gboolean
gst_cuda_hull_set_caps (GstBaseTransform * trans, GstCaps * incaps,
    GstCaps * outcaps)
{
  GstCudaHull *self = GST_CUDA_HULL (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  gboolean ok;

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->set_caps (trans, incaps,
          outcaps))
    return FALSE;
  gst_caps_replace (&self->caps, incaps);
  if (!parse_caps (self) || !gst_shapes_transform_begin (base, NULL))
    return FALSE;
  take_settings (self);
  ok = warm_up (self);
  gst_shapes_transform_end (base);
  return ok;
}

/* Says that shapes are read on the GPU, whatever @query says of them yet. */
static void
add_device_capable (GstQuery * query)
{
  GstStructure *params = gst_structure_new (GST_SHAPE_META_PARAMS_NAME,
      "device-capable", G_TYPE_BOOLEAN, TRUE, NULL);
  guint index;

  while (gst_query_find_allocation_meta (query, GST_SHAPE_META_API_TYPE,
          &index))
    gst_query_remove_nth_allocation_meta (query, index);
  gst_query_add_allocation_meta (query, GST_SHAPE_META_API_TYPE, params);
  gst_structure_free (params);
}

/* A metadata element before this one asks whether shapes need be on the
 * host. */
static gboolean
gst_cuda_hull_propose_allocation (GstBaseTransform * trans,
    GstQuery * decide_query, GstQuery * query)
{
  GstCudaHull *self = GST_CUDA_HULL (trans);
  gboolean suffices;

  if (!GST_BASE_TRANSFORM_CLASS (parent_class)->propose_allocation (trans,
          decide_query, query))
    return FALSE;
  GST_OBJECT_LOCK (self);
  suffices = records_may_stay_on_device (&self->settings);
  GST_OBJECT_UNLOCK (self);
  if (GST_SHAPES_TRANSFORM (self)->context && suffices)
    add_device_capable (query);
  return TRUE;
}

/* Backend */

/* A plan, to see whether there is a kernel for this backend, and to load it. */
static gboolean
gst_cuda_hull_open (GstShapesTransform * base, GError ** error)
{
  GstCudaHull *self = GST_CUDA_HULL (base);

  take_settings (self);
  return ensure_plan (self, CS_HULL_SCOPE_ALL, 0, error);
}

static void
gst_cuda_hull_close (GstShapesTransform * base)
{
  GstCudaHull *self = GST_CUDA_HULL (base);

  clear_plan (self);
  gst_shapes_gray_clear (&self->gray);
  cs_scratch_clear (&self->gathered.points);
  cs_scratch_clear (&self->gathered.offsets);
  cs_scratch_clear (&self->gathered.records);
}

static gboolean
gst_cuda_hull_stop (GstBaseTransform * trans)
{
  GstCudaHull *self = GST_CUDA_HULL (trans);
  const gboolean ok = GST_BASE_TRANSFORM_CLASS (parent_class)->stop (trans);

  gst_caps_replace (&self->caps, NULL);
  self->warned_no_shapes = self->warned_no_points = FALSE;
  self->warned_not_finite = FALSE;
  return ok;
}

/* Buffers */

/* Whether somebody has looked for contours: an empty layer is one of contours
 * when none were found, and so is an empty set. */
static gboolean
was_searched (GstShapeSet * set)
{
  const guint n = gst_shape_set_get_n_layers (set);
  guint i;

  for (i = 0; i < n; i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);

    if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_POLYLINES &&
        (gst_shape_layer_get_n_shapes (layer) == 0 ||
            gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR)))
      return TRUE;
  }
  return n == 0;
}

static GstCudaHullSource
choose_source (GstCudaHull * self, GstShapeSet * found)
{
  if (self->current.source != GST_CUDA_HULL_SOURCE_AUTO)
    return self->current.source;
  if (found && was_searched (found))
    return GST_CUDA_HULL_SOURCE_CONTOURS;
  return self->is_tensor ? GST_CUDA_HULL_SOURCE_POINTS : GST_CUDA_HULL_SOURCE_MASK;
}

static gboolean
run_source (Job * job, GError ** error)
{
  if (job->totals.source == GST_CUDA_HULL_SOURCE_CONTOURS)
    return run_contours (job, error);
  /* a buffer without content has no points */
  if (GST_BUFFER_FLAG_IS_SET (job->buffer, GST_BUFFER_FLAG_GAP))
    return TRUE;
  return job->totals.source == GST_CUDA_HULL_SOURCE_MASK ? run_mask (job, error) :
      run_points (job, error);
}

/* Hulls of contours are where the contours are, also when the frame has been
 * scaled since. Points without a frame have no size. */
static GstShapeSet *
new_set (const Job * job)
{
  const GstCudaHull *self = job->self;

  if (job->totals.source == GST_CUDA_HULL_SOURCE_CONTOURS && job->found)
    return gst_shape_set_new (gst_shape_set_get_width (job->found),
        gst_shape_set_get_height (job->found));
  if (self->is_tensor)
    return gst_shape_set_new (0, 0);
  return gst_shape_set_new (GST_VIDEO_INFO_WIDTH (&self->video),
      GST_VIDEO_INFO_FIELD_HEIGHT (&self->video));
}

/* Takes the contours out of the buffer's set; what else it has stays. */
static void
remove_contours (const Job * job)
{
  GstShapeMeta *meta = gst_buffer_get_shape_meta (job->buffer);
  GstShapeSet *kept;
  guint i;

  if (!meta)
    return;
  kept = gst_shape_set_new (gst_shape_set_get_width (job->found),
      gst_shape_set_get_height (job->found));
  for (i = 0; i < gst_shape_set_get_n_layers (job->found); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (job->found, i);

    if (gst_shape_layer_get_n_shapes (layer) > 0 &&
        !gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR))
      gst_shape_set_add_layer (kept, gst_shape_layer_ref (layer));
  }
  gst_buffer_remove_meta (job->buffer, (GstMeta *) meta);
  if (gst_shape_set_get_n_layers (kept) > 0)
    gst_buffer_add_shape_meta (job->buffer, kept);
  gst_shape_set_unref (kept);
}

static void
publish (Job * job)
{
  if (gst_shape_set_get_n_layers (job->set) == 0)
    gst_shape_set_add_layer (job->set, gst_shapes_empty_layer_new ());
  if (job->self->current.replace)
    remove_contours (job);
  gst_buffer_add_shape_meta (job->buffer, job->set);
}

static void
post_message (const Job * job)
{
  GstCudaHull *self = job->self;
  const Totals *totals = &job->totals;
  GstStructure *structure =
      gst_shapes_transform_new_report (GST_SHAPES_TRANSFORM (self), "cudahull",
      job->buffer);

  gst_structure_set (structure,
      "source", G_TYPE_STRING, gst_cuda_hull_source_to_string (totals->source),
      "n-hulls", G_TYPE_UINT64, totals->n_hulls,
      "n-points", G_TYPE_UINT64, totals->n_points,
      "n-ignored", G_TYPE_UINT64, totals->n_ignored, NULL);
  if (totals->n_solid > 0)
    gst_structure_set (structure,
        "solidity-mean", G_TYPE_DOUBLE, totals->solidity_sum / totals->n_solid,
        "solidity-min", G_TYPE_DOUBLE, totals->solidity_min, NULL);
  gst_element_post_message (GST_ELEMENT_CAST (self),
      gst_message_new_element (GST_OBJECT_CAST (self), structure));
}

/* The context is current. */
static GstFlowReturn
process (GstCudaHull * self, GstBuffer * buffer)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (self);
  GstFlowReturn flow = GST_FLOW_OK;
  GError *error = NULL;
  Job job = { self, buffer, gst_buffer_get_shape_set (buffer) };

  if (job.found) {
    gst_shape_set_ref (job.found);
    job.next_id = gst_shape_set_get_next_id (job.found);
  }
  job.want_host = self->current.post_messages || self->current.replace ||
      !gst_shapes_transform_downstream_reads_device (base);
  job.totals.source = choose_source (self, job.found);
  job.set = new_set (&job);
  if (run_source (&job, &error)) {
    publish (&job);
    GST_OBJECT_LOCK (self);
    self->n_ignored += job.totals.n_ignored;
    GST_OBJECT_UNLOCK (self);
    if (self->current.post_messages)
      post_message (&job);
  } else {
    flow = gst_shapes_transform_fail_buffer (base, CANNOT, error);
    g_clear_error (&error);
  }
  gst_shape_set_unref (job.set);
  g_clear_pointer (&job.found, gst_shape_set_unref);
  return flow;
}

static GstFlowReturn
gst_cuda_hull_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstCudaHull *self = GST_CUDA_HULL (trans);
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);
  GstFlowReturn flow;

  if (!self->caps) {
    GST_ELEMENT_ERROR (self, CORE, NEGOTIATION,
        ("A buffer came before its caps."), (NULL));
    return GST_FLOW_NOT_NEGOTIATED;
  }
  if (!gst_shapes_transform_begin (base, buffer))
    return GST_FLOW_ERROR;
  take_settings (self);
  flow = process (self, buffer);
  gst_shapes_transform_end (base);
  return flow;
}

/* Object */

static void
gst_cuda_hull_init (GstCudaHull * self)
{
  gst_cuda_hull_settings_init (&self->settings);
  gst_base_transform_set_in_place (GST_BASE_TRANSFORM (self), TRUE);
}

static void
gst_cuda_hull_finalize (GObject * object)
{
  gst_caps_replace (&GST_CUDA_HULL (object)->caps, NULL);
  G_OBJECT_CLASS (parent_class)->finalize (object);
}

#define COUNTER (G_PARAM_READABLE | G_PARAM_STATIC_STRINGS)

static void
install_counters (GObjectClass * klass)
{
  g_object_class_install_property (klass, PROP_DROPPED,
      g_param_spec_uint64 ("dropped", "Dropped buffers",
          "How many buffers were left out because they were too short.",
          0, G_MAXUINT64, 0, COUNTER));
  g_object_class_install_property (klass, PROP_IGNORED,
      g_param_spec_uint64 ("ignored", "Ignored points",
          "How many points were left out because a coordinate was NaN or "
          "infinite.", 0, G_MAXUINT64, 0, COUNTER));
}

static void
gst_cuda_hull_class_init (GstCudaHullClass * klass)
{
  GObjectClass *object_class = G_OBJECT_CLASS (klass);
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);
  GstBaseTransformClass *trans_class = GST_BASE_TRANSFORM_CLASS (klass);
  GstShapesTransformClass *shapes_class = GST_SHAPES_TRANSFORM_CLASS (klass);

  object_class->set_property = gst_cuda_hull_set_property;
  object_class->get_property = gst_cuda_hull_get_property;
  object_class->finalize = gst_cuda_hull_finalize;
  gst_cuda_hull_settings_install (object_class);
  install_counters (object_class);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Convex hull finder",
      "Filter/Analyzer/Video",
      "Finds exact convex hulls of contours, of bright pixels or of point "
      "tensors and attaches them to the buffers",
      "The gst-cudashapes authors");

  trans_class->stop = gst_cuda_hull_stop;
  trans_class->set_caps = gst_cuda_hull_set_caps;
  trans_class->transform_ip = gst_cuda_hull_transform_ip;
  trans_class->propose_allocation = gst_cuda_hull_propose_allocation;
  shapes_class->open = gst_cuda_hull_open;
  shapes_class->close = gst_cuda_hull_close;
}
