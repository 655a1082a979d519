/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Parameters and images: what is valid, and sizes that follow from them. */
#include "contours_private.h"

#include <math.h>

/* 2^31 samples of a channel, 2^28 of a row: cell indices stay in 32 bits. */
#define MAX_PLANE (G_GUINT64_CONSTANT (1) << 31)
#define MAX_ROW (G_GUINT64_CONSTANT (1) << 28)

static const CsContoursTarget default_target = { 0, .5 };

gint cs_contours_ways[CS_CONTOURS_N_WAYS];

void
cs_contours_params_init (CsContoursParams * params)
{
  *params = (CsContoursParams) {
    .targets = &default_target,
    .n_targets = 1,
    .measures = CS_MEASURES_BASIC,
    .points = CS_POINTS_F32,
    .max_area = INFINITY,
    .level_scale = 1.,
  };
}

gsize
cs_point_size (CsPointFormat format)
{
  switch (format) {
    case CS_POINTS_F32:
      return 2 * sizeof (float);
    case CS_POINTS_F64:
      return 2 * sizeof (double);
    default:
      return 0;
  }
}

static gsize
align_256 (gsize size)
{
  return (size + 255) & ~(gsize) 255;
}

void
cs_contours_layout (CsPointFormat points, CsMeasures measures,
    gsize n_contours, gsize n_points, CsContoursLayout * layout)
{
  const gsize moments = measures == CS_MEASURES_FULL ?
      n_contours * sizeof (CsContourMoments) : 0;

  layout->points = 0;
  layout->offsets = align_256 (n_points * cs_point_size (points));
  layout->contours = layout->offsets +
      align_256 ((n_contours + 1) * sizeof (guint32));
  layout->moments = layout->contours +
      align_256 (n_contours * sizeof (CsContour));
  layout->size = layout->moments + align_256 (moments);
}

static gboolean
check_groups (const CsContoursParams * params, GError ** error)
{
  for (guint g = 0; g < params->n_groups; g++) {
    if (params->groups[g].n_channels == 0)
      return cs_error (error, CS_ERROR_INVALID, "group %u has no channels", g);
  }
  for (guint t = 0; t < params->n_targets; t++) {
    if (params->targets[t].channel >= CS_CONTOURS_GROUP (params->n_groups))
      return cs_error (error, CS_ERROR_INVALID,
          "target %u names a group that does not exist", t);
  }
  return TRUE;
}

/* Whether what targets are contours of makes sense. */
static gboolean
check_planes (const CsContoursParams * params, GError ** error)
{
  const guint window = params->adaptive_window;

  if (window != 0 && (window < 3 || window % 2 == 0 ||
          window > CS_ADAPTIVE_MAX_WINDOW))
    return cs_error (error, CS_ERROR_INVALID, "an adaptive window of %u pixels "
        "is not an odd number from 3 to %d", window, CS_ADAPTIVE_MAX_WINDOW);
  if ((params->exclusive || window) && params->auto_level)
    return cs_error (error, CS_ERROR_INVALID, "%s contours are those at 0; "
        "they have no automatic level", window ? "adaptive" : "exclusive");
  if (params->exclusive && window)
    return cs_error (error, CS_ERROR_INVALID,
        "contours cannot be exclusive and adaptive");
  if (!isfinite (params->adaptive_offset))
    return cs_error (error, CS_ERROR_INVALID,
        "the adaptive offset is not a finite number");
  for (guint t = 0; params->bands && t < params->n_targets; t++) {
    if (params->targets[t].channel >= CS_CONTOURS_GROUP (0) ||
        params->exclusive || window || params->area_limits)
      return cs_error (error, CS_ERROR_INVALID,
          "iso-bands are of channels as they are, without limits of targets");
  }
  for (guint t = 0; params->area_limits && t < params->n_targets; t++) {
    if (isnan (params->area_limits[t].min_area) ||
        isnan (params->area_limits[t].max_area))
      return cs_error (error, CS_ERROR_INVALID,
          "the limits of areas must be numbers");
  }
  return check_groups (params, error);
}

/* Whether parameters, valid but for that, are those of iso-bands. */
static gboolean
check_bands (const CsContoursParams * params, GError ** error)
{
  const CsContoursTarget *targets = params->targets;
  guint i, k;

  if (params->auto_level)
    return cs_error (error, CS_ERROR_INVALID,
        "iso-bands need levels; there is but one automatic level");
  for (i = 0; i < params->n_targets; i = k) {
    for (k = i + 1; k < params->n_targets &&
        targets[k].channel == targets[i].channel; k++) {
      if (targets[k].level > targets[k - 1].level)
        continue;
      return cs_error (error, CS_ERROR_INVALID, "the levels of iso-bands must "
          "ascend: %g follows %g", targets[k].level, targets[k - 1].level);
    }
    if (k - i >= 2)
      continue;
    return cs_error (error, CS_ERROR_INVALID,
        "an iso-band lies between two levels; there is but one");
  }
  return TRUE;
}

gboolean
cs_contours_check_params (const CsContoursParams * params, GError ** error)
{
  if (params->n_targets == 0)
    return cs_error (error, CS_ERROR_INVALID,
        "no targets: no channel and level to find contours of");
  for (guint i = 0; i < params->n_targets && !params->auto_level; i++) {
    if (!isfinite (params->targets[i].level))
      return cs_error (error, CS_ERROR_INVALID,
          "level %u is not a finite number", i);
  }
  if (isnan (params->min_area) || isnan (params->max_area))
    return cs_error (error, CS_ERROR_INVALID,
        "min-area and max-area must be numbers");
  return check_planes (params, error) &&
      (!params->bands || check_bands (params, error));
}

gint32
cs_contours_get_class (const CsContoursParams * params, guint t)
{
  const guint channel = params->targets[t].channel;

  return channel < CS_CONTOURS_GROUP (0) ? (gint32) channel :
      params->first_group_class + (gint32) (channel - CS_CONTOURS_GROUP (0));
}

gboolean
cs_contours_have_area_limits (const CsContoursParams * params)
{
  for (guint t = 0; params->area_limits && t < params->n_targets; t++) {
    if (params->area_limits[t].min_area > 0. ||
        params->area_limits[t].max_area < INFINITY)
      return TRUE;
  }
  return FALSE;
}

gboolean
cs_contours_check_image (const CsContours * plan, const CsImage * image,
    GError ** error)
{
  const guint64 more = 2 * plan->planes.border;
  const gsize size = cs_sample_size (image->type);

  if (image->width == 0 || image->height == 0 || image->channels == 0)
    return cs_error (error, CS_ERROR_INVALID,
        "an image of %u x %u pixels and %u channels has no samples",
        image->width, image->height, image->channels);
  if ((image->width + more) * (image->height + more) >= MAX_PLANE ||
      (image->width + more) * image->channels >= MAX_ROW)
    return cs_error (error, CS_ERROR_LIMIT,
        "an image of %u x %u pixels and %u channels is too large: a channel "
        "must have fewer than 2^31 samples and a row fewer than 2^28",
        image->width, image->height, image->channels);
  if (image->pixel_stride < size ||
      image->row_stride < (gsize) (image->width - 1) * image->pixel_stride +
      size || (image->channels > 1 && image->channel_stride < size))
    return cs_error (error, CS_ERROR_INVALID, "strides of %" G_GSIZE_FORMAT
        " (pixel), %" G_GSIZE_FORMAT " (row) and %" G_GSIZE_FORMAT
        " (channel) bytes make samples overlap", image->pixel_stride,
        image->row_stride, image->channel_stride);
  if (image->pixel_stride % size || image->row_stride % size ||
      image->channel_stride % size || (guintptr) image->data % size)
    return cs_error (error, CS_ERROR_INVALID, "samples of %" G_GSIZE_FORMAT
        " bytes are not aligned to their size", size);
  if (plan->planes.n_channels > image->channels)
    return cs_error (error, CS_ERROR_INVALID,
        "channel %u does not exist: the image has channels 0 to %u",
        plan->planes.n_channels - 1, image->channels - 1);
  return TRUE;
}

gboolean
cs_contours_check_cost (const CsContours * plan, const CsImage * image,
    guint64 n_segments, GError ** error)
{
  const CsContoursParams *params = &plan->params;
  /* in doubles, which do not overflow and are exact up to 2^53 */
  const double cost = (double) params->n_targets *
      MAX (image->width - 1., CS_CONTOURS_MIN_CELLS) *
      MAX (image->height - 1., CS_CONTOURS_MIN_CELLS) *
      CS_CONTOURS_CELL_COST +
      (double) n_segments * CS_CONTOURS_SEGMENT_COST + plan->plane_cost;

  if (params->max_memory == 0 || cost <= (double) params->max_memory)
    return TRUE;
  return cs_error (error, CS_ERROR_LIMIT, "the contours of %u x %u pixels at "
      "%u levels would take more than %.1f MiB of memory, and max-memory "
      "allows %.1f MiB; use fewer levels or less of the picture, smooth it, "
      "or raise max-memory", image->width, image->height, params->n_targets,
      cost / 1048576., (double) params->max_memory / 1048576.);
}
