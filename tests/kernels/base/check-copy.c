/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Copies to a GPU and back by several threads, byte for byte.
 * check-copy [brief] */
#include <stdio.h>
#include <string.h>

#include "check_copy.h"
#include "../lib/check.h"
#include "../lib/device.h"

int
main (int argc, char **argv)
{
  const gboolean brief = argc > 1 && strcmp (argv[1], "brief") == 0;
  Device device;

  if (!device_open (&device)) {
    printf ("skipped: no GPU\n");
    return EXIT_SKIPPED;
  }
  check_copies (device.stream, brief ? 2 : 20, 300000);
  check_parts (device.stream);
  check_frames (device.stream);
  check_busy (device.stream);
  check_reached ();
  device_close (&device);
  return finish ();
}
