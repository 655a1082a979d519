/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapeoverlaycolors.h"

#include <math.h>

/* How much white hulls are mixed with, out of 256. */
#define HULL_LIGHTEN 96
/* More levels than this share colours. */
#define MAX_LEVELS 256
#define UNKNOWN 0xff9e9e9eu

/* Cividis (Nunez, Anderton, Renslow 2018), which is perceptually even with
 * normal and with red-green deficient vision, at 17 equal steps. */
static const guint32 map[] = {
  0x00224e, 0x002e6a, 0x1a386f, 0x32436d, 0x434e6c, 0x535a6d, 0x61656f,
  0x6f7073, 0x7d7c78, 0x8b8778, 0x9a9376, 0xaaa073, 0xbbad6d, 0xccba64,
  0xddc858, 0xefd748, 0xfee838
};

void
overlay_colors_init (OverlayColors * self)
{
  self->levels = g_array_sized_new (FALSE, FALSE, sizeof (gdouble), MAX_LEVELS);
}

void
overlay_colors_clear (OverlayColors * self)
{
  g_clear_pointer (&self->levels, g_array_unref);
}

/* The place of @level, or where it belongs. */
static guint
find_level (const GArray * levels, gdouble level)
{
  guint first = 0, end = levels->len;

  while (first < end) {
    const guint middle = (first + end) / 2;

    if (g_array_index (levels, gdouble, middle) < level)
      first = middle + 1;
    else
      end = middle;
  }
  return first;
}

void
overlay_colors_add_levels (OverlayColors * self, const GstShapeArrays * arrays)
{
  for (gsize i = 0; i < arrays->n_shapes && self->levels->len < MAX_LEVELS;
      i++) {
    const gdouble level = arrays->polylines[i].level;

    if (!isfinite (level) || arrays->polylines[i].kind == GST_SHAPE_KIND_HULL
        || (i > 0 && level == arrays->polylines[i - 1].level))
      continue;
    const guint at = find_level (self->levels, level);
    if (at == self->levels->len
        || g_array_index (self->levels, gdouble, at) != level)
      g_array_insert_val (self->levels, at, level);
  }
}

guint32
overlay_colors_map (gdouble t)
{
  const guint n = G_N_ELEMENTS (map) - 1;
  guint32 argb = 0xff000000u;

  if (isnan (t))
    return UNKNOWN;
  const gdouble at = CLAMP (t, 0., 1.) * n;
  const guint k = MIN ((guint) at, n - 1);
  const gdouble part = at - k;
  for (guint shift = 0; shift < 24; shift += 8) {
    const gdouble a = (map[k] >> shift) & 0xff;
    const gdouble b = (map[k + 1] >> shift) & 0xff;

    argb |= (guint32) (a + (b - a) * part + .5) << shift;
  }
  return argb;
}

gdouble
overlay_colors_area (gdouble area, gdouble frame_area)
{
  return frame_area > 1. ? log (MAX (fabs (area), 1.)) / log (frame_area) : 0.;
}

static guint32
palette_color (const OverlaySettings * settings, gint64 index)
{
  return g_array_index (settings->colors, guint32,
      (guint32) index % settings->colors->len);
}

static guint32
lighten (guint32 argb)
{
  guint32 light = argb & 0xff000000u;

  for (gint shift = 0; shift < 24; shift += 8) {
    guint32 code = (argb >> shift) & 0xff;

    light |= (code + (255 - code) * HULL_LIGHTEN / 256) << shift;
  }
  return light;
}

static guint32
level_color (const OverlayColors * self, gdouble level)
{
  const guint n = self->levels->len;

  return overlay_colors_map (n > 1 ?
      (gdouble) find_level (self->levels, level) / (n - 1) : 1.);
}

static guint32
annotation_color (const OverlaySettings * settings,
    const GstShapeAnnotation * annotation)
{
  if (settings->color_mode == OVERLAY_COLOR_MODE_CONFIDENCE)
    return overlay_colors_map (annotation
        && annotation->confidence >= 0.f ? annotation->confidence : NAN);
  return annotation && annotation->region_id >= 0 ?
      palette_color (settings, annotation->region_id) : UNKNOWN;
}

/* Unknown without points. */
static guint32
area_color (const GstShapeArrays * arrays, gsize i, gdouble frame_area)
{
  GstShapePolyline measured;

  gst_shape_arrays_get_measures (arrays, i, &measured);
  return overlay_colors_map (overlay_colors_area (measured.area, frame_area));
}

static guint32
base_color (const OverlayColors * self, const OverlaySettings * settings,
    const GstShapeArrays * arrays, gsize i, gdouble frame_area)
{
  const GstShapePolyline *polyline = &arrays->polylines[i];

  switch (settings->color_mode) {
    case OVERLAY_COLOR_MODE_CLASS:
      return palette_color (settings, polyline->class_id);
    case OVERLAY_COLOR_MODE_SHAPE:
      /* a hull looks like its contour */
      return palette_color (settings, polyline->kind == GST_SHAPE_KIND_HULL
          && polyline->parent >= 0 ? polyline->parent : polyline->id);
    case OVERLAY_COLOR_MODE_LEVEL:
      return level_color (self, polyline->level);
    case OVERLAY_COLOR_MODE_AREA:
      return area_color (arrays, i, frame_area);
    case OVERLAY_COLOR_MODE_REGION:
    case OVERLAY_COLOR_MODE_CONFIDENCE:
      return annotation_color (settings, arrays->annotations ?
          &arrays->annotations[i] : NULL);
    case OVERLAY_COLOR_MODE_FIXED:
      break;
  }
  return settings->color;
}

guint32
overlay_colors_get (const OverlayColors * self,
    const OverlaySettings * settings, const GstShapeArrays * arrays,
    gsize i, gdouble frame_area)
{
  const guint32 argb = base_color (self, settings, arrays, i, frame_area);

  return arrays->polylines[i].kind == GST_SHAPE_KIND_HULL ? lighten (argb) :
      argb;
}
