/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A libcuda.so.1 that lacks nearly everything, as that of a driver much older
 * than libgstcuda or this plugin does. */

__attribute__ ((visibility ("default")))
int cuInit (unsigned flags);

int
cuInit (unsigned flags)
{
  return 0;
}
