/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* shapetensordec on tensors that video frames carry: the polygons are those of
 * the same tensors as a stream of their own. */

#include <gst/analytics/analytics.h>
#include <gst/video/video.h>

#include "../lib/streams.h"
#include "shapes/gstshapes.h"

#define WIDTH 64
#define HEIGHT 48
#define LINE "shapetensordec backend=cpu boxes=true "
#define VIDEO "video/x-raw,format=GRAY8,width=64,height=48,framerate=0/1"
#define NETWORK "other/tensors,format=static,num_tensors=2," \
  "types=(string)\"float32,float32\"," \
  "dimensions=(string)\"2:7:1:1,4:4:2:1\",framerate=0/1"

/* YOLO-seg: boxes, scores and coefficients of two candidates, a row each */
static const gfloat objects[14] = { 8, 9, 8, 9, 12, 12, 8, 6, .9, .7, 1, .5, 0,
  1
};
static const gfloat prototypes[32] = { -1, -1, -1, -1, -1, 2, 3, -1, -1, 1, 2,
  1, -1, -1, 1, -1, 0, 1, 0, 0, 1, 1, 0, 0, 0, 1, 2, 0, 0, 0, 0, 0
};

static GstTensor *
make_tensor (const gchar * id, GstTensorDataType type, gconstpointer values,
    gsize size, GstTensorDimOrder order, gsize n, gsize * dims)
{
  GstTensor *tensor = gst_tensor_alloc (n);

  tensor->id = id ? g_quark_from_string (id) : 0;
  tensor->data_type = type;
  tensor->dims_order = order;
  tensor->data = gst_buffer_new_memdup (values, size);
  memcpy (tensor->dims, dims, n * sizeof (*dims));
  return tensor;
}

static GstTensor *
make_objects (const gchar * id, GstTensorDimOrder order)
{
  gsize dims[] = { 1, 7, 2 };

  return make_tensor (id, GST_TENSOR_DATA_TYPE_FLOAT32, objects,
      sizeof (objects), order, 3, dims);
}

static GstTensor *
make_prototypes (const gchar * id, GstTensorDimOrder order)
{
  gsize dims[] = { 1, 2, 4, 4 };

  return make_tensor (id, GST_TENSOR_DATA_TYPE_FLOAT32, prototypes,
      sizeof (prototypes), order, 4, dims);
}

static GstTensor *
make_image (void)
{
  gsize dims[] = { 4, 4 };

  return make_tensor ("image", GST_TENSOR_DATA_TYPE_UINT8, prototypes, 16,
      GST_TENSOR_DIM_ORDER_ROW_MAJOR, 2, dims);
}

static GstBuffer *
make_frame (void)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, WIDTH * HEIGHT, NULL);

  gst_buffer_memset (buffer, 0, 0, -1);
  return buffer;
}

/* A meta of @n tensors, which it takes. */
static void
attach (GstBuffer * buffer, GstTensor ** tensors, guint n)
{
  GstTensor **own = g_new (GstTensor *, n);

  memcpy (own, tensors, n * sizeof (*own));
  gst_tensor_meta_set (gst_buffer_add_tensor_meta (buffer), n, own);
}

/* The shapes that @line makes of @buffer, as text; "" without any. */
static gchar *
shapes_of (const gchar * line, const gchar * caps, GstBuffer * buffer)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (line);

  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstBuffer) out = run (h, buffer);
  GstShapeSet *set = gst_buffer_get_shape_set (out);
  return set ? gst_shape_set_to_json (set, NULL) : g_strdup ("");
}

static gchar *
expected (void)
{
  GstBuffer *buffer = gst_buffer_new_memdup (objects, sizeof (objects));

  gst_buffer_append_memory (buffer, gst_memory_new_wrapped
      (GST_MEMORY_FLAG_READONLY, (gpointer) prototypes, sizeof (prototypes), 0,
          sizeof (prototypes), NULL, NULL));
  gchar *text = shapes_of (LINE "width=64 height=48", NETWORK, buffer);
  fail_unless (strstr (text, "\"confidence\"") != NULL, "%s", text);
  return text;
}

static void
assert_expected (GstBuffer * buffer, const gchar * what)
{
  g_autofree gchar *want = expected ();
  g_autofree gchar *got = shapes_of (LINE, VIDEO, buffer);

  fail_unless (strcmp (got, want) == 0, "%s: %s, not %s", what, got, want);
}

/* Before 1.28 a buffer has one meta. */
static gboolean
buffers_have_several_metas (void)
{
  guint major, minor, micro, nano;

  gst_version (&major, &minor, &micro, &nano);
  return minor >= 28;
}

TEST (polygons_are_those_of_a_stream_of_tensors)
{
  for (guint i = 0; i < 8; i++) {
    const GstTensorDimOrder order = i & 1 ? GST_TENSOR_DIM_ORDER_COL_MAJOR :
        GST_TENSOR_DIM_ORDER_ROW_MAJOR;
    g_autofree gchar *what = g_strdup_printf ("case %u", i);
    GstBuffer *buffer = make_frame ();
    /* without an id, in another order */
    GstTensor *a = make_objects (i & 2 ? "detections" : NULL, order);
    GstTensor *b = make_prototypes (i & 2 ? "protos" : NULL, order);
    GstTensor *both[] = { i & 4 ? b : a, i & 4 ? a : b };

    attach (buffer, both, 2);
    assert_expected (buffer, what);
  }
}

TEST (other_tensors_are_somebody_else_s)
{
  GstTensor *all[] = { make_image (), make_objects ("a",
        GST_TENSOR_DIM_ORDER_ROW_MAJOR), make_image (),
    make_prototypes ("b", GST_TENSOR_DIM_ORDER_COL_MAJOR)
  };
  GstBuffer *buffer = make_frame ();

  attach (buffer, all, 4);
  assert_expected (buffer, "images beside");
}

TEST (tensors_may_be_in_a_meta_each)
{
  if (!buffers_have_several_metas ())
    return;
  GstTensor *image = make_image ();
  GstTensor *a = make_objects ("a", GST_TENSOR_DIM_ORDER_ROW_MAJOR);
  GstTensor *b = make_prototypes ("b", GST_TENSOR_DIM_ORDER_ROW_MAJOR);
  GstBuffer *buffer = make_frame ();

  attach (buffer, &image, 1);
  attach (buffer, &a, 1);
  attach (buffer, &b, 1);
  assert_expected (buffer, "a meta each");
}

TEST (frames_with_images_only_pass_with_one_warning)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (LINE);
  g_autoptr (GstBus) bus = take_bus (h, "shapetensordec");

  gst_harness_set_src_caps_str (h, VIDEO);
  for (guint i = 0; i < 3; i++) {
    GstTensor *image = make_image ();
    GstBuffer *buffer = make_frame ();

    attach (buffer, &image, 1);
    g_autoptr (GstBuffer) out = run (h, buffer);
    fail_unless (gst_buffer_get_shape_meta (out) == NULL);
    if (i == 0)
      assert_message (bus, GST_MESSAGE_WARNING, "carry no tensors");
  }
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_WARNING |
          GST_MESSAGE_ERROR) == NULL);
}

TEST (a_frame_with_a_short_tensor_is_dropped)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (LINE);
  g_autoptr (GstBus) bus = take_bus (h, "shapetensordec");
  guint64 dropped;

  gst_harness_set_src_caps_str (h, VIDEO);
  for (guint i = 0; i < 2; i++) {
    GstTensor *both[] = { make_objects ("a", GST_TENSOR_DIM_ORDER_ROW_MAJOR),
      make_prototypes ("b", GST_TENSOR_DIM_ORDER_ROW_MAJOR)
    };
    GstBuffer *buffer = make_frame ();

    if (i == 0)
      gst_buffer_set_size (both[1]->data, sizeof (prototypes) - 1);
    attach (buffer, both, 2);
    fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_OK);
    GstBuffer *out = gst_harness_try_pull (h);
    fail_unless ((out != NULL) == (i == 1));
    gst_clear_buffer (&out);
  }
  assert_message (bus, GST_MESSAGE_WARNING, "too short");
  gst_harness_get (h, "shapetensordec", "dropped", &dropped, NULL);
  fail_unless_equals_uint64 (dropped, 1);
}

/* The frame @buffer is an error that says @what. */
static void
assert_error (GstBuffer * buffer, const gchar * what)
{
  g_autoptr (GstHarness) h = gst_harness_new_parse (LINE);
  g_autoptr (GstBus) bus = take_bus (h, "shapetensordec");

  gst_harness_set_src_caps_str (h, VIDEO);
  fail_unless_equals_int (gst_harness_push (h, buffer), GST_FLOW_ERROR);
  assert_message (bus, GST_MESSAGE_ERROR, what);
}

TEST (tensors_of_no_network_are_named)
{
  gsize many[] = { 2, 2, 2, 2, 2, 2, 2, 2, 2 };
  GstTensor *a = make_objects ("odd", GST_TENSOR_DIM_ORDER_ROW_MAJOR);
  GstTensor *b = make_tensor ("deep", GST_TENSOR_DATA_TYPE_FLOAT32, objects,
      sizeof (objects), GST_TENSOR_DIM_ORDER_ROW_MAJOR, 9, many);
  GstBuffer *one = make_frame (), *other = make_frame ();

  attach (one, &a, 1);
  assert_error (one, "there are odd float32 [7, 2]");
  attach (other, &b, 1);
  assert_error (other, "\"deep\" has too many dimensions");
}

/* Upstream's decoders take their own tensors, and ours has to be named. The bin
 * keeps caps for ever, so not where leaks are looked for. */
TEST (tensordecodebin_may_be_beside)
{
  GstElementFactory *factory = gst_element_factory_find ("tensordecodebin");
  const gboolean found = factory != NULL;

  gst_clear_object (&factory);
  if (!found || g_getenv ("GST_TRACERS"))
    return;
  GstElementFactory *own = gst_element_factory_find ("shapetensordec");
  fail_unless_equals_int (gst_plugin_feature_get_rank (GST_PLUGIN_FEATURE
          (own)), GST_RANK_NONE);
  gst_object_unref (own);
  g_autofree gchar *want = expected ();
  for (guint i = 0; i < 2; i++) {
    GstTensor *both[] = { make_objects ("a", GST_TENSOR_DIM_ORDER_ROW_MAJOR),
      make_prototypes ("b", GST_TENSOR_DIM_ORDER_ROW_MAJOR)
    };
    GstBuffer *buffer = make_frame ();

    attach (buffer, both, 2);
    g_autofree gchar *got = shapes_of (i ? "tensordecodebin ! " LINE : LINE
        "! tensordecodebin", VIDEO, buffer);
    fail_unless (strcmp (got, want) == 0, "%s, not %s", got, want);
  }
}

SUITE (tensordec_meta) {}
