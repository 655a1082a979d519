/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_FRAMES_H
#define GST_FOURIER_DRAW_FRAMES_H

/* The state of the drawing at a time, and frames that show it. */

#include "gstfourierdrawcontrols.h"
#include "gstfourierdrawoutput.h"
#include "gstfourierdrawpainter.h"
#include "gstfourierdrawpicture.h"
#include "gstfourierdrawprogress.h"
#include "gstfourierdrawtime.h"
#include "gstfourierdrawworker.h"
#include "element/gstshapesdrops.h"
#include "element/gstshapesframe.h"

/* A picture is dropped and counted, and the stream goes on. */
#define GST_FOURIER_DRAW_FLOW_DROPPED GST_FLOW_CUSTOM_SUCCESS

/**
 * GstFourierDrawFrames:
 * @output: what downstream has agreed on
 * @clock: from stream time to progress
 * @contours: (nullable): of the picture that is drawn
 * @drawing: (nullable): of these contours
 * @shapes: (nullable): of this drawing, once they are attached to a frame
 *
 * Of the thread that makes frames: the source pad's task, or, with mode=live,
 * the sink pad's streaming thread. Other threads hold the source pad's stream
 * lock.
 */
typedef struct
{
  GstFourierDrawOutput output;
  GstFourierDrawClock clock;
  GstFourierDrawContours *contours;
  GstFourierDrawDrawing *drawing;
  GstShapeSet *shapes;

  /*< private >*/
  GstElement *element;
  GstShapesCompute *compute;
  GstShapesDrops *drops;
  GstFourierDrawBrush *brush;
  GstFourierDrawControls *controls;
  GstFourierDrawWorker *worker;

  GstFourierDrawSettings settings;
  guint serial;
  /* the same with the widths of the film; owns nothing */
  GstFourierDrawSettings look;
  /* those of the drawing */
  GstFourierDrawSettings prepared;
  GstFourierDrawPending dabs;
  GstFourierDrawTransform transform;
  gboolean warned_empty, warned_rest, warned_camera;
  guint64 n_drawings;
  GstFourierDrawProgress progress;

  /* between open and close */
  GstFourierDrawPainter painter;
  GstShapesPictureStage in_stage, out_stage;
} GstFourierDrawFrames;

/* All arguments are borrowed. */
void gst_fourier_draw_frames_init (GstFourierDrawFrames * frames,
    GstElement * element, GstPad * srcpad, GstShapesCompute * compute,
    GstShapesDrops * drops, GstFourierDrawBrush * brush,
    GstFourierDrawControls * controls, GstFourierDrawWorker * worker);
void gst_fourier_draw_frames_finalize (GstFourierDrawFrames * frames);

/* Of the executor. */
gboolean gst_fourier_draw_frames_open (GstFourierDrawFrames * frames,
    GError ** error);
void gst_fourier_draw_frames_close (GstFourierDrawFrames * frames);

/* The element starts and stops. */
void gst_fourier_draw_frames_start (GstFourierDrawFrames * frames);
void gst_fourier_draw_frames_stop (GstFourierDrawFrames * frames);

/* Forgets the stream. */
void gst_fourier_draw_frames_reset (GstFourierDrawFrames * frames);

/* Copies the properties if they have changed. */
void gst_fourier_draw_frames_update_settings (GstFourierDrawFrames * frames);

/* A job for a drawing, of @picture or, if %NULL, of the present contours, with
 * the present settings. Returns: (transfer full) */
GstFourierDrawJob *gst_fourier_draw_frames_new_job (const GstFourierDrawFrames *
    frames, const GstFourierDrawPicture * picture);

/* Shows the drawing of a job that is done. If it has failed, drops the picture,
 * or posts an error if other pictures would fail too.
 *
 * @job: (transfer full)
 * Returns: GST_FLOW_OK, GST_FOURIER_DRAW_FLOW_DROPPED or GST_FLOW_ERROR */
GstFlowReturn gst_fourier_draw_frames_use_job (GstFourierDrawFrames * frames,
    GstFourierDrawJob * job);

/* Makes a drawing of @picture in this thread and shows it. Returns: as
 * gst_fourier_draw_frames_use_job() */
GstFlowReturn gst_fourier_draw_frames_prepare (GstFourierDrawFrames * frames,
    const GstFourierDrawPicture * picture);

/* Whether the present settings and brush strokes give another drawing. */
gboolean gst_fourier_draw_frames_is_outdated (GstFourierDrawFrames * frames);

/* The first pass begins at @now. @frame: duration of a frame */
void gst_fourier_draw_frames_start_clock (GstFourierDrawFrames * frames,
    GstClockTime frame, GstClockTime now);

/* Updates the settings, and the clock to @now.
 *
 * @frame: duration of a frame
 * @stream_time: for controllers; GST_CLOCK_TIME_NONE if unknown
 * Returns: the progress that a controller has set, or
 *     GST_FOURIER_DRAW_NO_JUMP */
gdouble gst_fourier_draw_frames_update_clock (GstFourierDrawFrames * frames,
    GstClockTime frame, GstClockTime now, GstClockTime stream_time);

/* How long all passes take, with the present settings; GST_CLOCK_TIME_NONE if
 * they do not end. @frame: duration of a frame */
GstClockTime gst_fourier_draw_frames_get_total (const GstFourierDrawFrames *
    frames, GstClockTime frame);

/* Negotiates with downstream, if that is needed.
 *
 * @changed: (out): whether output.info may have changed */
GstFlowReturn gst_fourier_draw_frames_negotiate (GstFourierDrawFrames * frames,
    const GstVideoInfo * picture, gboolean live, gboolean * changed);

/* The frame at @now over @picture. Posts errors.
 *
 * @progress: of gst_fourier_draw_frames_update_clock()
 * @picture_id: a number for each picture; 0 if each has one frame
 * @output: (out) (transfer full): without timestamps
 * Returns: GST_FOURIER_DRAW_FLOW_DROPPED if the picture cannot be read */
GstFlowReturn gst_fourier_draw_frames_make (GstFourierDrawFrames * frames,
    GstClockTime now, gdouble progress, const GstFourierDrawPicture * picture,
    guint64 picture_id, GstBuffer ** output);

#endif /* GST_FOURIER_DRAW_FRAMES_H */
