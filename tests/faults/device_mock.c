/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include "mock.h"

/* What the CUDA mock tells, whoever makes the contexts. */

guint64
device_get_allowance (void)
{
  return 0;
}

guint
device_count_left (void)
{
  return cuda_mock_count_left ();
}

void
device_print_kernels (gboolean verbose)
{
  gchar **yes = cuda_mock_list_kernels (TRUE);
  gchar **no = cuda_mock_list_kernels (FALSE);

  g_print ("%u of %u kernels were launched\n", g_strv_length (yes),
      g_strv_length (yes) + g_strv_length (no));
  for (guint i = 0; verbose && no[i]; i++)
    g_print ("never: %s\n", no[i]);
  g_strfreev (yes);
  g_strfreev (no);
}
