/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* All elements, what they do with a stream, streams for them, and results. */

#include <gst/video/video.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define WIDTH 64
#define HEIGHT 48
#define SIZE (WIDTH * HEIGHT)
#define GRAY "video/x-raw,format=GRAY8,width=64,height=48,framerate=25/1"
#define NV12 "video/x-raw,format=NV12,width=64,height=48,framerate=25/1"
#define DEEP \
  "video/x-raw,format=ARGB64,width=64,height=48,framerate=25/1"
#define SHAPES "application/x-shapes"
#define LINES "application/x-ndjson"
#define TENSOR(type, dimensions) "other/tensors,format=static,num_tensors=1," \
  "types=" type ",dimensions=(string)" dimensions ",framerate=0/1"
#define POINTS TENSOR ("int32", "2:3:1:1")
#define MAP TENSOR ("uint8", "1:64:48:1")
/* YOLO-seg with a class, two prototypes of 4 x 4 and two candidates */
#define NETWORK "other/tensors,format=static,num_tensors=2," \
  "types=(string)\"float32,float32\"," \
  "dimensions=(string)\"2:7:1:1,4:4:2:1\",framerate=0/1"
#define FRAME (GST_SECOND / 25)

/**
 * Kind:
 * @TAKES_TEXT: its input is text, and a gap of it has nothing to be read
 * @COMBINES: buffers come out in a thread of its own
 * @PAINTS: it writes pixels, where they are if it may
 * @CONVERTS: it writes pixels to a frame of its own
 * @FINDS: it adds to a frame's metadata, and leaves its memory alone
 * @READS: it maps shapes of the input
 * @ENCODES: text comes out, which may number buffers
 * @VARIES: the result depends on the time that passes
 * @GAP_AS_IS: a frame that is a gap passes
 * @GAP_EMPTY: in a gap nothing is found
 * @NO_VIDEO, @NO_SHAPES: upstream is not told that this metadata is read
 */
typedef enum
{
  TAKES_TEXT = 1 << 0,
  COMBINES = 1 << 1,
  PAINTS = 1 << 2,
  FINDS = 1 << 3,
  READS = 1 << 4,
  ENCODES = 1 << 5,
  VARIES = 1 << 6,
  CONVERTS = 1 << 7,
  GAP_AS_IS = 1 << 8,
  GAP_EMPTY = 1 << 9,
  NO_VIDEO = 1 << 10,
  NO_SHAPES = 1 << 11,
} Kind;

/**
 * Element:
 * @line: the element and its properties
 * @caps: of the input
 * @changes: of properties, divided by |: each changes what comes out from the
 *   next buffer on, unless it begins with ~; with - it is only set and read
 * @animated: its properties that can be controlled, the first of them from 0 to
 *   1
 * @tensor: other caps that it takes, of 24 bytes
 */
typedef struct
{
  const gchar *line, *caps;
  Kind is;
  const gchar *changes, *animated, *tensor;
} Element;

#define DISC "circles=<[circle,x=20,y=20,r=9.5,color=(uint)0x80ff0000]>"
#define ENCODER "~source-id=a|max-shapes=1|"
#define POINTS_OF "points=none|points=simplified|~simplify=30.0"

static const Element elements[] = {
  {"cudacircles backend=cpu " DISC, GRAY, PAINTS,
        "opacity=0.5|antialias=false|stroke-width=3.0|fill=false|"
        "scene=rand10k|seed=9",
      "opacity antialias marker-color stroke-color stroke-width"},
  {"cudacircles backend=cpu background=black " DISC, GRAY, PAINTS},
  {"cudacontours backend=cpu", GRAY, FINDS | GAP_EMPTY,
        "level=0.8|~level=0.7|levels=0.1,0.2,0.3|min-points=200|min-points=0|"
        "min-area=2000.0|min-area=0.0|max-area=5.0|max-area=10000.0|"
        "~measures=full|~hierarchy=true|~hierarchy=false|measures-only=true|"
        "measures-only=false|~auto-level=true|~post-messages=true|"
        "roi=20,20,9,9|-channel=g|-layout=chw|-classes=3|-mask-location=m.pgm|"
        "-max-segments=5|-bit-depth=12",
        "level adaptive-offset max-area min-area min-points",
      TENSOR ("uint8", "1:6:4:1")},
  {"cudacontours backend=cpu post-messages=true hierarchy=true", GRAY,
      FINDS | GAP_EMPTY},
  {"cudacontours backend=cpu image-source=labels", MAP, FINDS | GAP_EMPTY,
        "outline=pixels|background-label=-1|background-label=200|"
        "background-label=0|~classes=200|classes=7|~hierarchy=true|classes=200,0|"
        "min-points=6|min-points=0|min-area=1000.0|min-area=0.0|max-area=800.0|"
        "max-area=10000.0|positive-orientation=high|~measures=full|"
        "measures-only=true|measures-only=false|roi=20,20,9,9|"
        "~post-messages=true|-fully-connected=high|-max-memory=5|-channel=g",
        "level adaptive-offset max-area min-area min-points",
      TENSOR ("int16", "1:4:3:1")},
  {"cudahull backend=cpu source=mask", GRAY, FINDS | GAP_EMPTY,
        "level=0.9|level=0.7|level-unit=sample|include-collinear=true|"
        "measures=full|~scope=all|source=contours|~post-messages=true|"
      "-source=points|-channel=g|-bit-depth=12", "level"},
  {"cudahull backend=cpu", GRAY, FINDS | READS,
      "~scope=per-class|scope=all|replace=true", NULL, POINTS},
  {"cudahull backend=cpu replace=true", GRAY, FINDS | READS},
  {"cudahull backend=cpu source=points", POINTS, FINDS | GAP_EMPTY},
  {"cudallf backend=cpu quality=sampled", GRAY, PAINTS | GAP_AS_IS,
        "sigma=0.1|alpha=0.25|beta=0.5|intensity-levels=5|curve=power|"
        "quality=exact|amount=0.5|amount=-1.0|amount=1.0|pyramid-levels=2|"
        "pyramid-levels=0|level-weights=<0.0,3.0>|~chroma=scale|alpha=1.5|"
        "curve=smooth|quality=fast|rank=3|rank=0|quality=high", "amount split"},
  {"cudallf backend=cpu quality=sampled chroma=scale", NV12,
      PAINTS | GAP_AS_IS},
  {"cudallf backend=cpu hdr=linear", DEEP, CONVERTS | NO_VIDEO},
  {"fourierdraw backend=cpu min-points=1 mode=live", GRAY, CONVERTS | VARIES,
        "~n-vectors=9|~arm-width=3.0|~draw-arm=false|~speed=2.0|~trail-width=9",
        "progress arm-color brush-color casing circle-color draw-arm "
        "draw-circles draw-tip fade-time ghost-color ghost-opacity "
        "gradient-color min-length min-points min-radius n-vectors speed tip-color "
        "tip-radius arm-width circle-width trail-width "
      "trail-color width-scale zoom"},
  {"fourierdraw backend=cpu min-points=1 mode=live background=frame", GRAY,
      CONVERTS | VARIES},
  {"fourierdraw backend=cpu min-points=1 mode=live ink-source=picture", GRAY,
      CONVERTS | VARIES},
  {"shapeanalytics", GRAY, FINDS | READS},
  {"shapecocoenc", GRAY, READS | ENCODES, "~file-name=a|~max-shapes=1|"
        "~points=none|~simplify=2.0|segmentation=rle"},
  {"shapecombiner", GRAY, COMBINES | NO_SHAPES, "~missing=last"},
  {"shapecsvenc", GRAY, READS | ENCODES, ENCODER "~formulas=true"},
  {"shapegeojsonenc", GRAY, READS | ENCODES, ENCODER POINTS_OF},
  {"shapejsondec", LINES, TAKES_TEXT, "~max-size=9000"},
  {"shapejsonenc", GRAY, READS | ENCODES, ENCODER POINTS_OF},
  {"shapejsonenc", SHAPES, READS | ENCODES},
  {"shapeoverlay backend=cpu label={id}", GRAY, PAINTS | READS,
        "line-width=3.0|opacity=0.5|fill-opacity=0.5|color-mode=fixed|"
        "color=0xff112233|draw-points=true|color-mode=class|"
        "colors=<(uint)0xff445566,(uint)0xff778899>|draw-contours=false",
        "opacity antialias casing casing-color color color-mode draw-circles "
        "draw-contours draw-ellipses draw-hulls draw-points draw-rectangles "
      "draw-roi draw-zones fill-hulls fill-opacity line-width"},
  {"shapeoverlay backend=cpu fill-opacity=0.5", GRAY, PAINTS | READS},
  {"shapestats backend=cpu", GRAY, FINDS | READS | GAP_AS_IS, "gray=false"},
  {"shapestats backend=cpu", MAP, FINDS | READS | GAP_AS_IS,
      "layout=chw|layout=hwc"},
  {"shapesvgenc", GRAY, READS | ENCODES, "max-shapes=1|" POINTS_OF},
  {"shapezones zones=\"a: 5,5 40,5 40,40\" tracks=overlap", GRAY,
        FINDS | READS | GAP_AS_IS | VARIES,
        "~anchor=any|~hysteresis=0.0|relative=true|relative=false|"
        "tracks=given|~kind=contour|~max-unseen=3|~post-messages=true|"
        "zones=1,1 2,1 2,2|~lines=1,1 2,2|~objects=shapes|"
      "-zones-location=z.geojson"},
  {"shapetensordec backend=cpu width=64 height=48 score=0.5", NETWORK,
        FINDS | GAP_AS_IS, "score=0.8|score=-1.0|iou=0.0|iou=1.0|"
        "~class-agnostic=true|max-objects=1|max-objects=2|width=60|height=44|"
        "stretched=true|~input-width=9|~input-height=9|outline-tolerance=3.0|"
        "boxes=true|min-area=1e6|~measures=full|~model=yolo|-model=sam|"
      "-labels-location=l.txt", "min-area iou score"},
};

/* Its name, to be freed. */
static inline gchar *
name_of (const Element * element)
{
  return g_strndup (element->line, strcspn (element->line, " "));
}

/* Elements that this build may not have: their tests are left out. */
static inline gboolean
is_there (const Element * element)
{
  g_autofree gchar *name = name_of (element);
  GstElementFactory *factory = gst_element_factory_find (name);
  const gboolean found = factory != NULL;

  if (!found)
    g_print ("left out: there is no %s\n", name);
  g_clear_pointer (&factory, gst_object_unref);
  return found;
}

/* Buffers */

/* Two triangles of different classes. */
static inline void
add_shapes (GstBuffer * buffer)
{
  static const GstShapePoint points[] = { {5, 5}, {50, 5}, {20, 40}, {5, 5},
  {52, 42}, {60, 20}, {62, 44}, {52, 42}
  };
  static const guint32 offsets[] = { 0, 4, 8 };
  const GstShapePolyline lines[] = {
    {.parent = -1,.flags = GST_SHAPE_FLAG_CLOSED},
    {.id = 1,.parent = -1,.class_id = 1,.flags = GST_SHAPE_FLAG_CLOSED}
  };
  g_autoptr (GstShapeSet) set = gst_shape_set_new (WIDTH, HEIGHT);

  gst_shape_set_add_layer (set, gst_shape_layer_new_polylines_copy (points, 8,
          offsets, lines, 2, NULL));
  gst_buffer_add_shape_meta (buffer, set);
}

/* A bright square with a shape, three points, or a line of text. */
static inline GstBuffer *
make_buffer (const Element * element, guint i)
{
  static const gchar line[] = "{\"version\":1,\"width\":64,"
      "\"height\":48,\"shapes\":[]}\n";
  static const gint32 points[] = { 0, 0, 5, 0, 0, 7 };
  /* boxes, a score, coefficients: a row each */
  static const gfloat network[14 + 32] = { 8, 9, 8, 9, 12, 12, 8, 6, .9, .7,
    1, .5, 0, 1, [14] = -1, -1, -1, -1, -1, 2, 3, -1, -1, 1, 2, 1, -1, -1, 1,
    -1, [30] = 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0
  };
  const gboolean text = element->is & TAKES_TEXT;
  GstBuffer *buffer = gst_buffer_new_allocate (NULL,
      text ? strlen (line) : 8 * SIZE, NULL);

  if (text) {
    gst_buffer_fill (buffer, 0, line, strlen (line));
  } else {
    gst_buffer_memset (buffer, 0, 0, -1);
    for (guint y = 12; y < 36; y++)
      gst_buffer_memset (buffer, y * WIDTH + 16, 200, 32);
    add_shapes (buffer);
    if (strcmp (element->caps, POINTS) == 0) {
      gst_buffer_fill (buffer, 0, points, sizeof (points));
      gst_buffer_set_size (buffer, sizeof (points));
    } else if (strcmp (element->caps, NETWORK) == 0) {
      gst_buffer_fill (buffer, 0, network, sizeof (network));
      gst_buffer_set_size (buffer, sizeof (network));
    } else if (strcmp (element->caps, DEEP) != 0) {
      gst_buffer_set_size (buffer, strcmp (element->caps, NV12) == 0 ?
          SIZE * 3 / 2 : SIZE);
    }
  }
  GST_BUFFER_PTS (buffer) = i * FRAME;
  GST_BUFFER_DURATION (buffer) = FRAME;
  return buffer;
}

/* Streams */

typedef struct
{
  GstHarness *h;
  GstBus *bus;
  GstElement *element;
} Stream;

/* Without caps. */
static inline Stream
open_stream (const Element * element)
{
  GstElement *bin = gst_parse_launch (element->line, NULL);
  Stream stream = {.bus = gst_bus_new () };

  fail_unless (bin != NULL, "%s", element->line);
  gst_object_ref_sink (bin);
  stream.h = gst_harness_new_with_element (bin,
      element->is & COMBINES ? "sink_video" : "sink", "src");
  stream.element = bin;
  gst_element_set_bus (bin, stream.bus);
  /* what a table is made for waits for it */
  gst_harness_set_live (stream.h, FALSE);
  if (element->is & COMBINES) {
    g_autoptr (GstPad) shapes = gst_element_get_static_pad (bin, "sink_shapes");

    /* no shapes will come */
    gst_pad_send_event (shapes, gst_event_new_stream_start ("shapes"));
    gst_pad_send_event (shapes, gst_event_new_eos ());
  }
  return stream;
}

static inline Stream
begin (const Element * element)
{
  Stream stream = open_stream (element);

  gst_harness_set_src_caps_str (stream.h, element->caps);
  return stream;
}

static inline void
end (Stream * stream)
{
  gst_element_set_bus (stream->element, NULL);
  gst_harness_teardown (stream->h);
  gst_object_unref (stream->element);
  gst_object_unref (stream->bus);
}

/* The next event of @type that comes out, of which the caller has a reference;
 * %NULL if there is none. */
static inline GstEvent *
take_event (Stream * stream, const Element * element, GstEventType type)
{
  GstEvent *event;

  while ((event = element->is & COMBINES ? gst_harness_pull_event (stream->h) :
          gst_harness_try_pull_event (stream->h))) {
    if (GST_EVENT_TYPE (event) == type)
      return event;
    gst_event_unref (event);
  }
  return NULL;
}

/* An event of @type comes out. */
static inline void
assert_event (Stream * stream, const Element * element, GstEventType type)
{
  g_autoptr (GstEvent) event = take_event (stream, element, type);

  fail_unless (event != NULL, "%s: no %s", element->line,
      gst_event_type_get_name (type));
}

/* Results: what is right is what a new element makes of the same buffer, with
 * the same properties from the start. */

/* The bytes, the shapes and the number of metadata that are not of the memory,
 * as text. */
static inline gchar *
text_of (GstBuffer * buffer)
{
  GstShapeSet *set = gst_buffer_get_shape_set (buffer);
  g_autofree gchar *shapes = set ? gst_shape_set_to_json (set, NULL) : NULL;
  gpointer state = NULL;
  GstMapInfo map;
  GstMeta *meta;
  guint n = 0;

  while ((meta = gst_buffer_iterate_meta (buffer, &state))) {
    n += !gst_meta_api_type_has_tag (meta->info->api,
        g_quark_from_static_string (GST_META_TAG_MEMORY_STR));
  }
  fail_unless (gst_buffer_map (buffer, &map, GST_MAP_READ));
  gchar *sum = g_compute_checksum_for_data (G_CHECKSUM_MD5, map.data, map.size);
  gchar *text = g_strdup_printf ("%u bytes %s, %u metadata, shapes %s",
      (guint) map.size, sum, n, shapes);
  gst_buffer_unmap (buffer, &map);
  g_free (sum);
  return text;
}

/* Sets "name=value", after ~ or -. */
static inline void
change (GstElement * element, const gchar * text)
{
  g_auto (GStrv) parts = g_strsplit (text + strspn (text, "~-"), "=", 2);

  gst_util_set_object_arg (G_OBJECT (element), parts[0], parts[1]);
}

/* What a new element, with the first @n of @changes, makes of @in, which stays
 * the caller's. */
static inline gchar *
fresh (const Element * element, const gchar * caps, gchar ** changes, guint n,
    GstBuffer * in)
{
  Stream stream = open_stream (element);

  for (guint i = 0; i < n; i++)
    if (*changes[i] != '-')
      change (stream.element, changes[i]);
  gst_harness_set_src_caps_str (stream.h, caps);
  GstBuffer *out = run (stream.h, gst_buffer_copy_deep (in));
  gchar *text = text_of (out);
  gst_buffer_unref (out);
  end (&stream);
  return text;
}

/* The result of @in, which it takes, is @want. */
static inline void
assert_result (Stream * stream, const Element * element, GstBuffer * in,
    const gchar * want, const gchar * what)
{
  g_autoptr (GstBuffer) out = run (stream->h, in);
  g_autofree gchar *text = text_of (out);

  fail_unless (element->is & VARIES || strcmp (text, want) == 0,
      "%s, %s: %s, not %s", element->line, what, text, want);
}

/* The text of the next error, which is @code of @domain. */
static inline gchar *
take_error (Stream * stream, const Element * element, GQuark domain, gint code)
{
  GstMessage *message = gst_bus_pop_filtered (stream->bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;
  g_autofree gchar *debug = NULL;

  fail_unless (message != NULL, "%s: no error", element->line);
  gst_message_parse_error (message, &error, &debug);
  fail_unless (g_error_matches (error, domain, code), "%s: %s, %d",
      element->line, error->message, error->code);
  gchar *text = g_strconcat (error->message, debug, NULL);
  gst_message_unref (message);
  return text;
}

#define ADD_ROW(test) ADD_LOOP (test, i, i + 1)
