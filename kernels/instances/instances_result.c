/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "instances_private.h"

#include "base/ids.h"

#define ALIGNMENT 256

gint cs_instances_ways[CS_INSTANCES_N_WAYS];

static gsize
place (gsize * size, gsize n, gsize each)
{
  const gsize at = *size;

  *size += (n * each + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  return at;
}

void
cs_instances_lay_out (CsMeasures measures, gsize n_contours, gsize n_points,
    CsInstancesLayout * layout)
{
  gsize size = 0;

  layout->points = place (&size, n_points, 2 * sizeof (float));
  layout->offsets = place (&size, n_contours + 1, sizeof (guint32));
  layout->contours = place (&size, n_contours, sizeof (CsContour));
  layout->moments = place (&size, measures == CS_MEASURES_FULL ? n_contours : 0,
      sizeof (CsContourMoments));
  layout->size = size;
}

gboolean
cs_instances_check_result (const CsInstancesInput * input, gsize n_contours,
    gsize n_points, GError ** error)
{
  if (n_points > G_MAXINT32)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT " points of all "
        "objects are too many: the limit is 2^31; a larger tolerance, or fewer "
        "objects at once, helps", n_points);
  return cs_ids_check (input->first_id, n_contours, "rings of objects", error);
}
