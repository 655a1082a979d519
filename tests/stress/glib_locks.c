/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* GLib's locks implemented with the C library's, for ThreadSanitizer, which
 * understands pthread_mutex_lock() but not GLib's futexes. They interpose
 * GLib's for the program, the plugin and GStreamer; calls inside GLib are not
 * interposed. */

#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include <gst/gst.h>
#include <sanitizer/tsan_interface.h>

#define EXPORT __attribute__ ((visibility ("default")))

/* What is interposed */
#define NEXT(name) ((__typeof__ (&name)) dlsym (RTLD_NEXT, #name))

/* GLib's table of interned strings has a lock of its own: what is looked up in
 * it by one thread is freed by another one. */
static pthread_mutex_t strings = PTHREAD_MUTEX_INITIALIZER;

EXPORT char *
g_ref_string_new_intern (const char *string)
{
  pthread_mutex_lock (&strings);
  char *interned = NEXT (g_ref_string_new_intern) (string);
  pthread_mutex_unlock (&strings);
  return interned;
}

EXPORT void
g_ref_string_release (char *string)
{
  pthread_mutex_lock (&strings);
  NEXT (g_ref_string_release) (string);
  pthread_mutex_unlock (&strings);
}

/* Reference counts: accesses before an unref happen before the last unref.
 * GStreamer's atomic operations are not instrumented. */
EXPORT void
gst_mini_object_unref (GstMiniObject * object)
{
  static void (*unref) (GstMiniObject *);

  if (!g_atomic_pointer_get ((gpointer *) &unref))
    g_atomic_pointer_set ((gpointer *) &unref, NEXT (gst_mini_object_unref));
  __tsan_release (object);
  __tsan_acquire (object);
  unref (object);
}

/* Buffers: what their former owner wrote happens before somebody acquires them
 * again. GStreamer's own unref, which returns a buffer to its pool, is not
 * interposed: who pushes a buffer is done with it. */
EXPORT GstFlowReturn
gst_pad_push (GstPad * pad, GstBuffer * buffer)
{
  __tsan_release (buffer);
  return NEXT (gst_pad_push) (pad, buffer);
}

EXPORT GstFlowReturn
gst_buffer_pool_acquire_buffer (GstBufferPool * pool, GstBuffer ** buffer,
    GstBufferPoolAcquireParams * params)
{
  const GstFlowReturn flow =
      NEXT (gst_buffer_pool_acquire_buffer) (pool, buffer, params);

  if (flow == GST_FLOW_OK)
    __tsan_acquire (*buffer);
  return flow;
}

/* Tasks: writes to a pool's data happen before its thread reads them. The
 * pool's queue is inside GLib, and GStreamer's task frees the data. */
EXPORT gboolean
g_thread_pool_push (GThreadPool * pool, gpointer data, GError ** error)
{
  __tsan_release (data);
  return NEXT (g_thread_pool_push) (pool, data, error);
}

EXPORT void
g_slice_free1 (gsize size, gpointer data)
{
  static void (*slice_free) (gsize, gpointer);

  if (!g_atomic_pointer_get ((gpointer *) &slice_free))
    g_atomic_pointer_set ((gpointer *) &slice_free, NEXT (g_slice_free1));
  if (data)
    __tsan_acquire (data);
  slice_free (size, data);
}

/* A lock of GLib. It may be zero and never initialised: made on first use.
 * @type: the C library's, @init: makes @made one */
#define DEFINE_LOCK(Lock, lock, type, init) \
static pthread_##type##_t * \
get_##lock (Lock * place) \
{ \
  pthread_##type##_t *made = g_atomic_pointer_get (&place->p); \
  if (made) \
    return made; \
  made = malloc (sizeof (*made)); \
  init; \
  if (g_atomic_pointer_compare_and_exchange (&place->p, NULL, made)) \
    return made; \
  pthread_##type##_destroy (made); \
  free (made); \
  return g_atomic_pointer_get (&place->p); \
} \
EXPORT void \
g_##lock##_init (Lock * place) \
{ \
  place->p = NULL; \
} \
EXPORT void \
g_##lock##_clear (Lock * place) \
{ \
  if (place->p) \
    pthread_##type##_destroy (place->p); \
  free (place->p); \
  place->p = NULL; \
}

/* Its functions that are the C library's @call, or try it */
#define DEFINE_CALL(Lock, lock, function, call) \
EXPORT void \
g_##lock##_##function (Lock * place) \
{ \
  call (get_##lock (place)); \
}
#define DEFINE_TRY(Lock, lock, function, call) \
EXPORT gboolean \
g_##lock##_##function (Lock * place) \
{ \
  return call (get_##lock (place)) == 0; \
}

static void
init_recursive (pthread_mutex_t * mutex)
{
  pthread_mutexattr_t attributes;

  pthread_mutexattr_init (&attributes);
  pthread_mutexattr_settype (&attributes, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init (mutex, &attributes);
  pthread_mutexattr_destroy (&attributes);
}

static void
init_cond (pthread_cond_t * cond)
{
  pthread_condattr_t attributes;

  pthread_condattr_init (&attributes);
  pthread_condattr_setclock (&attributes, CLOCK_MONOTONIC);
  pthread_cond_init (cond, &attributes);
  pthread_condattr_destroy (&attributes);
}

/* *INDENT-OFF* */
DEFINE_LOCK (GMutex, mutex, mutex, pthread_mutex_init (made, NULL))
DEFINE_CALL (GMutex, mutex, lock, pthread_mutex_lock)
DEFINE_CALL (GMutex, mutex, unlock, pthread_mutex_unlock)
DEFINE_TRY (GMutex, mutex, trylock, pthread_mutex_trylock)
DEFINE_LOCK (GRecMutex, rec_mutex, mutex, init_recursive (made))
DEFINE_CALL (GRecMutex, rec_mutex, lock, pthread_mutex_lock)
DEFINE_CALL (GRecMutex, rec_mutex, unlock, pthread_mutex_unlock)
DEFINE_TRY (GRecMutex, rec_mutex, trylock, pthread_mutex_trylock)
DEFINE_LOCK (GRWLock, rw_lock, rwlock, pthread_rwlock_init (made, NULL))
DEFINE_CALL (GRWLock, rw_lock, writer_lock, pthread_rwlock_wrlock)
DEFINE_CALL (GRWLock, rw_lock, writer_unlock, pthread_rwlock_unlock)
DEFINE_TRY (GRWLock, rw_lock, writer_trylock, pthread_rwlock_trywrlock)
DEFINE_CALL (GRWLock, rw_lock, reader_lock, pthread_rwlock_rdlock)
DEFINE_CALL (GRWLock, rw_lock, reader_unlock, pthread_rwlock_unlock)
DEFINE_TRY (GRWLock, rw_lock, reader_trylock, pthread_rwlock_tryrdlock)
DEFINE_LOCK (GCond, cond, cond, init_cond (made))
DEFINE_CALL (GCond, cond, signal, pthread_cond_signal)
DEFINE_CALL (GCond, cond, broadcast, pthread_cond_broadcast)
/* *INDENT-ON* */

EXPORT void
g_cond_wait (GCond * cond, GMutex * mutex)
{
  pthread_cond_wait (get_cond (cond), get_mutex (mutex));
}

EXPORT gboolean
g_cond_wait_until (GCond * cond, GMutex * mutex, gint64 end_time)
{
  const struct timespec end = { end_time / G_USEC_PER_SEC,
    end_time % G_USEC_PER_SEC * 1000
  };

  return pthread_cond_timedwait (get_cond (cond), get_mutex (mutex), &end) !=
      ETIMEDOUT;
}
