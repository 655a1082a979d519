/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeanalyticstracks.h"

#include "base/array.h"
#include "base/error.h"
#include "base/map.h"
#include "element/gstshapesanalytics.h"
#include "gstshapeanalyticsboxes.h"

/* Tracks are of 64 bits, the values of a CsMap of a pointer's size: they are
 * indices of @ids. */
typedef struct
{
  CsMap of_shape;
  CsArray ids;
} Tracks;

static void
tracks_init (Tracks * tracks)
{
  tracks->of_shape = (CsMap) CS_MAP_INIT;
  cs_array_init (&tracks->ids, sizeof (gint64));
}

static gint64
tracks_find (const Tracks * tracks, gint32 shape)
{
  const gsize *index = cs_map_find (&tracks->of_shape, shape);

  return shape >= 0 && index ? cs_array_index (&tracks->ids, gint64, *index) :
      -1;
}

static void
tracks_set (Tracks * tracks, gint32 shape)
{
  if (shape >= 0 && tracks_find (tracks, shape) < 0)
    cs_map_set (&tracks->of_shape, shape, tracks->ids.len - 1);
}

static const AnalyticsShape *
find_shape (GstAnalyticsRelationMeta * meta, const GstAnalyticsMtd * object)
{
  GstAnalyticsMtd shape;
  gpointer state = NULL;

  if (!gst_analytics_relation_meta_get_direct_related (meta, object->id,
          GST_ANALYTICS_REL_TYPE_RELATE_TO,
          analytics_shape_get_mtd_type (), &state, &shape))
    return NULL;
  return gst_analytics_relation_meta_get_mtd_data (meta, shape.id);
}

static gboolean
is_hull (const GstShapePolyline * polyline)
{
  return polyline->kind == GST_SHAPE_KIND_HULL;
}

/* @lacks_ids: (out): whether there are tracks, and no object has the id of its
 * shape. Returns: FALSE without memory */
static gboolean
read_tracks (GstAnalyticsRelationMeta * meta, Tracks * tracks,
    gboolean * lacks_ids)
{
  GstAnalyticsMtd object;
  gpointer state = NULL;
  gboolean any_track = FALSE, any_id = FALSE;

  while (gst_analytics_relation_meta_iterate (meta, &state,
          gst_analytics_od_mtd_get_mtd_type (), &object)) {
    const AnalyticsShape *shape = find_shape (meta, &object);
    const gint64 track = gst_shapes_analytics_find_track (meta,
        &object);

    any_track |= track >= 0;
    any_id |= shape != NULL;
    if (!shape || track < 0)
      continue;
    if (!cs_array_append_val (&tracks->ids, track))
      return FALSE;
    tracks_set (tracks, shape->id);
    tracks_set (tracks, shape->contour);
  }
  *lacks_ids = any_track && !any_id;
  return !tracks->of_shape.failed;
}

static gint64
choose_track (const Tracks * tracks, const GstShapePolyline * polyline)
{
  const gint64 own = tracks_find (tracks, polyline->id);

  return own < 0 && is_hull (polyline) ? tracks_find (tracks,
      polyline->parent) : own;
}

static gboolean
has_tracks (const Tracks * tracks, const GstShapeArrays * arrays)
{
  for (gsize i = 0; i < arrays->n_shapes; i++)
    if (choose_track (tracks, &arrays->polylines[i]) >= 0)
      return TRUE;
  return FALSE;
}

/* %NULL without memory. */
static GstShapeAnnotation *
annotate (const Tracks * tracks, const GstShapeArrays * arrays)
{
  const GstShapeAnnotation none = GST_SHAPE_ANNOTATION_NONE;
  GstShapeAnnotation *annotations = cs_try_new (GstShapeAnnotation,
      arrays->n_shapes);

  for (gsize i = 0; annotations && i < arrays->n_shapes; i++) {
    const gint64 track = choose_track (tracks, &arrays->polylines[i]);

    annotations[i] = arrays->annotations ? arrays->annotations[i] : none;
    if (track >= 0)
      annotations[i].track_id = track;
  }
  return annotations;
}

/* Returns: (transfer full): @layer, annotated if any of it has a track */
static GstShapeLayer *
annotate_layer (const Tracks * tracks, GstShapeLayer * layer, GError ** error)
{
  if (gst_shape_layer_get_layer_type (layer) != GST_SHAPE_LAYER_POLYLINES)
    return gst_shape_layer_ref (layer);
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);
  if (!arrays)
    return NULL;
  if (!has_tracks (tracks, arrays))
    return gst_shape_layer_ref (layer);
  GstShapeAnnotation *annotations = annotate (tracks, arrays);
  GstShapeLayer *annotated = annotations ? gst_shape_layer_annotate (layer,
      annotations, arrays->n_shapes) : NULL;
  if (!annotated)
    cs_fail_no_memory (error, "tracks");
  g_free (annotations);
  return annotated;
}

static GstShapeSet *
annotate_set (const Tracks * tracks, GstShapeSet * set, GError ** error)
{
  GstShapeSet *annotated = gst_shape_set_derive_empty (set);

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = annotate_layer (tracks, gst_shape_set_get_layer (set,
            i), error);

    if (!layer) {
      gst_shape_set_unref (annotated);
      return NULL;
    }
    gst_shape_set_add_layer (annotated, layer);
  }
  return annotated;
}

GstShapeSet *
analytics_annotate_tracks (GstBuffer * buffer, GstShapeSet * set,
    gboolean * lacks_ids, GError ** error)
{
  GstAnalyticsRelationMeta *meta =
      gst_buffer_get_analytics_relation_meta (buffer);
  GstShapeSet *annotated = NULL;
  Tracks tracks;

  *lacks_ids = FALSE;
  if (!meta)
    return gst_shape_set_ref (set);
  tracks_init (&tracks);
  if (!read_tracks (meta, &tracks, lacks_ids))
    cs_fail_no_memory (error, "tracks");
  else
    annotated = tracks.ids.len == 0 ? gst_shape_set_ref (set) :
        annotate_set (&tracks, set, error);
  cs_map_clear (&tracks.of_shape);
  cs_array_clear (&tracks.ids);
  return annotated;
}
