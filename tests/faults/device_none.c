/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

/* This build has no CUDA backend, or one that cannot be asked on a GPU. */

gboolean
device_open (void)
{
  g_printerr ("faults of the CUDA backend need a build with -Dcuda=enabled, "
      "and libgstcuda or -Dcuda-mock=true\n");
  return FALSE;
}

void
device_close (void)
{
}

void
device_share (GstElement * pipeline)
{
}

guint64
device_get_used (void)
{
  return 0;
}

guint64
device_get_allowance (void)
{
  return 0;
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
