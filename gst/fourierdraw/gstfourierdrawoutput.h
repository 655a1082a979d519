/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

#include "gstfourierdrawsettings.h"
#include "element/gstshapescompute.h"

/* Negotiation of caps and pools with downstream. */

/* The default frame rate. */
#define FOURIER_FPS_N 30
#define FOURIER_FPS_D 1

/**
 * FourierOutput:
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
} FourierOutput;

/* @element, for messages, @srcpad and @compute are borrowed. */
void fourier_output_init (FourierOutput * output,
    GstElement * element, GstPad * srcpad, GstShapesCompute * compute);

/* Returns the pool of frames. */
void fourier_output_clear_pool (FourierOutput * output);

/* Whether fourier_output_negotiate() is to be called. */
gboolean fourier_output_needs_negotiation (FourierOutput * output);

/* Negotiates frames of pictures like @picture; posts an error if there are no
 * common caps, or no memory. With the CUDA context current.
 *
 * @live: whether there is a frame for each picture */
GstFlowReturn fourier_output_negotiate (FourierOutput * output,
    const GstVideoInfo * picture, const FourierSettings * settings,
    gboolean live);

/* The size of a copy of a picture like @picture with as many pixels as the
 * frames show of it, but at most the picture's and settings->detect_size.
 * Nothing need be negotiated yet. */
void fourier_output_get_copy_size (const FourierOutput * output,
    const GstVideoInfo * picture, const FourierSettings * settings,
    guint * width, guint * height);

/* A frame of the pool; posts an error if there is no memory for one.
 *
 * @buffer: (out) (transfer full) */
GstFlowReturn fourier_output_acquire (FourierOutput * output,
    GstBuffer ** buffer);

/* Pushes @segment if that is needed. */
void fourier_output_push_segment (FourierOutput * output,
    const GstSegment * segment);
