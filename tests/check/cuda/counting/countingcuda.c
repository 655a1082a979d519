/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A libcuda.so.1 with two GPUs that do nothing. It knows which contexts live,
 * and which is current in a thread; a wrong use ends the process. */

#include "countingcuda.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SUCCESS 0
#define OUT_OF_MEMORY 2
#define INVALID_DEVICE 101

#define MAX_DEPTH 8

typedef struct
{
  int device;
  atomic_int alive;
} Context;

static atomic_int n_live, fails;
static _Thread_local Context *stack[MAX_DEPTH];
static _Thread_local int depth;

COUNTING_API int cuInit (unsigned);
COUNTING_API int cuGetErrorName (int, const char **);
COUNTING_API int cuDriverGetVersion (int *);
COUNTING_API int cuDeviceGetCount (int *);
COUNTING_API int cuDeviceGet (int *, int);
COUNTING_API int cuDevicePrimaryCtxRetain (Context **, int);
COUNTING_API int cuCtxCreate_v2 (Context **, unsigned, int);
COUNTING_API int cuCtxDestroy_v2 (Context *);
COUNTING_API int cuCtxPushCurrent_v2 (Context *);
COUNTING_API int cuCtxPopCurrent_v2 (Context **);
COUNTING_API int cuStreamSynchronize (void *);

static void
expect (int holds, const char *what)
{
  if (holds)
    return;
  fprintf (stderr, "countingcuda: %s\n", what);
  abort ();
}

int
cuInit (unsigned flags)
{
  return SUCCESS;
}

int
cuGetErrorName (int error, const char **name)
{
  *name = "CUDA_ERROR_COUNTED";
  return SUCCESS;
}

int
cuDriverGetVersion (int *version)
{
  *version = 12020;
  return SUCCESS;
}

int
cuDeviceGetCount (int *n)
{
  *n = COUNTING_DEVICES;
  return SUCCESS;
}

int
cuDeviceGet (int *device, int index)
{
  *device = index;
  return index >= 0 && index < COUNTING_DEVICES ? SUCCESS : INVALID_DEVICE;
}

int
cuDevicePrimaryCtxRetain (Context ** context, int device)
{
  expect (0, "a context of the whole process is asked for");
  return INVALID_DEVICE;
}

int
cuCtxPushCurrent_v2 (Context * context)
{
  expect (context && context->alive, "a context is used that does not live");
  expect (depth < MAX_DEPTH, "contexts are pushed and not popped");
  stack[depth++] = context;
  return SUCCESS;
}

int
cuCtxPopCurrent_v2 (Context ** context)
{
  expect (depth > 0, "there is no context to pop");
  depth--;
  if (context)
    *context = stack[depth];
  return SUCCESS;
}

int
cuCtxCreate_v2 (Context ** context, unsigned flags, int device)
{
  if (atomic_exchange (&fails, 0))
    return OUT_OF_MEMORY;
  /* takes a while, as on a GPU: others come in between */
  usleep (100);
  *context = calloc (1, sizeof (Context));
  (*context)->device = device;
  (*context)->alive = 1;
  n_live++;
  return cuCtxPushCurrent_v2 (*context);
}

/* What was destroyed stays allocated, so that a use of it is told. */
int
cuCtxDestroy_v2 (Context * context)
{
  expect (context && atomic_exchange (&context->alive, 0),
      "a context is destroyed twice");
  n_live--;
  return SUCCESS;
}

int
cuStreamSynchronize (void *stream)
{
  return SUCCESS;
}

/* For the test */

int
counting_live (void)
{
  return n_live;
}

void *
counting_current (void)
{
  return depth > 0 ? stack[depth - 1] : NULL;
}

int
counting_device (const void *context)
{
  return ((const Context *) context)->device;
}

void
counting_fail_next (void)
{
  fails = 1;
}
