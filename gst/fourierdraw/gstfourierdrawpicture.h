/* SPDX-License-Identifier: LGPL-2.1-or-later */
#ifndef GST_FOURIER_DRAW_PICTURE_H
#define GST_FOURIER_DRAW_PICTURE_H

#include <gst/gst.h>
#include <gst/video/video.h>

/**
 * GstFourierDrawPicture:
 * @buffer: (nullable): an input frame; %NULL if there is none
 * @info: its format
 * @segment: the segment it belongs to
 */
typedef struct
{
  GstBuffer *buffer;
  GstVideoInfo info;
  GstSegment segment;
} GstFourierDrawPicture;

static inline void
gst_fourier_draw_picture_clear (GstFourierDrawPicture * picture)
{
  gst_clear_buffer (&picture->buffer);
}

/* Takes a reference. */
static inline void
gst_fourier_draw_picture_copy (GstFourierDrawPicture * picture,
    const GstFourierDrawPicture * from)
{
  gst_buffer_replace (&picture->buffer, from->buffer);
  picture->info = from->info;
  picture->segment = from->segment;
}

/* Of the timestamp; GST_CLOCK_TIME_NONE if there is none. */
static inline GstClockTime
gst_fourier_draw_picture_get_running_time (const GstFourierDrawPicture *
    picture)
{
  return gst_segment_to_running_time (&picture->segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (picture->buffer));
}

#endif /* GST_FOURIER_DRAW_PICTURE_H */
