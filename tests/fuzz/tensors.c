/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Tensors of all types, with valid, inconsistent or enormous dimensions, and
 * buffers of the caps' size or another. */

#include "fuzz_elements.h"

#define MAX_BUFFERS 3

/* caps alone make them reserve memory */
#define CONTOURS "cudacontours backend=cpu n-threads=1 max-memory=268435456"

static const gchar *const lines[] = {
  CONTOURS " level=0.3",
  CONTOURS " layout=chw levels=0.2,0.7",
  CONTOURS " layout=hwc hierarchy=true",
  "cudahull backend=cpu n-threads=1 measures=full",
  CONTOURS " ! cudahull backend=cpu n-threads=1",
  CONTOURS " image-source=labels measures=full",
  CONTOURS " image-source=labels outline=pixels background-label=-1 "
      "positive-orientation=high classes=0,1,5",
};

static const struct
{
  const gchar *name;
  guint size;
} types[] = {
  {"uint8", 1}, {"int8", 1}, {"uint16", 2}, {"int16", 2}, {"int32", 4},
  {"uint32", 4}, {"float32", 4}, {"float64", 8}, {"float16", 2}, {"int64", 8},
  {"uint64", 8},
};

static guint32
feed_dimension (Feed * feed)
{
  return feed_below (feed, 16) == 0 ? feed_u32 (feed) : feed_below (feed, 20);
}

/* Values of which some are not numbers. */
static void
fill (Feed * feed, GstBuffer * buffer)
{
  GstMapInfo map;

  if (!gst_buffer_map (buffer, &map, GST_MAP_WRITE))
    return;
  feed_bytes (feed, map.data, MIN (map.size, 64));
  gst_buffer_unmap (buffer, &map);
}

int
LLVMFuzzerTestOneInput (const uint8_t * data, size_t size)
{
  Feed feed = { data, size };
  const gchar *line = lines[feed_below (&feed, G_N_ELEMENTS (lines))];
  const guint type = feed_below (&feed, G_N_ELEMENTS (types));
  guint32 d[4];
  gsize right = types[type].size;
  GstBus *bus;
  GstHarness *h = fuzz_harness_new (line, &bus);
  gchar *caps;
  guint i;

  for (i = 0; i < 4; i++) {
    d[i] = i < 3 ? feed_dimension (&feed) : 1;
    right = MIN (right * (gsize) d[i], 65536);
  }
  caps = g_strdup_printf ("other/tensors,format=static,num_tensors=%u,types=%s,"
      "dimensions=%u:%u:%u:%u,framerate=0/1", 1 + (feed_below (&feed, 8) == 0),
      types[type].name, d[0], d[1], d[2], d[3]);
  gst_harness_set_src_caps_str (h, caps);
  g_free (caps);
  for (i = 0; i < MAX_BUFFERS && feed.size > 0 && !fuzz_has_failed (bus); i++) {
    GstBuffer *buffer = fuzz_buffer_new (&feed, right);

    fill (&feed, buffer);
    if (!fuzz_push (h, bus, buffer))
      break;
  }
  fuzz_harness_free (h, bus);
  return 0;
}
