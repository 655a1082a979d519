/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_SHAPES_ENGINE_H
#define GST_SHAPES_ENGINE_H

#include "contours/contours.h"
#include "cuda/gstshapesslab.h"
#include "hull/hull.h"

G_BEGIN_DECLS

/**
 * GstShapesEngine:
 *
 * A backend and the workers on it that wait for the next call. Any thread.
 */
typedef struct _GstShapesEngine GstShapesEngine;

/**
 * GstShapesWorker:
 * @executor: where it computes
 * @stream: (nullable): the CUDA stream of @executor
 * @host_executor: (nullable): beside a GPU that backend "auto" has chosen: the
 *     CPU, for what is done sooner there
 * @contours: (nullable): made by the first call that needs it
 * @hull: (nullable): made by the first call that needs it
 * @host_hull: (nullable): the same on @host_executor
 * @collinear: what @hull was made for
 * @image: (nullable): shape that @contours saw last; no data
 *
 * What one call at a time computes with.
 */
typedef struct
{
  CsExecutor *executor;
  gpointer stream;
  CsExecutor *host_executor;
  CsContours *contours;
  CsHull *hull, *host_hull;
  gboolean collinear;
  CsImage image;
} GstShapesWorker;

/* Makes libgstshapes's GstShapeEngine compute with this. */
void gst_shapes_engine_register (void);

/* A worker that nobody else has until gst_shapes_engine_end(); the one that saw
 * @image (nullable) last, if it is idle. The engine's CUDA context, if any, is
 * current until then. Returns: %NULL with @error set */
GstShapesWorker *gst_shapes_engine_begin (GstShapesEngine * engine,
    const CsImage * image, GError ** error);
void gst_shapes_engine_end (GstShapesEngine * engine,
    GstShapesWorker * worker);

/* Where memory of results comes from, borrowed. */
GstShapesSlabPool *gst_shapes_engine_get_slabs (GstShapesEngine * engine);

/* GstShapeEngineOps.find_contours() and convex_hull(), errors of CS_ERROR. */
gboolean gst_shapes_engine_find_contours (GstShapesEngine * engine,
    const GstShapeImage * image, const GstShapeImage * mask,
    const gdouble * levels, guint n_levels, GstShapeContoursFlags flags,
    GstShapeResultArrays * arrays, gpointer * payload, GError ** error);
gboolean gst_shapes_engine_convex_hull (GstShapesEngine * engine,
    gconstpointer points, GstShapeNumber type, gsize n_points, gsize stride,
    GstShapeHullFlags flags, GstShapeResultArrays * arrays,
    gpointer * payload, GError ** error);

G_END_DECLS

#endif /* GST_SHAPES_ENGINE_H */
