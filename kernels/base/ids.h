/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* How results are numbered: from a first id on, up to 2^31 - 1. */

#include <glib.h>

#include "error.h"

G_BEGIN_DECLS

/* Beyond the last id it wraps around, so that it is defined until
 * cs_ids_check() says that there are too many. */
static inline gint32
cs_ids_get (gint32 first_id, gsize index)
{
  return (gint32) ((guint32) first_id + (guint32) index);
}

/* Whether @n results and the id after them can be numbered from @first_id on;
 * otherwise @error is CS_ERROR_LIMIT. @what: their name, "contours" */
static inline gboolean
cs_ids_check (gint32 first_id, gsize n, const gchar * what, GError ** error)
{
  if (n <= (gsize) ((gint64) G_MAXINT32 - first_id))
    return TRUE;
  return cs_error (error, CS_ERROR_LIMIT, "%" G_GSIZE_FORMAT
      " %s cannot be numbered from %d on, for ids end at %d; the shapes that "
      "are there already must have lower ones", n, what, first_id, G_MAXINT32);
}

G_END_DECLS
