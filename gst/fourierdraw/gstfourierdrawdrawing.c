/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifdef HAVE_CONFIG_H
#include "config.h"
#endif

#include "gstfourierdrawdrawing.h"

#include <math.h>
#include <string.h>

#include "base/luma.h"
#include "shapes/gstshapes.h"
#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif

G_STATIC_ASSERT (sizeof (CsStrokePoint) == sizeof (GstShapePoint));

/* Contours */

/* An empty set of contours with room for so many. */
static GstFourierDrawContours *
contours_new (guint width, guint height, gsize n_points, gsize n_contours,
    GError ** error)
{
  GstFourierDrawContours *contours = g_new0 (GstFourierDrawContours, 1);

  contours->ref_count = 1;
  contours->width = width;
  contours->height = height;
  contours->points = cs_try_new (CsStrokePoint, MAX (1, n_points));
  contours->offsets = cs_try_new (guint32, n_contours + 1);
  if (!contours->points || !contours->offsets) {
    cs_fail_no_memory (error, "the contours of a picture");
    gst_fourier_draw_contours_unref (contours);
    return NULL;
  }
  contours->offsets[0] = 0;
  return contours;
}

GstFourierDrawContours *
gst_fourier_draw_contours_ref (GstFourierDrawContours * contours)
{
  g_atomic_int_inc (&contours->ref_count);
  return contours;
}

void
gst_fourier_draw_contours_unref (GstFourierDrawContours * contours)
{
  if (!g_atomic_int_dec_and_test (&contours->ref_count))
    return;
  g_free (contours->points);
  g_free (contours->offsets);
  g_free (contours);
}

static void
append (GstFourierDrawContours * contours, const CsStrokePoint * points, gsize n)
{
  const guint32 begin = contours->offsets[contours->n_contours];

  memcpy (contours->points + begin, points, n * sizeof (*points));
  contours->offsets[++contours->n_contours] = begin + n;
}

static GstFourierDrawContours *
contours_new_copy (guint width, guint height, const CsStrokePoint * points,
    const guint32 * offsets, gsize n_contours, GError ** error)
{
  const gsize n_points = n_contours > 0 ? offsets[n_contours] : 0;
  GstFourierDrawContours *contours = contours_new (width, height, n_points,
      n_contours, error);

  if (!contours)
    return NULL;
  if (n_points > 0)
    memcpy (contours->points, points, n_points * sizeof (*points));
  if (n_contours > 0)
    memcpy (contours->offsets, offsets, (n_contours + 1) * sizeof (*offsets));
  contours->n_contours = n_contours;
  return contours;
}

/* Shapes of the metadata */

/* The arrays of the layers of polylines, as far as they have points. */
static GPtrArray *
map_layers (GstShapeSet * set, GError ** error)
{
  GPtrArray *layers = g_ptr_array_new ();
  guint i;

  for (i = 0; i < gst_shape_set_get_n_layers (set); i++) {
    GstShapeLayer *layer = gst_shape_set_get_layer (set, i);
    const GstShapeArrays *arrays;

    if (gst_shape_layer_get_layer_type (layer) != GST_SHAPE_LAYER_POLYLINES)
      continue;
    arrays = gst_shape_layer_map_host (layer, error);
    if (!arrays) {
      g_ptr_array_unref (layers);
      return NULL;
    }
    if (arrays->points && arrays->n_shapes > 0)
      g_ptr_array_add (layers, (gpointer) arrays);
  }
  return layers;
}

/* Hulls are drawn only when there is nothing else. */
static gboolean
has_contours (const GPtrArray * layers)
{
  guint i;
  gsize k;

  for (i = 0; i < layers->len; i++) {
    const GstShapeArrays *arrays = g_ptr_array_index (layers, i);

    for (k = 0; k < arrays->n_shapes; k++) {
      if (arrays->polylines[k].kind == GST_SHAPE_KIND_CONTOUR)
        return TRUE;
    }
  }
  return FALSE;
}

static GstFourierDrawContours *
take_layers (const GPtrArray * layers, guint width, guint height,
    GError ** error)
{
  const guint kind = has_contours (layers) ? GST_SHAPE_KIND_CONTOUR :
      GST_SHAPE_KIND_HULL;
  gsize n_points = 0, n_contours = 0, k;
  GstFourierDrawContours *contours;
  guint i;

  for (i = 0; i < layers->len; i++) {
    const GstShapeArrays *arrays = g_ptr_array_index (layers, i);

    n_points += arrays->n_points;
    n_contours += arrays->n_shapes;
  }
  contours = contours_new (width, height, n_points, n_contours, error);
  for (i = 0; contours && i < layers->len; i++) {
    const GstShapeArrays *arrays = g_ptr_array_index (layers, i);

    for (k = 0; k < arrays->n_shapes; k++) {
      if (arrays->polylines[k].kind == kind)
        append (contours,
            (const CsStrokePoint *) arrays->points + arrays->offsets[k],
            arrays->offsets[k + 1] - arrays->offsets[k]);
    }
  }
  return contours;
}

static GstFourierDrawContours *
contours_of_set (GstShapeSet * set, guint width, guint height, GError ** error)
{
  GstFourierDrawContours *contours = NULL;
  GstShapeSet *scaled = gst_shape_set_rescale (set, width, height, error);
  GPtrArray *layers;

  if (!scaled)
    return NULL;
  layers = map_layers (scaled, error);
  if (layers) {
    contours = take_layers (layers, width, height, error);
    g_ptr_array_unref (layers);
  }
  gst_shape_set_unref (scaled);
  return contours;
}

/* Our own front end */

/* The brightness of the frame. Of RGB it is computed on the host, once for each
 * picture that is drawn. */
static gboolean
get_gray (GstFourierDrawPreparer * preparer, GstShapesFrame * frame,
    const GstVideoInfo * info, CsImage * image, GError ** error)
{
  const gsize row = sizeof (gfloat) * GST_VIDEO_INFO_WIDTH (info);
  gdouble red = .2126, blue = .0722;
  CsImage rgb[3];
  gfloat *luma;
  guint i;

  if (!GST_VIDEO_INFO_IS_RGB (info))
    return gst_shapes_frame_get_component (frame, 0, image, error);
  gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &red, &blue);
  for (i = 0; i < 3; i++) {
    if (!gst_shapes_frame_get_component (frame, i, &rgb[i], error))
      return FALSE;
  }
  luma = cs_scratch_ensure (&preparer->luma,
      row * GST_VIDEO_INFO_HEIGHT (info), error);
  if (!luma || !cs_luma_run (preparer->executor, rgb, red, blue, luma, error))
    return FALSE;
  *image = cs_image_gray (luma, CS_SAMPLE_F32, rgb[0].width, rgb[0].height,
      row);
  return TRUE;
}

/* The code value of white, in the samples of @image. */
static gdouble
get_range (const GstVideoInfo * info)
{
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (info, 0);
  const guint shift = GST_VIDEO_FORMAT_INFO_SHIFT (info->finfo, 0);

  /* the luma of RGB has no bits of nothing; rows of it are floats of codes */
  if (depth > 8)
    return ldexp (ldexp (1., depth) - 1., shift);
  return 255.;
}

static GstFourierDrawContours *
find_iso (GstFourierDrawPreparer * preparer, const CsImage * image,
    const GstVideoInfo * info, const GstFourierDrawSettings * settings,
    GError ** error)
{
  gdouble levels[GST_FOURIER_DRAW_MAX_LEVELS];
  CsContoursTarget targets[GST_FOURIER_DRAW_MAX_LEVELS];
  GstShapesSlab *slab = gst_shapes_slab_new (preparer->slabs, preparer->stream);
  const CsContoursInput input = {.image = *image };
  CsContoursOutput output = {
    .alloc = gst_shapes_slab_alloc,
    .user_data = slab,
    .want_host = TRUE,
  };
  GstFourierDrawContours *contours = NULL;
  CsContoursParams params;
  guint i;

  cs_contours_params_init (&params);
  params.targets = targets;
  params.points = CS_POINTS_F32;
  if (gst_fourier_draw_parse_levels (settings->levels, levels,
          &params.n_targets, error)) {
    for (i = 0; i < params.n_targets; i++) {
      targets[i].channel = 0;
      targets[i].level = levels[i] * get_range (info);
    }
    if (preparer->iso ? cs_contours_set_params (preparer->iso, &params, error) :
        (preparer->iso = cs_contours_new (&params, preparer->executor,
                error)) != NULL) {
      if (cs_contours_run (preparer->iso, &input, &output, error))
        contours = contours_new_copy (image->width, image->height,
            output.points, output.offsets, output.n_contours, error);
    }
  }
  gst_shapes_slab_free (slab);
  return contours;
}

/* Edges are found in codes of 8 or 16 bits, or in floats of 0 to 1. */
static gboolean
normalize (GstFourierDrawPreparer * preparer, CsImage * image,
    const GstVideoInfo * info)
{
  const gfloat scale = 1. / get_range (info);
  gfloat *luma = preparer->luma.data;
  gsize i;

  for (i = 0; i < (gsize) image->width * image->height; i++)
    luma[i] *= scale;
  return TRUE;
}

static GstFourierDrawContours *
find_canny (GstFourierDrawPreparer * preparer, CsImage * image,
    const GstVideoInfo * info, const GstFourierDrawSettings * settings,
    GError ** error)
{
  const CsStrokePoint *points;
  const guint32 *offsets;
  CsEdgesParams params;
  gsize n_chains;

  if (image->type == CS_SAMPLE_F32)
    normalize (preparer, image, info);
  gst_fourier_draw_settings_get_edges (settings, &params);
  if (preparer->canny ? !cs_edges_set_params (preparer->canny, &params, error) :
      (preparer->canny = cs_edges_new (&params, preparer->executor,
              error)) == NULL)
    return NULL;
  if (!cs_edges_run (preparer->canny, image, &points, &offsets, &n_chains,
          error))
    return NULL;
  return contours_new_copy (image->width, image->height, points, offsets,
      n_chains, error);
}

static GstFourierDrawContours *
detect (GstFourierDrawPreparer * preparer, GstBuffer * buffer,
    const GstVideoInfo * info, const GstFourierDrawSettings * settings,
    GError ** error)
{
  /* the luma of RGB is computed where the frame is; that is on the host */
  GstFourierDrawContours *contours = NULL;
  GstShapesFrame frame;
  CsImage image;

  if (!gst_shapes_frame_init (&frame, info, buffer, NULL, NULL, error))
    return NULL;
  if (get_gray (preparer, &frame, info, &image, error)) {
    if (settings->detect == GST_FOURIER_DRAW_DETECT_CANNY)
      contours = find_canny (preparer, &image, info, settings, error);
    else
      contours = find_iso (preparer, &image, info, settings, error);
  }
  gst_shapes_frame_unmap (&frame);
  return contours;
}

GstFourierDrawContours *
gst_fourier_draw_preparer_find (GstFourierDrawPreparer * preparer, GstBuffer * buffer,
    const GstVideoInfo * info, const GstFourierDrawSettings * settings,
    GError ** error)
{
  const guint width = GST_VIDEO_INFO_WIDTH (info);
  const guint height = GST_VIDEO_INFO_HEIGHT (info);
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);

  if (set)
    return contours_of_set (set, width, height, error);
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    return contours_new (width, height, 0, 0, error);
  return detect (preparer, buffer, info, settings, error);
}

/* Transforms */

void
gst_fourier_draw_transform_run (gpointer user_data, guint n,
    const gdouble * samples, gdouble * spectrum)
{
  GstFourierDrawTransform *transform = user_data;

  if (transform->n != n) {
    gst_fourier_draw_transform_clear (transform);
    transform->fft = gst_fft_f64_new (n, FALSE);
    transform->n = n;
  }
  gst_fft_f64_fft (transform->fft, samples, (GstFFTF64Complex *) spectrum);
}

void
gst_fourier_draw_transform_clear (GstFourierDrawTransform * transform)
{
  g_clear_pointer (&transform->fft, gst_fft_f64_free);
  transform->n = 0;
}

/* Drawings */

static GstFourierDrawDrawing *
drawing_new (GstFourierDrawContours * contours, const CsStrokesOutput * strokes,
    GError ** error)
{
  const gsize n_points = strokes->n_points, n_contours = strokes->n_contours;
  GstFourierDrawDrawing *drawing = g_new0 (GstFourierDrawDrawing, 1);

  drawing->contours = gst_fourier_draw_contours_ref (contours);
  drawing->n_contours = n_contours;
  drawing->points = cs_try_new (CsStrokePoint, n_points + 1);
  drawing->offsets = cs_try_new (guint32, n_contours + 1);
  drawing->parts = cs_array_new (sizeof (GstFourierDrawPart));
  drawing->segments = cs_array_new (sizeof (GstFourierDrawSegment));
  if (!drawing->points || !drawing->offsets) {
    cs_fail_no_memory (error, "a drawing");
    gst_fourier_draw_drawing_free (drawing);
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
gst_fourier_draw_drawing_free (GstFourierDrawDrawing * drawing)
{
  gsize i;

  for (i = 0; i < drawing->parts->len; i++)
    cs_fourier_unref (cs_array_index (drawing->parts, GstFourierDrawPart,
            i).fourier);
  gst_fourier_draw_contours_unref (drawing->contours);
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
  guint64 serial;

  g_mutex_lock (&lock);
  serial = ++last;
  g_mutex_unlock (&lock);
  return serial;
}

/* What the pen draws in one part. */
static void
append_segments (GstFourierDrawDrawing * drawing, const GstFourierDrawPart * part,
    GstFourierDrawTransform * transform, CsStrokePoint * points, guint8 * pen_down)
{
  const guint n = cs_fourier_get_n_samples (part->fourier);
  const gdouble length = part->end - part->begin;
  guint i;

  cs_fourier_get_trail (part->fourier, drawing->n_vectors,
      gst_fourier_draw_transform_run, transform, points, pen_down);
  for (i = 0; i < n; i++) {
    const CsStrokePoint *next = &points[i + 1 < n ? i + 1 : 0];
    const GstFourierDrawSegment segment = {
      .x0 = points[i].x,.y0 = points[i].y,.x1 = next->x,.y1 = next->y,
      .begin = part->begin + length * i / n,
      .end = i + 1 < n ? part->begin + length * (i + 1) / n : part->end,
    };

    if (pen_down[i])
      cs_array_append_val (drawing->segments, segment);
  }
}

void
gst_fourier_draw_drawing_set_n_vectors (GstFourierDrawDrawing * drawing,
    guint n_vectors, GstFourierDrawTransform * transform)
{
  gdouble squares = 0.;
  guint i, n_samples = 0;
  CsStrokePoint *points;
  guint8 *pen_down;

  drawing->n_vectors = n_vectors;
  drawing->serial = next_serial ();
  drawing->max_vectors = 0;
  cs_array_empty (drawing->segments);
  for (i = 0; i < drawing->parts->len; i++) {
    const GstFourierDrawPart *part = &cs_array_index (drawing->parts,
        GstFourierDrawPart, i);
    const gdouble error = cs_fourier_get_rms_error (part->fourier, n_vectors);

    n_samples = MAX (n_samples, cs_fourier_get_n_samples (part->fourier));
    drawing->max_vectors = MAX (drawing->max_vectors,
        cs_fourier_get_n_vectors (part->fourier));
    squares += error * error * (part->end - part->begin);
  }
  drawing->rms_error = sqrt (squares);
  points = cs_try_new (CsStrokePoint, n_samples + 1);
  pen_down = cs_try_new (guint8, n_samples + 1);
  drawing->segments->failed = !points || !pen_down;
  for (i = 0; !drawing->segments->failed && i < drawing->parts->len; i++)
    append_segments (drawing, &cs_array_index (drawing->parts, GstFourierDrawPart,
            i), transform, points, pen_down);
  g_free (points);
  g_free (pen_down);
}

const GstFourierDrawPart *
gst_fourier_draw_drawing_locate (const GstFourierDrawDrawing * drawing,
    gdouble progress, guint64 * step, gdouble * fraction)
{
  const GstFourierDrawPart *parts = (const GstFourierDrawPart *) (gpointer)
      drawing->parts->data;
  guint low = 0, high = drawing->parts->len;
  const GstFourierDrawPart *part;
  gdouble place;

  if (high == 0)
    return NULL;
  while (high - low > 1) {
    const guint middle = low + (high - low) / 2;

    if (parts[middle].begin <= progress)
      low = middle;
    else
      high = middle;
  }
  part = &parts[low];
  place = (progress - part->begin) / (part->end - part->begin) *
      cs_fourier_get_n_samples (part->fourier);
  *step = (guint64) place;
  *fraction = place - *step;
  return part;
}

/* Preparing */

gboolean
gst_fourier_draw_preparer_open (GstFourierDrawPreparer * preparer,
    const GstShapesCompute * compute, GError ** error)
{
  preparer->slabs = gst_shapes_slab_pool_ref (compute->slabs);
#ifdef HAVE_CUDA
  if (compute->context) {
    preparer->stream = cs_cuda_stream_new (error);
    if (preparer->stream)
      preparer->executor = cs_executor_new_cuda (preparer->stream, error);
    return preparer->executor != NULL;
  }
#endif
  preparer->executor = cs_executor_new_cpu (cs_executor_get_n_threads
      (compute->executor));
  return TRUE;
}

void
gst_fourier_draw_preparer_close (GstFourierDrawPreparer * preparer)
{
  g_clear_pointer (&preparer->iso, cs_contours_free);
  g_clear_pointer (&preparer->canny, cs_edges_free);
  g_clear_pointer (&preparer->strokes, cs_strokes_free);
  g_clear_pointer (&preparer->executor, cs_executor_free);
  g_clear_pointer (&preparer->slabs, gst_shapes_slab_pool_unref);
#ifdef HAVE_CUDA
  if (preparer->stream)
    cs_cuda_stream_free (preparer->stream, NULL);
#endif
  preparer->stream = NULL;
  cs_scratch_clear (&preparer->luma);
  gst_fourier_draw_transform_clear (&preparer->transform);
}

static gboolean
add_part (GstFourierDrawPreparer * preparer, GstFourierDrawDrawing * drawing,
    const CsStrokesOutput * strokes, const GstFourierDrawSettings * settings,
    gdouble begin, gdouble end, GError ** error)
{
  const CsPathParams params = {
    .n_samples = settings->n_samples,
    .travel_speed = settings->travel_speed,
  };
  GstFourierDrawPart part = {.begin = begin,.end = end };

  part.fourier = cs_fourier_new (strokes, &params, gst_fourier_draw_transform_run,
      &preparer->transform, error);
  if (!part.fourier)
    return FALSE;
  if (cs_array_append_val (drawing->parts, part))
    return TRUE;
  cs_fourier_unref (part.fourier);
  return cs_fail_no_memory (error, "the parts of a drawing");
}

/* Pixels along a contour; every one takes some time. */
static gdouble
get_length (const CsStrokePoint * points, guint32 n)
{
  gdouble length = 0.;
  guint32 i;

  for (i = 1; i < n; i++)
    length += hypot (points[i].x - points[i - 1].x,
        points[i].y - points[i - 1].y);
  return MAX (length, 1.);
}

/* A part for each contour, with time by length. */
static gboolean
add_parts (GstFourierDrawPreparer * preparer, GstFourierDrawDrawing * drawing,
    const GstFourierDrawSettings * settings, GError ** error)
{
  gdouble *ends = cs_try_new (gdouble, drawing->n_contours);
  gdouble total = 0.;
  gboolean ok = TRUE;
  gsize i;

  if (!ends)
    return cs_fail_no_memory (error, "the contours of a drawing");
  for (i = 0; i < drawing->n_contours; i++) {
    total += get_length (drawing->points + drawing->offsets[i],
        drawing->offsets[i + 1] - drawing->offsets[i]);
    ends[i] = total;
  }
  for (i = 0; ok && i < drawing->n_contours; i++) {
    const guint32 offsets[2] = { 0,
      drawing->offsets[i + 1] - drawing->offsets[i]
    };
    const CsStrokesOutput strokes = {
      .points = drawing->points + drawing->offsets[i],
      .offsets = offsets,
      .n_contours = 1,
      .n_points = offsets[1],
    };

    ok = add_part (preparer, drawing, &strokes, settings,
        i > 0 ? ends[i - 1] / total : 0., ends[i] / total, error);
  }
  g_free (ends);
  return ok;
}

GstFourierDrawDrawing *
gst_fourier_draw_preparer_draw (GstFourierDrawPreparer * preparer,
    GstFourierDrawContours * contours, const CsBrushMask * mask,
    const GstFourierDrawSettings * settings, GError ** error)
{
  const CsStrokesInput input = {
    .points = contours->points,
    .offsets = contours->offsets,
    .n_contours = contours->n_contours,
    .memory = CS_MEMORY_HOST,
    .mask = mask,
  };
  GstFourierDrawDrawing *drawing;
  CsStrokesParams params;
  CsStrokesOutput output;
  gboolean ok = TRUE;

  gst_fourier_draw_settings_get_strokes (settings, &params);
  if (preparer->strokes ? !cs_strokes_set_params (preparer->strokes, &params,
          error) : (preparer->strokes = cs_strokes_new (&params,
              preparer->executor, error)) == NULL)
    return NULL;
  if (!cs_strokes_run (preparer->strokes, &input, &output, error))
    return NULL;
  drawing = drawing_new (contours, &output, error);
  if (!drawing)
    return NULL;
  if (drawing->n_contours > 0) {
    if (settings->path_mode == GST_FOURIER_DRAW_PATH_MODE_PER_CONTOUR)
      ok = add_parts (preparer, drawing, settings, error);
    else
      ok = add_part (preparer, drawing, &output, settings, 0., 1., error);
  }
  if (ok) {
    gst_fourier_draw_drawing_set_n_vectors (drawing, settings->n_vectors,
        &preparer->transform);
    ok = !drawing->segments->failed ||
        cs_fail_no_memory (error, "what a drawing's pen draws");
  }
  if (!ok)
    g_clear_pointer (&drawing, gst_fourier_draw_drawing_free);
  return drawing;
}
