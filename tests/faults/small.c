/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Small sets of points in host memory: beside a GPU backend=auto finds their
 * hulls on the CPU, which is sooner done, and backend=cuda on the GPU. On the
 * mock of CUDA, which counts launches; what it computes is nothing, so that
 * results tell the same. */

#include <math.h>

#include <gst/gst.h>

#include "base/fault.h"
#include "shapes/gstshapes.h"
#include "mock.h"

/* From docs/benchmarks-hull.md, not from the kernel's header. */
#define SMALL 16384
#define SMALL_DENSE 4096

typedef enum
{
  DISK,                         /* hardly any survives filtering */
  CIRCLE,                       /* nearly all do */
} Points;

static guint n_problems;

gboolean
cs_fault_hook (CsFault fault, const char *file, int line)
{
  return FALSE;
}

static void
check (gboolean holds, const gchar * name, const gchar * what)
{
  if (holds)
    return;
  n_problems++;
  g_printerr ("FAILED: %s: %s\n", name, what);
}

static GstBuffer *
new_points (Points kind, guint n)
{
  GstBuffer *buffer = gst_buffer_new_allocate (NULL, n * 2 * sizeof (gfloat),
      NULL);
  GstMapInfo map;

  gst_buffer_map (buffer, &map, GST_MAP_WRITE);
  gfloat *xy = (gfloat *) map.data;
  for (guint i = 0; i < n; i++) {
    /* the golden ratio spreads both evenly */
    const gdouble angle = 2.399963229728653 * i;
    const gdouble r = kind == CIRCLE ? 1. : sqrt ((i + .5) / n);

    xy[2 * i] = r * cos (angle);
    xy[2 * i + 1] = r * sin (angle);
  }
  gst_buffer_unmap (buffer, &map);
  return buffer;
}

/* An element without a pipeline, and what its last buffer gave. */
typedef struct
{
  GstElement *hull, *out;
  GstPad *sink;
  guint n_hulls;
} Run;

static GstPadProbeReturn
count_hulls (GstPad * pad, GstPadProbeInfo * info, gpointer data)
{
  GstShapeSet *set =
      gst_buffer_get_shape_set (GST_PAD_PROBE_INFO_BUFFER (info));
  Run *run = data;

  for (guint i = 0; set && i < gst_shape_set_get_n_layers (set); i++)
    run->n_hulls +=
        gst_shape_layer_get_n_shapes (gst_shape_set_get_layer (set, i));
  return GST_PAD_PROBE_OK;
}

static void
run_init (Run * run, const gchar * backend)
{
  run->hull = gst_element_factory_make ("cudahull", NULL);
  run->out = gst_element_factory_make ("fakesink", NULL);
  g_object_set (run->out, "sync", FALSE, "async", FALSE, NULL);
  gst_util_set_object_arg (G_OBJECT (run->hull), "backend", backend);
  gst_element_link (run->hull, run->out);
  run->sink = gst_element_get_static_pad (run->hull, "sink");
  GstPad *src = gst_element_get_static_pad (run->hull, "src");
  gst_pad_add_probe (src, GST_PAD_PROBE_TYPE_BUFFER, count_hulls, run, NULL);
  gst_object_unref (src);
  gst_element_set_state (run->out, GST_STATE_PLAYING);
  gst_element_set_state (run->hull, GST_STATE_PLAYING);
  gst_pad_send_event (run->sink, gst_event_new_stream_start ("points"));
}

static void
run_clear (Run * run)
{
  gst_element_set_state (run->hull, GST_STATE_NULL);
  gst_element_set_state (run->out, GST_STATE_NULL);
  gst_object_unref (run->sink);
  gst_object_unref (run->hull);
  gst_object_unref (run->out);
}

/* One buffer of @n points, whose hull the GPU finds, or the CPU. */
static void
check_points (Run * run, Points kind, guint n, gboolean on_gpu,
    const gchar * name)
{
  g_autofree gchar *text = g_strdup_printf ("other/tensors,format=static,"
      "num_tensors=(int)1,types=(string)float32,dimensions=(string)2:%u:1:1,"
      "framerate=(fraction)0/1", n);
  g_autoptr (GstCaps) caps = gst_caps_from_string (text);
  GstSegment segment;

  gst_pad_send_event (run->sink, gst_event_new_caps (caps));
  gst_segment_init (&segment, GST_FORMAT_TIME);
  gst_pad_send_event (run->sink, gst_event_new_segment (&segment));
  run->n_hulls = 0;
  guint before = cuda_mock_count_launches ();
  gst_pad_chain (run->sink, new_points (kind, n));
  const gboolean launched = cuda_mock_count_launches () > before;
  check (launched == on_gpu, name, on_gpu ? "no kernel was launched" :
      "kernels were launched");
  check (on_gpu || run->n_hulls == 1, name, "there is no hull");
}

static gboolean
is_on_gpu (GstElement * hull)
{
  GValue active = G_VALUE_INIT;

  g_object_get_property (G_OBJECT (hull), "active-backend", &active);
  GEnumClass *values = g_type_class_ref (G_VALUE_TYPE (&active));
  gboolean is_cuda = g_str_equal (g_enum_get_value (values,
          g_value_get_enum (&active))->value_nick, "cuda");
  g_type_class_unref (values);
  g_value_unset (&active);
  return is_cuda;
}

/* Checks */

static void
check_auto (void)
{
  Run run;

  run_init (&run, "auto");
  check (is_on_gpu (run.hull), "auto", "active-backend is not cuda");
  check_points (&run, DISK, 100, FALSE, "auto, 100 points");
  check_points (&run, DISK, SMALL, FALSE, "auto, small");
  check_points (&run, DISK, SMALL + 1, TRUE, "auto, larger");
  check_points (&run, DISK, SMALL, FALSE, "auto, small again");
  run_clear (&run);
}

static void
check_dense (void)
{
  Run run;

  run_init (&run, "auto");
  check_points (&run, CIRCLE, SMALL, FALSE, "first circle");
  check_points (&run, CIRCLE, SMALL_DENSE + 1, TRUE, "second circle");
  check_points (&run, CIRCLE, SMALL_DENSE, FALSE, "small circle");
  check_points (&run, CIRCLE, SMALL_DENSE + 1, TRUE, "third circle");
  check_points (&run, DISK, SMALL_DENSE, FALSE, "small disk");
  check_points (&run, DISK, SMALL, FALSE, "disk after a disk");
  run_clear (&run);
}

static void
check_forced (void)
{
  Run run;

  run_init (&run, "cuda");
  check_points (&run, DISK, 100, TRUE, "backend=cuda, 100 points");
  run_clear (&run);
}

/* The same for arrays. */
static void
check_engine (const gchar * backend, guint n, gboolean on_gpu)
{
  g_autofree gchar *name = g_strdup_printf ("engine %s, %u points", backend, n);
  g_autoptr (GstShapeEngine) engine = gst_shape_engine_new (backend, -1, NULL);
  const guint before = cuda_mock_count_launches ();
  g_autoptr (GstBuffer) points = new_points (DISK, n);
  GstMapInfo map;

  gst_buffer_map (points, &map, GST_MAP_READ);
  GstShapeResult *result = gst_shape_engine_convex_hull (engine, map.data,
      GST_SHAPE_NUMBER_F32, n, 0, GST_SHAPE_HULL_NONE, NULL);
  check (g_str_equal (gst_shape_engine_get_active_backend (engine), "cuda"),
      name, "its backend is not cuda");
  check ((cuda_mock_count_launches () > before) == on_gpu, name, on_gpu ?
      "no kernel was launched" : "kernels were launched");
  if (!on_gpu)
    check (result && gst_shape_result_get_arrays (result)->n_shapes == 1, name,
        "there is no hull");
  g_clear_pointer (&result, gst_shape_result_unref);
  gst_buffer_unmap (points, &map);
}

int
main (int argc, char **argv)
{
  gst_init (&argc, &argv);
  check_auto ();
  check_dense ();
  check_forced ();
  check_engine ("auto", SMALL, FALSE);
  check_engine ("auto", SMALL + 1, TRUE);
  check_engine ("cuda", 100, TRUE);
  g_print ("%u problems\n", n_problems);
  return n_problems > 0;
}
