/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Frames with an inconsistent GstVideoMeta (offsets, strides, sizes), and
 * frames that are too short, pushed into each element. The outcome is an
 * error, a dropped frame or a frame; nothing outside of the memory is
 * accessed, and the element then accepts a valid frame or has posted an
 * error. */

#include "fuzz_elements.h"

#include <gst/video/video.h>

#include "shapes/gstshapes.h"

#define MAX_SIDE 24
#define MAX_FRAMES 3

#define EXTRAS \
  "cudacontours backend=cpu n-threads=1 ! cudahull backend=cpu n-threads=1 " \
  "defects=true ellipse=true indices=true ! shapestats n-threads=1 lab=true"

static const gchar *const lines[] = {
  "cudacontours backend=cpu n-threads=1",
  "cudahull backend=cpu n-threads=1 source=mask",
  "cudallf backend=cpu n-threads=1 quality=sampled intensity-levels=4",
  "cudallf backend=cpu n-threads=1 hdr=linear quality=sampled "
      "intensity-levels=4",
  "cudacircles backend=cpu n-threads=1 scene=rgby",
  "fourierdraw backend=cpu n-threads=1 mode=live duration=0.1 hold=0",
  "cudacontours backend=cpu n-threads=1 ! shapeoverlay n-threads=1",
  "cudacontours backend=cpu n-threads=1 ! shapejsonenc",
  "shapeoverlay n-threads=1 fill-opacity=0.5",
  EXTRAS,
  "cudacontours backend=cpu n-threads=1 ! shapezones tracks=overlap "
      "anchor=any relative=true zones=\"a: 0,0 .7,.1 .5,.9\" "
      "lines=\"m: 0,0 1,1\" ! shapeoverlay n-threads=1",
  "cudacontours backend=cpu n-threads=1 image-source=labels hierarchy=true",
  "cudacontours backend=cpu n-threads=1 image-source=labels outline=pixels "
      "background-label=-1 roi=2,1,9,0 max-area=20",
};

static const gchar *const formats[] = { "GRAY8", "RGBA", "RGB", "NV12", "I420",
  "GRAY16_LE", "Y444", "BGRx", "ARGB64", "GRAY16_BE"
};

/* Sizes near those of the caps, or anything. */
static gint
feed_size (Feed * feed, gint right)
{
  switch (feed_below (feed, 4)) {
    case 0:
      return feed_i32 (feed);
    case 1:
      return right + (gint8) feed_u8 (feed);
    default:
      return right;
  }
}

static void
add_meta (Feed * feed, GstBuffer * buffer, const GstVideoInfo * info)
{
  gsize offset[GST_VIDEO_MAX_PLANES] = { 0, };
  gint stride[GST_VIDEO_MAX_PLANES] = { 0, };
  guint n = GST_VIDEO_INFO_N_PLANES (info), i;

  for (i = 0; i < n; i++) {
    offset[i] = (gsize) (gint64) feed_size (feed,
        (gint) GST_VIDEO_INFO_PLANE_OFFSET (info, i));
    stride[i] = feed_size (feed, GST_VIDEO_INFO_PLANE_STRIDE (info, i));
  }
  gst_buffer_add_video_meta_full (buffer, GST_VIDEO_FRAME_FLAG_NONE,
      GST_VIDEO_INFO_FORMAT (info), GST_VIDEO_INFO_WIDTH (info),
      GST_VIDEO_INFO_HEIGHT (info), n, offset, stride);
}

/* Something to draw, for those who do not look for it themselves. */
static void
add_shapes (GstBuffer * buffer, const GstVideoInfo * info)
{
  static const GstShapeCircle circle = { 6.f, 5.f, 4.f, 0.f, 0xff8000ff, -1 };
  g_autoptr (GstShapeSet) set =
      gst_shape_set_new ((guint) GST_VIDEO_INFO_WIDTH (info),
      (guint) GST_VIDEO_INFO_HEIGHT (info));

  gst_shape_set_add_layer (set, gst_shape_layer_new_circles_copy (&circle, 1));
  gst_buffer_add_shape_meta (buffer, set);
}

static GstBuffer *
feed_frame (Feed * feed, const GstVideoInfo * info)
{
  GstBuffer *buffer = fuzz_buffer_new (feed, GST_VIDEO_INFO_SIZE (info));

  if (feed_below (feed, 2))
    add_meta (feed, buffer, info);
  if (feed_below (feed, 2))
    add_shapes (buffer, info);
  GST_BUFFER_PTS (buffer) = 0;
  return buffer;
}

static void
push_frames (Feed * feed, GstHarness * h, GstBus * bus,
    const GstVideoInfo * info)
{
  for (guint i = 0; i < MAX_FRAMES && feed->size > 0; i++)
    if (!fuzz_push (h, bus, feed_frame (feed, info)))
      return;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  const gchar *line = lines[feed_below (&feed, G_N_ELEMENTS (lines))];
  GstBus *bus;
  GstHarness *h = fuzz_harness_new (line, &bus);
  GstVideoInfo info;

  gst_video_info_set_format (&info, gst_video_format_from_string (formats
          [feed_below (&feed, G_N_ELEMENTS (formats))]),
      1 + feed_below (&feed, MAX_SIDE), 1 + feed_below (&feed, MAX_SIDE));
  info.fps_n = 10;
  gst_harness_set_src_caps (h, gst_video_info_to_caps (&info));
  if (!fuzz_has_failed (bus))
    push_frames (&feed, h, bus, &info);
  fuzz_harness_free (h, bus);
  return 0;
}
