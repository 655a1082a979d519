/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "device.h"

#include <stdio.h>
#include <stdlib.h>

#include "check_device.h"

gboolean
device_open (Device * device)
{
  device->stream = NULL;
  if (!check_device_open (device->name, sizeof (device->name)))
    return FALSE;
  device->stream = check_device_stream_new ();
  return TRUE;
}

CsExecutor *
device_executor_new (const Device * device)
{
  GError *error = NULL;
  CsExecutor *executor = cs_executor_new_cuda (device->stream, &error);

  if (executor)
    return executor;
  fprintf (stderr, "no CUDA executor: %s\n", error->message);
  exit (1);
}

void *
device_place (CsMemory memory, const void *data, gsize size)
{
  if (!data || memory == CS_MEMORY_HOST)
    return (void *) data;
  void *copy = memory == CS_MEMORY_PINNED ? check_device_alloc_pinned (size) :
      check_device_alloc (size);
  if (size > 0)
    check_device_copy (copy, data, size);
  return copy;
}

void
device_displace (CsMemory memory, const void *data)
{
  if (data && memory == CS_MEMORY_PINNED)
    check_device_free_pinned ((void *) data);
  else if (data && memory == CS_MEMORY_DEVICE)
    check_device_free ((void *) data);
}

void
device_close (Device * device)
{
  if (device->stream)
    check_device_stream_free (device->stream);
  device->stream = NULL;
}
