/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* A GPU for plans to run on: check_device.h has its memory. */

#include "cleanup.h"

G_BEGIN_DECLS

/* What a test program returns where it has nothing to run on. */
#define EXIT_SKIPPED 77

/**
 * Device:
 * @name: its name
 * @stream: its stream, or %NULL if it is not open
 */
typedef struct
{
  char name[256];
  void *stream;
} Device;

/* Device 0, with a stream; fails without a device, and without CUDA. */
gboolean device_open (Device * device);

/* On its stream. Fails by printing and exiting: tests need no more. */
CsExecutor *device_executor_new (const Device * device);

/* @data where @memory says, ending exactly where its block does, so that
 * checkers see what reads beyond: a copy for device_displace(), but on the
 * host, or %NULL, itself. */
void *device_place (CsMemory memory, const void *data, gsize size);
void device_displace (CsMemory memory, const void *data);

/* Called after its executors are freed; no-op if it is not open. */
void device_close (Device * device);

G_END_DECLS
