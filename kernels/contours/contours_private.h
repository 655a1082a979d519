/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CONTOURS_PRIVATE_H
#define CS_CONTOURS_PRIVATE_H

/* Interface between contours.c, which checks and dispatches, and the
 * backends. */

#include "contours.h"

G_BEGIN_DECLS

/**
 * CsContoursBackend:
 * @create: the backend's state for @plan, whose parameters are valid
 * @update: the plan's parameters have changed, but neither the targets' number
 *     and channels, nor auto_level, hierarchy, measures and points; %NULL if
 *     any change requires a new state
 * @warm_up: as cs_contours_warm_up()
 * @add_border: fills in the image of @bordered, which has its shape, and its mask
 *     if there is one: those of @input with @border more samples on all sides,
 *     of minus infinity and valid. In the state's memory; @mask, the caller's,
 *     describes the mask.
 * @run: as cs_contours_run(); the input is valid and has at least 2 x 2 pixels,
 *     the outermost @border of which are not samples of the user; the output's
 *     counts and pointers are zeroed. On failure they are undefined.
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (const CsContours * plan, GError ** error);
  void (*update) (void *state);
  gboolean (*warm_up) (void *state, const CsImage * image, GError ** error);
  gboolean (*add_border) (void *state, const CsContoursInput * input,
      guint border, CsContoursInput * bordered, CsImage * mask,
      GError ** error);
  gboolean (*run) (void *state, const CsContoursInput * input, guint border,
      CsContoursOutput * output, GError ** error);
  void (*destroy) (void *state);
} CsContoursBackend;

struct _CsContours
{
  CsContoursParams params;      /* targets: owned copy */
  CsExecutor *executor;
  const CsContoursBackend *backend;
  void *state;
};

extern const CsContoursBackend cs_contours_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsContoursBackend cs_contours_cuda_backend;

/* The shape of @image with @border more samples on all sides, as a dense plane
 * for each channel, in single precision, or double for doubles. No data. */
CsImage cs_contours_bordered_shape (const CsImage * image, guint border);

/* Whether @image with @n_segments is within the plan's max_memory; otherwise
 * @error is CS_ERROR_LIMIT. */
gboolean cs_contours_check_cost (const CsContours * plan,
    const CsImage * image, guint64 n_segments, GError ** error);

/* For benchmarks: replays the last frame's graph @n times, and returns the GPU
 * time of one in microseconds; negative on errors. The frame's memory must
 * still be valid. Only in builds with HAVE_CUDA. */
double cs_contours_cuda_replay (CsContours * plan, guint n);

/**
 * CsContoursLayout:
 *
 * Byte offsets of a result's arrays in one block of memory, each aligned to
 * 256;
 * @moments equals @size without CS_MEASURES_FULL.
 */
typedef struct
{
  gsize points, offsets, contours, moments, size;
} CsContoursLayout;

void cs_contours_layout (const CsContoursParams * params, gsize n_contours,
    gsize n_points, CsContoursLayout * layout);

/* Size of a point in bytes, 0 with CS_POINTS_NONE. */
gsize cs_point_size (CsPointFormat format);

G_END_DECLS

#endif /* CS_CONTOURS_PRIVATE_H */
