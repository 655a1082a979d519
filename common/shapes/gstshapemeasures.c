/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Measures of polylines, from their points where nobody has taken them. */

#include "base/array.h"
#include "base/map.h"
#include "gstshapepoints.h"
#include "gstshapes-private.h"

/* Sums over the sides: of cross products and lengths, and of the ends weighted
 * by these. */
enum
{
  CROSS, LENGTH, CROSS_X, CROSS_Y, LENGTH_X, LENGTH_Y, N_SUMS
};

/* The order of summation: see contours_math.h. */
#define N_LANES 32
#define BLOCK 256

/* The @n terms from @start on; the last side may lead back to the first
 * point. */
static void
add_block (const GstShapePoint * points, gsize n_points, gsize start, gsize n,
    gdouble sums[N_SUMS])
{
  const gdouble first_x = points[0].x, first_y = points[0].y;
  gdouble lanes[N_SUMS][N_LANES] = { {0}, };

  for (gsize i = 0; i < n; i++) {
    const GstShapePoint *p = &points[start + i];
    const GstShapePoint *q = start + i + 1 < n_points ? p + 1 : points;
    const gdouble x0 = p->x - first_x, y0 = p->y - first_y;
    const gdouble x1 = q->x - first_x, y1 = q->y - first_y;
    const gdouble ex = x1 - x0, ey = y1 - y0;
    const gdouble cross = x0 * y1 - x1 * y0;
    const gdouble length = sqrt (ex * ex + ey * ey);
    const guint lane = i % N_LANES;

    lanes[CROSS][lane] += cross;
    lanes[LENGTH][lane] += length;
    lanes[CROSS_X][lane] += cross * (x0 + x1);
    lanes[CROSS_Y][lane] += cross * (y0 + y1);
    lanes[LENGTH_X][lane] += length * (x0 + x1);
    lanes[LENGTH_Y][lane] += length * (y0 + y1);
  }
  for (guint k = 0; k < N_SUMS; k++) {
    for (guint o = N_LANES / 2; o > 0; o /= 2)
      for (guint lane = 0; lane < o; lane++)
        lanes[k][lane] += lanes[k][lane + o];
    sums[k] += lanes[k][0];
  }
}

/* A coordinate of the centroid, which rounding may take out of the box. */
static gdouble
centroid (gboolean closed, gdouble first, const gdouble sums[N_SUMS],
    guint axis, gdouble low, gdouble high)
{
  gdouble value;

  if (closed && sums[CROSS] != 0)
    value = first + sums[CROSS_X + axis] / (3 * sums[CROSS]);
  else if (sums[LENGTH] > 0)
    value = first + sums[LENGTH_X + axis] / (2 * sums[LENGTH]);
  else
    return first;
  return CLAMP (value, low, high);
}

static void
measure_box (const GstShapePoint * points, gsize n, GstShapePolyline * measured)
{
  GstShapePoint low, high;

  gst_shape_points_bound (points, n, &low, &high);
  measured->bbox_x0 = low.x;
  measured->bbox_y0 = low.y;
  measured->bbox_x1 = high.x;
  measured->bbox_y1 = high.y;
}

void
gst_shape_polyline_forget (GstShapePolyline * p)
{
  p->area = p->perimeter = p->centroid_x = p->centroid_y = NAN;
  p->bbox_x0 = p->bbox_y0 = p->bbox_x1 = p->bbox_y1 = NAN;
}

void
gst_shape_points_measure (const GstShapePoint * points, gsize n,
    gboolean closed, GstShapePolyline * measured)
{
  gdouble sums[N_SUMS] = { 0, };
  gsize n_terms;

  if (n == 0 || !gst_shape_points_are_finite (points, n)) {
    gst_shape_polyline_forget (measured);
    return;
  }
  n_terms = closed && !gst_shape_points_are_closed (points, n) ? n : n - 1;
  for (gsize start = 0; start < n_terms; start += BLOCK)
    add_block (points, n, start, MIN (n_terms - start, BLOCK), sums);
  measure_box (points, n, measured);
  measured->area = .5 * sums[CROSS];
  measured->perimeter = sums[LENGTH];
  measured->centroid_x = centroid (closed, points[0].x, sums, 0,
      measured->bbox_x0, measured->bbox_x1);
  measured->centroid_y = centroid (closed, points[0].y, sums, 1,
      measured->bbox_y0, measured->bbox_y1);
}

static gboolean
is_complete (const GstShapePolyline * p)
{
  return !isnan (p->area) && !isnan (p->perimeter) && !isnan (p->centroid_x)
      && !isnan (p->centroid_y) && !isnan (p->bbox_x0) && !isnan (p->bbox_y0)
      && !isnan (p->bbox_x1) && !isnan (p->bbox_y1);
}

static void
fill (gdouble * value, gdouble measured)
{
  if (isnan (*value))
    *value = measured;
}

gboolean
gst_shape_polyline_complete (GstShapePolyline * p, const GstShapePoint * points,
    gsize n)
{
  GstShapePolyline measured;

  if (is_complete (p))
    return TRUE;
  if (!points)
    return FALSE;
  gst_shape_points_measure (points, n, p->flags & GST_SHAPE_FLAG_CLOSED,
      &measured);
  fill (&p->area, measured.area);
  fill (&p->perimeter, measured.perimeter);
  fill (&p->centroid_x, measured.centroid_x);
  fill (&p->centroid_y, measured.centroid_y);
  fill (&p->bbox_x0, measured.bbox_x0);
  fill (&p->bbox_y0, measured.bbox_y0);
  fill (&p->bbox_x1, measured.bbox_x1);
  fill (&p->bbox_y1, measured.bbox_y1);
  return is_complete (p);
}

/**
 * gst_shape_arrays_get_measures: (skip)
 * @arrays: of a layer of polylines, on the host
 * @index: of the polyline
 * @record: (out caller-allocates): its record
 *
 * A polyline's record, in which area, perimeter, centroid and bounding box are
 * those of the points if they are unknown (NaN) there. Costs nothing if they
 * are known.
 *
 * Returns: whether all of them are known now; without points, or if one of
 *     these is not finite, those that were not stay NaN
 *
 * Since: 1.0
 */
gboolean
gst_shape_arrays_get_measures (const GstShapeArrays * arrays, gsize index,
    GstShapePolyline * record)
{
  g_return_val_if_fail (arrays != NULL, FALSE);
  g_return_val_if_fail (arrays->polylines != NULL, FALSE);
  g_return_val_if_fail (index < arrays->n_shapes, FALSE);
  g_return_val_if_fail (record != NULL, FALSE);

  *record = arrays->polylines[index];
  return gst_shape_polyline_complete (record, arrays->points ?
      arrays->points + arrays->offsets[index] : NULL,
      arrays->offsets[index + 1] - arrays->offsets[index]);
}

/* Sets */

/* Areas of contours, by their ids. */
typedef struct
{
  CsMap places;
  CsArray areas;
} Areas;

static gboolean
lacks_solidity (const GstShapePolyline * p)
{
  return p->kind == GST_SHAPE_KIND_HULL && p->parent >= 0
      && isnan (p->solidity);
}

/* Whether a record of @arrays lacks what may be found. */
static gboolean
layer_lacks (const GstShapeArrays * arrays, gboolean * solidity)
{
  gboolean lacks = FALSE;

  for (gsize i = 0; arrays->polylines && i < arrays->n_shapes; i++) {
    const GstShapePolyline *p = &arrays->polylines[i];

    *solidity |= lacks_solidity (p);
    lacks |= lacks_solidity (p) || (arrays->points && !is_complete (p));
  }
  return lacks;
}

static void
list_areas (GstShapeSet * set, Areas * areas)
{
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    const GstShapeArrays *arrays =
        gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), NULL);

    for (gsize k = 0; arrays->polylines && k < arrays->n_shapes; k++) {
      GstShapePolyline p;

      gst_shape_arrays_get_measures (arrays, k, &p);
      if (p.kind == GST_SHAPE_KIND_CONTOUR && !isnan (p.area)
          && cs_map_set (&areas->places, p.id, areas->areas.len))
        cs_array_append_val (&areas->areas, p.area);
    }
  }
}

/* |area of the contour| / |area of the hull|, 0 if it has none. */
static void
find_solidity (const Areas * areas, GstShapePolyline * p)
{
  const gsize *place = lacks_solidity (p) && !isnan (p->area) ?
      cs_map_find (&areas->places, p->parent) : NULL;

  if (place)
    p->solidity = p->area == 0 ? 0 :
        fabs (cs_array_index (&areas->areas, gdouble, *place)) / fabs (p->area);
}

static GstShapeLayer *
measure_layer (GstShapeLayer * layer, const GstShapeArrays * arrays,
    const Areas * areas)
{
  GstShapeExtras extras;
  GstShapeLayer *measured = gst_shape_layer_extend_block (layer,
      GST_SHAPE_HAS_POLYLINES, 0, 0, &extras);

  for (gsize i = 0; measured && i < arrays->n_shapes; i++) {
    gst_shape_arrays_get_measures (arrays, i, &extras.polylines[i]);
    find_solidity (areas, &extras.polylines[i]);
  }
  return measured;
}

static gboolean
measure_layers (GstShapeSet * set, GstShapeSet * measured, Areas * areas)
{
  gboolean solidity = FALSE;

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++)
    layer_lacks (gst_shape_layer_map_host (gst_shape_set_get_layer (set, i),
            NULL), &solidity);
  if (solidity)
    list_areas (set, areas);
  if (areas->places.failed || areas->areas.failed)
    return FALSE;
  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);
    const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, NULL);

    layer = layer_lacks (arrays, &solidity) ?
        measure_layer (layer, arrays, areas) : gst_shape_layer_ref (layer);
    if (!layer)
      return FALSE;
    gst_shape_set_add_layer (measured, layer);
  }
  return TRUE;
}

/**
 * gst_shape_set_compute_measures:
 * @set: a set
 * @error: return location for an error
 *
 * The same shapes, in which every polyline that has points has its area,
 * perimeter, centroid and bounding box, as cudacontours defines them; and every
 * hull whose contour is in @set its solidity. What was known stays as it is.
 * Unknown measures are NaN. Layers that lack nothing are shared.
 *
 * Returns: (transfer full): the set; %NULL with @error set when a layer could
 *     not be downloaded or memory ran out
 *
 * Since: 1.0
 */
GstShapeSet *
gst_shape_set_compute_measures (GstShapeSet * set, GError ** error)
{
  Areas areas = {.places = CS_MAP_INIT };

  g_return_val_if_fail (set != NULL, NULL);

  for (guint i = 0; i < gst_shape_set_get_n_layers (set); i++)
    if (!gst_shape_layer_map_host (gst_shape_set_get_layer (set, i), error))
      return NULL;
  cs_array_init (&areas.areas, sizeof (gdouble));
  GstShapeSet *measured = gst_shape_set_derive_empty (set);
  if (!measure_layers (set, measured, &areas)) {
    g_clear_pointer (&measured, gst_shape_set_unref);
    gst_shapes_fail_memory (error, "no memory for measures of shapes");
  }
  cs_map_clear (&areas.places);
  cs_array_clear (&areas.areas);
  return measured;
}
