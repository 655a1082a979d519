/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeoverlaycollect.h"

#include <math.h>
#include <stdlib.h>

/* What is drawn around shapes: rectangles and ellipses of hulls, regions of
 * interest. They have outlines only. */

/* How far a chord may lie from the ellipse, and most of them. */
#define MAX_ERROR .05
#define MAX_CHORDS 1024

/* Four corners and the first again: (x, y) and half the sides, along u and
 * across. */
static void
add_box (GstShapeMarks * marks, gdouble x, gdouble y, gdouble ux, gdouble uy,
    gdouble along, gdouble across, const GstShapePaint * paint)
{
  static const gint sides[5][2] = {
    {-1, -1}, {1, -1}, {1, 1}, {-1, 1}, {-1, -1}
  };
  GstShapePoint points[5];

  for (guint i = 0; i < 5; i++) {
    const gdouble a = sides[i][0] * along, b = sides[i][1] * across;

    points[i].x = (gfloat) (x + a * ux - b * uy);
    points[i].y = (gfloat) (y + a * uy + b * ux);
  }
  gst_shape_marks_add_polyline (marks, points, 5, paint);
}

/* Adds the rectangle of minimum area. */
static void
overlay_add_rectangle (GstShapeMarks * marks,
    const GstShapeHullMeasures * measures, const GstShapePaint * paint)
{
  add_box (marks, measures->rect_x, measures->rect_y, measures->rect_ux,
      measures->rect_uy, measures->rect_width / 2, measures->rect_height / 2,
      paint);
}

/* A chord of a circle over an angle of 2 a lies 1 - cos (a) of the radius from
 * it, which is nearly a^2 / 2; of an ellipse, not farther than of its greater
 * circle. */
static guint
count_chords (gdouble radius)
{
  const gdouble n = G_PI * sqrt (radius / (2 * MAX_ERROR));

  return n > 16 ? (guint) MIN (ceil (n), MAX_CHORDS) : 16;
}

/* Adds the ellipse, as a polygon that lies within a twentieth of a pixel of
 * it, unless it is larger than some 10,000 pixels. */
static void
overlay_add_ellipse (GstShapeMarks * marks,
    const GstShapeEllipse * ellipse, const GstShapePaint * paint)
{
  const guint n = count_chords (ellipse->major);
  GstShapePoint points[MAX_CHORDS + 1];

  for (guint i = 0; i < n; i++) {
    const gdouble angle = 2 * G_PI * i / n;
    const gdouble a = ellipse->major * cos (angle);
    const gdouble b = ellipse->minor * sin (angle);

    points[i].x = (gfloat) (ellipse->x + a * ellipse->ux - b * ellipse->uy);
    points[i].y = (gfloat) (ellipse->y + a * ellipse->uy + b * ellipse->ux);
  }
  points[n] = points[0];
  gst_shape_marks_add_polyline (marks, points, n + 1, paint);
}

void
overlay_collection_unmap (const OverlayCollection * self, gdouble * x,
    gdouble * y)
{
  gdouble x0 = 0, y0 = 0, x1 = 1, y1 = 1;

  gst_shape_marks_map (&self->marks, &x0, &y0);
  gst_shape_marks_map (&self->marks, &x1, &y1);
  *x = (*x - x0) / (x1 - x0);
  *y = (*y - y0) / (y1 - y0);
}

void
overlay_collection_init (OverlayCollection * self)
{
  gst_shape_marks_init (&self->marks);
  overlay_selection_init (&self->selection);
  overlay_colors_init (&self->colors);
  overlay_labels_init (&self->labels);
  cs_array_init (&self->hollow, sizeof (gboolean));
  cs_array_init (&self->sorted, sizeof (OverlayIndexed));
}

void
overlay_collection_clear (OverlayCollection * self)
{
  gst_shape_marks_clear (&self->marks);
  overlay_selection_clear (&self->selection);
  overlay_colors_clear (&self->colors);
  overlay_labels_clear (&self->labels);
  cs_array_clear (&self->hollow);
  cs_array_clear (&self->sorted);
}

/* Paint */

static GstShapePaint
polyline_paint (OverlayCollection * self,
    const GstShapeArrays * arrays, gsize i)
{
  const GstShapePolyline *polyline = &arrays->polylines[i];
  GstShapePaint paint = { 0, };

  paint.argb = overlay_colors_get (&self->colors, self->settings,
      arrays, i, self->frame_area);
  paint.line_width = (gfloat) (self->settings->line_width * self->scale);
  paint.line_opacity = (gfloat) self->settings->opacity;
  paint.dashed = polyline->kind == GST_SHAPE_KIND_HULL;
  if (!paint.dashed || self->settings->fill_hulls)
    paint.fill_opacity = (gfloat) (self->settings->opacity *
        self->settings->fill_opacity);
  return paint;
}

static gboolean
draws_polyline (OverlayCollection * self, const GstShapePolyline * polyline)
{
  return polyline->kind == GST_SHAPE_KIND_HULL ? self->settings->draw_hulls :
      self->settings->draw_contours;
}

/* The regions of one class, level and image are filled together, so that the
 * holes in them stay empty. */
static gboolean
is_same_region (const GstShapePolyline * a, const GstShapePolyline * b)
{
  return a->class_id == b->class_id && a->level == b->level
      && a->image == b->image && a->kind == b->kind;
}

/* Contours and hulls */

/* Sets which polylines are hollow; where each has a filling of its own, or
 * there is none, that is not asked: %NULL in @hollow. */
static gboolean
select_filled (OverlayCollection * self, const GstShapeArrays * arrays,
    guint height, gboolean ** hollow, GError ** error)
{
  gsize first = 0, i;

  *hollow = NULL;
  if (self->settings->color_mode == OVERLAY_COLOR_MODE_SHAPE
      || !self->settings->draw_contours
      || self->settings->opacity * self->settings->fill_opacity <= 0.)
    return TRUE;
  cs_array_empty (&self->hollow);
  if (!cs_array_set_size (&self->hollow, arrays->n_shapes))
    return overlay_selection_fail (error);
  *hollow = (gboolean *) (gpointer) self->hollow.data;
  for (i = 1; i <= arrays->n_shapes; i++) {
    const GstShapePolyline *begin = &arrays->polylines[first];

    if (i < arrays->n_shapes && is_same_region (&arrays->polylines[i], begin))
      continue;
    if (!overlay_select_filled (&self->selection, arrays->points,
            arrays->offsets + first, begin, i - first, height,
            *hollow + first, error))
      return FALSE;
    first = i;
  }
  return TRUE;
}

/* Passes over the polylines of a layer: with casings, everything is filled
 * first, and no casing lies on a line. */
typedef enum
{
  PASS_ALL,
  PASS_FILL,
  PASS_CASING,
  PASS_LINE,
} Pass;

static void
restrict_paint (const OverlayCollection * self, Pass pass,
    GstShapePaint * paint)
{
  const OverlaySettings *settings = self->settings;

  if (pass == PASS_FILL)
    paint->line_opacity = 0.f;
  if (pass == PASS_CASING || pass == PASS_LINE)
    paint->fill_opacity = 0.f;
  if (pass == PASS_CASING) {
    paint->argb = settings->casing_color;
    paint->line_width += (gfloat) (2. * settings->casing * self->scale);
    paint->dashed = FALSE;
  }
}

/* Rectangle and ellipse of a hull, if they are known. */
static void
add_around (OverlayCollection * self, const GstShapeArrays * arrays,
    gsize i, GstShapePaint paint)
{
  paint.fill_opacity = 0.f;
  paint.dashed = FALSE;
  if (self->settings->draw_rectangles && arrays->hull_measures)
    overlay_add_rectangle (&self->marks, &arrays->hull_measures[i], &paint);
  if (self->settings->draw_ellipses && arrays->ellipses)
    overlay_add_ellipse (&self->marks, &arrays->ellipses[i], &paint);
}

/* Hulls may overlap: each is filled by itself. */
static gboolean
begins_group (const OverlayCollection * self, const GstShapePolyline * polyline)
{
  return !is_same_region (polyline, polyline - 1)
      || (self->settings->fill_hulls
      && polyline->kind == GST_SHAPE_KIND_HULL);
}

static void
add_pass (OverlayCollection * self, const GstShapeArrays * arrays,
    const gboolean * hollow, Pass pass)
{
  guint group = 0;

  for (gsize i = 0; i < arrays->n_shapes; i++) {
    const GstShapePolyline *polyline = &arrays->polylines[i];

    if (i > 0 && begins_group (self, polyline))
      group++;
    GstShapePaint paint = polyline_paint (self, arrays, i);
    paint.group = group;
    paint.hollow = !paint.dashed && hollow && hollow[i];
    restrict_paint (self, pass, &paint);
    if (draws_polyline (self, polyline))
      gst_shape_marks_add_polyline (&self->marks,
          arrays->points + arrays->offsets[i],
          arrays->offsets[i + 1] - arrays->offsets[i], &paint);
    if (polyline->kind == GST_SHAPE_KIND_HULL)
      add_around (self, arrays, i, paint);
  }
}

static gboolean
has_casing (const OverlayCollection * self)
{
  return self->settings->casing > 0. && self->settings->line_width > 0.;
}

static gboolean
add_polylines (OverlayCollection * self, const GstShapeArrays * arrays,
    guint height, GError ** error)
{
  gboolean *hollow;

  if (!select_filled (self, arrays, height, &hollow, error))
    return FALSE;
  if (!has_casing (self)) {
    add_pass (self, arrays, hollow, PASS_ALL);
    return TRUE;
  }
  add_pass (self, arrays, hollow, PASS_FILL);
  add_pass (self, arrays, hollow, PASS_CASING);
  add_pass (self, arrays, hollow, PASS_LINE);
  return TRUE;
}

static void
add_dots (OverlayCollection * self, const GstShapeArrays * arrays)
{
  for (gsize i = 0; i < arrays->n_shapes; i++) {
    if (!draws_polyline (self, &arrays->polylines[i]))
      continue;
    GstShapePaint paint = polyline_paint (self, arrays, i);
    paint.line_width *= 2.f;
    gst_shape_marks_add_dots (&self->marks, arrays->points + arrays->offsets[i],
        arrays->offsets[i + 1] - arrays->offsets[i], &paint);
  }
}

/* Circles */

/* Whether @a is drawn after @b: nearer is later, what has no depth comes
 * first. */
static gboolean
is_nearer (const GstShapeCircle * a, const GstShapeCircle * b)
{
  return a->z < b->z || (isnan (b->z) && !isnan (a->z));
}

static gint
compare_depths (gconstpointer a, gconstpointer b)
{
  const OverlayIndexed *x = a, *y = b;

  if (is_nearer (&x->circle, &y->circle))
    return 1;
  if (is_nearer (&y->circle, &x->circle))
    return -1;
  return x->index < y->index ? -1 : 1;
}

static gboolean
are_sorted (const GstShapeCircle * circles, gsize n)
{
  for (gsize i = 1; i < n; i++) {
    if (is_nearer (&circles[i - 1], &circles[i]))
      return FALSE;
  }
  return TRUE;
}

/* The layer's circles from far to near, those of one depth in the order in
 * which they come; valid until the next ones. %NULL without memory. */
static const GstShapeCircle *
sort_circles (OverlayCollection * self, const GstShapeArrays * arrays)
{
  const gsize n = arrays->n_shapes;

  if (are_sorted (arrays->circles, n))
    return arrays->circles;
  cs_array_empty (&self->sorted);
  if (!cs_array_set_size (&self->sorted, n))
    return NULL;
  OverlayIndexed *indexed = (OverlayIndexed *) (gpointer) self->sorted.data;
  for (gsize i = 0; i < n; i++)
    indexed[i] = (OverlayIndexed) { arrays->circles[i], i };
  qsort (indexed, n, sizeof (*indexed), compare_depths);
  /* in place: what is written has been read */
  GstShapeCircle *sorted = (GstShapeCircle *) (gpointer) self->sorted.data;
  for (gsize i = 0; i < n; i++) {
    const GstShapeCircle circle = indexed[i].circle;

    sorted[i] = circle;
  }
  return sorted;
}

static gboolean
add_circles (OverlayCollection * self, const GstShapeArrays * arrays,
    GError ** error)
{
  const OverlaySettings *settings = self->settings;
  const gboolean fixed = settings->color_mode == OVERLAY_COLOR_MODE_FIXED;
  const GstShapeCircle *circles = sort_circles (self, arrays);
  GstShapePaint paint = { 0, };
  gsize start = 0, i;

  if (!circles)
    return cs_fail_no_memory (error, "sorting the circles of a frame");
  paint.line_width = (gfloat) (settings->line_width * self->scale);
  paint.line_opacity = (gfloat) settings->opacity;
  paint.fill_opacity = (gfloat) (settings->opacity * settings->fill_opacity);
  for (i = 1; i <= arrays->n_shapes; i++) {
    guint32 rgba = circles[start].rgba;

    if (i < arrays->n_shapes && (fixed || circles[i].rgba == rgba))
      continue;
    paint.argb = fixed ? settings->color : (rgba >> 8 | rgba << 24);
    if (has_casing (self)) {
      GstShapePaint casing = paint;

      restrict_paint (self, PASS_CASING, &casing);
      gst_shape_marks_add_circles (&self->marks, circles + start, i - start,
          &casing);
    }
    gst_shape_marks_add_circles (&self->marks, circles + start, i - start,
        &paint);
    start = i;
  }
  return TRUE;
}

/* Regions of interest, zones */

guint32
overlay_collection_get_color (const OverlayCollection * self, guint i)
{
  const OverlaySettings *settings = self->settings;

  return settings->color_mode == OVERLAY_COLOR_MODE_FIXED ? settings->color :
      g_array_index (settings->colors, guint32, i % settings->colors->len);
}

void
overlay_collection_add_outline (OverlayCollection * self,
    const GstShapePoint * points, gsize n, guint32 argb)
{
  const OverlaySettings *settings = self->settings;
  const GstShapePaint paint = {
    .argb = argb,
    .line_width = (gfloat) (settings->line_width * self->scale),
    .line_opacity = (gfloat) settings->opacity,
  };

  if (has_casing (self)) {
    GstShapePaint casing = paint;

    restrict_paint (self, PASS_CASING, &casing);
    gst_shape_marks_add_polyline (&self->marks, points, n, &casing);
  }
  gst_shape_marks_add_polyline (&self->marks, points, n, &paint);
}

/* A rectangle of whole pixels of the frame, around them. */
void
overlay_collection_add_region (OverlayCollection * self,
    const GstVideoRegionOfInterestMeta * region)
{
  gdouble x0 = region->x - .5, y0 = region->y - .5;
  gdouble x1 = x0 + region->w, y1 = y0 + region->h;

  overlay_collection_unmap (self, &x0, &y0);
  overlay_collection_unmap (self, &x1, &y1);
  const GstShapePoint points[5] = {
    {(gfloat) x0, (gfloat) y0}, {(gfloat) x1, (gfloat) y0},
    {(gfloat) x1, (gfloat) y1}, {(gfloat) x0, (gfloat) y1},
    {(gfloat) x0, (gfloat) y0}
  };
  overlay_collection_add_outline (self, points, 5,
      overlay_collection_get_color (self, (guint) MAX (region->id, 0)));
}

/* Labels */

/* Holes belong to what is around them, and a hull to its contour. */
static gboolean
is_labelled (const OverlayCollection * self, const GstShapePolyline * polyline)
{
  if (polyline->kind == GST_SHAPE_KIND_HULL)
    return self->settings->draw_hulls && (polyline->parent < 0
        || !self->settings->draw_contours);
  return self->settings->draw_contours
      && !(polyline->flags & GST_SHAPE_FLAG_HOLE);
}

/* Lengths are taken from the points if pixels are no squares. */
static void
describe_metric (GstShapeSet * set, guint layer, gsize i,
    OverlayFields * fields)
{
  GstShapeMetric metric;

  gst_shape_set_get_metric (set, layer, i, &metric);
  fields->area_mm2 = fabs (metric.area);
  fields->length_mm = metric.perimeter;
}

static OverlayFields
describe (GstShapeSet * set, guint layer, const GstShapeArrays * arrays,
    gsize i, const GstShapePolyline * polyline)
{
  const GstShapeAnnotation none = GST_SHAPE_ANNOTATION_NONE;
  const GstShapeAnnotation *annotation = arrays->annotations ?
      &arrays->annotations[i] : &none;
  OverlayFields fields = {
    .class_name =
        gst_shape_layer_get_class_name (gst_shape_set_get_layer (set, layer),
        polyline->class_id),
    .id = polyline->id,
    .class_id = polyline->class_id,
    .parent = polyline->parent,
    .region = annotation->region_id,
    .track = annotation->track_id,
    .level = polyline->level,
    .area = fabs (polyline->area),
    .length = polyline->perimeter,
    .confidence = annotation->confidence >= 0.f ? annotation->confidence : NAN,
  };

  describe_metric (set, layer, i, &fields);
  return fields;
}

static OverlayBox
find_box (const OverlayCollection * self, const GstShapePolyline * polyline)
{
  OverlayBox box = { polyline->bbox_x0, polyline->bbox_y0,
    polyline->bbox_x1, polyline->bbox_y1
  };

  gst_shape_marks_map (&self->marks, &box.x0, &box.y0);
  gst_shape_marks_map (&self->marks, &box.x1, &box.y1);
  return box;
}

static void
add_labels (OverlayCollection * self, GstShapeSet * set, guint layer,
    const GstShapeArrays * arrays)
{
  for (gsize i = 0; i < arrays->n_shapes; i++) {
    GstShapePolyline polyline;

    /* what has no place gets no label */
    if (!is_labelled (self, &arrays->polylines[i])
        || arrays->offsets[i] == arrays->offsets[i + 1]
        || !gst_shape_arrays_get_measures (arrays, i, &polyline))
      continue;
    OverlayFields fields = describe (set, layer, arrays, i, &polyline);
    OverlayBox box = find_box (self, &polyline);
    overlay_labels_add (&self->labels, &fields, &box,
        overlay_colors_get (&self->colors, self->settings, arrays, i,
            self->frame_area));
  }
}

/* A frame */

static gboolean
add_layer (OverlayCollection * self, GstShapeSet * set, guint layer,
    const GstShapeArrays * arrays, guint height, GError ** error)
{
  if (gst_shape_set_get_layer_type (set, layer) == GST_SHAPE_LAYER_CIRCLES)
    return !self->settings->draw_circles || add_circles (self, arrays, error);
  if (!arrays->points)
    return TRUE;
  overlay_colors_add_levels (&self->colors, arrays);
  if (overlay_labels_are_wanted (&self->labels))
    add_labels (self, set, layer, arrays);
  if (!add_polylines (self, arrays, height, error))
    return FALSE;
  if (self->settings->draw_points)
    add_dots (self, arrays);
  return TRUE;
}

gboolean
overlay_collection_begin (OverlayCollection * self,
    const OverlaySettings * settings, GstShapeSet * set, gboolean has_zones,
    guint width, guint height, GError ** warning)
{
  const guint set_width = set ? gst_shape_set_get_width (set) : 0;
  const guint set_height = set ? gst_shape_set_get_height (set) : 0;

  self->settings = settings;
  self->scale = settings->scale_with_frame ?
      height / OVERLAY_REFERENCE_HEIGHT : 1.;
  self->frame_area = (gdouble) (set_width ? set_width : width) *
      (set_height ? set_height : height);
  gst_shape_marks_begin (&self->marks, width, height, set_width, set_height);
  if ((!set && !has_zones) || settings->opacity <= 0.)
    return FALSE;
  overlay_labels_begin (&self->labels, settings, has_zones, width, height,
      warning);
  return TRUE;
}

gboolean
overlay_collection_add (OverlayCollection * self, GstShapeSet * set,
    guint layer, const GstShapeArrays * arrays, GError ** error)
{
  guint height = gst_shape_set_get_height (set);

  if (height == 0)
    height = self->marks.height;
  return add_layer (self, set, layer, arrays, height, error)
      && (!gst_shape_marks_have_failed (&self->marks)
      || cs_fail_no_memory (error, "the shapes of a frame"));
}

gboolean
overlay_collection_end (OverlayCollection * self, GError ** error)
{
  overlay_labels_finish (&self->labels, &self->marks);
  return (!self->labels.candidates.failed && !self->labels.placed.failed
      && !gst_shape_marks_have_failed (&self->marks))
      || cs_fail_no_memory (error, "the labels of a frame");
}
