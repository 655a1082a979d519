/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawdrawing.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"

/* Transforms */

void
fourier_transform_run (gpointer user_data, guint n,
    const gdouble * samples, gdouble * spectrum)
{
  FourierTransform *transform = user_data;

  if (transform->n != n) {
    fourier_transform_clear (transform);
    transform->fft = gst_fft_f64_new (n, FALSE);
    transform->n = n;
  }
  gst_fft_f64_fft (transform->fft, samples, (GstFFTF64Complex *) spectrum);
}

void
fourier_transform_clear (FourierTransform * transform)
{
  g_clear_pointer (&transform->fft, gst_fft_f64_free);
  transform->n = 0;
}

/* Drawings */

FourierDrawing *
fourier_drawing_new (FourierContours * contours,
    const CsStrokesOutput * strokes, GError ** error)
{
  const gsize n_points = strokes->n_points, n_contours = strokes->n_contours;
  FourierDrawing *drawing = g_new0 (FourierDrawing, 1);

  drawing->contours = fourier_contours_ref (contours);
  drawing->n_contours = n_contours;
  drawing->n_arms = 1;
  drawing->travel = strokes->travel;
  drawing->points = cs_try_new (CsStrokePoint, n_points + 1);
  drawing->offsets = cs_try_new (guint32, n_contours + 1);
  drawing->parts = cs_array_new (sizeof (FourierPart));
  drawing->segments = cs_array_new (sizeof (FourierSegment));
  if (!drawing->points || !drawing->offsets) {
    cs_fail_no_memory (error, "a drawing");
    fourier_drawing_free (drawing);
    return NULL;
  }
  if (n_points > 0)
    memcpy (drawing->points, strokes->points,
        n_points * sizeof (*strokes->points));
  drawing->offsets[0] = 0;
  if (n_contours > 0)
    memcpy (drawing->offsets, strokes->offsets,
        (n_contours + 1) * sizeof (*strokes->offsets));
  return drawing;
}

void
fourier_drawing_free (FourierDrawing * drawing)
{
  for (gsize i = 0; i < drawing->parts->len; i++)
    cs_fourier_free (cs_array_index (drawing->parts, FourierPart, i).fourier);
  fourier_contours_unref (drawing->contours);
  g_free (drawing->points);
  g_free (drawing->offsets);
  cs_array_free (drawing->parts);
  cs_array_free (drawing->segments);
  g_free (drawing);
}

static guint64
next_serial (void)
{
  static GMutex lock;
  static guint64 last;

  g_mutex_lock (&lock);
  const guint64 serial = ++last;
  g_mutex_unlock (&lock);
  return serial;
}

/* The vectors of an arm; 0 for all. */
static guint
get_share (const FourierDrawing * drawing)
{
  return (drawing->n_vectors + drawing->n_arms - 1) / drawing->n_arms;
}

guint
fourier_drawing_get_n_vectors (const FourierDrawing * drawing,
    const FourierPart * part)
{
  const guint all = cs_fourier_get_n_vectors (part->fourier);
  const guint share = get_share (drawing);

  return share == 0 ? all : MIN (share, all);
}

static void
append_segments (FourierDrawing * drawing, const FourierPart * part,
    FourierTransform * transform, CsStrokePoint * points, guint8 * pen_down)
{
  const guint n = cs_fourier_get_n_samples (part->fourier);
  const gdouble length = part->end - part->begin;

  cs_fourier_get_trail (part->fourier, get_share (drawing),
      fourier_transform_run, transform, points, pen_down);
  for (guint i = 0; i < n; i++) {
    const CsStrokePoint *next = &points[i + 1 < n ? i + 1 : 0];
    const FourierSegment segment = {
      .x0 = points[i].x,.y0 = points[i].y,.x1 = next->x,.y1 = next->y,
      .begin = part->begin + length * i / n,
      .end = i + 1 < n ? part->begin + length * (i + 1) / n : part->end,
      .arm = part->arm,
    };

    if (pen_down[i])
      cs_array_append_val (drawing->segments, segment);
  }
  drawing->longest = MAX (drawing->longest, 2. * length / n);
}

/* Puts segments in order of time: those of several arms come arm by arm. */
static gboolean
sort_segments (FourierDrawing * drawing)
{
  const gsize n = drawing->segments->len;
  FourierSegment *segments = (FourierSegment *) (gpointer)
      drawing->segments->data;

  if (drawing->n_arms < 2 || n == 0)
    return TRUE;
  CsSortItem *items = cs_try_new (CsSortItem, 2 * n);
  FourierSegment *copy = cs_try_new (FourierSegment, n);
  if (items && copy) {
    for (gsize i = 0; i < n; i++) {
      items[i].key = (guint64) (segments[i].end * 0x1p52);
      items[i].value = i;
    }
    CsSortItem *sorted = cs_sort (items, items + n, n);
    memcpy (copy, segments, n * sizeof (*copy));
    for (gsize i = 0; i < n; i++)
      segments[i] = copy[sorted[i].value];
  }
  g_free (items);
  g_free (copy);
  return items && copy;
}

void
fourier_drawing_set_n_vectors (FourierDrawing * drawing,
    guint n_vectors, FourierTransform * transform)
{
  gdouble squares = 0.;
  guint i, n_samples = 0;

  drawing->n_vectors = n_vectors;
  drawing->serial = next_serial ();
  drawing->max_vectors = 0;
  drawing->longest = 0.;
  cs_array_empty (drawing->segments);
  for (i = 0; i < drawing->parts->len; i++) {
    const FourierPart *part = &cs_array_index (drawing->parts, FourierPart, i);
    const gdouble error = cs_fourier_get_rms_error (part->fourier,
        get_share (drawing));

    n_samples = MAX (n_samples, cs_fourier_get_n_samples (part->fourier));
    drawing->max_vectors = MAX (drawing->max_vectors,
        cs_fourier_get_n_vectors (part->fourier));
    squares += error * error * (part->end - part->begin);
  }
  drawing->rms_error = sqrt (squares / drawing->n_arms);
  CsStrokePoint *points = cs_try_new (CsStrokePoint, n_samples + 1);
  g_autofree guint8 *pen_down = cs_try_new (guint8, n_samples + 1);
  drawing->segments->failed = !points || !pen_down;
  for (i = 0; !drawing->segments->failed && i < drawing->parts->len; i++)
    append_segments (drawing, &cs_array_index (drawing->parts,
            FourierPart, i), transform, points, pen_down);
  if (!drawing->segments->failed && !sort_segments (drawing))
    drawing->segments->failed = TRUE;
  g_free (points);
}

const FourierPart *
fourier_drawing_locate (const FourierDrawing * drawing,
    guint arm, gdouble progress, guint64 * step, gdouble * fraction)
{
  const FourierPart *parts = (const FourierPart *) (gpointer)
      drawing->parts->data;
  guint low = 0, high = drawing->parts->len;

  if (high == 0)
    return NULL;
  while (high - low > 1) {
    const guint middle = low + (high - low) / 2;

    if (parts[middle].arm < arm ||
        (parts[middle].arm == arm && parts[middle].begin <= progress))
      low = middle;
    else
      high = middle;
  }
  const FourierPart *part = &parts[low];
  const gdouble place = (progress - part->begin) / (part->end - part->begin) *
      cs_fourier_get_n_samples (part->fourier);
  *step = (guint64) place;
  *fraction = place - *step;
  return part;
}

/* As JSON */

/* Enough digits to read the same float, or double, back. */
#define FLOAT_FORMAT "%.9g"
#define DOUBLE_FORMAT "%.17g"

static void
append_number (GString * text, const gchar * format, gdouble number)
{
  gchar buffer[G_ASCII_DTOSTR_BUF_SIZE];

  g_string_append (text, g_ascii_formatd (buffer, sizeof (buffer), format,
          number));
}

static void
append_pair (GString * text, const gchar * format, gdouble a, gdouble b)
{
  append_number (text, format, a);
  g_string_append_c (text, ',');
  append_number (text, format, b);
  g_string_append_c (text, ']');
}

static void
append_part (GString * text, const FourierDrawing * drawing,
    const FourierPart * part)
{
  const guint n = fourier_drawing_get_n_vectors (drawing, part);
  gdouble re, im;
  gint k;

  g_string_append_printf (text, "{\"arm\":%u,\"begin\":", part->arm);
  append_number (text, DOUBLE_FORMAT, part->begin);
  g_string_append (text, ",\"end\":");
  append_number (text, DOUBLE_FORMAT, part->end);
  g_string_append_printf (text, ",\"samples\":%u,\"vectors\":[",
      cs_fourier_get_n_samples (part->fourier));
  for (guint i = 0; i <= n; i++) {
    cs_fourier_get_vector (part->fourier, i, &k, &re, &im);
    g_string_append_printf (text, "%s[%d,", i > 0 ? "," : "", k);
    append_pair (text, DOUBLE_FORMAT, re, im);
  }
  g_string_append (text, "]}");
}

/* A drawing as JSON: {"width", "height", "strokes": [[[x, y], ...], ...],
 * "parts": [{"arm", "begin", "end", "samples", "vectors": [[k, re, im], ...]},
 * ...]}. Strokes are in drawing order, the vectors of a part c_0 first, then by
 * length, as many as the drawing has. Lengths are in pixels of the picture.
 *
 * Returns: (transfer full) */
static GString *
fourier_drawing_to_json (const FourierDrawing * drawing)
{
  GString *text = g_string_new (NULL);

  g_string_append_printf (text, "{\"width\":%u,\"height\":%u,\"strokes\":[",
      drawing->contours->width, drawing->contours->height);
  for (gsize i = 0; i < drawing->n_contours; i++) {
    g_string_append (text, i > 0 ? ",\n[" : "\n[");
    for (gsize k = drawing->offsets[i]; k < drawing->offsets[i + 1]; k++) {
      g_string_append (text, k > drawing->offsets[i] ? ",[" : "[");
      append_pair (text, FLOAT_FORMAT, drawing->points[k].x,
          drawing->points[k].y);
    }
    g_string_append_c (text, ']');
  }
  g_string_append (text, "],\n\"parts\":[");
  for (gsize i = 0; i < drawing->parts->len; i++) {
    g_string_append (text, i > 0 ? ",\n" : "\n");
    append_part (text, drawing, &cs_array_index (drawing->parts,
            FourierPart, i));
  }
  g_string_append (text, "]}\n");
  return text;
}

gboolean
fourier_drawing_save (const FourierDrawing * drawing,
    const gchar * path, GError ** error)
{
  /* it would be replaced */
  if (g_file_test (path, G_FILE_TEST_EXISTS)
      && !g_file_test (path, G_FILE_TEST_IS_REGULAR))
    return cs_fail (error, G_FILE_ERROR, G_FILE_ERROR_INVAL, "\"%s\" is a "
        "device, a pipe or a folder", path);
  GString *text = fourier_drawing_to_json (drawing);
  const gboolean ok = g_file_set_contents (path, text->str, text->len, error);
  g_string_free (text, TRUE);
  return ok;
}

/* As shapes */

G_STATIC_ASSERT (sizeof (CsStrokePoint) == sizeof (GstShapePoint));

GstShapeSet *
fourier_drawing_new_shapes (const FourierDrawing * drawing, GError ** error)
{
  const gsize n = drawing->n_contours;
  const GstShapePoint *points = (const GstShapePoint *) drawing->points;
  GstShapePolyline *lines = cs_try_new (GstShapePolyline, n + 1);
  GstShapeSet *set;

  if (!lines) {
    cs_fail_no_memory (error, "a drawing's shapes");
    return NULL;
  }
  for (gsize i = 0; i < n; i++) {
    const GstShapePoint *first = &points[drawing->offsets[i]];
    const GstShapePoint *last = &points[drawing->offsets[i + 1] - 1];

    /* the layer takes the measures from the points */
    lines[i] = (GstShapePolyline) {.id = (gint32) i,.parent = -1 };
    /* as CsStrokesInput says */
    if (last - first > 1 && first->x == last->x && first->y == last->y)
      lines[i].flags = GST_SHAPE_FLAG_CLOSED;
  }
  GstShapeLayer *layer = gst_shape_layer_new_polylines_copy (points,
      drawing->offsets[n], drawing->offsets, lines, n, NULL);
  g_free (lines);
  if (!layer) {
    cs_fail_no_memory (error, "a drawing's shapes");
    return NULL;
  }
  set = gst_shape_set_new (drawing->contours->width, drawing->contours->height);
  gst_shape_set_add_layer (set, layer);
  return set;
}
