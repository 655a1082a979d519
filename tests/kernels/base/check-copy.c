/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies to a GPU and back by several threads, byte for byte.
 * check-copy-cuda: on a GPU. */
#include <stdio.h>

#include "check_copy.h"
#include "../lib/check.h"
#include "../lib/device.h"

int
main (void)
{
  Device device;

  if (!device_open (&device)) {
    printf ("skipped: no GPU\n");
    return EXIT_SKIPPED;
  }
  check_copies (device.stream, 20, 300000);
  check_frames (device.stream);
  check_busy (device.stream);
  device_close (&device);
  return finish ();
}
