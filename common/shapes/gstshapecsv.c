/* SPDX-License-Identifier: LGPL-2.1-or-later */

/**
 * SECTION:gstshapecsv
 * @title: CSV
 * @short_description: measures of shapes as rows of a table (RFC 4180)
 *
 * A row for each shape, without its points; the first frame's rows have the
 * names of the columns above them. What was not measured, or is not finite, is
 * an empty cell. Rows end with a line feed. A =, +, - or @ at the beginning of
 * a text, or after a semicolon, tab or line end in it, which separate cells in
 * some countries, gets an apostrophe before it: spreadsheets would compute what
 * follows.
 */

#include <math.h>

#include "gstshapes-private.h"
#include "gstshapewriter.h"

#define put gst_shape_text_put

static const gchar header[] =
    "frame,source,pts,id,kind,class,image,level,closed,hole,parent,area,"
    "perimeter,centroid_x,centroid_y,bbox_x0,bbox_y0,bbox_x1,bbox_y1,solidity,"
    "equivalent_diameter,eccentricity,orientation,major_axis_length,"
    "minor_axis_length,feret_min,feret_max,rect_x,rect_y,rect_width,"
    "rect_height,rect_angle,circle_x,circle_y,circle_r,z,color,confidence,"
    "track_id,region_id,area_mm2,perimeter_mm,equivalent_diameter_mm,"
    "feret_min_mm,feret_max_mm,ellipse_x,ellipse_y,ellipse_major,"
    "ellipse_minor,ellipse_angle,defects,deepest_defect,pixels,gray_mean,"
    "gray_deviation,gray_min,gray_max,lightness_mean,lightness_deviation,"
    "lightness_min,lightness_max,a_mean,a_deviation,a_min,a_max,b_mean,"
    "b_deviation,b_min,b_max,probability_mean,probability_deviation,"
    "probability_min,probability_max,class_name\n";

/* Empty cells of what has none of them: those after region_id. */
#define METRIC_CELLS ",,,,,"
#define ELLIPSE_CELLS ",,,,,"
#define DEFECT_CELLS ",,"
#define STATISTIC_CELLS ",,,,,,,,,,,,,,,,,,,,,"

/* Empty cells of polylines for a circle, from class to rect_angle. */
#define POLYLINE_CELLS ",,,,,,,,,,,,,,,,,,,,,,,,,,,"

static gchar *
put_cell (gchar * end, gdouble value)
{
  if (isfinite (value))
    end = numfmt_double (end, value);
  return put (end, ",");
}

static gchar *
put_cells (gchar * end, const gdouble * values, guint n)
{
  for (guint i = 0; i < n; i++)
    end = put_cell (end, values[i]);
  return end;
}

/* Spreadsheets compute cells that begin with one of these, in whatever quotes;
 * the last four are of full width. */
static gboolean
begins_formula (gunichar c)
{
  return c != 0 && (strchr ("=+-@", (gint) MIN (c, 0x7f)) || c == 0xff1d
      || c == 0xff0b || c == 0xff0d || c == 0xff20);
}

/* What may be cut off before a cell. */
static gboolean
is_skipped (gunichar c)
{
  return g_unichar_isspace (c) || g_unichar_iscntrl (c)
      || g_unichar_type (c) == G_UNICODE_FORMAT;
}

/* What separates cells, where it is not the comma that does: quotes do not
 * count then. */
static gboolean
is_separator (gunichar c)
{
  return c == ';' || c == '\t' || c == '\n' || c == '\r';
}

/* A text of the user's, quoted; invalid UTF-8 is replaced. An apostrophe makes
 * text of formulas. */
static void
append_quoted (GstShapeText * text, const gchar * string, gboolean formulas)
{
  g_autofree gchar *valid = g_utf8_make_valid (string, -1);
  gboolean is_begin = !formulas;

  gst_shape_text_append (text, "\"");
  for (const gchar * at = valid; *at; at = g_utf8_next_char (at)) {
    const gunichar c = g_utf8_get_char (at);

    if (is_begin && begins_formula (c))
      gst_shape_text_append (text, "'");
    is_begin = !formulas && (is_separator (c) || (is_begin && is_skipped (c)));
    cs_array_append (&text->bytes, at, (gsize) (g_utf8_next_char (at) - at));
    if (c == '"')
      gst_shape_text_append (text, "\"");
  }
  gst_shape_text_append (text, "\"");
}

/* The cells that all shapes of a frame begin with. */
static void
append_frame (GstShapeText * text, const GstShapeJsonFrame * frame,
    gboolean formulas)
{
  gchar *end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);

  if (!end)
    return;
  end = numfmt_uint (end, frame->frame);
  *end++ = ',';
  gst_shape_text_advance (text, end);
  if (frame->source)
    append_quoted (text, frame->source, formulas);
  end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);
  if (!end)
    return;
  *end++ = ',';
  if (GST_CLOCK_TIME_IS_VALID (frame->pts))
    end = numfmt_uint (end, frame->pts);
  *end++ = ',';
  gst_shape_text_advance (text, end);
}

static gchar *
put_moments (gchar * end, const GstShapeArrays * arrays, gsize i)
{
  GstShapeFeatures f;

  if (!arrays->moments
      || !gst_shape_moments_get_features (&arrays->moments[i], &f))
    return put (end, ",,,,,");
  return put_cells (end, (gdouble[]) {
      f.equivalent_diameter, f.eccentricity, f.orientation,
          f.major_axis_length, f.minor_axis_length}, 5);
}

static gchar *
put_hull_measures (gchar * end, const GstShapeArrays * arrays, gsize i)
{
  if (!arrays->hull_measures
      || arrays->polylines[i].kind != GST_SHAPE_KIND_HULL)
    return put (end, ",,,,,,,,,,");
  const GstShapeHullMeasures *m = &arrays->hull_measures[i];
  return put_cells (end, (gdouble[]) {
      m->feret_min, m->feret_max, m->rect_x, m->rect_y, m->rect_width,
          m->rect_height, gst_shape_hull_measures_get_rect_angle (m),
          m->circle_x, m->circle_y, m->circle_r}, 10);
}

static gchar *
put_annotation (gchar * end, const GstShapeArrays * arrays, gsize i)
{
  const GstShapeAnnotation a = gst_shape_arrays_get_annotation (arrays, i);

  if (a.confidence >= 0)
    end = numfmt_float (end, a.confidence);
  *end++ = ',';
  if (a.track_id >= 0)
    end = numfmt_int (end, a.track_id);
  *end++ = ',';
  if (a.region_id >= 0)
    end = numfmt_int (end, a.region_id);
  return end;
}

/* Cells from here on have a comma before them. */
static gchar *
put_last_cell (gchar * end, gdouble value)
{
  *end++ = ',';
  return isfinite (value) ? numfmt_double (end, value) : end;
}

static gchar *
put_metric (gchar * end, GstShapeSet * set, const GstShapeArrays * arrays,
    gsize i)
{
  GstShapeMetric metric;
  gdouble x, y;

  if (!gst_shape_set_get_pixel_size (set, &x, &y))
    return put (end, METRIC_CELLS);
  gst_shape_arrays_get_metric (arrays, i, x, y, &metric);
  end = put_last_cell (end, metric.area);
  end = put_last_cell (end, metric.perimeter);
  end = put_last_cell (end, metric.equivalent_diameter);
  end = put_last_cell (end, metric.feret_min);
  return put_last_cell (end, metric.feret_max);
}

static gchar *
put_ellipse (gchar * end, const GstShapeArrays * arrays, gsize i)
{
  if (!arrays->ellipses || arrays->polylines[i].kind != GST_SHAPE_KIND_HULL)
    return put (end, ELLIPSE_CELLS);
  const GstShapeEllipse *e = &arrays->ellipses[i];
  end = put_last_cell (end, e->x);
  end = put_last_cell (end, e->y);
  end = put_last_cell (end, e->major);
  end = put_last_cell (end, e->minor);
  return put_last_cell (end, gst_shape_ellipse_get_angle (e));
}

/* How many, and the largest depth. */
static gchar *
put_defects (gchar * end, const GstShapeArrays * arrays, gsize i)
{
  gsize k = gst_shape_arrays_find_defect (arrays, i);
  const gsize first = k;
  gdouble depth = 0;

  if (!arrays->defects || arrays->polylines[i].kind != GST_SHAPE_KIND_HULL)
    return put (end, DEFECT_CELLS);
  for (; k < arrays->n_defects && arrays->defects[k].shape == i; k++)
    depth = MAX (depth, arrays->defects[k].depth);
  end = numfmt_uint (put (end, ","), k - first);
  return put_last_cell (end, depth);
}

static gchar *
put_statistics (gchar * end, const GstShapeArrays * arrays, gsize i)
{
  gsize k = gst_shape_arrays_find_statistic (arrays, i);

  if (k == arrays->n_statistics || arrays->statistics[k].shape != i)
    return put (end, STATISTIC_CELLS);
  end = numfmt_uint (put (end, ","), arrays->statistics[k].n_pixels);
  for (guint channel = 0; gst_shape_channel_to_string (channel); channel++) {
    const GstShapeStatistic *found = NULL;

    for (gsize m = k; m < arrays->n_statistics
        && arrays->statistics[m].shape == i; m++)
      if (arrays->statistics[m].channel == channel)
        found = &arrays->statistics[m];
    end = put_last_cell (end, found ? found->mean : NAN);
    end = put_last_cell (end, found ? found->deviation : NAN);
    end = put_last_cell (end, found ? found->minimum : NAN);
    end = put_last_cell (end, found ? found->maximum : NAN);
  }
  return end;
}

static gchar *
put_polyline (gchar * end, GstShapeSet * set, const GstShapeArrays * arrays,
    gsize i)
{
  const GstShapePolyline *p = &arrays->polylines[i];

  end = numfmt_int (end, p->id);
  end = p->kind == GST_SHAPE_KIND_HULL ? put (end, ",hull,") :
      put (end, ",contour,");
  end = numfmt_int (end, p->class_id);
  end = numfmt_int (put (end, ","), p->image);
  *end++ = ',';
  end = put_cell (end, p->level);
  end = p->flags & GST_SHAPE_FLAG_CLOSED ? put (end, "1,") : put (end, "0,");
  end = p->flags & GST_SHAPE_FLAG_HOLE ? put (end, "1,") : put (end, "0,");
  if (p->parent >= 0)
    end = numfmt_int (end, p->parent);
  *end++ = ',';
  end = put_cells (end, (gdouble[]) {
      p->area, p->perimeter, p->centroid_x, p->centroid_y, p->bbox_x0,
          p->bbox_y0, p->bbox_x1, p->bbox_y1}, 8);
  end = put_cell (end, p->kind == GST_SHAPE_KIND_HULL ? p->solidity : NAN);
  end = put_moments (end, arrays, i);
  end = put_hull_measures (end, arrays, i);
  end = put (end, ",,");
  end = put_annotation (end, arrays, i);
  end = put_metric (end, set, arrays, i);
  end = put_ellipse (end, arrays, i);
  end = put_defects (end, arrays, i);
  return put_statistics (end, arrays, i);
}

static gchar *
put_circle (gchar * end, const GstShapeCircle * circle)
{
  end = put (end, ",circle");
  end = put (end, POLYLINE_CELLS);
  *end++ = ',';
  end = put_cells (end, (gdouble[]) {
      circle->x, circle->y, circle->r, circle->z}, 4);
  end += g_snprintf (end, 16, "#%08x,,,", circle->rgba);
  return put (end, METRIC_CELLS ELLIPSE_CELLS DEFECT_CELLS STATISTIC_CELLS);
}

/* The last cell. */
static void
append_class_name (GstShapeText * text, GstShapeLayer * layer, gint32 class_id,
    gboolean formulas)
{
  const gchar *name = gst_shape_layer_get_class_name (layer, class_id);

  if (name)
    append_quoted (text, name, formulas);
}

static void
append_layer (GstShapeText * text, const GstShapeJsonFrame * frame,
    GstShapeSet * set, GstShapeLayer * layer, const GstShapeArrays * arrays,
    gboolean formulas, guint64 * left)
{
  for (gsize i = 0; i < arrays->n_shapes && *left > 0
      && !gst_shape_text_is_lost (text); i++, (*left)--) {
    append_frame (text, frame, formulas);
    gchar *end = gst_shape_text_reserve (text, GST_SHAPE_TEXT_RECORD_MAX);
    if (!end)
      return;
    end = arrays->circles ? put_circle (end, &arrays->circles[i]) :
        put_polyline (end, set, arrays, i);
    *end++ = ',';
    gst_shape_text_advance (text, end);
    if (arrays->polylines)
      append_class_name (text, layer, arrays->polylines[i].class_id, formulas);
    gst_shape_text_append (text, "\n");
  }
}

/**
 * gst_shape_csv_make_rows: (skip)
 * @frame: what is known of the frame; the names of the columns are written for
 *     frame 0
 * @set: (nullable): its shapes, or %NULL when it has none
 * @options: (nullable): of which max_shapes and formulas count
 * @max_size: how many bytes there may be, or 0 for any number
 * @error: return location for an error
 *
 * A row for each shape. May be empty.
 *
 * Returns: (transfer full): the rows; %NULL with @error set as by
 *     gst_shape_json_make_line()
 *
 * Since: 1.0
 */
GBytes *
gst_shape_csv_make_rows (const GstShapeJsonFrame * frame, GstShapeSet * set,
    const GstShapeJsonOptions * options, gsize max_size, GError ** error)
{
  guint64 left = options && options->max_shapes ? options->max_shapes :
      G_MAXUINT64;
  const gboolean formulas = options && options->formulas;
  GstShapeText text;

  g_return_val_if_fail (frame != NULL, NULL);

  gst_shape_text_init (&text, max_size);
  if (frame->frame == 0)
    gst_shape_text_append (&text, header);
  for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);
    const GstShapeArrays *arrays = gst_shape_layer_map_host (layer, error);

    if (!arrays) {
      cs_array_clear (&text.bytes);
      return NULL;
    }
    append_layer (&text, frame, set, layer, arrays, formulas, &left);
  }
  return gst_shape_text_finish (&text, error);
}

/**
 * gst_shape_set_to_csv:
 * @set: a set
 * @error: return location for an error
 *
 * The names of the columns and the rows that gst_shape_csv_make_rows() writes.
 *
 * Returns: (transfer full): CSV in UTF-8, or %NULL with @error set when a layer
 *     could not be downloaded or memory ran out
 *
 * Since: 1.0
 */
gchar *
gst_shape_set_to_csv (GstShapeSet * set, GError ** error)
{
  g_return_val_if_fail (set != NULL, NULL);

  return gst_shape_writer_make_string (gst_shape_csv_make_rows, set, error);
}
