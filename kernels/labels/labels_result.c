/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "labels_private.h"

#include "base/ids.h"

gint cs_labels_ways[CS_LABELS_N_WAYS];

gboolean
cs_labels_check_picture (const CsLabelsPicture * picture, GError ** error)
{
  const gsize size = picture->size;

  if (size != 1 && size != 2 && size != 4 && size != 8)
    return cs_error (error, CS_ERROR_INVALID, "labels have 1, 2, 4 or 8 bytes, "
        "and not %" G_GSIZE_FORMAT, size);
  if (picture->memory > CS_MEMORY_DEVICE)
    return cs_error (error, CS_ERROR_INVALID, "labels are in unknown memory %d",
        picture->memory);
  if (picture->pixel_stride % size || picture->row_stride % size ||
      (guintptr) picture->data % size)
    return cs_error (error, CS_ERROR_INVALID, "labels of %" G_GSIZE_FORMAT
        " bytes whose address or strides are no multiples of that", size);
  if (picture->width > CS_LABELS_MAX_SIDE ||
      picture->height > CS_LABELS_MAX_SIDE)
    return cs_error (error, CS_ERROR_LIMIT, "%u x %u labels are too many: the "
        "limit of a side is %u", picture->width, picture->height,
        CS_LABELS_MAX_SIDE);
  return TRUE;
}

gboolean
cs_labels_fail_label (guint64 label, guint x, gsize y, GError ** error)
{
  return cs_error (error, CS_ERROR_LIMIT, "pixel (%u, %" G_GSIZE_FORMAT
      ") has the label %" G_GUINT64_FORMAT ": the largest one is %d; number the "
      "labels anew, from 1 on", x, y, label, CS_LABELS_MAX);
}

gboolean
cs_labels_fail_changed (GError ** error)
{
  return cs_error (error, CS_ERROR_INVALID, "labels have changed while they "
      "were read: nobody may write them, or give a copy");
}

gboolean
cs_labels_check_result (gint32 first_id, gsize n_contours, gsize n_points,
    GError ** error)
{
  if (n_points > G_MAXINT32)
    return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT " points of all "
        "labels are too many: the limit is 2^31; find those of parts of the "
        "picture", n_points);
  return cs_ids_check (first_id, n_contours, "rings of labels", error);
}
