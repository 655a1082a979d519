/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_raster.h"

#include <stdio.h>

#include "../lib/check.h"
#include "raster/raster_private.h"

void
check_taken (gint forced)
{
  const CsRasterPaths *n = &cs_raster_cuda_paths;
  const struct
  {
    const char *name;
    gint n;
    gboolean is_due;
  } ways[] = {
    {"directly", n->direct, forced != CS_DIRECT_NEVER},
    {"directly, without room", n->failed, forced == CS_DIRECT_ALWAYS},
    {"as discs", n->lean, forced != CS_DIRECT_ALWAYS},
    {"as runs of small marks", n->runs, TRUE},
    {"tile by tile", n->painted - n->direct - n->lean - n->runs, TRUE},
  };

  begin ("ways of painting on CUDA that cases take");
  for (guint i = 0; i < G_N_ELEMENTS (ways); i++) {
    printf ("%-24s %5d pictures\n", ways[i].name, ways[i].n);
    expect (ways[i].n > 0 || !ways[i].is_due, "none is painted %s",
        ways[i].name);
  }
  end ();
}
