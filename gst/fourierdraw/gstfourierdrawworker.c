/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawworker.h"

#include <math.h>

#include "base/fault.h"
#include "base/area.h"
#include "base/error.h"
#include "base/luma.h"
#include "base/memory.h"
#ifdef HAVE_CUDA
#include "base/cuda_memory.h"
#endif
#include "element/gstshapesframe.h"
#include "gstfourierdrawsvg.h"
#include "gstfourierdrawtext.h"
#include "gstfourierdrawcontours.h"

/* Colours of the picture */

/**
 * Source:
 * @offset: code of 0 of each component
 * @scale: codes from 0 to 1
 */
typedef struct
{
  CsImage images[3];
  guint n;
  guint shifts[3];
  gint offset[GST_VIDEO_MAX_COMPONENTS], scale[GST_VIDEO_MAX_COMPONENTS];
  gdouble kr, kb;
  gboolean rgb;
} Source;

static gboolean
source_init (Source * source, GstShapesFrame * frame,
    const GstVideoInfo * info, GError ** error)
{
  guint i;

  source->rgb = GST_VIDEO_INFO_IS_RGB (info);
  source->n = MIN (3, GST_VIDEO_INFO_N_COMPONENTS (info));
  if (!gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &source->kr,
          &source->kb))
    gst_video_color_matrix_get_Kr_Kb (GST_VIDEO_COLOR_MATRIX_BT601,
        &source->kr, &source->kb);
  gst_video_color_range_offsets (source->rgb ? GST_VIDEO_COLOR_RANGE_0_255 :
      info->colorimetry.range, info->finfo, source->offset, source->scale);
  for (i = 0; i < source->n; i++) {
    source->shifts[i] = GST_VIDEO_FORMAT_INFO_SHIFT (info->finfo, i);
    if (!gst_shapes_frame_get_component (frame, i, &source->images[i], error))
      return FALSE;
  }
  return TRUE;
}

/* Replaces the components by their means over the pixels of a copy of @width x
 * @height; @means: 3 * @width * @height */
static gboolean
shrink (Source * source, CsExecutor * executor, guint width, guint height,
    gfloat * means, GError ** error)
{
  const gsize n = (gsize) width * height;

  for (guint i = 0; i < source->n; i++) {
    if (!cs_area_average (executor, &source->images[i], width, height,
            means + i * n, error))
      return FALSE;
    source->images[i] = cs_image_gray (means + i * n, CS_SAMPLE_F32, width,
        height, sizeof (gfloat) * width);
  }
  return TRUE;
}

/* Component @i at a pixel of the copy. */
static gdouble
read_sample (const Source * source, guint i, guint x, guint y, guint width,
    guint height)
{
  const CsImage *image = &source->images[i];
  const guint column = (guint64) x * image->width / width;
  const guint row = (guint64) y * image->height / height;
  const guint8 *at = (const guint8 *) image->data + row * image->row_stride +
      column * image->pixel_stride;
  gdouble code;

  if (image->type == CS_SAMPLE_F32)
    code = ldexp (*(const gfloat *) (gconstpointer) at,
        -(gint) source->shifts[i]);
  else if (image->type == CS_SAMPLE_U16)
    code = *(const guint16 *) (gconstpointer) at >> source->shifts[i];
  else
    code = *at >> source->shifts[i];
  return (code - source->offset[i]) / source->scale[i];
}

static guint
to_code (gdouble value)
{
  return (guint) (CLAMP (value, 0., 1.) * 255. + .5);
}

static guint
read_color (const Source * source, guint x, guint y, guint width, guint height)
{
  gdouble c[3], r, g, b;

  for (guint i = 0; i < source->n; i++)
    c[i] = read_sample (source, i, x, y, width, height);
  if (source->n < 3) {
    r = g = b = c[0];
  } else if (source->rgb) {
    r = c[0];
    g = c[1];
    b = c[2];
  } else {
    r = c[0] + 2. * (1. - source->kr) * c[2];
    b = c[0] + 2. * (1. - source->kb) * c[1];
    g = (c[0] - source->kr * r - source->kb * b) / (1. - source->kr -
        source->kb);
  }
  return to_code (r) << 16 | to_code (g) << 8 | to_code (b);
}

/* Sets the colours of @contours, which are those of a copy of @width x @height
 * of the picture in @buffer.
 *
 * Returns: %FALSE with @error set (GST_SHAPES_FRAME_ERROR or CS_ERROR) */
static gboolean
fourier_read_colors (CsExecutor * executor, GstBuffer * buffer,
    const GstVideoInfo * info, guint width, guint height,
    FourierContours * contours, GError ** error)
{
  const gboolean smaller = width != contours->width ||
      height != contours->height;
  const gsize n = (gsize) width * height;
  gfloat *means = NULL;
  GstShapesFrame frame;
  Source source;

  if (!gst_shapes_frame_init (&frame, info, buffer, NULL, NULL, error))
    return FALSE;
  gboolean ok = source_init (&source, &frame, info, error);
  if (ok) {
    contours->color_width = width;
    contours->color_height = height;
    contours->colors = cs_try_new (guint32, n);
    if (smaller)
      means = cs_try_new (gfloat, 3 * n);
    ok = (contours->colors && (means || !smaller)) ||
        cs_fail_no_memory (error, "a picture's colours");
  }
  if (ok && smaller)
    ok = shrink (&source, executor, width, height, means, error);
  for (guint y = 0; ok && y < height; y++) {
    for (guint x = 0; x < width; x++)
      contours->colors[(gsize) y * width + x] = read_color (&source, x, y,
          width, height);
  }
  g_free (means);
  gst_shapes_frame_unmap (&frame);
  return ok;
}

/* Contours */

/* Room for @n floats where @memory is: in @slab, if that is the GPU's. */
static gfloat *
get_room (FourierPreparer * preparer, CsMemory memory, GstShapesSlab * slab,
    gsize n, GError ** error)
{
  if (memory != CS_MEMORY_DEVICE)
    return cs_scratch_ensure (&preparer->gray, sizeof (gfloat) * n, error);
  gfloat *room = gst_shapes_slab_alloc (slab, sizeof (gfloat) * n, FALSE);
  if (!room)
    cs_fail_no_memory (error, "a picture's luma");
  return room;
}

/* An image of floats beside @image. */
static CsImage
image_of_floats (const CsImage * image, gfloat * data, guint width,
    guint height)
{
  CsImage floats = cs_image_gray (data, CS_SAMPLE_F32, width, height,
      sizeof (gfloat) * width);

  floats.memory = image->memory == CS_MEMORY_DEVICE ? CS_MEMORY_DEVICE :
      CS_MEMORY_HOST;
  return floats;
}

/* The luma of the frame at the size of @image, which is at most the frame's,
 * where the frame is; that of RGB, and of another size, is computed, as floats.
 *
 * @slab: for those on a GPU */
static gboolean
get_gray (FourierPreparer * preparer, GstShapesFrame * frame,
    const GstVideoInfo * info, GstShapesSlab * slab, CsImage * image,
    GError ** error)
{
  const gboolean is_rgb = GST_VIDEO_INFO_IS_RGB (info);
  const guint width = image->width, height = image->height;
  gdouble red = .2126, blue = .0722;
  CsImage parts[3];

  for (guint i = 0; i < (is_rgb ? 3 : 1); i++) {
    if (!gst_shapes_frame_get_component (frame, i, &parts[i], error))
      return FALSE;
  }
  const guint full_width = parts[0].width, full_height = parts[0].height;
  const gboolean smaller = width != full_width || height != full_height;
  const gsize n_luma = is_rgb ? (gsize) full_width * full_height : 0;
  const gsize n_small = smaller ? (gsize) width * height : 0;
  gfloat *room = NULL;

  if (is_rgb || smaller) {
    room = get_room (preparer, parts[0].memory, slab, n_luma + n_small, error);
    if (!room)
      return FALSE;
  }
  *image = parts[0];
  if (is_rgb) {
    gst_video_color_matrix_get_Kr_Kb (info->colorimetry.matrix, &red, &blue);
    if (!cs_luma_run (preparer->executor, parts, red, blue, room, error))
      return FALSE;
    *image = image_of_floats (parts, room, full_width, full_height);
  }
  if (!smaller)
    return TRUE;
  if (!cs_area_average (preparer->executor, image, width, height,
          room + n_luma, error))
    return FALSE;
  *image = image_of_floats (parts, room + n_luma, width, height);
  return TRUE;
}

/* The code value of white, in the samples of @image. */
static gdouble
get_white (const GstVideoInfo * info)
{
  const guint depth = GST_VIDEO_INFO_COMP_DEPTH (info, 0);
  const guint shift = GST_VIDEO_FORMAT_INFO_SHIFT (info->finfo, 0);

  if (depth > 8)
    return ldexp (ldexp (1., depth) - 1., shift);
  return 255.;
}

static gboolean
set_levels (FourierPreparer * preparer, const GstVideoInfo * info,
    const FourierSettings * settings, GError ** error)
{
  gdouble levels[FOURIER_MAX_LEVELS];
  CsContoursTarget targets[FOURIER_MAX_LEVELS];
  CsContoursParams params;

  cs_contours_params_init (&params);
  params.targets = targets;
  params.points = CS_POINTS_F32;
  if (!fourier_parse_levels (settings->levels, levels,
          &params.n_targets, error))
    return FALSE;
  for (guint i = 0; i < params.n_targets; i++) {
    targets[i].channel = 0;
    targets[i].level = levels[i] * get_white (info);
  }
  if (preparer->iso)
    return cs_contours_set_params (preparer->iso, &params, error);
  preparer->iso = cs_contours_new (&params, preparer->executor, error);
  return preparer->iso != NULL;
}

static FourierContours *
find_iso (FourierPreparer * preparer, const CsImage * image,
    const GstVideoInfo * info, const FourierSettings * settings,
    GError ** error)
{
  const CsContoursInput input = {.image = *image };
  CsContoursOutput output = {
    .alloc = gst_shapes_slab_alloc,
    .want_host = TRUE,
  };
  FourierContours *contours = NULL;

  if (!set_levels (preparer, info, settings, error))
    return NULL;
  output.user_data = gst_shapes_slab_new (preparer->slabs, preparer->stream);
  if (cs_contours_run (preparer->iso, &input, &output, error)) {
    gst_shapes_slab_finish (output.user_data);
    contours = fourier_contours_new_copy (image->width, image->height,
        output.points, output.offsets, output.n_contours, error);
  }
  gst_shapes_slab_free (output.user_data);
  return contours;
}

static FourierContours *
find_canny (FourierPreparer * preparer, const CsImage * image,
    const GstVideoInfo * info, const FourierSettings * settings,
    GError ** error)
{
  const CsStrokePoint *points;
  const guint32 *offsets;
  CsEdgesParams params;
  gsize n_chains;

  fourier_settings_get_edges (settings, &params);
  params.white = get_white (info);
  if (preparer->canny ? !cs_edges_set_params (preparer->canny, &params, error) :
      (preparer->canny = cs_edges_new (&params, preparer->executor,
              error)) == NULL)
    return NULL;
  if (!cs_edges_run (preparer->canny, image, &points, &offsets, &n_chains,
          error))
    return NULL;
  FourierContours *contours = fourier_contours_new_copy (image->width,
      image->height, points, offsets, n_chains, error);
  if (contours)
    contours->min_points = FOURIER_MIN_EDGE_POINTS;
  return contours;
}

static FourierContours *
detect (FourierPreparer * preparer, GstBuffer * buffer,
    const GstVideoInfo * info, guint width, guint height,
    const FourierSettings * settings, GError ** error)
{
  FourierContours *contours = NULL;
  CsImage image = {.width = width,.height = height };
  GstShapesFrame frame;

  if (!gst_shapes_frame_init (&frame, info, buffer,
          gst_shapes_slab_pool_get_context (preparer->slabs), preparer->stream,
          error))
    return NULL;
  GstShapesSlab *slab = gst_shapes_slab_new (preparer->slabs, preparer->stream);
  if (get_gray (preparer, &frame, info, slab, &image, error)) {
    if (settings->detect == FOURIER_DETECT_CANNY)
      contours = find_canny (preparer, &image, info, settings, error);
    else
      contours = find_iso (preparer, &image, info, settings, error);
  }
  /* the frame has been read */
  if (contours)
    gst_shapes_slab_finish (slab);
  gst_shapes_slab_free (slab);
  gst_shapes_frame_unmap (&frame);
  if (contours)
    fourier_contours_enlarge (contours, GST_VIDEO_INFO_WIDTH (info),
        GST_VIDEO_INFO_HEIGHT (info));
  return contours;
}

/* What a property names instead of a picture, whose contours it replaces.
 *
 * Returns: %NULL with an error that ends the stream: what goes beyond a limit
 *     here does so for each picture, so that none of them can be left out */
static FourierContours *
find_named (const FourierSettings * settings, guint width, guint height,
    GError ** error)
{
  GError *problem = NULL;
  FourierContours *contours = settings->svg && *settings->svg ?
      svg_load (settings->svg, width, height, &problem) :
      fourier_text_outline (settings->text, settings->font, width,
      height, &problem);

  if (g_error_matches (problem, CS_ERROR, CS_ERROR_LIMIT))
    problem->code = CS_ERROR_INVALID;
  if (problem)
    g_propagate_error (error, problem);
  return contours;
}

static FourierContours *
find (FourierPreparer * preparer, GstBuffer * buffer,
    const GstVideoInfo * info, guint copy_width, guint copy_height,
    const FourierSettings * settings, GError ** error)
{
  const guint width = GST_VIDEO_INFO_WIDTH (info);
  const guint height = GST_VIDEO_INFO_HEIGHT (info);
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);

  if ((settings->svg && *settings->svg) || (settings->text && *settings->text))
    return find_named (settings, width, height, error);
  if (set)
    return fourier_contours_new_from_set (set, width, height, error);
  if (GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP))
    return fourier_contours_new (width, height, 0, 0, error);
  return detect (preparer, buffer, info, copy_width, copy_height, settings,
      error);
}

/* The contours of @buffer's GstShapeMeta, or, without one, those that are
 * detected in a copy of the picture, in pixels of the picture.
 *
 * @width: of the copy, at most the picture's
 * @height: of the copy
 * Returns: (transfer full): %NULL with @error set (GST_SHAPES_FRAME_ERROR or
 *     CS_ERROR) */
static FourierContours *
fourier_preparer_find (FourierPreparer * preparer,
    GstBuffer * buffer, const GstVideoInfo * info, guint width, guint height,
    const FourierSettings * settings, GError ** error)
{
  FourierContours *contours = find (preparer, buffer, info, width,
      height, settings, error);

  if (contours && settings->ink_source == FOURIER_INK_SOURCE_PICTURE
      && !GST_BUFFER_FLAG_IS_SET (buffer, GST_BUFFER_FLAG_GAP) &&
      !fourier_read_colors (preparer->executor, buffer, info, width,
          height, contours, error))
    g_clear_pointer (&contours, fourier_contours_unref);
  return contours;
}

/* Drawings */

static gboolean
add_part (FourierPreparer * preparer, FourierDrawing * drawing,
    const CsStrokesOutput * strokes, const FourierSettings * settings,
    gdouble begin, gdouble end, guint arm, GError ** error)
{
  const CsPathParams params = {
    /* arms share them */
    .n_samples = (settings->n_samples + settings->arms - 1) / settings->arms,
    .travel_speed = settings->travel_speed,
    .spacing = drawing->contours->scale,
  };
  FourierPart part = {.begin = begin,.end = end,.arm = arm };

  part.fourier = cs_fourier_new (strokes, &params,
      fourier_transform_run, &preparer->transform, error);
  if (!part.fourier)
    return FALSE;
  if (cs_array_append_val (drawing->parts, part))
    return TRUE;
  cs_fourier_free (part.fourier);
  return cs_fail_no_memory (error, "the parts of a drawing");
}

/* At least @least, so that each contour takes some time. */
static gdouble
get_length (const CsStrokePoint * points, guint32 n, gdouble least)
{
  gdouble length = 0.;

  for (guint32 i = 1; i < n; i++)
    length += hypot (points[i].x - points[i - 1].x,
        points[i].y - points[i - 1].y);
  return MAX (length, least);
}

/* The contours from @first to before @last as strokes. @offsets: for them */
static CsStrokesOutput
get_strokes (const FourierDrawing * drawing, gsize first, gsize last,
    guint32 * offsets)
{
  const guint32 begin = drawing->offsets[first];

  for (gsize i = first; i <= last; i++)
    offsets[i - first] = drawing->offsets[i] - begin;
  return (CsStrokesOutput) {
    .points = drawing->points + begin,
    .offsets = offsets,
    .n_contours = last - first,
    .n_points = offsets[last - first],
  };
}

/* When each contour ends if all are drawn by one arm, in pixels. */
static void
find_ends (const FourierDrawing * drawing, gdouble pixels_per_travel,
    gdouble * ends)
{
  gdouble total = 0.;

  for (gsize i = 0; i < drawing->n_contours; i++) {
    const guint32 at = drawing->offsets[i];
    const CsStrokePoint *p = drawing->points + at;

    if (i > 0)
      total += pixels_per_travel * hypot (p->x - p[-1].x, p->y - p[-1].y);
    total += get_length (p, drawing->offsets[i + 1] - at,
        drawing->contours->scale);
    ends[i] = total;
  }
}

/* The contours from @first to before @last for one arm: a part, or one for
 * each contour, as long as that is. */
static gboolean
add_arm (FourierPreparer * preparer, FourierDrawing * drawing,
    const FourierSettings * settings, gsize first, gsize last,
    const gdouble * ends, guint32 * offsets, GError ** error)
{
  const guint arm = drawing->n_arms;
  const gdouble start = first > 0 ? ends[first - 1] : 0.;
  const gdouble total = ends[last - 1] - start;
  CsStrokesOutput strokes;

  drawing->n_arms++;
  if (settings->path_mode != FOURIER_PATH_MODE_PER_CONTOUR) {
    strokes = get_strokes (drawing, first, last, offsets);
    return add_part (preparer, drawing, &strokes, settings, 0., 1., arm, error);
  }
  for (gsize i = first; i < last; i++) {
    strokes = get_strokes (drawing, i, i + 1, offsets);
    if (!add_part (preparer, drawing, &strokes, settings,
            i > first ? (ends[i - 1] - start) / total : 0.,
            (ends[i] - start) / total, arm, error))
      return FALSE;
  }
  return TRUE;
}

/* Each arm draws contours that follow each other, about as long as those of the
 * others. */
static gboolean
add_arms (FourierPreparer * preparer, FourierDrawing * drawing,
    const FourierSettings * settings, GError ** error)
{
  const gboolean lifts = settings->path_mode != FOURIER_PATH_MODE_PER_CONTOUR;
  const gsize n = drawing->n_contours;
  g_autofree gdouble *ends = cs_try_new (gdouble, n);
  g_autofree guint32 *offsets = cs_try_new (guint32, n + 1);
  gboolean ok = ends && offsets;
  gsize first = 0, last;

  drawing->n_arms = 0;
  if (!ok)
    cs_fail_no_memory (error, "the contours of a drawing");
  if (ok)
    find_ends (drawing, lifts ? 1. / settings->travel_speed : 0., ends);
  for (guint arm = 1; ok && arm <= settings->arms && first < n; arm++) {
    const gdouble share = ends[n - 1] * arm / settings->arms;

    /* whichever end is nearer to the share */
    for (last = first + 1; last < n &&
        (arm == settings->arms || ends[last] - share < share - ends[last - 1]);
        last++);
    ok = add_arm (preparer, drawing, settings, first, last, ends, offsets,
        error);
    first = last;
  }
  drawing->n_arms = MAX (1, drawing->n_arms);
  return ok;
}

/* The drawing of @contours.
 *
 * @mask: (nullable): what to exclude
 * Returns: (transfer full): %NULL with @error (CS_ERROR) set */
static FourierDrawing *
fourier_preparer_draw (FourierPreparer * preparer, FourierContours * contours,
    const CsBrushMask * mask, const FourierSettings * settings, GError ** error)
{
  const CsStrokesInput input = {
    .points = contours->points,
    .offsets = contours->offsets,
    .n_contours = contours->n_contours,
    .memory = CS_MEMORY_HOST,
    .mask = mask,
  };
  CsStrokesParams params;
  CsStrokesOutput output;
  gboolean ok = TRUE;

  fourier_settings_get_strokes (settings, contours->scale,
      contours->min_points, &params);
  if (preparer->strokes ? !cs_strokes_set_params (preparer->strokes, &params,
          error) : (preparer->strokes = cs_strokes_new (&params,
              preparer->executor, error)) == NULL)
    return NULL;
  if (!cs_strokes_run (preparer->strokes, &input, &output, error))
    return NULL;
  FourierDrawing *drawing = fourier_drawing_new (contours, &output, error);
  if (!drawing)
    return NULL;
  if (drawing->n_contours > 0)
    ok = add_arms (preparer, drawing, settings, error);
  if (ok) {
    fourier_drawing_set_n_vectors (drawing, settings->n_vectors,
        &preparer->transform);
    ok = !drawing->segments->failed ||
        cs_fail_no_memory (error, "the curve of a drawing");
  }
  if (!ok)
    g_clear_pointer (&drawing, fourier_drawing_free);
  return drawing;
}

/* Jobs */

FourierJob *
fourier_job_new (const FourierPicture * picture,
    FourierContours * contours, const FourierSettings * settings)
{
  FourierJob *job = g_new0 (FourierJob, 1);

  if (picture)
    fourier_picture_copy (&job->picture, picture);
  if (contours)
    job->contours = fourier_contours_ref (contours);
  gst_shapes_properties_copy (&fourier_properties, &job->settings, settings);
  return job;
}

void
fourier_job_free (FourierJob * job)
{
  fourier_picture_clear (&job->picture);
  g_clear_pointer (&job->contours, fourier_contours_unref);
  g_clear_pointer (&job->drawing, fourier_drawing_free);
  gst_shapes_properties_clear (&fourier_properties, &job->settings);
  g_clear_error (&job->error);
  g_free (job);
}

/* Finds the contours of the picture, unless they are known, and draws them. */
static void
do_job (FourierWorker * worker, FourierJob * job)
{
  FourierContours *all = NULL;
  CsBrushMask *mask = NULL;

  if (!gst_shapes_compute_begin (worker->compute)) {
    g_set_error (&job->error, CS_ERROR, CS_ERROR_DEVICE, "the GPU is gone");
    return;
  }
  if (!job->contours)
    job->contours = fourier_preparer_find (&worker->preparer,
        job->picture.buffer, &job->picture.info, job->width, job->height,
        &job->settings, &job->error);
  /* before the mask: then nothing is pending */
  if (job->contours)
    all = fourier_brush_add_strokes (worker->brush, job->contours, &job->error);
  if (all && fourier_brush_make_mask (worker->brush,
          &job->settings, all->width, all->height, &mask, &job->error))
    job->drawing = fourier_preparer_draw (&worker->preparer, all,
        mask, &job->settings, &job->error);
  g_clear_pointer (&all, fourier_contours_unref);
  g_clear_pointer (&mask, cs_brush_mask_free);
  gst_shapes_compute_end (worker->compute);
  /* upstream's pool may be small */
  if (job->drawing)
    fourier_picture_clear (&job->picture);
}

/* Life */

void
fourier_worker_init (FourierWorker * worker, GstElement * element,
    GstShapesCompute * compute, FourierBrush * brush)
{
  worker->element = element;
  worker->compute = compute;
  worker->brush = brush;
  g_mutex_init (&worker->lock);
  g_cond_init (&worker->changed);
}

void
fourier_worker_finalize (FourierWorker * worker)
{
  g_mutex_clear (&worker->lock);
  g_cond_clear (&worker->changed);
}

gboolean
fourier_worker_open (FourierWorker * worker, GError ** error)
{
  FourierPreparer *preparer = &worker->preparer;
  const GstShapesCompute *compute = worker->compute;

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
fourier_worker_close (FourierWorker * worker)
{
  FourierPreparer *preparer = &worker->preparer;

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
  cs_scratch_clear (&preparer->gray);
  fourier_transform_clear (&preparer->transform);
}

void
fourier_worker_stop (FourierWorker * worker)
{
  g_mutex_lock (&worker->lock);
  GThread *thread = g_steal_pointer (&worker->thread);
  worker->ends = TRUE;
  g_cond_broadcast (&worker->changed);
  g_mutex_unlock (&worker->lock);
  if (thread)
    g_thread_join (thread);
  worker->ends = FALSE;
  fourier_worker_flush (worker);
}

/* The thread */

/* Does the job that waits. With the lock held, which is released meanwhile. */
static void
do_next (FourierWorker * worker)
{
  FourierJob *job = g_steal_pointer (&worker->job);

  worker->busy = TRUE;
  g_mutex_unlock (&worker->lock);
  do_job (worker, job);
  g_mutex_lock (&worker->lock);
  worker->busy = FALSE;
  if (job->generation == worker->generation) {
    g_clear_pointer (&worker->done, fourier_job_free);
    worker->done = job;
  } else {
    fourier_job_free (job);
  }
  g_cond_broadcast (&worker->changed);
}

static gpointer
work (gpointer user_data)
{
  FourierWorker *worker = user_data;

  g_mutex_lock (&worker->lock);
  while (!worker->ends) {
    if (worker->job)
      do_next (worker);
    else
      g_cond_wait (&worker->changed, &worker->lock);
  }
  g_mutex_unlock (&worker->lock);
  return NULL;
}

/* With the lock held. */
static gboolean
ensure_thread (FourierWorker * worker)
{
  GError *error = NULL;

  if (worker->thread)
    return TRUE;
  worker->thread = cs_thread_try_new ("fourierdraw", work, worker, &error);
  if (!worker->thread) {
    GST_WARNING_OBJECT (worker->element,
        "a drawing is made on the streaming thread: %s", error->message);
    g_clear_error (&error);
  }
  return worker->thread != NULL;
}

void
fourier_worker_run (FourierWorker * worker, FourierJob * job)
{
  /* after a flush it may still do one from before */
  g_mutex_lock (&worker->lock);
  while (worker->busy)
    g_cond_wait (&worker->changed, &worker->lock);
  g_mutex_unlock (&worker->lock);
  do_job (worker, job);
}

void
fourier_worker_send (FourierWorker * worker, FourierJob * job)
{
  g_mutex_lock (&worker->lock);
  job->generation = worker->generation;
  g_clear_pointer (&worker->job, fourier_job_free);
  worker->job = job;
  if (ensure_thread (worker))
    g_cond_broadcast (&worker->changed);
  else
    do_next (worker);
  g_mutex_unlock (&worker->lock);
}

FourierJob *
fourier_worker_take (FourierWorker * worker)
{
  g_mutex_lock (&worker->lock);
  FourierJob *job = g_steal_pointer (&worker->done);
  g_mutex_unlock (&worker->lock);
  return job;
}

gboolean
fourier_worker_is_busy (FourierWorker * worker)
{
  g_mutex_lock (&worker->lock);
  const gboolean busy = worker->job || worker->busy;
  g_mutex_unlock (&worker->lock);
  return busy;
}

void
fourier_worker_flush (FourierWorker * worker)
{
  g_mutex_lock (&worker->lock);
  worker->generation++;
  g_clear_pointer (&worker->job, fourier_job_free);
  g_clear_pointer (&worker->done, fourier_job_free);
  g_mutex_unlock (&worker->lock);
}
