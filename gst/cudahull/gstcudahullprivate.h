/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_HULL_PRIVATE_H
#define GST_CUDA_HULL_PRIVATE_H

/* Interface between the parts of cudahull: gstcudahull.c is the element,
 * gstcudahullrun.c finds hulls of pixels and points, gstcudahullcontours.c of
 * contours; gstcudahullextras.c measures what shapes do not have by themselves,
 * gstcudahullfile.c reads points. */

#include <gst/video/video.h>

#include "base/array.h"
#include "base/scratch.h"
#include "element/gstshapestransform.h"
#include "gstcudahullsettings.h"
#include "element/gstshapesaspect.h"
#include "element/gstshapesgray.h"
#include "hull/hull.h"

#define GST_TYPE_CUDA_HULL (gst_cuda_hull_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaHull, gst_cuda_hull, GST, CUDA_HULL,
    GstShapesTransform)

/* Gathered contours, as input of the kernel. */
typedef struct
{
  CsScratch points, offsets, records, annotations;
} GstCudaHullGathered;

struct _GstCudaHull
{
  GstShapesTransform parent;

  /* with the object lock */
  GstCudaHullSettings settings;

  /* streaming thread */
  GstCudaHullSettings current;
  GstCaps *caps;
  gboolean is_tensor, is_video; /* neither: shapes alone */
  GstVideoInfo video;
  GstShapesGray gray;
  gdouble checked_level;
  gboolean warned_no_shapes, warned_no_points, warned_not_finite;
  gboolean warned_no_defects;
  GstShapesAspect aspect;

  CsHull *plan;
  CsHull *host_plan;            /* nullable: beside a GPU, for small sets */
  CsHullParams params;
  GstCudaHullGathered gathered;
  CsArray *file_points;         /* of doubles, x before y; nullable */
};

/* Statistics of a buffer's hulls. */
typedef struct
{
  GstCudaHullSource source;
  guint64 n_hulls, n_points, n_ignored;
  guint64 n_solid;
  gdouble solidity_sum, solidity_min;
} GstCudaHullTotals;

/**
 * GstCudaHullTask:
 * @input: points, as the kernel takes them; the first id is the job's
 * @level: of a mask, as a code value
 * @contours: (nullable): those of the input, on the host; not %NULL if they
 *     have annotations that hulls are to have
 * @layers: (array length=n_layers) (nullable): the layers that they are of
 *
 * What becomes a layer of hulls.
 */
typedef struct
{
  CsHullInput input;
  gdouble level;
  const GstShapeArrays *contours;
  GstShapeLayer **layers;
  guint n_layers;
} GstCudaHullTask;

/* State of processing one buffer. */
typedef struct
{
  GstCudaHull *self;
  GstBuffer *buffer;
  GstShapeSet *found;           /* nullable */
  GstShapeSet *set;             /* receives the hulls */
  gint32 next_id;
  gboolean want_host;
  GstCudaHullTotals totals;
  /* not run yet */
  GstCudaHullTask tasks[CS_HULL_AT_ONCE];
  guint n_tasks;
} GstCudaHullJob;

/* Frees the plans, if any. */
void gst_cuda_hull_clear_plan (GstCudaHull * self);

/* Ensures a plan for @scope and the current properties; recreated only if one
 * of them has changed. */
gboolean gst_cuda_hull_ensure_plan (GstCudaHull * self, CsHullScope scope,
    guint n_classes, GError ** error);

/* Warms up for the expected input. Posts an error on failure. */
gboolean gst_cuda_hull_warm_up (GstCudaHull * self);

/* The hulls of @task as a layer of the job's set, after what was queued. */
gboolean gst_cuda_hull_run (GstCudaHullJob * job, const GstCudaHullTask * task,
    GError ** error);

/* The same later, together with others: what @task points to must be there
 * until gst_cuda_hull_flush(), which follows the last. */
gboolean gst_cuda_hull_queue (GstCudaHullJob * job,
    const GstCudaHullTask * task, GError ** error);
gboolean gst_cuda_hull_flush (GstCudaHullJob * job, GError ** error);

/* The hulls of the job's contours, of its pixels, of its points. */
gboolean gst_cuda_hull_run_contours (GstCudaHullJob * job, GError ** error);
gboolean gst_cuda_hull_run_mask (GstCudaHullJob * job, GError ** error);
gboolean gst_cuda_hull_run_points (GstCudaHullJob * job, GError ** error);

/* The hulls of the points of the file. */
gboolean gst_cuda_hull_run_file (GstCudaHullJob * job, GError ** error);

/* Points of a CSV file: x, y, and whatever else on each line; a comma, a
 * semicolon or white space between them. Empty lines, those that begin with
 * '#', and a first line without numbers (names of columns) do not count.
 *
 * Returns: (transfer full): doubles, x before y; %NULL with @error set, which
 *     names the file and the line */
CsArray *gst_cuda_hull_read_points (const gchar * path, GError ** error);

/* Whether a result needs its arrays and the contours' on the host. */
gboolean gst_cuda_hull_wants_extras (const GstCudaHullSettings * settings);

/* Whether each hull of @task is of a contour that has annotations. */
gboolean gst_cuda_hull_has_annotations (const GstCudaHullJob * job,
    const GstCudaHullTask * task);

/* Annotations of @output's hulls: those of their contours, which @task has.
 *
 * Returns: (transfer full): %NULL without memory */
GstShapeAnnotation *gst_cuda_hull_find_annotations (const GstCudaHullTask *
    task, const CsHullOutput * output);

/* @layer of @output's hulls with what the settings ask for; takes over @layer.
 *
 * @contours: (nullable): the contours that the hulls are of, on the host
 * @annotations: (nullable): those of the hulls
 * Returns: (transfer full): %NULL with @error set when out of memory */
GstShapeLayer *gst_cuda_hull_add_extras (GstCudaHullJob * job,
    GstShapeLayer * layer, const CsHullOutput * output,
    const GstShapeArrays * contours, const GstShapeAnnotation * annotations,
    GError ** error);

/* Prefix of errors. */
#define GST_CUDA_HULL_CANNOT "Cannot find hulls"

#endif /* GST_CUDA_HULL_PRIVATE_H */
