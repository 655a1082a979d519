/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Polygons of instance networks' masks, without the masks.
 *
 * Such a network gives a small grid of samples for each object, its *field*; the
 * mask is where the field, resized to the picture by bilinear interpolation,
 * exceeds a level. Between four samples the boundary is a hyperbola (or, where
 * the field is flat, a line), and it is followed cell by cell: as marching
 * squares does, with the saddle's own value deciding which of two corners are
 * connected, and with as many points on the curve as a tolerance asks for.
 *
 * Coordinates are those of the picture: x to the right, y down, pixel centres at
 * integers. So the picture's edges are at -.5 and width - .5.
 *
 * The result is that of the exact curve: rings closed along the object's box and
 * the picture's edge, outer rings of positive area, holes of negative area with
 * their outer ring as parent. Every ring is simple, and rings do not touch,
 * for crossings keep a margin from the samples: 2^-21 of the largest coordinate,
 * a thousandth of a pixel in a picture of 2,000. What is equal to the level is
 * outside, and so is what is interpolated from NaN or minus infinity.
 */

#include <glib.h>

#include "base/executor.h"
#include "base/image.h"
#include "base/measures.h"
#include "contours/contours.h"

G_BEGIN_DECLS

/* Limits, beyond which CS_ERROR_LIMIT is set. */
#define CS_INSTANCES_MAX_OBJECTS (1u << 20)
#define CS_INSTANCES_MAX_SIDE (1u << 15)        /* of a field, resized or not */
#define CS_INSTANCES_MAX_PICTURE (1u << 20)     /* a side of the picture */

/**
 * CsInstancesOutside:
 * @CS_INSTANCES_EDGE: beyond its outermost samples a field goes on with their
 *     values, as with PyTorch's interpolate()
 * @CS_INSTANCES_ZEROS: it is 0 from one step beyond them on, as with
 *     grid_sample() and its padding of zeros
 */
typedef enum
{
  CS_INSTANCES_EDGE,
  CS_INSTANCES_ZEROS,
} CsInstancesOutside;

/**
 * CsInstancesParams:
 * @level: what a sample of an object exceeds: 0 for logits, .5 for probabilities
 * @tolerance: how far a polygon may be from the curve, in pixels of the picture;
 *     from CS_INSTANCES_MIN_TOLERANCE on
 * @min_area: rings of a smaller |area| are left out, in pixels squared
 * @measures: what is measured of each ring
 */
typedef struct
{
  double level;
  double tolerance;
  double min_area;
  CsMeasures measures;
} CsInstancesParams;

#define CS_INSTANCES_MIN_TOLERANCE 1e-4

/* Level 0, a tenth of a pixel, all rings, basic measures. */
void cs_instances_params_init (CsInstancesParams * params);

/**
 * CsInstance:
 * @field: of the input's fields, or the row of its coefficients
 * @class_id: copied to the records
 * @x0, @y0, @x1, @y1: the box that clips the object, as edges; infinite for none
 * @origin_x, @origin_y: where the centre of sample (0, 0) lies in the picture
 * @step_x, @step_y: pixels from a sample to the next, positive
 *
 * An object. With interpolate (align_corners=False) from a grid of w samples to
 * W pixels the step is W / w, and the origin (step - 1) / 2.
 */
typedef struct
{
  guint32 field;
  gint32 class_id;
  double x0, y0, x1, y1;
  double origin_x, origin_y, step_x, step_y;
} CsInstance;

/**
 * CsInstancesInput:
 * @fields: CS_SAMPLE_F32 or CS_SAMPLE_F16, a channel for each field, or for each
 *     prototype
 * @coefficients: %NULL, or a matrix of one channel with a row for each field and
 *     a column for each prototype: a field's sample is the sum of the
 *     prototypes' samples times the row's coefficients, in single precision and
 *     in the order of the columns
 * @resized_width, @resized_height: 0, or the size to which fields are resized
 *     first, as with interpolate (align_corners=False); what follows is of the
 *     samples of that
 * @grid_x, @grid_y: the first sample that counts, the (0, 0) of #CsInstance
 * @grid_width, @grid_height: how many count, or 0 for all from the first on; the
 *     others are as if they did not exist
 * @outside: what is beyond the samples
 * @width, @height: the picture's size
 * @instances: @n_instances objects
 * @first_id: id of the first ring
 */
typedef struct
{
  CsImage fields;
  const CsImage *coefficients;
  guint resized_width, resized_height;
  guint grid_x, grid_y, grid_width, grid_height;
  CsInstancesOutside outside;
  guint width, height;
  const CsInstance *instances;
  gsize n_instances;
  gint32 first_id;
} CsInstancesInput;

/**
 * CsInstances:
 *
 * A plan. Not thread-safe.
 */
typedef struct _CsInstances CsInstances;

/* @executor outlives the plan. Fails with CS_ERROR_INVALID or
 * CS_ERROR_NOT_SUPPORTED. */
CsInstances *cs_instances_new (const CsInstancesParams * params,
    CsExecutor * executor, GError ** error);

/* Changes the parameters of later runs; fails as cs_instances_new(), and leaves
 * them as they were. */
gboolean cs_instances_set_params (CsInstances * plan,
    const CsInstancesParams * params, GError ** error);

/* Makes what runs of frames like @input will need; of its instances only the
 * number is looked at, and no data. */
gboolean cs_instances_warm_up (CsInstances * plan,
    const CsInstancesInput * input, GError ** error);

/* Finds the rings of @input's objects, in their order, each object's in raster
 * order of where they begin. @output is filled in as by cs_contours_run(), with points of
 * CS_POINTS_F32; a record's image is the object's index, its level the plan's;
 * n_dropped counts rings left out for their area, and objects whose box in the
 * picture is thinner than four margins, or their samples closer. Samples may be where they say, but on the CPU not in
 * a GPU's memory. All backends give the same bits. Complete on return.
 * Fails with CS_ERROR_INVALID (types, strides, numbers that are not finite, a
 * field that is not there), CS_ERROR_LIMIT, CS_ERROR_NO_MEMORY,
 * CS_ERROR_DEVICE; the output's counts are 0 then. */
gboolean cs_instances_run (CsInstances * plan, const CsInstancesInput * input,
    CsContoursOutput * output, GError ** error);

void cs_instances_free (CsInstances * plan);

G_END_DECLS
