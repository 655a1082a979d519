/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Interface between a plan and the backends:
 *
 *   contours.c --> contours_bands.c --> contours_run.c --> contours_plan.c
 *        |               |                                      |
 *        +---------------+--> contours_c*.c --> contours_params.c <--+ */

#include "contours.h"
#include "contours_layout.h"
#include "contours_planes.h"
#include "contours_ways.h"

G_BEGIN_DECLS

/* View @i of an upload can be computed. Returns: whether to go on */
typedef gboolean (*CsContoursReadyFunc) (void *user_data, guint i);

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
 * @upload: %NULL where @run takes the view as it is; else the first step: brings
 *     the images and masks of @n views, of which each has a state, to where
 *     @derive and the following take them, and replaces them in the views. Calls
 *     @ready, if there is one, for each in turn, as soon as what is queued from
 *     now on finds it; not for the rest, when it returns %FALSE or there is no
 *     memory. Fails when there is none for the first one, or a copy has failed;
 *     @ready may have been called then. Unless all have been ready, nothing is being copied on return
 * @start: with @upload: queues what @run does, without waiting for it. On failure
 *     nothing is queued
 * @join: of @n > 1 states that were started, the others after the first with a
 *     first id of 0: queues that all ids follow one another from @first_id, the
 *     first one's, on. On failure ids mean nothing
 * @finish: waits for what was started, in that order, and fills in the output;
 *     or sets @again, if scratch was too small and @run has to do it
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
  gboolean (*upload) (void *const *states, CsContoursView * views, guint n,
      CsContoursReadyFunc ready, void *user_data, GError ** error);
  gboolean (*start) (void *state, const CsContoursView * view,
      CsContoursOutput * output, GError ** error);
  gboolean (*join) (void *const *states, guint n, gint32 first_id,
      GError ** error);
  gboolean (*finish) (void *state, const CsContoursView * view,
      CsContoursOutput * output, gboolean * again, GError ** error);
} CsContoursBackend;

/* Chooses the backend for valid parameters. */
typedef const CsContoursBackend *(*CsContoursChooseFunc) (const
    CsContoursParams * params, CsExecutor * executor, GError ** error);

struct _CsContours
{
  CsContoursParams params;      /* targets, area_limits: owned copies; without
                                   groups */
  CsContoursPlanes planes;
  double plane_cost;            /* bytes of the frame's planes */
  CsExecutor *executor;
  CsContoursChooseFunc choose;
  const CsContoursBackend *backend;
  void *states[CS_CONTOURS_AT_ONCE];    /* the first one always, the others for
                                           frames at once */
  guint n_states;
};

extern const CsContoursBackend cs_contours_cpu_backend;
/* Only in builds with HAVE_CUDA. */
extern const CsContoursBackend cs_contours_cuda_backend;
/* Iso-bands, on top of either. */
extern const CsContoursBackend cs_contours_bands_backend;

/* Of lines, without bands. */
static inline const CsContoursBackend *
cs_contours_choose_lines (const CsContoursParams * params,
    CsExecutor * executor, GError ** error)
{
  return (const CsContoursBackend *) cs_executor_choose (executor,
      &cs_contours_cpu_backend, CS_IF_CUDA (&cs_contours_cuda_backend),
      "contours", error);
}

/* As cs_contours_new(), with another choice of backends. */
CsContours *cs_contours_new_by (CsContoursChooseFunc choose,
    const CsContoursParams * params, CsExecutor * executor, GError ** error);

gboolean cs_contours_check_params (const CsContoursParams * params,
    GError ** error);

/* Whether @image can be looked at. */
gboolean cs_contours_check_image (const CsContours * plan,
    const CsImage * image, GError ** error);

/* The view of frames of @image's shape, without data, and its cost. */
void cs_contours_init_view (CsContours * plan, const CsImage * image,
    CsContoursView * view);

/* What the kernels look at: planes, if all targets have one. */
void cs_contours_finish_view (const CsContours * plan, CsContoursView * view);

/* Makes states for up to @n frames like @image at once, at most as many as there
 * is memory for. Returns: their number, at least 1 */
guint cs_contours_ensure_states (CsContours * plan, const CsImage * image,
    guint n);

/* The class of target @t's shapes. */
gint32 cs_contours_get_class (const CsContoursParams * params, guint t);

/* Whether a target has limits of its own. */
gboolean cs_contours_have_area_limits (const CsContoursParams * params);

/* Whether @image with @n_segments is within the plan's max_memory; otherwise
 * @error is CS_ERROR_LIMIT. */
gboolean cs_contours_check_cost (const CsContours * plan,
    const CsImage * image, guint64 n_segments, GError ** error);

/* For benchmarks: replays the last frame's graph @n times, and returns the GPU
 * time of one in microseconds; negative on errors. The frame's memory must
 * still be valid. Only in builds with HAVE_CUDA. */
double cs_contours_cuda_replay (CsContours * plan, guint n);

/* Size of a point in bytes, 0 with CS_POINTS_NONE. */
gsize cs_point_size (CsPointFormat format);

G_END_DECLS
