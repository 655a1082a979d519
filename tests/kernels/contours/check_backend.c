/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Backends and memory for check-contours. */
#include "check_contours.h"

#include <stdlib.h>
#include <string.h>

#include "../lib/check_device.h"

#define ALIGNMENT 256

Backend *
backend_new_cpu (guint n_threads)
{
  Backend *backend = g_new0 (Backend, 1);

  backend->name = "cpu";
  backend->executor = cs_executor_new_cpu (n_threads);
  return backend;
}

Backend *
backend_new_cuda (void)
{
  Device device;

  if (!device_open (&device))
    return NULL;
  Backend *backend = g_new0 (Backend, 1);
  backend->name = "cuda";
  backend->device = device;
  backend->executor = device_executor_new (&device);
  return backend;
}

void
backend_free (Backend * backend)
{
  if (!backend)
    return;
  cs_executor_free (backend->executor);
  device_close (&backend->device);
  g_free (backend);
}

static void
free_host (MemoryPool * pool)
{
  if (pool->cuda && !pool->pageable && pool->host)
    check_device_free_pinned (pool->host);
  else
    free (pool->host);
  pool->host = NULL;
}

static void
free_device (MemoryPool * pool)
{
  if (pool->device)
    check_device_free (pool->device);
  pool->device = NULL;
}

void *
memory_pool_alloc (void *user_data, gsize size, gboolean host)
{
  MemoryPool *pool = user_data;
  const gsize grown = (size + size / 2 + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;

  pool->n_allocs++;
  if (host && (!pool->host || pool->host_size < size)) {
    free_host (pool);
    pool->host_size = MAX (grown, ALIGNMENT);
    pool->host = pool->cuda && !pool->pageable ? check_device_alloc_pinned (pool->host_size) :
        aligned_alloc (ALIGNMENT, pool->host_size);
    memset (pool->host, 0xa5, pool->host_size);
  } else if (!host && (!pool->device || pool->device_size < size)) {
    free_device (pool);
    pool->device_size = MAX (grown, ALIGNMENT);
    pool->device = check_device_alloc (pool->device_size);
    check_device_fill (pool->device, 0xa5, pool->device_size);
  }
  return host ? pool->host : pool->device;
}

void
memory_pool_poison (MemoryPool * pool)
{
  if (pool->host)
    memset (pool->host, 0xa5, pool->host_size);
  if (pool->device)
    check_device_fill (pool->device, 0xa5, pool->device_size);
}

void
memory_pool_clear (MemoryPool * pool)
{
  free_host (pool);
  free_device (pool);
  pool->host_size = pool->device_size = 0;
}

gboolean
backend_run (const Backend * backend, const CsContoursParams * params,
    const CsContoursInput * input, MemoryPool * pool,
    CsContoursOutput * output, GError ** error)
{
  g_autoptr (CsContours) plan = cs_contours_new (params, backend->executor,
      error);

  *output = (CsContoursOutput) {
    .alloc = memory_pool_alloc,
    .user_data = pool,
    .want_host = TRUE,
  };
  return plan && cs_contours_run (plan, input, output, error);
}

void
own_image_copy (const OwnImage * from, CsMemory memory, OwnImage * to)
{
  *to = *from;
  to->image.memory = memory;
  switch (memory) {
    case CS_MEMORY_HOST:
      to->block = aligned_alloc (ALIGNMENT,
          (from->size + ALIGNMENT) / ALIGNMENT * ALIGNMENT);
      memcpy (to->block, from->block, from->size);
      break;
    case CS_MEMORY_PINNED:
      to->block = check_device_alloc_pinned (from->size);
      memcpy (to->block, from->block, from->size);
      break;
    case CS_MEMORY_DEVICE:
      to->block = check_device_alloc (from->size);
      check_device_copy (to->block, from->block, from->size);
      break;
  }
  to->image.data = (guint8 *) to->block + from->offset;
}

void
own_image_clear (OwnImage * image)
{
  if (!image->block)
    return;
  if (image->image.memory == CS_MEMORY_HOST)
    free (image->block);
  else if (image->image.memory == CS_MEMORY_PINNED)
    check_device_free_pinned (image->block);
  else
    check_device_free (image->block);
  image->block = NULL;
}
