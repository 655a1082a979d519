/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The kernels' types for g_autoptr(). What depends on an executor is declared
 * after it, so that it is freed before. */

#include "base/array.h"
#include "base/executor.h"
#include "circles/gradients.h"
#include "contours/contours.h"
#include "edges/edges.h"
#include "fourier/fourier.h"
#include "hull/hull.h"
#include "instances/instances.h"
#include "labels/labels.h"
#include "llf/llf_colour.h"
#include "properties/properties.h"
#include "raster/raster.h"
#include "stats/stats.h"
#include "strokes/strokes.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsArray, cs_array_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsBrushMask, cs_brush_mask_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsContours, cs_contours_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsEdges, cs_edges_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsExecutor, cs_executor_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsFourier, cs_fourier_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsGradientSet, cs_gradient_set_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsHull, cs_hull_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsInstances, cs_instances_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsLabels, cs_labels_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsLlf, cs_llf_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsLlfColour, cs_llf_colour_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsLlfTable, cs_llf_table_unref)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsProperties, cs_properties_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsRaster, cs_raster_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsStats, cs_stats_free)
G_DEFINE_AUTOPTR_CLEANUP_FUNC (CsStrokes, cs_strokes_free)
