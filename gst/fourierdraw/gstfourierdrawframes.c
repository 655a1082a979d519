/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstfourierdrawframes.h"

#include <string.h>

#include "shapes/gstshapemeta.h"
#include "element/gstshapesmessage.h"

/* Messages about how far the drawing is */

/* Percent from one message to the next */
#define STEP 10

/* Not GST_MESSAGE_PROGRESS: gst-launch-1.0 does not play before such progress is
 * complete. */
static void
post (GstElement * element, const gchar * event,
    const FourierDrawing * drawing, guint64 pass, guint percent)
{
  GstStructure *structure = gst_structure_new ("fourierdraw",
      "event", G_TYPE_STRING, event, "percent", G_TYPE_UINT, percent,
      "pass", G_TYPE_UINT64, pass, "contours", G_TYPE_UINT64,
      (guint64) drawing->n_contours, "vectors", G_TYPE_UINT,
      drawing->max_vectors, NULL);

  gst_element_post_message (element,
      gst_message_new_element (GST_OBJECT_CAST (element), structure));
}

/* Posts what is new as an element message "fourierdraw": `event` "begin",
 * "progress" (every tenth) or "done", `percent`, `pass`, `contours`, `vectors`.
 *
 * @drawing: what is drawn
 * @id: a number for each drawing
 * @pass: its number, from 0
 * @fraction: drawn, 0 to 1 */
static void
fourier_progress_report (FourierProgress * progress, GstElement * element,
    const FourierDrawing * drawing, guint64 id, guint64 pass, gdouble fraction)
{
  const guint percent = (guint) (fraction * 100.);

  if (!progress->begun || progress->drawing != id || progress->pass != pass) {
    progress->begun = TRUE;
    progress->drawing = id;
    progress->pass = pass;
    progress->percent = 0;
    post (element, "begin", drawing, pass, 0);
  }
  if (percent < 100 && percent / STEP > progress->percent / STEP)
    post (element, "progress", drawing, pass, percent);
  if (percent >= 100 && progress->percent < 100)
    post (element, "done", drawing, pass, 100);
  progress->percent = percent;
}

/* What error messages begin with. */
#define CANNOT "Cannot draw"

static void
clear_drawing (FourierFrames * frames)
{
  g_clear_pointer (&frames->contours, fourier_contours_unref);
  g_clear_pointer (&frames->drawing, fourier_drawing_free);
  g_clear_pointer (&frames->shapes, gst_shape_set_unref);
}

/* Life */

void
fourier_frames_init (FourierFrames * frames, GstElement * element,
    GstPad * srcpad, GstShapesCompute * compute, GstShapesDrops * drops,
    FourierBrush * brush, FourierControls * controls, FourierWorker * worker)
{
  fourier_output_init (&frames->output, element, srcpad, compute);
  frames->element = element;
  frames->compute = compute;
  frames->drops = drops;
  frames->brush = brush;
  frames->controls = controls;
  frames->worker = worker;
  frames->dabs.dabs = g_array_new (FALSE, FALSE, sizeof (FourierDab));
}

void
fourier_frames_finalize (FourierFrames * frames)
{
  gst_shapes_properties_clear (&fourier_properties, &frames->settings);
  gst_shapes_properties_clear (&fourier_properties, &frames->prepared);
  g_array_unref (frames->dabs.dabs);
}

gboolean
fourier_frames_open (FourierFrames * frames, GError ** error)
{
  const GstShapesCompute *compute = frames->compute;

  gst_shapes_picture_stage_init (&frames->in_stage, compute->slabs,
      compute->context, compute->stream);
  gst_shapes_picture_stage_init (&frames->out_stage, compute->slabs,
      compute->context, compute->stream);
  return fourier_painter_open (&frames->painter, compute, error);
}

void
fourier_frames_close (FourierFrames * frames)
{
  gst_shapes_picture_stage_clear (&frames->in_stage);
  gst_shapes_picture_stage_clear (&frames->out_stage);
  fourier_painter_close (&frames->painter);
}

void
fourier_frames_start (FourierFrames * frames)
{
  fourier_frames_reset (frames);
  fourier_frames_update_settings (frames);
  frames->output.negotiated = frames->output.warned_no_alpha = FALSE;
  frames->warned_empty = frames->warned_rest = frames->warned_camera = FALSE;
  memset (&frames->progress, 0, sizeof (frames->progress));
  memset (&frames->clock, 0, sizeof (frames->clock));
}

void
fourier_frames_stop (FourierFrames * frames)
{
  fourier_output_clear_pool (&frames->output);
  fourier_frames_reset (frames);
  fourier_transform_clear (&frames->transform);
  gst_shapes_properties_clear (&fourier_properties, &frames->prepared);
}

void
fourier_frames_reset (FourierFrames * frames)
{
  clear_drawing (frames);
  frames->output.need_segment = TRUE;
  frames->output.seqnum = GST_SEQNUM_INVALID;
}

void
fourier_frames_update_settings (FourierFrames * frames)
{
  fourier_controls_copy_settings (frames->controls,
      &frames->settings, &frames->serial);
}

/* Drawings */

static GstFlowReturn
fail (FourierFrames * frames, const FourierPicture * picture,
    const GError * error)
{
  if (picture->buffer && gst_shapes_drops_take (frames->drops,
          picture->buffer, &picture->segment, error))
    return FOURIER_FLOW_DROPPED;
  gst_shapes_compute_post_error (frames->element, CANNOT, error);
  return GST_FLOW_ERROR;
}

static void
warn_empty (FourierFrames * frames)
{
  const FourierSettings *settings = &frames->prepared;
  const gboolean named = (settings->svg && *settings->svg) ||
      (settings->text && *settings->text);

  if (frames->warned_empty)
    return;
  frames->warned_empty = TRUE;
  if (named) {
    GST_SHAPES_WARNING (frames->element, STREAM, FAILED,
        "There are no contours to draw. Try a smaller min-points, or a larger "
        "picture.");
    return;
  }
  GST_SHAPES_WARNING (frames->element, STREAM, FAILED,
      "There are no contours to draw in a picture. Try %s, or a smaller "
      "min-points.", settings->detect == FOURIER_DETECT_CANNY ?
      "a smaller canny-sigma, a lower canny-low (with canny-auto=false, "
      "canny-high), detect=iso" : "other levels, detect=canny");
}

FourierJob *
fourier_frames_new_job (const FourierFrames * frames,
    const FourierPicture * picture)
{
  FourierJob *job = fourier_job_new (picture, picture ? NULL :
      frames->contours, &frames->settings);

  if (picture)
    fourier_output_get_copy_size (&frames->output, &picture->info,
        &frames->settings, &job->width, &job->height);
  return job;
}

static void
save_drawing (FourierFrames * frames)
{
  const gchar *path = frames->settings.json_location;
  g_autoptr (GError) error = NULL;

  if (!path || !*path || fourier_drawing_save (frames->drawing, path, &error))
    return;
  GST_SHAPES_WARNING (frames->element, RESOURCE, WRITE,
      "The drawing is not written: %s. Set json-location to a file that can be "
      "written.", error->message);
}

GstFlowReturn
fourier_frames_use_job (FourierFrames * frames, FourierJob * job)
{
  GstFlowReturn flow = GST_FLOW_OK;

  if (job->error) {
    flow = fail (frames, &job->picture, job->error);
  } else {
    clear_drawing (frames);
    frames->n_drawings++;
    frames->contours = g_steal_pointer (&job->contours);
    frames->drawing = g_steal_pointer (&job->drawing);
    gst_shapes_properties_copy (&fourier_properties,
        &frames->prepared, &job->settings);
    fourier_controls_set_rms_error (frames->controls,
        frames->drawing->rms_error);
    fourier_controls_set_travel (frames->controls, frames->drawing->travel);
    if (frames->drawing->n_contours == 0)
      warn_empty (frames);
    if (frames->contours->rest)
      GST_SHAPES_WARN_ONCE (frames->element, frames->warned_rest, STREAM,
          NOT_IMPLEMENTED, "%s: %s.", frames->prepared.svg,
          frames->contours->rest);
    save_drawing (frames);
    GST_DEBUG_OBJECT (frames->element, "drawing %" G_GSIZE_FORMAT
        " contours with %u vectors", frames->drawing->n_contours,
        frames->drawing->max_vectors);
  }
  fourier_job_free (job);
  return flow;
}

GstFlowReturn
fourier_frames_prepare (FourierFrames * frames, const FourierPicture * picture)
{
  FourierJob *job = fourier_frames_new_job (frames, picture);

  fourier_worker_run (frames->worker, job);
  return fourier_frames_use_job (frames, job);
}

gboolean
fourier_frames_is_outdated (FourierFrames * frames)
{
  fourier_brush_get_pending (frames->brush, &frames->dabs);
  return frames->dabs.dabs->len > 0 ||
      !gst_shapes_properties_same (&fourier_properties,
      &frames->prepared, &frames->settings, FOURIER_DRAWING);
}

/* Unlike the other settings of a drawing, applied at once. */
static void
update_n_vectors (FourierFrames * frames)
{
  FourierDrawing *drawing = frames->drawing;

  if (!drawing || drawing->n_vectors == frames->settings.n_vectors)
    return;
  fourier_drawing_set_n_vectors (drawing, frames->settings.n_vectors,
      &frames->transform);
  fourier_controls_set_rms_error (frames->controls, drawing->rms_error);
}

/* Time */

static gboolean
is_controlled (FourierFrames * frames)
{
  GstControlBinding *binding =
      gst_object_get_control_binding (GST_OBJECT_CAST (frames->element),
      "progress");
  const gboolean controlled = binding &&
      !gst_control_binding_is_disabled (binding);

  gst_clear_object (&binding);
  return controlled;
}

void
fourier_frames_start_clock (FourierFrames * frames,
    GstClockTime frame, GstClockTime now)
{
  FourierTimes times;

  fourier_settings_get_times (&frames->settings, &times);
  fourier_clock_start (&frames->clock, &times, frame, now);
}

gdouble
fourier_frames_update_clock (FourierFrames * frames,
    GstClockTime frame, GstClockTime now, GstClockTime stream_time)
{
  FourierTimes times;

  if (GST_CLOCK_TIME_IS_VALID (stream_time))
    gst_object_sync_values (GST_OBJECT_CAST (frames->element), stream_time);
  fourier_frames_update_settings (frames);
  const gdouble jump = fourier_controls_take_jump (frames->controls);
  fourier_settings_get_times (&frames->settings, &times);
  fourier_clock_set_times (&frames->clock, &times, frame, now);
  if (jump == FOURIER_NO_JUMP || is_controlled (frames))
    return jump;
  fourier_clock_jump (&frames->clock, jump, now);
  return FOURIER_NO_JUMP;
}

GstClockTime
fourier_frames_get_total (const FourierFrames * frames, GstClockTime frame)
{
  FourierTimes times;

  fourier_settings_get_times (&frames->settings, &times);
  return fourier_times_get_total (&times, frame);
}

/* Frames */

GstFlowReturn
fourier_frames_negotiate (FourierFrames * frames,
    const GstVideoInfo * picture, gboolean live, gboolean * changed)
{
  *changed = fourier_output_needs_negotiation (&frames->output);
  if (!*changed)
    return GST_FLOW_OK;
  frames->output.negotiated = FALSE;
  if (!gst_shapes_compute_begin (frames->compute))
    return GST_FLOW_ERROR;
  GstFlowReturn flow = fourier_output_negotiate (&frames->output, picture,
      &frames->settings, live);
  if (flow == GST_FLOW_OK)
    fourier_painter_reset (&frames->painter);
  gst_shapes_compute_end (frames->compute);
  return flow;
}

/* A camera that follows the pen does not show the picture. */
static CsBackground
get_background (const FourierFrames * frames)
{
  return frames->settings.background == CS_BACKGROUND_FRAME &&
      frames->settings.camera != FOURIER_CAMERA_FIT ? CS_BACKGROUND_BLACK :
      frames->settings.background;
}

static void
set_time (const FourierFrames * frames, GstClockTime now,
    gdouble progress, gboolean is_film, FourierFrame * frame)
{
  const FourierClock *clock = &frames->clock;

  frame->span = (gdouble) fourier_clock_get_span (clock) / GST_SECOND;
  if (progress != FOURIER_NO_JUMP) {
    frame->progress = progress;
    frame->seconds = progress * frame->span;
  } else if (is_film && frames->output.info.fps_n == 0) {
    /* a still image shows the finished drawing */
    frame->progress = 1.;
    frame->seconds = frame->span;
  } else {
    frame->progress = fourier_clock_get_progress (clock, now);
    frame->seconds = (gdouble) fourier_clock_get_drawn (clock, now) /
        GST_SECOND;
  }
}

/* The finished drawing is shown without the arm. */
static gdouble
get_arm_opacity (const FourierFrames * frames, gdouble progress,
    const FourierFrame * frame)
{
  const gdouble fade = frames->settings.arm_fade;

  if (frame->progress < 1. || fade < 0. || progress != FOURIER_NO_JUMP)
    return 1.;
  if (fade == 0. || frames->output.info.fps_n == 0)
    return 0.;
  return CLAMP (1. - (frame->seconds - frame->span) / fade, 0., 1.);
}

static void
describe (FourierFrames * frames, const GstVideoInfo * picture,
    guint64 picture_id, FourierFrame * frame)
{
  const FourierContours *contours = frames->contours;

  memset (frame, 0, sizeof (*frame));
  frames->look = frames->settings;
  fourier_settings_scale_widths (&frames->look,
      frames->output.info.width, frames->output.info.height);
  frame->settings = &frames->look;
  if (frames->drawing && frames->drawing->n_contours > 0)
    frame->drawing = frames->drawing;
  /* the drawing may be that of a picture of another size */
  frame->picture_width = contours ? contours->width : (guint) picture->width;
  frame->picture_height = contours ? contours->height : (guint) picture->height;
  fourier_brush_get_pending (frames->brush, &frames->dabs);
  frame->pending = &frames->dabs;
  frame->background = get_background (frames);
  frame->background_id = picture_id;
}

/* With the CUDA context current. */
static gboolean
paint (FourierFrames * frames, const FourierFrame * frame,
    const FourierPicture * picture, GstBuffer * output, GError ** error)
{
  const gboolean on_picture =
      fourier_painter_needs_background (&frames->painter, frame);
  FourierView view = { 1., 0., 0. };
  GstShapesPicture in, out;

  if (on_picture && !gst_shapes_picture_map (&in, &frames->in_stage,
          &picture->info, picture->buffer, NULL, GST_MAP_READ, error))
    return FALSE;
  gboolean ok = gst_shapes_picture_map (&out, &frames->out_stage,
      &frames->output.info, NULL, output, GST_MAP_WRITE, error);
  if (ok) {
    const gboolean painted = fourier_painter_paint (&frames->painter, frame,
        on_picture ? &in.picture : NULL, &out.picture, &view, error);
    ok = gst_shapes_picture_unmap (&out, painted, painted ? error : NULL) &&
        painted;
  }
  if (on_picture)
    gst_shapes_picture_unmap (&in, FALSE, NULL);
  if (ok)
    fourier_controls_set_frame (frames->controls, frame->progress, &view);
  return ok;
}

static gboolean
attach_shapes (FourierFrames * frames, GstBuffer * output, GError ** error)
{
  if (!frames->settings.attach_shapes || !frames->drawing)
    return TRUE;
  if (!frames->shapes)
    frames->shapes = fourier_drawing_new_shapes (frames->drawing, error);
  if (!frames->shapes)
    return FALSE;
  gst_buffer_add_shape_meta (output, frames->shapes);
  return TRUE;
}

GstFlowReturn
fourier_frames_make (FourierFrames * frames, GstClockTime now, gdouble progress,
    const FourierPicture * picture, guint64 picture_id, GstBuffer ** output)
{
  FourierFrame frame;
  GError *error = NULL;

  update_n_vectors (frames);
  if (frames->settings.background == CS_BACKGROUND_FRAME &&
      frames->settings.camera != FOURIER_CAMERA_FIT)
    GST_SHAPES_WARN_ONCE (frames->element, frames->warned_camera, LIBRARY,
        SETTINGS, "background=frame needs camera=fit; the background is "
        "black.");
  describe (frames, &picture->info, picture_id, &frame);
  set_time (frames, now, progress, picture_id != 0, &frame);
  frame.arm_opacity = get_arm_opacity (frames, progress, &frame);
  GstFlowReturn flow = fourier_output_acquire (&frames->output, output);
  if (flow != GST_FLOW_OK)
    return flow;
  if (!gst_shapes_compute_begin (frames->compute)) {
    gst_clear_buffer (output);
    return GST_FLOW_ERROR;
  }
  const gboolean ok = paint (frames, &frame, picture, *output, &error)
      && attach_shapes (frames, *output, &error);
  gst_shapes_compute_end (frames->compute);
  if (ok && frame.drawing)
    fourier_progress_report (&frames->progress, frames->element,
        frame.drawing, frames->n_drawings,
        fourier_clock_get_pass (&frames->clock, now), frame.progress);
  if (ok)
    return GST_FLOW_OK;
  flow = fail (frames, picture, error);
  g_clear_error (&error);
  gst_clear_buffer (output);
  return flow;
}
