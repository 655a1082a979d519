/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Hulls of the contours in a buffer's shape meta. */

#include <stdlib.h>
#include <string.h>

#include "gstcudahullprivate.h"
#include "base/error.h"
#include "element/gstshapesmessage.h"

static void
warn_no_points (GstCudaHull * self)
{
  GST_SHAPES_WARN_ONCE (self, self->warned_no_points, LIBRARY, SETTINGS, "The "
      "contours come without points, so there are no hulls: set "
      "measures-only=false of cudacontours.");
}

static gboolean
is_contour (const GstShapePolyline * polyline)
{
  return polyline->kind == GST_SHAPE_KIND_CONTOUR;
}

/* One more than the highest class of @n records, at least 1. */
static gboolean
count_classes (const GstShapePolyline * records, gsize n, guint * n_classes,
    GError ** error)
{
  gint32 highest = 0;

  for (gsize i = 0; i < n; i++)
    highest = MAX (highest, records[i].class_id);
  if (highest >= CS_HULL_MAX_CLASSES)
    return cs_error (error, CS_ERROR_LIMIT, "there is a contour of class %d; "
        "scope=per-class counts up to %d", highest, CS_HULL_MAX_CLASSES - 1);
  *n_classes = highest + 1;
  return TRUE;
}

/* What contours of one kind of memory are of. */
typedef struct
{
  GstShapeLayer **layers;
  guint n_layers;
  const GstShapeArrays *host;   /* nullable: their arrays on the host */
  guint n_classes;
  gint32 image;
} Origin;

/* @stays: whether arrays are those of a layer: then they may be run later */
static gboolean
run_arrays (HullJob * job, const GstShapeArrays * arrays,
    CsMemory memory, const Origin * origin, gboolean stays, GError ** error)
{
  const HullTask task = {
    .input = {
          .points = arrays->points,
          .type = CS_HULL_F32,
          .memory = memory,
          .n_points = arrays->n_points,
          .offsets = arrays->offsets,
          .n_polylines = arrays->n_shapes,
          .contours = (const CsContour *) arrays->polylines,
          .image_index = origin->image,
        },
    .contours = origin->host,
    .layers = origin->layers,
    .n_layers = origin->n_layers,
  };

  if (!hull_ensure_plan (job->self, job->self->current.scope,
          origin->n_classes, error))
    return FALSE;
  return stays ? hull_queue (job, &task, error) : hull_run (job, &task, error);
}

/* Whether contours on the GPU are so few that the CPU finds their hulls sooner,
 * though they have to be brought to the host. */
static gboolean
belongs_on_host (HullJob * job, const GstShapeArrays * device, guint n_classes)
{
  const CsHullInput input = {
    .n_points = device->n_points,
    .offsets = device->offsets,
  };

  return hull_ensure_plan (job->self, job->self->current.scope,
      n_classes, NULL) && job->self->host_plan
      && cs_hull_is_small (job->self->host_plan, &input);
}

/* On the GPU; @done: not if it is left to the host */
static gboolean
run_on_device (HullJob * job, const Origin * origin, gboolean * done,
    GError ** error)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (job->self);
  GstShapeLayer *layer = origin->layers[0];
  GstShapeArrays device;
  gboolean ok = TRUE;

  *done = FALSE;
  if (!base->context || !gst_shape_layer_map_device (layer, base->context,
          base->stream, &device))
    return TRUE;
  if (!device.points) {
    warn_no_points (job->self);
    *done = TRUE;
  } else if (!belongs_on_host (job, &device, origin->n_classes)) {
    ok = run_arrays (job, &device, CS_MEMORY_DEVICE, origin, FALSE, error);
    *done = TRUE;
  }
  gst_shape_layer_unmap_device (layer, base->stream);
  return ok;
}

/* Whether the records on the host are needed, wherever hulls are found: only
 * scope=per-contour may do without. */
static gboolean
wants_records (HullJob * job, GstShapeLayer * layer)
{
  return job->self->current.scope != CS_HULL_SCOPE_PER_CONTOUR
      || hull_wants_extras (&job->self->current)
      || gst_shape_layer_has_annotations (layer);
}

/* The hulls of the uniform layer @layer[0], in its own memory. */
static gboolean
run_layer (HullJob * job, GstShapeLayer ** layer, GError ** error)
{
  Origin origin = {.layers = layer,.n_layers = 1,.n_classes = 1 };
  gboolean done;

  if (wants_records (job, *layer)) {
    origin.host = gst_shape_layer_map_host (*layer, error);
    if (!origin.host)
      return FALSE;
  }
  if (job->self->current.scope != CS_HULL_SCOPE_PER_CONTOUR) {
    if (!count_classes (origin.host->polylines, origin.host->n_shapes,
            &origin.n_classes, error))
      return FALSE;
    origin.image = origin.host->polylines[0].image;
  }
  if (!run_on_device (job, &origin, &done, error))
    return FALSE;
  if (done)
    return TRUE;
  if (!origin.host)
    origin.host = gst_shape_layer_map_host (*layer, error);
  if (!origin.host)
    return FALSE;
  if (origin.host->points)
    return run_arrays (job, origin.host, CS_MEMORY_HOST, &origin, TRUE, error);
  warn_no_points (job->self);
  return TRUE;
}

/* Appends the contours of @image (of all, if NULL) in @from to @to, whose
 * arrays are large enough, or only counts them. */
static void
gather_arrays (const GstShapeArrays * from, const gint32 * image,
    gboolean only_count, GstShapeArrays * to)
{
  GstShapePoint *points = (GstShapePoint *) to->points;
  guint32 *offsets = (guint32 *) to->offsets;
  GstShapePolyline *polylines = (GstShapePolyline *) to->polylines;
  GstShapeAnnotation *annotations = (GstShapeAnnotation *) to->annotations;
  const GstShapeAnnotation none = GST_SHAPE_ANNOTATION_NONE;

  for (gsize i = 0; from->points && i < from->n_shapes; i++) {
    const guint32 first = from->offsets[i];
    const guint32 n = from->offsets[i + 1] - first;

    if (!is_contour (&from->polylines[i]) ||
        (image && from->polylines[i].image != *image))
      continue;
    if (!only_count) {
      memcpy (points + to->n_points, from->points + first,
          n * sizeof (*points));
      polylines[to->n_shapes] = from->polylines[i];
      if (annotations)
        annotations[to->n_shapes] = from->annotations ?
            from->annotations[i] : none;
      offsets[to->n_shapes + 1] = to->n_points + n;
    }
    to->n_points += n;
    to->n_shapes++;
  }
}

static gboolean
gather_layers (HullJob * job, GPtrArray * layers, const gint32 * image,
    gboolean only_count, GstShapeArrays * to, GError ** error)
{
  to->n_shapes = to->n_points = 0;
  for (guint i = 0; i < layers->len; i++) {
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

/* Room for as many contours and points as @all counts; for annotations if
 * @annotated. */
static gboolean
ensure_arrays (HullGathered * gathered, gboolean annotated,
    GstShapeArrays * all, GError ** error)
{
  const gsize n = MAX (all->n_shapes, 1);

  all->points = cs_scratch_ensure (&gathered->points,
      MAX (all->n_points, 1) * sizeof (*all->points), error);
  all->offsets = all->points ? cs_scratch_ensure (&gathered->offsets,
      (all->n_shapes + 1) * sizeof (*all->offsets), error) : NULL;
  all->polylines = all->offsets ? cs_scratch_ensure (&gathered->records,
      n * sizeof (*all->polylines), error) : NULL;
  if (!all->polylines)
    return FALSE;
  if (annotated)
    all->annotations = cs_scratch_ensure (&gathered->annotations,
        n * sizeof (*all->annotations), error);
  return !annotated || all->annotations;
}

static gboolean
any_has_annotations (GPtrArray * layers)
{
  for (guint i = 0; i < layers->len; i++)
    if (gst_shape_layer_has_annotations (g_ptr_array_index (layers, i)))
      return TRUE;
  return FALSE;
}

/* The hulls of the contours of @image (of all, if NULL) in @layers, gathered
 * on the host. */
static gboolean
run_gathered (HullJob * job, GPtrArray * layers, const gint32 * image,
    GError ** error)
{
  GstShapeArrays all = { 0, };
  Origin origin = {
    .layers = (GstShapeLayer **) layers->pdata,
    .n_layers = layers->len,
    .host = &all,
    .image = image ? *image : 0,
  };

  if (!gather_layers (job, layers, image, TRUE, &all, error))
    return FALSE;
  if (all.n_points > CS_HULL_MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
        " points of contours are too many: the limit is 2^28", all.n_points);
  if (!ensure_arrays (&job->self->gathered, any_has_annotations (layers), &all,
          error))
    return FALSE;
  *(guint32 *) all.offsets = 0;
  return gather_layers (job, layers, image, FALSE, &all, error)
      && count_classes (all.polylines, all.n_shapes, &origin.n_classes, error)
      && run_arrays (job, &all, CS_MEMORY_HOST, &origin, FALSE, error);
}

/* Whether @layer can be given to the kernel without copying: it has only
 * contours and, unless scope=per-contour, of one image. */
static gboolean
is_uniform (HullJob * job, GstShapeLayer * layer)
{
  if (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_HULL))
    return FALSE;
  if (job->self->current.scope == CS_HULL_SCOPE_PER_CONTOUR)
    return TRUE;
  const GstShapeArrays *host = gst_shape_layer_map_host (layer, NULL);
  for (gsize i = 1; host && i < host->n_shapes; i++) {
    if (host->polylines[i].image != host->polylines[0].image)
      return FALSE;
  }
  return TRUE;
}

/* One hull layer per layer of contours. */
static gboolean
run_each_layer (HullJob * job, GPtrArray * layers, GError ** error)
{
  gboolean ok = TRUE;

  for (guint i = 0; ok && i < layers->len; i++) {
    GPtrArray one = { layers->pdata + i, 1 };
    GstShapeLayer *layer = g_ptr_array_index (layers, i);

    ok = is_uniform (job, layer) ?
        run_layer (job, (GstShapeLayer **) one.pdata, error) :
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

/* Appends the images of the contours in @layers to @images, ascending. */
static gboolean
list_images (GPtrArray * layers, CsArray * images, GError ** error)
{
  gsize i, k, n = 0;

  for (i = 0; i < layers->len; i++) {
    const GstShapeArrays *host = gst_shape_layer_map_host (g_ptr_array_index
        (layers, i), error);

    if (!host)
      return FALSE;
    for (k = 0; k < host->n_shapes; k++) {
      const gint32 image = host->polylines[k].image;

      /* runs of equal images */
      if (is_contour (&host->polylines[k]) && (images->len == 0 ||
              cs_array_index (images, gint32, images->len - 1) != image))
        cs_array_append_val (images, image);
    }
  }
  if (images->failed)
    return cs_fail_no_memory (error, "the images of contours");
  if (images->len > 0)
    qsort (images->data, images->len, images->size, compare_images);
  for (i = 0; i < images->len; i++) {
    if (n == 0 || cs_array_index (images, gint32, n - 1) !=
        cs_array_index (images, gint32, i))
      cs_array_index (images, gint32, n++) = cs_array_index (images, gint32, i);
  }
  images->len = n;
  return TRUE;
}

/* One hull layer per image, over all layers. */
static gboolean
run_each_image (HullJob * job, GPtrArray * layers, GError ** error)
{
  CsArray images;

  if (layers->len == 1 && is_uniform (job, g_ptr_array_index (layers, 0)))
    return run_layer (job, (GstShapeLayer **) layers->pdata, error);
  cs_array_init (&images, sizeof (gint32));
  gboolean ok = list_images (layers, &images, error);
  for (gsize i = 0; ok && i < images.len; i++)
    ok = run_gathered (job, layers, &cs_array_index (&images, gint32, i),
        error);
  cs_array_clear (&images);
  return ok;
}

gboolean
hull_run_contours (HullJob * job, GError ** error)
{
  gboolean ok;

  if (!job->found) {
    GST_SHAPES_WARN_ONCE (job->self, job->self->warned_no_shapes, LIBRARY,
        SETTINGS, "The buffers carry no shapes, so there are no hulls: put "
        "cudacontours upstream of cudahull, or set source=mask or "
        "source=points.");
    return TRUE;
  }
  g_autoptr (GPtrArray) layers = g_ptr_array_new ();
  for (guint i = 0; i < gst_shape_set_get_n_layers (job->found); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (job->found, i);

    if (gst_shape_layer_has_kind (layer, GST_SHAPE_KIND_CONTOUR))
      g_ptr_array_add (layers, layer);
  }
  if (job->self->current.scope == CS_HULL_SCOPE_PER_CONTOUR)
    ok = run_each_layer (job, layers, error);
  else
    ok = run_each_image (job, layers, error);
  ok = ok && hull_flush (job, error);
  return ok;
}
