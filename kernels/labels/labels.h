/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/**
 * Polygons of all labels of an integer picture, in one pass.
 *
 * The rings of label k are the contours of (labels == k) at .5, closed at the
 * picture's edge, as cs_contours_run() finds them with close_at_border: those of
 * scikit-image's find_contours (numpy.pad (labels == k, 1), .5), less 1, with
 * the same first point and direction. All their points are halfway between two
 * pixels' centres. Or they are the outlines of the pixels: lines between the
 * corners of pixels, which tile the picture, with a point at each corner only.
 *
 * Pixels of a label are connected by their sides, as find_contours does by
 * default. Outer rings have a positive area, holes a negative one. Coordinates:
 * x to the right, y down, pixel centres at integers.
 *
 * The time depends on the number of pixels and on the length of the borders, but
 * not on the number of labels.
 */

#include <glib.h>

#include "base/executor.h"
#include "contours/contours.h"

G_BEGIN_DECLS

/* The largest label, and sides of pictures. Larger ones fail with
 * CS_ERROR_LIMIT. */
#define CS_LABELS_MAX G_MAXINT32
#define CS_LABELS_MAX_SIDE (1u << 22)

/**
 * CsLabelsOutline:
 * @CS_LABELS_CONTOURS: points halfway between two pixels' centres
 * @CS_LABELS_PIXELS: the outlines of pixels, a point at each corner
 */
typedef enum
{
  CS_LABELS_CONTOURS,
  CS_LABELS_PIXELS,
} CsLabelsOutline;

/**
 * CsLabelsParams:
 * @outline: what rings are
 * @background: the label that has no rings, or -1 if all have
 * @hierarchy: find the parent of each outer ring, too: the hole of the same label
 *     that it lies in. The parent of a hole is always found: the ring around it
 * @min_area: rings of a smaller |area| are left out, in pixels squared
 * @measures: what is measured of each ring
 */
typedef struct
{
  CsLabelsOutline outline;
  gint64 background;
  gboolean hierarchy;
  double min_area;
  CsMeasures measures;
} CsLabelsParams;

/* Contours, background 0, no hierarchy, all rings, basic measures. */
void cs_labels_params_init (CsLabelsParams * params);

/**
 * CsLabelsPicture:
 * @data: of pixel (0, 0), aligned to @size
 * @memory: where @data lies
 * @size: bytes of a label: 1, 2, 4 or 8
 * @is_signed: whether it has a sign; labels below 0 have no rings
 * @width, @height: in pixels; 0 for a picture without labels
 * @pixel_stride, @row_stride: bytes from a label to the one to the right, and
 *     below; multiples of @size
 */
typedef struct
{
  const void *data;
  CsMemory memory;
  guint size;
  gboolean is_signed;
  guint width, height;
  gsize pixel_stride, row_stride;
} CsLabelsPicture;

/**
 * CsLabelsInput:
 * @picture: the labels
 * @wanted: %NULL for all, or @n_wanted labels in ascending order: all others are
 *     as the background
 * @origin_x, @origin_y: coordinates of the picture's first pixel; with the
 *     picture's sides at most CS_LABELS_MAX_SIDE
 * @first_id: id of the first ring
 * @image_index: copied to every record
 */
typedef struct
{
  CsLabelsPicture picture;
  const guint32 *wanted;
  gsize n_wanted;
  guint origin_x, origin_y;
  gint32 first_id;
  gint32 image_index;
} CsLabelsInput;

/**
 * CsLabels:
 *
 * A plan. Not thread-safe.
 */
typedef struct _CsLabels CsLabels;

/* @executor outlives the plan. Fails with CS_ERROR_INVALID or
 * CS_ERROR_NOT_SUPPORTED. */
CsLabels *cs_labels_new (const CsLabelsParams * params, CsExecutor * executor,
    GError ** error);

/* Changes the parameters of later runs; fails as cs_labels_new(), and leaves
 * them as they were. */
gboolean cs_labels_set_params (CsLabels * plan, const CsLabelsParams * params,
    GError ** error);

/* Makes what runs of pictures like @picture will need; its labels are not
 * looked at. */
gboolean cs_labels_warm_up (CsLabels * plan, const CsLabelsPicture * picture,
    GError ** error);

/* Finds the rings of @input's labels, in the order of the labels, each label's
 * in raster order of their first segment. @output is filled in as by
 * cs_contours_run(), with points of CS_POINTS_F32; a record's class_id is the
 * label, its level .5. n_segments counts the steps from a pixel's side to the
 * next; n_dropped those rings left out. All backends give the same bits.
 * Complete on return. Fails with CS_ERROR_INVALID (sizes, strides, a picture in
 * memory of the GPU on the CPU, labels that were seen to change meanwhile: others
 * that somebody writes give any rings), CS_ERROR_LIMIT (labels, sides, 2^31 pixels on
 * the GPU, 2^31 points), CS_ERROR_NO_MEMORY, CS_ERROR_DEVICE; the output's counts
 * are 0 then. */
gboolean cs_labels_run (CsLabels * plan, const CsLabelsInput * input,
    CsContoursOutput * output, GError ** error);

/* The same of a picture that comes in strips, from the top down, which need not
 * be kept: on the CPU only, else CS_ERROR_NOT_SUPPORTED. All but the picture's
 * data, height and row_stride are those of the first strip; origin_y is the
 * first strip's. The result is that of the whole picture. If a call fails, begin
 * again. cs_labels_finish() has the rings; without a strip there are none. */
void cs_labels_begin (CsLabels * plan);
gboolean cs_labels_add_strip (CsLabels * plan, const CsLabelsInput * strip,
    GError ** error);
gboolean cs_labels_finish (CsLabels * plan, CsContoursOutput * output,
    GError ** error);

void cs_labels_free (CsLabels * plan);

G_END_DECLS
