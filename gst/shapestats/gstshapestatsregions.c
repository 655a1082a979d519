/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapestatsregions.h"

#include <math.h>

#include "base/error.h"
#include "base/map.h"

/* A polyline while regions are made. */
typedef struct
{
  const GstShapePolyline *polyline;
  CsStatsRing ring;
  gsize number;
  gsize next_hole;              /* of the same contour: a shape's index + 1 */
} Shape;

/* Where the points of @layer are read: on the GPU of @reader if they are there,
 * else in @host. */
static const GstShapePoint *
find_points (StatsRegions * regions, GstShapeLayer * layer,
    const GstShapeArrays * host, const StatsReader * reader, CsMemory * memory)
{
  GstShapeArrays device;

  *memory = CS_MEMORY_HOST;
  if (!reader->context || !host->points
      || !gst_shape_layer_map_device (layer, reader->context, reader->stream,
          &device))
    return host->points;
  if (!device.points || !cs_array_append_val (&regions->mapped, layer)) {
    gst_shape_layer_unmap_device (layer, reader->stream);
    return host->points;
  }
  *memory = CS_MEMORY_DEVICE;
  return device.points;
}

static gboolean
collect_layer (StatsRegions * regions, GstShapeLayer * layer,
    const StatsReader * reader, CsArray * shapes, GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);
  const GstShapePoint *points;
  CsMemory memory;

  if (!arrays)
    return FALSE;
  if (arrays->circles)
    return TRUE;
  if (!arrays->points && arrays->n_shapes > 0)
    regions->lacks_points = TRUE;
  points = find_points (regions, layer, arrays, reader, &memory);
  for (gsize k = 0; k < arrays->n_shapes; k++, regions->n_shapes++) {
    Shape shape = {
      .polyline = &arrays->polylines[k],
      .number = regions->n_shapes,
    };

    if (!points)
      continue;
    shape.ring.points = &points[arrays->offsets[k]].x;
    shape.ring.n = arrays->offsets[k + 1] - arrays->offsets[k];
    shape.ring.memory = memory;
    cs_array_append_val (shapes, shape);
  }
  return TRUE;
}

static gboolean
is_hole (const GstShapePolyline * polyline)
{
  return polyline->kind == GST_SHAPE_KIND_CONTOUR
      && polyline->flags & GST_SHAPE_FLAG_HOLE && polyline->parent >= 0;
}

static void
add_region (StatsRegions * regions, const CsArray * shapes,
    const Shape * shape, const CsMap * holes)
{
  const GstShapePolyline *polyline = shape->polyline;
  const gsize *first = polyline->kind == GST_SHAPE_KIND_CONTOUR ?
      cs_map_find (holes, polyline->id) : NULL;
  CsStatsRegion region = {
    .first_ring = regions->rings.len,
    .channel = (guint) polyline->class_id,
    .image = (guint) polyline->image,
  };
  gsize hole = first ? *first : 0;

  regions->of_shape[shape->number] = (gint32) regions->regions.len;
  cs_array_append_val (&regions->rings, shape->ring);
  while (hole > 0) {
    const Shape *inside = &cs_array_index (shapes, Shape, hole - 1);

    cs_array_append_val (&regions->rings, inside->ring);
    hole = inside->next_hole;
  }
  region.n_rings = regions->rings.len - region.first_ring;
  cs_array_append_val (&regions->regions, region);
}

/* Regions of those of @shapes whose class and image there are. */
static gboolean
add_regions (StatsRegions * regions, CsArray * shapes, guint n_images,
    guint n_channels)
{
  CsMap holes = CS_MAP_INIT;
  gsize i;

  regions->of_shape = cs_try_new (gint32, MAX (regions->n_shapes, 1));
  if (!regions->of_shape || shapes->failed)
    return FALSE;
  for (i = 0; i < regions->n_shapes; i++)
    regions->of_shape[i] = -1;
  /* Chains the holes of each contour. @holes: the first one's index + 1, by the
   * contour's id. */
  for (i = 0; i < shapes->len; i++) {
    Shape *shape = &cs_array_index (shapes, Shape, i);

    if (!is_hole (shape->polyline))
      continue;
    const gsize *next = cs_map_find (&holes, shape->polyline->parent);
    shape->next_hole = next ? *next : 0;
    cs_map_set (&holes, shape->polyline->parent, i + 1);
  }
  for (i = 0; i < shapes->len && !holes.failed; i++) {
    const Shape *shape = &cs_array_index (shapes, Shape, i);

    if (n_images == 0 || ((guint) shape->polyline->image < n_images
            && (guint) shape->polyline->class_id < n_channels))
      add_region (regions, shapes, shape, &holes);
  }
  i = holes.failed;
  cs_map_clear (&holes);
  return !i && !regions->rings.failed && !regions->regions.failed;
}

gboolean
stats_regions_init (StatsRegions * regions,
    GstShapeSet * set, const StatsReader * reader, guint n_images,
    guint n_channels, GError ** error)
{
  CsArray shapes;
  gboolean ok = TRUE;

  *regions = (StatsRegions) {.stream = reader->stream };
  cs_array_init (&regions->rings, sizeof (CsStatsRing));
  cs_array_init (&regions->regions, sizeof (CsStatsRegion));
  cs_array_init (&regions->mapped, sizeof (GstShapeLayer *));
  cs_array_init (&shapes, sizeof (Shape));
  for (guint i = 0; i < gst_shape_set_get_n_layers (set) && ok; i++)
    ok = collect_layer (regions, gst_shape_set_get_layer (set, i), reader,
        &shapes, error);
  if (ok && !add_regions (regions, &shapes, n_images, n_channels))
    ok = cs_fail_no_memory (error, "the regions of shapes");
  cs_array_clear (&shapes);
  if (!ok)
    stats_regions_clear (regions);
  return ok;
}

void
stats_regions_clear (StatsRegions * regions)
{
  for (gsize i = 0; i < regions->mapped.len; i++)
    gst_shape_layer_unmap_device (cs_array_index (&regions->mapped,
            GstShapeLayer *, i), regions->stream);
  cs_array_clear (&regions->mapped);
  cs_array_clear (&regions->rings);
  cs_array_clear (&regions->regions);
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
append_sums (CsArray * statistics, guint32 shape, CsStatsKind kind,
    const CsStatsSums * sums, gdouble steps)
{
  for (guint c = 0; c < cs_stats_get_n_channels (kind); c++) {
    const gboolean is_known = sums[c].n > 0;
    GstShapeStatistic statistic = {
      .shape = shape,
      .channel = first_channel (kind) + c,
      .n_pixels = sums[c].n,
      .minimum = is_known ? sums[c].minimum / steps : NAN,
      .maximum = is_known ? sums[c].maximum / steps : NAN,
    };

    cs_stats_describe (&sums[c], steps, &statistic.mean, &statistic.deviation);
    cs_array_append_val (statistics, statistic);
  }
}

/* Those that the shape has of other channels. *@at is the first of it. */
static void
append_others (CsArray * statistics, const GstShapeArrays * arrays, gsize shape,
    CsStatsKind kind, gsize * at)
{
  const guint first = first_channel (kind);
  const guint end = first + cs_stats_get_n_channels (kind);

  for (; arrays->statistics && *at < arrays->n_statistics
      && arrays->statistics[*at].shape == shape; (*at)++) {
    const guint channel = arrays->statistics[*at].channel;

    if (channel < first || channel >= end)
      cs_array_append_val (statistics, arrays->statistics[*at]);
  }
}

/* The layer with the statistics of its shapes; @annotations is %NULL, or has
 * room for those of all. Returns: NULL without memory */
static GstShapeLayer *
extend_layer (const StatsRegions * regions, gsize first,
    GstShapeLayer * layer, CsStatsKind kind, const CsStatsSums * sums,
    gdouble steps, GstShapeAnnotation * annotations)
{
  static const GstShapeStatistic none;
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, NULL);
  const guint n_channels = cs_stats_get_n_channels (kind);
  GstShapeArrays extras = {.annotations = annotations };
  GstShapeLayer *extended = NULL;
  CsArray statistics;
  gsize i, at = 0;

  cs_array_init (&statistics, sizeof (GstShapeStatistic));
  for (i = 0; i < arrays->n_shapes && !statistics.failed; i++) {
    const gint32 region = regions->of_shape[first + i];

    append_others (&statistics, arrays, i, kind, &at);
    if (annotations)
      annotations[i] = arrays->annotations ? arrays->annotations[i] :
          (GstShapeAnnotation) GST_SHAPE_ANNOTATION_NONE;
    if (region < 0)
      continue;
    append_sums (&statistics, (guint32) i, kind,
        sums + (gsize) region * n_channels, steps);
    if (annotations && sums[region].n > 0 && !statistics.failed)
      annotations[i].confidence = (gfloat) cs_array_index (&statistics,
          GstShapeStatistic, statistics.len - 1).mean;
  }
  extras.statistics = statistics.len > 0 ?
      (const GstShapeStatistic *) (gconstpointer) statistics.data : &none;
  extras.n_statistics = statistics.len;
  if (!statistics.failed)
    extended = gst_shape_layer_extend (layer, &extras);
  cs_array_clear (&statistics);
  return extended;
}

static GstShapeLayer *
annotate_layer (const StatsRegions * regions, gsize first,
    GstShapeLayer * layer, CsStatsKind kind, const CsStatsSums * sums,
    gdouble steps)
{
  GstShapeAnnotation *annotations = NULL;

  if (kind == CS_STATS_PROBABILITY) {
    annotations = cs_try_new (GstShapeAnnotation,
        MAX (gst_shape_layer_get_n_shapes (layer), 1));
    if (!annotations)
      return NULL;
  }
  GstShapeLayer *annotated = extend_layer (regions, first, layer, kind, sums,
      steps, annotations);
  g_free (annotations);
  return annotated;
}

GstShapeSet *
stats_regions_annotate (const StatsRegions * regions, GstShapeSet * set,
    CsStatsKind kind, const CsStatsSums * sums, gdouble steps)
{
  GstShapeSet *annotated = gst_shape_set_derive_empty (set);
  gsize first = 0;

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
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
