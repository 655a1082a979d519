/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_PRIVATE_H
#define GST_FOURIER_DRAW_PRIVATE_H

/* Between the parts of fourierdraw: gstfourierdraw.c is the element,
 * gstfourierdrawsink.c and gstfourierdrawsource.c are its pads,
 * gstfourierdrawredraw.c and gstfourierdrawlive.c its two modes,
 * gstfourierdrawframe.c makes the frames of both, gstfourierdrawworker.c what
 * is drawn on them.
 *
 * Three threads meet here besides the application's. The sink pad's streaming
 * thread takes pictures. "The frame thread" makes frames: with mode=redraw it
 * is the source pad's task, with mode=live the sink pad's streaming thread.
 * The worker, with mode=live only, prepares drawings. Seeks come from the
 * application and rest the frame thread first: they hold its stream lock.
 *
 * The lock of the element may be held when the object lock is taken, never the
 * other way round. Where nothing is said, functions are called with neither,
 * and take what they need. */

#include <gst/gst.h>
#include <gst/video/video.h>

#include "gstfourierdraw.h"
#include "gstfourierdrawbrush.h"
#include "gstfourierdrawdrawing.h"
#include "gstfourierdrawpicture.h"
#include "gstfourierdrawsettings.h"
#include "gstfourierdrawtime.h"
#include "element/gstshapescompute.h"
#include "element/gstshapesdrops.h"
#include "element/gstshapesgray.h"
#include "element/gstshapesframe.h"
#include "shapes/gstshapes.h"

G_BEGIN_DECLS

GST_DEBUG_CATEGORY_EXTERN (gst_fourier_draw_debug);

/* What errors begin with. */
#define GST_FOURIER_DRAW_CANNOT "Cannot draw"

/* No progress was asked for. */
#define GST_FOURIER_DRAW_NO_JUMP (-1.)

/* A picture is left out, and the stream goes on. */
#define GST_FOURIER_DRAW_FLOW_DROPPED GST_FLOW_CUSTOM_SUCCESS

/* A frame that came, and its format. */
typedef struct
{
  GstBuffer *buffer;
  GstVideoInfo info;
} GstFourierDrawPicture;

/* A drawing that is made while the old one is shown. */
typedef struct _GstFourierDrawJob GstFourierDrawJob;

struct _GstFourierDraw
{
  GstElement parent;

  GstPad *sinkpad, *srcpad;
  GstShapesCompute compute;
  GstShapesDrops drops;
  GstFourierDrawBrush brush;

  /* with the object lock */
  GstFourierDrawSettings settings;
  guint settings_serial;
  gdouble progress, jump, rms_error;
  GstFourierDrawView view;

  /* with this lock; the condition tells of any change */
  GMutex lock;
  GCond cond;
  gboolean flushing, interrupted;
  gboolean mode_known, live, upstream_live;
  GstFourierDrawPicture pending;
  gboolean eos;
  guint32 eos_seqnum;
  gboolean capture, restart;
  GstFlowReturn flow;
  GstClockTime position, end;
  GThread *worker;
  gboolean worker_ends;
  gboolean worker_busy;
  /* jobs of another generation are not wanted any more */
  guint64 job_generation;
  GstFourierDrawJob *job, *done;

  /* the sink pad's streaming thread */
  GstVideoInfo in_info;
  gboolean have_info;
  GstSegment in_segment;

  /* the thread that makes frames: the source pad's task, or, when live, the
   * sink pad's streaming thread */
  GstFourierDrawSettings current;
  guint current_serial;
  GstFourierDrawPicture picture;
  guint64 picture_id;
  GstFourierContours *contours;
  GstFourierDrawing *drawing;
  GstFourierDrawSettings prepared;
  gboolean active, still_done;
  GstFourierDrawClock clock;
  guint64 pass;
  /* of the stream, and of the picture */
  GstFourierDrawCounter counter, local;
  GstClockTime picture_start;
  GstSegment segment;
  gboolean need_segment, need_discont;
  guint32 seqnum;
  GstVideoInfo out_info;
  gboolean negotiated;
  GstBufferPool *pool;
  GstFourierDrawPending pending_dabs;
  GstFourierTransform transform;
  gboolean warned_empty, warned_camera;

  /* between open and close */
  GstFourierPainter painter;
  GstShapesPictureStage in_stage, out_stage;
  GstFourierPreparer preparer;
};

/* gstfourierdraw.c */

void gst_fourier_draw_picture_clear (GstFourierDrawPicture * picture);

/* Takes references of its own. For self->pending with the lock held. */
void gst_fourier_draw_picture_set (GstFourierDrawPicture * picture,
    GstBuffer * buffer, const GstVideoInfo * info);

/* Whether there is a frame for each frame. From any thread. */
gboolean gst_fourier_draw_is_live (GstFourierDraw * self);

/* Whether the film has its own time: also before it is known, if it is set.
 * From any thread; takes both locks. */
gboolean gst_fourier_draw_is_redraw (GstFourierDraw * self);

/* Takes over the properties as they are now, for the frame thread, which calls
 * it; or while it rests. */
void gst_fourier_draw_update_settings (GstFourierDraw * self);

/* Drops @picture, or posts @error if more than the picture is at fault. The
 * frame thread.
 *
 * Returns: GST_FOURIER_DRAW_FLOW_DROPPED or GST_FLOW_ERROR */
GstFlowReturn gst_fourier_draw_fail_picture (GstFourierDraw * self,
    const GstFourierDrawPicture * picture, const GError * error);

/* gstfourierdrawworker.c: drawings */

/* Prepares a drawing of @picture in this thread, the frame thread, and draws it
 * from now on.
 *
 * Returns: GST_FLOW_OK, or what gst_fourier_draw_fail_picture() does */
GstFlowReturn gst_fourier_draw_prepare_picture (GstFourierDraw * self,
    const GstFourierDrawPicture * picture);

/* The number of vectors may change while they turn. The frame thread. */
void gst_fourier_draw_update_vectors (GstFourierDraw * self);

/* Lets the worker prepare a drawing; what it has not begun is forgotten. The
 * frame thread.
 *
 * @picture: (nullable): of which to make a drawing, %NULL for the present
 *     contours */
void gst_fourier_draw_send_job (GstFourierDraw * self,
    const GstFourierDrawPicture * picture);

/* Draws what the worker has finished, if anything, from @now on. The frame
 * thread.
 *
 * @frame: what a frame lasts
 * Returns: %FALSE after posting the worker's error */
gboolean gst_fourier_draw_collect_job (GstFourierDraw * self,
    GstClockTime now, GstClockTime frame);

/* Forgets what waits for the worker, what it is at, and what it has
 * finished. */
void gst_fourier_draw_drop_jobs (GstFourierDraw * self);

/* Waits until the worker ends. No other thread may be at work. */
void gst_fourier_draw_stop_worker (GstFourierDraw * self);

/* gstfourierdrawframe.c: all for the frame thread, or while it rests */

/* Gives the pool of frames back. */
void gst_fourier_draw_clear_pool (GstFourierDraw * self);

/* Agrees with downstream on frames of pictures like @info, if that has to be
 * done. Posts an error when there is nothing to agree on. */
GstFlowReturn gst_fourier_draw_ensure_negotiated (GstFourierDraw * self,
    const GstVideoInfo * info);

/* Moves the clock to @now with the present settings.
 *
 * @frame: what a frame lasts
 * @stream_time: for the controllers; GST_CLOCK_TIME_NONE if not known
 * Returns: the progress that a controller asks for, or
 *     GST_FOURIER_DRAW_NO_JUMP */
gdouble gst_fourier_draw_update_clock (GstFourierDraw * self, GstClockTime now,
    GstClockTime frame, GstClockTime stream_time);

/* A new frame of the film: the state at @now over @picture. Posts errors;
 * GST_FOURIER_DRAW_FLOW_DROPPED if the picture cannot be read.
 *
 * @asked: of gst_fourier_draw_update_clock()
 * @output: (out) (transfer full): without timestamps */
GstFlowReturn gst_fourier_draw_make_frame (GstFourierDraw * self,
    GstClockTime now, gdouble asked, const GstFourierDrawPicture * picture,
    GstBuffer ** output);

/* Pushes @segment if downstream does not know it yet. */
void gst_fourier_draw_push_segment (GstFourierDraw * self,
    const GstSegment * segment);

/* gstfourierdrawredraw.c */

/* Starts the task of the source pad, or wakes it. From any thread. */
void gst_fourier_draw_start_task (GstFourierDraw * self);

/* Forgets the stream. The frame thread rests. */
void gst_fourier_draw_reset_stream (GstFourierDraw * self);

/* Goes to another time of the film, also after its end. From any thread; takes
 * the stream lock of the source pad.
 *
 * @event: (transfer none)
 * Returns: %FALSE when there is no such time */
gboolean gst_fourier_draw_seek (GstFourierDraw * self, GstEvent * event);

/* gstfourierdrawlive.c */

/* Makes a frame of @buffer and pushes it. The sink pad's streaming thread.
 *
 * @buffer: (transfer full) */
GstFlowReturn gst_fourier_draw_chain_live (GstFourierDraw * self,
    GstBuffer * buffer);

/* gstfourierdrawsink.c and gstfourierdrawsource.c: the functions of the pads */

GstFlowReturn gst_fourier_draw_chain (GstPad * pad, GstObject * parent,
    GstBuffer * buffer);
gboolean gst_fourier_draw_sink_event (GstPad * pad, GstObject * parent,
    GstEvent * event);
gboolean gst_fourier_draw_sink_query (GstPad * pad, GstObject * parent,
    GstQuery * query);
gboolean gst_fourier_draw_src_event (GstPad * pad, GstObject * parent,
    GstEvent * event);
gboolean gst_fourier_draw_src_query (GstPad * pad, GstObject * parent,
    GstQuery * query);
gboolean gst_fourier_draw_activate_src (GstPad * pad, GstObject * parent,
    GstPadMode mode, gboolean active);

G_END_DECLS

#endif /* GST_FOURIER_DRAW_PRIVATE_H */
