/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The pipelines in which faults are injected: each element in each of its ways,
 * with few and small frames. */

#include "cases.h"

#include <string.h>

#include <glib/gstdio.h>

#include "shapes/gstshapes.h"

#define SOURCE(format) "videotestsrc num-buffers=2 pattern=ball ! " \
    "video/x-raw,format=" format ",width=48,height=32 ! "
#define NOISE "videotestsrc num-buffers=2 pattern=snow ! " \
    "video/x-raw,format=GRAY8,width=48,height=32 ! "
#define COMPUTE "name=x backend=BACKEND n-threads=3 "
#define LINES " ! shapejsonenc name=json ! fakesink name=out sync=false"
/* Memory of another element's own, not of the proposed pool. */
#define PAGEABLE "identity drop-allocation=true ! "
#define FRAMES " ! fakesink name=out sync=false"
#ifdef HAVE_GSTCUDA
#define DEVICE_FRAMES "video/x-raw(memory:CUDAMemory),"
#else
/* there is no CUDA memory */
#define DEVICE_FRAMES "video/x-raw,"
#endif
/* Frames in the memory of a GPU, the first element's that can make them. */
#define ON_DEVICE(format) SOURCE (format) "fourierdraw backend=BACKEND " \
    "mode=live background=frame ! " DEVICE_FRAMES "format=" format " ! "

static void
add_probe (GstElement * pipeline, const gchar * element, const gchar * name,
    GstPadProbeCallback callback, gpointer user_data)
{
  g_autoptr (GstElement) x = gst_bin_get_by_name (GST_BIN (pipeline), element);
  g_autoptr (GstPad) pad = gst_element_get_static_pad (x, name);

  gst_pad_add_probe (pad, GST_PAD_PROBE_TYPE_BUFFER, callback, user_data, NULL);
}

/* Attaches @layer, the application's, to the buffer of @info. Takes it. */
static void
attach_layer (GstPadProbeInfo * info, GstShapeLayer * layer)
{
  g_autoptr (GstShapeSet) set = gst_shape_set_new (48, 32);

  gst_shape_set_add_layer (set, layer);
  info->data = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  gst_buffer_add_shape_meta (info->data, set);
}

/* Circles that are not in order of depth on every frame. */
static GstPadProbeReturn
add_circles (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  static const GstShapeCircle circles[] = {
    {10.f, 12.f, 5.f, 1.f, 0xff0000ff, -1},
    {20.f, 14.f, 7.f, 3.f, 0x00ff0080, -1},
    {15.f, 15.f, 9.f, 2.f, 0x0000ffc0, -1},
  };
  GstShapeLayer *layer;

  fault_pause (TRUE);
  layer = gst_shape_layer_new_circles_copy (circles, G_N_ELEMENTS (circles));
  fault_pause (FALSE);
  attach_layer (info, layer);
  return GST_PAD_PROBE_OK;
}

static void
with_circles (GstElement * pipeline)
{
  add_probe (pipeline, "x", "sink", add_circles, NULL);
}

/* Two open contours on every frame. */
static GstPadProbeReturn
add_contours (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  static const guint32 offsets[] = { 0, 12, 24 };
  const GstShapePolyline lines[2] = { {.id = 0,.parent = -1},
  {.id = 1,.parent = -1}
  };
  GstShapePoint points[24];

  for (guint i = 0; i < G_N_ELEMENTS (points); i++) {
    points[i].x = 4.f + 3.f * (i % 12);
    points[i].y = 8.f + 12.f * (i / 12) + 4.f * (i & 1);
  }
  fault_pause (TRUE);
  GstShapeLayer *layer = gst_shape_layer_new_polylines_copy (points,
      G_N_ELEMENTS (points), offsets, lines, G_N_ELEMENTS (lines), NULL);
  fault_pause (FALSE);
  attach_layer (info, layer);
  return GST_PAD_PROBE_OK;
}

static void
with_contours (GstElement * pipeline)
{
  add_probe (pipeline, "x", "sink", add_contours, NULL);
}

/* Boxes, a score, coefficients of two candidates, a row each; two prototypes. */
static GstPadProbeReturn
make_network (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  static const gfloat network[14 + 32] = { 8, 9, 8, 9, 12, 12, 8, 6, .9, .7,
    1, .5, 0, 1, [14] = -1, -1, -1, -1, -1, 2, 3, -1, -1, 1, 2, 1, -1, -1, 1,
    -1, [30] = 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0
  };

  info->data = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  gst_buffer_fill (info->data, 0, network, sizeof (network));
  gst_buffer_set_size (info->data, sizeof (network));
  return GST_PAD_PROBE_OK;
}

static void
with_network (GstElement * pipeline)
{
  add_probe (pipeline, "x", "sink", make_network, NULL);
}

/* Serialises, sends and deserialises. After a failure the frame has no shapes,
 * and the run an error. */
static GstPadProbeReturn
copy_shapes (GstPad * pad, GstPadProbeInfo * info, gpointer pipeline)
{
  GstBuffer *buffer = GST_PAD_PROBE_INFO_BUFFER (info);
  GstShapeSet *set = gst_buffer_get_shape_set (buffer), *copy = NULL;
  GError *error = NULL;
  GBytes *bytes = set ? gst_shape_set_serialize (set, &error) : NULL;

  if (bytes) {
    gsize size;
    const guint8 *data = g_bytes_get_data (bytes, &size);

    copy = gst_shape_set_deserialize (data, size, &error);
    g_bytes_unref (bytes);
  }
  if (!copy) {
    GST_ELEMENT_ERROR (pipeline, RESOURCE, FAILED, ("%s", error->message),
        (NULL));
    g_clear_error (&error);
    return GST_PAD_PROBE_DROP;
  }
  gst_shape_set_unref (copy);
  return GST_PAD_PROBE_OK;
}

static void
with_copies (GstElement * pipeline)
{
  add_probe (pipeline, "json", "sink", copy_shapes, pipeline);
}

/* The mouse erases something once the first frame is there. */
static GstPadProbeReturn
press_button (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  gst_pad_send_event (pad,
      gst_event_new_navigation (gst_structure_new
          ("application/x-gst-navigation", "event", G_TYPE_STRING,
              "mouse-button-press", "button", G_TYPE_INT, 1, "pointer_x",
              G_TYPE_DOUBLE, 20., "pointer_y", G_TYPE_DOUBLE, 10., NULL)));
  return GST_PAD_PROBE_REMOVE;
}

static void
with_brush (GstElement * pipeline)
{
  with_contours (pipeline);
  add_probe (pipeline, "x", "src", press_button, NULL);
}

/* A number of the application's on every frame, which lines have as a tag. */
static GstPadProbeReturn
add_tag (GstPad * pad, GstPadProbeInfo * info, gpointer user_data)
{
  static const gchar *no_tags[] = { NULL };

  if (!gst_meta_get_info ("faults"))
    gst_meta_register_custom ("faults", no_tags, NULL, NULL, NULL);
  info->data = gst_buffer_make_writable (GST_PAD_PROBE_INFO_BUFFER (info));
  GstCustomMeta *meta = gst_buffer_add_custom_meta (info->data, "faults");
  gst_structure_set (gst_custom_meta_get_structure (meta), "id", G_TYPE_INT, 7,
      NULL);
  return GST_PAD_PROBE_OK;
}

static void
with_tags (GstElement * pipeline)
{
  add_probe (pipeline, "json", "sink", add_tag, NULL);
}

/* Points in floats of any value. */
#define POINTS "videotestsrc num-buffers=2 pattern=snow ! video/x-raw," \
    "format=GRAY8,width=48,height=32 ! capssetter join=false replace=true " \
    "caps=\"other/tensors,format=(string)static,num_tensors=(int)1," \
    "dimensions=(string)2:192:1:1,types=(string)float32," \
    "framerate=(fraction)30/1\" ! "
/* A frame and its line; without that it is dropped, too. */
#define COMBINED(format) "videotestsrc num-buffers=1 pattern=ball ! " \
    "video/x-raw,format=" format ",width=48,height=32 ! c.sink_video filesrc " \
    "location=EXTRAS blocksize=256 ! shapejsondec name=x ! c.sink_shapes " \
    "shapecombiner name=c missing=drop"
#define TENSOR_OF(dimensions) "videotestsrc num-buffers=2 ! " \
    "video/x-raw,format=RGB,width=48,height=32 ! capssetter join=false " \
    "replace=true caps=\"other/tensors,format=(string)static," \
    "num_tensors=(int)1,dimensions=(string)" dimensions "," \
    "types=(string)uint8,framerate=(fraction)30/1\" ! "
#define TENSOR TENSOR_OF ("3:48:32:1")
/* Of a YOLO-seg */
#define NETWORK "videotestsrc num-buffers=2 ! video/x-raw,format=GRAY8," \
    "width=48,height=32 ! capssetter join=false replace=true " \
    "caps=\"other/tensors,format=(string)static,num_tensors=(int)2," \
    "types=(string)\\\"float32,float32\\\",dimensions=(string)" \
    "\\\"2:7:1:1,4:4:2:1\\\",framerate=(fraction)30/1\" ! "
/* Four images of different content */
#define BATCH TENSOR_OF ("3:48:8:4")

static const Case templates[] = {
  {"contours", SOURCE ("GRAY8") "cudacontours " COMPUTE
        "levels=0.3,0.6 hierarchy=true" LINES, "x"},
  {"contours-pageable", SOURCE ("GRAY8") PAGEABLE "cudacontours " COMPUTE
        LINES, "x"},
  {"contours-rgb", SOURCE ("RGB") "cudacontours " COMPUTE
        "channel=g auto-level=true min-area=2" LINES, "x"},
  {"contours-mask", SOURCE ("GRAY8") "cudacontours " COMPUTE
        "mask-location=MASK" LINES, "x"},
  {"contours-border", SOURCE ("GRAY8") "cudacontours " COMPUTE
        "close-at-border=true mask-location=MASK" LINES, "x"},
  /* a ball within the picture: its border is in a band also for a mock that
   * finds no contours */
  {"contours-bands", "videotestsrc num-buffers=2 pattern=ball ! video/x-raw,"
        "format=GRAY8,width=64,height=48 ! cudacontours " COMPUTE
        "bands=true levels=-0.1,0.3,0.6" LINES, "x"},
  {"contours-noise", NOISE "cudacontours " COMPUTE LINES, "x"},
  {"contours-tensor", TENSOR "cudacontours " COMPUTE "level=100" LINES, "x"},
  {"contours-batch", BATCH "cudacontours " COMPUTE "level=100" LINES, "x"},
  {"contours-batch-groups", BATCH PAGEABLE "cudacontours " COMPUTE
        "level=100 max-segments=8 class-groups=a=0+2 close-at-border=true"
        LINES, "x"},
  {"contours-groups", TENSOR "cudacontours " COMPUTE "level=100 "
        "class-groups=a=0+2,b=1..2 class-min-area=a:3" LINES, "x"},
  {"contours-exclusive", TENSOR "cudacontours " COMPUTE "exclusive=true "
        "class-groups=a=0+2" LINES, "x"},
  {"contours-otsu", TENSOR "cudacontours " COMPUTE "level-method=otsu "
        "close-at-border=true" LINES, "x"},
  {"contours-adaptive", SOURCE ("GRAY8") "cudacontours " COMPUTE
        "level-method=adaptive adaptive-window=7 "
        "roi=\"0,0,20,20;20,4,20,16\" mask-location=MASK" LINES, "x"},
  {"hull-contours", NOISE "cudacontours backend=BACKEND ! cudahull name=x "
        "backend=BACKEND n-threads=3 measures=full" LINES, "x"},
  {"hull-mask", SOURCE ("GRAY8") "cudahull " COMPUTE "source=mask" LINES, "x"},
  {"hull-extras", NOISE "cudacontours backend=BACKEND ! cudahull " COMPUTE
        "ellipse=true defects=true indices=true" LINES, "x"},
  {"hull-annotations", SOURCE ("GRAY8") "cudacontours backend=BACKEND "
        "roi=\"0,0,20,20;20,4,20,16\" ! cudahull " COMPUTE "replace=true"
        LINES, "x"},
  {"hull-images", SOURCE ("GRAY8") "cudacontours backend=BACKEND "
        "levels=0.3,0.6 ! cudahull " COMPUTE "scope=all" LINES, "x",
      with_contours},
  {"hull-points", POINTS "cudahull " COMPUTE "source=points" LINES, "x"},
  /* on the CPU, beside the GPU */
  {"hull-auto", POINTS "cudahull name=x backend=auto n-threads=3 "
        "source=points" LINES, "x", NULL, TRUE},
  {"hull-file", SOURCE ("GRAY8") "cudahull " COMPUTE
        "location=DOTS indices=true" LINES, "x"},
  {"json-simplified", NOISE "cudacontours backend=BACKEND ! shapejsonenc name=json "
        "points=simplified ! fakesink name=out sync=false"},
  {"geojson", NOISE "cudacontours backend=BACKEND hierarchy=true ! "
        "shapegeojsonenc name=x points=simplified ! fakesink name=out "
        "sync=false", "x"},
  {"svg", NOISE "cudacontours backend=BACKEND hierarchy=true ! shapesvgenc "
        "name=x ! fakesink name=out sync=false", "x"},
  {"csv", NOISE "cudacontours backend=BACKEND measures=full ! shapecsvenc "
        "name=x ! fakesink name=out sync=false", "x"},
#ifdef HAVE_ANALYTICS
  {"analytics", NOISE "cudacontours backend=BACKEND ! shapeanalytics mask=true "
        "max-boxes=20" FRAMES},
  {"contours-regions", NOISE "cudacontours backend=BACKEND ! shapeanalytics "
        "mask=true max-boxes=3 ! cudacontours image-source=segmentation "
        COMPUTE LINES, "x"},
#endif
  {"zones", NOISE "cudacontours backend=BACKEND ! shapezones tracks=overlap "
        "anchor=any zones=\"a: 2,2 20,2 20,20; b: 9,9 30,9 30,30 9,30\" "
        "lines=\"m: 16,0 16,99\" ! shapeoverlay backend=BACKEND"
        FRAMES},
  {"coco", NOISE "cudacontours backend=BACKEND hierarchy=true "
        "labels-location=LABELS ! shapecocoenc name=x ! "
        "fakesink name=out sync=false", "x", NULL, .is_document = TRUE},
  {"json-tags", NOISE "cudacontours backend=BACKEND" LINES, NULL, with_tags},
  {"stats", SOURCE ("GRAY8") "cudacontours backend=BACKEND levels=0.3,0.6 "
        "hierarchy=true ! shapestats " COMPUTE LINES, "x"},
  /* the mock of CUDA finds no shapes */
  {"stats-host", SOURCE ("RGBA") "cudacontours backend=cpu hierarchy=true ! "
        "shapestats " COMPUTE "lab=true" LINES, "x"},
  {"stats-lab", SOURCE ("RGBA") "cudacontours backend=BACKEND hierarchy=true ! "
        "cudahull backend=BACKEND ! shapestats " COMPUTE "lab=true" LINES, "x"},
  {"stats-device", ON_DEVICE ("RGBA") "shapestats " COMPUTE "lab=true" LINES,
      "x", with_contours, TRUE},
  {"stats-tensor", TENSOR "cudacontours backend=cpu level=100 ! shapestats "
        COMPUTE LINES, "x"},
  {"contours-labels", TENSOR "cudacontours " COMPUTE "level=100 "
        "labels-location=LABELS" LINES, "x"},
  {"label-picture", SOURCE ("GRAY8") "cudacontours " COMPUTE
        "image-source=labels hierarchy=true" LINES, "x"},
  {"label-picture-swapped", SOURCE ("GRAY16_BE") "cudacontours " COMPUTE
        "image-source=labels max-area=20 roi=\"0,0,20,20;20,4,20,16\"" LINES,
      "x"},
  {"label-tensor", TENSOR_OF ("144:32:1:1") "cudacontours " COMPUTE
        "image-source=labels outline=pixels measures=full "
        "labels-location=LABELS" LINES, "x"},
  {"tensordec", NETWORK "shapetensordec " COMPUTE "width=48 height=32 "
        "boxes=true measures=full labels-location=LABELS" LINES, "x", with_network},
  {"combiner", COMBINED ("GRAY8") LINES, "x"},
  {"combiner-overlay", COMBINED ("NV12") " ! shapeoverlay name=o "
        "backend=BACKEND n-threads=3 color-mode=class label=\"{name} {area}\" "
        "legend=bottom-right draw-ellipses=true draw-rectangles=true" FRAMES,
      "x"},
  {"json-read-extras", "filesrc location=EXTRAS blocksize=256 ! shapejsondec "
        "name=x" LINES, "x"},
  {"json-read", "filesrc location=JSON blocksize=64 ! shapejsondec name=x" FRAMES,
        "x"},
  {"serialize", NOISE "cudacontours backend=BACKEND" LINES, NULL, with_copies},
  {"llf", SOURCE ("GRAY8") "cudallf " COMPUTE "quality=fast" FRAMES, "x"},
  {"llf-pageable", SOURCE ("GRAY8") PAGEABLE "cudallf " COMPUTE
        "quality=fast" FRAMES, "x"},
  {"llf-sampled", SOURCE ("NV12") "cudallf " COMPUTE
        "quality=sampled chroma=scale" FRAMES, "x"},
  {"llf-exact", SOURCE ("RGBA") "cudallf " COMPUTE "quality=exact" FRAMES, "x"},
  {"llf-gray16", SOURCE ("GRAY16_LE") "cudallf " COMPUTE "quality=sampled"
        FRAMES, "x"},
  {"llf-i420", SOURCE ("I420") "cudallf " COMPUTE "quality=fast chroma=scale"
        FRAMES, "x"},
  {"llf-p010", SOURCE ("P010_10LE") "cudallf " COMPUTE "quality=exact" FRAMES,
        "x"},
  {"llf-distances", SOURCE ("RGB") "cudallf " COMPUTE
        "color-remapping=rgb-distance quality=fast" FRAMES, "x"},
  {"llf-distances-exact", SOURCE ("RGBx") "cudallf " COMPUTE
        "color-remapping=rgb-distance quality=exact" FRAMES, "x"},
  {"llf-hdr", SOURCE ("ARGB64") "cudallf " COMPUTE "hdr=linear quality=sampled"
        FRAMES, "x"},
  {"llf-rgb", SOURCE ("RGB") "cudallf " COMPUTE "quality=sampled" FRAMES, "x"},
  {"circles-scene", SOURCE ("RGBA") "cudacircles " COMPUTE
        "scene=rgby blend=linear" FRAMES},
  {"circles-pageable", SOURCE ("RGBA") PAGEABLE "cudacircles " COMPUTE
        "scene=rgby" FRAMES},
  {"circles-animated", SOURCE ("NV12") "cudacircles " COMPUTE
        "scene=bouncingballs" FRAMES},
  {"circles-file", SOURCE ("RGBA") "cudacircles " COMPUTE
        "location=CIRCLES" FRAMES},
  {"circles-markers", SOURCE ("GRAY8") "cudacontours backend=BACKEND ! "
        "cudacircles " COMPUTE "from-contours=enclosing" FRAMES},
  {"overlay", SOURCE ("GRAY8") "cudacontours backend=BACKEND ! shapeoverlay "
        COMPUTE "fill-opacity=0.5 draw-points=true" FRAMES, "x"},
  {"overlay-labels", SOURCE ("RGBA") "cudacontours backend=BACKEND ! "
        "shapeoverlay " COMPUTE "label={id} legend=top-left casing=1" FRAMES,
        "x"},
  {"overlay-fills", SOURCE ("NV12") "cudacontours backend=BACKEND ! shapeoverlay "
        COMPUTE "line-width=0 fill-opacity=1" FRAMES, "x"},
  {"overlay-circles", SOURCE ("RGBA") "shapeoverlay " COMPUTE FRAMES,
        "x", with_circles},
  {"fourier-canny", "videotestsrc num-buffers=1 pattern=ball ! "
        "video/x-raw,format=RGBA,width=48,height=32,framerate=0/1 ! fourierdraw "
        COMPUTE "duration=0.3 hold=0.1 ! video/x-raw,framerate=10/1" FRAMES},
  {"fourier-iso", "videotestsrc num-buffers=1 pattern=ball ! "
        "video/x-raw,format=GRAY8,width=48,height=32,framerate=0/1 ! "
        "fourierdraw " COMPUTE "detect=iso path-mode=per-contour duration=0.3 "
        "hold=0.1 background=white ! video/x-raw,framerate=10/1" FRAMES},
  {"fourier-live", SOURCE ("GRAY8") "cudacontours backend=BACKEND ! fourierdraw "
        COMPUTE "mode=live duration=1 exclude=\"5,5 9,9\"" FRAMES, "x"},
  {"fourier-svg", "videotestsrc num-buffers=1 ! "
        "video/x-raw,format=GRAY8,width=48,height=32,framerate=0/1 ! "
        "fourierdraw " COMPUTE "svg-location=DRAWING mode=still" FRAMES},
  {"fourier-device", ON_DEVICE ("NV12") "fourierdraw " COMPUTE
        "background=frame duration=0.3 hold=0.1 ! "
        DEVICE_FRAMES "framerate=10/1" FRAMES, "x", with_contours, TRUE, 4},
  {"fourier-device-brush", ON_DEVICE ("RGBA") "fourierdraw " COMPUTE
        "camera=follow-tip trail=fade brush-enabled=true path-mode=per-contour "
        "duration=0.3 hold=0.1 ! "
        DEVICE_FRAMES "framerate=10/1" FRAMES, "x", with_brush, TRUE, 4},
  {"fourier-device-detect", ON_DEVICE ("RGBA") "fourierdraw " COMPUTE
        "detect=iso duration=0.1 hold=0.1 ! "
        DEVICE_FRAMES "framerate=10/1" FRAMES, "x", NULL, TRUE, 2},
  {"fourier-device-live", ON_DEVICE ("RGBA") "fourierdraw " COMPUTE
        "mode=live background=frame duration=0.01 hold=0 ! "
        DEVICE_FRAMES "width=48" FRAMES, "x", with_contours, TRUE},
};

static Case cases[G_N_ELEMENTS (templates)];
static gchar *folder;

/* Files that pipelines read; a placeholder in capitals is for their path. */
static struct
{
  const gchar *placeholder, *name;
  gchar *path;
} files[] = {
  {"CIRCLES", "circles.txt", NULL},
  {"MASK", "mask.pgm", NULL},
  {"JSON", "shapes.jsonl", NULL},
  {"EXTRAS", "extras.jsonl", NULL},
  {"LABELS", "labels.txt", NULL},
  {"DOTS", "dots.csv", NULL},
  {"DRAWING", "drawing.svg", NULL},
};

static void
write_file (const gchar * placeholder, const gchar * text, gssize size)
{
  guint i;

  for (i = 0; !g_str_equal (files[i].placeholder, placeholder);)
    i++;
  files[i].path = g_build_filename (folder, files[i].name, NULL);
  g_file_set_contents (files[i].path, text, size, NULL);
}

/* A line with all that shapes may have, each kind more often than there is room
 * for at first. */
static void
append_line (GString * lines)
{
  guint i, k;

  g_string_append (lines, "{\"pts\":0,\"width\":48,\"height\":32,"
      "\"source\":\"camera\",\"tags\":{\"metas\":{\"faults\":{\"id\":3}}},"
      "\"shapes\":[");
  for (i = 0; i < 20; i++) {
    g_string_append_printf (lines, "%s{\"kind\":\"hull\",\"id\":%u,\"class\":%u,"
        "\"class-name\":\"ripe %u\",\"area\":%u,\"closed\":true,"
        "\"feret\":[2,9],\"confidence\":0.5,\"enclosing-ellipse\":{\"center\":"
        "[20,12],\"axes\":[8,5],\"angle\":30},\"indices\":[0,1,2,3],"
        "\"statistics\":{\"gray\":{\"pixels\":3,\"mean\":5}},\"defects\":[",
        i > 0 ? "," : "", i, i, i, i);
    for (k = 0; k < 2; k++)
      g_string_append_printf (lines, "%s{\"start\":[1,2],\"end\":[5,2],"
          "\"farthest\":[3,%u],\"depth\":1}", k > 0 ? "," : "", k);
    g_string_append_printf (lines, "],\"points\":[[%u,4],[%u,20],[40,25],"
        "[%u,4]]}", i, i + 9, i);
  }
  g_string_append (lines, "]}\n");
}

static void
write_files (void)
{
  static const gchar header[] = "P5 48 32 255\n";
  gchar mask[sizeof (header) - 1 + 48 * 32];
  g_autoptr (GString) text = g_string_new (NULL);

  folder = g_dir_make_tmp ("faults-XXXXXX", NULL);
  write_file ("CIRCLES", "10 10 5 0 #ff0000ff\n20 15 8 1 #00ff0080\n", -1);
  write_file ("JSON", "{\"shapes\":[{\"kind\":\"circle\",\"r\":3}]}\n"
      "{\"shapes\":[{\"kind\":\"contour\",\"points\":[[1,2],[3,4]]},"
      "{\"kind\":\"hull\",\"feret\":[1,2]}]}", -1);
  memset (mask, 255, sizeof (mask));
  memcpy (mask, header, sizeof (header) - 1);
  write_file ("MASK", mask, sizeof (mask));
  write_file ("LABELS", "stem\nripe\nunripe\n", -1);
  append_line (text);
  write_file ("EXTRAS", text->str, -1);
  g_string_assign (text, "x,y\n");
  for (guint i = 0; i < 40; i++)
    g_string_append_printf (text, "%u,%u.5\n", i * 7 % 40, i * i % 31);
  write_file ("DOTS", text->str, -1);
  write_file ("DRAWING", "<svg viewBox='0 0 48 32'><style>.a > rect, #b {"
      "fill: red }</style><clipPath id='c'><circle cx='24' cy='16' r='12'/>"
      "</clipPath><g class='a' clip-path='url(#c)'><rect id='r' x='2' y='9' "
      "width='44' height='9' style='opacity:1'/></g><use href='#r' x='3'/>"
      "</svg>", -1);
}

static gchar *
fill_in (const gchar * line, const gchar * backend)
{
  GString *filled = g_string_new (line);

  g_string_replace (filled, "BACKEND", backend, 0);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++)
    g_string_replace (filled, files[i].placeholder, files[i].path, 0);
  return g_string_free (filled, FALSE);
}

guint
cases_init (const gchar * backend)
{
  const gboolean cuda = strcmp (backend, "cuda") == 0;
  guint i, n = 0;

  write_files ();
  for (i = 0; i < G_N_ELEMENTS (templates); i++) {
    if (templates[i].needs_device && !cuda)
      continue;
    cases[n] = templates[i];
    cases[n++].line = fill_in (templates[i].line, backend);
  }
  return n;
}

const Case *
cases_get (guint i)
{
  return &cases[i];
}

void
cases_clear (void)
{
  for (guint i = 0; i < G_N_ELEMENTS (cases); i++)
    g_free ((gchar *) cases[i].line);
  for (guint i = 0; i < G_N_ELEMENTS (files); i++) {
    g_unlink (files[i].path);
    g_free (files[i].path);
  }
  g_rmdir (folder);
  g_free (folder);
}
