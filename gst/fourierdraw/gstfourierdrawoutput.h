/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_OUTPUT_H
#define GST_FOURIER_DRAW_OUTPUT_H

#include <gst/gst.h>
#include <gst/video/video.h>

#include "gstfourierdrawsettings.h"
#include "element/gstshapescompute.h"

/**
 * GstFourierDrawOutput:
 * @info: of the frames, once negotiated
 * @picture: of the pictures for which that was
 * @negotiated: whether @info and the pool are valid
 * @need_segment: whether downstream is yet to receive the segment
 * @seqnum: of the segment, or GST_SEQNUM_INVALID
 *
 * What downstream has agreed on. Of the thread that makes frames.
 */
typedef struct
{
  GstVideoInfo info, picture;
  gboolean negotiated;
  gboolean need_segment;
  guint32 seqnum;
  /*< private >*/
  gboolean warned_no_alpha;
  GstElement *element;
  GstPad *srcpad;
  GstShapesCompute *compute;
  GstBufferPool *pool;
} GstFourierDrawOutput;

/* @element, for messages, @srcpad and @compute are borrowed. */
void gst_fourier_draw_output_init (GstFourierDrawOutput * output,
    GstElement * element, GstPad * srcpad, GstShapesCompute * compute);

/* Returns the pool of frames. */
void gst_fourier_draw_output_clear_pool (GstFourierDrawOutput * output);

/* Whether gst_fourier_draw_output_negotiate() is to be called. */
gboolean gst_fourier_draw_output_needs_negotiation (GstFourierDrawOutput *
    output);

/* Negotiates frames of pictures like @picture; posts an error if there are no
 * common caps, or no memory. With the CUDA context current.
 *
 * @live: whether there is a frame for each picture */
GstFlowReturn gst_fourier_draw_output_negotiate (GstFourierDrawOutput * output,
    const GstVideoInfo * picture, const GstFourierDrawSettings * settings,
    gboolean live);

/* The size of a copy of a picture like @picture with as many pixels as the
 * frames show of it, but at most the picture's and settings->detect_size.
 * Nothing need be negotiated yet. */
void gst_fourier_draw_output_get_copy_size (const GstFourierDrawOutput *
    output, const GstVideoInfo * picture,
    const GstFourierDrawSettings * settings, guint * width, guint * height);

/* A frame of the pool; posts an error if there is no memory for one.
 *
 * @buffer: (out) (transfer full) */
GstFlowReturn gst_fourier_draw_output_acquire (GstFourierDrawOutput * output,
    GstBuffer ** buffer);

/* Pushes @segment if that is needed. */
void gst_fourier_draw_output_push_segment (GstFourierDrawOutput * output,
    const GstSegment * segment);

#endif /* GST_FOURIER_DRAW_OUTPUT_H */
