/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* What the backends share: sizes, records and memory of a result. */
#include "hull_private.h"

#include <math.h>

gint cs_hull_ways[CS_HULL_N_WAYS];

gsize
cs_hull_type_size (CsHullType type)
{
  return type == CS_HULL_F64 ? 2 * sizeof (double) : 2 * sizeof (float);
}

gsize
cs_hull_returned_size (const CsHullParams * params, CsHullType type)
{
  switch (params->points) {
    case CS_HULL_POINTS_F32:
      return 2 * sizeof (float);
    case CS_HULL_POINTS_INPUT:
      return cs_hull_type_size (type);
    default:
      return 0;
  }
}

CsHullType
cs_hull_input_type (const CsHullInput * input)
{
  return input->mask ? CS_HULL_I32 : input->type;
}

gsize
cs_hull_max_hulls (const CsHullParams * params, const CsHullInput * input)
{
  if (input->mask)
    return 1;
  switch (params->scope) {
    case CS_HULL_SCOPE_PER_CONTOUR:
      return input->offsets ? input->n_polylines : 1;
    case CS_HULL_SCOPE_PER_CLASS:
      return params->n_classes;
    default:
      return 1;
  }
}

static gsize
align_256 (gsize size)
{
  return (size + 255) & ~(gsize) 255;
}

void
cs_hull_layout (const CsHullParams * params, CsHullType type, gsize n_hulls,
    gsize n_points, CsHullLayout * layout)
{
  const gsize features = params->measures == CS_MEASURES_FULL ?
      n_hulls * sizeof (CsHullFeatures) : 0;
  const gsize indices = params->indices ? n_points * sizeof (guint32) : 0;

  layout->offsets = 0;
  layout->hulls = align_256 ((n_hulls + 1) * sizeof (guint32));
  layout->features = layout->hulls + align_256 (n_hulls * sizeof (CsContour));
  layout->points = layout->features + align_256 (features);
  layout->indices = layout->points +
      align_256 (n_points * cs_hull_returned_size (params, type));
  layout->size = layout->indices + align_256 (indices);
}

void
cs_hull_output_set_host (CsHullOutput * output, const CsHullParams * params,
    const CsHullLayout * layout, void *block)
{
  guint8 *base = block;

  output->offsets = (guint32 *) (base + layout->offsets);
  output->hulls = (CsContour *) (base + layout->hulls);
  output->features = params->measures == CS_MEASURES_FULL ?
      (CsHullFeatures *) (base + layout->features) : NULL;
  output->points = params->points != CS_HULL_POINTS_NONE ?
      base + layout->points : NULL;
  output->indices = params->indices ?
      (guint32 *) (base + layout->indices) : NULL;
}

void
cs_hull_record_init (const CsHullParams * params, const CsHullInput * input,
    gsize set, CsContour * hull, double *area)
{
  *hull = (CsContour) {
    .parent = -1,
    .image = input->image_index,
    .kind = CS_CONTOUR_KIND_HULL,
    .flags = CS_CONTOUR_CLOSED,
  };
  *area = NAN;
  if (input->mask)
    return;
  if (params->scope == CS_HULL_SCOPE_PER_CLASS) {
    hull->class_id = set;
  } else if (params->scope == CS_HULL_SCOPE_PER_CONTOUR && input->contours) {
    const CsContour *contour = &input->contours[set];

    hull->parent = contour->id;
    hull->class_id = contour->class_id;
    hull->image = contour->image;
    hull->level = contour->level;
    *area = contour->area;
  } else if (params->scope == CS_HULL_SCOPE_PER_CONTOUR && input->offsets) {
    hull->parent = set;
  }
}
