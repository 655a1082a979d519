/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "stats_private.h"

#include <math.h>

#define MAX_POINTS (G_GUINT64_CONSTANT (1) << 31)

struct _CsStats
{
  CsExecutor *executor;
  const CsStatsBackend *backend;
  void *state;
};

void
cs_stats_describe (const CsStatsSums * sums, double steps, double *mean,
    double *deviation)
{
  const double n = (double) sums->n;

  *mean = *deviation = NAN;
  if (sums->n == 0)
    return;
  *mean = (double) sums->sum / n / steps;
  /* exact, so that nothing cancels out */
  *deviation = sqrt ((double) ((unsigned __int128) sums->n * sums->squares -
          (unsigned __int128) ((__int128) sums->sum * sums->sum))) / n / steps;
}

/* Checks */

static gboolean
check_kind (const CsStatsInput * input, GError ** error)
{
  const CsPicture *picture = input->picture;

  if (input->kind == CS_STATS_LAB && (picture->model != CS_PICTURE_RGB ||
          picture->type != CS_SAMPLE_U8))
    return cs_error (error, CS_ERROR_INVALID,
        "L*a*b* is computed of RGB of 8 bits");
  for (gsize i = 0; input->kind == CS_STATS_PROBABILITY && i < input->n_regions;
      i++) {
    const CsStatsRegion *region = &input->regions[i];

    if (region->image >= input->n_images ||
        region->channel >= input->images[region->image].channels)
      return cs_error (error, CS_ERROR_INVALID,
          "there is no channel %u of image %u", region->channel, region->image);
  }
  return TRUE;
}

static gboolean
check_memory (const CsStats * stats, CsMemory memory, const gchar * what,
    GError ** error)
{
  if (memory != CS_MEMORY_DEVICE
      || cs_executor_get_backend (stats->executor) != CS_BACKEND_CPU)
    return TRUE;
  return cs_error (error, CS_ERROR_INVALID,
      "%s are in GPU memory: download them first to use the CPU", what);
}

static gboolean
check_image (const CsStats * stats, const CsImage * image, GError ** error)
{
  const gsize size = cs_sample_size (image->type);

  if ((guintptr) image->data % size || image->pixel_stride % size
      || image->row_stride % size || image->channel_stride % size)
    return cs_error (error, CS_ERROR_INVALID, "samples of %" G_GSIZE_FORMAT
        " bytes whose address or strides are no multiples of that", size);
  return check_memory (stats, image->memory, "the samples", error);
}

static gboolean
check_images (const CsStats * stats, const CsStatsInput * input,
    GError ** error)
{
  const CsPicture *picture = input->picture;

  if (input->kind == CS_STATS_PROBABILITY) {
    for (guint i = 0; i < input->n_images; i++)
      if (!check_image (stats, &input->images[i], error))
        return FALSE;
    return TRUE;
  }
  for (guint i = 0; i < cs_stats_get_n_components (picture); i++) {
    const CsImage image = cs_picture_get_component (picture, i);

    if (!check_image (stats, &image, error))
      return FALSE;
  }
  return TRUE;
}

static gboolean
check_rings (const CsStats * stats, const CsStatsInput * input, GError ** error)
{
  if (input->n_regions >= MAX_POINTS)
    return cs_error (error, CS_ERROR_LIMIT,
        "there must be fewer than 2^31 regions");
  for (gsize i = 0; i < input->n_regions; i++) {
    const CsStatsRegion *region = &input->regions[i];

    for (gsize r = 0; r < region->n_rings; r++) {
      const CsStatsRing *ring = &input->rings[region->first_ring + r];

      if (ring->n >= MAX_POINTS)
        return cs_error (error, CS_ERROR_LIMIT, "a ring of %" G_GSIZE_FORMAT
            " points: there must be fewer than 2^31", ring->n);
      if (!check_memory (stats, ring->memory, "points", error))
        return FALSE;
    }
  }
  return TRUE;
}

/* Plans */

CsStats *
cs_stats_new (CsExecutor * executor, GError ** error)
{
  const CsStatsBackend *backend = cs_executor_choose (executor,
      &cs_stats_cpu_backend, CS_IF_CUDA (&cs_stats_cuda_backend),
      "statistics", error);

  if (!backend)
    return NULL;
  void *state = backend->create (executor, error);
  if (!state)
    return NULL;
  CsStats *stats = g_new (CsStats, 1);
  *stats = (CsStats) { executor, backend, state };
  return stats;
}

void
cs_stats_free (CsStats * stats)
{
  if (!stats)
    return;
  stats->backend->destroy (stats->state);
  g_free (stats);
}

gboolean
cs_stats_warm_up (CsStats * stats, CsStatsKind kind, gsize n_regions,
    gsize n_points, GError ** error)
{
  return stats->backend->warm_up (stats->state, kind, n_regions, n_points,
      error);
}

gboolean
cs_stats_run (CsStats * stats, const CsStatsInput * input, CsStatsSums * sums,
    GError ** error)
{
  return check_kind (input, error) && check_images (stats, input, error) &&
      check_rings (stats, input, error) &&
      (input->n_regions == 0 ||
      stats->backend->run (stats->state, input, sums, error));
}

double
cs_stats_get_device_time (CsStats * stats, guint n)
{
#ifdef HAVE_CUDA
  if (cs_executor_get_backend (stats->executor) == CS_BACKEND_CUDA)
    return cs_stats_cuda_replay (stats->state, n);
#endif
  return -1.;
}
