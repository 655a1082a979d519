/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* check_device.h in a build without CUDA: there is never a device. */
#include "check_device.h"

gboolean
check_device_open (char *name, gsize name_size)
{
  return FALSE;
}

void *
check_device_stream_new (void)
{
  g_assert_not_reached ();
}

void
check_device_stream_free (void *stream)
{
  g_assert_not_reached ();
}

void *
check_device_alloc (gsize size)
{
  g_assert_not_reached ();
}

void
check_device_free (void *data)
{
  g_assert_not_reached ();
}

void *
check_device_alloc_pinned (gsize size)
{
  g_assert_not_reached ();
}

void
check_device_free_pinned (void *data)
{
  g_assert_not_reached ();
}

void
check_device_copy (void *to, const void *from, gsize size)
{
  g_assert_not_reached ();
}

void
check_device_fill (void *to, guint8 byte, gsize size)
{
  g_assert_not_reached ();
}

double
check_device_time (void *stream, guint n, void (*func) (void *),
    void *user_data)
{
  g_assert_not_reached ();
}
