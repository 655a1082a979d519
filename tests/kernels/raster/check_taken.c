/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_raster.h"

#include "../lib/check.h"
#include "raster/raster_private.h"

void
check_taken (gint forced)
{
  const CsRasterPaths *n = &cs_raster_cuda_paths;
  const CheckWay ways[] = {
    {0, "directly", n->direct, forced == CS_DIRECT_NEVER ? "it is forbidden" : NULL},
    {0, "directly, without room", n->failed, forced == CS_DIRECT_ALWAYS ? NULL :
          "direct painting is not forced"},
    {0, "as discs", n->lean, forced == CS_DIRECT_ALWAYS ?
          "direct painting is forced" : NULL},
    {0, "as runs of small marks", n->runs, NULL},
    {0, "tile by tile", n->painted - n->direct - n->lean - n->runs, NULL},
  };

  check_ways ("painting on CUDA", ways, G_N_ELEMENTS (ways));
}
