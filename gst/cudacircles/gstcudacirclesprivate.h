/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The instance, shared by the element's files. */

#include <gst/video/video.h>

#include "element/gstshapestransform.h"
#include "gstcudacirclessettings.h"
#include "base/array.h"
#include "element/gstshapesaspect.h"
#include "element/gstshapesframe.h"
#include "element/gstshapesoutput.h"
#include "raster/raster.h"

#define GST_TYPE_CUDA_CIRCLES (gst_cuda_circles_get_type ())
G_DECLARE_FINAL_TYPE (GstCudaCircles, gst_cuda_circles, GST, CUDA_CIRCLES,
    GstShapesTransform)

/**
 * CirclesPainting:
 * @marks: primitives to paint (CsMark): first the static ones, then the rest
 * @depths: a float for each
 * @gradients: what marks refer to: the element's, then those of the file, then
 *     those of the property
 * @gradients_view: the same for the tile engine
 * @gradient: number of the element's; 0: none
 * @file_offset: what is added to the file's numbers
 * @given_offset: likewise the property's
 * @n_static: number of static ones
 * @static_skipped: circles that were left out of those
 * @moves_file: whether the circles of the file move
 * @moves_given: whether those of the property do
 * @version: changes whenever the static ones do
 * @is_current: whether it is valid for the current settings and size
 * @generation: of the settings that it was made for
 */
typedef struct
{
  CsArray *marks, *depths;
  CsGradientSet *gradients;
  CsGradients gradients_view;
  guint32 gradient, file_offset, given_offset;
  guint n_static;
  gsize static_skipped;
  gboolean moves_file, moves_given;
  guint64 version;
  gboolean is_current;
  guint generation;
} CirclesPainting;

struct _GstCudaCircles
{
  GstShapesTransform parent;

  /* with the object lock */
  CirclesSettings settings;

  /* streaming thread */
  CirclesSettings current;       /* without location and circles */
  CsArray *file_circles;         /* of CsCircle; nullable */
  CsGradientSet *file_gradients;
  GstVideoInfo info;
  gboolean has_caps;
  guint64 n_frames;
  gboolean warned_no_points, warned_no_measures, warned_no_circles;
  gboolean warned_no_alpha;
  GstShapesAspect aspect;

  CsArray *given;                /* of CsCircle: a copy of the settings' */
  CsGradientSet *given_gradients;       /* likewise */
  gchar *gradient;               /* likewise; nullable */
  CsArray *scratch;              /* of CsCircle */
  CirclesPainting painting;

  CsRaster *raster;
  GstShapesPictureStage stage;
  GstShapesOutput output;
};

/* gstcudacirclescollect.c */

/* Collects the marks of @buffer's frame. Returns: FALSE after posting an
 * error */
gboolean circles_collect (GstCudaCircles * self, GstBuffer * buffer);
