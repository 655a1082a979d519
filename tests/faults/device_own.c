/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include "mock.h"

/* Without libgstcuda an application has no context to share: that of the plugin
 * begins and ends with its pipelines. On the CUDA mock only. */

static gboolean is_open;

gboolean
device_open (void)
{
  is_open = TRUE;
  return TRUE;
}

void
device_close (void)
{
  is_open = FALSE;
}

void
device_share (GstElement * pipeline)
{
}

guint64
device_get_used (void)
{
  return is_open ? cuda_mock_count_live () : 0;
}
