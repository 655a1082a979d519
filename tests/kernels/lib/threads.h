/* SPDX-License-Identifier: LGPL-2.1-or-later */
#pragma once

/* Threads that cannot be started: this program's pthread_create() is found
 * before the C library's. For one source file of a program; define _GNU_SOURCE
 * before the first header. */

#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>

#include <glib.h>

/* Whether starting a thread fails, and how often it did. */
static gint threads_fail, n_threads_failed;

int pthread_create (pthread_t * thread, const pthread_attr_t * attributes,
    void *(*func) (void *), void *data);

__attribute__ ((visibility ("default")))
int
pthread_create (pthread_t * thread, const pthread_attr_t * attributes,
    void *(*func) (void *), void *data)
{
  int (*create) (pthread_t *, const pthread_attr_t *, void *(*) (void *),
      void *);

  if (g_atomic_int_get (&threads_fail)) {
    g_atomic_int_inc (&n_threads_failed);
    return EAGAIN;
  }
  *(void **) &create = dlsym (RTLD_NEXT, "pthread_create");
  return create (thread, attributes, func, data);
}
