/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "gstshapesdevice.h"

#if defined (HAVE_GSTCUDA) && !defined (CS_OWN_DRIVER)
#include "gstshapescompat.h"
#elif defined (HAVE_CUDA)
#include "gstshapesdriver.h"
#endif
#ifdef HAVE_CUDA
#include <cuda_runtime_api.h>
#endif

typedef struct
{
  guint n_devices;
  gboolean driver_is_old;
  gchar *reason;
} Probe;

#ifdef HAVE_CUDA

static const gchar *
error_name (CUresult result)
{
  const gchar *name = NULL;

  if (CuGetErrorName (result, &name) != CUDA_SUCCESS || !name)
    return "unknown error";
  return name;
}

static void
query_driver (Probe * probe)
{
  const gchar *missing = gst_shapes_cuda_load ();
  int n = 0, version = 0;

  if (missing) {
    probe->reason = g_strdup_printf ("no NVIDIA driver (%s)", missing);
    return;
  }
  CUresult result = CuInit (0);
  if (result != CUDA_SUCCESS) {
    probe->reason = g_strdup_printf ("the NVIDIA driver does not start "
        "(cuInit: error %d, %s)", (int) result, error_name (result));
    return;
  }
  result = CuDeviceGetCount (&n);
  if (result != CUDA_SUCCESS) {
    probe->reason = g_strdup_printf ("the NVIDIA driver cannot list its GPUs "
        "(cuDeviceGetCount: error %d, %s)", (int) result, error_name (result));
    return;
  }
  if (n <= 0) {
    probe->reason = g_strdup ("the NVIDIA driver lists no GPU (is "
        "CUDA_VISIBLE_DEVICES empty?)");
    return;
  }
  CuDriverGetVersion (&version);
  if (version / 1000 < CUDART_VERSION / 1000) {
    probe->driver_is_old = TRUE;
    probe->reason = g_strdup_printf ("the NVIDIA driver is for CUDA %d.%d, "
        "and this build is for %d: install a driver for CUDA %d.0 or later",
        version / 1000, version % 1000 / 10, CUDART_VERSION / 1000,
        CUDART_VERSION / 1000);
    return;
  }
  probe->n_devices = n;
  probe->reason = g_strdup_printf ("%d GPU%s, driver for CUDA %d.%d", n,
      n == 1 ? "" : "s", version / 1000, version % 1000 / 10);
}

#else

static void
query_driver (Probe * probe)
{
  probe->reason = g_strdup ("this build has no CUDA backend");
}

#endif

static gpointer
probe_once (gpointer unused)
{
  static Probe probe;

  query_driver (&probe);
  return &probe;
}

static const Probe *
get_probe (void)
{
  static GOnce once = G_ONCE_INIT;

  return g_once (&once, probe_once, NULL);
}

guint
gst_shapes_device_probe (const gchar ** reason)
{
  const Probe *probe = get_probe ();

  if (reason)
    *reason = probe->reason;
  return probe->n_devices;
}

gboolean
gst_shapes_device_driver_is_old (void)
{
  return get_probe ()->driver_is_old;
}
