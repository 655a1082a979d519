/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

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
} HullGathered;

struct _GstCudaHull
{
  GstShapesTransform parent;

  /* with the object lock */
  HullSettings settings;

  /* streaming thread */
  HullSettings current;
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
  HullGathered gathered;
  CsArray *file_points;         /* of doubles, x before y; nullable */
};

/* Statistics of a buffer's hulls. */
typedef struct
{
  HullSource source;
  guint64 n_hulls, n_points, n_ignored;
  guint64 n_solid;
  gdouble solidity_sum, solidity_min;
} HullTotals;

/**
 * HullTask:
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
} HullTask;

/* State of processing one buffer. */
typedef struct
{
  GstCudaHull *self;
  GstBuffer *buffer;
  GstShapeSet *found;           /* nullable */
  GstShapeSet *set;             /* receives the hulls */
  gint32 next_id;
  gboolean want_host;
  HullTotals totals;
  /* not run yet */
  HullTask tasks[CS_HULL_AT_ONCE];
  guint n_tasks;
} HullJob;

/* Frees the plans, if any. */
void hull_clear_plan (GstCudaHull * self);

/* Ensures a plan for @scope and the current properties; recreated only if one
 * of them has changed. */
gboolean hull_ensure_plan (GstCudaHull * self, CsHullScope scope,
    guint n_classes, GError ** error);

/* Warms up for the expected input. Posts an error on failure. */
gboolean hull_warm_up (GstCudaHull * self);

/* The hulls of @task as a layer of the job's set, after what was queued. */
gboolean hull_run (HullJob * job, const HullTask * task, GError ** error);

/* The same later, together with others: what @task points to must be there
 * until hull_flush(), which follows the last. */
gboolean hull_queue (HullJob * job, const HullTask * task, GError ** error);
gboolean hull_flush (HullJob * job, GError ** error);

/* The hulls of the job's contours, of its pixels, of its points. */
gboolean hull_run_contours (HullJob * job, GError ** error);
gboolean hull_run_mask (HullJob * job, GError ** error);
gboolean hull_run_points (HullJob * job, GError ** error);

/* The hulls of the points of the file. */
gboolean hull_run_file (HullJob * job, GError ** error);

/* Points of a CSV file: x, y, and whatever else on each line; a comma, a
 * semicolon or white space between them. Empty lines, those that begin with
 * '#', and a first line without numbers (names of columns) do not count.
 *
 * Returns: (transfer full): doubles, x before y; %NULL with @error set, which
 *     names the file and the line */
CsArray *hull_read_points (const gchar * path, GError ** error);

/* Whether a result needs its arrays and the contours' on the host. */
gboolean hull_wants_extras (const HullSettings * settings);

/* Whether each hull of @task is of a contour that has annotations. */
gboolean hull_has_annotations (const HullJob * job, const HullTask * task);

/* Annotations of @output's hulls: those of their contours, which @task has.
 *
 * Returns: (transfer full): %NULL without memory */
GstShapeAnnotation *hull_find_annotations (const HullTask * task,
    const CsHullOutput * output);

/* @layer of @output's hulls with what the settings ask for; takes over @layer.
 *
 * @contours: (nullable): the contours that the hulls are of, on the host
 * @annotations: (nullable): those of the hulls
 * Returns: (transfer full): %NULL with @error set when out of memory */
GstShapeLayer *hull_add_extras (HullJob * job, GstShapeLayer * layer,
    const CsHullOutput * output, const GstShapeArrays * contours,
    const GstShapeAnnotation * annotations, GError ** error);

/* Prefix of errors. */
#define HULL_CANNOT "Cannot find hulls"
