/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "check_device.h"

#include <cuda_runtime.h>
#include <stdio.h>
#include <stdlib.h>

static void
check (cudaError_t status, const char *what)
{
  if (status == cudaSuccess)
    return;
  fprintf (stderr, "%s: %s\n", what, cudaGetErrorString (status));
  exit (1);
}

gboolean
check_device_open (char *name, gsize name_size)
{
  cudaDeviceProp properties;
  int n = 0;

  if (cudaGetDeviceCount (&n) != cudaSuccess || n == 0)
    return FALSE;
  check (cudaSetDevice (0), "cudaSetDevice");
  check (cudaGetDeviceProperties (&properties, 0), "cudaGetDeviceProperties");
  g_strlcpy (name, properties.name, name_size);
  return TRUE;
}

void *
check_device_stream_new (void)
{
  cudaStream_t stream;

  check (cudaStreamCreateWithFlags (&stream, cudaStreamNonBlocking),
      "cudaStreamCreateWithFlags");
  return stream;
}

void
check_device_stream_free (void *stream)
{
  check (cudaStreamDestroy ((cudaStream_t) stream), "cudaStreamDestroy");
}

void *
check_device_alloc (gsize size)
{
  void *data;

  check (cudaMalloc (&data, MAX (size, 1)), "cudaMalloc");
  return data;
}

void
check_device_free (void *data)
{
  check (cudaFree (data), "cudaFree");
}

void *
check_device_alloc_pinned (gsize size)
{
  void *data;

  check (cudaMallocHost (&data, MAX (size, 1)), "cudaMallocHost");
  return data;
}

void
check_device_free_pinned (void *data)
{
  check (cudaFreeHost (data), "cudaFreeHost");
}

void
check_device_copy (void *to, const void *from, gsize size)
{
  /* streams of their own do not wait for copies, nor copies for them */
  check (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
  check (cudaMemcpy (to, from, size, cudaMemcpyDefault), "cudaMemcpy");
  check (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
}

void
check_device_fill (void *to, guint8 byte, gsize size)
{
  check (cudaMemset (to, byte, size), "cudaMemset");
  check (cudaDeviceSynchronize (), "cudaDeviceSynchronize");
}

double
check_device_time (void *stream, guint n, void (*func) (void *),
    void *user_data)
{
  cudaEvent_t begin, end;
  float ms = 0;

  check (cudaEventCreate (&begin), "cudaEventCreate");
  check (cudaEventCreate (&end), "cudaEventCreate");
  check (cudaEventRecord (begin, (cudaStream_t) stream), "cudaEventRecord");
  for (guint i = 0; i < n; i++)
    func (user_data);
  check (cudaEventRecord (end, (cudaStream_t) stream), "cudaEventRecord");
  check (cudaEventSynchronize (end), "cudaEventSynchronize");
  check (cudaEventElapsedTime (&ms, begin, end), "cudaEventElapsedTime");
  check (cudaEventDestroy (begin), "cudaEventDestroy");
  check (cudaEventDestroy (end), "cudaEventDestroy");
  return ms / n;
}
