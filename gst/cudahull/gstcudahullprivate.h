/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_HULL_PRIVATE_H
#define GST_CUDA_HULL_PRIVATE_H

/* Between the parts of cudahull: gstcudahull.c is the element,
 * gstcudahullrun.c finds hulls of pixels and points, gstcudahullcontours.c
 * those of contours. */

#include <gst/video/video.h>

#include "base/scratch.h"
#include "gstcudahull.h"
#include "gstcudahullsettings.h"
#include "element/gstshapesgray.h"
#include "hull/hull.h"

G_BEGIN_DECLS

/* Contours that share hulls, as the kernel reads them. */
typedef struct
{
  CsScratch points, offsets, records;
} GstCudaHullGathered;

struct _GstCudaHull
{
  GstShapesTransform parent;

  /* with the object lock */
  GstCudaHullSettings settings;

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
  GstCudaHullGathered gathered;
};

/* What the hulls of a buffer come to. */
typedef struct
{
  GstCudaHullSource source;
  guint64 n_hulls, n_points, n_ignored;
  guint64 n_solid;
  gdouble solidity_sum, solidity_min;
} GstCudaHullTotals;

/* The work on one buffer. */
typedef struct
{
  GstCudaHull *self;
  GstBuffer *buffer;
  GstShapeSet *found;           /* nullable */
  GstShapeSet *set;             /* hulls are added to */
  gint32 next_id;
  gboolean want_host;
  GstCudaHullTotals totals;
} GstCudaHullJob;

/* Frees the plan, if there is one. */
void gst_cuda_hull_clear_plan (GstCudaHull * self);

/* A plan for @scope and the properties as they are, made again only when one
 * of them has changed. */
gboolean gst_cuda_hull_ensure_plan (GstCudaHull * self, CsHullScope scope,
    guint n_classes, GError ** error);

/* Makes what the first buffer needs, as far as is known what it will be; posts
 * an error. */
gboolean gst_cuda_hull_warm_up (GstCudaHull * self);

/* The hulls of @input as a layer of the job's set. @level: of a mask, as a code
 * value. */
gboolean gst_cuda_hull_run (GstCudaHullJob * job, CsHullInput * input,
    gdouble level, GError ** error);

/* The hulls of the job's contours, of its pixels, of its points. */
gboolean gst_cuda_hull_run_contours (GstCudaHullJob * job, GError ** error);
gboolean gst_cuda_hull_run_mask (GstCudaHullJob * job, GError ** error);
gboolean gst_cuda_hull_run_points (GstCudaHullJob * job, GError ** error);

/* What errors begin with. */
#define GST_CUDA_HULL_CANNOT "Cannot find hulls"

G_END_DECLS

#endif /* GST_CUDA_HULL_PRIVATE_H */
