/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* CUDA: scratch memory, and what of a frame depends on its shape. */
#include "contours_cuda_plan.cuh"

#include <string.h>

#include "base/memory.h"

/* Two sets of zeroed counters, at the start of scratch. */
static void
carve_zeroed (CsContoursCuda * cuda, CsCudaCarver * carver)
{
  CsFrame *f = &cuda->frame;

  f->counters = CS_CUDA_CARVE (carver, CsCounters, 1);
  f->next_counters = CS_CUDA_CARVE (carver, CsCounters, 1);
  f->chunks = CS_CUDA_CARVE (carver, CsU64, f->n_chunks);
  f->next_chunks = CS_CUDA_CARVE (carver, CsU64, f->n_chunks);
  f->ranges = CS_CUDA_CARVE (carver, CsU64, 2 * f->n_targets);
  f->next_ranges = CS_CUDA_CARVE (carver, CsU64, 2 * f->n_targets);
  f->bins = CS_CUDA_CARVE (carver, uint32_t, (gsize) f->n_targets * f->n_bins);
  f->selected = CS_CUDA_CARVE (carver, CsU64, f->n_selected_chunks);
  f->next_selected = CS_CUDA_CARVE (carver, CsU64, f->n_selected_chunks);
  cuda->zeroed_size = carver->used;
}

static void
carve_contours (CsContoursCuda * cuda, CsCudaCarver * carver)
{
  const CsContoursParams *params = &cuda->plan->params;
  CsFrame *f = &cuda->frame;
  const gsize n = f->max_contours;

  f->contour_kind = CS_CUDA_CARVE (carver, uint32_t, n);
  f->contour_word = CS_CUDA_CARVE (carver, uint32_t, n);
  f->contour_bit = CS_CUDA_CARVE (carver, uint32_t, n);
  f->contour_items = CS_CUDA_CARVE (carver, uint32_t, n);
  f->contour_done = CS_CUDA_CARVE (carver, uint32_t, n);
  f->items = CS_CUDA_CARVE (carver, uint32_t, f->max_items);
  f->sums = CS_CUDA_CARVE (carver, CsSums, f->max_items);
  f->enclosing = CS_CUDA_CARVE (carver, uint32_t, params->hierarchy ? n : 0);
  f->new_index = CS_CUDA_CARVE (carver, uint32_t, f->late_filter ? n : 0);
  f->raw.points = f->late_filter || f->point_size == 0 ?
      cs_cuda_carve (carver, f->max_points, f->points_are_double ? 16 : 8) :
      NULL;
  if (f->late_filter) {
    f->raw.offsets = CS_CUDA_CARVE (carver, uint32_t, n + 1);
    f->raw.contours = CS_CUDA_CARVE (carver, CsContour, n);
    f->raw.moments = CS_CUDA_CARVE (carver, CsContourMoments,
        params->measures == CS_MEASURES_FULL ? n : 0);
  }
}

static void
carve_all (CsContoursCuda * cuda, CsCudaCarver * carver)
{
  CsFrame *f = &cuda->frame;

  carve_zeroed (cuda, carver);
  f->self = CS_CUDA_CARVE (carver, CsFrame, 1);
  f->targets = CS_CUDA_CARVE (carver, CsTarget, f->n_targets);
  f->levels = CS_CUDA_CARVE (carver, double, f->n_targets);
  f->words = CS_CUDA_CARVE (carver, CsWord, f->n_words);
  f->starts = CS_CUDA_CARVE (carver, CsStarts, f->n_words);
  f->segment_pixel = CS_CUDA_CARVE (carver, uint32_t, f->max_segments);
  f->segment_info = CS_CUDA_CARVE (carver, uint32_t, f->max_segments);
  f->segment_fragment = CS_CUDA_CARVE (carver, uint32_t, f->max_segments);
  f->fragments = CS_CUDA_CARVE (carver, CsFragment, f->max_fragments);
  f->jumps = CS_CUDA_CARVE (carver, CsJump, f->max_fragments);
  f->min_jumps = CS_CUDA_CARVE (carver, CsMinJump, f->max_fragments);
  f->places = CS_CUDA_CARVE (carver, CsPlace, f->max_fragments);
  f->roots = CS_CUDA_CARVE (carver, CsRoot, f->max_fragments);
  carve_contours (cuda, carver);
}

static CsTarget
get_target (const CsContoursCuda * cuda, guint t)
{
  const CsContoursParams *params = &cuda->plan->params;
  const gint plane = cuda->plan->planes.of_target[t];
  CsTarget target = { cs_contours_get_class (params, t),
    plane >= 0 ? (guint) plane : params->targets[t].channel,
    plane >= 0 && !cuda->plan->planes.all, 0, params->targets[t].level,
    params->min_area, params->max_area
  };
  gboolean codes;

  if (params->area_limits) {
    target.min_area = MAX (target.min_area, params->area_limits[t].min_area);
    target.max_area = MIN (target.max_area, params->area_limits[t].max_area);
  }
  cs_contours_n_bins (params, t, cuda->user_type, &codes);
  target.codes = codes;
  return target;
}

/* Bins of each target. */
static guint
count_bins (const CsContoursCuda * cuda)
{
  const CsContoursParams *params = &cuda->plan->params;
  gboolean codes;
  guint n = 0, t;

  if (!params->auto_level || params->auto_method != CS_AUTO_LEVEL_OTSU)
    return 0;
  for (t = 0; t < params->n_targets; t++)
    n = MAX (n, cs_contours_n_bins (params, t, cuda->user_type, &codes));
  return n;
}

void
cs_contours_cuda_fill_scalars (CsContoursCuda * cuda)
{
  const CsContoursParams *params = &cuda->plan->params;
  CsFrame *f = &cuda->frame;

  for (guint t = 0; t < MIN (params->n_targets, CS_INLINE_TARGETS); t++)
    f->inline_targets[t] = get_target (cuda, t);
  f->high = params->fully_connected_high;
  f->reversed = params->positive_orientation_high;
  f->min_points = params->min_points;
  f->level_scale = params->level_scale;
}

/* Whether nothing changes records once they are measured. */
static gboolean
may_be_direct (const CsContoursCuda * cuda)
{
  const CsContoursParams *params = &cuda->plan->params;

  return !params->hierarchy && !cuda->late_filter &&
      params->measures != CS_MEASURES_FULL;
}

/* The part of the frame that depends on the shape only. */
static void
fill_shape (CsContoursCuda * cuda, const Shape * shape)
{
  const CsContoursParams *params = &cuda->plan->params;
  const Capacity *capacity = &shape->capacity;
  CsFrame *f = &cuda->frame;

  memset (f, 0, sizeof (*f));
  f->width = shape->width;
  f->height = shape->height;
  f->tiles_x = (shape->width - 1 + CS_TILE - 1) / CS_TILE;
  f->tiles_y = (shape->height - 1 + CS_TILE - 1) / CS_TILE;
  f->n_targets = params->n_targets;
  f->n_words = f->n_targets * (f->height - 1) * f->tiles_x;
  f->n_chunks = (f->n_words + CS_WORDS_PER_CHUNK - 1) / CS_WORDS_PER_CHUNK;
  f->type = shape->type;
  f->n_bins = count_bins (cuda);
  f->auto_level = !params->auto_level ? 0 :
      params->auto_method == CS_AUTO_LEVEL_OTSU ? CS_LEVELS_OTSU :
      CS_LEVELS_MIDRANGE;
  f->hierarchy = f->zero_words = params->hierarchy;
  f->late_filter = cuda->late_filter;
  f->measures = params->measures;
  f->points_are_double = params->points == CS_POINTS_F64;
  f->point_size = cs_point_size (params->points);
  f->max_segments = (uint32_t) capacity->segments;
  f->max_fragments = (uint32_t) capacity->fragments;
  f->max_contours = (uint32_t) capacity->contours;
  f->max_points = (uint32_t) capacity->points;
  /* full moments use all lanes */
  f->max_short = params->measures == CS_MEASURES_FULL ? 0 : CS_SUM_LANES;
  f->measure_blocks = blocks_for (cuda, f->max_contours / 2, CS_THREADS / 32);
  f->max_items = (uint32_t) ((f->max_short ? capacity->points / f->max_short :
          capacity->contours) + capacity->points / CS_SUM_BLOCK + 1);
  cuda->may_be_direct = may_be_direct (cuda);
  f->n_selected_chunks = f->late_filter ? (f->max_contours +
      CS_CONTOURS_PER_CHUNK - 1) / CS_CONTOURS_PER_CHUNK : 0;
  f->published = cuda->device_published;
  cs_contours_cuda_fill_scalars (cuda);
}

/* All targets to the device. */
static gboolean
upload_targets (CsContoursCuda * cuda, GError ** error)
{
  const guint n = cuda->plan->params.n_targets;
  g_autofree CsTarget *targets = cs_try_new (CsTarget, n);

  if (!targets)
    return cs_fail_no_memory (error, "levels");
  for (guint t = 0; t < n; t++)
    targets[t] = get_target (cuda, t);
  /* pageable memory has been read when this returns */
  return cs_cuda_check (cudaMemcpyAsync ((void *) cuda->frame.targets,
          targets, n * sizeof (CsTarget), cudaMemcpyHostToDevice,
          cuda->stream), "upload levels", error);
}

gboolean
cs_contours_cuda_make_scratch (CsContoursCuda * cuda, const Shape * shape,
    GError ** error)
{
  CsCudaCarver carver = { NULL, 0 };

  cuda->user_type = shape->user_type;
  fill_shape (cuda, shape);
  do
    carve_all (cuda, &carver);
  while (cs_cuda_carve_again (&carver, &cuda->scratch, cuda->stream, error));
  return carver.base && cs_cuda_check (cudaMemsetAsync (carver.base, 0,
          cuda->zeroed_size, cuda->stream), "clear device memory", error) &&
      upload_targets (cuda, error);
}
