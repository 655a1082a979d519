/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef CS_CONTOURS_PRIVATE_H
#define CS_CONTOURS_PRIVATE_H

/* Interface between contours.c, which checks and dispatches, and the
 * backends. */

#include "contours.h"
#include "contours_planes.h"

G_BEGIN_DECLS

/**
 * CsContoursBackend:
 * @create: the backend's state for @plan, whose parameters are valid
 * @update: the plan's parameters have changed, but neither the targets' number
 *     and channels, nor what cs_contours_set_params() calls structure; %NULL if
 *     any change requires a new state
 * @warm_up: as cs_contours_warm_up(); @view has no data
 * @derive: computes the planes of @view, whose input is the user's, in the
 *     state's memory, and with a border the mask. Replaces the input's image and
 *     mask if they had to be copied.
 * @run: as cs_contours_run(); the view is complete, and its images have at least
 *     2 x 2 pixels; the output's counts and pointers are zeroed. On failure they
 *     are undefined.
 * @destroy: frees the state
 */
typedef struct
{
  void *(*create) (const CsContours * plan, GError ** error);
  void (*update) (void *state);
  gboolean (*warm_up) (void *state, const CsContoursView * view,
      GError ** error);
  gboolean (*derive) (void *state, CsContoursView * view, GError ** error);
  gboolean (*run) (void *state, const CsContoursView * view,
      CsContoursOutput * output, GError ** error);
  void (*destroy) (void *state);
} CsContoursBackend;

struct _CsContours
{
  CsContoursParams params;      /* targets, area_limits: owned copies; without
                                   groups */
  CsContoursPlanes planes;
  double plane_cost;            /* bytes of the frame's planes */
  CsExecutor *executor;
  const CsContoursBackend *backend;
  void *state;
};

extern const CsContoursBackend cs_contours_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsContoursBackend cs_contours_cuda_backend;

/* The class of target @t's shapes. */
gint32 cs_contours_get_class (const CsContoursParams * params, guint t);

/* Whether a target has limits of its own. */
gboolean cs_contours_have_area_limits (const CsContoursParams * params);
/* Iso-bands, on either backend. */
extern const CsContoursBackend cs_contours_bands_backend;

/* Whether @params, valid but for that, are those of iso-bands. */
gboolean cs_bands_check_params (const CsContoursParams * params,
    GError ** error);

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
