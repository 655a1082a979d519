/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The base class, by an element that only counts. */

#include <gst/video/video.h>

#include <string.h>

#include "../lib/harness.h"
#include "../lib/suite.h"
#include "cuda/gstshapesdevice.h"
#include "element/gstshapestransform.h"

typedef struct
{
  GstShapesTransform parent;
  gboolean fail_open;
  guint n_opened, n_closed, n_buffers;
} TestTransform;

typedef struct
{
  GstShapesTransformClass parent_class;
} TestTransformClass;

static GType test_transform_get_type (void);
G_DEFINE_TYPE (TestTransform, test_transform, GST_TYPE_SHAPES_TRANSFORM);

static GstStaticPadTemplate sink_template = GST_STATIC_PAD_TEMPLATE ("sink",
    GST_PAD_SINK, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);
static GstStaticPadTemplate src_template = GST_STATIC_PAD_TEMPLATE ("src",
    GST_PAD_SRC, GST_PAD_ALWAYS, GST_STATIC_CAPS_ANY);

static gboolean
test_transform_open (GstShapesTransform * base, GError ** error)
{
  TestTransform *self = (TestTransform *) base;

  self->n_opened++;
  fail_unless (base->executor != NULL);
  fail_unless (base->slabs != NULL);
  if (self->fail_open)
    g_set_error (error, CS_ERROR, CS_ERROR_INVALID, "told to fail");
  return !self->fail_open;
}

static void
test_transform_close (GstShapesTransform * base)
{
  ((TestTransform *) base)->n_closed++;
}

static GstFlowReturn
test_transform_ip (GstBaseTransform * trans, GstBuffer * buffer)
{
  GstShapesTransform *base = GST_SHAPES_TRANSFORM (trans);

  if (!gst_shapes_transform_begin (base, buffer))
    return GST_FLOW_ERROR;
  fail_if (gst_shapes_transform_downstream_reads_device (base));
  ((TestTransform *) base)->n_buffers++;
  gst_shapes_transform_end (base);
  return GST_FLOW_OK;
}

static void
test_transform_class_init (TestTransformClass * klass)
{
  GstElementClass *element_class = GST_ELEMENT_CLASS (klass);

  gst_element_class_add_static_pad_template (element_class, &sink_template);
  gst_element_class_add_static_pad_template (element_class, &src_template);
  gst_element_class_set_static_metadata (element_class, "Test", "Test",
      "Counts", "The gst-cudashapes authors");
  GST_BASE_TRANSFORM_CLASS (klass)->transform_ip = test_transform_ip;
  GST_SHAPES_TRANSFORM_CLASS (klass)->open = test_transform_open;
  GST_SHAPES_TRANSFORM_CLASS (klass)->close = test_transform_close;
}

static void
test_transform_init (TestTransform * self)
{
}

static GstElement *
make (GstShapesBackend backend, GstBus ** bus)
{
  GstElement *element = g_object_new (test_transform_get_type (), "backend",
      backend, NULL);

  gst_object_ref_sink (element);
  *bus = gst_bus_new ();
  gst_element_set_bus (element, *bus);
  return element;
}

static void
drop (GstElement * element, GstBus * bus)
{
  gst_element_set_state (element, GST_STATE_NULL);
  gst_element_set_bus (element, NULL);
  gst_object_unref (bus);
  ASSERT_OBJECT_REFCOUNT (element, "element", 1);
  gst_object_unref (element);
}

static gint
active (GstElement * element)
{
  gint backend;

  g_object_get (element, "active-backend", &backend, NULL);
  return backend;
}

TEST (the_backend_is_known_from_paused_to_ready)
{
  GstBus *bus;
  GstElement *element = make (GST_SHAPES_BACKEND_CPU, &bus);
  TestTransform *self = (TestTransform *) element;

  fail_unless_equals_int (active (element), GST_SHAPES_BACKEND_AUTO);
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) !=
      GST_STATE_CHANGE_FAILURE);
  fail_unless_equals_int (active (element), GST_SHAPES_BACKEND_CPU);
  fail_unless_equals_int (self->n_opened, 1);
  gst_element_set_state (element, GST_STATE_READY);
  fail_unless_equals_int (active (element), GST_SHAPES_BACKEND_AUTO);
  fail_unless_equals_int (self->n_closed, 1);
  fail_unless (self->parent.executor == NULL);
  fail_unless (self->parent.slabs == NULL);
  drop (element, bus);
}

TEST (the_cpu_on_request_needs_no_explanation)
{
  GstBus *bus;
  GstElement *element = make (GST_SHAPES_BACKEND_CPU, &bus);

  gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
  drop (element, bus);
}

TEST (auto_says_why_it_takes_the_cpu)
{
  GstBus *bus;
  GstElement *element = make (GST_SHAPES_BACKEND_AUTO, &bus);
  const gchar *reason;

  if (gst_shapes_device_probe (&reason) == 0) {
    gst_element_set_state (element, GST_STATE_PAUSED);
    GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT);
    fail_unless (message != NULL);
    const GstStructure *structure = gst_message_get_structure (message);
    fail_unless (gst_structure_has_name (structure, "shapes-backend"));
    fail_unless_equals_string (gst_structure_get_string (structure, "backend"),
        "cpu");
    fail_unless_equals_string (gst_structure_get_string (structure, "reason"),
        reason);
    gst_message_unref (message);
    fail_unless (gst_bus_pop_filtered (bus, GST_MESSAGE_ELEMENT) == NULL);
    fail_unless_equals_int (active (element), GST_SHAPES_BACKEND_CPU);
  }
  drop (element, bus);
}

static void
assert_error (GstBus * bus, GQuark domain, gint code, const gchar * what)
{
  GstMessage *message = gst_bus_pop_filtered (bus, GST_MESSAGE_ERROR);
  g_autoptr (GError) error = NULL;

  fail_unless (message != NULL);
  gst_message_parse_error (message, &error, NULL);
  fail_unless (g_error_matches (error, domain, code), "%s", error->message);
  fail_unless (strstr (error->message, what) != NULL, "%s", error->message);
  gst_message_unref (message);
}

TEST (cuda_without_a_gpu_is_an_error_that_says_what_to_do)
{
  GstBus *bus;
  GstElement *element = make (GST_SHAPES_BACKEND_CUDA, &bus);

  if (gst_shapes_device_probe (NULL) == 0) {
    fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) ==
        GST_STATE_CHANGE_FAILURE);
    assert_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_NOT_FOUND,
        "Set backend=cpu");
  }
  drop (element, bus);
}

TEST (an_element_that_cannot_open_does_not_start)
{
  GstBus *bus;
  GstElement *element = make (GST_SHAPES_BACKEND_CPU, &bus);
  TestTransform *self = (TestTransform *) element;

  self->fail_open = TRUE;
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) ==
      GST_STATE_CHANGE_FAILURE);
  assert_error (bus, GST_LIBRARY_ERROR, GST_LIBRARY_ERROR_SETTINGS,
      "told to fail");
  fail_unless_equals_int (self->n_opened, self->n_closed);
  gst_element_set_state (element, GST_STATE_NULL);
  self->fail_open = FALSE;
  fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) !=
      GST_STATE_CHANGE_FAILURE);
  drop (element, bus);
}

TEST (every_start_has_its_stop)
{
  GstBus *bus;
  GstElement *element = make (GST_SHAPES_BACKEND_AUTO, &bus);
  TestTransform *self = (TestTransform *) element;

  for (guint i = 0; i < 100; i++) {
    fail_unless (gst_element_set_state (element, GST_STATE_PAUSED) !=
        GST_STATE_CHANGE_FAILURE);
    gst_element_set_state (element, i % 2 ? GST_STATE_READY : GST_STATE_NULL);
  }
  fail_unless_equals_int (self->n_opened, 100);
  fail_unless_equals_int (self->n_closed, 100);
  drop (element, bus);
}

TEST (n_threads_caps_the_executor)
{
  GstBus *bus;
  GstElement *element = make (GST_SHAPES_BACKEND_CPU, &bus);
  TestTransform *self = (TestTransform *) element;

  g_object_set (element, "n-threads", 3, NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless_equals_int (cs_executor_get_n_threads (self->parent.executor), 3);
  gst_element_set_state (element, GST_STATE_READY);
  g_object_set (element, "n-threads", 0, NULL);
  gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless (cs_executor_get_n_threads (self->parent.executor) >= 1);
  drop (element, bus);
}

TEST (foreign_contexts_are_ignored)
{
  GstBus *bus;
  GstElement *element = make (GST_SHAPES_BACKEND_CPU, &bus);
  GstContext *context = gst_context_new ("gst.cuda.context", FALSE);

  gst_element_set_context (element, context);
  gst_context_unref (context);
  gst_element_set_state (element, GST_STATE_PAUSED);
  fail_unless_equals_int (active (element), GST_SHAPES_BACKEND_CPU);
  drop (element, bus);
}

TEST (allocation_offers_shapes_and_leaves_video_to_downstream)
{
  g_autoptr (GstHarness) h = gst_harness_new_with_element (g_object_new
      (test_transform_get_type (), "backend", GST_SHAPES_BACKEND_CPU, NULL),
      "sink", "src");
  GstCaps *caps = gst_caps_from_string ("video/x-raw,format=GRAY8,width=4,"
      "height=4,framerate=0/1");
  g_autoptr (GstQuery) query = gst_query_new_allocation (caps, FALSE);

  gst_harness_set_src_caps (h, gst_caps_ref (caps));
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_SHAPE_META_API_TYPE,
          NULL));
  fail_if (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  gst_query_unref (query);

  gst_harness_add_propose_allocation_meta (h, GST_VIDEO_META_API_TYPE, NULL);
  query = gst_query_new_allocation (caps, FALSE);
  fail_unless (gst_pad_peer_query (h->srcpad, query));
  fail_unless (gst_query_find_allocation_meta (query, GST_VIDEO_META_API_TYPE,
          NULL));
  gst_caps_unref (caps);
}

TEST (buffers_of_any_caps_pass)
{
  g_autoptr (GstHarness) h = gst_harness_new_with_element (g_object_new
      (test_transform_get_type (), NULL), "sink", "src");
  TestTransform *self = (TestTransform *) h->element;

  gst_harness_set_src_caps_str (h, "test/caps");
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_new ()), GST_FLOW_OK);
  fail_unless_equals_int (gst_harness_push (h,
          gst_buffer_new_allocate (NULL, 10, NULL)), GST_FLOW_OK);
  fail_unless_equals_int (self->n_buffers, 2);
}

SUITE (backend) {}
