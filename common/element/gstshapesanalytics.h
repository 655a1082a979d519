/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What elements read of GStreamer's analytics metadata. Only in builds with
 * that library. */

#include <gst/analytics/analytics.h>

/* The track that @object is related to, in either direction; -1 for none. */
static inline gint64
gst_shapes_analytics_find_track (GstAnalyticsRelationMeta * meta,
    const GstAnalyticsMtd * object)
{
  GstAnalyticsTrackingMtd tracking;
  GstClockTime first, last;
  gpointer state = NULL;
  gboolean lost;
  guint64 id;

  if (!gst_analytics_relation_meta_get_direct_related (meta, object->id,
          GST_ANALYTICS_REL_TYPE_ANY,
          gst_analytics_tracking_mtd_get_mtd_type (), &state, &tracking) ||
      !gst_analytics_tracking_mtd_get_info (&tracking, &id, &first, &last,
          &lost) || id > G_MAXINT64)
    return -1;
  return (gint64) id;
}
