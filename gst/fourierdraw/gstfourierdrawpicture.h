/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <gst/video/video.h>

/**
 * FourierPicture:
 * @buffer: (nullable): an input frame; %NULL if there is none
 * @info: its format
 * @segment: the segment it belongs to
 */
typedef struct
{
  GstBuffer *buffer;
  GstVideoInfo info;
  GstSegment segment;
} FourierPicture;

static inline void
fourier_picture_clear (FourierPicture * picture)
{
  gst_clear_buffer (&picture->buffer);
}

/* Takes a reference. */
static inline void
fourier_picture_copy (FourierPicture * picture, const FourierPicture * from)
{
  gst_buffer_replace (&picture->buffer, from->buffer);
  picture->info = from->info;
  picture->segment = from->segment;
}

/* Of the timestamp; GST_CLOCK_TIME_NONE if there is none. */
static inline GstClockTime
fourier_picture_get_running_time (const FourierPicture * picture)
{
  return gst_segment_to_running_time (&picture->segment, GST_FORMAT_TIME,
      GST_BUFFER_PTS (picture->buffer));
}
