/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

#include <glib.h>
#include <string.h>

#include "emulated.h"

/* An array that the host fills, kernels change, and the host reads */
template < typename T > struct Array
{
  T *host, *device;
  size_t n;

  explicit Array (size_t count):n (count)
  {
    host = (T *) g_malloc0 (count * sizeof (T));
    cudaMalloc ((void **) &device, count * sizeof (T));
  }
   ~Array ()
  {
    cudaFree (device);
    g_free (host);
  }
  void upload ()
  {
    cudaMemcpy (device, host, n * sizeof (T), cudaMemcpyHostToDevice);
  }
  void download ()
  {
    g_assert_cmpint (cudaGetLastError (), ==, cudaSuccess);
    cudaDeviceSynchronize ();
    cudaMemcpy (host, device, n * sizeof (T), cudaMemcpyDeviceToHost);
  }
};

/* A bit of everything: small numbers, large ones, few bits */
static inline guint32
random_word (GRand * rand)
{
  const guint32 x = g_rand_int (rand);

  switch (g_rand_int (rand) % 4) {
    case 0:
      return x >> (g_rand_int (rand) % 32);
    case 1:
      return (guint32) -(gint32) (x % 100);
    default:
      return x;
  }
}
