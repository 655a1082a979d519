/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* A foreign kernel fails in the context that an element shares: all later
 * launches fail. A separate program, since such an error is sticky. */
#include "gpu_test.h"

static const gchar fault_ptx[] =
    ".version 6.3\n"
    ".target sm_75\n"
    ".address_size 64\n"
    ".visible .entry fault ()\n" "{\n" "  trap;\n" "}\n";

static void
run_faulty_kernel (GstCudaContext * context)
{
  CUmodule module;
  CUfunction kernel;
  CUstream stream;

  fail_unless (gst_cuda_context_push (context));
  fail_unless_equals_int (CuModuleLoadData (&module, fault_ptx), CUDA_SUCCESS);
  fail_unless_equals_int (CuModuleGetFunction (&kernel, module, "fault"),
      CUDA_SUCCESS);
  fail_unless_equals_int (CuStreamCreate (&stream, 1), CUDA_SUCCESS);
  fail_unless_equals_int (CuLaunchKernel (kernel, 1, 1, 1, 1, 1, 1, 0, stream,
          NULL, NULL), CUDA_SUCCESS);
  fail_if (CuStreamSynchronize (stream) == CUDA_SUCCESS);
  gst_cuda_context_pop (NULL);
}

TEST (test_a_failed_launch_is_an_error_and_the_element_stops)
{
  CUcontext application = application_context_new ();
  GstCudaContext *wrapped = gst_cuda_context_new_wrapped (application, 0);
  g_autofree gchar *caps = video_caps ("", "GRAY8", 320, 240);
  g_autoptr (GstBuffer) buffer = video_noise (caps, 4);
  g_autoptr (GstShapeSet) expected = contours_of (NULL, "", caps, buffer);
  GstHarness *h = contours_on (wrapped, "");
  GstElement *element = find_contours (h);
  GstBus *bus = take_bus (h, "cudacontours");

  gst_harness_set_src_caps_str (h, caps);
  g_autoptr (GstShapeSet) set = set_of (h, buffer);
  run_faulty_kernel (wrapped);
  fail_unless_equals_int (gst_harness_push (h, gst_buffer_ref (buffer)),
      GST_FLOW_ERROR);
  assert_error (bus, GST_RESOURCE_ERROR, GST_RESOURCE_ERROR_FAILED);
  fail_unless_equals_int (gst_element_set_state (element, GST_STATE_NULL),
      GST_STATE_CHANGE_SUCCESS);
  gst_object_unref (bus);
  gst_object_unref (element);
  free_harness (h);
  gst_object_unref (wrapped);

  assert_same_sets (set, expected, "of before the fault");
  gst_shape_set_unref (set);
  CuCtxDestroy (application);
  set = contours_of (NULL, "", caps, buffer);
  assert_same_sets (set, expected, "on the CPU, after the fault");
}

GPU_SUITE (fault)
{
  tcase_set_timeout (tcase, 60);
}
