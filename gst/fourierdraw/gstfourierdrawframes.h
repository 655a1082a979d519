/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* The state of the drawing at a time, and frames that show it. */

#include <gst/gst.h>

#include "gstfourierdrawcontrols.h"
#include "gstfourierdrawoutput.h"
#include "gstfourierdrawpainter.h"
#include "gstfourierdrawpicture.h"
#include "gstfourierdrawtime.h"
#include "gstfourierdrawworker.h"
#include "element/gstshapesdrops.h"
#include "element/gstshapesframe.h"
#include "gstfourierdrawdrawing.h"

/* Messages about how far the drawing is. */

/**
 * FourierProgress:
 *
 * What has been posted last. Zero-initialise it.
 */
typedef struct
{
  /*< private >*/
  guint64 drawing, pass;
  guint percent;
  gboolean begun;
} FourierProgress;

/* A picture is dropped and counted, and the stream goes on. */
#define FOURIER_FLOW_DROPPED GST_FLOW_CUSTOM_SUCCESS

/**
 * FourierFrames:
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
  FourierOutput output;
  FourierClock clock;
  FourierContours *contours;
  FourierDrawing *drawing;
  GstShapeSet *shapes;

  /*< private >*/
  GstElement *element;
  GstShapesCompute *compute;
  GstShapesDrops *drops;
  FourierBrush *brush;
  FourierControls *controls;
  FourierWorker *worker;

  FourierSettings settings;
  guint serial;
  /* the same with the widths of the film; owns nothing */
  FourierSettings look;
  /* those of the drawing */
  FourierSettings prepared;
  FourierPending dabs;
  FourierTransform transform;
  gboolean warned_empty, warned_rest, warned_camera;
  guint64 n_drawings;
  FourierProgress progress;

  /* between open and close */
  FourierPainter painter;
  GstShapesPictureStage in_stage, out_stage;
} FourierFrames;

/* All arguments are borrowed. */
void fourier_frames_init (FourierFrames * frames, GstElement * element,
    GstPad * srcpad, GstShapesCompute * compute, GstShapesDrops * drops,
    FourierBrush * brush, FourierControls * controls, FourierWorker * worker);
void fourier_frames_finalize (FourierFrames * frames);

/* Of the executor. */
gboolean fourier_frames_open (FourierFrames * frames, GError ** error);
void fourier_frames_close (FourierFrames * frames);

/* The element starts and stops. */
void fourier_frames_start (FourierFrames * frames);
void fourier_frames_stop (FourierFrames * frames);

/* Forgets the stream. */
void fourier_frames_reset (FourierFrames * frames);

/* Copies the properties if they have changed. */
void fourier_frames_update_settings (FourierFrames * frames);

/* A job for a drawing, of @picture or, if %NULL, of the present contours, with
 * the present settings. Returns: (transfer full) */
FourierJob *fourier_frames_new_job (const FourierFrames * frames,
    const FourierPicture * picture);

/* Shows the drawing of a job that is done. If it has failed, drops the picture,
 * or posts an error if other pictures would fail too.
 *
 * @job: (transfer full)
 * Returns: GST_FLOW_OK, FOURIER_FLOW_DROPPED or GST_FLOW_ERROR */
GstFlowReturn fourier_frames_use_job (FourierFrames * frames, FourierJob * job);

/* Makes a drawing of @picture in this thread and shows it. Returns: as
 * fourier_frames_use_job() */
GstFlowReturn fourier_frames_prepare (FourierFrames * frames,
    const FourierPicture * picture);

/* Whether the present settings and brush strokes give another drawing. */
gboolean fourier_frames_is_outdated (FourierFrames * frames);

/* The first pass begins at @now. @frame: duration of a frame */
void fourier_frames_start_clock (FourierFrames * frames,
    GstClockTime frame, GstClockTime now);

/* Updates the settings, and the clock to @now.
 *
 * @frame: duration of a frame
 * @stream_time: for controllers; GST_CLOCK_TIME_NONE if unknown
 * Returns: the progress that a controller has set, or
 *     FOURIER_NO_JUMP */
gdouble fourier_frames_update_clock (FourierFrames * frames,
    GstClockTime frame, GstClockTime now, GstClockTime stream_time);

/* How long all passes take, with the present settings; GST_CLOCK_TIME_NONE if
 * they do not end. @frame: duration of a frame */
GstClockTime fourier_frames_get_total (const FourierFrames * frames,
    GstClockTime frame);

/* Negotiates with downstream, if that is needed.
 *
 * @changed: (out): whether output.info may have changed */
GstFlowReturn fourier_frames_negotiate (FourierFrames * frames,
    const GstVideoInfo * picture, gboolean live, gboolean * changed);

/* The frame at @now over @picture. Posts errors.
 *
 * @progress: of fourier_frames_update_clock()
 * @picture_id: a number for each picture; 0 if each has one frame
 * @output: (out) (transfer full): without timestamps
 * Returns: FOURIER_FLOW_DROPPED if the picture cannot be read */
GstFlowReturn fourier_frames_make (FourierFrames * frames,
    GstClockTime now, gdouble progress, const FourierPicture * picture,
    guint64 picture_id, GstBuffer ** output);
