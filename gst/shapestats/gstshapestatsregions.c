/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapestatsregions.h"

/* A polyline while regions are made. */
typedef struct
{
  const GstShapePolyline *polyline;
  CsStatsRing ring;
  gsize number;
} Shape;

static gboolean
collect_shapes (GstShapeSet * set, GArray * shapes,
    GstShapeStatsRegions * regions, GError ** error)
{
  guint i;
  gsize k;

  for (i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    const GstShapeArrays *arrays =
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), error);

    if (!arrays)
      return FALSE;
    if (arrays->circles)
      continue;
    if (!arrays->points && arrays->n_shapes > 0)
      regions->lacks_points = TRUE;
    for (k = 0; k < arrays->n_shapes; k++, regions->n_shapes++) {
      Shape shape = {
        .polyline = &arrays->polylines[k],
        .number = regions->n_shapes,
      };

      if (!arrays->points)
        continue;
      shape.ring.points = &arrays->points[arrays->offsets[k]].x;
      shape.ring.n = arrays->offsets[k + 1] - arrays->offsets[k];
      g_array_append_val (shapes, shape);
    }
  }
  return TRUE;
}

static gboolean
is_hole (const GstShapePolyline * polyline)
{
  return polyline->kind == GST_SHAPE_KIND_CONTOUR
      && polyline->flags & GST_SHAPE_FLAG_HOLE && polyline->parent >= 0;
}

/* The indices of contours' holes, by the contours' ids. */
static GHashTable *
find_holes (const GArray * shapes)
{
  GHashTable *holes = g_hash_table_new_full (NULL, NULL, NULL,
      (GDestroyNotify) g_array_unref);
  guint i;

  for (i = 0; i < shapes->len; i++) {
    const GstShapePolyline *polyline =
        g_array_index (shapes, Shape, i).polyline;
    GArray *of_parent;

    if (!is_hole (polyline))
      continue;
    of_parent = g_hash_table_lookup (holes,
        GINT_TO_POINTER (polyline->parent));
    if (!of_parent) {
      of_parent = g_array_new (FALSE, FALSE, sizeof (guint));
      g_hash_table_insert (holes, GINT_TO_POINTER (polyline->parent),
          of_parent);
    }
    g_array_append_val (of_parent, i);
  }
  return holes;
}

static void
add_region (GstShapeStatsRegions * regions, const GArray * shapes,
    const Shape * shape, GHashTable * holes)
{
  const GstShapePolyline *polyline = shape->polyline;
  const GArray *inside = polyline->kind == GST_SHAPE_KIND_CONTOUR ?
      g_hash_table_lookup (holes, GINT_TO_POINTER (polyline->id)) : NULL;
  CsStatsRegion region = {
    .first_ring = regions->rings->len,
    .n_rings = 1 + (inside ? inside->len : 0),
    .channel = (guint) polyline->class_id,
    .image = (guint) polyline->image,
  };
  guint i;

  regions->of_shape[shape->number] = (gint32) regions->regions->len;
  g_array_append_val (regions->rings, shape->ring);
  for (i = 0; inside && i < inside->len; i++) {
    const guint hole = g_array_index (inside, guint, i);

    g_array_append_val (regions->rings,
        g_array_index (shapes, Shape, hole).ring);
  }
  g_array_append_val (regions->regions, region);
}

gboolean
gst_shape_stats_regions_init (GstShapeStatsRegions * regions,
    GstShapeSet * set, guint n_images, guint n_channels, GError ** error)
{
  GArray *shapes = g_array_new (FALSE, FALSE, sizeof (Shape));
  const gboolean is_tensor = n_images > 0;
  GHashTable *holes;
  gsize k;
  guint i;

  *regions = (GstShapeStatsRegions) {
    .rings = g_array_new (FALSE, FALSE, sizeof (CsStatsRing)),
    .regions = g_array_new (FALSE, FALSE, sizeof (CsStatsRegion)),
  };
  if (!collect_shapes (set, shapes, regions, error)) {
    g_array_unref (shapes);
    gst_shape_stats_regions_clear (regions);
    return FALSE;
  }
  regions->of_shape = g_new (gint32, MAX (regions->n_shapes, 1));
  for (k = 0; k < regions->n_shapes; k++)
    regions->of_shape[k] = -1;
  holes = find_holes (shapes);
  for (i = 0; i < shapes->len; i++) {
    const Shape *shape = &g_array_index (shapes, Shape, i);

    if (!is_tensor || ((guint) shape->polyline->image < n_images
            && (guint) shape->polyline->class_id < n_channels))
      add_region (regions, shapes, shape, holes);
  }
  g_hash_table_unref (holes);
  g_array_unref (shapes);
  return TRUE;
}

void
gst_shape_stats_regions_clear (GstShapeStatsRegions * regions)
{
  g_clear_pointer (&regions->rings, g_array_unref);
  g_clear_pointer (&regions->regions, g_array_unref);
  g_clear_pointer (&regions->of_shape, g_free);
}

/* Results */

static GstShapeChannel
first_channel (CsStatsKind kind)
{
  switch (kind) {
    case CS_STATS_LAB:
      return GST_SHAPE_CHANNEL_LIGHTNESS;
    case CS_STATS_PROBABILITY:
      return GST_SHAPE_CHANNEL_PROBABILITY;
    default:
      return GST_SHAPE_CHANNEL_GRAY;
  }
}

static void
append_sums (GArray * statistics, guint32 shape, CsStatsKind kind,
    const CsStatsSums * sums, gdouble steps)
{
  guint c;

  for (c = 0; c < cs_stats_get_n_channels (kind); c++) {
    GstShapeStatistic statistic = {
      .shape = shape,
      .channel = first_channel (kind) + c,
      .n_pixels = sums[c].n,
      .minimum = sums[c].minimum / steps,
      .maximum = sums[c].maximum / steps,
    };

    cs_stats_describe (&sums[c], steps, &statistic.mean,
        &statistic.deviation);
    g_array_append_val (statistics, statistic);
  }
}

/* Those that the shape has of other channels. *@at is the first of it. */
static void
append_others (GArray * statistics, const GstShapeArrays * arrays, gsize shape,
    CsStatsKind kind, gsize * at)
{
  const guint first = first_channel (kind);
  const guint end = first + cs_stats_get_n_channels (kind);

  for (; arrays->statistics && *at < arrays->n_statistics
      && arrays->statistics[*at].shape == shape; (*at)++) {
    const guint channel = arrays->statistics[*at].channel;

    if (channel < first || channel >= end)
      g_array_append_val (statistics, arrays->statistics[*at]);
  }
}

static GstShapeLayer *
annotate_layer (const GstShapeStatsRegions * regions, gsize first,
    GstShapeLayer * layer, CsStatsKind kind, const CsStatsSums * sums,
    gdouble steps)
{
  static const GstShapeStatistic none;
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, NULL);
  const guint n_channels = cs_stats_get_n_channels (kind);
  GArray *statistics = g_array_new (FALSE, FALSE, sizeof (GstShapeStatistic));
  GstShapeAnnotation *annotations = NULL;
  GstShapeArrays extras = { 0, };
  GstShapeLayer *annotated;
  gsize i, at = 0;

  if (kind == CS_STATS_PROBABILITY)
    extras.annotations = annotations = g_new (GstShapeAnnotation,
        MAX (arrays->n_shapes, 1));
  for (i = 0; i < arrays->n_shapes; i++) {
    const gint32 region = regions->of_shape[first + i];

    append_others (statistics, arrays, i, kind, &at);
    if (annotations)
      annotations[i] = arrays->annotations ? arrays->annotations[i] :
          (GstShapeAnnotation) GST_SHAPE_ANNOTATION_NONE;
    if (region < 0)
      continue;
    append_sums (statistics, (guint32) i, kind, sums + region * n_channels,
        steps);
    if (annotations && sums[region].n > 0)
      annotations[i].confidence = (gfloat) g_array_index (statistics,
          GstShapeStatistic, statistics->len - 1).mean;
  }
  extras.statistics = statistics->len > 0 ?
      (const GstShapeStatistic *) (gconstpointer) statistics->data : &none;
  extras.n_statistics = statistics->len;
  annotated = gst_shape_layer_extend (layer, &extras);
  g_array_unref (statistics);
  g_free (annotations);
  return annotated;
}

GstShapeSet *
gst_shape_stats_regions_annotate (const GstShapeStatsRegions * regions,
    GstShapeSet * set, CsStatsKind kind, const CsStatsSums * sums,
    gdouble steps)
{
  GstShapeSet *annotated = gst_shape_set_derive_empty (set);
  gsize first = 0;
  guint i;

  for (i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i), *own;

    if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_CIRCLES) {
      own = gst_shape_layer_ref (layer);
    } else {
      own = annotate_layer (regions, first, layer, kind, sums, steps);
      first += gst_shape_layer_get_n_shapes (layer);
    }
    if (!own) {
      gst_shape_set_unref (annotated);
      return NULL;
    }
    gst_shape_set_add_layer (annotated, own);
  }
  return annotated;
}
