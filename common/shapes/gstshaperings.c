/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapepoints.h"
#include "gstshaperings.h"
#include "gstshapes-private.h"

static void
take_ring (GstShapeRings * rings, const GstShapePolygon * polygon)
{
  gsize n;
  const GstShapePoint *points = gst_shape_polygon_get_points (polygon, &n);

  cs_array_append (&rings->points, points, n);
  if (!gst_shape_points_are_closed (points, n))
    cs_array_append (&rings->points, points, 1);
  cs_array_append_val (&rings->ends, rings->points.len);
}

gboolean
gst_shape_rings_take (GstShapeRings * rings, const CsArray * polygons,
    gsize index)
{
  const GstShapePolygon *polygon = &cs_array_index (polygons, GstShapePolygon,
      index);

  if (rings->points.size == 0) {
    cs_array_init (&rings->points, sizeof (GstShapePoint));
    cs_array_init (&rings->ends, sizeof (gsize));
    cs_array_init (&rings->parts, sizeof (gsize));
    cs_array_init (&rings->places, sizeof (guint32));
  }
  cs_array_empty (&rings->points);
  cs_array_empty (&rings->ends);
  cs_array_empty (&rings->parts);
  take_ring (rings, polygon);
  for (gssize at = polygon->first_hole; at >= 0; at = polygon->next_hole) {
    polygon = &cs_array_index (polygons, GstShapePolygon, at);
    take_ring (rings, polygon);
  }
  cs_array_append_val (&rings->parts, rings->ends.len);
  return !rings->points.failed && !rings->ends.failed && !rings->parts.failed;
}

gboolean
gst_shape_rings_simplify (GstShapeRings * rings, Simplifier * simplifier,
    gdouble tolerance)
{
  GstShapePoint *points = (GstShapePoint *) (gpointer) rings->points.data;
  gsize *ends = &cs_array_index (&rings->ends, gsize, 0);
  const guint8 *keep = simplifier_run_rings (simplifier, points, ends,
      rings->ends.len, tolerance);
  gsize kept = 0;

  if (!keep)
    return FALSE;
  for (gsize i = 0, at = 0; i < rings->ends.len; i++) {
    for (; at < ends[i]; at++)
      if (keep[at])
        points[kept++] = points[at];
    ends[i] = kept;
  }
  rings->points.len = kept;
  return TRUE;
}

/* The flags of a ring, without that of a point which a ring has only here. */
static void
copy_flags (const GstShapePolygon * polygon, const guint8 * flags,
    CsArray * keep)
{
  gsize n;

  if (gst_shape_polygon_get_points (polygon, &n) && n > 0)
    memcpy (keep->data + polygon->first_point, flags, n);
}

static gboolean
simplify_one (const CsArray * polygons, gsize index, GstShapeRings * rings,
    Simplifier * simplifier, gdouble tolerance, CsArray * keep)
{
  const GstShapePolygon *polygon = &cs_array_index (polygons, GstShapePolygon,
      index);
  gssize at = polygon->first_hole;

  if (!gst_shape_rings_take (rings, polygons, index))
    return FALSE;
  const guint8 *flags = simplifier_run_rings (simplifier,
      (const GstShapePoint *) (gconstpointer) rings->points.data,
      (const gsize *) (gconstpointer) rings->ends.data, rings->ends.len,
      tolerance);
  if (!flags)
    return FALSE;
  copy_flags (polygon, flags, keep);
  for (gsize i = 0; at >= 0; at = polygon->next_hole, i++) {
    polygon = &cs_array_index (polygons, GstShapePolygon, at);
    copy_flags (polygon, flags + cs_array_index (&rings->ends, gsize, i), keep);
  }
  return TRUE;
}

/* An open one, or one of which not all is known. */
static gboolean
simplify_line (const GstShapePolygon * polygon, Simplifier * simplifier,
    gdouble tolerance, CsArray * keep)
{
  gsize n;
  const GstShapePoint *points = gst_shape_polygon_get_points (polygon, &n);
  const guint8 *flags = points ? simplifier_run_polygon (simplifier, points, n,
      tolerance) : NULL;

  if (flags)
    copy_flags (polygon, flags, keep);
  return flags || !points;
}

static gboolean
simplify_all (const CsArray * polygons, gdouble tolerance, CsArray * keep)
{
  GstShapeRings rings = { {0}, };
  Simplifier simplifier = { {0}, };
  gboolean done = TRUE;

  for (gsize i = 0; done && i < polygons->len; i++) {
    const GstShapePolygon *polygon = &cs_array_index (polygons,
        GstShapePolygon, i);
    const gboolean is_known = gst_shape_polygon_is_known (polygons, i);

    if (polygon->is_joined)
      continue;
    if (is_known) {
      done = simplify_one (polygons, i, &rings, &simplifier, tolerance, keep);
      continue;
    }
    done = simplify_line (polygon, &simplifier, tolerance, keep);
    for (gssize at = polygon->first_hole; done && at >= 0;
        at = polygon->next_hole) {
      polygon = &cs_array_index (polygons, GstShapePolygon, at);
      done = simplify_line (polygon, &simplifier, tolerance, keep);
    }
  }
  gst_shape_rings_clear (&rings);
  simplifier_clear (&simplifier);
  return done;
}

gboolean
gst_shape_polygons_simplify (GstShapeSet * set, gdouble tolerance,
    CsArray * keep, GError ** error)
{
  CsArray polygons;
  gsize n_points = 0;
  gboolean listed = gst_shape_polygons_init (&polygons, set, error);
  gboolean done = FALSE;

  for (guint i = 0; listed && i < gst_shape_set_get_n_layers (set); i++)
    n_points += gst_shape_layer_get_n_points (gst_shape_set_get_layer (set, i));
  if (listed)
    done = cs_array_set_size (keep, n_points)
        && simplify_all (&polygons, tolerance, keep);
  if (listed && !done)
    gst_shapes_fail_memory (error, "no memory for simplified polygons");
  cs_array_clear (&polygons);
  return done;
}

gdouble
gst_shape_ring_orient (const GstShapePoint * points, gsize n)
{
  gdouble sum = 0;

  for (gsize i = 1; i < n; i++)
    sum += ((gdouble) points[i - 1].x - points[0].x) *
        ((gdouble) points[i].y - points[0].y) -
        ((gdouble) points[i].x - points[0].x) *
        ((gdouble) points[i - 1].y - points[0].y);
  return sum;
}

void
gst_shape_rings_clear (GstShapeRings * rings)
{
  cs_array_clear (&rings->points);
  cs_array_clear (&rings->ends);
  cs_array_clear (&rings->parts);
  cs_array_clear (&rings->places);
}
