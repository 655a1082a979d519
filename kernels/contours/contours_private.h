/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CONTOURS_PRIVATE_H
#define CS_CONTOURS_PRIVATE_H

/* Between contours.c, which checks and dispatches, and the two backends. */

#include "contours.h"

G_BEGIN_DECLS

/**
 * CsContoursBackend:
 * @create: a backend's state for @plan, whose parameters are checked
 * @update: the plan's parameters have changed, but neither the targets' number
 *     and channels, nor auto_level, hierarchy, measures and points; %NULL if the
 *     state must be made anew for any change
 * @warm_up: as cs_contours_warm_up()
 * @run: as cs_contours_run(); input is checked, at least 2 x 2 pixels, output's
 *     counts and pointers are zeroed. On failure they may be left as they are.
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (const CsContours * plan, GError ** error);
  void (*update) (void *state);
  gboolean (*warm_up) (void *state, const CsImage * image, GError ** error);
  gboolean (*run) (void *state, const CsContoursInput * input,
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

/* Whether @image with @n_segments costs no more than the plan's max_memory;
 * otherwise @error is CS_ERROR_LIMIT. */
gboolean cs_contours_check_cost (const CsContours * plan,
    const CsImage * image, guint64 n_segments, GError ** error);

/* For benchmarks: queues the last frame's work on the GPU @n times, and returns
 * how long each takes there, in microseconds; negative on errors. The frame's
 * memory must still be there. Only in builds with HAVE_CUDA. */
double cs_contours_cuda_replay (CsContours * plan, guint n);

/**
 * CsContoursLayout:
 *
 * Where the arrays of a result lie in one block of memory, each aligned to 256
 * bytes, in bytes from its start; @moments is @size without CS_MEASURES_FULL.
 */
typedef struct
{
  gsize points, offsets, contours, moments, size;
} CsContoursLayout;

void cs_contours_layout (const CsContoursParams * params, gsize n_contours,
    gsize n_points, CsContoursLayout * layout);

/* Bytes of a point, 0 with CS_POINTS_NONE. */
gsize cs_point_size (CsPointFormat format);

G_END_DECLS

#endif /* CS_CONTOURS_PRIVATE_H */
