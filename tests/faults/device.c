/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include <gmodule.h>

#ifndef GST_USE_UNSTABLE_API
#define GST_USE_UNSTABLE_API
#endif
#include <gst/cuda/cuda-gst.h>
#include <gst/cuda/gstcudacontext.h>
#include <gst/cuda/gstcudaloader.h>
#include <gst/cuda/gstcudautils.h>

#ifdef CUDA_MOCK
#include "mock.h"
#endif

static GstCudaContext *context;

gboolean
device_open (void)
{
  int n = 0;

  if (gst_cuda_load_library () && CuInit (0) == CUDA_SUCCESS &&
      CuDeviceGetCount (&n) == CUDA_SUCCESS && n > 0)
    context = gst_cuda_context_new (0);
  if (!context)
    g_printerr ("no CUDA context: is there a GPU, and its driver?\n");
  return context != NULL;
}

void
device_close (void)
{
  gst_clear_object (&context);
}

void
device_share (GstElement * pipeline)
{
  if (!context)
    return;
  GstContext *shared = gst_context_new_cuda_context (context);
  gst_element_set_context (pipeline, shared);
  gst_context_unref (shared);
}

#ifdef CUDA_MOCK

guint64
device_get_used (void)
{
  return context ? cuda_mock_count_live () : 0;
}

#else

/* libgstcuda has no function for it. */
static CUresult (*get_info) (size_t * unused, size_t * total);

guint64
device_get_used (void)
{
  size_t left = 0, total = 0;
  GModule *driver;

  if (!context)
    return 0;
  if (!get_info) {
    /* stays open */
    driver = g_module_open ("libcuda.so.1", G_MODULE_BIND_LAZY);
    if (!driver || !g_module_symbol (driver, "cuMemGetInfo_v2",
            (gpointer *) & get_info))
      g_error ("the driver cannot tell how much memory is in use: %s",
          g_module_error ());
  }
  if (!gst_cuda_context_push (context) ||
      get_info (&left, &total) != CUDA_SUCCESS)
    g_error ("the GPU does not tell how much memory is in use");
  gst_cuda_context_pop (NULL);
  return total - left;
}

/* The runtime's own pool keeps what was freed, in pieces of 32 MiB. */
guint64
device_get_allowance (void)
{
  return G_GUINT64_CONSTANT (64) << 20;
}

guint
device_count_left (void)
{
  return 0;
}

void
device_print_kernels (gboolean verbose)
{
}

#endif
