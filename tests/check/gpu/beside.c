/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The elements together with GStreamer's own CUDA elements: writes on any
 * stream are complete when the other reads. Each pipeline has two branches
 * from one tee of CUDA memory, one on the GPU and one downloaded first and on
 * the CPU; both must give the same. */
#include "gpu_pipelines.h"

#define N_FRAMES 60
/* large enough for a missing wait to show, and different in every frame */
#define SOURCE "videotestsrc num-buffers=60 pattern=smpte horizontal-speed=7 " \
  "! video/x-raw,format=I420,width=1920,height=1080 ! cudaupload "
#define CONVERTED(format) SOURCE "! cudaconvert ! video/x-raw(memory:" \
  "CUDAMemory),format=" format " "

static gboolean
have_cuda_elements (void)
{
  return has_element ("cudaupload") && has_element ("cudaconvert") &&
      has_element ("cudadownload");
}

/* How far the branches may be apart: the same shapes, the same bytes, or what
 * cudallf promises for its backends, one code in a thousandth of the samples,
 * which a conversion to RGB makes two. A frame read too early is far off. */
typedef enum
{
  SAME_SHAPES,
  SAME_BYTES,
  NEARLY_SAME_BYTES,
} Agreement;

static void
assert_same_data (GstBuffer * a, GstBuffer * b, Agreement agreement,
    const gchar * what, guint frame)
{
  const gint tolerance = agreement == SAME_BYTES ? 0 : 2;
  g_auto (GstBufferMapInfo) x = GST_MAP_INFO_INIT, y = GST_MAP_INFO_INIT;
  gsize n_different = 0;
  gint most = 0;

  fail_unless (gst_buffer_map (a, &x, GST_MAP_READ));
  fail_unless (gst_buffer_map (b, &y, GST_MAP_READ));
  fail_unless (x.size == y.size, "%s: frame %u has another size", what, frame);
  for (gsize i = 0; i < x.size; i++) {
    const gint difference = ABS (x.data[i] - y.data[i]);

    n_different += difference != 0;
    most = MAX (most, difference);
  }
  fail_unless (most <= tolerance && n_different <= x.size / 1000,
      "%s: in frame %u %" G_GSIZE_FORMAT " bytes differ, by up to %d", what,
      frame, n_different, most);
}

/* Runs @line, whose branches end in the appsinks a and b; they agree in every
 * frame. */
static void
assert_branches_agree (const gchar * line, Agreement agreement)
{
  g_autoptr (GstElement) pipeline = pipeline_on (test_context, line);
  GstBuffer *a;
  guint n;

  fail_if (gst_element_set_state (pipeline, GST_STATE_PLAYING) ==
      GST_STATE_CHANGE_FAILURE);
  for (n = 0; (a = pull_from (pipeline, "a")); n++) {
    g_autoptr (GstBuffer) b = pull_from (pipeline, "b");

    fail_unless (b != NULL);
    if (agreement == SAME_SHAPES) {
      fail_unless (n_contours (gst_buffer_get_shape_set (b)) > 0);
      assert_same_sets (gst_buffer_get_shape_set (a),
          gst_buffer_get_shape_set (b), line);
    } else {
      assert_same_data (a, b, agreement, line, n);
    }
    gst_buffer_unref (a);
  }
  fail_unless_equals_int (n, N_FRAMES);
  gst_element_set_state (pipeline, GST_STATE_NULL);
}

/* Paints with @element on both branches; followed by cudaconvert. */
static void
assert_painter_agrees (const gchar * source, const gchar * element,
    Agreement agreement)
{
  g_autofree gchar *line = g_strdup_printf ("%s ! tee name=t "
      "! queue ! %s backend=cuda ! cudaconvert "
      "! video/x-raw(memory:CUDAMemory),format=RGBA ! cudadownload "
      "! appsink name=a sync=false max-buffers=4 "
      "t. ! queue ! cudadownload ! %s backend=cpu ! cudaupload ! cudaconvert "
      "! video/x-raw(memory:CUDAMemory),format=RGBA ! cudadownload "
      "! appsink name=b sync=false max-buffers=4", source, element, element);

  assert_branches_agree (line, agreement);
}

TEST_TO_ADD (test_contours_behind_cudaupload_and_cudaconvert)
{
  assert_branches_agree (CONVERTED ("NV12") "! tee name=t "
      "! queue ! cudacontours backend=cuda levels=0.3,0.6 ! cudahull "
      "backend=cuda ! appsink name=a sync=false max-buffers=4 "
      "t. ! queue ! cudadownload ! cudacontours backend=cpu levels=0.3,0.6 "
      "! cudahull backend=cpu ! appsink name=b sync=false max-buffers=4", SAME_SHAPES);
}

TEST_TO_ADD (test_contours_behind_cudascale)
{
  assert_branches_agree (SOURCE "! cudascale ! video/x-raw(memory:CUDAMemory),"
      "width=1282,height=722 ! tee name=t "
      "! queue ! cudacontours backend=cuda ! appsink name=a sync=false "
      "max-buffers=4 t. ! queue ! cudadownload ! cudacontours backend=cpu "
      "! appsink name=b sync=false max-buffers=4", SAME_SHAPES);
}

TEST_TO_ADD (test_cudallf_between_cudaconverts)
{
  assert_painter_agrees (CONVERTED ("NV12"), "cudallf alpha=0.4",
      NEARLY_SAME_BYTES);
  assert_painter_agrees (CONVERTED ("BGRA"), "cudallf alpha=0.4",
      NEARLY_SAME_BYTES);
}

TEST_TO_ADD (test_cudacircles_between_cudaconverts)
{
  assert_painter_agrees (CONVERTED ("RGBA"), "cudacircles scene=rand10k",
      SAME_BYTES);
}

TEST_TO_ADD (test_overlay_of_contours_all_in_cuda_memory)
{
  /* the overlay takes the contours on the device */
  assert_branches_agree (CONVERTED ("RGBA") "! cudacontours backend=cuda "
      "! tee name=t ! queue ! shapeoverlay ! cudaconvert ! video/x-raw("
      "memory:CUDAMemory),format=NV12 ! cudacontours backend=cuda level=0.4 "
      "! appsink name=a sync=false max-buffers=4 "
      "t. ! queue ! shapeoverlay ! cudaconvert ! video/x-raw("
      "memory:CUDAMemory),format=NV12 ! cudadownload ! cudacontours "
      "backend=cpu level=0.4 ! appsink name=b sync=false max-buffers=4", SAME_SHAPES);
}

TEST_TO_ADD (test_system_memory_caps_may_carry_what_is_downloaded)
{
  assert_branches_agree (CONVERTED ("I420") "! cudadownload ! tee name=t "
      "! queue ! cudacontours backend=cuda ! appsink name=a sync=false "
      "max-buffers=4 t. ! queue ! cudacontours backend=cpu ! appsink name=b "
      "sync=false max-buffers=4", SAME_SHAPES);
}

static Suite *
beside_suite (void)
{
  Suite *s = suite_create ("gpu-beside");
  TCase *tc = tcase_create ("general");

  tcase_set_timeout (tc, 180);
  suite_add_tcase (s, tc);
  tcase_add_test (tc, test_contours_behind_cudaupload_and_cudaconvert);
  if (has_element ("cudascale"))
    tcase_add_test (tc, test_contours_behind_cudascale);
  tcase_add_test (tc, test_cudallf_between_cudaconverts);
  tcase_add_test (tc, test_cudacircles_between_cudaconverts);
  tcase_add_test (tc, test_overlay_of_contours_all_in_cuda_memory);
  tcase_add_test (tc, test_system_memory_caps_may_carry_what_is_downloaded);
  return s;
}

int
main (int argc, char **argv)
{
  gst_check_init (&argc, &argv);
  if (!have_cuda_elements ()) {
    g_print ("gpu-beside: skipped: no cudaupload, cudaconvert and cudadownload"
        "\n");
    return EXIT_SKIPPED;
  }
  return run_gpu_suite (beside_suite, "gpu-beside");
}
