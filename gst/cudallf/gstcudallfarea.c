/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstcudallfarea.h"

#include <math.h>
#include <string.h>

#include "base/array.h"
#include "element/gstshapesmask.h"
#include "raster/raster.h"
#include "shapes/gstshapes.h"

#define ALL 255

/**
 * LlfArea:
 * @fixed: of the rectangles and the mask
 * @weights: of everything
 * @is_stale: whether @fixed is to be made
 * @has_weights: whether the area is not the whole frame
 * @marks, ...: the shapes of a frame, for the painter
 */
struct _LlfArea
{
  gchar *region, *mask;
  LlfShapes shapes;
  gboolean is_stale, has_weights;
  guint width, height, split;
  CsArray fixed, weights;
  guint64 version;

  CsExecutor *executor;
  CsRaster *raster;
  CsArray marks, fills, rings, points, taken;
};

LlfArea *
llf_area_new (void)
{
  LlfArea *area = g_new0 (LlfArea, 1);

  cs_array_init (&area->fixed, 1);
  cs_array_init (&area->weights, 1);
  cs_array_init (&area->marks, sizeof (CsMark));
  cs_array_init (&area->fills, sizeof (CsFill));
  cs_array_init (&area->rings, sizeof (guint32));
  cs_array_init (&area->points, 2 * sizeof (gfloat));
  cs_array_init (&area->taken, 1);
  return area;
}

void
llf_area_free (LlfArea * area)
{
  if (!area)
    return;
  g_free (area->region);
  g_free (area->mask);
  g_clear_pointer (&area->raster, cs_raster_free);
  g_clear_pointer (&area->executor, cs_executor_free);
  cs_array_clear (&area->fixed);
  cs_array_clear (&area->weights);
  cs_array_clear (&area->marks);
  cs_array_clear (&area->fills);
  cs_array_clear (&area->rings);
  cs_array_clear (&area->points);
  cs_array_clear (&area->taken);
  g_free (area);
}

void
llf_area_set (LlfArea * area, const gchar * region,
    const gchar * mask, LlfShapes shapes)
{
  g_free (area->region);
  g_free (area->mask);
  area->region = region && *region ? g_strdup (region) : NULL;
  area->mask = mask && *mask ? g_strdup (mask) : NULL;
  area->shapes = shapes;
  area->is_stale = TRUE;
}

static guint8 *
bytes (const CsArray * array)
{
  return (guint8 *) array->data;
}

/* Rectangles and the mask */

/* Reads "x,y,width,height" up to its end. */
static gboolean
parse_rectangle (const gchar * text, guint numbers[4])
{
  for (guint i = 0; i < 4; i++) {
    gchar *end;

    while (g_ascii_isspace (*text))
      text++;
    if (!g_ascii_isdigit (*text))
      return FALSE;
    const guint64 number = g_ascii_strtoull (text, &end, 10);
    while (g_ascii_isspace (*end))
      end++;
    if (number > G_MAXINT || *end != (i < 3 ? ',' : '\0'))
      return FALSE;
    numbers[i] = (guint) number;
    text = end + 1;
  }
  return TRUE;
}

/* A width or height of 0 reaches to the picture's edge. */
static void
fill_rectangle (LlfArea * area, const guint n[4])
{
  const guint x = MIN (n[0], area->width), y = MIN (n[1], area->height);
  const guint width = n[2] ? MIN (n[2], area->width - x) : area->width - x;
  const guint height = n[3] ? MIN (n[3], area->height - y) : area->height - y;

  for (guint row = y; row < y + height; row++)
    memset (bytes (&area->fixed) + (gsize) row * area->width + x, ALL, width);
}

static gboolean
fill_rectangles (LlfArea * area, GError ** error)
{
  gchar **parts = g_strsplit (area->region, ";", -1);
  gboolean ok = TRUE;
  guint i, numbers[4];

  for (i = 0; parts[i] && ok; i++) {
    ok = parse_rectangle (parts[i], numbers);
    if (ok)
      fill_rectangle (area, numbers);
  }
  if (!ok)
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "roi=\"%s\" is not four "
        "numbers from 0 on, \"x,y,width,height\", such as \"100,50,640,480\", "
        "or several such rectangles with \";\" between them", area->region);
  g_strfreev (parts);
  return ok;
}

static void
take_minimum (guint8 * weights, const guint8 * others, gsize n)
{
  for (gsize i = 0; i < n; i++)
    weights[i] = MIN (weights[i], others[i]);
}

static gboolean
apply_mask (LlfArea * area, GError ** error)
{
  guint8 *mask = gst_shapes_mask_load (area->mask, area->width, area->height,
      error);

  if (!mask)
    return FALSE;
  take_minimum (bytes (&area->fixed), mask, area->fixed.len);
  g_free (mask);
  return TRUE;
}

static gboolean
make_fixed (LlfArea * area, const GstVideoInfo * info, GError ** error)
{
  const gsize n = (gsize) GST_VIDEO_INFO_WIDTH (info) *
      GST_VIDEO_INFO_HEIGHT (info);

  area->width = GST_VIDEO_INFO_WIDTH (info);
  area->height = GST_VIDEO_INFO_HEIGHT (info);
  if (!cs_array_set_size (&area->fixed, n) ||
      !cs_array_set_size (&area->weights, n)) {
    /* to be tried again */
    cs_array_clear (&area->fixed);
    cs_array_clear (&area->weights);
    return cs_fail_no_memory (error, "the weights of a frame");
  }
  memset (area->fixed.data, area->region ? 0 : ALL, n);
  return (!area->region || fill_rectangles (area, error)) &&
      (!area->mask || apply_mask (area, error));
}

/* Shapes */

/* From the coordinates of a set to those of the frame. */
typedef struct
{
  gfloat x, y;
} Scale;

static gboolean
is_region (const GstShapePolyline * polyline)
{
  return polyline->flags & GST_SHAPE_FLAG_CLOSED;
}

/* Whether two polylines are parts of one fill. */
static gboolean
is_alike (const GstShapePolyline * a, const GstShapePolyline * b)
{
  return a->kind == b->kind && a->class_id == b->class_id &&
      a->level == b->level;
}

static void
add_ring (LlfArea * area, const GstShapeArrays * arrays, gsize i, Scale scale)
{
  const guint32 first = area->points.len;

  cs_array_append_val (&area->rings, first);
  for (guint32 k = arrays->offsets[i]; k < arrays->offsets[i + 1]; k++) {
    const gfloat point[2] = {
      (arrays->points[k].x + .5f) * scale.x - .5f,
      (arrays->points[k].y + .5f) * scale.y - .5f
    };

    cs_array_append (&area->points, point, 1);
  }
}

/* A fill of all polylines like @first. Contours with their holes are filled by
 * the even-odd rule; hulls overlap. */
static void
add_fill (LlfArea * area, const GstShapeArrays * arrays, gsize first,
    Scale scale)
{
  const GstShapePolyline *polylines = arrays->polylines;
  guint8 *taken = bytes (&area->taken);
  CsFill fill = {
    .first_ring = area->rings.len,
    .rule = polylines[first].kind == GST_SHAPE_KIND_HULL ? CS_FILL_NONZERO :
        CS_FILL_EVEN_ODD,
  };
  const CsMark mark = {
    .half_width = CS_MARK_FILL,.rgba = G_MAXUINT32,.group = area->fills.len
  };

  for (gsize i = first; i < arrays->n_shapes; i++) {
    if (taken[i] || !is_region (&polylines[i]) ||
        !is_alike (&polylines[i], &polylines[first]))
      continue;
    taken[i] = TRUE;
    add_ring (area, arrays, i, scale);
    fill.n_rings++;
  }
  cs_array_append_val (&area->fills, fill);
  cs_array_append_val (&area->marks, mark);
}

static gboolean
add_polylines (LlfArea * area, const GstShapeArrays * arrays,
    Scale scale, GError ** error)
{
  if (!arrays->points && arrays->n_shapes > 0)
    return cs_error (error, CS_ERROR_INVALID, "the contours of a frame come "
        "without points: set measures-only=false of cudacontours");
  if (!cs_array_set_size (&area->taken, arrays->n_shapes))
    return cs_fail_no_memory (error, "the weights of a frame");
  if (arrays->n_shapes > 0)
    memset (area->taken.data, 0, arrays->n_shapes);
  for (gsize i = 0; i < arrays->n_shapes; i++)
    if (!bytes (&area->taken)[i] && is_region (&arrays->polylines[i]))
      add_fill (area, arrays, i, scale);
  return TRUE;
}

static gboolean
add_layer (LlfArea * area, GstShapeLayer * layer, Scale scale, GError ** error)
{
  const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);

  if (!arrays)
    return FALSE;
  if (gst_shape_layer_get_layer_type (layer) == GST_SHAPE_LAYER_POLYLINES)
    return add_polylines (area, arrays, scale, error);
  for (gsize i = 0; i < arrays->n_shapes; i++) {
    const GstShapeCircle *c = &arrays->circles[i];
    const gfloat x = (c->x + .5f) * scale.x - .5f;
    const gfloat y = (c->y + .5f) * scale.y - .5f;
    const CsMark mark = {
      .x0 = x,.y0 = y,.x1 = x,.y1 = y,
      .radius = c->r * sqrtf (scale.x * scale.y),.rgba = G_MAXUINT32
    };

    cs_array_append_val (&area->marks, mark);
  }
  return TRUE;
}

/* Collects the shapes of a frame. */
static gboolean
collect_shapes (LlfArea * area, GstBuffer * buffer, GError ** error)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  const guint width = set ? gst_shape_set_get_width (set) : 0;
  const guint height = set ? gst_shape_set_get_height (set) : 0;
  const Scale scale = {
    width ? (gfloat) area->width / width : 1.f,
    height ? (gfloat) area->height / height : 1.f
  };

  cs_array_empty (&area->marks);
  cs_array_empty (&area->fills);
  cs_array_empty (&area->rings);
  cs_array_empty (&area->points);
  for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++)
    if (!add_layer (area, gst_shape_set_get_layer (set, i), scale, error))
      return FALSE;
  const guint32 end = area->points.len;
  cs_array_append_val (&area->rings, end);
  if (area->marks.failed || area->fills.failed || area->rings.failed ||
      area->points.failed)
    return cs_fail_no_memory (error, "the weights of a frame");
  return TRUE;
}

static gboolean
ensure_raster (LlfArea * area, GError ** error)
{
  if (!area->executor)
    area->executor = cs_executor_new_cpu (0);
  if (!area->raster)
    area->raster = cs_raster_new (area->executor, error);
  return area->raster != NULL;
}

/* Paints the shapes white on black: weights are their coverage of pixels. */
static gboolean
paint_shapes (LlfArea * area, GError ** error)
{
  const CsFills fills = {
    .fills = (const CsFill *) area->fills.data,
    .rings = (const guint32 *) area->rings.data,
    .points = (const gfloat *) area->points.data,
    .n = area->fills.len,
    .n_rings = area->rings.len - 1,
  };
  const CsMarks marks = {
    .marks = (const CsMark *) area->marks.data,
    .n = area->marks.len,
    .memory = CS_MEMORY_HOST,
    .fills = fills.n > 0 ? &fills : NULL,
  };
  const CsPicture picture = {
    .model = CS_PICTURE_GRAY,
    .type = CS_SAMPLE_U8,
    .width = area->width,
    .height = area->height,
    .depth = 8,
    .data = {area->weights.data},
    .pixel_stride = {1},
    .row_stride = {area->width},
  };
  CsRasterSettings settings;

  if (!ensure_raster (area, error))
    return FALSE;
  cs_raster_settings_init (&settings);
  settings.background = CS_BACKGROUND_BLACK;
  return cs_raster_run (area->raster, &marks, &settings, NULL, &picture, error);
}

static gboolean
apply_shapes (LlfArea * area, GstBuffer * buffer, GError ** error)
{
  guint8 *weights = bytes (&area->weights);

  if (!collect_shapes (area, buffer, error) || !paint_shapes (area, error))
    return FALSE;
  if (area->shapes == LLF_SHAPES_OUTSIDE)
    for (gsize i = 0; i < area->weights.len; i++)
      weights[i] = ALL - weights[i];
  if (area->region || area->mask)
    take_minimum (weights, bytes (&area->fixed), area->weights.len);
  return TRUE;
}

/* All */

static gboolean
make_weights (LlfArea * area, GstBuffer * buffer, GError ** error)
{
  if (area->shapes == LLF_SHAPES_IGNORE)
    memcpy (area->weights.data, area->fixed.data, area->fixed.len);
  else if (!apply_shapes (area, buffer, error))
    return FALSE;
  for (guint y = 0; y < area->height && area->split > 0; y++)
    memset (bytes (&area->weights) + (gsize) y * area->width, 0, area->split);
  area->version++;
  return TRUE;
}

gboolean
llf_area_update (LlfArea * area, const GstVideoInfo * info,
    gdouble split, GstBuffer * buffer, GError ** error)
{
  const guint column = (guint) (split * GST_VIDEO_INFO_WIDTH (info) + .5);
  const gboolean has_shapes = area->shapes != LLF_SHAPES_IGNORE;
  gboolean is_new = column != area->split || has_shapes;

  area->has_weights = column > 0 || has_shapes || area->region || area->mask;
  area->split = column;
  if (!area->has_weights)
    return TRUE;
  if (area->is_stale || area->fixed.len == 0 ||
      area->width != (guint) GST_VIDEO_INFO_WIDTH (info) ||
      area->height != (guint) GST_VIDEO_INFO_HEIGHT (info)) {
    area->is_stale = TRUE;
    if (!make_fixed (area, info, error))
      return FALSE;
    area->is_stale = FALSE;
    is_new = TRUE;
  }
  return !is_new || make_weights (area, buffer, error);
}

const guint8 *
llf_area_get_weights (LlfArea * area, guint64 * version)
{
  *version = area->version;
  return area->has_weights ? bytes (&area->weights) : NULL;
}
