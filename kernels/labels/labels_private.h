/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between a plan and the backends. */

#include "contours/contours_layout.h"
#include "labels.h"
#include "labels_ways.h"

G_BEGIN_DECLS

/**
 * CsLabelsBackend:
 * @warm_up: @picture's data is not looked at
 * @run: @input is valid. On failure the output's numbers are undefined
 * @begin, @add_strip, @finish: %NULL without strips; @finish gets the first
 *     strip, without its data, or %NULL if there was none
 */
typedef struct
{
  void *(*create) (CsExecutor * executor, GError ** error);
  gboolean (*warm_up) (void *state, const CsLabelsParams * params,
      const CsLabelsPicture * picture, GError ** error);
  gboolean (*run) (void *state, const CsLabelsParams * params,
      const CsLabelsInput * input, CsContoursOutput * output, GError ** error);
  void (*begin) (void *state);
  gboolean (*add_strip) (void *state, const CsLabelsParams * params,
      const CsLabelsInput * strip, GError ** error);
  gboolean (*finish) (void *state, const CsLabelsParams * params,
      const CsLabelsInput * first, CsContoursOutput * output, GError ** error);
  void (*destroy) (void *state);
} CsLabelsBackend;

extern const CsLabelsBackend cs_labels_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsLabelsBackend cs_labels_cuda_backend;

/* Whether @picture's size and strides are possible. */
gboolean cs_labels_check_picture (const CsLabelsPicture * picture,
    GError ** error);

/* Fails for the label @label of pixel (@x, @y), which is too large: the first
 * one in raster order. */
gboolean cs_labels_fail_label (guint64 label, guint x, gsize y,
    GError ** error);

/* Fails for a picture that somebody writes at the same time. */
gboolean cs_labels_fail_changed (GError ** error);

/* Whether @n_contours of @n_points fit into a result. */
gboolean cs_labels_check_result (gint32 first_id, gsize n_contours,
    gsize n_points, GError ** error);

G_END_DECLS
