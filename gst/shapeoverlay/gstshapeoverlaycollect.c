/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstshapeoverlaycollect.h"

#include <math.h>
#include <stdlib.h>

/* How much white hulls are mixed with, out of 256. */
#define HULL_LIGHTEN 96

void
gst_shape_overlay_collection_init (GstShapeOverlayCollection * self)
{
  gst_shape_marks_init (&self->marks);
  gst_shape_overlay_selection_init (&self->selection);
  cs_array_init (&self->hollow, sizeof (gboolean));
  cs_array_init (&self->sorted, sizeof (GstShapeOverlayIndexed));
}

void
gst_shape_overlay_collection_clear (GstShapeOverlayCollection * self)
{
  gst_shape_marks_clear (&self->marks);
  gst_shape_overlay_selection_clear (&self->selection);
  cs_array_clear (&self->hollow);
  cs_array_clear (&self->sorted);
}

/* Colours */

static guint32
palette_color (const GstShapeOverlayCollection * self, gint32 index)
{
  return g_array_index (self->settings->colors, guint32,
      (guint32) index % self->settings->colors->len);
}

static guint32
lighten (guint32 argb)
{
  guint32 light = argb & 0xff000000u;
  gint shift;

  for (shift = 0; shift < 24; shift += 8) {
    guint32 code = (argb >> shift) & 0xff;

    light |= (code + (255 - code) * HULL_LIGHTEN / 256) << shift;
  }
  return light;
}

static guint32
polyline_color (GstShapeOverlayCollection * self,
    const GstShapePolyline * polyline)
{
  switch (self->settings->color_mode) {
    case GST_SHAPE_OVERLAY_COLOR_MODE_CLASS:
      return palette_color (self, polyline->class_id);
    case GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE:
      /* a hull looks like its contour */
      if (polyline->kind == GST_SHAPE_KIND_HULL && polyline->parent >= 0)
        return palette_color (self, polyline->parent);
      return palette_color (self, polyline->id);
    case GST_SHAPE_OVERLAY_COLOR_MODE_FIXED:
      break;
  }
  return self->settings->color;
}

static GstShapePaint
polyline_paint (GstShapeOverlayCollection * self,
    const GstShapePolyline * polyline)
{
  GstShapePaint paint = { 0, };

  paint.argb = polyline_color (self, polyline);
  paint.line_width = (gfloat) self->settings->line_width;
  paint.line_opacity = (gfloat) self->settings->opacity;
  if (polyline->kind == GST_SHAPE_KIND_HULL) {
    paint.argb = lighten (paint.argb);
    paint.dashed = TRUE;
  } else {
    paint.fill_opacity = (gfloat) (self->settings->opacity *
        self->settings->fill_opacity);
  }
  return paint;
}

static gboolean
draws_polyline (GstShapeOverlayCollection * self,
    const GstShapePolyline * polyline)
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
select_filled (GstShapeOverlayCollection * self, const GstShapeArrays * arrays,
    guint height, gboolean ** hollow, GError ** error)
{
  gsize first = 0, i;

  *hollow = NULL;
  if (self->settings->color_mode == GST_SHAPE_OVERLAY_COLOR_MODE_SHAPE
      || !self->settings->draw_contours
      || self->settings->opacity * self->settings->fill_opacity <= 0.)
    return TRUE;
  cs_array_empty (&self->hollow);
  if (!cs_array_set_size (&self->hollow, arrays->n_shapes))
    return gst_shape_overlay_selection_fail (error);
  *hollow = (gboolean *) (gpointer) self->hollow.data;
  for (i = 1; i <= arrays->n_shapes; i++) {
    const GstShapePolyline *begin = &arrays->polylines[first];

    if (i < arrays->n_shapes && is_same_region (&arrays->polylines[i], begin))
      continue;
    if (!gst_shape_overlay_select_filled (&self->selection, arrays->points,
            arrays->offsets + first, begin, i - first, height,
            *hollow + first, error))
      return FALSE;
    first = i;
  }
  return TRUE;
}

static gboolean
add_polylines (GstShapeOverlayCollection * self, const GstShapeArrays * arrays,
    guint height, GError ** error)
{
  gboolean *hollow;
  guint group = 0;
  gsize i;

  if (!select_filled (self, arrays, height, &hollow, error))
    return FALSE;
  for (i = 0; i < arrays->n_shapes; i++) {
    const GstShapePolyline *polyline = &arrays->polylines[i];
    GstShapePaint paint;

    if (i > 0 && !is_same_region (polyline, polyline - 1))
      group++;
    if (!draws_polyline (self, polyline))
      continue;
    paint = polyline_paint (self, polyline);
    paint.group = group;
    paint.hollow = hollow && hollow[i];
    gst_shape_marks_add_polyline (&self->marks,
        arrays->points + arrays->offsets[i],
        arrays->offsets[i + 1] - arrays->offsets[i], &paint);
  }
  return TRUE;
}

static void
add_dots (GstShapeOverlayCollection * self, const GstShapeArrays * arrays)
{
  gsize i;

  for (i = 0; i < arrays->n_shapes; i++) {
    GstShapePaint paint;

    if (!draws_polyline (self, &arrays->polylines[i]))
      continue;
    paint = polyline_paint (self, &arrays->polylines[i]);
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
  const GstShapeOverlayIndexed *x = a, *y = b;

  if (is_nearer (&x->circle, &y->circle))
    return 1;
  if (is_nearer (&y->circle, &x->circle))
    return -1;
  return x->index < y->index ? -1 : 1;
}

static gboolean
are_sorted (const GstShapeCircle * circles, gsize n)
{
  gsize i;

  for (i = 1; i < n; i++) {
    if (is_nearer (&circles[i - 1], &circles[i]))
      return FALSE;
  }
  return TRUE;
}

/* The layer's circles from far to near, those of one depth in the order in
 * which they come; valid until the next ones. %NULL without memory. */
static const GstShapeCircle *
sort_circles (GstShapeOverlayCollection * self, const GstShapeArrays * arrays)
{
  const gsize n = arrays->n_shapes;
  GstShapeOverlayIndexed *indexed;
  GstShapeCircle *sorted;
  gsize i;

  if (are_sorted (arrays->circles, n))
    return arrays->circles;
  cs_array_empty (&self->sorted);
  if (!cs_array_set_size (&self->sorted, n))
    return NULL;
  indexed = (GstShapeOverlayIndexed *) (gpointer) self->sorted.data;
  for (i = 0; i < n; i++)
    indexed[i] = (GstShapeOverlayIndexed) { arrays->circles[i], i };
  qsort (indexed, n, sizeof (*indexed), compare_depths);
  /* in place: what is written has been read */
  sorted = (GstShapeCircle *) (gpointer) self->sorted.data;
  for (i = 0; i < n; i++) {
    const GstShapeCircle circle = indexed[i].circle;

    sorted[i] = circle;
  }
  return sorted;
}

static gboolean
add_circles (GstShapeOverlayCollection * self, const GstShapeArrays * arrays,
    GError ** error)
{
  const GstShapeOverlaySettings *settings = self->settings;
  const gboolean fixed =
      settings->color_mode == GST_SHAPE_OVERLAY_COLOR_MODE_FIXED;
  const GstShapeCircle *circles = sort_circles (self, arrays);
  GstShapePaint paint = { 0, };
  gsize start = 0, i;

  if (!circles)
    return cs_fail_no_memory (error, "sorting the circles of a frame");
  paint.line_width = (gfloat) settings->line_width;
  paint.line_opacity = (gfloat) settings->opacity;
  paint.fill_opacity = (gfloat) (settings->opacity * settings->fill_opacity);
  for (i = 1; i <= arrays->n_shapes; i++) {
    guint32 rgba = circles[start].rgba;

    if (i < arrays->n_shapes && (fixed || circles[i].rgba == rgba))
      continue;
    paint.argb = fixed ? settings->color : (rgba >> 8 | rgba << 24);
    gst_shape_marks_add_circles (&self->marks, circles + start, i - start,
        &paint);
    start = i;
  }
  return TRUE;
}

/* A frame */

static gboolean
add_layer (GstShapeOverlayCollection * self, GstShapeLayer * layer,
    const GstShapeArrays * arrays, guint height, GError ** error)
{
  if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_CIRCLES)
    return !self->settings->draw_circles || add_circles (self, arrays, error);
  if (!arrays->points)
    return TRUE;
  if (!add_polylines (self, arrays, height, error))
    return FALSE;
  if (self->settings->draw_points)
    add_dots (self, arrays);
  return TRUE;
}

gboolean
gst_shape_overlay_collection_begin (GstShapeOverlayCollection * self,
    const GstShapeOverlaySettings * settings, GstShapeSet * set, guint width,
    guint height)
{
  self->settings = settings;
  gst_shape_marks_begin (&self->marks, width, height,
      set ? gst_shape_set_get_width (set) : 0,
      set ? gst_shape_set_get_height (set) : 0);
  return set && settings->opacity > 0.;
}

gboolean
gst_shape_overlay_collection_add (GstShapeOverlayCollection * self,
    GstShapeSet * set, GstShapeLayer * layer, const GstShapeArrays * arrays,
    GError ** error)
{
  guint height = gst_shape_set_get_height (set);

  if (height == 0)
    height = self->marks.height;
  return add_layer (self, layer, arrays, height, error)
      && (!gst_shape_marks_have_failed (&self->marks)
      || cs_fail_no_memory (error, "the shapes of a frame"));
}
