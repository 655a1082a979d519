/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The baselines on a GPU, in a build without CUDA: never called. */
#include "raster_baseline.h"

double
baseline_tiles (const Disc * discs, gsize n, guint width, guint height,
    guint32 * pixels)
{
  g_assert_not_reached ();
}

double
baseline_racy (const Disc * discs, gsize n, guint width, guint height,
    guint32 * pixels)
{
  g_assert_not_reached ();
}

double
baseline_device_time (void *stream, guint n, void (*func) (void *),
    void *user_data)
{
  g_assert_not_reached ();
}
