/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* What several of these tests need: small sets, and a payload that counts what
 * is done with it. */

#include "../lib/suite.h"
#include "shapes/gstshapes.h"

/* The library's criticals are as fatal, and as welcome to ASSERT_CRITICAL(), as
 * GStreamer's own. */
static inline void
note_critical (const gchar * domain, GLogLevelFlags level,
    const gchar * message, gpointer user_data)
{
  if (!_gst_check_expecting_log)
    fail ("unexpected: %s", message);
  if (level & G_LOG_LEVEL_CRITICAL)
    _gst_check_raised_critical = TRUE;
  else
    _gst_check_raised_warning = TRUE;
}

static inline void
shapes_note_criticals (void)
{
  g_log_set_handler ("GStreamer-Shapes",
      G_LOG_LEVEL_CRITICAL | G_LOG_LEVEL_WARNING, note_critical, NULL);
}

/* Two polylines: a closed triangle (id first_id) and an open line (first_id +
 * 1), and their moments. */
static const GstShapePoint two_points[] = {
  {0, 0}, {4, 0}, {0, 3}, {0, 0}, {1.5f, 2}, {8, -.25f}
};
static const guint32 two_offsets[] = { 0, 4, 6 };

static inline void
two_polylines (GstShapePolyline polylines[2], gint32 first_id)
{
  polylines[0] = (GstShapePolyline) {
    .id = first_id, .parent = -1, .class_id = 2,
    .flags = GST_SHAPE_FLAG_CLOSED, .level = .5, .area = 6, .perimeter = 12,
    .centroid_x = 4. / 3, .centroid_y = 1, .bbox_x1 = 4, .bbox_y1 = 3,
  };
  polylines[1] = (GstShapePolyline) {
    .id = first_id + 1, .parent = first_id, .class_id = 2,
    .flags = GST_SHAPE_FLAG_HOLE, .level = .5, .area = -.125,
    .perimeter = 6.8784082461, .centroid_x = 4.75, .centroid_y = .875,
    .bbox_x0 = 1.5, .bbox_y0 = -.25, .bbox_x1 = 8, .bbox_y1 = 2,
  };
}

static inline GstShapeLayer *
make_polylines (gint32 first_id)
{
  GstShapePolyline polylines[2];
  GstShapeMoments moments[2] = { {{6, 8, 6, 16, 6, 9}} };

  two_polylines (polylines, first_id);
  return gst_shape_layer_new_polylines_copy (two_points,
      G_N_ELEMENTS (two_points), two_offsets, polylines, 2, moments);
}

static const GstShapeCircle two_circles[] = {
  {1, 2, 3.5f, 0, 0x11223344, -1}, {.1f, -2, 0, 1, 0xff0000ff, 1}
};

static inline GstShapeLayer *
make_circles (void)
{
  return gst_shape_layer_new_circles_copy (two_circles, 2);
}

/* Polylines and circles. */
static inline GstShapeSet *
make_set (guint width, guint height)
{
  GstShapeSet *set = gst_shape_set_new (width, height);

  gst_shape_set_add_layer (set, make_polylines (0));
  gst_shape_set_add_layer (set, make_circles ());
  return set;
}

/* A hull of three vertices, id @first_id, and its measures. */
static const GstShapeHullMeasures one_measured = {
  5, -.6, .8, 2.4, .8, .6, 2, 1.5, 0, -1, 3, 4, 2, 1.5, 2.5
};

static inline GstShapeLayer *
make_measured_hull (void)
{
  static const GstShapePolyline record = {
    .id = 5, .parent = -1, .kind = GST_SHAPE_KIND_HULL,
    .flags = GST_SHAPE_FLAG_CLOSED, .area = 6, .solidity = .5
  };
  const GstShapeArrays arrays = {
    .n_shapes = 1, .n_points = 4, .points = two_points,
    .offsets = two_offsets, .polylines = &record,
    .hull_measures = &one_measured
  };

  return gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 1, 4, &arrays, NULL,
      NULL);
}

/* A layer's payload that is not on the host until it is downloaded. */
typedef struct
{
  gint downloads, maps, unmaps, releases;       /* atomic */
  gboolean fails;               /* the download does */
  gboolean lies;                /* the download has too few shapes */
  GThread *releaser;
  GstShapePolyline polylines[2];
} Payload;

static inline gboolean
payload_download (gpointer data, GstShapeArrays * host, GError ** error)
{
  Payload *payload = data;

  g_atomic_int_inc (&payload->downloads);
  /* Long enough that threads which do not wait for it are caught. */
  g_usleep (20000);
  if (payload->fails) {
    g_set_error_literal (error, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_READ,
        "the device is gone");
    return FALSE;
  }
  host->n_shapes = payload->lies ? 1 : 2;
  host->n_points = G_N_ELEMENTS (two_points);
  host->points = two_points;
  host->offsets = two_offsets;
  host->polylines = payload->polylines;
  return TRUE;
}

static inline gboolean
payload_map (gpointer data, gpointer context, gpointer stream,
    GstShapeArrays * device)
{
  Payload *payload = data;

  g_atomic_int_inc (&payload->maps);
  device->n_shapes = 2;
  return context == payload;
}

static inline void
payload_unmap (gpointer data, gpointer stream)
{
  g_atomic_int_inc (&((Payload *) data)->unmaps);
}

static inline void
payload_release (gpointer data)
{
  Payload *payload = data;

  payload->releaser = g_thread_self ();
  g_atomic_int_inc (&payload->releases);
}

static const GstShapePayloadOps payload_ops = {
  payload_download, payload_map, payload_unmap, payload_release
};

static inline GstShapeLayer *
make_payload_layer (Payload * payload, gint32 first_id)
{
  two_polylines (payload->polylines, first_id);
  return gst_shape_layer_new (GST_SHAPE_LAYER_POLYLINES, 2,
      G_N_ELEMENTS (two_points), NULL, &payload_ops, payload);
}
