/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What a window may send to fourierdraw's brush: presses, moves, releases,
 * scrolls and keys with any coordinates and numbers, in any order, between
 * frames. */

#include "fuzz_elements.h"

#include <gst/video/video.h>

#define MAX_EVENTS 64

static const gchar *const names[] = { "mouse-button-press", "mouse-move",
  "mouse-button-release", "mouse-scroll", "key-press", "key-release", "touch",
};

static const gchar *const keys[] = { "r", "c", "space", "Escape", "", "\x01" };

static GstStructure *
feed_structure (Feed * feed)
{
  const gchar *name = names[feed_below (feed, G_N_ELEMENTS (names))];
  GstStructure *s = gst_structure_new ("application/x-gst-navigation", "event",
      G_TYPE_STRING, name, NULL);

  if (g_str_has_prefix (name, "key"))
    gst_structure_set (s, "key", G_TYPE_STRING,
        keys[feed_below (feed, G_N_ELEMENTS (keys))], NULL);
  gst_structure_set (s, "pointer_x", G_TYPE_DOUBLE,
      (gdouble) feed_coordinate (feed), "pointer_y", G_TYPE_DOUBLE,
      (gdouble) feed_coordinate (feed), "button", G_TYPE_INT,
      feed_i32 (feed) % 4, "delta_pointer_x", G_TYPE_DOUBLE,
      (gdouble) feed_coordinate (feed), "delta_pointer_y", G_TYPE_DOUBLE,
      (gdouble) feed_coordinate (feed), NULL);
  return s;
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  GstBus *bus;
  GstHarness *h = fuzz_harness_new ("fourierdraw backend=cpu n-threads=1 "
      "mode=live brush-enabled=true duration=0.2 hold=0", &bus);

  gst_harness_set_src_caps_str (h, "video/x-raw,format=GRAY8,width=24,"
      "height=16,framerate=10/1");
  for (guint i = 0; i < MAX_EVENTS && feed.size > 0; i++)
    if (feed_below (&feed, 4)) {
      gst_harness_push_upstream_event (h,
          gst_event_new_navigation (feed_structure (&feed)));
    } else {
      GstBuffer *buffer = fuzz_buffer_new (&feed, 24 * 16);

      GST_BUFFER_PTS (buffer) = i * GST_SECOND / 10;
      if (!fuzz_push (h, bus, buffer))
        break;
    }
  fuzz_harness_free (h, bus);
  return 0;
}
