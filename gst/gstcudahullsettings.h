/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_CUDA_HULL_SETTINGS_H
#define GST_CUDA_HULL_SETTINGS_H

/* The properties of cudahull: what they are called, what they may be, and what
 * they are now. The element and its negotiation are in gstcudahull.c. */

#include <gst/gst.h>

#include "gstshapesgray.h"
#include "hull/hull.h"

G_BEGIN_DECLS

/**
 * GstCudaHullSource:
 * @GST_CUDA_HULL_SOURCE_AUTO: one of the others, by the buffer
 * @GST_CUDA_HULL_SOURCE_CONTOURS: the contours of the shape meta
 * @GST_CUDA_HULL_SOURCE_MASK: the pixels of video above a level
 * @GST_CUDA_HULL_SOURCE_POINTS: the points of a tensor
 */
typedef enum
{
  GST_CUDA_HULL_SOURCE_AUTO,
  GST_CUDA_HULL_SOURCE_CONTOURS,
  GST_CUDA_HULL_SOURCE_MASK,
  GST_CUDA_HULL_SOURCE_POINTS,
} GstCudaHullSource;

/* The name that the property's values have. */
const gchar *gst_cuda_hull_source_to_string (GstCudaHullSource source);

/**
 * GstCudaHullSettings:
 *
 * The values of all properties.
 */
typedef struct
{
  GstCudaHullSource source;
  CsHullScope scope;
  gdouble level;
  GstShapesLevelUnit level_unit;
  GstShapesChannel channel;
  guint bit_depth;
  gboolean include_collinear;
  CsMeasures measures;
  gboolean replace;
  gboolean post_messages;
} GstCudaHullSettings;

void gst_cuda_hull_settings_init (GstCudaHullSettings * settings);

/* First identifier of the properties that are installed. */
#define GST_CUDA_HULL_FIRST_PROPERTY 1

void gst_cuda_hull_settings_install (GObjectClass * klass);
void gst_cuda_hull_settings_set (GstCudaHullSettings * settings,
    GObject * object, guint id, const GValue * value, GParamSpec * pspec);
void gst_cuda_hull_settings_get (const GstCudaHullSettings * settings,
    GObject * object, guint id, GValue * value, GParamSpec * pspec);

G_END_DECLS

#endif /* GST_CUDA_HULL_SETTINGS_H */
