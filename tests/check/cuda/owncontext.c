/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include <pthread.h>

#include "../lib/suite.h"
#include "countingcuda.h"
#include "cuda/gstshapesowncontext.h"

G_DEFINE_AUTOPTR_CLEANUP_FUNC (GstCudaContext, gst_object_unref)

static void
load_driver (void)
{
  fail_unless (gst_shapes_cuda_load () == NULL, "%s", gst_shapes_cuda_load ());
}

TEST (the_drivers_functions_are_called)
{
  const char *name = NULL;
  int n = 0;

  fail_unless_equals_int (CuInit (0), CUDA_SUCCESS);
  fail_unless_equals_int (CuDeviceGetCount (&n), CUDA_SUCCESS);
  fail_unless_equals_int (n, COUNTING_DEVICES);
  fail_unless_equals_int (CuDriverGetVersion (&n), CUDA_SUCCESS);
  fail_unless_equals_int (n, 12020);
  fail_unless_equals_int (CuGetErrorName (CUDA_ERROR_UNKNOWN, &name),
      CUDA_SUCCESS);
  fail_unless_equals_string (name, "CUDA_ERROR_COUNTED");
  fail_unless_equals_int (CuStreamSynchronize (NULL), CUDA_SUCCESS);
}

TEST (a_device_has_one_context)
{
  GstCudaContext *first = gst_cuda_context_new (0);
  GstCudaContext *second = gst_cuda_context_new (0);

  fail_unless (first && first == second);
  fail_unless_equals_int (counting_live (), 1);
  fail_unless (counting_current () == NULL);
  gst_object_unref (first);
  fail_unless_equals_int (counting_live (), 1);
  gst_object_unref (second);
  fail_unless_equals_int (counting_live (), 0);
}

TEST (devices_have_contexts_of_their_own)
{
  GstCudaContext *contexts[COUNTING_DEVICES];

  for (gint i = 0; i < COUNTING_DEVICES; i++) {
    contexts[i] = gst_cuda_context_new (i);
    fail_unless (contexts[i] != NULL);
    fail_unless_equals_int (counting_device (gst_cuda_context_get_handle
            (contexts[i])), i);
  }
  fail_unless_equals_int (counting_live (), COUNTING_DEVICES);
  for (gint i = 0; i < COUNTING_DEVICES; i++)
    gst_object_unref (contexts[i]);
  fail_unless_equals_int (counting_live (), 0);
}

TEST (a_freed_context_is_made_again)
{
  for (guint i = 0; i < 3; i++) {
    GstCudaContext *context = gst_cuda_context_new (1);

    fail_unless (context != NULL);
    fail_unless (gst_cuda_context_push (context));
    fail_unless (gst_cuda_context_pop (NULL));
    gst_object_unref (context);
    fail_unless_equals_int (counting_live (), 0);
  }
}

TEST (no_context_is_no_object)
{
  fail_unless (gst_cuda_context_new (COUNTING_DEVICES) == NULL);
  counting_fail_next ();
  fail_unless (gst_cuda_context_new (0) == NULL);
  fail_unless_equals_int (counting_live (), 0);
  g_autoptr (GstCudaContext) context = gst_cuda_context_new (0);
  fail_unless (context != NULL);
}

TEST (what_is_current_nests)
{
  g_autoptr (GstCudaContext) outer = gst_cuda_context_new (0);
  g_autoptr (GstCudaContext) inner = gst_cuda_context_new (1);
  CUcontext popped = NULL;

  fail_unless (gst_cuda_context_push (outer));
  fail_unless (counting_current () == gst_cuda_context_get_handle (outer));
  fail_unless (gst_cuda_context_push (inner));
  fail_unless (counting_current () == gst_cuda_context_get_handle (inner));
  fail_unless (gst_cuda_context_pop (&popped));
  fail_unless ((gpointer) popped == gst_cuda_context_get_handle (inner));
  fail_unless (counting_current () == gst_cuda_context_get_handle (outer));
  fail_unless (gst_cuda_context_pop (NULL));
  fail_unless (counting_current () == NULL);
}

TEST (an_element_keeps_its_context)
{
  GstElement *element = gst_bin_new (NULL);
  GstCudaContext *context = NULL;

  fail_unless (gst_cuda_ensure_element_context (element, -1, &context));
  fail_unless_equals_int (counting_device (gst_cuda_context_get_handle
          (context)), 0);
  GstCudaContext *first = context;
  fail_unless (gst_cuda_ensure_element_context (element, 1, &context));
  fail_unless (context == first);
  gst_clear_object (&context);
  fail_unless (gst_cuda_ensure_element_context (element, 1, &context));
  fail_unless_equals_int (counting_device (gst_cuda_context_get_handle
          (context)), 1);
  gst_clear_object (&context);
  fail_if (gst_cuda_ensure_element_context (element, COUNTING_DEVICES,
          &context));
  fail_unless (context == NULL);
  gst_object_unref (element);
  fail_unless_equals_int (counting_live (), 0);
}

static gpointer
use_often (gpointer unused)
{
  for (guint i = 0; i < 2000; i++) {
    GstCudaContext *context = gst_cuda_context_new (i % COUNTING_DEVICES);

    if (!context || !gst_cuda_context_push (context) ||
        counting_current () != gst_cuda_context_get_handle (context) ||
        !gst_cuda_context_pop (NULL))
      return GINT_TO_POINTER (1);
    gst_object_unref (context);
  }
  return NULL;
}

TEST (threads_take_and_drop_at_any_time)
{
  GThread *threads[8];

  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    threads[i] = g_thread_new ("use", use_often, NULL);
  for (guint i = 0; i < G_N_ELEMENTS (threads); i++)
    fail_unless (g_thread_join (threads[i]) == NULL);
  fail_unless_equals_int (counting_live (), 0);
}

#define N_THREADS 8
#define N_ROUNDS 50

typedef struct
{
  pthread_barrier_t barrier;
  GstCudaContext *contexts[N_THREADS];
  gint n_threads, n_differences;
} Race;

/* All threads ask for a context that is not there; each compares its own with
 * the first thread's while all are held. */
static gpointer
ask_at_once (gpointer data)
{
  Race *race = data;
  const gint own = g_atomic_int_add (&race->n_threads, 1);

  for (guint i = 0; i < N_ROUNDS; i++) {
    pthread_barrier_wait (&race->barrier);
    race->contexts[own] = gst_cuda_context_new (0);
    pthread_barrier_wait (&race->barrier);
    if (!race->contexts[own] || race->contexts[own] != race->contexts[0])
      g_atomic_int_inc (&race->n_differences);
    pthread_barrier_wait (&race->barrier);
    gst_clear_object (&race->contexts[own]);
  }
  return NULL;
}

TEST (threads_that_ask_at_once_get_the_same)
{
  Race race = {.n_threads = 0 };
  GThread *threads[N_THREADS];

  pthread_barrier_init (&race.barrier, NULL, N_THREADS);
  for (guint i = 0; i < N_THREADS; i++)
    threads[i] = g_thread_new ("ask", ask_at_once, &race);
  for (guint i = 0; i < N_THREADS; i++)
    g_thread_join (threads[i]);
  pthread_barrier_destroy (&race.barrier);
  fail_unless_equals_int (race.n_differences, 0);
  fail_unless_equals_int (counting_live (), 0);
}

SUITE (own_context)
{
  tcase_add_checked_fixture (tcase, load_driver, NULL);
}
