/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "instances_private.h"

#include "base/ids.h"

gint cs_instances_ways[CS_INSTANCES_N_WAYS];

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
